#include "record/symbols/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"

/* A process with two files: at GO one with Go's table of functions, at C one without. */
enum { GO = 0x100000, C = 0x200000, SIZE = 0x10000 };

struct world {
    struct flm_modules *modules;
    struct flm_mapping mappings[2];
    struct flm_process process;
    struct flm_event_layout layout;
    struct flm_session session;
};

static struct flm_module *module_of(struct world *w, const char *path)
{
    const struct flm_module_request request = {.path = flm_bytes_of(path)};
    struct flm_module *module = flm_modules_get(w->modules, &request);
    assert_non_null(module);
    return module;
}

static struct world *new_world(void)
{
    static const struct flm_modules_options options = {0};
    struct world *w = calloc(1, sizeof *w);
    write_temporary("go.s", flm_bytes_of(".text\n.globl _start\n_start: nop\n"
                                         ".section .gopclntab, \"a\"\n.quad 0\n"));
    shell("gcc -nostdlib -static go.s -o go");
    w->modules = flm_modules_new(&options, NULL);
    w->mappings[0] = (struct flm_mapping){
        .start = GO, .end = GO + SIZE, .module = module_of(w, temporary_path("go"))};
    w->mappings[1] =
        (struct flm_mapping){.start = C, .end = C + SIZE, .module = module_of(w, "/proc/self/exe")};
    w->process = (struct flm_process){.mappings = w->mappings, .mapping_count = 2};
    return w;
}

static void free_world(struct world *w)
{
    flm_modules_free(w->modules);
    free(w);
}

/* Joins an unwound stack and a chain, both as letters: a frame of Go is a capital letter, of C a
 * small one. The joined stack as letters, and '!' where it is not whole. */
static const char *join(struct world *w, const char *unwound, enum flm_unwind_end end,
                        const char *chain)
{
    static char joined[100];
    uint64_t words[100] = {FLM_CONTEXT_KERNEL, UINT64_MAX - 0x100000, FLM_CONTEXT_USER};
    size_t count = 3;
    for (; *chain; chain++)
        words[count++] = (*chain < 'a' ? GO : C) + (uint64_t)*chain;
    const struct flm_event_sample sample = {
        .layout = &w->layout, .chain = words, .chain_count = count};
    struct flm_unwound all = {strlen(unwound), end};
    memset(w->session.exact, 0, sizeof w->session.exact);
    for (size_t i = 0; i < all.count; i++)
        w->session.unwound[i] = (unwound[i] < 'a' ? GO : C) + (uint64_t)unwound[i];
    all = flm_session_join(&w->session, &w->process, &sample, all);
    size_t size = 0;
    for (; size < all.count; size++)
        joined[size] = (char)(w->session.unwound[size] & 0xff);
    if (all.end != FLM_UNWIND_WHOLE)
        joined[size++] = '!';
    joined[size] = 0;
    return joined;
}

static void a_chain_leads_further_than_tables(void **state)
{
    (void)state;
    const enum flm_unwind_end whole = FLM_UNWIND_WHOLE, lost = FLM_UNWIND_NO_MODULE;
    struct world *w = new_world();
    /* Across a change of stacks: where unwinding knows that it ends, and where it does not. */
    assert_string_equal(join(w, "ABS", whole, "ABSMNG"), "ABSMNG");
    assert_string_equal(join(w, "ABSX", lost, "ABSMNG"), "ABSMNG");
    /* The leaf has no frame of its own: its caller is only in the unwound stack. */
    assert_string_equal(join(w, "ABCS", whole, "ACSMNG"), "ABCSMNG");
    /* Stripped: there are no tables. */
    assert_string_equal(join(w, "A", lost, "ABCG"), "ABCG");
    /* From C, which Go has called. */
    assert_string_equal(join(w, "abCS", lost, "aCSMG"), "abCSMG");
    /* A chain that breaks off leads nowhere. */
    assert_string_equal(join(w, "ABCDG", whole, "ABC"), "ABCDG");
    assert_string_equal(join(w, "ABCDG", whole, "A"), "ABCDG");
    assert_string_equal(join(w, "ABCDG", whole, ""), "ABCDG");
    free_world(w);
}

/* Other programs use the register of the frame pointer for anything. */
static void other_programs_are_unwound_alone(void **state)
{
    (void)state;
    struct world *w = new_world();
    assert_string_equal(join(w, "abc", FLM_UNWIND_WHOLE, "abcdef"), "abc");
    assert_string_equal(join(w, "abc", FLM_UNWIND_NO_TABLE, "abcdef"), "abc!");
    assert_string_equal(join(w, "a", FLM_UNWIND_NO_TABLE, "aBC"), "a!");
    free_world(w);
}

static void a_chain_as_deep_as_the_kernel_records_may_be_cut(void **state)
{
    (void)state;
    struct world *w = new_world();
    w->layout.deepest_chain = 6; /* with the frame of the kernel */
    assert_string_equal(join(w, "AB", FLM_UNWIND_NO_TABLE, "ABCDE"), "AB!");
    assert_string_equal(join(w, "AB", FLM_UNWIND_NO_TABLE, "ABCD"), "ABCD");
    free_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_leads_further_than_tables),
        cmocka_unit_test(other_programs_are_unwound_alone),
        cmocka_unit_test(a_chain_as_deep_as_the_kernel_records_may_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
