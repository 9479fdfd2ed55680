/* history_steps.c - what the history keeps of what is done (history.h). */
#include "viewer/model/internal.h"
#include "viewer/model/state.h"

/* As another step or instead of the current one; false where the state is what it was. */
static bool keep_state(struct flm_viewer *v, bool is_step)
{
    struct flm_text text = {0};
    flm_state_write(v, &text);
    struct flm_bytes state = {text.at, text.size};
    bool changes = !text.failed && !flm_history_is_at(&v->history, state);
    if (changes && is_step)
        flm_history_add(&v->history, state);
    else if (changes)
        flm_history_amend(&v->history, state);
    flm_text_clear(&text);
    if (changes)
        v->changed |= FLM_CHANGED_STATE | FLM_CHANGED_TOOLS | (is_step ? FLM_CHANGED_HISTORY : 0);
    return changes;
}

void flm_viewer_history_push(struct flm_viewer *v)
{
    v->wheel_ms = FLM_LONG_AGO_MS;
    keep_state(v, true);
}

/* A pause of half a second begins a new step. */
#define SAME_MOVE_MS 500

void flm_viewer_history_coalesce(struct flm_viewer *v)
{
    bool goes_on = v->now_ms - v->wheel_ms < SAME_MOVE_MS;
    if (keep_state(v, !goes_on))
        v->wheel_ms = v->now_ms;
}

void flm_viewer_history_replace(struct flm_viewer *v)
{
    keep_state(v, false);
}
