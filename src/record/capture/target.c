#include "record/capture/target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/core/bytes.h"
#include "base/number/number.h"
#include "record/runtime/proc_stat.h"

/* ---- Tasks that exist ------------------------------------------------------------------------ */

bool flm_tasks_add(struct flm_tasks *tasks, int32_t task)
{
    for (size_t i = 0; i < tasks->count; i++)
        if (tasks->at[i] == task)
            return true;
    return FLM_ARRAY_ADD(tasks, task);
}

void flm_tasks_clear(struct flm_tasks *tasks)
{
    free(tasks->at);
    *tasks = (struct flm_tasks){0};
}

/* Adds the tasks that the folder lists now; returns whether there was a new one. -1: no such
 * folder. -2: memory ran out. */
static int add_listed(struct flm_tasks *tasks, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    size_t before = tasks->count;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(folder));) {
        uint64_t task;
        if (flm_number_parse_uint(flm_bytes_of(entry->d_name), &task) && task <= INT32_MAX)
            good = flm_tasks_add(tasks, (int32_t)task);
    }
    closedir(folder);
    return !good ? -2 : tasks->count > before;
}

bool flm_tasks_of_process(struct flm_tasks *tasks, int32_t process, const char *root,
                          struct flm_error *why)
{
    enum { MOST_SCANS = 64 }; /* of a process that starts threads all the time */
    char path[256];
    snprintf(path, sizeof path, "%s/proc/%d/task", root, process);
    int change = add_listed(tasks, path);
    if (change == -1)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "there is no process %d", process);
    for (int i = 0; i < MOST_SCANS && change == 1; i++)
        change = add_listed(tasks, path);
    return change != -2 || flm_error_memory(why);
}

int32_t flm_task_process(int32_t task, const char *root, struct flm_error *why)
{
    char path[256], line[256];
    snprintf(path, sizeof path, "%s/proc/%d/status", root, task);
    FILE *status = fopen(path, "re");
    int32_t process = -1;
    while (status && process < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, "Tgid:", 5) == 0)
            process = (int32_t)strtol(line + 5, NULL, 10);
    if (status)
        fclose(status);
    if (process < 0)
        flm_error_set(why, FLM_ERROR_SYSTEM, "there is no thread %d", task);
    return process;
}

/* ---- Processes that processes started -------------------------------------------------------- */

/* A process and its parent. */
struct kin {
    int32_t process, parent;
};

struct kin_list FLM_ARRAY(struct kin);

/* False when memory ran out. */
static bool list_kin(struct kin_list *list, const char *root)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    bool good = true;
    for (struct dirent *entry; folder && good && (entry = readdir(folder));) {
        uint64_t process;
        if (!flm_number_parse_uint(flm_bytes_of(entry->d_name), &process) || process > INT32_MAX)
            continue;
        struct flm_proc_stat stat;
        if (flm_proc_stat_read(root, (int32_t)process, 0, &stat))
            good = FLM_ARRAY_ADD(list, ((struct kin){(int32_t)process, stat.parent}));
    }
    if (folder)
        closedir(folder);
    return good;
}

static bool is_in(const struct flm_tasks *tasks, int32_t task)
{
    for (size_t i = 0; tasks && i < tasks->count; i++)
        if (tasks->at[i] == task)
            return true;
    return false;
}

bool flm_tasks_add_descendants(struct flm_tasks *processes, const struct flm_tasks *except,
                               const char *root)
{
    struct kin_list list = {0};
    bool good = list_kin(&list, root);
    /* What is added at the end is a parent too. */
    for (size_t i = 0; good && i < processes->count; i++)
        for (size_t k = 0; good && k < list.count; k++)
            if (list.at[k].parent == processes->at[i] && !is_in(except, list.at[k].process))
                good = flm_tasks_add(processes, list.at[k].process);
    FLM_ARRAY_CLEAR(&list);
    return good;
}
