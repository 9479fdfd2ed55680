/* io_calls.c - an operation on a file. Runs in signal handlers. */
#include "io.h"

#include <string.h>

static struct flm_site *site_of(const void *thing, const void *caller, int operation)
{
    struct flm_file *file = (struct flm_file *)((uintptr_t)thing - (uintptr_t)operation);
    struct flm_site **site = &file->site[flm_file_operation(operation)];
    (void)caller;
    struct flm_site *known = __atomic_load_n(site, __ATOMIC_ACQUIRE);
    if (!known) {
        known = flm_site_named(FLM_PROBE_FILE, (enum flm_probe_operation)operation, file->name,
                               file->size, NULL);
        __atomic_store_n(site, known, __ATOMIC_RELEASE);
    }
    return known;
}

static struct flm_call *call_of(struct flm_file *file, enum flm_probe_operation operation)
{
    const void *thing = (const void *)((uintptr_t)file + (uintptr_t)operation);
    return file ? flm_call_of(thing, NULL, site_of, (int)operation) : NULL;
}

bool flm_io_begin(struct flm_io *io, struct flm_file *file, enum flm_probe_operation operation)
{
    struct flm_call *call = call_of(file, operation);
    if (!call)
        return false;
    io->node = call->node;
    io->number = call->number;
    io->has_bytes = operation == FLM_PROBE_FILE_READ || operation == FLM_PROBE_FILE_WRITE;
    io->open = flm_call_enter(call);
    return io->open != NULL;
}

bool flm_io_begin_wait(struct flm_io *io, struct flm_file **known, const char *name)
{
    if (!flm_is_seen(FLM_PROBE_IO))
        return false;
    struct flm_file *file = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    if (!file) {
        file = flm_file_named(name, strlen(name));
        __atomic_store_n(known, file, __ATOMIC_RELEASE);
    }
    return flm_io_begin(io, file, FLM_PROBE_FILE_WAIT);
}

static bool is_error(int reason)
{
    return reason != EAGAIN && reason != EWOULDBLOCK && reason != EINTR && reason != EINPROGRESS;
}

void flm_io_end(struct flm_io *io, ssize_t amount)
{
    int kept = errno;
    flm_call_leave(io->open);
    if (amount >= 0) {
        io->node->value[FLM_PROBE_AMOUNT] += (uint64_t)amount;
        if (io->has_bytes)
            flm_call_add(io->number, FLM_PROBE_BYTES, (uint64_t)amount);
    } else if (is_error(kept)) {
        io->node->value[FLM_PROBE_ERRORS]++;
    }
    errno = kept;
}

void flm_io_count(struct flm_file *file, enum flm_probe_operation operation, ssize_t amount)
{
    int kept = errno;
    struct flm_call *call = call_of(file, operation);
    if (call) {
        call->node->calls++;
        call->node->value[FLM_PROBE_AMOUNT] += (uint64_t)amount;
    }
    errno = kept;
}

void flm_io_add(struct flm_file *file, enum flm_probe_operation operation, uint64_t start,
                bool is_good)
{
    int kept = errno;
    uint64_t took = flm_clock_ticks() - start;
    struct flm_call *call = call_of(file, operation);
    if (call) {
        call->node->total += took;
        flm_call_done(call, took, is_good || !is_error(kept));
    }
    errno = kept;
}

void flm_io_add_amount(struct flm_file *file, enum flm_probe_operation operation, uint64_t start,
                       ssize_t amount)
{
    int kept = errno;
    uint64_t took = flm_clock_ticks() - start;
    struct flm_call *call = call_of(file, operation);
    if (call) {
        call->node->total += took;
        call->node->value[FLM_PROBE_AMOUNT] += amount > 0 ? (uint64_t)amount : 0;
        flm_call_done(call, took, amount >= 0 || !is_error(kept));
        if (amount >= 0)
            flm_call_add(call->number, FLM_PROBE_BYTES, (uint64_t)amount);
    }
    errno = kept;
}
