#include <stdlib.h>

#include "base/number/number.h"
#include "base/regex/internal.h"

/* The code of a pattern is made in one pass over it. What has just been made, an atom, is the end
 * of the code; `*` puts a split in front of it and a jump behind. Groups are a stack of our own, so
 * that no depth of parentheses is too much. */

/* A group that is still open; the first one is the whole pattern. */
struct group {
    size_t offset;      /* of its ( in the pattern */
    size_t start;       /* of its code */
    size_t alternative; /* where the code of its latest alternative starts */
    size_t last_jump;   /* from the end of an alternative to the group's; NONE: there is none */
    size_t mark;        /* that stands at its end; NONE: it has none */
};

#define NONE SIZE_MAX

struct parser {
    struct flm_bytes pattern;
    size_t at;
    bool fold;       /* (?i) */
    bool has_groups; /* marks stand where the first groups begin and end */
    struct flm_regex *regex;
    struct group *groups;
    size_t group_count, group_capacity;
    size_t atom; /* where the code that `*` would repeat starts; NONE: there is none */
    struct flm_error *why;
};

enum { UNLIMITED = FLM_REGEX_LIMIT + 1 };

static int peek(const struct parser *p, size_t ahead)
{
    size_t left = p->pattern.size - p->at;
    return ahead < left ? (unsigned char)p->pattern.at[p->at + ahead] : -1;
}

static bool refuse_size(struct parser *p)
{
    return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                          "the pattern is too large: up to here it takes more than %d instructions",
                          FLM_REGEX_LIMIT);
}

/* ---- Code ------------------------------------------------------------------------------------ */

static bool emit(struct parser *p, struct flm_instruction instruction)
{
    struct flm_regex *r = p->regex;
    if (r->code_count == FLM_REGEX_LIMIT)
        return refuse_size(p);
    void *code = r->code;
    if (!flm_grow(&code, &r->code_capacity, r->code_count + 1, sizeof *r->code))
        return flm_error_memory(p->why);
    r->code = code;
    r->code[r->code_count++] = instruction;
    return true;
}

/* In front of the code from `at` on, which moves as a whole: its offsets stay right, and whoever
 * leads to its start from outside leads to the new instruction. */
static bool insert(struct parser *p, size_t at, struct flm_instruction instruction)
{
    if (!emit(p, instruction))
        return false;
    struct flm_instruction *code = p->regex->code;
    memmove(code + at + 1, code + at, (p->regex->code_count - 1 - at) * sizeof *code);
    code[at] = instruction;
    return true;
}

static struct flm_instruction instruction(enum flm_op op, ptrdiff_t offset)
{
    return (struct flm_instruction){.op = (uint16_t)op, .offset = (int16_t)offset};
}

static bool copy(struct parser *p, size_t from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!emit(p, p->regex->code[from + i]))
            return false;
    return true;
}

static bool add_assertion(struct parser *p, enum flm_op op)
{
    p->atom = p->regex->code_count;
    return emit(p, instruction(op, 0));
}

/* Repeats the atom, from `least` to `most` times. */
static bool repeat(struct parser *p, unsigned least, unsigned most)
{
    struct flm_regex *r = p->regex;
    size_t atom = p->atom, size = r->code_count - atom;
    if (size == 0)
        return true;
    if (most == 0) {
        r->code_count = atom;
        return true;
    }
    for (unsigned i = 1; i < least; i++)
        if (!copy(p, atom, size))
            return false;

    if (most == UNLIMITED && least > 0) /* the last copy once more */
        return emit(p, instruction(FLM_OP_SPLIT, -(ptrdiff_t)size));
    if (most == UNLIMITED)
        return insert(p, atom, instruction(FLM_OP_SPLIT, (ptrdiff_t)size + 2)) &&
               emit(p, instruction(FLM_OP_JUMP, -(ptrdiff_t)size - 1));

    /* x{2,4} is x x split x split x, both splits to the end. */
    size_t optional = least > 0 ? r->code_count : atom;
    if (least == 0) {
        if (!insert(p, atom++, instruction(FLM_OP_SPLIT, 0)))
            return false;
        least = 1;
    }
    for (unsigned i = least; i < most; i++)
        if (!emit(p, instruction(FLM_OP_SPLIT, 0)) || !copy(p, atom, size))
            return false;
    for (size_t split = optional; split < r->code_count; split += size + 1)
        r->code[split].offset = (int16_t)(r->code_count - split);
    return true;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static struct group *innermost(struct parser *p)
{
    return &p->groups[p->group_count - 1];
}

static bool add_mark(struct parser *p, size_t mark)
{
    struct flm_instruction in = {.op = FLM_OP_MARK, .range = (uint16_t)mark};
    return emit(p, in);
}

/* `marked`: by ( ), not by (?: ). */
static bool open_group(struct parser *p, size_t offset, bool marked)
{
    size_t mark = NONE, start = p->regex->code_count;
    if (marked && p->has_groups && p->regex->group_count < FLM_REGEX_GROUPS) {
        mark = 2 * p->regex->group_count++;
        if (!add_mark(p, mark++))
            return false;
    }
    void *groups = p->groups;
    if (!flm_grow(&groups, &p->group_capacity, p->group_count + 1, sizeof *p->groups))
        return flm_error_memory(p->why);
    p->groups = groups;
    size_t here = p->regex->code_count;
    p->groups[p->group_count++] = (struct group){offset, start, here, NONE, mark};
    p->atom = NONE;
    return true;
}

/* After `a` of `a|b`: split to b; a; jump to the end. Until the end is known, the offset of a jump
 * says how far back the one before it is, or 0: there is none. */
static bool add_alternative(struct parser *p)
{
    struct group *group = innermost(p);
    struct flm_regex *r = p->regex;
    size_t size = r->code_count - group->alternative;
    if (!insert(p, group->alternative, instruction(FLM_OP_SPLIT, (ptrdiff_t)size + 2)))
        return false;
    size_t jump = r->code_count;
    size_t back = group->last_jump == NONE ? 0 : jump - group->last_jump;
    if (!emit(p, instruction(FLM_OP_JUMP, (ptrdiff_t)back)))
        return false;
    group->last_jump = jump;
    group->alternative = r->code_count;
    p->atom = NONE;
    return true;
}

static bool close_group(struct parser *p)
{
    struct group *group = innermost(p);
    struct flm_instruction *code = p->regex->code;
    for (size_t jump = group->last_jump; jump != NONE;) {
        size_t back = (size_t)code[jump].offset;
        code[jump].offset = (int16_t)(p->regex->code_count - jump);
        jump = back == 0 ? NONE : jump - back;
    }
    p->atom = group->start;
    p->group_count--;
    return group->mark == NONE || add_mark(p, group->mark);
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static bool add_range(struct parser *p, uint32_t first, uint32_t last)
{
    struct flm_regex *r = p->regex;
    if (r->range_count == FLM_REGEX_LIMIT)
        return refuse_size(p);
    void *ranges = r->ranges;
    if (!flm_grow(&ranges, &r->range_capacity, r->range_count + 1, sizeof *r->ranges))
        return flm_error_memory(p->why);
    r->ranges = ranges;
    r->ranges[r->range_count++] = (struct flm_symbol_range){first, last};
    return true;
}

/* Sorts the ranges from `set` on and joins those that touch. By insertion: they are few, and in
 * order as a rule. */
static void tidy(struct flm_regex *r, size_t set)
{
    struct flm_symbol_range *ranges = r->ranges;
    for (size_t i = set + 1; i < r->range_count; i++) {
        struct flm_symbol_range range = ranges[i];
        size_t at = i;
        for (; at > set && ranges[at - 1].first > range.first; at--)
            ranges[at] = ranges[at - 1];
        ranges[at] = range;
    }
    size_t kept = set;
    for (size_t i = set; i < r->range_count; i++) {
        if (kept > set && ranges[i].first <= ranges[kept - 1].last + 1) {
            if (ranges[kept - 1].last < ranges[i].last)
                ranges[kept - 1].last = ranges[i].last;
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    r->range_count = kept;
}

/* Replaces the ranges from `set` on, which are tidy, by the gaps between them. */
static bool negate(struct parser *p, size_t set)
{
    struct flm_regex *r = p->regex;
    size_t end = r->range_count, kept = set;
    uint32_t next = 0; /* the first symbol that no range before had */
    for (size_t i = set; i < end; i++) {
        struct flm_symbol_range range = r->ranges[i];
        if (range.first > next)
            r->ranges[kept++] = (struct flm_symbol_range){next, range.first - 1};
        next = range.last + 1;
    }
    r->range_count = kept;
    return next == FLM_SYMBOL_COUNT || add_range(p, next, FLM_SYMBOL_COUNT - 1);
}

static bool has(const struct flm_regex *r, size_t set, uint32_t symbol)
{
    for (size_t i = set; i < r->range_count; i++)
        if (symbol >= r->ranges[i].first && symbol <= r->ranges[i].last)
            return true;
    return false;
}

static bool fold(struct parser *p, size_t set)
{
    for (uint32_t lower = 'a', upper = 'A'; lower <= 'z'; lower++, upper++) {
        bool has_lower = has(p->regex, set, lower), has_upper = has(p->regex, set, upper);
        if (has_lower && !has_upper && !add_range(p, upper, upper))
            return false;
        if (has_upper && !has_lower && !add_range(p, lower, lower))
            return false;
    }
    return true;
}

/* An instruction that takes one of the symbols from `set` on. */
static bool add_take(struct parser *p, size_t set, bool negated)
{
    if (p->fold && !fold(p, set))
        return false;
    tidy(p->regex, set);
    if (negated && !negate(p, set))
        return false;
    struct flm_instruction take = {.op = FLM_OP_TAKE, .range = (uint16_t)set};
    take.range_count = (uint16_t)(p->regex->range_count - set);
    p->atom = p->regex->code_count;
    return emit(p, take);
}

static bool add_literal(struct parser *p, uint32_t symbol)
{
    size_t set = p->regex->range_count;
    return add_range(p, symbol, symbol) && add_take(p, set, false);
}

static bool is_class(int letter)
{
    return letter == 'd' || letter == 'D' || letter == 'w' || letter == 'W' || letter == 's' ||
           letter == 'S';
}

/* What \d and the others stand for. */
static bool add_class(struct parser *p, int letter)
{
    static const struct flm_symbol_range digits[] = {{'0', '9'}};
    static const struct flm_symbol_range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const struct flm_symbol_range spaces[] = {{'\t', '\r'}, {' ', ' '}};
    int lower = letter | 0x20;
    const struct flm_symbol_range *ranges = lower == 'd' ? digits : lower == 'w' ? words : spaces;
    size_t count = lower == 'd' ? 1 : lower == 'w' ? 4 : 2;

    size_t set = p->regex->range_count;
    for (size_t i = 0; i < count; i++)
        if (!add_range(p, ranges[i].first, ranges[i].last))
            return false;
    return letter == lower || negate(p, set);
}

/* ---- The text of a pattern ------------------------------------------------------------------- */

/* A byte, as itself or as \x41; how much of the pattern it is, or 0: neither. */
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

/* The symbol that the next one to four bytes are. */
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

/* One symbol, escaped or not; not \d or \b. */
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
        return add_class(p, letter);
    }
    uint32_t first, last;
    if (!read_symbol(p, &first))
        return false;
    if (peek(p, 0) != '-' || peek(p, 1) == ']' || peek(p, 1) < 0)
        return add_range(p, first, first);
    p->at++;
    if (peek(p, 0) == '\\' && is_class(peek(p, 1)))
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at, "a range cannot end with \\%c",
                              peek(p, 1));
    if (!read_symbol(p, &last))
        return false;
    if (last < first)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, offset, "the range %.*s is backwards",
                              (int)(p->at - offset), p->pattern.at + offset);
    return add_range(p, first, last);
}

/* [:alpha:], which would otherwise be a set of these letters: not what was meant. */
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
    size_t open = p->at++, set = p->regex->range_count;
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
    return add_take(p, set, negated);
}

static bool parse_any(struct parser *p)
{
    p->at++;
    size_t set = p->regex->range_count;
    return add_range(p, 0, FLM_SYMBOL_COUNT - 1) && add_take(p, set, false);
}

static bool parse_escape(struct parser *p)
{
    int letter = peek(p, 1);
    if (letter == 'b' || letter == 'B') {
        p->at += 2;
        return add_assertion(p, letter == 'b' ? FLM_OP_EDGE : FLM_OP_NO_EDGE);
    }
    if (is_class(letter)) {
        p->at += 2;
        size_t set = p->regex->range_count;
        return add_class(p, letter) && add_take(p, set, false);
    }
    uint32_t symbol;
    return read_symbol(p, &symbol) && add_literal(p, symbol);
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
    return open_group(p, open, !plain);
}

static bool parse_close(struct parser *p)
{
    if (p->group_count == 1)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "this ) closes nothing; for the character itself write \\)");
    p->at++;
    return close_group(p);
}

/* A number that may be missing; saturates. Returns where it ends. */
static size_t read_count(const struct parser *p, size_t ahead, unsigned *count)
{
    for (*count = 0; peek(p, ahead) >= '0' && peek(p, ahead) <= '9'; ahead++)
        if (*count < UNLIMITED)
            *count = *count * 10 + (unsigned)(peek(p, ahead) - '0');
    return ahead;
}

/* {2}, {2,} or {2,5}: its size in the pattern, or 0. Anything else after { is text, as in the
 * {{closure}} of Rust. */
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
            *most = UNLIMITED;
        else if (*most >= UNLIMITED)
            *most = UNLIMITED + 1; /* written, and too large */
    }
    return peek(p, end) == '}' ? end + 1 : 0;
}

static bool parse_repeat(struct parser *p)
{
    int sign = peek(p, 0);
    unsigned least = sign == '+', most = sign == '?' ? 1 : UNLIMITED;
    size_t size = 1;
    if (sign == '{' && (size = read_counts(p, &least, &most)) == 0) {
        p->at++;
        return add_literal(p, '{');
    }
    if (p->atom == NONE)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at,
                              "there is nothing for %c to repeat; for the character itself write "
                              "\\%c",
                              sign, sign);
    if (most < least)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, p->at, "the numbers of %.*s are backwards",
                              (int)size, p->pattern.at + p->at);
    if (least > FLM_REGEX_LIMIT || most > UNLIMITED)
        return refuse_size(p);
    p->at += size;
    return repeat(p, least, most);
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
        return add_alternative(p);
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
        return add_assertion(p, FLM_OP_BEGIN);
    case '$':
        p->at++;
        return add_assertion(p, FLM_OP_END);
    case '\\':
        return parse_escape(p);
    default:
        return read_symbol(p, &symbol) && add_literal(p, symbol);
    }
}

static bool parse(struct parser *p)
{
    if (flm_bytes_start_with(p->pattern, "(?i)")) {
        p->fold = true; /* also in one that is any_case already */
        p->at = 4;
    }
    if (!open_group(p, 0, false))
        return false;
    while (p->at < p->pattern.size)
        if (!parse_next(p))
            return false;
    if (p->group_count > 1)
        return flm_error_byte(p->why, FLM_ERROR_FORMAT, innermost(p)->offset,
                              "this ( is never closed; for the character itself write \\(");
    return close_group(p) && emit(p, instruction(FLM_OP_MATCH, 0));
}

static struct flm_regex *regex_new(struct flm_bytes pattern, bool any_case, bool has_groups,
                                   struct flm_error *why)
{
    struct flm_regex *regex = calloc(1, sizeof *regex);
    if (!regex) {
        flm_error_memory(why);
        return NULL;
    }
    struct parser parser = {
        .pattern = pattern, .fold = any_case, .has_groups = has_groups, .regex = regex, .why = why};
    bool ok = parse(&parser) && flm_regex_study(regex, why);
    free(parser.groups);
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
    free(regex->code);
    free(regex->ranges);
    free(regex->class_first);
    free(regex);
}
