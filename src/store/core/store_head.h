/* store_head.h - the samples that came last: a tree that grows, and batches of values on it.
 *
 * Every profile that arrives is poured into one tree of stacks, so what it adds is small: the
 * stacks that are new, and a number for each that it has a value of. Both are written to a
 * journal before they are acknowledged, and read from it after a crash:
 *
 *     entry   strings, frames, nodes (parent, frame), series, types    those that are new
 *             batches: series, type, time, values                      (columns of store_rows.h)
 *
 * A batch is the values of a profile in one metric. When a head is large or old enough it is
 * frozen, and becomes segments (seal.c); another one takes its place.
 *
 * Nodes are numbered as they come, parents before children. Not for several threads at once. */
#ifndef FLAMEL_STORE_CORE_STORE_HEAD_H
#define FLAMEL_STORE_CORE_STORE_HEAD_H

#include "base/core/array.h"
#include "flamel/builder.h"
#include "profile/interner.h"
#include "store/segment/store_rows.h"

/* Times beyond these, 290,000 years from the epoch, are none: sums of two do not overflow. */
#define FLM_STORE_LAST_MS ((int64_t)1 << 53)

struct flm_head_node {
    uint32_t parent, frame;
    uint32_t hash; /* of the frames from the root to it */
};

struct flm_head_batch {
    uint32_t series, type; /* of the head's tables */
    int64_t time_ms;
    size_t start, size; /* of its values in `values` */
};

/* A table of texts that are interned as strings: series, types. */
struct flm_head_names {
    struct FLM_ARRAY(uint32_t) strings;
    struct flm_index index; /* by string */
};

/* How much of each table there is. */
struct flm_head_mark {
    size_t strings, frames, nodes, series, types, batches, values;
};

struct flm_head {
    struct flm_interner interner;
    struct FLM_ARRAY(struct flm_head_node) nodes; /* [0] is the root */
    struct flm_index node_index;
    struct flm_head_names series, types;
    struct FLM_ARRAY(struct flm_head_batch) batches;
    struct flm_text values;
    int64_t from_ms, until_ms; /* of its batches: from <= time < until; both 0 without one */
};

bool flm_head_init(struct flm_head *head, struct flm_error *why);
void flm_head_clear(struct flm_head *head);

/* Pours a profile in: a batch for each of its metrics that has a value. `series` is the text of
 * its labels (series_labels.h). False when memory ran out: what is in already is harmless, but for
 * batches, which flm_head_drop_batches takes out. */
bool flm_head_add(struct flm_head *head, const struct flm_profile *profile, struct flm_bytes series,
                  int64_t time_ms, struct flm_error *why);

static inline struct flm_bytes flm_head_series(const struct flm_head *head, uint32_t series)
{
    return flm_interner_text(&head->interner, head->series.strings.at[series]);
}

static inline struct flm_bytes flm_head_type(const struct flm_head *head, uint32_t type)
{
    return flm_interner_text(&head->interner, head->types.strings.at[type]);
}

static inline struct flm_bytes flm_head_values(const struct flm_head *head,
                                               const struct flm_head_batch *batch)
{
    const char *values = head->values.at; /* NULL: no batch has a value, as in a damaged journal */
    return (struct flm_bytes){values ? values + batch->start : "", batch->size};
}

/* The number of a node, or of a text in one of the tables, added when it is new; FLM_NONE when
 * memory ran out. */
uint32_t flm_head_node(struct flm_head *head, uint32_t parent, uint32_t frame);
uint32_t flm_head_name(struct flm_head *head, struct flm_head_names *names, struct flm_bytes text);

/* The node of the head for each node of a profile, added where they are new. NULL: memory ran
 * out. */
uint32_t *flm_head_nodes(struct flm_head *head, const struct flm_profile *profile);

/* Adds a batch, whose `start` and `size` are not set, with its values as columns. */
bool flm_head_add_batch(struct flm_head *head, struct flm_head_batch batch,
                        struct flm_bytes values);

/* Adds the values of a batch to `self`, a value for each node of the head. */
bool flm_head_sum(const struct flm_head *head, const struct flm_head_batch *batch, double *self,
                  struct flm_error *why);

/* The profile of such a column; with `moved`, a number for each node of the head, which receives
 * the node of the profile, or FLM_NONE. Nodes without a value below them are left out. */
struct flm_profile *flm_head_profile(struct flm_head *head, const double *self,
                                     struct flm_bytes type, uint32_t *moved, struct flm_error *why);

/* A frame of the head, and the metric of a type, in a profile that is being built. */
struct flm_frame flm_head_frame(const struct flm_head *head, uint32_t frame,
                                struct flm_builder *builder);
struct flm_metric flm_head_metric(struct flm_builder *builder, struct flm_bytes type);

/* "cpu:ns" as "cpu" and "ns". */
void flm_head_type_parts(struct flm_bytes type, struct flm_bytes *name, struct flm_bytes *unit);

/* ---- The journal ----------------------------------------------------------------------------- */

struct flm_head_mark flm_head_mark_of(const struct flm_head *head);

/* Appends what came after the mark as an entry of the journal. */
void flm_head_write(const struct flm_head *head, const struct flm_head_mark *since,
                    struct flm_text *out);

/* Adds an entry: they come in the order in which they were written. False, and `why`, where it
 * cannot be one. */
bool flm_head_read(struct flm_head *head, struct flm_bytes entry, struct flm_error *why);

/* Forgets the batches behind the mark, which could not be made durable. Strings, frames and
 * nodes stay: the next entry has them. */
void flm_head_drop_batches(struct flm_head *head, const struct flm_head_mark *mark);

/* Bytes of memory, about. */
size_t flm_head_size(const struct flm_head *head);

#endif
