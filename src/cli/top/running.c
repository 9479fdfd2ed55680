#include "cli/top/running.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/core/bytes.h"
#include "base/number/number.h"

enum { LONGEST_COMM = 15 };

static bool is_named(const char *root, int32_t process, const char *name)
{
    char path[4200], found[LONGEST_COMM + 2] = "";
    snprintf(path, sizeof path, "%s/proc/%d/comm", root, process);
    FILE *file = fopen(path, "re");
    bool has_name = file && fgets(found, sizeof found, file);
    if (file)
        fclose(file);
    found[strcspn(found, "\n")] = 0;
    return has_name && strncmp(found, name, LONGEST_COMM) == 0;
}

size_t flm_running_named(const char *root, const char *name, int32_t *first)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *processes = opendir(path);
    size_t count = 0;
    *first = INT32_MAX;
    for (const struct dirent *entry; processes && (entry = readdir(processes));) {
        uint64_t process;
        if (!flm_number_parse_uint(flm_bytes_of(entry->d_name), &process) || process > INT32_MAX ||
            !is_named(root, (int32_t)process, name))
            continue;
        count++;
        *first = (int32_t)process < *first ? (int32_t)process : *first;
    }
    if (processes)
        closedir(processes);
    return count;
}
