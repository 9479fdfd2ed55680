/* records.c - records of the agent in a VM become samples. */
#include <stdio.h>
#include <string.h>

#include "record/java/internal.h"

static bool take_code(struct flm_java_target *v, const struct flm_java_code *r)
{
    struct flm_java_blob blob = {.start = r->start, .end = r->start + r->size};
    if (r->record.size < sizeof *r + (uint64_t)r->name_size)
        return true;
    snprintf(blob.name, sizeof blob.name, "%.*s", (int)r->name_size, (const char *)(r + 1));
    return FLM_ARRAY_ADD(&v->blobs, blob);
}

/* The smallest that has the address: stubs lie in blobs of many. NULL: it is none, or the
 * interpreter's, whose frames have names. */
static const struct flm_java_blob *find_blob(const struct flm_java_target *v, uint64_t address)
{
    const struct flm_java_blob *found = NULL;
    for (size_t i = 0; i < v->blobs.count; i++) {
        const struct flm_java_blob *b = &v->blobs.at[i];
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
    case 3:
    case 4:
        return "[no Java stack: in the VM's own code]";
    case 5:
    case 6:
        return "[no Java stack: between two methods]";
    case 8:
        return "[no Java stack: the thread ends]";
    case 9:
        return "[no Java stack: deoptimization]";
    case FLM_JAVA_FAULT:
        return "[no Java stack: it could not be read]";
    case FLM_JAVA_NOT_TAKEN:
        return "[no Java stack: the thread did not take its signal]";
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

static bool add_frames(struct flm_java *j, const struct flm_java_target *v,
                       const struct flm_java_sample *s, const struct parts *p, uint64_t *frames,
                       size_t *count, const struct flm_runtime_sinks *to, struct flm_error *why)
{
    const struct flm_java_blob *blob = s->register_count == 0 && s->ip ? find_blob(v, s->ip) : NULL;
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
        frames[(*count)++] = flm_java_methods_frame(&j->methods, v->number, &p->frames[i]);
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

bool flm_java_take_sample(struct flm_java *j, const struct flm_java_target *v,
                          const struct flm_java_sample *s,
                          const struct flm_java_waiting_sample *kernel,
                          const struct flm_runtime_sinks *to, struct flm_error *why)
{
    uint64_t frames[FLM_JAVA_MOST_FRAMES + 4], registers[64];
    struct parts p;
    size_t count = 0;
    if (!split(s, &p))
        return true;
    const struct flm_event_layout *layout = &j->layouts[s->metric];
    const struct flm_java_vm_thread *thread = flm_java_thread_inner(v, s->thread);
    const struct flm_java_ring ring = flm_java_agent_counts(v->agent);
    if (!add_frames(j, v, s, &p, frames, &count, to, why))
        return false;
    const struct flm_runtime_label label = flm_java_virtual_label(j, v->number, s->virtual_thread);
    if (s->virtual_thread && !label.key)
        return flm_error_memory(why);
    struct flm_runtime_sampled sampled = {
        .event = {.kind = FLM_EVENT_SAMPLE,
                  .process = v->process,
                  .thread = thread ? thread->outer : s->thread,
                  .time_ns = s->time_ns,
                  .cpu = s->cpu,
                  .sample = {.layout = layout,
                             .period = s->value,
                             .chain = p.kernel,
                             .chain_count = s->kernel_count,
                             .thread_name = thread ? thread->name : (struct flm_bytes){"", 0},
                             .state = state_name(s),
                             .labels = {label}}},
        .frames = frames,
        .frame_count = count,
        .code_start = ring.code_start,
        .code_end = ring.code_end,
        .is_cut = s->more_frames,
    };
    if (kernel) {
        sampled.event.time_ns = kernel->time_ns;
        sampled.event.cpu = kernel->cpu;
        sampled.event.sample.period = kernel->period;
        sampled.event.sample.chain = kernel->chain;
        sampled.event.sample.chain_count = kernel->chain_count;
    }
    sampled.event.sample.privilege =
        sampled.event.sample.chain_count > 0 ? FLM_IN_KERNEL : FLM_IN_USER;
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

static bool take_record(struct flm_java *j, struct flm_java_target *v,
                        const struct flm_java_record *r, const struct flm_runtime_sinks *to,
                        struct flm_error *why)
{
    const struct flm_java_sample *sample = (const struct flm_java_sample *)(const void *)r;
    switch (r->kind) {
    case FLM_JAVA_THREAD:
        return flm_java_take_thread(j, v, (const struct flm_java_thread *)r) ||
               flm_error_memory(why);
    case FLM_JAVA_METHOD:
        return flm_java_methods_learn(&j->methods, v->number, (const struct flm_java_method *)r) ||
               flm_error_memory(why);
    case FLM_JAVA_CODE:
        return take_code(v, (const struct flm_java_code *)r) || flm_error_memory(why);
    case FLM_JAVA_VIRTUAL:
        return flm_java_take_virtual(j, v->number,
                                     (const struct flm_java_virtual *)(const void *)r) ||
               flm_error_memory(why);
    case FLM_JAVA_SAMPLE:
        if (r->size >= sizeof *sample && sample->is_stack)
            return flm_java_keep_stack(v, sample) || flm_error_memory(why);
        return flm_java_take_sample(j, v, sample, NULL, to, why);
    default:
        return true;
    }
}

bool flm_java_read(struct flm_java *j, struct flm_java_target *v,
                   const struct flm_runtime_sinks *to, struct flm_error *why)
{
    const struct flm_java_record *record;
    while ((record = flm_java_agent_next(v->agent)))
        if (!take_record(j, v, record, to, why))
            return false;
    return true;
}
