/* remarks.h - lines about the quality of a profile: what was lost, why modules have no symbols,
 * what the stacks do not show. Losses and modules with the same cause share a line. */
#ifndef FLAMEL_CLI_COMMON_REMARKS_H
#define FLAMEL_CLI_COMMON_REMARKS_H

#include "base/text/text.h"
#include "flamel/profile.h"

/* Where a list of lines is; {0}: before the first. */
struct flm_remarks {
    uint32_t next;
};

/* One of the functions below. */
typedef bool (*flm_remarks_next)(struct flm_remarks *at, const struct flm_profile *profile,
                                 struct flm_text *line);

/* Appends the next line, without its end; false when there is none left.
 *
 *     outer frames of truncated stacks (deeper than the stack dump): 10; (corrupt stack): 2
 *     lines without a value: 3, the first at line 17 */
bool flm_remarks_lost(struct flm_remarks *at, const struct flm_profile *profile,
                      struct flm_text *line);

/* Of FLM_NOTE_ROUNDED: "values of 2^53 or more, to 1 part in 2^53: 3". */
bool flm_remarks_rounded(struct flm_remarks *at, const struct flm_profile *profile,
                         struct flm_text *line);

/* The same for the notes that begin with FLM_NOTE_UNSYMBOLIZED.
 *
 *     liblzma.so.5.4.1, tar, xz: only exported functions have names: install ... */
bool flm_remarks_unsymbolized(struct flm_remarks *at, const struct flm_profile *profile,
                              struct flm_text *line);

/* The values of the notes that begin with FLM_NOTE_NOT_SHOWN. */
bool flm_remarks_not_shown(struct flm_remarks *at, const struct flm_profile *profile,
                           struct flm_text *line);

#endif
