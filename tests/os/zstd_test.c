#include "os/zstd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

static void what_was_compressed_comes_back(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t size = 0; size < 3000000; size = size * 5 + 1) {
        struct flm_text out = {0};
        struct flm_zstd zstd;
        char *bytes = malloc(size + 1), *back = malloc(size + 1);
        assert_true(bytes && back && flm_zstd_open(&zstd, &out, NULL));
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(i % 2 ? random_next(&random) : 7);
        for (size_t at = 0; at < size; at += 1000)
            flm_text_add(&zstd.text,
                         (struct flm_bytes){bytes + at, size - at < 1000 ? size - at : 1000});
        assert_true(flm_zstd_close(&zstd, NULL));
        assert_int_equal(ZSTD_decompress(back, size + 1, out.at, out.size), size);
        assert_true(size == 0 || memcmp(back, bytes, size) == 0);
        flm_text_clear(&out);
        free(bytes);
        free(back);
    }
}

/* Bytes of two kinds, which have a table each where it is known where the second begins. */
static size_t size_with(bool cut, const unsigned char *bytes, size_t size)
{
    struct flm_text out = {0};
    struct flm_zstd zstd;
    char *back = malloc(size);
    assert_true(back && flm_zstd_open(&zstd, &out, NULL));
    flm_text_add(&zstd.text, (struct flm_bytes){(const char *)bytes, size / 2});
    for (int i = 0; i < 3 && cut; i++)
        flm_text_cut(&zstd.text); /* the second and third are of nothing */
    flm_text_add(&zstd.text, (struct flm_bytes){(const char *)bytes + size / 2, size - size / 2});
    assert_true(flm_zstd_close(&zstd, NULL));
    assert_int_equal(ZSTD_decompress(back, size, out.at, out.size), size);
    assert_memory_equal(back, bytes, size);
    size_t compressed = out.size;
    flm_text_clear(&out);
    free(back);
    return compressed;
}

static void what_is_cut_comes_back_and_is_smaller(void **state)
{
    (void)state;
    enum { SIZE = 20000 };
    unsigned char *bytes = malloc(SIZE);
    uint64_t random = 3;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = i < SIZE / 2 ? (unsigned char)(random_next(&random) & 15)
                                : (unsigned char)(64 + (random_next(&random) & 127));
    assert_true(size_with(true, bytes, SIZE) * 100 < size_with(false, bytes, SIZE) * 98);
    free(bytes);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return false;
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct flm_text out;
    struct flm_zstd zstd;
    struct flm_error why = {0};
    flm_text_init(&out, refuse, NULL);
    assert_true(flm_zstd_open(&zstd, &out, &why));
    uint64_t random = 7;
    for (size_t i = 0; i < 3000000; i++)
        flm_text_putc(&zstd.text, (char)random_next(&random));
    assert_false(flm_zstd_close(&zstd, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_text_clear(&out);
}

/* The compressor would begin anew, and end well, without what it was given before. */
static void what_was_not_compressed_is_told(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_zstd zstd;
    struct flm_error why = {0};
    assert_true(flm_zstd_open(&zstd, &out, &why));
    zstd.damaged = true; /* as when libzstd had no memory for a section */
    assert_false(flm_zstd_close(&zstd, &why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    flm_text_clear(&out);
}

static bool compress(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    struct flm_zstd zstd;
    (void)context;
    if (!flm_zstd_open(&zstd, &out, why))
        return false;
    flm_text_puts(&zstd.text, "a profile, a profile, a profile");
    bool good = flm_zstd_close(&zstd, why);
    if (!good && why->kind == FLM_ERROR_SYSTEM)
        flm_error_memory(why); /* `out` is what failed, and why it did */
    flm_text_clear(&out);
    return good;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(compress, NULL) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_compressed_comes_back),
        cmocka_unit_test(what_is_cut_comes_back_and_is_smaller),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(what_was_not_compressed_is_told),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
