/* query.h - the queries of the viewer, and the shape of their responses: structs (responses.h), and
 * JSON of the same names where the page asks (src/wasm/query_json.h).
 *
 * Most are JSON, with values formatted as people read them, so that the page, the terminal and a
 * script show the same: "total": "1.24 s", "share": "12.3 %". Values to compute with are numbers.
 * `b` is true or false, "a|b" one of these words. Unknown values are null, and a member with a `?`
 * is left out if it does not apply. Texts are never markup. A node is named by "node", a number
 * that "zoom N" and "select N" take, good until the operations, the view or the metric change; a
 * function by "frame", which "select-frame N" takes. tests/viewer/query/query_test.c compares: no
 * response has a member that is not here.
 *
 * hello         the actions; the same at any time
 *     {version, actions: [{name, title, keys, group, argument}], groups: ["Moving" ..]}
 *
 * tools         the current view, metric ..., and the choices
 *     {name, base                                      the files' names; base: compared with
 *      view, views: [{name, title, on: b               on: there is something to show
 *                     table, beside: b}]               the query of its rows, where it is a table
 *                                                      or has one beside it
 *      metric, metrics: [{name, unit, total}]
 *      order, orders: [{name, title}]
 *      up: b, inverted: b                              up: a flame, root at the bottom
 *      colors, color_modes: [{name, title}]
 *      can_back: b, can_forward: b, panel: b           panel: of details, not hidden
 *      comparison: null, or
 *         {before, after                               the names of both sides
 *          width: "max|after|before|sum", color: "self|subtree", relative: b
 *          normalized: b, normalize: "none|total|duration|function"
 *          palette: "red-blue|green-red", noise: b, side_by_side: b
 *          parts: [{name, title, total, share?, on: b}]
 *          similarity                                  0 to 1
 *          summary, sum, parts_summary, color_key, note, verdict}}   draw/text/comparison_summary.h
 *
 * chips         the transforms
 *     {operations: [{text, title, on: b
 *                    note                             why it does nothing
 *                    removed, removed_exact}]         "12 %", or "41 frames"; and in a sentence
 *      can_undo: b, can_redo: b}
 *
 * searches      the searches, and the sums of their matches
 *     {current                                         the one that is being typed, from 0
 *      searches: [{text, kind: "text|regex|fuzzy", scope: "name|file|module|all", case: b
 *                  color                               "#c26e12", of the theme
 *                  number                              of the color, 0 to 5: stays the search's
 *                  on: b
 *                  error                               a sentence: the matches are those of the
 *                                                      previous text
 *                  total?, total_share, self?, self_share, view_share
 *                  functions?, frames?                 how many match
 *                  at}]}                               the selected frame is the at-th of them
 *
 * legend        the meaning of the colors; of a comparison, of the changes
 *     {title, items: [{color, dark                     "#rrggbb" on a light and on a dark page
 *                      texture                         "rising", "kernel" ...
 *                      title
 *                      count?                          how many groups: of "others"
 *                      share?                          of everything
 *                      note?, on?: b, action?}]}       of a comparison: choosing it filters
 *
 * hover S       the tooltip, whose lines have room of S hundredths of the font size: null, or
 *     {x, y                                            device pixels
 *      title, shown?, where                            shown: the title, shortened to three lines;
 *                                                      where: module, file and line
 *      moment: [{name, value}]                         of a flame chart: state, time, thread
 *      lines: [{name, value, exact, share_total, share_view, share_parent}]
 *      note}
 *
 * detail S N    the selected frame: null, or; names of lists have room of S hundredths of the font
 *               size, beside numbers N
 *     {node, metric, compared: b
 *      title, shown?, name                             of narrow frames together: how many
 *      frame?, module, file, line, kind, address, link
 *      moment: [{name, value}]
 *      values: [{name, unit                            the shown metric first
 *                shown_unit                            of total, self and instances: "ms"
 *                number, self_number?                  of total and self, without the unit
 *                total, total_exact, of_total, of_view, of_parent
 *                self?, self_exact?, self_of_total?, self_of_view?
 *                total_before?, total_after?, total_change?     where two are compared
 *                self_before?, self_after?, self_change?}]
 *      instances: null, or {count, total, number, of_total, of_view, self, self_of_total}:
 *                                                      all occurrences
 *      calls?: [{node, frame, title, shown?, value, share}], callers?: likewise
 *                                                      node: null where only the function is meant
 *                                                      shown: the title, shortened to its room
 *      calls_count?, callers_count?                    there may be more than are listed
 *      threads?: [{title, self, total, share, process: b}], threads_hidden?, unit?
 *                                                      what it costs each; a process is the sum of
 *                                                      those that follow it
 *      stack?: [{node, title, shown?}], stack_hidden?  how many are left out in its middle
 *      merged: null, or {count, value, share, items: [{node, title, shown?, value, share}]}
 *      actions: [{action, title, keys                  with the frame; [] with merged ones
 *                 button?}]                            its title as a button; else behind "More"
 *      notes?: [{id, about, subject, text}]            that people wrote on it
 *      note?}                                          of a comparison: a sentence
 *
 * status        data quality: drawn, merged, trimmed, filtered, lost
 *     {nodes, empty: b, stacks?, total?, total_exact?
 *      unit?                                           the metric, where `total` does not say it
 *      drawn?, merged?, merged_share
 *      trimmed                                         "12 % outside of the window"
 *      filtered                                        "3 % (1.2 s) by 2 transforms"
 *      hidden                                          "2 counters": without a track
 *      offer                                           "deep calls itself 118 deep": null: nothing
 *      unhatched?                                      "3 appeared (+12 ms)": too narrow for it
 *      lost: [{what, count, where}], lost_count?
 *      not_shown?                                      "exact stacks": the notes say why
 *      unsymbolized_share, samples, notes?: [{key, value}]
 *      sentence}                                       all of it
 *
 * notes         what people wrote on the profile
 *     {changed: b                                      since it was opened
 *      notes?: [{id, subject, text                     subject: "parse", "1.5 s to 2 s"
 *                about: "profile|function|stack|time|view"}]}
 *
 * overlay       statistics of the last frame: null, or
 *     {nodes, visited, drawn, merged
 *      ms: {layout, paint}                             null where there is no clock
 *      memory_bytes
 *      trees: [{title, nodes, placed, levels}]}
 *
 * top N M W     M rows of the table of functions, from row N on; where W is there, names have room
 *               of so many hundredths of the font size; "30c": of so many cells of a terminal,
 *               "30a" of one that shows only ASCII
 *     {sort?: "self|total|samples|change|self-change|name|module|file", down: b
 *      filtered: b                                     only matches of the searches
 *      sum?, count                                     count: of all rows
 *      unit?, heading_unit?                            of self, total and changes: "ms"
 *      changes?: "self|total"                          what before, after and change are of
 *      rows: [{frame, title, shown?                    shown: the title, shortened to its room
 *              module, module_name?, file, file_name?          the ends of their paths
 *              self, self_share, total, total_share, samples?
 *              before?, after?, change?, change_share? where two are compared
 *              on: b, hovered: b                       on: selected
 *              match}]}                                a search's number, or -1
 *
 * list N M W    the matches of the searches, the largest total first
 *     {count, rows: as of top}
 *
 * tree N M W    rows of the call tree, as the user opened it
 *     {count, selected                                 the row of the selected frame
 *      unit?, heading_unit?, changes?                  as of top
 *      rows: [{node, level                             from 0
 *              indent?                           of the level: in the unit of W, where it is there
 *              open: b, or null: it has no children
 *              title, shown?, module, module_name?, file,
 *              total, total_share, self?, self_share?, of_parent
 *              before?, after?, change?, change_share?
 *              set_size, position                      among its siblings, from 1
 *              on: b, hovered: b, match}]}
 *
 * aria          the selected frame and its neighbors, for a screen reader
 *     {rows: as of tree}
 *
 * tracks        the threads, and the selected time
 *     {duration_ns, duration
 *      key                                             the label that tracks are by; "": none
 *      shown: b, any: b, split: b                      rows are shown; one is selected; apart
 *      collapsed: b, or null                           a process is one row of the flame chart;
 *                                                      null: none can be
 *      all_rows: b, or null                            of all threads; null: none has so many
 *      lanes: b, or null                               short threads share rows; null: few
 *      untimed                                         samples without a time
 *      selected: null, or {from_ns, to_ns, text}
 *      count, tracks: [{id, title, total, share, on: b}]}
 *
 * complete T    completions of T, the beginning of an operation
 *     {items: [{text, title, note}]}
 *
 * palette T     what can be done, by any words of T, the best match first; without T all of it,
 *               what fits the selected frame first
 *     {items: [{action, title, group                  action: "hide", "color file"
 *               keys                                  null: none
 *               argument                              is still to be typed; null: nothing
 *               otherwise                             why it is not possible now; null: it is
 *               button?                               its title as a button of the panel
 *               section}]}                            of the menu: from 0
 *
 * menu          what can be done with the selected frame, in sections; only what is possible
 *     {title                                          of the frame; null: none is selected
 *      x, y                                           device pixels; null: at no place
 *      items: as of palette}
 *
 * code N        the view of code: null, or; the overview in N parts; "code N quick" leaves out the
 *               hottest lines, unless they are known
 *     {title, module, place                            "src/table.c:88"
 *      path, status, doubtful: b                       of its file, as it was found
 *      self, self_share, total, total_share, share_of  shares are of all; those of rows: of this
 *      event                                           a sentence: what the event can tell
 *      machine, assembly_status, blocks                "3 of 11 blocks hot"
 *      warns: b                                        the status of the assembly is to be read
 *      empty                                           why there are no rows, or no text
 *      lines_sum                                       "lines add up to 1.84 s of 1.84 s"
 *      compared: b, assembly: b, file: b, whole: b, inlined: b
 *      source_count, assembly_count                    rows
 *      source_row, assembly_row                        of the selected line; or the hottest row
 *      selected: b
 *      functions: [{title, value, of, name, on: b, inlined: b}]    of the stack; `of`: for
 *                                                        "code-at", name: the short one
 *      hottest: [{title, value, of, on: b}]            lines of all functions
 *      left_out: [{title, value}]                      source files without text, and why
 *      source_heat, assembly_heat}                     by part, a digit each: 0 nothing, 9 the most
 *
 * code-rows S N M   M rows from row N on, of S: "source" or "assembly"
 *     {rows: [{kind: "function|file|line|fold|inlined|unknown|instruction|source"
 *              depth, number?                          a line's; the address of an instruction
 *              open: b, or null, key?                  for "code-open"
 *              pieces: [{text, kind?}]                 kind: "keyword", "comment" ...; or plain
 *              self?, total?, exact?, heat             heat: 0 to 1, of the gutter
 *              before?, change?
 *              at?, site?                              what is the same on both sides
 *              lanes?                                  a digit for each: code/listing.h
 *              loop?                                   "loop, 93 % of the function"
 *              go?                                     for "code-at": what is called
 *              link?                                   where the source is
 *              on: b, match: b}]}
 *
 * code-wanted   what the view of code lacks: null, or
 *     {function, module, assembly: b, files: [], side: "before|after"}
 *
 * Plain text:
 *
 * export F      a file: svg, pdf: the picture (picture.h), "svg 1040" so many pixels wide; flm,
 *               folded ...: the profile after its operations, of a comparison with both values;
 *               after, before: a side of a comparison, after the operations, as .flm;
 *               stack: the selected one; code: the rows of the view of code
 * state         the state, for a URL: state.h
 * copy          the text of the last copying action
 * notice        why something was not done: a key, a gesture, a picture
 * notice-kind   "error"; "information" where there was nothing to do
 * prompt        what the user is to type or choose */
#ifndef FLAMEL_VIEWER_QUERY_QUERY_H
#define FLAMEL_VIEWER_QUERY_QUERY_H

#include "base/text/text.h"
#include "viewer/query/arena.h"
#include "viewer/query/responses.h"

struct flm_viewer;

/* A response, in an arena of its own: valid until the next query into it. All zero is an empty one.
 */
struct flm_response {
    struct flm_arena arena;
    union { /* by query; NULL: there is none */
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
        struct flm_response_notes *notes;
        struct flm_response_completions *completions;
        struct flm_response_entries *entries; /* palette, menu */
        struct flm_response_code *code;
        struct flm_response_code_rows *code_rows;
        struct flm_response_code_wanted *code_wanted;
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

/* A query with a struct as its response, "top 20 40"; and one with plain text, "state". False, and
 * `why`, if there is no such query, or it failed: the response is NULL then. */
bool flm_viewer_query(struct flm_viewer *viewer, struct flm_bytes query,
                      struct flm_response *response, struct flm_error *why);
bool flm_viewer_query_text(struct flm_viewer *viewer, struct flm_bytes query, struct flm_text *out,
                           struct flm_error *why);
void flm_response_clear(struct flm_response *response);

#endif
