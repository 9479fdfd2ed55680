/* packed_chains_v5.c - chains as flamel wrote them before the bit coder: varints, under zstd. */
#include <stdlib.h>

#include "format/flm/internal.h"

/* A section for each kind of symbols (chain_walk.h), then those of tables. An address is in two,
 * its lowest seven bits and the others. */
enum {
    /* Of a function, less where it begins; if that is not known, the one before in its module. */
    FIRST_ADDRESS = FLM_CHAIN_SYMBOLS,
    FIRST_ADDRESS_HIGH,
    ADDRESS, /* of its other locations, less that of the one before */
    ADDRESS_HIGH,
    FILE_NAME, /* 0: that of the function, else a string, from 1 */
    LINE,      /* as addresses, and by file */
    COLUMN_NUMBER,
    SAMPLE_CHAIN, /* of samples whose node has several */
    CHAIN_VALUE,
    SECTIONS
};

_Static_assert((int)SECTIONS == (int)FLM_PACKED_MOST_CHAIN_SECTIONS, "room for all of them");

/* What is kept of the function, file or module that was last. */
struct last {
    uint64_t address, line; /* of the location before */
    uint64_t *module;       /* by string: the last first address */
    uint32_t *file;         /* by string: the last first line */
};

struct reader {
    struct flm_cursor *section;
    uint64_t run; /* answers that are as they seem, until the next one that is not */
};

static void take_run(struct reader *r)
{
    struct flm_cursor *c = &r->section[FLM_CHAIN_IS_CALLER];
    r->run = flm_left(c) > 0 ? flm_take(c) : UINT64_MAX;
}

static uint32_t take_symbol(void *context, enum flm_chain_symbol kind, uint32_t situation,
                            uint32_t symbol)
{
    struct reader *r = context;
    (void)situation;
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
                                         struct last *last, const struct flm_frame_record *record,
                                         bool is_first)
{
    struct flm_location l = {0};
    if (is_first) {
        last->address = record->address ? record->address : last->module[record->module];
        last->line = last->file[record->file];
    }
    l.address =
        last->address + (uint64_t)flm_signed_of(take_split(r, is_first ? FIRST_ADDRESS : ADDRESS));
    l.line = (uint32_t)(last->line + (uint64_t)flm_take_signed(&r->section[LINE]));
    uint32_t file = flm_take32(&r->section[FILE_NAME]);
    l.file = file == 0 ? record->file : file - 1;
    if (p->sizes.column_count)
        l.column = flm_take32(&r->section[COLUMN_NUMBER]);
    if (is_first) {
        last->module[record->module] = l.address;
        last->file[record->file] = l.line;
    }
    last->address = l.address;
    last->line = l.line;
    return l;
}

struct locations {
    uint32_t *end;              /* by frame: of its locations */
    uint32_t *order;            /* frame by frame, by first use */
    struct flm_location *taken; /* by first use */
    struct last last;
};

static void take_frame(struct reader *r, const struct flm_profile *p, struct locations *l,
                       uint32_t frame, uint32_t start)
{
    bool valid = p->frames[frame].module < p->sizes.string_count &&
                 p->frames[frame].file < p->sizes.string_count;
    r->section[FILE_NAME].bad |= !valid;
    for (uint32_t i = start; i < l->end[frame] && valid; i++)
        l->taken[l->order[i]] = take_location(r, p, &l->last, &p->frames[frame], i == start);
}

static bool take_locations(struct reader *r, struct flm_profile *p,
                           const struct flm_chain_walk *walk)
{
    uint32_t frames = p->sizes.frame_count, count = p->sizes.location_count;
    struct locations l = {
        .end = calloc(frames, sizeof *l.end),
        .order = malloc(((size_t)count + 1) * sizeof *l.order),
        .taken = calloc((size_t)count + 1, sizeof *l.taken),
        .last.module = calloc(p->sizes.string_count, sizeof *l.last.module),
        .last.file = calloc(p->sizes.string_count, sizeof *l.last.file),
    };
    bool good = l.end && l.order && l.taken && l.last.module && l.last.file;
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
        for (uint32_t i = 0, start = 0; i < frames; start = l.end[i++])
            take_frame(r, p, &l, i, start);
        good = flm_packed_place_locations(p, walk, l.taken);
    }
    free(l.end);
    free(l.order);
    free(l.taken);
    free(l.last.module);
    free(l.last.file);
    return good;
}

/* ---- Samples and values ---------------------------------------------------------------------- */

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
        p->sample_chain[i] = chains > 1 ? flm_take32(&r->section[SAMPLE_CHAIN]) : 0;
        if (p->sample_chain[i] >= chains)
            return false;
    }
    return true;
}

bool flm_packed_take_chains_v5(struct flm_profile *p, struct flm_cursor *sections,
                               struct flm_error *why)
{
    struct reader r = {.section = sections};
    struct flm_chain_walk walk;
    take_run(&r);
    enum flm_chain_walk_result result = FLM_CHAIN_NO_MEMORY;
    if (flm_chain_walk_init(&walk, p, false)) {
        walk.without_inlined = true;
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
    return flm_packed_take_chain_values(p, &sections[CHAIN_VALUE], why);
}

/* A chain takes a byte of the file at least; the values of shared chains are in it, or are sums
 * of the samples that are. */
bool flm_packed_chain_sizes_v5(const struct flm_sizes *s, const struct flm_cursor *sections)
{
    return s->chain_count - 1 <= flm_left(&sections[FLM_CHAIN_PLACE_INNER]) +
                                     flm_left(&sections[FLM_CHAIN_PLACE_LEAF]) &&
           s->location_count <= flm_left(&sections[LINE]) &&
           s->column_count <= flm_left(&sections[COLUMN_NUMBER]);
}
