#include "symbol/registry/table_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static struct flm_build_id id_of(const char *digits)
{
    struct flm_build_id id = {0};
    assert_true(flm_build_id_parse(flm_bytes_of(digits), &id));
    return id;
}

static const struct flm_bytes content = {"a table, of which some bytes are zero \0\0\0", 41};

static char *dir_of(const char *name)
{
    return strdup(temporary_path(name));
}

static void assert_kept(const char *dir, const struct flm_build_id *id, const char *kind)
{
    struct flm_cached cached = flm_cache_open(dir, id, kind);
    assert_non_null(cached.bytes.at);
    assert_true(flm_bytes_equal(cached.bytes, content));
    assert_int_equal((uintptr_t)cached.bytes.at % 64, 0);
    flm_cache_release_pages(&cached);
    assert_true(flm_bytes_equal(cached.bytes, content));
    flm_cache_close(&cached);
    assert_null(cached.bytes.at);
    flm_cache_release_pages(&cached); /* nothing is there that could rest */
}

static void assert_not_there(const char *dir, const struct flm_build_id *id, const char *kind)
{
    struct flm_cached cached = flm_cache_open(dir, id, kind);
    assert_null(cached.bytes.at);
    flm_cache_close(&cached);
}

static void stored_tables_are_found_by_build_id_and_kind(void **state)
{
    (void)state;
    char *dir = dir_of("deep/down/cache");
    struct flm_build_id id = id_of("abcdef0123"), other = id_of("abcdef0124"), none = {0};
    assert_not_there(dir, &id, "code");
    assert_true(flm_cache_store(dir, &id, "code", content));
    assert_kept(dir, &id, "code");
    assert_not_there(dir, &id, "unwind");
    assert_not_there(dir, &other, "code");
    assert_false(flm_cache_store(dir, &none, "code", content));
    assert_not_there(dir, &none, "code");
    assert_false(flm_cache_store(NULL, &id, "code", content));
    assert_not_there(NULL, &id, "code");
    assert_false(flm_cache_store("/proc/nowhere", &id, "code", content));

    struct stat status;
    assert_int_equal(stat(dir, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(stat(temporary_path("deep/down/cache/ab/cdef0123.code"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    shell("test $(ls deep/down/cache/ab | wc -l) = 1"); /* nothing is left of writing */
    free(dir);
}

static void a_file_with_the_same_name_but_other_contents_is_refused(void **state)
{
    (void)state;
    char *dir = dir_of("renamed");
    struct flm_build_id id = id_of("abcdef0123"), other = id_of("abffff0124");
    assert_true(flm_cache_store(dir, &id, "code", content));
    shell("cd renamed/ab && cp cdef0123.code ffff0124.code && cp cdef0123.code cdef0123.unwind");
    assert_not_there(dir, &other, "code");
    assert_not_there(dir, &id, "unwind");
    free(dir);
}

static void files_that_others_can_write_are_not_used(void **state)
{
    (void)state;
    char *dir = dir_of("others");
    struct flm_build_id id = id_of("abcdef0123");
    assert_true(flm_cache_store(dir, &id, "code", content));
    shell("chmod 666 others/ab/cdef0123.code");
    assert_not_there(dir, &id, "code");
    shell(
        "chmod 600 others/ab/cdef0123.code; mv others/ab/cdef0123.code others/ab/real; ln -s real "
        "others/ab/cdef0123.code");
    assert_not_there(dir, &id, "code");
    shell("rm others/ab/cdef0123.code; mkfifo others/ab/cdef0123.code"); /* nor waited for */
    assert_not_there(dir, &id, "code");
    free(dir);
}

static void a_damaged_file_is_not_taken(void **state)
{
    (void)state;
    char *dir = dir_of("damaged");
    struct flm_build_id id = id_of("abcdef0123");
    assert_true(flm_cache_store(dir, &id, "code", content));
    char *path = strdup(temporary_path("damaged/ab/cdef0123.code"));
    struct flm_text good = read_file(path);
    struct stat status;
    for (size_t i = 0; i < good.size; i++) { /* every byte, and every prefix */
        FILE *file = fopen(path, "wb");
        assert_int_equal(fwrite(good.at, 1, i, file), i);
        fclose(file);
        assert_not_there(dir, &id, "code");
        file = fopen(path, "wb");
        good.at[i] ^= 16;
        assert_int_equal(fwrite(good.at, 1, good.size, file), good.size);
        good.at[i] ^= 16;
        fclose(file);
        assert_not_there(dir, &id, "code");
    }
    assert_int_equal(stat(path, &status), 0);
    assert_true(flm_cache_store(dir, &id, "code", content)); /* and replaced */
    assert_kept(dir, &id, "code");
    flm_text_clear(&good);
    free(path);
    free(dir);
}

static void memory_that_runs_out_costs_only_the_cache(void **state)
{
    (void)state;
    char *dir = dir_of("memory");
    struct flm_build_id id = id_of("abcdef0123");
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        bool stored = flm_cache_store(dir, &id, "code", content);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(stored || failed);
        if (stored)
            assert_kept(dir, &id, "code");
        allocation_fail_from(nth);
        struct flm_cached cached = flm_cache_open(dir, &id, "code");
        bool failed_too = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(cached.bytes.at || failed_too);
        flm_cache_close(&cached);
        shell("rm -rf memory");
        if (!failed && !failed_too)
            break;
        flm_cache_store(dir, &id, "code", content);
    }
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_tables_are_found_by_build_id_and_kind),
        cmocka_unit_test(a_file_with_the_same_name_but_other_contents_is_refused),
        cmocka_unit_test(files_that_others_can_write_are_not_used),
        cmocka_unit_test(a_damaged_file_is_not_taken),
        cmocka_unit_test(memory_that_runs_out_costs_only_the_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
