#include "base/regex/glob.h"

#include <stdint.h>

/* One place to return to, the last *, is enough. */
bool flm_glob_matches(struct flm_bytes glob, struct flm_bytes name)
{
    size_t g = 0, n = 0, star = SIZE_MAX, star_name = 0;
    while (n < name.size) {
        if (g < glob.size && glob.at[g] == '*') {
            star = g++; /* it is nothing at first, and takes one more where the rest does not fit */
            star_name = n;
        } else if (g < glob.size && (glob.at[g] == '?' || glob.at[g] == name.at[n])) {
            g++;
            n++;
        } else if (star < SIZE_MAX) {
            g = star + 1;
            n = ++star_name;
        } else {
            return false;
        }
    }
    while (g < glob.size && glob.at[g] == '*')
        g++;
    return g == glob.size;
}

static size_t count_of(struct flm_bytes text, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += text.at[i] == byte;
    return count;
}

struct flm_bytes flm_glob_beginning(struct flm_bytes glob, struct flm_bytes name)
{
    const struct flm_bytes none = {"", 0};
    if (glob.size < 3 || glob.at[glob.size - 1] != '*' ||
        !flm_is_one_of(glob.at[glob.size - 2], ".:/-_# "))
        return none;
    char separator = glob.at[glob.size - 2];
    size_t parts = count_of(glob, separator), found = 0, end = 0;
    while (end < name.size && found < parts)
        found += name.at[end++] == separator;
    return found == parts ? (struct flm_bytes){name.at, end} : none;
}
