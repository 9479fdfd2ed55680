/* code_request.h - what a page asks its server for, and gets: source files and machine code.
 *
 *     {"function": "parse", "module": "/usr/bin/app", "side": "after", "assembly": true,
 *      "files": ["src/parse.c"]}                     posted by the page (web/load.js)
 *     the bytes of a store (code/code_store.h)       answered
 *
 * A page may ask for anything: only what the profile names is looked for (code_finder.h), and the
 * request has no paths that are used but by comparing them. */
#ifndef FLAMEL_CODE_FIND_CODE_REQUEST_H
#define FLAMEL_CODE_FIND_CODE_REQUEST_H

#include "code/find/code_finder.h"

/* Of the profile that is shown, and of the one that it is compared with; NULL: none. */
struct flm_code_sides {
    struct flm_code_finder *after, *before;
};

enum { FLM_CODE_REQUEST_MOST_FILES = 100, FLM_CODE_REQUEST_MOST_BYTES = 1 << 20 };

/* Appends the answer. False, and `why`: it is no such request, or memory ran out. */
bool flm_code_request_answer(const struct flm_code_sides *sides, struct flm_bytes request,
                             struct flm_text *answer, struct flm_error *why);

#endif
