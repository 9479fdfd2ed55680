/* text.h - a growing text: every writer of flamel writes into one.
 *
 * Adding never fails visibly: after a failed allocation the text remembers it (`failed`), ignores
 * further additions, and the writer checks once, at the end. With a `sink` the text is a buffer in
 * front of it: full buffers are passed to the sink, so output of any size needs little memory. */
#ifndef FLAMEL_BASE_TEXT_TEXT_H
#define FLAMEL_BASE_TEXT_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/core/bytes.h"
#include "flamel/error.h"

/* Takes the next `size` bytes of the output; false stops the writer (say: the disk is full). */
typedef bool (*flm_sink)(void *context, const void *bytes, size_t size);

struct flm_text {
    char *at; /* owned; not terminated */
    size_t size, capacity;
    flm_sink sink; /* NULL: everything stays in the text */
    void *sink_context;
    uint64_t handed_on; /* bytes that the sink has taken */
    bool fixed;         /* the storage is the caller's: text that does not fit is cut off */
    bool failed;        /* an allocation or the sink failed; later additions are lost */
    bool wants_cuts;    /* the sink compresses: flm_text_cut */
};

/* {0} is an empty text too. */
void flm_text_init(struct flm_text *text, flm_sink sink, void *sink_context);

/* A text in `buffer`, which it never leaves: for messages that must be made when memory ran out.
 * Strings that a format puts into it are shortened in their middle to at most FLM_FIXED_STRING
 * bytes, so that a long name cannot push out the reason that follows it. */
enum { FLM_FIXED_STRING = 120 };
void flm_text_init_fixed(struct flm_text *text, char *buffer, size_t size);
void flm_text_clear(struct flm_text *text);

/* A sink that adds to the text `text`. Large pieces go directly to the sink of that text, not
 * through its buffer. */
bool flm_text_sink(void *text, const void *bytes, size_t size);

/* Passes the rest to the sink. False if anything failed since the start. */
bool flm_text_flush(struct flm_text *text);

/* What follows is unlike what came before, so that their statistics are better kept apart: passes
 * the rest to a sink that wants to know, and then NULL and no bytes. */
void flm_text_cut(struct flm_text *text);

/* Room for `size` more bytes at the end; NULL when it cannot be had. The caller writes there and
 * adds to `size` what it wrote. */
char *flm_text_reserve(struct flm_text *text, size_t size);

void flm_text_add(struct flm_text *text, struct flm_bytes bytes);
/* A name in a sentence, which may hold any byte: shortened in a fixed text, as strings of a format
 * are. */
void flm_text_add_name(struct flm_text *text, struct flm_bytes name);
void flm_text_puts(struct flm_text *text, const char *terminated);
void flm_text_putc(struct flm_text *text, char byte);
void flm_text_repeat(struct flm_text *text, char byte, size_t count);
void flm_text_uint(struct flm_text *text, uint64_t value);

/* The printf formats that error.h lists, and no others. As in C, %.*s writes at most that many
 * bytes and stops at a NUL: bytes that may hold one are added with flm_text_add. */
void flm_text_format(struct flm_text *text, const char *format, ...) FLM_FORMAT(2, 3);
void flm_text_vformat(struct flm_text *text, const char *format, va_list arguments);

#endif
