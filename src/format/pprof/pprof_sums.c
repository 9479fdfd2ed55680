/* pprof_sums.c - samples of few stacks, added up in the pass that collects the tables.
 *
 * A service that runs for long has millions of samples of a few thousand stacks, and without labels
 * sums say as much as samples. So the tables need not be known: the values of a sample are added to
 * those of the first sample whose locations were encoded by the same bytes, and at the end each
 * stack is made once, in the order of the file. What is left for a sample are its own bytes, once.
 *
 * That takes samples as most writers make them: one field of packed locations, and values, packed
 * or not, none of them negative or so large that doubles round it. Others are remembered, and read
 * on their own when their turn has come. Where there are many of those, or labels that are kept, or
 * almost as many stacks as samples, this ends, and all samples are read in a pass of their own
 * (pprof_samples.c).
 *
 * The sizes of stacks are as good as random, so a loop over their bytes ends unforeseen by the CPU,
 * which costs as much as all of the rest. Stacks of up to 64 bytes are hashed and compared without
 * one: by four pieces of 16 bytes, which overlap where there are less; longer ones, up to 128, by
 * two times four. */
#include <stdlib.h>

#include "base/core/varint.h"
#include "format/pprof/internal.h"

/* Up to here integers are doubles. */
static const uint64_t MOST_VALUE = (uint64_t)1 << 53;

enum {
    FIRST_SLOTS = 1 << 12,
    MOST_STACKS = 1 << 18,
    FEW_ODD = 1024, /* so many are taken however few samples there are */
    FEW_STACKS = 1 << 15,
    PROBES = 32 /* so many slots are looked at before it ends: a file may be made to be slow */
};

/* ---- The bytes of stacks --------------------------------------------------------------------- */

/* Where the pieces of a stack of 16 to 64 bytes begin, apart from the first. */
struct pieces {
    size_t second, third, last;
};

static inline struct pieces pieces_of(size_t size)
{
    size_t last = size - 16;
    return (struct pieces){last < 16 ? last : 16, last < 32 ? last : 32, last};
}

static inline uint64_t hash_piece(const unsigned char *at, uint64_t key)
{
    return flm_mix(flm_load64(at) ^ key, flm_load64(at + 8) ^ 0x9E3779B97F4A7C15u);
}

static inline uint64_t hash_pieces(const unsigned char *at, size_t size)
{
    struct pieces p = pieces_of(size);
    return hash_piece(at, 0xD6E8FEB86659FD93u) + hash_piece(at + p.second, 0x2545F4914F6CDD1Du) +
           hash_piece(at + p.third, 0xB492B66FBE98F273u) + hash_piece(at + p.last, size);
}

static inline uint32_t hash_stack(const unsigned char *at, size_t size)
{
    if (size - 16 <= 48)
        return (uint32_t)(hash_pieces(at, size) >> 32);
    if (size - 64 <= 64)
        return (uint32_t)((hash_pieces(at, 64) + 3 * hash_pieces(at + size - 64, 64)) >> 32);
    return (uint32_t)(flm_hash(at, size) >> 32);
}

static inline uint64_t compare_piece(const unsigned char *a, const unsigned char *b)
{
    return (flm_load64(a) ^ flm_load64(b)) | (flm_load64(a + 8) ^ flm_load64(b + 8));
}

/* 0: they are the same. */
static inline uint64_t compare_pieces(const unsigned char *a, const unsigned char *b, size_t size)
{
    struct pieces p = pieces_of(size);
    return compare_piece(a, b) | compare_piece(a + p.second, b + p.second) |
           compare_piece(a + p.third, b + p.third) | compare_piece(a + p.last, b + p.last);
}

static inline bool is_same(const unsigned char *a, const unsigned char *b, size_t size)
{
    if (size - 16 <= 48)
        return compare_pieces(a, b, size) == 0;
    if (size - 64 <= 64)
        return (compare_pieces(a, b, 64) | compare_pieces(a + size - 64, b + size - 64, 64)) == 0;
    return memcmp(a, b, size) == 0;
}

/* ---- Adding up ------------------------------------------------------------------------------- */

void flm_pprof_sums_clear(struct flm_pprof_sums *s)
{
    FLM_ARRAY_CLEAR(&s->values);
    FLM_ARRAY_CLEAR(&s->stacks);
    FLM_ARRAY_CLEAR(&s->odd);
    free(s->slots);
    *s = (struct flm_pprof_sums){.ended = true};
}

/* What follows has a single sample type for each value: it must stand before the samples. */
static bool begin(struct flm_pprof_sums *s, size_t type_count)
{
    s->type_count = type_count;
    s->slot_count = FIRST_SLOTS;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    return s->slots != NULL;
}

static bool grow(struct flm_pprof_sums *s)
{
    size_t count = 2 * s->slot_count;
    struct flm_pprof_slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->slot_count; i++) {
        size_t at = s->slots[i].hash & (count - 1);
        while (s->slots[i].ids && slots[at].ids)
            at = (at + 1) & (count - 1);
        if (s->slots[i].ids)
            slots[at] = s->slots[i];
    }
    free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    return true;
}

/* Adds a stack, with sums of 0. Its index; FLM_NONE: it ends here, or memory ran out. */
static uint32_t add_stack(struct flm_pprof_reading *r, struct flm_pprof_slot stack, size_t at)
{
    struct flm_pprof_sums *s = &r->sums;
    size_t count = s->stacks.count;
    if (count >= MOST_STACKS || (count >= FEW_STACKS && count > r->sample_count / 4))
        return FLM_NONE;
    stack.stack = (uint32_t)count;
    if (!FLM_ARRAY_ADD(&s->stacks, stack.ids) || !FLM_ARRAY_RESERVE(&s->values, s->type_count)) {
        flm_pprof_fail_memory(r);
        return FLM_NONE;
    }
    memset(s->values.at + s->values.count, 0, s->type_count * sizeof *s->values.at);
    s->values.count += s->type_count;
    s->slots[at] = stack;
    if (4 * s->stacks.count > s->slot_count && !grow(s)) {
        flm_pprof_fail_memory(r);
        return FLM_NONE;
    }
    return stack.stack;
}

static inline uint32_t find_stack(struct flm_pprof_reading *r, const struct flm_pprof_summed *of)
{
    struct flm_pprof_sums *s = &r->sums;
    size_t at = of->hash & (s->slot_count - 1);
    for (int i = 0; i < PROBES; i++, at = (at + 1) & (s->slot_count - 1)) {
        const struct flm_pprof_slot *slot = &s->slots[at];
        if (!slot->ids)
            return add_stack(r, (struct flm_pprof_slot){of->ids, of->hash, 0}, at);
        if (slot->hash == of->hash && is_same(slot->ids, of->ids, of->ids_size))
            return slot->stack; /* the bytes of the slot are before these, so they are there */
    }
    return FLM_NONE;
}

/* Asks for the stack that find_stack will compare first. */
static inline void expect_stack(const struct flm_pprof_sums *s, const struct flm_pprof_summed *of)
{
    const struct flm_pprof_slot *slot = &s->slots[of->hash & (s->slot_count - 1)];
    if (slot->ids) {
        __builtin_prefetch(slot->ids);
        __builtin_prefetch(slot->ids + of->ids_size - 1);
        __builtin_prefetch(&s->values.at[(size_t)slot->stack * s->type_count], 1);
    }
}

/* False: it ends here. */
static inline bool add_values(struct flm_pprof_reading *r, const struct flm_pprof_summed *sample)
{
    struct flm_pprof_sums *s = &r->sums;
    uint32_t stack = find_stack(r, sample);
    if (stack == FLM_NONE)
        return false;
    uint64_t *sums = s->values.at + (size_t)stack * s->type_count;
    bool fits = true;
    for (size_t i = 0; i < s->type_count; i++)
        fits &= sums[i] + sample->values[i] <= MOST_VALUE;
    for (size_t i = 0; fits && i < s->type_count; i++)
        sums[i] += sample->values[i];
    if (!fits && !FLM_ARRAY_ADD(&s->odd, sample->start))
        return flm_pprof_fail_memory(r);
    return true;
}

void flm_pprof_sum_batch(struct flm_pprof_reading *r)
{
    struct flm_pprof_sums *s = &r->sums;
    bool good = true;
    for (size_t i = 0; i < s->batch_count; i++)
        expect_stack(s, &s->batch[i]);
    for (size_t i = 0; good && i < s->batch_count; i++)
        good = add_values(r, &s->batch[i]);
    s->batch_count = 0;
    if (!good)
        flm_pprof_sums_clear(s);
}

/* The end of a field of bytes with that tag of one byte, and a size of one or two, at `at`; NULL:
 * there is something else. */
static inline const unsigned char *field_end(const unsigned char *at, const unsigned char *end,
                                             unsigned tag, const unsigned char **content)
{
    if (end - at < 3 || at[0] != tag)
        return NULL;
    size_t size = at[1];
    at += 2;
    if (size >= 0x80) {
        size = (size & 0x7F) | (size_t)*at << 7;
        if (*at++ >= 0x80)
            return NULL;
    }
    *content = at;
    return size <= (size_t)(end - at) ? at + size : NULL;
}

/* The values of a sample, packed or not, at `at`; *any receives the bits that any of them has.
 * Returns their end, which may be behind `end`, up to 8 bytes; NULL: they are odd. */
static inline const unsigned char *take_values(const unsigned char *at, const unsigned char *end,
                                               size_t count, uint64_t *values, uint64_t *any)
{
    enum { VALUE = 2 << 3 | FLM_WIRE_VARINT, VALUES = 2 << 3 | FLM_WIRE_BYTES };
    const unsigned char *content, *values_end = field_end(at, end, VALUES, &content);
    if (values_end)
        at = content;
    for (size_t i = 0; i < count; i++) {
        if (!values_end && (at >= end || *at++ != VALUE))
            return NULL;
        unsigned size = at < (values_end ? values_end : end) ? flm_varint_short(at, &values[i]) : 0;
        if (size == 0 || values[i] > MOST_VALUE)
            return NULL;
        at += size;
        *any |= values[i];
    }
    return values_end && at != values_end ? NULL : at;
}

/* Adds the sample to the batch; false: it is odd. Go writes the values first. */
static inline bool take(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    enum { AHEAD = 8 }; /* read, not used, beyond the end of a field */
    enum { IDS = 1 << 3 | FLM_WIRE_BYTES, LABEL = 3 << 3 | FLM_WIRE_BYTES };
    struct flm_pprof_sums *s = &r->sums;
    struct flm_pprof_summed *sample = &s->batch[s->batch_count];
    const unsigned char *at = (const unsigned char *)field->bytes.at, *content;
    const unsigned char *end = at + field->bytes.size, *all = r->input.begin + r->input.size;
    uint64_t any = 0;
    if (all - end < AHEAD || at == end)
        return false;
    bool is_first = *at != IDS;
    if (is_first && (!(at = take_values(at, end, s->type_count, sample->values, &any)) || at > end))
        return false;
    const unsigned char *ids = at, *ids_end = field_end(ids, end, IDS, &content);
    if (!ids_end || ids_end == content)
        return false;
    at = ids_end;
    if (!is_first && !(at = take_values(at, end, s->type_count, sample->values, &any)))
        return false;
    if (at > end || any == 0 || (at < end && r->options->keep_times))
        return false; /* one without any value is kept as a sample */
    while (at < end)
        if (!(at = field_end(at, end, LABEL, &content)))
            return false;
    sample->start = field->start;
    sample->ids = ids;
    sample->ids_size = (size_t)(ids_end - ids);
    sample->hash = hash_stack(ids, sample->ids_size);
    __builtin_prefetch(&s->slots[sample->hash & (s->slot_count - 1)]);
    if (++s->batch_count == FLM_PPROF_BATCH)
        flm_pprof_sum_batch(r);
    return true;
}

bool flm_pprof_sum_sample(struct flm_pprof_reading *r, const struct flm_wire *field)
{
    struct flm_pprof_sums *s = &r->sums;
    size_t type_count = r->sample_types.count;
    if (field->type != FLM_WIRE_BYTES)
        return true;
    if (!s->slots && type_count > 0 && type_count <= FLM_PPROF_SUMMED_TYPES &&
        !begin(s, type_count))
        return flm_pprof_fail_memory(r);
    if (s->slots && s->type_count == type_count && take(r, field))
        return true;
    flm_pprof_sum_batch(r); /* so that what is odd stays in order */
    if (!s->slots || s->type_count != type_count ||
        (s->odd.count >= FEW_ODD && s->odd.count > r->sample_count / 16))
        flm_pprof_sums_clear(s);
    else if (!FLM_ARRAY_ADD(&s->odd, field->start))
        flm_pprof_fail_memory(r);
    return false;
}

/* ---- Afterward ------------------------------------------------------------------------------- */

static void use_stack(struct flm_pprof_reading *r, size_t i)
{
    const uint64_t *sums = r->sums.values.at + i * r->sums.type_count;
    struct flm_node node = flm_pprof_find_stack(r, r->sums.stacks.at[i]);
    for (size_t m = 0; m < r->metrics.count && !flm_pprof_stopped(r); m++)
        if (sums[m] > 0)
            flm_builder_add_self(r->builder, r->metrics.at[m], node.index, (double)sums[m]);
}

void flm_pprof_use_sums(struct flm_pprof_reading *r)
{
    const struct flm_pprof_sums *s = &r->sums;
    size_t stack = 0, odd = 0;
    while (!flm_pprof_stopped(r) && (stack < s->stacks.count || odd < s->odd.count)) {
        if (odd == s->odd.count ||
            (stack < s->stacks.count && s->stacks.at[stack] < s->odd.at[odd])) {
            use_stack(r, stack++);
            continue;
        }
        struct flm_wire field = flm_pprof_field(r, s->odd.at[odd++]);
        flm_pprof_read_sample(r, &field);
        if (!flm_pprof_stopped(r))
            flm_pprof_use_samples(r);
    }
}
