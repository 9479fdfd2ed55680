#include "algebra/calls.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

/* One occurrence in a row: the node where the row has arrived, and the node whose total counts.
 * They differ for callers only, which climb. */
struct item {
    uint32_t at, of;
};

/* What is known of a function while the children of one row are gathered. */
struct gathered {
    double total, self, size;
    uint32_t item_count; /* 0: none seen */
    bool hidden;
    size_t next_item; /* in the pool: where its next item is put */
};

/* A row that is still to be shown. Its items are the last of the pool when its turn comes. */
struct pending {
    uint32_t function, level, sibling, sibling_count;
    double total, self;
    size_t first_item, item_count;
};

struct making {
    const struct flm_profile *p;
    const struct flm_functions *functions;
    const struct flm_calls_options *options;
    struct flm_calls *calls;
    size_t call_capacity;

    const double *self;
    double *total, *size; /* by node; the same column where nothing is negative */
    uint32_t *parent;     /* for callers */

    struct item *pool;
    size_t pool_size, pool_capacity;
    struct pending *pending;
    size_t pending_count, pending_capacity;

    struct gathered *gathered; /* by function */
    uint32_t *seen, *scratch;  /* functions that have items */
    uint32_t seen_count;
};

/* ---- The columns --------------------------------------------------------------------------------
 */

static bool has_negative(const double *self, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (self[i] < 0)
            return true;
    return false;
}

static void sum_sizes(const struct flm_profile *p, const double *self, double *size)
{
    for (uint32_t i = p->sizes.node_count; i-- > 0;) {
        double sum = fabs(self[i]);
        for (uint32_t child = i + 1; child < p->node_end[i]; child = p->node_end[child])
            sum += size[child];
        size[i] = sum;
    }
}

static bool make_columns(struct making *m)
{
    size_t nodes = m->p->sizes.node_count, functions = m->functions->count;
    uint32_t metric = m->options->metric.index;
    m->self = flm_self_column(m->p, metric);
    m->total = malloc(nodes * sizeof *m->total);
    m->gathered = calloc(functions, sizeof *m->gathered);
    m->seen = malloc(functions * sizeof *m->seen);
    m->scratch = malloc(functions * sizeof *m->scratch);
    if (!m->total || !m->gathered || !m->seen || !m->scratch)
        return false;
    flm_profile_totals(m->p, metric, m->total);
    m->size = m->total;
    if (has_negative(m->self, m->p->sizes.node_count)) {
        m->size = malloc(nodes * sizeof *m->size);
        if (!m->size)
            return false;
        sum_sizes(m->p, m->self, m->size);
    }
    if (m->options->view == FLM_CALLS_CALLERS) {
        m->parent = malloc(nodes * sizeof *m->parent);
        if (!m->parent)
            return false;
        flm_profile_parents(m->p, m->parent);
    }
    return true;
}

static void free_columns(struct making *m)
{
    if (m->size != m->total)
        free(m->size);
    free(m->total);
    free(m->parent);
    free(m->gathered);
    free(m->seen);
    free(m->scratch);
    free(m->pool);
    free(m->pending);
}

/* ---- From the items of a row to its children ----------------------------------------------------
 */

/* The children are enumerated twice, first to add up what each function has, then to put the items
 * of those that are shown into the pool. */
typedef void (*visitor)(struct making *m, struct item item);

static void add_item(struct making *m, struct item item)
{
    if (m->size[item.of] == 0) /* of another metric */
        return;
    uint32_t function = m->functions->of_frame[m->p->node_frame[item.at]];
    struct gathered *g = &m->gathered[function];
    if (g->item_count++ == 0)
        m->seen[m->seen_count++] = function;
    g->total += m->total[item.of];
    g->size += m->size[item.of];
    if (!m->parent)
        g->self += m->self[item.at];
    else if (m->parent[item.at] == 0)
        g->self += m->total[item.of];
}

static void put_item(struct making *m, struct item item)
{
    if (m->size[item.of] == 0)
        return;
    struct gathered *g = &m->gathered[m->functions->of_frame[m->p->node_frame[item.at]]];
    if (!g->hidden)
        m->pool[g->next_item++] = item;
}

static void visit_children(struct making *m, size_t first, size_t count, visitor visit)
{
    const uint32_t *end = m->p->node_end;
    for (size_t i = first; i < first + count; i++) {
        struct item item = m->pool[i];
        if (m->parent) {
            uint32_t above = m->parent[item.at];
            if (above != 0)
                visit(m, (struct item){above, item.of});
            continue;
        }
        for (uint32_t child = item.at + 1; child < end[item.at]; child = end[child])
            visit(m, (struct item){child, child});
    }
}

/* The outermost occurrences of the marked frames. */
static void visit_marked(struct making *m, visitor visit)
{
    const uint32_t *frame = m->p->node_frame, *end = m->p->node_end;
    for (uint32_t i = 1; i < m->p->sizes.node_count;) {
        if (!m->options->marks[frame[i]]) {
            i++;
            continue;
        }
        visit(m, (struct item){i, i});
        i = end[i];
    }
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct gathered *gathered = context;
    double x = gathered[a].size, y = gathered[b].size;
    int order = (x < y) - (x > y);
    return order ? order : (a > b) - (a < b);
}

static bool push(struct making *m, struct pending pending)
{
    void *grown = m->pending;
    if (!flm_grow(&grown, &m->pending_capacity, m->pending_count + 1, sizeof *m->pending))
        return false;
    m->pending = grown;
    m->pending[m->pending_count++] = pending;
    return true;
}

static void count_hidden(struct making *m, const struct gathered *g, struct flm_call *above,
                         bool too_deep)
{
    m->calls->hidden_count++;
    m->calls->hidden += g->total;
    m->calls->deeper_count += too_deep;
    m->calls->deeper += too_deep ? g->total : 0;
    uint32_t *count = above ? &above->hidden_count : &m->calls->hidden_top_count;
    double *hidden = above ? &above->hidden : &m->calls->hidden_top;
    *count += 1;
    *hidden += g->total;
}

/* Sorts what was gathered, decides what is shown, gives it room in the pool and pushes it. The
 * first row is pushed last and its items stand last, so that it comes off the stack first. */
static bool choose(struct making *m, uint32_t level, struct flm_call *above)
{
    flm_sort(m->seen, m->seen_count, m->scratch, compare, m->gathered);
    bool too_deep = level >= m->options->levels;
    uint32_t shown = 0;
    size_t item_count = 0;
    for (uint32_t i = 0; i < m->seen_count; i++) {
        struct gathered *g = &m->gathered[m->seen[i]];
        if (level == 0)
            m->calls->total += g->total;
        if (!too_deep && g->size >= m->options->cut) {
            shown++;
            item_count += g->item_count;
        } else {
            count_hidden(m, g, above, too_deep && g->size >= m->options->cut);
            g->hidden = true;
        }
    }
    void *pool = m->pool;
    if (!flm_grow(&pool, &m->pool_capacity, m->pool_size + item_count, sizeof *m->pool))
        return false;
    m->pool = pool;
    for (uint32_t i = shown; i-- > 0;) {
        struct gathered *g = &m->gathered[m->seen[i]];
        g->next_item = m->pool_size;
        struct pending row = {m->seen[i],   level,        i, shown, g->total, g->self,
                              m->pool_size, g->item_count};
        if (!push(m, row))
            return false;
        m->pool_size += g->item_count;
    }
    return true;
}

static void forget_gathered(struct making *m)
{
    for (uint32_t i = 0; i < m->seen_count; i++)
        m->gathered[m->seen[i]] = (struct gathered){0};
    m->seen_count = 0;
}

/* The rows of level 0. */
static bool start(struct making *m)
{
    if (m->options->view == FLM_CALLS_FROM_ROOT) {
        void *pool = m->pool;
        if (!flm_grow(&pool, &m->pool_capacity, 1, sizeof *m->pool))
            return false;
        m->pool = pool;
        m->pool[0] = (struct item){0, 0};
        m->pool_size = 1; /* the root stays below all others */
        visit_children(m, 0, 1, add_item);
    } else {
        visit_marked(m, add_item);
    }
    if (!choose(m, 0, NULL))
        return false;
    if (m->options->view == FLM_CALLS_FROM_ROOT)
        visit_children(m, 0, 1, put_item);
    else
        visit_marked(m, put_item);
    forget_gathered(m);
    return true;
}

/* Shows the row that is next, and puts its children in its place. */
static bool show_next(struct making *m)
{
    struct pending row = m->pending[--m->pending_count];
    struct flm_calls *calls = m->calls;
    void *grown = calls->call;
    if (!flm_grow(&grown, &m->call_capacity, calls->count + 1, sizeof *calls->call))
        return false;
    calls->call = grown;
    struct flm_call *call = &calls->call[calls->count++];
    *call = (struct flm_call){
        .function = row.function,
        .level = row.level,
        .sibling = row.sibling,
        .sibling_count = row.sibling_count,
        .total = row.total,
        .self = row.self,
    };
    visit_children(m, row.first_item, row.item_count, add_item);
    size_t pending_before = m->pending_count;
    if (!choose(m, row.level + 1, call))
        return false;
    visit_children(m, row.first_item, row.item_count, put_item);
    forget_gathered(m);

    /* The row's own items are no longer needed: its children's move down over them, so that the
     * pool never holds more than two levels and the siblings that wait. */
    size_t children = m->pool_size - (row.first_item + row.item_count);
    memmove(m->pool + row.first_item, m->pool + row.first_item + row.item_count,
            children * sizeof *m->pool);
    m->pool_size -= row.item_count;
    for (size_t i = pending_before; i < m->pending_count; i++)
        m->pending[i].first_item -= row.item_count;
    return true;
}

bool flm_calls_init(struct flm_calls *calls, const struct flm_profile *p,
                    const struct flm_functions *functions, const struct flm_calls_options *options,
                    struct flm_error *why)
{
    *calls = (struct flm_calls){0};
    struct making m = {.p = p, .functions = functions, .options = options, .calls = calls};
    bool good = make_columns(&m) && start(&m);
    while (good && m.pending_count > 0)
        good = show_next(&m);
    free_columns(&m);
    if (good)
        return true;
    flm_calls_clear(calls);
    return flm_error_memory(why);
}

void flm_calls_clear(struct flm_calls *calls)
{
    free(calls->call);
    *calls = (struct flm_calls){0};
}
