#include "record/runtime/jit_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"

static struct flm_jit_code *read(const char *text, uint64_t bad, bool cut)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_perf_map_read(flm_bytes_of(text), &losses);
    assert_non_null(code);
    assert_int_equal(losses.regions, bad);
    assert_int_equal(losses.cut, cut);
    return code;
}

static void assert_at(const struct flm_jit_code *code, uint64_t address, const char *name)
{
    struct flm_jit_frame frame;
    size_t count = flm_jit_code_lookup(code, address, INT64_MAX, &frame, 1);
    assert_int_equal(count, name != NULL);
    if (name && !flm_bytes_are(frame.function, name))
        fail_msg("%.*s, not %s", (int)frame.function.size, frame.function.at, name);
}

static void names_go_to_the_end_of_the_line(void **state)
{
    (void)state;
    struct flm_jit_code *code = read("7f00 10 void a.B.c(int, long)\n"
                                     "0x8000 0X20\ttabs\r\n"
                                     "\n"
                                     "FFFFFFFFFFFFFF00 80 high\n",
                                     0, false);
    assert_int_equal(flm_jit_code_count(code), 3);
    assert_at(code, 0x7F00, "void a.B.c(int, long)");
    assert_at(code, 0x7F0F, "void a.B.c(int, long)");
    assert_at(code, 0x7F10, NULL);
    assert_at(code, 0x801F, "tabs");
    assert_at(code, 0xFFFFFFFFFFFFFF7F, "high");
    flm_jit_code_free(code);
}

static void later_lines_hold_where_they_overlap_earlier_ones(void **state)
{
    (void)state;
    struct flm_jit_code *code = read("1000 100 old\n1040 20 new\n1050 4 newest\n", 0, false);
    assert_at(code, 0x103F, "old");
    assert_at(code, 0x1040, "new");
    assert_at(code, 0x1053, "newest");
    assert_at(code, 0x1054, "new");
    assert_at(code, 0x1060, "old");
    flm_jit_code_free(code);
}

static void malformed_lines_are_counted(void **state)
{
    (void)state;
    struct flm_jit_code *code = read("nonsense\n1000 10\n1000 10 \n1000\n10000000000000000 10 x\n"
                                     "-1 10 x\n1000 1g x\n2000 10 good\n",
                                     7, false);
    assert_int_equal(flm_jit_code_count(code), 1);
    assert_at(code, 0x2000, "good");
    flm_jit_code_free(code);
}

static void a_truncated_line_is_reported(void **state)
{
    (void)state;
    struct flm_jit_code *code = read("1000 10 whole\n2000 10 cu", 0, true);
    assert_at(code, 0x2000, "cu");
    flm_jit_code_free(code);
    flm_jit_code_free(read("", 0, false));
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_jit_losses losses;
        allocation_fail_from(nth);
        struct flm_jit_code *code =
            flm_perf_map_read(flm_bytes_of("1000 10 a\n2000 10 b\n3000 20 c\n"), &losses);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(code == NULL, failed);
        flm_jit_code_free(code);
        if (!failed)
            break;
    }
}

/* 20,000 regions at one place: a search looks at some of them. */
static void a_crafted_map_does_not_make_lookups_slow(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (unsigned i = 0; i < 20000; i++)
        flm_text_format(&text, "%x %x f%u\n", i, 0x7FFFFFFF, i);
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_perf_map_read((struct flm_bytes){text.at, text.size}, &losses);
    struct flm_jit_frame frame;
    for (unsigned i = 0; i < 20000; i++)
        assert_int_equal(flm_jit_code_lookup(code, 100000 + i, INT64_MAX, &frame, 1), 1);
    flm_jit_code_free(code);
    flm_text_clear(&text);
}

/* A program for node, and what its options leave behind. */
static void node_names_its_code(void **state)
{
    (void)state;
    if (system("node --version >/dev/null 2>&1") != 0) {
        print_message("node is not installed\n");
        skip();
    }
    static const char program[] =
        "function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += i & 3; return s; }\n"
        "require('fs').writeFileSync(process.argv[2] + '.id', '' + process.pid);\n"
        "for (let i = 0; i < 3000; i++) leaf(3000);\n";
    char path[512], command[2048];
    snprintf(path, sizeof path, "%s", write_temporary("leaf.js", flm_bytes_of(program)));
    /* V8 leaves a log in the folder that it runs in. */
    snprintf(command, sizeof command, "cd %.*s && node --perf-basic-prof %s %s",
             (int)(strrchr(path, '/') - path), path, path, path);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s.id", path);
    struct flm_text id = read_file(command);
    snprintf(command, sizeof command, "/tmp/perf-%.*s.map", (int)id.size, id.at);
    struct flm_text map = read_file(command);
    remove(command);

    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_perf_map_read((struct flm_bytes){map.at, map.size}, &losses);
    assert_int_equal(losses.regions, 0);
    assert_true(flm_jit_code_count(code) > 100);
    size_t found = 0;
    for (const char *line = map.at, *end = map.at + map.size; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        struct flm_jit_frame frame;
        assert_non_null(stop);
        if (memmem(line, (size_t)(stop - line), ":*leaf ", 7)) {
            uint64_t start = strtoull(line, NULL, 16);
            assert_int_equal(flm_jit_code_lookup(code, start, INT64_MAX, &frame, 1), 1);
            assert_true(flm_bytes_are(frame.function, "leaf"));
            assert_true(flm_bytes_are(frame.file, path));
            assert_int_equal(frame.line, 1);
            found++;
        }
        line = stop + 1;
    }
    assert_true(found > 0);
    flm_jit_code_free(code);
    flm_text_clear(&map);
    flm_text_clear(&id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_go_to_the_end_of_the_line),
        cmocka_unit_test(later_lines_hold_where_they_overlap_earlier_ones),
        cmocka_unit_test(malformed_lines_are_counted),
        cmocka_unit_test(a_truncated_line_is_reported),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_crafted_map_does_not_make_lookups_slow),
        cmocka_unit_test(node_names_its_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
