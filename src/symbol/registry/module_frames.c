/* module_frames.c - the call frame information of a module: its unwind table, and the starts of
 * functions without a symbol. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/registry/internal.h"
#include "symbol/unwind/cfi.h"

/* ---- Sections -------------------------------------------------------------------------------- */

static struct flm_bytes section_at(const struct flm_elf_file *file, const char *name,
                                   uint64_t *address)
{
    struct flm_elf_section *section = flm_elf_section(file, name);
    struct flm_bytes bytes = flm_elf_bytes(file, section);
    if (bytes.size)
        *address = section->address;
    return bytes;
}

/* For a file without sections: PT_GNU_EH_FRAME has the start of .eh_frame, which a zero ends. */
static struct flm_bytes frames_by_segment(const struct flm_elf_file *file, uint64_t *address)
{
    const struct flm_bytes nothing = {"", 0};
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *header = &file->segments[i];
        enum { DISTANCE_32 = 0x1b }; /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */
        if (header->type != PT_GNU_EH_FRAME || header->offset > file->image.size ||
            file->image.size - header->offset < 8)
            continue;
        const char *at = file->image.at + header->offset;
        if (at[0] != 1 || at[1] != DISTANCE_32)
            return nothing;
        uint64_t distance = (uint64_t)(int64_t)(int32_t)flm_elf_number(file, at + 4, 4);
        uint64_t start = header->address + 4 + distance;
        for (size_t k = 0; k < file->segment_count; k++) {
            const struct flm_elf_segment *segment = &file->segments[k];
            if (segment->type != PT_LOAD || start < segment->address ||
                start - segment->address >= segment->file_size ||
                segment->offset > file->image.size ||
                segment->file_size > file->image.size - segment->offset)
                continue;
            uint64_t from = start - segment->address;
            *address = start;
            return (struct flm_bytes){file->image.at + segment->offset + from,
                                      segment->file_size - from};
        }
    }
    return nothing;
}

/* What sections that are not in the module's file are in. */
struct elsewhere {
    struct flm_found debug;
    struct flm_text made; /* of what the runtime of Go knows */
};

static void elsewhere_clear(struct elsewhere *elsewhere)
{
    flm_found_clear(&elsewhere->debug);
    flm_text_clear(&elsewhere->made);
}

/* The sections of the module. .debug_frame may be elsewhere, which must outlive the sections.
 * False: there are none. */
static bool find_sections(struct flm_module *module, struct flm_unwind_sections *sections,
                          struct elsewhere *elsewhere)
{
    const struct flm_elf_file *file = module->file;
    uint64_t ignored;
    module->is_warm = true;
    *sections =
        (struct flm_unwind_sections){.machine = flm_elf_machine(file), .swapped = file->swapped};
    sections->eh_frame = section_at(file, ".eh_frame", &sections->eh_frame_address);
    if (sections->eh_frame.size == 0)
        sections->eh_frame = frames_by_segment(file, &sections->eh_frame_address);
    sections->debug_frame = section_at(file, ".debug_frame", &ignored);
    sections->plt = section_at(file, ".plt", &sections->plt_address);
    sections->code = section_at(file, ".text", &sections->code_address);
    sections->text_base = sections->code_address;
    if (section_at(file, ".got.plt", &sections->data_base).size == 0)
        section_at(file, ".got", &sections->data_base);
    if (sections->debug_frame.size == 0 && module->is_go &&
        flm_elf_add_go_frames(file, &elsewhere->made))
        sections->debug_frame = (struct flm_bytes){elsewhere->made.at, elsewhere->made.size};
    if (sections->eh_frame.size == 0 && sections->debug_frame.size == 0) {
        flm_find_debug(&module->modules->find, file, module->path, &module->id, module->process,
                       false, &elsewhere->debug);
        if (elsewhere->debug.file)
            sections->debug_frame = section_at(elsewhere->debug.file, ".debug_frame", &ignored);
    }
    return sections->eh_frame.size || sections->debug_frame.size;
}

bool flm_module_keeps_frame_pointers(struct flm_module *module, uint64_t address)
{
    if (!module->is_go)
        return false;
    struct flm_elf_range *go = &module->go_code;
    if (go->end == 0 && !flm_elf_go_range(module->file, go))
        *go = (struct flm_elf_range){0, UINT64_MAX};
    return address >= go->start && address < go->end;
}

/* ---- The unwind table ------------------------------------------------------------------------ */

static void read_unwind_table(struct flm_module *module)
{
    const char *dir = module->modules->options.cache_dir;
    struct flm_cached cached = flm_cache_open(dir, &module->id, "unwind");
    if (cached.mapping)
        module->unwind = flm_unwind_table_open(cached.bytes, NULL);
    if (module->unwind) {
        module->cached_unwind = cached;
        flm_cache_release_pages(&module->cached_unwind);
        return;
    }
    flm_cache_close(&cached);
    struct flm_unwind_sections sections;
    struct elsewhere elsewhere = {0};
    if (module->file && find_sections(module, &sections, &elsewhere))
        module->unwind = flm_unwind_table_new(&sections, NULL);
    elsewhere_clear(&elsewhere);
    if (module->unwind && dir && module->id.size) {
        struct flm_text bytes = {0};
        flm_unwind_table_write(module->unwind, &bytes);
        if (!bytes.failed)
            flm_cache_store(dir, &module->id, "unwind", (struct flm_bytes){bytes.at, bytes.size});
        flm_text_clear(&bytes);
    }
}

const struct flm_unwind_table *flm_module_unwind_table(struct flm_module *module)
{
    const struct flm_modules_options *options = &module->modules->options;
    module->unwind_used = module->modules->round;
    if (module->unwind_tried || module->is_kernel)
        return module->unwind;
    module->unwind_tried = true;
    bool is_back = options->step_back && options->step_back();
    read_unwind_table(module);
    if (is_back)
        options->step_forward();
    return module->unwind;
}

/* ---- Functions without a symbol -------------------------------------------------------------- */

/* In the cache they are as in memory, behind this head: finding and sorting those of cc1, 41,000,
 * takes 9 % of the end of a recording. Whatever is there, a search reads nothing else. */
struct functions_head {
    char magic[8];
    uint64_t order; /* a constant, written by a machine of the same byte order */
};
#define FUNCTIONS_MAGIC "FLMFUNCS"
#define ORDER UINT64_C(0x0102030405060708)

void flm_module_drop_functions(struct flm_module *module)
{
    if (!module->cached_functions.mapping)
        free((void *)(uintptr_t)module->functions);
    flm_cache_close(&module->cached_functions);
    module->functions = NULL;
    module->function_count = 0;
    module->functions_tried = false;
}

static bool find_cached(struct flm_module *module)
{
    struct flm_cached cached =
        flm_cache_open(module->modules->options.cache_dir, &module->id, "functions");
    struct functions_head head = {0};
    size_t size = cached.bytes.size;
    if (cached.mapping && size > sizeof head)
        memcpy(&head, cached.bytes.at, sizeof head);
    size -= size > sizeof head ? sizeof head : size;
    if (memcmp(head.magic, FUNCTIONS_MAGIC, sizeof head.magic) != 0 || head.order != ORDER ||
        size == 0 || size % sizeof *module->functions != 0) {
        flm_cache_close(&cached);
        return false;
    }
    module->cached_functions = cached;
    module->functions = (const void *)(cached.bytes.at + sizeof head);
    module->function_count = size / sizeof *module->functions;
    return true;
}

static void store(const struct flm_module *module)
{
    const char *dir = module->modules->options.cache_dir;
    struct functions_head head = {.magic = FUNCTIONS_MAGIC, .order = ORDER};
    struct flm_text bytes = {0};
    if (!dir || module->id.size == 0 || module->function_count == 0)
        return;
    flm_text_add(&bytes, (struct flm_bytes){(const char *)&head, sizeof head});
    flm_text_add(&bytes, (struct flm_bytes){(const char *)module->functions,
                                            module->function_count * sizeof *module->functions});
    if (!bytes.failed)
        flm_cache_store(dir, &module->id, "functions", (struct flm_bytes){bytes.at, bytes.size});
    flm_text_clear(&bytes);
}

/* False when memory ran out. */
static bool read_functions(struct flm_module *module)
{
    struct flm_unwind_sections sections;
    struct elsewhere elsewhere = {0};
    struct flm_cfi cfi = {0};
    struct flm_error why = {0};
    if (module->file && find_sections(module, &sections, &elsewhere) &&
        flm_cfi_read(&cfi, &sections, &why) && cfi.functions.count > 0) {
        struct flm_described *functions = malloc(cfi.functions.count * sizeof *functions);
        if (functions)
            module->function_count = cfi.functions.count;
        else
            flm_error_memory(&why);
        for (size_t i = 0; i < module->function_count; i++)
            functions[i] = (struct flm_described){
                cfi.functions.at[i].start, cfi.functions.at[i].from, cfi.functions.at[i].end};
        module->functions = functions;
    }
    flm_cfi_clear(&cfi);
    elsewhere_clear(&elsewhere);
    return why.kind != FLM_ERROR_MEMORY;
}

static bool list_functions(struct flm_module *module)
{
    if (!find_cached(module)) {
        if (!read_functions(module))
            return false;
        store(module);
    }
    module->functions_tried = true;
    return true;
}

/* The one that has the address; NULL: none. False when memory ran out. */
static bool find_described(struct flm_module *module, uint64_t address,
                           const struct flm_described **found)
{
    *found = NULL;
    if (module->is_kernel)
        return true;
    if (!module->functions_tried && !list_functions(module))
        return false;
    size_t low = 0, high = module->function_count; /* the first one that starts after it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (module->functions[middle].from <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && address < module->functions[low - 1].end)
        *found = &module->functions[low - 1];
    return true;
}

bool flm_module_function_start(struct flm_module *module, uint64_t address, uint64_t *start)
{
    const struct flm_described *described;
    bool good = find_described(module, address, &described);
    *start = described ? described->start : address;
    return good;
}

bool flm_module_described_range(struct flm_module *module, uint64_t address,
                                struct flm_elf_range *range)
{
    const struct flm_described *described;
    if (!find_described(module, address, &described) || !described)
        return false;
    *range = (struct flm_elf_range){described->from, described->end};
    return true;
}
