#include "support/gate/simulated_sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/operation/subset.h"
#include "flamel/builder.h"
#include "support/gate/deviates.h"

/* As in simulated_runs.c. */
static const double size_spread = 1.45, of_group = 0.9, of_run = 0.4;
enum { EACH = 33, LEAST_SAMPLES = 10000, ENOUGH_FOR_PLACES = 10 };

struct simulated_sides {
    const struct simulated_sides_options *options;
    struct flm_random random;
    uint32_t groups;
    uint32_t *group; /* by stack */
    double *mean[2]; /* by stack: of base, of new */
    double *value;   /* by stack, of the run that is made */
    double *group_factor;
    double samples; /* in a run of base */
    struct flm_profile *tree;
    uint32_t *node;     /* by stack: of the tree */
    double *node_value; /* of the run that is made */
    struct flm_run_input *input;
    struct flm_profile **profile;
    char (*name)[16];
    uint32_t count;
};

/* ---- The program ----------------------------------------------------------------------------- */

static void scale(double *mean, uint32_t from, uint32_t to, double whole)
{
    double sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += mean[i];
    for (uint32_t i = from; i < to; i++)
        mean[i] *= whole / sum;
}

static void draw_program(struct simulated_sides *s)
{
    uint32_t count = s->options->stacks, places = count >= ENOUGH_FOR_PLACES ? 2 : 0;
    double *base = s->mean[0];
    for (uint32_t i = 0; i < count; i++) {
        s->group[i] = (uint32_t)flm_random_below(&s->random, s->groups);
        base[i] = exp(size_spread * deviate_normal(&s->random));
    }
    scale(base, places, count, (places ? 0.63 : 1) * s->samples);
    if (places) {
        base[0] = 0.32 * s->samples;
        base[1] = 0.05 * s->samples;
    }
}

static uint32_t largest_of(const double *mean, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < count; i++)
        largest = mean[i] > mean[largest] ? i : largest;
    return largest;
}

static void change_program(struct simulated_sides *s)
{
    uint32_t count = s->options->stacks;
    double *new = s->mean[1];
    memcpy(new, s->mean[0], count * sizeof *new);
    if (s->options->change == SIDES_MOST_FASTER)
        for (uint32_t i = 0; i < count; i++)
            new[i] *= deviate_uniform(&s->random) < 0.6 ? 0.8 : 1;
    if (s->options->change == SIDES_HALF_LARGEST)
        new[largest_of(new, count)] /= 2;
    if (s->options->change == SIDES_HOT)
        new[1] *= s->options->hot;
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Around 1, or 0 at least. */
static double draw_factor(struct simulated_sides *s, double noise)
{
    if (s->options->tails != TAILS_HEAVY)
        return exp(noise * deviate_normal(&s->random) - noise * noise / 2);
    double t = deviate_normal(&s->random) / sqrt(deviate_exponential(&s->random));
    return fmax(0, 1 + noise * t);
}

static void draw_values(struct simulated_sides *s, bool is_new)
{
    const struct simulated_sides_options *o = s->options;
    double noise = is_new ? o->new.noise : o->base.noise;
    double run = draw_factor(s, of_run * noise), collected = 0, sum = 0;
    if (o->tails == TAILS_COLLECTOR && deviate_uniform(&s->random) < 0.3)
        collected = 0.3 * deviate_uniform(&s->random);
    for (uint32_t i = 0; i < s->groups; i++)
        s->group_factor[i] = draw_factor(s, of_group * noise);
    for (uint32_t i = 0; i < o->stacks; i++) {
        double mean = s->mean[is_new][i] * run * s->group_factor[s->group[i]];
        mean *= draw_factor(s, noise) * (1 - collected);
        if (o->tails == TAILS_ZEROS)
            mean *= deviate_uniform(&s->random) < 0.5 ? 0 : 2;
        sum += s->value[i] = mean;
    }
    /* The collector is one more stack. */
    s->value[o->stacks] = collected > 0 ? sum * collected / (1 - collected) : 0;
    sum += s->value[o->stacks];
    for (uint32_t i = 0; o->is_fixed && i <= o->stacks; i++)
        s->value[i] *= s->samples / sum;
}

static uint32_t stack_at(const double *sums, uint32_t count, double at)
{
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sums[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Values become counts of samples: so many in all, or as they come. */
static bool count_samples(struct simulated_sides *s)
{
    uint32_t count = s->options->stacks + 1;
    if (!s->options->is_fixed) {
        for (uint32_t i = 0; i < count; i++)
            s->value[i] = deviate_poisson(&s->random, s->value[i]);
        return true;
    }
    double *sums = malloc(count * sizeof *sums), sum = 0;
    if (!sums)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = sum += s->value[i];
        s->value[i] = 0;
    }
    for (double left = s->samples; left > 0; left--)
        s->value[stack_at(sums, count, sum * deviate_uniform(&s->random))]++;
    free(sums);
    return true;
}

static struct flm_node child(struct flm_builder *b, struct flm_node parent, char kind, uint32_t i)
{
    char name[16];
    int size = snprintf(name, sizeof name, "%c%u", kind, i);
    return flm_builder_child(b, parent, flm_builder_function(b, name, (size_t)size));
}

/* The tree of all stacks, once: a run is this tree with other values, because building each from
 * names took a quarter of the time of a simulated gate. A stack's value says which one it is. */
static bool make_tree(struct simulated_sides *s)
{
    struct flm_builder *b = flm_builder_new(NULL);
    if (!b)
        return false;
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node main = child(b, flm_builder_root(b), 'm', 0);
    for (uint32_t i = 0; i <= s->options->stacks; i++) {
        struct flm_node parent = i < s->options->stacks ? child(b, main, 'g', s->group[i]) : main;
        flm_builder_add(b, child(b, parent, 'f', i), metric, i + 1.0);
    }
    s->tree = flm_builder_finish(b, NULL);
    if (!s->tree)
        return false;
    const double *self = flm_self_column(s->tree, 0);
    s->node_value = calloc(s->tree->sizes.node_count, sizeof *s->node_value);
    for (uint32_t node = 0; node < s->tree->sizes.node_count; node++)
        if (self[node] > 0)
            s->node[(uint32_t)self[node] - 1] = node;
    return s->node_value != NULL;
}

static struct flm_profile *make_run(struct simulated_sides *s, bool is_new)
{
    draw_values(s, is_new);
    if (!count_samples(s))
        return NULL;
    for (uint32_t i = 0; i <= s->options->stacks; i++)
        s->node_value[s->node[i]] = s->value[i];
    const struct flm_column column = {
        .name = flm_bytes_of("samples"), .unit = flm_bytes_of("samples"), .self = s->node_value};
    return flm_subset(s->tree, &column, 1, NULL, NULL);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool make_room(struct simulated_sides *s, uint32_t runs)
{
    uint32_t stacks = s->options->stacks;
    s->group = calloc(stacks, sizeof *s->group);
    s->mean[0] = calloc(stacks, sizeof(double));
    s->mean[1] = calloc(stacks, sizeof(double));
    s->value = calloc((size_t)stacks + 1, sizeof *s->value);
    s->node = calloc((size_t)stacks + 1, sizeof *s->node);
    s->group_factor = calloc(s->groups, sizeof *s->group_factor);
    s->input = calloc(runs, sizeof *s->input);
    s->profile = calloc(runs, sizeof *s->profile);
    s->name = calloc(runs, sizeof *s->name);
    return s->group && s->mean[0] && s->mean[1] && s->value && s->node && s->group_factor &&
           s->input && s->profile && s->name;
}

struct simulated_sides *simulated_sides_new(const struct simulated_sides_options *options,
                                            uint64_t seed)
{
    uint32_t runs = options->base.runs + options->new.runs;
    struct simulated_sides *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->options = options;
    s->random.state = seed;
    s->groups = 1 + (uint32_t)sqrt(options->stacks);
    s->samples = fmax(LEAST_SAMPLES, (double)EACH * options->stacks);
    bool good = make_room(s, runs);
    if (good) {
        draw_program(s);
        change_program(s);
        good = make_tree(s);
    }
    for (uint32_t i = 0; good && i < runs; i++) {
        bool is_new = i >= options->base.runs;
        snprintf(s->name[i], sizeof s->name[i], "run %u", i + 1);
        s->profile[i] = make_run(s, is_new);
        s->input[i] = (struct flm_run_input){s->profile[i], s->name[i], is_new, 0};
        good = s->profile[i] != NULL;
        s->count = i + 1;
    }
    if (good)
        return s;
    simulated_sides_free(s);
    return NULL;
}

void simulated_sides_free(struct simulated_sides *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        flm_profile_free(s->profile[i]);
    free(s->group);
    free(s->mean[0]);
    free(s->mean[1]);
    free(s->value);
    flm_profile_free(s->tree);
    free(s->node);
    free(s->node_value);
    free(s->group_factor);
    free(s->input);
    free(s->profile);
    free(s->name);
    free(s);
}

const struct flm_run_input *simulated_sides_inputs(const struct simulated_sides *sides)
{
    return sides->input;
}
