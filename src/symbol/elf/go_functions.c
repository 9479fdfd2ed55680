/* go_functions.c - the functions of a Go program, from the table that its runtime uses itself.
 *
 * .gopclntab is in every Go program, `strip` and `-ldflags=-s` leave it:
 *
 *     header      magic, quantum of addresses, size of a pointer, then words of that size:
 *                 1.2    number of functions
 *                 1.16   functions, files, and the offsets of: names, units, files, pcs, functions
 *                 1.18   functions, files, start of the code, and the same offsets
 *     functions   entry and offset of each, ascending, then the end of the last one: two words;
 *                 since 1.18 two 32-bit numbers, the entry relative to the start of the code
 *     function    entry (1.18: 32 bits, relative), offset of its name (32 bits), ...
 *
 * The format is that of Go's debug/gosym and runtime/symtab.go. */
#include <elf.h>

#include "symbol/code/code_table.h"
#include "symbol/elf/elf_file.h"

enum version { GO_1_2, GO_1_16, GO_1_18 };

/* Offsets are into `bytes`; all of them are checked when they are used. */
struct table {
    const struct flm_elf_file *file;
    struct flm_bytes bytes;
    enum version version;
    unsigned pointer; /* 4 or 8 */
    uint64_t count, text_start;
    uint64_t names, functions; /* offsets */
};

static struct flm_elf_section *find_section(const struct flm_elf_file *file)
{
    struct flm_elf_section *section = flm_elf_section(file, ".gopclntab");
    return section ? section : flm_elf_section(file, ".data.rel.ro.gopclntab");
}

bool flm_elf_is_go(const struct flm_elf_file *file)
{
    return find_section(file) != NULL;
}

/* The number of `size` bytes at an offset; 0 outside of the table. */
static uint64_t number_at(const struct table *t, uint64_t offset, unsigned size)
{
    if (offset > t->bytes.size || size > t->bytes.size - offset)
        return 0;
    return flm_elf_number(t->file, t->bytes.at + offset, size);
}

static uint64_t header_word(const struct table *t, unsigned index)
{
    return number_at(t, 8 + (uint64_t)index * t->pointer, t->pointer);
}

/* In a program that is loaded anywhere the start of the code is left to a relocation. */
static uint64_t find_text_start(const struct table *t)
{
    uint64_t start = header_word(t, 2);
    const struct flm_elf_section *text = flm_elf_section(t->file, ".text");
    if (text && (start < text->address || start - text->address >= text->size))
        return text->address;
    return start;
}

static bool read_header(struct table *t)
{
    if (t->bytes.size < 8)
        return false;
    switch (flm_elf_number(t->file, t->bytes.at, 4)) {
    case 0xfffffffb:
        t->version = GO_1_2;
        break;
    case 0xfffffffa:
        t->version = GO_1_16;
        break;
    case 0xfffffff0: /* 1.18 */
    case 0xfffffff1: /* 1.20: other names of generic functions */
        t->version = GO_1_18;
        break;
    default:
        return false;
    }
    t->pointer = (unsigned char)t->bytes.at[7];
    if (t->pointer != 4 && t->pointer != 8)
        return false;
    t->count = header_word(t, 0);
    t->names = 0;
    t->functions = 8 + t->pointer;
    if (t->version == GO_1_16) {
        t->names = header_word(t, 2);
        t->functions = header_word(t, 6);
    } else if (t->version == GO_1_18) {
        t->text_start = find_text_start(t);
        t->names = header_word(t, 3);
        t->functions = header_word(t, 7);
    }
    return t->functions < t->bytes.size && t->names < t->bytes.size;
}

/* The entry, or the offset, of a function in the list. */
static uint64_t listed(const struct table *t, uint64_t index, unsigned which)
{
    unsigned size = t->version == GO_1_18 ? 4 : t->pointer;
    return number_at(t, t->functions + (2 * index + which) * size, size);
}

static struct flm_bytes name_of(const struct table *t, uint64_t index)
{
    uint64_t function = listed(t, index, 1);
    if (t->version != GO_1_2)
        function += t->functions;
    unsigned entry_size = t->version == GO_1_18 ? 4 : t->pointer;
    uint64_t at = t->names + number_at(t, function + entry_size, 4);
    if (function >= t->bytes.size || at >= t->bytes.size)
        return (struct flm_bytes){"", 0};
    const char *name = t->bytes.at + at;
    return (struct flm_bytes){name, strnlen(name, t->bytes.size - (size_t)at)};
}

size_t flm_elf_add_go_functions(const struct flm_elf_file *file, struct flm_code_maker *maker)
{
    struct flm_elf_section *section = find_section(file);
    struct table t = {.file = file, .bytes = flm_elf_bytes(file, section)};
    size_t added = 0;
    if (!section || !read_header(&t))
        return 0;
    unsigned entry_size = t.version == GO_1_18 ? 8 : 2 * t.pointer;
    uint64_t most = (t.bytes.size - t.functions) / entry_size;
    for (uint64_t i = 0; i < t.count && i < most; i++) {
        struct flm_bytes name = name_of(&t, i);
        uint64_t start = listed(&t, i, 0), end = listed(&t, i + 1, 0);
        if (name.size == 0 || end <= start)
            continue;
        flm_code_maker_symbol(maker, t.text_start + start, end - start,
                              flm_code_maker_text(maker, name), 0);
        added++;
    }
    return added;
}
