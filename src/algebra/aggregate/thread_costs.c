#include "algebra/aggregate/thread_costs.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "flamel/builder.h"
#include "profile/label_range.h"

/* Sums by thread while they are made: the index of a thread is that of its label. */
struct sums {
    struct flm_thread_labels labels;
    struct flm_thread_cost *cost;
    struct flm_thread_cost without; /* of samples that have no such label */
};

static void add_samples(struct sums *sums, const struct flm_profile *p, struct flm_metric metric,
                        const unsigned char *marks)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        unsigned mark = marks ? marks[p->sample_node[i]] : FLM_COSTS_TOTAL | FLM_COSTS_SELF;
        uint32_t set = p->sample_labels[i];
        double value = flm_sample_value(p, metric.index, i);
        if (value == 0 || !mark)
            continue;
        uint32_t label = flm_label_in(p, set, sums->labels.threads);
        struct flm_thread_cost *cost =
            label == FLM_NONE ? &sums->without : &sums->cost[label - sums->labels.threads.first];
        uint32_t process = flm_label_value_in(p, set, sums->labels.processes);
        cost->process = process == FLM_NONE ? cost->process : process;
        cost->command = flm_thread_labels_name(p, set, &sums->labels, cost->command);
        cost->total += value;
        cost->self += mark & FLM_COSTS_SELF ? value : 0;
    }
}

/* ---- Order ----------------------------------------------------------------------------------- */

struct order {
    const struct flm_thread_cost *cost;
    const double *sum_of; /* by process: of all of its threads */
    uint32_t strings;
};

/* Threads of no known process are together. */
static uint32_t process_of(const struct flm_thread_cost *cost, uint32_t strings)
{
    return cost->process == FLM_NONE ? strings : cost->process;
}

static int larger_first(const void *context, uint32_t a, uint32_t b)
{
    const struct order *order = context;
    const struct flm_thread_cost *x = &order->cost[a], *y = &order->cost[b];
    double p = order->sum_of[process_of(x, order->strings)];
    double q = order->sum_of[process_of(y, order->strings)];
    if (p != q)
        return (p < q) - (p > q);
    if (x->process != y->process)
        return (x->process > y->process) - (x->process < y->process);
    double s = fabs(x->total), t = fabs(y->total);
    return s != t ? (s < t) - (s > t) : (a > b) - (a < b);
}

/* Processes in front of their threads, which are in order. */
static void add_processes(struct flm_thread_costs *costs, const struct flm_thread_cost *cost,
                          const uint32_t *order, uint32_t count)
{
    bool has_several = cost[order[0]].process != cost[order[count - 1]].process;
    uint32_t begun = FLM_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_thread_cost *thread = &cost[order[i]];
        bool is_first = i == 0 || thread->process != cost[order[i - 1]].process;
        if (has_several && is_first) {
            begun = costs->count++;
            costs->at[begun] =
                (struct flm_thread_cost){FLM_NONE, thread->process, thread->command, 0, 0, true};
        }
        costs->at[costs->count++] = *thread;
        costs->threads++;
        if (begun != FLM_NONE) {
            costs->at[begun].self += thread->self;
            costs->at[begun].total += thread->total;
        }
    }
}

/* `order` has room for two numbers a thread, `sum_of` for a sum for each string and one more. */
static uint32_t sort(const struct sums *sums, double *sum_of, uint32_t strings, uint32_t *order)
{
    uint32_t count = 0;
    const struct flm_thread_cost *cost = sums->cost;
    for (uint32_t i = 0; i < sums->labels.threads.count; i++)
        if (cost[i].total != 0 || cost[i].self != 0) {
            order[count++] = i;
            sum_of[process_of(&cost[i], strings)] += fabs(cost[i].total);
        }
    struct order by = {cost, sum_of, strings};
    flm_sort(order, count, order + sums->labels.threads.count, larger_first, &by);
    return count;
}

bool flm_thread_costs_init(struct flm_thread_costs *costs, const struct flm_profile *p,
                           struct flm_metric metric, const unsigned char *marks,
                           struct flm_error *why)
{
    struct sums sums = {0};
    *costs = (struct flm_thread_costs){0};
    sums.labels = flm_thread_labels_of(p);
    uint32_t most = sums.labels.threads.count;
    if (p->sizes.sample_count == 0)
        return true;
    uint32_t *order = malloc(2 * ((size_t)most + 1) * sizeof *order);
    double *sum_of = calloc((size_t)p->sizes.string_count + 1, sizeof *sum_of);
    sums.cost = malloc(((size_t)most + 1) * sizeof *sums.cost);
    costs->at = malloc(2 * ((size_t)most + 1) * sizeof *costs->at);
    bool good = order && sum_of && sums.cost && costs->at;
    if (good) {
        for (uint32_t i = 0; i < most; i++)
            sums.cost[i] =
                (struct flm_thread_cost){.thread = p->labels[sums.labels.threads.first + i].value,
                                         .process = FLM_NONE,
                                         .command = FLM_NONE};
        sums.without = (struct flm_thread_cost){FLM_NONE, FLM_NONE, FLM_NONE, 0, 0, false};
        add_samples(&sums, p, metric, marks);
        costs->without = sums.without;
        uint32_t count = sort(&sums, sum_of, p->sizes.string_count, order);
        if (count > 0)
            add_processes(costs, sums.cost, order, count);
    }
    free(order);
    free(sum_of);
    free(sums.cost);
    if (good)
        return true;
    flm_thread_costs_clear(costs);
    return flm_error_memory(why);
}

void flm_thread_costs_clear(struct flm_thread_costs *costs)
{
    free(costs->at);
    *costs = (struct flm_thread_costs){0};
}
