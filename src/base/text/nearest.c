#include "base/text/nearest.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* The optimal string alignment distance: Levenshtein's, and exchanged neighbors, the commonest slip
 * of all, are one change. */
size_t flm_edit_distance(struct flm_bytes a, struct flm_bytes b)
{
    enum { LONGEST = 64 };
    size_t rows[3][LONGEST + 1];
    if (a.size > LONGEST || b.size > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.size; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.size; j++) {
            size_t least = above[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            size_t other = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            least = least < other ? least : other;
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1] &&
                higher[j - 2] + 1 < least)
                least = higher[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[a.size % 3][b.size];
}

/* Where `part` begins; SIZE_MAX: nowhere. */
static size_t position(struct flm_bytes text, struct flm_bytes part)
{
    for (size_t i = 0; i + part.size <= text.size; i++)
        if (memcmp(text.at + i, part.at, part.size) == 0)
            return i;
    return SIZE_MAX;
}

static size_t distance(struct flm_bytes asked, struct flm_bytes name)
{
    enum { LEAST_PART = 3, BEGINS = 1, CONTAINS = 2 };
    size_t edits = flm_edit_distance(asked, name);
    size_t at = asked.size >= LEAST_PART ? position(name, asked) : SIZE_MAX;
    size_t most = at == SIZE_MAX ? edits : at == 0 ? BEGINS : CONTAINS;
    return edits < most ? edits : most;
}

void flm_nearest_add(struct flm_nearest *nearest, struct flm_bytes name)
{
    assert(nearest->asked.at || nearest->asked.size == 0);
    if (name.size == 0 || nearest->asked.size == 0)
        return;
    size_t d = distance(nearest->asked, name);
    if (d > 1 + nearest->asked.size / 3)
        return;
    size_t at = nearest->count;
    for (size_t i = 0; i < nearest->count; i++)
        if (flm_bytes_equal(nearest->at[i].name, name))
            return;
    while (at > 0 && nearest->at[at - 1].distance > d) {
        if (at < FLM_NEAREST_MOST)
            nearest->at[at] = nearest->at[at - 1];
        at--;
    }
    if (at == FLM_NEAREST_MOST)
        return;
    nearest->at[at].name = name;
    nearest->at[at].distance = d;
    nearest->count += nearest->count < FLM_NEAREST_MOST;
}

void flm_nearest_put(const struct flm_nearest *nearest, const char *prefix, struct flm_text *out)
{
    for (size_t i = 0; i < nearest->count; i++) {
        flm_text_puts(out, i == 0 ? "" : i + 1 < nearest->count ? ", " : " or ");
        flm_text_puts(out, prefix);
        flm_text_add(out, nearest->at[i].name);
    }
}
