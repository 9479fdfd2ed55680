/* pseudonyms.h - names that stand for others: "fn-3kx9ad27qm", the same for the same name and key.
 *
 * 50 bits of a keyed hash: of 100,000 functions two have the same one with a chance of 1 in
 * 200,000. */
#ifndef FLAMEL_ALGEBRA_SANITIZE_PSEUDONYMS_H
#define FLAMEL_ALGEBRA_SANITIZE_PSEUDONYMS_H

#include "base/core/sip_hash.h"

struct flm_pseudonyms {
    unsigned char key[FLM_SIP_KEY_SIZE];
};

/* From a key of any size. */
void flm_pseudonyms_init(struct flm_pseudonyms *pseudonyms, struct flm_bytes key);

/* "fn-3kx9ad27qm": the kind, of at most 10 letters, and what stands for `name`. Names of different
 * kinds have different ones. Terminated. */
enum { FLM_PSEUDONYM_DIGITS = 10, FLM_PSEUDONYM_SIZE = 10 + 1 + FLM_PSEUDONYM_DIGITS + 1 };
void flm_pseudonym(const struct flm_pseudonyms *pseudonyms, const char *kind, struct flm_bytes name,
                   char out[FLM_PSEUDONYM_SIZE]);

/* Whether a name looks like one of that kind. */
bool flm_is_pseudonym(struct flm_bytes name, const char *kind);

#endif
