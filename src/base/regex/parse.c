#include <stdlib.h>

#include "base/number/number.h"
#include "base/regex/internal.h"

struct parser {
    struct flm_bytes pattern;
    size_t at;
    struct flm_program program;
    struct flm_error *why;
};

static int peek(const struct parser *p, size_t ahead)
{
    size_t left = p->pattern.size - p->at;
    return ahead < left ? (unsigned char)p->pattern.at[p->at + ahead] : -1;
}

static bool is_class(int letter)
{
    return letter == 'd' || letter == 'D' || letter == 'w' || letter == 'W' || letter == 's' ||
           letter == 'S';
}

/* ---- The text of a pattern ------------------------------------------------------------------- */

/* Reads a byte, written as itself or as \x41; returns its size in the pattern, or 0: neither. */
static size_t read_byte(const struct parser *p, size_t ahead, char *byte)
{
    int first = peek(p, ahead);
    if (first != '\\') {
        *byte = (char)first;
        return first >= 0;
    }
    int high = flm_hex_value((char)peek(p, ahead + 2)),
        low = flm_hex_value((char)peek(p, ahead + 3));
    if (peek(p, ahead + 1) != 'x' || high < 0 || low < 0)
        return 0;
    *byte = (char)(high << 4 | low);
    return 4;
}

/* Reads the symbol that the next one to four bytes encode. */
static bool read_bytes(struct parser *p, uint32_t *symbol)
{
    char bytes[4];
    size_t ends[4], count = 0, ahead = 0, size;
    while (count < 4 && (size = read_byte(p, ahead, bytes + count)) > 0)
        ends[count++] = ahead += size;
    if (count == 0)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "\\x takes two hexadecimal digits: \\x41");
    p->at += ends[flm_symbol_read(bytes, count, symbol) - 1];
    return true;
}

/* Reads one symbol, escaped or not; not \d or \b. */
static bool read_symbol(struct parser *p, uint32_t *symbol)
{
    static const char letters[] = "tnrfv", meanings[] = "\t\n\r\f\v";
    int escaped = peek(p, 1);
    if (peek(p, 0) != '\\' || escaped == 'x')
        return read_bytes(p, symbol);
    if (escaped < 0)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "a \\ at the end; for the character itself write \\\\");
    if (escaped >= 0x80) {
        p->at++;
        return read_bytes(p, symbol);
    }
    const char *letter = memchr(letters, escaped, sizeof letters - 1);
    if (!letter && escaped != '_' && flm_symbol_is_word((uint32_t)escaped))
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "\\%c has no meaning here; for the character itself write %c",
                              escaped, escaped);
    *symbol = (uint32_t)(letter ? meanings[letter - letters] : escaped);
    p->at += 2;
    return true;
}

/* a, a-z or \d, inside [ ]. */
static bool parse_item(struct parser *p)
{
    size_t offset = p->at;
    int letter = peek(p, 1);
    if (peek(p, 0) == '\\' && is_class(letter)) {
        p->at += 2;
        return flm_program_add_class(&p->program, letter);
    }
    uint32_t first, last;
    if (!read_symbol(p, &first))
        return false;
    if (peek(p, 0) != '-' || peek(p, 1) == ']' || peek(p, 1) < 0)
        return flm_program_add_range(&p->program, first, first);
    p->at++;
    if (peek(p, 0) == '\\' && is_class(peek(p, 1)))
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at, "a range cannot end with \\%c",
                              peek(p, 1));
    if (!read_symbol(p, &last))
        return false;
    if (last < first)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, offset, "the range %.*s is backwards",
                              (int)(p->at - offset), p->pattern.at + offset);
    return flm_program_add_range(&p->program, first, last);
}

/* [:alpha:], refused because it would be a set of these letters, which nobody means. */
static bool is_named_class(const struct parser *p)
{
    if (peek(p, 0) != '[' || peek(p, 1) != ':')
        return false;
    size_t ahead = 2;
    while (peek(p, ahead) >= 'a' && peek(p, ahead) <= 'z')
        ahead++;
    return ahead > 2 && peek(p, ahead) == ':' && peek(p, ahead + 1) == ']';
}

static bool parse_set(struct parser *p)
{
    size_t open = p->at++, set = p->program.regex->ranges.count;
    bool negated = peek(p, 0) == '^';
    p->at += negated;
    /* A ] that comes first is a member. */
    for (bool first = true; first || peek(p, 0) != ']'; first = false) {
        if (peek(p, 0) < 0)
            return flm_error_byte(p->why, FLM_ERROR_FORMAT, open,
                                  "this [ is never closed; for the character itself write \\[");
        if (is_named_class(p))
            return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                                  "named sets are not known; write a-z, \\w, \\d or \\s");
        if (!parse_item(p))
            return false;
    }
    p->at++;
    return flm_program_add_take(&p->program, set, negated);
}

static bool parse_any(struct parser *p)
{
    p->at++;
    size_t set = p->program.regex->ranges.count;
    return flm_program_add_range(&p->program, 0, FLM_SYMBOL_COUNT - 1) &&
           flm_program_add_take(&p->program, set, false);
}

static bool parse_escape(struct parser *p)
{
    int letter = peek(p, 1);
    if (letter == 'b' || letter == 'B') {
        p->at += 2;
        return flm_program_add_assertion(&p->program, letter == 'b' ? FLM_OP_EDGE : FLM_OP_NO_EDGE);
    }
    if (is_class(letter)) {
        p->at += 2;
        size_t set = p->program.regex->ranges.count;
        return flm_program_add_class(&p->program, letter) &&
               flm_program_add_take(&p->program, set, false);
    }
    uint32_t symbol;
    return read_symbol(p, &symbol) && flm_program_add_literal(&p->program, symbol);
}

static bool parse_open(struct parser *p)
{
    size_t open = p->at++;
    bool plain = peek(p, 0) == '?';
    if (plain) {
        if (peek(p, 1) != ':')
            return flm_error_byte(p->why, FLM_ERROR_FORMAT, open,
                                  "after (? only (?: ) is known, and (?i) at the very start");
        p->at += 2;
    }
    return flm_program_open_group(&p->program, open, !plain);
}

static bool parse_close(struct parser *p)
{
    if (p->program.groups.count == 1)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "this ) closes nothing; for the character itself write \\)");
    p->at++;
    return flm_program_close_group(&p->program);
}

/* Reads a number that may be missing; it saturates. Returns its end. */
static size_t read_count(const struct parser *p, size_t ahead, unsigned *count)
{
    for (*count = 0; peek(p, ahead) >= '0' && peek(p, ahead) <= '9'; ahead++)
        if (*count < FLM_REGEX_UNLIMITED)
            *count = *count * 10 + (unsigned)(peek(p, ahead) - '0');
    return ahead;
}

/* Reads {2}, {2,} or {2,5}; returns its size in the pattern, or 0. Anything else after { is text,
 * as in the {{closure}} of Rust. */
static size_t read_counts(const struct parser *p, unsigned *least, unsigned *most)
{
    size_t end = read_count(p, 1, least);
    if (end == 1)
        return 0;
    *most = *least;
    if (peek(p, end) == ',') {
        size_t second = end + 1;
        end = read_count(p, second, most);
        if (end == second)
            *most = FLM_REGEX_UNLIMITED;
        else if (*most >= FLM_REGEX_UNLIMITED)
            *most = FLM_REGEX_UNLIMITED + 1; /* it is written, and too large */
    }
    return peek(p, end) == '}' ? end + 1 : 0;
}

static bool parse_repeat(struct parser *p)
{
    int sign = peek(p, 0);
    unsigned least = sign == '+', most = sign == '?' ? 1 : FLM_REGEX_UNLIMITED;
    size_t size = 1;
    if (sign == '{' && (size = read_counts(p, &least, &most)) == 0) {
        p->at++;
        return flm_program_add_literal(&p->program, '{');
    }
    if (p->program.atom == FLM_NO_OFFSET)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "there is nothing for %c to repeat; for the character itself write "
                              "\\%c",
                              sign, sign);
    if (most < least)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at, "the numbers of %.*s are backwards",
                              (int)size, p->pattern.at + p->at);
    if (least > FLM_REGEX_LIMIT || most > FLM_REGEX_UNLIMITED)
        return flm_program_refuse_size(&p->program);
    p->at += size;
    return flm_program_repeat(&p->program, least, most);
}

static bool parse_next(struct parser *p)
{
    uint32_t symbol;
    switch (peek(p, 0)) {
    case '(':
        return parse_open(p);
    case ')':
        return parse_close(p);
    case '|':
        p->at++;
        return flm_program_add_alternative(&p->program);
    case '*':
    case '+':
    case '?':
    case '{':
        return parse_repeat(p);
    case '[':
        return parse_set(p);
    case '.':
        return parse_any(p);
    case '^':
        p->at++;
        return flm_program_add_assertion(&p->program, FLM_OP_BEGIN);
    case '$':
        p->at++;
        return flm_program_add_assertion(&p->program, FLM_OP_END);
    case '\\':
        return parse_escape(p);
    default:
        return read_symbol(p, &symbol) && flm_program_add_literal(&p->program, symbol);
    }
}

static bool parse(struct parser *p)
{
    if (flm_bytes_start_with(p->pattern, "(?i)")) {
        p->program.fold = true; /* also where any_case has set it */
        p->at = 4;
    }
    if (!flm_program_open_group(&p->program, 0, false))
        return false;
    while (p->at < p->pattern.size)
        if (!parse_next(p))
            return false;
    if (p->program.groups.count > 1)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT,
                              p->program.groups.at[p->program.groups.count - 1].offset,
                              "this ( is never closed; for the character itself write \\(");
    return flm_program_end(&p->program);
}

static struct flm_regex *regex_new(struct flm_bytes pattern, bool any_case, bool has_groups,
                                   struct flm_error *why)
{
    struct flm_regex *regex = calloc(1, sizeof *regex);
    if (!regex) {
        flm_error_memory(why);
        return NULL;
    }
    struct parser parser = {.pattern = pattern, .why = why};
    parser.program = (struct flm_program){.regex = regex,
                                          .offset = &parser.at,
                                          .fold = any_case,
                                          .has_groups = has_groups,
                                          .why = why};
    bool ok = parse(&parser) && flm_regex_study(regex, why);
    FLM_ARRAY_CLEAR(&parser.program.groups);
    if (!ok) {
        flm_regex_free(regex);
        return NULL;
    }
    return regex;
}

struct flm_regex *flm_regex_new(struct flm_bytes pattern, struct flm_error *why)
{
    return regex_new(pattern, false, false, why);
}

struct flm_regex *flm_regex_new_any_case(struct flm_bytes pattern, struct flm_error *why)
{
    return regex_new(pattern, true, false, why);
}

struct flm_regex *flm_regex_new_with_groups(struct flm_bytes pattern, bool any_case,
                                            struct flm_error *why)
{
    return regex_new(pattern, any_case, true, why);
}

void flm_regex_free(struct flm_regex *regex)
{
    if (!regex)
        return;
    FLM_ARRAY_CLEAR(&regex->code);
    FLM_ARRAY_CLEAR(&regex->ranges);
    FLM_ARRAY_CLEAR(&regex->class_first);
    free(regex);
}
