#include "format/perf/header.h"

#include "support/profile/perf_reading.h"

static char *word(struct flm_text *text, struct flm_bytes bytes)
{
    flm_text_format(text, "<%.*s>", (int)bytes.size, bytes.at);
    return text->at;
}

/* Every field of a header, in one text. */
static void assert_fields(struct flm_bytes line, const struct flm_perf_header *h,
                          const char *expected)
{
    struct flm_text text = {0};
    word(&text, h->command);
    word(&text, h->process);
    word(&text, h->thread);
    word(&text, h->cpu);
    flm_text_format(&text, " %lld ", h->time_ns == FLM_NO_TIME ? -1 : (long long)h->time_ns);
    word(&text, h->period);
    word(&text, h->event);
    word(&text, h->rest);
    word(&text, h->frame);
    flm_text_putc(&text, 0);
    if (strcmp(text.at, expected) != 0)
        fail_msg("'%.*s' is\n%s, not\n%s", (int)line.size, line.at, text.at, expected);
    flm_text_clear(&text);
}

static void assert_header(const char *text, const char *expected)
{
    struct flm_bytes line = flm_bytes_of(text);
    struct flm_perf_header header;
    if (!flm_perf_header_parse(line, &header))
        fail_msg("'%s' is no header", text);
    assert_fields(line, &header, expected);
}

static void assert_guess(const char *text, enum flm_perf_guess guess, const char *expected)
{
    struct flm_bytes line = flm_bytes_of(text);
    struct flm_perf_header header;
    assert_false(flm_perf_header_parse(line, &header));
    assert_int_equal(flm_perf_header_guess(line, &header), guess);
    assert_fields(line, &header, expected);
}

static void headers_have_the_fields_of_perfs_options(void **state)
{
    (void)state;
    assert_header("java 25607 4794564.109216:          1 cycles:\n",
                  "<java><><25607><> 4794564109216000 <1><cycles><><>");
    assert_header("java 24636/25607 [012] 1.5: 235 cpu-clock: ",
                  "<java><24636><25607><012> 1500000000 <235><cpu-clock><><>");
    assert_header("java 12688 [002] 6544038.708352: cpu-clock:",
                  "<java><><12688><002> 6544038708352000 <><cpu-clock><><>");
    assert_header("work_fp 22636   884.169213: \n", "<work_fp><><22636><> 884169213000 <><><><>");
    assert_header("  884.169213: cpu-clock: \n", "<><><><> 884169213000 <><cpu-clock><><>");
    assert_header("work_fp 22636 K       884.169213: cpu-clock: ",
                  "<work_fp><><22636><> 884169213000 <><cpu-clock><><>");
    assert_header("work 1 1.0:    2004008 \n", "<work><><1><> 1000000000 <2004008><><><>");
    assert_header("work [007] 1.0: cycles:", "<work><><><007> 1000000000 <><cycles><><>");
}

static void commands_may_look_like_anything(void **state)
{
    (void)state;
    assert_header("V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:",
                  "<V8 WorkerThread><24636><25607><000> 94564109216000 <100><cycles><><>");
    assert_header("kworker/u8:1-ev 33 [001] 1.0: cycles:",
                  "<kworker/u8:1-ev><><33><001> 1000000000 <><cycles><><>");
    assert_header("(sd-pam) 7 1.0: cycles:", "<(sd-pam)><><7><> 1000000000 <><cycles><><>");
    assert_header("migration/0 12 [000] 1.0: cycles:",
                  "<migration/0><><12><000> 1000000000 <><cycles><><>");
    assert_header("my 12 3: app 99/100 1.0: cycles:",
                  "<my 12 3: app><99><100><> 1000000000 <><cycles><><>");
    assert_header(":-1    -1 [002] 1.0: cycles:", "<:-1><><-1><002> 1000000000 <><cycles><><>");
    assert_header(":4711 -1/4711 1.0: cycles:", "<:4711><-1><4711><> 1000000000 <><cycles><><>");
    assert_header("          node 1 1.0: cycles:", "<node><><1><> 1000000000 <><cycles><><>");
    assert_header("K 1.0: cycles:", "<K><><><> 1000000000 <><cycles><><>");
}

static void times_have_up_to_nine_digits_after_the_point(void **state)
{
    (void)state;
    assert_header("w 1 1.000000001: c:", "<w><><1><> 1000000001 <><c><><>");
    assert_header("w 1 9223372035.999999999: c:", "<w><><1><> 9223372035999999999 <><c><><>");
    struct flm_perf_header header;
    static const char *const others[] = {
        "w 1 1.0000000001: c:",
        "w 1 9223372036.0: c:",
        "w 1 12345678901.0: c:",
        "w 1 .5: c:",
        "w 1 5.: c:",
        "w 1 v1.5: c:",
        "w 1 1.5:c",
        "w 1 1:5: c:",
        "foo::bar(int) [unk]: ",
        "",
        ":",
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(flm_perf_header_parse(flm_bytes_of(others[i]), &header));
}

static void events_keep_their_modifiers(void **state)
{
    (void)state;
    assert_header("w 1 1.0: 1 cycles:ppp:", "<w><><1><> 1000000000 <1><cycles:ppp><><>");
    assert_header("w 1 1.0: 1 cpu-clock:u:\r\n", "<w><><1><> 1000000000 <1><cpu-clock:u><><>");
    assert_header("w 1 1.0: 1 cpu_core/cycles/:",
                  "<w><><1><> 1000000000 <1><cpu_core/cycles/><><>");
    assert_header("w 1 1.0: 1 raw 0x1c0:", "<w><><1><> 1000000000 <1><raw 0x1c0><><>");
    assert_header("w 1 1.0: sched:sched_switch: prev_comm=w prev_pid=7 ==> next_comm=v",
                  "<w><><1><> 1000000000 <><sched:sched_switch>"
                  "<prev_comm=w prev_pid=7 ==> next_comm=v><>");
    assert_header("w 1 1.0: raw_syscalls:sys_enter: NR 12 (0, 7f: 3)",
                  "<w><><1><> 1000000000 <><raw_syscalls:sys_enter><NR 12 (0, 7f: 3)><>");
}

static void records_are_events_by_their_name(void **state)
{
    (void)state;
    assert_header("w 1 1.0: PERF_RECORD_COMM exec: w:1/1",
                  "<w><><1><> 1000000000 <><PERF_RECORD_COMM><exec: w:1/1><>");
    assert_header("w 1 1.0: PERF_RECORD_LOST lost 12",
                  "<w><><1><> 1000000000 <><PERF_RECORD_LOST><lost 12><>");
}

static void a_frame_on_the_line_takes_sixteen_columns(void **state)
{
    (void)state;
    assert_header("w 1 1.0: 9 cycles:  ffffffff816b9733 read+0x93 ([k])\n",
                  "<w><><1><> 1000000000 <9><cycles><ffffffff816b9733 read+0x93 ([k])>"
                  "<ffffffff816b9733 read+0x93 ([k])>");
    assert_header("w 1 1.0: 9 cycles:              2777 main",
                  "<w><><1><> 1000000000 <9><cycles><2777 main><2777 main>");
    assert_header("w 1 1.0:              2777 main (/x)",
                  "<w><><1><> 1000000000 <><><2777 main (/x)><2777 main (/x)>");
    assert_header("w 1 1.0: bad:face: fd: 3 cafe",
                  "<w><><1><> 1000000000 <><bad:face><fd: 3 cafe><>");
}

static void simpleperf_prints_microseconds_without_zeros(void **state)
{
    (void)state;
    assert_header("Jit pool\t25 [007] 1.940357:\t\t1000000 task-clock:u:",
                  "<Jit pool><><25><007> 1940357000 <1000000><task-clock:u><><>");
    assert_header("Jit pool\t25 [007] 1.48084:\t\t1000000 task-clock:u:",
                  "<Jit pool><><25><007> 1048084000 <1000000><task-clock:u><><>");
    assert_header("w 25 [007] 1.48084: 1 c:", "<w><><25><007> 1480840000 <1><c><><>");
}

static void a_line_without_a_time_is_a_guess(void **state)
{
    (void)state;
    assert_guess("func_ab 15294 cpu-clock: \n", FLM_PERF_EVENT,
                 "<func_ab><><15294><> -1 <><cpu-clock><><>");
    assert_guess("work 22636    2004008 cpu-clock: ", FLM_PERF_EVENT,
                 "<work><><22636><> -1 <2004008><cpu-clock><><>");
    assert_guess("a 12 34/56 [001] 7 raw 0x1c0: x", FLM_PERF_EVENT,
                 "<a 12><34><56><001> -1 <7><raw 0x1c0><x><>");
    assert_guess("work_fp 22636 \n", FLM_PERF_NUMBER, "<work_fp><><22636><> -1 <><><><>");
    assert_guess("work_fp 22636 [003]", FLM_PERF_NUMBER, "<work_fp><><22636><003> -1 <><><><>");
    assert_guess("work_fp 22636    2004008 \n", FLM_PERF_NUMBER,
                 "<work_fp><><22636><> -1 <2004008><><><>");
    assert_guess("my work 12   22636 \n", FLM_PERF_NUMBER, "<my work 12><><22636><> -1 <><><><>");
    assert_guess("  work_fp 22636  ffffffff816b9733 read", FLM_PERF_EVENT,
                 "<work_fp><><22636><> -1 <><><ffffffff816b9733 read><ffffffff816b9733 read>");
    assert_guess("cpu-clock: ", FLM_PERF_WORDS, "<><><><> -1 <><cpu-clock><><>");
    assert_guess("not a header\n", FLM_PERF_WORDS, "<not a header><><><> -1 <><><><>");
    assert_guess(" \r\n", FLM_PERF_NONE, "<><><><> -1 <><><><>");
}

static void labels_are_the_fields_that_are_there(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_builder *b = flm_builder_new(&why);
    struct flm_perf_header header;
    assert_true(flm_perf_header_parse(flm_bytes_of("w 1/2 [3] 1.0: c:"), &header));
    uint32_t all = flm_perf_header_labels(b, &header).index;
    assert_int_not_equal(all, 0);
    assert_int_equal(flm_perf_header_labels(b, &header).index, all);
    header.cpu.size = 0;
    assert_int_not_equal(flm_perf_header_labels(b, &header).index, all);
    assert_int_equal(flm_perf_header_labels(b, &(struct flm_perf_header){0}).index, 0);
    flm_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_have_the_fields_of_perfs_options),
        cmocka_unit_test(commands_may_look_like_anything),
        cmocka_unit_test(times_have_up_to_nine_digits_after_the_point),
        cmocka_unit_test(events_keep_their_modifiers),
        cmocka_unit_test(records_are_events_by_their_name),
        cmocka_unit_test(a_frame_on_the_line_takes_sixteen_columns),
        cmocka_unit_test(simpleperf_prints_microseconds_without_zeros),
        cmocka_unit_test(a_line_without_a_time_is_a_guess),
        cmocka_unit_test(labels_are_the_fields_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
