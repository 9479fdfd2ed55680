/* pprof_read.c - profile.proto to a profile: pprof.h says how. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/core/mapped.h"
#include "format/core/units.h"
#include "format/perf/frame.h"
#include "format/pprof/pprof.h"
#include "format/protobuf/wire_read.h"
#include "profile/internal.h"

/* ---- Tables: messages with an id ------------------------------------------------------------- */

/* Where the messages are, and which has an id. */
struct table {
    const char *duplicate; /* what two messages with one id are called */
    struct FLM_ARRAY(const unsigned char *) starts;
    struct FLM_ARRAY(uint64_t) ids;
    bool is_dense;      /* the ids are 1, 2, 3 ... */
    uint64_t largest;   /* of the ids */
    uint32_t *by_id;    /* index + 1, where ids are small numbers */
    size_t by_id_count; /* 0: they are not */
    struct flm_index index;
};

static void table_clear(struct table *t)
{
    FLM_ARRAY_CLEAR(&t->starts);
    FLM_ARRAY_CLEAR(&t->ids);
    free(t->by_id);
    flm_index_clear(&t->index);
}

static uint32_t table_find(const struct table *t, uint64_t id)
{
    if (t->is_dense)
        return id - 1 < t->ids.count ? (uint32_t)(id - 1) : FLM_NONE;
    if (t->by_id_count)
        return id < t->by_id_count ? t->by_id[id] - 1 : FLM_NONE;
    for (struct flm_probe at = flm_index_probe(&t->index, flm_hash_numbers(id, 0));
         flm_index_next(&t->index, &at);)
        if (t->ids.at[at.found] == id)
            return at.found;
    return FLM_NONE;
}

static bool table_add(struct table *t, const struct flm_wire *field)
{
    struct flm_wire m;
    uint64_t id = 0;
    if (!flm_wire_enter(field, &m))
        return true;
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_VARINT) {
            id = m.number;
            break; /* it comes first, in all that write such files */
        }
    }
    if (t->ids.count == 0)
        t->is_dense = true;
    t->is_dense = t->is_dense && id == t->ids.count + 1;
    t->largest = id > t->largest ? id : t->largest;
    return t->ids.count < FLM_NONE - 1 && FLM_ARRAY_ADD(&t->starts, field->start) &&
           FLM_ARRAY_ADD(&t->ids, id);
}

/* Makes the way from ids to indices. False when memory ran out; two messages with one id are an
 * error of the input. */
static bool table_finish(struct table *t, struct flm_wire_input *input)
{
    size_t count = t->ids.count;
    if (t->is_dense || count == 0)
        return true;
    if (t->largest < 4 * count + 4096) {
        t->by_id_count = (size_t)t->largest + 1;
        t->by_id = calloc(t->by_id_count, sizeof *t->by_id);
        if (!t->by_id)
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t id = t->ids.at[i];
        if (id == 0)
            continue; /* none can refer to it */
        if (table_find(t, id) != FLM_NONE)
            flm_wire_fail(input, t->starts.at[i], t->duplicate);
        else if (t->by_id_count)
            t->by_id[id] = (uint32_t)i + 1;
        else if (!flm_index_add(&t->index, flm_hash_numbers(id, 0), (uint32_t)i))
            return false;
    }
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct function {
    uint32_t name, file, line; /* name: FLM_NONE until the first use */
};

struct mapping {
    uint64_t start, limit, offset;
    uint32_t path, build_id; /* strings of the builder; path: FLM_NONE until the first use */
    uint32_t kind;
};

/* A stack that occurred: the node of the locations in these bytes. Their hash says in which set
 * of a few of them it is. */
struct known_stack {
    const char *at;
    uint32_t size, node, hash;
};

struct known_labels {
    const char *at;
    uint32_t size, label_set;
    int64_t time_ns;
};

enum { KNOWN_LABELS = 1024, MOST_KNOWN_STACKS = 1 << 18, STACKS_OF_A_SET = 4 };

/* Of a location; of all stacks, beside what the size of the input allows. */
enum { MOST_LINES = 4096, MOST_INLINED = 1 << 20 };

/* A name of sample types, and the number that its next one has. */
struct type_name {
    uint32_t name, next;
};

struct reading {
    struct flm_wire_input input;
    struct flm_builder *builder;
    const struct flm_read_options *options;

    struct FLM_ARRAY(const unsigned char *) string_starts;
    uint32_t *strings; /* of the builder; FLM_NONE until the first use */
    struct table mappings, locations, functions;
    struct mapping *mapping;
    struct function *function;
    uint32_t *location_frames;                 /* where in `frames`; FLM_NONE until the first use */
    struct FLM_ARRAY(struct flm_frame) frames; /* of locations: how many, and they, outer first */

    struct FLM_ARRAY(const unsigned char *) sample_types;
    struct FLM_ARRAY(uint32_t) metrics; /* by sample type */
    struct FLM_ARRAY(struct type_name) type_names;
    uint64_t inlined_count; /* frames that were added to stacks below those of their locations */
    struct FLM_ARRAY(uint64_t) comments;
    uint64_t drop_frames, keep_frames, default_type, documentation;
    int64_t time_ns, duration_ns, period;
    struct flm_bytes period_type;
    size_t sample_count;

    struct known_stack *stacks;
    size_t stack_mask;
    struct known_labels *labels;

    /* Of the current sample, and of the one before. */
    struct FLM_ARRAY(uint64_t) ids, previous; /* leaf first */
    struct FLM_ARRAY(uint32_t)
        previous_nodes; /* of the first frames of `previous`, from the root */
    struct FLM_ARRAY(int64_t) values;
    struct FLM_ARRAY(struct flm_frame) path;
    struct FLM_ARRAY(struct flm_string) pairs;
    struct FLM_ARRAY(
        uint32_t) numeric; /* keys of labels that are numbers: strings of the builder */
    struct flm_text text;
    uint32_t thread_name; /* frame of the current sample's thread; 0: none */
    bool has_labels;      /* of the current sample */
    bool failed;          /* memory ran out */
};

static bool fail_memory(struct reading *r)
{
    flm_builder_fail_memory(r->builder);
    r->failed = true;
    return false;
}

static bool stopped(const struct reading *r)
{
    return r->failed || r->input.reason || flm_builder_failed(r->builder);
}

/* The field that begins at `start`. */
static struct flm_wire field_at(struct reading *r, const unsigned char *start)
{
    struct flm_wire m = flm_wire_all(&r->input);
    m.at = start;
    flm_wire_next(&m);
    return m;
}

static struct flm_wire message_at(struct reading *r, const unsigned char *start)
{
    return flm_wire_of(&r->input, field_at(r, start).bytes);
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* The string of that index; `at` is where the index stands. */
static struct flm_bytes string_bytes(struct reading *r, uint64_t index, const unsigned char *at)
{
    if (index < r->string_starts.count)
        return field_at(r, r->string_starts.at[index]).bytes;
    if (index != 0)
        flm_wire_fail(&r->input, at, "the index of a string is beyond the table of strings");
    return (struct flm_bytes){"", 0};
}

static uint32_t string_of(struct reading *r, uint64_t index, const unsigned char *at)
{
    if (index == 0)
        return 0;
    if (index < r->string_starts.count && r->strings[index] != FLM_NONE)
        return r->strings[index];
    struct flm_bytes bytes = string_bytes(r, index, at);
    uint32_t string = flm_builder_string(r->builder, bytes.at, bytes.size).index;
    if (index < r->string_starts.count)
        r->strings[index] = string;
    return string;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static const struct mapping *mapping_of(struct reading *r, uint64_t id)
{
    uint32_t index = table_find(&r->mappings, id);
    if (id == 0 || index == FLM_NONE)
        return NULL;
    struct mapping *mapping = &r->mapping[index];
    if (mapping->path != FLM_NONE)
        return mapping;
    struct flm_wire m = message_at(r, r->mappings.starts.at[index]);
    *mapping = (struct mapping){0};
    while (flm_wire_next(&m)) {
        switch (m.field) {
        case 2:
            mapping->start = m.number;
            break;
        case 3:
            mapping->limit = m.number;
            break;
        case 4:
            mapping->offset = m.number;
            break;
        case 5:
            mapping->path = string_of(r, m.number, m.start);
            break;
        case 6:
            mapping->build_id = string_of(r, m.number, m.start);
            break;
        default:
            break;
        }
    }
    struct flm_bytes path = flm_interner_text(&r->builder->interner, mapping->path);
    mapping->kind = path.size > 0 ? flm_perf_module_kind(path) : FLM_KIND_PLAIN;
    return mapping;
}

static const struct function *function_of(struct reading *r, uint64_t id)
{
    uint32_t index = table_find(&r->functions, id);
    if (id == 0 || index == FLM_NONE)
        return NULL;
    struct function *function = &r->function[index];
    if (function->name != FLM_NONE)
        return function;
    struct flm_wire m = message_at(r, r->functions.starts.at[index]);
    uint32_t system_name = 0;
    *function = (struct function){0};
    while (flm_wire_next(&m)) {
        switch (m.field) {
        case 2:
            function->name = string_of(r, m.number, m.start);
            break;
        case 3:
            system_name = string_of(r, m.number, m.start);
            break;
        case 4:
            function->file = string_of(r, m.number, m.start);
            break;
        case 5:
            function->line =
                (int64_t)m.number > 0 && m.number <= INT32_MAX ? (uint32_t)m.number : 0;
            break;
        default:
            break;
        }
    }
    if (function->name == 0)
        function->name = system_name;
    return function;
}

/* As pprof calls it: 0x4bff6d, or by the file, where there is no address either. */
static uint32_t name_of_address(struct reading *r, uint64_t address, const struct mapping *mapping)
{
    char buffer[128];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    struct flm_bytes path = {"", 0};
    if (mapping)
        path = flm_interner_text(&r->builder->interner, mapping->path);
    for (size_t i = path.size; i > 0; i--)
        if (path.at[i - 1] == '/') {
            path = flm_bytes_from(path, i);
            break;
        }
    if (address != 0)
        flm_text_format(&text, "0x%llx", (unsigned long long)address);
    else if (path.size > 0 && path.at[0] != '[')
        flm_text_format(&text, "[%.*s]", (int)path.size, path.at);
    else
        flm_text_puts(&text, "[unknown]");
    return flm_builder_string(r->builder, text.at, text.size).index;
}

struct location {
    uint64_t mapping, address;
    size_t line_count;
};

static void add_frame(struct reading *r, const struct flm_frame_record *record)
{
    struct flm_frame frame = flm_builder_frame(r->builder, record);
    if (!FLM_ARRAY_ADD(&r->frames, frame))
        fail_memory(r);
}

static void add_unsymbolized(struct reading *r, uint64_t address, const struct mapping *mapping)
{
    add_frame(r, &(struct flm_frame_record){
                     .function = name_of_address(r, address, mapping),
                     .module = mapping ? mapping->path : 0,
                     .address = address,
                     .kind = mapping ? mapping->kind : (uint32_t)FLM_KIND_PLAIN,
                     .flags = FLM_FRAME_UNSYMBOLIZED,
                 });
}

/* One line of a location: `inlined` into the next. */
static void add_line(struct reading *r, struct flm_wire line, uint64_t address,
                     const struct mapping *mapping, bool inlined)
{
    uint64_t id = 0, number = 0;
    while (flm_wire_next(&line)) {
        if (line.field == 1)
            id = line.number;
        else if (line.field == 2)
            number = line.number;
    }
    const struct function *function = function_of(r, id);
    if (!function)
        flm_builder_lost(r->builder, "frames whose function is missing", "", 0, 1);
    if (!function || function->name == 0) {
        add_unsymbolized(r, address, mapping);
        return;
    }
    struct flm_frame_record record = {
        .function = function->name,
        .module = mapping ? mapping->path : 0,
        .file = function->file,
        .line = function->line,
        .kind = mapping ? mapping->kind : (uint32_t)FLM_KIND_PLAIN,
    };
    if (inlined)
        record.kind = FLM_KIND_INLINED;
    if (r->options->lines)
        record.line = (int64_t)number > 0 && number <= INT32_MAX ? (uint32_t)number : 0;
    add_frame(r, &record);
}

/* Appends the frames of a location to `frames`: their count first, then the outermost one. Lines
 * are innermost first; the frames are turned over when all are there. */
static uint32_t make_location(struct reading *r, uint32_t index)
{
    struct flm_wire m = message_at(r, r->locations.starts.at[index]);
    struct location location = {0};
    while (flm_wire_next(&m)) {
        if (m.field == 2)
            location.mapping = m.number;
        else if (m.field == 3)
            location.address = m.number;
        else if (m.field == 4)
            location.line_count++;
    }
    const struct mapping *mapping = mapping_of(r, location.mapping);
    if (!mapping && location.mapping != 0)
        flm_builder_lost(r->builder, "locations whose mapping is missing", "", 0, 1);
    size_t first = r->frames.count, lines_left = location.line_count;
    if (first >= FLM_NONE || !FLM_ARRAY_ADD(&r->frames, (struct flm_frame){0})) {
        fail_memory(r);
        return FLM_NONE;
    }
    if (lines_left > MOST_LINES)
        flm_builder_lost(r->builder, "inlined frames of locations with more than 4096", "", 0,
                         (double)(lines_left - MOST_LINES));
    m = message_at(r, r->locations.starts.at[index]);
    struct flm_wire line;
    while (!stopped(r) && flm_wire_next(&m)) {
        if (m.field != 4)
            continue;
        bool inlined = --lines_left > 0;
        bool fits = !inlined || r->frames.count - first < MOST_LINES;
        if (fits && flm_wire_enter(&m, &line))
            add_line(r, line, location.address, mapping, inlined);
    }
    if (r->frames.count == first + 1)
        add_unsymbolized(r, location.address, mapping);
    if (stopped(r))
        return FLM_NONE;
    uint32_t count = (uint32_t)(r->frames.count - first - 1);
    r->frames.at[first].index = count;
    flm_perf_frames_reverse(r->frames.at + first + 1, count);
    return r->location_frames[index] = (uint32_t)first;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Appends the frames of a location to the path. One that a stack has often counts as often: frames
 * that are inlined are added while they are in proportion to the size of the input, then only those
 * that they are inlined into. */
static bool push_location(struct reading *r, uint64_t id)
{
    uint32_t index = table_find(&r->locations, id);
    if (index == FLM_NONE || id == 0) {
        flm_builder_lost(r->builder, "frames whose location is missing", "", 0, 1);
        return true;
    }
    uint32_t at = r->location_frames[index];
    if (at == FLM_NONE && (at = make_location(r, index)) == FLM_NONE)
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
        return fail_memory(r);
    memcpy(r->path.at + r->path.count, r->frames.at + at + 1, count * sizeof *r->path.at);
    r->path.count += count;
    return true;
}

/* The node of the locations in `ids`. The outer ones that the stack before had too are not looked
 * up again: previous_nodes[i] is the node of its i + 1 outermost locations. */
static struct flm_node find_stack(struct reading *r)
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
        fail_memory(r);
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

static bool add_ids(struct reading *r, struct flm_wire packed)
{
    uint64_t id;
    if (!FLM_ARRAY_RESERVE(&r->ids, (size_t)(packed.end - packed.at) + 1))
        return fail_memory(r);
    while (flm_wire_next_number(&packed, &id))
        r->ids.at[r->ids.count++] = id;
    return true;
}

/* The same for locations that are packed: mostly these bytes were there before. */
static struct flm_node find_packed(struct reading *r, const struct flm_wire *field)
{
    struct flm_bytes bytes = field->bytes;
    uint64_t hash = flm_hash(bytes.at, bytes.size);
    struct known_stack *set = &r->stacks[(size_t)(hash >> 16) & r->stack_mask], *known = NULL;
    for (int i = 0; i < STACKS_OF_A_SET; i++) {
        if (set[i].size == bytes.size && set[i].hash == (uint32_t)hash && set[i].at &&
            memcmp(set[i].at, bytes.at, bytes.size) == 0) {
            set[i].at = bytes.at; /* which will be in the cache next time */
            return (struct flm_node){set[i].node};
        }
        if (!set[i].at && !known)
            known = &set[i];
    }
    if (!known) /* any of them */
        known = &set[hash % STACKS_OF_A_SET];
    r->ids.count = 0;
    if (!add_ids(r, flm_wire_numbers(field)))
        return flm_builder_root(r->builder);
    struct flm_node node = find_stack(r);
    if (bytes.size < UINT32_MAX)
        *known = (struct known_stack){bytes.at, (uint32_t)bytes.size, node.index, (uint32_t)hash};
    return node;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void remember_numeric(struct reading *r, uint32_t key)
{
    enum { MOST_NUMERIC = 64 };
    for (size_t i = 0; i < r->numeric.count; i++)
        if (r->numeric.at[i] == key)
            return;
    if (r->numeric.count < MOST_NUMERIC && !FLM_ARRAY_ADD(&r->numeric, key))
        fail_memory(r);
}

static void add_label(struct reading *r, struct flm_wire m, int64_t *time_ns)
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
    struct flm_string pair[2] = {{string_of(r, key, at)}, {0}};
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
        struct flm_bytes unit_name = string_bytes(r, unit, at);
        if (unit_name.size > 0) {
            flm_text_putc(&r->text, ' ');
            flm_text_add(&r->text, unit_name);
        }
        if (r->text.failed)
            fail_memory(r);
        else
            pair[1] = flm_builder_string(r->builder, r->text.at, r->text.size);
    } else {
        pair[1].index = string_of(r, text, at);
    }
    if (!FLM_ARRAY_ADD(&r->pairs, pair[0]) || !FLM_ARRAY_ADD(&r->pairs, pair[1]))
        fail_memory(r);
}

/* The labels of a sample, whose fields are in these bytes, among others. */
static struct known_labels read_labels(struct reading *r, struct flm_bytes bytes)
{
    size_t slot = (size_t)(flm_hash(bytes.at, bytes.size) >> 16) % KNOWN_LABELS;
    struct known_labels *known = &r->labels[slot];
    if (known->at && known->size == bytes.size && memcmp(known->at, bytes.at, bytes.size) == 0)
        return *known;
    struct known_labels labels = {bytes.at, (uint32_t)bytes.size, 0, FLM_NO_TIME};
    struct flm_wire m = flm_wire_of(&r->input, bytes), label;
    r->pairs.count = 0;
    while (flm_wire_next(&m) && !stopped(r))
        if (m.field == 3 && flm_wire_enter(&m, &label))
            add_label(r, label, &labels.time_ns);
    labels.label_set = flm_builder_label_set(r->builder, r->pairs.at, r->pairs.count / 2).index;
    if (bytes.size < UINT32_MAX)
        *known = labels;
    return labels;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void add_values(struct reading *r, struct flm_wire packed)
{
    uint64_t value;
    if (!FLM_ARRAY_RESERVE(&r->values, (size_t)(packed.end - packed.at) + 1)) {
        fail_memory(r);
        return;
    }
    while (flm_wire_next_number(&packed, &value))
        r->values.at[r->values.count++] = (int64_t)value;
}

static double rounded(struct reading *r, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude >> 53 && flm_uint_is_rounded(magnitude))
        flm_builder_rounded(r->builder, 1);
    return (double)value;
}

static bool has_value(const struct reading *r)
{
    bool found = false;
    for (size_t i = 0; i < r->values.count && !found; i++)
        found = r->values.at[i] != 0;
    return found;
}

static void count_sample(struct reading *r, struct flm_node node)
{
    struct flm_builder *b = r->builder;
    for (size_t i = 0; i < r->values.count && !b->failed; i++)
        if (r->values.at[i] != 0)
            flm_builder_add_self(b, r->metrics.at[i], node.index, rounded(r, r->values.at[i]));
}

static void keep_sample(struct reading *r, struct flm_node node, const struct known_labels *labels)
{
    struct flm_builder *b = r->builder;
    uint32_t sample = flm_builder_keep_sample(b, labels->time_ns, node.index, labels->label_set);
    for (size_t i = 0; i < r->values.count && sample != FLM_NONE; i++)
        if (r->values.at[i] != 0)
            flm_builder_sample_add(b, (struct flm_metric){r->metrics.at[i]},
                                   rounded(r, r->values.at[i]));
}

/* The node below the frame of the sample's thread, with --by-thread. */
static struct flm_node node_of_thread(struct reading *r, uint32_t label_set)
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

/* A stack below another node than the root: rare, so without what is known of other stacks. */
static struct flm_node find_below(struct reading *r, struct flm_node node)
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

static void read_sample(struct reading *r, const struct flm_wire *field)
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
                packed = m; /* all of them, mostly */
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
    if (stopped(r))
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
    if (packed.at ? packed.bytes.size == 0 : r->ids.count == 0) {
        flm_builder_lost(r->builder, "samples without a stack", "byte", flm_wire_offset(field), 1);
        return;
    }
    struct known_labels labels = {.time_ns = FLM_NO_TIME};
    if (labels_at)
        labels = read_labels(
            r, (struct flm_bytes){(const char *)labels_at, (size_t)(labels_end - labels_at)});
    struct flm_node node = r->options->by_thread
                               ? find_below(r, node_of_thread(r, labels.label_set))
                           : packed.at ? find_packed(r, &packed)
                                       : find_stack(r);
    if (stopped(r))
        return;
    /* A stack without any value was seen all the same: its sample keeps it in the profile. */
    if (r->has_labels || !has_value(r))
        keep_sample(r, node, &labels);
    else
        count_sample(r, node);
}

/* ---- The profile ----------------------------------------------------------------------------- */

static void read_field(struct reading *r, const struct flm_wire *m)
{
    bool room = true;
    switch (m->field) {
    case 1:
        room = FLM_ARRAY_ADD(&r->sample_types, m->start);
        break;
    case 2:
        r->sample_count++;
        break;
    case 3:
        room = table_add(&r->mappings, m);
        break;
    case 4:
        room = table_add(&r->locations, m);
        break;
    case 5:
        room = table_add(&r->functions, m);
        break;
    case 6:
        room = m->type != FLM_WIRE_BYTES || FLM_ARRAY_ADD(&r->string_starts, m->start);
        break;
    case 7:
        r->drop_frames = m->number;
        break;
    case 8:
        r->keep_frames = m->number;
        break;
    case 9:
        r->time_ns = (int64_t)m->number;
        break;
    case 10:
        r->duration_ns = (int64_t)m->number;
        break;
    case 11:
        if (m->type == FLM_WIRE_BYTES)
            r->period_type = m->bytes;
        break;
    case 12:
        r->period = (int64_t)m->number;
        break;
    case 13: {
        struct flm_wire numbers = flm_wire_numbers(m);
        uint64_t comment;
        while (room && flm_wire_next_number(&numbers, &comment))
            room = FLM_ARRAY_ADD(&r->comments, comment);
        break;
    }
    case 14:
        r->default_type = m->number;
        break;
    case 15:
        r->documentation = m->number;
        break;
    default:
        break;
    }
    if (!room)
        fail_memory(r);
}

/* Type and unit of a ValueType. */
static void read_type(struct reading *r, struct flm_wire m, uint64_t *type, uint64_t *unit)
{
    *type = *unit = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            *type = m.number;
        else if (m.field == 2)
            *unit = m.number;
    }
    (void)r;
}

/* The number that the next type of this name has, from 1 on; NULL when memory ran out. */
static uint32_t *next_number(struct reading *r, struct flm_bytes name)
{
    uint32_t string = flm_builder_string(r->builder, name.at, name.size).index;
    for (size_t i = 0; i < r->type_names.count; i++)
        if (r->type_names.at[i].name == string)
            return &r->type_names.at[i].next;
    if (!FLM_ARRAY_ADD(&r->type_names, (struct type_name){string, 1})) {
        fail_memory(r);
        return NULL;
    }
    return &r->type_names.at[r->type_names.count - 1].next;
}

/* The metric of a sample type. Two types may have one name; metrics do not. */
static uint32_t make_metric(struct reading *r, const unsigned char *start)
{
    struct flm_builder *b = r->builder;
    uint64_t type, unit;
    read_type(r, message_at(r, start), &type, &unit);
    struct flm_bytes name = string_bytes(r, type, start), unit_name = string_bytes(r, unit, start);
    unit_name = flm_unit_named(unit_name);
    uint32_t unit_string = flm_builder_string(b, unit_name.at, unit_name.size).index;
    if (name.size == 0)
        name = flm_bytes_of("value");
    uint32_t *next = next_number(r, name);
    while (next && !flm_builder_failed(b)) {
        uint32_t i = (*next)++;
        r->text.size = 0;
        flm_text_add(&r->text, name);
        if (i > 1)
            flm_text_format(&r->text, " %u", i);
        if (r->text.failed) {
            fail_memory(r);
            break;
        }
        uint32_t count = b->metric_count;
        uint32_t string = flm_builder_string(b, r->text.at, r->text.size).index;
        uint32_t metric = flm_builder_metric_of(b, string, unit_string);
        if (b->metric_count > count || metric == FLM_NONE)
            return metric;
    }
    return FLM_NONE;
}

/* The type that pprof shows: the one that is named, or the last. */
static size_t find_default(struct reading *r)
{
    size_t count = r->sample_types.count;
    struct flm_bytes wanted = string_bytes(r, r->default_type, r->input.begin);
    for (size_t i = 0; i < count && wanted.size > 0; i++) {
        uint64_t type, unit;
        read_type(r, message_at(r, r->sample_types.at[i]), &type, &unit);
        if (flm_bytes_equal(string_bytes(r, type, r->sample_types.at[i]), wanted))
            return i;
    }
    return count - 1;
}

/* The default is the first one of the profile, the others have the order of the file. */
static void make_metrics(struct reading *r)
{
    size_t count = r->sample_types.count;
    if (count > FLM_MOST_METRICS) {
        flm_wire_fail(&r->input, r->sample_types.at[FLM_MOST_METRICS],
                      "there are more than 4096 sample types");
        return;
    }
    if (count == 0 && r->sample_count > 0)
        flm_wire_fail(&r->input, r->input.begin, "it has samples, but no sample types");
    if (count == 0)
        return;
    if (!FLM_ARRAY_RESERVE(&r->metrics, count)) {
        fail_memory(r);
        return;
    }
    size_t first = find_default(r);
    r->metrics.count = count;
    r->metrics.at[first] = make_metric(r, r->sample_types.at[first]);
    for (size_t i = 0; i < count; i++)
        if (i != first)
            r->metrics.at[i] = make_metric(r, r->sample_types.at[i]);
}

static uint32_t *new_marks(size_t count)
{
    uint32_t *marks = malloc((count + 1) * sizeof *marks);
    if (marks)
        memset(marks, 0xFF, (count + 1) * sizeof *marks);
    return marks;
}

static void prepare_tables(struct reading *r)
{
    r->functions.duplicate = "two functions have the same id (several profiles in one file? "
                             "they are merged by: flamel merge)";
    r->locations.duplicate = "two locations have the same id (several profiles in one file? "
                             "they are merged by: flamel merge)";
    r->mappings.duplicate = "two mappings have the same id (several profiles in one file? "
                            "they are merged by: flamel merge)";
    if (!table_finish(&r->mappings, &r->input) || !table_finish(&r->locations, &r->input) ||
        !table_finish(&r->functions, &r->input)) {
        fail_memory(r);
        return;
    }
    size_t stack_count = 1024;
    while (stack_count < r->sample_count && stack_count < MOST_KNOWN_STACKS)
        stack_count *= 2;
    r->stack_mask = stack_count - STACKS_OF_A_SET;
    r->stacks = calloc(stack_count, sizeof *r->stacks);
    r->labels = calloc(KNOWN_LABELS, sizeof *r->labels);
    r->strings = new_marks(r->string_starts.count);
    r->location_frames = new_marks(r->locations.ids.count);
    r->mapping = calloc(r->mappings.ids.count + 1, sizeof *r->mapping);
    r->function = calloc(r->functions.ids.count + 1, sizeof *r->function);
    if (!r->stacks || !r->labels || !r->strings || !r->location_frames || !r->mapping ||
        !r->function) {
        fail_memory(r);
        return;
    }
    for (size_t i = 0; i < r->mappings.ids.count; i++)
        r->mapping[i].path = FLM_NONE;
    for (size_t i = 0; i < r->functions.ids.count; i++)
        r->function[i].name = FLM_NONE;
    if (r->string_starts.count > 0 && string_bytes(r, 0, r->input.begin).size > 0)
        flm_wire_fail(&r->input, r->string_starts.at[0],
                      "the first string of the table is not empty, as it has to be");
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note_string(struct reading *r, const char *key, uint64_t index)
{
    struct flm_bytes text = string_bytes(r, index, r->input.begin);
    if (text.size > 0)
        flm_builder_note(r->builder, key, text.at, text.size);
}

static void note_number(struct reading *r, const char *key, int64_t number, struct flm_bytes unit)
{
    r->text.size = 0;
    flm_text_format(&r->text, "%lld", (long long)number);
    if (unit.size > 0)
        flm_text_putc(&r->text, ' ');
    flm_text_add(&r->text, unit);
    if (number != 0 && !r->text.failed)
        flm_builder_note(r->builder, key, r->text.at, r->text.size);
}

static void note_period(struct reading *r)
{
    uint64_t type, unit;
    read_type(r, flm_wire_of(&r->input, r->period_type), &type, &unit);
    struct flm_bytes type_name = string_bytes(r, type, r->input.begin);
    struct flm_bytes unit_name = flm_unit_named(string_bytes(r, unit, r->input.begin));
    note_number(r, "period", r->period, unit_name);
    if (type_name.size > 0)
        flm_builder_note(r->builder, "period type", type_name.at, type_name.size);
}

static void note_list(struct reading *r, const char *key, bool numeric)
{
    size_t count = numeric ? r->numeric.count : r->comments.count;
    r->text.size = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            flm_text_puts(&r->text, numeric ? ", " : "\n");
        flm_text_add(&r->text, numeric ? flm_interner_text(&r->builder->interner, r->numeric.at[i])
                                       : string_bytes(r, r->comments.at[i], r->input.begin));
    }
    if (r->text.failed)
        fail_memory(r);
    else if (r->text.size > 0)
        flm_builder_note(r->builder, key, r->text.at, r->text.size);
}

/* Of the modules that samples were in. */
static void note_mappings(struct reading *r)
{
    struct FLM_ARRAY(struct flm_mapped) mapped = {0};
    const struct flm_interner *interner = &r->builder->interner;
    bool room = true;
    for (size_t i = 0; i < r->mappings.ids.count && room; i++) {
        const struct mapping *m = &r->mapping[i];
        if (m->path == FLM_NONE || m->path == 0 || m->limit == 0)
            continue;
        room = FLM_ARRAY_ADD(
            &mapped, (struct flm_mapped){.start = m->start,
                                         .limit = m->limit,
                                         .offset = m->offset,
                                         .path = flm_interner_text(interner, m->path),
                                         .build_id = flm_interner_text(interner, m->build_id)});
    }
    /* The texts are the interner's, which grows with the notes. */
    struct flm_text copy = {0};
    for (size_t i = 0; i < mapped.count; i++) {
        flm_text_add(&copy, mapped.at[i].path);
        flm_text_add(&copy, mapped.at[i].build_id);
    }
    size_t at = 0;
    for (size_t i = 0; i < mapped.count && !copy.failed; i++) {
        mapped.at[i].path.at = copy.at + at;
        at += mapped.at[i].path.size;
        mapped.at[i].build_id.at = copy.at + at;
        at += mapped.at[i].build_id.size;
    }
    if (!room || copy.failed)
        fail_memory(r);
    else
        flm_mapped_note(r->builder, mapped.at, mapped.count);
    flm_text_clear(&copy);
    FLM_ARRAY_CLEAR(&mapped);
}

static void add_notes(struct reading *r)
{
    static const char all[] = "all metrics";
    flm_builder_note(r->builder, FLM_NOTE_SAMPLE_VALUES, all, sizeof all - 1);
    note_number(r, "time_ns", r->time_ns, (struct flm_bytes){"", 0});
    note_number(r, "duration_ns", r->duration_ns, (struct flm_bytes){"", 0});
    note_period(r);
    note_string(r, "drop frames", r->drop_frames);
    note_string(r, "keep frames", r->keep_frames);
    note_string(r, "documentation", r->documentation);
    note_list(r, "comment", false);
    note_list(r, FLM_NOTE_NUMERIC, true);
    note_mappings(r);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void clear(struct reading *r)
{
    FLM_ARRAY_CLEAR(&r->string_starts);
    FLM_ARRAY_CLEAR(&r->frames);
    FLM_ARRAY_CLEAR(&r->sample_types);
    FLM_ARRAY_CLEAR(&r->metrics);
    FLM_ARRAY_CLEAR(&r->type_names);
    FLM_ARRAY_CLEAR(&r->comments);
    FLM_ARRAY_CLEAR(&r->ids);
    FLM_ARRAY_CLEAR(&r->previous);
    FLM_ARRAY_CLEAR(&r->previous_nodes);
    FLM_ARRAY_CLEAR(&r->values);
    FLM_ARRAY_CLEAR(&r->path);
    FLM_ARRAY_CLEAR(&r->pairs);
    FLM_ARRAY_CLEAR(&r->numeric);
    flm_text_clear(&r->text);
    table_clear(&r->mappings);
    table_clear(&r->locations);
    table_clear(&r->functions);
    free(r->strings);
    free(r->mapping);
    free(r->function);
    free(r->location_frames);
    free(r->stacks);
    free(r->labels);
}

/* Samples are kept one by one if any has labels: without times and labels, sums say as much. */
static bool any_labels(struct reading *r)
{
    struct flm_wire m = flm_wire_all(&r->input), sample;
    while (flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &sample))
            while (flm_wire_next(&sample))
                if (sample.field == 3)
                    return true;
    return false;
}

bool flm_pprof_read(struct flm_source *source, const struct flm_read_options *options,
                    struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    struct reading r = {.input = flm_wire_input_of(all), .builder = builder, .options = options};
    struct flm_wire m = flm_wire_all(&r.input);
    while (!r.failed && flm_wire_next(&m))
        read_field(&r, &m);
    if (!stopped(&r))
        prepare_tables(&r);
    if (!stopped(&r))
        make_metrics(&r);
    r.has_labels = options->keep_times && !stopped(&r) && any_labels(&r);

    enum { PROGRESS = 1 << 22 };
    bool goes_on = true;
    size_t reported = 0;
    m = flm_wire_all(&r.input);
    while (goes_on && !stopped(&r) && flm_wire_next(&m)) {
        if (m.field != 2)
            continue;
        read_sample(&r, &m);
        size_t passed = (size_t)(m.at - r.input.begin);
        if (passed - reported >= PROGRESS) {
            goes_on = flm_source_progress(source, passed - reported, why);
            reported = passed;
        }
    }
    if (goes_on && !stopped(&r))
        add_notes(&r);
    source->at = source->end;
    bool good = goes_on && (r.failed || flm_builder_failed(builder) || flm_wire_end(&r.input, why));
    clear(&r);
    return good; /* flm_builder_finish reports that memory ran out */
}
