/* go_table.c - reading .gopclntab: its header, its functions and its values by address. */
#include "symbol/elf/go_table.h"

#include <string.h>

/* ---- Where it is ----------------------------------------------------------------------------- */

static bool is_header(const struct flm_elf_file *file, const char *at)
{
    uint64_t magic = flm_elf_number(file, at, 4);
    bool is_known = (magic | 1) == 0xfffffffb || (magic | 1) == 0xfffffff1;
    return is_known && at[4] == 0 && at[5] == 0 && flm_is_one_of(at[6], "\1\2\4") &&
           flm_is_one_of(at[7], "\4\10");
}

/* A program with C in it that is loaded anywhere was linked by the C compiler, which put the table
 * into a section with other data: then it is found by its first bytes. */
static struct flm_bytes find_table(const struct flm_elf_file *file, uint64_t *address)
{
    struct flm_elf_section *section = flm_elf_section(file, ".gopclntab");
    if (!section)
        section = flm_elf_section(file, ".data.rel.ro.gopclntab");
    bool is_known = section != NULL;
    if (!is_known && flm_elf_section(file, ".go.buildinfo"))
        section = flm_elf_section(file, ".data.rel.ro");
    struct flm_bytes bytes = flm_elf_bytes(file, section);
    size_t at = 0;
    while (!is_known && at + 8 <= bytes.size && !is_header(file, bytes.at + at))
        at += 8;
    *address = section ? section->address + at : 0;
    return at < bytes.size ? flm_bytes_from(bytes, at) : (struct flm_bytes){"", 0};
}

bool flm_elf_is_go(const struct flm_elf_file *file)
{
    uint64_t address;
    return find_table(file, &address).size > 0;
}

uint64_t flm_go_number(const struct flm_go_table *t, uint64_t offset, unsigned size)
{
    if (offset > t->bytes.size || size > t->bytes.size - offset)
        return 0;
    return flm_elf_number(t->file, t->bytes.at + offset, size);
}

struct flm_bytes flm_go_text(const struct flm_go_table *t, uint64_t offset)
{
    if (offset >= t->bytes.size)
        return (struct flm_bytes){"", 0};
    const char *text = t->bytes.at + offset;
    return (struct flm_bytes){text, strnlen(text, t->bytes.size - (size_t)offset)};
}

/* ---- The header ------------------------------------------------------------------------------ */

static uint64_t header_word(const struct flm_go_table *t, unsigned index)
{
    return flm_go_number(t, 8 + (uint64_t)index * t->pointer, t->pointer);
}

static bool read_version(struct flm_go_table *t)
{
    if (t->bytes.size < 8)
        return false;
    switch (flm_elf_number(t->file, t->bytes.at, 4)) {
    case 0xfffffffb:
        t->version = FLM_GO_1_2;
        break;
    case 0xfffffffa:
        t->version = FLM_GO_1_16;
        break;
    case 0xfffffff0:
        t->version = FLM_GO_1_18;
        break;
    case 0xfffffff1:
        t->version = FLM_GO_1_20;
        break;
    default:
        return false;
    }
    t->quantum = (unsigned char)t->bytes.at[6];
    t->pointer = (unsigned char)t->bytes.at[7];
    return t->quantum > 0 && (t->pointer == 4 || t->pointer == 8);
}

static unsigned entry_size(const struct flm_go_table *t)
{
    return t->version >= FLM_GO_1_18 ? 4 : t->pointer;
}

bool flm_go_table_open(struct flm_go_table *t, const struct flm_elf_file *file)
{
    *t = (struct flm_go_table){.file = file};
    t->bytes = find_table(file, &t->address);
    if (!read_version(t))
        return false;
    t->count = header_word(t, 0);
    t->functions = 8 + t->pointer;
    unsigned first = t->version >= FLM_GO_1_18 ? 3 : 2;
    if (t->version != FLM_GO_1_2) {
        t->names = header_word(t, first);
        t->units = header_word(t, first + 1);
        t->files = header_word(t, first + 2);
        t->pcs = header_word(t, first + 3);
        t->functions = header_word(t, first + 4);
    }
    /* No more than the file has: functions may all have one table of values. */
    struct flm_elf_section *text = flm_elf_section(file, ".text");
    uint64_t address = text ? text->address : 0, size = flm_elf_bytes(file, text).size;
    if (address > UINT64_MAX - size)
        return false;
    t->text_end = address + size;
    /* In a program that is loaded anywhere the start of the code is left to a relocation. */
    if (t->version >= FLM_GO_1_18) {
        t->text_start = header_word(t, 2);
        if (t->text_start - address >= size)
            t->text_start = address;
    }
    if (t->functions >= t->bytes.size || t->names >= t->bytes.size)
        return false;
    uint64_t most = (t->bytes.size - t->functions) / (2 * entry_size(t));
    t->count = t->count < most ? t->count : most;
    return true;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The entry, or the offset, of a function in the list. */
static uint64_t listed(const struct flm_go_table *t, uint64_t index, unsigned which)
{
    unsigned size = entry_size(t);
    return flm_go_number(t, t->functions + (2 * index + which) * size, size);
}

bool flm_go_function_at(const struct flm_go_table *t, uint64_t index,
                        struct flm_go_function *function)
{
    if (index >= t->count)
        return false;
    uint64_t record = listed(t, index, 1) + (t->version == FLM_GO_1_2 ? 0 : t->functions);
    if (record >= t->bytes.size)
        return false;
    *function = (struct flm_go_function){.start = t->text_start + listed(t, index, 0),
                                         .end = t->text_start + listed(t, index + 1, 0),
                                         .record = record};
    function->name = flm_go_text(t, t->names + flm_go_field(t, function, FLM_GO_NAME));
    return function->name.size > 0 && function->start < function->end &&
           function->end <= t->text_end;
}

uint32_t flm_go_field(const struct flm_go_table *t, const struct flm_go_function *function,
                      unsigned distance)
{
    return (uint32_t)flm_go_number(t, function->record + entry_size(t) + distance, 4);
}

/* Where the 4 bytes begin that end the fields. */
static uint64_t last_bytes(const struct flm_go_table *t, const struct flm_go_function *function)
{
    return function->record + entry_size(t) + (t->version >= FLM_GO_1_20 ? 36 : 32);
}

unsigned flm_go_flags(const struct flm_go_table *t, const struct flm_go_function *function)
{
    return (unsigned)flm_go_number(t, last_bytes(t, function) + 1, 1);
}

unsigned flm_go_funcdata_count(const struct flm_go_table *t, const struct flm_go_function *function)
{
    return (unsigned)flm_go_number(t, last_bytes(t, function) + 3, 1);
}

uint32_t flm_go_pcdata(const struct flm_go_table *t, const struct flm_go_function *function,
                       unsigned number)
{
    unsigned tables = t->version >= FLM_GO_1_20 ? 40 : 36; /* after the 4 bytes that end it */
    if (t->version == FLM_GO_1_2 || number >= flm_go_field(t, function, FLM_GO_PCDATA_COUNT))
        return 0;
    return flm_go_field(t, function, tables + 4 * number);
}

/* ---- Values by address ----------------------------------------------------------------------- */

struct flm_go_values flm_go_values(const struct flm_go_table *t,
                                   const struct flm_go_function *function, uint32_t offset)
{
    struct flm_go_values values = {
        .table = t, .at = offset ? t->pcs + offset : 0, .end = function->start, .value = -1};
    if (!flm_go_values_next(&values))
        values.end = UINT64_MAX;
    return values;
}

static uint32_t take_number(struct flm_go_values *values)
{
    uint32_t number = 0;
    unsigned shift = 0, byte;
    do {
        byte = (unsigned)flm_go_number(values->table, values->at++, 1);
        number |= (byte & 127) << (shift & 31);
        shift += 7;
    } while (byte & 128 && shift < 35);
    return number;
}

/* The difference of the first value may be 0. */
bool flm_go_values_next(struct flm_go_values *values)
{
    uint32_t difference = values->at ? take_number(values) : 0;
    bool is_end = values->at == 0 || (difference == 0 && values->has_begun);
    uint32_t quanta = is_end ? 0 : take_number(values);
    values->has_begun = true;
    if (quanta == 0 || values->at >= values->table->bytes.size) {
        values->at = 0;
        values->value = -1;
        values->end = UINT64_MAX;
        return false;
    }
    values->value = (int32_t)((uint32_t)values->value + (-(difference & 1) ^ difference >> 1));
    values->end += (uint64_t)quanta * values->table->quantum;
    return true;
}
