/* query.h - the queries of the viewer, and the shape of their responses: structs (responses.h), and
 * JSON of the same names where the page asks (src/wasm/query_json.h).
 *
 * Most are JSON, with values already in the words that people read, so that the page, the terminal
 * and a script show the same: "total": "1.24 s", "share": "12.3 %". Where there is something to
 * compute with it is a number. `b` is true or false, "a|b" one of these words. What is not known is
 * null, and a member with a `?` is left out where it does not apply. Texts are never markup. A node
 * is named by "node", a number that "zoom N" and "select N" take, good until the operations, the
 * view or the metric change; a function by "frame", which "select-frame N" takes.
 * tests/viewer/query/query_test.c compares: no response has a member that is not here.
 *
 * hello         what can be done; the same at any time
 *     {version, actions: [{name, title, keys, group, argument}], groups: ["Moving" ..]}
 *
 * tools         what is shown, and what else could be
 *     {name, base                                      the files' names; base: compared with
 *      view, views: [{name, title, table, on: b}]      on: there is something to show; table: the
 *                                                      query of its rows, where it is a table
 *      metric, metrics: [{name, unit, total}]
 *      order, orders: [{name, title}]
 *      up: b, inverted: b                              up: a flame, root at the bottom
 *      colors, color_modes: [{name, title}]
 *      can_back: b, can_forward: b, panel: b           panel: of details, not hidden
 *      comparison: null, or
 *         {before, after                               what is compared, in words
 *          width: "max|after|before|sum", color: "self|subtree", relative: b
 *          normalized: b, normalize: "none|total|duration|function"
 *          palette: "red-blue|green-red", noise: b, side_by_side: b
 *          parts: [{name, title, total, share?, on: b}]
 *          similarity                                  0 to 1
 *          words, sum, parts_words, look, note, verdict}}       text/comparison_summary.h
 *
 * chips         what was done to the profile first
 *     {operations: [{text, title, on: b, note}], can_undo: b, can_redo: b}
 *
 * searches      those that are, and how much they found
 *     {current                                         which is being typed, from 0
 *      searches: [{text, kind: "text|regex|fuzzy", scope: "name|file|module|all", case: b
 *                  color                               "#c26e12", of the theme
 *                  number                              of the color, 0 to 5: stays the search's
 *                  on: b
 *                  error                               a sentence: what was found is of the text
 *                                                      before
 *                  total?, total_share?, self?, self_share?, view_share?
 *                  functions?, frames?                 how many were found
 *                  at?}]}                              the selected frame is the at-th of them
 *
 * legend        what the colors mean; of a comparison, of what changed
 *     {title, items: [{color, dark                     "#rrggbb" on a light and on a dark page
 *                      texture                         "rising", "kernel" ...
 *                      title
 *                      count?                          how many groups: of "others"
 *                      share?                          of everything
 *                      note?, on?: b, action?}]}       of a comparison: choosing it filters
 *
 * hover         what is under the pointer: null, or
 *     {x, y                                            device pixels
 *      title, where                                    where: module, file and line
 *      lines: [{name, value, exact, share_all, share_view, share_parent}]
 *      note}
 *
 * detail        what is selected: null, or
 *     {node, metric, compared: b
 *      title, name                                     of narrow frames together: how many
 *      frame?, module?, file?, line?, kind?, address?, link?
 *      values: [{name, unit                            the shown metric first
 *                total, total_exact, of_all, of_view, of_parent
 *                self?, self_exact?, self_of_all?, self_of_view?
 *                total_before?, total_after?, total_change?     where two are compared
 *                self_before?, self_after?, self_change?}]
 *      instances: null, or {count, total, of_all, of_view, self, self_of_all}: wherever it stands
 *      calls?: [{frame, title, value, share}], callers?: likewise
 *      calls_count?, callers_count?                    there may be more than are listed
 *      stack?: [{node, title}], stack_hidden?          how many are left out in its middle
 *      merged: null, or {count, value, share, items: [{node, title, value, share}]}
 *      note?}                                          of a comparison: a sentence
 *
 * status        what is drawn, and everything that is not
 *     {nodes, empty: b, stacks?, total?, total_exact?
 *      unit?                                           the metric, where `total` does not say it
 *      drawn?, merged?, merged_share?
 *      trimmed?                                        "12 % outside of the window"
 *      filtered?                                       "3 % (1.2 s) by 2 transforms"
 *      lost: [{what, count, where}], lost_count?
 *      unsymbolized_share?, samples?, notes?: [{key, value}]
 *      sentence}                                       all of it
 *
 * overlay       what the picture took: null, or
 *     {nodes, visited, drawn, merged
 *      ms: {layout, paint}                             null where there is no clock
 *      memory_bytes
 *      trees: [{title, nodes, placed, levels}]}
 *
 * top N M       M rows of the table of functions, from row N on
 *     {sort?: "self|total|change|name|module", down?: b
 *      filtered?: b                                    only those that searches found
 *      sum?, count                                     count: of all rows
 *      rows: [{frame, title, module, file, self, self_share, total, total_share
 *              before?, after?, change?                where two are compared
 *              self_before?, self_after?, self_change?
 *              on: b, hovered: b                       on: selected
 *              found}]}                                a search's number, or -1
 *
 * list N M      what searches found, the largest total first
 *     {count, rows: as of top}
 *
 * tree N M      rows of the call tree, as the person opened it
 *     {count, selected                                 the row of the selected frame
 *      rows: [{node, level                             from 0
 *              open: b, or null where there is nothing to open
 *              title, module, total, total_share, self?, self_share?, of_parent
 *              before?, after?, change?
 *              set_size, position                      among its siblings, from 1
 *              on: b, hovered: b, found}]}
 *
 * aria          the selected frame and what is around it, for a screen reader
 *     {rows: as of tree}
 *
 * tracks        the threads, and what of the time is selected
 *     {duration_ns, duration
 *      key                                             the label that tracks are by; "": none
 *      shown: b, any: b, split: b                      rows are shown; one is selected; apart
 *      untimed                                         samples without a time
 *      selected: null, or {from_ns, to_ns, words}
 *      count, tracks: [{id, title, total, share, on: b}]}
 *
 * complete T    what T, the beginning of an operation, may become
 *     {items: [{text, title, note}]}
 *
 * As they are:
 *
 * export F      what is seen as a file: svg, pdf (picture.h); flm, folded: the profile after its
 *               operations, of a comparison with both values; stack: the selected one
 * state         what is looked at, for a URL: state.h
 * copy          what the last copying action copied
 * notice        why something was not done: a key, a gesture, a picture
 * ask           what the person is to type or choose */
#ifndef FLAMEL_VIEWER_QUERY_QUERY_H
#define FLAMEL_VIEWER_QUERY_QUERY_H

#include "base/text/text.h"
#include "viewer/query/arena.h"
#include "viewer/query/responses.h"

struct flm_viewer;

/* What a query returned, in a room of its own: good until the next query into it. All zero is an
 * empty one. */
struct flm_response {
    struct flm_arena arena;
    union { /* as the query says; NULL: nothing */
        struct flm_response_hello *hello;
        struct flm_response_tools *tools;
        struct flm_response_chips *chips;
        struct flm_response_searches *searches;
        struct flm_response_legend *legend;
        struct flm_response_hover *hover;
        struct flm_response_detail *detail;
        struct flm_response_status *status;
        struct flm_response_overlay *overlay;
        struct flm_response_table *table; /* top, list, tree, aria */
        struct flm_response_tracks *tracks;
        struct flm_response_completions *completions;
        void *any;
    };
};

struct flm_query_entry {
    const char *name;
    bool (*make)(struct flm_viewer *viewer, struct flm_bytes argument,
                 struct flm_response *response, struct flm_error *why);
    bool (*write)(struct flm_viewer *viewer, struct flm_bytes argument, struct flm_text *out,
                  struct flm_error *why); /* instead: of those that are plain text */
};

/* The query whose name `text` begins with; `argument` receives the rest. NULL for none. */
const struct flm_query_entry *flm_query_named(struct flm_bytes text, struct flm_bytes *argument);

/* A query with a struct for a response, "top 20 40"; and one that is plain text, "state". False,
 * and `why`, where there is no such query, or it cannot be made now: the response is nothing
 * then. */
bool flm_viewer_query(struct flm_viewer *viewer, struct flm_bytes query,
                      struct flm_response *response, struct flm_error *why);
bool flm_viewer_query_text(struct flm_viewer *viewer, struct flm_bytes query, struct flm_text *out,
                           struct flm_error *why);
void flm_response_clear(struct flm_response *response);

#endif
