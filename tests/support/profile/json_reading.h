/* json_reading.h - what holds of every reader of a JSON format, and of every file of it. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_JSON_READING_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_JSON_READING_H

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static inline void assert_recognized(const struct flm_format *format, const char *name)
{
    struct flm_bytes bytes = file_bytes(name);
    const struct flm_format *found = flm_format_recognize(&flm_formats_pure, bytes, true, NULL);
    if (found != format)
        fail_msg("%s is taken for %s", name, found ? found->name : "nothing");
    free((void *)bytes.at);
}

/* A window that moves shows the same profile. */
static inline void assert_same_through_windows(const struct flm_format *format, const char *name)
{
    struct flm_read_options options = {.keep_times = true};
    struct flm_bytes bytes = file_bytes(name);
    struct flm_profile *whole = read_bytes(format, bytes, &options);
    assert_sound(whole);
    for (size_t step = 1; step < 4000; step = step * 7 + 1) {
        struct flm_profile *p = read_windows(format, bytes, step, &options);
        assert_profiles_equal(p, whole);
        flm_profile_free(p);
    }
    flm_profile_free(whole);
    free((void *)bytes.at);
}

/* Every shortened copy is refused, for being cut off; or is read, where `may_be_read`. Of a large
 * file not every one is tried. */
static inline void assert_shortened(const struct flm_format *format, const char *name,
                                    bool may_be_read)
{
    struct flm_read_options options = {.keep_times = true};
    struct flm_bytes file = file_bytes(name), bytes = flm_bytes_trimmed(file);
    for (size_t size = 0; size < bytes.size; size += size < 3000 ? 1 : 97) {
        struct flm_error why = {0};
        char *copy = malloc(size + 1); /* of its exact size, for sanitizers */
        assert_non_null(copy);
        memcpy(copy, bytes.at, size);
        struct flm_profile *p = try_bytes(format, (struct flm_bytes){copy, size}, &options, &why);
        if (p) {
            assert_sound(p);
            if (!may_be_read)
                fail_msg("%s: the first %zu bytes are read", name, size);
        } else if (!strstr(why.text, "the JSON ends too early") &&
                   !strstr(why.text, "is expected here")) { /* "1." and "nul" */
            fail_msg("%s, %zu bytes: %s", name, size, why.text);
        }
        flm_profile_free(p);
        free(copy);
    }
    free((void *)file.at);
}

struct json_input {
    const struct flm_format *format;
    struct flm_bytes bytes;
    struct flm_read_options options;
};

static inline bool read_json_with_little_memory(void *context, struct flm_error *why)
{
    const struct json_input *input = context;
    struct flm_profile *p = try_bytes(input->format, input->bytes, &input->options, why);
    flm_profile_free(p);
    return p != NULL;
}

static inline void assert_allocations_may_fail(const struct flm_format *format, const char *name)
{
    struct json_input input = {format, file_bytes(name), {0}};
    assert_true(assert_survives_failures(read_json_with_little_memory, &input) > 10);
    input.options = (struct flm_read_options){
        .keep_times = true, .by_thread = true, .locations = true, .lines = true};
    assert_true(assert_survives_failures(read_json_with_little_memory, &input) > 10);
    free((void *)input.bytes.at);
}

/* All of these. */
static inline void assert_laws(const struct flm_format *format, const char *name, bool may_be_cut)
{
    assert_recognized(format, name);
    assert_same_through_windows(format, name);
    assert_shortened(format, name, may_be_cut);
    assert_allocations_may_fail(format, name);
}

#endif
