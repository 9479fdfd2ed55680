#include <math.h>

#include "draw/text/quantity.h"
#include "flamel/algebra.h"
#include "report/profile/internal.h"

bool flm_report_source_init(struct flm_report_source *s, const struct flm_profile *profile,
                            const struct flm_report_options *options, struct flm_error *why)
{
    *s = (struct flm_report_source){.profile = profile,
                                    .name = options->source ? options->source : ""};
    if (!flm_metric_find(profile, options->metric, &s->metric, why) ||
        !flm_functions_init(&s->functions, profile, why) ||
        !flm_functions_measure(&s->functions, profile, s->metric, why))
        return false;
    s->metric_name = flm_string_bytes(profile, profile->metrics[s->metric.index].name);
    s->unit = flm_string_bytes(profile, profile->metrics[s->metric.index].unit);
    s->total = s->functions.function[0].total;
    s->whole = flm_norm(profile, s->metric);
    return true;
}

void flm_report_source_clear(struct flm_report_source *s)
{
    flm_functions_clear(&s->functions);
}

static uint32_t count_stacks(const struct flm_report_source *s)
{
    const double *self = flm_self_column(s->profile, s->metric.index);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->profile->sizes.node_count; i++)
        count += self[i] != 0;
    return count;
}

/* "12 samples", "482 ms", "3,332 page-faults": a unit that is "count" says less than the name. */
void flm_report_add_quantity(const struct flm_report_source *s, struct flm_text *out, double value)
{
    bool by_name = s->unit.size == 0 || flm_bytes_are(s->unit, "count");
    struct flm_bytes unit = by_name ? s->metric_name : s->unit;
    if (fabs(value) == 1 && flm_bytes_are(unit, "samples"))
        unit.size--;
    flm_quantity_add(out, value, unit);
}

void flm_report_add_source_view(struct flm_report *report, const struct flm_report_source *s,
                                const char *heading, size_t column, enum flm_view_format format,
                                enum flm_column_kind kind, int leave_out)
{
    flm_report_add_view(report, (struct flm_report_view){.heading = heading,
                                                         .column = column,
                                                         .format = format,
                                                         .kind = kind,
                                                         .leave_out = leave_out,
                                                         .whole = s->whole,
                                                         .unit = s->unit});
}

static void add_other_metrics(const struct flm_report_source *s, struct flm_text *out)
{
    const struct flm_profile *p = s->profile;
    const char *between = "; other metrics: ";
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (m == s->metric.index)
            continue;
        flm_text_puts(out, between);
        flm_text_add(out, flm_string_bytes(p, p->metrics[m].name));
        between = ", ";
    }
}

static void add_first_lines(struct flm_report *report, const struct flm_report_source *s)
{
    uint32_t stacks = count_stacks(s);
    struct flm_text *line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_puts(line, s->name);
    flm_report_end_path(report);
    flm_text_puts(line, ": ");
    flm_report_add_quantity(s, line, s->total);
    if (!flm_bytes_equal(s->unit, s->metric_name) && s->unit.size > 0 &&
        !flm_bytes_are(s->unit, "count")) {
        flm_text_puts(line, " of ");
        flm_text_add(line, s->metric_name);
    }
    flm_text_puts(line, " in ");
    flm_count_add(line, stacks);
    flm_text_puts(line, stacks == 1 ? " stack" : " stacks");
    add_other_metrics(s, line);
    const double *self = flm_self_column(s->profile, s->metric.index);
    if (s->whole != fabs(s->total) && flm_has_negative(self, s->profile->sizes.node_count)) {
        line = flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
        flm_text_puts(line, "Some values are negative: percentages are of their sizes, ");
        flm_report_add_quantity(s, line, s->whole);
        flm_text_puts(line, " in all");
    }
    if (stacks == 0)
        flm_text_puts(flm_report_add_line(report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN),
                      "There is nothing to show: no stack has a value");
}

void flm_report_add_source(struct flm_report *report, const struct flm_report_source *s,
                           const char *view)
{
    add_first_lines(report, s);
    flm_report_add_text(report, "file", flm_bytes_of(s->name));
    flm_report_begin(report, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(report, "name", s->metric_name);
    flm_report_add_text(report, "unit", s->unit);
    flm_report_end(report);
    flm_report_add_number(report, "total", s->total);
    flm_report_add_text(report, "view", flm_bytes_of(view));
}

void flm_report_add_function_columns(struct flm_report *report)
{
    flm_report_add_column(report, "function", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "module", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "file", FLM_IN_PROGRAMS);
}

void flm_report_cell_function(struct flm_report *report, const struct flm_report_source *s,
                              const struct flm_function *function)
{
    flm_report_cell_bytes(report, flm_string_bytes(s->profile, function->name));
    flm_report_cell_bytes(report, flm_string_bytes(s->profile, function->module));
    flm_report_cell_bytes(report, flm_string_bytes(s->profile, function->file));
}

void flm_report_add_clones_column(struct flm_report *report)
{
    flm_report_add_column(report, "clones", FLM_IN_PROGRAMS);
}

void flm_report_cell_clones(struct flm_report *report, const struct flm_report_source *s,
                            const struct flm_function *function)
{
    uint32_t flags = 0;
    char name[FLM_CLONES_SIZE];
    for (uint32_t i = 0; i < function->frame_count; i++)
        flags |= s->profile->frames[function->first_frame + i].flags;
    size_t size = flm_clones_name(flags, name);
    if (size > 0)
        flm_report_cell_bytes(report, (struct flm_bytes){name, size});
    else
        flm_report_cell_absent(report);
}

struct flm_bytes flm_report_module(const struct flm_report_source *s,
                                   const struct flm_function *function)
{
    return flm_string_bytes(s->profile, function->module ? function->module : function->file);
}

double flm_report_percent(const struct flm_report_source *s, double value)
{
    return s->whole != 0 ? 100 * value / s->whole : 0;
}
