#include "wasm/exports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zstd.h>
#include <cmocka.h>

#include "flamel/sanitize.h"
#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

double flamel_clock(void);
double flamel_clock(void)
{
    return 0;
}

int32_t flamel_more(void *at, uint32_t size);

/* The file that the page would read. */
static struct flm_bytes file;
static uint32_t step;
static bool breaks; /* behind the first piece */

int32_t flamel_more(void *at, uint32_t size)
{
    if (breaks && file.size < 100)
        return -1;
    size_t got = file.size < size ? file.size : size;
    got = got < step ? got : step;
    if (got)
        memcpy(at, file.at, got);
    file = (struct flm_bytes){file.at + got, file.size - got};
    return (int32_t)got;
}

static int read_file_by(struct flm_bytes all, uint32_t bytes)
{
    file = all;
    step = bytes;
    return flamel_read();
}

static void assert_answers(const char *words)
{
    struct flm_bytes answer = {flamel_response(), flamel_response_size()};
    if (!flm_bytes_are(answer, words))
        fail_msg("it says '%.*s', not '%s'", (int)answer.size, answer.at, words);
}

static void a_file_of_any_format_becomes_a_flm_file(void **state)
{
    (void)state;
    uint64_t random = 6;
    struct flm_profile *p = random_profile(&random, &random_full);
    struct flm_text flm = bytes_of(p);
    char *folded = folded_of(p);
    struct flm_profile *expected = profile_of(folded);
    struct flm_text expected_bytes = bytes_of(expected);
    static const uint32_t steps[] = {1, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        assert_int_equal(read_file_by(flm_bytes_of(folded), steps[i]), 1);
        assert_int_equal(flamel_response_size(), expected_bytes.size);
        assert_memory_equal(flamel_response(), expected_bytes.at, expected_bytes.size);
        assert_int_equal(read_file_by((struct flm_bytes){flm.at, flm.size}, steps[i]), 1);
        assert_int_equal(flamel_response_size(), flm.size);
        assert_memory_equal(flamel_response(), flm.at, flm.size);
    }
    flm_text_clear(&expected_bytes);
    flm_profile_free(expected);
    free(folded);
    flm_text_clear(&flm);
    flm_profile_free(p);
}

static void a_line_that_is_longer_than_the_window_is_read(void **state)
{
    (void)state;
    struct flm_text text = {0};
    flm_text_puts(&text, "a 1\n");
    flm_text_repeat(&text, 'x', 5000000);
    flm_text_puts(&text, " 2\nb 3\n");
    assert_int_equal(read_file_by((struct flm_bytes){text.at, text.size}, 100000), 1);
    assert_true(flamel_response_size() > 5000000);
    flm_text_clear(&text);
}

static void what_is_refused_has_the_sentence_of_the_command(void **state)
{
    (void)state;
    assert_int_equal(read_file_by(flm_bytes_of(""), 10), 0);
    assert_answers("the file is empty: it has no stacks");
    assert_int_equal(read_file_by(flm_bytes_of("\x89PNG\r\n"), 10), 0);
    assert_answers("this is a PNG picture, not a profile");
    breaks = true;
    assert_int_equal(read_file_by(flm_bytes_of("main;read 10\nmain 2\n"), 10), 0);
    breaks = false;
    assert_answers("cannot be read");
    assert_int_equal(read_file_by(flm_bytes_of("main 2\n"), 10), 1);
}

static void zstd_comes_out_in_pieces(void **state)
{
    (void)state;
    struct flm_text text = {0}, out = {0}, packed = {0};
    for (unsigned i = 0; i < 100000; i++)
        flm_text_format(&text, "main;f%u %u\n", i % 977, i);
    packed.capacity = ZSTD_compressBound(text.size);
    packed.at = malloc(packed.capacity);
    assert_non_null(packed.at);
    packed.size = ZSTD_compress(packed.at, packed.capacity, text.at, text.size, 3);
    for (int turn = 0; turn < 2; turn++) {
        out.size = 0;
        file = (struct flm_bytes){packed.at, packed.size};
        step = 1000;
        do {
            assert_int_equal(flamel_unzstd(), 1);
            flm_text_add(&out, (struct flm_bytes){flamel_response(), flamel_response_size()});
        } while (flamel_response_size() > 0);
        assert_int_equal(out.size, text.size);
        assert_memory_equal(out.at, text.at, text.size);
        /* What is cut off is refused, and the next file is read again. */
        file = (struct flm_bytes){packed.at, packed.size / 2};
        while (flamel_unzstd())
            assert_true(flamel_response_size() > 0);
        assert_answers("the zstd data ends too early: the file was cut off");
    }
    flm_text_clear(&packed);
    flm_text_clear(&text);
    flm_text_clear(&out);
}

static void memory_that_runs_out_is_said_too(void **state)
{
    (void)state;
    static const char frame[] = "\x28\xB5\x2F\xFD\x20\x05\x29\0\0a;b 1";
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        file = (struct flm_bytes){frame, sizeof frame - 1};
        int good = flamel_unzstd();
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        if (!good)
            assert_answers("out of memory");
        else
            assert_int_equal(flamel_unzstd(), 1);
        assert_true(good || failed);
        if (!failed)
            break;
    }
    for (size_t nth = 1;; nth++) {
        allocation_fail_from(nth);
        int good = read_file_by(flm_bytes_of("main;read 10\nmain 2\n"), 1000);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        if (!good)
            assert_answers("out of memory");
        assert_true(good || failed);
        if (!failed)
            break;
    }
}

/* Two sizes, rules, a key, and a profile: as the page sends them. */
static struct flm_text to_sanitize(const char *rules, const char *key, struct flm_bytes profile)
{
    uint32_t sizes[2] = {(uint32_t)strlen(rules), (uint32_t)strlen(key)};
    struct flm_text all = {0};
    flm_text_add(&all, (struct flm_bytes){(const char *)sizes, sizeof sizes});
    flm_text_puts(&all, rules);
    flm_text_puts(&all, key);
    flm_text_add(&all, profile);
    return all;
}

static const char key[] = "0123456789abcdef";

static int sanitize(const char *rules, const char *with, struct flm_bytes profile)
{
    struct flm_text all = to_sanitize(rules, with, profile);
    file = (struct flm_bytes){all.at, all.size};
    step = 1000;
    int result = flamel_sanitize();
    flm_text_clear(&all);
    return result;
}

static bool add_to(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

/* The list and the file of the page are those of flm_sanitize, which the command calls. */
static void a_profile_is_sanitized_as_by_the_library(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (int i = 0; i < 20; i++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        const char *rules = i % 2 ? "" : "times:none | files:none | labels:all";
        struct flm_sanitize_options how = {
            .size = sizeof how, .rules = rules, .key = key, .key_size = strlen(key)};
        struct flm_profile *clean = flm_sanitize(p, &how, NULL);
        struct flm_text flm = bytes_of(p), expected = bytes_of(clean), list = {0};
        assert_true(flm_sanitize_list(clean, add_to, &list));
        assert_int_equal(sanitize(rules, key, (struct flm_bytes){flm.at, flm.size}), 1);
        assert_int_equal(flamel_response_size(), list.size);
        assert_memory_equal(flamel_response(), list.at, list.size);
        assert_int_equal(flamel_sanitized(), 1);
        assert_int_equal(flamel_response_size(), expected.size);
        assert_memory_equal(flamel_response(), expected.at, expected.size);
        assert_int_equal(flamel_sanitized(), 0);
        flm_text_clear(&flm);
        flm_text_clear(&expected);
        flm_text_clear(&list);
        flm_profile_free(clean);
        flm_profile_free(p);
    }
}

static void what_cannot_be_sanitized_is_refused(void **state)
{
    (void)state;
    struct flm_bytes folded = flm_bytes_of("main;parse 3\n");
    assert_int_equal(sanitize("zoo:1", key, folded), 0);
    assert_int_equal(sanitize("names:nothing", key, folded), 0);
    assert_int_equal(sanitize("", "short", folded), 0);
    assert_int_equal(sanitize("", key, flm_bytes_of("")), 0);
    for (size_t size = 0; size < 8 + strlen(key); size++) {
        struct flm_text all = to_sanitize("", key, folded);
        file = (struct flm_bytes){all.at, size};
        assert_int_equal(flamel_sanitize(), 0);
        assert_true(flamel_response_size() > 0);
        flm_text_clear(&all);
    }
    for (size_t nth = 1;; nth++) {
        struct flm_text all = to_sanitize("", key, folded);
        file = (struct flm_bytes){all.at, all.size};
        allocation_fail_from(nth);
        int good = flamel_sanitize() && flamel_sanitized();
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        flm_text_clear(&all);
        assert_true(good || failed);
        if (!failed)
            break;
    }
}

static void there_is_room_for_what_the_page_says(void **state)
{
    (void)state;
    char *room = flamel_allocate(100);
    assert_non_null(room);
    memset(room, 1, 100);
    flamel_free(room);
    room = flamel_allocate(0);
    assert_non_null(room);
    flamel_free(room);
    flamel_free(NULL);
    allocation_fail_from(1);
    assert_null(flamel_allocate(100));
    allocation_fail_from(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_any_format_becomes_a_flm_file),
        cmocka_unit_test(a_line_that_is_longer_than_the_window_is_read),
        cmocka_unit_test(zstd_comes_out_in_pieces),
        cmocka_unit_test(what_is_refused_has_the_sentence_of_the_command),
        cmocka_unit_test(memory_that_runs_out_is_said_too),
        cmocka_unit_test(a_profile_is_sanitized_as_by_the_library),
        cmocka_unit_test(what_cannot_be_sanitized_is_refused),
        cmocka_unit_test(there_is_room_for_what_the_page_says),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    file = flm_bytes_of("");
    flamel_read(); /* lets go of the last answer */
    return failed;
}
