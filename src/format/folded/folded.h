/* folded.h - shared by the reader and the writer of folded stacks: the marks after names. */
#ifndef FLAMEL_FORMAT_FOLDED_FOLDED_H
#define FLAMEL_FORMAT_FOLDED_FOLDED_H

#include "format/core/format.h"

/* The note of a profile whose folded source marked kinds ("_[k]"): writing it as folded stacks
 * marks them again. */
#define FLM_NOTE_ANNOTATED "folded.annotated"
bool flm_folded_is_annotated(const struct flm_profile *p);

/* The letter that marks a kind after a name, 0 for a kind without one; and the kind of a letter,
 * FLM_KIND_COUNT for a letter that is not a mark. */
char flm_folded_mark(uint32_t kind);
uint32_t flm_folded_kind(char mark);

/* The writers, in write.c. */
bool flm_folded_write(const struct flm_profile *p, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why);
bool flm_folded_write_difference(const struct flm_profile *p,
                                 const struct flm_write_options *options, struct flm_text *out,
                                 struct flm_error *why);

#endif
