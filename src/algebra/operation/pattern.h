/* pattern.h - which frames an operation is about.
 *
 *     parse               the function of exactly that name
 *     *parse*             * stands for anything, ? for one byte
 *     "operator*"         in quotes nothing stands for anything else
 *     /^parse_(x|y)/      a regular expression found in the name; /.../i: whatever the case
 *     module=libc.so.6    of another field: function, module, file (all of the path, or only its
 *                         last part), kind (kernel, inlined, jit ...; unsymbolized)
 *
 * A pattern is compared with each frame of the frame table once, never with nodes. */
#ifndef FLAMEL_ALGEBRA_OPERATION_PATTERN_H
#define FLAMEL_ALGEBRA_OPERATION_PATTERN_H

#include "base/text/text.h"
#include "profile/columns.h"

/* Sets marks[i] to 1 for every frame i that matches, 0 for others (the root's never does).
 * *matched receives how many. False, and `why`, for a malformed pattern; its offset is in the
 * pattern. */
bool flm_pattern_mark(const struct flm_profile *p, struct flm_bytes pattern, unsigned char *marks,
                      uint32_t *matched, struct flm_error *why);

/* Whether a pattern is well formed, whatever the profile is; false, and `why`, likewise. */
bool flm_pattern_check(struct flm_bytes pattern, struct flm_error *why);

/* The prefixes that choose another field ("module="), and what each matches by; NULL after the
 * last. The first is that of functions, which are also matched without one. */
const char *flm_pattern_field(size_t index, const char **description);

/* Whether a text is a regular expression as patterns write it: /re/, or /re/i for any case.
 * `source` receives what is between the slashes. */
bool flm_pattern_regex(struct flm_bytes text, struct flm_bytes *source, bool *any_case);

/* The values of the field "kind=", as names; NULL after the last. */
const char *flm_pattern_kind(size_t index);

/* Adds the pattern that matches exactly this name, and no other: as it is, in quotes, or as a
 * regular expression, whichever is needed; also inside of an expression. */
void flm_pattern_add_exact(struct flm_text *out, struct flm_bytes name);

/* For a pattern that matched nothing: the pattern that would match, where it is the name of a
 * module ("libc" for libc.so.6, too), a file or a kind, as " (hide:module=libc.so.6 matches the
 * module)"; for all of a package ("com.acm.*") the packages that are similar, " (did you mean
 * com.acme.*?)"; else the function that it is another name of, as " (did you mean malloc?)" for
 * __libc_malloc; else names that hold its text, as " (there is a, b)", or similar ones, " (did you
 * mean a or b?)", or nothing. `operation` goes in front of the pattern; NULL: nothing does. */
void flm_pattern_suggest(const struct flm_profile *p, struct flm_bytes pattern,
                         const char *operation, struct flm_text *out);

#endif
