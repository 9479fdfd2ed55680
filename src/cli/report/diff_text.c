/* diff_text.c - the report for people: totals, likeness, parts, the largest changes, and what all
 * of it is worth. The same tables make the terminal's text and the Markdown. */
#include <math.h>

#include "base/number/number.h"
#include "cli/common/terminal.h"
#include "cli/report/diff_report.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/quantity.h"

struct report {
    const struct flm_diff *d;
    bool markdown;
    bool has_noise; /* something that is marked was shown */
};

/* ---- Values ---------------------------------------------------------------------------------- */

/* Of means and of what was normalized nobody wants to see the digits behind the point. */
static double rounded(double value)
{
    return fabs(value) >= 100 ? floor(value + 0.5) : value;
}

static double largest_of(const struct flm_diff *d)
{
    return fmax(d->is.before_total * d->is.how.scale, d->is.after_total);
}

static void add_share(struct flm_table *table, const char *mark, double value, double whole)
{
    struct flm_text *cell = flm_table_cell(table);
    flm_text_puts(cell, mark);
    flm_percent_add(cell, value, whole);
}

static void add_value(const struct report *r, struct flm_table *table, double value)
{
    if (r->d->asked.relative != FLM_DIFF_ABSOLUTE)
        add_share(table, "", value, r->d->whole);
    else
        flm_table_quantity(table, rounded(value), r->d->unit, largest_of(r->d));
}

static void add_change(struct report *r, struct flm_table *table, double value, bool is_noise)
{
    const char *mark = is_noise ? "~" : "";
    r->has_noise |= is_noise;
    if (r->d->asked.relative == FLM_DIFF_ABSOLUTE) {
        flm_table_change(table, mark, rounded(value), r->d->unit, largest_of(r->d));
    } else {
        char signed_mark[3] = "~+";
        add_share(table, value > 0 ? (is_noise ? signed_mark : "+") : mark, value, r->d->whole);
    }
    if (is_noise)
        flm_table_tone(table, FLM_TONE_MUTED);
}

static void add_change_of(struct report *r, struct flm_table *table,
                          const struct flm_change *change)
{
    add_change(r, table, change->kind == FLM_CHANGE_NONE ? 0 : change->after - change->before,
               change->noise);
}

/* ---- Sections -------------------------------------------------------------------------------- */

static void start_section(const struct report *r, const char *title, const char *detail,
                          bool is_open)
{
    struct flm_text *out = r->d->out;
    flm_text_putc(out, '\n');
    if (r->markdown) {
        flm_text_format(out, "<details%s><summary>%s%s</summary>\n\n", is_open ? " open" : "",
                        title, detail);
        return;
    }
    flm_tone_add(out, FLM_TONE_STRONG, &r->d->look);
    flm_text_puts(out, title);
    flm_tone_add(out, FLM_TONE_PLAIN, &r->d->look);
    flm_tone_add(out, FLM_TONE_MUTED, &r->d->look);
    flm_text_puts(out, detail);
    flm_tone_add(out, FLM_TONE_PLAIN, &r->d->look);
    flm_text_putc(out, '\n');
}

/* Prints and clears it. */
static void end_table(const struct report *r, struct flm_table *table)
{
    if (r->markdown)
        flm_table_markdown(table, r->d->out);
    else
        flm_table_print(table, &r->d->look, r->d->out);
    flm_table_clear(table);
}

/* A line of its own, broken where it is too long. */
static void add_note(const struct report *r, const struct flm_text *text)
{
    struct flm_bytes line = {text->at, text->size};
    if (r->markdown)
        flm_text_add(r->d->out, line);
    else
        flm_lines_add(r->d->out, line, &r->d->look, 0);
}

/* ---- Totals and likeness --------------------------------------------------------------------- */

static void add_totals(struct report *r)
{
    const struct flm_diff *d = r->d;
    struct flm_text metric = {0}, shown = {0};
    flm_text_add(&metric, flm_showable(d->metric, d->look.charset, &shown));
    flm_text_putc(&metric, 0);
    const struct flm_column columns[] = {{"", FLM_COLUMN_TEXT, 0},
                                         {metric.at ? metric.at : "", FLM_COLUMN_NUMBER, 0},
                                         {"", FLM_COLUMN_NUMBER, 0},
                                         {"stacks", FLM_COLUMN_NUMBER, 0},
                                         {"", FLM_COLUMN_NAME, 0}};
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    double totals[2] = {d->side[0].total, d->side[1].total};
    for (int s = 0; s < 2; s++) {
        flm_text_puts(flm_table_cell(&table), s == FLM_DIFF_BEFORE ? "before" : "after");
        flm_table_quantity(&table, rounded(totals[s]), d->unit, fmax(totals[0], totals[1]));
        flm_table_cell(&table);
        flm_count_add(flm_table_cell(&table), d->side[s].stack_count);
        flm_text_puts(flm_table_cell(&table), d->side[s].count > 1 ? "the mean of " : "");
        flm_diff_add_name(d, (enum flm_diff_which)s, &table.text);
    }
    /* As recorded, as the lines above it: what was made equal is told below. */
    double change = totals[1] - totals[0];
    flm_text_puts(flm_table_cell(&table), "change");
    flm_table_change(&table, "", rounded(change), d->unit, fmax(totals[0], totals[1]));
    struct flm_text *share = flm_table_cell(&table);
    if (totals[0] > 0) {
        flm_text_puts(share, change > 0 ? "+" : "");
        flm_percent_add(share, change, totals[0]);
    }
    double stacks = (double)d->side[1].stack_count - d->side[0].stack_count;
    flm_table_change(&table, "", stacks, (struct flm_bytes){"", 0}, 0);
    flm_table_cell(&table);
    end_table(r, &table);
    d->out->failed |= metric.failed || shown.failed;
    flm_text_clear(&metric);
    flm_text_clear(&shown);
}

static const char *const similarity_means = "1: as much of each stack in both; 0: no stack in both";
static const char *const shape_means = "the same of shares of the total, as if equally long";

static void add_likeness(const struct report *r)
{
    static const struct flm_column columns[] = {
        {"", FLM_COLUMN_TEXT, 0}, {"", FLM_COLUMN_TEXT, 0}, {"", FLM_COLUMN_TEXT, 0}};
    const struct flm_diff *d = r->d;
    struct flm_table table;
    flm_table_init(&table, columns, sizeof columns / sizeof columns[0]);
    flm_text_putc(d->out, '\n');
    flm_text_puts(flm_table_cell(&table), "similarity");
    flm_similarity_add(flm_table_cell(&table), d->similarity);
    flm_text_puts(flm_table_cell(&table), similarity_means);
    flm_text_puts(flm_table_cell(&table), "shape similarity");
    flm_similarity_add(flm_table_cell(&table), d->shape_similarity);
    flm_text_puts(flm_table_cell(&table), shape_means);
    end_table(r, &table);
}

static void add_likeness_markdown(const struct report *r)
{
    struct flm_text *out = r->d->out;
    flm_text_puts(out, "\nSimilarity **");
    flm_similarity_add(out, r->d->similarity);
    flm_text_format(out, "** (%s), shape similarity **", similarity_means);
    flm_similarity_add(out, r->d->shape_similarity);
    flm_text_format(out, "** (%s).\n", shape_means);
}

/* What was made equal, and what percentages are of. */
static void add_terms(const struct report *r)
{
    const struct flm_diff *d = r->d;
    struct flm_text words = {0};
    if (d->asked.normal.by != FLM_NORMALIZE_NONE) {
        struct flm_comparison_terms terms = {.unit = d->unit,
                                             .factor = 1,
                                             .by = d->asked.normal.by,
                                             .function = d->asked.normal.function};
        flm_comparison_add_normalized(&words, &d->is, &terms);
    }
    if (d->asked.relative != FLM_DIFF_ABSOLUTE) {
        flm_text_puts(&words, words.size > 0 ? "\n" : "");
        flm_text_puts(&words, d->asked.shares ? "values are shares: of before in its total, of "
                                                "after in its total"
                              : d->asked.relative == FLM_DIFF_OF_BASE
                                  ? "values are shares of the total of before"
                                  : "values are shares of the total of after");
    }
    if (words.size > 0) {
        flm_text_puts(r->d->out, "\n");
        flm_text_puts(&words, "\n");
        add_note(r, &words);
    }
    d->out->failed |= words.failed;
    flm_text_clear(&words);
}

static void add_parts(struct report *r)
{
    static const enum flm_change_kind kinds[] = {FLM_CHANGE_APPEARED, FLM_CHANGE_GROWN,
                                                 FLM_CHANGE_SHRUNK, FLM_CHANGE_DISAPPEARED,
                                                 FLM_CHANGE_NONE};
    const struct flm_diff *d = r->d;
    struct flm_table table;
    double before = d->is.before_total * d->is.how.scale;
    bool has_share = before > 0 && d->asked.relative == FLM_DIFF_ABSOLUTE;
    struct flm_column columns[4] = {{"", FLM_COLUMN_TEXT, 0}, {"change", FLM_COLUMN_NUMBER, 0}};
    size_t count = 2;
    if (has_share)
        columns[count++] = (struct flm_column){"of before", FLM_COLUMN_NUMBER, 0};
    columns[count++] = (struct flm_column){"stacks", FLM_COLUMN_NUMBER, 0};
    flm_table_init(&table, columns, count);
    flm_text_putc(d->out, '\n');
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct flm_change_sum *sum = &d->is.sums[kinds[i]];
        bool is_less = kinds[i] == FLM_CHANGE_SHRUNK || kinds[i] == FLM_CHANGE_DISAPPEARED;
        double change = kinds[i] == FLM_CHANGE_NONE ? 0 : is_less ? -sum->change : sum->change;
        flm_text_puts(flm_table_cell(&table), flm_change_kind_name(kinds[i]));
        add_change(r, &table, change, false);
        if (has_share && kinds[i] == FLM_CHANGE_NONE)
            flm_table_cell(&table);
        else if (has_share)
            add_share(&table, change > 0 ? "+" : "", change, before);
        flm_count_add(flm_table_cell(&table), sum->stack_count);
    }
    end_table(r, &table);
}

/* ---- The largest changes --------------------------------------------------------------------- */

/* What is left out first in a narrow window. */
enum { LAST = 1, FIRST_VALUES, PERCENT, MODULE, OTHER_VALUES };

static struct flm_bytes place_of(const struct flm_diff *d, const struct flm_function *function)
{
    return flm_string_bytes(d->both, function->module ? function->module : function->file);
}

static const struct flm_function *function_of(const struct flm_diff *d, uint32_t row)
{
    return &d->changes.functions.function[d->changes.function[row].function];
}

static bool any_places(const struct flm_diff *d)
{
    for (uint32_t i = 0; i < d->changes.function_count; i++)
        if (place_of(d, function_of(d, i)).size > 0)
            return true;
    return false;
}

static void fill_functions(struct report *r, struct flm_table *table, bool by_total,
                           bool has_places)
{
    const struct flm_diff *d = r->d;
    for (uint32_t i = 0; i < d->changes.function_count; i++) {
        const struct flm_function_change *change = &d->changes.function[i];
        const struct flm_function *function = function_of(d, i);
        for (int column = 0; column < 2; column++) {
            const struct flm_change *c = (column == 0) == by_total ? &change->total : &change->self;
            add_change_of(r, table, c);
            if (column == 0)
                flm_change_add_percent(flm_table_cell(table), c);
            add_value(r, table, c->before);
            add_value(r, table, c->after);
        }
        if (has_places)
            flm_text_add(flm_table_cell(table), place_of(d, function));
        flm_text_add(flm_table_cell(table), flm_string_bytes(d->both, function->name));
    }
}

static void add_more(const struct report *r, uint32_t shown, uint32_t all, const char *what)
{
    struct flm_text *out = r->d->out;
    if (shown == all)
        return;
    flm_text_puts(out, r->markdown ? "\n" : "");
    flm_tone_add(out, FLM_TONE_MUTED, &r->d->look);
    flm_text_puts(out, "and ");
    flm_count_add(out, all - shown);
    flm_text_format(out, " more %s%s", what, all - shown == 1 ? "" : "s");
    flm_tone_add(out, FLM_TONE_PLAIN, &r->d->look);
    flm_text_putc(out, '\n');
}

static void add_functions(struct report *r)
{
    const struct flm_diff *d = r->d;
    bool by_total = d->asked.sort == FLM_FUNCTIONS_BY_TOTAL;
    bool by_name = d->asked.sort == FLM_FUNCTIONS_BY_NAME;
    struct flm_column columns[9] = {
        {by_total ? "total change" : "self change", FLM_COLUMN_NUMBER, 0},
        {"", FLM_COLUMN_NUMBER, PERCENT},
        {"before", FLM_COLUMN_NUMBER, FIRST_VALUES},
        {"after", FLM_COLUMN_NUMBER, FIRST_VALUES},
        {by_total ? "self change" : "total change", FLM_COLUMN_NUMBER, LAST},
        {"before", FLM_COLUMN_NUMBER, OTHER_VALUES},
        {"after", FLM_COLUMN_NUMBER, OTHER_VALUES},
    };
    size_t count = 7;
    bool has_places = any_places(d);
    if (has_places)
        columns[count++] = (struct flm_column){"module", FLM_COLUMN_PATH, MODULE};
    columns[count++] = (struct flm_column){"function", FLM_COLUMN_NAME, 0};
    struct flm_table table;
    flm_table_init(&table, columns, count);
    start_section(r, "Functions",
                  by_name    ? ", in the order of their names"
                  : by_total ? ", by the change of total: with all they call"
                             : ", by the change of self",
                  true);
    fill_functions(r, &table, by_total, has_places);
    end_table(r, &table);
    add_more(r, d->changes.function_count, d->changes.changed_functions, "function");
    flm_text_puts(d->out, r->markdown ? "\n</details>\n" : "");
}

static void add_seen(const struct flm_diff *d, uint32_t node, struct flm_text *cell)
{
    for (int s = 0; s < 2; s++) {
        const struct flm_diff_side *side = &d->side[s];
        flm_text_format(cell, "%s%u/%u", s ? ", " : "", side->seen ? side->seen[node] : 0,
                        side->count);
    }
}

static void add_stacks(struct report *r)
{
    const struct flm_diff *d = r->d;
    bool has_seen = d->side[0].seen;
    struct flm_column columns[6] = {{"change", FLM_COLUMN_NUMBER, 0},
                                    {"", FLM_COLUMN_NUMBER, PERCENT},
                                    {"before", FLM_COLUMN_NUMBER, FIRST_VALUES},
                                    {"after", FLM_COLUMN_NUMBER, FIRST_VALUES}};
    size_t count = 4;
    if (has_seen)
        columns[count++] = (struct flm_column){"in runs", FLM_COLUMN_TEXT, LAST};
    columns[count++] = (struct flm_column){"stack", FLM_COLUMN_STACK, 0};
    struct flm_table table;
    flm_table_init(&table, columns, count);
    start_section(r, "Stacks", ", by the change of self", false);
    for (uint32_t i = 0; i < d->changes.stack_count; i++) {
        uint32_t node = d->changes.stack[i];
        struct flm_change c = flm_comparison_change(&d->is, node, FLM_CHANGE_OF_SELF);
        add_change_of(r, &table, &c);
        flm_change_add_percent(flm_table_cell(&table), &c);
        add_value(r, &table, c.before);
        add_value(r, &table, c.after);
        if (has_seen)
            add_seen(d, node, flm_table_cell(&table));
        struct flm_text *cell = flm_table_cell(&table);
        flm_diff_add_stack(d, node, cell);
        flm_text_puts(cell, node == 0 ? "[empty]" : "");
    }
    end_table(r, &table);
    add_more(r, d->changes.stack_count, d->changes.changed_stacks, "stack");
    flm_text_puts(d->out, r->markdown ? "\n</details>\n" : "");
}

/* ---- What it is worth ------------------------------------------------------------------------ */

static void add_worth(const struct report *r)
{
    const struct flm_diff *d = r->d;
    struct flm_text words = {0};
    bool tests = d->is.how.sigmas > 0 && d->is.how.before_sample > 0 && d->is.how.after_sample > 0;
    if (r->has_noise)
        flm_text_puts(&words, "~ no more than the noise of counting samples: a guess, for runs "
                              "differ by more than that.\n");
    else if (!tests && d->is.how.sigmas > 0)
        flm_text_puts(&words, "Nothing is marked as the noise of counting samples: it is not known "
                              "what a sample counts.\n");
    if (d->runs.run_count == 2)
        flm_text_puts(&words, "One recording of each cannot tell a change from the noise between "
                              "runs. 'flamel gate' tells it from several of each: --base FILE... "
                              "--new FILE...\n");
    else
        flm_text_format(&words,
                        "Means of %u and %u runs: which of this is more than the noise between "
                        "them, 'flamel gate' tells, with the same --base and --new.\n",
                        d->side[0].count, d->side[1].count);
    flm_text_puts(d->out, "\n");
    flm_tone_add(d->out, FLM_TONE_MUTED, &d->look);
    add_note(r, &words);
    flm_tone_add(d->out, FLM_TONE_PLAIN, &d->look);
    d->out->failed |= words.failed;
    flm_text_clear(&words);
}

static void add_changes(struct report *r)
{
    const struct flm_diff *d = r->d;
    if (d->is.before_total == 0 && d->is.after_total == 0) {
        flm_text_puts(d->out, "\nThere is nothing to compare: no stack has a value.\n");
        return;
    }
    if (d->changes.changed_stacks == 0) {
        flm_text_puts(d->out, "\nNothing changed: every stack has as much in both.\n");
        return;
    }
    if (d->changes.changed_functions > 0)
        add_functions(r);
    add_stacks(r);
    add_worth(r);
}

/* "560 samples before, 662 samples after: +102 samples (+18.2 %)" */
static void add_heading(const struct report *r)
{
    const struct flm_diff *d = r->d;
    struct flm_comparison_terms terms = {.unit = d->unit, .factor = 1};
    struct flm_change all = flm_comparison_judge(&d->is, d->side[0].total, d->side[1].total);
    all.noise = false; /* it is told below, with what it means */
    flm_text_puts(d->out, "### flamel diff: ");
    flm_comparison_add_change(d->out, &d->is, &all, &terms);
    flm_text_puts(d->out, "\n\n");
}

void flm_diff_text(const struct flm_diff *d)
{
    struct report r = {.d = d};
    add_totals(&r);
    add_likeness(&r);
    add_terms(&r);
    add_parts(&r);
    add_changes(&r);
}

void flm_diff_markdown(const struct flm_diff *d)
{
    struct report r = {.d = d, .markdown = true};
    add_heading(&r);
    add_totals(&r);
    add_likeness_markdown(&r);
    add_terms(&r);
    add_parts(&r);
    add_changes(&r);
}
