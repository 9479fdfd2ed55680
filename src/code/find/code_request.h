/* code_request.h - what a viewer asks for, and gets: source files and machine code. The terminal's
 * does so in the same process, a page by a message to its server:
 *
 *     {"function": "parse", "module": "/usr/bin/app", "side": "after", "other": "before",
 *      "assembly": true, "files": ["src/parse.c"]}   posted by the page (web/load.js)
 *     the bytes of a store (code/code_store.h)       answered
 *
 * A page may ask for anything: only what the profile names is looked for (code_finder.h), and the
 * request has no paths that are used but by comparing them. */
#ifndef FLAMEL_CODE_FIND_CODE_REQUEST_H
#define FLAMEL_CODE_FIND_CODE_REQUEST_H

#include "code/find/code_finder.h"

/* Of the profile that is shown, and of the one that it is compared with; NULL: none. They are
 * named as they were opened: a viewer that swapped them still asks for "after" where it means that
 * file. */
struct flm_code_sides {
    struct flm_code_finder *after, *before;
};
enum flm_code_side { FLM_CODE_OF_NONE, FLM_CODE_OF_AFTER, FLM_CODE_OF_BEFORE };

/* "after", "before"; any other word: none. */
enum flm_code_side flm_code_side_named(struct flm_bytes word);

enum { FLM_CODE_REQUEST_MOST_FILES = 100, FLM_CODE_REQUEST_MOST_BYTES = 1 << 20 };

/* Machine code of the function of a side, if it is wanted, and files by name, of the other side
 * where the first does not name them. */
struct flm_code_request {
    struct flm_bytes function, module;
    enum flm_code_side side, other;
    bool assembly;
    struct flm_bytes files[FLM_CODE_REQUEST_MOST_FILES];
    size_t file_count;
};

/* Appends the answer. False, and `why`, if memory ran out. */
bool flm_code_answer(const struct flm_code_sides *sides, const struct flm_code_request *request,
                     struct flm_text *answer, struct flm_error *why);

/* The same for a message: false also where it is no such request. */
bool flm_code_answer_message(const struct flm_code_sides *sides, struct flm_bytes message,
                             struct flm_text *answer, struct flm_error *why);

#endif
