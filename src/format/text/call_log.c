/* call_log.c - calls as they begin and end, a line each: uftrace dump, and Papyrus.
 *
 *     reading 9377.dat
 *     2811.093452108   9377: [entry] main(55eb3e9fe306) depth: 0           seconds, thread
 *     2811.093452315   9377: [entry] malloc(55eb3e9fe060) depth: 1
 *     2811.096179604   9377: [exit ] malloc(55eb3e9fe060) depth: 1
 *     2811.112048892   9377: [event] linux:sched-out(200002)
 *
 *     Script_abc_quest log opened (PC)                   the game engine of Skyrim
 *     500:PUSH:3053:1:abcQuest (24021278):abc_quest..run           ms, stack, depth, object
 *     1500:POP:3053:1:abcQuest (24021278):abc_quest..run
 *
 * Threads follow each other, or are mixed: their calls are collected and nested at the end. Time
 * off a processor is "linux:schedule" below the call that waits, as uftrace's other outputs have
 * it; its other events are markers. Arguments and objects are no part of a function. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/number/number.h"
#include "format/core/event_stacks.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct span {
    int64_t begin_ns, end_ns;
};

struct thread {
    uint64_t id;
    uint64_t depth;
    struct FLM_ARRAY(struct span) spans; /* of its outermost calls */
    uint32_t waits;                      /* the frame of its wait; FLM_NONE: it runs */
    struct flm_calls calls;
};

struct reading {
    struct flm_text_reading base;
    double unit_ns;
    struct FLM_ARRAY(struct thread) threads;
    struct flm_index index; /* of their ids */
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->base.stack.builder;
}

static void lose(struct reading *r, const char *what)
{
    flm_builder_lost(builder_of(r), what, "line", r->base.lines.number, 1);
}

static struct thread *thread_of(struct reading *r, uint64_t id)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    struct flm_probe at = flm_index_probe(&r->index, hash);
    while (flm_index_next(&r->index, &at))
        if (r->threads.at[at.found].id == id)
            return &r->threads.at[at.found];
    if (!FLM_ARRAY_ADD(&r->threads, (struct thread){.id = id, .waits = FLM_NONE}) ||
        !flm_index_add(&r->index, hash, (uint32_t)r->threads.count - 1)) {
        flm_builder_fail_memory(builder_of(r));
        return NULL;
    }
    return &r->threads.at[r->threads.count - 1];
}

static uint32_t frame_of(struct reading *r, struct flm_bytes name)
{
    return flm_builder_function(builder_of(r), name.at ? name.at : "", name.size).index;
}

/* `kind`: FLM_CALL_BEGIN or FLM_CALL_END. */
static void add_call(struct reading *r, struct thread *thread, int64_t time_ns, uint32_t frame,
                     int64_t kind)
{
    struct flm_call call = {time_ns, kind, frame, frame, FLM_NONE};
    if (!FLM_ARRAY_ADD(&thread->calls, call))
        flm_builder_fail_memory(builder_of(r));
    r->base.has_samples = true;
}

/* The time in which a thread is in any call. The calls of a thread come in the order of time, and
 * before its waits. */
static void note_span(struct reading *r, struct thread *thread, int64_t time_ns, bool begins)
{
    if (begins) {
        struct span span = {time_ns, INT64_MAX};
        if (thread->depth++ == 0 && !FLM_ARRAY_ADD(&thread->spans, span))
            flm_builder_fail_memory(builder_of(r));
    } else if (thread->depth > 0 && --thread->depth == 0 && thread->spans.count > 0) {
        thread->spans.at[thread->spans.count - 1].end_ns = time_ns;
    }
}

static bool is_in_call(const struct thread *thread, int64_t time_ns)
{
    size_t low = 0, high = thread->spans.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (thread->spans.at[middle].begin_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && time_ns < thread->spans.at[low - 1].end_ns;
}

static struct flm_label_set labels_of(struct reading *r, struct flm_bytes id)
{
    struct flm_string labels[] = {flm_builder_string(builder_of(r), "thread", 6),
                                  flm_builder_string(builder_of(r), id.at, id.size)};
    return flm_builder_label_set(builder_of(r), labels, 1);
}

static struct flm_bytes id_text(char storage[24], uint64_t id)
{
    struct flm_text text;
    flm_text_init_fixed(&text, storage, 24);
    flm_text_uint(&text, id);
    return (struct flm_bytes){text.at, text.size};
}

static void end_log(void *reading)
{
    struct reading *r = reading;
    struct flm_event_stack stack = {.builder = builder_of(r),
                                    .metric = r->base.metric,
                                    .unit_ns = r->unit_ns,
                                    .keep_times = r->base.stack.options->keep_times};
    struct flm_calls_lost lost = {0};
    for (size_t i = 0; i < r->threads.count && !flm_builder_failed(builder_of(r)); i++) {
        char storage[24];
        struct flm_bytes id = id_text(storage, r->threads.at[i].id);
        struct flm_node root = flm_builder_root(builder_of(r));
        if (r->base.stack.options->by_thread) {
            struct flm_frame_record record = {
                .function = flm_builder_string(builder_of(r), id.at, id.size).index,
                .kind = FLM_KIND_LABEL};
            root =
                flm_builder_child(builder_of(r), root, flm_builder_frame(builder_of(r), &record));
        }
        flm_event_stack_begin(&stack, labels_of(r, id), root);
        flm_calls_nest(&r->threads.at[i].calls, &stack, NULL, NULL, &lost);
    }
    flm_event_stack_finish(&stack);
    flm_calls_count_lost(&lost, builder_of(r));
}

static bool read_log(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why, const char *unit,
                     double unit_ns, void (*line)(void *reading, struct flm_bytes line))
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "time", unit),
                        .unit_ns = unit_ns};
    bool good = flm_text_read(&r.base, source, options, builder, why, line, end_log);
    for (size_t i = 0; i < r.threads.count; i++) {
        FLM_ARRAY_CLEAR(&r.threads.at[i].calls);
        FLM_ARRAY_CLEAR(&r.threads.at[i].spans);
    }
    FLM_ARRAY_CLEAR(&r.threads);
    flm_index_clear(&r.index);
    return good;
}

/* ---- uftrace --------------------------------------------------------------------------------- */

/* "2811.093448549": the digits of nanoseconds are all there. */
static bool take_seconds(struct flm_bytes *line, int64_t *time_ns)
{
    uint64_t seconds, ns;
    const char *point;
    if (!flm_text_take_uint(line, &seconds) || !flm_text_skip(line, "."))
        return false;
    point = line->at;
    if (!flm_text_take_uint(line, &ns) || line->at - point != 9 || seconds > INT64_MAX / 2000000000)
        return false;
    *time_ns = (int64_t)(seconds * 1000000000 + ns);
    return true;
}

static void add_event(struct reading *r, struct thread *thread, int64_t time_ns,
                      struct flm_bytes name)
{
    char storage[24];
    if (flm_bytes_start_with(name, "linux:sched-out")) {
        bool preempted = flm_bytes_end_with(name, "(pre-empted)");
        if (!is_in_call(thread, time_ns)) {
            lose(r, "waits outside of calls");
            return;
        }
        thread->waits =
            frame_of(r, flm_bytes_of(preempted ? "linux:schedule (pre-empted)" : "linux:schedule"));
        add_call(r, thread, time_ns, thread->waits, FLM_CALL_BEGIN);
        return;
    }
    if (flm_bytes_are(name, "linux:sched-in")) {
        if (thread->waits != FLM_NONE)
            add_call(r, thread, time_ns, thread->waits, FLM_CALL_END);
        thread->waits = FLM_NONE;
        return;
    }
    /* Calls that are open when a thread ends last until then. */
    if (flm_bytes_are(name, "linux:task-exit"))
        add_call(r, thread, time_ns, frame_of(r, name), 0);
    if (r->base.stack.options->keep_times)
        flm_builder_marker(builder_of(r), time_ns, 0,
                           flm_builder_string(builder_of(r), name.at, name.size),
                           (struct flm_string){0}, labels_of(r, id_text(storage, thread->id)));
}

static void read_uftrace_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text = flm_bytes_trimmed(line), kind, name, rest;
    int64_t time_ns;
    uint64_t id;
    if (!take_seconds(&text, &time_ns))
        return;
    text = flm_bytes_trimmed(text);
    if (!flm_text_take_uint(&text, &id) || !flm_text_skip(&text, ": [") ||
        !flm_text_take_until(&text, "] ", &kind)) {
        lose(r, "lines that cannot be read");
        return;
    }
    if (flm_text_split_last(text, ") depth: ", &name, &rest))
        text = name;
    else if (flm_bytes_end_with(text, ")"))
        text.size--;
    if (!flm_text_split_last(text, "(", &name, &rest)) {
        lose(r, "lines that cannot be read");
        return;
    }
    struct thread *thread = thread_of(r, id);
    if (!thread)
        return;
    if (flm_bytes_are(kind, "event")) {
        add_event(r, thread, time_ns, name);
    } else if (flm_bytes_start_with(kind, "entry") || flm_bytes_start_with(kind, "exit")) {
        bool begins = kind.at[1] == 'n';
        note_span(r, thread, time_ns, begins);
        add_call(r, thread, time_ns, frame_of(r, name), begins ? FLM_CALL_BEGIN : FLM_CALL_END);
    } else {
        lose(r, "events that are no calls");
    }
}

static bool read_uftrace(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    return read_log(source, options, builder, why, "ns", 1, read_uftrace_line);
}

static int sniff_uftrace(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "uftrace file header: ") ||
                   (flm_bytes_start_with(head, "reading ") && flm_bytes_contain(head, ": [entry] "))
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_uftrace = {
    .name = "uftrace",
    .title = "uftrace",
    .extensions = "",
    .description = "calls as 'uftrace dump' lists them",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_uftrace,
    .read = read_uftrace,
};

/* ---- Papyrus --------------------------------------------------------------------------------- */

static void read_papyrus_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text = line, kind, part;
    uint64_t ms, id;
    if (!flm_text_take_uint(&text, &ms) || !flm_text_skip(&text, ":"))
        return; /* the log opens, or closes */
    if (!flm_text_take_until(&text, ":", &kind) || !flm_text_take_uint(&text, &id) ||
        !flm_text_skip(&text, ":") || !flm_text_take_until(&text, ":", &part) ||
        !flm_text_take_until(&text, ":", &part) || text.size == 0 || ms > INT64_MAX / 1000000) {
        lose(r, "lines that cannot be read");
        return;
    }
    bool begins = flm_bytes_are(kind, "PUSH");
    if (!begins && !flm_bytes_are(kind, "POP")) {
        lose(r, "events that are no calls");
        return;
    }
    struct thread *thread = thread_of(r, id);
    if (thread)
        add_call(r, thread, (int64_t)ms * 1000000, frame_of(r, text),
                 begins ? FLM_CALL_BEGIN : FLM_CALL_END);
}

static bool read_papyrus(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    return read_log(source, options, builder, why, "ms", 1e6, read_papyrus_line);
}

static int sniff_papyrus(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_bytes first;
    return flm_text_take_until(&head, "\n", &first) && flm_bytes_contain(first, " log opened") &&
                   flm_bytes_contain(head, ":PUSH:")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_papyrus = {
    .name = "papyrus",
    .title = "Papyrus",
    .extensions = "",
    .description = "logs of the profiler of Papyrus, the scripts of Skyrim",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_papyrus,
    .read = read_papyrus,
};
