/* output.h - a file or standard output as a text to write to.
 *
 * A file is written under another name beside its place and renamed when all of it is there, so
 * nobody ever sees half of one, and a failure leaves the old one as it was. Where that cannot be (a
 * device, a folder that one may not write to) it is written in place. */
#ifndef FLAMEL_OS_OUTPUT_H
#define FLAMEL_OS_OUTPUT_H

#include "base/text/text.h"

struct flm_output {
    struct flm_text text; /* what is added here is written */
    int file;
    int error;       /* errno of the first failed write */
    char *temporary; /* NULL: written in place */
    char *target;    /* what it is renamed to: the file itself, where `path` is a link */
    const char *path;
};

/* "-" is standard output. `path` must stay. */
bool flm_output_open(struct flm_output *output, const char *path, struct flm_error *why);

/* Ends it. `good`: whether what was written is whole; else the file is dropped, and the error is
 * the writer's, unless it was writing that failed. */
bool flm_output_close(struct flm_output *output, bool good, struct flm_error *why);

#endif
