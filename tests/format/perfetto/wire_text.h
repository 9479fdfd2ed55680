/* wire_text.h - messages in the wire format, made of texts that are easier to read than bytes:
 *
 *     1{8:100 10:7 11{9:1 23'main'}}         fields: number : varint, ' text ', { message }
 *     57=2.5  2[1 2 3]                        = double, [ packed varints ]
 *     2"00c0ff"                               " bytes in hexadecimal digits "
 *
 * A number may be negative: -1 has ten bytes. */
#ifndef FLAMEL_TESTS_FORMAT_PERFETTO_WIRE_TEXT_H
#define FLAMEL_TESTS_FORMAT_PERFETTO_WIRE_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "format/protobuf/wire_write.h"

static inline const char *wire_of_text(const char *at, struct flm_text *out);

static inline uint64_t wire_number(const char **at)
{
    bool is_negative = **at == '-';
    uint64_t number = 0;
    *at += is_negative;
    if (**at < '0' || **at > '9')
        abort();
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = 10 * number + (uint64_t)(**at - '0');
    return is_negative ? 0 - number : number;
}

static inline const char *wire_field(const char *at, struct flm_text *out)
{
    uint32_t field = (uint32_t)wire_number(&at);
    struct flm_text inner = {0};
    char kind = *at++, *behind = NULL;
    const char *end;
    double real;
    uint64_t bits;
    switch (kind) {
    case ':':
        flm_wire_put_varint(out, (uint64_t)field << 3);
        flm_wire_put_varint(out, wire_number(&at));
        return at;
    case '=':
        real = strtod(at, &behind);
        memcpy(&bits, &real, sizeof bits);
        flm_wire_put_varint(out, (uint64_t)field << 3 | 1);
        for (int i = 0; i < 8; i++)
            flm_text_putc(out, (char)(bits >> (8 * i)));
        return behind;
    case '\'':
        end = strchr(at, '\'');
        flm_wire_put_bytes(out, field, (struct flm_bytes){at, (size_t)(end - at)});
        return end + 1;
    case '"':
        for (; *at != '"'; at += 2) {
            char digits[3] = {at[0], at[1], 0};
            flm_text_putc(&inner, (char)strtol(digits, NULL, 16));
        }
        at++;
        break;
    case '[':
        for (; *at != ']'; at += *at == ' ')
            flm_wire_put_varint(&inner, wire_number(&at));
        at++;
        break;
    case '{':
        at = wire_of_text(at, &inner);
        if (*at++ != '}')
            abort();
        break;
    default:
        abort();
    }
    flm_wire_put_bytes(out, field, (struct flm_bytes){inner.at, inner.size});
    flm_text_clear(&inner);
    return at;
}

/* Appends the fields of a text, up to its end or a brace; returns what is behind them. */
static inline const char *wire_of_text(const char *at, struct flm_text *out)
{
    for (;;) {
        while (*at == ' ' || *at == '\n')
            at++;
        if (*at == 0 || *at == '}')
            return at;
        at = wire_field(at, out);
    }
}

#endif
