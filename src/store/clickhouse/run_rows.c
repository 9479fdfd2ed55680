#include "store/clickhouse/run_rows.h"

#include "store/clickhouse/sql.h"

enum { TENANT, SERVICE, TYPE, HOUR, STACK, SERIES, SLOT, TOTAL, TIMES, VALUES, HOUR_MS = 3600000 };

static const struct {
    const char *name, *type;
} columns[FLM_RUN_COLUMNS] = {
    {"tenant", "String"},
    {"service", "String"},
    {"type", "String"},
    {"hour", "DateTime('UTC')"},
    {"stack", "FixedString(16)"},
    {"series", "UInt64"},
    {"slot", "UInt8"},
    {"total", "Float64"},
    {"pointsMap.ms", "Array(UInt32)"},
    {"pointsMap.value", "Array(Float64)"},
};

void flm_run_rows_clear(struct flm_run_rows *rows)
{
    for (int i = 0; i < FLM_RUN_COLUMNS; i++)
        flm_text_clear(&rows->columns[i]);
    flm_text_clear(&rows->points[0]);
    flm_text_clear(&rows->points[1]);
    rows->count = rows->point_count = 0;
}

void flm_run_rows_add(struct flm_run_rows *rows, const struct flm_run *run,
                      const struct flm_store_row *points, size_t count)
{
    struct flm_text *c = rows->columns;
    flm_row_string(&c[TENANT], run->tenant);
    flm_row_string(&c[SERVICE], run->service);
    flm_row_string(&c[TYPE], run->type);
    flm_row_fixed(&c[HOUR], run->hour * 3600u, 4);
    flm_row_fixed(&c[STACK], run->stack.low, 8);
    flm_row_fixed(&c[STACK], run->stack.high, 8);
    flm_row_fixed(&c[SERIES], run->series, 8);
    flm_row_fixed(&c[SLOT], run->slot, 1);
    flm_row_double(&c[TOTAL], run->total);
    rows->count++;
    rows->point_count += count;
    /* Of an array, where it ends in the points of all rows. */
    flm_row_fixed(&c[TIMES], rows->point_count, 8);
    flm_row_fixed(&c[VALUES], rows->point_count, 8);
    for (size_t i = 0; i < count; i++) {
        flm_row_fixed(&rows->points[0], (uint64_t)(points[i].time_ms % HOUR_MS), 4);
        flm_row_double(&rows->points[1], points[i].value);
    }
}

bool flm_run_rows_failed(const struct flm_run_rows *rows)
{
    bool failed = rows->points[0].failed || rows->points[1].failed;
    for (int i = 0; i < FLM_RUN_COLUMNS; i++)
        failed |= rows->columns[i].failed;
    return failed;
}

static void add(struct flm_text *out, const struct flm_text *text)
{
    flm_text_add(out, (struct flm_bytes){text->at, text->size});
}

void flm_run_rows_encode(const struct flm_run_rows *rows, struct flm_text *out)
{
    if (rows->count == 0)
        return;
    flm_row_varint(out, FLM_RUN_COLUMNS);
    flm_row_varint(out, rows->count);
    for (int i = 0; i < FLM_RUN_COLUMNS; i++) {
        flm_row_string(out, flm_bytes_of(columns[i].name));
        flm_row_string(out, flm_bytes_of(columns[i].type));
        add(out, &rows->columns[i]);
        if (i >= TIMES)
            add(out, &rows->points[i - TIMES]);
    }
}
