/* sql.h - what of the outside gets into SQL: escaped, byte by byte.
 *
 * Names of tables and columns are ours; everything else is a number, or one of these. */
#ifndef FLAMEL_STORE_CLICKHOUSE_SQL_H
#define FLAMEL_STORE_CLICKHOUSE_SQL_H

#include "base/text/text.h"

/* Appends bytes as a string of SQL. Letters, digits and a few more bytes stay, of which none has a
 * meaning in a string; every other one is \xHH. */
void flm_sql_string(struct flm_text *sql, struct flm_bytes bytes);

/* Appends a row in RowBinary, value by value. */
void flm_row_varint(struct flm_text *row, uint64_t value);
void flm_row_string(struct flm_text *row, struct flm_bytes bytes);
void flm_row_fixed(struct flm_text *row, uint64_t value, int size); /* little-endian */
void flm_row_double(struct flm_text *row, double value);

/* Reads rows in RowBinary: `failed` once something is cut or too long, and all is 0 from there. */
struct flm_row_reader {
    struct flm_bytes bytes;
    size_t at;
    bool failed;
};
uint64_t flm_read_varint(struct flm_row_reader *r);
struct flm_bytes flm_read_string(struct flm_row_reader *r);
uint64_t flm_read_fixed(struct flm_row_reader *r, int size);
double flm_read_double(struct flm_row_reader *r);
static inline bool flm_read_more(const struct flm_row_reader *r)
{
    return !r->failed && r->at < r->bytes.size;
}

#endif
