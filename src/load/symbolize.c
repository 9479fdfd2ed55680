#include "load/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/operation/rebuild.h"
#include "base/core/array.h"
#include "base/text/clone_name.h"
#include "code/find/profile_module.h"
#include "format/core/mapped.h"
#include "load/sidecar.h"
#include "profile/chains.h"

struct symbolizing {
    struct flm_profile *p;
    const struct flm_load_options *options;
    struct flm_modules *modules;
    const struct flm_sidecar *sidecar; /* looked up instead of modules; NULL: none */
    bool is_recording;                 /* frames without lines are looked up too, by build id */
    struct flm_module **module;        /* by string: of frames with that module; NULL: none */
    struct flm_rebuild rebuild;
    uint32_t *first, *count; /* by frame: where its new frames are, outer first; 0: it stays */
    struct FLM_ARRAY(uint32_t) frames;
    struct FLM_ARRAY(struct flm_module *) wanted;
};

/* The note that says where a module was mapped; empty: there is none. */
static struct flm_bytes mapped_note(const struct flm_profile *p, uint32_t module)
{
    struct flm_bytes note = flm_mapped_note_of(p, module), rest = note;
    struct flm_mapped range;
    return flm_mapped_next(&rest, &range) ? note : (struct flm_bytes){"", 0};
}

static bool is_wanted(const struct flm_profile *p, uint32_t frame)
{
    const struct flm_frame_record *f = &p->frames[frame];
    return f->flags & FLM_FRAME_UNSYMBOLIZED && f->module != 0 && f->address != 0;
}

/* Where it was; of a recording that is its location, since the address of a frame without a name is
 * that of its function. */
static uint64_t address_of(const struct symbolizing *s, uint32_t frame)
{
    const struct flm_frame_record *f = &s->p->frames[frame];
    uint32_t location = flm_frame_location(f);
    if (!s->is_recording)
        return f->address;
    return location > 0 ? flm_location_at(s->p, location - 1).address : 0;
}

/* What is inlined has a line, and that of others is the interpreter's, the VM's or the kernel's. */
static bool lacks_line(const struct symbolizing *s, uint32_t frame)
{
    const struct flm_frame_record *f = &s->p->frames[frame];
    uint32_t location = flm_frame_location(f);
    return f->kind <= FLM_KIND_NATIVE && f->module != 0 && location > 0 &&
           flm_location_at(s->p, location - 1).line == 0 && address_of(s, frame) != 0;
}

static bool is_looked_up(const struct symbolizing *s, uint32_t frame)
{
    return s->is_recording ? lacks_line(s, frame) : is_wanted(s->p, frame);
}

/* Only files with the build id that was recorded are asked for what was not known then. */
static bool has_file(const struct symbolizing *s, uint32_t module)
{
    return flm_string_bytes(s->p, module).at[0] != '[' &&
           (s->is_recording || mapped_note(s->p, module).size > 0);
}

/* The modules of frames without names. False when memory ran out. */
static bool find_modules(struct symbolizing *s)
{
    const struct flm_profile *p = s->p;
    unsigned char *seen = calloc(p->sizes.string_count, 1);
    bool good = seen != NULL;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++) {
        uint32_t module = p->frames[i].module;
        if (!is_looked_up(s, i) || seen[module])
            continue;
        seen[module] = 1;
        struct flm_profile_module found;
        if (!has_file(s, module))
            continue;
        good = flm_profile_module_find(s->modules, p, module, &found);
        if (good && found.module && (found.is_known_build || !s->is_recording)) {
            s->module[module] = found.module;
            good = FLM_ARRAY_ADD(&s->wanted, found.module);
        }
    }
    free(seen);
    return good;
}

static uint32_t string_of(struct symbolizing *s, struct flm_bytes text)
{
    return flm_builder_string(s->rebuild.builder, text.at, text.size).index;
}

/* The functions at the address of a frame, the innermost first. */
static size_t look_up(const struct symbolizing *s, uint32_t frame, struct flm_code *code)
{
    const struct flm_frame_record *f = &s->p->frames[frame];
    if (s->sidecar) {
        struct flm_bytes name = flm_string_bytes(s->p, f->module);
        size_t count = flm_sidecar_lookup(s->sidecar, name, f->address, code);
        if (!s->options->no_inlines || count < 2)
            return count;
        code[0] = code[count - 1];
        return 1;
    }
    struct flm_module *module = s->module[f->module];
    uint64_t address;
    const struct flm_profile_module in = {module,
                                          s->is_recording ? flm_mapped_note_of(s->p, f->module)
                                                          : mapped_note(s->p, f->module),
                                          false, 0};
    return module && flm_profile_module_address(&in, address_of(s, frame), &address)
               ? flm_module_lookup(module, address, code, FLM_CODE_MOST)
               : 0;
}

/* The frames of an address, outer first. */
static bool name_frame(struct symbolizing *s, uint32_t frame)
{
    const struct flm_frame_record *f = &s->p->frames[frame];
    struct flm_code code[FLM_CODE_MOST];
    size_t count = is_looked_up(s, frame) ? look_up(s, frame, code) : 0;
    bool is_named = !(f->flags & FLM_FRAME_UNSYMBOLIZED);
    if (count == 0 || (is_named && code[0].line == 0))
        return true;
    s->first[frame] = (uint32_t)s->frames.count;
    s->count[frame] = (uint32_t)count;
    while (count-- > 0) {
        const struct flm_frame_record record = {
            .function = string_of(s, code[count].function),
            .module = f->module, /* strings have the same indices in the builder */
            .file = string_of(s, code[count].file),
            .kind = code[count].inlined ? (uint32_t)FLM_KIND_INLINED : f->kind,
            .flags = flm_clone_kinds(code[count].clone) << 2,
        };
        const struct flm_location where = {.line = code[count].line,
                                           .address = address_of(s, frame)};
        uint32_t made = flm_builder_located(s->rebuild.builder, &record, where).index;
        if (!FLM_ARRAY_ADD(&s->frames, made))
            return false;
    }
    return true;
}

/* The tree with the new frames; the rebuild is cleared in any case. */
static struct flm_profile *rebuilt(struct symbolizing *s, struct flm_error *why)
{
    const struct flm_profile *p = s->p;
    struct flm_rebuild *r = &s->rebuild;
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t frame = p->node_frame[i], node = r->moved[r->parent[i]];
        for (uint32_t k = 0; k < s->count[frame]; k++)
            node = flm_rebuild_child(r, node, s->frames.at[s->first[frame] + k]);
        if (s->count[frame] == 0)
            node = flm_rebuild_child(r, node, frame);
        r->moved[i] = node;
    }
    return flm_rebuild_finish(r, why);
}

/* Whether one of the modules of this name has all symbols now. */
static bool is_complete(const struct symbolizing *s, struct flm_bytes name)
{
    for (size_t i = 0; i < s->wanted.count; i++)
        if (flm_bytes_equal(flm_module_name(s->wanted.at[i]), name) &&
            flm_module_state(s->wanted.at[i]) == FLM_MODULE_COMPLETE)
            return true;
    return false;
}

/* What was said of modules that had no names is not true any more: a note that is in dispute does
 * not stay. */
static void drop_reasons(const struct symbolizing *s)
{
    const struct flm_profile *p = s->p;
    for (uint32_t i = 0; s->is_recording && i < p->sizes.note_count; i++) {
        struct flm_bytes key = flm_string_bytes(p, p->notes[i].key);
        if (flm_bytes_start_with(key, FLM_NOTE_UNSYMBOLIZED) &&
            is_complete(s, flm_bytes_from(key, sizeof FLM_NOTE_UNSYMBOLIZED - 1)))
            flm_builder_agree_note(s->rebuild.builder, p->notes[i].key, 0);
    }
}

/* Looks up all names; NULL when memory ran out. */
static struct flm_profile *named(struct symbolizing *s, struct flm_error *why)
{
    const struct flm_profile *p = s->p;
    if (!flm_rebuild_start(&s->rebuild, p, why))
        return NULL;
    const struct flm_load_options *o = s->options;
    s->rebuild.builder->locations = o->lines          ? FLM_LOCATIONS_AS_LINES
                                    : o->no_locations ? FLM_LOCATIONS_DROPPED
                                                      : FLM_LOCATIONS_KEPT;
    if (s->modules)
        flm_modules_prepare(s->modules, s->wanted.at, s->wanted.count);
    bool good = true;
    for (uint32_t i = 1; good && i < p->sizes.frame_count; i++)
        good = name_frame(s, i);
    if (good)
        drop_reasons(s);
    if (o->dropped_locations)
        *o->dropped_locations |= s->rebuild.builder->dropped_locations;
    if (good)
        return rebuilt(s, why);
    flm_rebuild_clear(&s->rebuild);
    flm_error_memory(why);
    return NULL;
}

static bool has_addresses(const struct flm_profile *p)
{
    bool found = false;
    for (uint32_t i = 1; i < p->sizes.frame_count && !found; i++)
        found = is_wanted(p, i) && mapped_note(p, p->frames[i].module).size > 0;
    return found;
}

/* Takes the profile: its form in which chains are stacks (profile/chains.h). */
static struct flm_profile *split_of(struct flm_profile *p, struct flm_error *why)
{
    if (!flm_has_chains(p))
        return p;
    struct flm_profile *split = flm_profile_split(p, why);
    flm_profile_free(p);
    return split;
}

static struct flm_profile *symbolized(struct flm_profile *p, const struct flm_load_options *o,
                                      bool is_recording, struct flm_error *why)
{
    p = split_of(p, why);
    if (!p)
        return NULL;
    const struct flm_modules_options options = {.symbol_dirs = o->symbol_dirs,
                                                .symbol_dir_count = o->symbol_dir_count,
                                                .perf_dir = o->perf_dir,
                                                .cache_dir = o->cache_dir,
                                                .threads = o->threads,
                                                .debuginfod = o->debuginfod,
                                                .names_only = o->no_inlines};
    struct symbolizing s = {
        .p = p,
        .options = o,
        .is_recording = is_recording,
        .modules = flm_modules_new(&options, why),
        .module = calloc(p->sizes.string_count, sizeof *s.module),
        .first = calloc(p->sizes.frame_count, sizeof(uint32_t)),
        .count = calloc(p->sizes.frame_count, sizeof(uint32_t)),
    };
    struct flm_profile *result = NULL;
    if (s.modules && s.module && s.first && s.count && find_modules(&s))
        result = s.wanted.count > 0 ? named(&s, why) : p;
    else
        flm_error_memory(why);
    if (result != p)
        flm_profile_free(p);
    flm_modules_free(s.modules);
    free(s.module);
    free(s.first);
    free(s.count);
    FLM_ARRAY_CLEAR(&s.frames);
    FLM_ARRAY_CLEAR(&s.wanted);
    return flm_joined(result, why);
}

struct flm_profile *flm_symbolize(struct flm_profile *p, const struct flm_load_options *o,
                                  struct flm_error *why)
{
    return has_addresses(p) ? symbolized(p, o, false, why) : p;
}

struct flm_profile *flm_symbolize_again(struct flm_profile *p, const struct flm_load_options *o,
                                        struct flm_error *why)
{
    return flm_has_chains(p) ? symbolized(p, o, true, why) : p;
}

struct flm_profile *flm_symbolize_from_sidecar(struct flm_profile *p, const char *path,
                                               const struct flm_load_options *o,
                                               struct flm_error *why)
{
    bool found = false;
    for (uint32_t i = 1; i < p->sizes.frame_count && !found; i++)
        found = is_wanted(p, i);
    struct flm_error reason = {0};
    struct flm_sidecar *sidecar = found ? flm_sidecar_find(path, o, &reason) : NULL;
    if (!sidecar && reason.kind == FLM_ERROR_NONE)
        return p;
    p = split_of(p, why);
    if (!p) {
        flm_sidecar_free(sidecar);
        return NULL;
    }
    struct symbolizing s = {
        .p = p,
        .options = o,
        .sidecar = sidecar,
        .first = calloc(p->sizes.frame_count, sizeof(uint32_t)),
        .count = calloc(p->sizes.frame_count, sizeof(uint32_t)),
    };
    struct flm_profile *result = NULL;
    if (!sidecar) {
        if (why)
            *why = reason;
    } else if (s.first && s.count) {
        result = named(&s, why);
    } else {
        flm_error_memory(why);
    }
    flm_profile_free(p);
    flm_sidecar_free(sidecar);
    free(s.first);
    free(s.count);
    FLM_ARRAY_CLEAR(&s.frames);
    return result;
}
