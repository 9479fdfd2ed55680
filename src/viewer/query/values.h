/* values.h - shared by all queries: values, shares and names as text, in the arena of the response.
 *
 *     struct flm_query q;
 *     if (!flm_query_begin(&q, viewer, response, why))
 *         return false;
 *     struct flm_response_status *status = flm_query_take(&q, 1, sizeof *status);
 *     status->total = flm_query_quantity(&q, total);             "1.24 s"
 *     status->share = flm_query_share(&q, total, q.all);         "12.3 %"
 *     response->status = status;
 *     return flm_query_end(&q, why);
 *
 * Texts for which memory runs out are remembered: flm_query_end fails then. */
#ifndef FLAMEL_VIEWER_QUERY_VALUES_H
#define FLAMEL_VIEWER_QUERY_VALUES_H

#include "draw/text/cells.h"
#include "viewer/internal.h"
#include "viewer/query/query.h"

struct flm_query {
    struct flm_viewer *viewer;
    struct flm_response *response;
    const struct flm_profile *profile; /* the shown one; NULL: none is open */
    struct flm_metric metric;          /* the shown one */
    struct flm_bytes unit;
    double all; /* the sum of |self| of everything in that metric */
    struct flm_text scratch;
};

/* Updates the viewer; the response is empty. False, and `why`, if memory ran out. */
bool flm_query_begin(struct flm_query *q, struct flm_viewer *viewer, struct flm_response *response,
                     struct flm_error *why);

/* end: false, and `why`, if memory ran out at any time; the response is NULL then. fail: after a
 * failure that has its reason already. */
bool flm_query_end(struct flm_query *q, struct flm_error *why);
bool flm_query_fail(struct flm_query *q);

/* Zeroed: `count` items of a size; NULL if memory ran out. */
void *flm_query_take(struct flm_query *q, size_t count, size_t size);

/* An empty text to write to; and a copy of it in the arena. */
struct flm_text *flm_query_scratch(struct flm_query *q);
struct flm_bytes flm_query_scratch_copy(struct flm_query *q);

struct flm_bytes flm_query_copy(struct flm_query *q, struct flm_bytes text);
struct flm_bytes flm_query_text(struct flm_query *q, const char *text); /* NULL: {NULL} */
struct flm_bytes flm_query_quantity(struct flm_query *q, double value);
/* Without the unit. */
struct flm_bytes flm_query_number(struct flm_query *q, const struct flm_scale *scale, double value);
struct flm_bytes flm_query_exact(struct flm_query *q, double value);
struct flm_bytes flm_query_count(struct flm_query *q, uint64_t count);
struct flm_bytes flm_query_string(struct flm_query *q, uint32_t string); /* "": {NULL} */
struct flm_bytes flm_query_color(struct flm_query *q, uint32_t rgb);     /* "#rrggbb" */

/* {NULL} if the whole is 0. */
struct flm_bytes flm_query_share(struct flm_query *q, double value, double whole);

/* flm_frame_title. */
struct flm_bytes flm_query_title(struct flm_query *q, uint32_t frame);

/* The same of a node, with the depth of recursion that was collapsed there: "deep ×118". */
struct flm_bytes flm_query_node_title(struct flm_query *q, const struct flm_pane *pane,
                                      struct flm_node node);

/* The number of a node for actions. */
double flm_query_ref(const struct flm_query *q, uint32_t pane, struct flm_node node);

/* The color of the search that matches a frame; -1: none. */
double flm_query_match(const struct flm_query *q, uint32_t frame);

/* The width for names: "1600" is 16 font sizes, in letters as the picture has them; "30c" is 30
 * cells of a terminal, "30a" of one that shows only ASCII. 0: names are not shortened. */
struct flm_query_room {
    double width;
    bool in_cells;
    enum flm_charset charset;
};
struct flm_query_room flm_query_take_room(struct flm_bytes *argument);

/* Its letters, as wide as they are in font sizes, or in cells. */
struct flm_font flm_query_font(const struct flm_query *q, const struct flm_query_room *room,
                               enum flm_weight weight);

/* Names of one table or list, shortened so that no two functions read the same
 * (draw/text/short_names.h). `shown` is set where it is not the whole title. */
struct flm_query_name {
    uint32_t frame;
    double width; /* in the unit of the room */
    bool is_bold;
    struct flm_bytes *shown;
};
void flm_query_shorten(struct flm_query *q, struct flm_query_room room,
                       const struct flm_query_name *names, size_t count);

/* Shortens a title to three bold lines in the room; NULL in *shown: it fits. It is the name of one
 * function alone, so it need not differ from other names. */
void flm_query_shorten_heading(struct flm_query *q, struct flm_query_room room, uint32_t frame,
                               struct flm_bytes *shown);

/* Two numbers, "20 40" is rows 20 to 59, and the room of their names. Defaults: 0 and 100. */
struct flm_row_range {
    uint32_t from, count;
    struct flm_query_room room;
};
struct flm_row_range flm_row_range_of(struct flm_bytes argument);

#endif
