/* arguments.c - reads "args" of an event: ids of GPU work, numbers of counters, names, parts of CPU
 * profiles; and copies them as a text for names and markers. */
#include "format/trace/internal.h"

/* ---- A copy of the arguments ----------------------------------------------------------------- */

static bool is_plain(char byte)
{
    return (unsigned char)byte >= 0x20 && byte != '"' && byte != '\\';
}

/* Most texts are plain, and short. */
static bool add_plain(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_plain(text.at[i]))
            return false;
    char *to = flm_text_reserve(out, text.size + 2);
    if (!to)
        return false;
    to[0] = to[text.size + 1] = '"';
    memcpy(to + 1, text.at, text.size);
    out->size += text.size + 2;
    return true;
}

static void add_quoted(struct flm_text *out, struct flm_bytes text)
{
    if (add_plain(out, text))
        return;
    flm_text_putc(out, '"');
    for (size_t at = 0; at < text.size; at++) {
        size_t first = at;
        while (at < text.size && is_plain(text.at[at]))
            at++;
        flm_text_add(out, (struct flm_bytes){text.at + first, at - first});
        if (at == text.size)
            break;
        unsigned char byte = (unsigned char)text.at[at];
        if (byte < 0x20)
            flm_text_format(out, "\\u00%c%x", byte < 0x10 ? '0' : '1', byte & 15u);
        else {
            flm_text_putc(out, '\\');
            flm_text_putc(out, text.at[at]);
        }
    }
    flm_text_putc(out, '"');
}

/* The copy is only shown, never read again: it ends after about this many bytes. */
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

/* Copies the next value, without blanks. One that is nested too deeply becomes null. */
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
        flm_builder_fail_memory(t->builder);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Reads a part of a CPU profile: the members of "data", or of "cpuProfile" inside it. Other members
 * are added to the copy, which may be NULL; the tables of the profile are not. */
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

/* The id that GPU work and its launch share; -1: the value is no id. */
static int64_t correlation_of(enum flm_json_type type, double number)
{
    return type == FLM_JSON_TYPE_NUMBER && number >= 0 && number < FLM_EXACT_LIMIT ? (int64_t)number
                                                                                   : -1;
}

/* JAX and TensorFlow write it as a text. */
static int64_t correlation_of_text(struct flm_bytes text)
{
    int64_t number = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || number > INT64_MAX / 20)
            return -1;
        number = 10 * number + (text.at[i] - '0');
    }
    return text.size > 0 ? number : -1;
}

/* What PyTorch's allocators say is a moment, whose numbers are those of a counter. */
static bool has_numbers(const struct flm_trace *t)
{
    const struct flm_trace_event *e = &t->event;
    return e->phase == 'C' || e->phase == 0 ||
           (e->phase == 'i' &&
            flm_bytes_are(flm_interner_text(&t->builder->interner, e->name), "[memory]"));
}

/* Takes an argument that is a text or a number; `text` is the number as it is written. */
static void use_argument(struct flm_trace *t, struct flm_bytes key, enum flm_json_type type,
                         struct flm_bytes text, double number)
{
    struct flm_trace_event *e = &t->event;
    bool is_number = type == FLM_JSON_TYPE_NUMBER;
    if (flm_bytes_are(key, "correlation")) {
        e->correlation = correlation_of(type, number);
    } else if (flm_bytes_are(key, "correlation_id")) {
        e->correlation = is_number ? correlation_of(type, number) : correlation_of_text(text);
    } else if (flm_bytes_are(key, "kernel_details") || flm_bytes_are(key, "memcpy_details") ||
               flm_bytes_are(key, "memset_details")) {
        e->is_work = true;
    } else if (flm_bytes_are(key, "External id") || flm_bytes_are(key, "external id") ||
               flm_bytes_are(key, "External Id")) {
        e->external = correlation_of(type, number);
    } else if (flm_bytes_are(key, "name")) {
        e->named = flm_builder_string(t->builder, text.at, text.size).index;
    } else if (flm_bytes_are(key, "detail") && !is_number) {
        e->detail = flm_builder_string(t->builder, text.at, text.size).index;
    } else if (flm_bytes_are(key, "url") && !is_number) {
        e->url = flm_builder_string(t->builder, text.at, text.size).index;
    } else if (flm_bytes_are(key, "line") && is_number) {
        e->line = number >= 1 && number < UINT32_MAX ? (uint32_t)number : 0;
    } else if (is_number && t->options->keep_times && has_numbers(t)) {
        uint32_t name = flm_builder_string(t->builder, key.at, key.size).index;
        if (!FLM_ARRAY_ADD(&e->numbers, (struct flm_trace_number){name, number}))
            flm_builder_fail_memory(t->builder);
    }
}

/* Reads an argument and adds it to the copy, which may be NULL. */
static void read_argument(struct flm_trace *t, struct flm_bytes key, struct flm_text *copy)
{
    struct flm_bytes text;
    struct flm_json_number number;
    enum flm_json_type type = flm_json_type(&t->json);
    t->event.argument_count++;
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

void flm_trace_read_arguments(struct flm_trace *t)
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
        flm_builder_fail_memory(t->builder);
}
