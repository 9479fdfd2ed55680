/* clocks.c - times of many clocks, as times of the clock of the trace.
 *
 * A snapshot has the times of several clocks at one moment. Where it has that of the trace, or of a
 * clock that earlier snapshots relate to it, the others are related to it too: each gets a moment
 * with its offset. A time is then moved by the offset of the last moment before it, as Perfetto
 * does; a snapshot that is related to nothing yet waits for the next one. */
#include "format/perfetto/internal.h"

enum { FIRST_OF_SEQUENCE = 64, LAST_OF_SEQUENCE = 127 };

static struct flm_perfetto_clock *find_clock(struct flm_perfetto *p, uint32_t id, uint32_t sequence,
                                             bool add)
{
    if (id < FIRST_OF_SEQUENCE || id > LAST_OF_SEQUENCE)
        sequence = 0;
    struct flm_perfetto_clock clock = {.unit_ns = 1};
    uint32_t index =
        add ? flm_perfetto_entry(p, &p->clock_keys, id, sequence, &p->clocks, &clock, sizeof clock)
            : flm_perfetto_find_key(&p->clock_keys, id, sequence);
    return index == FLM_NONE ? NULL : &p->clocks.at[index];
}

/* Times and offsets are of the input: sums that no int64 holds wrap, and mean nothing. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The last moment at `ns` or before it; the first one, if all are later. */
static void look_up(struct flm_perfetto_clock *clock, int64_t ns)
{
    size_t low = 0, high = clock->moments.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (clock->moments.at[middle].ns <= ns)
            low = middle;
        else
            high = middle;
    }
    clock->offset = clock->moments.at[low].offset;
    clock->low = low == 0 ? INT64_MIN : clock->moments.at[low].ns;
    clock->high = high < clock->moments.count ? clock->moments.at[high].ns : INT64_MAX;
}

static bool convert(struct flm_perfetto_clock *clock, int64_t *ns)
{
    if (clock->moments.count == 0)
        return false;
    if (*ns < clock->low || *ns >= clock->high)
        look_up(clock, *ns);
    *ns = add(*ns, clock->offset);
    return true;
}

static void add_moment(struct flm_perfetto *p, struct flm_perfetto_clock *clock, int64_t ns,
                       int64_t offset)
{
    struct flm_perfetto_moment moment = {ns, offset};
    if (!flm_perfetto_push(p, &clock->moments, &moment, sizeof moment))
        return;
    struct flm_perfetto_moment *at = clock->moments.at;
    enum { MOST_MOVED = 64 }; /* one that is much too early was written by no tracing service */
    for (size_t i = clock->moments.count - 1, moved = 0;
         i > 0 && at[i - 1].ns > at[i].ns && moved < MOST_MOVED; i--, moved++) {
        struct flm_perfetto_moment other = at[i];
        at[i] = at[i - 1];
        at[i - 1] = other;
    }
    clock->low = clock->high = 0;
}

struct reading {
    uint32_t id;
    bool is_incremental;
    uint64_t unit_ns;
    int64_t ns;
};

static bool next_reading(struct flm_perfetto *p, struct flm_wire *m, struct reading *r)
{
    struct flm_bytes message;
    struct flm_perfetto_fields f;
    if (!flm_perfetto_next(p, m, 1, &message))
        return false;
    flm_perfetto_read(p, message, &f);
    uint64_t unit_ns = flm_perfetto_number(&f, 4);
    r->id = (uint32_t)flm_perfetto_number(&f, 1);
    r->is_incremental = flm_perfetto_number(&f, 3) != 0;
    r->unit_ns = unit_ns ? unit_ns : 1;
    r->ns = (int64_t)(flm_perfetto_number(&f, 2) * r->unit_ns);
    return true;
}

/* False: none of its clocks is related to that of the trace. */
static bool use_snapshot(struct flm_perfetto *p, uint32_t sequence, struct flm_bytes message)
{
    struct reading r;
    int64_t trace_ns = 0;
    bool is_related = false, has_trace_clock = false;
    struct flm_wire m = flm_perfetto_message(p, message);
    while (!has_trace_clock && next_reading(p, &m, &r)) {
        int64_t ns = r.ns;
        has_trace_clock = r.id == p->trace_clock;
        struct flm_perfetto_clock *clock = find_clock(p, r.id, sequence, false);
        if (has_trace_clock || (!is_related && clock && convert(clock, &ns))) {
            trace_ns = ns;
            is_related = true;
        }
    }
    if (!is_related)
        return false;
    m = flm_perfetto_message(p, message);
    while (next_reading(p, &m, &r)) {
        struct flm_perfetto_clock *clock = find_clock(p, r.id, sequence, true);
        if (!clock)
            return true;
        clock->is_incremental = r.is_incremental;
        clock->unit_ns = r.unit_ns;
        clock->last = r.ns;
        if (r.id != p->trace_clock)
            add_moment(p, clock, r.ns, add(trace_ns, (int64_t)(0 - (uint64_t)r.ns)));
    }
    return true;
}

/* Those that wait: sequence, size, message, in `snapshots`. */
static void retry_snapshots(struct flm_perfetto *p)
{
    struct flm_text waiting = p->snapshots;
    uint32_t head[2];
    p->snapshots = (struct flm_text){0};
    for (size_t at = 0; at < waiting.size; at += head[1]) {
        memcpy(head, waiting.at + at, sizeof head);
        at += sizeof head;
        struct flm_bytes message = {waiting.at + at, head[1]};
        if (!use_snapshot(p, head[0], message)) {
            flm_text_add(&p->snapshots, (struct flm_bytes){(const char *)head, sizeof head});
            flm_text_add(&p->snapshots, message);
        }
    }
    if (p->snapshots.failed)
        flm_perfetto_no_memory(p);
    flm_text_clear(&waiting);
}

void flm_perfetto_read_snapshot(struct flm_perfetto *p, uint32_t sequence, struct flm_bytes message)
{
    enum { MOST_WAITING = 1 << 12 };
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    if (p->trace_clock == 0)
        p->trace_clock = (uint32_t)flm_perfetto_number(&f, 2);
    if (p->trace_clock == 0)
        p->trace_clock = FLM_PERFETTO_BOOTTIME;
    if (use_snapshot(p, sequence, message)) {
        if (p->snapshots.size > 0)
            retry_snapshots(p);
    } else if (p->snapshots.size + message.size < MOST_WAITING) {
        uint32_t head[2] = {sequence, (uint32_t)message.size};
        flm_text_add(&p->snapshots, (struct flm_bytes){(const char *)head, sizeof head});
        flm_text_add(&p->snapshots, message);
        if (p->snapshots.failed)
            flm_perfetto_no_memory(p);
    }
}

/* At the end: where no snapshot has the clock of the trace, the first one of a snapshot is it. */
void flm_perfetto_settle_clocks(struct flm_perfetto *p)
{
    uint32_t head[2];
    struct reading r;
    if (p->snapshots.size == 0 || p->clocks.count > 0)
        return;
    memcpy(head, p->snapshots.at, sizeof head);
    struct flm_wire m =
        flm_perfetto_message(p, (struct flm_bytes){p->snapshots.at + sizeof head, head[1]});
    while (next_reading(p, &m, &r)) {
        if (r.id < FIRST_OF_SEQUENCE) {
            p->trace_clock = r.id;
            retry_snapshots(p);
            return;
        }
    }
}

bool flm_perfetto_trace_time(struct flm_perfetto *p, uint32_t id, uint32_t sequence, uint64_t time,
                             int64_t *ns)
{
    *ns = (int64_t)time;
    if (id == 0 || id == (p->trace_clock ? p->trace_clock : FLM_PERFETTO_BOOTTIME))
        return true;
    struct flm_perfetto_clock *clock = find_clock(p, id, sequence, false);
    if (!clock)
        return false;
    *ns = (int64_t)(time * clock->unit_ns);
    if (clock->is_incremental)
        *ns = clock->last = add(clock->last, *ns);
    return convert(clock, ns);
}

void flm_perfetto_free_clocks(struct flm_perfetto *p)
{
    for (size_t i = 0; i < p->clocks.count; i++)
        FLM_ARRAY_CLEAR(&p->clocks.at[i].moments);
    FLM_ARRAY_CLEAR(&p->clocks);
    flm_perfetto_clear_keys(&p->clock_keys);
    flm_text_clear(&p->snapshots);
    flm_text_clear(&p->waiting);
}
