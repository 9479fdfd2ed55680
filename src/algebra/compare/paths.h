/* paths.h - modules and files that are at another path in the other recording: /old/bin/app and
 * /new/bin/app are one program, built in two directories, or unpacked in two.
 *
 * Of the paths that only one of both profiles has, two with the same last part are matched, if each
 * has more parts in common, from the end, with the other than with any third one:
 *
 *     /a/src/lex/rules.rs     /b/src/lex/rules.rs      lex/rules.rs, src/lex/rules.rs: one
 *     /a/src/parse/rules.rs   /b/src/parse/rules.rs    another one
 *     /a/rules.rs             -                       nothing else is like it
 *
 * " (deleted)" does not count.
 *
 * Of the others two may be one under another name (renamed_paths.h): ./old and ./new. The label of
 * their command is then the same too.
 *
 * Where one of both names no module at all (folded stacks, Go's texts of ?debug=1), a function is
 * that of the same name in the other, if there is only one that it can be. */
#ifndef FLAMEL_ALGEBRA_COMPARE_PATHS_H
#define FLAMEL_ALGEBRA_COMPARE_PATHS_H

#include "profile/columns.h"

struct flm_same_paths {
    uint32_t modules, files; /* how many */
    uint32_t functions;      /* whose modules only one of both has */
    uint32_t renamed;        /* modules and files that have another name */
    char from[64], to[64];   /* the names of the first of them, shortened */
};

/* `p` with the paths of `other`, where they are other ones: *made, to be freed; NULL, if there are
 * none. False, and `why`, if memory ran out. */
bool flm_take_paths(const struct flm_profile *p, const struct flm_profile *other,
                    struct flm_profile **made, struct flm_same_paths *same, struct flm_error *why);

#endif
