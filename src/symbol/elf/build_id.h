/* build_id.h - what names the contents of an executable file: the linker's hash of them.
 *
 * A path says where a file was, its build id which one it was. Everything that is found, kept or
 * compared in this folder goes by it where there is one. */
#ifndef FLAMEL_SYMBOL_ELF_BUILD_ID_H
#define FLAMEL_SYMBOL_ELF_BUILD_ID_H

#include "base/text/text.h"

enum { FLM_BUILD_ID_MOST = 32 };

struct flm_build_id {
    uint8_t size; /* 0: not known; GNU ld writes 20 bytes, lld 8 or 20 */
    uint8_t bytes[FLM_BUILD_ID_MOST];
};

/* Older recordings have 20 bytes, with zeros behind an id that is shorter: those do not count. */
static inline bool flm_build_id_equal(const struct flm_build_id *a, const struct flm_build_id *b)
{
    if (!a->size || !b->size)
        return a->size == b->size;
    for (size_t i = 0; i < FLM_BUILD_ID_MOST; i++)
        if ((i < a->size ? a->bytes[i] : 0) != (i < b->size ? b->bytes[i] : 0))
            return false;
    return true;
}

/* In hexadecimal digits, as file names and `readelf -n` have it. */
void flm_build_id_print(const struct flm_build_id *id, struct flm_text *out);

/* False for what is not an even number of digits, or too many. */
bool flm_build_id_parse(struct flm_bytes digits, struct flm_build_id *id);

#endif
