/* parca_arrow.h - samples as Parca's agent sends them: Arrow IPC, a row for each.
 *
 *     stacktrace    a list of locations, leaf first: address, frame_type, mapping_file, lines,
 *                   each of these with its line and function (system_name, filename)
 *     value, timestamp, period, duration            numbers
 *     sample_type, sample_unit, period_type, period_unit    texts
 *     labels.NAME, or labels with a member NAME             texts
 *
 * Releases of the agent have these columns in different encodings (dictionaries, runs, views),
 * which format/arrow reads alike. Rows of equal labels, types and period are a profile. */
#ifndef FLAMEL_SERVE_INGEST_PARCA_ARROW_H
#define FLAMEL_SERVE_INGEST_PARCA_ARROW_H

#include "serve/core/arrival.h"

bool flm_parca_arrow_read(struct flm_arrivals *arrivals, struct flm_bytes stream,
                          struct flm_error *why);

/* Names the service of the last arrival by a label that it has. */
void flm_parca_service(struct flm_arrivals *arrivals);

#endif
