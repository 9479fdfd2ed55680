/* openapi.c - our own API as an OpenAPI document, for generated clients and people: each path
 * with its parameters, right and response. A test holds it against the table of routes. */
#include <string.h>

#include "base/text/json_write.h"
#include "flamel/flamel.h"
#include "serve/query/api_paths.h"
#include "serve/query/query_routes.h"

/* ---- Parameters ------------------------------------------------------------------------------ */

static const struct flm_api_parameter parameters[] = {
    {"selector", "{\"type\": \"string\"}",
     "the series that are wanted: service=api region!=eu host=~'web.*'; without it all"},
    {"type", "{\"type\": \"string\"}", "what was measured: cpu, or cpu:ns; without it all types"},
    {"from", "{\"type\": \"string\"}",
     "from this time on: -1h, 2026-11-28T10:30, seconds since 1970"},
    {"until", "{\"type\": \"string\"}", "up to, but without, this time"},
    {"compare", "{\"type\": \"string\"}",
     "another range of time, which is the one before: -25h..-24h"},
    {"compare_selector", "{\"type\": \"string\"}",
     "other series, which are the side before: service=api version=1.4; over the same time unless "
     "compare is given"},
    {"apply", "{\"type\": \"string\"}",
     "operations: focus:parse | by:module (flamel-expressions(7))"},
    {"nodes", "{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 2000000, \"default\": 200000}",
     "nodes of the result at most: the smallest ones are merged into [other], and counted"},
    {"profile_format",
     "{\"type\": \"string\", \"enum\": [\"flm\", \"pprof\", \"folded\", \"difffolded\", "
     "\"speedscope\", \"otlp\"], \"default\": \"flm\"}",
     "the format of the profile"},
    {"report_format",
     "{\"type\": \"string\", \"enum\": [\"json\", \"text\", \"markdown\", \"csv\"], \"default\": "
     "\"json\"}",
     "the form of the report"},
    {"step", "{\"type\": \"number\", \"minimum\": 0}", "the length of a step in seconds"},
    {"by", "{\"type\": \"string\"}", "a label: one group, or run, for each of its values"},
    {"least_runs", "{\"type\": \"integer\", \"minimum\": 0, \"default\": 0}",
     "where a side has fewer runs than this, each series is split into about 20 steps, each of "
     "which is a run"},
    {"groups", "{\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000, \"default\": 12}",
     "groups at most, the largest"},
    {"sort",
     "{\"type\": \"string\", \"enum\": [\"self\", \"total\", \"name\"], \"default\": \"self\"}",
     "the order of functions"},
    {"rows", "{\"type\": \"integer\", \"minimum\": 0}", "rows at most; 0: all"},
    {"side", "{\"type\": \"string\", \"enum\": [\"growth\", \"both\"], \"default\": \"growth\"}",
     "which changes fail"},
    {"alpha", "{\"type\": \"number\", \"default\": 0.01}", "the false positive rate"},
    {"min_effect", "{\"type\": \"number\", \"default\": 0.001}",
     "changes below this share of the total do not fail"},
    {"label!", "{\"type\": \"string\"}", "the label whose values are wanted"},
    {"name!", "{\"type\": \"string\"}", "the name"},
    {"before!", "{\"type\": \"string\"}", "a time: -30d"},
    {"service", "{\"type\": \"string\", \"default\": \"unknown_service\"}", "whose profile it is"},
    {"label", "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}", "KEY=VALUE, any number"},
    {"id", "{\"type\": \"string\"}",
     "any: a profile with the same id, labels, time and bytes counts once"},
    {"time", "{\"type\": \"string\"}", "when it was recorded"},
};

/* ---- Paths ----------------------------------------------------------------------------------- */

#define TEXTS(name)                                                                                \
    "{\"type\": \"object\", \"required\": [\"" name "\"], \"properties\": {\"" name                \
    "\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}}}"
#define OBJECT "{\"type\": \"object\"}"
#define NUMBERS "{\"type\": \"array\", \"items\": {\"type\": \"number\"}}"
#define VIEW                                                                                       \
    "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, \"view\": "         \
    "{\"type\": \"string\"}}}"

static const struct flm_api_path paths[] = {
    {"get", "/api/v1/services", "selector", "The services that there are", "application/json",
     TEXTS("services"), "read"},
    {"get", "/api/v1/types", "from, until, selector, type", "What was measured", "application/json",
     TEXTS("types"), "read"},
    {"get", "/api/v1/labels", "selector", "The names of labels", "application/json",
     TEXTS("labels"), "read"},
    {"get", "/api/v1/values", "label!, selector", "The values of a label", "application/json",
     TEXTS("values"), "read"},
    {"get", "/api/v1/series", "selector", "The series, as lines of labels", "application/json",
     TEXTS("series"), "read"},
    {"get", "/api/v1/targets", "", "What is scraped, and how that goes", "application/json", OBJECT,
     "read"},
    {"get", "/api/v1/timeline", "from, until, selector, type, step, by, groups",
     "Sums of values in each step of time, and of groups", "application/json",
     "{\"type\": \"object\", \"required\": [\"from_ms\", \"step_ms\", \"values\"], "
     "\"properties\": {\"from_ms\": {\"type\": \"integer\"}, \"step_ms\": {\"type\": "
     "\"integer\"}, \"values\": " NUMBERS ", \"groups\": {\"type\": \"array\", \"items\": "
     "{\"type\": \"object\", \"properties\": {\"value\": {\"type\": \"string\"}, "
     "\"values\": " NUMBERS "}}}, \"more\": {\"type\": \"integer\"}}}",
     "read"},
    {"get", "/api/v1/merge",
     "from, until, selector, type, compare, compare_selector, apply, nodes, profile_format",
     "The sum of profiles, or of two ranges of time, as a profile", "application/octet-stream",
     NULL, "read"},
    {"get", "/api/v1/top", "from, until, selector, type, apply, sort, rows, report_format",
     "The functions that cost most", "application/json", OBJECT, "read"},
    {"get", "/api/v1/gate",
     "from, until, selector, type, compare, compare_selector, by, step, least_runs, side, alpha, "
     "min_effect, rows, report_format",
     "Whether the time after a change is slower than the time before it (compare), or other "
     "series (compare_selector)",
     "application/json",
     "{\"type\": \"object\", \"required\": [\"verdict\"], \"properties\": {\"verdict\": {\"type\": "
     "\"string\", \"enum\": [\"PASS\", \"FAIL\", \"INCONCLUSIVE\"]}}}",
     "read"},
    {"get", "/api/v1/changes", "from, until, selector, type, step, alpha, rows, report_format",
     "When it changed for good", "application/json",
     "{\"type\": \"object\", \"required\": [\"changes\"], \"properties\": {\"changes\": {\"type\": "
     "\"array\", \"items\": " OBJECT "}}}",
     "read"},
    {"get", "/api/v1/views", "", "The views that were saved", "application/json",
     "{\"type\": \"object\", \"required\": [\"views\"], \"properties\": {\"views\": {\"type\": "
     "\"array\", \"items\": " VIEW "}}}",
     "read"},
    {"post", "/api/v1/views", "name!",
     "Saves the body as a view: what stands in the address of the "
     "page from its ? on",
     "application/json", OBJECT, "write"},
    {"delete", "/api/v1/views", "name!", "Removes a view", "application/json", OBJECT, "write"},
    {"post", "/api/v1/push", "service, label, id, time",
     "Adds the profile in the body (.flm, pprof, speedscope, JFR, folded stacks)",
     "application/json", OBJECT, "write"},
    {"post", "/api/v1/symbols", "",
     "Keeps the ELF file in the body, with symbols and a build id, to name frames that are "
     "addresses",
     "application/json", OBJECT, "write"},
    {"get", "/api/v1/admin/store", "", "What is in the store", "application/json", OBJECT, "admin"},
    {"post", "/api/v1/admin/seal", "", "Writes what is in the journal as segments",
     "application/json", OBJECT, "admin"},
    {"post", "/api/v1/admin/compact", "", "Merges small segments", "application/json", OBJECT,
     "admin"},
    {"post", "/api/v1/admin/retain", "before!", "Removes what is older", "application/json", OBJECT,
     "admin"},
    {"post", "/api/v1/admin/backup", "name!",
     "Copies the store, while it is in use, to "
     "backups/NAME in its folder",
     "application/json", OBJECT, "admin"},
    {"get", "/api/v1/openapi.json", "", "This document", "application/json", OBJECT, NULL},
};
enum { PATHS = sizeof paths / sizeof paths[0] };

const struct flm_api_path *flm_api_path_at(size_t index)
{
    return index < PATHS ? &paths[index] : NULL;
}

const struct flm_api_path *flm_api_path_named(const char *method, const char *path)
{
    for (size_t i = 0; i < PATHS; i++)
        if (strcmp(paths[i].path, path) == 0 && strcmp(paths[i].method, method) == 0)
            return &paths[i];
    return NULL;
}

const struct flm_api_parameter *flm_api_parameter_next(const char **list, struct flm_bytes *name,
                                                       bool *is_required)
{
    size_t size = strcspn(*list, ",");
    struct flm_bytes called = {*list, size};
    *list += size;
    *list += strspn(*list, ", ");
    *is_required = flm_bytes_end_with(called, "!");
    *name = flm_bytes_end_with(called, "_format")
                ? flm_bytes_of("format")
                : (struct flm_bytes){called.at, called.size - *is_required};
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (flm_bytes_are(called, parameters[i].name))
            return &parameters[i];
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void add_text(struct flm_json_writer *json, const char *key, const char *text)
{
    flm_json_add_text(json, key, flm_bytes_of(text));
}

static void add_parameters(struct flm_json_writer *json, const char *list)
{
    const struct flm_api_parameter *p;
    struct flm_bytes name;
    bool is_required;
    flm_json_begin(json, "parameters", FLM_JSON_ARRAY_LINE);
    while ((p = flm_api_parameter_next(&list, &name, &is_required)) != NULL) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "name", name);
        add_text(json, "in", "query");
        flm_json_add_bool(json, "required", is_required);
        add_text(json, "description", p->says);
        flm_json_add_written(json, "schema", flm_bytes_of(p->schema));
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_response(struct flm_json_writer *json, const char *status, const char *says,
                         const char *type, const char *schema)
{
    flm_json_begin(json, status, FLM_JSON_OBJECT_LINE);
    add_text(json, "description", says);
    if (type) {
        flm_json_begin(json, "content", FLM_JSON_OBJECT_LINE);
        flm_json_begin(json, type, FLM_JSON_OBJECT_LINE);
        flm_json_add_written(
            json, "schema",
            flm_bytes_of(schema ? schema : "{\"type\": \"string\", \"format\": \"binary\"}"));
        flm_json_end(json);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_operation(struct flm_json_writer *json, const struct flm_api_path *p)
{
    static const char error[] = "{\"$ref\": \"#/components/schemas/Error\"}";
    bool has_body = strcmp(p->path, "/api/v1/push") == 0 ||
                    strcmp(p->path, "/api/v1/symbols") == 0 ||
                    (strcmp(p->path, "/api/v1/views") == 0 && strcmp(p->method, "post") == 0);
    flm_json_begin(json, p->method, FLM_JSON_OBJECT_LINE);
    add_text(json, "summary", p->says);
    if (p->right) {
        struct flm_text text = {0};
        flm_text_format(&text, "Where the server has tokens: one with the right \"%s\".", p->right);
        flm_json_add_text(json, "description",
                          (struct flm_bytes){text.at ? text.at : "", text.size});
        flm_text_clear(&text);
    }
    flm_json_add_written(json, "security",
                         flm_bytes_of(p->right ? "[{}, {\"bearer\": []}, {\"basic\": []}]" : "[]"));
    add_parameters(json, p->parameters);
    if (has_body)
        flm_json_add_written(
            json, "requestBody",
            flm_bytes_of("{\"required\": true, \"content\": {\"*/*\": {\"schema\": "
                         "{\"type\": \"string\", \"format\": \"binary\"}}}}"));
    flm_json_begin(json, "responses", FLM_JSON_OBJECT_LINE);
    add_response(json, "200", "It is so", p->type, p->schema);
    add_response(json, "default", "It is not, and why", "application/json", error);
    flm_json_end(json);
    flm_json_end(json);
}

/* Operations of one path stand together in the table. */
static void add_paths(struct flm_json_writer *json)
{
    flm_json_begin(json, "paths", FLM_JSON_OBJECT_LINE);
    for (size_t i = 0; i < PATHS;) {
        size_t first = i;
        flm_json_begin(json, paths[i].path, FLM_JSON_OBJECT_LINE);
        for (; i < PATHS && strcmp(paths[i].path, paths[first].path) == 0; i++)
            add_operation(json, &paths[i]);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void answer(struct flm_serving *s, const struct flm_http_request *request,
                   struct flm_http_response *response)
{
    struct flm_json_writer json = {.out = &response->body};
    (void)s, (void)request;
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    add_text(&json, "openapi", "3.0.3");
    flm_json_begin(&json, "info", FLM_JSON_OBJECT_LINE);
    add_text(&json, "title", "flamel serve");
    add_text(&json, "version", flm_version());
    add_text(&json, "description",
             "Profiles of many programs over time. docs/serve.md describes this API, and the "
             "protocols of other clients that the server takes too.");
    flm_json_end(&json);
    add_paths(&json);
    flm_json_add_written(
        &json, "components",
        flm_bytes_of("{\"securitySchemes\": {\"bearer\": {\"type\": \"http\", \"scheme\": "
                     "\"bearer\"}, \"basic\": {\"type\": \"http\", \"scheme\": \"basic\"}}, "
                     "\"schemas\": {\"Error\": {\"type\": \"object\", \"required\": [\"error\"], "
                     "\"properties\": {\"error\": {\"type\": \"string\"}}}}}"));
    flm_json_end(&json);
    response->type = "application/json";
}

const struct flm_route flm_routes_openapi[1] = {
    {"GET", "/api/v1/openapi.json", FLM_RIGHT_NONE, answer, flm_fail_json}};
