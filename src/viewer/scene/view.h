/* view.h - what a view is: one entry of a table (viewer/views/views.h), in a file of its own.
 *
 * A view arranges the shown profile in panes, each a tree with its layout. Everything else works on
 * panes and is the same for all views: painting in pixels, terminal cells and documents, the
 * minimap, hit testing, cameras, searching, the panel of details. So a view says how its panes are
 * built and a few properties of them; no code compares an entry or its name to find out which view
 * it has.
 *
 * Two views may be meant: the one that was chosen (`view` of struct flm_model), and the one whose
 * panes are there (`view` of struct flm_scene). They differ for tables, which have the flame graph
 * behind them (for the minimap and for shares), and where the chosen view has nothing to draw: a
 * flame chart without times, which only a URL can ask for, is the flame graph. */
#ifndef FLAMEL_VIEWER_SCENE_VIEW_H
#define FLAMEL_VIEWER_SCENE_VIEW_H

#include "viewer/scene/scene.h"

struct flm_view {
    const char *name;   /* "chart": in actions and in the URL */
    const char *title;  /* "Flame chart": in menus and headings */
    const char *key;    /* "2" */
    const char *table;  /* the query of its rows: the page and the terminal show a table instead of
                          the picture. NULL: it is a picture */
    bool hides_picture; /* the table takes the whole area: no picture is shown */
    bool is_beside;     /* the table stands next to the picture, which shows what is selected in
                           it */

    bool is_over_time;   /* the horizontal axis is time in ns; there is no minimap: the timeline
                            does what it does elsewhere */
    bool has_heatmap;    /* in place of the timeline: heatmap_area.h */
    bool has_halves;     /* two panes, each with a camera of its own (viewer/viewpoint.c) */
    bool shows_changes;  /* where two profiles are compared: colors are changes, and widths are of
                            both sides */
    bool has_both_sides; /* callers and callees: there is nothing to invert */
    const char *fixed_direction; /* why it is not turned upside down; NULL: it is */

    /* Whether it has something to show; and what to tell a user where not. The summary of the
     * shown profile is in `scene->tables`. NULL: always. */
    bool (*is_available)(const struct flm_model *model, const struct flm_scene *scene);
    const char *unavailable;

    /* The view that is drawn where this one cannot be; NULL: this one always can. `can_build` may
     * leave in `scene` what `build` needs, and has an error if memory ran out before it was known;
     * NULL, with a view behind: never. */
    const struct flm_view *behind;
    bool (*can_build)(const struct flm_model *model, struct flm_scene *scene,
                      struct flm_error *why);

    /* Before that: chooses what the model leaves open, such as the function that a view is of.
     * False, and `why`, if memory ran out. NULL: there is nothing to choose. */
    bool (*prepare)(struct flm_model *model, struct flm_error *why);

    /* Adds its panes to a scene that has none; NULL where it cannot be built. */
    bool (*build)(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why);

    /* A view of one function: makes it the one of a frame, before building; false if memory ran
     * out. And the node of the function in what was built; FLM_NONE: of any; NULL where it builds
     * nothing itself. NULL: the view is of all functions. */
    bool (*set_function)(struct flm_model *model, uint32_t frame);
    struct flm_node_ref (*function_ref)(const struct flm_scene *scene, uint32_t frame);

    /* The heading of a picture: "Sandwich of =parse". NULL: the title. */
    void (*describe)(const struct flm_model *model, struct flm_text *out);
};

/* The view whose panes are there whatever is shown: itself, or one behind it. NULL: that depends on
 * the profile. */
static inline const struct flm_view *flm_view_behind(const struct flm_view *view)
{
    while (view->behind && !view->can_build)
        view = view->behind;
    return view->behind ? NULL : view;
}

#endif
