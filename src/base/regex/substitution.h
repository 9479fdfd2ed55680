/* substitution.h - replaces the matches of a regular expression, in the notation of sed:
 *
 *     s/pattern/replacement/flags      s/_v[0-9]+$//        parse_v2        parse
 *                                      s/get_(\w+)/\1/      get_name        name
 *                                      s,net/http,http,     net/http.Serve  http.Serve
 *
 * The separator is one of / , : ; # @ % ! ~ = " ' and is written with a \ before it where it is
 * part of a pattern or replacement. In the replacement \1 to \9 are the groups of the pattern, and
 * & or \0 the whole match; \& and \\ are these characters, \t and \n a tab and a newline. Flags: g,
 * every match and not only the first; i, case does not matter. Patterns are those of regex.h: the
 * leftmost match, and of those the longest. */
#ifndef FLAMEL_BASE_REGEX_SUBSTITUTION_H
#define FLAMEL_BASE_REGEX_SUBSTITUTION_H

#include "base/text/text.h"

struct flm_substitution;

/* NULL, and `why` with the offset in `text`, for a malformed one. `text` may be freed afterward.
 */
struct flm_substitution *flm_substitution_new(struct flm_bytes text, struct flm_error *why);
void flm_substitution_free(struct flm_substitution *substitution);

/* Groups can double a text, and a chain of substitutions doubles it again and again: nothing is
 * made that is longer than this, in bytes, and longer than what it is made of. */
enum { FLM_SUBSTITUTION_MOST = 1 << 16 };

/* Writes `text` with its matches replaced to `out`, which is emptied first. False where nothing
 * matches: `out` is then unchanged. It ends early, with a part of it, when `out` has become too
 * long: flm_substitution_is_too_long. A failed allocation is in out->failed. */
bool flm_substitution_make(struct flm_substitution *substitution, struct flm_bytes text,
                           struct flm_text *out);

/* Whether `out`, made of `text`, is too long. */
bool flm_substitution_is_too_long(struct flm_bytes text, const struct flm_text *out);

/* The size of the substitution that `text` begins with, up to its last separator and without flags;
 * 0: it begins with none. */
size_t flm_substitution_size(struct flm_bytes text);

#endif
