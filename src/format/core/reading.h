/* reading.h - from a stream of bytes to a profile: shared by the library and the page.
 *
 *     source -> UTF-16, byte order mark -> recognized -> read into a builder -> profile
 *                                                    \-> opened as a whole (.flm, packed)
 *
 * It has two steps, because between them load/load.c may decide to read a file in chunks, to use it
 * in place, or to pass it to a format that needs the system. */
#ifndef FLAMEL_FORMAT_CORE_READING_H
#define FLAMEL_FORMAT_CORE_READING_H

#include "format/core/format.h"
#include "profile/internal.h"

struct flm_reading {
    struct flm_source *source;       /* the one that is read: the caller's, or of converted text */
    struct flm_read_options options; /* as `prepare` has left them */
    const struct flm_format *format;
    bool is_certain;        /* the input has at least its shape (FLM_SNIFF_LIKELY) */
    struct flm_bytes head;  /* the first bytes, after a byte order mark */
    size_t mark_size;       /* size of the byte order mark, which was skipped */
    bool dropped_locations; /* flm_reading_finish had locations that the options do not keep */
    char *converted;        /* all of the input, converted from UTF-16 */
    struct flm_source text;

    /* For flm_reading_explain, which hardly any reading needs: asking all formats took half of the
     * time of a small file. */
    const struct flm_formats *formats;
    bool is_named, is_whole; /* the format was named; `head` is all of the input */
    char *kept_head;         /* a copy of `head`, as the window moves; NULL: nothing to explain */
};

/* Finds the format: the one with the name `format`, or, if that is NULL, the one that recognizes
 * the input. Clear `reading` in any case. */
bool flm_reading_begin(struct flm_reading *reading, const struct flm_formats *formats,
                       struct flm_source *source, const char *format,
                       const struct flm_read_options *options, struct flm_error *why);

/* What a builder that reads with these options does with the locations of frames. */
enum flm_builder_locations flm_reading_locations(const struct flm_read_options *options);

/* Reads all of it with `read` or `open` of the format. NULL, and `why`, when that failed. */
struct flm_profile *flm_reading_finish(struct flm_reading *reading, struct flm_error *why);

/* After a failure: adds to `why` what else the input could be, from flm_format_others, if its
 * format was recognized, and not for certain; if it was named, and the input is not like it: what
 * it is like. */
void flm_reading_explain(const struct flm_reading *reading, struct flm_error *why);

void flm_reading_clear(struct flm_reading *reading);

#endif
