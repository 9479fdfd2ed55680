#include "code/find/code_finder.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "code/find/frozen_source.h"
#include "code/find/internal.h"
#include "code/find/profile_module.h"
#include "draw/syntax/syntax.h"
#include "draw/text/cells.h"
#include "profile/chains.h"

/* The file of a module: to find that of the kernel takes as long as to read a list of all of its
 * functions. */
struct known_module {
    uint32_t module; /* a string */
    struct flm_profile_module of;
};

struct flm_code_finder {
    const struct flm_profile *profile;
    struct flm_code_finder_options options;
    struct flm_modules *modules;
    struct flm_kept_codes *kept;
    struct FLM_ARRAY(struct known_module) known;
    uint32_t *location_start; /* by frame, and one more */
};

/* What is looked for: the frames of a function. */
struct finding {
    const struct flm_code_finder *finder;
    const struct flm_profile *p;
    struct flm_bytes name;
    uint32_t module;        /* a string */
    struct flm_bytes asked; /* its name, as it was asked for */
    struct flm_code_store *store;
    struct flm_error *why;
    struct FLM_ARRAY(uint64_t) addresses; /* ascending, each once */
    unsigned char *is_file;               /* by string: it names a file of the function */
    uint32_t kind;                        /* of its frames */
    struct flm_text status;
};

struct flm_code_finder_options flm_code_finder_options_of(const struct flm_sources_options *places)
{
    return (struct flm_code_finder_options){
        .symbols = {.symbol_dirs = places->symbol_dirs,
                    .symbol_dir_count = places->symbol_dir_count,
                    .perf_dir = places->perf_dir,
                    .cache_dir = places->cache_dir,
                    .debuginfod = places->debuginfod},
        .sources = {.folders = places->folders,
                    .folder_count = places->folder_count,
                    .maps = places->maps,
                    .map_count = places->map_count,
                    .folders_only = places->folders_only,
                    .download = places->debuginfod,
                    .most_bytes = places->most_source_bytes},
        .syntax = places->intel ? FLM_ASSEMBLY_INTEL : FLM_ASSEMBLY_ATT,
        .only_sources = places->only_sources};
}

struct flm_code_finder *flm_code_finder_new(const struct flm_profile *profile,
                                            const struct flm_code_finder_options *options,
                                            struct flm_error *why)
{
    assert(profile && options);
    const struct flm_sizes *sizes = &profile->sizes;
    struct flm_code_finder *finder = calloc(1, sizeof *finder);
    if (finder) {
        finder->profile = profile;
        finder->options = *options;
        finder->options.sources.recorded_ns = flm_source_recorded_ns(profile);
        finder->location_start = calloc(sizes->frame_count + 1, sizeof *finder->location_start);
        finder->modules = flm_modules_new(&options->symbols, why);
        finder->kept = flm_kept_codes_new(profile, why);
    }
    if (!finder || !finder->location_start || !finder->modules || !finder->kept) {
        flm_code_finder_free(finder);
        flm_error_memory(why);
        return NULL;
    }
    if (finder->options.sources.recorded_ns)
        flm_modules_recorded(finder->modules, finder->options.sources.recorded_ns,
                             finder->options.sources.recorded_ns);
    for (uint32_t i = 0; flm_has_chains(profile) && i < sizes->frame_count; i++)
        finder->location_start[i + 1] = finder->location_start[i] + profile->frame_locations[i];
    return finder;
}

void flm_code_finder_free(struct flm_code_finder *finder)
{
    if (!finder)
        return;
    flm_modules_free(finder->modules);
    flm_kept_codes_free(finder->kept);
    FLM_ARRAY_CLEAR(&finder->known);
    free(finder->location_start);
    free(finder);
}

/* NULL when memory ran out; good until the next one is found. */
static const struct flm_profile_module *module_of(struct flm_code_finder *finder, uint32_t module)
{
    for (size_t i = 0; i < finder->known.count; i++)
        if (finder->known.at[i].module == module)
            return &finder->known.at[i].of;
    struct known_module new = {.module = module};
    if (!flm_profile_module_find(finder->modules, finder->profile, module, &new.of) ||
        !FLM_ARRAY_ADD(&finder->known, new))
        return NULL;
    return &finder->known.at[finder->known.count - 1].of;
}

/* ---- What the profile knows of it ------------------------------------------------------------ */

static bool is_compiled_at_run_time(const struct finding *f)
{
    return f->kind == FLM_KIND_JIT || f->kind == FLM_KIND_JIT_TIER1;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has_address(const struct finding *f, uint64_t address)
{
    return f->addresses.count > 0 &&
           bsearch(&address, f->addresses.at, f->addresses.count, sizeof address, compare) != NULL;
}

static bool add_address(struct finding *f, uint64_t address)
{
    return address == 0 || FLM_ARRAY_ADD(&f->addresses, address);
}

/* The addresses of its frames, each once. False when memory ran out; `found`: it has frames. */
static bool find_addresses(struct finding *f, bool *found)
{
    const struct flm_profile *p = f->p;
    *found = false;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        if (frame->module != f->module ||
            !flm_bytes_equal(flm_string_bytes(p, frame->function), f->name))
            continue;
        *found = true;
        /* Of what is interpreted, and inlined elsewhere, too, the compiled code is shown. */
        if (!is_compiled_at_run_time(f))
            f->kind = frame->kind;
        f->is_file[frame->file] = 1;
        if (!add_address(f, frame->address))
            return false;
        for (uint32_t k = f->finder->location_start[i]; k < f->finder->location_start[i + 1]; k++)
            if (!add_address(f, p->location_address[k]))
                return false;
    }
    size_t count = 0;
    if (f->addresses.count > 0)
        qsort(f->addresses.at, f->addresses.count, sizeof *f->addresses.at, compare);
    for (size_t i = 0; i < f->addresses.count; i++)
        if (i == 0 || f->addresses.at[i] != f->addresses.at[i - 1])
            f->addresses.at[count++] = f->addresses.at[i];
    f->addresses.count = count;
    return true;
}

/* Those that its locations name, and those of what is inlined at its addresses. */
static void find_files(struct finding *f)
{
    const struct flm_profile *p = f->p;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *frame = &p->frames[i];
        bool is_own = flm_bytes_equal(flm_string_bytes(p, frame->function), f->name);
        if (frame->module != f->module || (!is_own && frame->kind != FLM_KIND_INLINED))
            continue;
        for (uint32_t k = f->finder->location_start[i]; k < f->finder->location_start[i + 1]; k++)
            if (is_own || has_address(f, p->location_address[k])) {
                f->is_file[frame->file] = 1;
                f->is_file[p->location_file[k]] = 1;
            }
    }
}

/* ---- Source ---------------------------------------------------------------------------------- */

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return flm_bytes_of(text->at ? text->at : "");
}

/* Whether a file may be shown to whoever gets a page: a profile may name any file, and its name may
 * be that of a link. */
static bool is_source(const struct flm_source_file *source)
{
    const struct flm_bytes none = {"", 0};
    char path[PATH_MAX];
    if (source->origin != FLM_SOURCE_AS_NAMED)
        return true;
    return realpath(source->path.at, path) && (flm_language_of(flm_bytes_of(path), none) ||
                                               flm_bytes_start_with(flm_bytes_of(path), "/usr/"));
}

/* Whether it is found; what is frozen in Python's program, as its file. */
static bool find_file(const struct flm_code_finder *finder, struct flm_bytes name,
                      struct flm_module *module, struct flm_source_file *source,
                      struct flm_error *why)
{
    struct flm_text path = {0};
    struct flm_source_request request = {.path = name, .module = module};
    bool is_frozen = flm_frozen_source_path(finder->profile, name, &path);
    if (is_frozen)
        request.path = (struct flm_bytes){path.at, path.size};
    *source = (struct flm_source_file){0};
    bool found = path.failed
                     ? flm_error_memory(why)
                     : flm_source_file_find(&finder->options.sources, &request, source, why);
    if (is_frozen && !found) {
        size_t slash = path.size;
        while (slash > 0 && path.at[slash - 1] != '/')
            slash--;
        source->status.size = 0;
        flm_text_add(&source->status, name);
        flm_text_puts(&source->status, " is in the program of Python: its source is ");
        flm_text_add(&source->status, flm_bytes_from(request.path, slash));
        flm_text_puts(&source->status, " of Python's library. Use --source DIR for the folder of "
                                       "that (lib/python3.11)");
        flm_text_putc(&source->status, 0);
    }
    flm_text_clear(&path);
    return found;
}

static bool add_file(const struct flm_code_finder *finder, struct flm_bytes name,
                     struct flm_module *module, struct flm_code_store *store, struct flm_error *why)
{
    if (flm_code_store_file(store, name))
        return true;
    struct flm_error reason = {0};
    struct flm_source_file source;
    bool found = find_file(finder, name, module, &source, &reason);
    if (!found && reason.kind == FLM_ERROR_MEMORY) { /* its texts have no end */
        flm_source_file_clear(&source);
        return flm_error_memory(why);
    }
    if (found && finder->options.only_sources && !is_source(&source)) {
        found = false;
        source.status.size = 0;
        flm_text_puts(&source.status, "its name, or that of what it leads to, is not that of a "
                                      "source file: give its folder with --source");
        flm_text_putc(&source.status, 0);
    }
    const struct flm_code_file file = {
        .name = name,
        .path = found ? bytes_of(&source.path) : flm_bytes_of(""),
        .status = bytes_of(&source.status),
        .is_doubtful = found && (source.fit == FLM_SOURCE_NEWER || source.fit == FLM_SOURCE_OTHER),
        .text = {source.text.at, found ? source.text.size : 0}};
    bool good =
        !source.status.failed ? flm_code_store_add_file(store, &file, why) : flm_error_memory(why);
    flm_source_file_clear(&source);
    return good;
}

static bool add_files(struct finding *f, struct flm_module *module)
{
    bool good = true;
    for (uint32_t i = 1; good && i < f->p->sizes.string_count; i++)
        if (f->is_file[i])
            good = add_file(f->finder, flm_string_bytes(f->p, i), module, f->store, f->why);
    return good;
}

/* ---- Machine code ---------------------------------------------------------------------------- */

static void say(struct finding *f, const char *sentence)
{
    if (f->status.size > 0)
        flm_text_puts(&f->status, "; ");
    flm_text_puts(&f->status, sentence);
}

static bool is_java(const struct finding *f)
{
    for (uint32_t i = 1; i < f->p->sizes.string_count; i++)
        if (f->is_file[i] && flm_bytes_end_with(flm_string_bytes(f->p, i), ".java"))
            return true;
    return false;
}

/* Why there are no addresses. */
static void explain_no_address(struct finding *f)
{
    if (is_compiled_at_run_time(f))
        say(f, "it was compiled at run time, and the profile has no machine code of it: recordings "
               "keep that of runtimes that write a jitdump (node --perf-prof)");
    else if (f->kind == FLM_KIND_INTERPRETED)
        say(f, "it is interpreted, and has no machine code of its own");
    else if (is_java(f))
        say(f, "names and lines of Java come from its VM, without addresses: for machine code "
               "record it with an agent that writes a jitdump (perf's libperf-jvmti.so), without "
               "--java");
    else
        say(f, "the profile has no addresses of it");
}

static void explain_no_module(struct finding *f)
{
    struct flm_bytes path = flm_string_bytes(f->p, f->module);
    if (flm_bytes_start_with(path, "[kernel"))
        say(f, "the running kernel is not known to be the recorded one, or hides its addresses "
               "(sysctl kernel.kptr_restrict)");
    else if (path.size == 0)
        say(f, "the profile does not say which file has it");
    else if (path.at[0] == '[')
        say(f, "it is in no file");
    else
        say(f, "the file at its path is another build");
}

static bool is_in_parts(const struct flm_code_making *making, uint64_t address)
{
    for (size_t i = making->parts.count; i-- > 0;)
        if (making->parts.at[i].start <= address && address < making->parts.at[i].end)
            return true;
    return false;
}

static bool overlaps(const struct flm_code_making *making, const struct flm_elf_range *range)
{
    for (size_t i = 0; i < making->parts.count; i++)
        if (range->start < making->parts.at[i].end && making->parts.at[i].start < range->end)
            return true;
    return false;
}

/* The name of what is at an address, where it is another function. */
static void check_name(struct finding *f, struct flm_module *module, uint64_t address,
                       bool *is_other)
{
    struct flm_code code[FLM_CODE_MOST];
    size_t count = flm_module_lookup(module, address, code, FLM_CODE_MOST);
    count = count < FLM_CODE_MOST ? count : FLM_CODE_MOST;
    bool is_there = count == 0;
    for (size_t i = 0; i < count; i++)
        is_there |= code[i].function.size > 0 && f->name.size >= code[i].function.size &&
                    memcmp(code[i].function.at, f->name.at, code[i].function.size) == 0;
    *is_other |= !is_there;
}

static int compare_parts(const void *a, const void *b)
{
    const struct flm_code_part *x = a, *y = b;
    uint64_t from = x->start + x->moved, other = y->start + y->moved;
    return (from > other) - (from < other);
}

/* The parts of the function that have an address, as many as there is room for; how many are left
 * out. False when memory ran out. */
static bool take_parts(struct finding *f, const struct flm_profile_module *module,
                       struct flm_code_making *making, size_t *left_out, bool *is_other)
{
    uint64_t size = 0;
    *left_out = 0;
    making->parts.count = 0;
    for (size_t i = 0; i < f->addresses.count; i++) {
        uint64_t address;
        struct flm_elf_range range;
        if (!flm_profile_module_address(module, f->addresses.at[i], &address) ||
            is_in_parts(making, address) || !flm_module_function(module->module, address, &range) ||
            range.end <= range.start || overlaps(making, &range))
            continue;
        check_name(f, module->module, address, is_other);
        if (making->parts.count == FLM_CODE_FINDER_MOST_PARTS ||
            range.end - range.start > FLM_CODE_FINDER_MOST - size) {
            ++*left_out;
            continue;
        }
        size += range.end - range.start;
        const struct flm_code_part part = {range.start, range.end, f->addresses.at[i] - address};
        if (!FLM_ARRAY_ADD(&making->parts, part))
            return false;
    }
    return true;
}

/* False when memory ran out. */
static bool find_parts(struct finding *f, const struct flm_profile_module *module,
                       struct flm_code_making *making)
{
    size_t left_out = 0;
    bool is_other = false;
    if (!take_parts(f, module, making, &left_out, &is_other) ||
        (left_out > 0 &&
         (!flm_code_rank_addresses(f->p, f->module, f->name, f->addresses.at, f->addresses.count) ||
          !take_parts(f, module, making, &left_out, &is_other))))
        return false;
    if (making->parts.count > 0)
        qsort(making->parts.at, making->parts.count, sizeof *making->parts.at, compare_parts);
    if (left_out > 0)
        say(f, "it is in too many places: only those that cost most are here");
    if (is_other)
        say(f, "the file has functions of other names at its addresses, and may be another build");
    return true;
}

static void find_compiled_code(struct finding *f, struct flm_code_making *making,
                               struct flm_error *reason)
{
    struct flm_kept_parts taken;
    if (!flm_code_making_take_kept(making, f->addresses.at, f->addresses.count, &taken))
        flm_error_memory(reason);
    else if (making->parts.count == 0)
        say(f, "it was compiled at run time, and its machine code was not kept: only that of "
               "functions with more samples was");
    else if (!flm_code_making_disassemble(making, reason))
        say(f, reason->text);
    else if (taken.left_out > 0 || taken.unkept > 0)
        say(f, "it was compiled several times, and only a part of that is here");
}

static void find_code(struct finding *f, const struct flm_profile_module *module,
                      struct flm_code_making *making, struct flm_error *reason)
{
    making->module = module->module;
    making->kept = f->finder->kept;
    making->syntax = f->finder->options.syntax;
    if (f->addresses.count > 0 && is_compiled_at_run_time(f) && !module->module) {
        find_compiled_code(f, making, reason);
    } else if (f->addresses.count == 0) {
        explain_no_address(f);
    } else if (!module->module) {
        explain_no_module(f);
    } else if (!find_parts(f, module, making)) {
        flm_error_memory(reason);
    } else if (making->parts.count > 0) {
        if (!flm_code_making_disassemble(making, reason))
            say(f, reason->text);
        else if (flm_module_code_is_patched(module->module))
            say(f, "from the vmlinux: a kernel patches its code when it starts and while it runs "
                   "(alternatives, static branches, tracing), so what ran may differ");
        else if (!module->is_known_build)
            say(f, "the profile does not say of which build of the file it is");
    } else if (flm_module_state(module->module) < FLM_MODULE_BARE) {
        struct flm_text explained = {0};
        flm_module_explain(module->module, &explained);
        flm_text_putc(&explained, 0);
        say(f, explained.failed ? "its file is not here" : explained.at);
        flm_text_clear(&explained);
    } else {
        say(f, "where it begins and ends in its file is not known");
    }
}

static const char *machine_name(const struct flm_code_making *making)
{
    enum flm_machine machine =
        making->module ? flm_module_machine(making->module) : FLM_MACHINE_OTHER;
    if (making->parts.count > 0 && making->parts.at[0].kept)
        machine = making->parts.at[0].kept->machine;
    return machine == FLM_MACHINE_X86_64 ? "x86-64" : machine == FLM_MACHINE_ARM64 ? "arm64" : "";
}

static bool add_code(struct finding *f, const struct flm_profile_module *module)
{
    struct flm_code_making making = {0};
    struct flm_error reason = {0};
    find_code(f, module, &making, &reason);
    bool failed = reason.kind == FLM_ERROR_MEMORY || f->status.failed;
    bool has_code = reason.kind == FLM_ERROR_NONE;
    struct flm_code_function function = {.name = f->name,
                                         .module = f->asked,
                                         .status = {f->status.at, f->status.size},
                                         .machine = flm_bytes_of(machine_name(&making)),
                                         .instructions = making.instructions.at,
                                         .instruction_count =
                                             has_code ? making.instructions.count : 0,
                                         .files = making.files.at,
                                         .file_count = has_code ? making.files.count : 0,
                                         .inlined = making.inlined.at,
                                         .inlined_count = has_code ? making.inlined.count : 0};
    /* What the profile says of its mappings may make parts overlap. */
    if (!flm_code_function_check(&function, NULL)) {
        say(f, "the addresses of its parts contradict each other");
        function.status = (struct flm_bytes){f->status.at, f->status.size};
        function.instruction_count = function.file_count = function.inlined_count = 0;
        failed |= f->status.failed;
    }
    bool good = failed ? flm_error_memory(f->why)
                       : flm_code_store_add_function(f->store, &function, f->why);
    flm_code_making_clear(&making);
    return good;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The module of a function, a string; FLM_NONE: the profile has no such one. What is compared has
 * the paths of after: before, the program may have been in another folder. */
static uint32_t find_module(const struct flm_profile *p, struct flm_bytes name,
                            struct flm_bytes module)
{
    uint32_t moved = FLM_NONE;
    struct flm_bytes end = flm_path_end(module);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        if (!flm_bytes_equal(flm_string_bytes(p, p->frames[i].function), name))
            continue;
        struct flm_bytes own = flm_string_bytes(p, p->frames[i].module);
        if (flm_bytes_equal(own, module))
            return p->frames[i].module;
        if (flm_bytes_equal(flm_path_end(own), end))
            moved = moved == FLM_NONE || moved == p->frames[i].module ? p->frames[i].module : 0;
    }
    return moved == 0 ? FLM_NONE : moved;
}

bool flm_code_finder_function(struct flm_code_finder *finder, struct flm_bytes name,
                              struct flm_bytes module, struct flm_code_store *store,
                              struct flm_error *why)
{
    assert(finder && store);
    struct finding f = {.finder = finder,
                        .p = finder->profile,
                        .name = name,
                        .module = find_module(finder->profile, name, module),
                        .asked = module,
                        .store = store,
                        .why = why};
    if (f.module == FLM_NONE)
        return true;
    f.is_file = calloc(f.p->sizes.string_count, 1);
    bool found = false, good = f.is_file && find_addresses(&f, &found);
    const struct flm_profile_module *of = good && found ? module_of(finder, f.module) : NULL;
    good = good && (!found || of);
    if (!good)
        flm_error_memory(why);
    if (good && found && !finder->options.no_source) {
        find_files(&f);
        good = add_files(&f, of->module);
    }
    if (good && found && !finder->options.no_assembly)
        good = add_code(&f, of);
    free(f.is_file);
    FLM_ARRAY_CLEAR(&f.addresses);
    flm_text_clear(&f.status);
    return good;
}

/* Whether a frame, or one of its locations, is in a file of this name. */
static bool names_file(const struct flm_code_finder *finder, uint32_t frame, struct flm_bytes name)
{
    const struct flm_profile *p = finder->profile;
    if (flm_bytes_equal(flm_string_bytes(p, p->frames[frame].file), name))
        return true;
    for (uint32_t k = finder->location_start[frame]; k < finder->location_start[frame + 1]; k++)
        if (flm_bytes_equal(flm_string_bytes(p, p->location_file[k]), name))
            return true;
    return false;
}

/* The module that was compiled from a file, where the profile says which build of it it is: that
 * knows the file's checksum, or has its text. False when memory ran out. */
static bool find_module_of_file(struct flm_code_finder *finder, struct flm_bytes name,
                                bool *is_named, struct flm_module **module)
{
    const struct flm_profile *p = finder->profile;
    uint32_t tried = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count && !*module; i++) {
        uint32_t of_frame = p->frames[i].module;
        if ((*is_named && of_frame == tried) || !names_file(finder, i, name))
            continue;
        *is_named = true;
        tried = of_frame;
        const struct flm_profile_module *of = module_of(finder, of_frame);
        if (!of)
            return false;
        *module = of->is_known_build ? of->module : NULL;
    }
    return true;
}

bool flm_code_finder_file(struct flm_code_finder *finder, struct flm_bytes name,
                          struct flm_code_store *store, struct flm_error *why)
{
    assert(finder && store);
    struct flm_module *module = NULL;
    bool is_named = false;
    if (name.size == 0)
        return true;
    if (!find_module_of_file(finder, name, &is_named, &module))
        return flm_error_memory(why);
    return !is_named || add_file(finder, name, module, store, why);
}
