/* searches.h - up to six searches at once, each in its own color.
 *
 * Names are compared, not frames or nodes: each distinct string once. A frame matches if its
 * function, file or module does, as the scope says. Totals count nested occurrences once.
 *
 * Empty text matches nothing. Case is ignored unless the text has a capital letter or the search
 * says that case matters. Whatever the kind of the search, /re/ and /re/i are regular expressions,
 * as in patterns of operations (algebra/operation/pattern.h), and take case as these do. */
#ifndef FLAMEL_VIEWER_MODEL_SEARCHES_H
#define FLAMEL_VIEWER_MODEL_SEARCHES_H

#include "layout/layout.h"
#include "layout/tree.h"
#include "viewer/model/names.h"

enum { FLM_MOST_SEARCHES = 6 };
enum flm_search_scope {
    FLM_SEARCH_NAMES,
    FLM_SEARCH_FILES,
    FLM_SEARCH_MODULES,
    FLM_SEARCH_ALL,
    FLM_SEARCH_SCOPES
};

/* The sum of the matches. Shares are of sums of |self|, as widths are. */
struct flm_match_sum {
    double total; /* of the matching frames; nested ones are counted once */
    double self;
    double of;      /* the sum of everything */
    uint32_t nodes; /* how many frames */
};

struct flm_search_sums {
    struct flm_match_sum all;  /* of the profile's stacks */
    struct flm_match_sum seen; /* below one node of a view */
    struct flm_metric metric;  /* of these sums */
    const struct flm_layout *layout;
    struct flm_node top;
    double layout_total;
};

struct flm_search {
    struct flm_text text;
    enum flm_search_kind kind;
    enum flm_search_scope scope;
    bool exact_case, on;
    unsigned color; /* 0 .. 5: stays the search's while others come and go */
    bool malformed; /* the text is no regular expression: `error` says why */
    struct flm_error error;
    struct flm_names names;       /* the strings that match */
    unsigned char *frame_matches; /* by frame of the profile: 1 where it matches */
    uint32_t frame_count;         /* matching frames */
    bool is_summed;
    struct flm_search_sums sums;
};

struct flm_searches {
    const struct flm_profile *profile; /* borrowed; NULL: none yet */
    unsigned char *uses;               /* by string: names.h */
    struct flm_search at[FLM_MOST_SEARCHES];
    unsigned count, current;
    unsigned char *frame_color; /* by frame: 1 + the color of the first search that it matches; 0 */
};

void flm_searches_clear(struct flm_searches *searches);

/* Searches another profile from now on. */
bool flm_searches_open(struct flm_searches *searches, const struct flm_profile *profile,
                       struct flm_error *why);

/* The current search: its text, and how it is interpreted. A malformed expression is not a failure:
 * the previous matches stay, and `error` of the search says what is wrong. */
bool flm_searches_text(struct flm_searches *searches, struct flm_bytes text, struct flm_error *why);
bool flm_searches_kind(struct flm_searches *searches, enum flm_search_kind kind,
                       struct flm_error *why);
bool flm_searches_scope(struct flm_searches *searches, enum flm_search_scope scope,
                        struct flm_error *why);
bool flm_searches_case(struct flm_searches *searches, bool exact, struct flm_error *why);

/* Adds a search, which becomes the current one; false, and `why`, if there are six. */
bool flm_searches_add(struct flm_searches *searches, struct flm_error *why);
bool flm_searches_remove(struct flm_searches *searches, unsigned index, struct flm_error *why);
bool flm_searches_toggle(struct flm_searches *searches, unsigned index, struct flm_error *why);
bool flm_searches_edit(struct flm_searches *searches, unsigned index, struct flm_error *why);

/* The names of kinds and scopes: "text" "regex" "fuzzy", "name" "file" "module" "all"; NULL behind
 * the last. */
const char *flm_search_kind_name(unsigned kind);
const char *flm_search_scope_name(unsigned scope);

/* How the text of a search is interpreted: its kind, or FLM_SEARCH_REGEX for /re/. */
enum flm_search_kind flm_search_kind(const struct flm_search *search);

/* Whether any search is on and has text. */
bool flm_searches_any(const struct flm_searches *searches);

/* The part of a name that a search matches: [*from, *to); false if it does not. */
bool flm_search_part(const struct flm_search *search, struct flm_bytes name, size_t *from,
                     size_t *to);

/* The sums of a search: of a metric of its profile, and below a node of a view; cached until any of
 * these change. Two passes over the nodes at most. */
const struct flm_search_sums *flm_search_sum(struct flm_search *search,
                                             const struct flm_profile *profile,
                                             struct flm_metric metric,
                                             const struct flm_layout *layout, struct flm_node top);

/* The next match, in the order of the picture: from left to right, callers before callees; after
 * the last comes the first. `matches` is by frame, 0 for frames that do not match. `from` may be
 * {FLM_NONE}. One pass over the tree. */
enum flm_search_way { FLM_SEARCH_NEXT, FLM_SEARCH_PREVIOUS, FLM_SEARCH_STAY };
struct flm_search_step {
    struct flm_node node; /* {FLM_NONE}: there is no match */
    uint32_t at, count;   /* it is number `at` of `count`, from 1; 0: not a match */
};
struct flm_search_step flm_search_step(const unsigned char *matches,
                                       const struct flm_layout *layout, struct flm_node from,
                                       enum flm_search_way way);

/* The widest node of a matching frame that is wider than *total, which receives its width; of equal
 * ones the outermost. FLM_NONE: there is none. */
struct flm_node flm_search_heaviest(const unsigned char *matches, const struct flm_layout *layout,
                                    double *total);

/* All as text, for the URL, and back: "tni0.parse,!rmc1.libc.*" is kind, scope, whether case
 * matters, and color; then the text, with , and % as %2C and %25. Those that are
 * off stand behind a '!'. */
void flm_searches_write(const struct flm_searches *searches, struct flm_text *out);
bool flm_searches_set(struct flm_searches *searches, struct flm_bytes text, struct flm_error *why);

#endif
