/* arrow_batch.c - the arrays of a record batch: nodes and buffers are in the order of the fields,
 * depth first. */
#include <stdlib.h>

#include "base/lz4/lz4.h"
#include "base/text/text.h"
#include "base/zstd/unzstd.h"
#include "format/arrow/internal.h"

enum { NODE_SIZE = 16, BUFFER_SIZE = 16, MOST_BUFFERS = 100000 };
static const uint64_t MOST_ROWS = (uint64_t)1 << 31;

struct reading {
    struct flm_arrow *arrow;
    struct flm_flatbuffer *f;
    struct flm_bytes body;
    size_t nodes, buffers, variadic;                   /* where the next ones are */
    uint64_t node_count, buffer_count, variadic_count; /* that are left */
    bool is_compressed, is_zstd;
};

static void clear(struct flm_arrow_array *array)
{
    for (size_t i = 0; i < array->child_count; i++)
        clear(&array->children[i]);
    free(array->children);
    free(array->buffers);
}

void flm_arrow_array_free(struct flm_arrow_array *array)
{
    if (array)
        clear(array);
    free(array);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static bool add_lz4(struct flm_bytes bytes, struct flm_text *out, size_t most)
{
    struct flm_source input = flm_source_of(bytes);
    struct flm_lz4 lz4 = {0};
    bool good = flm_lz4_open(&lz4, &input, NULL);
    while (good && out->size <= most) {
        struct flm_source *s = &lz4.source;
        flm_text_add(out, (struct flm_bytes){s->at, (size_t)(s->end - s->at)});
        s->at = s->end;
        if (s->last)
            break;
        good = flm_source_more(s, NULL);
    }
    flm_lz4_close(&lz4);
    return good;
}

static bool add_zstd(struct flm_bytes bytes, struct flm_text *out, size_t most)
{
    struct flm_source input = flm_source_of(bytes);
    struct flm_unzstd *unzstd = flm_unzstd_new(&input, NULL);
    struct flm_bytes block;
    bool good = unzstd != NULL;
    while (good && out->size <= most && (good = flm_unzstd_next(unzstd, &block, NULL)) &&
           block.size > 0)
        flm_text_add(out, block);
    flm_unzstd_free(unzstd);
    return good;
}

/* An i64, how many bytes it has decompressed (-1: it is not compressed), and its bytes. */
static bool decompress(struct reading *r, struct flm_bytes *buffer)
{
    struct flm_arrow *arrow = r->arrow;
    struct flm_flatbuffer head = {.bytes = *buffer};
    uint64_t size = flm_flat_number(&head, 0, 8);
    struct flm_text out = {0};
    if (head.failed)
        return flm_arrow_fail(arrow, "a compressed buffer has no size");
    struct flm_bytes rest = flm_bytes_from(*buffer, 8);
    if (size == UINT64_MAX) {
        *buffer = rest;
        return true;
    }
    if (size > arrow->left)
        return flm_arrow_fail(arrow, "its buffers are too large when they are decompressed");
    arrow->left -= (size_t)size;
    bool good = r->is_zstd ? add_zstd(rest, &out, (size_t)size) : add_lz4(rest, &out, (size_t)size);
    if (out.failed || (out.at && !FLM_ARRAY_ADD(&arrow->blocks, out.at))) {
        flm_text_clear(&out);
        return flm_arrow_fail(arrow, NULL);
    }
    *buffer = (struct flm_bytes){out.at ? out.at : "", out.size};
    return (good && out.size == size) ||
           flm_arrow_fail(arrow,
                          "a compressed buffer is damaged, or has another size than it says");
}

static bool next_buffer(struct reading *r, struct flm_bytes *buffer)
{
    if (r->buffer_count == 0)
        return flm_arrow_fail(r->arrow, "a record batch has fewer buffers than its schema wants");
    uint64_t offset = flm_flat_number(r->f, r->buffers, 8),
             size = flm_flat_number(r->f, r->buffers + 8, 8);
    r->buffers += BUFFER_SIZE;
    r->buffer_count--;
    if (offset > r->body.size || size > r->body.size - offset)
        return flm_arrow_fail(r->arrow, "a buffer is beyond the body of its record batch");
    *buffer = (struct flm_bytes){r->body.at + offset, (size_t)size};
    return size == 0 || !r->is_compressed || decompress(r, buffer);
}

/* One with a value of so many bytes for each row, and `more` of them. */
static bool next_values(struct reading *r, uint64_t rows, unsigned width, unsigned more,
                        struct flm_bytes *values)
{
    if (!next_buffer(r, values))
        return false;
    /* Of an array without rows the offsets may be missing. */
    uint64_t wanted = rows == 0 ? 0 : (rows + more) * width;
    return wanted <= values->size ||
           flm_arrow_fail(r->arrow, "a buffer has fewer values than its array has rows");
}

static bool next_bits(struct reading *r, uint64_t rows, bool may_be_missing, struct flm_bytes *bits)
{
    if (!next_buffer(r, bits))
        return false;
    return (may_be_missing && bits->size == 0) || bits->size >= (rows + 7) / 8 ||
           flm_arrow_fail(r->arrow, "a bitmap has fewer bits than its array has rows");
}

static bool next_view_buffers(struct reading *r, struct flm_arrow_array *array)
{
    if (r->variadic_count == 0)
        return flm_arrow_fail(r->arrow, "a record batch does not say how many buffers a view has");
    uint64_t count = flm_flat_number(r->f, r->variadic, 8);
    r->variadic += 8;
    r->variadic_count--;
    if (count > r->buffer_count || count > MOST_BUFFERS)
        return flm_arrow_fail(r->arrow, "a record batch has fewer buffers than its views want");
    array->buffers = calloc((size_t)count + 1, sizeof *array->buffers);
    if (!array->buffers)
        return flm_arrow_fail(r->arrow, NULL);
    for (; array->buffer_count < count; array->buffer_count++)
        if (!next_buffer(r, &array->buffers[array->buffer_count]))
            return false;
    return true;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

static bool read_array(struct reading *r, const struct flm_arrow_field *field, bool is_dictionary,
                       struct flm_arrow_array *array);

static bool read_values(struct reading *r, struct flm_arrow_array *array)
{
    const struct flm_arrow_field *field = array->field;
    switch (field->type) {
    case FLM_ARROW_BOOL:
        return next_bits(r, array->rows, false, &array->values);
    case FLM_ARROW_BINARY:
    case FLM_ARROW_UTF8:
    case FLM_ARROW_LARGE_BINARY:
    case FLM_ARROW_LARGE_UTF8:
        return next_values(r, array->rows, field->width, 1, &array->values) &&
               next_buffer(r, &array->more);
    case FLM_ARROW_LIST:
    case FLM_ARROW_LARGE_LIST:
    case FLM_ARROW_MAP:
        return next_values(r, array->rows, field->width, 1, &array->values);
    case FLM_ARROW_LIST_VIEW:
    case FLM_ARROW_LARGE_LIST_VIEW:
        return next_values(r, array->rows, field->width, 0, &array->values) &&
               next_values(r, array->rows, field->width, 0, &array->more);
    case FLM_ARROW_BINARY_VIEW:
    case FLM_ARROW_UTF8_VIEW:
        return next_values(r, array->rows, field->width, 0, &array->values) &&
               next_view_buffers(r, array);
    case FLM_ARROW_NULL:
    case FLM_ARROW_STRUCT:
    case FLM_ARROW_RUNS:
    case FLM_ARROW_FIXED_LIST:
        return true;
    default:
        return next_values(r, array->rows, field->width, 0, &array->values);
    }
}

static bool find_dictionary(struct reading *r, struct flm_arrow_array *array)
{
    const struct flm_arrow *arrow = r->arrow;
    for (size_t i = arrow->dictionaries.count; i-- > 0;)
        if (arrow->dictionaries.at[i].id == array->field->dictionary) {
            array->dictionary = arrow->dictionaries.at[i].array;
            return true;
        }
    /* Of a column that has nothing but nulls there may be none. */
    return true;
}

static bool read_children(struct reading *r, struct flm_arrow_array *array)
{
    const struct flm_arrow_field *field = array->field;
    if (field->child_count == 0)
        return true;
    array->children = calloc(field->child_count, sizeof *array->children);
    if (!array->children)
        return flm_arrow_fail(r->arrow, NULL);
    for (size_t i = 0; i < field->child_count; i++) {
        struct flm_arrow_array *child = &array->children[i];
        array->child_count++; /* what it has is freed, also where it fails */
        if (!read_array(r, &field->children[i], false, child))
            return false;
        if (field->type == FLM_ARROW_STRUCT && child->rows < array->rows)
            return flm_arrow_fail(r->arrow, "a member of a struct has fewer rows than it");
    }
    return true;
}

static bool read_array(struct reading *r, const struct flm_arrow_field *field, bool is_dictionary,
                       struct flm_arrow_array *array)
{
    array->field = field;
    array->is_index = field->has_dictionary && !is_dictionary;
    if (r->node_count == 0)
        return flm_arrow_fail(r->arrow, "a record batch has fewer nodes than its schema wants");
    array->rows = flm_flat_number(r->f, r->nodes, 8);
    r->nodes += NODE_SIZE;
    r->node_count--;
    if (array->rows > MOST_ROWS)
        return flm_arrow_fail(r->arrow, "an array has more rows than can be");
    bool has_validity =
        array->is_index || (field->type != FLM_ARROW_NULL && field->type != FLM_ARROW_RUNS);
    if (has_validity && !next_bits(r, array->rows, true, &array->validity))
        return false;
    if (array->is_index)
        return next_values(r, array->rows, field->index_width, 0, &array->values) &&
               find_dictionary(r, array);
    return read_values(r, array) && read_children(r, array);
}

struct flm_arrow_array *flm_arrow_read_batch(struct flm_arrow *arrow,
                                             const struct flm_arrow_field *field,
                                             bool is_dictionary, struct flm_flatbuffer *metadata,
                                             size_t batch, struct flm_bytes body)
{
    struct reading r = {.arrow = arrow, .f = metadata, .body = body};
    r.nodes = flm_flat_vector(metadata, batch, 1, NODE_SIZE, &r.node_count);
    r.buffers = flm_flat_vector(metadata, batch, 2, BUFFER_SIZE, &r.buffer_count);
    r.variadic = flm_flat_vector(metadata, batch, 4, 8, &r.variadic_count);
    size_t compression = flm_flat_table(metadata, batch, 3);
    uint64_t codec = compression ? flm_flat_value(metadata, compression, 0, 1, 0) : 0;
    r.is_compressed = compression != 0;
    r.is_zstd = codec == 1;
    struct flm_arrow_array *array = calloc(1, sizeof *array);
    bool good = array || flm_arrow_fail(arrow, NULL);
    if (good && codec > 1)
        good = flm_arrow_fail(arrow, "its buffers are compressed in a way that is not known");
    /* The columns of the schema have no node in common. */
    if (good && field == &arrow->schema) {
        array->field = field;
        array->rows = flm_flat_value(metadata, batch, 0, 8, 0);
        good = (array->rows <= MOST_ROWS ||
                flm_arrow_fail(arrow, "a record batch has more rows than can be")) &&
               read_children(&r, array);
    } else if (good) {
        good = read_array(&r, field, is_dictionary, array);
    }
    if (good && metadata->failed)
        good = flm_arrow_fail(arrow, "a record batch is malformed");
    if (good)
        return array;
    flm_arrow_array_free(array);
    return NULL;
}
