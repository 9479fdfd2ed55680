/* source.h - the input of a reader: memory, a file, a pipe or a decompressor.
 *
 * A reader sees a window [at, end) of its input and moves `at` forward. A mapped file is one
 * window; a pipe, or a file that is being decompressed, is a window that `more` extends: bytes that
 * the reader has not passed stay in it, at another address. So a reader of lines needs memory for a
 * line, not for the file, and the same reader works for a file, a pipe and the browser. */
#ifndef FLAMEL_BASE_TEXT_SOURCE_H
#define FLAMEL_BASE_TEXT_SOURCE_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_source {
    const char *at, *end;
    bool last;  /* nothing follows `end` */
    bool whole; /* the reader wants the rest as a whole, which may be more than a line may be */

    /* Appends to the window, or sets `last`. False, and `why`, when the stream failed. NULL for a
     * window with the whole input. */
    bool (*more)(struct flm_source *source, struct flm_error *why);

    /* Called now and then with the progress of reading; false stops it. May be NULL. */
    bool (*progress)(void *context, uint64_t bytes);
    void *progress_context;
    uint64_t passed; /* bytes that the reader has reported */
};

static inline struct flm_source flm_source_of(struct flm_bytes all)
{
    const char *at = all.at ? all.at : ""; /* `all` may be empty, with a NULL address */
    return (struct flm_source){.at = at, .end = at + all.size, .last = true};
}

/* Extends the window; false when it failed. At the end of the input it succeeds and sets `last`. */
static inline bool flm_source_more(struct flm_source *source, struct flm_error *why)
{
    if (!source->more)
        source->last = true;
    return source->last || source->more(source, why);
}

/* Extends the window until it has at least `size` bytes, or the rest of the input. */
bool flm_source_fill(struct flm_source *source, size_t size, struct flm_error *why);

/* Makes the window the whole rest of the input, for readers that cannot go line by line. */
bool flm_source_all(struct flm_source *source, struct flm_error *why);

/* The memory of a source whose bytes arrive chunk by chunk. {0} is empty; the caller frees `at`. */
struct flm_source_window {
    char *at;
    size_t capacity;
    size_t first, largest; /* its first size, and the largest it may have */
    size_t largest_whole;  /* the same for a reader that wants the rest as a whole; 0: `largest` */
};

/* Makes room at the end of the window. Bytes that the reader has not passed move to its front. If
 * they fill more than half of it, it grows: to twice its size, or, where the caller knows how many
 * bytes are `expected` (0: it does not), by these and one. The caller appends up to `capacity` -
 * (source->end - source->at) bytes at source->end, and advances source->end.
 *
 * False, and `why`, when memory ran out or more than `largest` bytes would be needed. */
bool flm_source_make_room(struct flm_source *source, struct flm_source_window *window,
                          uint64_t expected, struct flm_error *why);

/* A reader calls this every few megabytes. False, and `why`, when the caller wants to stop. */
bool flm_source_progress(struct flm_source *source, uint64_t bytes, struct flm_error *why);

#endif
