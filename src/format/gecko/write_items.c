/* write_items.c - the samples and modules that are written: samples sorted by thread, or the sums
 * of stacks where there are no single samples. */
#include <math.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "format/gecko/writing.h"

/* A profile without labels lacks even the empty set. */
uint32_t flm_gecko_label_value(const struct flm_gecko_writing *w, uint32_t set,
                               struct flm_label_range range)
{
    return set < w->p->sizes.label_set_count ? flm_label_value_in(w->p, set, range) : FLM_NONE;
}

static uint32_t group_of(struct flm_gecko_writing *w, uint32_t node, uint32_t set,
                         const struct flm_thread_labels *labels,
                         const struct flm_label_range names[2])
{
    const struct flm_profile *p = w->p;
    uint32_t top = w->top[node];
    struct flm_gecko_group group = {
        .root = flm_gecko_is_label(w, top) ? p->node_frame[top] : FLM_NONE,
        .process = flm_gecko_label_value(w, set, labels->processes),
        .thread = flm_gecko_label_value(w, set, labels->threads),
        .process_name = flm_gecko_label_value(w, set, names[0]),
        .thread_name = flm_gecko_label_value(w, set, names[1]),
    };
    uint32_t key[3] = {group.root, group.process, group.thread};
    uint32_t hash = (uint32_t)flm_hash((const char *)key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&w->group_index, hash);
         flm_index_next(&w->group_index, &at);) {
        const struct flm_gecko_group *g = &w->groups.at[at.found];
        if (g->root == key[0] && g->process == key[1] && g->thread == key[2])
            return at.found;
    }
    uint32_t index = (uint32_t)w->groups.count;
    if (!FLM_ARRAY_ADD(&w->groups, group) || !flm_index_add(&w->group_index, hash, index)) {
        w->failed = true;
        return 0;
    }
    return index;
}

static void add_item(struct flm_gecko_writing *w, struct flm_gecko_item item)
{
    if (w->failed || !FLM_ARRAY_ADD(&w->items, item))
        w->failed = true;
    else
        w->groups.at[item.group].count++;
}

/* The values that no single sample has: all of them, or those merged from a profile without single
 * samples. They follow the samples. */
static void add_rest(struct flm_gecko_writing *w, const struct flm_thread_labels *labels,
                     const struct flm_label_range names[2], double last)
{
    const struct flm_profile *p = w->p;
    uint32_t count = p->sizes.node_count;
    double *rest = malloc(count * sizeof *rest), *cpu = malloc(count * sizeof *cpu);
    w->failed = w->failed || !rest || !cpu;
    for (uint32_t i = 0; i < count && !w->failed; i++) {
        rest[i] = flm_self_column(p, w->metric)[i];
        cpu[i] = w->cpu != FLM_NONE ? flm_self_column(p, w->cpu)[i] : 0;
    }
    for (uint32_t i = 0; i < p->sizes.sample_count && !w->failed; i++) {
        rest[p->sample_node[i]] -= flm_sample_value(p, w->metric, i);
        if (w->cpu != FLM_NONE)
            cpu[p->sample_node[i]] -= flm_sample_value(p, w->cpu, i);
    }
    for (uint32_t i = 1; i < count && !w->failed; i++) {
        double whole = flm_self_column(p, w->metric)[i];
        if (fabs(rest[i]) <= fabs(whole) * 1e-12) /* sums of fractions are rounded */
            continue;
        uint32_t group = group_of(w, i, 0, labels, names);
        if (!w->failed)
            add_item(
                w, (struct flm_gecko_item){.time = w->has_times ? last : w->groups.at[group].count,
                                           .value = rest[i],
                                           .cpu = cpu[i] > 0 ? cpu[i] : 0,
                                           .node = i,
                                           .group = group});
    }
    free(rest);
    free(cpu);
}

void flm_gecko_find_items(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    const struct flm_thread_labels labels = flm_thread_labels_of(p);
    const struct flm_label_range names[2] = {flm_label_range_of(p, "process name"),
                                             flm_label_range_of(p, "thread name")};
    double last = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count && !w->failed; i++) {
        double value = flm_sample_value(p, w->metric, i);
        if (value == 0)
            continue;
        if (p->sample_time[i] != FLM_NO_TIME) {
            last = flm_gecko_milliseconds(p->sample_time[i]);
            w->has_times = true;
        }
        add_item(w,
                 (struct flm_gecko_item){
                     .time = last,
                     .duration = flm_gecko_milliseconds(flm_sample_duration(p, i)),
                     .value = value,
                     .cpu = w->cpu != FLM_NONE ? flm_sample_value(p, w->cpu, i) : 0,
                     .node = p->sample_node[i],
                     .group = group_of(w, p->sample_node[i], p->sample_labels[i], &labels, names)});
    }
    add_rest(w, &labels, names, last);
    /* Without a thread, the Firefox Profiler opens no file. */
    if (w->groups.count == 0 && !w->failed)
        group_of(w, 0, 0, &labels, names);
}

/* Sorts the items by group; within one they stay in order. */
void flm_gecko_sort_items(struct flm_gecko_writing *w)
{
    struct flm_gecko_item *sorted = malloc((w->items.count + 1) * sizeof *sorted);
    if (!sorted || w->failed) {
        free(sorted);
        w->failed = true;
        return;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < w->groups.count; i++) {
        w->groups.at[i].first = first;
        first += w->groups.at[i].count;
        w->groups.at[i].count = 0;
    }
    for (size_t i = 0; i < w->items.count; i++) {
        struct flm_gecko_group *g = &w->groups.at[w->items.at[i].group];
        sorted[g->first + g->count++] = w->items.at[i];
    }
    free(w->items.at);
    w->items.at = sorted;
    w->items.capacity = w->items.count + 1;
}

void flm_gecko_find_modules(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t *place = malloc(((size_t)p->sizes.string_count + 1) * sizeof *place);
    w->module_of = malloc(((size_t)p->sizes.frame_count + 1) * sizeof *w->module_of);
    if (!place || !w->module_of) {
        free(place);
        w->failed = true;
        return;
    }
    memset(place, -1, ((size_t)p->sizes.string_count + 1) * sizeof *place);
    for (uint32_t i = 0; i < p->sizes.frame_count && !w->failed; i++) {
        uint32_t module = p->frames[i].module;
        if (module != 0 && place[module] == FLM_NONE) {
            place[module] = (uint32_t)w->modules.count;
            w->failed = !FLM_ARRAY_ADD(&w->modules, module);
        }
        w->module_of[i] = module != 0 ? place[module] : FLM_NONE;
    }
    free(place);
}
