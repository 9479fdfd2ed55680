/* camera.h - the visible part of a scene: numbers only, and how they move.
 *
 * Horizontally the camera is a part [left, right) of a total, in the unit of the layouts; the panes
 * of a scene share it. Vertically it is the number of pixels of the content above the window.
 *
 * It glides: a move sets a goal, which the camera reaches 120 ms later, or at once.
 * Zooming keeps the point under the pointer where it is. */
#ifndef FLAMEL_VIEWER_MODEL_CAMERA_H
#define FLAMEL_VIEWER_MODEL_CAMERA_H

#include <stdbool.h>

struct flm_span {
    double left, right;
};

struct flm_camera {
    struct flm_span from, to; /* where it comes from, where it will be */
    double scroll_from, scroll_to;
    double since_ms, duration_ms; /* 0: at rest */
    double total;                 /* everything is [0, total) */
};

/* Shows everything. */
void flm_camera_init(struct flm_camera *camera, double total);

/* Where it is at a time. */
struct flm_span flm_camera_span(const struct flm_camera *camera, double now_ms);
double flm_camera_scroll(const struct flm_camera *camera, double now_ms);
bool flm_camera_moves(const struct flm_camera *camera, double now_ms);

/* Goes to a part of the total, limited to the total and to a width at which a double still
 * distinguishes pixels. duration_ms 0: at once. */
void flm_camera_go(struct flm_camera *camera, struct flm_span span, double now_ms,
                   double duration_ms);

/* The same as shares of the total; and the goal as such a share. */
void flm_camera_go_share(struct flm_camera *camera, struct flm_span share, double now_ms,
                         double duration_ms);
struct flm_span flm_camera_share(const struct flm_camera *camera); /* [0, 1] where total is 0 */
void flm_camera_scroll_to(struct flm_camera *camera, double scroll_px, double now_ms,
                          double duration_ms);

/* The content moved by this much, and the camera with it: the picture stays where it is. */
void flm_camera_shift(struct flm_camera *camera, double scroll_px);

/* Zooms in by `factor`, around the point at `share` (0 left edge, 1 right edge) of the window. */
void flm_camera_zoom(struct flm_camera *camera, double factor, double share, double now_ms,
                     double duration_ms);

/* Pans by a share of the visible span; positive: to the right. */
void flm_camera_pan(struct flm_camera *camera, double share, double now_ms, double duration_ms);

#endif
