#include "record/runtime/opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"

/* What is opened is the number of the process. */
static int opened, closed;

static void *open_fake(const struct flm_process *process, struct flm_error *why)
{
    opened++;
    if (process->id == 13)
        flm_error_set(why, FLM_ERROR_FORMAT, "13 is not supported");
    if (process->id == 13 || process->mapping_count == 0)
        return NULL;
    int32_t *at = malloc(sizeof *at);
    if (!at) {
        flm_error_memory(why);
        return NULL;
    }
    *at = process->id;
    return at;
}

static void close_fake(void *at)
{
    closed++;
    free(at);
}

static uint64_t calls_of(const void *at)
{
    return (uint64_t) * (const int32_t *)at;
}

static const struct flm_opened_kind fake = {open_fake, close_fake, calls_of};

static void what_is_found_stays_until_another_program_runs(void **state)
{
    (void)state;
    struct flm_opened_all all = {.kind = &fake};
    struct flm_process process = {.id = 7, .started_ns = 1, .changed = 1};
    opened = closed = 0;
    assert_null(flm_opened_find(&all, &process, NULL)->at);
    assert_null(flm_opened_find(&all, &process, NULL)->at);
    assert_int_equal(opened, 1); /* once, while nothing changes */
    process.mapping_count = 1;
    process.changed = 2;
    const struct flm_opened *one = flm_opened_find(&all, &process, NULL);
    assert_non_null(one->at);
    uint64_t serial = one->serial;
    process.changed = 3; /* it maps another file */
    assert_int_equal(flm_opened_find(&all, &process, NULL)->serial, serial);
    assert_int_equal(opened, 2);
    process.changed = 4;
    process.started_ns = 2; /* another program */
    assert_int_not_equal(flm_opened_find(&all, &process, NULL)->serial, serial);
    assert_int_equal(opened, 3);
    assert_int_equal(closed, 1);
    assert_int_equal(flm_opened_calls(&all), 14); /* those of the closed one too */
    flm_opened_clear(&all);
    assert_int_equal(closed, 2);
}

static void each_process_has_its_own(void **state)
{
    (void)state;
    struct flm_opened_all all = {.kind = &fake};
    opened = closed = 0;
    for (int again = 0; again < 2; again++)
        for (int32_t id = 1; id <= 100; id++) {
            const struct flm_process process = {
                .id = id, .mapping_count = 1, .changed = (uint64_t)id};
            const struct flm_opened *one = flm_opened_find(&all, &process, NULL);
            assert_int_equal(one->process, id);
            assert_true(id == 13 ? one->is_refused && !one->at : *(int32_t *)one->at == id);
        }
    assert_int_equal(opened, 100);
    assert_string_equal(all.refused, "13 is not supported");
    flm_opened_clear(&all);
    assert_int_equal(closed, 99);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    const struct flm_process process = {.id = 7, .mapping_count = 1, .changed = 1};
    for (size_t nth = 1;; nth++) {
        struct flm_opened_all all = {.kind = &fake};
        struct flm_error why = {0};
        allocation_fail_from(nth);
        const struct flm_opened *one = flm_opened_find(&all, &process, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(one ? one->at != NULL : failed && why.kind == FLM_ERROR_MEMORY);
        flm_opened_clear(&all);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_stays_until_another_program_runs),
        cmocka_unit_test(each_process_has_its_own),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
