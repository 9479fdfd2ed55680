/* pictures.h - the formats that are drawn: written, never read. One line each in the table. */
#ifndef FLAMEL_LOAD_PICTURES_H
#define FLAMEL_LOAD_PICTURES_H

#include "flamel/draw.h"

struct flm_picture_format {
    const char *name;        /* "svg": what -t takes */
    const char *extensions;  /* ".svg": what -o looks at */
    const char *description; /* one line for `flamel formats` */
    bool (*write)(const struct flm_profile *profile, const struct flm_svg_options *options,
                  flm_profile_sink sink, void *context, struct flm_error *why);
    bool is_built; /* else writing it says what is missing */
};

const struct flm_picture_format *flm_picture_formats(size_t *count);

/* By name, or by the end of a file's name; NULL if there is none. */
const struct flm_picture_format *flm_picture_format_named(const char *name);
const struct flm_picture_format *flm_picture_format_for_file(const char *file_name);

#endif
