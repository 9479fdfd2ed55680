/* folded.h - what folded text and its writer share: the marks behind names. */
#ifndef FLAMEL_FORMAT_FOLDED_FOLDED_H
#define FLAMEL_FORMAT_FOLDED_FOLDED_H

#include "format/core/format.h"

/* The note that a profile carries when its folded source marked kinds ("_[k]"), so that writing it
 * as folded text marks them again. */
#define FLM_NOTE_ANNOTATED "folded.annotated"
bool flm_folded_is_annotated(const struct flm_profile *p);

/* The letter that marks a kind behind a name, 0 where there is none; and back: FLM_KIND_COUNT for a
 * letter that is no mark. */
char flm_folded_mark(uint32_t kind);
uint32_t flm_folded_kind(char mark);

/* The writers; see write.c. */
bool flm_folded_write(const struct flm_profile *p, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why);
bool flm_folded_write_difference(const struct flm_profile *p,
                                 const struct flm_write_options *options, struct flm_text *out,
                                 struct flm_error *why);

#endif
