#include "cli/mcp/tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/memory_limit.h"

#define AT(member) offsetof(struct flm_mcp_call, member)

#define FILE_OF "path of a profile, of any format that flamel reads"
#define ARGUMENT_FILE                                                                              \
    {"file", FLM_MCP_TEXT, AT(file), false, FILE_OF "; or give pid", NULL},                        \
    {                                                                                              \
        "pid", FLM_MCP_COUNT, AT(pid), false,                                                      \
            "a running program that measures itself (flamel/probe.h with FLAMEL=on)", NULL         \
    }
#define ARGUMENT_METRIC                                                                            \
    {                                                                                              \
        "metric", FLM_MCP_TEXT, AT(metric), false, "name of the metric (default: the first)", NULL \
    }
#define ARGUMENT_APPLY                                                                             \
    {                                                                                              \
        "apply", FLM_MCP_TEXT, AT(apply), false,                                                   \
            "operations, applied first: 'focus:parse | hide:module=libc.so.6 | by:module'", NULL   \
    }
#define ARGUMENT_ROWS                                                                              \
    {                                                                                              \
        "rows", FLM_MCP_COUNT, AT(rows), false, "rows at most (default: 20); the rest is counted", \
            NULL                                                                                   \
    }
#define ARGUMENT_FORM                                                                              \
    {                                                                                              \
        "form", FLM_MCP_TEXT, AT(form), false,                                                     \
            "text (default: rounded, for reading) or json (every digit)", "text|json"              \
    }
#define ARGUMENT_MOST                                                                              \
    {                                                                                              \
        "max_chars", FLM_MCP_COUNT, AT(max_chars), false,                                          \
            "size of the answer at most (default: 16000 characters)", NULL                         \
    }
#define ARGUMENTS_OF_TREE                                                                          \
    {"min_percent",                                                                                \
     FLM_MCP_NUMBER,                                                                               \
     AT(min_percent),                                                                              \
     false,                                                                                        \
     "branches below this share are counted and not shown (default: 2)",                           \
     NULL},                                                                                        \
        {"levels", FLM_MCP_COUNT, AT(levels), false, "depth at most (default: 24)", NULL},         \
        ARGUMENT_METRIC, ARGUMENT_APPLY, ARGUMENT_FORM, ARGUMENT_MOST
#define ARGUMENT_FUNCTION                                                                          \
    {                                                                                              \
        "function", FLM_MCP_TEXT, AT(function), true, "'parse', '*parse*' or '/^parse_/'", NULL    \
    }

static const struct flm_mcp_tool tools[] = {
    {"report",
     "Top functions",
     "The functions of a profile with the largest self value (in the function itself), with their "
     "totals (with callees; recursion counts once). Where to begin. Of a program that measured "
     "itself (.probe, or pid) its sections: time, memory, locks, I/O, queues, threads and so on, "
     "8 rows each; give a metric, sort or apply for its functions.",
     {ARGUMENT_FILE,
      {"sort", FLM_MCP_TEXT, AT(sort), false, "by self (default), total or name",
       "self|total|name"},
      ARGUMENT_ROWS,
      ARGUMENT_METRIC,
      ARGUMENT_APPLY,
      ARGUMENT_FORM,
      ARGUMENT_MOST},
     flm_mcp_report},
    {"tree",
     "Call tree",
     "The call tree of a profile: which calls the time is in, from the root.",
     {ARGUMENT_FILE, ARGUMENTS_OF_TREE},
     flm_mcp_tree},
    {"callers",
     "Callers of a function",
     "From where the functions that match are called, as a tree with shares.",
     {ARGUMENT_FILE, ARGUMENT_FUNCTION, ARGUMENTS_OF_TREE},
     flm_mcp_callers},
    {"callees",
     "Callees of a function",
     "What the functions that match call, as a tree with shares.",
     {ARGUMENT_FILE, ARGUMENT_FUNCTION, ARGUMENTS_OF_TREE},
     flm_mcp_callees},
    {"annotate",
     "Cost of source lines",
     "What each source line (or instruction) of a function costs; without a function, the lines "
     "that cost the most of all.",
     {ARGUMENT_FILE,
      {"function", FLM_MCP_TEXT, AT(function), false,
       "'parse', '*parse*' or '/^parse_/'; left out: the most expensive lines of all functions",
       NULL},
      {"code", FLM_MCP_TEXT, AT(code), false, "source (default), assembly, or both",
       "source|assembly|both"},
      {"rows", FLM_MCP_COUNT, AT(rows), false,
       "functions at most (default: 1), or lines where none is named (default: 20)", NULL},
      ARGUMENT_METRIC,
      ARGUMENT_FORM,
      ARGUMENT_MOST},
     flm_mcp_annotate},
    {"diff",
     "Compare two profiles",
     "What changed between two profiles: totals, similarity, and which functions and stacks "
     "changed the most. For single recordings; of several runs of each use gate.",
     {{"before", FLM_MCP_TEXT, AT(before), true, FILE_OF, NULL},
      {"after", FLM_MCP_TEXT, AT(after), true, FILE_OF, NULL},
      {"relative", FLM_MCP_FLAG, AT(relative), false,
       "compare shares of each total, for recordings of different length", NULL},
      ARGUMENT_ROWS,
      ARGUMENT_METRIC,
      ARGUMENT_APPLY,
      ARGUMENT_FORM,
      ARGUMENT_MOST},
     flm_mcp_diff},
    {"gate",
     "Is it a regression?",
     "Several runs before and after a change, tested: PASS, FAIL or INCONCLUSIVE, what grew "
     "significantly and by how much. Needs at least 5 runs of each side, unless exact.",
     {{"base", FLM_MCP_WORDS, AT(base), true, "paths of the runs before the change", NULL},
      {"new", FLM_MCP_WORDS, AT(new), true, "paths of the runs after it", NULL},
      {"alpha", FLM_MCP_NUMBER, AT(alpha), false, "false positive rate (default: 0.01)", NULL},
      {"min_effect", FLM_MCP_NUMBER, AT(min_effect), false,
       "smaller changes do not fail, as a share of the total (default: 0.001)", NULL},
      {"exact", FLM_MCP_FLAG, AT(exact), false,
       "the metric has no noise (calls, bytes): every change is real, one run of each is enough",
       NULL},
      {"policy", FLM_MCP_TEXT, AT(policy), false,
       "path of a file of thresholds for each metric (flamel-gate(1)), instead of a test: one run "
       "of "
       "each side is enough",
       NULL},
      ARGUMENT_ROWS,
      ARGUMENT_METRIC,
      ARGUMENT_APPLY,
      ARGUMENT_FORM,
      ARGUMENT_MOST},
     flm_mcp_gate},
    {"info",
     "What is in a profile",
     "Metrics with their totals, labels, what was lost, and how it was recorded.",
     {ARGUMENT_FILE, ARGUMENT_FORM, ARGUMENT_MOST},
     flm_mcp_info},
    {"live",
     "What a program does now",
     "Watches a running program that measures itself (flamel/probe.h with FLAMEL=on) for some "
     "seconds: what was spent in which function meanwhile, with calls; or a section of its report: "
     "waits for locks, I/O, allocations, values. The program is not stopped.",
     {{"pid", FLM_MCP_COUNT, AT(pid), true, "the process", NULL},
      {"seconds", FLM_MCP_NUMBER, AT(seconds), false, "how long (default: 1, at most 60)", NULL},
      {"section", FLM_MCP_TEXT, AT(section), false,
       "instead: one section of what it measures, since its start and with rates",
       "time|memory|cpu|locks|queues|tasks|io|threads|values|requests|streams|frames|sql|http"},
      {"sort", FLM_MCP_TEXT, AT(sort), false, "by self (default), total or name",
       "self|total|name"},
      ARGUMENT_ROWS,
      ARGUMENT_METRIC,
      ARGUMENT_APPLY,
      ARGUMENT_FORM,
      ARGUMENT_MOST},
     flm_mcp_live},
};

const struct flm_mcp_tool *flm_mcp_tool_at(size_t index)
{
    return index < sizeof tools / sizeof *tools ? &tools[index] : NULL;
}

const struct flm_mcp_tool *flm_mcp_tool_named(struct flm_bytes name)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (flm_bytes_are(name, tools[i].name))
            return &tools[i];
    return NULL;
}

uint32_t flm_mcp_count(double given, uint32_t usual)
{
    return given >= 0 && given <= UINT32_MAX ? (uint32_t)given : usual;
}

/* ---- What clients are told ------------------------------------------------------------------- */

static void add_choices(struct flm_json_writer *json, const char *choices)
{
    flm_json_begin(json, "enum", FLM_JSON_ARRAY_LINE);
    for (const char *at = choices; *at;) {
        size_t size = strcspn(at, "|");
        flm_json_add_text(json, NULL, (struct flm_bytes){at, size});
        at += size + (at[size] == '|');
    }
    flm_json_end(json);
}

static void add_argument(struct flm_json_writer *json, const struct flm_mcp_argument *a)
{
    static const char *const types[] = {"string", "number", "integer", "boolean", "array"};
    flm_json_begin(json, a->name, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "type", flm_bytes_of(types[a->kind]));
    flm_json_add_text(json, "description", flm_bytes_of(a->help));
    if (a->choices)
        add_choices(json, a->choices);
    if (a->kind == FLM_MCP_COUNT)
        flm_json_add_integer(json, "minimum", 0);
    if (a->kind == FLM_MCP_WORDS) {
        flm_json_begin(json, "items", FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "type", flm_bytes_of("string"));
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_tool(struct flm_json_writer *json, const struct flm_mcp_tool *tool)
{
    flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name", flm_bytes_of(tool->name));
    flm_json_add_text(json, "title", flm_bytes_of(tool->title));
    flm_json_add_text(json, "description", flm_bytes_of(tool->description));
    flm_json_begin(json, "inputSchema", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "type", flm_bytes_of("object"));
    flm_json_begin(json, "properties", FLM_JSON_OBJECT_LINE);
    for (const struct flm_mcp_argument *a = tool->arguments; a->name; a++)
        add_argument(json, a);
    flm_json_end(json);
    flm_json_begin(json, "required", FLM_JSON_ARRAY_LINE);
    for (const struct flm_mcp_argument *a = tool->arguments; a->name; a++)
        if (a->is_needed)
            flm_json_add_text(json, NULL, flm_bytes_of(a->name));
    flm_json_end(json);
    flm_json_add_bool(json, "additionalProperties", false);
    flm_json_end(json);
    flm_json_begin(json, "annotations", FLM_JSON_OBJECT_LINE);
    flm_json_add_bool(json, "readOnlyHint", true);
    flm_json_add_bool(json, "openWorldHint", false);
    flm_json_end(json);
    flm_json_end(json);
}

void flm_mcp_list(struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "tools", FLM_JSON_ARRAY_LINE);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        add_tool(&json, &tools[i]);
    flm_json_end(&json);
    flm_json_end(&json);
}

/* ---- What clients send ----------------------------------------------------------------------- */

static const char *keep(struct flm_mcp_call *call, struct flm_json *json, const char *name)
{
    struct flm_bytes text;
    if (flm_json_type(json) != FLM_JSON_TYPE_STRING || !flm_json_string(json, &text)) {
        flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is not a string", name);
        return NULL;
    }
    if (memchr(text.at, 0, text.size)) {
        flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' has a NUL character in it", name);
        return NULL;
    }
    char *copy = malloc(text.size + 1);
    if (!copy || !FLM_ARRAY_ADD(&call->owned, copy)) {
        free(copy);
        flm_error_memory(json->why);
        return NULL;
    }
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    return copy;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t size = strlen(value);
    for (const char *at = choices; *at;) {
        size_t next = strcspn(at, "|");
        if (next == size && memcmp(at, value, size) == 0)
            return true;
        at += next + (at[next] == '|');
    }
    return false;
}

static bool read_text(struct flm_mcp_call *call, const struct flm_mcp_argument *a, void *to,
                      struct flm_json *json)
{
    const char *text = keep(call, json, a->name);
    *(const char **)to = text;
    return text && (!a->choices || is_choice(a->choices, text) ||
                    flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is one of %s, not '%s'",
                                  a->name, a->choices, text));
}

static bool read_number(const struct flm_mcp_argument *a, double *to, struct flm_json *json)
{
    struct flm_json_number number;
    const double most = INT32_MAX;
    if (flm_json_type(json) != FLM_JSON_TYPE_NUMBER || !flm_json_number(json, &number) ||
        !isfinite(number.value))
        return flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is not a number", a->name);
    if (number.value < 0 || number.value > most ||
        (a->kind == FLM_MCP_COUNT && number.value != floor(number.value)))
        return flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is a %snumber from 0 to %d", a->name,
                             a->kind == FLM_MCP_COUNT ? "whole " : "", INT32_MAX);
    *to = number.value;
    return true;
}

static bool read_words(struct flm_mcp_call *call, const struct flm_mcp_argument *a,
                       struct flm_mcp_words *to, struct flm_json *json)
{
    if (flm_json_type(json) != FLM_JSON_TYPE_ARRAY)
        return flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is not an array", a->name);
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        const char *text = keep(call, json, a->name);
        if (!text)
            return false;
        if (!FLM_ARRAY_ADD(to, text))
            return flm_error_memory(json->why);
    }
    return !json->failed;
}

static bool read_argument(struct flm_mcp_call *call, const struct flm_mcp_argument *a,
                          struct flm_json *json)
{
    void *to = (char *)call + a->offset;
    if (flm_json_type(json) == FLM_JSON_TYPE_NULL) { /* some clients send all they know of */
        flm_json_skip(json);
        return true;
    }
    switch (a->kind) {
    case FLM_MCP_TEXT:
        return read_text(call, a, to, json);
    case FLM_MCP_NUMBER:
    case FLM_MCP_COUNT:
        return read_number(a, to, json);
    case FLM_MCP_WORDS:
        return read_words(call, a, to, json);
    case FLM_MCP_FLAG:
        break;
    }
    return (flm_json_type(json) == FLM_JSON_TYPE_BOOL && flm_json_bool(json, to)) ||
           flm_error_set(json->why, FLM_ERROR_USAGE, "'%s' is not true or false", a->name);
}

static const struct flm_mcp_argument *argument_named(const struct flm_mcp_tool *tool,
                                                     struct flm_bytes name)
{
    for (const struct flm_mcp_argument *a = tool->arguments; a->name; a++)
        if (flm_bytes_are(name, a->name))
            return a;
    return NULL;
}

static bool read_members(struct flm_mcp_call *call, const struct flm_mcp_tool *tool,
                         struct flm_json *json)
{
    struct flm_bytes key;
    if (flm_json_type(json) != FLM_JSON_TYPE_OBJECT)
        return flm_error_set(json->why, FLM_ERROR_USAGE, "the arguments are not an object");
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        const struct flm_mcp_argument *a = argument_named(tool, key);
        if (!a)
            return flm_error_set(json->why, FLM_ERROR_USAGE, "%s has no argument '%.*s'",
                                 tool->name, (int)key.size, key.at);
        if (!read_argument(call, a, json))
            return false;
    }
    return !json->failed;
}

/* What is needed and not there. */
static bool is_complete(const struct flm_mcp_call *call, const struct flm_mcp_tool *tool,
                        struct flm_error *why)
{
    for (const struct flm_mcp_argument *a = tool->arguments; a->name; a++) {
        const void *at = (const char *)call + a->offset;
        bool is_given = a->kind == FLM_MCP_TEXT    ? *(const char *const *)at != NULL
                        : a->kind == FLM_MCP_WORDS ? ((const struct flm_mcp_words *)at)->count > 0
                        : a->kind == FLM_MCP_FLAG  ? true
                                                   : !isnan(*(const double *)at);
        if (a->is_needed && !is_given)
            return flm_error_set(why, FLM_ERROR_USAGE, "%s needs '%s': %s", tool->name, a->name,
                                 a->help);
    }
    return true;
}

static bool read_arguments(struct flm_mcp_call *call, const struct flm_mcp_tool *tool,
                           struct flm_bytes arguments, struct flm_error *why)
{
    struct flm_source source = flm_source_of(arguments);
    struct flm_json json;
    if (!arguments.at)
        return is_complete(call, tool, why);
    flm_json_init(&json, &source, why);
    bool good = read_members(call, tool, &json);
    flm_json_clear(&json);
    return good && is_complete(call, tool, why);
}

/* ---- Calling --------------------------------------------------------------------------------- */

/* What does not fit is cut off after a line, and said; JSON without its end is worth nothing. */
static bool limit(struct flm_text *text, const struct flm_mcp_call *call, struct flm_error *why)
{
    enum { USUAL = 16000, LEAST = 200 };
    size_t most = flm_mcp_count(call->max_chars, USUAL), lines = 0;
    most = most > LEAST ? most : LEAST;
    if (text->size <= most)
        return true;
    if (call->form && strcmp(call->form, "json") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the JSON has %zu characters, and max_chars is %zu: ask for fewer "
                             "rows, a larger min_percent, or a larger max_chars",
                             text->size, most);
    size_t end = most;
    while (end > 0 && text->at[end - 1] != '\n')
        end--;
    end = end > 0 ? end : most;
    for (size_t i = end; i < text->size; i++)
        lines += text->at[i] == '\n' || i + 1 == text->size;
    text->size = end;
    flm_text_format(text,
                    "... %zu more lines: ask for fewer rows, a larger min_percent, one function, "
                    "or a larger max_chars\n",
                    lines);
    return true;
}

static void add_content(struct flm_text *out, struct flm_bytes text, bool is_error)
{
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_begin(&json, "content", FLM_JSON_ARRAY_LINE);
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "type", flm_bytes_of("text"));
    flm_json_add_text(&json, "text", text);
    flm_json_end(&json);
    flm_json_end(&json);
    flm_json_add_bool(&json, "isError", is_error);
    flm_json_end(&json);
}

bool flm_mcp_call(const struct flm_mcp_tool *tool, struct flm_bytes arguments,
                  const atomic_bool *is_canceled, struct flm_text *out, struct flm_error *why)
{
    struct flm_mcp_call call = {.pid = NAN,
                                .rows = NAN,
                                .levels = NAN,
                                .min_percent = NAN,
                                .seconds = NAN,
                                .alpha = NAN,
                                .min_effect = NAN,
                                .max_chars = NAN,
                                .is_canceled = is_canceled};
    struct flm_text text = {0};
    flm_memory_limit_read(NULL);
    bool is_understood = read_arguments(&call, tool, arguments, why);
    if (is_understood) {
        bool good = tool->run(&call, &text, why) && (!text.failed || flm_error_memory(why)) &&
                    limit(&text, &call, why);
        if (!good)
            flm_memory_limit_explain(why);
        struct flm_bytes said =
            good ? (struct flm_bytes){text.at, text.size} : flm_bytes_of(why->text);
        add_content(out, said, !good);
    }
    for (size_t i = 0; i < call.owned.count; i++)
        free(call.owned.at[i]);
    FLM_ARRAY_CLEAR(&call.owned);
    FLM_ARRAY_CLEAR(&call.base);
    FLM_ARRAY_CLEAR(&call.new);
    flm_text_clear(&text);
    return is_understood;
}
