/* clipboard.h - the selected frame and its stack as text, for the clipboard. */
#ifndef FLAMEL_VIEWER_INPUT_CLIPBOARD_H
#define FLAMEL_VIEWER_INPUT_CLIPBOARD_H

#include "base/text/text.h"
#include "flamel/error.h"

struct flm_viewer;

/* Takes a text for the clipboard. False, and `why`, if memory ran out while it was written. */
bool flm_viewer_take_copied(struct flm_viewer *viewer, struct flm_text *text,
                            struct flm_error *why);

bool flm_copy_name(struct flm_viewer *viewer, struct flm_text *out);

/* A frame a line, the innermost first, as debuggers print it. */
bool flm_copy_stack(struct flm_viewer *viewer, struct flm_text *out);

/* "main;parse;lex", as the operations from and cut take it. */
bool flm_copy_path(struct flm_viewer *viewer, struct flm_text *out);

/* The same and the total below it: "main;parse;lex 42". */
bool flm_copy_folded(struct flm_viewer *viewer, struct flm_text *out);

#endif
