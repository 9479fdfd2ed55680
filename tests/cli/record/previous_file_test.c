#include "cli/record/previous_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/file.h"
#include "support/core/failures.h"
#include "support/core/files.h"

/* A folder for each test, with nothing but what is saved in it. */
static char folder[500], output[600], old[700];

static void remove_all(void)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    closedir(entries);
}

static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void begin(const char *name)
{
    snprintf(folder, sizeof folder, "%s", temporary_path("previous"));
    (void)mkdir(folder, 0700);
    snprintf(output, sizeof output, "%s/%s", folder, name);
    snprintf(old, sizeof old, "%s.old", output);
    remove_all();
}

/* A profile with so many samples of main; 0: without any. */
static struct flm_profile *profile_of(double samples)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    if (samples > 0)
        flm_builder_add(
            b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4)),
            metric, samples);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

/* -1: there is no such file, or it is none of ours. */
static double samples_in(const char *path)
{
    struct flm_load_options options = {.size = sizeof options, .format = "flm"};
    struct flm_profile *p = flm_load(path, &options, NULL);
    double samples = p ? flm_profile_total(p, (struct flm_metric){0}) : -1;
    flm_profile_free(p);
    return samples;
}

static bool save_now(double samples, bool spares, bool *was_spared)
{
    struct flm_previous_file previous = {.keeps = true, .spares = spares};
    struct flm_error why = {0};
    struct flm_profile *p = profile_of(samples);
    bool good = flm_save_over_previous(p, output, &previous, &why);
    flm_profile_free(p);
    *was_spared = previous.was_spared;
    return good;
}

static void assert_saved(double samples, bool spares, bool spared)
{
    bool was_spared;
    assert_true(save_now(samples, spares, &was_spared));
    assert_int_equal(was_spared, spared);
}

static void the_previous_file_is_old(void **state)
{
    (void)state;
    begin("flamel.flm");
    assert_saved(3, true, false);
    assert_int_equal(count_files(), 1);
    assert_saved(5, true, false);
    assert_saved(7, true, false);
    assert_true(samples_in(output) == 7 && samples_in(old) == 5);
    assert_int_equal(count_files(), 2);
    remove_all();
}

static void nothing_takes_no_place_of_samples(void **state)
{
    (void)state;
    begin("flamel.flm");
    assert_saved(0, true, false);
    assert_saved(0, true, false);
    assert_int_equal(count_files(), 1); /* an empty one is not kept */
    assert_saved(3, true, false);
    assert_int_equal(count_files(), 1);
    assert_saved(0, true, true);
    assert_true(samples_in(output) == 3);
    assert_saved(0, false, false); /* the name was asked for */
    assert_true(samples_in(output) == 0 && samples_in(old) == 3);
    remove_all();
}

/* Too large to be read for that, and too large to be empty. */
static void a_large_recording_is_spared_as_well(void **state)
{
    (void)state;
    begin("flamel.flm");
    assert_saved(3, true, false);
    assert_int_equal(truncate(output, 3 << 20), 0);
    assert_saved(0, true, true);
    struct stat file;
    assert_int_equal(stat(output, &file), 0);
    assert_int_equal(file.st_size, 3 << 20);
    remove_all();
}

static void what_is_no_profile_is_kept(void **state)
{
    (void)state;
    begin("flamel.flm");
    FILE *file = fopen(output, "w");
    assert_non_null(file);
    fputs("notes of mine\n", file);
    fclose(file);
    assert_saved(0, true, false);
    assert_true(samples_in(output) == 0);
    struct stat kept;
    assert_int_equal(stat(old, &kept), 0);
    assert_int_equal(kept.st_size, 14);
    remove_all();
}

static void where_it_cannot_be_written_nothing_is_lost(void **state)
{
    (void)state;
    bool was_spared;
    begin("flamel.flm");
    assert_saved(3, true, false);
    char other[800];
    /* A folder that is not empty cannot be replaced by a file. */
    snprintf(other, sizeof other, "%s/in", old);
    assert_int_equal(mkdir(old, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    assert_false(save_now(5, true, &was_spared));
    char second[800];
    snprintf(second, sizeof second, "%s.%ld", old, (long)getpid());
    assert_true(samples_in(output) == 5 && samples_in(second) == 3); /* nothing is lost */
    assert_int_equal(rmdir(other), 0);
    assert_int_equal(rmdir(old), 0);
    remove_all();
    begin("profile.nonsense");
    FILE *file = fopen(output, "w");
    assert_non_null(file);
    fputs("main 1\n", file);
    fclose(file);
    assert_false(save_now(5, true, &was_spared)); /* there is no such format */
    assert_int_equal(count_files(), 1);
    remove_all();
}

/* ---- Without memory -------------------------------------------------------------------------- */

static bool save_again(void *context, struct flm_error *why)
{
    struct flm_previous_file previous = {.keeps = true, .spares = true};
    return flm_save_over_previous(context, output, &previous, why);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct flm_profile *some = profile_of(5), *none = profile_of(0);
    begin("flamel.flm");
    assert_saved(3, true, false);
    assert_true(assert_survives_failures(save_again, none) > 3);
    assert_true(samples_in(output) == 3); /* never replaced by nothing */
    assert_int_equal(count_files(), 1);
    assert_true(assert_survives_failures(save_again, some) > 3);
    assert_true(samples_in(output) == 5);
    assert_true(samples_in(old) == 3 || samples_in(old) == 5);
    assert_int_equal(count_files(), 2); /* and no second name is left */
    flm_profile_free(some);
    flm_profile_free(none);
    remove_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_previous_file_is_old),
        cmocka_unit_test(nothing_takes_no_place_of_samples),
        cmocka_unit_test(a_large_recording_is_spared_as_well),
        cmocka_unit_test(what_is_no_profile_is_kept),
        cmocka_unit_test(where_it_cannot_be_written_nothing_is_lost),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
