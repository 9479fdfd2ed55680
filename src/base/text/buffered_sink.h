/* buffered_sink.h - a text in front of the caller's sink, which knows why it failed. */
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

/* The text leads back to the buffered, which must stay where it is. */
void flm_buffered_sink_init(struct flm_buffered_sink *buffered, flm_profile_sink sink,
                            void *context);

/* Hands on the rest, if all went well so far, and frees the text. False if it did not, or, with
 * `why`, if memory ran out on the way or the sink refused. */
bool flm_buffered_sink_close(struct flm_buffered_sink *buffered, bool all_well,
                             struct flm_error *why);

#endif
