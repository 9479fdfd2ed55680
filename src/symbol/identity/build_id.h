/* build_id.h - the build id of an executable file: the linker's hash of its contents.
 *
 * A path may have another file by now; a build id identifies the file itself. Files are found,
 * cached and compared by it where there is one. */
#ifndef FLAMEL_SYMBOL_IDENTITY_BUILD_ID_H
#define FLAMEL_SYMBOL_IDENTITY_BUILD_ID_H

#include "base/text/text.h"

enum { FLM_BUILD_ID_MOST = 32 };

struct flm_build_id {
    uint8_t size; /* 0: unknown; GNU ld writes 20 bytes, lld 8 or 20 */
    uint8_t bytes[FLM_BUILD_ID_MOST];
};

/* Older recordings pad a shorter id with zeros to 20 bytes: they are ignored. */
static inline bool flm_build_id_equal(const struct flm_build_id *a, const struct flm_build_id *b)
{
    if (!a->size || !b->size)
        return a->size == b->size;
    for (size_t i = 0; i < FLM_BUILD_ID_MOST; i++)
        if ((i < a->size ? a->bytes[i] : 0) != (i < b->size ? b->bytes[i] : 0))
            return false;
    return true;
}

/* Appends it in hexadecimal, as in file names and `readelf -n`. */
void flm_build_id_print(const struct flm_build_id *id, struct flm_text *out);

/* False when it is not an even number of digits, or too long. */
bool flm_build_id_parse(struct flm_bytes digits, struct flm_build_id *id);

#endif
