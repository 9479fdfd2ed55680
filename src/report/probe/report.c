/* report.c - the report of a program that measured itself: a section for each signal. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "report/core/blocks.h"
#include "report/probe/parts.h"
#include "report/probe/sections.h"
#include "report/probe/thread_section.h"

struct maker {
    struct flm_report *report;
    const struct flm_report_options *options;
    const struct flm_measures *measures;
    const struct flm_probe_decoded *decoded;
    const double *percentiles;
    uint32_t percentile_count;
    uint32_t *rows, *scratch; /* sites of the section, in order */
    unsigned char *is_twice;  /* by row: another one has its name */
    const struct flm_probe_stacks *stacks;
    const char *command; /* of CSV: the first column; NULL: there is none */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

static const struct flm_section_column *order_column(const struct flm_section *section)
{
    return &section->columns[section->order];
}

static double order_value(const struct maker *m, const struct flm_section *section, uint32_t site)
{
    double value;
    flm_section_value(m->measures, site, order_column(section), 0, &value);
    return value;
}

/* Something was measured: a site that was only named is no row. */
static bool is_row(const struct maker *m, const struct flm_section *section, uint32_t site)
{
    const struct flm_measure *measure = &m->measures->site[site];
    if (section->needs_order)
        return order_value(m, section, site) > 0;
    bool any = measure->calls > 0 || measure->total > 0;
    for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++)
        any |= measure->value[v] > 0;
    for (uint32_t q = 0; q < FLM_PROBE_QUANTITIES; q++)
        any |= measure->meter[q] != NULL;
    return any;
}

struct order {
    const struct maker *maker;
    const struct flm_section *section;
};

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct order *order = context;
    double x = order_value(order->maker, order->section, a),
           y = order_value(order->maker, order->section, b);
    return x > y ? -1 : x < y ? 1 : a < b ? -1 : a > b;
}

static uint32_t find_rows(struct maker *m, const struct flm_section *section)
{
    uint32_t count = 0;
    for (uint32_t site = section->has_outside ? 0 : 1; site <= m->decoded->site_count; site++) {
        bool fits = site == 0 || (section->kinds & (1u << m->decoded->sites[site].kind)) != 0;
        if (fits && is_row(m, section, site))
            m->rows[count++] = site;
    }
    struct order order = {m, section};
    flm_sort(m->rows, count, m->scratch, compare, &order);
    return count;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static struct flm_bytes unit_of(const struct flm_section_column *column)
{
    static const char *const units[] = {[FLM_IN_COUNTS] = "",
                                        [FLM_IN_NS] = "ns",
                                        [FLM_IN_BYTES] = "bytes",
                                        [FLM_IN_NUMBERS] = "",
                                        [FLM_IN_NO_UNIT] = ""};
    return flm_bytes_of(units[column->unit]);
}

/* How often a column of the section stands in the table. */
static uint32_t times(const struct maker *m, const struct flm_section_column *column)
{
    return column->source == FLM_OF_METER_PERCENTILES ? m->percentile_count : 1;
}

/* "p95", "held_p99.9", with the unit of times for programs: "total_ns". */
static const char *column_name(const struct maker *m, const struct flm_section_column *column,
                               uint32_t i, bool is_heading)
{
    struct flm_text text = {0};
    flm_text_puts(&text, is_heading ? column->heading : column->name);
    if (column->source == FLM_OF_METER_PERCENTILES) {
        char digits[FLM_NUMBER_SIZE];
        flm_text_putc(&text, 'p');
        flm_text_add(&text,
                     (struct flm_bytes){digits, flm_number_print(m->percentiles[i], digits)});
    }
    if (!is_heading && column->unit == FLM_IN_NS)
        flm_text_puts(&text, "_ns");
    m->report->failed |= text.failed;
    const char *name = flm_report_keep(m->report, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    return name;
}

static bool is_text(const struct flm_section_column *column)
{
    return column->source == FLM_OF_OPERATION;
}

/* A column without values is hidden from people. The last value of a gauge is one even if
 * it is 0. */
static bool has_any(const struct maker *m, const struct flm_section_column *column, uint32_t i,
                    uint32_t count)
{
    bool counts_zero = column->source == FLM_OF_METER_LAST;
    if (is_text(column) || column->source == FLM_OF_CALLS || column->source == FLM_OF_SUCCESSES)
        return true;
    for (uint32_t row = 0; row < count; row++) {
        double value;
        if (flm_section_value(m->measures, m->rows[row], column, m->percentiles[i], &value) &&
            (value != 0 || counts_zero))
            return true;
    }
    return false;
}

static double whole_of(const struct maker *m, const struct flm_section_column *column,
                       uint32_t count)
{
    double whole = 0, value;
    if (column->whole == FLM_OF_ELAPSED)
        return m->measures->elapsed;
    for (uint32_t row = 0; row < count; row++)
        if (flm_section_value(m->measures, m->rows[row], column, 0, &value))
            whole += value;
    return whole;
}

static void add_view(const struct maker *m, const struct flm_section_column *column, uint32_t i,
                     size_t at)
{
    flm_report_add_view(m->report,
                        (struct flm_report_view){
                            .heading = column_name(m, column, i, true),
                            .column = at,
                            .format = is_text(column) ? FLM_VIEW_AS_TEXT : FLM_VIEW_AS_ANY_QUANTITY,
                            .kind = is_text(column) ? FLM_COLUMN_TEXT : FLM_COLUMN_NUMBER,
                            .leave_out = column->leave_out,
                            .unit = unit_of(column)});
}

enum { NAME_COLUMN, FILE_COLUMN, LINE_COLUMN, SEEN_COLUMN, FIRST_COLUMN };

static void add_columns(const struct maker *m, const struct flm_section *section, uint32_t count)
{
    size_t at = FIRST_COLUMN;
    flm_report_add_column(m->report, "name", FLM_IN_JSON);
    flm_report_add_column(m->report, "file", FLM_IN_JSON);
    flm_report_add_column(m->report, "line", FLM_IN_JSON);
    flm_report_add_column(m->report, "seen", 0);
    for (const struct flm_section_column *column = section->columns; column->source; column++)
        for (uint32_t i = 0; i < times(m, column); i++, at++) {
            flm_report_add_literal_column(m->report, column_name(m, column, i, false), FLM_IN_JSON);
            bool is_seen = has_any(m, column, i, count);
            if (is_seen)
                add_view(m, column, i, at);
            double whole = is_seen && column->whole ? whole_of(m, column, count) : 0;
            if (whole > 0)
                flm_report_add_view(m->report,
                                    (struct flm_report_view){.heading = "",
                                                             .column = at,
                                                             .format = FLM_VIEW_AS_PERCENT,
                                                             .kind = FLM_COLUMN_NUMBER,
                                                             .leave_out = 1,
                                                             .whole = whole});
        }
    flm_report_add_view(m->report, (struct flm_report_view){.heading = section->rows,
                                                            .column = SEEN_COLUMN,
                                                            .kind = FLM_COLUMN_NAME});
}

/* ---- Names ----------------------------------------------------------------------------------- */

static struct flm_bytes name_of(const struct maker *m, uint32_t site)
{
    return site > 0 ? flm_probe_site_name(m->decoded, site) : flm_bytes_of("(in no scope)");
}

/* They show as the same thing. */
static bool is_named_alike(const struct maker *m, uint32_t a, uint32_t b)
{
    return flm_bytes_equal(name_of(m, a), name_of(m, b)) &&
           m->decoded->sites[a].operation == m->decoded->sites[b].operation;
}

static bool find_twice(const struct maker *m, uint32_t shown, struct flm_error *why)
{
    struct flm_index known = {0};
    bool good = true;
    memset(m->is_twice, 0, shown);
    for (uint32_t row = 0; row < shown && good; row++) {
        struct flm_bytes name = name_of(m, m->rows[row]);
        uint32_t hash = (uint32_t)flm_hash(name.at, name.size);
        for (struct flm_probe at = flm_index_probe(&known, hash);
             flm_index_next(&known, &at) && !m->is_twice[row];)
            if (is_named_alike(m, m->rows[at.found], m->rows[row]))
                m->is_twice[row] = m->is_twice[at.found] = 1;
        good = m->is_twice[row] || flm_index_add(&known, hash, row);
    }
    flm_index_clear(&known);
    return good || flm_error_memory(why);
}

static bool has_operations(const struct flm_section *section)
{
    return is_text(&section->columns[0]);
}

/* "mutex cache", "held by reload [worker]": what it is, where the rows are not all of a kind. */
static struct flm_text *add_seen(const struct maker *m, const struct flm_section *section,
                                 uint32_t site)
{
    struct flm_text *seen = flm_report_cell_text(m->report);
    const struct flm_probe_site *of = &m->decoded->sites[site];
    const char *operation = site == 0                      ? ""
                            : of->kind == FLM_PROBE_HOLDER ? "held by"
                            : of->kind == FLM_PROBE_SCOPE
                                ? ""
                                : flm_probe_operation_name((enum flm_probe_operation)of->operation);
    if (*operation && !has_operations(section))
        flm_text_format(seen, "%s ", operation);
    flm_text_add(seen, name_of(m, site));
    return seen;
}

/* With its place where another one has the same name. */
static void add_names(const struct maker *m, const struct flm_section *section, uint32_t row)
{
    uint32_t site = m->rows[row];
    const struct flm_probe_text *text = &m->decoded->texts[site];
    flm_report_cell_bytes(m->report, name_of(m, site));
    if (site > 0 && text->file.size > 0) {
        flm_report_cell_bytes(m->report, text->file);
        flm_report_cell_number(m->report, m->decoded->sites[site].line);
    } else {
        flm_report_cell_absent(m->report);
        flm_report_cell_absent(m->report);
    }
    struct flm_text *seen = add_seen(m, section, site);
    if (site > 0 && text->file.size > 0 && m->is_twice[row])
        flm_text_format(seen, " (%.*s:%u)", (int)flm_path_end(text->file).size,
                        flm_path_end(text->file).at, m->decoded->sites[site].line);
}

/* ---- Sections -------------------------------------------------------------------------------- */

static void add_cell(const struct maker *m, uint32_t site, const struct flm_section_column *column,
                     uint32_t i)
{
    double value;
    if (is_text(column))
        flm_report_cell_bytes(m->report,
                              flm_bytes_of(flm_probe_operation_name(
                                  (enum flm_probe_operation)m->decoded->sites[site].operation)));
    else if (flm_section_value(m->measures, site, column, m->percentiles[i], &value))
        flm_report_cell_number(m->report, value);
    else
        flm_report_cell_absent(m->report);
}

static void add_rows(const struct maker *m, const struct flm_section *section, uint32_t shown)
{
    for (uint32_t row = 0; row < shown; row++) {
        flm_report_begin_row(m->report, 0, FLM_IN_PEOPLES | FLM_IN_JSON);
        add_names(m, section, row);
        for (const struct flm_section_column *column = section->columns; column->source; column++)
            for (uint32_t i = 0; i < times(m, column); i++)
                add_cell(m, m->rows[row], column, i);
    }
}

/* What the memory section does not tell, where no stacks follow that say so. */
static void add_memory_hint(const struct maker *m)
{
    const struct flm_probe_activity *memory = &m->decoded->header.activity[FLM_PROBE_MEMORY];
    if (memory->state == FLM_PROBE_ACTIVE && memory->rate != 1 && m->stacks->rows.count == 0)
        flm_text_puts(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                      m->options->for_command
                          ? "--with leaks shows what is not freed, by the stack that allocated it"
                          : "FLAMEL=leaks shows what is not freed, by the stack that allocated it");
}

/* Differences between rows that have a few samples each are chance. */
static void add_cpu_samples(const struct maker *m)
{
    enum { FEW = 100 };
    uint64_t samples = m->decoded->header.activity[FLM_PROBE_CPU_TIME].samples;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_count_add(line, samples);
    flm_text_puts(line, samples == 1 ? " sample" : " samples");
    if (samples < FEW)
        flm_text_puts(line, ", which are few to compare by: let it run longer");
}

static bool add_section(struct maker *m, const struct flm_section *section, struct flm_error *why)
{
    uint32_t count = find_rows(m, section);
    if (count == 0)
        return true;
    uint32_t most = m->options->rows, shown = most > 0 && most < count ? most : count;
    if (!find_twice(m, shown, why))
        return false;
    flm_report_begin_section(m->report, section->name, section->detail, true);
    flm_report_begin_table(m->report, section->name, FLM_IN_PEOPLES | FLM_IN_JSON, false);
    add_columns(m, section, count);
    add_rows(m, section, shown);
    if (shown < count)
        flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                        "%u more (%s)", count - shown, flm_probe_all_rows(m->options));
    if (section->activity == FLM_PROBE_MEMORY)
        add_memory_hint(m);
    if (section->activity == FLM_PROBE_CPU_TIME)
        add_cpu_samples(m);
    flm_report_end_section(m->report);
    return true;
}

/* ---- As CSV: a row for each number ----------------------------------------------------------- */

static void add_csv_rows(struct maker *m, const struct flm_section *section)
{
    uint32_t count = find_rows(m, section), most = m->options->rows;
    for (uint32_t row = 0; row < count && (most == 0 || row < most); row++)
        for (const struct flm_section_column *column = section->columns; column->source; column++)
            for (uint32_t i = 0; i < times(m, column); i++) {
                double value;
                uint32_t site = m->rows[row];
                if (is_text(column) ||
                    !flm_section_value(m->measures, site, column, m->percentiles[i], &value))
                    continue;
                flm_report_begin_row(m->report, 0, FLM_IN_CSV);
                if (m->command)
                    flm_report_cell_bytes(m->report, flm_bytes_of(m->command));
                flm_report_cell_bytes(m->report, flm_bytes_of(section->name));
                flm_report_cell_bytes(m->report, name_of(m, site));
                flm_report_cell_bytes(
                    m->report, flm_bytes_of(flm_probe_operation_name(
                                   (enum flm_probe_operation)m->decoded->sites[site].operation)));
                flm_report_cell_bytes(m->report, flm_bytes_of(column_name(m, column, i, false)));
                flm_report_cell_number(m->report, value);
            }
}

void flm_report_begin_probe_csv(struct flm_report *report, const char *first)
{
    static const char *const names[] = {"section", "name", "operation", "measure", "value"};
    flm_report_begin_table(report, "csv", FLM_IN_CSV, false);
    if (first)
        flm_report_add_column(report, first, FLM_IN_CSV);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        flm_report_add_column(report, names[i], FLM_IN_CSV);
}

/* ---- What was measured ----------------------------------------------------------------------- */

static const char *const signal_names[FLM_PROBE_SIGNALS] = {
    [FLM_PROBE_TIME] = "time",      [FLM_PROBE_MEMORY] = "memory",  [FLM_PROBE_CPU_TIME] = "cpu",
    [FLM_PROBE_LOCKS] = "locks",    [FLM_PROBE_IO] = "io",          [FLM_PROBE_THREADS] = "threads",
    [FLM_PROBE_STATEMENTS] = "sql", [FLM_PROBE_TRANSFERS] = "http", [FLM_PROBE_FREEING] = "frees",
};

static struct flm_bytes reason_of(const struct maker *m, const struct flm_probe_activity *activity)
{
    return flm_probe_text_at(m->decoded, activity->reason, activity->reason_size);
}

/* A signal that was asked for and is not there is said; the others are only facts. */
static void add_activity(const struct maker *m)
{
    flm_report_begin(m->report, "measured", FLM_JSON_OBJECT_LINE);
    for (uint32_t i = 0; i < FLM_PROBE_SIGNALS; i++)
        if (signal_names[i])
            flm_report_add_bool(m->report, signal_names[i],
                                m->decoded->header.activity[i].state == FLM_PROBE_ACTIVE);
    flm_report_end(m->report);
    flm_report_begin(m->report, "notes", FLM_JSON_OBJECT_LINE);
    for (uint32_t i = 0; i < FLM_PROBE_SIGNALS; i++) {
        struct flm_bytes reason = reason_of(m, &m->decoded->header.activity[i]);
        if (signal_names[i] && reason.size > 0)
            flm_report_add_text(m->report, signal_names[i], reason);
    }
    flm_report_end(m->report);
    for (uint32_t i = 0; i < FLM_PROBE_SIGNALS; i++) {
        const struct flm_probe_activity *activity = &m->decoded->header.activity[i];
        struct flm_bytes reason = reason_of(m, activity);
        if (i == FLM_PROBE_TIME && activity->state == FLM_PROBE_ACTIVE && reason.size > 0)
            flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                            "time: %.*s", (int)reason.size, reason.at);
        if (activity->state != FLM_PROBE_NOT_POSSIBLE || !signal_names[i])
            continue;
        flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                        i == FLM_PROBE_FREEING ? "%s are not measured: %.*s"
                                               : "%s is not measured: %.*s",
                        signal_names[i], (int)reason.size, reason.at);
    }
}

static void add_losses(const struct maker *m)
{
    const struct flm_probe_decoded *d = m->decoded;
    const struct {
        const char *key, *what;
        uint64_t count;
    } losses[] = {
        {"scopes_left",
         "scopes were left without an end, by a jump or with their thread, and are not counted",
         d->left},
        {"scopes_too_deep", "scopes were in more than 256 others, and are not counted",
         d->lost_depth},
        {"scopes_without_room", "scopes are not counted: the file had no room", d->lost_room},
        {"values_without_room",
         "values are not counted: no numbers, too large, or the file had no room", d->lost_values},
        {"scopes_in_handlers", "scopes of signal handlers are not counted", d->lost_busy},
        {"threads_without_room", "threads are not measured: the file had no room",
         d->header.lost_threads},
        {"calls_before_start",
         "calls of locks and files are not counted: a child process is measured from its 32nd on",
         d->header.lost_calls},
        {"processes_without_file",
         "child processes are not measured: they may not write their files where FLAMEL says",
         d->header.lost_processes},
    };
    flm_report_begin(m->report, "lost", FLM_JSON_OBJECT_LINE);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0)
            flm_report_add_number(m->report, losses[i].key, (double)losses[i].count);
    flm_report_end(m->report);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0)
            flm_text_format(flm_report_add_line(m->report, FLM_IN_PEOPLES, i == 0, FLM_TONE_ACCENT),
                            "%llu %s", (unsigned long long)losses[i].count, losses[i].what);
}

/* Its first line, and no more than fits. */
static void add_command(struct flm_text *line, struct flm_bytes command)
{
    enum { MOST = 100 };
    size_t size = 0;
    while (size < command.size && size < MOST && command.at[size] != '\n')
        size++;
    flm_text_add(line, (struct flm_bytes){command.at, size});
    flm_text_puts(line, size < command.size ? " ..." : "");
}

/* "app 4711: 15.6 s in 4 threads; a scope costs 25 ns, which is taken out" */
static void add_head(const struct maker *m, bool is_first)
{
    const struct flm_probe_header *header = &m->decoded->header;
    struct flm_bytes command = flm_probe_text_at(m->decoded, header->command, header->command_size);
    uint32_t threads = 0;
    for (size_t i = 0; i < m->decoded->threads.count; i++)
        threads += m->decoded->threads.at[i].threads;
    double cost =
        flm_probe_ns(m->decoded, ((double)header->inside_cost + header->outside_cost) / 256);

    uint32_t processes = m->decoded->processes;
    if (m->options->source)
        flm_report_add_text(m->report, "file", flm_bytes_of(m->options->source));
    flm_report_add_text(m->report, "command", command);
    flm_report_add_number(m->report, "processes_count", processes);
    flm_report_add_number(m->report, "pid", header->pid);
    flm_report_add_bool(m->report, "has_ended", header->state == FLM_PROBE_ENDED);
    flm_report_add_number(m->report, "elapsed_ns", m->measures->elapsed);
    flm_report_add_number(m->report, "threads_count", threads);
    flm_report_add_number(m->report, "scope_cost_ns", cost);
    flm_report_add_number(m->report, "timed_of", header->timed_of);
    flm_report_add_number(m->report, "open_scopes", (double)m->decoded->open);

    struct flm_text *line =
        flm_report_add_line(m->report, FLM_IN_PEOPLES, !is_first, FLM_TONE_STRONG);
    add_command(line, processes == 1 ? command : flm_probe_program(m->decoded));
    if (processes == 1)
        flm_text_format(line, " %u: ", header->pid);
    else
        flm_text_format(line, ", %u processes: ", processes);
    flm_quantity_add(line, m->measures->elapsed, flm_bytes_of("ns"));
    flm_text_format(line, " in %u thread%s; a scope costs ", threads, threads == 1 ? "" : "s");
    flm_quantity_add(line, cost, flm_bytes_of("ns"));
    flm_text_puts(line, ", which is taken out");
    if (header->timed_of > 1)
        flm_text_format(line, "; one call of %u was timed", header->timed_of);
    else if (header->timed_of == 0)
        flm_text_puts(line, "; calls were counted only");
    if (header->state != FLM_PROBE_ENDED)
        flm_text_puts(line, "; it has not ended, or was killed");
}

/* The memory that rows are sorted in; false, and `why`: there is none. */
static bool maker_init(struct maker *m, struct flm_report *report,
                       const struct flm_measures *measures,
                       const struct flm_report_options *options, struct flm_error *why)
{
    static const double usual[] = {95};
    size_t room = (size_t)measures->decoded->site_count + 1;
    *m = (struct maker){.report = report,
                        .options = options,
                        .measures = measures,
                        .decoded = measures->decoded,
                        .percentiles = options->percentiles ? options->percentiles : usual,
                        .percentile_count = options->percentiles ? options->percentile_count : 1,
                        .rows = malloc(room * sizeof(uint32_t)),
                        .scratch = malloc(room * sizeof(uint32_t)),
                        .is_twice = malloc(room)};
    return (m->rows && m->scratch && m->is_twice) || flm_error_memory(why);
}

static void maker_clear(struct maker *m)
{
    free(m->rows);
    free(m->scratch);
    free(m->is_twice);
}

bool flm_report_add_probe(struct flm_report *report, const struct flm_measures *measures,
                          const struct flm_probe_stacks *stacks,
                          const struct flm_report_options *options, bool is_first,
                          struct flm_error *why)
{
    struct maker m;
    bool good = maker_init(&m, report, measures, options, why);
    m.stacks = stacks;
    if (good) {
        add_head(&m, is_first);
        add_activity(&m);
        for (size_t i = 0; i < flm_section_count && good; i++)
            good = add_section(&m, &flm_sections[i], why);
        flm_report_add_stacks(report, stacks, options);
        flm_report_add_threads(report, measures, options->rows);
        add_losses(&m);
    }
    maker_clear(&m);
    return good;
}

bool flm_report_add_probe_csv(struct flm_report *report, const struct flm_measures *measures,
                              const struct flm_probe_stacks *stacks,
                              const struct flm_report_options *options, const char *command,
                              struct flm_error *why)
{
    struct maker m;
    bool good = maker_init(&m, report, measures, options, why);
    m.command = command;
    for (size_t i = 0; good && i < flm_section_count; i++)
        add_csv_rows(&m, &flm_sections[i]);
    if (good)
        flm_report_add_stacks_csv(report, stacks, options, command);
    maker_clear(&m);
    return good;
}

struct flm_report *flm_report_probe(const void *bytes, size_t size,
                                    const struct flm_report_options *options, struct flm_error *why)
{
    struct flm_report_options o;
    struct flm_probe_decoded decoded;
    struct flm_measures measures = {0};
    struct flm_probe_stacks stacks = {0};
    struct flm_report *report = NULL;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_report_options", why))
        return NULL;
    bool good = flm_probe_decode(&decoded, (struct flm_bytes){bytes, size}, why) &&
                flm_probe_name_sites(&decoded, &o, 0, why) &&
                flm_probe_stacks_add(&stacks, &decoded, &o, 0, why) &&
                flm_measures_make(&measures, &decoded, why) && (report = flm_report_new(why));
    if (good) {
        good = flm_report_add_probe(report, &measures, &stacks, &o, true, why);
        flm_report_begin_probe_csv(report, NULL);
        good = good && flm_report_add_probe_csv(report, &measures, &stacks, &o, NULL, why);
        if (!good)
            flm_report_free(report);
        report = good ? flm_report_finish(report, why) : NULL;
    }
    flm_measures_clear(&measures);
    flm_probe_stacks_clear(&stacks);
    flm_probe_decoded_clear(&decoded);
    return report;
}
