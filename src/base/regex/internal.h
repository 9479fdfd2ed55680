/* internal.h - a compiled pattern: instructions, and the classes of symbols that they tell
 * apart. Private to parse.c, which makes it, study.c, and regex.c, groups.c and
 * substitution.c, which run it.
 *
 * A text is a row of *symbols*. A UTF-8 sequence is one symbol, its code point; a byte that belongs
 * to no sequence is one as well, a stray. So `.` is one instruction and no match ever starts or
 * ends inside a character.
 *
 *     0 ... 0x10FFFF            code points
 *     0x110000 ... 0x11007F     the stray bytes 0x80 to 0xFF
 *
 * Offsets in the code are relative, so that the part for `(ab|c)` can be moved and copied as it is:
 *
 *     (ab|c)*      0 split 7           7: after the loop; else go on with 1
 *                  1   split 5
 *                  2     take a
 *                  3     take b
 *                  4     jump 6
 *                  5     take c
 *                  6 jump 0
 *                  7 match */
#ifndef FLAMEL_BASE_REGEX_INTERNAL_H
#define FLAMEL_BASE_REGEX_INTERNAL_H

#include "base/core/bytes.h"
#include "base/regex/regex.h"

#define FLM_REGEX_LIMIT 10000 /* of instructions, and of ranges in all sets */

#define FLM_STRAY 0x110000u
#define FLM_SYMBOL_COUNT (FLM_STRAY + 0x80)
#define FLM_SYMBOL_END FLM_SYMBOL_COUNT /* what follows the last symbol of a text */

enum flm_op {
    FLM_OP_TAKE,  /* one symbol of a set */
    FLM_OP_SPLIT, /* the next one, and the one at `offset` */
    FLM_OP_JUMP,  /* the one at `offset` */
    FLM_OP_BEGIN, /* these four take nothing: ^ $ \b \B */
    FLM_OP_END,
    FLM_OP_EDGE,
    FLM_OP_NO_EDGE,
    FLM_OP_MARK, /* nothing either: here a group begins or ends; only where groups are requested */
    FLM_OP_MATCH /* the last one */
};

struct flm_instruction {
    uint16_t op;
    int16_t offset;              /* of SPLIT and JUMP, from here */
    uint16_t range, range_count; /* of TAKE, in `ranges`; of MARK, `range` is which mark */
};

/* From `first` to `last`, which belongs to it. The ranges of a set are sorted and do not touch. */
struct flm_symbol_range {
    uint32_t first, last;
};

struct flm_regex {
    struct flm_instruction *code;
    size_t code_count, code_capacity;
    struct flm_symbol_range *ranges;
    size_t range_count, range_capacity;

    /* What follows from them: see flm_regex_study.
     *
     * No set, and no \b, tells apart the symbols from class_first[c] to class_first[c + 1] - 1. */
    uint32_t *class_first;
    size_t class_count, class_capacity;
    uint8_t class_of_ascii[128];

    unsigned group_count; /* that have marks: the first ones, FLM_REGEX_GROUPS at most */

    bool uses_begin, uses_edges; /* there is a ^; a \b or \B */
    bool anchored;               /* every match begins at the start of the text */
    bool starts_anyhow;          /* no assertion stands in front of the first symbol */
    int first_byte;              /* every match begins with this ASCII byte; -1: not known */
};

/* Splits one symbol off `text`, which is not empty; returns how many bytes it has. */
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
    /* Neither longer than needed, nor half of a UTF-16 pair, nor beyond Unicode. */
    if (point < least[length] || (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF)
        return 1;
    *symbol = point;
    return length;
}

/* What \w takes. */
static inline bool flm_symbol_is_word(uint32_t symbol)
{
    return (symbol >= 'a' && symbol <= 'z') || (symbol >= 'A' && symbol <= 'Z') ||
           (symbol >= '0' && symbol <= '9') || symbol == '_';
}

/* Fills in what follows from the code and the ranges. False if memory ran out. */
bool flm_regex_study(struct flm_regex *regex, struct flm_error *why);

/* Where the groups of a match are: those in ( ), which a pattern has only when it was made for
 * this. Group g, from 0, stands from marks[2 * g] to marks[2 * g + 1]; both are FLM_NO_MARK where
 * it took no part. Of the ways to match the same, each choice is the first that there is, and as
 * many repetitions as there can be: as Perl has it. A group that matched several times stands where
 * it did last. */
enum { FLM_REGEX_GROUPS = 9, FLM_REGEX_MARKS = 2 * FLM_REGEX_GROUPS };
#define FLM_NO_MARK SIZE_MAX
struct flm_regex *flm_regex_new_with_groups(struct flm_bytes pattern, bool any_case,
                                            struct flm_error *why);

/* Of the match from `start` to `end` that flm_regex_find found. False if memory ran out. */
bool flm_regex_find_groups(const struct flm_regex *regex, struct flm_bytes text, size_t start,
                           size_t end, size_t marks[FLM_REGEX_MARKS]);

/* flm_regex_find of a match that begins at `from` or behind it: what stands before is seen by ^ and
 * \b. */
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

/* flm_regex_find without the quick search in front, so that tests can hold one against the other.
 */
bool flm_regex_find_by_threads(const struct flm_regex *regex, struct flm_regex_scratch *scratch,
                               struct flm_bytes text, size_t *start, size_t *end);

/* How many instructions all searches with `scratch` visited: what a search costs, without a clock.
 */
uint64_t flm_regex_visits(const struct flm_regex_scratch *scratch);

#endif
