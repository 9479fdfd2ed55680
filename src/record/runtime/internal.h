/* internal.h - what readers of perf maps and jitdumps share: regions of code as they were made, one
 * after the other, and the functions in their names.
 *
 * Regions are kept sorted by their start, as a tree in which each knows how far the ones below it
 * reach; so all regions that have an address are found without looking at the others:
 *
 *     sorted    0  1  2  3  4  5  6        the middle is the root: 3, then 1 and 5, ...
 *     reach     the highest last byte in its half
 *
 * How often an address was used is not bounded: of more than MOST_VERSIONS the first ones that are
 * met decide, so that a file that was made to be slow is not. */
#ifndef FLAMEL_RECORD_RUNTIME_INTERNAL_H
#define FLAMEL_RECORD_RUNTIME_INTERNAL_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "record/runtime/jit_code.h"

/* A text of the code's. */
struct flm_jit_text {
    uint32_t at, size;
};

struct flm_jit_region {
    uint64_t start, last; /* the last byte of it */
    uint64_t reach;
    int64_t time_ns;
    uint32_t order; /* of several at one time */
    struct flm_jit_text name;
    uint32_t line_start, line_count; /* its lines, by their offsets */
};

struct flm_jit_line {
    uint64_t offset; /* from the start of its region */
    struct flm_jit_text file;
    uint32_t line;
    uint32_t order;
};

struct flm_jit_code {
    struct FLM_ARRAY(struct flm_jit_region) regions;
    struct FLM_ARRAY(struct flm_jit_line) lines;
    size_t lines_taken; /* of regions that were added */
    struct flm_text text;
    bool failed; /* memory ran out, or there are more texts than 32 bits count */
};

struct flm_jit_code *flm_jit_code_new(void);

/* Copies a text; what is equal is not looked for. */
struct flm_jit_text flm_jit_code_text(struct flm_jit_code *code, struct flm_bytes text);

/* A line, so many bytes behind the start of the region that is added next. */
void flm_jit_code_line(struct flm_jit_code *code, uint64_t offset, struct flm_jit_text file,
                       uint32_t line);

/* A region of code, at least one byte of it. What reaches beyond the address space is cut. */
void flm_jit_code_add(struct flm_jit_code *code, uint64_t start, uint64_t size, int64_t time_ns,
                      struct flm_jit_text name);

/* The region that was added as the `index`th, from now on at another location, with its lines. */
void flm_jit_code_move(struct flm_jit_code *code, size_t index, uint64_t start, uint64_t size,
                       int64_t time_ns);

/* Sorts: it can be asked then. Frees the code, and is NULL, when something failed. */
struct flm_jit_code *flm_jit_code_finish(struct flm_jit_code *code);

/* ---- jit_name.c ------------------------------------------------------------------------------ */

/* Runtimes put more than a function into the name of a region of code:
 *
 *     JS:*fib /app/fib.js:3:13       V8: optimized; ^ and + barely, ~ interpreted. File and line
 *     Builtin:ArrayMap               V8's built-in functions
 *     py::parse:/app/parse.py        CPython -X perf: function, file
 *     Lcom/foo/Bar;::baz             the JVM, by perf's agent; a->b is b inlined into a
 *     void com.foo.Bar.baz(int)      the JVM itself
 *
 * Any other name is the function's as it is.
 *
 * The functions of a name, the innermost first: only Java's are several. At most `capacity`, the
 * innermost ones. */
size_t flm_jit_name_parse(struct flm_bytes name, struct flm_jit_frame *frames, size_t capacity);

#endif
