#include "algebra/aggregate/summary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "flamel/builder.h"
#include "profile/sample_span.h"

static void summarize_metric(const struct flm_profile *p, uint32_t metric,
                             struct flm_metric_summary *s)
{
    const double *self = flm_self_column(p, metric);
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (self[i] == 0)
            continue;
        const struct flm_frame_record *frame = &p->frames[p->node_frame[i]];
        s->stack_count++;
        s->total += self[i];
        s->size += fabs(self[i]);
        s->kinds[frame->kind] += fabs(self[i]);
        if (frame->flags & FLM_FRAME_UNSYMBOLIZED)
            s->unsymbolized += fabs(self[i]);
    }
}

/* Labels are sorted by key, then value, and distinct. */
static void count_label_keys(const struct flm_profile *p, struct flm_summary *s)
{
    for (uint32_t i = 0; i < p->sizes.label_count; i++) {
        if (i == 0 || p->labels[i].key != p->labels[i - 1].key)
            s->label_key[s->label_key_count++] = (struct flm_label_key){p->labels[i].key, 0};
        s->label_key[s->label_key_count - 1].value_count++;
    }
}

/* Samples are in order of time; those without one are first. */
static void find_times(const struct flm_profile *p, struct flm_summary *s)
{
    uint32_t first = 0, count = p->sizes.sample_count;
    while (first < count && p->sample_time[first] == FLM_NO_TIME)
        first++;
    s->timed_samples = count - first;
    flm_time_range(p, &s->first_ns, &s->last_ns);
}

bool flm_summary_init(struct flm_summary *summary, const struct flm_profile *p,
                      struct flm_error *why)
{
    assert(summary && p);
    *summary = (struct flm_summary){0};
    summary->metric = calloc((size_t)p->sizes.metric_count + 1, sizeof *summary->metric);
    summary->label_key = malloc(((size_t)p->sizes.label_count + 1) * sizeof *summary->label_key);
    if (!summary->metric || !summary->label_key) {
        flm_summary_clear(summary);
        return flm_error_memory(why);
    }
    if (!flm_profile_depth(p, &summary->depth, why)) {
        flm_summary_clear(summary);
        return false;
    }
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        summarize_metric(p, m, &summary->metric[m]);
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        summary->unsymbolized_frames += (p->frames[i].flags & FLM_FRAME_UNSYMBOLIZED) != 0;
    count_label_keys(p, summary);
    find_times(p, summary);
    return true;
}

void flm_summary_clear(struct flm_summary *summary)
{
    free(summary->metric);
    free(summary->label_key);
    *summary = (struct flm_summary){0};
}

struct flm_summary *flm_summary_new(const struct flm_profile *p, struct flm_error *why)
{
    struct flm_summary *summary = calloc(1, sizeof *summary);
    if (!summary)
        flm_error_memory(why);
    else if (flm_summary_init(summary, p, why))
        return summary;
    free(summary);
    return NULL;
}

void flm_summary_free(struct flm_summary *summary)
{
    if (summary)
        flm_summary_clear(summary);
    free(summary);
}
