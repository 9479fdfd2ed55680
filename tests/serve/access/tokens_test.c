#include "serve/access/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/encode/base64.h"

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static const struct flm_token *found(const struct flm_tokens *tokens, const char *scheme,
                                     struct flm_bytes rest)
{
    struct flm_text header = {0};
    flm_text_puts(&header, scheme);
    flm_text_add(&header, rest);
    flm_text_putc(&header, 0);
    const struct flm_token *token = flm_tokens_find(tokens, header.at);
    flm_text_clear(&header);
    return token;
}

static void a_token_is_known_by_its_hash_alone(void **state)
{
    struct flm_text token = {0}, other = {0}, file = {0}, basic = {0}, pair = {0};
    struct flm_tokens tokens = {0};
    struct flm_error why = {0};
    (void)state;
    flm_text_puts(&file, "# of the agents\n\n");
    assert_true(flm_token_make(FLM_RIGHT_WRITE, NULL, &token, &file, &why));
    assert_true(flm_token_make(FLM_RIGHT_READ | FLM_RIGHT_WRITE, "team-1", &other, &file, &why));
    flm_text_putc(&token, 0);
    assert_false(flm_bytes_contain(bytes_of(&file), token.at));
    token.size--;
    if (!flm_tokens_read(&tokens, bytes_of(&file), &why))
        fail_msg("%s", why.text);
    assert_int_equal(tokens.count, 2);
    const struct flm_token *t = found(&tokens, "Bearer ", bytes_of(&token));
    assert_ptr_equal(t, &tokens.at[0]);
    assert_int_equal(t->rights, FLM_RIGHT_WRITE);
    flm_text_puts(&pair, "anybody:");
    flm_text_add(&pair, bytes_of(&other));
    flm_base64_add(&basic, bytes_of(&pair));
    t = found(&tokens, "Basic ", bytes_of(&basic));
    assert_ptr_equal(t, &tokens.at[1]);
    assert_int_equal(t->rights, FLM_RIGHT_READ | FLM_RIGHT_WRITE);
    assert_string_equal(t->tenant, "team-1");
    token.at[token.size - 1] ^= 1;
    assert_null(found(&tokens, "Bearer ", bytes_of(&token)));
    assert_null(found(&tokens, "Bearer ", flm_bytes_of("")));
    assert_null(found(&tokens, "Basic ", flm_bytes_of("!!!")));
    assert_null(found(&tokens, "", bytes_of(&other)));
    assert_null(flm_tokens_find(&tokens, NULL));
    flm_tokens_clear(&tokens);
    flm_text_clear(&token);
    flm_text_clear(&other);
    flm_text_clear(&file);
    flm_text_clear(&basic);
    flm_text_clear(&pair);
}

static void malformed_lines_say_what_is_wrong(void **state)
{
    static const char *const lines[] = {
        "all 00",
        "write",
        "write,",
        "owner 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "write 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 tenant=a read",
        "write 00",
        "write 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a0x",
        "write 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 for=x",
        "write 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 tenant=a/b"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct flm_tokens tokens = {0};
        struct flm_error why = {0};
        char text[200];
        snprintf(text, sizeof text, "# one\n%s\n", lines[i]);
        assert_false(flm_tokens_read(&tokens, flm_bytes_of(text), &why));
        assert_int_equal(why.line, 2);
        assert_int_equal(tokens.count, 0);
        flm_tokens_clear(&tokens);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_known_by_its_hash_alone),
        cmocka_unit_test(malformed_lines_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
