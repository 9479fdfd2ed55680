/* probe.h - measures a program from inside: what parts of it cost, by calls and by time.
 *
 *     #include <flamel/probe.h>                       cc app.c -lflamel-probe
 *
 *     void parse(struct file *file)
 *     {
 *         FLM_FUNC();                                 until the function returns
 *         while (next(file)) {
 *             FLM_SCOPE("line");                      until the end of the block
 *             ...
 *         }
 *     }
 *
 *     $ FLAMEL=file:app.probe ./app; flamel view app.probe
 *
 * Scopes that are inside each other are a call tree: for each path calls, total time, the longest
 * call, what it allocated and waited for; and for each scope the distribution of its durations.
 * They are in a mapped file, a part for each thread, which grows with threads, source locations and
 * paths of scopes, not with calls. FLAMEL=report prints them at the end.
 *
 * A scope whose name is known only when it begins is FLM_SCOPE_NAMED(text); one that is done for
 * somebody else, FLM_REQUEST("GET /users"): what happens in it is in its part of the tree. Such
 * names should be few (a route, not an address): after 1,000 of a kind it is "<other>".
 *
 * probe_values.h has values, counters and frames, probe_tasks.h what goes from thread to thread,
 * probe_flow.h queues and streams.
 *
 * Nothing is measured unless the environment variable FLAMEL says so, or flm_probe_start. A scope
 * then costs a load and a branch. The same where the program is not linked with the library. With
 * -DFLM_PROBE=0 the macros are nothing, and the machine code is the same as without them.
 *
 * Any number of threads, and signal handlers. The library never ends the program, and prints only
 * that FLAMEL is wrong or that the file cannot be made. A scope waits for another thread only where
 * something new is added: a thread, a source location, a path of scopes. C11, and C++11: a
 * scope ends with its block, also by an exception, and by longjmp; with the static library that
 * takes the options of pkg-config --static --libs flamel-probe, or it ends with the scope around
 * it. */
#ifndef FLAMEL_PROBE_H
#define FLAMEL_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A source location that is measured. The macros make them; they are never freed: what dlclose
 * unloads has been copied. */
struct flm_site {
    const char *name; /* "line"; NULL: that of the function */
    const char *function, *file;
    uint32_t line;
    uint32_t number;          /* the library's; 0 at first */
    uint16_t kind, operation; /* enum flm_probe_kind, flm_probe_operation: 0, a scope */
    const void *address;      /* of a function or lock that has no name; NULL: none */
    const void *caller;       /* of a lock: where it is taken; of a lambda (or a function
                                 with a name as long): its whole name, a text; NULL: not known */
};

/* A scope that is open, in a variable of the block. */
struct flm_scope {
    void *open; /* the library's; NULL: it is not measured */
};

/* They are not functions of the program: -finstrument-functions and XRay leave them out. */
#ifdef __clang__
#define FLM_PROBE_INLINE                                                                           \
    static inline __attribute__((no_instrument_function, xray_never_instrument))
#else
#define FLM_PROBE_INLINE static inline __attribute__((no_instrument_function))
#endif

#if !defined(FLM_PROBE) || FLM_PROBE

/* Weak: a program that is not linked with the library has none of these. */
#ifndef FLM_PROBE_WEAK
#define FLM_PROBE_WEAK __attribute__((weak, visibility("default")))
#define FLM_PROBE_IS_LINKED (&flm_probe_state != 0)
#endif

/* Not 0: it measures. */
extern FLM_PROBE_WEAK volatile uint32_t flm_probe_state;

#define FLM_PROBE_IS_ON                                                                            \
    __builtin_expect(                                                                              \
        FLM_PROBE_IS_LINKED &&__atomic_load_n(&flm_probe_state, __ATOMIC_RELAXED) != 0, 0)

extern FLM_PROBE_WEAK void *flm_probe_enter(struct flm_site *site);
extern FLM_PROBE_WEAK void *flm_probe_enter_named(const char *name);
extern FLM_PROBE_WEAK void *flm_probe_enter_request(const char *name);
extern FLM_PROBE_WEAK void flm_probe_leave(void *scope);

/* A scope by hand, where blocks do not fit: returns what flm_exit needs. */
FLM_PROBE_INLINE struct flm_scope flm_enter(struct flm_site *site)
{
    struct flm_scope scope = {0};
    if (FLM_PROBE_IS_ON)
        scope.open = flm_probe_enter(site);
    return scope;
}

/* The same, of a name that is known at run time, and is copied. */
FLM_PROBE_INLINE struct flm_scope flm_enter_named(const char *name)
{
    struct flm_scope scope = {0};
    if (FLM_PROBE_IS_ON)
        scope.open = flm_probe_enter_named(name);
    return scope;
}

FLM_PROBE_INLINE struct flm_scope flm_enter_request(const char *name)
{
    struct flm_scope scope = {0};
    if (FLM_PROBE_IS_ON)
        scope.open = flm_probe_enter_request(name);
    return scope;
}

FLM_PROBE_INLINE struct flm_scope flm_no_scope(void)
{
    struct flm_scope scope = {0};
    return scope;
}

FLM_PROBE_INLINE void flm_exit(const struct flm_scope *scope)
{
    if (__builtin_expect(scope->open != 0, 0))
        flm_probe_leave(scope->open);
}

extern FLM_PROBE_WEAK int flm_probe_do_start(const char *settings);
extern FLM_PROBE_WEAK void flm_probe_do_stop(void);
extern FLM_PROBE_WEAK int flm_probe_do_write(void);
extern FLM_PROBE_WEAK int flm_probe_do_report(void);

/* Starts and ends measuring, as FLAMEL does; `settings` are the text of that variable,
 * "file:app.probe"; NULL: no file is written. A process measures into one file: a later start goes
 * on with the first one's. They nest: the last stop ends it. Returns 0, or -1 where the settings
 * are wrong, FLAMEL is "off", there is no memory, or the library is not linked. */
FLM_PROBE_INLINE int flm_probe_start(const char *settings)
{
    return FLM_PROBE_IS_LINKED ? flm_probe_do_start(settings) : -1;
}

FLM_PROBE_INLINE void flm_probe_stop(void)
{
    if (FLM_PROBE_IS_LINKED)
        flm_probe_do_stop();
}

/* Writes when it is now, for readers of the file: the rest is there already. */
FLM_PROBE_INLINE int flm_probe_write(void)
{
    return FLM_PROBE_IS_LINKED ? flm_probe_do_write() : -1;
}

/* Writes the report and whatever FLAMEL asks for, as at the end, of what is measured by now.
 * Returns 0, or -1 where nothing is measured, or something cannot be written. */
static inline int flm_probe_report(void)
{
    return FLM_PROBE_IS_LINKED ? flm_probe_do_report() : -1;
}

#define FLM_PROBE_JOIN_(a, b) a##b
#define FLM_PROBE_JOIN(a, b) FLM_PROBE_JOIN_(a, b)

#define FLM_SCOPE(name) FLM_PROBE_SCOPE_(name, FLM_PROBE_JOIN(flm_at_, __COUNTER__))
#define FLM_FUNC() FLM_PROBE_SCOPE_(0, flm_function)

/* `name` is not evaluated where nothing is measured. */
#define FLM_SCOPE_NAMED(name) FLM_PROBE_NAMED_(flm_enter_named, name)
#define FLM_REQUEST(name) FLM_PROBE_NAMED_(flm_enter_request, name)
#define FLM_PROBE_NAMED_(enter, name)                                                              \
    FLM_PROBE_GUARD_(FLM_PROBE_JOIN(flm_at_, __COUNTER__),                                         \
                     FLM_PROBE_IS_ON ? enter(name) : flm_no_scope())

/* __func__ of all lambdas is "operator()". By the size alone, so that it is a constant. */
#ifdef __cplusplus
#define FLM_PROBE_LAMBDA                                                                           \
    (sizeof __func__ == sizeof "operator()" ? static_cast<const void *>(__PRETTY_FUNCTION__)       \
                                            : nullptr)
#else
#define FLM_PROBE_LAMBDA 0
#endif
#define FLM_SITE_OF(id, name, kind) FLM_SITE_FOR(id, name, kind, 0)
#define FLM_SITE_FOR(id, name, kind, operation)                                                    \
    static struct flm_site id = {name, __func__,  __FILE__, __LINE__,        0,                    \
                                 kind, operation, 0,        FLM_PROBE_LAMBDA}

/* For flm_enter, in a function or outside of all. */
#define FLM_SITE(id, name)                                                                         \
    static struct flm_site id = {name, __builtin_FUNCTION(), __FILE__, __LINE__, 0, 0, 0, 0, 0}

#ifdef __cplusplus
}

struct flm_scope_guard {
    struct flm_scope scope;
    __attribute__((no_instrument_function)) explicit flm_scope_guard(struct flm_scope entered)
        : scope(entered)
    {
    }
    __attribute__((no_instrument_function)) ~flm_scope_guard()
    {
        flm_exit(&scope);
    }
    flm_scope_guard(const flm_scope_guard &) = delete;
    flm_scope_guard &operator=(const flm_scope_guard &) = delete;
};
#define FLM_PROBE_GUARD_(id, entered) struct flm_scope_guard id(entered)

extern "C" {
#else
#define FLM_PROBE_GUARD_(id, entered)                                                              \
    __attribute__((cleanup(flm_exit), unused)) const struct flm_scope id = entered
#endif
#define FLM_PROBE_SCOPE_(name, id)                                                                 \
    FLM_SITE_OF(FLM_PROBE_JOIN(id, _site), name, 0);                                               \
    FLM_PROBE_GUARD_(id, flm_enter(&FLM_PROBE_JOIN(id, _site)))

#else /* compiled out */

#define FLM_SCOPE(name) ((void)0)
#define FLM_FUNC() ((void)0)
#define FLM_SCOPE_NAMED(name) ((void)sizeof(name))
#define FLM_REQUEST(name) ((void)sizeof(name))
#define FLM_SITE_OF(id, name, kind)                                                                \
    __attribute__((unused)) static struct flm_site id = {name, __func__, __FILE__, __LINE__, 0,    \
                                                         kind, 0,        0,        0}
#define FLM_SITE(id, name)                                                                         \
    __attribute__((unused)) static struct flm_site id = {                                          \
        name, __builtin_FUNCTION(), __FILE__, __LINE__, 0, 0, 0, 0, 0}

FLM_PROBE_INLINE struct flm_scope flm_enter(struct flm_site *site)
{
    struct flm_scope scope = {0};
    (void)site;
    return scope;
}
FLM_PROBE_INLINE struct flm_scope flm_enter_named(const char *name)
{
    struct flm_scope scope = {0};
    (void)name;
    return scope;
}
FLM_PROBE_INLINE struct flm_scope flm_enter_request(const char *name)
{
    return flm_enter_named(name);
}
FLM_PROBE_INLINE void flm_exit(const struct flm_scope *scope)
{
    (void)scope;
}
FLM_PROBE_INLINE int flm_probe_start(const char *settings)
{
    (void)settings;
    return 0;
}
FLM_PROBE_INLINE void flm_probe_stop(void)
{
}
FLM_PROBE_INLINE int flm_probe_write(void)
{
    return 0;
}
static inline int flm_probe_report(void)
{
    return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
