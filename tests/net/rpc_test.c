#include "net/rpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void a_request_has_its_parts_as_they_came(void **state)
{
    (void)state;
    struct flm_rpc_message m;
    enum flm_rpc_code code;
    struct flm_error why;
    assert_true(flm_rpc_read(flm_bytes_of("{\"params\": {\"a\": [1, 2]}, \"method\": \"x/y\", "
                                          "\"jsonrpc\": \"2.0\", \"id\": \"7\"}"),
                             &m, &code, &why));
    assert_true(flm_bytes_are(m.id, "\"7\""));
    assert_true(flm_bytes_are(m.params, "{\"a\": [1, 2]}"));
    assert_true(flm_bytes_are((struct flm_bytes){m.method.at, m.method.size}, "x/y"));
    flm_rpc_clear(&m);
    assert_true(flm_rpc_read(flm_bytes_of("{\"jsonrpc\": \"2.0\", \"method\": \"note\"}"), &m,
                             &code, &why));
    assert_null(m.id.at);
    assert_null(m.params.at);
    flm_rpc_clear(&m);
}

static void what_is_no_request_has_a_code(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum flm_rpc_code code;
    } cases[] = {{"", FLM_RPC_NO_JSON},
                 {"{\"jsonrpc\": \"2.0\", \"method\": \"x\"", FLM_RPC_NO_JSON},
                 {"[]", FLM_RPC_NO_REQUEST},
                 {"{\"method\": \"x\", \"id\": 1}", FLM_RPC_NO_REQUEST},
                 {"{\"jsonrpc\": \"1.0\", \"method\": \"x\", \"id\": 1}", FLM_RPC_NO_REQUEST},
                 {"{\"jsonrpc\": \"2.0\", \"method\": \"x\", \"id\": {}}", FLM_RPC_NO_REQUEST},
                 {"{\"jsonrpc\": \"2.0\", \"method\": \"x\", \"params\": 1}", FLM_RPC_NO_REQUEST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_rpc_message m;
        enum flm_rpc_code code;
        struct flm_error why = {0};
        assert_false(flm_rpc_read(flm_bytes_of(cases[i].line), &m, &code, &why));
        assert_int_equal(code, cases[i].code);
        assert_true(why.text[0]);
        flm_rpc_clear(&m);
    }
}

static void answers_are_lines(void **state)
{
    (void)state;
    struct flm_text out = {0};
    flm_rpc_add_result(&out, flm_bytes_of("7"), flm_bytes_of("{\"a\": 1}\n"));
    flm_rpc_add_error(&out, (struct flm_bytes){NULL, 0}, FLM_RPC_NO_JSON, "say \"what\"");
    flm_text_putc(&out, 0);
    assert_string_equal(out.at,
                        "{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {\"a\": 1}}\n"
                        "{\"jsonrpc\": \"2.0\", \"id\": null, \"error\": {\"code\": -32700, "
                        "\"message\": \"say \\\"what\\\"\"}}\n");
    flm_text_clear(&out);
}

static void a_batch_is_its_messages(void **state)
{
    (void)state;
    struct flm_rpc_batch batch = {0};
    assert_true(flm_rpc_batch(flm_bytes_of("[{\"a\": 1}, 2]"), &batch));
    assert_int_equal(batch.count, 2);
    assert_true(flm_bytes_are(batch.at[0], "{\"a\": 1}"));
    FLM_ARRAY_CLEAR(&batch);
    assert_false(flm_rpc_batch(flm_bytes_of("{}"), &batch));
    assert_false(flm_rpc_batch(flm_bytes_of("[]"), &batch));
    assert_false(flm_rpc_batch(flm_bytes_of("[1"), &batch));
    FLM_ARRAY_CLEAR(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_its_parts_as_they_came),
        cmocka_unit_test(what_is_no_request_has_a_code),
        cmocka_unit_test(answers_are_lines),
        cmocka_unit_test(a_batch_is_its_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
