/* internal.h - what the files of the JSON reader share, and those that take names of functions
 * apart.
 *
 *     json_read.c            values, keys and items, one by one
 *     json_read_string.c     where a string ends, and its escapes
 *     json_read_skip.c       values that nobody reads
 *     json_read_numbers.c    arrays of numbers
 *
 * There is a quick path and a slow one. The quick path looks only at the window, the part of the
 * input that is in memory, and gives up without having done anything where the window ends or the
 * text is unusual or wrong. The slow path reads any text, moves the window and finds the errors.
 * Functions that the quick path calls for each byte or value are inline. */
#ifndef FLAMEL_BASE_TEXT_INTERNAL_H
#define FLAMEL_BASE_TEXT_INTERNAL_H

#include "base/number/quick.h"
#include "base/text/json_read.h"

enum {
    FLM_JSON_REPORT_EVERY = 4 << 20, /* bytes between two reports of progress */
    FLM_JSON_QUICK_BYTES = 64        /* the slow path reads what is closer to the window's end */
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* flm_json_peek, beyond the window. */
int flm_json_peek_more(struct flm_json *json, size_t ahead);

/* Skips blanks, which may go beyond the window, like flm_json_peek_solid. */
int flm_json_skip_to_solid(struct flm_json *json);

/* Reports progress. */
void flm_json_report(struct flm_json *json);

/* Fails because the input ends too early; false. */
bool flm_json_fail_cut(struct flm_json *json);

/* The byte at `ahead` from here; -1 at the end of the input and after an error. */
static inline int flm_json_peek(struct flm_json *json, size_t ahead)
{
    const struct flm_source *source = json->source;
    if ((size_t)(source->end - source->at) > ahead && !json->failed)
        return (unsigned char)source->at[ahead];
    return flm_json_peek_more(json, ahead);
}

static inline void flm_json_advance(struct flm_json *json, size_t size)
{
    json->source->at += size;
    json->offset += size;
    if (json->offset - json->reported > FLM_JSON_REPORT_EVERY)
        flm_json_report(json);
}

static inline bool flm_json_is_blank(int byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static inline const char *flm_json_skip_blanks(const char *at, const char *end)
{
    while (at < end && flm_json_is_blank(*at))
        at++;
    return at;
}

/* Skips blanks; returns the byte after them, or -1. */
static inline int flm_json_peek_solid(struct flm_json *json)
{
    int byte = flm_json_peek(json, 0);
    return byte > ' ' ? byte : flm_json_skip_to_solid(json);
}

/* ---- Open objects and arrays ----------------------------------------------------------------- */

/* Another level, for which is_object has room. */
static inline void flm_json_push(struct flm_json *json, bool is_object)
{
    unsigned char *byte = &json->is_object.at[json->depth / 8],
                  bit = (unsigned char)(1 << json->depth % 8);
    *byte = (unsigned char)(is_object ? *byte | bit : *byte & ~bit);
    json->depth++;
}

/* Whether the innermost open level, of which there must be one, is an object. */
static inline bool flm_json_innermost_is_object(const struct flm_json *json)
{
    size_t level = json->depth - 1;
    return json->is_object.at[level / 8] >> level % 8 & 1;
}

/* Moves to the next item, or to the value of the next key; false after the last one, when it also
 * leaves the object or array. */
bool flm_json_step(struct flm_json *json);

/* Skips the next value, which is neither an object nor an array. */
void flm_json_skip_scalar(struct flm_json *json);

/* ---- Numbers and words ----------------------------------------------------------------------- */

/* A byte that a number, true, false or null may have. */
static inline bool flm_json_is_word_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '+' || byte == '-' || byte == '.';
}

/* Reads the number at `at` of a window that ends at `end`. False: the slow path reads it. */
static inline bool flm_json_is_quick(const char *at, const char *end,
                                     struct flm_quick_number *number)
{
    return end - at > FLM_QUICK_BYTES && flm_quick_number(at, number) &&
           !flm_json_is_word_byte(*number->end);
}

/* The same for a whole number. */
static inline bool flm_json_is_quick_integer(const char *at, const char *end, int64_t *value,
                                             const char **number_end)
{
    struct flm_quick_number quick;
    if (!flm_json_is_quick(at, end, &quick) || quick.exponent != 0 || quick.digits > INT64_MAX)
        return false;
    *value = quick.negative ? -(int64_t)quick.digits : (int64_t)quick.digits;
    *number_end = quick.end;
    return true;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/* The string that begins at the current position. */
struct flm_json_quoted {
    size_t size; /* with both quotes */
    bool has_escapes;
};

/* Finds its end, and moves the window until the string is in it. */
bool flm_json_find_string(struct flm_json *json, struct flm_json_quoted *string);

/* Reads the string that flm_json_find_string found, and moves past it. */
bool flm_json_take_string(struct flm_json *json, const struct flm_json_quoted *string,
                          struct flm_bytes *text);

/* ---- Names of functions ---------------------------------------------------------------------- */

static inline bool flm_name_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool flm_name_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool flm_name_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || flm_name_is_upper(c) || flm_name_is_digit(c) || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static inline bool flm_name_is_hex(char c)
{
    return flm_name_is_digit(c) || (c >= 'a' && c <= 'f');
}

static inline bool flm_name_is_among(char c, const char *letters)
{
    return memchr(letters, c, strlen(letters)) != NULL;
}

static inline struct flm_bytes flm_name_part(struct flm_bytes name, size_t from, size_t to)
{
    return (struct flm_bytes){name.at + from, to - from};
}

/* Whether `list`, words separated by spaces, has the word. */
static inline bool flm_name_is_one_of(struct flm_bytes word, const char *list)
{
    while (*list) {
        size_t size = 0;
        while (list[size] && list[size] != ' ')
            size++;
        if (size == word.size && memcmp(list, word.at, size) == 0)
            return true;
        list += size + (list[size] == ' ');
    }
    return false;
}

static inline size_t flm_name_word_end(struct flm_bytes name, size_t at)
{
    while (at < name.size && flm_name_is_word(name.at[at]))
        at++;
    return at;
}

/* The parts of a name, found by reading it once from left to right. */
struct flm_name_reading {
    struct flm_bytes name;
    size_t start;      /* after a prefix of the name: "LazyCompile:*", a result type */
    size_t end;        /* as in flm_name_parts */
    size_t component;  /* where the last component begins */
    size_t previous;   /* and the one before it */
    size_t first_end;  /* where the first component ends; 0: there is only one */
    size_t path_end;   /* past the last '/'; 0: there is none */
    size_t location;   /* where a file follows the name; 0: there is none */
    size_t module_end; /* where "module`" or "module!" ends; 0: there is none */
    size_t arguments;  /* the last '(' that does not follow a blank; 0: there is none */
    size_t cut;        /* the '<' or '(' of arguments that never end; 0: there is none */
    size_t address;    /* the '+' between a module and an address in it; 0: there is none */
    size_t nameless;   /* the bracket of a closure in the last component; 0: there is none */
    bool broken;       /* a bracket is never closed: brackets are ordinary from there on */
};

struct flm_name_reading flm_name_read(struct flm_bytes name);

/* The size of "12" or "12:3" with the colon before it, at the end of `text`. */
size_t flm_line_number_size(struct flm_bytes text);

#endif
