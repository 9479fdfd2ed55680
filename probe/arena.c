/* arena.c - the shared file. */
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STEP = 1 << 20 };
#define MOST_BYTES ((uint64_t)1 << 30)

/* A file above the limit would be a signal. */
static uint64_t most_bytes(void)
{
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited && limit.rlim_cur < MOST_BYTES ? limit.rlim_cur / STEP * STEP : MOST_BYTES;
}

static int allocate(int file, uint64_t at)
{
    int reason;
    do
        reason = posix_fallocate(file, (off_t)at, STEP);
    while (reason == EINTR);
    return reason;
}

bool flm_arena_has_file(const struct flm_arena *arena)
{
    struct stat now;
    int error = errno;
    bool has = arena->file >= 0 && fstat(arena->file, &now) == 0 && now.st_dev == arena->device &&
               now.st_ino == arena->inode;
    errno = error;
    return has;
}

int flm_file_aside(int file)
{
    static const int least[] = {400, 256, 100, 20, 3};
    for (size_t i = 0; file >= 0 && i < sizeof least / sizeof least[0]; i++) {
        int moved = fcntl(file, F_DUPFD_CLOEXEC, least[i]);
        if (moved < 0)
            continue;
        close(file);
        return moved;
    }
    return file;
}

/* A child of vfork has this memory, and files of its own: what it closed is still the parent's. */
static bool is_of_another_process(const struct flm_arena *arena)
{
    return arena->header->pid > 0 && arena->header->pid != (uint32_t)syscall(SYS_getpid);
}

static bool grow(struct flm_arena *arena, uint64_t size)
{
    while (arena->ready < size && !arena->is_full) {
        bool has_file = flm_arena_has_file(arena);
        if (!has_file && is_of_another_process(arena))
            return false;
        arena->is_full = !has_file || arena->ready + STEP > arena->header->size ||
                         allocate(arena->file, arena->ready) != 0;
        if (!arena->is_full)
            arena->ready += STEP;
    }
    return arena->ready >= size;
}

/* Only a file is replaced, not a device or a pipe. */
static int create(const char *path)
{
    struct stat old;
    if (lstat(path, &old) == 0) {
        if (!S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) {
            errno = S_ISDIR(old.st_mode) ? EISDIR : EINVAL;
            return -1;
        }
        unlink(path);
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

bool flm_arena_open(struct flm_arena *arena, const char *path)
{
    int reason;
    uint64_t most = most_bytes();
    *arena = (struct flm_arena){.file = -1};
    struct stat made;
    arena->file = flm_file_aside(path ? create(path) : memfd_create("flamel-probe", MFD_CLOEXEC));
    if (arena->file < 0 || fstat(arena->file, &made) != 0)
        return false;
    arena->device = made.st_dev;
    arena->inode = made.st_ino;
    if (most == 0 || (reason = allocate(arena->file, 0)) != 0) {
        errno = most == 0 ? EFBIG : reason;
        close(arena->file);
        return false;
    }
    void *base = flm_memory_map(most, MAP_SHARED | MAP_NORESERVE, arena->file);
    if (!base) {
        close(arena->file);
        return false;
    }
    arena->base = base;
    arena->header = base;
    arena->ready = STEP;
    *arena->header = (struct flm_probe_header){
        .version = FLM_PROBE_VERSION,
        .header_size = sizeof *arena->header,
        .size = most,
        .used = (sizeof *arena->header + FLM_PROBE_UNIT - 1) / FLM_PROBE_UNIT * FLM_PROBE_UNIT,
    };
    return true;
}

void flm_arena_end(struct flm_arena *arena)
{
    enum { PAGE = 4096 };
    uint64_t size = (arena->header->used + PAGE - 1) / PAGE * PAGE;
    arena->ready = 0;
    arena->is_full = true;
    if (flm_arena_has_file(arena)) {
        if (size <= (uint64_t)lseek(arena->file, 0, SEEK_END) &&
            ftruncate(arena->file, (off_t)size) != 0) {
            /* It keeps some room behind its end. */
        }
        close(arena->file);
    }
    arena->file = -1;
}

static uint64_t take_bytes(struct flm_arena *arena, size_t size)
{
    uint64_t at = arena->header->used;
    if (!grow(arena, at + size))
        return 0;
    __atomic_store_n(&arena->header->used, at + size, __ATOMIC_RELEASE);
    return at;
}

uint32_t flm_arena_take(struct flm_arena *arena, size_t size)
{
    size_t units = (size + FLM_PROBE_UNIT - 1) / FLM_PROBE_UNIT;
    return (uint32_t)(take_bytes(arena, units * FLM_PROBE_UNIT) / FLM_PROBE_UNIT);
}

uint64_t flm_arena_add_text(struct flm_arena *arena, const char *text, size_t size)
{
    size_t units = (size + FLM_PROBE_UNIT - 1) / FLM_PROBE_UNIT;
    uint64_t at = size > 0 ? take_bytes(arena, units * FLM_PROBE_UNIT) : 0;
    if (at > 0)
        memcpy(arena->base + at, text, size);
    return at;
}
