/* notes.h - the written notes (flamel/notes.h) in the viewer, where they can be changed.
 *
 * A profile cannot be changed, so the viewer keeps the notes in a second profile that has nothing
 * else, and replaces it at each change. Saving puts its notes into the saved profile. */
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

/* Takes the notes of the opened profile, and of `other` if it is not NULL: the baseline. With
 * `stays` the notes in `notes` are kept in addition, as when a live profile is reloaded. */
bool flm_kept_notes_open(struct flm_kept_notes *notes, const struct flm_profile *opened,
                         const struct flm_profile *other, bool stays, struct flm_error *why);

size_t flm_kept_notes_count(const struct flm_kept_notes *notes);
const struct flm_written_note *flm_kept_notes_at(const struct flm_kept_notes *notes, size_t index);

/* The note with this id; NULL, and `why`, if there is none. */
const struct flm_written_note *flm_kept_notes_named(const struct flm_kept_notes *notes,
                                                    struct flm_bytes id, struct flm_error *why);

/* Add or remove a note. On failure the notes are unchanged. */
bool flm_kept_notes_add(struct flm_kept_notes *notes, const struct flm_written_note *note,
                        struct flm_error *why);
bool flm_kept_notes_remove(struct flm_kept_notes *notes, const char *id, struct flm_error *why);

/* Replaces the text of a note. */
bool flm_kept_notes_edit(struct flm_kept_notes *notes, const char *id, struct flm_name text,
                         struct flm_error *why);

#endif
