/* rows.h - the table itself: which rule is true at which address.
 *
 *     index   where the rows of each 4096 bytes of code begin
 *     row     the lower 12 bits of its address, and the number of a rule: 4 bytes in all
 *     rules   rule.h
 *
 *     address ─► page ─► index[page], index[page + 1] ─► a search in about 100 rows, two or three
 *                                                        lines of the processor's cache
 *
 * A search over all rows of libLLVM touches twenty lines, most of them not in the cache. */
#ifndef FLAMEL_SYMBOL_UNWIND_ROWS_H
#define FLAMEL_SYMBOL_UNWIND_ROWS_H

#include "symbol/unwind/rule.h"

enum {
    FLM_UNWIND_PAGE_BITS = 12,
    FLM_UNWIND_RULE_BITS = 20,
    FLM_UNWIND_RULES_MOST = 1 << FLM_UNWIND_RULE_BITS
};

/* Where the cached form begins; what it counts follows: index, rows, rules. */
struct flm_unwind_head {
    char magic[8];
    uint32_t order; /* FLM_UNWIND_ORDER, written by a machine of the same byte order */
    uint32_t machine;
    uint64_t base; /* the first address */
    uint32_t page_count, row_count, rule_count;
    uint32_t functions, unsupported;
    uint32_t zero;
};

struct flm_unwind_table {
    struct flm_unwind_head head;
    const struct flm_machine_facts *facts;
    const uint32_t *index; /* page_count + 1 */
    const uint32_t *rows;
    const struct flm_rule *rules;
    void *owned; /* what the three lie in; NULL: it is the caller's */
};

/* The rule at an address; one of kind FLM_RULE_NONE outside. */
static inline const struct flm_rule *flm_unwind_find(const struct flm_unwind_table *table,
                                                     uint64_t address)
{
    uint64_t at = address - table->head.base, page = at >> FLM_UNWIND_PAGE_BITS;
    if (page >= table->head.page_count)
        return &table->rules[0];
    uint32_t low = table->index[page], count = table->index[page + 1] - low;
    uint32_t wanted = (uint32_t)(at & ((1u << FLM_UNWIND_PAGE_BITS) - 1)) << FLM_UNWIND_RULE_BITS |
                      (FLM_UNWIND_RULES_MOST - 1);
    /* The first row that is higher. Without a branch on what is compared: nobody could guess it. */
    const uint32_t *rows = table->rows + low;
    while (count > 0) {
        uint32_t half = count / 2;
        bool is_higher = rows[half] > wanted;
        rows = is_higher ? rows : rows + half + 1;
        count = is_higher ? half : count - half - 1;
    }
    /* Row 0 is at the base: there is one before any place. */
    return &table->rules[rows[-1] & (FLM_UNWIND_RULES_MOST - 1)];
}

/* ---- Making one ------------------------------------------------------------------------------ */

struct flm_unwind_maker;

/* `rule` is true from `address` on. Addresses rise. False when memory ran out. */
bool flm_unwind_maker_add(void *maker, uint64_t address, const struct flm_rule *rule);

/* What is known of [start, end), which no function has: entries of a PLT, the trampoline that ends
 * signal handlers, and that the one of makecontext() follows, by their instructions. */
bool flm_unwind_add_gap(struct flm_unwind_maker *maker, const struct flm_unwind_sections *sections,
                        uint64_t start, uint64_t end);

#endif
