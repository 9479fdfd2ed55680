/* sources.c - source and machine code for reports: a finder and a store for each profile. */
#include "report/profile/sources.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/text/versioned.h"
#include "code/find/code_finder.h"
#include "flamel/annotate.h"
#include "profile/columns.h"
#include "source/find_source.h"

struct known_profile {
    const struct flm_profile *profile;
    struct flm_code_finder *finder;
    struct flm_code_store *store;
};

struct found_code {
    struct flm_sources sources; /* first: what others see */
    struct flm_code_finder_options options;
    struct FLM_ARRAY(struct known_profile) profiles; /* one, or two that are compared */
};

/* NULL, and `why`, if memory ran out. */
static const struct known_profile *profile_of(struct found_code *all,
                                              const struct flm_profile *profile,
                                              struct flm_error *why)
{
    for (size_t i = 0; i < all->profiles.count; i++)
        if (all->profiles.at[i].profile == profile)
            return &all->profiles.at[i];
    struct known_profile new = {.profile = profile,
                                .finder = flm_code_finder_new(profile, &all->options, why),
                                .store = flm_code_store_new(why)};
    if (new.finder &&new.store && FLM_ARRAY_ADD(&all->profiles, new))
        return &all->profiles.at[all->profiles.count - 1];
    flm_code_finder_free(new.finder);
    flm_code_store_free(new.store);
    flm_error_memory(why);
    return NULL;
}

static bool find_code(struct flm_sources *sources, const struct flm_profile *profile,
                      struct flm_bytes function, struct flm_bytes module,
                      const struct flm_code_store **store, struct flm_error *why)
{
    const struct known_profile *known = profile_of((struct found_code *)sources, profile, why);
    *store = known ? known->store : NULL;
    return known && (flm_code_store_function(known->store, function, module) ||
                     flm_code_finder_function(known->finder, function, module, known->store, why));
}

static bool find_file(struct flm_sources *sources, const struct flm_profile *profile,
                      const struct flm_profile *other, struct flm_bytes name,
                      const struct flm_code_store **store, struct flm_error *why)
{
    const struct flm_profile *const sides[] = {profile, other};
    const struct known_profile *known = profile_of((struct found_code *)sources, profile, why);
    struct flm_code_store *to = known ? known->store : NULL;
    *store = to;
    for (size_t i = 0; i < 2 && known && sides[i] && !flm_code_store_file(to, name); i++) {
        known = profile_of((struct found_code *)sources, sides[i], why);
        if (known && !flm_code_finder_file(known->finder, name, to, why))
            return false;
    }
    return known != NULL;
}

struct flm_sources *flm_sources_new(const struct flm_sources_options *options,
                                    struct flm_error *why)
{
    struct flm_sources_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_sources_options", why))
        return NULL;
    for (size_t i = 0; i < o.map_count; i++)
        if (!flm_source_map_check(o.maps[i], why))
            return NULL;
    struct found_code *all = calloc(1, sizeof *all);
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->sources.find_file = find_file;
    all->sources.find_code = find_code;
    all->options = flm_code_finder_options_of(&o);
    return &all->sources;
}

static bool can_map(const char *map, const struct flm_profile *p, uint32_t file)
{
    size_t size;
    return file && flm_source_map_matches(map, flm_string_bytes(p, file), &size);
}

bool flm_sources_map_matches(const char *map, const struct flm_profile *profile)
{
    assert(map && profile);
    bool found = false;
    for (uint32_t i = 0; i < profile->sizes.frame_count && !found; i++)
        found = can_map(map, profile, profile->frames[i].file);
    for (uint32_t i = 0; i < profile->sizes.location_count && !found; i++)
        found = can_map(map, profile, flm_location_at(profile, i).file);
    return found;
}

void flm_sources_free(struct flm_sources *sources)
{
    struct found_code *all = (struct found_code *)sources;
    for (size_t i = 0; all && i < all->profiles.count; i++) {
        flm_code_finder_free(all->profiles.at[i].finder);
        flm_code_store_free(all->profiles.at[i].store);
    }
    if (all)
        FLM_ARRAY_CLEAR(&all->profiles);
    free(all);
}
