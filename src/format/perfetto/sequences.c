/* sequences.c - what a writer said before: tables of names and frames, defaults of its packets. */
#include "format/perfetto/internal.h"

uint32_t flm_perfetto_find_sequence(struct flm_perfetto *p, uint32_t id)
{
    if (p->last_sequence < p->sequences.count && p->sequences.at[p->last_sequence].id == id)
        return p->last_sequence;
    struct flm_perfetto_sequence sequence = {.id = id, .metric = FLM_NONE};
    return p->last_sequence = flm_perfetto_entry(p, &p->sequence_keys, id, 0, &p->sequences,
                                                 &sequence, sizeof sequence);
}

static void clear_defaults(struct flm_perfetto_sequence *s)
{
    s->clock = s->track = 0;
    s->counters.count = s->double_counters.count = 0;
    s->metric = FLM_NONE;
}

void flm_perfetto_clear_tables(struct flm_perfetto_sequence *s)
{
    s->bytes.size = 0;
    s->items.count = 0;
    flm_perfetto_clear_keys(&s->keys);
}

void flm_perfetto_clear_state(struct flm_perfetto_sequence *s)
{
    s->has_state = true;
    s->has_reference = false;
    s->reference_ns = 0;
    flm_perfetto_clear_tables(s);
    clear_defaults(s);
}

void flm_perfetto_free_sequence(struct flm_perfetto_sequence *s)
{
    flm_text_clear(&s->bytes);
    FLM_ARRAY_CLEAR(&s->items);
    flm_perfetto_clear_keys(&s->keys);
    FLM_ARRAY_CLEAR(&s->counters);
    FLM_ARRAY_CLEAR(&s->double_counters);
    FLM_ARRAY_CLEAR(&s->heap_samples);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

#define BIT(table) (UINT64_C(1) << (table))
static const uint64_t texts = BIT(FLM_PERFETTO_CATEGORY) | BIT(FLM_PERFETTO_EVENT_NAME) |
                              BIT(FLM_PERFETTO_ANNOTATION_NAME) | BIT(FLM_PERFETTO_FUNCTION_NAME) |
                              BIT(FLM_PERFETTO_BUILD_ID) | BIT(FLM_PERFETTO_PATH) |
                              BIT(FLM_PERFETTO_SOURCE_PATH) | BIT(FLM_PERFETTO_ANNOTATION_TEXT) |
                              BIT(FLM_PERFETTO_STRING) | BIT(FLM_PERFETTO_GPU_SPECIFICATION);
static const uint64_t messages = BIT(FLM_PERFETTO_FRAME) | BIT(FLM_PERFETTO_CALLSTACK) |
                                 BIT(FLM_PERFETTO_MAPPING) | BIT(FLM_PERFETTO_TASK) |
                                 BIT(FLM_PERFETTO_COUNTER);

struct flm_perfetto_item *flm_perfetto_find(const struct flm_perfetto_sequence *s, uint32_t table,
                                            uint64_t iid)
{
    uint32_t index = flm_perfetto_find_key(&s->keys, iid, table);
    return index == FLM_NONE ? NULL : &s->items.at[index];
}

void flm_perfetto_intern(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint32_t table,
                         struct flm_bytes message)
{
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    struct flm_bytes kept = texts >> table & 1 ? flm_perfetto_text(&f, 2) : message;
    struct flm_perfetto_item item = {.made = FLM_NONE, .start = s->bytes.size, .size = kept.size};
    uint64_t iid = flm_perfetto_number(&f, 1);
    struct flm_perfetto_item *known = flm_perfetto_find(s, table, iid);
    /* Some writers repeat the whole table now and then. */
    if (known && flm_bytes_equal(flm_perfetto_bytes_of(s, known), kept))
        return;
    flm_text_add(&s->bytes, kept);
    if (s->bytes.failed)
        flm_perfetto_no_memory(p);
    if (known)
        *known = item;
    else
        flm_perfetto_entry(p, &s->keys, iid, table, &s->items, &item, sizeof item);
}

void flm_perfetto_read_interned(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                struct flm_bytes message)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    while (!flm_perfetto_stopped(p) && flm_wire_next(&m))
        if (m.field < FLM_PERFETTO_STRING && (texts | messages) >> m.field & 1 &&
            m.type == FLM_WIRE_BYTES)
            flm_perfetto_intern(p, s, m.field, m.bytes);
}

uint32_t flm_perfetto_name(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint32_t table,
                           uint64_t iid)
{
    struct flm_perfetto_item *item = flm_perfetto_find(s, table, iid);
    if (!item)
        item = flm_perfetto_find(s, FLM_PERFETTO_STRING, iid);
    if (!item)
        return 0;
    if (item->made == FLM_NONE)
        item->made = flm_perfetto_string(p, flm_perfetto_bytes_of(s, item));
    return item->made;
}

double *flm_perfetto_total(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint64_t track)
{
    struct flm_perfetto_item item = {0};
    uint32_t index =
        flm_perfetto_entry(p, &s->keys, track, FLM_PERFETTO_TOTAL, &s->items, &item, sizeof item);
    return index == FLM_NONE ? NULL : &s->items.at[index].total;
}

/* ---- Defaults -------------------------------------------------------------------------------- */

static void read_tracks(struct flm_perfetto *p, struct flm_bytes message, uint32_t field,
                        struct flm_perfetto_numbers *to)
{
    struct flm_perfetto_list list = flm_perfetto_list_of(p, message, field, false);
    uint64_t uuid;
    while (flm_perfetto_next_number(&list, &uuid))
        flm_perfetto_push(p, to, &uuid, sizeof uuid);
}

void flm_perfetto_read_defaults(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                struct flm_bytes message)
{
    enum { EVENTS = 11, SAMPLES = 12 };
    struct flm_perfetto_fields f, inner;
    clear_defaults(s);
    flm_perfetto_read(p, message, &f);
    s->clock = flm_perfetto_number(&f, 58);
    struct flm_bytes events = flm_perfetto_text(&f, EVENTS);
    flm_perfetto_read(p, events, &inner);
    s->track = flm_perfetto_number(&inner, 11);
    read_tracks(p, events, 31, &s->counters);
    read_tracks(p, events, 45, &s->double_counters);
    flm_perfetto_read(p, flm_perfetto_text(&f, SAMPLES), &inner);
    if (flm_perfetto_has(&inner, 1))
        s->metric = flm_perfetto_perf_metric(p, flm_perfetto_text(&inner, 1));
}
