/* address_costs.h - what each instruction costs, by its address in its module: self, and total with
 * all that it calls.
 *
 * An address belongs to all functions that are at it: to the one whose machine code it is, and to
 * those that were inlined there, whose frames have its address too.
 *
 *     frames     main 1150 │ parse 2210   lex (inlined) 2210   next (inlined) 2210
 *     self       of 2210, for parse, for lex and for next
 *     total      of 1150 for main, and of 2210 for these three
 *
 * So the self values of a function's addresses, with that of address 0, which is not known, add up
 * to the self value of the function and of what was inlined into it: as perf annotate counts, and
 * where a processor is when it is asked. A stack that has an address several times counts once.
 *
 * The address of a caller is in its call instruction, but need not be its first byte
 * (flamel/profile.h): the instruction that has that byte is meant. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_ADDRESS_COSTS_H
#define FLAMEL_ALGEBRA_AGGREGATE_ADDRESS_COSTS_H

#include "profile/columns.h"

struct flm_address_cost {
    uint32_t function, module; /* strings */
    uint64_t address;          /* 0: not known */
    double self, total;
};

/* Sorted by function, module and address. */
struct flm_address_costs {
    struct flm_address_cost *address;
    size_t count;
};

/* Of the functions whose frames are marked, a byte for each; NULL: of all. False, and `why`, if
 * memory ran out. */
bool flm_address_costs_init(struct flm_address_costs *costs, const struct flm_profile *p,
                            struct flm_metric metric, const unsigned char *marks,
                            struct flm_error *why);
void flm_address_costs_clear(struct flm_address_costs *costs);

#endif
