/* series_bench.c - what a query costs in a store with many series, of which it wants a hundred:
 *
 *     series_bench FOLDER SERIES
 *
 * Series are of a thousand services; a label has a value that a hundred of them have, spread over
 * all services. Each has one profile of three stacks, in one hour, sealed and merged. CPU time of
 * this process, the least of nine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "flamel/builder.h"
#include "flamel/store.h"

enum { SERVICES = 1000, MATCHING = 100, AT_ONCE = 1000, ROUNDS = 9 };

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const struct flm_error *why)
{
    fprintf(stderr, "%s\n", why->text);
    exit(1);
}

static struct flm_profile *make_profile(void)
{
    static const char *const names[] = {"read", "parse", "write"};
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node main_node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        flm_builder_add(
            b, flm_builder_child(b, main_node, flm_builder_function(b, names[i], strlen(names[i]))),
            cpu, 10e6 * (double)(i + 1));
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        die(&why);
    return p;
}

static void append_all(struct flm_store *store, unsigned series, int64_t hour_ms)
{
    static struct flm_store_batch batches[AT_ONCE];
    static struct flm_store_label_text labels[AT_ONCE][3];
    static char texts[AT_ONCE][3][24];
    struct flm_profile *p = make_profile();
    struct flm_error why;
    for (unsigned i = 0; i < series; i += AT_ONCE) {
        for (unsigned k = 0; k < AT_ONCE; k++) {
            unsigned n = i + k;
            snprintf(texts[k][0], sizeof texts[k][0], "s%u", n % SERVICES);
            snprintf(texts[k][1], sizeof texts[k][1], "r%u", n % (series / MATCHING));
            snprintf(texts[k][2], sizeof texts[k][2], "p%u", n);
            labels[k][0] = (struct flm_store_label_text){"service", texts[k][0]};
            labels[k][1] = (struct flm_store_label_text){"rack", texts[k][1]};
            labels[k][2] = (struct flm_store_label_text){"pod", texts[k][2]};
            batches[k] = (struct flm_store_batch){.profile = p,
                                                  .labels = labels[k],
                                                  .label_count = 3,
                                                  .time_ms = hour_ms + n % 240 * 15000};
        }
        if (!flm_store_append(store, batches, AT_ONCE, &why) ||
            (i % 100000 == 0 && !flm_store_seal(store, &why)))
            die(&why);
    }
    flm_profile_free(p);
}

static bool count_text(void *context, struct flm_name text)
{
    (void)text;
    ++*(unsigned *)context;
    return true;
}

int main(int argc, char **argv)
{
    const int64_t hour_ms = 1795000000000 - 1795000000000 % 3600000;
    struct flm_error why;
    uint64_t merged;
    if (argc != 3)
        return 2;
    unsigned series = (unsigned)atoi(argv[2]);
    struct flm_store *store = flm_store_open(argv[1], NULL, &why);
    if (!store)
        die(&why);
    double began = cpu_ms();
    append_all(store, series, hour_ms);
    if (!flm_store_seal(store, &why) || !flm_store_compact(store, INT64_MAX, &merged, &why))
        die(&why);
    printf("%u series: written %.0f ms", series, cpu_ms() - began);
    static const char *const selectors[] = {"rack=r7", "service=s7 rack=r7", "pod=p7", "rack=~r7",
                                            "rack=~.7"};
    for (size_t q = 0; q < sizeof selectors / sizeof selectors[0]; q++) {
        double sum = 1e9, list = 1e9;
        unsigned count = 0;
        for (int round = 0; round < ROUNDS; round++) {
            const struct flm_store_query query = {.size = sizeof query,
                                                  .selector = selectors[q],
                                                  .from_ms = hour_ms,
                                                  .until_ms = hour_ms + 3600000};
            double start = cpu_ms();
            struct flm_profile *p = flm_store_merge(store, &query, &why);
            double between = cpu_ms();
            count = 0;
            if (!p || !flm_store_series(store, &query, count_text, &count, &why))
                die(&why);
            double end = cpu_ms();
            sum = between - start < sum ? between - start : sum;
            list = end - between < list ? end - between : list;
            flm_profile_free(p);
        }
        printf("; %s (%u): sum %.2f, list %.2f", selectors[q], count, sum, list);
    }
    printf("\n");
    flm_store_close(store);
    return 0;
}
