#include "net/rpc.h"

struct flm_bytes flm_rpc_take(struct flm_json *json)
{
    if (flm_json_type(json) == FLM_JSON_TYPE_NONE)
        return (struct flm_bytes){NULL, 0};
    const char *from = json->source->at; /* all of the line is in its window */
    flm_json_skip(json);
    return json->failed ? (struct flm_bytes){NULL, 0}
                        : (struct flm_bytes){from, (size_t)(json->source->at - from)};
}

static bool read_members(struct flm_json *json, struct flm_rpc_message *m, bool *is_request)
{
    struct flm_bytes key, text;
    bool has_method = false, has_version = false, is_good = true;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        enum flm_json_type type = flm_json_type(json);
        if (flm_bytes_are(key, "id")) {
            bool is_id = type == FLM_JSON_TYPE_STRING || type == FLM_JSON_TYPE_NUMBER;
            is_good = is_good && is_id;
            struct flm_bytes id = flm_rpc_take(json);
            m->id = is_id ? id : m->id;
        } else if (flm_bytes_are(key, "params")) {
            is_good = is_good && (type == FLM_JSON_TYPE_OBJECT || type == FLM_JSON_TYPE_ARRAY);
            m->params = flm_rpc_take(json);
        } else if (type != FLM_JSON_TYPE_STRING) {
            flm_json_skip(json);
        } else if (flm_bytes_are(key, "method") && flm_json_string(json, &text)) {
            m->method.size = 0;
            flm_text_add(&m->method, text);
            has_method = text.size > 0;
        } else if (flm_bytes_are(key, "jsonrpc") && flm_json_string(json, &text)) {
            has_version = flm_bytes_are(text, "2.0");
        }
    }
    *is_request = is_good && has_version && has_method;
    return !json->failed;
}

/* Answers to requests that we never made. */
static bool is_response(struct flm_bytes line)
{
    struct flm_source source = flm_source_of(line);
    struct flm_json json;
    struct flm_bytes key;
    bool is_one = false;
    flm_json_init(&json, &source, NULL);
    flm_json_enter_object(&json);
    while (!is_one && flm_json_next_key(&json, &key))
        is_one = flm_bytes_are(key, "result") || flm_bytes_are(key, "error");
    flm_json_clear(&json);
    return is_one;
}

bool flm_rpc_read(struct flm_bytes line, struct flm_rpc_message *m, enum flm_rpc_code *code,
                  struct flm_error *why)
{
    struct flm_source source = flm_source_of(line);
    struct flm_json json;
    bool is_request = false;
    *m = (struct flm_rpc_message){0};
    *code = FLM_RPC_NO_JSON;
    flm_json_init(&json, &source, why);
    if (flm_json_type(&json) == FLM_JSON_TYPE_OBJECT)
        read_members(&json, m, &is_request);
    else
        flm_json_skip(&json);
    if (!flm_json_finish(&json)) {
        m->id = (struct flm_bytes){NULL, 0};
        return false;
    }
    *code = FLM_RPC_NO_REQUEST;
    return is_request || (m->method.size == 0 && is_response(line)) ||
           flm_error_set(why, FLM_ERROR_FORMAT,
                         "not a request of JSON-RPC 2.0: an object with jsonrpc, method, and id, a "
                         "number or a string");
}

void flm_rpc_clear(struct flm_rpc_message *m)
{
    flm_text_clear(&m->method);
}

bool flm_rpc_batch(struct flm_bytes line, struct flm_rpc_batch *batch)
{
    struct flm_source source = flm_source_of(line);
    struct flm_json json;
    bool good = true;
    flm_json_init(&json, &source, NULL);
    if (flm_json_type(&json) != FLM_JSON_TYPE_ARRAY) {
        flm_json_clear(&json);
        return false;
    }
    flm_json_enter_array(&json);
    while (good && flm_json_next_item(&json)) {
        struct flm_bytes item = flm_rpc_take(&json);
        good = item.at && FLM_ARRAY_ADD(batch, item);
    }
    good = flm_json_finish(&json) && good && batch->count > 0;
    return good;
}

static void begin(struct flm_json_writer *json, struct flm_bytes id)
{
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "jsonrpc", flm_bytes_of("2.0"));
    if (id.at)
        flm_json_add_written(json, "id", id);
    else
        flm_json_add_null(json, "id");
}

void flm_rpc_add_result(struct flm_text *out, struct flm_bytes id, struct flm_bytes result)
{
    struct flm_json_writer json = {.out = out};
    while (result.size > 0 && result.at[result.size - 1] == '\n') /* the message is one line */
        result.size--;
    begin(&json, id);
    flm_json_add_written(&json, "result", result);
    flm_json_end(&json);
}

void flm_rpc_add_error(struct flm_text *out, struct flm_bytes id, enum flm_rpc_code code,
                       const char *message)
{
    struct flm_json_writer json = {.out = out};
    begin(&json, id);
    flm_json_begin(&json, "error", FLM_JSON_OBJECT_LINE);
    flm_json_add_integer(&json, "code", code);
    flm_json_add_text(&json, "message", flm_bytes_of(message));
    flm_json_end(&json);
    flm_json_end(&json);
}
