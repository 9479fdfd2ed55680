#include "record/script/script_threads.h"

#include <stdlib.h>

void flm_script_threads_clear(struct flm_script_threads *threads)
{
    FLM_ARRAY_CLEAR(&threads->items);
    flm_ids_clear(&threads->ids);
}

/* NULL when memory ran out. */
static struct flm_script_thread *find(struct flm_script_threads *threads, int32_t id)
{
    uint32_t number = FLM_ARRAY_RESERVE(&threads->items, 1)
                          ? flm_ids_number(&threads->ids, (uint32_t)id)
                          : FLM_IDS_NONE;
    if (number == threads->items.count)
        threads->items.at[threads->items.count++] = (struct flm_script_thread){0};
    return number == FLM_IDS_NONE ? NULL : &threads->items.at[number];
}

enum flm_script_result flm_script_threads_read(struct flm_script_threads *threads,
                                               struct flm_process_memory *memory,
                                               struct flm_script_place *place, flm_script_read read,
                                               void *opened, size_t *count)
{
    enum { TRIES = 2 };
    struct flm_script_thread *thread = find(threads, place->thread);
    enum flm_script_result result = FLM_SCRIPT_TORN;
    *count = 0;
    if (!thread)
        return result;
    for (int tries = 0; tries < TRIES && result == FLM_SCRIPT_TORN; tries++) {
        *count = 0;
        flm_process_memory_begin(memory, thread->pages, thread->page_count);
        result = read(opened, place, thread, count);
    }
    place->is_whole = *count < FLM_SCRIPT_DEEPEST;
    if (result != FLM_SCRIPT_FRAMES)
        *count = 0;
    thread->page_count = flm_process_memory_needed(memory, thread->pages, FLM_SCRIPT_PAGES);
    return result;
}
