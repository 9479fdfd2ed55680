#include "format/gecko/read_payload.h"

#include "format/gecko/read_value.h"

enum { MOST_CELLS = 24 }; /* of the row of a stack */

/* The fields of Firefox and samply that may be the main text, the most telling ones first. */
static const struct flm_bytes main_fields[] = {
    {"name", 4},      {"message", 7},      {"text", 4},           {"URI", 3},      {"url", 3},
    {"eventType", 9}, {"label", 5},        {"description", 11},   {"filename", 8}, {"operation", 9},
    {"reason", 6},    {"messageType", 11}, {"animationType", 13}, {"phase", 5},    {"category", 8}};
enum { MAIN_FIELDS = sizeof main_fields / sizeof main_fields[0] };

static int rank_of(struct flm_bytes key)
{
    int rank = 0;
    while (rank < MAIN_FIELDS && !flm_bytes_equal(key, main_fields[rank]))
        rank++;
    return rank;
}

/* The stack of an allocation: {"samples": {"schema": {"stack": 0, ...}, "data": [[12, 3.5]]}}. */
static void read_payload_stack(struct flm_json *json, struct flm_gecko_payload *payload)
{
    struct flm_bytes key;
    double cells[MOST_CELLS], place = 0;
    size_t count = 0;
    while (flm_json_next_key(json, &key)) {
        if (!flm_bytes_are(key, "samples") || !flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
            continue;
        while (flm_json_next_key(json, &key)) {
            bool is_schema = flm_bytes_are(key, "schema");
            if (is_schema && flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT)) {
                while (flm_json_next_key(json, &key))
                    if (flm_bytes_are(key, "stack"))
                        flm_gecko_read_number(json, &place);
            } else if (flm_bytes_are(key, "data") &&
                       flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY)) {
                while (flm_json_next_item(json))
                    if (count == 0 && flm_gecko_enter_if(json, FLM_JSON_TYPE_ARRAY))
                        while (flm_json_next_item(json))
                            if (count < MOST_CELLS && flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
                                flm_json_double(json, &cells[count++]);
            }
        }
    }
    if (place >= 0 && place < (double)count)
        payload->stack = cells[(size_t)place];
}

static void read_payload_text(struct flm_json *json, struct flm_gecko_payload *payload,
                              struct flm_bytes key)
{
    struct flm_bytes text;
    int rank;
    if (!flm_json_string(json, &text)) {
        return;
    } else if (flm_bytes_are(key, "type")) {
        payload->is_js_allocation = flm_bytes_are(text, "JS allocation");
        payload->is_native_allocation = flm_bytes_are(text, "Native allocation");
        flm_gecko_copy_text(json, &payload->type, text);
    } else if (flm_bytes_are(key, "interval")) {
        payload->interval = flm_bytes_are(text, "start") ? FLM_GECKO_PHASE_START
                            : flm_bytes_are(text, "end") ? FLM_GECKO_PHASE_END
                                                         : 0;
    } else if (text.size > 0 && (rank = rank_of(key)) < payload->rank) {
        payload->rank = rank;
        payload->text_string = -1;
        flm_gecko_copy_text(json, &payload->text, text);
    }
}

/* Whether the number in this field is the index of a string: by the schema, or, before there was a
 * schema, by the name of the field. */
static bool is_string_field(const struct flm_gecko_profile *p,
                            const struct flm_gecko_payload *payload, struct flm_bytes key, int rank)
{
    const int surely_text = 5;
    struct flm_bytes type = {payload->type.at, payload->type.size};
    for (size_t i = 0; i < p->string_fields.count; i++)
        if (flm_bytes_equal(flm_gecko_string(&p->texts, p->string_fields.at[i].type), type) &&
            flm_bytes_equal(flm_gecko_string(&p->texts, p->string_fields.at[i].key), key))
            return true;
    return p->string_fields.count == 0 && rank < surely_text;
}

static void read_payload_number(struct flm_json *json, const struct flm_gecko_profile *p,
                                struct flm_gecko_payload *payload, struct flm_bytes key)
{
    double number;
    int rank = rank_of(key);
    if (!flm_json_double(json, &number))
        return;
    if (flm_bytes_are(key, "startTime")) {
        payload->start = number;
    } else if (flm_bytes_are(key, "endTime")) {
        payload->end = number;
    } else if (flm_bytes_are(key, "size")) {
        payload->size = number;
    } else if (rank < payload->rank && number >= 0 && number < INT32_MAX &&
               is_string_field(p, payload, key, rank)) {
        payload->rank = rank;
        payload->text_string = (int32_t)number;
    }
}

void flm_gecko_payload_read(struct flm_json *json, const struct flm_gecko_profile *p,
                            struct flm_gecko_payload *payload)
{
    struct flm_bytes key;
    struct flm_text type = payload->type, text = payload->text;
    type.size = text.size = 0;
    *payload = (struct flm_gecko_payload){.start = __builtin_nan(""),
                                          .end = __builtin_nan(""),
                                          .size = __builtin_nan(""),
                                          .stack = __builtin_nan(""),
                                          .type = type,
                                          .text = text,
                                          .rank = MAIN_FIELDS + 1,
                                          .text_string = -1};
    if (!flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
        return;
    while (flm_json_next_key(json, &key)) {
        enum flm_json_type next = flm_json_type(json);
        if (next == FLM_JSON_TYPE_STRING)
            read_payload_text(json, payload, key);
        else if (next == FLM_JSON_TYPE_NUMBER)
            read_payload_number(json, p, payload, key);
        else if (flm_bytes_are(key, "stack") && flm_gecko_enter_if(json, FLM_JSON_TYPE_OBJECT))
            read_payload_stack(json, payload);
    }
}

void flm_gecko_payload_clear(struct flm_gecko_payload *payload)
{
    flm_text_clear(&payload->type);
    flm_text_clear(&payload->text);
}
