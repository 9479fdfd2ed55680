/* camera.h - which part of a scene is seen: numbers only, and how they move.
 *
 * Sideways the camera is a part [left, right) of a total, in the unit of the layouts; all panes of
 * a scene share it. Up and down it is how many pixels of the content are above the window.
 *
 * It glides: a move sets where it is to be, and the camera is there 120 ms later, or at once.
 * Zooming keeps the place under the pointer where it is. */
#ifndef FLAMEL_VIEWER_MODEL_CAMERA_H
#define FLAMEL_VIEWER_MODEL_CAMERA_H

#include <stdbool.h>

struct flm_span {
    double left, right;
};

struct flm_camera {
    struct flm_span from, to; /* where it comes from, where it will be */
    double scroll_from, scroll_to;
    double since_ms, duration_ms; /* 0: it stands */
    double total;                 /* everything is [0, total) */
};

/* Shows everything. */
void flm_camera_init(struct flm_camera *camera, double total);

/* Where it is at a time. */
struct flm_span flm_camera_span(const struct flm_camera *camera, double now_ms);
double flm_camera_scroll(const struct flm_camera *camera, double now_ms);
bool flm_camera_moves(const struct flm_camera *camera, double now_ms);

/* Goes to a part of the total: it is kept within the total, and not narrower than a double can
 * tell pixels apart. duration_ms 0: at once. */
void flm_camera_go(struct flm_camera *camera, struct flm_span span, double now_ms,
                   double duration_ms);

/* The same as shares of the total; and what it goes to. */
void flm_camera_go_share(struct flm_camera *camera, struct flm_span share, double now_ms,
                         double duration_ms);
struct flm_span flm_camera_share(const struct flm_camera *camera); /* [0, 1] where total is 0 */
void flm_camera_scroll_to(struct flm_camera *camera, double scroll_px, double now_ms,
                          double duration_ms);

/* The content moved by so much below the window, and the camera with it: nothing is seen to move.
 */
void flm_camera_shift(struct flm_camera *camera, double scroll_px);

/* `factor` times nearer, around the place at `share` (0 left edge, 1 right edge) of the window. */
void flm_camera_zoom(struct flm_camera *camera, double factor, double share, double now_ms,
                     double duration_ms);

/* By a share of what is seen; positive: to the right. */
void flm_camera_pan(struct flm_camera *camera, double share, double now_ms, double duration_ms);

#endif
