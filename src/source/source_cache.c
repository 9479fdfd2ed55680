#include "source/source_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "format/core/date.h"
#include "format/core/mapped.h"
#include "profile/columns.h"
#include "symbol/registry/module.h"

struct known_file {
    struct flm_text name;      /* as frames have it */
    struct flm_module *module; /* whose file it is; NULL: that is not known */
    struct flm_source_file source;
    struct flm_line_index lines;
};

struct found_sources {
    struct flm_sources sources; /* first: what reports see */
    struct flm_source_places places;
    struct flm_modules_options symbols;
    struct flm_modules *modules;                 /* NULL: none was looked for yet */
    struct FLM_ARRAY(struct known_file *) files; /* each stays where it is */
    struct flm_index index;                      /* by name */
};

static void free_file(struct known_file *file)
{
    flm_text_clear(&file->name);
    flm_source_file_clear(&file->source);
    flm_line_index_clear(&file->lines);
    free(file);
}

static bool describe(const struct known_file *file, struct flm_source_text *found)
{
    const struct flm_source_file *s = &file->source;
    *found =
        (struct flm_source_text){.lines = s->origin == FLM_SOURCE_NOWHERE ? NULL : &file->lines,
                                 .path = flm_bytes_of(s->path.at ? s->path.at : ""),
                                 .status = flm_bytes_of(s->status.at ? s->status.at : "")};
    return true;
}

/* The note has whole seconds. */
int64_t flm_source_recorded_ns(const struct flm_profile *p)
{
    struct flm_name began = flm_profile_note_named(p, "recorded");
    int64_t began_ns;
    bool known =
        began.size > 0 && flm_date_parse((struct flm_bytes){began.at, began.size}, &began_ns);
    return known ? began_ns + 1000000000 : 0;
}

/* The module, where the profile says which build it is of: another one may be compiled from other
 * sources. NULL: it does not. False when memory ran out. */
static bool find_module(struct found_sources *all, const struct flm_profile *p, uint32_t module,
                        struct flm_module **found, struct flm_error *why)
{
    struct flm_bytes path = flm_string_bytes(p, module), note = flm_mapped_note_of(p, module);
    struct flm_bytes file = flm_mapped_file(note);
    struct flm_module_request request = {.path = file.size > 0 ? file : path};
    *found = NULL;
    flm_build_id_parse(flm_mapped_id(note), &request.build_id);
    if (request.build_id.size == 0 || request.path.size == 0 || request.path.at[0] != '/')
        return true;
    if (!all->modules && !(all->modules = flm_modules_new(&all->symbols, why)))
        return false;
    *found = flm_modules_get(all->modules, &request);
    return *found || flm_error_memory(why);
}

/* Reads it, or finds that it is nowhere. NULL when memory ran out. */
static struct known_file *read_file(const struct found_sources *all, const struct flm_profile *p,
                                    struct flm_bytes name, struct flm_module *module)
{
    struct known_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    struct flm_source_places places = all->places;
    struct flm_error why = {0};
    const struct flm_source_request request = {.path = name, .module = module};
    file->module = module;
    places.recorded_ns = flm_source_recorded_ns(p);
    flm_text_add(&file->name, name);
    bool found = flm_source_file_find(&places, &request, &file->source, &why);
    const struct flm_bytes text = {file->source.text.at, file->source.text.size};
    if (file->name.failed || (!found && why.kind == FLM_ERROR_MEMORY) ||
        (found && !flm_line_index_init(&file->lines, text))) {
        free_file(file);
        return NULL;
    }
    return file;
}

static bool find(struct flm_sources *sources, const struct flm_profile *profile,
                 struct flm_bytes name, uint32_t in_module, struct flm_source_text *found,
                 struct flm_error *why)
{
    struct found_sources *all = (struct found_sources *)sources;
    struct flm_module *module;
    if (!find_module(all, profile, in_module, &module, why))
        return false;
    uint32_t hash = (uint32_t)(flm_hash(name.at, name.size) >> 32);
    for (struct flm_probe at = flm_index_probe(&all->index, hash);
         flm_index_next(&all->index, &at);) {
        const struct known_file *file = all->files.at[at.found];
        if (file->module == module &&
            flm_bytes_equal((struct flm_bytes){file->name.at, file->name.size}, name))
            return describe(file, found);
    }
    if (!FLM_ARRAY_RESERVE(&all->files, 1))
        return flm_error_memory(why);
    struct known_file *file = read_file(all, profile, name, module);
    if (!file || !flm_index_add(&all->index, hash, (uint32_t)all->files.count)) {
        if (file)
            free_file(file);
        return flm_error_memory(why);
    }
    all->files.at[all->files.count++] = file;
    return describe(file, found);
}

struct flm_sources *flm_source_cache_new(const struct flm_source_places *places,
                                         const struct flm_modules_options *symbols,
                                         struct flm_error *why)
{
    struct found_sources *all = calloc(1, sizeof *all);
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->sources.find = find;
    all->places = *places;
    all->symbols = *symbols;
    return &all->sources;
}

void flm_source_cache_free(struct flm_sources *sources)
{
    struct found_sources *all = (struct found_sources *)sources;
    for (size_t i = 0; all && i < all->files.count; i++)
        free_file(all->files.at[i]);
    if (all) {
        FLM_ARRAY_CLEAR(&all->files);
        flm_index_clear(&all->index);
        flm_modules_free(all->modules);
    }
    free(all);
}
