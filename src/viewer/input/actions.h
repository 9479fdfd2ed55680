/* actions.h - all actions of the viewer: one table, for keys, palette, menus and links, in the page
 * and in the terminal.
 *
 * An action is a word and, for some, an argument: "zoom-in", "order total". Keys are written as
 * browsers name them; several with blanks between them; "C-" is control or command, "A-" alt. Shift
 * is in the letter ("F"), or "S-" where there is none ("S-Tab").
 *
 *     display.c    view, metric, order, direction, colors
 *     move.c       zoom, pan, scroll, back and forward
 *     frame.c      from frame to frame, and selecting
 *     search.c     searches, and from match to match
 *     transform.c  chips, and the operations on the selected frame
 *     tables.c     opening rows, pointing at rows, links to sources
 *     time.c       time ranges, threads
 *     heatmap.c    cells of the heatmap, ranges of them
 *     compare.c    the sides of a comparison, and how it is shown
 *     notes.c      notes, views with a title
 *     export.c     copying, saving, help
 *     code.c       source and machine code
 *     menu.c       which of them the menu of a frame has
 *
 * The tables at the end of these files are the list; the query "hello" returns it, help shows it.
 */
#ifndef FLAMEL_VIEWER_INPUT_ACTIONS_H
#define FLAMEL_VIEWER_INPUT_ACTIONS_H

#include "flamel/error.h"
#include "viewer/model/choices.h"

struct flm_viewer;
struct flm_chain;

/* When an action is possible, and the message when it is not. */
struct flm_condition {
    bool (*holds)(const struct flm_viewer *viewer);
    const char *otherwise;
    bool is_of_view; /* in other views its keys mean something else */
};

/* What follows the name of an action, and how people give it. */
enum flm_given {
    FLM_GIVEN_TYPED,  /* a text: "PATTERN" */
    FLM_GIVEN_WORD,   /* one of the words of its name, "subtree|self"; behind one with a name of its
                         own, "metric NAME", a text is typed */
    FLM_GIVEN_CHOICE, /* one of `choices`, which may have keys */
    FLM_GIVEN_METRIC, /* one of the profile's */
    FLM_GIVEN_NOTE,   /* likewise, by its id */
    FLM_GIVEN_POINTED /* what only a click can mean: a node, a row */
};
struct flm_action_argument {
    const char *name;
    enum flm_given given;
    flm_choices choices;
};
extern const struct flm_action_argument flm_a_node, flm_a_frame, flm_a_number, flm_a_pattern,
    flm_an_expression;

struct flm_action {
    const char *name;
    const char *title;                          /* "Zoom in" */
    const struct flm_action_argument *argument; /* NULL: none */
    const char *keys;                           /* "ArrowLeft h"; NULL: none */
    bool (*run)(struct flm_viewer *viewer, struct flm_bytes argument, struct flm_error *why);
    const struct flm_condition *only; /* NULL: always */
    const char *also; /* words that people look for it by: "delete exclude"; NULL: its title's */
};

/* Actions that belong together, each in a file of its own: display.c ... */
struct flm_action_group {
    const char *title; /* "Moving" */
    const struct flm_action *at;
    size_t count;
};
extern const struct flm_action_group flm_display_actions, flm_moving_actions, flm_frame_actions,
    flm_search_actions, flm_transform_actions, flm_table_actions, flm_time_actions,
    flm_compare_actions, flm_note_actions, flm_general_actions, flm_code_actions,
    flm_heatmap_actions;

const struct flm_action_group *const *flm_action_groups(size_t *count);

/* What is done with a frame: an action without an argument, under the title that is short enough
 * for a menu. The menu of a frame has all of them, section by section, the panel those that are of
 * the frame: some as buttons with a title of a word or two, the others behind "More". */
enum flm_menu_section {
    FLM_MENU_RECURSION, /* what a recursive frame needs first */
    FLM_MENU_VIEW,
    FLM_MENU_TRANSFORM,
    FLM_MENU_COPY,
    FLM_MENU_GENERAL
};
struct flm_menu_entry {
    const char *action;
    const char *title;
    const char *button; /* NULL: none */
    enum flm_menu_section section;
};

/* One after the other, NULL behind the last. Whether one is possible: the condition of its
 * action. */
const struct flm_menu_entry *flm_menu_at(size_t index);

/* By name; NULL if there is none. */
const struct flm_action *flm_action_named(struct flm_bytes name);

/* The values that the argument may have: views, sibling orders, classes. NULL: there is no list. */
flm_choices flm_action_choices(const struct flm_action *action);

/* For people, and the page: the argument with the names of a list, "flame|chart|sandwich"; and the
 * keys with those of a list, "1=flame 2=chart". Nothing where there is none. */
void flm_action_add_argument(const struct flm_action *action, struct flm_text *out);
void flm_action_add_keys(const struct flm_action *action, struct flm_text *out);

/* Whether it is possible now. */
bool flm_action_makes_sense(const struct flm_action *action, const struct flm_viewer *viewer);

/* The action of a key now: the first one bound to it that is possible; actions with a condition go
 * before those without. If none is possible, the first one bound. The key of a choice also gives
 * the argument. NULL if there is none. */
const struct flm_action *flm_action_for_key(const struct flm_viewer *viewer, struct flm_bytes key,
                                            unsigned held, struct flm_bytes *argument);

/* The recursion that is to be offered to be collapsed: of a chain that fills most of the window,
 * until any was collapsed. NULL: there is none. */
const struct flm_chain *flm_offered_chain(struct flm_viewer *viewer);

/* Whether one function is selected: not everything, and not several narrow frames as one. */
bool flm_viewer_has_frame(const struct flm_viewer *viewer);
extern const struct flm_condition flm_on_frame;

#endif
