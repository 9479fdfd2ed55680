#include "base/text/glob.h"

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
