#include "source/find_source.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "base/core/md5.h"
#include "flamel/profile.h"
#include "format/core/date.h"
#include "os/regular_file.h"
#include "source/internal.h"
#include "symbol/identity/source_path.h"
#include "symbol/registry/module.h"

enum { MOST_TRIED = 12, MOST_PARTS = 64 };

struct search {
    const struct flm_source_places *places;
    const struct flm_source_request *request;
    struct flm_text path; /* joined with the folder of the compilation; terminated */
    struct flm_module_source known;
    struct flm_source_file *source; /* the best so far */
    struct flm_text tried;          /* ", " between them */
    size_t tried_count;
    bool has_refused; /* a file that is there */
    bool failed;      /* memory ran out */
};

/* The note has whole seconds. */
int64_t flm_source_recorded_ns(const struct flm_profile *p)
{
    struct flm_name began = flm_profile_note_named(p, "recorded");
    int64_t began_ns;
    bool known =
        began.size > 0 && flm_date_parse((struct flm_bytes){began.at, began.size}, &began_ns);
    return known ? began_ns + 1000000000 : 0;
}

/* ---- How well a file fits -------------------------------------------------------------------- */

static bool is_doubtful(enum flm_source_fit fit)
{
    return fit == FLM_SOURCE_NEWER || fit == FLM_SOURCE_OTHER;
}

static enum flm_source_fit fit_of(const struct search *s, const struct flm_source_file *source,
                                  int64_t changed_ns)
{
    int64_t recorded_ns = s->places->recorded_ns;
    unsigned char digest[FLM_MD5_SIZE];
    if (s->known.has_md5) {
        flm_md5((struct flm_bytes){source->text.at, source->text.size}, digest);
        return memcmp(digest, s->known.md5, sizeof digest) == 0 ? FLM_SOURCE_SAME
                                                                : FLM_SOURCE_OTHER;
    }
    if (source->origin == FLM_SOURCE_IN_DEBUG_INFORMATION ||
        source->origin == FLM_SOURCE_DOWNLOADED)
        return FLM_SOURCE_SAME;
    return recorded_ns == 0           ? FLM_SOURCE_UNSURE
           : changed_ns > recorded_ns ? FLM_SOURCE_NEWER
                                      : FLM_SOURCE_OLDER;
}

static void add_time(struct flm_text *out, int64_t time_ns)
{
    time_t seconds = (time_t)(time_ns / 1000000000);
    struct tm parts;
    char text[40];
    if (gmtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts))
        flm_text_puts(out, text);
}

static void describe(struct search *s, struct flm_source_file *source, int64_t changed_ns)
{
    struct flm_text *status = &source->status;
    switch (source->fit) {
    case FLM_SOURCE_SAME:
        flm_text_puts(status, source->origin == FLM_SOURCE_IN_DEBUG_INFORMATION
                                  ? "the text that was compiled, from the debug information"
                              : s->known.has_md5
                                  ? "the checksum agrees: this is the file that was compiled"
                                  : "the file that was compiled, from a debuginfod server");
        break;
    case FLM_SOURCE_OTHER:
        flm_text_puts(status, "another version than the one that was compiled, by its checksum: "
                              "lines may not agree");
        break;
    case FLM_SOURCE_NEWER:
        flm_text_puts(status, "newer than the recording (changed ");
        add_time(status, changed_ns);
        flm_text_puts(status, "): lines may not agree");
        break;
    case FLM_SOURCE_OLDER:
        flm_text_puts(status, "not changed since the recording: last change ");
        add_time(status, changed_ns);
        break;
    default:
        flm_text_puts(status, "nothing tells whether this is the file that was compiled");
    }
    flm_text_putc(status, 0);
}

/* ---- Trying a place -------------------------------------------------------------------------- */

static void add_tried(struct search *s, const char *before, struct flm_bytes path,
                      const char *reason)
{
    s->has_refused |= reason != NULL;
    if (s->tried_count++ >= MOST_TRIED)
        return;
    if (s->tried_count > 1)
        flm_text_puts(&s->tried, ", ");
    flm_text_puts(&s->tried, before);
    flm_text_add(&s->tried, path);
    if (reason)
        flm_text_format(&s->tried, " (%s)", reason);
}

/* Takes the text, unless it is worse than what there is. True: nothing better can come. */
static bool offer(struct search *s, struct flm_source_file *offered, int64_t changed_ns)
{
    offered->fit = fit_of(s, offered, changed_ns);
    bool is_better = s->source->origin == FLM_SOURCE_NOWHERE ||
                     (is_doubtful(s->source->fit) && !is_doubtful(offered->fit));
    if (is_better) {
        describe(s, offered, changed_ns);
        flm_source_file_clear(s->source);
        *s->source = *offered;
    } else {
        flm_source_file_clear(offered);
    }
    s->failed |= s->source->text.failed || s->source->path.failed || s->source->status.failed;
    return s->failed || !is_doubtful(s->source->fit);
}

static const char *reason_of(int error)
{
    return error == ENOENT || error == ENOTDIR ? NULL
           : error == EXDEV                    ? "it leads out of the folder"
           : error == EINVAL                   ? "it is no regular file"
           : error == EACCES || error == EPERM ? "permission denied"
                                               : "it cannot be opened";
}

/* `file` is a descriptor, or -1 with errno; `shown` is its path. */
static bool try_file(struct search *s, int file, struct flm_bytes shown,
                     enum flm_source_origin origin, bool lists_missing)
{
    const char *reason = file < 0 ? reason_of(errno) : NULL;
    struct flm_source_file offered = {.origin = origin};
    int64_t changed_ns = 0;
    size_t most = s->places->most_bytes ? s->places->most_bytes : FLM_SOURCE_MOST;
    if (file >= 0)
        reason = flm_source_read(file, most, &offered.text, &changed_ns);
    if (offered.text.failed)
        s->failed = true;
    if (file < 0 || reason) {
        if (reason || lists_missing)
            add_tried(s, "", shown, reason);
        flm_source_file_clear(&offered);
        return s->failed;
    }
    if (origin != FLM_SOURCE_DOWNLOADED)
        flm_text_add(&offered.path, shown);
    flm_text_putc(&offered.path, 0);
    return offer(s, &offered, changed_ns);
}

/* `path` is terminated, and may begin with slashes. */
static bool try_beneath(struct search *s, const char *folder, const char *path,
                        enum flm_source_origin origin, bool lists_missing)
{
    while (*path == '/')
        path++;
    struct flm_text shown = {0};
    flm_text_puts(&shown, folder);
    if (shown.size > 0 && shown.at[shown.size - 1] != '/')
        flm_text_putc(&shown, '/');
    flm_text_puts(&shown, path);
    s->failed |= shown.failed;
    int file = flm_regular_file_open_beneath(*folder ? folder : ".", path);
    bool done = try_file(s, file, (struct flm_bytes){shown.at, shown.size}, origin, lists_missing);
    flm_text_clear(&shown);
    return done;
}

/* ---- The places, in their order -------------------------------------------------------------- */

static bool try_maps(struct search *s)
{
    for (size_t i = 0; i < s->places->map_count; i++) {
        const char *map = s->places->maps[i];
        size_t size;
        struct flm_bytes path = {s->path.at, s->path.size - 1};
        if (flm_source_map_matches(map, path, &size) &&
            try_beneath(s, map + size + 1, path.at + size, FLM_SOURCE_MAPPED, true))
            return true;
    }
    return false;
}

static bool try_as_named(struct search *s)
{
    struct flm_bytes path = {s->path.at, s->path.size - 1};
    return !s->places->folders_only &&
           try_file(s, flm_regular_file_open(s->path.at), path, FLM_SOURCE_AS_NAMED, true);
}

static bool try_folders(struct search *s)
{
    struct flm_text ends = {0};
    flm_path_normalize((struct flm_bytes){s->path.at, s->path.size - 1}, &ends);
    flm_text_putc(&ends, 0);
    s->failed |= ends.failed;
    bool done = s->failed;
    const char *end = done ? "" : ends.at;
    for (int part = 0; !done && *end && part < MOST_PARTS; part++) {
        while (*end == '/')
            end++;
        for (size_t i = 0; !done && i < s->places->folder_count; i++)
            done = try_beneath(s, s->places->folders[i], end, FLM_SOURCE_IN_FOLDER, false);
        while (*end && *end != '/')
            end++;
    }
    for (size_t i = 0; !done && i < s->places->folder_count; i++)
        add_tried(s, "all ends of the path below ", flm_bytes_of(s->places->folders[i]), NULL);
    flm_text_clear(&ends);
    return done;
}

static bool try_debug_information(struct search *s)
{
    if (!s->known.has_text)
        return false;
    struct flm_source_file offered = {.origin = FLM_SOURCE_IN_DEBUG_INFORMATION,
                                      .text = s->known.text};
    s->known.text = (struct flm_text){0};
    flm_text_putc(&offered.path, 0);
    return offer(s, &offered, 0);
}

static bool try_download(struct search *s)
{
    if (!s->places->download || !s->request->module || s->path.at[0] != '/')
        return false;
    int file = flm_module_download_source(s->request->module, s->path.at);
    if (file < 0)
        errno = ENOENT;
    return try_file(s, file, flm_bytes_of("debuginfod servers"), FLM_SOURCE_DOWNLOADED, true);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* "<string>", "<frozen site>": what Python says where there is no file. */
static bool is_no_file(struct flm_bytes path)
{
    return path.size > 2 && path.at[0] == '<' && path.at[path.size - 1] == '>';
}

static void explain_nowhere(struct search *s)
{
    struct flm_text *status = &s->source->status;
    status->size = 0;
    flm_text_add(status, s->request->path);
    if (is_no_file(s->request->path)) {
        flm_text_puts(status, " is not the name of a file: the code was made while the program "
                              "ran, or is part of the interpreter");
        flm_text_putc(status, 0);
        return;
    }
    flm_text_puts(status, s->has_refused ? " was not read; tried: " : " was not found; tried: ");
    flm_text_add(status, (struct flm_bytes){s->tried.at, s->tried.size});
    if (s->tried_count == 0)
        flm_text_puts(status, "nothing");
    if (s->tried_count > MOST_TRIED)
        flm_text_format(status, " and %zu others", s->tried_count - MOST_TRIED);
    flm_text_puts(status, ". Use --source DIR for the folder with the sources, or --source-map "
                          "OLD=NEW for where a folder is now");
    if (!s->places->download && s->request->module &&
        flm_module_build_id(s->request->module)->size > 0)
        flm_text_puts(status, ", or query servers with --debuginfod");
    flm_text_putc(status, 0);
}

/* As an absolute path, where that is known. False: no file can have the name. */
static bool join_path(struct search *s)
{
    static const char scheme[] = "file://";
    struct flm_bytes path = s->request->path, directory = s->request->directory;
    if (flm_bytes_start_with(path, scheme)) /* modules of JavaScript */
        path = flm_bytes_from(path, sizeof scheme - 1);
    if (path.size > 0 && path.at[0] != '/' && directory.size > 0) {
        flm_text_add(&s->path, directory);
        flm_text_putc(&s->path, '/');
    }
    flm_text_add(&s->path, path);
    flm_text_putc(&s->path, 0);
    s->failed |= s->path.failed;
    return !s->failed && path.size > 0 && s->path.size <= PATH_MAX &&
           strlen(s->path.at) + 1 == s->path.size;
}

bool flm_source_map_check(const char *map, struct flm_error *why)
{
    return strchr(map, '=') ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "'%s' is not OLD=NEW: where sources were, and where they are", map);
}

/* A prefix of whole parts: /src is none of /src2/a.c. */
bool flm_source_map_matches(const char *map, struct flm_bytes path, size_t *size)
{
    const char *equals = strchr(map, '=');
    size_t old = equals ? (size_t)(equals - map) : 0;
    *size = old;
    return equals && path.size >= old && memcmp(path.at, map, old) == 0 &&
           (old == 0 || map[old - 1] == '/' || (path.size > old && path.at[old] == '/'));
}

bool flm_source_file_find(const struct flm_source_places *places,
                          const struct flm_source_request *request, struct flm_source_file *source,
                          struct flm_error *why)
{
    assert(places && request && source);
    struct search s = {.places = places, .request = request, .source = source};
    *source = (struct flm_source_file){0};
    if (join_path(&s)) {
        /* Lookups have the path as it was joined then. */
        if (request->module)
            s.failed |= !flm_module_find_source(
                request->module, (struct flm_bytes){s.path.at, s.path.size - 1}, &s.known);
        bool done = s.failed || try_maps(&s) || try_as_named(&s) || try_folders(&s) ||
                    try_debug_information(&s) || try_download(&s);
        (void)done;
    }
    bool found = source->origin != FLM_SOURCE_NOWHERE;
    if (!found)
        explain_nowhere(&s);
    s.failed |= source->status.failed || s.tried.failed;
    flm_text_clear(&s.path);
    flm_text_clear(&s.tried);
    flm_text_clear(&s.known.text);
    return s.failed ? flm_error_memory(why) : found;
}

void flm_source_file_clear(struct flm_source_file *source)
{
    flm_text_clear(&source->text);
    flm_text_clear(&source->path);
    flm_text_clear(&source->status);
    *source = (struct flm_source_file){0};
}
