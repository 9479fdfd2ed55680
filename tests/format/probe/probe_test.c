#include "support/probe/probe_image.h"
#include "support/profile/format_laws.h"

extern const struct flm_format flm_format_probe;
static const struct flm_format *const probe = &flm_format_probe;

static struct flm_profile *read_image(const struct image *image)
{
    return read_bytes(probe, image_bytes(image), &(struct flm_read_options){.lines = true});
}

static void time_is_that_of_the_scope_alone(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_profile *p = read_image(image);
    assert_sound(p);
    assert_metric(p, 0, "wall", "ns", 1000, 2);
    assert_folded(p, "main 400\nmain;parse 600\n");
    assert_metric(p, 1, "calls", "count", 5, 2);
    assert_int_equal(frame_named(p, "parse")->line, 20);
    assert_true(is_string(p, frame_named(p, "parse")->file, "a.c"));
    assert_note(p, "producer", "flamel-probe");
    flm_profile_free(p);
    free(image);
}

/* 4 calls: 4 x 5 ns are in themselves, 4 x 20 beyond, in main, which has 5 of its own. */
static void the_cost_of_measuring_is_taken_out(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->inside_cost = 5 * 256;
    header_of(image)->outside_cost = 20 * 256;
    struct flm_profile *p = read_image(image);
    assert_folded(p, "main 315\nmain;parse 580\n");
    assert_note(p, "cost of a scope", "25 ns, taken out");
    flm_profile_free(p);
    header_of(image)->outside_cost = 10000 * 256; /* more than there is */
    p = read_image(image);
    assert_folded(p, "main;parse 580\n");
    flm_profile_free(p);
    free(image);
}

/* parse: 1 of 4 calls was timed. In main they cost what this one cost, and counting three. */
static void one_call_that_was_timed_stands_for_many(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->timed_of = 4;
    node_of(image, 2)->timed = 1;
    node_of(image, 2)->total = 150;
    struct flm_profile *p = read_image(image);
    assert_metric(p, 0, "wall", "ns", 1000, 2);
    assert_folded(p, "main 400\nmain;parse 600\n");
    assert_note(p, "timed", "2 of 5 calls, taken for all");
    flm_profile_free(p);
    header_of(image)->inside_cost = 5 * 256;
    header_of(image)->outside_cost = 20 * 256;
    header_of(image)->untimed_cost = 2 * 256;
    /* 1000 - 5 - ((600 - 4 x 5) + 1 x 25 + 3 x 2); 600 - 4 x 5 */
    p = read_image(image);
    assert_folded(p, "main 384\nmain;parse 580\n");
    flm_profile_free(p);
    free(image);
}

static void calls_that_are_only_counted_have_no_time(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->timed_of = 0;
    header_of(image)->inside_cost = 5 * 256;
    node_of(image, 1)->total = node_of(image, 2)->total = 0;
    thread_of(image)->open[1] =
        (struct flm_probe_open){.node = node_place(1), .start = FLM_PROBE_UNTIMED};
    struct flm_profile *p = read_image(image);
    assert_sound(p);
    assert_metric(p, 0, "calls", "count", 5, 2);
    assert_int_equal(p->sizes.metric_count, 1);
    assert_note(p, "timed", "no call: they are counted");
    assert_note(p, "scopes that were open", "1");
    flm_profile_free(p);
    header_of(image)->timed_of = 16; /* it is open, and its time unknown */
    p = read_image(image);
    assert_metric(p, 0, "wall", "ns", 0, 0);
    flm_profile_free(p);
    free(image);
}

static void cpu_time_is_a_metric_and_its_rate_a_note(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_probe_activity *cpu = &header_of(image)->activity[FLM_PROBE_CPU_TIME];
    *cpu = (struct flm_probe_activity){.state = FLM_PROBE_ACTIVE, .rate = 1000, .samples = 4};
    node_of(image, 0)->value[FLM_PROBE_CPU] = 1000000;
    node_of(image, 2)->value[FLM_PROBE_CPU] = 7000000;
    struct flm_profile *p = read_image(image);
    assert_metric(p, 2, "cpu", "ns", 8000000, 2);
    assert_note(p, "cpu samples", "4, 500 a second where 1000 were asked for");
    flm_profile_free(p);
    cpu->reason = TEXTS * FLM_PROBE_UNIT;
    cpu->reason_size = 3;
    p = read_image(image);
    assert_note(p, "cpu samples", "4, 500 a second where 1000 were asked for, a.c");
    flm_profile_free(p);
    free(image);
}

static void an_open_scope_lasts_until_the_last_moment(void **state)
{
    (void)state;
    struct image *image = make_image();
    thread_of(image)->open[1] = (struct flm_probe_open){.node = node_place(1), .start = 3000};
    thread_of(image)->open[2] = (struct flm_probe_open){.node = node_place(2), .start = 4900};
    struct flm_profile *p = read_image(image);
    assert_folded(p, "main 2300\nmain;parse 700\n");
    assert_note(p, "scopes that were open", "2");
    assert_int_equal(p->sizes.loss_count, 0); /* it ended, and said when */
    flm_profile_free(p);
    thread_of(image)->open[2].start = 6000; /* after the header was written */
    p = read_image(image);
    assert_folded(p, "main 3400\nmain;parse 600\n");
    flm_profile_free(p);
    header_of(image)->state = FLM_PROBE_RUNNING;
    p = read_image(image);
    assert_int_equal(lost(p, "times of open scopes, after the last moment that the file has", ""),
                     2);
    flm_profile_free(p);
    free(image);
}

static void what_was_not_measured_is_lost(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->lost_threads = 1;
    thread_of(image)->lost_depth = 2;
    thread_of(image)->lost_room = 3;
    thread_of(image)->left = 4;
    thread_of(image)->lost_busy = 5;
    struct flm_profile *p = read_image(image);
    assert_int_equal(lost(p, "threads for which the file had no room", ""), 1);
    assert_int_equal(lost(p, "scopes in more than 256 others", ""), 2);
    assert_int_equal(lost(p, "scopes for which the file had no room", ""), 3);
    assert_int_equal(lost(p, "scopes of signal handlers that interrupted the measuring", ""), 5);
    assert_int_equal(
        lost(p, "scopes that were left without an end, by a jump or with their thread", ""), 4);
    flm_profile_free(p);
    free(image);
}

/* What is behind the header of a library of before is something else. */
static void a_shorter_header_has_what_it_has(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->lost_calls = 7;
    header_of(image)->lost_processes = 8;
    struct flm_profile *p = read_image(image);
    assert_int_equal(lost(p, "calls of locks and files before a child process was measured", ""),
                     7);
    assert_int_equal(lost(p, "child processes whose file could not be made", ""), 8);
    flm_profile_free(p);
    header_of(image)->header_size = offsetof(struct flm_probe_header, lost_calls);
    p = read_image(image);
    assert_int_equal(p->sizes.loss_count, 0);
    assert_folded(p, "main 400\nmain;parse 600\n");
    flm_profile_free(p);
    header_of(image)->header_size = 0;
    struct flm_error why = {0};
    assert_null(try_bytes(probe, image_bytes(image), &reader_options[0], &why));
    free(image);
}

static void threads_are_labels_or_frames(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("probe/small.probe");
    struct flm_profile *p =
        read_bytes(probe, bytes, &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_int_equal(unsampled(p), 0);
    assert_metric(p, 1, "calls", "count", 20, 4);
    flm_profile_free(p);
    free((void *)bytes.at);
    struct image *image = make_image();
    p = read_bytes(probe, image_bytes(image), &(struct flm_read_options){.by_thread = true});
    assert_folded(p, "worker 4712;main 400\nworker 4712;main;parse 600\n");
    flm_profile_free(p);
    free(image);
}

/* The file of a program that runs: its header was read before another site was added. */
static void what_comes_while_it_is_read_is_left_out(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->state = FLM_PROBE_RUNNING;
    header_of(image)->site_count = 1;
    struct flm_profile *p = read_image(image);
    assert_sound(p);
    assert_folded(p, "main 1000\n");
    assert_int_equal(lost(p, "scopes that began while the file was read", ""), 1);
    flm_profile_free(p);
    header_of(image)->state = FLM_PROBE_ENDED;
    struct flm_error why = {0};
    assert_null(try_bytes(probe, image_bytes(image), &reader_options[0], &why));
    free(image);
}

static void assert_image_refused(struct image *image, const char *part)
{
    struct flm_error why = {0};
    assert_null(try_bytes(probe, image_bytes(image), &reader_options[0], &why));
    if (!strstr(why.text, part))
        fail_msg("not '%s' but: %s", part, why.text);
    free(image);
}

static void places_that_lead_nowhere_are_refused(void **state)
{
    (void)state;
    struct image *image = make_image();
    header_of(image)->version = 99;
    assert_image_refused(image, "version 99");
    image = make_image();
    header_of(image)->site_count = 100;
    assert_image_refused(image, "a site is not in the file");
    image = make_image();
    header_of(image)->first_thread = END;
    assert_image_refused(image, "a thread is not in the file");
    image = make_image();
    thread_of(image)->next = THREAD; /* a thread that is behind itself */
    assert_image_refused(image, "a thread is not in the file");
    image = make_image();
    thread_of(image)->root = PART; /* no root, so a node of no site */
    assert_image_refused(image, "a node is in none");
    image = make_image();
    ((struct flm_probe_part *)place(image, PART))->next = PART;
    assert_image_refused(image, "nodes are not where they should be");
    image = make_image();
    node_of(image, 1)->parent = node_place(2); /* nodes that are in each other */
    assert_image_refused(image, "a node is in none");
    image = make_image();
    node_of(image, 2)->site = 3;
    assert_image_refused(image, "or of no site");
    image = make_image();
    header_of(image)->ns_per_tick = 0;
    assert_image_refused(image, "no clock");
}

/* A function that the program had no time to name is one of the file that is mapped there. */
static void a_function_without_a_name_is_in_its_module(void **state)
{
    (void)state;
    enum { MAPPING = 600, PATH = 602, FUNCTION = 0x401234 };
    static const char path[] = "/usr/bin/app";
    struct image *image = make_image();
    struct flm_probe_site *site = place(image, SITES);
    struct flm_probe_mapping *mapping = place(image, MAPPING);
    site[2].function_size = 0;
    site[2].address = FUNCTION;
    struct flm_profile *p = read_image(image); /* nothing is mapped */
    const struct flm_frame_record *frame = frame_named(p, "0x401234");
    assert_true(is_string(p, frame->module, ""));
    flm_profile_free(p);
    *mapping = (struct flm_probe_mapping){.start = 0x400000,
                                          .end = 0x402000,
                                          .offset = 0x1000,
                                          .path = PATH * FLM_PROBE_UNIT,
                                          .path_size = sizeof path - 1,
                                          .build_id_size = 2,
                                          .build_id = {0xAB, 0x01}};
    memcpy(place(image, PATH), path, sizeof path - 1);
    header_of(image)->first_mapping = MAPPING;
    p = read_image(image);
    frame = frame_named(p, "app+0x2234"); /* in the file, wherever it was mapped */
    assert_true(is_string(p, frame->module, path));
    assert_int_equal(frame->address, 0x2234);
    assert_true(frame->flags & FLM_FRAME_UNSYMBOLIZED);
    assert_note(p, "mapped /usr/bin/app", "1000-3000@1000 id=ab01");
    flm_profile_free(p);
    assert_survives_little_memory(probe, image_bytes(image));
    free(image);
}

/* A library that was mapped at 0x10000 and the probe behind it, which calls what it measures. */
static void stacks_of_allocations_have_the_frames_of_the_program(void **state)
{
    (void)state;
    enum { STACK = 560, OWN = 600, LIBRARY = 602, OWN_PATH = 604, PATH = 606, START = 0x10000 };
    static const char path[] = "/lib/libget.so.1", own[] = "/usr/lib/libflamel-probe.so.0";
    struct image *image = make_image();
    const struct flm_probe_mapping library = {.next = OWN,
                                              .start = START,
                                              .end = START + 0x1000,
                                              .offset = 0x500,
                                              .path = PATH * FLM_PROBE_UNIT,
                                              .path_size = sizeof path - 1},
                                   probe_itself = {.start = START + 0x1000,
                                                   .end = START + 0x2000,
                                                   .path = OWN_PATH * FLM_PROBE_UNIT,
                                                   .path_size = sizeof own - 1};
    const struct flm_probe_stack stack = {.count = 3,
                                          .thread = THREAD,
                                          .samples = 1,
                                          .bytes = 300,
                                          .allocations = FLM_PROBE_ALLOCATION_ONE,
                                          .frame = {START + 0x11, START + 0x1021, START + 0x31}};
    memcpy(place(image, LIBRARY), &library, sizeof library);
    memcpy(place(image, OWN), &probe_itself, sizeof probe_itself);
    memcpy(place(image, PATH), path, sizeof path - 1);
    memcpy(place(image, OWN_PATH), own, sizeof own - 1);
    memcpy(place(image, STACK), &stack, sizeof stack);
    header_of(image)->first_mapping = LIBRARY;
    header_of(image)->first_stack = STACK;
    struct flm_profile *p = read_image(image);
    uint32_t *parent = calloc(p->sizes.node_count, sizeof *parent), inner = 0;
    assert_non_null(parent);
    flm_profile_parents(p, parent);
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        if (is_string(p, p->frames[p->node_frame[i]].function, "libget.so.1+0x510"))
            inner = i;
    assert_int_not_equal(inner, 0);
    const struct flm_frame_record *caller = &p->frames[p->node_frame[parent[inner]]];
    assert_true(is_string(p, caller->function, "libget.so.1+0x530"));
    free(parent);
    flm_profile_free(p);
    free(image);
}

static void the_laws_of_formats_hold(void **state)
{
    (void)state;
    static const char *const files[] = {"probe/small.probe", "probe/killed.probe"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_bytes bytes = file_bytes(files[i]);
        assert_reader_laws(probe, bytes);
        assert_survives_little_memory(probe, bytes);
        free((void *)bytes.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_that_of_the_scope_alone),
        cmocka_unit_test(the_cost_of_measuring_is_taken_out),
        cmocka_unit_test(one_call_that_was_timed_stands_for_many),
        cmocka_unit_test(calls_that_are_only_counted_have_no_time),
        cmocka_unit_test(cpu_time_is_a_metric_and_its_rate_a_note),
        cmocka_unit_test(an_open_scope_lasts_until_the_last_moment),
        cmocka_unit_test(what_was_not_measured_is_lost),
        cmocka_unit_test(a_shorter_header_has_what_it_has),
        cmocka_unit_test(threads_are_labels_or_frames),
        cmocka_unit_test(what_comes_while_it_is_read_is_left_out),
        cmocka_unit_test(places_that_lead_nowhere_are_refused),
        cmocka_unit_test(a_function_without_a_name_is_in_its_module),
        cmocka_unit_test(stacks_of_allocations_have_the_frames_of_the_program),
        cmocka_unit_test(the_laws_of_formats_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
