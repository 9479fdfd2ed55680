/* events.c - the events of a perf.data file: attributes, ids and names. */
#include "format/perf_data/internal.h"
#include "record/perf/kernel_abi.h"

#include <stdlib.h>

#include "record/perf/byte_order.h"

uint64_t flm_perf_data_u64(const struct flm_perf_data *data, const char *at)
{
    return flm_word64(at, data->swapped);
}

uint32_t flm_perf_data_u32(const struct flm_perf_data *data, const char *at)
{
    return flm_word32(at, data->swapped);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const hardware[] = {"cycles",
                                       "instructions",
                                       "cache-references",
                                       "cache-misses",
                                       "branches",
                                       "branch-misses",
                                       "bus-cycles",
                                       "stalled-cycles-frontend",
                                       "stalled-cycles-backend",
                                       "ref-cycles"};
static const char *const software[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};

/* The name of an event without a name in the file. */
static void add_usual_name(struct flm_text *out, const struct flm_event_layout *layout)
{
    unsigned long long config = (unsigned long long)layout->config;
    if (layout->type == FLM_PERF_TYPE_HARDWARE && config < sizeof hardware / sizeof *hardware)
        flm_text_puts(out, hardware[config]);
    else if (layout->type == FLM_PERF_TYPE_SOFTWARE && config < sizeof software / sizeof *software)
        flm_text_puts(out, software[config]);
    else if (layout->type == FLM_PERF_TYPE_RAW)
        flm_text_format(out, "r%llx", config);
    else if (layout->type == FLM_PERF_TYPE_TRACEPOINT)
        flm_text_format(out, "tracepoint %llu", config);
    else
        flm_text_format(out, "event %u/%llx", layout->type, config);
}

bool flm_perf_data_name_event(struct flm_perf_data *data, size_t event, struct flm_bytes name)
{
    struct flm_text *text = &data->events.at[event].name;
    text->size = 0;
    flm_text_add(text, name);
    flm_text_putc(text, 0);
    data->layouts.items.at[event].name = text->at;
    return !text->failed || flm_error_memory(data->why);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

enum { ATTRIBUTES_LEAST = 64 }; /* of the first version */

bool flm_perf_data_add_event(struct flm_perf_data *data, struct flm_bytes attributes,
                             struct flm_bytes ids)
{
    struct flm_event_layout layout;
    if (attributes.size < ATTRIBUTES_LEAST)
        return flm_error_set(data->why, FLM_ERROR_FORMAT,
                             "the attributes of an event have only %llu bytes",
                             (unsigned long long)attributes.size);
    uint32_t said = flm_perf_data_u32(data, attributes.at + 4);
    if (said >= ATTRIBUTES_LEAST && said < attributes.size)
        attributes.size = said;
    if (!flm_event_layout_init(&layout, attributes.at, attributes.size, data->swapped, data->why))
        return false;
    layout.machine = data->machine_is_known ? data->machine : layout.machine;

    size_t id_count = ids.size / 8;
    uint64_t *own = malloc(id_count * sizeof *own + 1);
    if (!own || !FLM_ARRAY_RESERVE(&data->events, 1)) {
        free(own);
        return flm_error_memory(data->why);
    }
    for (size_t i = 0; i < id_count; i++)
        own[i] = flm_perf_data_u64(data, ids.at + 8 * i);
    size_t number = data->layouts.items.count;
    data->events.at[number] = (struct flm_perf_data_event){0};
    data->events.count = number + 1;
    bool good = flm_event_layouts_add(&data->layouts, &layout, own, id_count, data->why);
    free(own);
    if (!good)
        return false;
    struct flm_text name = {0};
    add_usual_name(&name, &layout);
    good = name.failed
               ? flm_error_memory(data->why)
               : flm_perf_data_name_event(data, number, (struct flm_bytes){name.at, name.size});
    flm_text_clear(&name);
    return good;
}
