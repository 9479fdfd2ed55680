/* power_bench.c - how often the gate is wrong when nothing changed, and how often it finds what
 * did: on profiles whose changes are known, because they are simulated
 * (tests/support/gate/simulated_runs.h).
 *
 *     power_bench [OPTION VALUE]... [PART]...
 *
 *     --data-sets N     of each row: 1000
 *     --permutations N    999
 *     --runs N          in each group: 30 and 10
 *     --change NAME     null, big10, small30 ...: all
 *     --noise NAME      nb, nbout, nested: all
 *     --row N           of the parts `sides` and `unequal`, from 1: all
 *     --alpha P         0.05
 *     --seed N          1
 *     --threads N       all processors
 *     --rows FOLDER     rows are appended to files in it, and those that are there not measured
 *
 *     power        false positive rate and power
 *     mde          changes of the size that a gate calls detectable: found in four of five?
 *     blocks       a machine that drifts: base first, alternately, permuted inside of blocks
 *     sequential   three looks, each at its part of alpha
 *     sides        sides of unequal size and noise, improvements, recordings of a fixed time, noise
 *                  that is not normal, three stacks, twenty thousand (simulated_sides.h)
 *     unequal      one program on sides of any size and noise; only where it is asked for
 *     series       change points in 60 runs
 *
 * Each data set is a program of its own, other subtrees that move together, other noise, and other
 * permutations: what is measured is the gate, not its luck with one tree. Behind each share is its
 * 95 % confidence interval, in percent of data sets as the share is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/thread/threads.h"
#include "power/parts.h"

static const struct {
    const char *name;
    bool (*run)(const struct settings *s);
    bool is_usual; /* where no part is asked for */
} parts[] = {{"power", part_power, true},     {"mde", part_mde, true},
             {"blocks", part_blocks, true},   {"sequential", part_sequential, true},
             {"sides", part_sides, true},     {"series", part_series, true},
             {"unequal", part_unequal, false}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int number_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static bool set(struct settings *s, const char *option, const char *value)
{
    double number = value ? strtod(value, NULL) : 0;
    if (!value)
        return false;
    if (strcmp(option, "--noise") == 0)
        return (s->noise = number_of(value, noise_names, NOISES)) >= 0;
    if (strcmp(option, "--change") == 0)
        return (s->change = number_of(value, change_names, CHANGES)) >= 0;
    if (strcmp(option, "--rows") == 0)
        return (s->rows = value) != NULL;
    if (strcmp(option, "--data-sets") == 0)
        s->data_sets = (uint32_t)number;
    else if (strcmp(option, "--permutations") == 0)
        s->permutations = (uint32_t)number;
    else if (strcmp(option, "--runs") == 0)
        s->runs = (uint32_t)number;
    else if (strcmp(option, "--row") == 0)
        s->row = (int)number - 1;
    else if (strcmp(option, "--alpha") == 0)
        s->alpha = number;
    else if (strcmp(option, "--seed") == 0)
        s->seed = (uint64_t)number;
    else if (strcmp(option, "--threads") == 0)
        s->threads = (int)number;
    else
        return false;
    return number > 0 && s->runs <= SIMULATED_MOST_RUNS / 2;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **words)
{
    struct settings s = {.data_sets = 1000,
                         .permutations = 999,
                         .noise = -1,
                         .change = -1,
                         .row = -1,
                         .alpha = 0.05,
                         .seed = 1,
                         .threads = flm_processor_count()};
    bool asked[PARTS] = {false}, any = false, good = true;
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (int k = 0; k < PARTS; k++)
            if (strcmp(words[i], parts[k].name) == 0)
                known = asked[k] = any = true;
        if (!known && !set(&s, words[i], i + 1 < count ? words[i + 1] : NULL)) {
            fprintf(stderr, "power_bench: %s: see bench/power_bench.c for what there is\n",
                    words[i]);
            return 2;
        }
        i += !known;
    }
    double start = now();
    for (int k = 0; k < PARTS; k++)
        if (any ? asked[k] : parts[k].is_usual)
            good &= parts[k].run(&s);
    printf("%.1f minutes, %d threads\n", (now() - start) / 60, s.threads);
    return good ? 0 : 1;
}
