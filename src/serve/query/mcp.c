/* mcp.c - the Model Context Protocol over HTTP, by which coding assistants ask: each tool is a
 * path of our own API (api_paths.h), and its result is what that answers.
 *
 * POST /mcp has a message of JSON-RPC; a request is answered with one, and a notification with
 * 202. There are no sessions and no streams, which clients need not have. */
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "flamel/flamel.h"
#include "net/rpc.h"
#include "serve/query/api_paths.h"
#include "serve/query/query_routes.h"

static const struct tool {
    const char *name, *path, *format; /* format: what it asks for; NULL: JSON */
    const char *says;
} tools[] = {
    {"list_services", "/api/v1/services", NULL, "The services whose profiles are kept"},
    {"list_types", "/api/v1/types", NULL,
     "What was measured: types such as cpu:ns, in a range of time"},
    {"list_labels", "/api/v1/labels", NULL, "The names of labels, for selectors"},
    {"label_values", "/api/v1/values", NULL, "The values of a label"},
    {"list_series", "/api/v1/series", NULL, "The series: one line of labels for each"},
    {"timeline", "/api/v1/timeline", NULL,
     "Values over time, and of the largest groups with one value of a label"},
    {"top_functions", "/api/v1/top", "text",
     "The functions that cost most in a range of time: begin with this"},
    {"stacks", "/api/v1/merge", "folded",
     "Call stacks as folded text: the frames from the root on, then the value. Ask for few nodes"},
    {"gate", "/api/v1/gate", "text",
     "Whether a deploy made it slower: a statistical verdict, and which functions"},
    {"changes", "/api/v1/changes", "text", "When it changed for good in the last weeks"},
};
enum { TOOLS = sizeof tools / sizeof tools[0] };

static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static const char instructions[] =
    "Profiles of many programs over time. A selector names what is meant: service=api region!=eu "
    "host=~'web.*'. Times are -1h, 2026-11-28T10:30 or seconds since 1970. Begin with "
    "list_services and list_types, then top_functions; stacks shows who calls what; gate compares "
    "the time after a change with the time before it, and only its verdict is more than noise.";

/* ---- Results --------------------------------------------------------------------------------- */

static void add_text(struct flm_json_writer *json, const char *key, const char *text)
{
    flm_json_add_text(json, key, flm_bytes_of(text));
}

static void add_greeting(struct flm_text *out, struct flm_bytes params)
{
    struct flm_source source = flm_source_of(params);
    struct flm_json_writer json = {.out = out};
    struct flm_json reader;
    struct flm_bytes key, text;
    const char *version = versions[0];
    flm_json_init(&reader, &source, NULL);
    if (params.at)
        flm_json_enter_object(&reader);
    while (params.at && flm_json_next_key(&reader, &key))
        if (flm_bytes_are(key, "protocolVersion") &&
            flm_json_type(&reader) == FLM_JSON_TYPE_STRING && flm_json_string(&reader, &text))
            for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
                if (flm_bytes_are(text, versions[i]))
                    version = versions[i];
    flm_json_clear(&reader);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    add_text(&json, "protocolVersion", version);
    flm_json_add_written(&json, "capabilities", flm_bytes_of("{\"tools\": {}}"));
    flm_json_begin(&json, "serverInfo", FLM_JSON_OBJECT_LINE);
    add_text(&json, "name", "flamel serve");
    add_text(&json, "version", flm_version());
    flm_json_end(&json);
    add_text(&json, "instructions", instructions);
    flm_json_end(&json);
}

static void add_schema(struct flm_json_writer *json, const struct tool *tool)
{
    const char *const list = flm_api_path_named("get", tool->path)->parameters;
    const struct flm_api_parameter *p;
    struct flm_bytes name;
    bool is_required;
    flm_json_begin(json, "inputSchema", FLM_JSON_OBJECT_LINE);
    add_text(json, "type", "object");
    flm_json_begin(json, "properties", FLM_JSON_OBJECT_LINE);
    for (const char *at = list; (p = flm_api_parameter_next(&at, &name, &is_required)) != NULL;) {
        char key[32];
        if (flm_bytes_are(name, "format") || name.size >= sizeof key)
            continue;
        memcpy(key, name.at, name.size);
        key[name.size] = 0;
        struct flm_text schema = {0};
        /* The description is a member of the schema here. */
        flm_text_add(&schema, (struct flm_bytes){p->schema, strlen(p->schema) - 1});
        flm_text_format(&schema, ", \"description\": \"%s\"}", p->says);
        flm_json_add_written(json, key, (struct flm_bytes){schema.at, schema.size});
        json->out->failed |= schema.failed;
        flm_text_clear(&schema);
    }
    flm_json_end(json);
    flm_json_begin(json, "required", FLM_JSON_ARRAY_LINE);
    for (const char *at = list; flm_api_parameter_next(&at, &name, &is_required) != NULL;)
        if (is_required)
            flm_json_add_text(json, NULL, name);
    flm_json_end(json);
    flm_json_end(json);
}

static void add_tools(struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "tools", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < TOOLS; i++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        add_text(&json, "name", tools[i].name);
        add_text(&json, "description", tools[i].says);
        add_schema(&json, &tools[i]);
        flm_json_add_written(&json, "annotations", flm_bytes_of("{\"readOnlyHint\": true}"));
        flm_json_end(&json);
    }
    flm_json_end(&json);
    flm_json_end(&json);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A number or a text, as a parameter of a path has it. */
static bool take_argument(struct flm_json *json, struct flm_bytes name,
                          struct flm_http_fields *query)
{
    struct flm_json_number number;
    struct flm_bytes text;
    struct flm_text key = {0}; /* the name is good until the value is read */
    flm_text_add(&key, name);
    bool good = flm_json_type(json) == FLM_JSON_TYPE_NUMBER
                    ? flm_json_number(json, &number) && (text = number.text, true)
                    : flm_json_string(json, &text);
    good = good && key.size > 0 && !memchr(key.at, 0, key.size) &&
           (text.size == 0 || !memchr(text.at, 0, text.size)) && !key.failed &&
           flm_http_field_add(query, (struct flm_bytes){key.at, key.size}, text);
    flm_text_clear(&key);
    return good;
}

static bool read_call(struct flm_bytes params, const struct tool **tool,
                      struct flm_http_fields *query, struct flm_error *why)
{
    struct flm_source source = flm_source_of(params.at ? params : flm_bytes_of("{}"));
    struct flm_json json;
    struct flm_bytes key, text;
    bool good = true;
    *tool = NULL;
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (good && flm_json_next_key(&json, &key)) {
        if (flm_bytes_are(key, "name") && flm_json_string(&json, &text)) {
            for (size_t i = 0; i < TOOLS; i++)
                if (flm_bytes_are(text, tools[i].name))
                    *tool = &tools[i];
        } else if (flm_bytes_are(key, "arguments") &&
                   flm_json_type(&json) == FLM_JSON_TYPE_OBJECT) {
            flm_json_enter_object(&json);
            while (good && flm_json_next_key(&json, &key))
                good = take_argument(&json, key, query);
        }
    }
    if (!good)
        flm_error_set(why, FLM_ERROR_FORMAT, "an argument is a text or a number");
    good = flm_json_finish(&json) && good;
    return good && (*tool || flm_error_set(why, FLM_ERROR_FORMAT,
                                           "there is no such tool: tools/list has them"));
}

static const struct flm_route *route_of(const char *path)
{
    size_t i = 0;
    while (strcmp(flm_routes_api[i].path, path) != 0)
        i++;
    return &flm_routes_api[i];
}

/* What the path answers, whatever it is. */
static void call_tool(struct flm_serving *s, const struct tool *tool,
                      struct flm_http_request *inner, struct flm_text *out)
{
    struct flm_http_response response = {0};
    struct flm_json_writer json = {.out = out};
    const struct flm_route *route = route_of(tool->path);
    if (!tool->format ||
        flm_http_field_add(&inner->query, flm_bytes_of("format"), flm_bytes_of(tool->format)))
        route->answer(s, inner, &response);
    else
        flm_http_say(&response, 503, "out of memory");
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "content", FLM_JSON_ARRAY_LINE);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    add_text(&json, "type", "text");
    flm_json_add_text(
        &json, "text",
        (struct flm_bytes){response.body.at ? response.body.at : "", response.body.size});
    flm_json_end(&json);
    flm_json_end(&json);
    flm_json_add_bool(&json, "isError", response.status >= 400 || response.body.failed);
    flm_json_end(&json);
    flm_text_clear(&response.body);
}

static void answer_call(struct flm_serving *s, const struct flm_http_request *request,
                        const struct flm_rpc_message *m, struct flm_text *out)
{
    char *method = strdup("GET");
    struct flm_http_request inner = {.tenant = request->tenant, .method = method};
    const struct tool *tool;
    struct flm_text result = {0};
    struct flm_error why = {0};
    if (!method || !read_call(m->params, &tool, &inner.query, &why)) {
        flm_rpc_add_error(out, m->id, FLM_RPC_WRONG_PARAMETERS,
                          method ? why.text : "out of memory");
    } else {
        call_tool(s, tool, &inner, &result);
        flm_rpc_add_result(out, m->id, (struct flm_bytes){result.at, result.size});
        out->failed |= result.failed;
    }
    flm_text_clear(&result);
    flm_http_request_clear(&inner);
}

static void answer_message(struct flm_serving *s, const struct flm_http_request *request,
                           const struct flm_rpc_message *m, struct flm_http_response *response)
{
    struct flm_bytes method = {m->method.at, m->method.size};
    struct flm_text result = {0}, *out = &response->body;
    if (!m->id.at) {
        response->status = 202; /* a notification */
        return;
    }
    response->type = "application/json";
    if (flm_bytes_are(method, "tools/call")) {
        answer_call(s, request, m, out);
        return;
    }
    if (flm_bytes_are(method, "initialize"))
        add_greeting(&result, m->params);
    else if (flm_bytes_are(method, "tools/list"))
        add_tools(&result);
    else if (flm_bytes_are(method, "ping"))
        flm_text_puts(&result, "{}");
    if (result.size > 0)
        flm_rpc_add_result(out, m->id, (struct flm_bytes){result.at, result.size});
    else
        flm_rpc_add_error(out, m->id, FLM_RPC_NO_METHOD, "there is no such method");
    out->failed |= result.failed;
    flm_text_clear(&result);
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_rpc_message m;
    enum flm_rpc_code code;
    struct flm_error why = {0};
    if (flm_rpc_read(request->body, &m, &code, &why)) {
        answer_message(s, request, &m, response);
    } else {
        response->status = 400;
        response->type = "application/json";
        flm_rpc_add_error(&response->body, m.id, code, why.text);
    }
    flm_rpc_clear(&m);
}

const struct flm_route flm_routes_mcp[1] = {
    {"POST", "/mcp", FLM_RIGHT_READ, answer, flm_fail_json}};
