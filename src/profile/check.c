/* check.c - flm_profile_check: the promises of profile.h, one function each, in the file's order.
 *
 * This runs over every file that is opened, so each promise is one pass over its columns. */
#include "profile/columns.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "profile/chains.h"

static bool broken(struct flm_error *why, const char *what, uint64_t index, const char *promise)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "%s %llu %s", what, (unsigned long long)index,
                         promise);
}

static bool check_strings(const struct flm_profile *p, struct flm_error *why)
{
    uint32_t count = p->sizes.string_count;
    if (count == 0 || p->string_ends[0] != 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "string 0 is not the empty one");
    for (uint32_t i = 1; i < count; i++)
        if (p->string_ends[i] < p->string_ends[i - 1] || p->string_ends[i] > p->sizes.string_bytes)
            return broken(why, "string", i, "does not lie within the string bytes");
    if (p->string_ends[count - 1] != p->sizes.string_bytes)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there are bytes after the last string");
    for (uint32_t i = 1; i < count; i++)
        if (flm_bytes_compare(flm_string_bytes(p, i - 1), flm_string_bytes(p, i)) >= 0)
            return broken(why, "string", i, "is not after the one before it");
    return true;
}

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_frames(const struct flm_frame_record *x, const struct flm_frame_record *y)
{
    int order = order_of(x->function, y->function);
    order = order ? order : order_of(x->module, y->module);
    order = order ? order : order_of(x->file, y->file);
    order = order ? order : order_of(x->line, y->line);
    order = order ? order : order_of(x->address, y->address);
    order = order ? order : order_of(x->kind, y->kind);
    return order ? order : order_of(x->flags & FLM_FRAME_IDENTITY, y->flags & FLM_FRAME_IDENTITY);
}

static bool check_frames(const struct flm_profile *p, struct flm_error *why)
{
    const struct flm_frame_record *f = p->frames;
    if (p->sizes.frame_count == 0 || f[0].function || f[0].module || f[0].file || f[0].line ||
        f[0].address || f[0].kind || f[0].flags != FLM_FRAME_ROOT)
        return flm_error_set(why, FLM_ERROR_FORMAT, "frame 0 is not the root's");
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        if (f[i].function >= p->sizes.string_count || f[i].module >= p->sizes.string_count ||
            f[i].file >= p->sizes.string_count)
            return broken(why, "frame", i, "names a string that is not there");
        if (f[i].kind >= FLM_KIND_COUNT || flm_frame_location(&f[i]) != 0)
            return broken(why, "frame", i, "has a kind that is none");
        if (f[i].flags & FLM_FRAME_ROOT)
            return broken(why, "frame", i, "is marked as the root's");
        if (i > 1 && compare_frames(&f[i - 1], &f[i]) >= 0)
            return broken(why, "frame", i, "is not after the one before it");
    }
    return true;
}

static bool check_metrics(const struct flm_profile *p, struct flm_error *why)
{
    if (p->sizes.metric_count > FLM_MOST_METRICS)
        return broken(why, "metric", FLM_MOST_METRICS, "is one more than a profile may have");
    for (uint32_t i = 0; i < p->sizes.metric_count; i++) {
        if (p->metrics[i].name >= p->sizes.string_count ||
            p->metrics[i].unit >= p->sizes.string_count)
            return broken(why, "metric", i, "names a string that is not there");
        for (uint32_t j = 0; j < i; j++)
            if (p->metrics[i].name == p->metrics[j].name)
                return broken(why, "metric", i, "has the name of another");
    }
    return true;
}

/* Nesting and order in one pass, with the nodes that are open at the moment. */
struct open_node {
    uint32_t end;
    uint32_t last_frame; /* of the last child seen; 0 before the first */
};

static bool check_nodes(const struct flm_profile *p, struct flm_error *why)
{
    uint32_t count = p->sizes.node_count;
    const uint32_t *frame = p->node_frame, *end = p->node_end;
    if (count == 0 || frame[0] != 0 || end[0] != count)
        return flm_error_set(why, FLM_ERROR_FORMAT, "node 0 is not a root that holds all nodes");
    struct FLM_ARRAY(struct open_node) open = {NULL, 0, 0};
    const char *promise = NULL;
    for (uint32_t i = 0; i < count; i++) {
        while (open.count > 0 && open.at[open.count - 1].end <= i)
            open.count--;
        if (i > 0) {
            struct open_node *parent = &open.at[open.count - 1];
            if (end[i] <= i || end[i] > parent->end)
                promise = "does not end within its parent";
            else if (frame[i] >= p->sizes.frame_count)
                promise = "names a frame that is not there";
            else if (frame[i] <= parent->last_frame)
                promise = "is not after its sibling";
            parent->last_frame = frame[i];
        }
        if (promise) {
            FLM_ARRAY_CLEAR(&open);
            return broken(why, "node", i, promise);
        }
        if (!FLM_ARRAY_ADD(&open, (struct open_node){end[i], 0})) {
            FLM_ARRAY_CLEAR(&open);
            return flm_error_memory(why);
        }
    }
    FLM_ARRAY_CLEAR(&open);
    return true;
}

/* x - x is 0 for every number and NaN for NaN and the infinities, and the loop has no branch. */
static bool all_finite(const double *values, uint64_t count)
{
    double sum[4] = {0};
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (uint64_t lane = 0; lane < 4; lane++)
            sum[lane] += values[i + lane] - values[i + lane];
    for (; i < count; i++)
        sum[0] += values[i] - values[i];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

static bool check_values(const struct flm_profile *p, struct flm_error *why)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_sample_values values = flm_sample_values(p, m);
        if (!all_finite(flm_self_column(p, m), p->sizes.node_count) ||
            !all_finite(values.any, values.any ? values.count : 0))
            return broken(why, "metric", m, "has a value that is not a finite number");
    }
    return true;
}

static bool check_notes(const struct flm_profile *p, struct flm_error *why)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        if (p->notes[i].key >= p->sizes.string_count || p->notes[i].value >= p->sizes.string_count)
            return broken(why, "note", i, "names a string that is not there");
        if (i > 0 && p->notes[i].key <= p->notes[i - 1].key)
            return broken(why, "note", i, "is not after the one before it");
    }
    for (uint32_t i = 0; i < p->sizes.loss_count; i++) {
        if (p->losses[i].what >= p->sizes.string_count ||
            p->losses[i].where >= p->sizes.string_count)
            return broken(why, "loss", i, "names a string that is not there");
        if (i > 0 && p->losses[i].what <= p->losses[i - 1].what)
            return broken(why, "loss", i, "is not after the one before it");
        if (!(p->losses[i].count >= 0 && p->losses[i].count - p->losses[i].count == 0))
            return broken(why, "loss", i, "is not a count");
    }
    return true;
}

static bool check_labels(const struct flm_profile *p, struct flm_error *why)
{
    const struct flm_sizes *s = &p->sizes;
    for (uint32_t i = 0; i < s->label_count; i++) {
        if (p->labels[i].key >= s->string_count || p->labels[i].value >= s->string_count)
            return broken(why, "label", i, "names a string that is not there");
        if (i > 0 && (p->labels[i].key < p->labels[i - 1].key ||
                      (p->labels[i].key == p->labels[i - 1].key &&
                       p->labels[i].value <= p->labels[i - 1].value)))
            return broken(why, "label", i, "is not after the one before it");
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->label_set_count; i++) {
        uint32_t end = p->label_set_ends[i];
        if (end < at || end > s->set_member_count || (i == 0 && end != 0))
            return broken(why, "label set", i, "does not lie within the members");
        for (uint32_t j = at; j < end; j++)
            if (p->set_members[j] >= s->label_count ||
                (j > at && p->set_members[j] <= p->set_members[j - 1]))
                return broken(why, "label set", i, "has members out of order");
        at = end;
    }
    if (at != s->set_member_count)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there are members after the last label set");
    return true;
}

static bool check_samples(const struct flm_profile *p, struct flm_error *why)
{
    const struct flm_sizes *s = &p->sizes;
    if (s->sample_count > 0 && s->label_set_count == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there are samples but no label set");
    for (uint32_t i = 0; i < s->sample_count; i++) {
        if (p->sample_node[i] >= s->node_count)
            return broken(why, "sample", i, "names a node that is not there");
        if (p->sample_labels[i] >= s->label_set_count)
            return broken(why, "sample", i, "names a label set that is not there");
        if (i > 0 && p->sample_time[i] < p->sample_time[i - 1])
            return broken(why, "sample", i, "is earlier than the one before it");
        int64_t duration = flm_sample_duration(p, i);
        if (duration < 0 || (duration > 0 && p->sample_time[i] == FLM_NO_TIME) ||
            (p->sample_time[i] > 0 && duration > INT64_MAX - p->sample_time[i]))
            return broken(why, "sample", i, "has a duration that is impossible");
    }
    return true;
}

static bool check_marker(const struct flm_profile *p, uint32_t i, struct flm_error *why)
{
    const struct flm_marker_record *m = &p->markers[i];
    if (m->name >= p->sizes.string_count || m->detail >= p->sizes.string_count)
        return broken(why, "marker", i, "names a string that is not there");
    if (m->label_set >= p->sizes.label_set_count)
        return broken(why, "marker", i, "names a label set that is not there");
    if (m->time_ns == FLM_NO_TIME)
        return broken(why, "marker", i, "has no time");
    if (i > 0 && m->time_ns < m[-1].time_ns)
        return broken(why, "marker", i, "is earlier than the one before it");
    if (m->duration_ns < 0 || (m->time_ns > 0 && m->duration_ns > INT64_MAX - m->time_ns))
        return broken(why, "marker", i, "has a duration that is impossible");
    return true;
}

static int compare_counters(const struct flm_counter_record *x, const struct flm_counter_record *y)
{
    int order = order_of(x->name, y->name);
    order = order ? order : order_of(x->unit, y->unit);
    return order ? order : order_of(x->label_set, y->label_set);
}

static bool check_points(const struct flm_profile *p, uint32_t counter, uint32_t start,
                         struct flm_error *why)
{
    uint32_t end = p->counters[counter].end;
    if (end <= start || end > p->sizes.point_count)
        return broken(why, "counter", counter, "does not have its points within the others");
    for (uint32_t i = start; i < end; i++) {
        if (p->point_time[i] == FLM_NO_TIME)
            return broken(why, "point", i, "has no time");
        if (i > start && p->point_time[i] <= p->point_time[i - 1])
            return broken(why, "point", i, "is not later than the one before it");
    }
    return true;
}

static bool check_markers(const struct flm_profile *p, struct flm_error *why)
{
    const struct flm_sizes *s = &p->sizes;
    for (uint32_t i = 0; i < s->marker_count; i++)
        if (!check_marker(p, i, why))
            return false;
    uint32_t start = 0;
    for (uint32_t i = 0; i < s->counter_count; i++) {
        const struct flm_counter_record *c = &p->counters[i];
        if (c->name >= s->string_count || c->unit >= s->string_count)
            return broken(why, "counter", i, "names a string that is not there");
        if (c->label_set >= s->label_set_count)
            return broken(why, "counter", i, "names a label set that is not there");
        if (i > 0 && compare_counters(&c[-1], c) >= 0)
            return broken(why, "counter", i, "is not after the one before it");
        if (!check_points(p, i, start, why))
            return false;
        start = c->end;
    }
    if (start != s->point_count)
        return flm_error_set(why, FLM_ERROR_FORMAT, "there are points after the last counter");
    if (!all_finite(p->point_value, s->point_count))
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "a counter has a value that is not a finite number");
    return true;
}

static bool check_recursions(const struct flm_profile *p, struct flm_error *why)
{
    for (uint32_t i = 0; i < p->sizes.recursion_count; i++) {
        const struct flm_recursion_record *r = &p->recursions[i];
        if (r->node == 0 || r->node >= p->sizes.node_count)
            return broken(why, "recursion", i, "names a node that is not there");
        if (i > 0 && r->node <= r[-1].node)
            return broken(why, "recursion", i, "is not after the one before it");
        if (r->least == 0 || r->most < 2 || r->least > r->most)
            return broken(why, "recursion", i, "has depths that are impossible");
    }
    return true;
}

bool flm_profile_check(const struct flm_profile *profile, struct flm_error *why)
{
    assert(profile);
    return check_strings(profile, why) && check_frames(profile, why) &&
           check_metrics(profile, why) && check_notes(profile, why) && check_nodes(profile, why) &&
           check_values(profile, why) && check_labels(profile, why) &&
           check_samples(profile, why) && check_markers(profile, why) &&
           flm_check_chains(profile, why) && check_recursions(profile, why);
}
