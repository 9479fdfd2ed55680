/* The protocol, as a client sees it: lines in, lines out. */
#include "cli/mcp/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/mcp/tools.h"
#include "flamel/probe_format.h"
#include "support/core/files.h"

static char *answers; /* of the last client */

/* What is answered to `lines`, which end in newlines. */
static const char *ask(const char *lines)
{
    struct flm_error why;
    size_t size = 0;
    free(answers);
    answers = NULL;
    char *copy = strdup(lines);
    FILE *in = fmemopen(copy, strlen(copy), "r"), *out = open_memstream(&answers, &size);
    assert_true(in && out);
    assert_true(flm_mcp_serve(in, out, &why));
    fclose(in);
    fclose(out);
    free(copy);
    return answers;
}

#define CALL(id, tool, arguments)                                                                  \
    "{\"jsonrpc\": \"2.0\", \"id\": " id ", \"method\": \"tools/call\", \"params\": {\"name\": "   \
    "\"" tool "\", \"arguments\": {" arguments "}}}\n"

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

static const char *folded(const char *name, const char *content)
{
    return write_temporary(name, flm_bytes_of(content));
}

static size_t line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* ---- The protocol ---------------------------------------------------------------------------- */

static void the_version_is_the_clients_where_it_is_known(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {{"2024-11-05", "2024-11-05"},
                                            {"2025-03-26", "2025-03-26"},
                                            {"2025-06-18", "2025-06-18"},
                                            {"2031-01-01", "2025-06-18"}};
    for (size_t i = 0; i < 4; i++) {
        char line[300], part[64];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\": \"2.0\", \"id\": 0, \"method\": \"initialize\", \"params\": "
                 "{\"capabilities\": {}, \"protocolVersion\": \"%s\"}}\n",
                 wanted[i][0]);
        snprintf(part, sizeof part, "\"protocolVersion\": \"%s\"", wanted[i][1]);
        has(ask(line), part);
        has(answers, "\"capabilities\": {\"tools\": {}}");
    }
}

static void only_requests_are_answered_and_each_on_a_line(void **state)
{
    (void)state;
    assert_string_equal(ask("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}\n"
                            "\r\n"
                            "{\"method\": \"ping\", \"id\": \"a\\\"b\", \"jsonrpc\": \"2.0\"}\r\n"
                            "{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}\n"
                            "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}"),
                        "{\"jsonrpc\": \"2.0\", \"id\": \"a\\\"b\", \"result\": {}}\n"
                        "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"result\": {}}\n");
}

static void what_is_no_request_is_an_error_of_the_protocol(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"nonsense", "\"id\": null, \"error\": {\"code\": -32700"},
        {"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"ping\"",
         "\"id\": null, \"error\": {\"code\": -32700"},
        {"{\"jsonrpc\": \"2.0\", \"id\": 3} x", "\"id\": null, \"error\": {\"code\": -32700"},
        {"7", "\"id\": null, \"error\": {\"code\": -32600"},
        {"{}", "\"id\": null, \"error\": {\"code\": -32600"},
        {"[]", "\"id\": null, \"error\": {\"code\": -32600"},
        {"{\"id\": 3, \"method\": \"ping\"}", "\"id\": 3, \"error\": {\"code\": -32600"},
        {"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}", "\"code\": -32600"},
        {"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": 4}",
         "\"id\": 3, \"error\": {\"code\": -32600"},
        {"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"resources/list\"}",
         "\"id\": 3, \"error\": {\"code\": -32601"},
        {"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"tools/call\"}",
         "\"id\": 3, \"error\": {\"code\": -32602"},
        {CALL("3", "rm", ""),
         "\"error\": {\"code\": -32602, \"message\": \"there is no tool 'rm'\"}"},
        {CALL("3", "tree", "\"depth\": 3"), "tree has no argument 'depth'"},
        {CALL("3", "tree", "\"levels\": \"3\""), "'levels' is not a number"},
        {CALL("3", "tree", "\"levels\": 1.5"), "'levels' is a whole number from 0"},
        {CALL("3", "tree", "\"pid\": -1"), "'pid' is a whole number from 0"},
        {CALL("3", "tree", "\"form\": \"xml\""), "'form' is one of text|json, not 'xml'"},
        {CALL("3", "tree", "\"file\": \"a\\u0000b\""), "'file' has a NUL character"},
        {CALL("3", "gate", "\"base\": \"a\""), "'base' is not an array"},
        {CALL("3", "gate", "\"base\": [\"a\"], \"new\": []"), "gate needs 'new'"},
        {CALL("3", "gate", "\"exact\": 1"), "'exact' is not true or false"},
        {CALL("3", "diff", "\"after\": \"x\""), "diff needs 'before'"},
        {CALL("3", "live", ""), "live needs 'pid'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        has(ask(wrong[i][0]), wrong[i][1]);
        assert_int_equal(line_count(answers), 1);
    }
}

static void a_batch_is_answered_as_one(void **state)
{
    (void)state;
    assert_string_equal(ask("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"},"
                            "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/x\"},"
                            "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}]\n"),
                        "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}},"
                        "{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {}}]\n");
    assert_string_equal(ask("[{\"jsonrpc\": \"2.0\", \"method\": \"notifications/x\"}]\n"), "");
}

/* A file as of a program that measures itself, and has measured nothing: this one. */
static int measure_nothing(void)
{
    const struct flm_probe_header header = {.magic = FLM_PROBE_MAGIC,
                                            .version = FLM_PROBE_VERSION,
                                            .header_size = sizeof header,
                                            .pid = (uint32_t)getpid(),
                                            .state = FLM_PROBE_RUNNING,
                                            .size = sizeof header,
                                            .used = sizeof header,
                                            .ns_per_tick = (uint64_t)1 << 32};
    int file = memfd_create("flamel-probe", MFD_CLOEXEC);
    assert_int_equal(write(file, &header, sizeof header), sizeof header);
    return file;
}

static void a_call_can_be_canceled_and_others_go_on(void **state)
{
    (void)state;
    static const char lines[] = CALL("5", "live", "\"pid\": %d, \"seconds\": 60") CALL(
        "6", "live",
        "\"pid\": %d, \"seconds\": 60") "{\"jsonrpc\": \"2.0\", \"method\": "
                                        "\"notifications/cancelled\", \"params\": {\"requestId\": "
                                        "6}}\n"
                                        "{\"jsonrpc\": \"2.0\", \"method\": "
                                        "\"notifications/cancelled\", \"params\": {\"requestId\": "
                                        "99}}\n"
                                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"ping\"}\n"
                                        "{\"jsonrpc\": \"2.0\", \"method\": "
                                        "\"notifications/cancelled\", \"params\": {\"requestId\": "
                                        "5}}\n";
    char asked[sizeof lines + 40];
    int file = measure_nothing();
    snprintf(asked, sizeof asked, lines, (int)getpid(), (int)getpid());
    assert_string_equal(ask(asked), "{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}\n");
    close(file);
}

/* ---- The tools ------------------------------------------------------------------------------- */

static void every_tool_is_listed_with_its_arguments(void **state)
{
    (void)state;
    ask("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}\n");
    const struct flm_mcp_tool *tool;
    size_t i = 0;
    for (; (tool = flm_mcp_tool_at(i)) != NULL; i++) {
        char part[80];
        snprintf(part, sizeof part, "{\"name\": \"%s\", ", tool->name);
        has(answers, part);
        assert_true(tool->arguments[FLM_MCP_MOST_ARGUMENTS - 1].name == NULL);
        for (const struct flm_mcp_argument *a = tool->arguments; a->name; a++)
            assert_true(strlen(a->help) > 0);
    }
    assert_true(i >= 9);
    has(answers, "\"required\": [\"before\", \"after\"]");
    has(answers, "\"base\": {\"type\": \"array\", ");
}

static void reports_are_of_files(void **state)
{
    (void)state;
    char lines[2000];
    const char *path = folded("a.folded", "main;parse;lex 30\nmain;parse 10\nmain;emit 60\n");
    snprintf(lines, sizeof lines,
             CALL("1", "report", "\"file\": \"%s\", \"rows\": 2")
                 CALL("2", "tree", "\"file\": \"%s\", \"metric\": null")
                     CALL("3", "callers", "\"file\": \"%s\", \"function\": \"lex\"") CALL(
                         "4", "callees", "\"file\": \"%s\", \"function\": \"parse\"")
                         CALL("5", "info", "\"file\": \"%s\"") CALL(
                             "6", "report",
                             "\"file\": \"%s\", \"apply\": \"focus:parse\", \"form\": \"json\""),
             path, path, path, path, path, path);
    ask(lines);
    assert_int_equal(line_count(answers), 6);
    assert_null(strstr(answers, "\"isError\": true"));
    has(answers, "60  60.0 %");
    has(answers, "and 2 more");
    has(answers, "|- emit");
    has(answers, "\\\"total\\\": 40");
}

static void what_goes_wrong_in_a_tool_is_for_the_model(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {CALL("1", "report", "\"file\": \"/nowhere.flm\""), "/nowhere.flm: cannot be opened"},
        {CALL("1", "report", "\"file\": \"-\""), "standard input has no profile"},
        {CALL("1", "report", "\"file\": \"https://example.com/x.flm\""), "from the network"},
        {CALL("1", "report", ""), "give a file, or a pid"},
        {CALL("1", "report", "\"file\": \"a\", \"pid\": 1"), "give a file, or a pid"},
        {CALL("1", "report", "\"pid\": 1073741823"), "there is no process 1073741823"},
        {CALL("1", "live", "\"pid\": 1073741823"), "there is no process 1073741823"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        has(ask(wrong[i][0]), wrong[i][1]);
        has(answers, "\"isError\": true");
    }
}

static void an_operation_without_a_match_is_said(void **state)
{
    (void)state;
    char lines[400];
    snprintf(lines, sizeof lines,
             CALL("1", "report", "\"file\": \"%s\", \"apply\": \"focus:nothing\""),
             folded("b.folded", "main 1\n"));
    has(ask(lines), "apply: ");
    has(answers, "\"isError\": true");
}

static void long_answers_are_cut_after_a_line_and_say_so(void **state)
{
    (void)state;
    struct flm_text many = {0};
    char lines[800];
    for (int i = 0; i < 300; i++)
        flm_text_format(&many, "main;function_%d %d\n", i, 1000 + i);
    const char *path = write_temporary("many.folded", (struct flm_bytes){many.at, many.size});
    flm_text_clear(&many);
    snprintf(lines, sizeof lines,
             CALL("1", "report", "\"file\": \"%s\", \"rows\": 0, \"max_chars\": 1000"), path);
    ask(lines);
    has(answers, "more lines: ask for fewer rows");
    assert_true(strlen(answers) < 1500);
    snprintf(lines, sizeof lines,
             CALL("1", "report",
                  "\"file\": \"%s\", \"rows\": 0, \"max_chars\": 1000, \"form\": \"json\""),
             path);
    has(ask(lines), "the JSON has ");
    has(answers, "\"isError\": true");
}

static void two_files_are_compared_and_runs_are_judged(void **state)
{
    (void)state;
    char lines[3000], before[400], after[400];
    snprintf(before, sizeof before, "%s", folded("c.folded", "main;a 1000\nmain;b 500\n"));
    snprintf(after, sizeof after, "%s", folded("d.folded", "main;a 1000\nmain;b 900\n"));
    snprintf(lines, sizeof lines,
             CALL("1", "diff", "\"before\": \"%s\", \"after\": \"%s\"")
                 CALL("2", "gate", "\"base\": [\"%s\"], \"new\": [\"%s\"], \"exact\": true")
                     CALL("3", "gate", "\"base\": [\"%s\"], \"new\": [\"%s\"]"),
             before, after, before, after, before, after);
    ask(lines);
    has(answers, "FAIL");
    has(answers, "+400");
    has(answers, "\"id\": 3, \"result\": {\"content\"");
    has(answers, "\"isError\": true"); /* one run of each is not enough for a test */
}

/* As flamel gate --policy; one run of each side is enough. */
static void runs_are_judged_by_a_policy(void **state)
{
    (void)state;
    char lines[6000], before[400], after[400], policy[400], loose[400], one[1300], two[1300];
    const char *sides = "\"base\": [\"%s\"], \"new\": [\"%s\"], \"policy\": \"%s\"";
    snprintf(before, sizeof before, "%s", folded("c.folded", "main;a 1000\nmain;b 500\n"));
    snprintf(after, sizeof after, "%s", folded("d.folded", "main;a 1000\nmain;b 900\n"));
    snprintf(policy, sizeof policy, "%s", folded("policy", "least-change = 10%\n[samples]\n"));
    snprintf(loose, sizeof loose, "%s", folded("loose", "least-change = 90%\n[samples]\n"));
    snprintf(one, sizeof one, sides, before, after, policy);
    snprintf(two, sizeof two, sides, before, after, loose);
    snprintf(
        lines, sizeof lines,
        CALL("1", "gate", "%s") CALL("2", "gate", "%s") CALL("3", "gate", "%s, \"exact\": true")
            CALL("4", "gate", "\"base\": [\"%s\"], \"new\": [\"%s\"], \"policy\": \"/no\""),
        one, two, one, before, after);
    ask(lines);
    has(answers, "\"id\": 1, \"result\": {\"content\": [{\"type\": \"text\", \"text\": \"FAIL");
    has(answers, "\"id\": 2, \"result\": {\"content\": [{\"type\": \"text\", \"text\": \"PASS");
    has(answers, "a policy says itself what fails");
    has(answers, "/no: cannot be opened");
}

static int free_answers(void **state)
{
    (void)state;
    free(answers);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_the_clients_where_it_is_known),
        cmocka_unit_test(only_requests_are_answered_and_each_on_a_line),
        cmocka_unit_test(what_is_no_request_is_an_error_of_the_protocol),
        cmocka_unit_test(a_batch_is_answered_as_one),
        cmocka_unit_test(a_call_can_be_canceled_and_others_go_on),
        cmocka_unit_test(every_tool_is_listed_with_its_arguments),
        cmocka_unit_test(reports_are_of_files),
        cmocka_unit_test(what_goes_wrong_in_a_tool_is_for_the_model),
        cmocka_unit_test(an_operation_without_a_match_is_said),
        cmocka_unit_test(long_answers_are_cut_after_a_line_and_say_so),
        cmocka_unit_test(two_files_are_compared_and_runs_are_judged),
        cmocka_unit_test(runs_are_judged_by_a_policy),
    };
    return cmocka_run_group_tests(tests, NULL, free_answers);
}
