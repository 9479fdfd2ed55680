/* watch.h - finds lasting changes of services, and reports them by itself.
 *
 *     every step (a day)   of each service the sums of the last 60 steps are runs of a series, and
 *                          its changes are what `flamel series` finds in them
 *     /metrics             how many changes of a service have stayed, and when the last one was
 *     webhook              each new change is posted, as JSON
 *
 * A change is found five steps after it at the earliest: fewer runs cannot be distinguished from
 * noise. Which changes were posted is remembered until the server ends; when it starts it posts
 * changes of the last ten steps only. */
#ifndef FLAMEL_SERVE_WATCH_WATCH_H
#define FLAMEL_SERVE_WATCH_WATCH_H

#include "serve/core/serving.h"

struct flm_watch;

struct flm_watch_options {
    int64_t step_ms;
    const char *webhook; /* http or https; NULL: nothing is posted */

    /* Called with each error, by the thread of the watch. */
    void (*report)(void *context, const struct flm_error *why);
    void *context;
};

/* NULL, and `why`: no thread, or no such URL. */
struct flm_watch *flm_watch_start(struct flm_serving *serving,
                                  const struct flm_watch_options *options, struct flm_error *why);
void flm_watch_stop(struct flm_watch *watch); /* accepts NULL */

/* In the format of Prometheus; nothing for NULL. */
void flm_watch_metrics(struct flm_watch *watch, struct flm_text *out);

#endif
