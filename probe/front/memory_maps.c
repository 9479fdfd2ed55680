/* memory_maps.c - in front of mmap and munmap: calls and bytes, at a site of their own in the open
 * node, since what an allocator maps for its blocks is no allocation. Those of the C library itself
 * do not come here. Runs inside malloc.
 *
 * The system is called at once: allocators map memory when nothing can be looked up yet. */
#include "memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct flm_site mapped = {.name = "mmap", .kind = FLM_PROBE_MAPPED};
static struct flm_site unmapped = {.name = "munmap", .kind = FLM_PROBE_MAPPED};

static void count(struct flm_site *site, size_t size)
{
    if (!flm_is_measured(FLM_PROBE_MEMORY) || flm_is_inside || flm_memory_is_busy() ||
        flm_thread_state != FLM_THREAD_USUAL || flm_run.number == 0)
        return;
    int error = errno;
    struct flm_probe_node *node = flm_node_of(site);
    if (node) {
        node->calls++;
        node->value[FLM_PROBE_AMOUNT] += size;
    }
    errno = error;
}

static void *map(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    long memory = syscall(SYS_mmap, at, size, protection, flags, file, offset);
    if (memory != -1)
        count(&mapped, size);
    return (void *)memory; // NOLINT(performance-no-int-to-ptr)
}

FLM_EXPORT void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return map(at, size, protection, flags, file, offset);
}

FLM_EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
    return map(at, size, protection, flags, file, offset);
}

FLM_EXPORT int munmap(void *at, size_t size)
{
    int result = (int)syscall(SYS_munmap, at, size);
    if (result == 0)
        count(&unmapped, size);
    return result;
}
