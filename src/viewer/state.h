/* state.h - what is looked at, as a text: for the URL, the history, and a link.
 *
 *     view=sandwich&of=parse&metric=cpu&order=total&flame=1&invert=1&color=module
 *     &apply=hide:libc.so.6%20|%20!by:function   (an operation behind a '!' is off)
 *     &search=t.n.i.parse&zoom=5f3a09bc11d2e470&select=...&x=0.25,0.5&y=-12&sort=-self
 *
 * Of a sandwich, whose halves have a camera each, `half` says whose `zoom` and `x` are (1: of the
 * calls), and `beside` what is seen of the other one, as `x`.
 *
 * What has its default is left out, so that the state of a profile just opened is "". Places are
 * hashes of the names on their path, among callers followed by two digits for each step (scene.h):
 * they stay right when the profile is another run of the same program, and are ignored where there
 * is no such path. */
#ifndef FLAMEL_VIEWER_STATE_H
#define FLAMEL_VIEWER_STATE_H

#include "base/text/text.h"

struct flm_viewer;

void flm_state_write(struct flm_viewer *viewer, struct flm_text *out);

/* Becomes that state; what the text does not name has its default. Words that make no sense are
 * ignored: a link must show what it can. False, and `why`, only if memory ran out or an operation
 * cannot be written so. */
bool flm_state_read(struct flm_viewer *viewer, struct flm_bytes text, struct flm_error *why);

#endif
