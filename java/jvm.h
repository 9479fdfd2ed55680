/* jvm.h - the little of the JNI and of JVM TI that the agent calls.
 *
 * Both are tables of functions at fixed positions, which their specifications give (JNI 1.6, "JNI
 * Functions"; JVM TI 1.2, "Function index"), and which no version has changed: the positions are
 * the ABI. So nobody needs a JDK to build flamel, as they would for its headers. An environment
 * points to a pointer to its table; functions that return int32_t return 0, or an error.
 *
 * AsyncGetCallTrace is in no specification: it is what all profilers of HotSpot call. */
#ifndef FLAMEL_JAVA_JVM_H
#define FLAMEL_JAVA_JVM_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*function)(void);
typedef struct object *object; /* references to objects, classes among them */
typedef struct method *method_id;
typedef struct field *field_id;
typedef struct vm {
    const function *table;
} vm;
typedef struct jni {
    const function *table;
} jni;
typedef struct jvmti {
    const function *table;
} jvmti;

enum { JNI_VERSION = 0x00010006, JVMTI_VERSION = 0x30010200 };

/* The function at a position, with its type: CALL(env, 6, object, (jni *, const char *)). */
#define CALL(env, position, result, ...) ((result(*) __VA_ARGS__)(env)->table[position])

/* ---- The VM ---------------------------------------------------------------------------------- */

static inline int32_t vm_attach_daemon(vm *v, jni **env, void *arguments)
{
    return CALL(v, 7, int32_t, (vm *, jni **, void *))(v, env, arguments);
}
static inline int32_t vm_detach(vm *v)
{
    return CALL(v, 5, int32_t, (vm *))(v);
}
static inline int32_t vm_environment(vm *v, void *env, int32_t version)
{
    return CALL(v, 6, int32_t, (vm *, void *, int32_t))(v, env, version);
}

struct vm_attach_arguments {
    int32_t version;
    const char *name;
    object group;
};

/* ---- JNI ------------------------------------------------------------------------------------- */

static inline int32_t jni_version(jni *e)
{
    return CALL(e, 4, int32_t, (jni *))(e);
}
static inline object jni_find_class(jni *e, const char *name)
{
    return CALL(e, 6, object, (jni *, const char *))(e, name);
}
static inline bool jni_has_exception(jni *e)
{
    return CALL(e, 228, uint8_t, (jni *))(e);
}
static inline void jni_clear_exception(jni *e)
{
    CALL(e, 17, void, (jni *))(e);
}
static inline int32_t jni_push_frame(jni *e, int32_t references)
{
    return CALL(e, 19, int32_t, (jni *, int32_t))(e, references);
}
static inline object jni_pop_frame(jni *e, object result)
{
    return CALL(e, 20, object, (jni *, object))(e, result);
}
static inline object jni_new_global(jni *e, object o)
{
    return CALL(e, 21, object, (jni *, object))(e, o);
}
static inline void jni_delete_global(jni *e, object o)
{
    CALL(e, 22, void, (jni *, object))(e, o);
}
static inline void jni_delete_local(jni *e, object o)
{
    CALL(e, 23, void, (jni *, object))(e, o);
}
static inline object jni_new_local(jni *e, object o)
{
    return CALL(e, 25, object, (jni *, object))(e, o);
}
static inline object jni_class_of(jni *e, object o)
{
    return CALL(e, 31, object, (jni *, object))(e, o);
}
static inline bool jni_is_instance(jni *e, object o, object of)
{
    return CALL(e, 32, uint8_t, (jni *, object, object))(e, o, of);
}

union jni_value {
    object o;
    int64_t n;
};
static inline method_id jni_method(jni *e, object of, const char *name, const char *type)
{
    return CALL(e, 33, method_id, (jni *, object, const char *, const char *))(e, of, name, type);
}
static inline object jni_call(jni *e, object o, method_id method, const union jni_value *values)
{
    return CALL(e, 36, object, (jni *, object, method_id, const union jni_value *))(e, o, method,
                                                                                    values);
}
static inline method_id jni_static_method(jni *e, object of, const char *name, const char *type)
{
    return CALL(e, 113, method_id, (jni *, object, const char *, const char *))(e, of, name, type);
}
static inline object jni_call_static(jni *e, object of, method_id method,
                                     const union jni_value *values)
{
    return CALL(e, 116, object, (jni *, object, method_id, const union jni_value *))(e, of, method,
                                                                                     values);
}
static inline field_id jni_static_field(jni *e, object of, const char *name, const char *type)
{
    return CALL(e, 144, field_id, (jni *, object, const char *, const char *))(e, of, name, type);
}
static inline object jni_get_static_object(jni *e, object of, field_id field)
{
    return CALL(e, 145, object, (jni *, object, field_id))(e, of, field);
}
static inline object jni_new_text(jni *e, const char *text)
{
    return CALL(e, 167, object, (jni *, const char *))(e, text);
}
/* In UTF-16 units; the copy is in the VM's variant of UTF-8, and ends with 0. */
static inline int32_t jni_text_size(jni *e, object text)
{
    return CALL(e, 164, int32_t, (jni *, object))(e, text);
}
static inline void jni_copy_text(jni *e, object text, int32_t units, char *to)
{
    CALL(e, 221, void, (jni *, object, int32_t, int32_t, char *))(e, text, 0, units, to);
}
static inline object jni_new_objects(jni *e, int32_t count, object of)
{
    return CALL(e, 172, object, (jni *, int32_t, object, object))(e, count, of, (object)0);
}
static inline field_id jni_field(jni *e, object of, const char *name, const char *type)
{
    return CALL(e, 94, field_id, (jni *, object, const char *, const char *))(e, of, name, type);
}
static inline object jni_get_object(jni *e, object o, field_id field)
{
    return CALL(e, 95, object, (jni *, object, field_id))(e, o, field);
}
static inline int64_t jni_get_long(jni *e, object o, field_id field)
{
    return CALL(e, 101, int64_t, (jni *, object, field_id))(e, o, field);
}

static inline object jni_new_weak(jni *e, object o)
{
    return CALL(e, 226, object, (jni *, object))(e, o);
}
static inline void jni_delete_weak(jni *e, object o)
{
    CALL(e, 227, void, (jni *, object))(e, o);
}
/* Whether a weak reference has lost its object. */
static inline bool jni_is_cleared(jni *e, object o)
{
    return CALL(e, 24, uint8_t, (jni *, object, object))(e, o, (object)0);
}

struct jni_native_method {
    const char *name, *signature;
    function at;
};
enum { JNI_REGISTER_NATIVES = 215 };
typedef int32_t (*register_natives)(jni *, object, const struct jni_native_method *, int32_t);

/* ---- JVM TI ---------------------------------------------------------------------------------- */

enum {
    EVENT_VM_INIT = 50,
    EVENT_VM_DEATH = 51,
    EVENT_THREAD_START = 52,
    EVENT_THREAD_END = 53,
    EVENT_CLASS_LOAD = 55,
    EVENT_CLASS_PREPARE = 56,
    EVENT_DYNAMIC_CODE = 70,
    EVENT_MONITOR_ENTER = 75,
    EVENT_MONITOR_ENTERED = 76,
    EVENT_SAMPLED_ALLOCATION = 86,
    EVENTS_FIRST = 50,
    EVENTS_COUNT = 37
};

/* Capabilities: bits of 128. */
enum {
    CAN_GET_SOURCE_FILE_NAME = 11,
    CAN_GET_LINE_NUMBERS = 12,
    CAN_COMPILED_METHOD_LOAD = 27,
    CAN_MONITOR_EVENTS = 28,
    CAN_SAMPLED_ALLOCATION = 43
};
struct jvmti_capabilities {
    uint32_t words[4];
};

/* States of a thread. */
enum {
    THREAD_ALIVE = 0x1,
    THREAD_RUNNABLE = 0x4,
    THREAD_WAITING_INDEFINITELY = 0x10,
    THREAD_WAITING_WITH_TIMEOUT = 0x20,
    THREAD_SLEEPING = 0x40,
    THREAD_IN_OBJECT_WAIT = 0x100,
    THREAD_PARKED = 0x200,
    THREAD_BLOCKED = 0x400,
    THREAD_IN_NATIVE = 0x400000
};

enum { JVMTI_PHASE_LIVE = 4 };

struct jvmti_frame {
    method_id method;
    int64_t location;
};
struct jvmti_line {
    int64_t from;
    int32_t line;
};
struct jvmti_thread_info {
    char *name;
    int32_t priority;
    uint8_t is_daemon;
    object group, loader;
};

static inline int32_t jvmti_notify(jvmti *e, bool on, int32_t event)
{
    return CALL(e, 1, int32_t, (jvmti *, int32_t, int32_t, object, ...))(e, on, event, (object)0);
}
static inline int32_t jvmti_all_threads(jvmti *e, int32_t *count, object **threads)
{
    return CALL(e, 3, int32_t, (jvmti *, int32_t *, object **))(e, count, threads);
}
static inline int32_t jvmti_thread_info(jvmti *e, object thread, struct jvmti_thread_info *info)
{
    return CALL(e, 8, int32_t, (jvmti *, object, struct jvmti_thread_info *))(e, thread, info);
}
static inline int32_t jvmti_thread_state(jvmti *e, object thread, int32_t *state)
{
    return CALL(e, 16, int32_t, (jvmti *, object, int32_t *))(e, thread, state);
}
static inline int32_t jvmti_current_thread(jvmti *e, object *thread)
{
    return CALL(e, 17, int32_t, (jvmti *, object *))(e, thread);
}
static inline void jvmti_free(jvmti *e, void *memory)
{
    if (memory)
        CALL(e, 46, int32_t, (jvmti *, void *))(e, memory);
}
static inline int32_t jvmti_class_signature(jvmti *e, object of, char **signature)
{
    return CALL(e, 47, int32_t, (jvmti *, object, char **, char **))(e, of, signature, (char **)0);
}
static inline int32_t jvmti_source_file(jvmti *e, object of, char **name)
{
    return CALL(e, 49, int32_t, (jvmti *, object, char **))(e, of, name);
}
static inline int32_t jvmti_class_methods(jvmti *e, object of, int32_t *count, method_id **methods)
{
    return CALL(e, 51, int32_t, (jvmti *, object, int32_t *, method_id **))(e, of, count, methods);
}
static inline int32_t jvmti_method_name(jvmti *e, method_id method, char **name, char **signature)
{
    return CALL(e, 63, int32_t, (jvmti *, method_id, char **, char **, char **))(
        e, method, name, signature, (char **)0);
}
static inline int32_t jvmti_method_class(jvmti *e, method_id method, object *of)
{
    return CALL(e, 64, int32_t, (jvmti *, method_id, object *))(e, method, of);
}
static inline int32_t jvmti_line_table(jvmti *e, method_id method, int32_t *count,
                                       struct jvmti_line **lines)
{
    return CALL(e, 69, int32_t,
                (jvmti *, method_id, int32_t *, struct jvmti_line **))(e, method, count, lines);
}
static inline int32_t jvmti_loaded_classes(jvmti *e, int32_t *count, object **classes)
{
    return CALL(e, 77, int32_t, (jvmti *, int32_t *, object **))(e, count, classes);
}
static inline int32_t jvmti_stack(jvmti *e, object thread, int32_t most, struct jvmti_frame *frames,
                                  int32_t *count)
{
    return CALL(e, 103, int32_t,
                (jvmti *, object, int32_t, int32_t, struct jvmti_frame *, int32_t *))(
        e, thread, 0, most, frames, count);
}
static inline int32_t jvmti_collect(jvmti *e)
{
    return CALL(e, 107, int32_t, (jvmti *))(e);
}
static inline int32_t jvmti_set_jni_table(jvmti *e, const function *table)
{
    return CALL(e, 119, int32_t, (jvmti *, const function *))(e, table);
}
static inline int32_t jvmti_jni_table(jvmti *e, function **table)
{
    return CALL(e, 120, int32_t, (jvmti *, function **))(e, table);
}
static inline int32_t jvmti_set_callbacks(jvmti *e, const function callbacks[EVENTS_COUNT])
{
    return CALL(e, 121, int32_t, (jvmti *, const function *, int32_t))(
        e, callbacks, (int32_t)(EVENTS_COUNT * sizeof *callbacks));
}
static inline int32_t jvmti_generate(jvmti *e, int32_t event)
{
    return CALL(e, 122, int32_t, (jvmti *, int32_t))(e, event);
}
static inline int32_t jvmti_system_property(jvmti *e, const char *name, char **value)
{
    return CALL(e, 130, int32_t, (jvmti *, const char *, char **))(e, name, value);
}
static inline int32_t jvmti_phase(jvmti *e, int32_t *phase)
{
    return CALL(e, 132, int32_t, (jvmti *, int32_t *))(e, phase);
}
static inline int32_t jvmti_potential(jvmti *e, struct jvmti_capabilities *capabilities)
{
    return CALL(e, 139, int32_t, (jvmti *, struct jvmti_capabilities *))(e, capabilities);
}
static inline int32_t jvmti_add(jvmti *e, const struct jvmti_capabilities *capabilities)
{
    return CALL(e, 141, int32_t, (jvmti *, const struct jvmti_capabilities *))(e, capabilities);
}
static inline int32_t jvmti_relinquish(jvmti *e, const struct jvmti_capabilities *capabilities)
{
    return CALL(e, 142, int32_t, (jvmti *, const struct jvmti_capabilities *))(e, capabilities);
}
static inline int32_t jvmti_heap_interval(jvmti *e, int32_t bytes)
{
    return CALL(e, 155, int32_t, (jvmti *, int32_t))(e, bytes);
}

/* ---- HotSpot's own --------------------------------------------------------------------------- */

struct call_frame {
    int32_t bytecode;
    method_id method;
};
struct call_trace {
    jni *env;
    int32_t count; /* of frames; 0 or below: an error */
    struct call_frame *frames;
};
typedef void (*get_call_trace)(struct call_trace *, int32_t most, void *context);

#endif
