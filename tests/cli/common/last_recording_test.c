#include "cli/common/last_recording.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"

/* An empty folder of its own. */
static const char *folder_of(const char *name)
{
    static char folder[300];
    char command[700];
    snprintf(folder, sizeof folder, "%s", temporary_path(name));
    snprintf(command, sizeof command, "rm -rf '%s'; mkdir '%s'", folder, folder);
    assert_int_equal(system(command), 0);
    return folder;
}

static void add(const char *folder, const char *name, const char *text, time_t modified)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    const struct timespec times[2] = {{.tv_sec = modified}, {.tv_sec = modified}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void assert_last(const char *folder, const char *name)
{
    struct flm_text path = {0};
    struct flm_error why;
    bool found = flm_last_recording(folder, &path, &why);
    if (!name) {
        assert_false(found);
        assert_non_null(strstr(why.text, "there is no recording in this folder"));
    } else if (!found || strcmp(path.at + strlen(folder) + 1, name) != 0) {
        fail_msg("%s, not %s", found ? path.at : why.text, name);
    }
    flm_text_clear(&path);
}

static void the_newest_recording_is_taken(void **state)
{
    (void)state;
    const char *folder = folder_of("last-newest");
    assert_last(folder, NULL);
    add(folder, "old.flm", "x", 1000);
    assert_last(folder, "old.flm");
    add(folder, "flamel.flm", "x", 2000);
    assert_last(folder, "flamel.flm");
    add(folder, "perf.data", "x", 3000);
    assert_last(folder, "perf.data");
    add(folder, "other.flm", "x", 4000);
    assert_last(folder, "other.flm");
}

static void what_is_no_recording_is_passed_over(void **state)
{
    (void)state;
    char path[400];
    const char *folder = folder_of("last-others");
    add(folder, "empty.flm", "", 9000);
    add(folder, "flamel.flm.old", "x", 9000);
    add(folder, "flamel.flm.part", "x", 9000);
    add(folder, "app.folded", "x", 9000);
    add(folder, "perf.data.old", "x", 9000);
    add(folder, ".hidden.flm", "x", 9000);
    snprintf(path, sizeof path, "%s/folder.flm", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/dangling.flm", folder);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_last(folder, NULL);
    add(folder, "a.flm", "x", 1);
    assert_last(folder, "a.flm");
}

static void files_of_one_moment_have_an_order(void **state)
{
    (void)state;
    const char *folder = folder_of("last-moment");
    add(folder, "b.flm", "x", 5000);
    add(folder, "a.flm", "x", 5000);
    add(folder, "c.flm", "x", 5000);
    assert_last(folder, "a.flm");
    add(folder, "perf.data", "x", 5000);
    assert_last(folder, "perf.data");
    add(folder, "flamel.flm", "x", 5000);
    assert_last(folder, "flamel.flm");
}

static void a_folder_that_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    struct flm_text path = {0};
    struct flm_error why;
    assert_false(flm_last_recording("no/such/folder", &path, &why));
    assert_non_null(strstr(why.text, "No such file"));
    flm_text_clear(&path);
}

static bool find(void *context, struct flm_error *why)
{
    struct flm_text path = {0};
    bool found = flm_last_recording(context, &path, why);
    flm_text_clear(&path);
    return found;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    char *folder = strdup(folder_of("last-memory"));
    add(folder, "a.flm", "x", 5000);
    add(folder, "b.flm", "x", 6000);
    assert_true(assert_survives_failures(find, folder) > 1);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_recording_is_taken),
        cmocka_unit_test(what_is_no_recording_is_passed_over),
        cmocka_unit_test(files_of_one_moment_have_an_order),
        cmocka_unit_test(a_folder_that_cannot_be_read_is_an_error),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
