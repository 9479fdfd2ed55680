#include "load/probe/attached.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "flamel/probe_format.h"
#include "format/probe/copy.h"
#include "format/probe/interval.h"
#include "load/probe/live_facts.h"
#include "os/clock.h"

#if defined __x86_64__
#include <x86intrin.h>
#endif

enum { PATH_ROOM = 64 };

struct flm_attached {
    int file;
    char link[PATH_ROOM];          /* of the file, among those that the process has open */
    struct stat stats;             /* what that leads to */
    struct flm_text copy, earlier; /* `earlier`: where an interval began */
    int32_t process;
    struct flm_probe_names *names; /* made when it is read first */
    uint64_t last_ticks;           /* when the process was seen last */
};

/* ---- Finding it ------------------------------------------------------------------------------ */

static bool is_probe(int file)
{
    char magic[sizeof FLM_PROBE_MAGIC - 1];
    return pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, FLM_PROBE_MAGIC, sizeof magic) == 0;
}

/* Only a regular file that the process may read and write is opened: opening a device or a pipe
 * may do something. -1: it is not the one. */
static int open_candidate(struct flm_attached *a)
{
    struct stat link;
    const mode_t both = S_IRUSR | S_IWUSR; /* of the link: how the process has opened it */
    if (lstat(a->link, &link) != 0 || (link.st_mode & both) != both ||
        stat(a->link, &a->stats) != 0 || !S_ISREG(a->stats.st_mode) ||
        a->stats.st_size < (off_t)sizeof(struct flm_probe_header))
        return -1;
    int file = open(a->link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0 && is_probe(file))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* Whether the process has the shared library; one that is linked statically is not seen. */
static bool has_library(int32_t process)
{
    char path[PATH_ROOM], line[8192];
    bool has = false;
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    while (maps && !has && fgets(line, sizeof line, maps))
        has = strstr(line, "/libflamel-probe.so") != NULL;
    if (maps)
        fclose(maps);
    return has;
}

static enum flm_attached_state explain(int32_t process, int reason, struct flm_error *why)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "/proc/%d", process);
    if (access(path, F_OK) != 0 || reason == ESRCH) {
        flm_error_set(why, FLM_ERROR_USAGE, "there is no process %d", process);
        return FLM_ATTACHED_NO_PROCESS;
    }
    if (reason == EACCES || reason == EPERM) {
        flm_error_set(why, FLM_ERROR_SYSTEM,
                      "process %d may not be looked at: it is another user's, or has more rights "
                      "than its user, or has said so itself (prctl PR_SET_DUMPABLE); root may",
                      process);
        return FLM_ATTACHED_NOT_ALLOWED;
    }
    if (reason != 0) {
        flm_error_set(why, FLM_ERROR_SYSTEM, "%s/fd: %s", path, strerror(reason));
        return FLM_ATTACHED_FAILED;
    }
    if (has_library(process)) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "process %d has flamel's probe and does not measure: start it with FLAMEL=on "
                      "in its environment (a child after fork begins with its first scope)",
                      process);
        return FLM_ATTACHED_OFF;
    }
    flm_error_set(why, FLM_ERROR_USAGE,
                  "process %d does not measure itself: that needs flamel/probe.h, or 'flamel probe "
                  "-- COMMAND'",
                  process);
    return FLM_ATTACHED_WITHOUT;
}

/* Returns 0, or errno where the process cannot be looked at. */
static int find(struct flm_attached *a, int32_t process)
{
    char folder[PATH_ROOM / 2];
    snprintf(folder, sizeof folder, "/proc/%d/fd", process);
    DIR *files = opendir(folder);
    if (!files)
        return errno;
    const struct dirent *entry;
    errno = 0;
    while (a->file < 0 && (entry = readdir(files)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(a->link, sizeof a->link, "%s/%.20s", folder, entry->d_name);
        a->file = open_candidate(a);
    }
    closedir(files);
    return 0;
}

struct flm_attached *flm_attached_open(int32_t process, enum flm_attached_state *state,
                                       struct flm_error *why)
{
    enum flm_attached_state ignored = FLM_ATTACHED_FAILED;
    state = state ? state : &ignored;
    struct flm_attached *a = calloc(1, sizeof *a);
    *state = FLM_ATTACHED_FAILED;
    if (!a) {
        flm_error_memory(why);
        return NULL;
    }
    a->file = -1;
    a->process = process;
    int reason = find(a, process);
    if (a->file < 0) {
        *state = explain(process, reason, why);
        flm_attached_close(a);
        return NULL;
    }
    *state = flm_attached_state(a);
    return a;
}

void flm_attached_close(struct flm_attached *a)
{
    if (!a)
        return;
    if (a->file >= 0)
        close(a->file);
    flm_text_clear(&a->copy);
    flm_text_clear(&a->earlier);
    flm_probe_names_free(a->names);
    free(a);
}

/* ---- Reading it ------------------------------------------------------------------------------ */

static bool read_header(const struct flm_attached *a, struct flm_probe_header *header)
{
    return pread(a->file, header, sizeof *header, 0) == (ssize_t)sizeof *header;
}

/* Reads what is between the end of the copy and `end`; less where the file ends. */
static bool copy_until(struct flm_attached *a, uint64_t end, struct flm_error *why)
{
    while (a->copy.size < end) {
        size_t size = (size_t)(end - a->copy.size);
        char *to = flm_text_reserve(&a->copy, size);
        if (!to)
            return flm_error_memory(why);
        ssize_t got = pread(a->file, to, size, (off_t)a->copy.size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", a->link, strerror(errno));
        if (got == 0)
            return true;
        a->copy.size += (size_t)got;
    }
    return true;
}

static bool read_again(void *context, uint64_t offset, void *to, size_t size)
{
    const struct flm_attached *a = context;
    return pread(a->file, to, size, (off_t)offset) == (ssize_t)size;
}

/* The clock of the program is that of the machine, and so of this one (probe/clock.c). */
static uint64_t ticks_now(const struct flm_probe_header *header)
{
    /* A library of before did not say it: its system's clock has this rate, and counters rarely. */
    const uint64_t one = (uint64_t)1 << 32;
    bool says =
        header->header_size >= offsetof(struct flm_probe_header, clock) + sizeof header->clock;
    if (says ? header->clock != FLM_PROBE_CLOCK_COUNTER : header->ns_per_tick == one)
        return (uint64_t)flm_clock_ns(CLOCK_MONOTONIC_RAW);
#if defined __x86_64__
    return __rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

enum flm_attached_state flm_attached_state(const struct flm_attached *a)
{
    struct flm_probe_header header;
    struct stat now;
    if (!read_header(a, &header) || header.state == FLM_PROBE_ENDED)
        return FLM_ATTACHED_ENDED;
    if (stat(a->link, &now) == 0 && now.st_dev == a->stats.st_dev && now.st_ino == a->stats.st_ino)
        return FLM_ATTACHED_MEASURES;
    /* Its number may be another's by now; then the file is not among that one's either. */
    char process[PATH_ROOM];
    snprintf(process, sizeof process, "%.*s", (int)(strstr(a->link, "/fd") - a->link), a->link);
    return access(process, F_OK) == 0 ? FLM_ATTACHED_REPLACED : FLM_ATTACHED_KILLED;
}

static bool add_facts(struct flm_attached *a, struct flm_error *why)
{
    if (!a->names) {
        a->names = flm_probe_names_new(why);
        if (!a->names)
            return false;
        flm_probe_names_add_process(a->names, a->process);
    }
    flm_live_facts_add(&a->copy, a->process, a->names);
    return !a->copy.failed || flm_error_memory(why);
}

/* In order of places: lists begin at lower places than what is in them, so what was linked when a
 * list was copied was given out before, and the end of what is given out is read once more after
 * that. It grows with new scopes and threads only, so this ends; and if it does not, what is
 * missing is refused by who reads it. */
bool flm_attached_read(struct flm_attached *a, struct flm_bytes *file, struct flm_error *why)
{
    enum { ROUNDS = 16 };
    struct flm_probe_header header;
    bool is_running = flm_attached_state(a) == FLM_ATTACHED_MEASURES;
    a->copy.size = 0;
    if (!read_header(a, &header))
        return flm_error_set(why, FLM_ERROR_FORMAT, "%s: the file ends in its header", a->link);
    /* Before it is copied: a scope that ends meanwhile has the rest of its time at the next look,
     * and no sum is less then than now. */
    uint64_t now = is_running ? ticks_now(&header) : a->last_ticks;
    for (int round = 0; round < ROUNDS; round++) {
        if (!read_header(a, &header))
            return flm_error_set(why, FLM_ERROR_FORMAT, "%s: the file ends in its header", a->link);
        if (header.used <= a->copy.size || header.used > header.size)
            break;
        size_t before = a->copy.size;
        if (!copy_until(a, header.used, why))
            return false;
        if (a->copy.size == before)
            break;
    }
    if (a->copy.size < sizeof header)
        return flm_error_set(why, FLM_ERROR_FORMAT, "%s: the file is damaged", a->link);
    a->last_ticks = now;
    if (is_running)
        flm_probe_copy_settle(a->copy.at, a->copy.size, now, read_again, a);
    memcpy(&header, a->copy.at, sizeof header);
    header.is_copy = is_running;
    if (header.state == FLM_PROBE_RUNNING && now > header.now_ticks)
        header.now_ticks = now;
    memcpy(a->copy.at, &header, sizeof header);
    if (is_running && !add_facts(a, why))
        return false;
    *file = (struct flm_bytes){a->copy.at, a->copy.size};
    return true;
}

bool flm_attached_begin_interval(struct flm_attached *a, struct flm_error *why)
{
    struct flm_bytes file;
    a->earlier.size = 0;
    if (!flm_attached_read(a, &file, why))
        return false;
    flm_text_add(&a->earlier, file);
    return !a->earlier.failed || flm_error_memory(why);
}

bool flm_attached_end_interval(struct flm_attached *a, struct flm_bytes *file,
                               struct flm_error *why)
{
    const struct flm_bytes earlier = {a->earlier.at, a->earlier.size};
    return flm_attached_read(a, file, why) &&
           flm_probe_subtract(a->copy.at, a->copy.size, earlier, why);
}
