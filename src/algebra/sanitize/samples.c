#include <stdlib.h>

#include "algebra/sanitize/internal.h"

/* ---- Labels ---------------------------------------------------------------------------------- */

/* What becomes of a label: NULL: it stays; "": it goes; else the kind of its pseudonym. */
static const char *fate_of(const struct flm_sanitizing *w, struct flm_bytes key)
{
    static const struct {
        const char *key, *kind;
    } known[] = {{"cpu", NULL},          {"state", NULL},        {"thread", "thread"},
                 {"tid", "thread"},      {"process", "process"}, {"pid", "process"},
                 {"command", "command"}, {"comm", "command"},    {"thread name", "name"}};
    if (w->rules->keeps_labels || flm_texts_have(&w->rules->labels, key))
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (flm_bytes_are(key, known[i].key))
            return known[i].kind;
    return "";
}

/* By label set: the builder's. NULL, and the builder has failed: memory ran out. */
static struct flm_label_set *copy_label_sets(struct flm_sanitizing *w)
{
    const struct flm_profile *p = w->p;
    struct flm_string *labels = malloc((2 * (size_t)p->sizes.label_count + 1) * sizeof *labels);
    struct flm_label_set *sets = calloc((size_t)p->sizes.label_set_count + 1, sizeof *sets);
    uint32_t member = 0;
    if (!labels || !sets)
        flm_builder_fail_memory(w->b);
    for (uint32_t set = 0; labels && sets && set < p->sizes.label_set_count; set++) {
        size_t count = 0;
        for (; member < p->label_set_ends[set]; member++) {
            struct flm_label_record label = p->labels[p->set_members[member]];
            struct flm_bytes key = flm_string_bytes(p, label.key);
            const char *kind = fate_of(w, key);
            if (kind && !*kind)
                continue;
            labels[count++].index = flm_sanitize_text(w, key);
            labels[count++].index =
                kind ? flm_sanitize_pseudonym(w, kind, flm_string_bytes(p, label.value))
                     : flm_sanitize_string(w, label.value);
        }
        sets[set] = flm_builder_label_set(w->b, labels, count / 2);
    }
    free(labels);
    return sets;
}

/* ---- Samples, markers, counters -------------------------------------------------------------- */

/* The first time of anything; FLM_NO_TIME: there is none. */
static int64_t first_time(const struct flm_profile *p)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME && p->sample_time[i] < first)
            first = p->sample_time[i];
    if (p->sizes.marker_count > 0 && p->markers[0].time_ns < first)
        first = p->markers[0].time_ns;
    for (uint32_t i = 0; i < p->sizes.point_count; i++)
        first = p->point_time[i] < first ? p->point_time[i] : first;
    return first == INT64_MAX ? FLM_NO_TIME : first;
}

struct span {
    int64_t time_ns, duration_ns;
};

/* From the first time on, in whole units: what lasts keeps all of the units that it is in. */
static struct span coarse(const struct flm_sanitizing *w, int64_t origin_ns, int64_t time_ns,
                          int64_t duration_ns)
{
    int64_t unit = w->rules->time_unit_ns;
    if (w->rules->drops_times || time_ns == FLM_NO_TIME)
        return (struct span){FLM_NO_TIME, 0};
    uint64_t start = (uint64_t)time_ns - (uint64_t)origin_ns, end = start + (uint64_t)duration_ns;
    end = end > INT64_MAX ? INT64_MAX : end;
    start -= start % (uint64_t)unit;
    if (duration_ns > 0 && end % (uint64_t)unit != 0 && end < (uint64_t)(INT64_MAX - unit))
        end += (uint64_t)unit - end % (uint64_t)unit;
    return (struct span){(int64_t)start, duration_ns > 0 ? (int64_t)(end - start) : 0};
}

static void copy_samples(struct flm_sanitizing *w, const struct flm_label_set *sets,
                         int64_t origin_ns)
{
    const struct flm_profile *p = w->p;
    for (uint32_t i = 0; i < p->sizes.sample_count && !w->b->failed; i++) {
        struct span span = coarse(w, origin_ns, p->sample_time[i], flm_sample_duration(p, i));
        uint32_t sample = flm_builder_keep_sample(w->b, span.time_ns, w->node_of[p->sample_node[i]],
                                                  sets[p->sample_labels[i]].index);
        flm_builder_sample_lasts(w->b, span.duration_ns);
        for (uint32_t m = 0; m < p->sizes.metric_count && !w->b->failed; m++)
            flm_builder_keep_value(w->b, w->metric_of[m], sample, flm_sample_value(p, m, i));
    }
}

static void copy_markers(struct flm_sanitizing *w, const struct flm_label_set *sets,
                         int64_t origin_ns)
{
    const struct flm_profile *p = w->p;
    if (w->rules->drops_markers)
        return;
    for (uint32_t i = 0; i < p->sizes.marker_count && !w->b->failed; i++) {
        const struct flm_marker_record *m = &p->markers[i];
        struct span span = coarse(w, origin_ns, m->time_ns, m->duration_ns);
        uint32_t detail = w->rules->keeps_details ? flm_sanitize_string(w, m->detail) : 0;
        flm_builder_marker(w->b, span.time_ns, span.duration_ns,
                           (struct flm_string){flm_sanitize_string(w, m->name)},
                           (struct flm_string){detail}, sets[m->label_set]);
    }
}

static void copy_counters(struct flm_sanitizing *w, const struct flm_label_set *sets,
                          int64_t origin_ns)
{
    const struct flm_profile *p = w->p;
    uint32_t point = 0;
    for (uint32_t i = 0; i < p->sizes.counter_count && !w->b->failed; i++) {
        const struct flm_counter_record *c = &p->counters[i];
        struct flm_counter counter = flm_builder_counter(
            w->b, (struct flm_string){flm_sanitize_string(w, c->name)},
            (struct flm_string){flm_sanitize_string(w, c->unit)}, sets[c->label_set]);
        for (; point < c->end; point++)
            flm_builder_counter_point(w->b, counter,
                                      coarse(w, origin_ns, p->point_time[point], 0).time_ns,
                                      p->point_value[point]);
    }
}

void flm_sanitize_samples(struct flm_sanitizing *w)
{
    int64_t origin_ns = first_time(w->p);
    struct flm_label_set *sets = copy_label_sets(w);
    if (!w->b->failed)
        copy_samples(w, sets, origin_ns);
    if (!w->b->failed && !w->rules->drops_times) {
        copy_markers(w, sets, origin_ns);
        copy_counters(w, sets, origin_ns);
    }
    free(sets);
}
