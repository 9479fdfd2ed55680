#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct flm_format *const formats[] = {&flm_format_cpuprofile,
                                                       &flm_format_heapprofile,
                                                       &flm_format_heaptimeline, &flm_format_v8log};
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_read_options options = {.keep_times = size % 2,
                                       .locations = size % 2 == 0 || size % 3 == 0,
                                       .lines = size % 3 == 0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        formats[i]->sniff(all, size % 2 == 0);
        struct flm_profile *whole = profile_of_bytes(formats[i], all, &options);
        promise_same_through_windows(formats[i], all, 1 + size % 61, &options, whole);
        flm_profile_free(whole);
    }
    return 0;
}
