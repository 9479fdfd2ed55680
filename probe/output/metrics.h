/* metrics.h - the report as metrics of monitoring systems. */
#ifndef FLAMEL_PROBE_METRICS_H
#define FLAMEL_PROBE_METRICS_H

#include "base/text/text.h"
#include "flamel/report.h"

/* The text format of Prometheus:
 *
 *     # TYPE flamel_time_calls_total counter
 *     flamel_time_calls_total{name="parse",file="app.c",line="12"} 1204
 *
 * Times are in seconds. What only grows is a counter, the rest a gauge. flamel_measured is 1 or 0
 * for each signal, with a note where there is something to say (why it is not measured), and
 * flamel_lost_total counts what was lost, where there is such. */
void flm_metrics_prometheus(const struct flm_report *report, struct flm_text *out);

/* The body of a request of OTLP/HTTP in JSON: flamel.time.calls, with the same as attributes. */
void flm_metrics_otlp(const struct flm_report *report, uint64_t start_ns, uint64_t now_ns,
                      struct flm_text *out);

#endif
