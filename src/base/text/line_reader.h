/* line_reader.h - the lines of an input, one after the other.
 *
 *     struct flm_line_reader lines = {.source = source, .why = why};
 *     struct flm_bytes line;
 *     while (flm_line_next(&lines, &line))
 *         ...                                  a line without its end; lines.number counts from 1
 *     return !lines.failed;
 *
 * A line ends with "\n" or "\r\n", the last one perhaps with neither. It is valid until the next
 * call. Memory is needed for the longest line, not for the input; progress is reported. */
#ifndef FLAMEL_BASE_TEXT_LINE_READER_H
#define FLAMEL_BASE_TEXT_LINE_READER_H

#include "base/text/source.h"

struct flm_line_reader {
    struct flm_source *source;
    struct flm_error *why;
    uint64_t number;   /* of the line that was returned last */
    bool failed;       /* the stream failed, or its reader was stopped: `why` says it */
    bool is_ended;     /* the line that was returned last has an end: it was not cut off */
    bool is_repeated;  /* the next call returns the same line again */
    size_t size;       /* of that line in the window, with its end; it is passed by the next call */
    size_t unreported; /* bytes since progress was reported */
};

/* False at the end of the input, and when it failed. */
bool flm_line_next(struct flm_line_reader *lines, struct flm_bytes *line);

/* Makes the next call return the line that was returned last once more: for a reader that sees only
 * then that a line belongs to the next block. */
void flm_line_repeat(struct flm_line_reader *lines);

/* What the window has behind the line that was returned last, for a reader that knows how to read
 * many short lines at once. It says with flm_line_took how many it has read: whole ones. */
static inline struct flm_bytes flm_line_ahead(const struct flm_line_reader *lines)
{
    const char *at = lines->source->at + lines->size;
    return (struct flm_bytes){at, (size_t)(lines->source->end - at)};
}

static inline void flm_line_took(struct flm_line_reader *lines, uint64_t count, size_t bytes)
{
    lines->number += count;
    lines->size += bytes;
}

#endif
