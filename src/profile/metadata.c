#include "profile/metadata.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "profile/joining.h"
#include "profile/sample_move.h"

static void mark_strings(const struct flm_builder *b, const struct flm_metadata *f,
                         unsigned char *used)
{
    for (uint32_t i = 0; i < b->metric_count; i++)
        used[b->metrics[i].name] = used[b->metrics[i].unit] = 1;
    for (size_t i = 0; i < b->notes.count; i++)
        used[b->notes.at[i].key] = used[b->notes.at[i].value] = 1;
    for (size_t i = 0; i < b->losses.count; i++)
        used[b->losses.at[i].what] = used[b->losses.at[i].where] = 1;
    for (size_t i = 0; i < b->labels.count; i++)
        if (f->label_rank[i] != FLM_NONE)
            used[b->labels.at[i].key] = used[b->labels.at[i].value] = 1;
    for (size_t i = 0; i < b->markers.count; i++)
        used[b->markers.at[i].name] = used[b->markers.at[i].detail] = 1;
    for (size_t i = 0; i < b->counters.count; i++)
        if (f->counter_rank[i] != FLM_NONE)
            used[b->counters.at[i].name] = used[b->counters.at[i].unit] = 1;
    flm_joining_mark_strings(b, used);
}

static uint32_t set_start(const struct flm_builder *b, uint32_t set)
{
    return set ? b->label_set_ends[set - 1] : 0;
}

/* Which label sets samples, markers and counters have, and which labels those hold: marked by a
 * rank of 0, counted. */
static void mark_labels(struct flm_metadata *f)
{
    const struct flm_builder *b = f->b;
    memset(f->label_rank, 0xFF, b->labels.count * sizeof *f->label_rank);
    memset(f->set_rank, 0xFF, b->label_set_count * sizeof *f->set_rank);
    if (b->sample_count == 0 && b->markers.count == 0 && b->points.count == 0)
        return;
    f->set_rank[0] = 0; /* the empty set is always there */
    for (uint32_t i = 0; i < b->sample_count; i++)
        f->set_rank[b->sample_labels[i]] = 0;
    for (size_t i = 0; i < b->markers.count; i++)
        f->set_rank[b->markers.at[i].label_set] = 0;
    for (size_t i = 0; i < b->counters.count; i++)
        if (f->counter_rank[i] != FLM_NONE)
            f->set_rank[b->counters.at[i].label_set] = 0;
    for (uint32_t set = 0; set < b->label_set_count; set++) {
        if (f->set_rank[set] == FLM_NONE)
            continue;
        f->sizes.label_set_count++;
        f->sizes.set_member_count += b->label_set_ends[set] - set_start(b, set);
        for (uint32_t i = set_start(b, set); i < b->label_set_ends[set]; i++)
            f->label_rank[b->set_members[i]] = 0;
    }
    for (size_t i = 0; i < b->labels.count; i++)
        f->sizes.label_count += f->label_rank[i] == 0;
}

/* Which counters have points: marked likewise. */
static void mark_counters(struct flm_metadata *f)
{
    const struct flm_builder *b = f->b;
    memset(f->counter_rank, 0xFF, b->counters.count * sizeof *f->counter_rank);
    for (size_t i = 0; i < b->points.count; i++)
        f->counter_rank[b->points.at[i].counter] = 0;
    for (size_t i = 0; i < b->counters.count; i++)
        f->sizes.counter_count += f->counter_rank[i] == 0;
}

/* By time; at one time the largest value comes first, and is the one that stays. */
static int order_points(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_builder_point *x = &((const struct flm_builder_point *)context)[a];
    const struct flm_builder_point *y = &((const struct flm_builder_point *)context)[b];
    if (x->counter != y->counter)
        return x->counter < y->counter ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->value < y->value) - (x->value > y->value);
}

/* The points of the builder counter by counter, in the order of time, one at each time. False when
 * memory ran out. */
static bool sort_points(struct flm_builder *b)
{
    size_t count = b->points.count, kept = 0;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    struct flm_builder_point *sorted = malloc((count + 1) * sizeof *sorted);
    bool room = order && scratch && sorted;
    for (size_t i = 0; room && i < count; i++)
        order[i] = (uint32_t)i;
    if (room)
        flm_sort(order, count, scratch, order_points, b->points.at);
    for (size_t i = 0; room && i < count; i++) {
        struct flm_builder_point point = b->points.at[order[i]];
        if (kept == 0 || sorted[kept - 1].counter != point.counter ||
            sorted[kept - 1].time_ns != point.time_ns)
            sorted[kept++] = point;
    }
    if (room && count > 0)
        memcpy(b->points.at, sorted, kept * sizeof *sorted);
    b->points.count = room ? kept : count;
    free(order);
    free(scratch);
    free(sorted);
    return room;
}

static void drop_disputed_notes(struct flm_builder *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->notes.count; i++)
        if (b->notes.at[i].value != FLM_NONE)
            b->notes.at[kept++] = b->notes.at[i];
    b->notes.count = kept;
}

bool flm_metadata_start(struct flm_metadata *metadata, struct flm_builder *b,
                        const unsigned char *frame_used, struct flm_error *why)
{
    assert(metadata && b && frame_used);
    *metadata = (struct flm_metadata){.b = b};
    drop_disputed_notes(b);
    if (!flm_builder_note_rounded(b))
        return flm_builder_get_error(b, why);
    metadata->label_rank = malloc((b->labels.count + 1) * sizeof(uint32_t));
    metadata->set_rank = malloc(((size_t)b->label_set_count + 1) * sizeof(uint32_t));
    metadata->counter_rank = malloc((b->counters.count + 1) * sizeof(uint32_t));
    unsigned char *string_used = NULL;
    bool room = flm_builder_resolve_losses(b) && metadata->label_rank && metadata->set_rank &&
                metadata->counter_rank && sort_points(b) &&
                (string_used = calloc(b->interner.string_count, 1));
    if (room) {
        mark_counters(metadata);
        mark_labels(metadata);
        mark_strings(b, metadata, string_used);
        flm_interner_seal(&b->interner);
        room = flm_interner_rank(&b->interner, string_used, frame_used, &metadata->ranking, why);
    }
    free(string_used);
    if (!room) {
        flm_metadata_clear(metadata);
        return flm_error_memory(why);
    }
    metadata->sizes.string_count = metadata->ranking.string_count;
    metadata->sizes.string_bytes = metadata->ranking.string_bytes;
    metadata->sizes.frame_count = metadata->ranking.frame_count;
    metadata->sizes.location_count = metadata->ranking.location_count;
    metadata->sizes.column_count =
        metadata->ranking.has_columns ? metadata->ranking.location_count : 0;
    metadata->sizes.metric_count = b->metric_count;
    metadata->sizes.note_count = (uint32_t)b->notes.count;
    metadata->sizes.loss_count = (uint32_t)b->losses.count;
    metadata->sizes.sample_count = b->sample_count;
    metadata->sizes.compact_values = true;
    metadata->sizes.duration_count = b->sample_lasts ? b->sample_count : 0;
    metadata->sizes.marker_count = (uint32_t)b->markers.count;
    metadata->sizes.point_count = (uint32_t)b->points.count;
    return true;
}

void flm_metadata_clear(struct flm_metadata *metadata)
{
    flm_ranking_clear(&metadata->ranking);
    free(metadata->label_rank);
    free(metadata->set_rank);
    free(metadata->counter_rank);
    metadata->label_rank = metadata->set_rank = metadata->counter_rank = NULL;
}

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_notes(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const uint32_t *rank = f->ranking.string_rank;
    return order_numbers(rank[f->b->notes.at[a].key], rank[f->b->notes.at[b].key]);
}

static int order_losses(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const uint32_t *rank = f->ranking.string_rank;
    return order_numbers(rank[f->b->losses.at[a].what], rank[f->b->losses.at[b].what]);
}

static int order_labels(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const uint32_t *rank = f->ranking.string_rank;
    int order = order_numbers(rank[f->b->labels.at[a].key], rank[f->b->labels.at[b].key]);
    return order ? order
                 : order_numbers(rank[f->b->labels.at[a].value], rank[f->b->labels.at[b].value]);
}

/* By members, which are label ranks by now; the empty set comes first by itself. */
static int order_sets(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_builder *builder = ((const struct flm_metadata *)context)->b;
    const uint32_t *ends = builder->label_set_ends;
    uint32_t at_a = set_start(builder, a), at_b = set_start(builder, b);
    for (; at_a < ends[a] && at_b < ends[b]; at_a++, at_b++)
        if (builder->set_members[at_a] != builder->set_members[at_b])
            return order_numbers(builder->set_members[at_a], builder->set_members[at_b]);
    return order_numbers(ends[a] - at_a, ends[b] - at_b);
}

/* Markers of one time by duration, name, detail and labels. */
static int order_markers(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const uint32_t *rank = f->ranking.string_rank;
    const struct flm_marker_record *x = &f->b->markers.at[a], *y = &f->b->markers.at[b];
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    int order = order_numbers((uint64_t)x->duration_ns, (uint64_t)y->duration_ns);
    order = order ? order : order_numbers(rank[x->name], rank[y->name]);
    order = order ? order : order_numbers(rank[x->detail], rank[y->detail]);
    return order ? order : order_numbers(f->set_rank[x->label_set], f->set_rank[y->label_set]);
}

static int order_counters(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const uint32_t *rank = f->ranking.string_rank;
    const struct flm_builder_counter *x = &f->b->counters.at[a], *y = &f->b->counters.at[b];
    int order = order_numbers(rank[x->name], rank[y->name]);
    order = order ? order : order_numbers(rank[x->unit], rank[y->unit]);
    return order ? order : order_numbers(f->set_rank[x->label_set], f->set_rank[y->label_set]);
}

/* The numbers below `count` whose mark is not FLM_NONE (all, without marks), sorted; *kept receives
 * how many. NULL when memory ran out. The caller frees it. */
static uint32_t *sorted_list(const struct flm_metadata *f, uint32_t count, const uint32_t *marks,
                             flm_order order, uint32_t *kept)
{
    uint32_t *list = malloc(((size_t)count + 1) * sizeof *list);
    uint32_t *scratch = malloc(((size_t)count + 1) * sizeof *scratch);
    if (!list || !scratch) {
        free(list);
        free(scratch);
        return NULL;
    }
    *kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!marks || marks[i] != FLM_NONE)
            list[(*kept)++] = i;
    flm_sort(list, *kept, scratch, order, f);
    free(scratch);
    return list;
}

static void write_metrics(const struct flm_metadata *f, struct flm_profile *p)
{
    const uint32_t *rank = f->ranking.string_rank;
    for (uint32_t m = 0; m < f->b->metric_count; m++)
        p->metrics[m] =
            (struct flm_metric_record){rank[f->b->metrics[m].name], rank[f->b->metrics[m].unit]};
}

static bool write_notes(const struct flm_metadata *f, struct flm_profile *p)
{
    const uint32_t *rank = f->ranking.string_rank;
    uint32_t note_count = 0, loss_count = 0;
    uint32_t *notes = sorted_list(f, (uint32_t)f->b->notes.count, NULL, order_notes, &note_count);
    uint32_t *losses =
        sorted_list(f, (uint32_t)f->b->losses.count, NULL, order_losses, &loss_count);
    for (uint32_t i = 0; notes && i < note_count; i++) {
        struct flm_note_record note = f->b->notes.at[notes[i]];
        p->notes[i] = (struct flm_note_record){rank[note.key], rank[note.value]};
    }
    for (uint32_t i = 0; losses && i < loss_count; i++) {
        struct flm_builder_loss loss = f->b->losses.at[losses[i]];
        p->losses[i] = (struct flm_loss_record){rank[loss.what], rank[loss.where], loss.count};
    }
    bool room = notes && losses;
    free(notes);
    free(losses);
    return room;
}

static bool write_label_records(struct flm_metadata *f, struct flm_profile *p)
{
    const struct flm_builder *b = f->b;
    const uint32_t *rank = f->ranking.string_rank;
    uint32_t count = 0;
    uint32_t *labels =
        sorted_list(f, (uint32_t)b->labels.count, f->label_rank, order_labels, &count);
    for (uint32_t i = 0; labels && i < count; i++) {
        struct flm_label_record label = b->labels.at[labels[i]];
        p->labels[i] = (struct flm_label_record){rank[label.key], rank[label.value]};
        f->label_rank[labels[i]] = i;
    }
    free(labels);
    return labels != NULL;
}

/* Members become ranks and ascend again: by insertion, as sets are small. */
static void rank_members(struct flm_metadata *f)
{
    struct flm_builder *b = f->b;
    for (uint32_t set = 0; set < b->label_set_count; set++) {
        uint32_t start = set_start(b, set);
        for (uint32_t i = start; f->set_rank[set] != FLM_NONE && i < b->label_set_ends[set]; i++) {
            uint32_t member = f->label_rank[b->set_members[i]], at = i;
            for (; at > start && b->set_members[at - 1] > member; at--)
                b->set_members[at] = b->set_members[at - 1];
            b->set_members[at] = member;
        }
    }
}

static bool write_label_sets(struct flm_metadata *f, struct flm_profile *p)
{
    const struct flm_builder *b = f->b;
    rank_members(f);
    uint32_t count = 0, end = 0;
    uint32_t *sets = sorted_list(f, b->label_set_count, f->set_rank, order_sets, &count);
    for (uint32_t i = 0; sets && i < count; i++) {
        for (uint32_t j = set_start(b, sets[i]); j < b->label_set_ends[sets[i]]; j++)
            p->set_members[end++] = b->set_members[j];
        p->label_set_ends[i] = end;
        f->set_rank[sets[i]] = i;
    }
    free(sets);
    return sets != NULL;
}

/* ---- Markers, counters ----------------------------------------------------------------------- */

static bool write_markers(const struct flm_metadata *f, struct flm_profile *p)
{
    const uint32_t *rank = f->ranking.string_rank;
    uint32_t count = 0;
    uint32_t *order = sorted_list(f, (uint32_t)f->b->markers.count, NULL, order_markers, &count);
    for (uint32_t i = 0; order && i < count; i++) {
        p->markers[i] = f->b->markers.at[order[i]];
        p->markers[i].name = rank[p->markers[i].name];
        p->markers[i].detail = rank[p->markers[i].detail];
        p->markers[i].label_set = f->set_rank[p->markers[i].label_set];
    }
    free(order);
    return order != NULL;
}

/* The points of each counter follow one another already (sort_points). */
static bool write_counters(const struct flm_metadata *f, struct flm_profile *p)
{
    const struct flm_builder *b = f->b;
    const uint32_t *rank = f->ranking.string_rank;
    uint32_t count = 0, end = 0;
    uint32_t *order =
        sorted_list(f, (uint32_t)b->counters.count, f->counter_rank, order_counters, &count);
    size_t *start = malloc((b->counters.count + 1) * sizeof *start);
    for (size_t i = b->points.count; order && start && i-- > 0;)
        start[b->points.at[i].counter] = i;
    for (uint32_t i = 0; order && start && i < count; i++) {
        const struct flm_builder_counter *counter = &b->counters.at[order[i]];
        for (size_t at = start[order[i]];
             at < b->points.count && b->points.at[at].counter == order[i]; at++, end++) {
            p->point_time[end] = b->points.at[at].time_ns;
            p->point_value[end] = b->points.at[at].value;
        }
        p->counters[i] = (struct flm_counter_record){rank[counter->name], rank[counter->unit],
                                                     f->set_rank[counter->label_set], end};
    }
    bool room = order && start;
    free(order);
    free(start);
    return room;
}

bool flm_metadata_write(struct flm_metadata *metadata, struct flm_profile *p,
                        const uint32_t *node_index, struct flm_error *why)
{
    assert(metadata->b && p && (node_index || p->sizes.sample_count == 0));
    metadata->node_index = node_index;
    flm_interner_write(&metadata->b->interner, &metadata->ranking, p);
    write_metrics(metadata, p);
    if (!write_notes(metadata, p))
        return flm_error_memory(why);
    if (p->sizes.label_set_count > 0 &&
        (!write_label_records(metadata, p) || !write_label_sets(metadata, p) ||
         !flm_samples_move(metadata, p) || !write_markers(metadata, p) ||
         !write_counters(metadata, p)))
        return flm_error_memory(why);
    return true;
}
