/* error.h - what went wrong, where, and how to repair it.
 *
 * The caller owns the error and may pass NULL. A function that fails returns NULL or false and
 * fills it; each level that passes it on puts its context in front:
 *
 *     app.folded: line 812: the value 'x7' is not a number
 *     [  file   ] [ where ] [        reason, remedy      ]
 *
 * Where a remedy is an option, it has the name that the command gives it: --threshold for the
 * field `threshold` of a struct of options.
 *
 * Programs decide by `kind`. For people, print `text` behind the name of your program:
 *
 *     fprintf(stderr, "%s: %s\n", program, why.text);
 *
 * The text is complete: the line or the byte offset is in it ("line 812: "), and so is the file's
 * name where the function opened the file. Do not print `line` and `offset` again; they are there
 * for programs that jump to the location. The program's name, the kind and a newline are not in
 * it. It is at most 399 bytes long, without control characters, and in UTF-8 where names are. */
#ifndef FLAMEL_ERROR_H
#define FLAMEL_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum flm_error_kind {
    FLM_ERROR_NONE,
    FLM_ERROR_MEMORY,  /* an allocation failed */
    FLM_ERROR_FORMAT,  /* the input is malformed */
    FLM_ERROR_RANGE,   /* a number that cannot be kept exactly, or an index out of its table */
    FLM_ERROR_UNIT,    /* values of different units cannot be combined */
    FLM_ERROR_USAGE,   /* the caller requested something impossible */
    FLM_ERROR_SYSTEM,  /* a file or a stream failed */
    FLM_ERROR_CANCELED /* the caller's progress function said stop */
};

struct flm_error {
    enum flm_error_kind kind;
    uint64_t line;   /* of a text input, from 1; 0: no line */
    uint64_t offset; /* byte in the input; meaningful where `line` is 0 */
    char text[400];  /* one sentence, always terminated, at most 399 bytes */
};

#if defined(__GNUC__)
#define FLM_FORMAT(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define FLM_FORMAT(format_index, first)
#endif

/* These fill `why` (when it is not NULL) and return false, so that a failing function can
 * `return flm_error_set(...)`. The format knows %s %.*s %c %d %i %u %x with l, ll, z, and %%; no
 * more. As in C, %.*s reads at most that many bytes and stops at a NUL. A string of more than 120
 * bytes is shortened in its middle, so that a long name does not push out the reason behind it. A
 * text of more than 399 bytes is cut off at the end. Control bytes, which a terminal would act on,
 * become '?'. */
bool flm_error_set(struct flm_error *why, enum flm_error_kind kind, const char *format, ...)
    FLM_FORMAT(3, 4);

/* The same, at a line of a text (from 1), or at a byte offset of a binary input. The text then
 * begins with "line 812: " or "byte 4096: ". */
bool flm_error_line(struct flm_error *why, enum flm_error_kind kind, uint64_t line,
                    const char *format, ...) FLM_FORMAT(4, 5);
bool flm_error_byte(struct flm_error *why, enum flm_error_kind kind, uint64_t offset,
                    const char *format, ...) FLM_FORMAT(4, 5);

/* Gives an error of flm_error_line another line, for a text that was read in chunks; and one of
 * flm_error_byte another offset, for a part of a text. Other errors stay. */
void flm_error_move_line(struct flm_error *why, uint64_t line);
void flm_error_move_byte(struct flm_error *why, uint64_t offset);

/* Appends to the sentence: a list of possible values, say, which must not be shortened as the
 * strings of a format are. Cut off where the text is full. Returns false. */
bool flm_error_add(struct flm_error *why, const char *text);

/* "out of memory": what every failed allocation reports. */
bool flm_error_memory(struct flm_error *why);

/* Puts `what` and ": " in front of the text: the file's name, the operation's. Returns false. */
bool flm_error_within(struct flm_error *why, const char *what);

#ifdef __cplusplus
}
#endif

#endif
