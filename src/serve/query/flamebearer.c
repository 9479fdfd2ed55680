#include "serve/query/flamebearer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char total_name[] = "total", other_name[] = "other";

/* Columns of the nodes, and the boxes that are made of them. */
struct side {
    const double *self;
    double *total;
    int64_t *cursor; /* where the next child begins */
    int64_t *ends;   /* by level: of the last box */
};

struct making {
    const struct flm_profile *profile;
    struct flm_flamebearer *out;
    struct side side[2];
    double *sum; /* of the totals of both sides: what decides who has a box */
    uint32_t *parent, *depth;
    unsigned char *kept; /* it has a box */
    uint32_t *names;     /* by string: its name, or FLM_NONE */
    uint32_t other;      /* the name; FLM_NONE: not yet */
};

static int descending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x < y) - (x > y);
}

/* Nodes below this total have no box. */
static bool find_least(const struct making *m, size_t count, size_t most, double *least)
{
    *least = 0;
    if (most == 0 || count <= most)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, m->sum, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, descending);
    *least = sorted[most - 1];
    free(sorted);
    return true;
}

static uint32_t add_name(struct making *m, struct flm_name name)
{
    return FLM_ARRAY_ADD(&m->out->names, name) ? (uint32_t)(m->out->names.count - 1) : FLM_NONE;
}

static uint32_t name_of(struct making *m, uint32_t node)
{
    uint32_t frame = flm_profile_frames(m->profile)[node];
    uint32_t string = flm_profile_frame(m->profile, (struct flm_frame){frame})->function;
    if (node == 0)
        return 0;
    if (m->names[string] == FLM_NONE)
        m->names[string] = add_name(m, flm_profile_string(m->profile, (struct flm_string){string}));
    return m->names[string];
}

/* Adds what a side has to a box that begins at `start`. */
static void add_side(struct making *m, struct flm_flamebearer_box *box, unsigned side,
                     int64_t start, int64_t total, int64_t self)
{
    int64_t *end = &m->side[side].ends[box->level];
    box->side[side].gap = start - *end;
    box->side[side].total = total;
    box->side[side].self = self;
    *end = start + total;
    if (self > m->out->max_self)
        m->out->max_self = self;
}

static bool add_box(struct making *m, const struct flm_flamebearer_box *box)
{
    if (box->level >= m->out->level_count)
        m->out->level_count = box->level + 1;
    return box->name != FLM_NONE && FLM_ARRAY_ADD(&m->out->boxes, *box);
}

/* One box for all children of a node that have none, in front of the others. */
static bool add_others(struct making *m, uint32_t node, double least)
{
    const uint32_t *ends = flm_profile_ends(m->profile);
    double dropped[2] = {0, 0};
    for (uint32_t child = node + 1; child < ends[node]; child = ends[child])
        for (unsigned s = 0; m->sum[child] < least && s < m->out->side_count; s++)
            dropped[s] += m->side[s].total[child];
    if (!(dropped[0] + dropped[1] > 0))
        return true;
    if (m->other == FLM_NONE)
        m->other = add_name(m, (struct flm_name){other_name, sizeof other_name - 1});
    struct flm_flamebearer_box box = {.level = m->depth[node] + 1, .name = m->other};
    for (unsigned s = 0; s < m->out->side_count; s++) {
        int64_t rest = llround(dropped[s]);
        add_side(m, &box, s, m->side[s].cursor[node], rest, rest);
        m->side[s].cursor[node] += rest;
    }
    return add_box(m, &box);
}

static bool add_node(struct making *m, uint32_t node, double least)
{
    struct flm_flamebearer_box box = {.level = m->depth[node], .name = name_of(m, node)};
    for (unsigned s = 0; s < m->out->side_count; s++) {
        struct side *side = &m->side[s];
        int64_t start = node == 0 ? 0 : side->cursor[m->parent[node]];
        int64_t total = llround(side->total[node]);
        if (node > 0)
            side->cursor[m->parent[node]] += total;
        side->cursor[node] = start;
        add_side(m, &box, s, start, total, llround(side->self[node]));
    }
    m->kept[node] = 1;
    return add_box(m, &box) && add_others(m, node, least);
}

static bool make(struct making *m, uint32_t count, size_t most)
{
    double least;
    if (!find_least(m, count, most, &least) ||
        add_name(m, (struct flm_name){total_name, sizeof total_name - 1}) == FLM_NONE)
        return false;
    for (uint32_t node = 0; node < count; node++) {
        bool is_in =
            node == 0 || (m->kept[m->parent[node]] && m->sum[node] >= least && m->sum[node] > 0);
        if (is_in && !add_node(m, node, least))
            return false;
    }
    for (unsigned s = 0; s < m->out->side_count; s++)
        m->out->total[s] = llround(m->side[s].total[0]);
    return true;
}

/* Without a metric a side is 0 everywhere, and `total` stands for its self too. */
static bool add_column(struct making *m, struct side *side, const struct flm_metric *metric,
                       uint32_t count, uint32_t deepest)
{
    side->total = calloc(count, sizeof *side->total);
    side->cursor = calloc(count, sizeof *side->cursor);
    side->ends = calloc((size_t)deepest + 2, sizeof *side->ends);
    if (!side->total || !side->cursor || !side->ends)
        return false;
    side->self = metric ? flm_profile_self(m->profile, *metric) : side->total;
    if (metric)
        flm_profile_totals(m->profile, *metric, side->total);
    for (uint32_t node = 0; node < count; node++)
        m->sum[node] += side->total[node];
    return true;
}

bool flm_flamebearer_make(const struct flm_profile *profile, const struct flm_metric *const *sides,
                          unsigned side_count, size_t most_nodes, struct flm_flamebearer *out,
                          struct flm_error *why)
{
    uint32_t count = flm_profile_node_count(profile), strings = flm_profile_string_count(profile);
    assert(side_count == 1 || side_count == 2);
    *out = (struct flm_flamebearer){.side_count = side_count};
    struct making m = {.profile = profile,
                       .out = out,
                       .sum = calloc(count, sizeof *m.sum),
                       .parent = malloc(count * sizeof *m.parent),
                       .depth = malloc(count * sizeof *m.depth),
                       .kept = calloc(count, 1),
                       .names = malloc(strings * sizeof *m.names),
                       .other = FLM_NONE};
    bool good = m.sum && m.parent && m.depth && m.kept && m.names;
    if (good) {
        flm_profile_parents(profile, m.parent);
        uint32_t deepest = flm_profile_depths(profile, m.depth);
        memset(m.names, 0xFF, strings * sizeof *m.names);
        for (unsigned s = 0; good && s < side_count; s++)
            good = add_column(&m, &m.side[s], sides[s], count, deepest);
        good = good && make(&m, count, most_nodes);
    }
    free(m.sum);
    free(m.parent);
    free(m.depth);
    free(m.kept);
    free(m.names);
    for (int s = 0; s < 2; s++) {
        free(m.side[s].total);
        free(m.side[s].cursor);
        free(m.side[s].ends);
    }
    if (!good)
        flm_flamebearer_clear(out);
    return good || flm_error_memory(why);
}

void flm_flamebearer_clear(struct flm_flamebearer *flamebearer)
{
    FLM_ARRAY_CLEAR(&flamebearer->names);
    FLM_ARRAY_CLEAR(&flamebearer->boxes);
}
