/* scrape_config.h - which endpoints are scraped, from a YAML file:
 *
 *     scrape:
 *       - service: api
 *         targets: [10.0.0.7:6060, "https://api.example/internal"]
 *         interval: 15s                                         15s where it is not said
 *         profiles: [cpu, heap, {path: /debug/fgprof, seconds: true}]
 *         labels: {region: eu}
 *         tenant: web
 *         token_file: /etc/flamel/api.token                     Authorization: Bearer
 *
 * A target is HOST:PORT, or a URL below which /debug/pprof/ is. A profile is one of net/http/pprof
 * by name, or a path of its own:
 *
 *     seconds   it is recorded for so long, interval - 1 s: ?seconds=N is added
 *     delta     its counters grow from the start of the program: what a scrape has more than the
 *               one before is kept */
#ifndef FLAMEL_SERVE_SCRAPE_SCRAPE_CONFIG_H
#define FLAMEL_SERVE_SCRAPE_SCRAPE_CONFIG_H

#include "serve/http/message.h"

enum { FLM_SCRAPE_MOST_TARGETS = 1000, FLM_SCRAPE_MOST_PROFILES = 16 };

struct flm_scrape_profile {
    char *name, *path; /* owned; the path begins with / */
    bool seconds, delta;
};

struct flm_scrape_job {
    char *service, *tenant, *token; /* owned; the token may be NULL, the tenant is "" then */
    struct flm_http_fields labels;
    int64_t interval_ms;
    struct FLM_ARRAY(struct flm_scrape_profile) profiles;
    struct FLM_ARRAY(char *) targets; /* URLs without a / at their end; owned */
};

struct flm_scrape_config FLM_ARRAY(struct flm_scrape_job);

/* False, and `why` with the line. The caller clears it in any case. */
bool flm_scrape_config_read(struct flm_scrape_config *config, struct flm_bytes text,
                            struct flm_error *why);
void flm_scrape_config_clear(struct flm_scrape_config *config);

#endif
