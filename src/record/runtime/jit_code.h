/* jit_code.h - code that is in no file: compiled while the program ran, or interpreted.
 *
 *     perf map   /tmp/perf-PID.map: a line for each region of code, "START SIZE name" in
 *                hexadecimal; later lines hold (V8, JVM, CPython -X perf)
 *     jitdump    jit-PID.dump, mapped by the process so that recordings know of it: code with the
 *                time it was made at, and its lines (V8, perf's agent for the JVM)
 *     CPython    read from outside while it runs (python.h)
 *
 * Code that is compiled anew lies where other code was. So an address alone does not say what it
 * was: of all regions that ever had it, the one made last before the sample was taken is it. Where
 * there are no times, the one made last at all.
 *
 * Runtimes put more than a function's name into these names: see internal.h. */
#ifndef FLAMEL_RECORD_RUNTIME_JIT_CODE_H
#define FLAMEL_RECORD_RUNTIME_JIT_CODE_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_jit_code; /* code of one process: addresses to names, as of a time */

/* What was left out: regions that cannot be read, and whether the end is missing. */
struct flm_jit_losses {
    uint64_t regions;
    bool cut;
};

/* From the text of a perf map. NULL when memory ran out. */
struct flm_jit_code *flm_perf_map_read(struct flm_bytes text, struct flm_jit_losses *losses);

/* From a jitdump file, of either byte order. NULL, and `why`, when it is none, or memory ran out;
 * one that is cut off gives what there is. */
struct flm_jit_code *flm_jitdump_read(struct flm_bytes bytes, struct flm_jit_losses *losses,
                                      struct flm_error *why);
void flm_jit_code_free(struct flm_jit_code *code);

/* A function at an address. Texts are the code's. */
struct flm_jit_frame {
    struct flm_bytes function;
    struct flm_bytes file; /* "": not known */
    uint32_t line;         /* that it is at, or else begins at; 0: not known */
    bool line_is_first;    /* it is where the function begins, whatever the address */
    uint32_t kind;         /* enum flm_kind */
};

/* The functions at the address at that time, the innermost first; at most `capacity`. 0: there is
 * none. INT64_MAX is the end of all. Before the first of them was made, an address is that one:
 * recordings may begin with a clock that is a little off. */
size_t flm_jit_code_lookup(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                           struct flm_jit_frame *frames, size_t capacity);

/* How many regions of code are known. */
size_t flm_jit_code_count(const struct flm_jit_code *code);

#endif
