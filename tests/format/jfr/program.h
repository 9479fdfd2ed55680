/* program.h - chunks of a small program, as tests of the JFR reader write and read them. */
#ifndef FLAMEL_TESTS_FORMAT_JFR_PROGRAM_H
#define FLAMEL_TESTS_FORMAT_JFR_PROGRAM_H

#include "support/profile/format_laws.h"
#include "support/profile/jfr_writer.h"

static const struct flm_format *const jfr = &flm_format_jfr;

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

static inline void named(struct jfr_writer *w, uint64_t key, const char *name)
{
    jfr_long(w, key);
    jfr_string(w, name);
}

static inline void put_thread(struct jfr_writer *w, uint64_t key, const char *os, uint64_t id,
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

static inline void put_frame(struct jfr_writer *w, uint64_t method, uint32_t line, uint64_t kind)
{
    jfr_long(w, method);
    jfr_int(w, line);
    jfr_int(w, 11);
    jfr_long(w, kind);
}

static inline void put_stack(struct jfr_writer *w, uint64_t key, bool truncated, uint32_t frames)
{
    jfr_long(w, key);
    jfr_byte(w, truncated);
    jfr_int(w, frames);
}

static inline void put_class(struct jfr_writer *w, uint64_t key, uint64_t symbol)
{
    jfr_long(w, key);
    jfr_long(w, 0);
    jfr_long(w, symbol);
    jfr_long(w, 0);
    jfr_int(w, 1);
}

static inline void put_method(struct jfr_writer *w, uint64_t key, uint64_t class, uint64_t symbol)
{
    jfr_long(w, key);
    jfr_long(w, class);
    jfr_long(w, symbol);
    jfr_int(w, 1);
    jfr_byte(w, 0);
}

/* The types have these ids plus `add`. The first kind of frames is `first_kind`. */
static inline void put_constants(struct jfr_writer *w, uint64_t add, const char *last_kind)
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

static inline void put_sample(struct jfr_writer *w, uint64_t time, uint64_t thread, uint64_t stack,
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
static inline void put_chunk(struct jfr_writer *w)
{
    jfr_begin(w, CONSTANT_TYPES SAMPLE_TYPE);
    put_sample(w, 10, MAIN, WORKS, RUNNABLE);
    put_sample(w, 30, MAIN, RUNS, RUNNABLE);
    put_constants(w, 0, "C1 compiled");
    jfr_end(w);
}

static const struct flm_read_options timed = {.keep_times = true};

static inline struct flm_profile *read_written(const struct jfr_writer *w,
                                               const struct flm_read_options *options)
{
    struct flm_profile *p = read_bytes(jfr, jfr_file(w), options);
    assert_sound(p);
    return p;
}

/* The writer is cleared. */
static inline void assert_stacks(struct jfr_writer *w, const char *folded)
{
    struct flm_profile *p = read_written(w, &timed);
    assert_folded(p, folded);
    flm_profile_free(p);
    flm_text_clear(&w->file);
}

static inline void assert_file_refused(struct jfr_writer *w, const char *sentence)
{
    struct flm_error why = {0};
    assert_null(try_bytes(jfr, jfr_file(w), &timed, &why));
    assert_string_equal(why.text, sentence);
    flm_text_clear(&w->file);
}

static inline bool has_label(const struct flm_profile *p, uint32_t set, const char *key,
                             const char *value)
{
    uint32_t count;
    const uint32_t *labels = flm_profile_label_set(p, (struct flm_label_set){set}, &count);
    for (uint32_t i = 0; i < count; i++)
        if (is_string(p, p->labels[labels[i]].key, key) &&
            is_string(p, p->labels[labels[i]].value, value))
            return true;
    return false;
}

#endif
