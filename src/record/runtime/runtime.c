#include "record/runtime/runtime.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text/text.h"
#include "os/clock.h"
#include "os/input.h"
#include "os/regular_file.h"
#include "record/runtime/proc_stat.h"

enum { SECOND = 1000000000 };

void flm_runtime_search_clear(struct flm_runtime_search *search)
{
    for (size_t i = 0; i < search->found.count; i++) {
        flm_jit_code_free(search->found.at[i].code);
        flm_input_close(search->found.at[i].file);
    }
    FLM_ARRAY_CLEAR(&search->found);
    search->refused.is_there = false;
}

struct flm_bytes flm_runtime_found_bytes(const struct flm_runtime_found *found)
{
    const struct flm_source *source = flm_input_source(found->file);
    return (struct flm_bytes){source->at, (size_t)(source->end - source->at)};
}

/* The user of a process, if it still runs; else ours. */
static uid_t user_of(const struct flm_runtime_search *search)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", search->process);
    return search->live && stat(path, &status) == 0 ? status.st_uid : geteuid();
}

/* How many seconds ago a process started that still runs; -1: unknown. */
static int64_t find_age_s(int32_t process)
{
    struct flm_proc_stat stat;
    if (!flm_proc_stat_read("", process, 0, &stat) || stat.start_ticks < 0)
        return -1;
    return flm_clock_ns(CLOCK_BOOTTIME) / SECOND - stat.start_ticks / sysconf(_SC_CLK_TCK);
}

static int64_t process_age_s(const struct flm_runtime_search *search)
{
    /* Events have the time since boot without that in which the machine was suspended: at most this
     * long ago. */
    if (search->started_ns != FLM_NO_TIME)
        return (flm_clock_ns(CLOCK_BOOTTIME) - search->started_ns) / SECOND;
    return search->live ? find_age_s(search->process) : -1;
}

/* Whether a file is of an earlier process with the same number: it was written last before this one
 * started. Where that is unknown, and the file is older than the recording, the doubt is reported:
 * its process may also have compiled everything before. */
static bool is_of_earlier_process(const struct flm_runtime_search *search,
                                  const struct stat *status)
{
    enum { TOLERANCE = 2 }; /* clocks are set, and file systems may be coarse */
    int64_t file_age_s = flm_clock_ns(CLOCK_REALTIME) / SECOND - status->st_mtim.tv_sec;
    int64_t age_s = process_age_s(search);
    if (!search->local)
        return false; /* other clocks */
    if (age_s >= 0)
        return file_age_s > age_s + TOLERANCE;
    if (search->oldest_ns != FLM_NO_TIME &&
        file_age_s > (flm_clock_ns(CLOCK_BOOTTIME) - search->oldest_ns) / SECOND + TOLERANCE)
        search->report.lost(search->report.session,
                            "certainty about perf maps older than the recording", 1);
    return false;
}

/* Returns false. Below the root of a process is the same file as where we see it: reported once. */
static bool refuse(struct flm_runtime_search *search, const struct stat *status, const char *reason)
{
    bool is_known = search->refused.is_there && search->refused.device == status->st_dev &&
                    search->refused.inode == status->st_ino;
    if (!is_known)
        search->report.lost(search->report.session, reason, 1);
    search->refused.is_there = true;
    search->refused.device = status->st_dev;
    search->refused.inode = status->st_ino;
    return false;
}

static bool is_trusted(struct flm_runtime_search *search, const struct stat *status,
                       bool is_users_choice)
{
    if (!S_ISREG(status->st_mode))
        return false;
    if (status->st_uid != 0 && status->st_uid != geteuid() && status->st_uid != user_of(search))
        return refuse(search, status, "perf maps and jitdumps of another user (not trusted)");
    if (!is_users_choice && is_of_earlier_process(search, status))
        return refuse(search, status, "perf maps and jitdumps older than their process (not used)");
    return true;
}

/* Opens a regular file that belongs to root, to us, or to the user of the process, since anybody
 * may create files in /tmp. -1: there is none. */
static int open_trusted(struct flm_runtime_search *search, const char *path, bool is_users_choice)
{
    struct stat status;
    int file = flm_regular_file_open(path);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && is_trusted(search, &status, is_users_choice))
        return file;
    close(file);
    return -1;
}

/* In a folder of --symbols, where the user has put it. */
static bool is_in_symbol_dir(const struct flm_runtime_search *search, const char *path)
{
    for (size_t i = 0; i < search->dir_count; i++) {
        size_t size = strlen(search->dirs[i]);
        if (strncmp(path, search->dirs[i], size) == 0 && path[size] == '/')
            return true;
    }
    return false;
}

bool flm_runtime_try_file(struct flm_runtime_search *search, const char *path,
                          flm_runtime_reader read, bool *exists)
{
    assert(path && read && exists);
    struct flm_error why = {0};
    char opened[64];
    int file = open_trusted(search, path, is_in_symbol_dir(search, path));
    *exists = file >= 0;
    if (file < 0)
        return true;
    /* By its descriptor: the path may name another file by now. */
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", file);
    struct flm_input *input = flm_input_open(opened, &why);
    if (input && flm_source_all(flm_input_source(input), &why)) {
        struct flm_runtime_found found = {.file = input};
        found.code = read(&search->report, flm_runtime_found_bytes(&found), &why);
        if (found.code && FLM_ARRAY_ADD(&search->found, found)) {
            input = NULL;
        } else if (found.code) {
            flm_jit_code_free(found.code);
            flm_error_memory(&why);
        }
    }
    flm_input_close(input);
    close(file);
    return why.kind != FLM_ERROR_MEMORY;
}

/* NSpid has a number for each PID namespace, the innermost last. */
int32_t flm_namespace_number(int32_t process, int32_t thread)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/status", process, thread);
    FILE *file = fopen(path, "re");
    int32_t inner = thread;
    while (file && fgets(line, sizeof line, file)) {
        const char *last = strncmp(line, "NSpid:", 6) == 0 ? strrchr(line, '\t') : NULL;
        if (last)
            inner = (int32_t)strtol(last + 1, NULL, 10);
    }
    if (file)
        fclose(file);
    return inner;
}

int32_t flm_thread_of_namespace(int32_t process, int32_t inner)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    int32_t found = inner;
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        int32_t thread = (int32_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && flm_namespace_number(process, thread) == inner) {
            found = thread;
            break;
        }
    }
    if (tasks)
        closedir(tasks);
    return found;
}
