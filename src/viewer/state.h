/* state.h - the state of the viewer as text: for the URL, the history, and links.
 *
 *     view=sandwich&of=parse&metric=cpu&order=total&flame=1&invert=1&color=module
 *     &apply=hide:libc.so.6%20|%20!by:function   (an operation behind a '!' is off)
 *     &search=tni0.parse&zoom=5f3a09bc11d2e470&select=...&x=0.25,0.5&y=-12&sort=-self
 *
 * Of a flame chart also threads=cost, and collapsed=10%0A11: processes, one a line;
 * expanded=11%0A12: threads that show all rows, or rows=all: all do; short=apart: short threads
 * share none.
 *
 * Of code: code=find_slot%0Aapp, the function and its module; line=table.c%0A101, or @51f0;
 * code-show=mi: machine code (m), the functions of the file (f), also what is cold (w), inlined
 * code (i); code-open: what was opened besides (code/listing.h).
 *
 * The halves of a sandwich have a camera each: `half` says whose `zoom` and `x` are (1: callees),
 * and `other-x` is the `x` of the other half. Links of earlier versions have it as `beside`, which
 * is read too.
 *
 * Defaults are left out, so the state of a profile just opened is "". A node is the hash of the
 * names on its path, in a lazy call tree followed by two digits for each step (model.h): it is
 * found in another run of the same program too, and ignored where there is no such path. */
#ifndef FLAMEL_VIEWER_STATE_H
#define FLAMEL_VIEWER_STATE_H

#include "base/text/text.h"

struct flm_viewer;

void flm_state_write(struct flm_viewer *viewer, struct flm_text *out);

/* Restores a state; members that the text does not have get their defaults. Members that cannot be
 * used are ignored: a link must show as much as possible. False, and `why`, only if memory ran out
 * or an operation is malformed. */
bool flm_state_read(struct flm_viewer *viewer, struct flm_bytes text, struct flm_error *why);

#endif
