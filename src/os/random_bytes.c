#include "os/random_bytes.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

bool flm_random_bytes(void *bytes, size_t size, struct flm_error *why)
{
    assert(size <= 256); /* more may be cut short by a signal */
    return getrandom(bytes, size, 0) == (ssize_t)size ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "the system has no random numbers: %s",
                         strerror(errno));
}
