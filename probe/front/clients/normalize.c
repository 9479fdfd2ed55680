/* normalize.c - one scanner of tokens for all kinds of SQL, without the grammar of any. */
#include "normalize.h"

#include <stdbool.h>
#include <string.h>

struct scan {
    const char *at, *end;
    char *to;
    size_t size, room;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '$';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void put(struct scan *s, char c)
{
    if (s->size < s->room)
        s->to[s->size++] = c;
}

static char last(const struct scan *s, size_t back)
{
    return s->size > back ? s->to[s->size - 1 - back] : 0;
}

static bool starts(const struct scan *s, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(s->end - s->at) >= size && memcmp(s->at, text, size) == 0;
}

/* Of /, which PostgreSQL nests; those of a line end with it. */
static bool skip_comment(struct scan *s)
{
    if (starts(s, "--")) {
        while (s->at < s->end && *s->at != '\n')
            s->at++;
        return true;
    }
    if (!starts(s, "/*"))
        return false;
    for (int depth = 0; s->at < s->end;) {
        if (starts(s, "/*")) {
            depth++;
            s->at += 2;
        } else if (starts(s, "*/")) {
            depth--;
            s->at += 2;
        } else {
            s->at++;
        }
        if (depth == 0)
            break;
    }
    return true;
}

static bool skip_blanks(struct scan *s)
{
    const char *start = s->at;
    while (s->at < s->end && (is_blank(*s->at) || skip_comment(s)))
        if (s->at < s->end && is_blank(*s->at))
            s->at++;
    return s->at > start;
}

/* From its first quote; doubled it stands for itself. */
static void skip_quoted(struct scan *s, bool has_escapes)
{
    char quote = *s->at++;
    while (s->at < s->end) {
        char c = *s->at++;
        if (has_escapes && c == '\\' && s->at < s->end)
            s->at++;
        else if (c == quote && s->at < s->end && *s->at == quote)
            s->at++;
        else if (c == quote)
            return;
    }
}

/* $$...$$ or $tag$...$tag$; false: it is none. */
static bool skip_dollars(struct scan *s)
{
    const char *tag = s->at, *end = tag + 1;
    while (end < s->end && (is_letter(*end) || is_digit(*end)))
        end++;
    if (end == s->end || *end != '$' || is_digit(tag[1]))
        return false;
    size_t size = (size_t)(++end - tag);
    for (; (size_t)(s->end - end) >= size; end++)
        if (memcmp(end, tag, size) == 0) {
            s->at = end + size;
            return true;
        }
    s->at = s->end;
    return true;
}

static void skip_number(struct scan *s)
{
    while (s->at < s->end &&
           (is_word(*s->at) || *s->at == '.' ||
            ((*s->at == '+' || *s->at == '-') && (s->at[-1] == 'e' || s->at[-1] == 'E'))))
        s->at++;
}

static bool takes_value(char c)
{
    return c == '(' || c == ',' || c == '=' || c == '<' || c == '>' || c == '+' || c == '*';
}

/* A value: the sign of a number is part of it, and "?, ?" is "?"; "(?), (?)" is "(?)". */
static void put_value(struct scan *s)
{
    size_t back = last(s, 0) == ' ' ? 1 : 0;
    if (last(s, back) == '-' || last(s, back) == '+') {
        size_t before = back + 1 + (last(s, back + 1) == ' ' ? 1 : 0);
        if (takes_value(last(s, before)))
            s->size -= back + 1;
    }
    size_t size = s->size;
    while (size > 0 && s->to[size - 1] == ' ')
        size--;
    if (size > 0 && s->to[size - 1] == ',') {
        do
            size--;
        while (size > 0 && s->to[size - 1] == ' ');
        if (size > 0 && s->to[size - 1] == '?') {
            s->size = size;
            return;
        }
    }
    put(s, '?');
}

/* After ")": was there the same in front of it? */
static void join_lists(struct scan *s)
{
    static const char one[] = "(?)";
    const size_t size = sizeof one - 1;
    if (s->size < 2 * size + 1 || memcmp(s->to + s->size - size, one, size) != 0)
        return;
    size_t at = s->size - size;
    while (at > 0 && s->to[at - 1] == ' ')
        at--;
    if (at == 0 || s->to[at - 1] != ',')
        return;
    do
        at--;
    while (at > 0 && s->to[at - 1] == ' ');
    if (at >= size && memcmp(s->to + at - size, one, size) == 0)
        s->size = at;
}

static void put_name(struct scan *s)
{
    const char *start = s->at;
    while (s->at < s->end && is_word(*s->at))
        s->at++;
    size_t size = (size_t)(s->at - start);
    /* E'..', B'..', X'..', N'..' are literals */
    if (size == 1 && s->at < s->end && *s->at == '\'' && strchr("eEbBxXnN", *start)) {
        skip_quoted(s, *start == 'e' || *start == 'E');
        put_value(s);
        return;
    }
    for (; start < s->at; start++)
        put(s, *start);
}

static void put_quoted(struct scan *s)
{
    const char *start = s->at;
    skip_quoted(s, false);
    for (; start < s->at; start++)
        put(s, *start);
}

static bool is_parameter(const struct scan *s)
{
    char c = *s->at, next = s->at + 1 < s->end ? s->at[1] : 0;
    bool is_cast = s->size > 0 && last(s, 0) == ':';
    return c == '?' || (c == '$' && is_digit(next)) ||
           ((c == ':' || c == '@') && is_letter(next) && !is_cast);
}

static void put_token(struct scan *s)
{
    char c = *s->at, next = s->at + 1 < s->end ? s->at[1] : 0;
    if (c == '\'') {
        skip_quoted(s, false);
        put_value(s);
    } else if (c == '"' || c == '`') {
        put_quoted(s);
    } else if (is_digit(c) || (c == '.' && is_digit(next))) {
        skip_number(s);
        put_value(s);
    } else if (c == '$' && skip_dollars(s)) {
        put_value(s);
    } else if (is_parameter(s)) {
        do
            s->at++;
        while (s->at < s->end && is_word(*s->at));
        put_value(s);
    } else if (is_letter(c)) {
        put_name(s);
    } else {
        put(s, c);
        s->at++;
        if (c == ')')
            join_lists(s);
    }
}

size_t flm_normalize_statement(char *to, size_t room, const char *text, size_t size)
{
    struct scan s = {.at = text, .end = text + size, .to = to, .room = room};
    while (s.at < s.end && s.size < s.room) {
        if (skip_blanks(&s)) {
            if (s.size > 0 && last(&s, 0) != '(' && s.at < s.end && *s.at != ')')
                put(&s, ' ');
        } else {
            put_token(&s);
        }
    }
    while (s.size > 0 && (last(&s, 0) == ' ' || last(&s, 0) == ';'))
        s.size--;
    return s.size;
}

/* ---- URLs ------------------------------------------------------------------------------------ */

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Digits; or hexadecimal digits, as many as no word has; or those with hyphens, as a UUID. */
static bool is_id(const char *part, size_t size)
{
    enum { UUID = 36, LEAST_HEX = 16 };
    size_t digits = 0, hex = 0, hyphens = 0;
    for (size_t i = 0; i < size; i++) {
        digits += is_digit(part[i]);
        hex += is_hex(part[i]);
        hyphens += part[i] == '-';
    }
    return size > 0 && (digits == size || (hex == size && size >= LEAST_HEX) ||
                        (size == UUID && hyphens == 4 && hex + hyphens == size));
}

static void put_all(struct scan *s, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put(s, text[i]);
}

size_t flm_normalize_url(char *to, size_t room, const char *text, size_t size)
{
    struct scan s = {.to = to, .room = room};
    const char *at = text, *end = text;
    while (end < text + size && *end != '?' && *end != '#')
        end++;
    for (const char *c = text; c + 2 < end; c++)
        if (memcmp(c, "://", 3) == 0) {
            put_all(&s, text, (size_t)(c + 3 - text));
            at = c + 3;
            break;
        }
    const char *host = at;
    while (at < end && *at != '/') {
        if (*at == '@')
            host = at + 1;
        at++;
    }
    put_all(&s, host, (size_t)(at - host));
    while (at < end) {
        const char *part = ++at;
        while (at < end && *at != '/')
            at++;
        put(&s, '/');
        if (is_id(part, (size_t)(at - part)))
            put_all(&s, "{id}", 4);
        else
            put_all(&s, part, (size_t)(at - part));
    }
    return s.size;
}
