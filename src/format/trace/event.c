/* event.c - reads an event of a trace, and the table of stack frames. */
#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/trace/internal.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* A string, or a number as it is written; empty for anything else. */
static struct flm_bytes read_bytes(struct flm_trace *t)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(&t->json);
    if (type == FLM_JSON_TYPE_STRING)
        flm_json_string(&t->json, &text);
    else if (type == FLM_JSON_TYPE_NUMBER && flm_json_number(&t->json, &number))
        text = number.text;
    return text;
}

static void read_text(struct flm_trace *t, struct flm_text *out)
{
    struct flm_bytes text = read_bytes(t);
    out->size = 0;
    flm_text_add(out, text);
    if (out->failed)
        flm_builder_fail_memory(t->builder);
}

static uint32_t read_string(struct flm_trace *t)
{
    struct flm_bytes text = read_bytes(t);
    return flm_builder_string(t->builder, text.at, text.size).index;
}

static uint64_t hash_text(struct flm_bytes text)
{
    return flm_hash(text.at, text.size) | 1;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Decimal microseconds in nanoseconds. Doubles are not precise enough: for times since 1970, they
 * are 0.25 us apart. */
static bool parse_us(struct flm_bytes text, int64_t *ns)
{
    enum { MOST_DIGITS = 18 };
    bool is_negative = text.size > 0 && *text.at == '-';
    size_t at = is_negative, first = at;
    int64_t value = 0, unit = 100, rounding = 0;
    for (; at < text.size && at < first + MOST_DIGITS && is_digit(text.at[at]); at++)
        value = value * 10 + (text.at[at] - '0');
    bool is_decimal = at > first && value < INT64_MAX / 1000 - 1;
    value *= is_decimal ? 1000 : 1;
    if (is_decimal && at + 1 < text.size && text.at[at] == '.') {
        for (at++; at < text.size && is_digit(text.at[at]); at++, unit /= 10) {
            value += unit * (text.at[at] - '0');
            if (unit == 0 && rounding == 0)
                rounding = text.at[at] >= '5' ? 1 : -1; /* the fourth digit decides */
        }
    }
    if (is_decimal && at == text.size) {
        value += rounding > 0;
        *ns = is_negative ? -value : value;
        return true;
    }
    double number;
    if (flm_number_parse(text, &number) == FLM_NUMBER_NONE ||
        !(number > -4503599627370496.0 && number < 4503599627370496.0))
        return false;
    number *= 1000;
    *ns = (int64_t)(number < 0 ? number - 0.5 : number + 0.5);
    return true;
}

static bool read_time(struct flm_trace *t, int64_t *ns)
{
    struct flm_bytes text;
    struct flm_json_number number;
    if (flm_json_decimal(&t->json, 3, ns))
        return true;
    switch (flm_json_type(&t->json)) {
    case FLM_JSON_TYPE_NUMBER:
        return flm_json_number(&t->json, &number) && parse_us(number.text, ns);
    case FLM_JSON_TYPE_STRING:
        return flm_json_string(&t->json, &text) && parse_us(text, ns);
    default:
        return false;
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void begin_event(struct flm_trace *t)
{
    struct flm_trace_event *e = &t->event;
    e->phase = 0;
    e->has_time = e->has_duration = e->has_data = false;
    e->time_ns = e->duration_ns = 0;
    e->name = e->stack = e->named = e->url = e->line = e->detail = e->argument_count = 0;
    e->correlation = e->external = -1;
    e->id = 0;
    e->process.size = e->thread.size = e->category.size = e->args.size = 0;
    e->numbers.count = 0;
    e->is_work = false;
    struct flm_v8_profile *data = &e->data;
    data->builder = t->builder;
    data->nodes.count = data->edges.count = data->ticks.count = 0;
    data->samples.count = data->deltas.count = data->lines.count = 0;
    data->start_us = 0;
}

static void read_id(struct flm_trace *t)
{
    struct flm_bytes text = read_bytes(t);
    if (!t->json.failed && text.size > 0)
        t->event.id = hash_text(text);
}

static void read_phase(struct flm_trace *t)
{
    struct flm_bytes text;
    if (flm_json_type(&t->json) == FLM_JSON_TYPE_STRING && flm_json_string(&t->json, &text))
        t->event.phase = text.size > 0 ? *text.at : 0;
}

static void read_line(struct flm_trace *t)
{
    struct flm_json_number line;
    if (flm_json_type(&t->json) == FLM_JSON_TYPE_NUMBER && flm_json_number(&t->json, &line))
        t->event.line = line.value >= 1 && line.value < UINT32_MAX ? (uint32_t)line.value : 0;
}

enum { PH, TS, DUR, TDUR, NAME, PID, TID, CAT, ARGS, SF, ID, ID2, FILE_NAME, LINE, KEY_COUNT };

static const struct flm_bytes event_keys[] = {
    {"ph", 2},  {"ts", 2},   {"dur", 3}, {"tdur", 4}, {"name", 4}, {"pid", 3},  {"tid", 3},
    {"cat", 3}, {"args", 4}, {"sf", 2},  {"id", 2},   {"id2", 3},  {"file", 4}, {"line", 4}};

static void read_member(struct flm_trace *t, size_t key)
{
    struct flm_trace_event *e = &t->event;
    struct flm_bytes text;
    switch (key) {
    case PH:
        read_phase(t);
        break;
    case TS:
        e->has_time = read_time(t, &e->time_ns);
        if (e->has_time && e->time_ns <= INT64_MAX - t->base_ns)
            e->time_ns += t->base_ns;
        break;
    case DUR:
        e->has_duration = read_time(t, &e->duration_ns);
        break;
    case TDUR:
        if (!e->has_duration)
            read_time(t, &e->duration_ns);
        break;
    case NAME:
        e->name = read_string(t);
        break;
    case PID:
        read_text(t, &e->process);
        break;
    case TID:
        read_text(t, &e->thread);
        break;
    case CAT:
        read_text(t, &e->category);
        break;
    case ARGS:
        flm_trace_read_arguments(t);
        break;
    case FILE_NAME:
        e->url = read_string(t);
        break;
    case LINE:
        read_line(t);
        break;
    case SF:
        e->stack = read_string(t);
        break;
    case ID:
        read_id(t);
        break;
    case ID2:
        if (flm_json_type(&t->json) != FLM_JSON_TYPE_OBJECT)
            break;
        flm_json_enter_object(&t->json);
        while (flm_json_next_key(&t->json, &text)) /* "local" or "global" */
            if (flm_json_type(&t->json) == FLM_JSON_TYPE_STRING && flm_json_string(&t->json, &text))
                e->id = hash_text(text);
        break;
    default:
        break;
    }
}

void flm_trace_read_event(struct flm_trace *t, bool is_sample)
{
    size_t key;
    if (flm_json_type(&t->json) != FLM_JSON_TYPE_OBJECT) {
        flm_json_skip(&t->json);
        return;
    }
    t->event_keys.names = event_keys;
    t->event_keys.count = KEY_COUNT;
    begin_event(t);
    flm_json_enter_object(&t->json);
    while ((key = flm_json_next_known_key(&t->json, &t->event_keys)) != FLM_JSON_NO_KEY &&
           !flm_trace_stopped(t))
        read_member(t, key);
    if (flm_trace_stopped(t))
        return;
    t->event_count++;
    if (!is_sample) {
        flm_trace_add_event(t);
    } else if (t->event.has_time && t->event.stack) {
        uint32_t thread = flm_trace_find_thread(t);
        flm_trace_add_sample(t, thread);
    } else {
        t->without_time++;
    }
}

uint32_t flm_trace_find_stack_frame(const struct flm_trace *t, uint32_t id)
{
    struct flm_probe at = flm_index_probe(&t->stack_frame_index, flm_hash_numbers(id, 0));
    while (id && flm_index_next(&t->stack_frame_index, &at))
        if (t->stack_frames.at[at.found].id == id)
            return at.found;
    return FLM_NONE;
}

/* {"5": {"name": "read", "category": "libc.so", "parent": "3"}, ...} */
void flm_trace_read_stack_frames(struct flm_trace *t)
{
    struct flm_bytes key;
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key) && !flm_trace_stopped(t)) {
        struct flm_trace_stack_frame frame = {
            .id = flm_builder_string(t->builder, key.at, key.size).index, .node = FLM_NONE};
        if (flm_json_type(&t->json) != FLM_JSON_TYPE_OBJECT)
            continue;
        flm_json_enter_object(&t->json);
        while (flm_json_next_key(&t->json, &key)) {
            if (flm_bytes_are(key, "name"))
                frame.name = read_string(t);
            else if (flm_bytes_are(key, "parent"))
                frame.parent = read_string(t);
        }
        if (flm_trace_stopped(t))
            return;
        if (flm_trace_find_stack_frame(t, frame.id) != FLM_NONE)
            continue; /* of two with one id, the first counts */
        uint32_t index = (uint32_t)t->stack_frames.count;
        if (!FLM_ARRAY_ADD(&t->stack_frames, frame) ||
            !flm_index_add(&t->stack_frame_index, flm_hash_numbers(frame.id, 0), index))
            flm_builder_fail_memory(t->builder);
    }
}
