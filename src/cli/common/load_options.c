#include "cli/common/load_options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text/utf.h"
#include "cli/common/memory_limit.h"
#include "cli/common/messages.h"
#include "cli/common/remarks.h"
#include "flamel/aggregate.h"
#include "flamel/algebra.h"
#include "flamel/annotate.h"
#include "os/clock.h"

struct progress {
    const char *path;
    double last; /* when it was shown, in seconds; 0: not yet */
    double started;
    bool shown;
};

static double now_s(void)
{
    return (double)flm_now_ns() * 1e-9;
}

/* A line that is overwritten, only on a terminal and only when reading takes long. */
static bool show_progress(void *context, uint64_t bytes, uint64_t size)
{
    struct progress *p = context;
    double t = now_s();
    if (t - p->started < 0.5 || t - p->last < 0.1)
        return true;
    p->last = t;
    p->shown = true;
    char path[512];
    snprintf(path, sizeof path, "%s", p->path);
    path[flm_utf8_mask_hidden(path, strlen(path))] = 0;
    if (bytes == 0 && size == 0)
        fprintf(stderr, "\r%s: waiting for the server, %.0f s ", path, t - p->started);
    else if (size)
        fprintf(stderr, "\r%s: %.0f %% of %.0f MB ", path, 100.0 * (double)bytes / (double)size,
                (double)size * 1e-6);
    else
        fprintf(stderr, "\r%s: %.0f MB ", path, (double)bytes * 1e-6);
    return true;
}

static void report_lines(const char *path, const char *what, flm_remarks_next next,
                         const struct flm_profile *p)
{
    struct flm_text line = {0};
    for (struct flm_remarks at = {0}; next(&at, p, &line); line.size = 0)
        if (!line.failed)
            flm_message("%s: %s%.*s", path, what, (int)line.size, line.at);
    flm_text_clear(&line);
}

/* For formats that flamel symbolizes itself. */
static void report_unsymbolized(const char *path, const char *format, const struct flm_profile *p)
{
    struct flm_format_info info = {.size = sizeof info};
    for (size_t i = 0; flm_format_at(i, &info) && strcmp(info.name, format) != 0; i++)
        ;
    struct flm_summary *summary = info.needs_symbols ? flm_summary_new(p, NULL) : NULL;
    if (summary && summary->unsymbolized_frames > 0 && flm_profile_metric_count(p) > 0) {
        const struct flm_metric_record *record = flm_profile_metric(p, (struct flm_metric){0});
        struct flm_name metric = flm_profile_string(p, (struct flm_string){record->name});
        const struct flm_metric_summary *first = &summary->metric[0];
        double percent = first->size > 0 ? 100 * first->unsymbolized / first->size : 0;
        bool is_small = percent > 0 && percent < 0.05; /* 0.0 % would be none */
        flm_message("%s: unsymbolized: %u %s, %s%.1f %% of %.*s", path,
                    summary->unsymbolized_frames,
                    summary->unsymbolized_frames == 1 ? "function" : "functions",
                    is_small ? "<" : "", is_small ? 0.1 : percent, (int)metric.size, metric.at);
        report_lines(path, "", flm_remarks_unsymbolized, p);
    }
    flm_summary_free(summary);
}

/* Before anything is read, which may take long. */
static bool check_apply(const struct flm_load_fields *fields, struct flm_error *why)
{
    return !fields->apply || flm_expression_check(fields->apply, why) ||
           flm_error_within(why, "--apply");
}

static struct flm_profile *apply(const struct flm_load_fields *fields, struct flm_profile *profile,
                                 struct flm_error *why)
{
    char note[200];
    size_t ignored = 0;
    struct flm_profile *result = flm_apply(profile, fields->apply, note, why);
    flm_profile_free(profile);
    if (!result) {
        flm_error_within(why, "--apply");
    } else if (note[0] && (fields->allow_empty || fields->unmatched)) {
        if (!fields->quiet)
            flm_message("%s", note);
        *(fields->unmatched ? fields->unmatched : &ignored) += 1;
    } else if (note[0]) {
        flm_error_set(why, FLM_ERROR_USAGE, "--apply: %s; --allow-empty goes on", note);
        flm_profile_free(result);
        return NULL;
    }
    return result;
}

/* A path below that of an environment variable. */
static const char *path_below(const char *variable, const char *rest, struct flm_text *path)
{
    const char *at = getenv(variable);
    if (!at || at[0] != '/')
        return NULL;
    path->size = 0;
    flm_text_format(path, "%s%s", at, rest);
    flm_text_putc(path, 0);
    return path->failed ? NULL : path->at;
}

const char *flm_symbol_cache(struct flm_symbol_paths *paths)
{
    const char *path = path_below("XDG_CACHE_HOME", "/flamel", &paths->cache);
    return path ? path : path_below("HOME", "/.cache/flamel", &paths->cache);
}

const char *flm_symbol_perf_dir(struct flm_symbol_paths *paths)
{
    return path_below("HOME", "/.debug", &paths->perf);
}

void flm_symbol_paths_clear(struct flm_symbol_paths *paths)
{
    flm_text_clear(&paths->cache);
    flm_text_clear(&paths->perf);
}

bool flm_symbol_dirs_check(const struct flm_option_list *dirs, struct flm_error *why)
{
    for (size_t i = 0; i < dirs->count; i++) {
        DIR *dir = opendir(dirs->items[i]);
        if (!dir)
            return flm_error_set(why, FLM_ERROR_USAGE, "--symbols %s: %s", dirs->items[i],
                                 strerror(errno));
        closedir(dir);
    }
    return true;
}

/* `paths` and `format` are the caller's. */
static struct flm_load_options options_of(const struct flm_load_fields *fields,
                                          struct flm_symbol_paths *paths, const char **format)
{
    return (struct flm_load_options){
        .size = sizeof(struct flm_load_options),
        .format = fields->from,
        .allow_negative = fields->allow_signed,
        .lenient = fields->lenient,
        .columns = fields->columns,
        .drop_times = fields->drop_times && !fields->apply, /* label: and time: need them */
        .threads = fields->threads,
        .found_format = format,
        .symbol_dirs = fields->symbols.items,
        .symbol_dir_count = fields->symbols.count,
        .perf_dir = flm_symbol_perf_dir(paths),
        .cache_dir = flm_symbol_cache(paths),
        .debuginfod = fields->debuginfod,
        .no_inlines = fields->no_inlines,
        .lines = fields->lines,
        .no_locations = fields->no_locations,
        .clones = fields->clones,
        .by_thread = fields->by_thread,
        .member = fields->chosen,
        .dropped_samples = fields->dropped_samples,
        .dropped_locations = fields->dropped_locations,
        .counted_size = fields->counted_size,
    };
}

struct flm_profile *flm_load_bytes_with(const struct flm_load_fields *fields, struct flm_bytes file,
                                        flm_load_progress progress, void *context,
                                        struct flm_error *why)
{
    struct flm_symbol_paths paths = {0};
    const char *format = "";
    struct flm_load_fields silent = *fields;
    silent.quiet = true;
    silent.unmatched = NULL;
    silent.from = NULL; /* --from is about the file of the command */
    struct flm_load_options options = options_of(&silent, &paths, &format);
    options.progress = progress;
    options.progress_context = context;
    struct flm_profile *profile = flm_load_memory(file.at, file.size, &options, why);
    flm_symbol_paths_clear(&paths);
    return profile && silent.apply ? apply(&silent, profile, why) : profile;
}

/* Once: of two files it is the same. */
static void say_no_server(const struct flm_load_fields *fields)
{
    static bool is_said;
    const char *servers = getenv("DEBUGINFOD_URLS");
    if (!fields->debuginfod || fields->quiet || is_said || (servers && *servers))
        return;
    is_said = true;
    flm_message(
        "--debuginfod: DEBUGINFOD_URLS names no server; https://debuginfod.elfutils.org has "
        "the files of Debian, Ubuntu, Fedora and others");
}

struct flm_profile *flm_load_with(const struct flm_load_fields *fields, const char *path)
{
    say_no_server(fields);
    struct progress progress = {.path = path, .started = now_s()};
    struct flm_symbol_paths paths = {0};
    const char *format = "";
    struct flm_load_options options = options_of(fields, &paths, &format);
    if (!fields->quiet && isatty(STDERR_FILENO)) {
        options.progress = show_progress;
        options.progress_context = &progress;
    }
    struct flm_error why;
    struct flm_profile *profile = check_apply(fields, &why) &&
                                          flm_symbol_dirs_check(&fields->symbols, &why) &&
                                          flm_memory_limit_begin(&why)
                                      ? flm_load(path, &options, &why)
                                      : NULL;
    flm_symbol_paths_clear(&paths);
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (fields->found_format && format[0])
        *fields->found_format = format;
    if (profile)
        flm_memory_limit_read(profile);
    if (profile && !fields->quiet && !fields->reports_losses) {
        report_lines(path, "lost: ", flm_remarks_lost, profile);
        report_lines(path, "rounded: ", flm_remarks_rounded, profile);
        report_unsymbolized(path, format, profile);
    }
    if (profile && fields->apply)
        profile = apply(fields, profile, &why);
    if (!profile)
        flm_message_error(&why);
    return profile;
}

struct flm_sources_options flm_load_places(const struct flm_load_fields *fields,
                                           const struct flm_option_list *folders,
                                           const struct flm_option_list *maps,
                                           struct flm_symbol_paths *paths)
{
    return (struct flm_sources_options){.size = sizeof(struct flm_sources_options),
                                        .folders = folders->items,
                                        .folder_count = folders->count,
                                        .maps = maps->items,
                                        .map_count = maps->count,
                                        .symbol_dirs = fields->symbols.items,
                                        .symbol_dir_count = fields->symbols.count,
                                        .perf_dir = flm_symbol_perf_dir(paths),
                                        .cache_dir = flm_symbol_cache(paths),
                                        .debuginfod = fields->debuginfod};
}

void flm_load_say_maps(const struct flm_load_fields *fields, const struct flm_option_list *maps,
                       const struct flm_profile *profile, const struct flm_profile *before)
{
    for (size_t i = 0; i < maps->count && !fields->quiet; i++) {
        const char *map = maps->items[i], *equals = strchr(map, '=');
        if (equals && !flm_sources_map_matches(map, profile) &&
            !(before && flm_sources_map_matches(map, before)))
            flm_message("--source-map %s: no source file of the profile begins with '%.*s'", map,
                        (int)(equals - map), map);
    }
}

bool flm_load_matched(const struct flm_load_fields *fields, size_t unmatched, size_t count)
{
    if (fields->allow_empty || count == 0 || unmatched < count)
        return true;
    flm_message("--apply matches nothing in %s; --allow-empty goes on", count == 1   ? "the file"
                                                                        : count == 2 ? "both files"
                                                                                     : "all files");
    return false;
}

const char *flm_load_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash && slash[1] ? slash + 1 : path;
}
