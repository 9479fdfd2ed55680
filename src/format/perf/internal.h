/* internal.h - shared by the readers of perf's texts: perf script, perf report and perf's JSON. */
#ifndef FLAMEL_FORMAT_PERF_INTERNAL_H
#define FLAMEL_FORMAT_PERF_INTERNAL_H

#include "base/core/bytes.h"
#include "flamel/builder.h"

/* ---- Metadata: "# hostname : box" (comment.c) ------------------------------------------------ */

/* The key of our note for one of perf's keys ("cmdline": "command"), or NULL: most are not kept. */
const char *flm_perf_note_key(struct flm_bytes perf_key);

/* Adds the note of a line that begins with '#', if it has one. */
void flm_perf_comment_read(struct flm_builder *builder, struct flm_bytes line);

/* ---- Recognizing perf script (sniff.c) ------------------------------------------------------- */

/* `sniff` and `cut` of the format. A text may be cut after a blank line, and before a header that
 * has a time, which always begins a sample. */
int flm_perf_script_sniff(struct flm_bytes head, bool whole);
size_t flm_perf_script_cut(struct flm_bytes all, size_t wanted);

/* ---- Parts of lines -------------------------------------------------------------------------- */

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
