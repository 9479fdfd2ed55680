/* calls.h - what a thread does often and is no scope of the program, found again fast.
 *
 * Taking a lock, or reading a file, is a node of the lock's or file's site in the node that is
 * open. Finding it is: what it is done with, where it is called, and the node that is open, in a
 * table of the thread's with one place for each. Where two want the same place, the tree has
 * both. */
#ifndef FLAMEL_PROBE_CALLS_H
#define FLAMEL_PROBE_CALLS_H

#include "internal.h"

/* The site of a thing at a caller. NULL: there is no memory. */
typedef struct flm_site *flm_find_site(const void *thing, const void *caller, int operation);

/* NULL: it is not measured, or it is the library's own call. errno is kept. */
FLM_HIDDEN struct flm_call *flm_call_find(const void *thing, const void *caller,
                                          flm_find_site *find_site, int operation);

static inline struct flm_call *flm_call_at(struct flm_local *local, const void *thing,
                                           const void *caller, uint64_t parent)
{
    enum { BITS = 9 };
    uint64_t hash = ((uintptr_t)thing + (uintptr_t)caller * 3 + parent) * 0x9E3779B97F4A7C15u;
    _Static_assert(FLM_CALLS == 1 << BITS, "the table has a place for each hash");
    return &local->call[hash >> (64 - BITS)];
}

static inline struct flm_call *flm_call_of(const void *thing, const void *caller,
                                           flm_find_site *find_site, int operation)
{
    struct flm_probe_open *top = flm_top;
    if (!FLM_RARELY(!top)) {
        struct flm_call *call = flm_call_at(flm_local, thing, caller, top->at);
        if (!FLM_RARELY(call->thing != thing || call->caller != caller || call->parent != top->at))
            return call;
    }
    return flm_call_find(thing, caller, find_site, operation);
}

/* As flm_probe_enter, where the node is known. */
FLM_HIDDEN void *flm_call_enter(const struct flm_call *call);

/* As flm_probe_leave, but each call is timed, however scopes are, and what is allocated meanwhile
 * is in the node only. NULL: nothing. */
FLM_HIDDEN void flm_call_leave(void *open);

/* A part of a call that goes on: its ticks are in the node, and it is not counted yet. */
FLM_HIDDEN uint64_t flm_call_pause(void *open);

/* A call that took so long, by parts: it is counted, and in the meter. Its errors, too. */
FLM_HIDDEN void flm_call_done(struct flm_call *call, uint64_t ticks, bool is_good);

/* Adds to a meter of a site; nothing, where this thread is not measured. errno is kept. */
FLM_HIDDEN void flm_call_add(uint32_t site, enum flm_probe_quantity quantity, uint64_t value);

#endif
