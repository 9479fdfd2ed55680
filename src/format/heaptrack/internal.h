/* internal.h - shared by the parts of the heaptrack reader: its tables and its counters.
 *
 *     heaptrack.c    lines, allocations and releases; the format is described there
 *     stacks.c       strings, addresses, stacks and kinds of allocations */
#ifndef FLAMEL_FORMAT_HEAPTRACK_INTERNAL_H
#define FLAMEL_FORMAT_HEAPTRACK_INTERNAL_H

#include "base/core/array.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "base/text/text.h"
#include "format/core/format.h"

struct flm_heaptrack_address {
    size_t first, count; /* in `frames`, the caller first */
    bool is_start;       /* stacks begin here */
    bool is_new;         /* operator new */
};

struct flm_heaptrack_stack {
    uint32_t address, parent; /* both from 1; 0: none */
    struct flm_node node;
    bool is_needed;
    uint64_t allocations, temporary;
    uint64_t bytes; /* allocated and not released yet */
    uint64_t at_peak;
    uint64_t peak_seen; /* `peak_count` when `at_peak` was taken */
};

struct flm_heaptrack_kind {
    uint64_t size;
    uint32_t stack;
};

struct flm_heaptrack {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_line_reader lines;
    uint64_t version;
    bool has_version;

    struct FLM_ARRAY(uint32_t) strings;
    struct FLM_ARRAY(struct flm_frame) frames;
    struct FLM_ARRAY(struct flm_heaptrack_address) addresses;
    struct FLM_ARRAY(struct flm_heaptrack_stack) stacks; /* [0]: for allocations without a stack */
    struct FLM_ARRAY(struct flm_heaptrack_kind) kinds;
    struct flm_text sized; /* a string that has line ends in it */

    uint64_t bytes;      /* allocated and not released yet */
    uint64_t peak;       /* the most that `bytes` has been */
    uint64_t peak_count; /* how often `peak` rose */
    uint64_t most_bytes; /* the most that `bytes` has been since the last line `c` */
    uint64_t last_kind;  /* of the last allocation; 0 after a release */
    uint64_t time_ms, page_size;
    bool has_events;
    struct flm_counter heap, resident;
    bool has_counters;
};

/* The hexadecimal numbers of a line, one after the other. */
struct flm_heaptrack_words {
    const char *at, *end;
};

static inline bool flm_heaptrack_next_number(struct flm_heaptrack_words *w, uint64_t *value)
{
    while (w->at < w->end && *w->at == ' ')
        w->at++;
    uint64_t n = 0;
    const char *start = w->at;
    for (int digit; w->at < w->end && (digit = flm_hex_value(*w->at)) >= 0; w->at++) {
        if (n >> 60)
            return false;
        n = n << 4 | (unsigned)digit;
    }
    *value = n;
    return w->at > start && (w->at == w->end || *w->at == ' ');
}

static inline void flm_heaptrack_lose(struct flm_heaptrack *r, const char *what)
{
    flm_builder_lost(r->builder, what, "line", r->lines.number, 1);
}

static inline bool flm_heaptrack_lose_line(struct flm_heaptrack *r)
{
    flm_heaptrack_lose(r, "malformed lines");
    return true;
}

static inline bool flm_heaptrack_lose_reference(struct flm_heaptrack *r)
{
    flm_heaptrack_lose(r, "references to what the file does not have");
    return true;
}

/* ---- Lines of tables: stacks.c --------------------------------------------------------------- */

/* Each reads a line, without its letter, and adds an entry to a table. A malformed line is counted
 * as a loss and still adds an entry, so that the numbers of later entries are right. False, and
 * `why`, when memory ran out. */
bool flm_heaptrack_read_string(struct flm_heaptrack *r, struct flm_bytes rest);
bool flm_heaptrack_read_address(struct flm_heaptrack *r, struct flm_heaptrack_words w);
bool flm_heaptrack_read_stack(struct flm_heaptrack *r, struct flm_heaptrack_words w);
bool flm_heaptrack_read_kind(struct flm_heaptrack *r, struct flm_heaptrack_words w);

/* Makes the node of each stack that has allocations. */
void flm_heaptrack_add_nodes(struct flm_heaptrack *r);

#endif
