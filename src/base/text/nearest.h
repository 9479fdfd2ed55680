/* nearest.h - the names that are most similar to one that does not exist: "did you mean ...?".
 *
 *     struct flm_nearest near = {.asked = flm_bytes_of("pasre")};
 *     flm_nearest_add(&near, name);                  for each that there is: no memory is needed
 *     if (near.count > 0)
 *         flm_nearest_put(&near, "", &text);         "parse, paste or pause"
 *
 * Similar are names of a small edit distance (a third of the letters, and one), and those that
 * contain what was asked for, as `ns::parse(char const*)` does. Names are borrowed. */
#ifndef FLAMEL_BASE_TEXT_NEAREST_H
#define FLAMEL_BASE_TEXT_NEAREST_H

#include "base/core/bytes.h"
#include "base/text/text.h"

enum { FLM_NEAREST_MOST = 3 };

struct flm_nearest {
    struct flm_bytes asked;
    struct {
        struct flm_bytes name;
        size_t distance;
    } at[FLM_NEAREST_MOST]; /* the most similar first; equally similar ones as they came */
    size_t count;
};

/* Kept if it is among the most similar so far, once. */
void flm_nearest_add(struct flm_nearest *nearest, struct flm_bytes name);

/* All of them, with `prefix` in front of each. */
void flm_nearest_put(const struct flm_nearest *nearest, const char *prefix, struct flm_text *out);

/* How many letters must be changed, added or left out to make `b` of `a`; where two neighbors are
 * exchanged that is one, too. SIZE_MAX for names of more than 64 bytes. */
size_t flm_edit_distance(struct flm_bytes a, struct flm_bytes b);

#endif
