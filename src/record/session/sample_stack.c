/* sample_stack.c - the stack of a sample, and its node. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "record/perf/kernel_abi.h"
#include "record/session/internal.h"

/* ---- Outermost frames ------------------------------------------------------------------------ */

void flm_session_labels_clear(struct flm_session_labels *labels)
{
    for (size_t i = 0; i < labels->items.count; i++)
        free(labels->items.at[i].at);
    free(labels->items.at);
    flm_index_clear(&labels->index);
    *labels = (struct flm_session_labels){0};
}

/* The location of a label; UINT32_MAX when memory ran out. */
static uint32_t find_label(struct flm_session *s, struct flm_bytes text)
{
    static const struct flm_location_owner owner = {FLM_OWNER_LABEL, NULL, 0};
    struct flm_session_labels *labels = &s->labels;
    uint32_t hash = (uint32_t)flm_hash(text.at, text.size);
    for (struct flm_probe at = flm_index_probe(&labels->index, hash);
         flm_index_next(&labels->index, &at);)
        if (flm_bytes_equal(flm_owned_string_bytes(&labels->items.at[at.found]), text))
            return flm_locations_add(&s->locations, owner, at.found, 0);
    struct flm_owned_string copy;
    if (!FLM_ARRAY_RESERVE(&labels->items, 1))
        return UINT32_MAX;
    if (!flm_owned_string_init(&copy, text))
        return UINT32_MAX;
    /* Owned by the labels from here on, even if adding it to the index fails. */
    labels->items.at[labels->items.count++] = copy;
    if (!flm_index_add(&labels->index, hash, (uint32_t)labels->items.count - 1))
        return UINT32_MAX;
    return flm_locations_add(&s->locations, owner, labels->items.count - 1, 0);
}

uint32_t flm_session_label(struct flm_session *s, uint32_t caller, struct flm_bytes text)
{
    uint32_t location = caller == UINT32_MAX ? caller : find_label(s, text);
    return location == UINT32_MAX ? location : flm_stacks_child(&s->stacks, caller, location);
}

struct flm_bytes flm_session_command(struct flm_session *s, int32_t thread)
{
    struct flm_bytes name = flm_thread_name(s->processes, thread);
    return name.size > 0 ? name : flm_bytes_of(thread == 0 ? "swapper" : "[unknown]");
}

uint32_t flm_session_root(struct flm_session *s, const struct flm_event *event,
                          struct flm_bytes command)
{
    if (s->root.node && s->root.command.at == command.at &&
        (!s->options.per_thread ||
         (s->root.thread == event->thread && s->root.process == event->process)))
        return s->root.node;
    uint32_t node;
    if (s->options.per_thread) {
        char buffer[96];
        struct flm_text name;
        flm_text_init_fixed(&name, buffer, sizeof buffer);
        flm_text_add(&name, command);
        flm_text_format(&name, " %d", event->thread);
        node = flm_session_label(s, 0, flm_session_command(s, event->process));
        node = flm_session_label(s, node, (struct flm_bytes){name.at, name.size});
    } else {
        node = flm_session_label(s, 0, command);
    }
    s->root.node = node == UINT32_MAX ? 0 : node;
    s->root.command = command;
    s->root.thread = event->thread;
    s->root.process = event->process;
    return node;
}

/* ---- The stack of a sample ------------------------------------------------------------------- */

static void push(struct flm_session *s, uint64_t address, uint32_t role)
{
    if (s->depth < FLM_DEEPEST_STACK) {
        s->addresses[s->depth] = address;
        s->roles[s->depth++] = role;
    } else {
        s->too_deep = true;
    }
}

/* Adds the frame that stands for the missing outer frames; in a full stack it replaces the
 * outermost one. */
static void push_truncated(struct flm_session *s)
{
    if (s->depth == FLM_DEEPEST_STACK)
        s->depth--;
    push(s, FLM_CODE_TRUNCATED, FLM_ROLE_EXACT);
}

/* The role of the frames after a marker. */
static uint32_t role_of_marker(uint64_t marker)
{
    switch (marker) {
    case FLM_CONTEXT_KERNEL:
        return FLM_ROLE_KERNEL;
    case FLM_CONTEXT_GUEST:
    case FLM_CONTEXT_GUEST_KERNEL:
    case FLM_CONTEXT_GUEST_USER:
    case FLM_CONTEXT_HV:
        return FLM_ROLE_GUEST;
    default:
        return 0;
    }
}

static uint32_t role_of_privilege(enum flm_privilege privilege)
{
    return privilege == FLM_IN_KERNEL                                    ? FLM_ROLE_KERNEL
           : privilege == FLM_IN_GUEST || privilege == FLM_IN_HYPERVISOR ? FLM_ROLE_GUEST
                                                                         : 0;
}

/* The kernel's call chain; without its user part if that is unwound or comes from LBR. */
static void push_chain(struct flm_session *s, const struct flm_event_sample *sample,
                       bool without_user)
{
    uint32_t where = role_of_privilege(sample->privilege);
    bool is_first = true;
    for (size_t i = 0; i < sample->chain_count; i++) {
        uint64_t word = sample->chain[i];
        if (word >= FLM_CONTEXT_LEAST) {
            where = role_of_marker(word);
            is_first = true;
            continue;
        }
        if (where == 0 && without_user)
            continue;
        s->was_truncated |= word == FLM_CODE_TRUNCATED;
        /* After a marker: the instruction itself, interrupted or a system call. */
        push(s, word, where | (is_first ? FLM_ROLE_EXACT : FLM_ROLE_RETURN));
        is_first = false;
    }
}

static bool is_whole(enum flm_unwind_end end)
{
    return end == FLM_UNWIND_WHOLE || end == FLM_UNWIND_NO_REGISTERS; /* a kernel thread */
}

static void count_unwound(struct flm_session *s, struct flm_unwound unwound)
{
    s->unwind_ends[unwound.end]++;
    if (unwound.end == FLM_UNWIND_NO_REGISTERS)
        return;
    s->counts.stacks_unwound++;
    s->counts.frames_unwound += unwound.count;
    s->counts.stacks_beyond_dump += unwound.end == FLM_UNWIND_BEYOND_DUMP;
    s->counts.stacks_on_other_stack +=
        unwound.end == FLM_UNWIND_BELOW_SIGNAL || unwound.end == FLM_UNWIND_OTHER_STACK;
    s->counts.stacks_truncated += unwound.end != FLM_UNWIND_WHOLE;
}

static bool is_exact(const struct flm_session *s, size_t frame)
{
    return frame == 0 || s->exact[frame / 64] >> frame % 64 & 1;
}

bool flm_session_has_stack_dump(const struct flm_event_sample *sample)
{
    return sample->registers && sample->register_abi && sample->stack.size > 0;
}

static struct flm_unwound unwind(struct flm_session *s, const struct flm_process *process,
                                 const struct flm_event_sample *sample)
{
    struct flm_unwound unwound = s->symbolizer->calls->unwind(s, process, sample);
    count_unwound(s, unwound);
    return unwound;
}

/* LBR in call stack mode: the calls that have not returned. */
static bool has_branch_stack(const struct flm_event_sample *sample)
{
    return sample->branch_count > 0 &&
           sample->layout->branch_type & FLM_PERF_SAMPLE_BRANCH_CALL_STACK;
}

static void push_branches(struct flm_session *s, const struct flm_event_sample *sample)
{
    /* The newest call entered the sampled function. These are addresses of call instructions, not
     * return addresses. */
    push(s, sample->privilege == FLM_IN_USER ? sample->ip : sample->branches[1], FLM_ROLE_EXACT);
    for (size_t i = 0; i < sample->branch_count; i++)
        push(s, sample->branches[3 * i], FLM_ROLE_EXACT);
}

void flm_session_collect(struct flm_session *s, const struct flm_process *process,
                         const struct flm_event_sample *sample)
{
    bool has_dump = flm_session_has_stack_dump(sample),
         by_dump = has_dump && s->symbolizer->calls->unwind,
         by_branches = !by_dump && has_branch_stack(sample);
    s->depth = 0;
    s->too_deep = s->is_truncated = s->was_truncated = false;
    push_chain(s, sample, by_dump || by_branches);
    if (by_dump) {
        struct flm_unwound unwound = unwind(s, process, sample);
        for (size_t i = 0; i < unwound.count; i++)
            push(s, s->unwound[i], is_exact(s, i) ? FLM_ROLE_EXACT : FLM_ROLE_RETURN);
        s->is_truncated |= !is_whole(unwound.end);
    } else if (by_branches) {
        push_branches(s, sample);
    }
    if (s->depth == 0 && sample->ip)
        push(s, sample->ip, role_of_privilege(sample->privilege));
    if (has_dump && !by_dump && !by_branches) {
        s->unwind_ends[FLM_UNWIND_NOT_READ]++;
        s->is_truncated = true;
    }
    s->at_limit = sample->layout->deepest_chain > 0 && !by_dump && !by_branches &&
                  s->depth == sample->layout->deepest_chain;
    if (s->is_truncated || s->too_deep || s->at_limit)
        push_truncated(s);
}

/* How many outer frames the stack shares with the previous one. */
static size_t shared_frames(const struct flm_session *s)
{
    size_t most = s->depth < s->last_depth ? s->depth : s->last_depth, shared = 0;
    const uint64_t *a = s->addresses + s->depth, *b = s->last_addresses + s->last_depth;
    const uint32_t *x = s->roles + s->depth, *y = s->last_roles + s->last_depth;
    while (shared < most && *--a == *--b && *--x == *--y)
        shared++;
    return shared;
}

uint32_t flm_session_node(struct flm_session *s, const struct flm_process *process,
                          const struct flm_process *kernel, uint32_t root, uint32_t era)
{
    size_t shared = 0;
    if (root == s->last_root && process->changed == s->last_changed &&
        kernel->changed == s->last_kernel_changed && era == s->last_era)
        shared = shared_frames(s);
    uint32_t node = shared ? s->last_nodes[shared - 1] : root;
    s->last_depth = 0; /* if memory runs out below */
    for (size_t i = shared; i < s->depth; i++) {
        size_t at = s->depth - 1 - i;
        uint32_t location =
            flm_locations_find(&s->locations, process, kernel, s->addresses[at], s->roles[at], era);
        node = location == UINT32_MAX ? location : flm_stacks_child(&s->stacks, node, location);
        if (node == UINT32_MAX)
            return node;
        s->last_nodes[i] = node;
    }
    memcpy(s->last_addresses, s->addresses, s->depth * sizeof *s->addresses);
    memcpy(s->last_roles, s->roles, s->depth * sizeof *s->roles);
    s->last_depth = s->depth;
    s->last_changed = process->changed;
    s->last_kernel_changed = kernel->changed;
    s->last_root = root;
    s->last_era = era;
    return node;
}

/* ---- While it records ------------------------------------------------------------------------ */

const struct flm_process *flm_session_process(struct flm_session *s, int32_t id)
{
    return flm_processes_get(s->processes, id);
}

/* A part of a stack is not counted: that it is not unwound to the end says nothing. */
static struct flm_stack unwind_event(struct flm_session *s, const struct flm_event *event,
                                     bool is_part)
{
    const struct flm_event_sample *sample = &event->sample;
    const struct flm_process *process = flm_processes_get(s->processes, event->process);
    struct flm_stack stack = {.addresses = s->marked, .is_whole = true};
    size_t most = sizeof s->marked / sizeof *s->marked;
    if (process && flm_session_has_stack_dump(sample)) {
        struct flm_unwound unwound =
            is_part ? s->symbolizer->calls->unwind(s, process, sample) : unwind(s, process, sample);
        for (size_t i = 0; i < unwound.count && stack.count + 2 <= most; i++) {
            if (is_exact(s, i))
                s->marked[stack.count++] = FLM_CONTEXT_USER;
            s->marked[stack.count++] = s->unwound[i];
        }
        stack.is_whole = is_whole(unwound.end);
        stack.end = unwound.end;
        stack.is_beyond_dump = unwound.end == FLM_UNWIND_BEYOND_DUMP;
        stack.dump_size = unwound.size;
        if (!stack.is_whole) {
            stack.count -= stack.count == most;
            s->marked[stack.count++] = FLM_CODE_TRUNCATED;
        }
        return stack;
    }
    bool in_user = false;
    for (size_t i = 0; i < sample->chain_count && stack.count < most; i++) {
        uint64_t word = sample->chain[i];
        if (word >= FLM_CONTEXT_LEAST)
            in_user = word == FLM_CONTEXT_USER;
        if (in_user)
            s->marked[stack.count++] = word;
    }
    return stack;
}

struct flm_stack flm_session_unwind(struct flm_session *s, const struct flm_event *event)
{
    return unwind_event(s, event, false);
}

void flm_session_completed(struct flm_session *s, const struct flm_stack *stack)
{
    enum flm_unwind_end end = (enum flm_unwind_end)stack->end;
    s->unwind_ends[end]--;
    s->unwind_ends[FLM_UNWIND_WHOLE]++;
    s->counts.stacks_truncated--;
    s->counts.stacks_beyond_dump -= end == FLM_UNWIND_BEYOND_DUMP;
    s->counts.stacks_on_other_stack -=
        end == FLM_UNWIND_BELOW_SIGNAL || end == FLM_UNWIND_OTHER_STACK;
}

struct flm_stack flm_session_unwind_part(struct flm_session *s, const struct flm_event *event)
{
    return unwind_event(s, event, true);
}
