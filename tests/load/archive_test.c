#include "load/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/core/files.h"

static void archives_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/data/archive/good.tar",
                                        "tests/data/archive/good.zip"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_text file = read_file(files[i]);
        assert_true(flm_is_archive((struct flm_bytes){file.at, FLM_ARCHIVE_HEAD}));
        assert_false(flm_is_archive((struct flm_bytes){file.at, 3}));
        flm_text_clear(&file);
    }
    assert_false(flm_is_archive(flm_bytes_of("main;PK 1\n")));
}

static void files_come_with_their_paths_and_contents(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_archive *archive =
        flm_archive_open("tests/data/archive/good.zip", (struct flm_bytes){0}, &why);
    if (!archive)
        skip();
    const char *path;
    size_t count = 0;
    while (flm_archive_next(archive, &path, &why)) {
        char bytes[100];
        size_t size = 0;
        count++;
        assert_true(path[strlen(path) - 1] != '/'); /* no folders */
        if (strcmp(path, "x.folded") != 0)
            continue;
        assert_true(flm_archive_read(archive, bytes, sizeof bytes, &size));
        assert_true(flm_bytes_are((struct flm_bytes){bytes, size}, "main;a 1\nmain;b 2\n"));
        assert_true(flm_archive_read(archive, bytes, sizeof bytes, &size));
        assert_int_equal(size, 0);
    }
    assert_int_equal(why.kind, FLM_ERROR_NONE);
    assert_int_equal(count, 3);
    flm_archive_close(archive);
}

static void what_is_no_archive_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_archive_open(NULL, flm_bytes_of("no archive"), &why));
    assert_true(why.text[0]);
    assert_null(flm_archive_open("tests/data/archive/none", (struct flm_bytes){0}, &why));
}

static void what_is_encrypted_is_not_called_damaged(void **state)
{
    (void)state;
    struct flm_error why = {0};
    const char *name = NULL;
    struct flm_archive *archive =
        flm_archive_open("tests/data/archive/encrypted.zip", (struct flm_bytes){0}, &why);
    assert_non_null(archive);
    assert_false(flm_archive_next(archive, &name, &why));
    assert_string_equal(why.text, "e.folded is encrypted: unpack the archive first");
    flm_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_are_known_by_their_first_bytes),
        cmocka_unit_test(files_come_with_their_paths_and_contents),
        cmocka_unit_test(what_is_no_archive_is_refused),
        cmocka_unit_test(what_is_encrypted_is_not_called_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
