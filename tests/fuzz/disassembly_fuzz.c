/* Any bytes as machine code; the first says of which machine, and in which syntax. Rows cover the
 * bytes without a gap, and each is found by all of its addresses. Without libcapstone only what
 * reads bytes itself is tried. */
#include <stdlib.h>

#include "symbol/disassembly/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

static void promise_rows(const struct flm_disassembly *d, const struct flm_machine_code *code)
{
    uint64_t next = code->address;
    for (size_t i = 0; i < flm_disassembly_count(d); i++) {
        struct flm_instruction row = flm_disassembly_at(d, i);
        size_t found;
        promise(row.address == next && row.bytes.size > 0 && row.mnemonic.size > 0);
        next += row.bytes.size;
        promise(flm_disassembly_find(d, row.address, &found) && found == i);
        promise(flm_disassembly_find(d, next - 1, &found) && found == i);
        promise(row.has_place || (!row.leads && row.place == 0));
    }
    promise(next == code->address + code->bytes.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    /* In memory of its own, so that a read behind its end is seen. */
    size_t rest = size - 1;
    char *copy = malloc(rest ? rest : 1);
    promise(copy != NULL);
    if (rest > 0)
        memcpy(copy, data + 1, rest);
    const struct flm_machine_code code = {.machine =
                                              data[0] & 1 ? FLM_MACHINE_ARM64 : FLM_MACHINE_X86_64,
                                          .address = data[0] & 2 ? 0x400000 : 0xffffffff81000000,
                                          .bytes = {copy, rest}};
    for (size_t at = 0; at < rest; at++) {
        struct flm_instruction instruction = {.address = at,
                                              .bytes = {copy + at, rest - at < 15 ? rest - at : 15},
                                              .operands = {copy, at < 40 ? at : 40}};
        flm_instruction_classify(code.machine, &instruction);
        promise(flm_unknown_instruction_size(instruction.bytes) <= instruction.bytes.size);
        promise(flm_att_mnemonic_size(instruction.bytes, instruction.operands) <=
                instruction.bytes.size);
    }
    struct flm_disassembly *d =
        flm_disassembly_new(&code, data[0] & 4 ? FLM_ASSEMBLY_INTEL : FLM_ASSEMBLY_ATT, NULL);
    if (d)
        promise_rows(d, &code);
    flm_disassembly_free(d);
    free(copy);
    return 0;
}
