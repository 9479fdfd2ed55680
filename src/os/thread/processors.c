#include "os/thread/processors.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number/number.h"

size_t flm_processors_parse(struct flm_bytes list, int *processors, size_t capacity)
{
    assert(processors || capacity == 0);
    size_t count = 0;
    while (list.size > 0 && list.at[list.size - 1] == '\n')
        list.size--;
    while (list.size > 0) {
        const char *comma = memchr(list.at, ',', list.size);
        struct flm_bytes range = {list.at, comma ? (size_t)(comma - list.at) : list.size};
        const char *dash = range.size ? memchr(range.at, '-', range.size) : NULL;
        uint64_t first, last;
        struct flm_bytes low = {range.at, dash ? (size_t)(dash - range.at) : range.size};
        if (!flm_number_parse_uint(low, &first))
            return 0;
        last = first;
        if (dash &&
            !flm_number_parse_uint((struct flm_bytes){dash + 1, range.size - low.size - 1}, &last))
            return 0;
        if (first > last || last >= FLM_PROCESSORS_MOST)
            return 0;
        for (uint64_t i = first; i <= last && count < capacity; i++)
            processors[count++] = (int)i;
        list.at += range.size + (comma != NULL);
        list.size -= range.size + (comma != NULL);
    }
    return count;
}

static size_t read_processors(const char *path, int *processors, size_t capacity)
{
    char text[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text);
    if (file >= 0)
        close(file);
    return size <= 0
               ? 0
               : flm_processors_parse((struct flm_bytes){text, (size_t)size}, processors, capacity);
}

size_t flm_processors_find(const char *root, int *processors, size_t capacity)
{
    assert(root && processors);
    char path[256];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/online", root);
    size_t count = read_processors(path, processors, capacity);
    if (count > 0)
        return count;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < online && count < capacity; i++)
        processors[count++] = (int)i;
    return count;
}

size_t flm_processors_allowed(int *processors, size_t capacity)
{
    cpu_set_t allowed;
    size_t count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return flm_processors_find("", processors, capacity);
    for (int i = 0; i < CPU_SETSIZE && count < capacity; i++)
        if (CPU_ISSET((unsigned)i, &allowed))
            processors[count++] = i;
    return count;
}

void flm_processors_add(struct flm_text *out, const int *processors, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && processors[end] == processors[end - 1] + 1; end++)
            ;
        flm_text_format(out, "%s%d", i > 0 ? "," : "", processors[i]);
        if (end > i + 1)
            flm_text_format(out, "-%d", processors[end - 1]);
    }
}

uint64_t flm_processors_unit(const char *root, int processor)
{
    assert(root);
    char path[512];
    snprintf(path, sizeof path, "%s/sys/bus/event_source/devices", root);
    DIR *units = opendir(path);
    uint64_t found = 0;
    for (struct dirent *unit; units && found == 0 && (unit = readdir(units));) {
        int processors[1024];
        if (unit->d_name[0] == '.' || strncmp(unit->d_name, "uncore", 6) == 0)
            continue;
        snprintf(path, sizeof path, "%s/sys/bus/event_source/devices/%.200s/cpus", root,
                 unit->d_name);
        size_t count = read_processors(path, processors, 1024);
        for (size_t i = 0; i < count && found == 0; i++) {
            char digits[32];
            snprintf(path, sizeof path, "%s/sys/bus/event_source/devices/%.200s/type", root,
                     unit->d_name);
            int file = processors[i] == processor ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            if (file < 0)
                continue;
            ssize_t size = read(file, digits, sizeof digits);
            close(file);
            while (size > 0 && digits[size - 1] == '\n')
                size--;
            if (size <= 0 ||
                !flm_number_parse_uint((struct flm_bytes){digits, (size_t)size}, &found))
                found = 0;
        }
    }
    if (units)
        closedir(units);
    return found;
}
