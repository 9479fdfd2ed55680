/* What one library says must be what the other says, and only that. */
#include "os/whole_gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/library.h"
#include "serve/http/body.h"
#include "support/core/random.h"

static bool is_installed(void)
{
    static const char *const files[] = {"libdeflate.so.0", NULL}, *const names[] = {NULL};
    char none;
    return flm_library_open(files, names, &none, NULL);
}

static struct flm_text packed_of(struct flm_bytes plain)
{
    struct flm_text packed = {0};
    char file[] = "/tmp/flamel-gzip-XXXXXX", command[100];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    FILE *out = fdopen(descriptor, "wb");
    assert_int_equal(fwrite(plain.at, 1, plain.size, out), plain.size);
    fclose(out);
    snprintf(command, sizeof command, "gzip -nc %s", file);
    FILE *in = popen(command, "r");
    char block[4096];
    for (size_t size; (size = fread(block, 1, sizeof block, in)) > 0;)
        flm_text_add(&packed, (struct flm_bytes){block, size});
    assert_int_equal(pclose(in), 0);
    remove(file);
    return packed;
}

static struct flm_text some_text(uint64_t *random, size_t size)
{
    struct flm_text text = {0};
    while (text.size < size)
        flm_text_format(&text, "main;f%u %u\n", random_below(random, 9), random_below(random, 99));
    return text;
}

static void content_is_that_of_zlib(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (size_t size = 1; size < 200000; size = 3 * size + 7) {
        struct flm_text plain = some_text(&random, size),
                        packed = packed_of((struct flm_bytes){plain.at, plain.size}), got = {0};
        struct flm_bytes bytes = {packed.at, packed.size};
        flm_text_puts(&got, "x");
        assert_int_equal(flm_whole_gzip_size(bytes), plain.size);
        assert_int_equal(flm_whole_gzip_add(bytes, plain.size, &got), is_installed());
        if (is_installed()) {
            assert_int_equal(got.size, plain.size + 1);
            assert_memory_equal(got.at + 1, plain.at, plain.size);
        }
        flm_text_clear(&plain);
        flm_text_clear(&packed);
        flm_text_clear(&got);
    }
}

/* Whoever is refused asks zlib, which knows why, and reads several members. */
static void what_is_not_one_whole_member_is_left_to_others(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct flm_text plain = some_text(&random, 5000),
                    packed = packed_of((struct flm_bytes){plain.at, plain.size}), got = {0};
    struct flm_bytes bytes = {packed.at, packed.size};
    for (size_t size = 0; size < packed.size; size += 1 + size / 9) {
        struct flm_bytes cut = {packed.at, size};
        assert_false(flm_whole_gzip_add(cut, flm_whole_gzip_size(cut), &got));
    }
    assert_false(flm_whole_gzip_add(bytes, plain.size - 1, &got));
    assert_false(flm_whole_gzip_add(bytes, plain.size + 1, &got));
    for (size_t at = 10; at < packed.size; at += 1 + at / 20) {
        packed.at[at] ^= 4;
        assert_false(flm_whole_gzip_add(bytes, flm_whole_gzip_size(bytes), &got));
        packed.at[at] ^= 4;
    }
    struct flm_text twice = {0};
    flm_text_add(&twice, bytes);
    flm_text_add(&twice, bytes);
    struct flm_bytes both = {twice.at, twice.size};
    assert_false(flm_whole_gzip_add(both, flm_whole_gzip_size(both), &got));
    assert_int_equal(got.size, 0);
    struct flm_body body = {.budget = NULL};
    assert_true(flm_body_read(&body, both, 1 << 20, NULL));
    assert_int_equal(body.plain.size, 2 * plain.size);
    flm_body_clear(&body);
    /* A size that no such file has. */
    memset(twice.at + twice.size - 4, 0xFF, 4);
    assert_int_equal(flm_whole_gzip_size(both), 0);
    flm_text_clear(&plain);
    flm_text_clear(&packed);
    flm_text_clear(&twice);
    flm_text_clear(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_is_that_of_zlib),
        cmocka_unit_test(what_is_not_one_whole_member_is_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
