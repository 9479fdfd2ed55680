/* live.c - a recording in a thread of its own, and the profile of its last seconds.
 *
 *     recorder's thread    rings ─► session ─► every interval: a chunk, with its symbols
 *                                   │    ▲     ─► window ─► its sum ─┐ under a lock
 *     preloader's thread            └► symbols of new modules        │
 *     the caller's thread  flm_live_next ◄───────────────────────────┘
 *
 * The window has several intervals and moves on by one each interval (window.h); chunks, and
 * everything older than the window, are bounded (bound.h), so a recording may run for ever. Making
 * the symbol tables of a large program takes seconds, and rings are full in less: so another thread
 * makes them (preloader.h), and the chunk gets longer until they are ready. Sums take milliseconds,
 * and are made in the recorder's thread; the caller never waits. */
#include "flamel/live.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text/versioned.h"
#include "os/clock.h"
#include "os/thread/condition.h"
#include "record/capture/recorder.h"
#include "record/live/window.h"
#include "record/session/caller_kinds.h"
#include "record/symbols/symbolized_session.h"

enum { TICK_NS = 100000000 };

struct flm_live {
    struct flm_record_options recording;
    int64_t interval_ns;
    struct flm_recorder *recorder;
    pthread_t thread;
    bool has_thread;

    /* Only for the thread. */
    double hz; /* of samples of CPU time; 0: of other events */
    struct flm_live_window window;
    int64_t chunk_ns; /* when the chunk began */
    double cpu_s;     /* of this process, until then */
    struct flm_record_counts counted;
    bool shows_all;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t news;
    struct flm_profile *newest;
    struct flm_live_state state;
    bool stop, all;
};

/* ---- In the recorder's thread ---------------------------------------------------------------- */

static uint64_t own_size_bytes(void)
{
    unsigned long long whole, resident = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%llu %llu %llu", &whole, &resident, &of_files) != 3)
        resident = of_files = 0;
    if (file)
        fclose(file);
    return resident > of_files ? (resident - of_files) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void publish(struct flm_live *r, struct flm_profile *sum, const struct flm_live_info *info)
{
    uint64_t own_size = own_size_bytes();
    double busy = flm_live_processors_busy(sum, info, r->hz);
    pthread_mutex_lock(&r->lock);
    flm_profile_free(r->newest);
    r->newest = sum;
    r->state.info = *info;
    r->state.processors_busy = busy;
    r->state.all = r->shows_all;
    r->state.sums++;
    r->state.own_size_bytes = own_size;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

static bool show_sum(struct flm_live *r, struct flm_error *why)
{
    struct flm_live_info info;
    if (r->window.count == 0 && !r->window.older.profile)
        return true;
    struct flm_profile *sum = flm_live_window_sum(&r->window, r->shows_all, &info, why);
    if (sum)
        publish(r, sum, &info);
    return sum;
}

/* The profile since the last one. */
static struct flm_profile *take_profile(struct flm_live *r, struct flm_error *why)
{
    enum { RINGS_NS = 200000000 }; /* records are read some time after they were written */
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    if (flm_session_take(flm_recorder_session(r->recorder), flm_now_ns() - RINGS_NS, builder, why))
        return flm_merge_caller_kinds(flm_builder_finish(builder, why), why);
    flm_builder_free(builder);
    return NULL;
}

static bool take_chunk(struct flm_live *r, int64_t now_ns, struct flm_error *why)
{
    struct flm_record_counts counts = flm_session_counts(flm_recorder_session(r->recorder));
    struct flm_profile *profile = take_profile(r, why);
    double cpu_s = (double)flm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
    const struct flm_live_info info = {.duration_s = (double)(now_ns - r->chunk_ns) / 1e9,
                                       .own_cpu_s = cpu_s - r->cpu_s,
                                       .samples = counts.samples - r->counted.samples,
                                       .lost = counts.lost - r->counted.lost};
    r->counted = counts;
    r->chunk_ns = now_ns;
    r->cpu_s = cpu_s;
    return profile && flm_live_window_take(&r->window, profile, &info, why) && show_sum(r, why);
}

static void set_reading(struct flm_live *r, bool is_reading)
{
    pthread_mutex_lock(&r->lock);
    r->state.is_reading = is_reading;
    pthread_mutex_unlock(&r->lock);
}

static bool tick(void *context, struct flm_recorder *recorder)
{
    struct flm_live *r = context;
    pthread_mutex_lock(&r->lock);
    bool stop = r->stop, is_other = r->all != r->shows_all;
    r->shows_all = r->all;
    pthread_mutex_unlock(&r->lock);
    int64_t now_ns = flm_now_ns();
    struct flm_error why;
    bool good = true;
    if (stop)
        return false;
    /* The tick that is nearest to the end of the interval. Without symbol tables the chunk gets
     * longer, and the rings are read meanwhile. */
    if (now_ns - r->chunk_ns >= r->interval_ns - TICK_NS / 2) {
        bool is_named = flm_session_prepare(flm_recorder_session(recorder));
        set_reading(r, !is_named);
        good = !is_named || take_chunk(r, now_ns, &why);
    }
    if (is_other)
        good = good && show_sum(r, &why);
    if (good)
        return true;
    pthread_mutex_lock(&r->lock);
    r->state.why = why;
    pthread_mutex_unlock(&r->lock);
    return false;
}

/* Keeps the first error. */
static void end(struct flm_live *r, enum flm_live_phase phase, const struct flm_error *why)
{
    pthread_mutex_lock(&r->lock);
    r->state.phase = phase;
    if (phase == FLM_LIVE_FAILED && r->state.why.kind == FLM_ERROR_NONE)
        r->state.why = *why;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}

static void *run(void *context)
{
    struct flm_live *r = context;
    struct flm_error why = {0};
    r->chunk_ns = flm_now_ns();
    r->cpu_s = (double)flm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
    bool good = flm_recorder_run(r->recorder, tick, r, &why);
    pthread_mutex_lock(&r->lock);
    bool has_failed = r->state.why.kind != FLM_ERROR_NONE, was_stopped = r->stop;
    pthread_mutex_unlock(&r->lock);
    if (good && !has_failed && !was_stopped) /* the rest of the last interval */
        good = take_chunk(r, flm_now_ns(), &why);
    struct flm_record_result result = flm_recorder_result(r->recorder);
    pthread_mutex_lock(&r->lock);
    r->state.exit_status = result.exit_status;
    pthread_mutex_unlock(&r->lock);
    end(r, good && !has_failed ? FLM_LIVE_ENDED : FLM_LIVE_FAILED, &why);
    /* flm_live_show_all still works after the end. */
    while (good) {
        pthread_mutex_lock(&r->lock);
        while (!r->stop && r->all == r->shows_all)
            pthread_cond_wait(&r->news, &r->lock);
        bool stop = r->stop;
        r->shows_all = r->all;
        pthread_mutex_unlock(&r->lock);
        if (stop)
            break;
        good = show_sum(r, &why);
        if (!good)
            end(r, FLM_LIVE_FAILED, &why);
    }
    return NULL;
}

/* ---- In the caller's thread ------------------------------------------------------------------ */

/* Samples count CPU time if they are of cycles, or of the default event. */
static double rate_of(const struct flm_recorder *recorder)
{
    struct flm_record_result result = flm_recorder_result(recorder);
    bool is_time = result.chose_event || strncmp(result.event, "cycles", 6) == 0;
    return is_time ? result.requested_hz : 0;
}

static bool read_options(struct flm_live_options *o, const struct flm_live_options *from,
                         struct flm_record_options *recording, struct flm_error *why)
{
    enum { USUAL_NS = 1000000000, USUAL_WINDOW = 10 };
    if (!flm_versioned_copy(o, sizeof *o, from, "flm_live_options", why))
        return false;
    if (!o->recording || o->interval_ns < 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a live recording needs the options of a recording, and an interval "
                             "that is not negative");
    if (!flm_record_options_copy(recording, o->recording, why))
        return false;
    o->interval_ns = o->interval_ns > 0 ? o->interval_ns : USUAL_NS;
    o->window = o->window > 0 ? o->window : USUAL_WINDOW;
    return !recording->self || flm_error_set(why, FLM_ERROR_USAGE,
                                             "a program cannot show itself live: its own work "
                                             "would be in each sum");
}

struct flm_live *flm_live_new(const struct flm_live_options *options, struct flm_error *why)
{
    assert(options);
    struct flm_live_options o;
    struct flm_record_options recording;
    if (!read_options(&o, options, &recording, why))
        return NULL;
    struct flm_live *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    r->recording = recording;
    r->interval_ns = o.interval_ns;
    r->window.most = o.window;
    r->state.exit_status = r->state.processors_busy = -1;
    pthread_mutex_init(&r->lock, NULL);
    flm_condition_init(&r->news);
    r->recording.no_locations = true; /* a new profile each second: nobody looks at its lines */
    r->recorder = flm_recorder_new(&r->recording, why);
    if (!r->recorder) {
        flm_live_free(r);
        return NULL;
    }
    r->hz = rate_of(r->recorder);
    return r;
}

/* Signals go to the thread that has the terminal. */
bool flm_live_start(struct flm_live *r, struct flm_error *why)
{
    assert(r && !r->has_thread);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&r->thread, NULL, run, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    r->has_thread = error == 0;
    return r->has_thread ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "cannot start a thread: %s", strerror(error));
}

void flm_live_free(struct flm_live *r)
{
    if (!r)
        return;
    if (r->has_thread) {
        pthread_mutex_lock(&r->lock);
        r->stop = true;
        pthread_cond_broadcast(&r->news);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
        flm_recorder_end_command(r->recorder);
    }
    flm_recorder_free(r->recorder);
    flm_live_window_clear(&r->window);
    flm_profile_free(r->newest);
    pthread_cond_destroy(&r->news);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

struct flm_profile *flm_live_next(struct flm_live *r, struct flm_live_state *state)
{
    assert(r && state && state->size >= sizeof state->size);
    size_t size = state->size, known = size < sizeof *state ? size : sizeof *state;
    pthread_mutex_lock(&r->lock);
    struct flm_profile *newest = r->newest;
    r->newest = NULL;
    memcpy(state, &r->state, known);
    pthread_mutex_unlock(&r->lock);
    state->size = size;
    return newest;
}

bool flm_live_wait(struct flm_live *r, int64_t most_ns)
{
    assert(r && most_ns >= 0);
    struct timespec until = flm_deadline(most_ns);
    pthread_mutex_lock(&r->lock);
    while (!r->newest && r->state.phase == FLM_LIVE_RUNS &&
           pthread_cond_timedwait(&r->news, &r->lock, &until) == 0)
        ;
    bool is_news = r->newest || r->state.phase != FLM_LIVE_RUNS;
    pthread_mutex_unlock(&r->lock);
    return is_news;
}

void flm_live_show_all(struct flm_live *r, bool all)
{
    assert(r);
    pthread_mutex_lock(&r->lock);
    r->all = all;
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->lock);
}
