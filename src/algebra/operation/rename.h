/* rename.h - frames under other names, by a rule of the user: makes two versions of a program
 * comparable after a function was renamed, a module got a number or a directory moved.
 *
 *     s/_v[0-9]+$//                  the function's name
 *     module=s/-[0-9.]+\.so/.so/     another field: function, module, file
 *
 * The rule is a substitution (base/regex/substitution.h). Frames that become equal are one.
 *
 * A rule may make names longer, and a chain of them doubles what it finds. So one operation adds at
 * most 1 GiB to all names together, and makes no name longer than 64 KiB (but one that is longer
 * already may stay so); more is refused with a sentence. */
#ifndef FLAMEL_ALGEBRA_OPERATION_RENAME_H
#define FLAMEL_ALGEBRA_OPERATION_RENAME_H

#include "profile/columns.h"
#include "profile/internal.h"

struct flm_renaming;

/* Bytes that names become longer by, all together. */
enum { FLM_RENAMING_MOST = 1 << 30 };

/* NULL, and `why` with the offset in `rule`, for a malformed one. `rule` may go afterward. */
struct flm_renaming *flm_renaming_new(struct flm_bytes rule, struct flm_error *why);
void flm_renaming_free(struct flm_renaming *renaming);

/* How much of `text`, which begins with a rule, is its field, pattern and replacement; 0 where it
 * begins with none. */
size_t flm_renaming_size(struct flm_bytes text);

/* Writes to frames[i] the new frame i of `p`, as a frame of the builder, which has the strings and
 * frames of `p` under their own indices. *renamed receives how many were. False if memory ran
 * out. Names that become too long are a failure of the builder. */
bool flm_renaming_map(struct flm_renaming *renaming, const struct flm_profile *p,
                      struct flm_builder *b, uint32_t *frames, uint32_t *renamed);

#endif
