/* reading.h - from bytes, however they come, to a profile: what the command and the page share.
 *
 *     source -> UTF-16, byte order mark -> recognized -> read into a builder -> profile
 *                                                    \-> used as a whole (.flm, packed)
 *
 * In two steps, because between them the command may decide to read a file in pieces. */
#ifndef FLAMEL_FORMAT_CORE_READING_H
#define FLAMEL_FORMAT_CORE_READING_H

#include "format/core/format.h"

struct flm_reading {
    struct flm_source *source;       /* what is read: the one that was given, or `text` */
    struct flm_read_options options; /* as they are after `prepare` */
    const struct flm_format *format;
    struct flm_bytes head; /* the first bytes, behind a mark */
    size_t mark_size;      /* of the byte order mark that was passed over */
    char *converted;       /* from UTF-16: all of the input */
    struct flm_source text;
};

/* Finds out what it is; `format`: the name of what it is said to be, or NULL. Clear it in any
 * case. */
bool flm_reading_begin(struct flm_reading *reading, struct flm_source *source, const char *format,
                       const struct flm_read_options *options, struct flm_error *why);

/* Reads all of it. NULL, and `why`, when that failed. */
struct flm_profile *flm_reading_finish(struct flm_reading *reading, struct flm_error *why);

void flm_reading_clear(struct flm_reading *reading);

#endif
