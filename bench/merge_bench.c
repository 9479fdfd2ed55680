/* merge_bench.c - merging N profiles: nodes a second, for profiles that are alike and that are not.
 *
 *     merge_bench [FILE.flm]...     these files, or, without any, profiles that are made here
 *
 * "alike" is the same program recorded again and again: every stack is in nearly every profile.
 * "different" profiles share only their first frames. The work is linear in the sum of nodes: the
 * time a node is printed for a growing number of profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "flamel/file.h"

enum { MOST = 100 };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

/* A tree of about `nodes` nodes: stacks that go on from a random place of the one before. */
static struct flm_profile *make(uint32_t nodes, uint64_t shape_seed, uint64_t name_seed)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node path[64] = {{0}};
    random_state = shape_seed * 2 + 1;
    uint32_t depth = 0;
    while (flm_builder_node_count(b) < nodes) {
        depth = depth > 6 ? depth - below(6) : depth;
        uint32_t target = depth + 1 + below(5);
        for (; depth < target && depth < 60; depth++) {
            char name[64];
            int size = snprintf(name, sizeof name, "module%llu::function%u(int)",
                                (unsigned long long)(depth > 3 ? name_seed : 0), below(5000));
            path[depth + 1] =
                flm_builder_child(b, path[depth], flm_builder_function(b, name, (size_t)size));
        }
        flm_builder_add(b, path[depth], metric, 1 + below(9));
    }
    return flm_builder_finish(b, NULL);
}

static void measure(const char *what, const struct flm_profile *const *profiles, size_t count)
{
    double nodes = 0, least = 1e9;
    for (size_t i = 0; i < count; i++)
        nodes += flm_profile_node_count(profiles[i]);
    uint32_t made = 0;
    for (int run = 0; run < 5; run++) {
        double start = cpu_s();
        struct flm_profile *merged = flm_align(profiles, count, FLM_ALIGN_ADD, NULL, NULL);
        double took = cpu_s() - start;
        least = took < least ? took : least;
        made = flm_profile_node_count(merged);
        flm_profile_free(merged);
    }
    printf("  %-10s %3zu profiles %11.0f nodes -> %9u   %7.1f ms   %6.1f M nodes/s\n", what, count,
           nodes, made, least * 1e3, nodes / least * 1e-6);
}

int main(int count, char **words)
{
    struct flm_profile *profiles[MOST];
    size_t loaded = 0;
    if (count > 1) {
        for (int i = 1; i < count && loaded < MOST; i++)
            if ((profiles[loaded] = flm_load(words[i], NULL, NULL)) != NULL)
                loaded++;
        for (size_t n = 10; n <= loaded; n = n * 10 > loaded && n < loaded ? loaded : n * 10)
            measure("files", (const struct flm_profile *const *)profiles, n);
    }
    for (int alike = 1; count <= 1 && alike >= 0; alike--) {
        for (size_t i = 0; i < MOST; i++)
            profiles[i] = make(100000, alike ? 1 : i, alike ? 1 : i);
        loaded = MOST;
        for (size_t n = 1; n <= MOST; n *= 10)
            measure(alike ? "alike" : "different", (const struct flm_profile *const *)profiles, n);
        for (size_t i = 0; alike && i < MOST; i++)
            flm_profile_free(profiles[i]);
    }
    for (size_t i = 0; i < loaded; i++)
        flm_profile_free(profiles[i]);
    return 0;
}
