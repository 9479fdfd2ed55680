/* builder_samples.c - what a builder keeps in addition to the tree: samples with their labels,
 * notes about the recording, and losses. */
#include "profile/internal.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/large_block.h"
#include "base/number/number.h"
#include "base/text/text.h"

static uint32_t intern_label(struct flm_builder *b, struct flm_label_record label)
{
    uint32_t hash = (uint32_t)(flm_hash(&label, sizeof label) >> 32);
    for (struct flm_probe at = flm_index_probe(&b->label_index, hash);
         flm_index_next(&b->label_index, &at);)
        if (b->labels.at[at.found].key == label.key && b->labels.at[at.found].value == label.value)
            return at.found;
    if (!FLM_ARRAY_RESERVE(&b->labels, 1))
        return FLM_NONE;
    uint32_t number = (uint32_t)b->labels.count;
    b->labels.at[number] = label;
    if (!flm_index_add(&b->label_index, hash, number))
        return FLM_NONE;
    b->labels.count++;
    return number;
}

static bool set_equals(const struct flm_builder *b, uint32_t set, const uint32_t *members,
                       size_t count)
{
    uint32_t start = set ? b->label_set_ends[set - 1] : 0;
    return b->label_set_ends[set] - start == count &&
           memcmp(b->set_members + start, members, count * sizeof *members) == 0;
}

static uint32_t intern_set(struct flm_builder *b, const uint32_t *members, size_t count)
{
    uint32_t hash = (uint32_t)(flm_hash(members, count * sizeof *members) >> 32);
    for (struct flm_probe at = flm_index_probe(&b->label_set_index, hash);
         flm_index_next(&b->label_set_index, &at);)
        if (set_equals(b, at.found, members, count))
            return at.found;
    void *all = b->set_members, *ends = b->label_set_ends;
    bool room =
        flm_grow(&all, &b->set_member_capacity, b->set_member_count + count, sizeof *members);
    b->set_members = all;
    room = room &&
           flm_grow(&ends, &b->label_set_capacity, (size_t)b->label_set_count + 1, sizeof *members);
    b->label_set_ends = ends;
    if (!room || !flm_index_add(&b->label_set_index, hash, b->label_set_count))
        return FLM_NONE;
    memcpy(b->set_members + b->set_member_count, members, count * sizeof *members);
    b->set_member_count += (uint32_t)count;
    b->label_set_ends[b->label_set_count] = b->set_member_count;
    return b->label_set_count++;
}

struct flm_label_set flm_builder_label_set(struct flm_builder *b, const struct flm_string *labels,
                                           size_t count)
{
    enum { MOST_LABELS = 64 };
    uint32_t members[MOST_LABELS];
    size_t member_count = 0;
    for (size_t i = 0; i < count && !b->failed; i++) {
        uint32_t label = intern_label(
            b, (struct flm_label_record){labels[2 * i].index, labels[2 * i + 1].index});
        if (label == FLM_NONE) {
            flm_builder_fail_memory(b);
            break;
        }
        size_t at = member_count; /* insertion keeps them ascending and distinct */
        while (at > 0 && members[at - 1] > label)
            at--;
        if (at > 0 && members[at - 1] == label)
            continue;
        if (member_count == MOST_LABELS) {
            flm_builder_lost(b, "labels beyond 64 of one sample", "", 0, (double)(count - i));
            break;
        }
        memmove(members + at + 1, members + at, (member_count - at) * sizeof *members);
        members[at] = label;
        member_count++;
    }
    if (b->failed || member_count == 0)
        return (struct flm_label_set){0};
    uint32_t set = intern_set(b, members, member_count);
    if (set == FLM_NONE) {
        flm_builder_fail_memory(b);
        set = 0;
    }
    return (struct flm_label_set){set};
}

static bool reserve_samples(struct flm_builder *b, size_t count)
{
    if (count <= b->sample_capacity)
        return true;
    size_t capacity = b->sample_capacity, same = capacity;
    void *time = b->sample_time, *node = b->sample_node, *labels = b->sample_labels;
    void *lasts = b->sample_lasts;
    if (!flm_grow(&time, &capacity, count, sizeof *b->sample_time))
        return false;
    b->sample_time = time;
    if (lasts && !flm_grow(&lasts, &same, capacity, sizeof *b->sample_lasts))
        return false;
    b->sample_lasts = lasts;
    same = b->sample_capacity;
    if (!flm_grow(&node, &same, capacity, sizeof *b->sample_node))
        return false;
    b->sample_node = node;
    same = b->sample_capacity;
    if (!flm_grow(&labels, &same, capacity, sizeof *b->sample_labels))
        return false;
    b->sample_labels = labels;
    b->sample_capacity = capacity;
    return true;
}

uint32_t flm_builder_keep_sample(struct flm_builder *b, int64_t time_ns, uint32_t node,
                                 uint32_t label_set)
{
    if (b->failed)
        return FLM_NONE;
    if (b->sample_count == FLM_NONE - 1 || !reserve_samples(b, (size_t)b->sample_count + 1)) {
        flm_builder_fail_memory(b);
        return FLM_NONE;
    }
    uint32_t sample = b->sample_count++;
    b->sample_time[sample] = time_ns;
    b->sample_node[sample] = node;
    b->sample_labels[sample] = label_set;
    if (b->sample_lasts)
        b->sample_lasts[sample] = 0;
    return sample;
}

void flm_builder_keep_value(struct flm_builder *b, uint32_t metric, uint32_t sample, double value)
{
    if (!flm_value_column_add(&b->metrics[metric].sample_values, sample, value))
        flm_builder_fail_memory(b);
}

void flm_builder_sample_add(struct flm_builder *b, struct flm_metric metric, double value)
{
    if (b->failed)
        return;
    uint32_t sample = b->sample_count - 1;
    flm_builder_keep_value(b, metric.index, sample, value);
    flm_builder_add_self(b, metric.index, b->sample_node[sample], value);
}

void flm_builder_sample(struct flm_builder *b, int64_t time_ns, struct flm_node node,
                        struct flm_label_set labels, struct flm_metric metric, double value)
{
    if (flm_builder_keep_sample(b, time_ns, node.index, labels.index) != FLM_NONE)
        flm_builder_sample_add(b, metric, value);
}

int64_t flm_builder_long_duration(const struct flm_builder *b, uint32_t sample)
{
    size_t first = 0, end = b->long_durations.count;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        *(b->long_durations.at[middle].sample <= sample ? &first : &end) = middle;
    }
    assert(first < end && b->long_durations.at[first].sample == sample);
    return b->long_durations.at[first].ns;
}

/* Sets the duration of a sample, which no later one has yet. False when memory ran out. */
static bool set_duration(struct flm_builder *b, uint32_t sample, int64_t duration_ns)
{
    size_t capacity = b->sample_capacity, count = b->long_durations.count;
    if (!b->sample_lasts) {
        if (duration_ns == 0)
            return true;
        b->sample_lasts = flm_large_block(calloc(capacity, sizeof *b->sample_lasts),
                                          capacity * sizeof *b->sample_lasts);
        if (!b->sample_lasts)
            return false;
    }
    bool is_long = duration_ns >= FLM_LASTS_LONGER;
    b->sample_lasts[sample] = is_long ? FLM_LASTS_LONGER : (uint32_t)duration_ns;
    if (!is_long)
        return true;
    struct flm_long_duration added = {sample, duration_ns};
    if (count == 0 || b->long_durations.at[count - 1].sample != sample)
        return FLM_ARRAY_ADD(&b->long_durations, added);
    b->long_durations.at[count - 1] = added;
    return true;
}

void flm_builder_sample_lasts(struct flm_builder *b, int64_t duration_ns)
{
    assert(b && duration_ns >= 0);
    if (b->failed || duration_ns == 0)
        return;
    uint32_t sample = b->sample_count - 1;
    int64_t time = b->sample_time[sample];
    if (time == FLM_NO_TIME)
        return;
    if (time > 0 && duration_ns > INT64_MAX - time)
        duration_ns = INT64_MAX - time;
    if (!set_duration(b, sample, duration_ns))
        flm_builder_fail_memory(b);
}

/* Sets the durations of samples that the builder has already, from `first` on. */
static bool set_durations(struct flm_builder *b, uint32_t first,
                          const struct flm_sample_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        int64_t time = batch->time_ns[i], lasts = batch->duration_ns[i];
        if (time == FLM_NO_TIME)
            lasts = 0;
        else if (time > 0 && lasts > INT64_MAX - time)
            lasts = INT64_MAX - time;
        if (b->sample_lasts && lasts < FLM_LASTS_LONGER)
            b->sample_lasts[first + i] = (uint32_t)lasts;
        else if (!set_duration(b, first + i, lasts))
            return false;
    }
    return true;
}

void flm_builder_add_samples(struct flm_builder *b, struct flm_sample_batch *batch)
{
    uint32_t first = b->sample_count, count = batch->count;
    if (b->failed || count == 0)
        return;
    bool good = count < FLM_NONE - first && reserve_samples(b, (size_t)first + count);
    if (good) {
        memcpy(b->sample_time + first, batch->time_ns, count * sizeof *b->sample_time);
        memcpy(b->sample_node + first, batch->node, count * sizeof *b->sample_node);
        memcpy(b->sample_labels + first, batch->label_set, count * sizeof *b->sample_labels);
        b->sample_count += count;
        good = set_durations(b, first, batch);
    }
    for (uint32_t m = 0; good && m < batch->metric_count; m++) {
        struct flm_builder_metric *metric = &b->metrics[batch->metrics[m].index];
        const double *values = batch->values[m];
        good = flm_value_column_append(&metric->sample_values, first, values, count);
        for (uint32_t i = 0; good && i < count; i++)
            good = flm_add_exactly(&b->residuals, batch->metrics[m].index, batch->node[i],
                                   &metric->self[batch->node[i]], values[i]);
    }
    batch->count = 0;
    if (!good)
        flm_builder_fail_memory(b);
}

/* The note of that key, added with no value when there is none; NULL when memory ran out. */
static struct flm_note_record *find_note(struct flm_builder *b, uint32_t key)
{
    for (size_t i = 0; i < b->notes.count; i++)
        if (b->notes.at[i].key == key)
            return &b->notes.at[i];
    if (b->failed || !FLM_ARRAY_ADD(&b->notes, (struct flm_note_record){key, FLM_NONE})) {
        flm_builder_fail_memory(b);
        return NULL;
    }
    return &b->notes.at[b->notes.count - 1];
}

void flm_builder_note(struct flm_builder *b, const char *key, const char *value, size_t size)
{
    assert(b && key && (value || size == 0));
    uint32_t value_string = flm_builder_string(b, value, size).index;
    struct flm_note_record *note = find_note(b, flm_builder_string(b, key, strlen(key)).index);
    if (note)
        note->value = value_string;
}

/* Dates in UTC are ordered as their texts: what was added up began with the first. */
static bool is_earlier(const struct flm_builder *b, uint32_t key, uint32_t value, uint32_t than)
{
    static const char recorded[] = "recorded"; /* FLM_NOTE_RECORDED of format/core/units.h */
    struct flm_bytes one = flm_interner_text(&b->interner, value);
    struct flm_bytes other = flm_interner_text(&b->interner, than);
    return flm_bytes_are(flm_interner_text(&b->interner, key), recorded) &&
           flm_bytes_end_with(one, "Z") && flm_bytes_end_with(other, "Z") && one.size >= 20 &&
           other.size >= 20 && memcmp(one.at, other.at, 19) <= 0;
}

void flm_builder_agree_note(struct flm_builder *b, uint32_t key, uint32_t value)
{
    uint64_t count;
    if (flm_bytes_are(flm_interner_text(&b->interner, key), FLM_NOTE_ROUNDED) &&
        flm_number_parse_uint(flm_interner_text(&b->interner, value), &count)) {
        b->rounded += (double)count;
        return;
    }
    size_t before = b->notes.count;
    struct flm_note_record *note = find_note(b, key);
    if (note && b->notes.count > before)
        note->value = value;
    else if (note && note->value != FLM_NONE && is_earlier(b, key, note->value, value))
        return;
    else if (note && note->value != FLM_NONE && is_earlier(b, key, value, note->value))
        note->value = value;
    else if (note && note->value != value)
        note->value = FLM_NONE; /* in dispute: stays so, and is not written */
}

bool flm_builder_note_rounded(struct flm_builder *b)
{
    char text[FLM_NUMBER_SIZE];
    if (b->rounded > 0)
        flm_builder_note(b, FLM_NOTE_ROUNDED, text, flm_number_print(b->rounded, text));
    return !b->failed;
}

void flm_builder_add_loss(struct flm_builder *b, struct flm_builder_loss loss)
{
    for (size_t i = 0; i < b->losses.count; i++) {
        if (b->losses.at[i].what == loss.what) {
            double sum = b->losses.at[i].count + loss.count;
            b->losses.at[i].count = sum - sum == 0 ? sum : DBL_MAX; /* a count stays one */
            return;
        }
    }
    if (b->failed || !FLM_ARRAY_ADD(&b->losses, loss))
        flm_builder_fail_memory(b);
}

void flm_builder_lost(struct flm_builder *b, const char *what, const char *unit, uint64_t number,
                      double count)
{
    assert(b && what && unit);
    flm_builder_add_loss(b, (struct flm_builder_loss){
                                .what = flm_builder_string(b, what, strlen(what)).index,
                                .where = flm_builder_string(b, unit, strlen(unit)).index,
                                .number = number,
                                .count = count,
                            });
}

void flm_builder_lines_before(struct flm_builder *b, uint64_t lines)
{
    for (size_t i = 0; i < b->losses.count; i++)
        if (flm_bytes_are(flm_interner_text(&b->interner, b->losses.at[i].where), "line"))
            b->losses.at[i].number += lines;
}

bool flm_builder_has_losses(const struct flm_builder *b)
{
    return b->losses.count > 0;
}

bool flm_builder_resolve_losses(struct flm_builder *b)
{
    for (size_t i = 0; i < b->losses.count; i++) {
        struct flm_builder_loss *loss = &b->losses.at[i];
        struct flm_bytes unit = flm_interner_text(&b->interner, loss->where);
        if (loss->resolved || unit.size == 0)
            continue;
        char buffer[64];
        struct flm_text text;
        flm_text_init_fixed(&text, buffer, sizeof buffer);
        flm_text_add(&text, unit);
        flm_text_format(&text, " %llu", (unsigned long long)loss->number);
        loss->where = flm_builder_string(b, text.at, text.size).index;
        loss->resolved = true;
    }
    return !b->failed;
}
