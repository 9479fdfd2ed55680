/* output.h - a file or standard output as a text to write to.
 *
 * A file is written under another name in the same folder and renamed when it is complete, so
 * nobody ever sees half of one, and a failure leaves the old one as it was. Where that is
 * impossible (a device, a folder without write permission) it is written directly. */
#ifndef FLAMEL_OS_OUTPUT_H
#define FLAMEL_OS_OUTPUT_H

#include "base/text/text.h"

struct flm_output {
    struct flm_text text; /* its bytes are written to the file */
    int file;
    int error;       /* errno of the first failed write */
    char *temporary; /* NULL: written directly */
    char *target;    /* its final name: that of the file itself, where `path` is a link */
    const char *path;
};

/* "-" is standard output. `path` must stay. */
bool flm_output_open(struct flm_output *output, const char *path, struct flm_error *why);

/* Writes the rest and closes. `good`: whether the content is complete; else the file is removed,
 * and `why` stays the caller's, unless writing failed. */
bool flm_output_close(struct flm_output *output, bool good, struct flm_error *why);

/* The name that the file has until it is complete, terminated: for a signal handler that ends the
 * program meanwhile. False if memory ran out. */
bool flm_output_temporary_name(const char *path, struct flm_text *name);

#endif
