#include "format/perf/lines.h"

#include "profile/internal.h"
#include "support/core/failures.h"
#include "support/profile/perf_reading.h"

struct fixture {
    struct flm_builder *builder;
    struct flm_perf_lines lines;
};

static struct fixture start(void)
{
    struct fixture f = {.builder = flm_builder_new(NULL)};
    assert_non_null(f.builder);
    f.builder->locations = FLM_LOCATIONS_AS_LINES;
    assert_true(flm_perf_lines_init(&f.lines, f.builder));
    return f;
}

static void stop(struct fixture *f)
{
    flm_perf_lines_clear(&f->lines);
    flm_builder_free(f->builder);
}

static uint32_t find(struct fixture *f, const char *line)
{
    return flm_perf_lines_find(&f->lines, flm_bytes_of(line), FLM_PERF_LINE_FRAME);
}

static uint32_t find_place(struct fixture *f, const char *line)
{
    return flm_perf_lines_find(&f->lines, flm_bytes_of(line), FLM_PERF_LINE_LOCATION);
}

static void lines_are_known_without_address_and_offset(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t line = find(&f, "\t            2777 math_loop+0x87 (/bin/work)\n");
    assert_int_not_equal(line, 0);
    assert_int_equal(find(&f, "\t    7f0000002790 math_loop+0x1234 (/bin/work)\n"), line);
    assert_int_equal(find(&f, "2 math_loop+0x0 (/bin/work)\n"), line);

    static const char *const others[] = {
        "\t            2777 math_loop (/bin/work)\n",
        "\t            2777 math_loop+0x87 (/bin/other)\n",
        "\t            2777 math_loops+0x87 (/bin/work)\n",
        "\t            2777 math_loop+0x87 (/bin/work)\r\n",
        "\tffff800000002777 math_loop+0x87 (/bin/work)\n",
        "\t            2777 math_loop+0x87\n",
        "\t            2777\n",
        "\t            2778\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint32_t other = find(&f, others[i]);
        assert_int_equal(other, line + 1 + i);
        assert_int_equal(find(&f, others[i]), other);
    }
    stop(&f);
}

static void lines_that_are_not_frames_have_no_number(void **state)
{
    (void)state;
    struct fixture f = start();
    assert_int_equal(find(&f, "\tzz bad (/x)\n"), 0);
    assert_int_equal(find(&f, "\t10 cut (/x\n"), 0);
    assert_int_equal(f.lines.list.count, 1);
    assert_false(flm_builder_failed(f.builder));
    /* Nor when only the address is wrong, and the rest is known. */
    assert_int_not_equal(find(&f, "\t10 main (/x)\n"), 0);
    assert_int_equal(find(&f, "\tzz main (/x)\n"), 0);
    assert_int_equal(find(&f, "\tmain (/x)\n"), 0);
    assert_int_equal(find(&f, "\t12345678123456781 main (/x)\n"), 0);
    assert_int_equal(find(&f, "\t10\tmain (/x)\n"), 0);
    stop(&f);
}

static void unknown_locations_are_one(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t unknown = find_place(&f, "  libc.so[27b25]\n");
    assert_int_equal(find_place(&f, "  libc.so[27b26]\n"), unknown);
    uint32_t inlined = find_place(&f, "  libc.so[27b26] (inlined)\n");
    assert_int_not_equal(inlined, unknown);
    assert_int_not_equal(find_place(&f, "  a.c:1\n"), find_place(&f, "  a.c:2\n"));
    assert_int_not_equal(find_place(&f, "10 f (/x)\n"), find(&f, "10 f (/x)\n"));
    stop(&f);
}

static size_t expected_size(struct fixture *f, uint32_t before, uint32_t line, const char *text)
{
    size_t size = 0;
    uint32_t next = flm_perf_lines_expect(&f->lines, before, text, text + strlen(text), &size);
    if (next == 0)
        return 0;
    assert_int_equal(next, line);
    return size;
}

static void a_line_is_expected_after_the_one_it_followed(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t leaf = find(&f, "\t            1000 leaf+0x1 (/bin/work)\n");
    static const char text[] = "\t            2777 math_loop+0x87 (/bin/work)\n";
    uint32_t line = find(&f, text);
    assert_int_equal(expected_size(&f, leaf, line, text), 0);
    flm_perf_lines_follow(&f.lines, leaf, line);
    assert_int_equal(expected_size(&f, leaf, line, text), sizeof text - 1);
    /* With another address and offset; the following text does not matter. */
    static const char same[] = "\t    7f0000002777 math_loop+0xabcd (/bin/work)\n";
    assert_int_equal(
        expected_size(&f, leaf, line, "\t    7f0000002777 math_loop+0xabcd (/bin/work)\n\tmore"),
        sizeof same - 1);
    static const char *const others[] = {
        "",
        "\t            2777 math_loop+0x87 (/bin/work)",
        "\t            2777 math_loop+0x87 (/bin/worm)\n",
        "\t            2777 math_loop (/bin/work)\n",
        "\t            2777 math_loop+0x (/bin/work)\n",
        "\t            2777 math_loop+0x12345678123456789 (/bin/work)\n",
        "\t            277z math_loop+0x87 (/bin/work)\n",
        "\t          2 777 math_loop+0x87 (/bin/work)\n",
        "\t                 math_loop+0x87 (/bin/work)\n",
        "\tffff800000002777 math_loop+0x87 (/bin/work)\n",
        "            2777 math_loop+0x87 (/bin/work)\n",
        "\t            2777 math",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(expected_size(&f, leaf, line, others[i]), 0);
    stop(&f);
}

static void a_line_without_an_end_is_never_expected(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t leaf = find(&f, "\t            1000 leaf (/x)\n");
    uint32_t line = find(&f, "\t            2000 root (/x)");
    flm_perf_lines_follow(&f.lines, leaf, line);
    assert_int_equal(expected_size(&f, leaf, line, "\t            2000 root (/x)"), 0);
    assert_int_equal(expected_size(&f, leaf, line, "\t            2000 root (/x)\n"), 0);
    stop(&f);
}

/* The functions and modules of a stack of lines, the outermost first. */
static void assert_stack(struct fixture *f, const uint32_t *stack, size_t count, size_t known,
                         const char *expected)
{
    struct flm_perf_frames frames = {0};
    struct flm_text text = {0};
    assert_true(flm_perf_lines_frames(&f->lines, stack, count, known, &frames));
    assert_int_equal(flm_perf_lines_count(&f->lines, stack, count), frames.count);
    for (size_t i = 0; i < frames.count; i++) {
        const struct flm_frame_record *record = &f->builder->interner.frames[frames.at[i].index];
        struct flm_bytes name = flm_interner_text(&f->builder->interner, record->function);
        struct flm_bytes module = flm_interner_text(&f->builder->interner, record->module);
        flm_text_format(&text, "%.*s(%.*s):%u ", (int)name.size, name.at, (int)module.size,
                        module.at, record->line);
    }
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    free(frames.at);
}

static void frames_depend_on_the_lines_around(void **state)
{
    (void)state;
    const uint32_t same = FLM_PERF_SAME_ADDRESS;
    struct fixture f = start();
    uint32_t in = find(&f, "\t 10 in (inlined)\n"), x = find(&f, "\t 10 f (/x)\n");
    uint32_t y = find(&f, "\t 10 f (/y)\n"), main_line = find(&f, "\t 20 main (/w)\n");
    uint32_t place = find_place(&f, "  a.c:7\n"), inlined = find_place(&f, "  b.c:9 (inlined)\n");

    uint32_t in_x[] = {in, x | same, main_line}, in_y[] = {in, y | same, main_line};
    uint32_t apart[] = {in, x, main_line}, nested[] = {in, in | same, x | same, main_line};
    assert_stack(&f, in_x, 3, 0, "main(/w):0 f(/x):0 in(/x):0 ");
    assert_stack(&f, in_y, 3, 0, "main(/w):0 f(/y):0 in(/y):0 ");
    assert_stack(&f, apart, 3, 0, "main(/w):0 f(/x):0 in():0 ");
    assert_stack(&f, nested, 4, 0, "main(/w):0 f(/x):0 in(/x):0 in(/x):0 ");

    /* Outer lines are read even if only the inner ones are wanted. */
    assert_stack(&f, in_x, 1, 2, "in(/x):0 ");
    assert_stack(&f, nested, 1, 3, "in(/x):0 ");
    assert_stack(&f, apart, 1, 2, "in():0 ");

    uint32_t with_places[] = {main_line, inlined, x | same, place, main_line};
    assert_stack(&f, with_places, 5, 0, "main(/w):0 f(/x):7 main(/x):9 ");
    assert_stack(&f, with_places, 1, 4, "main(/x):9 ");
    stop(&f);
}

static void one_line_may_be_several_frames(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t java = find(&f, "\t 10 LA;::a->LB;::b (/tmp/perf-1.map)\n");
    uint32_t none = find(&f, "\t 10 (nil) (/x)\n");
    uint32_t stack[] = {none, java, java};
    assert_stack(&f, stack, 3, 0,
                 "LA;::a([JIT]):0 LB;::b([JIT]):0 LA;::a([JIT]):0 LB;::b([JIT]):0 ");
    stop(&f);
}

/* A module for which frames are made again and again takes no more room each time. */
static void frames_made_again_take_the_room_of_the_old(void **state)
{
    (void)state;
    struct fixture f = start();
    uint32_t in = find(&f, "\t 10 in (inlined)\n");
    uint32_t stack[][2] = {{in, find(&f, "\t 10 f (/x)\n") | FLM_PERF_SAME_ADDRESS},
                           {in, find(&f, "\t 10 f (/y)\n") | FLM_PERF_SAME_ADDRESS}};
    for (int i = 0; i < 100; i++)
        assert_stack(&f, stack[i % 2], 2, 0, i % 2 ? "f(/y):0 in(/y):0 " : "f(/x):0 in(/x):0 ");
    assert_int_equal(f.lines.frames.count, 3);
    stop(&f);
}

static bool know_some_lines(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return false;
    struct flm_perf_lines lines = {0};
    struct flm_perf_frames frames = {0};
    bool good = flm_perf_lines_init(&lines, b);
    uint32_t stack[3] = {0};
    if (good) {
        stack[0] = flm_perf_lines_find(&lines, flm_bytes_of("10 in (inlined)\n"), 0);
        stack[1] = flm_perf_lines_find(&lines, flm_bytes_of("10 f::h0123456789abcdef (/x)\n"), 0);
        stack[2] = flm_perf_lines_find(&lines, flm_bytes_of("  a.c:7\n"), FLM_PERF_LINE_LOCATION);
        good =
            stack[0] && stack[1] && stack[2] && flm_perf_lines_frames(&lines, stack, 3, 0, &frames);
    }
    good = (good && !flm_builder_failed(b)) || flm_error_memory(why);
    free(frames.at);
    flm_perf_lines_clear(&lines);
    flm_builder_free(b);
    return good;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(know_some_lines, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_known_without_address_and_offset),
        cmocka_unit_test(lines_that_are_not_frames_have_no_number),
        cmocka_unit_test(unknown_locations_are_one),
        cmocka_unit_test(a_line_is_expected_after_the_one_it_followed),
        cmocka_unit_test(a_line_without_an_end_is_never_expected),
        cmocka_unit_test(frames_depend_on_the_lines_around),
        cmocka_unit_test(one_line_may_be_several_frames),
        cmocka_unit_test(frames_made_again_take_the_room_of_the_old),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
