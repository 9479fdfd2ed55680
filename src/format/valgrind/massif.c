/* massif.c - massif.out: how much memory a program had, over time, and from where at the peak.
 *
 *     desc: --massif-out-file=massif.out
 *     cmd: ./app
 *     time_unit: i                      instructions; or ms, or B: bytes allocated so far
 *     #-----------
 *     snapshot=3
 *     #-----------
 *     time=5093781
 *     mem_heap_B=100168
 *     mem_heap_extra_B=6080
 *     mem_stacks_B=0
 *     heap_tree=peak                    or detailed, or empty
 *     n2: 100168 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *      n1: 72704 0x48FB7B9: ??? (in /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)
 *       n0: 72704 0x4004A1D: call_init (dl-init.c:74)
 *      n0: 27464 in 3 places, all below massif's threshold (1.00%)
 *
 * The stacks are those of the peak: a tree of callers, where the root is the function that
 * allocates. Where there is no peak (massif was ended early), the largest detailed snapshot stands
 * for it. The sizes of all snapshots are counters; a time that is no time counts its unit as
 * nanoseconds, and a note tells it. */
#include "base/core/array.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "format/core/format.h"
#include "format/valgrind/frame_line.h"

struct entry {
    struct flm_frame frame;
    uint64_t bytes;
    size_t depth;
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_line_reader lines;
    struct FLM_ARRAY(struct entry) tree; /* of the best snapshot so far */
    bool is_peak, is_kept;               /* of that tree; whether entries that come are of it */
    uint64_t tree_bytes;
    uint64_t heap_bytes; /* of the current snapshot */
    int64_t time, scale;
    bool has_snapshot;
    bool is_open;             /* a snapshot, of which "heap_tree=" is still to come */
    int64_t missing;          /* entries that the tree announced, and that are still to come */
    uint64_t snapshot, ticks; /* the number and the time of the current one, as written */
    uint64_t tree_snapshot, tree_ticks;  /* of the tree */
    uint64_t tree_count;                 /* snapshots with stacks */
    const char *unit;                    /* of the ticks */
    struct FLM_ARRAY(struct entry) path; /* a caller of the one before; bytes: without callers */
    struct FLM_ARRAY(struct flm_frame) frames;
};

static bool lose_line(struct reading *r)
{
    flm_builder_lost(r->builder, "malformed lines", "line", r->lines.number, 1);
    return true;
}

/* " n1: 72704 0x48FB7B9: ???": at most one level below the line before it. */
static bool read_entry(struct reading *r, struct flm_bytes line)
{
    struct entry entry = {.depth = (size_t)(flm_find(line.at, line.at + line.size, 'n') - line.at)};
    const char *end = line.at + line.size, *count = line.at + entry.depth + 1;
    const char *colon = flm_find(count, end, ':');
    uint64_t callers;
    if (flm_number_parse_uint((struct flm_bytes){count, (size_t)(colon - count)}, &callers) &&
        callers < UINT32_MAX)
        r->missing += (int64_t)callers - 1;
    if (!r->is_kept)
        return true;
    const char *size = colon + 2, *text = size < end ? flm_find(size, end, ' ') : end;
    if (text >= end ||
        !flm_number_parse_uint((struct flm_bytes){size, (size_t)(text - size)}, &entry.bytes))
        return lose_line(r);
    size_t deepest = r->tree.count ? r->tree.at[r->tree.count - 1].depth + 1 : 0;
    if (entry.depth > deepest)
        return lose_line(r);
    entry.frame =
        flm_valgrind_frame(r->builder, (struct flm_bytes){text + 1, (size_t)(end - text - 1)});
    return FLM_ARRAY_ADD(&r->tree, entry) || flm_error_memory(r->why);
}

static void check_tree(struct reading *r)
{
    if (r->missing > 0)
        flm_builder_lost(r->builder, "callers that are missing (the file is cut off)", "line",
                         r->lines.number, (double)r->missing);
    r->missing = 0;
}

static void begin_tree(struct reading *r, struct flm_bytes kind)
{
    bool is_peak = flm_bytes_are(kind, "peak");
    r->missing = is_peak || flm_bytes_are(kind, "detailed");
    r->tree_count += is_peak || flm_bytes_are(kind, "detailed");
    r->is_kept = is_peak ||
                 (flm_bytes_are(kind, "detailed") && !r->is_peak && r->heap_bytes >= r->tree_bytes);
    if (!r->is_kept)
        return;
    r->tree.count = 0;
    r->tree_bytes = r->heap_bytes;
    r->tree_snapshot = r->snapshot;
    r->tree_ticks = r->ticks;
    r->is_peak = is_peak;
}

static void add_point(struct reading *r, const char *name, uint64_t bytes)
{
    if (!r->options->keep_times)
        return;
    struct flm_builder *b = r->builder;
    struct flm_counter counter =
        flm_builder_counter(b, flm_builder_string(b, name, strlen(name)),
                            flm_builder_string(b, "bytes", 5), (struct flm_label_set){0});
    flm_builder_counter_point(b, counter, r->time, (double)bytes);
}

static void read_unit(struct reading *r, struct flm_bytes unit)
{
    r->scale = flm_bytes_are(unit, "ms") ? 1000000 : 1;
    const char *name = flm_bytes_are(unit, "i")   ? "instructions"
                       : flm_bytes_are(unit, "B") ? "bytes allocated"
                                                  : NULL;
    r->unit = name ? name : "ms";
    if (name)
        flm_builder_note(r->builder, "time unit", name, strlen(name));
}

/* "KEY=VALUE" */
static bool read_value(struct reading *r, struct flm_bytes key, struct flm_bytes value)
{
    uint64_t number;
    if (flm_bytes_are(key, "heap_tree")) {
        r->is_open = false;
        begin_tree(r, value);
        return true;
    }
    if (!flm_number_parse_uint(value, &number))
        return lose_line(r);
    if (flm_bytes_are(key, "snapshot")) {
        check_tree(r);
        r->has_snapshot = r->is_open = true;
        r->is_kept = false;
        r->snapshot = number;
    } else if (flm_bytes_are(key, "time")) {
        r->ticks = number;
        r->time = number < (uint64_t)(INT64_MAX / 1000000) ? (int64_t)number * r->scale : INT64_MAX;
    } else if (flm_bytes_are(key, "mem_heap_B")) {
        r->heap_bytes = number;
        add_point(r, "useful heap", number);
    } else if (flm_bytes_are(key, "mem_heap_extra_B")) {
        add_point(r, "extra heap", number);
    } else if (flm_bytes_are(key, "mem_stacks_B")) {
        add_point(r, "stacks", number);
    }
    return true;
}

static bool read_line(struct reading *r, struct flm_bytes line)
{
    const char *end = line.at + line.size;
    if (line.size == 0 || *line.at == '#')
        return true;
    const char *n = line.at;
    while (n < end && *n == ' ')
        n++;
    if (end - n > 2 && *n == 'n' && n[1] >= '0' && n[1] <= '9')
        return read_entry(r, line);
    const char *equals = flm_find(line.at, end, '='), *colon = flm_find(line.at, end, ':');
    if (colon < equals) {
        struct flm_bytes key = {line.at, (size_t)(colon - line.at)};
        struct flm_bytes value =
            flm_bytes_trimmed((struct flm_bytes){colon + 1, (size_t)(end - colon - 1)});
        if (flm_bytes_are(key, "cmd"))
            flm_builder_note(r->builder, "command", value.at, value.size);
        else if (flm_bytes_are(key, "time_unit"))
            read_unit(r, value);
        return true;
    }
    if (equals == end)
        return lose_line(r);
    return read_value(r, (struct flm_bytes){line.at, (size_t)(equals - line.at)},
                      (struct flm_bytes){equals + 1, (size_t)(end - equals - 1)});
}

/* The innermost entry of the path has all its callers. The bytes that they do not account for are
 * its own. */
static bool leave(struct reading *r, struct flm_metric metric)
{
    uint64_t bytes = r->path.at[r->path.count - 1].bytes;
    r->frames.count = 0;
    if (bytes > 0) {
        for (size_t i = r->path.count; i-- > 0;)
            if (!FLM_ARRAY_ADD(&r->frames, r->path.at[i].frame))
                return flm_error_memory(r->why);
        flm_builder_add(r->builder, flm_builder_stack(r->builder, r->frames.at, r->frames.count),
                        metric, (double)bytes);
    }
    r->path.count--;
    return true;
}

/* "29, the peak, at 47331312 instructions; 7 others have stacks" */
static void note_snapshot(struct reading *r)
{
    char buffer[128];
    struct flm_text text;
    if (r->tree_count == 0)
        return;
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_text_format(&text, "%llu%s, at %llu %s", (unsigned long long)r->tree_snapshot,
                    r->is_peak ? ", the peak" : "", (unsigned long long)r->tree_ticks,
                    r->unit ? r->unit : "");
    if (r->tree_count > 1)
        flm_text_format(&text, "; %llu more with stacks", (unsigned long long)r->tree_count - 1);
    flm_builder_note(r->builder, "snapshot", text.at, text.size);
}

static bool add_stacks(struct reading *r)
{
    struct flm_metric metric = flm_builder_metric(r->builder, "bytes", "bytes");
    for (size_t i = 0; i < r->tree.count; i++) {
        const struct entry *entry = &r->tree.at[i];
        while (r->path.count > entry->depth)
            if (!leave(r, metric))
                return false;
        if (r->path.count > 0) {
            uint64_t *caller = &r->path.at[r->path.count - 1].bytes;
            if (entry->bytes > *caller)
                flm_builder_lost(r->builder, "callers with more bytes than what they call", "", 0,
                                 1);
            *caller -= entry->bytes < *caller ? entry->bytes : *caller;
        }
        if (!FLM_ARRAY_ADD(&r->path, *entry))
            return flm_error_memory(r->why);
    }
    while (r->path.count > 0)
        if (!leave(r, metric))
            return false;
    return true;
}

static bool read_massif(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder,
                        .options = options,
                        .why = why,
                        .scale = 1,
                        .lines = {.source = source, .why = why}};
    bool good = true;
    struct flm_bytes line;
    while (good && flm_line_next(&r.lines, &line))
        good = read_line(&r, line);
    good = good && !r.lines.failed;
    if (good && !r.has_snapshot)
        good =
            flm_error_set(why, FLM_ERROR_FORMAT, "no line 'snapshot=': massif wrote nothing yet");
    check_tree(&r);
    if (good && r.is_open)
        flm_builder_lost(builder, "last snapshot (cut off)", "line", r.lines.number, 1);
    if (good)
        note_snapshot(&r);
    good = good && add_stacks(&r);
    FLM_ARRAY_CLEAR(&r.tree);
    FLM_ARRAY_CLEAR(&r.path);
    FLM_ARRAY_CLEAR(&r.frames);
    return good;
}

static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "desc:") && flm_bytes_contain(head, "\ncmd:") &&
                   flm_bytes_contain(head, "\ntime_unit:")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_massif = {
    .name = "massif",
    .title = "Massif",
    .extensions = ".massif",
    .description = "massif.out of valgrind: bytes of the heap at the peak, and over time",
    .metrics = FLM_METRICS_ONE,
    .sniff = sniff,
    .read = read_massif,
};
