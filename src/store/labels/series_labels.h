/* series_labels.h - what is known of the samples of a process: service, host, version; and which of
 * them a query wants.
 *
 * A *series* is a set of labels. Its text is the same for equal sets, and orders series by
 * tenant, then service, so that the series of a service stand together:
 *
 *     tenant \0 service \0 key \0 value \0 key \0 value \0 ...        keys ascending and distinct
 *
 * The label of the service is called `service_name`, as in OpenTelemetry; `service` is short for
 * it in queries. No key or value holds a NUL. */
#ifndef FLAMEL_STORE_LABELS_SERIES_LABELS_H
#define FLAMEL_STORE_LABELS_SERIES_LABELS_H

#include "base/text/text.h"

#define FLM_STORE_SERVICE "service_name"

/* What a series may have: the rest is refused, and says so. As Prometheus and Pyroscope bound
 * them. */
enum { FLM_STORE_MOST_LABELS = 64, FLM_STORE_LONGEST_KEY = 256, FLM_STORE_LONGEST_VALUE = 2048 };

struct flm_store_label {
    struct flm_bytes key, value;
};

/* Appends the text of a series. The labels are in any order, of two with one key the last holds;
 * one with an empty value is none. Without a service it is "unknown_service". False, and `why`,
 * where a limit is passed. */
bool flm_series_write(struct flm_bytes tenant, const struct flm_store_label *labels, size_t count,
                      struct flm_text *out, struct flm_error *why);

/* The next label of a series, the service first, under FLM_STORE_SERVICE; *at is 0 at the
 * beginning. False after the last one. The tenant is none of them. */
bool flm_series_next(struct flm_bytes series, size_t *at, struct flm_store_label *label);

/* Empty: there is none. */
struct flm_bytes flm_series_tenant(struct flm_bytes series);

/* Appends the bounds of the texts of a tenant's series: `from` is not above the first one, `until`
 * is above the last one. False when memory ran out. */
bool flm_series_tenant_range(struct flm_bytes tenant, struct flm_text *from,
                             struct flm_text *until);

/* Empty: the series does not have the label. */
struct flm_bytes flm_series_value(struct flm_bytes series, struct flm_bytes key);

/* Tenant and service: what the series of a group have in common. */
struct flm_bytes flm_series_service_prefix(struct flm_bytes series);

/* ---- Selectors ------------------------------------------------------------------------------- */

/* Which series a query wants, as people write it, and as Prometheus and Grafana do:
 *
 *     service=api region=eu-1 host!=a7 version=~2\..*
 *     {service_name="api", region="eu-1", host!="a7", version=~"2\\..*"}
 *
 * A pattern (=~, !~) is a regular expression that matches the whole value; a label that a series
 * does not have is "". An empty selector wants all. One thread at a time: patterns have working
 * memory. */
struct flm_selector;

struct flm_selector *flm_selector_parse(struct flm_bytes text, struct flm_error *why);

/* A label must also have this value; "": a series must not have it. */
bool flm_selector_add(struct flm_selector *selector, struct flm_bytes key, struct flm_bytes value,
                      struct flm_error *why);
void flm_selector_free(struct flm_selector *selector);
bool flm_selector_matches(const struct flm_selector *selector, struct flm_bytes series);

/* Whether it wants all. */
bool flm_selector_is_empty(const struct flm_selector *selector);

/* The last label that must have one value, by which series are found: "service=api region=eu"
 * gives region. False: there is none. Of several the last one is taken, since people write the
 * service first, and many series have that. */
bool flm_selector_equal(const struct flm_selector *selector, struct flm_store_label *label);

/* For a selector without such a label: the last one that must match a pattern which does not match
 * "". `label->value` is a prefix of all values that match, and may be empty. False: there is
 * none. */
bool flm_selector_pattern(const struct flm_selector *selector, struct flm_store_label *label);

/* Whether all conditions of the selector on this label accept this value. */
bool flm_selector_takes(const struct flm_selector *selector, struct flm_bytes key,
                        struct flm_bytes value);

/* Appends bytes that the text of each series that matches contains, so that a search can skip the
 * others. Appends nothing where the selector has no such bytes. */
void flm_selector_needle(const struct flm_selector *selector, struct flm_text *out);

#endif
