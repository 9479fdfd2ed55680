/* event_layout.c - what the samples of each event hold, from its attributes. */
#include <assert.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "record/perf/byte_order.h"
#include "record/perf/event.h"
#include "record/perf/kernel_abi.h"
#include "symbol/identity/machine.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Offsets of fields in the attributes: newer kernels only append fields. */
enum attribute_offset {
    AT_TYPE = 0,
    AT_CONFIG = 8,
    AT_PERIOD = 16,
    AT_SAMPLE_TYPE = 24,
    AT_READ_FORMAT = 32,
    AT_FLAGS = 40,
    AT_BRANCH_TYPE = 72,
    AT_USER_REGISTERS = 80,
    AT_INTERRUPT_REGISTERS = 96,
    AT_DEEPEST_CHAIN = 108,
    ATTRIBUTES_KNOWN = 112
};

/* Of all tracepoints of a kernel there are less than 3,000. */
enum { MOST_EVENTS = 65536 };

/* The default of kernel.perf_event_max_stack. */
enum { USUAL_DEEPEST_CHAIN = 127 };

/* The most frames of a chain; 0: chains that were unwound from stack dumps are not limited. */
static uint32_t deepest_chain(const struct flm_event_layout *layout, uint32_t asked)
{
    return layout->sample_type & (FLM_PERF_SAMPLE_STACK_USER | FLM_PERF_SAMPLE_BRANCH_STACK) ||
                   asked == UINT16_MAX
               ? 0
           : asked > 0 ? asked
                       : USUAL_DEEPEST_CHAIN;
}

enum { FLAG_FREQUENCY = 10, FLAG_SAMPLE_ID_ALL = 18, FLAG_CONTEXT_SWITCH = 26 };

/* All fields of a sample that we can read or skip. */
#define KNOWN_SAMPLE_TYPES ((UINT64_C(1) << 25) - 1)

/* On machines of the other byte order, bit fields begin at the other end of each byte. */
static bool has_flag(const char *attributes, unsigned bit, bool swapped)
{
    unsigned char byte = (unsigned char)attributes[AT_FLAGS + bit / 8];
    return byte >> (swapped ? 7 - bit % 8 : bit % 8) & 1;
}

bool flm_event_layout_init(struct flm_event_layout *layout, const void *attributes, size_t size,
                           bool swapped, struct flm_error *why)
{
    assert(layout && attributes);
    char all[ATTRIBUTES_KNOWN] = {0};
    memcpy(all, attributes, size < sizeof all ? size : sizeof all);
    *layout = (struct flm_event_layout){
        .sample_type = flm_word64(all + AT_SAMPLE_TYPE, swapped),
        .read_format = flm_word64(all + AT_READ_FORMAT, swapped),
        .user_registers = flm_word64(all + AT_USER_REGISTERS, swapped),
        .interrupt_registers = flm_word64(all + AT_INTERRUPT_REGISTERS, swapped),
        .branch_type = flm_word64(all + AT_BRANCH_TYPE, swapped),
        .sample_id_all = has_flag(all, FLAG_SAMPLE_ID_ALL, swapped),
        .type = flm_word32(all + AT_TYPE, swapped),
        .config = flm_word64(all + AT_CONFIG, swapped),
        .machine = (int)flm_machine_here(),
    };
    layout->has_period = layout->sample_type & FLM_PERF_SAMPLE_PERIOD;
    layout->has_switches = has_flag(all, FLAG_CONTEXT_SWITCH, swapped);
    if (has_flag(all, FLAG_FREQUENCY, swapped))
        layout->frequency = flm_word64(all + AT_PERIOD, swapped);
    else
        layout->period = flm_word64(all + AT_PERIOD, swapped);
    uint16_t asked = flm_word16(all + AT_DEEPEST_CHAIN, swapped);
    layout->deepest_chain = deepest_chain(layout, asked);
    layout->is_dummy =
        layout->type == FLM_PERF_TYPE_SOFTWARE && layout->config == FLM_PERF_COUNT_SW_DUMMY;
    if (layout->sample_type & ~KNOWN_SAMPLE_TYPES)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "unknown sample type 0x%llx: this version of flamel cannot read its "
                             "samples",
                             (unsigned long long)layout->sample_type);
    return true;
}

bool flm_event_is_clock(uint32_t type, uint64_t config)
{
    return type == FLM_PERF_TYPE_SOFTWARE &&
           (config == FLM_PERF_COUNT_SW_CPU_CLOCK || config == FLM_PERF_COUNT_SW_TASK_CLOCK);
}

/* ---- All events of a recording --------------------------------------------------------------- */

/* The index of `id`, or of the first larger one. */
static size_t find_id(const struct flm_event_layouts *layouts, uint64_t id)
{
    size_t low = 0, high = layouts->ids.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (layouts->ids.at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool flm_event_layouts_add(struct flm_event_layouts *layouts, const struct flm_event_layout *layout,
                           const uint64_t *ids, size_t id_count, struct flm_error *why)
{
    assert(layout && (ids || id_count == 0));
    uint32_t number = (uint32_t)layouts->items.count;
    if (number >= MOST_EVENTS)
        return flm_error_set(why, FLM_ERROR_FORMAT, "more than %d events", MOST_EVENTS);
    if (!FLM_ARRAY_ADD(&layouts->items, *layout))
        return flm_error_memory(why);
    layouts->items.at[number].number = number;
    return flm_event_layouts_add_ids(layouts, number, ids, id_count) || flm_error_memory(why);
}

static int by_id(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *ids = context;
    return (ids[a] > ids[b]) - (ids[a] < ids[b]);
}

/* The ids that no event has yet, in order, each once; returns how many. `order` has room for twice
 * as many as there are. */
static size_t find_new(const struct flm_event_layouts *layouts, const uint64_t *ids, size_t count,
                       uint32_t *order)
{
    size_t made = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    flm_sort(order, count, order + count, by_id, ids);
    for (size_t i = 0; i < count; i++) {
        uint64_t id = ids[order[i]];
        size_t at = find_id(layouts, id);
        bool is_known = at < layouts->ids.count && layouts->ids.at[at].id == id;
        if (!is_known && (made == 0 || ids[order[made - 1]] != id))
            order[made++] = order[i];
    }
    return made;
}

/* All at once, because a file may have a million, in any order. */
bool flm_event_layouts_add_ids(struct flm_event_layouts *layouts, uint32_t layout,
                               const uint64_t *ids, size_t count)
{
    assert(layout < layouts->items.count);
    if (count == 0)
        return true;
    uint32_t *order = count <= UINT32_MAX / 2 ? malloc(2 * count * sizeof *order) : NULL;
    if (!order || !FLM_ARRAY_RESERVE(&layouts->ids, count)) {
        free(order);
        return false;
    }
    size_t added = find_new(layouts, ids, count, order), old = layouts->ids.count;
    struct flm_event_id *at = layouts->ids.at;
    layouts->ids.count += added;
    for (size_t to = old + added; added > 0;) { /* from the largest on */
        uint64_t id = ids[order[added - 1]];
        if (old > 0 && at[old - 1].id > id) {
            at[--to] = at[--old];
        } else {
            at[--to] = (struct flm_event_id){id, layout};
            added--;
        }
    }
    free(order);
    return true;
}

void flm_event_layouts_remove_ids(struct flm_event_layouts *layouts, const uint64_t *ids,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = find_id(layouts, ids[i]);
        if (at == layouts->ids.count || layouts->ids.at[at].id != ids[i])
            continue;
        layouts->ids.count--;
        memmove(layouts->ids.at + at, layouts->ids.at + at + 1,
                (layouts->ids.count - at) * sizeof *layouts->ids.at);
    }
}

void flm_event_layouts_clear(struct flm_event_layouts *layouts)
{
    free(layouts->items.at);
    free(layouts->ids.at);
    *layouts = (struct flm_event_layouts){0};
}

const struct flm_event_layout *flm_event_layouts_find(const struct flm_event_layouts *layouts,
                                                      uint64_t id)
{
    size_t at = find_id(layouts, id);
    if (at == layouts->ids.count || layouts->ids.at[at].id != id)
        return NULL;
    return &layouts->items.at[layouts->ids.at[at].layout];
}
