/* relations.h - the callers and callees of a function, over all its occurrences.
 *
 *     main;parse;lex       8         relations of lex:   called by   parse   11
 *     main;parse;lex;read  3                                         check    2
 *     main;check;lex       2                             calls       read     3
 *
 * Only outermost occurrences count: a nested one is a callee of the outer one. Totals are widths,
 * as in the picture. One pass over the nodes, which reads frames only, and a step for each
 * occurrence and each of its children. */
#ifndef FLAMEL_VIEWER_SCENE_RELATIONS_H
#define FLAMEL_VIEWER_SCENE_RELATIONS_H

#include "algebra/aggregate/functions.h"
#include "layout/layout.h"

struct flm_relation {
    uint32_t function;
    double total;
    struct flm_node node; /* the largest occurrence of the caller or callee */
    double widest;        /* its total */
};

struct flm_relations {
    struct flm_relation *caller, *callee; /* the largest first; `function` 0: nobody, the root */
    uint32_t caller_count, callee_count;
};

/* False, and `why`, if memory ran out. */
bool flm_relations_init(struct flm_relations *relations, const struct flm_functions *functions,
                        const struct flm_layout *layout, uint32_t function, struct flm_error *why);
void flm_relations_clear(struct flm_relations *relations);

#endif
