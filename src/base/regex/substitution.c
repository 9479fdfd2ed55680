#include "base/regex/substitution.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"

#include "base/regex/internal.h"

/* A part of the replacement: text, or a group. */
enum { PIECE_TEXT = -2, PIECE_MATCH = -1 };
struct piece {
    int group;         /* from 0; or one of the above */
    size_t start, end; /* of TEXT, in `texts` */
};

struct flm_substitution {
    struct flm_regex *regex;
    struct flm_regex_scratch *scratch;
    struct flm_text texts;
    struct FLM_ARRAY(struct piece) pieces;
    bool every;
};

static const char separators[] = "/,:;#@%!~=\"'";

/* The end of the part that begins at `at`: the next separator without a \ before it; text.size when
 * there is none. */
static size_t part_end(struct flm_bytes text, size_t at)
{
    while (at < text.size && text.at[at] != text.at[1])
        at += text.at[at] == '\\' && at + 1 < text.size ? 2 : 1;
    return at < text.size ? at : text.size;
}

static bool begins_so(struct flm_bytes text)
{
    return text.size >= 2 && text.at[0] == 's' && text.at[1] &&
           flm_is_one_of(text.at[1], separators);
}

size_t flm_substitution_size(struct flm_bytes text)
{
    if (!begins_so(text))
        return 0;
    size_t first = part_end(text, 2);
    size_t second = first < text.size ? part_end(text, first + 1) : text.size;
    return second < text.size ? second + 1 : 0;
}

/* ---- The replacement ------------------------------------------------------------------------- */

static bool add_piece(struct flm_substitution *s, struct piece piece)
{
    return FLM_ARRAY_ADD(&s->pieces, piece);
}

static bool add_byte(struct flm_substitution *s, char byte)
{
    size_t at = s->texts.size;
    flm_text_putc(&s->texts, byte);
    if (s->pieces.count > 0 && s->pieces.at[s->pieces.count - 1].group == PIECE_TEXT)
        s->pieces.at[s->pieces.count - 1].end++;
    else if (!add_piece(s, (struct piece){PIECE_TEXT, at, at + 1}))
        return false;
    return !s->texts.failed;
}

/* Adds the character or group that a \ stands for. */
static bool add_escaped(struct flm_substitution *s, char letter, size_t offset,
                        struct flm_error *why)
{
    if (letter >= '1' && letter <= '9') {
        if ((unsigned)(letter - '0') > s->regex->group_count)
            return flm_error_byte(why, FLM_ERROR_FORMAT, offset,
                                  "\\%c: the pattern has %u group%s in ( )", letter,
                                  s->regex->group_count, s->regex->group_count == 1 ? "" : "s");
        return add_piece(s, (struct piece){letter - '1', 0, 0}) || flm_error_memory(why);
    }
    if (letter == '0')
        return add_piece(s, (struct piece){PIECE_MATCH, 0, 0}) || flm_error_memory(why);
    char byte = letter == 't' ? '\t' : letter == 'n' ? '\n' : letter;
    if (byte == letter && flm_symbol_is_word((unsigned char)letter))
        return flm_error_byte(why, FLM_ERROR_FORMAT, offset,
                              "\\%c has no meaning here; for the character itself write %c", letter,
                              letter);
    return add_byte(s, byte) || flm_error_memory(why);
}

static bool read_replacement(struct flm_substitution *s, struct flm_bytes text, size_t at,
                             size_t end, struct flm_error *why)
{
    for (; at < end; at++) {
        bool good;
        if (text.at[at] == '\\' && at + 1 < end) {
            good = add_escaped(s, text.at[at + 1], at, why);
            at++;
        } else if (text.at[at] == '&') {
            good = add_piece(s, (struct piece){PIECE_MATCH, 0, 0}) || flm_error_memory(why);
        } else {
            good = add_byte(s, text.at[at]) || flm_error_memory(why);
        }
        if (!good)
            return false;
    }
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool read_flags(struct flm_substitution *s, struct flm_bytes text, size_t at, bool *any_case,
                       struct flm_error *why)
{
    for (; at < text.size; at++) {
        if (text.at[at] != 'g' && text.at[at] != 'i')
            return flm_error_byte(why, FLM_ERROR_FORMAT, at,
                                  "'%c' is no flag; there are g, every match, and i, whatever the "
                                  "case",
                                  text.at[at]);
        s->every |= text.at[at] == 'g';
        *any_case |= text.at[at] == 'i';
    }
    return true;
}

/* The pattern from 2 to `end`. The separator has no meaning in a pattern, so a \ before it may
 * stay: it stands for the separator. */
static bool read_pattern(struct flm_substitution *s, struct flm_bytes text, size_t end,
                         bool any_case, struct flm_error *why)
{
    struct flm_bytes pattern = {text.at + 2, end - 2};
    if (pattern.size == 0)
        return flm_error_byte(why, FLM_ERROR_FORMAT, 2, "the pattern is empty");
    s->regex = flm_regex_new_with_groups(pattern, any_case, why);
    if (!s->regex) {
        if (why && why->kind == FLM_ERROR_FORMAT)
            flm_error_move_byte(why, why->offset + 2);
        return false;
    }
    s->scratch = flm_regex_scratch_new(s->regex, why);
    return s->scratch != NULL;
}

static bool read_all(struct flm_substitution *s, struct flm_bytes text, struct flm_error *why)
{
    if (!begins_so(text))
        return flm_error_byte(
            why, FLM_ERROR_FORMAT, 0,
            "a rule is written s/old/new/, with another separator where / stands in "
            "it: s,old,new,");
    size_t first = part_end(text, 2);
    size_t second = first < text.size ? part_end(text, first + 1) : text.size;
    if (second == text.size)
        return flm_error_byte(why, FLM_ERROR_FORMAT, text.size,
                              "the rule is not ended: it is written s%cold%cnew%c", text.at[1],
                              text.at[1], text.at[1]);
    bool any_case = false;
    return read_flags(s, text, second + 1, &any_case, why) &&
           read_pattern(s, text, first, any_case, why) &&
           read_replacement(s, text, first + 1, second, why);
}

struct flm_substitution *flm_substitution_new(struct flm_bytes text, struct flm_error *why)
{
    struct flm_substitution *s = calloc(1, sizeof *s);
    if (!s) {
        flm_error_memory(why);
        return NULL;
    }
    if (!read_all(s, text, why)) {
        flm_substitution_free(s);
        return NULL;
    }
    return s;
}

void flm_substitution_free(struct flm_substitution *s)
{
    if (!s)
        return;
    flm_regex_scratch_free(s->scratch);
    flm_regex_free(s->regex);
    flm_text_clear(&s->texts);
    FLM_ARRAY_CLEAR(&s->pieces);
    free(s);
}

/* Whether the replacement uses groups, which cost more than the match. */
static bool needs_groups(const struct flm_substitution *s)
{
    for (size_t i = 0; i < s->pieces.count; i++)
        if (s->pieces.at[i].group >= 0)
            return true;
    return false;
}

static void add_replacement(const struct flm_substitution *s, struct flm_bytes text, size_t start,
                            size_t end, struct flm_text *out)
{
    size_t marks[FLM_REGEX_MARKS];
    if (needs_groups(s) && !flm_regex_find_groups(s->regex, text, start, end, marks)) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < s->pieces.count && !flm_substitution_is_too_long(text, out); i++) {
        const struct piece *piece = &s->pieces.at[i];
        if (piece->group == PIECE_TEXT) {
            flm_text_add(out,
                         (struct flm_bytes){s->texts.at + piece->start, piece->end - piece->start});
        } else if (piece->group == PIECE_MATCH) {
            flm_text_add(out, (struct flm_bytes){text.at + start, end - start});
        } else {
            size_t from = marks[2 * piece->group], to = marks[2 * piece->group + 1];
            if (from != FLM_NO_MARK && to != FLM_NO_MARK && from <= to)
                flm_text_add(out, (struct flm_bytes){text.at + from, to - from});
        }
    }
}

bool flm_substitution_is_too_long(struct flm_bytes text, const struct flm_text *out)
{
    return out->size > FLM_SUBSTITUTION_MOST && out->size > text.size;
}

bool flm_substitution_make(struct flm_substitution *s, struct flm_bytes text, struct flm_text *out)
{
    assert(s && out);
    size_t start, end, done = 0, last = FLM_NO_MARK;
    if (!flm_regex_find(s->regex, s->scratch, text, &start, &end))
        return false;
    out->size = 0;
    do {
        flm_text_add(out, (struct flm_bytes){text.at + done, start - done});
        if (end > start || start != last) /* an empty match right after a match does not count */
            add_replacement(s, text, start, end, out);
        size_t from = done = last = end;
        if (end == start) { /* the next match begins after the following character */
            if (end == text.size)
                break;
            uint32_t symbol;
            from += flm_symbol_read(text.at + end, text.size - end, &symbol);
        }
        if (!s->every || !flm_regex_find_from(s->regex, s->scratch, text, from, &start, &end))
            break;
    } while (!flm_substitution_is_too_long(text, out));
    flm_text_add(out, (struct flm_bytes){text.at + done, text.size - done});
    return true;
}
