#include "record/runtime/opened.h"

#include <string.h>

static void close_one(struct flm_opened_all *all, struct flm_opened *one)
{
    if (!one->at)
        return;
    all->closed_calls += all->kind->calls(one->at);
    all->kind->close(one->at);
    one->at = NULL;
}

void flm_opened_clear(struct flm_opened_all *all)
{
    for (size_t i = 0; i < all->items.count; i++)
        close_one(all, &all->items.at[i]);
    FLM_ARRAY_CLEAR(&all->items);
    flm_ids_clear(&all->processes);
}

static bool is_current(const struct flm_opened *one, const struct flm_process *process)
{
    return one->changed == process->changed || (one->at && one->started_ns == process->started_ns);
}

static bool open_one(struct flm_opened_all *all, struct flm_opened *one,
                     const struct flm_process *process, struct flm_error *why)
{
    struct flm_error reason = {0};
    close_one(all, one);
    one->changed = process->changed;
    one->started_ns = process->started_ns;
    one->serial = ++all->serials;
    one->at = all->kind->open(process, &reason);
    one->is_refused = !one->at && reason.kind != FLM_ERROR_NONE;
    if (reason.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    if (one->is_refused)
        memcpy(all->refused, reason.text, sizeof all->refused);
    return true;
}

struct flm_opened *flm_opened_find(struct flm_opened_all *all, const struct flm_process *process,
                                   struct flm_error *why)
{
    uint32_t number = FLM_ARRAY_RESERVE(&all->items, 1)
                          ? flm_ids_number(&all->processes, (uint32_t)process->id)
                          : FLM_IDS_NONE;
    if (number == FLM_IDS_NONE) {
        flm_error_memory(why);
        return NULL;
    }
    bool is_new = number == all->items.count;
    if (is_new)
        all->items.at[all->items.count++] = (struct flm_opened){.process = process->id};
    struct flm_opened *one = &all->items.at[number];
    if (!is_new && is_current(one, process))
        return one;
    return open_one(all, one, process, why) ? one : NULL;
}

uint64_t flm_opened_calls(const struct flm_opened_all *all)
{
    uint64_t calls = all->closed_calls;
    for (size_t i = 0; i < all->items.count; i++)
        if (all->items.at[i].at)
            calls += all->kind->calls(all->items.at[i].at);
    return calls;
}
