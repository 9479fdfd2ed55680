#include "cli/common/memory_limit.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/core/bytes.h"
#include "base/number/number.h"
#include "os/thread/threads.h"

/* The beginning of a small file; false if it cannot be read. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* The number behind `key`, which begins the text or a line. */
static bool find_number(const char *text, const char *key, uint64_t *number)
{
    size_t size = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) != 0)
            continue;
        const char *digits = line + size + strspn(line + size, " ");
        struct flm_bytes number_text = {digits, strspn(digits, "0123456789")};
        return flm_number_parse_uint(number_text, number);
    }
    return false;
}

/* What a control group says of itself in one of its files. */
static bool read_number(const char *folder, const char *file, const char *key, uint64_t *number)
{
    char path[600], text[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_text(path, text, sizeof text) && find_number(text, key, number);
}

static uint64_t less(uint64_t from, uint64_t taken)
{
    return from > taken ? from - taken : 0;
}

/* Pages of files that were not used lately are given back before anybody is killed. */
static uint64_t room_of_group(const char *folder, bool is_unified, uint64_t swap)
{
    uint64_t limit, used, files, swap_limit, swap_used;
    if (!read_number(folder, is_unified ? "memory.max" : "memory.limit_in_bytes", "", &limit) ||
        !read_number(folder, is_unified ? "memory.current" : "memory.usage_in_bytes", "", &used))
        return UINT64_MAX; /* "max", or no such group here */
    if (!read_number(folder, "memory.stat", is_unified ? "inactive_file" : "total_inactive_file",
                     &files))
        files = 0;
    if (is_unified && read_number(folder, "memory.swap.max", "", &swap_limit) &&
        read_number(folder, "memory.swap.current", "", &swap_used) &&
        less(swap_limit, swap_used) < swap)
        swap = less(swap_limit, swap_used);
    return less(limit, less(used, files)) + swap;
}

/* The least room of the group and of all that it is in. `folder` is where groups begin, `path` that
 * of the group below it. In a container the path may be one of the host, which is not there: then
 * the folder itself is the group. */
static uint64_t room_of_groups(const char *folder, const char *path, size_t size, bool is_unified,
                               uint64_t swap)
{
    char group[512];
    uint64_t room = UINT64_MAX;
    for (;;) {
        snprintf(group, sizeof group, "%s%.*s", folder, (int)size, path);
        uint64_t here = room_of_group(group, is_unified, swap);
        room = here < room ? here : room;
        if (size == 0)
            return room;
        do
            size--;
        while (size > 0 && path[size] != '/');
    }
}

uint64_t flm_memory_room(const char *root)
{
    assert(root);
    char path[300], text[8192], folder[300];
    uint64_t available, swap = 0, room = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (read_text(path, text, sizeof text)) {
        swap = find_number(text, "SwapFree:", &swap) ? swap * 1024 : 0;
        if (find_number(text, "MemAvailable:", &available))
            room = available * 1024 + swap;
    }
    /* Lines "4:memory:/path" for version 1, "0::/path" for version 2. */
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!read_text(path, text, sizeof text))
        return room;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t size = strcspn(line, "\n");
        const char *controllers = memchr(line, ':', size);
        const char *group =
            controllers ? memchr(controllers + 1, ':', size - (size_t)(controllers + 1 - line))
                        : NULL;
        if (!group)
            continue;
        struct flm_bytes names = {controllers + 1, (size_t)(group - controllers - 1)};
        bool is_unified = names.size == 0;
        if (!is_unified && !flm_bytes_contain(names, "memory"))
            continue;
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, is_unified ? "" : "/memory");
        uint64_t here =
            room_of_groups(folder, group + 1, size - (size_t)(group + 1 - line), is_unified, swap);
        room = here < room ? here : room;
    }
    return room;
}

/* What the process has of data already, as a recorder at its end: the room is what comes on top. */
static uint64_t size_of_data(void)
{
    char text[200];
    unsigned long long pages = 0;
    return read_text("/proc/self/statm", text, sizeof text) &&
                   sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages) == 1
               ? pages * (uint64_t)sysconf(_SC_PAGESIZE)
               : 0;
}

/* The address space of a sanitizer's own data is terabytes, which are never used: a limit would be
 * passed before anything begins. */
static bool has_shadow(void)
{
    return size_of_data() > UINT64_C(1) << 40;
}

/* The stacks of the threads that read: all of them count as data, and little of them is used. */
static uint64_t size_of_stacks(void)
{
    const uint64_t one = 8 << 20,
                   most = 64; /* the usual size, and most of them: os/thread/threads.c */
    uint64_t processors = (uint64_t)flm_processor_count();
    return (processors < most ? processors : most) * one;
}

static bool set_limit(uint64_t bytes, uint64_t *before)
{
    assert(before);
    bytes += size_of_stacks();
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || has_shadow())
        return false;
    *before = limit.rlim_cur;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bytes)
        return false;
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

static void restore_limit(uint64_t before)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = before;
    setrlimit(RLIMIT_DATA, &limit);
}

/* Less is never the bound by itself: so much can nearly always be had, and most profiles need no
 * more. */
enum { LEAST = 256 << 20 };

/* The process has one limit, and this is what is known of it. */
static struct {
    bool was_begun, is_set;
    uint64_t bytes, before;
} limit;

/* What was read, for errors. */
static struct {
    unsigned long long profiles, stacks, frames;
} read_so_far;

/* "2G", "500M", "1073741824". */
static bool parse(const char *text, uint64_t *bytes)
{
    struct flm_bytes number = flm_bytes_of(text);
    const char units[] = "kmgt";
    unsigned shift = 0;
    if (number.size > 0) {
        const char *unit = memchr(units, number.at[number.size - 1] | 0x20, sizeof units - 1);
        shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
        number.size -= unit != NULL;
    }
    if (!flm_number_parse_uint(number, bytes) || *bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

bool flm_memory_limit_begin(struct flm_error *why)
{
    if (limit.is_set)
        return true;
    const char *wanted = getenv("FLAMEL_MEMORY");
    limit.bytes = UINT64_MAX;
    if (wanted && wanted[0]) {
        if (!parse(wanted, &limit.bytes))
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "FLAMEL_MEMORY is '%s': it must be a size, as 2G or 500M; 0 is "
                                 "no bound",
                                 wanted);
        limit.bytes = limit.bytes ? limit.bytes : UINT64_MAX;
    } else {
        limit.bytes = flm_memory_room("");
        limit.bytes = limit.bytes < LEAST ? LEAST : limit.bytes;
        if (limit.bytes != UINT64_MAX)
            limit.bytes += size_of_data();
    }
    limit.was_begun = true;
    limit.is_set = limit.bytes != UINT64_MAX && set_limit(limit.bytes, &limit.before);
    return true;
}

void flm_memory_limit_end(void)
{
    if (limit.is_set)
        restore_limit(limit.before);
    limit.is_set = false;
}

void flm_memory_limit_again(void)
{
    if (limit.was_begun)
        flm_memory_limit_begin(NULL);
}

void flm_memory_limit_read(const struct flm_profile *profile)
{
    if (!profile) {
        read_so_far.profiles = read_so_far.stacks = read_so_far.frames = 0;
        return;
    }
    read_so_far.profiles++;
    read_so_far.stacks += flm_profile_node_count(profile) - 1;
    read_so_far.frames += flm_profile_frame_count(profile) - 1;
}

static const char *plural(unsigned long long count)
{
    return count == 1 ? "" : "s";
}

/* What says nothing but that: an operation does not know what else there is. */
static void explain_operation(struct flm_error *why)
{
    char sentence[300];
    if (!read_so_far.profiles) {
        flm_error_add(why, ": it takes a machine with more");
        return;
    }
    snprintf(sentence, sizeof sentence,
             " for what is made of %llu profile%s with %llu stack%s and %llu function%s: merge "
             "frames first (--apply by:module), read parts of the input, or use a machine with "
             "more",
             read_so_far.profiles, plural(read_so_far.profiles), read_so_far.stacks,
             plural(read_so_far.stacks), read_so_far.frames, plural(read_so_far.frames));
    flm_error_add(why, sentence);
}

void flm_memory_limit_explain(struct flm_error *why)
{
    char sentence[120];
    if (!why || why->kind != FLM_ERROR_MEMORY)
        return;
    if (flm_bytes_end_with(flm_bytes_of(why->text), "out of memory"))
        explain_operation(why);
    if (!limit.is_set)
        return;
    snprintf(sentence, sizeof sentence, " (the bound is %llu MB: FLAMEL_MEMORY in flamel(1))",
             (unsigned long long)(limit.bytes / 1000000));
    flm_error_add(why, sentence);
}
