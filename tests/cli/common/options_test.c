#include "cli/common/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"

struct fields {
    bool quiet, query;
    const char *output;
    double share;
    struct flm_option_share with;
    int rows;
    struct flm_option_list events;
    struct flm_option_words base, new;
    double part;
    struct {
        const char *name, *value;
    } more;
};

static const struct flm_option options[] = {
    {"quiet", 'q', NULL, "", FLM_OPTION_FLAG, offsetof(struct fields, quiet)},
    {"query", 0, NULL, "", FLM_OPTION_FLAG, offsetof(struct fields, query)},
    {"output", 'o', "FILE", "", FLM_OPTION_TEXT, offsetof(struct fields, output)},
    {"share", 0, "PERCENT", "", FLM_OPTION_NUMBER, offsetof(struct fields, share)},
    {"rows", 'n', "N", "", FLM_OPTION_COUNT, offsetof(struct fields, rows)},
    {"event", 'e', "NAME", "", FLM_OPTION_LIST, offsetof(struct fields, events)},
    {"base", 'b', "FILE...", "", FLM_OPTION_WORDS, offsetof(struct fields, base)},
    {"new", 0, "FILE...", "", FLM_OPTION_WORDS, offsetof(struct fields, new)},
    {"part", 0, "SHARE", "", FLM_OPTION_SHARE, offsetof(struct fields, part)},
    {"with", 0, "[=SHARE]", "", FLM_OPTION_MAYBE_SHARE, offsetof(struct fields, with)},
};

static const struct flm_more_option *list_more(size_t *count)
{
    static const struct flm_more_option more[] = {{"title", "TEXT", ""}, {"reverse", NULL, ""}};
    *count = 2;
    return more;
}

static bool set_more(void *at, const char *name, const char *value, struct flm_error *why)
{
    struct fields *fields = (struct fields *)(void *)((char *)at - offsetof(struct fields, more));
    fields->more.name = name;
    fields->more.value = value;
    if (value && strcmp(value, "bad") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "no good title");
    return true;
}

static const struct flm_option_group group = {"more", list_more, set_more};

static const struct flm_command command = {
    .name = "test",
    .synopsis = "",
    .summary = "",
    .description = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .more = &group,
    .more_offset = offsetof(struct fields, more),
};

/* Parses the words up to NULL; they are left in `words`, operands first. */
static int parse(struct fields *fields, const char **words, struct flm_error *why)
{
    int count = 0;
    while (words[count])
        count++;
    *fields = (struct fields){0};
    return flm_options_parse(&command, fields, count, (char **)words, why);
}

static void lists_have_every_value(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"-e", "cycles", "--event=page-faults", "file", "-efaults", NULL};
    assert_int_equal(parse(&f, words, NULL), 1);
    assert_int_equal(f.events.count, 3);
    assert_string_equal(f.events.items[0], "cycles");
    assert_string_equal(f.events.items[1], "page-faults");
    assert_string_equal(f.events.items[2], "faults");

    struct flm_error why;
    const char *many[FLM_OPTION_MOST_ITEMS + 2] = {NULL};
    for (size_t i = 0; i <= FLM_OPTION_MOST_ITEMS; i++)
        many[i] = "-ex";
    assert_int_equal(parse(&f, many, &why), -1);
    assert_string_equal(why.text, "--event is given too often");
}

static void the_first_operand_may_end_the_options(void **state)
{
    (void)state;
    struct fields f = {0};
    struct flm_command runs_another = command;
    const char *words[] = {"-q", "app", "-n", "3", "--", "--help", NULL};
    runs_another.ends_at_operand = true;
    assert_int_equal(flm_options_parse(&runs_another, &f, 6, (char **)words, NULL), 5);
    assert_true(f.quiet && f.rows == 0);
    assert_string_equal(words[0], "app");
    assert_string_equal(words[4], "--help");
    const char *after[] = {"-q", "--", "app", "-n", NULL};
    assert_int_equal(flm_options_parse(&runs_another, &f, 4, (char **)after, NULL), 2);
    assert_string_equal(after[1], "-n");
}

static void assert_refused(const char *first, const char *second, const char *expected)
{
    struct fields fields;
    struct flm_error why;
    const char *words[] = {first, second, NULL};
    assert_int_equal(parse(&fields, words, &why), -1);
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, expected);
}

static void options_and_operands_may_be_mixed(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"a", "-q", "b", "--output", "x", "c", NULL};
    assert_int_equal(parse(&f, words, NULL), 3);
    assert_string_equal(words[0], "a");
    assert_string_equal(words[1], "b");
    assert_string_equal(words[2], "c");
    assert_true(f.quiet && !f.query);
    assert_string_equal(f.output, "x");
}

static void a_value_follows_or_is_part_of_the_word(void **state)
{
    (void)state;
    static const char *const ways[][3] = {{"--output", "x", NULL},
                                          {"--output=x", NULL, NULL},
                                          {"-o", "x", NULL},
                                          {"-ox", NULL, NULL},
                                          {"--out=x", NULL, NULL}};
    for (size_t i = 0; i < 5; i++) {
        struct fields f;
        const char *words[] = {ways[i][0], ways[i][1], NULL};
        assert_int_equal(parse(&f, words, NULL), 0);
        assert_string_equal(f.output, "x");
    }
}

static void a_value_may_look_like_an_option_or_be_empty(void **state)
{
    (void)state;
    struct fields f;
    const char *dashes[] = {"-o", "--quiet", NULL}, *empty[] = {"--output=", NULL};
    assert_int_equal(parse(&f, dashes, NULL), 0);
    assert_string_equal(f.output, "--quiet");
    assert_false(f.quiet);
    assert_int_equal(parse(&f, empty, NULL), 0);
    assert_string_equal(f.output, "");
}

static void two_dashes_end_options_and_one_is_an_operand(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"-", "--", "-q", "--", NULL};
    assert_int_equal(parse(&f, words, NULL), 3);
    assert_string_equal(words[0], "-");
    assert_string_equal(words[1], "-q");
    assert_string_equal(words[2], "--");
    assert_false(f.quiet);
}

static void numbers_are_read_and_checked(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"--share", "2.5", "-n", "30", NULL};
    assert_int_equal(parse(&f, words, NULL), 0);
    assert_true(f.share == 2.5 && f.rows == 30);
    assert_refused("--share", "x", "--share takes a number, not 'x'");
    assert_refused("--share", "nan", "--share takes a number, not 'nan'");
    assert_refused("--rows", "2.5", "--rows takes a whole number, 1000000000 at most, not '2.5'");
    assert_refused("--rows", "-1", "--rows takes a whole number, 1000000000 at most, not '-1'");
    assert_refused("-n", "", "--rows takes a whole number, 1000000000 at most, not ''");
    assert_refused("-n", "99999999999",
                   "--rows takes a whole number, 1000000000 at most, not '99999999999'");
}

static void a_unique_beginning_will_do(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"--qui", "--sh=1", NULL};
    assert_int_equal(parse(&f, words, NULL), 0);
    assert_true(f.quiet && f.share == 1);
    assert_refused("--qu", NULL, "--qu could be several options: --quiet, --query");
    assert_refused("--re=1", NULL, "--reverse takes no value: --re=1");
}

static void what_is_unknown_is_refused_with_what_to_do(void **state)
{
    (void)state;
    assert_refused("--verbose", NULL,
                   "there is no option --verbose ('flamel test --help' lists them)");
    assert_refused("-v", NULL, "there is no option -v ('flamel test --help' lists them)");
}

static void a_missing_value_is_named(void **state)
{
    (void)state;
    assert_refused("--output", NULL, "--output needs a value: FILE");
    assert_refused("-n", NULL, "--rows needs a value: N");
}

static void a_flag_takes_no_value(void **state)
{
    (void)state;
    assert_refused("--quiet=yes", NULL, "--quiet takes no value: --quiet=yes");
    assert_refused("-qx", NULL, "--quiet takes no value: -qx");
}

static void more_options_are_set_by_name(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"--ti", "a b", NULL}, *flag[] = {"--reverse", NULL};
    assert_int_equal(parse(&f, words, NULL), 0);
    assert_string_equal(f.more.name, "title");
    assert_string_equal(f.more.value, "a b");
    assert_int_equal(parse(&f, flag, NULL), 0);
    assert_string_equal(f.more.name, "reverse");
    assert_null(f.more.value);
    assert_refused("--title", "bad", "no good title");
}

static void words_are_all_that_stand_behind_their_option(void **state)
{
    (void)state;
    struct fields f;
    struct flm_error why;
    const char *words[] = {"--base", "1",      "2", "-", "-q", "file", "--new=3", "other",
                           "-b4",    "--base", "5", "6", "--", "last", NULL};
    assert_int_equal(parse(&f, words, &why), 3);
    assert_string_equal(words[0], "file");
    assert_string_equal(words[1], "other"); /* behind = there is one value */
    assert_string_equal(words[2], "last");
    static const char *const expected[] = {"1", "2", "-", "4", "5", "6"};
    assert_int_equal(f.base.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(f.base.at[i], expected[i]);
    assert_int_equal(f.new.count, 1);
    assert_string_equal(f.new.at[0], "3");
    assert_true(f.quiet);
    flm_option_words_clear(&f.base);
    flm_option_words_clear(&f.new);
    assert_int_equal(f.base.count, 0);

    const char *nothing[] = {"--base", "--new", "a", NULL}; /* a shell found no file */
    assert_int_equal(parse(&f, nothing, &why), -1);
    assert_string_equal(why.text,
                        "--base needs a value right behind it, before --new: --base FILE...");

    enum { MANY = 1000 };
    const char *many[MANY + 2] = {"--new"};
    for (int i = 1; i <= MANY; i++)
        many[i] = "run";
    assert_int_equal(parse(&f, many, &why), 0);
    assert_int_equal(f.new.count, MANY);
    flm_option_words_clear(&f.new);
}

static bool parse_words(void *context, struct flm_error *why)
{
    (void)context;
    struct fields f;
    const char *words[] = {"--base", "1", "2", "3", "4", "5", "6", "7", "8", "9", NULL};
    bool good = parse(&f, words, why) == 0;
    flm_option_words_clear(&f.base);
    return good;
}

static void words_survive_failed_allocations(void **state)
{
    (void)state;
    assert_survives_failures(parse_words, NULL);
}

static void shares_may_be_percentages(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double share; /* below 0: refused */
    } cases[] = {{"1%", 0.01}, {"0.01", 0.01}, {"2.5%", 0.025}, {"150%", 1.5},
                 {"1", 1},     {"0", 0},       {"2", -1},       {"-1%", -1},
                 {"%", -1},    {"x%", -1},     {"1%%", -1},     {"nan", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fields f;
        struct flm_error why;
        const char *words[] = {"--part", cases[i].text, NULL};
        bool good = parse(&f, words, &why) == 0;
        assert_int_equal(good, cases[i].share >= 0);
        if (good)
            assert_true(f.part == cases[i].share);
        else
            assert_non_null(strstr(why.text, "--part takes a share, such as 1% or 0.01, not '"));
    }
}

static void options_of_formats_list_those_that_can_be_read_or_written(void **state)
{
    (void)state;
    char text[2][300];
    for (int i = 0; i < 2; i++) {
        struct flm_text out;
        flm_text_init_fixed(&out, text[i], sizeof text[i] - 1);
        flm_option_formats_add(&out, i ? FLM_OPTION_FORMAT_TO_WRITE : FLM_OPTION_FORMAT_TO_READ,
                               ", ");
        text[i][out.size] = 0;
    }
    assert_non_null(strstr(text[0], ", perf-script, "));
    assert_null(strstr(text[0], "svg"));
    assert_non_null(strstr(text[1], ", svg, "));
    assert_null(strstr(text[1], "perf-script"));
}

/* Behind a '=' alone: a word that follows is an operand. */
static void a_value_may_be_left_out(void **state)
{
    (void)state;
    struct fields f;
    const char *words[] = {"--with", "2%", NULL};
    assert_int_equal(parse(&f, words, NULL), 1);
    assert_true(f.with.is_given && f.with.share == 0);
    const char *given[] = {"--with=2%", NULL};
    assert_int_equal(parse(&f, given, NULL), 0);
    assert_true(f.with.is_given && f.with.share == 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_may_be_left_out),
        cmocka_unit_test(options_and_operands_may_be_mixed),
        cmocka_unit_test(lists_have_every_value),
        cmocka_unit_test(words_are_all_that_stand_behind_their_option),
        cmocka_unit_test(words_survive_failed_allocations),
        cmocka_unit_test(shares_may_be_percentages),
        cmocka_unit_test(the_first_operand_may_end_the_options),
        cmocka_unit_test(a_value_follows_or_is_part_of_the_word),
        cmocka_unit_test(a_value_may_look_like_an_option_or_be_empty),
        cmocka_unit_test(two_dashes_end_options_and_one_is_an_operand),
        cmocka_unit_test(numbers_are_read_and_checked),
        cmocka_unit_test(a_unique_beginning_will_do),
        cmocka_unit_test(what_is_unknown_is_refused_with_what_to_do),
        cmocka_unit_test(a_missing_value_is_named),
        cmocka_unit_test(a_flag_takes_no_value),
        cmocka_unit_test(more_options_are_set_by_name),
        cmocka_unit_test(options_of_formats_list_those_that_can_be_read_or_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
