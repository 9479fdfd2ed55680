#include "viewer/paint/internal.h"

#include <math.h>

/* The runs of one color, of which the last is not painted yet. */
struct painting {
    const struct flm_box_styles *styles;
    struct flm_pixel_run run;
    uint32_t rgb;
    flm_sample_paint paint;
    void *context;
};

static void flush(const struct painting *p)
{
    if (p->run.left < p->run.right)
        p->paint(p->context, p->run.level, p->run.left, p->run.right, p->rgb);
}

static void visit(void *context, const struct flm_pixel_run *run)
{
    struct painting *p = context;
    uint32_t rgb = flm_box_styles_fill(p->styles, run->node, run->total);
    if (rgb == p->rgb && run->left == p->run.right && run->level == p->run.level) {
        p->run.right = run->right;
        return;
    }
    flush(p);
    p->run = *run;
    p->rgb = rgb;
}

void flm_samples_paint(const struct flm_box_styles *styles, const struct flm_viewport *view,
                       const struct flm_rectangle *merged, double least, double most,
                       flm_sample_paint paint, void *context)
{
    struct painting painting = {.styles = styles, .paint = paint, .context = context};
    int first = (int)ceil(fmax(merged->x0, least) - 0.5);
    int last = (int)ceil(fmin(merged->x1, most) - 0.5);
    flm_layout_runs(styles->pane->layout, view, merged, first, last, visit, &painting);
    flush(&painting);
}
