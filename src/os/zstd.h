/* zstd.h - a text whose bytes are compressed on their way to another one. */
#ifndef FLAMEL_OS_ZSTD_H
#define FLAMEL_OS_ZSTD_H

#include "base/text/text.h"

struct flm_zstd {
    struct flm_text text; /* what is added here is compressed */
    struct flm_text *out;
    void *stream;
    char *buffer;
    bool damaged; /* zstd failed, not what it writes to */
};

bool flm_zstd_open(struct flm_zstd *zstd, struct flm_text *out, struct flm_error *why);

/* Writes what is left. False, and `why`, when memory ran out; a failure of `out` is its own to
 * tell: false as well, and `why` says that. */
bool flm_zstd_close(struct flm_zstd *zstd, struct flm_error *why);

#endif
