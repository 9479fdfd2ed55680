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
        struct flm_text text = zeros_in_gzip(5000, layers);
        struct flm_body body = {.budget = NULL};
        struct flm_error why = {0};
        if (!flm_body_read(&body, (struct flm_bytes){text.at, text.size}, MEGABYTE, &why))
            fail_msg("%s", why.text);
        assert_int_equal(body.plain.size, 5000);
        for (size_t i = 0; i < body.plain.size; i++)
            assert_int_equal(body.plain.at[i], 0);
        flm_text_clear(&text);
        flm_body_clear(&body);
    }
}

static void zstd_is_undone(void **state)
{
    struct flm_text packed = {0};
    struct flm_zstd zstd;
    struct flm_body body = {.budget = NULL};
    (void)state;
    assert_true(flm_zstd_open(&zstd, &packed, NULL));
    flm_text_puts(&zstd.text, "main;work 7\n");
    assert_true(flm_zstd_close(&zstd, NULL));
    assert_true(flm_body_read(&body, (struct flm_bytes){packed.at, packed.size}, 100, NULL));
    assert_true(flm_bytes_are(body.plain, "main;work 7\n"));
    flm_text_clear(&packed);
    flm_body_clear(&body);
}

/* 64 MiB of zeros are 64 KiB of gzip: what is kept of them is bounded all the same. */
static void a_bomb_is_refused_within_the_limit(void **state)
{
    struct flm_text bomb = zeros_in_gzip((size_t)64 * MEGABYTE, 1);
    struct flm_body body = {.budget = NULL};
    struct flm_error why = {0};
    (void)state;
    assert_true(bomb.size < 100000);
    assert_false(flm_body_read(&body, (struct flm_bytes){bomb.at, bomb.size}, MEGABYTE, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_true(body.text.capacity <= 4 * (size_t)MEGABYTE);
    flm_text_clear(&bomb);
    flm_body_clear(&body);
}

static void too_many_layers_are_refused(void **state)
{
    struct flm_text text = zeros_in_gzip(10, 5);
    struct flm_body body = {.budget = NULL};
    struct flm_error why = {0};
    (void)state;
    assert_false(flm_body_read(&body, (struct flm_bytes){text.at, text.size}, MEGABYTE, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_text_clear(&text);
    flm_body_clear(&body);
}

static bool reads(struct flm_body *body, const struct flm_text *text, struct flm_error *why)
{
    return flm_body_read(body, (struct flm_bytes){text->at, text->size}, MEGABYTE, why);
}

/* What requests hold together is bounded, until they are over. */
static void bodies_have_one_budget(void **state)
{
    struct flm_budget budget = {MEGABYTE};
    struct flm_body first = {.budget = &budget}, second = first, third = first;
    struct flm_text most = zeros_in_gzip(800000, 2), half = zeros_in_gzip(500000, 1);
    struct flm_text bomb = zeros_in_gzip(3 * MEGABYTE, 1);
    struct flm_error why = {0};
    (void)state;
    assert_true(reads(&first, &most, &why));
    assert_int_equal(first.taken, 800000); /* the layer above is given back */
    assert_int_equal(atomic_load(&budget.left), MEGABYTE - 800000);
    assert_false(reads(&second, &half, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_body_clear(&second);
    assert_int_equal(atomic_load(&budget.left), MEGABYTE - 800000);
    flm_body_clear(&first);
    assert_true(reads(&second, &half, &why));
    assert_true(reads(&third, &half, &why));
    flm_body_clear(&second);
    flm_body_clear(&third);
    assert_false(reads(&first, &bomb, &why));
    flm_body_clear(&first);
    assert_int_equal(atomic_load(&budget.left), MEGABYTE);
    flm_text_clear(&most);
    flm_text_clear(&half);
    flm_text_clear(&bomb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layers_are_undone),
        cmocka_unit_test(zstd_is_undone),
        cmocka_unit_test(a_bomb_is_refused_within_the_limit),
        cmocka_unit_test(too_many_layers_are_refused),
        cmocka_unit_test(bodies_have_one_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
