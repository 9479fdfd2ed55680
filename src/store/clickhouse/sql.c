#include "store/clickhouse/sql.h"

static bool is_plain(unsigned char c)
{
    return ((c | 32) >= 'a' && (c | 32) <= 'z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("_-.:/ ,=", c));
}

void flm_sql_string(struct flm_text *sql, struct flm_bytes bytes)
{
    flm_text_putc(sql, '\'');
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char c = (unsigned char)bytes.at[i];
        if (is_plain(c))
            flm_text_putc(sql, (char)c);
        else
            flm_text_format(sql, "\\x%x%x", c >> 4, c & 15);
    }
    flm_text_putc(sql, '\'');
}

/* ---- Writing --------------------------------------------------------------------------------- */

void flm_row_varint(struct flm_text *row, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        flm_text_putc(row, (char)(value | 128));
    flm_text_putc(row, (char)value);
}

void flm_row_string(struct flm_text *row, struct flm_bytes bytes)
{
    flm_row_varint(row, bytes.size);
    flm_text_add(row, bytes);
}

void flm_row_fixed(struct flm_text *row, uint64_t value, int size)
{
    char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (char)(value >> (8 * i));
    flm_text_add(row, (struct flm_bytes){bytes, (size_t)size});
}

void flm_row_double(struct flm_text *row, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    flm_row_fixed(row, bits, 8);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static struct flm_bytes take(struct flm_row_reader *r, uint64_t size)
{
    if (r->failed || size > r->bytes.size - r->at) {
        r->failed = true;
        return (struct flm_bytes){"", 0};
    }
    struct flm_bytes taken = {r->bytes.at + r->at, (size_t)size};
    r->at += taken.size;
    return taken;
}

uint64_t flm_read_varint(struct flm_row_reader *r)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        struct flm_bytes byte = take(r, 1);
        if (r->failed)
            return 0;
        value |= (uint64_t)(byte.at[0] & 127) << shift;
        if (!(byte.at[0] & 128))
            return value;
    }
    r->failed = true;
    return 0;
}

struct flm_bytes flm_read_string(struct flm_row_reader *r)
{
    return take(r, flm_read_varint(r));
}

uint64_t flm_read_fixed(struct flm_row_reader *r, int size)
{
    struct flm_bytes bytes = take(r, (uint64_t)size);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size; i++)
        value |= (uint64_t)(unsigned char)bytes.at[i] << (8 * i);
    return value;
}

double flm_read_double(struct flm_row_reader *r)
{
    uint64_t bits = flm_read_fixed(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
