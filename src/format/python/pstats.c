/* pstats.c - what Python's profilers that count calls write: cProfile and profile, and others in
 * the format of the module pstats (yappi; the sampling profiler of Python 3.15). See marshal.h for
 * the bytes.
 *
 *     {(file, line, function): (primitive calls, calls, time, time with callees, {caller: ...})}
 *
 * The line is the one that the function begins at. A caller has how often it called, how often
 * without recursion, and the times of these calls (s); of `profile`, and where samples are counted,
 * it has only how often. So a file is a call graph, of which call_graph.h makes stacks.
 *
 * Metrics: time (ns, the self time of each function) and calls; where samples are counted, that is
 * said by a key ("__sampled__",), samples (those of the function itself) and time. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/scan.h"
#include "base/text/source.h"
#include "base/text/text.h"
#include "format/call_graph/call_graph.h"
#include "format/core/format.h"
#include "format/python/marshal.h"

#define MOST_NS 0x1p60
#define MOST_CALLS 0x1p53

enum { SELF_TIME = 2, TOTAL_TIME, CALLERS };

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_marshal marshal;
    bool is_sampled;

    struct FLM_ARRAY(struct flm_frame_record) frames; /* of each function */
    struct FLM_ARRAY(uint32_t) lines;
    struct FLM_ARRAY(bool) is_called;
    struct flm_index index; /* of functions by file, line and name */
    struct flm_call_graph graph;
    struct flm_metric time, count;
    uint64_t primitive_calls, calls;
    uint64_t negative;
    size_t caller_count;
};

static const struct flm_marshal_value *value_at(const struct reading *r, uint32_t index)
{
    return &r->marshal.values.at[index];
}

/* The first `count` members of a tuple; false if it is none, or has fewer. */
static bool members(const struct reading *r, const struct flm_marshal_value *tuple, size_t count,
                    const struct flm_marshal_value **out)
{
    if (tuple->kind != FLM_MARSHAL_TUPLE || tuple->count < count)
        return false;
    uint32_t at = tuple->first;
    for (size_t i = 0; i < count; i++, at = out[i - 1]->next)
        out[i] = value_at(r, at);
    return true;
}

static bool refuse(const struct reading *r, const char *reason)
{
    return flm_error_set(r->why, FLM_ERROR_FORMAT, "%s", reason);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static uint32_t interned(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(r->builder, text.at, text.size).index;
}

/* The number of a function; it is added if it is new. */
static bool find_function(struct reading *r, const struct flm_marshal_value *key,
                          uint32_t *function)
{
    const struct flm_marshal_value *m[3];
    if (!members(r, key, 3, m) || m[0]->kind != FLM_MARSHAL_STRING ||
        m[1]->kind != FLM_MARSHAL_NUMBER || m[2]->kind != FLM_MARSHAL_STRING)
        return refuse(r, "the name of a function is not a file, a line and a name");
    /* Functions in C have the file ~ and the line 0. */
    bool has_file = !flm_bytes_are(m[0]->string, "~");
    uint32_t line = m[1]->number > 0 && m[1]->number < 1e9 ? (uint32_t)m[1]->number : 0;
    struct flm_frame_record frame = {.function = interned(r, m[2]->string),
                                     .file = has_file ? interned(r, m[0]->string) : 0,
                                     .line = r->options->lines ? line : 0};
    uint32_t hash = flm_hash_numbers((uint64_t)frame.function << 32 | frame.file, line);
    for (struct flm_probe at = flm_index_probe(&r->index, hash); flm_index_next(&r->index, &at);) {
        const struct flm_frame_record *old = &r->frames.at[at.found];
        *function = at.found;
        if (old->function == frame.function && old->file == frame.file &&
            r->lines.at[at.found] == line)
            return true;
    }
    *function = (uint32_t)r->frames.count;
    if (!FLM_ARRAY_ADD(&r->frames, frame) || !FLM_ARRAY_ADD(&r->lines, line) ||
        !FLM_ARRAY_ADD(&r->is_called, false) || !flm_index_add(&r->index, hash, *function))
        return flm_error_memory(r->why);
    return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool take_count(const struct reading *r, const struct flm_marshal_value *value,
                       uint64_t *count)
{
    if (value->kind != FLM_MARSHAL_NUMBER)
        return refuse(r, "a number of calls is not a number");
    if (!(value->number >= 0 && value->number < MOST_CALLS))
        return flm_error_set(r->why, FLM_ERROR_RANGE,
                             "a number of calls is negative, or 2^53 or more");
    *count = (uint64_t)value->number;
    return true;
}

/* `profile` corrects what it measures by what measuring costs: a time may become negative. */
static bool take_time(struct reading *r, const struct flm_marshal_value *value, uint64_t *time_ns)
{
    if (value->kind != FLM_MARSHAL_NUMBER)
        return refuse(r, "a time is not a number");
    double ns = value->number * 1e9;
    if (!(ns < MOST_NS && ns > -MOST_NS))
        return flm_error_set(r->why, FLM_ERROR_RANGE, "a time is longer than 36 years");
    r->negative += ns <= -0.5;
    *time_ns = ns > 0 ? (uint64_t)(ns + 0.5) : 0;
    return true;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool add_edge(struct reading *r, uint32_t from, uint32_t to, uint64_t calls,
                     uint64_t time_ns)
{
    uint32_t edge = flm_call_graph_edge(&r->graph, (struct flm_call_edge){.from = from, .to = to});
    if (edge == UINT32_MAX)
        return flm_error_memory(r->why);
    r->graph.edges.at[edge].calls += calls;
    r->graph.edge_costs.at[edge * r->graph.cost_count] += time_ns;
    return true;
}

/* The calls of one caller. Where their time is not known, it is divided by the numbers of calls. */
static bool add_caller(struct reading *r, const struct flm_marshal_value *key, uint32_t function,
                       double total_ns, uint64_t all, uint64_t *known)
{
    const struct flm_marshal_value *value = value_at(r, key->next), *m[4];
    uint32_t caller;
    uint64_t calls, time_ns;
    bool has_time = members(r, value, 4, m);
    if (!find_function(r, key, &caller) || !take_count(r, has_time ? m[0] : value, &calls))
        return false;
    *known += calls;
    if (*known >= MOST_CALLS)
        return flm_error_set(r->why, FLM_ERROR_RANGE,
                             "the calls of a function add up to 2^53 or more");
    if (all == 0)
        return true;
    if (!has_time)
        time_ns = (uint64_t)(total_ns * ((double)calls / (double)all));
    else if (!take_time(r, m[3], &time_ns))
        return false;
    return add_edge(r, caller, function, calls, time_ns);
}

static bool add_callers(struct reading *r, const struct flm_marshal_value *callers,
                        uint32_t function, double total_ns, uint64_t calls)
{
    uint64_t all = 0, known = 0;
    if (callers->kind != FLM_MARSHAL_DICT)
        return refuse(r, "a function has no dict of its callers");
    /* First all calls are counted; then they are added. */
    for (int pass = 0; pass < 2; pass++) {
        all = known;
        known = 0;
        for (uint32_t i = 0, at = callers->first; i < callers->count; i += 2) {
            const struct flm_marshal_value *key = value_at(r, at);
            /* Files refer to the same dict twice only to keep a reader busy. */
            if (++r->caller_count > 2 * r->marshal.values.count)
                return refuse(r, "functions share their dicts of callers");
            if (!add_caller(r, key, function, total_ns, all, &known))
                return false;
            at = value_at(r, key->next)->next;
        }
    }
    r->is_called.at[function] = known >= calls && calls > 0;
    /* Calls from outside are calls of the function by itself: these make no stack. */
    return known >= calls || add_edge(r, function, function, calls - known, 0);
}

static bool add_function(struct reading *r, const struct flm_marshal_value *key)
{
    const struct flm_marshal_value *m[CALLERS + 1];
    uint32_t function;
    uint64_t primitive, calls, self_ns, total_ns;
    if (!members(r, value_at(r, key->next), CALLERS + 1, m))
        return refuse(r, "a function has no calls, times and callers");
    if (!find_function(r, key, &function) || !take_count(r, m[0], &primitive) ||
        !take_count(r, m[1], &calls) || !take_time(r, m[SELF_TIME], &self_ns) ||
        !take_time(r, m[TOTAL_TIME], &total_ns))
        return false;
    uint32_t item = flm_call_graph_item(&r->graph, (struct flm_call_item){.function = function});
    if (item == UINT32_MAX)
        return flm_error_memory(r->why);
    size_t first = item * r->graph.cost_count;
    r->graph.item_costs.at[first] += self_ns;
    if (r->is_sampled)
        r->graph.item_costs.at[first + 1] += primitive;
    r->primitive_calls += primitive;
    r->calls += calls;
    return add_callers(r, m[CALLERS], function, (double)total_ns, calls);
}

static bool is_mark(const struct reading *r, const struct flm_marshal_value *key)
{
    return key->kind == FLM_MARSHAL_TUPLE && key->count == 1 &&
           flm_bytes_are(value_at(r, key->first)->string, "__sampled__");
}

static bool add_functions(struct reading *r)
{
    const struct flm_marshal_value *root = value_at(r, 0), *key;
    uint32_t i, at;
    if (root->kind != FLM_MARSHAL_DICT)
        return refuse(r, "it is not a dict of functions");
    for (i = 0, at = root->first; i < root->count; i += 2, at = value_at(r, key->next)->next) {
        key = value_at(r, at);
        r->is_sampled = r->is_sampled || is_mark(r, key);
    }
    r->graph.cost_count = r->is_sampled ? 2 : 1;
    for (i = 0, at = root->first; i < root->count; i += 2, at = value_at(r, key->next)->next) {
        key = value_at(r, at);
        if (!is_mark(r, key) && !add_function(r, key))
            return false;
    }
    return r->frames.count > 0 || refuse(r, "this profile of cProfile has no functions");
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void add_values(const struct flm_call_stacks *stacks, struct flm_node node,
                       const double *costs, double calls)
{
    struct reading *r = stacks->context;
    double count = r->is_sampled ? costs[1] : calls;
    if (costs[0] > 0)
        flm_builder_add(r->builder, node, r->time, costs[0]);
    if (count > 0)
        flm_builder_add(r->builder, node, r->count, count);
}

static void add_notes(struct reading *r)
{
    flm_call_graph_note(r->builder);
    if (r->negative > 0)
        flm_builder_lost(r->builder, "negative times, which count as 0", "", 0,
                         (double)r->negative);
    if (r->is_sampled || r->primitive_calls == r->calls)
        return;
    struct flm_text text = {0};
    flm_text_uint(&text, r->primitive_calls);
    if (!text.failed)
        flm_builder_note(r->builder, "primitive calls", text.at, text.size);
    flm_text_clear(&text);
}

static bool read_pstats(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder, .options = options, .why = why};
    if (!flm_source_all(source, why))
        return false;
    bool good =
        flm_marshal_read(&r.marshal,
                         (struct flm_bytes){source->at, (size_t)(source->end - source->at)}, why) &&
        add_functions(&r);
    if (good) {
        if (r.is_sampled)
            r.count = flm_builder_metric(builder, "samples", "samples");
        r.time = flm_builder_metric(builder, "time", "ns");
        if (!r.is_sampled)
            r.count = flm_builder_metric(builder, "calls", "count");
        struct flm_call_stacks stacks = {.builder = builder,
                                         .frames = r.frames.at,
                                         .function_count = (uint32_t)r.frames.count,
                                         .base = flm_builder_root(builder),
                                         .is_called = r.is_called.at,
                                         .context = &r,
                                         .add = add_values};
        good = flm_call_graph_stacks(&r.graph, &stacks) || flm_builder_failed(builder) ||
               flm_error_memory(why);
        add_notes(&r);
    }
    flm_marshal_clear(&r.marshal);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.lines);
    FLM_ARRAY_CLEAR(&r.is_called);
    flm_index_clear(&r.index);
    flm_call_graph_clear(&r.graph);
    return good;
}

/* A dict whose first key is a tuple of three that begins with a string; or of the one string that
 * says that samples are counted. */
static int sniff_pstats(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (head.size < 8 || (head.at[0] & 0x7f) != '{')
        return FLM_SNIFF_NO;
    char tuple = head.at[1] & 0x7f;
    size_t at = tuple == ')' ? 3 : 6;
    bool is_long = tuple == '(' && memcmp(head.at + 3, "\0\0\0", 3) == 0;
    if ((tuple != ')' && !is_long) || !flm_is_one_of(head.at[at] & 0x7f, "zZaAust"))
        return FLM_SNIFF_NO;
    return head.at[2] == 3 || (head.at[2] == 1 && flm_bytes_contain(head, "__sampled__"))
               ? FLM_SNIFF_MAGIC
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_pstats = {
    .name = "pstats",
    .title = "pstats of Python",
    .extensions = ".pstats",
    .description = "profiles of Python's cProfile and profile, yappi: stacks are approximated",
    .metrics = FLM_METRICS_ALL,
    .holds = FLM_HOLDS_FILES,
    .sniff = sniff_pstats,
    .read = read_pstats,
};
