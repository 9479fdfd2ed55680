#include "algebra/operation/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algebra/operation/algebra.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/model.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* ---- Marks: frames of two functions ---------------------------------------------------------- */

static const struct flm_class *class_named(const char *name)
{
    const char *other;
    for (size_t i = 0; (other = flm_class_name(i, NULL)); i++)
        if (strcmp(name, other) == 0)
            return flm_class_at(i);
    fail_msg("there is no class %s", name);
    return NULL;
}

static bool is_marked(struct model_frame frame)
{
    return frame.function == model_text("f1") || frame.function == model_text("f2");
}

static unsigned char *marks_of(const struct flm_profile *p)
{
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = is_marked(model_frame_of(p, i));
    return marks;
}

/* ---- The operations on one stack ------------------------------------------------------------- */

static void shift(struct model_stack *stack, size_t by)
{
    for (size_t i = by; i < stack->depth; i++)
        stack->frames[i - by] = stack->frames[i];
    stack->depth -= by;
}

static bool focus(struct model_stack *stack, void *context)
{
    (void)context;
    size_t outermost = 0;
    while (outermost < stack->depth && !is_marked(stack->frames[outermost]))
        outermost++;
    if (outermost == stack->depth)
        return false;
    shift(stack, outermost);
    return true;
}

static bool hide(struct model_stack *stack, void *context)
{
    (void)context;
    size_t kept = 0;
    for (size_t i = 0; i < stack->depth; i++)
        if (!is_marked(stack->frames[i]))
            stack->frames[kept++] = stack->frames[i];
    stack->depth = kept;
    return true;
}

static bool prune(struct model_stack *stack, void *context)
{
    (void)context;
    for (size_t i = 0; i < stack->depth; i++)
        if (is_marked(stack->frames[i]))
            stack->depth = i + 1;
    return true;
}

static bool truncate_stack(struct model_stack *stack, void *context)
{
    size_t most = *(size_t *)context;
    stack->depth = stack->depth < most ? stack->depth : most;
    return true;
}

static bool collapse_direct(struct model_stack *stack, void *context)
{
    (void)context;
    size_t kept = 0;
    for (size_t i = 0; i < stack->depth; i++)
        if (i == 0 || stack->frames[i].function != stack->frames[i - 1].function)
            stack->frames[kept++] = stack->frames[i];
    stack->depth = kept;
    return true;
}

/* A function that came already takes the stack back to what it was there. */
static bool collapse_any(struct model_stack *stack, void *context)
{
    (void)context;
    enum { MOST = 64 };
    struct model_frame first[MOST], made[MOST];
    size_t first_count = 0, made_at[MOST], count = 0;
    assert_true(stack->depth <= MOST);
    struct model_frame paths[MOST][MOST];
    for (size_t i = 0; i < stack->depth; i++) {
        size_t known = 0;
        while (known < first_count && first[known].function != stack->frames[i].function)
            known++;
        if (known < first_count) {
            count = made_at[known];
            for (size_t k = 0; k < count; k++)
                made[k] = paths[known][k];
        } else {
            made[count++] = stack->frames[i];
            first[first_count] = stack->frames[i];
            made_at[first_count] = count;
            for (size_t k = 0; k < count; k++)
                paths[first_count][k] = made[k];
            first_count++;
        }
    }
    stack->depth = count;
    for (size_t k = 0; k < count; k++)
        stack->frames[k] = made[k];
    return true;
}

/* ---- The library does the same --------------------------------------------------------------- */

typedef struct flm_profile *(*make)(const struct flm_profile *p, const unsigned char *marks,
                                    struct flm_error *why);

static struct flm_profile *truncate_to_3(const struct flm_profile *p, const unsigned char *marks,
                                         struct flm_error *why)
{
    (void)marks;
    return flm_truncate(p, 3, why);
}

static struct flm_profile *collapse_directly(const struct flm_profile *p,
                                             const unsigned char *marks, struct flm_error *why)
{
    (void)marks;
    return flm_collapse(p, FLM_RECURSION_DIRECT, NULL, why);
}

static struct flm_profile *collapse_wherever(const struct flm_profile *p,
                                             const unsigned char *marks, struct flm_error *why)
{
    (void)marks;
    return flm_collapse(p, FLM_RECURSION_ANY, NULL, why);
}

static void agrees(make operation, model_change change, void *context)
{
    uint64_t random = 41;
    struct random_shape shape = random_full;
    for (int round = 0; round < 150; round++) {
        struct flm_error why = {0};
        shape.stacks = random_below(&random, 60);
        shape.names = 3 + random_below(&random, 6);
        shape.negative = round % 3 == 1;
        shape.samples = round % 2 ? RANDOM_SAMPLES_ALL : RANDOM_SAMPLES_SOME;
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *marks = marks_of(p);
        struct flm_profile *q = operation(p, marks, &why);
        if (!q)
            fail_msg("%s", why.text);
        assert_sound(q);
        struct model got = model_of(q), expected = model_of(p);
        model_apply(&expected, change, context);
        assert_models_equal(&got, &expected);
        got = model_of_samples(q);
        expected = model_of_samples(p);
        model_apply(&expected, change, context);
        assert_models_equal(&got, &expected);
        free(marks);
        flm_profile_free(p);
        flm_profile_free(q);
    }
}

static void focus_begins_stacks_at_the_outermost_marked_frame(void **state)
{
    (void)state;
    agrees(flm_focus, focus, NULL);
}

static void hide_leaves_marked_frames_out(void **state)
{
    (void)state;
    agrees(flm_hide, hide, NULL);
}

static void prune_ends_stacks_at_the_outermost_marked_frame(void **state)
{
    (void)state;
    agrees(flm_prune, prune, NULL);
}

static void truncate_ends_stacks_at_a_depth(void **state)
{
    (void)state;
    size_t most = 3;
    agrees(truncate_to_3, truncate_stack, &most);
}

static void collapse_makes_functions_that_call_themselves_one_frame(void **state)
{
    (void)state;
    agrees(collapse_directly, collapse_direct, NULL);
}

static void collapse_of_any_recursion_goes_on_at_the_outermost_occurrence(void **state)
{
    (void)state;
    agrees(collapse_wherever, collapse_any, NULL);
}

/* ---- By hand --------------------------------------------------------------------------------- */

static void check(make operation, const char *folded, const char *marked, const char *expected)
{
    struct flm_profile *p = profile_of(folded);
    unsigned char *marks = calloc(p->sizes.frame_count, 1);
    assert_non_null(marks);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        marks[i] = flm_bytes_are(flm_frame_function(p, i), marked);
    struct flm_profile *q = operation(p, marks, NULL);
    assert_folded(q, expected);
    free(marks);
    flm_profile_free(p);
    flm_profile_free(q);
}

static void operations_do_what_their_names_say(void **state)
{
    (void)state;
    const char *folded = "main;parse;read 3\nmain;parse;parse;copy 2\nidle 1\nmain 5\n";
    check(flm_focus, folded, "parse", "parse;parse;copy 2\nparse;read 3\n");
    check(flm_focus, folded, "nothing", "");
    check(flm_hide, folded, "parse", "idle 1\nmain 5\nmain;copy 2\nmain;read 3\n");
    check(flm_hide, folded, "main", " 5\nidle 1\nparse;parse;copy 2\nparse;read 3\n");
    check(flm_prune, folded, "parse", "idle 1\nmain 5\nmain;parse 5\n");
    check(collapse_directly, folded, "", "idle 1\nmain 5\nmain;parse;copy 2\nmain;parse;read 3\n");
    check(collapse_directly, "a;b;a;a 1\n", "", "a;b;a 1\n");
    check(collapse_wherever, "a;b;a;c 1\na;b;c;b 2\n", "", "a;b 2\na;c 1\n");
    check(collapse_wherever, "a;b 1\na;a;b 2\nb;a 4\n", "", "a;b 3\nb;a 4\n");
}

static uint32_t first_letter(void *context, uint32_t frame)
{
    const struct flm_profile *p = context;
    struct flm_bytes name = flm_frame_function(p, frame);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (frame && flm_frame_function(p, i).at[0] == name.at[0])
            return flm_frame_function(p, i).at[0] == 'x' ? FLM_NONE : i;
    return frame;
}

static void a_quotient_renames_merges_and_leaves_out(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a1;b1 1\na2;b2;c 2\na1;x1;b2 4\nx1;x2 8\n");
    struct flm_profile *q = flm_quotient_frames(p, first_letter, p, NULL);
    assert_folded(q, " 8\na1;b1 5\na1;b1;c 2\n");
    assert_sound(q);
    flm_profile_free(p);
    flm_profile_free(q);
}

static bool run_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    static unsigned char marks[256];
    memset(marks, 0, sizeof marks);
    marks[2] = marks[3] = 1;
    struct flm_profile *made[] = {
        flm_focus(p, marks, why),
        flm_hide(p, marks, why),
        flm_prune(p, marks, why),
        flm_truncate(p, 2, why),
        flm_collapse(p, FLM_RECURSION_DIRECT, NULL, why),
        flm_collapse(p, FLM_RECURSION_ANY, NULL, why),
        flm_quotient(p, class_named("short"), why),
        flm_quotient_frames(p, first_letter, (void *)(uintptr_t)p, why),
    };
    bool good = true;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        good &= made[i] != NULL;
        flm_profile_free(made[i]);
    }
    return good;
}

static void operations_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node = flm_builder_root(b);
    static const char *const names[] = {"a1", "a2<int>", "b", "x", "x", "a1"};
    struct flm_string label[2] = {flm_builder_string(b, "k", 1), flm_builder_string(b, "v", 1)};
    for (int i = 0; i < 6; i++) {
        node = flm_builder_child(b, node, flm_builder_function(b, names[i], strlen(names[i])));
        flm_builder_sample(b, i, node, flm_builder_label_set(b, label, i % 2), cpu, 1);
    }
    flm_builder_note(b, "host", "x", 1);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    assert_true(assert_survives_failures(run_all, p) > 200);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(focus_begins_stacks_at_the_outermost_marked_frame),
        cmocka_unit_test(hide_leaves_marked_frames_out),
        cmocka_unit_test(prune_ends_stacks_at_the_outermost_marked_frame),
        cmocka_unit_test(truncate_ends_stacks_at_a_depth),
        cmocka_unit_test(collapse_makes_functions_that_call_themselves_one_frame),
        cmocka_unit_test(collapse_of_any_recursion_goes_on_at_the_outermost_occurrence),
        cmocka_unit_test(operations_do_what_their_names_say),
        cmocka_unit_test(a_quotient_renames_merges_and_leaves_out),
        cmocka_unit_test(operations_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
