#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/views/views.h"

/* A metric that folded text does not have. */
static struct flm_profile *of_bytes(const char *function)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric bytes = flm_builder_metric(b, "space", "bytes");
    struct flm_frame frame = flm_builder_function(b, function, strlen(function));
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), bytes, 4);
    return flm_builder_finish(b, NULL);
}

static bool take(struct flm_viewer *v, enum flm_viewer_side side, struct flm_profile *p,
                 const char *name)
{
    return flm_viewer_take(v, side, p, name, NULL);
}

static bool take_both(struct flm_viewer *v, struct flm_profile *after, struct flm_profile *before,
                      struct flm_error *why)
{
    struct flm_profile *profiles[2] = {after, before};
    return flm_viewer_take_both(v, profiles, (const char *const[2]){"new", "old"}, why);
}

static void assert_names(struct flm_viewer *v, const char *after, const char *before)
{
    assert_string_equal(v->model.name[FLM_VIEWER_AFTER], after);
    if (before)
        assert_string_equal(v->model.name[FLM_VIEWER_BEFORE], before);
    assert_int_equal(flm_model_compares(&v->model), before != NULL);
    assert_true(flm_viewer_update(v, NULL));
}

static void two_are_compared_whatever_is_shown(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main 4\n");
    assert_true(take_both(v, of_bytes("a"), of_bytes("b"), NULL));
    assert_names(v, "new", "old");
    assert_string_equal(v->model.view->name, "compare");
    act(v, "view top");
    assert_true(take_both(v, profile_of("c 1\n"), profile_of("d 1\n"), NULL));
    assert_names(v, "new", "old");
    assert_string_equal(v->model.view->name, "compare");
    flm_viewer_free(v);
}

static void two_that_have_nothing_in_common_leave_all_as_it_was(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main 4\n");
    struct flm_error why = {0};
    assert_true(take(v, FLM_VIEWER_BEFORE, profile_of("main 3\n"), "baseline"));
    assert_false(take_both(v, profile_of("a 1\n"), of_bytes("b"), &why));
    assert_non_null(strstr(why.text, "no metric in common"));
    assert_names(v, v->model.name[0], "baseline");
    flm_viewer_free(v);
}

static void a_profile_is_shown_alone_where_the_baseline_is_of_other_metrics(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main 4\n");
    assert_true(take(v, FLM_VIEWER_BEFORE, profile_of("main 3\n"), "baseline"));
    act(v, "view compare");
    assert_true(take(v, FLM_VIEWER_AFTER, of_bytes("b"), "bytes"));
    assert_names(v, "bytes", NULL);
    assert_null(v->model.name[FLM_VIEWER_BEFORE]);
    assert_string_equal(v->model.view->name, "flame");
    assert_non_null(strstr(v->query.notice.text, "nothing is compared any more: "));
    assert_non_null(strstr(v->query.notice.text, "no metric in common"));
    flm_viewer_free(v);
}

static void a_baseline_stays_where_it_can_be_compared(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main 4\n");
    assert_true(take(v, FLM_VIEWER_BEFORE, profile_of("main 3\n"), "baseline"));
    assert_true(take(v, FLM_VIEWER_AFTER, profile_of("other 3\n"), "other"));
    assert_names(v, "other", "baseline");
    assert_string_equal(v->query.notice.text, "");
    flm_viewer_free(v);
}

static struct flm_profile *with_thread(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric samples = flm_builder_metric(b, "samples", "samples");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    struct flm_string label[2] = {flm_builder_string(b, "thread", 6),
                                  flm_builder_string(b, "main", 4)};
    flm_builder_sample(b, FLM_NO_TIME, node, flm_builder_label_set(b, label, 1), samples, 1);
    return flm_builder_finish(b, NULL);
}

static void labels_that_a_profile_lacks_are_not_compared(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(with_thread());
    act(v, "compare-before label:thread=main");
    assert_true(flm_model_compares(&v->model));
    assert_true(take(v, FLM_VIEWER_AFTER, profile_of("a 1\n"), "plain"));
    assert_string_equal(v->model.name[FLM_VIEWER_AFTER], "plain");
    assert_true(flm_viewer_update(v, NULL));
    flm_viewer_free(v);
}

/* A baseline is no reason to compare labels that are not there, nor they to drop it. */
static void a_baseline_stays_where_labels_do_not(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(with_thread());
    assert_true(take(v, FLM_VIEWER_BEFORE, with_thread(), "baseline"));
    act(v, "compare-after label:thread=main");
    assert_true(take(v, FLM_VIEWER_AFTER, profile_of("a 1\n"), "plain"));
    assert_names(v, "plain", "baseline");
    assert_true(flm_model_compares(&v->model));
    assert_int_equal(v->model.comparing.expression[FLM_VIEWER_AFTER].size, 0);
    assert_true(take(v, FLM_VIEWER_BEFORE, profile_of("a 2\n"), "other"));
    assert_names(v, "plain", "other");
    flm_viewer_free(v);
}

struct taking {
    struct flm_viewer *viewer;
    struct flm_profile *of_bytes;
};

static bool take_two(void *context, struct flm_error *why)
{
    struct taking *taking = context;
    struct flm_profile *after = flm_apply(taking->of_bytes, "by:name", NULL, why);
    struct flm_profile *before = after ? flm_apply(taking->of_bytes, "by:name", NULL, why) : NULL;
    if (before)
        return take_both(taking->viewer, after, before, why);
    flm_profile_free(after);
    return false;
}

static void two_are_taken_or_what_was_there_stays(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;f 4\n");
    assert_true(take(v, FLM_VIEWER_BEFORE, profile_of("main 3\n"), "baseline"));
    struct taking taking = {v, of_bytes("a")};
    assert_survives_failures(take_two, &taking);
    assert_names(v, "new", "old");
    flm_profile_free(taking.of_bytes);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_are_compared_whatever_is_shown),
        cmocka_unit_test(two_that_have_nothing_in_common_leave_all_as_it_was),
        cmocka_unit_test(a_profile_is_shown_alone_where_the_baseline_is_of_other_metrics),
        cmocka_unit_test(a_baseline_stays_where_it_can_be_compared),
        cmocka_unit_test(labels_that_a_profile_lacks_are_not_compared),
        cmocka_unit_test(a_baseline_stays_where_labels_do_not),
        cmocka_unit_test(two_are_taken_or_what_was_there_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
