/* write_threads.c - threads with their samples and markers, and counters. */
#include <stdlib.h>

#include "format/gecko/writing.h"

/* Whether a row without a stack ends sample `i`: a sample lasts until the next one, and the last of
 * a thread for the interval of the profile. */
static bool has_pause(const struct flm_gecko_writing *w, const struct flm_gecko_group *g,
                      uint32_t i)
{
    const double microsecond = 1e-3;
    const struct flm_gecko_item *item = &w->items.at[g->first + i];
    if (item->duration <= 0)
        return false;
    if (i + 1 == g->count)
        return item->duration < FLM_GECKO_INTERVAL_MS - microsecond ||
               item->duration > FLM_GECKO_INTERVAL_MS + microsecond;
    return item[1].time - item->time - item->duration > microsecond;
}

static void write_samples(struct flm_gecko_writing *w, const struct flm_gecko_group *g)
{
    const struct flm_gecko_item *items = w->items.at + g->first;
    uint32_t length = 0;
    flm_gecko_put_object(w, "samples");
    flm_gecko_put_column(w, "stack");
    for (uint32_t i = 0; i < g->count; i++) {
        flm_gecko_put_or_null(w, items[i].node > 0, (double)items[i].node - 1);
        if (has_pause(w, g, i))
            flm_gecko_put_or_null(w, false, 0);
        length += has_pause(w, g, i) ? 2 : 1;
    }
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "time");
    for (uint32_t i = 0; i < g->count; i++) {
        flm_gecko_put_number(w, NULL, items[i].time);
        if (has_pause(w, g, i))
            flm_gecko_put_number(w, NULL, items[i].time + items[i].duration);
    }
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "weight");
    for (uint32_t i = 0; i < g->count; i++) {
        flm_gecko_put_number(w, NULL, items[i].value / w->scale);
        if (has_pause(w, g, i))
            flm_gecko_put_number(w, NULL, 0);
    }
    flm_gecko_put_end(w);
    if (w->cpu != FLM_NONE) {
        flm_gecko_put_column(w, "threadCPUDelta");
        for (uint32_t i = 0; i < g->count; i++) {
            flm_gecko_put_number(w, NULL, items[i].cpu);
            if (has_pause(w, g, i))
                flm_gecko_put_number(w, NULL, 0);
        }
        flm_gecko_put_end(w);
    }
    flm_gecko_put_text(w, "weightType", w->type);
    flm_json_add_text(&w->json, "flamelMetric",
                      flm_string_bytes(w->p, w->p->metrics[w->metric].name));
    flm_json_add_text(&w->json, "flamelUnit",
                      flm_string_bytes(w->p, w->p->metrics[w->metric].unit));
    flm_gecko_put_number(w, "flamelScale", w->scale);
    if (!w->has_times)
        flm_json_add_bool(&w->json, "flamelHasNoTimes", true);
    flm_gecko_put_number(w, "length", length);
    flm_gecko_put_end(w);
}

/* Whether a marker has the process and thread of a group. */
static bool is_of(const struct flm_gecko_writing *w, const struct flm_marker_record *marker,
                  uint32_t group, const struct flm_thread_labels *labels)
{
    const struct flm_gecko_group *g = &w->groups.at[group];
    uint32_t thread = flm_gecko_label_value(w, marker->label_set, labels->threads);
    uint32_t process = flm_gecko_label_value(w, marker->label_set, labels->processes);
    return g->thread == thread && g->process == process;
}

uint32_t *flm_gecko_find_marker_groups(struct flm_gecko_writing *w)
{
    const struct flm_thread_labels labels = flm_thread_labels_of(w->p);
    uint32_t count = w->p->sizes.marker_count, last = 0;
    uint32_t *groups = malloc(((size_t)count + 1) * sizeof *groups);
    for (uint32_t i = 0; groups && i < count; i++) {
        const struct flm_marker_record *marker = &w->p->markers[i];
        groups[i] = 0;
        if (last < w->groups.count && is_of(w, marker, last, &labels)) {
            groups[i] = last;
            continue;
        }
        for (uint32_t k = 0; k < w->groups.count; k++)
            if (is_of(w, marker, k, &labels)) {
                groups[i] = last = k;
                break;
            }
    }
    w->failed |= !groups;
    return groups;
}

static void write_markers(struct flm_gecko_writing *w, uint32_t group, const uint32_t *groups)
{
    static const char *const names[] = {"name",  "startTime", "endTime",
                                        "phase", "category",  "data"};
    const struct flm_profile *p = w->p;
    uint32_t count = 0;
    flm_gecko_put_object(w, "markers");
    for (int k = 0; k < 6; k++) {
        flm_gecko_put_column(w, names[k]);
        count = 0;
        for (uint32_t i = 0; groups && i < p->sizes.marker_count; i++) {
            const struct flm_marker_record *m = &p->markers[i];
            bool lasts = m->duration_ns > 0;
            if (groups[i] != group)
                continue;
            count++;
            if (k == 0)
                flm_gecko_put_number(w, NULL, m->name);
            else if (k == 1)
                flm_gecko_put_number(w, NULL, flm_gecko_milliseconds(m->time_ns));
            else if (k == 2)
                flm_gecko_put_or_null(w, lasts,
                                      flm_gecko_milliseconds(m->time_ns) +
                                          flm_gecko_milliseconds(m->duration_ns));
            else if (k == 3)
                flm_gecko_put_number(w, NULL, lasts);
            else if (k == 4)
                flm_gecko_put_number(w, NULL, FLM_GECKO_CATEGORY_OTHER);
            else if (m->detail == 0)
                flm_json_add_null(&w->json, NULL);
            else {
                flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
                flm_gecko_put_text(w, "type", "Text");
                flm_json_add_text(&w->json, "name", flm_string_bytes(p, m->detail));
                flm_gecko_put_end(w);
            }
        }
        flm_gecko_put_end(w);
    }
    flm_gecko_put_number(w, "length", count);
    flm_gecko_put_end(w);
}

/* Samples of the name alone: their stack is the frame that the reader makes of the name, and not
 * one below it. The Firefox Profiler shows it as any other. */
static void write_name_stack(struct flm_gecko_writing *w, const struct flm_gecko_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t node = w->items.at[g->first + i].node;
        if (node == 0 || w->parent[node] != 0)
            continue;
        flm_gecko_put_number(w, "flamelNameStack", node - 1);
        return;
    }
}

static struct flm_bytes label_text(const struct flm_gecko_writing *w, uint32_t string,
                                   const char *otherwise)
{
    return string != FLM_NONE ? flm_string_bytes(w->p, string) : flm_bytes_of(otherwise);
}

void flm_gecko_write_thread(struct flm_gecko_writing *w, uint32_t index,
                            const uint32_t *marker_groups)
{
    const struct flm_gecko_group *g = &w->groups.at[index];
    struct flm_bytes pid = label_text(w, g->process, "0");
    flm_gecko_put_object(w, NULL);
    flm_gecko_put_text(w, "processType", "default");
    flm_json_add_text(&w->json, "processName", label_text(w, g->process_name, ""));
    flm_gecko_put_number(w, "processStartupTime", 0);
    flm_json_add_null(&w->json, "processShutdownTime");
    flm_gecko_put_number(w, "registerTime", 0);
    flm_json_add_null(&w->json, "unregisterTime");
    flm_gecko_put_column(w, "pausedRanges");
    flm_gecko_put_end(w);
    if (g->root != FLM_NONE) {
        flm_json_add_text(&w->json, "name", flm_frame_function(w->p, g->root));
        write_name_stack(w, g);
    } else {
        flm_json_add_text(&w->json, "name", label_text(w, g->thread_name, "all"));
        flm_json_add_bool(&w->json, "flamelNameIsNoFrame", true);
    }
    flm_json_add_bool(&w->json, "isMainThread", index == 0 || g->thread == g->process);
    flm_json_add_text(&w->json, "pid", pid);
    flm_json_add_text(&w->json, "tid", label_text(w, g->thread, "0"));
    write_samples(w, g);
    write_markers(w, index, marker_groups);
    flm_gecko_put_end(w);
}

void flm_gecko_write_counters(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    flm_json_begin(&w->json, "counters", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        bool is_memory = flm_bytes_are(flm_string_bytes(p, c.unit.index), "bytes");
        const struct flm_thread_labels labels = flm_thread_labels_of(p);
        flm_gecko_put_object(w, NULL);
        flm_json_add_text(&w->json, "name", flm_string_bytes(p, c.name.index));
        flm_gecko_put_text(w, "category", is_memory ? "Memory" : "Other");
        flm_gecko_put_text(w, "description", "");
        flm_json_add_text(
            &w->json, "pid",
            label_text(w, flm_gecko_label_value(w, c.label_set.index, labels.processes), "0"));
        flm_gecko_put_number(w, "mainThreadIndex", 0);
        flm_gecko_put_object(w, "samples");
        flm_gecko_put_column(w, "time");
        for (uint32_t k = 0; k < c.point_count; k++)
            flm_gecko_put_number(w, NULL, flm_gecko_milliseconds(c.time_ns[k]));
        flm_gecko_put_end(w);
        flm_gecko_put_column(w, "count"); /* of memory: the change */
        for (uint32_t k = 0; k < c.point_count; k++)
            flm_gecko_put_number(w, NULL, c.value[k] - (is_memory && k > 0 ? c.value[k - 1] : 0));
        flm_gecko_put_end(w);
        flm_gecko_put_number(w, "length", c.point_count);
        flm_gecko_put_end(w);
        flm_gecko_put_end(w);
    }
    flm_gecko_put_end(w);
}
