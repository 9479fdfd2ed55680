#include "serve/http/body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "os/gzip.h"
#include "os/zstd.h"

enum { MEGABYTE = 1 << 20 };

static struct flm_text zeros_in_gzip(size_t size, int layers)
{
    struct flm_text text = {0}, packed;
    flm_text_repeat(&text, 0, size);
    for (; layers > 0; layers--) {
        packed = (struct flm_text){0};
        assert_true(flm_gzip((struct flm_bytes){text.at, text.size}, 6, &packed, NULL));
        flm_text_clear(&text);
        text = packed;
    }
    return text;
}

static void all_layers_are_undone(void **state)
{
    (void)state;
    for (int layers = 0; layers <= 4; layers++) {
        struct flm_text text = zeros_in_gzip(5000, layers), out = {0};
        struct flm_bytes plain;
        struct flm_error why = {0};
        if (!flm_body_plain((struct flm_bytes){text.at, text.size}, MEGABYTE, &out, &plain, &why))
            fail_msg("%s", why.text);
        assert_int_equal(plain.size, 5000);
        for (size_t i = 0; i < plain.size; i++)
            assert_int_equal(plain.at[i], 0);
        flm_text_clear(&text);
        flm_text_clear(&out);
    }
}

static void zstd_is_undone(void **state)
{
    struct flm_text packed = {0}, out = {0};
    struct flm_zstd zstd;
    struct flm_bytes plain;
    (void)state;
    assert_true(flm_zstd_open(&zstd, &packed, NULL));
    flm_text_puts(&zstd.text, "main;work 7\n");
    assert_true(flm_zstd_close(&zstd, NULL));
    assert_true(
        flm_body_plain((struct flm_bytes){packed.at, packed.size}, 100, &out, &plain, NULL));
    assert_true(flm_bytes_are(plain, "main;work 7\n"));
    flm_text_clear(&packed);
    flm_text_clear(&out);
}

/* 64 MiB of zeros are 64 KiB of gzip: what is kept of them is bounded all the same. */
static void a_bomb_is_refused_within_the_limit(void **state)
{
    struct flm_text bomb = zeros_in_gzip((size_t)64 * MEGABYTE, 1), out = {0};
    struct flm_bytes plain;
    struct flm_error why = {0};
    (void)state;
    assert_true(bomb.size < 100000);
    assert_false(
        flm_body_plain((struct flm_bytes){bomb.at, bomb.size}, MEGABYTE, &out, &plain, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_true(out.capacity <= 4 * (size_t)MEGABYTE);
    flm_text_clear(&bomb);
    flm_text_clear(&out);
}

static void too_many_layers_are_refused(void **state)
{
    struct flm_text text = zeros_in_gzip(10, 5), out = {0};
    struct flm_bytes plain;
    struct flm_error why = {0};
    (void)state;
    assert_false(
        flm_body_plain((struct flm_bytes){text.at, text.size}, MEGABYTE, &out, &plain, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_text_clear(&text);
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layers_are_undone),
        cmocka_unit_test(zstd_is_undone),
        cmocka_unit_test(a_bomb_is_refused_within_the_limit),
        cmocka_unit_test(too_many_layers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
