/* symbols.c - functions of the symbol table: those that DWARF lacks, and which of several names a
 * function has. */
#include <stdlib.h>

#include "base/text/clone_name.h"
#include "symbol/code/internal.h"

static struct flm_bytes text_of(const struct flm_code_maker *maker, uint32_t number)
{
    uint32_t start = maker->text_starts.at[number];
    return (struct flm_bytes){maker->texts.at + start, maker->text_starts.at[number + 1] - start};
}

static bool is_mangled(struct flm_bytes name)
{
    return name.size > 2 && name.at[0] == '_' && (name.at[1] == 'Z' || name.at[1] == 'R');
}

/* ---- One of several symbols ------------------------------------------------------------------ */

/* glibc calls its functions by a second name, __GI_ and the first one. */
static int count_underscores(struct flm_bytes name)
{
    enum { MOST = 7 };
    int count = 0;
    if (flm_bytes_start_with(name, "__GI_"))
        return MOST;
    while (!is_mangled(name) && count < MOST && (size_t)count < name.size && name.at[count] == '_')
        count++;
    return count;
}

/* The order that code_table.h states, but for the length and the bytes of names: higher is
 * better. */
static int standing_of(const struct flm_code_maker *maker, const struct flm_code_symbol *symbol)
{
    int underscores = count_underscores(text_of(maker, symbol->name));
    return ((symbol->traits & FLM_SYMBOL_TYPED) != 0) << 7 | (symbol->size > 0) << 6 |
           ((symbol->traits & FLM_SYMBOL_VISIBLE) != 0) << 5 | (7 - underscores) << 2 |
           ((symbol->traits & FLM_SYMBOL_OLD) == 0) << 1 |
           ((symbol->traits & FLM_SYMBOL_STRONG) != 0);
}

static bool is_better(const struct flm_code_maker *maker, const struct flm_code_symbol *a,
                      const struct flm_code_symbol *b)
{
    int difference = standing_of(maker, a) - standing_of(maker, b);
    if (difference != 0)
        return difference > 0;
    struct flm_bytes x = text_of(maker, a->name), y = text_of(maker, b->name);
    return x.size != y.size ? x.size < y.size : flm_bytes_compare(x, y) < 0;
}

/* The symbols in the code, one for each address. */
struct listed {
    struct flm_code_symbol *symbols; /* sorted; their addresses are offsets; size 0: unknown */
    size_t count;
    size_t *groups; /* where the keys of each begin; one more than there are symbols */
    uint64_t *keys; /* of all symbols at all addresses: offset << 32 | number in the maker */
};

static bool listed_init(struct listed *list, const struct flm_code_maker *maker)
{
    size_t most = maker->symbols.count + 1;
    *list = (struct listed){.symbols = malloc(most * sizeof *list->symbols),
                            .groups = malloc(most * sizeof *list->groups),
                            .keys = malloc(most * 2 * sizeof *list->keys)};
    return list->symbols && list->groups && list->keys;
}

static void listed_clear(struct listed *list)
{
    free(list->symbols);
    free(list->groups);
    free(list->keys);
}

static void list_symbols(const struct flm_code_finish *finish, struct listed *list)
{
    const struct flm_code_maker *maker = finish->maker;
    size_t kept = 0;
    for (size_t i = 0; i < maker->symbols.count; i++) {
        uint64_t end = UINT64_MAX;
        if (flm_code_keeps(finish, maker->symbols.at[i].address, &end))
            list->keys[kept++] = (maker->symbols.at[i].address - finish->base) << 32 | i;
    }
    flm_code_sort(list->keys, kept, list->keys + kept);
    for (size_t i = 0; i < kept; i++) {
        struct flm_code_symbol symbol = maker->symbols.at[(uint32_t)list->keys[i]];
        symbol.address -= finish->base;
        struct flm_code_symbol *before = list->count > 0 ? &list->symbols[list->count - 1] : NULL;
        if (!before || before->address != symbol.address) {
            list->groups[list->count] = i;
            list->symbols[list->count++] = symbol;
        } else if (is_better(maker, &symbol, before)) {
            *before = symbol;
        }
    }
    list->groups[list->count] = kept;
}

/* ---- Names from DWARF ------------------------------------------------------------------------ */

/* The symbol of the group that has the name, or that is a copy which the compiler made of the
 * function of that name ("lex.constprop.0"). NULL: none. */
static const struct flm_code_symbol *find_named(const struct flm_code_maker *maker,
                                                const struct listed *list, size_t group,
                                                uint32_t name)
{
    struct flm_bytes text = text_of(maker, name);
    const struct flm_code_symbol *copy = NULL;
    for (size_t i = list->groups[group]; i < list->groups[group + 1]; i++) {
        const struct flm_code_symbol *symbol = &maker->symbols.at[(uint32_t)list->keys[i]];
        struct flm_bytes other = text_of(maker, symbol->name);
        if (symbol->name == name)
            return symbol;
        if (!copy && other.size > text.size && flm_clone_base(other) == text.size &&
            memcmp(other.at, text.at, text.size) == 0)
            copy = symbol;
    }
    return copy;
}

/* The name of a function that DWARF calls `name` and that begins where the group is. */
static uint32_t choose_name(const struct flm_code_maker *maker, const struct listed *list,
                            size_t group, uint32_t name)
{
    const struct flm_code_symbol *best = &list->symbols[group];
    if (name == 0)
        return best->name;
    const struct flm_code_symbol *named = find_named(maker, list, group, name);
    bool is_whole = is_mangled(text_of(maker, name)); /* as no short name is */
    if (!named)
        return !is_whole && is_mangled(text_of(maker, best->name)) ? best->name : name;
    return standing_of(maker, best) > standing_of(maker, named) ? best->name : named->name;
}

/* Functions take the name that code_table.h says: DWARF has none for some, or a short one
 * (`operator()` for a lambda, `run` for a function in an unnamed namespace), or one that the
 * library uses for itself. */
static void name_functions(struct flm_code_finish *finish, const struct listed *list)
{
    struct flm_code_maker *maker = finish->maker;
    for (size_t i = 0; i < maker->scopes.count; i++) {
        struct flm_code_scope *scope = &maker->scopes.at[i];
        if (scope->inside != FLM_NO_SCOPE || scope->start == UINT32_MAX)
            continue;
        size_t low = 0, high = list->count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (list->symbols[middle].address < scope->start)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < list->count && list->symbols[low].address == scope->start)
            scope->name = choose_name(maker, list, low, scope->name);
    }
}

/* Inlined copies take the name that the function has elsewhere in the file. Only underscores say
 * that a name is the library's own: compilers fold functions with equal code too, and a copy of one
 * is not a copy of the other. */
static bool name_copies(struct flm_code_finish *finish, const struct listed *list)
{
    struct flm_code_maker *maker = finish->maker;
    enum { SEVERAL = -1 };
    int64_t *plain = NULL; /* by text: the name with fewer underscores; 0: none */
    for (size_t group = 0; maker->scopes.count > 0 && group < list->count; group++) {
        if (list->groups[group + 1] - list->groups[group] == 1)
            continue;
        uint32_t best = list->symbols[group].name;
        int fewest = count_underscores(text_of(maker, best));
        for (size_t i = list->groups[group]; i < list->groups[group + 1]; i++) {
            uint32_t name = maker->symbols.at[(uint32_t)list->keys[i]].name;
            if (name == best || count_underscores(text_of(maker, name)) <= fewest)
                continue;
            if (!plain && !(plain = calloc(maker->text_starts.count, sizeof *plain)))
                return false;
            plain[name] = plain[name] == 0 || plain[name] == best ? (int64_t)best : SEVERAL;
        }
    }
    for (size_t i = 0; plain && i < maker->scopes.count; i++) {
        struct flm_code_scope *scope = &maker->scopes.at[i];
        if (scope->inside != FLM_NO_SCOPE && plain[scope->name] > 0)
            scope->name = (uint32_t)plain[scope->name];
    }
    free(plain);
    return true;
}

/* ---- Symbols where DWARF has nothing --------------------------------------------------------- */

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

static bool flatten_symbols(struct flm_code_finish *finish, const struct listed *listed,
                            struct flm_code_segments *out)
{
    const struct flm_code_symbol *list = listed->symbols;
    const size_t count = listed->count;
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
    struct listed list;
    struct flm_code_segments symbols = {0}, merged = {0};
    finish->first_symbol = (uint32_t)maker->scopes.count;
    bool enough = listed_init(&list, maker);
    if (enough) {
        list_symbols(finish, &list);
        name_functions(finish, &list);
        enough = name_copies(finish, &list) && flatten_symbols(finish, &list, &symbols) &&
                 merge_segments(&finish->segments, &symbols, &merged);
    }
    if (enough) {
        struct flm_code_segments before = finish->segments;
        finish->segments = merged;
        merged = before;
    }
    free(merged.at);
    free(symbols.at);
    listed_clear(&list);
    return enough;
}
