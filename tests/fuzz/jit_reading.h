/* jit_reading.h - what is promised of code that was read from anything: asked anywhere, at any
 * time, it answers with texts that can be read. */
#ifndef FLAMEL_TESTS_FUZZ_JIT_READING_H
#define FLAMEL_TESTS_FUZZ_JIT_READING_H

#include <stdlib.h>

#include "flamel/profile.h"
#include "record/runtime/internal.h"

static inline void promise(bool kept)
{
    if (!kept)
        abort();
}

static inline void promise_answers_at(const struct flm_jit_code *code, uint64_t address,
                                      int64_t time_ns)
{
    enum { MOST = 4 };
    struct flm_jit_frame frames[MOST];
    size_t count = flm_jit_code_lookup(code, address, time_ns, frames, MOST), bytes = 0;
    promise(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        promise(frames[i].kind < FLM_KIND_COUNT);
        for (size_t at = 0; at < frames[i].function.size; at++)
            bytes += frames[i].function.at[at] != 0;
        for (size_t at = 0; at < frames[i].file.size; at++)
            bytes += frames[i].file.at[at] != 0;
    }
    promise(bytes <= 2 * MOST * (code->text.size + sizeof "(anonymous)"));
}

static inline void promise_answers(const struct flm_jit_code *code)
{
    static const int64_t times[] = {INT64_MIN, 0, 1000, INT64_MAX};
    for (size_t i = 0; i < code->regions.count && i < 64; i++)
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++) {
            const struct flm_jit_region *region = &code->regions.at[i];
            struct flm_jit_frame frame;
            promise_answers_at(code, region->start, times[t]);
            promise_answers_at(code, region->last, times[t]);
            promise_answers_at(code, region->last + 1, times[t]);
            promise(flm_jit_code_lookup(code, region->start, times[t], &frame, 1) == 1);
        }
}

#endif
