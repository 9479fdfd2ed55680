#include "cli/server/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/durable_file.h"
#include "os/file_bytes.h"

static bool path_of(const struct flm_spool *s, const char *name, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", s->folder, name) < PATH_MAX;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct flm_spool_file *)a)->name,
                  ((const struct flm_spool_file *)b)->name);
}

/* "0001795832400123-000007.push": its number, for the next one. */
static bool is_spooled(const char *name, uint64_t *number)
{
    char end[8] = "";
    return strlen(name) < sizeof((struct flm_spool_file *)0)->name &&
           sscanf(name, "%*16[0-9]-%" SCNu64 "%7s", number, end) == 2 && strcmp(end, ".push") == 0;
}

static bool find_files(struct flm_spool *s, struct flm_error *why)
{
    DIR *folder = opendir(s->folder);
    struct dirent *entry;
    bool good = folder || flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the folder cannot be read: %s",
                                        s->folder, strerror(errno));
    while (good && (entry = readdir(folder)) != NULL) {
        char path[PATH_MAX];
        struct stat info;
        struct flm_spool_file file;
        uint64_t number;
        if (!path_of(s, entry->d_name, path))
            continue;
        /* What was being written when its process was killed. */
        if (flm_bytes_end_with(flm_bytes_of(entry->d_name), ".push.new"))
            unlink(path);
        if (!is_spooled(entry->d_name, &number) || stat(path, &info) != 0)
            continue;
        snprintf(file.name, sizeof file.name, "%s", entry->d_name);
        file.size = (uint64_t)info.st_size;
        good = FLM_ARRAY_ADD(&s->files, file) || flm_error_memory(why);
        s->bytes += file.size;
        s->number = number >= s->number ? number + 1 : s->number;
    }
    if (folder)
        closedir(folder);
    if (s->files.count > 0)
        qsort(s->files.at, s->files.count, sizeof *s->files.at, by_name);
    return good;
}

/* Whether the open folder is still the one of that name: who had it may have removed it meanwhile.
 */
static bool is_there(const struct flm_spool *s)
{
    struct stat named, opened;
    return stat(s->folder, &named) == 0 && fstat(s->lock, &opened) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

static bool take_folder(struct flm_spool *s, struct flm_error *why)
{
    for (int tries = 0; tries < 10; tries++) {
        if (mkdir(s->folder, 0700) != 0 && errno != EEXIST)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the folder cannot be made: %s",
                                 s->folder, strerror(errno));
        s->lock = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (s->lock < 0)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", s->folder, strerror(errno));
        if (flock(s->lock, LOCK_EX | LOCK_NB) != 0)
            break;
        if (is_there(s))
            return true;
        close(s->lock);
        s->lock = -1;
    }
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "%s: another flamel pushes from this folder: choose another one "
                         "(--push-spool FOLDER)",
                         s->folder);
}

bool flm_spool_open(struct flm_spool *s, const char *folder, uint64_t most_bytes,
                    struct flm_error *why)
{
    *s = (struct flm_spool){.lock = -1, .most_bytes = most_bytes};
    s->folder = strdup(folder);
    if (!s->folder)
        return flm_error_memory(why);
    pthread_mutex_init(&s->mutex, NULL);
    if (take_folder(s, why) && find_files(s, why))
        return true;
    flm_spool_close(s);
    return false;
}

void flm_spool_close(struct flm_spool *s)
{
    if (!s->folder)
        return;
    bool is_ours = s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    if (is_ours)
        rmdir(s->folder); /* where it is empty */
    if (s->lock >= 0)
        close(s->lock);
    pthread_mutex_destroy(&s->mutex);
    FLM_ARRAY_CLEAR(&s->files);
    free(s->folder);
    *s = (struct flm_spool){.lock = -1};
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void remove_at(struct flm_spool *s, size_t index)
{
    char path[PATH_MAX];
    if (path_of(s, s->files.at[index].name, path))
        unlink(path);
    s->bytes -= s->files.at[index].size;
    s->files.count--;
    memmove(&s->files.at[index], &s->files.at[index + 1],
            (s->files.count - index) * sizeof *s->files.at);
}

/* Makes room by removing old ones, but not the one that is being sent. */
static void make_room(struct flm_spool *s, uint64_t size)
{
    size_t kept = s->is_first_taken && s->files.count > 0;
    while (s->bytes + size > s->most_bytes && s->files.count > kept) {
        remove_at(s, kept);
        s->dropped++;
    }
}

static bool write_file(const struct flm_spool *s, const char *name, struct flm_bytes target,
                       struct flm_bytes profile, struct flm_error *why)
{
    struct flm_durable_file file;
    char path[PATH_MAX];
    if (!path_of(s, name, path))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the name is too long", s->folder);
    if (!flm_durable_open(&file, path, why))
        return false;
    bool good = flm_durable_write(&file, target.at, target.size, why) &&
                flm_durable_write(&file, "\n", 1, why) &&
                flm_durable_write(&file, profile.at, profile.size, why);
    return flm_durable_close(&file, good, why) && good;
}

bool flm_spool_add(struct flm_spool *s, int64_t time_ms, struct flm_bytes target,
                   struct flm_bytes profile, struct flm_error *why)
{
    struct flm_spool_file file = {.size = target.size + 1 + profile.size};
    pthread_mutex_lock(&s->mutex);
    make_room(s, file.size);
    bool good =
        s->bytes + file.size <= s->most_bytes ||
        flm_error_set(why, FLM_ERROR_RANGE, "a profile of %" PRIu64 " KiB is more than %s may have",
                      file.size >> 10, s->folder);
    snprintf(file.name, sizeof file.name, "%016" PRId64 "-%06" PRIu64 ".push", time_ms,
             s->number++);
    /* A clock that was set back does not change the order of what is here already. */
    good = good && (FLM_ARRAY_ADD(&s->files, file) || flm_error_memory(why));
    if (good && !(good = write_file(s, file.name, target, profile, why)))
        s->files.count--;
    s->bytes += good ? file.size : 0;
    s->dropped += !good;
    pthread_mutex_unlock(&s->mutex);
    return good;
}

/* ---- The oldest one -------------------------------------------------------------------------- */

static bool read_file(const char *path, struct flm_spooled *spooled, struct flm_error *why)
{
    struct flm_text *text = &spooled->text;
    flm_text_clear(text);
    *text = (struct flm_text){0};
    if (!flm_file_read(path, text, why))
        return false;
    char *end = text->size > 0 ? memchr(text->at, '\n', text->size) : NULL;
    if (!end || text->at[0] != '/' || memchr(text->at, 0, (size_t)(end - text->at)))
        return flm_error_set(why, FLM_ERROR_FORMAT, "%s: this is not a profile of a spool", path);
    *end = 0;
    spooled->target = text->at;
    spooled->profile = (struct flm_bytes){end + 1, text->size - (size_t)(end + 1 - text->at)};
    return true;
}

bool flm_spool_first(struct flm_spool *s, struct flm_spooled *spooled)
{
    bool found = false;
    char path[PATH_MAX];
    struct flm_error why = {0};
    pthread_mutex_lock(&s->mutex);
    while (!found && s->files.count > 0 && why.kind != FLM_ERROR_MEMORY) {
        found = path_of(s, s->files.at[0].name, path) && read_file(path, spooled, &why);
        if (!found && why.kind != FLM_ERROR_MEMORY) {
            remove_at(s, 0);
            s->dropped++;
        }
    }
    s->is_first_taken = found;
    pthread_mutex_unlock(&s->mutex);
    return found;
}

void flm_spool_remove_first(struct flm_spool *s)
{
    pthread_mutex_lock(&s->mutex);
    if (s->files.count > 0)
        remove_at(s, 0);
    s->is_first_taken = false;
    pthread_mutex_unlock(&s->mutex);
}

size_t flm_spool_count(struct flm_spool *s)
{
    pthread_mutex_lock(&s->mutex);
    size_t count = s->files.count;
    pthread_mutex_unlock(&s->mutex);
    return count;
}

uint64_t flm_spool_dropped(struct flm_spool *s)
{
    pthread_mutex_lock(&s->mutex);
    uint64_t dropped = s->dropped;
    pthread_mutex_unlock(&s->mutex);
    return dropped;
}
