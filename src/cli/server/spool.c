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

#include "base/number/number.h"
#include "net/tenant.h"
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

/* "0001795832400123-000007.push": its number, for the next one, and what is behind that. NULL: it is
 * not one of ours. */
static const char *name_end(const char *name, uint64_t *number)
{
    enum { TIME_DIGITS = 16, NUMBER_DIGITS = 6 };
    static const char digits[] = "0123456789";
    if (strspn(name, digits) != TIME_DIGITS || name[TIME_DIGITS] != '-')
        return NULL;
    const char *at = name + TIME_DIGITS + 1;
    size_t size = strspn(at, digits);
    bool good =
        size >= NUMBER_DIGITS && flm_number_parse_uint((struct flm_bytes){at, size}, number);
    return good ? at + size : NULL;
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
        const char *end = name_end(entry->d_name, &number);
        /* What was being written when its process was killed. */
        if (end && strcmp(end, ".push.new") == 0)
            unlink(path);
        if (!end || strcmp(end, ".push") != 0 || strlen(entry->d_name) >= sizeof file.name ||
            stat(path, &info) != 0 || !S_ISREG(info.st_mode))
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
        s->is_made = mkdir(s->folder, 0700) == 0;
        if (!s->is_made && errno != EEXIST)
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
    if (is_ours && s->is_made)
        rmdir(s->folder); /* where it is empty */
    if (s->lock >= 0)
        close(s->lock);
    pthread_mutex_destroy(&s->mutex);
    FLM_ARRAY_CLEAR(&s->files);
    free(s->folder);
    *s = (struct flm_spool){.lock = -1};
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool remove_at(struct flm_spool *s, size_t index, struct flm_error *why)
{
    char path[PATH_MAX];
    bool good = !path_of(s, s->files.at[index].name, path) || unlink(path) == 0 ||
                errno == ENOENT ||
                flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the file cannot be removed: %s", path,
                              strerror(errno));
    s->bytes -= s->files.at[index].size;
    s->files.count--;
    memmove(&s->files.at[index], &s->files.at[index + 1],
            (s->files.count - index) * sizeof *s->files.at);
    return good;
}

/* Makes room by removing old ones, but not the one that is being sent. */
static void make_room(struct flm_spool *s, uint64_t size)
{
    size_t kept = s->is_first_taken && s->files.count > 0;
    while (s->bytes + size > s->most_bytes && s->files.count > kept) {
        remove_at(s, kept, NULL);
        s->dropped++;
    }
}

static bool write_file(const struct flm_spool *s, const char *name, struct flm_bytes head,
                       struct flm_bytes profile, struct flm_error *why)
{
    struct flm_durable_file file;
    char path[PATH_MAX];
    if (!path_of(s, name, path))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: the name is too long", s->folder);
    if (!flm_durable_open(&file, path, why))
        return false;
    bool good = flm_durable_write(&file, head.at, head.size, why) &&
                flm_durable_write(&file, profile.at, profile.size, why);
    return flm_durable_close(&file, good, why) && good;
}

static bool add(struct flm_spool *s, int64_t time_ms, struct flm_bytes head,
                struct flm_bytes profile, struct flm_error *why)
{
    struct flm_spool_file file = {.size = head.size + profile.size};
    make_room(s, file.size);
    bool good =
        s->bytes + file.size <= s->most_bytes ||
        flm_error_set(why, FLM_ERROR_RANGE, "a profile of %" PRIu64 " KiB is more than %s may have",
                      file.size >> 10, s->folder);
    snprintf(file.name, sizeof file.name, "%016" PRId64 "-%06" PRIu64 ".push", time_ms,
             s->number++);
    /* A clock that was set back does not change the order of what is here already. */
    good = good && (FLM_ARRAY_ADD(&s->files, file) || flm_error_memory(why));
    if (good && !(good = write_file(s, file.name, head, profile, why)))
        s->files.count--;
    s->bytes += good ? file.size : 0;
    return good;
}

bool flm_spool_add(struct flm_spool *s, int64_t time_ms, struct flm_bytes target,
                   const char *tenant, struct flm_bytes profile, struct flm_error *why)
{
    struct flm_text head = {0};
    flm_text_add(&head, target);
    if (tenant)
        flm_text_format(&head, " %s", tenant);
    flm_text_putc(&head, '\n');
    pthread_mutex_lock(&s->mutex);
    bool good = (!head.failed || flm_error_memory(why)) &&
                add(s, time_ms, (struct flm_bytes){head.at, head.size}, profile, why);
    s->dropped += !good;
    pthread_mutex_unlock(&s->mutex);
    flm_text_clear(&head);
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
    char *blank = strchr(text->at, ' ');
    if (blank && !flm_is_tenant(blank + 1))
        return flm_error_set(why, FLM_ERROR_FORMAT, "%s: this is not a profile of a spool", path);
    if (blank)
        *blank = 0;
    spooled->target = text->at;
    spooled->tenant = blank ? blank + 1 : NULL;
    spooled->profile = (struct flm_bytes){end + 1, text->size - (size_t)(end + 1 - text->at)};
    return true;
}

/* Only what is damaged, or not there any more, will not be better later: there may be too many open
 * files, or a disk that is away. */
static bool is_hopeless(const char *path, const struct flm_error *why)
{
    return why->kind == FLM_ERROR_FORMAT || (access(path, F_OK) != 0 && errno == ENOENT);
}

bool flm_spool_first(struct flm_spool *s, struct flm_spooled *spooled, struct flm_error *why)
{
    bool found = false;
    char path[PATH_MAX];
    *why = (struct flm_error){0};
    pthread_mutex_lock(&s->mutex);
    while (!found && s->files.count > 0 && path_of(s, s->files.at[0].name, path)) {
        found = read_file(path, spooled, why);
        if (!found && !is_hopeless(path, why))
            break;
        if (!found) {
            remove_at(s, 0, NULL);
            s->dropped++;
            *why = (struct flm_error){0};
        }
    }
    s->is_first_taken = found;
    pthread_mutex_unlock(&s->mutex);
    return found;
}

bool flm_spool_remove_first(struct flm_spool *s, struct flm_error *why)
{
    pthread_mutex_lock(&s->mutex);
    bool good = s->files.count == 0 || remove_at(s, 0, why);
    s->is_first_taken = false;
    pthread_mutex_unlock(&s->mutex);
    return good;
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
