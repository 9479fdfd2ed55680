/* jit_code.h - code that is in no file: compiled while the program ran.
 *
 *     perf map   /tmp/perf-PID.map: a line for each region of code, "START SIZE name" in
 *                hexadecimal; later lines replace earlier ones (V8, JVM, CPython -X perf)
 *     jitdump    jit-PID.dump, mapped by the process to announce it to recordings: code with the
 *                time it was made at, and its lines (V8, perf's agent for the JVM)
 *
 * Addresses are reused by later code. Of all regions with an address, the last one that was made
 * before the sample is the right one; without times, the last one at all. */
#ifndef FLAMEL_RECORD_RUNTIME_JIT_CODE_H
#define FLAMEL_RECORD_RUNTIME_JIT_CODE_H

#include "base/core/bytes.h"
#include "flamel/error.h"
#include "symbol/identity/machine.h"

struct flm_jit_code; /* of one process: symbols by address and time */

/* Malformed regions, and whether the file is cut off. */
struct flm_jit_losses {
    uint64_t regions;
    bool cut;
};

/* From the text of a perf map. NULL when memory ran out. */
struct flm_jit_code *flm_perf_map_read(struct flm_bytes text, struct flm_jit_losses *losses);

/* From a jitdump file, of either byte order. NULL, and `why`, when it is not one, or memory ran
 * out. A file that is cut off is read as far as possible. */
struct flm_jit_code *flm_jitdump_read(struct flm_bytes bytes, struct flm_jit_losses *losses,
                                      struct flm_error *why);
void flm_jit_code_free(struct flm_jit_code *code);

/* A function at an address. Texts belong to the code. */
struct flm_jit_frame {
    struct flm_bytes function;
    struct flm_bytes file;      /* "": unknown */
    struct flm_bytes line_file; /* that has the line: another one where code of it is inlined */
    struct flm_bytes place;     /* "an2.js:1:46", of a function that its name does not tell from
                                   others: it has none, or one of the same line has it; else "" */
    uint32_t line;              /* of the address, or of the start of the function; 0: unknown */
    bool line_is_first;         /* it is that of the start of the function */
    uint32_t kind;              /* enum flm_kind */
};

/* The functions at the address at that time, innermost first; at most `capacity`. 0: none.
 * INT64_MAX: at the end. Before the first region at the address was made, that region is used,
 * since clocks may differ a little. */
size_t flm_jit_code_lookup(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                           struct flm_jit_frame *frames, size_t capacity);

/* Where the region of that lookup is, and its machine code. */
struct flm_jit_region_code {
    uint64_t start, size; /* when the sample was taken */
    uint64_t offset;      /* of its code in the jitdump file */
    enum flm_machine machine;
    uint32_t first_line, line_count; /* of flm_jit_code_line_at */
};

/* From an offset in the region on, up to the next one. */
struct flm_jit_line_at {
    uint64_t offset;
    struct flm_bytes file;
    uint32_t line; /* 0: not known */
};

/* False: no region has the address then, or its code is not in the file, as in a perf map. The
 * bytes, `size` of them, are in the file that was read. */
bool flm_jit_code_find(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                       struct flm_jit_region_code *found);

/* A line of a region, ascending by offset. */
struct flm_jit_line_at flm_jit_code_line_at(const struct flm_jit_code *code, uint32_t index);

/* The number of regions. */
size_t flm_jit_code_count(const struct flm_jit_code *code);

#endif
