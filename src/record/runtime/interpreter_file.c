#include "record/runtime/interpreter_file.h"

#include <stdio.h>
#include <unistd.h>

#include "base/core/path_name.h"
#include "symbol/registry/module.h"

bool flm_interpreter_is_named(struct flm_bytes path, const char *name)
{
    struct flm_bytes last = flm_path_last(path, "/");
    size_t size = strlen(name);
    if (flm_bytes_start_with(last, "lib"))
        return flm_bytes_start_with(flm_bytes_from(last, 3), name);
    return flm_bytes_start_with(last, name) &&
           (last.size == size || flm_is_one_of(last.at[size], "-.0123456789"));
}

static size_t read_link(int32_t process, const char *name, char *text)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/%s", process, name);
    ssize_t size = readlink(link, text, FLM_PROGRAM_PATH_MOST);
    return size > 0 && size < FLM_PROGRAM_PATH_MOST ? (size_t)size : 0;
}

void flm_program_paths_read(struct flm_program_paths *paths, int32_t process)
{
    paths->program_size = read_link(process, "exe", paths->program);
    paths->root_size = read_link(process, "root", paths->root);
    if (paths->root_size == 1)
        paths->root_size = 0;
}

/* A path as the process sees it, of one as we do; size 0: it is not below another root. */
static struct flm_bytes below_root(const struct flm_program_paths *paths, struct flm_bytes path)
{
    bool is_below = paths->root_size > 0 && path.size > paths->root_size &&
                    memcmp(path.at, paths->root, paths->root_size) == 0 &&
                    path.at[paths->root_size] == '/';
    return flm_bytes_from(path, is_below ? paths->root_size : path.size);
}

bool flm_program_paths_are(const struct flm_program_paths *paths, struct flm_bytes path)
{
    struct flm_bytes program = {paths->program, paths->program_size};
    return path.size > 0 &&
           (flm_bytes_equal(path, program) || flm_bytes_equal(path, below_root(paths, program)));
}

static struct flm_elf_file *open_below_root(int32_t process, struct flm_bytes path)
{
    char location[FLM_PROGRAM_PATH_MOST + 64];
    if (path.size == 0 || path.at[0] != '/' || path.size >= FLM_PROGRAM_PATH_MOST)
        return NULL;
    snprintf(location, sizeof location, "/proc/%d/root%.*s", process, (int)path.size, path.at);
    return flm_elf_open(location, NULL);
}

static bool try_file(const struct flm_process *process, const struct flm_mapping *mapping,
                     const struct flm_program_paths *paths, struct flm_bytes path,
                     flm_interpreter_file_visit visit, void *context)
{
    uint64_t address;
    if (!flm_module_address(mapping->module, mapping->file_offset, &address))
        return false;
    struct flm_elf_file *elf = open_below_root(process->id, path);
    if (!elf)
        elf = open_below_root(process->id, below_root(paths, path));
    const struct flm_interpreter_file file = {path, mapping, elf, mapping->start - address};
    bool found = elf && elf->is_wide && !elf->swapped && visit(context, &file);
    flm_elf_free(elf);
    return found;
}

bool flm_interpreter_file_find(const struct flm_process *process,
                               bool (*is_named)(struct flm_bytes path),
                               flm_interpreter_file_visit visit, void *context)
{
    struct flm_program_paths paths;
    const struct flm_module *last = NULL;
    flm_program_paths_read(&paths, process->id);
    for (size_t i = 0; i < process->mapping_count; i++) {
        const struct flm_mapping *mapping = &process->mappings[i];
        if (!mapping->module || mapping->in_kernel || mapping->module == last)
            continue;
        last = mapping->module;
        struct flm_bytes path = flm_module_path(mapping->module);
        if ((is_named(path) || flm_program_paths_are(&paths, path)) &&
            try_file(process, mapping, &paths, path, visit, context))
            return true;
    }
    return false;
}

struct flm_elf_range flm_interpreter_code(const struct flm_process *process, uint64_t address)
{
    const struct flm_mapping *code = flm_process_find(process, address);
    return code ? (struct flm_elf_range){code->start, code->end} : (struct flm_elf_range){0, 0};
}
