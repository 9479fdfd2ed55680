#include "draw/text/time_ticks.h"

#include <math.h>

#include "base/number/number.h"

double flm_tick_step(double duration, double width, double apart)
{
    double step = 1;
    while (step * width / duration < apart)
        step *= 10;
    if (step / 5 >= 1 && step / 5 * width / duration >= apart)
        return step / 5;
    if (step / 2 >= 1 && step / 2 * width / duration >= apart)
        return step / 2;
    return step;
}

static bool is_multiple(double step, double column)
{
    return floor(step / column) == step / column;
}

double flm_tick_column_step(double column, double count, double width, double apart)
{
    double all = column * count;
    double step = flm_tick_step(all, width, fmax(apart, column * width / all));
    /* Of columns of 2 s, a tick at each 5 s is inside of every other one. */
    double next = flm_tick_step(all, width, 2 * step * width / all);
    return !is_multiple(step, column) && is_multiple(next, column) ? next : step;
}

double flm_tick_next(double at, double step)
{
    return at + step > at ? at + step : INFINITY;
}

void flm_tick_label_add(struct flm_text *out, double at, double step, double longest)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"\xC2\xB5s", 1e3}, {"ns", 1}};
    enum { LAST = sizeof units / sizeof units[0] - 1, MOST_DIGITS = 9 };
    size_t unit = 0, digits = 0;
    char number[FLM_NUMBER_SIZE];
    while (unit < LAST && longest < units[unit].ns)
        unit++;
    double shift = 1;
    for (; digits < MOST_DIGITS && shift * step < units[unit].ns * 0.9999; digits++)
        shift *= 10;
    double whole = floor(round(at / units[unit].ns * shift) / shift);
    double rest = round(at / units[unit].ns * shift) - whole * shift;
    flm_text_add(out, (struct flm_bytes){number, flm_number_print(whole, number)});
    if (digits > 0) {
        size_t size = flm_number_print(rest, number);
        flm_text_putc(out, '.');
        for (size_t i = size; i < digits; i++)
            flm_text_putc(out, '0');
        flm_text_add(out, (struct flm_bytes){number, size});
    }
    flm_text_format(out, " %s", units[unit].name);
}
