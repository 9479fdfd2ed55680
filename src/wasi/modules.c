/* modules.c - symbol/registry/module.h, symbol/disassembly and load/probe/probe_names.h where there
 * are no programs to look into: each module is missing. So a profile has the names and lines that
 * its file has, or a file of symbols that was saved with it (load/sidecar.h). */
#include <stdlib.h>

#include "load/probe/probe_names.h"
#include "record/perf_data/kernel_version.h"
#include "symbol/disassembly/disassembly.h"
#include "symbol/registry/kallsyms.h"
#include "symbol/registry/module.h"

struct flm_module {
    struct flm_build_id id;
};

struct flm_modules {
    struct flm_module missing;
};

struct flm_modules *flm_modules_new(const struct flm_modules_options *options,
                                    struct flm_error *why)
{
    (void)options;
    struct flm_modules *modules = calloc(1, sizeof *modules);
    if (!modules)
        flm_error_memory(why);
    return modules;
}

void flm_modules_free(struct flm_modules *modules)
{
    free(modules);
}

void flm_modules_kernel(struct flm_modules *modules, bool is_ours)
{
    (void)modules, (void)is_ours;
}

void flm_modules_recorded(struct flm_modules *modules, int64_t from_ns, int64_t until_ns)
{
    (void)modules, (void)from_ns, (void)until_ns;
}

struct flm_module *flm_modules_get(struct flm_modules *modules,
                                   const struct flm_module_request *request)
{
    (void)request;
    return &modules->missing;
}

void flm_modules_prepare(struct flm_modules *modules, struct flm_module *const *wanted,
                         size_t count)
{
    (void)modules, (void)wanted, (void)count;
}

struct flm_bytes flm_module_name(const struct flm_module *module)
{
    (void)module;
    return (struct flm_bytes){"", 0};
}

const struct flm_build_id *flm_module_build_id(const struct flm_module *module)
{
    return &module->id;
}

bool flm_module_address(const struct flm_module *module, uint64_t file_offset, uint64_t *address)
{
    (void)module, (void)file_offset, (void)address;
    return false;
}

size_t flm_module_lookup(struct flm_module *module, uint64_t address, struct flm_code *code,
                         size_t capacity)
{
    (void)module, (void)address, (void)code, (void)capacity;
    return 0;
}

bool flm_module_function(struct flm_module *module, uint64_t address, struct flm_elf_range *range)
{
    (void)module, (void)address, (void)range;
    return false;
}

bool flm_module_code_is_patched(const struct flm_module *module)
{
    (void)module;
    return false;
}

bool flm_module_find_source(struct flm_module *module, struct flm_bytes path,
                            struct flm_module_source *source)
{
    (void)module, (void)path, (void)source;
    return true;
}

int flm_module_download_source(struct flm_module *module, const char *path)
{
    (void)module, (void)path;
    return -1;
}

enum flm_machine flm_module_machine(const struct flm_module *module)
{
    (void)module;
    return FLM_MACHINE_OTHER;
}

enum flm_module_state flm_module_state(struct flm_module *module)
{
    (void)module;
    return FLM_MODULE_MISSING;
}

void flm_module_explain(struct flm_module *module, struct flm_text *out)
{
    (void)module;
    flm_text_puts(out, "programs are looked into by flamel for Linux only");
}

bool flm_kernel_find(struct flm_bytes list, const char *name, uint64_t *address)
{
    (void)list, (void)name, (void)address;
    return false;
}

bool flm_kernel_build_id(struct flm_build_id *id)
{
    (void)id;
    return false;
}

/* ---- Machine code ---------------------------------------------------------------------------- */

static struct flm_disassembly *no_disassembly(struct flm_error *why)
{
    flm_error_set(why, FLM_ERROR_SYSTEM, "machine code is shown by flamel for Linux only");
    return NULL;
}

struct flm_disassembly *flm_disassembly_new(const struct flm_machine_code *code,
                                            enum flm_assembly_syntax syntax, struct flm_error *why)
{
    (void)code, (void)syntax;
    return no_disassembly(why);
}

struct flm_disassembly *flm_disassembly_of_module(struct flm_module *module, uint64_t start,
                                                  uint64_t end, enum flm_assembly_syntax syntax,
                                                  struct flm_error *why)
{
    (void)module, (void)start, (void)end, (void)syntax;
    return no_disassembly(why);
}

void flm_disassembly_free(struct flm_disassembly *disassembly)
{
    (void)disassembly;
}

size_t flm_disassembly_count(const struct flm_disassembly *disassembly)
{
    (void)disassembly;
    return 0;
}

struct flm_instruction flm_disassembly_at(const struct flm_disassembly *disassembly, size_t index)
{
    (void)disassembly, (void)index;
    return (struct flm_instruction){0};
}

/* ---- Addresses of a program that measured itself --------------------------------------------- */

struct flm_probe_names {
    char unused;
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
    free(names);
}

void flm_probe_names_add_file(struct flm_probe_names *names, struct flm_bytes file)
{
    (void)names, (void)file;
}

enum flm_report_address flm_probe_names_find(void *context, size_t file, uint64_t address,
                                             char *name, size_t room)
{
    (void)context, (void)file, (void)address, (void)name, (void)room;
    return FLM_ADDRESS_UNKNOWN;
}

bool flm_probe_names_check(const struct flm_probe_names *names, struct flm_error *why)
{
    (void)names, (void)why;
    return true;
}
