/* relations.h - who calls a function and what it calls, over all the places where it is.
 *
 *     main;parse;lex       8         relations of lex:   called by   parse   11
 *     main;parse;lex;read  3                                         check    2
 *     main;check;lex       2                             calls       read     3
 *
 * Only outermost places count: one inside another is what that one calls. Totals are widths, as the
 * picture has them. One pass over the nodes, that looks at frames only, and a step for each place
 * and each of its children. */
#ifndef FLAMEL_VIEWER_SCENE_RELATIONS_H
#define FLAMEL_VIEWER_SCENE_RELATIONS_H

#include "algebra/aggregate/functions.h"
#include "layout/layout.h"

struct flm_relation {
    uint32_t function;
    double total;
    struct flm_node node; /* the place where most of it is: of the caller, or of what is called */
    double widest;        /* how much is there */
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
