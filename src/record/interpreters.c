#include "record/interpreters.h"

#include <assert.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number/number.h"
#include "record/runtime/interpreter_file.h"
#include "record/runtimes.h"
#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

enum { MOST_PATH = 4096, REMEMBERED = 1024 };

struct known_process {
    int32_t id;
    bool is_used;
    uint32_t found;
    uint64_t changed; /* of its mappings, when they were looked at */
};

/* A program: what its symbols say. */
struct known_program {
    dev_t device;
    ino_t inode;
    uint32_t found;
};

struct flm_interpreters {
    const struct flm_runtime *runtimes[FLM_INTERPRETERS_MOST];
    size_t count;
    bool use_symbols;
    struct known_process processes[REMEMBERED]; /* by the last digits of their ids */
    struct FLM_ARRAY(struct known_program) programs;
};

struct flm_interpreters *flm_interpreters_new(const struct flm_runtime *const *runtimes,
                                              size_t count)
{
    assert(count <= FLM_INTERPRETERS_MOST && (runtimes || count == 0));
    struct flm_interpreters *all = calloc(1, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        all->runtimes[all->count++] = runtimes[i];
        all->use_symbols = all->use_symbols || runtimes[i]->symbol || runtimes[i]->section;
    }
    return all;
}

void flm_interpreters_free(struct flm_interpreters *all)
{
    if (!all)
        return;
    free(all->programs.at);
    free(all);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static uint32_t find_symbols(const struct flm_interpreters *all, const struct flm_elf_file *file)
{
    struct flm_bytes table = flm_elf_bytes(file, flm_elf_section(file, ".dynsym"));
    struct flm_bytes names = flm_elf_bytes(file, flm_elf_section(file, ".dynstr"));
    uint32_t found = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->runtimes[i]->section && flm_elf_section(file, all->runtimes[i]->section))
            found |= UINT32_C(1) << i;
    for (; table.size >= sizeof(Elf64_Sym); table.at += sizeof(Elf64_Sym)) {
        uint64_t at = flm_elf_number(file, table.at, 4);
        uint64_t section = flm_elf_number(file, table.at + 6, 2);
        table.size -= sizeof(Elf64_Sym);
        if (section == SHN_UNDEF || at >= names.size)
            continue;
        for (size_t i = 0; i < all->count; i++) {
            const char *wanted = all->runtimes[i]->symbol;
            if (wanted && strlen(wanted) < names.size - at && strcmp(names.at + at, wanted) == 0)
                found |= UINT32_C(1) << i;
        }
    }
    return found;
}

/* What a program exports: one that has an interpreter built in does so for its extensions. Others
 * have a section that no other program has. */
static bool find_program(struct flm_interpreters *all, int32_t process, uint32_t *found)
{
    char location[64];
    struct stat file_is;
    snprintf(location, sizeof location, "/proc/%d/exe", process);
    if (stat(location, &file_is) != 0)
        return true; /* it has ended */
    for (size_t i = 0; i < all->programs.count; i++) {
        const struct known_program *known = &all->programs.at[i];
        if (known->device == file_is.st_dev && known->inode == file_is.st_ino) {
            *found |= known->found;
            return true;
        }
    }
    struct flm_elf_file *file = flm_elf_open(location, NULL);
    struct known_program program = {.device = file_is.st_dev, .inode = file_is.st_ino};
    if (file && file->is_wide && !file->swapped)
        program.found = find_symbols(all, file);
    flm_elf_free(file);
    *found |= program.found;
    return FLM_ARRAY_ADD(&all->programs, program);
}

/* ---- Processes ------------------------------------------------------------------------------- */

static bool look(struct flm_interpreters *all, const struct flm_process *process, uint32_t *found)
{
    struct flm_program_paths own = {.program_size = 0};
    const struct flm_module *last = NULL;
    *found = 0;
    if (all->use_symbols)
        flm_program_paths_read(&own, process->id);
    bool good = true;
    for (size_t i = 0; i < process->mapping_count && good; i++) {
        const struct flm_mapping *mapping = &process->mappings[i];
        if (!mapping->module || mapping->in_kernel || mapping->module == last)
            continue;
        last = mapping->module;
        struct flm_bytes path = flm_module_path(mapping->module);
        for (size_t k = 0; k < all->count; k++)
            if (all->runtimes[k]->is_interpreter && all->runtimes[k]->is_interpreter(path))
                *found |= UINT32_C(1) << k;
        if (flm_program_paths_are(&own, path))
            good = find_program(all, process->id, found);
    }
    return good;
}

bool flm_interpreters_know(const struct flm_interpreters *all, const struct flm_process *process)
{
    const struct known_process *known = &all->processes[(uint32_t)process->id % REMEMBERED];
    return known->is_used && known->id == process->id && known->changed == process->changed;
}

bool flm_interpreters_find(struct flm_interpreters *all, const struct flm_process *process,
                           uint32_t *found)
{
    struct known_process *known = &all->processes[(uint32_t)process->id % REMEMBERED];
    if (!flm_interpreters_know(all, process)) {
        known->is_used = false;
        if (!look(all, process, &known->found))
            return false;
        known->id = process->id;
        known->changed = process->changed;
        known->is_used = true;
    }
    *found = known->found;
    return true;
}

/* ---- Before a recording ---------------------------------------------------------------------- */

static bool is_readable_interpreter(struct flm_bytes path)
{
    const struct flm_runtime *runtime = flm_runtime_of_interpreter(path);
    return runtime && runtime->attach;
}

bool flm_interpreters_run(int32_t process, const char *root)
{
    char path[256], line[MOST_PATH + 256];
    snprintf(path, sizeof path, "%s/proc/%d/maps", root, process);
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *name = strchr(line, '/'), *rights = strchr(line, ' ');
        found = name && rights && strlen(rights) > 3 && rights[3] == 'x' &&
                is_readable_interpreter((struct flm_bytes){name, strcspn(name, "\n")});
    }
    if (file)
        fclose(file);
    return found;
}

bool flm_interpreters_run_anywhere(const char *root)
{
    char path[256];
    snprintf(path, sizeof path, "%s/proc", root);
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        uint64_t process;
        found = flm_number_parse_uint(flm_bytes_of(entry->d_name), &process) &&
                process <= INT32_MAX && flm_interpreters_run((int32_t)process, root);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* The word behind "#!", or behind "#!/usr/bin/env". */
static bool read_first_line(const char *file, char *word, size_t size)
{
    char line[256];
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = descriptor >= 0 ? read(descriptor, line, sizeof line - 1) : -1;
    if (descriptor >= 0)
        close(descriptor);
    line[got > 0 ? got : 0] = 0;
    if (strncmp(line, "#!", 2) != 0)
        return false;
    const char *at = line + 2;
    for (int words = 0; words < 8; words++) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, " \t\n");
        const char *name = at;
        for (size_t i = 0; i < length; i++)
            if (at[i] == '/')
                name = at + i + 1;
        size_t rest = length - (size_t)(name - at);
        if (length == 0 || length >= size)
            return false;
        bool is_env = rest == 3 && memcmp(name, "env", 3) == 0;
        if (!is_env && *at != '-' && !memchr(at, '=', length)) {
            memcpy(word, at, length);
            word[length] = 0;
            return true;
        }
        at += length;
    }
    return false;
}

/* Shells, build tools and wrappers are there to start other programs, and which is not known
 * before. */
static bool is_starter(struct flm_bytes path)
{
    static const char *const starters[] = {
        "/sh",      "/dash",    "/bash",   "/zsh",    "/ksh",   "/fish",  "/busybox",
        "/env",     "/make",    "/gmake",  "/ninja",  "/ctest", "/find",  "/xargs",
        "/time",    "/timeout", "/nice",   "/ionice", "/chrt",  "/nohup", "/sudo",
        "/runuser", "/setsid",  "/stdbuf", "/taskset"};
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (flm_bytes_end_with(path, starters[i]))
            return true;
    return false;
}

static bool starts_some(struct flm_bytes path)
{
    return is_readable_interpreter(path) || is_starter(path);
}

bool flm_interpreters_start(const char *file)
{
    char real[PATH_MAX], word[256];
    if (starts_some(flm_bytes_of(file)) ||
        (realpath(file, real) && starts_some(flm_bytes_of(real))))
        return true;
    return read_first_line(file, word, sizeof word) &&
           (starts_some(flm_bytes_of(word)) ||
            (realpath(word, real) && starts_some(flm_bytes_of(real))));
}
