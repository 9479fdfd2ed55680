/* recording.c - include/flamel/record.h: runs the recorder in a thread, which serves requests at
 * each tick, so that only one thread uses the session. */
#include "flamel/record.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text/versioned.h"
#include "os/clock.h"
#include "os/thread/condition.h"
#include "record/capture/recorder.h"
#include "record/capture/request.h"
#include "record/capture/target.h"
#include "record/session/caller_kinds.h"
#include "record/symbols/symbolized_session.h"

enum phase { OPEN, RUNS, OVER };

struct flm_recording {
    struct flm_record_options options;
    struct flm_recorder *recorder;
    struct flm_text description;
    struct flm_tasks own_tasks; /* if the program records itself */
    uint64_t lost;              /* reported so far */
    bool was_taken, is_finished;

    pthread_t thread, runner;
    bool has_thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    enum phase phase;
    long thread_id; /* the kernel's number of the thread */
    bool go, stop, has_failed;
    struct flm_error why;
    bool wants_profile, wants_result;
    struct flm_profile *profile;
    struct flm_error profile_why;
    struct flm_record_result result;
};

/* ---- In the thread that records -------------------------------------------------------------- */

/* Without the names of modules. */
static bool forward_progress(void *context, struct flm_bytes module, size_t done, size_t count)
{
    const struct flm_recording *r = context;
    (void)module;
    return r->options.progress(r->options.context, done, count);
}

static bool fill(struct flm_recording *r, struct flm_builder *builder, struct flm_error *why)
{
    enum { RINGS_NS = 200000000 }; /* records are read some time after they were written */
    struct flm_session *session = flm_recorder_session(r->recorder);
    bool is_last = r->phase == OVER, is_first = !r->was_taken;
    r->was_taken = true;
    if (is_last && is_first)
        return flm_session_finish(session, builder, r->options.progress ? forward_progress : NULL,
                                  r, why);
    return flm_session_take(session, is_last ? FLM_NO_TIME : flm_now_ns() - RINGS_NS, builder, why);
}

static struct flm_profile *take_now(struct flm_recording *r, struct flm_error *why)
{
    if (r->is_finished) {
        flm_error_set(why, FLM_ERROR_USAGE, "everything recorded was taken already");
        return NULL;
    }
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    r->is_finished = r->phase == OVER;
    if (fill(r, builder, why))
        return flm_merge_caller_kinds(flm_builder_finish(builder, why), why);
    r->is_finished = true; /* a session that failed cannot be used any more */
    flm_builder_free(builder);
    return NULL;
}

static void serve(struct flm_recording *r)
{
    pthread_mutex_lock(&r->lock);
    bool wants_profile = r->wants_profile, wants_result = r->wants_result;
    pthread_mutex_unlock(&r->lock);
    if (wants_result) {
        struct flm_record_result result = flm_recorder_result(r->recorder);
        pthread_mutex_lock(&r->lock);
        r->result = result;
        r->wants_result = false;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    }
    /* The rings are read while another thread makes the symbol tables. */
    if (wants_profile && flm_session_prepare(flm_recorder_session(r->recorder))) {
        struct flm_error why = {0};
        struct flm_profile *profile = take_now(r, &why);
        pthread_mutex_lock(&r->lock);
        r->profile = profile;
        r->profile_why = why;
        r->wants_profile = false;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
    }
}

static bool tick(void *context, struct flm_recorder *recorder)
{
    struct flm_recording *r = context;
    const struct flm_record_options *o = &r->options;
    uint64_t lost = flm_session_counts(flm_recorder_session(recorder)).lost;
    if (o->lost && lost > r->lost)
        o->lost(o->context, lost - r->lost);
    r->lost = lost;
    serve(r);
    bool goes_on = !o->tick || o->tick(o->context);
    pthread_mutex_lock(&r->lock);
    goes_on = goes_on && !r->stop;
    pthread_mutex_unlock(&r->lock);
    return goes_on;
}

/* Runs in the calling thread. */
static bool run(struct flm_recording *r, struct flm_error *why)
{
    struct flm_error failure = {0};
    bool good = flm_recorder_run(r->recorder, tick, r, &failure);
    uint64_t lost = flm_session_counts(flm_recorder_session(r->recorder)).lost;
    if (r->options.lost && lost > r->lost)
        r->options.lost(r->options.context, lost - r->lost);
    pthread_mutex_lock(&r->lock);
    r->phase = OVER;
    r->has_failed = !good;
    r->why = failure;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    if (!good && why)
        *why = failure;
    return good;
}

static void *run_thread(void *context)
{
    struct flm_recording *r = context;
    pthread_mutex_lock(&r->lock);
    r->thread_id = syscall(SYS_gettid);
    pthread_cond_broadcast(&r->changed);
    while (!r->go && !r->stop)
        pthread_cond_wait(&r->changed, &r->lock);
    bool go = r->go;
    pthread_mutex_unlock(&r->lock);
    if (go)
        run(r, NULL);
    return NULL;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool make_thread(struct flm_recording *r, struct flm_error *why)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&r->thread, NULL, run_thread, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    r->has_thread = error == 0;
    return r->has_thread ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "cannot start a thread: %s", strerror(error));
}

/* All threads of this program except the one that records, whose work would be in the profile, and
 * would cause more samples. It must exist before events are opened, because threads started by
 * recorded ones are recorded too. */
static bool find_own_threads(struct flm_recording *r, struct flm_error *why)
{
    if (!make_thread(r, why))
        return false;
    pthread_mutex_lock(&r->lock);
    while (!r->thread_id)
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    if (!flm_tasks_of_process(&r->own_tasks, (int32_t)getpid(), "", why))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < r->own_tasks.count; i++)
        if (r->own_tasks.at[i] != r->thread_id)
            r->own_tasks.at[kept++] = r->own_tasks.at[i];
    r->own_tasks.count = kept;
    r->options.threads = r->own_tasks.at;
    r->options.thread_count = kept;
    return true;
}

bool flm_record_options_copy(struct flm_record_options *o, const struct flm_record_options *from,
                             struct flm_error *why)
{
    assert(o && from);
    if (!flm_versioned_copy(o, sizeof *o, from, "flm_record_options", why))
        return false;
    if (o->command && !o->command[0])
        return flm_error_set(why, FLM_ERROR_USAGE, "the command is empty");
    bool tasks = o->process_count > 0 || o->thread_count > 0;
    return (tasks + o->machine + o->self <= 1 && !(o->command && o->self)) ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "choose one target: a command, processes, the machine, or the program "
                         "itself");
}

struct visit {
    flm_record_event_visitor visit;
    void *context;
};

/* Hardware events are tried on ourselves; software events are always there, and files that list
 * others list what there is. */
static bool visit_event(void *context, const char *name, const char *kind)
{
    const struct visit *v = context;
    const struct flm_kernel *kernel = &flm_kernel_here;
    struct flm_event_name event;
    struct flm_bytes text = flm_bytes_of(name);
    bool is_there = true;
    if (strcmp(kind, "hardware") == 0 || strcmp(kind, "cache") == 0) {
        is_there = flm_event_name_next(&text, kernel->root, &event, NULL);
        struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER5,
                                       .type = event.type,
                                       .config = event.config,
                                       .disabled = 1,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1};
        int file = is_there ? kernel->open(kernel->context, &attr, 0, -1) : -1;
        is_there = file >= 0 || (errno != ENOENT && errno != ENODEV && errno != EOPNOTSUPP &&
                                 errno != EINVAL && errno != ENXIO);
        if (file >= 0)
            close(file);
    }
    return v->visit(v->context, name, kind, is_there);
}

void flm_record_events(flm_record_event_visitor visit, void *context)
{
    assert(visit);
    struct visit v = {visit, context};
    flm_event_names(flm_kernel_here.root, visit_event, &v);
}

struct flm_recording *flm_recording_new(const struct flm_record_options *options,
                                        struct flm_error *why)
{
    struct flm_record_options copy;
    if (!flm_record_options_copy(&copy, options, why))
        return NULL;
    struct flm_recording *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    r->options = copy;
    pthread_mutex_init(&r->lock, NULL);
    flm_condition_init(&r->changed);
    if ((!r->options.self || find_own_threads(r, why)) &&
        (r->recorder = flm_recorder_new(&r->options, why)))
        return r;
    flm_recording_free(r);
    return NULL;
}

void flm_recording_free(struct flm_recording *r)
{
    if (!r)
        return;
    if (r->has_thread) {
        pthread_mutex_lock(&r->lock);
        r->stop = true;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
    assert(r->phase != RUNS); /* flm_recording_run has returned */
    flm_recorder_free(r->recorder);
    flm_profile_free(r->profile);
    flm_text_clear(&r->description);
    flm_tasks_clear(&r->own_tasks);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

const char *flm_recording_description(struct flm_recording *r, struct flm_error *why)
{
    r->description.size = 0;
    flm_recorder_explain(r->recorder, &r->description);
    flm_text_putc(&r->description, 0);
    if (!r->description.failed)
        return r->description.at;
    flm_error_memory(why);
    return NULL;
}

bool flm_recording_note(struct flm_recording *r, const char *key, const char *value,
                        struct flm_error *why)
{
    assert(key && value);
    if (r->phase != OPEN)
        return flm_error_set(why, FLM_ERROR_USAGE, "notes must be added before the recording runs");
    flm_session_note(flm_recorder_session(r->recorder), key, flm_bytes_of(value));
    return true; /* without memory, taking a profile fails */
}

/* ---- Running --------------------------------------------------------------------------------- */

static bool begin(struct flm_recording *r, pthread_t runner, struct flm_error *why)
{
    pthread_mutex_lock(&r->lock);
    bool is_open = r->phase == OPEN && !r->stop;
    if (is_open) {
        r->phase = RUNS;
        r->runner = runner;
        r->go = true;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return is_open || flm_error_set(why, FLM_ERROR_USAGE, "a recording can run only once");
}

bool flm_recording_run(struct flm_recording *r, struct flm_error *why)
{
    if (r->options.self)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a program that records itself needs flm_recording_start");
    return begin(r, pthread_self(), why) && run(r, why);
}

bool flm_recording_start(struct flm_recording *r, struct flm_error *why)
{
    if (r->phase == OPEN && !r->has_thread && !make_thread(r, why))
        return false;
    return begin(r, r->thread, why);
}

static bool is_runner(const struct flm_recording *r)
{
    return r->phase == RUNS && pthread_equal(pthread_self(), r->runner);
}

bool flm_recording_wait(struct flm_recording *r, int64_t most_ns)
{
    struct timespec until = flm_deadline(most_ns > 0 ? most_ns : 0);
    pthread_mutex_lock(&r->lock);
    while (r->phase == RUNS && pthread_cond_timedwait(&r->changed, &r->lock, &until) == 0)
        ;
    bool is_over = r->phase != RUNS;
    pthread_mutex_unlock(&r->lock);
    return is_over;
}

bool flm_recording_stop(struct flm_recording *r, struct flm_error *why)
{
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    while (r->phase == RUNS && !is_runner(r))
        pthread_cond_wait(&r->changed, &r->lock);
    bool has_failed = r->has_failed;
    if (has_failed && why)
        *why = r->why;
    pthread_mutex_unlock(&r->lock);
    return !has_failed;
}

struct flm_profile *flm_recording_take(struct flm_recording *r, struct flm_error *why)
{
    struct flm_profile *profile = NULL;
    bool is_served = false;
    pthread_mutex_lock(&r->lock);
    if (r->phase == RUNS && !is_runner(r)) {
        while (r->wants_profile && r->phase == RUNS) /* of another thread */
            pthread_cond_wait(&r->changed, &r->lock);
        r->wants_profile = true;
        while (r->wants_profile && r->phase == RUNS)
            pthread_cond_wait(&r->changed, &r->lock);
        is_served = !r->wants_profile;
        r->wants_profile = false;
        if (is_served) {
            profile = r->profile;
            r->profile = NULL;
            if (!profile && why)
                *why = r->profile_why;
        }
    }
    pthread_mutex_unlock(&r->lock);
    return is_served ? profile : take_now(r, why);
}

void flm_recording_end_command(struct flm_recording *r)
{
    flm_recorder_end_command(r->recorder);
}

bool flm_recording_result(struct flm_recording *r, struct flm_record_result *result,
                          struct flm_error *why)
{
    struct flm_record_result checked;
    size_t size = result->size;
    if (!flm_versioned_copy(&checked, sizeof checked, result, "flm_record_result", why))
        return false;
    pthread_mutex_lock(&r->lock);
    if (r->phase == RUNS && !is_runner(r)) {
        r->wants_result = true;
        while (r->wants_result && r->phase == RUNS)
            pthread_cond_wait(&r->changed, &r->lock);
    }
    bool is_there = r->phase == RUNS && !is_runner(r);
    r->wants_result = false;
    struct flm_record_result all = is_there ? r->result : flm_recorder_result(r->recorder);
    pthread_mutex_unlock(&r->lock);
    memcpy(result, &all, size);
    result->size = size;
    return true;
}
