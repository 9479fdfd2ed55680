#include "record/symbols/call_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/elf/elf_file.h"

/* A program without unwind tables. `after_X` is behind a call, `X_at` where a sample is. */
static const char source[] =
    ".text\n.globl _start\n_start: nop\n"
    ".type inner, @function\ninner: push %rbp\n push %rbx\n mov %rdi, %rbp\n push %r12\n"
    " sub $64, %rsp\ninner_at: nop\n nop\n.size inner, . - inner\n"
    ".type odd, @function\nodd: lea 8(%rdi), %rax\n push %rbp\nodd_at: nop\n.size odd, . - odd\n"
    ".type outer, @function\nouter: call inner\nafter_inner: nop\n call odd\nafter_odd: nop\n"
    " call tail\nafter_tail: nop\n call other\nafter_other: nop\n"
    " call first\nafter_first: nop\n call zeroth\nafter_zeroth: nop\n.size outer, . - outer\n"
    ".type zeroth, @function\nzeroth: .byte 0xe9\n .long first - . - 4\n.size zeroth, . - zeroth\n"
    ".type first, @function\nfirst: nop\n .byte 0xe9\n .long second - . - 4\n"
    ".size first, . - first\n"
    ".type second, @function\nsecond: .byte 0xe9\n .long tail - . - 4\n.size second, . - second\n"
    ".type tail, @function\ntail: nop\n .byte 0xe9\n .long inner - . - 4\n.size tail, . - tail\n"
    ".type other, @function\nother: nop\n.size other, . - other\n"
    ".type last, @function\nlast: nop\nlast_at: nop\n" /* without a size */
    ".type end, @function\nend: nop\n.size end, 1\n";

enum { STACK = 0x7000, WORDS = 40 };

struct world {
    struct flm_modules *modules;
    struct flm_mapping mapping;
    uint64_t stack[WORDS];
    struct flm_registers registers;
    unsigned budget;
};

static uint64_t label(const char *name)
{
    struct flm_text out = shell_output("nm scan | awk '$3 == \"%s\" { print \"0x\" $1 }'", name);
    flm_text_putc(&out, 0);
    uint64_t address = strtoull(out.at, NULL, 16);
    flm_text_clear(&out);
    assert_true(address > 0);
    return address;
}

static struct world *new_world(void)
{
    static const struct flm_modules_options options = {0};
    struct world *w = calloc(1, sizeof *w);
    w->budget = FLM_CALL_SCAN_BUDGET;
    write_temporary("scan.s", flm_bytes_of(source));
    shell("gcc -nostdlib -static scan.s -o scan");
    w->modules = flm_modules_new(&options, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of(temporary_path("scan"))};
    struct flm_elf_file *file = flm_elf_open(temporary_path("scan"), NULL);
    assert_non_null(file);
    const struct flm_elf_section *text = flm_elf_section(file, ".text");
    w->mapping = (struct flm_mapping){.start = text->address,
                                      .end = text->address + text->size,
                                      .file_offset = text->offset,
                                      .module = flm_modules_get(w->modules, &request)};
    flm_elf_free(file);
    assert_non_null(w->mapping.module);
    return w;
}

static void free_world(struct world *w)
{
    flm_modules_free(w->modules);
    free(w);
}

static bool read_stack(void *context, uint64_t address, uint64_t *word)
{
    struct world *w = context;
    if (address < STACK || address >= STACK + sizeof w->stack)
        return false;
    *word = w->stack[(address - STACK) / 8];
    return true;
}

/* A step from a pc, with all registers known: register i has the value 1000 + i. */
static bool step(struct world *w, const char *from)
{
    w->registers = (struct flm_registers){.machine = FLM_MACHINE_X86_64, .known = 0x1ffff};
    for (uint64_t i = 0; i < 17; i++)
        w->registers.value[i] = 1000 + i;
    w->registers.value[7] = STACK;
    w->registers.value[16] = label(from);
    return flm_step_by_call(&w->mapping, label(from), &w->registers, read_stack, w, &w->budget);
}

static bool knows(const struct world *w, int number)
{
    return w->registers.known >> number & 1;
}

static void the_return_address_is_behind_a_call_of_the_function(void **state)
{
    (void)state;
    struct world *w = new_world();
    memset(w->stack, 0x11, sizeof w->stack);
    w->stack[2] = label("after_other"); /* left by an earlier call */
    w->stack[3] = label("inner_at");
    w->stack[8] = 12;
    w->stack[9] = 3;
    w->stack[10] = 6;
    w->stack[11] = label("after_inner");
    w->stack[12] = label("after_inner");
    assert_true(step(w, "inner_at"));
    assert_true(flm_registers_pc(&w->registers) == label("after_inner"));
    assert_true(flm_registers_sp(&w->registers) == STACK + 12 * 8);
    /* What it has pushed has its values of before, what it has not keeps its own. */
    assert_true(knows(w, 6) && w->registers.value[6] == 6);
    assert_true(knows(w, 3) && w->registers.value[3] == 3);
    assert_true(knows(w, 12) && w->registers.value[12] == 12);
    assert_true(knows(w, 13) && w->registers.value[13] == 1013);
    free_world(w);
}

static void a_function_may_have_been_reached_by_a_jump(void **state)
{
    (void)state;
    struct world *w = new_world();
    memset(w->stack, 0, sizeof w->stack);
    w->stack[11] = label("after_tail");
    assert_true(step(w, "inner_at"));
    assert_true(flm_registers_pc(&w->registers) == label("after_tail"));
    free_world(w);
}

/* As sort, qsort and qsort_r of musl. A loop of jumps ends, too. */
static void several_jumps_are_followed(void **state)
{
    (void)state;
    struct world *w = new_world();
    memset(w->stack, 0, sizeof w->stack);
    w->stack[9] = label("after_zeroth"); /* four jumps away */
    assert_false(step(w, "inner_at"));
    w->budget = FLM_CALL_SCAN_BUDGET;
    w->stack[11] = label("after_first");
    assert_true(step(w, "inner_at"));
    assert_true(flm_registers_pc(&w->registers) == label("after_first"));
    assert_true(flm_registers_sp(&w->registers) == STACK + 12 * 8);
    free_world(w);
}

static void what_may_have_been_changed_is_unknown(void **state)
{
    (void)state;
    struct world *w = new_world();
    memset(w->stack, 0, sizeof w->stack);
    w->stack[1] = label("after_odd");
    assert_true(step(w, "odd_at"));
    assert_true(flm_registers_sp(&w->registers) == STACK + 16);
    assert_false(knows(w, 3) || knows(w, 6) || knows(w, 12) || knows(w, 15));
    free_world(w);
}

/* A program may be made so that every frame takes long. */
static void a_walk_has_a_budget(void **state)
{
    (void)state;
    struct world *w = new_world();
    w->stack[11] = label("after_inner");
    w->budget = 11;
    assert_false(step(w, "inner_at"));
    assert_int_equal(w->budget, 0);
    assert_false(step(w, "inner_at"));
    w->budget = 12;
    assert_true(step(w, "inner_at"));
    /* The code of a function that may end by a jump counts too. */
    memset(w->stack, 0, sizeof w->stack);
    w->stack[0] = label("after_tail");
    w->budget = 1;
    assert_false(step(w, "inner_at"));
    w->budget = 100;
    assert_true(step(w, "inner_at"));
    assert_true(w->budget < 100);
    free_world(w);
}

static void other_return_addresses_are_left_alone(void **state)
{
    (void)state;
    struct world *w = new_world();
    memset(w->stack, 0, sizeof w->stack);
    w->stack[5] = label("after_other");
    w->stack[6] = label("after_odd");
    w->stack[7] = UINT64_MAX;
    assert_false(step(w, "inner_at"));
    assert_true(w->registers.value[7] == STACK && w->registers.known == 0x1ffff);
    free_world(w);
}

static void calls_are_told_from_other_instructions(void **state)
{
    (void)state;
    static const char calls[] =
        ".text\n.globl _start\n_start: .rept 8\n nop\n .endr\n"
        " call _start\nbehind_direct: call *%rax\n"
        "behind_register: call *8(%rbx)\nbehind_near: call *800(%rbx)\n"
        "behind_far: call *(%rbx,%rcx,8)\nbehind_index: call *800(,%rcx,8)\n"
        "behind_table: call *_start(%rip)\nbehind_relative: nop\n"
        "no_call: jmp *%rax\nno_jump: push 8(%rax)\nno_push: nop\n";
    static const char *const behind[] = {"behind_direct",  "behind_register", "behind_near",
                                         "behind_far",     "behind_index",    "behind_table",
                                         "behind_relative"};
    static const char *const others[] = {"_start", "no_call", "no_jump", "no_push"};
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    write_temporary("scan.s", flm_bytes_of(calls));
    shell("gcc -nostdlib -static scan.s -o scan");
    const struct flm_module_request request = {.path = flm_bytes_of(temporary_path("scan"))};
    const struct flm_module *module = flm_modules_get(modules, &request);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        if (!flm_is_after_call(module, label(behind[i])))
            fail_msg("%s", behind[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (flm_is_after_call(module, label(others[i])))
            fail_msg("%s", others[i]);
    flm_modules_free(modules);
}

int main(void)
{
#if !defined(__x86_64__)
    return 77; /* the program is one of x86-64 */
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_told_from_other_instructions),
        cmocka_unit_test(the_return_address_is_behind_a_call_of_the_function),
        cmocka_unit_test(a_function_may_have_been_reached_by_a_jump),
        cmocka_unit_test(several_jumps_are_followed),
        cmocka_unit_test(what_may_have_been_changed_is_unknown),
        cmocka_unit_test(a_walk_has_a_budget),
        cmocka_unit_test(other_return_addresses_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
