#include "record/runtime/pid_namespace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NSpid has a number for each namespace, the innermost one last. */
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
