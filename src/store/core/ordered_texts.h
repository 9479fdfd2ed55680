/* ordered_texts.h - texts that are found in any order, each handed over once, ascending. */
#ifndef FLAMEL_STORE_CORE_ORDERED_TEXTS_H
#define FLAMEL_STORE_CORE_ORDERED_TEXTS_H

#include "base/text/text.h"
#include "flamel/store.h"
#include "profile/interner.h"

struct flm_texts {
    struct flm_interner interner; /* each once */
    bool failed;                  /* memory ran out */
};

bool flm_texts_init(struct flm_texts *texts, struct flm_error *why);
void flm_texts_add(struct flm_texts *texts, struct flm_bytes text);

/* Hands them over, and forgets them; not where `good` is false, and only those before `each`
 * returned false. False, and `why`, where memory ran out now or before. */
bool flm_texts_hand_over(struct flm_texts *texts, bool good, flm_store_text each, void *context,
                         struct flm_error *why);

/* The line of flm_store_series, "service_name=api host=a7", of the text of a series. */
void flm_series_line(struct flm_bytes series, struct flm_text *line);

/* A series, whose text ends in a NUL, and a type behind it: for flm_texts_hand_typed. */
void flm_texts_add_typed(struct flm_texts *texts, struct flm_bytes series, struct flm_bytes type);
bool flm_texts_hand_typed(struct flm_texts *texts, bool good, flm_store_typed each, void *context,
                          struct flm_error *why);

#endif
