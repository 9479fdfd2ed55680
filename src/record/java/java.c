/* java.c - Java VMs as an entry of the table of runtimes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/clock.h"
#include "record/java/attach.h"
#include "record/java/internal.h"
#include "record/runtime/proc_stat.h"

/* How long an agent that is sent away may be silent. */
static int64_t silence_ns(const struct flm_java *j)
{
    bool collects = (j->metrics & 1u << FLM_JAVA_LIVE) != 0; /* a large heap takes seconds */
    return collects ? INT64_C(60000000000) : INT64_C(3000000000);
}

static const struct {
    const char *word, *metric;
} metric_names[FLM_JAVA_METRICS] = {[FLM_JAVA_CPU] = {"cpu", ""},
                                    [FLM_JAVA_WALL] = {"wall", "wall"},
                                    [FLM_JAVA_ALLOC] = {"alloc", "allocation"},
                                    [FLM_JAVA_LOCK] = {"lock", "lock"},
                                    [FLM_JAVA_LIVE] = {"live", "live"}};

/* ---- Attaching ------------------------------------------------------------------------------- */

static bool parse_metrics(const char *text, uint32_t *metrics, struct flm_error *why)
{
    *metrics = 0;
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ",");
        uint32_t found = 0;
        for (int i = 0; i < FLM_JAVA_METRICS; i++)
            if (strlen(metric_names[i].word) == size && memcmp(metric_names[i].word, at, size) == 0)
                found = 1u << i;
        if (!found)
            return flm_error_set(
                why, FLM_ERROR_USAGE,
                "--java takes cpu, wall, alloc, live and lock, separated by commas, not '%.*s'",
                (int)size, at);
        *metrics |= found;
        at += size;
        if (!*at)
            return true;
    }
}

static void close_attached(void *attached)
{
    struct flm_java *j = attached;
    while (j->arrivals && !flm_java_welcome(j, true, NULL))
        ;
    for (size_t i = 0; i < j->vms.count; i++)
        flm_java_clear_vm(&j->vms.at[i]);
    FLM_ARRAY_CLEAR(&j->vms);
    flm_java_virtual_clear(j);
    flm_lasting_texts_clear(&j->names);
    flm_java_methods_clear(&j->methods);
    free(j->command);
    free(j);
}

static void *attach(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why)
{
    (void)runtime;
    struct flm_java *j = calloc(1, sizeof *j);
    if (!j) {
        flm_error_memory(why);
        return NULL;
    }
    j->options = *options;
    j->methods.first_code = options->first_code;
    if (!options->library || !options->what)
        flm_error_set(why, FLM_ERROR_USAGE, "the agent for Java VMs needs its library");
    else if (parse_metrics(options->what, &j->metrics, why))
        return j;
    close_attached(j);
    return NULL;
}

struct flm_java_target *flm_java_add_vm(struct flm_java *j, struct flm_java_agent *agent,
                                        int32_t process, struct flm_error *why)
{
    if (!agent || !FLM_ARRAY_RESERVE(&j->vms, 1)) {
        if (agent)
            flm_error_memory(why);
        flm_java_agent_free(agent);
        return NULL;
    }
    j->vms.at[j->vms.count] = (struct flm_java_target){
        .agent = agent, .process = process, .start_ticks = -1, .number = j->vm_count++};
    return &j->vms.at[j->vms.count++];
}

void flm_java_clear_vm(struct flm_java_target *v)
{
    flm_java_agent_free(v->agent);
    flm_java_forget_waiting(v);
    FLM_ARRAY_CLEAR(&v->threads);
    FLM_ARRAY_CLEAR(&v->blobs);
    flm_index_clear(&v->by_inner);
    flm_index_clear(&v->by_outer);
}

int64_t flm_java_start_ticks(int32_t process)
{
    struct flm_proc_stat stat;
    return flm_proc_stat_read("", process, 0, &stat) ? stat.start_ticks : -1;
}

static bool is_java(const char *word)
{
    const char *name = strrchr(word, '/');
    return strcmp(name ? name + 1 : word, "java") == 0;
}

/* "java -cp ..." becomes "java -agentpath:... -cp ...": the VM prints nothing of it, as it does of
 * JAVA_TOOL_OPTIONS, no other VM that it starts has it, and it samples from the first method on,
 * which attaching would miss. */
static bool command(void *attached, char *const **words, int *inherited, struct flm_error *why)
{
    struct flm_java *j = attached;
    char *const *old = *words;
    size_t count = 0;
    *inherited = -1;
    if (!old || !is_java(old[0]))
        return true;
    struct flm_java_target *v = flm_java_add_vm(j, flm_java_agent_inherit(inherited, why), 0, why);
    if (!v)
        return false;
    v->is_inherited = true;
    while (old[count])
        count++;
    j->command = calloc(count + 2, sizeof *j->command);
    if (!j->command)
        return flm_error_memory(why);
    snprintf(j->agent_option, sizeof j->agent_option, "-agentpath:%.4095s=fd=%d",
             j->options.library, *inherited);
    j->command[0] = old[0];
    j->command[1] = j->agent_option;
    memcpy(j->command + 2, old + 1, (count - 1) * sizeof *old);
    *words = j->command;
    return true;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static uint64_t ring_size(void)
{
    enum { MIB = 1 << 20 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t size = 8 * MIB;
    while (processors > 2 && size < 64 * MIB) {
        size *= 2;
        processors /= 2;
    }
    return size;
}

static struct flm_java_config config_of(const struct flm_java *j,
                                        const struct flm_runtime_target *t)
{
    bool is_time = flm_event_is_clock(t->event_type, t->event);
    return (struct flm_java_config){
        .metrics = j->metrics,
        .ring_size = ring_size(),
        .event_type = t->event_type,
        .event = t->event,
        .period = t->period,
        .by_frequency = t->by_frequency,
        .with_kernel = t->with_kernel,
        .is_time = is_time,
        .timer_ns = is_time ? (t->hz > 0 ? (uint64_t)(1e9 / t->hz) : t->period) : 0,
        .wall_ns = 10000000, /* 100 looks a second at each thread */
        .alloc_bytes = 512 << 10,
        .stack_size = 16384,
    };
}

/* Samples of the agent have layouts of their own: all registers, and the number of the first event
 * or one of nobody else's. */
static void make_layouts(struct flm_java *j, const struct flm_runtime_target *t)
{
#if defined __x86_64__
    enum { REGISTERS = 24 };
    static const uint64_t machine_registers = 0xFF0FFF;
#else
    enum { REGISTERS = 33 };
    static const uint64_t machine_registers = (UINT64_C(1) << REGISTERS) - 1;
#endif
    for (uint32_t i = 0; i < FLM_JAVA_METRICS; i++) {
        struct flm_event_layout *layout = &j->layouts[i];
        *layout = *t->layout;
        layout->user_registers = machine_registers;
        if (i == FLM_JAVA_CPU)
            continue;
        *layout = (struct flm_event_layout){.name = metric_names[i].metric,
                                            .has_period = true,
                                            .machine = t->layout->machine,
                                            .user_registers = machine_registers,
                                            .number = t->first_number + i,
                                            .is_elsewhere = true,
                                            .lasts = i == FLM_JAVA_WALL || i == FLM_JAVA_LOCK};
    }
}

uint32_t flm_java_signal_of(const struct flm_java *j, int32_t process)
{
    if (!j->signal || !(j->metrics & 1u << FLM_JAVA_CPU))
        return 0;
    return j->signal(j->signal_context, process);
}

static bool begin(void *attached, const struct flm_runtime_target *target, struct flm_error *why)
{
    struct flm_java *j = attached;
    struct flm_java_config config = config_of(j, target);
    j->config = config;
    j->signal = target->signal;
    j->end_signal = target->end_signal;
    j->signal_context = target->context;
    j->follows = target->child && j->options.follows;
    if (j->follows) /* threads inherit the program only once it is there: before the child runs */
        flm_java_signal_of(j, 0);
    make_layouts(j, target);
    for (size_t i = 0; i < j->vms.count; i++) {
        struct flm_java_target *v = &j->vms.at[i];
        config.signal = flm_java_signal_of(j, target->child);
        if (!flm_java_agent_configure(v->agent, &config, why))
            return false;
        flm_java_agent_begin(v->agent, target->child);
        v->process = target->child;
        v->start_ticks = flm_java_start_ticks(target->child);
        v->in_our_namespace = true;
    }
    for (size_t i = 0; i < target->process_count; i++) {
        int32_t process = target->processes[i];
        config.signal = flm_java_signal_of(j, process);
        struct flm_java_target *v = flm_java_add_vm(
            j,
            flm_java_agent_load(process, j->options.library, &config,
                                (struct flm_java_patience){FLM_JAVA_PATIENCE_NS, NULL}, why),
            process, why);
        if (!v)
            return false;
        v->start_ticks = flm_java_start_ticks(process);
        v->in_our_namespace = flm_namespace_number(process, process) == process;
        v->has_said = true;
    }
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_all(void *attached, const struct flm_runtime_sinks *to, struct flm_error *why)
{
    struct flm_java *j = attached;
    if (!flm_java_welcome(j, false, why))
        return false;
    for (size_t i = 0; i < j->vms.count; i++) {
        struct flm_java_target *v = &j->vms.at[i];
        struct flm_error said = {0};
        /* Asked first: what it wrote before it was gone is read then. */
        enum flm_java_agent_state state = flm_java_agent_state(v->agent, &said);
        if (!flm_java_read(j, v, to, why))
            return false;
        v->has_said |= state == FLM_JAVA_AGENT_BEGUN;
        if (state == FLM_JAVA_AGENT_GONE && !v->ended_ns)
            v->ended_ns = flm_now_ns();
        if (said.text[0])
            snprintf(j->trouble, sizeof j->trouble, "%.250s", said.text);
    }
    return flm_java_methods_define(&j->methods, false, to->define, to->context, why);
}

static void add_counts(struct flm_java_ring *to, const struct flm_java_ring *ring)
{
    to->lost += ring->lost;
    to->lost_stacks += ring->lost_stacks;
    to->lost_by_kernel += ring->lost_by_kernel;
    to->unsampled += ring->unsampled;
    to->lost_methods += ring->lost_methods;
    to->no_parks |= ring->no_parks;
}

/* A VM that has ended, and whose samples are all here. A recording may be without end. */
static bool release(struct flm_java *j, size_t index, const struct flm_runtime_sinks *to,
                    struct flm_error *why)
{
    struct flm_java_target *v = &j->vms.at[index];
    const struct flm_java_ring ring = flm_java_agent_counts(v->agent);
    bool is_alone = true;
    if (!flm_java_join(j, v, INT64_MAX, to, why) ||
        !flm_java_methods_end_vm(&j->methods, v->number, to->define, to->context, why))
        return false;
    add_counts(&j->ended, &ring);
    j->was_silent |= v->is_inherited && !v->has_said;
    for (size_t i = 0; i < j->vms.count; i++)
        is_alone &= i == index || j->vms.at[i].process != v->process;
    if (j->end_signal && is_alone && flm_java_start_ticks(v->process) != v->start_ticks)
        j->end_signal(j->signal_context, v->process);
    flm_java_clear_vm(v);
    *v = j->vms.at[--j->vms.count];
    return true;
}

static bool join(void *attached, int64_t until_ns, const struct flm_runtime_sinks *to,
                 struct flm_error *why)
{
    struct flm_java *j = attached;
    for (size_t i = j->vms.count; i-- > 0;) {
        struct flm_java_target *v = &j->vms.at[i];
        if (!flm_java_join(j, v, until_ns, to, why))
            return false;
        if (v->ended_ns && v->ended_ns <= until_ns && !release(j, i, to, why))
            return false;
    }
    return flm_java_methods_define(&j->methods, until_ns == INT64_MAX, to->define, to->context,
                                   why);
}

/* Whether it does not run because somebody has stopped it: a signal, or a debugger. */
static bool is_stopped(int32_t process)
{
    struct flm_proc_stat stat;
    return flm_proc_stat_read("", process, 0, &stat) && (stat.state == 'T' || stat.state == 't');
}

/* Sends its agent away. The ring must not be full while it says its last. One that does not answer
 * goes by itself as soon as it runs: nobody holds the other end of its connection. */
static bool end_vm(struct flm_java *j, struct flm_java_target *v, int64_t *until_ns,
                   const struct flm_runtime_sinks *to, struct flm_error *why)
{
    enum { STEP_NS = 20000000 };
    bool ended = false, stopped = false;
    do {
        uint64_t tail = flm_java_agent_counts(v->agent).tail;
        ended = flm_java_agent_end(v->agent, STEP_NS);
        if (!flm_java_read(j, v, to, why))
            return false;
        if (ended || flm_java_agent_counts(v->agent).tail != tail)
            *until_ns = flm_now_ns() + silence_ns(j);
        stopped = !ended && is_stopped(v->process);
    } while (!ended && !stopped && flm_now_ns() < *until_ns);
    if (!ended)
        snprintf(j->trouble, sizeof j->trouble,
                 "process %d %s: the agent in it leaves when it runs again", v->process,
                 stopped ? "is stopped" : "has not answered for some seconds");
    j->was_silent |= v->is_inherited && !v->has_said;
    return true;
}

static bool end(void *attached, const struct flm_runtime_sinks *to, struct flm_error *why)
{
    struct flm_java *j = attached;
    int64_t until_ns = flm_now_ns() + silence_ns(j);
    j->follows = false;
    if (!flm_java_welcome(j, true, why))
        return false;
    for (size_t i = 0; i < j->vms.count; i++)
        if (!end_vm(j, &j->vms.at[i], &until_ns, to, why))
            return false;
    return flm_java_methods_define(&j->methods, true, to->define, to->context, why);
}

/* ---- What was lost --------------------------------------------------------------------------- */

static void report(const void *attached, const struct flm_runtime_report *to)
{
    const struct flm_java *j = attached;
    char text[300];
    struct flm_java_ring all = j->ended;
    for (size_t i = 0; i < j->vms.count; i++) {
        const struct flm_java_ring ring = flm_java_agent_counts(j->vms.at[i].agent);
        add_counts(&all, &ring);
    }
    to->lost(to->session, "samples of Java threads (the agent had no room)", (double)all.lost);
    to->lost(to->session, "Java stacks of samples (the agent had no room)",
             (double)all.lost_stacks);
    to->lost(to->session, "samples of Java threads (dropped by the kernel)",
             (double)all.lost_by_kernel);
    to->lost(to->session, "samples of Java threads (no memory)", (double)j->not_kept);
    to->lost(to->session, "Java threads that could not be sampled by the agent",
             (double)all.unsampled);
    to->lost(to->session, "Java VMs that were started, without an agent",
             (double)j->arrivals_refused);
    to->lost(to->session, "names of Java methods (too many)", (double)all.lost_methods);
    to->lost(to->session, "names of Java methods (their class was unloaded)",
             (double)j->methods.unnamed);
    to->lost(to->session, "Java frames of samples (the VM could not walk the stack)",
             (double)j->without_java);
    to->lost(to->session, "outer frames of Java stacks (more than 1024)", (double)j->cut);
    uint64_t samples = 0;
    for (int i = 0; i < FLM_JAVA_METRICS; i++)
        samples += j->counts[i];
    if (samples > 0) {
        snprintf(text, sizeof text,
                 "%llu samples by an agent in the VM, %llu of them without a Java stack",
                 (unsigned long long)samples, (unsigned long long)j->without_java);
        to->note(to->session, "Java", flm_bytes_of(text));
    }
    if (all.no_parks)
        to->note(to->session, "Java locks",
                 flm_bytes_of("of monitors only: waits for java.util.concurrent could not be "
                              "measured in this VM"));
    if (j->options.follows && j->vm_count == 0 && !j->trouble[0])
        to->note(to->session, "Java agent",
                 flm_bytes_of(j->arrivals_ended > 0
                                  ? "the Java VMs that were started ended before it was loaded"
                                  : "no Java VM was started"));
    if (j->trouble[0])
        to->note(to->session, "Java agent", flm_bytes_of(j->trouble));
    else if (j->was_silent)
        to->note(to->session, "Java agent", flm_bytes_of("the VM has not loaded it"));
}

const struct flm_runtime flm_runtime_java = {.name = "Java",
                                             .attach = attach,
                                             .report = report,
                                             .close = close_attached,
                                             .command = command,
                                             .begin = begin,
                                             .mapped = flm_java_mapped,
                                             .read = read_all,
                                             .claims = flm_java_claims,
                                             .join = join,
                                             .end = end};
