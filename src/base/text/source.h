/* source.h - the bytes that a reader reads, however they come.
 *
 * A reader sees a window [at, end) of its input and moves `at` forward. A mapped file is one
 * window; a pipe, or a file that is being decompressed, is a window that `more` extends: what the
 * reader has not passed stays, at another address. So a reader of lines needs memory for a line,
 * not for the file, and the same reader serves a file, a pipe and the browser. */
#ifndef FLAMEL_BASE_TEXT_SOURCE_H
#define FLAMEL_BASE_TEXT_SOURCE_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_source {
    const char *at, *end;
    bool last; /* nothing comes behind `end` */

    /* Appends to the window, or sets `last`. False, and `why`, when the stream failed. NULL for a
     * window that is all. */
    bool (*more)(struct flm_source *source, struct flm_error *why);

    /* Told now and then how far reading is; false stops it. May be NULL. */
    bool (*progress)(void *context, uint64_t bytes);
    void *progress_context;
    uint64_t passed; /* bytes that the reader has reported */
};

static inline struct flm_source flm_source_of(struct flm_bytes all)
{
    const char *at = all.at ? all.at : ""; /* nothing may lie nowhere */
    return (struct flm_source){.at = at, .end = at + all.size, .last = true};
}

/* Extends the window; false when it failed. At the end of the input it succeeds and sets `last`. */
static inline bool flm_source_more(struct flm_source *source, struct flm_error *why)
{
    if (!source->more)
        source->last = true;
    return source->last || source->more(source, why);
}

/* Makes the window begin with at least `size` bytes, or all there are. */
bool flm_source_fill(struct flm_source *source, size_t size, struct flm_error *why);

/* Makes the window the whole rest of the input, for readers that cannot go line by line. */
bool flm_source_all(struct flm_source *source, struct flm_error *why);

/* The memory of a source whose bytes arrive piece by piece. {0} is empty; the caller frees `at`. */
struct flm_source_window {
    char *at;
    size_t capacity;
    size_t first, largest; /* how large it is at first, and how large it may become */
};

/* Makes room behind what the reader has not passed: that moves to the front of the window, which
 * becomes larger where that fills more than half of it: twice as large, or by `expected` bytes and
 * one where it is known how much is still to come (0: it is not). The caller appends up to
 * `capacity` - (source->end - source->at) bytes at source->end, and moves that.
 *
 * False, and `why`, without memory, and when more than `largest` bytes would be needed. */
bool flm_source_make_room(struct flm_source *source, struct flm_source_window *window,
                          uint64_t expected, struct flm_error *why);

/* What a reader calls every few megabytes. False, and `why`, when the caller wants to stop. */
bool flm_source_progress(struct flm_source *source, uint64_t bytes, struct flm_error *why);

#endif
