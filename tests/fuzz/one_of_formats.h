/* one_of_formats.h - an input for several formats: read as the one that recognizes it, or else as
 * any of them. */
#ifndef FLAMEL_TESTS_FUZZ_ONE_OF_FORMATS_H
#define FLAMEL_TESTS_FUZZ_ONE_OF_FORMATS_H

#include "fuzz/perf_reading.h"

static inline int read_as_one_of(const struct flm_format *const *formats, size_t count,
                                 const uint8_t *data, size_t size)
{
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    const struct flm_format *format = formats[size % count];
    int best = 0;
    for (size_t i = 0; i < count; i++) {
        int certainty = formats[i]->sniff(all, size % 2 == 0);
        if (certainty > best) {
            best = certainty;
            format = formats[i];
        }
    }
    struct flm_read_options options = {.keep_times = size % 2, .by_thread = size % 3 == 0};
    struct flm_profile *whole = profile_of_bytes(format, all, &options);
    promise_same_through_windows(format, all, 1 + size % 61, &options, whole);
    flm_profile_free(whole);
    return 0;
}

#endif
