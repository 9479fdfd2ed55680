/* load.c - flm_load: from a path, memory or a stream to a profile.
 *
 *     open, decompress -> UTF-16? -> recognize -> read (in parallel chunks) -> merge -> symbolize
 *
 * A large plain input of a format that can be cut is read in as many chunks as there are processors
 * (chunks.c). A file of a format that can be used in place is mapped. A format that needs the
 * system reads by itself (`load` of its entry).
 *
 * Symbols: perf.data looks up its addresses while it is read, because only its records say which
 * modules were mapped at which time (record/session/session.h). A format whose frames are addresses
 * of known modules (`needs_symbols` of its entry, with `read` or `open`) will be symbolized after
 * the last step of load_input, where its profile is whole and the symbol options are at hand. */
#include "flamel/file.h"

#include <assert.h>

#include "algebra/operation/operations.h"
#include "base/text/versioned.h"
#include "format/core/reading.h"
#include "load/all_formats.h"
#include "load/chunks.h"

struct loading {
    struct flm_load_options options;
    struct flm_input *input; /* NULL once a profile has adopted it */
    struct flm_reading reading;
    struct flm_error *why;
};

static bool report_consumed(void *context, uint64_t bytes)
{
    struct loading *l = context;
    (void)bytes; /* those of the text; progress is in bytes of the file */
    return l->options.progress(l->options.progress_context, flm_input_consumed(l->input),
                               flm_input_size(l->input));
}

/* For formats that read parts of the file by themselves. */
static bool report_passed(void *context, uint64_t bytes)
{
    struct loading *l = context;
    return l->options.progress(l->options.progress_context, bytes, flm_input_size(l->input));
}

static void set_progress(struct loading *l, bool (*report)(void *context, uint64_t bytes))
{
    if (l->options.progress) {
        l->reading.source->progress = report;
        l->reading.source->progress_context = l;
    }
}

static struct flm_profile *read_profile(struct loading *l)
{
    struct flm_reading *r = &l->reading;
    size_t count = 1;
    if (!r->converted && flm_input_is_plain(l->input) && r->format->cut)
        count = flm_chunk_count(flm_input_size(l->input), l->options.threads);
    if (count > 1) {
        struct flm_error why = {0};
        struct flm_profile *p = flm_read_chunks(l->input, r->mark_size, count, r->format,
                                                &r->options, &l->options, &why);
        if (p || why.kind != FLM_ERROR_FORMAT) {
            if (!p && l->why)
                *l->why = why;
            return p;
        }
        /* One chunk may have had nothing but broken lines: reading all of it decides. */
    }
    set_progress(l, report_consumed);
    return flm_reading_finish(r, l->why);
}

static void release_input(void *context)
{
    flm_input_close(context);
}

/* A file is mapped, and its mapping kept by the profile; anything else is copied. */
static struct flm_profile *adopt(struct loading *l)
{
    struct flm_bytes mapped = flm_input_map(l->input);
    if (!mapped.at)
        return flm_reading_finish(&l->reading, l->why);
    struct flm_profile *p =
        l->reading.format->adopt(mapped.at, mapped.size, release_input, l->input, l->why);
    if (p)
        l->input = NULL;
    return p;
}

static struct flm_profile *load_by_itself(struct loading *l)
{
    const struct flm_load_request request = {
        .source = l->reading.source,
        .file = flm_input_is_plain(l->input) ? l->input : NULL,
        .options = &l->options,
    };
    set_progress(l, report_passed);
    struct flm_profile *profile = l->reading.format->load(&request, l->why);
    /* cppcheck-suppress returnDanglingLifetime ; the profile does not keep the request */
    return profile;
}

/* Takes the profile. It stays as it is where no sample has a thread. */
static struct flm_profile *by_thread(struct flm_profile *p, struct flm_error *why)
{
    const struct flm_bytes key = flm_bytes_of("thread");
    bool has_threads = false;
    for (uint32_t i = 0; i < p->sizes.label_count && !has_threads; i++)
        has_threads = flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key);
    if (!has_threads)
        return p;
    struct flm_profile *split = flm_split(p, key, why);
    flm_profile_free(p);
    return split;
}

static struct flm_profile *load(struct loading *l)
{
    const struct flm_read_options read = {
        .allow_negative = l->options.allow_negative,
        .lenient = l->options.lenient,
        .columns = l->options.columns,
        .keep_times = !l->options.drop_times,
        .by_thread = l->options.by_thread,
        .lines = l->options.lines,
    };
    struct flm_reading *r = &l->reading;
    if (!flm_reading_begin(r, &flm_formats_all, flm_input_source(l->input), l->options.format,
                           &read, l->why))
        return NULL;
    if (l->options.found_format)
        *l->options.found_format = r->format->name;
    struct flm_profile *profile = r->format->adopt  ? adopt(l)
                                  : r->format->load ? load_by_itself(l)
                                                    : read_profile(l);
    if (!profile)
        flm_reading_explain(r, l->why);
    /* Readers make the frames of threads themselves; what is opened is a profile already. */
    return profile && l->options.by_thread && r->format->open ? by_thread(profile, l->why)
                                                              : profile;
}

/* Closes `input`, which may be NULL: then `why` is set already. */
static struct flm_profile *load_input(struct loading *l, struct flm_input *input)
{
    l->input = input;
    struct flm_profile *profile = input ? load(l) : NULL;
    flm_reading_clear(&l->reading);
    flm_input_close(l->input);
    return profile;
}

static bool begin(struct loading *l, const struct flm_load_options *options, struct flm_error *why)
{
    *l = (struct loading){.why = why};
    return flm_versioned_copy(&l->options, sizeof l->options, options, "flm_load_options", why);
}

struct flm_profile *flm_load(const char *path, const struct flm_load_options *options,
                             struct flm_error *why)
{
    assert(path);
    struct loading l;
    if (!begin(&l, options, why))
        return NULL;
    struct flm_profile *profile = load_input(&l, flm_input_open(path, why));
    if (!profile)
        flm_error_within(why, strcmp(path, "-") == 0 ? "standard input" : path);
    return profile;
}

struct flm_profile *flm_load_memory(const void *bytes, size_t size,
                                    const struct flm_load_options *options, struct flm_error *why)
{
    assert(bytes || size == 0);
    struct loading l;
    if (!begin(&l, options, why))
        return NULL;
    return load_input(&l, flm_input_open_memory((struct flm_bytes){bytes, size}, why));
}

struct flm_profile *flm_load_stream(flm_stream_read read, void *context,
                                    const struct flm_load_options *options, struct flm_error *why)
{
    assert(read);
    struct loading l;
    if (!begin(&l, options, why))
        return NULL;
    return load_input(&l, flm_input_open_stream(read, context, why));
}
