/* code_finder_instructions.c - the instructions of a function with what its symbols say of each. */
#include "base/core/hash.h"
#include "code/find/internal.h"

enum { MNEMONIC_WIDTH = 6 };

static uint32_t hash_of(const void *key, size_t size)
{
    return (uint32_t)(flm_hash(key, size) >> 32);
}

/* The number of a file; FLM_CODE_NONE for "". False when memory ran out. */
static bool file_of(struct flm_code_making *m, struct flm_bytes name, uint32_t *number)
{
    *number = FLM_CODE_NONE;
    if (name.size == 0)
        return true;
    uint32_t hash = hash_of(name.at, name.size);
    for (struct flm_probe at = flm_index_probe(&m->file_index, hash);
         flm_index_next(&m->file_index, &at);)
        if (flm_bytes_equal(m->files.at[at.found], name)) {
            *number = at.found;
            return true;
        }
    *number = (uint32_t)m->files.count;
    return FLM_ARRAY_ADD(&m->files, name) && flm_index_add(&m->file_index, hash, *number);
}

static bool inlined_of(struct flm_code_making *m, const struct flm_code_inlined *inlined,
                       uint32_t *number)
{
    const uint64_t key[3] = {flm_hash(inlined->function.at, inlined->function.size),
                             (uint64_t)inlined->caller << 32 | inlined->file, inlined->line};
    uint32_t hash = hash_of(key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&m->inlined_index, hash);
         flm_index_next(&m->inlined_index, &at);) {
        const struct flm_code_inlined *known = &m->inlined.at[at.found];
        if (known->caller == inlined->caller && known->file == inlined->file &&
            known->line == inlined->line && flm_bytes_equal(known->function, inlined->function)) {
            *number = at.found;
            return true;
        }
    }
    *number = (uint32_t)m->inlined.count;
    return FLM_ARRAY_ADD(&m->inlined, *inlined) && flm_index_add(&m->inlined_index, hash, *number);
}

static bool add_kept_source(struct flm_code_making *m, const struct flm_code_part *part,
                            struct flm_code_instruction *i, uint64_t address)
{
    const struct flm_kept_line *line = flm_code_part_line(part, address);
    i->line = line ? line->line : 0;
    return i->line == 0 || file_of(m, part->kept->files[line->file], &i->file);
}

/* The line of the innermost function, and through which calls it was inlined. */
static bool add_source(struct flm_code_making *m, const struct flm_code_part *part,
                       struct flm_code_instruction *i, uint64_t address)
{
    struct flm_code code[FLM_CODE_MOST];
    i->file = i->inlined = FLM_CODE_NONE;
    if (part->kept)
        return add_kept_source(m, part, i, address);
    size_t count = flm_module_lookup(m->module, address, code, FLM_CODE_MOST);
    count = count < FLM_CODE_MOST ? count : FLM_CODE_MOST;
    if (count == 0)
        return true;
    for (size_t k = count - 1; k-- > 0;) {
        struct flm_code_inlined inlined = {
            .function = code[k].function, .caller = i->inlined, .line = code[k + 1].line};
        if (!file_of(m, code[k + 1].file, &inlined.file) || !inlined_of(m, &inlined, &i->inlined))
            return false;
    }
    i->line = code[0].line;
    return i->line == 0 || file_of(m, code[0].file, &i->file);
}

static bool is_inside(const struct flm_code_making *m, uint64_t place)
{
    for (size_t i = 0; i < m->parts.count; i++)
        if (m->parts.at[i].start <= place && place < m->parts.at[i].end)
            return true;
    return false;
}

/* "memcpy@plt", "parse+0x10"; nothing for a jump inside the function, which is drawn. */
static void add_target(struct flm_code_making *m, const struct flm_code_part *part,
                       const struct flm_instruction *instruction)
{
    if (!instruction->has_place ||
        (instruction->kind != FLM_INSTRUCTION_CALL && is_inside(m, instruction->place)))
        return;
    struct flm_code code[FLM_CODE_MOST];
    const struct flm_kept_code *kept =
        part->kept ? flm_kept_codes_called(m->kept, instruction->place) : NULL;
    size_t count =
        part->kept ? 0 : flm_module_lookup(m->module, instruction->place, code, FLM_CODE_MOST);
    if (!kept && (count == 0 || count > FLM_CODE_MOST))
        return;
    uint64_t start = kept ? flm_kept_code_address(kept->start) : code[count - 1].start;
    flm_text_add(&m->texts, kept ? kept->name : code[count - 1].function);
    if (instruction->place > start)
        flm_text_format(&m->texts, "+0x%llx", (unsigned long long)(instruction->place - start));
}

/* A text is its end in `texts` until all are made. */
static bool add_instruction(struct flm_code_making *m, const struct flm_code_part *part,
                            const struct flm_instruction *instruction)
{
    struct flm_code_instruction i = {.address = instruction->address + part->moved,
                                     .size = (uint32_t)instruction->bytes.size,
                                     .kind = (uint8_t)instruction->kind,
                                     .has_place = instruction->has_place,
                                     .leads = instruction->leads && instruction->has_place,
                                     .place = instruction->place + part->moved,
                                     .code = instruction->bytes};
    flm_text_add(&m->texts, instruction->mnemonic);
    if (instruction->operands.size > 0) {
        if (instruction->mnemonic.size < MNEMONIC_WIDTH)
            flm_text_repeat(&m->texts, ' ', MNEMONIC_WIDTH - instruction->mnemonic.size);
        flm_text_putc(&m->texts, ' ');
        flm_text_add(&m->texts, instruction->operands);
    }
    i.text.size = m->texts.size;
    add_target(m, part, instruction);
    i.target.size = m->texts.size;
    i.place = i.has_place ? i.place : 0;
    return add_source(m, part, &i, instruction->address) && !m->texts.failed &&
           FLM_ARRAY_ADD(&m->instructions, i);
}

static void set_texts(struct flm_code_making *m)
{
    size_t at = 0;
    for (size_t k = 0; k < m->instructions.count; k++) {
        struct flm_code_instruction *i = &m->instructions.at[k];
        size_t text_end = i->text.size, target_end = i->target.size;
        i->text = (struct flm_bytes){m->texts.at + at, text_end - at};
        i->target = (struct flm_bytes){m->texts.at + text_end, target_end - text_end};
        at = target_end;
    }
}

static struct flm_disassembly *disassemble(const struct flm_code_making *m,
                                           const struct flm_code_part *part, struct flm_error *why)
{
    if (!part->kept)
        return flm_disassembly_of_module(m->module, part->start, part->end, m->syntax, why);
    const struct flm_machine_code code = {part->kept->machine, part->start, part->kept->bytes};
    return flm_disassembly_new(&code, m->syntax, why);
}

bool flm_code_making_disassemble(struct flm_code_making *m, struct flm_error *why)
{
    for (size_t p = 0; p < m->parts.count; p++) {
        const struct flm_code_part *part = &m->parts.at[p];
        struct flm_disassembly *d = disassemble(m, part, why);
        if (!d)
            return false;
        if (!FLM_ARRAY_ADD(&m->disassemblies, d)) {
            flm_disassembly_free(d);
            return flm_error_memory(why);
        }
        for (size_t i = 0; i < flm_disassembly_count(d); i++) {
            const struct flm_instruction instruction = flm_disassembly_at(d, i);
            if (!add_instruction(m, part, &instruction))
                return flm_error_memory(why);
        }
    }
    set_texts(m);
    return true;
}

void flm_code_making_clear(struct flm_code_making *m)
{
    for (size_t i = 0; i < m->disassemblies.count; i++)
        flm_disassembly_free(m->disassemblies.at[i]);
    FLM_ARRAY_CLEAR(&m->disassemblies);
    FLM_ARRAY_CLEAR(&m->parts);
    FLM_ARRAY_CLEAR(&m->instructions);
    FLM_ARRAY_CLEAR(&m->files);
    FLM_ARRAY_CLEAR(&m->inlined);
    flm_index_clear(&m->file_index);
    flm_index_clear(&m->inlined_index);
    flm_text_clear(&m->texts);
}
