/* log.c - the JSON of `node --prof-process --preprocess`, which is made of V8's log (--prof).
 *
 *     {"code": [{"name": "main /srv/app.js:3:14", "type": "JS", "kind": "Opt", "func": 0}, ...],
 *      "functions": [...],
 *      "ticks": [{"tm": 1250, "vm": 0, "s": [2, 4, -1, 6]}, ...]}
 *
 * A stack is leaf first, and has two numbers a frame: of the code that ran, and one of the C++
 * stack beside it, -1 where either is shorter. The first of each is an index of `code`; a larger
 * number is an address. Times are microseconds, and a tick has the time since the one before it:
 * this is what speedscope shows, and so are the names: "(builtin) Add", "(c++) malloc".
 *
 * Ticks are sorted by time, and may precede the code: they are kept, 4 bytes a frame. */
#include "base/core/sort.h"
#include "base/number/number.h"
#include "format/core/json_head.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

struct tick {
    double time_us;
    size_t first, count; /* in `stacks` */
};

struct code {
    uint32_t name, type, kind; /* strings of the builder */
};

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    struct FLM_ARRAY(struct code) code;
    struct FLM_ARRAY(uint32_t) frames; /* by code; FLM_NONE: not made yet */
    struct FLM_ARRAY(struct tick) ticks;
    struct FLM_ARRAY(double) stacks; /* indices and addresses, root first */
    struct FLM_ARRAY(struct flm_frame) stack;
};

static bool stopped(const struct reading *r)
{
    return r->json.failed || flm_builder_failed(r->builder);
}

static double read_number(struct flm_json *json)
{
    struct flm_json_number number = {{"", 0}, 0};
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
        flm_json_number(json, &number);
    return number.value;
}

static uint32_t read_string(struct reading *r)
{
    struct flm_bytes text;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_STRING || !flm_json_string(&r->json, &text))
        return 0;
    return flm_builder_string(r->builder, text.at, text.size).index;
}

static void read_code(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !stopped(r)) {
        struct code code = {0};
        if (flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT) {
            flm_json_enter_object(&r->json);
            while (flm_json_next_key(&r->json, &key)) {
                if (flm_bytes_are(key, "name"))
                    code.name = read_string(r);
                else if (flm_bytes_are(key, "type"))
                    code.type = read_string(r);
                else if (flm_bytes_are(key, "kind"))
                    code.kind = read_string(r);
            }
        }
        if (!stopped(r) && (!FLM_ARRAY_ADD(&r->code, code) || !FLM_ARRAY_ADD(&r->frames, FLM_NONE)))
            flm_builder_fail_memory(r->builder);
    }
}

/* Keeps the first number of each pair, in the order from the root. */
static void read_stack(struct reading *r, struct tick *tick)
{
    r->stacks.count = tick->first;
    flm_json_enter_array(&r->json);
    for (size_t i = 0; flm_json_next_item(&r->json) && !stopped(r); i++) {
        double number = read_number(&r->json);
        if (!FLM_ARRAY_ADD(&r->stacks, number))
            flm_builder_fail_memory(r->builder);
    }
    /* speedscope takes every second number from the last but one on, down to the first. */
    size_t size = r->stacks.count - tick->first;
    double *at = r->stacks.at ? r->stacks.at + tick->first : NULL;
    size_t kept = 0;
    for (size_t i = size % 2; i + 1 < size; i += 2)
        if (at[i] >= 0)
            at[kept++] = at[i];
    for (size_t i = 0, j = kept; i + 1 < j; i++) {
        double number = at[i];
        at[i] = at[--j];
        at[j] = number;
    }
    tick->count = kept;
    r->stacks.count = tick->first + kept;
}

static void read_ticks(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !stopped(r)) {
        struct tick tick = {0, r->stacks.count, 0};
        flm_json_enter_object(&r->json);
        while (flm_json_next_key(&r->json, &key)) {
            if (flm_bytes_are(key, "tm"))
                tick.time_us = read_number(&r->json);
            else if (flm_bytes_are(key, "s"))
                read_stack(r, &tick);
        }
        if (!stopped(r) && !FLM_ARRAY_ADD(&r->ticks, tick))
            flm_builder_fail_memory(r->builder);
    }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool is_name_byte(char byte, bool in_file)
{
    char lower = (char)(byte | 0x20);
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '.' ||
           byte == '_' || byte == '-' || byte == '$' || (in_file && byte == '/');
}

/* The number behind the last ':' of [0, *end), which moves before it; false where there is none. */
static bool take_number(struct flm_bytes text, size_t *end, uint64_t *number)
{
    size_t from = *end;
    while (from > 0 && text.at[from - 1] >= '0' && text.at[from - 1] <= '9')
        from--;
    if (from == *end || from == 0 || text.at[from - 1] != ':' ||
        !flm_number_parse_uint((struct flm_bytes){text.at + from, *end - from}, number))
        return false;
    *end = from - 1;
    return true;
}

/* FUNCTION FILE:LINE:COLUMN */
static bool make_js_frame(struct reading *r, struct flm_bytes name, struct flm_frame *frame)
{
    uint64_t line, column;
    size_t end = name.size;
    if (!take_number(name, &end, &column) || !take_number(name, &end, &line))
        return false;
    size_t file = end;
    while (file > 0 && is_name_byte(name.at[file - 1], true))
        file--;
    if (file == 0 || name.at[file - 1] != ' ')
        return false;
    size_t function = file - 1;
    while (function > 0 && is_name_byte(name.at[function - 1], false))
        function--;
    struct flm_builder *b = r->builder;
    /* The builder may move its texts, of which `name` is one. */
    struct flm_text copy = {0};
    flm_text_add(&copy, name);
    if (copy.failed) {
        flm_builder_fail_memory(b);
        return true;
    }
    uint32_t url = flm_builder_string(b, copy.at + file, end - file).index;
    uint32_t text = flm_builder_string(b, copy.at + function, file - 1 - function).index;
    flm_text_clear(&copy);
    *frame = flm_v8_frame(b, text, url, line > 0 ? (int64_t)(line & INT32_MAX) - 1 : -1,
                          (int64_t)(line & INT64_MAX));
    return true;
}

/* What precedes the name, by type and kind. */
static const char *prefix_of(struct flm_bytes type, struct flm_bytes kind)
{
    static const char *const kinds[][2] = {{"LoadIC", "(IC) "},
                                           {"StoreIC", "(IC) "},
                                           {"KeyedStoreIC", "(IC) "},
                                           {"KeyedLoadIC", "(IC) "},
                                           {"LoadGlobalIC", "(IC) "},
                                           {"Handler", "(IC) "},
                                           {"BytecodeHandler", "(bytecode) ~"},
                                           {"Stub", "(stub) "},
                                           {"Builtin", "(builtin) "},
                                           {"RegExp", "(regexp) "}};
    if (flm_bytes_are(type, "SHARED_LIB"))
        return "(LIB) ";
    for (size_t i = 0; flm_bytes_are(type, "CODE") && i < sizeof kinds / sizeof *kinds; i++)
        if (flm_bytes_are(kind, kinds[i][0]))
            return kinds[i][1];
    return "";
}

/* The name of a C++ function in `nm`'s line: behind "t " or "T ", up to its arguments. */
static struct flm_bytes cpp_name(struct flm_bytes name, bool *found)
{
    for (size_t i = 0; i + 1 < name.size; i++) {
        if ((name.at[i] != 't' && name.at[i] != 'T') || name.at[i + 1] != ' ')
            continue;
        size_t end = i + 2;
        while (end < name.size && name.at[end] != '(' && name.at[end] != '<')
            end++;
        *found = true;
        return (struct flm_bytes){name.at + i + 2, end - i - 2};
    }
    return name;
}

static struct flm_frame named_frame(struct reading *r, const char *prefix, struct flm_bytes name)
{
    struct flm_text text = {0};
    flm_text_puts(&text, prefix);
    flm_text_add(&text, name);
    struct flm_frame frame = {0};
    if (text.failed)
        flm_builder_fail_memory(r->builder);
    else
        frame = flm_builder_function(r->builder, text.at ? text.at : "", text.size);
    flm_text_clear(&text);
    return frame;
}

static struct flm_frame make_frame(struct reading *r, const struct code *code)
{
    struct flm_interner *v = &r->builder->interner;
    struct flm_bytes name = flm_interner_text(v, code->name);
    struct flm_bytes type = flm_interner_text(v, code->type);
    struct flm_frame frame;
    bool found = false;
    if (type.size == 0)
        return named_frame(r, "(unknown type)", (struct flm_bytes){"", 0});
    if (flm_bytes_are(type, "JS") && make_js_frame(r, name, &frame))
        return frame;
    if (flm_bytes_are(type, "CPP")) {
        name = cpp_name(name, &found);
        return named_frame(r, found ? "(c++) " : "", name);
    }
    return named_frame(r, prefix_of(type, flm_interner_text(v, code->kind)), name);
}

static struct flm_frame frame_of(struct reading *r, double number)
{
    if (number < (double)r->code.count) {
        uint32_t *frame = &r->frames.at[(size_t)number];
        if (*frame == FLM_NONE)
            *frame = make_frame(r, &r->code.at[(size_t)number]).index;
        return (struct flm_frame){*frame};
    }
    struct flm_text name = {0};
    uint64_t address = number < 9223372036854775808.0 ? (uint64_t)number : 0;
    flm_text_format(&name, "0x%llx", (unsigned long long)address);
    struct flm_frame_record record = {.address = address, .flags = FLM_FRAME_UNSYMBOLIZED};
    if (name.failed)
        flm_builder_fail_memory(r->builder);
    else
        record.function = flm_builder_string(r->builder, name.at, name.size).index;
    flm_text_clear(&name);
    return flm_builder_frame(r->builder, &record);
}

/* ---- Ticks ----------------------------------------------------------------------------------- */

static int compare_ticks(const void *context, uint32_t a, uint32_t b)
{
    const struct tick *ticks = context;
    return (ticks[a].time_us > ticks[b].time_us) - (ticks[a].time_us < ticks[b].time_us);
}

static void add_tick(struct reading *r, const struct tick *tick, double last_us,
                     struct flm_metric metric, bool keep_times)
{
    r->stack.count = 0;
    for (size_t i = 0; i < tick->count && !stopped(r); i++)
        if (!FLM_ARRAY_ADD(&r->stack, frame_of(r, r->stacks.at[tick->first + i])))
            flm_builder_fail_memory(r->builder);
    double value = tick->time_us - last_us;
    if (stopped(r) || tick->count == 0 || !(value > 0))
        return;
    struct flm_node node = flm_builder_stack(r->builder, r->stack.at, r->stack.count);
    if (!keep_times || !(value < 4503599627370496.0) ||
        !(last_us > -4503599627370496.0 && last_us < 4503599627370496.0)) {
        flm_builder_add(r->builder, node, metric, value);
        return;
    }
    flm_builder_sample(r->builder, (int64_t)(last_us * 1000), node, (struct flm_label_set){0},
                       metric, value);
    flm_builder_sample_lasts(r->builder, (int64_t)(value * 1000));
}

static void add_ticks(struct reading *r, bool keep_times)
{
    struct flm_metric metric = flm_builder_metric(r->builder, "time", "us");
    size_t count = r->ticks.count;
    uint32_t *order = count < UINT32_MAX / 2 ? malloc((2 * count + 1) * sizeof *order) : NULL;
    if (!order) {
        flm_builder_fail_memory(r->builder);
        return;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    flm_sort(order, count, order + count, compare_ticks, r->ticks.at);
    double last_us = 0;
    for (size_t i = 0; i < count && !stopped(r); i++) {
        const struct tick *tick = &r->ticks.at[order[i]];
        add_tick(r, tick, last_us, metric, keep_times);
        last_us = tick->time_us;
    }
    free(order);
}

static bool read_log(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder};
    struct flm_bytes key;
    bool has_ticks = false;
    flm_json_init(&r.json, source, why);
    flm_json_enter_object(&r.json);
    while (flm_json_next_key(&r.json, &key) && !stopped(&r)) {
        if (flm_bytes_are(key, "code")) {
            read_code(&r);
        } else if (flm_bytes_are(key, "ticks")) {
            read_ticks(&r);
            has_ticks = true;
        }
    }
    bool good = true;
    if (flm_builder_failed(builder)) /* flm_builder_finish reports it */
        flm_json_clear(&r.json);
    else
        good = flm_json_finish(&r.json);
    if (good && !flm_builder_failed(builder)) {
        if (has_ticks)
            add_ticks(&r, options->keep_times);
        else
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no ticks");
    }
    FLM_ARRAY_CLEAR(&r.code);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.ticks);
    FLM_ARRAY_CLEAR(&r.stacks);
    FLM_ARRAY_CLEAR(&r.stack);
    return good;
}

static int sniff_log(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_json_head_begins(head, '{'))
        return FLM_SNIFF_NO;
    if (flm_json_head_has(head, "code") && flm_json_head_has(head, "type") &&
        (flm_json_head_has(head, "SHARED_LIB") || flm_json_head_has(head, "JS") ||
         flm_json_head_has(head, "CPP") || flm_json_head_has(head, "CODE")))
        return FLM_SNIFF_LIKELY + 10;
    return flm_json_head_has(head, "ticks") && flm_json_head_has(head, "tm") &&
                   flm_json_head_has(head, "s")
               ? FLM_SNIFF_LIKELY
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_v8log = {
    .name = "v8log",
    .title = "V8 log",
    .extensions = ".v8log.json",
    .description = "the output of node --prof-process --preprocess",
    .has_times = true,
    .sniff = sniff_log,
    .read = read_log,
};
