/* own_sampler.c - a profile from samples of one's own: here of a toy virtual machine that notes its
 * stack each time it has executed a hundred instructions. Interpreters, game engines and databases
 * have such stacks that no sampler of the operating system can see.
 *
 *     cc own_sampler.c $(pkg-config --cflags --libs flamel) -o own_sampler
 *     ./own_sampler vm.svg                     or vm.flm, vm.html, vm.folded ... */
#include <flamel/flamel.h>

#include <stdio.h>
#include <string.h>

/* The program of the machine: functions that call each other and compute. */
struct function {
    const char *name;
    int instructions; /* of its own, for each call */
    int callees[3];   /* -1: none */
};
static const struct function program[] = {
    {"main", 50, {1, 2, -1}},        {"read_input", 200, {3, -1, -1}},
    {"evaluate", 400, {4, 4, 3}},    {"allocate", 150, {-1, -1, -1}},
    {"multiply", 900, {-1, -1, -1}},
};

struct machine {
    struct flm_builder *builder;
    struct flm_metric samples;
    struct flm_frame frames[8]; /* the stack, outermost first */
    size_t depth;
    int until_sample;
};

static void run(struct machine *m, int function)
{
    const struct function *f = &program[function];
    m->frames[m->depth++] = flm_builder_function(m->builder, f->name, strlen(f->name));
    for (int i = 0; i < f->instructions; i++) {
        if (--m->until_sample == 0) {
            struct flm_node stack = flm_builder_stack(m->builder, m->frames, m->depth);
            flm_builder_add(m->builder, stack, m->samples, 1);
            m->until_sample = 100;
        }
    }
    for (int i = 0; i < 3 && f->callees[i] >= 0; i++)
        run(m, f->callees[i]);
    m->depth--;
}

int main(int argc, char **argv)
{
    struct flm_error why;
    struct machine m = {NULL, {0}, {{0}}, 0, 100};
    if (argc != 2) {
        fprintf(stderr, "usage: own_sampler OUTPUT\n");
        return 2;
    }
    m.builder = flm_builder_new(&why);
    if (!m.builder) {
        fprintf(stderr, "own_sampler: %s\n", why.text);
        return 2;
    }
    m.samples = flm_builder_metric(m.builder, "samples", "samples");
    flm_builder_note(m.builder, "command", "toy virtual machine", 19);
    for (int i = 0; i < 100; i++)
        run(&m, 0);

    /* The builder remembers a failed allocation: one question at the end is enough. */
    struct flm_profile *profile = flm_builder_finish(m.builder, &why);
    if (!profile || !flm_save(profile, argv[1], NULL, &why)) {
        fprintf(stderr, "own_sampler: %s\n", why.text);
        flm_profile_free(profile);
        return 2;
    }
    flm_profile_free(profile);
    return 0;
}
