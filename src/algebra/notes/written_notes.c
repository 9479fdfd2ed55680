#include "flamel/notes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/expression/argument.h"
#include "algebra/notes/noted.h"
#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "base/text/json_write.h"
#include "base/text/nearest.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "profile/columns.h"

static const char *const abouts[] = {[FLM_NOTE_ABOUT_PROFILE] = "profile",
                                     [FLM_NOTE_ABOUT_FUNCTION] = "function",
                                     [FLM_NOTE_ABOUT_STACK] = "stack",
                                     [FLM_NOTE_ABOUT_TIME] = "time",
                                     [FLM_NOTE_ABOUT_VIEW] = "view"};
enum { ABOUTS = sizeof abouts / sizeof abouts[0] };

static struct flm_bytes bytes_of(struct flm_name name)
{
    return (struct flm_bytes){name.at ? name.at : "", name.size};
}

bool flm_note_is_written(struct flm_name key)
{
    return key.size == strlen(FLM_NOTE_WRITTEN) + FLM_NOTE_ID_SIZE - 1 &&
           flm_bytes_start_with(bytes_of(key), FLM_NOTE_WRITTEN);
}

const char *flm_note_about_name(enum flm_note_about about)
{
    assert((unsigned)about < ABOUTS);
    return abouts[about];
}

int64_t flm_note_first_ns(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME)
            return p->sample_time[i];
    return FLM_NO_TIME;
}

/* A side that is left out ends with the samples. */
static int64_t last_ns(const struct flm_profile *p)
{
    int64_t last = flm_note_first_ns(p);
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME && p->sample_time[i] > last)
            last = p->sample_time[i];
    return last;
}

bool flm_note_parse_time(const struct flm_profile *p, const char *range,
                         struct flm_written_note *note, struct flm_error *why)
{
    double from, to;
    if (flm_note_first_ns(p) == FLM_NO_TIME)
        return flm_error_set(why, FLM_ERROR_USAGE, "the samples of this profile have no times");
    double first = (double)flm_note_first_ns(p), length = (double)last_ns(p) - first;
    if (!flm_time_range_parse(flm_bytes_of(range), &from, &to))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "a time range is written 1.5s..2s or 200ms.., not '%s'", range);
    if (!(from <= length))
        return flm_error_set(why, FLM_ERROR_USAGE, "the last sample is before that time");
    note->from_ns = flm_note_first_ns(p) + (int64_t)from;
    note->to_ns = flm_note_first_ns(p) + (int64_t)(to < length ? to : length);
    return true;
}

bool flm_note_is_on_function(const struct flm_profile *p, uint32_t frame,
                             const struct flm_written_note *note)
{
    struct flm_bytes module = flm_string_bytes(p, p->frames[frame].module);
    return flm_bytes_equal(flm_frame_function(p, frame), bytes_of(note->function)) &&
           (note->module.size == 0 || flm_bytes_equal(module, bytes_of(note->module)));
}

/* Down from the root, past the siblings before it. */
static uint32_t parent_of(const struct flm_profile *p, uint32_t node)
{
    uint32_t parent = 0;
    for (uint32_t child = 1; child != node;) {
        bool has_it = p->node_end[child] > node;
        parent = has_it ? child : parent;
        child = has_it ? child + 1 : p->node_end[child];
    }
    return parent;
}

/* Goes down only where the names so far are those of the stack, `at` bytes of it. Names may have a
 * ';' in them: what is compared is the whole text. */
uint32_t flm_note_find_stack(const struct flm_profile *p, struct flm_name name, uint32_t after)
{
    struct flm_bytes stack = bytes_of(name);
    uint32_t node = 1, within = 0;
    size_t at = 0;
    while (node < p->sizes.node_count) {
        while (node >= p->node_end[within]) {
            at -= flm_frame_function(p, p->node_frame[within]).size + 1;
            within = parent_of(p, within);
        }
        struct flm_bytes function = flm_frame_function(p, p->node_frame[node]);
        struct flm_bytes rest = flm_bytes_from(stack, at);
        bool is_begun =
            function.size <= rest.size && memcmp(rest.at, function.at, function.size) == 0;
        if (is_begun && function.size == rest.size && node > after)
            return node;
        if (is_begun && function.size < rest.size && rest.at[function.size] == ';') {
            within = node;
            at += function.size + 1;
            node++;
        } else {
            node = p->node_end[node];
        }
    }
    return FLM_NONE;
}

static bool refuse_function(const struct flm_profile *p, const struct flm_written_note *note,
                            struct flm_error *why)
{
    struct flm_nearest near = {.asked = bytes_of(note->function)};
    char names[200];
    struct flm_text text;
    flm_text_init_fixed(&text, names, sizeof names - 1);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        flm_nearest_add(&near, flm_frame_function(p, i));
    flm_nearest_put(&near, "", &text);
    return flm_error_set(
        why, FLM_ERROR_USAGE, "no function is called '%.*s'%s%s%.*s%s", (int)note->function.size,
        note->function.at, note->module.size ? " in that module" : "",
        near.count ? "; did you mean " : "", (int)text.size, names, near.count ? "?" : "");
}

bool flm_note_check_subject(const struct flm_profile *p, const struct flm_written_note *note,
                            struct flm_error *why)
{
    if (note->about == FLM_NOTE_ABOUT_STACK)
        return flm_note_find_stack(p, note->stack, 0) != FLM_NONE ||
               flm_error_set(why, FLM_ERROR_USAGE,
                             "no stack begins with '%.*s': it is written from the root on, as "
                             "'main;parse;lex'",
                             (int)note->stack.size, note->stack.at);
    if (note->about != FLM_NOTE_ABOUT_FUNCTION)
        return true;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (flm_note_is_on_function(p, i, note))
            return true;
    return refuse_function(p, note, why);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A note as it was read: its texts are in `text`, one after the other. */
struct reading {
    struct flm_written_note note;
    size_t from[5]; /* of text, function, module, state, stack */
    bool is_known;
};

struct flm_written_notes {
    struct FLM_ARRAY(struct reading) read;
    struct flm_text text;
    uint32_t *order;
};

static bool take_text(struct flm_written_notes *notes, struct flm_json *json, size_t *from,
                      struct flm_name *to)
{
    struct flm_bytes text;
    if (!flm_json_string(json, &text))
        return false;
    *from = notes->text.size;
    to->size = text.size;
    flm_text_add(&notes->text, text);
    return true;
}

static bool take_time(struct flm_json *json, int64_t *ns)
{
    struct flm_json_number number;
    uint64_t size;
    if (!flm_json_number(json, &number))
        return false;
    bool is_negative = number.text.size > 0 && number.text.at[0] == '-';
    if (!flm_number_parse_uint(flm_bytes_from(number.text, is_negative), &size) || size > INT64_MAX)
        return false;
    *ns = is_negative ? -(int64_t)size : (int64_t)size;
    return true;
}

static void take_about(struct flm_json *json, struct reading *r)
{
    struct flm_bytes text;
    if (!flm_json_string(json, &text))
        return;
    for (int i = 0; i < ABOUTS; i++)
        if (flm_bytes_are(text, abouts[i])) {
            r->note.about = (enum flm_note_about)i;
            r->is_known = true;
        }
}

/* False: it is none that can be shown, or memory ran out, which `why` says. */
static bool read_note(struct flm_written_notes *notes, struct flm_bytes value, struct reading *r,
                      struct flm_error *why)
{
    struct flm_source source = flm_source_of(value);
    struct flm_json json;
    struct flm_bytes key;
    bool good = true;
    *r = (struct reading){.is_known = false};
    flm_json_init(&json, &source, why);
    flm_json_enter_object(&json);
    while (good && flm_json_next_key(&json, &key)) {
        if (flm_bytes_are(key, "about"))
            take_about(&json, r);
        else if (flm_bytes_are(key, "text"))
            good = take_text(notes, &json, &r->from[0], &r->note.text);
        else if (flm_bytes_are(key, "function"))
            good = take_text(notes, &json, &r->from[1], &r->note.function);
        else if (flm_bytes_are(key, "module"))
            good = take_text(notes, &json, &r->from[2], &r->note.module);
        else if (flm_bytes_are(key, "state"))
            good = take_text(notes, &json, &r->from[3], &r->note.state);
        else if (flm_bytes_are(key, "stack"))
            good = take_text(notes, &json, &r->from[4], &r->note.stack);
        else if (flm_bytes_are(key, "from_ns"))
            good = take_time(&json, &r->note.from_ns);
        else if (flm_bytes_are(key, "to_ns"))
            good = take_time(&json, &r->note.to_ns);
    }
    good = flm_json_finish(&json) && good;
    return good && r->is_known && r->note.text.size > 0 &&
           r->note.text.size <= FLM_NOTE_MOST_TEXT && r->note.from_ns <= r->note.to_ns;
}

static int compare_texts(struct flm_name a, struct flm_name b)
{
    return flm_bytes_compare(bytes_of(a), bytes_of(b));
}

/* By what they are on, and by text. */
static int in_order(const void *context, uint32_t a, uint32_t b)
{
    const struct reading *read = context;
    const struct flm_written_note *x = &read[a].note, *y = &read[b].note;
    if (x->about != y->about)
        return x->about < y->about ? -1 : 1;
    int order = compare_texts(x->function, y->function);
    if (order == 0)
        order = compare_texts(x->stack, y->stack);
    if (order == 0 && x->from_ns != y->from_ns)
        order = x->from_ns < y->from_ns ? -1 : 1;
    if (order == 0)
        order = compare_texts(x->text, y->text);
    return order ? order : strcmp(x->id, y->id);
}

/* When all are read: texts moved while they came. */
static void point_texts(struct flm_written_notes *notes)
{
    for (size_t i = 0; i < notes->read.count; i++) {
        struct reading *r = &notes->read.at[i];
        struct flm_name *texts[] = {&r->note.text, &r->note.function, &r->note.module,
                                    &r->note.state, &r->note.stack};
        for (int k = 0; k < 5; k++)
            texts[k]->at = texts[k]->size > 0 ? notes->text.at + r->from[k] : "";
    }
}

struct flm_written_notes *flm_written_notes_read(const struct flm_profile *p, struct flm_error *why)
{
    struct flm_written_notes *notes = calloc(1, sizeof *notes);
    bool good = notes != NULL;
    assert(p);
    for (uint32_t i = 0; good && i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        struct reading r;
        struct flm_error error = {0};
        if (!flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        if (!read_note(notes, flm_string_bytes(p, p->notes[i].value), &r, &error)) {
            good = error.kind != FLM_ERROR_MEMORY;
            continue;
        }
        memcpy(r.note.id, key.at + strlen(FLM_NOTE_WRITTEN), FLM_NOTE_ID_SIZE - 1);
        good = FLM_ARRAY_ADD(&notes->read, r);
    }
    uint32_t count = good ? (uint32_t)notes->read.count : 0;
    uint32_t *scratch = malloc(((size_t)count + 1) * sizeof *scratch);
    if (good)
        notes->order = malloc(((size_t)count + 1) * sizeof *notes->order);
    good = good && scratch && notes->order && !notes->text.failed;
    if (good) {
        point_texts(notes);
        for (uint32_t i = 0; i < count; i++)
            notes->order[i] = i;
        flm_sort(notes->order, count, scratch, in_order, notes->read.at);
    }
    free(scratch);
    if (good)
        return notes;
    flm_written_notes_free(notes);
    flm_error_memory(why);
    return NULL;
}

size_t flm_written_notes_count(const struct flm_written_notes *notes)
{
    return notes->read.count;
}

const struct flm_written_note *flm_written_notes_at(const struct flm_written_notes *notes,
                                                    size_t index)
{
    assert(index < notes->read.count);
    return &notes->read.at[notes->order[index]].note;
}

void flm_written_notes_free(struct flm_written_notes *notes)
{
    if (!notes)
        return;
    FLM_ARRAY_CLEAR(&notes->read);
    flm_text_clear(&notes->text);
    free(notes->order);
    free(notes);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_note(const struct flm_written_note *note, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
    flm_json_add_text(&json, "about", flm_bytes_of(abouts[note->about]));
    if (note->about == FLM_NOTE_ABOUT_FUNCTION) {
        flm_json_add_text(&json, "function", bytes_of(note->function));
        flm_json_add_text(&json, "module", bytes_of(note->module));
    }
    if (note->about == FLM_NOTE_ABOUT_STACK)
        flm_json_add_text(&json, "stack", bytes_of(note->stack));
    if (note->about == FLM_NOTE_ABOUT_TIME) {
        flm_json_add_integer(&json, "from_ns", note->from_ns);
        flm_json_add_integer(&json, "to_ns", note->to_ns);
    }
    if (note->about == FLM_NOTE_ABOUT_VIEW)
        flm_json_add_text(&json, "state", bytes_of(note->state));
    flm_json_add_text(&json, "text", bytes_of(note->text));
    flm_json_end(&json);
    if (out->size > 0 && out->at[out->size - 1] == '\n')
        out->size--;
}

/* The profile merged with one that has nothing but this note. One of the same key with another
 * value is in dispute with it, and neither stays. */
static struct flm_profile *merged(const struct flm_profile *p, const char *key,
                                  struct flm_bytes value, struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    flm_builder_note(b, key, value.at, value.size);
    struct flm_profile *noted = flm_builder_finish(b, why), *made = NULL;
    if (noted) {
        const struct flm_profile *both[] = {p, noted};
        made = flm_align(both, 2, FLM_ALIGN_ADD, NULL, why);
    }
    flm_profile_free(noted);
    return made;
}

static bool check(const struct flm_written_note *note, struct flm_error *why)
{
    if ((unsigned)note->about >= ABOUTS)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no kind of note %d", (int)note->about);
    if (note->text.size == 0 || note->text.size > FLM_NOTE_MOST_TEXT)
        return flm_error_set(why, FLM_ERROR_USAGE, "a note has 1 to %d bytes of text, not %zu",
                             FLM_NOTE_MOST_TEXT, note->text.size);
    if (note->about == FLM_NOTE_ABOUT_FUNCTION && note->function.size == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "a note on a function needs its name");
    if (note->about == FLM_NOTE_ABOUT_STACK && note->stack.size == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "a note on a stack needs its functions");
    if (note->function.size + note->module.size + note->stack.size + note->state.size >
        FLM_NOTE_MOST_SUBJECT)
        return flm_error_set(why, FLM_ERROR_USAGE, "what the note is on has more than %d bytes",
                             FLM_NOTE_MOST_SUBJECT);
    if (note->about == FLM_NOTE_ABOUT_TIME && note->to_ns < note->from_ns)
        return flm_error_set(why, FLM_ERROR_USAGE, "the time of a note ends before it begins");
    return true;
}

/* "note 3f2a91c0" */
static void set_key(char *key, uint64_t hash)
{
    size_t size = strlen(FLM_NOTE_WRITTEN);
    memcpy(key, FLM_NOTE_WRITTEN, size);
    for (int i = 0; i < FLM_NOTE_ID_SIZE - 1; i++)
        key[size++] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    key[size] = 0;
}

struct flm_profile *flm_note_add(const struct flm_profile *profile,
                                 const struct flm_written_note *note, char *id,
                                 struct flm_error *why)
{
    char key[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE];
    struct flm_text value = {0};
    assert(profile && note);
    if (!check(note, why))
        return NULL;
    write_note(note, &value);
    if (value.failed) {
        flm_text_clear(&value);
        flm_error_memory(why);
        return NULL;
    }
    /* Two of one key would both be lost: the few that have one hash have other ids. */
    uint64_t hash = flm_hash(value.at, value.size);
    set_key(key, hash);
    for (struct flm_name there;
         (there = flm_profile_note_named(profile, key)).at &&
         !flm_bytes_equal(bytes_of(there), (struct flm_bytes){value.at, value.size});
         set_key(key, hash))
        hash += (uint64_t)1 << 32;
    if (id)
        memcpy(id, key + strlen(FLM_NOTE_WRITTEN), FLM_NOTE_ID_SIZE);
    struct flm_profile *made = merged(profile, key, (struct flm_bytes){value.at, value.size}, why);
    flm_text_clear(&value);
    return made;
}

struct flm_profile *flm_note_remove(const struct flm_profile *profile, const char *id,
                                    struct flm_error *why)
{
    char key[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE];
    assert(profile && id);
    if (strlen(id) == FLM_NOTE_ID_SIZE - 1) {
        memcpy(key, FLM_NOTE_WRITTEN, strlen(FLM_NOTE_WRITTEN));
        memcpy(key + strlen(FLM_NOTE_WRITTEN), id, FLM_NOTE_ID_SIZE);
        if (flm_profile_note_named(profile, key).at)
            return merged(profile, key, flm_bytes_of(""), why);
    }
    flm_error_set(why, FLM_ERROR_USAGE, "the profile has no note '%s'", id);
    return NULL;
}

/* ---- All of them ----------------------------------------------------------------------------- */

bool flm_notes_has_any(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (flm_note_is_written((struct flm_name){key.at, key.size}))
            return true;
    }
    return false;
}

/* Copies the written notes of a profile; without their values those of others take their place, or
 * none: two values of a key are in dispute. */
static void copy_written(struct flm_builder *b, const struct flm_profile *p,
                         const struct flm_profile *unless_in)
{
    for (uint32_t i = 0; p && i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        struct flm_bytes value = flm_string_bytes(p, p->notes[i].value);
        if (!flm_note_is_written((struct flm_name){key.at, key.size}))
            continue;
        char name[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE];
        memcpy(name, key.at, key.size);
        name[key.size] = 0;
        if (!unless_in)
            flm_builder_note(b, name, value.at, value.size);
        else if (!flm_profile_note_named(unless_in, name).at)
            flm_builder_note(b, name, "", 0);
    }
}

struct flm_profile *flm_notes_only(const struct flm_profile *const *profiles, size_t count,
                                   struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    for (size_t i = 0; b && i < count; i++)
        copy_written(b, profiles[i], NULL);
    return b ? flm_builder_finish(b, why) : NULL;
}

struct flm_profile *flm_notes_replace(const struct flm_profile *p, const struct flm_profile *notes,
                                      struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    copy_written(b, notes, NULL);
    copy_written(b, p, notes);
    struct flm_profile *changes = flm_builder_finish(b, why);
    if (!changes)
        return NULL;
    const struct flm_profile *both[] = {p, changes};
    struct flm_profile *made = flm_align(both, 2, FLM_ALIGN_ADD, NULL, why);
    flm_profile_free(changes);
    return made;
}
