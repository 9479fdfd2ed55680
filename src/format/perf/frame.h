/* frame.h - a frame as perf writes it, and the frames of a profile that it stands for.
 *
 *     ffffffff816b9733 ksys_read+0x93 ([kernel.kallsyms])      address symbol+offset (module)
 *                f82ec __GI___libc_read+0x4c (inlined)         inlined into the frame below it
 *         7fa4b8c7d768 LFoo;::bar->LBaz;::zap (/tmp/perf-1.map)  zap is inlined into bar
 *                d44a3 [unknown] (/usr/lib/libc.so.6)          no symbol: [libc.so.6]
 *       read.c:26                                              where, with -F +srcline
 *
 * The address and the offset are left out: with them no two samples would have the same stack. A
 * symbol may hold blanks, brackets and arrows; only the last bracket of the line is the module.
 * Names stay as they are: C++ arguments are not cut off and mangled names not demangled. Rust's
 * hashes are cut off, and the escapes undone that perf leaves in them. */
#ifndef FLAMEL_FORMAT_PERF_FRAME_H
#define FLAMEL_FORMAT_PERF_FRAME_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/builder.h"

struct flm_perf_frame {
    struct flm_bytes symbol; /* without its offset; empty: not known */
    struct flm_bytes module; /* as it is written; empty: not there, or not known */
    uint64_t address;
    bool inlined;
    bool address_only; /* there is neither a symbol nor a module */
};

/* Parts of the line are borrowed. False for a line that is no frame, or is cut off. */
bool flm_perf_frame_parse(struct flm_bytes line, struct flm_perf_frame *frame);

/* Whether a line that does not begin with a tab, as those of perf do, is a frame all the same:
 * somebody has copied it from a terminal. */
bool flm_perf_frame_is_line(struct flm_bytes line);

/* What stands behind the address, by itself. */
bool flm_perf_frame_parse_name(struct flm_bytes text, struct flm_perf_frame *frame);

/* Addresses from here on are the kernel's: known even where perf was not asked for modules. */
#define FLM_PERF_KERNEL_HALF 0xFFFF000000000000u

/* The line of -F +srcline below a frame: profile/flm_file.c:123, or what perf says when it does not know. */
struct flm_perf_location {
    struct flm_bytes file; /* empty: not known */
    uint32_t line;
    bool inlined;
};
struct flm_perf_location flm_perf_location_parse(struct flm_bytes line);

/* What a module's name says about the code in it. "" says nothing: FLM_KIND_NATIVE. */
enum flm_kind flm_perf_module_kind(struct flm_bytes module);

struct flm_perf_frames FLM_ARRAY(struct flm_frame);

/* Adds to `out` the frames of one line, outer first: none (for a process name in brackets), one, or
 * several for inlined Java. `location` may be NULL. False if memory ran out. */
bool flm_perf_frame_make(struct flm_builder *builder, const struct flm_perf_frame *frame,
                         const struct flm_perf_location *location, struct flm_perf_frames *out);

/* Leaf first to root first, and back. */
void flm_perf_frames_reverse(struct flm_frame *frames, size_t count);

#endif
