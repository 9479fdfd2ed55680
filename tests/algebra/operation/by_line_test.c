#include "algebra/operation/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static uint32_t string(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text)).index;
}

/* lex, which begins at line 5 of a.c, at a place. */
static struct flm_frame lex_at(struct flm_builder *b, struct flm_location where)
{
    const struct flm_frame_record record = {
        .function = string(b, "lex"), .file = string(b, "a.c"), .line = 5};
    return flm_builder_located(b, &record, where);
}

/* Line 7 at two addresses, a line of a header, an address without a line, and nothing. */
static struct flm_profile *made(enum flm_builder_locations locations)
{
    struct flm_error why = {0};
    struct flm_builder *b = flm_builder_new(&why);
    assert_non_null(b);
    b->locations = locations;
    struct flm_metric m = flm_builder_metric(b, "m", "");
    const struct flm_location places[] = {
        {.address = 0x10, .line = 7},
        {.address = 0x14, .line = 7},
        {.line = 7},
        {.line = 3, .file = string(b, "x.h")},
        {.address = 0x20},
        {0},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct flm_frame frame = lex_at(b, places[i]);
        flm_builder_add(b, flm_builder_stack(b, &frame, 1), m, (double)(1 << i));
    }
    struct flm_profile *p = flm_builder_finish(b, &why);
    assert_sound(p);
    return p;
}

static const struct flm_frame_record *frame_of_value(const struct flm_profile *p, double value)
{
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        if (flm_self_column(p, 0)[i] == value)
            return &p->frames[p->node_frame[i]];
    fail_msg("no stack has the value %g", value);
    return NULL;
}

static void assert_place(const struct flm_profile *p, double value, const char *file, uint32_t line)
{
    const struct flm_frame_record *frame = frame_of_value(p, value);
    assert_true(flm_bytes_are(flm_string_bytes(p, frame->file), file));
    assert_int_equal(frame->line, line);
}

static void addresses_of_a_line_are_one_frame(void **state)
{
    (void)state;
    struct flm_profile *p = made(FLM_LOCATIONS_AS_LINES);
    assert_int_equal(p->sizes.node_count, 1 + 4);
    assert_place(p, 1 + 2 + 4, "a.c", 7);
    assert_place(p, 8, "x.h", 3);
    assert_place(p, 16, "a.c", 0);                /* its line is not known: 5 is not one that ran */
    assert_place(p, 32, "a.c", 5);                /* where it was is not known */
    assert_int_equal(p->sizes.location_count, 3); /* the addresses */
    assert_true(flm_profile_note_named(p, FLM_NOTE_LINES).size > 0);
    flm_profile_free(p);
}

static void locations_that_are_dropped_leave_the_function(void **state)
{
    (void)state;
    struct flm_profile *p = made(FLM_LOCATIONS_DROPPED);
    assert_int_equal(p->sizes.node_count, 2);
    assert_int_equal(p->sizes.location_count, 0);
    assert_place(p, 63, "a.c", 5);
    assert_null(flm_profile_note_named(p, FLM_NOTE_LINES).at);
    flm_profile_free(p);
}

/* Whether a reader makes the frames of lines, or they are made of what it has read. */
static void a_profile_with_locations_becomes_the_same(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_profile *p = made(FLM_LOCATIONS_KEPT), *lines = made(FLM_LOCATIONS_AS_LINES);
    assert_int_equal(p->sizes.node_count, 2);
    assert_int_equal(p->sizes.location_count, 5);
    struct flm_profile *by_line = flm_by_line(p, &why);
    assert_sound(by_line);
    assert_profiles_equal(by_line, lines);
    struct flm_profile *again = flm_by_line(by_line, &why);
    assert_profiles_equal(again, by_line);
    flm_profile_free(p);
    flm_profile_free(lines);
    flm_profile_free(by_line);
    flm_profile_free(again);
}

static bool makes_lines(void *context, struct flm_error *why)
{
    struct flm_profile *p = flm_by_line(context, why);
    flm_profile_free(p);
    return p != NULL;
}

static void it_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = made(FLM_LOCATIONS_KEPT);
    assert_survives_failures(makes_lines, p);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_of_a_line_are_one_frame),
        cmocka_unit_test(locations_that_are_dropped_leave_the_function),
        cmocka_unit_test(a_profile_with_locations_becomes_the_same),
        cmocka_unit_test(it_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
