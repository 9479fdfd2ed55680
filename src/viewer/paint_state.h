/* paint_state.h - inputs of painting and caches between frames: the theme, the atlas, the coloring
 * of the shown profile, the minimap. */
#ifndef FLAMEL_VIEWER_PAINT_STATE_H
#define FLAMEL_VIEWER_PAINT_STATE_H

#include "draw/color/color_mode.h"
#include "draw/raster/atlas.h"
#include "viewer/model/camera.h"
#include "viewer/viewer.h"

/* Figures of the last picture, for the overlay. */
struct flm_picture_figures {
    uint64_t visited;
    uint32_t drawn, merged;
    double merged_total; /* of merged boxes */
    struct flm_unhatched {
        uint32_t count;
        double sum;             /* of their changes; of boxes within others once */
    } appeared, disappeared;    /* of a comparison: boxes too narrow to be hatched */
    double layout_ms, paint_ms; /* where there is a clock */
};

/* The last picture of a flame chart that is scrolled, of which the next one copies what stays; and
 * the part of the area that is painted now. paint/scrolled.c */
struct flm_scrolled {
    const uint32_t *at; /* its pixels; NULL: it is not one */
    uint32_t version;
    double scroll_px;
    struct flm_span span;
    double band_top, band_px; /* 0: all of the area */
};

struct flm_paint {
    struct flm_theme theme;
    struct flm_atlas *atlas;
    struct flm_coloring coloring; /* of the shown profile */
    uint32_t colored_from;        /* version; 0: it is to be made */
    struct flm_legend legend;     /* of the coloring and the first pane */
    uint32_t legend_from;         /* likewise */
    double *second_total; /* by node: totals of the second metric, where it gives the color */
    double *net; /* by node, where a metric has negative values: its sum, of which some was lost */
    double gained, lost; /* the sums of positive and of negative values, both positive */
    uint32_t net_from;
    const double *net_of; /* the column */
    unsigned char *noted; /* by frame, and behind them by node of the shown profile: has a note;
                             NULL: nothing has */
    uint32_t noted_from;
    uint32_t *minimap; /* cached: its picture, and the same paler, for outside of the window */
    uint32_t minimap_from;
    uint32_t painted_from; /* of the last picture */
    struct flm_picture_figures picture;
    struct flm_scrolled scrolled;
    double (*clock_ms)(void); /* NULL: there is none */
};

#endif
