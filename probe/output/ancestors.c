/* ancestors.c - a program that another measured one runs: both have the same FLAMEL, and would
 * write the same files.
 *
 * Nothing is put into the environment to tell: the program could see it. The kernel says who runs
 * whom, with which environment, and what they have mapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static FILE *open_of(long pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    return fopen(path, "re");
}

/* "4711 (name) S 4710 ..."; the name may have anything in it. 0: there is none. */
static long parent_of(long pid)
{
    char text[512];
    FILE *file = open_of(pid, "stat");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *at = strrchr(text, ')');
    return at && strlen(at) > 4 ? strtol(at + 4, NULL, 10) : 0;
}

static bool has_variable(long pid, const char *wanted)
{
    char *variable = NULL;
    size_t room = 0;
    bool found = false;
    FILE *file = open_of(pid, "environ");
    while (file && !found && getdelim(&variable, &room, 0, file) > 0)
        found = strcmp(variable, wanted) == 0;
    free(variable);
    if (file)
        fclose(file);
    return found;
}

/* A line of maps ends with the path of a file; the setting may be relative. */
static bool ends_with_path(const char *name, const char *path)
{
    size_t size = strcspn(name, "\n"), wanted = strlen(path);
    return wanted > 0 && size >= wanted && memcmp(name + size - wanted, path, wanted) == 0 &&
           (*path == '/' ? size == wanted : size > wanted && name[size - wanted - 1] == '/');
}

/* It measures: its memory has the library, or what it measures into. */
static bool is_measured(long pid)
{
    char line[FLM_MOST_PATH + 128];
    bool found = false;
    FILE *file = open_of(pid, "maps");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *name = strchr(line, '/');
        found = name && (strstr(name, "libflamel-probe.so") || strstr(name, "memfd:flamel-probe") ||
                         ends_with_path(name, flm_settings.path));
    }
    if (file)
        fclose(file);
    return found;
}

bool flm_is_run_by_measured(const char *text)
{
    enum { MOST = 64 };
    char variable[FLM_MOST_PATH];
    long pid = (long)getppid();
    int size = snprintf(variable, sizeof variable, "FLAMEL=%s", text);
    if (size <= 0 || (size_t)size >= sizeof variable)
        return false;
    for (int i = 0; i < MOST && pid > 0; i++, pid = parent_of(pid))
        if (has_variable(pid, variable) && is_measured(pid))
            return true;
    return false;
}
