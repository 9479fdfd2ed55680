#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/viewing.h"

static struct flm_string string_of(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

/* Thread 7 has 1 of read and 2 of work; 3 of read and 4 of work are no thread's. */
static struct flm_profile *some_without_thread(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node main = flm_builder_child(b, flm_builder_root(b),
                                             flm_builder_function(b, "main", 4)),
                    of[2] = {
                        flm_builder_child(b, main, flm_builder_function(b, "read", 4)),
                        flm_builder_child(b, main, flm_builder_function(b, "work", 4)),
                    };
    struct flm_string label[] = {string_of(b, "thread"), string_of(b, "7")};
    struct flm_label_set set = flm_builder_label_set(b, label, 1), none = {0};
    for (int i = 0; i < 4; i++)
        flm_builder_sample(b, i, of[i % 2], i < 2 ? set : none, metric, i + 1);
    return flm_builder_finish(b, NULL);
}

static void assert_totals(struct flm_viewer *v, const char *without, const char *thread)
{
    struct json_tree *t = answer(v, "tracks");
    assert_string_equal(at(t, "tracks.0.title"), "no thread");
    assert_string_equal(at(t, "tracks.0.total"), without);
    assert_string_equal(at(t, "tracks.1.total"), thread);
    json_tree_free(t);
}

/* All entries do, also that of samples without a thread. */
static void figures_of_threads_follow_the_transforms(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(some_without_thread());
    assert_totals(v, "7 samples", "3 samples");
    act(v, "apply keep:read");
    assert_totals(v, "3 samples", "1 sample");
    assert_answer(v, "tracks", "tracks.0.share", "75 %");
    act(v, "back");
    assert_totals(v, "7 samples", "3 samples");
    act(v, "apply label:thread=7");
    assert_totals(v, "0 samples", "3 samples");
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_threads_follow_the_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
