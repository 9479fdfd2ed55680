/* substitution.h - text in place of what a regular expression matches, written as sed has it:
 *
 *     s/pattern/replacement/flags      s/_v[0-9]+$//        parse_v2        parse
 *                                      s/get_(\w+)/\1/      get_name        name
 *                                      s,net/http,http,     net/http.Serve  http.Serve
 *
 * The mark that parts them is any of / , : ; # @ % ! ~ = " ' and may stand in them behind a \. In
 * the replacement \1 to \9 are the groups of the pattern, and & or \0 all of the match; \& and \\
 * are these characters, \t and \n what they are elsewhere. Flags: g, every match and not only the
 * first; i, whatever the case. Patterns are those of regex.h: the leftmost match, the longest. */
#ifndef FLAMEL_BASE_REGEX_SUBSTITUTION_H
#define FLAMEL_BASE_REGEX_SUBSTITUTION_H

#include "base/text/text.h"

struct flm_substitution;

/* NULL, and `why` with the offset in `text`, for one that is malformed. `text` may go afterward.
 */
struct flm_substitution *flm_substitution_new(struct flm_bytes text, struct flm_error *why);
void flm_substitution_free(struct flm_substitution *substitution);

/* Makes in `out`, which is emptied first, what becomes of `text`. False where it does not match:
 * then `out` is left alone. A failed allocation is in out->failed. */
bool flm_substitution_make(struct flm_substitution *substitution, struct flm_bytes text,
                           struct flm_text *out);

/* How much of `text`, which begins with one, is its pattern and replacement, up to its last mark;
 * 0: it begins with none. */
size_t flm_substitution_size(struct flm_bytes text);

#endif
