/* thread_dumps.c - a running HotSpot VM, seen from outside: its thread dumps at an interval.
 *
 *     ask --> dump ....... ask --> dump ....... ask --> dump ....... the end
 *     |------ interval ---|------ interval ---|
 *
 * The price of loading nothing: a dump is made at a safepoint, so it is biased, and it costs the VM
 * more than a sample of an agent; both are said. Each is read as it comes
 * (format/java/dump_series.h). */
#include "flamel/record.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/versioned.h"
#include "format/java/dump_series.h"
#include "os/clock.h"
#include "record/java/attach.h"
#include "record/java/safepoints.h"

static const int64_t attach_patience_ns = 20000000000, dump_patience_ns = 60000000000,
                     tick_ns = 100000000, usual_interval_ns = 100000000;

struct recording {
    const struct flm_thread_dumps_options *o;
    struct flm_thread_dumps_result *result;
    struct flm_java_vm *vm;
    struct flm_safepoints *safepoints; /* NULL: not known */
    struct flm_java_series *series;
    int64_t clock_ns; /* of the day, less ours: times of a profile of dumps are of the day */
    struct flm_text dump, next; /* the last one, which is not added yet; the one that comes */
    int64_t dump_ns;            /* when it was taken */
};

/* ---- One dump -------------------------------------------------------------------------------- */

static void count_dump(struct recording *r, double took_s, const struct flm_stopped *before)
{
    struct flm_thread_dumps_result *result = r->result;
    struct flm_stopped after;
    result->dumps++;
    result->dump_s += took_s;
    if (took_s > result->longest_s)
        result->longest_s = took_s;
    if (!r->safepoints || !flm_safepoints_read(r->safepoints, &after) || after.ns < before->ns) {
        flm_safepoints_close(r->safepoints);
        r->safepoints = NULL;
        result->stopped_s = result->longest_stopped_s = -1;
        return;
    }
    double stopped_s = (double)(after.ns - before->ns) / 1e9;
    result->stopped_s += stopped_s;
    if (stopped_s > result->longest_stopped_s)
        result->longest_stopped_s = stopped_s;
}

/* Adds the dump before, which lasts until now. */
static bool add_last(struct recording *r, int64_t now_ns, struct flm_error *why)
{
    const struct flm_bytes text = {r->dump.at, r->dump.size};
    return text.size == 0 ||
           flm_java_series_add(r->series, text, r->clock_ns + r->dump_ns, now_ns - r->dump_ns, why);
}

static bool take_dump(struct recording *r, struct flm_error *why)
{
    struct flm_stopped before = {0};
    int64_t from = flm_now_ns();
    r->next.size = 0;
    if (r->safepoints)
        flm_safepoints_read(r->safepoints, &before);
    if (!flm_java_vm_command(r->vm, "threaddump", NULL,
                             (struct flm_java_patience){dump_patience_ns, NULL}, &r->next, why))
        return false;
    count_dump(r, (double)(flm_now_ns() - from) / 1e9, &before);
    bool good = add_last(r, from, why);
    struct flm_text last = r->dump;
    r->dump = r->next;
    r->next = last;
    r->dump_ns = from;
    return good;
}

/* ---- Many ------------------------------------------------------------------------------------ */

static bool go_on(const struct recording *r)
{
    return !r->o->tick || r->o->tick(r->o->context);
}

/* False when it is to end. */
static bool wait_until(const struct recording *r, int64_t until_ns)
{
    for (int64_t now; (now = flm_now_ns()) < until_ns;) {
        int64_t ns = until_ns - now < tick_ns ? until_ns - now : tick_ns;
        struct timespec time = {ns / 1000000000, (long)(ns % 1000000000)};
        nanosleep(&time, NULL);
        if (!go_on(r))
            return false;
    }
    return go_on(r);
}

/* The next moment of the interval that is not over; after a long dump, a pause as long. */
static int64_t next_dump_ns(const struct recording *r, int64_t start_ns, int64_t last_ns)
{
    int64_t now = flm_now_ns(), interval = r->o->interval_ns, took = now - last_ns;
    int64_t passed = (last_ns - start_ns + interval / 2) / interval;
    int64_t next = start_ns + (passed + 1) * interval;
    if (next >= now && took <= interval / 2)
        return next;
    int64_t earliest = now + took;
    if (earliest <= next)
        return next;
    return start_ns + ((earliest - start_ns + interval - 1) / interval) * interval;
}

/* What ends it early, after a dump at least: false where that is an error. */
static bool ends_early(struct recording *r, struct flm_error *why)
{
    struct flm_error of_vm;
    if (r->result->dumps == 0 || why->kind == FLM_ERROR_MEMORY || why->kind == FLM_ERROR_FORMAT)
        return false;
    if (why->kind == FLM_ERROR_CANCELED)
        return true;
    r->result->ended = !flm_java_is_hotspot(r->o->process, &of_vm);
    r->result->is_silent = !r->result->ended;
    return true;
}

static bool record(struct recording *r, struct flm_error *why)
{
    int64_t start = flm_now_ns();
    int64_t end = r->o->duration_ns > 0 ? start + r->o->duration_ns : INT64_MAX, next = start;
    bool good = true;
    while (wait_until(r, next < end ? next : end) && next < end) {
        good = take_dump(r, why);
        if (!good)
            break;
        next = next_dump_ns(r, start, r->dump_ns);
    }
    int64_t now = flm_now_ns();
    r->result->duration_s = (double)(now - start) / 1e9;
    uint64_t moments = (uint64_t)((now - start + r->o->interval_ns / 2) / r->o->interval_ns);
    if (moments > r->result->dumps)
        r->result->left_out = moments - r->result->dumps;
    if (!good && !ends_early(r, why))
        return false;
    if (r->result->dumps == 0)
        return flm_error_set(why, FLM_ERROR_CANCELED, "interrupted before the first dump");
    return add_last(r, now, why);
}

static bool open_all(struct recording *r, struct flm_error *why)
{
    const struct flm_read_options options = {
        .keep_times = true, .by_thread = r->o->per_thread, .locations = true};
    r->vm =
        flm_java_vm_open(r->o->process, (struct flm_java_patience){attach_patience_ns, NULL}, why);
    r->series = r->vm ? flm_java_series_new(&options, why) : NULL;
    if (!r->series)
        return false;
    r->safepoints = flm_safepoints_open(flm_java_vm_identity(r->vm));
    if (!r->safepoints)
        r->result->stopped_s = r->result->longest_stopped_s = -1;
    r->clock_ns = flm_clock_ns(CLOCK_REALTIME) - flm_now_ns();
    return true;
}

static void add_notes(const struct recording *r)
{
    char text[64];
    snprintf(text, sizeof text, "%g ms", (double)r->o->interval_ns / 1e6);
    flm_java_series_note(r->series, "interval", text);
    snprintf(text, sizeof text, "%d", r->o->process);
    flm_java_series_note(r->series, "process", text);
    flm_java_series_note(r->series, FLM_NOTE_NOT_SHOWN "code between safepoints",
                         "code between safepoints: a thread is seen at the next one, so short "
                         "methods and loops show up in their callers");
    flm_java_series_note(r->series, FLM_NOTE_NOT_SHOWN "waiting virtual threads",
                         "virtual threads that wait, native and kernel functions");
    if (r->result->stopped_s >= 0) {
        snprintf(text, sizeof text, "%.3f s of %.3f s", r->result->stopped_s,
                 r->result->duration_s);
        flm_java_series_note(r->series, "stopped by dumps", text);
    }
}

/* Copies what the caller knows of a result. */
static void give(struct flm_thread_dumps_result *to, const struct flm_thread_dumps_result *from)
{
    size_t size = to->size;
    memcpy(to, from, size);
    to->size = size;
}

struct flm_profile *flm_record_thread_dumps(const struct flm_thread_dumps_options *options,
                                            struct flm_thread_dumps_result *to,
                                            struct flm_error *why)
{
    struct flm_thread_dumps_options o;
    struct flm_thread_dumps_result result;
    struct recording r = {.o = &o, .result = &result};
    struct flm_profile *profile = NULL;
    struct flm_error reason = {0};
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_thread_dumps_options", why) ||
        !flm_versioned_copy(&result, sizeof result, to, "flm_thread_dumps_result", why))
        return NULL;
    assert(o.process > 0 && o.interval_ns >= 0 && o.duration_ns >= 0);
    o.interval_ns = o.interval_ns > 0 ? o.interval_ns : usual_interval_ns;
    result = (struct flm_thread_dumps_result){.frameless_cpu_s = -1};
    if (open_all(&r, &reason) && record(&r, &reason)) {
        int64_t frameless_ns = flm_java_series_frameless_cpu_ns(r.series);
        result.frameless_cpu_s = frameless_ns < 0 ? -1 : (double)frameless_ns / 1e9;
        add_notes(&r);
        profile = flm_java_series_finish(r.series, &reason);
        r.series = NULL;
    }
    if (profile)
        give(to, &result);
    else if (why)
        *why = reason;
    flm_java_series_free(r.series);
    flm_safepoints_close(r.safepoints);
    flm_java_vm_close(r.vm);
    flm_text_clear(&r.dump);
    flm_text_clear(&r.next);
    return profile;
}
