#include "base/text/versioned.h"

#include <assert.h>
#include <string.h>

bool flm_versioned_copy(void *to, size_t size, const void *from, const char *name,
                        struct flm_error *why)
{
    assert(to && size >= sizeof size && name);
    size_t given = size;
    if (from)
        memcpy(&given, from, sizeof given);
    if (given < sizeof given)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the size of struct %s is not set: {.size = sizeof (struct %s)}", name,
                             name);
    if (given > size)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "struct %s has %zu bytes, and %zu in this library, which is older",
                             name, given, size);
    memset(to, 0, size);
    if (from)
        memcpy(to, from, given);
    memcpy(to, &size, sizeof size);
    return true;
}
