/* rows.h - the layout of an unwind table: the rule that holds at each address.
 *
 *     index   the first row of each 4096 bytes of code
 *     row     4 bytes: the lower 12 bits of its address, and the number of a rule
 *     rules   rule.h
 *
 *     address ─► page ─► index[page], index[page + 1] ─► a search in about 100 rows, which are two
 *                                                        or three cache lines
 *
 * A search over all rows of libLLVM touches twenty cache lines, most of them not in the cache. */
#ifndef FLAMEL_SYMBOL_UNWIND_ROWS_H
#define FLAMEL_SYMBOL_UNWIND_ROWS_H

#include "symbol/unwind/rule.h"

enum {
    FLM_UNWIND_PAGE_BITS = 12,
    FLM_UNWIND_RULE_BITS = 20,
    FLM_UNWIND_RULES_MOST = 1 << FLM_UNWIND_RULE_BITS
};

/* The head of the cached form; index, rows and rules follow. */
struct flm_unwind_head {
    char magic[8];
    uint32_t order; /* a constant, written by a machine of the same byte order */
    uint32_t machine;
    uint64_t base; /* the first address */
    uint32_t page_count, row_count, rule_count;
    uint32_t functions, unsupported;
    uint32_t zero;
};

struct flm_unwind_table {
    struct flm_unwind_head head;
    const struct flm_machine_abi *abi;
    const uint32_t *index; /* page_count + 1 */
    const uint32_t *rows;
    const struct flm_rule *rules;
    void *owned; /* the memory of all three; NULL: it belongs to the caller */
};

/* The rule at an address; outside of the table one of kind FLM_RULE_NONE. */
static inline const struct flm_rule *flm_unwind_find(const struct flm_unwind_table *table,
                                                     uint64_t address)
{
    uint64_t at = address - table->head.base, page = at >> FLM_UNWIND_PAGE_BITS;
    if (page >= table->head.page_count)
        return &table->rules[0];
    uint32_t low = table->index[page], count = table->index[page + 1] - low;
    uint32_t wanted = (uint32_t)(at & ((1u << FLM_UNWIND_PAGE_BITS) - 1)) << FLM_UNWIND_RULE_BITS |
                      (FLM_UNWIND_RULES_MOST - 1);
    /* The first row that is higher. Branchless: the comparison cannot be predicted. */
    const uint32_t *rows = table->rows + low;
    while (count > 0) {
        uint32_t half = count / 2;
        bool is_higher = rows[half] > wanted;
        rows = is_higher ? rows : rows + half + 1;
        count = is_higher ? half : count - half - 1;
    }
    /* Row 0 is at the base, so there is a row before any other address. */
    return &table->rules[rows[-1] & (FLM_UNWIND_RULES_MOST - 1)];
}

/* ---- Building -------------------------------------------------------------------------------- */

struct flm_unwind_maker;

/* `rule` holds from `address` on. Addresses ascend. False when memory ran out. */
bool flm_unwind_maker_add(void *maker, uint64_t address, const struct flm_rule *rule);

/* Adds rules for [start, end), which belongs to no function, where the instructions are recognized:
 * PLT entries, the trampolines that signal handlers and contexts of makecontext() return to. */
bool flm_unwind_add_gap(struct flm_unwind_maker *maker, const struct flm_unwind_sections *sections,
                        uint64_t start, uint64_t end);

#endif
