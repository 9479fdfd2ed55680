/* A profile of so many nodes: which stay, and that the rest is counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/operations.h"
#include "base/number/number.h"
#include "flamel/algebra.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static bool is_other(struct model_frame frame)
{
    return strcmp(frame.function, "[other]") == 0;
}

/* ---- The paths that stayed ------------------------------------------------------------------- */

struct path {
    struct model_frame frames[64];
    size_t depth;
};

struct paths {
    struct path *at;
    size_t count;
};

static struct paths paths_of(const struct flm_profile *p)
{
    struct paths paths = {calloc(p->sizes.node_count, sizeof *paths.at), p->sizes.node_count};
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    assert_true(paths.at && parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        struct path *path = &paths.at[i];
        *path = paths.at[parent[i]];
        assert_true(path->depth < 64);
        path->frames[path->depth++] = model_frame_of(p, p->node_frame[i]);
    }
    free(parent);
    return paths;
}

static bool is_kept(const struct paths *paths, const struct model_stack *stack, size_t depth)
{
    for (size_t i = 0; i < paths->count; i++) {
        size_t same = 0;
        while (paths->at[i].depth == depth && same < depth &&
               model_frames_equal(paths->at[i].frames[same], stack->frames[same]))
            same++;
        if (paths->at[i].depth == depth && same == depth)
            return true;
    }
    return false;
}

struct cutting {
    const struct paths *kept;
    struct model_frame other;
};

/* Where a stack leaves what was kept, it ends with the frame for the others. */
static bool cut(struct model_stack *stack, void *context)
{
    const struct cutting *c = context;
    size_t depth = 0;
    while (depth < stack->depth && is_kept(c->kept, stack, depth + 1))
        depth++;
    if (depth < stack->depth) {
        stack->frames[depth] = c->other;
        stack->depth = depth + 1;
    }
    return true;
}

static struct model_frame other_of(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        if (is_other(model_frame_of(p, i)))
            return model_frame_of(p, i);
    return (struct model_frame){.function = model_text("")};
}

static struct flm_profile *limited(const struct flm_profile *p, uint32_t most)
{
    struct flm_error why = {0};
    struct flm_profile *q = flm_limit_nodes(p, most, &why);
    if (!q)
        fail_msg("%s", why.text);
    assert_sound(q);
    assert_true(q->sizes.node_count - 1 <= most || p->sizes.node_count <= 1);
    return q;
}

static struct flm_profile *by_chance(uint64_t *random, int round)
{
    struct random_shape shape = random_full;
    shape.stacks = random_below(random, 60);
    shape.names = 3 + random_below(random, 6);
    shape.negative = round % 3 == 1;
    shape.locations = false;
    shape.samples = round % 2 ? RANDOM_SAMPLES_ALL : RANDOM_SAMPLES_SOME;
    return random_profile(random, &shape);
}

/* ---- The laws -------------------------------------------------------------------------------- */

static void what_is_not_kept_is_summed_where_it_was_called(void **state)
{
    (void)state;
    uint64_t random = 29;
    for (int round = 0; round < 200; round++) {
        struct flm_profile *p = by_chance(&random, round);
        uint32_t most = 1 + random_below(&random, p->sizes.node_count);
        struct flm_profile *q = limited(p, most);
        struct paths kept = paths_of(q);
        struct cutting cutting = {&kept, other_of(q)};
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, cut, &cutting);
        assert_models_equal(&got, &expected);
        got = model_of_samples(q);
        expected = model_of_samples(p);
        model_apply(&expected, cut, &cutting);
        assert_models_equal(&got, &expected);
        free(kept.at);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static uint32_t others_in(const struct flm_profile *p)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        count += is_other(model_frame_of(p, p->node_frame[i]));
    return count;
}

static void those_that_are_merged_are_counted(void **state)
{
    (void)state;
    uint64_t random = 31;
    for (int round = 0; round < 100; round++) {
        struct flm_profile *p = by_chance(&random, round);
        for (uint32_t most = 1; most <= p->sizes.node_count; most += 1 + most / 4) {
            struct flm_profile *q = limited(p, most), *again = limited(q, (most + 1) / 2);
            struct flm_name note = flm_profile_note_named(q, FLM_NOTE_MERGED);
            uint64_t merged = 0, both = 0;
            if (note.at)
                flm_number_parse_uint((struct flm_bytes){note.at, note.size}, &merged);
            assert_int_equal(p->sizes.node_count, q->sizes.node_count - others_in(q) + merged);
            note = flm_profile_note_named(again, FLM_NOTE_MERGED);
            if (note.at)
                flm_number_parse_uint((struct flm_bytes){note.at, note.size}, &both);
            assert_true(both >= merged);
            if (most + 1 >= p->sizes.node_count)
                assert_profiles_equal(p, q);
            flm_profile_free(again);
            flm_profile_free(q);
        }
        flm_profile_free(p);
    }
}

/* With room for one more, one more would be kept: none is smaller than one that is merged. */
static void the_heaviest_are_kept(void **state)
{
    (void)state;
    static const char folded[] = "a;b 50\na;c 9\na;d 8\na;e;f 7\ng 20\nh;i;j 6\n";
    /* Of two, a would be one, and what is below it and beside it two more. */
    static const struct {
        uint32_t most;
        const char *folded;
    } expected[] = {
        {1, "[other] 100\n"},
        {2, "[other] 100\n"},
        {3, "[other] 26\na;[other] 74\n"},
        {4, "[other] 26\na;[other] 24\na;b 50\n"},
        {5, "[other] 6\na;[other] 24\na;b 50\ng 20\n"},
    };
    struct flm_profile *p = profile_of(folded);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct flm_profile *q = limited(p, expected[i].most);
        assert_folded(q, expected[i].folded);
        flm_profile_free(q);
    }
    flm_profile_free(p);
}

static bool limit_two(void *context, struct flm_error *why)
{
    struct flm_profile *q = flm_limit_nodes(context, 2, why);
    bool good = q != NULL;
    flm_profile_free(q);
    return good;
}

static void a_limit_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b 1\na;c 2\nd 3\n");
    assert_true(assert_survives_failures(limit_two, p) > 20);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_kept_is_summed_where_it_was_called),
        cmocka_unit_test(those_that_are_merged_are_counted),
        cmocka_unit_test(the_heaviest_are_kept),
        cmocka_unit_test(a_limit_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
