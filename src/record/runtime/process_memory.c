#include "record/runtime/process_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

bool flm_process_memory_read_now(struct flm_process_memory *m, uint64_t address, void *bytes,
                                 size_t size)
{
    struct iovec local = {bytes, size}, remote = {(void *)(uintptr_t)address, size}; // NOLINT
    m->calls++;
    ssize_t got = process_vm_readv(m->process, &local, 1, &remote, 1, 0);
    if (got == (ssize_t)size)
        return true;
    m->error = got < 0 ? errno : EFAULT;
    return false;
}

void flm_process_memory_begin(struct flm_process_memory *m, const uint64_t *pages, size_t count)
{
    struct iovec local[FLM_PROCESS_PAGES], remote[FLM_PROCESS_PAGES];
    m->count = 0;
    m->used = 0;
    m->error = 0;
    if (count > FLM_PROCESS_PAGES / 2)
        count = FLM_PROCESS_PAGES / 2;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        m->at[i] = pages[i];
        local[i] = (struct iovec){m->page[i], FLM_PROCESS_PAGE};
        remote[i] = (struct iovec){(void *)(uintptr_t)pages[i], FLM_PROCESS_PAGE}; // NOLINT
    }
    m->calls++;
    /* It stops at the first page that is unmapped now. */
    ssize_t got = process_vm_readv(m->process, local, count, remote, count, 0);
    if (got < 0)
        m->error = errno;
    m->count = got > 0 ? (size_t)got / FLM_PROCESS_PAGE : 0;
}

/* The page; NULL when it cannot be read, or there is no room for it. */
static const char *find_page(struct flm_process_memory *m, uint64_t page)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->at[i] == page) {
            m->used |= UINT64_C(1) << i;
            return m->page[i];
        }
    if (m->count == FLM_PROCESS_PAGES ||
        !flm_process_memory_read_now(m, page, m->page[m->count], FLM_PROCESS_PAGE))
        return NULL;
    m->at[m->count] = page;
    m->used |= UINT64_C(1) << m->count;
    return m->page[m->count++];
}

bool flm_process_memory_read(struct flm_process_memory *m, uint64_t address, void *bytes,
                             size_t size)
{
    char *to = bytes;
    /* No object is in the first page or at the end of the address space. */
    if (address < FLM_PROCESS_PAGE || address > UINT64_MAX - size - FLM_PROCESS_PAGE) {
        m->error = EFAULT;
        return false;
    }
    if (size > (size_t)FLM_PROCESS_PAGE)
        return flm_process_memory_read_now(m, address, bytes, size);
    while (size > 0) {
        size_t inside = address % FLM_PROCESS_PAGE, part = FLM_PROCESS_PAGE - inside;
        if (part > size)
            part = size;
        const char *page = find_page(m, address - inside);
        if (page)
            memcpy(to, page + inside, part);
        else if (m->count < FLM_PROCESS_PAGES || !flm_process_memory_read_now(m, address, to, part))
            return false;
        to += part;
        address += part;
        size -= part;
    }
    return true;
}

size_t flm_process_memory_needed(const struct flm_process_memory *m, uint64_t *pages,
                                 size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count && count < capacity; i++)
        if (m->used >> i & 1)
            pages[count++] = m->at[i];
    return count;
}

bool flm_process_memory_is_gone(const struct flm_process_memory *m)
{
    return m->error == ESRCH || m->error == EPERM || m->error == ENOSYS;
}
