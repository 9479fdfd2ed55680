#include "wasm/exports.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mix/mix.h"
#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "viewer/viewer.h"

/* flamel_read is not called here. */
double flamel_clock(void);
double flamel_clock(void)
{
    return 0;
}

int32_t flamel_more(void *at, uint32_t size);
int32_t flamel_more(void *at, uint32_t size)
{
    (void)at, (void)size;
    return -1;
}

static int open_bytes(const char *at, size_t size)
{
    char name[] = "app.folded";
    char *room = flamel_allocate((uint32_t)size);
    if (!room)
        return 0;
    memcpy(room, at, size);
    return flamel_open(0, room, (uint32_t)size, name, (uint32_t)strlen(name));
}

static int do_text(const char *action)
{
    return flamel_do(action, (uint32_t)strlen(action));
}

static void assert_response(const char *query, const char *expected)
{
    assert_int_equal(flamel_query(query, (uint32_t)strlen(query)), 1);
    struct flm_bytes response = {flamel_response(), flamel_response_size()};
    if (!flm_bytes_are(response, expected))
        fail_msg("the response is '%.*s'", (int)response.size, response.at);
}

static void assert_says(const char *part)
{
    char text[8000] = "";
    memcpy(text, flamel_response(), flamel_response_size() < 7999 ? flamel_response_size() : 7999);
    if (!strstr(text, part))
        fail_msg("it says '%s'", text);
}

static void what_was_packed_is_unpacked(void **state)
{
    (void)state;
    static const char words[] = "a module is packed, a module is unpacked";
    struct flm_text packed = {0};
    flm_mix_pack((struct flm_bytes){words, sizeof words}, &packed);
    assert_int_equal(flamel_unpack(packed.at, (uint32_t)packed.size), 1);
    assert_int_equal(flamel_response_size(), sizeof words);
    assert_memory_equal(flamel_response(), words, sizeof words);
    assert_int_equal(flamel_unpack(packed.at, 7), 0);
    packed.at[3] = 127; /* of 2 GB */
    assert_int_equal(flamel_unpack(packed.at, (uint32_t)packed.size), 0);
    for (size_t nth = 1;; nth++) {
        packed.at[3] = 0;
        allocation_fail_from(nth);
        int good = flamel_unpack(packed.at, (uint32_t)packed.size);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(good || failed);
        if (!failed)
            break;
        if (!good)
            assert_says("memory");
    }
    flm_text_clear(&packed);
}

static void any_format_is_opened_from_memory(void **state)
{
    (void)state;
    static const char folded[] = "main;parse 3\nmain;write 5\n";
    assert_int_equal(open_bytes(folded, strlen(folded)), 1);
    assert_response("state", "");
    struct flm_profile *p = profile_of("a;b 1\n");
    struct flm_text flm = bytes_of(p);
    assert_int_equal(open_bytes(flm.at, flm.size), 1);
    /* A file cut off anywhere is refused, and the open profile stays. */
    for (size_t size = 0; size < flm.size; size++) {
        assert_int_equal(open_bytes(flm.at, size), -1);
        assert_true(flamel_response_size() > 0);
    }
    assert_int_equal(do_text("apply hide:b"), 1);
    flm_text_clear(&flm);
    flm_profile_free(p);
}

static void a_refusal_says_why(void **state)
{
    (void)state;
    assert_int_equal(open_bytes("", 0), -1);
    assert_says("empty");
    assert_int_equal(open_bytes("\x89PNG\r\n", 6), -1);
    assert_says("PNG");
    assert_int_equal(do_text("sing"), 0);
    assert_says("there is no action 'sing'");
    assert_int_equal(do_text("apply hide:/(/"), 0);
    assert_int_equal(flamel_query("why", 3), 0);
    assert_says("'why' is not a query");
}

static void the_formats_that_can_be_read_are_listed(void **state)
{
    (void)state;
    assert_int_equal(flamel_formats(), 1);
    assert_says("{\"title\": \"Folded stacks\", \"extensions\": \".folded .collapsed .txt\"}");
}

static void the_picture_has_the_requested_size(void **state)
{
    (void)state;
    assert_int_equal(open_bytes("main;parse 3\n", 13), 1);
    assert_null(flamel_resize(1 << 16, 10, 1));
    assert_null(flamel_resize(10, 10, 0));
    assert_null(flamel_resize(10, 10, NAN));
    assert_null(flamel_resize(10, 10, -1));
    static const uint32_t sizes[][2] = {{0, 0}, {1, 1}, {360, 200}, {2000, 1}};
    for (int i = 0; i < 4; i++) {
        uint32_t *pixels = flamel_resize(sizes[i][0], sizes[i][1], 2);
        assert_non_null(pixels);
        flamel_paint(i * 1000);
        for (size_t k = 0; k < (size_t)sizes[i][0] * sizes[i][1]; k++)
            assert_int_equal(pixels[k] >> 24, 0xFF); /* nothing is left unpainted */
    }
}

static void missing_glyphs_are_listed_until_all_are_added(void **state)
{
    (void)state;
    static const uint8_t coverage[16] = {255};
    assert_int_equal(open_bytes("main;parse 3\n", 13), 1);
    assert_non_null(flamel_resize(400, 300, 1));
    assert_true(flamel_font_px() == 12);
    flamel_paint(0);
    unsigned added = 0;
    for (uint32_t c; (c = flamel_missing(0)) != 0 && added < 1000; added++)
        assert_int_equal(flamel_glyph(c, 0, 6, 0, -8, 4, 4, coverage, 1), 1);
    assert_true(added > 5 && added < 100);
    flamel_paint(16);
    assert_int_equal(flamel_missing(0), 0);
    assert_int_equal(flamel_missing(7), 0);
    assert_int_equal(flamel_glyph('a', 7, 6, 0, 0, 4, 4, coverage, 1), 0);
    assert_int_equal(flamel_glyph('a', 0, 6, 0, 0, -4, 4, coverage, 1), 0);
}

/* A picture with other letters is whole at once. */
static void letters_that_are_expected_are_never_missing_again(void **state)
{
    (void)state;
    static const uint8_t coverage[16] = {255};
    assert_non_null(flamel_resize(800, 300, 1));
    flamel_expect();
    bool asked[0x80] = {false};
    for (int weight = 0; weight < 2; weight++)
        for (uint32_t c; (c = flamel_missing(weight)) != 0;) {
            asked[c < 0x80 ? c : 0] = true;
            assert_int_equal(flamel_glyph(c, weight, 6, 0, -8, 4, 4, coverage, 1), 1);
        }
    assert_true(asked['Q'] && asked['~'] && asked['7']);
    const char stack[] = "Quick::brown<fox>(jumps&);over 3\n";
    assert_int_equal(open_bytes(stack, sizeof stack - 1), 1);
    flamel_paint(0);
    assert_int_equal(flamel_missing(0), 0);
    assert_int_equal(flamel_missing(1), 0);
    flamel_expect();
    assert_int_equal(flamel_missing(0), 0);
}

/* The groups whose version differs from the last call, found as the page finds them. */
static unsigned changes(void)
{
    static uint32_t seen[FLM_GROUPS];
    const uint32_t *now = flamel_versions();
    unsigned changed = 0;
    for (int i = 0; i < FLM_GROUPS; i++) {
        if (now[i] != seen[i] && (i != FLM_GROUP_PICTURE || now[i] != now[FLM_GROUPS]))
            changed |= 1u << i;
        seen[i] = now[i];
    }
    return changed;
}

static void events_change_versions(void **state)
{
    (void)state;
    assert_int_equal(open_bytes("main;parse 3\nidle 1\n", 20), 1);
    assert_non_null(flamel_resize(400, 300, 1));
    flamel_theme(0, 1, 0, 0, 0, 0, 0);
    flamel_paint(0);
    changes();
    flamel_pointer(FLM_POINTER_MOVE, 200, 48 + 30, 0, 0, 100);
    assert_true(changes() & FLM_CHANGED(HOVER));
    assert_int_equal(changes(), 0);
    flamel_pointer(FLM_POINTER_DOWN, 200, 48 + 30, 0, 0, 110);
    flamel_pointer(FLM_POINTER_UP, 200, 48 + 30, 0, 0, 120);
    assert_true(changes() & FLM_CHANGED(DETAIL));
    flamel_wheel(200, 100, 0, -100, 0, 2000);
    assert_true(changes() & FLM_CHANGED(STATE));
    flamel_pinch(200, 100, 2, 0, 0, 4000);
    assert_true(changes() & FLM_CHANGED(STATE));
    flamel_key("Escape", 6, 0, 6000);
    assert_true(changes() & FLM_CHANGED(DETAIL));
    flamel_key("F13", 3, 0, 7000);
    flamel_pointer(99, 0, 0, 0, 0, 8000);
    assert_int_equal(changes(), 0);
    /* What no browser should tell is survived. */
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            for (int event = 0; event < 4; event++)
                flamel_pointer(event, odd[i], odd[k], 0, 0, 9000);
            flamel_pointer(FLM_POINTER_DOWN, 100, 20, 0, 0, odd[k]);
            flamel_pointer(FLM_POINTER_MOVE, odd[i], odd[k], 0, 0, 9000);
            flamel_paint(9000);
            flamel_wheel(100, 100, odd[i], odd[k], (uint32_t)(i + k), 9000);
            flamel_pinch(odd[k], 100, odd[i], odd[k], odd[i], 9000);
            flamel_paint(odd[k]);
        }
    assert_int_equal(do_text("fit"), 1);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        do_text("restore ");
        allocation_fail_once(nth);
        int good = open_bytes("main;parse 3\nmain;write 5\n", 26) == 1;
        good = good && do_text("apply hide:parse");
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        if (!good)
            assert_true(failed);
        if (!failed)
            break;
    }
    assert_int_equal(do_text("reset"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_format_is_opened_from_memory),
        cmocka_unit_test(what_was_packed_is_unpacked),
        cmocka_unit_test(a_refusal_says_why),
        cmocka_unit_test(the_formats_that_can_be_read_are_listed),
        cmocka_unit_test(the_picture_has_the_requested_size),
        cmocka_unit_test(missing_glyphs_are_listed_until_all_are_added),
        cmocka_unit_test(letters_that_are_expected_are_never_missing_again),
        cmocka_unit_test(events_change_versions),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
