#include "record/capture/internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/clock.h"
#include "record/capture/ending.h"
#include "record/capture/priority.h"
#include "record/events/event_name.h"
#include "record/interpreters.h"
#include "record/sched/sched_event.h"
#include "record/symbols/symbolized_session.h"

enum { TICK_MS = 100, LOOK_MS = 10, SIZES_NS = 20000000, HURRY_NS = 1000000000 };

static double own_cpu_s(void)
{
    return (double)flm_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

bool flm_recorder_records_command(const struct flm_recorder *r)
{
    const struct flm_record_options *o = &r->options;
    return o->command && !o->machine && o->process_count == 0 && o->thread_count == 0;
}

static bool is_urgent(const struct flm_recorder *r)
{
    return r->request.prompt || r->options.machine;
}

/* Whether threads may get events of their own (stack_sizes.h). A size that was asked for is that of
 * all dumps. */
static bool may_have_sizes(const struct flm_recorder *r)
{
    return r->request.stacks == FLM_STACK_DUMP && r->options.stack_size == 0;
}

/* Whether the kernel should wake us up for each sample: an interpreter is recorded, as far as can
 * be known before. Not on a whole machine, where most samples are of other programs: the threads of
 * interpreters get events that wake us up, as those of one that is started later do. Where that
 * cannot be, and there are many processors, looking once a millisecond costs less. */
static bool should_be_prompt(const struct flm_recorder *r)
{
    enum { MOST_HZ = 1000 };
    const struct flm_record_options *o = &r->options;
    const char *root = flm_kernel_here.root;
    char program[FLM_CHILD_MOST_PATH];
    if (o->no_runtimes || o->runtime_count > 0)
        return !o->no_runtimes;
    if (flm_recorder_records_command(r))
        return flm_child_find(o->command[0], o->path, program, NULL) &&
               flm_interpreters_start(program);
    if (o->machine)
        return !may_have_sizes(r) &&
               r->request.hz * (double)sysconf(_SC_NPROCESSORS_ONLN) <= MOST_HZ &&
               flm_interpreters_run_anywhere(root);
    for (size_t i = 0; i < r->processes.count; i++)
        if (flm_interpreters_run(r->processes.at[i], root))
            return true;
    for (size_t i = 0; i < o->thread_count; i++)
        if (flm_interpreters_run(flm_task_process(o->threads[i], root, NULL), root))
            return true;
    return false;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* A process that was named must exist; of the others some may end meanwhile. */
static bool collect_processes(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_record_options *o = &r->options;
    const char *root = flm_kernel_here.root;
    for (size_t i = 0; i < o->process_count; i++) {
        if (!flm_tasks_of_process(&r->tasks, o->processes[i], root, why))
            return false;
        if (!flm_tasks_add(&r->processes, o->processes[i]))
            return flm_error_memory(why);
    }
    size_t named = r->processes.count;
    if (named == 0 || o->no_inherit)
        return true;
    /* The target may be a parent of the recorder, as a shell is. The recorder is left out: each of
     * its samples would cause another one. */
    int32_t recorder = getpid();
    const struct flm_tasks except = {.at = &recorder, .count = 1};
    if (!flm_tasks_add_descendants(&r->processes, &except, root))
        return flm_error_memory(why);
    for (size_t i = named; i < r->processes.count; i++) {
        struct flm_error gone = {0};
        if (!flm_tasks_of_process(&r->tasks, r->processes.at[i], root, &gone) &&
            gone.kind == FLM_ERROR_MEMORY)
            return flm_error_memory(why);
    }
    return true;
}

static bool collect_tasks(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_record_options *o = &r->options;
    if (!collect_processes(r, why))
        return false;
    for (size_t i = 0; i < o->thread_count; i++) {
        if (flm_task_process(o->threads[i], flm_kernel_here.root, why) < 0)
            return false;
        if (!flm_tasks_add(&r->tasks, o->threads[i]))
            return flm_error_memory(why);
    }
    if (o->machine && !flm_tasks_add(&r->tasks, -1))
        return flm_error_memory(why);
    if (o->command) {
        char *const *command = o->command;
        int inherited = -1;
        if (r->runtimes && flm_recorder_records_command(r) &&
            !flm_runtimes_command(r->runtimes, &command, &inherited, why))
            return false;
        bool started = flm_child_start(&r->child, command, o->path, r->limits.files_before, why);
        if (inherited >= 0)
            close(inherited);
        if (!started)
            return false;
        if (flm_recorder_records_command(r) && !flm_tasks_add(&r->tasks, r->child.process))
            return flm_error_memory(why);
    }
    return r->tasks.count > 0 ||
           flm_error_set(why, FLM_ERROR_USAGE, "nothing to record: the options name no target");
}

/* Stack dumps need much room: 10,000 a second are 160 MB. But locked memory is lost to everybody
 * else, so with many CPUs each ring is smaller. A recording of the whole machine needs the unwind
 * tables of all programs in its first second: next to ten busy processes 500 to 2,000 of 6,000
 * records were lost by rings of 16 MiB. */
static size_t ring_size(const struct flm_recorder *r)
{
    enum { KIB = 1024, MIB = 1024 * KIB };
    if (r->options.ring_size > 0)
        return r->options.ring_size;
    if (r->request.stacks != FLM_STACK_DUMP)
        return MIB;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t usual = processors <= 2 ? 16 * MIB : processors <= 8 ? 8 * MIB : 4 * MIB;
    if (!r->options.machine)
        return usual;
    size_t factor = r->may_be_ahead ? 1 : flm_load_factor();
    return usual * (factor > 2 ? factor : 2);
}

/* Where the fields of the scheduler's tracepoints lie in this kernel. */
static void describe(struct flm_event_layout *layout)
{
    char text[8192];
    uint64_t id;
    if (layout->type != PERF_TYPE_TRACEPOINT || flm_sched_kind(layout) == FLM_SCHED_OTHER)
        return;
    struct flm_sched_fields fields;
    struct flm_bytes description = {text,
                                    flm_event_description("", layout->name, text, sizeof text)};
    if (flm_sched_describe(description, strchr(layout->name, ':') + 1, &id, &fields))
        layout->sched = fields;
}

static bool add_layouts(struct flm_recorder *r, struct flm_error *why)
{
    for (size_t i = 0; i < r->request.count; i++) {
        const struct flm_request_event *event = &r->request.event[i];
        struct flm_event_layout layout;
        size_t count;
        const uint64_t *ids = flm_rings_ids(r->rings, i, &count);
        if (!flm_event_layout_init(&layout, &event->attr, sizeof event->attr, false, why))
            return false;
        layout.name = event->name;
        describe(&layout);
        layout.only_marks = flm_request_only_marks(&r->request, i);
        if (!flm_event_layouts_add(&r->layouts, &layout, ids, count, why))
            return false;
    }
    return true;
}

/* Larger stack dumps must not fill a ring before it is read: it holds eight of the largest samples,
 * and those of five milliseconds. */
static bool fits(const struct flm_recorder *r, size_t dump_size)
{
    double samples = fmax(8, 0.005 * r->request.hz);
    size_t base = r->request.event[0].attr.sample_stack_user;
    return samples * (double)(dump_size + base) <= (double)flm_rings_size(r->rings);
}

static bool open_stack_sizes(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_request *request = &r->request;
    struct flm_thread_events *events = &r->thread_events;
    if (!may_have_sizes(r))
        return true;
    *events = (struct flm_thread_events){.rings = r->rings,
                                         .layouts = &r->layouts,
                                         .request = request,
                                         .kernel = &flm_kernel_here,
                                         .most_files = (size_t)(r->limits.files / 4 * 3)};
    struct flm_stack_sizes_options options = {
        .least_calm_ns = request->hz > 0 ? (int64_t)(100e9 / request->hz) : 0,
    };
    size_t size = request->event[0].attr.sample_stack_user;
    for (size_t i = 0; i < FLM_STACK_SIZES_LEVELS && (i == 0 || fits(r, size)); i++) {
        options.sizes[i] = events->sizes[i] = size;
        size = 2 * size < FLM_MOST_STACK ? 2 * size : FLM_MOST_STACK;
    }
    for (size_t i = 0; i < r->rings->count; i++)
        if ((size_t)r->rings->ring[i].cpu >= options.processors)
            options.processors = (size_t)r->rings->ring[i].cpu + 1;
    options.events = flm_thread_events_functions(events);
    if (!flm_thread_events_init(events, why))
        return false;
    r->stack_sizes = flm_stack_sizes_new(&options);
    return r->stack_sizes || flm_error_memory(why);
}

static bool open_spool(struct flm_recorder *r, struct flm_error *why)
{
    if (!r->options.spool)
        return true;
    r->spool = flm_perf_stream_open(r->options.spool, why);
    for (size_t i = 0; r->spool && i < r->request.count; i++) {
        size_t count;
        const uint64_t *ids = flm_rings_ids(r->rings, i, &count);
        flm_perf_stream_attributes(r->spool, &r->request.event[i].attr, ids, count,
                                   r->request.event[i].name);
        if (flm_request_only_marks(&r->request, i) && count > 0)
            flm_perf_stream_marks(r->spool, ids[0]);
    }
    return r->spool;
}

static bool attach_runtimes(struct flm_recorder *r, struct flm_error *why)
{
    const struct flm_record_options *o = &r->options;
    const struct flm_runtime_options options = {.lines = o->lines || !o->no_locations,
                                                .only_agents = o->no_runtimes,
                                                .off_cpu = o->off_cpu,
                                                .what = o->java,
                                                .library = o->java_library,
                                                .follows = o->java_follows,
                                                .step_back = flm_priority_step_back,
                                                .step_forward = flm_priority_step_forward};
    if (o->no_runtimes && !o->java)
        return true;
    r->runtimes = flm_runtimes_attach(o->runtimes, o->runtime_count, &options, why);
    return r->runtimes != NULL;
}

static bool open_all(struct flm_recorder *r, struct flm_error *why)
{
    struct flm_request *request = &r->request;
    flm_limits_read(&r->limits, flm_kernel_here.root);
    /* First: a missing command or process is reported even if nothing may be recorded. */
    if (!attach_runtimes(r, why) || !collect_tasks(r, why) ||
        !flm_request_make(request, &r->options, &r->limits, &flm_kernel_here, why))
        return false;
    request->prompt = should_be_prompt(r);
    r->may_be_ahead = is_urgent(r) && flm_priority_may_rise();
    for (size_t i = 0; i < request->count; i++)
        request->event[i].attr.enable_on_exec = flm_recorder_records_command(r);
    r->rings = flm_rings_open(request, r->tasks.at, r->tasks.count, ring_size(r),
                              flm_recorder_records_command(r), &r->limits, &flm_kernel_here, why);
    if (!r->rings || !add_layouts(r, why) || !open_stack_sizes(r, why))
        return false;
    const struct flm_record_options *o = &r->options;
    const struct flm_session_options session = {
        .symbols = {.symbol_dirs = o->symbol_dirs,
                    .symbol_dir_count = o->symbol_dir_count,
                    .perf_dir = o->perf_dir,
                    .cache_dir = o->cache_dir,
                    .debuginfod = o->debuginfod,
                    .kernel_is_ours = true,
                    .step_back = flm_priority_step_back,
                    .step_forward = flm_priority_step_forward},
        .keep_times = o->keep_times,
        .live = true,
        .kernel_is_ours = true,
        .per_thread = o->per_thread,
        .lines = o->lines,
        .locations = !o->no_locations,
        .has_runtimes = !o->no_runtimes,
        .has_agents = o->java != NULL,
        .off_cpu = o->off_cpu,
        .clones = o->clones,
    };
    r->session = flm_session_new(&session, why);
    if (!r->session || !open_spool(r, why) || !flm_recorder_begin_agents(r, why))
        return false;
    flm_recorder_note_begin(r);
    return true;
}

struct flm_recorder *flm_recorder_new(const struct flm_record_options *options,
                                      struct flm_error *why)
{
    struct flm_recorder *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    r->options = *options;
    r->child.status = r->child.ended = -1; /* 0 would be standard input */
    r->memory =
        (struct flm_memory_watch){.root = flm_kernel_here.root, .machine = options->machine};
    r->cpu_before_s = own_cpu_s();
    if (open_all(r, why))
        return r;
    bool has_spool = r->spool != NULL;
    flm_recorder_free(r);
    if (has_spool)
        unlink(options->spool); /* of a recording that has not begun */
    return NULL;
}

void flm_recorder_free(struct flm_recorder *r)
{
    if (!r)
        return;
    flm_child_clear(&r->child);
    flm_stack_sizes_free(r->stack_sizes);
    flm_thread_events_clear(&r->thread_events);
    flm_thread_signals_close(r->signals);
    flm_rings_close(r->rings);
    flm_tasks_clear(&r->tasks);
    flm_tasks_clear(&r->processes);
    flm_perf_stream_close(r->spool, NULL);
    flm_session_free(r->session);
    flm_runtimes_close(r->runtimes);
    flm_event_layouts_clear(&r->layouts);
    free(r);
}

void flm_recorder_explain(const struct flm_recorder *r, struct flm_text *out)
{
    enum { SMALL = 2 * 1024 * 1024 };
    flm_request_explain(&r->request, &r->options, &r->limits, out);
    size_t size = flm_rings_size(r->rings);
    if (r->options.ring_size > 0 && size < r->options.ring_size)
        flm_text_format(out,
                        "ring buffers of %zu KiB instead of %zu MiB (a power of two, and no more "
                        "than may be locked)\n",
                        size / 1024, r->options.ring_size >> 20);
    else if (r->request.stacks == FLM_STACK_DUMP && size < SMALL && size < ring_size(r))
        flm_text_format(out,
                        "ring buffers of only %zu KiB: samples may be lost at high rates "
                        "(sysctl kernel.perf_event_mlock_kb=%d allows larger ones)\n",
                        size / 1024, 16 * 1024 + 4);
    if (r->may_be_ahead)
        flm_text_format(out, "the recorder runs with priority %d\n", FLM_PRIORITY_AHEAD);
    else if (is_urgent(r))
        flm_text_puts(out,
                      "the recorder's priority cannot be raised: samples may be lost on a busy "
                      "machine (CAP_SYS_NICE allows it)\n");
    if (r->options.machine && size >= SMALL)
        flm_text_format(out, "ring buffers of %zu MiB for each CPU\n", size >> 20);
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

/* Recording continues without the spool: the session has everything. */
static void end_spool(struct flm_recorder *r, const struct flm_error *why)
{
    snprintf(r->spool_lost, sizeof r->spool_lost, "%.200s", why->text);
    flm_perf_stream_close(r->spool, NULL);
    r->spool = NULL;
}

bool flm_recorder_read_round(struct flm_recorder *r, bool all, struct flm_error *why)
{
    struct flm_error spool_why;
    int64_t began_ns = flm_now_ns();
    /* First: they say which samples in the rings theirs stand for, until now. */
    if (!flm_recorder_read_agents(r, why))
        return false;
    if (!flm_rings_read(r->rings, &r->layouts, all ? INT64_MAX : began_ns, flm_recorder_take, r,
                        why) ||
        !flm_recorder_join_agents(r, all ? INT64_MAX : began_ns - FLM_RINGS_MOMENT_NS, why))
        return false;
    if (r->stack_sizes && !all && began_ns - r->sized_ns >= SIZES_NS) {
        r->sized_ns = began_ns;
        if (!flm_stack_sizes_update(r->stack_sizes, began_ns, r->reported_lost))
            return flm_error_memory(why);
    }
    /* Not at each of a thousand wakeups a second. */
    int64_t now_ns = flm_now_ns();
    if (r->runtimes && !all && now_ns - r->round_ns < TICK_MS * 1000000LL)
        return true;
    r->round_ns = now_ns;
    if (r->spool && !flm_perf_stream_round(r->spool, &spool_why))
        end_spool(r, &spool_why);
    return true;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Opening the files that all processes have mapped takes 0.1 to 1.5 s on a busy machine. If rings
 * filled meanwhile, records would be lost; so it is done before, and what was mapped since then is
 * added when the rings are on. The spool has what is added then. */
static bool open_files_of_machine(struct flm_recorder *r, struct flm_error *why)
{
    struct flm_perf_stream *spool = r->spool;
    r->spool = NULL;
    bool good = flm_recorder_add_synthesized(r, why);
    r->spool = spool;
    return good;
}

static bool start(struct flm_recorder *r, struct flm_error *why)
{
    if (r->options.machine && !open_files_of_machine(r, why))
        return false;
    r->started_ns = flm_now_ns();
    if (!flm_recorder_records_command(r))
        flm_rings_start(r->rings);
    /* The rings may have some of these mappings too: applying them twice does no harm. */
    if (!flm_recorder_add_synthesized(r, why))
        return false;
    return r->child.process == 0 || flm_child_release(&r->child, r->options.command[0], why);
}

int flm_recorder_sleep_ms(const struct flm_recorder *r, int64_t now_ns)
{
    bool may_begin = r->runtimes && (!r->readers || !r->request.prompt);
    bool unwoken = r->is_hurried && now_ns - r->unwoken_ns < HURRY_NS;
    int most = unwoken ? 1 : may_begin ? LOOK_MS : TICK_MS;
    if (r->options.duration_ns == 0)
        return most;
    int64_t left = r->options.duration_ns - (now_ns - r->started_ns);
    return left <= 0 ? 0 : left < most * 1000000LL ? (int)(left / 1000000) + 1 : most;
}

/* Whether any recorded task may still live. */
static bool wait(struct flm_recorder *r, int most_ms)
{
    if (!r->readers)
        return flm_rings_wait(r->rings, r->child.ended, most_ms);
    struct pollfd ended = {.fd = r->child.ended, .events = POLLIN};
    flm_readers_unlock(r->readers);
    poll(&ended, 1, most_ms);
    flm_readers_lock(r->readers);
    return flm_rings_wait(r->rings, -1, 0);
}

/* A program that records itself has threads of its own: readers would be recorded, too. */
static bool start_readers(struct flm_recorder *r, struct flm_error *why)
{
    if (r->readers || r->options.thread_count > 0)
        return true;
    r->readers = flm_readers_start(r, why);
    return r->readers;
}

/* Frames of interpreters must be read soon after the sample. The events of an interpreter that was
 * started after the recording do not wake a reader; its threads get events that do (stack_sizes.h),
 * and as long as some have none the recorder looks every millisecond. */
static bool hurry(struct flm_recorder *r, int64_t now_ns, struct flm_error *why)
{
    int64_t seen_ns = r->runtimes ? flm_runtimes_seen_ns(r->runtimes) : INT64_MIN;
    bool hurried = !r->request.prompt && seen_ns != INT64_MIN && now_ns - seen_ns < HURRY_NS;
    if (hurried == r->is_hurried)
        return true;
    r->is_hurried = hurried;
    flm_rings_hurry(r->rings, hurried);
    if (hurried && !is_urgent(r))
        r->priority = flm_priority_raise();
    else if (!is_urgent(r))
        flm_priority_restore(r->priority);
    return !hurried || !r->stack_sizes || start_readers(r, why);
}

static bool run_until_end(struct flm_recorder *r, flm_recorder_tick tick, void *context,
                          struct flm_error *why)
{
    int64_t last_tick_ns = r->started_ns;
    for (bool over = false; !over;) {
        int64_t now_ns = flm_now_ns();
        bool alive = wait(r, flm_recorder_sleep_ms(r, now_ns));
        if (flm_readers_failed(r->readers, why) || !flm_recorder_read_round(r, false, why))
            return false;
        now_ns = flm_now_ns();
        if (!hurry(r, now_ns, why))
            return false;
        if (r->options.keep_times && !flm_memory_watch(&r->memory, r->session, now_ns))
            return flm_error_memory(why);
        over = r->child.process && flm_child_has_ended(&r->child);
        over = over || (!alive && !flm_recorder_records_command(r));
        if (r->options.duration_ns > 0 && now_ns - r->started_ns >= r->options.duration_ns)
            over = true;
        if (tick && now_ns - last_tick_ns >= TICK_MS * 1000000LL) {
            last_tick_ns = now_ns;
            over = !tick(context, r) || over;
        }
    }
    return true;
}

bool flm_recorder_run(struct flm_recorder *r, flm_recorder_tick tick, void *context,
                      struct flm_error *why)
{
    assert(r->started_ns == 0);
    if (is_urgent(r))
        r->priority = flm_priority_raise();
    bool ran = start(r, why) && (!r->request.prompt || start_readers(r, why)) &&
               run_until_end(r, tick, context, why);
    flm_readers_end(r->readers);
    r->readers = NULL;
    flm_rings_stop(r->rings); /* while it is our turn */
    if (is_urgent(r) || r->is_hurried)
        flm_priority_restore(r->priority);
    if (!ran)
        return false;
    r->ended_ns = flm_now_ns();
    flm_recorder_note_end(r);
    struct flm_error spool_why;
    bool good = flm_recorder_end_agents(r, why) && flm_recorder_read_round(r, true, why) &&
                (flm_recorder_mark_exit(r) || flm_error_memory(why));
    struct flm_ring_counts counts = flm_rings_counts(r->rings);
    /* A LOST record comes with the next record that fits: after the last one there is none. */
    if (counts.lost > r->reported_lost)
        flm_session_lost(r->session, "events (ring buffer full)",
                         (double)(counts.lost - r->reported_lost));
    flm_session_lost(r->session, "malformed records", (double)counts.damaged);
    if (r->stack_sizes)
        flm_session_lost(r->session, "samples (of larger stack dumps, which did not come)",
                         (double)flm_stack_sizes_counts_now(r->stack_sizes).missing);
    if (r->runtimes) {
        struct flm_runtime_report report = flm_session_report(r->session);
        flm_runtimes_report(r->runtimes, &report);
    }
    if (r->spool && !flm_perf_stream_close(r->spool, &spool_why))
        snprintf(r->spool_lost, sizeof r->spool_lost, "%.200s", spool_why.text);
    r->spool = NULL;
    r->cpu_s = own_cpu_s() - r->cpu_before_s;
    return good;
}

struct flm_record_result flm_recorder_result(const struct flm_recorder *r)
{
    struct flm_ring_counts rings = flm_rings_counts(r->rings);
    const struct perf_event_attr *attr = &r->request.event[0].attr;
    int64_t until_ns = r->started_ns && !r->ended_ns ? flm_now_ns() : r->ended_ns;
    struct flm_record_result result = {
        .size = sizeof result,
        .duration_s = (double)(until_ns - r->started_ns) / 1e9,
        .cpu_s = r->options.machine ? 0 : rings.cpu_s, /* else of CPUs, not of tasks */
        .requested_hz = r->request.hz,
        .counts = flm_session_counts(r->session),
        .recorder_cpu_s = r->ended_ns ? r->cpu_s : own_cpu_s() - r->cpu_before_s,
        .late = rings.late,
        .damaged = rings.damaged,
        .lost_unreported = rings.lost > r->reported_lost ? rings.lost - r->reported_lost : 0,
        .exit_status = r->child.process ? r->child.status : -1,
        .process_id = r->child.process,
        .chose_event = r->request.chose_event,
        .counts_time =
            flm_event_is_clock(attr->type, attr->config) ||
            (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES),
        .is_limited = !r->limits.privileged,
        .events = rings.events,
        .stack_size = attr->sample_stack_user,
        .event = r->request.event[0].name,
        .spool_lost = r->spool_lost[0] ? r->spool_lost : NULL,
    };
    if (r->stack_sizes) {
        struct flm_stack_sizes_counts sizes = flm_stack_sizes_counts_now(r->stack_sizes);
        result.largest_stack_size = (uint32_t)sizes.largest;
        result.threads_with_larger_stacks = sizes.threads;
        result.threads_without_larger_stacks = sizes.refused;
    }
    if (flm_recorder_records_command(r) && r->ended_ns)
        result.left_running = flm_session_living(r->session, &result.left_process);
    /* Unknown if the kernel is not sampled, for idle CPUs, and for other events. */
    if (r->request.hz > 0 && rings.cpu_s > 0 && !attr->exclude_kernel && !attr->exclude_user &&
        !r->options.machine && result.counts_time)
        result.achieved_hz = (double)r->samples / rings.cpu_s;
    return result;
}

void flm_recorder_end_command(struct flm_recorder *r)
{
    enum { PATIENCE_MS = 5000 };
    flm_command_end(&r->child, flm_kernel_here.root, PATIENCE_MS);
}

struct flm_session *flm_recorder_session(struct flm_recorder *r)
{
    return r->session;
}
