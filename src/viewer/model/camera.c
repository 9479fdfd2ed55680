#include "viewer/model/camera.h"

#include <math.h>

/* A double has 53 bits: with 2^40 parts of the total in the window there are still 2^13 places
 * between two pixels of a wide screen. */
#define NARROWEST 0x1p-40

/* A span that lacks less of the total than is visible, or than rounding errors, is the total. */
#define WIDEST (1 - 0x1p-44)

void flm_camera_init(struct flm_camera *camera, double total)
{
    *camera = (struct flm_camera){.from = {0, total}, .to = {0, total}, .total = total};
}

/* How far a move is: 0 at its start, 1 at its end. Quick first, then slower, so that the answer to
 * a click is seen at once. */
static double progress(const struct flm_camera *camera, double now_ms)
{
    double passed = now_ms - camera->since_ms;
    /* The time of an event may lie before that of the picture it comes after. */
    if (!(camera->duration_ms > 0) || !(passed < camera->duration_ms))
        return 1;
    double left = 1 - (passed > 0 ? passed : 0) / camera->duration_ms;
    return 1 - left * left * left;
}

struct flm_span flm_camera_span(const struct flm_camera *camera, double now_ms)
{
    double done = progress(camera, now_ms);
    if (done == 1)
        return camera->to;
    struct flm_span from = camera->from, to = camera->to;
    return (struct flm_span){from.left + (to.left - from.left) * done,
                             from.right + (to.right - from.right) * done};
}

double flm_camera_scroll(const struct flm_camera *camera, double now_ms)
{
    double done = progress(camera, now_ms);
    return camera->scroll_from + (camera->scroll_to - camera->scroll_from) * done;
}

bool flm_camera_moves(const struct flm_camera *camera, double now_ms)
{
    return progress(camera, now_ms) < 1;
}

/* From where it is now. */
static void depart(struct flm_camera *camera, double now_ms, double duration_ms)
{
    struct flm_span span = flm_camera_span(camera, now_ms);
    double scroll = flm_camera_scroll(camera, now_ms);
    camera->from = span;
    camera->scroll_from = scroll;
    camera->since_ms = now_ms;
    camera->duration_ms = duration_ms;
}

/* Limits a span to the total: moved, and narrowed only if it must be. */
static struct flm_span kept(const struct flm_camera *camera, struct flm_span span)
{
    double width = span.right - span.left, least = camera->total * NARROWEST;
    if (!(width < camera->total * WIDEST))
        return (struct flm_span){0, camera->total};
    if (width > least && span.left >= 0 && span.right <= camera->total)
        return span;
    if (!(width > least)) {
        double middle = span.left + width / 2;
        width = least;
        span.left = middle - width / 2;
    }
    if (!(span.left > 0))
        span.left = 0;
    if (span.left + width > camera->total)
        return (struct flm_span){camera->total - width, camera->total};
    return (struct flm_span){span.left, span.left + width};
}

void flm_camera_go(struct flm_camera *camera, struct flm_span span, double now_ms,
                   double duration_ms)
{
    depart(camera, now_ms, duration_ms);
    camera->to = kept(camera, span);
}

void flm_camera_go_share(struct flm_camera *c, struct flm_span share, double now_ms,
                         double duration_ms)
{
    flm_camera_go(c, (struct flm_span){share.left * c->total, share.right * c->total}, now_ms,
                  duration_ms);
}

struct flm_span flm_camera_share(const struct flm_camera *c)
{
    if (!(c->total > 0))
        return (struct flm_span){0, 1};
    return (struct flm_span){c->to.left / c->total, c->to.right / c->total};
}

void flm_camera_scroll_to(struct flm_camera *camera, double scroll_px, double now_ms,
                          double duration_ms)
{
    depart(camera, now_ms, duration_ms);
    camera->scroll_to = scroll_px;
}

void flm_camera_shift(struct flm_camera *camera, double scroll_px)
{
    camera->scroll_from += scroll_px;
    camera->scroll_to += scroll_px;
}

/* Both work on where the camera is going: keys that come quicker than it glides add up. */
void flm_camera_zoom(struct flm_camera *camera, double factor, double share, double now_ms,
                     double duration_ms)
{
    struct flm_span span = camera->to;
    double width = span.right - span.left, place = span.left + width * share;
    double least = camera->total * NARROWEST;
    double wanted = width / factor;
    if (!(wanted > least))
        wanted = least;
    if (!(wanted < camera->total))
        wanted = camera->total;
    flm_camera_go(camera, (struct flm_span){place - wanted * share, place + wanted * (1 - share)},
                  now_ms, duration_ms);
}

void flm_camera_pan(struct flm_camera *camera, double share, double now_ms, double duration_ms)
{
    struct flm_span span = camera->to;
    double by = (span.right - span.left) * share;
    flm_camera_go(camera, (struct flm_span){span.left + by, span.right + by}, now_ms, duration_ms);
}
