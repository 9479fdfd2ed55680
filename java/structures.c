/* structures.c - what no interface tells, by the table of its fields that HotSpot exports for its
 * own debugger, the serviceability agent: a name, a type, and where it is. */
#include <dlfcn.h>
#include <string.h>

#include "java/internal.h"

/* gHotSpotVMStructs: its rows, and where the members of a row are. The library stays mapped. */
static struct {
    const char *rows;
    uint64_t type_name, field_name, offset, address, stride;
} table;
static void *vm_library;

static struct {
    uint64_t thread_os_thread, os_thread_id;
} offsets;

static bool *inlined_flag; /* NULL: unknown */
static bool inlined_before, inlined_is_kept;

static bool read_symbol(const char *name, uint64_t *value)
{
    const uint64_t *at = dlsym(vm_library, name);
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
static bool find_number(const char *type, const char *field, uint64_t at, uint64_t *number)
{
    for (const char *row = table.rows; text_at(row, table.type_name); row += table.stride) {
        const char *name = text_at(row, table.field_name);
        if (name && strcmp(text_at(row, table.type_name), type) == 0 && strcmp(name, field) == 0) {
            memcpy(number, row + at, sizeof *number);
            return true;
        }
    }
    return false;
}

bool structures_offset(const char *type, const char *field, uint64_t *offset)
{
    return find_number(type, field, table.offset, offset);
}

bool structures_value(const char *type, const char *field, uint64_t *value)
{
    uint64_t at;
    if (!find_number(type, field, table.address, &at) || !at)
        return false;
    memcpy(value, (const void *)(uintptr_t)at, sizeof *value);
    return true;
}

/* The value of a name in a table of names and values. `name_at`, `value_at` and `stride_of`:
 * symbols with the offsets in a row, and with the size of one. */
static bool find_named(const char *rows_of, const char *name_at, const char *value_at,
                       const char *stride_of, const char *wanted, void *value, size_t value_size)
{
    const char *const *rows = dlsym(vm_library, rows_of);
    uint64_t name, at, stride;
    if (!rows || !*rows || !read_symbol(name_at, &name) || !read_symbol(value_at, &at) ||
        !read_symbol(stride_of, &stride))
        return false;
    for (const char *row = *rows; text_at(row, name); row += stride)
        if (strcmp(text_at(row, name), wanted) == 0) {
            memcpy(value, row + at, value_size);
            return true;
        }
    return false;
}

bool structures_size(const char *type, uint64_t *size)
{
    return find_named("gHotSpotVMTypes", "gHotSpotVMTypeEntryTypeNameOffset",
                      "gHotSpotVMTypeEntrySizeOffset", "gHotSpotVMTypeEntryArrayStride", type, size,
                      sizeof *size);
}

bool structures_constant(const char *name, int32_t *value)
{
    return find_named("gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryNameOffset",
                      "gHotSpotVMIntConstantEntryValueOffset",
                      "gHotSpotVMIntConstantEntryArrayStride", name, value, sizeof *value);
}

bool *structures_flag(const char *wanted)
{
    static const char *const types[] = {"JVMFlag", "Flag"}; /* the second until Java 9 */
    for (size_t i = 0; i < 2; i++) {
        uint64_t flags, count, size, name, at;
        if (!structures_value(types[i], "flags", &flags) ||
            !structures_value(types[i], "numFlags", &count) ||
            !structures_offset(types[i], "_name", &name) ||
            !structures_offset(types[i], "_addr", &at) || !structures_size(types[i], &size))
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
    const char *const *rows = dlsym(library, "gHotSpotVMStructs");
    vm_library = library;
    *why = "the VM does not export the table of its structures";
    if (!rows || !*rows || !read_symbol("gHotSpotVMStructEntryTypeNameOffset", &table.type_name) ||
        !read_symbol("gHotSpotVMStructEntryFieldNameOffset", &table.field_name) ||
        !read_symbol("gHotSpotVMStructEntryOffsetOffset", &table.offset) ||
        !read_symbol("gHotSpotVMStructEntryAddressOffset", &table.address) ||
        !read_symbol("gHotSpotVMStructEntryArrayStride", &table.stride))
        return false;
    table.rows = *rows;
    if (!inlined_flag)
        inlined_flag = structures_flag("DebugNonSafepoints");
    *why = "the VM's table of its structures has no thread numbers";
    return (structures_offset("JavaThread", "_osthread", &offsets.thread_os_thread) ||
            structures_offset("Thread", "_osthread", &offsets.thread_os_thread)) &&
           structures_offset("OSThread", "_thread_id", &offsets.os_thread_id);
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
