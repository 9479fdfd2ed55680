/* annotate.c - the lines of a profile with their costs: the hottest ones of all, and those of a
 * function beside their text. */
#include "flamel/annotate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/line_costs.h"
#include "algebra/operation/pattern.h"
#include "base/core/sort.h"
#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "report/profile/annotate_code.h"
#include "report/profile/internal.h"
#include "report/profile/sources.h"

struct annotating {
    struct flm_report *report;
    const struct flm_report_source *source;
    const struct flm_annotate_options *options;
    struct flm_line_costs costs;
    unsigned char *marks; /* by frame: it counts */
    struct flm_annotating_code code;
    struct flm_error *why;
};

static struct flm_bytes text_of(const struct annotating *a, uint32_t string)
{
    return flm_string_bytes(a->source->profile, string);
}

/* ---- For programs: all lines ----------------------------------------------------------------- */

enum {
    FUNCTION,
    MODULE,
    FILE_NAME,
    LINE,
    SELF,
    SELF_PERCENT,
    TOTAL,
    TOTAL_PERCENT,
    TEXT,
    PLACE,
    SEEN_LINE
};

static void add_columns(const struct annotating *a, unsigned forms)
{
    flm_report_add_function_columns(a->report);
    flm_report_add_column(a->report, "line", forms & FLM_IN_PROGRAMS);
    flm_report_add_column(a->report, "self", forms & FLM_IN_PROGRAMS);
    flm_report_add_percent_column(a->report, "self_percent", forms & FLM_IN_CSV);
    flm_report_add_column(a->report, "total", forms & FLM_IN_PROGRAMS);
    flm_report_add_percent_column(a->report, "total_percent", forms & FLM_IN_CSV);
    flm_report_add_literal_column(a->report, "source", forms & FLM_IN_PROGRAMS);
    flm_report_add_column(a->report, "place", 0);
    flm_report_add_column(a->report, "seen_line", 0);
}

static void add_cost(const struct annotating *a, double self, double total)
{
    flm_report_cell_number(a->report, self);
    flm_report_cell_number(a->report, flm_report_percent(a->source, self));
    flm_report_cell_number(a->report, total);
    flm_report_cell_number(a->report, flm_report_percent(a->source, total));
}

void flm_annotate_add_source(struct flm_text *to, struct flm_bytes line)
{
    size_t column = 0;
    for (size_t i = 0; i < line.size; i++) {
        if (line.at[i] == '\t') {
            size_t blanks = 8 - column % 8;
            for (size_t k = 0; k < blanks; k++)
                flm_text_putc(to, ' ');
            column += blanks;
        } else {
            flm_text_putc(to, line.at[i]);
            column += ((unsigned char)line.at[i] & 0xC0) != 0x80;
        }
    }
}

/* "src/table.c:101"; of a line that is not known, the file. */
static void add_place(const struct annotating *a, struct flm_text *to,
                      const struct flm_line_cost *line)
{
    struct flm_bytes file = text_of(a, line->file);
    flm_text_add(to, file);
    if (line->line > 0)
        flm_text_format(to, file.size > 0 ? ":%u" : "line %u", line->line);
    else if (file.size == 0)
        flm_text_puts(to, "line not known");
}

/* As people see it, without separators: an editor takes it. */
static void add_number(const struct annotating *a, uint32_t line)
{
    struct flm_text *cell = flm_report_cell_text(a->report);
    if (line > 0)
        flm_text_format(cell, "%u", line);
}

static void add_line(const struct annotating *a, const struct flm_line_cost *line, unsigned forms,
                     struct flm_bytes text)
{
    flm_report_begin_row(a->report, 0, forms);
    flm_report_cell_bytes(a->report, text_of(a, line->function));
    flm_report_cell_bytes(a->report, text_of(a, line->module));
    flm_report_cell_bytes(a->report, text_of(a, line->file));
    if (line->line > 0)
        flm_report_cell_number(a->report, line->line);
    else
        flm_report_cell_null(a->report);
    add_cost(a, line->self, line->total);
    if (text.at)
        flm_annotate_add_source(flm_report_cell_text(a->report), text);
    else
        flm_report_cell_null(a->report);
    add_place(a, flm_report_cell_text(a->report), line);
    add_number(a, line->line);
}

/* ---- The hottest lines ----------------------------------------------------------------------- */

static void add_hidden(const struct annotating *a, const char *what, const char *one, size_t hidden,
                       double self)
{
    flm_report_begin(a->report, "hidden", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(a->report, what, (double)hidden);
    flm_report_add_number(a->report, "self", self);
    flm_report_end(a->report);
    if (hidden == 0)
        return;
    struct flm_text *line = flm_report_add_line(a->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_puts(line, "and ");
    flm_count_add(line, hidden);
    flm_text_puts(line, " more ");
    flm_text_puts(line, hidden == 1 ? one : what);
    flm_text_puts(line, ", ");
    flm_percent_add(line, self, a->source->whole);
    flm_text_puts(line, " of self");
}

/* Where no line is known of anything, what to do. */
static void add_advice(const struct annotating *a)
{
    bool known = false;
    for (size_t i = 0; i < a->costs.count; i++)
        known |= a->costs.line[i].line > 0;
    if (known || a->source->whole == 0)
        return;
    struct flm_text *line = flm_report_add_line(a->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(line, a->costs.count == 0
                            ? "What was asked for costs nothing in this metric"
                            : "No line is known. Of a recording: compile with -g, or install the "
                              "debug information, and record again");
}

static bool make_lines(struct annotating *a)
{
    enum { LEAVE_FUNCTION = 2, LEAVE_TOTAL };
    uint32_t *order = malloc((a->costs.count + 1) * sizeof *order);
    if (!order || !flm_line_costs_sort(&a->costs, order)) {
        free(order);
        return flm_error_memory(a->why);
    }
    flm_report_add_source(a->report, a->source, "lines");
    flm_report_begin_table(a->report, "lines", a->costs.count ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    add_columns(a, FLM_IN_PROGRAMS);
    flm_report_add_source_view(a->report, a->source, "self", SELF, FLM_VIEW_AS_QUANTITY,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, a->source, "", SELF, FLM_VIEW_AS_PERCENT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, a->source, "total", TOTAL, FLM_VIEW_AS_QUANTITY,
                               FLM_COLUMN_NUMBER, LEAVE_TOTAL);
    flm_report_add_source_view(a->report, a->source, "line", PLACE, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_PATH, 0);
    flm_report_add_source_view(a->report, a->source, "function", FUNCTION, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_NAME, LEAVE_FUNCTION);
    size_t rows = a->options->rows,
           shown = rows > 0 && rows < a->costs.count ? rows : a->costs.count;
    double hidden = 0;
    for (size_t i = 0; i < a->costs.count; i++) {
        const struct flm_line_cost *line = &a->costs.line[order[i]];
        if (i < shown)
            add_line(a, line, FLM_IN_ALL, (struct flm_bytes){NULL, 0});
        else
            hidden += line->self;
    }
    add_hidden(a, "lines", "line", a->costs.count - shown, hidden);
    add_advice(a);
    free(order);
    return true;
}

/* ---- Functions with their source ------------------------------------------------------------- */

/* {NULL, 0}: the file has no such line, or is not there. */
static struct flm_bytes line_of(const struct flm_source_text *file, uint32_t number)
{
    bool is_there = file->lines && number > 0 && number <= file->lines->count;
    return is_there ? flm_line_index_get(file->lines, number) : (struct flm_bytes){NULL, 0};
}

/* A line without a cost, beside those that have one. */
static void add_context(const struct annotating *a, uint32_t number, struct flm_bytes text)
{
    flm_report_begin_row(a->report, 0, FLM_IN_PEOPLES);
    for (int i = FUNCTION; i < LINE; i++)
        flm_report_cell_absent(a->report);
    flm_report_cell_number(a->report, number);
    for (int i = SELF; i < TEXT; i++)
        flm_report_cell_absent(a->report);
    flm_annotate_add_source(flm_report_cell_text(a->report), text);
    flm_report_cell_tone(a->report, FLM_TONE_MUTED);
    flm_report_cell_absent(a->report);
    add_number(a, number);
}

/* "... 12 lines" in place of lines far from a cost. */
static void add_gap(const struct annotating *a, uint32_t count)
{
    flm_report_begin_row(a->report, 0, FLM_IN_PEOPLES);
    for (int i = FUNCTION; i < TEXT; i++)
        flm_report_cell_absent(a->report);
    struct flm_text *text = flm_report_cell_text(a->report);
    flm_text_puts(text, "... ");
    flm_count_add(text, count);
    flm_text_puts(text, count == 1 ? " line" : " lines");
    flm_text_puts(text, " without a cost");
    flm_report_cell_tone(a->report, FLM_TONE_MUTED);
    flm_report_cell_absent(a->report);
    flm_report_cell_absent(a->report);
}

/* The lines between two with a cost; `from` is the first of them, `to` that after the last. */
static void add_between(const struct annotating *a, const struct flm_source_text *file,
                        uint32_t from, uint32_t to, bool is_first)
{
    enum { CONTEXT = 3 };
    uint32_t end = file->lines ? (uint32_t)file->lines->count + 1 : 0;
    to = to < end ? to : end;
    uint32_t head = is_first ? 0 : CONTEXT, tail = CONTEXT;
    for (uint32_t number = from; number < to; number++) {
        uint32_t hidden = to - from - head - tail;
        if (!a->options->whole && to - from > head + tail + 1 && number == from + head) {
            if (!is_first)
                add_gap(a, hidden);
            number += hidden;
        }
        add_context(a, number, line_of(file, number));
    }
}

static bool find_text(const struct annotating *a, uint32_t file, uint32_t module,
                      struct flm_source_text *found)
{
    struct flm_sources *sources = a->options->sources;
    *found = (struct flm_source_text){NULL};
    /* "<frozen site>" of Python is no file. */
    return !sources || file == 0 || flm_bytes_start_with(text_of(a, file), "<") ||
           sources->find(sources, a->source->profile, text_of(a, file), module, found, a->why);
}

/* "src/lex.c, from ~/src/lex.c: older than the recording"; or that it was not found. A text in debug
 * information has no path. */
static void add_file_name(struct flm_text *head, struct flm_bytes name,
                          const struct flm_source_text *found)
{
    bool is_found = found->lines != NULL;
    if (found->status.size == 0 || is_found)
        flm_text_add(head, name.size > 0 ? name : flm_bytes_of("No file is known"));
    if (found->path.size > 0 && !flm_bytes_equal(found->path, name)) {
        flm_text_puts(head, ", from ");
        flm_text_add(head, found->path);
    }
    flm_text_puts(head, is_found && found->status.size > 0 ? ": " : "");
    flm_text_add(head, found->status);
}

static bool add_file(struct annotating *a, const struct flm_line_cost *lines, size_t count)
{
    enum { LEAVE_TOTAL = 2, LEAVE_SELF };
    struct flm_source_text found = {NULL};
    struct flm_bytes name = text_of(a, lines[0].file);
    if (!find_text(a, lines[0].file, lines[0].module, &found))
        return false;
    struct flm_text *head = flm_report_add_line(a->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    add_file_name(head, name, &found);
    flm_report_begin_table(a->report, "seen", FLM_IN_PEOPLES, false);
    add_columns(a, 0);
    flm_report_add_source_view(a->report, a->source, "self", SELF, FLM_VIEW_AS_QUANTITY,
                               FLM_COLUMN_NUMBER, LEAVE_SELF);
    flm_report_add_source_view(a->report, a->source, "", SELF, FLM_VIEW_AS_PERCENT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, a->source, "total", TOTAL, FLM_VIEW_AS_PERCENT,
                               FLM_COLUMN_NUMBER, LEAVE_TOTAL);
    flm_report_add_source_view(a->report, a->source, "line", SEEN_LINE, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, a->source, "source", TEXT, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_TEXT, 0);
    uint32_t next = 1;
    for (size_t i = 0; i < count; i++) {
        bool is_beyond = found.lines && lines[i].line > found.lines->count;
        if (lines[i].line > 0 && !is_beyond) {
            add_between(a, &found, next, lines[i].line, next == 1);
            next = lines[i].line + 1;
        }
        struct flm_bytes text = is_beyond           ? flm_bytes_of("(the file has fewer lines)")
                                : lines[i].line > 0 ? line_of(&found, lines[i].line)
                                                    : flm_bytes_of("(line not known)");
        add_line(a, &lines[i], FLM_IN_PEOPLES, text.at ? text : flm_bytes_of(""));
    }
    if (next > 1 || a->options->whole)
        add_between(a, &found, next, a->options->whole ? UINT32_MAX : next + 3, false);
    return true;
}

struct function_range {
    size_t first, count; /* lines */
    double self, total;
};

static int order_by_total(const void *context, uint32_t a, uint32_t b)
{
    const struct function_range *x = &((const struct function_range *)context)[a];
    const struct function_range *y = &((const struct function_range *)context)[b];
    if (fabs(x->total) != fabs(y->total))
        return fabs(x->total) > fabs(y->total) ? -1 : 1;
    return (a > b) - (a < b);
}

/* Functions of one name and no module are told apart by their files; machine code is not. */
static bool is_next_function(const struct annotating *a, const struct flm_line_cost *line)
{
    bool has_files = a->options->code == FLM_ANNOTATE_SOURCE;
    return line->function != line[-1].function || line->module != line[-1].module ||
           (has_files && line->module == 0 && line->file != line[-1].file);
}

/* Whether a function of the profile is before that of a line, in the order of both. */
static bool is_before(const struct flm_function *f, const struct flm_line_cost *line)
{
    if (f->name != line->function)
        return f->name < line->function;
    if (f->module != line->module)
        return f->module < line->module;
    return line->module == 0 && f->file < line->file;
}

/* The self and total values of functions, as other reports have them: both stand by name, module
 * and file. */
static void find_values(const struct annotating *a, struct function_range *ranges, size_t count)
{
    const struct flm_functions *functions = &a->source->functions;
    uint32_t at = 1; /* 0 is the root's */
    for (size_t i = 0; i < count; i++) {
        const struct flm_line_cost *line = &a->costs.line[ranges[i].first];
        while (at < functions->count && is_before(&functions->function[at], line))
            at++;
        for (uint32_t k = at; k < functions->count; k++) {
            const struct flm_function *f = &functions->function[k];
            if (f->name != line->function || f->module != line->module)
                break;
            ranges[i].self += f->self;
            ranges[i].total += f->total;
            if (a->options->code == FLM_ANNOTATE_SOURCE)
                break;
        }
    }
}

static bool add_function(struct annotating *a, const struct function_range *range)
{
    const struct flm_line_cost *lines = a->costs.line + range->first;
    struct flm_text *head = flm_report_add_line(a->report, FLM_IN_PEOPLES, true, FLM_TONE_STRONG);
    flm_text_add(head, text_of(a, lines[0].function));
    if (text_of(a, lines[0].module).size > 0) {
        flm_text_puts(head, " in ");
        flm_text_add(head, text_of(a, lines[0].module));
    }
    flm_text_puts(head, ": self ");
    flm_report_add_quantity(a->source, head, range->self);
    flm_text_puts(head, ", ");
    flm_percent_add(head, range->self, a->source->whole);
    flm_text_puts(head, "; total ");
    flm_report_add_quantity(a->source, head, range->total);
    flm_text_puts(head, ", ");
    flm_percent_add(head, range->total, a->source->whole);
    if (a->options->code != FLM_ANNOTATE_SOURCE)
        return flm_annotate_code(&a->code, lines[0].function, lines[0].module);
    for (size_t i = 0; i < range->count;) {
        size_t end = i;
        while (end < range->count && lines[end].file == lines[i].file)
            end++;
        if (!add_file(a, lines + i, end - i))
            return false;
        i = end;
    }
    return true;
}

/* `order` receives their indices, the largest first. */
static uint32_t find_functions(const struct annotating *a, struct function_range *ranges,
                               uint32_t *order, uint32_t *scratch)
{
    uint32_t count = 0;
    for (size_t i = 0; i < a->costs.count; i++) {
        const struct flm_line_cost *line = &a->costs.line[i];
        if (i == 0 || is_next_function(a, line))
            ranges[count++] = (struct function_range){i, 0, 0, 0};
        ranges[count - 1].count++;
    }
    find_values(a, ranges, count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    flm_sort(order, count, scratch, order_by_total, ranges);
    return count;
}

/* For programs, one table of all. */
static bool add_table(const struct annotating *a, const struct function_range *ranges,
                      const uint32_t *order, size_t shown)
{
    flm_report_begin_table(a->report, "lines", FLM_IN_PROGRAMS, false);
    add_columns(a, FLM_IN_PROGRAMS);
    for (size_t r = 0; r < shown; r++) {
        const struct function_range *range = &ranges[order[r]];
        struct flm_source_text file = {NULL};
        for (size_t i = range->first; i < range->first + range->count; i++) {
            const struct flm_line_cost *line = &a->costs.line[i];
            if ((i == range->first || line->file != line[-1].file) &&
                !find_text(a, line->file, line->module, &file))
                return false;
            add_line(a, line, FLM_IN_PROGRAMS, line_of(&file, line->line));
        }
    }
    return true;
}

/* Functions of one name and module are one there, whatever their files. */
static bool add_code_table(const struct annotating *a, const struct function_range *ranges,
                           const uint32_t *order, size_t shown)
{
    bool good = true;
    flm_annotate_code_begin(&a->code);
    for (size_t r = 0; good && r < shown; r++) {
        const struct flm_line_cost *line = &a->costs.line[ranges[order[r]].first];
        good = flm_annotate_code_rows(&a->code, line->function, line->module);
    }
    flm_annotate_code_begin_status(&a->code);
    for (size_t r = 0; good && r < shown; r++) {
        const struct flm_line_cost *line = &a->costs.line[ranges[order[r]].first];
        good = flm_annotate_code_status(&a->code, line->function, line->module);
    }
    return good;
}

static bool make_annotated(struct annotating *a)
{
    struct function_range *ranges = malloc((a->costs.count + 1) * sizeof *ranges);
    uint32_t *order = malloc((a->costs.count + 1) * sizeof *order);
    uint32_t *scratch = malloc((a->costs.count + 1) * sizeof *scratch);
    bool good = (ranges && order && scratch) || flm_error_memory(a->why);
    size_t count = good ? find_functions(a, ranges, order, scratch) : 0, rows = a->options->rows;
    size_t shown = rows > 0 && rows < count ? rows : count;
    double hidden = 0;
    flm_report_add_source(a->report, a->source, "annotate");
    for (size_t i = 0; good && i < count; i++) {
        if (i < shown)
            good = add_function(a, &ranges[order[i]]);
        else
            hidden += ranges[order[i]].self;
    }
    bool is_source = a->options->code == FLM_ANNOTATE_SOURCE;
    good = good && (is_source ? add_table : add_code_table)(a, ranges, order, shown);
    if (good && !is_source && shown > 0)
        flm_annotate_code_skid(&a->code);
    if (good)
        add_hidden(a, "functions", "function", count - shown, hidden);
    if (is_source)
        add_advice(a);
    free(ranges);
    free(order);
    free(scratch);
    return good;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static bool mark_functions(struct annotating *a)
{
    const struct flm_profile *p = a->source->profile;
    uint32_t matched = 0;
    a->marks = calloc(p->sizes.frame_count, 1);
    if (!a->marks)
        return flm_error_memory(a->why);
    struct flm_bytes pattern = flm_bytes_of(a->options->function);
    if (!flm_pattern_mark(p, pattern, a->marks, &matched, a->why))
        return false;
    if (matched > 0)
        return true;
    struct flm_text hint = {0};
    flm_pattern_suggest(p, pattern, NULL, &hint);
    flm_error_set(a->why, FLM_ERROR_USAGE, "no function matches '%s'%.*s", a->options->function,
                  (int)hint.size, hint.at ? hint.at : "");
    flm_text_clear(&hint);
    return false;
}

static struct flm_report *make(const struct flm_profile *profile,
                               const struct flm_annotate_options *options, bool is_annotated,
                               struct flm_error *why)
{
    struct flm_annotate_options o;
    struct flm_report_source source;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_annotate_options", why))
        return NULL;
    const struct flm_report_options about = {
        .size = sizeof about, .source = o.source, .metric = o.metric};
    struct annotating a = {.source = &source, .options = &o, .why = why};
    bool good = flm_report_source_init(&source, profile, &about, why) &&
                (!is_annotated || mark_functions(&a)) &&
                flm_line_costs_init(&a.costs, profile, source.metric, a.marks, why) &&
                (a.report = flm_report_new(why)) != NULL;
    a.code = (struct flm_annotating_code){a.report, &source, &o, why};
    good = good && (is_annotated ? make_annotated(&a) : make_lines(&a));
    if (!good) {
        flm_report_free(a.report);
        a.report = NULL;
    }
    flm_line_costs_clear(&a.costs);
    free(a.marks);
    flm_report_source_clear(&source);
    return a.report ? flm_report_finish(a.report, why) : NULL;
}

struct flm_report *flm_report_lines(const struct flm_profile *profile,
                                    const struct flm_annotate_options *options,
                                    struct flm_error *why)
{
    assert(profile);
    return make(profile, options, false, why);
}

struct flm_report *flm_report_annotate(const struct flm_profile *profile,
                                       const struct flm_annotate_options *options,
                                       struct flm_error *why)
{
    assert(profile && options && options->function);
    return make(profile, options, true, why);
}
