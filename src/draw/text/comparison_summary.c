#include "draw/text/comparison_summary.h"

#include <math.h>

#include "base/number/number.h"
#include "draw/text/quantity.h"

static const char separator[] = " \xC2\xB7 ";

static void add_value(struct flm_text *out, double value, const struct flm_comparison_terms *terms)
{
    flm_quantity_add(out, value * terms->factor, terms->unit);
}

/* Scaled counts are fractions, whose digits carry no information. */
static void add_scaled(struct flm_text *out, double value, const struct flm_comparison *c,
                       const struct flm_comparison_terms *terms)
{
    if (c->how.scale != 1 && fabs(value * terms->factor) >= 100)
        value = floor(value * terms->factor + 0.5) / terms->factor;
    add_value(out, value, terms);
}

static void add_number(struct flm_text *out, double value, int digits)
{
    char *to = flm_text_reserve(out, FLM_NUMBER_SIZE);
    if (to)
        out->size += flm_number_print_rounded(value, digits, to);
}

static void add_signed(struct flm_text *out, double value, const struct flm_comparison *c,
                       const struct flm_comparison_terms *terms)
{
    flm_text_puts(out, value > 0 ? "+" : "");
    add_scaled(out, value, c, terms);
}

static bool is_signed_column(const struct flm_comparison *c)
{
    return !c->before_self;
}

/* ---- Sum ------------------------------------------------------------------------------------- */

void flm_comparison_add_normalized(struct flm_text *out, const struct flm_comparison *c,
                                   const struct flm_comparison_terms *terms)
{
    if (terms->by == FLM_NORMALIZE_NONE) {
        flm_text_puts(out, "not normalized");
        return;
    }
    flm_text_puts(out, "normalized: before \xC3\x97 ");
    add_number(out, c->how.scale, 4);
    switch (terms->by) {
    case FLM_NORMALIZE_TOTAL:
        flm_text_puts(out, ", so that the totals are equal");
        break;
    case FLM_NORMALIZE_DURATION:
        flm_text_puts(out, ", as if recorded for as long");
        break;
    case FLM_NORMALIZE_FUNCTION:
        flm_text_puts(out, ", so that ");
        flm_text_add(out, terms->function);
        flm_text_puts(out, " is equal");
        break;
    case FLM_NORMALIZE_NONE:
        break;
    }
}

void flm_similarity_add(struct flm_text *out, double similarity)
{
    double rounded = floor(similarity * 100 + 0.5) / 100;
    if (rounded == 1 && similarity < 1)
        rounded = 0.99;
    if (rounded == 0 && similarity > 0)
        rounded = 0.01;
    add_number(out, rounded, 2);
}

void flm_comparison_add_sum(struct flm_text *out, const struct flm_comparison *c,
                            const struct flm_comparison_terms *terms)
{
    if (!is_signed_column(c)) {
        add_value(out, c->before_total, terms);
        flm_text_puts(out, " before, ");
        add_value(out, c->after_total, terms);
        flm_text_puts(out, " after");
        flm_text_puts(out, separator);
    }
    flm_comparison_add_short(out, c, terms);
}

void flm_comparison_add_short(struct flm_text *out, const struct flm_comparison *c,
                              const struct flm_comparison_terms *terms)
{
    double before = c->before_total, after = c->after_total;
    if (is_signed_column(c)) {
        add_signed(out, after - before, c, terms);
        flm_text_puts(out, " in total");
        return;
    }
    if (before > 0) {
        flm_text_puts(out, after > before ? "+" : "");
        flm_percent_add(out, after - before, before);
    } else {
        add_signed(out, after - before, c, terms);
    }
    flm_text_puts(out, " in total");
    if (c->similarity == c->similarity) {
        flm_text_puts(out, separator);
        flm_text_puts(out, "similarity ");
        flm_similarity_add(out, c->similarity);
    }
    flm_text_puts(out, separator);
    flm_comparison_add_normalized(out, c, terms);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static bool has_shares(const struct flm_comparison *c)
{
    return c->before_total > 0 && !is_signed_column(c);
}

/* "30 samples (60 %)" */
static void add_change(struct flm_text *out, double change, const struct flm_comparison *c,
                       const struct flm_comparison_terms *terms)
{
    add_scaled(out, change, c, terms);
    if (has_shares(c)) {
        flm_text_puts(out, " (");
        flm_percent_add(out, change, c->before_total * c->how.scale);
        flm_text_putc(out, ')');
    }
}

void flm_comparison_add_part(struct flm_text *out, const struct flm_comparison *c,
                             enum flm_change_kind kind, const struct flm_comparison_terms *terms)
{
    const struct flm_change_sum *sum = &c->sums[kind];
    if (kind != FLM_CHANGE_NONE) {
        add_change(out, sum->change, c, terms);
        flm_text_puts(out, " in ");
    }
    flm_count_add(out, sum->stack_count);
    flm_text_puts(out, sum->stack_count == 1 ? " stack" : " stacks");
    if (kind != FLM_CHANGE_NONE && c->lost) {
        flm_text_puts(out, ", ");
        if (sum->significant == 0)
            flm_text_puts(out, "none");
        else
            add_scaled(out, sum->significant, c, terms);
        flm_text_puts(out, " significant");
    }
}

/* A kind whose stacks have no width in the picture. */
static bool is_not_drawn(const struct flm_comparison *c, enum flm_change_kind kind)
{
    return (c->how.widths == FLM_WIDTHS_AFTER && kind == FLM_CHANGE_DISAPPEARED) ||
           (c->how.widths == FLM_WIDTHS_BEFORE && kind == FLM_CHANGE_APPEARED) ||
           (c->how.kinds && !(c->how.kinds >> kind & 1));
}

void flm_comparison_add_parts(struct flm_text *out, const struct flm_comparison *c,
                              const struct flm_comparison_terms *terms)
{
    const char *between = "";
    for (int kind = FLM_CHANGE_APPEARED; kind < FLM_CHANGE_KINDS; kind++) {
        const struct flm_change_sum *sum = &c->sums[kind];
        if (c->lost ? sum->significant == 0 : sum->stack_count == 0)
            continue;
        flm_text_puts(out, c->lost && !*between ? "significant: " : between);
        flm_text_puts(out, flm_change_kind_name((enum flm_change_kind)kind));
        flm_text_putc(out, ' ');
        if (c->lost)
            add_change(out, sum->significant, c, terms);
        else
            flm_comparison_add_part(out, c, (enum flm_change_kind)kind, terms);
        if (is_not_drawn(c, (enum flm_change_kind)kind))
            flm_text_puts(out, c->how.kinds && !(c->how.kinds >> kind & 1)
                                   ? ", left out"
                                   : ", not drawn at this width");
        between = separator;
    }
    if (!*between)
        flm_text_puts(out, c->lost ? "nothing is significant" : "nothing changed");
    else if (has_shares(c))
        flm_text_puts(out, " \xC2\xB7 shares of before");
}

/* ---- Widths, colors and grays ---------------------------------------------------------------- */

void flm_comparison_add_legend(struct flm_text *out, const struct flm_comparison *c,
                               const struct flm_change_colors *colors)
{
    static const char *const widths[] = {[FLM_WIDTHS_MAX] = "width: the larger of both",
                                         [FLM_WIDTHS_AFTER] = "width: after",
                                         [FLM_WIDTHS_BEFORE] = "width: before",
                                         [FLM_WIDTHS_SUM] = "width: both together"};
    flm_text_puts(out,
                  is_signed_column(c) ? "width: gained and lost together" : widths[c->how.widths]);
    flm_text_puts(out, separator);
    flm_text_puts(out, colors->scope == FLM_CHANGE_OF_SELF ? "color: change of each frame alone, "
                                                           : "color: change of the subtree, ");
    flm_text_puts(out, colors->absolute ? "relative to the total" : "relative to the larger value");
    if (c->lost) {
        flm_text_puts(out, separator);
        flm_text_puts(out, "gray: not significant, runs of one side differ by as much");
    } else if (c->how.sigmas > 0 && c->how.before_sample > 0 && c->how.after_sample > 0) {
        flm_text_puts(out, separator);
        flm_text_puts(out, "gray: the same, or too few samples to tell (");
        add_number(out, c->how.sigmas, 3);
        flm_text_puts(out, " \xCF\x83 of counting, an estimate from one run each)");
    }
}

/* ---- One change ------------------------------------------------------------------------------ */

void flm_change_add_percent(struct flm_text *out, const struct flm_change *change)
{
    if (change->kind == FLM_CHANGE_APPEARED) {
        flm_text_puts(out, "new");
    } else if (change->kind == FLM_CHANGE_DISAPPEARED) {
        flm_text_puts(out, "gone");
    } else if (change->kind == FLM_CHANGE_NONE) {
        flm_text_puts(out, "0 %");
    } else {
        flm_text_puts(out, change->after > change->before ? "+" : "");
        flm_percent_add(out, change->after - change->before, change->before);
    }
}

/* Sums of significant changes may differ from the change of the sums in their last digits. */
static void add_significant(struct flm_text *out, const struct flm_comparison *c,
                            const struct flm_change *change,
                            const struct flm_comparison_terms *terms)
{
    double difference = change->after - change->before;
    if (fabs(difference - change->significant) <= 1e-9 * fabs(difference)) {
        flm_text_puts(out, ", significant");
        return;
    }
    flm_text_puts(out, ", of which ");
    add_signed(out, change->significant, c, terms);
    flm_text_puts(out, " significant");
}

void flm_comparison_add_change(struct flm_text *out, const struct flm_comparison *c,
                               const struct flm_change *change,
                               const struct flm_comparison_terms *terms)
{
    double difference = change->kind == FLM_CHANGE_NONE ? 0 : change->after - change->before;
    if (!is_signed_column(c)) {
        add_value(out, change->before / c->how.scale, terms);
        flm_text_puts(out, " before");
        if (c->how.scale != 1) {
            flm_text_puts(out, " (normalized ");
            add_scaled(out, change->before, c, terms);
            flm_text_putc(out, ')');
        }
        flm_text_puts(out, ", ");
        add_value(out, change->after, terms);
        flm_text_puts(out, " after: ");
    }
    add_signed(out, difference, c, terms);
    if (!is_signed_column(c) && (change->before > 0 || change->after > 0)) {
        flm_text_puts(out, " (");
        flm_change_add_percent(out, change);
        flm_text_putc(out, ')');
    }
    if (change->noise)
        flm_text_puts(out, c->lost ? ", not significant" : ", too few samples to tell");
    else if (c->lost && change->kind != FLM_CHANGE_NONE)
        add_significant(out, c, change, terms);
}
