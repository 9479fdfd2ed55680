#include "report/profile/annotating.h"

#include <math.h>

#include "algebra/compare/comparable.h"
#include "draw/text/comparison_summary.h"
#include "draw/text/quantity.h"
#include "flamel/changes.h"
#include "format/core/mapped.h"

/* ---- The profiles ---------------------------------------------------------------------------- */

/* Both side by side. A metric is named as the files have it; where it is their only one, its pair
 * has no name. */
static bool compare(struct flm_annotating *a, const struct flm_profile *after, const char **metric,
                    struct flm_metric_pair *pair)
{
    struct flm_metric own;
    const struct flm_profile *before = a->options->before;
    if (!flm_metric_find(after, *metric, &own, a->why))
        return false;
    a->both = flm_comparison_align(before, after, a->why);
    if (!a->both)
        return false;
    if (a->both->sizes.metric_count == 2)
        *metric = NULL;
    return flm_metric_pair_find(a->both, *metric, pair, a->why);
}

/* Of both, which is nobody else's yet: what is measured and printed is normalized then. */
static bool normalize_before(struct flm_annotating *a, const struct flm_metric_pair *pair)
{
    const struct flm_annotate_options *o = a->options;
    const char *function = o->normalize_function ? o->normalize_function : "";
    const struct flm_normal normal = {.by = o->normalize,
                                      .before_ns = flm_profile_duration_ns(a->given_before),
                                      .after_ns = flm_profile_duration_ns(a->given),
                                      .function = flm_bytes_of(function)};
    const struct flm_sizes *s = &a->both->sizes;
    if (!flm_comparison_scale(a->both, pair, &normal, &a->scale, a->why))
        return false;
    for (size_t i = 0; i < s->node_count && a->scale != 1; i++)
        a->both->self[(size_t)pair->before.index * s->node_count + i] *= a->scale;
    for (size_t i = 0; i < s->shared_count && a->scale != 1; i++)
        a->both->chain_value[(size_t)pair->before.index * s->shared_count + i] *= a->scale;
    return true;
}

static bool measure_both(struct flm_annotating *a, const struct flm_metric_pair *pair)
{
    const struct flm_comparison_options how = {.scale = 1};
    a->before = pair->before;
    return normalize_before(a, pair) &&
           flm_comparison_init(&a->comparison, a->both->sizes.node_count, a->both->node_end,
                               flm_self_column(a->both, pair->before.index),
                               flm_self_column(a->both, pair->after.index), &how, a->why) &&
           flm_functions_init(&a->functions_before, a->both, a->why) &&
           flm_functions_measure(&a->functions_before, a->both, pair->before, a->why);
}

bool flm_annotating_init(struct flm_annotating *a, const struct flm_profile *profile,
                         const struct flm_annotate_options *options, struct flm_error *why)
{
    *a = (struct flm_annotating){
        .options = options, .why = why, .given = profile, .before = {FLM_NONE}, .scale = 1};
    struct flm_metric_pair pair;
    const char *metric = options->metric;
    a->given_before = options->before;
    if (options->before && !compare(a, profile, &metric, &pair))
        return false;
    const struct flm_profile *shown = a->both ? a->both : profile;
    char name[FLM_FIXED_STRING];
    if (a->both) {
        struct flm_text text;
        flm_text_init_fixed(&text, name, sizeof name - 1);
        flm_text_add(&text, flm_string_bytes(a->both, a->both->metrics[pair.after.index].name));
        name[text.size] = 0;
        metric = name;
    }
    const struct flm_report_options about = {
        .size = sizeof about, .source = options->source, .metric = metric};
    if (!flm_report_source_init(&a->source, shown, &about, why))
        return false;
    if (a->both) {
        a->source.metric_name =
            pair.name.size > 0 ? pair.name : flm_string_bytes(profile, profile->metrics[0].name);
        if (!measure_both(a, &pair))
            return false;
    }
    return true;
}

void flm_annotating_clear(struct flm_annotating *a)
{
    flm_report_source_clear(&a->source);
    flm_functions_clear(&a->functions_before);
    flm_comparison_clear(&a->comparison);
    flm_profile_free(a->both);
}

struct flm_listing *flm_annotating_list(const struct flm_annotating *a,
                                        const struct flm_annotated *function)
{
    const struct flm_profile *p = a->source.profile;
    const struct flm_listing_subject subject = {
        .profile = p,
        .metric = a->source.metric,
        .before = a->before,
        .other_build = flm_annotating_compares(a) &&
                       flm_mapped_same_build(p, function->module) == FLM_BUILD_OTHER,
        .function = function->function,
        .module = function->module,
        .in_file = function->in_file};
    return flm_listing_new(&subject, a->why);
}

/* ---- The head -------------------------------------------------------------------------------- */

static void add_side(const struct flm_annotating *a, const char *side, const char *name,
                     double total)
{
    struct flm_text *line = flm_report_add_line(a->report, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN);
    flm_text_format(line, "%s: %s, ", side, name);
    flm_report_add_quantity(&a->source, line, total);
    flm_report_begin(a->report, side, FLM_JSON_OBJECT_LINE);
    flm_report_add_text(a->report, "file", flm_bytes_of(name));
    flm_report_add_number(a->report, "total", total);
    flm_report_end(a->report);
}

void flm_annotating_add_head(const struct flm_annotating *a, const char *view)
{
    struct flm_report *r = a->report;
    const struct flm_annotate_options *o = a->options;
    if (!flm_annotating_compares(a)) {
        flm_report_add_source(r, &a->source, view);
        return;
    }
    flm_report_begin(r, "metric", FLM_JSON_OBJECT_LINE);
    flm_report_add_text(r, "name", a->source.metric_name);
    flm_report_add_text(r, "unit", a->source.unit);
    flm_report_end(r);
    add_side(a, "before", o->before_source ? o->before_source : "", a->comparison.before_total);
    add_side(a, "after", o->source ? o->source : "", a->comparison.after_total);
    if (o->normalize != FLM_NORMALIZE_NONE) {
        struct flm_comparison shown = a->comparison;
        const char *function = o->normalize_function ? o->normalize_function : "";
        shown.how.scale = a->scale;
        flm_comparison_add_normalized(
            flm_report_add_line(r, FLM_IN_PEOPLES, false, FLM_TONE_PLAIN), &shown,
            &(struct flm_comparison_terms){.unit = a->source.unit,
                                           .factor = 1,
                                           .by = o->normalize,
                                           .function = flm_bytes_of(function)});
        flm_report_add_number(r, "scale", a->scale);
    }
    flm_report_add_text(r, "view", flm_bytes_of(view));
}

/* ---- Costs ----------------------------------------------------------------------------------- */

enum { SELF, SELF_PERCENT, TOTAL, TOTAL_PERCENT, COSTS };
enum { BEFORE, AFTER, CHANGE, OF_TOTAL, COSTS_OF_BOTH = 2 * OF_TOTAL };

size_t flm_annotating_cost_count(const struct flm_annotating *a)
{
    return flm_annotating_compares(a) ? COSTS_OF_BOTH : COSTS;
}

void flm_annotating_add_cost_columns(const struct flm_annotating *a, unsigned forms)
{
    static const char *const of_both[] = {"self.before",  "self.after",  "self.change",
                                          "total.before", "total.after", "total.change"};
    if (flm_annotating_compares(a)) {
        for (int i = 0; i < COSTS_OF_BOTH; i++)
            flm_report_add_column(a->report, of_both[i], forms & FLM_IN_PROGRAMS);
        return;
    }
    flm_report_add_column(a->report, "self", forms & FLM_IN_PROGRAMS);
    flm_report_add_percent_column(a->report, "self_percent", forms & FLM_IN_CSV);
    flm_report_add_column(a->report, "total", forms & FLM_IN_PROGRAMS);
    flm_report_add_percent_column(a->report, "total_percent", forms & FLM_IN_CSV);
}

static void add_both(struct flm_report *r, double before, double after)
{
    flm_report_cell_number(r, before);
    flm_report_cell_number(r, after);
    flm_report_cell_number(r, after - before);
}

void flm_annotating_add_costs(const struct flm_annotating *a, struct flm_listing_cost cost,
                              struct flm_listing_cost before)
{
    if (flm_annotating_compares(a)) {
        add_both(a->report, before.self, cost.self);
        add_both(a->report, before.total, cost.total);
        return;
    }
    flm_report_cell_number(a->report, cost.self);
    flm_report_cell_number(a->report, flm_report_percent(&a->source, cost.self));
    flm_report_cell_number(a->report, cost.total);
    flm_report_cell_number(a->report, flm_report_percent(&a->source, cost.total));
}

void flm_annotating_add_absent(const struct flm_annotating *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        flm_report_cell_absent(a->report);
}

static void add_quantities(const struct flm_annotating *a, const char *heading, size_t column,
                           enum flm_view_format format, int leave_out)
{
    flm_report_add_view(a->report,
                        (struct flm_report_view){.heading = heading,
                                                 .column = column,
                                                 .format = format,
                                                 .kind = FLM_COLUMN_NUMBER,
                                                 .leave_out = leave_out,
                                                 .whole = fmax(fabs(a->comparison.before_total),
                                                               fabs(a->comparison.after_total)),
                                                 .unit = a->source.unit});
}

void flm_annotating_add_cost_views(const struct flm_annotating *a, size_t column, bool is_source)
{
    enum { LEAVE_FIRST = 2, LEAVE_SECOND };
    if (flm_annotating_compares(a)) {
        add_quantities(a, "before", column + BEFORE, FLM_VIEW_AS_QUANTITY, 0);
        add_quantities(a, "after", column + AFTER, FLM_VIEW_AS_QUANTITY, 0);
        add_quantities(a, "change", column + CHANGE, FLM_VIEW_AS_CHANGE, 0);
        add_quantities(a, "total change", column + OF_TOTAL + CHANGE, FLM_VIEW_AS_CHANGE,
                       LEAVE_FIRST);
        return;
    }
    int leave_self = is_source ? LEAVE_SECOND : LEAVE_FIRST;
    int leave_total = is_source ? LEAVE_FIRST : LEAVE_SECOND;
    flm_report_add_source_view(a->report, &a->source, "self", column + SELF, FLM_VIEW_AS_QUANTITY,
                               FLM_COLUMN_NUMBER, leave_self);
    flm_report_add_source_view(a->report, &a->source, "", column + SELF, FLM_VIEW_AS_PERCENT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, &a->source, "total", column + TOTAL, FLM_VIEW_AS_PERCENT,
                               FLM_COLUMN_NUMBER, leave_total);
}

static void add_change(const struct flm_annotating *a, struct flm_text *out, double before,
                       double after)
{
    const struct flm_comparison_terms terms = {.unit = a->source.unit, .factor = 1};
    struct flm_change change = flm_comparison_judge(&a->comparison, before, after);
    flm_comparison_add_change(out, &a->comparison, &change, &terms);
}

void flm_annotating_add_sums(const struct flm_annotating *a, struct flm_text *out,
                             struct flm_listing_cost cost, struct flm_listing_cost before)
{
    const char *const names[] = {": self ", "; total "};
    const double values[] = {cost.self, cost.total}, others[] = {before.self, before.total};
    for (int i = 0; i < 2; i++) {
        flm_text_puts(out, names[i]);
        if (flm_annotating_compares(a)) {
            add_change(a, out, others[i], values[i]);
            continue;
        }
        flm_report_add_quantity(&a->source, out, values[i]);
        flm_text_puts(out, ", ");
        flm_percent_add(out, values[i], a->source.whole);
    }
}

/* ---- Builds ---------------------------------------------------------------------------------- */

void flm_annotating_add_builds(const struct flm_annotating *a, const struct flm_annotated *function,
                               bool is_code)
{
    uint32_t module = function->module;
    if (!flm_annotating_compares(a) || module == 0 || function->is_gone)
        return;
    enum flm_same_build same = flm_mapped_same_build(a->source.profile, module);
    if (same == FLM_BUILD_SAME || (same == FLM_BUILD_UNKNOWN && !is_code))
        return;
    struct flm_text *line = flm_report_add_line(a->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    if (same == FLM_BUILD_UNKNOWN)
        flm_text_puts(line, "Whether both are of one build is not known: no build ids say so");
    else if (is_code)
        flm_text_puts(line, "Before, it was another build: costs of then are at none of these "
                            "instructions");
    else
        flm_text_puts(line, "Before, it was another build: lines are compared by their numbers, "
                            "and the text is that of now");
}

/* ---- Source ---------------------------------------------------------------------------------- */

void flm_annotating_add_text(struct flm_text *to, struct flm_bytes line)
{
    size_t column = 0;
    for (size_t i = 0; i < line.size; i++) {
        if (line.at[i] == '\t') {
            size_t blanks = 8 - column % 8;
            for (size_t k = 0; k < blanks; k++)
                flm_text_putc(to, ' ');
            column += blanks;
        } else {
            flm_text_putc(to, line.at[i]);
            column += ((unsigned char)line.at[i] & 0xC0) != 0x80;
        }
    }
}
