/* responses.h - the responses to queries: typed structs, with values formatted as people read them,
 * so that the page, the terminal and a program show the same.
 *
 * Text that is not known or does not apply is {NULL}, such a number is NAN, a struct NULL. Values
 * to compute with are numbers. Texts are never markup, and not yet plain (draw/text/visible.h). A
 * node is a number that the actions "zoom N" and "select N" take, good until the transforms, the
 * view or the metric change; a frame one that "select-frame N" takes. query.h says what each query
 * is for. */
#ifndef FLAMEL_VIEWER_QUERY_RESPONSES_H
#define FLAMEL_VIEWER_QUERY_RESPONSES_H

#include "base/core/bytes.h"
#include "draw/color/state_tones.h"

/* Items in the arena of the response. */
#define FLM_LIST(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        size_t count;                                                                              \
    }

/* True, false, or not applicable. */
enum flm_tristate { FLM_TRISTATE_NONE, FLM_TRISTATE_FALSE, FLM_TRISTATE_TRUE };

/* ---- tools.c --------------------------------------------------------------------------------- */

struct flm_response_action {
    struct flm_bytes name, title, keys, group, argument;
};
struct flm_response_group {
    struct flm_bytes title;
};
struct flm_response_hello {
    struct flm_bytes version;
    FLM_LIST(struct flm_response_action) actions;
    FLM_LIST(struct flm_response_group) groups;
};

struct flm_response_view {
    struct flm_bytes name, title;
    struct flm_bytes table; /* the query of its rows; {NULL}: it is a picture */
    bool beside;            /* the table stands beside the picture, and not in its place */
    bool on;                /* there is something to show */
};

/* Something to choose: an order, a color mode. */
struct flm_response_choice {
    struct flm_bytes name, title;
};
struct flm_response_metric {
    struct flm_bytes name, unit, total;
};

/* The stacks that appeared, grew, shrank or disappeared. */
struct flm_response_part {
    struct flm_bytes name, title, total, share;
    bool on;
};
struct flm_response_comparison {
    struct flm_bytes before, after;      /* what is compared */
    struct flm_bytes width, color;       /* "max|after|before|sum"; "self|subtree" */
    struct flm_bytes normalize, palette; /* "none|total|duration|function"; "red-blue" .. */
    bool relative, normalized, noise, side_by_side;
    FLM_LIST(struct flm_response_part) parts;
    double similarity;                                                      /* 0 to 1 */
    struct flm_bytes summary, sum, parts_summary, color_key, note, verdict; /* sentences */
};
struct flm_response_tools {
    struct flm_bytes name, base; /* of the files; base: compared with */
    struct flm_bytes view, metric, order, colors;
    FLM_LIST(struct flm_response_view) views;
    FLM_LIST(struct flm_response_metric) metrics;
    FLM_LIST(struct flm_response_choice) orders;
    FLM_LIST(struct flm_response_choice) color_modes;
    bool up, inverted; /* up: a flame graph, root at the bottom */
    bool can_back, can_forward, panel;
    struct flm_response_comparison *comparison; /* NULL: nothing is compared */
};

struct flm_response_chip {
    struct flm_bytes text, title, note;
    struct flm_bytes removed, removed_exact; /* "12 %", or "41 frames"; and in a sentence */
    bool on;
};
struct flm_response_chips {
    FLM_LIST(struct flm_response_chip) operations;
    bool can_undo, can_redo;
};

/* ---- search.c -------------------------------------------------------------------------------- */

struct flm_response_search {
    struct flm_bytes text, kind, scope;
    struct flm_bytes color; /* "#c26e12", of the theme */
    struct flm_bytes error; /* a sentence: the matches are of the text before */
    struct flm_bytes total, total_share, self, self_share, view_share;
    bool exact_case, on;
    double number;            /* of the color: stays the search's */
    double functions, frames; /* how many match */
    double at;                /* the selected frame is the at-th of them */
};
struct flm_response_searches {
    double current; /* which is being typed, from 0 */
    FLM_LIST(struct flm_response_search) searches;
};

/* ---- legend.c -------------------------------------------------------------------------------- */

struct flm_response_legend_item {
    struct flm_bytes color, dark; /* "#rrggbb" on a light and on a dark page */
    struct flm_bytes texture, title, share, note, action;
    double count;         /* how many groups have the color */
    enum flm_tristate on; /* of a comparison: choosing it filters */

    /* For a terminal, which draws with characters; not in JSON. */
    uint32_t light_rgb, dark_rgb;
    enum flm_texture fill;
    enum flm_mark mark;
    const struct flm_state_tone *state; /* of a thread; NULL: it is no state */
};
struct flm_response_legend {
    struct flm_bytes title;
    FLM_LIST(struct flm_response_legend_item) items;
};

/* ---- What can be done ------------------------------------------------------------------------ */

/* Something that can be done: an action, with its argument where that is one of a list. */
struct flm_response_entry {
    struct flm_bytes action, title, group, keys;
    struct flm_bytes argument;  /* is still to be typed; {NULL}: nothing */
    struct flm_bytes otherwise; /* why it is not possible now; {NULL}: it is */
    struct flm_bytes button;    /* its title as a button of the panel; {NULL}: it is none */
    double section;             /* of the menu */
};

/* ---- notes.c --------------------------------------------------------------------------------- */

/* What someone wrote. */
struct flm_response_written {
    struct flm_bytes id, about, subject, text;
};
struct flm_response_notes {
    bool changed; /* since the profile was opened */
    FLM_LIST(struct flm_response_written) notes;
};

/* ---- detail.c -------------------------------------------------------------------------------- */

struct flm_response_hover_line {
    struct flm_bytes name, value, exact, share_total, share_view, share_parent;
};
/* A line about when: "state", "sleeping". */
struct flm_response_moment {
    struct flm_bytes name, value;
};
struct flm_response_hover {
    double x, y;                                 /* device px */
    struct flm_bytes title, shown, where, note;  /* shown: shortened to three lines; NULL: whole */
    FLM_LIST(struct flm_response_moment) moment; /* of a flame chart */
    FLM_LIST(struct flm_response_hover_line) lines;
};

struct flm_response_value {
    struct flm_bytes name, unit, total, total_exact, of_total, of_view, of_parent;
    struct flm_bytes shown_unit; /* of total, self and instances: "ms", "M cycles" */
    struct flm_bytes self, self_exact, self_of_total, self_of_view;
    struct flm_bytes number, self_number; /* of total and self, without the unit */
    struct flm_bytes total_before, total_after, total_change; /* where two are compared */
    struct flm_bytes self_before, self_after, self_change;
};

/* All occurrences of the function. */
struct flm_response_instances {
    double count;
    struct flm_bytes total, of_total, of_view, self, self_of_total;
    struct flm_bytes number; /* of total, without the unit */
};

/* A frame in a list: a callee, a caller, one of a stack or of merged frames. */
struct flm_response_frame {
    double node, frame;
    struct flm_bytes title, value, share;
    struct flm_bytes shown; /* the title as far as there is room; {NULL}: all of it */
};

struct flm_response_merged {
    struct flm_bytes count, value, share;
    FLM_LIST(struct flm_response_frame) items; /* the largest */
};

/* What the selected frame costs a thread, or a process with all its threads, which follow it. */
struct flm_response_thread {
    struct flm_bytes title, self, total, share;
    bool process;
};

struct flm_response_detail {
    double node;
    struct flm_bytes metric, title, name; /* of merged frames: how many */
    struct flm_bytes shown;               /* the title, shortened to three lines; NULL: whole */
    bool compared;
    double frame, line; /* the line: of the function, or the first one of its code that is known */
    struct flm_bytes module, file, kind, address, link;
    FLM_LIST(struct flm_response_moment) moment; /* of a flame chart */
    FLM_LIST(struct flm_response_value) values;  /* the shown metric first */
    struct flm_response_instances *instances;
    FLM_LIST(struct flm_response_frame) calls;
    FLM_LIST(struct flm_response_frame) callers;
    double calls_count, callers_count; /* there may be more than are listed */
    FLM_LIST(struct flm_response_thread) threads;
    double threads_hidden; /* how many are left out */
    struct flm_bytes unit; /* of their numbers */
    FLM_LIST(struct flm_response_frame) stack;
    double stack_hidden; /* how many are left out in its middle */
    struct flm_response_merged *merged;
    FLM_LIST(struct flm_response_entry) actions; /* with the frame; none with merged ones */
    FLM_LIST(struct flm_response_written) notes; /* on the function, and on the stack */
    struct flm_bytes note;                       /* of a comparison: a sentence */
};

/* ---- status.c -------------------------------------------------------------------------------- */

struct flm_response_loss {
    struct flm_bytes what, count, where;
};
struct flm_response_note {
    struct flm_bytes key, value;
};
struct flm_response_status {
    double nodes;
    bool empty;
    struct flm_bytes stacks, total, total_exact;
    struct flm_bytes unit; /* the metric, where `total` does not say it */
    struct flm_bytes drawn, merged, merged_share, trimmed, filtered;
    struct flm_bytes hidden;    /* of a flame chart: threads and counters without a track */
    struct flm_bytes offer;     /* "deep calls itself 118 deep": what collapse-direct would mend */
    struct flm_bytes unhatched; /* of a comparison: boxes too narrow to be hatched */
    FLM_LIST(struct flm_response_loss) lost;
    struct flm_bytes lost_count, unsymbolized_share, samples;
    struct flm_bytes not_shown; /* "exact stacks", "CPython": of notes with FLM_NOTE_NOT_SHOWN */
    FLM_LIST(struct flm_response_note) notes;
    struct flm_bytes sentence; /* all of it */
};

struct flm_response_tree_figures {
    struct flm_bytes title;
    double nodes, placed, levels;
};
struct flm_response_times {
    double layout, paint;
};
struct flm_response_overlay {
    double nodes, visited, drawn, merged;
    struct flm_response_times *ms; /* NULL: there is no clock */
    double memory_bytes;
    FLM_LIST(struct flm_response_tree_figures) trees;
};

/* ---- tables.c -------------------------------------------------------------------------------- */

/* A row of functions, or of the call tree. Numbers are in the unit of their column, without it. */
struct flm_response_row {
    double frame, node;
    double level;           /* from 0 */
    double indent;          /* of the level: in font sizes, or cells */
    enum flm_tristate open; /* NONE: there is nothing to open */
    struct flm_bytes title, module, file;
    struct flm_bytes module_name, file_name; /* the ends of their paths */
    struct flm_bytes shown; /* the title as far as there is room; {NULL}: all of it */
    struct flm_bytes self, self_share, total, total_share, of_parent, samples;
    struct flm_bytes before, after, change, change_share; /* where two are compared */
    double set_size, position;                            /* among its siblings, from 1 */
    bool on, hovered;                                     /* on: selected */
    double match;                                         /* a search's number, or -1 */
};
struct flm_response_table {
    struct flm_bytes sort, sum;
    bool down, filtered;           /* filtered: only those that searches match */
    struct flm_bytes unit;         /* of self, total and changes: "ms", "M cycles" */
    struct flm_bytes heading_unit; /* its first word, where a heading has room: not "samples" */
    struct flm_bytes changes;      /* "self" or "total": what before, after and change are of */
    double count;                  /* of all rows */
    double selected;               /* of the call tree: the row of the selected frame */
    FLM_LIST(struct flm_response_row) rows;
};

/* ---- time.c ---------------------------------------------------------------------------------- */

struct flm_response_time_range {
    double from_ns, to_ns;
    struct flm_bytes text;
};
struct flm_response_track {
    double id;
    struct flm_bytes title, total, share;
    bool on;
};
struct flm_response_tracks {
    double duration_ns;
    struct flm_bytes duration;
    struct flm_bytes key; /* the label that tracks are by; "": none */
    bool shown, any, split;
    enum flm_tristate all_rows;  /* of threads: all, some; NONE: no thread is deep */
    enum flm_tristate collapsed; /* processes: any, none; NONE: there are no headings of any */
    enum flm_tristate lanes;     /* short threads share rows; NONE: there are few */
    double untimed;              /* samples without a time */
    struct flm_response_time_range *selected;
    double count;
    FLM_LIST(struct flm_response_track) tracks;
};

/* ---- complete.c ------------------------------------------------------------------------------ */

struct flm_response_completion {
    struct flm_bytes text, title, note;
};
struct flm_response_completions {
    FLM_LIST(struct flm_response_completion) items;
};

/* ---- code.c ---------------------------------------------------------------------------------- */

struct flm_response_code_place {
    struct flm_bytes title, value, of;
    struct flm_bytes name; /* of functions: without package, return type and arguments */
    bool on, inlined;
};
struct flm_response_code {
    struct flm_bytes title, module, place, path, status;
    struct flm_bytes self, self_share, total, total_share, share_of;
    struct flm_bytes event, machine, assembly_status, blocks, empty, lines_sum;
    bool doubtful, warns, compared, assembly, file, whole, inlined, selected;
    double source_count, assembly_count, source_row, assembly_row;
    FLM_LIST(struct flm_response_code_place) functions;
    FLM_LIST(struct flm_response_code_place) hottest;
    FLM_LIST(struct flm_response_code_place) left_out; /* title and value are the name, and why */
    struct flm_bytes source_heat, assembly_heat;
};
struct flm_response_code_piece {
    struct flm_bytes text, kind;
    unsigned char color; /* enum flm_syntax_kind; not in JSON */
};
struct flm_response_code_row {
    struct flm_bytes kind, number, key, self, total, exact, before, change;
    struct flm_bytes at, site, lanes, loop, go, link;
    double depth, heat;
    enum flm_tristate open;
    FLM_LIST(struct flm_response_code_piece) pieces;
    bool on, match;
};
struct flm_response_code_rows {
    FLM_LIST(struct flm_response_code_row) rows;
};
struct flm_response_code_wanted {
    struct flm_bytes function, module;
    struct flm_bytes side, other; /* "after", "before", "none": whom to ask, and then for files */
    double store;                 /* which store the answer is for: another one, another number */
    bool assembly;
    bool alone; /* of a comparison: the other side has no costs of the function */
    FLM_LIST(struct flm_bytes) files;
};

/* ---- palette.c ------------------------------------------------------------------------------- */

struct flm_response_entries {
    struct flm_bytes title; /* of the menu: the frame's */
    double x, y;            /* device px */
    FLM_LIST(struct flm_response_entry) items;
};

#endif
