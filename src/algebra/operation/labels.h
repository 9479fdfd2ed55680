/* labels.h - finds labels of samples by the key that the profile has, or by perf's name for it
 * (tid, pid, comm for thread, process, command); and the message for a label that is missing. */
#ifndef FLAMEL_ALGEBRA_OPERATION_LABELS_H
#define FLAMEL_ALGEBRA_OPERATION_LABELS_H

#include "base/text/text.h"
#include "profile/columns.h"

/* The key as the profile has it: `asked`, or the other name of the same where it has only that. */
struct flm_bytes flm_label_key(const struct flm_profile *p, struct flm_bytes asked);

/* The other name of a key that the profile has: "tid" of "thread"; NULL: it has none. */
const char *flm_label_other_name(const struct flm_profile *p, struct flm_bytes key);

/* The name that flamel has for the keys "tid", "pid" and "comm" of other programs; NULL for other keys. */
const char *flm_label_own_name(struct flm_bytes key);

/* Whether any sample may have a label of this key. */
bool flm_label_has_key(const struct flm_profile *p, struct flm_bytes key);

/* Adds the values of a key that are most similar to one that it does not have, and some that it
 * has: ": did you mean main? It is main, http-1 and 3 others". */
void flm_label_add_values(const struct flm_profile *p, struct flm_bytes key, struct flm_bytes asked,
                          struct flm_text *out);

/* Whether the value of a label is the wanted one, or one of several separated by commas; an empty
 * wanted one is any. */
bool flm_label_is(struct flm_bytes wanted, struct flm_bytes value);

/* Whether any sample may have it. If not, a sentence with the keys, or the values that the key has,
 * is added: "no label thread is '4711': it is 32000 or 32001". */
bool flm_label_exists(const struct flm_profile *p, struct flm_bytes key, struct flm_bytes value,
                      struct flm_text *sentence);

#endif
