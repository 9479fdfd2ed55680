#include "support/profile/json_reading.h"

static const struct flm_format *const cpu = &flm_format_cpuprofile;

static void files_are_read_whole_and_in_parts(void **state)
{
    (void)state;
    assert_laws(cpu, "v8/example.cpuprofile", false);
    assert_laws(cpu, "v8/old.cpuprofile", false);
}

static void a_profile_of_node_has_the_results_of_speedscope(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(cpu, "v8/example.cpuprofile");
    assert_folded(p, "(anonymous) 11575\n(anonymous);a;b;d 16788\n(anonymous);a;c;d 16414\n");
    assert_metric(p, 0, "time", "us", 44777, 3);
    flm_profile_free(p);
}

static void the_older_form_is_read_too(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("v8/old.cpuprofile");
    struct flm_profile *p = read_bytes(cpu, bytes, &(struct flm_read_options){.keep_times = true});
    assert_folded(p, "main 2000\nmain;(anonymous util.js:7) 1500\n"
                     "main;(anonymous util.js:7);(garbage collector) 500\n");
    assert_int_equal(frame_named(p, "main")->line, 1);
    assert_int_equal(p->sizes.sample_count, 4);
    assert_true(p->sample_time[0] == 100501000000 && p->sample_duration[0] == 1000000);
    assert_true(p->sample_time[3] == 100505000000 && p->sample_duration[3] == 1000000);
    flm_profile_free(p);
    free((void *)bytes.at);
}

#define NODE(id, name, more)                                                                       \
    "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name "\"}" more "}"

static void samples_without_times_are_equally_far_apart(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(cpu, "{\"startTime\":0,\"endTime\":30,\"samples\":[1,2,1],"
                       "\"nodes\":[" NODE(1, "a", "") "," NODE(2, "b", "") "]}");
    assert_folded(p, "a 10\nb 10\n"); /* the last one lasts for nothing */
    flm_profile_free(p);
}

static void without_samples_there_are_hits(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        cpu,
        "{\"nodes\":[" NODE(1, "(root)", ",\"hitCount\":0,\"children\":[2]") "," NODE(
            2, "a", ",\"hitCount\":3,\"children\":[3]") "," NODE(3, "b", ",\"hitCount\":4") "]}");
    assert_metric(p, 0, "samples", "samples", 7, 2);
    assert_folded(p, "a 3\na;b 4\n");
    flm_profile_free(p);
}

static void the_answer_of_the_inspector_is_a_profile_too(void **state)
{
    (void)state;
    const char *text = "{\"id\":7,\"result\":{\"profile\":{\"nodes\":[" NODE(
        1, "a", "") "],\"samples\":[1,1],\"timeDeltas\":[1,5]}}}";
    struct flm_profile *p = read_text(cpu, text);
    assert_folded(p, "a 5\n");
    flm_profile_free(p);
    assert_ptr_equal(flm_format_recognize(&flm_formats_pure, flm_bytes_of(text), true, NULL), cpu);
}

/* More than are taken at once, and fewer times than samples. */
static void many_samples_have_their_times(void **state)
{
    (void)state;
    enum { COUNT = 300000, WITHOUT_TIME = 1000, NODES = 3 };
    struct flm_text text = {0};
    unsigned long long time[NODES] = {0};
    flm_text_puts(&text, "{\"nodes\":[" NODE(1, "a", "") "," NODE(2, "b", "") "," NODE(
                             3, "c", "") "],\"samples\":[1");
    for (unsigned i = 1; i < COUNT; i++)
        flm_text_format(&text, ",%u", (i % NODES) * (i % NODES) % NODES + 1);
    flm_text_puts(&text, "],\"timeDeltas\":[0");
    for (unsigned i = 1; i < COUNT - WITHOUT_TIME; i++) {
        flm_text_format(&text, ",%u", i % 7);
        time[((i - 1) % NODES) * ((i - 1) % NODES) % NODES] += i % 7;
    }
    flm_text_puts(&text, "]}");
    assert_false(text.failed);
    struct flm_profile *p = read_bytes(cpu, (struct flm_bytes){text.at, text.size},
                                       &(struct flm_read_options){.keep_times = true});
    struct flm_text wanted = {0};
    flm_text_format(&wanted, "a %llu\nb %llu\n", time[0], time[1]);
    flm_text_putc(&wanted, 0);
    assert_folded(p, wanted.at);
    assert_true(time[2] == 0); /* 2 is no square modulo 3 */
    double sum = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        assert_true(i == 0 || p->sample_time[i - 1] < p->sample_time[i]);
        sum += flm_sample_value(p, 0, i);
    }
    assert_true(sum == (double)(time[0] + time[1]));
    assert_int_equal(p->sizes.loss_count, 1);
    assert_true(p->losses[0].count == WITHOUT_TIME);
    flm_profile_free(p);
    flm_text_clear(&text);
    flm_text_clear(&wanted);
}

static void samples_may_precede_the_nodes(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(cpu, "{\"samples\":[1,1],\"timeDeltas\":[0,5],\"endTime\":5,\"startTime\":0,"
                       "\"nodes\":[" NODE(1, "a", "") "]}");
    assert_folded(p, "a 5\n");
    flm_profile_free(p);
    assert_int_equal(cpu->sniff(flm_bytes_of("{\"samples\":[1,2],\"timeDeltas\":[3"), false),
                     FLM_SNIFF_LIKELY);
}

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    assert_refused(cpu, "{}", 0, "it has no nodes");
    assert_refused(cpu, "[]", 0, "byte 0: an object is expected here");
    assert_refused(cpu, "{\"nodes\":{}}", 0, "an array is expected here");
    assert_refused(cpu, "{\"nodes\":[1]}", 0, "an object is expected here");
    assert_refused(
        cpu,
        "{\"nodes\":[" NODE(1, "a", ",\"children\":[2]") "," NODE(2, "b", ",\"children\":[1]") "]}",
        0, "the nodes are in a circle: node 1 is its own caller");
    assert_refused(cpu, "{\"nodes\":[" NODE(4, "a", ",\"parent\":4") "]}", 0,
                   "the nodes are in a circle: node 4 is its own caller");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_whole_and_in_parts),
        cmocka_unit_test(a_profile_of_node_has_the_results_of_speedscope),
        cmocka_unit_test(the_older_form_is_read_too),
        cmocka_unit_test(samples_without_times_are_equally_far_apart),
        cmocka_unit_test(without_samples_there_are_hits),
        cmocka_unit_test(the_answer_of_the_inspector_is_a_profile_too),
        cmocka_unit_test(many_samples_have_their_times),
        cmocka_unit_test(samples_may_precede_the_nodes),
        cmocka_unit_test(what_is_no_profile_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
