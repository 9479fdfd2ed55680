#include "record/process/thread_table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "flamel/builder.h"

void flm_thread_table_clear(struct flm_thread_table *t)
{
    for (size_t i = 0; i < t->names.count; i++)
        free(t->names.at[i].at);
    flm_index_clear(&t->index);
    flm_index_clear(&t->name_index);
    free(t->threads.at);
    free(t->names.at);
    *t = (struct flm_thread_table){0};
}

/* ---- Threads --------------------------------------------------------------------------------- */

static uint32_t hash_of(int32_t id)
{
    return flm_hash_numbers((uint32_t)id, 0);
}

struct flm_thread *flm_thread_table_find(const struct flm_thread_table *t, int32_t id)
{
    for (struct flm_probe at = flm_index_probe(&t->index, hash_of(id));
         flm_index_next(&t->index, &at);)
        if (t->threads.at[at.found].id == id)
            return &t->threads.at[at.found];
    return NULL;
}

struct flm_thread *flm_thread_table_get(struct flm_thread_table *t, int32_t id)
{
    struct flm_thread *thread = flm_thread_table_find(t, id);
    if (thread)
        return thread;
    if (!FLM_ARRAY_RESERVE(&t->threads, 1))
        return NULL;
    if (!flm_index_add(&t->index, hash_of(id), (uint32_t)t->threads.count))
        return NULL;
    thread = &t->threads.at[t->threads.count++];
    *thread =
        (struct flm_thread){.id = id, .process = -1, .name = UINT32_MAX, .ended_ns = FLM_NO_TIME};
    return thread;
}

bool flm_thread_table_keep(struct flm_thread_table *t, flm_thread_predicate keep, void *context)
{
    assert(keep);
    size_t kept = 0;
    for (size_t i = 0; i < t->threads.count; i++)
        if (keep(context, &t->threads.at[i]))
            t->threads.at[kept++] = t->threads.at[i];
    if (kept == t->threads.count)
        return true;
    flm_index_clear(&t->index);
    for (t->threads.count = 0; t->threads.count < kept; t->threads.count++)
        if (!flm_index_add(&t->index, hash_of(t->threads.at[t->threads.count].id),
                           (uint32_t)t->threads.count))
            return false;
    return true;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t hash_of_text(struct flm_bytes text)
{
    return (uint32_t)flm_hash(text.at, text.size);
}

/* The number of a name; UINT32_MAX when memory ran out. */
static uint32_t find_name(struct flm_thread_table *t, struct flm_bytes text)
{
    uint32_t hash = hash_of_text(text);
    for (struct flm_probe at = flm_index_probe(&t->name_index, hash);
         flm_index_next(&t->name_index, &at);)
        if (flm_bytes_equal(flm_owned_string_bytes(&t->names.at[at.found]), text))
            return at.found;
    if (!FLM_ARRAY_RESERVE(&t->names, 1))
        return UINT32_MAX;
    struct flm_owned_string copy;
    if (!flm_owned_string_init(&copy, text))
        return UINT32_MAX;
    if (!flm_index_add(&t->name_index, hash, (uint32_t)t->names.count)) {
        free(copy.at);
        return UINT32_MAX;
    }
    t->names.at[t->names.count] = copy;
    return (uint32_t)t->names.count++;
}

bool flm_thread_table_name(struct flm_thread_table *t, struct flm_thread *thread,
                           struct flm_bytes name)
{
    uint32_t number = find_name(t, name);
    if (number != UINT32_MAX)
        thread->name = number;
    return number != UINT32_MAX;
}

struct flm_bytes flm_thread_table_text(const struct flm_thread_table *t, int32_t id)
{
    const struct flm_thread *thread = flm_thread_table_find(t, id);
    return thread && thread->name != UINT32_MAX ? flm_owned_string_bytes(&t->names.at[thread->name])
                                                : (struct flm_bytes){"", 0};
}

bool flm_thread_table_forget_names(struct flm_thread_table *t)
{
    uint32_t *moved = malloc((t->names.count + 1) * sizeof *moved);
    size_t kept = 0;
    if (!moved)
        return false;
    memset(moved, 0xFF, t->names.count * sizeof *moved);
    for (size_t i = 0; i < t->threads.count; i++)
        if (t->threads.at[i].name != UINT32_MAX)
            moved[t->threads.at[i].name] = 0;
    flm_index_clear(&t->name_index);
    bool good = true;
    for (size_t i = 0; i < t->names.count; i++) {
        if (moved[i] == UINT32_MAX) {
            free(t->names.at[i].at);
            continue;
        }
        t->names.at[kept] = t->names.at[i];
        moved[i] = (uint32_t)kept++;
        good = good && flm_index_add(&t->name_index,
                                     hash_of_text(flm_owned_string_bytes(&t->names.at[moved[i]])),
                                     moved[i]);
    }
    t->names.count = kept;
    for (size_t i = 0; i < t->threads.count; i++)
        if (t->threads.at[i].name != UINT32_MAX)
            t->threads.at[i].name = moved[t->threads.at[i].name];
    free(moved);
    return good;
}
