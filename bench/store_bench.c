/* store_bench.c - a store: bytes a sample, what appending, sealing, merging and queries cost.
 *
 *     store_bench [FOLDER [HOURS]]          in a folder that it makes and leaves; 1 hour
 *     store_bench clickhouse://... HOURS PID    in a server, whose CPU time counts too
 *
 * Made of 200 services with 4 processes each, a profile of each every 15 seconds, with 52 stacks
 * of the 600 that a service has (Zipf, exponent 0.9) of 5,000 in all, 8 to 40 frames deep, of
 * 6,000 functions; values are multiples of 10 ms. That is 9,984,000 samples an hour.
 *
 * CPU time of the process, without what making the profiles takes. A sample is a value of a
 * stack in a profile, as it was appended. Queries are the least of several, with what they need
 * in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "flamel/builder.h"
#include "flamel/store.h"

enum {
    SERVICES = 200,
    PODS = 4,
    WINDOWS = 240,
    WINDOW_MS = 15000,
    STACKS = 5000,
    OWN_STACKS = 600,
    STACKS_IN_PROFILE = 52,
    FUNCTIONS = 6000,
    DEEPEST = 40,
    GROUP = 50,        /* profiles in a call to append, as they arrive at a server at once */
    LARGE_GROUP = 2000 /* and at one of many machines */
};
static const int64_t BEGIN = (int64_t)450000 * 3600000;

static int server; /* its process; 0: none */
static int group = GROUP;

/* Of a server in ticks of 10 ms: it is read from /proc. */
static double server_s(void)
{
    char path[40], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", server);
    FILE *file = server ? fopen(path, "r") : NULL;
    if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
        sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user, &system);
    if (file)
        fclose(file);
    return (double)(user + system) / 100;
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 + server_s();
}

static uint64_t random_state = 88172645463325252u;

static uint32_t below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 20) % limit);
}

/* ---- What is stored -------------------------------------------------------------------------- */

static uint32_t stacks[STACKS][DEEPEST];
static uint32_t depths[STACKS];
static uint32_t own[SERVICES][OWN_STACKS];
static double zipf[OWN_STACKS]; /* sums of chances */
static char names[FUNCTIONS][48];

static void make_stacks(void)
{
    for (int i = 0; i < FUNCTIONS; i++)
        snprintf(names[i], sizeof names[i], "company::package%03d::Class%04d::method_%05d", i % 300,
                 i % 1500, i);
    for (int i = 0; i < STACKS; i++) {
        uint32_t shared = 0;
        if (i > 0) {
            uint32_t from = below((uint32_t)i);
            shared = below(depths[from] + 1);
            memcpy(stacks[i], stacks[from], shared * sizeof stacks[i][0]);
        }
        depths[i] = 8 + below(DEEPEST - 7);
        depths[i] = depths[i] < shared ? shared : depths[i];
        for (uint32_t d = shared; d < depths[i]; d++)
            stacks[i][d] = below(FUNCTIONS);
    }
    for (int s = 0; s < SERVICES; s++)
        for (int i = 0; i < OWN_STACKS; i++)
            own[s][i] = below(STACKS);
    double sum = 0;
    for (int i = 0; i < OWN_STACKS; i++)
        zipf[i] = sum += pow(i + 1, -0.9);
}

static uint32_t choose(void)
{
    double wanted = zipf[OWN_STACKS - 1] * (double)below(1u << 30) / (1u << 30);
    uint32_t low = 0, high = OWN_STACKS - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (zipf[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct flm_profile *make_profile(uint32_t service)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < STACKS_IN_PROFILE; i++) {
        uint32_t stack = own[service][choose()];
        struct flm_node node = flm_builder_root(b);
        for (uint32_t d = 0; d < depths[stack]; d++) {
            const char *name = names[stacks[stack][d]];
            node = flm_builder_child(b, node, flm_builder_function(b, name, strlen(name)));
        }
        flm_builder_add(b, node, metric, 1e7 * (1 + below(3)));
    }
    return flm_builder_finish(b, NULL);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static void fail(const struct flm_error *why)
{
    fprintf(stderr, "store_bench: %s\n", why->text);
    exit(2);
}

static double append_hour(struct flm_store *store, int hour)
{
    double spent = 0;
    static struct flm_store_batch batches[LARGE_GROUP];
    static struct flm_store_label_text labels[LARGE_GROUP][3];
    static char texts[LARGE_GROUP][2][16];
    int count = 0;
    struct flm_error why;
    for (int window = 0; window < WINDOWS; window++)
        for (int process = 0; process < SERVICES * PODS; process++) {
            snprintf(texts[count][0], 16, "service%03d", process / PODS);
            snprintf(texts[count][1], 16, "pod-%d", process % PODS);
            labels[count][0] = (struct flm_store_label_text){"service", texts[count][0]};
            labels[count][1] = (struct flm_store_label_text){"pod", texts[count][1]};
            labels[count][2] = (struct flm_store_label_text){"region", process % 3 ? "eu" : "us"};
            batches[count] = (struct flm_store_batch){
                make_profile((uint32_t)(process / PODS)), NULL, labels[count], 3,
                BEGIN + (int64_t)hour * 3600000 + (int64_t)window * WINDOW_MS};
            if (++count < group)
                continue;
            double start = cpu_s();
            if (!flm_store_append(store, batches, (size_t)count, &why))
                fail(&why);
            spent += cpu_s() - start;
            while (count > 0)
                flm_profile_free((struct flm_profile *)(uintptr_t)batches[--count].profile);
        }
    return spent;
}

static void query(struct flm_store *store, const char *what, const char *selector, int64_t from,
                  int64_t until)
{
    struct flm_store_query q = {
        .size = sizeof q, .selector = selector, .from_ms = from, .until_ms = until};
    struct flm_error why;
    double least = 1e9, total = 0;
    uint32_t nodes = 0;
    /* Of a server the mean of many, since its clock is a coarse one; the first fetches stacks. */
    int rounds = server ? 3 : 9, times = server ? 20 : 1;
    if (server)
        flm_profile_free(flm_store_merge(store, &q, &why));
    for (int i = 0; i < rounds; i++) {
        double start = cpu_s();
        for (int k = 1; k < times; k++)
            flm_profile_free(flm_store_merge(store, &q, &why));
        struct flm_profile *p = flm_store_merge(store, &q, &why);
        double spent = (cpu_s() - start) / times;
        if (!p)
            fail(&why);
        least = spent < least ? spent : least;
        nodes = flm_profile_node_count(p);
        total = flm_profile_metric_count(p) ? flm_profile_total(p, (struct flm_metric){0}) : 0;
        flm_profile_free(p);
    }
    printf("  %-44s %9.2f ms   %6u nodes, %.6g s\n", what, 1e3 * least, nodes - 1, total / 1e9);
}

static void queries(struct flm_store *store, int hours)
{
    int64_t end = BEGIN + (int64_t)hours * 3600000, hour = 3600000;
    query(store, "one service, an hour", "service=service017", BEGIN, BEGIN + hour);
    query(store, "one service, half an hour", "service=service017", BEGIN, BEGIN + hour / 2);
    query(store, "one service, five minutes", "service=service017", BEGIN + 600000, BEGIN + 900000);
    query(store, "one process of it, an hour", "service=service017 pod=pod-2", BEGIN, BEGIN + hour);
    query(store, "all services, an hour", "", BEGIN, BEGIN + hour);
    query(store, "all services, half an hour", "", BEGIN, BEGIN + hour / 2);
    query(store, "all services in a region, an hour", "region=us", BEGIN, BEGIN + hour);
    if (hours > 1) {
        query(store, "one service, all hours", "service=service017", BEGIN, end);
        query(store, "all services, all hours", "", BEGIN, end);
    }
    static double steps[240];
    struct flm_store_query q = {.size = sizeof q,
                                .selector = "service=service017",
                                .from_ms = BEGIN,
                                .until_ms = BEGIN + hour};
    struct flm_error why;
    double start = cpu_s();
    if (!flm_store_timeline(store, &q, WINDOW_MS, steps, 240, &why))
        fail(&why);
    printf("  %-44s %9.2f ms\n", "timeline of one service, an hour", 1e3 * (cpu_s() - start));
}

static void sizes(struct flm_store *store, const char *when, double samples)
{
    struct flm_store_stats stats = flm_store_stats(store);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s: %llu segments, %.1f MB, %.3f bytes a sample; process: at most %.0f MB\n", when,
           (unsigned long long)stats.segments, (double)stats.bytes / 1e6,
           (double)stats.bytes / samples, (double)usage.ru_maxrss / 1e3);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "build/bench/store";
    int hours = argc > 2 ? atoi(argv[2]) : 1;
    double samples = 0, appending = 0, sealing = 0, start;
    struct flm_error why;
    struct flm_store *store = flm_store_open(folder, NULL, &why);
    if (!store)
        fail(&why);
    if (flm_store_stats(store).segments > 0) {
        fprintf(stderr, "store_bench: %s: this store has something in it\n", folder);
        return 2;
    }
    make_stacks();
    server = argc > 3 ? atoi(argv[3]) : 0;
    group = server ? LARGE_GROUP : GROUP;
    for (int hour = 0; hour < hours; hour++) {
        appending += append_hour(store, hour);
        samples += (double)SERVICES * PODS * WINDOWS * STACKS_IN_PROFILE;
        if (hour == 0) {
            printf("in the journal (%.0f MB of memory), CPU time:\n",
                   (double)flm_store_stats(store).memory_bytes / 1e6);
            queries(store, 1);
        }
        start = cpu_s();
        if (!flm_store_seal(store, &why))
            fail(&why);
        sealing += cpu_s() - start;
    }
    printf("appended: %.1f us a profile, %.0f ns a sample; sealed: %.2f s an hour\n",
           1e6 * appending / (samples / STACKS_IN_PROFILE), 1e9 * appending / samples,
           sealing / hours);
    sizes(store, "sealed", samples);
    queries(store, hours);
    uint64_t merged;
    start = cpu_s();
    if (!flm_store_compact(store, INT64_MAX, &merged, &why))
        fail(&why);
    if (merged > 0) {
        printf("merged: %.2f s\n", cpu_s() - start);
        sizes(store, "merged", samples);
        queries(store, hours);
    }
    flm_store_close(store);
    return 0;
}
