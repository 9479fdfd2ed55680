#include "code/skid.h"

/* "cycles" of "cycles:upp"; the modifiers are behind it. */
static struct flm_bytes event_of(struct flm_bytes metric, struct flm_bytes *modifiers)
{
    size_t at = metric.size;
    while (at > 0 && metric.at[at - 1] != ':' && metric.at[at - 1] != '/')
        at--;
    if (at == 0) {
        *modifiers = (struct flm_bytes){"", 0};
        return metric;
    }
    *modifiers = (struct flm_bytes){metric.at + at, metric.size - at};
    return (struct flm_bytes){metric.at, at - 1};
}

/* A single p asks for a constant distance, not for none. */
static bool is_precise(struct flm_bytes modifiers)
{
    size_t count = 0;
    for (size_t i = 0; i < modifiers.size; i++)
        count += modifiers.at[i] == 'P' ? 2 : modifiers.at[i] == 'p';
    return count >= 2;
}

const char *flm_metric_skid(struct flm_bytes metric)
{
    struct flm_bytes modifiers, event = event_of(metric, &modifiers);
    if (flm_bytes_are(event, "cpu-clock") || flm_bytes_are(event, "task-clock"))
        return "samples are some instructions behind the cause: a timer interrupts";
    bool is_of_processor =
        flm_bytes_start_with(event, "cycles") || flm_bytes_start_with(event, "cpu-cycles") ||
        flm_bytes_start_with(event, "instructions") || flm_bytes_start_with(event, "branches") ||
        flm_bytes_contain(event, "misses") || flm_bytes_start_with(event, "cpu/");
    if (!is_of_processor)
        return NULL;
    return is_precise(modifiers)
               ? "samples are at the instruction itself, or at the next one"
               : "samples are some instructions behind the cause; with :pp they are precise";
}
