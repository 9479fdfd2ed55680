#include "record/runtime/code_numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/core/allocation.h"

struct defined {
    int count;
    uint64_t last;
    bool fails;
};

static bool define(void *context, struct flm_event *event, struct flm_error *why)
{
    struct defined *d = context;
    assert_int_equal(event->kind, FLM_EVENT_CODE);
    assert_int_equal(event->process, 4711);
    assert_true(flm_bytes_are(event->code.function, "f"));
    d->count++;
    d->last = event->code.address;
    return !d->fails || flm_error_set(why, FLM_ERROR_SYSTEM, "full");
}

static uint64_t number(struct flm_code_numbers *numbers, struct flm_code_key key,
                       struct defined *defined, struct flm_error *why)
{
    const struct flm_event_code as = {.function = flm_bytes_of("f"), .line = 3};
    return flm_code_number(numbers, key, 4711, &as, &(struct flm_code_sink){define, defined, why});
}

static void each_function_is_defined_once(void **state)
{
    (void)state;
    struct flm_code_numbers numbers = {.first = FLM_CODE_FIRST};
    struct defined defined = {0};
    struct flm_error why = {0};
    for (int again = 0; again < 2; again++)
        for (uint64_t i = 0; i < 1000; i++) {
            const struct flm_code_key key = {i / 100, i / 10 % 10, i % 10};
            assert_int_equal(number(&numbers, key, &defined, &why), FLM_CODE_FIRST + i);
        }
    assert_int_equal(defined.count, 1000);
    assert_int_equal(defined.last, FLM_CODE_FIRST + 999);
    defined.fails = true;
    assert_int_equal(number(&numbers, (struct flm_code_key){10, 0, 0}, &defined, &why), 0);
    assert_string_equal(why.text, "full");
    flm_code_numbers_clear(&numbers);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_code_numbers numbers = {.first = FLM_CODE_FIRST};
        struct defined defined = {0};
        struct flm_error why = {0};
        allocation_fail_from(nth);
        uint64_t found = number(&numbers, (struct flm_code_key){1, 2, 3}, &defined, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(found ? found == FLM_CODE_FIRST : failed && why.kind == FLM_ERROR_MEMORY);
        flm_code_numbers_clear(&numbers);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_is_defined_once),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
