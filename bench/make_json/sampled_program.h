/* sampled_program.h - the program that profiles are made of: 20,000 functions that call each other.
 *
 * From one sample to the next its stack loses some innermost frames and gets others, the likely
 * ones most of the time, so stacks repeat as real ones do: a million samples have 69,000 different
 * stacks, 5,000 have 1,368 (samply of `ls`: 5,130 have 1,115), 20 frames deep. The same numbers
 * come out each time. */
#ifndef FLAMEL_BENCH_SAMPLED_PROGRAM_H
#define FLAMEL_BENCH_SAMPLED_PROGRAM_H

#include <stdint.h>

enum { FUNCTIONS = 20000, MOST_DEPTH = 120 };

/* A pseudorandom number below `sides`, the next of one sequence. */
uint32_t dice(uint32_t sides);
/* A number that looks random and depends on both alone. */
uint32_t mix(uint32_t a, uint32_t b);
/* Returns `memory`, or ends the process with a message if it is NULL. */
void *check_memory(void *memory);

struct node {
    uint32_t parent, function, first_child, next_sibling; /* 0: none */
    uint32_t hits;
};

/* Every stack that was met: nodes in the order in which they were met first; 0 is the root. */
struct program {
    struct node *nodes; /* the caller frees them */
    uint32_t count, capacity;
    uint32_t path[MOST_DEPTH], depth; /* of the current stack */
};

void program_start(struct program *program);
/* The node of the innermost frame; 0 where the stack is empty. */
uint32_t program_top(const struct program *program);
/* Calls another function: mostly the one that this function calls mostly. */
void program_call(struct program *program);
/* How many frames the next sample loses. */
uint32_t program_lost_frames(const struct program *program);
uint32_t program_wanted_depth(void);
/* The node of the next sample. */
uint32_t program_sample(struct program *program);

/* As C++ and C functions are named. */
void print_function_name(uint32_t function);

#endif
