#include "cli/report/gate_more.h"

#include <math.h>

#include "cli/report/gate_words.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"

enum { MOST_NOT_SIGNIFICANT = 5 };

static void add_renames(struct flm_text *out, const struct flm_gate_report *r)
{
    uint32_t count = r->gate->renames.count;
    uint32_t shown = r->rows > 0 && r->rows < count ? r->rows : count;
    for (uint32_t i = 0; i < shown; i++) {
        const struct flm_rename *rename = &r->gate->renames.rename[i];
        flm_text_puts(out, "Renamed: ");
        flm_rename_text(out, rename);
        flm_text_puts(out, " (");
        flm_words_quantity(out, r->runs, rename->base);
        flm_text_puts(out, " and ");
        flm_words_quantity(out, r->runs, rename->new);
        flm_text_puts(out, rename->has_changed ? "), and changed.\n" : "), no change.\n");
    }
    if (shown < count)
        flm_text_format(out, "And %u more were renamed.\n", count - shown);
}

static void add_moves(struct flm_text *out, const struct flm_gate_report *r)
{
    for (uint32_t i = 0; i < r->gate->moves.count; i++) {
        const struct flm_move *move = &r->gate->moves.move[i];
        flm_text_puts(out, move->is_local ? "Moved below " : "Cancels below ");
        flm_words_stack(out, r->runs->tree, move->below);
        flm_text_puts(out, ": ");
        flm_words_signed(out, r->runs, move->change);
        flm_text_puts(out, !move->is_local ? " together, maybe by chance in so much code.\n"
                           : move->is_free ? " together, which is no growth.\n"
                                           : " together, so it was not free.\n");
    }
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

static void add_place(struct flm_text *out, const struct flm_runs *runs,
                      const struct flm_tolerance_row *row)
{
    if (row->node == 0)
        flm_text_puts(out, "the total");
    else
        flm_words_stack(out, runs->tree, row->node);
    bool is_leaf = runs->tree->node_end[row->node] == row->node + 1;
    if (row->node > 0 && row->is_self && !is_leaf)
        flm_text_puts(out, " itself");
}

/* "main;lex may have grown by 2.3 %: about 50 runs on each side would do" */
static void add_row(struct flm_text *out, const struct flm_runs *runs,
                    const struct flm_tolerance_row *row, double base_total)
{
    add_place(out, runs, row);
    if (!(row->upper < INFINITY)) {
        flm_text_puts(out, " is not known to be below it at all: more runs are needed");
        return;
    }
    flm_text_puts(out, " may have grown by ");
    if (base_total > 0)
        flm_percent_add(out, row->upper, base_total);
    else
        flm_words_quantity(out, runs, row->upper);
    if (!(row->runs_needed < INFINITY)) {
        flm_text_puts(out, ", and was measured to have grown by ");
        flm_words_quantity(out, runs, row->change);
        return;
    }
    flm_text_puts(out, ": about ");
    flm_count_add(out, (uint64_t)fmin(fmax(ceil(row->runs_needed), 2), 1e15));
    flm_text_puts(out, " runs on each side would do");
}

void flm_gate_add_significant(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_puts(out, "it is significant that neither the total nor a frame grew by ");
    flm_words_percent(out, r->options->tolerance);
    flm_text_puts(out, " of base");
}

void flm_gate_add_not_significant(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_puts(out, "it is not significant that nothing grew by ");
    flm_words_percent(out, r->options->tolerance);
    flm_text_puts(out, " of base: ");
    if (r->gate->tolerance.count > 0)
        add_row(out, r->runs, &r->gate->tolerance.row[0], r->gate->total.base_mean);
}

static void add_tolerance(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_tolerance *tolerance = &r->gate->tolerance;
    if (!tolerance->is_asked)
        return;
    uint32_t shown =
        tolerance->count < MOST_NOT_SIGNIFICANT ? tolerance->count : MOST_NOT_SIGNIFICANT;
    flm_text_puts(out, "Of the total and the frames that have 1 % of it, ");
    flm_count_add(out, tolerance->asked_count - tolerance->count);
    flm_text_puts(out, " of ");
    flm_count_add(out, tolerance->asked_count);
    flm_text_puts(out, " grew by less than ");
    flm_words_quantity(out, r->runs, tolerance->most);
    flm_text_puts(out, ", with a confidence of ");
    flm_words_percent(out, 1 - r->options->alpha);
    flm_text_puts(out, tolerance->count == 0 ? " for all of them together.\n"
                                             : " for each by itself.\n");
    for (uint32_t i = 0; i < shown; i++) {
        flm_text_puts(out, "Not so: ");
        add_row(out, r->runs, &tolerance->row[i], r->gate->total.base_mean);
        flm_text_puts(out, ".\n");
    }
    if (shown < tolerance->count)
        flm_text_format(out, "And %u more.\n", tolerance->count - shown);
}

void flm_gate_add_more(struct flm_text *out, const struct flm_gate_report *r)
{
    add_renames(out, r);
    add_moves(out, r);
    add_tolerance(out, r);
}
