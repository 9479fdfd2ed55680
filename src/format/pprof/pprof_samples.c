/* pprof_samples.c - samples of profile.proto: their stacks, labels and values.
 *
 * Two caches find the stack and the label set of a sample by the bytes that encode them. A stack
 * that is not in the cache takes the nodes of its outer locations from the sample before, as far as
 * both have the same. */
#include <stdlib.h>

#include "format/core/units.h"
#include "format/pprof/internal.h"

enum { KNOWN_LABELS = 1024, MOST_KNOWN_STACKS = 1 << 18, STACKS_OF_A_SET = 4 };

/* How many inlined frames all stacks may have, in addition to 8 for each byte of the input. */
enum { MOST_INLINED = 1 << 20 };

bool flm_pprof_prepare_samples(struct flm_pprof_reading *r)
{
    size_t stack_count = 1024;
    while (stack_count < r->sample_count && stack_count < MOST_KNOWN_STACKS)
        stack_count *= 2;
    r->stack_mask = stack_count - STACKS_OF_A_SET;
    r->stacks = calloc(stack_count, sizeof *r->stacks);
    r->labels = calloc(KNOWN_LABELS, sizeof *r->labels);
    return r->stacks && r->labels;
}
/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Appends the frames of a location to the path. A small file can repeat a location with many
 * inlined frames: above a limit in proportion to the size of the input, only the outermost frame of
 * a location is added. */
static bool push_location(struct flm_pprof_reading *r, uint64_t id)
{
    uint32_t index = flm_pprof_find(&r->locations, id);
    if (index == FLM_NONE || id == 0) {
        flm_builder_lost(r->builder, "frames whose location is missing", "", 0, 1);
        return true;
    }
    uint32_t at = r->location_frames[index];
    if (at == FLM_NONE && (at = flm_pprof_make_location(r, index)) == FLM_NONE)
        return false;
    uint32_t count = r->frames.at[at].index;
    uint64_t most = MOST_INLINED + 8 * (uint64_t)r->input.size;
    if (count > 1 && r->inlined_count + count > most) {
        flm_builder_lost(r->builder, "inlined frames, of which there are too many", "", 0,
                         (double)(count - 1));
        count = 1;
    }
    r->inlined_count += count - 1;
    if (!FLM_ARRAY_RESERVE(&r->path, count))
        return flm_pprof_fail_memory(r);
    memcpy(r->path.at + r->path.count, r->frames.at + at + 1, count * sizeof *r->path.at);
    r->path.count += count;
    return true;
}

/* The node of the locations in `ids`. Outer locations that are the same as in the stack before are
 * not looked up again: previous_nodes[i] is the node of its i + 1 outermost locations. */
static struct flm_node find_stack(struct flm_pprof_reading *r)
{
    struct flm_builder *b = r->builder;
    size_t count = r->ids.count, shared = 0;
    size_t known = r->previous_nodes.count < count ? r->previous_nodes.count : count;
    while (shared < known &&
           r->ids.at[count - 1 - shared] == r->previous.at[r->previous.count - 1 - shared])
        shared++;
    struct flm_node node = flm_builder_root(b);
    if (shared > 0)
        node.index = r->previous_nodes.at[shared - 1];
    r->previous_nodes.count = shared;
    if (!FLM_ARRAY_RESERVE(&r->previous_nodes, count - shared)) {
        flm_pprof_fail_memory(r);
        return node;
    }
    for (size_t i = shared; i < count; i++) {
        r->path.count = 0;
        if (!push_location(r, r->ids.at[count - 1 - i]))
            return flm_builder_root(b);
        for (size_t k = 0; k < r->path.count; k++)
            node = flm_builder_child(b, node, r->path.at[k]);
        r->previous_nodes.at[r->previous_nodes.count++] = node.index;
    }
    struct {
        uint64_t *at;
        size_t count, capacity;
    } swap = {r->ids.at, r->ids.count, r->ids.capacity};
    r->ids.at = r->previous.at;
    r->ids.capacity = r->previous.capacity;
    r->ids.count = 0;
    r->previous.at = swap.at;
    r->previous.count = swap.count;
    r->previous.capacity = swap.capacity;
    return node;
}

static bool add_ids(struct flm_pprof_reading *r, struct flm_wire packed)
{
    uint64_t id;
    if (!FLM_ARRAY_RESERVE(&r->ids, (size_t)(packed.end - packed.at) + 1))
        return flm_pprof_fail_memory(r);
    while (flm_wire_next_number(&packed, &id))
        r->ids.at[r->ids.count++] = id;
    return true;
}

/* The same for packed locations: mostly an earlier sample had the same bytes. */
static struct flm_node find_packed(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    struct flm_bytes bytes = field->bytes;
    uint64_t hash = flm_hash(bytes.at, bytes.size);
    struct flm_pprof_known_stack *set = &r->stacks[(size_t)(hash >> 16) & r->stack_mask],
                                 *known = NULL;
    for (int i = 0; i < STACKS_OF_A_SET; i++) {
        if (set[i].size == bytes.size && set[i].hash == (uint32_t)hash && set[i].at &&
            memcmp(set[i].at, bytes.at, bytes.size) == 0) {
            set[i].at = bytes.at; /* the newer bytes are more likely in the CPU's cache next time */
            return (struct flm_node){set[i].node};
        }
        if (!set[i].at && !known)
            known = &set[i];
    }
    if (!known) /* the set is full: replace any */
        known = &set[hash % STACKS_OF_A_SET];
    r->ids.count = 0;
    if (!add_ids(r, flm_wire_numbers(field)))
        return flm_builder_root(r->builder);
    struct flm_node node = find_stack(r);
    if (bytes.size < UINT32_MAX)
        *known = (struct flm_pprof_known_stack){bytes.at, (uint32_t)bytes.size, node.index,
                                                (uint32_t)hash};
    return node;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void remember_numeric(struct flm_pprof_reading *r, uint32_t key)
{
    enum { MOST_NUMERIC = 64 };
    for (size_t i = 0; i < r->numeric.count; i++)
        if (r->numeric.at[i] == key)
            return;
    if (r->numeric.count < MOST_NUMERIC && !FLM_ARRAY_ADD(&r->numeric, key))
        flm_pprof_fail_memory(r);
}

static void add_label(struct flm_pprof_reading *r, struct flm_wire m, int64_t *time_ns)
{
    uint64_t key = 0, text = 0, unit = 0;
    int64_t number = 0;
    const unsigned char *at = m.at;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            key = m.number;
        else if (m.field == 2)
            text = m.number;
        else if (m.field == 3)
            number = (int64_t)m.number;
        else if (m.field == 4)
            unit = m.number;
    }
    struct flm_string pair[2] = {{flm_pprof_string(r, key, at)}, {0}};
    struct flm_bytes name = flm_interner_text(&r->builder->interner, pair[0].index);
    if (text == 0 && flm_bytes_are(name, FLM_PPROF_TIME)) {
        *time_ns = number;
        remember_numeric(r, pair[0].index);
        return;
    }
    if (text == 0 && (number != 0 || unit != 0)) {
        remember_numeric(r, pair[0].index);
        r->text.size = 0;
        flm_text_format(&r->text, "%lld", (long long)number);
        flm_unit_append(&r->text, flm_pprof_bytes(r, unit, at));
        if (r->text.failed)
            flm_pprof_fail_memory(r);
        else
            pair[1] = flm_builder_string(r->builder, r->text.at, r->text.size);
    } else {
        pair[1].index = flm_pprof_string(r, text, at);
    }
    if (!FLM_ARRAY_ADD(&r->pairs, pair[0]) || !FLM_ARRAY_ADD(&r->pairs, pair[1]))
        flm_pprof_fail_memory(r);
}

/* The labels of a sample. `bytes`: from its first label to its last, with other fields between. */
static struct flm_pprof_known_labels read_labels(struct flm_pprof_reading *r,
                                                 struct flm_bytes bytes)
{
    size_t slot = (size_t)(flm_hash(bytes.at, bytes.size) >> 16) % KNOWN_LABELS;
    struct flm_pprof_known_labels *known = &r->labels[slot];
    if (known->at && known->size == bytes.size && memcmp(known->at, bytes.at, bytes.size) == 0)
        return *known;
    struct flm_pprof_known_labels labels = {bytes.at, (uint32_t)bytes.size, 0, FLM_NO_TIME};
    struct flm_wire m = flm_wire_of(&r->input, bytes), label;
    r->pairs.count = 0;
    while (flm_wire_next(&m) && !flm_pprof_stopped(r))
        if (m.field == 3 && flm_wire_enter(&m, &label))
            add_label(r, label, &labels.time_ns);
    labels.label_set = flm_builder_label_set(r->builder, r->pairs.at, r->pairs.count / 2).index;
    if (bytes.size < UINT32_MAX)
        *known = labels;
    return labels;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void add_values(struct flm_pprof_reading *r, struct flm_wire packed)
{
    uint64_t value;
    if (!FLM_ARRAY_RESERVE(&r->values, (size_t)(packed.end - packed.at) + 1)) {
        flm_pprof_fail_memory(r);
        return;
    }
    while (flm_wire_next_number(&packed, &value))
        r->values.at[r->values.count++] = (int64_t)value;
}

static bool has_value(const struct flm_pprof_reading *r)
{
    bool found = false;
    for (size_t i = 0; i < r->values.count && !found; i++)
        found = r->values.at[i] != 0;
    return found;
}

static void count_sample(struct flm_pprof_reading *r, struct flm_node node)
{
    struct flm_builder *b = r->builder;
    for (size_t i = 0; i < r->values.count && !b->failed; i++)
        if (r->values.at[i] != 0)
            flm_builder_add_self(b, r->metrics.at[i], node.index,
                                 flm_builder_double(b, r->values.at[i]));
}

static void keep_sample(struct flm_pprof_reading *r, struct flm_node node,
                        const struct flm_pprof_known_labels *labels)
{
    struct flm_builder *b = r->builder;
    uint32_t sample = flm_builder_keep_sample(b, labels->time_ns, node.index, labels->label_set);
    for (size_t i = 0; i < r->values.count && sample != FLM_NONE; i++)
        if (r->values.at[i] != 0)
            flm_builder_sample_add(b, (struct flm_metric){r->metrics.at[i]},
                                   flm_builder_double(b, r->values.at[i]));
}

/* The node below the frame of the sample's thread, with --by-thread. */
static struct flm_node node_of_thread(struct flm_pprof_reading *r, uint32_t label_set)
{
    static const char *const keys[] = {"thread name", "thread_name", "thread",
                                       "thread id",   "thread_id",   "tid"};
    struct flm_builder *b = r->builder;
    struct flm_node root = flm_builder_root(b);
    uint32_t first = label_set ? b->label_set_ends[label_set - 1] : 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (uint32_t i = first; i < b->label_set_ends[label_set]; i++) {
            struct flm_label_record label = b->labels.at[b->set_members[i]];
            if (flm_bytes_are(flm_interner_text(&b->interner, label.key), keys[k]))
                return flm_builder_child(
                    b, root,
                    flm_builder_frame(b, &(struct flm_frame_record){.function = label.value,
                                                                    .kind = FLM_KIND_LABEL}));
        }
    }
    return root;
}

/* A stack below another node than the root: this is rare, so it uses no cache. */
static struct flm_node find_below(struct flm_pprof_reading *r, struct flm_node node)
{
    r->previous_nodes.count = 0;
    for (size_t i = r->ids.count; i-- > 0;) {
        r->path.count = 0;
        if (!push_location(r, r->ids.at[i]))
            return node;
        for (size_t k = 0; k < r->path.count; k++)
            node = flm_builder_child(r->builder, node, r->path.at[k]);
    }
    return node;
}

void flm_pprof_read_sample(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    struct flm_wire m, packed = {0};
    const unsigned char *labels_at = NULL, *labels_end = NULL;
    bool keeps_labels = r->options->keep_times || r->options->by_thread;
    if (!flm_wire_enter(field, &m))
        return;
    r->ids.count = r->values.count = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 1) {
            if (!packed.at && r->ids.count == 0 && m.type == FLM_WIRE_BYTES &&
                !r->options->by_thread) {
                packed = m; /* mostly the only field with locations */
                continue;
            }
            if (packed.at && !add_ids(r, flm_wire_numbers(&packed)))
                return;
            packed.at = NULL;
            if (!add_ids(r, flm_wire_numbers(&m)))
                return;
        } else if (m.field == 2) {
            add_values(r, flm_wire_numbers(&m));
        } else if (m.field == 3 && keeps_labels) {
            labels_at = labels_at ? labels_at : m.start;
            labels_end = m.at;
        }
    }
    if (flm_pprof_stopped(r))
        return;
    if (r->values.count != r->metrics.count) {
        if (!r->options->lenient)
            flm_wire_fail(&r->input, field->start,
                          "a sample has another number of values than there are sample types "
                          "(to skip it: --lenient)");
        else
            flm_builder_lost(r->builder, "samples with a wrong number of values", "byte",
                             flm_wire_offset(field), 1);
        return;
    }
    struct flm_pprof_known_labels labels = {.time_ns = FLM_NO_TIME};
    if (labels_at)
        labels = read_labels(
            r, (struct flm_bytes){(const char *)labels_at, (size_t)(labels_end - labels_at)});
    struct flm_node node = r->options->by_thread
                               ? find_below(r, node_of_thread(r, labels.label_set))
                           : packed.at ? find_packed(r, &packed)
                                       : find_stack(r);
    if (flm_pprof_stopped(r))
        return;
    /* A stack without any value was seen all the same: its sample keeps it in the profile. */
    if (r->has_labels || !has_value(r))
        keep_sample(r, node, &labels);
    else
        count_sample(r, node);
}
