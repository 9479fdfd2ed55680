/* resolve_libs.c - libraries: of which module a frame is, and where the names of its addresses may
 * be found.
 *
 * Frames without names have addresses that are relative to their library, and of callers that of
 * the call, as samply and the Firefox Profiler write them. Such libraries are noted as modules that
 * were mapped (format/core/mapped.h). In what Firefox itself writes addresses of callers are those
 * behind the call, in the same table as those of leaves: there nothing is looked up. */
#include "base/core/sort.h"
#include "base/number/number.h"
#include "format/core/mapped.h"
#include "format/gecko/internal.h"

static const struct flm_gecko_lib *lib_of(const struct flm_gecko_resolving *r, int32_t lib)
{
    const struct flm_gecko_libs *libs =
        r->thread->libs.count > 0 ? &r->thread->libs : &r->process->libs;
    return lib >= 0 && (size_t)lib < libs->count ? &libs->at[lib] : NULL;
}

static int order_libs(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_gecko_libs *libs = context;
    uint64_t first = libs->at[a].start, second = libs->at[b].start;
    return first != second ? (first > second) - (first < second) : (a < b) - (a > b);
}

/* The library that was mapped at an address, and the address in it. */
static const struct flm_gecko_lib *lib_at(struct flm_gecko_resolving *r, uint64_t *address)
{
    const struct flm_gecko_libs *libs =
        r->thread->libs.count > 0 ? &r->thread->libs : &r->process->libs;
    uint32_t count = (uint32_t)libs->count, low = 0, high = count;
    if (count > 0 && r->sorted_libs != libs->at) {
        r->libs.count = 0;
        if (!FLM_ARRAY_RESERVE(&r->libs, 2 * (size_t)count)) {
            flm_builder_fail_memory(r->builder);
            return NULL;
        }
        for (uint32_t i = 0; i < count; i++)
            r->libs.at[i] = i;
        flm_sort(r->libs.at, count, r->libs.at + count, order_libs, libs);
        r->sorted_libs = libs->at;
    }
    while (low < high) { /* the last one that begins at the address or before it */
        uint32_t middle = low + (high - low) / 2;
        if (libs->at[r->libs.at[middle]].start <= *address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct flm_gecko_lib *lib = low > 0 ? &libs->at[r->libs.at[low - 1]] : NULL;
    if (!lib || *address >= lib->end)
        return NULL;
    *address -= lib->start - lib->offset;
    return lib;
}

static void set_lib(struct flm_gecko_resolving *r, const struct flm_gecko_lib *lib,
                    struct flm_frame_record *record)
{
    if (lib)
        record->module =
            flm_gecko_string_of(r, flm_gecko_text(r, lib->name ? lib->name : lib->debug_name));
}

void flm_gecko_set_module_at(struct flm_gecko_resolving *r, uint64_t *address,
                             struct flm_frame_record *record)
{
    set_lib(r, lib_at(r, address), record);
}

/* The module of a frame is the frame's own library (since version 70), else that of its function's
 * resource, else the name of that resource, if the resource is a library. */
const struct flm_gecko_lib *flm_gecko_set_module(struct flm_gecko_resolving *r,
                                                 const struct flm_gecko_tables *t, size_t frame,
                                                 int32_t func, struct flm_frame_record *record)
{
    const int32_t library = 1;
    int32_t resource =
        flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FUNC_RESOURCE), (size_t)func);
    const struct flm_gecko_lib *lib =
        lib_of(r, flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_FRAME_LIB), frame));
    if (!lib && resource >= 0)
        lib = lib_of(
            r, flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_RESOURCE_LIB), (size_t)resource));
    set_lib(r, lib, record);
    if (!lib && resource >= 0 &&
        flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_RESOURCE_TYPE), (size_t)resource) ==
            library)
        record->module = flm_gecko_string_of(
            r, flm_gecko_string(r->strings,
                                flm_gecko_index(flm_gecko_column_of(t, FLM_GECKO_RESOURCE_NAME),
                                                (size_t)resource)));
    return lib;
}

/* ---- Where names may be found ---------------------------------------------------------------- */

static bool is_same_text(const struct flm_gecko_resolving *r, uint32_t a, uint32_t b)
{
    return flm_bytes_equal(flm_gecko_text(r, a), flm_gecko_text(r, b));
}

static bool is_same(const struct flm_gecko_resolving *r, const struct flm_gecko_lib *a,
                    const struct flm_gecko_lib *b)
{
    return a == b || (is_same_text(r, a->name, b->name) && is_same_text(r, a->path, b->path) &&
                      is_same_text(r, a->code_id, b->code_id) &&
                      is_same_text(r, a->breakpad_id, b->breakpad_id));
}

static bool is_taken(const struct flm_gecko_resolving *r, uint32_t module)
{
    for (size_t i = 0; i < r->mapped.count; i++)
        if (r->mapped.at[i].module == module)
            return true;
    return false;
}

/* The name that the frames have already, unless another library has it: then its path, or a
 * number. */
static uint32_t name_module(struct flm_gecko_resolving *r, const struct flm_gecko_lib *lib,
                            uint32_t module)
{
    uint32_t path = flm_gecko_string_of(r, flm_gecko_text(r, lib->path));
    if (!is_taken(r, module))
        return module;
    if (path != 0 && !is_taken(r, path))
        return path;
    r->name.size = 0;
    flm_text_add(&r->name, flm_gecko_text(r, lib->name));
    flm_text_format(&r->name, " (%llu)", (unsigned long long)r->mapped.count + 1);
    return flm_gecko_string_of(r, (struct flm_bytes){r->name.at, r->name.size});
}

void flm_gecko_want_names(struct flm_gecko_resolving *r, const struct flm_gecko_lib *lib,
                          struct flm_frame_record *record)
{
    enum { MOST = 1000 }; /* each is compared with all */
    if (!lib || record->module == 0)
        return;
    for (size_t i = r->mapped.count; i-- > 0;)
        if (is_same(r, r->mapped.at[i].lib, lib)) {
            record->module = r->mapped.at[i].module;
            return;
        }
    if (r->mapped.count == MOST)
        return;
    record->module = name_module(r, lib, record->module);
    if (!FLM_ARRAY_ADD(&r->mapped, (struct flm_gecko_mapped){lib, record->module}))
        flm_builder_fail_memory(r->builder);
}

/* The first 16 bytes of a build id, which a breakpad id has as a GUID: its first three numbers have
 * the other order of bytes. */
static bool begin_of_id(struct flm_bytes breakpad, char digits[32])
{
    static const unsigned char order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    if (breakpad.size < 32)
        return false;
    for (size_t i = 0; i < 32; i++) {
        char digit = breakpad.at[2 * order[i / 2] + i % 2];
        if (flm_hex_value(digit) < 0)
            return false;
        digits[i] = digit;
    }
    return true;
}

void flm_gecko_note_libs(struct flm_gecko_resolving *r)
{
    struct FLM_ARRAY(struct flm_mapped) notes = {0};
    struct flm_text texts = {0}; /* names, which move in the builder, and beginnings of ids */
    bool good = true;
    for (size_t i = 0; i < r->mapped.count && good; i++) {
        const struct flm_gecko_lib *lib = r->mapped.at[i].lib;
        struct flm_bytes id = flm_gecko_text(r, lib->code_id);
        struct flm_bytes path = flm_interner_text(&r->builder->interner, r->mapped.at[i].module);
        char begin[32];
        bool has_begin = id.size == 0 && begin_of_id(flm_gecko_text(r, lib->breakpad_id), begin);
        if (id.size == 0 && !has_begin)
            continue; /* any file could have that path */
        flm_text_add(&texts, path);
        flm_text_add(&texts, (struct flm_bytes){begin, has_begin ? sizeof begin : 0});
        good = FLM_ARRAY_ADD(&notes, (struct flm_mapped){.path = path,
                                                         .build_id = id,
                                                         .id_begin.size = has_begin ? 32 : 0,
                                                         .file = flm_gecko_text(r, lib->path)});
    }
    for (size_t i = 0, at = 0; i < notes.count && !texts.failed; i++) {
        notes.at[i].path.at = texts.at + at;
        at += notes.at[i].path.size;
        notes.at[i].id_begin.at = texts.at + at;
        at += notes.at[i].id_begin.size;
    }
    if (!good || texts.failed)
        flm_builder_fail_memory(r->builder);
    else
        flm_mapped_note(r->builder, notes.at, notes.count);
    flm_text_clear(&texts);
    FLM_ARRAY_CLEAR(&notes);
}
