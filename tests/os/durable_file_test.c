#include "os/durable_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"

static void a_file_is_there_when_it_is_whole(void **state)
{
    (void)state;
    char path[200], temporary[210];
    snprintf(path, sizeof path, "%s", write_temporary("durable", flm_bytes_of("what was there")));
    snprintf(temporary, sizeof temporary, "%s.new", path);
    struct flm_durable_file file;
    assert_true(flm_durable_open(&file, path, NULL));
    assert_true(flm_durable_write(&file, "....and more", 12, NULL));
    assert_true(flm_durable_write_at(&file, 0, "HEAD", 4, NULL));
    struct flm_text before = read_file(path);
    assert_memory_equal(before.at, "what was there", 14);
    assert_int_equal(access(temporary, F_OK), 0);
    assert_true(flm_durable_close(&file, true, NULL));
    struct flm_text after = read_file(path);
    assert_int_equal(after.size, 12);
    assert_memory_equal(after.at, "HEADand more", 12);
    assert_int_not_equal(access(temporary, F_OK), 0);
    flm_text_clear(&before);
    flm_text_clear(&after);
}

static void what_is_not_whole_leaves_what_was_there(void **state)
{
    (void)state;
    char path[200], temporary[210];
    snprintf(path, sizeof path, "%s", write_temporary("kept", flm_bytes_of("what was there")));
    snprintf(temporary, sizeof temporary, "%s.new", path);
    struct flm_durable_file file;
    struct flm_error why = {0};
    assert_true(flm_durable_open(&file, path, NULL));
    assert_true(flm_durable_write(&file, "half", 4, NULL));
    assert_false(flm_durable_close(&file, false, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE); /* the reason is the caller's */
    assert_int_not_equal(access(temporary, F_OK), 0);
    struct flm_text after = read_file(path);
    assert_memory_equal(after.at, "what was there", 14);
    flm_text_clear(&after);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct flm_durable_file file;
    struct flm_error why = {0};
    assert_false(flm_durable_open(&file, "/no/such/folder/file", &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "/no/such/folder/file.new: No such file"));
}

static bool write_one(void *context, struct flm_error *why)
{
    struct flm_durable_file file;
    return flm_durable_open(&file, context, why) &&
           flm_durable_close(&file, flm_durable_write(&file, "x", 1, why), why);
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s", temporary_path("failing"));
    assert_true(assert_survives_failures(write_one, path) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_there_when_it_is_whole),
        cmocka_unit_test(what_is_not_whole_leaves_what_was_there),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
