#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/disassembly/internal.h"

/* As objdump 2.40 writes them. */
static void a_size_that_a_register_says_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *mnemonic, *operands, *shown;
    } cases[] = {
        {"movq", "%rax, %rbx", "mov"},
        {"movq", "$0, 8(%rsp)", "movq"},
        {"movq", "%fs:0x28, %rax", "mov"},
        {"movl", "$1, %fs:(%rax)", "movl"},
        {"movq", "%xmm0, %rax", "movq"},
        {"movq", "%rax, %xmm0", "movq"},
        {"movq", "%mm0, %rax", "movq"},
        {"movabsq", "$0x1122334455667788, %rax", "movabs"},
        {"movzbl", "%al, %eax", "movzbl"},
        {"movslq", "%eax, %rdx", "movslq"},
        {"cmovneq", "%rax, %rdx", "cmovne"},
        {"cmovll", "(%rax), %edx", "cmovl"},
        {"leaq", "(, %rax, 8), %rdx", "lea"},
        {"addl", "$1, (%rax, %rbx, 4)", "addl"},
        {"testb", "$1, 0x35(%rbx)", "testb"},
        {"shll", "%cl, (%rdi)", "shll"},
        {"shll", "%cl, %edi", "shl"},
        {"shlq", "$3, %rax", "shl"},
        {"shldq", "%cl, %rax, (%rdi)", "shld"},
        {"lock cmpxchgl", "%ecx, (%rdx)", "lock cmpxchg"},
        {"lock incl", "(%rdx)", "lock incl"},
        {"rep stosq", "%rax, (%rdi)", "rep stos"},
        {"callq", "0x103f", "call"},
        {"bnd jmpq", "*%rax", "bnd jmp"},
        {"pushq", "0x10(%rax)", "push"},
        {"retq", "", "ret"},
        {"psllq", "%xmm0, %xmm1", "psllq"},
        {"cvtsi2sdq", "%rax, %xmm0", "cvtsi2sdq"},
        {"jl", "0x10", "jl"},
        {"ja", "0x10", "ja"},
        {"seteb", "%al", "seteb"},
        {"q", "%rax", "q"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_bytes mnemonic = flm_bytes_of(cases[i].mnemonic);
        mnemonic.size = flm_att_mnemonic_size(mnemonic, flm_bytes_of(cases[i].operands));
        if (!flm_bytes_are(mnemonic, cases[i].shown))
            fail_msg("%s %s: %.*s", cases[i].mnemonic, cases[i].operands, (int)mnemonic.size,
                     mnemonic.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_a_register_says_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
