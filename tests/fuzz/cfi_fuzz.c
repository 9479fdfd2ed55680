/* Any bytes as .eh_frame and .debug_frame, and as a table from the cache: a table that is made can
 * be walked from anywhere, kept, and opened again as the same one. The first byte says what the
 * others are. */
#include <stdlib.h>

#include "symbol/unwind/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IS_ARM64 = 1, IS_SWAPPED = 2, IS_DEBUG_FRAME = 4, IS_BOTH = 8, IS_KEPT = 16 };

static void promise(bool kept)
{
    if (!kept)
        abort();
}

/* A stack whose words go outward, so that walks are long. */
static bool read_word(void *context, uint64_t address, uint64_t *word)
{
    const uint64_t *start = context;
    if (address < *start || address - *start > 4096)
        return false;
    *word = address % 16 == 0 ? address + 32 : 0x100000 + address % 4096;
    return true;
}

static void walk(const struct flm_unwind_table *table, uint64_t address)
{
    for (int machine = FLM_MACHINE_X86_64; machine <= FLM_MACHINE_ARM64; machine++) {
        struct flm_registers registers = {.machine = (enum flm_machine)machine,
                                          .known = (UINT64_C(1) << 33) - 1};
        uint64_t start = 0x7000;
        for (unsigned i = 0; i < FLM_REGISTER_COUNT; i++)
            registers.value[i] = start + 16 * i;
        for (int depth = 0; depth < 8; depth++) {
            uint64_t sp = flm_registers_sp(&registers);
            enum flm_step step = flm_unwind_step(table, address, &registers, read_word, &start);
            if (step != FLM_STEP_CALLER && step != FLM_STEP_SIGNAL)
                break;
            promise(step == FLM_STEP_SIGNAL || flm_registers_sp(&registers) >= sp);
            address = flm_registers_pc(&registers);
        }
        flm_unwind_step_by_pointer(&registers, read_word, &start);
    }
}

static void use(const struct flm_unwind_table *table)
{
    for (uint64_t address = 0xFFFC0; address < 0x100400; address += 7)
        walk(table, address);
    walk(table, 0);
    walk(table, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    uint8_t what = data[0];
    struct flm_bytes rest = {(const char *)data + 1, size - 1};
    struct flm_error why = {0};
    if (what & IS_KEPT) {
        /* As the cache has it, aligned. */
        char *copy = aligned_alloc(64, (rest.size + 64) / 64 * 64);
        promise(copy != NULL);
        memcpy(copy, rest.at, rest.size);
        struct flm_unwind_table *kept =
            flm_unwind_table_open((struct flm_bytes){copy, rest.size}, &why);
        if (kept)
            use(kept);
        else
            promise(why.kind == FLM_ERROR_FORMAT);
        flm_unwind_table_free(kept);
        free(copy);
        return 0;
    }
    struct flm_unwind_sections sections = {
        .machine = what & IS_ARM64 ? FLM_MACHINE_ARM64 : FLM_MACHINE_X86_64,
        .swapped = what & IS_SWAPPED,
        .eh_frame_address = 0x200000,
        .code = rest,
        .code_address = 0x100000,
        .plt = rest,
        .plt_address = 0x100200,
    };
    if (what & (IS_DEBUG_FRAME | IS_BOTH))
        sections.debug_frame = rest;
    if (!(what & IS_DEBUG_FRAME))
        sections.eh_frame = rest;
    struct flm_unwind_table *table = flm_unwind_table_new(&sections, &why);
    if (!table) {
        promise(why.kind == FLM_ERROR_FORMAT && why.text[0] != 0);
        return 0;
    }
    use(table);
    struct flm_text bytes = {0};
    flm_unwind_table_write(table, &bytes);
    struct flm_unwind_table *again =
        flm_unwind_table_open((struct flm_bytes){bytes.at, bytes.size}, &why);
    promise(again != NULL);
    struct flm_unwind_counts a = flm_unwind_table_counts(table), b = flm_unwind_table_counts(again);
    promise(a.rows == b.rows && a.functions == b.functions && a.unsupported == b.unsupported);
    flm_unwind_table_free(again);
    flm_unwind_table_free(table);
    flm_text_clear(&bytes);
    return 0;
}
