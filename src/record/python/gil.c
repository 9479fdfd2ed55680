#include "record/python/gil.h"

#include <string.h>

#include "record/python/internal.h"
#include "symbol/identity/machine.h"

enum { LARGEST_GIL = 512 };

/* The address of the lock of a thread's interpreter; of a thread without a state, of the newest
 * interpreter's: interpreters share one, unless each was created with its own. 0: it cannot be
 * read. */
static uint64_t find_gil(struct flm_python *p, uint64_t state)
{
    const struct flm_python_layout *l = &p->layout;
    uint64_t interpreter, gil;
    if (l->runtime_gil)
        return p->symbols.runtime + l->runtime_gil;
    uint64_t from =
        state ? state + l->thread_interpreter : p->symbols.runtime + l->runtime_interpreters;
    return l->interpreter_gil &&
                   flm_process_memory_read_now(&p->memory, from, &interpreter,
                                               sizeof interpreter) &&
                   flm_process_memory_read_now(&p->memory, interpreter + l->interpreter_gil, &gil,
                                               sizeof gil)
               ? gil
               : 0;
}

/* The lock of a thread's interpreter; of a thread without a state, the newest interpreter's. */
static uint64_t gil_of(struct flm_python *p, struct flm_python_thread *thread)
{
    uint64_t state = thread ? thread->state : 0, *gil = state ? &thread->gil : &p->gil;
    if (!*gil)
        *gil = find_gil(p, state);
    return *gil;
}

enum flm_python_gil flm_python_gil_of(struct flm_python *p, int32_t id)
{
    const struct flm_python_layout *l = &p->layout;
    char bytes[LARGEST_GIL];
    struct flm_python_thread *thread = flm_python_thread(p, id);
    uint64_t gil = thread && thread->state ? gil_of(p, thread) : 0, holder;
    int32_t locked, enabled;
    size_t size = l->gil_locked + sizeof locked;
    if (!gil || size > sizeof bytes || l->gil_holder + sizeof holder > size ||
        !flm_process_memory_read_now(&p->memory, gil, bytes, size))
        return FLM_PYTHON_GIL_UNKNOWN;
    memcpy(&enabled, bytes, sizeof enabled);
    if (l->is_free_threaded && enabled == 0)
        return FLM_PYTHON_GIL_UNKNOWN;
    memcpy(&holder, bytes + l->gil_holder, sizeof holder);
    memcpy(&locked, bytes + l->gil_locked, sizeof locked);
    return locked == 1 && holder == thread->state ? FLM_PYTHON_GIL_HELD : FLM_PYTHON_GIL_RELEASED;
}

/* An argument of a system call, from 0: rdi or rsi, x0 or x1, by perf's register numbers. */
static bool argument(const struct flm_event_sample *sample, unsigned index, uint64_t *value)
{
    uint64_t number = sample->layout->machine == FLM_MACHINE_ARM64 ? index : 5 - index;
    uint64_t all = sample->layout->user_registers;
    if (!sample->registers || !sample->register_abi || !(all >> number & 1))
        return false;
    *value = sample->registers[__builtin_popcountll(all & ((UINT64_C(1) << number) - 1))];
    return true;
}

/* A thread that gives the lock away is in the same system call, to wake others. */
static bool is_wait(uint64_t operation)
{
    enum { WAIT = 0, WAIT_BITSET = 9, COMMAND = 127 };
    return (operation & COMMAND) == WAIT || (operation & COMMAND) == WAIT_BITSET;
}

bool flm_python_waits_for_gil(struct flm_python *p, int32_t id,
                              const struct flm_event_sample *sample)
{
    uint64_t waits_for, operation;
    if (sample->privilege != FLM_IN_KERNEL || !argument(sample, 0, &waits_for) ||
        !argument(sample, 1, &operation) || !is_wait(operation))
        return false;
    uint64_t gil = gil_of(p, flm_python_thread(p, id));
    return gil && waits_for - gil < p->layout.gil_size;
}
