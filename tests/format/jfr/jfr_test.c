#include "format/jfr/program.h"

/* ---- Samples, stacks, threads ---------------------------------------------------------------- */

static void a_sample_has_a_stack_a_thread_a_state_and_a_time(void **state)
{
    (void)state;
    struct jfr_writer w = {.start_ns = 1000000, .start_ticks = 5};
    put_chunk(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "execution", "samples", 2, 2);
    assert_folded(p, "app.Main.run_[j] 1\napp.Main.run_[j];app.Main.work_[i] 1\n");
    assert_int_equal(p->sample_time[0], 1000005);
    assert_int_equal(p->sample_time[1], 1000025);
    assert_true(has_label(p, p->sample_labels[0], "thread", "1"));
    assert_true(has_label(p, p->sample_labels[0], "thread name", "main"));
    assert_true(has_label(p, p->sample_labels[0], "state", "on-CPU"));
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void integers_of_full_size_say_the_same(void **state)
{
    (void)state;
    struct jfr_writer w = {0}, fixed = {.is_fixed = true};
    put_chunk(&w);
    put_chunk(&fixed);
    struct flm_profile *a = read_written(&w, &timed), *b = read_written(&fixed, &timed);
    assert_true(fixed.file.size > w.file.size);
    assert_profiles_equal(a, b);
    flm_profile_free(a);
    flm_profile_free(b);
    flm_text_clear(&w.file);
    flm_text_clear(&fixed.file);
}

static void a_method_is_one_frame_of_the_kind_that_it_had_most_often(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE); /* interpreted once, compiled in two stacks */
    put_sample(&w, 2, MAIN, WORKS, RUNNABLE);
    put_sample(&w, 3, MAIN, C, RUNNABLE);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_int_equal(frame_named(p, "app.Main.run")->kind, FLM_KIND_JIT);
    /* "Native" is Java's own here: */
    assert_int_equal(frame_named(p, "libc.so.6.work")->kind, FLM_KIND_NATIVE);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void machine_code_of_async_profiler_is_a_function_in_a_module(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(&w, 3, MAIN, C, RUNNABLE);
    put_constants(&w, 0, "Kernel"); /* which only it has */
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    const struct flm_frame_record *frame = frame_named(p, "work");
    assert_int_equal(frame->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame->module, "libc.so.6"));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void options_add_lines_and_threads(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    put_chunk(&w);
    struct flm_profile *p = read_written(
        &w, &(struct flm_read_options){.locations = true, .lines = true, .by_thread = true});
    assert_folded(p, "main;app.Main.run_[0] 1\nmain;app.Main.run_[j];app.Main.work_[i] 1\n");
    assert_int_equal(frame_named(p, "app.Main.work")->line, 5);
    assert_true(is_string(p, frame_named(p, "app.Main.work")->file, "app/Main.java"));
    assert_int_equal(frame_named(p, "main")->kind, FLM_KIND_LABEL);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void threads_without_a_number_in_java_have_that_of_the_system(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(&w, 1, COLLECTOR, RUNS, SLEEPING);
    put_sample(&w, 2, 99, RUNS, 77); /* neither is there */
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_true(has_label(p, p->sample_labels[0], "thread", "os 101"));
    assert_true(has_label(p, p->sample_labels[0], "thread name", "GC Thread#0"));
    assert_true(has_label(p, p->sample_labels[0], "state", "sleeping"));
    assert_int_equal(p->sample_labels[1], 0);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void what_a_stack_lacks_is_marked_and_counted(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(&w, 1, MAIN, TRUNCATED, RUNNABLE);
    put_sample(&w, 2, MAIN, TRUNCATED, RUNNABLE);
    put_sample(&w, 3, MAIN, 0, RUNNABLE);  /* it has none */
    put_sample(&w, 4, MAIN, 44, RUNNABLE); /* the chunk does not have it */
    put_sample(&w, 5, MAIN, NO_FRAMES, RUNNABLE);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_folded(p, "[truncated stack];app.Main.work_[i] 2\n[unknown stack] 3\n");
    assert_true(lost(p, "outer frames of truncated stacks (deeper than the recording keeps)", "") ==
                2);
    assert_true(lost(p, "stacks that the recording does not have", "") == 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void ids_are_those_of_a_chunk(void **state)
{
    (void)state;
    static const char swapped[] =
        "120 java.lang.Class loader:long name:*jdk.types.Symbol package:long modifiers:int\n"
        "121 java.lang.Thread osName:java.lang.String osThreadId:long javaName:java.lang.String "
        "javaThreadId:long\n"
        "122 jdk.types.Symbol string:java.lang.String\n"
        "123 jdk.types.Method type:*java.lang.Class name:*jdk.types.Symbol modifiers:int "
        "hidden:boolean\n"
        "124 jdk.types.FrameType description:java.lang.String\n"
        "125 jdk.types.StackFrame method:*jdk.types.Method lineNumber:int bytecodeIndex:int "
        "type:*jdk.types.FrameType\n"
        "126 jdk.types.StackTrace truncated:boolean frames:+jdk.types.StackFrame\n"
        "127 jdk.types.ThreadState name:java.lang.String\n"
        "30 jdk.NativeMethodSample startTime:long sampledThread:*java.lang.Thread "
        "stackTrace:*jdk.types.StackTrace state:*jdk.types.ThreadState\n";
    struct jfr_writer w = {.start_ns = 9000};
    jfr_begin(&w, swapped);
    put_sample(&w, 10, MAIN, RUNS, RUNNABLE);
    put_constants(&w, 100, "C1 compiled");
    jfr_end(&w);
    w.start_ns = 20000;
    put_chunk(&w);
    struct flm_profile *p = read_written(&w, &timed);
    /* The order of metrics is not that of the chunks. */
    assert_metric(p, 0, "execution", "samples", 2, 2);
    assert_metric(p, 1, "native", "samples", 1, 1);
    assert_int_equal(p->sample_time[0], 9010);
    assert_int_equal(p->sample_time[1], 20010);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void the_last_value_of_a_constant_stays(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_constants(&w, 0, "C1 compiled");
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    jfr_checkpoint(&w, 1);
    jfr_pool(&w, 22, 1);
    named(&w, 2, "renamed");
    jfr_end_event(&w);
    jfr_end(&w);
    assert_stacks(&w, "app.Main.renamed_[0] 1\n");
}

static void a_chunk_that_is_being_written_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct jfr_writer w = {.no_size = true};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_constants(&w, 0, "C1 compiled");
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    size_t end = w.file.size;
    jfr_event(&w, 30); /* its size is written when it is complete */
    jfr_long(&w, 5);
    struct flm_profile *p = read_written(&w, &timed);
    char where[32];
    snprintf(where, sizeof where, "byte %zu", end);
    assert_folded(p, "app.Main.run_[0] 1\n");
    assert_true(lost(p, "bytes of a chunk that are no events", where) ==
                (double)(w.file.size - end));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void constants_behind_an_invalid_event_are_found_by_the_header(void **state)
{
    (void)state;
    for (int cycle = 0; cycle < 2; cycle++) {
        struct jfr_writer w = {0};
        jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
        put_sample(&w, 1, MAIN, WORKS, RUNNABLE);
        jfr_fixed(&w, 0, 6); /* an event of no size */
        put_constants(&w, 0, "C1 compiled");
        size_t first = w.file.size;
        jfr_checkpoint(&w, 0);
        jfr_end_event(&w);
        jfr_end(&w);
        if (cycle) /* the distance to the one before becomes 0 bytes, or forward */
            w.file.at[first + 4 + 1 + 2] = 1;
        struct flm_profile *p = read_written(&w, &timed);
        assert_folded(p, cycle ? "[unknown stack] 1\n" : "app.Main.run_[j];app.Main.work_[i] 1\n");
        flm_profile_free(p);
        flm_text_clear(&w.file);
    }
}

static void the_end_of_a_file_that_was_cut_is_counted(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES SAMPLE_TYPE);
    put_constants(&w, 0, "C1 compiled");
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    put_sample(&w, 2, MAIN, RUNS, RUNNABLE);
    jfr_end(&w);
    w.file.size -= 2;
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "execution", "samples", 1, 1);
    assert_true(lost(p, "truncated chunks", "byte 0") == 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);

    put_chunk(&w);
    char where[32];
    snprintf(where, sizeof where, "byte %zu", w.file.size);
    for (int i = 0; i < 100; i++)
        jfr_byte(&w, 'x');
    p = read_windows(jfr, jfr_file(&w), 7, &timed);
    assert_metric(p, 0, "execution", "samples", 2, 2);
    assert_true(lost(p, "bytes behind the last chunk", where) == 100);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    struct jfr_writer w = {.major = 9, .minor = 1};
    put_chunk(&w);
    assert_file_refused(&w, "byte 0: JFR version 9.1 is not known: a newer flamel may read it");
    w = (struct jfr_writer){0};
    put_chunk(&w);
    size_t first = w.file.size;
    put_chunk(&w);
    w.file.at[first + 5] = 0;
    char sentence[200];
    snprintf(sentence, sizeof sentence,
             "byte %zu: this is a recording of Oracle's JDK 7 or 8 (JFR version 0.0), which flamel "
             "does not read: JDK Mission Control does",
             first);
    assert_file_refused(&w, sentence);
    w = (struct jfr_writer){0};
    jfr_begin(&w, NULL);
    jfr_end(&w);
    assert_file_refused(&w, "byte 0: the recording has no metadata, which says what its events "
                            "are: it was cut, or is being written (jcmd PID JFR.dump writes a "
                            "whole one)");
    w = (struct jfr_writer){0};
    put_chunk(&w);
    w.file.size = 300; /* within the metadata */
    assert_file_refused(&w, "byte 0: the recording has no metadata, which says what its events "
                            "are: it was cut, or is being written (jcmd PID JFR.dump writes a "
                            "whole one)");
    w = (struct jfr_writer){0};
    flm_text_add(&w.file, (struct flm_bytes){"FLR\0\0\2\0\1", 8});
    assert_file_refused(&w, "the recording ends within its header of 68 bytes: it was cut, or is "
                            "being written");
}

static void a_chunk_without_a_clock_has_samples_without_times(void **state)
{
    (void)state;
    struct jfr_writer w = {.ticks_per_second = UINT64_MAX};
    put_chunk(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "execution", "samples", 2, 2);
    assert_int_equal(p->sample_time[0], FLM_NO_TIME);
    assert_true(lost(p, "chunks without a clock", "byte 0") == 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void a_recording_of_async_profiler_adds_up(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("jfr/async-profiler.jfr");
    struct flm_profile *p = read_bytes(jfr, bytes, &timed);
    assert_metric(p, 0, "execution", "samples", 505, 144);
    assert_note(p, "async-profiler", "4.5");
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void a_recording_of_a_vm_adds_up(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("jfr/jdk17.jfr");
    struct flm_profile *p = read_bytes(jfr, bytes, &timed);
    assert_sound(p);
    assert_metric(p, 0, "execution", "samples", 15, 8);
    assert_metric(p, 1, "native", "samples", 3, 2);
    assert_metric(p, 2, "allocation", "bytes", 132047688, 2);
    assert_metric(p, 3, "lock", "ns", 360342610, 1);
    assert_metric(p, 4, "park", "ns", 130308321, 1);
    assert_metric(p, 5, "sleep", "ns", 1039801576, 3);
    assert_metric(p, 6, "socket-read", "ns", 52071982, 1);
    assert_metric(p, 7, "exceptions", "count", 3, 3);
    assert_int_equal(p->sizes.marker_count, 24);
    assert_int_equal(p->sizes.counter_count, 6);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
    free((void *)bytes.at);
}

static void the_laws_of_readers_hold(void **state)
{
    (void)state;
    assert_reader_laws_of_file(jfr, "jfr/async-profiler.jfr");
    struct jfr_writer w = {0};
    put_chunk(&w);
    w.is_fixed = true;
    w.start_ns = 5000;
    put_chunk(&w);
    assert_reader_laws(jfr, jfr_file(&w));
    flm_text_clear(&w.file);
}

static void it_survives_little_memory(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    put_chunk(&w);
    assert_survives_little_memory(jfr, jfr_file(&w));
    flm_text_clear(&w.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_a_stack_a_thread_a_state_and_a_time),
        cmocka_unit_test(integers_of_full_size_say_the_same),
        cmocka_unit_test(a_method_is_one_frame_of_the_kind_that_it_had_most_often),
        cmocka_unit_test(machine_code_of_async_profiler_is_a_function_in_a_module),
        cmocka_unit_test(options_add_lines_and_threads),
        cmocka_unit_test(threads_without_a_number_in_java_have_that_of_the_system),
        cmocka_unit_test(what_a_stack_lacks_is_marked_and_counted),
        cmocka_unit_test(ids_are_those_of_a_chunk),
        cmocka_unit_test(the_last_value_of_a_constant_stays),
        cmocka_unit_test(a_chunk_that_is_being_written_is_read_as_far_as_it_goes),
        cmocka_unit_test(constants_behind_an_invalid_event_are_found_by_the_header),
        cmocka_unit_test(the_end_of_a_file_that_was_cut_is_counted),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
        cmocka_unit_test(a_chunk_without_a_clock_has_samples_without_times),
        cmocka_unit_test(a_recording_of_async_profiler_adds_up),
        cmocka_unit_test(a_recording_of_a_vm_adds_up),
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(it_survives_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
