/* actions.h - everything that can be done in the viewer: one table, for keys, palette, menus and
 * URLs, in the page and in the terminal.
 *
 * An action is a word and, for some, an argument: "zoom-in", "order total". Keys are written as
 * browsers name them; several with blanks between them; "C-" is control or command, "A-" alt. Shift
 * is in the letter ("F"), or "S-" where there is none ("S-Tab").
 *
 *   where     view flame|chart|sandwich|tree|top|compare   flip   invert   order name|total|seen
 *             metric NAME   next-metric   color MODE   thread NAME
 *   moving    zoom NODE   zoom-selected   zoom-in   zoom-out   pan-left -right -up -down   fit
 *             back   forward   scroll-top
 *   frames    select NODE   select-frame FRAME   parent child next previous (arrows)   clear
 *             sort COLUMN   open-node NODE   open-below NODE   open-selected   hover-node NODE
 *             hover-frame FRAME   hover-none   source-link TEMPLATE (tables)
 *   search    search TEXT   search-kind text|regex|fuzzy   search-scope name|file|module|all
 *             search-case   search-add   search-remove N   search-toggle N   search-edit N
 *             next-match   previous-match   zoom-matches
 *   transform apply EXPRESSION   operation-toggle N   operation-remove N   operation-move N M
 *             operation-edit N EXPRESSION   undo   redo   reset
 *             of the selected frame: focus hide hide-module drop keep prune collapse-direct
 *             collapse-any drop-subtree sandwich   of all: only-mine
 *   time      range FROM..TO   range-clear   track ID   track-only ID   tracks-all
 *   compare   width max|after|before|sum   delta subtree|self   relative   parts KIND   noise
 *             normalise none|total|duration   normalise-by PATTERN
 *             change-colors red-blue|green-red   blink   side-by-side   swap
 *             compare-before EXPRESSION   compare-after EXPRESSION   compare-shown before|after
 *             compare-stop
 *   words     copy-name   copy-stack   copy-folded   copy-link   open-source   help   palette
 *             overlay   honesty   panel   export svg|png|pdf|flm|folded|stack */
#ifndef FLAMEL_VIEW_ACTIONS_H
#define FLAMEL_VIEW_ACTIONS_H

#include "base/bytes.h"
#include "flamel/error.h"

struct flm_viewer;

struct flm_action {
    const char *name;
    const char *title;    /* "Zoom in" */
    const char *argument; /* "NODE"; NULL: none */
    const char *keys;     /* "ArrowLeft h"; NULL: none */
    bool (*run)(struct flm_viewer *viewer, struct flm_bytes argument, struct flm_error *why);
    bool (*available)(const struct flm_viewer *viewer); /* NULL: always */
};

/* Actions that belong together, each in a file of its own: actions_view.c ... */
struct flm_action_group {
    const char *title; /* "Moving" */
    const struct flm_action *at;
    size_t count;
};
extern const struct flm_action_group flm_view_actions, flm_moving_actions, flm_frame_actions,
    flm_search_actions, flm_transform_actions, flm_table_actions, flm_time_actions,
    flm_compare_actions, flm_word_actions;

const struct flm_action_group *const *flm_action_groups(size_t *count);

/* By name; NULL if there is none. */
const struct flm_action *flm_action_named(struct flm_bytes name);

/* What a key means now: the first action that is bound to it and available; one that is not always
 * so goes before those that are. A binding may give an
 * argument too, behind a '=': "3=sandwich". NULL for none. */
const struct flm_action *flm_action_for_key(const struct flm_viewer *viewer, struct flm_bytes key,
                                            unsigned held, struct flm_bytes *argument);

/* Whether one function is selected: not everything, and not several narrow frames as one. */
bool flm_viewer_has_frame(const struct flm_viewer *viewer);

#endif
