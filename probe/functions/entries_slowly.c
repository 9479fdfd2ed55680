/* entries_slowly.c - functions that call at their beginning: the first call of each, and whatever
 * is not as usual. Runs inside malloc and in signal handlers; the program's registers are saved. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "calls.h"
#include "entries.h"
#include "functions.h"

/* ---- Whether functions have ends ------------------------------------------------------------- */

/* The table of what is found by a hash begins with what the file needs of others. */
static uint32_t needed_symbols(const uint32_t *old_hash, const uint32_t *hash)
{
    return hash ? hash[1] : old_hash ? old_hash[1] : 0;
}

static bool needs(const ElfW(Dyn) * entry, const char *name)
{
    const ElfW(Sym) *symbols = NULL;
    const char *texts = NULL;
    const uint32_t *hash = NULL, *old_hash = NULL;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at =
            (const void *)(uintptr_t)entry->d_un.d_ptr; // NOLINT(performance-no-int-to-ptr)
        if (entry->d_tag == DT_SYMTAB)
            symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            texts = at;
        else if (entry->d_tag == DT_GNU_HASH)
            hash = at;
        else if (entry->d_tag == DT_HASH)
            old_hash = at;
    }
    uint32_t count = symbols && texts ? needed_symbols(old_hash, hash) : 0;
    for (uint32_t i = 1; i < count; i++)
        if (symbols[i].st_shndx == SHN_UNDEF && strcmp(texts + symbols[i].st_name, name) == 0)
            return true;
    return false;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
extern int _dl_find_object(void *address, struct dl_find_object *found)
    __attribute__((weak)); /* not in musl */
#endif

static const ElfW(Dyn) * dynamic_of(uintptr_t address)
{
    const void *at = (const void *)address; // NOLINT(performance-no-int-to-ptr)
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    struct dl_find_object file; /* without the loader's lock */
    return _dl_find_object && _dl_find_object((void *)(uintptr_t)at, &file) == 0 &&
                   file.dlfo_link_map
               ? file.dlfo_link_map->l_ld
               : NULL;
#else
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map ? map->l_ld : NULL;
#endif
}

/* Whether its file calls us where functions end. */
static bool has_ends(uintptr_t key)
{
    bool is_shared = flm_is_second != NULL;
    return (!is_shared && &flm_entry_ends_are_linked) || needs(dynamic_of(key), "__return__");
}

/* ---- The first call -------------------------------------------------------------------------- */

/* Before the call, which may be indirect or have a prefix, is only the mark of an entry. */
static uintptr_t start_of(uintptr_t key)
{
    static const unsigned char mark[] = {0xF3, 0x0F, 0x1E, 0xFA}; /* endbr64 */
    const unsigned char *at = (const unsigned char *)key; // NOLINT(performance-no-int-to-ptr)
    at -= (at[-6] == 0xFF && at[-5] == 0x15) || (at[-6] == 0x67 && at[-5] == 0xE8) ? 6 : 5;
    if (memcmp(at - sizeof mark, mark, sizeof mark) == 0)
        at -= sizeof mark;
    return (uintptr_t)at;
}

static void say_counted(void)
{
    static bool is_said;
    if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
        flm_time_note(
            "functions that are compiled with -pg are counted, not timed, as nothing says "
            "when they end: gcc -pg -mfentry -minstrument-return=call does");
}

static struct flm_site *counted_site(uintptr_t key, uintptr_t address)
{
    struct flm_site *site = flm_function_site(key, address, true);
    if (site && site != &flm_left_out)
        say_counted();
    return site;
}

static struct flm_site *find_counted(const void *thing, const void *caller, int operation)
{
    (void)caller, (void)operation;
    return flm_function_find((uintptr_t)thing);
}

static void count(uintptr_t key)
{
    const void *thing = (const void *)key; // NOLINT(performance-no-int-to-ptr)
    struct flm_call *call = flm_call_of(thing, NULL, find_counted, 0);
    if (call)
        call->node->calls++;
}

void flm_entry_count_slowly(uintptr_t key, uintptr_t stack)
{
    (void)stack;
    int kept = errno;
    const struct flm_site *site = counted_site(key, key);
    if (site && site != &flm_left_out)
        count(key);
    errno = kept;
}

void flm_entry_begin_slowly(uintptr_t key, uintptr_t stack)
{
    int kept = errno;
    struct flm_site *site = flm_function_find(key);
    if (!site)
        site = has_ends(key) ? flm_function_site(key, start_of(key), false)
                             : counted_site(key, start_of(key));
    if (site && site != &flm_left_out) {
        if (site->operation == FLM_PROBE_COUNTED)
            count(key);
        else
            flm_function_enter(key, site, &(struct flm_frame){.stack = stack});
    }
    errno = kept;
}

void flm_entry_end_slowly(uintptr_t key, uintptr_t stack)
{
    (void)key;
    int kept = errno;
    flm_function_leave(stack);
    errno = kept;
}
