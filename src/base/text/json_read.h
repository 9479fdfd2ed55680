/* json_read.h - JSON, read value by value as it arrives, with memory for one string.
 *
 * A reader requests the members that it expects and skips the rest:
 *
 *     flm_json_init(&json, source, why);
 *     flm_json_enter_object(&json);                          { "version": 1, "samples": [ ... ] }
 *     while (flm_json_next_key(&json, &key)) {
 *         if (flm_bytes_are(key, "samples")) {
 *             flm_json_enter_array(&json);
 *             while (flm_json_next_item(&json))
 *                 read_sample(&json);
 *         }                                                  a value that is not read is skipped
 *     }
 *     return flm_json_finish(&json);
 *
 * Errors stick: after the first, every call does nothing and returns false, so that loops end and
 * the reader checks once, at the end. They name the byte of the input.
 *
 * Nothing here recurses: an open object or array is a bit per level, up to FLM_JSON_MOST_DEPTH.
 * Strings may hold any byte and need not be UTF-8; half a surrogate pair becomes U+FFFD. NaN and
 * Infinity, which are not JSON but which programs write, are numbers. A byte order mark is
 * skipped. */
#ifndef FLAMEL_BASE_TEXT_JSON_READ_H
#define FLAMEL_BASE_TEXT_JSON_READ_H

#include "base/core/array.h"
#include "base/text/source.h"
#include "base/text/text.h"

#define FLM_JSON_MOST_DEPTH (1 << 20)

enum flm_json_type {
    FLM_JSON_TYPE_NONE, /* no value is next: the end of an object or array, or an error */
    FLM_JSON_TYPE_OBJECT,
    FLM_JSON_TYPE_ARRAY,
    FLM_JSON_TYPE_STRING,
    FLM_JSON_TYPE_NUMBER,
    FLM_JSON_TYPE_BOOL,
    FLM_JSON_TYPE_NULL
};

struct flm_json {
    struct flm_source *source;
    struct flm_error *why;
    uint64_t offset;   /* of source->at in the input */
    uint64_t reported; /* progress was reported up to here */
    bool failed;
    bool is_cut;     /* it failed because the input ends too early */
    bool is_pending; /* a value is next */
    bool is_first;   /* the open object or array has had no value yet */

    struct FLM_ARRAY(unsigned char) is_object; /* a bit per level; its count stays 0 */
    size_t depth;
    struct flm_text text; /* of the last string that had escapes */
    struct flm_text key;
};

struct flm_json_number {
    struct flm_bytes text;
    double value;
};

void flm_json_init(struct flm_json *json, struct flm_source *source, struct flm_error *why);

/* Checks that only blanks follow the value, and frees what the parser has. False, and `why`, if
 * anything failed since flm_json_init. */
bool flm_json_finish(struct flm_json *json);

/* Frees it without checking the rest of the input. */
void flm_json_clear(struct flm_json *json);

/* The type of the next value. */
enum flm_json_type flm_json_type(struct flm_json *json);

/* Enters the object or array that is next. It is left when next_key or next_item returns false, or
 * by flm_json_leave, which skips the rest of it. */
bool flm_json_enter_object(struct flm_json *json);
bool flm_json_enter_array(struct flm_json *json);
void flm_json_leave(struct flm_json *json);

/* Whether the innermost open level is an object, not an array. */
bool flm_json_in_object(const struct flm_json *json);

/* Moves to the next value of the open object or array; a value before it that was not read is
 * skipped. False after the last one. A key is valid until the next key. */
bool flm_json_next_key(struct flm_json *json, struct flm_bytes *key);
bool flm_json_next_item(struct flm_json *json);

/* The keys that a reader knows, and, learned while it reads, which one follows which: objects of a
 * kind have their members in one order. `names` has `count` of them, up to FLM_JSON_MOST_KEYS. */
enum {
    FLM_JSON_MOST_KEYS = 16,
    FLM_JSON_KEY_ROOM = 16,                  /* of a key that is known by its text */
    FLM_JSON_NO_KEY = FLM_JSON_MOST_KEYS + 1 /* the object has ended */
};

struct flm_json_keys {
    const struct flm_bytes *names;
    unsigned char count, last;
    struct flm_json_follower {
        unsigned char key, size;               /* of the text; 0: too long, or not known yet */
        char text[FLM_JSON_KEY_ROOM];          /* "key": and zeros */
        unsigned char mask[FLM_JSON_KEY_ROOM]; /* 255 where `text` counts */
    } followers[FLM_JSON_MOST_KEYS + 1][2];    /* of each key; the last ones: of any other */
};

/* flm_json_next_key, for a reader that knows the keys: the index of the next one in `names`; their
 * count if it is none of them, and FLM_JSON_NO_KEY after the last one. The key that is expected is
 * recognized by comparing 16 bytes, and neither found in the text nor among the names. */
size_t flm_json_next_known_key(struct flm_json *json, struct flm_json_keys *keys);

/* Reads the next value, which must be of that type. Texts are valid until the next call. */
bool flm_json_string(struct flm_json *json, struct flm_bytes *text);
bool flm_json_number(struct flm_json *json, struct flm_json_number *number);
bool flm_json_double(struct flm_json *json, double *value);

/* A number as a whole number of its `places`-th decimal place: 1.5 is 1500 for 3 places. False, and
 * nothing is read, where the next value is not a number, is negative, has more decimal places, or
 * is not one that is read quickly: flm_json_number tells then. */
bool flm_json_decimal(struct flm_json *json, int places, int64_t *value);

bool flm_json_integer(struct flm_json *json, int64_t *value); /* exactly */
bool flm_json_bool(struct flm_json *json, bool *value);

/* Reads up to `room` (not 0) items of the open array, each a number or null, and returns how many:
 * 0 after the last one, when it also leaves the array, and after an error. So a column of a table
 * is read as
 *
 *     flm_json_enter_array(&json);
 *     while ((count = flm_json_next_doubles(&json, values, room, 0)) > 0)
 *         add_values(values, count);
 *
 * in half of the time that it takes item by item. */
size_t flm_json_next_doubles(struct flm_json *json, double *values, size_t room, double if_null);
size_t flm_json_next_integers(struct flm_json *json, int64_t *values, size_t room, int64_t if_null);

/* The same for indices: items that are whole numbers below `limit`; another one is an error, which
 * `beyond` says. */
size_t flm_json_next_indices(struct flm_json *json, uint32_t *values, size_t room, uint32_t limit,
                             const char *beyond);

/* The text of an array of numbers, without its '[': {0} at first; the caller clears it. */
struct flm_json_row FLM_ARRAY(char);

/* For arrays of numbers that mostly begin as the one before did, as stacks do: after entering one,
 * skips the items that are the same in `row`, which becomes this array; returns how many. It reads
 * them 16 bytes at a time, and none of them as a number. */
size_t flm_json_skip_repeated(struct flm_json *json, struct flm_json_row *row);

/* Skips the next value, whatever it is and however deep. */
void flm_json_skip(struct flm_json *json);

/* For a value that is JSON, but not the expected one: fails with that reason, at this offset. */
bool flm_json_fail(struct flm_json *json, const char *reason);

/* For a caller that has no memory for a value: fails, as after any other error. */
bool flm_json_fail_memory(struct flm_json *json);

#endif
