/* symbols.c - functions from the symbol table, where DWARF has none. */
#include <stdlib.h>

#include "symbol/code/internal.h"

/* Symbols in the code, sorted, one for each address, which is an offset here; a size of 0 is
 * unknown. Returns how many. */
static size_t list_symbols(struct flm_code_finish *finish, struct flm_code_symbol *list,
                           uint64_t *keys)
{
    struct flm_code_maker *maker = finish->maker;
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < maker->symbols.count; i++) {
        uint64_t end = UINT64_MAX;
        if (flm_code_keeps(finish, maker->symbols.at[i].address, &end))
            keys[kept++] = (maker->symbols.at[i].address - finish->base) << 32 | i;
    }
    flm_code_sort(keys, kept, keys + kept);
    for (size_t i = 0; i < kept; i++) {
        struct flm_code_symbol symbol = maker->symbols.at[(uint32_t)keys[i]];
        symbol.address -= finish->base;
        struct flm_code_symbol *before = count > 0 ? &list[count - 1] : NULL;
        if (!before || before->address != symbol.address)
            list[count++] = symbol;
        else if (symbol.rank > before->rank ||
                 (symbol.rank == before->rank && before->size == 0 && symbol.size > 0))
            *before = symbol;
    }
    return count;
}

static bool is_mangled(const struct flm_code_maker *maker, uint32_t text)
{
    const char *at = maker->texts.at + maker->text_starts.at[text];
    size_t size = maker->text_starts.at[text + 1] - maker->text_starts.at[text];
    return size > 2 && at[0] == '_' && (at[1] == 'Z' || at[1] == 'R');
}

/* Functions without a name in DWARF, or with a short one (`operator()` for a lambda, `run` for a
 * function in an unnamed namespace), take the name of the symbol at their start. */
static void name_scopes(struct flm_code_finish *finish, const struct flm_code_symbol *list,
                        size_t count)
{
    struct flm_code_maker *maker = finish->maker;
    for (size_t i = 0; i < maker->scopes.count; i++) {
        struct flm_code_scope *scope = &maker->scopes.at[i];
        if (scope->inside != FLM_NO_SCOPE || scope->start == UINT32_MAX ||
            (scope->name != 0 && is_mangled(maker, scope->name)))
            continue;
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (list[middle].address < scope->start)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && list[low].address == scope->start &&
            (scope->name == 0 || is_mangled(maker, list[low].name)))
            scope->name = list[low].name;
    }
}

/* A symbol that contains the address which the sweep has reached. */
struct open_symbol {
    uint32_t scope;
    uint64_t end;
};

enum { NESTING = 64 };

static bool close_symbols(struct flm_code_segments *out, struct open_symbol *open, size_t *depth,
                          uint64_t address)
{
    while (*depth > 0 && open[*depth - 1].end <= address) {
        uint64_t end = open[--*depth].end;
        if (!flm_code_segment_add(out, (uint32_t)end,
                                  *depth > 0 ? open[*depth - 1].scope : FLM_NO_SCOPE))
            return false;
    }
    return true;
}

/* The end of the symbol. Without a size it ends at the next symbol or at the next segment from
 * DWARF, whichever comes first; if it starts inside such a segment, it is that function, and empty
 * here. `*at` is a segment at or before it. */
static uint64_t symbol_end(const struct flm_code_finish *finish,
                           const struct flm_code_symbol *symbol, uint64_t next, size_t *at)
{
    uint64_t address = finish->base + symbol->address, end = address + symbol->size;
    if (symbol->size == 0 || end < address)
        end = UINT64_MAX;
    flm_code_keeps(finish, address, &end);
    end -= finish->base;
    if (symbol->size > 0)
        return end;
    if (end > next)
        end = next;
    const struct flm_code_segments *known = &finish->segments;
    while (*at < known->count && known->at[*at].address <= symbol->address)
        ++*at;
    if (*at > 0 && known->at[*at - 1].scope != FLM_NO_SCOPE)
        return symbol->address;
    if (*at < known->count && end > known->at[*at].address)
        end = known->at[*at].address;
    return end;
}

static bool flatten_symbols(struct flm_code_finish *finish, const struct flm_code_symbol *list,
                            size_t count, struct flm_code_segments *out)
{
    struct open_symbol open[NESTING];
    size_t depth = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? list[i + 1].address : UINT64_MAX;
        uint64_t end = symbol_end(finish, &list[i], next, &at);
        if (end <= list[i].address)
            continue;
        if (!close_symbols(out, open, &depth, list[i].address))
            return false;
        uint32_t scope = flm_code_maker_scope(finish->maker, list[i].name, FLM_NO_SCOPE, 0, 0);
        if (finish->maker->failed || finish->maker->too_many)
            return false;
        finish->maker->scopes.at[scope].start = (uint32_t)list[i].address;
        /* A symbol that overlaps the start of this one ends here. */
        while (depth > 0 && (open[depth - 1].end <= end || depth == NESTING))
            depth--;
        open[depth++] = (struct open_symbol){scope, end};
        if (!flm_code_segment_add(out, (uint32_t)list[i].address, scope))
            return false;
    }
    return close_symbols(out, open, &depth, UINT64_MAX);
}

/* The segments from DWARF, and symbols in the gaps between them. */
static bool merge_segments(const struct flm_code_segments *known,
                           const struct flm_code_segments *symbols, struct flm_code_segments *out)
{
    uint32_t from_known = FLM_NO_SCOPE, from_symbols = FLM_NO_SCOPE;
    for (size_t i = 0, j = 0; i < known->count || j < symbols->count;) {
        uint32_t address = UINT32_MAX;
        if (i < known->count)
            address = known->at[i].address;
        if (j < symbols->count && symbols->at[j].address < address)
            address = symbols->at[j].address;
        if (i < known->count && known->at[i].address == address)
            from_known = known->at[i++].scope;
        if (j < symbols->count && symbols->at[j].address == address)
            from_symbols = symbols->at[j++].scope;
        if (!flm_code_segment_add(out, address,
                                  from_known != FLM_NO_SCOPE ? from_known : from_symbols))
            return false;
    }
    return true;
}

bool flm_code_fill_symbols(struct flm_code_finish *finish)
{
    struct flm_code_maker *maker = finish->maker;
    if (maker->symbols.count > UINT32_MAX)
        maker->symbols.count = UINT32_MAX;
    struct flm_code_symbol *list = malloc((maker->symbols.count + 1) * sizeof *list);
    uint64_t *keys = malloc((maker->symbols.count * 2 + 1) * sizeof *keys);
    struct flm_code_segments symbols = {0}, merged = {0};
    finish->first_symbol = (uint32_t)maker->scopes.count;
    bool enough = list && keys;
    if (enough) {
        size_t count = list_symbols(finish, list, keys);
        name_scopes(finish, list, count);
        enough = flatten_symbols(finish, list, count, &symbols) &&
                 merge_segments(&finish->segments, &symbols, &merged);
    }
    if (enough) {
        struct flm_code_segments before = finish->segments;
        finish->segments = merged;
        merged = before;
    }
    free(merged.at);
    free(symbols.at);
    free(list);
    free(keys);
    return enough;
}
