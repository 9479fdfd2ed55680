/* label.h - the part of a name that fits into a box.
 *
 * The first of these that fits: the full name; the name without arguments; without the path;
 * with its class without template arguments; the bare function; that with an ellipsis in its
 * middle, of at least 8 letters; nothing:
 *
 *     std::list<Header>::push_back(int)    list<Header>::push_back    list<…>::push_back
 *     push_back    push…back    pus…ack is never drawn: nobody reads it as a name
 *
 * A label may be short but must not name another function: an operator, a name in brackets or an
 * address is drawn in full or not at all, and of a name that another tool cut inside of its
 * template arguments only what is before them.
 *
 * Other texts that must not be shortened like this, such as "+41, 0.6 %", have bare = end: they
 * are drawn in full, or up to `end`, or not at all.
 *
 * A still SVG does not know its font. So letters are measured as in DejaVu Sans, which is as
 * wide as Verdana and wider than most: a label that fits there fits everywhere. The page
 * measures again, and where the font is known (atlas.h, pdf_font.h) its own letters are
 * measured. */
#ifndef FLAMEL_DRAW_TEXT_LABEL_H
#define FLAMEL_DRAW_TEXT_LABEL_H

#include "base/text/function_name.h"
#include "base/text/text.h"

struct flm_font {
    double size_px;
    double letter; /* the width of every letter, in font sizes; 0: letters differ */
    double (*width)(void *context, uint32_t code); /* in font sizes, called instead; may be NULL */
    void *context;
    double ellipsis; /* its width in font sizes, where it is no letter; 0: it is one */
};

/* The width of a letter of DejaVu Sans in font sizes. Letters beyond Latin, Greek and Cyrillic
 * count as 1. */
double flm_letter_width(uint32_t code);

/* The width of plain text (visible.h) in pixels. */
double flm_label_width(struct flm_bytes plain, const struct flm_font *font);

/* The part of `plain` that fits into room_px: `head`, and, if the middle was left out, an ellipsis
 * and `tail`. Both are ranges of `plain`; both are empty if not even eight letters fit. */
struct flm_label_cut {
    struct flm_bytes head, tail; /* tail.size 0: no ellipsis */
};
#define FLM_ELLIPSIS "\xE2\x80\xA6"
struct flm_label_cut flm_label_fit(struct flm_bytes plain, struct flm_name_parts parts,
                                   double room_px, const struct flm_font *font);

/* Likewise for a text that is no name: all of it, or its ends. */
struct flm_label_cut flm_label_shorten(struct flm_bytes plain, double room_px,
                                       const struct flm_font *font);

/* " ×118", behind the label of a frame that stands for up to so many (profile/recursion.h); nothing
 * for one. It is no part of the name, and drawn in full or not at all. */
void flm_label_add_depth(struct flm_text *out, uint32_t most);

/* Adds the part of a name to `out`. */
void flm_label_add(struct flm_text *out, struct flm_bytes plain, struct flm_name_parts parts,
                   double room_px, const struct flm_font *font);

/* Adds a name that is a part of a sentence: all of it, or so many letters at most. Names of
 * templates may have hundreds, which would push the rest of the sentence out of sight. */
enum { FLM_LETTERS_IN_SENTENCE = 60 };
void flm_label_add_letters(struct flm_text *out, struct flm_bytes plain, unsigned letters);

#endif
