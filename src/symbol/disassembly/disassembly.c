#include "symbol/disassembly/disassembly.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "symbol/disassembly/internal.h"
#include "symbol/registry/module.h"

struct row {
    uint64_t place;
    uint32_t offset; /* of its first byte */
    uint32_t text;   /* mnemonic and operands, one behind the other */
    uint8_t size, mnemonic_size, operands_size;
    uint8_t kind : 4, has_place : 1, leads : 1;
};

struct flm_disassembly {
    uint64_t address;
    char *code; /* owned */
    size_t size;
    struct FLM_ARRAY(struct row) rows;
    struct flm_text texts;
};

/* ---- Making ---------------------------------------------------------------------------------- */

static bool add_row(struct flm_disassembly *d, const struct flm_instruction *instruction)
{
    struct row row = {.place = instruction->place,
                      .offset = (uint32_t)(instruction->address - d->address),
                      .text = (uint32_t)d->texts.size,
                      .size = (uint8_t)instruction->bytes.size,
                      .kind = (uint8_t)(instruction->kind & 15),
                      .has_place = instruction->has_place,
                      .leads = instruction->leads};
    struct flm_bytes mnemonic = instruction->mnemonic, operands = instruction->operands;
    assert(instruction->bytes.size <= UINT8_MAX && mnemonic.size <= UINT8_MAX &&
           operands.size <= UINT8_MAX); /* libcapstone has room for 32 and 160 bytes */
    row.mnemonic_size = (uint8_t)mnemonic.size;
    row.operands_size = (uint8_t)operands.size;
    if (d->texts.size > UINT32_MAX - 2 * UINT8_MAX)
        return false;
    flm_text_add(&d->texts, mnemonic);
    flm_text_add(&d->texts, operands);
    return !d->texts.failed && FLM_ARRAY_ADD(&d->rows, row);
}

/* Of arm64 a word, of x86-64 a vector instruction or a byte. */
static size_t data_size(enum flm_machine machine, struct flm_bytes rest)
{
    size_t size = machine == FLM_MACHINE_ARM64 ? 4 : flm_unknown_instruction_size(rest);
    return size > 0 && size <= rest.size ? size : 1;
}

/* As bytes, or as the word that people look up for arm64. */
static bool add_data(struct flm_disassembly *d, enum flm_machine machine, size_t at)
{
    static const char digits[] = "0123456789abcdef";
    size_t size = data_size(machine, (struct flm_bytes){d->code + at, d->size - at});
    bool is_word = machine == FLM_MACHINE_ARM64 && size == 4;
    char value[16 * 6];
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned byte = (unsigned char)d->code[at + (is_word ? 3 - i : i)];
        if (i > 0 && !is_word) {
            value[length++] = ',';
            value[length++] = ' ';
        }
        if (i == 0 || !is_word) {
            value[length++] = '0';
            value[length++] = 'x';
        }
        value[length++] = digits[byte >> 4];
        value[length++] = digits[byte & 15];
    }
    const struct flm_instruction data = {
        .address = d->address + at,
        .bytes = {d->code + at, size},
        .mnemonic = flm_bytes_of(is_word ? ".word" : ".byte"),
        .operands = {value, length},
        .kind = FLM_INSTRUCTION_DATA,
    };
    return add_row(d, &data);
}

static bool add_rows(struct flm_disassembly *d, enum flm_machine machine,
                     struct flm_decoder *decoder)
{
    bool good = true;
    for (size_t at = 0; at < d->size && good;) {
        struct flm_instruction instruction;
        struct flm_bytes rest = {d->code + at, d->size - at};
        if (flm_decoder_next(decoder, rest, d->address + at, &instruction)) {
            flm_instruction_classify(machine, &instruction);
            good = add_row(d, &instruction);
        } else {
            good = add_data(d, machine, at);
        }
        at += good ? d->rows.at[d->rows.count - 1].size : 0;
    }
    return good;
}

struct flm_disassembly *flm_disassembly_new(const struct flm_machine_code *code,
                                            enum flm_assembly_syntax syntax, struct flm_error *why)
{
    if (code->machine == FLM_MACHINE_OTHER) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "machine code is shown for x86-64 and arm64, and this is for neither");
        return NULL;
    }
    if (code->bytes.size > FLM_DISASSEMBLY_MOST) {
        flm_error_set(why, FLM_ERROR_RANGE,
                      "%zu bytes of machine code are more than the %d MiB that are shown at once",
                      code->bytes.size, FLM_DISASSEMBLY_MOST >> 20);
        return NULL;
    }
    struct flm_decoder *decoder = flm_decoder_new(code->machine, syntax, why);
    if (!decoder)
        return NULL;
    struct flm_disassembly *d = calloc(1, sizeof *d);
    if (d)
        d->code = malloc(code->bytes.size + 1);
    bool good = d && d->code;
    if (good) {
        d->address = code->address;
        d->size = code->bytes.size;
        if (d->size > 0)
            memcpy(d->code, code->bytes.at, d->size);
        good = add_rows(d, code->machine, decoder);
    }
    flm_decoder_free(decoder);
    if (good)
        return d;
    flm_disassembly_free(d);
    flm_error_memory(why);
    return NULL;
}

struct flm_disassembly *flm_disassembly_of_module(struct flm_module *module, uint64_t start,
                                                  uint64_t end, enum flm_assembly_syntax syntax,
                                                  struct flm_error *why)
{
    struct flm_text bytes = {0};
    struct flm_disassembly *made = NULL;
    if (end < start || end - start > FLM_DISASSEMBLY_MOST)
        flm_error_set(why, FLM_ERROR_RANGE, "a function has at most %d MiB of machine code",
                      FLM_DISASSEMBLY_MOST >> 20);
    else if (flm_module_read_code(module, start, (size_t)(end - start), &bytes, why))
        made = flm_disassembly_new(&(struct flm_machine_code){.machine = flm_module_machine(module),
                                                              .address = start,
                                                              .bytes = {bytes.at, bytes.size}},
                                   syntax, why);
    flm_text_clear(&bytes);
    return made;
}

void flm_disassembly_free(struct flm_disassembly *d)
{
    if (!d)
        return;
    free(d->code);
    FLM_ARRAY_CLEAR(&d->rows);
    flm_text_clear(&d->texts);
    free(d);
}

/* ---- Reading --------------------------------------------------------------------------------- */

size_t flm_disassembly_count(const struct flm_disassembly *d)
{
    return d->rows.count;
}

struct flm_instruction flm_disassembly_at(const struct flm_disassembly *d, size_t index)
{
    assert(index < d->rows.count);
    const struct row *row = &d->rows.at[index];
    const char *text = d->texts.at + row->text;
    return (struct flm_instruction){
        .address = d->address + row->offset,
        .bytes = {d->code + row->offset, row->size},
        .mnemonic = {text, row->mnemonic_size},
        .operands = {text + row->mnemonic_size, row->operands_size},
        .kind = (enum flm_instruction_kind)row->kind,
        .has_place = row->has_place,
        .leads = row->leads,
        .place = row->place,
    };
}

bool flm_disassembly_find(const struct flm_disassembly *d, uint64_t address, size_t *index)
{
    uint64_t offset = address - d->address;
    if (address < d->address || offset >= d->size)
        return false;
    size_t low = 0, high = d->rows.count; /* the last row that starts at the offset or before it */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->rows.at[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    *index = low;
    return true;
}
