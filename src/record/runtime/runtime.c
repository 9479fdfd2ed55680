#include "record/runtime/runtime.h"

#include <assert.h>
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

void flm_runtime_search_clear(struct flm_runtime_search *search)
{
    for (size_t i = 0; i < search->found.count; i++) {
        flm_jit_code_free(search->found.at[i].code);
        free(search->found.at[i].path.at);
    }
    FLM_ARRAY_CLEAR(&search->found);
}

/* Takes the code. */
static bool keep(struct flm_runtime_search *search, struct flm_jit_code *code, const char *path)
{
    if (!FLM_ARRAY_RESERVE(&search->found, 1)) {
        flm_jit_code_free(code);
        return false;
    }
    struct flm_runtime_names *names = &search->found.at[search->found.count++];
    names->code = code;
    return flm_owned_string_init(&names->path, flm_bytes_of(path));
}

/* The user of a process, if it still runs; else ours. */
static uid_t user_of(const struct flm_runtime_search *search)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", search->process);
    return search->live && stat(path, &status) == 0 ? status.st_uid : geteuid();
}

/* A file from before the recording may be of an earlier process with the same number, or of one
 * that compiled everything before. That cannot be known, so it is reported. */
static void doubt_old(const struct flm_runtime_search *search, const struct stat *status)
{
    enum { SECOND = 1000000000 };
    if (search->oldest_ns == FLM_NO_TIME)
        return;
    int64_t seconds = (flm_now_ns() - search->oldest_ns) / SECOND; /* ago */
    if (status->st_mtim.tv_sec < flm_clock_ns(CLOCK_REALTIME) / SECOND - seconds - 2)
        search->report.lost(search->report.session,
                            "certainty about perf maps older than the recording", 1);
}

/* Opens a regular file that belongs to root, to us, or to the user of the process, since anybody
 * may create files in /tmp. -1: there is none. */
static int open_trusted(const struct flm_runtime_search *search, const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        if (status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == user_of(search)) {
            doubt_old(search, &status);
            return file;
        }
        search->report.lost(search->report.session,
                            "perf maps and jitdumps of another user (not trusted)", 1);
    }
    close(file);
    return -1;
}

bool flm_runtime_try_file(struct flm_runtime_search *search, const char *path,
                          flm_runtime_reader read, bool *exists)
{
    assert(path && read && exists);
    struct flm_error why = {0};
    char opened[64];
    int file = open_trusted(search, path);
    *exists = file >= 0;
    if (file < 0)
        return true;
    /* By its descriptor: the path may name another file by now. */
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", file);
    struct flm_input *input = flm_input_open(opened, &why);
    if (input && flm_source_all(flm_input_source(input), &why)) {
        struct flm_source *source = flm_input_source(input);
        struct flm_bytes bytes = {source->at, (size_t)(source->end - source->at)};
        struct flm_jit_code *code = read(&search->report, bytes, &why);
        if (code && !keep(search, code, path))
            flm_error_memory(&why);
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
