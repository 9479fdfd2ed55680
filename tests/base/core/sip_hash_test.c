#include "base/core/sip_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Appendix A of the paper: the key 00 .. 0f, and the text 00 .. 0e; and texts of other sizes, as
 * the authors' own program has them. */
static void the_published_values_come_out(void **state)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {{0, 0x726FDB47DD0E0E31u},  {1, 0x74F839C593DC67FDu}, {2, 0x0D6C8009D9A94F5Au},
                 {7, 0xAB0200F58B01D137u},  {8, 0x93F5F5799A932462u}, {15, 0xA129CA6149BE45E5u},
                 {16, 0x3F2ACC7F57C29BDBu}, {63, 0x958A324CEB064572u}};
    unsigned char key[FLM_SIP_KEY_SIZE];
    char text[64];
    (void)state;
    for (int i = 0; i < 64; i++) {
        text[i] = (char)i;
        if (i < FLM_SIP_KEY_SIZE)
            key[i] = (unsigned char)i;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(flm_sip_hash(key, (struct flm_bytes){text, known[i].size}) == known[i].hash);
}

static void another_key_gives_another_hash(void **state)
{
    unsigned char key[FLM_SIP_KEY_SIZE] = {0};
    uint64_t before = flm_sip_hash(key, flm_bytes_of("parse"));
    (void)state;
    for (int bit = 0; bit < 8 * FLM_SIP_KEY_SIZE; bit++) {
        key[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(flm_sip_hash(key, flm_bytes_of("parse")) != before);
        key[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(flm_sip_hash(key, flm_bytes_of("parse")) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_values_come_out),
        cmocka_unit_test(another_key_gives_another_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
