/* policy_report.c - two sides of runs, judged by the thresholds of a policy: which functions became
 * worse by more than it allows. There are no statistics in it: it is for what is counted exactly,
 * or was measured over many calls. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/aggregate/functions.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "draw/text/quantity.h"
#include "flamel/gate.h"
#include "gate/policy/policy.h"
#include "report/core/blocks.h"

enum { BEFORE, AFTER, SIDES };

/* A function of a run; after joining, of all runs: sums by side. */
struct entry {
    struct flm_bytes name, module;
    double value[SIDES], calls[SIDES];
};

/* Of a section: a function that is judged. */
struct change {
    struct flm_bytes name, module;
    double before, after, before_calls, after_calls;
    double share; /* of what there was before */
    bool is_worse;
};

struct judging {
    const struct flm_gate_run *runs;
    size_t run_count, side_count[SIDES];
    const struct flm_policy *policy;
    struct flm_error *why;
    struct flm_report *report;
    struct FLM_ARRAY(struct entry) entries;
    struct FLM_ARRAY(struct change) changes;
    struct flm_text unit;
    uint32_t rows, judged, new_ones;
    bool has_calls, failed_any;
};

/* ---- Functions ------------------------------------------------------------------------------- */

static bool measure(const struct flm_profile *p, const char *metric,
                    struct flm_functions *functions, bool *is_there, struct flm_error *why)
{
    struct flm_metric m = flm_profile_metric_named(p, metric);
    *is_there = m.index != FLM_NONE;
    return !*is_there || flm_functions_measure(functions, p, m, why);
}

/* Values of one metric of a run, and its calls, as entries. */
static bool add_run(struct judging *j, const struct flm_policy_section *section,
                    const struct flm_gate_run *run)
{
    const struct flm_profile *p = run->profile;
    const char *name = flm_report_keep(j->report, section->metric);
    struct flm_functions functions = {0};
    size_t first = j->entries.count;
    int side = run->is_new ? AFTER : BEFORE;
    bool has_metric = false, has_calls = false;
    if (j->report->failed)
        return flm_error_memory(j->why);
    bool good = flm_functions_init(&functions, p, j->why) &&
                measure(p, name, &functions, &has_metric, j->why);
    if (good && !has_metric)
        good = flm_error_set(j->why, FLM_ERROR_USAGE, "%s has no metric %s (section [%.*s])",
                             run->name, name, (int)section->name.size, section->name.at);
    for (uint32_t i = 1; good && i < functions.count; i++) {
        const struct flm_function *f = &functions.function[i];
        struct entry entry = {.name = flm_string_bytes(p, f->name),
                              .module = flm_string_bytes(p, f->module)};
        entry.value[side] = section->measure == FLM_POLICY_SELF ? f->self : f->total;
        good = FLM_ARRAY_ADD(&j->entries, entry) || flm_error_memory(j->why);
    }
    good = good && measure(p, "calls", &functions, &has_calls, j->why);
    for (uint32_t i = 1; good && has_calls && i < functions.count; i++)
        j->entries.at[first + i - 1].calls[side] = functions.function[i].self;
    j->has_calls &= has_calls;
    flm_functions_clear(&functions);
    return good;
}

static int compare_bytes(struct flm_bytes a, struct flm_bytes b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size > 0 ? memcmp(a.at, b.at, size) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_entries(const void *context, uint32_t a, uint32_t b)
{
    const struct entry *at = context;
    int order = compare_bytes(at[a].name, at[b].name);
    return order != 0 ? order : compare_bytes(at[a].module, at[b].module);
}

/* Those of the same function become one, in the order of names. */
static bool join(struct judging *j)
{
    size_t count = j->entries.count, joined = 0;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    struct entry *sorted = malloc((count + 1) * sizeof *sorted);
    bool good = order && scratch && sorted;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good)
        flm_sort(order, count, scratch, compare_entries, j->entries.at);
    for (size_t i = 0; good && i < count; i++) {
        const struct entry *from = &j->entries.at[order[i]];
        bool is_same = joined > 0 && compare_bytes(sorted[joined - 1].name, from->name) == 0 &&
                       compare_bytes(sorted[joined - 1].module, from->module) == 0;
        if (!is_same)
            sorted[joined++] = (struct entry){.name = from->name, .module = from->module};
        for (int side = 0; side < SIDES; side++) {
            sorted[joined - 1].value[side] += from->value[side];
            sorted[joined - 1].calls[side] += from->calls[side];
        }
    }
    if (good && joined > 0)
        memcpy(j->entries.at, sorted, joined * sizeof *sorted);
    j->entries.count = joined;
    free(order);
    free(scratch);
    free(sorted);
    return good || flm_error_memory(j->why);
}

/* ---- A section ------------------------------------------------------------------------------- */

static bool is_average(const struct judging *j, const struct flm_policy_section *section)
{
    return section->measure == FLM_POLICY_AVERAGE && j->has_calls;
}

static double total_before(const struct judging *j)
{
    double most = 0;
    for (size_t i = 0; i < j->entries.count; i++)
        most = fmax(most, j->entries.at[i].value[BEFORE]);
    return most; /* of the outermost function: shares are of it */
}

static bool judge_entry(struct judging *j, const struct flm_policy_section *section,
                        const struct entry *e, double whole)
{
    double calls[SIDES], value[SIDES];
    for (int side = 0; side < SIDES; side++) {
        double runs = (double)j->side_count[side];
        calls[side] = e->calls[side] / runs;
        value[side] = is_average(j, section)
                          ? (e->calls[side] > 0 ? e->value[side] / e->calls[side] : 0)
                          : e->value[side] / runs;
    }
    if (flm_policy_ignores(section, e->name))
        return true;
    if (e->value[BEFORE] == 0) {
        j->new_ones += e->value[AFTER] > 0;
        return true;
    }
    if (j->has_calls && fmin(calls[BEFORE], calls[AFTER]) < section->least_calls)
        return true;
    double before = e->value[BEFORE] / (double)j->side_count[BEFORE],
           after = e->value[AFTER] / (double)j->side_count[AFTER];
    if (fmax(before, after) < section->least_share * whole / (double)j->side_count[BEFORE])
        return true;
    j->judged++;
    double share = value[AFTER] / value[BEFORE] - 1;
    const double rounding = 1e-9; /* 120 is 20 % more than 100 */
    if (!(fabs(share) + rounding >= section->least_change) || share == 0 || value[BEFORE] == 0)
        return true;
    struct change change = {e->name,       e->module,    value[BEFORE], value[AFTER],
                            calls[BEFORE], calls[AFTER], share,         share > 0};
    return FLM_ARRAY_ADD(&j->changes, change) || flm_error_memory(j->why);
}

static int compare_changes(const void *context, uint32_t a, uint32_t b)
{
    const struct change *at = context;
    if (at[a].is_worse != at[b].is_worse)
        return at[a].is_worse ? -1 : 1;
    double x = fabs(at[a].share), y = fabs(at[b].share);
    return x > y ? -1 : x < y ? 1 : a < b ? -1 : a > b;
}

static void add_columns(const struct judging *j, struct flm_bytes unit)
{
    enum { FUNCTION, MODULE, STATE, CALLS_BEFORE, CALLS_AFTER, FROM, TO, CHANGE };
    static const char *const names[] = {"function",    "module", "state", "calls_before",
                                        "calls_after", "before", "after", "change"};
    struct flm_report *r = j->report;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        flm_report_add_column(r, names[i], FLM_IN_JSON);
    flm_report_add_view(
        r, (struct flm_report_view){.heading = "", .column = STATE, .kind = FLM_COLUMN_TEXT});
    for (size_t i = FROM; i <= TO; i++)
        flm_report_add_view(r, (struct flm_report_view){.heading = names[i],
                                                        .column = i,
                                                        .format = FLM_VIEW_AS_ANY_QUANTITY,
                                                        .kind = FLM_COLUMN_NUMBER,
                                                        .unit = unit});
    flm_report_add_view(r, (struct flm_report_view){.heading = "change",
                                                    .column = CHANGE,
                                                    .format = FLM_VIEW_AS_CHANGE_SHARE,
                                                    .kind = FLM_COLUMN_NUMBER,
                                                    .whole = 1});
    if (j->has_calls)
        flm_report_add_view(r, (struct flm_report_view){.heading = "calls",
                                                        .column = CALLS_AFTER,
                                                        .format = FLM_VIEW_AS_COUNT,
                                                        .kind = FLM_COLUMN_NUMBER,
                                                        .leave_out = 1});
    flm_report_add_view(r, (struct flm_report_view){
                               .heading = "function", .column = FUNCTION, .kind = FLM_COLUMN_NAME});
}

static void add_rows(const struct judging *j, const uint32_t *order)
{
    struct flm_report *r = j->report;
    for (size_t i = 0; i < j->changes.count; i++) {
        const struct change *c = &j->changes.at[order[i]];
        bool is_shown = j->rows == 0 || i < j->rows;
        flm_report_begin_row(r, 0, is_shown ? FLM_IN_PEOPLES | FLM_IN_JSON : FLM_IN_JSON);
        flm_report_cell_bytes(r, c->name);
        flm_report_cell_bytes(r, c->module);
        flm_report_cell_bytes(r, flm_bytes_of(c->is_worse ? "worse" : "better"));
        flm_report_cell_number(r, c->before_calls);
        flm_report_cell_number(r, c->after_calls);
        flm_report_cell_number(r, c->before);
        flm_report_cell_number(r, c->after);
        flm_report_cell_number(r, c->share);
    }
}

static void add_share(struct flm_text *line, double share)
{
    char digits[FLM_NUMBER_SIZE];
    flm_text_add(line,
                 (struct flm_bytes){digits, flm_number_print_rounded(share * 100, 3, digits)});
    flm_text_puts(line, " %");
}

/* "time: 2 of 31 functions are worse by 10 % or more, 1 better; average of a call" */
static void add_section(struct judging *j, const struct flm_policy_section *section,
                        struct flm_bytes unit)
{
    static const char *const measures[] = {"the total", "the total", "self"};
    struct flm_report *r = j->report;
    uint32_t worse = 0, count = (uint32_t)j->changes.count;
    for (uint32_t i = 0; i < count; i++)
        worse += j->changes.at[i].is_worse;
    j->failed_any |= worse > 0;
    struct flm_text *line = flm_report_add_line(r, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    flm_text_format(line, "%.*s: %u of %u function%s %s worse by ", (int)section->name.size,
                    section->name.at, worse, j->judged, j->judged == 1 ? "" : "s",
                    worse == 1 || j->judged == 1 ? "is" : "are");
    add_share(line, section->least_change);
    flm_text_format(line, " or more, %u better", count - worse);
    if (j->new_ones > 0)
        flm_text_format(line, ", %u new", j->new_ones);
    flm_text_format(line, " (%s)",
                    is_average(j, section) ? "the average of a call" : measures[section->measure]);
    const char *name = flm_report_keep(r, section->name);
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *scratch = malloc((count + 1) * sizeof *scratch);
    if (!order || !scratch) {
        r->failed = true;
    } else {
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        flm_sort(order, count, scratch, compare_changes, j->changes.at);
        flm_report_begin_table(r, name, count > 0 ? FLM_IN_PEOPLES | FLM_IN_JSON : FLM_IN_JSON,
                               false);
        add_columns(j, unit);
        add_rows(j, order);
        if (j->rows > 0 && count > j->rows)
            flm_text_format(flm_report_add_line(r, FLM_IN_PEOPLES, false, FLM_TONE_MUTED),
                            "%u more", count - j->rows);
    }
    free(order);
    free(scratch);
}

static bool judge_section(struct judging *j, const struct flm_policy_section *section)
{
    bool good = true;
    j->entries.count = j->changes.count = 0;
    j->judged = j->new_ones = 0;
    j->has_calls = true;
    for (size_t i = 0; good && i < j->run_count; i++)
        good = add_run(j, section, &j->runs[i]);
    good = good && join(j);
    double whole = good ? total_before(j) : 0;
    for (size_t i = 0; good && i < j->entries.count; i++)
        good = judge_entry(j, section, &j->entries.at[i], whole);
    if (!good)
        return false;
    const struct flm_profile *p = j->runs[0].profile;
    struct flm_metric metric =
        flm_profile_metric_named(p, flm_report_keep(j->report, section->metric));
    if (metric.index == FLM_NONE)
        return flm_error_memory(j->why); /* its name could not be kept */
    add_section(j, section, flm_string_bytes(p, p->metrics[metric.index].unit));
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool check_sides(struct judging *j)
{
    for (size_t i = 0; i < j->run_count; i++)
        j->side_count[j->runs[i].is_new ? AFTER : BEFORE]++;
    return (j->side_count[BEFORE] > 0 && j->side_count[AFTER] > 0) ||
           flm_error_set(j->why, FLM_ERROR_USAGE, "a policy needs runs on both sides");
}

static bool make(struct judging *j)
{
    bool failed = j->failed_any, good = true;
    flm_report_free(j->report);
    if (!(j->report = flm_report_new(j->why)))
        return false;
    flm_report_add_text(j->report, "verdict", flm_bytes_of(failed ? "FAIL" : "PASS"));
    flm_report_add_number(j->report, "base_runs", (double)j->side_count[BEFORE]);
    flm_report_add_number(j->report, "new_runs", (double)j->side_count[AFTER]);
    flm_text_puts(flm_report_add_heading(j->report, "gate", failed ? "FAIL" : "PASS"),
                  failed ? "more became worse than the policy allows"
                         : "nothing became worse by more than the policy allows");
    for (size_t i = 0; good && i < j->policy->sections.count; i++)
        good = judge_section(j, &j->policy->sections.at[i]);
    return good;
}

struct flm_report *flm_policy_report(const char *text, size_t size, const struct flm_gate_run *runs,
                                     size_t count, uint32_t rows, enum flm_gate_verdict *verdict,
                                     struct flm_error *why)
{
    assert(text && verdict);
    struct flm_policy policy;
    struct judging j = {
        .runs = runs, .run_count = count, .policy = &policy, .why = why, .rows = rows};
    bool good = flm_policy_read(&policy, (struct flm_bytes){text, size}, why) && check_sides(&j);
    good = good && make(&j); /* to know the verdict, which is the first line */
    good = good && make(&j);
    if (good)
        *verdict = j.failed_any ? FLM_GATE_FAIL : FLM_GATE_PASS;
    else
        flm_report_free(j.report);
    FLM_ARRAY_CLEAR(&j.entries);
    FLM_ARRAY_CLEAR(&j.changes);
    flm_policy_clear(&policy);
    return good ? flm_report_finish(j.report, why) : NULL;
}
