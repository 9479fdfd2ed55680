/* pprof_tables.c - the tables of profile.proto: entries by id, and the frames of a location. */
#include <stdlib.h>

#include "format/perf/frame.h"
#include "format/pprof/internal.h"

/* ---- Tables: messages with an id ------------------------------------------------------------- */

void flm_pprof_table_clear(struct flm_pprof_table *t)
{
    FLM_ARRAY_CLEAR(&t->starts);
    FLM_ARRAY_CLEAR(&t->ids);
    free(t->by_id);
    flm_index_clear(&t->index);
}

/* The id of a message, 0 without one. Known writers put it first: entering a message to read that
 * took an eighth of the time of a small file. */
static uint64_t id_of(const struct flm_wire *field)
{
    enum { ID = 1 << 3 | FLM_WIRE_VARINT };
    const unsigned char *at = (const unsigned char *)field->bytes.at;
    if (field->bytes.size >= 3 && at[0] == ID && at[1] < 0x80)
        return at[1];
    if (field->bytes.size >= 3 && at[0] == ID && at[2] < 0x80)
        return (at[1] & 0x7F) | (uint64_t)at[2] << 7;
    struct flm_wire m;
    flm_wire_enter(field, &m);
    while (flm_wire_next(&m))
        if (m.field == 1 && m.type == FLM_WIRE_VARINT)
            return m.number;
    return 0;
}

bool flm_pprof_table_add(struct flm_pprof_table *t, const struct flm_wire *field)
{
    if (field->type != FLM_WIRE_BYTES)
        return true;
    uint64_t id = id_of(field);
    if (t->ids.count == 0)
        t->is_dense = true;
    t->is_dense = t->is_dense && id == t->ids.count + 1;
    t->largest = id > t->largest ? id : t->largest;
    return t->ids.count < FLM_NONE - 1 && FLM_ARRAY_ADD(&t->starts, field->start) &&
           FLM_ARRAY_ADD(&t->ids, id);
}

bool flm_pprof_table_finish(struct flm_pprof_table *t, struct flm_wire_input *input)
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
            continue; /* id 0 refers to no message */
        if (flm_pprof_find(t, id) != FLM_NONE)
            flm_wire_fail(input, t->starts.at[i], t->duplicate);
        else if (t->by_id_count)
            t->by_id[id] = (uint32_t)i + 1;
        else if (!flm_index_add(&t->index, flm_hash_numbers(id, 0), (uint32_t)i))
            return false;
    }
    return true;
}

/* ---- Strings --------------------------------------------------------------------------------- */

struct flm_bytes flm_pprof_bytes(struct flm_pprof_reading *r, uint64_t index,
                                 const unsigned char *at)
{
    if (index < r->string_starts.count)
        return flm_pprof_field(r, r->string_starts.at[index]).bytes;
    if (index != 0)
        flm_wire_fail(&r->input, at, "the index of a string is beyond the table of strings");
    return (struct flm_bytes){"", 0};
}

uint32_t flm_pprof_string(struct flm_pprof_reading *r, uint64_t index, const unsigned char *at)
{
    if (index == 0)
        return 0;
    if (index < r->string_starts.count && r->strings[index] != FLM_NONE)
        return r->strings[index];
    struct flm_bytes bytes = flm_pprof_bytes(r, index, at);
    uint32_t string = flm_builder_string(r->builder, bytes.at, bytes.size).index;
    if (index < r->string_starts.count)
        r->strings[index] = string;
    return string;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* How many inlined frames a location may have. */
enum { MOST_LINES = 4096 };

const struct flm_mapping *flm_pprof_mapping(struct flm_pprof_reading *r, uint64_t id)
{
    uint32_t index = flm_pprof_find(&r->mappings, id);
    if (id == 0 || index == FLM_NONE)
        return NULL;
    struct flm_mapping *mapping = &r->mapping[index];
    if (mapping->path != FLM_NONE)
        return mapping;
    struct flm_wire m = flm_pprof_message(r, r->mappings.starts.at[index]);
    *mapping = (struct flm_mapping){0};
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
            mapping->path = flm_pprof_string(r, m.number, m.start);
            break;
        case 6:
            mapping->build_id = flm_pprof_string(r, m.number, m.start);
            break;
        default:
            break;
        }
    }
    struct flm_bytes path = flm_interner_text(&r->builder->interner, mapping->path);
    mapping->kind = path.size > 0 ? flm_perf_module_kind(path) : FLM_KIND_PLAIN;
    return mapping;
}

static const struct flm_pprof_function *function_of(struct flm_pprof_reading *r, uint64_t id)
{
    uint32_t index = flm_pprof_find(&r->functions, id);
    if (id == 0 || index == FLM_NONE)
        return NULL;
    struct flm_pprof_function *function = &r->function[index];
    if (function->name != FLM_NONE)
        return function;
    struct flm_wire m = flm_pprof_message(r, r->functions.starts.at[index]);
    uint32_t system_name = 0;
    *function = (struct flm_pprof_function){0};
    while (flm_wire_next(&m)) {
        switch (m.field) {
        case 2:
            function->name = flm_pprof_string(r, m.number, m.start);
            break;
        case 3:
            system_name = flm_pprof_string(r, m.number, m.start);
            break;
        case 4:
            function->file = flm_pprof_string(r, m.number, m.start);
            break;
        case 5:
            function->line = flm_wire_line(m.number);
            break;
        default:
            break;
        }
    }
    if (function->name == 0)
        function->name = system_name;
    return function;
}

static uint32_t name_of_address(struct flm_pprof_reading *r, uint64_t address,
                                const struct flm_mapping *mapping)
{
    char buffer[128];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_mapped_frame_name(&text, address,
                          flm_interner_text(&r->builder->interner, mapping ? mapping->path : 0));
    return flm_builder_string(r->builder, text.at, text.size).index;
}

struct location {
    uint64_t mapping, address;
    size_t line_count;
};

static void add_frame(struct flm_pprof_reading *r, const struct flm_frame_record *record,
                      struct flm_location where)
{
    struct flm_frame frame = flm_builder_located(r->builder, record, where);
    if (!FLM_ARRAY_ADD(&r->frames, frame))
        flm_pprof_fail_memory(r);
}

/* The address is what the frame is named by, and no location besides; the file and the line of a
 * function without a name are kept. */
static void add_unsymbolized(struct flm_pprof_reading *r, uint64_t address,
                             const struct flm_mapping *mapping,
                             const struct flm_pprof_function *function, struct flm_location where)
{
    const struct flm_frame_record record = {
        .function = name_of_address(r, address, mapping),
        .module = mapping ? mapping->path : 0,
        .file = function ? function->file : 0,
        .line = function ? function->line : 0,
        .address = address,
        .kind = mapping ? mapping->kind : (uint32_t)FLM_KIND_PLAIN,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    where.address = 0;
    add_frame(r, &record, where);
}

/* One line of a location: `inlined` into the next. */
static void add_line(struct flm_pprof_reading *r, struct flm_wire line, uint64_t address,
                     const struct flm_mapping *mapping, bool inlined)
{
    uint64_t id = 0;
    struct flm_location where = {.address = address};
    while (flm_wire_next(&line)) {
        if (line.field == 1)
            id = line.number;
        else if (line.field == 2)
            where.line = flm_wire_line(line.number);
        else if (line.field == 3)
            where.column = flm_wire_line(line.number);
    }
    const struct flm_pprof_function *function = function_of(r, id);
    if (!function)
        flm_builder_lost(r->builder, "frames whose function is missing", "", 0, 1);
    if (!function || function->name == 0) {
        add_unsymbolized(r, address, mapping, function, where);
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
    add_frame(r, &record, where);
}

/* The lines of a location are innermost first; the frames are reversed when all are there. */
uint32_t flm_pprof_make_location(struct flm_pprof_reading *r, uint32_t index)
{
    struct flm_wire m = flm_pprof_message(r, r->locations.starts.at[index]);
    struct location location = {0};
    while (flm_wire_next(&m)) {
        if (m.field == 2)
            location.mapping = m.number;
        else if (m.field == 3)
            location.address = m.number;
        else if (m.field == 4)
            location.line_count++;
    }
    const struct flm_mapping *mapping = flm_pprof_mapping(r, location.mapping);
    if (!mapping && location.mapping != 0)
        flm_builder_lost(r->builder, "locations whose mapping is missing", "", 0, 1);
    size_t first = r->frames.count, lines_left = location.line_count;
    if (first >= FLM_NONE || !FLM_ARRAY_ADD(&r->frames, (struct flm_frame){0})) {
        flm_pprof_fail_memory(r);
        return FLM_NONE;
    }
    if (lines_left > MOST_LINES)
        flm_builder_lost(r->builder, "inlined frames of locations with more than 4096", "", 0,
                         (double)(lines_left - MOST_LINES));
    m = flm_pprof_message(r, r->locations.starts.at[index]);
    struct flm_wire line;
    while (!flm_pprof_stopped(r) && flm_wire_next(&m)) {
        if (m.field != 4)
            continue;
        bool inlined = --lines_left > 0;
        bool fits = !inlined || r->frames.count - first < MOST_LINES;
        if (fits && flm_wire_enter(&m, &line))
            add_line(r, line, location.address, mapping, inlined);
    }
    if (r->frames.count == first + 1)
        add_unsymbolized(r, location.address, mapping, NULL, (struct flm_location){0});
    if (flm_pprof_stopped(r))
        return FLM_NONE;
    uint32_t count = (uint32_t)(r->frames.count - first - 1);
    r->frames.at[first].index = count;
    flm_perf_frames_reverse(r->frames.at + first + 1, count);
    return r->location_frames[index] = (uint32_t)first;
}
