/* selector.c - which series a query wants. */
#include <stdlib.h>

#include "base/core/array.h"
#include "base/regex/regex.h"
#include "store/labels/series_labels.h"

struct matcher {
    struct flm_bytes key, value; /* owned */
    bool differs;                /* != and !~ */
    struct flm_regex *regex;     /* of =~ and !~; NULL: the value itself */
    size_t literal, suffix;      /* of a pattern: the sizes of its literal prefix and suffix */
    struct flm_regex_scratch *scratch;
};

struct flm_selector {
    struct FLM_ARRAY(struct matcher) matchers;
};

static void clear_matcher(struct matcher *m)
{
    union {
        const char *seen;
        char *owned;
    } key = {m->key.at}, value = {m->value.at};
    free(key.owned);
    free(value.owned);
    flm_regex_scratch_free(m->scratch);
    flm_regex_free(m->regex);
}

void flm_selector_free(struct flm_selector *selector)
{
    for (size_t i = 0; selector && i < selector->matchers.count; i++)
        clear_matcher(&selector->matchers.at[i]);
    if (selector)
        FLM_ARRAY_CLEAR(&selector->matchers);
    free(selector);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

struct parser {
    struct flm_bytes text;
    size_t at;
    bool in_braces;
    struct flm_error *why;
};

static char peek(const struct parser *p)
{
    return p->at < p->text.size ? p->text.at[p->at] : 0;
}

static void skip_blanks(struct parser *p)
{
    while (flm_is_space(peek(p)) || peek(p) == ',')
        p->at++;
}

static bool refuse(const struct parser *p, const char *reason)
{
    return flm_error_byte(p->why, FLM_ERROR_USAGE, p->at,
                          "%s: a selector is like service=api region!=eu host=~'web.*'", reason);
}

static bool copy(struct flm_bytes from, struct flm_bytes *to)
{
    char *at = malloc(from.size + 1);
    if (!at)
        return false;
    if (from.size > 0)
        memcpy(at, from.at, from.size);
    *to = (struct flm_bytes){at, from.size};
    /* cppcheck-suppress memleak ; *to has it */
    return true;
}

static bool parse_key(struct parser *p, struct matcher *m)
{
    size_t start = p->at;
    while (peek(p) && !flm_is_one_of(peek(p), "=!~<>{}\"', \t\n"))
        p->at++;
    struct flm_bytes key = {p->text.at + start, p->at - start};
    if (key.size == 0)
        return refuse(p, "the name of a label is missing");
    if (flm_bytes_are(key, "service") || flm_bytes_are(key, "service.name"))
        key = flm_bytes_of(FLM_STORE_SERVICE);
    return copy(key, &m->key) || flm_error_memory(p->why);
}

static bool parse_relation(struct parser *p, struct matcher *m, bool *is_pattern)
{
    skip_blanks(p);
    m->differs = peek(p) == '!';
    if (!flm_is_one_of(peek(p), "=!"))
        return refuse(p, "one of =, !=, =~, !~ is missing behind the name of a label");
    p->at++;
    *is_pattern = peek(p) == '~';
    if (m->differs && !flm_is_one_of(peek(p), "=~"))
        return refuse(p, "'!' is followed by '=' or '~'");
    p->at += *is_pattern || m->differs;
    return true;
}

/* In quotes, in which a backslash takes the next byte as it is; or up to a blank. */
static bool parse_value(struct parser *p, struct matcher *m)
{
    struct flm_text value = {0};
    while (flm_is_space(peek(p)))
        p->at++;
    char quote = flm_is_one_of(peek(p), "\"'") ? peek(p) : 0;
    const char *end = p->in_braces ? " \t\n,}" : " \t\n,";
    p->at += quote != 0;
    for (; peek(p) && (quote ? peek(p) != quote : !flm_is_one_of(peek(p), end)); p->at++) {
        if (quote && peek(p) == '\\' && p->at + 1 < p->text.size)
            p->at++;
        flm_text_putc(&value, peek(p));
    }
    bool good = !quote || peek(p) == quote;
    p->at += quote && good;
    if (!good)
        refuse(p, "a quote is not closed");
    else
        good = (!value.failed && copy((struct flm_bytes){value.at, value.size}, &m->value)) ||
               flm_error_memory(p->why);
    flm_text_clear(&value);
    return good;
}

/* The size of the literal prefix of a pattern: bytes that each match begins with. */
static size_t literal_of(struct flm_bytes pattern)
{
    size_t size = 0;
    if (pattern.size > 0 && memchr(pattern.at, '|', pattern.size))
        return 0;
    while (size < pattern.size && !flm_is_one_of(pattern.at[size], "\\.[](){}*+?^$"))
        size++;
    if (size == pattern.size || !flm_is_one_of(pattern.at[size], "*+?{"))
        return size;
    /* The last character, of one byte or more, is repeated, and so may be missing. */
    while (size > 0 && ((unsigned char)pattern.at[--size] & 0xC0) == 0x80)
        ;
    return size;
}

/* The size of the literal suffix of a pattern: bytes that each match ends with. */
static size_t suffix_of(struct flm_bytes pattern)
{
    size_t at = pattern.size;
    if (pattern.size == 0 || memchr(pattern.at, '|', pattern.size) ||
        flm_bytes_contain(pattern, "(?i"))
        return 0;
    while (at > 0 && !flm_is_one_of(pattern.at[at - 1], "\\.[](){}*+?^$"))
        at--;
    return at > 0 && pattern.at[at - 1] == '\\' ? 0 : pattern.size - at; /* "\\d", "\\x41" */
}

/* The whole value has to match. A pattern without special characters is compared as text. */
static bool compile(struct parser *p, struct matcher *m)
{
    struct flm_text pattern = {0};
    m->literal = literal_of(m->value);
    m->suffix = suffix_of(m->value);
    if (m->literal == m->value.size)
        return true;
    flm_text_puts(&pattern, "^(?:");
    flm_text_add(&pattern, m->value);
    flm_text_puts(&pattern, ")$");
    bool good = !pattern.failed || flm_error_memory(p->why);
    if (good)
        m->regex = flm_regex_new((struct flm_bytes){pattern.at, pattern.size}, p->why);
    if (m->regex)
        m->scratch = flm_regex_scratch_new(m->regex, p->why);
    flm_text_clear(&pattern);
    return m->scratch != NULL;
}

static bool parse_matcher(struct parser *p, struct flm_selector *selector)
{
    struct matcher m = {{0}};
    bool is_pattern = false;
    bool good = parse_key(p, &m) && parse_relation(p, &m, &is_pattern) && parse_value(p, &m) &&
                (!is_pattern || compile(p, &m));
    if (good && !FLM_ARRAY_ADD(&selector->matchers, m))
        good = flm_error_memory(p->why);
    if (!good)
        clear_matcher(&m);
    return good;
}

struct flm_selector *flm_selector_parse(struct flm_bytes text, struct flm_error *why)
{
    struct parser p = {.text = flm_bytes_trimmed(text), .why = why};
    struct flm_selector *selector = calloc(1, sizeof *selector);
    if (!selector) {
        flm_error_memory(why);
        return NULL;
    }
    p.in_braces = peek(&p) == '{';
    p.at += p.in_braces;
    bool good = true, closed = !p.in_braces;
    for (skip_blanks(&p); good && p.at < p.text.size; skip_blanks(&p)) {
        if (p.in_braces && peek(&p) == '}') {
            p.at++;
            closed = true;
            break;
        }
        good = parse_matcher(&p, selector);
    }
    if (good && !closed)
        good = refuse(&p, "'}' is missing");
    if (good && p.at < p.text.size)
        good = refuse(&p, "there is something behind '}'");
    if (!good) {
        flm_selector_free(selector);
        return NULL;
    }
    return selector;
}

bool flm_selector_add(struct flm_selector *selector, struct flm_bytes key, struct flm_bytes value,
                      struct flm_error *why)
{
    struct matcher m = {{0}};
    if (flm_bytes_are(key, "service"))
        key = flm_bytes_of(FLM_STORE_SERVICE);
    if (copy(key, &m.key) && copy(value, &m.value) && FLM_ARRAY_ADD(&selector->matchers, m))
        return true;
    clear_matcher(&m);
    return flm_error_memory(why);
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* Most values that a pattern refuses have another end: comparing that is cheaper. */
static bool finds(const struct matcher *m, struct flm_bytes value)
{
    if (!m->regex)
        return flm_bytes_equal(value, m->value);
    const char *suffix = m->value.at + m->value.size - m->suffix;
    return value.size >= m->suffix &&
           memcmp(value.at + value.size - m->suffix, suffix, m->suffix) == 0 &&
           flm_regex_search(m->regex, m->scratch, value);
}

static bool matches(const struct matcher *m, struct flm_bytes value)
{
    return finds(m, value) != m->differs;
}

bool flm_selector_matches(const struct flm_selector *selector, struct flm_bytes series)
{
    for (size_t i = 0; i < selector->matchers.count; i++) {
        const struct matcher *m = &selector->matchers.at[i];
        if (!matches(m, flm_series_value(series, m->key)))
            return false;
    }
    return true;
}

bool flm_selector_takes(const struct flm_selector *selector, struct flm_bytes key,
                        struct flm_bytes value)
{
    for (size_t i = 0; i < selector->matchers.count; i++)
        if (flm_bytes_equal(selector->matchers.at[i].key, key) &&
            !matches(&selector->matchers.at[i], value))
            return false;
    return true;
}

bool flm_selector_is_empty(const struct flm_selector *selector)
{
    return selector->matchers.count == 0;
}

bool flm_selector_equal(const struct flm_selector *selector, struct flm_store_label *label)
{
    *label = (struct flm_store_label){{NULL, 0}, {NULL, 0}};
    for (size_t i = selector->matchers.count; i-- > 0;) {
        const struct matcher *m = &selector->matchers.at[i];
        if (m->regex || m->differs || m->value.size == 0)
            continue;
        *label = (struct flm_store_label){m->key, m->value};
        return true;
    }
    return false;
}

bool flm_selector_pattern(const struct flm_selector *selector, struct flm_store_label *label)
{
    *label = (struct flm_store_label){{NULL, 0}, {NULL, 0}};
    for (size_t i = selector->matchers.count; i-- > 0;) {
        const struct matcher *m = &selector->matchers.at[i];
        if (!m->regex || matches(m, (struct flm_bytes){"", 0}))
            continue;
        *label = (struct flm_store_label){m->key, {m->value.at, m->differs ? 0 : m->literal}};
        return true;
    }
    return false;
}

/* "\0 key \0 value \0", or of a service "\0 value \0" (series_labels.h); of a pattern, its literal
 * prefix, which may be "", without the last NUL. */
void flm_selector_needle(const struct flm_selector *selector, struct flm_text *out)
{
    struct flm_store_label label;
    bool is_whole = flm_selector_equal(selector, &label);
    if (!is_whole && !flm_selector_pattern(selector, &label))
        return;
    bool is_service = flm_bytes_are(label.key, FLM_STORE_SERVICE);
    if (is_service && label.value.size == 0)
        return; /* each text has a NUL */
    flm_text_putc(out, 0);
    if (!is_service) {
        flm_text_add(out, label.key);
        flm_text_putc(out, 0);
    }
    flm_text_add(out, label.value);
    if (is_whole)
        flm_text_putc(out, 0);
}
