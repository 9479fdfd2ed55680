#include <sys/resource.h>

#include "support/profile/json_reading.h"

static const struct flm_format *const timeline = &flm_format_heaptimeline;

static void files_are_read_whole_and_in_parts(void **state)
{
    (void)state;
    assert_laws(timeline, "v8/allocations.heaptimeline", false);
}

static void a_recording_of_node_has_sizes_and_objects(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(timeline, "v8/allocations.heaptimeline");
    assert_metric(p, 0, "size", "bytes", 7712152, 15);
    assert_metric(p, 1, "objects", "objects", 3902, 15);
    assert_int_equal(frame_named(p, "mid")->line, 4);
    assert_int_equal(frame_named(p, "(anonymous trace_app.js:4)")->line, 4);
    flm_profile_free(p);
}

static void fields_are_where_the_file_says(void **state)
{
    (void)state;
    static const char meta[] =
        "\"snapshot\":{\"meta\":{\"node_fields\":[],\"trace_function_info_fields\":[\"line\","
        "\"name\",\"script_name\"],\"trace_node_fields\":[\"size\",\"children\",\"count\","
        "\"function_info_index\"]}}";
    static const char rest[] = "\"trace_function_infos\":[0,0,2,3,1,2],"
                               "\"trace_tree\":[1,[10,[],2,1,20,[],3,1],4,0]";
    static const char strings[] = "\"strings\":[\"r\",\"f\",\"x.js\"]";
    char text[600];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "{%s,%s,%s}", meta, i ? rest : strings, i ? strings : rest);
        struct flm_profile *p = read_text(timeline, text);
        assert_folded(p, "r 1\nr;f 30\n");
        assert_metric(p, 1, "objects", "objects", 9, 2);
        assert_int_equal(frame_named(p, "f")->line, 3);
        flm_profile_free(p);
    }
}

static void a_snapshot_without_stacks_is_refused(void **state)
{
    (void)state;
    assert_refused(timeline, "{\"snapshot\":{},\"nodes\":[1],\"trace_tree\":[],\"strings\":[]}", 0,
                   "this is a heap snapshot without stacks");
    assert_refused(timeline, "{\"trace_tree\":{}}", 0, "an array is expected here");
}

static void a_function_that_is_missing_is_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(timeline, "{\"trace_tree\":[1,5,2,64,[]],\"strings\":[]}");
    assert_folded(p, "(anonymous) 64\n");
    assert_int_equal(lost(p, "nodes without a function", ""), 1);
    flm_profile_free(p);
}

/* No memory for those before it. */
static void a_string_that_is_missing_is_none(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(timeline, "{\"trace_function_infos\":[0,268435455,268435454,0,0,0],"
                            "\"trace_tree\":[1,0,1,64,[]],\"strings\":[\"a\",\"b\"]}");
    assert_folded(p, "(anonymous) 64\n");
    flm_profile_free(p);
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < 700 * 1024); /* KiB; with them it is more than 1 GiB */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_whole_and_in_parts),
        cmocka_unit_test(a_recording_of_node_has_sizes_and_objects),
        cmocka_unit_test(fields_are_where_the_file_says),
        cmocka_unit_test(a_snapshot_without_stacks_is_refused),
        cmocka_unit_test(a_string_that_is_missing_is_none),
        cmocka_unit_test(a_function_that_is_missing_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
