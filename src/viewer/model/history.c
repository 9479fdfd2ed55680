#include "viewer/model/history.h"

#include <stdlib.h>

static void forget(struct flm_history *history, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        flm_text_clear(&history->steps.at[i]);
    memmove(history->steps.at + from, history->steps.at + to,
            (history->steps.count - to) * sizeof *history->steps.at);
    history->steps.count -= to - from;
}

void flm_history_clear(struct flm_history *history)
{
    if (history->steps.count > 0)
        forget(history, 0, history->steps.count);
    FLM_ARRAY_CLEAR(&history->steps);
    *history = (struct flm_history){0};
}

static struct flm_bytes current(const struct flm_history *history)
{
    const struct flm_text *step = &history->steps.at[history->current];
    return (struct flm_bytes){step->at, step->size};
}

static bool copy(struct flm_text *step, struct flm_bytes state)
{
    flm_text_init(step, NULL, NULL);
    flm_text_add(step, state);
    if (!step->failed)
        return true;
    flm_text_clear(step);
    return false;
}

bool flm_history_is_at(const struct flm_history *history, struct flm_bytes state)
{
    return history->steps.count > 0 && flm_bytes_equal(current(history), state);
}

bool flm_history_add(struct flm_history *history, struct flm_bytes state)
{
    if (flm_history_is_at(history, state))
        return true;
    struct flm_text step;
    if (!FLM_ARRAY_RESERVE(&history->steps, 1) || !copy(&step, state))
        return false;
    if (history->steps.count > 0)
        forget(history, history->current + 1, history->steps.count);
    if (history->steps.count == FLM_MOST_STEPS)
        forget(history, 0, 1);
    history->current = history->steps.count;
    history->steps.at[history->steps.count++] = step;
    return true;
}

bool flm_history_amend(struct flm_history *history, struct flm_bytes state)
{
    struct flm_text step;
    if (history->steps.count == 0)
        return flm_history_add(history, state);
    if (flm_history_is_at(history, state))
        return true;
    if (!copy(&step, state))
        return false;
    flm_text_clear(&history->steps.at[history->current]);
    history->steps.at[history->current] = step;
    return true;
}

struct flm_bytes flm_history_back(struct flm_history *history)
{
    if (history->current == 0)
        return (struct flm_bytes){NULL, 0};
    history->current--;
    return current(history);
}

struct flm_bytes flm_history_forward(struct flm_history *history)
{
    if (history->current + 1 >= history->steps.count)
        return (struct flm_bytes){NULL, 0};
    history->current++;
    return current(history);
}
