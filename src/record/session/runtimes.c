#include "record/session/runtimes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/input.h"
#include "record/runtime/pid_namespace.h"

void flm_runtimes_clear(struct flm_runtimes *r)
{
    for (size_t i = 0; i < r->count; i++) {
        flm_jit_code_free(r->items[i].code);
        free(r->items[i].path.at);
    }
    free(r->items);
    *r = (struct flm_runtimes){0};
}

/* Takes the code. */
static bool keep(struct flm_runtimes *r, struct flm_jit_code *code, const char *path)
{
    void *items = r->items;
    if (!flm_grow(&items, &r->capacity, r->count + 1, sizeof *r->items)) {
        flm_jit_code_free(code);
        return false;
    }
    r->items = items;
    struct flm_runtime *runtime = &r->items[r->count++];
    runtime->code = code;
    return flm_owned_string_init(&runtime->path, flm_bytes_of(path));
}

typedef struct flm_jit_code *(*code_reader)(struct flm_session *s, struct flm_bytes bytes,
                                            struct flm_error *why);

static struct flm_jit_code *read_map(struct flm_session *s, struct flm_bytes bytes,
                                     struct flm_error *why)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_perf_map_read(bytes, &losses);
    if (!code)
        flm_error_memory(why);
    flm_session_lost(s, "lines of perf maps that cannot be read", (double)losses.regions);
    return code;
}

static struct flm_jit_code *read_dump(struct flm_session *s, struct flm_bytes bytes,
                                      struct flm_error *why)
{
    struct flm_jit_losses losses;
    struct flm_jit_code *code = flm_jitdump_read(bytes, &losses, why);
    if (!code && why->kind != FLM_ERROR_MEMORY)
        flm_session_lost(s, "jitdumps that cannot be read", 1);
    flm_session_lost(s, "records of jitdumps that cannot be read", (double)losses.regions);
    flm_session_lost(s, "ends of jitdumps that are cut off", losses.cut);
    return code;
}

/* Whom a process belongs to, if it still runs; else us. */
static uid_t user_of(const struct flm_session *s, int32_t process)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", process);
    return s->options.live && stat(path, &status) == 0 ? status.st_uid : geteuid();
}

/* A map that was written before recording began may be of a process that had the number before; or
 * of one that had compiled all it needs. We cannot tell, so we say it. */
static void doubt_old(struct flm_session *s, const struct stat *status)
{
    enum { SECOND = 1000000000 };
    struct timespec now, since_boot;
    if (s->oldest_ns == FLM_NO_TIME || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
        clock_gettime(CLOCK_MONOTONIC, &since_boot) != 0)
        return;
    int64_t seconds = since_boot.tv_sec - s->oldest_ns / SECOND; /* ago */
    if (status->st_mtim.tv_sec < now.tv_sec - seconds - 2)
        flm_session_lost(s, "certainty of perf maps that are older than the recording", 1);
}

/* Opens a plain file that belongs to root, to us, or to whom the process belongs: anybody may put
 * files into /tmp, and names in a profile are believed. -1: there is none. */
static int open_trusted(struct flm_session *s, int32_t process, const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -1;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        if (status.st_uid == 0 || status.st_uid == geteuid() ||
            status.st_uid == user_of(s, process)) {
            doubt_old(s, &status);
            return file;
        }
        flm_session_lost(s, "perf maps and jitdumps that belong to another user, not used", 1);
    }
    close(file);
    return -1;
}

/* What the file at the path tells; `found` receives whether there is one. False when memory ran
 * out. */
static bool try_file(struct flm_runtimes *r, struct flm_session *s, int32_t process,
                     const char *path, code_reader read, bool *found)
{
    struct flm_error why = {0};
    char opened[64];
    int file = open_trusted(s, process, path);
    *found = file >= 0;
    if (file < 0)
        return true;
    /* By its descriptor: a name may be another file by now. */
    snprintf(opened, sizeof opened, "/proc/self/fd/%d", file);
    struct flm_input *input = flm_input_open(opened, &why);
    if (input && flm_source_all(flm_input_source(input), &why)) {
        struct flm_source *source = flm_input_source(input);
        struct flm_bytes bytes = {source->at, (size_t)(source->end - source->at)};
        struct flm_jit_code *code = read(s, bytes, &why);
        if (code && !keep(r, code, path))
            flm_error_memory(&why);
    }
    flm_input_close(input);
    close(file);
    return why.kind != FLM_ERROR_MEMORY;
}

static bool find_map(struct flm_runtimes *r, struct flm_session *s, int32_t process)
{
    char path[4096];
    bool found = false;
    const struct flm_modules_options *symbols = &s->options.symbols;
    for (size_t i = 0; i < symbols->symbol_dir_count && !found; i++) {
        snprintf(path, sizeof path, "%s/perf-%d.map", symbols->symbol_dirs[i], process);
        if (!try_file(r, s, process, path, read_map, &found))
            return false;
    }
    if (!found && s->options.live) {
        snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", process,
                 flm_namespace_number(process, process));
        if (!try_file(r, s, process, path, read_map, &found))
            return false;
    }
    /* Another machine's process of that number is not ours. */
    if (!s->options.live && !s->options.kernel_is_ours)
        return true;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", process);
    return found || try_file(r, s, process, path, read_map, &found);
}

bool flm_runtimes_find(struct flm_runtimes *r, struct flm_session *s, int32_t process)
{
    *r = (struct flm_runtimes){0};
    bool good = true, found;
    for (size_t i = 0; i < s->dump_count && good; i++) {
        if (s->dumps[i].process != process)
            continue;
        char path[4096];
        snprintf(path, sizeof path, "/proc/%d/root%s", process, s->dumps[i].path.at);
        found = false;
        good = (!s->options.live || try_file(r, s, process, path, read_dump, &found)) &&
               (found || try_file(r, s, process, s->dumps[i].path.at, read_dump, &found));
        if (good && !found)
            flm_session_lost(s, "jitdumps that are not there any more", 1);
    }
    good = good && find_map(r, s, process);
    if (!good)
        flm_runtimes_clear(r);
    return good;
}
