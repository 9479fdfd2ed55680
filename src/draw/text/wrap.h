/* wrap.h - lines that are broken between words where a terminal ends. */
#ifndef FLAMEL_DRAW_TEXT_WRAP_H
#define FLAMEL_DRAW_TEXT_WRAP_H

#include "draw/text/table.h"

/* Adds lines, broken between words where they are wider than the terminal; second and later rows of
 * such a line are `indent` cells in. Tones (table.h) take no room. */
void flm_lines_add(struct flm_text *out, struct flm_bytes lines,
                   const struct flm_table_style *style, size_t indent);

#endif
