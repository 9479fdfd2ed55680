/* history.h - the steps that can be undone: states as text, one after the other.
 *
 *     step    0: "view=flame"   1: "view=flame&zoom=5f3a"   2: "view=top"
 *     current                   ^ back is step 0, forward step 2
 *
 * A new step after going back drops the steps ahead, as in browsers. */
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

/* Adds a step; the same state again is not one. The oldest steps are dropped. False if memory ran
 * out. */
bool flm_history_add(struct flm_history *history, struct flm_bytes state);

/* Replaces the current step, by a change that is not a step of its own (a selection, another turn
 * of the wheel). The steps ahead stay. */
bool flm_history_amend(struct flm_history *history, struct flm_bytes state);

/* Whether that is the current step. */
bool flm_history_is_at(const struct flm_history *history, struct flm_bytes state);

/* The step to go to, which becomes the current one; {NULL} where there is none. */
struct flm_bytes flm_history_back(struct flm_history *history);
struct flm_bytes flm_history_forward(struct flm_history *history);

#endif
