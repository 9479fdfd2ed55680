/* elf_symbols.c - the functions that an ELF file names: its symbol tables, and the stubs of its
 * procedure linkage table, each named after the function that it jumps to. */
#include <elf.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "symbol/code/code_table.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/unpack.h"

struct symbol {
    uint32_t name; /* its offset in the string table */
    uint8_t type, binding;
    bool is_old; /* its name had a version that is not the default */
    uint16_t section;
    uint64_t address, size;
};

static size_t symbol_size(const struct flm_elf_file *file)
{
    return file->is_wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static struct symbol symbol_at(const struct flm_elf_file *file, const char *at)
{
    struct symbol symbol = {.name = (uint32_t)flm_elf_number(file, at, 4)};
    uint8_t info;
    if (file->is_wide) {
        info = (uint8_t)at[4];
        symbol.section = (uint16_t)flm_elf_number(file, at + 6, 2);
        symbol.address = flm_elf_number(file, at + 8, 8);
        symbol.size = flm_elf_number(file, at + 16, 8);
    } else {
        symbol.address = flm_elf_number(file, at + 4, 4);
        symbol.size = flm_elf_number(file, at + 8, 4);
        info = (uint8_t)at[12];
        symbol.section = (uint16_t)flm_elf_number(file, at + 14, 2);
    }
    symbol.type = info & 15;
    symbol.binding = info >> 4;
    return symbol;
}

static struct flm_bytes name_in(struct flm_bytes texts, uint32_t at)
{
    if (at >= texts.size)
        return (struct flm_bytes){"", 0};
    return (struct flm_bytes){texts.at + at, strnlen(texts.at + at, texts.size - at)};
}

/* Symbols that name no function: the mapping symbols of ARM and RISC-V, which separate code from
 * data ("$x", "$d.12"), and local labels that were not removed. */
static bool is_marker(const struct flm_elf_file *file, struct flm_bytes name)
{
    if (flm_bytes_start_with(name, ".L"))
        return true;
    bool has_markers =
        file->machine == EM_ARM || file->machine == EM_AARCH64 || file->machine == EM_RISCV;
    return has_markers && name.size >= 2 && name.at[0] == '$' &&
           flm_is_one_of(name.at[1], "xdat") &&
           (name.size == 2 || name.at[2] == '.' || file->machine == EM_RISCV);
}

/* Functions, and untyped symbols of assemblers in executable sections. */
static bool is_function(const struct flm_elf_file *file, const struct symbol *symbol)
{
    if (symbol->section == SHN_UNDEF || symbol->section == SHN_COMMON)
        return false;
    if (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC)
        return true;
    return symbol->type == STT_NOTYPE && symbol->section < file->section_count &&
           file->sections[symbol->section].flags & SHF_EXECINSTR;
}

static unsigned traits_of(const struct symbol *symbol)
{
    return (symbol->type != STT_NOTYPE ? FLM_SYMBOL_TYPED : 0) |
           (symbol->binding != STB_LOCAL ? FLM_SYMBOL_VISIBLE : 0) |
           (symbol->binding != STB_WEAK ? FLM_SYMBOL_STRONG : 0) |
           (symbol->is_old ? FLM_SYMBOL_OLD : 0);
}

/* Linkers append the version to the names of .symtab (memcpy@GLIBC_2.2.5, and with two at-signs the
 * one that programs are linked with today). In .dynsym it stands elsewhere: without it a function
 * has one name, in a file that was stripped and in one that was not. Assemblers take the at-sign as
 * that mark, so no name holds one. */
static void cut_version(struct symbol *symbol, struct flm_bytes *name)
{
    const char *mark = name->size > 1 ? memchr(name->at + 1, '@', name->size - 1) : NULL;
    if (!mark)
        return;
    const char *end = name->at + name->size;
    symbol->is_old = mark + 1 < end && mark[1] != '@';
    name->size = (size_t)(mark - name->at);
}

static struct flm_elf_section *section_of_type(const struct flm_elf_file *file, uint32_t type)
{
    for (size_t i = 0; i < file->section_count; i++)
        if (file->sections[i].type == type)
            return &file->sections[i];
    return NULL;
}

/* The string table of a symbol table. */
static struct flm_bytes texts_of(const struct flm_elf_file *file,
                                 const struct flm_elf_section *table)
{
    if (table->link >= file->section_count)
        return (struct flm_bytes){"", 0};
    return flm_elf_bytes(file, &file->sections[table->link]);
}

/* The functions of a table, one after the other. */
struct reader {
    const struct flm_elf_file *file;
    struct flm_bytes bytes, texts;
    size_t at;
};

static struct reader read_table(const struct flm_elf_file *file, uint32_t type)
{
    struct flm_elf_section *table = section_of_type(file, type);
    struct reader reader = {.file = file, .bytes = {"", 0}, .texts = {"", 0}};
    if (table) {
        reader.bytes = flm_elf_bytes(file, table);
        reader.texts = texts_of(file, table);
        reader.at = symbol_size(file); /* the first one is empty */
    }
    return reader;
}

static bool next_function(struct reader *reader, struct symbol *symbol, struct flm_bytes *name)
{
    const struct flm_elf_file *file = reader->file;
    size_t step = symbol_size(file);
    for (; reader->at + step <= reader->bytes.size; reader->at += step) {
        *symbol = symbol_at(file, reader->bytes.at + reader->at);
        if (!is_function(file, symbol))
            continue;
        *name = name_in(reader->texts, symbol->name);
        cut_version(symbol, name);
        if (name->size == 0 || is_marker(file, *name))
            continue;
        if (file->machine == EM_ARM)
            symbol->address &= ~UINT64_C(1); /* the bit that marks Thumb code */
        if (symbol->size > UINT64_MAX - symbol->address)
            symbol->size = UINT64_MAX - symbol->address;
        reader->at += step;
        return true;
    }
    return false;
}

static size_t add_table(const struct flm_elf_file *file, uint32_t type,
                        struct flm_code_maker *maker)
{
    struct reader reader = read_table(file, type);
    struct symbol symbol;
    struct flm_bytes name;
    size_t added = 0;
    for (; next_function(&reader, &symbol, &name); added++)
        flm_code_maker_symbol(maker, symbol.address, symbol.size, flm_code_maker_text(maker, name),
                              traits_of(&symbol));
    return added;
}

static struct reader read_functions(const struct flm_elf_file *file)
{
    return read_table(file, section_of_type(file, SHT_SYMTAB) ? SHT_SYMTAB : SHT_DYNSYM);
}

struct flm_elf_range *flm_elf_list_functions(const struct flm_elf_file *file, size_t *count)
{
    struct reader reader = read_functions(file);
    struct FLM_ARRAY(struct flm_elf_range) ranges = {0};
    struct symbol symbol;
    struct flm_bytes name;
    bool good = true;
    while (good && next_function(&reader, &symbol, &name))
        good = FLM_ARRAY_ADD(
            &ranges, ((struct flm_elf_range){symbol.address, symbol.address + symbol.size}));
    if (!good)
        FLM_ARRAY_CLEAR(&ranges);
    *count = ranges.count;
    return ranges.at;
}

static int by_start(const void *a, const void *b)
{
    const struct flm_elf_named *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static bool next_named(struct reader *r, struct flm_elf_named *named)
{
    const struct flm_elf_file *file = r->file;
    size_t step = symbol_size(file);
    while (r->at + step <= r->bytes.size) {
        struct symbol symbol = symbol_at(file, r->bytes.at + r->at);
        r->at += step;
        *named = (struct flm_elf_named){.is_function = is_function(file, &symbol)};
        bool is_variable = symbol.type == STT_OBJECT && symbol.section != SHN_UNDEF &&
                           symbol.section != SHN_COMMON;
        if (!named->is_function && !is_variable)
            continue;
        named->name = name_in(r->texts, symbol.name);
        cut_version(&symbol, &named->name);
        if (named->name.size == 0 || is_marker(file, named->name))
            continue;
        named->start = file->machine == EM_ARM ? symbol.address & ~UINT64_C(1) : symbol.address;
        named->end =
            symbol.size > UINT64_MAX - named->start ? UINT64_MAX : named->start + symbol.size;
        return true;
    }
    return false;
}

bool flm_elf_list_symbols(const struct flm_elf_file *file, struct flm_elf_named **symbols,
                          size_t *count)
{
    struct reader reader = read_functions(file);
    struct FLM_ARRAY(struct flm_elf_named) all = {0};
    struct flm_elf_named one;
    bool good = true;
    while (good && next_named(&reader, &one))
        good = FLM_ARRAY_ADD(&all, one);
    if (!good)
        FLM_ARRAY_CLEAR(&all);
    if (all.count > 0)
        qsort(all.at, all.count, sizeof *all.at, by_start);
    *symbols = all.at;
    *count = all.count;
    return good;
}

void flm_elf_visit_symbols(const struct flm_elf_file *file, flm_elf_visit visit, void *context)
{
    static const uint32_t tables[] = {SHT_DYNSYM, SHT_SYMTAB};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct reader reader = read_table(file, tables[i]);
        struct flm_elf_named one;
        while (next_named(&reader, &one))
            visit(context, &one);
    }
}

void flm_elf_find_functions(const struct flm_elf_file *file, const char *const *names, size_t count,
                            uint64_t least, struct flm_elf_range *found)
{
    struct reader reader = read_functions(file);
    struct symbol symbol;
    struct flm_bytes name;
    memset(found, 0, count * sizeof *found);
    while (next_function(&reader, &symbol, &name))
        for (size_t i = 0; i < count; i++)
            if (flm_bytes_are(name, names[i]))
                found[i] = (struct flm_elf_range){
                    symbol.address, symbol.address + (symbol.size ? symbol.size : least)};
}

/* ---- The procedure linkage table ------------------------------------------------------------- */

/* A stub jumps to the address in a slot of the GOT, and a relocation names the function of the
 * slot. The address of the slot is decoded from the instructions of the stub: only in some layouts
 * are the stubs in the order of the relocations. */

struct slot {
    uint64_t address;
    struct flm_bytes name;
    uint64_t resolver; /* without a name: the ifunc resolver, which chooses the function */
};

struct slots FLM_ARRAY(struct slot);

static bool is_slot(const struct flm_elf_file *file, uint32_t type, bool *is_ifunc)
{
    if (file->machine == EM_X86_64) {
        *is_ifunc = type == R_X86_64_IRELATIVE;
        return *is_ifunc || type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    }
    *is_ifunc = type == R_AARCH64_IRELATIVE;
    return *is_ifunc || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}

static bool add_slots(const struct flm_elf_file *file, struct flm_elf_section *section,
                      struct slots *slots)
{
    struct flm_bytes bytes = flm_elf_bytes(file, section), symbols = {"", 0}, texts = {"", 0};
    if (section->link < file->section_count) {
        struct flm_elf_section *table = &file->sections[section->link];
        symbols = flm_elf_bytes(file, table);
        texts = texts_of(file, table);
    }
    size_t step = sizeof(Elf64_Rela);
    for (size_t at = 0; at + step <= bytes.size; at += step) {
        uint64_t info = flm_elf_number(file, bytes.at + at + 8, 8);
        bool is_ifunc;
        if (!is_slot(file, (uint32_t)info, &is_ifunc))
            continue;
        struct slot slot = {.address = flm_elf_number(file, bytes.at + at, 8),
                            .name = {"", 0},
                            .resolver = flm_elf_number(file, bytes.at + at + 16, 8)};
        uint64_t symbol = info >> 32;
        if (!is_ifunc) {
            if (symbol >= symbols.size / sizeof(Elf64_Sym))
                continue;
            slot.name =
                name_in(texts, symbol_at(file, symbols.at + symbol * sizeof(Elf64_Sym)).name);
            if (slot.name.size == 0)
                continue;
        }
        if (!FLM_ARRAY_ADD(slots, slot))
            return false;
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static const struct slot *slot_at(const struct slots *slots, uint64_t address)
{
    struct slot wanted = {.address = address};
    return slots->count ? bsearch(&wanted, slots->at, slots->count, sizeof wanted, by_address)
                        : NULL;
}

struct stubs {
    struct flm_code_maker *maker;
    struct flm_text name;
    size_t added;
};

static void add_stub(struct stubs *stubs, const struct slot *slot, uint64_t address, uint64_t size)
{
    stubs->name.size = 0;
    if (slot->name.size)
        flm_text_add(&stubs->name, slot->name);
    else /* as objdump prints it: it has no name */
        flm_text_format(&stubs->name, "*ABS*+0x%llx", (unsigned long long)slot->resolver);
    flm_text_puts(&stubs->name, "@plt");
    if (stubs->name.failed)
        return;
    struct flm_bytes name = {stubs->name.at, stubs->name.size};
    flm_code_maker_symbol(stubs->maker, address, size, flm_code_maker_text(stubs->maker, name), 0);
    stubs->added++;
}

static uint32_t code_word(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

/* jmp *slot(%rip): ff 25, and the distance to the slot. */
static void read_x86_64(const struct slots *slots, struct flm_bytes code, uint64_t address,
                        size_t step, struct stubs *stubs)
{
    for (size_t at = 0; at + step <= code.size; at += step) {
        for (size_t i = 0; i + 6 <= step; i++) {
            const char *byte = code.at + at + i;
            if ((unsigned char)byte[0] != 0xff || (unsigned char)byte[1] != 0x25)
                continue;
            uint64_t next = address + at + i + 6;
            uint64_t distance = (uint64_t)(int64_t)(int32_t)code_word(byte + 2);
            const struct slot *slot = slot_at(slots, next + distance);
            if (slot)
                add_stub(stubs, slot, address + at, step);
            break;
        }
    }
}

/* adrp x16, page of the slot; ldr x17, [x16, offset of the slot in it]; add; br x17 */
static void read_arm64(const struct slots *slots, struct flm_bytes code, uint64_t address,
                       struct stubs *stubs)
{
    const uint32_t bti = 0xd503245f, br = 0xd61f0220;
    for (size_t at = 0; at + 16 <= code.size; at += 4) {
        uint32_t page = code_word(code.at + at), load = code_word(code.at + at + 4);
        if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
            continue;
        uint64_t pages = (page >> 29 & 3) | (page >> 3 & 0x1ffffc);
        pages = (pages ^ 0x100000) - 0x100000; /* 21 bits with a sign */
        uint64_t slot_address =
            ((address + at) & ~UINT64_C(4095)) + (pages << 12) + (load >> 10 & 4095) * 8;
        const struct slot *slot = slot_at(slots, slot_address);
        size_t start = at >= 4 && code_word(code.at + at - 4) == bti ? at - 4 : at, end = at + 8;
        while (end + 4 <= code.size && end < at + 24 && code_word(code.at + end) != br)
            end += 4;
        if (slot)
            add_stub(stubs, slot, address + start, end + 4 - start);
    }
}

static size_t add_plt(const struct flm_elf_file *file, struct flm_code_maker *maker)
{
    if (!file->is_wide || (file->machine != EM_X86_64 && file->machine != EM_AARCH64))
        return 0;
    struct slots slots = {0};
    bool done = true;
    uint64_t left = file->image.size; /* sections overlap only in crafted files */
    for (size_t i = 0; done && i < file->section_count; i++) {
        struct flm_elf_section *section = &file->sections[i];
        if (section->type == SHT_RELA && section->size <= left &&
            (section->flags & (SHF_ALLOC | SHF_COMPRESSED)) == SHF_ALLOC) {
            left -= section->size;
            done = add_slots(file, section, &slots);
        }
    }
    if (slots.count)
        qsort(slots.at, slots.count, sizeof *slots.at, by_address);
    struct stubs stubs = {.maker = maker};
    for (size_t i = 0; done && slots.count && i < file->section_count; i++) {
        struct flm_elf_section *section = &file->sections[i];
        if (!(section->flags & SHF_EXECINSTR) ||
            !(flm_bytes_start_with(section->name, ".plt") || flm_bytes_are(section->name, ".iplt")))
            continue;
        if (section->flags & SHF_COMPRESSED || section->size > left)
            continue;
        left -= section->size;
        struct flm_bytes code = flm_elf_bytes(file, section);
        bool is_short = section->entry_size == 8 ||
                        (section->entry_size == 0 && flm_bytes_are(section->name, ".plt.got"));
        if (file->machine == EM_X86_64)
            read_x86_64(&slots, code, section->address, is_short ? 8 : 16, &stubs);
        else
            read_arm64(&slots, code, section->address, &stubs);
    }
    FLM_ARRAY_CLEAR(&slots);
    flm_text_clear(&stubs.name);
    return stubs.added;
}

void flm_elf_add_sections(const struct flm_elf_file *file, struct flm_code_maker *maker)
{
    const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
    for (size_t i = 0; i < file->section_count; i++) {
        const struct flm_elf_section *section = &file->sections[i];
        if ((section->flags & code) == code && section->size <= UINT64_MAX - section->address)
            flm_code_maker_section(maker, section->address, section->address + section->size);
    }
}

size_t flm_elf_add_symbols(const struct flm_elf_file *file, enum flm_elf_table table,
                           struct flm_code_maker *maker)
{
    return table == FLM_ELF_PLT
               ? add_plt(file, maker)
               : add_table(file, table == FLM_ELF_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM, maker);
}

struct flm_elf_file *flm_elf_mini_symbols(const struct flm_elf_file *file)
{
    size_t size = 0;
    struct flm_bytes packed = flm_elf_bytes(file, flm_elf_section(file, ".gnu_debugdata"));
    char *bytes = packed.size ? flm_xz_unpack(packed, &size) : NULL;
    struct flm_elf_file *mini = bytes ? flm_elf_new((struct flm_bytes){bytes, size}, NULL) : NULL;
    if (mini)
        mini->owned = bytes;
    else
        free(bytes);
    return mini;
}
