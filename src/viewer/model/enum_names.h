/* words.h - the words of actions, states and answers for what can be chosen. */
#ifndef FLAMEL_VIEWER_MODEL_ENUM_NAMES_H
#define FLAMEL_VIEWER_MODEL_ENUM_NAMES_H

#include "base/core/bytes.h"

/* One of a list: its word in states and actions, and what people read. */
struct flm_choice {
    const char *word, *title;
};

extern const struct flm_choice flm_view_choices[], flm_order_choices[];
extern const unsigned flm_view_count, flm_order_count;

const char *flm_view_word(int view);
const char *flm_order_word(int order);

/* By word; 0, the default, for what is none. */
int flm_view_named(struct flm_bytes word);
int flm_order_named(struct flm_bytes word);

/* The index in a list; -1 for what is none. */
int flm_choice_named(const struct flm_choice *choices, unsigned count, struct flm_bytes word);

#endif
