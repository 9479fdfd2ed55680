/* annotate.c - the lines of a profile with their costs: the hottest ones of all, and those of a
 * function beside their text. */
#include "flamel/annotate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/aggregate/line_costs.h"
#include "algebra/operation/pattern.h"
#include "base/core/sort.h"
#include "base/text/function_name.h"
#include "base/text/versioned.h"
#include "draw/text/quantity.h"
#include "format/core/mapped.h"
#include "report/profile/annotating.h"
#include "symbol/identity/source_path.h"

struct making {
    struct flm_report *report;
    const struct flm_annotate_options *options;
    struct flm_annotating all;
    struct flm_line_costs costs;
    unsigned char *marks; /* by frame: it counts */
    struct flm_error *why;
};

static struct flm_bytes text_of(const struct making *m, uint32_t string)
{
    return flm_string_bytes(m->all.source.profile, string);
}

/* ---- For programs: all lines ----------------------------------------------------------------- */

/* Columns before the costs, and behind them. */
enum { FUNCTION, MODULE, FILE_NAME, LINE, COSTS };
enum { TEXT, PLACE };

static void add_columns(const struct making *m)
{
    flm_report_add_function_columns(m->report);
    flm_report_add_column(m->report, "line", FLM_IN_PROGRAMS);
    flm_annotating_add_cost_columns(&m->all, FLM_IN_PROGRAMS);
    flm_report_add_literal_column(m->report, "source", FLM_IN_PROGRAMS);
    flm_report_add_column(m->report, "place", 0);
}

/* The files of lines by their shortest names. */
struct short_files {
    struct flm_bytes *name;
    uint32_t *of_string; /* by string: its name, from 1 */
    size_t count;
    bool has_folders; /* some names have more than their last part */
};

static bool find_short_files(const struct making *m, const uint32_t *order, size_t shown,
                             struct short_files *files)
{
    files->name = malloc((shown + 1) * sizeof *files->name);
    files->of_string =
        calloc(m->all.source.profile->sizes.string_count + (size_t)1, sizeof *files->of_string);
    if (!files->name || !files->of_string)
        return flm_error_memory(m->why);
    for (size_t i = 0; i < shown; i++) {
        uint32_t file = m->costs.line[order[i]].file;
        if (files->of_string[file] != 0)
            continue;
        files->name[files->count++] = text_of(m, file);
        files->of_string[file] = (uint32_t)files->count;
    }
    if (!flm_path_shortest_ends(files->name, files->count))
        return flm_error_memory(m->why);
    for (size_t i = 0; i < files->count; i++)
        files->has_folders |= flm_bytes_contain(files->name[i], "/");
    return true;
}

/* "table.c:101", "src/table.c:101" where there is another one; of a line that is not known, the
 * file. */
static void add_place(const struct short_files *files, struct flm_text *to,
                      const struct flm_line_cost *line)
{
    struct flm_bytes file = {"", 0};
    if (files && files->of_string[line->file])
        file = files->name[files->of_string[line->file] - 1];
    flm_text_add(to, file);
    if (line->line > 0)
        flm_text_format(to, file.size > 0 ? ":%u" : "line %u", line->line);
    else if (file.size == 0)
        flm_text_puts(to, "line not known");
}

/* `files`: NULL where people do not see it. */
static void add_line(const struct making *m, const struct flm_line_cost *line, unsigned forms,
                     struct flm_bytes text, const struct short_files *files)
{
    struct flm_report *r = m->report;
    flm_report_begin_row(r, 0, forms);
    flm_report_cell_bytes(r, text_of(m, line->function));
    flm_report_cell_bytes(r, text_of(m, line->module));
    flm_report_cell_bytes(r, text_of(m, line->file));
    if (line->line > 0)
        flm_report_cell_number(r, line->line);
    else
        flm_report_cell_null(r);
    flm_annotating_add_costs(&m->all, (struct flm_listing_cost){line->self, line->total},
                             (struct flm_listing_cost){line->self_before, line->total_before});
    if (text.at)
        flm_annotating_add_text(flm_report_cell_text(r), text);
    else
        flm_report_cell_null(r);
    add_place(files, flm_report_cell_text(r), line);
}

/* ---- The hottest lines ----------------------------------------------------------------------- */

static void add_hidden(const struct making *m, const char *what, const char *one, size_t hidden,
                       struct flm_listing_cost self)
{
    bool compares = flm_annotating_compares(&m->all);
    flm_report_begin(m->report, "hidden", FLM_JSON_OBJECT_LINE);
    flm_report_add_number(m->report, what, (double)hidden);
    if (compares)
        flm_report_add_number(m->report, "before", self.total);
    flm_report_add_number(m->report, compares ? "after" : "self", self.self);
    flm_report_end(m->report);
    if (hidden == 0)
        return;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_MUTED);
    flm_text_puts(line, "and ");
    flm_count_add(line, hidden);
    flm_text_puts(line, " more ");
    flm_text_puts(line, hidden == 1 ? one : what);
    flm_text_puts(line, ", ");
    if (compares) {
        flm_percent_add(line, self.total, fabs(m->all.comparison.before_total));
        flm_text_puts(line, " of self before, ");
    }
    flm_percent_add(line, self.self, m->all.source.whole);
    flm_text_puts(line, compares ? " after" : " of self");
}

/* Where no line is known of anything, what to do. */
static void add_advice(const struct making *m)
{
    bool known = false;
    for (size_t i = 0; i < m->costs.count; i++)
        known |= m->costs.line[i].line > 0;
    if (known || (m->all.source.whole == 0 && m->costs.count == 0))
        return;
    struct flm_text *line = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(line, m->costs.count == 0 ? "What was asked for costs nothing in this metric"
                                            : flm_no_lines_sentence);
}

/* What the lines of a module say of it. */
struct module_lines {
    double self;
    bool is_known; /* a line */
};

/* The programs that were compiled without -g, as far as they cost something: other modules have
 * lines, so that they would be missed. */
static bool add_modules_without_lines(const struct making *m)
{
    enum { MOST = 3 };
    const double least = 0.05;
    const struct flm_profile *p = m->all.source.profile;
    struct module_lines *modules = calloc(p->sizes.string_count + (size_t)1, sizeof *modules);
    bool is_file_said = false;
    bool any_known = false; /* else there is one sentence for all */
    int said = 0;
    if (!modules)
        return flm_error_memory(m->why);
    for (size_t i = 0; i < m->costs.count; i++) {
        const struct flm_line_cost *line = &m->costs.line[i];
        modules[line->module].self += fabs(line->self);
        modules[line->module].is_known |= line->line > 0;
        any_known |= line->line > 0;
    }
    for (uint32_t i = 1; any_known && i < p->sizes.string_count && said < MOST; i++) {
        struct flm_bytes name = flm_string_bytes(p, i);
        bool is_kernel = flm_bytes_start_with(name, "[kernel");
        if (modules[i].is_known || modules[i].self < least * m->all.source.whole ||
            modules[i].self == 0 || name.size == 0 || (name.at[0] != '/' && !is_kernel))
            continue;
        said++;
        struct flm_text *text =
            flm_report_add_line(m->report, FLM_IN_PEOPLES, said == 1, FLM_TONE_PLAIN);
        flm_text_puts(text, "No line is known of ");
        flm_text_add(text, is_kernel ? flm_bytes_of("the kernel") : name);
        flm_text_puts(text, ", with ");
        flm_percent_add(text, modules[i].self, m->all.source.whole);
        is_file_said |= !is_kernel;
        flm_text_puts(text, is_kernel ? " of self: install its debug information (Debian: "
                                        "linux-image-...-dbg, Ubuntu: -dbgsym, Fedora: "
                                        "kernel-debuginfo), and record again"
                                      : " of self");
    }
    if (is_file_said)
        flm_text_puts(flm_report_add_line(m->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN),
                      "Programs have lines when they are compiled with -g. Those of a distribution "
                      "get them here with --debuginfod and "
                      "DEBUGINFOD_URLS=https://debuginfod.elfutils.org, or with --symbols "
                      "/usr/lib/debug when the -dbgsym package is installed; --asm shows machine "
                      "code without");
    free(modules);
    return true;
}

static void add_line_views(const struct making *m, bool has_folders)
{
    enum { LEAVE_FUNCTION = 2, LEAVE_TOTAL };
    const struct flm_report_source *source = &m->all.source;
    size_t behind = COSTS + flm_annotating_cost_count(&m->all);
    if (flm_annotating_compares(&m->all)) {
        flm_annotating_add_cost_views(&m->all, COSTS, true);
    } else {
        flm_report_add_source_view(m->report, source, "self", COSTS, FLM_VIEW_AS_QUANTITY,
                                   FLM_COLUMN_NUMBER, 0);
        flm_report_add_source_view(m->report, source, "", COSTS, FLM_VIEW_AS_PERCENT,
                                   FLM_COLUMN_NUMBER, 0);
        flm_report_add_source_view(m->report, source, "total", COSTS + 2, FLM_VIEW_AS_QUANTITY,
                                   FLM_COLUMN_NUMBER, LEAVE_TOTAL);
    }
    flm_report_add_source_view(m->report, source, "line", behind + PLACE, FLM_VIEW_AS_TEXT,
                               has_folders ? FLM_COLUMN_TEXT : FLM_COLUMN_PATH, 0);
    flm_report_add_source_view(m->report, source, "function", FUNCTION, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_NAME, LEAVE_FUNCTION);
}

static void add_hottest(const struct making *m, const uint32_t *order, size_t shown,
                        const struct short_files *files)
{
    flm_annotating_add_head(&m->all, "lines");
    flm_report_begin_table(m->report, "lines", m->costs.count ? FLM_IN_ALL : FLM_IN_PROGRAMS, true);
    add_columns(m);
    add_line_views(m, files->has_folders);
    struct flm_listing_cost hidden = {0, 0}; /* after, before */
    for (size_t i = 0; i < m->costs.count; i++) {
        const struct flm_line_cost *line = &m->costs.line[order[i]];
        if (i < shown) {
            add_line(m, line, FLM_IN_ALL, (struct flm_bytes){NULL, 0}, files);
            continue;
        }
        hidden.self += line->self;
        hidden.total += line->self_before;
    }
    add_hidden(m, "lines", "line", m->costs.count - shown, hidden);
    add_advice(m);
}

static bool make_lines(struct making *m)
{
    struct short_files files = {NULL};
    uint32_t *order = malloc((m->costs.count + 1) * sizeof *order);
    size_t rows = m->options->rows,
           shown = rows > 0 && rows < m->costs.count ? rows : m->costs.count;
    bool good = (order && flm_line_costs_sort(&m->costs, order)) || flm_error_memory(m->why);
    good = good && find_short_files(m, order, shown, &files);
    if (good)
        add_hottest(m, order, shown, &files);
    good = good && add_modules_without_lines(m);
    free(order);
    free(files.name);
    free(files.of_string);
    return good;
}

/* ---- Functions with their source ------------------------------------------------------------- */

struct function_range {
    size_t first, count; /* lines */
    struct flm_listing_cost cost, before;
};

static double size_of(const struct function_range *range)
{
    return fmax(fabs(range->cost.total), fabs(range->before.total));
}

static int order_by_total(const void *context, uint32_t a, uint32_t b)
{
    double x = size_of(&((const struct function_range *)context)[a]);
    double y = size_of(&((const struct function_range *)context)[b]);
    if (x != y)
        return x > y ? -1 : 1;
    return (a > b) - (a < b);
}

/* Functions of one name and no module are told apart by their files; machine code is not. */
static bool has_files(const struct making *m, const struct flm_line_cost *line)
{
    return m->options->code == FLM_ANNOTATE_SOURCE && line->module == 0;
}

static bool is_next_function(const struct making *m, const struct flm_line_cost *line)
{
    return line->function != line[-1].function || line->module != line[-1].module ||
           (has_files(m, line) && line->of_file != line[-1].of_file);
}

/* Whether a function of the profile is before that of a line, in the order of both. */
static bool is_before(const struct flm_function *f, const struct flm_line_cost *line)
{
    if (f->name != line->function)
        return f->name < line->function;
    if (f->module != line->module)
        return f->module < line->module;
    return line->module == 0 && f->file < line->of_file;
}

/* The values of functions by which they are ordered: both stand by name, module and file. */
static void find_values(const struct making *m, const struct flm_functions *functions,
                        struct function_range *ranges, size_t count, bool of_before)
{
    uint32_t at = 1; /* 0 is the root's */
    for (size_t i = 0; i < count; i++) {
        const struct flm_line_cost *line = &m->costs.line[ranges[i].first];
        struct flm_listing_cost *cost = of_before ? &ranges[i].before : &ranges[i].cost;
        while (at < functions->count && is_before(&functions->function[at], line))
            at++;
        for (uint32_t k = at; k < functions->count; k++) {
            const struct flm_function *f = &functions->function[k];
            if (f->name != line->function || f->module != line->module)
                break;
            cost->self += f->self;
            cost->total += f->total;
            if (has_files(m, line))
                break;
        }
    }
}

static struct flm_annotated function_of(const struct making *m, const struct function_range *range)
{
    const struct flm_line_cost *line = &m->costs.line[range->first];
    return (struct flm_annotated){.function = line->function,
                                  .module = line->module,
                                  .in_file = has_files(m, line) ? line->of_file : 0,
                                  .is_gone =
                                      flm_annotating_compares(&m->all) && range->cost.total == 0};
}

/* For people. */
static bool add_function(const struct making *m, const struct function_range *range)
{
    const struct flm_annotated function = function_of(m, range);
    bool is_code = m->options->code != FLM_ANNOTATE_SOURCE;
    struct flm_listing *listing = flm_annotating_list(&m->all, &function);
    if (!listing)
        return false;
    struct flm_text *head = flm_report_add_line(m->report, FLM_IN_PEOPLES, true, FLM_TONE_STRONG);
    flm_text_add(head, text_of(m, function.function));
    if (text_of(m, function.module).size > 0) {
        flm_text_puts(head, " in ");
        flm_text_add(head, text_of(m, function.module));
    }
    flm_annotating_add_sums(&m->all, head, flm_listing_sum(listing, false),
                            flm_listing_sum(listing, true));
    flm_annotating_add_builds(&m->all, &function, is_code);
    bool good = is_code ? flm_annotate_code(&m->all, &function, listing)
                        : flm_annotate_source(&m->all, listing);
    flm_listing_free(listing);
    return good;
}

/* `order` receives their indices, the largest first. */
static uint32_t find_functions(const struct making *m, struct function_range *ranges,
                               uint32_t *order, uint32_t *scratch)
{
    uint32_t count = 0;
    for (size_t i = 0; i < m->costs.count; i++) {
        if (i == 0 || is_next_function(m, &m->costs.line[i]))
            ranges[count++] = (struct function_range){.first = i};
        ranges[count - 1].count++;
    }
    find_values(m, &m->all.source.functions, ranges, count, false);
    if (flm_annotating_compares(&m->all))
        find_values(m, &m->all.functions_before, ranges, count, true);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    flm_sort(order, count, scratch, order_by_total, ranges);
    return count;
}

/* For programs, one table of all. */
static bool add_table(const struct making *m, const struct function_range *ranges,
                      const uint32_t *order, size_t shown)
{
    flm_report_begin_table(m->report, "lines", FLM_IN_PROGRAMS, false);
    add_columns(m);
    for (size_t r = 0; r < shown; r++) {
        const struct function_range *range = &ranges[order[r]];
        const struct flm_code_store *store;
        const struct flm_line_index *lines = NULL;
        for (size_t i = range->first; i < range->first + range->count; i++) {
            const struct flm_line_cost *line = &m->costs.line[i];
            if ((i == range->first || line->file != line[-1].file) &&
                !flm_annotate_find_file(&m->all, line->file, &store, &lines))
                return false;
            bool is_there = lines && line->line > 0 && line->line <= lines->count;
            add_line(m, line, FLM_IN_PROGRAMS,
                     is_there ? flm_line_index_get(lines, line->line) : (struct flm_bytes){NULL, 0},
                     NULL);
        }
    }
    return true;
}

/* Functions of one name and module are one there, whatever their files. */
static bool add_code_table(const struct making *m, const struct function_range *ranges,
                           const uint32_t *order, size_t shown)
{
    bool good = true;
    flm_annotate_code_begin(&m->all);
    for (size_t r = 0; good && r < shown; r++) {
        const struct flm_annotated function = function_of(m, &ranges[order[r]]);
        good = flm_annotate_code_rows(&m->all, &function);
    }
    flm_annotate_code_begin_status(&m->all);
    for (size_t r = 0; good && r < shown; r++) {
        const struct flm_annotated function = function_of(m, &ranges[order[r]]);
        good = flm_annotate_code_status(&m->all, &function);
    }
    return good;
}

/* For JSON, of a comparison: whether both sides have the same builds of what is shown. */
static void add_builds(const struct making *m, const struct function_range *ranges,
                       const uint32_t *order, size_t shown)
{
    static const char *const words[] = {
        [FLM_BUILD_SAME] = "same", [FLM_BUILD_OTHER] = "other", [FLM_BUILD_UNKNOWN] = NULL};
    struct flm_report *r = m->report;
    flm_report_begin_table(r, "modules", FLM_IN_JSON, false);
    flm_report_add_literal_column(r, "module", FLM_IN_JSON);
    flm_report_add_column(r, "build", FLM_IN_JSON);
    for (size_t i = 0; i < shown; i++) {
        uint32_t module = m->costs.line[ranges[order[i]].first].module;
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = m->costs.line[ranges[order[k]].first].module != module;
        if (!is_new)
            continue;
        const char *word = words[flm_mapped_same_build(m->all.source.profile, module)];
        flm_report_begin_row(r, 0, FLM_IN_JSON);
        flm_report_cell_bytes(r, text_of(m, module));
        if (word)
            flm_report_cell_bytes(r, flm_bytes_of(word));
        else
            flm_report_cell_null(r);
    }
}

static bool make_annotated(struct making *m)
{
    struct function_range *ranges = malloc((m->costs.count + 1) * sizeof *ranges);
    uint32_t *order = malloc((m->costs.count + 1) * sizeof *order);
    uint32_t *scratch = malloc((m->costs.count + 1) * sizeof *scratch);
    bool good = (ranges && order && scratch) || flm_error_memory(m->why);
    size_t count = good ? find_functions(m, ranges, order, scratch) : 0, rows = m->options->rows;
    size_t shown = rows > 0 && rows < count ? rows : count;
    struct flm_listing_cost hidden = {0, 0}; /* after, before */
    flm_annotating_add_head(&m->all, "annotate");
    for (size_t i = 0; good && i < count; i++) {
        const struct function_range *range = &ranges[order[i]];
        if (i < shown && !m->options->for_programs)
            good = add_function(m, range);
        hidden.self += i < shown ? 0 : range->cost.self;
        hidden.total += i < shown ? 0 : range->before.self;
    }
    bool is_source = m->options->code == FLM_ANNOTATE_SOURCE;
    good = good && (is_source ? add_table : add_code_table)(m, ranges, order, shown);
    if (good && flm_annotating_compares(&m->all))
        add_builds(m, ranges, order, shown);
    if (good && !is_source && shown > 0)
        flm_annotate_code_skid(&m->all);
    if (good)
        add_hidden(m, "functions", "function", count - shown, hidden);
    if (is_source)
        add_advice(m);
    free(ranges);
    free(order);
    free(scratch);
    return good;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Where the template arguments end that begin at `at`: "<3>" of "spin<3>(int)". */
static size_t past_template_arguments(struct flm_bytes name, size_t at)
{
    size_t depth = 0;
    for (size_t i = at; i < name.size; i++) {
        depth += name.at[i] == '<';
        if (name.at[i] == '>' && name.at[i - 1] != '-' && --depth == 0)
            return i + 1;
    }
    return at;
}

/* Whether the name without its arguments is `wanted`, or ends with it: behind a class, a
 * package, or the type that it returns. Template arguments of the function are a part of it where
 * they are asked for. */
static bool is_short_for(struct flm_bytes wanted, struct flm_bytes name)
{
    size_t end = flm_name_parts(name).end;
    if (memchr(wanted.at, '<', wanted.size) && wanted.at[wanted.size - 1] == '>' && end > 0 &&
        end < name.size && name.at[end] == '<')
        end = past_template_arguments(name, end);
    if (wanted.size == 0 || wanted.size > end ||
        memcmp(name.at + end - wanted.size, wanted.at, wanted.size) != 0)
        return false;
    return wanted.size == end || flm_is_one_of(name.at[end - wanted.size - 1], ":./ ");
}

/* "parse" of what is "lexer::parse(char const*)", where no function has that name alone. */
static uint32_t mark_short_names(struct making *m, struct flm_bytes wanted)
{
    const struct flm_profile *p = m->all.source.profile;
    uint32_t matched = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        m->marks[i] = is_short_for(wanted, flm_frame_function(p, i));
        matched += m->marks[i];
    }
    return matched;
}

static bool mark_functions(struct making *m)
{
    const struct flm_profile *p = m->all.source.profile;
    uint32_t matched = 0;
    m->marks = calloc(p->sizes.frame_count, 1);
    if (!m->marks)
        return flm_error_memory(m->why);
    struct flm_bytes pattern = flm_bytes_of(m->options->function);
    if (!flm_pattern_mark(p, pattern, m->marks, &matched, m->why))
        return false;
    if (matched > 0 || mark_short_names(m, pattern) > 0)
        return true;
    struct flm_text hint = {0};
    flm_pattern_suggest(p, pattern, NULL, &hint);
    flm_error_set(m->why, FLM_ERROR_USAGE, "no function matches '%s'%.*s", m->options->function,
                  (int)hint.size, hint.at ? hint.at : "");
    flm_text_clear(&hint);
    return false;
}

static struct flm_report *make(const struct flm_profile *profile,
                               const struct flm_annotate_options *options, bool is_annotated,
                               struct flm_error *why)
{
    struct flm_annotate_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_annotate_options", why))
        return NULL;
    struct making m = {.options = &o, .why = why};
    bool good = flm_annotating_init(&m.all, profile, &o, why) &&
                (!is_annotated || mark_functions(&m)) &&
                flm_line_costs_init(&m.costs, m.all.source.profile, m.all.source.metric,
                                    m.all.before, m.marks, why) &&
                (m.report = flm_report_new(why)) != NULL;
    m.all.report = m.report;
    good = good && (is_annotated ? make_annotated(&m) : make_lines(&m));
    if (!good) {
        flm_report_free(m.report);
        m.report = NULL;
    }
    flm_line_costs_clear(&m.costs);
    free(m.marks);
    flm_annotating_clear(&m.all);
    return m.report ? flm_report_finish(m.report, why) : NULL;
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
