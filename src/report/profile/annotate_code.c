/* annotate_code.c - machine code with what each instruction costs. */
#include "code/kept_code.h"
#include "code/skid.h"
#include "draw/text/quantity.h"
#include "format/core/mapped.h"
#include "report/profile/annotating.h"

/* Columns before the costs, and behind them. */
enum { FUNCTION, MODULE, ADDRESS, COSTS };
enum { BYTES, INSTRUCTION, TARGET, FILE_NAME, LINE, INLINED, SEEN };

/* A function that is shown. */
struct showing {
    const struct flm_annotating *a;
    const struct flm_profile *p;
    const struct flm_code_store *store; /* NULL: there is none */
    const struct flm_code_function *code;
    struct flm_listing *listing;
    const struct flm_annotated *of;
    bool is_other_build;              /* before */
    unsigned lanes;                   /* as many as are used */
    struct flm_listing_row last_line; /* above the instructions that come next */
};

static void add_columns(const struct flm_annotating *a, unsigned forms)
{
    struct flm_report *r = a->report;
    forms &= FLM_IN_PROGRAMS;
    flm_report_add_column(r, "function", forms);
    flm_report_add_column(r, "module", forms);
    flm_report_add_column(r, "address", forms);
    flm_annotating_add_cost_columns(a, forms);
    flm_report_add_column(r, "bytes", forms);
    flm_report_add_literal_column(r, "instruction", forms);
    flm_report_add_literal_column(r, "target", forms);
    flm_report_add_literal_column(r, "file", forms);
    flm_report_add_column(r, "line", forms);
    flm_report_add_literal_column(r, "inlined", forms);
    flm_report_add_column(r, "seen", 0);
}

/* ---- What people see ------------------------------------------------------------------------- */

/* The jumps beside an instruction, the outermost first: "┌──>", "│╰──". */
static void add_lanes(struct flm_text *to, const struct showing *s,
                      const struct flm_listing_row *row)
{
    static const char *const corners[] = {" ", "╰", "╭", "│"};
    bool is_drawn = false, is_target = false;
    for (unsigned i = s->lanes; i-- > 0;) {
        unsigned lane = row->lane[i], way = lane & (FLM_LANE_UP | FLM_LANE_DOWN);
        bool ends = lane & (FLM_LANE_FROM | FLM_LANE_TO);
        if (ends && way == (FLM_LANE_UP | FLM_LANE_DOWN))
            flm_text_puts(to, "├");
        else if (is_drawn && way)
            flm_text_puts(to, ends ? corners[way] : "│");
        else
            flm_text_puts(to, is_drawn ? "─" : corners[way]);
        is_drawn |= ends;
        is_target |= (lane & FLM_LANE_TO) != 0;
    }
    if (s->lanes > 0)
        flm_text_puts(to, is_target ? "> " : is_drawn ? "─ " : "  ");
}

static void add_bytes(struct flm_text *to, struct flm_bytes code, const char *between)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < code.size; i++) {
        flm_text_puts(to, i > 0 ? between : "");
        flm_text_putc(to, digits[(unsigned char)code.at[i] >> 4]);
        flm_text_putc(to, digits[code.at[i] & 15]);
    }
}

static void add_instruction(struct flm_text *to, const struct showing *s,
                            const struct flm_listing_row *row)
{
    add_lanes(to, s, row);
    if (row->instruction == FLM_NONE)
        return;
    const struct flm_code_instruction *i = &s->code->instructions[row->instruction];
    if (s->a->options->bytes) {
        enum { WIDTH = 24 };
        size_t before = to->size;
        add_bytes(to, i->code, " ");
        size_t size = to->size - before;
        flm_text_repeat(to, ' ', size < WIDTH ? WIDTH - size : 1);
    }
    flm_text_add(to, i->text);
    if (i->target.size > 0) {
        flm_text_puts(to, "  <");
        flm_text_add(to, i->target);
        flm_text_putc(to, '>');
    }
}

static struct flm_bytes file_of(const struct showing *s, const struct flm_listing_row *row)
{
    if (row->file)
        return flm_string_bytes(s->p, row->file);
    bool is_known = s->code && row->code_file < s->code->file_count;
    return is_known ? s->code->files[row->code_file] : (struct flm_bytes){"", 0};
}

/* "parse.c:12  for (...)" above the instructions of a line. */
static void add_source_line(struct flm_text *to, const struct showing *s,
                            const struct flm_listing_row *row)
{
    struct flm_bytes file = file_of(s, row);
    const struct flm_line_index *lines = s->store ? flm_code_store_lines(s->store, file) : NULL;
    size_t slash = file.size;
    while (slash > 0 && file.at[slash - 1] != '/')
        slash--;
    flm_text_add(to, flm_bytes_from(file, slash));
    flm_text_format(to, ":%u", row->line);
    if (row->is_again)
        flm_text_puts(to, " again");
    if (lines && row->line <= lines->count) {
        flm_text_puts(to, "  ");
        flm_annotating_add_text(to, flm_bytes_trimmed(flm_line_index_get(lines, row->line)));
    }
}

static void add_fold(struct flm_text *to, uint32_t count)
{
    flm_text_puts(to, "... ");
    flm_count_add(to, count);
    flm_text_puts(to, count == 1 ? " instruction" : " instructions");
    flm_text_puts(to, " without a cost");
}

/* A line is said once, also where its instructions are two runs. */
static bool is_said(struct showing *s, const struct flm_listing_row *row)
{
    bool is_same = row->kind == FLM_LISTING_SOURCE_LINE && row->line == s->last_line.line &&
                   row->file == s->last_line.file && row->code_file == s->last_line.code_file;
    if (row->kind != FLM_LISTING_INSTRUCTION)
        s->last_line = *row;
    return is_same ||
           (row->kind == FLM_LISTING_SOURCE_LINE && s->a->options->code != FLM_ANNOTATE_BOTH);
}

static void add_seen_row(struct showing *s, const struct flm_listing_row *row)
{
    struct flm_report *r = s->a->report;
    bool is_instruction = row->kind == FLM_LISTING_INSTRUCTION;
    if (is_said(s, row))
        return;
    flm_report_begin_row(r, 0, FLM_IN_PEOPLES);
    flm_annotating_add_absent(s->a, ADDRESS);
    if (is_instruction)
        flm_text_format(flm_report_cell_text(r), "%llx",
                        (unsigned long long)flm_kept_code_address(row->address));
    else
        flm_report_cell_absent(r);
    if ((is_instruction && row->has_cost) || row->kind == FLM_LISTING_UNKNOWN)
        flm_annotating_add_costs(s->a, row->cost, row->before);
    else
        flm_annotating_add_absent(s->a, flm_annotating_cost_count(s->a));
    flm_annotating_add_absent(s->a, SEEN);
    struct flm_text *seen = flm_report_cell_text(r);
    if (is_instruction)
        add_instruction(seen, s, row);
    else if (row->kind == FLM_LISTING_SOURCE_LINE)
        add_source_line(seen, s, row);
    else if (row->kind == FLM_LISTING_FOLD)
        add_fold(seen, row->count);
    else
        flm_text_puts(seen, s->is_other_build
                                ? "(before, in another build; at other addresses, or none)"
                            : s->code ? "(at other addresses, or none)"
                                      : "(address not known)");
    if (!is_instruction)
        flm_report_cell_tone(r, FLM_TONE_MUTED);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void add_text(struct flm_report *r, struct flm_bytes text)
{
    if (text.size > 0)
        flm_report_cell_bytes(r, text);
    else
        flm_report_cell_null(r);
}

/* "next in lex": the innermost first. */
static void add_inlined(struct flm_report *r, const struct flm_code_function *code, uint32_t at)
{
    if (at == FLM_CODE_NONE) {
        flm_report_cell_null(r);
        return;
    }
    struct flm_text *text = flm_report_cell_text(r);
    for (; at != FLM_CODE_NONE; at = code->inlined[at].caller) {
        flm_text_add(text, code->inlined[at].function);
        flm_text_puts(text, code->inlined[at].caller == FLM_CODE_NONE ? "" : " in ");
    }
}

static void add_row(struct showing *s, const struct flm_listing_row *row)
{
    struct flm_report *r = s->a->report;
    const struct flm_code_instruction *i =
        s->code && row->instruction != FLM_NONE && row->kind == FLM_LISTING_INSTRUCTION
            ? &s->code->instructions[row->instruction]
            : NULL;
    if (row->kind != FLM_LISTING_INSTRUCTION && row->kind != FLM_LISTING_UNKNOWN)
        return;
    flm_report_begin_row(r, 0, FLM_IN_PROGRAMS);
    flm_report_cell_bytes(r, flm_string_bytes(s->p, s->of->function));
    flm_report_cell_bytes(r, flm_string_bytes(s->p, s->of->module));
    if (row->kind == FLM_LISTING_INSTRUCTION)
        flm_text_format(flm_report_cell_text(r), "0x%llx",
                        (unsigned long long)flm_kept_code_address(row->address));
    else
        flm_report_cell_null(r);
    flm_annotating_add_costs(s->a, row->cost, row->before);
    if (i && i->code.size > 0)
        add_bytes(flm_report_cell_text(r), i->code, "");
    else
        flm_report_cell_null(r);
    add_text(r, i ? i->text : (struct flm_bytes){"", 0});
    add_text(r, i ? i->target : (struct flm_bytes){"", 0});
    add_text(r, row->line ? file_of(s, row) : (struct flm_bytes){"", 0});
    if (row->line)
        flm_report_cell_number(r, row->line);
    else
        flm_report_cell_null(r);
    add_inlined(r, s->code, i ? i->inlined : FLM_CODE_NONE);
    flm_report_cell_absent(r);
}

/* ---- A function ------------------------------------------------------------------------------ */

static void each_row(struct showing *s,
                     void (*add)(struct showing *s, const struct flm_listing_row *row))
{
    enum { WINDOW = 64 };
    struct flm_listing_row rows[WINDOW];
    uint32_t count = flm_listing_count(s->listing, FLM_LISTING_ASSEMBLY);
    for (uint32_t from = 0; from < count;) {
        uint32_t got = flm_listing_rows(s->listing, FLM_LISTING_ASSEMBLY, from, WINDOW, rows);
        for (uint32_t i = 0; i < got; i++)
            add(s, &rows[i]);
        from += got;
    }
}

static void count_lanes(struct showing *s)
{
    struct flm_listing_row row;
    uint32_t count = flm_listing_count(s->listing, FLM_LISTING_ASSEMBLY);
    for (uint32_t at = 0; at < count && s->lanes < FLM_LISTING_LANES; at++) {
        flm_listing_rows(s->listing, FLM_LISTING_ASSEMBLY, at, 1, &row);
        for (unsigned i = s->lanes; i < FLM_LISTING_LANES; i++)
            s->lanes = row.lane[i] ? i + 1 : s->lanes;
    }
}

/* Whose machine code is shown: that of after, unless the function is gone. NULL: nobody has any. */
static bool find_code(struct showing *s)
{
    const struct flm_annotating *a = s->a;
    struct flm_sources *sources = a->options->sources;
    return !sources || !sources->find_code ||
           sources->find_code(sources, s->of->is_gone ? a->given_before : a->given,
                              flm_string_bytes(s->p, s->of->function),
                              flm_string_bytes(s->p, s->of->module), &s->store, a->why);
}

static bool show(struct showing *s, bool whole)
{
    const struct flm_annotating *a = s->a;
    const struct flm_listing_options options = {.whole = {whole, whole}};
    s->p = a->source.profile;
    s->is_other_build = flm_annotating_compares(a) &&
                        flm_mapped_same_build(s->p, s->of->module) == FLM_BUILD_OTHER &&
                        !s->of->is_gone;
    if (!find_code(s) || !flm_listing_arrange(s->listing, s->store, &options, a->why))
        return false;
    s->code = flm_listing_code(s->listing);
    return true;
}

static void add_status(const struct showing *s)
{
    const struct flm_code_function *f =
        s->store ? flm_code_store_function(s->store, flm_string_bytes(s->p, s->of->function),
                                           flm_string_bytes(s->p, s->of->module))
                 : NULL;
    if (!f || (f->status.size == 0 && f->instruction_count > 0))
        return;
    struct flm_text *line = flm_report_add_line(s->a->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_puts(line, f->instruction_count > 0 ? "Its machine code: " : "No machine code: ");
    flm_text_add(line, f->status);
}

/* Of optimized code, where lines jump. */
static void add_runs(const struct showing *s)
{
    struct flm_listing_figures figures = flm_listing_figures(s->listing);
    if (!flm_listing_jumps_between_lines(&figures))
        return;
    struct flm_text *line = flm_report_add_line(s->a->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED);
    flm_text_format(line,
                    "Optimized: %u lines are %u runs of instructions, so a cost may be that of "
                    "another line near it",
                    figures.lines, figures.line_runs);
}

/* There are only so many lanes. */
static void add_hidden_jumps(const struct showing *s)
{
    uint32_t hidden = flm_listing_figures(s->listing).jumps_hidden;
    if (hidden == 0)
        return;
    struct flm_text *line = flm_report_add_line(s->a->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED);
    flm_text_format(line, "%u %s no arrow beside the code", hidden,
                    hidden == 1 ? "jump has" : "jumps have");
}

bool flm_annotate_code(const struct flm_annotating *a, const struct flm_annotated *function,
                       struct flm_listing *listing)
{
    struct showing s = {.a = a, .of = function, .listing = listing};
    if (!show(&s, a->options->whole))
        return false;
    size_t behind = COSTS + flm_annotating_cost_count(a);
    add_status(&s);
    count_lanes(&s);
    flm_report_begin_table(a->report, "seen", FLM_IN_PEOPLES, false);
    add_columns(a, 0);
    flm_annotating_add_cost_views(a, COSTS, false);
    flm_report_add_source_view(a->report, &a->source, "address", ADDRESS, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, &a->source, "instruction", behind + SEEN,
                               FLM_VIEW_AS_TEXT, FLM_COLUMN_CODE, 0);
    each_row(&s, add_seen_row);
    add_runs(&s);
    add_hidden_jumps(&s);
    return true;
}

void flm_annotate_code_begin(const struct flm_annotating *a)
{
    flm_report_begin_table(a->report, "instructions", FLM_IN_PROGRAMS, false);
    add_columns(a, FLM_IN_PROGRAMS);
}

bool flm_annotate_code_rows(const struct flm_annotating *a, const struct flm_annotated *function)
{
    struct showing s = {.a = a, .of = function, .listing = flm_annotating_list(a, function)};
    bool good = s.listing && show(&s, true);
    if (good)
        each_row(&s, add_row);
    flm_listing_free(s.listing);
    return good;
}

void flm_annotate_code_begin_status(const struct flm_annotating *a)
{
    flm_report_begin_table(a->report, "code", FLM_IN_JSON, false);
    flm_report_add_column(a->report, "function", FLM_IN_JSON);
    flm_report_add_column(a->report, "module", FLM_IN_JSON);
    flm_report_add_column(a->report, "machine", FLM_IN_JSON);
    flm_report_add_literal_column(a->report, "status", FLM_IN_JSON);
}

bool flm_annotate_code_status(const struct flm_annotating *a, const struct flm_annotated *function)
{
    struct showing s = {.a = a, .p = a->source.profile, .of = function};
    struct flm_bytes name = flm_string_bytes(s.p, function->function),
                     in = flm_string_bytes(s.p, function->module);
    if (!find_code(&s))
        return false;
    const struct flm_code_function *f = s.store ? flm_code_store_function(s.store, name, in) : NULL;
    flm_report_begin_row(a->report, 0, FLM_IN_JSON);
    flm_report_cell_bytes(a->report, name);
    flm_report_cell_bytes(a->report, in);
    add_text(a->report, f ? f->machine : (struct flm_bytes){"", 0});
    add_text(a->report, f ? f->status : (struct flm_bytes){"", 0});
    return true;
}

/* ---- Skid ------------------------------------------------------------------------------------ */

void flm_annotate_code_skid(const struct flm_annotating *a)
{
    struct flm_bytes name = a->source.metric_name;
    const char *sentence = flm_metric_skid(name);
    if (!sentence)
        return;
    struct flm_text *line = flm_report_add_line(a->report, FLM_IN_PEOPLES, true, FLM_TONE_MUTED);
    flm_text_add(line, name);
    flm_text_puts(line, ": ");
    flm_text_puts(line, sentence);
}
