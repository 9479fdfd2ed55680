/* align.c - many profiles over one tree, in one pass: a merge join of sorted children.
 *
 * First the strings and frames of all inputs are ranked together, which gives every frame of every
 * input its number in the result; because each input's frames are sorted, these maps ascend. Then
 * the trees are walked together from the root: the children of all inputs that stand at this stack
 * are put in the order of that number, equal ones are one node of the result, and their subtrees
 * are walked together. Where only one input is left, its whole subtree is copied in a loop without
 * a comparison, so profiles that share little cost little more than a copy.
 *
 * Nothing is hashed per node and nothing is recursive: pending work is on two stacks, groups (nodes
 * of the result) and members (the input nodes that each stands for). */
#include "algebra/operation/algebra.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "algebra/operation/subset.h"
#include "base/core/array.h"
#include "base/number/number.h"
#include "base/number/sum.h"
#include "base/text/text.h"
#include "profile/chains.h"
#include "profile/metadata.h"
#include "profile/recursion.h"
#include "profile/residuals.h"

struct member {
    uint32_t input, node;
};

struct group {
    uint32_t depth;
    uint32_t rank;         /* frame of the result */
    uint32_t member_count; /* its members are the last on the members' stack when its turn comes */
};

struct aligning {
    const struct flm_profile *const *in;
    size_t count;
    const uint32_t *only; /* by input: its one metric that counts; NULL: all do */
    struct flm_error *why;

    struct flm_builder *builder; /* everything but the nodes */
    struct flm_carried *carried; /* by input */
    struct flm_metadata metadata;
    struct flm_profile *out;
    struct flm_residuals residuals; /* of the sums in `out` */
    uint64_t rounded;               /* of these sums, how many of 2^53 and more are not exact */
    bool failed;                    /* memory ran out for a residual */
    uint32_t made;                  /* nodes of the result so far */
    uint32_t *node_starts;          /* by input: where its nodes stand in `moved` */
    uint32_t *moved; /* all nodes of all inputs: their node in the result; NULL: not requested */

    struct FLM_ARRAY(struct group) groups;
    struct FLM_ARRAY(struct member) members;
    struct FLM_ARRAY(uint32_t) open; /* by depth: the node of the result that is being made */

    /* Working memory of one node: its members, their children, and keys (rank << 32 | child). */
    struct FLM_ARRAY(struct member) own;
    struct member *children;
    size_t child_count, child_capacity;
    uint64_t *keys;
    size_t key_capacity;
    size_t *runs; /* where the children of each member begin, and the end */
    size_t run_capacity;
};

static void add_value(struct aligning *a, uint32_t metric, uint32_t to, double value)
{
    if (!flm_add_exactly(&a->residuals, metric, to, &flm_self_column(a->out, metric)[to], value))
        a->failed = true;
}

static void add_values(struct aligning *a, uint32_t input, uint32_t node, uint32_t to)
{
    const struct flm_profile *p = a->in[input];
    const uint32_t *map = a->carried[input].metric_map;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (map[m] != FLM_NONE)
            add_value(a, map[m], to, flm_self_column(p, m)[node]);
    if (a->moved)
        a->moved[a->node_starts[input] + node] = to;
}

static void close_nodes(struct aligning *a, size_t depth)
{
    while (a->open.count > depth)
        a->out->node_end[a->open.at[--a->open.count]] = a->made;
}

/* The whole subtree of one input, which no other input has. */
static void copy_subtree(struct aligning *a, struct member m)
{
    const struct flm_profile *p = a->in[m.input];
    const uint32_t *rank = a->carried[m.input].frame_map;
    const uint32_t *map = a->carried[m.input].metric_map;
    uint32_t end = p->node_end[m.node], shift = a->made - m.node; /* wraps, and back */
    for (uint32_t i = m.node; i < end; i++) {
        a->out->node_frame[i + shift] = rank[p->node_frame[i]];
        a->out->node_end[i + shift] = p->node_end[i] + shift;
    }
    for (uint32_t c = 0; c < p->sizes.metric_count; c++)
        if (map[c] != FLM_NONE)
            memcpy(flm_self_column(a->out, map[c]) + a->made, flm_self_column(p, c) + m.node,
                   (end - m.node) * sizeof(double));
    for (uint32_t i = m.node; a->moved && i < end; i++)
        a->moved[a->node_starts[m.input] + i] = i + shift;
    a->made += end - m.node;
}

/* Puts the children of a->own into a->children, and their keys into a->keys, run by run. */
static bool gather_children(struct aligning *a, size_t own_count)
{
    void *runs = a->runs;
    if (!flm_grow(&runs, &a->run_capacity, own_count + 1, sizeof *a->runs))
        return false;
    a->runs = runs;
    a->child_count = 0;
    for (size_t i = 0; i < own_count; i++) {
        struct member m = a->own.at[i];
        const struct flm_profile *p = a->in[m.input];
        const uint32_t *rank = a->carried[m.input].frame_map;
        a->runs[i] = a->child_count;
        for (uint32_t child = m.node + 1; child < p->node_end[m.node]; child = p->node_end[child]) {
            void *children = a->children, *keys = a->keys;
            if (!flm_grow(&children, &a->child_capacity, a->child_count + 1, sizeof *a->children))
                return false;
            a->children = children;
            /* Twice: the second half is where runs are merged to. */
            if (!flm_grow(&keys, &a->key_capacity, 2 * a->child_capacity, sizeof *a->keys))
                return false;
            a->keys = keys;
            a->children[a->child_count] = (struct member){m.input, child};
            a->keys[a->child_count] = (uint64_t)rank[p->node_frame[child]] << 32 | a->child_count;
            a->child_count++;
        }
    }
    a->runs[own_count] = a->child_count;
    return true;
}

static void merge_runs(const uint64_t *from, uint64_t *to, size_t start, size_t middle, size_t end)
{
    size_t left = start, right = middle;
    for (size_t i = start; i < end; i++)
        to[i] = right >= end || (left < middle && from[left] < from[right]) ? from[left++]
                                                                            : from[right++];
}

/* Sorts the keys: each member's children ascend already. Returns where the sorted keys are. */
static uint64_t *sort_keys(struct aligning *a, size_t run_count)
{
    enum { FEW = 16 };
    uint64_t *keys = a->keys;
    if (a->child_count <= FEW) {
        for (size_t i = 1; i < a->child_count; i++) {
            uint64_t key = keys[i];
            size_t at = i;
            for (; at > 0 && keys[at - 1] > key; at--)
                keys[at] = keys[at - 1];
            keys[at] = key;
        }
        return keys;
    }
    uint64_t *other = a->keys + a->child_capacity;
    size_t *runs = a->runs;
    while (run_count > 1) {
        size_t made = 0;
        for (size_t i = 0; i < run_count; i += 2) {
            size_t end = i + 2 <= run_count ? runs[i + 2] : runs[run_count];
            merge_runs(keys, other, runs[i], runs[i + 1], end);
            runs[made++] = runs[i];
        }
        runs[made] = a->child_count;
        run_count = made;
        uint64_t *swap = keys;
        keys = other;
        other = swap;
    }
    return keys;
}

/* The children of the node that was made last, as groups on the stack, the first on top. */
static bool push_groups(struct aligning *a, size_t own_count, uint32_t depth)
{
    if (!gather_children(a, own_count))
        return false;
    uint64_t *keys = sort_keys(a, own_count);
    if (!FLM_ARRAY_RESERVE(&a->groups, a->child_count) ||
        !FLM_ARRAY_RESERVE(&a->members, a->child_count))
        return false;
    for (size_t i = a->child_count; i > 0;) {
        uint32_t rank = (uint32_t)(keys[i - 1] >> 32);
        struct group *group = &a->groups.at[a->groups.count++];
        *group = (struct group){depth, rank, 0};
        for (; i > 0 && (uint32_t)(keys[i - 1] >> 32) == rank; i--, group->member_count++)
            a->members.at[a->members.count++] = a->children[(uint32_t)keys[i - 1]];
    }
    return true;
}

static bool make_node(struct aligning *a, struct group group)
{
    close_nodes(a, group.depth);
    a->members.count -= group.member_count;
    const struct member *members = a->members.at + a->members.count;
    if (group.member_count == 1) {
        copy_subtree(a, members[0]);
        return true;
    }
    a->own.count = 0;
    if (!FLM_ARRAY_RESERVE(&a->own, group.member_count) || !FLM_ARRAY_RESERVE(&a->open, 1))
        return false;
    if (group.member_count > 0) /* none: the sum of no profiles */
        memcpy(a->own.at, members, group.member_count * sizeof *members);
    a->own.count = group.member_count;
    uint32_t node = a->made++;
    a->out->node_frame[node] = group.rank;
    for (uint32_t m = 0; m < a->out->sizes.metric_count; m++)
        flm_self_column(a->out, m)[node] = 0; /* written before it is read: see flm_new_zeroed */
    for (uint32_t i = 0; i < group.member_count; i++)
        add_values(a, a->own.at[i].input, a->own.at[i].node, node);
    a->open.at[a->open.count++] = node;
    return push_groups(a, group.member_count, group.depth + 1);
}

static bool make_nodes(struct aligning *a)
{
    if (!FLM_ARRAY_RESERVE(&a->members, a->count) || !FLM_ARRAY_RESERVE(&a->groups, 1))
        return false;
    /* The roots of all inputs are one node, with the last input on top. */
    for (size_t i = a->count; i-- > 0;)
        a->members.at[a->members.count++] = (struct member){(uint32_t)i, 0};
    a->groups.at[a->groups.count++] = (struct group){0, 0, (uint32_t)a->count};
    while (a->groups.count > 0)
        if (!make_node(a, a->groups.at[--a->groups.count]))
            return false;
    close_nodes(a, 0);
    return true;
}

static double *out_column(void *profile, uint32_t metric)
{
    return flm_self_column(profile, metric);
}

/* What the sums of chunks lack belongs to their nodes; then all sums are rounded, once. */
static bool round_sums(struct aligning *a)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t r = 0; r < a->in[i]->residual_count; r++) {
            struct flm_residual left_out = a->in[i]->residuals[r];
            uint32_t metric = a->carried[i].metric_map[left_out.metric];
            if (metric != FLM_NONE)
                add_value(a, metric, a->moved[a->node_starts[i] + left_out.node], left_out.value);
        }
    a->rounded = flm_residuals_round(&a->residuals, out_column, a->out);
    return !a->failed || flm_error_memory(a->why);
}

static void clear(struct aligning *a)
{
    flm_residuals_clear(&a->residuals);
    flm_metadata_clear(&a->metadata);
    flm_builder_free(a->builder);
    for (size_t i = 0; a->carried && i < a->count; i++)
        flm_carried_clear(&a->carried[i]);
    free(a->carried);
    free(a->node_starts);
    free(a->moved);
    FLM_ARRAY_CLEAR(&a->groups);
    FLM_ARRAY_CLEAR(&a->members);
    FLM_ARRAY_CLEAR(&a->open);
    FLM_ARRAY_CLEAR(&a->own);
    free(a->children);
    free(a->keys);
    free(a->runs);
}

/* The metrics of input `i`, under `name`: "before", or "before:cpu" when there are several. */
static bool copy_as(struct aligning *a, size_t i, const char *name)
{
    const struct flm_profile *p = a->in[i];
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_text full = {0};
        flm_text_puts(&full, name);
        if (p->sizes.metric_count > 1) {
            flm_text_putc(&full, ':');
            flm_text_add(&full, flm_string_bytes(p, p->metrics[m].name));
        }
        uint32_t before = a->builder->metric_count;
        uint32_t string = flm_builder_string(a->builder, full.at, full.size).index;
        bool room = !full.failed;
        flm_text_clear(&full);
        if (!room)
            return flm_error_memory(a->why);
        if (!flm_copy_metric(a->builder, p, &a->carried[i], m, string, a->why))
            return false;
        if (a->builder->metric_count == before)
            return flm_error_set(a->why, FLM_ERROR_USAGE, "two profiles are called '%s'", name);
    }
    return true;
}

/* The one metric of input `i` that counts, under the name that it has in the first. */
static bool copy_only(struct aligning *a, size_t i)
{
    const struct flm_profile *p = a->in[i], *first = a->in[0];
    uint32_t name = a->carried[0].string_map[first->metrics[a->only[0]].name];
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        a->carried[i].metric_map[m] = FLM_NONE;
    return flm_copy_metric(a->builder, p, &a->carried[i], a->only[i], name, a->why);
}

static bool copy_metrics(struct aligning *a, size_t i, enum flm_align_mode mode,
                         const char *const *names)
{
    if (a->only)
        return copy_only(a, i);
    return mode == FLM_ALIGN_ADD ? flm_copy_metrics(a->builder, a->in[i], &a->carried[i], a->why)
                                 : copy_as(a, i, names[i]);
}

/* Whether the other of both inputs has a note of the same key. */
static bool both_have(const struct aligning *a, size_t input, uint32_t key)
{
    const struct flm_profile *other = a->in[!input];
    for (uint32_t n = 0; n < other->sizes.note_count; n++)
        if (a->carried[!input].string_map[other->notes[n].key] == key)
            return true;
    return false;
}

/* What both sides say differently: "before:mapped /usr/bin/app", so that it is known of each; also
 * which build only one of them says. Of more than two it would be more than the profile. */
static bool keep_disputed(struct aligning *a, const char *const *names)
{
    struct flm_builder *b = a->builder;
    size_t count = b->notes.count;
    struct flm_text key = {0};
    for (size_t i = 0; i < a->count && count > 0 && !key.failed; i++)
        for (uint32_t n = 0; n < a->in[i]->sizes.note_count && !key.failed; n++) {
            const struct flm_note_record *note = &a->in[i]->notes[n];
            struct flm_bytes name = flm_string_bytes(a->in[i], note->key);
            struct flm_bytes value = flm_string_bytes(a->in[i], note->value);
            uint32_t string = a->carried[i].string_map[note->key], k = 0;
            while (b->notes.at[k].key != string && k + 1 < count)
                k++;
            bool is_disputed = b->notes.at[k].key == string && b->notes.at[k].value == FLM_NONE;
            if (!is_disputed &&
                (!flm_bytes_start_with(name, FLM_NOTE_MAPPED) || both_have(a, i, string)))
                continue;
            key.size = 0;
            flm_text_format(&key, "%s:", names[i]);
            flm_text_add(&key, name);
            flm_text_putc(&key, 0);
            if (!key.failed)
                flm_builder_note(b, key.at, value.at, value.size);
        }
    bool good = !key.failed || flm_error_memory(a->why);
    flm_text_clear(&key);
    return good;
}

static bool copy_metadata(struct aligning *a, enum flm_align_mode mode, const char *const *names)
{
    bool samples = false, moves = a->only != NULL;
    for (size_t i = 0; i < a->count; i++) {
        samples |= mode == FLM_ALIGN_ADD && !a->only && a->in[i]->sizes.label_set_count > 0;
        moves |= a->in[i]->residual_count > 0 || a->in[i]->sizes.recursion_count > 0;
    }
    uint32_t start = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct flm_profile *p = a->in[i];
        if (!flm_copy_strings(a->builder, p, &a->carried[i]))
            return flm_error_memory(a->why);
        if (!copy_metrics(a, i, mode, names))
            return false;
        flm_copy_notes(a->builder, p, &a->carried[i]);
        if (samples)
            flm_copy_samples(a->builder, p, &a->carried[i], NULL, start, NULL);
        a->node_starts[i] = start;
        start += p->sizes.node_count;
    }
    if (mode == FLM_ALIGN_SIDE_BY_SIDE && a->count == 2 && !keep_disputed(a, names))
        return false;
    if ((samples || moves) && !(a->moved = malloc((size_t)start * sizeof *a->moved)))
        return flm_error_memory(a->why);
    return !flm_builder_failed(a->builder) || flm_error_memory(a->why);
}

static bool rank_frames(struct aligning *a)
{
    size_t frame_count = a->builder->interner.frame_count;
    unsigned char *used = malloc(frame_count);
    if (!used)
        return flm_error_memory(a->why);
    memset(used, 1, frame_count);
    bool ranked = flm_metadata_start(&a->metadata, a->builder, used, a->why);
    free(used);
    for (size_t i = 0; ranked && i < a->count; i++) {
        uint32_t *map = a->carried[i].frame_map;
        for (uint32_t f = 0; f < a->in[i]->sizes.frame_count; f++)
            map[f] = a->metadata.ranking.frame_rank[map[f]];
    }
    return ranked;
}

static bool merge_depths(const struct aligning *a)
{
    bool any = false;
    for (size_t i = 0; i < a->count; i++)
        any |= a->in[i]->sizes.recursion_count > 0;
    if (!any)
        return true;
    struct flm_depths *depths = flm_depths_new(a->out->sizes.node_count);
    for (size_t i = 0; depths && i < a->count; i++)
        for (uint32_t node = 0; node < a->in[i]->sizes.node_count; node++)
            flm_depths_merge(&depths[a->moved[a->node_starts[i] + node]],
                             flm_recursion_at(a->in[i], node));
    bool good = depths ? flm_recursion_set(a->out, depths, a->out->sizes.node_count, NULL, a->why)
                       : flm_error_memory(a->why);
    free(depths);
    return good;
}

/* As in flm_builder_finish. */
static bool check_sums(const struct aligning *a)
{
    const struct flm_sizes *sizes = &a->out->sizes;
    for (uint32_t m = 0; m < sizes->metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(a->out, m);
        size_t count = values.any ? values.count : 0;
        if (!(flm_sum_of_sizes(flm_self_column(a->out, m), sizes->node_count) <= FLM_SUM_LIMIT &&
              flm_sum_of_sizes(values.any, count) <= FLM_SUM_LIMIT))
            return flm_error_set(a->why, FLM_ERROR_RANGE,
                                 "the values sum to more than 2^1000, the most that is added up: "
                                 "merge fewer profiles, or scale them down");
    }
    return true;
}

static bool align(struct aligning *a, enum flm_align_mode mode, const char *const *names)
{
    uint64_t node_count = 0;
    for (size_t i = 0; i < a->count; i++)
        node_count += a->in[i]->sizes.node_count;
    if (node_count >= FLM_NONE)
        return flm_error_set(a->why, FLM_ERROR_RANGE,
                             "more than 2^32 stacks in all: merge fewer profiles at a time");
    a->builder = flm_builder_new(a->why);
    a->carried = calloc(a->count + 1, sizeof *a->carried);
    a->node_starts = calloc(a->count + 1, sizeof *a->node_starts);
    if (!a->builder || !a->carried || !a->node_starts)
        return flm_error_memory(a->why);
    if (!copy_metadata(a, mode, names) || !rank_frames(a))
        return false;
    struct flm_sizes sizes = a->metadata.sizes;
    sizes.node_count = (uint32_t)node_count + 1;
    a->out = flm_profile_allocate(&sizes, a->why);
    if (!a->out)
        return false;
    if (!make_nodes(a))
        return flm_error_memory(a->why);
    if (!round_sums(a))
        return false;
    sizes.node_count = a->made;
    return flm_profile_shrink(a->out, &sizes, a->why) &&
           flm_metadata_write(&a->metadata, a->out, a->moved, a->why) && merge_depths(a) &&
           check_sums(a);
}

/* Differences may cancel, and stacks that only samples kept have none side by side. */
static bool has_empty_leaf(const struct flm_profile *p)
{
    for (uint32_t i = 1; i < p->sizes.node_count && p->sizes.metric_count > 0; i++) {
        bool empty = p->node_end[i] == i + 1;
        for (uint32_t m = 0; empty && m < p->sizes.metric_count; m++)
            empty = flm_self_column(p, m)[i] == 0;
        if (empty)
            return true;
    }
    return false;
}

/* Takes `p`. The profile without empty leaves, with a note of the sums that were rounded: they are
 * known only now, and few profiles have any. */
static struct flm_profile *remake(struct flm_profile *p, uint64_t rounded, struct flm_error *why)
{
    struct flm_column *columns = flm_columns_copy(p);
    struct flm_profile *result = NULL;
    if (columns)
        result = flm_subset_rounded(p, columns, p->sizes.metric_count, NULL, rounded, why);
    else
        flm_error_memory(why);
    flm_columns_free(columns, p->sizes.metric_count);
    flm_profile_free(p);
    return result;
}

/* `moved` as it is once the empty leaves of `p` are gone. */
static bool move_again(const struct flm_profile *p, uint32_t *moved, size_t count,
                       struct flm_error *why)
{
    uint32_t *index = malloc(p->sizes.node_count * sizeof *index);
    if (!index)
        return flm_error_memory(why);
    uint32_t valued = FLM_NONE, kept = 0; /* the next node that has a value */
    for (uint32_t i = p->sizes.node_count; i-- > 0;) {
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            valued = flm_self_column(p, m)[i] != 0 ? i : valued;
        index[i] = i == 0 || valued < p->node_end[i];
    }
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        index[i] = index[i] ? kept++ : FLM_NONE;
    for (size_t i = 0; i < count; i++)
        moved[i] = index[moved[i]];
    free(index);
    return true;
}

static struct flm_profile *align_all(const struct flm_profile *const *profiles, size_t count,
                                     enum flm_align_mode mode, const char *const *names,
                                     struct flm_error *why)
{
    struct aligning a = {.in = profiles, .count = count, .why = why};
    bool aligned = align(&a, mode, names);
    clear(&a);
    if (!aligned) {
        flm_profile_free(a.out);
        return NULL;
    }
    return a.rounded > 0 || has_empty_leaf(a.out) ? remake(a.out, a.rounded, why) : a.out;
}

/* Those that have chains are aligned in their split form, and the result is joined. */
struct flm_profile *flm_align(const struct flm_profile *const *profiles, size_t count,
                              enum flm_align_mode mode, const char *const *names,
                              struct flm_error *why)
{
    assert((profiles || count == 0) && (names || mode == FLM_ALIGN_ADD));
    const struct flm_profile **in = malloc((count + 1) * sizeof *in);
    struct flm_profile **split = calloc(count + 1, sizeof *split), *result = NULL;
    bool good = (in && split) || flm_error_memory(why);
    for (size_t i = 0; good && i < count; i++) {
        split[i] = flm_has_chains(profiles[i]) ? flm_profile_split(profiles[i], why) : NULL;
        in[i] = split[i] ? split[i] : profiles[i];
        good = split[i] || !flm_has_chains(profiles[i]);
    }
    if (good)
        result = flm_joined(align_all(in, count, mode, names, why), why);
    for (size_t i = 0; split && i < count; i++)
        flm_profile_free(split[i]);
    free(split);
    free(in);
    return result;
}

struct flm_profile *flm_align_metric(const struct flm_profile *const *profiles, size_t count,
                                     const uint32_t *metric, struct flm_moved *moved,
                                     struct flm_error *why)
{
    assert(profiles && metric && count > 0);
    struct aligning a = {.in = profiles, .count = count, .only = metric, .why = why};
    size_t node_count = 0;
    bool good = align(&a, FLM_ALIGN_ADD, NULL);
    for (size_t i = 0; good && i < count; i++)
        node_count += profiles[i]->sizes.node_count;
    if (good && (a.rounded > 0 || has_empty_leaf(a.out))) {
        good = move_again(a.out, a.moved, node_count, why);
        if (good)
            a.out = remake(a.out, a.rounded, why);
        good = good && a.out;
    }
    if (good) {
        *moved = (struct flm_moved){a.moved, a.node_starts};
        a.moved = a.node_starts = NULL;
    } else {
        flm_profile_free(a.out);
        a.out = NULL;
    }
    clear(&a);
    return a.out;
}

void flm_moved_clear(struct flm_moved *moved)
{
    free(moved->node);
    free(moved->start);
    *moved = (struct flm_moved){0};
}
