/* memray.h - a capture of memray while it is read: stacks, what is allocated, what is counted.
 *
 *     memray.c          the capture: its records
 *     memray_heap.c     allocations and releases: sums of each stack, the peak
 *     memray_ranges.c   what mmap allocated
 *     memray_stacks.c   functions, stacks, threads; at the end they become the profile's */
#ifndef FLAMEL_FORMAT_PYTHON_MEMRAY_H
#define FLAMEL_FORMAT_PYTHON_MEMRAY_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "format/core/format.h"

/* The function of a frame, with the line that runs; both halves of the key are memray's: the number
 * of the code object and the offset of the instruction, or the number of the frame and 0. */
struct flm_memray_frame {
    uint64_t key, offset;
    uint32_t frame; /* of the builder */
};

struct flm_memray_code {
    uint64_t key;
    uint32_t function, file, first_line;
    size_t lines, lines_size; /* of `tables` */
};

/* A stack: its innermost frame, and the stack of the caller. Number 0 is empty. */
struct flm_memray_stack {
    uint32_t parent, frame; /* frame: of the builder */
    uint32_t root, node;    /* of the builder: where it is below that root; FLM_NONE: not yet */
};

struct flm_memray_thread {
    uint64_t id;
    uint32_t name;                     /* string; 0: none */
    struct FLM_ARRAY(uint32_t) stacks; /* the open calls */
    struct flm_memray_recent {
        uint64_t address, size;
        uint32_t location;
    } recent[2]; /* the last allocations, the last one first; location FLM_NONE: none */
};

/* Where something was allocated: a stack, in a thread. */
struct flm_memray_location {
    uint32_t stack, thread;
    uint64_t bytes, at_peak;
    uint64_t peak_seen; /* at_peak was noted after so many peaks */
    uint64_t allocations, allocated, temporary;
};

/* What is allocated now, at an address (0: a free slot). */
struct flm_memray_block {
    uint64_t address, size;
    uint32_t location;
};

/* A range of mmap, as a node of a tree. */
struct flm_memray_range {
    uint64_t address, end;
    uint64_t last_end; /* the largest one of the tree below it */
    uint32_t location;
    uint32_t left, right, level; /* free: left is the next free one */
};

struct flm_memray {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_source *source;
    uint64_t offset; /* of source->at, decompressed */

    uint32_t version, python_version;
    bool is_native, is_aggregated, is_cut, is_ended;
    uint64_t start_ms, main_thread;
    uint64_t last_address, last_line, last_frame; /* what deltas are added to */
    uint64_t recent[15];                          /* addresses, the last one first */

    struct FLM_ARRAY(struct flm_memray_code) codes;
    struct FLM_ARRAY(struct flm_memray_frame) frames;
    struct FLM_ARRAY(struct flm_memray_stack) stacks;
    struct FLM_ARRAY(struct flm_memray_thread) threads;
    struct FLM_ARRAY(struct flm_memray_location) locations;
    struct flm_index code_index, frame_index, stack_index, thread_index, location_index;
    struct FLM_ARRAY(uint32_t) numbered; /* stacks of the aggregated form, from number 1 on */
    struct FLM_ARRAY(uint32_t) path;     /* stacks whose nodes are being made */
    struct flm_text tables;              /* line tables of codes */
    struct flm_text name, file;
    uint32_t thread; /* the current one; FLM_NONE: none */

    struct flm_memray_block *blocks; /* a hash table, of a power of two */
    size_t block_count, block_capacity;
    struct FLM_ARRAY(struct flm_memray_range) ranges; /* a tree; number 0 is the empty one */
    uint32_t range_tree, free_range;                  /* the root; the first free one, or 0 */
    uint64_t bytes, peak, peak_count;
    struct flm_counter heap, resident;
};

/* ---- memray_heap.c --------------------------------------------------------------------------- */

/* False, and `why`: memory ran out, or the sum or an address is out of range. */
bool flm_memray_allocate(struct flm_memray *m, uint64_t address, uint64_t size, bool is_range);
bool flm_memray_release(struct flm_memray *m, uint64_t address, uint64_t size, bool is_range);

/* Notes the bytes of a location at the latest peak. Called before its bytes change, and once at the
 * end. */
void flm_memray_keep_peak(const struct flm_memray *m, struct flm_memray_location *location);

void flm_memray_subtract(struct flm_memray *m, uint32_t location, uint64_t size);

/* ---- memray_ranges.c ------------------------------------------------------------------------- */

/* False when memory ran out; after a release, also `why`. An empty range is not kept. */
bool flm_memray_add_range(struct flm_memray *m, struct flm_memray_block block);
bool flm_memray_release_range(struct flm_memray *m, uint64_t begin, uint64_t size);

/* ---- memray_stacks.c ------------------------------------------------------------------------- */

/* These add what is new; FLM_NONE when memory ran out. */
uint32_t flm_memray_thread(struct flm_memray *m, uint64_t id);
uint32_t flm_memray_stack(struct flm_memray *m, uint32_t parent, uint32_t frame);
uint32_t flm_memray_location(struct flm_memray *m, uint32_t stack, uint32_t thread);

/* The number of a frame in `frames`; FLM_NONE: there is none. */
uint32_t flm_memray_find(const struct flm_memray *m, uint64_t key, uint64_t offset);

/* Adds a frame of the texts `name` and `file`, or a code object of them; one with the same key is
 * replaced. False when memory ran out. */
bool flm_memray_add_frame(struct flm_memray *m, uint64_t key, uint32_t line);
bool flm_memray_add_code(struct flm_memray *m, uint64_t key, uint32_t first_line,
                         struct flm_bytes lines);

/* The number of the frame of an instruction of a code object; it is added if it is new. False, and
 * `why`, if there is no such code object, or memory ran out. */
bool flm_memray_code_frame(struct flm_memray *m, uint64_t key, uint64_t offset, uint32_t *frame);

/* Another key of a frame that is there. */
bool flm_memray_number_frame(struct flm_memray *m, uint64_t key, uint64_t offset, uint32_t frame);

/* Makes the profile's stacks, with their values. */
void flm_memray_add_values(struct flm_memray *m);

void flm_memray_clear(struct flm_memray *m);

#endif
