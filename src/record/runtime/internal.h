/* internal.h - regions of generated code, for the readers of perf maps and jitdumps; and the
 * functions in their names.
 *
 * Regions are sorted by start address, as a tree in which each region has the end of the furthest
 * one below it. So all regions with an address are found without visiting the others:
 *
 *     sorted    0  1  2  3  4  5  6        the middle is the root: 3, then 1 and 5, ...
 *     reach     the highest last byte in its half
 *
 * An address may be reused without limit: of more than MOST_VERSIONS regions the first ones found
 * decide, so that a crafted file does not make lookups slow. */
#ifndef FLAMEL_RECORD_RUNTIME_INTERNAL_H
#define FLAMEL_RECORD_RUNTIME_INTERNAL_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "record/runtime/jit_code.h"

/* A text in `text` of the code. */
struct flm_jit_text {
    uint32_t at, size;
};

struct flm_jit_region {
    uint64_t start, last; /* the last byte of it */
    uint64_t reach;
    int64_t time_ns;
    uint32_t order; /* among regions of the same time */
    struct flm_jit_text name;
    uint32_t line_start, line_count; /* its lines, by their offsets */
    uint64_t code_offset;            /* of its bytes in the file; 0: they are not there */
    bool has_twin;                   /* jit_twins.c */
};

struct flm_jit_line {
    uint64_t offset; /* from the start of its region */
    struct flm_jit_text file;
    uint32_t line;
    uint32_t order;
};

struct flm_jit_code {
    enum flm_machine machine;
    struct FLM_ARRAY(struct flm_jit_region) regions;
    struct FLM_ARRAY(struct flm_jit_line) lines;
    size_t lines_taken; /* of regions that were added */
    struct flm_text text;
    bool failed; /* memory ran out, or texts exceed 4 GiB */
};

struct flm_jit_code *flm_jit_code_new(void);

/* Copies a text; equal texts are not shared. */
struct flm_jit_text flm_jit_code_text(struct flm_jit_code *code, struct flm_bytes text);

/* A line, at an offset from the start of the region that is added next. */
void flm_jit_code_line(struct flm_jit_code *code, uint64_t offset, struct flm_jit_text file,
                       uint32_t line);

/* A region of at least one byte. A region beyond the end of the address space is cut. */
void flm_jit_code_add(struct flm_jit_code *code, uint64_t start, uint64_t size, int64_t time_ns,
                      struct flm_jit_text name);

/* The bytes of the region that was added last are at that offset of the file. */
void flm_jit_code_bytes(struct flm_jit_code *code, uint64_t offset);

/* From now on the `index`th region is at another address, with its lines. */
void flm_jit_code_move(struct flm_jit_code *code, size_t index, uint64_t start, uint64_t size,
                       int64_t time_ns);

/* Sorts for lookups. Frees the code, and returns NULL, when memory ran out. */
struct flm_jit_code *flm_jit_code_finish(struct flm_jit_code *code);

/* ---- jit_name.c ------------------------------------------------------------------------------ */

/* Names of regions have more than the function:
 *
 *     JS:*fib /app/fib.js:3:13       V8: optimized; ^ and + barely, ~ interpreted. File and line
 *     Builtin:ArrayMap               V8's built-in functions
 *     py::parse:/app/parse.py        CPython -X perf: function, file
 *     Lcom/foo/Bar;::baz             the JVM, by perf-map-agent; a->b is b inlined into a
 *     Lcom/foo/Bar;baz(I)V           the JVM, by perf's agent
 *     void com.foo.Bar.baz(int)      the JVM itself
 *
 * Any other name is that of a function.
 *
 * The functions in a name, innermost first; only Java has several. Those of V8 have a place. With
 * more than `capacity`, the innermost ones. */
size_t flm_jit_name_parse(struct flm_bytes name, struct flm_jit_frame *frames, size_t capacity);

/* ---- jit_twins.c ----------------------------------------------------------------------------- */

/* Finds the functions of V8 that have their name, file and line in common with another one, and
 * differ in the column: `const a = () => ..., o = {a: () => ...};`, or all of a minified program,
 * which is one line. Their frames have a place. Sets `failed` when memory ran out. */
void flm_jit_code_find_twins(struct flm_jit_code *code);

#endif
