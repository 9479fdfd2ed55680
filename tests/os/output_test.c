#include "os/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"

static void assert_content(const char *path, const char *expected)
{
    struct flm_text text = read_file(path);
    if (!flm_bytes_are((struct flm_bytes){text.at, text.size}, expected))
        fail_msg("%s has '%.*s'", path, (int)text.size, text.at);
    flm_text_clear(&text);
}

static size_t count_files(const char *path)
{
    char folder[300];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    size_t count = 0;
    char command[400];
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%zu", &count), 1);
    pclose(pipe);
    return count;
}

static bool write_text(const char *path, const char *content, bool good, struct flm_error *why)
{
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    flm_text_puts(&output.text, content);
    return flm_output_close(&output, good, why);
}

static void a_file_appears_when_it_is_whole(void **state)
{
    (void)state;
    const char *path = temporary_path("new");
    struct flm_output output;
    assert_true(flm_output_open(&output, path, NULL));
    flm_text_repeat(&output.text, 'x', 100000);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(flm_output_close(&output, true, NULL));
    struct flm_text text = read_file(path);
    assert_int_equal(text.size, 100000);
    flm_text_clear(&text);
    assert_int_equal(count_files(path), 1);
    unlink(path);
}

static void a_file_is_replaced_when_it_is_whole(void **state)
{
    (void)state;
    const char *path = write_temporary("old", flm_bytes_of("old"));
    struct flm_output output;
    assert_true(flm_output_open(&output, path, NULL));
    flm_text_puts(&output.text, "new");
    assert_true(flm_text_flush(&output.text));
    assert_content(path, "old");
    assert_true(flm_output_close(&output, true, NULL));
    assert_content(path, "new");
    unlink(path);
}

static void what_is_not_whole_leaves_the_old_file(void **state)
{
    (void)state;
    struct flm_error why = {0};
    const char *path = write_temporary("old", flm_bytes_of("old"));
    assert_false(write_text(path, "half", false, &why));
    assert_int_equal(why.kind, FLM_ERROR_NONE); /* the writer has said why */
    assert_content(path, "old");
    assert_int_equal(count_files(path), 1);
    unlink(path);
    assert_false(write_text(path, "half", false, &why));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(count_files(path), 0);
}

static void a_file_keeps_its_permissions(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0644, 0755, 0666};
    for (size_t i = 0; i < 4; i++) {
        const char *path = write_temporary("mode", flm_bytes_of("old"));
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_true(write_text(path, "new", true, NULL));
        struct stat now;
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_mode & 0777, modes[i]);
        unlink(path);
    }
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    const char *path = write_temporary("target", flm_bytes_of("old")),
               *link = temporary_path("link");
    assert_int_equal(symlink("target", link), 0);
    assert_true(write_text(link, "new", true, NULL));
    struct stat now;
    assert_int_equal(lstat(link, &now), 0);
    assert_true(S_ISLNK(now.st_mode));
    assert_content(path, "new");
    assert_content(link, "new");
    unlink(link);
    unlink(path);
}

static void refuse(const char *path, const char *words)
{
    struct flm_error why = {0};
    assert_false(write_text(path, "x", true, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    if (!strstr(why.text, words))
        fail_msg("it says '%s'", why.text);
    assert_false(write_text(path, "x", true, NULL));
}

static void what_cannot_be_written_says_why(void **state)
{
    (void)state;
    refuse("/absent/folder/x", "/absent/folder/x: cannot be written: No such file");
    refuse("/", "/: cannot be written: Is a directory");
    refuse("/dev/full", "/dev/full: cannot be written: No space left on device");
}

/* A writer whose sink fails may say only that it failed. */
static void a_full_disk_is_told_even_if_the_writer_gives_up(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_output output;
    assert_true(flm_output_open(&output, "/dev/full", &why));
    flm_text_repeat(&output.text, 'x', 100000);
    assert_false(flm_text_flush(&output.text));
    assert_false(flm_output_close(&output, false, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    assert_non_null(strstr(why.text, "No space left on device"));
}

static void devices_are_written_in_place(void **state)
{
    (void)state;
    assert_true(write_text("/dev/null", "x", true, NULL));
    struct stat now;
    assert_int_equal(stat("/dev/null", &now), 0);
    assert_true(S_ISCHR(now.st_mode));
}

static void a_minus_is_standard_output(void **state)
{
    (void)state;
    const char *path = temporary_path("stdout");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(STDOUT_FILENO);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    bool good = write_text("-", "to the terminal\n", true, NULL);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(file);
    assert_true(good);
    assert_content(path, "to the terminal\n");
    assert_int_not_equal(access("-", F_OK), 0);
    unlink(path);
}

static void a_text_that_ran_out_of_memory_is_not_whole(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_output output;
    const char *path = write_temporary("old", flm_bytes_of("old"));
    assert_true(flm_output_open(&output, path, &why));
    allocation_fail_from(1);
    flm_text_puts(&output.text, "new");
    allocation_fail_from(0);
    assert_false(flm_output_close(&output, true, &why));
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_content(path, "old");
    assert_int_equal(count_files(path), 1);
    unlink(path);
}

/* Until it is complete the file has the name that is said beforehand, also behind a link. */
static void the_temporary_name_is_known(void **state)
{
    (void)state;
    char link[700];
    const char *path = write_temporary("target", flm_bytes_of("old"));
    snprintf(link, sizeof link, "%s.link", path);
    (void)unlink(link);
    assert_int_equal(symlink(path, link), 0);
    const char *const paths[] = {path, link, "flamel-new-output"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_output output;
        struct flm_text name = {0};
        struct flm_error why;
        assert_true(flm_output_temporary_name(paths[i], &name));
        assert_int_not_equal(access(name.at, F_OK), 0);
        assert_true(flm_output_open(&output, paths[i], &why));
        assert_int_equal(access(name.at, F_OK), 0);
        flm_output_close(&output, false, &why);
        assert_int_not_equal(access(name.at, F_OK), 0);
        flm_text_clear(&name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_when_it_is_whole),
        cmocka_unit_test(a_file_is_replaced_when_it_is_whole),
        cmocka_unit_test(what_is_not_whole_leaves_the_old_file),
        cmocka_unit_test(a_file_keeps_its_permissions),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(what_cannot_be_written_says_why),
        cmocka_unit_test(a_full_disk_is_told_even_if_the_writer_gives_up),
        cmocka_unit_test(devices_are_written_in_place),
        cmocka_unit_test(a_minus_is_standard_output),
        cmocka_unit_test(a_text_that_ran_out_of_memory_is_not_whole),
        cmocka_unit_test(the_temporary_name_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
