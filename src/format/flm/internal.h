/* internal.h - the layout that packed_write.c and packed_read.c share. */
#ifndef FLAMEL_FORMAT_FLM_INTERNAL_H
#define FLAMEL_FORMAT_FLM_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "profile/columns.h"

enum {
    FLM_PACKED_VERSION = 3,
    FLM_PACKED_CHAINS_VERSION = 4,   /* of a profile with chains: it ends with two more sections */
    FLM_PACKED_LONGEST_SHARED = 255, /* bounds the size of the unpacked strings */
    FLM_PACKED_VARINT_SIZE = 10,     /* of the longest */
    FLM_PACKED_LARGEST_POWER = 9     /* of ten, by which values are divided */
};

/* Two bits a node. */
enum { FLM_PACKED_HAS_CHILD = 1, FLM_PACKED_HAS_SIBLING = 2 };

/* How a column of values is written. */
enum flm_packed_kind {
    FLM_PACKED_BYTES,    /* unchanged doubles, in planes: all first bytes, all second ... */
    FLM_PACKED_UNSIGNED, /* number x times / 10^power */
    FLM_PACKED_SIGNED    /* the same, with the sign in the lowest bit */
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

/* Those of locations and chains (profile/chains.h), where there are any. */
static const struct flm_packed_column flm_packed_chain_columns[] = {
    FLM_PACKED_COLUMN(frame_locations, frame_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(location_file, location_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(location_line, location_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(location_column, column_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(node_chains, node_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(chain_caller, chain_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(chain_place, chain_count, flm_packed_u32, value, false),
    FLM_PACKED_COLUMN(sample_chain, sample_count, flm_packed_u32, value, false),
};

static const struct flm_packed_column flm_packed_set_columns[] = {
    FLM_PACKED_COLUMN(label_set_ends, label_set_count, flm_packed_u32, value, true),
    FLM_PACKED_COLUMN(set_members, set_member_count, flm_packed_u32, value, false),
};

#endif
