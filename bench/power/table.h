/* table.h - the rows of a part, printed in Markdown as soon as they are known.
 *
 * With a folder for them they are also appended to a file of the part, and a row that stands there
 * already is not measured again: what was interrupted goes on where it was. bench/power/results
 * puts these tables into RESULTS.md. */
#ifndef FLAMEL_BENCH_POWER_TABLE_H
#define FLAMEL_BENCH_POWER_TABLE_H

#include <stdio.h>

#include "experiment.h"

enum { TABLE_COLUMNS = 8 };

struct table {
    const struct settings *settings;
    const char *part;
    uint32_t columns;
    FILE *file;     /* NULL: none */
    char name[128]; /* of the row that is measured */
    double cpu_s;   /* when it began */
};

/* `columns` ends with NULL; before them are the name, how many data sets, after them the seconds of
 * CPU time and a remark. */
struct table table_open(const struct settings *s, const char *part, const char *const *columns);
void table_close(struct table *table);

/* Whether the row is to be measured now. */
bool table_begins(struct table *table, const char *name);

/* NaN: there is no such share. Shares are printed as percentages. */
void table_row(struct table *table, const struct share *share, const char *remark);

#endif
