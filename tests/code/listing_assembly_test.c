#include "code/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/code/listings.h"
#include "support/core/failures.h"

static void instructions_have_the_costs_of_their_addresses(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 118", "cmp", "inc", "ret"};
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = code_of(text, 7);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    /* 112 is inside of the instruction at 110: of a call. */
    assert_string_equal(rows_of(l, FLM_LISTING_ASSEMBLY),
                        "=20|100 12/12|104 3/3|108|10c|=2|110 6/14|=24|114|118 0/5|u 1/1");
    struct flm_listing_row rows[10];
    flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 10, rows);
    uint32_t file = string_of(p, "app.c");
    assert_true(rows[6].kind == FLM_LISTING_INSTRUCTION && rows[6].file == file &&
                rows[6].line == 2 && rows[6].site_line == 24);
    assert_true(rows[4].lane[0] == (FLM_LANE_FROM | FLM_LANE_DOWN));
    assert_true(rows[5].lane[0] == (FLM_LANE_UP | FLM_LANE_DOWN));
    assert_true(rows[9].lane[0] == (FLM_LANE_TO | FLM_LANE_UP));
    assert_true(rows[9].is_block && !rows[9].is_loop && !rows[2].is_block);
    assert_int_equal(flm_listing_row_of_address(l, 0x113), 6);
    assert_int_equal(flm_listing_figures(l).blocks, 3);
    assert_int_equal(flm_listing_figures(l).hot_blocks, 3);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* What another build had at its addresses is at none of these; lines are compared. */
static void costs_of_another_build_are_at_no_instruction(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 118", "cmp", "inc", "ret"};
    static const struct flm_listing_options none;
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = code_of(text, 7);
    struct flm_listing_subject subject = {
        .profile = p, .before = {1}, .function = string_of(p, "find")};
    for (int other = 0; other < 2; other++) {
        subject.other_build = other;
        struct flm_listing *l = flm_listing_new(&subject, NULL);
        assert_true(l && flm_listing_arrange(l, other ? store : NULL, &none, NULL));
        struct flm_listing_row rows[20];
        uint32_t count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 20, rows);
        double at_instructions = 0, elsewhere = 0;
        for (uint32_t i = 0; i < count; i++)
            *(rows[i].kind == FLM_LISTING_UNKNOWN ? &elsewhere : &at_instructions) +=
                rows[i].before.self;
        assert_true(at_instructions == (other ? 0 : 3));
        assert_true(elsewhere == (other ? 3 : 0));
        if (other)
            assert_string_equal(rows_of(l, FLM_LISTING_ASSEMBLY),
                                "=20|100 12/12|104 3/3|108|10c|=2|110 6/14|=24|114|118 0/5|u 1/1");
        uint32_t row = flm_listing_row_of_line(l, string_of(p, "app.c"), 20);
        flm_listing_rows(l, FLM_LISTING_SOURCE, row, 1, rows);
        assert_true(rows[0].line == 20 && rows[0].before.self == 1);
        assert_true(flm_listing_sum(l, true).self == 1 && flm_listing_sum(l, true).total == 3);
        flm_listing_free(l);
    }
    /* Of a function that is gone, the code is that of before. */
    struct flm_builder *b = flm_builder_new(NULL);
    add_located(b, "find:20@100", 0, 4);
    struct flm_profile *gone = flm_builder_finish(b, NULL);
    subject = (struct flm_listing_subject){
        .profile = gone, .before = {1}, .function = string_of(gone, "find"), .other_build = true};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    struct flm_listing_row rows[2];
    assert_true(l && flm_listing_arrange(l, NULL, &none, NULL));
    assert_int_equal(flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 2, rows), 2);
    assert_true(rows[1].address == 0x100 && rows[1].before.self == 4);
    flm_listing_free(l);
    flm_profile_free(gone);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* Of functions of one name and no module, those of one file. */
static void a_function_may_be_that_of_one_file(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_listing_subject subject = {.profile = p,
                                          .before = {FLM_NONE},
                                          .function = string_of(p, "find"),
                                          .in_file = string_of(p, "app.c")};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    assert_true(flm_listing_sum(l, false).self == 16);
    flm_listing_free(l);
    subject.in_file = string_of(p, "main");
    l = flm_listing_new(&subject, NULL);
    assert_true(flm_listing_sum(l, false).self == 0);
    flm_listing_free(l);
    flm_profile_free(p);
}

/* Optimized: 20 20 24 20 24 20. */
static void lines_that_jump_are_marked(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = flm_code_store_new(NULL);
    static const uint32_t lines[] = {20, 20, 24, 20, 24, 20};
    struct flm_code_instruction at[6];
    const struct flm_bytes files[] = {flm_bytes_of("app.c")};
    for (uint32_t i = 0; i < 6; i++)
        at[i] = (struct flm_code_instruction){.address = 0x100 + 4 * i,
                                              .size = 4,
                                              .text = flm_bytes_of("mov"),
                                              .line = lines[i],
                                              .inlined = FLM_CODE_NONE};
    const struct flm_code_function function = {.name = flm_bytes_of("find"),
                                               .machine = flm_bytes_of("x86-64"),
                                               .instructions = at,
                                               .instruction_count = 6,
                                               .files = files,
                                               .file_count = 1};
    assert_true(flm_code_store_add_function(store, &function, NULL));
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    struct flm_listing_row rows[20];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 20, rows), again = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(!rows[i].is_again || rows[i].kind == FLM_LISTING_SOURCE_LINE);
        again += rows[i].is_again;
    }
    assert_int_equal(again, 3);
    assert_true(rows[0].line == 20 && !rows[0].is_again);
    struct flm_listing_figures figures = flm_listing_figures(l);
    assert_true(figures.lines == 2 && figures.line_runs == 5);
    assert_true(flm_listing_jumps_between_lines(&figures));
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void a_line_leads_to_its_hottest_instruction(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 118", "cmp", "inc", "ret"};
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = code_of(text, 7);
    uint32_t file = string_of(p, "app.c");
    for (int i = 0; i < 2; i++) {
        struct flm_listing *l = listing_of(p, "find", i ? store : NULL, NULL);
        struct flm_listing_row row;
        uint32_t at = flm_listing_row_of_source(l, file, 20);
        assert_int_equal(flm_listing_rows(l, FLM_LISTING_ASSEMBLY, at, 1, &row), 1);
        assert_true(row.address == 0x100); /* 12, and 3 at 104 */
        at = flm_listing_row_of_source(l, file, 2);
        flm_listing_rows(l, FLM_LISTING_ASSEMBLY, at, 1, &row);
        assert_true(row.address == 0x110);
        at = flm_listing_row_of_source(l, file, 24); /* where that was inlined */
        flm_listing_rows(l, FLM_LISTING_ASSEMBLY, at, 1, &row);
        assert_true(row.address == 0x110);
        assert_int_equal(flm_listing_row_of_source(l, file, 7), FLM_NONE);
        flm_listing_free(l);
    }
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void short_jumps_are_next_to_the_code(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 108", "jump 104", "je 104", "ret"};
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = code_of(text, 7);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    struct flm_listing_row rows[12];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 12, rows), loops = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_row = rows[i].kind == FLM_LISTING_INSTRUCTION;
        loops += rows[i].is_loop;
        if (is_row && rows[i].address == 0x104) { /* two jumps lead here, in one lane */
            assert_true(rows[i].lane[1] == (FLM_LANE_TO | FLM_LANE_DOWN) && rows[i].lane[2] == 0);
            assert_true(rows[i].loop_self == 9);
        }
        if (is_row && rows[i].address == 0x108)
            assert_true(rows[i].lane[0] == (FLM_LANE_TO | FLM_LANE_DOWN) &&
                        rows[i].lane[1] == (FLM_LANE_UP | FLM_LANE_DOWN));
        if (is_row && rows[i].address == 0x110)
            assert_true(rows[i].lane[1] == (FLM_LANE_UP | FLM_LANE_DOWN | FLM_LANE_FROM));
        if (is_row && rows[i].address == 0x114)
            assert_true(rows[i].lane[1] == (FLM_LANE_UP | FLM_LANE_FROM));
    }
    assert_int_equal(loops, 2);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* Blocks without a cost are one row, beside which lanes go on. */
static void cold_blocks_are_folded(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static const char *text[COUNT];
    struct flm_profile *p = listing_example();
    for (int i = 0; i < COUNT; i++)
        text[i] = i % 10 == 9 ? "ret" : "mov";
    text[9] = "jump 2edc";
    struct flm_code_store *store = code_of(text, COUNT);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    struct flm_listing_row rows[20];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 20, rows);
    assert_int_equal(count, 15);
    const struct flm_listing_row *fold = &rows[13];
    assert_true(fold->kind == FLM_LISTING_FOLD && fold->count == COUNT - 10);
    assert_true(fold->lane[0] == (FLM_LANE_UP | FLM_LANE_TO));
    struct flm_listing_options open = {.open = {&fold->key, 1}};
    assert_true(flm_listing_arrange(l, store, &open, NULL));
    assert_int_equal(flm_listing_count(l, FLM_LISTING_ASSEMBLY), 15 + COUNT - 10 + 1);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void lanes_are_bounded(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    static char texts[COUNT][16];
    static const char *text[COUNT];
    struct flm_profile *p = listing_example();
    for (int i = 0; i < COUNT; i++) { /* each from the first half to the second: all overlap */
        snprintf(texts[i], sizeof texts[i], i < 12 ? "jump %x" : "mov", 0x100 + 4 * (i + 12));
        text[i] = texts[i];
    }
    struct flm_code_store *store = code_of(text, COUNT);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    assert_int_equal(flm_listing_figures(l).jumps_hidden, 12 - FLM_LISTING_LANES);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* Twelve that all overlap fill the lanes; a loop around them takes one, one inside of it another;
 * a longer jump that is no loop has none. */
static void loops_have_lanes_before_other_jumps(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    static char texts[COUNT][16];
    static const char *text[COUNT];
    struct flm_profile *p = listing_example();
    for (int i = 0; i < COUNT; i++) {
        bool is_forward = i >= 4 && i < 16;
        snprintf(texts[i], sizeof texts[i], is_forward ? "jump %x" : "mov", 0x100 + 4 * (i + 14));
        text[i] = texts[i];
    }
    snprintf(texts[0], sizeof texts[0], "jump %x", 0x100 + 4 * 39);
    snprintf(texts[34], sizeof texts[34], "je %x", 0x100 + 4 * 3);
    snprintf(texts[35], sizeof texts[35], "je %x", 0x100 + 4 * 2);
    struct flm_code_store *store = code_of(text, COUNT);
    struct flm_listing *l =
        listing_of(p, "find", store, &(struct flm_listing_options){{true, true}});
    struct flm_listing_row rows[60];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 60, rows), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char drawn = 0;
        for (int lane = 0; lane < FLM_LISTING_LANES; lane++)
            drawn |= rows[i].lane[lane] & (FLM_LANE_TO | FLM_LANE_FROM);
        if (rows[i].address == 0x100 + 4 * 2 || rows[i].address == 0x100 + 4 * 3) {
            assert_true(rows[i].is_loop && drawn == FLM_LANE_TO);
            found++;
        } else if (rows[i].address == 0x100 + 4 * 34 || rows[i].address == 0x100 + 4 * 35) {
            assert_true(drawn == FLM_LANE_FROM);
            found++;
        }
    }
    assert_int_equal(found, 4);
    assert_int_equal(flm_listing_figures(l).jumps_hidden, 12 - (FLM_LISTING_LANES - 2) + 1);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* A row of a file with 100,000 lines is found as soon as one of ten. */
static void long_files_are_rows_too(void **state)
{
    (void)state;
    struct flm_profile *p = listing_example();
    struct flm_code_store *store = store_of(100000);
    struct flm_listing_options whole = {.whole = {true, true}};
    struct flm_listing *l = listing_of(p, "find", store, &whole);
    struct flm_listing_row row;
    assert_int_equal(flm_listing_count(l, FLM_LISTING_SOURCE), 100003);
    assert_int_equal(flm_listing_rows(l, FLM_LISTING_SOURCE, 100001, 1, &row), 1);
    assert_int_equal(row.line, 100000);
    double overview[10];
    flm_listing_overview(l, FLM_LISTING_SOURCE, overview, 10);
    assert_true(overview[0] == 15 && overview[1] == 0 && overview[9] == 0);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 104", "cmp", "jump 100", "ret"};
    struct listed listed = {listing_example(), code_of(text, 7), {FLM_NONE}};
    assert_true(assert_survives_failures(make_listing, &listed) > 20);
    flm_code_store_free(listed.store);
    flm_profile_free(listed.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_have_the_costs_of_their_addresses),
        cmocka_unit_test(costs_of_another_build_are_at_no_instruction),
        cmocka_unit_test(a_function_may_be_that_of_one_file),
        cmocka_unit_test(lines_that_jump_are_marked),
        cmocka_unit_test(a_line_leads_to_its_hottest_instruction),
        cmocka_unit_test(short_jumps_are_next_to_the_code),
        cmocka_unit_test(cold_blocks_are_folded),
        cmocka_unit_test(lanes_are_bounded),
        cmocka_unit_test(loops_have_lanes_before_other_jumps),
        cmocka_unit_test(long_files_are_rows_too),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
