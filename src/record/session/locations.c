#include "record/session/locations.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "record/session/session.h"

bool flm_places_init(struct flm_places *p, struct flm_error *why)
{
    *p = (struct flm_places){0};
    p->answers = calloc(FLM_PLACE_ANSWERS, sizeof *p->answers);
    return p->answers || flm_error_memory(why);
}

void flm_places_clear(struct flm_places *p)
{
    flm_index_clear(&p->owner_index);
    flm_index_clear(&p->place_index);
    free(p->owners);
    free(p->places);
    free(p->answers);
    *p = (struct flm_places){0};
}

static uint32_t find_owner(struct flm_places *p, struct flm_place_owner owner)
{
    uint32_t hash = flm_hash_numbers((uintptr_t)owner.module,
                                     (uint64_t)owner.kind << 32 | (uint32_t)owner.process);
    for (struct flm_probe at = flm_index_probe(&p->owner_index, hash);
         flm_index_next(&p->owner_index, &at);) {
        const struct flm_place_owner *o = &p->owners[at.found];
        if (o->kind == owner.kind && o->module == owner.module && o->process == owner.process)
            return at.found;
    }
    void *owners = p->owners;
    if (!flm_grow(&owners, &p->owner_capacity, p->owner_count + 1, sizeof *p->owners))
        return UINT32_MAX;
    p->owners = owners;
    if (!flm_index_add(&p->owner_index, hash, (uint32_t)p->owner_count))
        return UINT32_MAX;
    p->owners[p->owner_count] = owner;
    return (uint32_t)p->owner_count++;
}

uint32_t flm_places_add(struct flm_places *p, struct flm_place_owner owner, uint64_t address,
                        uint32_t era)
{
    uint32_t number = find_owner(p, owner);
    if (number == UINT32_MAX)
        return number;
    uint32_t hash = flm_hash_numbers(address, (uint64_t)era << 32 | number);
    for (struct flm_probe at = flm_index_probe(&p->place_index, hash);
         flm_index_next(&p->place_index, &at);) {
        const struct flm_place *place = &p->places[at.found];
        if (place->address == address && place->owner == number && place->era == era)
            return at.found;
    }
    void *places = p->places;
    if (p->place_count >= UINT32_MAX ||
        !flm_grow(&places, &p->place_capacity, p->place_count + 1, sizeof *p->places))
        return UINT32_MAX;
    p->places = places;
    if (!flm_index_add(&p->place_index, hash, (uint32_t)p->place_count))
        return UINT32_MAX;
    p->places[p->place_count] = (struct flm_place){number, era, address};
    return (uint32_t)p->place_count++;
}

static uint32_t add_kernel(struct flm_places *p, const struct flm_process *kernel, uint64_t address)
{
    const struct flm_mapping *mapping = flm_process_find(kernel, address);
    struct flm_place_owner owner = {FLM_OWNER_KERNEL, mapping ? mapping->module : NULL, -1};
    return flm_places_add(p, owner, address, 0);
}

static uint32_t add_user(struct flm_places *p, const struct flm_process *process, uint64_t address,
                         uint32_t era)
{
    if (address >= FLM_CODE_FIRST && address <= FLM_CODE_LAST)
        return flm_places_add(p, (struct flm_place_owner){FLM_OWNER_CODE, NULL, 0}, address, 0);
    const struct flm_mapping *mapping = flm_process_find(process, address);
    if (!mapping || !mapping->module)
        return flm_places_add(p, (struct flm_place_owner){FLM_OWNER_PROCESS, NULL, process->id},
                              address, era);
    uint64_t offset = address - mapping->start + mapping->file_offset, inside;
    struct flm_place_owner owner = {FLM_OWNER_MODULE, mapping->module, 0};
    if (!flm_module_address(mapping->module, offset, &inside)) {
        owner.kind = FLM_OWNER_FILE;
        inside = offset;
    }
    return flm_places_add(p, owner, inside, 0);
}

uint32_t flm_places_find(struct flm_places *p, const struct flm_process *process,
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
    struct flm_place_answer *answer =
        &p->answers[flm_hash_numbers(address, changed ^ role) % FLM_PLACE_ANSWERS];
    if (answer->changed == changed && answer->address == address && answer->role == role)
        return answer->place;
    uint32_t place =
        is_kernel ? add_kernel(p, kernel, address)
        : role & FLM_ROLE_GUEST
            ? flm_places_add(p, (struct flm_place_owner){FLM_OWNER_GUEST, NULL, 0}, address, 0)
            : add_user(p, process, address, era);
    if (place != UINT32_MAX)
        *answer = (struct flm_place_answer){changed, address, role, place};
    return place;
}
