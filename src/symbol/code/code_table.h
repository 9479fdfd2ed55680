/* code_table.h - addresses of a module to functions, lines and inlined functions: sorted segments.
 *
 * DWARF nests: a function, in it a copy of an inlined one, in that another. Asking DWARF itself
 * walks that tree for each address (4.9 ms with libdw). We walk it once (dwarf_walk.c) and flatten
 * it: the address space becomes segments that do not overlap, each with the innermost function that
 * it belongs to; functions know who they were inlined into, and at which line. A lookup is two
 * binary searches, one for the function and one for the line.
 *
 *     segment  0x1000    0x1010      0x1018    0x1040      scope 0: main
 *     scope    0         1           2         0           scope 1: read, inlined in 0 at main.c:7
 *                                                          scope 2: copy, inlined in 1 at read.c:3
 *
 * Where DWARF has nothing, symbols fill in: each up to its size, or the next one.
 *
 * A table is one run of bytes without pointers, which the cache keeps and maps: 8 bytes a segment,
 * 20 a scope, 12 a line, and each name once. Addresses are 32 bits from the lowest one: of a file
 * whose code is spread over more than 4 GiB, the 4 GiB around its middle are kept. */
#ifndef FLAMEL_SYMBOL_CODE_CODE_TABLE_H
#define FLAMEL_SYMBOL_CODE_CODE_TABLE_H

#include "base/core/bytes.h"
#include "base/text/text.h"

struct flm_code_table;
struct flm_code_maker;

/* ---- Making one ------------------------------------------------------------------------------ */

struct flm_code_maker *flm_code_maker_new(struct flm_error *why);
void flm_code_maker_free(struct flm_code_maker *maker);

/* When memory runs out, a maker remembers it and ignores what follows: flm_code_maker_finish says
 * so. Who reads for it says it of its own memory. */
void flm_code_maker_out_of_memory(struct flm_code_maker *maker);

/* The file has code here (an executable section). When this was said of any location, then what does
 * not begin in one of them belongs to functions that the linker dropped - it leaves their ranges at
 * 0 or -1 - and a symbol without a size ends where its section does. */
void flm_code_maker_section(struct flm_code_maker *maker, uint64_t start, uint64_t end);

/* Texts and file names, interned: the same text gives the same number, and the empty one 0. Names
 * are as the file has them, mangled. */
uint32_t flm_code_maker_text(struct flm_code_maker *maker, struct flm_bytes text);

#define FLM_NO_SCOPE UINT32_MAX

/* A function (`inside` FLM_NO_SCOPE), or a copy of one inlined into the scope `inside`, called at
 * that location; its number. A function without a name (0), or with one that is not mangled where
 * there is a mangled symbol, gets that of the symbol at its start. */
uint32_t flm_code_maker_scope(struct flm_code_maker *maker, uint32_t name, uint32_t inside,
                              uint32_t call_file, uint32_t call_line);

/* [start, end) belongs to the scope; the first one has its entry. The ranges of a scope come after
 * those of the one it is inside, and lie in them: what lies outside, overlaps one that came before
 * or ends before it starts is cut, and counted. */
void flm_code_maker_range(struct flm_code_maker *maker, uint32_t scope, uint64_t start,
                          uint64_t end);

/* From the address on, up to the next line's; line 0 where the compiler made code that is of no
 * line. Addresses of a sequence ascend, and flm_code_maker_lines_end is the address behind it. */
void flm_code_maker_line(struct flm_code_maker *maker, uint64_t address, uint32_t file,
                         uint32_t line);
void flm_code_maker_lines_end(struct flm_code_maker *maker, uint64_t address);

/* A symbol of the file's tables; size 0: up to the next one. `rank`: of several at one address the
 * higher one is taken (global over local, function over nothing). */
void flm_code_maker_symbol(struct flm_code_maker *maker, uint64_t address, uint64_t size,
                           uint32_t name, int rank);

/* All that `part` has, behind what `maker` has: units of a file are walked by several threads, each
 * into a maker of its own. `part` is freed. */
void flm_code_maker_join(struct flm_code_maker *maker, struct flm_code_maker *part);

/* The table; the maker is freed in any case. NULL, and `why`, if memory ran out, or the file has
 * more names than 32 bits count. */
struct flm_code_table *flm_code_maker_finish(struct flm_code_maker *maker, struct flm_error *why);

/* ---- Using it -------------------------------------------------------------------------------- */

void flm_code_table_free(struct flm_code_table *table);

/* What an address stands for, the innermost function first. */
struct flm_code {
    struct flm_bytes function; /* as the file has it; flm_module_lookup demangles it */
    struct flm_bytes file;     /* "" where it is not known */
    uint32_t line;  /* of the instruction, or of the call that was inlined; 0: not known */
    uint64_t start; /* where the function begins; of an inlined one, of that copy */
    bool inlined;   /* into the next one */
};

/* As flm_module_lookup, with names as they are in the file. */
size_t flm_code_table_lookup(const struct flm_code_table *table, uint64_t address,
                             struct flm_code *code, size_t capacity);

/* What is in it, and what was not taken: ranges and lines that overlap others or end before they
 * start (`cut`), and those of functions that are not in the file (`dead`). */
struct flm_code_counts {
    size_t functions, inlined, symbols, segments, lines;
    size_t cut_ranges, cut_lines, dead_ranges, dead_lines;
};
struct flm_code_counts flm_code_table_counts(const struct flm_code_table *table);

/* What the cache keeps: used in location, checked when it is opened - every index of it, but not
 * that it is true. `bytes` begin at a multiple of 4 and outlive the table. */
void flm_code_table_write(const struct flm_code_table *table, struct flm_text *out);
struct flm_code_table *flm_code_table_open(struct flm_bytes bytes, struct flm_error *why);

#endif
