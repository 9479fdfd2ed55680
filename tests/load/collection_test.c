/* collection_test.c - folders, patterns and archives are the sum of the profiles in them. */
#include "load/collection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/file.h"
#include "load/archive.h"
#include "os/gzip.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/profile/profiles.h"

/* "DIR/NAME" of a folder of this test; made again for each call. */
static const char *in_folder(const char *folder, const char *name)
{
    static char path[4][300];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static const char *new_folder(const char *name)
{
    static char path[4][200];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s", temporary_path(name));
    assert_int_equal(mkdir(path[next], 0700), 0);
    return path[next];
}

static void write_file(const char *path, struct flm_bytes content)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.at, 1, content.size, file), content.size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *content)
{
    write_file(path, flm_bytes_of(content));
}

static void assert_sum(const char *path, const char *member, const char *expected)
{
    struct flm_error why = {0};
    struct flm_load_options options = {.size = sizeof options, .member = member};
    struct flm_profile *p = flm_load(path, &options, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_folded(p, expected);
    assert_sound(p);
    flm_profile_free(p);
}

static void assert_refused(const char *path, const char *member, const char *expected)
{
    struct flm_error why = {0};
    struct flm_load_options options = {.size = sizeof options, .member = member};
    assert_null(flm_load(path, &options, &why));
    if (!strstr(why.text, expected))
        fail_msg("'%s' does not contain '%s'", why.text, expected);
}

/* Two profiles, a text, a hidden file, and a folder with one more. */
static const char *example(const char *name)
{
    const char *folder = new_folder(name);
    write_text(in_folder(folder, "x.folded"), "main;a 1\nmain;b 2\n");
    write_text(in_folder(folder, "y.folded"), "main;a 3\n");
    mkdir(in_folder(folder, "below"), 0700);
    write_text(in_folder(folder, "below/z.folded"), "main;z 3\n");
    write_text(in_folder(folder, "README"), "hello, read me\n");
    write_text(in_folder(folder, ".hidden.folded"), "hidden 9\n");
    return folder;
}

static void a_folder_is_the_sum_of_its_profiles_and_tells_what_is_none(void **state)
{
    (void)state;
    const char *folder = example("sum");
    assert_sum(folder, NULL, "main;a 4\nmain;b 2\n");
    struct flm_load_options options = {.size = sizeof options};
    struct flm_profile *p = flm_load(folder, &options, NULL);
    assert_int_equal(flm_profile_loss_count(p), 2);
    const struct flm_loss_record *losses = flm_profile_losses(p);
    struct flm_name what = flm_profile_string(p, (struct flm_string){losses[0].what});
    assert_true(losses[0].count == 1 && strstr(what.at, "README"));
    what = flm_profile_string(p, (struct flm_string){losses[1].what});
    assert_true(losses[1].count == 1 && what.size == strlen("folders in the folder"));
    struct flm_name merged = flm_profile_note_named(p, "merged files");
    assert_true(merged.size == 1 && merged.at[0] == '2');
    flm_profile_free(p);
}

static void members_are_chosen_by_their_names(void **state)
{
    (void)state;
    const char *folder = example("chosen");
    assert_sum(folder, "y.folded", "main;a 3\n");
    assert_sum(folder, "x*", "main;a 1\nmain;b 2\n");
    assert_sum(folder, "*/y.*", "main;a 3\n");
    assert_refused(folder, "z*", "no file in this folder matches 'z*'");
}

static void a_pattern_is_for_names_that_no_file_has(void **state)
{
    (void)state;
    const char *folder = example("pattern");
    assert_sum(in_folder(folder, "*.folded"), NULL, "main;a 4\nmain;b 2\n");
    assert_sum(in_folder(folder, "*/?.folded"), NULL, "main;z 3\n");
    assert_refused(in_folder(folder, "*.none"), NULL, "no file matches this pattern");
    assert_refused("localhost:1/heap", NULL, "a URL begins with http://");
    assert_refused("ftp://localhost/heap", NULL,
                   "URLs are read that begin with http:// or https://");
    assert_refused("absent:x", NULL, "cannot be opened");
    write_text(in_folder(folder, "[1].folded"), "other 5\n");
    assert_sum(in_folder(folder, "[1].folded"), NULL, "other 5\n");
}

static void a_broken_profile_is_an_error_unless_reading_is_lenient(void **state)
{
    (void)state;
    const char *folder = example("broken");
    struct flm_text flm = read_file("tests/data/flm/v1-full.flm");
    write_file(in_folder(folder, "broken.flm"), (struct flm_bytes){flm.at, flm.size / 2});
    flm_text_clear(&flm);
    assert_refused(folder, NULL, "broken.flm: ");
    assert_refused(folder, NULL, "(--lenient passes it over)");
    struct flm_load_options options = {.size = sizeof options, .lenient = true};
    struct flm_profile *p = flm_load(folder, &options, NULL);
    assert_non_null(p);
    assert_true(flm_profile_losses(p)->count == 2);
    flm_profile_free(p);
}

/* A profile with the metric "cost" in that unit. */
static void write_unit(const char *path, const char *unit)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cost", unit);
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    flm_builder_add(b, node, metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_true(flm_save(p, path, NULL, NULL));
    flm_profile_free(p);
}

/* Also where the first is in the sum of a batch already. */
static void files_whose_units_differ_are_named(void **state)
{
    (void)state;
    for (int others = 0; others <= FLM_COLLECTION_BATCH; others += FLM_COLLECTION_BATCH) {
        const char *folder = new_folder(others > 0 ? "units-many" : "units");
        write_unit(in_folder(folder, "0.flm"), "ns");
        for (int i = 0; i < others; i++) {
            char name[40];
            snprintf(name, sizeof name, "1-%d.folded", i);
            write_text(in_folder(folder, name), "main 1\n");
        }
        write_unit(in_folder(folder, "2.flm"), "bytes");
        assert_refused(folder, NULL, "'cost' is in 'ns' in one profile and in 'bytes' in another");
        assert_refused(folder, NULL, "0.flm and ");
        assert_refused(folder, NULL, "2.flm (--member PATTERN chooses files)");
        assert_sum(folder, "0.*", "main 1\n");
    }
}

static void nothing_to_read_is_an_error_with_a_reason(void **state)
{
    (void)state;
    const char *folder = new_folder("empty");
    assert_refused(folder, NULL, "there is no file in this folder");
    write_text(in_folder(folder, "README"), "hello, read me\n");
    assert_refused(folder, NULL, "README: not recognized as a profile");
}

static void more_profiles_than_a_batch_are_all_added(void **state)
{
    (void)state;
    const char *folder = new_folder("many");
    for (int i = 0; i < 2 * FLM_COLLECTION_BATCH + 3; i++) {
        char name[40], text[40];
        snprintf(name, sizeof name, "%d.folded", i);
        snprintf(text, sizeof text, "main;f%d 1\n", i % 2);
        write_text(in_folder(folder, name), text);
    }
    assert_sum(folder, NULL, "main;f0 66\nmain;f1 65\n");
}

/* ---- Archives -------------------------------------------------------------------------------- */

static bool can_open_archives(void)
{
    struct flm_error why = {0};
    flm_archive_close(flm_archive_open(NULL, flm_bytes_of(""), &why));
    return !strstr(why.text, "libarchive");
}

static void archives_are_the_sum_of_their_files_in_whatever_they_come(void **state)
{
    (void)state;
    if (!can_open_archives())
        skip();
    static const char *const names[] = {"tests/data/archive/good.tar",
                                        "tests/data/archive/good.zip"};
    for (size_t i = 0; i < 2; i++) {
        assert_sum(names[i], NULL, "main;a 4\nmain;b 2\n");
        assert_sum(names[i], "*.gz", "main;a 3\n");
        struct flm_text file = read_file(names[i]), packed = {0};
        struct flm_profile *p = flm_load_memory(file.at, file.size, NULL, NULL);
        assert_folded(p, "main;a 4\nmain;b 2\n");
        flm_profile_free(p);
        assert_true(flm_gzip((struct flm_bytes){file.at, file.size}, 6, &packed, NULL));
        p = flm_load_memory(packed.at, packed.size, NULL, NULL);
        assert_folded(p, "main;a 4\nmain;b 2\n");
        flm_profile_free(p);
        flm_text_clear(&file);
        flm_text_clear(&packed);
    }
}

static void every_beginning_of_an_archive_is_refused_or_read(void **state)
{
    (void)state;
    if (!can_open_archives())
        skip();
    static const char *const names[] = {"tests/data/archive/good.tar",
                                        "tests/data/archive/good.zip"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_text file = read_file(names[i]);
        size_t step = i == 0 ? 97 : 1;
        for (size_t size = 0; size < file.size; size += step) {
            struct flm_error why = {0};
            struct flm_profile *p = flm_load_memory(file.at, size, NULL, &why);
            assert_true(p || why.text[0]);
            flm_profile_free(p);
        }
        flm_text_clear(&file);
    }
}

static void an_archive_in_an_archive_is_passed_over(void **state)
{
    (void)state;
    if (!can_open_archives())
        skip();
    const char *folder = example("nested");
    struct flm_text file = read_file("tests/data/archive/good.zip");
    write_file(in_folder(folder, "nested.zip"), (struct flm_bytes){file.at, file.size});
    flm_text_clear(&file);
    assert_sum(folder, NULL, "main;a 4\nmain;b 2\n");
}

static bool load_folder(void *context, struct flm_error *why)
{
    struct flm_profile *p = flm_load(context, NULL, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char folder[200];
    snprintf(folder, sizeof folder, "%s", example("failures"));
    assert_survives_failures(load_folder, folder);
}

/* The data of a tool: one of its files tells which. */
static void a_folder_of_another_tool_is_named(void **state)
{
    (void)state;
    const char *folder = new_folder("uftrace.data");
    struct flm_error why = {0};
    write_file(in_folder(folder, "1.dat"), (struct flm_bytes){"\1\2\3\4\5\6", 6});
    assert_null(flm_load(folder, NULL, &why));
    assert_non_null(strstr(why.text, "the first of its files, "));
    write_file(in_folder(folder, "info"), (struct flm_bytes){"Ftrace!\0\4\0", 10});
    assert_null(flm_load(folder, NULL, &why));
    assert_non_null(strstr(why.text, "one of several files, "));
    assert_non_null(strstr(why.text, "uftrace.data/info: this is a folder of uftrace"));
}

/* None of its files says what the whole is. */
static void a_trace_of_instruments_is_named(void **state)
{
    (void)state;
    const char *folder = new_folder("launch.trace");
    struct flm_error why = {0};
    write_text(in_folder(folder, "form.template"), "bplist00");
    write_text(in_folder(folder, "instrument_data"), "bplist00");
    assert_null(flm_load(folder, NULL, &why));
    assert_non_null(strstr(why.text, "this folder is a trace of Instruments"));
    assert_non_null(strstr(why.text, "xctrace export"));
    write_text(in_folder(folder, "app.folded"), "main;a 1\n");
    assert_sum(folder, NULL, "main;a 1\n");
}

/* A trace of Instruments has a database, beside others. */
static void a_database_that_is_no_profile_is_passed_over(void **state)
{
    (void)state;
    const char *folder = new_folder("databases");
    struct flm_text music = read_file("tests/data/nsight/music.sqlite");
    struct flm_error why = {0};
    write_file(in_folder(folder, "music.sqlite"), (struct flm_bytes){music.at, music.size});
    assert_null(flm_load(folder, NULL, &why));
    assert_non_null(strstr(why.text, "no profile is in this folder"));
    assert_non_null(strstr(why.text, "its tables are albums, songs"));
    write_text(in_folder(folder, "app.folded"), "main;a 1\n");
    assert_sum(folder, NULL, "main;a 1\n");
    flm_text_clear(&music);
}

static uint32_t samples_of(const char *path, uint64_t counted_size, bool *dropped)
{
    struct flm_error why = {0};
    *dropped = false;
    struct flm_load_options options = {.size = sizeof options,
                                       .drop_times = true,
                                       .no_locations = true,
                                       .dropped_samples = dropped,
                                       .counted_size = counted_size};
    struct flm_profile *p = flm_load(path, &options, &why);
    if (!p)
        fail_msg("%s: %s", path, why.text);
    uint32_t count = flm_profile_sample_count(p);
    flm_profile_free(p);
    return count;
}

/* So that what a written format cannot hold can be counted. */
static void inputs_that_are_small_together_keep_their_samples(void **state)
{
    (void)state;
    static const char sample[] = "app 7 1.5: 3 cycles:\n\t10 main (/app)\n\n";
    const char *folder = new_folder("small");
    const uint64_t size = sizeof sample - 1;
    bool dropped;
    write_text(in_folder(folder, "1.txt"), sample);
    const char *one = in_folder(folder, "1.txt");
    assert_int_equal(samples_of(one, size, &dropped), 1);
    assert_false(dropped);
    assert_int_equal(samples_of(one, size - 1, &dropped), 0);
    assert_true(dropped);
    assert_int_equal(samples_of(one, 0, &dropped), 0);
    assert_true(dropped);

    write_text(in_folder(folder, "2.txt"), sample);
    assert_int_equal(samples_of(folder, 2 * size, &dropped), 2);
    assert_false(dropped);
    assert_int_equal(samples_of(folder, 2 * size - 1, &dropped), 1); /* the first one's */
    assert_true(dropped);

    struct flm_text packed = {0}; /* what counts is what is read */
    assert_true(flm_gzip(flm_bytes_of(sample), 6, &packed, NULL));
    write_file(in_folder(folder, "3.gz"), (struct flm_bytes){packed.at, packed.size});
    assert_int_equal(samples_of(in_folder(folder, "3.gz"), size, &dropped), 1);
    assert_false(dropped);
    assert_int_equal(samples_of(in_folder(folder, "3.gz"), size - 1, &dropped), 0);
    assert_true(dropped);
    flm_text_clear(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_the_sum_of_its_profiles_and_tells_what_is_none),
        cmocka_unit_test(members_are_chosen_by_their_names),
        cmocka_unit_test(a_pattern_is_for_names_that_no_file_has),
        cmocka_unit_test(a_broken_profile_is_an_error_unless_reading_is_lenient),
        cmocka_unit_test(files_whose_units_differ_are_named),
        cmocka_unit_test(nothing_to_read_is_an_error_with_a_reason),
        cmocka_unit_test(more_profiles_than_a_batch_are_all_added),
        cmocka_unit_test(archives_are_the_sum_of_their_files_in_whatever_they_come),
        cmocka_unit_test(every_beginning_of_an_archive_is_refused_or_read),
        cmocka_unit_test(an_archive_in_an_archive_is_passed_over),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_folder_of_another_tool_is_named),
        cmocka_unit_test(a_trace_of_instruments_is_named),
        cmocka_unit_test(a_database_that_is_no_profile_is_passed_over),
        cmocka_unit_test(inputs_that_are_small_together_keep_their_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
