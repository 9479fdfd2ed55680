/* zstd.h - a text whose bytes go to another one, compressed. */
#ifndef FLAMEL_OS_ZSTD_H
#define FLAMEL_OS_ZSTD_H

#include "base/text/text.h"

struct flm_zstd {
    struct flm_text text; /* its bytes are compressed */
    struct flm_text *out;
    void *stream;
    char *buffer;
    size_t since_cut; /* bytes */
    bool damaged;     /* zstd failed, not the text `out` */
};

bool flm_zstd_open(struct flm_zstd *zstd, struct flm_text *out, struct flm_error *why);

/* Writes the rest. False, and `why`, when memory ran out, or when `out` failed, whose owner knows
 * the reason. */
bool flm_zstd_close(struct flm_zstd *zstd, struct flm_error *why);

#endif
