#include "format/flm/chain_coder.h"

#include <stdlib.h>

#include "base/core/sort.h"

enum { EXTENTS = 25, GAPS = 9, SHARED = 8 };

struct flm_chain_models {
    struct flm_bit_model is_caller[FLM_CHAIN_CALLER_SITUATIONS];
    struct flm_number_model caller_gap, count_single, ago, unused;
    struct flm_number_model count_inner[FLM_CHAIN_COUNT_SITUATIONS];
    struct flm_number_model count_leaf[FLM_CHAIN_COUNT_SITUATIONS];
    struct flm_number_model place_inner[FLM_CHAIN_PLACE_SITUATIONS];
    struct flm_number_model place_leaf[FLM_CHAIN_PLACE_SITUATIONS];

    struct flm_bit_model is_inlined[4]; /* at its caller's address: by kind, and first or not */
    struct flm_number_model first_address[2];
    struct flm_number_model address[EXTENTS];
    struct flm_number_model file[2], first_line, line[GAPS], column;
    struct flm_number_model sample[SHARED];
};

bool flm_chain_coder_init(struct flm_chain_coder *coder, struct flm_text *out,
                          struct flm_cursor *in)
{
    *coder = (struct flm_chain_coder){.models = calloc(1, sizeof *coder->models)};
    if (out)
        flm_bit_writer_init(&coder->bits, out);
    else
        flm_bit_reader_init(&coder->bits, in);
    return coder->models != NULL;
}

void flm_chain_coder_clear(struct flm_chain_coder *coder)
{
    free(coder->models);
    *coder = (struct flm_chain_coder){0};
}

static uint32_t code32(struct flm_chain_coder *coder, struct flm_number_model *model,
                       uint32_t number)
{
    uint64_t value = flm_bit_coder_number(&coder->bits, model, number);
    coder->damaged |= value > UINT32_MAX;
    return (uint32_t)value;
}

uint32_t flm_chain_coder_symbol(void *context, enum flm_chain_symbol kind, uint32_t situation,
                                uint32_t symbol)
{
    struct flm_chain_coder *coder = context;
    struct flm_chain_models *m = coder->models;
    switch (kind) {
    case FLM_CHAIN_IS_CALLER:
        return flm_bit_coder_bit(&coder->bits, &m->is_caller[situation], symbol != 0);
    case FLM_CHAIN_CALLER_GAP:
        return code32(coder, &m->caller_gap, symbol);
    case FLM_CHAIN_COUNT_SINGLE:
        return code32(coder, &m->count_single, symbol);
    case FLM_CHAIN_COUNT_INNER:
        return code32(coder, &m->count_inner[situation], symbol);
    case FLM_CHAIN_COUNT_LEAF:
        return code32(coder, &m->count_leaf[situation], symbol);
    case FLM_CHAIN_PLACE_INNER:
        return code32(coder, &m->place_inner[situation], symbol);
    case FLM_CHAIN_PLACE_LEAF:
        return code32(coder, &m->place_leaf[situation], symbol);
    case FLM_CHAIN_PLACE_AGO:
        return code32(coder, &m->ago, symbol);
    case FLM_CHAIN_UNUSED:
    case FLM_CHAIN_SYMBOLS:
        break;
    }
    return code32(coder, &m->unused, symbol);
}

/* ---- Locations ------------------------------------------------------------------------------- */

/* What is known of a function: one of its addresses, the last one, and how far others were. */
struct function {
    uint64_t start, last, extent;
    bool is_known;
};

struct locating {
    struct flm_chain_coder *coder;
    const struct flm_profile *p;
    struct flm_location *all; /* by first use */
    struct function *functions;
    uint64_t *module_last; /* by string: the last first address of a function */
    uint32_t *file_last;   /* by string: the last first line */
    uint32_t *end;         /* by frame: of its locations in `order` */
    uint32_t *order, *scratch;
};

static unsigned bits_of(uint64_t number, unsigned most)
{
    unsigned bits = 0;
    while (bits < most && number >> bits > 0)
        bits++;
    return bits;
}

static uint64_t code_difference(struct locating *l, struct flm_number_model *model, uint64_t base,
                                uint64_t address)
{
    return base + (uint64_t)flm_bit_coder_signed(&l->coder->bits, model, (int64_t)(address - base));
}

static uint64_t code_address(struct locating *l, uint32_t frame, uint32_t caller, uint64_t address)
{
    struct flm_chain_models *m = l->coder->models;
    const struct flm_frame_record *record = &l->p->frames[frame];
    struct function *f = &l->functions[frame];
    if (caller != FLM_NONE) {
        uint64_t at = l->all[caller].address;
        unsigned kind = (record->kind == FLM_KIND_INLINED) * 2u + f->is_known;
        if (flm_bit_coder_bit(&l->coder->bits, &m->is_inlined[kind], address == at))
            return at;
    }
    if (f->is_known) {
        unsigned extent = bits_of(f->extent, EXTENTS - 1);
        address = code_difference(l, &m->address[extent], f->last, address);
        uint64_t distance = address > f->start ? address - f->start : f->start - address;
        f->extent = distance > f->extent ? distance : f->extent;
    } else {
        uint64_t base = record->address ? record->address : l->module_last[record->module];
        address = code_difference(l, &m->first_address[record->address != 0], base, address);
        l->module_last[record->module] = address;
        f->start = address;
        f->is_known = true;
    }
    f->last = address;
    return address;
}

/* `before`: the location before in the same function; NULL: there is none. */
static void code_line(struct locating *l, uint32_t frame, const struct flm_location *before,
                      struct flm_location *at)
{
    struct flm_chain_coder *coder = l->coder;
    struct flm_chain_models *m = coder->models;
    const struct flm_frame_record *record = &l->p->frames[frame];
    /* 0: the file of the function; 1: that of the line before; else a string, from 2. */
    uint32_t file_before = before ? before->file : record->file;
    uint64_t file = at->file == record->file  ? 0
                    : at->file == file_before ? 1
                                              : (uint64_t)at->file + 2;
    file = flm_bit_coder_number(&coder->bits, &m->file[file_before != record->file], file);
    at->file = file == 0 ? record->file : file == 1 ? file_before : (uint32_t)(file - 2);
    coder->damaged |= file >= 2 && file - 2 >= l->p->sizes.string_count;
    uint32_t base = before ? before->line : l->file_last[record->file];
    struct flm_number_model *model =
        before ? &m->line[bits_of(at->address - before->address, 2 * GAPS - 1) / 2]
               : &m->first_line;
    at->line = (uint32_t)(base + (uint64_t)flm_bit_coder_signed(&coder->bits, model,
                                                                (int64_t)at->line - (int64_t)base));
    if (!before)
        l->file_last[record->file] = at->line;
    if (l->p->sizes.column_count)
        at->column = code32(coder, &m->column, at->column);
}

static int by_address(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_location *all = context;
    if (all[a].address != all[b].address)
        return all[a].address < all[b].address ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void code_lines(struct locating *l, const struct flm_chain_walk *walk)
{
    uint32_t frames = l->p->sizes.frame_count, count = l->p->sizes.location_count;
    for (uint32_t i = 0; i < count; i++)
        l->end[walk->location_frame[i]]++;
    for (uint32_t i = 0, next = 0; i < frames; i++) {
        uint32_t of_frame = l->end[i];
        l->end[i] = next;
        next += of_frame;
    }
    for (uint32_t i = 0; i < count; i++)
        l->order[l->end[walk->location_frame[i]]++] = i;
    for (uint32_t frame = 0, start = 0; frame < frames; start = l->end[frame++]) {
        uint32_t *order = l->order + start, of_frame = l->end[frame] - start;
        flm_sort(order, of_frame, l->scratch, by_address, l->all);
        for (uint32_t i = 0; i < of_frame; i++)
            code_line(l, frame, i > 0 ? &l->all[order[i - 1]] : NULL, &l->all[order[i]]);
    }
}

/* Before the profile is checked, a frame may name a string that is not there. */
static bool names_are_there(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        if (p->frames[i].module >= p->sizes.string_count ||
            p->frames[i].file >= p->sizes.string_count)
            return false;
    return true;
}

bool flm_chain_coder_locations(struct flm_chain_coder *coder, const struct flm_profile *p,
                               const struct flm_chain_walk *walk, struct flm_location *locations)
{
    uint32_t frames = p->sizes.frame_count, count = p->sizes.location_count;
    if (!names_are_there(p)) {
        coder->damaged = true;
        return true;
    }
    struct locating l = {
        .coder = coder,
        .p = p,
        .all = locations,
        .functions = calloc(frames, sizeof *l.functions),
        .module_last = calloc(p->sizes.string_count, sizeof *l.module_last),
        .file_last = calloc(p->sizes.string_count, sizeof *l.file_last),
        .end = calloc(frames, sizeof *l.end),
        .order = malloc(((size_t)count + 1) * sizeof *l.order),
        .scratch = malloc(((size_t)count + 1) * sizeof *l.scratch),
    };
    bool good = l.functions && l.module_last && l.file_last && l.end && l.order && l.scratch;
    for (uint32_t i = 0; good && i < count; i++)
        locations[i].address = code_address(&l, walk->location_frame[i], walk->location_caller[i],
                                            locations[i].address);
    if (good)
        code_lines(&l, walk);
    free(l.functions);
    free(l.module_last);
    free(l.file_last);
    free(l.end);
    free(l.order);
    free(l.scratch);
    return good;
}

/* ---- Samples --------------------------------------------------------------------------------- */

void flm_chain_coder_samples(struct flm_chain_coder *coder, const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++) {
        uint32_t chains = p->node_chains[p->sample_node[i]], chain = 0;
        if (chains > 1) {
            uint32_t situation = chains - 2 < SHARED ? chains - 2 : SHARED - 1;
            chain = code32(coder, &coder->models->sample[situation],
                           coder->bits.out ? p->sample_chain[i] : 0);
            coder->damaged |= chain >= chains;
        }
        if (!coder->bits.out)
            p->sample_chain[i] = chain < chains ? chain : 0;
    }
}
