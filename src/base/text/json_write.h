/* json_write.h - writes JSON into a text directly, without building a tree of it first.
 *
 *     struct flm_json_writer json = {.out = out};
 *     flm_json_begin(&json, NULL, FLM_JSON_OBJECT);            {
 *     flm_json_add_number(&json, "total", 1.5);                      "total": 1.5,
 *     flm_json_begin(&json, "rows", FLM_JSON_ARRAY);             "rows": [
 *     flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);           {"name": "main"}
 *     flm_json_add_text(&json, "name", flm_bytes_of("main"));        ]
 *     ... flm_json_end for each                                }
 *
 * Any bytes become valid JSON: characters that a terminal would obey or that hide others (utf.h:
 * controls, also C1, marks of direction, separators of lines) are escaped, so that a file can be
 * looked at with cat; bytes that are no UTF-8 become U+FFFD. Numbers are exact: the
 * shortest text that reads back as the same double. */
#ifndef FLAMEL_BASE_TEXT_JSON_WRITE_H
#define FLAMEL_BASE_TEXT_JSON_WRITE_H

#include "base/text/text.h"

enum flm_json_shape {
    FLM_JSON_OBJECT, /* a line for each member */
    FLM_JSON_ARRAY,
    FLM_JSON_OBJECT_LINE, /* all on one line; nested values must be too */
    FLM_JSON_ARRAY_LINE
};

enum { FLM_JSON_DEPTH = 16 };

struct flm_json_writer {
    struct flm_text *out;
    enum flm_json_shape open[FLM_JSON_DEPTH];
    unsigned depth;
    bool has_members; /* of the open object or array */
};

/* `key` is NULL in an array and at the outermost level. */
void flm_json_begin(struct flm_json_writer *json, const char *key, enum flm_json_shape shape);
void flm_json_end(struct flm_json_writer *json); /* of the outermost: and a newline */

void flm_json_add_text(struct flm_json_writer *json, const char *key, struct flm_bytes value);
void flm_json_add_number(struct flm_json_writer *json, const char *key, double value);
void flm_json_add_integer(struct flm_json_writer *json, const char *key, int64_t value);
void flm_json_add_address(struct flm_json_writer *json, const char *key,
                          uint64_t value); /* "0x55d0" */
void flm_json_add_bool(struct flm_json_writer *json, const char *key, bool value);
/* A value that is JSON already. */
void flm_json_add_written(struct flm_json_writer *json, const char *key, struct flm_bytes value);
void flm_json_add_null(struct flm_json_writer *json, const char *key);

#endif
