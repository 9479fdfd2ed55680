#include "serve/grpc/grpc_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void a_message_is_found_behind_its_prefix(void **state)
{
    struct flm_text out = {0};
    struct flm_bytes message;
    struct flm_error why = {0};
    bool is_compressed;
    (void)state;
    flm_grpc_put_message(&out, flm_bytes_of("hello"));
    assert_memory_equal(out.at, "\0\0\0\0\5hello", 10);
    assert_true(
        flm_grpc_message((struct flm_bytes){out.at, out.size}, &message, &is_compressed, &why));
    assert_true(flm_bytes_are(message, "hello"));
    assert_false(is_compressed);
    out.at[0] = 1;
    assert_true(
        flm_grpc_message((struct flm_bytes){out.at, out.size}, &message, &is_compressed, &why));
    assert_true(is_compressed);
    for (size_t size = 0; size < out.size; size++)
        assert_false(
            flm_grpc_message((struct flm_bytes){out.at, size}, &message, &is_compressed, &why));
    flm_text_putc(&out, 0);
    assert_false(
        flm_grpc_message((struct flm_bytes){out.at, out.size}, &message, &is_compressed, &why));
    assert_string_equal(why.text, "there is more than one message in the call");
    out.at[0] = 2;
    assert_false(
        flm_grpc_message((struct flm_bytes){out.at, out.size}, &message, &is_compressed, &why));
    flm_text_clear(&out);
    /* A size of 4 GiB is compared, not added to. */
    assert_false(flm_grpc_message((struct flm_bytes){"\0\xff\xff\xff\xff", 5}, &message,
                                  &is_compressed, &why));
}

static void statuses_are_those_of_grpc(void **state)
{
    (void)state;
    assert_int_equal(flm_grpc_status(200), 0);
    assert_int_equal(flm_grpc_status(422), 3);
    assert_int_equal(flm_grpc_status(401), 16);
    assert_int_equal(flm_grpc_status(503), 14);
    assert_int_equal(flm_grpc_status(299), 13);
}

static void texts_are_percent_encoded(void **state)
{
    struct flm_text out = {0};
    (void)state;
    flm_grpc_put_text(&out, flm_bytes_of("100% of\n\xc3\xa9"));
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "100%25 of%0A%C3%A9");
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_found_behind_its_prefix),
        cmocka_unit_test(statuses_are_those_of_grpc),
        cmocka_unit_test(texts_are_percent_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
