/* sentences.c - the sentences of a gate's report (gate_report.h), the same in every form. */
#include <math.h>

#include "draw/text/cells.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"

const char *flm_verdict_name(enum flm_verdict verdict)
{
    static const char *const names[] = {
        [FLM_VERDICT_PASS] = "PASS",
        [FLM_VERDICT_FAIL] = "FAIL",
        [FLM_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
    };
    return names[verdict];
}

static bool is_two_sided(const struct flm_gate_report *r)
{
    return r->options->side == FLM_SIDE_BOTH;
}

/* How many runs: "20", "1,300". */
static void add_runs(struct flm_text *out, double runs)
{
    flm_count_add(out, (uint64_t)fmin(ceil(runs), 1e15));
}

/* ---- Of a fixed total ------------------------------------------------------------------------ */

/* The largest change in this direction; NULL. */
static const struct flm_item *largest_item(const struct flm_gate *gate, bool grown)
{
    for (uint32_t i = 0; i < gate->found.count; i++)
        if (grown ? gate->found.item[i].change > 0 : gate->found.item[i].change < 0)
            return &gate->found.item[i];
    return NULL;
}

static void add_function(struct flm_text *out, const struct flm_gate_report *r, uint32_t node);

/* "f gave 16 % (and 2 more)"; false where none did. */
static bool add_share_of(struct flm_text *out, const struct flm_gate_report *r, bool grown)
{
    const struct flm_item *item = largest_item(r->gate, grown);
    uint32_t count = 0;
    if (!item)
        return false;
    for (uint32_t i = 0; i < r->gate->found.count; i++)
        count += grown ? r->gate->found.item[i].change > 0 : r->gate->found.item[i].change < 0;
    add_function(out, r, item->node);
    flm_text_puts(out, grown ? " took " : " gave ");
    flm_percent_add(out, fabs(item->change), r->gate->total.base_mean);
    if (count > 1)
        flm_text_format(out, " (and %u more)", count - 1);
    return true;
}

/* "f gave 16 % of the fixed total, all others took their part of it" */
static void add_composition(struct flm_text *out, const struct flm_gate_report *r)
{
    bool gave = add_share_of(out, r, false);
    if (!gave) {
        add_share_of(out, r, true);
        flm_text_puts(out, " of the fixed total, from all others");
        return;
    }
    flm_text_puts(out, " of the fixed total, ");
    if (!add_share_of(out, r, true))
        flm_text_puts(out, "all others took their part of it");
}

static bool has_composition(const struct flm_gate_report *r)
{
    return r->gate->total_is_fixed && r->gate->found.count > 0;
}

/* ---- FAIL ------------------------------------------------------------------------------------ */

/* The function of a node, as far as it is good to read in a sentence. */
static void add_function(struct flm_text *out, const struct flm_gate_report *r, uint32_t node)
{
    enum { ROOM = 60 };
    const struct flm_profile *tree = r->runs->tree;
    struct flm_text scratch = {0};
    if (node == 0)
        flm_text_puts(out, "the program");
    else
        flm_cells_add_name(out,
                           flm_showable(flm_frame_function(tree, tree->node_frame[node]),
                                        FLM_CHARSET_PLAIN, &scratch),
                           (struct flm_width){ROOM}, FLM_CHARSET_PLAIN);
    out->failed = out->failed || scratch.failed;
    flm_text_clear(&scratch);
}

static const char *verb_of(const struct flm_item *item)
{
    if (item->base_seen == 0)
        return " appeared with ";
    if (item->new_seen == 0)
        return " disappeared with ";
    return item->change > 0 ? " grew by " : " shrank by ";
}

static void add_item(struct flm_text *out, const struct flm_gate_report *r,
                     const struct flm_item *item)
{
    double base = r->gate->total.base_mean;
    add_function(out, r, item->node);
    flm_text_puts(out, verb_of(item));
    flm_format_quantity(out, r->runs, fabs(item->change));
    if (base > 0) {
        flm_text_puts(out, " (");
        flm_percent_add(out, fabs(item->change), base);
        flm_text_puts(out, " of base)");
    }
    if (item->scope == FLM_ITEM_SPREAD)
        flm_text_puts(out, ", spread over its callees");
    else if (item->scope == FLM_ITEM_REST)
        flm_text_puts(out, ", in addition to the listed changes of its callees");
}

static const struct flm_item *first_failing(const struct flm_gate *gate)
{
    for (uint32_t i = 0; i < gate->found.count; i++)
        if (gate->found.item[i].is_failing)
            return &gate->found.item[i];
    return NULL;
}

static void add_what_fails(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_gate_column *total = &r->gate->total;
    const struct flm_item *first = first_failing(r->gate);
    double change = total->new_mean - total->base_mean;
    if (!first) {
        flm_text_puts(out, change > 0 ? "the total grew by " : "the total shrank by ");
        flm_format_quantity(out, r->runs, fabs(change));
        flm_text_puts(out, " (");
        flm_format_share(out, change, total->base_mean);
        flm_text_puts(out, "), and no single frame significantly");
        return;
    }
    add_item(out, r, first);
    if (r->gate->failing_count > 1)
        flm_text_format(out, ", %u more %s", r->gate->failing_count - 1,
                        is_two_sided(r) ? "changed" : "grew");
    flm_text_puts(out, "; ");
    if (has_composition(r)) {
        add_composition(out, r);
        return;
    }
    flm_text_puts(out, "total ");
    flm_format_share(out, change, total->base_mean);
}

/* ---- PASS ------------------------------------------------------------------------------------ */

/* It was moved there. */
static bool has_free_growth(const struct flm_gate *gate)
{
    for (uint32_t i = 0; i < gate->moves.count; i++)
        if (gate->moves.move[i].is_free)
            return true;
    return false;
}

static void add_what_passes(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_noise_row *total = &r->gate->noise.total;
    bool both = is_two_sided(r), is_small = false, only_share = false;
    unsigned shrunk = 0;
    double least = r->options->min_effect * r->gate->total.base_mean;
    if (r->gate->tolerance.is_requested) {
        flm_gate_add_significant(out, r);
        return;
    }
    if (has_composition(r) && !both) {
        flm_text_puts(out, "nothing grew by more than it took of what others gave: ");
        add_composition(out, r);
        return;
    }
    for (uint32_t i = 0; i < r->gate->found.count; i++) {
        const struct flm_item *item = &r->gate->found.item[i];
        only_share |= item->change >= least && item->moved_below == FLM_NONE &&
                      r->gate->column[item->column].by_size_only;
        is_small |= (both || item->change > 0) && fabs(item->change) < least &&
                    item->moved_below == FLM_NONE;
        shrunk += item->change < 0 && item->moved_below == FLM_NONE;
    }
    if (is_small) {
        flm_text_puts(out, both ? "what changed is less than " : "what grew is less than ");
        flm_format_percent(out, r->options->min_effect);
        flm_text_puts(out, " of base");
        return;
    }
    if (has_free_growth(r->gate) && !both) {
        flm_text_puts(out, "what grew was moved, below frames that did not grow");
        return;
    }
    if (only_share && !both) {
        flm_text_puts(out, "what grew did so in its share of the run, not in its size");
        return;
    }
    flm_text_puts(out, both ? "nothing changed" : "nothing grew");
    if (r->options->exact)
        return;
    flm_text_puts(out, " significantly");
    if (shrunk > 0)
        flm_text_format(out, ", %u shrank", shrunk);
    if (total->mde < INFINITY && total->mean > 0) {
        flm_text_puts(out, " (minimum detectable effect: ");
        flm_format_percent(out, total->mde / total->mean);
        flm_text_puts(out, " of the total)");
    }
}

/* ---- INCONCLUSIVE ---------------------------------------------------------------------------- */

static void add_too_noisy(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_noise_row *total = &r->gate->noise.total;
    if (!(total->mde < INFINITY)) {
        flm_text_puts(out, "with so few runs no change of the total is detectable, and a minimum "
                           "detectable effect of ");
        flm_format_percent(out, r->options->require_mde);
        flm_text_puts(out, " is required");
        return;
    }
    double each = 2 / (1.0 / r->runs->base_count + 1.0 / r->runs->new_count);
    double times = total->mde / (r->options->require_mde * total->mean);
    flm_text_puts(out, "the minimum detectable effect is ");
    flm_format_percent(out, total->mde / total->mean);
    flm_text_puts(out, " of the total, and ");
    flm_format_percent(out, r->options->require_mde);
    flm_text_puts(out, " is required: that takes about ");
    add_runs(out, each * times * times);
    flm_text_puts(out, " runs on each side");
}

static void add_uncovered(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_gate *gate = r->gate;
    if (gate->covered > 0) {
        flm_text_puts(out, "only ");
        flm_format_percent(out, gate->covered);
        flm_text_puts(out, " of the total was tested, what else there is differs from run to run "
                           "or is rare");
    } else {
        flm_text_puts(out, "nothing was tested, as no frame with 5 samples is in 3 runs");
    }
    flm_text_puts(out, ": record longer, or make names that differ from run to run equal (--apply "
                       "rename:s/old/new/)");
}

static void add_why_composition(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_puts(out, "the total is fixed, and shares of it do not say which frames need more and "
                       "which less: ");
    add_composition(out, r);
    flm_text_puts(out, "; record a fixed amount of work instead");
}

static void add_too_few(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_format(out,
                    "%u + %u runs are too few to know the noise of each side: %u on each side are "
                    "enough, 8 and more are useful",
                    r->runs->base_count, r->runs->new_count,
                    r->gate->least_runs > 0 ? r->gate->least_runs : 5);
}

static void add_why_unknown(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_gate *gate = r->gate;
    if (gate->is_uncovered) {
        add_uncovered(out, r);
        return;
    }
    if (gate->is_composition) {
        add_why_composition(out, r);
        return;
    }
    if (gate->is_too_noisy && gate->smallest_p <= r->options->alpha) {
        add_too_noisy(out, r);
        return;
    }
    if (gate->tolerance.is_requested && !gate->tolerance.is_significant) {
        flm_gate_add_not_significant(out, r);
        return;
    }
    if (gate->has_too_few_runs && gate->smallest_p <= r->options->alpha) {
        add_too_few(out, r);
        return;
    }
    flm_text_format(out, "%u + %u runs", r->runs->base_count, r->runs->new_count);
    if (!gate->is_complete) {
        flm_text_puts(out, " and ");
        flm_count_add(out, (uint64_t)gate->permutations);
        flm_text_puts(out, " permutations");
    }
    flm_text_puts(out, " cannot give a p below ");
    flm_format_rounded(out, gate->smallest_p, 2);
    if (gate->least_runs > 0)
        flm_text_format(out, ": %u on each side can, 8 and more are useful", gate->least_runs);
    else
        flm_text_puts(out, ": more --permutations are needed");
}

/* With a tolerance: that changes of its size are not detected, and because of which side. */
static void add_noise_above_tolerance(struct flm_text *out, const struct flm_gate_report *r)
{
    static const double most_of_noise = 0.7;
    const struct flm_noise_row *total = &r->gate->noise.total;
    const struct flm_tolerance *tolerance = &r->gate->tolerance;
    if (!tolerance->is_requested || !(total->mean > 0) || total->mde <= tolerance->most)
        return;
    flm_text_puts(out, "; the minimum detectable effect");
    if (!(total->mde < INFINITY)) {
        flm_text_puts(out, " of so few runs is above any tolerance");
        return;
    }
    flm_text_puts(out, ", ");
    flm_format_percent(out, total->mde / total->mean);
    flm_text_puts(out, " of the total, is above the tolerance");
    if (total->new_part > most_of_noise || total->new_part < 1 - most_of_noise)
        flm_text_format(out, ", for the noise of %s (%u runs)",
                        total->new_part > 0.5 ? "new" : "base",
                        total->new_part > 0.5 ? r->runs->new_count : r->runs->base_count);
}

void flm_gate_add_verdict(struct flm_text *out, const struct flm_gate_report *r)
{
    switch (r->gate->verdict) {
    case FLM_VERDICT_FAIL:
        add_what_fails(out, r);
        break;
    case FLM_VERDICT_PASS:
        add_what_passes(out, r);
        break;
    case FLM_VERDICT_INCONCLUSIVE:
        add_why_unknown(out, r);
        break;
    }
    add_noise_above_tolerance(out, r);
}

/* ---- Items ----------------------------------------------------------------------------------- */

void flm_gate_add_kind(struct flm_text *out, const struct flm_gate_report *r,
                       const struct flm_item *item)
{
    const struct flm_profile *tree = r->runs->tree;
    bool is_leaf = tree->node_end[item->node] == item->node + 1;
    flm_text_puts(out, item->base_seen == 0  ? "appeared"
                       : item->new_seen == 0 ? "disappeared"
                       : item->change > 0    ? "grown"
                                             : "shrunk");
    if (item->scope == FLM_ITEM_SPREAD)
        flm_text_puts(out, ", spread below");
    else if (item->scope == FLM_ITEM_REST)
        flm_text_puts(out, ", the rest below");
    else if (!is_leaf)
        flm_text_puts(out, ", itself");
    if (r->gate->column[item->column].by_size_only)
        flm_text_puts(out, ", its share");
    if (item->moved_below != FLM_NONE)
        flm_text_puts(out, ", moved");
}

void flm_gate_add_interval(struct flm_text *out, const struct flm_gate_report *r,
                           const struct flm_item *item)
{
    static const char *const scaled[] = {"ns", "us", "ms", "s", "bytes"};
    const struct flm_gate_column *c = &r->gate->column[item->column];
    struct flm_bytes unit = flm_runs_unit(r->runs);
    bool is_part = false;
    if (item->scope == FLM_ITEM_REST || r->options->exact)
        return;
    if (!(c->low > -INFINITY) || !(c->high < INFINITY)) {
        flm_text_puts(out, "not known");
        return;
    }
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
        is_part |= flm_bytes_are(unit, scaled[i]);
    for (int high = 0; high < 2; high++) {
        double value = flm_format_mean(high ? c->high : c->low);
        flm_text_puts(out, high ? " to " : "");
        flm_text_puts(out, value > 0 ? "+" : "");
        flm_quantity_add(out, value, is_part ? unit : flm_bytes_of(""));
    }
}

/* ---- Noise and method ------------------------------------------------------------------------ */

void flm_gate_add_detectable(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_noise *noise = &r->gate->noise;
    if (r->options->exact) {
        flm_text_puts(out, "There is no noise: every change is real.");
        return;
    }
    if (!(noise->total.mean > 0) || !(noise->total.mde < INFINITY)) {
        flm_text_puts(out, "With so few runs no change is detectable, whatever its size.");
        return;
    }
    flm_text_puts(out, "MDE: the minimum detectable effect, at a power of 80 %.");
    if (r->gate->total_is_fixed)
        return; /* a total that never changes would take one run */
    flm_text_puts(out, " To detect ");
    flm_format_percent(out, noise->wanted);
    flm_text_puts(out, " of the total takes about ");
    add_runs(out, noise->total.runs_needed);
    flm_text_puts(out, " runs on each side.");
}

void flm_gate_add_method(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_gate *gate = r->gate;
    bool by_size = !r->options->absolute_only && gate->columns.has_view_by_size;
    if (r->options->exact) {
        flm_text_puts(out, "Compared exactly: ");
        flm_count_add(out, gate->columns.matrix.column_count);
        flm_text_puts(out, " frames and stacks.");
        return;
    }
    flm_text_puts(out, "Permutation test at alpha ");
    flm_format_rounded(out, r->options->alpha, 3);
    flm_text_puts(out, ": ");
    flm_count_add(out, gate->columns.matrix.column_count);
    flm_text_puts(out, " frames and stacks");
    flm_text_puts(out, by_size ? ", as measured and normalized by the size of the run" : "");
    if (gate->columns.left_out_count > 0) {
        flm_text_puts(out, " (");
        flm_count_add(out, gate->columns.left_out_count);
        flm_text_puts(out, " rare ones only in the totals of their callers)");
    }
    flm_text_puts(out, gate->is_complete ? ", all " : ", ");
    flm_count_add(out, (uint64_t)gate->permutations);
    if (gate->is_complete)
        flm_text_puts(out, " permutations: an exact test. ");
    else
        flm_text_format(out, " permutations, seed %llu. ", (unsigned long long)r->options->seed);
    if (gate->total_is_fixed)
        flm_text_puts(out, "The total is fixed (all runs have the same): only shares are tested. ");
    if (gate->sides.is_unequal) {
        flm_text_puts(out, "The noise of new is ");
        flm_format_rounded(out, gate->sides.ratio, 2);
        flm_text_puts(out, " times that of base: p is that of theory too, corrected for all. ");
    }
    if (gate->unit > 0) {
        flm_text_puts(out, "Weight of a sample: ");
        flm_format_quantity(out, r->runs, gate->unit);
        flm_text_puts(out, ".");
    } else {
        flm_text_puts(out, "The weight of a sample is not known (--sample).");
    }
}

/* ---- Renamed, moved, not significant --------------------------------------------------------- */

enum { MOST_NOT_SIGNIFICANT = 5 };

static void add_rename_lines(struct flm_text *out, const struct flm_gate_report *r)
{
    uint32_t count = r->gate->renames.count;
    uint32_t shown = r->rows > 0 && r->rows < count ? r->rows : count;
    if (r->runs->same.renamed > 0) {
        flm_format_same_names(out, &r->runs->same);
        flm_text_putc(out, '\n');
    }
    for (uint32_t i = 0; i < shown; i++) {
        const struct flm_rename *rename = &r->gate->renames.rename[i];
        flm_text_puts(out, "Renamed: ");
        flm_rename_text(out, rename);
        flm_text_puts(out, " (");
        flm_format_quantity(out, r->runs, rename->base);
        flm_text_puts(out, " and ");
        flm_format_quantity(out, r->runs, rename->new);
        flm_text_puts(out, rename->has_changed ? "), and changed.\n" : "), no change.\n");
    }
    if (shown < count)
        flm_text_format(out, "And %u more were renamed.\n", count - shown);
}

static void add_moves(struct flm_text *out, const struct flm_gate_report *r)
{
    uint32_t count = r->gate->moves.count;
    uint32_t shown = r->rows > 0 && r->rows < count ? r->rows : count;
    for (uint32_t i = 0; i < shown; i++) {
        const struct flm_move *move = &r->gate->moves.move[i];
        flm_text_puts(out, move->is_local ? "Moved below " : "Cancels below ");
        flm_format_short_stack(out, r->runs->tree, move->below);
        flm_text_puts(out, ": ");
        flm_format_signed(out, r->runs, move->change);
        flm_text_puts(out, !move->is_local ? " together, maybe by chance in so much code.\n"
                           : move->is_free ? " together, which is no growth.\n"
                                           : " together, so it was not free.\n");
    }
    if (shown < count)
        flm_text_format(out, "And %u more frames below which something moved.\n", count - shown);
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

static void add_location(struct flm_text *out, const struct flm_runs *runs,
                         const struct flm_tolerance_row *row)
{
    if (row->node == 0)
        flm_text_puts(out, "the total");
    else
        flm_format_short_stack(out, runs->tree, row->node);
    bool is_leaf = runs->tree->node_end[row->node] == row->node + 1;
    if (row->node > 0 && row->is_self && !is_leaf)
        flm_text_puts(out, " itself");
}

/* "main;lex may have grown by 2.3 %: about 50 runs on each side would do" */
static void add_row(struct flm_text *out, const struct flm_runs *runs,
                    const struct flm_tolerance_row *row, double base_total)
{
    add_location(out, runs, row);
    if (!(row->upper < INFINITY)) {
        flm_text_puts(out, " has no upper bound: more runs are needed");
        return;
    }
    flm_text_puts(out, " may have grown by ");
    if (base_total > 0)
        flm_percent_add(out, row->upper, base_total);
    else
        flm_format_quantity(out, runs, row->upper);
    if (!(row->runs_needed < INFINITY)) {
        flm_text_puts(out, ", and was measured to have grown by ");
        flm_format_quantity(out, runs, row->change);
        return;
    }
    flm_text_puts(out, ": about ");
    flm_count_add(out, (uint64_t)fmin(fmax(ceil(row->runs_needed), 2), 1e15));
    flm_text_puts(out, " runs on each side would do");
}

void flm_gate_add_significant(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_puts(out, "it is significant that neither the total nor a frame grew by ");
    flm_format_percent(out, r->options->tolerance);
    flm_text_puts(out, " of base");
}

void flm_gate_add_not_significant(struct flm_text *out, const struct flm_gate_report *r)
{
    flm_text_puts(out, "it is not significant that nothing grew by ");
    flm_format_percent(out, r->options->tolerance);
    flm_text_puts(out, " of base: ");
    if (r->gate->tolerance.count > 0)
        add_row(out, r->runs, &r->gate->tolerance.row[0], r->gate->total.base_mean);
}

static void add_tolerance(struct flm_text *out, const struct flm_gate_report *r)
{
    const struct flm_tolerance *tolerance = &r->gate->tolerance;
    if (!tolerance->is_requested)
        return;
    uint32_t shown =
        tolerance->count < MOST_NOT_SIGNIFICANT ? tolerance->count : MOST_NOT_SIGNIFICANT;
    flm_text_puts(out, "Of the total and the frames that have 1 % of it, ");
    flm_count_add(out, tolerance->tested_count - tolerance->count);
    flm_text_puts(out, " of ");
    flm_count_add(out, tolerance->tested_count);
    flm_text_puts(out, " grew by less than ");
    flm_format_quantity(out, r->runs, tolerance->most);
    flm_text_puts(out, ", with a confidence of ");
    flm_format_percent(out, 1 - r->options->alpha);
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
    add_rename_lines(out, r);
    add_moves(out, r);
    add_tolerance(out, r);
}
