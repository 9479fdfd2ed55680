#include "format/flm/chain_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/core/array.h"
#include "flamel/builder.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

struct symbols {
    struct FLM_ARRAY(uint32_t) kind[FLM_CHAIN_SYMBOLS];
    size_t taken[FLM_CHAIN_SYMBOLS];
    uint64_t random; /* of damaged ones */
};

static uint32_t put(void *context, enum flm_chain_symbol kind, uint32_t situation, uint32_t symbol)
{
    struct symbols *s = context;
    assert_true(situation < (kind == FLM_CHAIN_IS_CALLER    ? FLM_CHAIN_CALLER_SITUATIONS
                             : kind < FLM_CHAIN_PLACE_INNER ? FLM_CHAIN_COUNT_SITUATIONS
                                                            : FLM_CHAIN_PLACE_SITUATIONS));
    assert_true(FLM_ARRAY_ADD(&s->kind[kind], symbol));
    return symbol;
}

static uint32_t take(void *context, enum flm_chain_symbol kind, uint32_t situation, uint32_t symbol)
{
    struct symbols *s = context;
    (void)symbol;
    (void)situation;
    size_t at = s->taken[kind]++;
    return at < s->kind[kind].count ? s->kind[kind].at[at] : 0;
}

static uint32_t take_damaged(void *context, enum flm_chain_symbol kind, uint32_t situation,
                             uint32_t symbol)
{
    struct symbols *s = context;
    symbol = take(context, kind, situation, symbol);
    return random_below(&s->random, 20) > 0
               ? symbol
               : (uint32_t)random_next(&s->random) >> random_below(&s->random, 32);
}

static void clear(struct symbols *s)
{
    for (size_t i = 0; i < FLM_CHAIN_SYMBOLS; i++)
        FLM_ARRAY_CLEAR(&s->kind[i]);
}

static struct symbols write_as(const struct flm_profile *p, bool without_inlined)
{
    struct symbols s = {0};
    struct flm_chain_walk walk;
    assert_true(flm_chain_walk_init(&walk, p, true));
    walk.without_inlined = without_inlined;
    walk.code = put;
    walk.context = &s;
    assert_int_equal(flm_chain_walk(&walk), FLM_CHAIN_WALKED);
    flm_chain_walk_clear(&walk);
    return s;
}

static struct symbols write_symbols(const struct flm_profile *p)
{
    return write_as(p, false);
}

/* A profile with the tree, the samples and the sizes of `p`, whose chains are to be read. */
static struct flm_profile *without_chains(const struct flm_profile *p)
{
    struct flm_profile *q = flm_profile_allocate(&p->sizes, NULL);
    assert_non_null(q);
    memcpy(q->frames, p->frames, p->sizes.frame_count * sizeof *q->frames);
    memcpy(q->node_frame, p->node_frame, p->sizes.node_count * sizeof *q->node_frame);
    memcpy(q->node_end, p->node_end, p->sizes.node_count * sizeof *q->node_end);
    if (p->sizes.sample_count)
        memcpy(q->sample_node, p->sample_node, p->sizes.sample_count * sizeof *q->sample_node);
    return q;
}

static void assert_read_as_written(const struct flm_profile *p)
{
    struct symbols s = write_symbols(p);
    struct flm_profile *q = without_chains(p);
    struct flm_chain_walk walk;
    assert_true(flm_chain_walk_init(&walk, q, false));
    walk.code = take;
    walk.context = &s;
    assert_int_equal(flm_chain_walk(&walk), FLM_CHAIN_WALKED);
    for (size_t i = 0; i < FLM_CHAIN_SYMBOLS; i++)
        assert_int_equal(s.taken[i], s.kind[i].count);
    const size_t chains = p->sizes.chain_count;
    assert_memory_equal(q->node_chains, p->node_chains, p->sizes.node_count * sizeof(uint32_t));
    assert_memory_equal(q->chain_caller, p->chain_caller, chains * sizeof(uint32_t));
    for (size_t i = 0; i < chains; i++)
        assert_int_equal(walk.chain_location[i] == FLM_NONE, p->chain_place[i] == 0);
    flm_chain_walk_clear(&walk);
    clear(&s);
    flm_profile_free(q);
}

/* main calls `work` from each of `calls` lines, where it is at as many lines as `places`. */
static struct flm_profile *wide(uint32_t calls, uint32_t places)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    uint64_t random = 5;
    for (uint32_t i = 0; i < calls; i++) {
        struct flm_location call = {.address = 64 + i},
                            at = {.address = 4096 + random_below(&random, places)};
        struct flm_frame main = flm_builder_frame_at(b, flm_builder_function(b, "main", 4), &call);
        struct flm_frame work = flm_builder_frame_at(b, flm_builder_function(b, "work", 4), &at);
        struct flm_frame leaf = flm_builder_function(b, i % 3 ? "leaf" : "other", i % 3 ? 4 : 5);
        struct flm_node node =
            flm_builder_child(b, flm_builder_child(b, flm_builder_root(b), main), work);
        flm_builder_add(b, flm_builder_child(b, node, leaf), metric, 1);
        flm_builder_add(b, node, metric, 2);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    uint64_t random = 3;
    unsigned with_chains = 0;
    for (unsigned i = 0; i < 300; i++) {
        struct random_shape shape = random_full;
        shape.stacks = random_below(&random, 80);
        shape.deepest = 1 + random_below(&random, 12);
        shape.samples = (enum random_samples)random_below(&random, 3);
        struct flm_profile *p = random_profile(&random, &shape);
        if (p->sizes.chain_count) {
            assert_read_as_written(p);
            with_chains++;
        }
        flm_profile_free(p);
    }
    assert_true(with_chains > 200);
}

static void nodes_with_very_many_callers_and_lines_too(void **state)
{
    (void)state;
    const uint32_t calls[] = {1, 2, 63, 64, 65, 400};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct flm_profile *p = wide(calls[i], 300);
        assert_read_as_written(p);
        flm_profile_free(p);
    }
    struct flm_profile *p = wide(400, 300);
    struct symbols s = write_symbols(p);
    assert_true(s.kind[FLM_CHAIN_CALLER_GAP].count > 0 && s.kind[FLM_CHAIN_PLACE_AGO].count > 0);
    clear(&s);
    flm_profile_free(p);
}

static void calls_that_were_seen_before_are_guessed(void **state)
{
    (void)state;
    /* 200 threads that do the same: their stacks are others, their lines are not. */
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (unsigned i = 0; i < 200; i++) {
        char thread[] = "t00";
        thread[1] = (char)('a' + i / 20);
        thread[2] = (char)('a' + i % 20);
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, thread, 3));
        for (uint64_t depth = 0; depth < 5; depth++) {
            char name[] = "f0";
            name[1] = (char)('0' + depth);
            struct flm_location at = {.address = 100 * depth + 7};
            node = flm_builder_child(
                b, node, flm_builder_frame_at(b, flm_builder_function(b, name, 2), &at));
        }
        flm_builder_add(b, node, metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct symbols s = write_symbols(p);
    unsigned missed = 0, count = 0;
    for (int kind = FLM_CHAIN_PLACE_INNER; kind <= FLM_CHAIN_PLACE_LEAF; kind++)
        for (size_t i = 0; i < s.kind[kind].count; i++, count++)
            missed += s.kind[kind].at[i] != 0;
    assert_int_equal(count, 1200);
    assert_true(missed <= 200); /* threads have no lines, which is no guess */
    clear(&s);
    flm_profile_free(p);
}

/* Calls from 50 lines, each again and again in stacks of other threads, with what is inlined there:
 * where it is in the stack before says nothing. */
static struct flm_profile *inlining(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    uint64_t random = 3;
    for (unsigned i = 0; i < 2000; i++) {
        char thread[] = "t0";
        thread[1] = (char)('a' + i % 20);
        uint64_t line = random_below(&random, 50);
        struct flm_location call = {.address = 64 + line}, at = {.address = 64 + line, .line = 7};
        struct flm_frame work = flm_builder_frame_at(b, flm_builder_function(b, "work", 4), &call);
        struct flm_frame_record get = {.function = flm_builder_string(b, "get", 3).index,
                                       .kind = FLM_KIND_INLINED};
        struct flm_frame inlined = flm_builder_frame_at(b, flm_builder_frame(b, &get), &at);
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, thread, 2));
        node = flm_builder_child(b, flm_builder_child(b, node, work), inlined);
        char leaf[] = "leaf0";
        leaf[4] = (char)('0' + random_below(&random, 40));
        node = flm_builder_child(b, node, flm_builder_function(b, leaf, 5));
        flm_builder_add(b, node, metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void inlined_code_is_guessed_by_where_it_is_called_from(void **state)
{
    (void)state;
    struct flm_profile *p = inlining();
    assert_read_as_written(p);
    unsigned missed[2] = {0};
    for (int without = 0; without < 2; without++) {
        struct symbols s = write_as(p, without);
        size_t count = s.kind[FLM_CHAIN_PLACE_INNER].count;
        assert_true(count > 500);
        for (size_t i = 0; i < count; i++)
            missed[without] += s.kind[FLM_CHAIN_PLACE_INNER].at[i] > 1; /* 1: a new one */
        clear(&s);
    }
    assert_true(missed[0] + 300 < missed[1]);
    flm_profile_free(p);
}

static void damaged_symbols_are_noticed_or_harmless(void **state)
{
    (void)state;
    uint64_t random = 9;
    unsigned damaged = 0;
    for (unsigned i = 0; i < 2000; i++) {
        struct random_shape shape = random_full;
        shape.stacks = 1 + random_below(&random, 40);
        struct flm_profile *p = i % 50 == 0 ? wide(100, 90) : random_profile(&random, &shape);
        if (p->sizes.chain_count) {
            struct symbols s = write_symbols(p);
            struct flm_profile *q = without_chains(p);
            struct flm_chain_walk walk;
            s.random = i + 1;
            assert_true(flm_chain_walk_init(&walk, q, false));
            walk.code = take_damaged;
            walk.context = &s;
            damaged += flm_chain_walk(&walk) == FLM_CHAIN_DAMAGED;
            flm_chain_walk_clear(&walk);
            clear(&s);
            flm_profile_free(q);
        }
        flm_profile_free(p);
    }
    assert_true(damaged > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(nodes_with_very_many_callers_and_lines_too),
        cmocka_unit_test(calls_that_were_seen_before_are_guessed),
        cmocka_unit_test(inlined_code_is_guessed_by_where_it_is_called_from),
        cmocka_unit_test(damaged_symbols_are_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
