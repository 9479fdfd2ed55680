/* classes.h - what `by:` merges frames by.
 *
 *     function    function and module (where that is not known, file): lines, addresses and kinds
 *                 merged
 *     name        the function's name alone
 *     line        function, module, file and line: addresses merged
 *     module file package kind
 *                 that alone, consecutive equal ones as one frame. A package is guessed from the
 *                 name: java/util, std, net/http
 *     short       names without arguments, template arguments, clone suffixes and hashes
 *     nohex       addresses in names: 0x7f12 becomes 0x... (as difffolded.pl -s does) */
#ifndef FLAMEL_ALGEBRA_OPERATION_CLASSES_H
#define FLAMEL_ALGEBRA_OPERATION_CLASSES_H

#include "profile/columns.h"
#include "profile/internal.h"

struct flm_class;

/* The name of each class, and what it merges; NULL after the last. `description` may be NULL. */
const char *flm_class_name(size_t index, const char **description);

const struct flm_class *flm_class_at(size_t index);

/* Whether consecutive frames of one class are one frame. */
bool flm_class_collapses(const struct flm_class *class);

/* Writes to frames[i] the class of frame i of `p` as a frame of the builder, which has the strings
 * and frames of `p` under their own indices. */
bool flm_class_map(const struct flm_class *class, const struct flm_profile *p,
                   struct flm_builder *b, uint32_t *frames);

#endif
