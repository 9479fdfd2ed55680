/* columns.h - the profile from inside: one block of memory, laid out as the .flm file.
 *
 * The block begins with the file's header and section table; the pointers below lead into it.
 * Algorithms read the columns directly. A profile that is being made (by the builder, by an
 * operation) is the same structure: allocated for known sizes, filled, sealed. */
#ifndef FLAMEL_PROFILE_COLUMNS_H
#define FLAMEL_PROFILE_COLUMNS_H

#include <assert.h>

#include "base/core/bytes.h"
#include "flamel/profile.h"
#include "profile/values/sample_values.h"

/* Names of metrics are compared pair by pair, so their number is bounded. */
enum { FLM_MOST_METRICS = 4096 };

struct flm_sizes {
    uint32_t string_count, frame_count, node_count, metric_count;
    uint64_t string_bytes;
    uint32_t note_count, loss_count;
    uint32_t label_count, label_set_count, set_member_count, sample_count;
    uint32_t duration_count; /* sample_count; 0 where no sample has a duration */
    uint32_t marker_count, counter_count, point_count;
    uint32_t location_count, chain_count; /* chains.h */
    uint32_t column_count;                /* location_count; 0 where no column is known */
    uint32_t shared_count;                /* chains of nodes that have several */
    uint32_t recursion_count;
    bool compact_values; /* values of samples are in `values`, outside the image */
};

/* A node that several frames of a function were merged into: recursion.h. */
struct flm_recursion_record {
    uint32_t node;
    uint32_t least, most; /* of them, in one stack */
};

/* What a value lacks to be the exact sum of what was added: see residuals.h. */
struct flm_residual {
    uint32_t metric, node;
    double value;
};

struct flm_profile {
    struct flm_sizes sizes;

    uint32_t *string_ends; /* string i is string_bytes[string_ends[i - 1] .. string_ends[i]) */
    char *string_bytes;
    struct flm_frame_record *frames;
    struct flm_metric_record *metrics;
    uint32_t *node_frame;
    uint32_t *node_end;
    double *self; /* metric by metric: self[metric * node_count + node] */
    struct flm_note_record *notes;
    struct flm_loss_record *losses;

    struct flm_label_record *labels;
    uint32_t *label_set_ends; /* set i is set_members[label_set_ends[i - 1] .. label_set_ends[i]) */
    uint32_t *set_members;    /* labels, ascending within a set; set 0 is empty */
    int64_t *sample_time;     /* ns, FLM_NO_TIME where it is not known; ascending */
    uint32_t *sample_node;
    uint32_t *sample_labels;  /* label set */
    int64_t *sample_duration; /* ns; 0: the sample is a moment. duration_count of them */
    /* Values of samples: in the image, metric by metric, sample_value[metric * sample_count +
     * sample]; with sizes.compact_values in `values` instead, one item a metric. */
    double *sample_value;
    struct flm_sample_values *values; /* NULL without sizes.compact_values */

    struct flm_marker_record *markers;
    struct flm_counter_record *counters;
    int64_t *point_time; /* counter by counter; ascending within each */
    double *point_value;
    uint32_t *frame_locations; /* these ten: chains.h */
    uint64_t *location_address;
    uint32_t *location_file, *location_line, *location_column;
    uint32_t *node_chains, *chain_caller, *chain_place;
    double *chain_value;
    uint32_t *sample_chain;
    struct flm_recursion_record *recursions; /* ascending by node */

    struct flm_residual
        *residuals; /* of a chunk (flm_builder_finish_chunk) only: not in the file */
    size_t residual_count;

    void *image; /* the block, or the mapped file */
    size_t image_size;
    void (*release)(void *context); /* gives the image back */
    void *release_context;
};

/* The flags that make a frame another one: not which clones of its function were seen. */
#define FLM_FRAME_IDENTITY (~(uint32_t)FLM_FRAME_CLONES)

/* The location of a frame while its profile is made, or split (chains.h): a number from 1; 0: it
 * has none, as all frames of a joined profile. It makes the frame another one. */
enum { FLM_MOST_LOCATIONS = (1 << 24) - 1, FLM_FRAME_FLAGS = 255 };

static inline uint32_t flm_frame_location(const struct flm_frame_record *frame)
{
    return frame->flags >> 8;
}

static inline struct flm_frame_record flm_frame_located(const struct flm_frame_record *frame,
                                                        uint32_t location)
{
    struct flm_frame_record record = *frame;
    record.flags = (record.flags & FLM_FRAME_FLAGS) | location << 8;
    return record;
}

/* A profile with room for exactly these sizes, zeroed; columns are to be filled. */
struct flm_profile *flm_profile_allocate(const struct flm_sizes *sizes, struct flm_error *why);

/* The same profile once more, for who frees what it is given: it uses the columns of `profile`,
 * which outlives it. NULL, and `why`, if memory ran out. */
struct flm_profile *flm_profile_borrow(const struct flm_profile *profile, struct flm_error *why);

/* Gives back the room of nodes, strings ... that turned out not to be needed: `sizes` are at most
 * those it was allocated with. Moves the columns together. */
bool flm_profile_shrink(struct flm_profile *profile, const struct flm_sizes *sizes,
                        struct flm_error *why);

static inline struct flm_bytes flm_string_bytes(const struct flm_profile *p, uint32_t string)
{
    uint32_t start = string ? p->string_ends[string - 1] : 0;
    return (struct flm_bytes){p->string_bytes + start, p->string_ends[string] - start};
}

static inline struct flm_bytes flm_frame_function(const struct flm_profile *p, uint32_t frame)
{
    return flm_string_bytes(p, p->frames[frame].function);
}

static inline struct flm_location flm_location_at(const struct flm_profile *p, uint32_t location)
{
    return (struct flm_location){.address = p->location_address[location],
                                 .file = p->location_file[location],
                                 .line = p->location_line[location],
                                 .column =
                                     p->sizes.column_count ? p->location_column[location] : 0};
}

static inline void flm_location_set(struct flm_profile *p, uint32_t location,
                                    const struct flm_location *where)
{
    p->location_address[location] = where->address;
    p->location_file[location] = where->file;
    p->location_line[location] = where->line;
    if (p->sizes.column_count)
        p->location_column[location] = where->column;
}

static inline double *flm_self_column(const struct flm_profile *p, uint32_t metric)
{
    return p->self + (size_t)metric * p->sizes.node_count;
}

/* The column of a profile without compact values, to be read or filled. */
static inline double *flm_sample_column(const struct flm_profile *p, uint32_t metric)
{
    assert(!p->values);
    return p->sample_value + (size_t)metric * p->sizes.sample_count;
}

/* The values of all samples, whether they are compact or not: a view, not to be cleared. */
static inline struct flm_sample_values flm_sample_values(const struct flm_profile *p,
                                                         uint32_t metric)
{
    if (p->values)
        return p->values[metric];
    return (struct flm_sample_values){.any = flm_sample_column(p, metric),
                                      .count = p->sizes.sample_count};
}

static inline double flm_sample_value(const struct flm_profile *p, uint32_t metric, uint32_t sample)
{
    struct flm_sample_values values = flm_sample_values(p, metric);
    return flm_sample_value_of(&values, sample);
}

static inline bool flm_has_negative(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] < 0)
            return true;
    return false;
}

/* 0 for a moment. */
static inline int64_t flm_sample_duration(const struct flm_profile *p, uint32_t sample)
{
    return p->sizes.duration_count ? p->sample_duration[sample] : 0;
}

/* Refuses values whose sum is too large to be added up further; `name` is that of their metric.
 * `sample` needs no values that are kept in 4 bytes: the sum of these is never that large. */
bool flm_check_sums(struct flm_bytes name, const double *self, size_t node_count,
                    const double *sample, size_t sample_count, struct flm_error *why);

/* Self values of `node_count` nodes to totals, in place: a backward pass, in which each node adds
 * up its children; no recursion and no parent pointers. */
void flm_add_up(double *values, const uint32_t *end, uint32_t node_count);

#endif
