/* instruments.c - call trees copied from Instruments (Edit, Deep Copy).
 *
 *     Weight          Self Weight   (empty)   Symbol Name          columns between tabs
 *     4.93 s  100.0%  0 s                     start
 *     2.45 s   49.0%  846.00 ms                main                a blank deeper
 *
 * "Running Time", "Bytes Used" and "Samples" instead of the weight, and "Self (ms)" with numbers
 * alone, are of other versions and instruments; since version 16 all names begin behind the same
 * blanks. A tree has rounded numbers of different units ("4.93 s", "846.00 ms"): the smallest unit
 * counts, ms, bytes or cycles. What a line has for itself is the column of it; where there is none,
 * what the lines below do not have. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

enum { COLUMNS = 16 };

struct reading {
    struct flm_text_reading base;
    struct flm_text_tree tree;
    int weight, self, symbol, file; /* columns; -1: none */
    bool self_is_ms, has_header, has_first;
    size_t first_indent;
};

static const struct {
    const char *name, *metric, *unit;
    double factor;
} units[] = {
    {"ms", "time", "ms", 1},
    {"s", "time", "ms", 1000},
    {"min", "time", "ms", 60000},
    {"h", "time", "ms", 3600000},
    {"us", "time", "ms", 1e-3},
    {"\xC2\xB5s", "time", "ms", 1e-3},
    {"ns", "time", "ms", 1e-6},
    {"Bytes", "bytes", "bytes", 1},
    {"KB", "bytes", "bytes", 1024},
    {"MB", "bytes", "bytes", 1048576},
    {"GB", "bytes", "bytes", 1073741824},
    {"KiB", "bytes", "bytes", 1024},
    {"MiB", "bytes", "bytes", 1048576},
    {"GiB", "bytes", "bytes", 1073741824},
    {"cycles", "cycles", "cycles", 1},
    {"Kc", "cycles", "cycles", 1e3},
    {"Mc", "cycles", "cycles", 1e6},
    {"Gc", "cycles", "cycles", 1e9},
};

/* "846.00 ms  17.1%", "4273.0ms   99.9%", "0 s", "693". `unit`: the index of the unit; -1: none. */
static bool parse_weight(struct flm_bytes text, double *value, int *unit)
{
    text = flm_bytes_trimmed(text);
    size_t digits = 0;
    while (digits < text.size && flm_is_one_of(text.at[digits], "0123456789.,"))
        digits++;
    if (flm_number_parse((struct flm_bytes){text.at, digits}, value) == FLM_NUMBER_NONE)
        return false;
    text = flm_bytes_trimmed(flm_bytes_from(text, digits));
    size_t size = 0;
    while (size < text.size && !flm_is_space(text.at[size]))
        size++;
    text.size = size;
    *unit = -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (flm_bytes_are(text, units[i].name)) {
            *unit = (int)i;
            *value *= units[i].factor;
        }
    }
    return true;
}

static size_t split(struct flm_bytes line, struct flm_bytes column[COLUMNS])
{
    size_t count = 0;
    while (count < COLUMNS - 1 && flm_text_take_until(&line, "\t", &column[count]))
        count++;
    column[count++] = line;
    return count;
}

static void read_header(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes column[COLUMNS];
    size_t count = split(line, column);
    r->weight = r->self = r->symbol = r->file = -1;
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes name = flm_bytes_trimmed(column[i]);
        if (flm_bytes_are(name, "Weight") || flm_bytes_are(name, "Running Time") ||
            flm_bytes_are(name, "Bytes Used") || flm_bytes_are(name, "Samples"))
            r->weight = (int)i;
        else if (flm_bytes_start_with(name, "Self"))
            r->self = r->self < 0 ? (int)i : r->self;
        else if (flm_bytes_start_with(name, "Symbol Name"))
            r->symbol = (int)i;
        else if (flm_bytes_are(name, "Source Path"))
            r->file = (int)i;
        if (flm_bytes_are(name, "Self (ms)"))
            r->self_is_ms = true;
    }
    r->has_header = r->weight >= 0 && r->symbol >= 0;
}

static void set_metric(struct reading *r, int unit)
{
    static const char samples[] = "samples";
    r->base.metric =
        flm_builder_metric(r->base.stack.builder, unit < 0 ? samples : units[unit].metric,
                           unit < 0 ? samples : units[unit].unit);
}

static void read_row(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes column[COLUMNS];
    size_t count = split(line, column);
    double weight, self = 0;
    int unit, self_unit;
    if ((size_t)r->symbol >= count || (size_t)r->weight >= count)
        return;
    struct flm_bytes symbol = column[r->symbol];
    size_t depth = flm_text_indent(symbol);
    struct flm_bytes name = flm_bytes_trimmed(symbol);
    if (name.size == 0)
        return;
    if (!parse_weight(column[r->weight], &weight, &unit)) {
        flm_builder_lost(r->base.stack.builder, "lines without a weight", "line",
                         r->base.lines.number, 1);
        return;
    }
    if (!r->has_first) {
        r->first_indent = depth;
        set_metric(r, unit);
    }
    r->has_first = true;
    depth -= depth < r->first_indent ? depth : r->first_indent;
    depth = depth < r->tree.path.count ? depth : r->tree.path.count;
    struct flm_stack_frame frame = {.function = name};
    if (r->file >= 0 && (size_t)r->file < count)
        frame.file = flm_bytes_trimmed(column[r->file]);
    flm_stack_frame(&r->base.stack, &frame);
    bool has_self = r->self >= 0 && (size_t)r->self < count &&
                    parse_weight(column[r->self], &self, &self_unit) &&
                    (self_unit >= 0 || r->self_is_ms || unit < 0);
    flm_text_tree_row(&r->tree, &r->base, depth, weight);
    /* The weights of lines are rounded: what a line has for itself is better known. */
    if (has_self && r->tree.path.count > 0) {
        r->tree.path.at[r->tree.path.count - 1].rest = self;
        r->tree.path.at[r->tree.path.count - 1].is_final = true;
    }
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    if (!r->has_header)
        read_header(r, line);
    else if (line.size > 0)
        read_row(r, line);
}

static void read_end(void *reading)
{
    struct reading *r = reading;
    flm_text_tree_leave(&r->tree, &r->base, 0);
}

static bool read_instruments(struct flm_source *source, const struct flm_read_options *options,
                             struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.weight = -1};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    FLM_ARRAY_CLEAR(&r.tree.path);
    return good;
}

static int sniff_instruments(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_bytes first;
    if (!flm_text_take_until(&head, "\n", &first) || !flm_bytes_contain(first, "\tSymbol Name"))
        return FLM_SNIFF_NO;
    return flm_bytes_start_with(first, "Weight\t") ||
                   flm_bytes_start_with(first, "Running Time\t") ||
                   flm_bytes_start_with(first, "Bytes Used\t") ||
                   flm_bytes_start_with(first, "Samples\t")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_instruments = {
    .name = "instruments",
    .title = "Instruments",
    .extensions = "",
    .description = "call trees copied from Instruments of Xcode: Edit, Deep Copy",
    .sniff = sniff_instruments,
    .read = read_instruments,
};
