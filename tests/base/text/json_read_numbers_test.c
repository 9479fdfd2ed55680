#include "base/text/json_read.h"

#include "support/core/json_parser.h"
#include "support/core/random.h"
#include "support/profile/perf_reading.h"

static void numbers_are_text_and_value(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_json_number number;
    int64_t whole = 0;
    start(&f, "[0.1, 18446744073709551616, 1e999, 9223372036854775807, -5, 12.0, 1e3]", 100);
    assert_true(flm_json_enter_array(&f.json));
    assert_true(flm_json_next_item(&f.json) && flm_json_number(&f.json, &number));
    assert_true(number.value == 0.1 && flm_bytes_are(number.text, "0.1"));
    assert_true(flm_json_next_item(&f.json) && flm_json_number(&f.json, &number));
    assert_true(number.value == 18446744073709551616.0);
    assert_true(flm_json_next_item(&f.json) && flm_json_number(&f.json, &number));
    assert_true(number.value > 1e308);
    assert_true(flm_json_next_item(&f.json) && flm_json_integer(&f.json, &whole));
    assert_true(whole == INT64_MAX);
    assert_true(flm_json_next_item(&f.json) && flm_json_integer(&f.json, &whole));
    assert_true(whole == -5);
    assert_true(flm_json_next_item(&f.json) && flm_json_integer(&f.json, &whole));
    assert_true(whole == 12);
    assert_true(flm_json_next_item(&f.json) && flm_json_integer(&f.json, &whole));
    assert_true(whole == 1000);
    assert_false(flm_json_next_item(&f.json));
    assert_true(finish(&f));
}

static void a_decimal_is_a_whole_number_of_its_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value; /* -1: it is not one of three places */
    } cases[] = {{"0", 0},
                 {"12.5", 12500},
                 {"1694039994111570", 1694039994111570000},
                 {"1900964963.674", 1900964963674},
                 {"9223372036854775.806", 9223372036854775806},
                 {"9223372036854775.808", -1},
                 {"92233720368547758", -1},
                 {"0.0001", -1},
                 {"-1", -1},
                 {"1e3", -1},
                 {"null", -1},
                 {"\"1\"", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        struct fixture f;
        int64_t value = -1;
        snprintf(text, sizeof text, "%-150s", cases[i].text);
        start(&f, text, 1000);
        assert_int_not_equal(flm_json_type(&f.json), FLM_JSON_TYPE_NONE); /* it is in the window */
        assert_int_equal(flm_json_decimal(&f.json, 3, &value), cases[i].value >= 0);
        assert_true(value == cases[i].value);
        assert_int_equal(f.json.is_pending, cases[i].value < 0);
        assert_true(finish(&f));
    }
}

static void a_whole_number_must_be_one(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.5", "9223372036854775808", "1e300", "NaN", "-1e16"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fixture f;
        int64_t whole = 0;
        start(&f, texts[i], 100);
        assert_false(flm_json_integer(&f.json, &whole));
        assert_false(finish(&f));
        assert_string_equal(f.why.text, "byte 0: a whole number of 63 bits is expected here");
    }
}

/* A text with blanks behind it, so that it is read quickly, or without: the results are equal. */
static void assert_numbers(const char *text, size_t step, size_t room)
{
    char padded[400];
    snprintf(padded, sizeof padded, "%-300s", text);
    const char *const texts[] = {text, padded};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        double doubles[8];
        int64_t integers[8];
        size_t count, found = 0;
        start(&f, texts[i], step);
        assert_true(flm_json_enter_array(&f.json));
        assert_true(flm_json_next_item(&f.json) && flm_json_enter_array(&f.json));
        while ((count = flm_json_next_doubles(&f.json, doubles, room, -7)) > 0)
            for (size_t k = 0; k < count; k++, found++) {
                static const double expected[] = {1,
                                                  -7,
                                                  -2.5,
                                                  0.1,
                                                  12345678901234567890.0,
                                                  1e-7,
                                                  3,
                                                  0,
                                                  1234567.123456789,
                                                  0.30000000000000004};
                assert_true(doubles[k] == expected[found]);
            }
        assert_int_equal(found, 10);
        assert_true(flm_json_next_item(&f.json) && flm_json_enter_array(&f.json));
        for (found = 0; (count = flm_json_next_integers(&f.json, integers, room, -1)) > 0;)
            for (size_t k = 0; k < count; k++, found++) {
                static const int64_t expected[] = {
                    0, -1, -12, 9223372036854775807, -9223372036854775807, 1000, 5, 123456789};
                assert_true(integers[k] == expected[found]);
            }
        assert_int_equal(found, 8);
        assert_true(flm_json_next_item(&f.json) && flm_json_enter_array(&f.json));
        assert_int_equal(flm_json_next_integers(&f.json, integers, room, 0), 0);
        assert_false(flm_json_next_item(&f.json));
        if (!finish(&f))
            fail_msg("%s", f.why.text);
    }
}

static void arrays_of_numbers_are_read_at_once(void **state)
{
    (void)state;
    static const char text[] = "[[1,null, -2.5,0.1 ,12345678901234567890,1e-7,3.0,-0.0,"
                               "1234567.123456789,0.30000000000000004],\n"
                               "[0,null,-12,9223372036854775807,-9223372036854775807,1e3,5.0,"
                               "123456789], [ ]]";
    static const size_t steps[] = {1, 3, 70, 1000};
    for (size_t i = 0; i < 4; i++)
        for (size_t room = 1; room <= 8; room++)
            assert_numbers(text, steps[i], room);
}

/* Runs of one item, of every length and kind, however the text arrives and however many fit. */
static void items_that_repeat_are_as_many_as_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } items[] = {{"0", 0},     {"1", 1},   {"null", -7}, {"12345678", 12345678}, {"11", 11},
                 {"0.5", 0.5}, {"-3", -3}, {"1e2", 100}, {"100", 100},           {"12.25", 12.25}};
    enum { KINDS = sizeof items / sizeof *items, MOST = 1200 };
    static const size_t steps[] = {1, 61, 100000}, rooms[] = {1, 7, 512};
    uint64_t random = 17;
    for (int turn = 0; turn < 60; turn++) {
        struct flm_text text = {0};
        double expected[MOST], found[512];
        size_t count = 0;
        flm_text_puts(&text, "[[");
        while (count < MOST - 200) {
            size_t kind = random_below(&random, KINDS);
            size_t times = 1 + random_below(&random, turn % 2 ? 200 : 12);
            for (; times > 0; times--) {
                flm_text_puts(&text, count > 0 ? "," : "");
                flm_text_puts(&text, items[kind].text);
                expected[count++] = items[kind].value;
            }
        }
        flm_text_puts(&text, "],2]");
        for (int i = 0; i < 100; i++)
            flm_text_putc(&text, ' '); /* that the fast way goes to the end */
        flm_text_putc(&text, 0);
        struct fixture f;
        size_t at = 0, more, room = rooms[turn % 3];
        int64_t last = 0;
        start(&f, text.at, steps[turn / 3 % 3]);
        assert_true(flm_json_enter_array(&f.json) && flm_json_next_item(&f.json));
        assert_true(flm_json_enter_array(&f.json));
        for (; (more = flm_json_next_doubles(&f.json, found, room, -7)) > 0; at += more)
            for (size_t i = 0; i < more; i++)
                assert_true(at + i < count && found[i] == expected[at + i]);
        assert_int_equal(at, count);
        assert_true(flm_json_next_item(&f.json) && flm_json_integer(&f.json, &last) && last == 2);
        assert_false(flm_json_next_item(&f.json));
        assert_true(finish(&f));
        flm_text_clear(&text);
    }
}

static void what_is_no_number_is_refused_in_an_array_of_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *whole, *any;
    } cases[] = {
        {"[1,\"2\"]", "byte 3: a number is expected here", "byte 3: a number is expected here"},
        {"[1,2.5]", "byte 3: a whole number of 63 bits is expected here", NULL},
        {"[1 2]", "byte 3: ',' or ']' is expected here", "byte 3: ',' or ']' is expected here"},
        {"[1,]", "byte 3: a JSON value is expected here", "byte 3: a JSON value is expected here"},
        {"[1,nul]", "byte 3: null is expected here", "byte 3: null is expected here"},
        {"[1,nulls]", "byte 3: null is expected here", "byte 3: null is expected here"},
        {"[1,1x]", "byte 3: a number is expected here", "byte 3: a number is expected here"},
        {"[1,[2]]", "byte 3: a number is expected here", "byte 3: a number is expected here"},
        {"{\"a\":1}", "byte 0: an array is expected here", "byte 0: an array is expected here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int padding = 0; padding < 2; padding++) {
            char text[200];
            struct fixture f;
            double doubles[4];
            int64_t integers[4];
            snprintf(text, sizeof text, padding ? "%-150s" : "%s", cases[i].text);
            start(&f, text, 1000);
            flm_json_enter_array(&f.json);
            while (flm_json_next_integers(&f.json, integers, 4, 0) > 0)
                ;
            assert_false(finish(&f));
            assert_string_equal(f.why.text, cases[i].whole);

            start(&f, text, 1000);
            flm_json_enter_array(&f.json);
            while (flm_json_next_doubles(&f.json, doubles, 4, 0) > 0)
                ;
            assert_int_equal(finish(&f), !cases[i].any);
            if (cases[i].any)
                assert_string_equal(f.why.text, cases[i].any);
        }
}

/* An array of numbers as columns of tables have them; of some a byte is another one. */
static void make_numbers(uint64_t *random, struct flm_text *text)
{
    static const char *const separators[] = {",", ",", ",", ",", "\n,", ", "};
    size_t count = random_below(random, 60), mix = random_below(random, 3);
    flm_text_putc(text, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            flm_text_puts(text, separators[mix ? 0 : random_below(random, 6)]);
        uint64_t number = random_next(random) >> (24 + random_below(random, 40));
        switch (mix == 2 ? random_below(random, 8) : 0) {
        case 1:
            flm_text_format(text, "-%llu", (unsigned long long)number);
            break;
        case 2:
            flm_text_puts(text, "null");
            break;
        case 3:
            flm_text_format(text, "%llu.%u", (unsigned long long)number, (unsigned)i);
            break;
        default:
            flm_text_uint(text, number);
            break;
        }
    }
    flm_text_putc(text, ']');
    if (random_below(random, 3) == 0)
        text->at[random_below(random, text->size)] =
            "0123456789,-.n\n ]x"[random_below(random, 18)];
    for (int i = 0; i < 100; i++)
        flm_text_putc(text, ' ');
}

/* What comes of reading the array with a function, as a text: the numbers, and the error. */
static void read_in_one_way(const char *text, size_t step, int way, struct flm_text *out)
{
    struct fixture f;
    double doubles[16];
    int64_t integers[16];
    uint32_t indices[16];
    size_t count = 0;
    start(&f, text, step);
    if (way > 0)
        flm_json_enter_array(&f.json);
    do {
        count = way == 1   ? flm_json_next_doubles(&f.json, doubles, 16, -1)
                : way == 2 ? flm_json_next_integers(&f.json, integers, 16, -1)
                : way == 3 ? flm_json_next_indices(&f.json, indices, 16, 1000000, "too large")
                           : 0;
        for (size_t i = 0; i < count; i++)
            flm_text_format(out, "%.17g ",
                            way == 1   ? doubles[i]
                            : way == 2 ? (double)integers[i]
                                       : indices[i]);
    } while (count > 0);
    bool good = finish(&f);
    /* Of an array that is cut off, the numbers before the end may not be returned. */
    if (f.json.is_cut)
        out->size = 0;
    flm_text_format(out, "%d %s", good, f.why.text);
    flm_text_putc(out, 0);
}

static void arrays_of_numbers_are_read_alike_quickly_and_slowly(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct flm_text text = {0}, quick = {0}, slow = {0};
    for (int round = 0; round < 4000; round++) {
        text.size = 0;
        make_numbers(&random, &text);
        flm_text_putc(&text, 0);
        for (int way = 0; way < 4; way++) {
            quick.size = slow.size = 0;
            read_in_one_way(text.at, 10000, way, &quick);
            read_in_one_way(text.at, 1, way, &slow);
            if (strcmp(quick.at, slow.at) != 0)
                fail_msg("%d: %s: %s, and %s", way, text.at, quick.at, slow.at);
        }
    }
    flm_text_clear(&text);
    flm_text_clear(&quick);
    flm_text_clear(&slow);
}

static void rows_that_begin_alike_are_read_from_where_they_differ(void **state)
{
    (void)state;
    static const struct {
        size_t same, count;
        uint32_t items[4];
    } rows[] = {{0, 3, {1, 2, 3}}, {3, 3, {1, 2, 3}}, {2, 4, {1, 2, 4, 5}}, {1, 2, {1, 22}},
                {0, 1, {1}},       {0, 0, {0}},       {0, 2, {1, 2}},       {0, 2, {11, 2}}};
    for (size_t step = 1; step < 200; step += 99) {
        struct fixture f;
        struct flm_json_row row = {0};
        uint32_t items[8];
        char text[200];
        snprintf(text, sizeof text, "%-150s",
                 "[[1,2,3],[1,2,3],[1,2,4,5],[1,22],[1],[],[1,2],[11,2]]");
        start(&f, text, step);
        flm_json_enter_array(&f.json);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            assert_true(flm_json_next_item(&f.json) && flm_json_enter_array(&f.json));
            size_t same = flm_json_skip_repeated(&f.json, &row), count = same, more;
            assert_true(step > 1 ? same == rows[i].same : same <= rows[i].same);
            while ((more = flm_json_next_indices(&f.json, items + count, 8 - count, 99, "")) > 0)
                count += more;
            assert_int_equal(count, rows[i].count);
            assert_memory_equal(items, rows[i].items, count * sizeof *items);
        }
        assert_false(flm_json_next_item(&f.json));
        assert_true(finish(&f));
        FLM_ARRAY_CLEAR(&row);
    }
}

static void an_index_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {{"[0,1,7,8,1,1]", "byte 8: no such thing"},
                 {"[0,-1]", "byte 5: no such thing"},
                 {"[0,null]", "byte 3: a number is expected here"},
                 {"[0,1.5]", "byte 3: a whole number of 63 bits is expected here"}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        struct fixture f;
        uint32_t values[8];
        snprintf(text, sizeof text, i % 2 ? "%-150s" : "%s", cases[i / 2].text);
        start(&f, text, 1000);
        flm_json_enter_array(&f.json);
        assert_int_equal(flm_json_next_indices(&f.json, values, 8, 8, "no such thing"), 0);
        assert_false(finish(&f));
        assert_string_equal(f.why.text, cases[i / 2].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_text_and_value),
        cmocka_unit_test(a_decimal_is_a_whole_number_of_its_places),
        cmocka_unit_test(a_whole_number_must_be_one),
        cmocka_unit_test(arrays_of_numbers_are_read_at_once),
        cmocka_unit_test(items_that_repeat_are_as_many_as_they_are),
        cmocka_unit_test(what_is_no_number_is_refused_in_an_array_of_them),
        cmocka_unit_test(arrays_of_numbers_are_read_alike_quickly_and_slowly),
        cmocka_unit_test(rows_that_begin_alike_are_read_from_where_they_differ),
        cmocka_unit_test(an_index_beyond_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
