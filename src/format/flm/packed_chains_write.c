#include <assert.h>
#include <stdlib.h>

#include "format/flm/internal.h"

struct writer {
    struct flm_text section[FLM_PACKED_CHAIN_SECTIONS];
    uint64_t run; /* answers that were as they seemed, since the last one that was not */
};

static uint32_t put_symbol(void *context, enum flm_chain_symbol kind, uint32_t symbol)
{
    struct writer *w = context;
    if (kind != FLM_CHAIN_IS_CALLER) {
        flm_put_varint(&w->section[kind], symbol);
    } else if (symbol == 0) {
        w->run++;
    } else {
        flm_put_varint(&w->section[kind], w->run);
        w->run = 0;
    }
    return symbol;
}

/* ---- Locations ------------------------------------------------------------------------------- */

static void put_split(struct writer *w, unsigned section, uint64_t value)
{
    flm_text_putc(&w->section[section], (char)(value < 0x80 ? value : value | 0x80));
    if (value >= 0x80)
        flm_put_varint(&w->section[section + 1], value >> 7);
}

static void put_location(struct writer *w, const struct flm_profile *p,
                         struct flm_packed_last *last, uint32_t frame, uint32_t number,
                         bool is_first)
{
    const struct flm_frame_record *record = &p->frames[frame];
    struct flm_location l = flm_location_at(p, number);
    if (is_first) {
        last->address = record->address ? record->address : last->module[record->module];
        last->line = last->file[record->file];
        last->module[record->module] = l.address;
        last->file[record->file] = l.line;
    }
    put_split(w, is_first ? FLM_PACKED_FIRST_ADDRESS : FLM_PACKED_ADDRESS,
              flm_with_sign((int64_t)(l.address - last->address)));
    flm_put_varint(&w->section[FLM_PACKED_LINE], flm_with_sign((int64_t)(l.line - last->line)));
    flm_put_varint(&w->section[FLM_PACKED_FILE], l.file == record->file ? 0 : (uint64_t)l.file + 1);
    if (p->sizes.column_count)
        flm_put_varint(&w->section[FLM_PACKED_COLUMN_NUMBER], l.column);
    last->address = l.address;
    last->line = l.line;
}

/* Function by function, those of each by first use. */
static bool put_locations(struct writer *w, const struct flm_chain_walk *walk)
{
    const struct flm_profile *p = walk->profile;
    struct flm_packed_last last = {
        .module = calloc(p->sizes.string_count, sizeof *last.module),
        .file = calloc(p->sizes.string_count, sizeof *last.file),
    };
    uint32_t *at = malloc(p->sizes.frame_count * sizeof *at);
    uint32_t *order = malloc(((size_t)p->sizes.location_count + 1) * sizeof *order);
    bool good = last.module && last.file && at && order;
    if (good) {
        memcpy(at, walk->location_start, p->sizes.frame_count * sizeof *at);
        for (uint32_t i = 0; i < p->sizes.location_count; i++)
            order[at[walk->location_frame[i]]++] = walk->location_number[i];
        for (uint32_t frame = 0, i = 0; frame < p->sizes.frame_count; frame++)
            for (; i < at[frame]; i++)
                put_location(w, p, &last, frame, order[i], i == walk->location_start[frame]);
    }
    free(last.module);
    free(last.file);
    free(at);
    free(order);
    return good;
}

/* ---- Samples and values ---------------------------------------------------------------------- */

static void put_sample_chains(struct writer *w, const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->node_chains[p->sample_node[i]] > 1)
            flm_put_varint(&w->section[FLM_PACKED_SAMPLE_CHAIN], p->sample_chain[i]);
}

static bool put_chain_values(struct writer *w, const struct flm_profile *p)
{
    uint32_t shared = p->sizes.shared_count;
    double *sums = malloc(((size_t)shared + 1) * sizeof *sums);
    struct flm_text *out = &w->section[FLM_PACKED_CHAIN_VALUE];
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

bool flm_packed_put_chains(const struct flm_profile *p, struct flm_text *out, struct flm_error *why)
{
    struct writer w = {0};
    struct flm_chain_walk walk;
    bool good = flm_chain_walk_init(&walk, p, true);
    walk.code = put_symbol;
    walk.context = &w;
    enum flm_chain_walk_result walked = good ? flm_chain_walk(&walk) : FLM_CHAIN_NO_MEMORY;
    assert(walked != FLM_CHAIN_DAMAGED); /* a profile was checked when it was made */
    good = walked == FLM_CHAIN_WALKED && put_locations(&w, &walk) && put_chain_values(&w, p);
    flm_chain_walk_clear(&walk);
    put_sample_chains(&w, p);
    put_sizes(out, &p->sizes);
    for (size_t i = 0; i < FLM_PACKED_CHAIN_SECTIONS; i++) {
        flm_packed_put_section(out, &w.section[i]);
        good = good && !w.section[i].failed;
        flm_text_clear(&w.section[i]);
    }
    return good || flm_error_memory(why);
}
