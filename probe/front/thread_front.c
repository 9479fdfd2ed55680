/* thread_front.c - in front of pthread_create, in the shared library only: threads are measured
 * from their beginning, with or without scopes. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "internal.h"

struct start {
    void *(*run)(void *);
    void *argument;
};

static void *begin(void *memory)
{
    struct start start = *(struct start *)memory;
    flm_memory_free(memory, sizeof start);
    if (FLM_PROBE_IS_ON && !flm_top)
        flm_local_begin();
    return start.run(start.argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))(
            uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    /* The sanitizer does not know the thread before what it has put in its place begins. */
    bool is_asked = !flm_is_inside && !flm_has_thread_sanitizer() &&
                    (flm_is_measured(FLM_PROBE_CPU_TIME) || flm_is_measured(FLM_PROBE_THREADS));
    int kept = errno;
    struct start *start = is_asked ? flm_memory_new(sizeof *start) : NULL;
    if (!start) {
        errno = kept;
        return real(thread, attributes, run, argument);
    }
    *start = (struct start){run, argument};
    int result = real(thread, attributes, begin, start);
    if (result != 0)
        flm_memory_free(start, sizeof *start);
    errno = kept;
    return result;
}
