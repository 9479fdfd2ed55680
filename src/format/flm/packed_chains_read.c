#include <assert.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "format/flm/internal.h"

struct reader {
    struct flm_cursor *section;
    uint64_t run; /* answers that are as they seem, until the next one that is not */
};

static void take_run(struct reader *r)
{
    struct flm_cursor *c = &r->section[FLM_CHAIN_IS_CALLER];
    r->run = flm_left(c) > 0 ? flm_take(c) : UINT64_MAX;
}

static uint32_t take_symbol(void *context, enum flm_chain_symbol kind, uint32_t symbol)
{
    struct reader *r = context;
    (void)symbol;
    if (kind != FLM_CHAIN_IS_CALLER)
        return flm_take32(&r->section[kind]);
    if (r->run > 0) {
        r->run--;
        return 0;
    }
    take_run(r);
    return 1;
}

/* ---- Locations ------------------------------------------------------------------------------- */

static uint64_t take_split(struct reader *r, unsigned section)
{
    struct flm_cursor *c = &r->section[section];
    if (c->at == c->end) {
        c->bad = true;
        return 0;
    }
    uint64_t low = *c->at++;
    return low < 0x80 ? low : (low & 0x7F) | flm_take(&r->section[section + 1]) << 7;
}

static struct flm_location take_location(struct reader *r, const struct flm_profile *p,
                                         struct flm_packed_last *last,
                                         const struct flm_frame_record *record, bool is_first)
{
    struct flm_location l = {0};
    if (is_first) {
        last->address = record->address ? record->address : last->module[record->module];
        last->line = last->file[record->file];
    }
    l.address = last->address + (uint64_t)flm_signed_of(take_split(
                                    r, is_first ? FLM_PACKED_FIRST_ADDRESS : FLM_PACKED_ADDRESS));
    l.line = (uint32_t)(last->line + (uint64_t)flm_take_signed(&r->section[FLM_PACKED_LINE]));
    uint32_t file = flm_take32(&r->section[FLM_PACKED_FILE]);
    l.file = file == 0 ? record->file : file - 1;
    if (p->sizes.column_count)
        l.column = flm_take32(&r->section[FLM_PACKED_COLUMN_NUMBER]);
    if (is_first) {
        last->module[record->module] = l.address;
        last->file[record->file] = l.line;
    }
    last->address = l.address;
    last->line = l.line;
    return l;
}

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

struct locations {
    uint32_t *end;              /* by frame: of its locations */
    uint32_t *order, *scratch;  /* frame by frame, by first use and then ascending */
    struct flm_location *taken; /* by first use */
    uint32_t *place;            /* by first use: which of its frame's, from 1 */
    struct flm_packed_last last;
};

static void take_frame(struct reader *r, struct flm_profile *p, struct locations *l, uint32_t frame,
                       uint32_t start)
{
    uint32_t *order = l->order + start, count = l->end[frame] - start;
    bool valid = p->frames[frame].module < p->sizes.string_count &&
                 p->frames[frame].file < p->sizes.string_count;
    r->section[FLM_PACKED_FILE].bad |= !valid;
    for (uint32_t i = 0; i < count && valid; i++)
        l->taken[order[i]] = take_location(r, p, &l->last, &p->frames[frame], i == 0);
    flm_sort(order, count, l->scratch, by_place, l->taken);
    for (uint32_t i = 0; i < count; i++) {
        flm_location_set(p, start + i, &l->taken[order[i]]);
        l->place[order[i]] = i + 1;
    }
    p->frame_locations[frame] = count;
}

static bool take_locations(struct reader *r, struct flm_profile *p,
                           const struct flm_chain_walk *walk)
{
    uint32_t frames = p->sizes.frame_count, count = p->sizes.location_count, start = 0;
    struct locations l = {
        .end = calloc(frames, sizeof *l.end),
        .order = malloc(((size_t)count + 1) * sizeof *l.order),
        .scratch = malloc(((size_t)count + 1) * sizeof *l.scratch),
        .taken = calloc((size_t)count + 1, sizeof *l.taken),
        .last.module = calloc(p->sizes.string_count, sizeof *l.last.module),
        .last.file = calloc(p->sizes.string_count, sizeof *l.last.file),
        .place = malloc(((size_t)count + 1) * sizeof *l.place),
    };
    bool good = l.end && l.order && l.scratch && l.taken && l.last.module && l.last.file && l.place;
    if (good) {
        for (uint32_t i = 0; i < count; i++)
            l.end[walk->location_frame[i]]++;
        for (uint32_t i = 0, next = 0; i < frames; i++) {
            uint32_t of_frame = l.end[i];
            l.end[i] = next;
            next += of_frame;
        }
        for (uint32_t i = 0; i < count; i++)
            l.order[l.end[walk->location_frame[i]]++] = i;
        for (uint32_t i = 0; i < frames; start = l.end[i++])
            take_frame(r, p, &l, i, start);
        for (uint32_t i = 0; i < p->sizes.chain_count; i++)
            p->chain_place[i] =
                walk->chain_location[i] == FLM_NONE ? 0 : l.place[walk->chain_location[i]];
    }
    free(l.end);
    free(l.order);
    free(l.scratch);
    free(l.taken);
    free(l.last.module);
    free(l.last.file);
    free(l.place);
    return good;
}

/* ---- Samples and values ---------------------------------------------------------------------- */

bool flm_packed_sum_chains(const struct flm_profile *p, uint32_t metric, double *to)
{
    const double *value = flm_sample_column(p, metric);
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
            to[start[p->sample_node[i]] + p->sample_chain[i]] += value[i];
    free(start);
    return true;
}

/* Checked here: the sums of samples go to them. */
static bool take_sample_chains(struct reader *r, struct flm_profile *p)
{
    uint64_t shared = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        shared += p->node_chains[i] > 1 ? p->node_chains[i] : 0;
    if (shared != p->sizes.shared_count && p->sizes.metric_count > 0)
        return false;
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t chains = p->node_chains[p->sample_node[i]];
        p->sample_chain[i] = chains > 1 ? flm_take32(&r->section[FLM_PACKED_SAMPLE_CHAIN]) : 0;
        if (p->sample_chain[i] >= chains)
            return false;
    }
    return true;
}

static bool take_chain_values(struct reader *r, struct flm_profile *p, struct flm_error *why)
{
    uint32_t shared = p->sizes.shared_count;
    struct flm_cursor *c = &r->section[FLM_PACKED_CHAIN_VALUE];
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        double *to = p->chain_value + (size_t)m * shared;
        if (c->at < c->end && *c->at == FLM_PACKED_SUMS) {
            c->at++;
            if (!flm_packed_sum_chains(p, m, to))
                return flm_error_memory(why);
        } else if (!flm_packed_take_values(c, to, shared, NULL, why)) {
            return false;
        }
    }
    return true;
}

bool flm_packed_take_chains(struct flm_profile *p, struct flm_cursor *sections,
                            struct flm_error *why)
{
    struct reader r = {.section = sections};
    struct flm_chain_walk walk;
    take_run(&r);
    enum flm_chain_walk_result result = FLM_CHAIN_NO_MEMORY;
    if (flm_chain_walk_init(&walk, p, false)) {
        walk.code = take_symbol;
        walk.context = &r;
        result = flm_chain_walk(&walk);
        if (result == FLM_CHAIN_WALKED && !take_locations(&r, p, &walk))
            result = FLM_CHAIN_NO_MEMORY;
    }
    flm_chain_walk_clear(&walk);
    if (result == FLM_CHAIN_NO_MEMORY)
        return flm_error_memory(why);
    if (result == FLM_CHAIN_DAMAGED)
        return flm_packed_damaged(why, "its lines and addresses are not those of its stacks");
    if (!take_sample_chains(&r, p))
        return flm_packed_damaged(why, "a sample has a line or address that is not there");
    return take_chain_values(&r, p, why);
}
