/* gprof.c - reports of gprof: the call graph, whose stacks are approximated, or the flat profile.
 *
 *       %   cumulative   self              self     total
 *      time   seconds   seconds    calls  ms/call  ms/call  name
 *      32.48      0.75     0.36     8400     0.04     0.04  leaf
 *
 *     index % time    self  children    called     name
 *                     0.39    0.10     120/120         main [1]           a caller
 *     [2]     44.4    0.39    0.10     120         render [2]             the function
 *                     0.10    0.00    2400/8400        leaf [4]           what it calls
 *     -----------------------------------------------
 *                                6000             even <cycle 1> [7]      in a cycle: calls alone
 *     [6]      9.9    0.11    0.00    6000         odd <cycle 1> [6]
 *
 * A function has the number behind its name, since names may occur twice. A call stands with its
 * caller and with what it calls: it is read where it is a caller. gprof does not say how long calls
 * within a cycle took; they get the time of what is called, in proportion to the calls, and so do
 * those whose time it shows as 0.00. What the flat profile has in addition is a stack of its own
 * function alone; without a call graph (gprof -p) all stacks are. With gprof -l, names have a file
 * and a line: "leaf (work.c:4 @ 121a)". */
#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/call_graph/call_graph.h"
#include "format/text/internal.h"
#include "profile/internal.h"

/* Of the call graph. */
struct function {
    uint64_t number;
    uint32_t name; /* string */
};

/* A line above that of the function in its block. */
struct caller {
    uint32_t function;
    uint64_t ns, calls;
};

struct row {
    struct flm_frame_record frame;
    uint64_t ns, calls;
};

enum part { NOTHING, FLAT, GRAPH, END };

struct reading {
    struct flm_text_reading base;
    enum part part;
    bool has_graph, is_behind; /* behind the line of the block's function */
    bool is_spontaneous;       /* the block's function has callers that gprof does not know */
    struct flm_metric time, calls;
    struct FLM_ARRAY(struct function) functions;
    struct FLM_ARRAY(struct flm_frame_record) frames; /* of the functions */
    struct FLM_ARRAY(bool) is_called;
    struct FLM_ARRAY(struct caller) callers; /* of the block */
    struct FLM_ARRAY(struct row) rows;       /* of the flat profile */
    struct flm_index by_number, by_name;
    struct flm_call_graph graph;
};

static void no_memory(struct reading *r)
{
    flm_builder_fail_memory(r->base.stack.builder);
}

/* ---- Parts of lines -------------------------------------------------------------------------- */

static struct flm_bytes take_word(struct flm_bytes *line)
{
    *line = flm_bytes_trimmed(*line);
    struct flm_bytes word = {line->at, 0};
    while (word.size < line->size && line->at[word.size] != ' ' && line->at[word.size] != '\t')
        word.size++;
    *line = flm_bytes_from(*line, word.size);
    return word;
}

/* "0.39", of seconds; false, and the line stays, where there is no such word. */
static bool take_seconds(struct flm_bytes *line, uint64_t *ns)
{
    struct flm_bytes rest = *line, word = take_word(&rest);
    double value;
    if (word.size == 0 || !memchr(word.at, '.', word.size) ||
        flm_number_parse(word, &value) != FLM_NUMBER_DECIMAL || !(value >= 0 && value < 1e9))
        return false;
    *ns = (uint64_t)(value * 1e9 + 0.5);
    *line = rest;
    return true;
}

/* "120", "120/8400" (of so many) or "120+12000" (and by itself). */
static bool take_calls(struct flm_bytes *line, uint64_t *calls, uint64_t *more)
{
    struct flm_bytes rest = *line, word = take_word(&rest);
    *more = 0;
    if (!flm_text_take_uint(&word, calls) || *calls >= (uint64_t)1 << 53)
        return false;
    if (word.size > 0 && flm_is_one_of(*word.at, "/+")) {
        word = flm_bytes_from(word, 1);
        if (!flm_text_take_uint(&word, more) || *more >= (uint64_t)1 << 53)
            return false;
    }
    *line = rest;
    return word.size == 0;
}

/* "leaf (work.c:4 @ 121a)": the frame, with its location. */
static struct flm_frame_record frame_of(struct reading *r, struct flm_bytes name)
{
    struct flm_builder *b = r->base.stack.builder;
    struct flm_frame_record frame = {.kind = FLM_KIND_NATIVE};
    struct flm_location where = {0};
    struct flm_bytes before, place, line, rest;
    uint64_t number;
    if (flm_bytes_end_with(name, ")") && flm_text_split_last(name, " (", &before, &place) &&
        flm_text_split_last(place, " @ ", &place, &rest) &&
        flm_text_split_last(place, ":", &rest, &line) && flm_number_parse_uint(line, &number)) {
        name = before;
        frame.file = flm_builder_string(b, rest.at, rest.size).index;
        where.line = number < UINT32_MAX ? (uint32_t)number : 0;
    }
    frame.function = flm_builder_string(b, name.at, name.size).index;
    uint32_t index = flm_builder_located(b, &frame, where).index; /* may move the frames */
    return b->interner.frames[index];
}

/* Takes "[4]" off the end, and "<cycle 1>" before it. */
static bool take_number(struct flm_bytes *name, uint64_t *number)
{
    struct flm_bytes before, rest;
    *name = flm_bytes_trimmed(*name);
    if (!flm_bytes_end_with(*name, "]") || !flm_text_split_last(*name, " [", &before, &rest) ||
        !flm_text_take_uint(&rest, number) || rest.size != 1 || *number == 0)
        return false;
    *name = flm_bytes_trimmed(before);
    if (flm_bytes_end_with(*name, ">") && flm_text_split_last(*name, " <cycle ", &before, &rest))
        *name = flm_bytes_trimmed(before);
    return name->size > 0;
}

/* ---- The call graph -------------------------------------------------------------------------- */

/* The index of the function with that number; UINT32_MAX: memory ran out. */
static uint32_t find_function(struct reading *r, uint64_t number, struct flm_bytes name)
{
    uint32_t hash = flm_hash_numbers(number, 0), index = (uint32_t)r->functions.count;
    for (struct flm_probe at = flm_index_probe(&r->by_number, hash);
         flm_index_next(&r->by_number, &at);)
        if (r->functions.at[at.found].number == number)
            return at.found;
    struct flm_frame_record frame = frame_of(r, name);
    struct function function = {.number = number, .name = frame.function};
    if (FLM_ARRAY_ADD(&r->functions, function) && FLM_ARRAY_ADD(&r->frames, frame) &&
        FLM_ARRAY_ADD(&r->is_called, false) && flm_index_add(&r->by_number, hash, index) &&
        flm_index_add(&r->by_name, flm_hash_numbers(frame.function, 0), index))
        return index;
    no_memory(r);
    return UINT32_MAX;
}

static bool knows_name(const struct reading *r, uint32_t name)
{
    struct flm_probe at = flm_index_probe(&r->by_name, flm_hash_numbers(name, 0));
    while (flm_index_next(&r->by_name, &at))
        if (r->functions.at[at.found].name == name)
            return true;
    return false;
}

static void add_edge(struct reading *r, struct flm_call_edge edge, uint64_t ns)
{
    uint64_t calls = edge.calls;
    edge.calls = 0;
    uint32_t index = flm_call_graph_edge(&r->graph, edge);
    if (index == UINT32_MAX) {
        no_memory(r);
        return;
    }
    r->graph.edges.at[index].calls += calls;
    r->graph.edge_costs.at[index] += ns;
}

static void begin_block(struct reading *r)
{
    r->callers.count = 0;
    r->is_behind = r->is_spontaneous = false;
}

static void add_block(struct reading *r, uint32_t function, uint64_t self_ns, uint64_t total_ns,
                      uint64_t by_itself)
{
    uint32_t item = flm_call_graph_item(&r->graph, (struct flm_call_item){.function = function});
    if (item == UINT32_MAX) {
        no_memory(r);
        return;
    }
    r->graph.item_costs.at[item] += self_ns;
    double calls = 0;
    bool is_called = false;
    for (size_t i = 0; i < r->callers.count; i++)
        if (r->callers.at[i].function != function)
            calls += (double)r->callers.at[i].calls;
    for (size_t i = 0; i < r->callers.count; i++) {
        const struct caller *c = &r->callers.at[i];
        uint64_t ns = c->ns;
        if (c->function == function) /* a function that calls itself is its own caller, too */
            continue;
        is_called = true;
        if (ns == 0 && calls > 0)
            ns = (uint64_t)((double)total_ns * ((double)c->calls / calls));
        add_edge(r, (struct flm_call_edge){c->function, function, 0, c->calls}, ns);
    }
    if (by_itself > 0)
        add_edge(r, (struct flm_call_edge){function, function, 0, by_itself}, 0);
    r->is_called.at[function] = is_called && !r->is_spontaneous;
    r->base.has_samples = true;
}

/* "[2]     44.4    0.39    0.10     120         render [2]" */
static bool read_function(struct reading *r, struct flm_bytes line)
{
    uint64_t number, self, below, calls, by_itself = 0;
    take_word(&line);
    take_word(&line);
    if (!take_seconds(&line, &self) || !take_seconds(&line, &below))
        return false;
    take_calls(&line, &calls, &by_itself);
    r->is_behind = true;
    line = flm_bytes_trimmed(line);
    if (flm_bytes_start_with(line, "<cycle ")) /* its functions have blocks of their own */
        return true;
    if (!take_number(&line, &number))
        return false;
    uint32_t function = find_function(r, number, line);
    if (function != UINT32_MAX)
        add_block(r, function, self, self + below, by_itself);
    return true;
}

/* "0.39    0.10     120/120         main [1]", and "6000             even <cycle 1> [7]" */
static bool read_caller(struct reading *r, struct flm_bytes line)
{
    struct caller caller = {0};
    uint64_t self = 0, below = 0, all, number;
    if (flm_bytes_contain(line, "<spontaneous>")) {
        r->is_spontaneous = true;
        return true;
    }
    if (take_seconds(&line, &self) && !take_seconds(&line, &below))
        return false;
    if (!take_calls(&line, &caller.calls, &all) || !take_number(&line, &number))
        return false;
    caller.ns = self + below;
    caller.function = find_function(r, number, line);
    if (caller.function != UINT32_MAX && !FLM_ARRAY_ADD(&r->callers, caller))
        no_memory(r);
    return true;
}

static void read_graph_line(struct reading *r, struct flm_bytes line)
{
    if (flm_bytes_start_with(line, "-----")) {
        begin_block(r);
        return;
    }
    bool is_function = flm_bytes_start_with(line, "[");
    if (line.size == 0 || (r->is_behind && !is_function))
        return;
    bool is_row = is_function || flm_bytes_end_with(flm_bytes_trimmed(line), "]") ||
                  flm_bytes_contain(line, "<spontaneous>");
    if (is_row && !(is_function ? read_function(r, line) : read_caller(r, line)))
        flm_builder_lost(r->base.stack.builder, "lines that cannot be read", "line",
                         r->base.lines.number, 1);
}

/* ---- The flat profile ------------------------------------------------------------------------ */

/* " 32.48      0.75     0.36     8400     0.04     0.04  leaf"; blank where gprof knows nothing. */
static void read_flat_line(struct reading *r, struct flm_bytes line)
{
    uint64_t percent, sum, each, more;
    struct row row = {.calls = 0};
    if (!take_seconds(&line, &percent) || !take_seconds(&line, &sum) ||
        !take_seconds(&line, &row.ns))
        return; /* what the columns mean */
    struct flm_bytes rest = line;
    if (take_calls(&rest, &row.calls, &more) && take_seconds(&rest, &each) &&
        take_seconds(&rest, &each))
        line = rest;
    else
        row.calls = 0;
    line = flm_bytes_trimmed(line);
    take_number(&line, &more);
    if (line.size == 0)
        return;
    row.frame = frame_of(r, line);
    if (!FLM_ARRAY_ADD(&r->rows, row))
        no_memory(r);
    r->base.has_samples = true;
}

/* "... each sample hit covers 2 byte(s) for 0.90% of 1.11 seconds": exactly, where the times of
 * functions are rounded. */
static void note_total(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes rest, total;
    if (flm_text_split_last(line, " of ", &rest, &total))
        flm_builder_note(r->base.stack.builder, "total time", total.at, total.size);
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text = flm_bytes_trimmed(line);
    bool is_graph = flm_bytes_start_with(text, "index") && flm_bytes_contain(text, "time") &&
                    flm_bytes_contain(text, " self ");
    if (flm_bytes_start_with(text, "%") && flm_bytes_contain(text, " cumulative "))
        r->part = FLAT;
    else if (flm_bytes_start_with(text, "granularity: each sample hit"))
        note_total(r, text);
    else if (is_graph && r->has_graph)
        r->base.failed = !flm_error_line(
            r->base.lines.why, FLM_ERROR_FORMAT, r->base.lines.number,
            "a second call graph begins here: these are several reports of gprof in one file");
    else if (is_graph)
        r->part = GRAPH;
    else if (flm_bytes_start_with(line, "Index by function name"))
        r->part = END;
    else if (r->part == FLAT && text.size > 0)
        read_flat_line(r, line);
    else if (r->part == GRAPH)
        read_graph_line(r, line);
    r->has_graph = r->has_graph || is_graph;
}

/* ---- The report ------------------------------------------------------------------------------ */

static void add_values(const struct flm_call_stacks *stacks, struct flm_node node,
                       const double *costs, double calls)
{
    struct reading *r = stacks->context;
    if (costs[0] > 0)
        flm_builder_add(stacks->builder, node, r->time, costs[0]);
    if (calls > 0)
        flm_builder_add(stacks->builder, node, r->calls, calls);
}

/* The functions that the call graph lacks, or all. */
static void add_flat(struct reading *r)
{
    struct flm_builder *b = r->base.stack.builder;
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct row *row = &r->rows.at[i];
        if (knows_name(r, row->frame.function))
            continue;
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &row->frame));
        if (row->ns > 0)
            flm_builder_add(b, node, r->time, (double)row->ns);
        if (row->calls > 0)
            flm_builder_add(b, node, r->calls, (double)row->calls);
    }
}

static void read_end(void *reading)
{
    struct reading *r = reading;
    struct flm_builder *b = r->base.stack.builder;
    static const char flat[] =
        "this is gprof's flat profile: without -p it prints the call graph too";
    if (!r->base.has_samples)
        return;
    if (r->part == GRAPH && ((r->callers.count > 0 && !r->is_behind) || !r->base.lines.is_ended))
        flm_builder_lost(b, "functions that are cut off at the end of the report", "line",
                         r->base.lines.number, 1);
    r->time = flm_builder_metric(b, "time", "ns");
    r->calls = flm_builder_metric(b, "calls", "count");
    struct flm_call_stacks stacks = {.builder = b,
                                     .frames = r->frames.at,
                                     .function_count = (uint32_t)r->frames.count,
                                     .base = flm_builder_root(b),
                                     .is_called = r->is_called.at,
                                     .context = r,
                                     .add = add_values};
    if (r->frames.count > 0 && !flm_builder_failed(b) && !flm_call_graph_stacks(&r->graph, &stacks))
        no_memory(r);
    if (r->frames.count > 0)
        flm_call_graph_note(b);
    else
        flm_builder_note(b, FLM_NOTE_NOT_SHOWN "callers", flat, sizeof flat - 1);
    add_flat(r);
}

static bool read_gprof(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.graph.cost_count = 1};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    FLM_ARRAY_CLEAR(&r.functions);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.is_called);
    FLM_ARRAY_CLEAR(&r.callers);
    FLM_ARRAY_CLEAR(&r.rows);
    flm_index_clear(&r.by_number);
    flm_index_clear(&r.by_name);
    flm_call_graph_clear(&r.graph);
    return good;
}

static int sniff_gprof(struct flm_bytes head, bool whole)
{
    (void)whole;
    bool has_flat =
        flm_bytes_contain(head, "Each sample counts as") && flm_bytes_contain(head, " cumulative ");
    bool has_graph = flm_bytes_contain(head, "granularity: each sample hit") &&
                     flm_bytes_contain(head, "index ");
    return has_flat || has_graph ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_gprof = {
    .name = "gprof",
    .title = "gprof",
    .extensions = "",
    .description = "reports of gprof: the call graph (stacks are approximated), the flat profile",
    .sniff = sniff_gprof,
    .read = read_gprof,
};
