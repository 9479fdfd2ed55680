/* code_finder_compiled.c - parts of functions that were compiled while the program ran: their code
 * is in the profile (code/kept_code.h). */
#include "code/find/internal.h"

bool flm_code_making_take_kept(struct flm_code_making *m, const uint64_t *addresses, size_t count,
                               struct flm_kept_parts *taken)
{
    const struct flm_kept_code *last = NULL;
    uint64_t size = 0;
    *taken = (struct flm_kept_parts){0};
    for (size_t i = 0; i < count; i++) {
        const struct flm_kept_code *kept = flm_kept_codes_find(m->kept, addresses[i]);
        taken->unkept += !kept;
        if (!kept || kept == last)
            continue;
        last = kept;
        if (kept->bytes.size > FLM_CODE_FINDER_MOST - size) {
            taken->left_out++;
            continue;
        }
        size += kept->bytes.size;
        uint64_t start = flm_kept_code_address(kept->start);
        const struct flm_code_part part = {.start = start,
                                           .end = start + kept->bytes.size,
                                           .moved = kept->start - start,
                                           .kept = kept};
        if (!FLM_ARRAY_ADD(&m->parts, part))
            return false;
    }
    return true;
}

const struct flm_kept_line *flm_code_part_line(const struct flm_code_part *part, uint64_t address)
{
    const struct flm_kept_code *kept = part->kept;
    size_t low = 0, high = kept->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kept->lines[middle].offset <= address - part->start)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &kept->lines[low - 1] : NULL;
}
