#include "gate/runs/strata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/compare/comparable.h"
#include "flamel/builder.h"

/* A profile with notes of these keys; NULL: it has none of that. */
static struct flm_profile *profile_in(const char *session, const char *block)
{
    struct flm_builder *builder = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(builder, "samples", "samples");
    struct flm_frame frame = flm_builder_function(builder, "main", 4);
    flm_builder_add(builder, flm_builder_stack(builder, &frame, 1), metric, 1);
    if (session)
        flm_builder_note(builder, FLM_NOTE_GATE_SESSION, session, strlen(session));
    if (block)
        flm_builder_note(builder, FLM_NOTE_GATE_BLOCK, block, strlen(block));
    return flm_builder_finish(builder, NULL);
}

static void runs_of_one_block_of_one_session_stand_together(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    static const struct {
        const char *session, *block;
        uint32_t expected;
    } runs[COUNT] = {{"a", "1", 0}, {"a", "1", 0},   {"a", "2", 1}, {"b", "1", 2},
                     {"a", "2", 1}, {NULL, NULL, 3}, {"b", "1", 2}, {NULL, NULL, 3}};
    const struct flm_profile *profiles[COUNT];
    struct flm_profile *owned[COUNT];
    uint32_t block[COUNT];
    for (int i = 0; i < COUNT; i++)
        profiles[i] = owned[i] = profile_in(runs[i].session, runs[i].block);
    assert_int_equal(flm_strata_find(profiles, COUNT, block), 4);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(block[i], runs[i].expected);
    assert_int_equal(flm_strata_find(profiles, 0, block), 0);
    for (int i = 0; i < COUNT; i++)
        flm_profile_free(owned[i]);
}

static void runs_without_notes_are_one_block(void **state)
{
    (void)state;
    struct flm_profile *p = profile_in(NULL, NULL);
    const struct flm_profile *profiles[3] = {p, p, p};
    uint32_t block[3];
    assert_int_equal(flm_strata_find(profiles, 3, block), 1);
    assert_int_equal(block[2], 0);
    flm_profile_free(p);
}

static void a_note_that_is_not_there_is_nothing(void **state)
{
    (void)state;
    struct flm_profile *p = profile_in("a", NULL);
    assert_true(flm_bytes_are(flm_profile_note(p, FLM_NOTE_GATE_SESSION), "a"));
    assert_null(flm_profile_note(p, FLM_NOTE_GATE_BLOCK).at);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_block_of_one_session_stand_together),
        cmocka_unit_test(runs_without_notes_are_one_block),
        cmocka_unit_test(a_note_that_is_not_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
