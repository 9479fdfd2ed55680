/* wire_read.h - the wire format of Protocol Buffers, read field by field from bytes in memory.
 *
 * A message is a run of fields, each a tag and a value:
 *
 *     tag     a varint: the field's number << 3 | type
 *     value   0  a varint: 7 bits a byte, the lowest first; the last byte is below 80
 *             1  8 bytes             2  a varint, and that many bytes: a text, a message, or
 *             5  4 bytes                numbers behind each other ("packed")
 *             3  fields up to the tag of type 4 with the same number: a group
 *
 * The reader is pulled, and its caller takes the fields that it knows; what it does not take is
 * skipped by the next call. A message in a field is a reader of its own over its bytes:
 *
 *     struct flm_wire_input input = flm_wire_input_of(all);
 *     struct flm_wire m = flm_wire_all(&input), line;
 *     while (flm_wire_next(&m))
 *         if (m.field == 4 && flm_wire_enter(&m, &line))
 *             while (flm_wire_next(&line))
 *                 ...
 *     return flm_wire_end(&input, why);
 *
 * Readers of one input share the first error, which ends all of their loops; so a caller checks
 * once, at the end. Nothing recurses: groups, which are always skipped, are counted.
 *
 * Numbers that are longer than they need to be are read (91 80 80 80 00, up to 10 bytes: writers
 * leave room for a size that they do not know yet), and a repeated number in either form, packed or
 * a field for each. Fields have no order; of one that is no list the last value holds.
 *
 * All of it is inline, but for the varints of 3 bytes and more: most tags, sizes and indices have
 * one or two. */
#ifndef FLAMEL_FORMAT_PROTOBUF_WIRE_READ_H
#define FLAMEL_FORMAT_PROTOBUF_WIRE_READ_H

#include "base/core/bytes.h"
#include "flamel/error.h"

enum flm_wire_type {
    FLM_WIRE_VARINT = 0,
    FLM_WIRE_FIXED64 = 1,
    FLM_WIRE_BYTES = 2,
    FLM_WIRE_GROUP = 3, /* these two are never seen by callers */
    FLM_WIRE_GROUP_END = 4,
    FLM_WIRE_FIXED32 = 5
};

/* What the readers of one input share. */
struct flm_wire_input {
    const unsigned char *begin;
    size_t size;
    const char *reason; /* NULL: no error yet */
    uint64_t offset;    /* of the error */
};

struct flm_wire {
    const unsigned char *at, *end;
    struct flm_wire_input *input;

    /* The current field. */
    const unsigned char *start; /* of its tag */
    uint32_t field;
    enum flm_wire_type type;
    uint64_t number;        /* of the types VARINT, FIXED64, FIXED32 */
    struct flm_bytes bytes; /* of the type BYTES */
};

static inline struct flm_wire_input flm_wire_input_of(struct flm_bytes all)
{
    return (struct flm_wire_input){.begin = (const unsigned char *)all.at, .size = all.size};
}

static inline struct flm_wire flm_wire_of(struct flm_wire_input *input, struct flm_bytes message)
{
    const unsigned char *at = (const unsigned char *)message.at;
    /* An empty message may have no bytes at all, and nothing may be added to NULL, not even 0. */
    return (struct flm_wire){
        .at = at, .end = message.size == 0 ? at : at + message.size, .input = input};
}

static inline struct flm_wire flm_wire_all(struct flm_wire_input *input)
{
    return flm_wire_of(input, (struct flm_bytes){(const char *)input->begin, input->size});
}

/* Where the current field begins in the input. */
static inline uint64_t flm_wire_offset(const struct flm_wire *wire)
{
    return (uint64_t)(wire->start - wire->input->begin);
}

/* Remembers the first error, and returns false. */
bool flm_wire_fail(struct flm_wire_input *input, const unsigned char *at, const char *reason);

/* False, and `why`, if there was an error: "byte 812: the field is longer than its message". */
bool flm_wire_end(const struct flm_wire_input *input, struct flm_error *why);

/* A varint of any length at *at, which moves behind it; false, and an error, where there is none.
 */
bool flm_wire_long_varint(struct flm_wire *wire, const unsigned char **at, uint64_t *value);

static inline bool flm_wire_varint(struct flm_wire *wire, const unsigned char **at, uint64_t *value)
{
    const unsigned char *p = *at;
    if (wire->end - p >= 2) {
        if (p[0] < 0x80) {
            *value = p[0];
            *at = p + 1;
            return true;
        }
        if (p[1] < 0x80) {
            *value = (uint64_t)(p[0] & 0x7F) | (uint64_t)p[1] << 7;
            *at = p + 2;
            return true;
        }
    }
    return flm_wire_long_varint(wire, at, value);
}

/* The field with a tag that is no varint of one byte, or of a type that is rare. */
bool flm_wire_next_rare(struct flm_wire *wire);

/* Moves to the next field. False at the end of the message, and after an error. */
static inline bool flm_wire_next(struct flm_wire *wire)
{
    if (wire->at >= wire->end || wire->input->reason)
        return false;
    const unsigned char *p = wire->at;
    uint32_t tag = *p;
    if (tag >= 0x80 || tag < 8 || (tag & 5) != 0)
        return flm_wire_next_rare(wire);
    wire->start = p++;
    wire->field = tag >> 3;
    wire->type = (enum flm_wire_type)(tag & 7);
    if (!flm_wire_varint(wire, &p, &wire->number))
        return false;
    if (wire->type == FLM_WIRE_BYTES) {
        if (wire->number > (uint64_t)(wire->end - p))
            return flm_wire_fail(wire->input, wire->start,
                                 "the field is longer than its message (a file that was cut?)");
        wire->bytes = (struct flm_bytes){(const char *)p, (size_t)wire->number};
        p += wire->number;
    }
    wire->at = p;
    return true;
}

/* A reader of the message in the current field; false where the field is no message. */
static inline bool flm_wire_enter(const struct flm_wire *wire, struct flm_wire *inner)
{
    if (wire->type != FLM_WIRE_BYTES)
        return false;
    *inner = flm_wire_of(wire->input, wire->bytes);
    return true;
}

/* The numbers of a repeated field, of which the current field has one, or several packed:
 *
 *     struct flm_wire packed = flm_wire_numbers(&m);
 *     while (flm_wire_next_number(&packed, &value)) */
static inline struct flm_wire flm_wire_numbers(const struct flm_wire *wire)
{
    struct flm_wire packed = *wire;
    if (wire->type == FLM_WIRE_BYTES)
        packed = flm_wire_of(wire->input, wire->bytes);
    else
        packed.at = packed.end = NULL; /* `number` is the only one */
    packed.field = wire->type != FLM_WIRE_BYTES;
    return packed;
}

static inline bool flm_wire_next_number(struct flm_wire *packed, uint64_t *value)
{
    if (packed->at < packed->end)
        return flm_wire_varint(packed, &packed->at, value);
    *value = packed->number;
    return packed->field ? packed->field--, true : false;
}

/* How many numbers a field has at most, packed or not. */
static inline size_t flm_wire_most_numbers(const struct flm_wire *wire)
{
    return wire->type == FLM_WIRE_BYTES ? wire->bytes.size + 1 : 1;
}

/* All of them at once, to `out`, which has room for that many. Returns how many there are; an error
 * may leave some out. */
size_t flm_wire_unpack(const struct flm_wire *wire, uint64_t *out);

/* The same of numbers of 8 bytes (fixed64, sfixed64, double). */
bool flm_wire_next_fixed64(struct flm_wire *packed, uint64_t *value);

/* The number of a line in source code, which is an int64; 0 (unknown), if it cannot be one. */
static inline uint32_t flm_wire_line(uint64_t number)
{
    return number <= INT32_MAX ? (uint32_t)number : 0;
}

#endif
