/* format.c - perf.data as one of the table of formats. */
#include "format/core/format.h"
#include "flamel/file.h"
#include "format/perf_data/perf_data_reader.h"
#include "profile/internal.h"
#include "record/perf_data/perf_data.h"

/* Looking up names takes longer than reading: it asks as often as there are modules. */
static bool goes_on(void *source, struct flm_bytes module, size_t done, size_t count)
{
    (void)module, (void)done, (void)count;
    return flm_source_progress(source, 0, NULL);
}

static struct flm_profile *load(const struct flm_load_request *request, struct flm_error *why)
{
    const struct flm_load_options *o = request->options;
    const struct flm_session_options options = {
        .symbols = {.symbol_dirs = o->symbol_dirs,
                    .symbol_dir_count = o->symbol_dir_count,
                    .perf_dir = o->perf_dir,
                    .cache_dir = o->cache_dir,
                    .threads = o->threads,
                    .debuginfod = o->debuginfod,
                    .names_only = o->no_inlines},
        .keep_times = !o->drop_times,
        .per_thread = o->by_thread,
        .lines = o->lines,
        .locations = !o->no_locations,
        .clones = o->clones,
    };
    struct flm_session *session = flm_perf_data_read(request->source, request->file, &options, why);
    struct flm_builder *builder = session ? flm_builder_new(why) : NULL;
    struct flm_profile *profile = NULL;
    if (builder && flm_session_finish(session, builder, goes_on, request->source, why)) {
        if (o->dropped_locations)
            *o->dropped_locations |= builder->dropped_locations;
        profile = flm_builder_finish(builder, why);
    } else {
        flm_builder_free(builder);
    }
    flm_session_free(session);
    return profile;
}

const struct flm_format flm_format_perf_data = {
    .name = "perf-data",
    .title = "perf.data",
    .extensions = "",
    .description = "perf.data: what perf record and flamel record write, with symbols looked up",
    .has_times = true,
    .keeps_labels = true,
    .needs_symbols = true,
    .needs_system = true,
    .sniff = flm_perf_data_sniff,
    .load = load,
};
