#include "format/valgrind/callgrind_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "base/number/number.h"
#include "format/call_graph/call_graph.h"
#include "format/core/location_tables.h"
#include "format/core/whole_values.h"
#include "profile/chains.h"

/* The items or the edges of a function, as a linked list of indices. */
struct chain {
    uint32_t first, last;
};

struct function {
    uint32_t frame; /* one of its frames */
    uint32_t on_path;
    struct chain items, edges;
    bool is_called; /* a function calls it, not only the root */
};

struct event {
    uint32_t metric;
    double factor; /* of flm_whole_factor */
    struct flm_whole_series series;
    struct flm_bytes unit;
};

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_KINDS };

struct writing {
    const struct flm_profile *p; /* each location is a frame (profile/chains.h) */
    struct flm_location *place;  /* by frame: the line of its costs */
    struct flm_text *out;
    struct flm_error *why;
    struct FLM_ARRAY(struct event) events;
    uint32_t calls;        /* the metric; FLM_NONE */
    uint32_t *function_of; /* of a frame; 0 is the root's */
    struct FLM_ARRAY(struct function) functions;
    struct flm_call_graph graph; /* without costs, which are sums of doubles here: */
    double *item_costs, *edge_costs, *edge_calls;
    struct FLM_ARRAY(uint32_t) next_item, next_edge;
    uint32_t *node_item, *node_edge;
    bool *is_outermost;        /* nodes that have no node of their function among their callers */
    uint32_t *ids[NAME_KINDS]; /* of strings that were written */
    uint32_t id_count[NAME_KINDS];
    bool *is_named; /* functions of which the name was written */
};

/* ---- Events ---------------------------------------------------------------------------------- */

static bool add_event(struct writing *w, uint32_t metric)
{
    const double *self = flm_self_column(w->p, metric);
    size_t count = w->p->sizes.node_count;
    struct event event = {.metric = metric,
                          .unit = flm_string_bytes(w->p, w->p->metrics[metric].unit)};
    uint32_t rounded_count;
    if (flm_has_negative(self, count))
        return flm_error_set(w->why, FLM_ERROR_USAGE,
                             "callgrind files have no negative costs: write .flm or folded stacks");
    event.factor = flm_whole_factor(w->p, metric, &rounded_count);
    if (event.factor != 1)
        event.unit = flm_bytes_of("ns");
    if (flm_profile_total(w->p, (struct flm_metric){metric}) * event.factor >= 0x1p63)
        return flm_error_set(w->why, FLM_ERROR_RANGE,
                             "callgrind files have no costs of 2^63 and more: write .flm or folded "
                             "stacks");
    return FLM_ARRAY_ADD(&w->events, event) || flm_error_memory(w->why);
}

static bool choose_events(struct writing *w)
{
    uint32_t count = w->p->sizes.metric_count;
    w->calls = flm_profile_metric_named(w->p, "calls").index;
    if (count < 2 || (w->calls != FLM_NONE &&
                      flm_has_negative(flm_self_column(w->p, w->calls), w->p->sizes.node_count)))
        w->calls = FLM_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (i != w->calls && !add_event(w, i))
            return false;
    return w->events.count <= FLM_CALLGRIND_EVENTS ||
           flm_error_set(w->why, FLM_ERROR_RANGE,
                         "callgrind files of more than %d metrics are not read by any program: "
                         "write .flm",
                         FLM_CALLGRIND_EVENTS);
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* The name of an event: one word, with the number of its column if another event may have that
 * name. */
static void add_word(struct writing *w, size_t event)
{
    struct flm_bytes name = flm_string_bytes(w->p, w->p->metrics[w->events.at[event].metric].name);
    bool is_changed = name.size == 0;
    for (size_t i = 0; i < name.size; i++) {
        flm_text_putc(w->out, is_word(name.at[i]) ? name.at[i] : '_');
        is_changed |= !is_word(name.at[i]);
    }
    if (is_changed) {
        flm_text_putc(w->out, '_');
        flm_text_uint(w->out, event + 1);
    }
}

/* Writes a name on a line of its own. */
static void add_name(struct writing *w, struct flm_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        flm_text_putc(w->out, (unsigned char)name.at[i] < ' ' ? ' ' : name.at[i]);
}

static void write_header(struct writing *w)
{
    struct flm_name command = flm_profile_note_named(w->p, "command");
    flm_text_puts(w->out, "# callgrind format\nversion: 1\ncreator: " FLM_CALLGRIND_CREATOR "\n");
    if (command.size > 0) {
        flm_text_puts(w->out, "cmd: ");
        add_name(w, (struct flm_bytes){command.at, command.size});
        flm_text_putc(w->out, '\n');
    }
    if (w->calls == FLM_NONE)
        flm_text_puts(w->out, "desc: " FLM_CALLGRIND_CALLS "\n");
    flm_text_puts(w->out, "positions: line\n");
    for (size_t i = 0; i < w->events.count; i++) {
        flm_text_puts(w->out, "event: ");
        add_word(w, i);
        flm_text_puts(w->out, " : ");
        add_name(w, flm_string_bytes(w->p, w->p->metrics[w->events.at[i].metric].name));
        flm_text_puts(w->out, " (");
        add_name(w, w->events.at[i].unit);
        flm_text_puts(w->out, ")\n");
    }
    flm_text_puts(w->out, "events:");
    for (size_t i = 0; i < w->events.count; i++) {
        flm_text_putc(w->out, ' ');
        add_word(w, i);
    }
    flm_text_puts(w->out, w->events.count > 0 ? "\n" : " samples\n");
}

/* ---- The graph ------------------------------------------------------------------------------- */

/* The frames of one function are next to each other: see profile.h. */
static bool find_functions(struct writing *w)
{
    const struct flm_frame_record *frames = w->p->frames;
    for (uint32_t i = 0; i < w->p->sizes.frame_count; i++) {
        bool is_new = i < 2 || frames[i].function != frames[i - 1].function ||
                      frames[i].module != frames[i - 1].module ||
                      frames[i].file != frames[i - 1].file;
        struct function function = {
            .frame = i, .items = {FLM_NONE, FLM_NONE}, .edges = {FLM_NONE, FLM_NONE}};
        if (is_new && !FLM_ARRAY_ADD(&w->functions, function))
            return false;
        w->function_of[i] = (uint32_t)w->functions.count - 1;
    }
    return true;
}

/* Appends `index` to a chain: `next` has a link for all before it. */
static void append(struct chain *chain, uint32_t *next, uint32_t index)
{
    if (chain->first == FLM_NONE)
        chain->first = index;
    else
        next[chain->last] = index;
    chain->last = index;
}

static bool add_node(struct writing *w, uint32_t node, uint32_t parent)
{
    const uint32_t *frame = w->p->node_frame;
    uint32_t from = w->function_of[frame[parent]], to = w->function_of[frame[node]];
    struct function *function = &w->functions.at[to];
    const struct flm_location *at = &w->place[frame[node]], *site = &w->place[frame[parent]];
    uint32_t own = w->p->frames[frame[node]].file, site_own = w->p->frames[frame[parent]].file;
    struct flm_call_item new_item = {to, at->file == own ? 0 : at->file, at->line};
    /* A call has no file but that of its function. */
    struct flm_call_edge new_edge = {
        .from = from, .to = to, .line = site->file == site_own ? site->line : 0};
    uint32_t item = flm_call_graph_item(&w->graph, new_item);
    uint32_t edge = flm_call_graph_edge(&w->graph, new_edge);
    if (item == UINT32_MAX || edge == UINT32_MAX)
        return false;
    if (item == w->next_item.count) {
        if (!FLM_ARRAY_ADD(&w->next_item, FLM_NONE))
            return false;
        append(&function->items, w->next_item.at, item);
    }
    if (edge == w->next_edge.count) {
        if (!FLM_ARRAY_ADD(&w->next_edge, FLM_NONE))
            return false;
        append(&w->functions.at[from].edges, w->next_edge.at, edge);
    }
    function->is_called |= from != 0;
    w->node_item[node] = item;
    w->node_edge[node] = edge;
    w->is_outermost[node] = function->on_path == 0;
    return true;
}

static bool find_calls(struct writing *w)
{
    const struct flm_profile *p = w->p;
    struct FLM_ARRAY(uint32_t) path = {0};
    bool good = true;
    for (uint32_t i = 1; i < p->sizes.node_count && good; i++) {
        while (path.count > 0 && p->node_end[path.at[path.count - 1]] <= i)
            w->functions.at[w->function_of[p->node_frame[path.at[--path.count]]]].on_path--;
        good = add_node(w, i, path.count ? path.at[path.count - 1] : 0) && FLM_ARRAY_ADD(&path, i);
        w->functions.at[w->function_of[p->node_frame[i]]].on_path++;
    }
    FLM_ARRAY_CLEAR(&path);
    return good;
}

static bool add_costs(struct writing *w)
{
    const struct flm_profile *p = w->p;
    size_t events = w->events.count, count = p->sizes.node_count;
    double *total = malloc(count * sizeof *total);
    w->item_costs = calloc(w->graph.items.count * events + 1, sizeof *w->item_costs);
    w->edge_costs = calloc(w->graph.edges.count * events + 1, sizeof *w->edge_costs);
    w->edge_calls = calloc(w->graph.edges.count + 1, sizeof *w->edge_calls);
    bool good = total && w->item_costs && w->edge_costs && w->edge_calls;
    for (size_t e = 0; e < events && good; e++) {
        const double *self = flm_self_column(p, w->events.at[e].metric);
        flm_profile_totals(p, (struct flm_metric){w->events.at[e].metric}, total);
        for (size_t i = 1; i < count; i++) {
            w->item_costs[w->node_item[i] * events + e] += self[i];
            if (w->is_outermost[i])
                w->edge_costs[w->node_edge[i] * events + e] += total[i];
        }
    }
    for (size_t i = 1; i < count && good && w->calls != FLM_NONE; i++)
        w->edge_calls[w->node_edge[i]] += flm_self_column(p, w->calls)[i];
    free(total);
    return good;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static uint64_t rounded(double value)
{
    return (uint64_t)(value < FLM_EXACT_LIMIT ? value + 0.5 : value);
}

/* Writes "ob=(1) name", or only the number of a name that was written before. */
static void write_name(struct writing *w, const char *key, enum name_kind kind, uint32_t string)
{
    bool is_new = w->ids[kind][string] == 0;
    if (is_new)
        w->ids[kind][string] = ++w->id_count[kind];
    flm_text_format(w->out, "%s=(%u)", key, w->ids[kind][string]);
    if (is_new) {
        flm_text_putc(w->out, ' ');
        if (string)
            add_name(w, flm_string_bytes(w->p, string));
        else
            flm_text_puts(w->out, "\?\?\?"); /* not a trigraph */
    }
    flm_text_putc(w->out, '\n');
}

static void write_function(struct writing *w, const char *key, uint32_t function)
{
    flm_text_format(w->out, "%s=(%u)", key, function);
    if (!w->is_named[function]) {
        struct flm_bytes name = flm_frame_function(w->p, w->functions.at[function].frame);
        flm_text_putc(w->out, ' ');
        if (name.size > 0)
            add_name(w, name);
        else
            flm_text_puts(w->out, "\?\?\?");
    }
    w->is_named[function] = true;
    flm_text_putc(w->out, '\n');
}

/* `is_own`: of a function itself, which all together are the total. */
static void write_costs(struct writing *w, uint32_t line, const double *costs, bool is_own)
{
    size_t zeros = 0; /* those at the end are left out */
    flm_text_uint(w->out, line);
    for (size_t i = 0; i < w->events.count; i++) {
        struct event *event = &w->events.at[i];
        double value = costs[i] * event->factor;
        uint64_t cost = is_own ? (uint64_t)flm_whole_next(&event->series, value) : rounded(value);
        if (cost == 0 && i > 0) {
            zeros++;
            continue;
        }
        for (; zeros > 0; zeros--)
            flm_text_puts(w->out, " 0");
        flm_text_putc(w->out, ' ');
        flm_text_uint(w->out, cost);
    }
    flm_text_putc(w->out, '\n');
}

static void write_call(struct writing *w, const struct flm_frame_record *from, uint32_t index)
{
    const struct flm_call_edge *edge = &w->graph.edges.at[index];
    const struct flm_frame_record *to = &w->p->frames[w->functions.at[edge->to].frame];
    uint64_t calls = rounded(w->edge_calls[index]);
    if (!from || to->module != from->module)
        write_name(w, "cob", NAME_OBJECT, to->module);
    if (!from || to->file != from->file)
        write_name(w, "cfi", NAME_FILE, to->file);
    write_function(w, "cfn", edge->to);
    flm_text_puts(w->out, "calls=");
    flm_text_uint(w->out, calls > 0 ? calls : 1);
    flm_text_putc(w->out, ' ');
    flm_text_uint(w->out, to->line);
    flm_text_putc(w->out, '\n');
    write_costs(w, edge->line, w->edge_costs + index * w->events.count, false);
}

static bool has_costs(const struct writing *w, const double *costs)
{
    for (size_t i = 0; i < w->events.count; i++)
        if (costs[i] > 0)
            return true;
    return false;
}

static void write_body(struct writing *w, uint32_t index)
{
    const struct function *function = &w->functions.at[index];
    const struct flm_frame_record *frame = &w->p->frames[function->frame];
    flm_text_putc(w->out, '\n');
    write_name(w, "ob", NAME_OBJECT, frame->module);
    write_name(w, "fl", NAME_FILE, frame->file);
    write_function(w, "fn", index);
    uint32_t file = 0; /* of code that is not from the function's own; 0: it is */
    for (uint32_t i = function->items.first; i != FLM_NONE; i = w->next_item.at[i]) {
        const double *costs = w->item_costs + i * w->events.count;
        const struct flm_call_item *item = &w->graph.items.at[i];
        if (!has_costs(w, costs))
            continue;
        if (item->file != file)
            write_name(w, item->file ? "fi" : "fe", NAME_FILE,
                       item->file ? item->file : frame->file);
        file = item->file;
        write_costs(w, item->line, costs, true);
    }
    if (file != 0)
        write_name(w, "fe", NAME_FILE, frame->file);
    for (uint32_t i = function->edges.first; i != FLM_NONE; i = w->next_edge.at[i])
        write_call(w, frame, i);
}

/* Writes the function (root), which calls the functions that begin stacks and are also called. Its
 * number is one that no other function has. */
static void write_root(struct writing *w)
{
    bool is_begun = false;
    for (uint32_t i = w->functions.at[0].edges.first; i != FLM_NONE; i = w->next_edge.at[i]) {
        if (!w->functions.at[w->graph.edges.at[i].to].is_called)
            continue;
        if (!is_begun)
            flm_text_format(w->out, "\nob=(%u) \?\?\?\nfl=(%u) %s\nfn=(%u) %s\n",
                            w->id_count[NAME_OBJECT] + 1, w->id_count[NAME_FILE] + 1,
                            FLM_CALLGRIND_ROOT, (uint32_t)w->functions.count, FLM_CALLGRIND_ROOT);
        is_begun = true;
        write_call(w, NULL, i);
    }
}

/* Without what has no stack: no function has that as its cost. */
static void write_totals(struct writing *w)
{
    flm_text_puts(w->out, "\ntotals:");
    for (size_t i = 0; i < w->events.count; i++) {
        struct flm_metric metric = {w->events.at[i].metric};
        flm_text_putc(w->out, ' ');
        double total = flm_profile_total(w->p, metric) - flm_self_column(w->p, metric.index)[0];
        flm_text_uint(w->out, rounded(total * w->events.at[i].factor));
    }
    flm_text_puts(w->out, w->events.count > 0 ? "\n" : " 0\n");
}

/* Where no line is known to have run, that of a frame, which may be where its function begins, is
 * the best there is: programs that show such files have nothing else to open the source at. */
static bool find_places(struct writing *w)
{
    const struct flm_profile *p = w->p;
    bool lines_ran = p->sizes.location_count == 0 || flm_profile_note_named(p, FLM_NOTE_LINES).at;
    w->place = flm_location_places(p, lines_ran);
    for (uint32_t i = 0; w->place && i < p->sizes.frame_count; i++)
        if (w->place[i].file == 0)
            w->place[i].file = p->frames[i].file;
    return w->place != NULL;
}

static bool allocate(struct writing *w)
{
    const struct flm_sizes *sizes = &w->p->sizes;
    w->function_of = malloc(sizes->frame_count * sizeof *w->function_of);
    w->node_item = malloc(sizes->node_count * sizeof *w->node_item);
    w->node_edge = malloc(sizes->node_count * sizeof *w->node_edge);
    w->is_outermost = malloc(sizes->node_count * sizeof *w->is_outermost);
    w->is_named = calloc(sizes->frame_count, sizeof *w->is_named);
    for (size_t i = 0; i < NAME_KINDS; i++) {
        w->ids[i] = calloc(sizes->string_count, sizeof *w->ids[i]);
        if (!w->ids[i])
            return false;
    }
    return w->function_of && w->node_item && w->node_edge && w->is_outermost && w->is_named;
}

bool flm_callgrind_write(const struct flm_profile *given, const struct flm_write_options *options,
                         struct flm_text *out, struct flm_error *why)
{
    (void)options;
    struct flm_profile *split = flm_has_chains(given) ? flm_profile_split(given, why) : NULL;
    struct writing w = {.p = split ? split : given, .out = out, .why = why};
    bool good = (split || !flm_has_chains(given)) && choose_events(&w);
    if (good) {
        good = allocate(&w) && find_places(&w) && find_functions(&w) && find_calls(&w) &&
               add_costs(&w);
        if (!good)
            flm_error_memory(why);
    }
    if (good) {
        write_header(&w);
        for (uint32_t i = 1; i < w.functions.count; i++)
            write_body(&w, i);
        write_root(&w);
        write_totals(&w);
    }
    FLM_ARRAY_CLEAR(&w.events);
    FLM_ARRAY_CLEAR(&w.functions);
    FLM_ARRAY_CLEAR(&w.next_item);
    FLM_ARRAY_CLEAR(&w.next_edge);
    flm_call_graph_clear(&w.graph);
    for (size_t i = 0; i < NAME_KINDS; i++)
        free(w.ids[i]);
    free(w.is_named);
    free(w.is_outermost);
    free(w.node_edge);
    free(w.node_item);
    free(w.function_of);
    free(w.edge_calls);
    free(w.edge_costs);
    free(w.item_costs);
    free(w.place);
    flm_profile_free(split);
    return good;
}
