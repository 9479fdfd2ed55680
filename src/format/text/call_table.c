/* call_table.c - trees of calls as tables: a line a stack, callers above what they call, and how
 * deep it is. The numbers that count are those of the line itself.
 *
 *     COST CENTRE MODULE SRC            no. entries  %time %alloc   %time %alloc  ticks     bytes
 *     MAIN        MAIN   <built-in>     168       0    2.6    0.0   100.0  100.0    510    456096
 *      main       Main   a.hs:6:1-11    336       1    0.0    0.0     0.0    0.0      0         0
 *
 *     GHC's report (+RTS -p, -P, -pa): a blank for each caller. Without ticks and bytes there are
 *     percents alone.
 *
 *     Function Stack,CPU Time:Self,Module           VTune: a blank for each caller; each column
 *     Total,0.0,[Unknown]                           that ends in ":Self" is a metric
 *      "std::vector<int,a>::push",0.016612,work.exe
 *
 *     Level,Function Name,Number of Calls,Elapsed Exclusive Time %,Module Name,      Visual Studio
 *     0,"Tracer.exe",0,0.00,"",
 *     1,"Tracer.Ray.get(class Ray&,bool&)","2,893,824",4.21,"Tracer.exe",
 */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

enum { COLUMNS = 64, METRICS = 8 };

/* A number of a line: in which column, of which metric. */
struct measure {
    int column;
    struct flm_metric metric;
};

struct reading {
    struct flm_text_reading base;
    bool has_header;
    struct FLM_ARRAY(struct flm_node) path; /* of the line before, root first */

    struct measure measure[METRICS];
    int measure_count;
    int level, function, module, file; /* columns; -1: none */
    size_t column_count;
    char delimiter;
    struct flm_text unquoted; /* a line without its quotes */
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->base.stack.builder;
}

static void lose(struct reading *r, const char *what)
{
    flm_builder_lost(builder_of(r), what, "line", r->base.lines.number, 1);
}

static void add_measure(struct reading *r, int column, const char *name, const char *unit)
{
    if (r->measure_count < METRICS)
        r->measure[r->measure_count++] =
            (struct measure){column, flm_builder_metric(builder_of(r), name, unit)};
}

/* "2,893,824", "0.016612s", "4.21": thousands have commas, seconds may have their unit. */
static bool parse_number(struct flm_bytes text, double *value)
{
    char digits[40];
    size_t size = 0;
    text = flm_bytes_trimmed(text);
    if (text.size > 0 && (text.at[text.size - 1] == 's' || text.at[text.size - 1] == '%'))
        text.size--;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] == ',')
            continue;
        if (size == sizeof digits)
            return false;
        digits[size++] = text.at[i];
    }
    enum flm_number_kind kind = flm_number_parse((struct flm_bytes){digits, size}, value);
    return (kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL) && *value >= 0 &&
           *value <= FLM_SUM_LIMIT;
}

/* A line: its frame is in the stack, `depth` callers are above it. */
static void add_row(struct reading *r, size_t depth, const struct flm_bytes *text)
{
    if (r->base.stack.frames.count == 0 || flm_builder_failed(builder_of(r)))
        return;
    struct flm_frame frame = r->base.stack.frames.at[0];
    struct flm_node node = flm_builder_root(builder_of(r));
    if (depth > r->path.count) {
        lose(r, "lines whose callers are missing");
        depth = r->path.count;
    }
    if (depth > 0)
        node = r->path.at[depth - 1];
    r->path.count = depth;
    node = flm_builder_child(builder_of(r), node, frame);
    if (!FLM_ARRAY_ADD(&r->path, node))
        flm_builder_fail_memory(builder_of(r));
    for (int i = 0; i < r->measure_count; i++) {
        double value;
        if (!parse_number(text[r->measure[i].column], &value))
            lose(r, "values that are no numbers");
        else if (value > 0)
            flm_builder_add(builder_of(r), node, r->measure[i].metric, value);
    }
    r->base.has_samples = true;
    r->base.stack.frames.count = 0;
}

static bool read_table(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why,
                       void (*line)(void *reading, struct flm_bytes line))
{
    struct reading r = {.level = -1, .function = -1, .module = -1, .file = -1};
    bool good = flm_text_read(&r.base, source, options, builder, why, line, NULL);
    FLM_ARRAY_CLEAR(&r.path);
    flm_text_clear(&r.unquoted);
    return good;
}

/* ---- GHC ------------------------------------------------------------------------------------- */

/* The last word, which is taken off. */
static struct flm_bytes last_word(struct flm_bytes *line)
{
    *line = flm_bytes_trimmed(*line);
    size_t start = line->size;
    while (start > 0 && line->at[start - 1] != ' ')
        start--;
    struct flm_bytes word = flm_bytes_from(*line, start);
    line->size = start;
    return word;
}

static struct flm_bytes first_word(struct flm_bytes *line)
{
    *line = flm_bytes_trimmed(*line);
    struct flm_bytes word = {line->at, 0};
    while (word.size < line->size && line->at[word.size] != ' ')
        word.size++;
    *line = flm_bytes_from(*line, word.size);
    return word;
}

/* The columns from the right: no. entries %time %alloc %time %alloc [ticks bytes] */
enum { GHC_ENTRIES = 1, GHC_TIME, GHC_ALLOC, GHC_TICKS = 6, GHC_BYTES, GHC_LEAST = 6 };

static const char ghc_tree[] = " entries  %time %alloc   %time %alloc";

static void read_ghc_header(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes rest;
    if (flm_bytes_start_with(line, "COST CENTRE") && flm_bytes_contain(line, ghc_tree)) {
        r->has_header = true;
        r->level = GHC_LEAST + (flm_bytes_contain(line, " ticks ") ? 2 : 0);
        add_measure(r, r->level > GHC_LEAST ? GHC_TICKS : GHC_TIME,
                    r->level > GHC_LEAST ? "ticks" : "time", r->level > GHC_LEAST ? "ticks" : "%");
        add_measure(r, r->level > GHC_LEAST ? GHC_BYTES : GHC_ALLOC, "alloc",
                    r->level > GHC_LEAST ? "bytes" : "%");
        add_measure(r, GHC_ENTRIES, "entries", "entries");
        return;
    }
    line = flm_bytes_trimmed(line);
    if (flm_text_skip(&line, "total time  =") || flm_text_skip(&line, "total alloc =")) {
        bool is_time = flm_bytes_contain(line, "ticks");
        line = flm_bytes_trimmed(line);
        flm_builder_note(builder_of(r), is_time ? "total time" : "total alloc", line.at, line.size);
    } else if (r->base.lines.number == 3 && line.size > 0) {
        flm_builder_note(builder_of(r), "command", line.at, line.size);
    } else if (flm_text_take_until(&line, " Time and Allocation Profiling Report", &rest)) {
        flm_builder_note(builder_of(r), "recorded", rest.at, rest.size);
    }
}

/* "src/Lib.hs:(14,1)-(15,41)", "a.hs:6:1-11"; "<built-in>" is no file. */
static void set_place(struct flm_stack_frame *frame, struct flm_bytes place)
{
    struct flm_bytes digits;
    place = flm_bytes_trimmed(place);
    if (place.size == 0 || place.at[0] == '<' || !flm_text_take_until(&place, ":", &frame->file))
        return;
    digits = place;
    flm_text_skip(&digits, "(");
    flm_text_take_uint(&digits, &frame->line);
}

static void read_ghc_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text[GHC_BYTES + 1], name, module;
    struct flm_text whole = {0};
    uint64_t number;
    if (!r->has_header) {
        read_ghc_header(r, line);
        return;
    }
    size_t depth = flm_text_indent(line);
    if (depth == line.size)
        return;
    for (int i = r->level; i-- > 0;)
        text[i] = last_word(&line);
    name = first_word(&line);
    module = first_word(&line);
    if (module.size == 0 || !flm_number_parse_uint(text[0], &number)) {
        lose(r, "lines that cannot be read");
        return;
    }
    flm_text_add(&whole, module);
    flm_text_putc(&whole, '.');
    flm_text_add(&whole, name);
    struct flm_stack_frame frame = {.function = {whole.at, whole.size}};
    set_place(&frame, line);
    if (whole.failed)
        flm_builder_fail_memory(builder_of(r));
    else
        flm_stack_frame(&r->base.stack, &frame);
    flm_text_clear(&whole);
    add_row(r, depth, text);
}

static bool read_ghc_report(struct flm_source *source, const struct flm_read_options *options,
                            struct flm_builder *builder, struct flm_error *why)
{
    return read_table(source, options, builder, why, read_ghc_line);
}

static int sniff_ghc_report(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_contain(head, " Time and Allocation Profiling Report") &&
                   flm_bytes_contain(head, "\nCOST CENTRE")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_ghc_report = {
    .name = "ghc-report",
    .title = "GHC report",
    .extensions = "",
    .description = "reports of Haskell programs: +RTS -p, -P",
    .sniff = sniff_ghc_report,
    .read = read_ghc_report,
};

/* ---- CSV of Intel and Microsoft -------------------------------------------------------------- */

/* Cuts a line at its delimiters; quotes go, wherever they begin in a field, and what is doubled in
 * them is one. */
static size_t split(struct reading *r, struct flm_bytes line, struct flm_bytes field[COLUMNS])
{
    size_t count = 0;
    bool in_quotes = false;
    r->unquoted.size = 0;
    char *to = flm_text_reserve(&r->unquoted, line.size + 1);
    if (!to) {
        flm_builder_fail_memory(builder_of(r));
        return 0;
    }
    field[0] = (struct flm_bytes){to, 0};
    for (size_t i = 0; i < line.size; i++) {
        char byte = line.at[i];
        bool doubled = in_quotes && byte == '"' && i + 1 < line.size && line.at[i + 1] == '"';
        if (byte == '"' && !doubled) {
            in_quotes = !in_quotes;
        } else if (byte == r->delimiter && !in_quotes) {
            if (count + 1 < COLUMNS)
                field[++count] = (struct flm_bytes){to, 0};
        } else {
            *to++ = byte;
            field[count].size++;
            i += doubled;
        }
    }
    return count + 1;
}

static int column_named(const struct flm_bytes *field, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (flm_bytes_are(flm_bytes_trimmed(field[i]), name))
            return (int)i;
    return -1;
}

static const struct {
    const char *name, *metric, *unit;
} visual_studio[] = {
    {"Exclusive Samples", "samples", "samples"},
    {"Elapsed Exclusive Time", "time", "ms"},
    {"Elapsed Exclusive Time %", "time share", "%"},
    {"Application Exclusive Time", "application time", "ms"},
    {"Application Exclusive Time %", "application time share", "%"},
    {"Exclusive Allocations", "allocations", "allocations"},
    {"Exclusive Bytes", "bytes", "bytes"},
    {"Number of Calls", "calls", "calls"},
};

/* "CPU Time:Self" is a metric of seconds, "Clockticks:Self" is one of itself. */
static void add_vtune_measure(struct reading *r, int column, struct flm_bytes name)
{
    char storage[64];
    struct flm_text text;
    flm_text_init_fixed(&text, storage, sizeof storage - 1);
    name.size -= strlen(":Self");
    flm_text_add_name(&text, name);
    storage[text.size] = 0;
    add_measure(r, column, storage, flm_bytes_end_with(name, "Time") ? "s" : "count");
}

static const char stacks_of_vtune[] = "Function Stack", levels_of_visual_studio[] = "Level,";

static void read_csv_header(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes field[COLUMNS];
    bool is_vtune =
        flm_bytes_start_with(line, stacks_of_vtune) && line.size > strlen(stacks_of_vtune);
    if (!is_vtune && !flm_bytes_start_with(line, levels_of_visual_studio))
        return;
    r->delimiter = is_vtune ? line.at[strlen(stacks_of_vtune)] : ',';
    size_t count = split(r, line, field);
    if (flm_builder_failed(builder_of(r)))
        return;
    r->column_count = count;
    r->level = column_named(field, count, "Level");
    r->function = column_named(field, count, is_vtune ? stacks_of_vtune : "Function Name");
    r->module = column_named(field, count, is_vtune ? "Module" : "Module Name");
    r->file = column_named(field, count, "Source File");
    for (size_t i = 0; is_vtune && i < count; i++)
        if (flm_bytes_end_with(field[i], ":Self"))
            add_vtune_measure(r, (int)i, field[i]);
    for (size_t i = 0; !is_vtune && i < sizeof visual_studio / sizeof *visual_studio; i++) {
        int column = column_named(field, count, visual_studio[i].name);
        if (column >= 0)
            add_measure(r, column, visual_studio[i].metric, visual_studio[i].unit);
    }
    if (r->function < 0 || r->measure_count == 0)
        r->base.failed =
            !flm_error_line(r->base.lines.why, FLM_ERROR_FORMAT, r->base.lines.number,
                            "no column has the values of functions themselves (%s)",
                            is_vtune ? "its name ends in ':Self'"
                                     : "'Elapsed Exclusive Time %', 'Number of Calls'");
    r->has_header = true;
}

static void read_csv_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes field[COLUMNS] = {{0}};
    uint64_t level;
    if (!r->has_header) {
        read_csv_header(r, line);
        return;
    }
    if (line.size == 0)
        return;
    size_t count = split(r, line, field);
    if (!r->base.lines.is_ended && count < r->column_count) {
        lose(r, "lines that are cut off at the end of the file");
        return;
    }
    struct flm_bytes function = field[r->function];
    size_t depth = flm_text_indent(function);
    if (r->level >= 0 && flm_number_parse_uint(flm_bytes_trimmed(field[r->level]), &level))
        depth = level < SIZE_MAX ? (size_t)level : SIZE_MAX;
    else if (r->level >= 0)
        count = 0;
    function = flm_bytes_trimmed(function);
    int last = r->function;
    for (int i = 0; i < r->measure_count; i++)
        last = r->measure[i].column > last ? r->measure[i].column : last;
    if (count <= (size_t)last || function.size == 0) {
        lose(r, "lines that cannot be read");
        return;
    }
    struct flm_stack_frame frame = {.function = function};
    if (r->module >= 0)
        frame.module = flm_bytes_trimmed(field[r->module]);
    if (r->file >= 0)
        frame.file = flm_bytes_trimmed(field[r->file]);
    if (flm_bytes_are(frame.module, "[Unknown]"))
        frame.module.size = 0;
    flm_stack_frame(&r->base.stack, &frame);
    add_row(r, depth, field);
    /* A number that ends with the file may have had more digits. */
    if (!r->base.lines.is_ended && count == (size_t)last + 1)
        lose(r, "values that may be cut off at the end of the file");
}

static bool read_csv(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    return read_table(source, options, builder, why, read_csv_line);
}

static int sniff_vtune(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_bytes line;
    while (flm_text_take_until(&head, "\n", &line))
        if (flm_bytes_start_with(line, stacks_of_vtune))
            return flm_bytes_contain(line, ":Self") ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_vtune = {
    .name = "vtune",
    .title = "VTune",
    .extensions = "",
    .description = "call trees of Intel VTune as CSV: -report top-down -format csv",
    .sniff = sniff_vtune,
    .read = read_csv,
};

static int sniff_visual_studio(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "Level,Function Name,") ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_vsprof = {
    .name = "vsprof",
    .title = "Visual Studio",
    .extensions = "",
    .description = "call trees of Visual Studio's profiler as CSV: vsperfreport /summary:calltree",
    .sniff = sniff_visual_studio,
    .read = read_csv,
};
