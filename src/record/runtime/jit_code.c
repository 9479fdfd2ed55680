#include "record/runtime/internal.h"

#include <stdlib.h>

#include "flamel/profile.h"

enum { MOST_VERSIONS = 4096 };

struct flm_jit_code *flm_jit_code_new(void)
{
    return calloc(1, sizeof(struct flm_jit_code));
}

void flm_jit_code_free(struct flm_jit_code *code)
{
    if (!code)
        return;
    flm_text_clear(&code->text);
    free(code->regions.at);
    free(code->lines.at);
    free(code);
}

size_t flm_jit_code_count(const struct flm_jit_code *code)
{
    return code->regions.count;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

struct flm_jit_text flm_jit_code_text(struct flm_jit_code *code, struct flm_bytes text)
{
    struct flm_jit_text kept = {(uint32_t)code->text.size, (uint32_t)text.size};
    if (text.size > UINT32_MAX - code->text.size)
        code->failed = true;
    if (code->failed)
        return (struct flm_jit_text){0, 0};
    flm_text_add(&code->text, text);
    code->failed |= code->text.failed;
    return kept;
}

void flm_jit_code_line(struct flm_jit_code *code, uint64_t offset, struct flm_jit_text file,
                       uint32_t line)
{
    if (code->lines.count >= UINT32_MAX || !FLM_ARRAY_RESERVE(&code->lines, 1)) {
        code->failed = true;
        return;
    }
    code->lines.at[code->lines.count] =
        (struct flm_jit_line){offset, file, line, (uint32_t)code->lines.count};
    code->lines.count++;
}

static void add_region(struct flm_jit_code *code, struct flm_jit_region region)
{
    if (code->regions.count >= UINT32_MAX || !FLM_ARRAY_RESERVE(&code->regions, 1)) {
        code->failed = true;
        return;
    }
    region.order = (uint32_t)code->regions.count;
    code->regions.at[code->regions.count++] = region;
}

static uint64_t last_of(uint64_t start, uint64_t size)
{
    uint64_t behind = size > 0 ? size - 1 : 0;
    return behind > UINT64_MAX - start ? UINT64_MAX : start + behind;
}

static int by_offset(const void *a, const void *b)
{
    const struct flm_jit_line *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void flm_jit_code_add(struct flm_jit_code *code, uint64_t start, uint64_t size, int64_t time_ns,
                      struct flm_jit_text name)
{
    size_t first = code->lines_taken, count = code->lines.count - first;
    if (count > 1)
        qsort(code->lines.at + first, count, sizeof *code->lines.at, by_offset);
    code->lines_taken = code->lines.count;
    add_region(code, (struct flm_jit_region){.start = start,
                                             .last = last_of(start, size),
                                             .time_ns = time_ns,
                                             .name = name,
                                             .line_start = (uint32_t)first,
                                             .line_count = (uint32_t)count});
}

void flm_jit_code_bytes(struct flm_jit_code *code, uint64_t offset)
{
    if (code->regions.count > 0 && !code->failed)
        code->regions.at[code->regions.count - 1].code_offset = offset;
}

void flm_jit_code_move(struct flm_jit_code *code, size_t index, uint64_t start, uint64_t size,
                       int64_t time_ns)
{
    struct flm_jit_region region = code->regions.at[index];
    region.start = start;
    region.last = last_of(start, size);
    region.time_ns = time_ns;
    add_region(code, region);
}

/* ---- Lookups --------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct flm_jit_region *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Recursion is at most 32 levels deep. */
static uint64_t set_reach(struct flm_jit_region *regions, size_t count)
{
    if (count == 0)
        return 0;
    size_t middle = count / 2;
    uint64_t left = set_reach(regions, middle);
    uint64_t right = set_reach(regions + middle + 1, count - middle - 1);
    uint64_t reach = regions[middle].last;
    if (reach < left)
        reach = left;
    if (reach < right)
        reach = right;
    regions[middle].reach = reach;
    return reach;
}

struct flm_jit_code *flm_jit_code_finish(struct flm_jit_code *code)
{
    if (code && !code->failed)
        flm_jit_code_find_twins(code);
    if (code && code->failed) {
        flm_jit_code_free(code);
        return NULL;
    }
    if (code && code->regions.count > 0) {
        qsort(code->regions.at, code->regions.count, sizeof *code->regions.at, by_start);
        set_reach(code->regions.at, code->regions.count);
    }
    return code;
}

struct search {
    uint64_t address;
    int64_t time_ns;
    const struct flm_jit_region *before; /* the last region made by then */
    const struct flm_jit_region *after;  /* the first region made later */
    size_t left;                         /* regions that may still be visited */
};

static bool is_later(const struct flm_jit_region *a, const struct flm_jit_region *b)
{
    return a->time_ns != b->time_ns ? a->time_ns > b->time_ns : a->order > b->order;
}

static void try_region(struct search *s, const struct flm_jit_region *region)
{
    if (s->address < region->start || s->address > region->last)
        return;
    s->left--;
    if (region->time_ns <= s->time_ns) {
        if (!s->before || is_later(region, s->before))
            s->before = region;
    } else if (!s->after || is_later(s->after, region)) {
        s->after = region;
    }
}

static void search(struct search *s, const struct flm_jit_region *regions, size_t count)
{
    while (count > 0 && s->left > 0) {
        size_t middle = count / 2;
        const struct flm_jit_region *region = &regions[middle];
        if (region->reach < s->address)
            return;
        if (region->start <= s->address) {
            search(s, regions + middle + 1, count - middle - 1);
            if (s->left > 0)
                try_region(s, region);
        }
        count = middle;
    }
}

static struct flm_bytes text_of(const struct flm_jit_code *code, struct flm_jit_text text)
{
    return (struct flm_bytes){text.size ? code->text.at + text.at : "", text.size};
}

/* The last line at or before the offset; NULL: none. */
static const struct flm_jit_line *find_line(const struct flm_jit_code *code,
                                            const struct flm_jit_region *region, uint64_t offset)
{
    size_t low = region->line_start, end = low + region->line_count, high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->lines.at[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > region->line_start ? &code->lines.at[low - 1] : NULL;
}

/* NULL: none. */
static const struct flm_jit_region *find_region(const struct flm_jit_code *code, uint64_t address,
                                                int64_t time_ns)
{
    struct search s = {.address = address, .time_ns = time_ns, .left = MOST_VERSIONS};
    search(&s, code->regions.at, code->regions.count);
    return s.before ? s.before : s.after;
}

bool flm_jit_code_find(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                       struct flm_jit_region_code *found)
{
    const struct flm_jit_region *region = find_region(code, address, time_ns);
    if (!region || region->code_offset == 0)
        return false;
    *found = (struct flm_jit_region_code){.start = region->start,
                                          .size = region->last - region->start + 1,
                                          .offset = region->code_offset,
                                          .machine = code->machine,
                                          .first_line = region->line_start,
                                          .line_count = region->line_count};
    return true;
}

struct flm_jit_line_at flm_jit_code_line_at(const struct flm_jit_code *code, uint32_t index)
{
    const struct flm_jit_line *line = &code->lines.at[index];
    return (struct flm_jit_line_at){line->offset, text_of(code, line->file), line->line};
}

size_t flm_jit_code_lookup(const struct flm_jit_code *code, uint64_t address, int64_t time_ns,
                           struct flm_jit_frame *frames, size_t capacity)
{
    const struct flm_jit_region *region = find_region(code, address, time_ns);
    if (!region)
        return 0;
    size_t count = flm_jit_name_parse(text_of(code, region->name), frames, capacity);
    if (count > 0 && !region->has_twin && !flm_bytes_are(frames[0].function, "(anonymous)"))
        frames[0].place.size = 0;
    const struct flm_jit_line *line = find_line(code, region, address - region->start);
    if (line && count > 0) {
        frames[0].line = line->line;
        frames[0].line_is_first = false;
        frames[0].line_file = text_of(code, line->file);
        /* Of perf's agent for the JVM, which names methods without their file: that of the first
         * instructions. Later ones may be of methods that are inlined, from other files. */
        if (frames[0].file.size == 0)
            frames[0].file = text_of(code, code->lines.at[region->line_start].file);
    }
    return count;
}
