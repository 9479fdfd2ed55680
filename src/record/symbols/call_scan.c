#include "record/symbols/call_scan.h"

#include <assert.h>

/* DWARF's numbers of the registers that functions preserve. */
enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, R15 = 15, RIP = 16 };

static const uint64_t preserved = 1u << RBX | 1u << RBP | 0xfu << R12;

/* ---- The return address ---------------------------------------------------------------------- */

/* The target of the call or the jump in the five bytes before an address; 0: there is none. */
static uint64_t target_before(const struct flm_module *module, uint64_t address,
                              unsigned char instruction)
{
    enum { SIZE = 5 };
    const unsigned char *code = flm_module_code(module, address - SIZE, SIZE);
    if (!code || code[0] != instruction)
        return 0;
    uint32_t distance = (uint32_t)code[1] | (uint32_t)code[2] << 8 | (uint32_t)code[3] << 16 |
                        (uint32_t)code[4] << 24;
    return address + (uint64_t)(int64_t)(int32_t)distance;
}

/* Whether a function ends by a jump to another one, or by one to a function that does: the last
 * call of `sort` is qsort, whose last one is qsort_r. */
static bool jumps_to(struct flm_module *module, uint64_t function, uint64_t target, int most,
                     unsigned *budget)
{
    enum { JUMP = 0xe9, LONGEST = 4096 };
    struct flm_elf_range range;
    if (!flm_module_find_range(module, function, &range) || range.start != function)
        return false;
    uint64_t end = range.end - function < LONGEST ? range.end : function + LONGEST;
    for (uint64_t at = function + 5; at <= end && *budget > 0; at++, --*budget) {
        uint64_t jump = target_before(module, at, JUMP);
        if (jump == target)
            return true;
        bool leaves = jump && (jump < range.start || jump >= range.end);
        if (leaves && most > 1 && jumps_to(module, jump, target, most - 1, budget))
            return true;
    }
    return false;
}

/* Whether the word is the address behind a call of the function at `start`. */
static bool is_return_from(const struct flm_mapping *mapping, uint64_t word, uint64_t start,
                           unsigned *budget)
{
    enum { CALL = 0xe8, MOST_JUMPS = 3 };
    uint64_t address;
    if (word <= mapping->start || word >= mapping->end ||
        !flm_module_address(mapping->module, word - mapping->start + mapping->file_offset,
                            &address))
        return false;
    uint64_t target = target_before(mapping->module, address, CALL);
    return target &&
           (target == start || jumps_to(mapping->module, target, start, MOST_JUMPS, budget));
}

static bool find_return(const struct flm_mapping *mapping, uint64_t start, uint64_t sp,
                        flm_stack_read read, void *context, unsigned *budget, uint64_t *at,
                        uint64_t *word)
{
    enum { MOST = 8192 }; /* the frame of a function with large arrays is not searched to its end */
    for (*at = sp; *budget != 0 && *at - sp < MOST; *at += sizeof *word, --*budget) {
        if (!read(context, *at, word))
            return false;
        if (is_return_from(mapping, *word, start, budget))
            return true;
    }
    return false;
}

/* ---- What the function has pushed ------------------------------------------------------------ */

/* The instructions with which functions begin, up to the pc. */
struct prologue {
    const unsigned char *at, *end;
};

static bool starts_with(const struct prologue *p, const char *bytes, size_t size)
{
    return (size_t)(p->end - p->at) >= size && memcmp(p->at, bytes, size) == 0;
}

/* A move or an exclusive or between registers, which compilers put between pushes: its size. */
static size_t move_size(const struct prologue *p)
{
    const unsigned char *at = p->at;
    size_t prefix = at < p->end && (*at & 0xf0) == 0x40; /* REX */
    if ((size_t)(p->end - at) < prefix + 2)
        return 0;
    unsigned char code = at[prefix], operands = at[prefix + 1];
    bool is_known = code == 0x89 || code == 0x8b || code == 0x31 || code == 0x33;
    return is_known && operands >> 6 == 3 ? prefix + 2 : 0;
}

/* The register that is pushed, by DWARF's number, and the size of the instruction; -1: no push. */
static int pushed(const struct prologue *p, size_t *size)
{
    static const signed char numbers[8] = {0, 2, 1, RBX, RSP, RBP, 4, 5};
    size_t left = (size_t)(p->end - p->at), prefix = left > 0 && *p->at == 0x41;
    if (left < prefix + 1 || (p->at[prefix] & 0xf8) != 0x50)
        return -1;
    *size = prefix + 1;
    int low = p->at[prefix] & 7;
    return prefix ? 8 + low : numbers[low];
}

/* Restores the registers that were pushed below the return address. Returns those that are
 * known. */
static uint64_t restore(struct prologue p, uint64_t return_at, struct flm_registers *registers,
                        flm_stack_read read, void *context)
{
    uint64_t slot = return_at, value, restored = 0;
    while (p.at < p.end) {
        size_t size;
        int number = pushed(&p, &size);
        if (number >= 0) {
            slot -= sizeof value;
            if (preserved >> number & 1 && !(restored >> number & 1) &&
                read(context, slot, &value)) {
                registers->value[number] = value;
                restored |= UINT64_C(1) << number;
            }
            p.at += size;
        } else if (starts_with(&p, "\xf3\x0f\x1e\xfa", 4)) { /* endbr64 */
            p.at += 4;
        } else if (starts_with(&p, "\x48\x83\xec", 3) || starts_with(&p, "\x48\x81\xec", 3)) {
            return registers->known | restored; /* the end of the prologue: sub rsp */
        } else if ((size = move_size(&p)) > 0) {
            p.at += size;
        } else {
            return (registers->known & ~preserved) | restored; /* more pushes may follow */
        }
    }
    return registers->known | restored;
}

bool flm_step_by_call(const struct flm_mapping *mapping, uint64_t address,
                      struct flm_registers *registers, flm_stack_read read, void *context,
                      unsigned *budget)
{
    assert(mapping->module && registers && read && budget);
    struct flm_elf_range function;
    uint64_t at, word;
    if (registers->machine != FLM_MACHINE_X86_64 ||
        !flm_module_find_range(mapping->module, address, &function) ||
        !find_return(mapping, function.start, flm_registers_sp(registers), read, context, budget,
                     &at, &word))
        return false;
    enum { LONGEST = 64 };
    uint64_t before = address - function.start;
    size_t size = before < LONGEST ? (size_t)before : LONGEST;
    const unsigned char *code = flm_module_code(mapping->module, function.start, size);
    struct prologue prologue = {code, code ? code + size : code};
    registers->known =
        code ? restore(prologue, at, registers, read, context) : registers->known & ~preserved;
    registers->value[RSP] = at + sizeof word;
    registers->value[RIP] = word;
    return true;
}

/* call m: FF and a byte /2, whose mode says how many bytes of address follow; a prefix changes
 * nothing of that. */
static bool is_call_through_pointer(const struct flm_module *module, uint64_t address, size_t size)
{
    const unsigned char *code = flm_module_code(module, address - size, size);
    if (!code || code[0] != 0xff || (code[1] >> 3 & 7) != 2)
        return false;
    unsigned mode = code[1] >> 6, base = code[1] & 7;
    size_t more = mode != 3 && base == 4; /* a byte for base and index */
    size_t distance = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
    if (mode == 0 && more && size > 2 && (code[2] & 7) == 5)
        distance = 4;
    return size == 2 + more + distance;
}

bool flm_is_after_call(const struct flm_module *module, uint64_t address)
{
    if (flm_module_machine(module) != FLM_MACHINE_X86_64)
        return false;
    if (target_before(module, address, 0xe8))
        return true;
    for (size_t size = 2; size <= 7; size++)
        if (is_call_through_pointer(module, address, size))
            return true;
    return false;
}
