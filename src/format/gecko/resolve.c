#include "format/gecko/resolve.h"

#include <stdlib.h>

#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/text.h"
#include "format/core/units.h"
#include "format/gecko/location.h"
#include "profile/internal.h"

enum { NEWEST_KNOWN = 75 };

/* What is known of a function from all of its frames. */
enum { HAS_CALLED = 1, HAS_INLINED = 2, HAS_KERNEL = 4, HAS_OTHER = 8 };

/* The frames and stacks of one set of tables. */
struct stacks {
    const struct flm_gecko_tables *tables;
    uint32_t *frames;      /* of the builder, by frame; FLM_NONE: not made yet */
    unsigned char *traits; /* by function */
    int32_t *categories;   /* by stack; UNKNOWN_CATEGORY */
    uint32_t *nodes;       /* by stack, for the thread of the same round */
    uint32_t *rounds;
    size_t frame_count, func_count, stack_count;
    uint32_t round;
};

enum { UNKNOWN_CATEGORY = -2 }; /* not looked up yet; -1: it has none */

struct resolving {
    const struct flm_gecko_profile *p;
    const struct flm_gecko_process *process;
    const struct flm_gecko_thread *thread;
    const struct flm_gecko_strings *strings;
    const struct flm_read_options *options;
    struct flm_builder *builder;
    struct flm_error *why;
    struct stacks *stacks; /* of the thread */
    struct stacks shared;
    double shift_ms; /* from the clock of the process to that of the first */

    struct FLM_ARRAY(uint32_t) path;          /* working memory: stacks up to one that is known */
    struct FLM_ARRAY(uint32_t) category_sets; /* label sets by category + 1; FLM_NONE */
    struct FLM_ARRAY(uint32_t) libs;          /* the order of `sorted_libs` by address */
    const struct flm_gecko_lib *sorted_libs;
    struct flm_text name;
    struct flm_metric metrics[3]; /* of the thread's samples: weight, time, CPU */
    bool has[3];
    uint64_t without_stack;
};

static struct flm_bytes text(const struct resolving *r, uint32_t index)
{
    return flm_gecko_string(&r->p->texts, index);
}

static const struct flm_gecko_column *column(const struct flm_gecko_tables *tables,
                                             enum flm_gecko_column_name name)
{
    return &tables->columns[name];
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool refuse(struct resolving *r, const char *what, size_t row, const char *wrong)
{
    struct flm_bytes name = text(r, r->thread->name);
    return flm_error_set(r->why, FLM_ERROR_FORMAT, "thread '%.*s': %s %zu %s", (int)name.size,
                         name.at, what, row, wrong);
}

static bool no_memory(struct resolving *r)
{
    return flm_error_memory(r->why);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static struct flm_bytes category_name(const struct resolving *r, int32_t category)
{
    if (category < 0 || (size_t)category >= r->process->categories.count)
        return (struct flm_bytes){"", 0};
    return text(r, r->process->categories.at[category].name);
}

static void stacks_clear(struct stacks *s)
{
    free(s->frames);
    free(s->traits);
    free(s->categories);
    free(s->nodes);
    free(s->rounds);
    *s = (struct stacks){0};
}

/* Notes how each function is met in the frames. */
static void note_traits(const struct resolving *r, struct stacks *s)
{
    const struct flm_gecko_tables *t = s->tables;
    for (size_t i = 0; i < s->frame_count; i++) {
        int32_t func = flm_gecko_index(column(t, FLM_GECKO_FRAME_FUNC), i);
        if (func < 0 || (size_t)func >= s->func_count)
            continue;
        int32_t category = flm_gecko_index(column(t, FLM_GECKO_FRAME_CATEGORY), i);
        bool is_kernel = flm_bytes_are(category_name(r, category), "Kernel");
        bool is_inlined = flm_gecko_index(column(t, FLM_GECKO_FRAME_INLINE_DEPTH), i) > 0;
        s->traits[func] |= (unsigned char)((is_kernel ? HAS_KERNEL : HAS_OTHER) |
                                           (is_inlined ? HAS_INLINED : HAS_CALLED));
    }
}

static bool stacks_init(struct resolving *r, struct stacks *s, const struct flm_gecko_tables *t)
{
    *s = (struct stacks){.tables = t};
    s->frame_count =
        larger(column(t, FLM_GECKO_FRAME_FUNC)->count, column(t, FLM_GECKO_FRAME_LOCATION)->count);
    s->func_count = column(t, FLM_GECKO_FUNC_NAME)->count;
    s->stack_count = column(t, FLM_GECKO_STACK_FRAME)->count;
    s->frames = malloc((s->frame_count + 1) * sizeof *s->frames);
    s->traits = calloc(s->func_count + 1, 1);
    s->nodes = malloc((s->stack_count + 1) * sizeof *s->nodes);
    s->rounds = calloc(s->stack_count + 1, sizeof *s->rounds);
    s->categories = malloc((s->stack_count + 1) * sizeof *s->categories);
    if (!s->categories || !s->frames || !s->traits || !s->nodes || !s->rounds) {
        stacks_clear(s);
        return no_memory(r);
    }
    memset(s->frames, -1, s->frame_count * sizeof *s->frames);
    for (size_t i = 0; i < s->stack_count; i++)
        s->categories[i] = UNKNOWN_CATEGORY;
    note_traits(r, s);
    return true;
}

static uint32_t string_of(struct resolving *r, struct flm_bytes bytes)
{
    return bytes.size > 0 ? flm_builder_string(r->builder, bytes.at, bytes.size).index : 0;
}

static const struct flm_gecko_lib *lib_of(const struct resolving *r, int32_t lib)
{
    const struct flm_gecko_libs *libs =
        r->thread->libs.count > 0 ? &r->thread->libs : &r->process->libs;
    return lib >= 0 && (size_t)lib < libs->count ? &libs->at[lib] : NULL;
}

static int order_libs(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_gecko_libs *libs = context;
    uint64_t first = libs->at[a].start, second = libs->at[b].start;
    return first != second ? (first > second) - (first < second) : (a < b) - (a > b);
}

/* The library that was mapped at an address, and the address in it. */
static const struct flm_gecko_lib *lib_at(struct resolving *r, uint64_t *address)
{
    const struct flm_gecko_libs *libs =
        r->thread->libs.count > 0 ? &r->thread->libs : &r->process->libs;
    uint32_t count = (uint32_t)libs->count, low = 0, high = count;
    if (count > 0 && r->sorted_libs != libs->at) {
        r->libs.count = 0;
        if (!FLM_ARRAY_RESERVE(&r->libs, 2 * (size_t)count)) {
            flm_builder_fail_memory(r->builder);
            return NULL;
        }
        for (uint32_t i = 0; i < count; i++)
            r->libs.at[i] = i;
        flm_sort(r->libs.at, count, r->libs.at + count, order_libs, libs);
        r->sorted_libs = libs->at;
    }
    while (low < high) { /* the last one that begins at the address or before it */
        uint32_t middle = low + (high - low) / 2;
        if (libs->at[r->libs.at[middle]].start <= *address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct flm_gecko_lib *lib = low > 0 ? &libs->at[r->libs.at[low - 1]] : NULL;
    if (!lib || *address >= lib->end)
        return NULL;
    *address -= lib->start - lib->offset;
    return lib;
}

static void set_lib(struct resolving *r, const struct flm_gecko_lib *lib,
                    struct flm_frame_record *record)
{
    if (lib)
        record->module = string_of(r, text(r, lib->name ? lib->name : lib->debug_name));
}

/* The library of a frame: its own, since version 70, or that of its function's resource, or the
 * name of that resource, if it is one of a library. */
static void set_module(struct resolving *r, const struct flm_gecko_tables *t, size_t frame,
                       int32_t func, struct flm_frame_record *record)
{
    const int32_t library = 1;
    int32_t resource = flm_gecko_index(column(t, FLM_GECKO_FUNC_RESOURCE), (size_t)func);
    const struct flm_gecko_lib *lib =
        lib_of(r, flm_gecko_index(column(t, FLM_GECKO_FRAME_LIB), frame));
    if (!lib && resource >= 0)
        lib = lib_of(r, flm_gecko_index(column(t, FLM_GECKO_RESOURCE_LIB), (size_t)resource));
    set_lib(r, lib, record);
    if (!lib && resource >= 0 &&
        flm_gecko_index(column(t, FLM_GECKO_RESOURCE_TYPE), (size_t)resource) == library)
        record->module = string_of(
            r, flm_gecko_string(r->strings, flm_gecko_index(column(t, FLM_GECKO_RESOURCE_NAME),
                                                            (size_t)resource)));
}

static struct flm_bytes file_of(const struct resolving *r, const struct flm_gecko_tables *t,
                                int32_t func)
{
    int32_t source = flm_gecko_index(column(t, FLM_GECKO_FUNC_SOURCE), (size_t)func);
    int32_t file = flm_gecko_index(column(t, FLM_GECKO_FUNC_FILE), (size_t)func);
    if (source >= 0)
        file = flm_gecko_index(column(&r->process->shared, FLM_GECKO_SOURCE_FILE), (size_t)source);
    return flm_gecko_string(r->strings, file);
}

static uint32_t line_at(const struct flm_gecko_column *lines, size_t i)
{
    int32_t line = flm_gecko_index(lines, i);
    return line > 0 ? (uint32_t)line : 0;
}

static bool processed_frame(struct resolving *r, size_t i, struct flm_frame_record *record)
{
    const struct stacks *s = r->stacks;
    const struct flm_gecko_tables *t = s->tables;
    int32_t func = flm_gecko_index(column(t, FLM_GECKO_FRAME_FUNC), i);
    if (func < 0 || (size_t)func >= s->func_count)
        return refuse(r, "frame", i, "has a function that is not in the table of functions");
    int32_t name = flm_gecko_index(column(t, FLM_GECKO_FUNC_NAME), (size_t)func);
    if (name < 0 || (size_t)name >= r->strings->ends.count)
        return refuse(r, "function", (size_t)func,
                      "has a name that is not in the array of strings");
    struct flm_bytes function = flm_gecko_string(r->strings, name);
    bool is_js = flm_gecko_index(column(t, FLM_GECKO_FUNC_IS_JS), (size_t)func) > 0;
    struct flm_bytes file = file_of(r, t, func);
    record->line = line_at(column(t, FLM_GECKO_FUNC_LINE), (size_t)func);
    if (is_js && file.size == 0) {
        /* The first versions had the file in the name, as unprocessed profiles have. */
        struct flm_gecko_location location;
        flm_gecko_location_parse(function, &location);
        if (location.is_js && location.name.size > 0) {
            function = location.name;
            file = location.file;
            record->line = location.line;
        }
    }
    record->function = string_of(r, function);
    set_module(r, t, i, func, record);
    record->file = string_of(r, file);
    if (r->options->lines && line_at(column(t, FLM_GECKO_FRAME_LINE), i) > 0)
        record->line = line_at(column(t, FLM_GECKO_FRAME_LINE), i);
    unsigned traits = s->traits[func];
    if (!is_js)
        record->kind = (traits & HAS_KERNEL) && !(traits & HAS_OTHER)     ? FLM_KIND_KERNEL
                       : (traits & HAS_INLINED) && !(traits & HAS_CALLED) ? FLM_KIND_INLINED
                       : record->module                                   ? FLM_KIND_NATIVE
                                                                          : FLM_KIND_PLAIN;
    uint64_t address;
    if (flm_gecko_is_address(function, &address)) {
        double relative = flm_gecko_value(column(t, FLM_GECKO_FRAME_ADDRESS), i);
        record->flags = FLM_FRAME_UNSYMBOLIZED;
        record->address = relative >= 0 && relative < 9223372036854775808.0 && record->module
                              ? (uint64_t)relative
                              : address;
    }
    return true;
}

static bool unprocessed_frame(struct resolving *r, size_t i, struct flm_frame_record *record)
{
    const struct flm_gecko_tables *t = r->stacks->tables;
    struct flm_gecko_location location;
    int32_t index = flm_gecko_index(column(t, FLM_GECKO_FRAME_LOCATION), i);
    if (index < 0 || (size_t)index >= r->strings->ends.count)
        return refuse(r, "frame", i, "has a location that is not in the table of strings");
    flm_gecko_location_parse(flm_gecko_string(r->strings, index), &location);
    r->name.size = 0;
    if (location.is_js && location.name.size == 0) {
        flm_text_puts(&r->name, "(root scope) ");
        flm_text_add(&r->name, location.file);
        location.name = (struct flm_bytes){r->name.at, r->name.size};
    }
    if (r->name.failed)
        return no_memory(r);
    record->function = string_of(r, location.name);
    record->module = string_of(r, location.module);
    record->file = string_of(r, location.file);
    record->line = location.line;
    if (r->options->lines && line_at(column(t, FLM_GECKO_FRAME_LINE), i) > 0)
        record->line = line_at(column(t, FLM_GECKO_FRAME_LINE), i);
    if (location.is_address) {
        set_lib(r, lib_at(r, &location.address), record);
        record->address = location.address;
        record->flags = FLM_FRAME_UNSYMBOLIZED;
    }
    record->kind = record->module ? FLM_KIND_NATIVE : FLM_KIND_PLAIN;
    return true;
}

/* The builder's frame of row `i`, or FLM_NONE. */
static uint32_t frame_of(struct resolving *r, int32_t i)
{
    struct stacks *s = r->stacks;
    if (s->frames[i] == FLM_NONE) {
        struct flm_frame_record record = {0};
        bool is_processed = column(s->tables, FLM_GECKO_FRAME_FUNC)->count > 0;
        if (!(is_processed ? processed_frame(r, (size_t)i, &record)
                           : unprocessed_frame(r, (size_t)i, &record)))
            return FLM_NONE;
        s->frames[i] = flm_builder_frame(r->builder, &record).index;
    }
    return s->frames[i];
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* The caller of a stack; -1: it has none, -2: it is not in the table. */
static int32_t prefix_of(const struct stacks *s, int32_t stack)
{
    const struct flm_gecko_column *offsets = column(s->tables, FLM_GECKO_STACK_PREFIX_OFFSET);
    const struct flm_gecko_column *prefixes = column(s->tables, FLM_GECKO_STACK_PREFIX);
    if (offsets->count > 0) {
        double offset = flm_gecko_value(offsets, (size_t)stack);
        if (!(offset != 0))
            return -1;
        return offset > 0 && offset <= stack && (double)(int32_t)offset == offset
                   ? stack - (int32_t)offset
                   : -2;
    }
    double prefix = flm_gecko_value(prefixes, (size_t)stack);
    if (prefix != prefix || prefix == -1)
        return -1;
    int32_t index = flm_gecko_index(prefixes, (size_t)stack);
    return index >= 0 && (size_t)index < s->stack_count ? index : -2;
}

/* The node of a stack below the thread's. */
static bool node_of(struct resolving *r, struct flm_node thread, int32_t stack,
                    struct flm_node *node)
{
    struct stacks *s = r->stacks;
    r->path.count = 0;
    *node = thread;
    for (int32_t at = stack, prefix; at >= 0; at = prefix) {
        if (s->rounds[at] == s->round) {
            *node = (struct flm_node){s->nodes[at]};
            break;
        }
        prefix = prefix_of(s, at);
        if (r->path.count > s->stack_count)
            return refuse(r, "stack", (size_t)stack, "is its own caller");
        if (prefix == -2)
            return refuse(r, "stack", (size_t)at,
                          "has a caller that is not in the table of stacks");
        if (!FLM_ARRAY_ADD(&r->path, (uint32_t)at))
            return no_memory(r);
    }
    while (r->path.count > 0) {
        uint32_t at = r->path.at[--r->path.count];
        int32_t row = flm_gecko_index(column(s->tables, FLM_GECKO_STACK_FRAME), at);
        if (row < 0 || (size_t)row >= s->frame_count)
            return refuse(r, "stack", at, "has a frame that is not in the table of frames");
        uint32_t frame = frame_of(r, row);
        if (frame == FLM_NONE)
            return false;
        *node = flm_builder_child(r->builder, *node, (struct flm_frame){frame});
        s->nodes[at] = node->index;
        s->rounds[at] = s->round;
    }
    return true;
}

/* The category of a stack that node_of has found: of the innermost frame that has one. It is kept
 * for all stacks on the way, of which each is passed once. */
static int32_t category_of(const struct stacks *s, int32_t stack)
{
    int32_t at = stack, category = -1;
    for (; at >= 0 && s->categories[at] == UNKNOWN_CATEGORY; at = prefix_of(s, at)) {
        int32_t frame = flm_gecko_index(column(s->tables, FLM_GECKO_STACK_FRAME), (size_t)at);
        category = flm_gecko_index(column(s->tables, FLM_GECKO_FRAME_CATEGORY), (size_t)frame);
        if (category >= 0)
            break;
        category = -1;
    }
    if (at >= 0 && s->categories[at] != UNKNOWN_CATEGORY)
        category = s->categories[at];
    for (int32_t i = stack; i >= 0 && s->categories[i] == UNKNOWN_CATEGORY; i = prefix_of(s, i)) {
        s->categories[i] = category;
        if (i == at)
            break;
    }
    return category;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void add_label(struct resolving *r, struct flm_string *pairs, size_t *count, const char *key,
                      struct flm_bytes value)
{
    if (value.size == 0)
        return;
    pairs[(*count)++] = flm_builder_string(r->builder, key, strlen(key));
    pairs[(*count)++] = flm_builder_string(r->builder, value.at, value.size);
}

static struct flm_label_set make_labels(struct resolving *r, struct flm_bytes category)
{
    struct flm_string pairs[10];
    size_t count = 0;
    const struct flm_gecko_thread *t = r->thread;
    add_label(r, pairs, &count, "process", text(r, t->pid));
    add_label(r, pairs, &count, "process name",
              text(r, t->process_name ? t->process_name : t->process_type));
    add_label(r, pairs, &count, "thread", text(r, t->tid));
    add_label(r, pairs, &count, "thread name", text(r, t->name));
    add_label(r, pairs, &count, "category", category);
    return flm_builder_label_set(r->builder, pairs, count / 2);
}

/* The labels of the thread's samples in a category; -1: none. */
static struct flm_label_set labels_of(struct resolving *r, int32_t category)
{
    size_t i =
        category >= 0 && (size_t)category < r->process->categories.count ? (size_t)category + 1 : 0;
    uint32_t *set = &r->category_sets.at[i];
    if (*set == FLM_NONE)
        *set = make_labels(r, category_name(r, (int32_t)i - 1)).index;
    return (struct flm_label_set){*set};
}

static bool forget_labels(struct resolving *r)
{
    size_t count = r->process->categories.count + 1;
    r->category_sets.count = 0;
    if (!FLM_ARRAY_RESERVE(&r->category_sets, count))
        return no_memory(r);
    memset(r->category_sets.at, -1, count * sizeof *r->category_sets.at);
    return true;
}

/* Milliseconds of the process as nanoseconds of the profile. */
static int64_t time_ns(const struct resolving *r, double ms)
{
    double ns = (ms + r->shift_ms) * 1e6;
    if (!(ns > -4611686018427387904.0 && ns < 4611686018427387904.0))
        return FLM_NO_TIME;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

/* The node of the thread: with its name, and its number where threads are told apart. */
static struct flm_node thread_node(struct resolving *r)
{
    struct flm_bytes name = text(r, r->thread->name), tid = text(r, r->thread->tid);
    if (flm_bytes_are(name, "Content") && r->thread->process_type == 0)
        name = flm_bytes_of("GeckoMain"); /* so it was called before there were types */
    r->name.size = 0;
    flm_text_add(&r->name, name);
    if (r->options->by_thread && tid.size > 0) {
        flm_text_putc(&r->name, ' ');
        flm_text_add(&r->name, tid);
    }
    struct flm_node root = flm_builder_root(r->builder);
    if (r->thread->has_no_name_frame && !r->options->by_thread)
        return root;
    if (r->name.size == 0 || r->name.failed)
        return root;
    struct flm_frame_record record = {
        .function = string_of(r, (struct flm_bytes){r->name.at, r->name.size}),
        .kind = FLM_KIND_LABEL};
    return flm_builder_child(r->builder, root, flm_builder_frame(r->builder, &record));
}

static struct flm_metric metric(struct resolving *r, struct flm_bytes name, struct flm_bytes unit)
{
    char texts[2][80];
    struct flm_bytes parts[2] = {name, flm_unit_named(unit)};
    for (int i = 0; i < 2; i++) {
        size_t size = parts[i].size < sizeof texts[i] ? parts[i].size : sizeof texts[i] - 1;
        memcpy(texts[i], parts[i].at, size);
        texts[i][size] = 0;
    }
    return flm_builder_metric(r->builder, texts[0], texts[1]);
}

/* The weight's metric is named by its type, as the Firefox Profiler has it. */
static struct flm_metric weight_metric(struct resolving *r)
{
    struct flm_bytes type = text(r, r->thread->weight_type);
    if (r->thread->metric)
        return metric(r, text(r, r->thread->metric), text(r, r->thread->unit));
    if (flm_bytes_are(type, "tracing-ms"))
        return metric(r, type, flm_bytes_of("ms"));
    if (flm_bytes_are(type, "bytes"))
        return metric(r, type, type);
    return metric(r, flm_bytes_of("samples"), flm_bytes_of("samples"));
}

static struct flm_bytes cpu_unit(const struct resolving *r)
{
    struct flm_bytes unit = text(r, r->process->cpu_unit);
    if (flm_bytes_are(unit, "variable CPU cycles"))
        return flm_bytes_of("cycles");
    return unit.size > 0 ? unit : flm_bytes_of("us");
}

/* The times of a table's rows, which are absolute or differences. */
struct clock {
    const struct flm_gecko_column *times, *deltas;
    double next; /* the time of the row that comes next, of differences */
};

static double tick(struct clock *clock, size_t i)
{
    if (clock->times->count > 0)
        return flm_gecko_value(clock->times, i);
    double delta = flm_gecko_value(clock->deltas, i);
    if (delta == delta)
        clock->next += delta;
    return i < clock->deltas->count ? clock->next : delta;
}

/* The samples of the thread: three values each, in as many metrics. */
enum { WEIGHT, TIME, CPU, VALUE_COUNT };

struct sample {
    double time, values[VALUE_COUNT];
    int32_t stack;
};

/* What the samples of one stack sum up to: a sum, and what it lacks to be exact. */
struct stack_sum {
    double sum[VALUE_COUNT], rest[VALUE_COUNT];
    bool is_used;
};

static void add_exactly(double *sum, double *rest, double value)
{
    double total = *sum + value;
    bool is_larger = (*sum < 0 ? -*sum : *sum) >= (value < 0 ? -value : value);
    *rest += is_larger ? *sum - total + value : value - total + *sum;
    *sum = total;
}

static void add_values(struct resolving *r, struct flm_node node, const double *values)
{
    for (int i = 0; i < VALUE_COUNT; i++)
        if (r->has[i] && (i == WEIGHT || values[i] != 0))
            flm_builder_add(r->builder, node, r->metrics[i], values[i]);
}

static void keep_sample(struct resolving *r, struct flm_node node, const struct sample *sample)
{
    bool has_time = !r->thread->has_no_times;
    double ns = has_time ? sample->values[TIME] * 1e6 : 0;
    flm_builder_sample(r->builder, has_time ? time_ns(r, sample->time) : FLM_NO_TIME, node,
                       labels_of(r, category_of(r->stacks, sample->stack)), r->metrics[WEIGHT],
                       sample->values[WEIGHT]);
    if (ns > 0)
        flm_builder_sample_lasts(r->builder, ns < 4611686018427387904.0 ? (int64_t)(ns + 0.5) : 0);
    if (r->has[TIME])
        flm_builder_sample_add(r->builder, r->metrics[TIME], sample->values[TIME]);
    if (r->has[CPU])
        flm_builder_sample_add(r->builder, r->metrics[CPU], sample->values[CPU]);
}

/* Adds a sample: to its stack's sums, if there are any. */
static bool add_sample(struct resolving *r, struct flm_node thread, const struct sample *sample,
                       struct stack_sum *sums)
{
    struct flm_node node;
    if (sums) {
        struct stack_sum *s = &sums[sample->stack];
        for (int i = 0; i < VALUE_COUNT; i++)
            add_exactly(&s->sum[i], &s->rest[i], sample->values[i]);
        s->is_used = true;
        return true;
    }
    if (!node_of(r, thread, sample->stack, &node))
        return false;
    if (r->options->keep_times)
        keep_sample(r, node, sample);
    else
        add_values(r, node, sample->values);
    return true;
}

static bool add_sums(struct resolving *r, struct flm_node thread, const struct stack_sum *sums)
{
    for (size_t i = 0; i < r->stacks->stack_count; i++) {
        struct flm_node node;
        if (!sums[i].is_used)
            continue;
        if (!node_of(r, thread, (int32_t)i, &node))
            return false;
        add_values(r, node, sums[i].sum);
        for (int k = 0; k < VALUE_COUNT; k++)
            if (r->has[k] && sums[i].rest[k] != 0)
                flm_builder_add(r->builder, node, r->metrics[k], sums[i].rest[k]);
    }
    return true;
}

/* A weight; in a file that flamel wrote, as it was before it was made milliseconds: a whole number
 * of nanoseconds again. */
static double weight_at(const struct resolving *r, size_t i)
{
    double weight = flm_gecko_value(column(&r->thread->tables, FLM_GECKO_SAMPLE_WEIGHT), i);
    if (weight != weight)
        return 1;
    if (!(r->thread->scale > 1 && r->thread->scale <= 1e6))
        return weight;
    weight *= r->thread->scale;
    if (!(weight > -4503599627370496.0 && weight < 4503599627370496.0))
        return weight;
    double whole = (double)(int64_t)(weight < 0 ? weight - 0.5 : weight + 0.5);
    double error = weight < whole ? whole - weight : weight - whole;
    return error <= 0x1p-50 * (weight < 0 ? -weight : weight) ? whole : weight;
}

static bool read_samples(struct resolving *r, struct flm_node thread, size_t count,
                         struct clock clock, struct stack_sum *sums)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct flm_gecko_column *stacks = column(t, FLM_GECKO_SAMPLE_STACK),
                                  *cpus = column(t, FLM_GECKO_SAMPLE_CPU);
    double next = tick(&clock, 0);
    for (size_t i = 0; i < count && !flm_builder_failed(r->builder); i++) {
        double time = next, cpu = flm_gecko_value(cpus, i);
        next = i + 1 < count ? tick(&clock, i + 1) : time + r->process->interval;
        struct sample sample = {
            .time = time,
            .values = {weight_at(r, i), next > time ? next - time : 0, cpu == cpu ? cpu : 0},
            .stack = flm_gecko_index(stacks, i)};
        if (sample.stack < 0 || (size_t)sample.stack >= r->stacks->stack_count) {
            double stack = flm_gecko_value(stacks, i);
            if (stack == stack)
                return refuse(r, "sample", i, "has a stack that is not in the table of stacks");
            r->without_stack++;
        } else if (!add_sample(r, thread, &sample, sums)) {
            return false;
        }
    }
    return true;
}

/* Where many samples share few stacks, they are summed up by stack first: adding to a profile jumps
 * in as many columns as there are metrics, and took half of the time. */
static bool add_samples(struct resolving *r, struct flm_node thread)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct clock clock = {.times = column(t, FLM_GECKO_SAMPLE_TIME),
                                .deltas = column(t, FLM_GECKO_SAMPLE_TIME_DELTA)};
    size_t count = larger(column(t, FLM_GECKO_SAMPLE_STACK)->count,
                          larger(clock.times->count, clock.deltas->count));
    double promised = r->thread->promised_samples - (double)count;
    if (promised > 0 && promised < 9007199254740992.0)
        flm_builder_lost(r->builder,
                         "samples that a table has by its length, but not in its columns", "", 0,
                         promised);
    if (count == 0)
        return true;
    r->has[WEIGHT] = true;
    r->metrics[WEIGHT] = weight_metric(r);
    struct flm_bytes name = text(r, r->thread->metric);
    r->has[TIME] = (clock.times->count > 0 || clock.deltas->count > 0) &&
                   !r->thread->has_no_times && !flm_bytes_are(name, "time");
    if (r->has[TIME])
        r->metrics[TIME] = metric(r, flm_bytes_of("time"), flm_bytes_of("ms"));
    r->has[CPU] = column(t, FLM_GECKO_SAMPLE_CPU)->count > 0 && !flm_bytes_are(name, "cpu");
    if (r->has[CPU])
        r->metrics[CPU] = metric(r, flm_bytes_of("cpu"), cpu_unit(r));
    if (r->options->keep_times || count < r->stacks->stack_count)
        return read_samples(r, thread, count, clock, NULL);
    struct stack_sum *sums = calloc(r->stacks->stack_count + 1, sizeof *sums);
    if (!sums)
        return no_memory(r);
    bool good = read_samples(r, thread, count, clock, sums) && add_sums(r, thread, sums);
    free(sums);
    return good;
}

/* Allocations: a table of stacks, times and weights, of which the latter are negative for what is
 * freed. */
static bool add_allocations(struct resolving *r, struct flm_node thread,
                            enum flm_gecko_column_name first, const char *name, const char *freed)
{
    const struct flm_gecko_column *columns = &r->thread->tables.columns[first];
    struct flm_metric metrics[2];
    for (size_t i = 0; i < columns[0].count && !flm_builder_failed(r->builder); i++) {
        double value = flm_gecko_value(&columns[2], i);
        int32_t stack = flm_gecko_index(&columns[0], i);
        struct flm_node node;
        if (stack < 0 || value != value) {
            r->without_stack++;
            continue;
        }
        if ((size_t)stack >= r->stacks->stack_count)
            return refuse(r, "allocation", i, "has a stack that is not in the table of stacks");
        if (!node_of(r, thread, stack, &node))
            return false;
        bool is_freed = value < 0;
        metrics[is_freed] = metric(r, flm_bytes_of(is_freed ? freed : name), flm_bytes_of("bytes"));
        if (r->options->keep_times)
            flm_builder_sample(r->builder, time_ns(r, flm_gecko_value(&columns[1], i)), node,
                               labels_of(r, category_of(r->stacks, stack)), metrics[is_freed],
                               is_freed ? -value : value);
        else
            flm_builder_add(r->builder, node, metrics[is_freed], is_freed ? -value : value);
    }
    return true;
}

/* ---- Markers --------------------------------------------------------------------------------- */

/* Beginnings that have no end yet, by name: the latest, and the one before each. */
struct open_markers {
    uint32_t *latest; /* by string; FLM_NONE */
    uint32_t *before; /* by marker */
};

static void emit_marker(struct resolving *r, size_t i, double start, double end)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    struct flm_builder *b = r->builder;
    struct flm_bytes name =
        flm_gecko_string(r->strings, flm_gecko_index(column(t, FLM_GECKO_MARKER_NAME), i));
    struct flm_bytes detail = {"", 0};
    double at = flm_gecko_value(column(t, FLM_GECKO_MARKER_DETAIL), i);
    if (at >= 0)
        detail = flm_gecko_string(&r->thread->details, (int64_t)at);
    else if (at < 0)
        detail = flm_gecko_string(r->strings, (int64_t)(-1 - at));
    int32_t category = flm_gecko_index(column(t, FLM_GECKO_MARKER_CATEGORY), i);
    int64_t from = time_ns(r, start), to = time_ns(r, end);
    flm_builder_marker(b, from, to > from && from != FLM_NO_TIME ? to - from : 0,
                       flm_builder_string(b, name.at, name.size),
                       flm_builder_string(b, detail.at, detail.size), labels_of(r, category));
}

/* The phase of a marker. Old ones have a time and their data, which may be a beginning, an end, or
 * both times. */
static int phase_of(const struct flm_gecko_tables *t, size_t i, double *start, double *end)
{
    double phase = flm_gecko_value(column(t, FLM_GECKO_MARKER_PHASE), i);
    *start = flm_gecko_value(column(t, FLM_GECKO_MARKER_START), i);
    *end = flm_gecko_value(column(t, FLM_GECKO_MARKER_END), i);
    if (phase >= FLM_GECKO_PHASE_INSTANT && phase <= FLM_GECKO_PHASE_END)
        return (int)phase;
    double time = flm_gecko_value(column(t, FLM_GECKO_MARKER_TIME), i);
    double interval = flm_gecko_value(column(t, FLM_GECKO_MARKER_INTERVAL), i);
    double first = flm_gecko_value(column(t, FLM_GECKO_MARKER_DATA_START), i),
           last = flm_gecko_value(column(t, FLM_GECKO_MARKER_DATA_END), i);
    if (*start == *start)
        return *end == *end ? FLM_GECKO_PHASE_INTERVAL : FLM_GECKO_PHASE_INSTANT;
    *start = *end = time;
    if (interval == interval)
        return (int)interval;
    if (!(first == first && last == last))
        return FLM_GECKO_PHASE_INSTANT;
    *start = first;
    *end = last;
    return FLM_GECKO_PHASE_INTERVAL;
}

static void add_markers(struct resolving *r, struct open_markers *open, size_t count)
{
    const struct flm_gecko_tables *t = &r->thread->tables;
    const struct flm_gecko_column *names = column(t, FLM_GECKO_MARKER_NAME);
    double start, end, last = __builtin_nan("");
    for (size_t i = 0; i < count && !flm_builder_failed(r->builder); i++) {
        int32_t name = flm_gecko_index(names, i);
        int phase = phase_of(t, i, &start, &end);
        bool is_named = name >= 0 && (size_t)name < r->strings->ends.count;
        if (phase == FLM_GECKO_PHASE_END && is_named && open->latest[name] != FLM_NONE) {
            uint32_t first = open->latest[name];
            open->latest[name] = open->before[first];
            open->before[first] = FLM_NONE - 1; /* done */
            double begin, unused;
            phase_of(t, first, &begin, &unused);
            emit_marker(r, first, begin, end);
        } else if (phase == FLM_GECKO_PHASE_START && is_named) {
            open->before[i] = open->latest[name];
            open->latest[name] = (uint32_t)i;
        } else if (phase == FLM_GECKO_PHASE_END) {
            emit_marker(r, i, end, end); /* its beginning was before the recording */
        } else {
            emit_marker(r, i, start, phase == FLM_GECKO_PHASE_INTERVAL ? end : start);
        }
        double latest =
            phase == FLM_GECKO_PHASE_END || phase == FLM_GECKO_PHASE_INTERVAL ? end : start;
        if (!(last >= latest) && latest == latest)
            last = latest;
    }
    /* What never ended lasts until the last marker. */
    for (size_t name = 0; name < r->strings->ends.count; name++)
        for (uint32_t i = open->latest[name]; i != FLM_NONE; i = open->before[i]) {
            phase_of(t, i, &start, &end);
            emit_marker(r, i, start, last);
        }
}

static bool find_markers(struct resolving *r)
{
    size_t count = column(&r->thread->tables, FLM_GECKO_MARKER_NAME)->count;
    if (count == 0 || !r->options->keep_times)
        return true;
    size_t strings = r->strings->ends.count;
    struct open_markers open = {malloc((strings + 1) * sizeof *open.latest),
                                malloc(count * sizeof *open.before)};
    bool good = open.latest && open.before;
    if (good) {
        memset(open.latest, -1, strings * sizeof *open.latest);
        add_markers(r, &open, count);
    }
    free(open.latest);
    free(open.before);
    return good || no_memory(r);
}

/* ---- Counters -------------------------------------------------------------------------------- */

static void add_counter(struct resolving *r, const struct flm_gecko_counter *c)
{
    struct flm_builder *b = r->builder;
    struct flm_bytes category = text(r, c->category), unit = text(r, c->unit),
                     name = text(r, c->name), graph = text(r, c->graph), pid = text(r, c->pid);
    struct clock clock = {.times = &c->columns[0], .deltas = &c->columns[1]};
    /* Memory is counted by its changes; power and the like are amounts since the last time. */
    bool is_memory = flm_bytes_are(category, "Memory");
    bool sums = graph.size > 0 ? flm_bytes_are(graph, "line-accumulated") : is_memory;
    if (unit.size == 0 && (is_memory || flm_bytes_are(category, "Bandwidth")))
        unit = flm_bytes_of("bytes");
    else if (unit.size == 0 && flm_bytes_are(category, "power"))
        unit = flm_bytes_of("pWh");
    struct flm_string pairs[2];
    size_t count = 0;
    add_label(r, pairs, &count, "process", pid);
    struct flm_bytes unit_name = flm_unit_named(unit);
    struct flm_counter counter =
        flm_builder_counter(b, flm_builder_string(b, name.at, name.size),
                            flm_builder_string(b, unit_name.at, unit_name.size),
                            flm_builder_label_set(b, pairs, count / 2));
    double sum = 0;
    for (size_t i = 0; i < c->columns[2].count && !flm_builder_failed(b); i++) {
        double value = flm_gecko_value(&c->columns[2], i), time = tick(&clock, i);
        if (value != value)
            continue;
        sum = sums ? sum + value : value;
        flm_builder_counter_point(b, counter, time_ns(r, time), sum);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool resolve_thread(struct resolving *r)
{
    const struct flm_gecko_thread *t = r->thread;
    struct stacks own = {0};
    bool is_shared = !t->tables.has_stacks;
    r->strings = t->tables.has_strings ? &t->tables.strings : &r->process->shared.strings;
    if (is_shared && !r->shared.frames && !stacks_init(r, &r->shared, &r->process->shared))
        return false;
    if (!is_shared && !stacks_init(r, &own, &t->tables))
        return false;
    r->stacks = is_shared ? &r->shared : &own;
    r->stacks->round++;
    bool good = forget_labels(r);
    if (good) {
        struct flm_node node = thread_node(r);
        good = add_samples(r, node) &&
               add_allocations(r, node, FLM_GECKO_JS_STACK, "jsAllocations", "jsDeallocations") &&
               add_allocations(r, node, FLM_GECKO_NATIVE_STACK, "nativeAllocations",
                               "nativeDeallocations") &&
               find_markers(r);
    }
    stacks_clear(&own);
    return good;
}

static void note(struct resolving *r, const char *key, struct flm_bytes value)
{
    if (value.size > 0)
        flm_builder_note(r->builder, key, value.at, value.size);
}

static void add_two_digits(struct flm_text *out, char before, int64_t value)
{
    flm_text_putc(out, before);
    flm_text_putc(out, (char)('0' + value / 10));
    flm_text_putc(out, (char)('0' + value % 10));
}

/* Days since 1970 as a date. */
static void add_date(struct flm_text *out, int64_t days)
{
    /* From 1 March of the year 0 on, years end with their leap day. */
    days += 719468;
    int64_t era = days / 146097, day = days - era * 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    day = of_year - (153 * month + 2) / 5 + 1;
    month += month < 10 ? 3 : -9;
    flm_text_uint(out, (uint64_t)(year + era * 400 + (month <= 2)));
    add_two_digits(out, '-', month);
    add_two_digits(out, '-', day);
}

static void note_process(struct resolving *r)
{
    const struct flm_gecko_process *process = r->process;
    char storage[64], number[FLM_NUMBER_SIZE];
    struct flm_text out;
    note(r, "product", text(r, process->product));
    note(r, "command", text(r, process->arguments));
    note(r, "system", text(r, process->oscpu));
    note(r, "architecture", text(r, process->abi));
    if (process->interval > 0) {
        flm_text_init_fixed(&out, storage, sizeof storage);
        flm_text_add(&out, (struct flm_bytes){number, flm_number_print(process->interval, number)});
        flm_text_puts(&out, " ms");
        note(r, "interval", (struct flm_bytes){out.at, out.size});
    }
    if (process->start_time > 86400e3 && process->start_time < 1e14) {
        int64_t seconds = (int64_t)(process->start_time / 1000);
        flm_text_init_fixed(&out, storage, sizeof storage);
        add_date(&out, seconds / 86400);
        add_two_digits(&out, 'T', seconds / 3600 % 24);
        add_two_digits(&out, ':', seconds / 60 % 60);
        add_two_digits(&out, ':', seconds % 60);
        flm_text_putc(&out, 'Z');
        note(r, "recorded", (struct flm_bytes){out.at, out.size});
    }
    if (process->processed_version > NEWEST_KNOWN)
        flm_builder_lost(r->builder, "versions of the format newer than 75, read as that one is",
                         "", 0, 1);
}

static bool resolve_process(struct resolving *r, const struct flm_gecko_process *process,
                            double first_start)
{
    r->process = process;
    r->shift_ms =
        process->start_time > 0 && first_start > 0 ? process->start_time - first_start : 0;
    bool good = true;
    for (size_t i = 0; i < process->threads.count && good; i++) {
        r->thread = &process->threads.at[i];
        good = resolve_thread(r);
    }
    stacks_clear(&r->shared);
    for (size_t i = 0; i < process->counters.count && good && r->options->keep_times; i++)
        add_counter(r, &process->counters.at[i]);
    return good;
}

bool flm_gecko_resolve(const struct flm_gecko_profile *profile,
                       const struct flm_read_options *options, struct flm_builder *builder,
                       struct flm_error *why)
{
    struct resolving r = {.p = profile, .options = options, .builder = builder, .why = why};
    size_t threads = 0, last = profile->processes.count;
    for (size_t i = 0; i < last; i++)
        threads += profile->processes.at[i].threads.count;
    if (threads == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "it has no threads");
    bool good = true;
    r.process = &profile->processes.at[last - 1];
    note_process(&r);
    double first_start = r.process->start_time;
    for (size_t i = last; i-- > 0 && good;)
        good = resolve_process(&r, &profile->processes.at[i], first_start);
    if (builder->metric_count == 0) /* nothing was sampled */
        flm_builder_metric(builder, "samples", "samples");
    if (r.without_stack > 0)
        flm_builder_lost(builder, "samples without a stack", "", 0, (double)r.without_stack);
    if (profile->deeper_processes > 0)
        flm_builder_lost(builder, "processes inside processes, deeper than 4", "", 0,
                         (double)profile->deeper_processes);
    FLM_ARRAY_CLEAR(&r.path);
    FLM_ARRAY_CLEAR(&r.category_sets);
    FLM_ARRAY_CLEAR(&r.libs);
    flm_text_clear(&r.name);
    return good;
}
