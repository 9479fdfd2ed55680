#include "symbol/elf/unpack.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static const struct flm_elf_file wide = {.is_wide = true};

enum { SIZE = 100000, ZSTD = 2 };

/* A packed section with that header, and the bytes that come out of it. */
static struct flm_bytes pack(uint32_t kind, uint64_t claimed, char *plain, char *packed)
{
    Elf64_Chdr header = {.ch_type = kind, .ch_size = claimed};
    size_t size = 0;
    for (size_t i = 0; i < SIZE; i++)
        plain[i] = (char)(i * i >> 7);
    if (kind == ELFCOMPRESS_ZLIB) {
        uLongf room = 2 * SIZE;
        assert_int_equal(compress((Bytef *)packed + sizeof header, &room, (Bytef *)plain, SIZE),
                         Z_OK);
        size = room;
    } else {
        size = ZSTD_compress(packed + sizeof header, 2 * SIZE, plain, SIZE, 3);
        assert_false(ZSTD_isError(size));
    }
    memcpy(packed, &header, sizeof header);
    return (struct flm_bytes){packed, size + sizeof header};
}

static void zlib_and_zstd_give_the_same_bytes(void **state)
{
    (void)state;
    static char plain[SIZE], packed[3 * SIZE];
    static const uint32_t kinds[] = {ELFCOMPRESS_ZLIB, ZSTD};
    for (size_t i = 0; i < 2; i++) {
        struct flm_bytes bytes = pack(kinds[i], SIZE, plain, packed);
        size_t size = 0;
        char *got = flm_elf_unpack(&wide, bytes, false, &size);
        assert_non_null(got);
        assert_int_equal(size, SIZE);
        assert_memory_equal(got, plain, SIZE);
        free(got);
        for (size_t cut = 0; cut < bytes.size; cut += 1 + cut / 3)
            assert_null(flm_elf_unpack(&wide, (struct flm_bytes){bytes.at, cut}, false, &size));
    }
}

static void a_wrong_decompressed_size_is_refused(void **state)
{
    (void)state;
    static char plain[SIZE], packed[3 * SIZE];
    static const uint64_t claimed[] = {0, 1, SIZE - 1, SIZE + 1, UINT64_C(1) << 40, UINT64_MAX};
    size_t size = 0;
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++) {
        assert_null(
            flm_elf_unpack(&wide, pack(ELFCOMPRESS_ZLIB, claimed[i], plain, packed), false, &size));
        assert_null(flm_elf_unpack(&wide, pack(ZSTD, claimed[i], plain, packed), false, &size));
    }
    struct flm_bytes unknown = pack(ELFCOMPRESS_ZLIB, SIZE, plain, packed);
    packed[0] = 77;
    assert_null(flm_elf_unpack(&wide, unknown, false, &size));
}

/* xz is checked by what `xz` makes. */
static void xz_gives_the_bytes(void **state)
{
    (void)state;
    if (!has_command("xz"))
        skip();
    shell("seq 1 20000 > numbers; xz -k -f numbers");
    struct flm_text plain = read_file(temporary_path("numbers"));
    struct flm_text packed = read_file(temporary_path("numbers.xz"));
    size_t size = 0;
    char *got = flm_xz_unpack((struct flm_bytes){packed.at, packed.size}, &size);
    assert_non_null(got);
    assert_int_equal(size, plain.size);
    assert_memory_equal(got, plain.at, size);
    free(got);
    assert_null(flm_xz_unpack((struct flm_bytes){packed.at, packed.size - 1}, &size));
    packed.at[packed.size / 2] ^= 1;
    assert_null(flm_xz_unpack((struct flm_bytes){packed.at, packed.size}, &size));
    assert_null(flm_xz_unpack((struct flm_bytes){"", 0}, &size));
    flm_text_clear(&plain);
    flm_text_clear(&packed);
}

static void without_memory_there_are_no_bytes(void **state)
{
    (void)state;
    static char plain[SIZE], packed[3 * SIZE];
    struct flm_bytes bytes = pack(ELFCOMPRESS_ZLIB, SIZE, plain, packed);
    size_t size = 0;
    allocation_fail_from(1);
    char *got = flm_elf_unpack(&wide, bytes, false, &size);
    allocation_fail_from(0);
    assert_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zlib_and_zstd_give_the_same_bytes),
        cmocka_unit_test(a_wrong_decompressed_size_is_refused),
        cmocka_unit_test(xz_gives_the_bytes),
        cmocka_unit_test(without_memory_there_are_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
