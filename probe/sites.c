/* sites.c - what is measured, by name: numbered when it is first entered. Texts are copied, since
 * dlclose unloads them. Runs inside malloc and in signal handlers. */
#include <string.h>

#include "internal.h"
#include "lambdas.h"

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

struct flm_probe_site *flm_site_at(uint32_t number)
{
    struct flm_arena *arena = &flm_run.arena;
    bool is_one = arena->base && number > 0 && number <= arena->header->site_count;
    return is_one ? site_at(arena, number) : NULL;
}

static bool add_text(struct flm_arena *arena, const char *text, uint64_t *at, uint32_t *size)
{
    size_t length = text ? strlen(text) : 0;
    *size = (uint32_t)length;
    *at = flm_arena_add_text(arena, text, length);
    return length == 0 || *at > 0;
}

/* What the macros make has its function; and in C++ a text for those that are lambdas, which can be
 * told from others by the size of their name only: see FLM_PROBE_LAMBDA. */
static bool is_by_macro(const struct flm_site *site)
{
    return site->function != NULL;
}

static bool is_lambda(const struct flm_site *site)
{
    return is_by_macro(site) && site->caller && strcmp(site->function, "operator()") == 0;
}

static bool add_function(struct flm_arena *arena, const struct flm_site *site,
                         struct flm_probe_site *to)
{
    char name[256];
    if (!is_lambda(site))
        return add_text(arena, site->function, &to->function, &to->function_size);
    to->function_size = (uint32_t)flm_lambda_name(site->caller, name, sizeof name);
    to->function = flm_arena_add_text(arena, name, to->function_size);
    return to->function > 0;
}

static bool describe(struct flm_arena *arena, const struct flm_site *site,
                     struct flm_probe_site *to)
{
    to->line = site->line;
    to->kind = site->kind;
    to->operation = site->operation;
    to->address = (uintptr_t)site->address;
    to->caller = is_by_macro(site) ? 0 : (uintptr_t)site->caller;
    return add_text(arena, site->name, &to->name, &to->name_size) &&
           add_function(arena, site, to) && add_text(arena, site->file, &to->file, &to->file_size);
}

const struct flm_probe_site *flm_site_record(uint32_t number)
{
    struct flm_arena *arena = &flm_run.arena;
    bool is_there =
        number > 0 && number <= __atomic_load_n(&arena->header->site_count, __ATOMIC_ACQUIRE);
    return is_there ? site_at(arena, number) : NULL;
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

/* ---- Names that are known at run time only --------------------------------------------------- */

enum { MOST_NAMED = 1000, MOST_NAME = 1024, NAMED_SLOTS = 32768 };

struct named {
    struct flm_site site;
    uint32_t hash, size;
    char name[];
};

/* By open addressing: MOST_NAMED of each kind fill less than half. Kept for good, as sites of the
 * program are. */
static struct named **all_named;
static uint32_t named_count[FLM_PROBE_KINDS];
static struct {
    unsigned char *at;
    size_t left;
} named_room;

/* What is looked for: everything of a site that is the same for the same thing. */
static uint32_t hash_of(const struct flm_site *like, size_t size)
{
    uint64_t hash = ((uint64_t)like->kind << 16 | like->operation) * 0x9E3779B97F4A7C15u ^
                    (uintptr_t)like->address * 0xD6E8FEB86659FD93u ^
                    (uintptr_t)like->caller * 0xC2B2AE3D27D4EB4Fu;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)like->name[i]) * 0x100000001B3u;
    hash ^= hash >> 32;
    return (uint32_t)(hash * 0x9E3779B1u >> 7);
}

static struct named *new_named(size_t name_size)
{
    enum { ROOM = 256 << 10 };
    size_t size = (sizeof(struct named) + name_size + 1 + 15) / 16 * 16;
    if (named_room.left < size) {
        named_room.at = flm_memory_new(ROOM);
        named_room.left = named_room.at ? ROOM : 0;
    }
    if (named_room.left < size)
        return NULL;
    struct named *named = (struct named *)(void *)named_room.at;
    named_room.at += size;
    named_room.left -= size;
    return named;
}

static bool is_like(const struct named *named, const struct flm_site *like, size_t size)
{
    const struct flm_site *site = &named->site;
    return named->size == size && site->address == like->address && site->caller == like->caller &&
           site->kind == like->kind && site->operation == like->operation &&
           memcmp(named->name, like->name, size) == 0;
}

static struct named **slot_of(const struct flm_site *like, size_t size, uint32_t hash)
{
    for (uint32_t i = hash % NAMED_SLOTS;; i = (i + 1) % NAMED_SLOTS) {
        struct named *named = all_named[i];
        if (!named || (named->hash == hash && is_like(named, like, size)))
            return &all_named[i];
    }
}

static struct flm_site *find_named(const struct flm_site *like, size_t size, uint32_t most)
{
    uint32_t hash = hash_of(like, size);
    struct named **slot = slot_of(like, size, hash), *named = *slot;
    if (named)
        return &named->site;
    if (named_count[like->kind] >= most || !(named = new_named(size)))
        return NULL;
    memcpy(named->name, like->name, size);
    named->hash = hash;
    named->size = (uint32_t)size;
    named->site = *like;
    named->site.name = named->name;
    named_count[like->kind]++;
    *slot = named;
    return &named->site;
}

struct flm_site *flm_site_like(const struct flm_site *like, size_t size)
{
    struct flm_site *site = NULL;
    struct flm_probe_open *top = flm_local_work();
    size = size < MOST_NAME ? size : MOST_NAME;
    flm_lock();
    if (!all_named)
        all_named = flm_memory_new(NAMED_SLOTS * sizeof *all_named);
    if (all_named)
        site = find_named(like, size, MOST_NAMED);
    if (all_named && !site) {
        const struct flm_site other = {
            .name = "<other>", .kind = like->kind, .operation = like->operation};
        site = find_named(&other, strlen(other.name), MOST_NAMED + FLM_PROBE_OPERATIONS);
    }
    flm_unlock();
    flm_local_rest(top);
    return site;
}

struct flm_site *flm_site_named(enum flm_probe_kind kind, enum flm_probe_operation operation,
                                const char *name, size_t size, const void *address)
{
    return flm_site_like(&(struct flm_site){.name = name,
                                            .kind = (uint16_t)kind,
                                            .operation = (uint16_t)operation,
                                            .address = address},
                         size);
}
