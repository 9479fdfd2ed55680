#include "base/core/md5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void assert_md5(struct flm_bytes bytes, const char *expected)
{
    unsigned char digest[FLM_MD5_SIZE];
    char text[2 * FLM_MD5_SIZE + 1];
    flm_md5(bytes, digest);
    for (size_t i = 0; i < FLM_MD5_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

/* The test suite of RFC 1321, A.5. */
static void digests_are_those_of_the_standard(void **state)
{
    (void)state;
    assert_md5(flm_bytes_of(""), "d41d8cd98f00b204e9800998ecf8427e");
    assert_md5(flm_bytes_of("a"), "0cc175b9c0f1b6a831c399e269772661");
    assert_md5(flm_bytes_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    assert_md5(flm_bytes_of("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
    assert_md5(flm_bytes_of("1234567890123456789012345678901234567890"
                            "1234567890123456789012345678901234567890"),
               "57edf4a22be3c955ac49da2e2107b67a");
}

/* md5sum of as many 'x'. */
static void every_rest_of_a_block_is_padded(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *digest;
    } cases[] = {
        {55, "04364420e25c512fd958a70738aa8f72"},  {56, "668a72d5ba17f08e62dabcafad6db14b"},
        {63, "7dc2ca208106a2f703567bdff99d8981"},  {64, "c1bb4f81d892b2d57947682aeb252456"},
        {65, "1bc932052302d074bdec39795fe00cf6"},  {119, "ab347a5f68c8a443cfcddc633f12c24f"},
        {120, "fb98667f98096de92620b64f46e1c5b5"}, {128, "d69cb61a6ee87200676eb0d4b90edbcb"},
        {200, "30a83621ce5422fbdfdd539777458c78"},
    };
    char text[200];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_md5((struct flm_bytes){text, cases[i].size}, cases[i].digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(every_rest_of_a_block_is_padded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
