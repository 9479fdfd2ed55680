#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/thread/threads.h"
#include "stats/random.h"

const char *const change_names[] = {
    [SIMULATED_NONE] = "null",     [SIMULATED_HOT] = "big10",       [SIMULATED_SMALL] = "small30",
    [SIMULATED_APPEAR] = "appear", [SIMULATED_DIFFUSE] = "diffuse", [SIMULATED_SHIFT] = "shift",
    [SIMULATED_ALL] = "global2",   [SIMULATED_GONE] = "gone",       [SIMULATED_MIXED] = "mixed",
    [SIMULATED_RENAME] = "rename",
};

const char *const noise_names[] = {"pois", "nb", "nbout", "nested"};

void stop(const char *why)
{
    fprintf(stderr, "power_bench: %s\n", why);
    exit(1);
}

uint64_t seed_of(const struct settings *s, uint64_t kind, uint64_t index)
{
    struct flm_random random = {s->seed * 0x9E3779B97F4A7C15 + kind};
    random.state = flm_random_next(&random) + index;
    return flm_random_next(&random);
}

/* ---- One data set ---------------------------------------------------------------------------- */

struct flm_gate_options options_of(const struct settings *s, uint64_t index)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.alpha = s->alpha;
    how.permutations = s->permutations;
    how.seed = seed_of(s, SEED_PERMUTATIONS, index);
    how.threads = 1;
    return how;
}

void judge(struct judged *j, const struct flm_run_input *inputs, uint32_t count,
           const struct flm_gate_options *how)
{
    struct flm_error why = {0};
    if (!flm_runs_init(&j->runs, inputs, count, NULL, &why) ||
        !flm_gate_judge(&j->gate, &j->runs, how, &why))
        stop(why.text);
}

void judged_clear(struct judged *j)
{
    flm_gate_clear(&j->gate);
    flm_runs_clear(&j->runs);
}

struct simulated_runs *simulate(const struct experiment *e, const struct simulated_program *base,
                                const struct simulated_program *new, uint64_t seed)
{
    struct simulated_runs *s = simulated_runs_new(base, new, e->runs, e->runs, &e->machine, seed);
    if (!s)
        stop("out of memory");
    return s;
}

struct simulated_verdict try_change(const struct experiment *e, uint64_t index)
{
    struct simulated_program base = simulated_program(seed_of(e->settings, SEED_PROGRAM, index));
    struct simulated_program new = simulated_changed(&base, e->change);
    uint64_t seed = seed_of(e->settings, SEED_RUNS + 16 * (uint64_t)e->change, index);
    struct simulated_runs *s = simulate(e, &base, &new, seed);
    struct flm_gate_options how = options_of(e->settings, index);
    struct judged j;
    judge(&j, simulated_inputs(s), 2 * e->runs, &how);
    struct simulated_verdict verdict = simulated_verdict(&j.gate, &j.runs, &base, e->change);
    judged_clear(&j);
    simulated_runs_free(s);
    return verdict;
}

/* ---- Many of them ---------------------------------------------------------------------------- */

struct trying {
    const struct experiment *experiment;
    measuring one;
    double *result;
    uint32_t width;
};

static void try_one(void *context, size_t i)
{
    const struct trying *t = context;
    t->one(t->experiment, i, t->result + i * t->width);
}

static const double z = 1.959964; /* of 95 % */

static struct share wilson(double p, double n)
{
    double center = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return (struct share){p, fmax(0, center - half), fmin(1, center + half)};
}

static struct share share_of(const double *result, size_t end, uint32_t width)
{
    double sum = 0, squares = 0, n = 0;
    bool is_proportion = true;
    for (size_t i = 0; i < end; i += width) {
        if (isnan(result[i]))
            continue;
        sum += result[i];
        n++;
        is_proportion &= result[i] == 0 || result[i] == 1;
    }
    if (n < 2)
        return (struct share){n > 0 ? sum : NAN, NAN, NAN};
    if (is_proportion)
        return wilson(sum / n, n);
    for (size_t i = 0; i < end; i += width)
        squares += isnan(result[i]) ? 0 : pow(result[i] - sum / n, 2);
    double half = z * sqrt(squares / (n - 1) / n);
    return (struct share){sum / n, sum / n - half, sum / n + half};
}

void try_all(const struct experiment *e, uint32_t width, measuring one, struct share *share)
{
    size_t size = (size_t)e->settings->data_sets * width;
    struct trying t = {e, one, calloc(size, sizeof(double)), width};
    if (!t.result)
        stop("out of memory");
    flm_threads_run(e->settings->threads, e->settings->data_sets, try_one, &t);
    for (uint32_t k = 0; k < width; k++)
        share[k] = share_of(t.result + k, size - k, width);
    free(t.result);
}

bool is_asked(const struct settings *s, int change)
{
    return s->change < 0 || s->change == change;
}
