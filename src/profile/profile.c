#include "profile/columns.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/large_block.h"
#include "base/number/number.h"
#include "base/number/sum.h"
#include "base/text/text.h"
#include "flamel/flamel.h"
#include "profile/flm_file.h"

const char *flm_kind_name(uint32_t kind)
{
    static const char *const names[FLM_KIND_COUNT] = {
        "plain",     "native",      "kernel", "inlined", "jit",
        "jit_tier1", "interpreted", "gpu",    "waker",   "label",
    };
    return kind < FLM_KIND_COUNT ? names[kind] : NULL;
}

size_t flm_clones_name(uint32_t flags, char out[FLM_CLONES_SIZE])
{
    static const struct {
        uint32_t flag;
        const char *name;
    } clones[] = {{FLM_FRAME_CONSTPROP, "constprop"},
                  {FLM_FRAME_ISRA, "isra"},
                  {FLM_FRAME_PART, "part"},
                  {FLM_FRAME_COLD, "cold"}};
    size_t size = 0;
    for (size_t i = 0; i < sizeof clones / sizeof clones[0]; i++) {
        if (!(flags & clones[i].flag))
            continue;
        if (size > 0)
            out[size++] = '+';
        size_t more = strlen(clones[i].name);
        memcpy(out + size, clones[i].name, more);
        size += more;
    }
    out[size] = 0;
    return size;
}

static void free_image(void *image)
{
    free(image);
}

struct flm_profile *flm_profile_allocate(const struct flm_sizes *sizes, struct flm_error *why)
{
    struct flm_profile *p = calloc(1, sizeof *p);
    uint64_t size = flm_file_size(sizes);
    void *image =
        p && size <= SIZE_MAX ? flm_large_block(calloc(1, (size_t)size), (size_t)size) : NULL;
    if (!image) {
        free(p);
        flm_error_memory(why);
        return NULL;
    }
    if (sizes->compact_values &&
        !(p->values = calloc((size_t)sizes->metric_count + 1, sizeof *p->values))) {
        free(image);
        free(p);
        flm_error_memory(why);
        return NULL;
    }
    p->image = image;
    p->image_size = (size_t)size;
    p->release = free_image;
    p->release_context = image;
    flm_file_place(p, sizes);
    return p;
}

void flm_profile_free(struct flm_profile *profile)
{
    if (!profile)
        return;
    if (profile->values && profile->release) { /* else they are borrowed */
        for (uint32_t m = 0; m < profile->sizes.metric_count; m++)
            flm_sample_values_clear(&profile->values[m]);
        free(profile->values);
    }
    if (profile->release)
        profile->release(profile->release_context);
    free(profile->residuals);
    free(profile);
}

struct flm_profile *flm_profile_borrow(const struct flm_profile *profile, struct flm_error *why)
{
    struct flm_profile *borrowed = malloc(sizeof *borrowed);
    if (!borrowed) {
        flm_error_memory(why);
        return NULL;
    }
    *borrowed = *profile;
    borrowed->release = NULL;
    borrowed->residuals = NULL;
    borrowed->residual_count = 0;
    return borrowed;
}

bool flm_profile_shrink(struct flm_profile *profile, const struct flm_sizes *sizes,
                        struct flm_error *why)
{
    assert(!profile->values || sizes->sample_count == profile->sizes.sample_count);
    struct flm_profile old = *profile, now = *profile;
    flm_file_place(&now, sizes);
    /* Every section moves down or stays, and they are moved in file order, so none overwrites what
     * is still to be moved; a column of one metric moves within its section the same way. */
    flm_file_move(&now, &old);
    void *smaller = realloc(now.image, (size_t)flm_file_size(sizes));
    if (!smaller)
        return flm_error_memory(why);
    *profile = now;
    profile->image = profile->release_context = smaller;
    profile->image_size = (size_t)flm_file_size(sizes);
    flm_file_place(profile, sizes);
    return true;
}

bool flm_check_sums(struct flm_bytes name, const double *self, size_t node_count,
                    const double *sample, size_t sample_count, struct flm_error *why)
{
    if (flm_sum_of_sizes(self, node_count) <= FLM_SUM_LIMIT &&
        flm_sum_of_sizes(sample, sample_count) <= FLM_SUM_LIMIT)
        return true;
    return flm_error_set(why, FLM_ERROR_RANGE,
                         "the values of '%.*s' sum to more than 2^1000, the most that is added up: "
                         "scale them down",
                         (int)name.size, name.at);
}

uint32_t flm_profile_string_count(const struct flm_profile *profile)
{
    return profile->sizes.string_count;
}

uint32_t flm_profile_frame_count(const struct flm_profile *profile)
{
    return profile->sizes.frame_count;
}

uint32_t flm_profile_node_count(const struct flm_profile *profile)
{
    return profile->sizes.node_count;
}

uint32_t flm_profile_metric_count(const struct flm_profile *profile)
{
    return profile->sizes.metric_count;
}

uint32_t flm_profile_sample_count(const struct flm_profile *profile)
{
    return profile->sizes.sample_count;
}

uint32_t flm_profile_label_count(const struct flm_profile *profile)
{
    return profile->sizes.label_count;
}

uint32_t flm_profile_label_set_count(const struct flm_profile *profile)
{
    return profile->sizes.label_set_count;
}

uint32_t flm_profile_note_count(const struct flm_profile *profile)
{
    return profile->sizes.note_count;
}

uint32_t flm_profile_loss_count(const struct flm_profile *profile)
{
    return profile->sizes.loss_count;
}

uint32_t flm_profile_marker_count(const struct flm_profile *profile)
{
    return profile->sizes.marker_count;
}

uint32_t flm_profile_counter_count(const struct flm_profile *profile)
{
    return profile->sizes.counter_count;
}

uint32_t flm_profile_location_count(const struct flm_profile *profile)
{
    return profile->sizes.location_count;
}

struct flm_location flm_profile_location(const struct flm_profile *profile, uint32_t location)
{
    assert(location < profile->sizes.location_count);
    return flm_location_at(profile, location);
}

struct flm_name flm_profile_string(const struct flm_profile *profile, struct flm_string string)
{
    struct flm_bytes text = flm_string_bytes(profile, string.index);
    return (struct flm_name){text.at, text.size};
}

const struct flm_frame_record *flm_profile_frame(const struct flm_profile *profile,
                                                 struct flm_frame frame)
{
    return &profile->frames[frame.index];
}

const uint32_t *flm_profile_frames(const struct flm_profile *profile)
{
    return profile->node_frame;
}

const uint32_t *flm_profile_ends(const struct flm_profile *profile)
{
    return profile->node_end;
}

const double *flm_profile_self(const struct flm_profile *profile, struct flm_metric metric)
{
    return flm_self_column(profile, metric.index);
}

const struct flm_metric_record *flm_profile_metric(const struct flm_profile *profile,
                                                   struct flm_metric metric)
{
    return &profile->metrics[metric.index];
}

struct flm_metric flm_profile_metric_named(const struct flm_profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->sizes.metric_count; i++)
        if (flm_bytes_are(flm_string_bytes(profile, profile->metrics[i].name), name))
            return (struct flm_metric){i};
    return (struct flm_metric){FLM_NONE};
}

double flm_profile_total(const struct flm_profile *profile, struct flm_metric metric)
{
    const double *self = flm_self_column(profile, metric.index);
    uint32_t count = profile->sizes.node_count, i = 0;
    if (flm_sum_of_sizes(self, count) >= FLM_EXACT_LIMIT) {
        struct flm_exact_sum exact;
        flm_exact_sum_init(&exact);
        for (; i < count; i++)
            flm_exact_sum_add(&exact, self[i]);
        return flm_exact_sum_take(&exact);
    }
    /* Four sums, so that the additions do not wait for each other; integers stay exact. */
    double sum[4] = {0};
    for (; i + 4 <= count; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += self[i + (uint32_t)lane];
    for (; i < count; i++)
        sum[0] += self[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void flm_add_up(double *values, const uint32_t *end, uint32_t node_count)
{
    /* Beyond 2^53 a total is the sum of its node and children, rounded once or twice. */
    bool exact = flm_sum_of_sizes(values, node_count) < FLM_EXACT_LIMIT;
    for (uint32_t i = node_count; !exact && i-- > 0;) {
        struct flm_sum sum = {values[i], 0};
        for (uint32_t child = i + 1; child < end[i]; child = end[child])
            flm_sum_add(&sum, values[child]);
        values[i] = flm_sum_of(&sum);
    }
    for (uint32_t i = node_count; exact && i-- > 0;) {
        double sum = values[i];
        for (uint32_t child = i + 1; child < end[i]; child = end[child])
            sum += values[child];
        values[i] = sum;
    }
}

void flm_profile_totals(const struct flm_profile *p, struct flm_metric metric, double *total)
{
    memcpy(total, flm_self_column(p, metric.index), p->sizes.node_count * sizeof *total);
    flm_add_up(total, p->node_end, p->sizes.node_count);
}

void flm_profile_parents(const struct flm_profile *p, uint32_t *parent)
{
    parent[0] = FLM_NONE;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t above = i - 1;
        while (p->node_end[above] <= i)
            above = parent[above];
        parent[i] = above;
    }
}

uint32_t flm_profile_depths(const struct flm_profile *p, uint32_t *depth)
{
    uint32_t deepest = 0;
    depth[0] = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        for (uint32_t child = i + 1; child < p->node_end[i]; child = p->node_end[child])
            depth[child] = depth[i] + 1;
        if (depth[i] > deepest)
            deepest = depth[i];
    }
    return deepest;
}

bool flm_profile_depth(const struct flm_profile *p, uint32_t *deepest, struct flm_error *why)
{
    /* The ends of the nodes that are open; as many as the depth. */
    struct FLM_ARRAY(uint32_t) open = {NULL, 0, 0};
    *deepest = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        while (open.count > 0 && open.at[open.count - 1] <= i)
            open.count--;
        if (open.count > *deepest)
            *deepest = (uint32_t)open.count;
        if (!FLM_ARRAY_ADD(&open, p->node_end[i])) {
            FLM_ARRAY_CLEAR(&open);
            return flm_error_memory(why);
        }
    }
    FLM_ARRAY_CLEAR(&open);
    return true;
}

const int64_t *flm_profile_sample_times(const struct flm_profile *profile)
{
    return profile->sample_time;
}

const int64_t *flm_profile_sample_durations(const struct flm_profile *profile)
{
    assert(profile);
    return profile->sizes.duration_count ? profile->sample_duration : NULL;
}

const uint32_t *flm_profile_sample_nodes(const struct flm_profile *profile)
{
    return profile->sample_node;
}

const uint32_t *flm_profile_sample_label_sets(const struct flm_profile *profile)
{
    return profile->sample_labels;
}

const double *flm_profile_sample_values(const struct flm_profile *profile, struct flm_metric metric)
{
    assert(metric.index < profile->sizes.metric_count);
    if (!profile->values)
        return flm_sample_column(profile, metric.index);
    struct flm_sample_values *values = &profile->values[metric.index];
    if (values->any && !values->present)
        return values->any;
    return flm_sample_values_expanded(values, profile->sizes.sample_count);
}

double flm_profile_sample_value(const struct flm_profile *profile, struct flm_metric metric,
                                uint32_t sample)
{
    assert(metric.index < profile->sizes.metric_count && sample < profile->sizes.sample_count);
    return flm_sample_value(profile, metric.index, sample);
}

const struct flm_label_record *flm_profile_labels(const struct flm_profile *profile)
{
    return profile->labels;
}

const uint32_t *flm_profile_label_set(const struct flm_profile *profile, struct flm_label_set set,
                                      uint32_t *count)
{
    assert(set.index < profile->sizes.label_set_count);
    uint32_t start = set.index ? profile->label_set_ends[set.index - 1] : 0;
    *count = profile->label_set_ends[set.index] - start;
    return profile->set_members + start;
}

const struct flm_note_record *flm_profile_notes(const struct flm_profile *profile)
{
    return profile->notes;
}

const struct flm_loss_record *flm_profile_losses(const struct flm_profile *profile)
{
    return profile->losses;
}

const struct flm_marker_record *flm_profile_markers(const struct flm_profile *profile)
{
    return profile->markers;
}

struct flm_counter_points flm_profile_counter(const struct flm_profile *profile,
                                              struct flm_counter counter)
{
    assert(counter.index < profile->sizes.counter_count);
    const struct flm_counter_record *record = &profile->counters[counter.index];
    uint32_t start = counter.index ? record[-1].end : 0;
    return (struct flm_counter_points){.name = {record->name},
                                       .unit = {record->unit},
                                       .label_set = {record->label_set},
                                       .point_count = record->end - start,
                                       .time_ns = profile->point_time + start,
                                       .value = profile->point_value + start};
}

struct flm_name flm_profile_note_named(const struct flm_profile *profile, const char *key)
{
    for (uint32_t i = 0; i < profile->sizes.note_count; i++)
        if (flm_bytes_are(flm_string_bytes(profile, profile->notes[i].key), key))
            return flm_profile_string(profile, (struct flm_string){profile->notes[i].value});
    return (struct flm_name){NULL, 0};
}

static struct flm_metric first_with_values(const struct flm_profile *p)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        for (uint32_t i = 0; i < p->sizes.node_count; i++)
            if (flm_self_column(p, m)[i] != 0)
                return (struct flm_metric){m};
    return (struct flm_metric){0};
}

bool flm_metric_find(const struct flm_profile *p, const char *name, struct flm_metric *metric,
                     struct flm_error *why)
{
    if (p->sizes.metric_count == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "the profile has no metric, so no values");
    *metric = name ? flm_profile_metric_named(p, name) : first_with_values(p);
    if (metric->index != FLM_NONE)
        return true;
    struct flm_text names = {0};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        flm_text_puts(&names, m ? ", " : "");
        flm_text_add(&names, flm_string_bytes(p, p->metrics[m].name));
    }
    flm_error_set(why, FLM_ERROR_USAGE, "there is no metric '%s'; there is %.*s", name,
                  (int)names.size, names.at ? names.at : "");
    flm_text_clear(&names);
    return false;
}

/* ---- What the whole library shares ----------------------------------------------------------- */

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *flm_version(void)
{
    return VERSION_TEXT(FLM_VERSION_MAJOR, FLM_VERSION_MINOR, FLM_VERSION_PATCH);
}
