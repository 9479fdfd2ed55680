#include "format/valgrind/callgrind_write.h"

#include "algebra/aggregate/line_costs.h"
#include "support/profile/format_laws.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const callgrind = &flm_format_callgrind;

static struct flm_text written(const struct flm_profile *p)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_callgrind_write(p, &(struct flm_write_options){0}, &text, &why))
        fail_msg("%s", why.text);
    assert_false(text.failed);
    return text;
}

static struct flm_profile *written_and_read(const struct flm_profile *p)
{
    struct flm_text text = written(p);
    struct flm_error why = {0};
    struct flm_bytes bytes = {text.at, text.size};
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), callgrind);
    struct flm_profile *back = read_bytes(callgrind, bytes, &(struct flm_read_options){0});
    assert_sound(back);
    assert_int_equal(back->sizes.loss_count, 0);
    flm_text_clear(&text);
    return back;
}

/* The part of the file behind its header. */
static void assert_body(const char *folded, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_text text = written(p);
    flm_text_putc(&text, 0);
    const char *body = strstr(text.at, "\n\n");
    assert_non_null(body);
    assert_string_equal(body + 1, expected);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void calls_cost_what_is_below_them(void **state)
{
    (void)state;
    assert_body("main 10\nmain;copy 5\nmain;read;copy 50\n",
                "\nob=(1) ?"
                "?"
                "?\nfl=(1) ?"
                "?"
                "?\nfn=(1) copy\n0 55\n"
                "\nob=(1)\nfl=(1)\nfn=(2) main\n0 10\n"
                "cfn=(1)\ncalls=1 0\n0 5\ncfn=(3) read\ncalls=1 0\n0 50\n"
                "\nob=(1)\nfl=(1)\nfn=(3)\ncfn=(1)\ncalls=1 0\n0 50\n"
                "\ntotals: 65\n");
}

/* The costs of the calls of a function sum to its total. */
static void recursion_counts_once(void **state)
{
    (void)state;
    assert_body("m;a 1\nm;a;a 2\nm;a;b;a 4\n",
                "\nob=(1) ?"
                "?"
                "?\nfl=(1) ?"
                "?"
                "?\nfn=(1) a\n0 7\n"
                "cfn=(1)\ncalls=1 0\n0 0\ncfn=(2) b\ncalls=1 0\n0 4\n"
                "\nob=(1)\nfl=(1)\nfn=(2)\ncfn=(1)\ncalls=1 0\n0 0\n"
                "\nob=(1)\nfl=(1)\nfn=(3) m\ncfn=(1)\ncalls=1 0\n0 7\n"
                "\ntotals: 7\n");
}

/* They are the cost of no function, and callgrind_annotate compares with the totals. */
static void samples_without_a_stack_are_not_in_the_totals(void **state)
{
    (void)state;
    assert_body(" 5\na 1\n", "\nob=(1) ?"
                             "?"
                             "?\nfl=(1) ?"
                             "?"
                             "?\nfn=(1) a\n0 1\n"
                             "\ntotals: 1\n");
}

static void what_begins_stacks_and_is_called_has_a_caller(void **state)
{
    (void)state;
    static const char folded[] = "a 1\na;b 2\nb 4\n";
    assert_body(folded, "\nob=(1) ?"
                        "?"
                        "?\nfl=(1) ?"
                        "?"
                        "?\nfn=(1) a\n0 1\n"
                        "cfn=(2) b\ncalls=1 0\n0 2\n"
                        "\nob=(1)\nfl=(1)\nfn=(2)\n0 6\n"
                        "\nob=(2) ?"
                        "?"
                        "?\nfl=(2) (root)\nfn=(3) (root)\n"
                        "cob=(1)\ncfi=(1)\ncfn=(2)\ncalls=1 0\n0 4\n"
                        "\ntotals: 7\n");
    struct flm_profile *p = profile_of(folded), *back = written_and_read(p);
    assert_folded(back, folded);
    flm_profile_free(back);
    flm_profile_free(p);
    p = profile_of("(root);a 1\na 2\n"); /* not ours */
    back = written_and_read(p);
    assert_folded(back, "(root);a 1\na 2\n");
    flm_profile_free(back);
    flm_profile_free(p);
}

static struct flm_frame_record frame_of(struct flm_builder *b, const char *function,
                                        const char *module, const char *file, uint32_t line)
{
    return (struct flm_frame_record){.function =
                                         flm_builder_string(b, function, strlen(function)).index,
                                     .module = flm_builder_string(b, module, strlen(module)).index,
                                     .file = flm_builder_string(b, file, strlen(file)).index,
                                     .line = line};
}

static void metrics_modules_files_and_lines_come_back(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu time: user", "s");
    struct flm_metric bytes = flm_builder_metric(b, "alloc", "bytes");
    struct flm_metric wide = flm_builder_metric(b, "frobs=(2)", "widgets");
    struct flm_frame_record records[] = {frame_of(b, "main\n", "app", "a.c", 10),
                                         frame_of(b, "main\n", "app", "a.c", 12),
                                         frame_of(b, "(1) f", "", "b.c", 0)};
    struct flm_node node = flm_builder_root(b);
    for (size_t i = 0; i < 3; i++) {
        node = flm_builder_child(b, node, flm_builder_frame(b, &records[i]));
        flm_builder_add(b, node, cpu, 0.25);
        flm_builder_add(b, node, wide, 0.5);
    }
    flm_builder_add(b, node, bytes, 9007199254740992.0 * 512);
    flm_builder_note(b, "command", "app\n1", 5);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_profile *back = written_and_read(p);
    assert_int_equal(back->sizes.metric_count, 3); /* no calls, which nobody counted */
    assert_metric(back, 0, "cpu time: user", "ns", 750000000, 2);
    assert_metric(back, 1, "alloc", "bytes", 9007199254740992.0 * 512, 1);
    assert_metric(back, 2, "frobs=(2)", "widgets", 2, 2); /* of 1.5 */
    assert_note(back, "command", "app 1");
    assert_non_null(flm_profile_note_named(back, FLM_NOTE_NOT_SHOWN "exact stacks").at);
    const struct flm_frame_record *frame = frame_named(back, "(1) f");
    assert_true(is_string(back, frame->file, "b.c") && is_string(back, frame->module, ""));
    frame = frame_named(back, "main");
    assert_true(is_string(back, frame->file, "a.c") && is_string(back, frame->module, "app"));
    flm_profile_free(back);

    struct flm_text text = written(p);
    back = read_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                      &(struct flm_read_options){.locations = true, .lines = true});
    bool has_line[13] = {false};
    for (uint32_t i = 1; i < back->sizes.frame_count; i++)
        has_line[back->frames[i].line] = true;
    assert_true(has_line[10] && has_line[12] && has_line[0]);
    flm_text_clear(&text);
    flm_profile_free(back);
    flm_profile_free(p);
}

static void assert_line(const struct flm_line_costs *costs, const struct flm_profile *p,
                        const char *file, uint32_t line, double self)
{
    for (size_t i = 0; i < costs->count; i++)
        if (is_string(p, costs->line[i].file, file) && costs->line[i].line == line) {
            assert_true(costs->line[i].self == self);
            return;
        }
    fail_msg("%s:%u has no cost", file, line);
}

/* main calls lex from line 9; lex has costs at two of its lines, and at one of a header. */
static void lines_of_locations_come_back(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    uint32_t file = flm_builder_string(b, "a.c", 3).index;
    struct flm_frame_record main = {.function = flm_builder_string(b, "main", 4).index,
                                    .file = file};
    struct flm_frame_record lex = {.function = flm_builder_string(b, "lex", 3).index, .file = file};
    const struct flm_location places[] = {
        {.line = 4, .address = 16},
        {.line = 4, .address = 20},
        {.line = 5, .address = 24},
        {.line = 7, .file = flm_builder_string(b, "x.h", 3).index}};
    for (int i = 0; i < 4; i++) {
        struct flm_frame stack[] = {flm_builder_located(b, &main, (struct flm_location){.line = 9}),
                                    flm_builder_located(b, &lex, places[i])};
        flm_builder_add(b, flm_builder_stack(b, stack, 2), cpu, 1 << i);
    }
    struct flm_profile *p = flm_builder_finish(b, NULL);
    struct flm_text text = written(p);
    struct flm_profile *back = read_bytes(callgrind, (struct flm_bytes){text.at, text.size},
                                          &(struct flm_read_options){.locations = true});
    assert_sound(back);
    assert_int_equal(back->sizes.node_count, p->sizes.node_count);
    struct flm_line_costs costs;
    assert_true(flm_line_costs_init(&costs, back, (struct flm_metric){0},
                                    (struct flm_metric){FLM_NONE}, NULL, NULL));
    assert_line(&costs, back, "a.c", 4, 1 + 2);
    assert_line(&costs, back, "a.c", 5, 4);
    assert_line(&costs, back, "x.h", 7, 8);
    assert_line(&costs, back, "a.c", 9, 0);
    flm_line_costs_clear(&costs);
    flm_text_clear(&text);
    flm_profile_free(back);
    flm_profile_free(p);
}

/* Its stacks may be others, its functions are the same. */
static void files_of_callgrind_come_back(void **state)
{
    (void)state;
    static const char *const files[] = {"callgrind/threads.out", "callgrind/tiny.out",
                                        "callgrind/part.out", "callgrind/cachegrind.out",
                                        "callgrind/every.out"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct flm_profile *p = profile_of_file(callgrind, files[i]);
        struct flm_profile *back = written_and_read(p), *again = written_and_read(back);
        assert_int_equal(back->sizes.metric_count, p->sizes.metric_count);
        for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
            struct flm_metric metric = {m};
            if (!is_string(p, p->metrics[m].name, "calls"))
                assert_true(flm_profile_total(back, metric) == flm_profile_total(p, metric));
            assert_true(flm_profile_total(back, metric) == flm_profile_total(again, metric));
        }
        assert_int_equal(back->sizes.frame_count, again->sizes.frame_count);
        flm_profile_free(again);
        flm_profile_free(back);
        flm_profile_free(p);
    }
}

/* The metric "calls" is the number of each call, but for those of functions that begin stacks. */
static void counted_calls_come_back(void **state)
{
    (void)state;
    struct flm_bytes bytes = flm_bytes_of("events: Ir\nfn=main\n1 5\ncfn=f\ncalls=3 1\n1 20\n"
                                          "cfn=g\ncalls=70 1\n1 10\n\nfn=f\n1 20\n\nfn=g\n1 10\n");
    struct flm_profile *p = read_bytes(callgrind, bytes, &(struct flm_read_options){0});
    struct flm_profile *back = written_and_read(p);
    assert_metric(back, 0, "Ir", "count", 35, 3);
    assert_metric(back, 1, "calls", "count", 73, 2);
    flm_profile_free(back);
    flm_profile_free(p);
}

static void empty_profiles_come_back(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(""), *back = written_and_read(p);
    assert_folded(back, "");
    flm_profile_free(back);
    flm_profile_free(p);
    p = flm_builder_finish(flm_builder_new(NULL), NULL);
    back = written_and_read(p);
    assert_int_equal(back->sizes.node_count, 1);
    flm_profile_free(back);
    flm_profile_free(p);
}

static void assert_not_written(struct flm_profile *p, const char *reason)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    assert_false(flm_callgrind_write(p, &(struct flm_write_options){0}, &text, &why));
    assert_string_equal(why.text, reason);
    assert_int_equal(text.size, 0);
    flm_text_clear(&text);
    flm_profile_free(p);
}

static void what_no_reader_takes_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_frame_record record = frame_of(b, "f", "", "", 0);
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, flm_builder_metric(b, "x", "count"), i == 0 ? -1 : 0x1p63);
        assert_not_written(
            flm_builder_finish(b, NULL),
            i == 0 ? "callgrind files have no negative costs: write .flm or folded stacks"
                   : "callgrind files have no costs of 2^63 and more: write .flm or "
                     "folded stacks");
    }
    struct flm_builder *b = flm_builder_new(NULL);
    char name[] = "aa";
    for (int i = 0; i <= FLM_CALLGRIND_EVENTS; i++) {
        name[0] = (char)('a' + i / 26);
        name[1] = (char)('a' + i % 26);
        flm_builder_metric(b, name, "count");
    }
    assert_not_written(
        flm_builder_finish(b, NULL),
        "callgrind files of more than 256 metrics are not read by any program: write "
        ".flm");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(callgrind, "callgrind/part.out");
    assert_true(assert_writing_survives_failures(callgrind, p) > 10);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_cost_what_is_below_them),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(samples_without_a_stack_are_not_in_the_totals),
        cmocka_unit_test(what_begins_stacks_and_is_called_has_a_caller),
        cmocka_unit_test(metrics_modules_files_and_lines_come_back),
        cmocka_unit_test(lines_of_locations_come_back),
        cmocka_unit_test(files_of_callgrind_come_back),
        cmocka_unit_test(counted_calls_come_back),
        cmocka_unit_test(empty_profiles_come_back),
        cmocka_unit_test(what_no_reader_takes_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
