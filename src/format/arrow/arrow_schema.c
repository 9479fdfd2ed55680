/* arrow_schema.c - the fields of a schema, with their types. */
#include <stdlib.h>

#include "format/arrow/internal.h"

enum { MOST_DEPTH = 16, MOST_FIELDS = 4096, FLOAT_WIDTHS = 3 };

struct reading {
    struct flm_arrow *arrow;
    struct flm_flatbuffer *f;
    size_t fields; /* so far */
};

static int64_t unit_of(uint64_t unit)
{
    static const int64_t units[] = {1000000000, 1000000, 1000, 1};
    return units[unit & 3];
}

static bool read_int(struct reading *r, size_t type, unsigned *width, bool *is_signed)
{
    uint64_t bits = flm_flat_value(r->f, type, 0, 4, 0);
    *width = (unsigned)(bits / 8);
    *is_signed = flm_flat_value(r->f, type, 1, 1, 0) != 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
           flm_arrow_fail(r->arrow, "the schema has an integer of no size that there is");
}

static bool read_type(struct reading *r, size_t table, struct flm_arrow_field *field)
{
    static const unsigned floats[FLOAT_WIDTHS] = {2, 4, 8}, intervals[] = {4, 8, 16};
    size_t type = flm_flat_table(r->f, table, 3);
    uint64_t unit;
    switch (field->type) {
    case FLM_ARROW_NULL:
    case FLM_ARROW_BOOL:
    case FLM_ARROW_STRUCT:
    case FLM_ARROW_RUNS:
        return true;
    case FLM_ARROW_INT:
        return read_int(r, type, &field->width, &field->is_signed);
    case FLM_ARROW_FLOAT:
        field->width = floats[flm_flat_value(r->f, type, 0, 2, 0) % FLOAT_WIDTHS];
        return true;
    case FLM_ARROW_DECIMAL:
        field->width = (unsigned)(flm_flat_value(r->f, type, 2, 4, 128) / 8);
        return field->width <= 64 || flm_arrow_fail(r->arrow, "the schema has a decimal too wide");
    case FLM_ARROW_DATE:
        field->width = flm_flat_value(r->f, type, 0, 2, 1) == 0 ? 4 : 8;
        return true;
    case FLM_ARROW_TIME:
        field->width = flm_flat_value(r->f, type, 1, 4, 32) == 32 ? 4 : 8;
        return true;
    case FLM_ARROW_TIMESTAMP:
    case FLM_ARROW_DURATION:
        unit = flm_flat_value(r->f, type, 0, 2, field->type == FLM_ARROW_DURATION);
        field->width = 8;
        field->is_signed = true;
        field->unit_ns = unit_of(unit);
        return true;
    case FLM_ARROW_INTERVAL:
        field->width = intervals[flm_flat_value(r->f, type, 0, 2, 0) % 3];
        return true;
    case FLM_ARROW_FIXED_BINARY:
    case FLM_ARROW_FIXED_LIST:
        field->width = (unsigned)flm_flat_value(r->f, type, 0, 4, 0);
        return field->width <= 1 << 20 ||
               flm_arrow_fail(r->arrow, "the schema has a fixed size that is too large");
    case FLM_ARROW_BINARY:
    case FLM_ARROW_UTF8:
    case FLM_ARROW_LIST:
    case FLM_ARROW_MAP:
    case FLM_ARROW_LIST_VIEW:
        field->width = 4;
        return true;
    case FLM_ARROW_LARGE_BINARY:
    case FLM_ARROW_LARGE_UTF8:
    case FLM_ARROW_LARGE_LIST:
    case FLM_ARROW_LARGE_LIST_VIEW:
        field->width = 8;
        return true;
    case FLM_ARROW_BINARY_VIEW:
    case FLM_ARROW_UTF8_VIEW:
        field->width = 16;
        return true;
    case FLM_ARROW_UNION:
        return flm_arrow_fail(r->arrow, "the schema has a union, which is not read");
    default:
        return flm_arrow_fail(r->arrow, "the schema has a type that is not known");
    }
}

static bool has_its_children(const struct flm_arrow_field *field)
{
    switch (field->type) {
    case FLM_ARROW_LIST:
    case FLM_ARROW_LARGE_LIST:
    case FLM_ARROW_FIXED_LIST:
    case FLM_ARROW_MAP:
    case FLM_ARROW_LIST_VIEW:
    case FLM_ARROW_LARGE_LIST_VIEW:
        return field->child_count == 1;
    case FLM_ARROW_RUNS:
        return field->child_count == 2 && field->children[0].type == FLM_ARROW_INT &&
               field->children[0].is_signed && field->children[0].width > 1 &&
               !field->children[0].has_dictionary;
    case FLM_ARROW_STRUCT:
        return true;
    default:
        return field->child_count == 0;
    }
}

static bool read_fields(struct reading *r, size_t table, unsigned number,
                        struct flm_arrow_field *into, unsigned depth);

static bool read_field(struct reading *r, size_t table, struct flm_arrow_field *field,
                       unsigned depth)
{
    size_t dictionary = flm_flat_table(r->f, table, 4);
    field->name = flm_flat_text(r->f, table, 0);
    field->type = (enum flm_arrow_type)flm_flat_value(r->f, table, 2, 1, 0);
    field->has_dictionary = dictionary != 0;
    if (dictionary) {
        size_t index = flm_flat_table(r->f, dictionary, 1);
        field->dictionary = (int64_t)flm_flat_value(r->f, dictionary, 0, 8, 0);
        field->index_width = 4;
        field->is_index_signed = true;
        if (index && !read_int(r, index, &field->index_width, &field->is_index_signed))
            return false;
    }
    if (!read_type(r, table, field) || !read_fields(r, table, 5, field, depth + 1))
        return false;
    return has_its_children(field) ||
           flm_arrow_fail(r->arrow, "the schema has a type without what it consists of");
}

static bool read_fields(struct reading *r, size_t table, unsigned number,
                        struct flm_arrow_field *into, unsigned depth)
{
    uint64_t count;
    size_t at = flm_flat_vector(r->f, table, number, 4, &count);
    r->fields += count <= MOST_FIELDS ? (size_t)count : MOST_FIELDS + 1;
    if (r->fields > MOST_FIELDS || depth > MOST_DEPTH)
        return flm_arrow_fail(r->arrow, "the schema has too many fields, or they are too deep");
    if (count == 0)
        return true;
    into->children = calloc((size_t)count, sizeof *into->children);
    if (!into->children)
        return flm_arrow_fail(r->arrow, NULL);
    into->child_count = (size_t)count;
    for (size_t i = 0; i < count; i++)
        if (!read_field(r, flm_flat_at(r->f, at + 4 * i), &into->children[i], depth))
            return false;
    return true;
}

bool flm_arrow_read_schema(struct flm_arrow *arrow, struct flm_flatbuffer *metadata, size_t schema)
{
    struct reading r = {.arrow = arrow, .f = metadata};
    if (flm_flat_value(metadata, schema, 0, 2, 0) != 0)
        return flm_arrow_fail(arrow, "the stream is big-endian, which is not read");
    arrow->schema.type = FLM_ARROW_STRUCT;
    return read_fields(&r, schema, 1, &arrow->schema, 0) &&
           (!metadata->failed || flm_arrow_fail(arrow, "the schema is malformed"));
}

void flm_arrow_field_clear(struct flm_arrow_field *field)
{
    for (size_t i = 0; i < field->child_count; i++)
        flm_arrow_field_clear(&field->children[i]);
    free(field->children);
    field->children = NULL;
    field->child_count = 0;
}

const struct flm_arrow_field *flm_arrow_dictionary_field(const struct flm_arrow_field *field,
                                                         int64_t id)
{
    if (field->has_dictionary && field->dictionary == id)
        return field;
    for (size_t i = 0; i < field->child_count; i++) {
        const struct flm_arrow_field *found = flm_arrow_dictionary_field(&field->children[i], id);
        if (found)
            return found;
    }
    return NULL;
}
