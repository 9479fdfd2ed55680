/* sections.c - the sections, as a table; and the value of a cell. */
#include "report/probe/sections.h"

#include <math.h>

#define KIND(kind) (1u << FLM_PROBE_##kind)
#define ANY_KIND ((1u << FLM_PROBE_KINDS) - 1)
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

const struct flm_section flm_sections[] = {
    {"time",
     ": how long calls took",
     "scope",
     KIND(SCOPE),
     false,
     4,
     false,
     FLM_PROBE_TIME,
     {
         {"calls", "calls", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 2},
         {"max", "max", FLM_OF_LONGEST, 0, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"total", "total", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"self", "self", FLM_OF_SELF, 0, FLM_IN_NS, FLM_OF_NOTHING, 3},
         END,
     }},
    {"memory",
     ": what scopes allocated themselves",
     "scope",
     ANY_KIND,
     true,
     4,
     true,
     FLM_PROBE_MEMORY,
     {
         {"calls", "calls", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 4},
         {"allocations", "allocations", FLM_OF_VALUE, FLM_PROBE_ALLOCATIONS, FLM_IN_COUNTS,
          FLM_OF_NOTHING, 3},
         {"average", "per call", FLM_OF_VALUE_AVERAGE, FLM_PROBE_ALLOCATED, FLM_IN_BYTES,
          FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_BYTES, FLM_IN_BYTES, FLM_OF_NOTHING, 2},
         {"allocated", "allocated", FLM_OF_VALUE, FLM_PROBE_ALLOCATED, FLM_IN_BYTES,
          FLM_OF_ALL_ROWS, 0},
         {"allocated_total", "with callees", FLM_OF_VALUE_TOTAL, FLM_PROBE_ALLOCATED, FLM_IN_BYTES,
          FLM_OF_NOTHING, 5},
         {"freed", "freed", FLM_OF_VALUE, FLM_PROBE_FREED, FLM_IN_BYTES, FLM_OF_NOTHING, 6},
         {"live", "live", FLM_OF_VALUE, FLM_PROBE_LIVE, FLM_IN_BYTES, FLM_OF_NOTHING, 1},
         END,
     }},
    {"mapped",
     ": memory that was mapped and unmapped, not by malloc",
     "call",
     KIND(MAPPED),
     false,
     1,
     false,
     -1,
     {
         {"calls", "calls", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"bytes", "bytes", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_BYTES, FLM_OF_NOTHING, 0},
         END,
     }},
    {"cpu",
     ": CPU time, by samples",
     "scope",
     ANY_KIND,
     true,
     0,
     true,
     FLM_PROBE_CPU_TIME,
     {
         {"self", "self", FLM_OF_VALUE, FLM_PROBE_CPU, FLM_IN_NS, FLM_OF_ALL_ROWS, 0},
         {"total", "total", FLM_OF_VALUE_TOTAL, FLM_PROBE_CPU, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"wall", "wall time", FLM_OF_SELF, 0, FLM_IN_NS, FLM_OF_NOTHING, 2},
         END,
     }},
    {"requests",
     ": what was done for a request",
     "request",
     KIND(REQUEST),
     false,
     4,
     false,
     -1,
     {
         {"calls", "requests", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"max", "max", FLM_OF_LONGEST, 0, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"total", "total", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"allocated", "allocated", FLM_OF_VALUE_TOTAL, FLM_PROBE_ALLOCATED, FLM_IN_BYTES,
          FLM_OF_NOTHING, 3},
         END,
     }},
    {"tasks",
     ": what tasks ran, and how long they were suspended",
     "task",
     KIND(TASK),
     false,
     4,
     false,
     -1,
     {
         {"ended", "ended", FLM_OF_METER_COUNT, FLM_PROBE_WHOLE, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"polls", "runs", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"running", "running", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"suspended", "suspended", FLM_OF_METER_SUM, FLM_PROBE_SUSPENDED, FLM_IN_NS,
          FLM_OF_NOTHING, 0},
         {"whole", "begin to end", FLM_OF_METER_MEAN, FLM_PROBE_WHOLE, FLM_IN_NS, FLM_OF_NOTHING,
          3},
         {"allocated", "allocated", FLM_OF_VALUE_TOTAL, FLM_PROBE_ALLOCATED, FLM_IN_BYTES,
          FLM_OF_NOTHING, 5},
         {"begun", "begun", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING, 6},
         {"canceled", "canceled", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING, 6},
         {"first_run", "until first run", FLM_OF_METER_MEAN, FLM_PROBE_DELAY, FLM_IN_NS,
          FLM_OF_NOTHING, 6},
         END,
     }},
    {"locks",
     ": waiting for locks",
     "lock",
     KIND(LOCK),
     false,
     5,
     false,
     FLM_PROBE_LOCKS,
     {
         {"operation", "", FLM_OF_OPERATION, 0, FLM_IN_NO_UNIT, FLM_OF_NOTHING, 3},
         {"acquired", "acquired", FLM_OF_SUCCESSES, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"contended", "contended", FLM_OF_METER_COUNT, FLM_PROBE_DURATION, FLM_IN_COUNTS,
          FLM_OF_NOTHING, 0},
         {"wait", "wait", FLM_OF_METER_MEAN, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 5},
         {"waited", "waited", FLM_OF_METER_SUM, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"held", "held", FLM_OF_METER_MEAN, FLM_PROBE_HELD, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"held_", "held ", FLM_OF_METER_PERCENTILES, FLM_PROBE_HELD, FLM_IN_NS, FLM_OF_NOTHING, 6},
         {"held_sum", "held in all", FLM_OF_METER_SUM, FLM_PROBE_HELD, FLM_IN_NS, FLM_OF_NOTHING,
          6},
         {"errors", "failed", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING, 5},
         END,
     }},
    {"io",
     ": files, pipes and sockets",
     "path",
     KIND(FILE),
     false,
     7,
     false,
     FLM_PROBE_IO,
     {
         {"operation", "", FLM_OF_OPERATION, 0, FLM_IN_NO_UNIT, FLM_OF_NOTHING, 0},
         {"operations", "operations", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"timed", "timed", FLM_OF_TIMED_PART, FLM_PROBE_DURATION, FLM_IN_COUNTS, FLM_OF_NOTHING,
          5},
         {"bytes", "bytes", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_BYTES, FLM_OF_NOTHING, 0},
         {"rate", "per second", FLM_OF_VALUE_RATE, FLM_PROBE_AMOUNT, FLM_IN_BYTES, FLM_OF_NOTHING,
          3},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 3},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"total", "total", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"errors", "errors", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING, 2},
         END,
     }},
    {"sql",
     ": statements, without their values",
     "statement",
     KIND(STATEMENT),
     false,
     4,
     false,
     FLM_PROBE_STATEMENTS,
     {
         {"calls", "calls", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 2},
         {"max", "max", FLM_OF_LONGEST, 0, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"total", "total", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"errors", "errors", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING, 3},
         {"rows", "rows", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING, 4},
         END,
     }},
    {"http",
     ": transfers, by what they waited for",
     "URL",
     KIND(TRANSFER),
     false,
     3,
     false,
     FLM_PROBE_TRANSFERS,
     {
         {"calls", "calls", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_AVERAGE, 0, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 2},
         {"total", "total", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 0},
         {"names", "name lookup", FLM_OF_METER_MEAN, FLM_PROBE_PHASE_NAMES, FLM_IN_NS,
          FLM_OF_NOTHING, 5},
         {"connect", "connect", FLM_OF_METER_MEAN, FLM_PROBE_PHASE_CONNECT, FLM_IN_NS,
          FLM_OF_NOTHING, 5},
         {"secure", "TLS", FLM_OF_METER_MEAN, FLM_PROBE_PHASE_SECURE, FLM_IN_NS, FLM_OF_NOTHING, 5},
         {"first_byte", "first byte", FLM_OF_METER_MEAN, FLM_PROBE_PHASE_FIRST, FLM_IN_NS,
          FLM_OF_NOTHING, 4},
         {"bytes", "bytes", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_BYTES, FLM_OF_NOTHING, 3},
         {"errors", "errors", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         END,
     }},
    {"queues",
     ": items that wait, and who is blocked",
     "queue",
     KIND(QUEUE),
     false,
     1,
     false,
     -1,
     {
         {"operation", "", FLM_OF_OPERATION, 0, FLM_IN_NO_UNIT, FLM_OF_NOTHING, 0},
         {"items", "items", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"rate", "per second", FLM_OF_VALUE_RATE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING,
          2},
         {"length", "length", FLM_OF_METER_MEAN, FLM_PROBE_LENGTH, FLM_IN_NUMBERS, FLM_OF_NOTHING,
          3},
         {"max_length", "max", FLM_OF_METER_GREATEST, FLM_PROBE_LENGTH, FLM_IN_COUNTS,
          FLM_OF_NOTHING, 0},
         {"delay", "in the queue", FLM_OF_METER_MEAN, FLM_PROBE_DELAY, FLM_IN_NS, FLM_OF_NOTHING,
          0},
         {"delay_", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DELAY, FLM_IN_NS, FLM_OF_NOTHING, 4},
         {"blocked", "blocked", FLM_OF_TOTAL, 0, FLM_IN_NS, FLM_OF_ELAPSED, 1},
         {"not_timed", "not timed", FLM_OF_VALUE, FLM_PROBE_ERRORS, FLM_IN_COUNTS, FLM_OF_NOTHING,
          6},
         END,
     }},
    {"streams",
     ": items that went by",
     "stream",
     KIND(STREAM),
     false,
     0,
     false,
     -1,
     {
         {"items", "items", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"rate", "per second", FLM_OF_VALUE_RATE, FLM_PROBE_AMOUNT, FLM_IN_COUNTS, FLM_OF_NOTHING,
          0},
         END,
     }},
    {"values",
     ": what the program recorded",
     "value",
     KIND(VALUE),
     false,
     0,
     false,
     -1,
     {
         {"count", "times", FLM_OF_METER_COUNT, FLM_PROBE_LEVEL, FLM_IN_COUNTS, FLM_OF_NOTHING, 4},
         {"last", "last", FLM_OF_METER_LAST, FLM_PROBE_LEVEL, FLM_IN_NUMBERS, FLM_OF_NOTHING, 0},
         {"least", "least", FLM_OF_METER_LEAST, FLM_PROBE_LEVEL, FLM_IN_NUMBERS, FLM_OF_NOTHING, 2},
         {"mean", "mean", FLM_OF_METER_MEAN, FLM_PROBE_LEVEL, FLM_IN_NUMBERS, FLM_OF_NOTHING, 0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_LEVEL, FLM_IN_NUMBERS, FLM_OF_NOTHING, 3},
         {"greatest", "greatest", FLM_OF_METER_GREATEST, FLM_PROBE_LEVEL, FLM_IN_NUMBERS,
          FLM_OF_NOTHING, 0},
         {"sum", "sum", FLM_OF_VALUE, FLM_PROBE_AMOUNT, FLM_IN_NUMBERS, FLM_OF_NOTHING, 0},
         {"rate", "per second", FLM_OF_VALUE_RATE, FLM_PROBE_AMOUNT, FLM_IN_NUMBERS, FLM_OF_NOTHING,
          2},
         END,
     }},
    {"frames",
     ": from one frame to the next",
     "frame",
     KIND(FRAME),
     false,
     0,
     false,
     -1,
     {
         {"frames", "frames", FLM_OF_CALLS, 0, FLM_IN_COUNTS, FLM_OF_NOTHING, 0},
         {"frequency", "per second", FLM_OF_METER_FREQUENCY, FLM_PROBE_DURATION, FLM_IN_NUMBERS,
          FLM_OF_NOTHING, 0},
         {"average", "average", FLM_OF_METER_MEAN, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING,
          0},
         {"", "", FLM_OF_METER_PERCENTILES, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 0},
         {"max", "max", FLM_OF_METER_GREATEST, FLM_PROBE_DURATION, FLM_IN_NS, FLM_OF_NOTHING, 0},
         END,
     }},
};
const size_t flm_section_count = sizeof flm_sections / sizeof *flm_sections;

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Of a duration of a scope: what reading the clock takes in it is taken out, as of totals. */
static double without_cost(const struct flm_measures *m, uint32_t site,
                           const struct flm_section_column *column, double value)
{
    const double one = 256;
    const struct flm_probe_decoded *d = m->decoded;
    bool is_scope = site > 0 && (d->sites[site].kind == FLM_PROBE_SCOPE ||
                                 d->sites[site].kind == FLM_PROBE_REQUEST);
    bool is_duration = column->source == FLM_OF_LONGEST || column->which == FLM_PROBE_DURATION;
    double cost = is_scope && is_duration ? flm_probe_ns(d, d->header.inside_cost / one) : 0;
    return cost > 0 ? fmax(value - cost, 0) : value;
}

/* Bytes that an operation read or wrote, and not such as it allocated: they are in one meter. */
static bool is_of_transfer(const struct flm_probe_decoded *d, uint32_t site,
                           const struct flm_section_column *column)
{
    bool is_bytes = column->which == FLM_PROBE_BYTES;
    return is_bytes && site > 0 &&
           (d->sites[site].kind == FLM_PROBE_FILE || d->sites[site].kind == FLM_PROBE_TRANSFER);
}

/* False: the site has no such meter, or nothing is in it. */
static bool meter_value(const struct flm_measures *m, uint32_t site,
                        const struct flm_section_column *column, double percent, double *value)
{
    const struct flm_probe_meter *meter = m->site[site].meter[column->which];
    double unit = flm_meter_unit(m->decoded, (enum flm_probe_quantity)column->which);
    bool is_level = column->which == FLM_PROBE_LEVEL;
    if (!meter || meter->count == 0 || is_of_transfer(m->decoded, site, column))
        return false;
    switch (column->source) {
    case FLM_OF_METER_COUNT:
        *value = (double)meter->count;
        return true;
    case FLM_OF_METER_SUM:
        *value = (is_level ? (double)(int64_t)meter->total : (double)meter->total) * unit;
        return true;
    case FLM_OF_METER_MEAN:
        *value = without_cost(m, site, column, flm_meter_mean(meter) * unit);
        return true;
    case FLM_OF_METER_PERCENTILES:
        *value = without_cost(m, site, column, flm_meter_percentile(meter, percent) * unit);
        return !is_level || (int64_t)meter->least >= 0;
    case FLM_OF_METER_LEAST:
        *value =
            without_cost(m, site, column,
                         (is_level ? (double)(int64_t)meter->least : (double)meter->least) * unit);
        return true;
    case FLM_OF_METER_GREATEST:
        *value = without_cost(
            m, site, column,
            (is_level ? (double)(int64_t)meter->greatest : (double)meter->greatest) * unit);
        return true;
    case FLM_OF_METER_LAST:
        *value = (is_level ? (double)(int64_t)meter->last : (double)meter->last) * unit;
        return true;
    case FLM_OF_METER_FREQUENCY:
        *value = 1e9 / (flm_meter_mean(meter) * unit);
        return flm_meter_mean(meter) > 0;
    default:
        return false;
    }
}

/* Of calls that ended and were timed, less what measuring those in it costs, in proportion. An open
 * call is none of them, nor is what a buffer satisfied; the total of a function that calls itself
 * counts the outermost calls, and this all of them. */
static bool average(const struct flm_measures *m, uint32_t site,
                    const struct flm_section_column *column, double *value)
{
    const struct flm_measure *row = &m->site[site];
    const struct flm_probe_meter *meter = row->meter[FLM_PROBE_DURATION];
    bool is_there = meter && meter->count > 0;
    if (!is_there && (row->calls == 0 || flm_probe_is_counted(m->decoded, site)))
        return false;
    *value = is_there ? flm_meter_mean(meter) * flm_meter_unit(m->decoded, FLM_PROBE_DURATION)
                      : row->total / (double)row->calls;
    if (is_there && row->measured_total > row->total)
        *value *= row->total / row->measured_total;
    double longest = without_cost(m, site, column, row->longest);
    if (row->longest > 0)
        *value = fmin(*value, longest);
    return true;
}

/* Opening a file or connecting has no bytes, and not 0 of them. */
static bool has_amount(const struct flm_probe_decoded *d, uint32_t site)
{
    const struct flm_probe_site *of = &d->sites[site];
    return site == 0 || of->kind != FLM_PROBE_FILE || of->operation == FLM_PROBE_FILE_READ ||
           of->operation == FLM_PROBE_FILE_WRITE;
}

/* A counter that nothing was added to, and what cannot have an amount. */
static bool is_no_amount(const struct flm_measures *m, uint32_t site,
                         const struct flm_section_column *column, double value)
{
    bool is_value = site > 0 && m->decoded->sites[site].kind == FLM_PROBE_VALUE; /* or a counter */
    bool is_amount = column->which == FLM_PROBE_AMOUNT;
    return value == 0 && (is_value || (is_amount && !has_amount(m->decoded, site)));
}

/* A function of which is known only how often it was called. */
static bool is_untimed(const struct flm_probe_decoded *d, uint32_t site,
                       const struct flm_section_column *column)
{
    bool is_time = column->source == FLM_OF_TOTAL || column->source == FLM_OF_SELF ||
                   column->source == FLM_OF_LONGEST || column->source == FLM_OF_AVERAGE;
    return is_time && site > 0 && d->sites[site].kind == FLM_PROBE_SCOPE &&
           d->sites[site].operation == FLM_PROBE_COUNTED;
}

bool flm_section_value(const struct flm_measures *m, uint32_t site,
                       const struct flm_section_column *column, double percent, double *value)
{
    const struct flm_measure *row = &m->site[site];
    double calls = (double)row->calls;
    *value = 0;
    if (is_untimed(m->decoded, site, column))
        return false;
    switch (column->source) {
    case FLM_OF_CALLS:
        *value = calls;
        return true;
    case FLM_OF_SUCCESSES:
        *value = calls - fmin(row->value[FLM_PROBE_ERRORS], calls);
        return true;
    case FLM_OF_TOTAL:
        *value = row->total;
        return true;
    case FLM_OF_SELF:
        *value = row->self;
        return true;
    case FLM_OF_LONGEST:
        *value = without_cost(m, site, column, row->longest);
        return true;
    case FLM_OF_AVERAGE:
        return average(m, site, column, value);
    case FLM_OF_VALUE:
        *value = row->value[column->which];
        if (column->which == FLM_PROBE_FREED && !flm_frees_are_measured(m->decoded))
            return false;
        return !is_no_amount(m, site, column, *value);
    case FLM_OF_VALUE_TOTAL:
        *value = row->value_total[column->which];
        return true;
    case FLM_OF_VALUE_AVERAGE:
        *value = calls > 0 ? row->value[column->which] / calls : 0;
        return calls > 0;
    case FLM_OF_VALUE_RATE:
        *value = m->elapsed > 0 ? row->value[column->which] / (m->elapsed / 1e9) : 0;
        return m->elapsed > 0 && !is_no_amount(m, site, column, *value);
    case FLM_OF_TIMED_PART:
        *value = row->meter[column->which] ? (double)row->meter[column->which]->count : 0;
        return *value < calls;
    case FLM_OF_END:
    case FLM_OF_OPERATION:
        return false;
    default:
        return meter_value(m, site, column, percent, value);
    }
}
