/* limit_nodes.c - a profile of so many nodes: the heaviest, and what the others have. */
#include <math.h>
#include <stdlib.h>

#include "algebra/operation/operations.h"
#include "algebra/operation/rebuild.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "flamel/algebra.h"

static const char other_name[] = "[other]";

/* By node. */
struct limiting {
    double *share; /* of the subtree, in the metric in which it is largest: at most its parent's */
    double *total;
    uint32_t *order, *scratch;
    uint32_t *parent, *children; /* children: how many are not kept yet */
    unsigned char *kept;
};

static bool limiting_init(struct limiting *l, size_t count)
{
    *l = (struct limiting){.share = calloc(count, sizeof *l->share),
                           .total = malloc(count * sizeof *l->total),
                           .order = malloc(count * sizeof *l->order),
                           .scratch = malloc(count * sizeof *l->scratch),
                           .parent = malloc(count * sizeof *l->parent),
                           .children = calloc(count, sizeof *l->children),
                           .kept = calloc(count, 1)};
    return l->share && l->total && l->order && l->scratch && l->parent && l->children && l->kept;
}

static void limiting_clear(struct limiting *l)
{
    free(l->share);
    free(l->total);
    free(l->order);
    free(l->scratch);
    free(l->parent);
    free(l->children);
    free(l->kept);
}

/* A sum of numbers that are not negative is not less than any of them, rounded or not: no node has
 * more than its parent. */
static void find_shares(struct limiting *l, const struct flm_profile *p)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        const double *self = flm_self_column(p, m);
        for (uint32_t i = 0; i < p->sizes.node_count; i++)
            l->total[i] = fabs(self[i]);
        for (uint32_t i = p->sizes.node_count - 1; i > 0; i--)
            l->total[l->parent[i]] += l->total[i];
        for (uint32_t i = 0; i < p->sizes.node_count && l->total[0] > 0; i++)
            l->share[i] = fmax(l->share[i], l->total[i] / l->total[0]);
    }
}

/* The largest first; of equal ones parents first, which have smaller numbers. */
static int by_share(const void *context, uint32_t a, uint32_t b)
{
    const double *share = context;
    if (share[a] != share[b])
        return share[a] > share[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Marks the most nodes that fit, with one for the rest of each that has one. */
static void choose(struct limiting *l, uint32_t count, uint32_t most)
{
    uint32_t others = l->children[0] > 0, kept = 0;
    for (uint32_t k = 1; k < count && k <= most; k++) {
        uint32_t node = l->order[k];
        others += l->children[node] > 0;
        others -= --l->children[l->parent[node]] == 0;
        if (k + others <= most)
            kept = k;
    }
    for (uint32_t k = 0; k <= kept; k++)
        l->kept[l->order[k]] = 1;
}

static void find_kept(struct limiting *l, const struct flm_profile *p, uint32_t most)
{
    uint32_t count = p->sizes.node_count;
    flm_profile_parents(p, l->parent);
    find_shares(l, p);
    for (uint32_t i = 0; i < count; i++)
        l->order[i] = i;
    for (uint32_t i = 1; i < count; i++)
        l->children[l->parent[i]]++;
    flm_sort(l->order, count, l->scratch, by_share, l->share);
    choose(l, count, most);
}

/* What an earlier limit merged stays counted. */
static void note_merged(struct flm_rebuild *r, uint32_t merged)
{
    char text[FLM_NUMBER_SIZE];
    uint64_t before;
    struct flm_name note = flm_profile_note_named(r->p, FLM_NOTE_MERGED);
    if (!note.at || !flm_number_parse_uint((struct flm_bytes){note.at, note.size}, &before))
        before = 0;
    flm_builder_note(r->builder, FLM_NOTE_MERGED, text,
                     flm_number_print((double)before + merged, text));
}

static void merge_others(struct flm_rebuild *r, const unsigned char *kept)
{
    struct flm_builder *b = r->builder;
    const struct flm_frame_record other = {
        .function = flm_builder_string(b, other_name, sizeof other_name - 1).index,
        .kind = FLM_KIND_LABEL};
    uint32_t merged = 0;
    r->without_depths = flm_builder_frame(b, &other).index;
    for (uint32_t i = 1; i < r->p->sizes.node_count && !b->failed; i++) {
        uint32_t parent = r->parent[i];
        merged += !kept[i];
        r->moved[i] = !kept[parent]
                          ? r->moved[parent]
                          : flm_rebuild_child(r, r->moved[parent],
                                              kept[i] ? r->p->node_frame[i] : r->without_depths);
    }
    if (!b->failed)
        note_merged(r, merged);
}

struct flm_profile *flm_limit_nodes(const struct flm_profile *p, uint32_t most,
                                    struct flm_error *why)
{
    struct limiting l;
    struct flm_rebuild r;
    bool all = p->sizes.node_count - 1 <= most;
    if (!limiting_init(&l, p->sizes.node_count)) {
        limiting_clear(&l);
        flm_error_memory(why);
        return NULL;
    }
    struct flm_profile *limited = NULL;
    if (flm_rebuild_start(&r, p, why)) {
        if (all)
            for (uint32_t i = 1; i < p->sizes.node_count; i++)
                r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], p->node_frame[i]);
        else {
            find_kept(&l, p, most);
            merge_others(&r, l.kept);
        }
        limited = flm_rebuild_finish(&r, why);
    }
    limiting_clear(&l);
    return limited;
}
