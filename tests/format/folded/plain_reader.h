/* plain_reader.h - folded stacks read line by line, without any shortcut, and texts that the real
 * reader must read like it. */
#ifndef FLAMEL_TESTS_FORMAT_FOLDED_PLAIN_READER_H
#define FLAMEL_TESTS_FORMAT_FOLDED_PLAIN_READER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "format/folded/folded.h"
#include "format/formats.h"
#include "profile/internal.h"
#include "support/core/windows.h"
#include "support/profile/profiles.h"

/* ---- The plain reader: each line by itself --------------------------------------------------- */

static inline bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

/* The number after the last blank of [start, *end), which moves before it. */
static inline enum flm_number_kind take_value(const char *start, const char **end, double *value,
                                              uint64_t *rounded)
{
    const char *word = *end;
    while (word > start && !is_blank(word[-1]))
        word--;
    if (word == start)
        return FLM_NUMBER_NONE;
    enum flm_number_kind kind =
        flm_number_parse((struct flm_bytes){word, (size_t)(*end - word)}, value);
    if (kind != FLM_NUMBER_NONE && kind != FLM_NUMBER_SPECIAL)
        *rounded += flm_number_is_rounded((struct flm_bytes){word, (size_t)(*end - word)}, *value);
    while (word > start && is_blank(word[-1]))
        word--;
    *end = word;
    return kind;
}

static inline bool stands_for_an_address(struct flm_bytes name)
{
    char text[100] = "";
    if (name.size >= sizeof text)
        return false;
    memcpy(text, name.at, name.size);
    bool in_brackets = name.size > 2 && text[0] == '[' && text[name.size - 1] == ']';
    return strcmp(text, "[unknown]") == 0 ||
           (in_brackets && (text[1] == '[' || strstr(text, ".so"))) ||
           (name.size > 2 && strncmp(text, "0x", 2) == 0 &&
            strspn(text + 2, "0123456789abcdefABCDEF") == name.size - 2);
}

static inline struct flm_frame frame_of(struct flm_builder *b, const char *at, size_t size,
                                        bool *marked)
{
    static const char letters[] = "kij10wg";
    static const uint32_t kinds[] = {FLM_KIND_KERNEL,    FLM_KIND_INLINED,     FLM_KIND_JIT,
                                     FLM_KIND_JIT_TIER1, FLM_KIND_INTERPRETED, FLM_KIND_WAKER,
                                     FLM_KIND_GPU};
    struct flm_frame_record record = {0};
    const char *letter = size >= 4 && memcmp(at + size - 4, "_[", 2) == 0 && at[size - 1] == ']'
                             ? memchr(letters, at[size - 2], sizeof letters - 1)
                             : NULL;
    if (letter) {
        record.kind = kinds[letter - letters];
        size -= 4;
        *marked = true;
    }
    record.function = flm_builder_string(b, at, size).index;
    if (stands_for_an_address((struct flm_bytes){at, size}))
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    return flm_builder_frame(b, &record);
}

/* Lenient: invalid values are counted. NULL when no line has a value, but some should. */
static inline struct flm_profile *read_plainly(struct flm_bytes text, int columns)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric[2];
    bool marked = false, anything = false, malformed = false;
    if (columns == 2)
        metric[1] = flm_builder_metric(b, "after", "samples");
    metric[0] = flm_builder_metric(b, columns == 2 ? "before" : "samples", "samples");
    const char *at = text.at ? text.at : "", *all_end = at + text.size;
    for (uint64_t line = 1; at < all_end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(all_end - at));
        const char *start = at, *end = newline ? newline : all_end, *name = end;
        at = newline ? newline + 1 : all_end;
        if (start == end || *start == '#')
            continue;
        while (name > start && name[-1] != ';')
            name--;
        while (end > name && is_blank(end[-1]))
            end--;
        double value[2] = {0};
        uint64_t rounded = 0;
        enum flm_number_kind kind = take_value(name, &end, &value[columns - 1], &rounded);
        if (columns == 2 && kind != FLM_NUMBER_NONE && kind != FLM_NUMBER_SPECIAL &&
            value[1] >= 0 && value[1] <= FLM_SUM_LIMIT)
            kind = take_value(name, &end, &value[0], &rounded);
        if (kind == FLM_NUMBER_NONE) {
            bool blank = true;
            for (const char *k = start; k < (newline ? newline : all_end); k++)
                blank = blank && is_blank(*k);
            if (!blank)
                flm_builder_lost(b, "lines without a value", "line", line, 1);
            malformed = malformed || !blank;
            continue;
        }
        if (kind == FLM_NUMBER_SPECIAL || !(value[0] >= 0 && value[0] <= FLM_SUM_LIMIT) ||
            !(value[1] >= 0 && value[1] <= FLM_SUM_LIMIT)) {
            flm_builder_lost(b, "lines with a value that cannot be used", "line", line, 1);
            continue;
        }
        anything = true;
        if (value[0] == 0 && value[1] == 0)
            continue;
        struct flm_node node = flm_builder_root(b);
        for (const char *k = start; k < end || k == name || name > k;) {
            if (start == name && end == start)
                break; /* the empty stack */
            const char *stop = k;
            while (stop < end && *stop != ';')
                stop++;
            node = flm_builder_child(b, node, frame_of(b, k, (size_t)(stop - k), &marked));
            if (k == name)
                break;
            k = stop + 1;
        }
        flm_builder_rounded(b, rounded);
        for (int i = 0; i < columns; i++)
            flm_builder_add(b, node, metric[i], value[i]);
    }
    if (marked)
        flm_builder_note(b, FLM_NOTE_ANNOTATED, "1", 1);
    if (!anything && malformed) {
        flm_builder_free(b);
        return NULL;
    }
    return flm_builder_finish(b, NULL);
}

/* ---- The reader ------------------------------------------------------------------------------ */

static inline struct flm_profile *read_source(struct flm_source *source,
                                              const struct flm_read_options *options,
                                              struct flm_error *why)
{
    struct flm_builder *b = flm_builder_new(why);
    if (b && flm_format_folded.read(source, options, b, why))
        return flm_builder_finish(b, why);
    flm_builder_free(b);
    return NULL;
}

/* In a block of exactly its size. */
static inline struct flm_profile *read_whole(struct flm_bytes text,
                                             const struct flm_read_options *options,
                                             struct flm_error *why)
{
    char *block = malloc(text.size + (text.size == 0));
    assert_non_null(block);
    if (text.size)
        memcpy(block, text.at, text.size);
    struct flm_source source = flm_source_of((struct flm_bytes){block, text.size});
    struct flm_profile *p = read_source(&source, options, why);
    free(block);
    return p;
}

static inline struct flm_profile *read_in_windows(struct flm_bytes text, size_t step,
                                                  const struct flm_read_options *options,
                                                  struct flm_error *why)
{
    struct windows w;
    windows_init(&w, text, step);
    struct flm_profile *p = read_source(&w.source, options, why);
    windows_clear(&w);
    return p;
}

/* However the text arrives, it is the same profile or the same error. Returns the profile. */
static inline struct flm_profile *read_every_way(struct flm_bytes text,
                                                 const struct flm_read_options *options)
{
    static const size_t steps[] = {1, 2, 7, 64, 0};
    struct flm_error why = {0};
    struct flm_profile *whole = read_whole(text, options, &why);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct flm_error why_here = {0};
        struct flm_profile *p = read_in_windows(text, steps[i], options, &why_here);
        if (!p != !whole)
            fail_msg("%.*s: step %zu: %s", (int)text.size, text.at, steps[i], why_here.text);
        if (p) {
            assert_profiles_equal(whole, p);
        } else {
            assert_string_equal(why.text, why_here.text);
            assert_int_equal(why.line, why_here.line);
        }
        flm_profile_free(p);
    }
    return whole;
}

static inline void agrees(struct flm_bytes text, int columns)
{
    struct flm_read_options lenient = {.lenient = true, .columns = columns};
    struct flm_profile *p = read_every_way(text, &lenient);
    struct flm_profile *plain = read_plainly(text, columns);
    if (!p != !plain)
        fail_msg("%.*s: it is %s", (int)text.size, text.at, p ? "read" : "refused");
    if (p) {
        assert_profiles_equal(p, plain);
        assert_sound(p);
    }
    flm_profile_free(p);
    flm_profile_free(plain);
}

static inline void reads(const char *text, const char *expected)
{
    struct flm_error why = {0};
    struct flm_profile *p = read_whole(flm_bytes_of(text), &(struct flm_read_options){0}, &why);
    if (!p)
        fail_msg("%s: %s", text, why.text);
    assert_folded(p, expected);
    flm_profile_free(p);
    agrees(flm_bytes_of(text), 1);
}

#endif
