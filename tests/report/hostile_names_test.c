/* Every report in every form, of profiles whose metric, unit, functions, modules, files, labels,
 * notes and file names are not ASCII: letters of two and three bytes, of two cells, without a cell
 * of their own, and bytes that are no text at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/utf.h"
#include "draw/text/cells.h"
#include "flamel/builder.h"
#include "flamel/compare.h"
#include "flamel/gate.h"
#include "flamel/report.h"
#include "support/core/json_tree.h"

/* ---- Names ----------------------------------------------------------------------------------- */

struct named {
    const char *about, *name;
    const char *plain; /* in ASCII, and as wide; NULL: how it is shown is not compared */
};

static const struct named names[] = {
    {"Cyrillic", "\u043a\u044d\u0448-\u043f\u0440\u043e\u043c\u0430\u0445\u0438", "abc-defghij"},
    {"Greek", "\u03b1\u03b2\u03b3", "abc"},
    {"CJK, two cells a letter", "\u7f13\u5b58\u672a\u547d\u4e2d", "abcdefghij"},
    {"combining marks", "e\u0301\u0302o\u0308u\u0308", "abc"},
    {"emoji", "\U0001F525\U0001F680", "abcd"},
    {"half-width and Cyrillic", "\u0434\u7f13d\u0301\U0001F525", "abcdef"},
    {"bytes that are no UTF-8", "a\xFF\xC0\x80z\xF4", "abcdef"},
    {"the beginning of a letter", "cache\xD0", "abcdef"},
    {"a longer name than a window has room for",
     "\u043e\u0447\u0435\u043d\u044c_\u0434\u043b\u0438\u043d\u043d\u043e\u0435_"
     "\u0438\u043c\u044f_\u043c\u0435\u0442\u0440\u0438\u043a\u0438_\u043a\u043e\u0442\u043e\u0440"
     "\u043e\u0435_\u043d\u0435_\u043a\u043e\u043d\u0447\u0430\u0435\u0442\u0441\u044f_"
     "\u043d\u0438\u043a\u043e\u0433\u0434\u0430_\u0438_\u0435\u0449\u0451_"
     "\u043d\u0435\u043c\u043d\u043e\u0433\u043e_\u0434\u043b\u0438\u043d\u043d\u0435\u0435",
     NULL},
    {"only marks", "\u0301\u0302", NULL},
    {"control characters", "a\nb\tc\x1b]0;title\x07\x1b[31m\x7F", NULL},
    {"C1 controls",
     "a\xC2\x9B"
     "31mb\xC2\x85"
     "c",
     NULL},
    {"marks of direction", "a\u202Egpj.exe\u2066b\u2069\u200Fc\u061C\u200E", NULL},
    {"line and paragraph separators", "a\u2028b\u2029c", NULL},
    {"Markdown", "a|b`c`|<script>[x](y)*_~#@all\\", NULL},
    {"formulas", "=1+1", NULL},
    {"a formula behind a tab", "\t=cmd|' /C calc'!A0", NULL},
    {"a command of old spreadsheets", "@SUM(1)", NULL},
    {"a sign", "-2+3,\"x\"", NULL},
    {"another sign", "+1", NULL},
};

/* ---- Profiles -------------------------------------------------------------------------------- */

enum { EACH_SIDE = 6, RUNS = 2 * EACH_SIDE };

static uint32_t string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text)).index;
}

static struct flm_frame frame(struct flm_builder *b, const char *function, const char *name)
{
    struct flm_frame_record record = {.function = string(b, function),
                                      .module = string(b, name),
                                      .file = string(b, name),
                                      .line = 7};
    return flm_builder_frame(b, &record);
}

/* Two functions, of which the one with the name changes with `value`. */
static struct flm_profile *profile_of(const char *name, double value)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_metric metric = flm_builder_metric(b, name, name);
    struct flm_node root = flm_builder_root(b);
    struct flm_node main_node = flm_builder_child(b, root, frame(b, "main", name));
    struct flm_node named = flm_builder_child(b, main_node, frame(b, name, name));
    struct flm_node other = flm_builder_child(b, main_node, frame(b, "other", name));
    struct flm_string labels[] = {{string(b, name)}, {string(b, name)}};
    struct flm_label_set set = flm_builder_label_set(b, labels, 1);
    flm_builder_sample(b, 5, named, set, metric, value);
    flm_builder_add(b, other, metric, 4000);
    flm_builder_add(b, flm_builder_child(b, named, frame(b, name, name)), metric, 300);
    flm_builder_note(b, name, name, strlen(name));
    flm_builder_lost(b, name, "line", 1, 2);
    struct flm_profile *profile = flm_builder_finish(b, &why);
    if (!profile)
        fail_msg("%s", why.text);
    return profile;
}

struct runs {
    struct flm_profile *profile[RUNS];
    struct flm_gate_run run[RUNS];
    char file[RUNS][512];
};

static void runs_init(struct runs *runs, const char *name)
{
    for (size_t i = 0; i < RUNS; i++) {
        bool is_new = i >= EACH_SIDE;
        runs->profile[i] = profile_of(name, (is_new ? 9000 : 5000) + 10 * (double)i);
        snprintf(runs->file[i], sizeof runs->file[i], "%s-%zu", name, 10 + i);
        runs->run[i] = (struct flm_gate_run){runs->profile[i], runs->file[i], is_new, NULL};
    }
}

static void runs_clear(struct runs *runs)
{
    for (size_t i = 0; i < RUNS; i++)
        flm_profile_free(runs->profile[i]);
}

/* ---- Reports --------------------------------------------------------------------------------- */

enum {
    TOP,
    TREE,
    CALLERS,
    CALLEES,
    INFO,
    DIFF,
    GATE,
    SIMILARITY,
    DISTANCE,
    SERIES,
    FORMATS,
    KINDS
};

static struct flm_report *report_of(const struct runs *runs, int kind, const char *name,
                                    struct flm_error *why)
{
    struct flm_report_options o = {
        .size = sizeof o, .source = name, .function = "main", .format = "folded", .metric = NULL};
    const struct flm_profile *p = runs->profile[0];
    struct flm_run_set *set = NULL;
    struct flm_report *report = NULL;
    struct flm_gate_result *gate = NULL;
    struct flm_similarity_options how = {.size = sizeof how};
    how.measure = kind == DISTANCE ? FLM_SIMILARITY_DISTANCE : FLM_SIMILARITY;
    switch (kind) {
    case TOP:
        return flm_report_top(p, &o, why);
    case TREE:
        return flm_report_tree(p, &o, why);
    case CALLERS:
        o.function = "other";
        return flm_report_callers(p, &o, why);
    case CALLEES:
        return flm_report_callees(p, &o, why);
    case INFO:
        o.label_values = true;
        return flm_report_info(p, &o, why);
    case DIFF:
        return flm_report_diff(runs->run, RUNS, NULL, why);
    case FORMATS:
        return flm_report_formats(why);
    case GATE:
        gate = flm_gate_compare(runs->run, RUNS, NULL, why);
        report = gate ? flm_gate_report(gate, why) : NULL;
        flm_gate_result_free(gate);
        return report;
    default:
        set = flm_run_set_new(runs->run, RUNS, NULL, why);
        report = !set             ? NULL
                 : kind == SERIES ? flm_report_series(set, NULL, why)
                                  : flm_report_similarity(set, &how, why);
        flm_run_set_free(set);
        return report;
    }
}

static bool add(void *text, const void *bytes, size_t size)
{
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return !((struct flm_text *)text)->failed;
}

/* Terminated; the caller frees it. */
static char *write(const struct flm_report *report, enum flm_report_form form, size_t width,
                   enum flm_report_charset charset)
{
    struct flm_report_style style = {.size = sizeof style, .width = width, .charset = charset};
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_report_write(report, form, &style, add, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    return out.at;
}

/* ---- What holds for each --------------------------------------------------------------------- */

/* For a terminal or a person: no character that does something, or that is not seen. */
static void assert_harmless(const char *text, bool has_lines)
{
    uint32_t code = 0;
    for (const char *at = text; *at;) {
        size_t size = flm_utf8_sequence(flm_bytes_of(at), &code);
        assert_true(size > 0);
        assert_true((code >= ' ' || (code == '\n' && has_lines)) && code != 0x7F);
        assert_false(code >= 0x80 && code < 0xA0);
        assert_false(code == 0x61C || code == 0x200E || code == 0x200F);
        assert_false(code >= 0x2028 && code <= 0x202E);
        assert_false(code >= 0x2066 && code <= 0x2069);
        at += size;
    }
}

/* Cells of a table are separated by bars that no backslash stands before. */
static void assert_tables_are_whole(const char *markdown)
{
    unsigned expected = 0;
    for (const char *line = markdown; *line; line += strcspn(line, "\n") + 1) {
        unsigned bars = 0;
        size_t size = strcspn(line, "\n");
        for (size_t i = 0; i < size; i++)
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
        if (line[0] != '|')
            bars = 0;
        if (bars > 0 && expected > 0)
            assert_int_equal(bars, expected);
        expected = bars;
    }
}

static void assert_rows_have_as_many_cells_as_the_first(const char *csv)
{
    unsigned expected = 0, commas = 0;
    bool is_quoted = false;
    for (const char *at = csv; *at; at++) {
        is_quoted ^= *at == '"';
        commas += *at == ',' && !is_quoted;
        if (*at != '\n' || is_quoted)
            continue;
        if (expected == 0)
            expected = commas;
        assert_int_equal(commas, expected);
        commas = 0;
    }
}

/* No cell of CSV is a formula; -5 is a number. */
static void assert_nothing_is_computed(const char *csv)
{
    bool is_start = true, is_quoted = false;
    for (const char *at = csv; *at; at++) {
        is_quoted ^= *at == '"';
        if (is_start && *at == '"')
            continue;
        char *end;
        if (is_start && strchr("=+-@", *at) &&
            (strtod(at, &end), *at != '-' || end == at || (*end != ',' && *end != '\n')))
            fail_msg("a spreadsheet computes %.40s", at);
        is_start = (*at == ',' || *at == '\n') && !is_quoted;
    }
}

static void assert_written(const struct flm_report *report, bool has_csv)
{
    static const enum flm_report_charset charsets[] = {FLM_REPORT_PLAIN, FLM_REPORT_UTF8,
                                                       FLM_REPORT_ASCII};
    static const size_t widths[] = {0, 40, 60, 80, 132};
    for (size_t c = 0; c < 3; c++)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
            char *text = write(report, FLM_REPORT_TEXT, widths[w], charsets[c]);
            assert_harmless(text, true);
            free(text);
        }
    char *markdown = write(report, FLM_REPORT_MARKDOWN, 0, FLM_REPORT_PLAIN);
    assert_harmless(markdown, true);
    assert_tables_are_whole(markdown);
    assert_null(strstr(markdown, "\n<script"));
    free(markdown);
    char *json = write(report, FLM_REPORT_JSON, 0, FLM_REPORT_PLAIN);
    assert_harmless(json, true);
    json_tree_free(json_tree_parse(json));
    free(json);
    if (has_csv) {
        char *csv = write(report, FLM_REPORT_CSV, 0, FLM_REPORT_PLAIN);
        assert_harmless(csv, true);
        assert_nothing_is_computed(csv);
        assert_rows_have_as_many_cells_as_the_first(csv);
        free(csv);
    }
}

static bool has_csv(const struct flm_report *report)
{
    struct flm_text out = {0};
    bool has = flm_report_write(report, FLM_REPORT_CSV, NULL, add, &out, NULL);
    flm_text_clear(&out);
    return has;
}

static void any_name_can_be_in_any_report(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct runs runs;
        runs_init(&runs, names[i].name);
        for (int kind = 0; kind < KINDS; kind++) {
            struct flm_error why = {0};
            struct flm_report *report = report_of(&runs, kind, names[i].name, &why);
            if (!report)
                fail_msg("%s, report %d: %s", names[i].about, kind, why.text);
            assert_written(report, has_csv(report));
            flm_report_free(report);
        }
        runs_clear(&runs);
    }
}

/* Escapes change nothing for a program: the same bytes come back, but for those that are no
 * UTF-8. */
static void json_has_the_names_as_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strpbrk(names[i].name, "\xC0\xFF") || strstr(names[i].about, "beginning"))
            continue;
        struct flm_profile *profile = profile_of(names[i].name, 5000);
        struct flm_report *report = flm_report_top(profile, NULL, NULL);
        char *json = write(report, FLM_REPORT_JSON, 0, FLM_REPORT_PLAIN);
        struct json_tree *tree = json_tree_parse(json);
        const struct json_tree *row = json_tree_get(tree, "functions");
        assert_true(row->count >= 2);
        assert_string_equal(json_tree_get(&row->items[0], "function")->text, names[i].name);
        assert_string_equal(json_tree_get(&row->items[0], "module")->text, names[i].name);
        json_tree_free(tree);
        free(json);
        flm_report_free(report);
        flm_profile_free(profile);
    }
}

/* The widths of lines, each followed by a blank. The caller frees it. */
static char *widths_of(const char *text)
{
    struct flm_text out = {0};
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t cells = flm_cells((struct flm_bytes){line, strcspn(line, "\n")}).cells;
        flm_text_format(&out, "%zu ", cells);
    }
    flm_text_putc(&out, 0);
    return out.at;
}

/* Lines of a report are as wide with a name as with one in ASCII that takes as many cells. Where
 * names are shortened this holds but for a cell, so the windows are wide. */
static void columns_are_counted_in_cells(void **state)
{
    (void)state;
    static const size_t windows[] = {0, 240};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!names[i].plain)
            continue;
        struct runs runs, plain;
        runs_init(&runs, names[i].name);
        runs_init(&plain, names[i].plain);
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t w = 0; w < 2; w++) {
                struct flm_report *a = report_of(&runs, kind, names[i].name, NULL);
                struct flm_report *b = report_of(&plain, kind, names[i].plain, NULL);
                char *shown = write(a, FLM_REPORT_TEXT, windows[w], FLM_REPORT_UTF8);
                char *wanted = write(b, FLM_REPORT_TEXT, windows[w], FLM_REPORT_UTF8);
                char *x = widths_of(shown), *y = widths_of(wanted);
                if (strcmp(x, y) != 0)
                    fail_msg("%s, report %d:\n%s\nis not as wide as\n%s", names[i].about, kind,
                             shown, wanted);
                free(shown);
                free(wanted);
                free(x);
                free(y);
                flm_report_free(a);
                flm_report_free(b);
            }
        runs_clear(&runs);
        runs_clear(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_name_can_be_in_any_report),
        cmocka_unit_test(json_has_the_names_as_they_are),
        cmocka_unit_test(columns_are_counted_in_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
