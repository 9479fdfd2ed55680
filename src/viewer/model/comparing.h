/* comparing.h - two profiles in the viewer: which they are, and how they are compared.
 *
 *     after    the opened file | its expression --+-- operations --+
 *                                                 |                +-- aligned: what is shown
 *     before   the other file  | its expression --+-- operations --+
 *
 * Without another file both sides come from the one: two labels, two threads, two ranges of time,
 * each side chosen by an expression ("label:thread=main", "time:0..2s"). The operations (chips) are
 * applied to each side before they are aligned, so that those which need samples work too.
 * The shown profile then has the metrics of both sides, "before:cpu" and "after:cpu" (or only
 * "before" and "after"), and everything that shows one profile shows its "after".
 *
 * The measured differences are part of the scene: scene/compared.h. */
#ifndef FLAMEL_VIEWER_MODEL_COMPARING_H
#define FLAMEL_VIEWER_MODEL_COMPARING_H

#include "algebra/compare/comparable.h"
#include "base/text/text.h"
#include "draw/color/change_colors.h"

struct flm_model;

enum flm_viewer_side { FLM_VIEWER_AFTER, FLM_VIEWER_BEFORE };

/* State: the choices of the user. */
struct flm_comparing {
    struct flm_text expression[2]; /* by enum flm_viewer_side; "": all of the file */
    enum flm_comparison_widths widths;
    enum flm_change_palette palette;
    enum flm_change_scope scope;
    bool absolute;
    enum flm_normalize normalize;
    struct flm_text function; /* FUNCTION: a pattern */
    unsigned kinds;           /* bits of enum flm_change_kind; 0: all */
    bool shows_noise;         /* changes within the noise are colored too */
    bool side_by_side;

    /* Derived from them. */
    struct flm_profile *side[2]; /* after the expression; NULL where there is none */
    double duration_ns[2];       /* of each side; 0: not known */
    char note[200];              /* why a choice has no effect now; or "" */
};

void flm_comparing_clear(struct flm_comparing *comparing);

/* Whether there are two sides. */
bool flm_model_compares(const struct flm_model *model);

/* Makes the two sides and the shown profile, from the open files and the expressions. False, and
 * `why`: everything is as it was. */
bool flm_comparing_open(struct flm_model *model, struct flm_error *why);

/* The metric of the shown profile that is drawn: of a pair its "after"; of FLM_NONE the first that has
 * values in the file. */
uint32_t flm_comparing_metric(const struct flm_model *model, uint32_t metric);

/* The name of a metric; in a comparison "after:cpu" is "cpu". */
struct flm_bytes flm_comparing_metric_name(const struct flm_model *model, uint32_t metric);

/* "max", "after" ...; "none", "total", "duration", "function". False for another name; "function"
 * is only written, never read. */
const char *flm_comparison_width_name(enum flm_comparison_widths widths);
bool flm_comparison_width_named(struct flm_bytes name, enum flm_comparison_widths *widths);
const char *flm_normalize_name(enum flm_normalize by);
bool flm_normalize_named(struct flm_bytes name, enum flm_normalize *by);

/* The choices as text for the URL ("after,self,green-red,side-by-side"; "" for the defaults); and
 * back: unknown names are ignored. */
void flm_comparing_write(const struct flm_comparing *comparing, struct flm_text *out);
void flm_comparing_read(struct flm_comparing *comparing, struct flm_bytes names);

#endif
