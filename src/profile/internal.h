/* internal.h - the members of a builder; include/flamel/builder.h describes it. */
#ifndef FLAMEL_PROFILE_INTERNAL_H
#define FLAMEL_PROFILE_INTERNAL_H

#include "base/core/array.h"
#include "flamel/builder.h"
#include "profile/interner.h"

struct flm_builder_node {
    uint32_t parent, frame;
};

struct flm_builder_metric {
    uint32_t name, unit;  /* strings of the interner */
    double *self;         /* node_capacity values */
    double *sample_value; /* sample_capacity values */
};

struct flm_builder_loss {
    uint32_t what;  /* these two are strings of the interner */
    uint32_t where; /* the noun, "line", until it is resolved: "line 812" */
    uint64_t number;
    double count;
    bool resolved;
};

struct flm_builder {
    struct flm_interner interner;

    struct flm_builder_node *nodes; /* [0] is the root */
    uint32_t *path_hash;
    uint32_t node_count;
    size_t node_capacity;
    uint64_t *slots; /* path hash << 32 | node; 0: free */
    size_t slot_count;
    struct FLM_ARRAY(uint32_t) path; /* working memory of flm_builder_descend */

    struct flm_builder_metric *metrics;
    uint32_t metric_count;
    size_t metric_capacity;

    struct FLM_ARRAY(struct flm_note_record) notes;
    struct FLM_ARRAY(struct flm_builder_loss) losses;

    struct FLM_ARRAY(struct flm_label_record) labels; /* distinct, in the order of insertion */
    struct flm_index label_index, label_set_index;
    uint32_t *label_set_ends, *set_members; /* as in columns.h; members ascend */
    uint32_t label_set_count, set_member_count;
    size_t label_set_capacity, set_member_capacity;

    int64_t *sample_time;
    uint32_t *sample_node, *sample_labels;
    uint32_t sample_count;
    size_t sample_capacity;

    bool failed;
    struct flm_error why;
};

/* Remembers that memory ran out. */
void flm_builder_fail_memory(struct flm_builder *b);

/* With a sentence, which flm_builder_finish reports: a limit that is passed. */
void flm_builder_fail(struct flm_builder *b, enum flm_error_kind kind, const char *reason);

/* Copies the error that made the builder fail to `why`, which may be NULL. Returns false. */
bool flm_builder_get_error(const struct flm_builder *b, struct flm_error *why);

/* As the public functions, for strings of the interner. A metric is FLM_NONE when memory ran out or
 * there are too many. */
uint32_t flm_builder_metric_of(struct flm_builder *b, uint32_t name, uint32_t unit);
void flm_builder_add_loss(struct flm_builder *b, struct flm_builder_loss loss);

/* Adds a note; when the builder has another value for that key, neither stays. */
void flm_builder_agree_note(struct flm_builder *b, uint32_t key, uint32_t value);

/* A sample whose values are to be set by the caller, and do not count in the tree: its index, or
 * FLM_NONE. */
uint32_t flm_builder_keep_sample(struct flm_builder *b, int64_t time_ns, uint32_t node,
                                 uint32_t label_set);

/* Makes the text of each loss's `where`: "line 812". Part of finishing. */
bool flm_builder_resolve_losses(struct flm_builder *b);

bool flm_builder_reserve(struct flm_builder *b, size_t node_count);

/* The node that `frames` lead to from `from`: flm_builder_stack for a reader that already knows the
 * node of the first part. */
struct flm_node flm_builder_descend(struct flm_builder *b, struct flm_node from,
                                    const struct flm_frame *frames, size_t count);

#endif
