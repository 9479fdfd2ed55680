#include "viewer/model/notes.h"

#include "algebra/notes/noted.h"

void flm_kept_notes_clear(struct flm_kept_notes *notes)
{
    flm_profile_free(notes->profile);
    flm_written_notes_free(notes->list);
    *notes = (struct flm_kept_notes){NULL, NULL, false};
}

/* Becomes the profile of the notes, which is owned from now on, also after a failure. */
static bool keep(struct flm_kept_notes *notes, struct flm_profile *profile, bool is_changed,
                 struct flm_error *why)
{
    struct flm_written_notes *list = profile ? flm_written_notes_read(profile, why) : NULL;
    if (!list) {
        flm_profile_free(profile);
        return false;
    }
    flm_kept_notes_clear(notes);
    *notes = (struct flm_kept_notes){profile, list, is_changed};
    return true;
}

bool flm_kept_notes_open(struct flm_kept_notes *notes, const struct flm_profile *opened,
                         const struct flm_profile *other, bool stays, struct flm_error *why)
{
    const struct flm_profile *from[] = {opened, other, stays ? notes->profile : NULL};
    bool has_any = stays && notes->profile;
    for (int i = 0; i < 2; i++)
        has_any = has_any || (from[i] && flm_notes_has_any(from[i]));
    if (has_any)
        return keep(notes, flm_notes_only(from, 3, why), stays && notes->is_changed, why);
    flm_kept_notes_clear(notes);
    return true;
}

size_t flm_kept_notes_count(const struct flm_kept_notes *notes)
{
    return notes->list ? flm_written_notes_count(notes->list) : 0;
}

const struct flm_written_note *flm_kept_notes_at(const struct flm_kept_notes *notes, size_t index)
{
    return flm_written_notes_at(notes->list, index);
}

const struct flm_written_note *flm_kept_notes_named(const struct flm_kept_notes *notes,
                                                    struct flm_bytes id, struct flm_error *why)
{
    for (size_t i = 0; i < flm_kept_notes_count(notes); i++)
        if (flm_bytes_are(id, flm_kept_notes_at(notes, i)->id))
            return flm_kept_notes_at(notes, i);
    flm_error_set(why, FLM_ERROR_USAGE, "the profile has no note '%.*s'", (int)id.size, id.at);
    return NULL;
}

bool flm_kept_notes_add(struct flm_kept_notes *notes, const struct flm_written_note *note,
                        struct flm_error *why)
{
    struct flm_profile *none = notes->profile ? NULL : flm_notes_only(NULL, 0, why);
    const struct flm_profile *to = notes->profile ? notes->profile : none;
    bool good = to && keep(notes, flm_note_add(to, note, NULL, why), true, why);
    flm_profile_free(none);
    return good;
}

bool flm_kept_notes_remove(struct flm_kept_notes *notes, const char *id, struct flm_error *why)
{
    if (!flm_kept_notes_named(notes, flm_bytes_of(id), why))
        return false;
    return keep(notes, flm_note_remove(notes->profile, id, why), true, why);
}

bool flm_kept_notes_edit(struct flm_kept_notes *notes, const char *id, struct flm_name text,
                         struct flm_error *why)
{
    const struct flm_written_note *note = flm_kept_notes_named(notes, flm_bytes_of(id), why);
    if (!note)
        return false;
    struct flm_written_note changed = *note;
    changed.text = text;
    struct flm_profile *without = flm_note_remove(notes->profile, id, why);
    bool good = without && keep(notes, flm_note_add(without, &changed, NULL, why), true, why);
    flm_profile_free(without);
    return good;
}
