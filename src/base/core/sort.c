#include "base/core/sort.h"

#include <string.h>

enum { RUN = 8 };

static void sort_run(uint32_t *items, size_t count, flm_order order, const void *context)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = items[i];
        size_t at = i;
        for (; at > 0 && order(context, items[at - 1], item) > 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

void flm_sort(uint32_t *items, size_t count, uint32_t *scratch, flm_order order,
              const void *context)
{
    for (size_t i = 0; i < count; i += RUN)
        sort_run(items + i, count - i < RUN ? count - i : RUN, order, context);
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t start = 0; start + run < count; start += 2 * run) {
            size_t middle = start + run, end = count - middle < run ? count : middle + run;
            if (order(context, items[middle - 1], items[middle]) <= 0)
                continue;
            memcpy(scratch, items + start, run * sizeof *items);
            size_t left = 0, right = middle, to = start;
            while (left < run && right < end)
                items[to++] = order(context, scratch[left], items[right]) <= 0 ? scratch[left++]
                                                                               : items[right++];
            memcpy(items + to, scratch + left, (run - left) * sizeof *items);
        }
    }
}
