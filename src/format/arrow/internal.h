/* internal.h - the types and arrays of an Arrow stream.
 *
 * A field is a column of the schema, or a member, an item, or the values of one. An array has its
 * rows in a batch: what its buffers are depends on the type of the field. Of a field with a
 * dictionary the array has indices, and the values are those of the dictionary. */
#ifndef FLAMEL_FORMAT_ARROW_INTERNAL_H
#define FLAMEL_FORMAT_ARROW_INTERNAL_H

#include "base/core/array.h"
#include "format/arrow/arrow.h"
#include "format/arrow/flatbuffer.h"

/* The numbers of Schema.fbs. */
enum flm_arrow_type {
    FLM_ARROW_NULL = 1,
    FLM_ARROW_INT = 2,
    FLM_ARROW_FLOAT = 3,
    FLM_ARROW_BINARY = 4,
    FLM_ARROW_UTF8 = 5,
    FLM_ARROW_BOOL = 6,
    FLM_ARROW_DECIMAL = 7,
    FLM_ARROW_DATE = 8,
    FLM_ARROW_TIME = 9,
    FLM_ARROW_TIMESTAMP = 10,
    FLM_ARROW_INTERVAL = 11,
    FLM_ARROW_LIST = 12,
    FLM_ARROW_STRUCT = 13,
    FLM_ARROW_UNION = 14,
    FLM_ARROW_FIXED_BINARY = 15,
    FLM_ARROW_FIXED_LIST = 16,
    FLM_ARROW_MAP = 17,
    FLM_ARROW_DURATION = 18,
    FLM_ARROW_LARGE_BINARY = 19,
    FLM_ARROW_LARGE_UTF8 = 20,
    FLM_ARROW_LARGE_LIST = 21,
    FLM_ARROW_RUNS = 22,
    FLM_ARROW_BINARY_VIEW = 23,
    FLM_ARROW_UTF8_VIEW = 24,
    FLM_ARROW_LIST_VIEW = 25,
    FLM_ARROW_LARGE_LIST_VIEW = 26
};

struct flm_arrow_field {
    struct flm_bytes name; /* in the stream */
    enum flm_arrow_type type;
    unsigned width; /* bytes of a value; of offsets where values have them; 0: bits, or none */
    bool is_signed;
    int64_t unit_ns; /* of times */
    bool has_dictionary;
    int64_t dictionary; /* its id */
    unsigned index_width;
    bool is_index_signed;
    struct flm_arrow_field *children;
    size_t child_count;
};

struct flm_arrow_array {
    const struct flm_arrow_field *field;
    bool is_index; /* its values are indices in `dictionary` */
    uint64_t rows;
    struct flm_bytes validity; /* empty: no row is null */
    struct flm_bytes values;   /* numbers, views, bytes of fixed width, or offsets */
    struct flm_bytes more;     /* texts behind offsets, or sizes of lists */
    struct flm_bytes *buffers; /* of views; owned */
    size_t buffer_count;
    const struct flm_arrow_array *dictionary; /* borrowed */
    struct flm_arrow_array *children;         /* owned */
    size_t child_count;
};

struct flm_arrow_dictionary {
    int64_t id;
    struct flm_arrow_array *array;
};

struct flm_arrow {
    struct flm_bytes stream;
    size_t at;   /* of the next message */
    size_t left; /* bytes that may still be decompressed */
    struct flm_error why;
    bool failed;
    struct flm_arrow_field schema; /* a struct of the columns */
    struct flm_arrow_array *batch; /* of it; NULL: none yet */
    struct FLM_ARRAY(struct flm_arrow_dictionary) dictionaries;
    struct FLM_ARRAY(char *) blocks; /* what was decompressed */
};

bool flm_arrow_fail(struct flm_arrow *arrow, const char *reason);

/* arrow_schema.c: the columns of a schema. */
bool flm_arrow_read_schema(struct flm_arrow *arrow, struct flm_flatbuffer *metadata, size_t schema);
void flm_arrow_field_clear(struct flm_arrow_field *field);

/* The field whose dictionary has this id; NULL: none. */
const struct flm_arrow_field *flm_arrow_dictionary_field(const struct flm_arrow_field *field,
                                                         int64_t id);

/* arrow_batch.c: the arrays of a record batch: of the field, or of the values of its dictionary.
 * NULL: it failed. */
struct flm_arrow_array *flm_arrow_read_batch(struct flm_arrow *arrow,
                                             const struct flm_arrow_field *field,
                                             bool is_dictionary, struct flm_flatbuffer *metadata,
                                             size_t batch, struct flm_bytes body);
void flm_arrow_array_free(struct flm_arrow_array *array);

#endif
