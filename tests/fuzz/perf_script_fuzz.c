#include "fuzz/perf_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double samples_of(const struct flm_profile *p)
{
    return flm_profile_total(p, flm_profile_metric_named(p, "samples"));
}

/* Cut in two, it has as many samples; unless a part is refused, for having none. */
static void promise_same_in_two(struct flm_bytes all, const struct flm_profile *whole)
{
    const struct flm_format *format = &flm_format_perf_script;
    struct flm_read_options options = {.lenient = true};
    size_t at = format->cut(all, all.size / 2);
    promise(at <= all.size && (at > all.size / 2 || all.size == 0));
    struct flm_profile *first = profile_of_bytes(format, (struct flm_bytes){all.at, at}, &options);
    struct flm_profile *second =
        profile_of_bytes(format, (struct flm_bytes){all.at + at, all.size - at}, &options);
    if (whole && first && second)
        promise(samples_of(first) + samples_of(second) == samples_of(whole));
    flm_profile_free(first);
    flm_profile_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct flm_format *format = &flm_format_perf_script;
    struct flm_bytes all = {size > 0 ? (const char *)data : "", size}; /* no file is NULL */
    struct flm_read_options options = {.lenient = size % 2, .keep_times = size % 3 == 0};
    format->sniff(all, size % 2 == 0);

    struct flm_profile *whole = profile_of_bytes(format, all, &options);
    promise_same_through_windows(format, all, 1 + size % 61, &options, whole);
    if (options.lenient)
        promise_same_in_two(all, whole);
    flm_profile_free(whole);
    return 0;
}
