/* model.h - what the viewer shows: the open files, and the state that its URL has (viewer/state.h).
 * Nothing here is laid out or drawn: the scene is made from it. */
#ifndef FLAMEL_VIEWER_MODEL_MODEL_H
#define FLAMEL_VIEWER_MODEL_MODEL_H

#include "draw/color/color_mode.h"
#include "layout/rectangles.h"
#include "viewer/model/camera.h"
#include "viewer/model/comparing.h"
#include "viewer/model/history.h"
#include "viewer/model/notes.h"
#include "viewer/model/searches.h"
#include "viewer/model/transforms.h"
#include "viewer/model/versions.h"

struct flm_view;

/* A node of a pane, by a number that does not change while the pane grows. */
struct flm_node_ref {
    uint32_t pane;
    uint32_t number; /* FLM_NONE: no ref */
};

static inline struct flm_node_ref flm_node_ref_none(void)
{
    return (struct flm_node_ref){0, FLM_NONE};
}

static inline bool flm_node_ref_valid(struct flm_node_ref ref)
{
    return ref.number != FLM_NONE;
}

static inline bool flm_node_refs_equal(struct flm_node_ref a, struct flm_node_ref b)
{
    return a.number == b.number && (a.number == FLM_NONE || a.pane == b.pane);
}

/* A ref as one number, for responses and actions. */
static inline double flm_node_ref_number(struct flm_node_ref ref)
{
    return (double)ref.pane * 4294967296.0 + ref.number;
}

/* A path, independent of the indices of a profile: a hash of the names and modules from the root
 * on. Siblings with the same name are distinguished by their order. In a lazy call tree, where the
 * path may have to be opened first, it has a byte for each level, 8 bits of the hash so far, which
 * says what to open. Longer paths have no steps: a node that is not open is then not found again.
 */
enum { FLM_MOST_STEPS_OF_PATH = 250 };
struct flm_path {
    uint64_t hash; /* 0: the root's, or of nothing */
    uint32_t count;
    unsigned char step[FLM_MOST_STEPS_OF_PATH];
};

/* The visible part, independent of the scene: paths of nodes, and the share of the total. */
struct flm_viewpoint {
    bool valid;
    struct flm_path selected, zoomed;
    struct flm_span share, other_share; /* of `camera`, and of `other_camera` */
    bool is_time; /* a flame chart's: it stays at `time` where the axis changes */
    struct flm_span time;
    uint32_t half;
    double rows; /* scrolled from where a scene is at first; negative: up */
};

/* What the view of code is of, and how it is shown. */
enum {
    FLM_CODE_ASSEMBLY = 1, /* machine code too */
    FLM_CODE_FILE = 2,     /* all functions of the file */
    FLM_CODE_WHOLE = 4,    /* also what is cold */
    FLM_CODE_INLINED = 8,  /* inlined code is open */
    FLM_CODE_FLAGS = 4
};
struct flm_code_shown {
    struct flm_text of;   /* "find_slot\napp": function and module; "": none was chosen */
    struct flm_text at;   /* the selected line, "table.c\n101", or address, "@51f0"; "": none */
    struct flm_text open; /* the keys of rows that were opened, or closed: code/listing.h */
    unsigned flags;
    const struct flm_view *from; /* the view before it; not in the URL */
};

struct flm_model {
    struct flm_profile *opened[2]; /* by enum flm_viewer_side; owned */
    char *name[2];
    unsigned char
        known_as[2]; /* 1 + the side as which who has their code knows them; 0: nobody has */
    struct flm_kept_notes notes;
    struct flm_versions versions;

    const struct flm_view *view; /* that was chosen: viewer/scene/view.h */
    bool flame;                  /* root at the bottom */
    bool inverted;               /* bottom-up */
    enum flm_sibling_order order;
    uint32_t metric; /* of the shown profile */
    enum flm_color_mode color_mode;
    struct flm_text color_with; /* the name of a second metric, or the user's rules */
    struct flm_operations operations;
    struct flm_searches searches;
    struct flm_text focus; /* the pattern of the sandwich: pattern.h */
    struct flm_text sort;  /* of the top table: "self", "-total" ... */
    struct flm_code_shown code;
    struct flm_text source_link;    /* "vscode://file/{file}:{line}"; "": none */
    struct flm_comparing comparing; /* with another file, or another part of this one */
    double heat_column_ns;     /* of the heatmap, as the user chose it; 0: a second, or what fits */
    bool shows_tracks;         /* the timeline has a row for each thread */
    struct flm_text collapsed; /* processes of the flame chart: name_list.h */
    struct flm_text expanded;  /* likewise its threads that show all of their rows */
    bool expands_all;          /* all threads do */
    bool threads_by_cost;      /* the flame chart; else by process, and by begin */
    bool short_apart;          /* its short threads do not share rows */
    bool shows_overlay, hides_panel; /* not in the URL */

    struct flm_node_ref selected, zoomed; /* of the scene; zoomed: the camera is exactly there */
    struct flm_rectangle selected_merged; /* where merged frames were selected; else count 0 */
    struct flm_camera camera;             /* of a sandwich: of the half used last */
    struct flm_camera other_camera;       /* of the other half of a sandwich */
    uint32_t half;                        /* of a sandwich: the pane that `camera` is of; else 0 */
    struct flm_viewpoint left;            /* of a scene that was freed, for the next */
    struct flm_history history;
};

/* clear frees all that it owns, and initializes it again. */
void flm_model_init(struct flm_model *model);
void flm_model_clear(struct flm_model *model);

/* An aspect of the viewer changed: everything that is made from it is out of date. */
static inline void flm_changed(struct flm_model *model, enum flm_aspect aspect)
{
    model->versions.of[aspect]++;
}

/* Replaces a text; false, and the text as it was, if memory ran out. */
bool flm_model_set_text(struct flm_text *text, struct flm_bytes value);

/* The profile after the operations; NULL when none is open. */
static inline const struct flm_profile *flm_model_shown(const struct flm_model *model)
{
    return flm_operations_shown(&model->operations);
}

#endif
