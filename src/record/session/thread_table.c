#include "record/session/thread_table.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "flamel/builder.h"

void flm_thread_table_clear(struct flm_thread_table *t)
{
    for (size_t i = 0; i < t->name_count; i++)
        free(t->names[i].at);
    flm_index_clear(&t->index);
    flm_index_clear(&t->name_index);
    free(t->threads);
    free(t->names);
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
        if (t->threads[at.found].id == id)
            return &t->threads[at.found];
    return NULL;
}

struct flm_thread *flm_thread_table_get(struct flm_thread_table *t, int32_t id)
{
    struct flm_thread *thread = flm_thread_table_find(t, id);
    void *threads = t->threads;
    if (thread)
        return thread;
    if (!flm_grow(&threads, &t->capacity, t->count + 1, sizeof *t->threads))
        return NULL;
    t->threads = threads;
    if (!flm_index_add(&t->index, hash_of(id), (uint32_t)t->count))
        return NULL;
    thread = &t->threads[t->count++];
    *thread =
        (struct flm_thread){.id = id, .process = -1, .name = UINT32_MAX, .ended_ns = FLM_NO_TIME};
    return thread;
}

bool flm_thread_table_keep(struct flm_thread_table *t, flm_thread_predicate keep, void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (keep(context, &t->threads[i]))
            t->threads[kept++] = t->threads[i];
    if (kept == t->count)
        return true;
    flm_index_clear(&t->index);
    for (t->count = 0; t->count < kept; t->count++)
        if (!flm_index_add(&t->index, hash_of(t->threads[t->count].id), (uint32_t)t->count))
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
        if (flm_bytes_equal(flm_owned_string_bytes(&t->names[at.found]), text))
            return at.found;
    void *names = t->names;
    if (!flm_grow(&names, &t->name_capacity, t->name_count + 1, sizeof *t->names))
        return UINT32_MAX;
    t->names = names;
    struct flm_owned_string copy;
    if (!flm_owned_string_init(&copy, text))
        return UINT32_MAX;
    if (!flm_index_add(&t->name_index, hash, (uint32_t)t->name_count)) {
        free(copy.at);
        return UINT32_MAX;
    }
    t->names[t->name_count] = copy;
    return (uint32_t)t->name_count++;
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
    return thread && thread->name != UINT32_MAX ? flm_owned_string_bytes(&t->names[thread->name])
                                                : (struct flm_bytes){"", 0};
}

bool flm_thread_table_forget_names(struct flm_thread_table *t)
{
    uint32_t *moved = malloc((t->name_count + 1) * sizeof *moved);
    size_t kept = 0;
    if (!moved)
        return false;
    memset(moved, 0xFF, t->name_count * sizeof *moved);
    for (size_t i = 0; i < t->count; i++)
        if (t->threads[i].name != UINT32_MAX)
            moved[t->threads[i].name] = 0;
    flm_index_clear(&t->name_index);
    bool good = true;
    for (size_t i = 0; i < t->name_count; i++) {
        if (moved[i] == UINT32_MAX) {
            free(t->names[i].at);
            continue;
        }
        t->names[kept] = t->names[i];
        moved[i] = (uint32_t)kept++;
        good = good &&
               flm_index_add(&t->name_index,
                             hash_of_text(flm_owned_string_bytes(&t->names[moved[i]])), moved[i]);
    }
    t->name_count = kept;
    for (size_t i = 0; i < t->count; i++)
        if (t->threads[i].name != UINT32_MAX)
            t->threads[i].name = moved[t->threads[i].name];
    free(moved);
    return good;
}
