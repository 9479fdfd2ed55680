/* names.h - the strings of a profile that match a text.
 *
 * A million nodes have a hundred thousand names at most, so names are compared, each distinct one
 * once:
 *
 *     text     all strings at once, in their one block of bytes: from one occurrence of the rarest
 *              byte of the text to the next, 16 bytes at a time with SIMD
 *     regex    one by one (base/regex/regex.h)
 *     fuzzy    one by one (fuzzy.h)
 *
 * A text that contains the previous one is only compared with the matches of that one, so each
 * further letter costs less. */
#ifndef FLAMEL_VIEWER_MODEL_NAMES_H
#define FLAMEL_VIEWER_MODEL_NAMES_H

#include "base/text/text.h"
#include "profile/columns.h"

enum flm_search_kind { FLM_SEARCH_TEXT, FLM_SEARCH_REGEX, FLM_SEARCH_FUZZY, FLM_SEARCH_KINDS };

/* How frames use a string: bits, a byte for each string. */
enum { FLM_USED_AS_NAME = 1, FLM_USED_AS_FILE = 2, FLM_USED_AS_MODULE = 4 };

/* To be freed; NULL, and `why`, if memory ran out. */
unsigned char *flm_names_uses(const struct flm_profile *p, struct flm_error *why);

struct flm_names_query {
    struct flm_bytes text;
    enum flm_search_kind kind;
    bool exact_case;      /* else capitals in the text decide */
    unsigned char wanted; /* only strings that are used as one of these */
    bool ignores_case;    /* whatever the text has */
};

/* {0} is an empty one. */
struct flm_names {
    unsigned char *matches;       /* by string: 1 where it matches; NULL: no query yet */
    unsigned char *candidate;     /* those that a longer text can match */
    struct flm_text text;         /* of their query */
    struct flm_names_query query; /* likewise, without its text */
    struct flm_regex *regex;      /* of a regex, ready to find where */
    struct flm_regex_scratch *scratch;
};

/* Fills `matches`. False, and `why`, for a malformed expression or if memory ran out: everything is
 * then as it was. */
bool flm_names_find(struct flm_names *names, const struct flm_profile *p, const unsigned char *uses,
                    const struct flm_names_query *query, struct flm_error *why);
void flm_names_clear(struct flm_names *names);

/* Whether a query ignores case: it says so, or does not demand case and the text has no capital (a
 * character after a backslash of an expression is not a letter). */
bool flm_names_any_case(const struct flm_names_query *query);

/* The part of a name that matches: [*from, *to). */
bool flm_names_part(const struct flm_names *names, struct flm_bytes name, size_t *from, size_t *to);

/* The first occurrence of `text` in `name`; false if there is none. */
bool flm_names_place(struct flm_bytes name, struct flm_bytes text, bool any_case, size_t *at);

#endif
