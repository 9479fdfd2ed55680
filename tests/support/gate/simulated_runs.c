#include "support/gate/simulated_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/gate/deviates.h"

/* The tree: inner nodes are called by one of the twenty before them, so that stacks are six frames
 * deep on average, and leaves by any. */
enum { INNER = 109, BARE = 15, RECENT = 20, SMALL_STACKS = 40 };

static const double samples = 10000;
static const double size_spread =
    1.45; /* of logarithms: 120 stacks of 300 have less than 5 samples */

/* ---- A program ------------------------------------------------------------------------------- */

bool simulated_is_below(const struct simulated_program *program, uint32_t node, uint32_t above)
{
    while (node != FLM_NONE && node > above)
        node = program->parent[node];
    return node == above;
}

static uint32_t below(struct flm_random *random, uint32_t limit)
{
    return (uint32_t)flm_random_below(random, limit);
}

static void grow_tree(struct simulated_program *p, struct flm_random *random)
{
    p->parent[0] = FLM_NONE;
    for (uint32_t i = 1; i < SIMULATED_NODES; i++) {
        uint32_t first = i < INNER && i > RECENT ? i - RECENT : 0;
        p->parent[i] = first + below(random, (i < INNER ? i : INNER) - first);
    }
    p->appeared = SIMULATED_NODES - 1;
}

/* By node: how many stacks end at it or below. */
static void count_stacks(const struct simulated_program *p, uint32_t *stacks)
{
    for (uint32_t i = SIMULATED_NODES; i-- > 0;)
        stacks[i] = p->mean[i] > 0;
    for (uint32_t i = SIMULATED_NODES; i-- > 1;)
        stacks[p->parent[i]] += stacks[i];
}

/* Whether one of them is below the other. */
static bool overlap(const struct simulated_program *p, uint32_t a, uint32_t b)
{
    return simulated_is_below(p, a, b) || simulated_is_below(p, b, a);
}

/* A subtree of so many stacks, apart from the `count` others; FLM_NONE: there is none. */
static uint32_t find_subtree(const struct simulated_program *p, struct flm_random *random,
                             const uint32_t *stacks, uint32_t fewest, uint32_t most,
                             const uint32_t *others, uint32_t count)
{
    uint32_t chosen = FLM_NONE, seen = 0;
    for (uint32_t i = 1; i < INNER; i++) {
        uint32_t k = 0;
        while (k < count && !overlap(p, i, others[k]))
            k++;
        if (k == count && stacks[i] >= fewest && stacks[i] <= most && below(random, ++seen) == 0)
            chosen = i;
    }
    return chosen;
}

/* None of what it calls has more than half of its stacks: then the change would be theirs. */
static bool is_spread(const struct simulated_program *p, const uint32_t *stacks, uint32_t node)
{
    for (uint32_t i = node + 1; i < SIMULATED_NODES; i++)
        if (p->parent[i] == node && 2 * stacks[i] > stacks[node])
            return false;
    return true;
}

/* A subtree that is neither a few stacks nor most of them. */
static uint32_t some_subtree(struct flm_random *random, const uint32_t *stacks)
{
    for (;;) {
        uint32_t node = 1 + below(random, INNER - 1);
        if (stacks[node] >= 5 && stacks[node] <= SIMULATED_STACKS / 2)
            return node;
    }
}

static void draw_sizes(struct simulated_program *p, struct flm_random *random)
{
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        p->mean[i] = exp(size_spread * deviate_normal(random));
    p->mean[p->appeared] = 0;
    p->mean[0] = 0;
    for (uint32_t bare = 1; bare < BARE;) {
        uint32_t node = 1 + below(random, INNER - 1);
        bare += p->mean[node] > 0;
        p->mean[node] = 0;
    }
}

/* The frame, and other subtrees that move together; false if the tree has none. */
static bool find_subtrees(struct simulated_program *p, struct flm_random *random)
{
    uint32_t found[1 + SIMULATED_LATENT], stacks[SIMULATED_NODES];
    count_stacks(p, stacks);
    for (uint32_t i = 0; i < 1 + SIMULATED_LATENT; i++) {
        found[i] =
            i == 0 ? find_subtree(p, random, stacks, SMALL_STACKS - 3, SMALL_STACKS + 3, NULL, 0)
                   : find_subtree(p, random, stacks, 20, 40, found, i);
        if (found[i] == FLM_NONE)
            return false;
    }
    p->frame = found[0];
    memcpy(p->latent, found + 1, sizeof p->latent);
    for (int i = 0; i < SIMULATED_LATENT; i++)
        p->nested[i] = some_subtree(random, stacks);
    p->drifting = some_subtree(random, stacks);
    return is_spread(p, stacks, p->frame) && !simulated_is_below(p, p->appeared, p->frame);
}

/* A stack that has no part yet: of those that move with `latent` 0, or of those that move alone. */
static uint32_t take_stack(const struct simulated_program *p, struct flm_random *random,
                           const bool *taken, bool is_latent)
{
    for (;;) {
        uint32_t node = 1 + below(random, SIMULATED_NODES - 1);
        bool moves = false;
        for (int i = 0; i < SIMULATED_LATENT; i++)
            moves |= simulated_is_below(p, node, p->latent[i]);
        if (!taken[node] && p->mean[node] > 0 &&
            (is_latent ? simulated_is_below(p, node, p->latent[0]) : !moves))
            return node;
    }
}

static void scale(struct simulated_program *p, const bool *these, bool taken, double share)
{
    double sum = 0;
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        sum += these[i] == taken ? p->mean[i] : 0;
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        p->mean[i] *= these[i] == taken ? share * samples / sum : 1;
}

struct simulated_program simulated_program(uint64_t seed)
{
    static const double shares[] = {0.32, 0.05, 0.03, 0.03, 0.01, 0.004}, spread = 0.107;
    struct simulated_program p = {.renamed = FLM_NONE};
    struct flm_random random = {seed};
    bool taken[SIMULATED_NODES] = {false};
    double rest = 1 - spread;
    do {
        grow_tree(&p, &random);
        draw_sizes(&p, &random);
    } while (!find_subtrees(&p, &random));
    for (uint32_t i = p.frame; i < SIMULATED_NODES; i++)
        taken[i] = simulated_is_below(&p, i, p.frame);
    scale(&p, taken, true, spread);
    uint32_t *const parts[] = {&p.largest, &p.hot, &p.warm, &p.other, &p.small, &p.leaving};
    for (int i = 0; i < 6; i++) {
        bool is_latent = parts[i] == &p.warm || parts[i] == &p.other;
        *parts[i] = take_stack(&p, &random, taken, is_latent);
        taken[*parts[i]] = true;
        rest -= shares[i];
    }
    scale(&p, taken, false, rest);
    for (int i = 0; i < 6; i++)
        p.mean[*parts[i]] = shares[i] * samples;
    return p;
}

/* ---- A change -------------------------------------------------------------------------------- */

void simulated_grow(struct simulated_program *program, uint32_t node, double times)
{
    for (uint32_t i = node; i < SIMULATED_NODES; i++)
        if (simulated_is_below(program, i, node))
            program->mean[i] *= times;
}

static void shift(struct simulated_program *p)
{
    double moved = 0.12 * p->mean[p->warm];
    p->mean[p->warm] -= moved;
    p->mean[p->other] += moved;
}

struct simulated_program simulated_changed(const struct simulated_program *program,
                                           enum simulated_change change)
{
    struct simulated_program p = *program;
    bool is_mixed = change == SIMULATED_MIXED;
    if (change == SIMULATED_HOT || is_mixed)
        p.mean[p.hot] *= is_mixed ? 1.2 : 1.1;
    if (change == SIMULATED_SMALL)
        p.mean[p.small] *= 1.3;
    if (change == SIMULATED_APPEAR || is_mixed)
        p.mean[p.appeared] = 0.003 * samples;
    if (change == SIMULATED_DIFFUSE || is_mixed)
        simulated_grow(&p, p.frame, 1.06);
    if (change == SIMULATED_SHIFT || is_mixed)
        shift(&p);
    if (change == SIMULATED_ALL)
        simulated_grow(&p, 0, 1.02);
    if (change == SIMULATED_RENAME)
        p.renamed = p.frame;
    if (change == SIMULATED_GONE || is_mixed)
        p.mean[p.leaving] = 0;
    return p;
}

uint32_t simulated_places(const struct simulated_program *program, enum simulated_change change,
                          uint32_t *place)
{
    uint32_t count = 0;
    bool is_mixed = change == SIMULATED_MIXED;
    if (change == SIMULATED_HOT || is_mixed)
        place[count++] = program->hot;
    if (change == SIMULATED_SMALL)
        place[count++] = program->small;
    if (change == SIMULATED_APPEAR || is_mixed)
        place[count++] = program->appeared;
    if (change == SIMULATED_DIFFUSE || is_mixed)
        place[count++] = program->frame;
    if (change == SIMULATED_SHIFT || is_mixed) {
        place[count++] = program->warm;
        place[count++] = program->other;
    }
    if (change == SIMULATED_GONE || is_mixed)
        place[count++] = program->leaving;
    return count;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

struct simulated_runs {
    struct flm_run_input input[SIMULATED_MOST_RUNS];
    char name[SIMULATED_MOST_RUNS][16];
    struct flm_profile *profile[SIMULATED_MOST_RUNS];
    uint32_t count;
};

/* By node: the factor of its mean in one run. Callers come first, so the factor of a node is handed
 * down. */
static void draw_factors(const struct simulated_program *p, const struct simulated_machine *machine,
                         double time, struct flm_random *random, double *factor)
{
    bool is_uneven = machine->noise != SIMULATED_COUNTING;
    const uint32_t *latent = machine->noise == SIMULATED_NESTED ? p->nested : p->latent;
    double own[SIMULATED_NODES];
    uint32_t stacks[SIMULATED_NODES];
    count_stacks(p, stacks);
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        own[i] = 1;
    if (is_uneven)
        own[0] = exp(0.02 * deviate_normal(random));
    for (int i = 0; is_uneven && i < SIMULATED_LATENT; i++)
        own[latent[i]] *= exp(0.05 * deviate_normal(random));
    if (machine->noise == SIMULATED_OUTLIERS && deviate_uniform(random) < 0.05) {
        own[0] *= 1 + 0.15 * deviate_exponential(random);
        own[some_subtree(random, stacks)] *= 2;
    }
    own[0] *= 1 + machine->drift * time;
    own[p->drifting] *= 1 + machine->drift * time;
    for (uint32_t i = 0; i < SIMULATED_NODES; i++)
        factor[i] = own[i] * (i ? factor[p->parent[i]] : 1);
}

/* 1 / 5.5 %^2 */
static const double own_shape = 330.57851239669424;

static struct flm_profile *make_run(const struct simulated_program *p,
                                    const struct simulated_machine *machine, double time,
                                    struct flm_random *random)
{
    struct flm_builder *b = flm_builder_new(NULL);
    if (!b)
        return NULL;
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node node[SIMULATED_NODES];
    double factor[SIMULATED_NODES];
    draw_factors(p, machine, time, random, factor);
    for (uint32_t i = 0; i < SIMULATED_NODES; i++) {
        char name[16];
        int size = snprintf(name, sizeof name, "%c%u", i == p->renamed ? 'g' : 'f', i);
        node[i] = flm_builder_child(b, i ? node[p->parent[i]] : flm_builder_root(b),
                                    flm_builder_function(b, name, (size_t)size));
        double mean = p->mean[i] * factor[i];
        if (machine->noise != SIMULATED_COUNTING && mean > 0)
            mean *= deviate_gamma(random, own_shape) / own_shape;
        double count = deviate_poisson(random, mean);
        if (count > 0)
            flm_builder_add(b, node[i], metric, count);
    }
    return flm_builder_finish(b, NULL);
}

static bool is_new_in_order(enum simulated_order order, uint32_t run, uint32_t base_count)
{
    uint32_t place = run % 4;
    return order == SIMULATED_BASE_FIRST ? run >= base_count : place == 1 || place == 2;
}

struct simulated_runs *simulated_runs_new(const struct simulated_program *base,
                                          const struct simulated_program *new, uint32_t base_count,
                                          uint32_t new_count,
                                          const struct simulated_machine *machine, uint64_t seed)
{
    struct simulated_runs *s = calloc(1, sizeof *s);
    struct flm_random random = {seed};
    uint32_t count = base_count + new_count;
    for (uint32_t i = 0; s && i < count && i < SIMULATED_MOST_RUNS; i++) {
        bool is_new = is_new_in_order(machine->order, i, base_count);
        double time = count > 1 ? (double)i / (count - 1) : 0;
        snprintf(s->name[i], sizeof s->name[i], "run %u", i + 1);
        s->profile[i] = make_run(is_new ? new : base, machine, time, &random);
        s->input[i] = (struct flm_run_input){s->profile[i], s->name[i], is_new,
                                             machine->order == SIMULATED_ABBA ? i / 4 : 0};
        s->count = i + 1;
        if (!s->profile[i]) {
            simulated_runs_free(s);
            return NULL;
        }
    }
    return s;
}

void simulated_runs_free(struct simulated_runs *simulated)
{
    for (uint32_t i = 0; simulated && i < simulated->count; i++)
        flm_profile_free(simulated->profile[i]);
    free(simulated);
}

const struct flm_run_input *simulated_inputs(const struct simulated_runs *simulated)
{
    return simulated->input;
}

uint32_t simulated_node(const struct flm_profile *tree, uint32_t node)
{
    struct flm_bytes name = flm_frame_function(tree, tree->node_frame[node]);
    uint32_t number = 0;
    for (size_t i = 1; i < name.size; i++)
        number = 10 * number + (uint32_t)(name.at[i] - '0');
    return node ? number : FLM_NONE;
}
