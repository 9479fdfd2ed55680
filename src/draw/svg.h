/* svg.h - an SVG from inside: what its writers share.
 *
 *     svg.c         decides what is drawn, finds the colours, writes the document around
 *     svg_still.c   the still picture: boxes, marks, labels
 *     svg_words.c   its titles, status line and legend
 *     svg_data.c    all frames that the file carries, packed, for the script
 *
 * The script (svg_*.js) draws from the data as soon as it runs, and takes the still picture away.
 */
#ifndef FLAMEL_DRAW_SVG_H
#define FLAMEL_DRAW_SVG_H

#include "base/index.h"
#include "base/text.h"
#include "draw/label.h"
#include "draw/palette.h"
#include "flamel/draw.h"
#include "layout/rectangles.h"

/* Pixels of the still picture. The page has its own, in svg_page.js. */
enum { FLM_SVG_PAD = 10, FLM_SVG_HEADER = 44, FLM_SVG_LINE = 24, FLM_SVG_LEVELS = 1000 };

/* How a picture compares. */
enum flm_svg_comparison {
    FLM_SVG_PLAIN,   /* it does not */
    FLM_SVG_COLUMNS, /* two metrics: before and after */
    FLM_SVG_SIGNED   /* one metric with negative values: what was gained and lost */
};

/* What marks a box beside its colour: an edge or a texture, by the frame's kind or by what happened
 * to it. The numbers are the classes m1, m2 ... of svg.css. */
enum flm_svg_mark {
    FLM_MARK_NONE,
    FLM_MARK_KERNEL,
    FLM_MARK_INLINED,
    FLM_MARK_JIT,
    FLM_MARK_INTERPRETED,
    FLM_MARK_GPU,
    FLM_MARK_WAKER,
    FLM_MARK_APPEARED,
    FLM_MARK_DISAPPEARED,
    FLM_MARK_COUNT
};

struct flm_svg {
    const struct flm_profile *profile;
    struct flm_profile *inverted;   /* owned; `profile` then */
    struct flm_svg_options options; /* with every default filled in */
    struct flm_bytes unit;
    struct flm_layout *layout;
    double total;

    enum flm_svg_comparison comparison;
    double *after, *before; /* totals of all nodes, where the picture compares: owned */
    double *widths;         /* self of the larger of both, or NULL: owned */

    struct flm_rectangles seen; /* of the still picture */
    struct flm_rectangles kept; /* of the file: a superset */
    size_t seen_runs;           /* how many of `seen` are runs */
    uint32_t level_count;       /* of `seen` */
    unsigned marks;             /* see flm_svg_marks */
    uint32_t levels_cut;        /* levels below those that the file has */

    struct flm_palette palette;
    struct flm_tone *tones; /* distinct ones; the first are ancestor and run, then the changes */
    size_t tone_count, tone_capacity;
    struct flm_index tone_index;
    uint32_t *frame_tone; /* by frame: index into tones, FLM_NONE where it is not drawn */

    double unsymbolised; /* self of stacks that end in a frame without a symbol */
    uint64_t stack_count;
    double lost;

    struct flm_font font;
    struct flm_text name, label; /* scratch */
};

enum { FLM_TONE_ANCESTOR, FLM_TONE_RUN, FLM_TONE_CHANGE };

/* The tone and the mark of a rectangle. */
uint32_t flm_svg_tone(const struct flm_svg *svg, const struct flm_rectangle *rectangle);
enum flm_svg_mark flm_svg_mark(const struct flm_svg *svg, const struct flm_rectangle *rectangle);
enum flm_svg_mark flm_svg_kind_mark(uint32_t kind);

/* The frame's name, plain, good until the next call. */
struct flm_bytes flm_svg_name(struct flm_svg *svg, uint32_t frame);

/* What the status line tells. The page tells anew what depends on the view: drawn, merged. */
enum flm_svg_fact {
    FLM_FACT_STACKS,
    FLM_FACT_TOTAL,
    FLM_FACT_DRAWN,
    FLM_FACT_MERGED,
    FLM_FACT_LOST,
    FLM_FACT_UNSYMBOLISED,
    FLM_FACT_LEVELS,
    FLM_FACT_COUNT
};

/* As plain text, good until the next call of this or of flm_svg_name; "" for nothing to tell. */
struct flm_bytes flm_svg_fact(struct flm_svg *svg, enum flm_svg_fact fact);

/* The marks that are in the picture: bit 1 << mark. */
unsigned flm_svg_marks(const struct flm_svg *svg);

/* The words of the still picture: titles, the status line and the legend at `y`, and what is said
 * where there is nothing to see. svg_words.c. */
void flm_svg_add_titles(struct flm_svg *svg, struct flm_text *out);
void flm_svg_add_status(struct flm_svg *svg, struct flm_text *out, int y);
void flm_svg_add_legend(const struct flm_svg *svg, struct flm_text *out, int y);
void flm_svg_add_reason(struct flm_svg *svg, struct flm_text *out);

/* Of the still picture, in px. */
int flm_svg_height(const struct flm_svg *svg);

/* False when memory ran out. */
bool flm_svg_write_still(struct flm_svg *svg, struct flm_text *out);
bool flm_svg_write_data(struct flm_svg *svg, struct flm_text *out);

/* Resolves and checks options: svg_options.c. */
bool flm_svg_options_resolve(struct flm_svg_options *options, const struct flm_profile *profile,
                             struct flm_error *why);

#endif
