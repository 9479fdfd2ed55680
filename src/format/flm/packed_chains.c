#include <assert.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "format/flm/chain_coder.h"
#include "format/flm/internal.h"

/* ---- Values ---------------------------------------------------------------------------------- */

bool flm_packed_sum_chains(const struct flm_profile *p, uint32_t metric, double *to)
{
    struct flm_sample_values values = flm_sample_values(p, metric);
    uint32_t *start = malloc(p->sizes.node_count * sizeof *start), count = 0;
    if (!start)
        return false;
    for (uint32_t i = 0; i < p->sizes.node_count; i++) {
        start[i] = count;
        count += p->node_chains[i] > 1 ? p->node_chains[i] : 0;
    }
    assert(count == p->sizes.shared_count);
    for (uint32_t i = 0; i < count; i++)
        to[i] = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->node_chains[p->sample_node[i]] > 1)
            to[start[p->sample_node[i]] + p->sample_chain[i]] += flm_sample_value_of(&values, i);
    free(start);
    return true;
}

static bool put_values(const struct flm_profile *p, struct flm_text *out)
{
    uint32_t shared = p->sizes.shared_count;
    double *sums = malloc(((size_t)shared + 1) * sizeof *sums);
    bool may_be_sums = shared <= (uint64_t)FLM_PACKED_MOST_SUMS * p->sizes.sample_count;
    bool good = sums != NULL;
    for (uint32_t m = 0; good && m < p->sizes.metric_count; m++) {
        const double *values = p->chain_value + (size_t)m * shared;
        good = !may_be_sums || flm_packed_sum_chains(p, m, sums);
        if (good && may_be_sums && memcmp(sums, values, shared * sizeof *sums) == 0)
            flm_put_varint(out, FLM_PACKED_SUMS);
        else
            flm_packed_put_values(out, values, shared, NULL);
    }
    free(sums);
    return good;
}

bool flm_packed_take_chain_values(struct flm_profile *p, struct flm_cursor *section,
                                  struct flm_error *why)
{
    uint32_t shared = p->sizes.shared_count;
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        double *to = p->chain_value + (size_t)m * shared;
        if (section->at < section->end && *section->at == FLM_PACKED_SUMS) {
            section->at++;
            if (!flm_packed_sum_chains(p, m, to))
                return flm_error_memory(why);
        } else if (!flm_packed_take_values(section, to, shared, NULL, why)) {
            return false;
        }
    }
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_sizes(struct flm_text *out, const struct flm_sizes *s)
{
    struct flm_text sizes = {0};
    flm_put_varint(&sizes, s->location_count);
    flm_put_varint(&sizes, s->column_count);
    flm_put_varint(&sizes, s->chain_count);
    flm_put_varint(&sizes, s->shared_count);
    flm_packed_put_section(out, &sizes);
    out->failed |= sizes.failed;
    flm_text_clear(&sizes);
}

static bool put_locations(struct flm_chain_coder *coder, const struct flm_profile *p,
                          const struct flm_chain_walk *walk)
{
    struct flm_location *all = malloc(((size_t)p->sizes.location_count + 1) * sizeof *all);
    for (uint32_t i = 0; all && i < p->sizes.location_count; i++)
        all[i] = flm_location_at(p, walk->location_number[i]);
    bool good = all && flm_chain_coder_locations(coder, p, walk, all);
    free(all);
    return good;
}

static void put_least_size(const struct flm_profile *p, struct flm_text *out)
{
    uint64_t least = (uint64_t)p->sizes.chain_count + p->sizes.location_count;
    while (!out->failed && (uint64_t)out->size * FLM_PACKED_MOST_CHAINS < least)
        flm_text_putc(out, 0);
}

/* A walk over the chains of a profile that writes or reads each symbol by the coder. */
static bool begin(struct flm_chain_coder *coder, struct flm_chain_walk *walk,
                  const struct flm_profile *p, struct flm_text *out, struct flm_cursor *in)
{
    bool good = flm_chain_walk_init(walk, p, out != NULL);
    good &= flm_chain_coder_init(coder, out, in);
    walk->code = flm_chain_coder_symbol;
    walk->context = coder;
    return good;
}

static bool put_codes(const struct flm_profile *p, struct flm_text *out)
{
    struct flm_chain_coder coder;
    struct flm_chain_walk walk;
    bool good = begin(&coder, &walk, p, out, NULL);
    enum flm_chain_walk_result walked = good ? flm_chain_walk(&walk) : FLM_CHAIN_NO_MEMORY;
    assert(walked != FLM_CHAIN_DAMAGED); /* a profile was checked when it was made */
    good = walked == FLM_CHAIN_WALKED && put_locations(&coder, p, &walk);
    if (good) {
        flm_chain_coder_samples(&coder, p);
        flm_bit_writer_finish(&coder.bits);
        put_least_size(p, out);
    }
    flm_chain_coder_clear(&coder);
    flm_chain_walk_clear(&walk);
    return good;
}

bool flm_packed_put_chains(const struct flm_profile *p, struct flm_text *out, struct flm_error *why)
{
    struct flm_text section[FLM_PACKED_CHAIN_SECTIONS] = {{0}};
    bool good = put_codes(p, &section[FLM_PACKED_CHAIN_CODES]) &&
                put_values(p, &section[FLM_PACKED_CHAIN_VALUE]);
    put_sizes(out, &p->sizes);
    for (size_t i = 0; i < FLM_PACKED_CHAIN_SECTIONS; i++) {
        flm_packed_put_section(out, &section[i]);
        good = good && !section[i].failed;
        flm_text_clear(&section[i]);
    }
    return good || flm_error_memory(why);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int by_place(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_location *all = context, *x = &all[a], *y = &all[b];
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static void place(struct flm_profile *p, const struct flm_chain_walk *walk,
                  const struct flm_location *taken, uint32_t *end, uint32_t *order,
                  uint32_t *scratch, uint32_t *places)
{
    uint32_t frames = p->sizes.frame_count, count = p->sizes.location_count;
    for (uint32_t i = 0; i < count; i++)
        end[walk->location_frame[i]]++;
    for (uint32_t i = 0, next = 0; i < frames; i++) {
        p->frame_locations[i] = end[i];
        end[i] = next;
        next += p->frame_locations[i];
    }
    for (uint32_t i = 0; i < count; i++)
        order[end[walk->location_frame[i]]++] = i;
    for (uint32_t frame = 0, start = 0; frame < frames; start = end[frame++]) {
        flm_sort(order + start, end[frame] - start, scratch, by_place, taken);
        for (uint32_t i = start; i < end[frame]; i++) {
            flm_location_set(p, i, &taken[order[i]]);
            places[order[i]] = i - start + 1;
        }
    }
    for (uint32_t i = 0; i < p->sizes.chain_count; i++)
        p->chain_place[i] =
            walk->chain_location[i] == FLM_NONE ? 0 : places[walk->chain_location[i]];
}

bool flm_packed_place_locations(struct flm_profile *p, const struct flm_chain_walk *walk,
                                const struct flm_location *taken)
{
    size_t count = (size_t)p->sizes.location_count + 1;
    uint32_t *end = calloc(p->sizes.frame_count, sizeof *end);
    uint32_t *order = malloc(count * sizeof *order), *scratch = malloc(count * sizeof *scratch);
    uint32_t *places = malloc(count * sizeof *places);
    bool good = end && order && scratch && places;
    if (good)
        place(p, walk, taken, end, order, scratch, places);
    free(end);
    free(order);
    free(scratch);
    free(places);
    return good;
}

/* Where the reader is behind the codes; what follows are zeros. */
static void take_least_size(struct flm_cursor *c)
{
    while (c->at < c->end && *c->at == 0)
        c->at++;
}

static bool take_locations(struct flm_chain_coder *coder, struct flm_profile *p,
                           const struct flm_chain_walk *walk)
{
    struct flm_location *all = calloc((size_t)p->sizes.location_count + 1, sizeof *all);
    bool good = all && flm_chain_coder_locations(coder, p, walk, all) &&
                flm_packed_place_locations(p, walk, all);
    free(all);
    return good;
}

static enum flm_chain_walk_result take_codes(struct flm_profile *p, struct flm_cursor *section)
{
    struct flm_chain_coder coder;
    struct flm_chain_walk walk;
    bool good = begin(&coder, &walk, p, NULL, section);
    enum flm_chain_walk_result result = good ? flm_chain_walk(&walk) : FLM_CHAIN_NO_MEMORY;
    if (result == FLM_CHAIN_WALKED && !take_locations(&coder, p, &walk))
        result = FLM_CHAIN_NO_MEMORY;
    if (result == FLM_CHAIN_WALKED) {
        flm_chain_coder_samples(&coder, p);
        take_least_size(section);
        if (coder.damaged)
            result = FLM_CHAIN_DAMAGED;
    }
    flm_chain_coder_clear(&coder);
    flm_chain_walk_clear(&walk);
    return result;
}

bool flm_packed_take_chains(struct flm_profile *p, struct flm_cursor *sections,
                            struct flm_error *why)
{
    enum flm_chain_walk_result result = take_codes(p, &sections[FLM_PACKED_CHAIN_CODES]);
    if (result == FLM_CHAIN_NO_MEMORY)
        return flm_error_memory(why);
    uint64_t shared = 0;
    for (uint32_t i = 0; result == FLM_CHAIN_WALKED && i < p->sizes.node_count; i++)
        shared += p->node_chains[i] > 1 ? p->node_chains[i] : 0;
    if (result == FLM_CHAIN_DAMAGED || (shared != p->sizes.shared_count && p->sizes.metric_count))
        return flm_packed_damaged(why, "its lines and addresses are not those of its stacks");
    return flm_packed_take_chain_values(p, &sections[FLM_PACKED_CHAIN_VALUE], why);
}
