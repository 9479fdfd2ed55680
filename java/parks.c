/* parks.c - waits for locks of java.util.concurrent: a thread that does not get one parks.
 *
 * The VM has no event of it, but all parks go through one native method, Unsafe.park. While locks
 * are measured that is a function of ours, which calls the VM's. Where the VM's function is, it
 * says itself when Unsafe.registerNatives() is called again, with our own RegisterNatives in the
 * table of the JNI. Of what Unsafe registers only park is passed on: all else stays as it is.
 *
 * HotSpot 13 and later prints a warning when a native method of the platform is registered for
 * somebody who is not of the platform. So registerNatives() is called through
 * MethodHandle.invokeWithArguments, and not by us.
 *
 * A thread may be in our function when the recording ends, and for as long as it likes: the library
 * stays mapped. */
#include <string.h>

#include "java/internal.h"

typedef void (*park)(jni *, object unsafe, uint8_t is_absolute, int64_t time);

static park vm_park;                       /* kept from the first time on */
static _Atomic(park) registered;           /* what is to be registered now */
static _Atomic int32_t registering_thread; /* 0: none */
static register_natives vm_register;
static field_id blocker_field;

/* Global references, kept. Of the first two are the locks' blockers: those of conditions, futures
 * and queues are not. A latch is one too, and no lock. */
static object synchronizer, long_synchronizer, stamped_lock, latch;

/* ---- In the threads of the program ----------------------------------------------------------- */

static bool is_lock(jni *env, object blocker)
{
    return (jni_is_instance(env, blocker, synchronizer) && !jni_is_instance(env, blocker, latch)) ||
           jni_is_instance(env, blocker, long_synchronizer) ||
           jni_is_instance(env, blocker, stamped_lock);
}

/* The class of the lock that the current thread will wait for: a local reference, or NULL. */
static object awaited(jni *env)
{
    object thread = NULL, of = NULL;
    if (jvmti_current_thread(agent.ti, &thread) != 0 || !thread)
        return NULL;
    object blocker = jni_get_object(env, thread, blocker_field);
    if (blocker && is_lock(env, blocker))
        of = jni_class_of(env, blocker);
    if (blocker)
        jni_delete_local(env, blocker);
    jni_delete_local(env, thread);
    return of;
}

/* Unsafe.park: nothing of the agent is held while the thread waits. */
static void our_park(jni *env, object unsafe, uint8_t is_absolute, int64_t time)
{
    struct flm_java_sample s = {.metric = FLM_JAVA_LOCK, .state = FLM_JAVA_PARKED};
    object of = NULL;
    if (enter()) {
        of = awaited(env);
        leave();
    }
    int64_t from_ns = of ? now_ns(CLOCK_MONOTONIC) : 0;
    vm_park(env, unsafe, is_absolute, time);
    if (!of)
        return;
    if (enter()) {
        s.time_ns = now_ns(CLOCK_MONOTONIC);
        s.value = (uint64_t)(s.time_ns - from_ns);
        sample_here(&s, of);
        leave();
    }
    jni_delete_local(env, of);
}

/* ---- Taking its place ------------------------------------------------------------------------ */

/* RegisterNatives, of all threads for the moment. */
static int32_t our_register(jni *env, object of, const struct jni_native_method *methods,
                            int32_t count)
{
    if (atomic_load(&registering_thread) != own_id())
        return vm_register(env, of, methods, count);
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(methods[i].name, "park") != 0 || strcmp(methods[i].signature, "(ZJ)V") != 0)
            continue;
        struct jni_native_method one = methods[i];
        if (!vm_park)
            vm_park = (park)one.at;
        park at = atomic_load(&registered);
        one.at = (function)(at ? at : vm_park);
        return vm_register(env, of, &one, 1);
    }
    return 0;
}

/* Unsafe.registerNatives(), by MethodHandle.invokeWithArguments. False, and an exception, if a
 * class or method is not there. */
static bool call_registration(jni *env, object unsafe)
{
    object handles = jni_find_class(env, "java/lang/invoke/MethodHandles$Lookup");
    object type_class = handles ? jni_find_class(env, "java/lang/invoke/MethodType") : NULL;
    object handle_class = type_class ? jni_find_class(env, "java/lang/invoke/MethodHandle") : NULL;
    object void_class = handle_class ? jni_find_class(env, "java/lang/Void") : NULL;
    object object_class = void_class ? jni_find_class(env, "java/lang/Object") : NULL;
    if (!object_class)
        return false;
    field_id all =
        jni_static_field(env, handles, "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;");
    field_id nothing = all ? jni_static_field(env, void_class, "TYPE", "Ljava/lang/Class;") : NULL;
    method_id type_of = nothing ? jni_static_method(env, type_class, "methodType",
                                                    "(Ljava/lang/Class;)"
                                                    "Ljava/lang/invoke/MethodType;")
                                : NULL;
    method_id find = type_of ? jni_method(env, handles, "findStatic",
                                          "(Ljava/lang/Class;Ljava/lang/String;"
                                          "Ljava/lang/invoke/MethodType;)"
                                          "Ljava/lang/invoke/MethodHandle;")
                             : NULL;
    method_id invoke = find ? jni_method(env, handle_class, "invokeWithArguments",
                                         "([Ljava/lang/Object;)Ljava/lang/Object;")
                            : NULL;
    if (!invoke)
        return false;
    object lookup = jni_get_static_object(env, handles, all);
    union jni_value of_nothing = {.o = jni_get_static_object(env, void_class, nothing)};
    object type = jni_call_static(env, type_class, type_of, &of_nothing);
    object name = jni_has_exception(env) ? NULL : jni_new_text(env, "registerNatives");
    if (!lookup || !type || !name)
        return false;
    const union jni_value what[3] = {{.o = unsafe}, {.o = name}, {.o = type}};
    object handle = jni_call(env, lookup, find, what);
    union jni_value none = {.o = jni_has_exception(env) ? NULL
                                                        : jni_new_objects(env, 0, object_class)};
    if (!handle || !none.o)
        return false;
    jni_call(env, handle, invoke, &none);
    return !jni_has_exception(env);
}

/* Registers a function as Unsafe.park; NULL: that of the VM. */
static bool set_park(jni *env, park at)
{
    function *table = NULL;
    enum { LOCAL_REFERENCES = 32 };
    if (jni_push_frame(env, LOCAL_REFERENCES) != 0)
        return false;
    object unsafe = jni_find_class(env, "jdk/internal/misc/Unsafe");
    if (!unsafe) { /* Java 8 */
        jni_clear_exception(env);
        unsafe = jni_find_class(env, "sun/misc/Unsafe");
    }
    bool good = unsafe && jvmti_jni_table(agent.ti, &table) == 0;
    if (good) {
        vm_register = (register_natives)table[JNI_REGISTER_NATIVES];
        atomic_store(&registered, at);
        atomic_store(&registering_thread, own_id());
        table[JNI_REGISTER_NATIVES] = (function)our_register;
        good = jvmti_set_jni_table(agent.ti, table) == 0 && call_registration(env, unsafe);
        table[JNI_REGISTER_NATIVES] = (function)vm_register;
        jvmti_set_jni_table(agent.ti, table);
        atomic_store(&registering_thread, 0);
        jvmti_free(agent.ti, table);
    }
    jni_clear_exception(env);
    jni_pop_frame(env, NULL);
    return good && vm_park;
}

/* A global reference to a class, kept from the first time on. False: there is no such class. */
static bool keep(jni *env, object *kept, const char *name)
{
    object of = *kept ? NULL : jni_find_class(env, name);
    if (of) {
        *kept = jni_new_global(env, of);
        jni_delete_local(env, of);
    }
    jni_clear_exception(env);
    return *kept != NULL;
}

bool parks_begin(jni *env)
{
    object thread = jni_find_class(env, "java/lang/Thread");
    blocker_field = thread ? jni_field(env, thread, "parkBlocker", "Ljava/lang/Object;") : NULL;
    jni_clear_exception(env);
    if (thread)
        jni_delete_local(env, thread);
    return blocker_field &&
           keep(env, &synchronizer, "java/util/concurrent/locks/AbstractQueuedSynchronizer") &&
           keep(env, &long_synchronizer,
                "java/util/concurrent/locks/AbstractQueuedLongSynchronizer") &&
           keep(env, &stamped_lock, "java/util/concurrent/locks/StampedLock") &&
           keep(env, &latch, "java/util/concurrent/CountDownLatch$Sync") && set_park(env, our_park);
}

void parks_end(jni *env)
{
    if (vm_park)
        set_park(env, NULL);
}
