#include "algebra/aggregate/call_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/lazy_call_tree.h"
#include "base/core/array.h"
#include "base/core/sort.h"
#include "base/text/versioned.h"

/* A row that is still to be shown: a node of the unfolded tree. */
struct pending {
    uint32_t number, level, sibling, sibling_count;
};

struct making {
    const struct flm_profile *p;
    const struct flm_calls_options *options;
    struct flm_calls *calls;
    struct FLM_ARRAY(struct flm_call) rows; /* those of `calls` */

    struct flm_lazy_tree *lazy;
    const double *self;
    double *total; /* by node; NULL where nothing is negative: sizes are totals then */

    struct FLM_ARRAY(struct pending) pending;
    uint32_t *shown; /* children of one row, and as much to sort them */
};

static struct flm_lazy_tree_node node_of(const struct making *m, uint32_t number)
{
    return flm_lazy_tree_at(m->lazy, (struct flm_lazy_ref){number});
}

/* ---- Totals and self, which may be less than sizes ------------------------------------------- */

static bool has_negative(const double *self, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (self[i] < 0)
            return true;
    return false;
}

static bool make_columns(struct making *m, const struct flm_functions *functions,
                         struct flm_error *why)
{
    static const enum flm_lazy_tree_kind kinds[] = {
        [FLM_CALLS_FROM_ROOT] = FLM_LAZY_TREE_CALLS,
        [FLM_CALLS_CALLEES] = FLM_LAZY_TREE_CALLEES,
        [FLM_CALLS_CALLERS] = FLM_LAZY_TREE_CALLERS,
    };
    const struct flm_calls_options *o = m->options;
    m->self = flm_self_column(m->p, o->metric.index);
    m->shown = malloc(2 * (size_t)functions->count * sizeof *m->shown);
    if (!m->shown)
        return flm_error_memory(why);
    if (has_negative(m->self, m->p->sizes.node_count)) {
        m->total = malloc(m->p->sizes.node_count * sizeof *m->total);
        if (!m->total)
            return flm_error_memory(why);
        flm_profile_totals(m->p, o->metric, m->total);
    }
    m->lazy = flm_lazy_tree_new_grouped(m->p, o->metric, kinds[o->view], o->marks,
                                        functions->of_frame, functions->count, why);
    return m->lazy != NULL;
}

static double total_of(const struct making *m, uint32_t number)
{
    if (!m->total)
        return node_of(m, number).total;
    struct flm_lazy_tree_occurrences all =
        flm_lazy_tree_occurrences(m->lazy, (struct flm_lazy_ref){number});
    double total = 0;
    for (uint32_t i = 0; i < all.count; i++)
        total += m->total[all.occurrence[i].of];
    return total;
}

/* Of a node that is open. */
static double self_of(const struct making *m, uint32_t number)
{
    if (!m->total)
        return node_of(m, number).own;
    struct flm_lazy_tree_occurrences all =
        flm_lazy_tree_occurrences(m->lazy, (struct flm_lazy_ref){number});
    double self = 0;
    if (m->options->view == FLM_CALLS_CALLERS)
        for (uint32_t i = 0; i < all.ended_count; i++)
            self += m->total[all.occurrence[i].of];
    else
        for (uint32_t i = 0; i < all.count; i++)
            self += m->self[all.occurrence[i].of];
    return self;
}

/* ---- From a row to those below it ------------------------------------------------------------ */

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct making *m = context;
    double x = node_of(m, a).total, y = node_of(m, b).total;
    int order = (x < y) - (x > y);
    return order ? order : (a > b) - (a < b);
}

static void count_hidden(struct making *m, double total, struct flm_call *above, bool too_deep)
{
    m->calls->hidden_count++;
    m->calls->hidden += total;
    m->calls->deeper_count += too_deep;
    m->calls->deeper += too_deep ? total : 0;
    uint32_t *count = above ? &above->hidden_count : &m->calls->hidden_top_count;
    double *hidden = above ? &above->hidden : &m->calls->hidden_top;
    *count += 1;
    *hidden += total;
}

/* Decides which of the children of a node are shown, and pushes them, the first one last, so that
 * it comes off the stack first. */
static bool choose(struct making *m, uint32_t number, uint32_t level, struct flm_call *above)
{
    struct flm_lazy_tree_node node = node_of(m, number);
    uint32_t count = node.child_count, shown = 0;
    bool too_deep = level >= m->options->levels;
    for (uint32_t i = 0; i < count; i++)
        m->shown[i] = node.first_child + i;
    flm_sort(m->shown, count, m->shown + count, compare, m);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t child = m->shown[i];
        double total = total_of(m, child);
        bool wide = node_of(m, child).total >= m->options->cut;
        if (level == 0)
            m->calls->total += total;
        if (wide && !too_deep)
            m->shown[shown++] = child;
        else
            count_hidden(m, total, above, wide);
    }
    for (uint32_t i = shown; i-- > 0;)
        if (!FLM_ARRAY_ADD(&m->pending, (struct pending){m->shown[i], level, i, shown}))
            return false;
    return true;
}

/* Shows the next row, and replaces it by those below it. */
static bool show_next(struct making *m, struct flm_error *why)
{
    struct pending row = m->pending.at[--m->pending.count];
    if (!FLM_ARRAY_RESERVE(&m->rows, 1))
        return flm_error_memory(why);
    if (!flm_lazy_tree_open(m->lazy, (struct flm_lazy_ref){row.number}, INFINITY, 0, NULL, why))
        return false;
    struct flm_call *call = &m->rows.at[m->rows.count++];
    *call = (struct flm_call){
        .function = node_of(m, row.number).frame,
        .level = row.level,
        .sibling = row.sibling,
        .sibling_count = row.sibling_count,
        .total = total_of(m, row.number),
        .self = self_of(m, row.number),
    };
    return choose(m, row.number, row.level + 1, call) || flm_error_memory(why);
}

bool flm_calls_init(struct flm_calls *calls, const struct flm_profile *p,
                    const struct flm_functions *functions, const struct flm_calls_options *options,
                    struct flm_error *why)
{
    *calls = (struct flm_calls){0};
    struct making m = {.p = p, .options = options, .calls = calls};
    bool good =
        make_columns(&m, functions, why) && (choose(&m, 0, 0, NULL) || flm_error_memory(why));
    while (good && m.pending.count > 0)
        good = show_next(&m, why);
    flm_lazy_tree_free(m.lazy);
    free(m.total);
    free(m.shown);
    FLM_ARRAY_CLEAR(&m.pending);
    calls->call = m.rows.at;
    calls->count = m.rows.count;
    if (!good)
        flm_calls_clear(calls);
    return good;
}

void flm_calls_clear(struct flm_calls *calls)
{
    free(calls->call);
    *calls = (struct flm_calls){0};
}

/* ---- For programs ---------------------------------------------------------------------------- */

struct flm_calls *flm_calls_new(const struct flm_profile *p, const struct flm_functions *functions,
                                const struct flm_calls_options *options, struct flm_error *why)
{
    assert(p && functions && options);
    struct flm_calls_options known;
    if (!flm_versioned_copy(&known, sizeof known, options, "flm_calls_options", why) ||
        !flm_functions_check_metric(p, known.metric, why))
        return NULL;
    if ((unsigned)known.view > FLM_CALLS_CALLERS ||
        (known.view != FLM_CALLS_FROM_ROOT && !known.marks)) {
        flm_error_set(why, FLM_ERROR_USAGE, "callers and callees need marks of their functions");
        return NULL;
    }
    if (options->size < sizeof known) /* an older program has no limit */
        known.levels = UINT32_MAX;
    struct flm_calls *calls = calloc(1, sizeof *calls);
    if (!calls)
        flm_error_memory(why);
    else if (flm_calls_init(calls, p, functions, &known, why))
        return calls;
    flm_calls_free(calls);
    return NULL;
}

void flm_calls_free(struct flm_calls *calls)
{
    if (calls)
        flm_calls_clear(calls);
    free(calls);
}
