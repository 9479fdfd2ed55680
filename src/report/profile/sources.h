/* sources.h - where a report gets source and machine code from: what finds them needs the system
 * (code/find/sources.c), a report does not. */
#ifndef FLAMEL_REPORT_PROFILE_SOURCES_H
#define FLAMEL_REPORT_PROFILE_SOURCES_H

#include "base/text/line_index.h"
#include "code/code_store.h"
#include "flamel/annotate.h"

struct flm_source_text {
    const struct flm_line_index *lines; /* NULL: it was not found */
    struct flm_bytes path;              /* from which it was read */
    struct flm_bytes status; /* a sentence: how well it fits, or where it was looked for */
};

/* The first member of what finds them. `module` is a string of the profile, that of the code whose
 * lines are meant: its debug information knows which file was compiled; 0: none. Texts belong to
 * it, and stay as long as it does. */
struct flm_sources {
    bool (*find)(struct flm_sources *sources, const struct flm_profile *profile,
                 struct flm_bytes file, uint32_t module, struct flm_source_text *found,
                 struct flm_error *why);

    /* A function, by its name and module, is looked for once for each profile; the store has what
     * was found, or why nothing was, and belongs to it. False, and `why`, if memory ran out. */
    bool (*find_code)(struct flm_sources *sources, const struct flm_profile *profile,
                      struct flm_bytes function, struct flm_bytes module,
                      const struct flm_code_store **store, struct flm_error *why);
};

#endif
