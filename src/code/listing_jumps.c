/* listing_jumps.c - the jumps inside a function: blocks, loops, and a lane for each to be drawn
 * in. */
#include "base/core/sort.h"
#include "code/internal.h"

/* The instruction at exactly this address; FLM_NONE: none begins there. */
static uint32_t instruction_at(const struct flm_jumps *j, uint64_t address)
{
    uint32_t low = 0, high = j->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (j->instruction[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < j->count && j->instruction[low].address == address ? low : FLM_NONE;
}

static bool ends_block(const struct flm_code_instruction *i)
{
    return i->kind == FLM_INSTRUCTION_JUMP || i->kind == FLM_INSTRUCTION_BRANCH ||
           i->kind == FLM_INSTRUCTION_RETURN;
}

static uint32_t target_of(const struct flm_jumps *j, uint32_t i)
{
    const struct flm_code_instruction *at = &j->instruction[i];
    bool jumps = at->kind == FLM_INSTRUCTION_JUMP || at->kind == FLM_INSTRUCTION_BRANCH;
    return jumps && at->leads && at->has_place ? instruction_at(j, at->place) : FLM_NONE;
}

/* All jumps to one place are one, with where the first and the last of them are. */
static bool find_jumps(struct flm_jumps *j)
{
    uint32_t *jump_of = malloc(((size_t)j->count + 1) * sizeof *jump_of);
    bool good = jump_of != NULL;
    for (uint32_t i = 0; good && i < j->count; i++)
        jump_of[i] = FLM_NONE;
    for (uint32_t i = 0; good && i < j->count; i++) {
        if (i == 0 || ends_block(&j->instruction[i - 1]))
            j->is_block[i] |= 1;
        uint32_t to = target_of(j, i);
        if (to == FLM_NONE)
            continue;
        if (jump_of[to] == FLM_NONE) {
            jump_of[to] = (uint32_t)j->jumps.count;
            good = FLM_ARRAY_ADD(&j->jumps, (struct flm_jump){to, to, to, FLM_LISTING_LANES});
            if (!good)
                break;
        }
        struct flm_jump *jump = &j->jumps.at[jump_of[to]];
        jump->first = i < jump->first ? i : jump->first;
        jump->last = i > jump->last ? i : jump->last;
        j->is_block[to] |= to <= i ? 3 : 1;
    }
    free(jump_of);
    return good;
}

static int by_length(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_jump *x = &((const struct flm_jump *)context)[a];
    const struct flm_jump *y = &((const struct flm_jump *)context)[b];
    uint32_t left = x->last - x->first, right = y->last - y->first;
    return left != right ? (left > right) - (left < right) : (x->to > y->to) - (x->to < y->to);
}

static int by_place(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_jump *x = &((const struct flm_jump *)context)[a];
    const struct flm_jump *y = &((const struct flm_jump *)context)[b];
    return (x->first > y->first) - (x->first < y->first);
}

static bool has_any(const uint64_t *bits, uint32_t first, uint32_t last)
{
    for (uint32_t word = first / 64; word <= last / 64; word++) {
        uint64_t mask = ~(uint64_t)0;
        if (word == first / 64)
            mask <<= first % 64;
        if (word == last / 64)
            mask &= ~(uint64_t)0 >> (63 - last % 64);
        if (bits[word] & mask)
            return true;
    }
    return false;
}

static void set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static void clear_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << i % 64);
}

static bool is_loop(const struct flm_jump *jump)
{
    return jump->to < jump->last;
}

/* Where the jumps of each lane end, and those of them that are loops. */
struct lanes {
    uint64_t *ends, *loop_ends; /* `words` for each lane */
    size_t words;
};

static void put_ends(const struct lanes *l, const struct flm_jump *jump, unsigned lane)
{
    set_bit(l->ends + lane * l->words, jump->first);
    set_bit(l->ends + lane * l->words, jump->last);
    if (is_loop(jump)) {
        set_bit(l->loop_ends + lane * l->words, jump->first);
        set_bit(l->loop_ends + lane * l->words, jump->last);
    }
}

/* Those in the way of a loop, in its lane, have none any more. */
static void take_lane(struct flm_jumps *j, const struct lanes *l, const struct flm_jump *from)
{
    uint32_t *in = j->in_lane[from->lane].at;
    size_t kept = 0;
    for (size_t i = 0; i < j->in_lane[from->lane].count; i++) {
        struct flm_jump *jump = &j->jumps.at[in[i]];
        if (jump->last < from->first || jump->first > from->last) {
            in[kept++] = in[i];
            continue;
        }
        clear_bit(l->ends + from->lane * l->words, jump->first);
        clear_bit(l->ends + from->lane * l->words, jump->last);
        jump->lane = FLM_LISTING_LANES;
        j->hidden++;
    }
    j->in_lane[from->lane].count = kept;
}

/* The shortest first: each goes into the lane next to the code that is free. A shorter one that
 * overlaps has an end in it, so a lane is free where it has no end there. Where none is, a loop
 * takes the place of others: in code of JIT compilers hundreds of short jumps lead out of a long
 * loop, and it is the loop that is looked for. */
static bool give_lanes(struct flm_jumps *j, const uint32_t *order, const struct lanes *l)
{
    bool good = true;
    for (size_t i = 0; good && i < j->jumps.count; i++) {
        struct flm_jump *jump = &j->jumps.at[order[i]];
        unsigned lane = 0;
        while (lane < FLM_LISTING_LANES &&
               has_any(l->ends + lane * l->words, jump->first, jump->last))
            lane++;
        bool is_free = lane < FLM_LISTING_LANES;
        /* From outside: few are there. */
        for (unsigned of = FLM_LISTING_LANES; !is_free && is_loop(jump) && of-- > 0;)
            if (lane == FLM_LISTING_LANES &&
                !has_any(l->loop_ends + of * l->words, jump->first, jump->last))
                lane = of;
        jump->lane = (unsigned char)lane;
        if (lane == FLM_LISTING_LANES) {
            j->hidden++;
            continue;
        }
        if (!is_free)
            take_lane(j, l, jump);
        put_ends(l, jump, lane);
        good = FLM_ARRAY_ADD(&j->in_lane[lane], order[i]);
    }
    return good;
}

static bool sort_lanes(struct flm_jumps *j)
{
    size_t words = (size_t)j->count / 64 + 1, count = j->jumps.count;
    uint32_t *order = malloc((count + 1) * sizeof *order),
             *scratch = malloc((count + 1) * sizeof *scratch);
    struct lanes lanes = {.words = words};
    lanes.ends = calloc(words * FLM_LISTING_LANES * 2, sizeof *lanes.ends);
    lanes.loop_ends = lanes.ends ? lanes.ends + words * FLM_LISTING_LANES : NULL;
    bool good = order && scratch && lanes.ends;
    for (size_t i = 0; good && i < count; i++)
        order[i] = (uint32_t)i;
    if (good)
        flm_sort(order, count, scratch, by_length, j->jumps.at);
    good = good && give_lanes(j, order, &lanes);
    for (int lane = 0; good && lane < FLM_LISTING_LANES; lane++)
        flm_sort(j->in_lane[lane].at, j->in_lane[lane].count, scratch, by_place, j->jumps.at);
    free(order);
    free(scratch);
    free(lanes.ends);
    return good;
}

bool flm_jumps_init(struct flm_jumps *j, const struct flm_code_instruction *instruction,
                    size_t count)
{
    *j = (struct flm_jumps){.instruction = instruction, .count = (uint32_t)count};
    j->is_block = calloc(count + 1, 1);
    return j->is_block && find_jumps(j) && sort_lanes(j);
}

void flm_jumps_clear(struct flm_jumps *j)
{
    free(j->is_block);
    FLM_ARRAY_CLEAR(&j->jumps);
    for (int lane = 0; lane < FLM_LISTING_LANES; lane++)
        FLM_ARRAY_CLEAR(&j->in_lane[lane]);
    *j = (struct flm_jumps){0};
}

/* Those of a lane do not overlap: the first one that ends at or behind `first`. */
static size_t first_in_lane(const struct flm_jumps *j, int lane, uint32_t first)
{
    size_t low = 0, high = j->in_lane[lane].count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->jumps.at[j->in_lane[lane].at[middle]].last < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void flm_jumps_lanes(const struct flm_jumps *j, uint32_t first, uint32_t end,
                     unsigned char lane[FLM_LISTING_LANES])
{
    for (int l = 0; l < FLM_LISTING_LANES; l++) {
        lane[l] = 0;
        for (size_t i = first_in_lane(j, l, first); i < j->in_lane[l].count; i++) {
            const struct flm_jump *jump = &j->jumps.at[j->in_lane[l].at[i]];
            if (jump->first > end || (jump->first == end && first != end))
                break;
            if (jump->first < first)
                lane[l] |= FLM_LANE_UP;
            if (jump->first < end && jump->last >= end)
                lane[l] |= FLM_LANE_DOWN;
            if (first == end)
                continue;
            if (jump->to >= first && jump->to < end)
                lane[l] |= FLM_LANE_TO;
            if (end - first == 1 && target_of(j, first) == jump->to)
                lane[l] |= FLM_LANE_FROM;
        }
    }
}

const struct flm_jump *flm_jumps_to(const struct flm_jumps *j, uint32_t to)
{
    for (int l = 0; l < FLM_LISTING_LANES; l++) {
        size_t i = first_in_lane(j, l, to);
        if (i < j->in_lane[l].count && j->jumps.at[j->in_lane[l].at[i]].to == to)
            return &j->jumps.at[j->in_lane[l].at[i]];
    }
    return NULL;
}
