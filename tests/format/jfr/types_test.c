#include "format/jfr/program.h"

static void fields_are_found_by_name_whatever_stands_before_them(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES
              "40 my.Point x:short y:float deep:my.Deep\n"
              "41 my.Deep c:char s:java.lang.String\n"
              "42 my.Nothing\n"
              "30 jdk.ExecutionSample a:boolean b:+byte c:my.Point d:+my.Point e:+*my.Point "
              "f:+java.lang.String g:double h:+my.Nothing stackTrace:*jdk.types.StackTrace "
              "startTime:long later:long\n");
    jfr_event(&w, 30);
    jfr_byte(&w, 1);
    jfr_int(&w, 2); /* bytes */
    jfr_byte(&w, 200);
    jfr_byte(&w, 201);
    for (int i = 0; i < 4; i++) { /* a point, and three of them in an array */
        if (i == 1)
            jfr_int(&w, 3);
        jfr_varint(&w, 0xffff); /* -1 as a short */
        jfr_fixed(&w, 0x3f800000, 4);
        jfr_varint(&w, 'x');
        jfr_string(&w, "deep");
    }
    jfr_int(&w, 2); /* keys of constants */
    jfr_long(&w, UINT64_MAX);
    jfr_long(&w, 300);
    jfr_int(&w, 5);  /* strings, in every form */
    jfr_byte(&w, 0); /* null */
    jfr_byte(&w, 1); /* "" */
    jfr_byte(&w, 2); /* a constant */
    jfr_long(&w, 12);
    jfr_byte(&w, 4); /* UTF-16 */
    jfr_int(&w, 2);
    jfr_varint(&w, 0x20ac);
    jfr_varint(&w, 'a');
    jfr_byte(&w, 5); /* Latin-1 */
    jfr_int(&w, 1);
    jfr_byte(&w, 0xe9);
    jfr_fixed(&w, 0, 8);
    jfr_int(&w, 4000000000); /* of things without bytes */
    jfr_long(&w, WORKS);
    jfr_long(&w, 77);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_folded(p, "app.Main.run_[j];app.Main.work_[i] 1\n");
    assert_int_equal(p->sample_time[0], 1077);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void names_of_jdk_9_mean_the_same(void **state)
{
    (void)state;
    struct jfr_writer w = {.major = 1};
    jfr_begin(&w, "20 java.lang.Class name:*com.oracle.jfr.types.Symbol\n"
                  "22 com.oracle.jfr.types.Symbol string:java.lang.String\n"
                  "23 com.oracle.jfr.types.Method type:*java.lang.Class "
                  "name:*com.oracle.jfr.types.Symbol\n"
                  "25 com.oracle.jfr.types.StackFrame method:*com.oracle.jfr.types.Method\n"
                  "26 com.oracle.jfr.types.StackTrace frames:+com.oracle.jfr.types.StackFrame\n"
                  "30 com.oracle.jdk.ExecutionSample startTime:long "
                  "stackTrace:*com.oracle.jfr.types.StackTrace\n");
    jfr_event(&w, 30);
    jfr_long(&w, 1);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    jfr_checkpoint(&w, 4);
    jfr_pool(&w, 22, 2);
    named(&w, 1, "a/B");
    named(&w, 2, "c");
    jfr_pool(&w, 20, 1);
    jfr_long(&w, 1);
    jfr_long(&w, 1);
    jfr_pool(&w, 23, 1);
    jfr_long(&w, 1);
    jfr_long(&w, 1);
    jfr_long(&w, 2);
    jfr_pool(&w, 26, 1);
    jfr_long(&w, 1);
    jfr_int(&w, 1);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    jfr_end(&w);
    assert_stacks(&w, "a.B.c_[j] 1\n");
}

/* Events of a type that cannot be read are not counted as samples; the others are. */
static void types_that_contain_themselves_are_left_alone(void **state)
{
    (void)state;
    static const char *const types[] = {
        CONSTANT_TYPES SAMPLE_TYPE "31 jdk.ThreadPark stackTrace:*jdk.types.StackTrace me:x.A\n"
                                   "40 x.A b:x.B\n41 x.B a:x.A\n",
        CONSTANT_TYPES SAMPLE_TYPE "31 jdk.ThreadPark me:+x.A\n40 x.A b:+x.A n:long\n",
        CONSTANT_TYPES SAMPLE_TYPE "31 jdk.ThreadPark me:x.Unknown startTime:long\n",
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct jfr_writer w = {0};
        jfr_begin(&w, types[i]);
        jfr_event(&w, 31);
        for (int j = 0; j < 9; j++)
            jfr_long(&w, 3);
        jfr_end_event(&w);
        put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
        put_constants(&w, 0, "C1 compiled");
        jfr_end(&w);
        struct flm_profile *p = read_written(&w, &timed);
        assert_int_equal(p->sizes.metric_count, 1);
        assert_note(p, "events that are not shown", "1: jdk.ThreadPark 1");
        flm_profile_free(p);
        flm_text_clear(&w.file);
    }
}

static void an_event_that_is_too_short_is_counted(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    size_t offset = w.file.size;
    jfr_event(&w, 30);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    char where[32];
    snprintf(where, sizeof where, "byte %zu", offset);
    assert_true(lost(p, "malformed events", where) == 1);
    assert_metric(p, 0, "execution", "samples", 1, 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void strings_of_every_form_are_the_same_text(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, "31 com.acme.E startTime:long a:java.lang.String b:java.lang.String "
                  "c:java.lang.String d:java.lang.String e:java.lang.String\n");
    jfr_event(&w, 31);
    jfr_long(&w, 1);
    jfr_string(&w, "\xc3\xa9"); /* é */
    jfr_byte(&w, 5);
    jfr_int(&w, 1);
    jfr_byte(&w, 0xe9);
    jfr_byte(&w, 4); /* an emoji as a pair of surrogates, and half of one */
    jfr_int(&w, 3);
    jfr_varint(&w, 0xd83d);
    jfr_varint(&w, 0xde00);
    jfr_varint(&w, 0xd83d);
    jfr_byte(&w, 2);
    jfr_long(&w, 5);
    jfr_string(&w, "\xed\xa0\xbd\xed\xb8\x80"); /* the emoji as a symbol of a VM has it */
    jfr_end_event(&w);
    jfr_checkpoint(&w, 1);
    jfr_pool(&w, 9, 1);
    named(&w, 5, "constant");
    jfr_end_event(&w);
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_int_equal(p->sizes.marker_count, 1);
    assert_true(is_string(p, p->markers[0].detail,
                          "a: \xc3\xa9, b: \xc3\xa9, c: \xf0\x9f\x98\x80\xef\xbf\xbd, d: constant, "
                          "e: \xf0\x9f\x98\x80"));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_name_whatever_stands_before_them),
        cmocka_unit_test(names_of_jdk_9_mean_the_same),
        cmocka_unit_test(types_that_contain_themselves_are_left_alone),
        cmocka_unit_test(an_event_that_is_too_short_is_counted),
        cmocka_unit_test(strings_of_every_form_are_the_same_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
