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

static bool *inlined_flag; /* NULL: unknown */
static bool inlined_before, inlined_is_kept;

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

/* A number in the row of a field: where it is in its structure, or, of a static one, in memory. */
static bool find_number(const struct table *t, const char *type, const char *field, uint64_t at,
                        uint64_t *number)
{
    for (const char *row = t->rows; text_at(row, t->type_name); row += t->stride) {
        const char *name = text_at(row, t->field_name);
        if (name && strcmp(text_at(row, t->type_name), type) == 0 && strcmp(name, field) == 0) {
            memcpy(number, row + at, sizeof *number);
            return true;
        }
    }
    return false;
}

static bool find_offset(const struct table *t, const char *type, const char *field,
                        uint64_t *offset)
{
    return find_number(t, type, field, t->offset, offset);
}

/* What a static field has. */
static bool find_value(const struct table *t, const char *type, const char *field, uint64_t *value)
{
    uint64_t at;
    if (!find_number(t, type, field, t->address, &at) || !at)
        return false;
    memcpy(value, (const void *)(uintptr_t)at, sizeof *value);
    return true;
}

static bool find_size(void *library, const char *type, uint64_t *size)
{
    const char *const *rows = dlsym(library, "gHotSpotVMTypes");
    uint64_t name, at, stride;
    if (!rows || !*rows || !read_symbol(library, "gHotSpotVMTypeEntryTypeNameOffset", &name) ||
        !read_symbol(library, "gHotSpotVMTypeEntrySizeOffset", &at) ||
        !read_symbol(library, "gHotSpotVMTypeEntryArrayStride", &stride))
        return false;
    for (const char *row = *rows; text_at(row, name); row += stride)
        if (strcmp(text_at(row, name), type) == 0) {
            memcpy(size, row + at, sizeof *size);
            return true;
        }
    return false;
}

/* The variable of an option of the VM that is yes or no. NULL: this VM has it elsewhere. */
static bool *find_flag(void *library, const struct table *t, const char *wanted)
{
    static const char *const types[] = {"JVMFlag", "Flag"}; /* the second until Java 9 */
    for (size_t i = 0; i < 2; i++) {
        uint64_t flags, count, size, name, at;
        if (!find_value(t, types[i], "flags", &flags) ||
            !find_value(t, types[i], "numFlags", &count) ||
            !find_offset(t, types[i], "_name", &name) || !find_offset(t, types[i], "_addr", &at) ||
            !find_size(library, types[i], &size))
            continue;
        for (uint64_t k = 0; k < count; k++) {
            const char *flag = (const char *)(uintptr_t)(flags + k * size);
            const char *text = text_at(flag, name);
            if (text && strcmp(text, wanted) == 0)
                return (bool *)(uintptr_t)text_at(flag, at);
        }
    }
    return NULL;
}

void structures_keep_inlined(bool on)
{
    if (!inlined_flag || on == inlined_is_kept)
        return;
    if (on)
        inlined_before = *inlined_flag;
    inlined_is_kept = on;
    __atomic_store_n(inlined_flag, on || inlined_before, __ATOMIC_RELAXED);
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
        !read_symbol(library, "gHotSpotVMStructEntryAddressOffset", &t.address) ||
        !read_symbol(library, "gHotSpotVMStructEntryArrayStride", &t.stride))
        return false;
    t.rows = *rows;
    if (!inlined_flag)
        inlined_flag = find_flag(library, &t, "DebugNonSafepoints");
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
