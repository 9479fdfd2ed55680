/* buffered_sink.h - a text that buffers for the caller's sink, and the reason when writing
 * failed. */
#ifndef FLAMEL_BASE_TEXT_BUFFERED_SINK_H
#define FLAMEL_BASE_TEXT_BUFFERED_SINK_H

#include "base/text/text.h"
#include "flamel/profile.h"

struct flm_buffered_sink {
    struct flm_text text; /* bytes added to it reach the sink */
    flm_profile_sink sink;
    void *context;
    bool refused; /* by the sink */
};

/* The text points to `buffered`, which must not move. */
void flm_buffered_sink_init(struct flm_buffered_sink *buffered, flm_profile_sink sink,
                            void *context);

/* Passes the rest to the sink if `all_well`, and frees the text. False if not `all_well`, or, with
 * `why`, if memory ran out meanwhile or the sink refused bytes. */
bool flm_buffered_sink_close(struct flm_buffered_sink *buffered, bool all_well,
                             struct flm_error *why);

#endif
