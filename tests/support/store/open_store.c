#include "support/store/open_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/core/files.h"

struct flm_store *open_store(const char *name)
{
    struct flm_error why = {0};
    struct flm_store *store = flm_store_open(temporary_path(name), NULL, &why);
    if (!store)
        fail_msg("%s", why.text);
    return store;
}
