/* writing.h - what must hold of every writer of a format. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_WRITING_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_WRITING_H

#include "format/core/format.h"
#include "support/core/failures.h"

struct writer_work {
    const struct flm_format *format;
    const struct flm_profile *profile;
};

static inline bool writer_writes(void *context, struct flm_error *why)
{
    const struct writer_work *w = context;
    struct flm_text out = {0};
    bool good = w->format->write(w->profile, &(struct flm_write_options){0}, &out, why);
    if (good && out.failed)
        good = flm_error_memory(why);
    flm_text_clear(&out);
    return good;
}

/* Returns how many allocations writing takes, each of which failed once. */
static inline size_t assert_writing_survives_failures(const struct flm_format *format,
                                                      const struct flm_profile *profile)
{
    struct writer_work work = {format, profile};
    return assert_survives_failures(writer_writes, &work);
}

#endif
