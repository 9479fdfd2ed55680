/* names.h - which strings of a profile a text is found in.
 *
 * A million nodes have a hundred thousand names at most, so names are what is compared, each
 * distinct one once:
 *
 *     text     all strings at once, as the one block of bytes that they are: from one of the
 *              rarest byte of the text to the next, 16 bytes at a time where there is SIMD
 *     regex    one by one (base/regex/regex.h)
 *     fuzzy    one by one (fuzzy.h)
 *
 * A text that holds the one before is only compared with what that one found, so each further
 * letter costs less. */
#ifndef FLAMEL_VIEWER_MODEL_NAMES_H
#define FLAMEL_VIEWER_MODEL_NAMES_H

#include "base/text/text.h"
#include "profile/columns.h"

enum flm_search_kind { FLM_SEARCH_TEXT, FLM_SEARCH_REGEX, FLM_SEARCH_FUZZY, FLM_SEARCH_KINDS };

/* What frames use a string for; a byte of them for each string. */
enum { FLM_USED_AS_NAME = 1, FLM_USED_AS_FILE = 2, FLM_USED_AS_MODULE = 4 };

/* To be freed; NULL, and `why`, if memory ran out. */
unsigned char *flm_names_uses(const struct flm_profile *p, struct flm_error *why);

struct flm_names_query {
    struct flm_bytes text;
    enum flm_search_kind kind;
    bool exact_case;      /* else capitals in the text decide */
    unsigned char wanted; /* only strings that are used as one of these */
};

/* {0} is an empty one. */
struct flm_names {
    unsigned char *found;     /* by string: 1 where it matches; NULL: nothing was looked for yet */
    unsigned char *candidate; /* those that a longer text can match */
    struct flm_text text;     /* of the query that they answer */
    struct flm_names_query query; /* likewise, without its text */
    struct flm_regex *regex;      /* of a regex, ready to find where */
    struct flm_regex_scratch *scratch;
};

/* Fills `found`. False, and `why`, for a malformed expression or if memory ran out: everything is
 * then as it was. */
bool flm_names_find(struct flm_names *names, const struct flm_profile *p, const unsigned char *uses,
                    const struct flm_names_query *query, struct flm_error *why);
void flm_names_clear(struct flm_names *names);

/* Whether case does not matter to a query: it is not said to, and the text has no capital (what
 * stands behind a backslash of an expression is no letter). */
bool flm_names_any_case(const struct flm_names_query *query);

/* The part of a name that matches what was looked for: [*from, *to). */
bool flm_names_part(const struct flm_names *names, struct flm_bytes name, size_t *from, size_t *to);

/* Where `text` first stands in `name`; false where it does not. */
bool flm_names_place(struct flm_bytes name, struct flm_bytes text, bool any_case, size_t *at);

#endif
