/* wrap.h - wraps lines between words at the width of a terminal. */
#ifndef FLAMEL_DRAW_TEXT_WRAP_H
#define FLAMEL_DRAW_TEXT_WRAP_H

#include "draw/text/table.h"

/* Adds lines, broken between words if they are wider than the terminal; the second and later rows
 * of a line are indented by `indent` cells. Tones (table.h) take no room. */
void flm_lines_add(struct flm_text *out, struct flm_bytes lines,
                   const struct flm_table_style *style, size_t indent);

#endif
