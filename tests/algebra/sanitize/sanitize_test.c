#include "flamel/sanitize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "flamel/file.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const char KEY[] = "sixteen bytes or more of a key",
                  OTHER_KEY[] = "another key of enough bytes";

static struct flm_profile *try_sanitize(const struct flm_profile *p, const char *rules,
                                        const char *key, struct flm_error *why)
{
    const struct flm_sanitize_options how = {
        .size = sizeof how, .rules = rules, .key = key, .key_size = strlen(key)};
    return flm_sanitize(p, &how, why);
}

static struct flm_profile *sanitized(const struct flm_profile *p, const char *rules,
                                     const char *key)
{
    struct flm_error why;
    struct flm_profile *clean = try_sanitize(p, rules, key, &why);
    if (!clean)
        fail_msg("%s", why.text);
    assert_sound(clean);
    return clean;
}

static struct flm_string string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

/* SECRET in everything that a profile has, and HIDDEN in the function that a rule names. */
static struct flm_profile *telltale(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_frame frames[4];
    const struct flm_frame_record records[] = {
        {.function = string(b, "main").index,
         .module = string(b, "/home/SECRET/bin/app").index,
         .file = string(b, "/home/SECRET/src/app.c").index,
         .line = 7},
        {.function = string(b, "load (/srv/SECRET/x.py)").index, .kind = FLM_KIND_INTERPRETED},
        {.function = string(b, "app+0x12").index,
         .module = string(b, "/home/SECRET/bin/app").index,
         .address = 0x12,
         .kind = FLM_KIND_NATIVE,
         .flags = FLM_FRAME_UNSYMBOLIZED},
        {.function = string(b, "HIDDEN::work").index,
         .module = string(b, "/opt/SECRET/libhidden.so").index,
         .file = string(b, "HIDDEN.cpp").index,
         .line = 9},
    };
    for (size_t i = 0; i < 4; i++)
        frames[i] = flm_builder_frame(b, &records[i]);
    const struct flm_location where = {
        .address = 0x400, .file = string(b, "/home/SECRET/src/inl.h").index, .line = 12};
    frames[0] = flm_builder_frame_at(b, frames[0], &where);
    struct flm_string labels[] = {string(b, "thread"),     string(b, "4711 (SECRET-io)"),
                                  string(b, "SECRET key"), string(b, "x"),
                                  string(b, "user"),       string(b, "SECRET"),
                                  string(b, "state"),      string(b, "runnable")};
    struct flm_label_set set = flm_builder_label_set(b, labels, 4);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (size_t depth = 1; depth <= 4; depth++)
        flm_builder_sample(b, 1795832400000000000 + (int64_t)depth * 1234567,
                           flm_builder_stack(b, frames, depth), set, cpu, (double)depth);
    flm_builder_marker(b, 1795832400000000000, 5, string(b, "exec"), string(b, "SECRET --token 1"),
                       set);
    struct flm_counter counter =
        flm_builder_counter(b, string(b, "memory"), string(b, "bytes"), set);
    flm_builder_counter_point(b, counter, 1795832400000000000, 4096);
    static const char *const notes[] = {"command",     "host",          "recorded",
                                        "SECRET note", "mapped SECRET", "unsymbolized SECRET"};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        flm_builder_note(b, notes[i], "SECRET", 6);
    flm_builder_note(b, "frequency", "999 Hz", 6);
    flm_builder_lost(b, "symbols of /home/SECRET/x", "", 0, 2);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static bool bytes_have(struct flm_bytes bytes, const char *text)
{
    return flm_bytes_contain(bytes, text);
}

/* In any string: also what is compressed where it is written. */
static bool tells(const struct flm_profile *p, const char *text)
{
    bool found = false;
    for (uint32_t i = 0; i < flm_profile_string_count(p); i++)
        found |= bytes_have(flm_string_bytes(p, i), text);
    return found;
}

static void nothing_secret_is_left_in_any_format(void **state)
{
    struct flm_profile *p = telltale(), *clean = sanitized(p, "names:HIDDEN*", KEY);
    size_t written = 0;
    (void)state;
    assert_true(tells(p, "SECRET") && tells(p, "HIDDEN"));
    assert_false(tells(clean, "SECRET") || tells(clean, "HIDDEN"));
    assert_true(tells(clean, "main") && tells(clean, "load (x.py)") && tells(clean, "app+0x12") &&
                tells(clean, "inl.h") && tells(clean, "runnable") && tells(clean, "999 Hz"));
    for (size_t i = 0;; i++) {
        struct flm_format_info info = {.size = sizeof info};
        struct flm_error why;
        struct flm_text out = {0};
        if (!flm_format_at(i, &info))
            break;
        if (!info.writes || strcmp(info.name, "difffolded") == 0) /* of comparisons */
            continue;
        const struct flm_save_options how = {.size = sizeof how, .format = info.name};
        if (!flm_save_stream(clean, flm_text_sink, &out, &how, &why))
            fail_msg("%s: %s", info.name, why.text);
        struct flm_bytes bytes = {out.at, out.size};
        if (bytes_have(bytes, "SECRET") || bytes_have(bytes, "HIDDEN"))
            fail_msg("%s tells it", info.name);
        struct flm_profile *again =
            info.reads ? flm_load_memory(out.at, out.size, NULL, NULL) : NULL;
        if (again && (tells(again, "SECRET") || tells(again, "HIDDEN")))
            fail_msg("%s tells it, read again", info.name);
        written++;
        flm_profile_free(again);
        flm_text_clear(&out);
    }
    assert_true(written >= 8);
    flm_profile_free(clean);
    flm_profile_free(p);
}

static void values_and_shape_stay(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        struct flm_profile *clean = sanitized(p, "", KEY);
        assert_int_equal(flm_profile_sample_count(clean), flm_profile_sample_count(p));
        assert_int_equal(flm_profile_marker_count(clean), flm_profile_marker_count(p));
        for (uint32_t m = 0; m < flm_profile_metric_count(p); m++) {
            struct flm_metric metric = {m};
            assert_true(flm_profile_total(clean, metric) == flm_profile_total(p, metric));
        }
        uint32_t before = 0, after = 0;
        assert_true(flm_profile_depth(p, &before, NULL) && flm_profile_depth(clean, &after, NULL));
        assert_int_equal(after, before);
        struct flm_profile *twice = sanitized(clean, "labels:all", KEY);
        assert_profiles_equal(clean, twice);
        flm_profile_free(twice);
        flm_profile_free(clean);
        flm_profile_free(p);
    }
}

/* Two versions of a program, sanitized each for itself, compare as they did. */
static void the_same_key_keeps_profiles_comparable(void **state)
{
    struct flm_profile *before = profile_of("main;acme_a;acme_b 10\nmain;acme_a 5\nmain;read 1\n"),
                       *after = profile_of("main;acme_a;acme_b 4\nmain;acme_c 5\nmain;read 1\n");
    struct flm_profile *ours[3] = {sanitized(before, "names:acme*", KEY),
                                   sanitized(after, "names:acme*", KEY),
                                   sanitized(after, "names:acme*", OTHER_KEY)};
    const struct flm_profile *pairs[3][2] = {
        {before, after}, {ours[0], ours[1]}, {ours[0], ours[2]}};
    static const char *const names[] = {"before", "after"};
    double distances[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct flm_profile *both = flm_align(pairs[i], 2, FLM_ALIGN_SIDE_BY_SIDE, names, NULL);
        assert_non_null(both);
        distances[i] = flm_distance(both, (struct flm_metric){0}, (struct flm_metric){1});
        flm_profile_free(both);
    }
    assert_true(distances[0] == 16 && distances[1] == 16);
    assert_true(distances[2] == 24); /* with another key they are other functions */
    assert_false(tells(ours[0], "acme"));
    for (int i = 0; i < 3; i++)
        flm_profile_free(ours[i]);
    flm_profile_free(before);
    flm_profile_free(after);
}

static void rules_leave_out_more_or_less(void **state)
{
    struct flm_profile *p = telltale();
    (void)state;
    struct flm_profile *less = sanitized(p, "labels:user, thread | notes:host | markers:all", KEY);
    assert_true(tells(less, "SECRET-io") && tells(less, "SECRET --token 1"));
    assert_true(flm_profile_note_named(less, "host").size == 6);
    assert_false(tells(less, "SECRET key"));
    assert_int_equal(flm_profile_sample_times(less)[0], 1234567); /* the marker is at 0 */
    flm_profile_free(less);
    struct flm_profile *more = sanitized(
        p, "modules:libhidden* | modules:app | files:none | times:none | markers:none", KEY);
    assert_false(tells(more, "libhidden") || tells(more, "app") || tells(more, ".c"));
    assert_true(tells(more, "+0x12"));
    assert_int_equal(flm_profile_marker_count(more) + flm_profile_counter_count(more), 0);
    assert_true(flm_profile_sample_times(more)[0] == FLM_NO_TIME);
    flm_profile_free(more);
    struct flm_profile *coarse = sanitized(p, "times:1ms", KEY);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(flm_profile_sample_times(coarse)[i] % 1000000, 0);
    assert_int_equal(flm_profile_markers(coarse)[0].duration_ns, 1000000);
    flm_profile_free(coarse);
    flm_profile_free(p);
}

static void what_is_no_rule_or_no_key_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"nam:x", "there is no rule 'nam'"},
        {"names:", "names: of what?"},
        {"names:nobody*", "names:nobody*: no frame matches"},
        {"names:xyz,qq*", "no frame matches (a rule has one pattern: 'names:A | names:B')"},
        {"names:/(/", "never closed"},
        {"modules:mian", "no frame matches"},
        {"files:some", "files: is 'none', not 'some'"},
        {"markers:some", "'none' or 'all'"},
        {"times:fast", "a duration such as 10ms, not 'fast'"},
        {"times:0ms", "a duration"},
        {"times", "times: of what?"},
    };
    struct flm_profile *p = profile_of("main;a 1\n");
    struct flm_error why;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(try_sanitize(p, cases[i][0], KEY, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        if (!strstr(why.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], why.text);
    }
    assert_null(try_sanitize(p, "", "fifteen bytes..", &why));
    assert_non_null(strstr(why.text, "at least 16 bytes, not 15"));
    flm_profile_free(p);
}

/* Comparisons: in one of both is enough, and the caller sees which matched nowhere. */
static void a_pattern_that_matches_nothing_may_be_told(void **state)
{
    struct flm_profile *p = profile_of("main;a 1\n");
    uint64_t unmatched = 0;
    const struct flm_sanitize_options how = {.size = sizeof how,
                                             .rules = "names:b | names:a | modules:x",
                                             .key = KEY,
                                             .key_size = sizeof KEY,
                                             .unmatched = &unmatched};
    (void)state;
    struct flm_profile *clean = flm_sanitize(p, &how, NULL);
    assert_non_null(clean);
    assert_true(unmatched == 5);
    flm_profile_free(clean);
    flm_profile_free(p);
}

/* Stacks that are not exact stay so in words. */
static void what_is_not_shown_is_still_said(void **state)
{
    struct flm_builder *b = flm_builder_new(NULL);
    (void)state;
    flm_builder_add(b, flm_builder_root(b), flm_builder_metric(b, "m", ""), 1);
    flm_builder_note(b, FLM_NOTE_NOT_SHOWN "exact stacks", "why", 3);
    flm_builder_note(b, FLM_NOTE_NOT_SHOWN "libSECRET.so", "SECRET", 6);
    struct flm_profile *p = flm_builder_finish(b, NULL), *clean = sanitized(p, "", KEY);
    assert_int_equal(flm_profile_note_named(clean, FLM_NOTE_NOT_SHOWN "exact stacks").size, 3);
    assert_false(tells(clean, "SECRET"));
    flm_profile_free(clean);
    flm_profile_free(p);
}

static void the_list_has_all_that_is_left(void **state)
{
    struct flm_profile *p = telltale(), *clean = sanitized(p, "names:HIDDEN*", KEY);
    struct flm_text out = {0};
    (void)state;
    assert_true(flm_sanitize_list(clean, flm_text_sink, &out));
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "  functions        app+0x12, load (x.py), main; 1 pseudonym\n"
                                "  modules          app, libhidden.so\n"
                                "  files            app.c, inl.h\n"
                                "  label state      runnable\n"
                                "  label thread     1 pseudonym\n"
                                "  metrics          cpu\n"
                                "  markers          exec\n"
                                "  counters         memory\n"
                                "  times            of 4 samples\n"
                                "  note frequency: 999 Hz\n"
                                "  lost symbols of x\n");
    out.size = 0;
    assert_true(flm_sanitize_list_all(clean, flm_text_sink, &out));
    flm_text_putc(&out, 0);
    assert_non_null(strstr(out.at,
                           "  functions\n    app+0x12\n    load (x.py)\n    main\n    1 pseudonym\n"
                           "  modules\n    app\n    libhidden.so\n"));
    flm_text_clear(&out);
    flm_profile_free(clean);
    flm_profile_free(p);
}

/* A name that is longer than a line, and more names than the short list has. */
static void the_whole_list_has_every_name(void **state)
{
    struct flm_text folded = {0}, out = {0};
    (void)state;
    for (int i = 0; i < 40; i++)
        flm_text_format(&folded,
                        "main;a_rather_long_name_of_a_function_that_does_something_in_the_"
                        "program_%02d %d\n",
                        i, i + 1);
    flm_text_putc(&folded, 0);
    struct flm_profile *p = profile_of(folded.at), *clean = sanitized(p, "", KEY);
    assert_true(flm_sanitize_list_all(clean, flm_text_sink, &out));
    for (uint32_t i = 1; i < flm_profile_frame_count(clean); i++) {
        struct flm_bytes name = flm_frame_function(clean, i);
        struct flm_text line = {0};
        flm_text_format(&line, "\n    %.*s\n", (int)name.size, name.at);
        flm_text_putc(&line, 0);
        assert_true(flm_bytes_contain((struct flm_bytes){out.at, out.size}, line.at));
        flm_text_clear(&line);
    }
    flm_text_clear(&out);
    flm_text_clear(&folded);
    flm_profile_free(clean);
    flm_profile_free(p);
}

static bool work(void *context, struct flm_error *why)
{
    struct flm_profile *clean =
        try_sanitize(context, "names:HIDDEN* | modules:app | labels:a,b", KEY, why);
    struct flm_text out = {0};
    bool good = clean && (flm_sanitize_list(clean, flm_text_sink, &out) || flm_error_memory(why));
    flm_text_clear(&out);
    flm_profile_free(clean);
    return good;
}

static void it_survives_without_memory(void **state)
{
    struct flm_profile *p = telltale();
    (void)state;
    assert_true(assert_survives_failures(work, p) > 50);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_secret_is_left_in_any_format),
        cmocka_unit_test(values_and_shape_stay),
        cmocka_unit_test(the_same_key_keeps_profiles_comparable),
        cmocka_unit_test(rules_leave_out_more_or_less),
        cmocka_unit_test(what_is_no_rule_or_no_key_is_refused),
        cmocka_unit_test(a_pattern_that_matches_nothing_may_be_told),
        cmocka_unit_test(what_is_not_shown_is_still_said),
        cmocka_unit_test(the_list_has_all_that_is_left),
        cmocka_unit_test(the_whole_list_has_every_name),
        cmocka_unit_test(it_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
