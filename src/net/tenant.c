#include "net/tenant.h"

#include <stddef.h>

#include "base/core/bytes.h"

bool flm_is_tenant(const char *name)
{
    size_t size = 0;
    for (; name[size]; size++) {
        char c = name[size];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    flm_is_one_of(c, "_-.");
        if (!good || size >= 128)
            return false;
    }
    return size > 0;
}
