#include "draw/text/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

static const struct flm_table_style plain = {0};

static const struct flm_column columns[] = {
    {"self", FLM_COLUMN_NUMBER, 0},
    {"", FLM_COLUMN_BAR, 3},
    {"module", FLM_COLUMN_PATH, 2},
    {"function", FLM_COLUMN_NAME, 0},
};

static void add(struct flm_table *table, double value, double share, const char *module,
                const char *function)
{
    flm_quantity_add(flm_table_cell(table), value, flm_bytes_of("ns"));
    flm_table_bar(table, share);
    flm_text_puts(flm_table_cell(table), module);
    flm_text_puts(flm_table_cell(table), function);
}

static struct flm_table small_table(void)
{
    struct flm_table table;
    flm_table_init(&table, columns, 4);
    add(&table, 1.24e9, 1, "/usr/lib/libapp.so", "net::Connection::serve(int)");
    add(&table, 318e6, 0.25, "/usr/lib/libc.so.6", "malloc");
    add(&table, 12e3, 0, "", "main");
    return table;
}

static void assert_printed(struct flm_table *table, const struct flm_table_style *look,
                           const char *expected)
{
    struct flm_text out = {0};
    flm_table_print(table, look, &out);
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
    flm_table_clear(table);
}

static void numbers_are_right_aligned_and_units_left_aligned(void **state)
{
    (void)state;
    struct flm_table table = small_table();
    assert_printed(&table, &plain,
                   "   self  module     function\n"
                   "1.24 s   libapp.so  net::Connection::serve(int)\n"
                   " 318 ms  libc.so.6  malloc\n"
                   "  12 \xC2\xB5s             main\n");
}

static void a_window_gets_bars_and_shortened_names(void **state)
{
    (void)state;
    struct flm_table table = small_table();
    assert_printed(
        &table, &(struct flm_table_style){.width = 54, .charset = FLM_CHARSET_UTF8},
        "   self          module     function\n"
        "1.24 s   \xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88\xE2\x96\x88"
        "  libapp.so  net::Connection::serve\n"
        " 318 ms  \xE2\x96\x88\xE2\x96\x8C      libc.so.6  malloc\n"
        "  12 \xC2\xB5s                     main\n");
}

static void shortened_names_of_two_functions_are_told_apart(void **state)
{
    (void)state;
    static const char *const names[] = {
        "unsigned long spin<3>(unsigned long, int)", "unsigned long other(unsigned long, int)",
        "unsigned long spin<1>(unsigned long, int)", "unsigned long spin<3>(unsigned long, int)"};
    static const struct flm_column two[] = {{"self", FLM_COLUMN_NUMBER, 0},
                                            {"function", FLM_COLUMN_NAME, 0}};
    struct flm_table table;
    flm_table_init(&table, two, 2);
    for (size_t i = 0; i < 4; i++) {
        flm_quantity_add(flm_table_cell(&table), 1e9 * (double)(4 - i), flm_bytes_of("ns"));
        flm_text_puts(flm_table_cell(&table), names[i]);
    }
    assert_printed(&table, &(struct flm_table_style){.width = 34, .charset = FLM_CHARSET_UTF8},
                   "self  function\n"
                   " 4 s  spin<3>(unsigned long, int)\n"
                   " 3 s  unsigned long other\n"
                   " 2 s  spin<1>(unsigned long, int)\n"
                   " 1 s  spin<3>(unsigned long, int)\n");
}

static void a_narrow_window_loses_columns_those_that_tell_least_first(void **state)
{
    (void)state;
    struct flm_table table = small_table();
    assert_printed(&table, &(struct flm_table_style){.width = 34, .charset = FLM_CHARSET_ASCII},
                   "   self  function\n"
                   "1.24 s   net::Connection::serve\n"
                   " 318 ms  malloc\n"
                   "  12 us  main\n");
}

static void a_title_wider_than_its_numbers_keeps_them_at_its_end(void **state)
{
    (void)state;
    static const struct flm_column numbers[] = {{"many stacks", FLM_COLUMN_NUMBER, 0},
                                                {"name", FLM_COLUMN_TEXT, 0}};
    struct flm_table table;
    flm_table_init(&table, numbers, 2);
    flm_text_puts(flm_table_cell(&table), "1,204");
    flm_text_puts(flm_table_cell(&table), "a");
    flm_text_puts(flm_table_cell(&table), "7");
    flm_text_puts(flm_table_cell(&table), "b");
    assert_printed(&table, &plain,
                   "many stacks  name\n"
                   "      1,204  a\n"
                   "          7  b\n");
}

static void the_lines_of_a_tree_are_not_part_of_a_name(void **state)
{
    (void)state;
    static const struct flm_column names[] = {{"function", FLM_COLUMN_NAME, 0}};
    struct flm_table table;
    flm_table_init(&table, names, 1);
    flm_text_puts(flm_table_cell(&table), "| | `- ");
    flm_table_end_prefix(&table);
    flm_text_puts(&table.text, "std::vector<int>::push_back(int)");
    assert_printed(&table, &(struct flm_table_style){.width = 24, .charset = FLM_CHARSET_ASCII},
                   "function\n"
                   "| | `- push_back\n");
}

static void lines_of_a_deep_tree_leave_room_for_the_name(void **state)
{
    (void)state;
    static const struct flm_column names[] = {{"function", FLM_COLUMN_NAME, 0}};
    struct flm_table table;
    flm_table_init(&table, names, 1);
    struct flm_text *cell = flm_table_cell(&table);
    for (int i = 0; i < 30; i++)
        flm_text_puts(cell, "| ");
    flm_table_end_prefix(&table);
    flm_text_puts(cell, "main");
    assert_printed(&table, &(struct flm_table_style){.width = 24, .charset = FLM_CHARSET_ASCII},
                   "function\n"
                   "> | | | | | main\n");
}

static void changes_have_their_sign_and_stacks_keep_their_ends(void **state)
{
    (void)state;
    static const struct flm_column changes[] = {{"change", FLM_COLUMN_NUMBER, 0},
                                                {"stack", FLM_COLUMN_STACK, 0}};
    static const double values[] = {1.24e9, -318e6, 0, 5e6};
    struct flm_table table;
    struct flm_scale scale;
    flm_scale_init(&scale, values[0], FLM_DIGITS_OF_REPORTS, flm_bytes_of("ns"));
    flm_table_init(&table, changes, 2);
    for (int i = 0; i < 4; i++) {
        flm_table_change(&table, i == 3 ? "~" : "", values[i], &scale);
        flm_text_puts(flm_table_cell(&table), i ? "main;lex" : "main;net::Connection::serve;lex");
    }
    struct flm_table_style window = {.width = 34, .charset = FLM_CHARSET_UTF8};
    assert_printed(&table, &window,
                   "   change  stack\n"
                   "+1,240 ms  \xE2\x80\xA6;lex\n"
                   "  -318 ms  main;lex\n"
                   "     0     main;lex\n"
                   "   ~+5 ms  main;lex\n");
}

static void a_long_text_goes_on_below_itself(void **state)
{
    (void)state;
    static const struct flm_column texts[] = {{"", FLM_COLUMN_TEXT, 0}, {"", FLM_COLUMN_TEXT, 0}};
    struct flm_table table;
    flm_table_init(&table, texts, 2);
    flm_text_puts(flm_table_cell(&table), "command");
    flm_text_puts(flm_table_cell(&table), "perf record --call-graph dwarf ./app");
    assert_printed(&table, &(struct flm_table_style){.width = 32, .charset = FLM_CHARSET_ASCII},
                   "command  perf record\n"
                   "         --call-graph dwarf\n"
                   "         ./app\n");
}

static void tones_are_only_where_there_are_colors(void **state)
{
    (void)state;
    static const struct flm_column texts[] = {{"module", FLM_COLUMN_PATH, 0}};
    static const char *const expected[] = {
        "module\nlibc\n",
        "\x1b[2mmodule\x1b[0m\n\x1b[2mlibc\x1b[0m\n",
        "\x1b[38;5;243mmodule\x1b[0m\n\x1b[38;5;243mlibc\x1b[0m\n",
    };
    static const int colors[] = {0, 16, 256};
    for (size_t i = 0; i < 3; i++) {
        struct flm_table table;
        flm_table_init(&table, texts, 1);
        flm_text_puts(flm_table_cell(&table), "libc");
        assert_printed(&table, &(struct flm_table_style){.width = 80, .colors = colors[i]},
                       expected[i]);
    }
}

static void no_line_is_wider_than_the_window(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "a", "bcd", "::", "<",    ">",        "(x)",          "/",
        ".", " ",   "\n", "\xFF", "\xC3\xBC", "\xE6\xBC\xA2", "\xF0\x9F\x94\xA5"};
    uint64_t random = 9;
    for (int i = 0; i < 2000; i++) {
        struct flm_table table;
        flm_table_init(&table, columns, 4);
        for (unsigned row = random_below(&random, 6); row > 0; row--) {
            flm_quantity_add(flm_table_cell(&table), random_below(&random, 2000000),
                             flm_bytes_of("ns"));
            flm_table_bar(&table, random_below(&random, 100) / 100.0);
            for (int cell = 0; cell < 2; cell++) {
                struct flm_text *text = flm_table_cell(&table);
                for (unsigned n = random_below(&random, 5) * (unsigned)cell * 4; n > 0; n--)
                    flm_text_puts(text, n % 2 ? "| " : "`-");
                flm_table_end_prefix(&table);
                for (unsigned n = random_below(&random, 40); n > 0; n--)
                    flm_text_puts(text, parts[random_below(&random, 14)]);
            }
        }
        struct flm_table_style look = {.width = 20 + random_below(&random, 100),
                                       .charset = i % 2 ? FLM_CHARSET_UTF8 : FLM_CHARSET_ASCII};
        struct flm_text out = {0};
        flm_table_print(&table, &look, &out);
        size_t start = 0;
        for (size_t at = 0; at < out.size; at++)
            if (out.at[at] == '\n') {
                assert_true(flm_cells((struct flm_bytes){out.at + start, at - start}).cells <=
                            look.width);
                start = at + 1;
            }
        flm_text_clear(&out);
        flm_table_clear(&table);
    }
}

/* Titles are names of metrics too: of any letters, and wider than their column or the window. */
static void titles_take_the_room_of_their_letters(void **state)
{
    (void)state;
    static const char *const titles[] = {
        "",
        "abc",
        "\u043a\u044d\u0448-\u043f\u0440\u043e\u043c\u0430\u0445\u0438",
        "\u7f13\u5b58\u672a",
        "e\u0301\u0302",
        "\U0001F525",
        "a\xFF\xD0",
        "\x1b[31m",
        "a very long title of very many words indeed, of more than forty"};
    enum { TITLES = sizeof titles / sizeof titles[0] };
    static const enum flm_column_kind kinds[] = {FLM_COLUMN_NUMBER, FLM_COLUMN_NAME,
                                                 FLM_COLUMN_STACK, FLM_COLUMN_PATH};
    for (size_t title = 0; title < TITLES; title++)
        for (size_t width = 0; width < 70; width += width ? 3 : 24)
            for (size_t kind = 0; kind < 4; kind++) {
                const struct flm_column odd[] = {{"function", FLM_COLUMN_NAME, 0},
                                                 {titles[title], kinds[kind], 0},
                                                 {titles[TITLES - 1 - title], FLM_COLUMN_NAME, 2}};
                struct flm_table_style look = {.width = width, .charset = FLM_CHARSET_UTF8};
                struct flm_table table;
                flm_table_init(&table, odd, 3);
                flm_text_puts(flm_table_cell(&table), "function_with_a_name_that_is_long");
                flm_text_puts(flm_table_cell(&table), "7");
                flm_text_puts(flm_table_cell(&table), "last");
                struct flm_text out = {0};
                flm_table_print(&table, &look, &out);
                assert_false(out.failed);
                assert_null(memchr(out.at, '\x1b', out.size));
                size_t head = (size_t)((char *)memchr(out.at, '\n', out.size) - out.at);
                /* A number is below its title, whose last letters are above it. */
                struct flm_bytes row = {out.at + head + 1, out.size - head - 1};
                const char *seven = memchr(row.at, '7', row.size);
                assert_non_null(seven);
                if (kinds[kind] == FLM_COLUMN_NUMBER && width == 0 && titles[title][0])
                    assert_true(
                        flm_cells((struct flm_bytes){out.at, head}).cells >=
                        flm_cells((struct flm_bytes){row.at, (size_t)(seven - row.at)}).cells);
                flm_text_clear(&out);
                flm_table_clear(&table);
            }
}

/* `largest`: of the column. */
static void assert_cell(double value, const char *unit, double largest, const char *expected)
{
    static const struct flm_column one[] = {{"", FLM_COLUMN_NUMBER, 0}};
    struct flm_table table;
    struct flm_scale scale;
    flm_scale_init(&scale, largest, FLM_DIGITS_OF_REPORTS, flm_bytes_of(unit));
    flm_scale_add(&scale, value);
    flm_table_init(&table, one, 1);
    flm_table_quantity(&table, value, &scale);
    flm_text_putc(&table.text, 0);
    assert_string_equal(table.text.at, expected);
    flm_table_clear(&table);
}

static void quantities_have_their_unit_unless_it_is_a_word(void **state)
{
    (void)state;
    assert_cell(50.4e6, "ns", 900e6, "50.4 ms");
    assert_cell(5, "ns", 5, "5 ns");
    assert_cell(3 * 1048576, "bytes", 99e6, "3 MiB");
    assert_cell(-5e9, "ns", -50e9, "-5 s");
    assert_cell(0, "ns", 0, "0");
    assert_cell(1234567, "samples", 1234567, "1,234,567");
    assert_cell(1234567, "samples", 12345678, "1.23 M");
    assert_cell(12, "samples", 12345678, "<0.01 M");
}

static void assert_percent(double value, double whole, const char *expected)
{
    static const struct flm_column one[] = {{"", FLM_COLUMN_NUMBER, 0}};
    struct flm_table table;
    flm_table_init(&table, one, 1);
    flm_table_percent(&table, value, whole);
    flm_text_putc(&table.text, 0);
    assert_string_equal(table.text.at, expected);
    flm_table_clear(&table);
}

static void percentages_have_one_decimal_and_do_not_lie(void **state)
{
    (void)state;
    assert_percent(1, 3, "33.3 %");
    assert_percent(1, 1, "100.0 %");
    assert_percent(9999, 10000, "99.9 %");
    assert_percent(1, 10000, "<0.1 %");
    assert_percent(0, 10000, "0.0 %");
    assert_percent(-1, 4, "-25.0 %");
    assert_percent(1, 0, "0.0 %");
    assert_percent(1e300, 1e-9, ">1e14 %");
}

static void markdown_has_code_spans_that_nothing_breaks_out_of(void **state)
{
    (void)state;
    struct flm_table table;
    flm_table_init(&table, columns, 4);
    add(&table, 5e9, 1, "", "operator|");
    add(&table, 5e9, 1, "a`b", "x\ny");
    struct flm_text out = {0};
    flm_table_markdown(&table, &out);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "| self | module | function |\n"
                                "|---:|---|---|\n"
                                "| 5 s |  | `operator\\|` |\n"
                                "| 5 s | `` a`b `` | `x\xE2\x90\x8Ay` |\n");
    flm_text_clear(&out);
    flm_table_clear(&table);
}

static void markdown_keeps_the_blanks_before_code(void **state)
{
    (void)state;
    static const struct flm_column code[] = {{"source", FLM_COLUMN_CODE, 0}};
    struct flm_table table;
    flm_table_init(&table, code, 1);
    flm_text_puts(flm_table_cell(&table), "  a |= *b;");
    flm_text_puts(flm_table_cell(&table), "");
    struct flm_text out = {0};
    flm_table_markdown(&table, &out);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "| source |\n|---|\n| &nbsp;&nbsp;`a \\|= *b;` |\n|  |\n");
    flm_text_clear(&out);
    flm_table_clear(&table);
}

static void a_share_has_the_title_of_a_value_that_is_left_out(void **state)
{
    (void)state;
    static const struct flm_column texts[] = {
        {"self", FLM_COLUMN_NUMBER, 1}, {"", FLM_COLUMN_NUMBER, 0}, {"source", FLM_COLUMN_CODE, 0}};
    struct flm_table table;
    flm_table_init(&table, texts, 3);
    flm_text_puts(flm_table_cell(&table), "1,234.56 ms");
    flm_text_puts(flm_table_cell(&table), "12.3 %");
    flm_text_puts(flm_table_cell(&table), "int main(void)");
    assert_printed(&table, &(struct flm_table_style){.width = 24, .charset = FLM_CHARSET_ASCII},
                   "  self  source\n"
                   "12.3 %  int main(void)\n");
}

static void wide_code_leaves_its_costs(void **state)
{
    (void)state;
    static const struct flm_column texts[] = {{"self", FLM_COLUMN_NUMBER, 1},
                                              {"line", FLM_COLUMN_NUMBER, 0},
                                              {"source", FLM_COLUMN_CODE, 0}};
    struct flm_table table;
    flm_table_init(&table, texts, 3);
    flm_text_puts(flm_table_cell(&table), "12 ms");
    flm_text_puts(flm_table_cell(&table), "7");
    flm_text_puts(flm_table_cell(&table), "while (a[i] != b[i] && i < count && c != NULL && d)");
    assert_printed(&table, &(struct flm_table_style){.width = 56, .charset = FLM_CHARSET_ASCII},
                   " self  line  source\n"
                   "12 ms     7  while (a[i] != b[i] && i < count && c !=\n"
                   "             NULL && d)\n");
}

static void csv_quotes_only_fields_that_need_it(void **state)
{
    (void)state;
    static const struct flm_column texts[] = {{"function", FLM_COLUMN_TEXT, 0},
                                              {"self", FLM_COLUMN_TEXT, 0}};
    static const char *const cells[] = {"f(int, long)", "1",  "say \"x\"", "2",
                                        "a;b'",         "-5", "",          ""};
    struct flm_table table;
    flm_table_init(&table, texts, 2);
    for (size_t i = 0; i < 8; i++)
        flm_text_puts(flm_table_cell(&table), cells[i]);
    struct flm_text out = {0};
    flm_table_csv(&table, &out);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, "function,self\n"
                                "\"f(int, long)\",1\n"
                                "\"say \"\"x\"\"\",2\n"
                                "a;b',-5\n"
                                ",\n");
    flm_text_clear(&out);
    flm_table_clear(&table);
}

static bool make_and_print(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_table table = small_table();
    for (int i = 0; i < 50; i++)
        add(&table, 1, 1, "\x01", "\xFF");
    struct flm_text out = {0};
    flm_table_print(&table, &(struct flm_table_style){.width = 60, .charset = FLM_CHARSET_ASCII},
                    &out);
    flm_table_markdown(&table, &out);
    flm_table_csv(&table, &out);
    bool good = !out.failed;
    flm_text_clear(&out);
    flm_table_clear(&table);
    return good || flm_error_memory(why);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(make_and_print, NULL) > 5);
}

static void csv_has_no_formulas_and_no_controls(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *written;
    } cells[] = {
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1+2", "'-1+2"},
        {"-", "'-"},
        {"-[NSObject dealloc]", "'-[NSObject dealloc]"},
        {"-2-3", "'-2-3"},
        {"-5e", "'-5e"},
        {"@SUM(1,2)", "\"'@SUM(1,2)\""},
        {"=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""},
        {"\uFF1D1", "'\uFF1D1"},
        {"\t=1", "\u2409=1"},
        {"\r\n=1", "\u240D\u240A=1"},
        {"a\nb", "a\u240Ab"},
        {"\x1b[2J", "\u241B[2J"},
        {"a\u202Eb", "a\uFFFDb"},
        {"-5", "-5"},
        {"-0.25", "-0.25"},
        {"-1.5e-7", "-1.5e-7"},
        {"-1e+300", "-1e+300"},
        {"a=1+1", "a=1+1"},
        {"operator=", "operator="},
        {"'=1", "'=1"},
    };
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        /* Titles too: they are names of files in a matrix. */
        const struct flm_column texts[] = {{"a", FLM_COLUMN_TEXT, 0},
                                           {cells[i].cell, FLM_COLUMN_TEXT, 0}};
        struct flm_table table;
        flm_table_init(&table, texts, 2);
        flm_text_puts(flm_table_cell(&table), cells[i].cell);
        flm_text_puts(flm_table_cell(&table), "7");
        struct flm_text out = {0}, wanted = {0};
        flm_table_csv(&table, &out);
        flm_text_putc(&out, 0);
        flm_text_puts(&wanted, "a,");
        flm_text_puts(&wanted, cells[i].written);
        flm_text_puts(&wanted, "\n");
        flm_text_puts(&wanted, cells[i].written);
        flm_text_puts(&wanted, ",7\n");
        flm_text_putc(&wanted, 0);
        assert_string_equal(out.at, wanted.at);
        flm_text_clear(&out);
        flm_text_clear(&wanted);
        flm_table_clear(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_right_aligned_and_units_left_aligned),
        cmocka_unit_test(a_window_gets_bars_and_shortened_names),
        cmocka_unit_test(shortened_names_of_two_functions_are_told_apart),
        cmocka_unit_test(a_narrow_window_loses_columns_those_that_tell_least_first),
        cmocka_unit_test(a_title_wider_than_its_numbers_keeps_them_at_its_end),
        cmocka_unit_test(the_lines_of_a_tree_are_not_part_of_a_name),
        cmocka_unit_test(lines_of_a_deep_tree_leave_room_for_the_name),
        cmocka_unit_test(changes_have_their_sign_and_stacks_keep_their_ends),
        cmocka_unit_test(a_long_text_goes_on_below_itself),
        cmocka_unit_test(tones_are_only_where_there_are_colors),
        cmocka_unit_test(no_line_is_wider_than_the_window),
        cmocka_unit_test(titles_take_the_room_of_their_letters),
        cmocka_unit_test(quantities_have_their_unit_unless_it_is_a_word),
        cmocka_unit_test(percentages_have_one_decimal_and_do_not_lie),
        cmocka_unit_test(markdown_has_code_spans_that_nothing_breaks_out_of),
        cmocka_unit_test(markdown_keeps_the_blanks_before_code),
        cmocka_unit_test(wide_code_leaves_its_costs),
        cmocka_unit_test(a_share_has_the_title_of_a_value_that_is_left_out),
        cmocka_unit_test(csv_quotes_only_fields_that_need_it),
        cmocka_unit_test(csv_has_no_formulas_and_no_controls),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
