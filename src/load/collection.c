#include "load/collection.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number/number.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"

enum { MOST_FILES = 100000 };

/* ---- The sum --------------------------------------------------------------------------------- */

static struct flm_profile *add(const struct flm_profile *a, const struct flm_profile *b,
                               struct flm_error *why)
{
    const struct flm_profile *both[] = {a, b};
    return flm_align(both, 2, FLM_ALIGN_ADD, NULL, why);
}

/* Adds which two files have a metric in different units to an error that says so. Of the sum of a
 * batch, the first file is named. */
static void name_files(const struct flm_collection *c, struct flm_error *why)
{
    for (size_t i = 1; i < c->held; i++)
        for (size_t k = 0; k < i; k++) {
            struct flm_error differs = {0};
            flm_profile_free(add(c->batch[k], c->batch[i], &differs));
            if (differs.kind != FLM_ERROR_UNIT)
                continue;
            flm_error_set(why, differs.kind, "%s: %.*s and %.*s (--member PATTERN chooses files)",
                          differs.text, (int)c->names[k].size, c->names[k].at,
                          (int)c->names[i].size, c->names[i].at);
            return;
        }
}

static bool merge(struct flm_collection *c, struct flm_error *why)
{
    struct flm_error failure = {0};
    if (c->held < 2)
        return true;
    struct flm_profile *sum = flm_align((const struct flm_profile *const *)c->batch, c->held,
                                        FLM_ALIGN_ADD, NULL, &failure);
    if (failure.kind == FLM_ERROR_UNIT)
        name_files(c, &failure);
    if (!sum && why)
        *why = failure;
    for (size_t i = 0; i < c->held; i++)
        flm_profile_free(c->batch[i]);
    for (size_t i = 1; i < c->held; i++)
        flm_text_clear(&c->names[i]);
    c->batch[0] = sum;
    c->held = sum != NULL;
    c->failed = sum == NULL;
    return sum != NULL;
}

/* Instruments of Xcode writes a folder, which is sent as NAME.trace.zip: none of its files says
 * what the whole is. */
static bool is_of_instruments(const char *name)
{
    const char *bundle = strstr(name, ".trace/");
    const char *inside = bundle ? bundle + strlen(".trace/") : "";
    return strcmp(inside, "form.template") == 0 || strncmp(inside, "corespace/", 10) == 0;
}

bool flm_collection_add(struct flm_collection *c, const char *name, struct flm_profile *profile,
                        const struct flm_error *reason, struct flm_error *why)
{
    assert(c && name && (profile || reason) && !c->failed);
    if (profile) {
        flm_text_puts(&c->names[c->held], name);
        c->batch[c->held++] = profile;
        c->merged++;
        return c->held < FLM_COLLECTION_BATCH || merge(c, why);
    }
    c->is_of_instruments |= is_of_instruments(name);
    if (c->passed_over++ == 0) {
        c->reason = *reason;
        flm_text_puts(&c->first, name);
    }
    if (c->known.size == 0 && strncmp(reason->text, "this is ", 8) == 0) {
        c->known_reason = *reason;
        flm_text_puts(&c->known, name);
    }
    c->failed = c->first.failed || c->known.failed;
    return !c->failed || flm_error_memory(why);
}

/* A profile without stacks that has what is to be told of all files. */
static struct flm_profile *remarks(const struct flm_collection *c, struct flm_error *why)
{
    char count[FLM_NUMBER_SIZE];
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return NULL;
    flm_builder_note(b, "merged files", count, flm_number_print((double)c->merged, count));
    if (c->passed_over > 0) {
        struct flm_text what = {0};
        flm_text_puts(&what, "files that are no profiles (the first: ");
        flm_text_add(&what, (struct flm_bytes){c->first.at, c->first.size});
        flm_text_puts(&what, ")");
        flm_text_putc(&what, 0);
        if (!what.failed)
            flm_builder_lost(b, what.at, "", 0, (double)c->passed_over);
        flm_text_clear(&what);
    }
    if (c->folders > 0)
        flm_builder_lost(b, "folders in the folder", "", 0, (double)c->folders);
    return flm_builder_finish(b, why);
}

struct flm_profile *flm_collection_finish(struct flm_collection *c, const char *what,
                                          struct flm_error *why)
{
    struct flm_profile *sum = NULL;
    if (c->failed) {
        /* `why` was filled then. */
    } else if (c->merged == 0 && c->passed_over == 0) {
        flm_error_set(why, FLM_ERROR_FORMAT, "there is no file in this %s", what);
    } else if (c->merged == 0 && c->is_of_instruments) {
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "this %s is a trace of Instruments, which flamel does not read: 'xctrace "
                      "export --xpath' with one of its tables (time-profile) makes a profile",
                      what);
    } else if (c->merged == 0) {
        bool is_known = c->known.size > 0;
        struct flm_text *name = is_known ? &c->known : &c->first;
        flm_error_set(why, FLM_ERROR_FORMAT, "no profile is in this %s; %s, ", what,
                      c->passed_over == 1 ? "the first of its files"
                      : is_known          ? "one of several files"
                                          : "the first of several files");
        flm_text_putc(name, 0);
        flm_error_add(why, name->failed ? "" : name->at);
        flm_error_add(why, ": ");
        flm_error_add(why, is_known ? c->known_reason.text : c->reason.text);
    } else if (merge(c, why) && (c->batch[c->held] = remarks(c, why)) != NULL) {
        c->held++;
        if (merge(c, why)) {
            sum = c->batch[0];
            c->held = 0;
        }
    }
    flm_collection_clear(c);
    return sum;
}

void flm_collection_clear(struct flm_collection *c)
{
    while (c->held > 0)
        flm_profile_free(c->batch[--c->held]);
    for (size_t i = 0; i < FLM_COLLECTION_BATCH; i++)
        flm_text_clear(&c->names[i]);
    flm_text_clear(&c->first);
    flm_text_clear(&c->known);
    *c = (struct flm_collection){0};
}

/* ---- Paths ----------------------------------------------------------------------------------- */

bool flm_is_pattern(const char *path)
{
    const char *bracket = strchr(path, '[');
    return strpbrk(path, "*?") || (bracket && strchr(bracket, ']'));
}

void flm_paths_clear(struct flm_path_list *list)
{
    for (size_t i = 0; i < list->paths.count; i++)
        free(list->paths.at[i]);
    FLM_ARRAY_CLEAR(&list->paths);
}

/* Takes `path`. */
static bool add_path(struct flm_path_list *list, char *path, struct flm_error *why)
{
    if (list->paths.count == MOST_FILES) {
        free(path);
        return flm_error_set(why, FLM_ERROR_RANGE, "there are more than %d files", MOST_FILES);
    }
    if (path && FLM_ARRAY_ADD(&list->paths, path))
        return true;
    free(path);
    return flm_error_memory(why);
}

static char *joined(const char *folder, const char *name)
{
    struct flm_text path = {0};
    flm_text_puts(&path, folder);
    if (path.size > 0 && path.at[path.size - 1] != '/')
        flm_text_putc(&path, '/');
    flm_text_puts(&path, name);
    flm_text_putc(&path, 0);
    if (path.failed)
        flm_text_clear(&path);
    return path.at;
}

static int order_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool flm_paths_in(const char *folder, struct flm_path_list *list, struct flm_error *why)
{
    assert(folder && list && list->paths.count == 0);
    DIR *entries = opendir(folder);
    if (!entries)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot be read: %s", strerror(errno));
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(entries)) != NULL;) {
        struct stat stats;
        if (entry->d_name[0] == '.' || fstatat(dirfd(entries), entry->d_name, &stats, 0) != 0)
            continue;
        if (S_ISREG(stats.st_mode))
            good = add_path(list, joined(folder, entry->d_name), why);
        list->folder_count += S_ISDIR(stats.st_mode);
    }
    closedir(entries);
    if (list->paths.count > 0)
        qsort(list->paths.at, list->paths.count, sizeof *list->paths.at, order_paths);
    return good;
}

bool flm_paths_matching(const char *pattern, struct flm_path_list *list, struct flm_error *why)
{
    assert(pattern && list && list->paths.count == 0);
    glob_t found = {0};
    int result = glob(pattern, 0, NULL, &found);
    bool good = true;
    if (result == GLOB_NOSPACE)
        good = flm_error_memory(why);
    else if (result != 0)
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "no file matches this pattern");
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        struct stat stats;
        if (stat(found.gl_pathv[i], &stats) == 0 && S_ISREG(stats.st_mode))
            good = add_path(list, strdup(found.gl_pathv[i]), why);
    }
    globfree(&found);
    return good;
}
