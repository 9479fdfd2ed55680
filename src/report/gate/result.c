/* result.c - the public functions of flamel/gate.h: runs are tested, and the result reported. */
#include "flamel/gate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/versioned.h"
#include "gate/verdict/significant.h"
#include "report/gate/gate_report.h"
#include "report/gate/internal.h"
#include "stats/sequential.h"

struct flm_gate_result {
    struct flm_run_set *set;
    struct flm_run_set *own_set; /* the same, where the result frees it; else NULL */
    enum flm_gate_method method;
    uint32_t rows;
    struct flm_gate_options options; /* MAX_T */
    struct flm_gate gate;
    struct flm_paper_options paper_options; /* PAPER */
    struct flm_paper paper;
};

/* ---- The test -------------------------------------------------------------------------------- */

static double least_effect(double wanted, double usual)
{
    return wanted > 0 ? wanted : wanted < 0 ? 0 : usual;
}

static struct flm_gate_options options_of(const struct flm_gate_settings *s)
{
    struct flm_gate_options how = flm_gate_defaults();
    how.alpha = s->alpha > 0 ? s->alpha : how.alpha;
    how.permutations = s->permutations > 0 ? s->permutations : how.permutations;
    how.seed = s->zero_seed ? 0 : s->seed > 0 ? s->seed : how.seed;
    how.side = s->both_directions ? FLM_SIDE_BOTH : FLM_SIDE_GROWTH;
    how.min_effect = least_effect(s->min_effect, how.min_effect);
    how.require_mde = s->require_mde;
    how.tolerance = s->tolerance;
    how.exact = s->exact;
    how.unit = s->sample;
    how.has_all_columns = s->all_columns;
    how.absolute_only = s->absolute;
    how.threads = s->threads > 0 ? s->threads : 1;
    return how;
}

static struct flm_paper_options paper_options_of(const struct flm_gate_settings *s)
{
    struct flm_paper_options how = flm_paper_defaults();
    how.alpha = s->alpha > 0 ? s->alpha : how.alpha;
    how.threshold = s->threshold > 0 ? s->threshold : how.threshold;
    how.most = s->most;
    how.side = s->both_directions ? FLM_SIDE_BOTH : FLM_SIDE_GROWTH;
    how.min_effect = least_effect(s->min_effect, how.min_effect);
    return how;
}

static bool check_settings(const struct flm_gate_settings *s, struct flm_error *why)
{
    const struct {
        const char *name;
        double value;
    } least_zero[] = {
        {"require_mde", s->require_mde}, {"tolerance", s->tolerance}, {"sample", s->sample}};
    if (!(s->alpha >= 0 && s->alpha < 1))
        return flm_error_set(why, FLM_ERROR_USAGE, "alpha is between 0 and 1");
    if (!isfinite(s->min_effect))
        return flm_error_set(why, FLM_ERROR_USAGE, "min_effect is not a finite number");
    for (size_t i = 0; i < sizeof least_zero / sizeof least_zero[0]; i++)
        if (!(least_zero[i].value >= 0 && isfinite(least_zero[i].value)))
            return flm_error_set(why, FLM_ERROR_USAGE, "%s is a finite number, 0 at least",
                                 least_zero[i].name);
    return true;
}

static bool test(struct flm_gate_result *result, const struct flm_gate_settings *s,
                 struct flm_error *why)
{
    struct flm_runs *runs = &result->set->runs;
    result->method = s->method;
    result->rows = s->rows;
    if (!check_settings(s, why))
        return false;
    if (s->method == FLM_GATE_PAPER) {
        result->paper_options = paper_options_of(s);
        return flm_paper_init(&result->paper, runs, &result->paper_options, why);
    }
    result->options = options_of(s);
    return flm_gate_judge(&result->gate, runs, &result->options, why);
}

struct flm_gate_result *flm_gate_test(struct flm_run_set *set,
                                      const struct flm_gate_settings *settings,
                                      struct flm_error *why)
{
    assert(set);
    struct flm_gate_settings s;
    if (!flm_versioned_copy(&s, sizeof s, settings, "flm_gate_settings", why))
        return NULL;
    struct flm_gate_result *result = calloc(1, sizeof *result);
    if (!result) {
        flm_error_memory(why);
        return NULL;
    }
    result->set = set;
    if (test(result, &s, why))
        return result;
    free(result);
    return NULL;
}

struct flm_gate_result *flm_gate_compare(const struct flm_gate_run *runs, size_t count,
                                         const struct flm_gate_settings *settings,
                                         struct flm_error *why)
{
    struct flm_gate_settings s;
    if (!flm_versioned_copy(&s, sizeof s, settings, "flm_gate_settings", why))
        return NULL;
    const struct flm_run_set_options options = {
        .size = sizeof options, .metric = s.metric, .normalize = true};
    if (count == 0) {
        flm_error_set(why, FLM_ERROR_USAGE, "a gate needs runs on both sides");
        return NULL;
    }
    struct flm_run_set *set = flm_run_set_new(runs, count, &options, why);
    struct flm_gate_result *result = set ? flm_gate_test(set, settings, why) : NULL;
    if (result)
        result->own_set = set;
    else
        flm_run_set_free(set);
    return result;
}

void flm_gate_result_free(struct flm_gate_result *result)
{
    if (!result)
        return;
    if (result->method == FLM_GATE_PAPER)
        flm_paper_clear(&result->paper);
    else
        flm_gate_clear(&result->gate);
    flm_run_set_free(result->own_set);
    free(result);
}

/* ---- Verdict, report, pictures --------------------------------------------------------------- */

enum flm_gate_verdict flm_gate_verdict(const struct flm_gate_result *result)
{
    static const enum flm_gate_verdict verdicts[] = {[FLM_VERDICT_PASS] = FLM_GATE_PASS,
                                                     [FLM_VERDICT_FAIL] = FLM_GATE_FAIL,
                                                     [FLM_VERDICT_INCONCLUSIVE] =
                                                         FLM_GATE_INCONCLUSIVE};
    assert(result);
    return verdicts[result->method == FLM_GATE_PAPER ? result->paper.verdict
                                                     : result->gate.verdict];
}

static struct flm_gate_report report_of(const struct flm_gate_result *result)
{
    return (struct flm_gate_report){.runs = &result->set->runs,
                                    .options = &result->options,
                                    .gate = &result->gate,
                                    .rows = result->rows};
}

struct flm_report *flm_gate_report(const struct flm_gate_result *result, struct flm_error *why)
{
    assert(result);
    if (result->method == FLM_GATE_PAPER)
        return flm_paper_report_make(&result->set->runs, &result->paper, &result->paper_options,
                                     result->rows, why);
    const struct flm_gate_report report = report_of(result);
    return flm_gate_report_make(&report, why);
}

struct flm_report *flm_gate_difference(const struct flm_run_set *set, uint32_t rows,
                                       struct flm_error *why)
{
    assert(set);
    return flm_gate_report_difference(&set->runs, rows, why);
}

static void add_junit(const struct flm_gate_result *result, struct flm_text *text)
{
    const struct flm_gate_report report = report_of(result);
    if (result->method == FLM_GATE_PAPER)
        flm_paper_junit(report.runs, &result->paper, &result->paper_options, text);
    else
        flm_gate_junit(&report, text);
}

bool flm_gate_write_junit(const struct flm_gate_result *result, flm_profile_sink sink,
                          void *context, struct flm_error *why)
{
    assert(result && sink);
    struct flm_text text = {0};
    add_junit(result, &text);
    bool good = !text.failed || flm_error_memory(why);
    good = good && (sink(context, text.at, text.size) ||
                    flm_error_set(why, FLM_ERROR_SYSTEM, "the report could not be written"));
    flm_text_clear(&text);
    return good;
}

/* "FAIL: lex grew by ..." */
static void add_verdict(const struct flm_gate_result *result, struct flm_text *out)
{
    const struct flm_gate_report report = report_of(result);
    bool is_paper = result->method == FLM_GATE_PAPER;
    flm_text_format(
        out, "%s: ", flm_verdict_name(is_paper ? result->paper.verdict : result->gate.verdict));
    if (is_paper)
        flm_paper_add_verdict(out, &result->paper, &result->paper_options);
    else
        flm_gate_add_verdict(out, &report);
}

static bool find_significant(const struct flm_gate_result *result,
                             struct flm_significant *significant, struct flm_error *why)
{
    const struct flm_runs *runs = &result->set->runs;
    return result->method == FLM_GATE_PAPER
               ? flm_significant_init_paper(significant, runs, &result->paper, why)
               : flm_significant_init(significant, runs, &result->gate, why);
}

struct flm_profile *flm_gate_side(const struct flm_gate_result *result, bool of_new,
                                  struct flm_error *why)
{
    assert(result);
    struct flm_significant significant;
    struct flm_text verdict = {0};
    add_verdict(result, &verdict);
    struct flm_profile *side = NULL;
    if (verdict.failed) {
        flm_error_memory(why);
    } else if (find_significant(result, &significant, why)) {
        side = flm_significant_side(&significant, &result->set->runs, of_new,
                                    flm_text_bytes(&verdict), why);
        flm_significant_clear(&significant);
    }
    flm_text_clear(&verdict);
    return side;
}

/* ---- Planning -------------------------------------------------------------------------------- */

double flm_gate_look_alpha(double alpha, uint32_t looks)
{
    _Static_assert(FLM_GATE_MOST_LOOKS == (int)FLM_SEQUENTIAL_MOST_LOOKS, "as sequential.h has it");
    return flm_pocock_level(alpha, looks);
}
