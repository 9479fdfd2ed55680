#include "code/listing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "algebra/aggregate/line_costs.h"
#include "flamel/builder.h"
#include "profile/chains.h"
#include "support/core/failures.h"
#include "support/profile/random_profile.h"

/* "main:9@100;~same:31@108 5": frames at lines and addresses of app.c, inlined with a tilde. */
static void add(struct flm_builder *b, const char *stack, double value, double before)
{
    struct flm_node node = flm_builder_root(b);
    uint32_t file = flm_builder_string(b, "app.c", 5).index;
    for (const char *at = stack; *at;) {
        size_t size = strcspn(at, ";"), skip = *at == '~', name = strcspn(at, ":;") - skip;
        const char *address = memchr(at, '@', size);
        struct flm_location where = {.file = file,
                                     .line = (uint32_t)strtoul(at + skip + name + 1, NULL, 10)};
        if (address)
            where.address = strtoul(address + 1, NULL, 16);
        struct flm_frame_record record = {.function = flm_builder_string(b, at + skip, name).index,
                                          .file = file,
                                          .kind = skip ? FLM_KIND_INLINED : 0};
        struct flm_frame frame = flm_builder_frame(b, &record);
        if (skip + name < size)
            frame = flm_builder_frame_at(b, frame, &where);
        node = flm_builder_child(b, node, frame);
        at += size + (at[size] == ';');
    }
    flm_builder_add(b, node, flm_builder_metric(b, "cpu", "ns"), value);
    flm_builder_add(b, node, flm_builder_metric(b, "before", "ns"), before);
}

static struct flm_profile *example(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    add(b, "main:9;find:20@100", 7, 1);
    add(b, "main:9;find:20@104", 3, 0);
    add(b, "main:9;find:24@110;~same:5@110", 4, 2);
    add(b, "main:9;find:24@110;~same:5@110;~byte:2@110", 2, 0);
    add(b, "main:9;find:24@112;memcmp", 8, 0);
    add(b, "main:9;find", 1, 0);
    add(b, "main:9;find:60@118;find:20@100", 5, 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

static uint32_t string_of(const struct flm_profile *p, const char *text)
{
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, i), text))
            return i;
    fail_msg("there is no '%s'", text);
    return 0;
}

static struct flm_listing *listing_of(const struct flm_profile *p, const char *function,
                                      const struct flm_code_store *store,
                                      const struct flm_listing_options *options)
{
    static const struct flm_listing_options none;
    const struct flm_listing_subject subject = {
        .profile = p, .before = {p->sizes.metric_count > 1}, .function = string_of(p, function)};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    assert_non_null(l);
    assert_true(flm_listing_arrange(l, store, options ? options : &none, NULL));
    return l;
}

/* Each row as text: its kind, and what it has. */
static const char *rows_of(const struct flm_listing *l, enum flm_listing_side side)
{
    static char text[4000];
    static const char kinds[] = "nfl.iu i=";
    struct flm_listing_row rows[100];
    uint32_t count = flm_listing_rows(l, side, 0, 100, rows);
    struct flm_text out;
    assert_int_equal(count, flm_listing_count(l, side));
    flm_text_init_fixed(&out, text, sizeof text - 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_listing_row *row = &rows[i];
        flm_text_puts(&out, i ? "|" : "");
        for (uint32_t d = 0; d < row->depth; d++)
            flm_text_putc(&out, ' ');
        switch (row->kind) {
        case FLM_LISTING_FOLD:
            flm_text_format(&out, "%s%u", row->is_open ? "open" : "fold", row->count);
            break;
        case FLM_LISTING_INSTRUCTION:
            flm_text_format(&out, "%x", (unsigned)row->address);
            break;
        case FLM_LISTING_SOURCE_LINE:
            flm_text_format(&out, "=%u", row->line);
            break;
        case FLM_LISTING_LINE:
            flm_text_format(&out, "%u", row->line);
            break;
        default:
            flm_text_putc(&out, kinds[row->kind]);
        }
        if (row->has_cost)
            flm_text_format(&out, " %d/%d", (int)row->cost.self, (int)row->cost.total);
    }
    text[out.size] = 0;
    return text;
}

static struct flm_code_store *store_of(size_t lines)
{
    struct flm_code_store *store = flm_code_store_new(NULL);
    struct flm_text text = {0};
    for (size_t i = 0; i < lines; i++)
        flm_text_format(&text, "line %u\n", (unsigned)i + 1);
    const struct flm_code_file file = {.name = flm_bytes_of("app.c"), .text = {text.at, text.size}};
    assert_non_null(store);
    assert_true(flm_code_store_add_file(store, &file, NULL));
    flm_text_clear(&text);
    return store;
}

static void without_text_there_are_the_lines_with_a_cost(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    struct flm_listing *l = listing_of(p, "find", NULL, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 15/15|24 0/14| i 4/6|60 0/5|u 1/1");
    assert_true(flm_listing_sum(l, false).self == 16 && flm_listing_sum(l, false).total == 30);
    assert_true(flm_listing_most(l, FLM_LISTING_SOURCE) == 15);
    assert_string_equal(rows_of(l, FLM_LISTING_ASSEMBLY),
                        "=20|100 12/12|104 3/3|=2|110 6/6|=24|112 0/8|=60|118 0/5|u 1/1");
    struct flm_listing_row row;
    assert_int_equal(flm_listing_rows(l, FLM_LISTING_SOURCE, 1, 1, &row), 1);
    assert_true(row.before.self == 1 && row.before.total == 1);
    flm_listing_free(l);
    flm_profile_free(p);
}

static void cold_lines_are_folded_with_some_around(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    struct flm_code_store *store = store_of(62);
    struct flm_listing *l = listing_of(p, "find", store, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|17|18|19|20 15/15|21|22|23|24 0/14| i 4/6|25|26|27|fold29|57|58|59|"
                        "60 0/5|61|62|u 1/1");
    uint32_t file = string_of(p, "app.c");
    assert_int_equal(flm_listing_row_of_line(l, file, 20), 4);
    assert_int_equal(flm_listing_row_of_line(l, file, 40), 13); /* in the fold */
    assert_int_equal(flm_listing_row_of_line(l, file, 3), 1);
    assert_int_equal(flm_listing_hottest(l, FLM_LISTING_SOURCE), 4);
    struct flm_listing_row row;
    flm_listing_rows(l, FLM_LISTING_SOURCE, 13, 1, &row);
    struct flm_listing_options open = {.open = {&row.key, 1}};
    assert_true(flm_listing_arrange(l, store, &open, NULL));
    assert_int_equal(flm_listing_count(l, FLM_LISTING_SOURCE), 21 + 29);
    struct flm_listing_options whole = {.whole = {true, true}};
    assert_true(flm_listing_arrange(l, store, &whole, NULL));
    assert_int_equal(flm_listing_count(l, FLM_LISTING_SOURCE), 62 + 3);
    flm_listing_free(l);
    flm_code_store_free(store);
    flm_profile_free(p);
}

/* As another metric would be whose values are three times as large. */
static void before_may_be_multiplied(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    struct flm_listing_subject subject = {
        .profile = p, .before = {1}, .function = string_of(p, "find")};
    struct flm_listing *plain = flm_listing_new(&subject, NULL);
    subject.before_scale = 3;
    struct flm_listing *scaled = flm_listing_new(&subject, NULL);
    assert_non_null(plain);
    assert_non_null(scaled);
    struct flm_listing_cost before = flm_listing_sum(plain, true);
    assert_true(before.self > 0 && before.total > before.self);
    assert_true(flm_listing_sum(scaled, true).self == 3 * before.self);
    assert_true(flm_listing_sum(scaled, true).total == 3 * before.total);
    assert_true(flm_listing_sum(scaled, false).total == flm_listing_sum(plain, false).total);
    flm_listing_free(plain);
    flm_listing_free(scaled);
    flm_profile_free(p);
}

static void inlined_code_is_below_its_line(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    struct flm_listing_options options = {.inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &options);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|20 15/15|24 0/14| i 4/6| 5 4/6|  i 2/2|  2 2/2|60 0/5|u 1/1");
    /* The key of a row that is open because all are closes it. */
    struct flm_listing_row row;
    flm_listing_rows(l, FLM_LISTING_SOURCE, 3, 1, &row);
    assert_true(row.can_open && row.is_open && row.function == string_of(p, "same"));
    options.open = (struct flm_listing_open){&row.key, 1};
    assert_true(flm_listing_arrange(l, NULL, &options, NULL));
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 15/15|24 0/14| i 4/6|60 0/5|u 1/1");
    flm_listing_free(l);
    /* Of the inlined function itself, too. */
    l = listing_of(p, "same", NULL, NULL);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|5 4/6| i 2/2");
    flm_listing_free(l);
    flm_profile_free(p);
}

static void functions_of_a_file_follow_each_other(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    const struct flm_listing_subject subject = {
        .profile = p, .before = {FLM_NONE}, .file = string_of(p, "app.c")};
    struct flm_listing_options options = {.whole = {false}};
    struct flm_listing *l = flm_listing_new(&subject, NULL);
    assert_true(flm_listing_arrange(l, NULL, &options, NULL));
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE),
                        "f|n|2 2/2|n|5 4/6|n|9 0/30|n|20 15/15|24 0/14|60 0/5|u 1/1|u 8/8");
    assert_true(flm_listing_sum(l, false).self == 30 && flm_listing_sum(l, false).total == 30);
    flm_listing_free(l);
    flm_profile_free(p);
}

/* ---- Machine code ---------------------------------------------------------------------------- */

/* Instructions of 4 bytes from 100 on; "jump 104" among them. */
static struct flm_code_store *code_of(const char *const *text, size_t count)
{
    struct flm_code_store *store = store_of(70);
    struct flm_code_instruction *at = calloc(count, sizeof *at);
    const struct flm_bytes files[] = {flm_bytes_of("app.c")};
    const struct flm_code_inlined inlined[] = {
        {.function = flm_bytes_of("same"), .caller = FLM_CODE_NONE, .file = 0, .line = 24}};
    assert_non_null(at);
    for (size_t i = 0; i < count; i++) {
        at[i] = (struct flm_code_instruction){.address = 0x100 + 4 * i,
                                              .size = 4,
                                              .text = flm_bytes_of(text[i]),
                                              .file = 0,
                                              .line = i < 4 ? 20 : 24,
                                              .inlined = FLM_CODE_NONE};
        if (i == 4) {
            at[i].inlined = 0;
            at[i].line = 2;
        }
        if (text[i][0] == 'j') {
            at[i].kind =
                strncmp(text[i], "jump", 4) == 0 ? FLM_INSTRUCTION_JUMP : FLM_INSTRUCTION_BRANCH;
            at[i].has_place = at[i].leads = true;
            at[i].place = strtoul(strchr(text[i], ' '), NULL, 16);
        }
    }
    const struct flm_code_function function = {.name = flm_bytes_of("find"),
                                               .machine = flm_bytes_of("x86-64"),
                                               .instructions = at,
                                               .instruction_count = count,
                                               .files = files,
                                               .file_count = 1,
                                               .inlined = inlined,
                                               .inlined_count = 1};
    assert_true(flm_code_store_add_function(store, &function, NULL));
    free(at);
    return store;
}

static void instructions_have_the_costs_of_their_addresses(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 118", "cmp", "inc", "ret"};
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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
    add(b, "find:20@100", 0, 4);
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
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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
    struct flm_profile *p = example();
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

/* A row of a file with 100,000 lines is found as soon as one of ten. */
static void long_files_are_rows_too(void **state)
{
    (void)state;
    struct flm_profile *p = example();
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

/* ---- Any profile ----------------------------------------------------------------------------- */

static double line_total(const struct flm_line_costs *costs, const struct flm_function *f,
                         const struct flm_listing_row *row, double *self)
{
    for (size_t i = 0; i < costs->count; i++) {
        const struct flm_line_cost *line = &costs->line[i];
        if (line->function == f->name && line->module == f->module && line->file == row->file &&
            line->line == row->line) {
            *self = line->self;
            return line->total;
        }
    }
    *self = 0;
    return 0;
}

/* Inlined deeper than rows are nested: what is there is part of the deepest row, and its addresses
 * are those of the machine code. */
static void what_is_inlined_too_deep_is_part_of_what_has_it(void **state)
{
    (void)state;
    enum { LEVELS = 300 };
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_text stack = {0};
    flm_text_puts(&stack, "main:9;find:20@100");
    for (int i = 1; i <= LEVELS; i++) {
        flm_text_format(&stack, ";~in%d:%d@100", i, i);
        flm_text_putc(&stack, 0);
        add(b, stack.at, 1, 2);
        stack.size--;
    }
    flm_text_clear(&stack);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &all);
    static struct flm_listing_row rows[1000];
    uint32_t count = flm_listing_rows(l, FLM_LISTING_SOURCE, 0, 1000, rows);
    double self = 0, before = 0, headings = 0, at_addresses = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_line = rows[i].kind == FLM_LISTING_LINE;
        self += is_line ? rows[i].cost.self : 0;
        before += is_line ? rows[i].before.self : 0;
        headings += rows[i].kind == FLM_LISTING_INLINED ? rows[i].cost.self : 0;
    }
    assert_true(self == LEVELS && before == 2 * LEVELS && headings == LEVELS);
    count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 1000, rows);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].kind == FLM_LISTING_INSTRUCTION || rows[i].kind == FLM_LISTING_UNKNOWN)
            at_addresses += rows[i].cost.self;
    assert_true(at_addresses == LEVELS);
    flm_listing_free(l);
    flm_profile_free(p);
}

/* Rows add up to their function, and are what line_costs.h says. */
/* The rows of a profile whose locations are frames are those of the one that it was made of. */
static void assert_as_split(const struct flm_listing_subject *subject, enum flm_listing_side side)
{
    static struct flm_listing_row rows[2][5000];
    const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
    struct flm_profile *split = flm_profile_split(subject->profile, NULL);
    struct flm_listing_subject of[2] = {*subject, *subject};
    uint32_t count[2];
    assert_non_null(split);
    of[1].profile = split;
    for (int i = 0; i < 2; i++) {
        struct flm_listing *l = flm_listing_new(&of[i], NULL);
        assert_true(l && flm_listing_arrange(l, NULL, &all, NULL));
        count[i] = flm_listing_rows(l, side, 0, 5000, rows[i]);
        flm_listing_free(l);
    }
    assert_int_equal(count[0], count[1]);
    for (uint32_t i = 0; i < count[0]; i++) {
        const struct flm_listing_row *a = &rows[0][i], *b = &rows[1][i];
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->line, b->line);
        assert_int_equal(a->address, b->address);
        assert_true(a->cost.self == b->cost.self && a->cost.total == b->cost.total);
    }
    flm_profile_free(split);
}

/* What is inlined into something that the function calls is not its own. */
static void what_is_inlined_elsewhere_is_not_here(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    add(b, "find:20@100;other:1@300;~same:5@300", 3, 0);
    add(b, "find:20@100;~same:5@100", 4, 0);
    add(b, "find:20@100;other:1@300;~find:20@300", 5, 0);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    const struct flm_listing_options open = {.whole = {true, true}, .inlined = true};
    struct flm_listing *l = listing_of(p, "find", NULL, &open);
    assert_string_equal(rows_of(l, FLM_LISTING_SOURCE), "f|20 5/12| i 4/4| 5 4/4");
    flm_listing_free(l);
    flm_profile_free(p);
}

static void rows_add_up_to_their_function(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 40; round++) {
        struct flm_profile *p = random_profile(&random, &random_full);
        const struct flm_metric metric = {(uint32_t)round % p->sizes.metric_count};
        struct flm_line_costs costs;
        struct flm_functions functions;
        assert_true(
            flm_line_costs_init(&costs, p, metric, (struct flm_metric){FLM_NONE}, NULL, NULL));
        assert_true(flm_functions_init(&functions, p, NULL));
        assert_true(flm_functions_measure(&functions, p, metric, NULL));
        for (uint32_t i = 1; i < functions.count; i++) {
            const struct flm_function *f = &functions.function[i];
            const struct flm_listing_subject subject = {.profile = p,
                                                        .metric = metric,
                                                        .before = {FLM_NONE},
                                                        .function = f->name,
                                                        .module = f->module};
            const struct flm_listing_options all = {.whole = {true, true}, .inlined = true};
            struct flm_listing *l = flm_listing_new(&subject, NULL);
            static struct flm_listing_row rows[5000];
            assert_true(l && flm_listing_arrange(l, NULL, &all, NULL));
            uint32_t count = flm_listing_rows(l, FLM_LISTING_SOURCE, 0, 5000, rows);
            double sum = 0, at_addresses = 0;
            for (uint32_t k = 0; k < count; k++) {
                double self;
                if (!rows[k].has_cost || rows[k].depth > 0)
                    continue;
                sum += rows[k].cost.self;
                assert_true(line_total(&costs, f, &rows[k], &self) == rows[k].cost.total);
                assert_true(self == rows[k].cost.self);
            }
            assert_true(sum == flm_listing_sum(l, false).self);
            double all_of_name = 0;
            for (uint32_t k = 1; k < functions.count; k++)
                if (functions.function[k].name == f->name &&
                    functions.function[k].module == f->module)
                    all_of_name += functions.function[k].self;
            assert_true(sum == all_of_name);
            count = flm_listing_rows(l, FLM_LISTING_ASSEMBLY, 0, 5000, rows);
            for (uint32_t k = 0; k < count; k++)
                at_addresses += rows[k].kind == FLM_LISTING_SOURCE_LINE ? 0 : rows[k].cost.self;
            assert_true(at_addresses >= sum);
            flm_listing_free(l);
            if (flm_has_chains(p)) {
                assert_as_split(&subject, FLM_LISTING_SOURCE);
                assert_as_split(&subject, FLM_LISTING_ASSEMBLY);
            }
        }
        flm_functions_clear(&functions);
        flm_line_costs_clear(&costs);
        flm_profile_free(p);
    }
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_profile *p = context;
    const struct flm_listing_subject subject = {
        .profile = p, .before = {1}, .function = string_of(p, "find")};
    const struct flm_listing_options options = {.inlined = true};
    struct flm_listing *l = flm_listing_new(&subject, why);
    bool good = l && flm_listing_arrange(l, NULL, &options, why);
    flm_listing_free(l);
    return good;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct flm_profile *p = example();
    assert_true(assert_survives_failures(make, p) > 8);
    flm_profile_free(p);
}

struct with_code {
    struct flm_profile *p;
    struct flm_code_store *store;
};

static bool make_with_code(void *context, struct flm_error *why)
{
    struct with_code *with = context;
    const struct flm_listing_subject subject = {
        .profile = with->p, .before = {FLM_NONE}, .function = string_of(with->p, "find")};
    const struct flm_listing_options options = {.inlined = true};
    struct flm_listing *l = flm_listing_new(&subject, why);
    bool good = l && flm_listing_arrange(l, with->store, &options, why);
    flm_listing_free(l);
    return good;
}

static void memory_may_run_out_with_code(void **state)
{
    (void)state;
    static const char *const text[] = {"mov", "test", "add", "je 104", "cmp", "jump 100", "ret"};
    struct with_code with = {example(), code_of(text, 7)};
    assert_true(assert_survives_failures(make_with_code, &with) > 20);
    flm_code_store_free(with.store);
    flm_profile_free(with.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_text_there_are_the_lines_with_a_cost),
        cmocka_unit_test(cold_lines_are_folded_with_some_around),
        cmocka_unit_test(before_may_be_multiplied),
        cmocka_unit_test(inlined_code_is_below_its_line),
        cmocka_unit_test(functions_of_a_file_follow_each_other),
        cmocka_unit_test(instructions_have_the_costs_of_their_addresses),
        cmocka_unit_test(costs_of_another_build_are_at_no_instruction),
        cmocka_unit_test(a_function_may_be_that_of_one_file),
        cmocka_unit_test(lines_that_jump_are_marked),
        cmocka_unit_test(a_line_leads_to_its_hottest_instruction),
        cmocka_unit_test(short_jumps_are_next_to_the_code),
        cmocka_unit_test(cold_blocks_are_folded),
        cmocka_unit_test(lanes_are_bounded),
        cmocka_unit_test(long_files_are_rows_too),
        cmocka_unit_test(what_is_inlined_too_deep_is_part_of_what_has_it),
        cmocka_unit_test(what_is_inlined_elsewhere_is_not_here),
        cmocka_unit_test(rows_add_up_to_their_function),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(memory_may_run_out_with_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
