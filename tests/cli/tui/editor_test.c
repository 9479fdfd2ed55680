/* The editor that the viewer in the terminal starts, at the line of a function. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/tui/tui.h"
#include "flamel/builder.h"
#include "flamel/file.h"
#include "support/core/files.h"
#include "support/record/tui.h"

/* A profile with one function, in line 7 of that file. */
static const char *write_profile_of(const char *file)
{
    static char path[600];
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_frame_record record = {.line = 7};
    record.function = flm_builder_string(b, "main", 4).index;
    record.module = record.file = flm_builder_string(b, "", 0).index;
    record.file = flm_builder_string(b, file, strlen(file)).index;
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    metric, 100);
    struct flm_profile *profile = flm_builder_finish(b, &why);
    snprintf(path, sizeof path, "%s", temporary_path("source.flm"));
    if (!profile || !flm_save(profile, path, NULL, &why))
        fail_msg("%s", why.text);
    flm_profile_free(profile);
    return path;
}

/* A folder to work in, with the file `name`, and an editor that notes its arguments, one a line. */
static void enter_folder_with(const char *name, char *folder, size_t room)
{
    snprintf(folder, room, "%s", temporary_path("sources"));
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        fail_msg("%s cannot be made", folder);
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("an editor", "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod("an editor", 0755), 0);
    file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    (void)remove("arguments");
    (void)remove("ran");
}

static void select_and_edit(struct session *session, const char *file)
{
    session_start(session, 80, 24, tui_program, (void *)(uintptr_t)write_profile_of(file));
    session_await(session, "all, 100");
    session_click(session, 0, 20, tui_row(session, "main"));
    session_settle(session);
    session_type(session, "E");
}

static void assert_arguments(const char *expected)
{
    struct flm_text text = read_file("arguments");
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void a_file_is_never_an_option_of_the_editor(void **state)
{
    (void)state;
    static const char *const names[] = {
        "-c!touch ran", "+!touch ran",      "--cmd=!touch ran",
        "$(touch ran)", "`touch ran`",      "a;touch ran",
        "a'b\"c",       "\"$(touch ran)\"", "-",
        "a b *",        "x\ntouch ran\n",   "main.c",
    };
    char before[4096], folder[600], expected[800];
    assert_non_null(getcwd(before, sizeof before));
    setenv("EDITOR", "false", 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enter_folder_with(names[i], folder, sizeof folder);
        setenv("VISUAL", "'./an editor' --option \"two words\"", 1);
        struct session session = {0};
        select_and_edit(&session, names[i]);
        session_settle(&session);
        tui_quit(&session);
        snprintf(expected, sizeof expected, "--option\ntwo words\n+7\n./%s\n", names[i]);
        assert_arguments(expected);
        assert_int_equal(access("ran", F_OK), -1);
        assert_int_equal(remove(names[i]), 0);
        assert_int_equal(chdir(before), 0);
    }
}

static void what_is_no_file_is_not_edited(void **state)
{
    (void)state;
    char before[4096], folder[600];
    assert_non_null(getcwd(before, sizeof before));
    enter_folder_with("main.c", folder, sizeof folder);
    setenv("VISUAL", "'./an editor'", 1);
    (void)remove("pipe");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    static const char *const names[] = {"pipe", "/dev/zero", ".", "missing.c"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct session session = {0};
        select_and_edit(&session, names[i]);
        session_await(&session, "there is no file");
        assert_int_equal(access("arguments", F_OK), -1);
        tui_quit(&session);
    }
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_never_an_option_of_the_editor),
        cmocka_unit_test(what_is_no_file_is_not_edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
