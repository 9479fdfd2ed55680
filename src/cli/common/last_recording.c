#include "cli/common/last_recording.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/messages.h"

/* Among files of one moment: 0 is first; -1: this is no recording. */
static int rank_of(const char *name)
{
    if (strcmp(name, "flamel.flm") == 0)
        return 0;
    if (strcmp(name, "perf.data") == 0)
        return 1;
    struct flm_bytes all = flm_bytes_of(name);
    return name[0] != '.' && flm_bytes_end_with(all, ".flm") ? 2 : -1;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static void name_in(const char *folder, const char *name, struct flm_text *path)
{
    path->size = 0;
    if (strcmp(folder, ".") != 0)
        flm_text_format(path, "%s/", folder);
    flm_text_puts(path, name);
    flm_text_putc(path, 0);
}

bool flm_last_recording(const char *folder, struct flm_text *path, struct flm_error *why)
{
    struct flm_text name = {0};
    struct timespec best_time = {0};
    int best = -1;
    path->size = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat file;
        int rank = rank_of(entry->d_name);
        if (rank < 0)
            continue;
        name_in(folder, entry->d_name, &name);
        if (name.failed || stat(name.at, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0)
            continue;
        bool newer = best < 0 || is_newer(&file.st_mtim, &best_time);
        bool older = best >= 0 && is_newer(&best_time, &file.st_mtim);
        if (!newer && (older || rank > best || (rank == best && strcmp(name.at, path->at) > 0)))
            continue;
        best = rank;
        best_time = file.st_mtim;
        name_in(folder, entry->d_name, path);
        if (path->failed)
            break;
    }
    closedir(entries);
    bool failed = name.failed || path->failed;
    flm_text_clear(&name);
    if (failed)
        return flm_error_memory(why);
    return best >= 0 ||
           flm_error_set(why, FLM_ERROR_USAGE,
                         "there is no recording in this folder (flamel.flm, another .flm file, "
                         "perf.data): name a file, or make one: flamel record -- ./app");
}

const char *flm_last_recording_taken(struct flm_text *path, bool quiet)
{
    struct flm_error why;
    struct stat input;
    if (!flm_last_recording(".", path, &why)) {
        flm_message_error(&why);
        return NULL;
    }
    /* perf script | flamel report: that was meant to be read. */
    bool is_piped = fstat(STDIN_FILENO, &input) == 0 && S_ISFIFO(input.st_mode);
    if (!quiet)
        flm_message("%s is the last recording here%s", path->at,
                    is_piped ? " ('-' reads standard input)" : "");
    return path->at;
}
