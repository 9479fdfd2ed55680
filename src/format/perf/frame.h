/* frame.h - a frame as perf prints it, and the frames of a profile for it.
 *
 *     ffffffff816b9733 ksys_read+0x93 ([kernel.kallsyms])      address symbol+offset (module)
 *                f82ec __GI___libc_read+0x4c (inlined)         inlined into the frame below it
 *         7fa4b8c7d768 LFoo;::bar->LBaz;::zap (/tmp/perf-1.map)  zap is inlined into bar
 *                d44a3 [unknown] (/usr/lib/libc.so.6)          no symbol: [libc.so.6]
 *       read.c:26                                              its location, with -F +srcline
 *
 * The address and the offset are left out: with them no two samples would have the same stack. A
 * symbol may contain blanks, brackets and arrows; only the last bracket of the line is the module.
 * Names stay as they are: C++ arguments are not removed, and mangled names not demangled. Rust's
 * hashes are removed, and the escapes that perf leaves in its names are decoded. */
#ifndef FLAMEL_FORMAT_PERF_FRAME_H
#define FLAMEL_FORMAT_PERF_FRAME_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/builder.h"

struct flm_perf_frame {
    struct flm_bytes symbol; /* without its offset; empty: unknown */
    struct flm_bytes module; /* as it is printed; empty: missing, or unknown */
    uint64_t address;
    bool inlined;
    bool address_only; /* without a symbol and a module */
};

/* Borrows parts of the line. False for a line that is not a frame, or is truncated. */
bool flm_perf_frame_parse(struct flm_bytes line, struct flm_perf_frame *frame);

/* Whether the address that begins a line ends at `at`: before a blank, or before the tab of
 * simpleperf's report_sample.py, whose lines begin with blanks. */
bool flm_perf_is_address_end(struct flm_bytes line, const char *at);

/* Whether a line that does not begin with a tab, as perf's do, is a frame all the same: copied from
 * a terminal. */
bool flm_perf_frame_is_line(struct flm_bytes line);

/* Only the part after the address. */
bool flm_perf_frame_parse_name(struct flm_bytes text, struct flm_perf_frame *frame);

/* Addresses from here on are the kernel's: so its frames are known even in output without
 * modules. */
#define FLM_PERF_KERNEL_HALF 0xFFFF000000000000u

/* The line of -F +srcline below a frame: read.c:123, or an address where perf does not know it. */
struct flm_perf_location {
    struct flm_bytes file; /* empty: unknown */
    uint32_t line;
    bool inlined;
};
struct flm_perf_location flm_perf_location_parse(struct flm_bytes line);

/* The kind of code in a module, by its name. Of "": FLM_KIND_NATIVE. */
enum flm_kind flm_perf_module_kind(struct flm_bytes module);

/* The module of all JIT-compiled code. perf has one for each process (perf-4711.map), or for each
 * function (jitted-4711-12.so): no two recordings of a program would have a module in common. */
#define FLM_PERF_JIT_MODULE "[JIT]"

struct flm_perf_frames FLM_ARRAY(struct flm_frame);

/* Appends to `out` the frames of one line, outer first: none (for a process name in brackets), one,
 * or several for inlined Java. `location` may be NULL. False if memory ran out. */
bool flm_perf_frame_make(struct flm_builder *builder, const struct flm_perf_frame *frame,
                         const struct flm_perf_location *location, struct flm_perf_frames *out);

/* Leaf first to root first, and back. */
void flm_perf_frames_reverse(struct flm_frame *frames, size_t count);

#endif
