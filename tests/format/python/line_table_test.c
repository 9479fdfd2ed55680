#include "format/python/line_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/record/python_interpreters.h"

static uint32_t line_at(enum flm_python_lines kind, const char *table, size_t size, int64_t offset)
{
    return flm_python_line(kind, (struct flm_bytes){table, size}, 10, offset);
}

static void pairs_go_forward_and_back(void **state)
{
    (void)state;
    static const char table[] = {4, 1, 6, -3, 0, 100, 2, 5};
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, 0), 10);
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, 3), 10);
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, 4), 11);
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, 10), 108);
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, 500), 113);
    assert_int_equal(line_at(FLM_PYTHON_LNOTAB, table, sizeof table, -1), 10);
}

static void ranges_may_be_of_no_line(void **state)
{
    (void)state;
    static const char table[] = {4, 1, 6, -128, 2, 3};
    assert_int_equal(line_at(FLM_PYTHON_LINETABLE, table, sizeof table, 0), 11);
    assert_int_equal(line_at(FLM_PYTHON_LINETABLE, table, sizeof table, 4), 0);
    assert_int_equal(line_at(FLM_PYTHON_LINETABLE, table, sizeof table, 10), 14);
    assert_int_equal(line_at(FLM_PYTHON_LINETABLE, table, sizeof table, 12), 0);
}

static void locations_have_many_forms(void **state)
{
    (void)state;
    /* Short; one line, 2 forward; without columns, 5 back; long, 70 forward; none. */
    static const char table[] = {'\x80' | 0 << 3,
                                 1,
                                 '\x80' | 12 << 3 | 1,
                                 2,
                                 3,
                                 '\x80' | 13 << 3,
                                 11,
                                 '\x80' | 14 << 3,
                                 64 | (140 & 63),
                                 140 >> 6,
                                 0,
                                 1,
                                 2,
                                 '\x80' | 15 << 3};
    static const uint32_t lines[] = {10, 12, 12, 7, 77, 0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(line_at(FLM_PYTHON_LOCATIONS, table, sizeof table, (int64_t)(2 * i)),
                         lines[i]);
    assert_int_equal(line_at(FLM_PYTHON_LOCATIONS, table, sizeof table, 12), 0);
    for (size_t size = 0; size < sizeof table; size++) /* cut off: no line, or one of those */
        assert_true(line_at(FLM_PYTHON_LOCATIONS, table, size, 8) != 78);
    assert_int_equal(line_at(FLM_PYTHON_LOCATIONS, "\1\1", 2, 0), 0);
}

/* ---- As interpreters say it ------------------------------------------------------------------ */

/* For each code object of some modules: first line, table, and the line of every second byte. */
static const char script[] =
    "import sys, argparse, ast, inspect, tarfile, types, dis\n"
    "codes = []\n"
    "def add(code):\n"
    "    codes.append(code)\n"
    "    for c in code.co_consts:\n"
    "        if isinstance(c, types.CodeType): add(c)\n"
    "for m in (argparse, ast, inspect, tarfile):\n"
    "    add(compile(open(m.__file__).read(), m.__file__, 'exec'))\n"
    "for code in codes:\n"
    "    lines = [0] * (len(code.co_code) // 2)\n"
    "    if sys.version_info >= (3, 10):\n"
    "        table = code.co_linetable\n"
    "        for start, end, line in code.co_lines():\n"
    "            for i in range(start // 2, min(end // 2, len(lines))): lines[i] = line or 0\n"
    "    else:\n"
    "        table, line, starts = code.co_lnotab, 0, dict(dis.findlinestarts(code))\n"
    "        for i in range(len(lines)):\n"
    "            line = starts.get(2 * i, line)\n"
    "            lines[i] = line\n"
    "    print(code.co_firstlineno, table.hex() or '-', *lines)\n";

static size_t compare_code(char *line, enum flm_python_lines kind, const char *path)
{
    char *rest = NULL;
    uint32_t first = (uint32_t)strtoul(strtok_r(line, " ", &rest), NULL, 10);
    const char *hex = strtok_r(NULL, " ", &rest);
    struct flm_text table = {0};
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        flm_text_putc(&table, (char)byte);
    size_t count = 0;
    for (const char *word; (word = strtok_r(NULL, " \n", &rest)); count++) {
        uint32_t wanted = (uint32_t)strtoul(word, NULL, 10);
        uint32_t got =
            flm_python_line(kind, (struct flm_bytes){table.at ? table.at : "", table.size}, first,
                            (int64_t)(2 * count));
        if (got != wanted)
            fail_msg("%s: code at line %u, instruction %zu: line %u, not %u", path, first, count,
                     got, wanted);
    }
    flm_text_clear(&table);
    return count;
}

static void lines_are_those_of_the_interpreters(void **state)
{
    (void)state;
    char paths[16][512], command[2048];
    size_t interpreters = python_interpreters(paths, 16);
    if (interpreters == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        skip();
    }
    const char *program = write_temporary("lines.py", flm_bytes_of(script));
    for (size_t i = 0; i < interpreters; i++) {
        int minor = atoi(strrchr(paths[i], '.') + 1);
        enum flm_python_lines kind = minor < 10    ? FLM_PYTHON_LNOTAB
                                     : minor == 10 ? FLM_PYTHON_LINETABLE
                                                   : FLM_PYTHON_LOCATIONS;
        snprintf(command, sizeof command, "%.511s -B %s", paths[i], program);
        FILE *output = popen(command, "r");
        assert_non_null(output);
        char *line = NULL;
        size_t capacity = 0, compared = 0;
        while (getline(&line, &capacity, output) > 0)
            compared += compare_code(line, kind, paths[i]);
        free(line);
        assert_int_equal(pclose(output), 0);
        assert_true(compared > 20000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_go_forward_and_back),
        cmocka_unit_test(ranges_may_be_of_no_line),
        cmocka_unit_test(locations_have_many_forms),
        cmocka_unit_test(lines_are_those_of_the_interpreters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
