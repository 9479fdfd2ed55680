/* symbolizer.h - what knows the code that was recorded: which file is mapped, how its stacks are
 * unwound, the names of its functions.
 *
 *     record/symbols/symbolized_session.h    the files of this machine, and what is found by their
 *                                            build ids: everything
 *     unsymbolized.h                         nothing: a file page, which has no files to look into
 *
 * A session (record/session/session.h) and its processes ask one, and do not know which it is.
 * `free`, `module`, `path`, `unwind_losses` and `explain` are there; others may be NULL, if it does
 * not know. */
#ifndef FLAMEL_RECORD_PROCESS_SYMBOLIZER_H
#define FLAMEL_RECORD_PROCESS_SYMBOLIZER_H

#include "record/perf/event.h"

struct flm_builder;
struct flm_module; /* opaque: a file with code */
struct flm_naming; /* record/session/internal.h, as are the next two */
struct flm_location_owner;
struct flm_session;
struct flm_process;

/* Why unwinding ended. A larger stack dump helps only with FLM_UNWIND_BEYOND_DUMP. A dump has at
 * most 65,528 bytes from the stack pointer on, so a frame further away is mostly on another stack:
 * signal handlers and coroutines may have their own. A dump that is shorter than requested ends
 * where memory does, or could not be read further because memory was paged out. */
enum flm_unwind_end {
    FLM_UNWIND_WHOLE,        /* the outermost frame */
    FLM_UNWIND_BEYOND_DUMP,  /* the stack is deeper than the stack dump */
    FLM_UNWIND_BELOW_SIGNAL, /* the interrupted stack of a signal handler on its own stack */
    FLM_UNWIND_OTHER_STACK,  /* the next frame is out of reach of any stack dump */
    FLM_UNWIND_UNREADABLE,   /* the next frame is where stack memory could not be read */
    FLM_UNWIND_NO_TABLE,     /* no unwind table and no frame pointer */
    FLM_UNWIND_NO_MODULE,    /* the pc is in no mapping */
    FLM_UNWIND_CORRUPT,      /* the next frame is not further out on the stack */
    FLM_UNWIND_TOO_DEEP,     /* more frames than `capacity` */
    FLM_UNWIND_NO_REGISTERS, /* a kernel thread, or a 32-bit program */
    FLM_UNWIND_NOT_READ,     /* this symbolizer does not unwind */
    FLM_UNWIND_ENDS
};

struct flm_unwound {
    size_t count; /* of frames written */
    enum flm_unwind_end end;
    size_t size; /* bytes of the stack dump that were needed; 0: unknown */
};

/* The first member of each symbolizer. */
struct flm_symbolizer {
    const struct flm_symbolizer_calls *calls;
};

/* How a location got its frames. */
enum flm_named { FLM_NAMED, FLM_NOT_NAMED, FLM_NAMED_NO_MEMORY };

struct flm_symbolizer_calls {
    void (*free)(struct flm_symbolizer *self); /* accepts NULL */

    /* The module of a request; the same request returns the same module. NULL only when memory ran
     * out. Valid until the symbolizer is freed. */
    struct flm_module *(*module)(struct flm_symbolizer *self,
                                 const struct flm_module_request *request);
    struct flm_bytes (*path)(const struct flm_module *module);

    /* The address in a module of an offset in its file; false: unknown. */
    bool (*address)(const struct flm_module *module, uint64_t file_offset, uint64_t *address);

    /* The vdso of this process, which is that of others on this kernel. */
    struct flm_bytes (*own_vdso)(void);

    /* Forgets the requests of processes that are no longer known. False when memory ran out. */
    bool (*forget)(struct flm_symbolizer *self, flm_process_predicate is_known, void *context);

    /* What flm_session_kernel and flm_session_recorded say. */
    void (*kernel)(struct flm_symbolizer *self, bool is_ours);
    void (*recorded)(struct flm_symbolizer *self, int64_t from_ns, int64_t until_ns);

    /* A mapping. `is_announced` receives whether a runtime announces its file of symbols with it,
     * and `has_times` is set if an address may be different code later. False when memory ran
     * out. */
    bool (*map)(struct flm_symbolizer *self, const struct flm_event *event, bool *is_announced,
                bool *has_times);

    /* Whether a process still runs on this machine. */
    bool (*runs)(int32_t process);

    /* The user stack of a sample with a stack dump, into `unwound` and `exact` of the session. */
    struct flm_unwound (*unwind)(struct flm_session *session, const struct flm_process *process,
                                 const struct flm_event_sample *sample);

    /* Of each end but a good one, what is lost: by enum flm_unwind_end. */
    const char *const *unwind_losses;

    /* Naming: at its start; at the start of each owner; of a location, whose address may be changed
     * to the one by which it is called where it has no name; at its end, also after a failure.
     * False, and `why` of the naming, when memory ran out. */
    bool (*begin)(struct flm_naming *naming);
    bool (*begin_owner)(struct flm_naming *naming, const struct flm_location_owner *owner);
    enum flm_named (*name)(struct flm_naming *naming, const struct flm_location_owner *owner,
                           uint32_t era, uint64_t *address);
    void (*end)(struct flm_naming *naming);

    /* Notes what has no names, and why. `is_unsymbolized` has an entry for each location. False
     * when memory ran out. */
    bool (*explain)(struct flm_session *session, const bool *is_unsymbolized,
                    struct flm_builder *builder);
};

#endif
