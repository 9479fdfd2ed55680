#include "report/gate/format_value.h"

#include <math.h>

#include "base/number/number.h"
#include "draw/text/quantity.h"
#include "profile/columns.h"

struct flm_bytes flm_runs_unit(const struct flm_runs *runs)
{
    const struct flm_profile *tree = runs->tree;
    return flm_string_bytes(tree, tree->metrics[runs->metric.index].unit);
}

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

void flm_format_stack(struct flm_text *out, const struct flm_profile *tree, uint32_t node)
{
    flm_stack_text(out, tree, node);
}
