#include "format/java/internal.h"

#include "support/profile/format_laws.h"

static const struct flm_format *const dump = &flm_format_thread_dump;
static const struct flm_format *const javacore = &flm_format_javacore;

static const struct flm_read_options with_labels = {.keep_times = true};
static const struct flm_read_options by_thread = {.keep_times = true, .by_thread = true};

static struct flm_profile *labeled(const struct flm_format *format, const char *text)
{
    return read_bytes(format, flm_bytes_of(text), &with_labels);
}

static void assert_described(struct flm_profile *p, const char *words)
{
    char *text = described(p);
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
    free(text);
}

/* ---- Real dumps ------------------------------------------------------------------------------ */

static void dumps_of_every_kind_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(dump, "java/jstack25-l-e.txt");
    assert_reader_laws_of_file(dump, "java/sigquit17.txt");
    assert_reader_laws_of_file(dump, "java/names25.txt");
    assert_reader_laws_of_file(dump, "java/dump_to_file25.txt");
    assert_reader_laws_of_file(dump, "java/dump_to_file21.txt");
    assert_reader_laws_of_file(javacore, "java/javacore.txt");
}

static void json_dumps_obey_the_laws_of_readers(void **state)
{
    (void)state;
    assert_reader_laws_of_file(dump, "java/dump25.json");
}

static void every_thread_with_frames_counts_once(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(dump, "java/jstack25-l-e.txt");
    assert_metric(p, 0, "threads", "threads", 15, 14);
    assert_note(p, "deadlocks", "1");
    assert_note(p, "dumps", "1");
    assert_note(p, "threads without frames", "14");
    assert_note(p, "recorded", "2026-11-20 07:24:04");
    assert_note(p, "runtime", "OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing)");
    flm_profile_free(p);
    p = profile_of_file(dump, "java/sigquit17.txt");
    assert_metric(p, 0, "threads", "threads", 8, 8);
    flm_profile_free(p);
    p = profile_of_file(dump, "java/dump25.json");
    assert_metric(p, 0, "threads", "threads", 18, 16);
    flm_profile_free(p);
    p = profile_of_file(dump, "java/dump_to_file25.txt");
    assert_metric(p, 0, "threads", "threads", 12, 11);
    flm_profile_free(p);
}

/* ---- jstack and its kin ---------------------------------------------------------------------- */

#define TITLE "Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"
#define FRAME "\tat A.run(A.java:7)\n"

static void labels_say_what_a_thread_is(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(
        dump, "31673:\n2026-11-20 07:26:06\n" TITLE
              "\"main\" #1 daemon prio=5 tid=0x1 nid=0x7bbb waiting for monitor entry [0x1]\n"
              "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
              "\tat A.run(java.base@17.0.15/A.java:7)\n"
              "\t- locked <0x1> (a X)\n\t- waiting to lock <0x2> (a Y)\n"
              "\t- waiting on <0x3> (a Z)\n\n");
    assert_described(p, "\"thread name\"=\"main\"");
    assert_described(p, "\"thread\"=\"31675\"");
    assert_described(p, "\"state\"=\"BLOCKED\"");
    assert_described(p, "\"lock\"=\"<0x2> (a Y)\"");
    assert_described(p, "\"daemon\"=\"yes\"");
    assert_described(p, "\"process\"=\"31673\"");
    assert_int_equal(p->sizes.label_count, 6);
    assert_true(p->sample_time[0] == 1795159566 * (int64_t)1000000000);
    const struct flm_frame_record *frame = frame_named(p, "A.run");
    assert_true(is_string(p, frame->module, "java.base"));
    assert_true(is_string(p, frame->file, "A.java"));
    assert_int_equal(frame->line, 0);
    flm_profile_free(p);
}

static void a_thread_has_the_number_of_the_system_in_every_version(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "\"a\" #1 prio=5 tid=0x9 nid=0x20 runnable", "\"a\" #1 [32] prio=5 tid=0x9 nid=32 runnable",
        "\"a\" #1 [32] daemon prio=5 tid=0x9  [0x1]", "\"a\" prio=5 tid=0x9 nid=0x20 runnable"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char text[300];
        snprintf(text, sizeof text, TITLE "%s\n" FRAME, headers[i]);
        struct flm_profile *p = labeled(dump, text);
        assert_described(p, "\"thread\"=\"32\"");
        assert_true(p->sample_time[0] == FLM_NO_TIME);
        flm_profile_free(p);
    }
}

static void names_may_hold_quotes_and_line_breaks(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        dump,
        flm_bytes_of(TITLE "\"a \"b\" #2 c\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n"
                           "\"two\nlines\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n"
                           "\"three\n\"of\" \nlines\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n"),
        &by_thread);
    assert_folded(p, "a \"b\" #2 c;A.run 1\nof\"  lines;A.run 1\ntwo lines;A.run 1\n");
    flm_profile_free(p);
}

static void text_in_quotes_between_dumps_is_no_thread(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(dump, TITLE "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n"
                                                "\"hello\"\nworld\n2026-11-20 07:26:06\n" TITLE
                                                "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n");
    assert_folded(p, "A.run 2\n");
    assert_note(p, "dumps", "2");
    assert_true(p->sample_time[0] == FLM_NO_TIME && p->sample_time[1] != FLM_NO_TIME);
    assert_int_equal(p->sizes.label_count, 2); /* a number in the output is no process */
    flm_profile_free(p);
}

static void output_of_the_program_is_skipped(void **state)
{
    (void)state;
    struct flm_profile *p =
        labeled(dump, "42\nstarting\n" FRAME "Exception in thread \"x\" java.lang.Error\n" FRAME
                      "done: " TITLE "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME
                      "\t- eliminated <owner is scalar replaced> (a X)\n"
                      "   No compile task\n\nHeap\n PSYoungGen total 1K\n" FRAME);
    assert_folded(p, "A.run 1\n");
    assert_int_equal(p->sizes.label_count, 2);
    flm_profile_free(p);
}

static void deadlocks_are_counted_and_their_stacks_are_not(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(
        dump, TITLE "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n"
                    "Found one Java-level deadlock:\n====\n\"a\":\n  waiting to lock monitor 0x1\n"
                    "Java stack information for the threads listed above:\n====\n"
                    "\"a\" tid=0x1:\n" FRAME "Found 2 deadlocks.\n\n" TITLE
                    "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME);
    assert_folded(p, "A.run 2\n");
    assert_note(p, "deadlocks", "2");
    flm_profile_free(p);
}

static void a_mounted_virtual_thread_is_a_thread_beside_its_carrier(void **state)
{
    (void)state;
    struct flm_profile *p =
        labeled(dump, TITLE "\"carrier\" #28 [5] daemon prio=5 tid=0x1 [0x1]\n"
                            "   Carrying virtual thread #27\n\tat Continuation.run(C.java)\n"
                            "   Mounted virtual thread #27\n\tat A.run(A.java)\n\n");
    assert_folded(p, "A.run 1\nContinuation.run 1\n");
    assert_described(p, "\"carrier\"=\"carrier\"");
    assert_described(p, "\"thread\"=\"#27\"");
    assert_described(p, "\"virtual\"=\"yes\"");
    flm_profile_free(p);
}

static void a_dump_that_ends_in_a_line_may_be_cut(void **state)
{
    (void)state;
    static const char cut[] = "threads at the end of the text, without a line break: cut off?";
    static const char text[] = "Full thread dump OpenJDK (17 mixed mode):\n\n"
                               "\"main\" #1 prio=5 tid=0x1 nid=0x2 runnable\n"
                               "   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:7)\n";
    struct flm_profile *p = read_text(&flm_format_thread_dump, text);
    char *words = described(p);
    assert_null(strstr(words, cut));
    free(words);
    flm_profile_free(p);
    p = read_bytes(&flm_format_thread_dump, (struct flm_bytes){text, sizeof text - 5},
                   &(struct flm_read_options){0});
    assert_int_equal(lost(p, cut, "line 5"), 1);
    flm_profile_free(p);
}

static void threads_without_frames_are_stacks_by_thread(void **state)
{
    (void)state;
    static const char text[] = TITLE "\"GC Thread#0\" os_prio=0 tid=0x1 nid=0x1 runnable\n\n"
                                     "\"a\" #1 tid=0x1 nid=0x1 runnable\n" FRAME "\n";
    struct flm_profile *p = read_text(dump, text);
    assert_folded(p, "A.run 1\n");
    assert_note(p, "threads without frames", "1");
    flm_profile_free(p);
    p = read_bytes(dump, flm_bytes_of(text), &by_thread);
    assert_folded(p, "GC Thread#0 1\na;A.run 1\n");
    flm_profile_free(p);
}

static void frames_have_modules_files_and_hidden_classes(void **state)
{
    (void)state;
    struct flm_profile *p = read_bytes(
        dump,
        flm_bytes_of(TITLE "\"a\" #1 tid=0x1 nid=0x1 runnable\n"
                           "\tat B$$Lambda/0x00007fd3a8003220.run(Unknown Source)\n"
                           "\tat C$$Lambda$4/1828972342.run(java.base@8/<generated>)\n"
                           "\tat app//d.D.<init>(D.java:12)\n"
                           "\tat loader/e.mod@1.0/e.E.run(E.java:13)\n"
                           "\tat F.read(java.base@17/Native Method)\n\tat G\n\tat (H.java)\n"),
        &(struct flm_read_options){.locations = true, .lines = true});
    assert_folded(p, "G;F.read;e.E.run;d.D.<init>;C$$Lambda$4/1828972342.run;"
                     "B$$Lambda/0x00007fd3a8003220.run 1\n");
    assert_int_equal(frame_named(p, "F.read")->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame_named(p, "e.E.run")->module, "e.mod"));
    assert_int_equal(frame_named(p, "d.D.<init>")->line, 12);
    assert_true(is_string(p, frame_named(p, "d.D.<init>")->module, ""));
    assert_true(is_string(p, frame_named(p, "d.D.<init>")->file, "d/D.java"));
    assert_true(is_string(p, frame_named(p, "C$$Lambda$4/1828972342.run")->module, "java.base"));
    flm_profile_free(p);
}

static void lines_may_end_in_carriage_returns(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_text(dump, "Full thread dump X:\r\n\r\n\"a\" #1 tid=0x1 nid=0x1 runnable\r\n"
                        "\tat A.run(A.java)\r\n\r\n\"b\" #1 tid=0x1 nid=0x1 runnable\r\n");
    assert_folded(p, "A.run 1\n");
    assert_note(p, "runtime", "X");
    flm_profile_free(p);
}

static void dumps_of_no_thread_are_refused(void **state)
{
    (void)state;
    assert_refused(dump, "", 0, "it has no threads");
    assert_refused(dump, TITLE "Heap\n", 0, "it has no threads");
    assert_refused(javacore, "0SECTION  THREADS\n", 0, "it has no threads (3XMTHREADINFO)");
}

static void other_texts_are_no_dumps(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "main;a 1\n", "\"a\" #1\n", "java.lang.Error\n\tat A.run(A.java:7)\n",
        "1234\n2026-11-20T07:24:07Z\n25\n\nmain;a 1\n", "\"x\": tid=0x1\n",
        /* a program that reads javacores */
        "    if (is(k, \"3XMTHREADINFO \") || "
        "is(k, \"4XESTACKTRACE \"))\n"
        "/*\n * 0SECTION x\n * 1TIDATETIME x\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(dump->sniff(flm_bytes_of(texts[i]), true), FLM_SNIFF_NO);
        assert_int_equal(javacore->sniff(flm_bytes_of(texts[i]), true), FLM_SNIFF_NO);
    }
    assert_true(dump->sniff(flm_bytes_of("noise\n" TITLE), true) >= FLM_SNIFF_SURE);
}

/* ---- dump_to_file ---------------------------------------------------------------------------- */

static void a_dump_to_a_file_has_states_since_jdk_25(void **state)
{
    (void)state;
    struct flm_profile *p =
        labeled(dump, "17\n2026-11-20T07:24:07.5Z\n25.0.3\n\n"
                      "#3 \"a \"b\"\" virtual WAITING 2026-11-20T07:24:08Z\n"
                      "    at java.base/A.run(A.java:7)\n    - parking to wait for <X@1>\n\n");
    assert_described(p, "\"thread name\"=\"a \"b\"\"");
    assert_described(p, "\"thread\"=\"#3\"");
    assert_described(p, "\"state\"=\"WAITING\"");
    assert_described(p, "\"virtual\"=\"yes\"");
    assert_described(p, "\"lock\"=\"<X@1>\"");
    assert_described(p, "\"process\"=\"17\"");
    assert_true(p->sample_time[0] == 1795159448 * (int64_t)1000000000);
    assert_note(p, "runtime", "25.0.3");
    flm_profile_free(p);
}

static void a_dump_to_a_file_of_jdk_21_has_frames_alone(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(dump, "java/dump_to_file21.txt");
    assert_folded(p, "Main.main;java.lang.Thread.getAllStackTraces;java.lang.Thread.dumpThreads 1\n"
                     "com.example.Tool.run;java.lang.VirtualThread$$Lambda/0x000000a001048000.run;"
                     "java.lang.VirtualThread.park 1\n");
    assert_true(is_string(p, frame_named(p, "com.example.Tool.run")->module, "com.example.tool"));
    flm_profile_free(p);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void members_come_in_any_order_and_unknown_ones_too(void **state)
{
    (void)state;
    struct flm_profile *p = labeled(
        dump, "{\"x\": [{}], \"threadDump\": {\"threadContainers\": [{\"threads\": ["
              "{\"stack\": [\"java.base/A.b(A.java:1)\", \"A.a(A.java)\"], \"new\": {\"y\": 1},"
              " \"virtual\": true, \"carrier\": 5, \"name\": \"n\", \"tid\": 7,"
              " \"state\": \"WAITING\", \"parkBlocker\": {\"z\": 0, \"object\": \"L@1\"}},"
              "{\"stack\": []}, {\"stack\": null, \"name\": null}, 5],"
              " \"container\": \"pool\", \"owner\": null}, null], \"processId\": 12,"
              " \"time\": \"2026-11-20T07:24:07Z\"}}");
    assert_folded(p, "A.a;A.b 1\n");
    assert_described(p, "\"thread\"=\"#7\"");
    assert_described(p, "\"carrier\"=\"#5\"");
    assert_described(p, "\"lock\"=\"L@1\"");
    assert_described(p, "\"virtual\"=\"yes\"");
    assert_note(p, "threads without frames", "2");
    flm_profile_free(p);
}

static void malformed_json_dumps_are_refused(void **state)
{
    (void)state;
    assert_refused(dump, " {}", 0, "it has no \"threadDump\"");
    assert_refused(dump, "{\"threadDump\": 1}", 0, "an object is expected");
    assert_refused(dump, "{\"threadDump\": {\"threadContainers\": [{\"threads\": [{", 0,
                   "the JSON ends too early");
}

/* ---- javacore -------------------------------------------------------------------------------- */

static void a_javacore_has_javas_states_and_the_systems_numbers(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("java/javacore.txt");
    struct flm_profile *p = read_bytes(javacore, bytes, &with_labels);
    free((void *)bytes.at);
    assert_folded(p, "com/example/Main.main;java/lang/Object.wait;java/lang/Object.wait 1\n"
                     "java/lang/Thread.run;com/example/Main.work 1\n");
    assert_described(p, "\"state\"=\"BLOCKED\"");
    assert_described(p, "\"state\"=\"WAITING\"");
    assert_described(p, "\"thread\"=\"10844\"");
    assert_described(p, "\"thread name\"=\"worker \"1\"\"");
    assert_described(p, "\"lock\"=\"java/lang/Object@0x00000000E0057B48\"");
    assert_described(p, "\"daemon\"=\"yes\"");
    assert_true(p->sample_time[0] == 1692799501337000000);
    assert_note(p, "command", "/opt/java/bin/java -jar app.jar");
    assert_note(p, "threads without frames", "1");
    flm_profile_free(p);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_little_memory(
        dump, flm_bytes_of("1:\n2026-11-20 07:26:06\n" TITLE
                           "\"a\nb\" #1 daemon tid=0x1 nid=0x1 runnable\n"
                           "   java.lang.Thread.State: BLOCKED (on object monitor)\n" FRAME
                           "   Mounted virtual thread #27\n" FRAME "\t- waiting on <0x3> (a Z)\n"));
    assert_survives_little_memory(
        dump, flm_bytes_of("{\"threadDump\": {\"processId\": 1, \"threadContainers\": [{"
                           "\"container\": \"c\", \"threads\": [{\"name\": \"\\n\", \"tid\": \"1\","
                           "\"state\": \"WAITING\", \"stack\": [\"A.a(A.java)\"]}]}]}}"));
    assert_survives_little_memory(
        javacore,
        flm_bytes_of("3XMTHREADINFO \"a\" state:R\n3XMTHREADBLOCK Waiting on: x y\n"
                     "3XMTHREADINFO1 (native thread ID:0x1,\n4XESTACKTRACE at a/A.a(A.java:1)\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dumps_of_every_kind_obey_the_laws_of_readers),
        cmocka_unit_test(json_dumps_obey_the_laws_of_readers),
        cmocka_unit_test(every_thread_with_frames_counts_once),
        cmocka_unit_test(labels_say_what_a_thread_is),
        cmocka_unit_test(a_thread_has_the_number_of_the_system_in_every_version),
        cmocka_unit_test(names_may_hold_quotes_and_line_breaks),
        cmocka_unit_test(text_in_quotes_between_dumps_is_no_thread),
        cmocka_unit_test(output_of_the_program_is_skipped),
        cmocka_unit_test(deadlocks_are_counted_and_their_stacks_are_not),
        cmocka_unit_test(a_mounted_virtual_thread_is_a_thread_beside_its_carrier),
        cmocka_unit_test(a_dump_that_ends_in_a_line_may_be_cut),
        cmocka_unit_test(threads_without_frames_are_stacks_by_thread),
        cmocka_unit_test(frames_have_modules_files_and_hidden_classes),
        cmocka_unit_test(lines_may_end_in_carriage_returns),
        cmocka_unit_test(dumps_of_no_thread_are_refused),
        cmocka_unit_test(other_texts_are_no_dumps),
        cmocka_unit_test(a_dump_to_a_file_has_states_since_jdk_25),
        cmocka_unit_test(a_dump_to_a_file_of_jdk_21_has_frames_alone),
        cmocka_unit_test(members_come_in_any_order_and_unknown_ones_too),
        cmocka_unit_test(malformed_json_dumps_are_refused),
        cmocka_unit_test(a_javacore_has_javas_states_and_the_systems_numbers),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
