/* notes.h - notes that people write, kept in a profile: on a function, a stack, a range of time, or
 * the whole profile; and views with a title.
 *
 *     struct flm_written_note note = {.about = FLM_NOTE_ABOUT_FUNCTION,
 *                                     .function = {"parse", 5}, .text = {"slow since 2.1", 14}};
 *     noted = flm_note_add(profile, &note, id, &why);              id: "3f2a91c0"
 *
 * Each is one of the profile's own notes (flm_profile_notes), so it goes along wherever these go:
 * into .flm files, through operations, into a merged profile, which has the notes of all. Its key
 * is FLM_NOTE_WRITTEN and its id, a hash of what it says: the same note in two profiles is one. Its
 * value is JSON:
 *
 *     note 3f2a91c0   {"about": "function", "function": "parse", "module": "", "text": "slow"}
 *
 * flm_sanitize leaves them out. */
#ifndef FLAMEL_NOTES_H
#define FLAMEL_NOTES_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FLM_NOTE_WRITTEN "note "

enum flm_note_about {
    FLM_NOTE_ABOUT_PROFILE,
    FLM_NOTE_ABOUT_FUNCTION,
    FLM_NOTE_ABOUT_STACK,
    FLM_NOTE_ABOUT_TIME,
    FLM_NOTE_ABOUT_VIEW
};

/* The size of an id with the 0 behind it; the most bytes of a text, and of the other fields. */
enum { FLM_NOTE_ID_SIZE = 8 + 1, FLM_NOTE_MOST_TEXT = 4000, FLM_NOTE_MOST_SUBJECT = 100000 };

/* Texts are borrowed. */
struct flm_written_note {
    enum flm_note_about about;
    struct flm_name text;             /* of a view: its title */
    struct flm_name function, module; /* of FUNCTION; no module: that of any */
    struct flm_name stack;            /* of STACK: functions from the root on, "main;parse;lex" */
    int64_t from_ns, to_ns;           /* of TIME: on the clock of the samples */
    struct flm_name state;            /* of VIEW: what the address of the page has behind its # */
    char id[FLM_NOTE_ID_SIZE];        /* set when it is read */
};

/* The notes of a profile, sorted by enum flm_note_about, then by function, stack or time, then by
 * text. Notes that this version of the library cannot read, as a newer one may write them, are left
 * out. NULL, and `why`, if memory ran out. */
struct flm_written_notes;
struct flm_written_notes *flm_written_notes_read(const struct flm_profile *profile,
                                                 struct flm_error *why);
size_t flm_written_notes_count(const struct flm_written_notes *notes);
const struct flm_written_note *flm_written_notes_at(const struct flm_written_notes *notes,
                                                    size_t index);
void flm_written_notes_free(struct flm_written_notes *notes);

/* The time of the first sample that has one, FLM_NO_TIME if none has. Commands and the viewer show
 * and take times of notes relative to it. */
int64_t flm_note_first_ns(const struct flm_profile *profile);

/* Parses a range of time relative to the first sample, such as "1.5s..2s", into from_ns and to_ns
 * of a note. False, and `why`, if the text is no range, no sample has a time, or the range begins
 * after the last sample. */
bool flm_note_parse_time(const struct flm_profile *profile, const char *range,
                         struct flm_written_note *note, struct flm_error *why);

/* Whether the profile has the function or the stack of a note. False, and `why`, which suggests
 * similar names. */
bool flm_note_check_subject(const struct flm_profile *profile, const struct flm_written_note *note,
                            struct flm_error *why);

/* "profile", "function", "stack", "time" or "view". */
const char *flm_note_about_name(enum flm_note_about about);

/* Whether a key of flm_profile_notes is that of a written note. */
bool flm_note_is_written(struct flm_name key);

/* The profile with one note more, or one less. `id` receives that of the note (FLM_NOTE_ID_SIZE
 * bytes; may be NULL). NULL, and `why`, for a note without a text, with more bytes than
 * FLM_NOTE_MOST_..., or with an end before its begin; for an id that no note has; and if memory ran
 * out. */
struct flm_profile *flm_note_add(const struct flm_profile *profile,
                                 const struct flm_written_note *note, char *id,
                                 struct flm_error *why);
struct flm_profile *flm_note_remove(const struct flm_profile *profile, const char *id,
                                    struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
