#include "record/session/locations.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "record/session/session.h"

bool flm_locations_init(struct flm_locations *p, const struct flm_symbolizer *symbolizer,
                        struct flm_error *why)
{
    *p = (struct flm_locations){.calls = symbolizer->calls};
    p->cache = calloc(FLM_LOCATION_CACHE_SIZE, sizeof *p->cache);
    return p->cache || flm_error_memory(why);
}

void flm_locations_clear(struct flm_locations *p)
{
    flm_index_clear(&p->owner_index);
    flm_index_clear(&p->location_index);
    free(p->owners.at);
    free(p->locations.at);
    free(p->cache);
    *p = (struct flm_locations){0};
}

static uint32_t find_owner(struct flm_locations *p, struct flm_location_owner owner)
{
    uint32_t hash = flm_hash_numbers((uintptr_t)owner.module,
                                     (uint64_t)owner.kind << 32 | (uint32_t)owner.process);
    for (struct flm_probe at = flm_index_probe(&p->owner_index, hash);
         flm_index_next(&p->owner_index, &at);) {
        const struct flm_location_owner *o = &p->owners.at[at.found];
        if (o->kind == owner.kind && o->module == owner.module && o->process == owner.process)
            return at.found;
    }
    if (!FLM_ARRAY_RESERVE(&p->owners, 1))
        return UINT32_MAX;
    if (!flm_index_add(&p->owner_index, hash, (uint32_t)p->owners.count))
        return UINT32_MAX;
    p->owners.at[p->owners.count] = owner;
    return (uint32_t)p->owners.count++;
}

uint32_t flm_locations_add(struct flm_locations *p, struct flm_location_owner owner,
                           uint64_t address, uint32_t era)
{
    uint32_t number = find_owner(p, owner);
    if (number == UINT32_MAX)
        return number;
    uint32_t hash = flm_hash_numbers(address, (uint64_t)era << 32 | number);
    for (struct flm_probe at = flm_index_probe(&p->location_index, hash);
         flm_index_next(&p->location_index, &at);) {
        const struct flm_session_location *location = &p->locations.at[at.found];
        if (location->address == address && location->owner == number && location->era == era)
            return at.found;
    }
    if (p->locations.count >= UINT32_MAX || !FLM_ARRAY_RESERVE(&p->locations, 1))
        return UINT32_MAX;
    if (!flm_index_add(&p->location_index, hash, (uint32_t)p->locations.count))
        return UINT32_MAX;
    p->locations.at[p->locations.count] = (struct flm_session_location){number, era, address};
    return (uint32_t)p->locations.count++;
}

static uint32_t add_kernel(struct flm_locations *p, const struct flm_process *kernel,
                           uint64_t address)
{
    const struct flm_mapping *mapping = flm_process_find(kernel, address);
    struct flm_location_owner owner = {FLM_OWNER_KERNEL, mapping ? mapping->module : NULL, -1};
    return flm_locations_add(p, owner, address, 0);
}

static uint32_t add_user(struct flm_locations *p, const struct flm_process *process,
                         uint64_t address, uint32_t era)
{
    if (address >= FLM_CODE_FIRST && address <= FLM_CODE_LAST)
        return flm_locations_add(p, (struct flm_location_owner){FLM_OWNER_CODE, NULL, 0}, address,
                                 0);
    const struct flm_mapping *mapping = flm_process_find(process, address);
    if (!mapping || !mapping->module)
        return flm_locations_add(
            p, (struct flm_location_owner){FLM_OWNER_PROCESS, NULL, process->id}, address, era);
    uint64_t offset = address - mapping->start + mapping->file_offset, inside;
    struct flm_location_owner owner = {FLM_OWNER_MODULE, mapping->module, 0};
    if (!p->calls->address || !p->calls->address(mapping->module, offset, &inside)) {
        owner.kind = FLM_OWNER_FILE;
        inside = offset;
    }
    return flm_locations_add(p, owner, inside, 0);
}

uint32_t flm_locations_find(struct flm_locations *p, const struct flm_process *process,
                            const struct flm_process *kernel, uint64_t address, uint32_t role,
                            uint32_t era)
{
    bool is_code = address >= FLM_CODE_FIRST && address <= FLM_CODE_LAST;
    if (role & FLM_ROLE_RETURN && address > 0 && !is_code)
        address--;
    role &= ~(uint32_t)FLM_ROLE_RETURN;
    bool is_kernel = role & FLM_ROLE_KERNEL;
    uint64_t changed = is_kernel ? kernel->changed : process->changed;
    if (era)
        role |= era << 3;
    struct flm_location_cache_entry *entry =
        &p->cache[flm_hash_numbers(address, changed ^ role) % FLM_LOCATION_CACHE_SIZE];
    if (entry->changed == changed && entry->address == address && entry->role == role)
        return entry->location;
    uint32_t location =
        is_kernel ? add_kernel(p, kernel, address)
        : role & FLM_ROLE_GUEST
            ? flm_locations_add(p, (struct flm_location_owner){FLM_OWNER_GUEST, NULL, 0}, address,
                                0)
            : add_user(p, process, address, era);
    if (location != UINT32_MAX)
        *entry = (struct flm_location_cache_entry){changed, address, role, location};
    return location;
}
