#include "base/text/buffered_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

struct taken {
    char bytes[100];
    size_t size, most;
};

static bool take(void *context, const void *bytes, size_t size)
{
    struct taken *taken = context;
    if (taken->size + size > taken->most)
        return false;
    memcpy(taken->bytes + taken->size, bytes, size);
    taken->size += size;
    return true;
}

static void added_text_reaches_the_sink(void **state)
{
    (void)state;
    struct taken taken = {.most = 100};
    struct flm_buffered_sink buffered;
    flm_buffered_sink_init(&buffered, take, &taken);
    flm_text_puts(&buffered.text, "one ");
    flm_text_puts(&buffered.text, "two");
    assert_true(flm_buffered_sink_close(&buffered, true, NULL));
    assert_int_equal(taken.size, 7);
    assert_memory_equal(taken.bytes, "one two", 7);
}

static void nothing_is_passed_on_when_the_writer_failed(void **state)
{
    (void)state;
    struct taken taken = {.most = 100};
    struct flm_buffered_sink buffered;
    struct flm_error why = {.text = "mine"};
    flm_buffered_sink_init(&buffered, take, &taken);
    flm_text_puts(&buffered.text, "half");
    assert_false(flm_buffered_sink_close(&buffered, false, &why));
    assert_int_equal(taken.size, 0);
    assert_string_equal(why.text, "mine");
}

static void errors_distinguish_a_refusing_sink_from_a_lack_of_memory(void **state)
{
    (void)state;
    struct taken taken = {.most = 3};
    struct flm_buffered_sink buffered;
    struct flm_error why;
    flm_buffered_sink_init(&buffered, take, &taken);
    flm_text_puts(&buffered.text, "four");
    assert_false(flm_buffered_sink_close(&buffered, true, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);

    flm_buffered_sink_init(&buffered, take, &taken);
    allocation_fail_from(1);
    flm_text_puts(&buffered.text, "four");
    allocation_fail_from(0);
    assert_false(flm_buffered_sink_close(&buffered, true, &why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_text_reaches_the_sink),
        cmocka_unit_test(nothing_is_passed_on_when_the_writer_failed),
        cmocka_unit_test(errors_distinguish_a_refusing_sink_from_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
