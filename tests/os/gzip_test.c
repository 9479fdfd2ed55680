#include "os/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

static struct flm_bytes view(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static void what_was_compressed_comes_back(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (size_t size = 0; size < 300000; size = size * 3 + 1) {
        char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(i % 2 ? random_next(&random) : 7);
        struct flm_text gzip = {0}, again = {0}, back = {0};
        assert_true(flm_gzip((struct flm_bytes){bytes, size}, 6, &gzip, NULL));
        assert_true(flm_gzip((struct flm_bytes){bytes, size}, 6, &again, NULL));
        assert_true(flm_bytes_equal(view(&gzip), view(&again)));
        flm_text_puts(&back, "before ");
        assert_true(flm_gunzip(view(&gzip), size, &back, NULL));
        assert_int_equal(back.size, 7 + size);
        assert_true(size == 0 || memcmp(back.at + 7, bytes, size) == 0);
        flm_text_clear(&gzip);
        flm_text_clear(&again);
        flm_text_clear(&back);
        free(bytes);
    }
}

static void assert_refused(struct flm_bytes gzip, uint64_t size)
{
    struct flm_text back = {0};
    struct flm_error why = {0};
    assert_false(flm_gunzip(gzip, size, &back, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_string_equal(why.text, "the gzip data in it is damaged");
    flm_text_clear(&back);
}

static void damage_cuts_and_wrong_sizes_are_refused(void **state)
{
    (void)state;
    struct flm_text gzip = {0};
    assert_true(flm_gzip(flm_bytes_of("a profile, a profile, a profile"), 9, &gzip, NULL));
    for (size_t size = 0; size < gzip.size; size++)
        assert_refused((struct flm_bytes){gzip.at, size}, 31);
    assert_refused(view(&gzip), 30);
    assert_refused(view(&gzip), 32);
    assert_refused(view(&gzip), 0);
    assert_refused(view(&gzip), UINT64_MAX); /* and no memory is asked for */
    gzip.at[gzip.size - 6] ^= 1;
    assert_refused(view(&gzip), 31);
    flm_text_clear(&gzip);
}

static bool compress_and_back(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_text gzip = {0}, back = {0};
    bool good = flm_gzip(flm_bytes_of("some bytes"), 6, &gzip, why) &&
                flm_gunzip(view(&gzip), 10, &back, why);
    flm_text_clear(&gzip);
    flm_text_clear(&back);
    return good;
}

static void it_survives_failed_allocations(void **state)
{
    (void)state;
    assert_survives_failures(compress_and_back, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_compressed_comes_back),
        cmocka_unit_test(damage_cuts_and_wrong_sizes_are_refused),
        cmocka_unit_test(it_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
