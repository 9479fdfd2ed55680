/* internal.h - a compiled pattern: instructions, and the classes of symbols that they distinguish.
 * Made by parse.c and program.c, completed by study.c, and run by regex.c and groups.c.
 *
 * A text is a sequence of *symbols*. A UTF-8 sequence is one symbol, its code point; a byte that
 * belongs to no sequence, a stray byte, is a symbol too. So `.` is one instruction, and no match
 * starts or ends inside a character.
 *
 *     0 ... 0x10FFFF            code points
 *     0x110000 ... 0x11007F     the stray bytes 0x80 to 0xFF
 *
 * Offsets in the code are relative, so that the code of `(ab|c)` can be moved and copied unchanged:
 *
 *     (ab|c)*      0 split 7           7: after the loop; otherwise 1
 *                  1   split 5
 *                  2     take a
 *                  3     take b
 *                  4     jump 6
 *                  5     take c
 *                  6 jump 0
 *                  7 match */
#ifndef FLAMEL_BASE_REGEX_INTERNAL_H
#define FLAMEL_BASE_REGEX_INTERNAL_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/regex/regex.h"

#define FLM_REGEX_LIMIT 10000 /* of instructions, and of ranges in all sets */

#define FLM_STRAY 0x110000u
#define FLM_SYMBOL_COUNT (FLM_STRAY + 0x80)
#define FLM_SYMBOL_END FLM_SYMBOL_COUNT /* stands for the end of a text */

enum flm_op {
    FLM_OP_TAKE,  /* one symbol of a set */
    FLM_OP_SPLIT, /* the next one, and the one at `offset` */
    FLM_OP_JUMP,  /* the one at `offset` */
    FLM_OP_BEGIN, /* these four take nothing: ^ $ \b \B */
    FLM_OP_END,
    FLM_OP_EDGE,
    FLM_OP_NO_EDGE,
    FLM_OP_MARK, /* takes nothing: a group begins or ends here; only where groups are requested */
    FLM_OP_MATCH /* the last one */
};

struct flm_instruction {
    uint16_t op;
    int16_t offset;              /* of SPLIT and JUMP, from here */
    uint16_t range, range_count; /* of TAKE, in `ranges`; of MARK, `range` is which mark */
};

/* From `first` to `last` inclusive. The ranges of a set are sorted and do not touch. */
struct flm_symbol_range {
    uint32_t first, last;
};

struct flm_regex {
    struct FLM_ARRAY(struct flm_instruction) code;
    struct FLM_ARRAY(struct flm_symbol_range) ranges;

    /* Computed from the code and the ranges by flm_regex_study.
     *
     * No set and no \b distinguishes the symbols from class_first[c] to class_first[c + 1] - 1. */
    struct FLM_ARRAY(uint32_t) class_first;
    uint8_t class_of_ascii[128];

    unsigned group_count; /* groups with marks: the first ones, at most FLM_REGEX_GROUPS */

    bool uses_begin, uses_edges; /* there is a ^; a \b or \B */
    bool anchored;               /* every match begins at the start of the text */
    bool starts_anyhow;          /* no assertion precedes the first symbol */
    int first_byte;              /* every match begins with this ASCII byte; -1: not known */
};

/* ---- Making the code (program.c) ------------------------------------------------------------- */

#define FLM_NO_OFFSET SIZE_MAX
enum { FLM_REGEX_UNLIMITED = FLM_REGEX_LIMIT + 1 };

/* A group that is still open; the first one is the whole pattern. */
struct flm_regex_group {
    size_t offset;      /* of its ( in the pattern */
    size_t start;       /* of its code */
    size_t alternative; /* start of the code of its latest alternative */
    size_t last_jump;   /* from the end of an alternative to the group's; or FLM_NO_OFFSET */
    size_t mark;        /* of its end; or FLM_NO_OFFSET */
};

/* The code of a pattern, as the parser has read it so far. */
struct flm_program {
    struct flm_regex *regex;
    const size_t *offset; /* the parser's position, for errors */
    bool fold;            /* (?i) */
    bool has_groups;      /* with marks where the first groups begin and end */
    struct FLM_ARRAY(struct flm_regex_group) groups;
    size_t atom; /* start of the code that `*` would repeat; or FLM_NO_OFFSET */
    struct flm_error *why;
};

/* All are false, and `why`, when memory ran out or the pattern is too large. */
bool flm_program_refuse_size(const struct flm_program *p);
bool flm_program_add_assertion(struct flm_program *p, enum flm_op op);
bool flm_program_repeat(struct flm_program *p, unsigned least, unsigned most); /* the atom */
bool flm_program_open_group(struct flm_program *p, size_t offset, bool marked);
bool flm_program_add_alternative(struct flm_program *p);
bool flm_program_close_group(struct flm_program *p);
bool flm_program_add_literal(struct flm_program *p, uint32_t symbol);
bool flm_program_end(struct flm_program *p);

/* A set is the ranges of the regex from index `set` on; flm_program_add_take ends it. */
bool flm_program_add_range(struct flm_program *p, uint32_t first, uint32_t last);
bool flm_program_add_class(struct flm_program *p, int letter); /* \d, \D, \w, \W, \s or \S */
bool flm_program_add_take(struct flm_program *p, size_t set, bool negated);

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Reads the first symbol of `text`, which is not empty; returns its size in bytes. */
static inline size_t flm_symbol_read(const char *text, size_t size, uint32_t *symbol)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x80) {
        *symbol = at[0];
        return 1;
    }
    *symbol = FLM_STRAY + at[0] - 0x80;
    size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC0 || at[0] >= 0xF8 || length > size)
        return 1;
    uint32_t point = at[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 1;
        point = point << 6 | (at[i] & 0x3F);
    }
    /* Overlong forms, surrogates and values above U+10FFFF are no characters. */
    if (point < least[length] || (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF)
        return 1;
    *symbol = point;
    return length;
}

/* Whether \w takes it. */
static inline bool flm_symbol_is_word(uint32_t symbol)
{
    return (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
           (symbol >= '0' && symbol <= '9') || symbol == '_';
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* Computes the members that depend on the code and the ranges. False if memory ran out. */
bool flm_regex_study(struct flm_regex *regex, struct flm_error *why);

/* The groups of a match, that is, what each ( ) of the pattern matched. A pattern has groups only
 * if it was made by flm_regex_new_with_groups. Group g, from 0, is [marks[2 * g], marks[2 * g + 1])
 * of the text; both are FLM_NO_MARK where it took no part. Where several ways lead to the same
 * match, the first alternative and the most repetitions are preferred, as in Perl. A group that
 * matched several times has its last match. */
enum { FLM_REGEX_GROUPS = 9, FLM_REGEX_MARKS = 2 * FLM_REGEX_GROUPS };
#define FLM_NO_MARK SIZE_MAX
struct flm_regex *flm_regex_new_with_groups(struct flm_bytes pattern, bool any_case,
                                            struct flm_error *why);

/* The groups of the match [start, end) that flm_regex_find found. False if memory ran out. */
bool flm_regex_find_groups(const struct flm_regex *regex, struct flm_bytes text, size_t start,
                           size_t end, size_t marks[FLM_REGEX_MARKS]);

/* flm_regex_find for a match that begins at `from` or later; ^ and \b see the text before it. */
bool flm_regex_find_from(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                         struct flm_bytes text, size_t from, size_t *start, size_t *end);

/* Whether an assertion holds between `before` and `after`; FLM_SYMBOL_END at either end of the
 * text. */
static inline bool flm_symbols_assert(enum flm_op op, uint32_t before, uint32_t after)
{
    bool edge = flm_symbol_is_word(before) != flm_symbol_is_word(after);
    return op == FLM_OP_BEGIN ? before == FLM_SYMBOL_END
           : op == FLM_OP_END ? after == FLM_SYMBOL_END
                              : edge == (op == FLM_OP_EDGE);
}

/* flm_regex_find without the fast search first, so that tests can compare the two.
 */
bool flm_regex_find_by_threads(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                               struct flm_bytes text, size_t *start, size_t *end);

/* The number of instructions that all searches with `scratch` visited: the cost without a clock.
 */
uint64_t flm_regex_visits(const struct flm_regex_scratch *scratch);

#endif
