#include "profile/interner.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/sort.h"
#include "base/core/sort_texts.h"

bool flm_interner_init(struct flm_interner *v, struct flm_error *why)
{
    *v = (struct flm_interner){0};
    struct flm_frame_record root = {.flags = FLM_FRAME_ROOT};
    if (flm_interner_string(v, (struct flm_bytes){"", 0}) == 0 && flm_interner_frame(v, &root) == 0)
        return true;
    flm_interner_clear(v);
    return flm_error_memory(why);
}

void flm_interner_clear(struct flm_interner *v)
{
    free(v->bytes);
    free(v->string_ends);
    flm_index_clear(&v->string_index);
    free(v->frames);
    flm_index_clear(&v->frame_index);
    free(v->locations);
    flm_index_clear(&v->location_index);
    free(v->frame_of);
    *v = (struct flm_interner){0};
}

/* Gives back the room for items that will not come. */
static void *without_slack(void *items, size_t *capacity, size_t count, size_t item_size)
{
    void *smaller = count > 0 && count < *capacity ? realloc(items, count * item_size) : NULL;
    *capacity = smaller ? count : *capacity;
    return smaller ? smaller : items;
}

void flm_interner_seal(struct flm_interner *v)
{
    v->sealed = true;
    flm_index_clear(&v->string_index);
    flm_index_clear(&v->frame_index);
    flm_index_clear(&v->location_index);
    free(v->frame_of);
    v->frame_of = NULL;
    v->frame_of_capacity = 0;
    v->bytes = without_slack(v->bytes, &v->bytes_capacity, v->bytes_size, 1);
    v->string_ends =
        without_slack(v->string_ends, &v->string_capacity, v->string_count, sizeof(uint32_t));
    v->frames = without_slack(v->frames, &v->frame_capacity, v->frame_count, sizeof *v->frames);
    v->locations =
        without_slack(v->locations, &v->location_capacity, v->location_count, sizeof *v->locations);
}

uint64_t flm_interner_size(const struct flm_interner *v)
{
    size_t slots =
        v->string_index.slot_count + v->frame_index.slot_count + v->location_index.slot_count;
    return v->bytes_capacity + v->frame_capacity * sizeof *v->frames +
           (v->string_capacity + v->frame_of_capacity) * sizeof(uint32_t) +
           v->location_capacity * sizeof *v->locations + slots * sizeof(struct flm_slot);
}

static uint32_t add_string(struct flm_interner *v, struct flm_bytes text)
{
    if (text.size > UINT32_MAX - 1 - v->bytes_size || v->string_count == FLM_NONE) {
        v->is_full = true;
        return FLM_NONE;
    }
    void *bytes = v->bytes, *ends = v->string_ends, *frame_of = v->frame_of;
    bool room = flm_grow(&bytes, &v->bytes_capacity, v->bytes_size + text.size + 1, 1);
    v->bytes = bytes;
    room = room && flm_grow(&ends, &v->string_capacity, v->string_count + 1, sizeof(uint32_t));
    v->string_ends = ends;
    room =
        room && flm_grow(&frame_of, &v->frame_of_capacity, v->string_count + 1, sizeof(uint32_t));
    v->frame_of = frame_of;
    if (!room)
        return FLM_NONE;
    if (text.size)
        memcpy(v->bytes + v->bytes_size, text.at, text.size);
    v->bytes_size += text.size;
    v->frame_of[v->string_count] = FLM_NONE;
    v->string_ends[v->string_count] = (uint32_t)v->bytes_size;
    return (uint32_t)v->string_count++;
}

static uint32_t find(const struct flm_interner *v, struct flm_bytes text, uint32_t hash)
{
    assert(!v->sealed);
    for (struct flm_probe at = flm_index_probe(&v->string_index, hash);
         flm_index_next(&v->string_index, &at);)
        if (flm_bytes_equal(flm_interner_text(v, at.found), text))
            return at.found;
    return FLM_NONE;
}

static uint32_t hash_text(struct flm_bytes text)
{
    return (uint32_t)(flm_hash(text.at, text.size) >> 32);
}

uint32_t flm_interner_find(const struct flm_interner *v, struct flm_bytes text)
{
    return find(v, text, hash_text(text));
}

uint32_t flm_interner_string(struct flm_interner *v, struct flm_bytes text)
{
    uint32_t hash = hash_text(text), found = find(v, text, hash);
    if (found != FLM_NONE)
        return found;
    uint32_t string = add_string(v, text);
    if (string == FLM_NONE || !flm_index_add(&v->string_index, hash, string))
        return FLM_NONE;
    return string;
}

/* What makes it the frame that it is. */
static struct flm_frame_record identity_of(const struct flm_frame_record *record)
{
    struct flm_frame_record identity = *record;
    identity.flags &= FLM_FRAME_IDENTITY;
    return identity;
}

static uint32_t hash_of(const struct flm_frame_record *identity)
{
    return (uint32_t)(flm_hash(identity, sizeof *identity) >> 32);
}

static uint32_t find_frame(const struct flm_interner *v, const struct flm_frame_record *identity,
                           uint32_t hash)
{
    for (struct flm_probe at = flm_index_probe(&v->frame_index, hash);
         flm_index_next(&v->frame_index, &at);) {
        struct flm_frame_record there = identity_of(&v->frames[at.found]);
        if (memcmp(&there, identity, sizeof there) == 0)
            return at.found;
    }
    return FLM_NONE;
}

uint32_t flm_interner_frame(struct flm_interner *v, const struct flm_frame_record *record)
{
    assert(!v->sealed);
    struct flm_frame_record identity = identity_of(record);
    uint32_t hash = hash_of(&identity), found = find_frame(v, &identity, hash);
    if (found != FLM_NONE) {
        v->frames[found].flags |= record->flags & FLM_FRAME_CLONES;
        return found;
    }
    void *frames = v->frames;
    if (v->frame_count == FLM_NONE ||
        !flm_grow(&frames, &v->frame_capacity, v->frame_count + 1, sizeof *record))
        return FLM_NONE;
    v->frames = frames;
    v->frames[v->frame_count] = *record;
    if (!flm_index_add(&v->frame_index, hash, (uint32_t)v->frame_count))
        return FLM_NONE;
    return (uint32_t)v->frame_count++;
}

uint32_t *flm_interner_bases(const struct flm_interner *v)
{
    uint32_t *base = malloc(v->frame_count * sizeof *base);
    for (uint32_t i = 0; base && i < v->frame_count; i++) {
        struct flm_frame_record record = flm_frame_located(&v->frames[i], 0);
        record = identity_of(&record);
        bool has_location = flm_frame_location(&v->frames[i]) != 0;
        base[i] = has_location ? find_frame(v, &record, hash_of(&record)) : i;
    }
    return base;
}

bool flm_interner_index_frames(struct flm_interner *v)
{
    flm_index_clear(&v->frame_index);
    bool room = true;
    for (uint32_t i = 0; room && i < v->frame_count; i++) {
        struct flm_frame_record identity = identity_of(&v->frames[i]);
        room = flm_index_add(&v->frame_index, hash_of(&identity), i);
    }
    return room;
}

uint32_t flm_interner_location(struct flm_interner *v, const struct flm_location *where)
{
    struct flm_location record = *where;
    record.reserved = 0;
    uint32_t hash = (uint32_t)(flm_hash(&record, sizeof record) >> 32);
    for (struct flm_probe at = flm_index_probe(&v->location_index, hash);
         flm_index_next(&v->location_index, &at);)
        if (memcmp(&v->locations[at.found], &record, sizeof record) == 0)
            return at.found + 1;
    if (v->location_count == FLM_MOST_LOCATIONS)
        return 0;
    void *locations = v->locations;
    if (!flm_grow(&locations, &v->location_capacity, v->location_count + 1, sizeof record))
        return FLM_NONE;
    v->locations = locations;
    v->locations[v->location_count] = record;
    if (!flm_index_add(&v->location_index, hash, (uint32_t)v->location_count))
        return FLM_NONE;
    return (uint32_t)++v->location_count;
}

/* A frame's location in another profile, as one of this interner. */
static uint32_t copy_location(struct flm_interner *v, const struct flm_profile *p,
                              const struct flm_frame_record *frame, const uint32_t *string_map)
{
    uint32_t location = flm_frame_location(frame);
    if (location == 0)
        return 0;
    struct flm_location record = flm_location_at(p, location - 1);
    record.file = string_map[record.file];
    return flm_interner_location(v, &record);
}

uint32_t flm_interner_function(struct flm_interner *v, struct flm_bytes name, uint32_t kind)
{
    uint32_t string = flm_interner_string(v, name);
    if (string == FLM_NONE)
        return FLM_NONE;
    uint32_t frame = v->frame_of[string];
    if (frame != FLM_NONE && v->frames[frame].kind == kind)
        return frame;
    struct flm_frame_record record = {.function = string, .kind = kind};
    return v->frame_of[string] = flm_interner_frame(v, &record);
}

bool flm_interner_add_profile(struct flm_interner *v, const struct flm_profile *p,
                              uint32_t *string_map, uint32_t *frame_map)
{
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        if ((string_map[i] = flm_interner_string(v, flm_string_bytes(p, i))) == FLM_NONE)
            return false;
    for (uint32_t i = 0; i < p->sizes.frame_count; i++) {
        struct flm_frame_record record = p->frames[i];
        record.function = string_map[record.function];
        record.module = string_map[record.module];
        record.file = string_map[record.file];
        uint32_t location = copy_location(v, p, &p->frames[i], string_map);
        if (location == FLM_NONE)
            return false;
        record = flm_frame_located(&record, location);
        if ((frame_map[i] = flm_interner_frame(v, &record)) == FLM_NONE)
            return false;
    }
    return true;
}

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int flm_location_order(const struct flm_location *a, const struct flm_location *b,
                       const uint32_t *string_rank)
{
    int order = order_numbers(a->address, b->address);
    order = order ? order : order_numbers(string_rank[a->file], string_rank[b->file]);
    order = order ? order : order_numbers(a->line, b->line);
    return order ? order : order_numbers(a->column, b->column);
}

struct frame_order {
    const struct flm_frame_record *frames;
    const struct flm_location *locations;
    const uint32_t *string_rank;
};

/* 0: no location comes first. */
static int order_locations(const struct frame_order *o, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return order_numbers(a, b);
    return flm_location_order(&o->locations[a - 1], &o->locations[b - 1], o->string_rank);
}

static int order_frames(const void *context, uint32_t a, uint32_t b)
{
    const struct frame_order *o = context;
    const struct flm_frame_record *x = &o->frames[a], *y = &o->frames[b];
    int order = order_numbers(o->string_rank[x->function], o->string_rank[y->function]);
    if (!order)
        order = order_numbers(o->string_rank[x->module], o->string_rank[y->module]);
    if (!order)
        order = order_numbers(o->string_rank[x->file], o->string_rank[y->file]);
    if (!order)
        order = order_numbers(x->line, y->line);
    if (!order)
        order = order_numbers(x->address, y->address);
    if (!order)
        order = order_numbers(x->kind, y->kind);
    if (!order)
        order = order_numbers(x->flags & FLM_FRAME_FLAGS & FLM_FRAME_IDENTITY,
                              y->flags & FLM_FRAME_FLAGS & FLM_FRAME_IDENTITY);
    return order ? order : order_locations(o, flm_frame_location(x), flm_frame_location(y));
}

/* The indices of the marked ones of `count` items, and 0; how many. */
static uint32_t list_marked(const unsigned char *marked, size_t count, uint32_t *list)
{
    uint32_t found = 0;
    list[found++] = 0;
    for (size_t i = 1; i < count; i++)
        if (marked[i])
            list[found++] = (uint32_t)i;
    return found;
}

static void invert(const uint32_t *list, uint32_t count, uint32_t *rank, size_t rank_count)
{
    memset(rank, 0xFF, rank_count * sizeof *rank);
    for (uint32_t i = 0; i < count; i++)
        rank[list[i]] = i;
}

/* By function first, which in most cases decides: each gets as much room as it has frames. */
static bool sort_frames(const struct flm_interner *v, struct flm_ranking *ranking,
                        uint32_t *scratch)
{
    struct frame_order canonical = {v->frames, v->locations, ranking->string_rank};
    uint32_t *list = ranking->frames + 1; /* the root's frame stays in front, whatever its fields */
    uint32_t count = ranking->frame_count - 1;
    uint32_t *ends = calloc((size_t)ranking->string_count + 1, sizeof *ends);
    if (!ends)
        return false;
    for (uint32_t i = 0; i < count; i++)
        ends[ranking->string_rank[v->frames[list[i]].function]]++;
    for (uint32_t i = 0, sum = 0; i < ranking->string_count; i++) {
        uint32_t own = ends[i];
        ends[i] = sum;
        sum += own;
    }
    for (uint32_t i = 0; i < count; i++)
        scratch[ends[ranking->string_rank[v->frames[list[i]].function]]++] = list[i];
    if (count > 0)
        memcpy(list, scratch, count * sizeof *list);
    for (uint32_t i = 0, start = 0; i < ranking->string_count; start = ends[i++])
        if (ends[i] - start > 1)
            flm_sort(list + start, ends[i] - start, scratch, order_frames, &canonical);
    free(ends);
    return true;
}

static struct flm_bytes text_of(const void *context, uint32_t string)
{
    return flm_interner_text(context, string);
}

bool flm_interner_rank(const struct flm_interner *v, unsigned char *string_used,
                       const unsigned char *frame_used, struct flm_ranking *ranking,
                       struct flm_error *why)
{
    assert(v && string_used && frame_used && ranking);
    size_t longest = v->string_count > v->frame_count ? v->string_count : v->frame_count;
    uint32_t *scratch = malloc(longest * sizeof *scratch);
    *ranking = (struct flm_ranking){
        .string_rank = malloc(v->string_count * sizeof(uint32_t)),
        .frame_rank = malloc(v->frame_count * sizeof(uint32_t)),
        .strings = malloc(v->string_count * sizeof(uint32_t)),
        .frames = malloc(v->frame_count * sizeof(uint32_t)),
    };
    bool room = scratch && ranking->string_rank && ranking->frame_rank && ranking->strings &&
                ranking->frames;
    if (room) {
        string_used[0] = 1;
        for (size_t i = 0; i < v->frame_count; i++) {
            if (!frame_used[i])
                continue;
            const struct flm_frame_record *frame = &v->frames[i];
            string_used[frame->function] = string_used[frame->module] = string_used[frame->file] =
                1;
            if (flm_frame_location(frame) == 0)
                continue;
            string_used[v->locations[flm_frame_location(frame) - 1].file] = 1;
            ranking->location_count++;
            ranking->has_columns |= v->locations[flm_frame_location(frame) - 1].column != 0;
        }
        ranking->string_count = list_marked(string_used, v->string_count, ranking->strings);
        room = v->unordered || flm_sort_texts(ranking->strings, ranking->string_count, text_of, v);
    }
    if (room) {
        invert(ranking->strings, ranking->string_count, ranking->string_rank, v->string_count);
        for (uint32_t i = 0; i < ranking->string_count; i++)
            ranking->string_bytes += flm_interner_text(v, ranking->strings[i]).size;

        ranking->frame_count = list_marked(frame_used, v->frame_count, ranking->frames);
        room = v->unordered || sort_frames(v, ranking, scratch);
    }
    if (room) {
        invert(ranking->frames, ranking->frame_count, ranking->frame_rank, v->frame_count);
    } else {
        flm_ranking_clear(ranking);
        flm_error_memory(why);
    }
    free(scratch);
    return room;
}

void flm_ranking_clear(struct flm_ranking *ranking)
{
    free(ranking->string_rank);
    free(ranking->frame_rank);
    free(ranking->strings);
    free(ranking->frames);
    *ranking = (struct flm_ranking){0};
}

void flm_interner_write(const struct flm_interner *v, const struct flm_ranking *ranking,
                        struct flm_profile *p)
{
    assert(p->sizes.string_count == ranking->string_count &&
           p->sizes.frame_count == ranking->frame_count);
    uint32_t end = 0, locations = 0;
    for (uint32_t i = 0; i < ranking->string_count; i++) {
        struct flm_bytes text = flm_interner_text(v, ranking->strings[i]);
        if (text.size)
            memcpy(p->string_bytes + end, text.at, text.size);
        p->string_ends[i] = end += (uint32_t)text.size;
    }
    for (uint32_t i = 0; i < ranking->frame_count; i++) {
        p->frames[i] = v->frames[ranking->frames[i]];
        p->frames[i].function = ranking->string_rank[p->frames[i].function];
        p->frames[i].module = ranking->string_rank[p->frames[i].module];
        p->frames[i].file = ranking->string_rank[p->frames[i].file];
        uint32_t from = flm_frame_location(&p->frames[i]);
        if (from == 0)
            continue;
        struct flm_location location = v->locations[from - 1];
        location.file = ranking->string_rank[location.file];
        flm_location_set(p, locations, &location);
        p->frame_locations[i] = 1;
        p->frames[i] = flm_frame_located(&p->frames[i], ++locations);
    }
}
