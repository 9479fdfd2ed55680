#include "algebra/operation/kept_markers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/algebra.h"
#include "algebra/operation/operations.h"
#include "base/text/text.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_string word(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

static struct flm_label_set labeled(struct flm_builder *b, const char *key, const char *value)
{
    struct flm_string label[2] = {word(b, key), word(b, value)};
    return flm_builder_label_set(b, label, *key ? 1 : 0);
}

/* Two processes and what happened in them; times are shifted by `at`. */
static struct flm_profile *two_processes(int64_t at)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node run =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "run", 3));
    flm_builder_sample(b, at + 10, run, labeled(b, "process", "1"), cpu, 4);
    flm_builder_sample(b, at + 90, run, labeled(b, "process", "2"), cpu, 2);
    struct flm_string none = {0};
    flm_builder_marker(b, at + 5, 0, word(b, "exec"), word(b, "a"), labeled(b, "process", "1"));
    flm_builder_marker(b, at + 60, 0, word(b, "exec"), word(b, "b"), labeled(b, "process", "2"));
    flm_builder_marker(b, at + 20, 30, word(b, "pause"), none, labeled(b, "", ""));
    flm_builder_marker(b, at + 70, 0, word(b, "load"), none, labeled(b, "host", "h"));
    const char *const processes[] = {"1", "2"};
    for (int i = 0; i < 2; i++) {
        struct flm_counter c = flm_builder_counter(b, word(b, "memory"), word(b, "bytes"),
                                                   labeled(b, "process", processes[i]));
        flm_builder_counter_point(b, c, at + 10 + 50 * i, 100 + i);
        flm_builder_counter_point(b, c, at + 30 + 50 * i, 200 + i);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_sound(p);
    return p;
}

/* The markers and counters as text: "exec a 5; memory 100@10 ..." */
static void happened(struct flm_profile *p, const char *expected)
{
    struct flm_text text = {0};
    assert_non_null(p);
    assert_sound(p);
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        const struct flm_marker_record *m = &p->markers[i];
        struct flm_bytes name = flm_string_bytes(p, m->name);
        struct flm_bytes detail = flm_string_bytes(p, m->detail);
        flm_text_format(&text, "%.*s%.*s %lld", (int)name.size, name.at, (int)detail.size,
                        detail.at, (long long)m->time_ns);
        if (m->duration_ns > 0)
            flm_text_format(&text, "+%lld", (long long)m->duration_ns);
        flm_text_puts(&text, ", ");
    }
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        flm_text_puts(&text, "memory");
        for (uint32_t k = 0; k < c.point_count; k++)
            flm_text_format(&text, " %lld@%lld", (long long)c.value[k], (long long)c.time_ns[k]);
        flm_text_puts(&text, ", ");
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static const char everything[] = "execa 5, pause 20+30, execb 60, load 70, "
                                 "memory 100@10 200@30, memory 101@60 201@80, ";

static void a_range_of_time_has_what_lies_in_it(void **state)
{
    (void)state;
    struct flm_profile *p = two_processes(0);
    static const struct {
        int64_t from, to;
        const char *expected;
    } cases[] = {
        {INT64_MIN, INT64_MAX, everything},
        {0, 1000, everything},
        {5, 6, "execa 5, "},
        {6, 20, "memory 100@10, "},
        {20, 21, "pause 20+1, memory 100@20, "},
        {40, 60, "pause 40+10, memory 200@40, "},
        {30, 61, "pause 30+20, execb 60, memory 200@30, memory 101@60, "},
        {50, INT64_MAX, "execb 60, load 70, memory 200@50, memory 101@60 201@80, "},
        {300, INT64_MAX, "memory 200@300, memory 201@300, "},
        {40, 40, ""},
        {60, 40, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        happened(flm_keep_time(p, cases[i].from, cases[i].to, NULL), cases[i].expected);
    flm_profile_free(p);
}

static void a_label_keeps_what_agrees_and_what_has_no_such_label(void **state)
{
    (void)state;
    struct flm_profile *p = two_processes(0);
    struct flm_bytes key = flm_bytes_of("process");
    static const char second[] = "pause 20+30, execb 60, load 70, memory 101@60 201@80, ";
    happened(flm_keep_label(p, key, flm_bytes_of("2"), true, NULL), second);
    happened(flm_keep_label(p, key, flm_bytes_of("1"), false, NULL), second);
    happened(flm_keep_label(p, key, flm_bytes_of("1,2"), true, NULL), everything);
    happened(flm_keep_label(p, key, flm_bytes_of(""), true, NULL), everything);
    happened(flm_keep_label(p, key, flm_bytes_of(""), false, NULL), "pause 20+30, load 70, ");
    happened(flm_keep_label(p, flm_bytes_of("host"), flm_bytes_of("x"), true, NULL),
             "execa 5, pause 20+30, execb 60, memory 100@10 200@30, memory 101@60 201@80, ");
    flm_profile_free(p);
}

static void merged_profiles_have_what_each_has(void **state)
{
    (void)state;
    struct flm_profile *a = two_processes(0), *b = two_processes(1000), *same = two_processes(0);
    const struct flm_profile *both[] = {a, b}, *twice[] = {a, same};
    happened(flm_align(both, 2, FLM_ALIGN_ADD, NULL, NULL),
             "execa 5, pause 20+30, execb 60, load 70, "
             "execa 1005, pause 1020+30, execb 1060, load 1070, "
             "memory 100@10 200@30 100@1010 200@1030, memory 101@60 201@80 101@1060 201@1080, ");
    happened(flm_align(twice, 2, FLM_ALIGN_ADD, NULL, NULL),
             "execa 5, execa 5, pause 20+30, pause 20+30, execb 60, execb 60, load 70, load 70, "
             "memory 100@10 200@30, memory 101@60 201@80, ");
    flm_profile_free(a);
    flm_profile_free(b);
    flm_profile_free(same);
}

/* As samples, whose time is that of one of two recordings. */
static void a_comparison_has_none(void **state)
{
    (void)state;
    struct flm_profile *a = two_processes(0), *b = two_processes(0);
    const struct flm_profile *both[] = {a, b};
    const char *const names[] = {"before", "after"};
    happened(flm_align(both, 2, FLM_ALIGN_SIDE_BY_SIDE, names, NULL), "");
    flm_profile_free(a);
    flm_profile_free(b);
}

static void what_changes_stacks_leaves_them(void **state)
{
    (void)state;
    struct flm_profile *p = two_processes(0);
    unsigned char marks[2] = {0, 1};
    assert_int_equal(p->sizes.frame_count, 2);
    happened(flm_invert(p, NULL), everything);
    happened(flm_focus(p, marks, NULL), everything);
    happened(flm_hide(p, marks, NULL), everything);
    happened(flm_keep(p, marks, false, NULL), everything);
    happened(flm_truncate(p, 1, NULL), everything);
    happened(flm_select(p, 0, NULL), everything);
    happened(flm_split(p, flm_bytes_of("process"), NULL), everything);
    flm_profile_free(p);
}

static void without_samples_they_stay_too(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                    cpu, 3);
    flm_builder_marker(b, 7, 0, word(b, "exec"), word(b, "a"), (struct flm_label_set){0});
    struct flm_profile *p = flm_builder_finish(b, NULL);
    const struct flm_profile *both[] = {p, p};
    unsigned char marks[2] = {0, 1};
    happened(flm_invert(p, NULL), "execa 7, ");
    happened(flm_keep(p, marks, true, NULL), "execa 7, ");
    happened(flm_align(both, 2, FLM_ALIGN_ADD, NULL, NULL), "execa 7, execa 7, ");
    flm_profile_free(p);
}

/* Parts of the time, merged again, have every instant once. */
static void adjacent_ranges_have_every_instant_once(void **state)
{
    (void)state;
    uint64_t random = 17;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        int64_t cut = (int64_t)random_below(&random, 1000) * 1000000;
        struct flm_profile *first = flm_keep_time(p, INT64_MIN, cut, NULL);
        struct flm_profile *rest = flm_keep_time(p, cut, INT64_MAX, NULL);
        uint32_t instants = 0, found = 0;
        int64_t lasting = 0, kept = 0;
        for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
            instants += p->markers[i].duration_ns == 0;
            lasting += p->markers[i].duration_ns;
        }
        const struct flm_profile *const parts[] = {first, rest};
        for (int k = 0; k < 2; k++) {
            assert_sound(parts[k]);
            for (uint32_t i = 0; i < parts[k]->sizes.marker_count; i++) {
                found += parts[k]->markers[i].duration_ns == 0;
                kept += parts[k]->markers[i].duration_ns;
            }
        }
        assert_int_equal(found, instants);
        assert_int_equal(kept, lasting);
        flm_profile_free(first);
        flm_profile_free(rest);
        flm_profile_free(p);
    }
}

static bool restrict_both(void *context, struct flm_error *why)
{
    struct flm_profile *q = flm_keep_time(context, 15, 85, why);
    struct flm_profile *r =
        q ? flm_keep_label(context, flm_bytes_of("process"), flm_bytes_of("1"), true, why) : NULL;
    flm_profile_free(q);
    flm_profile_free(r);
    return r != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = two_processes(0);
    assert_survives_failures(restrict_both, p);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_of_time_has_what_lies_in_it),
        cmocka_unit_test(a_label_keeps_what_agrees_and_what_has_no_such_label),
        cmocka_unit_test(merged_profiles_have_what_each_has),
        cmocka_unit_test(a_comparison_has_none),
        cmocka_unit_test(what_changes_stacks_leaves_them),
        cmocka_unit_test(without_samples_they_stay_too),
        cmocka_unit_test(adjacent_ranges_have_every_instant_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
