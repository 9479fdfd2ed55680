#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flm_format *format = &flm_format_rocprof_json;
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_read_options options = {.keep_times = size % 2, .by_thread = size % 3 == 0};
    format->sniff(all, size % 2 == 0);

    struct flm_profile *whole = profile_of_bytes(format, all, &options);
    promise_same_through_windows(format, all, 1 + size % 61, &options, whole);
    flm_profile_free(whole);
    return 0;
}
