/* otlp_read.c - messages of OTLP to a profile: otlp.h says how.
 *
 * The dictionary comes last in many files, so a message is passed twice: first for where the
 * entries of its tables are, then for its profiles. An entry is read when the first index refers to
 * it. */
#include <stdlib.h>

#include "base/number/number.h"
#include "format/core/mapped.h"
#include "format/core/units.h"
#include "format/otlp/otlp.h"
#include "format/perf/frame.h"
#include "format/protobuf/wire_read.h"
#include "profile/internal.h"

/* The tables of a dictionary, by the numbers of their fields. */
enum { MAPPINGS = 1, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS, TABLES };

static const char *const beyond[TABLES] = {
    "",
    "the index of a mapping is beyond the table of mappings",
    "the index of a location is beyond the table of locations",
    "the index of a function is beyond the table of functions",
    "the index of a link is beyond the table of links",
    "the index of a string is beyond the table of strings",
    "the index of an attribute is beyond their table (an older draft of OTLP profiles?)",
    "the index of a stack is beyond the table of stacks",
};

static const char older[] = FLM_OTLP_OLDER;

struct table {
    struct FLM_ARRAY(const unsigned char *) starts; /* of the fields with its entries */
    uint32_t *made; /* what became of them: FLM_NONE until the first use */
};

struct function {
    uint32_t name, file, line;
};

/* Of a link there are two: its trace and its span. */
struct attribute {
    uint32_t key, value; /* strings of the builder; key 0: none */
};

struct metric {
    uint32_t name, unit, metric;
};

struct labels FLM_ARRAY(struct flm_string); /* key, value, key, value ... */

struct reading {
    struct flm_wire_input input;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    bool is_json;
    bool failed; /* memory ran out */

    bool keeps_samples;          /* of the current message */
    struct table tables[TABLES]; /* of the current message too */
    bool has_dictionary;
    struct FLM_ARRAY(struct function) functions;
    struct FLM_ARRAY(struct flm_mapping) mappings;
    struct FLM_ARRAY(struct attribute) attributes;
    struct FLM_ARRAY(uint32_t) frames; /* of locations: how many, and they, innermost first */

    struct FLM_ARRAY(struct metric) metrics; /* of all messages */
    struct FLM_ARRAY(struct flm_mapping) all_mappings;
    struct labels labels; /* of the resource, then the profile, then the sample */
    struct FLM_ARRAY(uint64_t) indices;
    struct FLM_ARRAY(int64_t) values, times;
    struct flm_text text;
    size_t profile_count;
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

/* ---- Entries of tables ----------------------------------------------------------------------- */

/* Where what became of the entry is. NULL for entry 0, and, as an error, for one that is not
 * there. */
static uint32_t *find_entry(struct reading *r, int table, uint64_t index, const unsigned char *at,
                            struct flm_wire *field)
{
    struct table *t = &r->tables[table];
    if (index == 0)
        return NULL;
    if (index >= t->starts.count) {
        if (!r->options->lenient)
            flm_wire_fail(&r->input, at, beyond[table]);
        else
            flm_builder_lost(r->builder, "indices beyond their tables", "", 0, 1);
        return NULL;
    }
    *field = flm_wire_all(&r->input);
    field->at = t->starts.at[index];
    flm_wire_next(field);
    return &t->made[index];
}

static uint32_t string_of(struct reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire m;
    uint32_t *made = find_entry(r, STRINGS, index, at, &m);
    if (made && *made == FLM_NONE)
        *made = flm_builder_string(r->builder, m.bytes.at, m.bytes.size).index;
    return made ? *made : 0;
}

static struct flm_bytes text_of(struct reading *r, uint32_t string)
{
    return flm_interner_text(&r->builder->interner, string);
}

static uint32_t string_of_text(struct reading *r)
{
    if (r->text.failed) {
        fail_memory(r);
        return 0;
    }
    return flm_builder_string(r->builder, r->text.at, r->text.size).index;
}

static void add_digits(struct flm_text *out, struct flm_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        flm_text_putc(out, "0123456789abcdef"[(unsigned char)bytes.at[i] >> 4]);
        flm_text_putc(out, "0123456789abcdef"[bytes.at[i] & 15]);
    }
}

/* The value as a text in r->text; false for lists, which no label is. */
static bool read_any_value(struct reading *r, struct flm_wire m)
{
    bool found = false;
    r->text.size = 0;
    while (flm_wire_next(&m)) {
        char number[FLM_NUMBER_SIZE];
        double real;
        found = true;
        r->text.size = 0;
        if (m.field == 1 && m.type == FLM_WIRE_BYTES) {
            flm_text_add(&r->text, m.bytes);
        } else if (m.field == 2) {
            flm_text_puts(&r->text, m.number ? "true" : "false");
        } else if (m.field == 3) {
            flm_text_format(&r->text, "%lld", (long long)m.number);
        } else if (m.field == 4 && m.type == FLM_WIRE_FIXED64) {
            memcpy(&real, &m.number, sizeof real);
            size_t size = flm_number_print(real, number);
            flm_text_add(&r->text, (struct flm_bytes){number, size});
        } else if (m.field == 7 && m.type == FLM_WIRE_BYTES) {
            add_digits(&r->text, m.bytes);
        } else if (m.field == 8) {
            flm_text_add(&r->text, text_of(r, string_of(r, m.number, m.start)));
        } else {
            found = false;
        }
    }
    return found;
}

/* A KeyValue, whose key is a text, or an entry of the table of attributes, whose key is an index:
 * then field 3 is the unit. */
static struct attribute read_attribute(struct reading *r, struct flm_wire m)
{
    struct attribute a = {0};
    struct flm_wire inner;
    uint64_t unit = 0;
    bool is_key_value = false, found = false;
    const unsigned char *at = m.at;
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES) {
            a.key = flm_builder_string(r->builder, m.bytes.at, m.bytes.size).index;
            is_key_value = true;
        } else if (m.field == 1) {
            a.key = string_of(r, m.number, m.start);
        } else if (m.field == 2 && flm_wire_enter(&m, &inner)) {
            found = read_any_value(r, inner);
        } else if (m.field == 3) {
            unit = m.number;
        }
    }
    if (unit && !is_key_value && found)
        flm_unit_append(&r->text, text_of(r, string_of(r, unit, at)));
    if (!found)
        return (struct attribute){0};
    a.value = string_of_text(r);
    return a;
}

static struct attribute attribute_of(struct reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = find_entry(r, ATTRIBUTES, index, at, &field);
    if (!made || stopped(r))
        return (struct attribute){0};
    if (*made == FLM_NONE) {
        struct attribute a = {0};
        if (flm_wire_enter(&field, &m))
            a = read_attribute(r, m);
        if (r->attributes.count >= FLM_NONE || !FLM_ARRAY_ADD(&r->attributes, a)) {
            fail_memory(r);
            return a;
        }
        *made = (uint32_t)r->attributes.count - 1;
    }
    return r->attributes.at[*made];
}

static const struct flm_mapping *mapping_of(struct reading *r, uint64_t index,
                                            const unsigned char *at)
{
    struct flm_wire field, m, packed;
    uint32_t *made = find_entry(r, MAPPINGS, index, at, &field);
    struct flm_mapping mapping = {.kind = FLM_KIND_PLAIN};
    uint64_t attribute;
    if (!made || stopped(r))
        return NULL;
    if (*made != FLM_NONE)
        return &r->mappings.at[*made];
    for (bool good = flm_wire_enter(&field, &m); good && flm_wire_next(&m);) {
        if (m.field == 1)
            mapping.start = m.number;
        else if (m.field == 2)
            mapping.limit = m.number;
        else if (m.field == 3)
            mapping.offset = m.number;
        else if (m.field == 4)
            mapping.path = string_of(r, m.number, m.start);
        if (m.field != 5)
            continue;
        packed = flm_wire_numbers(&m);
        while (!stopped(r) && flm_wire_next_number(&packed, &attribute)) {
            struct attribute a = attribute_of(r, attribute, m.start);
            if (flm_bytes_are(text_of(r, a.key), "process.executable.build_id.gnu"))
                mapping.build_id = a.value;
        }
    }
    struct flm_bytes path = text_of(r, mapping.path);
    if (path.size > 0)
        mapping.kind = flm_perf_module_kind(path);
    if (!FLM_ARRAY_ADD(&r->mappings, mapping)) {
        fail_memory(r);
        return NULL;
    }
    *made = (uint32_t)r->mappings.count - 1;
    if (!FLM_ARRAY_ADD(&r->all_mappings, mapping))
        fail_memory(r);
    return &r->mappings.at[*made];
}

static struct function function_of(struct reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = find_entry(r, FUNCTIONS, index, at, &field), system_name = 0;
    struct function function = {0};
    if (!made || stopped(r))
        return function;
    if (*made != FLM_NONE)
        return r->functions.at[*made];
    for (bool good = flm_wire_enter(&field, &m); good && flm_wire_next(&m);) {
        if (m.field == 1)
            function.name = string_of(r, m.number, m.start);
        else if (m.field == 2)
            system_name = string_of(r, m.number, m.start);
        else if (m.field == 3)
            function.file = string_of(r, m.number, m.start);
        else if (m.field == 4)
            function.line = flm_wire_line(m.number);
    }
    if (function.name == 0)
        function.name = system_name;
    if (!FLM_ARRAY_ADD(&r->functions, function))
        fail_memory(r);
    else
        *made = (uint32_t)r->functions.count - 1;
    return function;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint32_t name_of_address(struct reading *r, uint64_t address, uint32_t path)
{
    r->text.size = 0;
    flm_mapped_frame_name(&r->text, address, text_of(r, path));
    return string_of_text(r);
}

/* The kind by the attribute profile.frame.type; FLM_KIND_COUNT: none, or another. */
static uint32_t kind_of_type(struct flm_bytes type)
{
    static const struct {
        const char *type;
        enum flm_kind kind;
    } kinds[] = {
        {"kernel", FLM_KIND_KERNEL},
        {"native", FLM_KIND_NATIVE},
        {"go", FLM_KIND_NATIVE},
        {"rust", FLM_KIND_NATIVE},
        {"jvm", FLM_KIND_JIT},
        {"dotnet", FLM_KIND_JIT},
        {"v8js", FLM_KIND_JIT},
        {"phpjit", FLM_KIND_JIT},
        {"luajit", FLM_KIND_JIT},
        {"beam", FLM_KIND_JIT},
        {"cpython", FLM_KIND_INTERPRETED},
        {"ruby", FLM_KIND_INTERPRETED},
        {"perl", FLM_KIND_INTERPRETED},
        {"php", FLM_KIND_INTERPRETED},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (flm_bytes_are(type, kinds[i].type))
            return kinds[i].kind;
    return FLM_KIND_COUNT;
}

struct location {
    const struct flm_mapping *mapping;
    uint64_t address;
    uint32_t path, kind;
    size_t lines_left;
};

static void add_unsymbolized(struct reading *r, const struct location *location)
{
    struct flm_frame_record record = {
        .function = name_of_address(r, location->address, location->path),
        .module = location->path,
        .address = location->address,
        .kind = location->kind,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    if (!FLM_ARRAY_ADD(&r->frames, flm_builder_frame(r->builder, &record).index))
        fail_memory(r);
}

static void add_line(struct reading *r, struct flm_wire line, struct location *location)
{
    uint64_t index = 0, number = 0;
    const unsigned char *at = line.at;
    while (flm_wire_next(&line)) {
        if (line.field == 1)
            index = line.number;
        else if (line.field == 2)
            number = line.number;
    }
    location->lines_left--;
    struct function function = function_of(r, index, at);
    if (function.name == 0) {
        add_unsymbolized(r, location);
        return;
    }
    struct flm_frame_record record = {
        .function = function.name,
        .module = location->path,
        .file = function.file,
        .line = r->options->lines ? flm_wire_line(number) : function.line,
        .kind = location->lines_left > 0 ? (uint32_t)FLM_KIND_INLINED : location->kind,
    };
    if (!FLM_ARRAY_ADD(&r->frames, flm_builder_frame(r->builder, &record).index))
        fail_memory(r);
}

static struct location read_location(struct reading *r, struct flm_wire m)
{
    struct location location = {0};
    struct flm_wire packed;
    uint64_t index;
    uint32_t kind = FLM_KIND_COUNT;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            location.mapping = mapping_of(r, m.number, m.start);
        else if (m.field == 2)
            location.address = m.number;
        else if (m.field == 3 && m.type == FLM_WIRE_BYTES)
            location.lines_left++;
        if (m.field != 4)
            continue;
        packed = flm_wire_numbers(&m);
        while (!stopped(r) && flm_wire_next_number(&packed, &index)) {
            struct attribute a = attribute_of(r, index, m.start);
            if (flm_bytes_are(text_of(r, a.key), "profile.frame.type"))
                kind = kind_of_type(text_of(r, a.value));
        }
    }
    location.path = location.mapping ? location.mapping->path : 0;
    location.kind = location.mapping ? location.mapping->kind : (uint32_t)FLM_KIND_PLAIN;
    if (kind != FLM_KIND_COUNT)
        location.kind = kind;
    return location;
}

/* Where its frames are in r->frames; FLM_NONE: nowhere. */
static uint32_t location_of(struct reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire field, m, line;
    uint32_t *made = find_entry(r, LOCATIONS, index, at, &field);
    if (!made || stopped(r))
        return FLM_NONE;
    if (*made != FLM_NONE)
        return *made;
    size_t first = r->frames.count;
    struct location location = {0};
    if (first >= FLM_NONE || !FLM_ARRAY_ADD(&r->frames, 0)) {
        fail_memory(r);
        return FLM_NONE;
    }
    if (flm_wire_enter(&field, &m))
        location = read_location(r, m);
    for (bool good = flm_wire_enter(&field, &m); good && !stopped(r) && flm_wire_next(&m);)
        if (m.field == 3 && flm_wire_enter(&m, &line))
            add_line(r, line, &location);
    if (r->frames.count == first + 1)
        add_unsymbolized(r, &location);
    if (stopped(r))
        return FLM_NONE;
    r->frames.at[first] = (uint32_t)(r->frames.count - first - 1);
    return *made = (uint32_t)first;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static struct flm_node add_locations(struct reading *r, struct flm_node node,
                                     const unsigned char *at)
{
    for (size_t i = r->indices.count; i-- > 0 && !stopped(r);) {
        uint32_t first = location_of(r, r->indices.at[i], at);
        if (first == FLM_NONE) {
            flm_builder_lost(r->builder, "frames whose location is missing", "", 0, 1);
            continue;
        }
        for (uint32_t k = r->frames.at[first]; k > 0; k--)
            node = flm_builder_child(r->builder, node, (struct flm_frame){r->frames.at[first + k]});
    }
    return node;
}

static bool read_indices(struct reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    while (flm_wire_next_number(&packed, &index))
        if (!FLM_ARRAY_ADD(&r->indices, index))
            return fail_memory(r);
    return true;
}

/* The node of a stack below another, FLM_NONE without a stack. Below the root it is remembered. */
static uint32_t node_of_stack(struct reading *r, uint64_t index, struct flm_node parent,
                              const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = find_entry(r, STACKS, index, at, &field);
    bool is_below_root = parent.index == flm_builder_root(r->builder).index;
    if (!made || stopped(r))
        return FLM_NONE;
    if (is_below_root && *made != FLM_NONE)
        return *made;
    r->indices.count = 0;
    for (bool good = flm_wire_enter(&field, &m); good && flm_wire_next(&m);)
        if (m.field == 1 && !read_indices(r, &m))
            return FLM_NONE;
    struct flm_node node = add_locations(r, parent, field.start);
    if (is_below_root)
        *made = node.index;
    return node.index;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void add_label(struct reading *r, struct attribute a)
{
    static const struct {
        const char *key, *name;
    } names[] = {{"thread.name", "thread name"},
                 {"thread.id", "thread"},
                 {"process.pid", "process"},
                 {"process.executable.name", "process name"}};
    struct flm_string key = {a.key};
    if (a.key == 0)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flm_bytes_are(text_of(r, a.key), names[i].key))
            key = flm_builder_string(r->builder, names[i].name, strlen(names[i].name));
    if (!FLM_ARRAY_ADD(&r->labels, key) || !FLM_ARRAY_ADD(&r->labels, (struct flm_string){a.value}))
        fail_memory(r);
}

/* Whether there are any. */
static bool add_attributes(struct reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    bool any = false;
    for (; !stopped(r) && flm_wire_next_number(&packed, &index); any = true)
        add_label(r, attribute_of(r, index, m->start));
    return any;
}

/* The same without labels: in an older draft, values stand in their place. */
static bool check_attributes(struct reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m), entry;
    uint64_t index;
    bool any = false;
    for (; !stopped(r) && flm_wire_next_number(&packed, &index); any = true)
        find_entry(r, ATTRIBUTES, index, m->start, &entry);
    return any;
}

static void add_link(struct reading *r, uint64_t index, const unsigned char *at)
{
    static const char *const names[] = {"trace_id", "span_id"};
    struct flm_wire field, m;
    uint32_t *made = find_entry(r, LINKS, index, at, &field);
    for (bool good = made && flm_wire_enter(&field, &m); good && flm_wire_next(&m);) {
        if (m.type != FLM_WIRE_BYTES || m.field > 2 || m.bytes.size == 0)
            continue;
        const char *name = names[m.field - 1];
        r->text.size = 0;
        add_digits(&r->text, m.bytes);
        struct attribute a = {flm_builder_string(r->builder, name, strlen(name)).index,
                              string_of_text(r)};
        add_label(r, a);
    }
}

/* The root, or the frame of the sample's thread below it. */
static struct flm_node node_of_thread(struct reading *r)
{
    static const char *const keys[] = {"thread name", "thread", "process name", "process"};
    struct flm_node root = flm_builder_root(r->builder);
    for (size_t k = 0; k < sizeof keys / sizeof *keys && r->options->by_thread; k++)
        for (size_t i = 0; i < r->labels.count; i += 2)
            if (flm_bytes_are(text_of(r, r->labels.at[i].index), keys[k])) {
                struct flm_frame_record record = {.function = r->labels.at[i + 1].index,
                                                  .kind = FLM_KIND_LABEL};
                return flm_builder_child(r->builder, root, flm_builder_frame(r->builder, &record));
            }
    return root;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void keep_samples(struct reading *r, struct flm_node node, struct flm_metric metric)
{
    struct flm_builder *b = r->builder;
    struct flm_label_set labels = flm_builder_label_set(b, r->labels.at, r->labels.count / 2);
    size_t times = r->times.count, values = r->values.count;
    size_t count = values > 0 ? values : times;
    if (times > 0 && values > 0 && times != values)
        flm_builder_lost(b, "times of samples that are not one for each value", "", 0,
                         (double)times);
    bool has_times = times == count;
    for (size_t i = 0; i < count && !stopped(r); i++)
        flm_builder_sample(b,
                           has_times   ? r->times.at[i]
                           : times > 0 ? r->times.at[0]
                                       : FLM_NO_TIME,
                           node, labels, metric,
                           values > 0 ? flm_builder_double(r->builder, r->values.at[i]) : 1);
}

static void count_sample(struct reading *r, struct flm_node node, struct flm_metric metric)
{
    for (size_t i = 0; i < r->values.count; i++)
        flm_builder_add(r->builder, node, metric, flm_builder_double(r->builder, r->values.at[i]));
    if (r->values.count == 0)
        flm_builder_add(r->builder, node, metric, (double)r->times.count);
}

static void read_values(struct reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t value;
    while (flm_wire_next_number(&packed, &value))
        if (!FLM_ARRAY_ADD(&r->values, (int64_t)value)) {
            fail_memory(r);
            return;
        }
}

static void read_times(struct reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t value;
    while (flm_wire_next_fixed64(&packed, &value))
        if (!FLM_ARRAY_ADD(&r->times, (int64_t)value)) {
            fail_memory(r);
            return;
        }
}

/* Offsets in what was JSON say nothing. */
static void lose_sample(struct reading *r, const char *what, const unsigned char *at)
{
    if (r->is_json)
        flm_builder_lost(r->builder, what, "", 0, 1);
    else
        flm_builder_lost(r->builder, what, "byte", (uint64_t)(at - r->input.begin), 1);
}

static void read_sample(struct reading *r, struct flm_wire m, struct flm_metric metric)
{
    const unsigned char *start = m.at;
    uint64_t stack = 0, link = 0;
    size_t shared_labels = r->labels.count;
    bool needs_labels = r->keeps_samples || r->options->by_thread, has_attributes = false;
    r->values.count = r->times.count = 0;
    while (!stopped(r) && flm_wire_next(&m)) {
        if (m.field == 1)
            stack = m.number;
        else if (m.field == 2)
            has_attributes |= needs_labels ? add_attributes(r, &m) : check_attributes(r, &m);
        else if (m.field == 3 && m.type != FLM_WIRE_VARINT)
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 3)
            link = m.number;
        else if (m.field == 4)
            read_values(r, &m);
        else if (m.field == 5 && m.type == FLM_WIRE_VARINT)
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 5)
            read_times(r, &m);
    }
    if (has_attributes && r->values.count + r->times.count == 0 && !stopped(r))
        flm_wire_fail(&r->input, start, older);
    if (r->keeps_samples && link && !stopped(r))
        add_link(r, link, start);
    if (!stopped(r)) {
        uint32_t node = node_of_stack(r, stack, node_of_thread(r), start);
        if (r->values.count + r->times.count == 0)
            lose_sample(r, "samples without values and times", start);
        else if (node == FLM_NONE && !stopped(r))
            lose_sample(r, "samples without a stack", start);
        else if (!stopped(r) && r->keeps_samples)
            keep_samples(r, (struct flm_node){node}, metric);
        else if (!stopped(r))
            count_sample(r, (struct flm_node){node}, metric);
    }
    r->labels.count = shared_labels;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Type and unit of a ValueType: strings of the builder. */
static struct metric read_type(struct reading *r, struct flm_wire m)
{
    struct metric type = {0};
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            type.name = string_of(r, m.number, m.start);
        else if (m.field == 2)
            type.unit = string_of(r, m.number, m.start);
    }
    struct flm_bytes unit = flm_unit_named(text_of(r, type.unit));
    r->text.size = 0;
    flm_text_add(&r->text, unit);
    type.unit = string_of_text(r);
    return type;
}

/* The metric of a type and unit. async-profiler, for one, has a type in counts and in nanoseconds:
 * the second one has its unit in its name. */
static uint32_t metric_of(struct reading *r, struct metric type)
{
    struct flm_builder *b = r->builder;
    for (size_t i = 0; i < r->metrics.count; i++)
        if (r->metrics.at[i].name == type.name && r->metrics.at[i].unit == type.unit)
            return r->metrics.at[i].metric;
    struct flm_text *text = &r->text;
    for (unsigned i = 1; !stopped(r); i++) {
        text->size = 0;
        flm_text_add(text, type.name ? text_of(r, type.name) : flm_bytes_of("value"));
        if (i > 1 && type.unit) {
            flm_text_putc(text, ' ');
            flm_text_add(text, text_of(r, type.unit));
        }
        if (i > 2)
            flm_text_format(text, " %u", i - 1);
        uint32_t count = b->metric_count;
        type.metric = flm_builder_metric_of(b, string_of_text(r), type.unit);
        if (b->metric_count == count)
            continue;
        if (!FLM_ARRAY_ADD(&r->metrics, type))
            fail_memory(r);
        return type.metric;
    }
    return FLM_NONE;
}

/* Of the first profile. */
static void add_notes(struct reading *r, const struct metric *period_type, int64_t period,
                      uint64_t time, uint64_t duration)
{
    flm_unit_note(r->builder, "time_ns", (int64_t)time, flm_bytes_of(""));
    flm_unit_note(r->builder, "duration_ns", (int64_t)duration, flm_bytes_of(""));
    flm_unit_note(r->builder, "period", period, text_of(r, period_type->unit));
    r->text.size = 0;
    flm_text_add(&r->text, text_of(r, period_type->name));
    if (r->text.failed)
        fail_memory(r);
    else if (r->text.size > 0)
        flm_builder_note(r->builder, "period type", r->text.at, r->text.size);
}

/* Whether the field is one of the current draft: see the start of otlp.h. */
static bool is_current(const struct flm_wire *m)
{
    switch (m->field) {
    case 1:
    case 2:
    case 5:
    case 7:
        return m->type == FLM_WIRE_BYTES;
    case 3:
        return m->type == FLM_WIRE_FIXED64;
    case 4:
    case 6:
    case 8:
        return m->type == FLM_WIRE_VARINT;
    default:
        return true;
    }
}

static void read_profile(struct reading *r, struct flm_wire profile)
{
    struct flm_wire m = profile, inner;
    struct metric type = {0}, period_type = {0};
    size_t shared_labels = r->labels.count;
    uint64_t time = 0, duration = 0;
    int64_t period = 0;
    bool needs_labels = r->keeps_samples || r->options->by_thread;
    if (!r->has_dictionary)
        flm_wire_fail(&r->input, m.at, older);
    while (!stopped(r) && flm_wire_next(&m)) {
        if (!is_current(&m))
            flm_wire_fail(&r->input, m.start, older);
        else if (m.field == 1 && flm_wire_enter(&m, &inner))
            type = read_type(r, inner);
        else if (m.field == 3)
            time = m.number;
        else if (m.field == 4)
            duration = m.number;
        else if (m.field == 5 && flm_wire_enter(&m, &inner))
            period_type = read_type(r, inner);
        else if (m.field == 6)
            period = (int64_t)m.number;
        else if (m.field == 11 && needs_labels)
            add_attributes(r, &m);
    }
    if (!stopped(r)) {
        if (r->profile_count++ == 0)
            add_notes(r, &period_type, period, time, duration);
        uint32_t metric = metric_of(r, type);
        m = profile;
        while (!stopped(r) && flm_wire_next(&m))
            if (m.field == 2 && flm_wire_enter(&m, &inner))
                read_sample(r, inner, (struct flm_metric){metric});
    }
    r->labels.count = shared_labels;
}

static void read_scope(struct reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (!stopped(r) && flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &inner))
            read_profile(r, inner);
}

static void read_resource_attributes(struct reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (!stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner))
            add_label(r, read_attribute(r, inner));
}

static void read_resource(struct reading *r, struct flm_wire resource)
{
    struct flm_wire m = resource, inner;
    r->labels.count = 0;
    while (!stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner) &&
            (r->keeps_samples || r->options->by_thread))
            read_resource_attributes(r, inner);
    m = resource;
    while (!stopped(r) && flm_wire_next(&m))
        if (m.field == 2 && flm_wire_enter(&m, &inner))
            read_scope(r, inner);
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void clear_tables(struct reading *r)
{
    for (int i = 1; i < TABLES; i++) {
        r->tables[i].starts.count = 0;
        free(r->tables[i].made);
        r->tables[i].made = NULL;
    }
    r->functions.count = r->mappings.count = r->attributes.count = r->frames.count = 0;
    r->has_dictionary = false;
}

static void find_tables(struct reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (flm_wire_next(&m)) {
        if (m.field != 2 || !flm_wire_enter(&m, &inner))
            continue;
        r->has_dictionary = true;
        while (!stopped(r) && flm_wire_next(&inner)) {
            if (inner.field >= TABLES)
                continue;
            struct table *t = &r->tables[inner.field];
            if (inner.type != FLM_WIRE_BYTES)
                flm_wire_fail(&r->input, inner.start, older);
            else if (t->starts.count >= FLM_NONE || !FLM_ARRAY_ADD(&t->starts, inner.start))
                fail_memory(r);
        }
    }
    for (int i = 1; i < TABLES && !stopped(r); i++) {
        size_t size = (r->tables[i].starts.count + 1) * sizeof(uint32_t);
        r->tables[i].made = malloc(size);
        if (r->tables[i].made)
            memset(r->tables[i].made, 0xFF, size);
        else
            fail_memory(r);
    }
}

/* Whether a profile has attributes, or a sample of it attributes, a link or times. */
static bool has_labels(struct flm_wire profile)
{
    struct flm_wire sample;
    while (flm_wire_next(&profile)) {
        if (profile.field == 11)
            return true;
        if (profile.field != 2 || !flm_wire_enter(&profile, &sample))
            continue;
        while (flm_wire_next(&sample))
            if (sample.field == 2 || sample.field == 3 || sample.field == 5)
                return true;
    }
    return false;
}

/* Samples are kept one by one if any has labels or a time: without these, sums say as much. */
static bool has_any_labels(struct flm_wire m)
{
    struct flm_wire resource, inner, profile;
    while (flm_wire_next(&m)) {
        if (m.field != 1 || !flm_wire_enter(&m, &resource))
            continue;
        while (flm_wire_next(&resource)) {
            if (!flm_wire_enter(&resource, &inner))
                continue;
            while (flm_wire_next(&inner))
                if ((resource.field == 1 && inner.field == 1) ||
                    (resource.field == 2 && inner.field == 2 && flm_wire_enter(&inner, &profile) &&
                     has_labels(profile)))
                    return true;
        }
    }
    return false;
}

static void read_message(struct reading *r, struct flm_bytes message)
{
    struct flm_wire m = flm_wire_of(&r->input, message), inner;
    find_tables(r, m);
    r->keeps_samples = r->options->keep_times && !stopped(r) && has_any_labels(m);
    while (!stopped(r) && flm_wire_next(&m))
        if (m.field == 1 && flm_wire_enter(&m, &inner))
            read_resource(r, inner);
    clear_tables(r);
}

/* The next message of the input at `at`; false at its end, and where it is cut. */
static bool next_message(struct reading *r, const struct flm_otlp_input *input, size_t *at,
                         struct flm_bytes *message)
{
    struct flm_bytes rest = flm_bytes_from(input->all, *at);
    struct flm_wire m = flm_wire_of(&r->input, rest);
    uint64_t size = rest.size;
    const unsigned char *start = m.at;
    if (rest.size == 0)
        return false;
    if (input->framing == FLM_OTLP_VARINT && !flm_wire_varint(&m, &m.at, &size))
        return false;
    if (input->framing == FLM_OTLP_FIXED) {
        size = 0;
        for (int i = 0; i < 4 && m.at < m.end; i++)
            size = size << 8 | *m.at++;
    }
    if (size > (uint64_t)(m.end - m.at))
        return flm_wire_fail(&r->input, start,
                             "the message is longer than the file (a file that was cut?)");
    *message = (struct flm_bytes){(const char *)m.at, (size_t)size};
    *at += (size_t)(m.at - start) + (size_t)size;
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void clear(struct reading *r)
{
    clear_tables(r);
    for (int i = 1; i < TABLES; i++)
        FLM_ARRAY_CLEAR(&r->tables[i].starts);
    FLM_ARRAY_CLEAR(&r->functions);
    FLM_ARRAY_CLEAR(&r->mappings);
    FLM_ARRAY_CLEAR(&r->attributes);
    FLM_ARRAY_CLEAR(&r->frames);
    FLM_ARRAY_CLEAR(&r->metrics);
    FLM_ARRAY_CLEAR(&r->all_mappings);
    FLM_ARRAY_CLEAR(&r->labels);
    FLM_ARRAY_CLEAR(&r->indices);
    FLM_ARRAY_CLEAR(&r->values);
    FLM_ARRAY_CLEAR(&r->times);
    flm_text_clear(&r->text);
}

bool flm_otlp_read(const struct flm_otlp_input *input, const struct flm_read_options *options,
                   struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.input = flm_wire_input_of(input->all),
                        .builder = builder,
                        .options = options,
                        .is_json = input->is_json};
    struct flm_bytes message = {0};
    size_t at = 0, passed = 0;
    bool goes_on = true;
    while (goes_on && !stopped(&r) && next_message(&r, input, &at, &message)) {
        read_message(&r, message);
        if (input->source)
            goes_on = flm_source_progress(input->source, at - passed, why);
        passed = at;
    }
    if (!stopped(&r) && goes_on && r.profile_count == 0)
        flm_wire_fail(&r.input, r.input.begin, "no profile is in it");
    if (!stopped(&r) && goes_on)
        flm_mapping_note(builder, r.all_mappings.at, r.all_mappings.count);
    bool good = goes_on;
    if (good && !r.failed && !flm_builder_failed(builder) && r.input.reason)
        good = input->is_json ? flm_error_set(why, FLM_ERROR_FORMAT, "%s", r.input.reason)
                              : flm_wire_end(&r.input, why);
    clear(&r);
    return good; /* flm_builder_finish reports that memory ran out */
}
