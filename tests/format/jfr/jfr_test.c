#include "support/profile/jfr_writer.h"
#include "support/profile/reader_laws.h"

static const struct flm_format *const jfr = &flm_format_jfr;

/* ---- A chunk of a small program -------------------------------------------------------------- */

#define CONSTANT_TYPES                                                                             \
    "20 java.lang.Class loader:long name:*jdk.types.Symbol package:long modifiers:int\n"           \
    "21 java.lang.Thread osName:java.lang.String osThreadId:long javaName:java.lang.String "       \
    "javaThreadId:long\n"                                                                          \
    "22 jdk.types.Symbol string:java.lang.String\n"                                                \
    "23 jdk.types.Method type:*java.lang.Class name:*jdk.types.Symbol modifiers:int "              \
    "hidden:boolean\n"                                                                             \
    "24 jdk.types.FrameType description:java.lang.String\n"                                        \
    "25 jdk.types.StackFrame method:*jdk.types.Method lineNumber:int bytecodeIndex:int "           \
    "type:*jdk.types.FrameType\n"                                                                  \
    "26 jdk.types.StackTrace truncated:boolean frames:+jdk.types.StackFrame\n"                     \
    "27 jdk.types.ThreadState name:java.lang.String\n"

#define SAMPLE_TYPE                                                                                \
    "30 jdk.ExecutionSample startTime:long sampledThread:*java.lang.Thread "                       \
    "stackTrace:*jdk.types.StackTrace state:*jdk.types.ThreadState\n"

enum { MAIN = 7, COLLECTOR = 8 };                    /* threads */
enum { WORKS = 1, RUNS, NO_FRAMES, TRUNCATED, C };   /* stacks */
enum { RUNNABLE = 1, SLEEPING };                     /* states */
enum { INTERPRETED = 1, COMPILED, INLINED, NATIVE }; /* kinds of frames */
enum { OBJECTS = 2, NUMBERS };                       /* classes */

static void named(struct jfr_writer *w, uint64_t key, const char *name)
{
    jfr_long(w, key);
    jfr_string(w, name);
}

static void put_thread(struct jfr_writer *w, uint64_t key, const char *os, uint64_t id,
                       const char *java, uint64_t java_id)
{
    named(w, key, os);
    jfr_long(w, id);
    if (java)
        jfr_string(w, java);
    else
        jfr_byte(w, 0);
    jfr_long(w, java_id);
}

static void put_frame(struct jfr_writer *w, uint64_t method, uint32_t line, uint64_t kind)
{
    jfr_long(w, method);
    jfr_int(w, line);
    jfr_int(w, 11);
    jfr_long(w, kind);
}

static void put_stack(struct jfr_writer *w, uint64_t key, bool truncated, uint32_t frames)
{
    jfr_long(w, key);
    jfr_byte(w, truncated);
    jfr_int(w, frames);
}

static void put_class(struct jfr_writer *w, uint64_t key, uint64_t symbol)
{
    jfr_long(w, key);
    jfr_long(w, 0);
    jfr_long(w, symbol);
    jfr_long(w, 0);
    jfr_int(w, 1);
}

static void put_method(struct jfr_writer *w, uint64_t key, uint64_t class, uint64_t symbol)
{
    jfr_long(w, key);
    jfr_long(w, class);
    jfr_long(w, symbol);
    jfr_int(w, 1);
    jfr_byte(w, 0);
}

/* The types have these ids plus `add`. The first kind of frames is `first_kind`. */
static void put_constants(struct jfr_writer *w, uint64_t add, const char *last_kind)
{
    jfr_checkpoint(w, 7);
    jfr_pool(w, 22 + add, 6);
    named(w, 1, "app/Main");
    named(w, 2, "run");
    named(w, 3, "work");
    named(w, 4, "[Ljava/lang/Object;");
    named(w, 5, "[[I");
    named(w, 6, "libc.so.6");
    jfr_pool(w, 20 + add, 4);
    put_class(w, 1, 1);
    put_class(w, OBJECTS, 4);
    put_class(w, NUMBERS, 5);
    put_class(w, 9, 6);
    jfr_pool(w, 23 + add, 3);
    put_method(w, 1, 1, 2);
    put_method(w, 2, 1, 3);
    put_method(w, 3, 9, 3);
    jfr_pool(w, 24 + add, 5);
    named(w, INTERPRETED, "Interpreted");
    named(w, COMPILED, "JIT compiled");
    named(w, INLINED, "Inlined");
    named(w, NATIVE, "Native");
    named(w, 5, last_kind);
    jfr_pool(w, 27 + add, 2);
    named(w, RUNNABLE, "STATE_RUNNABLE");
    named(w, SLEEPING, "STATE_SLEEPING");
    jfr_pool(w, 21 + add, 2);
    put_thread(w, MAIN, "java", 100, "main", 1);
    put_thread(w, COLLECTOR, "GC Thread#0", 101, NULL, 0);
    jfr_pool(w, 26 + add, 5);
    put_stack(w, WORKS, false, 2);
    put_frame(w, 2, 5, INLINED);
    put_frame(w, 1, 3, COMPILED);
    put_stack(w, RUNS, false, 1);
    put_frame(w, 1, 4, INTERPRETED);
    put_stack(w, NO_FRAMES, false, 0);
    put_stack(w, TRUNCATED, true, 1);
    put_frame(w, 2, 6, INLINED);
    put_stack(w, C, false, 2);
    put_frame(w, 3, 0, NATIVE);
    put_frame(w, 1, 3, COMPILED);
    jfr_end_event(w);
}

static void put_sample(struct jfr_writer *w, uint64_t time, uint64_t thread, uint64_t stack,
                       uint64_t state)
{
    jfr_event(w, 30);
    jfr_long(w, time);
    jfr_long(w, thread);
    jfr_long(w, stack);
    jfr_long(w, state);
    jfr_end_event(w);
}

/* Two samples, of which the constants come afterward. */
static void put_chunk(struct jfr_writer *w)
{
    jfr_begin(w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(w, 10, MAIN, WORKS, RUNNABLE);
    put_sample(w, 30, MAIN, RUNS, RUNNABLE);
    put_constants(w, 0, "C1 compiled");
    jfr_end(w);
}

static const struct flm_read_options timed = {.keep_times = true};

static struct flm_profile *read_written(const struct jfr_writer *w,
                                        const struct flm_read_options *options)
{
    struct flm_profile *p = read_bytes(jfr, jfr_file(w), options);
    assert_sound(p);
    return p;
}

/* The writer is cleared. */
static void assert_stacks(struct jfr_writer *w, const char *folded)
{
    struct flm_profile *p = read_written(w, &timed);
    assert_folded(p, folded);
    flm_profile_free(p);
    flm_text_clear(&w->file);
}

static void assert_file_refused(struct jfr_writer *w, const char *sentence)
{
    struct flm_error why = {0};
    assert_null(try_bytes(jfr, jfr_file(w), &timed, &why));
    assert_string_equal(why.text, sentence);
    flm_text_clear(&w->file);
}

static bool has_label(const struct flm_profile *p, uint32_t set, const char *key, const char *value)
{
    uint32_t count;
    const uint32_t *labels = flm_profile_label_set(p, (struct flm_label_set){set}, &count);
    for (uint32_t i = 0; i < count; i++)
        if (is_string(p, p->labels[labels[i]].key, key) &&
            is_string(p, p->labels[labels[i]].value, value))
            return true;
    return false;
}

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
    struct flm_profile *p =
        read_written(&w, &(struct flm_read_options){.lines = true, .by_thread = true});
    assert_folded(p, "main;app.Main.run_[0] 1\nmain;app.Main.run_[j];app.Main.work_[i] 1\n");
    assert_int_equal(frame_named(p, "app.Main.work")->line, 5);
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

/* ---- Types ----------------------------------------------------------------------------------- */

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

/* ---- Other events ---------------------------------------------------------------------------- */

static void waits_last_as_long_as_their_ticks_say(void **state)
{
    (void)state;
    struct jfr_writer w = {.ticks_per_second = 2400000000, .start_ticks = 2400};
    jfr_begin(&w, CONSTANT_TYPES "31 jdk.JavaMonitorEnter startTime:long duration:long@TICKS "
                                 "eventThread:*java.lang.Thread stackTrace:*jdk.types.StackTrace "
                                 "monitorClass:*java.lang.Class\n");
    jfr_event(&w, 31);
    jfr_long(&w, 4800);
    jfr_long(&w, 24000);
    jfr_long(&w, MAIN);
    jfr_long(&w, RUNS);
    jfr_long(&w, OBJECTS);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "lock", "ns", 10000, 1);
    assert_folded(p, "app.Main.run_[0];java.lang.Object[] 10000\n");
    assert_int_equal(frame_named(p, "java.lang.Object[]")->kind, FLM_KIND_LABEL);
    assert_int_equal(p->sample_time[0], 2000);
    assert_int_equal(p->sample_duration[0], 10000);
    assert_true(has_label(p, p->sample_labels[0], "state", "lock"));
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void put_allocation(struct jfr_writer *w, uint64_t type, uint64_t weight)
{
    jfr_event(w, type);
    jfr_long(w, 1);
    jfr_long(w, MAIN);
    jfr_long(w, RUNS);
    jfr_long(w, NUMBERS);
    jfr_long(w, weight);
    jfr_end_event(w);
}

static void two_estimates_of_the_same_bytes_are_two_metrics(void **state)
{
    (void)state;
#define ALLOCATED                                                                                  \
    "startTime:long eventThread:*java.lang.Thread stackTrace:*jdk.types.StackTrace "               \
    "objectClass:*java.lang.Class "
    for (int both = 0; both < 2; both++) {
        struct jfr_writer w = {0};
        jfr_begin(&w, CONSTANT_TYPES "31 jdk.ObjectAllocationInNewTLAB " ALLOCATED "tlabSize:long\n"
                                     "32 jdk.ObjectAllocationOutsideTLAB " ALLOCATED
                                     "allocationSize:long\n"
                                     "33 jdk.ObjectAllocationSample " ALLOCATED "weight:long\n");
        put_allocation(&w, 31, 100);
        put_allocation(&w, 32, 20);
        if (both)
            put_allocation(&w, 33, 3);
        put_constants(&w, 0, "C1 compiled");
        jfr_end(&w);
        struct flm_profile *p = read_written(&w, &timed);
        assert_metric(p, 0, "allocation", "bytes", both ? 3 : 120, 1);
        if (both)
            assert_metric(p, 1, "tlab-allocation", "bytes", 120, 1);
        assert_int_equal(p->sizes.metric_count, 1 + both);
        assert_non_null(frame_named(p, "int[][]"));
        flm_profile_free(p);
        flm_text_clear(&w.file);
    }
}

static void put_memory(struct jfr_writer *w, uint64_t type, uint64_t time, uint64_t address,
                       uint64_t size)
{
    jfr_event(w, type);
    jfr_long(w, time);
    jfr_long(w, MAIN);
    jfr_long(w, RUNS);
    jfr_long(w, address);
    if (size)
        jfr_long(w, size);
    jfr_end_event(w);
}

static void memory_that_is_not_freed_is_a_leak_unless_it_is_young(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES "31 profiler.Malloc startTime:long eventThread:*java.lang.Thread "
                                 "stackTrace:*jdk.types.StackTrace address:long size:long\n"
                                 "32 profiler.Free startTime:long eventThread:*java.lang.Thread "
                                 "stackTrace:*jdk.types.StackTrace address:long\n");
    put_memory(&w, 32, 500, 0xa0, 0); /* freed before it is allocated, in the order of the file */
    put_memory(&w, 31, 100, 0xa0, 7);
    put_memory(&w, 31, 200, 0xb0, 16);
    put_memory(&w, 31, 300, 0xc0, 32);
    put_memory(&w, 32, 400, 0xc0, 0);
    put_memory(&w, 31, 600, 0xc0, 64);   /* again at that address */
    put_memory(&w, 31, 1000, 0xd0, 128); /* in the last tenth */
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "native-memory", "bytes", 247, 1);
    assert_metric(p, 1, "native-leak", "bytes", 80, 1);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void cpu_time_is_samples_and_nanoseconds(void **state)
{
    (void)state;
    struct jfr_writer w = {.ticks_per_second = 2000000000};
    jfr_begin(&w, CONSTANT_TYPES
              "31 jdk.CPUTimeSample startTime:long stackTrace:*jdk.types.StackTrace "
              "eventThread:*java.lang.Thread failed:boolean samplingPeriod:long@TICKS\n"
              "32 jdk.CPUTimeSamplesLost startTime:long lostSamples:int\n");
    for (unsigned failed = 0; failed < 2; failed++) {
        jfr_event(&w, 31);
        jfr_long(&w, 1);
        jfr_long(&w, failed ? 0 : RUNS);
        jfr_long(&w, MAIN);
        jfr_byte(&w, failed);
        jfr_long(&w, 20000000);
        jfr_end_event(&w);
    }
    jfr_event(&w, 32);
    jfr_long(&w, 1);
    jfr_int(&w, 9);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_metric(p, 0, "cpu-samples", "samples", 2, 2);
    assert_metric(p, 1, "cpu-time", "ns", 20000000, 2);
    assert_true(lost(p, "CPU-time samples whose stack could not be read", "") == 1);
    assert_true(lost(p, "CPU-time samples that the VM lost", "") == 9);
    flm_profile_free(p);
    flm_text_clear(&w.file);
}

static void events_become_markers_counters_and_notes(void **state)
{
    (void)state;
    struct jfr_writer w = {0};
    jfr_begin(&w, CONSTANT_TYPES
              "31 jdk.GarbageCollection startTime:long duration:long@TICKS gcId:int "
              "name:java.lang.String longestPause:long@TICKS\n"
              "32 com.acme.Order startTime:long eventThread:*java.lang.Thread id:long paid:boolean "
              "by:*java.lang.Thread what:*java.lang.Class\n"
              "33 jdk.CPULoad startTime:long machineTotal:float\n"
              "34 jdk.JVMInformation startTime:long jvmVersion:java.lang.String "
              "jvmArguments:java.lang.String javaArguments:java.lang.String pid:long\n"
              "35 jdk.Unknown startTime:long\n" SAMPLE_TYPE);
    put_sample(&w, 1, MAIN, RUNS, RUNNABLE);
    jfr_event(&w, 31);
    jfr_long(&w, 10);
    jfr_long(&w, 2500000);
    jfr_int(&w, 4);
    jfr_string(&w, "G1New");
    jfr_long(&w, 1910000);
    jfr_end_event(&w);
    jfr_event(&w, 32);
    jfr_long(&w, 20);
    jfr_long(&w, MAIN);
    jfr_long(&w, 12);
    jfr_byte(&w, 1);
    jfr_long(&w, COLLECTOR);
    jfr_long(&w, NUMBERS);
    jfr_end_event(&w);
    jfr_event(&w, 33);
    jfr_long(&w, 30);
    jfr_fixed(&w, 0x3e800000, 4); /* 0.25 */
    jfr_end_event(&w);
    jfr_event(&w, 34);
    jfr_long(&w, 1);
    jfr_string(&w, "17.0.1");
    jfr_string(&w, "-Xmx1g");
    jfr_string(&w, "/srv/app.jar --port 80");
    jfr_long(&w, 4321);
    jfr_end_event(&w);
    jfr_event(&w, 35);
    jfr_long(&w, 1);
    jfr_end_event(&w);
    put_constants(&w, 0, "C1 compiled");
    jfr_end(&w);
    struct flm_profile *p = read_written(&w, &timed);
    assert_int_equal(p->sizes.marker_count, 2);
    assert_true(is_string(p, p->markers[0].name, "GC"));
    assert_true(is_string(p, p->markers[0].detail, "name: G1New, longestPause: 1.91 ms"));
    assert_int_equal(p->markers[0].duration_ns, 2500000);
    assert_true(is_string(p, p->markers[1].name, "com.acme.Order"));
    assert_true(
        is_string(p, p->markers[1].detail, "id: 12, paid: true, by: GC Thread#0, what: int[][]"));
    assert_true(has_label(p, p->markers[1].label_set, "thread name", "main"));
    struct flm_counter_points load = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(is_string(p, load.name.index, "CPU load: machine"));
    assert_true(load.value[0] == 25 && load.time_ns[0] == 1030);
    assert_note(p, "JVM", "17.0.1");
    assert_note(p, "command", "java -Xmx1g /srv/app.jar --port 80");
    assert_note(p, "events that are not shown", "1: jdk.Unknown 1");
    assert_true(has_label(p, p->sample_labels[0], "process", "4321"));
    assert_true(has_label(p, p->sample_labels[0], "process name", "app.jar"));
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
        cmocka_unit_test(fields_are_found_by_name_whatever_stands_before_them),
        cmocka_unit_test(names_of_jdk_9_mean_the_same),
        cmocka_unit_test(types_that_contain_themselves_are_left_alone),
        cmocka_unit_test(an_event_that_is_too_short_is_counted),
        cmocka_unit_test(ids_are_those_of_a_chunk),
        cmocka_unit_test(the_last_value_of_a_constant_stays),
        cmocka_unit_test(a_chunk_that_is_being_written_is_read_as_far_as_it_goes),
        cmocka_unit_test(constants_behind_an_invalid_event_are_found_by_the_header),
        cmocka_unit_test(the_end_of_a_file_that_was_cut_is_counted),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
        cmocka_unit_test(waits_last_as_long_as_their_ticks_say),
        cmocka_unit_test(two_estimates_of_the_same_bytes_are_two_metrics),
        cmocka_unit_test(memory_that_is_not_freed_is_a_leak_unless_it_is_young),
        cmocka_unit_test(cpu_time_is_samples_and_nanoseconds),
        cmocka_unit_test(events_become_markers_counters_and_notes),
        cmocka_unit_test(strings_of_every_form_are_the_same_text),
        cmocka_unit_test(a_chunk_without_a_clock_has_samples_without_times),
        cmocka_unit_test(a_recording_of_async_profiler_adds_up),
        cmocka_unit_test(a_recording_of_a_vm_adds_up),
        cmocka_unit_test(the_laws_of_readers_hold),
        cmocka_unit_test(it_survives_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
