/* restrict.c - operations that keep some stacks, samples or metrics and leave the tree as it is. */
#include "algebra/operation/operations.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/kept_markers.h"
#include "algebra/operation/labels.h"
#include "algebra/operation/subset.h"
#include "profile/internal.h"
#include "profile/residuals.h"
#include "profile/sample_span.h"

/* Stacks and samples by a byte for each node: 1 stays. */
static struct flm_profile *keep_stacks(const struct flm_profile *p, const unsigned char *kept,
                                       struct flm_error *why)
{
    struct flm_column *columns = flm_columns_copy(p);
    unsigned char *sample_kept = malloc((size_t)p->sizes.sample_count + 1);
    struct flm_profile *result = NULL;
    if (columns && sample_kept) {
        for (uint32_t m = 0; m < p->sizes.metric_count; m++)
            for (uint32_t i = 0; i < p->sizes.node_count; i++)
                if (!kept[i])
                    columns[m].self[i] = 0;
        for (uint32_t i = 0; i < p->sizes.sample_count; i++)
            sample_kept[i] = kept[p->sample_node[i]];
        result = flm_subset(p, columns, p->sizes.metric_count, sample_kept, why);
    } else {
        flm_error_memory(why);
    }
    flm_columns_free(columns, p->sizes.metric_count);
    free(sample_kept);
    return result;
}

struct flm_profile *flm_keep(const struct flm_profile *p, const unsigned char *marks, bool with,
                             struct flm_error *why)
{
    assert(p && marks);
    unsigned char *kept = malloc(p->sizes.node_count);
    if (!kept) {
        flm_error_memory(why);
        return NULL;
    }
    /* A subtree below a marked frame is a range. */
    memset(kept, !with, p->sizes.node_count);
    for (uint32_t i = 1; i < p->sizes.node_count;) {
        bool marked = marks[p->node_frame[i]];
        uint32_t next = marked ? p->node_end[i] : i + 1;
        if (marked)
            memset(kept + i, with, next - i);
        i = next;
    }
    struct flm_profile *result = keep_stacks(p, kept, why);
    free(kept);
    return result;
}

/* Sets kept[i] for all nodes at and below the path; returns how many nodes are at it. Only nodes on
 * the path are visited: used[i] is how much of the path leads to node i, with the semicolon after
 * it. */
static uint32_t keep_below(const struct flm_profile *p, struct flm_bytes path, bool with,
                           const uint32_t *parent, size_t *used, unsigned char *kept)
{
    uint32_t found = 0;
    used[0] = 0;
    for (uint32_t i = 1; i < p->sizes.node_count;) {
        size_t at = used[parent[i]];
        struct flm_bytes name = flm_frame_function(p, p->node_frame[i]);
        struct flm_bytes rest = {path.at + at, path.size - at};
        bool begins = rest.size >= name.size && memcmp(rest.at, name.at, name.size) == 0;
        if (begins && rest.size > name.size && rest.at[name.size] == ';') {
            used[i] = at + name.size + 1;
            i++;
            continue;
        }
        if (begins && rest.size == name.size) {
            memset(kept + i, with, p->node_end[i] - i);
            found++;
        }
        i = p->node_end[i];
    }
    return found;
}

struct flm_profile *flm_keep_path(const struct flm_profile *p, struct flm_bytes path, bool with,
                                  uint32_t *found, struct flm_error *why)
{
    size_t nodes = p->sizes.node_count;
    unsigned char *kept = malloc(nodes);
    uint32_t *parent = malloc(nodes * sizeof *parent);
    size_t *used = malloc(nodes * sizeof *used);
    struct flm_profile *result = NULL;
    if (kept && parent && used) {
        flm_profile_parents(p, parent);
        memset(kept, !with, nodes);
        *found = keep_below(p, path, with, parent, used, kept);
        result = keep_stacks(p, kept, why);
    } else {
        flm_error_memory(why);
    }
    free(kept);
    free(parent);
    free(used);
    return result;
}

struct flm_profile *flm_select(const struct flm_profile *p, uint32_t metric, struct flm_error *why)
{
    assert(metric < p->sizes.metric_count);
    struct flm_column *columns = flm_columns_copy(p);
    if (!columns) {
        flm_error_memory(why);
        return NULL;
    }
    /* Samples that have nothing of this metric go with the others. */
    unsigned char *kept = malloc((size_t)p->sizes.sample_count + 1);
    for (uint32_t i = 0; kept && i < p->sizes.sample_count; i++)
        kept[i] = columns[metric].sample[i] != 0;
    struct flm_profile *result = kept ? flm_subset(p, &columns[metric], 1, kept, why) : NULL;
    if (!kept)
        flm_error_memory(why);
    free(kept);
    flm_columns_free(columns, p->sizes.metric_count);
    return result;
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

/* Whether a self value differs from the sum of the samples of its node, other than by rounding
 * where these are fractions. `left` is working memory. */
static bool has_unsampled_value(const struct flm_profile *p, uint32_t metric, double *left)
{
    const double *self = flm_self_column(p, metric);
    struct flm_sample_values values = flm_sample_values(p, metric);
    double norm = 0, missing = 0;
    memcpy(left, self, p->sizes.node_count * sizeof *left);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        double value = flm_sample_value_of(&values, i);
        left[p->sample_node[i]] -= value;
        norm += magnitude(value);
    }
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        missing += magnitude(left[i]);
    return missing > 1e-9 * norm;
}

static double *self_of(void *columns, uint32_t metric)
{
    return ((struct flm_column *)columns)[metric].self;
}

/* The samples that are kept, with the values in `columns`, which receive the sums of these: exact,
 * and rounded once, as when they were read. */
static struct flm_profile *keep_samples(const struct flm_profile *p, struct flm_column *columns,
                                        const unsigned char *kept, struct flm_error *why)
{
    struct flm_residuals residuals = {0};
    struct flm_profile *result = NULL;
    bool good = true;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        memset(columns[m].self, 0, p->sizes.node_count * sizeof(double));
        for (uint32_t i = 0; good && i < p->sizes.sample_count; i++)
            if (kept[i])
                good = flm_add_exactly(&residuals, m, p->sample_node[i],
                                       &columns[m].self[p->sample_node[i]], columns[m].sample[i]);
    }
    if (good) {
        uint64_t rounded = flm_residuals_round(&residuals, self_of, columns);
        result = flm_subset_rounded(p, columns, p->sizes.metric_count, kept, rounded, why);
    } else {
        flm_error_memory(why);
    }
    flm_residuals_clear(&residuals);
    return result;
}

bool flm_is_sampled(const struct flm_profile *p, const char *what, struct flm_error *why)
{
    if (p->sizes.sample_count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the profile has no samples of their own, so none with a %s", what);
    double *left = malloc(p->sizes.node_count * sizeof *left);
    bool unsampled = false;
    for (uint32_t m = 0; left && m < p->sizes.metric_count; m++)
        unsampled |= has_unsampled_value(p, m, left);
    free(left);
    if (!left)
        return flm_error_memory(why);
    if (unsampled)
        return flm_error_set(
            why, FLM_ERROR_USAGE,
            "a part of the profile came without samples of their own, so its %s is "
            "not known: select before merging",
            what);
    return true;
}

static bool set_has(const struct flm_profile *p, uint32_t set, struct flm_bytes key,
                    struct flm_bytes value)
{
    uint32_t start = set ? p->label_set_ends[set - 1] : 0;
    for (uint32_t i = start; i < p->label_set_ends[set]; i++) {
        struct flm_label_record label = p->labels[p->set_members[i]];
        if (flm_bytes_equal(flm_string_bytes(p, label.key), key) &&
            flm_label_is(value, flm_string_bytes(p, label.value)))
            return true;
    }
    return false;
}

/* Whose markers and counters stay: those that have no such label, and those of which it agrees. */
static bool set_agrees(const struct flm_profile *p, uint32_t set, struct flm_bytes key,
                       struct flm_bytes value, bool with)
{
    return !set_has(p, set, key, flm_bytes_of("")) || set_has(p, set, key, value) == with;
}

struct flm_profile *flm_keep_sets(const struct flm_profile *p, const unsigned char *set_kept,
                                  const unsigned char *set_agreeing, const char *what,
                                  struct flm_error *why)
{
    if (!flm_is_sampled(p, what, why))
        return NULL;
    unsigned char *kept = malloc(p->sizes.sample_count);
    struct flm_column *columns = flm_columns_copy(p);
    struct flm_profile *result = NULL, labeled = *p; /* with its markers as they stay */
    struct flm_kept_markers markers = {0};
    if (kept && columns &&
        flm_markers_keep(&markers, &labeled, set_agreeing, FLM_NO_TIME, INT64_MAX)) {
        for (uint32_t i = 0; i < p->sizes.sample_count; i++)
            kept[i] = set_kept[p->sample_labels[i]];
        result = keep_samples(&labeled, columns, kept, why);
    } else {
        flm_error_memory(why);
    }
    flm_kept_markers_clear(&markers);
    flm_columns_free(columns, p->sizes.metric_count);
    free(kept);
    return result;
}

struct flm_profile *flm_keep_label(const struct flm_profile *p, struct flm_bytes key,
                                   struct flm_bytes value, bool with, struct flm_error *why)
{
    unsigned char *set_kept = malloc((size_t)p->sizes.label_set_count + 1);
    unsigned char *set_agreeing = malloc((size_t)p->sizes.label_set_count + 1);
    struct flm_profile *result = NULL;
    bool room = set_kept && set_agreeing;
    for (uint32_t set = 0; room && set < p->sizes.label_set_count; set++) {
        set_kept[set] = set_has(p, set, key, value) == with;
        set_agreeing[set] = set_agrees(p, set, key, value, with);
    }
    if (room)
        result = flm_keep_sets(p, set_kept, set_agreeing, "label", why);
    else
        flm_error_memory(why);
    free(set_agreeing);
    free(set_kept);
    return result;
}

/* The samples of `p` as they are in a range: whether each is kept, when it begins, and what it
 * lasts; and what of its values, metric by metric, is in it. */
struct clipped {
    unsigned char *kept;
    int64_t *time, *duration;
    struct flm_column *columns;
};

static bool clip_sample(const struct flm_profile *p, struct clipped *c, const double *unit_ns,
                        uint32_t i, int64_t from_ns, int64_t to_ns)
{
    struct flm_sample_part part;
    if (!flm_sample_part(p, i, from_ns, to_ns, &part))
        return false;
    bool any = p->sizes.metric_count == 0;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        double *value = &c->columns[m].sample[i];
        *value = flm_sample_part_value(&part, *value, unit_ns[m]);
        any |= *value != 0 || part.of_time == 1;
    }
    c->time[i] = part.time_ns;
    c->duration[i] = part.duration_ns;
    return any;
}

struct flm_profile *flm_keep_time(const struct flm_profile *p, int64_t from_ns, int64_t to_ns,
                                  struct flm_error *why)
{
    if (!flm_is_sampled(p, "time", why))
        return NULL;
    size_t count = p->sizes.sample_count, metrics = p->sizes.metric_count;
    struct clipped c = {.kept = malloc(count),
                        .time = malloc(count * sizeof *c.time),
                        .duration = malloc(count * sizeof *c.duration),
                        .columns = flm_columns_copy(p)};
    double *unit_ns = malloc((metrics + 1) * sizeof *unit_ns);
    struct flm_profile *result = NULL, in_range = *p; /* with everything as it is in the range */
    struct flm_kept_markers markers = {0};
    if (c.kept && c.time && c.duration && c.columns && unit_ns &&
        flm_markers_keep(&markers, &in_range, NULL, from_ns, to_ns)) {
        for (uint32_t m = 0; m < metrics; m++)
            unit_ns[m] = flm_time_unit_ns(c.columns[m].unit);
        memcpy(c.time, p->sample_time, count * sizeof *c.time);
        for (uint32_t i = 0; i < count; i++)
            c.kept[i] = clip_sample(p, &c, unit_ns, i, from_ns, to_ns);
        in_range.sample_time = c.time;
        in_range.sample_duration = c.duration;
        result = keep_samples(&in_range, c.columns, c.kept, why);
    } else {
        flm_error_memory(why);
    }
    flm_kept_markers_clear(&markers);
    flm_columns_free(c.columns, metrics);
    free(unit_ns);
    free(c.kept);
    free(c.time);
    free(c.duration);
    return result;
}
