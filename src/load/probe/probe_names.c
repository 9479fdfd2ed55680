/* probe_names.c - names of addresses, by what is mapped. */
#include "load/probe/probe_names.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "format/probe/decode.h"
#include "os/clock.h"
#include "symbol/demangle/demangle.h"
#include "symbol/elf/elf_file.h"

enum { PAGE = 4096 };

/* A file, and its symbols; several processes may have it mapped. */
struct symbols {
    char *path;
    bool is_open, is_read;
    struct flm_elf_file *elf; /* NULL: it cannot be read */
    struct flm_elf_named *all;
    size_t count;
};

/* Its code is mapped there; `low` to `high` are all of its segments, variables too. */
struct module {
    uint64_t start, end, offset;
    size_t symbols;
    uint64_t bias, low, high;
    bool is_known; /* the three are */
    struct flm_build_id build_id;
};

struct process {
    int32_t number; /* 0: it is a file */
    int64_t read_ns;
    struct FLM_ARRAY(struct module) modules;
};

struct flm_probe_names {
    struct FLM_ARRAY(struct symbols) symbols;
    struct FLM_ARRAY(struct process) processes;
    bool failed; /* no memory: something has no name that could have one */
};

struct flm_probe_names *flm_probe_names_new(struct flm_error *why)
{
    struct flm_probe_names *names = calloc(1, sizeof *names);
    if (!names)
        flm_error_memory(why);
    return names;
}

void flm_probe_names_free(struct flm_probe_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->symbols.count; i++) {
        flm_elf_free(names->symbols.at[i].elf);
        free(names->symbols.at[i].all);
        free(names->symbols.at[i].path);
    }
    for (size_t i = 0; i < names->processes.count; i++)
        FLM_ARRAY_CLEAR(&names->processes.at[i].modules);
    FLM_ARRAY_CLEAR(&names->symbols);
    FLM_ARRAY_CLEAR(&names->processes);
    free(names);
}

/* ---- What is mapped -------------------------------------------------------------------------- */

/* SIZE_MAX: no memory. */
static size_t symbols_of(struct flm_probe_names *names, const char *path)
{
    for (size_t i = 0; i < names->symbols.count; i++)
        if (strcmp(names->symbols.at[i].path, path) == 0)
            return i;
    char *copy = strdup(path);
    if (!copy || !FLM_ARRAY_ADD(&names->symbols, (struct symbols){.path = copy})) {
        free(copy);
        return SIZE_MAX;
    }
    return names->symbols.count - 1;
}

/* Only files that an address is looked up in are opened. */
static const struct flm_elf_file *elf_of(struct flm_probe_names *names, struct symbols *symbols)
{
    struct flm_error why = {0};
    if (!symbols->is_open)
        symbols->elf = flm_elf_open(symbols->path, &why);
    symbols->is_open = true;
    names->failed |= why.kind == FLM_ERROR_MEMORY;
    return symbols->elf;
}

static void add_module(struct flm_probe_names *names, struct process *process, struct module module,
                       const char *path)
{
    module.symbols = symbols_of(names, path);
    if (module.symbols == SIZE_MAX || !FLM_ARRAY_ADD(&process->modules, module))
        names->failed = true;
}

static void add_process(struct flm_probe_names *names, struct process *process)
{
    if (FLM_ARRAY_ADD(&names->processes, *process))
        return;
    FLM_ARRAY_CLEAR(&process->modules);
    names->failed = true;
}

/* "55d0c0e00000-55d0c0e02000 r-xp 00001000 fe:00 1234    /usr/bin/app" */
static void read_maps(struct flm_probe_names *names, struct process *process)
{
    char path[8192 + 32], line[8192];
    snprintf(path, sizeof path, "/proc/%d/maps", process->number);
    FILE *maps = fopen(path, "re");
    names->failed |= !maps && errno == ENOMEM;
    process->modules.count = 0;
    process->read_ns = flm_now_ns();
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long start, end, offset;
        char rights[8];
        const char *file = strchr(line, '/');
        if (sscanf(line, "%llx-%llx %7s %llx", &start, &end, rights, &offset) != 4 ||
            rights[2] != 'x' || !file)
            continue;
        line[strcspn(line, "\n")] = 0;
        /* As the process sees it: it may be in a container. */
        snprintf(path, sizeof path, "/proc/%d/root%s", process->number, file);
        add_module(names, process, (struct module){.start = start, .end = end, .offset = offset},
                   path);
    }
    if (maps)
        fclose(maps);
}

void flm_probe_names_add_process(struct flm_probe_names *names, int32_t process)
{
    struct process added = {.number = process};
    read_maps(names, &added);
    add_process(names, &added);
}

/* No more than the library writes: a file that was made to have a million costs nothing. */
void flm_probe_names_add_file(struct flm_probe_names *names, struct flm_bytes file)
{
    enum { MOST = 1024 };
    uint32_t left = MOST;
    struct process added = {0};
    struct flm_probe_header header;
    struct flm_probe_mapping mapping;
    struct flm_bytes path;
    char text[4096];
    if (file.size >= sizeof header) {
        memcpy(&header, file.at, sizeof header);
        for (uint32_t place = header.first_mapping;
             left-- > 0 && flm_probe_mapping_at(file, place, &mapping, &path);
             place = mapping.next) {
            struct module module = {
                .start = mapping.start, .end = mapping.end, .offset = mapping.offset};
            if (path.size == 0 || path.size >= sizeof text || memchr(path.at, 0, path.size))
                continue;
            memcpy(text, path.at, path.size);
            text[path.size] = 0;
            if (mapping.build_id_size <= sizeof mapping.build_id) {
                module.build_id.size = (uint8_t)mapping.build_id_size;
                memcpy(module.build_id.bytes, mapping.build_id, mapping.build_id_size);
            }
            add_module(names, &added, module, text);
        }
    }
    add_process(names, &added);
}

/* ---- Looking up ------------------------------------------------------------------------------ */

static bool is_other_build(const struct module *module, const struct flm_elf_file *elf)
{
    return module->build_id.size > 0 && elf->build_id.size > 0 &&
           !flm_build_id_equal(&module->build_id, &elf->build_id);
}

/* The segment that begins on this page of the file is mapped at `start`. False: none is. */
static bool find_range(struct flm_probe_names *names, struct module *module)
{
    const struct flm_elf_file *elf = elf_of(names, &names->symbols.at[module->symbols]);
    module->is_known = true;
    if (!elf || is_other_build(module, elf))
        return false;
    bool is_found = false;
    for (size_t i = 0; i < elf->segment_count && !is_found; i++) {
        const struct flm_elf_segment *s = &elf->segments[i];
        is_found = s->type == PT_LOAD && (s->flags & PF_X) != 0 &&
                   s->offset / PAGE * PAGE == module->offset;
        module->bias = module->start - s->address / PAGE * PAGE;
    }
    for (size_t i = 0; i < elf->segment_count && is_found; i++) {
        const struct flm_elf_segment *s = &elf->segments[i];
        uint64_t low = module->bias + s->address, high = low + s->memory_size;
        if (s->type != PT_LOAD)
            continue;
        module->low = module->high == 0 || low < module->low ? low : module->low;
        module->high = high > module->high ? high : module->high;
    }
    return is_found;
}

static const struct module *find_module(struct flm_probe_names *names, struct process *process,
                                        uint64_t address)
{
    for (size_t i = 0; i < process->modules.count; i++) {
        struct module *module = &process->modules.at[i];
        if (!module->is_known)
            find_range(names, module);
        if (address >= module->low && address < module->high)
            return module;
    }
    return NULL;
}

/* Libraries that were loaded since; not for each address that is nowhere. */
static const struct module *module_of(struct flm_probe_names *names, struct process *process,
                                      uint64_t address)
{
    const int64_t second_ns = 1000000000;
    const struct module *module = find_module(names, process, address);
    if (module || process->number == 0 || flm_now_ns() - process->read_ns < second_ns)
        return module;
    struct process fresh = {.number = process->number};
    read_maps(names, &fresh);
    if (fresh.modules.count == 0) { /* it has ended */
        process->read_ns = fresh.read_ns;
        return NULL;
    }
    FLM_ARRAY_CLEAR(&process->modules);
    *process = fresh;
    return find_module(names, process, address);
}

/* The last one that begins there or before, and that it is in. Of several that begin together the
 * first of the table will do. */
static const struct flm_elf_named *symbol_at(struct flm_probe_names *names, struct symbols *symbols,
                                             uint64_t address)
{
    enum { NEAR = 8 };
    if (!symbols->is_read) {
        symbols->is_read = true;
        names->failed |= !flm_elf_list_symbols(symbols->elf, &symbols->all, &symbols->count);
    }
    size_t first = 0, end = symbols->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (symbols->all[middle].start <= address)
            first = middle + 1;
        else
            end = middle;
    }
    for (size_t i = first; i-- > 0 && first - i < NEAR;)
        if (address == symbols->all[i].start || address < symbols->all[i].end)
            return &symbols->all[i];
    return NULL;
}

enum flm_report_address flm_probe_names_find(void *context, size_t file, uint64_t address,
                                             char *name, size_t room)
{
    struct flm_probe_names *names = context;
    struct process *process = file < names->processes.count ? &names->processes.at[file] : NULL;
    const struct module *module = process ? module_of(names, process, address) : NULL;
    const struct flm_elf_named *symbol =
        module ? symbol_at(names, &names->symbols.at[module->symbols], address - module->bias)
               : NULL;
    struct flm_text text = {0};
    if (!symbol)
        return FLM_ADDRESS_UNKNOWN;
    flm_demangle(symbol->name, &text);
    snprintf(name, room, "%.*s", (int)(text.size < room ? text.size : room - 1), text.at);
    names->failed |= text.failed;
    enum flm_report_address kind = text.failed           ? FLM_ADDRESS_UNKNOWN
                                   : symbol->is_function ? FLM_ADDRESS_FUNCTION
                                                         : FLM_ADDRESS_VARIABLE;
    flm_text_clear(&text);
    return kind;
}

bool flm_probe_names_check(const struct flm_probe_names *names, struct flm_error *why)
{
    return !names->failed || flm_error_memory(why);
}
