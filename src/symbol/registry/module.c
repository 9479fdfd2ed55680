#include "symbol/registry/module.h"

#include <libelf.h>
#include <stdlib.h>

#include "base/text/clone_name.h"
#include "symbol/dwarf/walk.h"
#include "symbol/registry/internal.h"

struct flm_bytes flm_module_name(const struct flm_module *module)
{
    return module->name;
}

struct flm_bytes flm_module_path(const struct flm_module *module)
{
    return module->path;
}

const struct flm_build_id *flm_module_build_id(const struct flm_module *module)
{
    return &module->id;
}

bool flm_module_address(const struct flm_module *module, uint64_t file_offset, uint64_t *address)
{
    if (module->is_kernel) {
        *address = file_offset;
        return true;
    }
    return module->file && flm_elf_address(module->file, file_offset, address);
}

/* ---- Its code table -------------------------------------------------------------------------- */

bool flm_module_open_cached(struct flm_module *module, const char *kind)
{
    struct flm_cached cached =
        flm_cache_open(module->modules->options.cache_dir, &module->id, kind);
    if (!cached.mapping)
        return false;
    module->code = flm_code_table_open(cached.bytes, NULL);
    if (module->code)
        module->cached_code = cached;
    else
        flm_cache_close(&cached);
    flm_cache_release_pages(&module->cached_code);
    return module->code != NULL;
}

bool flm_module_finish(struct flm_module *module, struct flm_code_maker *maker, const char *kind)
{
    const char *dir = module->modules->options.cache_dir;
    bool is_kept = false;
    module->code = flm_code_maker_finish(maker, &module->why);
    if (!module->code)
        module->state = FLM_MODULE_BARE;
    if (module->code && dir && module->id.size && kind) {
        struct flm_text bytes = {0};
        flm_code_table_write(module->code, &bytes);
        if (!bytes.failed)
            is_kept =
                flm_cache_store(dir, &module->id, kind, (struct flm_bytes){bytes.at, bytes.size});
        flm_text_clear(&bytes);
    }
    /* A mapped table needs memory only for the pages that are used, and the system may reclaim
     * them. */
    struct flm_code_table *made = module->code;
    if (is_kept && flm_module_open_cached(module, kind))
        flm_code_table_free(made);
    else
        module->code = made;
    return module->code != NULL;
}

/* A handle of libelf for the same bytes. libelf writes to them: `copy` receives a copy of bytes
 * that are not ours. */
static Elf *elf_of(const struct flm_elf_file *file, char **copy)
{
    *copy = NULL;
    if (!file)
        return NULL;
    char *image = (char *)(uintptr_t)file->image.at;
    if (!file->mapping) {
        image = *copy = malloc(file->image.size);
        if (!image)
            return NULL;
        memcpy(image, file->image.at, file->image.size);
    }
    return elf_memory(image, file->image.size);
}

bool flm_module_walk(struct flm_module *module, const struct flm_elf_file *debug,
                     struct flm_bytes path, struct flm_code_maker *maker, struct flm_error *why)
{
    struct flm_elf_file *shared = flm_find_alternate(&module->modules->find, debug, path);
    char *copy, *shared_copy;
    Elf *elf = elf_of(debug, &copy), *alternate = elf_of(shared, &shared_copy);
    struct flm_dwarf_report report = {0};
    bool done = elf ? flm_dwarf_walk(elf, alternate, module->modules->threads, maker, &report, why)
                    : flm_error_set(why, FLM_ERROR_FORMAT, "not an ELF file that libelf can read");
    elf_end(alternate);
    elf_end(elf);
    free(shared_copy);
    free(copy);
    flm_elf_free(shared);
    module->go_units = report.go_units;
    module->missing_split = report.missing_split;
    memcpy(module->missing_name, report.missing_name, sizeof module->missing_name);
    return done;
}

static struct flm_bytes path_text(const struct flm_text *path)
{
    return (struct flm_bytes){path->at, path->size ? path->size - 1 : 0};
}

/* The files that a module's symbols come from. */
struct sources {
    struct flm_found debug;                     /* a separate file */
    struct flm_elf_file *mini;                  /* .gnu_debugdata */
    const struct flm_elf_file *walked, *listed; /* with DWARF, with .symtab; NULL: none */
};

static void find_sources(struct flm_module *module, struct sources *sources)
{
    bool names_only = module->modules->options.names_only;
    const struct flm_elf_file *file = module->file;
    bool has_info = file && flm_elf_has_debug_info(file);
    bool has_symbols = file && flm_elf_has_symbols(file);
    if (names_only ? !has_symbols : !has_info)
        flm_find_debug(&module->modules->find, file, module->path, &module->id, module->process,
                       names_only, &sources->debug);
    const struct flm_elf_file *debug = sources->debug.file;
    if (!names_only)
        sources->walked = has_info ? file : debug && flm_elf_has_debug_info(debug) ? debug : NULL;
    sources->listed = has_symbols ? file : debug && flm_elf_has_symbols(debug) ? debug : NULL;
    if (file && !sources->listed && !sources->walked) {
        sources->mini = flm_elf_mini_symbols(file);
        if (sources->mini && flm_elf_has_symbols(sources->mini))
            sources->listed = sources->mini;
    }
}

/* The kind of the cached file. Each way to make a table has its own, so that debug information
 * which is installed later is used. */
static const char *kind_of(const struct flm_module *module)
{
    if (module->modules->options.names_only)
        return module->state == FLM_MODULE_SYMBOLS ? "names" : "exports";
    return module->state == FLM_MODULE_COMPLETE  ? "code"
           : module->state == FLM_MODULE_SYMBOLS ? "symbols"
                                                 : "exports";
}

static void make_table(struct flm_module *module, struct sources *sources)
{
    struct flm_code_maker *maker = flm_code_maker_new(&module->why);
    if (!maker) {
        module->state = FLM_MODULE_BARE;
        return;
    }
    if (sources->walked) {
        struct flm_bytes path =
            path_text(sources->walked == module->file ? &module->file_path : &sources->debug.path);
        if (!flm_module_walk(module, sources->walked, path, maker, &module->why)) {
            sources->walked = NULL;
            module->state = FLM_MODULE_SYMBOLS;
        }
    }
    const struct flm_elf_file *layout = module->file ? module->file : sources->debug.file;
    if (layout)
        flm_elf_add_sections(layout, maker);
    /* Of a program that has C in it too, DWARF may describe only that. */
    bool is_go_bare = module->is_go && !module->modules->options.names_only &&
                      (!sources->walked || module->go_units == 0);
    size_t found = is_go_bare ? flm_elf_add_go_code(module->file, maker) : 0;
    if (found > 0)
        module->state = FLM_MODULE_COMPLETE;
    if (sources->listed)
        found += flm_elf_add_symbols(sources->listed, FLM_ELF_SYMTAB, maker);
    else if (module->is_go && found == 0)
        found += flm_elf_add_go_functions(module->file, maker);
    size_t listed = found;
    /* .symtab includes .dynsym; mini symbols do not. */
    if (module->file && (!listed || sources->mini))
        found += flm_elf_add_symbols(module->file, FLM_ELF_DYNSYM, maker);
    if (module->file)
        found += flm_elf_add_symbols(module->file, FLM_ELF_PLT, maker);
    if (module->state != FLM_MODULE_COMPLETE)
        module->state = listed ? FLM_MODULE_SYMBOLS : found ? FLM_MODULE_EXPORTS : FLM_MODULE_BARE;
    /* With an error the table is not cached: the missing files may be there next time. */
    bool is_complete = module->why.kind == FLM_ERROR_NONE && module->missing_split == 0;
    flm_module_finish(module, maker, is_complete ? kind_of(module) : NULL);
}

static void prepare_file(struct flm_module *module)
{
    /* A complete table needs no search for debug files. */
    bool names_only = module->modules->options.names_only;
    if (!names_only && flm_module_open_cached(module, "code")) {
        module->state = FLM_MODULE_COMPLETE;
        return;
    }
    struct sources sources = {0};
    enum flm_module_state without = module->state; /* without a separate debug file */
    find_sources(module, &sources);
    if (module->file || sources.debug.file) {
        module->state = sources.walked                    ? FLM_MODULE_COMPLETE
                        : sources.listed || module->is_go ? FLM_MODULE_SYMBOLS
                                                          : FLM_MODULE_EXPORTS;
        if (sources.walked || !flm_module_open_cached(module, kind_of(module)))
            make_table(module, &sources);
        if (!module->file && !module->code)
            module->state = without;
    }
    flm_elf_free(sources.mini);
    flm_found_clear(&sources.debug);
}

void flm_module_prepare(struct flm_module *module)
{
    if (module->code_tried)
        return;
    module->code_tried = true;
    if (module->is_kernel)
        flm_module_prepare_kernel(module);
    else if (module->file || module->id.size)
        prepare_file(module);
    if (module->file)
        flm_elf_release_pages(module->file);
}

size_t flm_module_lookup(struct flm_module *module, uint64_t address, struct flm_code *code,
                         size_t capacity)
{
    flm_module_prepare(module);
    module->code_used = module->modules->round;
    if (!module->code)
        return 0;
    size_t count = flm_code_table_lookup(module->code, address - module->slide, code, capacity);
    for (size_t i = 0; i < count && i < capacity; i++) {
        struct flm_bytes name = code[i].function;
        if (!module->is_go)
            name.size = flm_clone_base(name);
        code[i].clone = flm_bytes_from(code[i].function, name.size);
        code[i].function = flm_plain_names_get(&module->names, name);
        code[i].start += module->slide;
    }
    return count;
}

/* ---- State ----------------------------------------------------------------------------------- */

enum flm_module_state flm_module_state(struct flm_module *module)
{
    flm_module_prepare(module);
    return module->state;
}

static void add_id(struct flm_text *out, const struct flm_build_id *id)
{
    if (id->size)
        flm_build_id_print(id, out);
    else
        flm_text_puts(out, "none");
}

static void explain_kernel(const struct flm_module *module, struct flm_text *out)
{
    if (module->is_hidden)
        flm_text_puts(out, "the kernel hides its addresses: run as root, or allow it with "
                           "'sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1'");
    else if (module->state == FLM_MODULE_MISSING)
        flm_text_puts(out, "it was recorded on another kernel, or before this one was booted: copy "
                           "its vmlinux to DIR/.build-id/xx/yyyy.debug and use --symbols DIR");
    else if (module->state == FLM_MODULE_BARE)
        flm_text_puts(out, "the kernel lists no functions for it in /proc/kallsyms");
    else
        flm_text_puts(out, "functions have names; their lines need the kernel's debug information "
                           "(Debian and Ubuntu: linux-image-...-dbg or -dbgsym)");
}

static void explain_missing(const struct flm_module *module, const char *what, struct flm_text *out)
{
    struct flm_debuginfod *debuginfod = module->modules->find.debuginfod;
    flm_text_format(
        out,
        "%s: install the debug information (Debian and Ubuntu: -dbgsym packages, Fedora: "
        "debuginfo-install)%s, or use --symbols DIR for the folder that has it",
        what,
        debuginfod ? ""
                   : ", query servers with --debuginfod "
                     "(DEBUGINFOD_URLS=https://debuginfod.elfutils.org)");
    if (debuginfod) {
        struct flm_debuginfod_counts counts = flm_debuginfod_counts(debuginfod);
        if (counts.failed)
            flm_text_format(out, "; --debuginfod failed: %s", counts.reason);
        else
            flm_text_puts(out, "; no debuginfod server has it");
    }
}

static void explain_changed(const struct flm_module *module, struct flm_text *out)
{
    struct flm_bytes found = path_text(&module->file_path);
    bool is_below_proc = flm_bytes_start_with(found, "/proc/");
    flm_text_add(out, found.size && !is_below_proc ? found : module->path);
    if (module->id.size) {
        flm_text_puts(out, " was replaced after it was recorded: its build id is ");
        add_id(out, &module->other_id);
        flm_text_puts(out, " and was ");
        add_id(out, &module->id);
    } else {
        flm_text_puts(out, " is another file than the one that was mapped, by its inode");
    }
    if (module->is_denied)
        flm_text_puts(out, "; the mapped one still exists, and root can read it");
    else
        flm_text_puts(out, "; if there is a copy of the mapped one, use --symbols DIR");
}

bool flm_module_lacks_split(struct flm_module *module)
{
    return flm_module_state(module) == FLM_MODULE_COMPLETE && module->missing_split > 0;
}

void flm_module_explain(struct flm_module *module, struct flm_text *out)
{
    enum flm_module_state state = flm_module_state(module);
    if (state == FLM_MODULE_COMPLETE && module->missing_split) {
        flm_text_format(
            out,
            "the debug information of %zu of its units is in files that were not found, "
            "such as %s; packages of such files (.dwp) are not read",
            module->missing_split, module->missing_name);
        return;
    }
    if (state == FLM_MODULE_COMPLETE) {
        flm_text_puts(out, "functions, lines and inlined functions are known");
        return;
    }
    if (module->is_kernel) {
        explain_kernel(module, out);
        return;
    }
    switch (state) {
    case FLM_MODULE_MISSING:
        flm_text_puts(out, "the file ");
        flm_text_add(out, module->path);
        explain_missing(module, " was not found, nor its debug information", out);
        break;
    case FLM_MODULE_CHANGED:
        explain_changed(module, out);
        break;
    case FLM_MODULE_DAMAGED:
        flm_text_puts(out, module->why.text);
        break;
    case FLM_MODULE_BARE:
        if (module->why.kind == FLM_ERROR_MEMORY)
            flm_text_puts(out, "its symbols do not fit into memory");
        else
            explain_missing(module, "stripped of its symbols", out);
        break;
    case FLM_MODULE_EXPORTS:
        explain_missing(module, "only exported functions have names", out);
        break;
    default:
        if (module->modules->options.names_only)
            flm_text_puts(out, "functions have names; lines were not requested");
        else if (module->why.kind != FLM_ERROR_NONE)
            flm_text_format(out, "its debug information cannot be read: %s", module->why.text);
        else
            explain_missing(module,
                            "functions have names, but it was compiled without -g or its debug "
                            "information is elsewhere",
                            out);
    }
}
