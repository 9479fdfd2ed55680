/* versions.h - what is out of date: each aspect that changes on its own has a number, which grows
 * with each change. A thing that is made from several aspects remembers the sum of their numbers,
 * and is made again when the sum differs.
 *
 *     made from SHOWN and COLORS          the coloring, at 7 + 2 = 9
 *     flm_changed(model, ..._COLORS)      7 + 3 = 10: the coloring is older, and is made again
 *
 * The page and the terminal compare the versions of queries in the same way: viewer.h. */
#ifndef FLAMEL_VIEWER_MODEL_VERSIONS_H
#define FLAMEL_VIEWER_MODEL_VERSIONS_H

#include <stdint.h>

enum flm_aspect {
    FLM_ASPECT_OPENED,    /* other profiles are open, or compared */
    FLM_ASPECT_SHOWN,     /* another profile is shown: also by transforms */
    FLM_ASPECT_METRIC,    /* the metric of what is shown */
    FLM_ASPECT_SCENE,     /* what panes are made of: order, direction, comparison ... */
    FLM_ASPECT_VIEW,      /* which view is chosen: another one may have the same panes behind it */
    FLM_ASPECT_COLORS,    /* what gives boxes their color */
    FLM_ASPECT_COMPARING, /* how two profiles are compared */
    FLM_ASPECT_SEARCHES,
    FLM_ASPECT_SELECTION, /* the selected frame */
    FLM_ASPECT_HOVERED,   /* the frame under the pointer */
    FLM_ASPECT_POINTER,   /* where the pointer is on it */
    FLM_ASPECT_DRAG,
    FLM_ASPECT_CAMERA, /* which part is seen */
    FLM_ASPECT_ZOOM,   /* which frame the camera went to */
    FLM_ASPECT_HALF,   /* which half of a sandwich the camera is of */
    FLM_ASPECT_SCROLL,
    FLM_ASPECT_WINDOW,  /* size and theme */
    FLM_ASPECT_DRAWN,   /* a picture was painted: its figures */
    FLM_ASPECT_ROWS,    /* of tables: opened, sorted */
    FLM_ASPECT_CODE,    /* what the view of code is of; its folds; another store */
    FLM_ASPECT_TRACKS,  /* whether threads are shown in the timeline; collapsed processes */
    FLM_ASPECT_OVERLAY, /* whether it is shown */
    FLM_ASPECT_PANEL,   /* likewise */
    FLM_ASPECT_SOURCE_LINK,
    FLM_ASPECT_NOTES,    /* that people write */
    FLM_ASPECT_RESTORED, /* a state was read */
    FLM_ASPECT_STATE,    /* the state as text */
    FLM_ASPECT_STEP,     /* a step of the history was made */
    FLM_ASPECT_COPIED,
    FLM_ASPECT_PROMPT,
    FLM_ASPECT_NOTICE,
    FLM_ASPECTS
};

struct flm_versions {
    uint32_t of[FLM_ASPECTS];
};

/* A set of aspects: FLM_OF(SHOWN) | FLM_OF(COLORS). */
#define FLM_OF(aspect) (1u << FLM_ASPECT_##aspect)

/* The version of a thing made from these aspects; never 0, which means: not made yet. */
static inline uint32_t flm_version_of(const struct flm_versions *versions, uint32_t aspects)
{
    uint32_t sum = 1;
    for (int i = 0; i < FLM_ASPECTS; i++)
        sum += aspects >> i & 1 ? versions->of[i] : 0;
    return sum;
}

#endif
