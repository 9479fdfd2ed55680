#include "algebra/compare/changes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"

/* The largest items so far: a heap, the smallest of them on top, so that it is the one to go. */
struct largest {
    uint32_t *item;
    const double *size; /* by item */
    uint32_t count, most;
};

/* Whether `a` comes after `b`. */
static bool is_behind(const struct largest *l, uint32_t a, uint32_t b)
{
    return l->size[a] != l->size[b] ? l->size[a] < l->size[b] : a > b;
}

static void sink(struct largest *l, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1, last = at;
        if (child < l->count && is_behind(l, l->item[child], l->item[last]))
            last = child;
        if (child + 1 < l->count && is_behind(l, l->item[child + 1], l->item[last]))
            last = child + 1;
        if (last == at)
            return;
        uint32_t swap = l->item[at];
        l->item[at] = l->item[last];
        l->item[last] = swap;
        at = last;
    }
}

static void add(struct largest *l, uint32_t item)
{
    if (l->count < l->most) {
        l->item[l->count++] = item;
        if (l->count == l->most)
            for (uint32_t i = l->count; i-- > 0;)
                sink(l, i);
    } else if (l->most > 0 && is_behind(l, l->item[0], item)) {
        l->item[0] = item;
        sink(l, 0);
    }
}

static int by_size(const void *context, uint32_t a, uint32_t b)
{
    const struct largest *l = context;
    return is_behind(l, a, b) ? 1 : is_behind(l, b, a) ? -1 : 0;
}

static bool sort(struct largest *l)
{
    uint32_t *scratch = malloc(l->count * sizeof *scratch + 1);
    if (scratch)
        flm_sort(l->item, l->count, scratch, by_size, l);
    free(scratch);
    return scratch != NULL;
}

/* The items below `count` whose `size` is not below 0, in order. NULL when memory ran out. */
static uint32_t *largest_of(const double *size, uint32_t count, uint32_t most, uint32_t *found,
                            uint32_t *in_all)
{
    struct largest l = {.size = size};
    *in_all = 0;
    for (uint32_t i = 0; i < count; i++)
        *in_all += size[i] >= 0;
    l.most = most > 0 && most < *in_all ? most : *in_all;
    l.item = malloc(l.most * sizeof *l.item + 1);
    for (uint32_t i = 0; l.item && i < count; i++)
        if (size[i] >= 0)
            add(&l, i);
    *found = l.count;
    if (l.item && sort(&l))
        return l.item;
    free(l.item);
    return NULL;
}

/* ---- Functions ------------------------------------------------------------------------------- */

struct measuring {
    struct flm_functions before;
    struct flm_function_change *all; /* by function */
    double *size;                    /* by function; below 0: it has not changed */
    uint32_t *order;
};

static double size_of(const struct flm_change *change)
{
    return fabs(change->after - change->before);
}

static void judge(struct flm_changes *c, struct measuring *m, const struct flm_comparison *is,
                  enum flm_function_order by)
{
    for (uint32_t i = 0; i < c->functions.count; i++) {
        const struct flm_function *before = &m->before.function[i],
                                  *after = &c->functions.function[i];
        struct flm_function_change *f = &m->all[i];
        *f = (struct flm_function_change){i, flm_comparison_judge(is, before->self, after->self),
                                          flm_comparison_judge(is, before->total, after->total)};
        bool changed = f->self.kind != FLM_CHANGE_NONE || f->total.kind != FLM_CHANGE_NONE;
        m->size[i] = i == 0 || !changed             ? -1
                     : by == FLM_FUNCTIONS_BY_SELF  ? size_of(&f->self)
                     : by == FLM_FUNCTIONS_BY_TOTAL ? size_of(&f->total)
                                                    : 0;
    }
}

static bool find_functions(struct flm_changes *c, struct measuring *m, const struct flm_profile *p,
                           const struct flm_metric_pair *pair, const struct flm_comparison *is,
                           enum flm_function_order by, uint32_t most, struct flm_error *why)
{
    if (!flm_functions_init(&c->functions, p, why) ||
        !flm_functions_measure(&c->functions, p, pair->after, why) ||
        !flm_functions_init(&m->before, p, why) ||
        !flm_functions_measure(&m->before, p, pair->before, why))
        return false;
    m->all = malloc(c->functions.count * sizeof *m->all);
    m->size = malloc(c->functions.count * sizeof *m->size);
    if (!m->all || !m->size)
        return flm_error_memory(why);
    judge(c, m, is, by);
    m->order =
        largest_of(m->size, c->functions.count, most, &c->function_count, &c->changed_functions);
    c->function = malloc(c->function_count * sizeof *c->function + 1);
    if (!m->order || !c->function)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < c->function_count; i++)
        c->function[i] = m->all[m->order[i]];
    return true;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static bool find_stacks(struct flm_changes *c, const struct flm_comparison *is, uint32_t most,
                        struct flm_error *why)
{
    double *size = malloc(is->node_count * sizeof *size);
    for (uint32_t i = 0; size && i < is->node_count; i++) {
        struct flm_change change = flm_comparison_change(is, i, FLM_CHANGE_OF_SELF);
        size[i] = change.kind == FLM_CHANGE_NONE ? -1 : size_of(&change);
    }
    if (size)
        c->stack = largest_of(size, is->node_count, most, &c->stack_count, &c->changed_stacks);
    free(size);
    return c->stack || flm_error_memory(why);
}

bool flm_changes_init(struct flm_changes *c, const struct flm_profile *p,
                      const struct flm_metric_pair *pair, const struct flm_comparison *is,
                      enum flm_function_order by, uint32_t most, struct flm_error *why)
{
    assert(c && pair && is->node_count == p->sizes.node_count);
    struct measuring m = {0};
    *c = (struct flm_changes){0};
    bool good = find_functions(c, &m, p, pair, is, by, most, why) && find_stacks(c, is, most, why);
    flm_functions_clear(&m.before);
    free(m.all);
    free(m.size);
    free(m.order);
    if (!good)
        flm_changes_clear(c);
    return good;
}

void flm_changes_clear(struct flm_changes *c)
{
    flm_functions_clear(&c->functions);
    free(c->function);
    free(c->stack);
    *c = (struct flm_changes){0};
}
