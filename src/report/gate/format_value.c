/* format_value.c - cells and phrases that the reports of several profiles share (internal.h). */
#include <math.h>

#include "base/number/number.h"
#include "draw/text/cells.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"
#include "report/gate/internal.h"

uint32_t *flm_runs_parents(const struct flm_runs *runs, struct flm_error *why)
{
    uint32_t *parent = malloc(runs->tree->sizes.node_count * sizeof *parent);
    if (parent)
        flm_profile_parents(runs->tree, parent);
    else
        flm_error_memory(why);
    return parent;
}

struct flm_bytes flm_runs_metric_name(const struct flm_runs *runs)
{
    const struct flm_profile *tree = runs->tree;
    return flm_string_bytes(tree, tree->metrics[runs->metric.index].name);
}

struct flm_bytes flm_runs_unit(const struct flm_runs *runs)
{
    const struct flm_profile *tree = runs->tree;
    return flm_string_bytes(tree, tree->metrics[runs->metric.index].unit);
}

void flm_report_add_columns(struct flm_report *report, const char *const *names, unsigned forms)
{
    for (; *names; names++)
        flm_report_add_column(report, *names, forms);
}

void flm_report_cell_node(struct flm_report *report, const struct flm_runs *runs,
                          const uint32_t *parent, uint32_t node)
{
    if (node == FLM_NONE) {
        flm_report_cell_null(report);
        return;
    }
    flm_report_cell_stack(report);
    flm_report_add_node(report, runs->tree, parent, node);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

double flm_format_mean(double value)
{
    double size = fabs(value);
    if (size >= 100 || size == 0)
        return round(value);
    double scale = pow(10, 2 - floor(log10(size)));
    return round(value * scale) / scale;
}

void flm_format_quantity(struct flm_text *out, const struct flm_runs *runs, double value)
{
    flm_quantity_add(out, flm_format_mean(value), flm_runs_unit(runs));
}

void flm_format_signed(struct flm_text *out, const struct flm_runs *runs, double value)
{
    flm_text_puts(out, value > 0 ? "+" : "");
    flm_format_quantity(out, runs, value);
}

void flm_format_share(struct flm_text *out, double value, double whole)
{
    flm_text_puts(out, value > 0 ? "+" : "");
    if (whole > 0)
        flm_percent_add(out, value, whole);
    else
        flm_text_puts(out, "of 0");
}

void flm_format_rounded(struct flm_text *out, double value, int digits)
{
    char number[FLM_NUMBER_SIZE];
    size_t size = flm_number_print_rounded(value, digits, number);
    flm_text_add(out, (struct flm_bytes){number, size});
}

void flm_format_percent(struct flm_text *out, double share)
{
    flm_format_rounded(out, 100 * share, 2);
    flm_text_puts(out, " %");
}

struct flm_bytes flm_text_bytes(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

void flm_format_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node)
{
    flm_stack_text(out, tree, node);
}

void flm_format_short_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node)
{
    static const struct flm_width room = {200};
    struct flm_text stack = {0}, scratch = {0};
    flm_format_stack(&stack, tree, node);
    flm_cells_add_stack(out, flm_showable(flm_text_bytes(&stack), FLM_CHARSET_PLAIN, &scratch),
                        room, FLM_CHARSET_PLAIN);
    out->failed = out->failed || stack.failed || scratch.failed;
    flm_text_clear(&stack);
    flm_text_clear(&scratch);
}

void flm_format_same_names(struct flm_text *out, const struct flm_same_paths *same)
{
    flm_text_format(out, "\"%s\" and \"%s\" ", same->from, same->to);
    if (same->renamed > 1)
        flm_text_format(out, "(and %u pairs more) ", same->renamed - 1);
    flm_text_puts(out, "have functions of the same names: compared as the same.");
}

void flm_format_totals(struct flm_text *out, const struct flm_runs *runs, double base, double new)
{
    flm_format_quantity(out, runs, base);
    flm_text_format(out, " in base (%u run%s), ", runs->base_count,
                    runs->base_count == 1 ? "" : "s");
    flm_format_quantity(out, runs, new);
    flm_text_format(out, " in new (%u): ", runs->new_count);
    flm_format_signed(out, runs, new - base);
    flm_text_puts(out, " (");
    flm_format_share(out, new - base, base);
    flm_text_puts(out, ")");
}
