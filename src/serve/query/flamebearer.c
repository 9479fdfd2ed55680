#include "serve/query/flamebearer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char total_name[] = "total", other_name[] = "other";

/* Columns of the nodes, and the boxes that are made of them. */
struct making {
    const struct flm_profile *profile;
    struct flm_flamebearer *out;
    double *total;
    const double *self;
    uint32_t *parent, *depth;
    int64_t *cursor;     /* where the next child begins */
    unsigned char *kept; /* it has a box */
    uint32_t *names;     /* by string: its name, or FLM_NONE */
    int64_t *ends;       /* by level: of the last box */
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
    memcpy(sorted, m->total, count * sizeof *sorted);
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

static bool add_box(struct making *m, uint32_t level, uint32_t name, int64_t start, int64_t total,
                    int64_t self)
{
    struct flm_flamebearer *out = m->out;
    const struct flm_flamebearer_box box = {level, name, start - m->ends[level], total, self};
    m->ends[level] = start + total;
    if (level >= out->level_count)
        out->level_count = level + 1;
    if (self > out->max_self)
        out->max_self = self;
    return name != FLM_NONE && FLM_ARRAY_ADD(&out->boxes, box);
}

/* The box of a node, and one for all of its children that have none, in front of the others. */
static bool add_node(struct making *m, uint32_t node, double least)
{
    const uint32_t *ends = flm_profile_ends(m->profile);
    uint32_t level = m->depth[node];
    int64_t start = node == 0 ? 0 : m->cursor[m->parent[node]];
    int64_t total = llround(m->total[node]);
    double dropped = 0;
    if (node > 0)
        m->cursor[m->parent[node]] += total;
    m->kept[node] = 1;
    m->cursor[node] = start;
    if (!add_box(m, level, name_of(m, node), start, total, llround(m->self[node])))
        return false;
    for (uint32_t child = node + 1; child < ends[node]; child = ends[child])
        if (m->total[child] < least)
            dropped += m->total[child];
    if (!(dropped > 0))
        return true;
    if (m->other == FLM_NONE)
        m->other = add_name(m, (struct flm_name){other_name, sizeof other_name - 1});
    int64_t rest = llround(dropped);
    m->cursor[node] += rest;
    return add_box(m, level + 1, m->other, start, rest, rest);
}

static bool make(struct making *m, uint32_t count, size_t most)
{
    double least;
    if (!find_least(m, count, most, &least) ||
        add_name(m, (struct flm_name){total_name, sizeof total_name - 1}) == FLM_NONE)
        return false;
    for (uint32_t node = 0; node < count; node++) {
        bool is_in = node == 0 ||
                     (m->kept[m->parent[node]] && m->total[node] >= least && m->total[node] > 0);
        if (is_in && !add_node(m, node, least))
            return false;
    }
    m->out->total = llround(m->total[0]);
    return true;
}

bool flm_flamebearer_make(const struct flm_profile *profile, struct flm_metric metric,
                          size_t most_nodes, struct flm_flamebearer *out, struct flm_error *why)
{
    uint32_t count = flm_profile_node_count(profile), strings = flm_profile_string_count(profile);
    *out = (struct flm_flamebearer){.level_count = 0};
    struct making m = {.profile = profile,
                       .out = out,
                       .total = malloc(count * sizeof *m.total),
                       .self = flm_profile_self(profile, metric),
                       .parent = malloc(count * sizeof *m.parent),
                       .depth = malloc(count * sizeof *m.depth),
                       .cursor = calloc(count, sizeof *m.cursor),
                       .kept = calloc(count, 1),
                       .names = malloc(strings * sizeof *m.names),
                       .other = FLM_NONE};
    bool good = m.total && m.parent && m.depth && m.cursor && m.kept && m.names;
    if (good) {
        flm_profile_totals(profile, metric, m.total);
        flm_profile_parents(profile, m.parent);
        uint32_t deepest = flm_profile_depths(profile, m.depth);
        memset(m.names, 0xFF, strings * sizeof *m.names);
        m.ends = calloc((size_t)deepest + 2, sizeof *m.ends);
        good = m.ends && make(&m, count, most_nodes);
    }
    free(m.total);
    free(m.parent);
    free(m.depth);
    free(m.cursor);
    free(m.kept);
    free(m.names);
    free(m.ends);
    if (!good)
        flm_flamebearer_clear(out);
    return good || flm_error_memory(why);
}

void flm_flamebearer_clear(struct flm_flamebearer *flamebearer)
{
    FLM_ARRAY_CLEAR(&flamebearer->names);
    FLM_ARRAY_CLEAR(&flamebearer->boxes);
}
