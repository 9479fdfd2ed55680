#include "viewer/model/history.h"

#include <stdlib.h>

static void forget(struct flm_history *history, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        flm_text_clear(&history->step[i]);
    memmove(history->step + from, history->step + to,
            (history->count - to) * sizeof *history->step);
    history->count -= to - from;
}

void flm_history_clear(struct flm_history *history)
{
    if (history->count > 0)
        forget(history, 0, history->count);
    free(history->step);
    *history = (struct flm_history){0};
}

static struct flm_bytes current(const struct flm_history *history)
{
    const struct flm_text *step = &history->step[history->at];
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
    return history->count > 0 && flm_bytes_equal(current(history), state);
}

bool flm_history_add(struct flm_history *history, struct flm_bytes state)
{
    if (flm_history_is_at(history, state))
        return true;
    struct flm_text step;
    void *grown = history->step;
    if (!flm_grow(&grown, &history->capacity, history->count + 1, sizeof *history->step))
        return false;
    history->step = grown;
    if (!copy(&step, state))
        return false;
    if (history->count > 0)
        forget(history, history->at + 1, history->count);
    if (history->count == FLM_MOST_STEPS)
        forget(history, 0, 1);
    history->at = history->count;
    history->step[history->count++] = step;
    return true;
}

bool flm_history_amend(struct flm_history *history, struct flm_bytes state)
{
    struct flm_text step;
    if (history->count == 0)
        return flm_history_add(history, state);
    if (flm_history_is_at(history, state))
        return true;
    if (!copy(&step, state))
        return false;
    flm_text_clear(&history->step[history->at]);
    history->step[history->at] = step;
    return true;
}

struct flm_bytes flm_history_back(struct flm_history *history)
{
    if (history->at == 0)
        return (struct flm_bytes){NULL, 0};
    history->at--;
    return current(history);
}

struct flm_bytes flm_history_forward(struct flm_history *history)
{
    if (history->at + 1 >= history->count)
        return (struct flm_bytes){NULL, 0};
    history->at++;
    return current(history);
}
