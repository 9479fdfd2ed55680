#include "support/profile/json_reading.h"

static const struct flm_format *const v8log = &flm_format_v8log;

static void files_are_read_whole_and_in_parts(void **state)
{
    (void)state;
    assert_laws(v8log, "v8/log.json", false);
}

static void names_and_times_are_those_of_speedscope(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("v8/log.json");
    struct flm_profile *p =
        read_bytes(v8log, bytes, &(struct flm_read_options){.keep_times = true});
    assert_folded(p, "(LIB) node 1000\n(unknown type);0x7ffff7fcf000 250\nmain;(IC) x 500\n"
                     "main;(anonymous util.js:9);(c++) v8::internal::Heap::Scavenge 1500\n"
                     "main;(builtin) Add 1000\nnative array.js;(bytecode) ~y 1000\n");
    assert_metric(p, 0, "time", "us", 5250, 6);
    assert_true(p->sample_time[0] == 0 && p->sample_duration[0] == 1000000);
    const struct flm_frame_record *address = frame_named(p, "0x7ffff7fcf000");
    assert_true(address->address == 0x7ffff7fcf000 && address->flags == FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "main")->line, 3);
    assert_true(is_string(p, frame_named(p, "main")->file, "/srv/app.js"));
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void the_code_may_come_last(void **state)
{
    (void)state;
    struct flm_profile *p = read_text(v8log, "{\"ticks\":[{\"s\":[0,0],\"tm\":7}],\"code\":["
                                             "{\"type\":\"CPP\",\"name\":\"plain\"}]}");
    assert_folded(p, "plain 7\n");
    flm_profile_free(p);
}

static void what_is_no_log_is_refused(void **state)
{
    (void)state;
    assert_refused(v8log, "{\"code\":[]}", 0, "it has no ticks");
    assert_refused(v8log, "{\"ticks\":[7]}", 0, "an object is expected here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_whole_and_in_parts),
        cmocka_unit_test(names_and_times_are_those_of_speedscope),
        cmocka_unit_test(the_code_may_come_last),
        cmocka_unit_test(what_is_no_log_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
