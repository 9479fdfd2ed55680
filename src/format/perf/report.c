/* report.c - `perf report --stdio --no-children -n -g folded,0,caller,count`.
 *
 *     # Samples: 482  of event 'cpu-clock'
 *     # Event count (approx.): 965931856
 *     #
 *     # Overhead       Samples  Command  Shared Object        Symbol
 *     # ........  ............  .......  ...................  ......................
 *         34.44%           166  work_fp  libm.so.6            [.] __sin_fma           an entry ...
 *     166 __libc_start_call_main;main;__sin_fma                                      ... its chains
 *
 * The value of a chain is a count of samples, a sum of periods, or a percentage, depending on -g;
 * the file does not say which. So chains are kept until their event's section ends. Their sum then
 * distinguishes counts from periods; and the symbol of the entry, which is the leaf, shows at which
 * end of the chains the leaf is. An entry without chains (-g none) is a stack of one frame. The
 * root frame is the command. */
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/core/format.h"
#include "format/perf/event_metrics.h"
#include "format/perf/frame.h"
#include "format/perf/internal.h"
#include "profile/internal.h"

/* The position of a column in every line; end 0: there is none. */
struct column {
    size_t start, end;
};

/* A stack, while it is unknown which end is the leaf, and what is counted. */
struct chain {
    struct flm_node command;
    size_t first, count; /* its frames, in the order of the line */
    double value;        /* < 0: unknown */
    double percent;      /* likewise */
    bool is_entry;       /* an entry without chains */
    uint64_t line;
    bool is_rounded; /* of 2^53 or more, and not exactly what is written */
};

/* The entry that chains belong to. */
struct entry {
    bool open;
    bool has_chains;
    struct flm_node command;
    double percent, samples; /* < 0: unknown */
    double found;            /* the sum of its chains */
    uint64_t line;
};

struct reading {
    struct flm_builder *builder;
    struct flm_error *why;
    uint64_t line;     /* the current one, from 1 */
    uint64_t bad_line; /* the first that was not understood; 0: none */
    bool has_stacks;

    /* The section of one event. */
    struct flm_text event;            /* its name, terminated */
    double sample_count, event_count; /* as perf prints them; < 0: missing */
    struct flm_text names;            /* the names of the columns: the line above the dots */
    struct column samples, command, module, symbol;
    struct entry entry;
    struct flm_text entry_symbol, entry_module;
    bool entry_is_kernel;
    size_t leaf_first, leaf_last; /* chains with the entry's symbol at that end only */

    struct FLM_ARRAY(struct chain) chains;
    struct FLM_ARRAY(struct flm_frame) frames;
};

static const char advice[] = "perf report --stdio --no-children -n -g folded,0,caller,count";

static void keep(struct reading *r, struct flm_text *text, struct flm_bytes bytes)
{
    text->size = 0;
    flm_text_add(text, bytes);
    if (text->failed)
        flm_builder_fail_memory(r->builder);
}

static void lose_line(struct reading *r)
{
    if (!r->bad_line)
        r->bad_line = r->line;
    flm_builder_lost(r->builder, "lines that are not perf report", "line", r->line, 1);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void add_frame(struct reading *r, const struct flm_frame_record *record)
{
    if (!FLM_ARRAY_ADD(&r->frames, flm_builder_frame(r->builder, record)))
        flm_builder_fail_memory(r->builder);
}

static void add_chain(struct reading *r, struct chain chain)
{
    if (!FLM_ARRAY_ADD(&r->chains, chain))
        flm_builder_fail_memory(r->builder);
}

static bool is_address(struct flm_bytes name)
{
    uint64_t address;
    return flm_bytes_are(name, "0") ||
           (flm_bytes_start_with(name, "0x") &&
            flm_number_parse_hex(flm_between(name.at + 2, name.at + name.size), &address));
}

/* A name of a chain. */
static void add_name(struct reading *r, struct flm_bytes name)
{
    static const char inlined[] = " (inlined)";
    struct flm_frame_record record = {0};
    if (flm_bytes_end_with(name, inlined)) {
        name.size -= sizeof inlined - 1;
        record.kind = FLM_KIND_INLINED;
    }
    if (is_address(name) || flm_bytes_are(name, "[unknown]"))
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    record.function = flm_builder_string(r->builder, name.at, name.size).index;
    add_frame(r, &record);
}

/* An entry without chains is a stack of its symbol only. The difference to the sum of its chains
 * was left out by perf: chains below the limit of -g. */
static void close_entry(struct reading *r)
{
    struct entry *e = &r->entry;
    if (!e->open)
        return;
    e->open = false;
    if (!e->has_chains) {
        struct flm_frame_record record = {
            .function =
                flm_builder_string(r->builder, r->entry_symbol.at, r->entry_symbol.size).index,
            .module =
                flm_builder_string(r->builder, r->entry_module.at, r->entry_module.size).index,
            .kind = r->entry_is_kernel ? FLM_KIND_KERNEL : FLM_KIND_NATIVE,
        };
        if (is_address((struct flm_bytes){r->entry_symbol.at, r->entry_symbol.size}))
            record.flags = FLM_FRAME_UNSYMBOLIZED;
        struct chain chain = {e->command, r->frames.count, 1,    e->samples, e->percent,
                              true,       e->line,         false};
        add_frame(r, &record);
        add_chain(r, chain);
    } else if (e->samples > e->found && e->found > 0) {
        flm_builder_lost(r->builder, "samples whose chains perf left out", "line", e->line,
                         e->samples - e->found);
    }
}

/* ---- The end of a section -------------------------------------------------------------------- */

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

/* Whether the chains have percentages; without chains, whether the entries have only those. */
static bool is_in_percent(const struct reading *r)
{
    bool chains = false, entries = false, has_chains = false;
    for (size_t i = 0; i < r->chains.count; i++) {
        has_chains |= !r->chains.at[i].is_entry;
        if (r->chains.at[i].value < 0)
            *(r->chains.at[i].is_entry ? &entries : &chains) = true;
    }
    return has_chains ? chains : entries;
}

/* Finds what the values count: the sum of whole numbers is nearer to the number of samples, or to
 * the sum of periods. */
static const char *unit_of(const struct reading *r, bool in_percent, const char *event)
{
    double sum = 0;
    if (in_percent)
        return "percent";
    for (size_t i = 0; i < r->chains.count; i++)
        sum += r->chains.at[i].value < 0 ? 0 : r->chains.at[i].value;
    if (r->event_count < 0 || r->sample_count < 0 ||
        distance(sum, r->sample_count) <= distance(sum, r->event_count))
        return "samples";
    return flm_perf_event_unit(flm_bytes_of(event));
}

static void add_chains(struct reading *r)
{
    bool in_percent = is_in_percent(r), is_leaf_first = r->leaf_first > r->leaf_last;
    const char *event = r->event.size > 0 ? r->event.at : "samples";
    struct flm_metric metric = flm_builder_metric(r->builder, event, unit_of(r, in_percent, event));
    for (size_t i = 0; i < r->chains.count && !flm_builder_failed(r->builder); i++) {
        const struct chain *c = &r->chains.at[i];
        struct flm_frame *frames = r->frames.at + c->first;
        double value = in_percent ? c->percent : c->value;
        if (value < 0) {
            flm_builder_lost(r->builder, "stacks with no such value as the others", "line", c->line,
                             1);
            continue;
        }
        if (is_leaf_first)
            flm_perf_frames_reverse(frames, c->count);
        flm_builder_rounded(r->builder, !in_percent && c->is_rounded);
        flm_builder_add(r->builder, flm_builder_descend(r->builder, c->command, frames, c->count),
                        metric, value);
    }
    r->has_stacks = true;
}

static void close_section(struct reading *r)
{
    close_entry(r);
    if (r->chains.count > 0 && !flm_builder_failed(r->builder))
        add_chains(r);
    r->chains.count = r->frames.count = r->leaf_first = r->leaf_last = 0;
    r->event.size = 0;
    r->sample_count = r->event_count = -1;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* 482, 12K, 3M: perf rounds the number of samples. < 0 for anything else. */
static double read_count(struct flm_bytes text)
{
    double scale = 1;
    struct flm_bytes digits = text;
    if (text.size > 1 && !flm_is_digit(text.at[text.size - 1])) {
        char unit = text.at[text.size - 1];
        scale = unit == 'K' ? 1e3 : unit == 'M' ? 1e6 : unit == 'G' ? 1e9 : -1;
        digits.size--;
    }
    uint64_t value;
    return flm_number_parse_uint(digits, &value) ? (double)value * scale : -1;
}

/* "482  of event 'cpu-clock'" */
static void open_section(struct reading *r, struct flm_bytes text)
{
    close_section(r);
    const char *end = text.at + text.size, *blank = flm_find(text.at, end, ' ');
    r->sample_count = read_count(flm_between(text.at, blank));
    const char *name = flm_find(blank, end, '\'');
    if (name == end)
        return;
    keep(r, &r->event, flm_between(name + 1, flm_find(name + 1, end, '\'')));
    flm_text_putc(&r->event, 0);
    if (r->event.failed)
        flm_builder_fail_memory(r->builder);
}

static struct flm_bytes cell(struct flm_bytes line, struct column column)
{
    size_t end = column.end < line.size ? column.end : line.size;
    if (column.start >= end)
        return (struct flm_bytes){"", 0};
    return flm_trimmed(line.at + column.start, line.at + end);
}

/* "........  ......": dots as wide as each column; the names are in the line above. */
static void read_columns(struct reading *r, struct flm_bytes dots)
{
    r->samples = r->command = r->module = r->symbol = (struct column){0};
    for (size_t at = 1; at < dots.size;) {
        size_t start = at;
        while (at < dots.size && dots.at[at] == '.')
            at++;
        if (at == start) {
            at++;
            continue;
        }
        struct column column = {start, at};
        struct flm_bytes name = cell((struct flm_bytes){r->names.at, r->names.size}, column);
        if (flm_bytes_are(name, "Samples"))
            r->samples = column;
        else if (flm_bytes_are(name, "Command"))
            r->command = column;
        else if (flm_bytes_are(name, "Shared Object"))
            r->module = column;
        else if (flm_bytes_are(name, "Symbol"))
            r->symbol = column;
    }
    if (r->symbol.end == dots.size) /* the last one may be longer than its dots */
        r->symbol.end = SIZE_MAX;
}

static bool read_comment(struct reading *r, struct flm_bytes line)
{
    static const char samples[] = "# Samples: ", events[] = "# Event count (approx.): ",
                      lost[] = "# Total Lost Samples: ";
    struct flm_bytes text = flm_trimmed(line.at + 1, line.at + line.size);
    const char *end = line.at + line.size;
    if (flm_bytes_start_with(line, samples)) {
        open_section(r, flm_trimmed(line.at + sizeof samples - 1, end));
    } else if (flm_bytes_start_with(line, events)) {
        r->event_count = read_count(flm_trimmed(line.at + sizeof events - 1, end));
    } else if (flm_bytes_start_with(line, lost)) {
        double count = read_count(flm_trimmed(line.at + sizeof lost - 1, end));
        if (count > 0)
            flm_builder_lost(r->builder, "samples that perf lost", "line", r->line, count);
    } else if (flm_bytes_start_with(text, "Children ")) {
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->line,
                              "a report with --children counts a sample for every caller: use %s",
                              advice);
    } else if (flm_bytes_start_with(text, "Overhead") && text.size > 8 && text.at[8] != ' ') {
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->line,
                              "the columns are separated by '%c': leave out -t", text.at[8]);
    } else if (flm_bytes_start_with(text, "....")) {
        read_columns(r, line);
    } else {
        flm_perf_comment_read(r->builder, line);
        keep(r, &r->names, line);
    }
    return true;
}

/* "34.44%" */
static bool read_percent(struct flm_bytes word, double *percent)
{
    if (word.size < 2 || word.at[word.size - 1] != '%')
        return false;
    word.size--;
    enum flm_number_kind kind = flm_number_parse(word, percent);
    return (kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL) && *percent >= 0;
}

/* "[.] main", and with -v "0x2777   D [.] main". */
static void read_symbol(struct reading *r, struct flm_bytes text)
{
    r->entry_is_kernel = false;
    for (size_t at = 0; at + 4 < text.size; at++) {
        if (text.at[at] != '[' || text.at[at + 2] != ']' || text.at[at + 3] != ' ')
            continue;
        r->entry_is_kernel = text.at[at + 1] == 'k';
        text = flm_between(text.at + at + 4, text.at + text.size);
        break;
    }
    keep(r, &r->entry_symbol, text);
}

static bool read_entry(struct reading *r, struct flm_bytes line)
{
    const char *end = line.at + line.size;
    struct flm_bytes text = flm_trimmed(line.at, end);
    struct entry entry = {.open = true, .samples = -1, .line = r->line};
    if (*text.at == '|' || flm_bytes_start_with(text, "--"))
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->line,
                              "the call chains are drawn, not folded: use %s", advice);
    struct flm_bytes word = flm_between(text.at, flm_find(text.at, end, ' '));
    if (!read_percent(word, &entry.percent)) {
        lose_line(r);
        return true;
    }
    close_entry(r);
    entry.command = flm_builder_root(r->builder);
    if (r->samples.end > 0)
        entry.samples = read_count(cell(line, r->samples));
    struct flm_bytes command = cell(line, r->command);
    uint32_t frame = command.size > 0
                         ? flm_interner_function(&r->builder->interner, command, FLM_KIND_LABEL)
                         : FLM_NONE;
    if (frame != FLM_NONE)
        entry.command = flm_builder_child(r->builder, entry.command, (struct flm_frame){frame});
    else if (command.size > 0)
        flm_builder_fail_memory(r->builder);
    read_symbol(r, cell(line, r->symbol));
    keep(r, &r->entry_module, cell(line, r->module));
    r->entry = entry;
    return true;
}

/* "166 main;parse", "34.44% main;parse" */
static bool read_chain(struct reading *r, struct flm_bytes line)
{
    const char *end = line.at + line.size, *blank = flm_find(line.at, end, ' ');
    struct flm_bytes word = flm_between(line.at, blank);
    struct flm_bytes names = flm_trimmed(blank, end);
    struct chain chain = {r->entry.command, r->frames.count, 0, -1, -1, false, r->line, false};
    uint64_t value;
    bool is_count = flm_number_parse_uint(word, &value);
    if ((!is_count && !read_percent(word, &chain.percent)) || names.size == 0 || !r->entry.open) {
        lose_line(r);
        return true;
    }
    if (is_count) {
        chain.value = (double)value;
        chain.is_rounded = flm_uint_is_rounded(value);
        r->entry.found += chain.value;
    }
    r->entry.has_chains = true;

    struct flm_bytes symbol = {r->entry_symbol.at, r->entry_symbol.size}, name = {0};
    bool is_first = false;
    for (const char *at = names.at; at <= end; at = name.at + name.size + 1) {
        name = flm_between(at, flm_find(at, names.at + names.size, ';'));
        add_name(r, name);
        if (chain.count++ == 0)
            is_first = flm_bytes_equal(name, symbol);
        if (name.at + name.size == names.at + names.size)
            break;
    }
    bool is_last = flm_bytes_equal(name, symbol);
    r->leaf_first += is_first && !is_last;
    r->leaf_last += is_last && !is_first;
    add_chain(r, chain);
    return true;
}

static bool read_line(struct reading *r, struct flm_bytes line)
{
    while (line.size > 0 && flm_is_blank(line.at[line.size - 1]))
        line.size--;
    if (line.size == 0)
        return true;
    if (line.at[0] == '#')
        return read_comment(r, line);
    return line.at[0] == ' ' ? read_entry(r, line) : read_chain(r, line);
}

static bool read_all(struct reading *r, struct flm_source *source)
{
    enum { REPORT_EVERY = 4 << 20 };
    uint64_t unreported = 0;
    size_t looked_at = 0; /* of the window that was searched for the end of the line */
    for (;;) {
        const char *newline = flm_find(source->at + looked_at, source->end, '\n');
        if (newline == source->end && !source->last) {
            looked_at = (size_t)(newline - source->at);
            if (!flm_source_more(source, r->why))
                return false;
            continue;
        }
        looked_at = 0;
        if (source->at == source->end || flm_builder_failed(r->builder))
            break;
        r->line++;
        if (!read_line(r, flm_between(source->at, newline)))
            return false;
        const char *next = newline < source->end ? newline + 1 : newline;
        unreported += (uint64_t)(next - source->at);
        source->at = next;
        if (unreported > REPORT_EVERY) {
            if (!flm_source_progress(source, unreported, r->why))
                return false;
            unreported = 0;
        }
    }
    close_section(r);
    if (flm_builder_failed(r->builder) || r->has_stacks)
        return flm_source_progress(source, unreported, r->why); /* the builder has the error */
    if (r->bad_line)
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->bad_line,
                              "this is not an entry of perf report, and no other line is one: "
                              "use %s",
                              advice);
    return flm_error_set(r->why, FLM_ERROR_FORMAT, "it has no stacks: use %s", advice);
}

static bool read_report(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    (void)options;
    struct reading r = {.builder = builder, .why = why, .sample_count = -1, .event_count = -1};
    bool good = read_all(&r, source);
    flm_text_clear(&r.event);
    flm_text_clear(&r.names);
    flm_text_clear(&r.entry_symbol);
    flm_text_clear(&r.entry_module);
    FLM_ARRAY_CLEAR(&r.chains);
    FLM_ARRAY_CLEAR(&r.frames);
    return good;
}

/* ---- Recognizing ----------------------------------------------------------------------------- */

/* "    34.44%  166  work": an entry; "166 main;parse" after it: its chain. */
static bool is_entry(struct flm_bytes line)
{
    double percent;
    const char *end = line.at + line.size;
    struct flm_bytes text = flm_trimmed(line.at, end);
    return line.size > 0 && line.at[0] == ' ' &&
           read_percent(flm_between(text.at, flm_find(text.at, text.at + text.size, ' ')),
                        &percent);
}

static bool is_chain(struct flm_bytes line)
{
    uint64_t value;
    double percent;
    const char *end = line.at + line.size, *blank = flm_find(line.at, end, ' ');
    struct flm_bytes word = flm_between(line.at, blank);
    return blank < end && (flm_number_parse_uint(word, &value) || read_percent(word, &percent));
}

static int sniff_report(struct flm_bytes head, bool whole)
{
    bool samples = false, overhead = false, entry = false, chain = false;
    const char *end = head.at + head.size;
    (void)whole;
    for (const char *at = head.at, *next; at < end && !chain; at = next < end ? next + 1 : end) {
        next = flm_find(at, end, '\n');
        struct flm_bytes line = flm_between(at, next);
        samples |= flm_bytes_start_with(line, "# Samples: ");
        overhead |=
            flm_bytes_start_with(line, "# Overhead") || flm_bytes_start_with(line, "# Children");
        chain = entry && is_chain(line);
        entry = is_entry(line);
        if (line.size > 0 && line.at[0] != '#' && !entry)
            break;
    }
    return samples && overhead   ? FLM_SNIFF_SURE + 5
           : chain               ? FLM_SNIFF_LIKELY + 10
           : samples || overhead ? FLM_SNIFF_MIXED
                                 : FLM_SNIFF_NO;
}

const struct flm_format flm_format_perf_report = {
    .name = "perf-report",
    .title = "perf report",
    .extensions = "",
    .description = "the text of perf report --stdio --no-children -n -g folded,0,caller,count",
    .sniff = sniff_report,
    .read = read_report,
};
