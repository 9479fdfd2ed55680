/* lock_names.c - which lock it is. Runs inside malloc, and where the program's locks are taken. */
#include "lock_names.h"

#include <dlfcn.h>
#include <string.h>

#include "flamel/probe_locks.h"

/* By the address of the lock, in the first of a few places that is free. Each word is written
 * whole, and a lock that is asked for while another thread initializes it may get the older one. */
enum { BITS = 15, PLACES = 1 << BITS, NEAR = 8, IS_NAME = 1 };
static struct known {
    uintptr_t lock;   /* 0: free */
    uintptr_t origin; /* where it began: code; or | IS_NAME, a text */
} all_known[PLACES + NEAR];

static struct known *first_place(const void *lock)
{
    return &all_known[((uintptr_t)lock >> 3) * 0x9E3779B97F4A7C15u >> (64 - BITS)];
}

static struct known *find(const void *lock)
{
    struct known *first = first_place(lock);
    for (struct known *known = first; known < first + NEAR; known++)
        if (__atomic_load_n(&known->lock, __ATOMIC_ACQUIRE) == (uintptr_t)lock)
            return known;
    return NULL;
}

static void set_origin(struct known *known, uintptr_t origin)
{
    __atomic_store_n(&known->origin, origin, __ATOMIC_RELEASE);
}

/* Where there is no room, the oldest is forgotten, as far as its place tells. */
static void remember(const void *lock, uintptr_t origin)
{
    struct known *known = find(lock), *first = first_place(lock);
    for (struct known *free = first; !known && free < first + NEAR; free++) {
        uintptr_t none = 0;
        if (__atomic_compare_exchange_n(&free->lock, &none, (uintptr_t)lock, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            known = free;
    }
    if (!known) {
        known = first;
        __atomic_store_n(&known->lock, (uintptr_t)lock, __ATOMIC_RELEASE);
    }
    set_origin(known, origin);
}

void flm_lock_begins(const void *lock, const void *caller)
{
    remember(lock, (uintptr_t)caller & ~(uintptr_t)IS_NAME);
}

void flm_lock_ends(const void *lock)
{
    struct known *known = find(lock);
    if (known) {
        set_origin(known, 0);
        __atomic_store_n(&known->lock, 0, __ATOMIC_RELEASE);
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Kept for good, each once. */
struct name {
    struct name *next;
    size_t size;
    char text[];
};
static struct name *all_names;

static struct name *find_name(const char *text, size_t size)
{
    for (struct name *name = all_names; name; name = name->next)
        if (name->size == size && memcmp(name->text, text, size) == 0)
            return name;
    return NULL;
}

static struct name *new_name(const char *text, size_t size)
{
    static unsigned char *room;
    static size_t left;
    enum { ROOM = 64 << 10 };
    size_t whole = (sizeof(struct name) + size + 1 + 15) / 16 * 16;
    if (left < whole && (room = flm_memory_new(ROOM)) != NULL)
        left = ROOM;
    if (left < whole)
        return NULL;
    struct name *name = (struct name *)(void *)room;
    room += whole;
    left -= whole;
    memcpy(name->text, text, size);
    name->size = size;
    name->next = all_names;
    all_names = name;
    return name;
}

void flm_probe_name_lock(const void *lock, const char *text)
{
    enum { MOST_SIZE = 200 };
    size_t size = strnlen(text, MOST_SIZE);
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    struct name *name = find_name(text, size);
    if (!name)
        name = new_name(text, size);
    flm_unlock();
    flm_local_rest(top);
    if (name)
        remember(lock, (uintptr_t)name | IS_NAME);
}

/* ---- Sites ----------------------------------------------------------------------------------- */

/* In a file that is mapped. The loader answers without its lock, since glibc 2.35. */
#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));
static bool is_variable(const void *lock)
{
    struct dl_find_object found;
    return _dl_find_object && _dl_find_object((void *)(uintptr_t)lock, &found) == 0;
}
#else
static bool is_variable(const void *lock)
{
    (void)lock;
    return false;
}
#endif

struct flm_site *flm_lock_site(const void *lock, const void *caller, int operation)
{
    const struct known *known = find(lock);
    uintptr_t origin = known ? __atomic_load_n(&known->origin, __ATOMIC_ACQUIRE) : 0;
    struct flm_site like = {
        .name = "", .kind = FLM_PROBE_LOCK, .operation = (uint16_t)operation, .caller = caller};
    size_t size = 0;
    if (origin & IS_NAME) {
        const struct name *name = (const struct name *)(origin - IS_NAME);
        like.name = name->text;
        size = name->size;
    } else if (is_variable(lock)) {
        like.address = lock;
    } else {
        if (origin == 0)
            remember(lock, origin = (uintptr_t)caller & ~(uintptr_t)IS_NAME);
        like.address = (const void *)origin;
    }
    return flm_site_like(&like, size);
}
