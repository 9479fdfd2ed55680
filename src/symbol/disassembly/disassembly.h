/* disassembly.h - machine code as instructions, for people: of a function, say.
 *
 *     1149  48 8d 05 b4 2e 00 00   lea    0x2eb4(%rip), %rax    place 4004: what it refers to
 *     1150  e8 ea fe ff ff         call   0x103f                place 103f: the function called
 *     1155  85 c0                  test   %eax, %eax
 *     1157  74 f0                  je     0x1149                place 1149: a jump back, a loop
 *     1159  06                     .byte  0x06                  no instruction of this machine
 *
 * libcapstone makes the text; it is loaded by the first use, and flamel can be built without it.
 * What an instruction does to the flow of control, and where a direct jump leads, is read from its
 * bytes (control_flow.c): libcapstone would tell that too, but in other numbers in each version,
 * and its details make it half as fast.
 *
 * Bytes that are no instruction are a row of data, and the next row starts behind them; so any
 * bytes can be disassembled, and rows cover all of them without a gap. 1 MB of x86-64 takes 0.12 s
 * and 11 MB of memory. */
#ifndef FLAMEL_SYMBOL_DISASSEMBLY_DISASSEMBLY_H
#define FLAMEL_SYMBOL_DISASSEMBLY_DISASSEMBLY_H

#include "base/core/bytes.h"
#include "code/code_store.h"
#include "flamel/error.h"
#include "symbol/identity/machine.h"

struct flm_disassembly;
struct flm_module;

struct flm_machine_code {
    enum flm_machine machine;
    uint64_t address; /* of the first byte */
    struct flm_bytes bytes;
};

/* How x86-64 is written: as objdump and perf do, "mov %rax, %rbx"; or as Intel does, "mov rbx,
 * rax". */
enum flm_assembly_syntax { FLM_ASSEMBLY_ATT, FLM_ASSEMBLY_INTEL };

/* No function has as many bytes: a range that does is a mistake, and would take seconds. */
enum { FLM_DISASSEMBLY_MOST = 32 << 20 };

/* The instructions, and a copy of the code. NULL, and `why`, where there is no libcapstone, for a
 * machine that it is not used for, more than FLM_DISASSEMBLY_MOST bytes, or when memory ran out. */
struct flm_disassembly *flm_disassembly_new(const struct flm_machine_code *code,
                                            enum flm_assembly_syntax syntax, struct flm_error *why);

/* The same for [start, end) of a module, in addresses of its file; `why` also says why its code
 * cannot be read. */
struct flm_disassembly *flm_disassembly_of_module(struct flm_module *module, uint64_t start,
                                                  uint64_t end, enum flm_assembly_syntax syntax,
                                                  struct flm_error *why);
void flm_disassembly_free(struct flm_disassembly *disassembly);

/* Bytes and texts belong to the disassembly. */
struct flm_instruction {
    uint64_t address;
    struct flm_bytes bytes;
    struct flm_bytes mnemonic, operands; /* "lock cmpxchgl", "%ecx, (%rdx)"; operands may be "" */
    enum flm_instruction_kind kind;
    bool has_place; /* the address that it names is known: */
    uint64_t place; /* of a jump, a branch, a call: where it leads; else what it refers to (relative
                       to the program counter) */
    bool leads;     /* to `place`; false also for a jump through a pointer, which is at `place` */
};

size_t flm_disassembly_count(const struct flm_disassembly *disassembly);
struct flm_instruction flm_disassembly_at(const struct flm_disassembly *disassembly, size_t index);

/* The instruction that has a byte at the address. False: none. A sample's address may be inside of
 * one, where the code is not what was disassembled. */
bool flm_disassembly_find(const struct flm_disassembly *disassembly, uint64_t address,
                          size_t *index);

#endif
