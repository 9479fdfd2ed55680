/* make_flm.c - a large .flm file for measuring: make_flm NODES FILE [RUN]
 *
 * Stacks that leave the one before at a random depth and go on through a interner of 30,000
 * names: mean depth about 30, as in the folded stacks of gen_folded.py.
 *
 * RUN is the number of another run of the same program: the same stacks with other values, but for
 * one in 50, which is gone, and one in 50, which calls something new. */
#include <stdio.h>
#include <stdlib.h>

#include "flamel/builder.h"
#include "flamel/file.h"

enum { NAMES = 30000, DEEPEST = 200 };

static uint64_t random_state = 1, run_state;

static uint32_t draw(uint64_t *state, uint32_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % limit);
}

static uint32_t below(uint32_t limit)
{
    return draw(&random_state, limit);
}

/* The value of a stack in this run. */
static void add(struct flm_builder *b, struct flm_node stack, struct flm_metric metric,
                uint32_t value)
{
    uint32_t fate = run_state ? draw(&run_state, 50) : 2;
    if (fate == 0)
        return;
    if (fate == 1)
        stack = flm_builder_child(b, stack, flm_builder_function(b, "added", 5));
    flm_builder_add(b, stack, metric, value + (run_state ? draw(&run_state, 3) : 0));
}

int main(int count, char **words)
{
    if (count != 3 && count != 4) {
        fprintf(stderr, "usage: make_flm NODES FILE [RUN]\n");
        return 2;
    }
    run_state = count == 4 ? strtoull(words[3], NULL, 10) : 0;
    uint32_t wanted = (uint32_t)atof(words[1]);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    static struct flm_frame frames[NAMES];
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[80];
        int size = snprintf(name, sizeof name, "module%u::Class%u::method%u(int, char const*)",
                            i % 37, i % 1000, i);
        frames[i] = flm_builder_function(b, name, (size_t)size);
    }
    struct flm_node path[DEEPEST + 1] = {flm_builder_root(b)};
    uint32_t depth = 0;
    while (flm_builder_node_count(b) < wanted) {
        uint32_t back = below(4) == 0 ? below(40) : below(6);
        depth = depth > back + 1 ? depth - back : depth < 1 ? 0 : 1;
        uint32_t target = depth + 1 + below(8);
        for (; depth < target && depth < DEEPEST; depth++)
            path[depth + 1] = flm_builder_child(
                b, path[depth], frames[below(4) ? below(300) * below(100) : below(NAMES)]);
        add(b, path[depth], metric, 1 + below(9));
    }
    struct flm_error why;
    struct flm_profile *profile = flm_builder_finish(b, &why);
    if (!profile || !flm_save(profile, words[2], NULL, &why)) {
        fprintf(stderr, "make_flm: %s\n", why.text);
        return 1;
    }
    flm_profile_free(profile);
    return 0;
}
