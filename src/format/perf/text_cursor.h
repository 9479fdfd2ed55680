/* text_cursor.h - blanks, digits and parts of lines, for the readers of perf's texts. */
#ifndef FLAMEL_FORMAT_PERF_TEXT_CURSOR_H
#define FLAMEL_FORMAT_PERF_TEXT_CURSOR_H

#include "base/core/bytes.h"

static inline bool flm_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static inline bool flm_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Lower case, as perf writes addresses. */
static inline bool flm_is_hex(char byte)
{
    return flm_is_digit(byte) || (byte >= 'a' && byte <= 'f');
}

static inline struct flm_bytes flm_between(const char *start, const char *end)
{
    return (struct flm_bytes){start, (size_t)(end - start)};
}

/* Without blanks at either end. */
static inline struct flm_bytes flm_trimmed(const char *start, const char *end)
{
    while (start < end && flm_is_blank(*start))
        start++;
    while (end > start && flm_is_blank(end[-1]))
        end--;
    return flm_between(start, end);
}

#endif
