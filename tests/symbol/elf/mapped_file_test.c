#include "symbol/elf/mapped_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

static void the_numbers_of_a_line_of_maps_are_read(void **state)
{
    (void)state;
    struct flm_mapped_file file;
    assert_true(flm_mapped_file_parse(" fd:1a 131190    /usr/lib/libc.so.6\n", &file));
    assert_int_equal(file.major, 0xfd);
    assert_int_equal(file.minor, 0x1a);
    assert_int_equal(file.inode, 131190);
    assert_int_equal(file.generation, 0);
    assert_true(flm_mapped_file_parse("00:00 18446744073709551615", &file));
    assert_true(file.inode == UINT64_MAX);
    assert_false(flm_mapped_file_parse("fd:00", &file));
    assert_false(flm_mapped_file_parse("", &file));
}

static void generations_are_compared_where_both_are_known(void **state)
{
    (void)state;
    struct flm_mapped_file a = {.major = 1, .minor = 2, .inode = 3, .generation = 4}, b = a;
    assert_true(flm_mapped_file_equal(&a, &b));
    b.generation = 0;
    assert_true(flm_mapped_file_equal(&a, &b));
    b.generation = 5;
    assert_false(flm_mapped_file_equal(&a, &b));
    b = a;
    b.inode++;
    assert_false(flm_mapped_file_equal(&a, &b));
    b = a;
    b.minor++;
    assert_false(flm_mapped_file_equal(&a, &b));
}

/* What the kernel writes of our own mapping of it. */
static struct flm_mapped_file mapped_as(const struct flm_elf_file *elf)
{
    struct flm_mapped_file file = {0};
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    while (fgets(line, sizeof line, maps)) {
        int numbers = 0;
        sscanf(line, "%*s %*s %*s %n", &numbers);
        if (strtoull(line, NULL, 16) == (uintptr_t)elf->mapping)
            assert_true(flm_mapped_file_parse(line + numbers, &file));
    }
    fclose(maps);
    assert_true(file.inode > 0);
    return file;
}

static void a_file_is_the_one_that_is_mapped(void **state)
{
    (void)state;
    shell("cp /proc/self/exe one; cp one other");
    struct flm_elf_file *one = flm_elf_open(temporary_path("one"), NULL);
    struct flm_elf_file *other = flm_elf_open(temporary_path("other"), NULL);
    assert_true(one && other);
    struct flm_mapped_file mapped = mapped_as(one);
    assert_true(flm_mapped_file_is(&mapped, one, true));
    assert_false(flm_mapped_file_is(&mapped, other, true));
    assert_false(flm_mapped_file_is(&mapped, other, false));
    mapped.generation = one->identity.generation;
    assert_true(flm_mapped_file_is(&mapped, one, true));
    if (mapped.generation) { /* the inode has been used again since */
        mapped.generation++;
        assert_false(flm_mapped_file_is(&mapped, one, true));
        mapped.generation = 0;
    }
    mapped.major++; /* as after a reboot */
    assert_false(flm_mapped_file_is(&mapped, one, true));
    assert_true(flm_mapped_file_is(&mapped, one, false));
    flm_elf_free(one);
    flm_elf_free(other);
}

/* stat() has other numbers than the mapping on overlayfs and btrfs: the mapping's count. */
static void the_mapping_counts_where_stat_differs(void **state)
{
    (void)state;
    shell("cp /proc/self/exe one");
    struct flm_elf_file *one = flm_elf_open(temporary_path("one"), NULL);
    assert_non_null(one);
    struct flm_mapped_file mapped = mapped_as(one);
    one->identity.device += 7;
    one->identity.inode += 7;
    assert_true(flm_mapped_file_is(&mapped, one, true));
    mapped.inode++;
    assert_false(flm_mapped_file_is(&mapped, one, true));
    flm_elf_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_of_a_line_of_maps_are_read),
        cmocka_unit_test(generations_are_compared_where_both_are_known),
        cmocka_unit_test(a_file_is_the_one_that_is_mapped),
        cmocka_unit_test(the_mapping_counts_where_stat_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
