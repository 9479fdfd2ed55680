#include "code/find/code_finder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "code/kept_code.h"
#include "flamel/builder.h"
#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* `twice` has two inlined copies in `outer`, which calls `rare` and a function of libc. */
static const char source[] =
    "#include <stdlib.h>\n"
    "volatile int number;\n"
    "static inline __attribute__((always_inline)) int twice(int x) {\n"
    "    return number * x;\n"
    "}\n"
    "__attribute__((noinline)) static int rare(void) { return number; }\n"
    "__attribute__((noinline)) int outer(int x) {\n"
    "    int a = twice(x);\n"
    "    while (number > x) a += rare();\n"
    "    return abs(rand()) + a + twice(x + 1);\n"
    "}\n"
    "int main(int count, char **words) { (void)words; return outer(count); }\n";

struct program {
    char path[400], file[400];
    struct flm_text id;
    uint64_t start, size; /* of outer */
};

static struct program compiled(void)
{
    struct program p = {.start = 0};
    strcpy(p.file, write_temporary("code.c", flm_bytes_of(source)));
    shell("gcc -O2 -g -Wl,--build-id=sha1 \"$PWD/code.c\" -o whole");
    strcpy(p.path, temporary_path("whole"));
    struct flm_text line = shell_output("nm -S --defined-only whole | grep ' outer$'");
    flm_text_putc(&line, 0);
    char *end;
    p.start = strtoull(line.at, &end, 16);
    p.size = strtoull(end, NULL, 16);
    flm_text_clear(&line);
    p.id = shell_output("readelf -n whole | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
    assert_true(p.start > 0 && p.size > 0 && p.id.size == 40);
    return p;
}

static struct flm_profile *profile_of(const struct program *program, const char *id, uint32_t kind)
{
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    uint32_t file = flm_builder_string(b, program->file, strlen(program->file)).index;
    const struct flm_frame_record outer = {
        .function = flm_builder_string(b, "outer", 5).index,
        .module = flm_builder_string(b, program->path, strlen(program->path)).index,
        .file = file,
        .kind = kind};
    const struct flm_location where = {
        .address = kind == FLM_KIND_NATIVE ? program->start : 0, .file = file, .line = 7};
    struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &outer), &where);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    if (id) {
        struct flm_text key = {0}, value = {0};
        flm_text_format(&key, "mapped %s", program->path);
        flm_text_putc(&key, 0);
        flm_text_format(&value, "id=%s", id);
        flm_builder_note(b, key.at, value.at, value.size);
        flm_text_clear(&key);
        flm_text_clear(&value);
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_non_null(p);
    return p;
}

static struct flm_code_store *found(const struct flm_profile *p, const struct program *program,
                                    const struct flm_code_finder_options *options)
{
    struct flm_error why;
    struct flm_code_store *store = flm_code_store_new(&why);
    struct flm_code_finder *finder = flm_code_finder_new(p, options, &why);
    assert_true(store && finder);
    assert_true(flm_code_finder_function(finder, flm_bytes_of("outer"), flm_bytes_of(program->path),
                                         store, &why));
    /* What the profile does not name is not looked for, whatever is asked. */
    assert_true(flm_code_finder_function(finder, flm_bytes_of("outer"), flm_bytes_of("/bin/sh"),
                                         store, &why));
    assert_true(flm_code_finder_function(finder, flm_bytes_of("main"), flm_bytes_of(program->path),
                                         store, &why));
    assert_true(flm_code_finder_file(finder, flm_bytes_of("/etc/passwd"), store, &why));
    assert_null(flm_code_store_file(store, flm_bytes_of("/etc/passwd")));
    assert_true(flm_code_store_function_count(store) <= 1);
    flm_code_finder_free(finder);
    return store;
}

static const struct flm_code_function *outer_of(const struct flm_code_store *store)
{
    assert_int_equal(flm_code_store_function_count(store), 1);
    return flm_code_store_function_at(store, 0);
}

static bool has_capstone(const struct flm_code_function *f)
{
    return !flm_bytes_contain(f->status, "libcapstone");
}

static void assert_code(const struct flm_code_function *f, const struct program *program)
{
    uint64_t next = program->start;
    size_t inlined = 0, calls = 0, jumps = 0;
    assert_true(f->instruction_count > 10);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const struct flm_code_instruction *at = &f->instructions[i];
        assert_true(at->address == next && at->code.size == at->size && at->text.size > 0);
        next += at->size;
        if (at->address < program->start + program->size)
            assert_true(at->line > 2 && flm_bytes_end_with(f->files[at->file], "code.c"));
        calls += at->kind == FLM_INSTRUCTION_CALL &&
                 (flm_bytes_are(at->target, "rare") || flm_bytes_are(at->target, "rand@plt"));
        jumps += at->kind == FLM_INSTRUCTION_BRANCH && at->leads && at->target.size == 0;
        if (at->inlined == FLM_CODE_NONE)
            continue;
        const struct flm_code_inlined *copy = &f->inlined[at->inlined];
        assert_true(flm_bytes_are(copy->function, "twice") && copy->caller == FLM_CODE_NONE);
        assert_true(copy->line == 8 || copy->line == 10);
        inlined++;
    }
    assert_true(next >= program->start + program->size);
    assert_true(inlined > 1 && calls >= 2 && jumps >= 1);
    assert_true(f->inlined_count >= 2);
}

/* What is compared has the paths of the other side, where its program was in another folder. */
static void a_program_in_another_folder_is_found_by_its_name(void **state)
{
    (void)state;
    struct program program = compiled();
    static const struct flm_code_finder_options options = {.syntax = FLM_ASSEMBLY_ATT};
    struct flm_text path = {0};
    flm_text_putc(&program.id, 0);
    struct flm_profile *p = profile_of(&program, program.id.at, FLM_KIND_NATIVE);
    struct flm_code_finder *finder = flm_code_finder_new(p, &options, NULL);
    struct flm_code_store *store = flm_code_store_new(NULL);
    flm_text_puts(&path, "/elsewhere");
    flm_text_puts(&path, strrchr(program.path, '/'));
    struct flm_bytes module = {path.at, path.size}, name = flm_bytes_of("outer");
    assert_true(flm_code_finder_function(finder, name, module, store, NULL));
    const struct flm_code_function *f = flm_code_store_function(store, name, module);
    assert_non_null(f);
    if (has_capstone(f))
        assert_code(f, &program);
    struct flm_bytes other = flm_bytes_of("/elsewhere/other");
    assert_true(flm_code_finder_function(finder, name, other, store, NULL));
    assert_null(flm_code_store_function(store, name, other));
    flm_code_finder_free(finder);
    flm_code_store_free(store);
    flm_profile_free(p);
    flm_text_clear(&path);
    flm_text_clear(&program.id);
}

static void source_and_machine_code_are_found(void **state)
{
    (void)state;
    struct program program = compiled();
    static const struct flm_code_finder_options options = {.syntax = FLM_ASSEMBLY_ATT};
    flm_text_putc(&program.id, 0);
    struct flm_profile *p = profile_of(&program, program.id.at, FLM_KIND_NATIVE);
    struct flm_code_store *store = found(p, &program, &options);
    const struct flm_code_file *file = flm_code_store_file(store, flm_bytes_of(program.file));
    assert_non_null(file);
    assert_true(flm_bytes_are(file->text, source));
    assert_false(file->is_doubtful);
    const struct flm_code_function *f = outer_of(store);
    if (has_capstone(f)) {
        assert_int_equal(f->status.size, 0);
        assert_code(f, &program);
    }
    flm_code_store_free(store);
    flm_profile_free(p);
    flm_text_clear(&program.id);
}

static void assert_status(const struct program *program, const char *id, uint32_t kind,
                          const char *sentence, bool has_code)
{
    static const struct flm_code_finder_options options = {.no_source = true};
    struct flm_profile *p = profile_of(program, id, kind);
    struct flm_code_store *store = found(p, program, &options);
    const struct flm_code_function *f = outer_of(store);
    assert_int_equal(flm_code_store_file_count(store), 0);
    if (has_capstone(f)) {
        if (!flm_bytes_contain(f->status, sentence))
            fail_msg("%.*s", (int)f->status.size, f->status.at);
        assert_int_equal(f->instruction_count > 0, has_code);
    }
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct program program = compiled();
    static const char other[] = "0123456789012345678901234567890123456789";
    assert_status(&program, NULL, FLM_KIND_NATIVE, "does not say of which build", true);
    assert_status(&program, other, FLM_KIND_NATIVE, "build id", false);
    assert_status(&program, NULL, FLM_KIND_JIT, "compiled at run time", false);
    assert_status(&program, NULL, FLM_KIND_PLAIN, "no addresses", false);
    shell("rm whole");
    assert_status(&program, NULL, FLM_KIND_NATIVE, "not", false);
    flm_text_clear(&program.id);
}

/* A function that is inlined in a hundred others, of which the last one costs most; in the second
 * of two metrics, or nothing is measured at all. */
static void keep_places(bool is_measured)
{
    struct flm_error why;
    shell(
        "{ echo 'volatile int number; static inline __attribute__((always_inline)) int twice(int x)"
        " { return number * x; }'\n"
        "for i in $(seq 100 199); do echo \"int user$i(int x) { return twice(x) + $i; }\"; done\n"
        "echo 'int main(void) { return number; }'; } > many.c\n"
        "gcc -O2 -g many.c -o many\n"
        "nm --defined-only many | sed -n 's/ T user/ /p' > users");
    char path[400];
    strcpy(path, temporary_path("many"));
    struct flm_text users = shell_output("cat users");
    flm_text_putc(&users, 0);
    struct flm_builder *b = flm_builder_new(&why);
    uint64_t last = 0;
    for (char *at = users.at; *at;) {
        uint64_t address = strtoull(at, &at, 16), number = strtoull(at, &at, 10);
        at += *at == '\n';
        last = number == 199 ? address : last;
        const struct flm_frame_record twice = {.function = flm_builder_string(b, "outer", 5).index,
                                               .module =
                                                   flm_builder_string(b, path, strlen(path)).index,
                                               .kind = FLM_KIND_INLINED};
        const struct flm_location where = {.address = address};
        struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &twice), &where);
        struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
        flm_builder_add(b, node, flm_builder_metric(b, "calls", ""), 1);
        flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), number == 199 ? 50 : 1);
    }
    flm_text_clear(&users);
    struct flm_profile *p = flm_builder_finish(b, &why);
    uint32_t metrics = p->sizes.metric_count;
    p->sizes.metric_count = is_measured ? metrics : 0;
    struct program program = {.start = last};
    strcpy(program.path, path);
    static const struct flm_code_finder_options options = {.no_source = true};
    struct flm_code_store *store = found(p, &program, &options);
    const struct flm_code_function *f = outer_of(store);
    if (has_capstone(f)) {
        assert_true(flm_bytes_contain(f->status, "too many places"));
        size_t at = flm_code_instruction_from(f, last);
        assert_true(!is_measured ||
                    (at < f->instruction_count && f->instructions[at].address == last));
        assert_true(f->instruction_count > 60);
    }
    p->sizes.metric_count = metrics;
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void the_places_that_cost_most_are_kept(void **state)
{
    (void)state;
    keep_places(true);
    keep_places(false);
}

/* A page asks for a file by its name: the program knows the checksum of the one that was compiled,
 * and is meant where the profile says which build of it it is. */
static void a_file_by_name_is_that_of_its_program(void **state)
{
    (void)state;
    if (system("clang --version > /dev/null 2>&1") != 0)
        skip();
    struct program program = compiled();
    flm_text_clear(&program.id);
    shell("clang -gdwarf-5 -Wl,--build-id=sha1 \"$PWD/code.c\" -o whole");
    program.id = shell_output("readelf -n whole | sed -n 's/.*Build ID: //p' | tr -d '\\n'");
    flm_text_putc(&program.id, 0);
    static const struct {
        bool has_id, is_other;
        const char *status;
    } expected[] = {{true, false, "the checksum agrees"},
                    {false, false, "nothing tells"},
                    {true, true, "checksum"}};
    for (int i = 0; i < 3; i++) {
        struct flm_profile *p =
            profile_of(&program, expected[i].has_id ? program.id.at : NULL, FLM_KIND_NATIVE);
        static const struct flm_code_finder_options options = {.no_source = true};
        struct flm_code_finder *finder = flm_code_finder_new(p, &options, NULL);
        struct flm_code_store *store = flm_code_store_new(NULL);
        if (expected[i].is_other)
            write_temporary("code.c", flm_bytes_of("int other;\n"));
        assert_true(flm_code_finder_file(finder, flm_bytes_of(program.file), store, NULL));
        const struct flm_code_file *file = flm_code_store_file(store, flm_bytes_of(program.file));
        assert_non_null(file);
        assert_true(flm_bytes_contain(file->status, expected[i].status));
        assert_int_equal(file->is_doubtful, expected[i].is_other);
        flm_code_store_free(store);
        flm_code_finder_free(finder);
        flm_profile_free(p);
    }
    flm_text_clear(&program.id);
}

static bool find_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    static const struct flm_code_finder_options options = {.syntax = FLM_ASSEMBLY_ATT};
    struct flm_code_store *store = flm_code_store_new(why);
    struct flm_code_finder *finder = store ? flm_code_finder_new(p, &options, why) : NULL;
    bool good =
        finder && flm_code_finder_function(finder, flm_frame_function(p, 1),
                                           flm_string_bytes(p, p->frames[1].module), store, why);
    flm_code_finder_free(finder);
    flm_code_store_free(store);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct program program = compiled();
    struct flm_profile *p = profile_of(&program, NULL, FLM_KIND_NATIVE);
    assert_true(assert_survives_failures(find_all, p) > 30);
    flm_profile_free(p);
    flm_text_clear(&program.id);
}

/* ---- Another kernel -------------------------------------------------------------------------- */

/* A profile of a kernel with this build id: `outer` is 256 bytes behind its beginning. */
static struct flm_profile *kernel_profile(const struct flm_text *id)
{
    static const char path[] = "[kernel.kallsyms]";
    struct flm_builder *b = flm_builder_new(NULL);
    const struct flm_frame_record outer = {.function = flm_builder_string(b, "outer", 5).index,
                                           .module =
                                               flm_builder_string(b, path, strlen(path)).index,
                                           .kind = FLM_KIND_KERNEL};
    const struct flm_location where = {.address = 256};
    struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &outer), &where);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                    flm_builder_metric(b, "cpu", "ns"), 1);
    struct flm_text value = {0};
    flm_text_format(&value, "relative id=%.*s", (int)id->size, id->at);
    flm_builder_note(b, "mapped [kernel.kallsyms]", value.at, value.size);
    flm_text_clear(&value);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static void code_of_another_kernel_is_that_of_its_vmlinux(void **state)
{
    (void)state;
    write_temporary("code.c", flm_bytes_of(source));
    shell("gcc -O2 -g -no-pie -Wl,--build-id=sha1,--defsym=_text=outer-256 code.c -o vmlinux");
    struct flm_text id = shell_output("readelf -n vmlinux | sed -n 's/.*Build ID: //p' | "
                                      "tr -d '\\n'");
    char dir[400];
    snprintf(dir, sizeof dir, "%s", temporary_path("vmlinux"));
    *strrchr(dir, '/') = 0;
    const char *const dirs[] = {dir};
    struct flm_profile *p = kernel_profile(&id);
    const struct flm_bytes module = flm_bytes_of("[kernel.kallsyms]");
    for (int has_vmlinux = 0; has_vmlinux < 2; has_vmlinux++) {
        const struct flm_code_finder_options options = {
            .no_source = true,
            .symbols = {.symbol_dirs = dirs, .symbol_dir_count = has_vmlinux ? 1 : 0}};
        struct flm_code_finder *finder = flm_code_finder_new(p, &options, NULL);
        struct flm_code_store *store = flm_code_store_new(NULL);
        assert_true(flm_code_finder_function(finder, flm_bytes_of("outer"), module, store, NULL));
        const struct flm_code_function *f = outer_of(store);
        if (!has_vmlinux) {
            assert_int_equal(f->instruction_count, 0);
            assert_true(flm_bytes_contain(f->status, "vmlinux"));
        } else if (has_capstone(f)) {
            assert_true(f->instruction_count > 10 && f->instructions[0].address == 256);
            assert_true(f->instructions[0].line > 0);
            assert_true(flm_bytes_contain(f->status, "a kernel patches its code"));
        }
        flm_code_store_free(store);
        flm_code_finder_free(finder);
    }
    flm_text_clear(&id);
    flm_profile_free(p);
}

/* ---- Compiled at run time -------------------------------------------------------------------- */

static void add_compiled(struct flm_builder *b, const char *name, uint64_t address, double value)
{
    const struct flm_frame_record record = {
        .function = flm_builder_string(b, name, strlen(name)).index, .kind = FLM_KIND_JIT};
    const struct flm_location where = {.address = address};
    struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &record), &where);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame),
                    flm_builder_metric(b, "cpu", "ns"), value);
}

static void note_code(struct flm_builder *b, uint64_t start, const char *name,
                      struct flm_bytes bytes)
{
    static const struct flm_bytes file = {"sum.js", 6};
    static const struct flm_kept_line lines[] = {{0, 0, 2}, {3, 0, 3}, {6, 0, 0}};
    const struct flm_kept_code code = {.machine = FLM_MACHINE_X86_64,
                                       .name = flm_bytes_of(name),
                                       .bytes = bytes,
                                       .files = &file,
                                       .file_count = 1,
                                       .lines = lines,
                                       .line_count = 3};
    struct flm_text value = {0};
    flm_kept_code_write(&code, &value);
    flm_kept_code_note(b, start, (struct flm_bytes){value.at, value.size});
    flm_text_clear(&value);
}

/* `sum` was compiled twice, and a third time without its code being kept; `call` calls it. */
static struct flm_profile *compiled_profile(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    add_compiled(b, "sum", 0x12007f0000001003, 5);
    add_compiled(b, "sum", 0x12007f0000001006, 7);
    add_compiled(b, "sum", 0x05007f0000002000, 1);
    add_compiled(b, "sum", 0x07007f0000003000, 1);
    add_compiled(b, "call", 0x34007f0000001104, 1);
    add_compiled(b, "cold", 0x34007f0000001204, 1);
    /* add %rdi,%rax; dec %rdi; jne; ret */
    note_code(b, 0x12007f0000001000, "sum",
              (struct flm_bytes){"\x48\x01\xf8\x48\xff\xcf\x75\xf8\xc3", 9});
    note_code(b, 0x05007f0000002000, "sum", (struct flm_bytes){"\x31\xc0\xc3", 3});
    note_code(b, 0x34007f0000001100, "call",
              (struct flm_bytes){"\xe8\xfb\xfe\xff\xff\xc3", 6}); /* call sum; ret */
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static const struct flm_code_function *find_compiled(struct flm_code_finder *finder,
                                                     struct flm_code_store *store, const char *name)
{
    const struct flm_bytes none = {"", 0};
    assert_true(flm_code_finder_function(finder, flm_bytes_of(name), none, store, NULL));
    return flm_code_store_function(store, flm_bytes_of(name), none);
}

static void code_that_was_compiled_at_run_time_is_that_of_the_profile(void **state)
{
    (void)state;
    struct flm_profile *p = compiled_profile();
    const struct flm_code_finder_options options = {.no_source = true};
    struct flm_code_finder *finder = flm_code_finder_new(p, &options, NULL);
    struct flm_code_store *store = flm_code_store_new(NULL);
    const struct flm_code_function *f = find_compiled(finder, store, "sum");
    if (has_capstone(f)) {
        static const uint64_t addresses[] = {0x05007f0000002000, 0x05007f0000002002,
                                             0x12007f0000001000, 0x12007f0000001003,
                                             0x12007f0000001006, 0x12007f0000001008};
        static const uint32_t lines[] = {2, 2, 2, 3, 0, 0};
        assert_true(flm_bytes_are(f->machine, "x86-64"));
        assert_true(flm_bytes_contain(f->status, "only a part of that is here"));
        assert_int_equal(f->instruction_count, 6);
        for (size_t i = 0; i < 6; i++) {
            assert_true(f->instructions[i].address == addresses[i]);
            assert_int_equal(f->instructions[i].line, lines[i]);
        }
        assert_true(flm_bytes_are(f->files[f->instructions[0].file], "sum.js"));
        /* A jump is to an address as locations have it, so it is drawn. */
        assert_true(f->instructions[4].leads && f->instructions[4].place == addresses[2]);
        f = find_compiled(finder, store, "call");
        assert_true(f->instruction_count == 2 && f->status.size == 0);
        assert_true(flm_bytes_are(f->instructions[0].target, "sum"));
    }
    f = find_compiled(finder, store, "cold");
    assert_int_equal(f->instruction_count, 0);
    assert_true(flm_bytes_contain(f->status, "was not kept"));
    flm_code_store_free(store);
    flm_code_finder_free(finder);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_and_machine_code_are_found),
        cmocka_unit_test(a_program_in_another_folder_is_found_by_its_name),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(the_places_that_cost_most_are_kept),
        cmocka_unit_test(a_file_by_name_is_that_of_its_program),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(code_of_another_kernel_is_that_of_its_vmlinux),
        cmocka_unit_test(code_that_was_compiled_at_run_time_is_that_of_the_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
