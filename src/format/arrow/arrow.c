#include "format/arrow/arrow.h"

#include <stdlib.h>

#include "format/arrow/internal.h"

enum { MOST_DICTIONARIES = 10000, MOST_BEHIND = 32 /* dictionaries and runs in each other */ };
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_BATCH = 3 };

bool flm_arrow_fail(struct flm_arrow *arrow, const char *reason)
{
    if (!arrow->failed && reason)
        flm_error_set(&arrow->why, FLM_ERROR_FORMAT, "Arrow: byte %zu: %s", arrow->at, reason);
    else if (!arrow->failed)
        flm_error_memory(&arrow->why);
    arrow->failed = true;
    return false;
}

/* ---- Messages -------------------------------------------------------------------------------- */

struct message {
    struct flm_flatbuffer metadata;
    unsigned type;
    size_t header;
    struct flm_bytes body;
};

/* False at the end, and where it is malformed. */
static bool next_message(struct flm_arrow *arrow, struct message *m)
{
    struct flm_flatbuffer f = {.bytes = arrow->stream};
    if (arrow->failed || arrow->at == arrow->stream.size)
        return false;
    uint64_t mark = flm_flat_number(&f, arrow->at, 4), size = flm_flat_number(&f, arrow->at + 4, 4);
    if (mark != UINT32_MAX || f.failed)
        return flm_arrow_fail(arrow, "there is no message: each begins with ff ff ff ff");
    if (size == 0)
        return false; /* the end of the stream */
    if (!flm_flat_has(&f, arrow->at + 8, size))
        return flm_arrow_fail(arrow, "a message ends too early");
    *m = (struct message){.metadata.bytes = {arrow->stream.at + arrow->at + 8, (size_t)size}};
    size_t root = flm_flat_root(&m->metadata), body = arrow->at + 8 + (size_t)size;
    uint64_t body_size = flm_flat_value(&m->metadata, root, 3, 8, 0);
    m->type = (unsigned)flm_flat_value(&m->metadata, root, 1, 1, 0);
    m->header = flm_flat_table(&m->metadata, root, 2);
    if (m->metadata.failed || m->header == 0)
        return flm_arrow_fail(arrow, "the metadata of a message are malformed");
    if (!flm_flat_has(&f, body, body_size))
        return flm_arrow_fail(arrow, "the body of a message ends too early");
    m->body = (struct flm_bytes){arrow->stream.at + body, (size_t)body_size};
    arrow->at = body + (size_t)body_size;
    return true;
}

static bool read_dictionary(struct flm_arrow *arrow, struct message *m)
{
    int64_t id = (int64_t)flm_flat_value(&m->metadata, m->header, 0, 8, 0);
    size_t batch = flm_flat_table(&m->metadata, m->header, 1);
    const struct flm_arrow_field *field = flm_arrow_dictionary_field(&arrow->schema, id);
    if (flm_flat_value(&m->metadata, m->header, 2, 1, 0) != 0)
        return flm_arrow_fail(arrow, "a dictionary is a delta, which is not read");
    if (!field || batch == 0)
        return flm_arrow_fail(arrow, "a dictionary is of no column");
    if (arrow->dictionaries.count == MOST_DICTIONARIES)
        return flm_arrow_fail(arrow, "there are too many dictionaries");
    struct flm_arrow_dictionary dictionary = {
        .id = id, .array = flm_arrow_read_batch(arrow, field, true, &m->metadata, batch, m->body)};
    if (!dictionary.array)
        return false;
    if (FLM_ARRAY_ADD(&arrow->dictionaries, dictionary))
        return true;
    flm_arrow_array_free(dictionary.array);
    return flm_arrow_fail(arrow, NULL);
}

struct flm_arrow *flm_arrow_open(struct flm_bytes stream, size_t most, struct flm_error *why)
{
    struct flm_arrow *arrow = calloc(1, sizeof *arrow);
    struct message m;
    if (!arrow) {
        flm_error_memory(why);
        return NULL;
    }
    arrow->stream = stream;
    arrow->left = most;
    bool good =
        next_message(arrow, &m) || arrow->failed || flm_arrow_fail(arrow, "the stream is empty");
    good = good && !arrow->failed &&
           (m.type == HEADER_SCHEMA || flm_arrow_fail(arrow, "the stream begins with no schema")) &&
           flm_arrow_read_schema(arrow, &m.metadata, m.header);
    if (good)
        return arrow;
    flm_arrow_finish(arrow, why);
    flm_arrow_close(arrow);
    return NULL;
}

void flm_arrow_close(struct flm_arrow *arrow)
{
    if (!arrow)
        return;
    flm_arrow_array_free(arrow->batch);
    for (size_t i = 0; i < arrow->dictionaries.count; i++)
        flm_arrow_array_free(arrow->dictionaries.at[i].array);
    for (size_t i = 0; i < arrow->blocks.count; i++)
        free(arrow->blocks.at[i]);
    FLM_ARRAY_CLEAR(&arrow->dictionaries);
    FLM_ARRAY_CLEAR(&arrow->blocks);
    flm_arrow_field_clear(&arrow->schema);
    free(arrow);
}

bool flm_arrow_next(struct flm_arrow *arrow)
{
    struct message m;
    flm_arrow_array_free(arrow->batch);
    arrow->batch = NULL;
    while (next_message(arrow, &m)) {
        if (m.type == HEADER_DICTIONARY) {
            if (!read_dictionary(arrow, &m))
                return false;
        } else if (m.type == HEADER_BATCH) {
            arrow->batch =
                flm_arrow_read_batch(arrow, &arrow->schema, false, &m.metadata, m.header, m.body);
            return arrow->batch != NULL;
        } else {
            return flm_arrow_fail(arrow, "a message is neither a dictionary nor a record batch");
        }
    }
    return false;
}

bool flm_arrow_finish(const struct flm_arrow *arrow, struct flm_error *why)
{
    if (arrow->failed && why)
        *why = arrow->why;
    return !arrow->failed;
}

/* ---- Columns --------------------------------------------------------------------------------- */

uint64_t flm_arrow_rows(const struct flm_arrow *arrow)
{
    return arrow->batch ? arrow->batch->rows : 0;
}

const struct flm_arrow_array *flm_arrow_member(const struct flm_arrow_array *array,
                                               const char *name)
{
    for (size_t i = 0; array && i < array->child_count; i++)
        if (flm_bytes_are(array->children[i].field->name, name))
            return &array->children[i];
    return NULL;
}

const struct flm_arrow_array *flm_arrow_member_at(const struct flm_arrow_array *array, size_t index)
{
    return array && index < array->child_count ? &array->children[index] : NULL;
}

const struct flm_arrow_array *flm_arrow_column(const struct flm_arrow *arrow, const char *name)
{
    return flm_arrow_member(arrow->batch, name);
}

const struct flm_arrow_array *flm_arrow_column_at(const struct flm_arrow *arrow, size_t index)
{
    return flm_arrow_member_at(arrow->batch, index);
}

struct flm_bytes flm_arrow_name(const struct flm_arrow_array *array)
{
    return array->field->name;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static uint64_t load(struct flm_bytes bytes, uint64_t row, unsigned width)
{
    uint64_t value = 0;
    const unsigned char *at = (const unsigned char *)bytes.at + row * width;
    for (unsigned i = width; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static int64_t load_signed(struct flm_bytes bytes, uint64_t row, unsigned width, bool is_signed)
{
    uint64_t value = load(bytes, row, width);
    if (is_signed && width < 8 && value >> (width * 8 - 1))
        value |= UINT64_MAX << (width * 8);
    return (int64_t)value;
}

static bool is_valid(const struct flm_arrow_array *array, uint64_t row)
{
    return array->validity.size == 0 || (array->validity.at[row / 8] >> (row % 8) & 1);
}

/* The run in which a row is: the first whose end is behind it. */
static uint64_t run_of(const struct flm_arrow_array *array, uint64_t row)
{
    const struct flm_arrow_array *ends = &array->children[0];
    uint64_t low = 0, high = ends->rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (load_signed(ends->values, middle, ends->field->width, true) > (int64_t)row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct flm_arrow_cell flm_arrow_cell(const struct flm_arrow_array *array, uint64_t row)
{
    const struct flm_arrow_cell none = {NULL, 0};
    for (int behind = 0; array && behind < MOST_BEHIND; behind++) {
        if (row >= array->rows)
            return none;
        if (array->is_index) {
            if (!is_valid(array, row))
                return none;
            int64_t index = load_signed(array->values, row, array->field->index_width,
                                        array->field->is_index_signed);
            if (index < 0)
                return none;
            row = (uint64_t)index;
            array = array->dictionary;
        } else if (array->field->type == FLM_ARROW_RUNS) {
            row = run_of(array, row);
            array = &array->children[1];
        } else {
            return array->field->type != FLM_ARROW_NULL && is_valid(array, row)
                       ? (struct flm_arrow_cell){array, row}
                       : none;
        }
    }
    return none;
}

/* Where a value of a text or list begins, and behind its end. */
static bool range_of(const struct flm_arrow_array *array, uint64_t row, uint64_t *from,
                     uint64_t *until)
{
    *from = load(array->values, row, array->field->width);
    *until = load(array->values, row + 1, array->field->width);
    return *from <= *until;
}

static bool view_of(const struct flm_arrow_array *array, uint64_t row, struct flm_bytes *text)
{
    enum { INLINE = 12 };
    const char *at = array->values.at + row * 16;
    struct flm_bytes view = {at, 16};
    uint64_t size = load(view, 0, 4), buffer = load(view, 2, 4), offset = load(view, 3, 4);
    if (size <= INLINE) {
        *text = (struct flm_bytes){at + 4, (size_t)size};
        return true;
    }
    if (buffer >= array->buffer_count || offset > array->buffers[buffer].size ||
        size > array->buffers[buffer].size - offset)
        return false;
    *text = (struct flm_bytes){array->buffers[buffer].at + offset, (size_t)size};
    return true;
}

bool flm_arrow_text(struct flm_arrow_cell cell, struct flm_bytes *text)
{
    const struct flm_arrow_array *array = cell.array;
    uint64_t from, until;
    if (!array)
        return false;
    switch (array->field->type) {
    case FLM_ARROW_BINARY:
    case FLM_ARROW_UTF8:
    case FLM_ARROW_LARGE_BINARY:
    case FLM_ARROW_LARGE_UTF8:
        if (!range_of(array, cell.row, &from, &until) || until > array->more.size)
            return false;
        *text = (struct flm_bytes){array->more.at + from, (size_t)(until - from)};
        return true;
    case FLM_ARROW_BINARY_VIEW:
    case FLM_ARROW_UTF8_VIEW:
        return view_of(array, cell.row, text);
    case FLM_ARROW_FIXED_BINARY:
        *text = (struct flm_bytes){array->values.at + cell.row * array->field->width,
                                   array->field->width};
        return true;
    default:
        return false;
    }
}

bool flm_arrow_integer(struct flm_arrow_cell cell, int64_t *value)
{
    const struct flm_arrow_array *array = cell.array;
    if (!array)
        return false;
    const struct flm_arrow_field *field = array->field;
    if (field->type != FLM_ARROW_INT && field->type != FLM_ARROW_TIMESTAMP &&
        field->type != FLM_ARROW_DURATION)
        return false;
    *value = load_signed(array->values, cell.row, field->width, field->is_signed);
    return field->unit_ns <= 1 || !__builtin_mul_overflow(*value, field->unit_ns, value);
}

bool flm_arrow_list(struct flm_arrow_cell cell, const struct flm_arrow_array **items,
                    uint64_t *first, uint64_t *count)
{
    const struct flm_arrow_array *array = cell.array;
    uint64_t from, until;
    if (!array)
        return false;
    switch (array->field->type) {
    case FLM_ARROW_LIST:
    case FLM_ARROW_LARGE_LIST:
    case FLM_ARROW_MAP:
        if (!range_of(array, cell.row, &from, &until))
            return false;
        break;
    case FLM_ARROW_LIST_VIEW:
    case FLM_ARROW_LARGE_LIST_VIEW:
        from = load(array->values, cell.row, array->field->width);
        if (__builtin_add_overflow(from, load(array->more, cell.row, array->field->width), &until))
            return false;
        break;
    case FLM_ARROW_FIXED_LIST:
        from = cell.row * array->field->width;
        until = from + array->field->width;
        break;
    default:
        return false;
    }
    if (until > array->children[0].rows)
        return false;
    *items = &array->children[0];
    *first = from;
    *count = until - from;
    return true;
}

bool flm_arrow_is_struct(struct flm_arrow_cell cell)
{
    return cell.array && cell.array->field->type == FLM_ARROW_STRUCT;
}
