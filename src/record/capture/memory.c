#include "record/capture/memory.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a file of /proc, terminated. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

bool flm_memory_of_process(const char *root, int32_t process, double *bytes)
{
    char path[256], text[128];
    unsigned long long size, resident;
    snprintf(path, sizeof path, "%s/proc/%d/statm", root, process);
    if (!read_text(path, text, sizeof text) || sscanf(text, "%llu %llu", &size, &resident) != 2)
        return false;
    *bytes = (double)resident * (double)sysconf(_SC_PAGESIZE);
    return resident > 0; /* one that ends has given up its memory before it is gone */
}

bool flm_memory_of_machine(const char *root, double *bytes)
{
    char path[256], text[512];
    unsigned long long total, available;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (!read_text(path, text, sizeof text))
        return false;
    const char *at_total = strstr(text, "MemTotal:"), *at_available = strstr(text, "MemAvailable:");
    if (!at_total || !at_available || sscanf(at_total, "MemTotal: %llu", &total) != 1 ||
        sscanf(at_available, "MemAvailable: %llu", &available) != 1 || available > total)
        return false;
    *bytes = (double)(total - available) * 1024;
    return true;
}

bool flm_memory_watch(struct flm_memory_watch *watch, struct flm_session *session, int64_t now_ns)
{
    assert(watch && watch->root && session);
    int32_t processes[FLM_MEMORY_PROCESSES];
    double bytes;
    if (watch->read_ns != 0 && now_ns - watch->read_ns < FLM_MEMORY_EVERY_NS)
        return true;
    watch->read_ns = now_ns;
    if (watch->machine)
        return !flm_memory_of_machine(watch->root, &bytes) ||
               flm_session_memory(session, -1, now_ns, bytes);
    size_t count = flm_session_processes(session, processes, FLM_MEMORY_PROCESSES);
    watch->left_out |= count > FLM_MEMORY_PROCESSES;
    for (size_t i = 0; i < count && i < FLM_MEMORY_PROCESSES; i++)
        if (flm_memory_of_process(watch->root, processes[i], &bytes) &&
            !flm_session_memory(session, processes[i], now_ns, bytes))
            return false;
    return true;
}
