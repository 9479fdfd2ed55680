/* internal.h - the members of a builder; include/flamel/builder.h describes it. */
#ifndef FLAMEL_PROFILE_INTERNAL_H
#define FLAMEL_PROFILE_INTERNAL_H

#include "base/core/array.h"
#include "base/number/number.h"
#include "flamel/builder.h"
#include "profile/interner.h"
#include "profile/recursion.h"
#include "profile/residuals.h"
#include "profile/values/value_column.h"

/* No profile has more nodes: the upper bits of an index are free for marks. */
enum { FLM_MOST_NODES = 1 << 30 };
#define FLM_TOO_MANY_NODES "more than 2^30 different stacks: split the input"

struct flm_builder_node {
    uint32_t parent, frame;
};

struct flm_builder_metric {
    uint32_t name, unit; /* strings of the interner */
    double *self;        /* node_capacity values */
    struct flm_value_column sample_values;
};

struct flm_builder_loss {
    uint32_t what;  /* these two are strings of the interner */
    uint32_t where; /* the noun, "line", until it is resolved: "line 812" */
    uint64_t number;
    double count;
    bool resolved;
};

struct flm_builder_counter {
    uint32_t name, unit; /* strings of the interner */
    uint32_t label_set;
};

struct flm_builder_point {
    uint32_t counter;
    int64_t time_ns;
    double value;
};

/* What becomes of the locations of frames: kept beside the tree; or frames differ by their lines
 * (--lines), and have those that ran instead of those where their functions begin; or nothing. */
enum flm_builder_locations { FLM_LOCATIONS_KEPT, FLM_LOCATIONS_AS_LINES, FLM_LOCATIONS_DROPPED };

/* What flm_builder_frame_at found lately, by the hash of what it was asked for. */
enum { FLM_LOCATED_FRAMES = 1024 };
struct flm_located_frame {
    uint32_t frame, made; /* made: 0: nothing yet */
    struct flm_location where;
};

/* The duration of a sample that does not fit 4 bytes, which is 4.3 s: there are few of them. */
struct flm_long_duration {
    uint32_t sample;
    int64_t ns;
};
#define FLM_LASTS_LONGER UINT32_MAX

struct flm_builder {
    struct flm_interner interner;
    struct flm_located_frame *located;
    enum flm_builder_locations locations;
    bool has_lines;         /* of FLM_LOCATIONS_AS_LINES: a frame has one */
    bool dropped_locations; /* of FLM_LOCATIONS_DROPPED: there were some */

    struct flm_builder_node *nodes; /* [0] is the root */
    uint32_t *path_hash;
    uint32_t node_count;
    size_t node_capacity;
    uint64_t *slots; /* path hash << 32 | node; 0: free */
    size_t slot_count;
    struct FLM_ARRAY(uint32_t) path; /* of flm_builder_descend */

    struct flm_builder_metric *metrics;
    uint32_t metric_count;
    size_t metric_capacity;
    struct flm_residuals residuals; /* of the self values */
    double rounded; /* values of 2^53 and more that are not exact: becomes FLM_NOTE_ROUNDED */

    struct FLM_ARRAY(struct flm_note_record) notes;
    struct FLM_ARRAY(struct flm_builder_loss) losses;

    struct FLM_ARRAY(struct flm_label_record) labels; /* distinct, in the order of insertion */
    struct flm_index label_index, label_set_index;
    uint32_t *label_set_ends, *set_members; /* as in columns.h; members ascend */
    uint32_t label_set_count, set_member_count;
    size_t label_set_capacity, set_member_capacity;

    int64_t *sample_time;
    uint32_t *sample_lasts; /* ns; NULL until a sample lasts; FLM_LASTS_LONGER: in this array */
    struct FLM_ARRAY(struct flm_long_duration) long_durations; /* by sample, ascending */
    uint32_t *sample_node, *sample_labels;
    uint32_t sample_count;
    size_t sample_capacity;

    struct FLM_ARRAY(struct flm_marker_record) markers;
    struct FLM_ARRAY(struct flm_builder_counter) counters;
    struct FLM_ARRAY(struct flm_builder_point) points;
    struct flm_index counter_index;

    struct flm_depths *depths; /* of the first depths_count nodes; NULL: of none */
    uint32_t depths_count;

    /* By frame, of those that were made for a location: the frame without it, FLM_NONE: it is to be
     * looked up. */
    struct FLM_ARRAY(uint32_t) bases;
    struct flm_joining *joining; /* while it finishes, of frames with locations: joining.h */

    bool failed;
    struct flm_error why;
};

/* Why it needs more memory than there is: what it holds. For an error that a failed allocation made
 * while the builder was filled or finished. Returns false. */
bool flm_builder_out_of_memory(const struct flm_builder *b, struct flm_error *why);

/* Remembers that memory ran out. */
void flm_builder_fail_memory(struct flm_builder *b);

/* With a sentence, which flm_builder_finish reports: a limit that is passed. */
void flm_builder_fail(struct flm_builder *b, enum flm_error_kind kind, const char *reason);

/* Copies the error that made the builder fail to `why`, which may be NULL. Returns false. */
bool flm_builder_get_error(const struct flm_builder *b, struct flm_error *why);

/* The duration of a sample with FLM_LASTS_LONGER. */
int64_t flm_builder_long_duration(const struct flm_builder *b, uint32_t sample);

static inline int64_t flm_builder_duration(const struct flm_builder *b, uint32_t sample)
{
    uint32_t lasts = b->sample_lasts ? b->sample_lasts[sample] : 0;
    return lasts != FLM_LASTS_LONGER ? lasts : flm_builder_long_duration(b, sample);
}

/* Adds to the self value of a node; flm_builder_add for one that has not failed. */
static inline void flm_builder_add_self(struct flm_builder *b, uint32_t metric, uint32_t node,
                                        double value)
{
    if (!flm_add_exactly(&b->residuals, metric, node, &b->metrics[metric].self[node], value))
        flm_builder_fail_memory(b);
}

/* The frame of a record at a place in its function: flm_builder_frame and flm_builder_frame_at in
 * one. A line without a file is one of the record's file; nothing but zeros is no place. Readers
 * give every line and address that they have: the builder knows what is kept of them. */
struct flm_frame flm_builder_located(struct flm_builder *b, const struct flm_frame_record *record,
                                     struct flm_location where);

/* An integer as a double; one that no double holds exactly counts as rounded. */
static inline double flm_builder_double(struct flm_builder *b, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (flm_uint_is_rounded(magnitude))
        flm_builder_rounded(b, 1);
    return (double)value;
}

/* As the public functions, for strings of the interner. A metric is FLM_NONE when memory ran out or
 * there are too many. */
uint32_t flm_builder_metric_of(struct flm_builder *b, uint32_t name, uint32_t unit);
void flm_builder_add_loss(struct flm_builder *b, struct flm_builder_loss loss);

/* Adds a note; when the builder has another value for that key, neither stays. Counts of values
 * that were rounded are added up; of two dates of recordings the earlier one stays. */
void flm_builder_agree_note(struct flm_builder *b, uint32_t key, uint32_t value);

/* Makes the note of the values that were rounded, if there are any. Part of finishing. */
bool flm_builder_note_rounded(struct flm_builder *b);

/* flm_builder_finish for one of several chunks, which flm_align adds: the profile keeps what its
 * sums lack to be exact, so that they are rounded once, wherever the input was cut. */
struct flm_profile *flm_builder_finish_chunk(struct flm_builder *b, struct flm_error *why);

/* A sample whose values are to be set by the caller, and do not count in the tree: its index, or
 * FLM_NONE. */
uint32_t flm_builder_keep_sample(struct flm_builder *b, int64_t time_ns, uint32_t node,
                                 uint32_t label_set);

/* Adds to a value of a sample, and not to the tree. No later sample may have one of that metric. */
void flm_builder_keep_value(struct flm_builder *b, uint32_t metric, uint32_t sample, double value);

/* Many samples at once, column by column: flm_builder_sample, _lasts and _add of each. Readers
 * collect FLM_SAMPLE_BATCH of them, as a call for each value took a sixth of the time of the
 * largest files. */
enum { FLM_SAMPLE_BATCH = 512, FLM_SAMPLE_BATCH_METRICS = 3 };

struct flm_sample_batch {
    uint32_t count, metric_count;
    struct flm_metric metrics[FLM_SAMPLE_BATCH_METRICS]; /* all of them different */
    int64_t time_ns[FLM_SAMPLE_BATCH], duration_ns[FLM_SAMPLE_BATCH];
    uint32_t node[FLM_SAMPLE_BATCH], label_set[FLM_SAMPLE_BATCH];
    double values[FLM_SAMPLE_BATCH_METRICS][FLM_SAMPLE_BATCH];
};

/* Adds the samples of the batch, which is empty afterward: count is 0. */
void flm_builder_add_samples(struct flm_builder *b, struct flm_sample_batch *batch);

/* How many frames of a function the nodes stand for (recursion.h), once all are there: by node. The
 * builder frees it. */
void flm_builder_take_depths(struct flm_builder *b, struct flm_depths *depths);

/* Makes the text of each loss's `where`: "line 812". Part of finishing. */
bool flm_builder_resolve_losses(struct flm_builder *b);

bool flm_builder_reserve(struct flm_builder *b, size_t node_count);

/* The root, for a builder that has no nodes: none yet, or none any more. False when memory ran
 * out. */
bool flm_builder_start_nodes(struct flm_builder *b);

/* Adds the nodes of another tree, [0] its root and parents before children, with other frames:
 * node_of[i] receives the node that nodes[i] becomes. */
void flm_builder_copy_nodes(struct flm_builder *b, const struct flm_builder_node *nodes,
                            uint32_t count, const uint32_t *frame_of, uint32_t *node_of);

/* The node that `frames` lead to from `from`: flm_builder_stack for a reader that already knows the
 * node of the first part. Until the next call b->path.at[i] is the node of frames[i]. */
struct flm_node flm_builder_descend(struct flm_builder *b, struct flm_node from,
                                    const struct flm_frame *frames, size_t count);

#endif
