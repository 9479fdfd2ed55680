#include "format/core/location_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static struct flm_node below(struct flm_builder *b, struct flm_node above, const char *name,
                             const char *module, uint32_t line, enum flm_kind kind)
{
    struct flm_frame_record record = {
        .function = flm_builder_string(b, name, strlen(name)).index,
        .module = flm_builder_string(b, module, strlen(module)).index,
        .line = line,
        .kind = kind,
    };
    return flm_builder_child(b, above, flm_builder_frame(b, &record));
}

/* main;parse;lex (inlined), and main;read twice: at lines 3 and 4. */
static struct flm_profile *profile(bool lines_ran)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    struct flm_node main = below(b, flm_builder_root(b), "main", "/bin/app", 0, FLM_KIND_NATIVE);
    struct flm_node parse = below(b, main, "parse", "/bin/app", 0, FLM_KIND_NATIVE);
    flm_builder_add(b, below(b, parse, "lex", "/bin/app", 0, FLM_KIND_INLINED), metric, 1);
    flm_builder_add(b, below(b, main, "read", "/lib/libc.so", 3, FLM_KIND_NATIVE), metric, 1);
    flm_builder_add(b, below(b, main, "read", "/lib/libc.so", 4, FLM_KIND_NATIVE), metric, 1);
    flm_builder_note(b, "mapped /bin/app", "1000-2000@0 id=ab", 17);
    if (lines_ran)
        flm_builder_note(b, FLM_NOTE_LINES, "those that ran", 14);
    return flm_builder_finish(b, NULL);
}

/* As perf script says it: the caller of __libc_start_main_impl, in libc, was left out. */
static void inlined_code_of_another_module_has_a_location_of_its_own(void **state)
{
    (void)state;
    static const char *const modules[] = {"", "/lib/libc.so"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_node start = below(b, flm_builder_root(b), "_start", "/bin/app", 0, 0);
        struct flm_node impl = below(b, start, "impl", modules[i], 0, FLM_KIND_INLINED);
        flm_builder_add(b, impl, flm_builder_metric(b, "samples", "count"), 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        struct flm_location_tables t;
        assert_true(flm_location_tables_make(&t, p, NULL));
        assert_int_equal(t.locations.count, 2);
        assert_int_equal(t.locations.at[t.location[2]].outer, 0);
        assert_true(t.mapping_of[p->node_frame[1]] > 0);
        flm_location_tables_clear(&t);
        flm_profile_free(p);
    }
}

static void inlined_frames_are_in_the_location_of_their_caller(void **state)
{
    (void)state;
    struct flm_profile *p = profile(false);
    struct flm_location_tables t;
    assert_true(flm_location_tables_make(&t, p, NULL));
    assert_int_equal(t.locations.count, 5);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        struct flm_written_location location = t.locations.at[t.location[i]];
        assert_int_equal(location.frame, p->node_frame[i]);
        bool is_lex = flm_bytes_are(flm_frame_function(p, location.frame), "lex");
        assert_int_equal(location.outer > 0, is_lex);
        if (is_lex) { /* its caller is in the location, so what is above is main */
            assert_true(flm_bytes_are(flm_frame_function(p, p->node_frame[t.up[i]]), "main"));
            assert_int_equal(t.locations.at[location.outer - 1].frame, p->node_frame[i - 1]);
        }
    }
    assert_int_equal(t.mappings.count, 2);
    assert_int_equal(t.mappings.at[0].range.limit, 0x2000); /* the program is the first */
    assert_true(flm_bytes_are(t.mappings.at[0].range.build_id, "ab"));
    assert_int_equal(t.mappings.at[1].range.limit, 0);
    flm_location_tables_clear(&t);
    flm_profile_free(p);
}

static void lines_that_ran_make_no_other_functions(void **state)
{
    (void)state;
    for (int ran = 0; ran < 2; ran++) {
        struct flm_profile *p = profile(ran);
        struct flm_location_tables t;
        assert_true(flm_location_tables_make(&t, p, NULL));
        assert_int_equal(t.functions.count, ran ? 4 : 5);
        uint32_t lines = 0;
        for (size_t i = 0; i < t.functions.count; i++)
            lines += t.functions.at[i].line;
        assert_int_equal(lines, ran ? 0 : 3 + 4);
        flm_location_tables_clear(&t);
        flm_profile_free(p);
    }
}

static bool make_with_little_memory(void *context, struct flm_error *why)
{
    struct flm_location_tables t;
    bool good = flm_location_tables_make(&t, context, why);
    flm_location_tables_clear(&t);
    return good;
}

/* parse at two places: a line of its own file, and one of a header. */
static void locations_are_places_of_one_function(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "count");
    const struct flm_frame_record record = {.function = flm_builder_string(b, "parse", 5).index,
                                            .file = flm_builder_string(b, "a.c", 3).index,
                                            .line = 2};
    const struct flm_location places[] = {
        {.line = 9, .file = record.file, .address = 0x10, .column = 4},
        {.line = 10, .file = record.file},
        {.line = 7, .file = flm_builder_string(b, "x.h", 3).index},
    };
    for (int i = 0; i < 3; i++) {
        struct flm_frame frame = flm_builder_frame_at(b, flm_builder_frame(b, &record), &places[i]);
        flm_builder_add(b, flm_builder_stack(b, &frame, 1), metric, 1);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_int_equal(p->sizes.node_count, 2);
    struct flm_location_tables t;
    assert_true(flm_location_tables_make(&t, p, NULL));
    assert_int_equal(t.locations.count, 3);
    assert_int_equal(t.functions.count, 2);
    uint32_t lines = 0, columns = 0;
    for (size_t i = 0; i < 3; i++) {
        uint32_t frame = t.locations.at[i].frame;
        lines += t.place[frame].line;
        columns += t.place[frame].column;
        assert_int_equal(t.place[frame].address, t.place[frame].line == 9 ? 0x10 : 0);
        assert_int_equal(t.functions.at[t.function_of[frame]].line,
                         t.place[frame].line == 7 ? 0 : 2);
    }
    assert_int_equal(lines, 9 + 10 + 7);
    assert_int_equal(columns, 4);
    flm_location_tables_clear(&t);
    assert_true(assert_survives_failures(make_with_little_memory, p) > 5);
    flm_profile_free(p);
}

/* Only those that a reader calls the same. */
static void frames_without_a_name_are_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *name, *module;
        uint64_t address;
        bool is_address;
    } frames[] = {
        {"0x1ab", "", 0x1ab, true}, {"0x00001ab", "", 0x1ab, false},   {"0x0", "", 0, false},
        {"[unknown]", "", 0, true}, {"[unknown]", "/lib/a", 0, false}, {"[a]", "/lib/a", 0, true},
        {"main", "", 0x1ab, false}};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        const char *name = frames[i].name, *module = frames[i].module;
        struct flm_frame_record record = {
            .function = flm_builder_string(b, name, strlen(name)).index,
            .module = flm_builder_string(b, module, strlen(module)).index,
            .address = frames[i].address,
            .flags = FLM_FRAME_UNSYMBOLIZED};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, flm_builder_metric(b, "m", ""), 1);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_int_equal(flm_location_is_address(p, 1), frames[i].is_address);
        flm_profile_free(p);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile(false);
    assert_true(assert_survives_failures(make_with_little_memory, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_code_of_another_module_has_a_location_of_its_own),
        cmocka_unit_test(inlined_frames_are_in_the_location_of_their_caller),
        cmocka_unit_test(lines_that_ran_make_no_other_functions),
        cmocka_unit_test(locations_are_places_of_one_function),
        cmocka_unit_test(frames_without_a_name_are_addresses),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
