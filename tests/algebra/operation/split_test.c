#include "algebra/operation/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const struct flm_bytes thread_key = {"thread", 6};

static struct flm_profile *sampled(uint64_t *random, bool kinds)
{
    struct random_shape shape = random_full;
    shape.stacks = 5 + random_below(random, 60);
    shape.names = 3 + random_below(random, 12);
    shape.negative = random_below(random, 3) == 0;
    shape.kinds = kinds;
    return random_profile(random, &shape);
}

/* The first value of the key in a label set; NULL: none. */
static const char *value_of(const struct flm_profile *p, uint32_t set)
{
    static char text[64];
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        struct flm_label_record label = p->labels[p->set_members[i]];
        struct flm_bytes value = flm_string_bytes(p, label.value);
        if (!flm_bytes_equal(flm_string_bytes(p, label.key), thread_key))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)value.size, value.at);
        return model_text(text);
    }
    return NULL;
}

static bool as_it_is(struct model_stack *stack, void *context)
{
    (void)stack, (void)context;
    return true;
}

/* Each sample's stack with the value in front, one sample after the other. */
static struct model split_plainly(const struct flm_profile *p)
{
    struct model m = {calloc(p->sizes.sample_count + 1, sizeof *m.stacks), p->sizes.sample_count};
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    assert_true(m.stacks && parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        struct model_stack *stack = &m.stacks[i];
        uint32_t depth = 1;
        for (uint32_t node = p->sample_node[i]; node != 0; node = parent[node])
            depth++;
        stack->frames = calloc(depth, sizeof *stack->frames);
        assert_non_null(stack->frames);
        stack->depth = depth;
        for (uint32_t node = p->sample_node[i]; node != 0; node = parent[node])
            stack->frames[--depth] = model_frame_of(p, p->node_frame[node]);
        const char *value = value_of(p, p->sample_labels[i]);
        stack->frames[0] =
            (struct model_frame){.function = value ? value : model_text("(no thread)"),
                                 .module = model_text(""),
                                 .file = model_text(""),
                                 .kind = FLM_KIND_LABEL};
        for (uint32_t k = 0; k < p->sizes.metric_count; k++)
            stack->value[k] = flm_sample_value(p, k, i);
    }
    free(parent);
    model_apply(&m, as_it_is, NULL);
    return m;
}

static void stacks_stand_below_the_value_of_their_samples(void **state)
{
    (void)state;
    uint64_t random = 301;
    int done = 0;
    for (int round = 0; round < 100; round++) {
        struct flm_error why = {0};
        struct flm_profile *p = sampled(&random, round % 2);
        struct flm_profile *q = flm_split(p, thread_key, &why);
        if (q) {
            assert_sound(q);
            assert_true(unsampled(q) == 0);
            assert_int_equal(q->sizes.sample_count, p->sizes.sample_count);
            struct model got = model_of(q), expected = split_plainly(p);
            assert_models_equal(&got, &expected);
            got = model_of_samples(q);
            expected = split_plainly(p);
            assert_models_equal(&got, &expected);
            done++;
        } else {
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
        }
        flm_profile_free(p);
        flm_profile_free(q);
    }
    assert_true(done > 90);
}

static void without_the_values_it_is_the_profile_again(void **state)
{
    (void)state;
    uint64_t random = 302;
    for (int round = 0; round < 60; round++) {
        struct flm_profile *p = sampled(&random, false);
        struct flm_profile *q = flm_apply(p, "split:thread | hide:kind=label", NULL, NULL);
        struct flm_profile *same = flm_apply(p, "hide:kind=label", NULL, NULL);
        if (q)
            assert_profiles_equal(q, same);
        flm_profile_free(p);
        flm_profile_free(q);
        flm_profile_free(same);
    }
}

static void what_cannot_be_split_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    uint64_t random = 304;
    struct random_shape shape = random_full;
    struct flm_profile *p = random_profile(&random, &shape);
    assert_null(flm_split(p, flm_bytes_of("request"), &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "no sample has a label 'request'"));
    assert_null(flm_split(p, flm_bytes_of(""), &why));
    flm_profile_free(p);
    shape.samples = RANDOM_SAMPLES_SOME;
    p = random_profile(&random, &shape);
    assert_null(flm_split(p, thread_key, &why));
    assert_non_null(strstr(why.text, "without samples of their own"));
    flm_profile_free(p);
    p = profile_of("a;b 1\n");
    assert_null(flm_split(p, thread_key, &why));
    assert_non_null(strstr(why.text, "no samples"));
    flm_profile_free(p);
}

static bool split_one(void *context, struct flm_error *why)
{
    struct flm_profile *q = flm_split(context, thread_key, why);
    flm_profile_free(q);
    return q != NULL;
}

static void splitting_survives_failed_allocations(void **state)
{
    (void)state;
    uint64_t random = 305;
    struct flm_profile *p = sampled(&random, true);
    assert_true(assert_survives_failures(split_one, p) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_stand_below_the_value_of_their_samples),
        cmocka_unit_test(without_the_values_it_is_the_profile_again),
        cmocka_unit_test(what_cannot_be_split_is_refused),
        cmocka_unit_test(splitting_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
