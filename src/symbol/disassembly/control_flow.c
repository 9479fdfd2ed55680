/* control_flow.c - what an instruction does to the flow of control, by its bytes.
 *
 * x86-64: prefixes, then an opcode; the distance of a direct jump is the last 1 or 4 bytes.
 * arm64: 32 bits, with the distance in words. */
#include "symbol/disassembly/internal.h"

static void lead(struct flm_instruction *instruction, enum flm_instruction_kind kind,
                 uint64_t place)
{
    instruction->kind = kind;
    instruction->has_place = instruction->leads = true;
    instruction->place = place;
}

static void refer(struct flm_instruction *instruction, uint64_t place)
{
    instruction->has_place = true;
    instruction->place = place;
}

/* ---- x86-64 ---------------------------------------------------------------------------------- */

static bool is_prefix(unsigned byte)
{
    switch (byte) {
    case 0x26: /* segments; of branches, hints */
    case 0x2E:
    case 0x36:
    case 0x3E: /* notrack */
    case 0x64:
    case 0x65:
    case 0x66: /* sizes */
    case 0x67:
    case 0xF0: /* lock */
    case 0xF2: /* repne, bnd */
    case 0xF3: /* rep */
        return true;
    default:
        return byte >= 0x40 && byte <= 0x4F; /* REX */
    }
}

/* Behind the instruction, by the signed number in its last `width` bytes. */
static void lead_by(struct flm_instruction *instruction, enum flm_instruction_kind kind,
                    size_t width)
{
    const unsigned char *at = (const unsigned char *)instruction->bytes.at;
    size_t size = instruction->bytes.size;
    uint64_t distance = 0;
    if (size <= width) {
        instruction->kind = kind;
        return;
    }
    for (size_t i = 0; i < width; i++)
        distance |= (uint64_t)at[size - width + i] << 8 * i;
    uint64_t sign = (uint64_t)1 << (8 * width - 1);
    distance = (distance ^ sign) - sign;
    lead(instruction, kind, instruction->address + size + distance);
}

/* The number in front of `end`, as libcapstone writes it: 0x2eb4, 8, -0x10. */
static bool number_before(const char *start, const char *end, uint64_t *number)
{
    const char *at = end;
    while (at > start && (flm_is_one_of(at[-1], "0123456789abcdefx")))
        at--;
    bool is_hex = end - at > 2 && at[0] == '0' && at[1] == 'x', is_negative = false;
    if (at > start && at[-1] == '-')
        is_negative = true;
    else if (at - start > 1 && at[-1] == ' ' && at[-2] == '-') /* Intel's [rip - 0x10] */
        is_negative = true;
    *number = 0;
    for (const char *digit = is_hex ? at + 2 : at; digit < end; digit++) {
        if (*digit > (is_hex ? 'f' : '9'))
            return false; /* the end of a word, as in [rip + rax] */
        *number = *number * (is_hex ? 16 : 10) +
                  (uint64_t)(*digit >= 'a' ? *digit - 'a' + 10 : *digit - '0');
    }
    *number = is_negative ? 0 - *number : *number;
    return at < end;
}

/* 0x2eb4(%rip); [rip + 0x2eb4]: relative to the next instruction. */
static void refer_by_counter(struct flm_instruction *instruction)
{
    struct flm_bytes text = instruction->operands;
    uint64_t distance = 0, next = instruction->address + instruction->bytes.size;
    for (size_t i = 0; i + 5 <= text.size; i++) {
        if (memcmp(text.at + i, "[rip ", 5) == 0) {
            const char *close = memchr(text.at + i, ']', text.size - i);
            if (close && number_before(text.at + i, close, &distance))
                refer(instruction, next + distance);
            return;
        }
        if (text.size - i >= 6 && memcmp(text.at + i, "(%rip)", 6) == 0) {
            if (i == 0 || number_before(text.at, text.at + i, &distance))
                refer(instruction, next + distance);
            return;
        }
    }
}

static void classify_x86(struct flm_instruction *instruction)
{
    const unsigned char *at = (const unsigned char *)instruction->bytes.at;
    size_t size = instruction->bytes.size, i = 0;
    while (i < size && is_prefix(at[i]))
        i++;
    unsigned opcode = i < size ? at[i] : 0, second = i + 1 < size ? at[i + 1] : 0;
    if (opcode == 0xE8) {
        lead_by(instruction, FLM_INSTRUCTION_CALL, 4);
    } else if (opcode == 0xE9) {
        lead_by(instruction, FLM_INSTRUCTION_JUMP, 4);
    } else if (opcode == 0xEB) {
        lead_by(instruction, FLM_INSTRUCTION_JUMP, 1);
    } else if (opcode >> 4 == 7 || (opcode >= 0xE0 && opcode <= 0xE3)) {
        lead_by(instruction, FLM_INSTRUCTION_BRANCH, 1); /* loop, jrcxz */
    } else if ((opcode == 0x0F && second >> 4 == 8) || (opcode == 0xC7 && second == 0xF8)) {
        lead_by(instruction, FLM_INSTRUCTION_BRANCH, 4); /* xbegin */
    } else if (opcode == 0xC2 || opcode == 0xC3 || opcode == 0xCA || opcode == 0xCB ||
               opcode == 0xCF || (opcode == 0x0F && (second == 0x07 || second == 0x35))) {
        instruction->kind = FLM_INSTRUCTION_RETURN; /* iret, sysret, sysexit */
    } else {
        unsigned extension = second >> 3 & 7;
        if (opcode == 0xFF && (extension == 2 || extension == 3))
            instruction->kind = FLM_INSTRUCTION_CALL;
        else if (opcode == 0xFF && (extension == 4 || extension == 5))
            instruction->kind = FLM_INSTRUCTION_JUMP;
        refer_by_counter(instruction);
    }
}

/* ---- arm64 ----------------------------------------------------------------------------------- */

/* The signed number in `width` bits from bit `first` on. */
static uint64_t field(uint32_t word, unsigned first, unsigned width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    return ((word >> first & (((uint64_t)1 << width) - 1)) ^ sign) - sign;
}

static void classify_arm64(struct flm_instruction *instruction)
{
    const unsigned char *at = (const unsigned char *)instruction->bytes.at;
    if (instruction->bytes.size != 4)
        return;
    uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    uint64_t here = instruction->address;
    if ((word & 0x7C000000) == 0x14000000) {
        lead(instruction, word >> 31 ? FLM_INSTRUCTION_CALL : FLM_INSTRUCTION_JUMP,
             here + 4 * field(word, 0, 26));
    } else if ((word & 0xFF000000) == 0x54000000) { /* b.al and b.nv are always taken */
        lead(instruction, (word & 0xE) == 0xE ? FLM_INSTRUCTION_JUMP : FLM_INSTRUCTION_BRANCH,
             here + 4 * field(word, 5, 19));
    } else if ((word & 0x7E000000) == 0x34000000) { /* cbz, cbnz */
        lead(instruction, FLM_INSTRUCTION_BRANCH, here + 4 * field(word, 5, 19));
    } else if ((word & 0x7E000000) == 0x36000000) { /* tbz, tbnz */
        lead(instruction, FLM_INSTRUCTION_BRANCH, here + 4 * field(word, 5, 14));
    } else if ((word & 0xFE000000) == 0xD6000000) { /* br, blr, ret, eret, with or without keys */
        static const enum flm_instruction_kind kinds[8] = {
            FLM_INSTRUCTION_JUMP,  FLM_INSTRUCTION_CALL,   FLM_INSTRUCTION_RETURN,
            FLM_INSTRUCTION_PLAIN, FLM_INSTRUCTION_RETURN, FLM_INSTRUCTION_PLAIN,
            FLM_INSTRUCTION_PLAIN, FLM_INSTRUCTION_PLAIN};
        instruction->kind = kinds[word >> 21 & 7];
    } else if ((word & 0x1F000000) == 0x10000000) { /* adr, adrp: 21 bits in two parts */
        uint64_t distance = 4 * field(word, 5, 19) + (word >> 29 & 3);
        refer(instruction,
              word >> 31 ? (here & ~(uint64_t)0xFFF) + (distance << 12) : here + distance);
    } else if ((word & 0x3B000000) == 0x18000000) { /* ldr of a literal */
        refer(instruction, here + 4 * field(word, 5, 19));
    }
}

void flm_instruction_classify(enum flm_machine machine, struct flm_instruction *instruction)
{
    instruction->kind = FLM_INSTRUCTION_PLAIN;
    instruction->has_place = instruction->leads = false;
    instruction->place = 0;
    if (machine == FLM_MACHINE_ARM64)
        classify_arm64(instruction);
    else
        classify_x86(instruction);
}
