/* run_calls.c - calls of a program that begin and end. */
#include "make_json/run_calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "make_json/sampled_program.h"

void run_calls(const struct calls *calls, uint32_t count, int thread)
{
    struct program program;
    uint64_t ns = 1900964963674u;
    program_start(&program);
    for (uint32_t i = 0; i < count;) {
        uint32_t depth = program.depth, kept = depth - program_lost_frames(&program);
        for (; program.depth > kept; program.depth--) {
            ns += 200 + dice(20000);
            calls->close(program.nodes[program_top(&program)].function, ns, thread);
        }
        for (depth = program_wanted_depth(); program.depth < depth && dice(8) > 0; i++) {
            program_call(&program);
            ns += 100 + dice(3000);
            calls->open(program.nodes[program_top(&program)].function, ns, thread);
        }
    }
    for (; program.depth > 0; program.depth--)
        calls->close(program.nodes[program_top(&program)].function, ns += 500, thread);
    free(program.nodes);
}

static bool is_first = true;

void print_separator(const char *text)
{
    if (!is_first)
        fputs(text, stdout);
    is_first = false;
}

void print_no_separator(void)
{
    is_first = true;
}
