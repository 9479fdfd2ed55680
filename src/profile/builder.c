/* builder.c - stacks in any order, found or added through one hash table.
 *
 * A node is (parent, frame); nodes are numbered as they come, so a parent has a smaller number than
 * its children. Every node knows a 32-bit hash of its whole path, made from its parent's and its
 * frame, and the table is indexed by that. So the hashes of all prefixes of a stack follow from its
 * frames alone, without touching a node, and the slots that will be read can be prefetched
 * together, before the first is needed: the table does not fit a cache, and waiting for one slot
 * after the other was what took the time.
 *
 *     frames       main  parse  read  copy  zap
 *     path hash    h1    h2     h3    h4    h5        -> prefetch h1 .. h5, then walk down
 *
 * On shuffled folded lines (1e6 and 5e6 nodes, mean depth 30), prefetching the last 16 took 0.98
 * and 0.94 of the time of prefetching none. Searching for the longest known prefix by its hash
 * touches fewer slots, but then the path has to be compared upwards: bisecting took 1.2 times as
 * long, going backwards from the end 1.05. */
#include "profile/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/text/text.h"
#include "profile/joining.h"

enum { FIRST_NODE_SLOTS = 1024 };

/* Path hash in the upper half, node in the lower; 0 is free, as the root needs no slot. */
typedef uint64_t node_slot;

void flm_builder_fail(struct flm_builder *b, enum flm_error_kind kind, const char *reason)
{
    if (!b->failed)
        flm_error_set(&b->why, kind, "%s", reason);
    b->failed = true;
}

/* Bytes that are allocated, but for small change. */
static uint64_t size_of(const struct flm_builder *b)
{
    uint64_t nodes = sizeof *b->nodes + (b->path_hash ? sizeof *b->path_hash : 0) +
                     b->metric_count * sizeof(double);
    uint64_t samples = sizeof *b->sample_time + sizeof *b->sample_node + sizeof *b->sample_labels;
    samples += (b->sample_lasts ? sizeof *b->sample_lasts : 0) + b->metric_count * sizeof(double);
    return flm_interner_size(&b->interner) + b->node_capacity * nodes +
           (b->slots ? b->slot_count * sizeof *b->slots : 0) + b->sample_capacity * samples +
           b->markers.capacity * sizeof *b->markers.at + b->points.capacity * sizeof *b->points.at;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

bool flm_builder_out_of_memory(const struct flm_builder *b, struct flm_error *why)
{
    uint64_t frames = b->interner.frame_count ? b->interner.frame_count - 1 : 0; /* no root */
    uint64_t stacks = b->node_count ? b->node_count - 1 : 0;
    unsigned long long megabytes = size_of(b) / 1000000;
    char samples[40] = "";
    struct flm_text text;
    flm_text_init_fixed(&text, samples, sizeof samples - 1);
    if (b->sample_count)
        flm_text_format(&text, " and %u sample%s", b->sample_count, plural(b->sample_count));
    samples[text.size] = 0;
    if (b->failed && b->why.kind != FLM_ERROR_MEMORY)
        return flm_builder_get_error(b, why);
    if (b->interner.is_full)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "the names of %llu distinct frame%s have more than 4 GiB, the most "
                             "that a profile has: split the input",
                             (unsigned long long)frames, plural(frames));
    if (megabytes == 0) /* others have it */
        return flm_error_memory(why);
    return flm_error_set(
        why, FLM_ERROR_MEMORY,
        "out of memory: %llu distinct frame%s%s %llu stack%s%s take %llu MB so far: split the "
        "input, or read it where there is more memory",
        (unsigned long long)frames, plural(frames), samples[0] ? "," : " and",
        (unsigned long long)stacks, plural(stacks), samples, megabytes);
}

void flm_builder_fail_memory(struct flm_builder *b)
{
    if (!b->failed)
        flm_builder_out_of_memory(b, &b->why);
    b->failed = true;
}

bool flm_builder_get_error(const struct flm_builder *b, struct flm_error *why)
{
    if (why)
        *why = b->why;
    return false;
}

bool flm_builder_start_nodes(struct flm_builder *b)
{
    free(b->slots);
    free(b->path_hash);
    b->path_hash = NULL;
    b->slot_count = FIRST_NODE_SLOTS;
    b->slots = flm_new_zeroed(b->slot_count, sizeof *b->slots);
    if (!b->slots || !flm_builder_reserve(b, 1))
        return false;
    b->nodes[0] = (struct flm_builder_node){FLM_NONE, 0};
    b->path_hash[0] = 0x9E3779B9u;
    b->node_count = 1;
    for (uint32_t m = 0; m < b->metric_count; m++)
        b->metrics[m].self[0] = 0;
    return true;
}

struct flm_builder *flm_builder_new(struct flm_error *why)
{
    struct flm_builder *b = calloc(1, sizeof *b);
    if (!b || !flm_interner_init(&b->interner, why)) {
        free(b);
        flm_error_memory(why);
        return NULL;
    }
    b->label_set_ends = calloc(1, sizeof *b->label_set_ends);
    if (!b->label_set_ends || !flm_builder_start_nodes(b)) {
        flm_builder_free(b);
        flm_error_memory(why);
        return NULL;
    }
    b->label_set_count = b->label_set_capacity = 1; /* the empty one */
    return b;
}

void flm_builder_free(struct flm_builder *b)
{
    if (!b)
        return;
    flm_interner_clear(&b->interner);
    free(b->nodes);
    free(b->path_hash);
    free(b->slots);
    for (uint32_t m = 0; m < b->metric_count; m++) {
        free(b->metrics[m].self);
        flm_value_column_clear(&b->metrics[m].sample_values);
    }
    free(b->metrics);
    flm_residuals_clear(&b->residuals);
    FLM_ARRAY_CLEAR(&b->path);
    FLM_ARRAY_CLEAR(&b->notes);
    FLM_ARRAY_CLEAR(&b->losses);
    FLM_ARRAY_CLEAR(&b->labels);
    flm_index_clear(&b->label_index);
    flm_index_clear(&b->label_set_index);
    free(b->label_set_ends);
    free(b->set_members);
    free(b->sample_time);
    free(b->sample_lasts);
    FLM_ARRAY_CLEAR(&b->long_durations);
    free(b->sample_node);
    free(b->sample_labels);
    FLM_ARRAY_CLEAR(&b->markers);
    FLM_ARRAY_CLEAR(&b->counters);
    FLM_ARRAY_CLEAR(&b->points);
    flm_index_clear(&b->counter_index);
    free(b->depths);
    flm_joining_free(b->joining);
    free(b->located);
    FLM_ARRAY_CLEAR(&b->bases);
    free(b);
}

struct flm_string flm_builder_string(struct flm_builder *b, const char *text, size_t size)
{
    uint32_t string = flm_interner_string(&b->interner, (struct flm_bytes){text, size});
    if (string == FLM_NONE) {
        flm_builder_fail_memory(b);
        string = 0;
    }
    return (struct flm_string){string};
}

struct flm_frame flm_builder_frame(struct flm_builder *b, const struct flm_frame_record *record)
{
    uint32_t frame = flm_interner_frame(&b->interner, record);
    if (frame == FLM_NONE) {
        flm_builder_fail_memory(b);
        frame = 0;
    }
    return (struct flm_frame){frame};
}

static void remember_base(struct flm_builder *b, uint32_t located, uint32_t base)
{
    if (located >= b->bases.count) {
        if (!FLM_ARRAY_RESERVE(&b->bases, (size_t)located + 1 - b->bases.count)) {
            flm_builder_fail_memory(b);
            return;
        }
        while (b->bases.count <= located)
            b->bases.at[b->bases.count++] = FLM_NONE;
    }
    b->bases.at[located] = base;
}

static struct flm_frame add_location(struct flm_builder *b, struct flm_frame frame,
                                     const struct flm_location *where)
{
    uint32_t location = flm_interner_location(&b->interner, where);
    if (location == 0)
        flm_builder_lost(b, "locations beyond 2^24", "", 0, 1);
    else if (location == FLM_NONE)
        flm_builder_fail_memory(b);
    if (location == 0 || location == FLM_NONE)
        return frame;
    struct flm_frame_record record = flm_frame_located(&b->interner.frames[frame.index], location);
    bool is_base = flm_frame_location(&b->interner.frames[frame.index]) == 0;
    struct flm_frame located = flm_builder_frame(b, &record);
    if (is_base && !b->failed)
        remember_base(b, located.index, frame.index);
    return located;
}

/* The record with the line that ran, of a frame that is at `where`; it is no location any more if
 * there is nothing else to know of it. */
static struct flm_frame frame_of_line(struct flm_builder *b, const struct flm_frame_record *record,
                                      const struct flm_location *where)
{
    struct flm_frame_record of_line = flm_frame_located(record, 0);
    of_line.line = where->line;
    of_line.file = where->line ? where->file : record->file;
    b->has_lines |= where->line != 0;
    struct flm_frame frame = flm_builder_frame(b, &of_line);
    return where->address || where->column ? add_location(b, frame, where) : frame;
}

struct flm_frame flm_builder_located(struct flm_builder *b, const struct flm_frame_record *record,
                                     struct flm_location where)
{
    if (where.line == 0)
        where.file = where.column = 0;
    else if (where.file == 0)
        where.file = record->file;
    if (where.line == 0 && where.address == 0)
        return flm_builder_frame(b, record);
    if (b->locations == FLM_LOCATIONS_DROPPED) {
        b->dropped_locations = true;
        return flm_builder_frame(b, record);
    }
    if (b->locations == FLM_LOCATIONS_AS_LINES)
        return frame_of_line(b, record, &where);
    return add_location(b, flm_builder_frame(b, record), &where);
}

static struct flm_frame find_frame_at(struct flm_builder *b, struct flm_frame frame,
                                      const struct flm_location *where)
{
    if (b->locations == FLM_LOCATIONS_KEPT)
        return add_location(b, frame, where);
    const struct flm_frame_record record = b->interner.frames[frame.index];
    return flm_builder_located(b, &record, *where);
}

/* A reader asks for the same few frames again and again: two tables less to look into, which was a
 * fifth of the time for JFR. */
struct flm_frame flm_builder_frame_at(struct flm_builder *b, struct flm_frame frame,
                                      const struct flm_location *where)
{
    struct flm_located_frame key = {frame.index, 0, *where};
    key.where.reserved = 0;
    if (!b->located && !(b->located = calloc(FLM_LOCATED_FRAMES, sizeof *b->located)))
        flm_builder_fail_memory(b);
    if (b->failed)
        return frame;
    uint32_t hash = flm_hash_numbers((uint64_t)frame.index << 32 | where->line, where->address);
    struct flm_located_frame *known = &b->located[hash % FLM_LOCATED_FRAMES];
    key.made = known->made;
    if (known->made != 0 && memcmp(known, &key, sizeof key) == 0)
        return (struct flm_frame){known->made};
    key.made = find_frame_at(b, frame, where).index;
    *known = key;
    return (struct flm_frame){key.made};
}

struct flm_frame flm_builder_function(struct flm_builder *b, const char *name, size_t size)
{
    uint32_t frame =
        flm_interner_function(&b->interner, (struct flm_bytes){name, size}, FLM_KIND_PLAIN);
    if (frame == FLM_NONE) {
        flm_builder_fail_memory(b);
        frame = 0;
    }
    return (struct flm_frame){frame};
}

/* Room for `count` nodes in every node column. */
bool flm_builder_reserve(struct flm_builder *b, size_t count)
{
    if (count <= b->node_capacity)
        return true;
    size_t capacity = b->node_capacity, same;
    void *nodes = b->nodes, *hashes = b->path_hash;
    if (!flm_grow(&nodes, &capacity, count, sizeof *b->nodes))
        return false;
    b->nodes = nodes;
    same = b->node_capacity;
    if (!flm_grow(&hashes, &same, capacity, sizeof *b->path_hash))
        return false;
    b->path_hash = hashes;
    for (uint32_t m = 0; m < b->metric_count; m++) {
        void *self = b->metrics[m].self;
        same = b->node_capacity;
        if (!flm_grow(&self, &same, capacity, sizeof(double)))
            return false;
        b->metrics[m].self = self;
    }
    b->node_capacity = capacity;
    return true;
}

uint32_t flm_builder_metric_of(struct flm_builder *b, uint32_t name, uint32_t unit)
{
    for (uint32_t m = 0; m < b->metric_count; m++)
        if (b->metrics[m].name == name)
            return m;
    if (b->metric_count == FLM_MOST_METRICS) {
        flm_builder_fail(b, FLM_ERROR_RANGE, "more than 4096 metrics: leave some out");
        return FLM_NONE;
    }
    void *metrics = b->metrics;
    double *self = calloc(b->node_capacity, sizeof *self);
    if (b->failed || !self ||
        !flm_grow(&metrics, &b->metric_capacity, (size_t)b->metric_count + 1, sizeof *b->metrics)) {
        free(self);
        flm_builder_fail_memory(b);
        return FLM_NONE;
    }
    b->metrics = metrics;
    b->metrics[b->metric_count] = (struct flm_builder_metric){name, unit, self, {0}};
    return b->metric_count++;
}

struct flm_metric flm_builder_metric(struct flm_builder *b, const char *name, const char *unit)
{
    assert(b && name && unit);
    uint32_t metric = flm_builder_metric_of(b, flm_builder_string(b, name, strlen(name)).index,
                                            flm_builder_string(b, unit, strlen(unit)).index);
    return (struct flm_metric){metric == FLM_NONE ? 0 : metric};
}

struct flm_node flm_builder_root(const struct flm_builder *b)
{
    (void)b;
    return (struct flm_node){0};
}

static uint32_t extend_path(uint32_t hash, uint32_t frame)
{
    uint64_t mixed = (hash ^ (uint64_t)frame * 0x85EBCA6Bu) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(mixed >> 32);
}

/* The home of a hash: its upper bits, so that a table of any size needs nothing but the slot itself
 * when it grows. */
static size_t home(const struct flm_builder *b, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * b->slot_count) >> 32);
}

static bool grow_slots(struct flm_builder *b)
{
    size_t old_count = b->slot_count;
    node_slot *old = b->slots, *slots = flm_new_zeroed(old_count * 2, sizeof *slots);
    if (!slots)
        return false;
    b->slots = slots;
    b->slot_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++) {
        if (!old[i])
            continue;
        size_t at = home(b, (uint32_t)(old[i] >> 32));
        while (slots[at])
            at = at + 1 == b->slot_count ? 0 : at + 1;
        slots[at] = old[i];
    }
    free(old);
    return true;
}

static uint32_t add_node(struct flm_builder *b, uint32_t parent, uint32_t frame, uint32_t hash,
                         size_t slot)
{
    uint32_t node = b->node_count;
    if (node >= FLM_MOST_NODES) {
        flm_builder_fail(b, FLM_ERROR_RANGE, FLM_TOO_MANY_NODES);
        return 0;
    }
    if (!flm_builder_reserve(b, (size_t)node + 1)) {
        flm_builder_fail_memory(b);
        return 0;
    }
    b->nodes[node] = (struct flm_builder_node){parent, frame};
    b->path_hash[node] = hash;
    for (uint32_t m = 0; m < b->metric_count; m++)
        b->metrics[m].self[node] = 0;
    b->slots[slot] = (uint64_t)hash << 32 | node;
    b->node_count++;
    /* Full at five eighths: linear probing is still short there, and the table is 8 bytes a slot.
     */
    if ((size_t)b->node_count * 8 > b->slot_count * 5 && !grow_slots(b))
        flm_builder_fail_memory(b);
    return node;
}

static uint32_t find_or_add(struct flm_builder *b, uint32_t parent, uint32_t frame, uint32_t hash)
{
    size_t at = home(b, hash);
    for (; b->slots[at]; at = at + 1 == b->slot_count ? 0 : at + 1) {
        uint32_t node = (uint32_t)b->slots[at];
        if ((uint32_t)(b->slots[at] >> 32) == hash && b->nodes[node].parent == parent &&
            b->nodes[node].frame == frame)
            return node;
    }
    return add_node(b, parent, frame, hash, at);
}

struct flm_node flm_builder_child(struct flm_builder *b, struct flm_node parent,
                                  struct flm_frame frame)
{
    if (b->failed)
        return (struct flm_node){0};
    uint32_t hash = extend_path(b->path_hash[parent.index], frame.index);
    return (struct flm_node){find_or_add(b, parent.index, frame.index, hash)};
}

/* How many slots, and the nodes that they lead to, are prefetched before they are read: those of
 * the last frames. Those of the outer frames are in the cache already. */
enum { PREFETCHED = 32 };

struct flm_node flm_builder_descend(struct flm_builder *b, struct flm_node from,
                                    const struct flm_frame *frames, size_t count)
{
    if (b->failed)
        return (struct flm_node){0};
    if (!FLM_ARRAY_RESERVE(&b->path, count + 1)) {
        flm_builder_fail_memory(b);
        return (struct flm_node){0};
    }
    uint32_t *path = b->path.at; /* hashes, which nodes replace from the front */
    path[0] = b->path_hash[from.index];
    for (size_t i = 0; i < count; i++)
        path[i + 1] = extend_path(path[i], frames[i].index);
    size_t first = count < PREFETCHED ? 0 : count - PREFETCHED;
    for (size_t i = first; i < count; i++)
        __builtin_prefetch(&b->slots[home(b, path[i + 1])], 1);
    for (size_t i = first; i < count; i++)
        __builtin_prefetch(&b->nodes[(uint32_t)b->slots[home(b, path[i + 1])]]);
    uint32_t node = from.index;
    for (size_t i = 0; i < count && !b->failed; i++)
        path[i] = node = find_or_add(b, node, frames[i].index, path[i + 1]);
    return (struct flm_node){b->failed ? 0 : node};
}

void flm_builder_copy_nodes(struct flm_builder *b, const struct flm_builder_node *nodes,
                            uint32_t count, const uint32_t *frame_of, uint32_t *node_of)
{
    enum { AHEAD = 16 };
    if (b->failed)
        return;
    uint32_t *hash = node_of; /* until the node is known */
    hash[0] = b->path_hash[0];
    for (uint32_t i = 1; i < count; i++)
        hash[i] = extend_path(hash[nodes[i].parent], frame_of[nodes[i].frame]);
    node_of[0] = 0;
    for (uint32_t i = 1; i < count && !b->failed; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&b->slots[home(b, hash[i + AHEAD])], 1);
        node_of[i] = find_or_add(b, node_of[nodes[i].parent], frame_of[nodes[i].frame], hash[i]);
    }
}

struct flm_node flm_builder_stack(struct flm_builder *b, const struct flm_frame *frames,
                                  size_t count)
{
    return flm_builder_descend(b, flm_builder_root(b), frames, count);
}

void flm_builder_add(struct flm_builder *b, struct flm_node node, struct flm_metric metric,
                     double value)
{
    if (!b->failed)
        flm_builder_add_self(b, metric.index, node.index, value);
}

void flm_builder_rounded(struct flm_builder *b, uint64_t count)
{
    b->rounded += (double)count;
}

uint32_t flm_builder_node_count(const struct flm_builder *b)
{
    return b->node_count - 1;
}

bool flm_builder_failed(const struct flm_builder *b)
{
    return b->failed;
}

void flm_builder_take_depths(struct flm_builder *b, struct flm_depths *depths)
{
    assert(!b->depths);
    b->depths = depths;
    b->depths_count = b->node_count;
}
