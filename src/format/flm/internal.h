/* internal.h - the layout that the writers and readers of packed profiles share. */
#ifndef FLAMEL_FORMAT_FLM_INTERNAL_H
#define FLAMEL_FORMAT_FLM_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "format/flm/chain_walk.h"
#include "format/flm/varints.h"

enum {
    FLM_PACKED_VERSION = 3,
    FLM_PACKED_CHAINS_VERSION = 5,   /* of a profile with chains: it ends with more sections */
    FLM_PACKED_LONGEST_SHARED = 255, /* bounds the size of the unpacked strings */
    FLM_PACKED_LARGEST_POWER = 9     /* of ten, by which values are divided */
};

/* Two bits a node. */
enum { FLM_PACKED_HAS_CHILD = 1, FLM_PACKED_HAS_SIBLING = 2 };

/* How a column of values is written. */
enum flm_packed_kind {
    FLM_PACKED_BYTES,    /* unchanged doubles, in planes: all first bytes, all second ... */
    FLM_PACKED_UNSIGNED, /* number x times / 10^power */
    FLM_PACKED_SIGNED,   /* the same, with the sign in the lowest bit */
    FLM_PACKED_SUMS      /* of chains: nothing, they are the sums of the samples */
};

/* The columns of u32 in tables, in the order in which they are written. `item` and `field` are in
 * bytes; a column that ascends is written as differences. */
struct flm_packed_column {
    size_t table; /* the pointer in struct flm_profile */
    size_t count; /* in struct flm_sizes */
    size_t item, field;
    bool ascends;
};

#define FLM_PACKED_COLUMN(member, size, type, field, ascends)                                      \
    {                                                                                              \
        offsetof(struct flm_profile, member), offsetof(struct flm_sizes, size),                    \
            sizeof(struct type), offsetof(struct type, field), ascends                             \
    }

static const struct flm_packed_column flm_packed_frame_columns[] = {
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, function, true),
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, module, false),
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, file, false),
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, line, false),
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, kind, false),
    FLM_PACKED_COLUMN(frames, frame_count, flm_frame_record, flags, false),
};

static const struct flm_packed_column flm_packed_table_columns[] = {
    FLM_PACKED_COLUMN(metrics, metric_count, flm_metric_record, name, false),
    FLM_PACKED_COLUMN(metrics, metric_count, flm_metric_record, unit, false),
    FLM_PACKED_COLUMN(notes, note_count, flm_note_record, key, true),
    FLM_PACKED_COLUMN(notes, note_count, flm_note_record, value, false),
    FLM_PACKED_COLUMN(losses, loss_count, flm_loss_record, what, true),
    FLM_PACKED_COLUMN(losses, loss_count, flm_loss_record, where, false),
    FLM_PACKED_COLUMN(labels, label_count, flm_label_record, key, true),
    FLM_PACKED_COLUMN(labels, label_count, flm_label_record, value, false),
};

/* Times, durations and values of markers and counters follow these. */
static const struct flm_packed_column flm_packed_marker_columns[] = {
    FLM_PACKED_COLUMN(markers, marker_count, flm_marker_record, name, false),
    FLM_PACKED_COLUMN(markers, marker_count, flm_marker_record, detail, false),
    FLM_PACKED_COLUMN(markers, marker_count, flm_marker_record, label_set, false),
    FLM_PACKED_COLUMN(counters, counter_count, flm_counter_record, name, true),
    FLM_PACKED_COLUMN(counters, counter_count, flm_counter_record, unit, false),
    FLM_PACKED_COLUMN(counters, counter_count, flm_counter_record, label_set, false),
    FLM_PACKED_COLUMN(counters, counter_count, flm_counter_record, end, true),
};

/* Plain arrays of u32, as tables of one column. */
struct flm_packed_u32 {
    uint32_t value;
};

static const struct flm_packed_column flm_packed_set_columns[] = {
    FLM_PACKED_COLUMN(label_set_ends, label_set_count, flm_packed_u32, value, true),
    FLM_PACKED_COLUMN(set_members, set_member_count, flm_packed_u32, value, false),
};

/* The sections of chains: the symbols of each kind (chain_walk.h), then those of tables. An address
 * is in two, its lowest seven bits and the others, which are alike. */
enum {
    /* Of a function, less where it begins; if that is not known, the one before in its module. */
    FLM_PACKED_FIRST_ADDRESS = FLM_CHAIN_SYMBOLS,
    FLM_PACKED_FIRST_ADDRESS_HIGH,
    FLM_PACKED_ADDRESS, /* of its other locations, less that of the one before */
    FLM_PACKED_ADDRESS_HIGH,
    FLM_PACKED_FILE, /* 0: that of the function, else a string, from 1 */
    FLM_PACKED_LINE, /* as addresses, and by file */
    FLM_PACKED_COLUMN_NUMBER,
    FLM_PACKED_SAMPLE_CHAIN, /* of samples whose node has several */
    FLM_PACKED_CHAIN_VALUE,
    FLM_PACKED_CHAIN_SECTIONS
};

/* Values of shared chains that are sums of samples are left out only where there are at most so
 * many chains for each sample: what is unpacked has a bounded size. */
enum { FLM_PACKED_MOST_SUMS = 64 };

/* What readers and writers of chains keep of the function, file or module that was last. */
struct flm_packed_last {
    uint64_t address, line; /* of the location before */
    uint64_t *module;       /* by string: the last first address */
    uint32_t *file;         /* by string: the last first line */
};

/* The size and the bytes; what follows is of another kind. */
void flm_packed_put_section(struct flm_text *out, const struct flm_text *section);
void flm_packed_put_values(struct flm_text *out, const double *values, size_t count,
                           const uint32_t *node_end);
bool flm_packed_take_values(struct flm_cursor *c, double *values, size_t count,
                            const uint32_t *node_end, struct flm_error *why);
bool flm_packed_damaged(struct flm_error *why, const char *what);

/* packed_chains_write.c, packed_chains_read.c: the sections of chains. */
bool flm_packed_put_chains(const struct flm_profile *p, struct flm_text *out,
                           struct flm_error *why);
bool flm_packed_take_chains(struct flm_profile *p, struct flm_cursor *sections,
                            struct flm_error *why);

/* To `to`: the values of shared chains as the sums of their samples. False when memory ran out. */
bool flm_packed_sum_chains(const struct flm_profile *p, uint32_t metric, double *to);

#endif
