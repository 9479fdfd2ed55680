#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flm_format *format = &flm_format_pprof;
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_read_options options = {.keep_times = size % 2,
                                       .locations = size % 2 == 0 || size % 3 == 0,
                                       .lines = size % 3 == 0,
                                       .by_thread = size % 5 == 0,
                                       .lenient = size % 7 == 0};
    format->sniff(all, size % 2 == 0);
    flm_profile_free(profile_of_bytes(format, all, &options));

    struct flm_read_options for_store = {.unordered = true};
    struct flm_source source = flm_source_of(all);
    flm_profile_free(format->read_unordered(&source, &for_store));
    return 0;
}
