/* make_threads.c - a .flm file of a program with many threads: make_threads SAMPLES THREADS FILE
 *
 * As a recording with --off-cpu has it: processes of 25 threads, which run for a while, sampled
 * every millisecond, and then wait for a while, which is one sample with a duration. Stacks are
 * those of one program, mean depth about 20; a sample is mostly near the one before it. */
#include <stdio.h>
#include <stdlib.h>

#include "flamel/builder.h"
#include "flamel/file.h"

enum { NAMES = 3000, DEEPEST = 120, STACKS = 20000, PROCESS_THREADS = 25, MILLISECOND = 1000000 };

static uint64_t random_state = 1;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % limit);
}

static void make_stacks(struct flm_builder *b, struct flm_node *stacks)
{
    static struct flm_frame frames[NAMES];
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[80];
        int size = snprintf(name, sizeof name, "module%u::Class%u::method%u(int, char const*)",
                            i % 17, i % 300, i);
        frames[i] = flm_builder_function(b, name, (size_t)size);
    }
    struct flm_node path[DEEPEST + 1] = {flm_builder_root(b)};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < STACKS; i++) {
        uint32_t back = below(4) == 0 ? below(30) : below(6);
        depth = depth > back + 3 ? depth - back : 3;
        uint32_t target = depth + 1 + below(7);
        if (i == 0)
            depth = 0;
        for (; depth < target && depth < DEEPEST; depth++)
            path[depth + 1] = flm_builder_child(
                b, path[depth], frames[depth < 3 ? depth : 3 + below(100) * below(29)]);
        stacks[i] = path[depth];
    }
}

static struct flm_label_set labels_of(struct flm_builder *b, uint32_t thread, const char *state)
{
    char text[2][24];
    uint32_t process = thread / PROCESS_THREADS;
    int size[2] = {
        snprintf(text[0], sizeof text[0], "%u", 4000 + process * 100),
        snprintf(text[1], sizeof text[1], "%u", 4000 + process * 100 + thread % PROCESS_THREADS)};
    struct flm_string pairs[] = {
        flm_builder_string(b, "command", 7),
        flm_builder_string(b, "server", 6),
        flm_builder_string(b, "process", 7),
        flm_builder_string(b, text[0], (size_t)size[0]),
        flm_builder_string(b, "thread", 6),
        flm_builder_string(b, text[1], (size_t)size[1]),
        flm_builder_string(b, "state", 5),
        flm_builder_string(b, state ? state : "", state ? 7 : 0),
    };
    return flm_builder_label_set(b, pairs, state ? 4 : 3);
}

/* The next stack of a thread: mostly one that has most frames in common with the last one. */
static uint32_t next_stack(uint32_t stack)
{
    return below(20) == 0 ? below(STACKS) : (stack + STACKS + below(9) - 4) % STACKS;
}

static void add_thread(struct flm_builder *b, const struct flm_node *stacks, uint32_t thread,
                       uint32_t samples)
{
    struct flm_metric clock = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_metric off_cpu = flm_builder_metric(b, "off-cpu", "ns");
    struct flm_label_set running = labels_of(b, thread, NULL);
    struct flm_label_set blocked = labels_of(b, thread, "blocked");
    int64_t now = 1000000000 + (int64_t)below(1000) * MILLISECOND;
    uint32_t stack = below(STACKS);
    for (uint32_t i = 0; i < samples;) {
        for (uint32_t burst = 1 + below(30); burst > 0 && i < samples; burst--, i++) {
            stack = next_stack(stack);
            flm_builder_sample(b, now, stacks[stack], running, clock, MILLISECOND);
            now += MILLISECOND + (int64_t)below(1000) - 500;
        }
        int64_t wait = (int64_t)(1 + below(100)) * (MILLISECOND / 10) * (1 + below(20));
        if (i++ < samples) {
            flm_builder_sample(b, now, stacks[stack], blocked, off_cpu, (double)wait);
            flm_builder_sample_lasts(b, wait);
        }
        now += wait;
    }
}

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "usage: make_threads SAMPLES THREADS FILE\n");
        return 2;
    }
    uint32_t samples = (uint32_t)atof(words[1]), threads = (uint32_t)atof(words[2]);
    static struct flm_node stacks[STACKS];
    struct flm_builder *b = flm_builder_new(NULL);
    make_stacks(b, stacks);
    for (uint32_t i = 0; i < threads; i++)
        add_thread(b, stacks, i, samples / threads);
    struct flm_error why;
    struct flm_profile *profile = flm_builder_finish(b, &why);
    if (!profile || !flm_save(profile, words[3], NULL, &why)) {
        fprintf(stderr, "make_threads: %s\n", why.text);
        return 1;
    }
    flm_profile_free(profile);
    return 0;
}
