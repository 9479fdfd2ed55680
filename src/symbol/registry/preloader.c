#include "symbol/registry/preloader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "symbol/registry/internal.h"

struct flm_preloader {
    struct flm_modules *modules;
    int priority;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct flm_module **batch; /* NULL: idle */
    size_t count;
    bool stop;
};

/* Also lists the functions of modules without symbols. The recording thread makes unwind tables
 * from the same sections, but it has made them before any location in the module can be known. */
static void make(struct flm_preloader *p)
{
    uint64_t ignored;
    flm_modules_prepare(p->modules, p->batch, p->count);
    for (size_t i = 0; i < p->count; i++)
        if (p->batch[i]->state <= FLM_MODULE_EXPORTS)
            flm_module_function_start(p->batch[i], 0, &ignored);
}

/* The thread that starts this one may have a raised priority, which threads inherit, and those that
 * help this one too. */
static void leave_priority(const struct flm_preloader *p)
{
    if (getpriority(PRIO_PROCESS, 0) < p->priority)
        setpriority(PRIO_PROCESS, 0, p->priority);
}

static void *run(void *context)
{
    struct flm_preloader *p = context;
    leave_priority(p);
    pthread_mutex_lock(&p->lock);
    while (!p->stop || p->batch) {
        if (!p->batch) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        pthread_mutex_unlock(&p->lock);
        make(p);
        pthread_mutex_lock(&p->lock);
        free(p->batch);
        p->batch = NULL;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct flm_preloader *flm_preloader_new(struct flm_modules *modules, int priority,
                                        struct flm_error *why)
{
    assert(modules);
    struct flm_preloader *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->modules = modules;
    p->priority = priority;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    int error = pthread_create(&p->thread, NULL, run, p);
    if (error == 0)
        return p;
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
    flm_error_set(why, FLM_ERROR_SYSTEM, "cannot start a thread: %s", strerror(error));
    return NULL;
}

void flm_preloader_free(struct flm_preloader *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static bool is_busy(struct flm_preloader *p)
{
    pthread_mutex_lock(&p->lock);
    bool busy = p->batch != NULL;
    pthread_mutex_unlock(&p->lock);
    return busy;
}

bool flm_preloader_request(struct flm_preloader *p, struct flm_module *const *wanted, size_t count)
{
    if (is_busy(p))
        return false;
    struct flm_module **batch = malloc((count + 1) * sizeof(*batch));
    size_t missing = 0;
    for (size_t i = 0; batch && i < count; i++)
        if (!wanted[i]->code_tried)
            batch[missing++] = wanted[i];
    if (missing == 0) {
        free(batch);
        return true;
    }
    pthread_mutex_lock(&p->lock);
    p->batch = batch;
    p->count = missing;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return false;
}

void flm_preloader_wait(struct flm_preloader *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->batch)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
