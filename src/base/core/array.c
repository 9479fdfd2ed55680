#include "base/core/array.h"

#include <stdint.h>
#include <string.h>

#include "base/core/bytes.h"

bool flm_array_reserve(void *array, size_t more, size_t item_size)
{
    /* Copied in and out, because pointers to different types may not be accessed as one another. */
    struct any FLM_ARRAY(void) any;
    memcpy(&any, array, sizeof any);
    if (more <= any.capacity - any.count)
        return true;
    if (more > SIZE_MAX - any.count)
        return false;
    if (!flm_grow(&any.at, &any.capacity, any.count + more, item_size))
        return false;
    memcpy(array, &any, sizeof any);
    return true;
}
