/* load.c - flm_load: from a path, memory or a stream to a profile.
 *
 *     open, decompress -> UTF-16? -> recognize -> read (in parallel chunks) -> merge -> symbolize
 *
 * A path may also be a URL (net/download.h), or stand for several profiles, which are merged: a
 * folder, a pattern, an archive (collection.h, archive.h).
 *
 * A large plain input of a format that can be cut is read in as many chunks as there are processors
 * (chunks.c). A file of a format that can be used in place is mapped. A format that needs the
 * system reads by itself (`load` of its entry).
 *
 * Symbols: perf.data looks up its addresses while it is read, because only its records say which
 * modules were mapped at which time (record/session/session.h). A format whose frames are addresses
 * of known modules (`needs_symbols` of its entry, with `read`) is symbolized when its profile is
 * whole (symbolize.h). */
#include "flamel/file.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algebra/operation/operations.h"
#include "base/text/versioned.h"
#include "format/core/reading.h"
#include "load/all_formats.h"
#include "load/archive.h"
#include "load/chunks.h"
#include "load/collection.h"
#include "load/symbolize.h"
#include "load/unordered.h"
#include "net/download.h"
#include "net/url.h"
#include "profile/chains.h"

struct loading {
    struct flm_load_options options;
    struct flm_input *input; /* NULL once a profile has adopted it */
    struct flm_reading reading;
    struct flm_error *why;
    const char *path;   /* of the file; NULL: there is none */
    bool unordered;     /* unordered.h */
    bool is_member;     /* one of several files that are merged */
    bool is_certain;    /* the format was recognized beyond doubt, or almost */
    uint64_t counted;   /* bytes of options.counted_size that this input has taken */
    uint64_t announced; /* the size of a download; 0: not known */
};

static bool report_consumed(void *context, uint64_t bytes)
{
    struct loading *l = context;
    (void)bytes; /* those of the text; progress is in bytes of the file */
    uint64_t size = flm_input_size(l->input);
    return l->options.progress(l->options.progress_context, flm_input_consumed(l->input),
                               size > 0 ? size : l->announced);
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
        if (p || (why.kind != FLM_ERROR_FORMAT && why.kind != FLM_ERROR_MEMORY)) {
            if (!p && l->why)
                *l->why = why;
            return p;
        }
        /* One chunk may have had nothing but broken lines, and the chunks together take up to 60 %
         * more memory: reading all of it decides. */
    }
    set_progress(l, report_consumed);
    struct flm_profile *p = flm_reading_finish(r, l->why);
    if (l->options.dropped_locations)
        *l->options.dropped_locations |= r->dropped_locations;
    return p;
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

/* Takes the profile. Readers make the frames of lines themselves; of a profile that was a profile
 * already they are made here. */
static struct flm_profile *by_line(struct flm_profile *p, struct flm_error *why)
{
    if (!flm_has_chains(p) || flm_profile_note_named(p, FLM_NOTE_LINES).at)
        return p;
    struct flm_profile *lines = flm_by_line(p, why);
    flm_profile_free(p);
    return lines;
}

/* Small inputs are read with all that they have, so that what a format cannot hold is counted. A
 * stream that fails does so again, while it is read. */
static void keep_if_small(struct loading *l)
{
    const uint64_t room = l->options.counted_size;
    struct flm_source *source = flm_input_source(l->input);
    struct flm_error ignored;
    uint64_t size = 0;
    if (room == 0 || !(l->options.drop_times || l->options.no_locations))
        return;
    if (flm_input_is_plain(l->input))
        size = flm_input_size(l->input);
    else if (flm_source_fill(source, room + 1, &ignored))
        size = (uint64_t)(source->end - source->at);
    if (size == 0 || size > room)
        return;
    l->options.drop_times = l->options.no_locations = false;
    l->counted = size;
}

/* Where in the input memory ran out. The window is a little ahead of its reader. */
static void add_position(const struct loading *l)
{
    if (!l->why || l->why->kind != FLM_ERROR_MEMORY || !l->input)
        return;
    char where[80];
    const uint64_t megabyte = 1000000, size = flm_input_size(l->input);
    const unsigned long long done = flm_input_consumed(l->input) / megabyte, all = size / megabyte;
    if (all > 0)
        snprintf(where, sizeof where, "after %llu of %llu MB", done, all);
    else
        snprintf(where, sizeof where, "after %llu MB", done);
    if (done > 0)
        flm_error_within(l->why, where);
}

static struct flm_profile *load(struct loading *l)
{
    keep_if_small(l);
    const struct flm_read_options read = {
        .allow_negative = l->options.allow_negative,
        .lenient = l->options.lenient,
        .columns = l->options.columns,
        .keep_times = !l->options.drop_times,
        .by_thread = l->options.by_thread,
        .locations = l->options.lines || !l->options.no_locations,
        .lines = l->options.lines,
        .unordered = l->unordered && !l->is_member, /* members are aligned */
    };
    struct flm_reading *r = &l->reading;
    if (!flm_reading_begin(r, &flm_formats_all, flm_input_source(l->input), l->options.format,
                           &read, l->why))
        return NULL;
    l->is_certain = r->is_certain;
    if (l->options.found_format)
        *l->options.found_format = r->format->name;
    bool may_drop = r->format->read || r->format->needs_symbols; /* others have all in any case */
    if (l->options.dropped_samples)
        *l->options.dropped_samples |=
            may_drop && l->options.drop_times && flm_format_keeps_samples(r->format);
    struct flm_profile *profile = r->format->adopt  ? adopt(l)
                                  : r->format->load ? load_by_itself(l)
                                                    : read_profile(l);
    if (profile && r->format->read && l->path && l->options.symbol_dir_count > 0)
        profile = flm_symbolize_from_sidecar(profile, l->path, &l->options, l->why);
    if (profile && r->format->read && r->format->needs_symbols)
        profile = flm_symbolize(profile, &l->options, l->why);
    if (profile && r->format->open && (l->options.symbol_dir_count > 0 || l->options.debuginfod))
        profile = flm_symbolize_again(profile, &l->options, l->why);
    if (!profile) {
        flm_reading_explain(r, l->why);
        add_position(l);
    }
    if (profile && l->options.lines)
        profile = by_line(profile, l->why);
    /* Readers make the frames of threads themselves; what is opened is a profile already. */
    return profile && l->options.by_thread && r->format->open ? by_thread(profile, l->why)
                                                              : profile;
}

/* ---- Several profiles ------------------------------------------------------------------------ */

static struct flm_profile *load_input(struct loading *l, struct flm_input *input);

static bool is_wanted(const struct loading *l, const char *path)
{
    const char *base = strrchr(path, '/');
    return !l->options.member || fnmatch(l->options.member, path, 0) == 0 ||
           fnmatch(l->options.member, base ? base + 1 : path, 0) == 0;
}

/* Reads one of several files, `input` (closed here), and adds it. NULL: it could not be opened, for
 * `reason`. A file that is no profile is passed over. One that certainly is, and is broken, is an
 * error, unless the caller is lenient: then it is passed over too. False, and all->why, when the
 * whole is refused. */
static bool add_file(struct loading *all, struct flm_collection *sum, const char *name,
                     struct flm_input *input, struct flm_error *reason)
{
    struct loading l = {.options = all->options, .why = reason, .is_member = true};
    l.options.found_format = sum->merged == 0 ? all->options.found_format : NULL;
    struct flm_profile *profile = load_input(&l, input);
    all->options.counted_size -= l.counted;
    bool is_other = reason->kind == FLM_ERROR_FORMAT || reason->kind == FLM_ERROR_RANGE;
    if (profile || (is_other && (!l.is_certain || all->options.lenient)))
        return flm_collection_add(sum, name, profile, reason, all->why);
    flm_error_within(reason, name);
    if (is_other)
        flm_error_add(reason, " (--lenient passes it over)");
    if (all->why)
        *all->why = *reason;
    return false;
}

static struct flm_profile *finish(const struct loading *l, struct flm_collection *sum,
                                  const char *what)
{
    if (l->options.member && sum->merged + sum->passed_over == 0) {
        flm_error_set(l->why, FLM_ERROR_USAGE, "no file in this %s matches '%s'", what,
                      l->options.member);
        flm_collection_clear(sum);
        return NULL;
    }
    return flm_collection_finish(sum, what, l->why);
}

/* Frees the list. */
static struct flm_profile *load_paths(struct loading *l, struct flm_path_list *list,
                                      const char *what, bool listed)
{
    struct flm_collection sum = {.folders = list->folder_count};
    for (size_t i = 0; listed && i < list->paths.count; i++) {
        const char *path = list->paths.at[i];
        struct flm_error reason = {0};
        if (is_wanted(l, path))
            listed = add_file(l, &sum, path, flm_input_open(path, &reason), &reason);
    }
    flm_paths_clear(list);
    if (listed)
        return finish(l, &sum, what);
    flm_collection_clear(&sum);
    return NULL;
}

static struct flm_profile *load_members(struct loading *l, struct flm_archive *archive)
{
    struct flm_collection sum = {0};
    struct flm_error failure = {0};
    const char *name;
    bool good = true;
    while (good && flm_archive_next(archive, &name, &failure)) {
        struct flm_error reason = {0};
        if (!is_wanted(l, name))
            continue;
        good = add_file(l, &sum, name, flm_input_open_stream(flm_archive_read, archive, &reason),
                        &reason);
        if (!good && reason.kind == FLM_ERROR_SYSTEM)
            flm_error_set(l->why, FLM_ERROR_FORMAT, "the archive is damaged: %s",
                          flm_archive_reason(archive));
    }
    if (good && failure.kind == FLM_ERROR_NONE)
        return finish(l, &sum, "archive");
    if (good && l->why)
        *l->why = failure;
    flm_collection_clear(&sum);
    return NULL;
}

/* A plain file is opened again by its path, so that not all of it must be in memory. */
static struct flm_profile *load_archive(struct loading *l)
{
    struct flm_source *source = flm_input_source(l->input);
    const char *path = flm_input_is_plain(l->input) ? l->path : NULL;
    if (l->is_member) {
        flm_error_set(l->why, FLM_ERROR_FORMAT,
                      "this is an archive: only those are opened that "
                      "are not in another, or in a folder");
        return NULL;
    }
    if (!path && !flm_source_all(source, l->why))
        return NULL;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    struct flm_archive *archive = flm_archive_open(path, all, l->why);
    struct flm_profile *sum = archive ? load_members(l, archive) : NULL;
    flm_archive_close(archive);
    return sum;
}

/* ---- One input ------------------------------------------------------------------------------- */

/* Closes `input`, which may be NULL: then `why` is set already. */
static struct flm_profile *load_input(struct loading *l, struct flm_input *input)
{
    struct flm_profile *profile = NULL;
    l->input = input;
    if (input && flm_source_fill(flm_input_source(input), FLM_ARCHIVE_HEAD, l->why)) {
        const struct flm_source *source = flm_input_source(input);
        struct flm_bytes head = {source->at, (size_t)(source->end - source->at)};
        profile = !l->options.format && flm_is_archive(head) ? load_archive(l) : load(l);
    }
    flm_reading_clear(&l->reading);
    flm_input_close(l->input);
    return profile;
}

static bool wait_for_server(void *context)
{
    struct loading *l = context;
    return !l->options.progress || l->options.progress(l->options.progress_context, 0, 0);
}

static struct flm_profile *load_url(struct loading *l, const char *url)
{
    struct flm_download *download = flm_download_open(url, wait_for_server, l, l->why);
    if (!download)
        return NULL;
    l->announced = flm_download_size(download);
    struct flm_profile *profile =
        load_input(l, flm_input_open_stream(flm_download_read, download, l->why));
    const struct flm_error *failure = flm_download_error(download);
    if (!profile && failure->kind != FLM_ERROR_NONE && l->why)
        *l->why = *failure;
    flm_download_close(download);
    return profile;
}

/* A folder that perf record --threads has written is one recording. */
static bool is_folder(const char *path, bool *is_there)
{
    struct stat stats;
    *is_there = stat(path, &stats) == 0;
    return *is_there && S_ISDIR(stats.st_mode);
}

/* localhost:6060/debug/pprof/heap: a host and a port. */
static bool is_address(const char *path)
{
    size_t host = strcspn(path, ":/"), port = 0;
    if (host == 0 || path[host] != ':')
        return false;
    while (path[host + 1 + port] >= '0' && path[host + 1 + port] <= '9')
        port++;
    return port > 0 && (path[host + 1 + port] == '/' || !path[host + 1 + port]);
}

static struct flm_profile *load_path(struct loading *l, const char *path)
{
    struct flm_path_list list = {0};
    bool is_there;
    if (flm_is_url(path))
        return load_url(l, path);
    if (is_folder(path, &is_there) && !flm_input_is_recording(path))
        return load_paths(l, &list, "folder", flm_paths_in(path, &list, l->why));
    if (!is_there && flm_is_pattern(path))
        return load_paths(l, &list, "pattern", flm_paths_matching(path, &list, l->why));
    if (!is_there && is_address(path)) {
        flm_error_set(l->why, FLM_ERROR_SYSTEM,
                      "there is no such file, and a URL begins with http://");
        return NULL;
    }
    if (!is_there && strstr(path, "://")) {
        flm_error_set(
            l->why, FLM_ERROR_SYSTEM,
            "there is no such file, and URLs are read that begin with http:// or https://");
        return NULL;
    }
    l->path = path;
    return load_input(l, flm_input_open(path, l->why));
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
    struct flm_profile *profile = load_path(&l, path);
    if (!profile)
        flm_error_within(why, strcmp(path, "-") == 0 ? "standard input" : path);
    return profile;
}

struct flm_profile *flm_load_unordered(const void *bytes, size_t size,
                                       const struct flm_load_options *options,
                                       struct flm_error *why)
{
    assert((bytes || size == 0) && options && options->no_locations && options->drop_times);
    struct loading l;
    if (!begin(&l, options, why))
        return NULL;
    l.unordered = true;
    return load_input(&l, flm_input_open_memory((struct flm_bytes){bytes, size}, why));
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
