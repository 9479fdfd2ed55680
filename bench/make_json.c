/* make_json.c - large profiles of the formats that are JSON, as their tools write them.
 *
 *     make_json KIND MEGABYTES > FILE
 *
 *     samply       samply's tables, a set for each thread; functions are addresses
 *     firefox      the Firefox Profiler's shared tables, JavaScript and C++; a third are markers
 *     sampled      speedscope: stacks and weights
 *     evented      speedscope: calls that open and close
 *     cpuprofile   V8: nodes, samples
 *     trace        Chrome: calls as one event each (X), with arguments
 *     begin-end    uftrace: calls as two events (B, E)
 *     kineto       PyTorch: X, a line for each few members
 *     chunks       Chrome: a CPU profile of V8 in chunks
 *     heaptimeline V8: objects, and the tree of their allocations
 *
 * A program runs that has 20,000 functions. From one sample to the next its stack loses some
 *
 * Its stacks are those of one program (make_json/sampled_program.h). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make_json/writers.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(double bytes);
    } kinds[] = {{"samply", print_samply},         {"firefox", print_firefox},
                 {"sampled", print_sampled},       {"evented", print_evented},
                 {"cpuprofile", print_cpuprofile}, {"trace", print_trace},
                 {"begin-end", print_begin_end},   {"kineto", print_kineto},
                 {"chunks", print_chunks},         {"heaptimeline", print_heaptimeline}};
    double bytes = argc == 3 ? strtod(argv[2], NULL) * 1e6 : 0;
    for (size_t i = 0; bytes > 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            kinds[i].print(bytes);
            return fflush(stdout) != 0;
        }
    fputs("make_json KIND MEGABYTES > FILE\n", stderr);
    return 2;
}
