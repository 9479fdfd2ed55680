/* eviction.c - frees modules and tables that a recording without end no longer uses. */
#include <stdlib.h>

#include "symbol/registry/internal.h"

void flm_module_use(struct flm_module *module)
{
    module->used = module->modules->round;
}

static bool is_old(const struct flm_modules *modules, uint64_t round)
{
    return modules->round - round >= FLM_MODULE_ROUNDS;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void drop_code(struct flm_module *module)
{
    flm_code_table_free(module->code);
    flm_cache_close(&module->cached_code);
    flm_module_drop_functions(module);
    flm_plain_names_clear(&module->names);
    flm_plain_names_init(&module->names);
    module->code = NULL;
    module->code_tried = false;
    module->state = module->bare;
}

static void drop_unwind(struct flm_module *module)
{
    flm_unwind_table_free(module->unwind);
    flm_cache_close(&module->cached_unwind);
    module->unwind = NULL;
    module->unwind_tried = false;
}

static void evict_tables(struct flm_module *module)
{
    const struct flm_modules *modules = module->modules;
    if (module->code && is_old(modules, module->code_used))
        drop_code(module);
    if (module->unwind && is_old(modules, module->unwind_used))
        drop_unwind(module);
    if (module->is_warm)
        flm_elf_release_pages(module->file);
    module->is_warm = false;
}

/* ---- The set --------------------------------------------------------------------------------- */

/* `moved` has the new numbers of modules, UINT32_MAX for those that are freed; NULL: all stay. */
static bool keep_requests(struct flm_modules *modules, const uint32_t *moved,
                          flm_process_predicate is_known, void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < modules->requests.count; i++) {
        struct flm_request request = modules->requests.at[i];
        if (moved && moved[request.module] == UINT32_MAX)
            continue;
        if (is_known && request.process != 0 && !is_known(context, request.process))
            continue;
        request.module = moved ? moved[request.module] : request.module;
        modules->requests.at[kept++] = request;
    }
    if (kept == modules->requests.count && !moved)
        return true;
    modules->requests.count = kept;
    flm_index_clear(&modules->request_index);
    for (size_t i = 0; i < kept; i++) {
        const struct flm_request *request = &modules->requests.at[i];
        if (!flm_index_add(&modules->request_index, flm_request_hash(request->path, &request->id),
                           (uint32_t)i))
            return false;
    }
    return true;
}

bool flm_modules_forget_requests(struct flm_modules *modules, flm_process_predicate is_known,
                                 void *context)
{
    return keep_requests(modules, NULL, is_known, context);
}

static bool drop_modules(struct flm_modules *modules)
{
    uint32_t *moved = malloc((modules->items.count + 1) * sizeof *moved);
    size_t kept = 0;
    if (!moved)
        return false;
    for (size_t i = 0; i < modules->items.count; i++)
        moved[i] = is_old(modules, modules->items.at[i]->used) ? UINT32_MAX : (uint32_t)kept++;
    bool enough = keep_requests(modules, moved, NULL, NULL);
    for (size_t i = 0; i < modules->items.count; i++) {
        if (moved[i] == UINT32_MAX)
            flm_module_free(modules->items.at[i]);
        else
            modules->items.at[moved[i]] = modules->items.at[i];
    }
    modules->items.count = kept;
    free(moved);
    return enough;
}

bool flm_modules_evict(struct flm_modules *modules)
{
    bool any_old = false;
    for (size_t i = 0; i < modules->items.count; i++) {
        evict_tables(modules->items.at[i]);
        any_old |= is_old(modules, modules->items.at[i]->used);
    }
    modules->round++;
    return !any_old || drop_modules(modules);
}

struct flm_modules_counts flm_modules_counts(const struct flm_modules *modules)
{
    struct flm_modules_counts counts = {.modules = modules->items.count,
                                        .requests = modules->requests.count};
    for (size_t i = 0; i < modules->items.count; i++) {
        counts.code_tables += modules->items.at[i]->code != NULL;
        counts.unwind_tables += modules->items.at[i]->unwind != NULL;
    }
    return counts;
}
