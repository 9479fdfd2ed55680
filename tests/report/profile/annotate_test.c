/* Source with costs, and two profiles side by side, as they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct fake {
    struct flm_sources sources;
    struct flm_code_store *store;
};

static bool find_file(struct flm_sources *sources, const struct flm_profile *profile,
                      const struct flm_profile *other, struct flm_bytes name,
                      const struct flm_code_store **store, struct flm_error *why)
{
    struct fake *fake = (struct fake *)sources;
    const struct flm_code_file file = {
        .name = name, .path = name, .status = TEXT(""), .text = TEXT("find(n)\n{\n\tsame(n)\n}\n")};
    (void)profile;
    (void)other;
    *store = fake->store;
    return flm_code_store_file(fake->store, name) ||
           flm_code_store_add_file(fake->store, &file, why);
}

static const struct flm_code_instruction instructions[] = {
    {.address = 0x10,
     .size = 2,
     .text = TEXT("nop"),
     .file = FLM_CODE_NONE,
     .inlined = FLM_CODE_NONE},
    {.address = 0x12,
     .size = 2,
     .text = TEXT("ret"),
     .file = FLM_CODE_NONE,
     .inlined = FLM_CODE_NONE},
};

static bool find_code(struct flm_sources *sources, const struct flm_profile *profile,
                      struct flm_bytes function, struct flm_bytes module,
                      const struct flm_code_store **store, struct flm_error *why)
{
    struct fake *fake = (struct fake *)sources;
    const struct flm_code_function f = {.name = function,
                                        .module = module,
                                        .status = TEXT(""),
                                        .machine = TEXT("x86-64"),
                                        .instructions = instructions,
                                        .instruction_count = 2};
    (void)profile;
    *store = fake->store;
    return flm_code_store_add_function(fake->store, &f, why);
}

static struct flm_node add_frame(struct flm_builder *b, struct flm_node caller, const char *name,
                                 uint32_t line, uint64_t address, uint32_t kind)
{
    const char *file = kind == FLM_KIND_INLINED ? "same.h" : "find.c";
    const struct flm_frame_record record = {.function =
                                                flm_builder_string(b, name, strlen(name)).index,
                                            .module = flm_builder_string(b, "app", 3).index,
                                            .file = flm_builder_string(b, file, 6).index,
                                            .kind = kind};
    const struct flm_location where = {.address = address, .file = record.file, .line = line};
    return flm_builder_child(b, caller,
                             flm_builder_frame_at(b, flm_builder_frame(b, &record), &where));
}

static struct flm_profile *example(double own, double inlined, double beyond, const char *id)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_node root = flm_builder_root(b);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ms");
    struct flm_node at = add_frame(b, root, "find", 3, 0x10, FLM_KIND_NATIVE);
    flm_builder_add(b, at, cpu, own);
    flm_builder_add(b, add_frame(b, at, "same", 31, 0x10, FLM_KIND_INLINED), cpu, inlined);
    if (beyond != 0)
        flm_builder_add(b, add_frame(b, root, "find", 9, 0x12, FLM_KIND_NATIVE), cpu, beyond);
    if (id)
        flm_builder_note(b, "mapped app", id, strlen(id));
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static bool write(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

static bool print(const struct flm_profile *p, struct flm_annotate_options options,
                  enum flm_report_form form, struct flm_text *out, struct flm_error *why)
{
    struct fake fake = {{find_file, find_code}, flm_code_store_new(why)};
    options.size = sizeof options;
    options.source = "new.flm";
    options.before_source = "old.flm";
    options.sources = &fake.sources;
    struct flm_report *report = !fake.store        ? NULL
                                : options.function ? flm_report_annotate(p, &options, why)
                                                   : flm_report_lines(p, &options, why);
    bool good = report && flm_report_write(report, form, NULL, write, out, why);
    flm_report_free(report);
    flm_code_store_free(fake.store);
    return good;
}

static void assert_printed(const struct flm_profile *p, struct flm_annotate_options options,
                           enum flm_report_form form, const char *expected)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!print(p, options, form, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void inlined_code_is_below_its_line(void **state)
{
    (void)state;
    struct flm_profile *p = example(10, 30, 5, NULL);
    assert_printed(p, (struct flm_annotate_options){.function = "find"}, FLM_REPORT_TEXT,
                   "new.flm: 45 ms of cpu in 2 stacks\n"
                   "\n"
                   "find in app: self 15 ms, 33.3 %; total 45 ms, 100 %\n"
                   "\n"
                   "find.c\n"
                   " self           total  line  source\n"
                   "                          1  find(n)\n"
                   "                          2  {\n"
                   "10 ms  22.2 %  88.9 %     3          same(n)\n"
                   "30 ms  66.7 %  66.7 %        > same, inlined from same.h:31\n"
                   "                          4  }\n"
                   " 5 ms  11.1 %  11.1 %     9  (the file has fewer lines)\n");
    flm_profile_free(p);
}

/* Which of the instances of templates, and other functions, a pattern annotates. */
static void assert_annotates(const char *pattern, const char *const *expected)
{
    static const char *const names[] = {"unsigned long spin<1>(unsigned long, int)",
                                        "unsigned long spin<3>(unsigned long, int)",
                                        "void list<pair<int, int> >::each<call<2> >(call<2>)",
                                        "bool operator-><1>()", "plain(int)"};
    struct flm_builder *b = flm_builder_new(NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_node at = add_frame(b, flm_builder_root(b), names[i], 3, 0x10, FLM_KIND_NATIVE);
        flm_builder_add(b, at, flm_builder_metric(b, "cpu", "ms"), 5);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text out = {0};
    struct flm_error why = {0};
    bool good =
        print(p, (struct flm_annotate_options){.function = pattern}, FLM_REPORT_TEXT, &out, &why);
    flm_text_putc(&out, 0);
    assert_int_equal(good, expected[0] != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bool is_expected = false;
        for (size_t k = 0; expected[k]; k++)
            is_expected |= strstr(names[i], expected[k]) != NULL;
        assert_int_equal(good && strstr(out.at, names[i]) != NULL, is_expected);
    }
    flm_text_clear(&out);
    flm_profile_free(p);
}

static void instances_of_templates_are_named_by_their_arguments(void **state)
{
    (void)state;
    assert_annotates("spin<3>", (const char *[]){"spin<3>", NULL});
    assert_annotates("spin", (const char *[]){"spin<1>", "spin<3>", NULL});
    assert_annotates("unsigned long spin<1>", (const char *[]){"spin<1>", NULL});
    assert_annotates("each<call<2> >", (const char *[]){"each", NULL});
    assert_annotates("spin<2>", (const char *[]){NULL});
    assert_annotates("pin<3>", (const char *[]){NULL});
    assert_annotates("plain<3>", (const char *[]){NULL});
    assert_annotates(">", (const char *[]){NULL});
}

static void costs_of_both_and_their_change_are_beside_each_line(void **state)
{
    (void)state;
    struct flm_profile *p = example(10, 30, 0, "id=12"), *before = example(14, 10, 5, "id=12");
    struct flm_annotate_options options = {.function = "find", .before = before};
    assert_printed(p, options, FLM_REPORT_TEXT,
                   "before: old.flm, 29 ms\n"
                   "after: new.flm, 40 ms\n"
                   "\n"
                   "find in app: self 19 ms before, 10 ms after: -9 ms (-47.4 %); total 29 ms "
                   "before, 40 ms after: +11 ms (+37.9 %)\n"
                   "\n"
                   "find.c\n"
                   "before  after  change  total change  line  source\n"
                   "                                        1  find(n)\n"
                   "                                        2  {\n"
                   " 14 ms  10 ms   -4 ms        +16 ms     3          same(n)\n"
                   " 10 ms  30 ms  +20 ms        +20 ms        > same, inlined from same.h:31\n"
                   "                                        4  }\n"
                   "  5 ms   0      -5 ms         -5 ms     9  (the file has fewer lines)\n");
    assert_printed(p, options, FLM_REPORT_CSV,
                   "function,module,file,line,self_before,self_after,self_change,total_before,"
                   "total_after,total_change,source\n"
                   "find,app,find.c,3,14,10,-4,24,40,16,        same(n)\n"
                   "find,app,find.c,9,5,0,-5,5,0,-5,\n");
    options.function = NULL;
    assert_printed(p, options, FLM_REPORT_TEXT,
                   "before: old.flm, 29 ms\n"
                   "after: new.flm, 40 ms\n"
                   "\n"
                   "before  after  change  total change  line       function\n"
                   " 10 ms  30 ms  +20 ms        +20 ms  same.h:31  same\n"
                   "  5 ms   0      -5 ms         -5 ms  find.c:9   find\n"
                   " 14 ms  10 ms   -4 ms        +16 ms  find.c:3   find\n");
    flm_profile_free(p);
    flm_profile_free(before);
}

/* Costs of one build are never beside the code of another. */
static void another_build_has_costs_at_no_instruction(void **state)
{
    (void)state;
    struct flm_profile *p = example(10, 30, 0, "id=12");
    struct flm_profile *other = example(14, 10, 5, "id=34"), *same = example(14, 10, 5, "id=12"),
                       *unknown = example(14, 10, 5, NULL);
    struct flm_annotate_options options = {
        .function = "find", .before = other, .code = FLM_ANNOTATE_ASSEMBLY};
    static const char head[] =
        "before: old.flm, 29 ms\n"
        "after: new.flm, 40 ms\n"
        "\n"
        "find in app: self 19 ms before, 10 ms after: -9 ms (-47.4 %); total 29 ms before, 40 ms "
        "after: +11 ms (+37.9 %)\n";
    static const char together[] = "before  after  change  total change  address  instruction\n"
                                   " 24 ms  40 ms  +16 ms        +16 ms       10  nop\n"
                                   "  5 ms   0      -5 ms         -5 ms       12  ret\n";
    char expected[2000];
    snprintf(expected, sizeof expected, "%s%s%s", head,
             "\nBefore, it was another build: costs of then are at none of these instructions\n",
             "before  after  change  total change  address  instruction\n"
             "  0     40 ms  +40 ms        +40 ms       10  nop\n"
             "                                          12  ret\n"
             " 29 ms   0     -29 ms        -29 ms           (before, in another build; at other "
             "addresses, or none)\n");
    assert_printed(p, options, FLM_REPORT_TEXT, expected);
    options.before = same;
    snprintf(expected, sizeof expected, "%s%s", head, together);
    assert_printed(p, options, FLM_REPORT_TEXT, expected);
    options.before = unknown;
    snprintf(expected, sizeof expected, "%s%s%s", head,
             "\nWhether both are of one build is not known: no build ids say so\n", together);
    assert_printed(p, options, FLM_REPORT_TEXT, expected);
    options.before = other;
    options.for_programs = true;
    assert_printed(
        p, options, FLM_REPORT_JSON,
        "{\n"
        "  \"metric\": {\"name\": \"cpu\", \"unit\": \"ms\"},\n"
        "  \"before\": {\"file\": \"old.flm\", \"total\": 29},\n"
        "  \"after\": {\"file\": \"new.flm\", \"total\": 40},\n"
        "  \"view\": \"annotate\",\n"
        "  \"instructions\": [\n"
        "    {\"function\": \"find\", \"module\": \"app\", \"address\": \"0x10\", \"self\": "
        "{\"before\": 0, \"after\": 40, \"change\": 40}, \"total\": {\"before\": 0, \"after\": 40, "
        "\"change\": 40}, \"bytes\": null, \"instruction\": \"nop\", \"target\": null, \"file\": "
        "\"same.h\", \"line\": 31, \"inlined\": null},\n"
        "    {\"function\": \"find\", \"module\": \"app\", \"address\": \"0x12\", \"self\": "
        "{\"before\": 0, \"after\": 0, \"change\": 0}, \"total\": {\"before\": 0, \"after\": 0, "
        "\"change\": 0}, \"bytes\": null, \"instruction\": \"ret\", \"target\": null, \"file\": "
        "null, \"line\": null, \"inlined\": null},\n"
        "    {\"function\": \"find\", \"module\": \"app\", \"address\": null, \"self\": "
        "{\"before\": 29, \"after\": 0, \"change\": -29}, \"total\": {\"before\": 29, \"after\": "
        "0, "
        "\"change\": -29}, \"bytes\": null, \"instruction\": null, \"target\": null, \"file\": "
        "null, \"line\": null, \"inlined\": null}\n"
        "  ],\n"
        "  \"code\": [\n"
        "    {\"function\": \"find\", \"module\": \"app\", \"machine\": \"x86-64\", \"status\": "
        "null}\n"
        "  ],\n"
        "  \"modules\": [\n"
        "    {\"module\": \"app\", \"build\": \"other\"}\n"
        "  ],\n"
        "  \"hidden\": {\"functions\": 0, \"before\": 0, \"after\": 0}\n"
        "}\n");
    flm_profile_free(p);
    flm_profile_free(other);
    flm_profile_free(same);
    flm_profile_free(unknown);
}

/* Of two files with the same name, as much of their paths as tells them apart; and which program
 * has no lines. */
static void places_of_lines_are_told_apart(void **state)
{
    (void)state;
    static const char *const files[] = {"/src/lex/mod.rs", "/src/parse/mod.rs", "/src/main.rs", ""};
    static const char *const modules[] = {"/bin/app", "/bin/app", "/bin/app", "/lib/bare.so"};
    struct flm_builder *b = flm_builder_new(NULL);
    for (size_t i = 0; i < 4; i++) {
        const struct flm_frame_record record = {
            .function = flm_builder_string(b, "f", 1).index,
            .module = flm_builder_string(b, modules[i], strlen(modules[i])).index,
            .file = flm_builder_string(b, files[i], strlen(files[i])).index};
        const struct flm_location where = {.file = record.file, .line = 7};
        struct flm_frame frame = flm_builder_frame(b, &record);
        if (i < 3)
            frame = flm_builder_frame_at(b, frame, &where);
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                        flm_builder_metric(b, "cpu", "ms"), 40 - 10 * (double)i);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_printed(p, (struct flm_annotate_options){.function = NULL}, FLM_REPORT_TEXT,
                   "new.flm: 100 ms of cpu in 4 stacks\n"
                   "\n"
                   " self          total  line            function\n"
                   "40 ms  40.0 %  40 ms  lex/mod.rs:7    f\n"
                   "30 ms  30.0 %  30 ms  parse/mod.rs:7  f\n"
                   "20 ms  20.0 %  20 ms  main.rs:7       f\n"
                   "10 ms  10.0 %  10 ms  line not known  f\n"
                   "\n"
                   "No line is known of /lib/bare.so, with 10 % of self\n"
                   "Programs have lines when they are compiled with -g. Those of a distribution "
                   "get them here with --debuginfod and "
                   "DEBUGINFOD_URLS=https://debuginfod.elfutils.org, or with --symbols "
                   "/usr/lib/debug when the -dbgsym package is installed; --asm shows machine "
                   "code without\n");
    flm_profile_free(p);
}

/* The kernel has no path, and its debug information is another package. */
static void a_kernel_without_lines_is_said(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "cpu", "ms");
    const struct flm_frame_record user = {.function = flm_builder_string(b, "f", 1).index,
                                          .file = flm_builder_string(b, "/a.c", 4).index},
                                  kernel = {
                                      .function = flm_builder_string(b, "k", 1).index,
                                      .module =
                                          flm_builder_string(b, "[kernel.kallsyms]", 17).index,
                                      .kind = FLM_KIND_KERNEL};
    struct flm_frame frame = flm_builder_frame_at(
        b, flm_builder_frame(b, &user), &(struct flm_location){.file = user.file, .line = 7});
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 30);
    frame = flm_builder_frame(b, &kernel);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 10);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_printed(p, (struct flm_annotate_options){.function = NULL}, FLM_REPORT_TEXT,
                   "new.flm: 40 ms of cpu in 2 stacks\n"
                   "\n"
                   " self          total  line            function\n"
                   "30 ms  75.0 %  30 ms  a.c:7           f\n"
                   "10 ms  25.0 %  10 ms  line not known  k\n"
                   "\n"
                   "No line is known of the kernel, with 25 % of self: install its debug "
                   "information (Debian: linux-image-...-dbg, Ubuntu: -dbgsym, Fedora: "
                   "kernel-debuginfo), and record again\n");
    flm_profile_free(p);
}

static void no_common_metric_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = example(1, 2, 0, NULL);
    struct flm_builder *b = flm_builder_new(NULL);
    flm_builder_add(b, flm_builder_root(b), flm_builder_metric(b, "alloc", "bytes"), 1);
    struct flm_profile *before = flm_builder_finish(b, NULL);
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_false(
        print(p, (struct flm_annotate_options){.before = before}, FLM_REPORT_TEXT, &out, &why));
    assert_int_equal(why.kind, FLM_ERROR_UNIT);
    flm_profile_free(p);
    flm_profile_free(before);
}

struct both {
    struct flm_profile *p, *before;
};

static bool print_both(void *context, struct flm_error *why)
{
    const struct both *both = context;
    struct flm_text out = {0};
    bool good = true;
    for (int i = 0; i < 2 && good; i++)
        good = print(
            both->p,
            (struct flm_annotate_options){.function = "find",
                                          .before = both->before,
                                          .code = i ? FLM_ANNOTATE_BOTH : FLM_ANNOTATE_SOURCE},
            FLM_REPORT_JSON, &out, why);
    flm_text_clear(&out);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct both both = {example(10, 30, 5, "id=1"), example(1, 2, 3, "id=2")};
    assert_true(assert_survives_failures(print_both, &both) > 100);
    flm_profile_free(both.p);
    flm_profile_free(both.before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_code_is_below_its_line),
        cmocka_unit_test(instances_of_templates_are_named_by_their_arguments),
        cmocka_unit_test(costs_of_both_and_their_change_are_beside_each_line),
        cmocka_unit_test(another_build_has_costs_at_no_instruction),
        cmocka_unit_test(places_of_lines_are_told_apart),
        cmocka_unit_test(a_kernel_without_lines_is_said),
        cmocka_unit_test(no_common_metric_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
