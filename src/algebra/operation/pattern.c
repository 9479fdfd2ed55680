#include "algebra/operation/pattern.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/path_name.h"
#include "base/regex/glob.h"
#include "base/regex/regex.h"
#include "base/text/clone_name.h"
#include "base/text/function_name.h"
#include "base/text/nearest.h"

enum field { FUNCTION, MODULE, FILE_NAME, KIND };
enum manner { LITERAL, GLOB, REGEX };

struct pattern {
    enum field field;
    enum manner manner;
    struct flm_bytes text;
    struct flm_regex *regex;
    struct flm_regex_scratch *scratch;
};

static const struct {
    const char *prefix;
    const char *description;
} fields[] = {
    [FUNCTION] = {"function=", "by function"},
    [MODULE] = {"module=", "by module"},
    [FILE_NAME] = {"file=", "by source file"},
    [KIND] = {"kind=", "by kind of code"},
};

const char *flm_pattern_field(size_t index, const char **description)
{
    if (index >= sizeof fields / sizeof fields[0])
        return NULL;
    if (description)
        *description = fields[index].description;
    return fields[index].prefix;
}

const char *flm_pattern_kind(size_t index)
{
    return index < FLM_KIND_COUNT    ? flm_kind_name((uint32_t)index)
           : index == FLM_KIND_COUNT ? "unsymbolized"
                                     : NULL;
}

static enum field take_field(struct flm_bytes *text)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (flm_bytes_start_with(*text, fields[i].prefix)) {
            *text = flm_bytes_from(*text, strlen(fields[i].prefix));
            return (enum field)i;
        }
    return FUNCTION;
}

bool flm_pattern_regex(struct flm_bytes text, struct flm_bytes *source, bool *any_case)
{
    *any_case = text.size >= 3 && flm_bytes_end_with(text, "/i");
    if (text.size < 2 || text.at[0] != '/' || !(*any_case || flm_bytes_end_with(text, "/")))
        return false;
    *source = (struct flm_bytes){text.at + 1, text.size - (*any_case ? 3 : 2)};
    return true;
}

/* The slash in front of `source` is `before` bytes after the pattern's beginning. */
static bool compile_regex(struct pattern *p, struct flm_bytes source, bool any_case, size_t before,
                          struct flm_error *why)
{
    struct flm_error refused = {0};
    p->manner = REGEX;
    p->regex =
        any_case ? flm_regex_new_any_case(source, &refused) : flm_regex_new(source, &refused);
    if (p->regex)
        p->scratch = flm_regex_scratch_new(p->regex, &refused);
    if (refused.kind == FLM_ERROR_FORMAT) {
        /* The pattern comes from the user: a usage error, at an offset after the slash. */
        refused.kind = FLM_ERROR_USAGE;
        flm_error_move_byte(&refused, before + 1 + refused.offset);
    }
    if (refused.kind != FLM_ERROR_NONE && why)
        *why = refused;
    return p->scratch != NULL;
}

static bool is_quoted(struct flm_bytes text)
{
    return text.size >= 2 && text.at[0] == '"' && text.at[text.size - 1] == '"';
}

static bool is_kind(struct flm_bytes text)
{
    const char *kind;
    for (size_t i = 0; (kind = flm_pattern_kind(i)); i++)
        if (flm_bytes_are(text, kind))
            return true;
    return false;
}

static bool refuse_kind(struct flm_bytes text, struct flm_error *why)
{
    const char *kind;
    flm_error_byte(why, FLM_ERROR_USAGE, 0, "'%.*s' is not a kind; use ", (int)text.size, text.at);
    for (size_t i = 0; (kind = flm_pattern_kind(i)); i++) {
        flm_error_add(why, i ? ", " : "");
        flm_error_add(why, kind);
    }
    return false;
}

static bool compile(struct pattern *p, struct flm_bytes text, struct flm_error *why)
{
    const char *begin = text.at;
    struct flm_bytes source;
    bool any_case;
    *p = (struct pattern){.field = take_field(&text)};
    p->text = text;
    if (text.size > 0 && text.at[0] == '"' && !is_quoted(text))
        return flm_error_byte(why, FLM_ERROR_USAGE, (size_t)(text.at - begin),
                              "the quote is never closed");
    if (text.size == 0)
        return flm_error_byte(why, FLM_ERROR_USAGE, 0, "the pattern is empty");
    if (p->field == KIND && !is_kind(text))
        return refuse_kind(text, why);
    if (is_quoted(text)) {
        p->text = (struct flm_bytes){text.at + 1, text.size - 2};
    } else if (flm_pattern_regex(text, &source, &any_case)) {
        return compile_regex(p, source, any_case, (size_t)(text.at - begin), why);
    } else {
        for (size_t i = 0; i < text.size; i++)
            if (text.at[i] == '*' || text.at[i] == '?')
                p->manner = GLOB;
    }
    return true;
}

static void clear(struct pattern *p)
{
    flm_regex_scratch_free(p->scratch);
    flm_regex_free(p->regex);
}

static bool matches(const struct pattern *p, struct flm_bytes text)
{
    switch (p->manner) {
    case LITERAL:
        return flm_bytes_equal(p->text, text);
    case GLOB:
        return flm_glob_matches(p->text, text);
    case REGEX:
        return flm_regex_search(p->regex, p->scratch, text);
    }
    return false;
}

static bool path_matches(const struct pattern *p, struct flm_bytes path)
{
    return path.size > 0 && (matches(p, path) || matches(p, flm_path_last(path, "/")));
}

static bool frame_matches(const struct pattern *p, const struct flm_profile *profile,
                          const struct flm_frame_record *frame)
{
    switch (p->field) {
    case FUNCTION:
        return matches(p, flm_string_bytes(profile, frame->function));
    case MODULE:
        return path_matches(p, flm_string_bytes(profile, frame->module));
    case FILE_NAME:
        return path_matches(p, flm_string_bytes(profile, frame->file));
    case KIND:
        if (frame->flags & FLM_FRAME_UNSYMBOLIZED && flm_bytes_are(p->text, "unsymbolized"))
            return true;
        return flm_bytes_are(p->text, flm_kind_name(frame->kind));
    }
    return false;
}

bool flm_pattern_mark(const struct flm_profile *p, struct flm_bytes pattern, unsigned char *marks,
                      uint32_t *matched, struct flm_error *why)
{
    assert(p && marks);
    struct pattern compiled;
    *matched = 0;
    if (!compile(&compiled, pattern, why)) {
        clear(&compiled);
        return false;
    }
    marks[0] = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        *matched += marks[i] = frame_matches(&compiled, p, &p->frames[i]);
    clear(&compiled);
    return true;
}

bool flm_pattern_check(struct flm_bytes pattern, struct flm_error *why)
{
    struct pattern compiled;
    bool good = compile(&compiled, pattern, why);
    clear(&compiled);
    return good;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool holds(struct flm_bytes text, struct flm_bytes part)
{
    for (size_t i = 0; i + part.size <= text.size; i++) {
        size_t same = 0;
        while (same < part.size && lower(text.at[i + same]) == lower(part.at[same]))
            same++;
        if (same == part.size)
            return true;
    }
    return false;
}

/* Whether a frame has this value of a field, or a path that ends with it: what matches it. */
static bool is_value_of(const struct flm_profile *p, enum field field, struct flm_bytes name)
{
    const struct pattern exactly = {.field = field, .manner = LITERAL, .text = name};
    for (uint32_t i = 1; name.size > 0 && i < p->sizes.frame_count; i++)
        if (frame_matches(&exactly, p, &p->frames[i]))
            return true;
    return false;
}

/* The value of another field was given as a function. */
static bool suggest_field(const struct flm_profile *p, struct flm_bytes text, const char *operation,
                          struct flm_text *out)
{
    static const struct {
        enum field field;
        const char *noun;
    } others[] = {{MODULE, "module"}, {FILE_NAME, "file"}, {KIND, "kind"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!is_value_of(p, others[i].field, text))
            continue;
        flm_text_format(out, " (%s%s%s", operation ? operation : "", operation ? ":" : "",
                        fields[others[i].field].prefix);
        flm_text_add_name(out, text);
        flm_text_format(out, " matches the %s)", others[i].noun);
        return true;
    }
    return false;
}

/* A module was given by the name that people have for it, "libc" or "libc.so" of libc.so.6. */
static bool suggest_module(const struct flm_profile *p, struct flm_bytes text,
                           const char *operation, struct flm_text *out)
{
    enum { FEWEST = 3 };
    for (uint32_t i = 1; text.size >= FEWEST && i < p->sizes.frame_count; i++) {
        struct flm_bytes name = flm_path_last(flm_string_bytes(p, p->frames[i].module), "/");
        if (name.size <= text.size || memcmp(name.at, text.at, text.size) != 0 ||
            !flm_is_one_of(name.at[text.size], ".-0123456789"))
            continue;
        flm_text_format(out, " (%s%s%s", operation ? operation : "", operation ? ":" : "",
                        fields[MODULE].prefix);
        flm_text_add_name(out, name);
        flm_text_puts(out, " matches the module)");
        return true;
    }
    return false;
}

static uint32_t string_of(const struct flm_frame_record *f, enum field field)
{
    return field == FUNCTION ? f->function : field == MODULE ? f->module : f->file;
}

/* A name; of a long one what people know the function by, as a pattern that matches it:
 * "*StringTable::LookupKey*". What was asked for stays in it. */
enum { LONG_NAME = 48 };
static void add_known(struct flm_text *out, struct flm_bytes name, enum field field,
                      struct flm_bytes asked)
{
    size_t from = 0, to = name.size;
    if (field == FUNCTION && name.size > LONG_NAME) {
        struct flm_name_parts parts = flm_name_parts(name);
        const size_t froms[] = {parts.qualified, 0};
        for (int i = 0; i < 2 && to == name.size; i++)
            if (holds((struct flm_bytes){name.at + froms[i], parts.end - froms[i]}, asked)) {
                from = froms[i];
                to = parts.end;
            }
    }
    flm_text_puts(out, from > 0 ? "*" : "");
    flm_text_add_name(out, (struct flm_bytes){name.at + from, to - from});
    flm_text_puts(out, to < name.size ? "*" : "");
}

/* Whether the text is in the qualified name of a function, not only in the result, arguments or
 * template arguments of a long name. */
static bool is_known_by(struct flm_bytes name, struct flm_bytes text)
{
    if (name.size <= LONG_NAME)
        return true;
    struct flm_name_parts parts = flm_name_parts(name);
    return holds((struct flm_bytes){name.at + parts.qualified, parts.end - parts.qualified}, text);
}

/* Those that hold the text, at most three; returns whether there are any. */
static bool list_holding(const struct flm_profile *p, struct flm_bytes pattern, enum field field,
                         bool only_known, struct flm_text *out)
{
    uint32_t last = FLM_NONE;
    int found = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count && found < 3; i++) {
        uint32_t string = string_of(&p->frames[i], field);
        struct flm_bytes name = flm_string_bytes(p, string);
        if (string == last || !holds(name, pattern) || (only_known && !is_known_by(name, pattern)))
            continue;
        flm_text_puts(out, found ? ", " : " (there is ");
        add_known(out, name, field, pattern);
        last = string;
        found++;
    }
    if (found)
        flm_text_putc(out, ')');
    return found > 0;
}

static bool suggest_holding(const struct flm_profile *p, struct flm_bytes pattern, enum field field,
                            struct flm_text *out)
{
    return (field == FUNCTION && list_holding(p, pattern, field, true, out)) ||
           list_holding(p, pattern, field, false, out);
}

/* What a symbol and its aliases have in common: "malloc" of __GI___libc_malloc and of
 * malloc@GLIBC_2.2.5, "lex" of lex.part.0. */
static struct flm_bytes core_of(struct flm_bytes name)
{
    static const char *const library[] = {"GI_", "libc_", "IO_"};
    const char *version = name.size > 1 ? memchr(name.at + 1, '@', name.size - 1) : NULL;
    if (version)
        name.size = (size_t)(version - name.at);
    name.size = flm_clone_base(name);
    while (name.size > 0 && name.at[0] == '_') {
        while (name.size > 0 && name.at[0] == '_')
            name = flm_bytes_from(name, 1);
        for (size_t i = 0; i < sizeof library / sizeof library[0]; i++)
            if (flm_bytes_start_with(name, library[i])) {
                /* Its underscore stays, for what follows. */
                name = flm_bytes_from(name, strlen(library[i]) - 1);
                break;
            }
    }
    return name;
}

/* Another name of a function that the profile has: whoever reads it in perf's output or in a
 * symbol table. */
static bool suggest_alias(const struct flm_profile *p, struct flm_bytes pattern,
                          struct flm_text *out)
{
    struct flm_bytes core = core_of(pattern);
    for (uint32_t i = 1; i < p->sizes.frame_count && core.size > 0 && core.size < pattern.size;
         i++) {
        struct flm_bytes name = flm_string_bytes(p, p->frames[i].function);
        if (!flm_bytes_equal(core_of(name), core))
            continue;
        flm_text_puts(out, " (did you mean ");
        flm_text_add_name(out, name);
        flm_text_puts(out, "?)");
        return true;
    }
    return false;
}

/* All of a package or a namespace, "com.acm.*": the beginnings of names that are as long, and
 * similar. */
static bool suggest_package(const struct flm_profile *p, struct flm_bytes pattern, enum field field,
                            struct flm_text *out)
{
    struct flm_nearest near = {.asked = {pattern.at, pattern.size - (pattern.size > 0)}};
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        struct flm_bytes name = flm_string_bytes(p, string_of(&p->frames[i], field));
        struct flm_bytes beginning = flm_glob_beginning(pattern, name);
        if (beginning.size > 0)
            flm_nearest_add(&near, beginning);
    }
    if (near.count == 0)
        return false;
    flm_text_puts(out, " (did you mean ");
    for (size_t i = 0; i < near.count; i++) {
        flm_text_puts(out, i == 0 ? "" : i + 1 < near.count ? ", " : " or ");
        flm_text_add_name(out, near.at[i].name);
        flm_text_putc(out, '*');
    }
    flm_text_puts(out, "?)");
    return true;
}

void flm_pattern_suggest(const struct flm_profile *p, struct flm_bytes pattern,
                         const char *operation, struct flm_text *out)
{
    assert(p && out);
    enum field field = take_field(&pattern);
    if (field != KIND && suggest_package(p, pattern, field, out))
        return;
    while (pattern.size && flm_is_one_of(pattern.at[0], "*?\"/"))
        pattern = (struct flm_bytes){pattern.at + 1, pattern.size - 1};
    while (pattern.size && flm_is_one_of(pattern.at[pattern.size - 1], "*?\"/"))
        pattern.size--;
    if (pattern.size == 0 || field == KIND ||
        (field == FUNCTION &&
         (suggest_field(p, pattern, operation, out) || suggest_alias(p, pattern, out) ||
          suggest_module(p, pattern, operation, out))) ||
        suggest_holding(p, pattern, field, out))
        return;
    struct flm_nearest near = {.asked = pattern};
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        flm_nearest_add(&near, flm_string_bytes(p, string_of(&p->frames[i], field)));
    bool is_whole = near.count > 0;
    for (uint32_t i = 1; field == FUNCTION && !is_whole && i < p->sizes.frame_count; i++) {
        struct flm_bytes name = flm_string_bytes(p, p->frames[i].function);
        struct flm_name_parts parts = flm_name_parts(name);
        flm_nearest_add(&near, (struct flm_bytes){name.at + parts.bare, parts.end - parts.bare});
    }
    if (near.count == 0)
        return;
    flm_text_puts(out, " (did you mean ");
    for (size_t i = 0; i < near.count; i++) {
        flm_text_puts(out, i == 0 ? "" : i + 1 < near.count ? ", " : " or ");
        flm_text_puts(out, is_whole ? "" : "*");
        flm_text_add_name(out, near.at[i].name);
        flm_text_puts(out, is_whole ? "" : "*");
    }
    flm_text_puts(out, "?)");
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (unsigned char)byte >= 0x80 || byte == '_';
}

/* As an operation of an expression: a quote that a '|' or nothing follows would end it. */
static bool ends_quotes(struct flm_bytes name, size_t at)
{
    do
        at++;
    while (at < name.size && flm_is_one_of(name.at[at], " \t\n"));
    return at == name.size || name.at[at] == '|';
}

void flm_pattern_add_exact(struct flm_text *out, struct flm_bytes name)
{
    bool plain = name.size > 0 && name.at[0] != '/' && name.at[0] != '!', quotes = true;
    for (size_t i = 0; i < name.size; i++) {
        plain =
            plain && (is_word(name.at[i]) || flm_is_one_of(name.at[i], ".:$<>,~@-/+&()[]{};#!"));
        quotes = quotes && !(name.at[i] == '"' && ends_quotes(name, i));
    }
    if (plain || quotes) {
        flm_text_puts(out, plain ? "" : "\"");
        flm_text_add(out, name);
        flm_text_puts(out, plain ? "" : "\"");
        return;
    }
    flm_text_puts(out, "/^");
    for (size_t i = 0; i < name.size; i++) {
        flm_text_puts(out, is_word(name.at[i]) ? "" : "\\");
        flm_text_putc(out, name.at[i]);
    }
    flm_text_puts(out, "$/");
}
