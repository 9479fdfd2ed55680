/* noted.h - where in a profile a written note (flamel/notes.h) belongs; and all notes at once. */
#ifndef FLAMEL_ALGEBRA_NOTES_NOTED_H
#define FLAMEL_ALGEBRA_NOTES_NOTED_H

#include "flamel/notes.h"

/* Whether a note of FLM_NOTE_ABOUT_FUNCTION is on the function of a frame. */
bool flm_note_is_on_function(const struct flm_profile *profile, uint32_t frame,
                             const struct flm_written_note *note);

/* The first node behind `after` (0: of all) whose stack is this one; FLM_NONE if there is none.
 * Several are, where functions of several modules or files have one name. */
uint32_t flm_note_find_stack(const struct flm_profile *profile, struct flm_name stack,
                             uint32_t after);

/* Whether any key of its notes is that of a written one. */
bool flm_notes_has_any(const struct flm_profile *profile);

/* A profile that has nothing but the written notes of `count` others, of which some may be NULL.
 * NULL, and `why`, if memory ran out. */
struct flm_profile *flm_notes_only(const struct flm_profile *const *profiles, size_t count,
                                   struct flm_error *why);

/* The profile with the written notes of another one in place of its own. NULL, and `why`,
 * likewise. */
struct flm_profile *flm_notes_replace(const struct flm_profile *profile,
                                      const struct flm_profile *notes, struct flm_error *why);

#endif
