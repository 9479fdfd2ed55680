/* unknown_size.c - the size of instructions of x86-64 that libcapstone does not know.
 *
 *     C5 xx        opcode  operands      VEX: map 1
 *     C4 xx xx     opcode  operands      VEX: the map is in the low bits of the first xx
 *     62 xx xx xx  opcode  operands      EVEX: likewise
 *     0F 01 xx                           with two registers: rdpkru, clac, monitorx
 *
 * libcapstone 4 does not know masks of bytes (kmovq, vptestnmb), which glibc's strlen and memcpy
 * are full of. Going on one byte later would read the rest of such an instruction as others, jumps
 * among them, until it is in step again by chance: 3,700 rows of Debian 12's libc. Vector
 * instructions are regular, so their size needs no table of them. */
#include "symbol/disassembly/internal.h"

/* ModRM, and what it says that follows: SIB, a displacement. 0: cut off. */
static size_t operands_size(const unsigned char *at, size_t left)
{
    if (left == 0)
        return 0;
    unsigned mode = at[0] >> 6, base = at[0] & 7;
    if (mode == 3)
        return 1;
    size_t size = 1;
    if (base == 4) {
        if (left < 2)
            return 0;
        base = at[1] & 7;
        size++;
    }
    return size + (mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
}

size_t flm_unknown_instruction_size(struct flm_bytes bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.at;
    if (bytes.size >= 3 && at[0] == 0x0F && at[1] == 0x01 && at[2] >= 0xC0)
        return 3;
    size_t prefix = bytes.size == 0 ? 0
                    : at[0] == 0xC5 ? 2
                    : at[0] == 0xC4 ? 3
                    : at[0] == 0x62 ? 4
                                    : 0;
    if (prefix == 0 || bytes.size <= prefix + 1)
        return 0;
    unsigned map = prefix == 2 ? 1 : at[1] & (prefix == 3 ? 31 : 7), opcode = at[prefix];
    if (map == 0 || map == 4 || map > 6) /* 5 and 6 are of half precision */
        return 0;
    if (map == 1 && opcode == 0x77 && prefix != 4)
        return prefix + 1; /* vzeroupper */
    bool has_number =
        map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xC2 ||
                                  (opcode >= 0xC4 && opcode <= 0xC6)));
    size_t operands = operands_size(at + prefix + 1, bytes.size - prefix - 1);
    size_t size = prefix + 1 + operands + has_number;
    return operands > 0 && size <= bytes.size ? size : 0;
}
