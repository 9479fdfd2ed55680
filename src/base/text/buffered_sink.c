#include "base/text/buffered_sink.h"

static bool hand_on(void *context, const void *bytes, size_t size)
{
    struct flm_outlet *outlet = context;
    outlet->refused = !outlet->sink(outlet->context, bytes, size);
    return !outlet->refused;
}

void flm_outlet_init(struct flm_outlet *outlet, flm_profile_sink sink, void *context)
{
    *outlet = (struct flm_outlet){.sink = sink, .context = context};
    flm_text_init(&outlet->text, hand_on, outlet);
}

bool flm_outlet_close(struct flm_outlet *outlet, bool all_well, struct flm_error *why)
{
    bool done = all_well && flm_text_flush(&outlet->text);
    flm_text_clear(&outlet->text);
    if (done || !all_well)
        return done;
    return outlet->refused ? flm_error_set(why, FLM_ERROR_SYSTEM, "the output cannot be written")
                           : flm_error_memory(why);
}
