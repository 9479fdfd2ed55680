/* run_rows.h - rows of the table `runs` (schema.h), column by column, as a block in Native format.
 *
 * A block in Native says how many rows it has before any of them: a body that is cut off, by a
 * process that is killed, say, is refused as a whole. In a format by rows what came before the cut
 * would be taken for all. */
#ifndef FLAMEL_STORE_CLICKHOUSE_RUN_ROWS_H
#define FLAMEL_STORE_CLICKHOUSE_RUN_ROWS_H

#include "store/clickhouse/stack_id.h"
#include "store/segment/store_rows.h"

enum { FLM_RUN_COLUMNS = 10 };

struct flm_run_rows {
    size_t count, point_count;
    struct flm_text columns[FLM_RUN_COLUMNS]; /* in the order of the table */
    struct flm_text points[2];                /* what the last two are arrays of: times, values */
};

void flm_run_rows_clear(struct flm_run_rows *rows);

/* What is the same in the points of a row. */
struct flm_run {
    struct flm_bytes tenant, service, type;
    uint32_t hour;
    struct flm_stack_id stack;
    uint64_t series;
    unsigned slot;
    double total;
};

/* Adds a row with points, whose times are in its hour. */
void flm_run_rows_add(struct flm_run_rows *rows, const struct flm_run *run,
                      const struct flm_store_row *points, size_t count);

bool flm_run_rows_failed(const struct flm_run_rows *rows);

/* Appends the rows as a block; nothing where there are none. */
void flm_run_rows_encode(const struct flm_run_rows *rows, struct flm_text *out);

#endif
