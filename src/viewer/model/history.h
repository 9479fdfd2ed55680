/* history.h - the steps that can be taken back: states as text, one after the other.
 *
 *     step    0: "view=flame"   1: "view=flame&zoom=5f3a"   2: "view=top"
 *     current                   ^ back is step 0, forward step 2
 *
 * Going back and doing something else drops what was forward, as browsers do. */
#ifndef FLAMEL_VIEWER_MODEL_HISTORY_H
#define FLAMEL_VIEWER_MODEL_HISTORY_H

#include "base/core/array.h"
#include "base/text/text.h"

enum { FLM_MOST_STEPS = 200 };

struct flm_history {
    struct FLM_ARRAY(struct flm_text) steps;
    size_t current; /* below steps.count, once there is one */
};

void flm_history_clear(struct flm_history *history);

/* The state after something was done; the same state again is no step. The oldest steps are
 * forgotten. False if memory ran out. */
bool flm_history_add(struct flm_history *history, struct flm_bytes state);

/* Replaces the current step: what is no step of its own (a selection, a further turn of the wheel)
 * is one with what is there. What is forward stays. */
bool flm_history_amend(struct flm_history *history, struct flm_bytes state);

/* Whether that is the current step. */
bool flm_history_is_at(const struct flm_history *history, struct flm_bytes state);

/* The step to go to, which becomes the current one; {NULL} where there is none. */
struct flm_bytes flm_history_back(struct flm_history *history);
struct flm_bytes flm_history_forward(struct flm_history *history);

#endif
