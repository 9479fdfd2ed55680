/* Machine code with costs, as it is printed: of a function whose code is made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/annotate.h"
#include "flamel/builder.h"
#include "profile/columns.h"
#include "report/profile/sources.h"
#include "support/core/failures.h"

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static const struct flm_bytes files[] = {TEXT("src/find.c")};
static const struct flm_code_inlined inlined[] = {{TEXT("same"), FLM_CODE_NONE, 0, 3}};
#define PLACED(to) .has_place = true, .leads = true, .place = to
static const struct flm_code_instruction instructions[] = {
    {.address = 0x10,
     .size = 2,
     .code = TEXT("\x8b\x07"),
     .text = TEXT("mov    (%rdi),%eax"),
     .line = 2,
     .inlined = FLM_CODE_NONE},
    {.address = 0x12,
     .size = 2,
     .code = TEXT("\x39\xc3"),
     .text = TEXT("cmp    %eax,%ebx"),
     .line = 1,
     .inlined = 0},
    {.address = 0x14,
     .size = 2,
     .kind = FLM_INSTRUCTION_BRANCH,
     PLACED(0x10),
     .code = TEXT("\x75\xfa"),
     .text = TEXT("jne    0x10"),
     .line = 3,
     .inlined = FLM_CODE_NONE},
    {.address = 0x16,
     .size = 5,
     .kind = FLM_INSTRUCTION_CALL,
     PLACED(0x90),
     .code = TEXT("\xe8\x75\0\0\0"),
     .text = TEXT("call   0x90"),
     .target = TEXT("free@plt"),
     .line = 4,
     .inlined = FLM_CODE_NONE},
    {.address = 0x1b,
     .size = 1,
     .kind = FLM_INSTRUCTION_RETURN,
     .code = TEXT("\xc3"),
     .text = TEXT("ret"),
     .line = 4,
     .inlined = FLM_CODE_NONE},
    {.address = 0x40,
     .size = 1,
     .code = TEXT("\x90"),
     .text = TEXT("nop"),
     .line = 5,
     .inlined = FLM_CODE_NONE},
    {.address = 0x41,
     .size = 1,
     .code = TEXT("\x90"),
     .text = TEXT("nop"),
     .line = 5,
     .inlined = FLM_CODE_NONE},
    {.address = 0x42,
     .size = 1,
     .code = TEXT("\x90"),
     .text = TEXT("nop"),
     .line = 5,
     .inlined = FLM_CODE_NONE},
};

struct fake {
    struct flm_sources sources;
    struct flm_code_store *store;
    bool has_code;
};

static bool find(struct flm_sources *sources, const struct flm_profile *profile,
                 struct flm_bytes name, struct flm_bytes module,
                 const struct flm_code_store **store, struct flm_error *why)
{
    struct fake *fake = (struct fake *)sources;
    const struct flm_code_file file = {.name = TEXT("src/find.c"),
                                       .path = TEXT("src/find.c"),
                                       .status = TEXT(""),
                                       .text = TEXT("static same()\n\tload\n\tloop\n\tend\n")};
    const struct flm_code_function f = {.name = name,
                                        .module = module,
                                        .status = flm_bytes_of(fake->has_code ? "" : "it is gone"),
                                        .machine = TEXT("x86-64"),
                                        .instructions = instructions,
                                        .instruction_count = fake->has_code ? 8 : 0,
                                        .files = files,
                                        .file_count = 1,
                                        .inlined = inlined,
                                        .inlined_count = 1};
    (void)profile;
    *store = fake->store;
    return flm_code_store_add_file(fake->store, &file, why) &&
           flm_code_store_add_function(fake->store, &f, why);
}

static struct flm_node add_frame(struct flm_builder *b, struct flm_node caller, const char *name,
                                 uint64_t address, uint32_t kind)
{
    const struct flm_frame_record record = {.function =
                                                flm_builder_string(b, name, strlen(name)).index,
                                            .module = flm_builder_string(b, "app", 3).index,
                                            .kind = kind};
    const struct flm_location where = {.address = address};
    return flm_builder_child(b, caller,
                             flm_builder_frame_at(b, flm_builder_frame(b, &record), &where));
}

/* 10 at 0x10, 60 in what is inlined at 0x12, 20 in what is called at 0x16, 10 elsewhere. */
static struct flm_profile *example(void)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_node root = flm_builder_root(b);
    struct flm_metric cpu = flm_builder_metric(b, "cpu-clock", "ns");
    flm_builder_add(b, add_frame(b, root, "find", 0x10, FLM_KIND_NATIVE), cpu, 10);
    struct flm_node at = add_frame(b, root, "find", 0x12, FLM_KIND_NATIVE);
    flm_builder_add(b, add_frame(b, at, "same", 0x12, FLM_KIND_INLINED), cpu, 60);
    at = add_frame(b, root, "find", 0x1a, FLM_KIND_NATIVE);
    flm_builder_add(b, add_frame(b, at, "free", 0x700, FLM_KIND_NATIVE), cpu, 20);
    flm_builder_add(b, add_frame(b, root, "find", 0x99, FLM_KIND_NATIVE), cpu, 10);
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static bool write(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

static bool print(const struct flm_profile *p, struct flm_annotate_options options, bool has_code,
                  enum flm_report_form form, struct flm_text *out, struct flm_error *why)
{
    struct fake fake = {{.find_code = find}, flm_code_store_new(why), has_code};
    options.size = sizeof options;
    options.source = "app.flm";
    options.function = "find";
    options.sources = &fake.sources;
    struct flm_report *report = fake.store ? flm_report_annotate(p, &options, why) : NULL;
    bool good = report && flm_report_write(report, form, NULL, write, out, why);
    flm_report_free(report);
    flm_code_store_free(fake.store);
    return good;
}

static void assert_printed(struct flm_annotate_options options, bool has_code,
                           enum flm_report_form form, const char *expected)
{
    struct flm_profile *p = example();
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!print(p, options, has_code, form, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void instructions_have_costs_jumps_and_targets(void **state)
{
    (void)state;
    assert_printed(
        (struct flm_annotate_options){.code = FLM_ANNOTATE_ASSEMBLY}, true, FLM_REPORT_TEXT,
        "app.flm: 100 ns of cpu-clock in 3 stacks\n"
        "\n"
        "find in app: self 20 ns, 20 %; total 100 ns, 100 %\n"
        " self           total  address  instruction\n"
        "10 ns  10.0 %  10.0 %       10  ╭> mov    (%rdi),%eax\n"
        "60 ns  60.0 %  60.0 %       12  │  cmp    %eax,%ebx\n"
        "                            14  ╰─ jne    0x10\n"
        " 0      0.0 %  20.0 %       16     call   0x90  <free@plt>\n"
        "                            1b     ret\n"
        "                            40     nop\n"
        "                                ... 2 instructions without a cost\n"
        "10 ns  10.0 %  10.0 %           (at other addresses, or none)\n"
        "\n"
        "cpu-clock: samples are some instructions behind the cause: a timer interrupts\n");
}

/* Samples are at the first byte of a call, its callers at the last one: both are of one row, whose
 * total has a stack once. Code that is inlined at another address is in another function, of which
 * it is a part that was split off. */
static void a_stack_counts_once_for_an_instruction(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_node outer = add_frame(b, flm_builder_root(b), "find", 0x1a, FLM_KIND_NATIVE);
    struct flm_node inner = add_frame(b, outer, "find", 0x1a, FLM_KIND_NATIVE);
    flm_builder_add(b, add_frame(b, inner, "find", 0x16, FLM_KIND_NATIVE), cpu, 70);
    flm_builder_add(b, add_frame(b, outer, "same", 0x700, FLM_KIND_INLINED), cpu, 30);
    struct flm_profile *p = flm_builder_finish(b, &why);
    struct flm_text out = {0};
    assert_non_null(p);
    assert_true(print(p, (struct flm_annotate_options){.code = FLM_ANNOTATE_ASSEMBLY}, true,
                      FLM_REPORT_CSV, &out, &why));
    flm_text_putc(&out, 0);
    assert_non_null(strstr(out.at, ",0x16,70,70,100,100,"));
    assert_null(strstr(out.at, ",30,"));
    flm_text_clear(&out);
    flm_profile_free(p);
}

/* Machine code is of a name and a module, whatever files its functions are of. */
static void functions_of_several_files_are_one(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    for (int i = 0; i < 2; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, "find", 4).index,
            .file = flm_builder_string(b, i ? "b.c" : "a.c", 3).index};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, cpu, i ? 6 : 4);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    struct flm_text out = {0};
    assert_non_null(p);
    assert_true(print(p, (struct flm_annotate_options){.code = FLM_ANNOTATE_ASSEMBLY}, false,
                      FLM_REPORT_TEXT, &out, &why));
    flm_text_putc(&out, 0);
    const char *head = strstr(out.at, "find: self 10 ns, 100 %");
    assert_non_null(head);
    assert_null(strstr(head + 1, "find: self"));
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void source_lines_stand_between_them(void **state)
{
    (void)state;
    assert_printed(
        (struct flm_annotate_options){.code = FLM_ANNOTATE_BOTH, .whole = true, .bytes = true},
        true, FLM_REPORT_TEXT,
        "app.flm: 100 ns of cpu-clock in 3 stacks\n"
        "\n"
        "find in app: self 20 ns, 20 %; total 100 ns, 100 %\n"
        " self           total  address  instruction\n"
        "                                find.c:2  load\n"
        "10 ns  10.0 %  10.0 %       10  ╭> 8b 07                   mov    (%rdi),%eax\n"
        "                                find.c:1  static same()\n"
        "60 ns  60.0 %  60.0 %       12  │  39 c3                   cmp    %eax,%ebx\n"
        "                                find.c:3  loop\n"
        "                            14  ╰─ 75 fa                   jne    0x10\n"
        "                                find.c:4  end\n"
        " 0      0.0 %  20.0 %       16     e8 75 00 00 00          call   0x90  <free@plt>\n"
        "                            1b     c3                      ret\n"
        "                                find.c:5\n"
        "                            40     90                      nop\n"
        "                            41     90                      nop\n"
        "                            42     90                      nop\n"
        "10 ns  10.0 %  10.0 %           (at other addresses, or none)\n"
        "\n"
        "cpu-clock: samples are some instructions behind the cause: a timer interrupts\n");
}

static void without_code_addresses_have_costs(void **state)
{
    (void)state;
    assert_printed(
        (struct flm_annotate_options){.code = FLM_ANNOTATE_ASSEMBLY}, false, FLM_REPORT_TEXT,
        "app.flm: 100 ns of cpu-clock in 3 stacks\n"
        "\n"
        "find in app: self 20 ns, 20 %; total 100 ns, 100 %\n"
        "\n"
        "No machine code: it is gone\n"
        " self           total  address  instruction\n"
        "10 ns  10.0 %  10.0 %       10\n"
        "60 ns  60.0 %  60.0 %       12\n"
        " 0      0.0 %  20.0 %       1a\n"
        "10 ns  10.0 %  10.0 %       99\n"
        "\n"
        "cpu-clock: samples are some instructions behind the cause: a timer interrupts\n");
}

static void programs_read_all_of_it(void **state)
{
    (void)state;
    assert_printed((struct flm_annotate_options){.code = FLM_ANNOTATE_ASSEMBLY}, true,
                   FLM_REPORT_CSV,
                   "function,module,address,self,self_percent,total,total_percent,bytes,"
                   "instruction,target,file,line,inlined\n"
                   "find,app,0x10,10,10,10,10,8b07,\"mov    (%rdi),%eax\",,src/find.c,2,\n"
                   "find,app,0x12,60,60,60,60,39c3,\"cmp    %eax,%ebx\",,src/find.c,1,same\n"
                   "find,app,0x14,0,0,0,0,75fa,jne    0x10,,src/find.c,3,\n"
                   "find,app,0x16,0,0,20,20,e875000000,call   0x90,free@plt,src/find.c,4,\n"
                   "find,app,0x1b,0,0,0,0,c3,ret,,src/find.c,4,\n"
                   "find,app,0x40,0,0,0,0,90,nop,,src/find.c,5,\n"
                   "find,app,0x41,0,0,0,0,90,nop,,src/find.c,5,\n"
                   "find,app,0x42,0,0,0,0,90,nop,,src/find.c,5,\n"
                   "find,app,,10,10,10,10,,,,,,\n");
}

static bool print_all(void *context, struct flm_error *why)
{
    struct flm_text out = {0};
    bool good = print(context, (struct flm_annotate_options){.code = FLM_ANNOTATE_BOTH}, true,
                      FLM_REPORT_JSON, &out, why);
    flm_text_clear(&out);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    assert_true(assert_survives_failures(print_all, p) > 30);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_have_costs_jumps_and_targets),
        cmocka_unit_test(a_stack_counts_once_for_an_instruction),
        cmocka_unit_test(functions_of_several_files_are_one),
        cmocka_unit_test(source_lines_stand_between_them),
        cmocka_unit_test(without_code_addresses_have_costs),
        cmocka_unit_test(programs_read_all_of_it),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
