/* read_payload.h - the data of a marker ("payload", as Firefox calls it): an object with a type and
 * fields that depend on it. Its main text is one of these fields: the one that says most. */
#ifndef FLAMEL_FORMAT_GECKO_READ_PAYLOAD_H
#define FLAMEL_FORMAT_GECKO_READ_PAYLOAD_H

#include "base/text/json_read.h"
#include "format/gecko/tables.h"

struct flm_gecko_payload {
    double start, end, size; /* NaN: none */
    double stack;            /* of an allocation */
    int interval;            /* in old profiles: FLM_GECKO_PHASE_START or _END; 0: none */
    bool is_js_allocation, is_native_allocation;
    struct flm_text type, text;
    int rank;            /* of the main text so far; a lower one replaces it */
    int32_t text_string; /* the index of the main text in the strings of the thread; -1: `text` */
};

/* Reads the data of one marker; null has none. `payload` begins as {0}, and serves many markers. */
void flm_gecko_payload_read(struct flm_json *json, const struct flm_gecko_profile *p,
                            struct flm_gecko_payload *payload);
void flm_gecko_payload_clear(struct flm_gecko_payload *payload);

#endif
