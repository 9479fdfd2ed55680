/* internal.h - a profile that is drawn by options: what the writers of pictures share.
 *
 *     svg.c             finds the boxes and their colors; writes the interactive SVG
 *     compared.c        finds what is compared, and how
 *     fill_document.c   fills the still picture (draw/document/document.h), for all formats
 *     still_picture.c   the still picture inside of the interactive SVG, made small
 *     data.c            all frames that the interactive SVG carries, packed, for its script
 *
 * The script (*.js) draws from the data as soon as it runs, and removes the still picture. */
#ifndef FLAMEL_DRAW_SVG_INTERNAL_H
#define FLAMEL_DRAW_SVG_INTERNAL_H

#include "base/core/index.h"
#include "base/text/text.h"
#include "draw/color/marks.h"
#include "draw/document/document.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/label.h"
#include "draw/text/status_line.h"
#include "flamel/draw.h"
#include "layout/rectangles.h"

/* How a picture compares. */
enum flm_svg_comparison {
    FLM_SVG_PLAIN,   /* it does not */
    FLM_SVG_COLUMNS, /* two metrics: before and after */
    FLM_SVG_SIGNED   /* one metric with negative values: what was gained and lost */
};

struct flm_svg {
    const struct flm_profile *profile;
    struct flm_profile *inverted;   /* owned; `profile` then */
    struct flm_svg_options options; /* with every default filled in */
    struct flm_bytes unit;
    struct flm_layout *layout;
    double total;

    enum flm_svg_comparison comparison;
    struct flm_comparison compared; /* where the picture compares */
    struct flm_change_colors change_colors;
    double change_whole;
    int64_t *seen_first; /* when each subtree was seen, where that is the order: owned */

    struct flm_rectangles seen; /* of the still picture */
    struct flm_rectangles kept; /* of the file: a superset */
    size_t seen_merged;         /* how many of `seen` are merged boxes */
    uint32_t level_count;       /* of `seen` */
    unsigned marks;             /* see flm_svg_marks */
    uint32_t levels_cut;        /* levels below those that the file has */

    struct flm_palette palette;
    struct flm_tone *tones; /* distinct ones; the first are ancestor and merged, then the changes */
    size_t tone_count, tone_capacity;
    struct flm_index tone_index;
    uint32_t *frame_tone; /* by frame: index into tones, FLM_NONE where it is not drawn */

    double unsymbolized; /* self of stacks that end in a frame without a symbol */
    uint64_t stack_count;
    double lost;

    struct flm_font font;
    struct flm_text name, label; /* scratch */

    struct flm_document document; /* see flm_svg_fill_document */
    bool dark;                    /* the document's tones are for dark surroundings */
};

enum { FLM_TONE_ANCESTOR, FLM_TONE_MERGED, FLM_TONE_CHANGE };

/* Decides what is drawn, and finds the colors. Closed in any case. */
bool flm_svg_open(struct flm_svg *svg, const struct flm_profile *profile,
                  const struct flm_svg_options *options, struct flm_error *why);
void flm_svg_close(struct flm_svg *svg);

/* The change of a node, as the picture's colors tell it. */
struct flm_change flm_svg_change(const struct flm_svg *svg, uint32_t node);

/* The tone and the mark of a rectangle. */
uint32_t flm_svg_tone(const struct flm_svg *svg, const struct flm_rectangle *rectangle);
enum flm_mark flm_svg_mark(const struct flm_svg *svg, const struct flm_rectangle *rectangle);

/* The frame's name, plain, good until the next call. */
struct flm_bytes flm_svg_name(struct flm_svg *svg, uint32_t frame);

/* A part of the status line as plain text, good until the next call of this or of flm_svg_name; ""
 * where it has nothing to say. */
struct flm_bytes flm_svg_status(struct flm_svg *svg, enum flm_status_part part);

/* The marks that are in the picture: bit 1 << mark. */
unsigned flm_svg_marks(const struct flm_svg *svg);

/* Fills svg->document with the still picture; once. Vectors are at scale 1, for pixels the
 * rectangles are scaled. Dark where the options ask for it, unless they give a background. */
bool flm_svg_fill_document(struct flm_svg *svg, double scale, struct flm_error *why);

/* A flm_box_styler; `context` is the struct flm_svg. The label is good until the next one. */
void flm_svg_style(void *context, const struct flm_rectangle *rectangle, struct flm_box *box);

/* Memory ran out while names were made plain. */
static inline bool flm_svg_failed(const struct flm_svg *svg)
{
    return svg->name.failed || svg->label.failed;
}

/* What is behind everything: from this at the top to that at the foot; false when both are one
 * color. Whether a given background is dark, so that text on it is light. */
bool flm_svg_background(const struct flm_svg *svg, uint32_t *from, uint32_t *to);
bool flm_svg_is_on_dark(const struct flm_svg *svg);

/* The still picture, of a document that is laid out; and the data for the script. False when memory
 * ran out. */
bool flm_svg_write_still(struct flm_svg *svg, struct flm_text *out);
bool flm_svg_write_data(struct flm_svg *svg, struct flm_text *out);

/* Finds out what is compared, and measures it: compared.c. */
bool flm_svg_compare(struct flm_svg *svg, struct flm_error *why);

/* "grown,shrunk" as a bit for each kind; a word of such a list, which then goes on behind it. */
bool flm_svg_changes_parse(const char *changes, unsigned *kinds, struct flm_error *why);
struct flm_bytes flm_svg_next_word(struct flm_bytes *list);

/* What its words need. */
struct flm_comparison_terms flm_svg_terms(const struct flm_svg *svg);

/* A copy of the caller's options, which may be those of an older flamel: they end sooner, and what
 * is missing is the default. False, and `why`, where their size is 0 or too large: options.c. */
bool flm_svg_options_copy(struct flm_svg_options *copy, const struct flm_svg_options *options,
                          struct flm_error *why);

/* Resolves and checks options. */
bool flm_svg_options_resolve(struct flm_svg_options *options, const struct flm_profile *profile,
                             struct flm_error *why);

#endif
