/* otlp_tables.c - the tables of a dictionary: strings, mappings, functions, the frames of a
 * location, the node of a stack. */
#include <stdlib.h>

#include "format/otlp/internal.h"
#include "format/otlp/otlp_write.h"
#include "format/perf/frame.h"

static const char *const beyond[FLM_OTLP_TABLES] = {
    "",
    "the index of a mapping is beyond the table of mappings",
    "the index of a location is beyond the table of locations",
    "the index of a function is beyond the table of functions",
    "the index of a link is beyond the table of links",
    "the index of a string is beyond the table of strings",
    "the index of an attribute is beyond their table (an older draft of OTLP profiles?)",
    "the index of a stack is beyond the table of stacks",
};

void flm_otlp_clear_tables(struct flm_otlp_reading *r)
{
    for (int i = 1; i < FLM_OTLP_TABLES; i++) {
        r->tables[i].starts.count = 0;
        free(r->tables[i].made);
        r->tables[i].made = NULL;
    }
    r->functions.count = r->mappings.count = r->attributes.count = r->frames.count = 0;
    r->has_dictionary = false;
}

void flm_otlp_find_tables(struct flm_otlp_reading *r, struct flm_wire m)
{
    struct flm_wire inner;
    while (flm_wire_next(&m)) {
        if (m.field != 2 || !flm_wire_enter(&m, &inner))
            continue;
        r->has_dictionary = true;
        while (!flm_otlp_stopped(r) && flm_wire_next(&inner)) {
            if (inner.field >= FLM_OTLP_TABLES)
                continue;
            struct flm_otlp_table *t = &r->tables[inner.field];
            if (inner.type != FLM_WIRE_BYTES)
                flm_wire_fail(&r->input, inner.start, FLM_OTLP_OLDER);
            else if (t->starts.count >= FLM_NONE || !FLM_ARRAY_ADD(&t->starts, inner.start))
                flm_otlp_fail_memory(r);
        }
    }
    for (int i = 1; i < FLM_OTLP_TABLES && !flm_otlp_stopped(r); i++) {
        size_t size = (r->tables[i].starts.count + 1) * sizeof(uint32_t);
        r->tables[i].made = malloc(size);
        if (r->tables[i].made)
            memset(r->tables[i].made, 0xFF, size);
        else
            flm_otlp_fail_memory(r);
    }
}

uint32_t *flm_otlp_find_entry(struct flm_otlp_reading *r, int table, uint64_t index,
                              const unsigned char *at, struct flm_wire *field)
{
    struct flm_otlp_table *t = &r->tables[table];
    if (index == 0)
        return NULL;
    if (index >= t->starts.count) {
        if (!r->options->lenient)
            flm_wire_fail(&r->input, at, beyond[table]);
        else
            flm_builder_lost(r->builder, "indices beyond their tables", "", 0, 1);
        return NULL;
    }
    if (field && t->made[index] == FLM_NONE) {
        *field = flm_wire_all(&r->input);
        field->at = t->starts.at[index];
        flm_wire_next(field);
    }
    return &t->made[index];
}

uint32_t flm_otlp_string(struct flm_otlp_reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire m;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_STRINGS, index, at, &m);
    if (made && *made == FLM_NONE)
        *made = flm_builder_string(r->builder, m.bytes.at, m.bytes.size).index;
    return made ? *made : 0;
}

uint32_t flm_otlp_text_string(struct flm_otlp_reading *r)
{
    if (r->text.failed) {
        flm_otlp_fail_memory(r);
        return 0;
    }
    return flm_builder_string(r->builder, r->text.at, r->text.size).index;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static const struct flm_mapping *mapping_of(struct flm_otlp_reading *r, uint64_t index,
                                            const unsigned char *at)
{
    struct flm_wire field, m, packed;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_MAPPINGS, index, at, &field);
    struct flm_mapping mapping = {.kind = FLM_KIND_PLAIN};
    uint64_t attribute;
    if (!made || flm_otlp_stopped(r))
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
            mapping.path = flm_otlp_string(r, m.number, m.start);
        if (m.field != 5)
            continue;
        packed = flm_wire_numbers(&m);
        while (!flm_otlp_stopped(r) && flm_wire_next_number(&packed, &attribute)) {
            struct flm_otlp_attribute a = flm_otlp_attribute(r, attribute, m.start);
            if (flm_bytes_are(flm_otlp_text(r, a.key), FLM_OTLP_BUILD_ID))
                mapping.build_id = a.value;
        }
    }
    struct flm_bytes path = flm_otlp_text(r, mapping.path);
    if (path.size > 0)
        mapping.kind = flm_perf_module_kind(path);
    if (!FLM_ARRAY_ADD(&r->mappings, mapping)) {
        flm_otlp_fail_memory(r);
        return NULL;
    }
    *made = (uint32_t)r->mappings.count - 1;
    if (!FLM_ARRAY_ADD(&r->all_mappings, mapping))
        flm_otlp_fail_memory(r);
    return &r->mappings.at[*made];
}

static struct flm_otlp_function function_of(struct flm_otlp_reading *r, uint64_t index,
                                            const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_FUNCTIONS, index, at, &field), system_name = 0;
    struct flm_otlp_function function = {0};
    if (!made || flm_otlp_stopped(r))
        return function;
    if (*made != FLM_NONE)
        return r->functions.at[*made];
    for (bool good = flm_wire_enter(&field, &m); good && flm_wire_next(&m);) {
        if (m.field == 1)
            function.name = flm_otlp_string(r, m.number, m.start);
        else if (m.field == 2)
            system_name = flm_otlp_string(r, m.number, m.start);
        else if (m.field == 3)
            function.file = flm_otlp_string(r, m.number, m.start);
        else if (m.field == 4)
            function.line = flm_wire_line(m.number);
    }
    if (function.name == 0)
        function.name = system_name;
    if (!FLM_ARRAY_ADD(&r->functions, function))
        flm_otlp_fail_memory(r);
    else
        *made = (uint32_t)r->functions.count - 1;
    return function;
}

static uint32_t name_of_address(struct flm_otlp_reading *r, uint64_t address, uint32_t path)
{
    r->text.size = 0;
    flm_mapped_frame_name(&r->text, address, flm_otlp_text(r, path));
    return flm_otlp_text_string(r);
}

/* The kind for a value of profile.frame.type; FLM_KIND_COUNT: the value is not known. */
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
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) /* as the writer calls them */
        if (flm_bytes_are(type, flm_kind_name(kind)))
            return kind;
    return FLM_KIND_COUNT;
}

struct location {
    const struct flm_mapping *mapping;
    uint64_t address;
    uint32_t path, kind;
    size_t lines_left;
};

/* The file and the line of a function without a name are kept. */
static void add_unsymbolized(struct flm_otlp_reading *r, const struct location *location,
                             const struct flm_otlp_function *function, struct flm_location where)
{
    struct flm_frame_record record = {
        .function = name_of_address(r, location->address, location->path),
        .module = location->path,
        .file = function->file,
        .line = function->line,
        .address = location->address,
        .kind = location->kind,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    where.address = 0; /* it is what the frame is named by */
    if (!FLM_ARRAY_ADD(&r->frames, flm_builder_located(r->builder, &record, where).index))
        flm_otlp_fail_memory(r);
}

static void add_line(struct flm_otlp_reading *r, struct flm_wire line, struct location *location)
{
    uint64_t index = 0;
    struct flm_location where = {.address = location->address};
    const unsigned char *at = line.at;
    while (flm_wire_next(&line)) {
        if (line.field == 1)
            index = line.number;
        else if (line.field == 2)
            where.line = flm_wire_line(line.number);
        else if (line.field == 3)
            where.column = flm_wire_line(line.number);
    }
    location->lines_left--;
    struct flm_otlp_function function = function_of(r, index, at);
    if (function.name == 0) {
        add_unsymbolized(r, location, &function, where);
        return;
    }
    struct flm_frame_record record = {
        .function = function.name,
        .module = location->path,
        .file = function.file,
        .line = function.line,
        .kind = location->lines_left > 0 ? (uint32_t)FLM_KIND_INLINED : location->kind,
    };
    if (!FLM_ARRAY_ADD(&r->frames, flm_builder_located(r->builder, &record, where).index))
        flm_otlp_fail_memory(r);
}

static struct location read_location(struct flm_otlp_reading *r, struct flm_wire m)
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
        while (!flm_otlp_stopped(r) && flm_wire_next_number(&packed, &index)) {
            struct flm_otlp_attribute a = flm_otlp_attribute(r, index, m.start);
            if (flm_bytes_are(flm_otlp_text(r, a.key), FLM_OTLP_FRAME_TYPE))
                kind = kind_of_type(flm_otlp_text(r, a.value));
        }
    }
    location.path = location.mapping ? location.mapping->path : 0;
    location.kind = location.mapping ? location.mapping->kind : (uint32_t)FLM_KIND_PLAIN;
    if (kind != FLM_KIND_COUNT)
        location.kind = kind;
    return location;
}

/* The index of its frames in r->frames; FLM_NONE: the location is missing. */
static uint32_t location_of(struct flm_otlp_reading *r, uint64_t index, const unsigned char *at)
{
    struct flm_wire field, m, line;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_LOCATIONS, index, at, &field);
    if (!made || flm_otlp_stopped(r))
        return FLM_NONE;
    if (*made != FLM_NONE)
        return *made;
    size_t first = r->frames.count;
    struct location location = {0};
    if (first >= FLM_NONE || !FLM_ARRAY_ADD(&r->frames, 0)) {
        flm_otlp_fail_memory(r);
        return FLM_NONE;
    }
    if (flm_wire_enter(&field, &m))
        location = read_location(r, m);
    for (bool good = flm_wire_enter(&field, &m); good && !flm_otlp_stopped(r) && flm_wire_next(&m);)
        if (m.field == 3 && flm_wire_enter(&m, &line))
            add_line(r, line, &location);
    if (r->frames.count == first + 1)
        add_unsymbolized(r, &location, &(struct flm_otlp_function){0}, (struct flm_location){0});
    if (flm_otlp_stopped(r))
        return FLM_NONE;
    r->frames.at[first] = (uint32_t)(r->frames.count - first - 1);
    return *made = (uint32_t)first;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static struct flm_node add_locations(struct flm_otlp_reading *r, struct flm_node node,
                                     const unsigned char *at)
{
    for (size_t i = r->indices.count; i-- > 0 && !flm_otlp_stopped(r);) {
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

static bool read_indices(struct flm_otlp_reading *r, const struct flm_wire *m)
{
    struct flm_wire packed = flm_wire_numbers(m);
    uint64_t index;
    while (flm_wire_next_number(&packed, &index))
        if (!FLM_ARRAY_ADD(&r->indices, index))
            return flm_otlp_fail_memory(r);
    return true;
}

/* A stack is remembered where it has one node only: not below the frames of threads. */
uint32_t flm_otlp_stack(struct flm_otlp_reading *r, uint64_t index, struct flm_node parent,
                        const unsigned char *at)
{
    struct flm_wire field, m;
    uint32_t *made = flm_otlp_find_entry(r, FLM_OTLP_STACKS, index, at, &field);
    if (index == 0) /* a sample without a stack */
        return parent.index;
    if (!made || flm_otlp_stopped(r))
        return FLM_NONE;
    if (*made != FLM_NONE)
        return *made;
    r->indices.count = 0;
    for (bool good = flm_wire_enter(&field, &m); good && flm_wire_next(&m);)
        if (m.field == 1 && !read_indices(r, &m))
            return FLM_NONE;
    struct flm_node node = add_locations(r, parent, field.start);
    if (!r->options->by_thread)
        *made = node.index;
    return node.index;
}
