/* document.h - a still picture as one page. A document is filled by its user (with a profile and
 * options in draw/svg/fill_document.c, with the viewer's scene in viewer/paint/picture.c), computes
 * the positions of its parts, and paints itself on any surface (surface.h).
 *
 *     title  subtitle                   the subtitle is below if there is no room for both
 *        0 ms        100 ms             ticks, if there are any: lines through all panes
 *     main  1.2 s                       the heading of a pane, if it has one; a strip below that
 *     boxes                             panes, one below the other or two side by side
 *     # kernel   # jit                  the legend, in as many lines as needed
 *     1,204 stacks  12.4 s  ...         the status line, likewise: nothing is cut off
 *     note on parse: slow since 2.1     notes that people wrote, a line each
 *
 * Lengths are CSS pixels. Painting a document takes about the time of the calls to its surface, one
 * or two a box. */
#ifndef FLAMEL_DRAW_DOCUMENT_DOCUMENT_H
#define FLAMEL_DRAW_DOCUMENT_DOCUMENT_H

#include "base/core/array.h"
#include "base/text/text.h"
#include "draw/document/surface.h"
#include "draw/raster/boxes.h"
#include "draw/text/status_line.h"
#include "flamel/notes.h"

enum {
    FLM_DOCUMENT_PAD = 10,     /* left, right and below everything */
    FLM_DOCUMENT_HEADER = 44,  /* from the upper edge to the boxes, with one line of titles */
    FLM_DOCUMENT_LINE = 24,    /* of the legend and of the status */
    FLM_DOCUMENT_TITLE_Y = 27, /* the base line of the title; one below it is a TITLE_LINE lower */
    FLM_DOCUMENT_TITLE_LINE = 20,
    FLM_DOCUMENT_KEY_TEXT = 21, /* from the left edge of a box in the legend to its meaning */
    FLM_DOCUMENT_NOTES = 40,
    FLM_DOCUMENT_LEVELS = 1000, /* more are not drawn, and the status says so */
    FLM_DOCUMENT_TEXT_PX = 12,
    FLM_DOCUMENT_TITLE_PX = 13
};

/* The fonts, unless the caller names others. */
#define FLM_DOCUMENT_FONTS "system-ui, Inter, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"

/* Plain text (text/visible.h) in the document's `text`; size 0: none. */
struct flm_document_text {
    size_t from, size;
};

struct flm_document_pane {
    const struct flm_rectangles *list; /* borrowed; see `scale` below */
    uint32_t first_level, row_count;   /* levels before the first are not in the list */
    bool upwards;                      /* a flame graph: the first level is the lowest row */
    flm_box_styler style;
    void *context;
    struct flm_document_text group;           /* a line above those of several panes */
    struct flm_document_text heading, detail; /* above it: "main", "1.2 s" */
    struct flm_document_text foot;            /* a line below it: "+143 rows" */
    double strip_px;                          /* between its heading and its boxes; 0: nothing */

    /* Paint the strip, which ends at `top`, and over the boxes; may be NULL. */
    void (*paint_strip)(void *context, const struct flm_surface *surface,
                        const struct flm_document_pane *pane);
    void (*paint_over)(void *context, const struct flm_surface *surface,
                       const struct flm_document_pane *pane);

    double left, top, width_px; /* of its first row; set by flm_document_lay_out */
};

/* An entry of the legend: a box and its meaning. */
struct flm_document_key {
    uint32_t fill, ink;
    enum flm_mark mark;
    enum flm_texture texture;
    double edge_px;  /* in the ink, where colors are forced */
    bool is_outline; /* of a search: `fill` is the color of its outline */
    uint32_t tone;   /* the caller's number for the color `fill` */
    struct flm_document_text text;
    double x, y; /* left edge of its box, base line; set by flm_document_lay_out */
};

/* A moment on the axis. */
struct flm_document_tick {
    double x; /* from the left edge of the first pane */
    struct flm_document_text text;
};

/* A part of the status as it is filled in, and the part of it in one line. */
struct flm_document_status {
    struct flm_document_text text;
    bool begins_line;
};
struct flm_document_piece {
    struct flm_document_text text;
    double x, y; /* of its base line */
};

struct flm_document {
    double width_px;
    double row_px;  /* of a level, with the gap below its boxes */
    double font_px; /* of labels */
    double scale;   /* device pixels in a CSS pixel: the rectangles of the panes are in device
                       pixels, as boxes.h has them. 1 for vectors */

    uint32_t page, page_foot; /* the background at the top, and at the foot: a gradient if they
                                 differ */
    uint32_t ink, muted, line;

    struct flm_document_text title, subtitle;
    struct flm_document_text notice; /* if there are no boxes: the reason */
    struct FLM_ARRAY(struct flm_document_pane) panes;
    bool side_by_side; /* panes, with their first levels on one line */
    struct FLM_ARRAY(struct flm_document_tick) ticks;
    struct FLM_ARRAY(struct flm_document_key) keys;
    struct FLM_ARRAY(struct flm_document_status) status;

    struct flm_text text;    /* what all the document's texts point into */
    struct flm_text scratch; /* for making text plain */
    bool failed;             /* memory ran out while the document was filled */

    /* Set by flm_document_lay_out. */
    double height_px;
    bool subtitle_is_below;
    double boxes_top, boxes_bottom;
    struct FLM_ARRAY(struct flm_document_piece) pieces;
};

/* {0} is an empty document; this one has the default sizes and light colors. */
struct flm_document flm_document_new(double width_px, bool dark);
void flm_document_clear(struct flm_document *document);

/* Adds any bytes, made plain. If memory runs out, here and below, `failed` is set. */
struct flm_document_text flm_document_add_text(struct flm_document *document,
                                               struct flm_bytes text);
struct flm_bytes flm_document_text_of(const struct flm_document *document,
                                      struct flm_document_text text);

/* Valid until the next one is added; NULL when memory ran out. */
struct flm_document_pane *flm_document_add_pane(struct flm_document *document);
struct flm_document_key *flm_document_add_key(struct flm_document *document, uint32_t fill,
                                              uint32_t ink, struct flm_bytes meaning);
void flm_document_add_tick(struct flm_document *document, double x, struct flm_bytes text);

/* Adds a part of the status, if it has any text; and all the parts of a status line. */
void flm_document_add_status(struct flm_document *document, struct flm_bytes text,
                             bool begins_line);
void flm_document_add_status_line(struct flm_document *document, const struct flm_status *status);

/* Adds the first FLM_DOCUMENT_NOTES of written notes (flamel/notes.h), a line each, behind the
 * status, and how many more there are. `first_ns` is that of flm_note_subject_add. */
void flm_document_add_notes(struct flm_document *document, const struct flm_written_notes *notes,
                            int64_t first_ns);

/* The width of each pane, which its rectangles have to fill. */
double flm_document_pane_width(const struct flm_document *document);

/* Computes all positions from the widths of letters on `surface`: only its font is used. */
bool flm_document_lay_out(struct flm_document *document, const struct flm_surface *surface,
                          struct flm_error *why);

/* Paints a document that is laid out. */
void flm_document_paint(const struct flm_document *document, const struct flm_surface *surface);

/* Lays it out and writes it as a vector file. */
bool flm_document_write_svg(struct flm_document *document, struct flm_text *out,
                            struct flm_error *why);
bool flm_document_write_pdf(struct flm_document *document, struct flm_text *out,
                            struct flm_error *why);

#endif
