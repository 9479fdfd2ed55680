/* code_table.h - addresses of a module to functions, lines and inlined functions: sorted segments.
 *
 * DWARF is a tree: a function contains inlined copies, and those contain others. A lookup in DWARF
 * itself walks that tree for each address (4.9 ms with libdw). We walk it once (dwarf/walk.c) and
 * flatten it: the address space becomes segments that do not overlap, each with its innermost
 * function; a function knows the one that it was inlined into, and at which line. A lookup is two
 * binary searches, one for the function and one for the line.
 *
 *     segment  0x1000    0x1010      0x1018    0x1040      scope 0: main
 *     scope    0         1           2         0           scope 1: read, inlined in 0 at main.c:7
 *                                                          scope 2: copy, inlined in 1 at read.c:3
 *
 * Where DWARF has no function, symbols do: each is as long as its size says, or ends at the next.
 *
 * An address may have several symbols: `malloc`, `__libc_malloc` and `__GI___libc_malloc` are one
 * function. It has the name that people write, which is the one that comes first in this order:
 *
 *     a type           a function comes before a label of assembly
 *     a size           that is known
 *     visible          other files see it (global and weak symbols): a local one is the name that
 *                      the file calls it by
 *     underscores      the fewest in front: C keeps such names for the C library. The _Z and _R of
 *                      mangled names do not count; __GI_ of glibc counts most
 *     current          not kept only for programs that were linked long ago (memcpy@GLIBC_2.2.5)
 *     strong           a weak one is another name for it: strchr before index
 *     length           the shortest: strtol before strtoll
 *     bytes            so that there is always an answer, and always the same
 *
 * perf (6.1) prefers strong ones to visible ones, and the longest at the end: for it,
 * write() of a glibc with symbols is __GI___libc_write, and mmap() is mmap64.
 *
 * DWARF names functions too. Where its name is one of the symbols at the function's start, the
 * order above decides again, except for length and bytes: a linker may give two functions with
 * equal code one address, and DWARF says which of them it is. Inlined calls of a function have the
 * name that the function has elsewhere in the file.
 *
 * A table is one block of bytes without pointers, which the cache stores and maps: 8 bytes a
 * segment, 20 a scope, 12 a line, and each name once. Addresses are 32 bits relative to the lowest
 * one: of a file whose code spans more than 4 GiB, the 4 GiB around its median address are kept. */
#ifndef FLAMEL_SYMBOL_CODE_CODE_TABLE_H
#define FLAMEL_SYMBOL_CODE_CODE_TABLE_H

#include "base/core/bytes.h"
#include "base/text/text.h"

struct flm_code_table;
struct flm_code_maker;

/* ---- Building -------------------------------------------------------------------------------- */

struct flm_code_maker *flm_code_maker_new(struct flm_error *why);
void flm_code_maker_free(struct flm_code_maker *maker);

/* A maker that has run out of memory ignores further calls, and flm_code_maker_finish reports it. A
 * reader that fails to allocate memory of its own reports it with this function. */
void flm_code_maker_out_of_memory(struct flm_code_maker *maker);

/* The file has code here (an executable section). If there is any such section, ranges and lines
 * that start outside of all of them belong to functions that the linker dropped (it leaves them at
 * 0 or -1), and a symbol without a size ends with its section. */
void flm_code_maker_section(struct flm_code_maker *maker, uint64_t start, uint64_t end);

/* Interns a function name, still mangled, or a file name: equal texts have equal numbers, and the
 * empty text is 0. */
uint32_t flm_code_maker_text(struct flm_code_maker *maker, struct flm_bytes text);

#define FLM_NO_SCOPE UINT32_MAX

/* A function (`inside` is FLM_NO_SCOPE), or a copy that was inlined into the scope `inside` at that
 * call. Returns its number. A function takes the name of the symbol at its start if it has no name
 * (0), one that is not mangled where the symbol's is, or another name of that symbol. */
uint32_t flm_code_maker_scope(struct flm_code_maker *maker, uint32_t name, uint32_t inside,
                              uint32_t call_file, uint32_t call_line);

/* [start, end) belongs to the scope; its first range has its entry point. The ranges of a scope are
 * added after those of the scope it is inside, and lie within them. A range, or the part of one,
 * that lies outside, overlaps an earlier one or ends before it starts is cut, and counted. */
void flm_code_maker_range(struct flm_code_maker *maker, uint32_t scope, uint64_t start,
                          uint64_t end);

/* The line of the code from this address up to the next line's; 0 for code that the compiler
 * attributes to no line. The addresses of a sequence ascend; flm_code_maker_lines_end ends it. */
void flm_code_maker_line(struct flm_code_maker *maker, uint64_t address, uint32_t file,
                         uint32_t line);
void flm_code_maker_lines_end(struct flm_code_maker *maker, uint64_t address);

/* What a table says of a symbol, for the choice among several at one address. */
enum {
    FLM_SYMBOL_TYPED = 1,   /* it is said to be a function */
    FLM_SYMBOL_VISIBLE = 2, /* in other files: global or weak */
    FLM_SYMBOL_STRONG = 4,  /* not weak */
    FLM_SYMBOL_OLD = 8      /* only for programs that were linked with an older version */
};

/* A symbol of the file's tables; with size 0 it ends at the next one. `traits` are FLM_SYMBOL_...
 * together. */
void flm_code_maker_symbol(struct flm_code_maker *maker, uint64_t address, uint64_t size,
                           uint32_t name, unsigned traits);

/* Appends the contents of `part` and frees it: several threads walk the units of a file, each chunk
 * into a maker of its own. */
void flm_code_maker_join(struct flm_code_maker *maker, struct flm_code_maker *part);

/* The table; frees the maker in any case. NULL, and `why`, when memory ran out, or there are more
 * names than 32 bits count. */
struct flm_code_table *flm_code_maker_finish(struct flm_code_maker *maker, struct flm_error *why);

/* ---- Looking up ------------------------------------------------------------------------------ */

void flm_code_table_free(struct flm_code_table *table);

/* One of the functions at an address. */
struct flm_code {
    struct flm_bytes function; /* as the symbol is; flm_module_lookup demangles it */
    struct flm_bytes clone;    /* ".constprop.0": what flm_module_lookup takes off its end */
    struct flm_bytes file;     /* "": unknown */
    uint32_t line;             /* of the instruction, or of the inlined call; 0: unknown */
    uint64_t start;            /* of the function, or of this inlined copy of it */
    bool inlined;              /* into the next one */
};

/* The functions at an address, the innermost first, up to `capacity` of them into `code`. Returns
 * how many there are, which is FLM_CODE_MOST at most. */
enum { FLM_CODE_MOST = 251 };
size_t flm_code_table_lookup(const struct flm_code_table *table, uint64_t address,
                             struct flm_code *code, size_t capacity);

/* The code around an address that belongs to one function, with what is inlined into it: all of the
 * function, or the part that a compiler put elsewhere (main.cold). False: no function is known. */
bool flm_code_table_range(const struct flm_code_table *table, uint64_t address, uint64_t *start,
                          uint64_t *end);

/* The contents, and what was dropped: ranges and lines that overlap others or end before they start
 * (`cut`), and those of functions that the linker dropped (`dead`). */
struct flm_code_counts {
    size_t functions, inlined, symbols, segments, lines;
    size_t cut_ranges, cut_lines, dead_ranges, dead_lines;
};
struct flm_code_counts flm_code_table_counts(const struct flm_code_table *table);

/* The bytes for the cache. Opening uses them where they are and checks every index in them, not
 * whether the contents are true. `bytes` start at a multiple of 4 and outlive the table. */
void flm_code_table_write(const struct flm_code_table *table, struct flm_text *out);
struct flm_code_table *flm_code_table_open(struct flm_bytes bytes, struct flm_error *why);

#endif
