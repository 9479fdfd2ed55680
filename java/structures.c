/* structures.c - what no interface tells, by the table of its fields that HotSpot exports for its
 * own debugger, the serviceability agent: a name, a type, and where it is. */
#include <dlfcn.h>
#include <string.h>

#include "java/internal.h"

/* A row of gHotSpotVMStructs; where its members are is exported too. */
struct table {
    const char *rows;
    uint64_t type_name, field_name, is_static, offset, address, stride;
};

static struct {
    uint64_t thread_os_thread, os_thread_id;
} offsets;

static bool read_symbol(void *library, const char *name, uint64_t *value)
{
    const uint64_t *at = dlsym(library, name);
    if (at)
        *value = *at;
    return at != NULL;
}

static const char *text_at(const char *row, uint64_t offset)
{
    const char *text;
    memcpy(&text, row + offset, sizeof text);
    return text;
}

static bool find_offset(const struct table *t, const char *type, const char *field,
                        uint64_t *offset)
{
    for (const char *row = t->rows; text_at(row, t->type_name); row += t->stride) {
        const char *name = text_at(row, t->field_name);
        if (name && strcmp(text_at(row, t->type_name), type) == 0 && strcmp(name, field) == 0) {
            memcpy(offset, row + t->offset, sizeof *offset);
            return true;
        }
    }
    return false;
}

bool structures_find(void *library, const char **why)
{
    struct table t;
    const char *const *rows = dlsym(library, "gHotSpotVMStructs");
    *why = "the VM does not export the table of its structures";
    if (!rows || !*rows ||
        !read_symbol(library, "gHotSpotVMStructEntryTypeNameOffset", &t.type_name) ||
        !read_symbol(library, "gHotSpotVMStructEntryFieldNameOffset", &t.field_name) ||
        !read_symbol(library, "gHotSpotVMStructEntryOffsetOffset", &t.offset) ||
        !read_symbol(library, "gHotSpotVMStructEntryArrayStride", &t.stride))
        return false;
    t.rows = *rows;
    *why = "the VM's table of its structures has no thread numbers";
    return (find_offset(&t, "JavaThread", "_osthread", &offsets.thread_os_thread) ||
            find_offset(&t, "Thread", "_osthread", &offsets.thread_os_thread)) &&
           find_offset(&t, "OSThread", "_thread_id", &offsets.os_thread_id);
}

int32_t structures_thread(uint64_t java_thread)
{
    uint64_t os_thread;
    int32_t id;
    if (!java_thread)
        return 0;
    memcpy(&os_thread, (const char *)(uintptr_t)java_thread + offsets.thread_os_thread,
           sizeof os_thread);
    if (!os_thread)
        return 0;
    memcpy(&id, (const char *)(uintptr_t)os_thread + offsets.os_thread_id, sizeof id);
    return id;
}
