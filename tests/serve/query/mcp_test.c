/* Tools of MCP over sockets: what they answer is what the API does, and what is wrong is said. A
 * client of others asks in tests/clients/mcp.mjs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/http_talk.h"
#include "support/core/json_tree.h"
#include "support/serve/served.h"

static void asks(const struct served *s, const char *message, int status, const char *contains)
{
    struct http_answer a = http_ask(s->port, "POST", "/mcp", "Content-Type: application/json\r\n",
                                    flm_bytes_of(message));
    assert_int_equal(a.status, status);
    if (!flm_bytes_contain(a.body, contains))
        fail_msg("%s: %.*s", message, (int)a.body.size, a.body.at);
    if (a.body.size > 0 && a.body.at[0] == '{') {
        struct flm_text text = {0};
        flm_text_add(&text, a.body);
        flm_text_putc(&text, 0);
        json_tree_free(json_tree_parse(text.at)); /* it is JSON */
        flm_text_clear(&text);
    }
    flm_text_clear(&a.all);
}

#define RPC "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": "
#define CALL(name, arguments)                                                                      \
    RPC "\"tools/call\", \"params\": {\"name\": \"" name "\", \"arguments\": " arguments "}}"

static void tools_answer_as_the_api_does(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    expect_post(&s, "/api/v1/push?service=api", "main;work 7\nmain;idle 3\n", 200, "{}");
    asks(&s, RPC "\"initialize\", \"params\": {\"protocolVersion\": \"2025-06-18\"}}", 200,
         "\"id\": 7, \"result\": {\"protocolVersion\": \"2025-06-18\"");
    asks(&s, RPC "\"initialize\", \"params\": {\"protocolVersion\": \"1\"}}", 200,
         "\"protocolVersion\": \"2025-11-25\"");
    asks(&s, "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}", 202, "");
    asks(&s, RPC "\"ping\"}", 200, "\"result\": {}");
    asks(&s, RPC "\"tools/list\"}", 200, "\"name\": \"top_functions\"");
    asks(&s, CALL("list_services", "{}"), 200, "{\\\"services\\\": [\\\"api\\\"]}");
    asks(&s, CALL("top_functions", "{\"selector\": \"service=api\", \"rows\": 1}"), 200, "work");
    asks(&s, CALL("stacks", "{\"nodes\": 2}"), 200, "main;[other] 10");
    asks(&s, CALL("stacks", "{\"selector\": \"service=web\"}"), 200, "\"isError\": true");
    asks(&s, CALL("stacks", "{\"nodes\": 2, \"x\": \"y\"}"), 200, "there is no parameter 'x'");
    asks(&s, CALL("gate", "{}"), 200, "\"isError\": true");
    serve_stop(&s);
}

static void what_is_wrong_is_an_error(void **state)
{
    (void)state;
    struct served s = serve_start((struct flm_serve_options){0});
    asks(&s, "{", 400, "\"error\": {\"code\": -32700");
    asks(&s, "{}", 400, "\"error\": {\"code\": -32600");
    asks(&s, "[]", 400, "\"error\": {\"code\": -32600");
    asks(&s, RPC "\"resources/list\"}", 200, "\"error\": {\"code\": -32601");
    asks(&s, RPC "\"tools/call\"}", 200, "\"error\": {\"code\": -32602");
    asks(&s, CALL("none", "{}"), 200, "\"error\": {\"code\": -32602");
    asks(&s, CALL("stacks", "{\"nodes\": [1]}"), 200, "\"error\": {\"code\": -32602");
    asks(&s, CALL("stacks", "{\"selector\": \"a\\u0000b\"}"), 200, "\"error\": {\"code\": -32602");
    expect_get(&s, "/mcp", 405, "{\"error\": ");
    serve_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_answer_as_the_api_does),
        cmocka_unit_test(what_is_wrong_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
