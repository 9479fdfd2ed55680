#include "gate/verdict/attribution.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "profile/columns.h"

static const double explained_enough = 0.7, may_remain = 0.5;

struct walk {
    const struct flm_columns *columns;
    const struct flm_column_finding *finding;
    struct flm_attribution *found;
    struct FLM_ARRAY(struct flm_item) items; /* found->item */
    bool failed;

    /* By node, of the items at and below it. */
    double *explained;
    uint32_t *item_count;
    double *grown, *shrunk; /* without those that were moved */
};

static bool is_significant(const struct walk *w, uint32_t column)
{
    return column != FLM_NONE && w->finding[column].is_significant;
}

static void add_item(struct walk *w, uint32_t node, uint32_t column, enum flm_item_scope scope,
                     double change)
{
    struct flm_item item = {.node = node,
                            .column = column,
                            .scope = scope,
                            .change = change,
                            .moved_below = FLM_NONE,
                            .rename = FLM_NONE};
    if (!FLM_ARRAY_ADD(&w->items, item)) {
        w->failed = true;
        return;
    }
    w->found->item = w->items.at;
    w->found->count = (uint32_t)w->items.count;
    w->explained[node] += change;
    w->item_count[node]++;
    w->grown[node] += change > 0 ? change : 0;
    w->shrunk[node] -= change < 0 ? change : 0;
}

/* All items below it are there already. */
static void add_items_of(struct walk *w, uint32_t node)
{
    uint32_t self = w->columns->self_column[node], total = w->columns->total_column[node];
    if (is_significant(w, self))
        add_item(w, node, self, FLM_ITEM_SELF, w->finding[self].change);
    if (!is_significant(w, total) || w->columns->key[total].node != node || total == self)
        return;
    double change = w->finding[total].change, explained = w->explained[node];
    if (w->item_count[node] == 0)
        add_item(w, node, total, FLM_ITEM_SPREAD, change);
    else if (change != 0 && explained / change < explained_enough)
        add_item(w, node, total, FLM_ITEM_REST, change - explained);
}

/* The items at and below `node` that were not moved elsewhere. */
static void mark_moved(struct walk *w, uint32_t node, uint32_t end)
{
    for (uint32_t i = 0; i < w->found->count; i++) {
        struct flm_item *item = &w->found->item[i];
        if (item->node >= node && item->node < end && item->moved_below == FLM_NONE)
            item->moved_below = node;
    }
    w->grown[node] = w->shrunk[node] = 0;
}

static void look_for_moved(struct walk *w, uint32_t node, uint32_t end)
{
    uint32_t total = w->columns->total_column[node];
    double grown = w->grown[node], shrunk = w->shrunk[node];
    if (grown > 0 && shrunk > 0 && total != FLM_NONE && !is_significant(w, total) &&
        fabs(grown - shrunk) <= may_remain * fmin(grown, shrunk))
        mark_moved(w, node, end);
}

static void walk_tree(struct walk *w, const struct flm_profile *tree)
{
    const uint32_t *end = tree->node_end;
    for (uint32_t i = tree->sizes.node_count; i-- > 0 && !w->failed;) {
        for (uint32_t child = i + 1; child < end[i]; child = end[child]) {
            w->explained[i] += w->explained[child];
            w->item_count[i] += w->item_count[child];
            w->grown[i] += w->grown[child];
            w->shrunk[i] += w->shrunk[child];
        }
        add_items_of(w, i);
        look_for_moved(w, i, end[i]);
    }
}

static bool count_seen(struct flm_attribution *found, const struct flm_runs *runs,
                       struct flm_error *why)
{
    size_t count = runs->tree->sizes.node_count;
    uint32_t *seen = malloc(4 * count * sizeof *seen);
    bool good = seen != NULL || flm_error_memory(why);
    good = good && flm_runs_seen(runs, false, seen, seen + count, why) &&
           flm_runs_seen(runs, true, seen + 2 * count, seen + 3 * count, why);
    for (uint32_t i = 0; good && i < found->count; i++) {
        struct flm_item *item = &found->item[i];
        const uint32_t *of = seen + (item->scope == FLM_ITEM_SELF ? 0 : 2 * count) + item->node;
        item->base_seen = of[0];
        item->new_seen = of[count];
    }
    free(seen);
    return good;
}

static int by_change(const void *one, const void *other)
{
    const struct flm_item *a = one, *b = other;
    double x = fabs(a->change), y = fabs(b->change);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (int)a->scope - (int)b->scope;
}

bool flm_attribution_init(struct flm_attribution *attribution, const struct flm_runs *runs,
                          const struct flm_columns *columns,
                          const struct flm_column_finding *finding, struct flm_error *why)
{
    assert(attribution && runs && finding && columns &&
           columns->matrix.run_count == runs->run_count);
    size_t count = runs->tree->sizes.node_count;
    double *sums = calloc(3 * count, sizeof *sums);
    struct walk w = {.columns = columns,
                     .finding = finding,
                     .found = attribution,
                     .explained = sums,
                     .item_count = calloc(count, sizeof *w.item_count)};
    *attribution = (struct flm_attribution){0};
    if (sums && w.item_count) {
        w.grown = sums + count;
        w.shrunk = sums + 2 * count;
        walk_tree(&w, runs->tree);
    }
    bool good = (sums && w.item_count && !w.failed) || flm_error_memory(why);
    good = good && (attribution->count == 0 || count_seen(attribution, runs, why));
    if (good && attribution->count > 0)
        qsort(attribution->item, attribution->count, sizeof *attribution->item, by_change);
    free(sums);
    free(w.item_count);
    if (!good)
        flm_attribution_clear(attribution);
    return good;
}

void flm_attribution_clear(struct flm_attribution *attribution)
{
    free(attribution->item);
    *attribution = (struct flm_attribution){0};
}
