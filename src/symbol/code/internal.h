/* internal.h - what code tables are made of. Private to maker.c, which collects,
 * flatten.c and symbols.c, which make segments of scopes and symbols, and code_table.c,
 * which packs and looks up.
 *
 * The bytes of a table, all numbers of 32 bits in the machine's own order:
 *
 *     head              struct flm_code_head
 *     segment_address   ascending, from the base; each up to the next one's
 *     segment_scope     FLM_NO_SCOPE: nothing is known here
 *     scopes            struct flm_code_scope; `inside` is a lower number
 *     line_address      ascending
 *     line_location        struct flm_code_location; {0, 0}: no line is known here
 *     text_start        and one more: a text ends where the next one starts
 *     texts             text 0 is the empty one */
#ifndef FLAMEL_SYMBOL_CODE_INTERNAL_H
#define FLAMEL_SYMBOL_CODE_INTERNAL_H

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
    void *owned; /* the bytes, when they are the table's own */
};

/* Deeper than this no copy is kept: its code belongs to the one around it. */
enum { FLM_CODE_DEPTH = 250 };

/* ---- While it is made ------------------------------------------------------------------------ */

struct flm_code_range {
    uint64_t start, end;
    uint32_t scope;
    uint32_t cut_count; /* how often its start was moved */
};

struct flm_code_line {
    uint64_t address;
    struct flm_code_location location;
};

/* Lines whose addresses ascend, [first, last), and where the last one ends. */
struct flm_code_sequence {
    size_t first, last;
    uint64_t end;
};

struct flm_code_symbol {
    uint64_t address, size;
    uint32_t name;
    int32_t rank;
};

struct flm_code_extent {
    uint64_t start, end;
};

struct flm_code_maker {
    char *texts;
    size_t texts_size, texts_capacity;
    uint32_t *text_start; /* and where the last one ends */
    size_t text_count, text_capacity;
    struct flm_index text_index;

    struct flm_code_scope *scopes; /* `start` is not known yet */
    uint8_t *scope_depth;
    size_t scope_count, scope_capacity, depth_capacity;
    struct flm_code_range *ranges;
    size_t range_count, range_capacity;
    struct flm_code_line *lines;
    size_t line_count, line_capacity;
    size_t line_first; /* of the sequence that is open */
    struct flm_code_sequence *sequences;
    size_t sequence_count, sequence_capacity;
    struct flm_code_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    struct flm_code_extent *sections;
    size_t section_count, section_capacity;

    size_t cut_ranges, cut_lines, dead_ranges, dead_lines;
    bool failed;   /* memory ran out */
    bool too_many; /* names, scopes: more than 32 bits count */
};

/* Places in the code, ascending, and the scope from there on. */
struct flm_code_segment {
    uint32_t address, scope;
};

struct flm_code_segments {
    struct flm_code_segment *items;
    size_t count, capacity;
};

/* What all steps of finishing share. Addresses below are offsets from `base`. */
struct flm_code_finish {
    struct flm_code_maker *maker;
    uint64_t base;
    struct flm_code_segments segments;
    struct flm_code_line *lines; /* flattened: by `address`, which is an offset */
    size_t line_count, line_capacity;
    uint32_t first_symbol; /* scopes from here on are symbols */
};

/* Whether a function may begin at `address`: if not, `*end` is as it was; else it is cut to the end
 * of what can be kept. */
bool flm_code_keeps(const struct flm_code_finish *finish, uint64_t address, uint64_t *end);

/* Each is false when memory ran out. In this order: */
bool flm_code_find_base(struct flm_code_finish *finish);
bool flm_code_flatten_scopes(struct flm_code_finish *finish);
bool flm_code_fill_symbols(struct flm_code_finish *finish);
bool flm_code_flatten_lines(struct flm_code_finish *finish);

/* Sorts by the upper 32 bits, what is equal there stays in its order. `scratch` has as much room.
 */
void flm_code_sort(uint64_t *items, size_t count, uint64_t *scratch);

/* One more segment; one that changes nothing is left out, one at the same address replaced. */
bool flm_code_segment_add(struct flm_code_segments *segments, uint32_t address, uint32_t scope);

/* The bytes of the table, with what is used by nothing left out. */
struct flm_code_table *flm_code_pack(struct flm_code_finish *finish, struct flm_error *why);

#endif
