/* windows.h - a text as a source whose window grows in steps.
 *
 * Every window is a block of its own of exactly its size, and the one before is freed: a reader
 * that keeps a pointer into it, or looks past its end, is seen by the address sanitizer. */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_WINDOWS_H
#define FLAMEL_TESTS_SUPPORT_CORE_WINDOWS_H

#include "base/text/source.h"

struct windows {
    struct flm_source source; /* what a reader is given */
    struct flm_bytes left;    /* what has not come yet */
    size_t step;              /* bytes at a time; 0: by chance, 1 to 100 */
    uint64_t random;
    bool last_comes_alone; /* the end is reported by a further, empty step */
    char *block;
};

void windows_init(struct windows *w, struct flm_bytes all, size_t step);
void windows_clear(struct windows *w);

#endif
