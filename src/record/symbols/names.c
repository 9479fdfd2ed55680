/* names.c - names of functions: of modules and of the kernel, and of code that was compiled at run
 * time. */
#include <stdlib.h>

#include "base/text/clone_name.h"
#include "format/perf/frame.h"
#include "record/runtimes.h"
#include "record/symbols/internal.h"
#include "symbol/registry/preloader.h"

enum { MOST_JIT_INLINED = 64 };

static enum flm_named named(bool good)
{
    return good ? FLM_NAMED : FLM_NAMED_NO_MEMORY;
}

static uint32_t function_string(struct flm_naming *f, const struct flm_code *code)
{
    if (code->clone.size == 0 || !f->session->options.clones)
        return flm_naming_string(f, code->function);
    f->name.size = 0;
    flm_text_add(&f->name, code->function);
    flm_text_add(&f->name, code->clone);
    return flm_naming_string(f, (struct flm_bytes){f->name.at, f->name.size});
}

static uint32_t clone_flags(const struct flm_naming *f, const struct flm_code *code)
{
    _Static_assert((int)FLM_CLONE_CONSTPROP << 2 == FLM_FRAME_CONSTPROP &&
                       (int)FLM_CLONE_ISRA << 2 == FLM_FRAME_ISRA &&
                       (int)FLM_CLONE_PART << 2 == FLM_FRAME_PART &&
                       (int)FLM_CLONE_COLD << 2 == FLM_FRAME_COLD,
                   "the same order");
    return f->session->options.clones ? 0 : flm_clone_kinds(code->clone) << 2;
}

/* The functions at a location, innermost first in `code`, as frames. */
static bool add_functions(struct flm_naming *f, const struct flm_code *code, size_t count,
                          struct flm_bytes module, uint32_t kind)
{
    uint32_t module_string = flm_naming_string(f, module);
    f->is_part = clone_flags(f, &code[count - 1]) & FLM_FRAME_PART;
    while (count-- > 0) {
        const struct flm_frame_record record = {
            .function = function_string(f, &code[count]),
            .module = module_string,
            .file = flm_naming_string(f, code[count].file),
            .kind = code[count].inlined ? (uint32_t)FLM_KIND_INLINED : kind,
            .flags = clone_flags(f, &code[count]),
        };
        if (f->name.failed)
            return flm_error_memory(f->why);
        if (!flm_naming_add_at(f, &record, record.file, code[count].line))
            return false;
    }
    return true;
}

/* "(anonymous) an2.js:1:46": functions without a name are as many as there are places. */
static struct flm_bytes jit_function(struct flm_naming *f, const struct flm_jit_frame *frame)
{
    if (frame->place.size == 0)
        return frame->function;
    f->name.size = 0;
    flm_text_add(&f->name, frame->function);
    flm_text_putc(&f->name, ' ');
    flm_text_add(&f->name, frame->place);
    return (struct flm_bytes){f->name.at, f->name.size};
}

/* The same for code of a runtime. The module is not the perf map: each process has its own, and
 * recordings could not be compared. Where the file is known, that is where a function belongs. */
static bool add_jit_frames(struct flm_naming *f, const struct flm_jit_frame *frames, size_t count)
{
    while (count-- > 0) {
        const struct flm_jit_frame *frame = &frames[count];
        uint32_t line_file = frame->line_file.size > 0 ? flm_naming_string(f, frame->line_file) : 0;
        const struct flm_frame_record record = {
            .function = flm_naming_string(f, jit_function(f, frame)),
            .module =
                flm_naming_string(f, flm_bytes_of(frame->file.size > 0 ? "" : FLM_PERF_JIT_MODULE)),
            .file = flm_naming_string(f, frame->file),
            .line = frame->line_is_first ? frame->line : 0,
            .kind = frame->kind,
        };
        if (f->name.failed)
            return flm_error_memory(f->why);
        if (!flm_naming_add_at(f, &record, line_file ? line_file : record.file,
                               frame->line_is_first ? 0 : frame->line))
            return false;
    }
    return true;
}

/* ---- Modules and the kernel ------------------------------------------------------------------ */

static enum flm_named name_in_module(struct flm_naming *f, struct flm_module *module,
                                     uint64_t *address)
{
    struct flm_code code[FLM_CODE_MOST];
    struct flm_bytes path = flm_module_path(module);
    uint32_t kind = flm_perf_module_kind(path);
    if (kind == FLM_KIND_PLAIN)
        kind = FLM_KIND_NATIVE;
    size_t count = flm_module_lookup(module, *address, code, FLM_CODE_MOST);
    if (count > 0)
        return named(add_functions(f, code, count, path, kind));
    /* A stripped function is one frame, with its start address, not one for each address in it. */
    if (!flm_module_function_start(module, *address, address))
        return named(flm_error_memory(f->why));
    return FLM_NOT_NAMED;
}

static enum flm_named name_in_kernel(struct flm_naming *f, struct flm_module *module,
                                     uint64_t address)
{
    struct flm_code code[FLM_CODE_MOST];
    if (!module && f->session->options.kernel_is_ours) {
        const struct flm_module_request request = {.path = flm_bytes_of("[kernel.kallsyms]")};
        module = flm_modules_get(flm_session_symbols(f->session)->modules, &request);
        if (!module)
            return named(flm_error_memory(f->why));
    }
    size_t count = module ? flm_module_lookup(module, address, code, FLM_CODE_MOST) : 0;
    return count == 0
               ? FLM_NOT_NAMED
               : named(add_functions(f, code, count, flm_module_path(module), FLM_KIND_KERNEL));
}

/* ---- Code that was compiled at run time ------------------------------------------------------ */

static bool find_runtimes(struct flm_naming *f, int32_t process)
{
    struct flm_symbols *symbols = flm_session_symbols(f->session);
    const struct flm_session_options *o = &f->session->options;
    const struct flm_process *known = flm_processes_get(f->session->processes, process);
    symbols->search =
        (struct flm_runtime_search){.process = process,
                                    .live = o->live,
                                    .local = o->live || o->kernel_is_ours,
                                    .dirs = o->symbols.symbol_dirs,
                                    .dir_count = o->symbols.symbol_dir_count,
                                    .oldest_ns = f->session->oldest_ns,
                                    .started_ns = known ? known->started_ns : FLM_NO_TIME,
                                    .files = symbols->runtime_files.at,
                                    .file_count = symbols->runtime_files.count,
                                    .report = flm_session_report(f->session)};
    return flm_runtimes_find(&symbols->search);
}

static enum flm_named name_in_process(struct flm_naming *f, uint64_t address, uint32_t era)
{
    const struct flm_runtime_search *search = &flm_session_symbols(f->session)->search;
    struct flm_jit_frame frames[MOST_JIT_INLINED];
    int64_t time_ns = era ? ((int64_t)(era - 1) << 30) + (1 << 29) : INT64_MAX;
    for (size_t i = 0; i < search->found.count; i++) {
        const struct flm_runtime_found *found = &search->found.at[i];
        size_t count = flm_jit_code_lookup(found->code, address, time_ns, frames, MOST_JIT_INLINED);
        if (count > 0)
            return named(flm_symbols_see_code(f, found, address, time_ns,
                                              jit_function(f, &frames[count - 1])) &&
                         add_jit_frames(f, frames, count));
    }
    return FLM_NOT_NAMED;
}

/* ---- All of them ----------------------------------------------------------------------------- */

struct flm_module **flm_session_wanted(const struct flm_session *s, size_t *count)
{
    struct flm_module **modules = malloc((s->locations.owners.count + 1) * sizeof(*modules));
    *count = 0;
    for (size_t i = 0; modules && i < s->locations.owners.count; i++) {
        const struct flm_location_owner *owner = &s->locations.owners.at[i];
        if (owner->kind == FLM_OWNER_MODULE || (owner->kind == FLM_OWNER_KERNEL && owner->module))
            modules[(*count)++] = owner->module;
    }
    return modules;
}

/* Makes the symbol tables of all modules with locations, in parallel. */
bool flm_symbols_begin(struct flm_naming *f)
{
    struct flm_symbols *symbols = flm_session_symbols(f->session);
    size_t count;
    struct flm_module **modules = flm_session_wanted(f->session, &count);
    if (!modules)
        return flm_error_memory(f->why);
    if (symbols->preloader)
        flm_preloader_wait(symbols->preloader);
    flm_modules_prepare(symbols->modules, modules, count);
    free(modules);
    return true;
}

void flm_symbols_end(struct flm_naming *f)
{
    flm_runtime_search_clear(&flm_session_symbols(f->session)->search);
}

bool flm_symbols_begin_owner(struct flm_naming *f, const struct flm_location_owner *owner)
{
    flm_symbols_end(f);
    return owner->kind != FLM_OWNER_PROCESS || find_runtimes(f, owner->process) ||
           flm_error_memory(f->why);
}

enum flm_named flm_symbols_name(struct flm_naming *f, const struct flm_location_owner *owner,
                                uint32_t era, uint64_t *address)
{
    switch (owner->kind) {
    case FLM_OWNER_MODULE:
        return name_in_module(f, owner->module, address);
    case FLM_OWNER_KERNEL:
        return name_in_kernel(f, owner->module, *address);
    case FLM_OWNER_PROCESS:
        return name_in_process(f, *address, era);
    default:
        return FLM_NOT_NAMED;
    }
}
