/* sampled_program.c - the program that profiles are made of. */
#include "make_json/sampled_program.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 1;

uint32_t dice(uint32_t sides)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(x >> 32);
}

void *check_memory(void *memory)
{
    if (!memory) {
        fputs("make_json: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

void program_start(struct program *program)
{
    *program = (struct program){.count = 1, .capacity = 1 << 16};
    program->nodes = check_memory(calloc(program->capacity, sizeof *program->nodes));
}

static uint32_t child_of(struct program *program, uint32_t parent, uint32_t function)
{
    for (uint32_t i = program->nodes[parent].first_child; i; i = program->nodes[i].next_sibling)
        if (program->nodes[i].function == function)
            return i;
    if (program->count == program->capacity) {
        program->capacity *= 2;
        program->nodes =
            check_memory(realloc(program->nodes, program->capacity * sizeof *program->nodes));
    }
    program->nodes[program->count] =
        (struct node){parent, function, 0, program->nodes[parent].first_child, 0};
    return program->nodes[parent].first_child = program->count++;
}

uint32_t program_top(const struct program *program)
{
    return program->depth > 0 ? program->path[program->depth - 1] : 0;
}

void program_call(struct program *program)
{
    uint32_t way = 0, caller = program->nodes[program_top(program)].function;
    while (way < 3 && dice(16) == 0)
        way++;
    uint32_t function = mix(caller, way) % FUNCTIONS % (1 + mix(caller, way + 100) % FUNCTIONS);
    uint32_t node = child_of(program, program_top(program), function);
    program->path[program->depth++] = node;
}

uint32_t program_lost_frames(const struct program *program)
{
    uint32_t count = 0;
    while (count < program->depth && dice(5) < 3)
        count++;
    return dice(50) == 0 ? program->depth * dice(100) / 100 : count;
}

uint32_t program_wanted_depth(void)
{
    return 8 + dice(18) + dice(18);
}

uint32_t program_sample(struct program *program)
{
    if (dice(3) == 0 && program->depth > 0) { /* as it was */
        program->nodes[program_top(program)].hits++;
        return program_top(program);
    }
    program->depth -= program_lost_frames(program);
    for (uint32_t depth = program_wanted_depth(), most = dice(6);
         program->depth < depth && most > 0; most--)
        program_call(program);
    if (program->depth == 0)
        program_call(program);
    program->nodes[program_top(program)].hits++;
    return program_top(program);
}

void print_function_name(uint32_t function)
{
    static const char *const words[] = {"dom",     "layout",   "Update",  "PresShell",
                                        "mozilla", "js",       "Flush",   "gfx",
                                        "Handle",  "Document", "Runtime", "read"};
    static const char *const arguments[] = {
        "", "", "(int)", "(std::basic_string<char> const&, unsigned long)", "(nsPresContext*)"};
    uint32_t a = mix(function, 1) % 12, b = mix(function, 2) % 12, c = mix(function, 3) % 12;
    if (function % 3 == 0)
        printf("%s%s%u", words[a], words[b], function);
    else
        printf("%s::%s::%s%u%s", words[a], words[b], words[c], function,
               arguments[mix(function, 4) % 5]);
}
