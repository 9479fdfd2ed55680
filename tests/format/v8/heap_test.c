#include "support/profile/json_reading.h"

static const struct flm_format *const heap = &flm_format_heapprofile;

static void files_are_read_whole_and_in_parts(void **state)
{
    (void)state;
    assert_laws(heap, "v8/node20.heapprofile", false);
}

static void a_profile_of_node_has_the_results_of_speedscope(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(heap, "v8/node20.heapprofile");
    assert_metric(p, 0, "size", "bytes", 761752, 20);
    flm_profile_free(p);
}

static void members_come_in_any_order(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        heap,
        "{\"samples\":[{\"size\":1}],\"head\":{\"children\":[{\"selfSize\":5,\"children\":[],"
        "\"callFrame\":{\"lineNumber\":0,\"url\":\"b/c.js\",\"functionName\":\"\"}},{\"id\":3,"
        "\"children\":[{\"selfSize\":7,\"callFrame\":{\"functionName\":\"g\"}}],\"selfSize\":1,"
        "\"callFrame\":{\"functionName\":\"f\"}}],\"id\":1,\"callFrame\":{\"functionName\":"
        "\"(root)\",\"url\":\"\",\"lineNumber\":-1},\"selfSize\":0}}");
    assert_folded(p, "(root);(anonymous c.js:0) 5\n(root);f 1\n(root);f;g 7\n");
    assert_int_equal(frame_named(p, "(anonymous c.js:0)")->line, 1);
    flm_profile_free(p);
}

static void a_deep_profile_is_read(void **state)
{
    (void)state;
    enum { DEPTH = 50000 };
    struct flm_text text = {0};
    flm_text_puts(&text, "{\"head\":");
    for (int i = 0; i < DEPTH; i++)
        flm_text_puts(&text,
                      "{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":1,\"children\":[");
    for (int i = 0; i < DEPTH; i++)
        flm_text_puts(&text, "]}");
    flm_text_puts(&text, "}");
    assert_false(text.failed);
    struct flm_profile *p =
        read_bytes(heap, (struct flm_bytes){text.at, text.size}, &(struct flm_read_options){0});
    assert_metric(p, 0, "size", "bytes", DEPTH, DEPTH);
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* Where each node is compared with all before it, this takes minutes. */
static void nodes_without_an_id_are_read(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct flm_text text = {0};
    flm_text_puts(&text, "{\"head\":{\"callFrame\":{\"functionName\":\"r\"},\"selfSize\":0,"
                         "\"children\":[");
    for (size_t i = 0; i < COUNT; i++)
        flm_text_puts(&text, i == 0 ? "{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":1}"
                                    : ",{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":1}");
    flm_text_puts(&text, "]}}");
    assert_false(text.failed);
    struct flm_profile *p =
        read_bytes(&flm_format_heapprofile, (struct flm_bytes){text.at, text.size},
                   &(struct flm_read_options){0});
    assert_folded(p, "r;f 200000\n");
    flm_profile_free(p);
    flm_text_clear(&text);
}

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    assert_refused(heap, "{}", 0, "it has no nodes");
    assert_refused(heap, "{\"head\":[]}", 0, "byte 8: an object is expected here");
    assert_refused(heap, "{\"head\":{\"children\":[1]}}", 0, "an object is expected here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_whole_and_in_parts),
        cmocka_unit_test(a_profile_of_node_has_the_results_of_speedscope),
        cmocka_unit_test(members_come_in_any_order),
        cmocka_unit_test(a_deep_profile_is_read),
        cmocka_unit_test(nodes_without_an_id_are_read),
        cmocka_unit_test(what_is_no_profile_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
