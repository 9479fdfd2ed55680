/* internal.h - a profile that is drawn by options, shared by the writers of pictures.
 *
 *     svg.c             finds the boxes and their colors; writes the interactive SVG
 *     compared.c        prepares the comparison
 *     fill_document.c   fills the still picture (draw/document/document.h), for all formats
 *     still_picture.c   writes the still picture of the interactive SVG, compactly
 *     heatmap_document.c fills a document with a heatmap instead
 *     data.c            writes all frames of the interactive SVG, packed, for its script
 *
 * The script (*.js) draws from the data as soon as it runs, and removes the still picture. */
#ifndef FLAMEL_DRAW_SVG_INTERNAL_H
#define FLAMEL_DRAW_SVG_INTERNAL_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "draw/color/marks.h"
#include "draw/document/document.h"
#include "draw/document/heatmap_pane.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/label.h"
#include "draw/text/status_line.h"
#include "flamel/draw.h"
#include "layout/rectangles.h"

/* The kind of comparison of a picture. */
enum flm_svg_comparison {
    FLM_SVG_PLAIN,   /* none */
    FLM_SVG_COLUMNS, /* two metrics: before and after */
    FLM_SVG_SIGNED   /* one metric with negative values: gained and lost */
};

struct flm_svg {
    const struct flm_profile *profile;
    struct flm_profile *inverted;   /* owned; `profile` then */
    struct flm_svg_options options; /* with all defaults filled in */
    struct flm_bytes unit;
    struct flm_layout *layout;
    double total;

    enum flm_svg_comparison comparison;
    struct flm_comparison compared; /* if the picture compares */
    struct flm_change_colors change_colors;
    double change_whole;
    int64_t *seen_first; /* first time of each subtree, if that is the order: owned */

    struct flm_rectangles seen; /* of the still picture */
    struct flm_rectangles kept; /* of the file: a superset */
    size_t seen_merged;         /* how many of `seen` are merged boxes */
    uint32_t level_count;       /* of `seen` */
    unsigned marks;             /* see flm_svg_marks */
    uint32_t levels_cut;        /* levels below those that the file has */

    struct flm_palette palette;
    struct FLM_ARRAY(struct flm_tone) tones; /* distinct; FLM_TONE_... and then of frames */
    struct flm_index tone_index;
    uint32_t *frame_tone; /* by frame: index in `tones`, FLM_NONE if it is not drawn */

    double unsymbolized; /* self of stacks that end in a frame without a symbol */
    uint64_t stack_count;
    double lost;
    struct flm_written_notes *notes; /* of the profile: owned */
    size_t first_note;               /* of the document's status */

    struct flm_font font;
    struct flm_text name, label; /* scratch */

    struct {
        struct flm_heatmap map;
        struct flm_heatmap_pane pane;
        uint32_t untimed_count;
    } heatmap; /* if the picture is one */

    struct flm_document document; /* see flm_svg_fill_document */
    bool dark;                    /* the document's tones are those of the dark theme */
};

enum { FLM_TONE_ANCESTOR, FLM_TONE_MERGED, FLM_TONE_CHANGE };

/* Lists the boxes and finds their colors. Close it in any case. */
bool flm_svg_open(struct flm_svg *svg, const struct flm_profile *profile,
                  const struct flm_svg_options *options, struct flm_error *why);
void flm_svg_close(struct flm_svg *svg);

/* The change of a node that the picture's colors show. */
struct flm_change flm_svg_change(const struct flm_svg *svg, uint32_t node);

/* The tone and the mark of a rectangle. */
uint32_t flm_svg_tone(const struct flm_svg *svg, const struct flm_rectangle *rectangle);
enum flm_mark flm_svg_mark(const struct flm_svg *svg, const struct flm_rectangle *rectangle);

/* The frame's name, plain, valid until the next call. */
struct flm_bytes flm_svg_name(struct flm_svg *svg, uint32_t frame);

/* A part of the status line as plain text, valid until the next call of this or of flm_svg_name; ""
 * if it is empty. */
struct flm_bytes flm_svg_status(struct flm_svg *svg, enum flm_status_part part);

/* The marks in the picture, as bits 1 << mark. */
unsigned flm_svg_marks(const struct flm_svg *svg);

/* Fills svg->document with the still picture; call it once. Vectors have scale 1, for pixels the
 * rectangles are scaled. It is dark if the options say so and give no background. */
bool flm_svg_fill_document(struct flm_svg *svg, double scale, struct flm_error *why);

/* A heatmap, if the options say so: its cells, and the document. */
bool flm_svg_open_heatmap(struct flm_svg *svg, struct flm_error *why);
bool flm_svg_fill_heatmap(struct flm_svg *svg, double scale, struct flm_error *why);

/* A flm_box_styler; `context` is the struct flm_svg. The label is valid until the next one. */
void flm_svg_style(void *context, const struct flm_rectangle *rectangle, struct flm_box *box);

/* Whether memory ran out while names were made plain. */
static inline bool flm_svg_failed(const struct flm_svg *svg)
{
    return svg->name.failed || svg->label.failed;
}

/* The background: `from` at the top, `to` at the bottom; false when both are the same color. And
 * whether a given background is dark, so that text on it is light. */
bool flm_svg_background(const struct flm_svg *svg, uint32_t *from, uint32_t *to);
bool flm_svg_is_on_dark(const struct flm_svg *svg);

/* Write the still picture, from a document that is laid out; and the data for the script. False
 * when memory ran out. */
bool flm_svg_write_still(struct flm_svg *svg, struct flm_text *out);
bool flm_svg_write_data(struct flm_svg *svg, struct flm_text *out);

/* Prepares the comparison and measures it: compared.c. */
bool flm_svg_compare(struct flm_svg *svg, struct flm_error *why);

/* Parses "grown,shrunk" to a bit for each kind; and takes the first word off such a list. */
bool flm_svg_changes_parse(const char *changes, unsigned *kinds, struct flm_error *why);
struct flm_bytes flm_svg_next_word(struct flm_bytes *list);

/* The terms for its messages (text/comparison_summary.h). */
struct flm_comparison_terms flm_svg_terms(const struct flm_svg *svg);

/* Copies the caller's options. Those of an older flamel are shorter: missing ones have their
 * defaults. False, and `why`, if their size is 0 or too large: options.c. */
bool flm_svg_options_copy(struct flm_svg_options *copy, const struct flm_svg_options *options,
                          struct flm_error *why);

/* Resolves and checks options. */
bool flm_svg_options_resolve(struct flm_svg_options *options, const struct flm_profile *profile,
                             struct flm_error *why);

/* The style and the script that every SVG has: files of this folder (*.css, *.js), made into bytes
 * by the Makefile, without comments and indentation. */
enum flm_svg_asset { FLM_ASSET_STYLE, FLM_ASSET_DARK_STYLE, FLM_ASSET_SCRIPT };

void flm_svg_asset_add(enum flm_svg_asset asset, struct flm_text *out);

#endif
