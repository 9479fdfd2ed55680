/* pprof_samples.c - samples of profile.proto: their stacks, labels and values.
 *
 * Samples are read in batches: first the fields of all of them, then what those refer to. All that
 * is looked up for a sample (the set of known stacks, the bytes of the stack there, the values of
 * its node) misses the caches of the CPU, one after the other. In a batch it is asked for in
 * advance, and the waits for the samples of a batch overlap.
 *
 * Two caches find the stack and the label set of a sample by the bytes that encode them. A stack
 * that is not in the cache takes the nodes of its outer locations from the sample before, as far as
 * both have the same. */
#include <stdlib.h>

#include "format/core/units.h"
#include "format/pprof/internal.h"

enum {
    KNOWN_LABELS = 1024,
    FIRST_KNOWN_STACKS = 1024,
    MOST_KNOWN_STACKS = 1 << 18,
    STACKS_OF_A_SET = 4
};

/* How many inlined frames all stacks may have, in addition to 8 for each byte of the input. */
enum { MOST_INLINED = 1 << 20 };

bool flm_pprof_prepare_samples(struct flm_pprof_reading *r)
{
    r->stack_count = FIRST_KNOWN_STACKS;
    r->stacks = calloc(r->stack_count, sizeof *r->stacks);
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
    struct flm_node node = flm_builder_root(b), from = node;
    if (shared > 0)
        from.index = r->previous_nodes.at[shared - 1];
    r->previous_nodes.count = shared;
    r->path.count = 0;
    if (!FLM_ARRAY_RESERVE(&r->previous_nodes, count - shared) ||
        !FLM_ARRAY_RESERVE(&r->ends, count + 1)) { /* its count stays 0 */
        flm_pprof_fail_memory(r);
        return node;
    }
    for (size_t i = shared; i < count; i++) {
        if (!push_location(r, r->ids.at[count - 1 - i]))
            return node;
        r->ends.at[i] = (uint32_t)r->path.count;
    }
    node = flm_builder_descend(b, from, r->path.at, r->path.count);
    for (size_t i = shared; i < count && !b->failed; i++)
        r->previous_nodes.at[r->previous_nodes.count++] =
            r->ends.at[i] > 0 ? b->path.at[r->ends.at[i] - 1] : from.index;
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

static bool add_ids(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    if (!FLM_ARRAY_RESERVE(&r->ids, flm_wire_most_numbers(field)))
        return flm_pprof_fail_memory(r);
    r->ids.count += flm_wire_unpack(field, r->ids.at + r->ids.count);
    return true;
}

static struct flm_pprof_known_stack *set_of(const struct flm_pprof_reading *r, uint32_t hash)
{
    return &r->stacks[hash & (r->stack_count - 1) & ~(size_t)(STACKS_OF_A_SET - 1)];
}

/* Adds a stack to its set, in place of any if that is full. */
static void remember_stack(struct flm_pprof_reading *r, struct flm_pprof_known_stack stack)
{
    struct flm_pprof_known_stack *set = set_of(r, stack.hash);
    size_t i = 0;
    while (i < STACKS_OF_A_SET && set[i].field)
        i++;
    set[i < STACKS_OF_A_SET ? i : stack.hash >> 30] = stack;
}

/* Twice as many sets, so that most stacks have room in theirs. */
static void grow_stacks(struct flm_pprof_reading *r)
{
    struct flm_pprof_known_stack *old = r->stacks;
    size_t old_count = r->stack_count;
    r->stacks = calloc(2 * old_count, sizeof *r->stacks);
    if (!r->stacks) {
        r->stacks = old;
        flm_pprof_fail_memory(r);
        return;
    }
    r->stack_count *= 2;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].field)
            remember_stack(r, old[i]);
    free(old);
}

struct flm_node flm_pprof_find_stack(struct flm_pprof_reading *r, const unsigned char *start)
{
    r->ids.count = 0;
    struct flm_wire field = flm_pprof_field(r, start);
    return add_ids(r, &field) ? find_stack(r) : flm_builder_root(r->builder);
}

/* The same for a field of packed locations: mostly an earlier sample had one of the same bytes. */
static struct flm_node find_packed(struct flm_pprof_reading *r,
                                   const struct flm_pprof_sample *sample)
{
    struct flm_pprof_known_stack *set = set_of(r, sample->hash);
    for (int i = 0; i < STACKS_OF_A_SET; i++)
        if (set[i].field && set[i].hash == sample->hash && /* it is before this one */
            memcmp(set[i].field, sample->ids, sample->ids_size) == 0)
            return (struct flm_node){set[i].node};
    struct flm_node node = flm_pprof_find_stack(r, sample->ids);
    if (2 * r->known_count++ >= r->stack_count && r->stack_count < MOST_KNOWN_STACKS)
        grow_stacks(r);
    remember_stack(r, (struct flm_pprof_known_stack){sample->ids, node.index, sample->hash});
    return node;
}

/* Prefetches what find_packed will compare, and the values of the node that it will find. */
static void expect_stack(const struct flm_pprof_reading *r, const struct flm_pprof_sample *sample)
{
    const struct flm_builder *b = r->builder;
    const struct flm_pprof_known_stack *set = set_of(r, sample->hash);
    for (int i = 0; i < STACKS_OF_A_SET; i++) {
        if (!set[i].field || set[i].hash != sample->hash)
            continue;
        __builtin_prefetch(set[i].field);
        __builtin_prefetch(set[i].field + sample->ids_size - 1);
        for (size_t m = 0; m < r->metrics.count; m++)
            __builtin_prefetch(&b->metrics[r->metrics.at[m]].self[set[i].node], 1);
        return;
    }
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

static void add_values(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    if (FLM_ARRAY_RESERVE(&r->values, flm_wire_most_numbers(field)))
        r->values.count += flm_wire_unpack(field, r->values.at + r->values.count);
    else
        flm_pprof_fail_memory(r);
}

static void use_values(struct flm_pprof_reading *r, const struct flm_pprof_sample *sample,
                       struct flm_node node, bool is_kept)
{
    struct flm_builder *b = r->builder;
    const uint64_t *values = r->values.at + sample->first_value;
    for (size_t i = 0; i < r->metrics.count && !b->failed; i++) {
        if (values[i] == 0)
            continue;
        double value = flm_builder_double(b, (int64_t)values[i]);
        if (is_kept)
            flm_builder_sample_add(b, (struct flm_metric){r->metrics.at[i]}, value);
        else
            flm_builder_add_self(b, r->metrics.at[i], node.index, value);
    }
}

static bool has_value(const struct flm_pprof_reading *r, const struct flm_pprof_sample *sample)
{
    bool found = false;
    for (size_t i = 0; i < r->metrics.count && !found; i++)
        found = r->values.at[sample->first_value + i] != 0;
    return found;
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

/* Reads all locations of a sample into r->ids. */
static bool read_ids(struct flm_pprof_reading *r, const struct flm_pprof_sample *sample)
{
    struct flm_wire m = flm_pprof_message(r, sample->start);
    r->ids.count = 0;
    while (flm_wire_next(&m))
        if (m.field == 1 && !add_ids(r, &m))
            return false;
    return !flm_pprof_stopped(r);
}

static void use_sample(struct flm_pprof_reading *r, const struct flm_pprof_sample *sample)
{
    bool by_thread = r->options->by_thread;
    if (sample->ids ? by_thread && !read_ids(r, sample) : !read_ids(r, sample))
        return;
    struct flm_pprof_known_labels labels = {.time_ns = FLM_NO_TIME};
    if (sample->labels.at)
        labels = read_labels(r, sample->labels);
    struct flm_node node = by_thread     ? find_below(r, node_of_thread(r, labels.label_set))
                           : sample->ids ? find_packed(r, sample)
                                         : find_stack(r);
    if (flm_pprof_stopped(r))
        return;
    /* A stack without any value was seen all the same: its sample keeps it in the profile. */
    bool is_kept = r->has_labels || !has_value(r, sample);
    if (!is_kept || flm_builder_keep_sample(r->builder, labels.time_ns, node.index,
                                            labels.label_set) != FLM_NONE)
        use_values(r, sample, node, is_kept);
}

void flm_pprof_use_samples(struct flm_pprof_reading *r)
{
    for (size_t i = 0; i < r->batch_count; i++)
        if (r->batch[i].ids)
            expect_stack(r, &r->batch[i]);
    for (size_t i = 0; i < r->batch_count && !flm_pprof_stopped(r); i++)
        use_sample(r, &r->batch[i]);
    r->batch_count = r->values.count = 0;
}

void flm_pprof_read_sample(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    struct flm_pprof_sample *sample = &r->batch[r->batch_count];
    size_t location_fields = 0;
    bool keeps_labels = r->options->keep_times || r->options->by_thread;
    if (field->type != FLM_WIRE_BYTES)
        return;
    /* Member by member: a structure that is made and then copied is waited for. */
    struct flm_wire m;
    m.at = (const unsigned char *)field->bytes.at;
    m.end = m.at + field->bytes.size;
    m.input = field->input;
    sample->start = field->start;
    sample->ids = NULL;
    sample->ids_size = 0;
    sample->labels.at = NULL;
    sample->first_value = r->values.count;
    while (flm_wire_next(&m)) {
        if (m.field == 1) {
            sample->ids = m.start; /* mostly the only field with locations */
            sample->ids_size = (size_t)(m.at - m.start);
            location_fields += m.type == FLM_WIRE_BYTES && m.bytes.size > 0 ? 1 : 2;
        } else if (m.field == 2) {
            add_values(r, &m);
        } else if (m.field == 3 && keeps_labels) {
            sample->labels.at = sample->labels.at ? sample->labels.at : (const char *)m.start;
            sample->labels.size = (size_t)((const char *)m.at - sample->labels.at);
        }
    }
    if (flm_pprof_stopped(r))
        return;
    if (r->values.count - sample->first_value != r->metrics.count) {
        if (!r->options->lenient)
            flm_wire_fail(&r->input, field->start,
                          "a sample has another number of values than there are sample types "
                          "(to skip it: --lenient)");
        else
            flm_builder_lost(r->builder, "samples with a wrong number of values", "byte",
                             flm_wire_offset(field), 1);
        r->values.count = sample->first_value;
        return;
    }
    if (location_fields == 1) {
        sample->hash = (uint32_t)(flm_hash(sample->ids, sample->ids_size) >> 32);
        __builtin_prefetch(set_of(r, sample->hash));
    } else {
        sample->ids = NULL;
    }
    if (++r->batch_count == FLM_PPROF_BATCH)
        flm_pprof_use_samples(r);
}
