/* paths.h - modules and files that are at another path in the other recording: /old/bin/app and
 * /new/bin/app are one program, built in two directories, or unpacked in two.
 *
 * Of the paths that one profile has alone and those that the other has alone, two are one where
 * they have the same last part, and no third has; of several, those with the most parts in common
 * from the end, if only one has as many:
 *
 *     /a/src/lex/rules.rs     /b/src/lex/rules.rs      lex/rules.rs, src/lex/rules.rs: one
 *     /a/src/parse/rules.rs   /b/src/parse/rules.rs    another one
 *     /a/rules.rs             -                       nothing else is like it
 *
 * " (deleted)" does not count. */
#ifndef FLAMEL_ALGEBRA_COMPARE_PATHS_H
#define FLAMEL_ALGEBRA_COMPARE_PATHS_H

#include "profile/columns.h"

struct flm_same_paths {
    uint32_t modules, files; /* how many */
};

/* `p` with the paths of `other`, where they are other ones: *made, to be freed; NULL, if there are
 * none. False, and `why`, if memory ran out. */
bool flm_take_paths(const struct flm_profile *p, const struct flm_profile *other,
                    struct flm_profile **made, struct flm_same_paths *same, struct flm_error *why);

#endif
