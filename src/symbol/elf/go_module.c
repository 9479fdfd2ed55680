/* go_module.c - the data of Go's functions that are outside of the table: what is inlined into
 * them.
 *
 * The linker leaves a structure, runtime.firstmoduledata, without a name in a stripped program. It
 * begins with pointers to the table and to the names in it:
 *
 *     table; names, units, files, pcs, functions, list of functions (pointer, length and capacity
 *     of each); two addresses, another table; the code's start (the 22nd pointer) and end; ...
 *     some pairs of addresses, more of them in newer versions; ...; what funcdata is relative to
 *
 * So two pointers tell that it is there. Which of its later pointers is the one for funcdata
 * depends on the version (the 38th of 1.18, the 40th of 1.20): it is the one by which the inlined
 * calls of many functions make sense. In a program that is loaded anywhere its pointers are
 * relocations.
 *
 * The inlined calls of a function are an array, the third of its funcdata:
 *
 *     1.18   20 bytes: parent (16 bits), kind, file, line, name (+12), an address (+16)
 *     1.20   16 bytes: kind, name (+4), an address (+8), the line it starts at
 *
 * The address, relative to the function, is that of an instruction which has the line of the call,
 * and is in the call around it, if any. So the file, line and parent of an entry are those of that
 * address. */
#include <elf.h>
#include <string.h>

#include "symbol/elf/go_table.h"

enum { TEXT = 22, WORDS = 64, FIRST_FUNCDATA = 30, ENOUGH = 100 };
enum { INLINED_PCDATA = 2, INLINED_FUNCDATA = 3 };

struct module {
    uint64_t address, word[WORDS];
};

/* The bytes of the file from an address on. */
static struct flm_bytes bytes_at(const struct flm_elf_file *file, uint64_t address)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct flm_elf_segment *s = &file->segments[i];
        if (s->type != PT_LOAD || address < s->address || address - s->address >= s->file_size ||
            s->offset > file->image.size || s->file_size > file->image.size - s->offset)
            continue;
        uint64_t skipped = address - s->address;
        return (struct flm_bytes){file->image.at + s->offset + skipped,
                                  (size_t)(s->file_size - skipped)};
    }
    return (struct flm_bytes){"", 0};
}

static uint64_t pointer_in(const struct flm_go_table *t, struct flm_bytes bytes, uint64_t at)
{
    if (at > bytes.size || t->pointer > bytes.size - at)
        return 0;
    return flm_elf_number(t->file, bytes.at + at, t->pointer);
}

/* ---- Relocations ----------------------------------------------------------------------------- */

/* Those that add where the program is loaded: of x86-64 and arm64, whose addends are in a table. */
static bool relocation_at(const struct flm_elf_file *file, struct flm_bytes table, uint64_t at,
                          uint64_t *address, uint64_t *value)
{
    uint64_t type = flm_elf_number(file, table.at + at + 8, 8);
    *address = flm_elf_number(file, table.at + at, 8);
    *value = flm_elf_number(file, table.at + at + 16, 8);
    return type == (file->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE);
}

/* Calls `visit` for each; false ends it. */
typedef bool (*visitor)(void *context, uint64_t address, uint64_t value);
static void each_relocation(const struct flm_elf_file *file, visitor visit, void *context)
{
    for (size_t i = 0; file->is_wide && i < file->section_count; i++) {
        if (file->sections[i].type != SHT_RELA)
            continue;
        struct flm_bytes table = flm_elf_bytes(file, &file->sections[i]);
        uint64_t address, value;
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size; at += sizeof(Elf64_Rela))
            if (relocation_at(file, table, at, &address, &value) && !visit(context, address, value))
                return;
    }
}

struct search {
    const struct flm_go_table *table;
    uint64_t table_at; /* where a relocation to the table was */
    struct module *module;
};

static bool visit_to_find(void *context, uint64_t address, uint64_t value)
{
    struct search *search = context;
    const struct flm_go_table *t = search->table;
    if (value == t->address)
        search->table_at = address;
    else if (search->table_at > 0 && value == t->address + t->names &&
             address == search->table_at + t->pointer)
        search->module->address = search->table_at;
    return search->module->address == 0;
}

static bool visit_to_fill(void *context, uint64_t address, uint64_t value)
{
    struct module *module = context;
    uint64_t word = (address - module->address) / 8;
    if (address >= module->address && word < WORDS && address % 8 == module->address % 8)
        module->word[word] = value;
    return true;
}

/* ---- Finding it ------------------------------------------------------------------------------ */

static bool find_in_data(const struct flm_go_table *t, struct module *module)
{
    for (size_t i = 0; i < t->file->segment_count; i++) {
        const struct flm_elf_segment *s = &t->file->segments[i];
        if (s->type != PT_LOAD || !(s->flags & PF_W))
            continue;
        struct flm_bytes bytes = bytes_at(t->file, s->address);
        for (uint64_t at = 0; at + 2 * (uint64_t)t->pointer <= bytes.size; at += t->pointer)
            if (pointer_in(t, bytes, at) == t->address &&
                pointer_in(t, bytes, at + t->pointer) == t->address + t->names) {
                module->address = s->address + at;
                return true;
            }
    }
    return false;
}

static bool find_module(const struct flm_go_table *t, struct module *module)
{
    struct search search = {t, 0, module};
    if (!find_in_data(t, module))
        each_relocation(t->file, visit_to_find, &search);
    if (module->address == 0)
        return false;
    struct flm_bytes bytes = bytes_at(t->file, module->address);
    for (unsigned i = 0; i < WORDS; i++)
        module->word[i] = pointer_in(t, bytes, (uint64_t)i * t->pointer);
    each_relocation(t->file, visit_to_fill, module);
    return true;
}

/* ---- Inlined calls --------------------------------------------------------------------------- */

struct flm_go_inlined flm_go_inlined(const struct flm_go_table *t,
                                     const struct flm_go_function *function)
{
    struct flm_go_inlined inlined = {0, {"", 0}};
    unsigned end = t->version >= FLM_GO_1_20 ? 40 : 36;
    uint64_t tables = flm_go_field(t, function, FLM_GO_PCDATA_COUNT);
    if (t->funcdata.size == 0 || flm_go_funcdata_count(t, function) <= INLINED_FUNCDATA ||
        tables > t->bytes.size / 4)
        return inlined;
    uint32_t at = flm_go_field(t, function, (unsigned)(end + 4 * (tables + INLINED_FUNCDATA)));
    if (at >= t->funcdata.size)
        return inlined;
    inlined.index = flm_go_pcdata(t, function, INLINED_PCDATA);
    inlined.tree = flm_bytes_from(t->funcdata, at);
    return inlined;
}

bool flm_go_inlined_call(const struct flm_go_table *t, const struct flm_go_function *function,
                         const struct flm_go_inlined *inlined, uint32_t index,
                         struct flm_go_call *call)
{
    bool is_new = t->version >= FLM_GO_1_20;
    size_t size = is_new ? 16 : 20, count = inlined->tree.size / size;
    if (index >= count)
        return false;
    const char *entry = inlined->tree.at + index * size;
    uint64_t name = t->names + flm_elf_number(t->file, entry + (is_new ? 4 : 12), 4);
    uint64_t site = flm_elf_number(t->file, entry + (is_new ? 8 : 16), 4);
    call->name = flm_go_text(t, name);
    call->site = function->start + site;
    bool begins = name == t->names || flm_go_number(t, name - 1, 1) == 0;
    return begins && call->name.size > 0 && call->site < function->end;
}

/* ---- Funcdata -------------------------------------------------------------------------------- */

/* Whether the inlined calls of a function are such; `seen` counts them. */
static bool are_calls(const struct flm_go_table *t, const struct flm_go_function *function,
                      unsigned *seen)
{
    struct flm_go_inlined inlined = flm_go_inlined(t, function);
    struct flm_go_values values = flm_go_values(t, function, inlined.index);
    struct flm_go_call call;
    do {
        if (values.value >= 0 &&
            !flm_go_inlined_call(t, function, &inlined, (uint32_t)values.value, &call))
            return false;
        *seen += values.value >= 0;
    } while (values.end < function->end && flm_go_values_next(&values));
    return true;
}

static bool makes_sense(const struct flm_go_table *t)
{
    unsigned seen = 0;
    uint64_t end = 0;
    struct flm_go_function function;
    for (uint64_t i = 0; i < t->count && seen < ENOUGH; i++) {
        if (!flm_go_function_at(t, i, &function) || function.start < end)
            continue;
        end = function.end;
        if (!are_calls(t, &function, &seen))
            return false;
    }
    return seen > 0;
}

void flm_go_find_module(struct flm_go_table *t)
{
    struct module module = {0};
    if (t->version < FLM_GO_1_18 || !find_module(t, &module))
        return;
    const struct flm_elf_section *text = flm_elf_section(t->file, ".text");
    if (text && module.word[TEXT] - text->address < text->size)
        t->text_start = module.word[TEXT];
    for (unsigned i = FIRST_FUNCDATA; i < WORDS; i++) {
        t->funcdata = bytes_at(t->file, module.word[i]);
        if (t->funcdata.size > 0 && makes_sense(t))
            return;
    }
    t->funcdata = (struct flm_bytes){"", 0};
}
