#include "draw/text/quantity.h"

#include <math.h>

#include "base/number/number.h"
#include "profile/sample_span.h"

/* From the largest down. */
struct scale {
    double from; /* values that are at least this, rounded to three digits */
    double size; /* are shown in units of this */
    const char *name;
};

static const struct scale times[] = {{3600e9, 3600e9, "h"},   {120e9, 60e9, "min"},
                                     {1e9, 1e9, "s"},         {1e6, 1e6, "ms"},
                                     {1e3, 1e3, "\xC2\xB5s"}, {0, 1, "ns"}};

static const struct scale sizes[] = {{0x1p60, 0x1p60, "EiB"},
                                     {0x1p50, 0x1p50, "PiB"},
                                     {0x1p40, 0x1p40, "TiB"},
                                     {0x1p30, 0x1p30, "GiB"},
                                     {0x1p20, 0x1p20, "MiB"},
                                     {0x1p10, 0x1p10, "KiB"},
                                     {0, 1, "B"}};

static const struct scale counts[] = {
    {1e18, 1e18, "E"}, {1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {0, 1e6, "M"}};

static void add_rounded(struct flm_text *out, double value, int digits)
{
    char *to = flm_text_reserve(out, FLM_NUMBER_SIZE);
    if (to)
        out->size += flm_number_print_rounded(value, digits, to);
}

static bool is_time(struct flm_bytes unit)
{
    return flm_time_unit_ns(unit) > 0;
}

static bool is_size(struct flm_bytes unit)
{
    return flm_bytes_are(unit, "bytes") || flm_bytes_are(unit, "B");
}

/* The size of a unit's plural ending: 1 sample, 1 cache-miss, 1 context-switch. */
static size_t plural_size(struct flm_bytes unit)
{
    if (flm_bytes_end_with(unit, "sses") || flm_bytes_end_with(unit, "tches") ||
        flm_bytes_end_with(unit, "nches"))
        return 2;
    return unit.size > 2 && flm_bytes_end_with(unit, "s") && !flm_bytes_end_with(unit, "ss");
}

/* A count needs no unit: 487,879 of alloc_objects. */
static void add_unit(struct flm_text *out, struct flm_bytes unit, double value)
{
    if (flm_bytes_are(unit, "count"))
        return;
    if (flm_time_unit_ns(unit) == 1e3)
        unit = flm_bytes_of("\xC2\xB5s");
    if (fabs(value) == 1)
        unit.size -= plural_size(unit);
    if (unit.size > 0) {
        flm_text_putc(out, ' ');
        flm_text_add(out, unit);
    }
}

/* Adds a number with the digits before the point in groups of three. */
static void add_grouped(struct flm_text *out, struct flm_bytes number)
{
    size_t from = number.size > 0 && number.at[0] == '-', whole = from;
    while (whole < number.size && number.at[whole] >= '0' && number.at[whole] <= '9')
        whole++;
    for (size_t i = 0; i < number.size; i++) {
        if (i > from && i < whole && (whole - i) % 3 == 0)
            flm_text_putc(out, ',');
        flm_text_putc(out, number.at[i]);
    }
}

static void add_scaled(struct flm_text *out, double value, const struct scale *scale)
{
    /* 999.6 ms is 1 s. */
    while (fabs(value) < scale->from * 0.9995)
        scale++;
    double scaled = value / scale->size;
    if (fabs(scaled) < 1024) {
        add_rounded(out, scaled, fabs(scaled) >= 999.5 ? 4 : 3);
    } else { /* beyond the largest unit: 4,504 T */
        char digits[FLM_NUMBER_SIZE];
        size_t size = flm_number_print_rounded(scaled, fabs(scaled) < 9999.5 ? 4 : 5, digits);
        add_grouped(out, (struct flm_bytes){digits, size});
    }
    flm_text_putc(out, ' ');
    flm_text_puts(out, scale->name);
}

void flm_quantity_add_exact(struct flm_text *out, double value, struct flm_bytes unit)
{
    /* 15 digits: a sum of fractions such as 0.30000000000000004 is 0.3. */
    char digits[FLM_NUMBER_SIZE];
    size_t size = floor(value) == value ? flm_number_print_exactly(value, digits)
                                        : flm_number_print_rounded(value, 15, digits);
    add_grouped(out, (struct flm_bytes){digits, size});
    add_unit(out, unit, value);
}

void flm_quantity_add(struct flm_text *out, double value, struct flm_bytes unit)
{
    if (value == 0) {
        flm_text_putc(out, '0');
        add_unit(out, unit, value);
    } else if (is_time(unit)) {
        add_scaled(out, value * flm_time_unit_ns(unit), times);
    } else if (is_size(unit)) {
        add_scaled(out, value, sizes);
    } else if (fabs(value) < 1e7 && floor(value) == value) {
        flm_quantity_add_exact(out, value, unit);
    } else if (fabs(value) < 999.5) {
        add_rounded(out, value, 3);
        add_unit(out, unit, value);
    } else if (fabs(value) < 1e7) { /* a mean of counts */
        flm_quantity_add_exact(out, floor(value + 0.5), unit);
    } else {
        add_scaled(out, value, counts);
        add_unit(out, unit, value);
    }
}

void flm_count_add(struct flm_text *out, uint64_t count)
{
    flm_quantity_add_exact(out, (double)count, (struct flm_bytes){"", 0});
}

void flm_percent_add(struct flm_text *out, double value, double whole)
{
    double percent = whole != 0 ? 100 * value / whole : 0;
    if (percent != 0 && fabs(percent) < 0.005) {
        flm_text_puts(out, "< 0.01 %");
        return;
    }
    double size = fabs(percent);
    /* 99.97 is not yet all: only exactly all is 100. */
    if (size < 100 && size >= 99.95)
        add_rounded(out, percent < 0 ? -99.9 : 99.9, 3);
    else
        add_rounded(out, percent, size < 1 ? (size < 0.1 ? 1 : 2) : size < 1000 ? 3 : 6);
    flm_text_puts(out, " %");
}

/* ---- In columns ------------------------------------------------------------------------------ */

/* From the largest down. Hours have decimals that nobody reads: from 100 h on. */
static const struct scale column_times[] = {{360000e9, 3600e9, "h"},
                                            {10e9, 1e9, "s"},
                                            {10e6, 1e6, "ms"},
                                            {10e3, 1e3, "\xC2\xB5s"},
                                            {0, 1, "ns"}};
static const struct scale column_counts[] = {{1e19, 1e18, "E"}, {1e16, 1e15, "P"},
                                             {1e13, 1e12, "T"}, {1e10, 1e9, "G"},
                                             {1e7, 1e6, "M"},   {0, 1, ""}};

enum { MOST_DECIMALS = 9 };

static const double powers[MOST_DECIMALS + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

void flm_scale_init(struct flm_scale *scale, double largest, int digits, struct flm_bytes unit)
{
    double ns = flm_time_unit_ns(unit), factor = ns > 0 ? ns : 1;
    double size = fabs(largest) * factor;
    bool scaled = is_time(unit) || is_size(unit);
    const struct scale *in = is_time(unit) ? column_times : is_size(unit) ? sizes : column_counts;
    while (in->from > 0 && size < (is_size(unit) ? 10 * in->from : in->from))
        in++;
    *scale = (struct flm_scale){.size = in->size / factor, .name = in->name};
    if (!scaled)
        scale->unit = unit;
    if (size == 0 || (scaled && in->size == 1)) /* bytes and nanoseconds are whole */
        return;
    double shown = size / in->size;
    while (scale->most < MOST_DECIMALS && shown * powers[scale->most] < powers[digits - 1])
        scale->most++;
}

/* Whether the decimals that are shown are all that a number has. */
static bool is_shown_in_full(const struct flm_scale *scale, double value)
{
    double shown = value / scale->size * powers[scale->decimals], whole = floor(shown + 0.5);
    return fabs(shown - whole) <= 1e-9 * fmax(1, fabs(whole));
}

bool flm_scale_add(struct flm_scale *scale, double value)
{
    while (scale->decimals < scale->most && !is_shown_in_full(scale, value))
        scale->decimals++;
    return scale->decimals < scale->most;
}

/* A number of units of the last decimal, with its point. */
static void add_decimals(struct flm_text *out, double units, int decimals)
{
    char digits[FLM_NUMBER_SIZE];
    double whole = floor(units / powers[decimals]), rest = units - whole * powers[decimals];
    size_t size = flm_number_print_exactly(whole, digits);
    add_grouped(out, (struct flm_bytes){digits, size});
    if (decimals == 0)
        return;
    flm_text_putc(out, '.');
    size = flm_number_print_exactly(rest, digits);
    flm_text_repeat(out, '0', (size_t)decimals - size);
    flm_text_add(out, (struct flm_bytes){digits, size});
}

void flm_scale_add_number(const struct flm_scale *scale, double value, struct flm_text *out)
{
    double size = fabs(value) / scale->size;
    double units = floor(size * powers[scale->decimals] + 0.5);
    flm_text_puts(out, value < 0 ? "-" : "");
    if (value == 0) {
        flm_text_putc(out, '0');
    } else if (units == 0) {
        flm_text_putc(out, '<');
        add_decimals(out, 1, scale->decimals);
    } else if (units < 0x1p53) {
        add_decimals(out, units, scale->decimals);
    } else {
        add_decimals(out, floor(size), 0);
    }
}

void flm_scale_add_unit(const struct flm_scale *scale, double value, struct flm_text *out)
{
    flm_text_puts(out, scale->name);
    if (scale->unit.size == 0)
        return;
    flm_text_puts(out, *scale->name ? " " : "");
    bool is_one = !*scale->name && fabs(value) == 1;
    flm_text_add(out,
                 (struct flm_bytes){scale->unit.at,
                                    scale->unit.size - (is_one ? plural_size(scale->unit) : 0)});
}

void flm_scale_add_percent(struct flm_text *out, double value, double whole)
{
    static const struct flm_scale percent = {.size = 1, .decimals = 2};
    double share = whole != 0 ? 100 * value / whole : 0;
    /* Only exactly all is 100. */
    if (fabs(share) < 100 && fabs(share) >= 99.995)
        share = share < 0 ? -99.99 : 99.99;
    flm_scale_add_number(&percent, share, out);
    flm_text_puts(out, " %");
}
