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
    {1e18, 1e18, "E"}, {1e15, 1e15, "P"}, {1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {0, 1e6, "M"}};

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

static void add_unit(struct flm_text *out, struct flm_bytes unit, double value)
{
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
    add_rounded(out, scaled, fabs(scaled) >= 999.5 ? 4 : 3);
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
