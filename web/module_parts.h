/* module_parts.h - a wasm module taken apart, so that LZMA makes it 7 % smaller.
 *
 * In code, what an instruction does is like what others do; which local variable or which member of
 * a struct it does it to is not. So these stand in parts of their own, where repetitions stay
 * whole:
 *
 *     the numbers below          4 bytes each, the lowest first
 *     what is before the code    to behind the number of functions
 *     each part                  the numbers of locals, offsets, calls, addresses; and all else
 *     what is behind the code    the data
 *     zeros                      so that it is as long as the module
 *
 * A local is counted from the one that was used last, and the size of a function is not there: it
 * ends where its last block does. Taking apart (web/split.c) and joining (web/unpack.c) are the
 * same walk over the code, from one to the other. */
#ifndef FLAMEL_WEB_MODULE_PARTS_H
#define FLAMEL_WEB_MODULE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

enum module_part {
    PART_REST,
    PART_USED,
    PART_STORED,
    PART_OFFSETS,
    PART_CALLS,
    PART_ADDRESSES,
    PARTS
};
enum module_number { BEFORE, FUNCTIONS, BEHIND, PART_SIZES, NUMBERS = PART_SIZES + PARTS };
/* Instructions; the last is none: it stands in the parts for a constant of four bytes or more. */
enum { END = 0x0B, CONSTANT = 0x41, ADDRESS = 0xFF };
enum { MODULE_HEAD = 4 * NUMBERS, MOST_LOCALS = 1024, MOST_PARAMETERS = 64 };

struct module_walk {
    bool joins;
    bool failed; /* something is longer than it may be */
    uint8_t *code, *code_end;
    uint8_t *part[PARTS], *part_end[PARTS];
    uint16_t recent[MOST_LOCALS];
};

static uint8_t walk_take(struct module_walk *walk, bool code, int part)
{
    uint8_t **at = code ? &walk->code : &walk->part[part];
    if (*at == (code ? walk->code_end : walk->part_end[part])) {
        walk->failed = true;
        return 0;
    }
    return *(*at)++;
}

static void walk_put(struct module_walk *walk, bool code, int part, uint32_t byte)
{
    uint8_t **at = code ? &walk->code : &walk->part[part];
    if (*at == (code ? walk->code_end : walk->part_end[part]))
        walk->failed = true;
    else
        *(*at)++ = (uint8_t)byte;
}

static uint8_t walk_byte(struct module_walk *walk, int part)
{
    uint8_t byte = walk_take(walk, !walk->joins, part);
    walk_put(walk, walk->joins, part, byte);
    return byte;
}

/* A number of 7 bits a byte; only its lowest 32 bits are told. */
static uint32_t walk_number(struct module_walk *walk, int part)
{
    uint32_t value = 0;
    for (int shift = 0; shift < 70 && !walk->failed; shift += 7) {
        uint8_t byte = walk_byte(walk, part);
        value |= shift < 32 ? (uint32_t)(byte & 127) << shift : 0;
        if (byte < 128)
            break;
    }
    return value;
}

/* Numbers below 2^14: one byte or two. */
static void walk_local(struct module_walk *walk, int part)
{
    uint32_t value = walk_take(walk, !walk->joins, part);
    if (value > 127)
        value += ((uint32_t)walk_take(walk, !walk->joins, part) - 1) << 7;
    uint32_t place = 0;
    while (place < MOST_LOCALS && (walk->joins ? place : walk->recent[place]) != value)
        place++;
    if (place == MOST_LOCALS) {
        walk->failed = true;
        return;
    }
    uint16_t local = walk->recent[place];
    for (uint32_t i = place; i > 0; i--)
        walk->recent[i] = walk->recent[i - 1];
    walk->recent[0] = local;
    value = walk->joins ? local : place;
    if (value > 127)
        walk_put(walk, walk->joins, part, (value & 127) | 128);
    walk_put(walk, walk->joins, part, value > 127 ? value >> 7 : value);
}

static void walk_memory(struct module_walk *walk)
{
    walk_number(walk, PART_REST); /* how it is aligned */
    walk_number(walk, PART_OFFSETS);
}

/* An instruction of 128 bits, after its first byte. */
static void walk_vector(struct module_walk *walk)
{
    uint32_t what = walk_number(walk, PART_REST);
    bool one_lane = what >= 84 && what <= 91;
    if (what <= 11 || what == 92 || what == 93 || one_lane)
        walk_memory(walk);
    int bytes = what == 12 || what == 13 ? 16 : (what >= 21 && what <= 34) || one_lane;
    for (; bytes > 0; bytes--)
        walk_byte(walk, PART_REST);
}

/* What stands behind the first byte of an instruction. */
static void walk_operands(struct module_walk *walk, uint8_t what)
{
    uint32_t numbers = 0, bytes = 0;
    if (what == 0x20)
        walk_local(walk, PART_USED);
    else if (what == 0x21 || what == 0x22)
        walk_local(walk, PART_STORED);
    else if (what >= 0x28 && what <= 0x3E)
        walk_memory(walk);
    else if (what == 0x10)
        walk_number(walk, PART_CALLS);
    else if (what == ADDRESS)
        walk_number(walk, PART_ADDRESSES);
    else if (what == 0xFD)
        walk_vector(walk);
    else if (what == 0xFC) {
        what = walk_byte(walk, PART_REST);
        numbers = what == 8 || what == 10 ? 2 : what == 9 || what == 11;
    } else if (what == 0x0E)
        numbers = walk_number(walk, PART_REST) + 1;
    else if (what == 0x43 || what == 0x44)
        bytes = what == 0x43 ? 4 : 8;
    else if (what == 0x11)
        numbers = 2;
    else
        numbers = (what >= 0x02 && what <= 0x04) || what == 0x0C || what == 0x0D ||
                  (what >= 0x23 && what <= 0x24) || (what >= 0x3F && what <= 0x42);
    for (; numbers > 0 && !walk->failed; numbers--)
        walk_number(walk, PART_REST);
    for (; bytes > 0; bytes--)
        walk_byte(walk, PART_REST);
}

/* The first byte of an instruction. */
static uint8_t walk_instruction(struct module_walk *walk)
{
    uint8_t what = walk_take(walk, !walk->joins, PART_REST);
    const uint8_t *code = walk->code;
    if (!walk->joins && what == CONSTANT && walk->code_end - code >= 4 && code[0] > 127 &&
        code[1] > 127 && code[2] > 127)
        what = ADDRESS;
    walk_put(walk, walk->joins, PART_REST, walk->joins && what == ADDRESS ? CONSTANT : what);
    return what;
}

/* A function, behind its size. */
static void walk_function(struct module_walk *walk)
{
    uint32_t locals = MOST_PARAMETERS;
    for (uint32_t kinds = walk_number(walk, PART_REST); kinds > 0 && !walk->failed; kinds--) {
        locals += walk_number(walk, PART_REST);
        walk_byte(walk, PART_REST);
    }
    for (uint32_t i = 0; i < locals && i < MOST_LOCALS; i++)
        walk->recent[i] = (uint16_t)i;
    for (uint32_t depth = 1; depth > 0 && !walk->failed;) {
        uint8_t what = walk_instruction(walk);
        depth += what >= 0x02 && what <= 0x04;
        depth -= what == END;
        walk_operands(walk, what);
    }
}

#endif
