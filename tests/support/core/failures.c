#include "support/core/failures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static size_t fail_each(failing_work work, void *context, void (*fail_at)(size_t nth))
{
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        fail_at(nth);
        bool good = work(context, &why);
        bool failed = allocation_has_failed();
        fail_at(0);
        if (!good && !failed)
            fail_msg("it fails with all the memory it asks for: %s", why.text);
        if (!good && (why.kind != FLM_ERROR_MEMORY || !strstr(why.text, "out of memory")))
            fail_msg("allocation %zu failed, and the error is %d: %s", nth, (int)why.kind,
                     why.text);
        if (!failed)
            return nth - 1;
    }
}

size_t assert_survives_failures(failing_work work, void *context)
{
    fail_each(work, context, allocation_fail_once);
    return fail_each(work, context, allocation_fail_from);
}
