#include "base/text/json_read.h"

#include "support/core/failures.h"
#include "support/core/json_parser.h"
#include "support/profile/perf_reading.h"

/* Writes a value as the parser has read it, as JSON without blanks. */
static void echo(struct flm_json *json, struct flm_text *out)
{
    struct flm_bytes text;
    struct flm_json_number number;
    bool value;
    size_t bottom = json->depth;
    bool first = true;
    do {
        switch (flm_json_type(json)) {
        case FLM_JSON_TYPE_OBJECT:
            flm_json_enter_object(json);
            flm_text_putc(out, '{');
            first = true;
            break;
        case FLM_JSON_TYPE_ARRAY:
            flm_json_enter_array(json);
            flm_text_putc(out, '[');
            first = true;
            break;
        case FLM_JSON_TYPE_STRING:
            if (flm_json_string(json, &text))
                flm_text_format(out, "'%.*s'", (int)text.size, text.at);
            break;
        case FLM_JSON_TYPE_NUMBER:
            if (flm_json_number(json, &number))
                flm_text_add(out, number.text);
            break;
        case FLM_JSON_TYPE_BOOL:
            if (flm_json_bool(json, &value))
                flm_text_puts(out, value ? "true" : "false");
            break;
        case FLM_JSON_TYPE_NULL:
            flm_json_skip(json);
            flm_text_puts(out, "null");
            break;
        default:
            break;
        }
        while (json->depth > bottom && !json->failed) {
            bool in_object = json->is_object.at[(json->depth - 1) / 8] >> (json->depth - 1) % 8 & 1;
            bool more = in_object ? flm_json_next_key(json, &text) : flm_json_next_item(json);
            if (json->failed)
                break;
            if (!more) {
                flm_text_putc(out, in_object ? '}' : ']');
                first = false;
                continue;
            }
            if (!first)
                flm_text_putc(out, ',');
            first = false;
            if (in_object)
                flm_text_format(out, "%.*s:", (int)text.size, text.at);
            break;
        }
    } while (json->depth > bottom && !json->failed);
}

static void assert_echo(const char *text, const char *expected)
{
    static const size_t steps[] = {1, 2, 5, 1000};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct fixture f;
        struct flm_text out = {0};
        start(&f, text, steps[i]);
        echo(&f.json, &out);
        if (!finish(&f))
            fail_msg("'%s': %s", text, f.why.text);
        flm_text_putc(&out, 0);
        assert_string_equal(out.at, expected);
        flm_text_clear(&out);
    }
}

static void assert_fails(const char *text, uint64_t offset, const char *reason, bool is_cut)
{
    for (size_t step = 1; step < 1000; step += 333) {
        struct fixture f;
        struct flm_text out = {0};
        start(&f, text, step);
        echo(&f.json, &out);
        flm_text_clear(&out);
        if (finish(&f))
            fail_msg("'%s' is read", text);
        if (f.why.offset != offset || !strstr(f.why.text, reason) || f.json.is_cut != is_cut)
            fail_msg("'%s': '%s', not '%s' at %d", text, f.why.text, reason, (int)offset);

        /* Skipping finds the same. */
        struct flm_error why = f.why;
        start(&f, text, step);
        flm_json_skip(&f.json);
        assert_false(finish(&f));
        if (!strstr(reason, "escape"))
            assert_string_equal(f.why.text, why.text);
    }
}

static void values_are_read_in_order(void **state)
{
    (void)state;
    assert_echo("{}", "{}");
    assert_echo(" [ ] ", "[]");
    assert_echo("\xEF\xBB\xBF[1]", "[1]");
    assert_echo("\t{\"a\" : [1, 2.5e3 ,-0], \"b\":{\"c\":true}\r\n, \"\":[false,null]}\n",
                "{a:[1,2.5e3,-0],b:{c:true},:[false,null]}");
    assert_echo("\"text\"", "'text'");
    assert_echo("-12", "-12");
    assert_echo("[[[[]],{}],{\"a\":{}}]", "[[[[]],{}],{a:{}}]");
    assert_echo("[NaN,Infinity,-Infinity]", "[NaN,Infinity,-Infinity]");
    assert_echo(
        "[[1,2 ,3], {\"key\":\"text\",\"k\\\\\":\"te\\\"xt\" , \"n\" "
        ":null,\"t\":true,\"f\":false}, "
        "12345678.87654321, -1, 12345678901234567890123, \"a text of more than 16 bytes\",[]]",
        "[[1,2,3],{key:'text',k\\:'te\"xt',n:null,t:true,f:false},"
        "12345678.87654321,-1,12345678901234567890123,'a text of more than 16 bytes',[]]");
}

static void escapes_are_undone(void **state)
{
    (void)state;
    assert_echo("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t!\"", "'a\"\\/\b\f\n\r\t!'");
    assert_echo("\"\\u0041\\u00e9\\u20AC\\uD83d\\ude00\"",
                "'A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'");
    assert_echo(
        "[\"\\ud83d\",\"\\ud83dx\",\"\\ude00\",\"\\ud83d\\u0041\",\"\\ud83d\\ud83d\\ude00\"]",
        "['\xEF\xBF\xBD','\xEF\xBF\xBDx','\xEF\xBF\xBD','\xEF\xBF\xBD"
        "A','\xEF\xBF\xBD\xF0\x9F\x98\x80']");
    assert_echo("{\"k\\u0065y\":\"plain\"}", "{key:'plain'}");
    assert_echo("\"not UTF-8 \xFF\xC0 and a tab\t\"", "'not UTF-8 \xFF\xC0 and a tab\t'");
}

static void a_text_may_hold_a_nul(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_bytes text;
    start(&f, "\"a\\u0000b\"", 3);
    assert_true(flm_json_string(&f.json, &text));
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.at, "a\0b", 3);
    assert_true(finish(&f));
}

static void malformed_json_is_refused_with_its_offset(void **state)
{
    (void)state;
    assert_fails("", 0, "ends too early", true);
    assert_fails(" \n", 2, "ends too early", true);
    assert_fails("[1", 2, "ends too early", true);
    assert_fails("[1,", 3, "ends too early", true);
    assert_fails("{\"a", 1, "ends too early", true);
    assert_fails("{\"a\"", 1, "ends too early", true);
    assert_fails("{\"a\":", 5, "ends too early", true);
    assert_fails("[\"a\\", 1, "ends too early", true);
    assert_fails("{", 1, "ends too early", true);
    assert_fails("[1 2]", 3, "',' or ']' is expected", false);
    assert_fails("[,1]", 1, "a JSON value is expected", false);
    assert_fails("[1,]", 3, "a JSON value is expected", false);
    assert_fails("{1:2}", 1, "a key in quotes is expected", false);
    assert_fails("{\"a\" 1}", 1, "':' is expected after this key", false);
    assert_fails("{\"a\":1,}", 7, "a key in quotes is expected", false);
    assert_fails("{\"a\":1 \"b\":2}", 7, "',' or '}' is expected", false);
    assert_fails("[1}", 2, "',' or ']' is expected", false);
    assert_fails("[tru]", 1, "true or false is expected", false);
    assert_fails("[nul]", 1, "null is expected", false);
    assert_fails("[-]", 1, "a number is expected", false);
    assert_fails("[1.]", 1, "a number is expected", false);
    assert_fails("[1x]", 1, "a number is expected", false);
    assert_fails("[Nan1]", 1, "a number is expected", false);
    assert_fails("[+1]", 1, "a JSON value is expected", false);
    assert_fails("\xEF\xBB\xBF[x", 4, "a JSON value is expected", false);
    assert_fails("[1] 2", 4, "something follows the end", false);
    assert_fails("[1]]", 3, "something follows the end", false);
}

static void escapes_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fixture f;
        struct flm_bytes text;
        start(&f, texts[i], 100);
        assert_false(flm_json_string(&f.json, &text));
        assert_false(finish(&f));
        assert_int_equal(f.why.kind, FLM_ERROR_FORMAT);
    }
}

/* The same errors far from the end of the window, where the quick ways are taken. */
static void errors_are_the_same_where_much_follows(void **state)
{
    (void)state;
    static const char *const texts[] = {"[1 2]",     "[,1]",       "[1,]",    "{1:2}",
                                        "{\"a\" 1}", "{\"a\":1,}", "[1}",     "{\"a\":1 \"b\":2}",
                                        "[tru]",     "[nul]",      "[nulls]", "[trues]",
                                        "[falses]",  "[-]",        "[1.]",    "[1x]",
                                        "[1e]",      "[+1]",       "[1]]",    "{\"a\":1]",
                                        "[\"a\" 1]", "[01.x]",     "[1.5.2]", "{\"a\"x:1}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[400];
        struct flm_error why[2];
        for (int padding = 0; padding < 2; padding++) {
            struct fixture f;
            struct flm_text out = {0};
            snprintf(text, sizeof text, padding ? "%-300s" : "%s", texts[i]);
            start(&f, text, 1000);
            echo(&f.json, &out);
            flm_text_clear(&out);
            assert_false(finish(&f));
            why[padding] = f.why;

            start(&f, text, 1000);
            flm_json_skip(&f.json);
            assert_false(finish(&f));
            assert_string_equal(f.why.text, why[padding].text);
        }
        assert_string_equal(why[1].text, why[0].text);
    }
}

static void unread_values_are_skipped(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_bytes key;
    int64_t whole = 0;
    start(&f, "{\"a\":[1,{\"b\":2}],\"c\":\"x\\n\",\"d\":7,\"e\":[[3],4]}", 4);
    flm_json_enter_object(&f.json);
    while (flm_json_next_key(&f.json, &key)) {
        if (flm_bytes_are(key, "d"))
            flm_json_integer(&f.json, &whole);
        if (flm_bytes_are(key, "e")) { /* whatever was read since */
            flm_json_enter_array(&f.json);
            flm_json_next_item(&f.json);
            flm_json_leave(&f.json);
        }
    }
    assert_true(finish(&f));
    assert_int_equal(whole, 7);
}

static void a_value_of_another_type_is_refused_with_its_offset(void **state)
{
    (void)state;
    struct fixture f;
    struct flm_bytes text;
    start(&f, "[12]", 100);
    flm_json_enter_array(&f.json);
    flm_json_next_item(&f.json);
    assert_false(flm_json_string(&f.json, &text));
    assert_false(flm_json_next_item(&f.json));
    assert_int_equal(flm_json_type(&f.json), FLM_JSON_TYPE_NONE);
    flm_json_leave(&f.json);
    assert_false(finish(&f));
    assert_string_equal(f.why.text, "byte 1: a string is expected here");

    start(&f, "[12]", 100);
    assert_false(flm_json_enter_object(&f.json));
    assert_false(finish(&f));
    assert_string_equal(f.why.text, "byte 0: an object is expected here");

    start(&f, "[12]", 100);
    flm_json_enter_array(&f.json);
    assert_false(flm_json_fail(&f.json, "the index is out of its table"));
    assert_false(flm_json_fail(&f.json, "something else"));
    assert_false(finish(&f));
    assert_string_equal(f.why.text, "byte 1: the index is out of its table");
}

static void depth_costs_a_bit_a_level(void **state)
{
    (void)state;
    enum { DEPTH = 300000 };
    char *text = malloc(2 * DEPTH + 1);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = 0;
    struct fixture f;
    start(&f, text, 2 * DEPTH);
    flm_json_skip(&f.json);
    assert_true(f.json.is_object.capacity >= DEPTH / 8 && f.json.is_object.capacity < DEPTH / 4);
    assert_true(finish(&f));
    free(text);

    text = malloc(FLM_JSON_MOST_DEPTH + 2);
    assert_non_null(text);
    memset(text, '[', FLM_JSON_MOST_DEPTH + 1);
    text[FLM_JSON_MOST_DEPTH + 1] = 0;
    start(&f, text, FLM_JSON_MOST_DEPTH + 1);
    assert_false(finish(&f));
    assert_non_null(strstr(f.why.text, "more than 2^20"));
    free(text);
}

static const struct flm_bytes known[] = {
    {"a", 1}, {"at", 2}, {"type", 4}, {"a longer key than 16", 20}};
enum { KNOWN = sizeof known / sizeof known[0] };

static void put_index(struct flm_text *out, size_t key)
{
    flm_text_format(out, "%d ", (int)key);
}

/* The keys of an array of objects, as next_known_key or as next_key finds them. */
static void list_keys(struct flm_json *json, bool is_known, struct flm_text *out)
{
    struct flm_json_keys keys = {.names = known, .count = KNOWN};
    struct flm_bytes key;
    flm_json_enter_array(json);
    while (flm_json_next_item(json)) {
        flm_json_enter_object(json);
        size_t found = 0;
        while (is_known ? (found = flm_json_next_known_key(json, &keys)) != FLM_JSON_NO_KEY
                        : flm_json_next_key(json, &key)) {
            for (size_t i = found = is_known ? found : 0; !is_known && i < KNOWN; i++, found++)
                if (flm_bytes_equal(known[i], key))
                    break;
            put_index(out, found);
        }
        flm_text_putc(out, '|');
    }
}

static void assert_keys_alike(const char *text)
{
    for (size_t step = 1; step < 5000; step = 5 * step + 20) {
        struct flm_text out[2] = {{0}, {0}};
        bool good[2];
        for (int is_known = 0; is_known < 2; is_known++) {
            struct fixture f;
            start(&f, text, step);
            list_keys(&f.json, is_known, &out[is_known]);
            good[is_known] = finish(&f);
        }
        assert_int_equal(good[0], good[1]);
        assert_int_equal(out[0].size, out[1].size);
        assert_memory_equal(out[0].at, out[1].at, out[0].size);
        flm_text_clear(&out[0]);
        flm_text_clear(&out[1]);
    }
}

/* Objects of a kind, mostly in one order, and others between them. */
static void known_keys_are_those_that_next_key_finds(void **state)
{
    (void)state;
    static const char *const members[] = {"\"a\":1",        "\"at\": {\"a\":[2]}",
                                          "\"type\":\"}\"", "\"a longer key than 16\":null",
                                          "\"tts\":0",      "\"\\u0061t\" : [3]",
                                          "\"q\\\"\":true", "\n  \"a\":-1.5",
                                          "\t\"att\":7",    "\"\":4"};
    struct flm_text text = {0};
    uint64_t state_of = 7;
    flm_text_putc(&text, '[');
    for (int i = 0; i < 400; i++) {
        flm_text_puts(&text, i > 0 ? ",{" : "{");
        for (int k = 0; k < 5; k++) {
            state_of = state_of * 6364136223846793005u + 1442695040888963407u;
            bool is_usual = state_of >> 60 < 13;
            flm_text_puts(&text, k > 0 ? "," : "");
            flm_text_puts(&text, members[is_usual ? (size_t)k : (state_of >> 40) % 10]);
        }
        flm_text_putc(&text, '}');
    }
    flm_text_puts(&text, "]");
    flm_text_putc(&text, 0);
    assert_keys_alike(text.at);
    assert_keys_alike("[\n  {\"\": 0, \"a\": 0}, {\"\": 1}]"); /* before any text was copied */
    flm_text_clear(&text);
}

static void a_key_that_was_learned_does_not_hide_an_error(void **state)
{
    (void)state;
#define REST ",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]"
    assert_keys_alike("[{\"q\\\"r\":1},{\"q\"r\":1}" REST);
    assert_keys_alike("[{\"a\":1,\"at\":2},{\"a\":1 \"at\":2}" REST);
    assert_keys_alike("[{\"a\":1},{,\"a\":1}" REST);
    assert_keys_alike("[{\"a\":1},{\"a\":1,}" REST);
    assert_keys_alike("[{\"a\":1},{\"a\":}" REST);
    assert_keys_alike("[{\"a\":1},{\"a\":1]" REST);
#undef REST
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_source source = flm_source_of(flm_bytes_of("{\"a\\n\":[\"b\\tc\"],\"d\":[[[1]]]}"));
    struct flm_json json;
    struct flm_bytes text;
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (flm_json_next_key(&json, &text)) {
        flm_json_enter_array(&json);
        if (flm_json_next_item(&json) && flm_json_type(&json) == FLM_JSON_TYPE_STRING)
            flm_json_string(&json, &text);
        flm_json_leave(&json);
    }
    return flm_json_finish(&json);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(assert_survives_failures(read_with_little_memory, NULL), 3);
}

static bool stop(void *context, uint64_t bytes)
{
    *(uint64_t *)context += bytes;
    return false;
}

static void reading_stops_when_progress_returns_false(void **state)
{
    (void)state;
    uint64_t passed = 0;
    struct flm_error why = {0};
    struct flm_json json;
    struct flm_source source = flm_source_of(flm_bytes_of(" [1, 2] "));
    source.progress = stop;
    source.progress_context = &passed;
    flm_json_init(&json, &source, &why);
    assert_false(flm_json_finish(&json));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(passed, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_in_order),
        cmocka_unit_test(escapes_are_undone),
        cmocka_unit_test(a_text_may_hold_a_nul),
        cmocka_unit_test(malformed_json_is_refused_with_its_offset),
        cmocka_unit_test(escapes_that_are_none_are_refused),
        cmocka_unit_test(errors_are_the_same_where_much_follows),
        cmocka_unit_test(unread_values_are_skipped),
        cmocka_unit_test(a_value_of_another_type_is_refused_with_its_offset),
        cmocka_unit_test(depth_costs_a_bit_a_level),
        cmocka_unit_test(known_keys_are_those_that_next_key_finds),
        cmocka_unit_test(a_key_that_was_learned_does_not_hide_an_error),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(reading_stops_when_progress_returns_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
