/* sources.h - where a report gets source and machine code from: what finds them needs the system
 * (code/find/sources.c), a report does not. */
#ifndef FLAMEL_REPORT_PROFILE_SOURCES_H
#define FLAMEL_REPORT_PROFILE_SOURCES_H

#include "code/code_store.h"
#include "flamel/annotate.h"

/* The first member of what finds them. Each profile has a store, which has what was found for it,
 * or why nothing was; each is looked for once. The store belongs to the sources. False, and `why`,
 * if memory ran out. */
struct flm_sources {
    /* A file that the profile names, or else `other`, which may be NULL: then the store of the
     * first has it. */
    bool (*find_file)(struct flm_sources *sources, const struct flm_profile *profile,
                      const struct flm_profile *other, struct flm_bytes name,
                      const struct flm_code_store **store, struct flm_error *why);

    /* The machine code of a function, by its name and module, and the files that it names. */
    bool (*find_code)(struct flm_sources *sources, const struct flm_profile *profile,
                      struct flm_bytes function, struct flm_bytes module,
                      const struct flm_code_store **store, struct flm_error *why);
};

#endif
