/* write.c - a profile as folded stacks, lines in byte order.
 *
 * Lines are never collected and sorted: a profile of 1e6 nodes is 300 MB of text. The tree is
 * walked in the order that the finished lines have. That is nearly the canonical order, but not
 * quite: in a function's own line ' ' follows the name, in the lines of its callees ';', and a
 * sibling with a longer name that begins with the same bytes may fall between them:
 *
 *     run 5             own line of run
 *     run(int) 3        ' ' < '(' < ';'
 *     run;read 2        below run
 *
 * So every child is two items, its own line and its subtree, which are sorted by the bytes that
 * follow the shared beginning. */
#include "format/folded/folded.h"

#include <stdlib.h>

#include "algebra/compare/comparable.h"
#include "algebra/operation/algebra.h"
#include "base/core/array.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "format/core/format.h"

/* The names of all frames as written: without ';' or line breaks, with marks of kinds. */
struct names {
    struct flm_text text;
    size_t *ends; /* by frame */
};

static struct flm_bytes name_of(const struct names *n, uint32_t frame)
{
    size_t start = frame ? n->ends[frame - 1] : 0;
    return (struct flm_bytes){n->text.at + start, n->ends[frame] - start};
}

static void names_clear(struct names *n)
{
    flm_text_clear(&n->text);
    free(n->ends);
}

/* The format has no way to quote its separators; flamegraph.pl's tools write ':' for ';'. */
static void add_name(struct flm_text *text, struct flm_bytes name)
{
    char *to = flm_text_reserve(text, name.size);
    for (size_t i = 0; to && i < name.size; i++) {
        char byte = name.at[i];
        to[i] = byte == ';' ? ':' : byte == '\n' || byte == '\r' ? ' ' : byte;
    }
    if (to)
        text->size += name.size;
}

static bool names_init(struct names *n, const struct flm_profile *p, bool annotate,
                       struct flm_error *why)
{
    *n = (struct names){.ends = malloc(p->sizes.frame_count * sizeof(size_t))};
    for (uint32_t i = 0; n->ends && i < p->sizes.frame_count; i++) {
        char mark = annotate ? flm_folded_mark(p->frames[i].kind) : 0;
        add_name(&n->text, flm_frame_function(p, i));
        if (mark)
            flm_text_format(&n->text, "_[%c]", mark);
        n->ends[i] = n->text.size;
    }
    if (n->ends && !n->text.failed)
        return true;
    names_clear(n);
    return flm_error_memory(why);
}

/* Sorted by name, equal ones would be neighbors. */
static int order_names(const void *context, uint32_t a, uint32_t b)
{
    const struct names *n = context;
    return flm_bytes_compare(name_of(n, a), name_of(n, b));
}

/* Finds for each frame the first one with the same written name; *any: whether there are
 * several. */
static bool find_same_names(const struct names *n, uint32_t count, uint32_t *same, bool *any,
                            struct flm_error *why)
{
    uint32_t *order = malloc(2 * (size_t)count * sizeof *order);
    if (!order)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < count; i++)
        order[i] = same[i] = i;
    if (count > 1)
        flm_sort(order + 1, count - 1, order + count, order_names, n);
    *any = false;
    for (uint32_t i = 2; i < count; i++) {
        if (flm_bytes_equal(name_of(n, order[i - 1]), name_of(n, order[i]))) {
            same[order[i]] = same[order[i - 1]];
            *any = true;
        }
    }
    free(order);
    return true;
}

/* A line, or the lines of a subtree, still to be written. */
struct item {
    uint32_t node;
    uint32_t depth; /* of the node: 1 below the root */
    bool own;
};

struct writing {
    const struct flm_profile *p;
    const struct flm_write_options *options;
    const double *column[2]; /* the values of a line; the second may be NULL */
    bool has_zeros;          /* a stack with a value in any metric has a line: its value here was
                                measured, and was 0 (FLM_NOTE_SAMPLE_VALUES) */
    struct names names;
    uint32_t nameless;    /* the child of the root without a name, which has no line of its own: it
                             would be that of the empty stack, to which its value is added. 0:
                             none */
    unsigned char *below; /* by node: 1 when a node under it has a value */
    unsigned char *sampled; /* with has_zeros, by node: 1 when a sample was there */
    struct flm_text *out;

    struct flm_text path; /* the names of the callers of the current items, each followed by ';' */
    struct FLM_ARRAY(size_t) path_sizes; /* by depth: the path's size for items of that depth */

    struct FLM_ARRAY(struct item) items; /* a stack; the next one is the last */

    struct flm_text keys; /* working memory of one sort */
    struct FLM_ARRAY(size_t) key_ends;
    struct FLM_ARRAY(uint32_t) order;
    struct FLM_ARRAY(struct item) sorted;
};

static double value_of(const struct writing *w, int column, uint32_t node)
{
    const double *values = w->column[column];
    if (w->nameless && node <= w->nameless)
        return node == 0 ? values[0] + values[w->nameless] : 0;
    return values[node];
}

static bool is_measured(const struct writing *w, uint32_t node)
{
    bool found = w->sampled[node];
    for (uint32_t m = 0; m < w->p->sizes.metric_count && !found; m++)
        found = flm_self_column(w->p, m)[node] != 0;
    return found;
}

static bool has_value(const struct writing *w, uint32_t node)
{
    return value_of(w, 0, node) != 0 || (w->column[1] && value_of(w, 1, node) != 0) ||
           (w->has_zeros && node > w->nameless && is_measured(w, node));
}

static bool find_sampled(struct writing *w)
{
    w->sampled = calloc(w->p->sizes.node_count, 1);
    for (uint32_t i = 0; w->sampled && i < w->p->sizes.sample_count; i++)
        w->sampled[w->p->sample_node[i]] = 1;
    return w->sampled != NULL;
}

static void find_below(struct writing *w)
{
    const uint32_t *end = w->p->node_end;
    for (uint32_t i = w->p->sizes.node_count; i-- > 0;) {
        w->below[i] = 0;
        for (uint32_t child = i + 1; child < end[i] && !w->below[i]; child = end[child])
            w->below[i] = w->below[child] || has_value(w, child);
    }
}

static void add_values(const struct writing *w, struct flm_text *text, uint32_t node)
{
    char number[FLM_NUMBER_SIZE];
    for (int i = 0; i < 2 && w->column[i]; i++) {
        flm_text_putc(text, ' ');
        flm_text_add(text, (struct flm_bytes){
                               number, flm_number_print_exactly(value_of(w, i, node), number)});
    }
}

static struct flm_bytes key_of(const struct writing *w, uint32_t key)
{
    size_t start = key ? w->key_ends.at[key - 1] : 0;
    return (struct flm_bytes){w->keys.at + start, w->key_ends.at[key] - start};
}

/* Descending: items are taken from the end. */
static int order_keys(const void *context, uint32_t a, uint32_t b)
{
    const struct writing *w = context;
    return -flm_bytes_compare(key_of(w, a), key_of(w, b));
}

static bool sort_items(struct writing *w, size_t first)
{
    size_t count = w->items.count - first;
    /* Their counts stay 0: only the memory is used. */
    if (!FLM_ARRAY_RESERVE(&w->key_ends, count) || !FLM_ARRAY_RESERVE(&w->order, 2 * count) ||
        !FLM_ARRAY_RESERVE(&w->sorted, count))
        return false;
    w->keys.size = 0;
    for (size_t i = 0; i < count; i++) {
        const struct item *item = &w->items.at[first + i];
        flm_text_add(&w->keys, name_of(&w->names, w->p->node_frame[item->node]));
        if (item->own)
            add_values(w, &w->keys, item->node);
        else
            flm_text_putc(&w->keys, ';');
        w->key_ends.at[i] = w->keys.size;
        w->order.at[i] = (uint32_t)i;
    }
    if (w->keys.failed)
        return false;
    flm_sort(w->order.at, count, w->order.at + count, order_keys, w);
    for (size_t i = 0; i < count; i++)
        w->sorted.at[i] = w->items.at[first + w->order.at[i]];
    memcpy(w->items.at + first, w->sorted.at, count * sizeof *w->items.at);
    return true;
}

static bool push_children(struct writing *w, uint32_t node, uint32_t depth)
{
    size_t first = w->items.count;
    const uint32_t *end = w->p->node_end;
    for (uint32_t child = node + 1; child < end[node]; child = end[child])
        if ((w->below[child] && !FLM_ARRAY_ADD(&w->items, (struct item){child, depth, false})) ||
            (has_value(w, child) && !FLM_ARRAY_ADD(&w->items, (struct item){child, depth, true})))
            return false;
    if (!FLM_ARRAY_RESERVE(&w->path_sizes, (size_t)depth + 1)) /* its count stays 0 */
        return false;
    w->path_sizes.at[depth] = w->path.size;
    return w->items.count - first < 2 || sort_items(w, first);
}

static bool write_lines(struct writing *w)
{
    if (has_value(w, 0)) { /* the empty stack: a line that begins with its blank */
        add_values(w, w->out, 0);
        flm_text_putc(w->out, '\n');
    }
    if (!push_children(w, 0, 1))
        return false;
    while (w->items.count > 0 && !w->out->failed) {
        struct item item = w->items.at[--w->items.count];
        struct flm_bytes name = name_of(&w->names, w->p->node_frame[item.node]);
        w->path.size = w->path_sizes.at[item.depth];
        if (item.own) {
            flm_text_add(w->out, (struct flm_bytes){w->path.at, w->path.size});
            flm_text_add(w->out, name);
            add_values(w, w->out, item.node);
            flm_text_putc(w->out, '\n');
        } else {
            flm_text_add(&w->path, name);
            flm_text_putc(&w->path, ';');
            if (w->path.failed || !push_children(w, item.node, item.depth + 1))
                return false;
        }
    }
    return true;
}

static bool write_merged(const struct flm_profile *p, const struct flm_write_options *options,
                         uint32_t second_metric, struct flm_text *out, struct flm_error *why)
{
    struct writing w = {.p = p, .options = options, .out = out};
    w.column[0] = flm_self_column(p, options->metric.index);
    w.column[1] = second_metric == FLM_NONE ? NULL : flm_self_column(p, second_metric);
    w.has_zeros = flm_profile_note_named(p, FLM_NOTE_SAMPLE_VALUES).at != NULL;
    w.below = malloc(p->sizes.node_count);
    bool good = w.below && (!w.has_zeros || find_sampled(&w)) &&
                names_init(&w.names, p, options->annotate, why);
    if (good) {
        if (p->sizes.node_count > 1 && name_of(&w.names, p->node_frame[1]).size == 0)
            w.nameless = 1;
        find_below(&w);
        good = write_lines(&w);
        names_clear(&w.names);
    }
    flm_text_clear(&w.path);
    flm_text_clear(&w.keys);
    free(w.below);
    free(w.sampled);
    FLM_ARRAY_CLEAR(&w.path_sizes);
    FLM_ARRAY_CLEAR(&w.items);
    FLM_ARRAY_CLEAR(&w.key_ends);
    FLM_ARRAY_CLEAR(&w.order);
    FLM_ARRAY_CLEAR(&w.sorted);
    return good || flm_error_memory(why);
}

struct same_names {
    const uint32_t *same;
};

static uint32_t first_of_same(void *context, uint32_t frame)
{
    return ((const struct same_names *)context)->same[frame];
}

/* Frames that differ only in what folded stacks leave out (a module, for example) become one, so
 * that no stack is written twice. */
static bool write_stacks(const struct flm_profile *p, const struct flm_write_options *options,
                         uint32_t second_metric, struct flm_text *out, struct flm_error *why)
{
    struct names names;
    uint32_t *same = malloc(p->sizes.frame_count * sizeof *same);
    if (!same || !names_init(&names, p, options->annotate, why)) {
        free(same);
        return flm_error_memory(why);
    }
    bool any = false;
    bool good = find_same_names(&names, p->sizes.frame_count, same, &any, why);
    names_clear(&names);
    if (good && any) {
        struct same_names context = {same};
        struct flm_profile *merged = flm_quotient_frames(p, first_of_same, &context, why);
        good = merged && write_merged(merged, options, second_metric, out, why);
        flm_profile_free(merged);
    } else if (good) {
        good = write_merged(p, options, second_metric, out, why);
    }
    free(same);
    return good;
}

bool flm_folded_write(const struct flm_profile *p, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    if (p->sizes.metric_count == 0)
        return true;
    return write_stacks(p, options, FLM_NONE, out, why);
}

/* The pair that the wanted metric belongs to, or the first. */
static bool find_pair(const struct flm_profile *p, struct flm_metric metric,
                      struct flm_metric_pair *pair, struct flm_error *why)
{
    struct flm_metric_pair *pairs = malloc((p->sizes.metric_count + (size_t)1) * sizeof *pairs);
    if (!pairs)
        return flm_error_memory(why);
    uint32_t count = flm_metric_pairs(p, pairs), found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].before.index == metric.index || pairs[i].after.index == metric.index)
            found = i;
    if (count > 0)
        *pair = pairs[found];
    free(pairs);
    return count > 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "difffolded needs the metrics 'before' and 'after', made by "
                         "'flamel convert after --base before' or 'flamel merge --side-by-side "
                         "before after'");
}

bool flm_folded_write_difference(const struct flm_profile *p,
                                 const struct flm_write_options *options, struct flm_text *out,
                                 struct flm_error *why)
{
    struct flm_metric_pair pair = {.name = {"", 0}};
    if (!find_pair(p, options->metric, &pair, why))
        return false;
    struct flm_write_options first = *options;
    first.metric = pair.before;
    return write_stacks(p, &first, pair.after.index, out, why);
}

bool flm_folded_is_annotated(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_ANNOTATED))
            return true;
    return false;
}
