/* scraper.h - profiles that are fetched from programs, at intervals, as they have them at
 * /debug/pprof (net/http/pprof of Go, and what other languages have like it).
 *
 *     one thread      starts what is due, and takes what has arrived into the store
 *
 * Each profile of each target is a scrape of its own, which begins at its own moment of the
 * interval, so that targets are not all asked at once. One that is not answered in time is given
 * up, and tried again at the next interval. Labels are those of the job, with `instance`, the
 * target's host and port, and the names that Pyroscope has.
 *
 * What fails is said once, when it begins to fail, and told of for each target until it ends. */
#ifndef FLAMEL_SERVE_SCRAPE_SCRAPER_H
#define FLAMEL_SERVE_SCRAPE_SCRAPER_H

#include "base/text/json_write.h"
#include "serve/core/serving.h"
#include "serve/scrape/scrape_config.h"

struct flm_scraper;

/* Says that a scrape failed, or that it works again, as a sentence. By the scraper's thread. */
typedef void (*flm_scrape_report)(void *context, const struct flm_error *what);

/* Takes what `config` has. NULL, and `why`, without libcurl. */
struct flm_scraper *flm_scraper_start(struct flm_serving *serving, struct flm_scrape_config *config,
                                      flm_scrape_report report, void *context,
                                      struct flm_error *why);
void flm_scraper_stop(struct flm_scraper *scraper);

/* The scrapes of a tenant, an object each, into an array that is open; and their metrics, of all
 * tenants, in Prometheus' format. Accept NULL: there are none. */
void flm_scraper_list(struct flm_scraper *scraper, const char *tenant,
                      struct flm_json_writer *json);
void flm_scraper_metrics(struct flm_scraper *scraper, struct flm_text *out);

#endif
