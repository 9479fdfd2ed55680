/* run_set.c - the runs of a gate, a series or a matrix, put in order and aligned. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/compare/comparable.h"
#include "base/text/versioned.h"
#include "format/core/date.h"
#include "gate/runs/normalize.h"
#include "gate/runs/strata.h"
#include "report/gate/internal.h"

/* ---- Dates and order ------------------------------------------------------------------------- */

static const char date_form[] = "0000-00-00T00:00:00Z";
enum { DATE_SIZE = sizeof date_form };

/* A run before it has its position in the set. */
struct dated {
    uint32_t given; /* its index among those given */
    int64_t time_ns;
    char date[DATE_SIZE];
};

/* "2026-11-20T17:58:21Z", as `flamel record` notes it; those of pprof have a fraction. */
static bool is_date(struct flm_bytes text, int64_t *time_ns)
{
    for (size_t i = 0; i < DATE_SIZE - 2; i++)
        if (i >= text.size || (date_form[i] == '0' ? text.at[i] < '0' || text.at[i] > '9'
                                                   : text.at[i] != date_form[i]))
            return false;
    return text.at[text.size - 1] == 'Z' && flm_date_parse(text, time_ns);
}

/* False: it has none. */
static bool find_date(struct dated *dated, const struct flm_gate_run *run, enum flm_run_order order)
{
    struct flm_bytes date = order == FLM_ORDER_BY_DATE ? flm_bytes_of(run->date ? run->date : "")
                                                       : flm_profile_note(run->profile, "recorded");
    if (!is_date(date, &dated->time_ns))
        return false;
    memcpy(dated->date, date_form, DATE_SIZE);
    memcpy(dated->date, date.at, DATE_SIZE - 2); /* without the fraction */
    return true;
}

static int by_date(const void *one, const void *other)
{
    const struct dated *a = one, *b = other;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a->given > b->given) - (a->given < b->given);
}

static const char *name_of(const struct flm_gate_run *run)
{
    return run->name ? run->name : "";
}

static bool put_in_order(struct flm_run_set *set, const struct flm_gate_run *runs, uint32_t count,
                         struct dated *dated, enum flm_run_order order, struct flm_error *why)
{
    for (uint32_t i = 0; i < count; i++) {
        dated[i].given = i;
        if (order == FLM_ORDER_GIVEN || find_date(&dated[i], &runs[i], order))
            continue;
        set->undated++;
        if (order != FLM_ORDER_RECORDED_OR_GIVEN)
            return flm_error_set(
                why, FLM_ERROR_USAGE,
                order == FLM_ORDER_RECORDED
                    ? "%s does not say when it was recorded: --order file, or given"
                    : "%s has no date",
                name_of(&runs[i]));
    }
    set->order = order != FLM_ORDER_RECORDED_OR_GIVEN ? order
                 : set->undated == 0                  ? FLM_ORDER_RECORDED
                                                      : FLM_ORDER_GIVEN;
    if (set->order != FLM_ORDER_GIVEN)
        qsort(dated, count, sizeof *dated, by_date);
    else
        for (uint32_t i = 0; i < count; i++)
            dated[i].date[0] = 0;
    return true;
}

/* ---- Alignment ------------------------------------------------------------------------------- */

/* The memory that is needed until the runs are aligned. */
struct aligning {
    struct dated *dated;
    const struct flm_profile **profiles;
    struct flm_profile **normalized; /* NULL: as given */
    struct flm_run_input *inputs;
    uint32_t *stratum;
};

static bool aligning_init(struct aligning *a, struct flm_run_set *set, uint32_t count)
{
    *a = (struct aligning){.dated = calloc(count, sizeof *a->dated),
                           .profiles = calloc(count, sizeof *a->profiles),
                           .normalized = calloc(count, sizeof *a->normalized),
                           .inputs = calloc(count, sizeof *a->inputs),
                           .stratum = calloc(count, sizeof *a->stratum)};
    set->names = calloc(count + (size_t)1, sizeof *set->names);
    set->dates = calloc(count, sizeof *set->dates);
    return a->dated && a->profiles && a->normalized && a->inputs && a->stratum && set->names &&
           set->dates;
}

static void aligning_clear(struct aligning *a, uint32_t count)
{
    for (uint32_t i = 0; a->normalized && i < count; i++)
        flm_profile_free(a->normalized[i]);
    free(a->dated);
    free(a->profiles);
    free(a->normalized);
    free(a->inputs);
    free(a->stratum);
}

static char *copy_of(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, name, size);
    return copy;
}

static bool align(struct flm_run_set *set, struct aligning *a, const struct flm_gate_run *runs,
                  uint32_t count, const struct flm_run_set_options *o, struct flm_error *why)
{
    if (!put_in_order(set, runs, count, a->dated, o->order, why))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_gate_run *run = &runs[a->dated[i].given];
        assert(run->profile);
        memcpy(set->dates[i], a->dated[i].date, DATE_SIZE);
        set->names[i] = copy_of(name_of(run));
        if (!set->names[i])
            return flm_error_memory(why);
        if (o->normalize &&
            !(a->normalized[i] = flm_normalize_frames(run->profile, o->keep_lines, why)))
            return false;
        a->profiles[i] = o->normalize ? a->normalized[i] : run->profile;
    }
    flm_strata_find(a->profiles, count, a->stratum);
    for (uint32_t i = 0; i < count; i++)
        a->inputs[i] = (struct flm_run_input){.profile = a->profiles[i],
                                              .name = set->names[i],
                                              .is_new = runs[a->dated[i].given].is_new,
                                              .block = a->stratum[i]};
    return flm_runs_init(&set->runs, a->inputs, count, o->metric, why);
}

/* ---- The set --------------------------------------------------------------------------------- */

struct flm_run_set *flm_run_set_new(const struct flm_gate_run *runs, size_t count,
                                    const struct flm_run_set_options *options,
                                    struct flm_error *why)
{
    assert(runs || count == 0);
    struct flm_run_set_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_run_set_options", why))
        return NULL;
    if (count == 0 || count >= UINT32_MAX) {
        flm_error_set(why, FLM_ERROR_USAGE, "there are no runs to compare");
        return NULL;
    }
    struct flm_run_set *set = calloc(1, sizeof *set);
    if (!set) {
        flm_error_memory(why);
        return NULL;
    }
    struct aligning a;
    bool good = aligning_init(&a, set, (uint32_t)count) || flm_error_memory(why);
    good = good && align(set, &a, runs, (uint32_t)count, &o, why);
    aligning_clear(&a, (uint32_t)count);
    if (good)
        return set;
    flm_run_set_free(set);
    return NULL;
}

void flm_run_set_free(struct flm_run_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; set->names && set->names[i]; i++)
        free(set->names[i]);
    free(set->names);
    free(set->dates);
    flm_runs_clear(&set->runs);
    free(set);
}

uint32_t flm_run_set_count(const struct flm_run_set *set)
{
    assert(set);
    return set->runs.run_count;
}

const char *flm_run_set_name(const struct flm_run_set *set, uint32_t index)
{
    assert(set && index < set->runs.run_count);
    return set->names[index];
}

double flm_run_set_total(const struct flm_run_set *set, uint32_t index)
{
    assert(set && index < set->runs.run_count);
    return set->runs.run[index].total;
}

struct flm_profile *flm_run_normalize(const struct flm_profile *profile, bool keep_lines,
                                      struct flm_error *why)
{
    assert(profile);
    return flm_normalize_frames(profile, keep_lines, why);
}
