#include "format/core/mapped.h"

#include "base/core/array.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/core/location_tables.h"
#include "profile/internal.h"

/* Notes are found one after the other: more would take too long. */
enum { MOST_MAPPED = 1000 };

#define ID_KEY "id="
#define ID_BEGIN_KEY "id-begins="
#define FILE_KEY "file="

static void add_range(struct flm_text *text, const struct flm_mapped *mapped)
{
    if (mapped->in_file)
        return;
    if (text->size > 0)
        flm_text_putc(text, ' ');
    if (mapped->limit == 0)
        flm_text_puts(text, "relative");
    else
        flm_text_format(text, "%llx-%llx@%llx", (unsigned long long)mapped->start,
                        (unsigned long long)mapped->limit, (unsigned long long)mapped->offset);
}

static bool is_first_of_path(const struct flm_mapped *mapped, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (flm_bytes_equal(mapped[k].path, mapped[i].path))
            return false;
    return true;
}

static void add_word(struct flm_text *out, const char *key, struct flm_bytes value)
{
    if (value.size > 0) {
        if (out->size > 0)
            flm_text_putc(out, ' ');
        flm_text_puts(out, key);
        flm_text_add(out, value);
    }
}

void flm_mapped_note(struct flm_builder *b, const struct flm_mapped *mapped, size_t count)
{
    struct flm_text key = {0}, value = {0};
    count = count < MOST_MAPPED ? count : MOST_MAPPED;
    for (size_t i = 0; i < count; i++) {
        if (mapped[i].path.size == 0 || memchr(mapped[i].path.at, 0, mapped[i].path.size) ||
            !is_first_of_path(mapped, i))
            continue;
        struct flm_bytes id = {0};
        key.size = value.size = 0;
        for (size_t k = i; k < count; k++) {
            if (!flm_bytes_equal(mapped[k].path, mapped[i].path))
                continue;
            add_range(&value, &mapped[k]);
            id = id.size ? id : mapped[k].build_id;
        }
        add_word(&value, ID_KEY, id);
        add_word(&value, ID_BEGIN_KEY, mapped[i].id_begin);
        add_word(&value, FILE_KEY, mapped[i].file);
        flm_text_puts(&key, FLM_NOTE_MAPPED);
        flm_text_add(&key, mapped[i].path);
        flm_text_putc(&key, 0);
        if (key.failed || value.failed)
            flm_builder_fail_memory(b);
        else
            flm_builder_note(b, key.at, value.at, value.size);
    }
    flm_text_clear(&key);
    flm_text_clear(&value);
}

static bool is_same_mapping(const struct flm_mapping *a, const struct flm_mapping *b)
{
    return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
           a->path == b->path && a->build_id == b->build_id;
}

/* A file of many messages has the same mappings in each of them. */
void flm_mapping_note(struct flm_builder *b, const struct flm_mapping *mappings, size_t count)
{
    struct FLM_ARRAY(struct flm_mapped) mapped = {0};
    struct FLM_ARRAY(const struct flm_mapping *) distinct = {0};
    struct flm_text texts = {0}; /* a copy: the interner's move when a note is added */
    bool has_room = true;
    for (size_t i = 0; i < count && has_room && distinct.count < MOST_MAPPED; i++) {
        const struct flm_mapping *m = &mappings[i];
        struct flm_bytes path = flm_interner_text(&b->interner, m->path);
        struct flm_bytes id = flm_interner_text(&b->interner, m->build_id);
        size_t same = 0;
        while (same < distinct.count && !is_same_mapping(distinct.at[same], m))
            same++;
        if (path.size == 0 || m->limit == 0 || same < distinct.count)
            continue;
        flm_text_add(&texts, path);
        flm_text_add(&texts, id);
        has_room = FLM_ARRAY_ADD(&distinct, m) &&
                   FLM_ARRAY_ADD(&mapped, (struct flm_mapped){.start = m->start,
                                                              .limit = m->limit,
                                                              .offset = m->offset,
                                                              .path = path,
                                                              .build_id = id});
    }
    FLM_ARRAY_CLEAR(&distinct);
    size_t at = 0;
    for (size_t i = 0; i < mapped.count && !texts.failed; i++) {
        mapped.at[i].path.at = texts.at + at;
        at += mapped.at[i].path.size;
        mapped.at[i].build_id.at = texts.at + at;
        at += mapped.at[i].build_id.size;
    }
    if (!has_room || texts.failed)
        flm_builder_fail_memory(b);
    else
        flm_mapped_note(b, mapped.at, mapped.count);
    flm_text_clear(&texts);
    FLM_ARRAY_CLEAR(&mapped);
}

enum { MOST_NAME = 100 }; /* of a file name, which a file may repeat in every frame */

static struct flm_bytes file_name(struct flm_bytes path)
{
    size_t slash = path.size;
    while (slash > 0 && path.at[slash - 1] != '/')
        slash--;
    struct flm_bytes name = flm_bytes_from(path, slash);
    name.size = name.size < MOST_NAME ? name.size : MOST_NAME;
    return name;
}

void flm_mapped_frame_name(struct flm_text *out, uint64_t address, struct flm_bytes path)
{
    struct flm_bytes name = file_name(path);
    if (address != 0)
        flm_text_format(out, "0x%llx", (unsigned long long)address);
    else if (name.size > 0 && name.at[0] != '[')
        flm_text_format(out, "[%.*s]", (int)name.size, name.at);
    else
        flm_text_puts(out, "[unknown]");
}

void flm_mapped_place_name(struct flm_text *out, uint64_t address, struct flm_bytes path)
{
    flm_text_add(out, file_name(path));
    flm_text_format(out, "+0x%llx", (unsigned long long)address);
}

/* The path of a file is the last word, whatever is in it. */
static struct flm_bytes take_word(struct flm_bytes *text)
{
    const char *end = text->at + text->size;
    const char *to = flm_bytes_start_with(*text, FILE_KEY) ? end : flm_find(text->at, end, ' ');
    struct flm_bytes word = {text->at, (size_t)(to - text->at)};
    *text = flm_bytes_from(*text, word.size + (to < end));
    return word;
}

static bool parse_range(struct flm_bytes word, struct flm_mapped *mapped)
{
    const char *end = word.at + word.size, *dash = flm_find(word.at, end, '-'),
               *at = flm_find(word.at, end, '@');
    return dash < at && at < end &&
           flm_number_parse_hex((struct flm_bytes){word.at, (size_t)(dash - word.at)},
                                &mapped->start) &&
           flm_number_parse_hex((struct flm_bytes){dash + 1, (size_t)(at - dash - 1)},
                                &mapped->limit) &&
           flm_number_parse_hex((struct flm_bytes){at + 1, (size_t)(end - at - 1)},
                                &mapped->offset) &&
           mapped->limit > 0;
}

bool flm_mapped_next(struct flm_bytes *value, struct flm_mapped *mapped)
{
    while (value->size > 0) {
        struct flm_bytes word = take_word(value);
        *mapped = (struct flm_mapped){0};
        if (flm_bytes_are(word, "relative") || parse_range(word, mapped))
            return true;
    }
    return false;
}

static struct flm_bytes value_of(struct flm_bytes note, const char *key)
{
    while (note.size > 0) {
        struct flm_bytes word = take_word(&note);
        if (flm_bytes_start_with(word, key))
            return flm_bytes_from(word, strlen(key));
    }
    return (struct flm_bytes){"", 0};
}

struct flm_bytes flm_mapped_id(struct flm_bytes value)
{
    return value_of(value, ID_KEY);
}

struct flm_bytes flm_mapped_id_begin(struct flm_bytes value)
{
    return value_of(value, ID_BEGIN_KEY);
}

struct flm_bytes flm_mapped_file(struct flm_bytes value)
{
    return value_of(value, FILE_KEY);
}

static struct flm_bytes note_named(const struct flm_profile *p, const char *begin, uint32_t module)
{
    struct flm_bytes path = flm_string_bytes(p, module);
    for (uint32_t i = 0; path.size > 0 && i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (flm_bytes_start_with(key, begin) &&
            flm_bytes_equal(flm_bytes_from(key, strlen(begin)), path))
            return flm_string_bytes(p, p->notes[i].value);
    }
    return (struct flm_bytes){"", 0};
}

struct flm_bytes flm_mapped_note_of(const struct flm_profile *p, uint32_t module)
{
    return note_named(p, FLM_NOTE_MAPPED, module);
}

enum flm_same_build flm_mapped_same_build(const struct flm_profile *compared, uint32_t module)
{
    struct flm_bytes both = flm_mapped_id(note_named(compared, FLM_NOTE_MAPPED, module));
    struct flm_bytes before =
        flm_mapped_id(note_named(compared, "before:" FLM_NOTE_MAPPED, module));
    struct flm_bytes after = flm_mapped_id(note_named(compared, "after:" FLM_NOTE_MAPPED, module));
    if (before.size > 0 && after.size > 0)
        return flm_bytes_equal(before, after) ? FLM_BUILD_SAME : FLM_BUILD_OTHER;
    return before.size + after.size == 0 && both.size > 0 ? FLM_BUILD_SAME : FLM_BUILD_UNKNOWN;
}
