/* code_search.h - where reports and the terminal's viewer get source and machine code from: what
 * finds them needs the system (code/find/code_search.c), and they do not. */
#ifndef FLAMEL_CODE_CODE_SEARCH_H
#define FLAMEL_CODE_CODE_SEARCH_H

#include "code/code_store.h"

struct flm_profile;

/* The first member of what finds code. A function, by its name and module, is looked for once for
 * each profile; the store has what was found, or why nothing was, and belongs to the search. False,
 * and `why`, if memory ran out. */
struct flm_code_search {
    bool (*find)(struct flm_code_search *search, const struct flm_profile *profile,
                 struct flm_bytes function, struct flm_bytes module,
                 const struct flm_code_store **store, struct flm_error *why);
};

#endif
