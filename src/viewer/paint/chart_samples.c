#include "viewer/paint/internal.h"

#include <math.h>

void flm_samples_range(const struct flm_rectangle *merged, double least, double most, int *first,
                       int *last)
{
    *first = (int)ceil(fmax(merged->x0, least) - 0.5);
    *last = (int)ceil(fmin(merged->x1, most) - 0.5);
}

void flm_samples_level(const struct flm_box_styles *styles, const struct flm_viewport *view,
                       uint32_t level, int first, int last, flm_sample_paint paint, void *context)
{
    struct flm_rectangle box;
    int begun = first;
    uint32_t rgb = 0, slot = 0;
    bool any = false; /* [begun, x) is of this color, and not painted yet */
    for (int x = first, next; x < last; x = next) {
        next = x + 1;
        bool is = flm_layout_next_at(styles->pane->layout, view, x + 0.5, level, &slot, &box);
        if (is && box.x1 > next + 0.5)
            next = (int)fmin(ceil(box.x1 - 0.5), last);
        uint32_t fill = is ? flm_box_styles_fill(styles, &box) : 0;
        if (any && (!is || fill != rgb)) {
            paint(context, begun, x, rgb);
            any = false;
        }
        if (is && !any)
            begun = x;
        any = is;
        rgb = fill;
    }
    if (any)
        paint(context, begun, last, rgb);
}
