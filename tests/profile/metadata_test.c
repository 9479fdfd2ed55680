#include "profile/metadata.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static struct flm_profile *finish(struct flm_builder *b)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static struct flm_node node(struct flm_builder *b, const char *name)
{
    return flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, name, strlen(name)));
}

/* The set of labels "k" with these one-letter values. */
static struct flm_label_set set(struct flm_builder *b, const char *values)
{
    struct flm_string words[2 * 16];
    size_t count = strlen(values);
    for (size_t i = 0; i < count; i++) {
        words[2 * i] = flm_builder_string(b, "k", 1);
        words[2 * i + 1] = flm_builder_string(b, values + i, 1);
    }
    return flm_builder_label_set(b, words, count);
}

/* The one-letter values of a set. */
static const char *values_of(const struct flm_profile *p, uint32_t label_set)
{
    static char text[17];
    size_t size = 0;
    for (uint32_t i = label_set ? p->label_set_ends[label_set - 1] : 0;
         i < p->label_set_ends[label_set]; i++)
        text[size++] = flm_string_bytes(p, p->labels[p->set_members[i]].value).at[0];
    text[size] = 0;
    return text;
}

static void label_sets_are_ordered_by_their_members(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const sets[] = {"zb", "z", "ab", "b", "bz", "a", "abz", "zab"};
    for (int i = 0; i < 8; i++)
        flm_builder_sample(b, i, node(b, "main"), set(b, sets[i]), cpu, 1);
    struct flm_profile *p = finish(b);
    static const char *const expected[] = {"", "a", "ab", "abz", "b", "bz", "z"};
    assert_int_equal(p->sizes.label_set_count, 7); /* "zab" is "abz", "zb" is "bz" */
    for (uint32_t i = 0; i < 7; i++)
        assert_string_equal(values_of(p, i), expected[i]);
    flm_profile_free(p);
}

static void labels_are_ordered_by_key_and_value(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const words[] = {"z", "a", "a", "z", "a", "a", "m", "m"};
    struct flm_string strings[8];
    for (int i = 0; i < 8; i++)
        strings[i] = flm_builder_string(b, words[i], 1);
    flm_builder_sample(b, 0, node(b, "main"), flm_builder_label_set(b, strings, 4), cpu, 1);
    struct flm_profile *p = finish(b);
    static const char *const expected[] = {"aa", "az", "mm", "za"};
    assert_int_equal(p->sizes.label_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(flm_string_bytes(p, p->labels[i].key).at[0], expected[i][0]);
        assert_int_equal(flm_string_bytes(p, p->labels[i].value).at[0], expected[i][1]);
    }
    flm_profile_free(p);
}

static void samples_of_one_time_are_ordered_by_stack_labels_and_values(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const struct {
        const char *stack, *labels;
        double value;
    } given[] = {{"b", "", 1}, {"a", "z", 2}, {"a", "y", 9}, {"a", "y", 3}, {"b", "", 0}};
    for (int i = 0; i < 5; i++)
        flm_builder_sample(b, 7, node(b, given[i].stack), set(b, given[i].labels), cpu,
                           given[i].value);
    struct flm_profile *p = finish(b);
    static const int expected[] = {3, 2, 1, 4, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(p->sample_node[i], given[expected[i]].stack[0] - 'a' + 1);
        assert_string_equal(values_of(p, p->sample_labels[i]), given[expected[i]].labels);
        assert_true(flm_sample_value(p, 0, i) == given[expected[i]].value);
    }
    flm_profile_free(p);
}

static void a_count_of_losses_stays_a_number(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_lost(b, "lines", "line", 1, DBL_MAX);
    flm_builder_lost(b, "lines", "line", 2, DBL_MAX);
    flm_profile_free(finish(b));
}

static bool make_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return false;
    uint32_t strings[100], frames[100];
    struct flm_string words[128];
    bool room = flm_interner_add_profile(&b->interner, p, strings, frames) || flm_error_memory(why);
    for (uint32_t m = 0; room && m < p->sizes.metric_count; m++)
        flm_builder_metric_of(b, strings[p->metrics[m].name], strings[p->metrics[m].unit]);
    for (uint32_t i = 0; room && i < p->sizes.sample_count; i++) {
        for (uint32_t k = 0; k < p->sizes.label_count; k++) {
            words[2 * k].index = strings[p->labels[k].key];
            words[2 * k + 1].index = strings[p->labels[k].value];
        }
        struct flm_label_set labels = flm_builder_label_set(b, words, i % p->sizes.label_count);
        flm_builder_sample(b, p->sample_time[i], flm_builder_root(b), labels,
                           (struct flm_metric){0}, 1);
    }
    for (uint32_t i = 0; room && i < p->sizes.note_count; i++)
        flm_builder_agree_note(b, strings[p->notes[i].key], strings[p->notes[i].value]);
    if (!room) {
        flm_builder_free(b);
        return false;
    }
    struct flm_profile *made = flm_builder_finish(b, why);
    flm_profile_free(made);
    return made != NULL;
}

static void facts_survive_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 6;
    struct flm_profile *p = random_profile(&random, &random_full);
    assert_true(p->sizes.string_count < 100 && p->sizes.frame_count < 100);
    assert_true(p->sizes.label_count > 3 && p->sizes.label_count < 64);
    assert_true(assert_survives_failures(make_all, p) > 40);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(label_sets_are_ordered_by_their_members),
        cmocka_unit_test(labels_are_ordered_by_key_and_value),
        cmocka_unit_test(samples_of_one_time_are_ordered_by_stack_labels_and_values),
        cmocka_unit_test(a_count_of_losses_stays_a_number),
        cmocka_unit_test(facts_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
