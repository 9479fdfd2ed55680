/* function_ranges.c - the extents of functions by their symbols, and their code: for stacks through
 * code without call frame information. */
#include "symbol/registry/internal.h"

#include <elf.h>
#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
    const struct flm_elf_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Labels of assembly lie within functions that have a size, and are none. */
static size_t drop_labels(struct flm_elf_range *ranges, size_t count)
{
    uint64_t furthest = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct flm_elf_range range = ranges[i];
        if (range.end == range.start && range.start < furthest)
            continue;
        furthest = range.end > furthest ? range.end : furthest;
        ranges[kept++] = range;
    }
    return kept;
}

/* Without a size a function ends at the next one. Of several names at one start the last one is
 * found: each gets the furthest end. */
static void set_ends(struct flm_elf_range *ranges, size_t count)
{
    uint64_t next = UINT64_MAX, end = 0;
    for (size_t i = count; i-- > 0;) {
        struct flm_elf_range *range = &ranges[i];
        if (i + 1 < count && ranges[i + 1].start != range->start) {
            next = ranges[i + 1].start;
            end = 0;
        }
        if (range->end == range->start && next != UINT64_MAX)
            range->end = next;
        end = range->end > end ? range->end : end;
        range->end = end;
    }
}

/* Without memory there are none. */
static void list_ranges(struct flm_module *module)
{
    module->ranges_tried = true;
    if (!module->file)
        return;
    module->is_warm = true;
    module->ranges = flm_elf_list_functions(module->file, &module->range_count);
    if (!module->ranges)
        return;
    qsort(module->ranges, module->range_count, sizeof *module->ranges, by_start);
    module->range_count = drop_labels(module->ranges, module->range_count);
    set_ends(module->ranges, module->range_count);
}

bool flm_module_find_range(struct flm_module *module, uint64_t address, struct flm_elf_range *range)
{
    if (!module->ranges_tried)
        list_ranges(module);
    size_t low = 0, high = module->range_count;
    while (low < high) { /* the last one that starts at the address or before it */
        size_t middle = low + (high - low) / 2;
        if (module->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= module->ranges[low - 1].end)
        return false;
    *range = module->ranges[low - 1];
    return true;
}

const unsigned char *flm_module_code(const struct flm_module *module, uint64_t address, size_t size)
{
    const struct flm_elf_file *file = module->file;
    for (size_t i = 0; file && i < file->segment_count; i++) {
        const struct flm_elf_segment *s = &file->segments[i];
        if (s->type != PT_LOAD || !(s->flags & PF_X) || address < s->address ||
            address - s->address >= s->file_size || s->file_size - (address - s->address) < size)
            continue;
        uint64_t offset = s->offset + (address - s->address);
        if (offset <= file->image.size && file->image.size - offset >= size)
            return (const unsigned char *)file->image.at + offset;
    }
    return NULL;
}
