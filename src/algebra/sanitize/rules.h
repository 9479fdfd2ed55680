/* rules.h - the rules of flm_sanitize (flamel/sanitize.h), taken apart. */
#ifndef FLAMEL_ALGEBRA_SANITIZE_RULES_H
#define FLAMEL_ALGEBRA_SANITIZE_RULES_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_texts FLM_ARRAY(struct flm_bytes);

/* Borrows the text of the rules. */
struct flm_rules {
    struct flm_texts names, modules; /* patterns */
    struct flm_texts labels, notes;  /* keys that stay */
    bool keeps_labels, keeps_details;
    bool drops_files, drops_markers, drops_times;
    int64_t time_unit_ns; /* 1: times are exact */
};

/* False, and `why`; to be cleared in any case. */
bool flm_rules_parse(struct flm_rules *rules, struct flm_bytes text, struct flm_error *why);
void flm_rules_clear(struct flm_rules *rules);

/* Whether the text is one of these. */
bool flm_texts_have(const struct flm_texts *texts, struct flm_bytes text);

#endif
