/* note_subject.h - a written note (flamel/notes.h) as text: its subject, and the whole of it. */
#ifndef FLAMEL_DRAW_TEXT_NOTE_SUBJECT_H
#define FLAMEL_DRAW_TEXT_NOTE_SUBJECT_H

#include "base/text/text.h"
#include "flamel/notes.h"

/* Appends the subject: "profile", "parse", "parse of libfoo.so", "main;parse", "1.5 s to 2 s" (from
 * `first_ns` on, unless that is FLM_NO_TIME) or "view". */
void flm_note_subject_add(struct flm_text *out, const struct flm_written_note *note,
                          int64_t first_ns);

/* Appends the subject and the text: "note on parse: slow since 2.1". */
void flm_note_line_add(struct flm_text *out, const struct flm_written_note *note, int64_t first_ns);

#endif
