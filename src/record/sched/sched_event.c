#include "record/sched/sched_event.h"
#include "record/perf/kernel_abi.h"

#include "record/perf/byte_order.h"

/* Offsets in the raw data, whose first 8 bytes all tracepoints share. */
enum {
    AT_PREV_THREAD = 24,
    AT_PREV_STATE = 32,
    AT_NEXT_THREAD = 56,
    SWITCH_SIZE = 64,
    AT_WOKEN_THREAD = 24,
    WAKE_SIZE = 36
};

enum flm_sched_kind flm_sched_kind(const struct flm_event_layout *layout)
{
    static const char prefix[] = "sched:sched_";
    struct flm_bytes whole = flm_bytes_of(layout->name ? layout->name : "");
    if (layout->type == FLM_PERF_TYPE_SOFTWARE &&
        layout->config == FLM_PERF_COUNT_SW_CONTEXT_SWITCHES)
        return FLM_SCHED_SWITCH;
    if (!flm_bytes_start_with(whole, prefix))
        return FLM_SCHED_OTHER;
    const char *name = layout->name + sizeof prefix - 1;
    if (strcmp(name, "switch") == 0)
        return FLM_SCHED_SWITCH;
    return strcmp(name, "waking") == 0 || strcmp(name, "wakeup") == 0 ||
                   strcmp(name, "wakeup_new") == 0
               ? FLM_SCHED_WAKE
               : FLM_SCHED_OTHER;
}

bool flm_sched_switch_read(const struct flm_event_sample *sample, struct flm_sched_switch *change)
{
    bool swapped = sample->layouts->swapped;
    if (sample->layout->type == FLM_PERF_TYPE_SOFTWARE || sample->raw.size < SWITCH_SIZE)
        return false;
    change->leaves = (int32_t)flm_word32(sample->raw.at + AT_PREV_THREAD, swapped);
    change->state = flm_word64(sample->raw.at + AT_PREV_STATE, swapped);
    change->comes = (int32_t)flm_word32(sample->raw.at + AT_NEXT_THREAD, swapped);
    return true;
}

bool flm_sched_wake_read(const struct flm_event_sample *sample, int32_t *thread)
{
    if (sample->raw.size < WAKE_SIZE)
        return false;
    *thread = (int32_t)flm_word32(sample->raw.at + AT_WOKEN_THREAD, sample->layouts->swapped);
    return true;
}
