/* sites.c - source locations: numbered when they are first entered. Their texts are copied,
 * since dlclose unloads them. Runs inside malloc and in signal handlers. */
#include <string.h>

#include "internal.h"

/* Part 0 has the first 64, and each other one as many as there are before it. */
static struct flm_probe_site *site_at(struct flm_arena *arena, uint32_t number)
{
    uint32_t part = 0, first = 0, size = FLM_PROBE_FIRST_SITES;
    while (number - first >= size) {
        first += size;
        size = part++ == 0 ? size : size * 2;
    }
    if (part >= FLM_PROBE_SITE_PARTS)
        return NULL;
    uint32_t *place = &arena->header->site_part[part];
    if (*place == 0)
        *place = flm_arena_take(arena, size * sizeof(struct flm_probe_site));
    if (*place == 0)
        return NULL;
    return (struct flm_probe_site *)flm_arena_at(arena, *place) + (number - first);
}

static bool add_text(struct flm_arena *arena, const char *text, uint64_t *at, uint32_t *size)
{
    size_t length = text ? strlen(text) : 0;
    *size = (uint32_t)length;
    *at = flm_arena_add_text(arena, text, length);
    return length == 0 || *at > 0;
}

static bool describe(struct flm_arena *arena, const struct flm_site *site,
                     struct flm_probe_site *to)
{
    to->line = site->line;
    return add_text(arena, site->name, &to->name, &to->name_size) &&
           add_text(arena, site->function, &to->function, &to->function_size) &&
           add_text(arena, site->file, &to->file, &to->file_size);
}

uint32_t flm_site_number(struct flm_site *site)
{
    uint32_t run = flm_run_numbers(flm_run.number);
    uint32_t number = __atomic_load_n(&site->number, __ATOMIC_ACQUIRE);
    if ((number & ~(uint32_t)FLM_PROBE_SITE_MASK) == run)
        return number;
    number = 0;
    flm_lock();
    if ((site->number & ~(uint32_t)FLM_PROBE_SITE_MASK) == run) {
        number = site->number;
    } else {
        struct flm_arena *arena = &flm_run.arena;
        uint32_t next = arena->header->site_count + 1;
        struct flm_probe_site *to = next < FLM_PROBE_SITE_MASK ? site_at(arena, next) : NULL;
        if (to && describe(arena, site, to)) {
            number = run | next;
            __atomic_store_n(&arena->header->site_count, next, __ATOMIC_RELEASE);
            __atomic_store_n(&site->number, number, __ATOMIC_RELEASE);
        }
    }
    flm_unlock();
    return number;
}
