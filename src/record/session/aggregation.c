#include "record/session/aggregation.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/sum.h"
#include "flamel/builder.h"

void flm_aggregation_clear(struct flm_aggregation *t)
{
    flm_index_clear(&t->attributes_index);
    flm_index_clear(&t->sample_index);
    free(t->attributes.at);
    free(t->samples.at);
    free(t->merged.at);
    *t = (struct flm_aggregation){.keep_times = t->keep_times};
}

static bool have_same_labels(const struct flm_sample_attributes *a,
                             const struct flm_sample_attributes *b)
{
    for (size_t i = 0; i < FLM_RUNTIME_LABELS; i++)
        if (a->labels[i].key != b->labels[i].key || a->labels[i].value.at != b->labels[i].value.at)
            return false;
    return true;
}

static bool are_equal(const struct flm_sample_attributes *a, const struct flm_sample_attributes *b)
{
    return a->thread == b->thread && a->cpu == b->cpu && a->event == b->event &&
           a->command.at == b->command.at && a->process == b->process && a->state == b->state &&
           a->thread_name.at == b->thread_name.at && a->runtime_state.at == b->runtime_state.at &&
           have_same_labels(a, b);
}

static uint32_t hash_of(const struct flm_sample_attributes *c)
{
    uint64_t who = flm_mix((uintptr_t)c->command.at ^ 0x9E3779B97F4A7C15u,
                           (uint64_t)(uint32_t)c->process << 32 | (uint32_t)c->thread);
    who = c->thread_name.at || c->runtime_state.at
              ? flm_mix(who ^ (uintptr_t)c->thread_name.at, (uintptr_t)c->runtime_state.at)
              : who;
    for (size_t i = 0; i < FLM_RUNTIME_LABELS && c->labels[i].key; i++)
        who = flm_mix(who ^ 0xA0761D6478BD642Fu, (uintptr_t)c->labels[i].value.at);
    return (uint32_t)flm_mix(who ^ 0xD6E8FEB86659FD93u,
                             (uint64_t)c->cpu << 32 ^ (uint64_t)c->event << 2 ^ c->state);
}

/* UINT32_MAX when memory ran out. */
static uint32_t find_attributes(struct flm_aggregation *t, const struct flm_sample_attributes *c)
{
    if (t->attributes.count > 0 && are_equal(&t->attributes.at[t->last], c))
        return t->last;
    uint32_t hash = hash_of(c);
    for (struct flm_probe at = flm_index_probe(&t->attributes_index, hash);
         flm_index_next(&t->attributes_index, &at);)
        if (are_equal(&t->attributes.at[at.found], c))
            return t->last = at.found;
    if (!FLM_ARRAY_RESERVE(&t->attributes, 1))
        return UINT32_MAX;
    if (!flm_index_add(&t->attributes_index, hash, (uint32_t)t->attributes.count))
        return UINT32_MAX;
    t->attributes.at[t->attributes.count] = *c;
    return t->last = (uint32_t)t->attributes.count++;
}

static bool append(struct flm_aggregation *t, const struct flm_aggregated_sample *sample,
                   uint64_t merged)
{
    return t->samples.count < UINT32_MAX && FLM_ARRAY_RESERVE(&t->samples, 1) &&
           (t->keep_times || FLM_ARRAY_ADD(&t->merged, merged)) &&
           FLM_ARRAY_ADD(&t->samples, *sample);
}

/* Adds to the value of a sum. What rounding leaves out, from 2^53 on, is a sum of no samples, so
 * that the builder can round the sum of both once. */
static bool add_value(struct flm_aggregation *t, uint32_t at, double value)
{
    struct flm_aggregated_sample left_out = t->samples.at[at];
    left_out.value = flm_two_sum(&t->samples.at[at].value, value);
    t->merged.at[at]++;
    return left_out.value == 0 || append(t, &left_out, 0);
}

bool flm_aggregation_add(struct flm_aggregation *t, int64_t time_ns, uint32_t node,
                         const struct flm_sample_attributes *attributes, double value)
{
    struct flm_sample_attributes c = *attributes;
    if (!t->keep_times)
        c = (struct flm_sample_attributes){.event = c.event, .state = c.state};
    struct flm_aggregated_sample sample = {time_ns, value, node, find_attributes(t, &c)};
    if (sample.attributes == UINT32_MAX)
        return false;
    if (t->keep_times)
        return append(t, &sample, 1);
    uint32_t hash = flm_hash_numbers((uint64_t)sample.attributes << 32 | node, 0);
    for (struct flm_probe at = flm_index_probe(&t->sample_index, hash);
         flm_index_next(&t->sample_index, &at);) {
        const struct flm_aggregated_sample *s = &t->samples.at[at.found];
        if (s->node == node && s->attributes == sample.attributes)
            return add_value(t, at.found, value);
    }
    sample.time_ns = FLM_NO_TIME;
    return flm_index_add(&t->sample_index, hash, (uint32_t)t->samples.count) &&
           append(t, &sample, 1);
}
