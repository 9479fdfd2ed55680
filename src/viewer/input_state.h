/* input_state.h - the state of input: where the pointer is, what it drags, when the wheel last
 * moved. */
#ifndef FLAMEL_VIEWER_INPUT_STATE_H
#define FLAMEL_VIEWER_INPUT_STATE_H

#include "viewer/model/model.h"

/* A time before any event. */
#define FLM_LONG_AGO_MS (-1e9)

/* A drag of the pointer. */
struct flm_drag {
    enum {
        FLM_DRAG_NONE,
        FLM_DRAG_PRESSED,
        FLM_DRAG_PAN,
        FLM_DRAG_BRUSH,
        FLM_DRAG_WINDOW,
        FLM_DRAG_RANGE /* in the timeline */
    } kind;
    double x, y;           /* where it began */
    double last_x, last_y; /* where it is */
    struct flm_span span;  /* the visible span when it began */
    double scroll_px;
    double released_ms; /* of the last click, for a second one */
    double released_x, released_y;
};

/* In a heatmap. As times, because a resize of the window may change the cells. */
struct flm_heat_cursor {
    bool has_cursor, is_begun; /* a cell was chosen by keys; the first end of a range is known */
    double cursor_ns, begin_ns;
};

struct flm_input {
    double now_ms; /* of the last event or picture */
    double hover_x, hover_y;
    struct flm_node_ref hovered;
    struct flm_rectangle hovered_box; /* its box; also of merged frames */
    double wheel_ms;                  /* when it last moved */
    double scrolled_ms;               /* and when it last scrolled a flame chart */
    double menu_x, menu_y;            /* where the menu was asked for; NAN: at no place */
    struct flm_drag drag;
    struct flm_heat_cursor heat;
};

#endif
