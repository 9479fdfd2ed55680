/* invert.c - the inverted tree, written in preorder from the sorted list of its stacks.
 *
 * An inverted stack is a node read upward. Sorted by these frames, neighbors share the longest
 * beginning that there is, and what the next one has beyond it are the new nodes, in preorder:
 *
 *     stack           reversed            shared   new nodes
 *     main;parse      parse main          0        parse main
 *     main;read       read main           0        read main
 *     scan;read       read scan           1        scan
 *
 * So nothing is hashed, and nothing is kept of the tree but itself. (Adding the reversed paths to a
 * builder took 3 to 4 times as long for 1e6 nodes of mean depth 30, which become 8e6: half of it
 * was the hash table, of 128 MB, and a quarter putting siblings in order.)
 *
 * Sorting is by one frame of all paths after the other, and only as far as paths agree: large
 * groups by radix, small ones by comparing two paths at a time. */
#include "algebra/operation/algebra.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "base/core/array.h"
#include "profile/metadata.h"
#include "profile/recursion.h"

struct upward {
    uint32_t parent, frame; /* of the root: 0 and 0, which is no other node's frame */
};

/* A stack, and how far up it has been sorted; then, how far up it agrees with the one before. */
struct item {
    uint32_t node, at;
};

/* What a sorted stack adds to the tree: its frames beyond those that it shares with the one before.
 */
struct added {
    uint32_t shared, count;
};

/* Stacks that agree so far. */
struct group {
    uint32_t first, count;
};

struct inverting {
    const struct flm_profile *p;
    struct flm_error *why;

    struct upward *up; /* by node */
    uint32_t *depth;   /* by node */
    uint32_t *moved;   /* by node that is a stack: its node in the result; FLM_NONE: it is none */

    struct item *stacks, *scratch;
    uint32_t stack_count;
    struct added *added; /* by sorted stack; in place of `scratch` */
    uint32_t deepest;
    struct FLM_ARRAY(struct group) groups; /* to be sorted */

    unsigned char *frame_used;
    struct flm_builder *builder;
    struct flm_carried carried;
    struct flm_metadata metadata;
    struct flm_profile *out;
    struct flm_depths *depths; /* by node of `out`; NULL: no node stands for several frames */
};

/* ---- The stacks ------------------------------------------------------------------------------ */

static bool has_value(const struct flm_profile *p, uint32_t node)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_self_column(p, m)[node] != 0)
            return true;
    return false;
}

static bool find_stacks(struct inverting *v)
{
    const struct flm_profile *p = v->p;
    size_t count = p->sizes.node_count;
    v->up = malloc(count * sizeof *v->up);
    v->depth = malloc(count * sizeof *v->depth);
    v->moved = malloc(count * sizeof *v->moved);
    if (!v->up || !v->depth || !v->moved)
        return flm_error_memory(v->why);
    memset(v->moved, 0xFF, count * sizeof *v->moved);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        v->moved[p->sample_node[i]] = 0;
    v->moved[0] = 0; /* the empty stack is the same, reversed */
    v->up[0] = (struct upward){0, 0};
    v->depth[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t above = i - 1;
        while (p->node_end[above] <= i)
            above = v->up[above].parent;
        v->up[i] = (struct upward){above, p->node_frame[i]};
        v->depth[i] = v->depth[above] + 1;
        if (v->moved[i] != 0 && has_value(p, i))
            v->moved[i] = 0;
        v->stack_count += v->moved[i] == 0;
    }
    size_t stacks = (size_t)v->stack_count + 1;
    v->stacks = malloc(stacks * sizeof *v->stacks);
    v->scratch = malloc(stacks * sizeof *v->scratch);
    if (!v->stacks || !v->scratch)
        return flm_error_memory(v->why);
    for (uint32_t i = 1, to = 0; i < count; i++)
        if (v->moved[i] == 0)
            v->stacks[to++] = (struct item){i, i};
    return true;
}

/* ---- Their order ----------------------------------------------------------------------------- */

/* Whether the path up from `a` sorts before that from `b`: they are different. */
static bool is_before(const struct upward *up, uint32_t a, uint32_t b)
{
    while (up[a].frame == up[b].frame) {
        a = up[a].parent;
        b = up[b].parent;
    }
    return up[a].frame < up[b].frame;
}

static void insert_stacks(const struct upward *up, struct item *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct item item = items[i];
        uint32_t to = i;
        for (; to > 0 && is_before(up, item.at, items[to - 1].at); to--)
            items[to] = items[to - 1];
        items[to] = item;
    }
}

/* By the frame that each has at `at`, eight bits at a time. */
static void sort_by_frame(struct inverting *v, struct item *items, uint32_t count)
{
    const struct upward *up = v->up;
    struct item *from = items, *to = v->scratch;
    for (unsigned shift = 0; shift < 32 && (v->p->sizes.frame_count - 1) >> shift != 0;
         shift += 8) {
        uint32_t start[256] = {0}, sum = 0;
        for (uint32_t i = 0; i < count; i++)
            start[up[from[i].at].frame >> shift & 255]++;
        if (start[up[from[0].at].frame >> shift & 255] == count)
            continue;
        for (uint32_t digit = 0; digit < 256; digit++) {
            uint32_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++)
            to[start[up[from[i].at].frame >> shift & 255]++] = from[i];
        struct item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Groups up to this size are sorted by comparing paths: 8 to 32 took the same time, 2 and 128 a
 * tenth more. */
enum { SMALL_GROUP = 16 };

static bool sort_stacks(struct inverting *v)
{
    if (!FLM_ARRAY_ADD(&v->groups, (struct group){0, v->stack_count}))
        return flm_error_memory(v->why);
    while (v->groups.count > 0) {
        struct group group = v->groups.at[--v->groups.count];
        struct item *items = v->stacks + group.first;
        if (group.count <= SMALL_GROUP) {
            insert_stacks(v->up, items, group.count);
            continue;
        }
        sort_by_frame(v, items, group.count);
        for (uint32_t i = 0, next; i < group.count; i = next) {
            uint32_t frame = v->up[items[i].at].frame;
            for (next = i; next < group.count && v->up[items[next].at].frame == frame; next++)
                items[next].at = v->up[items[next].at].parent;
            if (next - i > 1 &&
                !FLM_ARRAY_ADD(&v->groups, (struct group){group.first + i, next - i}))
                return flm_error_memory(v->why);
        }
    }
    return true;
}

/* ---- The inverted tree ----------------------------------------------------------------------- */

/* What is far apart in memory is prefetched, so many stacks before it is read: without this, and
 * with one path walked after the other, the whole took a third longer (bench/RESULTS.md). */
enum { AHEAD = 12 };

/* How many nodes it has, and what neighbors share. */
static uint64_t count_nodes(struct inverting *v)
{
    static_assert(sizeof *v->added <= sizeof *v->scratch, "one in place of the other");
    uint64_t count = 1;
    v->added = (void *)v->scratch;
    v->scratch = NULL;
    for (uint32_t i = 0; i < v->stack_count; i++) {
        uint32_t node = v->stacks[i].node, at = node, shared = 0;
        if (i + AHEAD < v->stack_count)
            __builtin_prefetch(&v->up[v->stacks[i + AHEAD].node]);
        if (i > 0)
            for (uint32_t a = v->stacks[i - 1].node; v->up[a].frame == v->up[at].frame;
                 a = v->up[a].parent, at = v->up[at].parent)
                shared++;
        v->added[i] = (struct added){shared, v->depth[node] - shared};
        v->stacks[i].at = at;
        count += v->depth[node] - shared;
        v->deepest = v->depth[node] > v->deepest ? v->depth[node] : v->deepest;
    }
    return count;
}

/* Marks the frames of all stacks. The callers of a node that is marked are marked already. */
static bool mark_frames(struct inverting *v)
{
    v->frame_used = calloc(v->builder->interner.frame_count, 1);
    unsigned char *seen = calloc(v->p->sizes.node_count, 1);
    if (!v->frame_used || !seen) {
        free(seen);
        return flm_error_memory(v->why);
    }
    seen[0] = 1;
    for (uint32_t i = 0; i < v->stack_count; i++)
        for (uint32_t at = v->stacks[i].node; !seen[at]; at = v->up[at].parent) {
            seen[at] = 1;
            v->frame_used[v->carried.frame_map[v->up[at].frame]] = 1;
        }
    free(seen);
    return true;
}

static void write_value(struct inverting *v, uint32_t node, uint32_t to)
{
    for (uint32_t m = 0; m < v->p->sizes.metric_count; m++) {
        double value = flm_self_column(v->p, m)[node];
        if (value != 0) /* -0 becomes 0, as everywhere */
            flm_self_column(v->out, v->carried.metric_map[m])[to] = value;
    }
    v->moved[node] = to;
}

static void merge_depths(struct inverting *v, uint32_t node, uint32_t to)
{
    flm_depths_merge(&v->depths[to], flm_recursion_at(v->p, node));
}

/* A walk up takes as long as memory takes to answer, so several go on side by side. */
struct walk {
    uint32_t at, to;
};
enum { WALKS = 8 };

static void write_frames(struct inverting *v)
{
    struct walk walks[WALKS];
    uint32_t *frame = v->out->node_frame, next = 0, to = 1, active = 0;
    frame[0] = 0;
    for (; active < WALKS && next < v->stack_count; to += v->added[next++].count)
        walks[active++] = (struct walk){v->stacks[next].at, to};
    while (active > 0) {
        for (uint32_t i = 0; i < active; i++) {
            struct walk *walk = &walks[i];
            struct upward up = v->up[walk->at];
            frame[walk->to++] = up.frame;
            walk->at = up.parent;
            if (up.parent != 0)
                continue;
            if (next == v->stack_count) {
                *walk = walks[--active];
                continue;
            }
            *walk = (struct walk){v->stacks[next].at, to};
            to += v->added[next++].count;
            if (next + AHEAD < v->stack_count)
                __builtin_prefetch(&v->up[v->stacks[next + AHEAD].at]);
        }
    }
}

static void prefetch_value(struct inverting *v, uint32_t node)
{
    for (uint32_t m = 0; m < v->p->sizes.metric_count; m++)
        __builtin_prefetch(&flm_self_column(v->p, m)[node]);
    __builtin_prefetch(&v->moved[node], 1);
}

static bool write_nodes(struct inverting *v)
{
    uint32_t *open = malloc(((size_t)v->deepest + 1) * sizeof *open); /* by depth */
    bool has_depths = v->p->sizes.recursion_count > 0;
    v->depths = has_depths && open ? flm_depths_new(v->out->sizes.node_count) : NULL;
    if (!open || (has_depths && !v->depths)) {
        free(open);
        return flm_error_memory(v->why);
    }
    write_frames(v);
    uint32_t *end = v->out->node_end, count = 1, depth = 0;
    for (uint32_t i = 0; i < v->stack_count; i++) {
        uint32_t node = v->stacks[i].node;
        if (i + AHEAD < v->stack_count)
            prefetch_value(v, v->stacks[i + AHEAD].node);
        for (; depth > v->added[i].shared; depth--)
            end[open[depth]] = count;
        for (uint32_t k = v->added[i].count; k > 0; k--)
            open[++depth] = count++;
        if (v->depths)
            for (uint32_t k = 1, at = node; k <= depth; k++, at = v->up[at].parent)
                merge_depths(v, at, open[k]);
        write_value(v, node, count - 1);
    }
    for (; depth > 0; depth--)
        end[open[depth]] = count;
    end[0] = count;
    write_value(v, 0, 0);
    free(open);
    return true;
}

/* From frames of the profile to those of the result. */
static void rename_frames(struct inverting *v)
{
    const uint32_t *rank = v->metadata.ranking.frame_rank, *map = v->carried.frame_map;
    for (uint32_t i = 1; i < v->p->sizes.node_count; i++)
        v->up[i].frame = rank[map[v->up[i].frame]];
}

static bool copy_metadata(struct inverting *v)
{
    v->builder = flm_builder_new(v->why);
    if (!v->builder)
        return false;
    if (!flm_copy_strings(v->builder, v->p, &v->carried))
        return flm_error_memory(v->why);
    if (!flm_copy_metrics(v->builder, v->p, &v->carried, v->why))
        return false;
    flm_copy_notes(v->builder, v->p, &v->carried);
    flm_copy_samples(v->builder, v->p, &v->carried, NULL, 0, NULL);
    return !flm_builder_failed(v->builder) || flm_builder_get_error(v->builder, v->why);
}

static bool make(struct inverting *v)
{
    const struct flm_profile *p = v->p;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(p, m);
        if (!flm_check_sums(flm_string_bytes(p, p->metrics[m].name), flm_self_column(p, m),
                            p->sizes.node_count, values.any, values.any ? values.count : 0, v->why))
            return false;
    }
    if (!find_stacks(v) || !copy_metadata(v) || !mark_frames(v) || !sort_stacks(v) ||
        !flm_metadata_start(&v->metadata, v->builder, v->frame_used, v->why))
        return false;
    uint64_t count = count_nodes(v);
    if (count > FLM_MOST_NODES)
        return flm_error_set(v->why, FLM_ERROR_RANGE, FLM_TOO_MANY_NODES);
    v->metadata.sizes.node_count = (uint32_t)count;
    v->out = flm_profile_allocate(&v->metadata.sizes, v->why);
    rename_frames(v);
    return v->out && write_nodes(v) && flm_metadata_write(&v->metadata, v->out, v->moved, v->why) &&
           (!v->depths || flm_recursion_set(v->out, v->depths, (uint32_t)count, NULL, v->why));
}

static struct flm_profile *invert_all(const struct flm_profile *p, void *context,
                                      struct flm_error *why)
{
    (void)context;
    struct inverting v = {.p = p, .why = why};
    bool made = make(&v);
    free(v.up);
    free(v.depth);
    free(v.moved);
    free(v.stacks);
    free(v.scratch);
    free(v.added);
    FLM_ARRAY_CLEAR(&v.groups);
    free(v.depths);
    free(v.frame_used);
    flm_metadata_clear(&v.metadata);
    flm_builder_free(v.builder);
    flm_carried_clear(&v.carried);
    if (!made) {
        flm_profile_free(v.out);
        return NULL;
    }
    return v.out;
}

struct flm_profile *flm_invert(const struct flm_profile *p, struct flm_error *why)
{
    assert(p);
    return flm_with_chains(p, invert_all, NULL, why);
}
