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

/* ---- Descriptions ---------------------------------------------------------------------------- */

/* Raw data is at most a record. */
enum { MOST_OFFSET = 65535 - 8 };

const char *flm_sched_tracepoint(size_t i)
{
    static const char *const names[] = {"sched_switch", "sched_waking", "sched_wakeup",
                                        "sched_wakeup_new"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

/* What is behind the first occurrence of `text`; at NULL: there is none. */
static struct flm_bytes behind(struct flm_bytes in, const char *text)
{
    size_t size = strlen(text);
    for (; in.size >= size; in.at++, in.size--)
        if (memcmp(in.at, text, size) == 0)
            return (struct flm_bytes){in.at + size, in.size - size};
    return (struct flm_bytes){0};
}

/* The number behind the first occurrence of `text`; UINT64_MAX: none. */
static uint64_t number_behind(struct flm_bytes in, const char *text)
{
    struct flm_bytes rest = behind(in, text);
    uint64_t number = 0;
    size_t i = 0;
    for (; i < rest.size && i < 9 && rest.at[i] >= '0' && rest.at[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(rest.at[i] - '0');
    return i > 0 ? number : UINT64_MAX;
}

/* The offset of a field, and its size. */
static bool find_field(struct flm_bytes description, const char *field, uint16_t *offset,
                       uint16_t *size)
{
    struct flm_bytes line = behind(description, field);
    const char *end = line.size > 0 ? memchr(line.at, '\n', line.size) : NULL;
    line.size = end ? (size_t)(end - line.at) : line.size;
    uint64_t at = number_behind(line, "offset:"), bytes = number_behind(line, "size:");
    if (at > MOST_OFFSET || (bytes != 4 && bytes != 8))
        return false;
    *offset = (uint16_t)at;
    *size = (uint16_t)bytes;
    return true;
}

bool flm_sched_describe(struct flm_bytes descriptions, const char *name, uint64_t *id,
                        struct flm_sched_fields *fields)
{
    struct flm_bytes at = descriptions;
    size_t size = strlen(name);
    uint16_t unused;
    do
        at = behind(at, "name: ");
    while (at.at && !(at.size > size && memcmp(at.at, name, size) == 0 && at.at[size] == '\n'));
    if (!at.at)
        return false;
    for (size_t i = 0; i + 10 <= at.size; i++) /* up to the next description */
        if (memcmp(at.at + i, "print fmt:", 10) == 0)
            at.size = i;
    *fields = (struct flm_sched_fields){0};
    *id = number_behind(at, "ID: ");
    fields->is_known = strcmp(name, "sched_switch") == 0
                           ? find_field(at, " prev_pid;", &fields->thread, &unused) &&
                                 find_field(at, " next_pid;", &fields->next, &unused) &&
                                 find_field(at, " prev_state;", &fields->state, &fields->state_size)
                           : find_field(at, " pid;", &fields->thread, &unused);
    return fields->is_known && *id != UINT64_MAX;
}

/* ---- Samples --------------------------------------------------------------------------------- */

static bool is_inside(const struct flm_event_sample *sample, size_t offset, size_t size)
{
    return sample->raw.size >= offset + size;
}

bool flm_sched_switch_read(const struct flm_event_sample *sample, struct flm_sched_switch *change)
{
    static const struct flm_sched_fields usual = {
        .thread = AT_PREV_THREAD, .next = AT_NEXT_THREAD, .state = AT_PREV_STATE, .state_size = 8};
    const struct flm_sched_fields *fields = &sample->layout->sched;
    bool swapped = sample->layouts->swapped;
    if (!fields->is_known)
        fields = &usual;
    if (sample->layout->type == FLM_PERF_TYPE_SOFTWARE ||
        (fields == &usual && sample->raw.size < SWITCH_SIZE) ||
        !is_inside(sample, fields->thread, 4) || !is_inside(sample, fields->next, 4) ||
        !is_inside(sample, fields->state, fields->state_size))
        return false;
    const char *state = sample->raw.at + fields->state;
    change->leaves = (int32_t)flm_word32(sample->raw.at + fields->thread, swapped);
    change->state =
        fields->state_size == 4 ? flm_word32(state, swapped) : flm_word64(state, swapped);
    change->comes = (int32_t)flm_word32(sample->raw.at + fields->next, swapped);
    return true;
}

bool flm_sched_wake_read(const struct flm_event_sample *sample, int32_t *thread)
{
    const struct flm_sched_fields *fields = &sample->layout->sched;
    size_t at = fields->is_known ? fields->thread : AT_WOKEN_THREAD;
    if (!is_inside(sample, at, 4) || (!fields->is_known && sample->raw.size < WAKE_SIZE))
        return false;
    *thread = (int32_t)flm_word32(sample->raw.at + at, sample->layouts->swapped);
    return true;
}
