/* ftrace.c - what programs wrote into the kernel's trace, as Android's atrace does:
 *
 *     B|1234|name         a call begins in process 1234          E|1234   E     it ends
 *     C|1234|name|42      a counter of the process
 *     S|1234|name|7       an asynchronous operation begins, F: it ends; 7 is its id
 *     I|1234|name         an instant
 *     G|1234|track|name|7     H|1234|track|7     N|1234|track|name     the same, on a track
 *
 * Switches and wake-ups of the scheduler are in states.c. Everything else of the kernel is
 * counted. */
#include "base/number/number.h"
#include "format/perfetto/internal.h"

enum { PRINT = 3 };

/* Takes the text up to the next '|' off the front. */
static struct flm_bytes take_part(struct flm_bytes *text)
{
    size_t size = 0;
    while (size < text->size && text->at[size] != '|')
        size++;
    struct flm_bytes part = {text->at, size};
    *text = flm_bytes_from(*text, size + (size < text->size));
    return part;
}

static void use_print(struct flm_perfetto *p, int64_t time_ns, int64_t tid, struct flm_bytes text)
{
    while (text.size > 0 && (text.at[text.size - 1] == '\n' || text.at[text.size - 1] == 0))
        text.size--;
    struct flm_bytes rest = text, kind = take_part(&rest);
    uint64_t number;
    int64_t pid = -1;
    if (kind.size != 1 || !memchr("BECSFIGHN", *kind.at, 9)) {
        p->losses[FLM_PERFETTO_FTRACE]++;
        return;
    }
    if (flm_number_parse_uint(take_part(&rest), &number) && number <= UINT32_MAX && number > 0)
        pid = (int64_t)number;
    struct flm_perfetto_lane lane = {flm_perfetto_find_thread(p, pid, tid), false};
    struct flm_bytes name = *kind.at == 'B' ? rest : take_part(&rest), scope = name;
    if (*kind.at == 'G' || *kind.at == 'N') /* it was the name of a track */
        name = take_part(&rest);
    if (flm_builder_failed(p->builder))
        return;
    uint32_t string = name.size > 0 ? flm_perfetto_string(p, name) : 0;
    struct flm_call call = {.time_ns = time_ns, .name = string, .mark = FLM_NONE};
    struct flm_async_event event = {.time_ns = time_ns, .name = string, .owner = lane.index};
    struct flm_perfetto_point point = {time_ns, 0, string, lane};
    struct flm_perfetto_marker marker = {time_ns, 0, string, 0, lane};
    double value;
    event.key =
        flm_mix(flm_hash(rest.at, rest.size) ^ (uint64_t)pid, flm_hash(scope.at, scope.size) | 1);
    switch (*kind.at) {
    case 'B':
        call.duration_ns = FLM_CALL_BEGIN;
        call.frame = flm_perfetto_call_frame(p, string, 0);
        flm_perfetto_add_call(p, lane, &call);
        break;
    case 'E':
        call.duration_ns = FLM_CALL_END;
        call.name = FLM_NONE;
        flm_perfetto_add_call(p, lane, &call);
        break;
    case 'C':
        if (flm_number_parse(rest, &value) != FLM_NUMBER_NONE) {
            point.value = value;
            if (pid >= 0)
                point.lane.index = flm_perfetto_find_thread(p, pid, FLM_NO_TIME);
            flm_perfetto_add_point(p, &point);
        } else {
            p->losses[FLM_PERFETTO_FTRACE]++;
        }
        break;
    case 'I':
    case 'N':
        flm_perfetto_add_marker(p, &marker);
        break;
    default:
        if (*kind.at == 'S' ||
            *kind.at == 'G') { /* Android does not nest them: the first one counts */
            struct flm_async_event begun;
            if (flm_async_end(&p->async, event.key, &begun))
                event = begun;
            flm_perfetto_add_async(p, true, &event);
        } else {
            flm_perfetto_add_async(p, false, &event);
        }
        break;
    }
}

static void read_event(struct flm_perfetto *p, uint64_t cpu, struct flm_bytes message)
{
    struct flm_perfetto_fields f, print;
    flm_perfetto_read(p, message, &f);
    if (flm_perfetto_stopped(p) || flm_perfetto_read_sched(p, cpu, &f))
        return;
    flm_perfetto_read(p, flm_perfetto_text(&f, PRINT), &print);
    struct flm_bytes text = flm_perfetto_text(&print, 2);
    if (text.size > 0 && !flm_perfetto_stopped(p))
        use_print(p, (int64_t)flm_perfetto_number(&f, 1), (uint32_t)flm_perfetto_number(&f, 2),
                  text);
    else
        p->losses[FLM_PERFETTO_FTRACE]++;
}

void flm_perfetto_read_ftrace(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    enum { CPU = 1, EVENT = 2, LOST = 3, COMPACT = 4 };
    struct flm_perfetto_fields f;
    struct flm_bytes message;
    flm_perfetto_read(p, packet->data, &f);
    uint64_t cpu = flm_perfetto_number(&f, CPU);
    if (flm_perfetto_number(&f, LOST))
        flm_perfetto_lose_sched(p, cpu);
    struct flm_wire m = flm_perfetto_message(p, packet->data);
    while (flm_perfetto_next(p, &m, EVENT, &message))
        read_event(p, cpu, message);
    m = flm_perfetto_message(p, packet->data);
    while (flm_perfetto_next(p, &m, COMPACT, &message))
        flm_perfetto_read_compact_sched(p, cpu, message);
}
