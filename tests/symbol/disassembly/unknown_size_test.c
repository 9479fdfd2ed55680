#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/disassembly/internal.h"

static void sizes_of_vector_instructions_follow_from_their_encoding(void **state)
{
    (void)state;
    /* As objdump has them. */
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {"\xc5\xfb\x93\xc0", 4},                     /* kmovd %k0,%eax */
        {"\xc4\xe1\xfb\x92\xcb", 5},                 /* kmovq %rbx,%k1 */
        {"\xc5\xf8\x77", 3},                         /* vzeroupper */
        {"\x62\xf2\x76\x49\x26\xe1", 6},             /* vptestnmb %zmm1,%zmm1,%k4{%k1} */
        {"\x62\xf3\x7d\x48\x3f\xc2\x05", 7},         /* vpcmpeqb %zmm2,%zmm0,%k0 */
        {"\x62\xf3\x6d\x22\x3e\x0f\x04", 7},         /* vpcmpnequb (%rdi),%ymm18,%k1{%k2} */
        {"\x62\xf3\x7d\x28\x3f\x47\x01\x04", 8},     /* the same with 0x20(%rdi) */
        {"\xc5\xfd\x6f\x04\x25\x01\x02\x03\x04", 9}, /* vmovdqa 0x4030201,%ymm0 */
        {"\xc5\xfd\x6f\x44\x24\x08", 6},             /* vmovdqa 0x8(%rsp),%ymm0 */
        {"\xc5\xfd\x6f\x05\x01\x02\x03\x04", 8},     /* vmovdqa 0x4030201(%rip),%ymm0 */
        {"\xc5\xfd\x6f\x84\x24\x01\x02\x03\x04", 9}, /* vmovdqa 0x4030201(%rsp),%ymm0 */
        {"\xc5\xfd\x70\xc1\x1b", 5},                 /* vpshufd $0x1b,%ymm1,%ymm0 */
        {"\x0f\x01\xee", 3},                         /* rdpkru */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* What follows does not count, and what is cut off has no size. */
        char longer[16] = {0};
        memcpy(longer, cases[i].bytes, cases[i].size);
        assert_int_equal(flm_unknown_instruction_size((struct flm_bytes){longer, sizeof longer}),
                         cases[i].size);
        for (size_t size = 0; size < cases[i].size; size++)
            assert_int_equal(flm_unknown_instruction_size((struct flm_bytes){cases[i].bytes, size}),
                             0);
    }
}

static void other_bytes_have_none(void **state)
{
    (void)state;
    static const char *const others[] = {"\x06\x01\x02\x03\x04", "\x0f\x0b\x02\x03\x04",
                                         "\x0f\x01\x38\x03\x04", "\xc4\xe0\xfb\x92\xcb",
                                         "\x62\xf4\x76\x49\x26\xe1"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(flm_unknown_instruction_size((struct flm_bytes){others[i], 5}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_vector_instructions_follow_from_their_encoding),
        cmocka_unit_test(other_bytes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
