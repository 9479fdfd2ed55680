/* internal.h - the layout of a code table, and of the tables it is built from.
 *
 * maker.c collects, flatten.c and symbols.c turn scopes and symbols into segments, code_table.c
 * packs the segments and looks addresses up.
 *
 * The bytes of a table; every number has 32 bits, in the machine's byte order:
 *
 *     head              struct flm_code_head
 *     segment_address   ascending, relative to the base; a segment ends where the next one starts
 *     segment_scope     FLM_NO_SCOPE: no function is known here
 *     scopes            struct flm_code_scope; `inside` is a lower number
 *     line_address      ascending
 *     line_location     struct flm_code_location; {0, 0}: no line is known here
 *     text_start        one more than there are texts: a text ends where the next one starts
 *     texts             text 0 is the empty one */
#ifndef FLAMEL_SYMBOL_CODE_INTERNAL_H
#define FLAMEL_SYMBOL_CODE_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "symbol/code/code_table.h"

struct flm_code_head {
    char magic[4];
    uint32_t version;
    uint32_t base[2]; /* low, high */
    uint32_t segment_count, scope_count, line_count, text_count, text_size;
    uint32_t symbol_count, inlined_count;
    uint32_t cut_ranges, cut_lines, dead_ranges, dead_lines;
};

struct flm_code_scope {
    uint32_t name;
    uint32_t inside;
    uint32_t call_file, call_line;
    uint32_t start; /* from the base */
};

struct flm_code_location {
    uint32_t file, line;
};

struct flm_code_table {
    struct flm_code_head head;
    uint64_t base;
    const uint32_t *segment_address, *segment_scope;
    const struct flm_code_scope *scopes;
    const uint32_t *line_address;
    const struct flm_code_location *line_location;
    const uint32_t *text_start;
    const char *texts;
    struct flm_bytes bytes;
    void *owned; /* the bytes; NULL: they belong to the caller */
};

/* Inlined copies that are nested deeper are dropped: their code belongs to the enclosing one. */
enum { FLM_CODE_DEPTH = FLM_CODE_MOST - 1 };

/* ---- Building -------------------------------------------------------------------------------- */

struct flm_code_range {
    uint64_t start, end;
    uint32_t scope;
    uint32_t cut_count; /* times that its start was moved */
};

struct flm_code_line {
    uint64_t address;
    struct flm_code_location location;
};

/* The lines [first, last), whose addresses ascend; the last one ends at `end`. */
struct flm_code_sequence {
    size_t first, last;
    uint64_t end;
};

struct flm_code_symbol {
    uint64_t address, size;
    uint32_t name;
    uint32_t traits;
};

struct flm_code_extent {
    uint64_t start, end;
};

struct flm_code_maker {
    struct FLM_ARRAY(char) texts;
    struct FLM_ARRAY(uint32_t) text_starts; /* at[count] is where the last text ends */
    struct flm_index text_index;

    struct FLM_ARRAY(struct flm_code_scope) scopes; /* `start` is set by flm_code_flatten_scopes */
    struct FLM_ARRAY(uint8_t) scope_depths;
    struct FLM_ARRAY(struct flm_code_range) ranges;
    struct FLM_ARRAY(struct flm_code_line) lines;
    size_t line_first; /* of the open sequence */
    struct FLM_ARRAY(struct flm_code_sequence) sequences;
    struct FLM_ARRAY(struct flm_code_symbol) symbols;
    struct FLM_ARRAY(struct flm_code_extent) sections;

    size_t cut_ranges, cut_lines, dead_ranges, dead_lines;
    bool failed;   /* memory ran out */
    bool too_many; /* more names or scopes than 32 bits count */
};

/* The scope from `address` to the next segment's address. */
struct flm_code_segment {
    uint32_t address, scope;
};

struct flm_code_segments FLM_ARRAY(struct flm_code_segment);

/* Shared by all steps of finishing. Addresses are offsets from `base`. */
struct flm_code_finish {
    struct flm_code_maker *maker;
    uint64_t base;
    struct flm_code_segments segments;
    struct FLM_ARRAY(struct flm_code_line) lines; /* flattened, by address */
    uint32_t first_symbol;                        /* scopes from here on are symbols */
};

/* Whether a function may begin at `address`. If so, `*end` is cut to the end of its section, or of
 * the 4 GiB that a table holds. */
bool flm_code_keeps(const struct flm_code_finish *finish, uint64_t address, uint64_t *end);

/* The steps, in this order. False when memory ran out. */
bool flm_code_find_base(struct flm_code_finish *finish);
bool flm_code_flatten_scopes(struct flm_code_finish *finish);
bool flm_code_fill_symbols(struct flm_code_finish *finish);
bool flm_code_flatten_lines(struct flm_code_finish *finish);

/* Sorts by the upper 32 bits, stable. `scratch` has room for `count` items too. */
void flm_code_sort(uint64_t *items, size_t count, uint64_t *scratch);

/* Adds a segment, unless it has the scope of the one before; replaces one at the same address. */
bool flm_code_segment_add(struct flm_code_segments *segments, uint32_t address, uint32_t scope);

/* The table, without the scopes and texts that nothing refers to. */
struct flm_code_table *flm_code_pack(struct flm_code_finish *finish, struct flm_error *why);

#endif
