#include "algebra/compare/comparable.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "algebra/compare/comparison.h"
#include "algebra/compare/paths.h"
#include "algebra/operation/pattern.h"
#include "base/number/number.h"
#include "flamel/builder.h"
#include "profile/sample_span.h"

static const struct flm_bytes before_word = {"before", 6}, after_word = {"after", 5};

/* ---- One tree -------------------------------------------------------------------------------- */

static bool is_in(const struct flm_profile *p, struct flm_bytes name, struct flm_bytes unit)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(p, p->metrics[m].name), name) &&
            flm_bytes_equal(flm_string_bytes(p, p->metrics[m].unit), unit))
            return true;
    return false;
}

static bool is_common(const struct flm_profile *p, uint32_t metric, const struct flm_profile *other)
{
    return is_in(other, flm_string_bytes(p, p->metrics[metric].name),
                 flm_string_bytes(p, p->metrics[metric].unit));
}

static uint32_t count_common(const struct flm_profile *p, const struct flm_profile *other)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        count += is_common(p, m, other);
    return count;
}

/* `p` with the metrics only that `other` has too; they are `count`. */
static struct flm_profile *with_common(const struct flm_profile *p, const struct flm_profile *other,
                                       uint32_t count, struct flm_error *why)
{
    uint32_t all = p->sizes.metric_count, made = 0;
    struct flm_combination *kept = calloc(count + (size_t)1, sizeof *kept);
    double *weights = calloc((size_t)count * all + 1, sizeof *weights);
    struct flm_text names = {0};
    bool good =
        kept && weights && flm_text_reserve(&names, p->sizes.string_bytes + 2 * (size_t)all);
    for (uint32_t m = 0; good && m < all; m++) {
        if (!is_common(p, m, other))
            continue;
        kept[made] = (struct flm_combination){names.at + names.size, NULL, weights + made * all};
        weights[made * (size_t)all + m] = 1;
        flm_text_add(&names, flm_string_bytes(p, p->metrics[m].name));
        flm_text_putc(&names, 0);
        made++;
    }
    struct flm_profile *result = NULL;
    if (good)
        result = flm_combine(p, kept, made, why);
    else
        flm_error_memory(why);
    free(kept);
    free(weights);
    flm_text_clear(&names);
    return result;
}

static void list_metrics(const struct flm_profile *p, struct flm_text *out)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        struct flm_bytes unit = flm_string_bytes(p, p->metrics[m].unit);
        flm_text_puts(out, m ? ", " : "");
        flm_text_add(out, flm_string_bytes(p, p->metrics[m].name));
        if (unit.size > 0)
            flm_text_format(out, " (%.*s)", (int)unit.size, unit.at);
    }
    if (p->sizes.metric_count == 0)
        flm_text_puts(out, "none");
}

static bool refuse_metrics(const struct flm_profile *before, const struct flm_profile *after,
                           struct flm_error *why)
{
    char room[400];
    struct flm_text text;
    flm_text_init_fixed(&text, room, sizeof room);
    list_metrics(before, &text);
    flm_text_puts(&text, " before, ");
    list_metrics(after, &text);
    flm_text_puts(&text, " after");
    return flm_error_set(why, FLM_ERROR_UNIT, "there is no metric in common to compare: %.*s",
                         (int)text.size, text.at);
}

struct flm_profile *flm_comparison_align(const struct flm_profile *before,
                                         const struct flm_profile *after, struct flm_error *why)
{
    static const char *const names[] = {"before", "after"};
    const struct flm_profile *sides[] = {before, after};
    struct flm_profile *made[] = {NULL, NULL};
    bool alike = before->sizes.metric_count == 1 && after->sizes.metric_count == 1 &&
                 flm_bytes_equal(flm_string_bytes(before, before->metrics[0].unit),
                                 flm_string_bytes(after, after->metrics[0].unit));
    uint32_t common = count_common(before, after);
    bool good = common > 0 || alike || refuse_metrics(before, after, why);
    for (int i = 0; good && !alike && i < 2; i++) {
        if (sides[i]->sizes.metric_count == common)
            continue;
        made[i] = with_common(sides[i], i ? before : after, common, why);
        good = made[i] != NULL;
    }
    for (int i = 0; i < 2; i++)
        if (made[i])
            sides[i] = made[i];
    struct flm_profile *moved = NULL;
    struct flm_same_paths same;
    good = good && flm_take_paths(sides[0], sides[1], &moved, &same, why);
    if (moved)
        sides[0] = moved;
    struct flm_profile *result =
        good ? flm_align(sides, 2, FLM_ALIGN_SIDE_BY_SIDE, names, why) : NULL;
    flm_profile_free(made[0]);
    flm_profile_free(made[1]);
    flm_profile_free(moved);
    return result;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* What follows "before" or "before:" in a metric's name; at NULL: it does not begin so. */
static struct flm_bytes name_behind(const struct flm_profile *p, uint32_t metric,
                                    struct flm_bytes side)
{
    struct flm_bytes name = flm_string_bytes(p, p->metrics[metric].name);
    if (flm_bytes_equal(name, side))
        return (struct flm_bytes){name.at + side.size, 0};
    if (name.size > side.size && memcmp(name.at, side.at, side.size) == 0 &&
        name.at[side.size] == ':')
        return (struct flm_bytes){name.at + side.size + 1, name.size - side.size - 1};
    return (struct flm_bytes){NULL, 0};
}

uint32_t flm_metric_pairs(const struct flm_profile *p, struct flm_metric_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < p->sizes.metric_count; a++) {
        struct flm_bytes name = name_behind(p, a, after_word);
        for (uint32_t b = 0; name.at && b < p->sizes.metric_count; b++) {
            struct flm_bytes other = name_behind(p, b, before_word);
            if (!other.at || !flm_bytes_equal(name, other) ||
                p->metrics[a].unit != p->metrics[b].unit)
                continue;
            if (pairs)
                pairs[count] = (struct flm_metric_pair){{b}, {a}, name};
            count++;
            break;
        }
    }
    return count;
}

/* As "cpu", as "after:cpu", or as "after" where there is only one. */
static bool is_called(const struct flm_profile *p, const struct flm_metric_pair *pair,
                      struct flm_bytes name)
{
    return flm_bytes_equal(pair->name, name) ||
           flm_bytes_equal(flm_string_bytes(p, p->metrics[pair->before.index].name), name) ||
           flm_bytes_equal(flm_string_bytes(p, p->metrics[pair->after.index].name), name);
}

static bool refuse_pair(const struct flm_profile *p, const struct flm_metric_pair *pairs,
                        uint32_t count, const char *name, struct flm_error *why)
{
    if (count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "nothing to compare: the profile has no metrics 'before' and 'after'");
    char room[400];
    struct flm_text text;
    flm_text_init_fixed(&text, room, sizeof room);
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(&text, i ? ", " : "");
        flm_text_add(&text, pairs[i].name.size
                                ? pairs[i].name
                                : flm_string_bytes(p, p->metrics[pairs[i].after.index].name));
    }
    return flm_error_set(why, FLM_ERROR_USAGE, "no metric '%s' is in both; there is %.*s", name,
                         (int)text.size, text.at);
}

bool flm_metric_pair_find(const struct flm_profile *p, const char *name,
                          struct flm_metric_pair *pair, struct flm_error *why)
{
    assert(p && pair);
    struct flm_metric_pair *pairs = malloc((p->sizes.metric_count + (size_t)1) * sizeof *pairs);
    if (!pairs)
        return flm_error_memory(why);
    uint32_t count = flm_metric_pairs(p, pairs), found = FLM_NONE;
    for (uint32_t i = 0; i < count && found == FLM_NONE; i++)
        if (!name || is_called(p, &pairs[i], flm_bytes_of(name)))
            found = i;
    bool good = found != FLM_NONE || refuse_pair(p, pairs, count, name, why);
    if (good)
        *pair = pairs[found];
    free(pairs);
    return good;
}

/* A metric called "before:significant", with this unit; FLM_NONE. */
static uint32_t find_significant(const struct flm_profile *p, struct flm_bytes side, uint32_t unit)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (p->metrics[m].unit == unit &&
            flm_bytes_are(name_behind(p, m, side), FLM_METRIC_SIGNIFICANT))
            return m;
    return FLM_NONE;
}

bool flm_metric_pair_significant(const struct flm_profile *p,
                                 const struct flm_metric_pair *compared,
                                 struct flm_metric_pair *significant)
{
    uint32_t unit = p->metrics[compared->after.index].unit;
    uint32_t before = find_significant(p, before_word, unit),
             after = find_significant(p, after_word, unit);
    if (before == FLM_NONE || after == FLM_NONE || after == compared->after.index)
        return false;
    *significant = (struct flm_metric_pair){{before}, {after}, name_behind(p, after, after_word)};
    return true;
}

/* ---- What they are measured by --------------------------------------------------------------- */

static bool has_unit(const struct flm_profile *p, uint32_t metric, const char *unit)
{
    return flm_bytes_are(flm_string_bytes(p, p->metrics[metric].unit), unit);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Its values, and their greatest common divisor. */
static void add_values(struct flm_sample_rule *rule, const struct flm_profile *p, uint32_t metric)
{
    const double *self = flm_self_column(p, metric);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.node_count && rule->divisor != 1; i++) {
        double size = fabs(self[i]);
        if (!(size <= FLM_EXACT_LIMIT) || floor(size) != size)
            rule->divisor = 1;
        else
            rule->divisor = greatest_common_divisor((uint64_t)size, rule->divisor);
        count += size > 0;
    }
    rule->value_count = count > rule->value_count ? count : rule->value_count;
}

/* What a metric is called, without its side: "cpu" of "before:cpu". *side receives "before:". */
static struct flm_bytes split_side(const struct flm_profile *p, uint32_t metric,
                                   struct flm_bytes *side)
{
    struct flm_bytes name = flm_string_bytes(p, p->metrics[metric].name);
    struct flm_bytes before = name_behind(p, metric, before_word);
    struct flm_bytes after = name_behind(p, metric, after_word);
    struct flm_bytes rest = before.at ? before : after.at ? after : name;
    *side = (struct flm_bytes){name.at, name.size - rest.size};
    return rest;
}

/* Whether it counts the samples of this side. */
static bool counts_samples(const struct flm_profile *p, uint32_t metric, struct flm_bytes side)
{
    struct flm_bytes own, name = split_side(p, metric, &own);
    return flm_bytes_equal(own, side) &&
           (has_unit(p, metric, "samples") ||
            (has_unit(p, metric, "count") && flm_bytes_are(name, "samples")));
}

void flm_sample_rule_add(struct flm_sample_rule *rule, const struct flm_profile *p,
                         struct flm_metric metric)
{
    struct flm_bytes side, name = split_side(p, metric.index, &side);
    /* Allocations differ in size, and waits in length: they are not sampled. */
    rule->differ |= has_unit(p, metric.index, "bytes") || flm_bytes_are(name, "off-cpu");
    rule->count_themselves |=
        has_unit(p, metric.index, "samples") || counts_samples(p, metric.index, side);
    add_values(rule, p, metric.index);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (!counts_samples(p, m, side))
            continue;
        rule->total += flm_profile_total(p, metric);
        rule->samples += flm_profile_total(p, (struct flm_metric){m});
        rule->counted++;
        break;
    }
    rule->added++;
}

double flm_sample_rule_value(const struct flm_sample_rule *rule)
{
    enum { ENOUGH = 16 };
    if (rule->differ)
        return 0;
    double divisor = rule->value_count >= ENOUGH && rule->divisor > 1 ? (double)rule->divisor : 0;
    if (rule->count_themselves)
        return divisor > 0 ? divisor : 1;
    if (rule->counted == rule->added)
        return rule->samples > 0 ? rule->total / rule->samples : 0;
    return divisor;
}

void flm_comparison_find_noise(const struct flm_profile *p, const struct flm_metric_pair *compared,
                               struct flm_comparison_options *how)
{
    assert(p && compared && how);
    struct flm_metric_pair significant;
    if (flm_metric_pair_significant(p, compared, &significant)) {
        how->lost = flm_profile_self(p, significant.before);
        how->gained = flm_profile_self(p, significant.after);
    } else if (!flm_bytes_are(name_behind(p, compared->after.index, after_word),
                              FLM_METRIC_SIGNIFICANT)) {
        how->sigmas = FLM_NOISE_SIGMAS;
        how->before_sample = flm_comparison_sample(p, compared->before);
        how->after_sample = flm_comparison_sample(p, compared->after);
    }
}

double flm_comparison_sample(const struct flm_profile *p, struct flm_metric metric)
{
    struct flm_sample_rule rule = {0};
    flm_sample_rule_add(&rule, p, metric);
    return flm_sample_rule_value(&rule);
}

struct flm_bytes flm_profile_note(const struct flm_profile *p, const char *key)
{
    struct flm_name value = flm_profile_note_named(p, key);
    return (struct flm_bytes){value.at, value.size};
}

static double noted_duration_ns(const struct flm_profile *p)
{
    struct flm_bytes note = flm_profile_note(p, FLM_NOTE_DURATION);
    double value;
    enum flm_number_kind kind = note.at ? flm_number_parse(note, &value) : FLM_NUMBER_NONE;
    return kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL ? value : 0;
}

double flm_profile_duration_ns(const struct flm_profile *p)
{
    double noted = noted_duration_ns(p);
    if (noted > 0)
        return noted;
    int64_t first, last;
    return flm_time_range(p, &first, &last) ? (double)last - (double)first : 0;
}

/* Both totals of the marked frames; one below another is in that one's. */
static void add_marked(const struct flm_profile *p, const struct flm_metric_pair *pair,
                       const unsigned char *marks, double *before, double *after)
{
    const double *x = flm_self_column(p, pair->before.index);
    const double *y = flm_self_column(p, pair->after.index);
    uint32_t end = 0; /* of the outermost marked node that i is in */
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        if (i >= end && marks[p->node_frame[i]])
            end = p->node_end[i];
        *before += i < end ? x[i] : 0;
        *after += i < end ? y[i] : 0;
    }
}

static bool measure_function(const struct flm_profile *p, const struct flm_metric_pair *pair,
                             struct flm_bytes function, double *before, double *after,
                             struct flm_error *why)
{
    unsigned char *marks = malloc(p->sizes.frame_count);
    uint32_t matched;
    bool good = marks ? flm_pattern_mark(p, function, marks, &matched, why) : flm_error_memory(why);
    if (good)
        add_marked(p, pair, marks, before, after);
    free(marks);
    return good;
}

bool flm_comparison_scale(const struct flm_profile *p, const struct flm_metric_pair *pair,
                          const struct flm_normal *normal, double *scale, struct flm_error *why)
{
    assert(p && pair && normal && scale);
    static const char *const missing[] = {
        [FLM_NORMALIZE_NONE] = "",
        [FLM_NORMALIZE_TOTAL] = "one of both has no value at all",
        [FLM_NORMALIZE_DURATION] = "it is not known how long both were recorded",
        [FLM_NORMALIZE_FUNCTION] = "the function has no value in one of both"};
    assert((size_t)normal->by < sizeof missing / sizeof missing[0]);
    double before = 0, after = 0;
    switch (normal->by) {
    case FLM_NORMALIZE_NONE:
        before = after = 1;
        break;
    case FLM_NORMALIZE_TOTAL:
        before = flm_profile_total(p, pair->before);
        after = flm_profile_total(p, pair->after);
        break;
    case FLM_NORMALIZE_DURATION:
        before = normal->before_ns;
        after = normal->after_ns;
        break;
    case FLM_NORMALIZE_FUNCTION:
        if (!measure_function(p, pair, normal->function, &before, &after, why))
            return false;
        break;
    }
    *scale = before > 0 ? after / before : 0;
    if (*scale > 0 && *scale - *scale == 0)
        return true;
    return flm_error_set(why, FLM_ERROR_USAGE, "cannot normalize: %s", missing[normal->by]);
}
