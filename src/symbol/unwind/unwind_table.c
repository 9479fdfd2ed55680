#include "symbol/unwind/unwind_table.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "symbol/unwind/cfi.h"
#include "symbol/unwind/rows.h"

static const char MAGIC[8] = "flmunwd1";
static const uint32_t ORDER = 0x01020304;

struct flm_unwind_maker {
    uint64_t base;
    uint32_t *index, *rows;
    struct flm_rule *rules;
    size_t page_count, page_capacity, row_count, row_capacity, rule_count, rule_capacity;
    struct flm_index numbers; /* of rules */
    uint32_t last;            /* rule of the last row */
    bool memory_is_out;
};

static bool out_of_memory(struct flm_unwind_maker *maker)
{
    maker->memory_is_out = true;
    return false;
}

/* The rule's number. Files of 100 MB have some ten thousand; one with more than there is room for
 * was made to have them. */
static bool number_of(struct flm_unwind_maker *maker, const struct flm_rule *rule, uint32_t *number)
{
    uint64_t hash = flm_hash(rule, sizeof *rule);
    uint32_t short_hash = (uint32_t)(hash ^ hash >> 32);
    for (struct flm_probe at = flm_index_probe(&maker->numbers, short_hash);
         flm_index_next(&maker->numbers, &at);) {
        if (memcmp(&maker->rules[at.found], rule, sizeof *rule) == 0) {
            *number = at.found;
            return true;
        }
    }
    if (maker->rule_count == FLM_UNWIND_RULES_MOST) {
        *number = 1;
        return true;
    }
    if (!flm_grow((void **)&maker->rules, &maker->rule_capacity, maker->rule_count + 1,
                  sizeof *maker->rules) ||
        !flm_index_add(&maker->numbers, short_hash, (uint32_t)maker->rule_count))
        return out_of_memory(maker);
    *number = (uint32_t)maker->rule_count;
    maker->rules[maker->rule_count++] = *rule;
    return true;
}

bool flm_unwind_maker_add(void *context, uint64_t address, const struct flm_rule *rule)
{
    struct flm_unwind_maker *maker = context;
    uint32_t number;
    if (!number_of(maker, rule, &number))
        return false;
    if (maker->row_count > 0 && number == maker->last)
        return true;
    uint64_t at = address - maker->base, page = at >> FLM_UNWIND_PAGE_BITS;
    if (!flm_grow((void **)&maker->index, &maker->page_capacity, (size_t)page + 2,
                  sizeof *maker->index) ||
        !flm_grow((void **)&maker->rows, &maker->row_capacity, maker->row_count + 1,
                  sizeof *maker->rows) ||
        maker->row_count == UINT32_MAX)
        return out_of_memory(maker);
    while (maker->page_count <= page)
        maker->index[maker->page_count++] = (uint32_t)maker->row_count;
    maker->rows[maker->row_count++] =
        (uint32_t)(at & ((1u << FLM_UNWIND_PAGE_BITS) - 1)) << FLM_UNWIND_RULE_BITS | number;
    maker->last = number;
    return true;
}

/* ---- What of the address space it is about --------------------------------------------------- */

struct range {
    uint64_t start, end;
};

static void widen(struct range *range, uint64_t start, uint64_t size)
{
    if (size == 0 || start > UINT64_MAX - size)
        return;
    if (range->end == 0 || start < range->start)
        range->start = start;
    if (start + size > range->end)
        range->end = start + size;
}

/* Rows are kept for 4 GiB. Where functions are spread further, those near the code are taken, or,
 * when there is none, those near the first one: a module's code is never so large, its lies are. */
static struct range choose_range(const struct flm_cfi *cfi,
                                 const struct flm_unwind_sections *sections)
{
    struct range range = {0};
    widen(&range, sections->code_address, sections->code.size);
    if (range.end - range.start > UINT32_MAX)
        range.end = range.start + UINT32_MAX;
    struct range code = range;
    struct range wide = range;
    widen(&wide, sections->plt_address, sections->plt.size);
    for (size_t i = 0; i < cfi->function_count; i++) {
        const struct flm_cfi_function *function = &cfi->functions[i];
        widen(&wide, function->from, function->end - function->from);
    }
    if (wide.end - wide.start <= UINT32_MAX)
        return wide;
    const uint64_t half = UINT64_C(1) << 31;
    uint64_t middle = code.end ? code.start + (code.end - code.start) / 2 : wide.start;
    range.start = middle > half && middle - half > wide.start ? middle - half : wide.start;
    range.end = range.start > UINT64_MAX - UINT32_MAX ? UINT64_MAX : range.start + UINT32_MAX;
    if (range.end > wide.end)
        range.end = wide.end;
    return range;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Into one block, which is what the cache keeps of it. */
static struct flm_unwind_table *finish(struct flm_unwind_maker *maker,
                                       const struct flm_unwind_head *head)
{
    struct flm_unwind_table *table = calloc(1, sizeof *table);
    size_t index_size = (maker->page_count + 1) * sizeof *maker->index;
    size_t row_size = maker->row_count * sizeof *maker->rows;
    size_t rule_size = maker->rule_count * sizeof *maker->rules;
    char *owned = table ? malloc(index_size + row_size + rule_size) : NULL;
    if (!owned) {
        free(table);
        return NULL;
    }
    maker->index[maker->page_count] = (uint32_t)maker->row_count;
    memcpy(owned, maker->index, index_size);
    memcpy(owned + index_size, maker->rows, row_size);
    memcpy(owned + index_size + row_size, maker->rules, rule_size);
    table->head = *head;
    table->head.base = maker->base;
    table->head.page_count = (uint32_t)maker->page_count;
    table->head.row_count = (uint32_t)maker->row_count;
    table->head.rule_count = (uint32_t)maker->rule_count;
    table->facts = flm_machine_facts((enum flm_machine)head->machine);
    table->index = (const uint32_t *)(const void *)owned;
    table->rows = table->index + maker->page_count + 1;
    table->rules = (const struct flm_rule *)(const void *)(table->rows + maker->row_count);
    table->owned = owned;
    return table;
}

static bool add_functions(struct flm_unwind_maker *maker, const struct flm_cfi *cfi,
                          const struct flm_unwind_sections *sections, struct range range,
                          struct flm_unwind_head *head)
{
    uint64_t end = range.start; /* of what has rows */
    size_t unsupported = cfi->unreadable, used = 0;
    for (size_t i = 0; i < cfi->function_count; i++) {
        const struct flm_cfi_function *function = &cfi->functions[i];
        if (function->from < range.start || function->end > range.end) {
            unsupported++;
            continue;
        }
        if (function->from > end && !flm_unwind_add_gap(maker, sections, end, function->from))
            return false;
        bool some_are_not = false;
        if (!flm_cfi_run(cfi, function, flm_unwind_maker_add, maker, &some_are_not))
            return false;
        unsupported += some_are_not;
        used++;
        end = function->end;
    }
    if (end < range.end && !flm_unwind_add_gap(maker, sections, end, range.end))
        return false;
    head->functions = (uint32_t)used;
    head->unsupported = unsupported > UINT32_MAX ? UINT32_MAX : (uint32_t)unsupported;
    static const struct flm_rule none = {.kind = FLM_RULE_NONE};
    return flm_unwind_maker_add(maker, range.end, &none);
}

struct flm_unwind_table *flm_unwind_table_new(const struct flm_unwind_sections *sections,
                                              struct flm_error *why)
{
    struct flm_cfi cfi = {0};
    if (!flm_cfi_read(&cfi, sections, why))
        return NULL;
    struct flm_unwind_head head = {.order = ORDER, .machine = (uint32_t)sections->machine};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    struct range range = choose_range(&cfi, sections);
    struct flm_unwind_maker maker = {.base = range.start};
    struct flm_unwind_table *table = NULL;

    /* The rules that others refer to by number: none, and unsupported. */
    static const struct flm_rule none = {.kind = FLM_RULE_NONE};
    static const struct flm_rule unsupported = {.kind = FLM_RULE_UNSUPPORTED};
    uint32_t number;
    bool have = number_of(&maker, &none, &number) && number_of(&maker, &unsupported, &number) &&
                add_functions(&maker, &cfi, sections, range, &head);
    if (have && maker.rule_count == 2 && head.functions == 0) {
        flm_error_set(why, FLM_ERROR_FORMAT, "nothing in it says how its stacks are unwound");
    } else {
        table = have ? finish(&maker, &head) : NULL;
        if (!table)
            flm_error_memory(why);
    }
    free(maker.index);
    free(maker.rows);
    free(maker.rules);
    flm_index_clear(&maker.numbers);
    flm_cfi_clear(&cfi);
    return table;
}

void flm_unwind_table_free(struct flm_unwind_table *table)
{
    if (table)
        free(table->owned);
    free(table);
}

struct flm_unwind_counts flm_unwind_table_counts(const struct flm_unwind_table *table)
{
    return (struct flm_unwind_counts){table->head.row_count, table->head.functions,
                                      table->head.unsupported};
}

/* ---- The cached form ------------------------------------------------------------------------- */

void flm_unwind_table_write(const struct flm_unwind_table *table, struct flm_text *out)
{
    const struct flm_unwind_head *head = &table->head;
    flm_text_add(out, (struct flm_bytes){(const char *)head, sizeof *head});
    flm_text_add(out, (struct flm_bytes){(const char *)table->index,
                                         ((size_t)head->page_count + 1) * sizeof *table->index});
    flm_text_add(out, (struct flm_bytes){(const char *)table->rows,
                                         (size_t)head->row_count * sizeof *table->rows});
    flm_text_add(out, (struct flm_bytes){(const char *)table->rules,
                                         (size_t)head->rule_count * sizeof *table->rules});
}

static bool rules_are_good(const struct flm_unwind_table *table)
{
    unsigned registers = table->facts->register_count;
    for (uint32_t i = 0; i < table->head.rule_count; i++) {
        const struct flm_rule *rule = &table->rules[i];
        if (rule->kind >= FLM_RULE_KINDS || rule->cfa_register >= registers ||
            rule->base_register >= registers || rule->how >> (2 * FLM_SLOT_COUNT))
            return false;
        for (int slot = 0; slot < FLM_SLOT_COUNT; slot++) {
            if (flm_rule_how(rule, slot) != FLM_SAME &&
                table->facts->slot_register[slot] >= FLM_REGISTER_COUNT)
                return false;
            if (flm_rule_how(rule, slot) == FLM_ELSEWHERE && rule->slot[slot] >= (int)registers)
                return false;
        }
    }
    return table->rules[0].kind == FLM_RULE_NONE;
}

/* A loop of its own, without a way out, so that the compiler makes four of it at a time: of 10 MB
 * it takes 1 ms. */
static bool rows_are_good(const struct flm_unwind_table *table)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < table->head.row_count; i++) {
        uint32_t rule = table->rows[i] & (FLM_UNWIND_RULES_MOST - 1);
        highest = rule > highest ? rule : highest;
    }
    return highest < table->head.rule_count;
}

/* One row at the base, and from there on the index never goes back. */
static bool index_is_good(const struct flm_unwind_table *table)
{
    const struct flm_unwind_head *head = &table->head;
    bool rises = table->index[0] == 0 && table->index[head->page_count] == head->row_count;
    for (uint32_t i = 0; i < head->page_count; i++)
        rises &= table->index[i] <= table->index[i + 1];
    return rises && table->index[1] > 0 && table->rows[0] >> FLM_UNWIND_RULE_BITS == 0;
}

struct flm_unwind_table *flm_unwind_table_open(struct flm_bytes bytes, struct flm_error *why)
{
    struct flm_unwind_table shape = {0};
    struct flm_unwind_head *head = &shape.head;
    bool is_good = bytes.size >= sizeof *head && (uintptr_t)bytes.at % sizeof(uint64_t) == 0;
    if (is_good) {
        memcpy(head, bytes.at, sizeof *head);
        shape.facts = flm_machine_facts((enum flm_machine)head->machine);
        uint64_t size = sizeof *head + ((uint64_t)head->page_count + 1) * sizeof *shape.index +
                        (uint64_t)head->row_count * sizeof *shape.rows +
                        (uint64_t)head->rule_count * sizeof *shape.rules;
        is_good = memcmp(head->magic, MAGIC, sizeof head->magic) == 0 && head->order == ORDER &&
                  shape.facts && size == bytes.size && head->page_count > 0 &&
                  head->row_count > 0 && head->rule_count > 0;
    }
    if (is_good) {
        shape.index = (const uint32_t *)(const void *)(bytes.at + sizeof *head);
        shape.rows = shape.index + head->page_count + 1;
        shape.rules = (const struct flm_rule *)(const void *)(shape.rows + head->row_count);
        is_good = index_is_good(&shape) && rows_are_good(&shape) && rules_are_good(&shape);
    }
    if (!is_good) {
        flm_error_set(why, FLM_ERROR_FORMAT, "it is no table for unwinding");
        return NULL;
    }
    struct flm_unwind_table *table = malloc(sizeof *table);
    if (table)
        *table = shape;
    else
        flm_error_memory(why);
    return table;
}
