#include "flamel/file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static void save(const struct flm_profile *p, const char *path,
                 const struct flm_save_options *options)
{
    struct flm_error why = {0};
    if (!flm_save(p, path, options, &why))
        fail_msg("%s", why.text);
}

static void assert_content(const char *path, const char *expected)
{
    struct flm_text text = read_file(path);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void the_end_of_the_name_says_the_format(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\nmain 2\n");
    const char *folded = temporary_path("x.folded"), *flm = temporary_path("x.flm");
    save(p, folded, NULL);
    assert_content(folded, "main 2\nmain;read 10\n");
    save(p, flm, NULL);
    struct flm_text file = read_file(flm), expected = bytes_of(p);
    assert_int_equal(file.size, expected.size);
    assert_memory_equal(file.at, expected.at, file.size);
    flm_text_clear(&file);
    flm_text_clear(&expected);
    flm_profile_free(p);
}

static void the_format_may_be_given(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\n");
    struct flm_save_options options = {.size = sizeof options, .format = "folded"};
    const char *path = temporary_path("x.flm");
    save(p, path, &options);
    assert_content(path, "main;read 10\n");
    flm_profile_free(p);
}

static void what_was_saved_is_loaded(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 10; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        const char *path = temporary_path("round.flm");
        save(p, path, NULL);
        struct flm_profile *q = flm_load(path, NULL, NULL);
        assert_non_null(q);
        save(q, path, NULL); /* over the file that it is mapped from */
        assert_profiles_equal(p, q);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void a_metric_is_chosen_by_name(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 1 2\nb 3 0\n");
    const char *path = temporary_path("x.folded");
    struct flm_save_options options = {.size = sizeof options, .metric = "before"};
    save(p, path, NULL);
    assert_content(path, "a 2\n");
    save(p, path, &options);
    assert_content(path, "a 1\nb 3\n");
    options.format = "difffolded";
    options.metric = NULL;
    save(p, path, &options);
    assert_content(path, "a 1 2\nb 3 0\n");
    struct flm_error why = {0};
    options.metric = "cpu";
    assert_false(flm_save(p, path, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, "there is no metric 'cpu'; there is after, before");
    assert_content(path, "a 1 2\nb 3 0\n"); /* nothing was touched */
    flm_profile_free(p);
}

static void an_empty_metric_is_written_only_when_named(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a 2 0\nb 3 0\n"); /* before, and after: nothing */
    const char *path = temporary_path("x.folded");
    save(p, path, NULL);
    assert_content(path, "a 2\nb 3\n");
    struct flm_save_options options = {.size = sizeof options, .metric = "after"};
    save(p, path, &options);
    assert_content(path, "");
    flm_profile_free(p);
}

static void kinds_are_marked_where_the_source_did_or_when_asked(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;sys_read_[k] 1\n");
    const char *path = temporary_path("x.folded");
    save(p, path, NULL);
    assert_content(path, "main;sys_read_[k] 1\n");
    flm_profile_free(p);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_frame_record record = {.function = flm_builder_string(b, "f", 1).index,
                                      .kind = FLM_KIND_KERNEL};
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record)),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    p = flm_builder_finish(b, NULL);
    save(p, path, NULL);
    assert_content(path, "f 1\n");
    save(p, path, &(struct flm_save_options){sizeof(struct flm_save_options), .annotate = true});
    assert_content(path, "f_[k] 1\n");
    flm_profile_free(p);
}

static void refuse(const struct flm_profile *p, const char *path, const char *format,
                   enum flm_error_kind kind, const char *words)
{
    struct flm_error why = {0};
    struct flm_save_options options = {.size = sizeof options, .format = format};
    assert_false(flm_save(p, path, &options, &why));
    if (why.kind != kind || !strstr(why.text, words))
        fail_msg("%s: %d %s", path, (int)why.kind, why.text);
    assert_false(flm_save(p, path, &options, NULL));
}

static void what_cannot_be_saved_says_why(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 10\n");
    const char *no_format = temporary_path("x.unknown");
    refuse(p, no_format, NULL, FLM_ERROR_USAGE, "is not a format that can be written");
    assert_int_not_equal(access(no_format, F_OK), 0);
    refuse(p, "x.folded", "none", FLM_ERROR_USAGE, "'none' is not a format that can be written");
    refuse(p, "/absent/folder/x.flm", NULL, FLM_ERROR_SYSTEM, "/absent/folder/x.flm: cannot be");
    refuse(p, temporary_path("x.folded"), "difffolded", FLM_ERROR_USAGE, "'before' and 'after'");
    flm_profile_free(p);
}

static void a_full_disk_is_an_error_in_every_format(void **state)
{
    (void)state;
    static const char *const formats[] = {"flm", "folded", "svg"};
    struct flm_profile *p = profile_of("main;read 10\n");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        refuse(p, "/dev/full", formats[i], FLM_ERROR_SYSTEM,
               "/dev/full: cannot be written: No space left on device");
    flm_profile_free(p);
}

struct work {
    const struct flm_profile *p;
    const char *path;
};

static bool save_it(void *context, struct flm_error *why)
{
    struct work *w = context;
    return flm_save(w->p, w->path, NULL, why);
}

static void saving_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 2;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct work flm = {p, temporary_path("a.flm")}, folded = {p, temporary_path("a.folded")};
    assert_survives_failures(save_it, &flm);
    assert_true(assert_survives_failures(save_it, &folded) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_the_name_says_the_format),
        cmocka_unit_test(the_format_may_be_given),
        cmocka_unit_test(what_was_saved_is_loaded),
        cmocka_unit_test(a_metric_is_chosen_by_name),
        cmocka_unit_test(an_empty_metric_is_written_only_when_named),
        cmocka_unit_test(kinds_are_marked_where_the_source_did_or_when_asked),
        cmocka_unit_test(what_cannot_be_saved_says_why),
        cmocka_unit_test(a_full_disk_is_an_error_in_every_format),
        cmocka_unit_test(saving_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
