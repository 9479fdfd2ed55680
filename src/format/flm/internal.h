/* internal.h - the layout that the writers and readers of packed profiles share. */
#ifndef FLAMEL_FORMAT_FLM_INTERNAL_H
#define FLAMEL_FORMAT_FLM_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "format/flm/chain_walk.h"
#include "format/flm/varints.h"

enum {
    FLM_PACKED_VERSION = 3,
    FLM_PACKED_CHAINS_VERSION = 6, /* of a profile with chains: it ends with more sections */
    FLM_PACKED_OLD_CHAINS_VERSION = 5,
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

/* The sections of chains: what of chains, locations and samples cannot be foreseen, as one number
 * (chain_coder.h); then the values of chains. */
enum {
    FLM_PACKED_CHAIN_CODES,
    FLM_PACKED_CHAIN_VALUE,
    FLM_PACKED_CHAIN_SECTIONS,
    FLM_PACKED_MOST_CHAIN_SECTIONS = 18 /* of version 5, packed_chains_v5.c */
};

/* A byte of the codes is at least so many chains and locations, so that what is unpacked has a
 * bounded size: they end with zeros where they would be shorter. */
enum { FLM_PACKED_MOST_CHAINS = 16 };

/* Values of shared chains that are sums of samples are left out only where there are at most so
 * many chains for each sample: what is unpacked has a bounded size. */
enum { FLM_PACKED_MOST_SUMS = 64 };

/* The size and the bytes; what follows is of another kind. */
void flm_packed_put_section(struct flm_text *out, const struct flm_text *section);
void flm_packed_put_values(struct flm_text *out, const double *values, size_t count,
                           const uint32_t *node_end);
bool flm_packed_take_values(struct flm_cursor *c, double *values, size_t count,
                            const uint32_t *node_end, struct flm_error *why);
bool flm_packed_damaged(struct flm_error *why, const char *what);

/* packed_chains.c: the sections of chains. */
bool flm_packed_put_chains(const struct flm_profile *p, struct flm_text *out,
                           struct flm_error *why);
bool flm_packed_take_chains(struct flm_profile *p, struct flm_cursor *sections,
                            struct flm_error *why);
/* The values of chains alone. */
bool flm_packed_take_chain_values(struct flm_profile *p, struct flm_cursor *section,
                                  struct flm_error *why);
/* Where nothing is NULL: sorts the locations that were taken, by first use, into the profile, and
 * says of each chain which it has. */
bool flm_packed_place_locations(struct flm_profile *p, const struct flm_chain_walk *walk,
                                const struct flm_location *taken);

/* packed_chains_v5.c: those of version 5, and how many chains they may have. */
bool flm_packed_take_chains_v5(struct flm_profile *p, struct flm_cursor *sections,
                               struct flm_error *why);
bool flm_packed_chain_sizes_v5(const struct flm_sizes *s, const struct flm_cursor *sections);

/* To `to`: the values of shared chains as the sums of their samples. False when memory ran out. */
bool flm_packed_sum_chains(const struct flm_profile *p, uint32_t metric, double *to);

#endif
