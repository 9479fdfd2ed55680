/* modules.c - the set of modules: each file once, its tables made by several threads. */
#include <assert.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "os/thread/threads.h"
#include "symbol/registry/internal.h"

/* ---- The set --------------------------------------------------------------------------------- */

/* A copy, owned by the set. */
static const char *copy_string(struct flm_modules *modules, const char *text, bool *failed)
{
    char *copy = text ? strdup(text) : NULL;
    *failed |= text && !copy;
    if (copy)
        modules->texts[modules->text_count++] = copy;
    return copy;
}

static bool keep_options(struct flm_modules *modules, const struct flm_modules_options *options)
{
    bool failed = false;
    enum { SINGLE = 3 };
    struct flm_modules_options *own = &modules->options;
    *own = *options;
    modules->texts = calloc(options->symbol_dir_count + SINGLE, sizeof *modules->texts);
    const char **dirs = calloc(options->symbol_dir_count + 1, sizeof *dirs);
    own->symbol_dirs = dirs;
    if (!modules->texts || !dirs)
        return false;
    for (size_t i = 0; i < options->symbol_dir_count; i++)
        dirs[i] = copy_string(modules, options->symbol_dirs[i], &failed);
    own->debug_dir = copy_string(modules, options->debug_dir, &failed);
    own->perf_dir = copy_string(modules, options->perf_dir, &failed);
    own->cache_dir = copy_string(modules, options->cache_dir, &failed);
    return !failed;
}

struct flm_modules *flm_modules_new(const struct flm_modules_options *options,
                                    struct flm_error *why)
{
    assert(options && (options->symbol_dirs || options->symbol_dir_count == 0));
    struct flm_modules *modules = calloc(1, sizeof *modules);
    if (!modules || !keep_options(modules, options)) {
        flm_modules_free(modules);
        flm_error_memory(why);
        return NULL;
    }
    const struct flm_modules_options *own = &modules->options;
    if (own->debuginfod) {
        modules->find.debuginfod = flm_debuginfod_new(FLM_DEBUGINFOD_PATIENCE_SECONDS, why);
        if (!modules->find.debuginfod) {
            flm_modules_free(modules);
            return NULL;
        }
    }
    modules->find.symbol_dirs = own->symbol_dirs;
    modules->find.symbol_dir_count = own->symbol_dir_count;
    modules->find.debug_dir = own->debug_dir;
    modules->find.perf_dir = own->perf_dir;
    modules->options.threads = own->threads > 0 ? own->threads : flm_processor_count();
    modules->threads = modules->options.threads;
    elf_version(EV_CURRENT);
    return modules;
}

void flm_module_free(struct flm_module *module)
{
    flm_code_table_free(module->code);
    flm_unwind_table_free(module->unwind);
    flm_module_drop_functions(module);
    free(module->ranges);
    flm_cache_close(&module->cached_code);
    flm_cache_close(&module->cached_unwind);
    flm_elf_free(module->file);
    flm_text_clear(&module->file_path);
    flm_plain_names_clear(&module->names);
    free((char *)(uintptr_t)module->path.at);
    free(module);
}

void flm_modules_kernel(struct flm_modules *modules, bool is_ours)
{
    modules->options.kernel_is_ours = is_ours;
}

void flm_modules_recorded(struct flm_modules *modules, int64_t from_ns, int64_t until_ns)
{
    modules->find.from_ns = from_ns;
    modules->find.until_ns = until_ns;
}

void flm_modules_free(struct flm_modules *modules)
{
    if (!modules)
        return;
    for (size_t i = 0; i < modules->items.count; i++)
        flm_module_free(modules->items.at[i]);
    for (size_t i = 0; i < modules->text_count; i++)
        free(modules->texts[i]);
    free(modules->texts);
    free((void *)(uintptr_t)modules->options.symbol_dirs);
    FLM_ARRAY_CLEAR(&modules->items);
    FLM_ARRAY_CLEAR(&modules->requests);
    flm_index_clear(&modules->request_index);
    flm_debuginfod_free(modules->find.debuginfod);
    free(modules);
}

/* ---- Requests -------------------------------------------------------------------------------- */

uint32_t flm_request_hash(struct flm_bytes path, const struct flm_build_id *id)
{
    return (uint32_t)(flm_hash(path.at, path.size) ^ flm_hash(id->bytes, id->size));
}

/* With a build id, or an image, the file does not depend on the process. */
static int process_of(const struct flm_module_request *request)
{
    return request->build_id.size || request->image.size ? 0 : request->process;
}

static bool is_same(const struct flm_request *known, const struct flm_module_request *request)
{
    return flm_bytes_equal(known->path, request->path) &&
           flm_build_id_equal(&known->id, &request->build_id) &&
           ((request->build_id.size > 0 && !request->id_is_of_path) ||
            flm_mapped_file_equal(&known->mapped, &request->mapped)) &&
           known->process == process_of(request) && known->image.at == request->image.at &&
           known->kernel_text == request->kernel_text;
}

static void find_image(struct flm_module *module, struct flm_bytes image)
{
    module->file = flm_elf_new(image, &module->why);
    if (!module->file) {
        module->state = FLM_MODULE_DAMAGED;
    } else if (module->id.size && !flm_build_id_equal(&module->file->build_id, &module->id)) {
        module->state = FLM_MODULE_CHANGED;
        module->other_id = module->file->build_id;
        flm_elf_free(module->file);
        module->file = NULL;
    }
}

static void find_file(struct flm_module *module, bool id_is_of_path)
{
    struct flm_found found;
    const struct flm_wanted_program wanted = {.path = module->path,
                                              .id = module->id,
                                              .mapped = module->mapped,
                                              .id_is_of_path = id_is_of_path,
                                              .process = module->process};
    flm_find_program(&module->modules->find, &wanted, &found, &module->why);
    module->file = found.file;
    module->file_path = found.path;
    if (!found.file)
        module->state = found.is_changed   ? FLM_MODULE_CHANGED
                        : found.is_damaged ? FLM_MODULE_DAMAGED
                                           : FLM_MODULE_MISSING;
    module->other_id = found.other;
    module->is_denied = found.is_denied;
    if (found.has_no_id)
        module->id.size = 0;
}

static struct flm_module *module_new(const struct flm_modules *modules,
                                     const struct flm_module_request *request)
{
    struct flm_module *module = calloc(1, sizeof *module);
    char *path = malloc(request->path.size + 1);
    if (!module || !path) {
        free(module);
        free(path);
        return NULL;
    }
    if (request->path.size)
        memcpy(path, request->path.at, request->path.size);
    path[request->path.size] = 0;
    module->modules = modules;
    module->path = (struct flm_bytes){path, request->path.size};
    module->name = module->path;
    for (size_t i = 0; i + 1 < module->path.size; i++)
        if (path[i] == '/')
            module->name = (struct flm_bytes){path + i + 1, module->path.size - i - 1};
    module->id = request->build_id;
    module->mapped = request->mapped;
    module->process = request->process;
    module->kernel_text = request->kernel_text;
    struct flm_bytes symbol =
        request->kernel_symbol.size ? request->kernel_symbol : flm_bytes_of("_text");
    if (symbol.size < sizeof module->kernel_symbol)
        memcpy(module->kernel_symbol, symbol.at, symbol.size);
    else
        module->kernel_text = 0;
    module->state = FLM_MODULE_BARE;
    flm_plain_names_init(&module->names);

    if (request->image.size)
        find_image(module, request->image);
    if (flm_is_kernel_path(module->path))
        module->is_kernel = true;
    else if (!module->file && (module->id.size || !request->image.size))
        find_file(module, request->id_is_of_path);
    if (module->file && module->id.size == 0)
        module->id = module->file->build_id;
    module->is_go = module->file && flm_elf_is_go(module->file);
    module->bare = module->state;
    module->used = module->unwind_used = modules->round;
    module->code_used = modules->round;
    if (module->file)
        flm_elf_release_pages(module->file); /* most are never used */
    return module;
}

/* Whether both are the same file: by build id, without one by identity on disk; or both are
 * missing. */
static bool are_same(const struct flm_module *a, const struct flm_module *b)
{
    if (!flm_build_id_equal(&a->id, &b->id))
        return false;
    if (!a->file && !b->file)
        return a->id.size == 0 && a->state == FLM_MODULE_MISSING && b->state == FLM_MODULE_MISSING;
    return a->file && b->file && (a->id.size || flm_elf_is_same(a->file, b->file));
}

/* The number of an earlier module that is the same file. */
static bool find_same(const struct flm_modules *modules, const struct flm_module *module,
                      uint32_t *same)
{
    if (module->is_kernel)
        return false;
    for (uint32_t i = 0; i < modules->items.count; i++) {
        const struct flm_module *other = modules->items.at[i];
        if (are_same(other, module) && flm_bytes_equal(other->path, module->path)) {
            *same = i;
            return true;
        }
    }
    return false;
}

struct flm_module *flm_modules_get(struct flm_modules *modules,
                                   const struct flm_module_request *request)
{
    assert(modules && request && request->build_id.size <= FLM_BUILD_ID_MOST);
    uint32_t hash = flm_request_hash(request->path, &request->build_id);
    for (struct flm_probe at = flm_index_probe(&modules->request_index, hash);
         flm_index_next(&modules->request_index, &at);)
        if (is_same(&modules->requests.at[at.found], request))
            return modules->items.at[modules->requests.at[at.found].module];

    bool room = FLM_ARRAY_RESERVE(&modules->items, 1) && FLM_ARRAY_RESERVE(&modules->requests, 1);
    struct flm_module *module = room ? module_new(modules, request) : NULL;
    if (!module)
        return NULL;
    uint32_t number = (uint32_t)modules->items.count;
    if (find_same(modules, module, &number)) {
        flm_module_free(module);
        module = modules->items.at[number];
    }
    if (!flm_index_add(&modules->request_index, hash, (uint32_t)modules->requests.count)) {
        if (number == modules->items.count)
            flm_module_free(module);
        return NULL;
    }
    modules->requests.at[modules->requests.count++] =
        (struct flm_request){.module = number,
                             .process = process_of(request),
                             .id = request->build_id,
                             .mapped = request->mapped,
                             .path = module->path,
                             .image = request->image,
                             .kernel_text = request->kernel_text};
    if (number == modules->items.count)
        modules->items.at[modules->items.count++] = module;
    return module;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static void prepare_one(void *context, size_t i)
{
    struct flm_module *const *wanted = context;
    flm_module_prepare(wanted[i]);
}

static int by_pointer(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (struct flm_module *const *)a;
    uintptr_t y = (uintptr_t) * (struct flm_module *const *)b;
    return (x > y) - (x < y);
}

static int by_size(const void *a, const void *b)
{
    const struct flm_module *x = *(struct flm_module *const *)a;
    const struct flm_module *y = *(struct flm_module *const *)b;
    size_t x_size = x->file ? x->file->image.size : 0, y_size = y->file ? y->file->image.size : 0;
    return (x_size < y_size) - (x_size > y_size);
}

void flm_modules_prepare(struct flm_modules *modules, struct flm_module *const *wanted,
                         size_t count)
{
    /* Each once; the largest first, so that no thread starts with it when the others are done. */
    struct flm_module **each = malloc((count + 1) * sizeof(struct flm_module *));
    if (!each) {
        for (size_t i = 0; i < count; i++)
            if (wanted[i])
                flm_module_prepare(wanted[i]);
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        each[i] = wanted[i];
    qsort(each, count, sizeof(struct flm_module *), by_pointer);
    for (size_t i = 0; i < count; i++)
        if (each[i] && (i == 0 || each[i] != each[i - 1]))
            each[kept++] = each[i];
    qsort(each, kept, sizeof(struct flm_module *), by_size);
    /* With fewer modules than threads, several of them read the units of one module. */
    int threads = modules->options.threads;
    modules->threads = kept < (size_t)threads ? threads / (int)(kept ? kept : 1) : 1;
    flm_threads_run(threads, kept, prepare_one, each);
    modules->threads = threads;
    free(each);
}
