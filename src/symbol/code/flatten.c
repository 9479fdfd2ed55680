/* flatten.c - turns nested scopes, and lines, into segments that do not overlap. */
#include <stdlib.h>

#include "symbol/code/internal.h"

/* ---- The 4 GiB of a table -------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint64_t x, y; /* the first member */
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Linkers leave the code that they drop at 0 (GNU ld, gold), or at -1 or -2 (lld). */
static bool is_dead(uint64_t address)
{
    return address == 0 || address >= UINT64_MAX - 15;
}

/* The start of every range, sequence and symbol; returns how many. */
static size_t list_starts(const struct flm_code_maker *maker, uint64_t *starts)
{
    size_t count = 0;
    for (size_t i = 0; i < maker->ranges.count; i++)
        if (!is_dead(maker->ranges.at[i].start))
            starts[count++] = maker->ranges.at[i].start;
    for (size_t i = 0; i < maker->sequences.count; i++)
        if (!is_dead(maker->lines.at[maker->sequences.at[i].first].address))
            starts[count++] = maker->lines.at[maker->sequences.at[i].first].address;
    for (size_t i = 0; i < maker->symbols.count; i++)
        if (!is_dead(maker->symbols.at[i].address))
            starts[count++] = maker->symbols.at[i].address;
    return count;
}

bool flm_code_find_base(struct flm_code_finish *finish)
{
    struct flm_code_maker *maker = finish->maker;
    if (maker->sections.count > 0) {
        qsort(maker->sections.at, maker->sections.count, sizeof *maker->sections.at, by_number);
        finish->base = maker->sections.at[0].start;
        if (maker->sections.at[maker->sections.count - 1].end - finish->base < UINT32_MAX)
            return true;
    }
    size_t most = maker->ranges.count + maker->sequences.count + maker->symbols.count;
    uint64_t *starts = malloc((most + 1) * sizeof *starts);
    if (!starts)
        return false;
    size_t count = list_starts(maker, starts);
    qsort(starts, count, sizeof *starts, by_number);
    finish->base = count > 0 ? starts[0] : 0;
    if (count > 0 && starts[count - 1] - starts[0] >= UINT32_MAX / 2) {
        uint64_t middle = starts[count / 2];
        if (middle - starts[0] > UINT32_MAX / 2)
            finish->base = middle - UINT32_MAX / 2;
    }
    free(starts);
    return true;
}

bool flm_code_keeps(const struct flm_code_finish *finish, uint64_t address, uint64_t *end)
{
    const struct flm_code_maker *maker = finish->maker;
    uint64_t limit = finish->base + UINT32_MAX;
    if (limit < finish->base)
        limit = UINT64_MAX;
    if (maker->sections.count > 0) {
        size_t low = 0, high = maker->sections.count; /* the last one that starts at or below it */
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (maker->sections.at[middle].start <= address)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 0 || address >= maker->sections.at[low - 1].end)
            return false;
        if (limit > maker->sections.at[low - 1].end)
            limit = maker->sections.at[low - 1].end;
    } else if (is_dead(address)) {
        return false;
    }
    if (address < finish->base || address >= limit)
        return false;
    if (*end > limit)
        *end = limit;
    return true;
}

/* ---- Sorting --------------------------------------------------------------------------------- */

void flm_code_sort(uint64_t *items, size_t count, uint64_t *scratch)
{
    enum { BITS = 11, SLOTS = 1 << BITS, PASSES = 3 };
    size_t starts[PASSES][SLOTS] = {0};
    bool sorted = true;
    for (size_t i = 0; i < count; i++) {
        sorted &= i == 0 || items[i - 1] >> 32 <= items[i] >> 32;
        for (unsigned pass = 0; pass < PASSES; pass++)
            starts[pass][items[i] >> (32 + BITS * pass) & (SLOTS - 1)]++;
    }
    if (sorted)
        return;
    uint64_t *from = items, *to = scratch;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        size_t at = 0;
        for (size_t slot = 0; slot < SLOTS; slot++) {
            size_t here = starts[pass][slot];
            starts[pass][slot] = at;
            at += here;
        }
        for (size_t i = 0; i < count; i++)
            to[starts[pass][from[i] >> (32 + BITS * pass) & (SLOTS - 1)]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    memcpy(items, from, count * sizeof *items); /* three passes end in the scratch */
}

bool flm_code_segment_add(struct flm_code_segments *segments, uint32_t address, uint32_t scope)
{
    if (segments->count > 0 && segments->at[segments->count - 1].address == address)
        segments->count--;
    uint32_t before = segments->count > 0 ? segments->at[segments->count - 1].scope : FLM_NO_SCOPE;
    if (before == scope)
        return true;
    return FLM_ARRAY_ADD(segments, (struct flm_code_segment){address, scope});
}

/* ---- Scopes to segments ---------------------------------------------------------------------- */

/* A scope that contains the address which the sweep has reached. It ends no later than the scope
 * around it. */
struct open_scope {
    uint32_t scope, end;
};

/* Ranges as keys (start << 32 | number): the sorted ones, and a heap of those whose start was
 * moved. The innermost open scope is the last one. */
struct sweep {
    struct flm_code_finish *finish;
    uint64_t *sorted;
    size_t sorted_count, sorted_at;
    struct FLM_ARRAY(uint64_t) heap;
    struct open_scope open[FLM_CODE_DEPTH + 2];
    size_t depth;
};

static bool heap_add(struct sweep *sweep, uint64_t key)
{
    if (!FLM_ARRAY_ADD(&sweep->heap, key))
        return false;
    uint64_t *heap = sweep->heap.at;
    size_t at = sweep->heap.count - 1;
    for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
    return true;
}

static uint64_t heap_take(struct sweep *sweep)
{
    uint64_t *heap = sweep->heap.at, first = heap[0], last = heap[--sweep->heap.count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < sweep->heap.count; at = child) {
        if (child + 1 < sweep->heap.count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static bool next_range(struct sweep *sweep, uint64_t *key)
{
    bool more = sweep->sorted_at < sweep->sorted_count;
    if (sweep->heap.count > 0 && (!more || sweep->heap.at[0] < sweep->sorted[sweep->sorted_at]))
        *key = heap_take(sweep);
    else if (more)
        *key = sweep->sorted[sweep->sorted_at++];
    else
        return false;
    return true;
}

/* Closes the scopes that end at or before `address`. */
static bool close_scopes(struct sweep *sweep, uint64_t address)
{
    while (sweep->depth > 0 && sweep->open[sweep->depth - 1].end <= address) {
        uint32_t end = sweep->open[--sweep->depth].end;
        uint32_t around = sweep->depth > 0 ? sweep->open[sweep->depth - 1].scope : FLM_NO_SCOPE;
        if (!flm_code_segment_add(&sweep->finish->segments, end, around))
            return false;
    }
    return true;
}

/* The number of open scopes up to and including `inside`; SIZE_MAX when it is not open. */
static size_t depth_of(const struct sweep *sweep, uint32_t inside)
{
    if (inside == FLM_NO_SCOPE)
        return 0;
    for (size_t depth = sweep->depth; depth > 0; depth--)
        if (sweep->open[depth - 1].scope == inside)
            return depth;
    return SIZE_MAX;
}

/* A range that overlaps an earlier one is moved after it, but only a few times: if all ranges
 * overlapped each other, this would take quadratic time. */
enum { CUTS = 8 };

static bool sweep_range(struct sweep *sweep, uint64_t key)
{
    struct flm_code_maker *maker = sweep->finish->maker;
    struct flm_code_range *range = &maker->ranges.at[(uint32_t)key];
    uint32_t start = (uint32_t)(key >> 32), end = (uint32_t)range->end;
    if (!close_scopes(sweep, start))
        return false;
    size_t depth = depth_of(sweep, maker->scopes.at[range->scope].inside);
    if (depth == SIZE_MAX) {
        maker->cut_ranges++;
        return true;
    }
    if (depth < sweep->depth) {
        maker->cut_ranges += range->cut_count == 0;
        uint32_t behind = sweep->open[depth].end;
        if (behind >= end || range->cut_count++ == CUTS)
            return true;
        return heap_add(sweep, (uint64_t)behind << 32 | (uint32_t)key);
    }
    if (depth > 0 && end > sweep->open[depth - 1].end) {
        end = sweep->open[depth - 1].end;
        maker->cut_ranges++;
    }
    sweep->open[sweep->depth++] = (struct open_scope){range->scope, end};
    return flm_code_segment_add(&sweep->finish->segments, start, range->scope);
}

bool flm_code_flatten_scopes(struct flm_code_finish *finish)
{
    struct flm_code_maker *maker = finish->maker;
    size_t count = 0;
    if (maker->ranges.count > UINT32_MAX)
        maker->ranges.count = UINT32_MAX;
    uint64_t *keys = malloc((maker->ranges.count * 2 + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < maker->ranges.count; i++) {
        struct flm_code_range *range = &maker->ranges.at[i];
        if (!flm_code_keeps(finish, range->start, &range->end)) {
            maker->dead_ranges++;
            continue;
        }
        range->start -= finish->base;
        range->end -= finish->base;
        keys[count++] = range->start << 32 | i;
        struct flm_code_scope *scope = &maker->scopes.at[range->scope];
        if (scope->start == UINT32_MAX)
            scope->start = (uint32_t)range->start;
    }
    flm_code_sort(keys, count, keys + count);
    struct sweep sweep = {.finish = finish, .sorted = keys, .sorted_count = count};
    bool enough = true;
    for (uint64_t key; enough && next_range(&sweep, &key);)
        enough = sweep_range(&sweep, key);
    enough = enough && close_scopes(&sweep, UINT64_MAX);
    FLM_ARRAY_CLEAR(&sweep.heap);
    free(keys);
    return enough;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool add_line(struct flm_code_finish *finish, uint64_t offset,
                     struct flm_code_location location)
{
    if (finish->lines.count > 0 && finish->lines.at[finish->lines.count - 1].address == offset)
        finish->lines.count--;
    if (finish->lines.count > 0) {
        struct flm_code_location before = finish->lines.at[finish->lines.count - 1].location;
        if (before.file == location.file && before.line == location.line)
            return true;
    }
    return FLM_ARRAY_ADD(&finish->lines, (struct flm_code_line){offset, location});
}

/* The lines of a sequence from `*reached` on, which becomes the end of the sequence. */
static bool flatten_sequence(struct flm_code_finish *finish,
                             const struct flm_code_sequence *sequence, uint64_t *reached)
{
    struct flm_code_maker *maker = finish->maker;
    uint64_t end = sequence->end;
    flm_code_keeps(finish, maker->lines.at[sequence->first].address, &end);
    end -= finish->base;
    for (size_t i = sequence->first; i < sequence->last; i++) {
        uint64_t from = maker->lines.at[i].address - finish->base;
        uint64_t to = i + 1 < sequence->last ? maker->lines.at[i + 1].address - finish->base : end;
        if (to <= *reached || from >= end) {
            maker->cut_lines++;
            continue;
        }
        if (!add_line(finish, from > *reached ? from : *reached, maker->lines.at[i].location))
            return false;
    }
    if (end <= *reached)
        return true;
    *reached = end;
    return add_line(finish, end, (struct flm_code_location){0, 0});
}

bool flm_code_flatten_lines(struct flm_code_finish *finish)
{
    struct flm_code_maker *maker = finish->maker;
    size_t count = 0;
    if (maker->sequences.count > UINT32_MAX)
        maker->sequences.count = UINT32_MAX;
    uint64_t *keys = malloc((maker->sequences.count * 2 + 1) * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < maker->sequences.count; i++) {
        const struct flm_code_sequence *sequence = &maker->sequences.at[i];
        uint64_t start = maker->lines.at[sequence->first].address, end = sequence->end;
        if (flm_code_keeps(finish, start, &end))
            keys[count++] = (start - finish->base) << 32 | i;
        else
            maker->dead_lines += sequence->last - sequence->first;
    }
    flm_code_sort(keys, count, keys + count);
    uint64_t reached = 0;
    bool enough = true;
    for (size_t i = 0; enough && i < count; i++)
        enough = flatten_sequence(finish, &maker->sequences.at[(uint32_t)keys[i]], &reached);
    free(keys);
    return enough;
}
