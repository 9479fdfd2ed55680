/* visible.h - makes any bytes plain: visible text, valid UTF-8 and valid XML.
 *
 * A symbol may contain any byte. Bytes that a painter cannot draw, or a reader cannot see, are
 * replaced by visible characters:
 *
 *     control characters     their pictures, U+2400 to U+2421
 *     bytes that are no UTF-8, surrogates, non-characters,
 *     C1 controls, and marks that turn the direction of writing or have no width      U+FFFD
 *
 * So a plain name has no line breaks and no tabs, which then separate names from each other. */
#ifndef FLAMEL_DRAW_TEXT_VISIBLE_H
#define FLAMEL_DRAW_TEXT_VISIBLE_H

#include "base/text/text.h"

/* Template and function arguments of longer names are left out, with a note of how much is missing:
 * "tree<[... 7264 bytes ...]>::find([... 2480 bytes ...])" still has the parts of a name
 * (text/function_name.h). If that is not enough, or brackets do not match, the middle is cut. */
enum { FLM_PLAIN_LIMIT = 4000 };

/* Returns `name` itself if nothing has to be replaced, which is nearly always; otherwise a text in
 * `scratch`, which is emptied first and must outlive the result. */
struct flm_bytes flm_plain(struct flm_bytes name, struct flm_text *scratch);

/* Adds all of the text, however long, made plain. */
void flm_plain_add(struct flm_text *out, struct flm_bytes text);

/* Plain text as XML text: & < > " are escaped. */
void flm_xml_add(struct flm_text *out, struct flm_bytes plain);

#endif
