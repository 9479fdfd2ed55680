/* sources.c - source files for reports: each is looked for once. */
#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/text/versioned.h"
#include "format/core/date.h"
#include "profile/sample_span.h"
#include "report/profile/sources.h"
#include "source/find_source.h"

struct known_file {
    struct flm_text name; /* as frames have it */
    struct flm_source_file source;
};

struct found_sources {
    struct flm_sources sources; /* first: what reports see */
    struct flm_source_places places;
    struct FLM_ARRAY(struct known_file) files;
};

static bool describe(const struct known_file *file, struct flm_source_text *found)
{
    const struct flm_source_file *s = &file->source;
    *found = (struct flm_source_text){.text = {s->text.at, s->text.size},
                                      .path = flm_bytes_of(s->path.at ? s->path.at : ""),
                                      .status = flm_bytes_of(s->status.at ? s->status.at : "")};
    return true;
}

/* When the recording ended: the note has its beginning, in whole seconds. 0: it is not known. */
static int64_t recorded_until(const struct flm_profile *p)
{
    struct flm_name began = flm_profile_note_named(p, "recorded");
    int64_t began_ns, first_ns, last_ns;
    if (began.size == 0 || !flm_date_parse((struct flm_bytes){began.at, began.size}, &began_ns))
        return 0;
    if (flm_time_range(p, &first_ns, &last_ns))
        began_ns += last_ns - first_ns;
    return began_ns + 1000000000;
}

static bool find(struct flm_sources *sources, const struct flm_profile *profile,
                 struct flm_bytes name, struct flm_source_text *found, struct flm_error *why)
{
    struct found_sources *all = (struct found_sources *)sources;
    for (size_t i = 0; i < all->files.count; i++)
        if (flm_bytes_equal(
                (struct flm_bytes){all->files.at[i].name.at, all->files.at[i].name.size}, name))
            return describe(&all->files.at[i], found);
    struct known_file file = {.name = {0}};
    flm_text_add(&file.name, name);
    if (file.name.failed || !FLM_ARRAY_RESERVE(&all->files, 1)) {
        flm_text_clear(&file.name);
        return flm_error_memory(why);
    }
    struct flm_source_places places = all->places;
    places.recorded_ns = recorded_until(profile);
    const struct flm_source_request request = {.path = name};
    why->kind = FLM_ERROR_NONE;
    if (!flm_source_file_find(&places, &request, &file.source, why) &&
        why->kind == FLM_ERROR_MEMORY) {
        flm_text_clear(&file.name);
        flm_source_file_clear(&file.source);
        return false;
    }
    all->files.at[all->files.count++] = file;
    return describe(&all->files.at[all->files.count - 1], found);
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
    struct found_sources *all = calloc(1, sizeof *all);
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->sources.find = find;
    all->places = (struct flm_source_places){.folders = o.folders,
                                             .folder_count = o.folder_count,
                                             .maps = o.maps,
                                             .map_count = o.map_count,
                                             .folders_only = o.folders_only};
    return &all->sources;
}

void flm_sources_free(struct flm_sources *sources)
{
    struct found_sources *all = (struct found_sources *)sources;
    for (size_t i = 0; all && i < all->files.count; i++) {
        flm_text_clear(&all->files.at[i].name);
        flm_source_file_clear(&all->files.at[i].source);
    }
    if (all)
        FLM_ARRAY_CLEAR(&all->files);
    free(all);
}
