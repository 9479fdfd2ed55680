#include "record/runtime/proc_stat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool flm_proc_stat_read(const char *root, int32_t process, int32_t thread,
                        struct flm_proc_stat *stat)
{
    char path[256], text[1024];
    if (thread)
        snprintf(path, sizeof path, "%s/proc/%d/task/%d/stat", root, process, thread);
    else
        snprintf(path, sizeof path, "%s/proc/%d/stat", root, process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = 0;
    const char *name_end = strrchr(text, ')');
    *stat = (struct flm_proc_stat){.start_ticks = -1};
    /* The fields 3, 4, 20 and 22. */
    return name_end && sscanf(name_end,
                              ") %c %" SCNd32 " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                              "%*s %*s %*s %" SCNd32 " %*s %" SCNd64,
                              &stat->state, &stat->parent, &stat->threads, &stat->start_ticks) >= 1;
}

bool flm_process_runs(int32_t process)
{
    struct flm_proc_stat stat;
    if (!flm_proc_stat_read("", process, 0, &stat))
        return false;
    bool has_first = stat.state != 'Z' && stat.state != 'X';
    return has_first || stat.threads > 1;
}
