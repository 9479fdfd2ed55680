#include "symbol/unwind/unwind_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "symbol/unwind/cfi.h"
#include "symbol/unwind/rows.h"

static const char MAGIC[8] = "flmunwd1";
static const uint32_t ORDER = 0x01020304;

/* Rules with a fixed number. */
enum { RULE_NONE, RULE_UNSUPPORTED };

struct flm_unwind_maker {
    uint64_t base;
    struct FLM_ARRAY(uint32_t) index; /* the first row of each page */
    struct FLM_ARRAY(uint32_t) rows;
    struct FLM_ARRAY(struct flm_rule) rules;
    struct flm_index numbers; /* of rules */
    uint32_t last;            /* the rule of the last row */
};

/* The number of a rule. A file of 100 MB has about ten thousand rules; only a crafted one has more
 * than there is room for, which become unsupported. False when memory ran out. */
static bool number_of(struct flm_unwind_maker *maker, const struct flm_rule *rule, uint32_t *number)
{
    uint64_t hash = flm_hash(rule, sizeof *rule);
    uint32_t short_hash = (uint32_t)(hash ^ hash >> 32);
    for (struct flm_probe at = flm_index_probe(&maker->numbers, short_hash);
         flm_index_next(&maker->numbers, &at);) {
        if (memcmp(&maker->rules.at[at.found], rule, sizeof *rule) == 0) {
            *number = at.found;
            return true;
        }
    }
    if (maker->rules.count == FLM_UNWIND_RULES_MOST) {
        *number = RULE_UNSUPPORTED;
        return true;
    }
    *number = (uint32_t)maker->rules.count;
    return FLM_ARRAY_ADD(&maker->rules, *rule) &&
           flm_index_add(&maker->numbers, short_hash, *number);
}

bool flm_unwind_maker_add(void *context, uint64_t address, const struct flm_rule *rule)
{
    struct flm_unwind_maker *maker = context;
    uint32_t number;
    if (!number_of(maker, rule, &number))
        return false;
    if (maker->rows.count > 0 && number == maker->last)
        return true;
    uint64_t at = address - maker->base, page = at >> FLM_UNWIND_PAGE_BITS;
    uint32_t row =
        (uint32_t)(at & ((1u << FLM_UNWIND_PAGE_BITS) - 1)) << FLM_UNWIND_RULE_BITS | number;
    size_t pages = maker->index.count;
    /* One more than the pages: `finish` adds the end of the last one. */
    if (maker->rows.count == UINT32_MAX ||
        !FLM_ARRAY_RESERVE(&maker->index, page + 2 > pages ? page + 2 - pages : 1))
        return false;
    while (maker->index.count <= page)
        maker->index.at[maker->index.count++] = (uint32_t)maker->rows.count;
    if (!FLM_ARRAY_ADD(&maker->rows, row))
        return false;
    maker->last = number;
    return true;
}

/* ---- The 4 GiB of a table -------------------------------------------------------------------- */

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

/* A table covers 4 GiB. If functions span more, those near the code are kept, or without code those
 * near the first one: no real module is so large, only a damaged one. */
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
    for (size_t i = 0; i < cfi->functions.count; i++) {
        const struct flm_cfi_function *function = &cfi->functions.at[i];
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

/* ---- Building -------------------------------------------------------------------------------- */

/* Copies the arrays into one block. */
static struct flm_unwind_table *finish(struct flm_unwind_maker *maker,
                                       const struct flm_unwind_head *head)
{
    struct flm_unwind_table *table = calloc(1, sizeof *table);
    size_t index_size = (maker->index.count + 1) * sizeof *maker->index.at;
    size_t row_size = maker->rows.count * sizeof *maker->rows.at;
    size_t rule_size = maker->rules.count * sizeof *maker->rules.at;
    char *owned = table ? malloc(index_size + row_size + rule_size) : NULL;
    if (!owned) {
        free(table);
        return NULL;
    }
    maker->index.at[maker->index.count] = (uint32_t)maker->rows.count;
    memcpy(owned, maker->index.at, index_size);
    memcpy(owned + index_size, maker->rows.at, row_size);
    memcpy(owned + index_size + row_size, maker->rules.at, rule_size);
    table->head = *head;
    table->head.base = maker->base;
    table->head.page_count = (uint32_t)maker->index.count;
    table->head.row_count = (uint32_t)maker->rows.count;
    table->head.rule_count = (uint32_t)maker->rules.count;
    table->abi = flm_machine_abi((enum flm_machine)head->machine);
    table->index = (const uint32_t *)(const void *)owned;
    table->rows = table->index + maker->index.count + 1;
    table->rules = (const struct flm_rule *)(const void *)(table->rows + maker->rows.count);
    table->owned = owned;
    return table;
}

static bool add_functions(struct flm_unwind_maker *maker, const struct flm_cfi *cfi,
                          const struct flm_unwind_sections *sections, struct range range,
                          struct flm_unwind_head *head)
{
    uint64_t end = range.start; /* of the addresses that have rows */
    size_t unsupported = cfi->unreadable, used = 0;
    for (size_t i = 0; i < cfi->functions.count; i++) {
        const struct flm_cfi_function *function = &cfi->functions.at[i];
        if (function->from < range.start || function->end > range.end) {
            unsupported++;
            continue;
        }
        if (function->from > end && !flm_unwind_add_gap(maker, sections, end, function->from))
            return false;
        bool has_unsupported = false;
        if (!flm_cfi_run(cfi, function, flm_unwind_maker_add, maker, &has_unsupported))
            return false;
        unsupported += has_unsupported;
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
    assert(sections);
    struct flm_cfi cfi = {0};
    if (!flm_cfi_read(&cfi, sections, why))
        return NULL;
    struct flm_unwind_head head = {.order = ORDER, .machine = (uint32_t)sections->machine};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    struct range range = choose_range(&cfi, sections);
    struct flm_unwind_maker maker = {.base = range.start};
    struct flm_unwind_table *table = NULL;

    /* The first two rules have fixed numbers. */
    static const struct flm_rule none = {.kind = FLM_RULE_NONE};
    static const struct flm_rule unsupported = {.kind = FLM_RULE_UNSUPPORTED};
    uint32_t number;
    bool have = number_of(&maker, &none, &number) && number_of(&maker, &unsupported, &number) &&
                add_functions(&maker, &cfi, sections, range, &head);
    if (have && maker.rules.count == 2 && head.functions == 0) {
        flm_error_set(why, FLM_ERROR_FORMAT, "no call frame information");
    } else {
        table = have ? finish(&maker, &head) : NULL;
        if (!table)
            flm_error_memory(why);
    }
    FLM_ARRAY_CLEAR(&maker.index);
    FLM_ARRAY_CLEAR(&maker.rows);
    FLM_ARRAY_CLEAR(&maker.rules);
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
    unsigned registers = table->abi->register_count;
    for (uint32_t i = 0; i < table->head.rule_count; i++) {
        const struct flm_rule *rule = &table->rules[i];
        if (rule->kind >= FLM_RULE_KINDS || rule->cfa_register >= registers ||
            rule->base_register >= registers || rule->how >> (2 * FLM_SLOT_COUNT))
            return false;
        for (int slot = 0; slot < FLM_SLOT_COUNT; slot++) {
            if (flm_rule_how(rule, slot) != FLM_SAME &&
                table->abi->slot_register[slot] >= FLM_REGISTER_COUNT)
                return false;
            if (flm_rule_how(rule, slot) == FLM_ELSEWHERE && rule->slot[slot] >= (int)registers)
                return false;
        }
    }
    return table->rules[0].kind == FLM_RULE_NONE;
}

/* A loop of its own without an early exit, which the compiler can vectorize: 1 ms for 10 MB. */
static bool rows_are_good(const struct flm_unwind_table *table)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < table->head.row_count; i++) {
        uint32_t rule = table->rows[i] & (FLM_UNWIND_RULES_MOST - 1);
        highest = rule > highest ? rule : highest;
    }
    return highest < table->head.rule_count;
}

/* The first row is at the base, and the index ascends. */
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
        shape.abi = flm_machine_abi((enum flm_machine)head->machine);
        uint64_t size = sizeof *head + ((uint64_t)head->page_count + 1) * sizeof *shape.index +
                        (uint64_t)head->row_count * sizeof *shape.rows +
                        (uint64_t)head->rule_count * sizeof *shape.rules;
        is_good = memcmp(head->magic, MAGIC, sizeof head->magic) == 0 && head->order == ORDER &&
                  shape.abi && size == bytes.size && head->page_count > 0 && head->row_count > 0 &&
                  head->rule_count > 0;
    }
    if (is_good) {
        shape.index = (const uint32_t *)(const void *)(bytes.at + sizeof *head);
        shape.rows = shape.index + head->page_count + 1;
        shape.rules = (const struct flm_rule *)(const void *)(shape.rows + head->row_count);
        is_good = index_is_good(&shape) && rows_are_good(&shape) && rules_are_good(&shape);
    }
    if (!is_good) {
        flm_error_set(why, FLM_ERROR_FORMAT, "not an unwind table");
        return NULL;
    }
    struct flm_unwind_table *table = malloc(sizeof *table);
    if (table)
        *table = shape;
    else
        flm_error_memory(why);
    return table;
}
