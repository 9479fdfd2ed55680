#include "format/protobuf/wire_read.h"

#include "base/core/varint.h"

bool flm_wire_fail(struct flm_wire_input *input, const unsigned char *at, const char *reason)
{
    if (!input->reason) {
        input->reason = reason;
        input->offset = (uint64_t)(at - input->begin);
    }
    return false;
}

bool flm_wire_end(const struct flm_wire_input *input, struct flm_error *why)
{
    return !input->reason ||
           flm_error_byte(why, FLM_ERROR_FORMAT, input->offset, "%s", input->reason);
}

bool flm_wire_long_varint(struct flm_wire *wire, const unsigned char **at, uint64_t *value)
{
    const unsigned char *p = *at;
    if (wire->end - p >= 8) {
        unsigned size = flm_varint_short(p, value);
        *at = p + size;
        if (size > 0)
            return true;
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < 10 && p < wire->end; i++, p++) {
        sum |= (uint64_t)(*p & 0x7F) << (7 * i);
        if (*p < 0x80) {
            *value = sum;
            *at = p + 1;
            return true;
        }
    }
    return flm_wire_fail(wire->input, *at,
                         p >= wire->end ? "a number is cut off by the end of its message"
                                        : "a number is longer than 10 bytes");
}

size_t flm_wire_unpack(const struct flm_wire *wire, uint64_t *out)
{
    if (wire->type != FLM_WIRE_BYTES) {
        *out = wire->number;
        return 1;
    }
    struct flm_wire packed = flm_wire_of(wire->input, wire->bytes);
    const unsigned char *at = packed.at, *all = wire->input->begin + wire->input->size;
    size_t count = 0;
    while (at < packed.end) {
        unsigned size = 0;
        if (*at < 0x80) {
            out[count] = *at;
            size = 1;
        } else if (all - at >= 8) {
            size = flm_varint_short(at, &out[count]);
        }
        if (size == 0 || size > (size_t)(packed.end - at)) {
            if (!flm_wire_long_varint(&packed, &at, &out[count]))
                break;
            size = 0;
        }
        at += size;
        count++;
    }
    return count;
}

static uint64_t fixed(const unsigned char *at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

bool flm_wire_next_rare(struct flm_wire *wire)
{
    uint64_t open = 0; /* groups */
    while (wire->at < wire->end && !wire->input->reason) {
        const unsigned char *p = wire->start = wire->at;
        uint64_t tag;
        if (!flm_wire_varint(wire, &p, &tag))
            return false;
        wire->type = (enum flm_wire_type)(tag & 7);
        if (tag >> 3 == 0 || tag > UINT32_MAX)
            return flm_wire_fail(wire->input, wire->start, "no field has such a number");
        wire->field = (uint32_t)(tag >> 3);
        int size = wire->type == FLM_WIRE_FIXED64 ? 8 : wire->type == FLM_WIRE_FIXED32 ? 4 : 0;
        if (wire->type == FLM_WIRE_VARINT || wire->type == FLM_WIRE_BYTES) {
            if (!flm_wire_varint(wire, &p, &wire->number))
                return false;
        } else if (wire->type == FLM_WIRE_GROUP) {
            open++;
        } else if (wire->type == FLM_WIRE_GROUP_END) {
            if (open-- == 0)
                return flm_wire_fail(wire->input, wire->start,
                                     "a group ends here that has not begun");
        } else if (size == 0) {
            return flm_wire_fail(wire->input, wire->start, "no field has such a type");
        }
        uint64_t more = wire->type == FLM_WIRE_BYTES ? wire->number : (uint64_t)size;
        if (more > (uint64_t)(wire->end - p))
            return flm_wire_fail(wire->input, wire->start,
                                 "the field is longer than its message (a file that was cut?)");
        if (wire->type == FLM_WIRE_BYTES)
            wire->bytes = (struct flm_bytes){(const char *)p, (size_t)more};
        else if (size > 0)
            wire->number = fixed(p, size);
        wire->at = p + more;
        bool is_group = wire->type == FLM_WIRE_GROUP || wire->type == FLM_WIRE_GROUP_END;
        if (open == 0 && !is_group)
            return true;
    }
    if (open > 0)
        flm_wire_fail(wire->input, wire->start, "a group does not end in its message");
    return false;
}

bool flm_wire_next_fixed64(struct flm_wire *packed, uint64_t *value)
{
    if (packed->at >= packed->end) {
        *value = packed->number;
        return packed->field ? packed->field--, true : false;
    }
    if (packed->end - packed->at < 8)
        return flm_wire_fail(packed->input, packed->at,
                             "a number is cut off by the end of its message");
    *value = fixed(packed->at, 8);
    packed->at += 8;
    return true;
}
