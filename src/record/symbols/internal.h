/* internal.h - the symbolizer of this machine. */
#ifndef FLAMEL_RECORD_SYMBOLS_INTERNAL_H
#define FLAMEL_RECORD_SYMBOLS_INTERNAL_H

#include "record/session/internal.h"
#include "record/symbols/symbolized_session.h"

struct flm_preloader;

struct flm_symbols {
    struct flm_symbolizer symbolizer; /* first: sessions have a pointer to it */
    struct flm_modules *modules;
    bool are_modules_ours;           /* and are freed with it */
    struct flm_preloader *preloader; /* NULL until flm_session_prepare */
    int usual_priority;              /* when the session was made: recorders raise it later */
    struct FLM_ARRAY(struct flm_runtime_file) runtime_files; /* mapped by processes */
    struct flm_runtime_search search; /* while it names: of the current process */
    struct flm_seen_codes *seen;      /* of all processes; NULL: none yet */
};

/* The symbolizer of a session with symbols. */
struct flm_symbols *flm_session_symbols(const struct flm_session *session);

/* names.c */
bool flm_symbols_begin(struct flm_naming *naming);
bool flm_symbols_begin_owner(struct flm_naming *naming, const struct flm_location_owner *owner);
enum flm_named flm_symbols_name(struct flm_naming *naming, const struct flm_location_owner *owner,
                                uint32_t era, uint64_t *address);
void flm_symbols_end(struct flm_naming *naming);

/* The modules of all locations, in an array that the caller frees; NULL when memory ran out. */
struct flm_module **flm_session_wanted(const struct flm_session *session, size_t *count);

/* frame_pointers.c: the stack in `unwound` of the session, continued by the chain that the kernel
 * has recorded by frame pointers, if the program keeps them and they lead further; and the stack of
 * a sample with a stack dump, unwound and continued. */
struct flm_unwound flm_session_join(struct flm_session *session, const struct flm_process *process,
                                    const struct flm_event_sample *sample,
                                    struct flm_unwound unwound);
struct flm_unwound flm_symbols_unwind(struct flm_session *session,
                                      const struct flm_process *process,
                                      const struct flm_event_sample *sample);

/* explain.c: notes why the modules with the most unsymbolized samples have no symbols. */
bool flm_session_explain(struct flm_session *session, const bool *is_unsymbolized,
                         struct flm_builder *builder);

/* jit_notes.c: remembers the machine code at an address of the current process, at which
 * `function` is, and sets the address of the location that is being named. False, and the error of
 * the naming, when memory ran out. And adds it to the profile, as far as there is room for it. */
bool flm_symbols_see_code(struct flm_naming *naming, const struct flm_runtime_found *found,
                          uint64_t address, int64_t time_ns, struct flm_bytes function);
bool flm_symbols_note_code(struct flm_session *session, struct flm_builder *builder);
void flm_symbols_forget_code(struct flm_symbols *symbols);

/* module_notes.c: the same, and of which builds the modules are. */
bool flm_symbols_explain(struct flm_session *session, const bool *is_unsymbolized,
                         struct flm_builder *builder);

#endif
