/* java.c - Java VMs as a runtime: an agent in each samples its threads, and its records become
 * samples here.
 *
 *     agent.h    the agent of a VM: loaded, records taken out
 *     methods.h  functions by numbers
 *
 * What the agent covers it samples instead of the recorder's first event: by an event of the same
 * kind, so both have the same unit, and a thread is never counted twice. All other threads of the
 * VM (its collectors and compilers, and those that native code has started) are the recorder's. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/core/hash.h"
#include "os/clock.h"
#include "record/java/agent.h"
#include "record/java/attach.h"
#include "record/java/methods.h"
#include "record/runtime/runtime.h"

enum { SECOND_NS = 1000000000, PATIENCE_S = 10 };

struct java_thread {
    int32_t inner, outer; /* in the VM's PID namespace, and in ours */
    bool is_sampled;
    struct flm_bytes name;
};

/* Generated code that is no method. */
struct blob {
    uint64_t start, end;
    char name[64];
};

struct java_vm {
    struct flm_java_agent *agent;
    int32_t process;
    bool is_inherited, in_our_namespace, has_said;
    struct FLM_ARRAY(struct java_thread) threads;
    struct flm_index by_inner, by_outer;
    struct FLM_ARRAY(struct blob) blobs;
};

struct flm_java {
    struct flm_runtime_options options;
    uint32_t metrics;
    struct flm_event_layout layouts[FLM_JAVA_METRICS];
    struct FLM_ARRAY(struct java_vm) vms;
    struct flm_java_methods methods;
    struct FLM_ARRAY(char *) names; /* of threads, each once */
    struct flm_index name_index;
    char **command; /* changed */
    char agent_option[4096 + 64];
    uint64_t counts[FLM_JAVA_METRICS], without_java, cut, native_gaps;
    bool was_silent; /* a command that was started said nothing */
    char trouble[256];
};

static const struct {
    const char *word, *metric;
} metric_names[FLM_JAVA_METRICS] = {[FLM_JAVA_CPU] = {"cpu", ""},
                                    [FLM_JAVA_WALL] = {"wall", "wall"},
                                    [FLM_JAVA_ALLOC] = {"alloc", "allocation"},
                                    [FLM_JAVA_LOCK] = {"lock", "lock"}};

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
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "--java takes cpu, wall, alloc and lock, separated by commas, not "
                                 "'%.*s'",
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
    for (size_t i = 0; i < j->vms.count; i++) {
        struct java_vm *v = &j->vms.at[i];
        flm_java_agent_free(v->agent);
        FLM_ARRAY_CLEAR(&v->threads);
        FLM_ARRAY_CLEAR(&v->blobs);
        flm_index_clear(&v->by_inner);
        flm_index_clear(&v->by_outer);
    }
    for (size_t i = 0; i < j->names.count; i++)
        free(j->names.at[i]);
    FLM_ARRAY_CLEAR(&j->vms);
    FLM_ARRAY_CLEAR(&j->names);
    flm_index_clear(&j->name_index);
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

static struct java_vm *add_vm(struct flm_java *j, struct flm_java_agent *agent, int32_t process,
                              struct flm_error *why)
{
    if (!agent || !FLM_ARRAY_RESERVE(&j->vms, 1)) {
        if (agent)
            flm_error_memory(why);
        flm_java_agent_free(agent);
        return NULL;
    }
    j->vms.at[j->vms.count] = (struct java_vm){.agent = agent, .process = process};
    return &j->vms.at[j->vms.count++];
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
    struct java_vm *v = add_vm(j, flm_java_agent_inherit(inherited, why), 0, why);
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

static bool begin(void *attached, const struct flm_runtime_target *target, struct flm_error *why)
{
    struct flm_java *j = attached;
    const struct flm_java_config config = config_of(j, target);
    make_layouts(j, target);
    for (size_t i = 0; i < j->vms.count; i++) {
        struct java_vm *v = &j->vms.at[i];
        if (!flm_java_agent_configure(v->agent, &config, why))
            return false;
        flm_java_agent_begin(v->agent, target->child);
        v->process = target->child;
        v->in_our_namespace = true;
    }
    for (size_t i = 0; i < target->process_count; i++) {
        int32_t process = target->processes[i];
        struct java_vm *v = add_vm(j,
                                   flm_java_agent_load(process, j->options.library, &config,
                                                       (int64_t)PATIENCE_S * SECOND_NS, why),
                                   process, why);
        if (!v)
            return false;
        v->in_our_namespace = flm_namespace_number(process, process) == process;
        v->has_said = true;
    }
    return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static struct java_thread *find_thread(const struct java_vm *v, const struct flm_index *index,
                                       int32_t id, bool inner)
{
    uint32_t hash = flm_hash_numbers((uint32_t)id, 0);
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);) {
        struct java_thread *thread = &v->threads.at[at.found];
        if ((inner ? thread->inner : thread->outer) == id)
            return thread;
    }
    return NULL;
}

/* One copy of each name: "" when memory ran out. */
static struct flm_bytes intern(struct flm_java *j, struct flm_bytes name)
{
    uint32_t hash = (uint32_t)flm_hash(name.at, name.size);
    for (struct flm_probe at = flm_index_probe(&j->name_index, hash);
         flm_index_next(&j->name_index, &at);)
        if (strlen(j->names.at[at.found]) == name.size &&
            memcmp(j->names.at[at.found], name.at, name.size) == 0)
            return (struct flm_bytes){j->names.at[at.found], name.size};
    char *copy = malloc(name.size + 1);
    if (!copy || !FLM_ARRAY_RESERVE(&j->names, 1) ||
        !flm_index_add(&j->name_index, hash, (uint32_t)j->names.count)) {
        free(copy);
        return (struct flm_bytes){"", 0};
    }
    memcpy(copy, name.at, name.size);
    copy[name.size] = 0;
    j->names.at[j->names.count++] = copy;
    return (struct flm_bytes){copy, name.size};
}

/* The number that we know a thread by, of one in another PID namespace too. */
static int32_t outer_number(const struct java_vm *v, int32_t inner)
{
    return v->in_our_namespace ? inner : flm_thread_of_namespace(v->process, inner);
}

static bool take_thread(struct flm_java *j, struct java_vm *v, const struct flm_java_thread *r)
{
    if (r->record.size < sizeof *r + (uint64_t)r->name_size || r->thread <= 0)
        return true;
    struct java_thread *thread = find_thread(v, &v->by_inner, r->thread, true);
    if (!thread) {
        struct java_thread new = {.inner = r->thread, .outer = outer_number(v, r->thread)};
        uint32_t number = (uint32_t)v->threads.count;
        if (!FLM_ARRAY_ADD(&v->threads, new) ||
            !flm_index_add(&v->by_inner, flm_hash_numbers((uint32_t) new.inner, 0), number) ||
            !flm_index_add(&v->by_outer, flm_hash_numbers((uint32_t) new.outer, 0), number))
            return false;
        thread = &v->threads.at[number];
    }
    /* The name stays when it ends: samples from before may come. */
    thread->is_sampled = r->is_sampled;
    if (r->is_sampled || thread->name.size == 0)
        thread->name = intern(j, (struct flm_bytes){(const char *)(r + 1), r->name_size});
    return true;
}

static bool covers(const void *attached, int32_t process, int32_t id)
{
    const struct flm_java *j = attached;
    for (size_t i = 0; i < j->vms.count; i++) {
        if (j->vms.at[i].process != process)
            continue;
        const struct java_thread *thread =
            find_thread(&j->vms.at[i], &j->vms.at[i].by_outer, id, false);
        if (thread && thread->is_sampled)
            return true;
    }
    return false;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static bool take_code(struct java_vm *v, const struct flm_java_code *r)
{
    struct blob blob = {.start = r->start, .end = r->start + r->size};
    if (r->record.size < sizeof *r + (uint64_t)r->name_size)
        return true;
    snprintf(blob.name, sizeof blob.name, "%.*s", (int)r->name_size, (const char *)(r + 1));
    return FLM_ARRAY_ADD(&v->blobs, blob);
}

/* The smallest that has the address: stubs lie in blobs of many. NULL: it is none, or the
 * interpreter's, whose frames have names. */
static const struct blob *find_blob(const struct java_vm *v, uint64_t address)
{
    const struct blob *found = NULL;
    for (size_t i = 0; i < v->blobs.count; i++) {
        const struct blob *b = &v->blobs.at[i];
        if (address >= b->start && address < b->end &&
            (!found || b->end - b->start <= found->end - found->start))
            found = b;
    }
    return found && strncmp(found->name, "Interpreter", 11) != 0 ? found : NULL;
}

static const char *error_text(int32_t error)
{
    switch (-error) {
    case 1:
        return "[no Java stack: the agent was not loaded for it]";
    case 2:
        return "[no Java stack: garbage collection]";
    case 8:
        return "[no Java stack: the thread ends]";
    case 9:
        return "[no Java stack: deoptimization]";
    case FLM_JAVA_FAULT:
        return "[no Java stack: it could not be read]";
    default:
        return "[no Java stack]";
    }
}

static struct flm_bytes state_name(const struct flm_java_sample *s)
{
    static const char *const names[FLM_JAVA_STATES] = {
        [FLM_JAVA_ON_CPU] = "on-CPU",   [FLM_JAVA_RUNNABLE] = "runnable",
        [FLM_JAVA_NATIVE] = "native",   [FLM_JAVA_BLOCKED] = "blocked",
        [FLM_JAVA_WAITING] = "waiting", [FLM_JAVA_TIMED_WAITING] = "timed waiting",
        [FLM_JAVA_PARKED] = "parked",   [FLM_JAVA_SLEEPING] = "sleeping",
    };
    if (s->metric != FLM_JAVA_WALL && s->metric != FLM_JAVA_LOCK)
        return (struct flm_bytes){"", 0};
    return flm_bytes_of(names[s->state < FLM_JAVA_STATES ? s->state : FLM_JAVA_ON_CPU]);
}

/* The parts of a sample, as far as they are in the record. False: it is not sound. */
struct parts {
    const uint64_t *kernel, *registers;
    const struct flm_java_frame *frames;
    struct flm_bytes stack, text;
};

static bool split(const struct flm_java_sample *s, struct parts *p)
{
    uint64_t left = s->record.size, wanted = sizeof *s;
    if (left < sizeof *s || s->metric >= FLM_JAVA_METRICS || s->kernel_count > 4096 ||
        s->frame_count > FLM_JAVA_MOST_FRAMES || s->register_count > 64)
        return false;
    wanted += s->kernel_count * sizeof *p->kernel + s->frame_count * sizeof *p->frames +
              s->register_count * sizeof *p->registers + flm_java_aligned(s->stack_size) +
              flm_java_aligned(s->text_size);
    if (wanted > left)
        return false;
    p->kernel = (const uint64_t *)(s + 1);
    p->frames = (const struct flm_java_frame *)(p->kernel + s->kernel_count);
    p->registers = (const uint64_t *)(p->frames + s->frame_count);
    const char *stack = (const char *)(p->registers + s->register_count);
    p->stack = (struct flm_bytes){stack, s->stack_size};
    p->text = (struct flm_bytes){stack + flm_java_aligned(s->stack_size), s->text_size};
    return true;
}

/* The registers that the layout has, in its order. */
static size_t pick_registers(const struct flm_event_layout *layout, const uint64_t *all,
                             uint32_t count, uint64_t *registers)
{
    size_t picked = 0;
    for (uint32_t i = 0; i < count; i++)
        if (layout->user_registers >> i & 1)
            registers[picked++] = all[i];
    return picked;
}

static bool add_frames(struct flm_java *j, const struct java_vm *v, const struct flm_java_sample *s,
                       const struct parts *p, uint64_t *frames, size_t *count,
                       const struct flm_runtime_sinks *to, struct flm_error *why)
{
    const struct blob *blob = s->register_count == 0 && s->ip ? find_blob(v, s->ip) : NULL;
    struct flm_text class_name = {0};
    if (s->text_size > 0) {
        flm_java_class_name(&class_name, p->text);
        frames[(*count)++] =
            flm_java_methods_name(&j->methods, (struct flm_bytes){class_name.at, class_name.size},
                                  FLM_KIND_LABEL, to->define, to->context, why);
        flm_text_clear(&class_name);
        if (!frames[*count - 1])
            return false;
    }
    if (blob) {
        frames[(*count)++] = flm_java_methods_name(&j->methods, flm_bytes_of(blob->name),
                                                   FLM_KIND_JIT, to->define, to->context, why);
        if (!frames[*count - 1])
            return false;
    }
    for (uint32_t i = 0; i < s->frame_count; i++) {
        frames[(*count)++] =
            flm_java_methods_frame(&j->methods, (uint64_t)v->process, &p->frames[i]);
        if (!frames[*count - 1])
            return flm_error_memory(why);
    }
    if (s->error < 0) {
        frames[(*count)++] = flm_java_methods_name(&j->methods, flm_bytes_of(error_text(s->error)),
                                                   FLM_KIND_LABEL, to->define, to->context, why);
        j->without_java++;
        return frames[*count - 1] != 0;
    }
    return true;
}

static bool take_sample(struct flm_java *j, const struct java_vm *v,
                        const struct flm_java_sample *s, const struct flm_java_ring *ring,
                        const struct flm_runtime_sinks *to, struct flm_error *why)
{
    uint64_t frames[FLM_JAVA_MOST_FRAMES + 4], registers[64];
    struct parts p;
    size_t count = 0;
    if (!split(s, &p))
        return true;
    const struct flm_event_layout *layout = &j->layouts[s->metric];
    const struct java_thread *thread = find_thread(v, &v->by_inner, s->thread, true);
    if (!add_frames(j, v, s, &p, frames, &count, to, why))
        return false;
    struct flm_runtime_sampled sampled = {
        .event = {.kind = FLM_EVENT_SAMPLE,
                  .process = v->process,
                  .thread = thread ? thread->outer : s->thread,
                  .time_ns = s->time_ns,
                  .cpu = s->cpu,
                  .sample = {.layout = layout,
                             .privilege = s->kernel_count > 0 ? FLM_IN_KERNEL : FLM_IN_USER,
                             .period = s->value,
                             .chain = p.kernel,
                             .chain_count = s->kernel_count,
                             .thread_name = thread ? thread->name : (struct flm_bytes){"", 0},
                             .state = state_name(s)}},
        .frames = frames,
        .frame_count = count,
        .code_start = ring->code_start,
        .code_end = ring->code_end,
        .is_cut = s->more_frames,
    };
    if (layout->lasts) /* it begins as long before as it lasts */
        sampled.event.time_ns -= (int64_t)s->value;
    if (s->register_count > 0 && p.stack.size > 0) {
        pick_registers(layout, p.registers, s->register_count, registers);
        sampled.event.sample.register_abi = 2; /* 64 bits */
        sampled.event.sample.registers = registers;
        sampled.event.sample.stack = p.stack;
        sampled.event.sample.stack_is_cut = true;
    }
    j->counts[s->metric]++;
    j->cut += s->more_frames;
    return to->take(to->context, &sampled, why);
}

static bool take_record(struct flm_java *j, struct java_vm *v, const struct flm_java_record *r,
                        const struct flm_java_ring *ring, const struct flm_runtime_sinks *to,
                        struct flm_error *why)
{
    switch (r->kind) {
    case FLM_JAVA_THREAD:
        return take_thread(j, v, (const struct flm_java_thread *)r) || flm_error_memory(why);
    case FLM_JAVA_METHOD:
        return flm_java_methods_learn(&j->methods, (uint64_t)v->process,
                                      (const struct flm_java_method *)r) ||
               flm_error_memory(why);
    case FLM_JAVA_CODE:
        return take_code(v, (const struct flm_java_code *)r) || flm_error_memory(why);
    case FLM_JAVA_SAMPLE:
        return take_sample(j, v, (const struct flm_java_sample *)r, ring, to, why);
    default:
        return true;
    }
}

static bool read_vm(struct flm_java *j, struct java_vm *v, const struct flm_runtime_sinks *to,
                    struct flm_error *why)
{
    const struct flm_java_ring ring = flm_java_agent_counts(v->agent);
    const struct flm_java_record *record;
    while ((record = flm_java_agent_next(v->agent)))
        if (!take_record(j, v, record, &ring, to, why))
            return false;
    return true;
}

static bool read_all(void *attached, const struct flm_runtime_sinks *to, struct flm_error *why)
{
    struct flm_java *j = attached;
    for (size_t i = 0; i < j->vms.count; i++) {
        struct java_vm *v = &j->vms.at[i];
        struct flm_error said = {0};
        if (!read_vm(j, v, to, why))
            return false;
        if (flm_java_agent_state(v->agent, &said) == FLM_JAVA_AGENT_BEGUN)
            v->has_said = true;
        else if (said.text[0])
            snprintf(j->trouble, sizeof j->trouble, "%.250s", said.text);
    }
    return flm_java_methods_define(&j->methods, false, to->define, to->context, why);
}

/* The ring must not be full while the agent says its last. */
static bool end(void *attached, const struct flm_runtime_sinks *to, struct flm_error *why)
{
    enum { STEP_NS = 20000000 };
    struct flm_java *j = attached;
    int64_t until_ns = flm_now_ns() + (int64_t)PATIENCE_S * SECOND_NS;
    for (size_t i = 0; i < j->vms.count; i++) {
        struct java_vm *v = &j->vms.at[i];
        bool ended = false;
        while (!ended && flm_now_ns() < until_ns) {
            ended = flm_java_agent_end(v->agent, STEP_NS);
            if (!read_vm(j, v, to, why))
                return false;
        }
        if (!ended)
            snprintf(j->trouble, sizeof j->trouble,
                     "the agent in process %d has not answered for %d s, and may still be there",
                     v->process, PATIENCE_S);
        j->was_silent |= v->is_inherited && !v->has_said;
    }
    return flm_java_methods_define(&j->methods, true, to->define, to->context, why);
}

/* ---- What was lost --------------------------------------------------------------------------- */

static void report(const void *attached, const struct flm_runtime_report *to)
{
    const struct flm_java *j = attached;
    char text[300];
    double lost = 0, by_kernel = 0, unsampled = 0, lost_methods = 0;
    bool no_parks = false;
    for (size_t i = 0; i < j->vms.count; i++) {
        struct flm_java_ring ring = flm_java_agent_counts(j->vms.at[i].agent);
        lost += (double)ring.lost;
        by_kernel += (double)ring.lost_by_kernel;
        unsampled += (double)ring.unsampled;
        lost_methods += (double)ring.lost_methods;
        no_parks |= ring.no_parks != 0;
    }
    to->lost(to->session, "samples of Java threads (the agent had no room)", lost);
    to->lost(to->session, "samples of Java threads (dropped by the kernel)", by_kernel);
    to->lost(to->session, "Java threads that could not be sampled by the agent", unsampled);
    to->lost(to->session, "names of Java methods (too many)", lost_methods);
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
    if (no_parks)
        to->note(to->session, "Java locks",
                 flm_bytes_of("of monitors only: waits for java.util.concurrent could not be "
                              "measured in this VM"));
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
                                             .read = read_all,
                                             .covers = covers,
                                             .end = end};
