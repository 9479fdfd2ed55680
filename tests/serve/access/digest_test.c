#include "serve/access/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_digest(struct flm_bytes bytes, const char *expected)
{
    unsigned char digest[FLM_DIGEST_SIZE];
    char text[2 * FLM_DIGEST_SIZE + 1];
    struct flm_error why = {0};
    if (!flm_digest(bytes, digest, &why))
        fail_msg("%s", why.text);
    for (size_t i = 0; i < FLM_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

/* Examples of FIPS 180-4, as NIST publishes them. */
static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_digest(flm_bytes_of(""),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest(flm_bytes_of("abc"),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(flm_bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
