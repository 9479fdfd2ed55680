#include "algebra/aggregate/call_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

enum { ALL_LEVELS = 1000000 };

static unsigned char *marks_of(const struct flm_profile *p, const char *name)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; name && i < p->sizes.frame_count; i++)
        marks[i] = flm_bytes_are(flm_frame_function(p, i), name);
    return marks;
}

struct made {
    struct flm_functions functions;
    struct flm_calls calls;
};

static struct made make(const struct flm_profile *p, const struct flm_calls_options *options)
{
    struct made made;
    assert_true(flm_functions_init(&made.functions, p, NULL));
    assert_true(flm_calls_init(&made.calls, p, &made.functions, options, NULL));
    return made;
}

static void clear(struct made *made)
{
    flm_functions_clear(&made->functions);
    flm_calls_clear(&made->calls);
}

/* A line for each row: a dot for each level, the name, total and self, and what is hidden. */
static void assert_calls(const char *folded, const struct flm_calls_options *given,
                         const char *function, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    unsigned char *marks = marks_of(p, function);
    struct flm_calls_options options = *given;
    options.marks = marks;
    options.levels = options.levels ? options.levels : ALL_LEVELS;
    struct made made = make(p, &options);
    char text[2000];
    size_t size = 0;
    text[0] = 0;
    for (size_t i = 0; i < made.calls.count; i++) {
        const struct flm_call *call = &made.calls.call[i];
        struct flm_bytes name = flm_string_bytes(p, made.functions.function[call->function].name);
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%.*s%.*s %g %g", (int)call->level,
                             "........", (int)name.size, name.at, call->total, call->self);
        if (call->hidden_count > 0)
            size += (size_t)snprintf(text + size, sizeof text - size, " (%u more: %g)",
                                     call->hidden_count, call->hidden);
        size += (size_t)snprintf(text + size, sizeof text - size, "\n");
    }
    assert_string_equal(text, expected);
    clear(&made);
    free(marks);
    flm_profile_free(p);
}

static const char program[] = "main;parse;lex 6\n"
                              "main;parse;lex;alloc 2\n"
                              "main;parse 1\n"
                              "main;print;alloc 4\n"
                              "main;print 1\n"
                              "init;alloc 1\n";

static void from_the_root_it_is_the_tree_with_the_largest_first(void **state)
{
    (void)state;
    assert_calls(program, &(struct flm_calls_options){.view = FLM_CALLS_FROM_ROOT}, NULL,
                 "main 14 0\n"
                 ".parse 9 1\n"
                 "..lex 8 6\n"
                 "...alloc 2 2\n"
                 ".print 5 1\n"
                 "..alloc 4 4\n"
                 "init 1 0\n"
                 ".alloc 1 1\n");
}

static void callers_are_the_paths_to_the_root_laid_over_each_other(void **state)
{
    (void)state;
    assert_calls(program, &(struct flm_calls_options){.view = FLM_CALLS_CALLERS}, "alloc",
                 "alloc 7 0\n"
                 ".print 4 0\n"
                 "..main 4 4\n"
                 ".lex 2 0\n"
                 "..parse 2 0\n"
                 "...main 2 2\n"
                 ".init 1 1\n");
}

static void callees_are_the_subtrees_laid_over_each_other(void **state)
{
    (void)state;
    assert_calls("a;f;x 1\nb;f;x 2\nb;f;y 4\nf 8\n",
                 &(struct flm_calls_options){.view = FLM_CALLS_CALLEES}, "f",
                 "f 15 8\n"
                 ".y 4 4\n"
                 ".x 3 3\n");
}

static void only_outermost_occurrences_have_callers_and_callees(void **state)
{
    (void)state;
    static const char recursive[] = "a;f;g;f;h 1\na;f;f 2\n";
    assert_calls(recursive, &(struct flm_calls_options){.view = FLM_CALLS_CALLERS}, "f",
                 "f 3 0\n"
                 ".a 3 3\n");
    assert_calls(recursive, &(struct flm_calls_options){.view = FLM_CALLS_CALLEES}, "f",
                 "f 3 0\n"
                 ".f 2 2\n"
                 ".g 1 0\n"
                 "..f 1 0\n"
                 "...h 1 1\n");
}

static void what_is_below_the_cut_is_counted(void **state)
{
    (void)state;
    assert_calls(program, &(struct flm_calls_options){.view = FLM_CALLS_FROM_ROOT, .cut = 5}, NULL,
                 "main 14 0\n"
                 ".parse 9 1\n"
                 "..lex 8 6 (1 more: 2)\n"
                 ".print 5 1 (1 more: 4)\n");
}

static void what_is_too_deep_is_counted(void **state)
{
    (void)state;
    assert_calls(program, &(struct flm_calls_options){.view = FLM_CALLS_FROM_ROOT, .levels = 2},
                 NULL,
                 "main 14 0\n"
                 ".parse 9 1 (1 more: 8)\n"
                 ".print 5 1 (1 more: 4)\n"
                 "init 1 0\n"
                 ".alloc 1 1\n");
}

static void what_cancels_out_is_not_below_the_cut(void **state)
{
    (void)state;
    assert_calls("a;x 5\na;y -5\nb 1\n",
                 &(struct flm_calls_options){.view = FLM_CALLS_FROM_ROOT, .cut = 2}, NULL,
                 "a 0 0\n"
                 ".x 5 5\n"
                 ".y -5 -5\n");
}

static void stacks_without_a_value_are_not_there(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_two("a;b 1 0\na;c 0 2\nd 0 4\n");
    static const size_t rows[] = {2, 3};
    for (uint32_t metric = 0; metric < 2; metric++) {
        struct flm_calls_options options = {.metric = {metric}, .levels = ALL_LEVELS};
        struct made made = make(p, &options);
        bool is_before = flm_profile_total(p, (struct flm_metric){metric}) == 1;
        assert_int_equal(made.calls.count, rows[!is_before]);
        assert_int_equal(made.calls.hidden_count, 0);
        clear(&made);
    }
    flm_profile_free(p);
}

/* ---- The same by the plainest means ---------------------------------------------------------- */

struct path {
    uint32_t *function;
    size_t size;
    double total, self;
};

struct paths {
    struct path *path;
    size_t count, capacity;
};

/* Adds a value to the path and to all its beginnings. */
static void add_path(struct paths *paths, const uint32_t *function, size_t size, double value)
{
    for (size_t length = 1; length <= size; length++) {
        size_t i = 0;
        while (i < paths->count &&
               (paths->path[i].size != length ||
                memcmp(paths->path[i].function, function, length * sizeof *function) != 0))
            i++;
        if (i == paths->count) {
            void *grown = paths->path;
            assert_true(flm_grow(&grown, &paths->capacity, paths->count + 1, sizeof *paths->path));
            paths->path = grown;
            paths->path[paths->count++] =
                (struct path){malloc(length * sizeof *function), length, 0, 0};
            assert_non_null(paths->path[i].function);
            memcpy(paths->path[i].function, function, length * sizeof *function);
        }
        paths->path[i].total += value;
        paths->path[i].self += length == size ? value : 0;
    }
}

/* All paths of the view, node by node: what has a value adds it to its own path. */
static struct paths plain_paths(const struct flm_profile *p, const struct flm_functions *functions,
                                const struct flm_calls_options *options)
{
    struct paths paths = {0};
    uint32_t stack[128], turned[128];
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    assert_non_null(parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        double value = flm_self_column(p, options->metric.index)[i];
        size_t depth = 0, first = 0;
        for (uint32_t at = i; at != 0; at = parent[at])
            depth++;
        size_t place = depth, marked = depth;
        for (uint32_t at = i; at != 0; at = parent[at]) {
            stack[--place] = functions->of_frame[p->node_frame[at]];
            if (options->marks[p->node_frame[at]])
                marked = place;
        }
        if (options->view != FLM_CALLS_FROM_ROOT) {
            if (marked == depth || value == 0)
                continue;
            first = marked;
        }
        if (options->view == FLM_CALLS_CALLERS) {
            for (size_t k = 0; k <= marked; k++)
                turned[k] = stack[marked - k];
            add_path(&paths, turned, marked + 1, value);
        } else if (value != 0) {
            add_path(&paths, stack + first, depth - first, value);
        }
    }
    free(parent);
    return paths;
}

static void assert_agrees_with_plain_paths(const struct flm_profile *p,
                                           const struct flm_calls_options *options)
{
    struct made made = make(p, options);
    struct paths paths = plain_paths(p, &made.functions, options);
    assert_int_equal(made.calls.count, paths.count);
    uint32_t path[128];
    for (size_t i = 0; i < made.calls.count; i++) {
        const struct flm_call *call = &made.calls.call[i];
        path[call->level] = call->function;
        size_t size = call->level + 1, found = 0;
        while (found < paths.count &&
               (paths.path[found].size != size ||
                memcmp(paths.path[found].function, path, size * sizeof path[0]) != 0))
            found++;
        assert_true(found < paths.count);
        assert_true(paths.path[found].total == call->total);
        assert_true(paths.path[found].self == call->self);
    }
    assert_int_equal(made.calls.hidden_count, 0);
    for (size_t i = 0; i < paths.count; i++)
        free(paths.path[i].function);
    free(paths.path);
    clear(&made);
}

static unsigned char *random_marks(const struct flm_profile *p, uint64_t *random)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = random_below(random, 4) == 0;
    return marks;
}

static void every_view_agrees_with_plain_paths(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned i = 0; i < 150; i++) {
        struct random_shape shape = {.stacks = 1 + i / 4,
                                     .names = 2 + i % 6,
                                     .deepest = 1 + i % 12,
                                     .metrics = 1,
                                     .modules = i % 2};
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *marks = random_marks(p, &random);
        for (int view = FLM_CALLS_FROM_ROOT; view <= FLM_CALLS_CALLERS; view++) {
            struct flm_calls_options options = {
                .view = (enum flm_calls_view)view, .marks = marks, .levels = ALL_LEVELS};
            assert_agrees_with_plain_paths(p, &options);
        }
        free(marks);
        flm_profile_free(p);
    }
}

/* ---- What must be true of every tree --------------------------------------------------------- */

/* A row is its self, its shown branches and its hidden ones; siblings are numbered, the largest
 * first. */
static void assert_adds_up(const struct flm_calls *calls, double cut)
{
    double hidden = calls->hidden_top, shown = 0;
    uint32_t hidden_count = calls->hidden_top_count;
    for (size_t i = 0; i < calls->count; i++) {
        const struct flm_call *call = &calls->call[i];
        double sum = call->self + call->hidden, last = INFINITY;
        uint32_t siblings = 0;
        for (size_t j = i + 1; j < calls->count && calls->call[j].level > call->level; j++)
            if (calls->call[j].level == call->level + 1) {
                assert_int_equal(calls->call[j].sibling, siblings);
                assert_true(calls->call[j].total <= last);
                last = calls->call[j].total;
                sum += calls->call[j].total;
                siblings++;
            }
        for (size_t j = i + 1; j < calls->count && calls->call[j].level > call->level; j++)
            if (calls->call[j].level == call->level + 1)
                assert_int_equal(calls->call[j].sibling_count, siblings);
        assert_true(sum == call->total);
        assert_true(call->total >= cut);
        hidden += call->hidden;
        hidden_count += call->hidden_count;
        shown += call->level == 0 ? call->total : 0;
    }
    assert_true(shown + calls->hidden_top == calls->total);
    assert_true(hidden == calls->hidden);
    assert_int_equal(hidden_count, calls->hidden_count);
}

static void rows_add_up_whatever_is_hidden(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (unsigned i = 0; i < 200; i++) {
        struct random_shape shape = {
            .stacks = 1 + i, .names = 2 + i % 9, .deepest = 1 + i % 15, .metrics = 1};
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *marks = random_marks(p, &random);
        double total = flm_profile_total(p, (struct flm_metric){0});
        for (int view = FLM_CALLS_FROM_ROOT; view <= FLM_CALLS_CALLERS; view++) {
            struct flm_calls_options options = {.view = (enum flm_calls_view)view,
                                                .marks = marks,
                                                .cut = total * (i % 10) / 100,
                                                .levels = i % 4 ? ALL_LEVELS : 1 + i % 5};
            struct made made = make(p, &options);
            assert_adds_up(&made.calls, options.cut);
            clear(&made);
        }
        free(marks);
        flm_profile_free(p);
    }
}

static void a_hundred_thousand_nested_frames_are_no_problem(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_frame f = flm_builder_function(b, "f", 1), leaf = flm_builder_function(b, "leaf", 4);
    struct flm_node node = flm_builder_root(b);
    for (unsigned i = 0; i < 100000; i++)
        node = flm_builder_child(b, node, f);
    flm_builder_add(b, flm_builder_child(b, node, leaf), metric, 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    static const char *const names[] = {NULL, "f", "leaf"};
    for (int view = FLM_CALLS_FROM_ROOT; view <= FLM_CALLS_CALLERS; view++) {
        unsigned char *marks = marks_of(p, names[view]);
        struct flm_calls_options options = {
            .view = (enum flm_calls_view)view, .marks = marks, .levels = ALL_LEVELS};
        struct made made = make(p, &options);
        assert_int_equal(made.calls.count, 100001);
        assert_int_equal(made.calls.call[100000].level, 100000);
        clear(&made);
        options.levels = 256;
        made = make(p, &options);
        assert_int_equal(made.calls.count, 256);
        assert_int_equal(made.calls.deeper_count, 1);
        clear(&made);
        free(marks);
    }
    flm_profile_free(p);
}

static bool make_all(void *context, struct flm_error *why)
{
    unsigned char marks[8] = {0, 1, 0, 1};
    bool good = true;
    for (int view = FLM_CALLS_FROM_ROOT; good && view <= FLM_CALLS_CALLERS; view++) {
        struct flm_calls_options options = {
            .view = (enum flm_calls_view)view, .marks = marks, .levels = ALL_LEVELS};
        struct flm_functions functions;
        struct flm_calls calls;
        if (!flm_functions_init(&functions, context, why))
            return false;
        good = flm_calls_init(&calls, context, &functions, &options, why);
        if (good)
            flm_calls_clear(&calls);
        flm_functions_clear(&functions);
    }
    return good;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a;b;c;d 1\na;c 2\nb;a -3\nd 1\n");
    assert_true(assert_survives_failures(make_all, p) > 10);
    flm_profile_free(p);
}

static bool make_public(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_functions *functions = flm_functions_new(p, (struct flm_metric){0}, why);
    struct flm_calls_options options = {.size = sizeof options, .levels = 9};
    struct flm_calls *calls = functions ? flm_calls_new(p, functions, &options, why) : NULL;
    bool good = calls != NULL;
    flm_calls_free(calls);
    flm_functions_free(functions);
    return good;
}

static void programs_get_rows_of_callees_with_options_of_any_size(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\nmain;write;read 2\n");
    struct flm_functions *functions = flm_functions_new(p, (struct flm_metric){0}, NULL);
    struct flm_calls_options options = {.size = sizeof options, .levels = 1};
    struct flm_calls *calls = flm_calls_new(p, functions, &options, NULL);
    assert_non_null(calls);
    assert_int_equal(calls->count, 1);
    flm_calls_free(calls);
    options.size = offsetof(struct flm_calls_options, levels); /* an older program */
    calls = flm_calls_new(p, functions, &options, NULL);
    assert_int_equal(calls->count, 4);
    flm_calls_free(calls);
    flm_calls_free(NULL);
    flm_functions_free(functions);
    assert_true(assert_survives_failures(make_public, p) > 4);
    flm_profile_free(p);
}

static void refuse_options(const struct flm_profile *p, const struct flm_calls_options *options)
{
    struct flm_functions *functions = flm_functions_new(p, (struct flm_metric){0}, NULL);
    struct flm_error why = {0};
    assert_null(flm_calls_new(p, functions, options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_functions_free(functions);
}

static void options_of_programs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\n");
    struct flm_calls_options unset = {.levels = 9};
    refuse_options(p, &unset);
    struct flm_calls_options newer = {.size = sizeof newer + 8, .levels = 9};
    refuse_options(p, &newer);
    struct flm_calls_options no_metric = {.size = sizeof no_metric, .metric = {FLM_NONE}};
    refuse_options(p, &no_metric);
    struct flm_calls_options no_marks = {.size = sizeof no_marks, .view = FLM_CALLS_CALLERS};
    refuse_options(p, &no_marks);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_root_it_is_the_tree_with_the_largest_first),
        cmocka_unit_test(callers_are_the_paths_to_the_root_laid_over_each_other),
        cmocka_unit_test(callees_are_the_subtrees_laid_over_each_other),
        cmocka_unit_test(only_outermost_occurrences_have_callers_and_callees),
        cmocka_unit_test(what_is_below_the_cut_is_counted),
        cmocka_unit_test(what_is_too_deep_is_counted),
        cmocka_unit_test(what_cancels_out_is_not_below_the_cut),
        cmocka_unit_test(stacks_without_a_value_are_not_there),
        cmocka_unit_test(every_view_agrees_with_plain_paths),
        cmocka_unit_test(rows_add_up_whatever_is_hidden),
        cmocka_unit_test(a_hundred_thousand_nested_frames_are_no_problem),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(programs_get_rows_of_callees_with_options_of_any_size),
        cmocka_unit_test(options_of_programs_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
