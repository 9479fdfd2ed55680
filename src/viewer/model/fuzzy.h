/* fuzzy.h - a few letters that a name has in this order, as people abbreviate names: "hmget" for
 * HashMap.get, "prsjs" for parse_json.
 *
 * Long names contain most short sequences of letters somewhere, so order alone would match nearly
 * everything. The cost of a match says how far it is from an abbreviation that people would use:
 *
 *     a letter directly behind the one before   0         java/util/HashMap.get
 *     at the beginning of a word                1                   |   |   |||
 *     inside a word                             3                   h   m   get    0 + 1 + 1 = 2
 *     the first letter                          0 or 2
 *
 * A name matches if its cheapest match costs at most one more than there are letters. A word begins
 * after a character that is neither letter nor digit, and at a capital after a small letter. Blanks
 * in the text are ignored. ASCII letters are compared in any case unless the text has a capital.
 *
 * Costs about 1 ns a byte for names that do not have the letters, 2 to 4 for those that do. */
#ifndef FLAMEL_VIEWER_MODEL_FUZZY_H
#define FLAMEL_VIEWER_MODEL_FUZZY_H

#include "base/core/bytes.h"

enum { FLM_FUZZY_LETTERS = 64, FLM_FUZZY_NEVER = 0x3FFFFFFF };

/* The typed text, prepared; longer texts are cut off. */
struct flm_fuzzy {
    unsigned count; /* letters */
    bool any_case;
    char letter[FLM_FUZZY_LETTERS]; /* small ones, when the case does not matter */
    uint64_t positions[256];        /* by byte: a bit for each letter that it is */
};

void flm_fuzzy_init(struct flm_fuzzy *fuzzy, struct flm_bytes text, bool any_case);

/* Whether the name has the letters in this order. No letters: false. */
bool flm_fuzzy_possible(const struct flm_fuzzy *fuzzy, struct flm_bytes name);

/* The cost of the cheapest match; FLM_FUZZY_NEVER if there is none. */
int flm_fuzzy_cost(const struct flm_fuzzy *fuzzy, struct flm_bytes name);

/* Whether a cost is low enough for a match. */
static inline bool flm_fuzzy_accepts(const struct flm_fuzzy *fuzzy, int cost)
{
    return cost <= (int)fuzzy->count + 1;
}

/* The shortest part of the name that ends where the cheapest match first ends and has all letters;
 * false where there is none. */
bool flm_fuzzy_part(const struct flm_fuzzy *fuzzy, struct flm_bytes name, size_t *from, size_t *to);

#endif
