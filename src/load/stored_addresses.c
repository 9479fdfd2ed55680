#include "load/stored_addresses.h"

#include <stdlib.h>

#include "algebra/operation/rebuild.h"
#include "base/core/array.h"
#include "format/core/mapped.h"
#include "profile/chains.h"
#include "symbol/registry/module.h"

static const char build_text[] = " (build ", own_text[] = ", addresses)";

struct naming {
    const struct flm_profile *p;
    struct flm_rebuild rebuild;
    uint32_t *first, *count; /* by frame: where its new frames are, outer first; 0: it stays */
    struct FLM_ARRAY(uint32_t) frames;
};

static bool is_unnamed(const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *f = &p->frames[frame];
    return f->flags & FLM_FRAME_UNSYMBOLIZED && f->module != 0;
}

static uint32_t string_of(struct naming *n, struct flm_bytes text)
{
    return flm_builder_string(n->rebuild.builder, text.at, text.size).index;
}

static bool add_frame(struct naming *n, uint32_t frame, const struct flm_frame_record *record)
{
    if (n->count[frame] == 0)
        n->first[frame] = (uint32_t)n->frames.count;
    uint32_t made = flm_builder_frame(n->rebuild.builder, record).index;
    n->count[frame]++;
    return FLM_ARRAY_ADD(&n->frames, made);
}

/* Pours the tree with the new frames; the rebuild is cleared in any case. */
static struct flm_profile *rebuilt(struct naming *n, struct flm_error *why)
{
    struct flm_rebuild *r = &n->rebuild;
    for (uint32_t i = 1; i < n->p->sizes.node_count; i++) {
        uint32_t frame = n->p->node_frame[i], node = r->moved[r->parent[i]];
        for (uint32_t k = 0; k < n->count[frame]; k++)
            node = flm_rebuild_child(r, node, n->frames.at[n->first[frame] + k]);
        if (n->count[frame] == 0)
            node = flm_rebuild_child(r, node, frame);
        r->moved[i] = node;
    }
    return flm_rebuild_finish(r, why);
}

/* Takes the profile: each frame without a name becomes what `name` adds for it. */
typedef bool (*flm_frame_namer)(struct naming *n, uint32_t frame, void *context);
static struct flm_profile *name_frames(struct flm_profile *p, flm_frame_namer name, void *context,
                                       struct flm_error *why)
{
    if (flm_has_chains(p)) {
        struct flm_profile *split = flm_profile_split(p, why);
        flm_profile_free(p);
        p = split;
        if (!p)
            return NULL;
    }
    struct naming n = {.p = p,
                       .first = calloc(p->sizes.frame_count, sizeof(uint32_t)),
                       .count = calloc(p->sizes.frame_count, sizeof(uint32_t))};
    struct flm_profile *result = NULL;
    bool good = (n.first && n.count) || flm_error_memory(why);
    if (good && flm_rebuild_start(&n.rebuild, p, why)) {
        for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
            good = !is_unnamed(p, i) || name(&n, i, context);
        if (good) {
            result = rebuilt(&n, why);
        } else {
            flm_rebuild_clear(&n.rebuild);
            flm_error_memory(why);
        }
    }
    flm_profile_free(p);
    free(n.first);
    free(n.count);
    FLM_ARRAY_CLEAR(&n.frames);
    return flm_joined(result, why);
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static void put_module(struct flm_text *out, struct flm_bytes path, struct flm_bytes build_id,
                       bool is_own)
{
    flm_text_add(out, path);
    flm_text_puts(out, build_text);
    flm_text_add(out, build_id);
    flm_text_puts(out, is_own ? own_text : ")");
}

void flm_addresses_module(struct flm_text *out, struct flm_bytes path, struct flm_bytes build_id)
{
    put_module(out, path, build_id, true);
}

/* Where in its file the address is, by the note of its module. */
static bool find_offset(struct flm_bytes note, uint64_t address, uint64_t *offset)
{
    struct flm_mapped range;
    while (flm_mapped_next(&note, &range))
        if (range.limit > 0 && range.start <= address && address < range.limit) {
            *offset = address - range.start + range.offset;
            return true;
        }
    return false;
}

static bool keep_frame(struct naming *n, uint32_t frame, void *context)
{
    const struct flm_frame_record *f = &n->p->frames[frame];
    struct flm_bytes note = flm_mapped_note_of(n->p, f->module), id = flm_mapped_id(note),
                     path = flm_string_bytes(n->p, f->module);
    struct flm_text module = {0}, name = {0};
    struct flm_frame_record record = *f;
    (void)context;
    if (id.size == 0 || path.at[0] == '[' || !find_offset(note, f->address, &record.address))
        return true;
    put_module(&module, path, id, false);
    flm_mapped_frame_name(&name, record.address, path);
    bool good = !module.failed && !name.failed;
    if (good) {
        record.module = string_of(n, (struct flm_bytes){module.at, module.size});
        record.function = string_of(n, (struct flm_bytes){name.at, name.size});
        good = add_frame(n, frame, &record);
    }
    flm_text_clear(&module);
    flm_text_clear(&name);
    return good;
}

struct flm_profile *flm_addresses_keep(struct flm_profile *p, struct flm_error *why)
{
    bool found = false;
    for (uint32_t i = 1; i < p->sizes.frame_count && !found; i++)
        found = is_unnamed(p, i) && flm_mapped_id(flm_mapped_note_of(p, p->frames[i].module)).size;
    return found ? name_frames(p, keep_frame, NULL, why) : p;
}

/* ---- Naming ---------------------------------------------------------------------------------- */

/* "/usr/bin/app (build 1f0c...)" in its parts. */
struct stored_module {
    struct flm_bytes path;
    struct flm_build_id id;
    bool is_own; /* addresses are the file's own, not offsets in it */
};

static bool read_module(struct flm_bytes text, struct stored_module *m)
{
    *m = (struct stored_module){.is_own = flm_bytes_end_with(text, own_text)};
    size_t end = m->is_own ? sizeof own_text - 1 : 1, behind = sizeof build_text - 1;
    if (!m->is_own && !flm_bytes_end_with(text, ")"))
        return false;
    size_t at = text.size - end;
    while (at > 0 && text.at[at - 1] != ' ')
        at--;
    if (at < behind || memcmp(text.at + at - behind, build_text, behind) != 0)
        return false;
    m->path = (struct flm_bytes){text.at, at - behind};
    return flm_build_id_parse((struct flm_bytes){text.at + at, text.size - end - at}, &m->id) &&
           m->id.size > 0;
}

static bool name_frame(struct naming *n, uint32_t frame, void *context)
{
    struct flm_modules *modules = context;
    const struct flm_frame_record *f = &n->p->frames[frame];
    struct stored_module stored;
    struct flm_code code[FLM_CODE_MOST];
    uint64_t address = f->address;
    if (!read_module(flm_string_bytes(n->p, f->module), &stored))
        return true;
    const struct flm_module_request request = {.path = stored.path, .build_id = stored.id};
    struct flm_module *module = flm_modules_get(modules, &request);
    if (!module)
        return false;
    bool is_known = stored.is_own || flm_module_address(module, f->address, &address);
    size_t count = is_known ? flm_module_lookup(module, address, code, FLM_CODE_MOST) : 0;
    bool good = true;
    for (size_t i = count; good && i-- > 0;) {
        const struct flm_frame_record record = {
            .function = string_of(n, code[i].function),
            .module = string_of(n, stored.path),
            .file = string_of(n, code[i].file),
            .kind = code[i].inlined ? (uint32_t)FLM_KIND_INLINED : f->kind,
        };
        good = add_frame(n, frame, &record);
    }
    return good;
}

struct flm_profile *flm_addresses_name(struct flm_profile *p,
                                       const struct flm_addresses_options *options,
                                       struct flm_error *why)
{
    struct stored_module stored;
    bool found = false;
    if (!options->folder && !options->debuginfod)
        return p;
    for (uint32_t i = 1; i < p->sizes.frame_count && !found; i++)
        found = is_unnamed(p, i) && read_module(flm_string_bytes(p, p->frames[i].module), &stored);
    if (!found)
        return p;
    const struct flm_modules_options how = {.symbol_dirs = &options->folder,
                                            .symbol_dir_count = options->folder != NULL,
                                            .cache_dir = options->cache_dir,
                                            .threads = 1,
                                            .debuginfod = options->debuginfod};
    struct flm_modules *modules = flm_modules_new(&how, why);
    if (!modules) {
        flm_profile_free(p);
        return NULL;
    }
    p = name_frames(p, name_frame, modules, why);
    flm_modules_free(modules);
    return p;
}
