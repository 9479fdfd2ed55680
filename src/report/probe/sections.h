/* sections.h - the sections of the report of a program that measured itself: which rows, which
 * columns. A section is a line of a table (sections.c), so a new one is added there. */
#ifndef FLAMEL_REPORT_PROBE_SECTIONS_H
#define FLAMEL_REPORT_PROBE_SECTIONS_H

#include "report/probe/measures.h"

/* What a column has of a row. */
enum flm_measure_source {
    FLM_OF_END, /* behind the last column */
    FLM_OF_CALLS,
    FLM_OF_SUCCESSES, /* calls without those that are errors */
    FLM_OF_TOTAL,
    FLM_OF_SELF,
    FLM_OF_LONGEST,
    FLM_OF_AVERAGE,    /* of a call that ended and was timed */
    FLM_OF_TIMED_PART, /* how many calls the average is of, if not of all */
    FLM_OF_VALUE,      /* of `which`, enum flm_probe_value: its own */
    FLM_OF_VALUE_TOTAL,
    FLM_OF_VALUE_AVERAGE, /* per call */
    FLM_OF_VALUE_RATE,    /* per second */
    FLM_OF_METER_COUNT,   /* of `which`, enum flm_probe_quantity */
    FLM_OF_METER_SUM,
    FLM_OF_METER_MEAN,
    FLM_OF_METER_PERCENTILES, /* as many columns as percentiles are asked for */
    FLM_OF_METER_LEAST,
    FLM_OF_METER_GREATEST,
    FLM_OF_METER_LAST,
    FLM_OF_METER_FREQUENCY, /* 1 s by the mean */
    FLM_OF_OPERATION
};

enum flm_measure_unit { FLM_IN_COUNTS, FLM_IN_NS, FLM_IN_BYTES, FLM_IN_NUMBERS, FLM_IN_NO_UNIT };

/* What 100 % is: a column of percentages follows the column. */
enum flm_measure_whole { FLM_OF_NOTHING, FLM_OF_ELAPSED, FLM_OF_ALL_ROWS };

struct flm_section_column {
    const char *name;    /* for programs: "self" */
    const char *heading; /* for people; of percentiles, what stands before "p95" */
    enum flm_measure_source source;
    int which;
    enum flm_measure_unit unit;
    enum flm_measure_whole whole;
    int leave_out; /* in a narrow window the largest is left out first; 0: never */
};

enum { FLM_MOST_SECTION_COLUMNS = 14 };

struct flm_section {
    const char *name;   /* "time" */
    const char *detail; /* ": what calls of scopes took" */
    const char *rows;   /* heading of the names: "scope" */
    unsigned kinds;     /* of its sites: bits by enum flm_probe_kind */
    bool has_outside;   /* site 0 too: what is in no site */
    size_t order;       /* the column that it is sorted by, the largest first */
    bool needs_order;   /* rows that have 0 of that are none */
    int activity;       /* enum flm_probe_signal; -1: it is measured where the program says so */
    struct flm_section_column columns[FLM_MOST_SECTION_COLUMNS];
};

extern const struct flm_section flm_sections[];
extern const size_t flm_section_count;

/* The value of a column in a row; false: it has none. */
bool flm_section_value(const struct flm_measures *measures, uint32_t site,
                       const struct flm_section_column *column, double percent, double *value);

#endif
