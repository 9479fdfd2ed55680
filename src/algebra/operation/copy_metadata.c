#include "algebra/operation/copy_metadata.h"

#include <assert.h>
#include <stdlib.h>

bool flm_copy_strings(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c)
{
    *c = (struct flm_carried){
        .string_map = malloc(p->sizes.string_count * sizeof(uint32_t)),
        .frame_map = malloc(p->sizes.frame_count * sizeof(uint32_t)),
        .metric_map = calloc((size_t)p->sizes.metric_count + 1, sizeof(uint32_t)),
    };
    return c->string_map && c->frame_map && c->metric_map &&
           flm_interner_add_profile(&b->interner, p, c->string_map, c->frame_map);
}

void flm_carried_clear(struct flm_carried *c)
{
    free(c->string_map);
    free(c->frame_map);
    free(c->metric_map);
    *c = (struct flm_carried){0};
}

bool flm_copy_metric(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c,
                     uint32_t metric, uint32_t name, struct flm_error *why)
{
    assert(metric < p->sizes.metric_count && c->string_map);
    uint32_t unit = c->string_map[p->metrics[metric].unit];
    uint32_t to = flm_builder_metric_of(b, name, unit);
    if (to == FLM_NONE)
        return flm_builder_get_error(b, why);
    c->metric_map[metric] = to;
    if (b->metrics[to].unit == unit)
        return true;
    struct flm_bytes text = flm_interner_text(&b->interner, name);
    struct flm_bytes here = flm_interner_text(&b->interner, unit);
    struct flm_bytes there = flm_interner_text(&b->interner, b->metrics[to].unit);
    return flm_error_set(
        why, FLM_ERROR_UNIT,
        "'%.*s' is in '%.*s' in one profile and in '%.*s' in another: they cannot be "
        "added",
        (int)text.size, text.at, (int)there.size, there.at, (int)here.size, here.at);
}

bool flm_copy_metrics(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c,
                      struct flm_error *why)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (!flm_copy_metric(b, p, c, m, c->string_map[p->metrics[m].name], why))
            return false;
    return true;
}

static bool is_code(const struct flm_builder *b, uint32_t key)
{
    return flm_bytes_start_with(flm_interner_text(&b->interner, key), FLM_NOTE_JIT_CODE);
}

/* Each run of a program has its own machine code; of a hundred runs not all is kept. */
enum { MOST_CODE = 4 << 20 };

static size_t size_of_code(const struct flm_builder *b)
{
    size_t size = 0;
    for (size_t i = 0; i < b->notes.count; i++)
        if (b->notes.at[i].value != FLM_NONE && is_code(b, b->notes.at[i].key))
            size += flm_interner_text(&b->interner, b->notes.at[i].value).size;
    return size;
}

void flm_copy_notes(struct flm_builder *b, const struct flm_profile *p, const struct flm_carried *c)
{
    size_t left_out = 0, code = size_of_code(b);
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        uint32_t key = c->string_map[p->notes[i].key], value = c->string_map[p->notes[i].value];
        size_t size = is_code(b, key) ? flm_interner_text(&b->interner, value).size : 0;
        if (size > 0 && size > MOST_CODE - code) {
            left_out++;
            continue;
        }
        code += size;
        flm_builder_agree_note(b, key, value);
    }
    if (left_out > 0)
        flm_builder_lost(b, "machine code of compiled functions (more than 4 MiB of it)", "", 0,
                         (double)left_out);
    for (uint32_t i = 0; i < p->sizes.loss_count; i++)
        flm_builder_add_loss(b, (struct flm_builder_loss){
                                    .what = c->string_map[p->losses[i].what],
                                    .where = c->string_map[p->losses[i].where],
                                    .count = p->losses[i].count,
                                    .resolved = true,
                                });
}

/* The label sets of the input in the builder; NULL when memory ran out. The caller frees it. */
static struct flm_label_set *copy_label_sets(struct flm_builder *b, const struct flm_profile *p,
                                             const struct flm_carried *c)
{
    struct flm_label_set *sets = malloc(p->sizes.label_set_count * sizeof *sets);
    struct flm_string *labels = malloc((2 * (size_t)p->sizes.label_count + 1) * sizeof *labels);
    uint32_t start = 0;
    for (uint32_t set = 0; sets && labels && set < p->sizes.label_set_count; set++) {
        size_t count = 0;
        for (; start < p->label_set_ends[set]; start++, count++) {
            struct flm_label_record label = p->labels[p->set_members[start]];
            labels[2 * count].index = c->string_map[label.key];
            labels[2 * count + 1].index = c->string_map[label.value];
        }
        sets[set] = flm_builder_label_set(b, labels, count);
    }
    if (!labels) {
        free(sets);
        sets = NULL;
    }
    free(labels);
    return sets;
}

static void copy_sample(struct flm_builder *b, const struct flm_profile *p,
                        const struct flm_carried *c, const struct flm_label_set *sets, uint32_t i,
                        uint32_t node)
{
    uint32_t sample =
        flm_builder_keep_sample(b, p->sample_time[i], node, sets[p->sample_labels[i]].index);
    flm_builder_sample_lasts(b, flm_sample_duration(p, i));
    for (uint32_t m = 0; m < p->sizes.metric_count && !flm_builder_failed(b); m++)
        flm_builder_keep_value(b, c->metric_map[m], sample, flm_sample_value(p, m, i));
}

/* All markers and counters. */
static void copy_markers(struct flm_builder *b, const struct flm_profile *p,
                         const struct flm_carried *c, const struct flm_label_set *sets)
{
    for (uint32_t i = 0; i < p->sizes.marker_count && !flm_builder_failed(b); i++) {
        const struct flm_marker_record *m = &p->markers[i];
        flm_builder_marker(b, m->time_ns, m->duration_ns,
                           (struct flm_string){c->string_map[m->name]},
                           (struct flm_string){c->string_map[m->detail]}, sets[m->label_set]);
    }
    uint32_t point = 0;
    for (uint32_t i = 0; i < p->sizes.counter_count && !flm_builder_failed(b); i++) {
        const struct flm_counter_record *record = &p->counters[i];
        struct flm_counter counter = flm_builder_counter(
            b, (struct flm_string){c->string_map[record->name]},
            (struct flm_string){c->string_map[record->unit]}, sets[record->label_set]);
        for (; point < record->end; point++)
            flm_builder_counter_point(b, counter, p->point_time[point], p->point_value[point]);
    }
}

void flm_copy_samples(struct flm_builder *b, const struct flm_profile *p,
                      const struct flm_carried *c, const uint32_t *moved, uint32_t shift,
                      const unsigned char *keep)
{
    if (p->sizes.label_set_count == 0) /* so there are none */
        return;
    struct flm_label_set *sets = copy_label_sets(b, p, c);
    if (!sets)
        flm_builder_fail_memory(b);
    for (uint32_t i = 0; i < p->sizes.sample_count && !flm_builder_failed(b); i++) {
        uint32_t node = p->sample_node[i];
        node = moved ? moved[node] : node + shift;
        if (node != FLM_NONE && (!keep || keep[i]))
            copy_sample(b, p, c, sets, i, node);
    }
    copy_markers(b, p, c, sets);
    free(sets);
}

void flm_copy_mapped_samples(struct flm_builder *b, const struct flm_profile *p,
                             const struct flm_carried *c, const uint32_t *new_node)
{
    struct flm_label_set *sets = copy_label_sets(b, p, c);
    if (!sets)
        flm_builder_fail_memory(b);
    for (uint32_t i = 0; i < p->sizes.sample_count && !flm_builder_failed(b); i++)
        copy_sample(b, p, c, sets, i, new_node[i]);
    copy_markers(b, p, c, sets);
    free(sets);
}
