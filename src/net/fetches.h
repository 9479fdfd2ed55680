/* fetches.h - many HTTP requests at once, in one thread.
 *
 *     struct flm_fetches *fetches = flm_fetches_open(&why);
 *     flm_fetches_start(fetches, &call, target, &why);          any number of them
 *     flm_fetches_run(fetches, 1000, done, context);            for a second, or until woken
 *     flm_fetches_close(fetches);                               what is under way is given up
 *
 * `done` gets each response, or why there is none, with the `owner` that its request was started
 * with. Requests are those of net/http_request.h; each has a connection of its own, which is closed
 * after it, since a scrape comes again only when servers have closed idle ones. */
#ifndef FLAMEL_NET_FETCHES_H
#define FLAMEL_NET_FETCHES_H

#include "net/http_request.h"

struct flm_fetches;

/* NULL, and `why`, where there is no libcurl. */
struct flm_fetches *flm_fetches_open(struct flm_error *why);
void flm_fetches_close(struct flm_fetches *fetches);

/* `call` is copied, but not what it points to, which stays until the request is done. */
bool flm_fetches_start(struct flm_fetches *fetches, const struct flm_http_call *call, void *owner,
                       struct flm_error *why);

/* `why` is NULL where there is a response, of any status. The reply is cleared behind it; it may
 * start others. */
typedef void (*flm_fetch_done)(void *context, void *owner, struct flm_http_reply *reply,
                               const struct flm_error *why);

/* Returns after so long, or when flm_fetches_wake was called. */
void flm_fetches_run(struct flm_fetches *fetches, int most_ms, flm_fetch_done done, void *context);

/* From any thread. */
void flm_fetches_wake(struct flm_fetches *fetches);

#endif
