/* jfr_writer.h - writes chunks of JFR, for tests: whatever the format allows, and more.
 *
 *     struct jfr_writer w = {0};
 *     jfr_begin(&w, "20 jdk.X startTime:long stackTrace:*jdk.types.StackTrace\n");
 *     jfr_event(&w, 20);
 *     jfr_long(&w, 1000);
 *     jfr_end_event(&w);
 *     jfr_end(&w);                  w.file has a chunk more
 *
 * A line of the types is an id, a name and fields, `name:type`: *type is a constant, +type an
 * array; `@UNIT` behind it is a time span. */
#ifndef FLAMEL_TESTS_SUPPORT_PROFILE_JFR_WRITER_H
#define FLAMEL_TESTS_SUPPORT_PROFILE_JFR_WRITER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"

struct jfr_writer {
    struct flm_text file;
    size_t chunk, event; /* where they begin */
    bool is_fixed;       /* set before jfr_begin: integers have their full size */
    bool no_size;        /* the chunk is still being written: neither size nor offsets */
    uint16_t major, minor;
    uint64_t start_ns, start_ticks, ticks_per_second; /* 0: 1000, 0 and 1e9 */
    uint64_t metadata, checkpoint;                    /* offsets in the chunk */
    uint64_t event_type;
};

static inline void jfr_fixed(struct jfr_writer *w, uint64_t value, int size)
{
    while (size-- > 0)
        flm_text_putc(&w->file, (char)(value >> 8 * size));
}

static inline void jfr_byte(struct jfr_writer *w, unsigned byte)
{
    flm_text_putc(&w->file, (char)byte);
}

static inline void jfr_varint(struct jfr_writer *w, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 7) {
        if (value < 0x80) {
            jfr_byte(w, (unsigned)value);
            return;
        }
        jfr_byte(w, (unsigned)(value & 0x7f) | 0x80);
    }
    jfr_byte(w, (unsigned)value);
}

static inline void jfr_long(struct jfr_writer *w, uint64_t value)
{
    if (w->is_fixed)
        jfr_fixed(w, value, 8);
    else
        jfr_varint(w, value);
}

static inline void jfr_int(struct jfr_writer *w, uint32_t value)
{
    if (w->is_fixed)
        jfr_fixed(w, value, 4);
    else
        jfr_varint(w, value);
}

static inline void jfr_string(struct jfr_writer *w, const char *text)
{
    jfr_byte(w, 3);
    jfr_int(w, (uint32_t)strlen(text));
    flm_text_puts(&w->file, text);
}

/* Sizes are written when they are known: in four bytes, as async-profiler does. */
static inline void jfr_event(struct jfr_writer *w, uint64_t type)
{
    w->event = w->file.size;
    jfr_fixed(w, 0, 4);
    jfr_long(w, type);
    w->event_type = type;
}

static inline void jfr_end_event(struct jfr_writer *w)
{
    uint32_t size = (uint32_t)(w->file.size - w->event);
    for (int i = 0; i < 4; i++)
        w->file.at[w->event + (size_t)i] =
            (char)(w->is_fixed ? size >> 8 * (3 - i) : ((size >> 7 * i) & 0x7f) | (i < 3) << 7);
}

static inline void jfr_put_at(struct jfr_writer *w, size_t offset, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        w->file.at[w->chunk + offset + (size_t)i] = (char)(value >> 8 * (size - 1 - i));
}

/* ---- Metadata -------------------------------------------------------------------------------- */

struct jfr_element {
    struct jfr_writer *w;
    struct flm_text *strings;
    uint32_t count; /* of the strings */
};

static inline uint32_t jfr_name(struct jfr_element *e, const char *text, size_t size)
{
    struct jfr_writer strings = {.file = *e->strings, .is_fixed = e->w->is_fixed};
    jfr_byte(&strings, 3);
    jfr_int(&strings, (uint32_t)size);
    flm_text_add(&strings.file, (struct flm_bytes){text, size});
    *e->strings = strings.file;
    return e->count++;
}

static inline void jfr_open(struct jfr_element *e, struct jfr_writer *tree, const char *name,
                            uint32_t attributes)
{
    jfr_int(tree, jfr_name(e, name, strlen(name)));
    jfr_int(tree, attributes);
}

static inline void jfr_attribute(struct jfr_element *e, struct jfr_writer *tree, const char *key,
                                 const char *value, size_t size)
{
    jfr_int(tree, jfr_name(e, key, strlen(key)));
    jfr_int(tree, jfr_name(e, value, size));
}

/* The id of the type with that name. */
static inline const char *jfr_id_of(const char *types, const char *name, size_t size)
{
    static char id[24];
    for (const char *line = types; *line; line = strchr(line, '\n') + 1) {
        const char *of = strchr(line, ' ') + 1;
        if (strncmp(of, name, size) == 0 && (of[size] == ' ' || of[size] == '\n')) {
            snprintf(id, sizeof id, "%.*s", (int)(of - line - 1), line);
            return id;
        }
    }
    return "9999"; /* a type that the chunk does not have */
}

static inline void jfr_write_field(struct jfr_element *e, struct jfr_writer *tree,
                                   const char *types, const char *at, size_t size)
{
    const char *colon = memchr(at, ':', size), *unit = memchr(at, '@', size);
    const char *type = colon + 1, *end = unit ? unit : at + size;
    bool is_array = *type == '+';
    type += is_array;
    bool is_constant = *type == '*';
    type += is_constant;
    const char *id = jfr_id_of(types, type, (size_t)(end - type));
    jfr_open(e, tree, "field", 2 + (uint32_t)is_array + (uint32_t)is_constant);
    jfr_attribute(e, tree, "name", at, (size_t)(colon - at));
    jfr_attribute(e, tree, "class", id, strlen(id));
    if (is_array)
        jfr_attribute(e, tree, "dimension", "1", 1);
    if (is_constant)
        jfr_attribute(e, tree, "constantPool", "true", 4);
    jfr_int(tree, unit != NULL);
    if (unit) {
        id = jfr_id_of(types, "jdk.jfr.Timespan", 16);
        jfr_open(e, tree, "annotation", 2);
        jfr_attribute(e, tree, "class", id, strlen(id));
        jfr_attribute(e, tree, "value", unit + 1, (size_t)(at + size - unit - 1));
        jfr_int(tree, 0);
    }
}

static inline void jfr_write_type(struct jfr_element *e, struct jfr_writer *tree, const char *types,
                                  const char *line)
{
    const char *end = strchr(line, '\n'), *name = strchr(line, ' ') + 1, *at = name;
    while (at < end && *at != ' ')
        at++;
    uint32_t fields = 0;
    for (const char *c = at; c < end; c++)
        fields += *c == ' ';
    jfr_open(e, tree, "class", 2);
    jfr_attribute(e, tree, "name", name, (size_t)(at - name));
    jfr_attribute(e, tree, "id", line, (size_t)(name - line - 1));
    jfr_int(tree, fields);
    while (at < end) {
        const char *field = ++at;
        while (at < end && *at != ' ')
            at++;
        jfr_write_field(e, tree, types, field, (size_t)(at - field));
    }
}

static const char jfr_basic_types[] = "1 boolean\n2 byte\n3 short\n4 char\n5 int\n6 long\n7 float\n"
                                      "8 double\n9 java.lang.String\n10 jdk.jfr.Timespan\n";

static inline void jfr_metadata(struct jfr_writer *w, const char *more)
{
    char types[8192];
    snprintf(types, sizeof types, "%s%s", jfr_basic_types, more);
    struct flm_text strings = {0};
    struct jfr_writer tree = {.is_fixed = w->is_fixed};
    struct jfr_element e = {w, &strings, 0};
    uint32_t count = 0;
    for (const char *c = types; *c; c++)
        count += *c == '\n';
    jfr_open(&e, &tree, "root", 0);
    jfr_int(&tree, 1);
    jfr_open(&e, &tree, "metadata", 0);
    jfr_int(&tree, count);
    for (const char *line = types; *line; line = strchr(line, '\n') + 1)
        jfr_write_type(&e, &tree, types, line);
    w->metadata = w->file.size - w->chunk;
    jfr_event(w, 0);
    jfr_long(w, 0); /* start, duration, id */
    jfr_long(w, 0);
    jfr_long(w, 1);
    jfr_int(w, e.count);
    flm_text_add(&w->file, (struct flm_bytes){strings.at, strings.size});
    flm_text_add(&w->file, (struct flm_bytes){tree.file.at, tree.file.size});
    jfr_end_event(w);
    flm_text_clear(&strings);
    flm_text_clear(&tree.file);
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static inline void jfr_begin(struct jfr_writer *w, const char *types)
{
    w->chunk = w->file.size;
    w->checkpoint = 0;
    flm_text_add(&w->file, (struct flm_bytes){"FLR\0", 4});
    jfr_fixed(w, w->major ? w->major : 2, 2);
    jfr_fixed(w, w->minor, 2);
    jfr_fixed(w, 0, 8); /* size, offsets */
    jfr_fixed(w, 0, 8);
    jfr_fixed(w, 0, 8);
    jfr_fixed(w, w->start_ns ? w->start_ns : 1000, 8);
    jfr_fixed(w, 5000000000, 8);
    jfr_fixed(w, w->start_ticks, 8);
    jfr_fixed(w, w->ticks_per_second ? w->ticks_per_second : 1000000000, 8);
    jfr_fixed(w, w->is_fixed ? 0 : 1, 4);
    if (types)
        jfr_metadata(w, types);
}

/* A checkpoint with that many pools; the constants follow. */
static inline void jfr_checkpoint(struct jfr_writer *w, uint32_t pools)
{
    size_t offset = w->file.size - w->chunk;
    jfr_event(w, 1);
    jfr_long(w, 0); /* start, duration */
    jfr_long(w, 0);
    jfr_long(w, w->checkpoint ? (uint64_t)w->checkpoint - (uint64_t)offset : 0);
    jfr_byte(w, 1);
    jfr_int(w, pools);
    w->checkpoint = offset;
}

static inline void jfr_pool(struct jfr_writer *w, uint64_t type, uint32_t count)
{
    jfr_long(w, type);
    jfr_int(w, count);
}

static inline void jfr_end(struct jfr_writer *w)
{
    assert_false(w->file.failed);
    if (w->no_size)
        return;
    jfr_put_at(w, 8, w->file.size - w->chunk, 8);
    jfr_put_at(w, 16, w->checkpoint, 8);
    jfr_put_at(w, 24, w->metadata, 8);
}

static inline struct flm_bytes jfr_file(const struct jfr_writer *w)
{
    return (struct flm_bytes){w->file.at, w->file.size};
}

#endif
