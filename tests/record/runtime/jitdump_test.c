#include "record/runtime/jit_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/profile.h"
#include "support/core/allocation.h"
#include "support/core/files.h"

/* ---- A jitdump, field by field --------------------------------------------------------------- */

struct dump {
    struct flm_text text;
    bool swapped;
};

static void put32(struct dump *d, uint32_t value)
{
    value = d->swapped ? __builtin_bswap32(value) : value;
    flm_text_add(&d->text, (struct flm_bytes){(const char *)&value, sizeof value});
}

static void put64(struct dump *d, uint64_t value)
{
    value = d->swapped ? __builtin_bswap64(value) : value;
    flm_text_add(&d->text, (struct flm_bytes){(const char *)&value, sizeof value});
}

static void put_name(struct dump *d, const char *name)
{
    flm_text_add(&d->text, (struct flm_bytes){name, strlen(name) + 1});
}

static void put_header(struct dump *d, uint64_t flags)
{
    put32(d, 0x4A695444);
    put32(d, 1);
    put32(d, 48); /* longer than it must be */
    put32(d, 62);
    put32(d, 0);
    put32(d, 4711);
    put64(d, 5);
    put64(d, flags);
    put64(d, 0);
}

static void put_prefix(struct dump *d, uint32_t type, size_t size, uint64_t time)
{
    put32(d, type);
    put32(d, (uint32_t)(size + 16));
    put64(d, time);
}

static void put_load(struct dump *d, uint64_t time, uint64_t start, uint32_t size, uint64_t index,
                     const char *name)
{
    put_prefix(d, 0, 40 + strlen(name) + 1 + size, time);
    put32(d, 4711);
    put32(d, 4712);
    put64(d, start);
    put64(d, start);
    put64(d, size);
    put64(d, index);
    put_name(d, name);
    flm_text_repeat(&d->text, '\x90', size);
}

static void put_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
                     uint64_t index)
{
    put_prefix(d, 1, 48, time);
    put32(d, 4711);
    put32(d, 4712);
    put64(d, 0);
    put64(d, from);
    put64(d, to);
    put64(d, size);
    put64(d, index);
}

static void put_lines(struct dump *d, uint64_t start, uint64_t shift)
{
    static const char *const files[] = {"/a.c", "\xFF", "/b.c"};
    put_prefix(d, 2, 16 + 3 * 16 + 5 + 2 + 5, 0);
    put64(d, start);
    put64(d, 3);
    for (uint32_t i = 0; i < 3; i++) {
        put64(d, start + shift + 4 * i);
        put32(d, 10 + i);
        put32(d, 0);
        put_name(d, files[i]);
    }
}

static void put_all(struct dump *d)
{
    put_header(d, 0);
    put_load(d, 100, 0x1000, 0x40, 1, "first");
    put_lines(d, 0x2000, 0);
    put_load(d, 110, 0x2000, 0x40, 2, "lined");
    put_lines(d, 0x3000, 64);
    put_load(d, 120, 0x3000, 0x40, 3, "JS:*v8 x.js:9:1");
    put_prefix(d, 4, 8, 120); /* how it is unwound */
    put64(d, 0);
    put_load(d, 130, 0x1000, 0x20, 4, "second");
    put_move(d, 140, 0x2000, 0x5000, 0x40, 2);
    put_prefix(d, 99, 0, 150);
    put_prefix(d, 3, 0, 160);
    flm_text_puts(&d->text, "what comes behind the end is not looked at");
}

static struct flm_jit_code *read_all(const struct dump *d, struct flm_jit_losses *losses,
                                     struct flm_error *why)
{
    return flm_jitdump_read((struct flm_bytes){d->text.at, d->text.size}, losses, why);
}

static void assert_at(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                      const char *name, const char *file, uint32_t line)
{
    struct flm_jit_frame frame;
    size_t count = flm_jit_code_lookup(code, address, time_ns, &frame, 1);
    assert_int_equal(count, name != NULL);
    if (name && (!flm_bytes_are(frame.function, name) || !flm_bytes_are(frame.file, file) ||
                 frame.line != line))
        fail_msg("%.*s at %.*s:%u, not %s at %s:%u", (int)frame.function.size, frame.function.at,
                 (int)frame.file.size, frame.file.at, frame.line, name, file, line);
}

static void code_is_looked_up_by_time_in_either_byte_order(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct dump d = {.swapped = swapped};
        put_all(&d);
        struct flm_jit_losses losses;
        struct flm_error why = {0};
        struct flm_jit_code *code = read_all(&d, &losses, &why);
        assert_non_null(code);
        assert_int_equal(losses.regions, 0);
        assert_false(losses.cut);
        assert_int_equal(flm_jit_code_count(code), 5);
        assert_at(code, 0x1010, 129, "first", "", 0);
        assert_at(code, 0x1010, 130, "second", "", 0);
        assert_at(code, 0x1030, 130, "first", "", 0);
        assert_at(code, 0x2003, 139, "lined", "/a.c", 10);
        assert_at(code, 0x2004, 139, "lined", "/a.c", 11);
        /* The line is of what is inlined, from another file than the function's. */
        assert_at(code, 0x203F, 139, "lined", "/a.c", 12);
        struct flm_jit_frame inlined;
        assert_int_equal(flm_jit_code_lookup(code, 0x203F, 139, &inlined, 1), 1);
        assert_true(flm_bytes_are(inlined.line_file, "/b.c"));
        assert_at(code, 0x5004, 141, "lined", "/a.c", 11);
        /* V8's lines are 64 bytes too high. */
        assert_at(code, 0x3000, 141, "v8", "x.js", 10);
        assert_at(code, 0x3008, 141, "v8", "x.js", 12);
        assert_at(code, 0x2040, 141, NULL, NULL, 0);
        flm_jit_code_free(code);
        flm_text_clear(&d.text);
    }
}

static void machine_code_is_found_where_it_was_loaded_and_moved(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct dump d = {.swapped = swapped};
        put_all(&d);
        struct flm_jit_losses losses;
        struct flm_jit_code *code = read_all(&d, &losses, NULL);
        static const struct {
            uint64_t address;
            int64_t time;
            uint64_t start, size;
            const char *name;
        } cases[] = {{0x1010, 129, 0x1000, 0x40, "first"},
                     {0x1010, 130, 0x1000, 0x20, "second"},
                     {0x203F, 139, 0x2000, 0x40, "lined"},
                     {0x5004, 141, 0x5000, 0x40, "lined"}};
        struct flm_jit_region_code found;
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            assert_true(flm_jit_code_find(code, cases[i].address, cases[i].time, &found));
            assert_int_equal(found.machine, FLM_MACHINE_X86_64);
            assert_true(found.start == cases[i].start && found.size == cases[i].size);
            size_t name = strlen(cases[i].name) + 1;
            assert_memory_equal(d.text.at + found.offset - name, cases[i].name, name);
            for (size_t k = 0; k < found.size; k++)
                assert_int_equal((unsigned char)d.text.at[found.offset + k], 0x90);
        }
        assert_false(flm_jit_code_find(code, 0x2040, 141, &found));
        flm_jit_code_free(code);
        flm_text_clear(&d.text);
    }
}

static void code_that_is_not_in_the_file_is_not_found(void **state)
{
    (void)state;
    struct dump d = {0};
    put_header(&d, 0);
    put_prefix(&d, 0, 40 + 2 + 8, 1); /* a load of 64 bytes, of which 8 are there */
    put32(&d, 4711);
    put32(&d, 4712);
    put64(&d, 0x1000);
    put64(&d, 0x1000);
    put64(&d, 64);
    put64(&d, 1);
    put_name(&d, "a");
    put64(&d, 0);
    put_load(&d, 2, 0x2000, 0x20, 2, "b");
    put_move(&d, 3, 0x2000, 0x3000, 0x40, 2); /* more than was loaded */
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_int_equal(flm_jit_code_count(code), 3);
    struct flm_jit_region_code found;
    assert_false(flm_jit_code_find(code, 0x1000, 5, &found));
    assert_true(flm_jit_code_find(code, 0x2000, 5, &found));
    assert_false(flm_jit_code_find(code, 0x3000, 5, &found));
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
    code = flm_perf_map_read(flm_bytes_of("1000 20 mapped\n"), &losses);
    assert_false(flm_jit_code_find(code, 0x1000, 5, &found));
    flm_jit_code_free(code);
}

/* Lines as V8 writes them, 64 bytes too high, with names that were freed: of the length that they
 * had, and their first bytes are what the allocator keeps there. */
static void put_torn(struct dump *d, uint64_t start, const char *const *names, size_t count)
{
    size_t size = 16;
    for (size_t i = 0; i < count; i++)
        size += 16 + strlen(names[i]) + 1;
    put_prefix(d, 2, size, 10);
    put64(d, start);
    put64(d, count);
    for (size_t i = 0; i < count; i++) {
        char torn[64];
        size_t length = strlen(names[i]), most = length < 16 ? length : 16;
        snprintf(torn, sizeof torn, "%s", names[i]);
        if (names[i][0] == '/')
            memcpy(torn, "Y)\x04\0\0\0\0\0\xfe\x12 key??", most);
        put64(d, start + 64 + 4 * i);
        put32(d, (uint32_t)i + 4);
        put32(d, 0);
        flm_text_add(&d->text, (struct flm_bytes){torn, length + 1});
    }
}

/* Whatever the length of the names: the zeros in them do not hide the lines behind. */
static void file_names_that_v8_had_freed_are_those_of_its_functions(void **state)
{
    (void)state;
    static const char *const files[] = {"/a.js", "/a/b/cde.js", "/application/leaf.js",
                                        "/application/some/file/in/a/folder.js"};
    for (size_t own = 0; own < 4; own++) {
        for (size_t inlined = 0; inlined < 4; inlined++) {
            const char *const names[] = {files[own],     "node:util", files[own],
                                         files[inlined], files[own],  files[own]};
            struct dump d = {0};
            char name[100];
            put_header(&d, 0);
            for (size_t i = 0; i < 4; i++) {
                snprintf(name, sizeof name, "JS:~f%zu %s:1:1", i, files[i]);
                put_load(&d, 5, 0x1000 * (i + 1), 0x40, i, name);
            }
            put_torn(&d, 0x8000, names, 6);
            snprintf(name, sizeof name, "JS:*leaf %s:1:14", files[own]);
            put_load(&d, 10, 0x8000, 0x40, 9, name);
            struct flm_jit_losses losses;
            struct flm_jit_code *code = read_all(&d, &losses, NULL);
            assert_int_equal(losses.regions, 0);
            for (uint32_t i = 0; i < 6; i++) {
                struct flm_jit_frame frame;
                assert_int_equal(flm_jit_code_lookup(code, 0x8000 + 4 * i, 11, &frame, 1), 1);
                assert_true(flm_bytes_are(frame.file, files[own])); /* that of the function */
                if (!flm_bytes_are(frame.line_file, names[i]))
                    fail_msg("%s, %s: line %u is in %.*s", files[own], files[inlined], i + 4,
                             (int)frame.line_file.size, frame.line_file.at);
                assert_int_equal(frame.line, i + 4);
            }
            flm_jit_code_free(code);
            flm_text_clear(&d.text);
        }
    }
}

/* V8 has offsets in the bytecode there: lines of what is not optimized would be wrong. */
static void code_of_v8_that_is_not_optimized_has_no_lines(void **state)
{
    (void)state;
    static const char *const names[] = {"JS:*f /a.js:1:1", "JS:+f /a.js:1:1", "JS:^f /a.js:1:1",
                                        "JS:~f /a.js:1:1"};
    for (size_t i = 0; i < 4; i++) {
        struct dump d = {0};
        put_header(&d, 0);
        put_lines(&d, 0x3000, 64);
        put_load(&d, 120, 0x3000, 0x40, 3, names[i]);
        struct flm_jit_losses losses;
        struct flm_jit_code *code = read_all(&d, &losses, NULL);
        struct flm_jit_frame frame;
        assert_int_equal(flm_jit_code_lookup(code, 0x3000, 130, &frame, 1), 1);
        assert_int_equal(frame.line_is_first, i >= 2);
        assert_int_equal(frame.line, i < 2 ? 10 : 1);
        flm_jit_code_free(code);
        flm_text_clear(&d.text);
    }
}

/* Two files that the rest of a name does not tell apart: a wrong line is worse than none. */
static void of_two_files_that_may_be_meant_none_is(void **state)
{
    (void)state;
    static const char *const names[] = {"/app/a.js", "node:util"};
    struct dump d = {0};
    put_header(&d, 0);
    put_load(&d, 5, 0x1000, 0x40, 1, "JS:~f /app/a.js:1:1");
    put_load(&d, 5, 0x2000, 0x40, 2, "JS:~g /app/b.js:1:1");
    put_torn(&d, 0x8000, names, 2);
    put_load(&d, 10, 0x8000, 0x40, 3, "JS:*leaf /app/a.js:1:14");
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_at(code, 0x8000, 11, "leaf", "/app/a.js", 0);
    assert_at(code, 0x8004, 11, "leaf", "/app/a.js", 5);
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
}

/* Zeros without end are not searched again and again. */
static void lines_of_zeros_are_read_in_time(void **state)
{
    (void)state;
    struct dump d = {0};
    enum { ZEROS = 4 << 20 };
    put_header(&d, 0);
    put_prefix(&d, 2, 16 + ZEROS, 10);
    put64(&d, 0x8000);
    put64(&d, UINT64_MAX);
    memset(flm_text_reserve(&d.text, ZEROS), 0, ZEROS);
    d.text.size += ZEROS;
    put_load(&d, 10, 0x8000, 0x40, 3, "JS:*leaf /app/a.js:1:14");
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_at(code, 0x8000, 11, "leaf", "/app/a.js", 1);
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
}

/* The end of a name is not looked for behind the lines: 5,000 bytes come before the first zero, and
 * no line is behind that. The sanitizers see what is read. */
static void a_name_of_any_length_is_searched_as_far_as_names_go(void **state)
{
    (void)state;
    struct dump d = {0};
    enum { LONG = 5000 };
    put_header(&d, 0);
    put_prefix(&d, 2, 16 + 16 + LONG + 100, 10);
    put64(&d, 0x8000);
    put64(&d, 1);
    put64(&d, 0x8040);
    put64(&d, 7);
    memset(flm_text_reserve(&d.text, LONG + 100), 'n', LONG + 100);
    d.text.size += LONG;
    flm_text_putc(&d.text, 0);
    d.text.size += 99;
    put_load(&d, 10, 0x8000, 0x40, 3, "JS:*leaf /app/a.js:1:14");
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_non_null(code);
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
}

static void times_of_the_processors_own_counter_are_not_used(void **state)
{
    (void)state;
    struct dump d = {0};
    put_header(&d, 1);
    put_load(&d, UINT64_C(1) << 62, 0x1000, 0x40, 1, "first");
    put_load(&d, UINT64_C(1) << 63, 0x1000, 0x40, 2, "second");
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_at(code, 0x1000, 5, "second", "", 0);
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
}

static void every_shortened_copy_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct dump d = {0};
    put_all(&d);
    size_t whole = d.text.size - strlen("what comes behind the end is not looked at"), last = 0;
    for (size_t size = 0; size <= whole; size++) {
        char *copy = malloc(size + 1); /* so that a sanitizer sees a read beyond it */
        memcpy(copy, d.text.at, size);
        copy = realloc(copy, size ? size : 1);
        struct flm_jit_losses losses;
        struct flm_error why = {0};
        struct flm_jit_code *code = flm_jitdump_read((struct flm_bytes){copy, size}, &losses, &why);
        assert_int_equal(code != NULL, size >= 48);
        if (code) {
            assert_true(flm_jit_code_count(code) >= last);
            last = flm_jit_code_count(code);
        } else {
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        }
        flm_jit_code_free(code);
        free(copy);
    }
    assert_int_equal(last, 5);
    flm_text_clear(&d.text);
}

static void malformed_records_are_counted(void **state)
{
    (void)state;
    struct dump d = {0};
    put_header(&d, 0);
    put_move(&d, 1, 0, 0x1000, 4, 77); /* of what nobody loaded */
    put_prefix(&d, 0, 8, 1);           /* a load that is too short */
    put64(&d, 0);
    put_prefix(&d, 0, 48, 1); /* one whose name does not end */
    for (int i = 0; i < 6; i++)
        put64(&d, UINT64_MAX);
    put_prefix(&d, 2, 8, 1); /* lines without a count */
    put64(&d, 0);
    put_lines(&d, 0x4000, 0); /* of other code */
    put_load(&d, 1, 0x1000, 0x10, 1, "good");
    struct flm_jit_losses losses;
    struct flm_jit_code *code = read_all(&d, &losses, NULL);
    assert_int_equal(losses.regions, 4);
    assert_int_equal(flm_jit_code_count(code), 1);
    assert_at(code, 0x1004, 1, "good", "", 0);
    flm_jit_code_free(code);
    put32(&d, 0);
    put32(&d, 4); /* shorter than its own head */
    put64(&d, 0);
    code = read_all(&d, &losses, NULL);
    assert_true(losses.cut);
    flm_jit_code_free(code);
    flm_text_clear(&d.text);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct dump d = {0};
    put_header(&d, 0);
    struct flm_jit_losses losses;
    struct flm_error why = {0};
    d.text.at[4] = 9;
    assert_null(read_all(&d, &losses, &why));
    assert_string_equal(why.text, "unknown jitdump version 9");
    d.text.at[4] = 1;
    d.text.at[8] = 4;
    assert_null(read_all(&d, &losses, &why));
    assert_string_equal(why.text, "malformed jitdump: a header of 4 bytes");
    d.text.at[0] = 'x';
    assert_null(read_all(&d, &losses, &why));
    assert_string_equal(why.text, "not a jitdump file");
    flm_text_clear(&d.text);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct dump d = {0};
    put_all(&d);
    for (size_t nth = 1;; nth++) {
        struct flm_jit_losses losses;
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_jit_code *code = read_all(&d, &losses, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(code == NULL, failed);
        assert_int_equal(why.kind, failed ? FLM_ERROR_MEMORY : FLM_ERROR_NONE);
        flm_jit_code_free(code);
        if (!failed)
            break;
    }
    flm_text_clear(&d.text);
}

/* ---- V8's own -------------------------------------------------------------------------------- */

/* Where in the file a load record of a function with this name is, and which range it has. */
static bool find_load(const struct flm_text *dump, const char *name, uint64_t *start,
                      uint64_t *size)
{
    const char *at = memmem(dump->at, dump->size, name, strlen(name));
    if (!at)
        return false;
    memcpy(start, at - 24, sizeof *start);
    memcpy(size, at - 16, sizeof *size);
    return true;
}

static void lines_of_node_are_those_of_the_program(void **state)
{
    (void)state;
    if (system("node --version >/dev/null 2>&1") != 0) {
        print_message("node is not installed\n");
        skip();
    }
    static const char program[] = "function leaf(n) {\n"
                                  "  let s = 0;\n"
                                  "  for (let i = 0; i < n; i++)\n"
                                  "    s += Math.sqrt(i);\n"
                                  "  return s;\n"
                                  "}\n"
                                  "require('fs').writeFileSync(__filename + '.id',\n"
                                  "                            '' + process.pid);\n"
                                  "for (let i = 0; i < 3000; i++)\n"
                                  "  leaf(3000);\n";
    char path[512], folder[512], command[2048];
    snprintf(path, sizeof path, "%s", write_temporary("leaf.js", flm_bytes_of(program)));
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(command, sizeof command, "cd %s && node --perf-prof leaf.js", folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s.id", path);
    struct flm_text id = read_file(command);
    snprintf(command, sizeof command, "%s/jit-%.*s.dump", folder, (int)id.size, id.at);
    struct flm_text dump = read_file(command);
    remove(command);

    struct flm_jit_losses losses;
    struct flm_error why = {0};
    struct flm_jit_code *code =
        flm_jitdump_read((struct flm_bytes){dump.at, dump.size}, &losses, &why);
    assert_non_null(code);
    assert_int_equal(losses.regions, 0);
    uint64_t start = 0, size = 0, in_loop = 0;
    /* Up to Node 18 it has another prefix. */
    assert_true(find_load(&dump, "JS:*leaf ", &start, &size) ||
                find_load(&dump, "LazyCompile:*leaf ", &start, &size));
    for (uint64_t at = start; at < start + size; at++) {
        struct flm_jit_frame frame;
        assert_int_equal(flm_jit_code_lookup(code, at, INT64_MAX, &frame, 1), 1);
        assert_true(flm_bytes_are(frame.function, "leaf"));
        if (!flm_bytes_end_with(frame.file, "leaf.js"))
            fail_msg("%.*s in %.*s:%u", (int)frame.function.size, frame.function.at,
                     (int)frame.file.size, frame.file.at, frame.line);
        assert_true(frame.line >= 1 && frame.line <= 10);
        in_loop += frame.line == 4 || frame.line == 3;
    }
    assert_true(in_loop > size / 8);
    flm_jit_code_free(code);
    flm_text_clear(&dump);
    flm_text_clear(&id);
    snprintf(command, sizeof command, "rm -f %s/isolate*.log", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_looked_up_by_time_in_either_byte_order),
        cmocka_unit_test(machine_code_is_found_where_it_was_loaded_and_moved),
        cmocka_unit_test(code_that_is_not_in_the_file_is_not_found),
        cmocka_unit_test(file_names_that_v8_had_freed_are_those_of_its_functions),
        cmocka_unit_test(code_of_v8_that_is_not_optimized_has_no_lines),
        cmocka_unit_test(of_two_files_that_may_be_meant_none_is),
        cmocka_unit_test(lines_of_zeros_are_read_in_time),
        cmocka_unit_test(a_name_of_any_length_is_searched_as_far_as_names_go),
        cmocka_unit_test(times_of_the_processors_own_counter_are_not_used),
        cmocka_unit_test(every_shortened_copy_is_read_as_far_as_it_goes),
        cmocka_unit_test(malformed_records_are_counted),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(lines_of_node_are_those_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
