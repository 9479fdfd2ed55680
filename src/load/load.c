/* load.c - flm_load: from a path to a profile.
 *
 *     open, decompress -> UTF-16? -> recognize -> read (in chunks, side by side) -> merge
 *
 * A large plain file of a format that can be cut is read in as many chunks as there are processors
 * (chunks.c). perf.data is read into a session first, which looks up what its addresses are called
 * (record/session/session.h). */
#include "flamel/file.h"

#include "format/core/reading.h"
#include "load/chunks.h"
#include "load/page.h"
#include "record/perf_data/perf_data.h"

struct loading {
    const struct flm_load_options *options;
    struct flm_input *input;
    struct flm_reading reading;
    struct flm_error *why;
};

static bool tell(void *context, uint64_t bytes)
{
    struct loading *l = context;
    (void)bytes; /* those of the text; what is shown are those of the file */
    return l->options->progress(l->options->progress_context, flm_input_consumed(l->input),
                                flm_input_size(l->input));
}

static struct flm_profile *read_profile(struct loading *l)
{
    struct flm_reading *r = &l->reading;
    size_t count = 1;
    if (!r->converted && flm_input_is_plain_file(l->input) && r->format->cut)
        count = flm_chunk_count(flm_input_size(l->input), l->options->threads);
    if (count > 1) {
        struct flm_error why = {0};
        struct flm_profile *p = flm_read_chunks(l->input, r->mark_size, count, r->format,
                                                &r->options, l->options, &why);
        if (p || why.kind != FLM_ERROR_FORMAT) {
            if (!p && l->why)
                *l->why = why;
            return p;
        }
        /* A chunk of nothing but broken lines, say: only the whole tells whether there are others.
         */
    }
    if (l->options->progress) {
        r->source->progress = tell;
        r->source->progress_context = l;
    }
    return flm_reading_finish(r, l->why);
}

static void release_input(void *context)
{
    flm_input_close(context);
}

/* A .flm file is mapped, and kept by the profile; from a pipe it is read. */
static struct flm_profile *open_flm(struct loading *l)
{
    struct flm_bytes mapped = flm_input_map(l->input);
    if (!mapped.at)
        return flm_reading_finish(&l->reading, l->why);
    struct flm_profile *p =
        flm_profile_open(mapped.at, mapped.size, release_input, l->input, l->why);
    if (p)
        l->input = NULL;
    return p;
}

static struct flm_profile *open_html(struct loading *l)
{
    struct flm_source *source = l->reading.source;
    if (!flm_source_all(source, l->why))
        return NULL;
    return flm_page_open((struct flm_bytes){source->at, (size_t)(source->end - source->at)},
                         l->why);
}

static bool tell_passed(void *context, uint64_t bytes)
{
    struct loading *l = context;
    return l->options->progress(l->options->progress_context, bytes, flm_input_size(l->input));
}

static struct flm_profile *read_perf_data(struct loading *l)
{
    const struct flm_load_options *o = l->options;
    const struct flm_session_options options = {
        .symbols = {.symbol_dirs = o->symbol_dirs,
                    .symbol_dir_count = o->symbol_dir_count,
                    .perf_dir = o->perf_dir,
                    .cache_dir = o->cache_dir,
                    .debuginfod = o->debuginfod,
                    .names_only = o->no_inlines},
        .keep_times = !o->drop_times,
        .lines = o->lines,
    };
    struct flm_source *source = l->reading.source;
    if (o->progress) {
        source->progress = tell_passed;
        source->progress_context = l;
    }
    const struct flm_input *file = flm_input_is_plain_file(l->input) ? l->input : NULL;
    struct flm_session *session = flm_perf_data_read(source, file, &options, l->why);
    struct flm_builder *builder = session ? flm_builder_new(l->why) : NULL;
    struct flm_profile *profile = NULL;
    if (builder && flm_session_finish(session, builder, NULL, NULL, l->why))
        profile = flm_builder_finish(builder, l->why);
    else
        flm_builder_free(builder);
    flm_session_free(session);
    return profile;
}

static struct flm_profile *load(struct loading *l)
{
    const struct flm_read_options read = {
        .allow_negative = l->options->allow_negative,
        .lenient = l->options->lenient,
        .columns = l->options->columns,
        .keep_times = !l->options->drop_times,
    };
    struct flm_reading *r = &l->reading;
    if (!flm_reading_begin(r, flm_input_source(l->input), l->options->format, &read, l->why))
        return NULL;
    if (l->options->found_format)
        *l->options->found_format = r->format->name;
    return r->format == &flm_format_flm         ? open_flm(l)
           : r->format == &flm_format_html      ? open_html(l)
           : r->format == &flm_format_perf_data ? read_perf_data(l)
                                                : read_profile(l);
}

struct flm_profile *flm_load(const char *path, const struct flm_load_options *options,
                             struct flm_error *why)
{
    static const struct flm_load_options defaults = {0};
    struct loading l = {.options = options ? options : &defaults, .why = why};
    l.input = flm_input_open(path, why);
    struct flm_profile *profile = l.input ? load(&l) : NULL;
    flm_reading_clear(&l.reading);
    flm_input_close(l.input);
    if (!profile)
        flm_error_within(why, strcmp(path, "-") == 0 ? "standard input" : path);
    return profile;
}
