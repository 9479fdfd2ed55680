/* Two commands recorded alternately. Where recording is not allowed, the tests are skipped. */
#include "cli/gate/ab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "flamel/file.h"
#include "gate/runs/normalize.h"
#include "gate/runs/strata.h"
#include "os/thread/processors.h"
#include "support/core/files.h"

static const char busy[] = "i=0\nwhile [ $i -lt 5000 ]; do i=$((i+1)); done\n";

static const struct flm_record_options recorder = {.frequency_hz = 4999};

/* A script that computes a little, and then does what else is asked of it. */
static const char *script(const char *name, const char *rest)
{
    char text[1000];
    snprintf(text, sizeof text, "#!/bin/sh\n%s%s", busy, rest);
    const char *path = write_temporary(name, flm_bytes_of(text));
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static const char *busy_command(void)
{
    static char path[300];
    snprintf(path, sizeof path, "%s", script("ab-busy", ""));
    return path;
}

static struct flm_ab_options options_of(const char *base, const char *new, const char *folder)
{
    return (struct flm_ab_options){
        .base = base, .new = new, .folder = folder, .recorder = &recorder, .quiet = true};
}

/* Skips the test where nothing may be recorded. */
static void record_or_skip(struct flm_ab *ab, uint32_t count_each)
{
    struct flm_error why;
    if (flm_ab_record(ab, count_each, &why))
        return;
    bool may_not = strstr(why.text, "perf_event") != NULL;
    if (!may_not)
        fail_msg("%s", why.text);
    print_message("not recorded: %s\n", why.text);
    flm_ab_clear(ab);
    skip();
}

static void assert_note(const struct flm_profile *p, const char *key, const char *value)
{
    struct flm_bytes found = flm_profile_note(p, key);
    if (!flm_bytes_are(found, value))
        fail_msg("%s is '%.*s', not '%s'", key, (int)found.size, found.at, value);
}

static void runs_come_in_blocks_and_know_their_places(void **state)
{
    (void)state;
    static const bool is_new[] = {false, true, true, false, false, true};
    static const uint32_t blocks[] = {0, 0, 0, 0, 1, 1};
    char base[300], new[300], folder[300];
    struct flm_ab ab;
    struct flm_error why;
    snprintf(base, sizeof base, "%s", script("ab-old", ""));
    snprintf(new, sizeof new, "%s", script("ab-new", ""));
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-runs"));
    struct flm_ab_options options = options_of(base, new, folder);
    options.warm_up = 1;
    if (!flm_ab_open(&ab, &options, &why))
        fail_msg("%s", why.text);
    record_or_skip(&ab, 3);
    assert_int_equal(ab.runs.count, 6);
    for (uint32_t i = 0; i < ab.runs.count; i++) {
        char name[400], number[16];
        struct flm_profile *p = flm_load(ab.runs.at[i].path, NULL, &why);
        if (!p)
            fail_msg("%s", why.text);
        snprintf(name, sizeof name, "%s/%04u-%s.flm", folder, i + 1, is_new[i] ? "new" : "base");
        assert_string_equal(ab.runs.at[i].path, name);
        assert_true(ab.runs.at[i].is_new == is_new[i]);
        assert_int_equal(ab.runs.at[i].block, blocks[i]);
        assert_note(p, FLM_NOTE_GATE_GROUP, is_new[i] ? "new" : "base");
        snprintf(number, sizeof number, "%u", blocks[i] + 1);
        assert_note(p, FLM_NOTE_GATE_BLOCK, number);
        snprintf(number, sizeof number, "%u", i + 1);
        assert_note(p, FLM_NOTE_GATE_RUN, number);
        assert_note(p, FLM_NOTE_GATE_SESSION, ab.session);
        assert_note(p, FLM_NOTE_GATE_COMMAND, is_new[i] ? "ab-new" : "ab-old");
        flm_profile_free(p);
    }
    char warm_up[400];
    snprintf(warm_up, sizeof warm_up, "%s/warm-up.flm", folder);
    assert_int_not_equal(access(warm_up, F_OK), 0);
    /* More of them, as a second look has them: they go on where the first ended. */
    record_or_skip(&ab, 1);
    assert_int_equal(ab.runs.count, 8);
    assert_int_equal(ab.runs.at[7].block, 2);
    flm_ab_clear(&ab);
}

static void commands_of_one_name_have_no_note_of_it(void **state)
{
    (void)state;
    char command[300];
    struct flm_ab ab;
    struct flm_error why;
    snprintf(command, sizeof command, "A=1 %s", script("ab-same", ""));
    struct flm_ab_options options = options_of(command, command + 4, temporary_path("ab-one"));
    char folder[300];
    snprintf(folder, sizeof folder, "%s", options.folder);
    options.folder = folder;
    assert_true(flm_ab_open(&ab, &options, &why));
    record_or_skip(&ab, 1);
    struct flm_profile *p = flm_load(ab.runs.at[0].path, NULL, &why);
    assert_non_null(p);
    assert_null(flm_profile_note(p, FLM_NOTE_GATE_COMMAND).at);
    flm_profile_free(p);
    flm_ab_clear(&ab);
}

static void a_command_reads_nothing_and_prints_to_the_log(void **state)
{
    (void)state;
    char command[300], folder[300], log[400];
    struct flm_ab ab;
    struct flm_error why;
    snprintf(command, sizeof command, "%s",
             script("ab-loud", "echo printed; echo complained >&2; read line && exit 1; true\n"));
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-loud-runs"));
    struct flm_ab_options options = options_of(command, command, folder);
    assert_true(flm_ab_open(&ab, &options, &why));
    record_or_skip(&ab, 1);
    snprintf(log, sizeof log, "%s/output.log", folder);
    struct flm_text text = read_file(log);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "printed\ncomplained\n"); /* of the last run alone */
    flm_text_clear(&text);
    flm_ab_clear(&ab);
}

static void a_run_that_fails_ends_it_all(void **state)
{
    (void)state;
    char good[300], bad[300], folder[300];
    struct flm_ab ab;
    struct flm_error why;
    snprintf(good, sizeof good, "%s", script("ab-good", ""));
    snprintf(bad, sizeof bad, "%s", script("ab-bad", "echo no such table; exit 3\n"));
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-bad-runs"));
    struct flm_ab_options options = options_of(good, good, folder);
    assert_true(flm_ab_open(&ab, &options, &why)); /* whether anything may be recorded */
    record_or_skip(&ab, 1);
    flm_ab_clear(&ab);
    options = options_of(good, bad, folder);
    options.replaces = true;
    assert_true(flm_ab_open(&ab, &options, &why));
    assert_false(flm_ab_record(&ab, 2, &why));
    assert_non_null(strstr(why.text, "the new command ended with status 3 in run 2 of 4"));
    assert_int_equal(ab.runs.count, 1);
    assert_int_equal(access(ab.runs.at[0].path, F_OK), 0);
    char second[400];
    snprintf(second, sizeof second, "%s/0002-new.flm", folder);
    assert_int_not_equal(access(second, F_OK), 0);
    flm_ab_clear(&ab);
}

static void runs_that_are_there_are_not_mixed_with_new_ones(void **state)
{
    (void)state;
    char folder[300], run[400], other[400];
    struct flm_ab ab;
    struct flm_error why;
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-there"));
    snprintf(run, sizeof run, "%s/0001-base.flm", folder);
    snprintf(other, sizeof other, "%s/mine.flm", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    fclose(fopen(run, "w"));
    fclose(fopen(other, "w"));
    struct flm_ab_options options = options_of("true", "true", folder);
    assert_false(flm_ab_open(&ab, &options, &why));
    assert_non_null(strstr(why.text, "has runs already"));
    flm_ab_clear(&ab);
    assert_int_equal(access(run, F_OK), 0);
    options.new = "false";
    options.warm_up = 1;
    options.replaces = true;
    assert_true(flm_ab_open(&ab, &options, &why));
    assert_false(flm_ab_record(&ab, 1, &why));
    flm_ab_clear(&ab);
    assert_int_equal(access(run, F_OK), 0); /* the warm-up failed, or nothing may be recorded */
    options.base = options.new = busy_command();
    assert_true(flm_ab_open(&ab, &options, &why));
    record_or_skip(&ab, 1);
    flm_ab_clear(&ab);
    struct stat file;
    assert_int_equal(stat(run, &file), 0);
    assert_true(file.st_size > 0);
    assert_int_equal(access(other, F_OK), 0); /* none of ours */
}

static void processors_that_are_not_there_are_refused(void **state)
{
    (void)state;
    static const char *const lists[] = {"", "x", "1-", "8191", "0,1000", "-1"};
    char folder[300], there[200] = "";
    int allowed[CPU_SETSIZE];
    struct flm_text text;
    flm_text_init_fixed(&text, there, sizeof there - 1);
    flm_processors_add(&text, allowed, flm_processors_allowed(allowed, CPU_SETSIZE));
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-processors"));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct flm_ab ab;
        struct flm_error why;
        struct flm_ab_options options = options_of("true", "true", folder);
        options.processors = lists[i];
        assert_false(flm_ab_open(&ab, &options, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_non_null(strstr(why.text, there));
        flm_ab_clear(&ab);
    }
}

static void commands_are_kept_to_their_processors(void **state)
{
    (void)state;
    char command[300], folder[300], number[16], expected[80];
    cpu_set_t allowed;
    struct flm_ab ab;
    struct flm_error why;
    unsigned last = 0;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        last = CPU_ISSET(i, &allowed) ? i : last;
    snprintf(number, sizeof number, "%u", last);
    snprintf(expected, sizeof expected, "Cpus_allowed_list:\t%u\n", last);
    snprintf(command, sizeof command, "%s",
             script("ab-where", "grep ^Cpus_allowed_list /proc/self/status\n"));
    snprintf(folder, sizeof folder, "%s", temporary_path("ab-where-runs"));
    struct flm_ab_options options = options_of(command, command, folder);
    options.processors = number;
    assert_true(flm_ab_open(&ab, &options, &why));
    record_or_skip(&ab, 1);
    struct flm_text text = read_file(ab.log_path.at);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_ab_clear(&ab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_come_in_blocks_and_know_their_places),
        cmocka_unit_test(commands_of_one_name_have_no_note_of_it),
        cmocka_unit_test(a_command_reads_nothing_and_prints_to_the_log),
        cmocka_unit_test(a_run_that_fails_ends_it_all),
        cmocka_unit_test(runs_that_are_there_are_not_mixed_with_new_ones),
        cmocka_unit_test(processors_that_are_not_there_are_refused),
        cmocka_unit_test(commands_are_kept_to_their_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
