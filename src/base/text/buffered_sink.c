#include "base/text/buffered_sink.h"

#include <assert.h>

static bool hand_on(void *context, const void *bytes, size_t size)
{
    struct flm_buffered_sink *buffered = context;
    buffered->refused = !buffered->sink(buffered->context, bytes, size);
    return !buffered->refused;
}

void flm_buffered_sink_init(struct flm_buffered_sink *buffered, flm_profile_sink sink,
                            void *context)
{
    assert(sink);
    *buffered = (struct flm_buffered_sink){.sink = sink, .context = context};
    flm_text_init(&buffered->text, hand_on, buffered);
}

bool flm_buffered_sink_close(struct flm_buffered_sink *buffered, bool all_well,
                             struct flm_error *why)
{
    bool done = all_well && flm_text_flush(&buffered->text);
    flm_text_clear(&buffered->text);
    if (done || !all_well)
        return done;
    return buffered->refused ? flm_error_set(why, FLM_ERROR_SYSTEM, "the output cannot be written")
                             : flm_error_memory(why);
}
