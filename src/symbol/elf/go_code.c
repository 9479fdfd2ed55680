/* go_code.c - the lines of Go functions, and what is inlined into them.
 *
 * Three tables of a function give, by address, the file, the line, and the innermost inlined call.
 * Together they are rows: from an address on, a line of a call. Files and lines go to the maker as
 * they are; calls become scopes, the outer ones first, with the rows that they have. */
#include "base/core/array.h"
#include "symbol/code/code_table.h"
#include "symbol/elf/go_table.h"

enum { MOST_DEPTH = 64, NO_CALL = -1 };

/* The code from `start` up to the next row's. */
struct row {
    uint64_t start;
    uint32_t file, line; /* 0: not known */
    int32_t index;       /* of the call in the tree; negative: the function itself */
    int32_t call;        /* in `calls` */
};

/* A call of the tree that has code. */
struct call {
    uint32_t index, scope;
    int32_t parent; /* in `calls`; NO_CALL: the function */
    unsigned depth; /* 1: inlined into the function itself */
};

/* Arrays are those of one function, and used again for the next. */
struct coder {
    const struct flm_go_table *table;
    struct flm_code_maker *maker;
    struct flm_go_function function;
    struct flm_go_inlined inlined;
    uint32_t scope; /* of the function */
    unsigned deepest;
    struct FLM_ARRAY(struct row) rows;
    struct FLM_ARRAY(struct call) calls;
    struct FLM_ARRAY(int32_t) call_of; /* by index in the tree */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint32_t file_of(const struct coder *coder, int32_t number)
{
    const struct flm_go_table *t = coder->table;
    if (number < 0)
        return 0;
    uint64_t unit = flm_go_field(t, &coder->function, FLM_GO_UNIT);
    uint64_t name = flm_go_number(t, t->units + 4 * (unit + (uint32_t)number), 4);
    return name == UINT32_MAX ? 0
                              : flm_code_maker_text(coder->maker, flm_go_text(t, t->files + name));
}

static bool make_rows(struct coder *coder)
{
    const struct flm_go_table *t = coder->table;
    const struct flm_go_function *function = &coder->function;
    struct flm_go_values table[3] = {
        flm_go_values(t, function, flm_go_field(t, function, FLM_GO_FILES)),
        flm_go_values(t, function, flm_go_field(t, function, FLM_GO_LINES)),
        flm_go_values(t, function, coder->inlined.index)};
    uint32_t file = file_of(coder, table[0].value);
    for (uint64_t at = function->start; at < function->end;) {
        int32_t line = table[1].value;
        struct row row = {at, file, file && line > 0 ? (uint32_t)line : 0, table[2].value, NO_CALL};
        if (!FLM_ARRAY_ADD(&coder->rows, row))
            return false;
        at = function->end;
        for (int i = 0; i < 3; i++)
            at = table[i].end < at ? table[i].end : at;
        bool is_new_file = table[0].end <= at;
        for (int i = 0; i < 3; i++)
            if (table[i].end <= at)
                flm_go_values_next(&table[i]);
        if (is_new_file)
            file = file_of(coder, table[0].value);
    }
    return true;
}

static const struct row *row_at(const struct coder *coder, uint64_t address)
{
    size_t low = 0, high = coder->rows.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(coder->rows.at[middle].start <= address ? &low : &high) = middle;
    }
    return &coder->rows.at[low];
}

static void add_lines(const struct coder *coder)
{
    const struct row *last = NULL;
    for (size_t i = 0; i < coder->rows.count; i++) {
        const struct row *row = &coder->rows.at[i];
        if (!last || row->file != last->file || row->line != last->line)
            flm_code_maker_line(coder->maker, row->start, row->file, row->line);
        last = row;
    }
    flm_code_maker_lines_end(coder->maker, coder->function.end);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* The entry of an index in `call_of`; NULL when memory ran out. */
static int32_t *entry_of(struct coder *coder, uint32_t index)
{
    while (coder->call_of.count <= index)
        if (!FLM_ARRAY_ADD(&coder->call_of, NO_CALL))
            return NULL;
    return &coder->call_of.at[index];
}

/* The call of an index, made with those around it; NO_CALL when the tree cannot be one, or memory
 * ran out (`failed`). */
static int32_t find_call(struct coder *coder, int32_t index, unsigned depth, bool *failed)
{
    struct flm_go_call call;
    if (index < 0 || depth > MOST_DEPTH ||
        !flm_go_inlined_call(coder->table, &coder->function, &coder->inlined, (uint32_t)index,
                             &call))
        return NO_CALL;
    int32_t *entry = entry_of(coder, (uint32_t)index);
    if (!entry || *entry != NO_CALL) {
        *failed |= !entry;
        return entry ? *entry : NO_CALL;
    }
    const struct row *site = row_at(coder, call.site);
    int32_t parent = find_call(coder, site->index, depth + 1, failed);
    if (*failed || (site->index >= 0 && parent == NO_CALL))
        return NO_CALL;
    const struct call *around = parent == NO_CALL ? NULL : &coder->calls.at[parent];
    if (around && around->depth >= MOST_DEPTH)
        return NO_CALL;
    struct call made = {
        .index = (uint32_t)index, .parent = parent, .depth = around ? around->depth + 1 : 1};
    made.scope =
        flm_code_maker_scope(coder->maker, flm_code_maker_text(coder->maker, call.name),
                             around ? around->scope : coder->scope, site->file, site->line);
    if (!FLM_ARRAY_ADD(&coder->calls, made)) {
        *failed = true;
        return NO_CALL;
    }
    if (made.depth > coder->deepest)
        coder->deepest = made.depth;
    return coder->call_of.at[index] = (int32_t)coder->calls.count - 1;
}

/* The call around, or of, a row that is inlined so deep. */
static int32_t call_at_depth(const struct coder *coder, const struct row *row, unsigned depth)
{
    int32_t call = row->call;
    while (call != NO_CALL && coder->calls.at[call].depth > depth)
        call = coder->calls.at[call].parent;
    return call != NO_CALL && coder->calls.at[call].depth == depth ? call : NO_CALL;
}

/* The ranges of one depth, which come after those of the depth before. */
static void add_ranges(const struct coder *coder, unsigned depth)
{
    int32_t last = NO_CALL;
    uint64_t start = 0;
    for (size_t i = 0; i <= coder->rows.count; i++) {
        bool is_end = i == coder->rows.count;
        const struct row *row = is_end ? NULL : &coder->rows.at[i];
        int32_t call = is_end ? NO_CALL : call_at_depth(coder, row, depth);
        uint64_t at = is_end ? coder->function.end : row->start;
        if (call == last)
            continue;
        if (last != NO_CALL)
            flm_code_maker_range(coder->maker, coder->calls.at[last].scope, start, at);
        last = call;
        start = at;
    }
}

/* ---- Functions ------------------------------------------------------------------------------- */

static bool add_function(struct coder *coder)
{
    bool failed = false;
    for (size_t i = 0; i < coder->calls.count; i++)
        coder->call_of.at[coder->calls.at[i].index] = NO_CALL;
    coder->rows.count = coder->calls.count = 0;
    coder->deepest = 0;
    coder->inlined = flm_go_inlined(coder->table, &coder->function);
    coder->scope = flm_code_maker_scope(
        coder->maker, flm_code_maker_text(coder->maker, coder->function.name), FLM_NO_SCOPE, 0, 0);
    flm_code_maker_range(coder->maker, coder->scope, coder->function.start, coder->function.end);
    if (!make_rows(coder))
        return false;
    for (size_t i = 0; i < coder->rows.count && !failed; i++)
        coder->rows.at[i].call = find_call(coder, coder->rows.at[i].index, 1, &failed);
    for (unsigned depth = 1; depth <= coder->deepest; depth++)
        add_ranges(coder, depth);
    add_lines(coder);
    return !failed;
}

size_t flm_elf_add_go_code(const struct flm_elf_file *file, struct flm_code_maker *maker)
{
    struct flm_go_table table;
    struct coder coder = {.table = &table, .maker = maker};
    size_t added = 0;
    uint64_t end = 0;
    if (!flm_go_table_open(&table, file) || table.version == FLM_GO_1_2)
        return 0;
    flm_go_find_module(&table);
    for (uint64_t i = 0; i < table.count; i++) {
        if (!flm_go_function_at(&table, i, &coder.function) || coder.function.start < end)
            continue;
        end = coder.function.end;
        if (!add_function(&coder)) {
            flm_code_maker_out_of_memory(maker);
            break;
        }
        added++;
    }
    FLM_ARRAY_CLEAR(&coder.rows);
    FLM_ARRAY_CLEAR(&coder.calls);
    FLM_ARRAY_CLEAR(&coder.call_of);
    return added;
}
