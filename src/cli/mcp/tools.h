/* tools.h - what coding assistants may call: the tools of `flamel mcp`, a table.
 *
 * A tool reads files and running programs, changes nothing, and answers with a text of limited size
 * that says what it left out. Its arguments are a table as well, from which the schema that clients
 * are told and the checking of what they send are made. */
#ifndef FLAMEL_CLI_MCP_TOOLS_H
#define FLAMEL_CLI_MCP_TOOLS_H

#include <stdatomic.h>

#include "flamel/profile.h"
#include "net/rpc.h"

struct flm_mcp_words FLM_ARRAY(const char *);

/* The arguments of all tools. Texts are owned by `owned`; NULL and NaN: not given. */
struct flm_mcp_call {
    const char *file, *before, *after, *metric, *apply, *function, *sort, *form, *code, *section,
        *policy;
    double pid, rows, levels, min_percent, seconds, alpha, min_effect, max_chars;
    bool exact, relative;
    struct flm_mcp_words base, new;
    struct FLM_ARRAY(char *) owned;

    const atomic_bool *is_canceled;
};

struct flm_mcp_argument {
    const char *name;
    enum { FLM_MCP_TEXT, FLM_MCP_NUMBER, FLM_MCP_COUNT, FLM_MCP_FLAG, FLM_MCP_WORDS } kind;
    size_t offset;
    bool is_needed;
    const char *help;
    const char *choices; /* "top|tree"; NULL: any text */
};

enum { FLM_MCP_MOST_ARGUMENTS = 14 };

struct flm_mcp_tool {
    const char *name, *title, *description;
    struct flm_mcp_argument arguments[FLM_MCP_MOST_ARGUMENTS]; /* a name of NULL ends them */
    bool (*run)(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
};

/* NULL behind the last. */
const struct flm_mcp_tool *flm_mcp_tool_at(size_t index);
const struct flm_mcp_tool *flm_mcp_tool_named(struct flm_bytes name);

/* The result of tools/list, and that of a tool that is called with `arguments` (JSON; {NULL}:
 * none). False, and `why`, where the arguments are wrong: an error of the protocol. What goes wrong
 * in the tool is part of its result, for the model to read. */
void flm_mcp_list(struct flm_text *out);
bool flm_mcp_call(const struct flm_mcp_tool *tool, struct flm_bytes arguments,
                  const atomic_bool *is_canceled, struct flm_text *out, struct flm_error *why);

/* ---- For the tools --------------------------------------------------------------------------- */

/* The profile of `path`, or of the process where that is given, after `apply`. */
struct flm_profile *flm_mcp_load(const struct flm_mcp_call *call, const char *path,
                                 struct flm_error *why);

/* Adds a report, and frees it, in the form that is asked for. NULL: false. */
struct flm_report;
bool flm_mcp_add_report(const struct flm_mcp_call *call, struct flm_report *report,
                        struct flm_text *out, struct flm_error *why);

/* The name of what is looked at, in reports. */
const char *flm_mcp_source(const struct flm_mcp_call *call);

/* A number that was given, within its limits; or `usual`. */
uint32_t flm_mcp_count(double given, uint32_t usual);

bool flm_mcp_report(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_tree(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_callers(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_callees(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_info(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_annotate(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_diff(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_gate(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);
bool flm_mcp_live(const struct flm_mcp_call *call, struct flm_text *out, struct flm_error *why);

#endif
