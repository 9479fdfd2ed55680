#include "store/segment/store_rows.h"

#include <math.h>

#include "base/number/number.h"
#include "format/protobuf/wire_read.h"
#include "format/protobuf/wire_write.h"

enum column { NODES, RUNS, SERIES, POINTS, TIMES, VALUES, COLUMN_COUNT };

/* ---- Sorting --------------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
    const struct flm_store_row *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    return (x->time_ms > y->time_ms) - (x->time_ms < y->time_ms);
}

static bool is_same(const struct flm_store_row *a, const struct flm_store_row *b)
{
    return a->node == b->node && a->series == b->series && a->time_ms == b->time_ms;
}

/* Digits of 16 bits, from the last column to the first. Rows arrive in the order of time within
 * each process, and qsort took two thirds of sealing. */
struct digit {
    int column, shift;
};

static uint64_t key_of(const struct flm_store_row *row, int column)
{
    return column == 0 ? (uint64_t)row->time_ms : column == 1 ? row->series : row->node;
}

static bool sort_by_digits(struct flm_store_rows *rows)
{
    enum { BITS = 16, SLOTS = 1 << BITS };
    struct flm_store_row *scratch = malloc(rows->count * sizeof *scratch);
    size_t *starts = malloc(SLOTS * sizeof *starts);
    struct flm_store_row *from = rows->at, *to = scratch;
    bool good = scratch && starts;
    for (int column = 0; good && column < 3; column++) {
        uint64_t differs = 0;
        for (size_t i = 1; i < rows->count; i++)
            differs |= key_of(&from[i], column) ^ key_of(&from[0], column);
        for (int shift = 0; shift < 64 && differs >> shift; shift += BITS) {
            if ((differs >> shift & (SLOTS - 1)) == 0)
                continue;
            memset(starts, 0, SLOTS * sizeof *starts);
            for (size_t i = 0; i < rows->count; i++)
                starts[key_of(&from[i], column) >> shift & (SLOTS - 1)]++;
            size_t next = 0;
            for (size_t slot = 0; slot < SLOTS; slot++) {
                size_t count = starts[slot];
                starts[slot] = next;
                next += count;
            }
            for (size_t i = 0; i < rows->count; i++)
                to[starts[key_of(&from[i], column) >> shift & (SLOTS - 1)]++] = from[i];
            struct flm_store_row *swap = from;
            from = to;
            to = swap;
        }
    }
    if (good && from != rows->at)
        memcpy(rows->at, from, rows->count * sizeof *from);
    free(scratch);
    free(starts);
    return good;
}

bool flm_store_rows_sort(struct flm_store_rows *rows)
{
    enum { FEW = 20000 }; /* clearing the counts of a digit costs as much as sorting these */
    if (rows->count == 0)
        return true;
    if (rows->count < FEW)
        qsort(rows->at, rows->count, sizeof *rows->at, order);
    else if (!sort_by_digits(rows))
        return false;
    size_t kept = 0;
    for (size_t i = 1; i < rows->count; i++)
        if (is_same(&rows->at[kept], &rows->at[i]))
            rows->at[kept].value += rows->at[i].value;
        else
            rows->at[++kept] = rows->at[i];
    rows->count = kept + 1;
    return true;
}

/* ---- Units ----------------------------------------------------------------------------------- */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* 0: there is none. */
static uint64_t unit_of_values(const struct flm_store_row *rows, size_t count)
{
    uint64_t unit = 0;
    for (size_t i = 0; i < count; i++) {
        double size = fabs(rows[i].value);
        if (size >= FLM_EXACT_LIMIT || size != floor(size))
            return 0;
        if (unit != 1)
            unit = greatest_common_divisor((uint64_t)size, unit);
    }
    return unit ? unit : 1;
}

static uint64_t unit_of_times(const struct flm_store_row *rows, size_t count)
{
    uint64_t unit = 0;
    for (size_t i = 0; i < count && unit != 1; i++)
        unit = greatest_common_divisor((uint64_t)rows[i].time_ms, unit);
    return unit ? unit : 1;
}

/* Small numbers of either sign are small: 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_value(struct flm_text *out, double value, uint64_t unit)
{
    if (unit) {
        /* Values are rarely negative, so the sign costs a bit only where one is: see below. */
        flm_wire_put_varint(out, zigzag((int64_t)value / (int64_t)unit));
        return;
    }
    char *at = flm_text_reserve(out, sizeof value);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; at && i < 8; i++)
        at[i] = (char)(bits >> (8 * i));
    out->size += at ? 8 : 0;
}

void flm_store_rows_encode(const struct flm_store_row *rows, size_t count, struct flm_text *out)
{
    struct flm_text columns[COLUMN_COUNT] = {{0}};
    uint64_t time_unit = unit_of_times(rows, count), value_unit = unit_of_values(rows, count);
    uint64_t node_count = 0;
    uint32_t node = 0;
    for (size_t i = 0; i < count;) {
        uint32_t series = 0;
        uint64_t runs = 0;
        flm_wire_put_varint(&columns[NODES], rows[i].node - node);
        node = rows[i].node;
        while (i < count && rows[i].node == node) {
            flm_wire_put_varint(&columns[SERIES], rows[i].series - series);
            series = rows[i].series;
            uint64_t time = 0, points = 0;
            for (; i < count && rows[i].node == node && rows[i].series == series; i++, points++) {
                uint64_t at = (uint64_t)rows[i].time_ms / time_unit;
                flm_wire_put_varint(&columns[TIMES], at - time);
                time = at;
                put_value(&columns[VALUES], rows[i].value, value_unit);
            }
            flm_wire_put_varint(&columns[POINTS], points);
            runs++;
        }
        flm_wire_put_varint(&columns[RUNS], runs);
        node_count++;
    }
    flm_wire_put_varint(out, node_count);
    flm_wire_put_varint(out, time_unit);
    flm_wire_put_varint(out, value_unit);
    for (int c = 0; c < COLUMN_COUNT; c++)
        flm_wire_put_varint(out, columns[c].size);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        flm_text_add(out, (struct flm_bytes){columns[c].at, columns[c].size});
        out->failed |= columns[c].failed;
        flm_text_clear(&columns[c]);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct reading {
    struct flm_wire_input input;
    struct flm_wire column[COLUMN_COUNT];
    uint64_t node_count, time_unit, value_unit;
};

static bool next(struct reading *r, enum column column, uint64_t *number)
{
    struct flm_wire *c = &r->column[column];
    return flm_wire_varint(c, &c->at, number);
}

static bool damaged(struct reading *r, enum column column)
{
    return flm_wire_fail(&r->input, r->column[column].at, "the columns of a group are damaged");
}

static bool begin(struct reading *r, struct flm_bytes columns)
{
    *r = (struct reading){.input = flm_wire_input_of(columns)};
    struct flm_wire all = flm_wire_all(&r->input);
    uint64_t sizes[COLUMN_COUNT];
    if (!flm_wire_varint(&all, &all.at, &r->node_count) ||
        !flm_wire_varint(&all, &all.at, &r->time_unit) ||
        !flm_wire_varint(&all, &all.at, &r->value_unit))
        return false;
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (!flm_wire_varint(&all, &all.at, &sizes[c]))
            return false;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (sizes[c] > (uint64_t)(all.end - all.at))
            return flm_wire_fail(&r->input, all.at, "a column is longer than its group");
        struct flm_bytes bytes = {(const char *)all.at, (size_t)sizes[c]};
        r->column[c] = flm_wire_of(&r->input, bytes);
        all.at += sizes[c];
    }
    return (all.at == all.end && r->time_unit > 0) ||
           flm_wire_fail(&r->input, all.at, "the columns of a group are damaged");
}

static bool next_value(struct reading *r, double *value)
{
    uint64_t bits = 0;
    if (r->value_unit) {
        if (!next(r, VALUES, &bits))
            return false;
        *value = (double)unzigzag(bits) * (double)r->value_unit;
        return true;
    }
    struct flm_wire *c = &r->column[VALUES];
    if (c->end - c->at < 8)
        return damaged(r, VALUES);
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)c->at[i] << (8 * i);
    c->at += 8;
    memcpy(value, &bits, sizeof *value);
    return isfinite(*value) || damaged(r, VALUES);
}

/* What is done with a point, and with a run when its last point was there. */
struct visitor {
    void *context;
    bool (*point)(void *context, const struct flm_store_row *row);
    void (*run)(void *context, uint32_t node, uint32_t series);
};

static bool walk_run(struct reading *r, struct flm_store_row row, const struct visitor *visitor)
{
    uint64_t points, step, time = 0;
    if (!next(r, POINTS, &points))
        return false;
    for (uint64_t i = 0; i < points; i++) {
        if (!next(r, TIMES, &step) || !next_value(r, &row.value))
            return false;
        time += step;
        if (time > (uint64_t)INT64_MAX / r->time_unit)
            return damaged(r, TIMES);
        row.time_ms = (int64_t)(time * r->time_unit);
        if (!visitor->point(visitor->context, &row))
            return damaged(r, TIMES);
    }
    if (visitor->run)
        visitor->run(visitor->context, row.node, row.series);
    return true;
}

static bool walk(struct reading *r, const struct flm_store_range *range,
                 const struct visitor *visitor)
{
    uint64_t node = 0, step, runs;
    for (uint64_t i = 0; i < r->node_count; i++) {
        if (!next(r, NODES, &step) || !next(r, RUNS, &runs))
            return false;
        if (step > range->node_count - node || (node += step) >= range->node_count)
            return damaged(r, NODES);
        uint64_t series = 0;
        for (uint64_t k = 0; k < runs; k++) {
            if (!next(r, SERIES, &step))
                return false;
            if (step > range->series_count - series || (series += step) >= range->series_count)
                return damaged(r, SERIES);
            struct flm_store_row row = {.node = (uint32_t)node, .series = (uint32_t)series};
            if (!walk_run(r, row, visitor))
                return false;
        }
    }
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (r->column[c].at != r->column[c].end)
            return damaged(r, (enum column)c);
    return true;
}

struct summing {
    const struct flm_store_range *range;
    flm_store_run_sink add;
    void *context;
    double sum;
    bool any;
};

static bool sum_point(void *context, const struct flm_store_row *row)
{
    struct summing *s = context;
    const struct flm_store_range *range = s->range;
    bool wanted = row->time_ms >= range->from_ms && row->time_ms < range->until_ms &&
                  (!range->series || range->series[row->series]);
    s->sum += wanted ? row->value : 0;
    s->any |= wanted;
    return true;
}

static void sum_run(void *context, uint32_t node, uint32_t series)
{
    struct summing *s = context;
    if (s->any)
        s->add(s->context, node, series, s->sum);
    s->sum = 0;
    s->any = false;
}

bool flm_store_rows_sum(struct flm_bytes columns, const struct flm_store_range *range,
                        flm_store_run_sink add, void *context, struct flm_error *why)
{
    struct reading r;
    struct summing s = {.range = range, .add = add, .context = context};
    const struct visitor visitor = {&s, sum_point, sum_run};
    if (begin(&r, columns))
        walk(&r, range, &visitor);
    return flm_wire_end(&r.input, why);
}

struct decoding {
    struct flm_store_rows *rows;
    bool out_of_memory;
};

static bool keep_point(void *context, const struct flm_store_row *row)
{
    struct decoding *d = context;
    d->out_of_memory |= !FLM_ARRAY_ADD(d->rows, *row);
    return !d->out_of_memory;
}

bool flm_store_rows_decode(struct flm_bytes columns, const struct flm_store_range *range,
                           struct flm_store_rows *rows, struct flm_error *why)
{
    struct reading r;
    struct decoding d = {.rows = rows};
    const struct visitor visitor = {&d, keep_point, NULL};
    if (begin(&r, columns))
        walk(&r, range, &visitor);
    return d.out_of_memory ? flm_error_memory(why) : flm_wire_end(&r.input, why);
}
