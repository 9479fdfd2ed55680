/* notes.h - what people wrote on the profile (flamel/notes.h), as it is now in the viewer.
 *
 * Profiles never change, so the notes are kept beside the opened one: in a profile that has nothing
 * else, which is made anew with each change. What is saved gets them back. */
#ifndef FLAMEL_VIEWER_MODEL_NOTES_H
#define FLAMEL_VIEWER_MODEL_NOTES_H

#include "base/core/bytes.h"
#include "flamel/notes.h"

struct flm_kept_notes {
    struct flm_profile *profile; /* NULL: none was written, and none changed */
    struct flm_written_notes *list;
    bool is_changed; /* since it was opened */
};

void flm_kept_notes_clear(struct flm_kept_notes *notes);

/* Takes the notes of what was opened; `other` may be NULL. With `stays` those that are there stay:
 * the same program was measured again. */
bool flm_kept_notes_open(struct flm_kept_notes *notes, const struct flm_profile *opened,
                         const struct flm_profile *other, bool stays, struct flm_error *why);

size_t flm_kept_notes_count(const struct flm_kept_notes *notes);
const struct flm_written_note *flm_kept_notes_at(const struct flm_kept_notes *notes, size_t index);

/* The note of an id; NULL, and `why`, where there is none. */
const struct flm_written_note *flm_kept_notes_named(const struct flm_kept_notes *notes,
                                                    struct flm_bytes id, struct flm_error *why);

/* Each leaves the notes as they were when it fails. */
bool flm_kept_notes_add(struct flm_kept_notes *notes, const struct flm_written_note *note,
                        struct flm_error *why);
bool flm_kept_notes_remove(struct flm_kept_notes *notes, const char *id, struct flm_error *why);

/* Replaces the text of a note. */
bool flm_kept_notes_edit(struct flm_kept_notes *notes, const char *id, struct flm_name text,
                         struct flm_error *why);

#endif
