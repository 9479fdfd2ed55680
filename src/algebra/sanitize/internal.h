/* internal.h - a profile on its way into a new builder, each text by what it is: so nothing comes
 * along that nobody has thought of. */
#ifndef FLAMEL_ALGEBRA_SANITIZE_INTERNAL_H
#define FLAMEL_ALGEBRA_SANITIZE_INTERNAL_H

#include "algebra/sanitize/pseudonyms.h"
#include "algebra/sanitize/rules.h"
#include "base/text/text.h"
#include "profile/columns.h"
#include "profile/internal.h"

struct flm_sanitizing {
    const struct flm_profile *p; /* split: each location is a frame */
    const struct flm_rules *rules;
    struct flm_pseudonyms pseudonyms;
    struct flm_builder *b;
    unsigned char *is_named, *is_moduled; /* by frame: it gets a pseudonym, or its module does */
    uint32_t *frame_of, *node_of, *metric_of; /* by frame, node, metric: the builder's */
    struct flm_text made;
    uint64_t *unmatched; /* flm_sanitize_options; may be NULL */
};

/* Texts become strings of the builder: as they are; without folders; the last part of a path; a
 * pseudonym of that kind. */
uint32_t flm_sanitize_text(struct flm_sanitizing *w, struct flm_bytes text);
uint32_t flm_sanitize_string(struct flm_sanitizing *w, uint32_t string);
uint32_t flm_sanitize_path(struct flm_sanitizing *w, uint32_t string);
uint32_t flm_sanitize_pseudonym(struct flm_sanitizing *w, const char *kind, struct flm_bytes name);

/* The parts of a profile: stacks with their values; then samples, markers and counters, with their
 * labels and times. Stacks fail where a pattern matches nothing. */
bool flm_sanitize_stacks(struct flm_sanitizing *w, struct flm_error *why);
void flm_sanitize_samples(struct flm_sanitizing *w);

#endif
