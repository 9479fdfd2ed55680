#include "algebra/aggregate/functions.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"

static bool same_function(const struct flm_frame_record *a, const struct flm_frame_record *b)
{
    return a->function == b->function && a->module == b->module &&
           (a->module != 0 || a->file == b->file);
}

bool flm_functions_init(struct flm_functions *functions, const struct flm_profile *p,
                        struct flm_error *why)
{
    uint32_t frame_count = p->sizes.frame_count;
    *functions = (struct flm_functions){
        .of_frame = malloc(frame_count * sizeof *functions->of_frame),
    };
    if (!functions->of_frame)
        return flm_error_memory(why);
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame_count; i++) {
        /* The root's frame has the name "", and so may others. */
        bool again = i > 1 && same_function(&p->frames[i - 1], &p->frames[i]);
        functions->of_frame[i] = again ? count - 1 : count++;
    }
    functions->count = count;
    functions->function = calloc(count, sizeof *functions->function);
    if (!functions->function) {
        flm_functions_clear(functions);
        return flm_error_memory(why);
    }
    for (uint32_t i = 0; i < frame_count; i++) {
        struct flm_function *function = &functions->function[functions->of_frame[i]];
        const struct flm_frame_record *frame = &p->frames[i];
        if (function->frame_count++ > 0)
            continue;
        function->name = frame->function;
        function->module = frame->module;
        function->file = frame->module ? 0 : frame->file;
        function->first_frame = i;
    }
    return true;
}

void flm_functions_clear(struct flm_functions *functions)
{
    free(functions->function);
    free(functions->of_frame);
    *functions = (struct flm_functions){0};
}

/* What the pass needs of a function, side by side: one cache line has two and a half of them, a
 * struct flm_function would be one by itself. */
struct account {
    double self, total;
    uint32_t end; /* of its outermost occurrence that was seen last */
};

/* A node with children, while they are visited. */
struct open_node {
    double total; /* so far */
    uint32_t end;
    uint32_t function; /* FLM_NONE: not its outermost occurrence */
};

/* The node that was opened last is complete. */
static inline void close_node(struct open_node *open, size_t *depth, struct account *accounts)
{
    struct open_node done = open[--*depth];
    if (*depth > 0)
        open[*depth - 1].total += done.total;
    if (done.function != FLM_NONE)
        accounts[done.function].total += done.total;
}

static bool measure(const struct flm_functions *functions, const struct flm_profile *p,
                    const double *self, struct account *accounts)
{
    const uint32_t *frame = p->node_frame, *end = p->node_end, *of_frame = functions->of_frame;
    uint32_t count = p->sizes.node_count;
    struct open_node *open = NULL;
    size_t capacity = 0, depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        while (depth > 0 && open[depth - 1].end <= i)
            close_node(open, &depth, accounts);
        uint32_t function = of_frame[frame[i]];
        struct account *account = &accounts[function];
        bool outermost = account->end <= i;
        account->self += self[i];
        if (end[i] == i + 1 && depth > 0) { /* every third node is a leaf: no need to open it */
            open[depth - 1].total += self[i];
            account->total += outermost ? self[i] : 0;
            continue;
        }
        if (outermost)
            account->end = end[i];
        if (depth == capacity) {
            void *grown = open;
            if (!flm_grow(&grown, &capacity, depth + 1, sizeof *open)) {
                free(open);
                return false;
            }
            open = grown;
        }
        open[depth++] = (struct open_node){self[i], end[i], outermost ? function : FLM_NONE};
    }
    while (depth > 0)
        close_node(open, &depth, accounts);
    free(open);
    return true;
}

bool flm_functions_measure(struct flm_functions *functions, const struct flm_profile *p,
                           struct flm_metric metric, struct flm_error *why)
{
    struct account *accounts = calloc(functions->count, sizeof *accounts);
    if (!accounts || !measure(functions, p, flm_self_column(p, metric.index), accounts)) {
        free(accounts);
        return flm_error_memory(why);
    }
    for (uint32_t i = 0; i < functions->count; i++) {
        functions->function[i].self = accounts[i].self;
        functions->function[i].total = accounts[i].total;
    }
    free(accounts);
    return true;
}

struct ranking {
    const struct flm_function *function;
    enum flm_function_order by;
};

static int larger_first(double a, double b)
{
    return (fabs(a) < fabs(b)) - (fabs(a) > fabs(b));
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct ranking *r = context;
    const struct flm_function *x = &r->function[a], *y = &r->function[b];
    int by_self = larger_first(x->self, y->self), by_total = larger_first(x->total, y->total);
    int order = 0;
    if (r->by == FLM_FUNCTIONS_BY_SELF)
        order = by_self ? by_self : by_total;
    else if (r->by == FLM_FUNCTIONS_BY_TOTAL)
        order = by_total ? by_total : by_self;
    return order ? order : (a > b) - (a < b);
}

uint32_t flm_functions_sort(const struct flm_functions *functions, enum flm_function_order by,
                            uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < functions->count; i++)
        if (functions->function[i].self != 0 || functions->function[i].total != 0)
            order[count++] = i;
    uint32_t *scratch = malloc((size_t)count * sizeof *scratch + 1);
    if (!scratch)
        return FLM_NONE;
    struct ranking ranking = {functions->function, by};
    flm_sort(order, count, scratch, compare, &ranking);
    free(scratch);
    return count;
}

/* ---- For programs ---------------------------------------------------------------------------- */

bool flm_functions_check_metric(const struct flm_profile *p, struct flm_metric metric,
                                struct flm_error *why)
{
    return metric.index < p->sizes.metric_count ||
           flm_error_set(why, FLM_ERROR_USAGE, "the profile has %u metrics, and none of index %u",
                         p->sizes.metric_count, metric.index);
}

struct flm_functions *flm_functions_new(const struct flm_profile *p, struct flm_metric metric,
                                        struct flm_error *why)
{
    assert(p);
    if (!flm_functions_check_metric(p, metric, why))
        return NULL;
    struct flm_functions *functions = calloc(1, sizeof *functions);
    if (!functions)
        flm_error_memory(why);
    else if (flm_functions_init(functions, p, why) &&
             flm_functions_measure(functions, p, metric, why))
        return functions;
    flm_functions_free(functions);
    return NULL;
}

void flm_functions_free(struct flm_functions *functions)
{
    if (functions)
        flm_functions_clear(functions);
    free(functions);
}

uint32_t flm_functions_count(const struct flm_functions *functions)
{
    return functions->count;
}

const struct flm_function *flm_functions_at(const struct flm_functions *functions, uint32_t index)
{
    assert(index < functions->count);
    return &functions->function[index];
}

uint32_t flm_functions_of_frame(const struct flm_functions *functions, struct flm_frame frame)
{
    return functions->of_frame[frame.index];
}
