/* line_costs.h - what each source line costs: self, and total with all that it calls.
 *
 *     self     of the stacks whose innermost frame is at the line
 *     total    of the stacks that have a frame at the line; each stack once, so recursion counts
 *              once
 *
 * Lines come from the locations of the profile (profile/chains.h), or from its frames where these
 * have the lines that ran (FLM_NOTE_LINES). The self values of a function's lines, with that of
 * line 0, which is not known, add up to the self value of the function. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_LINE_COSTS_H
#define FLAMEL_ALGEBRA_AGGREGATE_LINE_COSTS_H

#include "profile/columns.h"

struct flm_line_cost {
    uint32_t function, module; /* strings */

    /* Without a module: the file of the first function at the line, by which such functions are
     * told apart; else 0. The line may be of another one: of what is inlined. */
    uint32_t of_file;

    uint32_t file; /* string; 0: not known */
    uint32_t line; /* 0: not known */
    double self, total;
    double self_before, total_before; /* of the other metric */
};

/* Sorted by function, module, its file, file and line. `profile` is the one whose strings are
 * meant. */
struct flm_line_costs {
    struct flm_line_cost *line;
    size_t count;
};

/* Of a profile that is joined, or split already (profile/chains.h), which takes half the time.
 * `before`: of a comparison; {FLM_NONE}: there is none. Of the frames that are marked, a byte for
 * each; NULL: of all. False, and `why`, if memory ran out. */
bool flm_line_costs_init(struct flm_line_costs *costs, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_metric before,
                         const unsigned char *marks, struct flm_error *why);

/* The lines that have a self value, and no totals: of a joined profile in one pass, a tenth of the
 * time. */
bool flm_line_selfs_init(struct flm_line_costs *costs, const struct flm_profile *p,
                         struct flm_metric metric, struct flm_error *why);
void flm_line_costs_clear(struct flm_line_costs *costs);

/* Their indices by self, largest first, then by total; of a comparison by their changes. `order`
 * has room for all. False if memory ran out. */
bool flm_line_costs_sort(const struct flm_line_costs *costs, uint32_t *order);

/* The same of the first `most` lines that are known and have a self value, in one pass; how many
 * there are. `order` has room for `most`. */
size_t flm_line_costs_first(const struct flm_line_costs *costs, uint32_t *order, size_t most);

#endif
