/* requests.c - scopes, requests and tasks whose names are known at run time: a server enters the
 * same few again and again, so each thread remembers the sites of some. Runs inside malloc and in
 * signal handlers. */
#include <string.h>

#include "internal.h"

enum { REMEMBERED = 256 };

struct flm_remembered {
    struct {
        uint64_t hash;
        struct flm_site *site;
    } at[REMEMBERED];
};

void flm_remembered_free(struct flm_local *local)
{
    flm_memory_free(local->remembered, sizeof *local->remembered);
}

static uint64_t hash_of(uint32_t kind, const char *name, size_t size)
{
    uint64_t hash = size * 0x9E3779B97F4A7C15u + kind;
    for (; size >= 8; size -= 8, name += 8) {
        uint64_t part;
        memcpy(&part, name, 8);
        hash = (hash ^ part) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001B3u;
    hash ^= hash >> 32;
    return hash * 0x9E3779B97F4A7C15u;
}

struct flm_site *flm_site_remembered(enum flm_probe_kind kind, const char *name)
{
    if (!name || !*name)
        name = "<unnamed>";
    if (!flm_top && !flm_local_begin_scope())
        return NULL;
    struct flm_local *local = flm_local;
    size_t size = strlen(name);
    uint64_t hash = hash_of(kind, name, size);
    if (!local->remembered)
        local->remembered = flm_memory_new(sizeof *local->remembered);
    if (!local->remembered)
        return flm_site_named(kind, FLM_PROBE_NO_OPERATION, name, size, NULL);
    /* A handler that comes between may write here too: what is read is checked, but the hash. */
    uint32_t slot = (uint32_t)(hash >> 56) % REMEMBERED;
    struct flm_site *site = local->remembered->at[slot].site;
    if (site && local->remembered->at[slot].hash == hash && site->kind == kind &&
        strcmp(site->name, name) == 0)
        return site;
    site = flm_site_named(kind, FLM_PROBE_NO_OPERATION, name, size, NULL);
    local->remembered->at[slot].hash = hash;
    local->remembered->at[slot].site = site;
    return site;
}

static void *enter(enum flm_probe_kind kind, const char *name)
{
    struct flm_site *site = flm_site_remembered(kind, name);
    return site ? flm_probe_enter(site) : NULL;
}

void *flm_probe_enter_named(const char *name)
{
    return enter(FLM_PROBE_SCOPE, name);
}

void *flm_probe_enter_request(const char *name)
{
    return enter(FLM_PROBE_REQUEST, name);
}
