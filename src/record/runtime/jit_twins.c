#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "record/runtime/internal.h"

/* What functions of a line may have in common, and what tells them apart. */
struct position {
    struct flm_bytes named_line; /* "fib /app/fib.js:3" */
    struct flm_bytes column;     /* "13" */
};

struct functions {
    struct FLM_ARRAY(struct position) first; /* of each name and line */
    struct FLM_ARRAY(bool) has_twin;         /* of the same */
    struct flm_index index;
};

/* False: it has no column, or no name. */
static bool find_position(const struct flm_jit_code *code, const struct flm_jit_region *region,
                          struct position *position)
{
    struct flm_bytes name = {code->text.at + region->name.at, region->name.size};
    struct flm_jit_frame frame;
    if (name.size == 0 || flm_jit_name_parse(name, &frame, 1) == 0 || frame.place.size == 0 ||
        frame.line == 0 || flm_bytes_are(frame.function, "(anonymous)") ||
        flm_bytes_are(frame.function, "(program)"))
        return false;
    size_t function = (size_t)(frame.function.at - name.at), colon = name.size;
    size_t end = frame.file.size + (size_t)(frame.file.at - name.at);
    while (colon > end && name.at[colon - 1] != ':')
        colon--;
    if (colon < end + 2) /* "fib.js:3": a line alone */
        return false;
    position->column = (struct flm_bytes){name.at + colon, name.size - colon};
    position->named_line = (struct flm_bytes){name.at + function, colon - 1 - function};
    return true;
}

/* The functions with that name and line; UINT32_MAX: memory ran out. */
static uint32_t find(struct functions *all, struct position position)
{
    uint32_t hash = (uint32_t)(flm_hash(position.named_line.at, position.named_line.size) >> 32);
    for (struct flm_probe at = flm_index_probe(&all->index, hash);
         flm_index_next(&all->index, &at);)
        if (flm_bytes_equal(all->first.at[at.found].named_line, position.named_line))
            return at.found;
    if (!FLM_ARRAY_ADD(&all->first, position) || !FLM_ARRAY_ADD(&all->has_twin, false) ||
        !flm_index_add(&all->index, hash, (uint32_t)all->first.count - 1))
        return UINT32_MAX;
    return (uint32_t)all->first.count - 1;
}

void flm_jit_code_find_twins(struct flm_jit_code *code)
{
    struct functions all = {0};
    struct position position;
    for (int pass = 0; pass < 2 && !code->failed; pass++)
        for (size_t i = 0; i < code->regions.count && !code->failed; i++) {
            struct flm_jit_region *region = &code->regions.at[i];
            if (!find_position(code, region, &position))
                continue;
            uint32_t of = find(&all, position);
            if (of == UINT32_MAX)
                code->failed = true;
            else if (pass > 0)
                region->has_twin = all.has_twin.at[of];
            else if (!flm_bytes_equal(all.first.at[of].column, position.column))
                all.has_twin.at[of] = true;
        }
    free(all.first.at);
    free(all.has_twin.at);
    flm_index_clear(&all.index);
}
