#include "format/protobuf/wire_write.h"

void flm_wire_put_varint(struct flm_text *out, uint64_t value)
{
    char *to = flm_text_reserve(out, 10);
    if (!to)
        return;
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (char)(value | 0x80);
    to[size++] = (char)value;
    out->size += size;
}

void flm_wire_put_number(struct flm_text *out, uint32_t field, uint64_t value)
{
    if (value == 0)
        return;
    flm_wire_put_varint(out, (uint64_t)field << 3);
    flm_wire_put_varint(out, value);
}

void flm_wire_put_fixed64(struct flm_text *out, uint32_t field, uint64_t value)
{
    if (value == 0)
        return;
    flm_wire_put_varint(out, (uint64_t)field << 3 | 1);
    char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i));
    flm_text_add(out, (struct flm_bytes){bytes, sizeof bytes});
}

void flm_wire_put_bytes(struct flm_text *out, uint32_t field, struct flm_bytes bytes)
{
    flm_wire_put_varint(out, (uint64_t)field << 3 | 2);
    flm_wire_put_varint(out, bytes.size);
    flm_text_add(out, bytes);
}

void flm_wire_put_message(struct flm_text *out, uint32_t field, struct flm_text *message)
{
    flm_wire_put_bytes(out, field, (struct flm_bytes){message->at, message->size});
    out->failed = out->failed || message->failed;
    message->size = 0;
}
