#include "base/core/large_block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/core/bytes.h"

/* Whether the mapping of this address is to have large pages ("hg"), by /proc/self/smaps. */
static bool is_advised(const void *address)
{
    char line[4096];
    bool is_inside = false, found = false;
    FILE *file = fopen("/proc/self/smaps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long long start, end;
        if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
            is_inside = (uintptr_t)address >= start && (uintptr_t)address < end;
        if (is_inside && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " hg") != NULL;
    }
    fclose(file);
    return found;
}

static bool has_large_pages(void)
{
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file)
        fclose(file);
    return file != NULL;
}

static void all_pages_of_a_large_block_are_advised(void **state)
{
    (void)state;
    if (!has_large_pages())
        skip(); /* a kernel without them refuses the advice */
    char *block = flm_large_block(malloc(FLM_LARGE_BLOCK), FLM_LARGE_BLOCK);
    assert_non_null(block);
    assert_true(is_advised(block) && is_advised(block + FLM_LARGE_BLOCK - 1));
    free(block);
}

static void a_block_that_is_not_large_stays_as_it_is(void **state)
{
    char *block = flm_large_block(malloc(FLM_LARGE_BLOCK / 2), FLM_LARGE_BLOCK / 2);
    (void)state;
    assert_non_null(block);
    assert_false(is_advised(block + FLM_LARGE_BLOCK / 4));
    assert_null(flm_large_block(NULL, FLM_LARGE_BLOCK));
    free(block);
}

static void an_array_that_becomes_large_keeps_its_items(void **state)
{
    void *items = NULL;
    size_t capacity = 0, count = 3 * (size_t)FLM_LARGE_BLOCK / sizeof(uint32_t);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(flm_grow(&items, &capacity, i + 1, sizeof(uint32_t)));
        ((uint32_t *)items)[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(((uint32_t *)items)[i], i);
    assert_true(!has_large_pages() || is_advised(items));
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pages_of_a_large_block_are_advised),
        cmocka_unit_test(a_block_that_is_not_large_stays_as_it_is),
        cmocka_unit_test(an_array_that_becomes_large_keeps_its_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
