#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/trace/internal.h"
#include "profile/internal.h"

static void fail_memory(struct flm_trace *t)
{
    flm_builder_fail_memory(t->builder);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* A string, or a number as it is written; empty for anything else. */
static void read_text(struct flm_trace *t, struct flm_text *out)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(&t->json);
    if (type == FLM_JSON_TYPE_STRING)
        flm_json_string(&t->json, &text);
    else if (type == FLM_JSON_TYPE_NUMBER && flm_json_number(&t->json, &number))
        text = number.text;
    out->size = 0;
    flm_text_add(out, text);
    if (out->failed)
        fail_memory(t);
}

static uint32_t read_string(struct flm_trace *t)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(&t->json);
    if (type == FLM_JSON_TYPE_STRING)
        flm_json_string(&t->json, &text);
    else if (type == FLM_JSON_TYPE_NUMBER && flm_json_number(&t->json, &number))
        text = number.text;
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

/* Decimal microseconds in nanoseconds. Doubles would not do: those since 1970 have steps of 0.25
 * us. */
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
    switch (flm_json_type(&t->json)) {
    case FLM_JSON_TYPE_NUMBER:
        return flm_json_number(&t->json, &number) && parse_us(number.text, ns);
    case FLM_JSON_TYPE_STRING:
        return flm_json_string(&t->json, &text) && parse_us(text, ns);
    default:
        return false;
    }
}

/* ---- A copy of the arguments ----------------------------------------------------------------- */

static void add_quoted(struct flm_text *out, struct flm_bytes text)
{
    flm_text_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        if (byte == '"' || byte == '\\')
            flm_text_putc(out, '\\');
        if (byte < 0x20)
            flm_text_format(out, "\\u00%c%x", byte < 0x10 ? '0' : '1', byte & 15u);
        else
            flm_text_putc(out, (char)byte);
    }
    flm_text_putc(out, '"');
}

/* The copy is for people, and is not read again: what is behind this many bytes is left out. */
enum { MOST_COPIED = 4000 };

static bool is_copied(const struct flm_text *copy)
{
    return copy && copy->size <= MOST_COPIED;
}

static void copy_key(struct flm_text *copy, struct flm_bytes key)
{
    if (copy->size > 0 && copy->at[copy->size - 1] != '{')
        flm_text_putc(copy, ',');
    add_quoted(copy, key);
    flm_text_putc(copy, ':');
}

static void copy_value(struct flm_trace *t, struct flm_text *out, int level);

static void copy_items(struct flm_trace *t, struct flm_text *out, int level)
{
    bool is_first = true;
    flm_text_putc(out, '[');
    flm_json_enter_array(&t->json);
    for (; flm_json_next_item(&t->json); is_first = false) {
        if (!is_copied(out)) {
            flm_json_leave(&t->json);
            break;
        }
        if (!is_first)
            flm_text_putc(out, ',');
        copy_value(t, out, level + 1);
    }
    flm_text_putc(out, ']');
}

static void copy_members(struct flm_trace *t, struct flm_text *out, int level)
{
    struct flm_bytes key;
    flm_text_putc(out, '{');
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key)) {
        if (!is_copied(out)) {
            flm_json_leave(&t->json);
            break;
        }
        copy_key(out, key);
        copy_value(t, out, level + 1);
    }
    flm_text_putc(out, '}');
}

/* Copies the next value, without blanks. What is too deep is passed over. */
static void copy_value(struct flm_trace *t, struct flm_text *out, int level)
{
    enum { MOST_LEVELS = 16 };
    struct flm_bytes text;
    struct flm_json_number number;
    bool is_true;
    enum flm_json_type type = flm_json_type(&t->json);
    if (level == MOST_LEVELS)
        type = FLM_JSON_TYPE_NULL;
    switch (type) {
    case FLM_JSON_TYPE_OBJECT:
        copy_members(t, out, level);
        break;
    case FLM_JSON_TYPE_ARRAY:
        copy_items(t, out, level);
        break;
    case FLM_JSON_TYPE_STRING:
        if (flm_json_string(&t->json, &text))
            add_quoted(out, text);
        break;
    case FLM_JSON_TYPE_NUMBER:
        if (flm_json_number(&t->json, &number))
            flm_text_add(out, number.text);
        break;
    case FLM_JSON_TYPE_BOOL:
        if (flm_json_bool(&t->json, &is_true))
            flm_text_puts(out, is_true ? "true" : "false");
        break;
    default:
        flm_text_puts(out, "null");
        flm_json_skip(&t->json);
        break;
    }
    if (out->failed)
        fail_memory(t);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* What a part of a CPU profile has, in "data" or in its "cpuProfile". The other members are added
 * to the copy, which may be NULL; the tables of a profile are nothing for people. */
static void read_profile_data(struct flm_trace *t, bool is_inner, struct flm_text *copy)
{
    struct flm_json *json = &t->json;
    struct flm_v8_profile *data = &t->event.data;
    struct flm_bytes key;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key) && !flm_trace_stopped(t)) {
        enum flm_json_type type = flm_json_type(json);
        bool is_array = type == FLM_JSON_TYPE_ARRAY;
        if (flm_bytes_are(key, "cpuProfile") && type == FLM_JSON_TYPE_OBJECT && !is_inner) {
            t->event.has_data = true;
            read_profile_data(t, true, NULL);
        } else if (flm_bytes_are(key, "timeDeltas") && is_array) {
            t->event.has_data = true;
            flm_v8_read_deltas(data, json);
        } else if (flm_bytes_are(key, "startTime") && type == FLM_JSON_TYPE_NUMBER) {
            struct flm_json_number number;
            t->event.has_data = true;
            if (!flm_json_number(json, &number))
                return;
            data->start_us = number.value;
            if (is_copied(copy)) {
                copy_key(copy, key);
                flm_text_add(copy, number.text);
            }
        } else if (flm_bytes_are(key, "lines") && is_array) {
            flm_v8_read_lines(data, json);
        } else if (is_inner && is_array && flm_bytes_are(key, "nodes")) {
            flm_v8_read_nodes(data, json);
        } else if (is_inner && is_array && flm_bytes_are(key, "samples")) {
            flm_v8_read_samples(data, json);
        } else if (is_copied(copy)) {
            copy_key(copy, key);
            copy_value(t, copy, 2);
        }
    }
}

/* The number that links work of a GPU to its launch; -1 for what is no such number. */
static int64_t correlation_of(enum flm_json_type type, double number)
{
    return type == FLM_JSON_TYPE_NUMBER && number >= 0 && number < FLM_EXACT_LIMIT ? (int64_t)number
                                                                                   : -1;
}

/* An argument that is a text or a number: `text` is how it is written. */
static void use_argument(struct flm_trace *t, struct flm_bytes key, enum flm_json_type type,
                         struct flm_bytes text, double number)
{
    struct flm_trace_event *e = &t->event;
    bool is_number = type == FLM_JSON_TYPE_NUMBER;
    if (flm_bytes_are(key, "correlation")) {
        e->correlation = correlation_of(type, number);
    } else if (flm_bytes_are(key, "External id") || flm_bytes_are(key, "external id") ||
               flm_bytes_are(key, "External Id")) {
        e->external = correlation_of(type, number);
    } else if (flm_bytes_are(key, "name")) {
        e->named = flm_builder_string(t->builder, text.at, text.size).index;
    } else if (flm_bytes_are(key, "url") && !is_number) {
        e->url = flm_builder_string(t->builder, text.at, text.size).index;
    } else if (flm_bytes_are(key, "line") && is_number) {
        e->line = number >= 1 && number < UINT32_MAX ? (uint32_t)number : 0;
    } else if (is_number && (e->phase == 'C' || e->phase == 0) && t->options->keep_times) {
        uint32_t name = flm_builder_string(t->builder, key.at, key.size).index;
        if (!FLM_ARRAY_ADD(&e->numbers, (struct flm_trace_number){name, number}))
            fail_memory(t);
    }
}

/* Reads an argument, and adds it to the copy, which may be NULL. */
static void read_argument(struct flm_trace *t, struct flm_bytes key, struct flm_text *copy)
{
    struct flm_bytes text;
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(&t->json);
    if (is_copied(copy))
        copy_key(copy, key);
    else
        copy = NULL;
    if (type == FLM_JSON_TYPE_NUMBER) {
        if (!flm_json_number(&t->json, &number))
            return;
        use_argument(t, key, type, number.text, number.value);
        if (copy)
            flm_text_add(copy, number.text);
    } else if (type == FLM_JSON_TYPE_STRING) {
        if (!flm_json_string(&t->json, &text))
            return;
        use_argument(t, key, type, text, 0);
        if (copy)
            add_quoted(copy, text);
    } else if (flm_bytes_are(key, "data") && type == FLM_JSON_TYPE_OBJECT) {
        if (copy)
            flm_text_putc(copy, '{');
        read_profile_data(t, false, copy);
        if (copy)
            flm_text_putc(copy, '}');
    } else if (copy) {
        copy_value(t, copy, 1);
    }
}

static bool is_marker_phase(char phase)
{
    return phase && memchr("iIRnbeSFTp", phase, 10);
}

static void read_arguments(struct flm_trace *t)
{
    struct flm_trace_event *e = &t->event;
    struct flm_bytes key;
    if (flm_json_type(&t->json) != FLM_JSON_TYPE_OBJECT || e->phase == 'E' || e->phase == 's' ||
        e->phase == 'f' || e->phase == 't')
        return;
    bool is_text = t->options->lines ||
                   (t->options->keep_times && (e->phase == 0 || is_marker_phase(e->phase)));
    struct flm_text *copy = is_text ? &e->args : NULL;
    if (copy) {
        copy->size = 0;
        flm_text_putc(copy, '{');
    }
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key) && !flm_trace_stopped(t))
        read_argument(t, key, copy);
    if (!copy)
        return;
    flm_text_putc(copy, '}');
    if (copy->failed)
        fail_memory(t);
}

/* ---- What becomes of an event ---------------------------------------------------------------- */

static bool has_category(const struct flm_trace_event *e, const char *const *categories)
{
    for (; *categories; categories++)
        if (flm_bytes_are((struct flm_bytes){e->category.at, e->category.size}, *categories))
            return true;
    return false;
}

/* Work of a GPU, and what else a GPU's stream has, in the words of Kineto and of its
 * predecessors. */
static const char *const gpu_work[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel",
                                       "Memcpy", "Memset",     NULL};
static const char *const spans[] = {"gpu_user_annotation", "cuda_sync", "Trace", NULL};

static uint32_t make_frame(struct flm_trace *t, uint32_t kind)
{
    struct flm_trace_event *e = &t->event;
    struct flm_builder *b = t->builder;
    struct flm_frame_record frame = {
        .function = e->name, .file = e->url, .line = e->url ? e->line : 0, .kind = kind};
    if (frame.function == 0)
        frame.function = flm_builder_string(b, "(unnamed)", 9).index;
    if (e->category.size > 0)
        frame.module = flm_builder_string(b, e->category.at, e->category.size).index;
    if (t->options->lines && e->args.size > 2 && e->url == 0) {
        struct flm_text name = {0};
        flm_text_add(&name, flm_interner_text(&b->interner, frame.function));
        flm_text_putc(&name, ' ');
        flm_text_add(&name, (struct flm_bytes){e->args.at, e->args.size});
        if (name.failed)
            fail_memory(t);
        else
            frame.function = flm_builder_string(b, name.at, name.size).index;
        flm_text_clear(&name);
    }
    return flm_builder_frame(b, &frame).index;
}

static void add_marker(struct flm_trace *t, int64_t time_ns, int64_t duration_ns, uint32_t name,
                       uint32_t detail, uint32_t thread)
{
    if (!t->options->keep_times)
        return;
    struct flm_trace_marker marker = {time_ns, duration_ns, name, detail, thread};
    if (!FLM_ARRAY_ADD(&t->markers, marker))
        fail_memory(t);
}

/* The arguments as a text, where they are short enough to be read. */
static uint32_t make_detail(struct flm_trace *t)
{
    enum { MOST_SIZE = 400 };
    const struct flm_text *args = &t->event.args;
    return args->size > 2 && args->size < MOST_SIZE
               ? flm_builder_string(t->builder, args->at, args->size).index
               : 0;
}

static void add_gpu(struct flm_trace *t, uint32_t thread)
{
    const struct flm_trace_event *e = &t->event;
    struct flm_trace_gpu gpu = {
        e->time_ns, e->duration_ns, e->correlation, e->external, make_frame(t, FLM_KIND_GPU),
        thread};
    if (!FLM_ARRAY_ADD(&t->gpu, gpu))
        fail_memory(t);
}

static void add_call(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_event *e = &t->event;
    struct flm_call call = {.time_ns = e->time_ns, .name = e->name, .mark = FLM_NONE};
    if (e->phase == 'X') {
        if (e->duration_ns < 0) {
            e->duration_ns = 0;
            t->negative++;
        }
        if (has_category(e, gpu_work)) {
            add_gpu(t, thread);
            return;
        }
        if (has_category(e, spans)) {
            add_marker(t, e->time_ns, e->duration_ns, e->name, 0, thread);
            return;
        }
        call.duration_ns = e->duration_ns;
    } else {
        call.duration_ns = e->phase == 'B' ? FLM_CALL_BEGIN : FLM_CALL_END;
    }
    if (e->phase == 'E') {
        if (e->name == 0)
            call.name = FLM_NONE;
    } else {
        call.frame = make_frame(t, FLM_KIND_PLAIN);
        if (e->correlation >= 0 || e->external >= 0) {
            struct flm_trace_launch launch = {e->correlation, e->external, FLM_NONE};
            call.mark = (uint32_t)t->launches.count;
            if (!FLM_ARRAY_ADD(&t->launches, launch))
                fail_memory(t);
        }
    }
    if (!FLM_ARRAY_ADD(&t->threads.at[thread].calls, call))
        fail_memory(t);
}

static uint64_t async_key(const struct flm_trace_event *e)
{
    return flm_mix(e->id ^ flm_hash(e->category.at, e->category.size),
                   flm_hash(e->process.at, e->process.size) | 1);
}

/* The entry of the index with that key: its item is the innermost open event, or one that was. */
static bool find_open(const struct flm_trace *t, uint64_t key, size_t *slot)
{
    struct flm_probe at = flm_index_probe(&t->open_index, (uint32_t)key);
    while (flm_index_next(&t->open_index, &at))
        if (t->open.at[at.found].key == key) {
            *slot = (at.slot + t->open_index.slot_count - 1) & (t->open_index.slot_count - 1);
            return true;
        }
    return false;
}

static void add_async(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_event *e = &t->event;
    uint64_t key = async_key(e);
    size_t slot;
    bool found = find_open(t, key, &slot);
    if (e->phase == 'b' || e->phase == 'S') {
        struct flm_trace_open open = {key, e->time_ns, e->name, make_detail(t), thread, FLM_NONE};
        uint32_t index = (uint32_t)t->open.count;
        if (found)
            open.outer = t->open_index.slots[slot].item;
        if (!FLM_ARRAY_ADD(&t->open, open))
            fail_memory(t);
        else if (found)
            t->open_index.slots[slot].item = index;
        else if (!flm_index_add(&t->open_index, (uint32_t)key, index))
            fail_memory(t);
        return;
    }
    struct flm_trace_open *open = found ? &t->open.at[t->open_index.slots[slot].item] : NULL;
    if (!open || open->time_ns == FLM_NO_TIME) {
        t->without_begin++;
        return;
    }
    int64_t duration =
        e->time_ns > open->time_ns ? flm_trace_duration(t, open->time_ns, e->time_ns) : 0;
    add_marker(t, open->time_ns, duration, open->name, open->detail, open->thread);
    if (open->outer != FLM_NONE)
        t->open_index.slots[slot].item = open->outer;
    open->time_ns = FLM_NO_TIME;
}

static void add_counter(struct flm_trace *t, uint32_t thread)
{
    struct flm_builder *b = t->builder;
    for (size_t i = 0; i < t->event.numbers.count; i++) {
        const struct flm_trace_number *number = &t->event.numbers.at[i];
        struct flm_bytes key = flm_interner_text(&b->interner, number->key);
        uint32_t name = t->event.name;
        if (!flm_bytes_are(key, "value") && number->key != name) {
            struct flm_text text = {0};
            flm_text_add(&text, flm_interner_text(&b->interner, name));
            flm_text_putc(&text, ' ');
            flm_text_add(&text, key);
            if (text.failed)
                fail_memory(t);
            else
                name = flm_builder_string(b, text.at, text.size).index;
            flm_text_clear(&text);
        }
        struct flm_trace_point point = {t->event.time_ns, number->value, name, thread};
        if (!FLM_ARRAY_ADD(&t->points, point))
            fail_memory(t);
    }
}

static void add_metadata(struct flm_trace *t, uint32_t thread)
{
    struct flm_bytes name = flm_interner_text(&t->builder->interner, t->event.name);
    if (t->event.named == 0)
        return;
    if (flm_bytes_are(name, "process_name"))
        flm_trace_name_process(t, thread, t->event.named);
    else if (flm_bytes_are(name, "thread_name"))
        t->threads.at[thread].name = t->event.named;
}

/* ---- Parts of CPU profiles ------------------------------------------------------------------- */

#define APPEND(to, from)                                                                           \
    (FLM_ARRAY_RESERVE(to, (from)->count) &&                                                       \
     ((from)->count == 0 ||                                                                        \
      memcpy((to)->at + (to)->count, (from)->at, (from)->count * sizeof *(to)->at)) &&             \
     ((to)->count += (from)->count, true))

static void append_profile(struct flm_trace *t, struct flm_v8_profile *to,
                           struct flm_v8_profile *part)
{
    for (size_t i = 0; i < part->edges.count; i++)
        part->edges.at[i].from += (uint32_t)to->nodes.count;
    for (size_t i = 0; i < part->nodes.count; i++)
        part->nodes.at[i].ticks += (uint32_t)to->ticks.count;
    if (!APPEND(&to->nodes, &part->nodes) || !APPEND(&to->edges, &part->edges) ||
        !APPEND(&to->ticks, &part->ticks) || !APPEND(&to->samples, &part->samples) ||
        !APPEND(&to->deltas, &part->deltas) || !APPEND(&to->lines, &part->lines))
        fail_memory(t);
    if (part->start_us != 0)
        to->start_us = part->start_us;
}

static void add_profile_part(struct flm_trace *t, uint32_t thread, bool begins)
{
    const struct flm_trace_event *e = &t->event;
    uint64_t key = flm_mix(flm_hash(e->process.at, e->process.size) ^ 1,
                           (e->id ? e->id : flm_hash(e->thread.at, e->thread.size) ^ 2) | 1);
    struct flm_probe at = flm_index_probe(&t->cpu_profile_index, (uint32_t)key);
    bool found = false;
    while (!found && flm_index_next(&t->cpu_profile_index, &at))
        found = t->cpu_profiles.at[at.found].key == key;
    uint32_t index = found ? at.found : (uint32_t)t->cpu_profiles.count;
    struct flm_trace_cpu_profile profile = {key, thread, {.builder = t->builder}};
    if (!found && (!FLM_ARRAY_ADD(&t->cpu_profiles, profile) ||
                   !flm_index_add(&t->cpu_profile_index, (uint32_t)key, index))) {
        fail_memory(t);
        return;
    }
    if (begins)
        t->cpu_profiles.at[index].thread = thread;
    append_profile(t, &t->cpu_profiles.at[index].profile, &t->event.data);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void begin_event(struct flm_trace *t)
{
    struct flm_trace_event *e = &t->event;
    e->phase = 0;
    e->has_time = e->has_duration = e->has_data = false;
    e->time_ns = e->duration_ns = 0;
    e->name = e->stack = e->named = e->url = e->line = 0;
    e->correlation = e->external = -1;
    e->id = 0;
    e->process.size = e->thread.size = e->category.size = e->args.size = 0;
    e->numbers.count = 0;
    struct flm_v8_profile *data = &e->data;
    data->builder = t->builder;
    data->nodes.count = data->edges.count = data->ticks.count = 0;
    data->samples.count = data->deltas.count = data->lines.count = 0;
    data->start_us = 0;
}

static void read_member(struct flm_trace *t, struct flm_bytes key)
{
    struct flm_trace_event *e = &t->event;
    struct flm_bytes text;
    enum flm_json_type type;
    if (flm_bytes_are(key, "ph")) {
        if (flm_json_type(&t->json) == FLM_JSON_TYPE_STRING && flm_json_string(&t->json, &text))
            e->phase = text.size > 0 ? *text.at : 0;
    } else if (flm_bytes_are(key, "ts")) {
        e->has_time = read_time(t, &e->time_ns);
    } else if (flm_bytes_are(key, "dur")) {
        e->has_duration = read_time(t, &e->duration_ns);
    } else if (flm_bytes_are(key, "tdur")) {
        if (!e->has_duration)
            read_time(t, &e->duration_ns);
    } else if (flm_bytes_are(key, "name")) {
        e->name = read_string(t);
    } else if (flm_bytes_are(key, "pid")) {
        read_text(t, &e->process);
    } else if (flm_bytes_are(key, "tid")) {
        read_text(t, &e->thread);
    } else if (flm_bytes_are(key, "cat")) {
        read_text(t, &e->category);
    } else if (flm_bytes_are(key, "args")) {
        read_arguments(t);
    } else if (flm_bytes_are(key, "sf")) {
        e->stack = read_string(t);
    } else if (flm_bytes_are(key, "id")) {
        type = flm_json_type(&t->json);
        if (type == FLM_JSON_TYPE_STRING && flm_json_string(&t->json, &text))
            e->id = hash_text(text);
        else if (type == FLM_JSON_TYPE_NUMBER) {
            struct flm_json_number number;
            if (flm_json_number(&t->json, &number))
                e->id = hash_text(number.text);
        }
    } else if (flm_bytes_are(key, "id2") && flm_json_type(&t->json) == FLM_JSON_TYPE_OBJECT) {
        flm_json_enter_object(&t->json);
        while (flm_json_next_key(&t->json, &text)) /* "local" or "global" */
            if (flm_json_type(&t->json) == FLM_JSON_TYPE_STRING && flm_json_string(&t->json, &text))
                e->id = hash_text(text);
    }
}

static void add_sample(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_sample sample = {t->event.time_ns, thread, t->event.stack};
    if (!FLM_ARRAY_ADD(&t->samples, sample))
        fail_memory(t);
}

static bool is_named(const struct flm_trace *t, const char *name)
{
    return flm_bytes_are(flm_interner_text(&t->builder->interner, t->event.name), name);
}

static void add_event(struct flm_trace *t)
{
    struct flm_trace_event *e = &t->event;
    uint32_t thread = flm_trace_find_thread(t);
    if (flm_builder_failed(t->builder))
        return;
    if (e->has_data) {
        bool begins = is_named(t, "Profile") || is_named(t, "CpuProfile");
        if (begins || is_named(t, "ProfileChunk")) {
            add_profile_part(t, thread, begins);
            return;
        }
    }
    if (e->phase == 'M') {
        add_metadata(t, thread);
        return;
    }
    if (!e->has_time) {
        t->without_time += e->phase && memchr("BEXiIRbeSFCP", e->phase, 12);
        return;
    }
    switch (e->phase) {
    case 'B':
    case 'E':
    case 'X':
        add_call(t, thread);
        break;
    case 'P':
        if (e->stack)
            add_sample(t, thread);
        break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        add_marker(t, e->time_ns, 0, e->name, make_detail(t), thread);
        break;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        if (t->options->keep_times)
            add_async(t, thread);
        break;
    case 'C':
        add_counter(t, thread);
        break;
    default:
        t->other_count++;
        break;
    }
}

void flm_trace_read_event(struct flm_trace *t, bool is_sample)
{
    struct flm_bytes key;
    if (flm_json_type(&t->json) != FLM_JSON_TYPE_OBJECT) {
        flm_json_skip(&t->json);
        return;
    }
    begin_event(t);
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key) && !flm_trace_stopped(t))
        read_member(t, key);
    if (flm_trace_stopped(t))
        return;
    t->event_count++;
    if (!is_sample) {
        add_event(t);
    } else if (t->event.has_time && t->event.stack) {
        uint32_t thread = flm_trace_find_thread(t);
        add_sample(t, thread);
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
            continue; /* the first one of an id counts */
        uint32_t index = (uint32_t)t->stack_frames.count;
        if (!FLM_ARRAY_ADD(&t->stack_frames, frame) ||
            !flm_index_add(&t->stack_frame_index, flm_hash_numbers(frame.id, 0), index))
            fail_memory(t);
    }
}
