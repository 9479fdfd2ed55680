/* callgrind.c - callgrind.out and cachegrind.out: valgrind's, and those of Xdebug, of pprof and
 * pyprof2calltree, and of other programs that write for KCachegrind.
 *
 *     # callgrind format                     not everywhere
 *     creator: callgrind-3.19.0
 *     positions: instr line                  columns before the costs; "line" where it is missing
 *     events: Ir Dr                          the costs: metrics
 *     ob=(1) /usr/bin/app                    object, file and function of the costs that follow
 *     fl=(1) ./app
 *     fn=(1) main
 *     0x1000 12 100 20                       self cost; costs at the end may be missing
 *     +4 +1 3                                positions relative to the line before; * is the same
 *     fi=(2) <vector>                        inlined code: another file, the same function
 *     +8 50 7 1
 *     cfn=(2) parse                          a call: callee (cob= and cfi= where they are others),
 *     calls=3 0x2000 5                       how often, where to,
 *     +3 14 900 80                           and from where, with the cost of all below it
 *     jcnd=2/3 +8 +1                         a jump: another line with a position follows
 *     totals: 1010 101
 *
 * A name has a number where it occurs first, "(1) main", and only that number later: files,
 * functions and objects are counted apart. `cfi=` and `cob=` hold for one call.
 *
 * Costs and calls become stacks in call_graph.h. A file of several parts or threads (`part:`,
 * `thread:`) has a graph for each. The number of calls is a metric of its own, "calls". Negative
 * costs, which Xdebug writes for memory that was freed, count as 0 and as a loss. */
#include "base/core/hash.h"
#include "base/core/scan.h"
#include "base/core/sort.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "format/core/format.h"
#include "format/core/units.h"
#include "format/valgrind/call_graph.h"
#include "format/valgrind/callgrind_write.h"
#include "profile/internal.h"

enum { MOST_EVENTS = FLM_CALLGRIND_EVENTS, MOST_POSITIONS = 4 };

/* Descriptions of events, their bytes, terms of all formulas, and notes: what is beyond is counted.
 * Lines `events:` that differ from the one before are looked up in all descriptions: more than so
 * many are refused. */
enum {
    MOST_DESCRIBED = 256,
    MOST_DESCRIBED_SIZE = 16 << 10,
    MOST_TERMS = 1024,
    MOST_NOTES = 64,
    MOST_EVENT_LINES = 256
};

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION, NAME_KINDS };

/* The numbers of one kind of name. */
struct names {
    struct flm_index index;
    struct FLM_ARRAY(uint64_t) ids;
    struct FLM_ARRAY(uint32_t) strings;
};

struct function {
    uint32_t name, file, object;
};

struct term {
    double factor;
    uint32_t event;
};

/* One that is computed from the others: "event: Total = Ir + 10 Bcm". */
struct formula {
    struct flm_metric metric;
    size_t first, end; /* terms */
};

struct event {
    struct flm_metric metric;
    double factor; /* 10 for a unit of 10 ns */
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_line_reader lines;

    struct FLM_ARRAY(struct event) events;
    struct FLM_ARRAY(struct formula) formulas;
    struct FLM_ARRAY(struct term) terms;
    struct flm_text described; /* the lines `event:` so far: NAME[=FORMULA][:LONG NAME] */
    size_t described_count, note_count, event_lines;
    size_t described_size;       /* of `described`, when `events` was read */
    struct flm_text event_names; /* as the line `events:` has them */
    struct flm_metric calls;
    size_t position_count, line_column; /* the latter: position_count where there is none */
    bool has_calls;

    struct names names[NAME_KINDS];
    struct FLM_ARRAY(struct function) functions;
    struct FLM_ARRAY(struct flm_frame_record) frames;
    struct flm_index function_index;
    struct flm_call_graph graph;
    struct FLM_ARRAY(uint32_t) used, local; /* functions of a part; by function: which of these */
    struct FLM_ARRAY(struct flm_frame_record) used_frames;

    uint32_t object, file, called_object, called_file; /* strings */
    bool has_called_object, has_called_file;
    uint32_t function, callee; /* UINT32_MAX: none */
    uint32_t item;             /* of `function`; UINT32_MAX: not known yet */
    uint64_t call_count;
    bool is_call, is_jump; /* the next line of costs is that of a call; of a jump: it has none */
    bool has_costs;
    uint64_t line;
    uint64_t cost[MOST_EVENTS]; /* of the last line, which had so many of them; then zeros */
    size_t given;

    bool is_flamels; /* of callgrind_write.c */
    bool counts_no_calls;
    bool is_signed; /* Xdebug's: a '-' is a sign. Elsewhere it is relative to the line before */
    bool has_totals, is_callgrind;
    bool has_command, has_others; /* `cmd:`, and what cachegrind does not write */
    uint64_t summary, sum;        /* of the first event: as the part says, and of its costs */
    bool has_summary;

    struct flm_label_set labels;
    uint32_t process, thread, part; /* of this part: strings; 0: not known */
    bool is_several;                /* there are parts in front of this one */
};

static bool refuse(struct reading *r, const char *reason)
{
    return flm_error_line(r->why, FLM_ERROR_FORMAT, r->lines.number, "%s", reason);
}

static void lose(struct reading *r, const char *what)
{
    flm_builder_lost(r->builder, what, "line", r->lines.number, 1);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static struct flm_bytes word_at(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    return (struct flm_bytes){start, (size_t)(at - start)};
}

/* ---- Numbers --------------------------------------------------------------------------------- */

enum number { NUMBER_GOOD, NUMBER_NONE, NUMBER_LARGE };

/* Digits, or hexadecimal ones behind 0x, up to a blank or the end. */
static enum number read_number(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    uint64_t n = 0;
    bool is_large = false;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        const char *start = p += 2;
        for (; p < end && flm_hex_value(*p) >= 0; p++) {
            is_large |= n >> 60 != 0;
            n = n << 4 | (unsigned)flm_hex_value(*p);
        }
        if (p == start)
            return NUMBER_NONE;
    } else {
        const char *start = p;
        for (; p < end && is_digit(*p); p++) {
            uint64_t digit = (uint64_t)(*p - '0');
            is_large |= n > (UINT64_MAX - digit) / 10;
            n = n * 10 + digit;
        }
        if (p == start)
            return NUMBER_NONE;
    }
    *at = p;
    *value = n;
    return is_large ? NUMBER_LARGE : NUMBER_GOOD;
}

/* The same, or one relative to the previous value: +3, -3, *. */
static enum number read_relative(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    if (p < end && *p == '*') {
        *at = p + 1;
        return NUMBER_GOOD;
    }
    if (p == end || (*p != '+' && *p != '-'))
        return read_number(at, end, value);
    uint64_t change;
    const char *digits = p + 1;
    enum number kind = read_number(&digits, end, &change);
    if (kind == NUMBER_NONE)
        return kind;
    *at = digits;
    if (kind == NUMBER_GOOD && *p == '+' && change > UINT64_MAX - *value)
        kind = NUMBER_LARGE;
    else if (*p == '+')
        *value += change;
    else
        *value = change > *value ? 0 : *value - change;
    return kind;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static uint32_t intern(struct reading *r, const char *at, const char *end)
{
    return flm_builder_string(r->builder, at, (size_t)(end - at)).index;
}

static bool define_name(struct reading *r, enum name_kind kind, uint64_t id, uint32_t string)
{
    struct names *names = &r->names[kind];
    uint32_t hash = flm_hash_numbers(id, kind);
    for (struct flm_probe at = flm_index_probe(&names->index, hash);
         flm_index_next(&names->index, &at);)
        if (names->ids.at[at.found] == id) {
            names->strings.at[at.found] = string; /* of the next program in one file */
            return true;
        }
    return (FLM_ARRAY_RESERVE(&names->ids, 1) && FLM_ARRAY_RESERVE(&names->strings, 1) &&
            flm_index_add(&names->index, hash, (uint32_t)names->ids.count) &&
            FLM_ARRAY_ADD(&names->ids, id) && FLM_ARRAY_ADD(&names->strings, string)) ||
           flm_error_memory(r->why);
}

/* "(3) name", "(3)" or "name": a string of the builder. The name of what is not known is empty. */
static bool read_name(struct reading *r, enum name_kind kind, const char *at, const char *end,
                      uint32_t *string)
{
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    at = skip_blanks(at, end);
    uint64_t id;
    const char *p = at + 1;
    bool has_id =
        at < end && *at == '(' && read_number(&p, end, &id) == NUMBER_GOOD && p < end && *p == ')';
    if (!has_id) {
        bool is_unknown = kind != NAME_FUNCTION && end - at == 3 && memcmp(at, "???", 3) == 0;
        *string = is_unknown ? 0 : intern(r, at, end);
        return true;
    }
    const char *name = skip_blanks(p + 1, end);
    if (name < end) {
        bool is_unknown = kind != NAME_FUNCTION && end - name == 3 && memcmp(name, "???", 3) == 0;
        *string = is_unknown ? 0 : intern(r, name, end);
        return define_name(r, kind, id, *string);
    }
    const struct names *names = &r->names[kind];
    for (struct flm_probe probe = flm_index_probe(&names->index, flm_hash_numbers(id, kind));
         flm_index_next(&names->index, &probe);)
        if (names->ids.at[probe.found] == id) {
            *string = names->strings.at[probe.found];
            return true;
        }
    lose(r, "names that are only numbers, which the file does not explain");
    *string = kind == NAME_FUNCTION ? intern(r, at, end) : 0;
    return true;
}

/* callgrind names code without a symbol by its address in the object. */
static void mark_address(struct flm_frame_record *frame, struct flm_bytes name)
{
    uint64_t address;
    if (flm_bytes_are(name, "???"))
        frame->flags |= FLM_FRAME_UNSYMBOLIZED;
    if (!flm_bytes_start_with(name, "0x"))
        return;
    const char *quote = flm_find(name.at, name.at + name.size, '\'');
    struct flm_bytes digits = {name.at + 2, (size_t)(quote - name.at) - 2};
    if (!flm_number_parse_hex(digits, &address))
        return;
    frame->flags |= FLM_FRAME_UNSYMBOLIZED;
    frame->address = address;
}

/* The function of that name, file and object; UINT32_MAX, and `why`, when memory ran out. */
static uint32_t find_function(struct reading *r, struct function function)
{
    uint32_t hash =
        flm_hash_numbers((uint64_t)function.name << 32 | function.file, function.object);
    for (struct flm_probe at = flm_index_probe(&r->function_index, hash);
         flm_index_next(&r->function_index, &at);) {
        const struct function *old = &r->functions.at[at.found];
        if (old->name == function.name && old->file == function.file &&
            old->object == function.object)
            return at.found;
    }
    struct flm_frame_record frame = {.function = function.name,
                                     .module = function.object,
                                     .file = function.file,
                                     .kind = function.object ? FLM_KIND_NATIVE : FLM_KIND_PLAIN};
    mark_address(&frame, flm_interner_text(&r->builder->interner, function.name));
    uint32_t index = (uint32_t)r->functions.count;
    if (FLM_ARRAY_RESERVE(&r->functions, 1) && FLM_ARRAY_RESERVE(&r->frames, 1) &&
        flm_index_add(&r->function_index, hash, index) && FLM_ARRAY_ADD(&r->functions, function) &&
        FLM_ARRAY_ADD(&r->frames, frame))
        return index;
    flm_error_memory(r->why);
    return UINT32_MAX;
}

/* ---- Stacks of a part ------------------------------------------------------------------------ */

static void add_values(const struct flm_call_stacks *stacks, struct flm_node node,
                       const double *costs, double calls)
{
    struct reading *r = stacks->context;
    struct flm_builder *b = r->builder;
    bool has_sample = false;
    for (size_t i = 0; i < r->events.count + r->formulas.count + 1; i++) {
        double value = 0;
        struct flm_metric metric = r->calls;
        if (i < r->events.count) {
            value = costs[i] * r->events.at[i].factor;
            metric = r->events.at[i].metric;
        } else if (i < r->events.count + r->formulas.count) {
            const struct formula *formula = &r->formulas.at[i - r->events.count];
            for (size_t t = formula->first; t < formula->end; t++)
                value += r->terms.at[t].factor * costs[r->terms.at[t].event];
            metric = formula->metric;
        } else {
            value = calls;
        }
        if (value == 0)
            continue;
        if (r->labels.index == 0)
            flm_builder_add(b, node, metric, value);
        else if (has_sample)
            flm_builder_sample_add(b, metric, value);
        else
            flm_builder_sample(b, FLM_NO_TIME, node, r->labels, metric, value);
        has_sample = true;
    }
}

static void choose_labels(struct reading *r, bool is_several)
{
    struct flm_builder *b = r->builder;
    const struct {
        const char *key;
        uint32_t value;
    } all[] = {{"process", r->process}, {"thread", r->thread}, {"part", is_several ? r->part : 0}};
    struct flm_string labels[6];
    size_t count = 0;
    r->labels.index = 0;
    if (!r->options->keep_times || (!r->thread && !is_several))
        return;
    for (size_t i = 0; i < 3; i++) {
        if (!all[i].value)
            continue;
        labels[2 * count] = flm_builder_string(b, all[i].key, strlen(all[i].key));
        labels[2 * count + 1].index = all[i].value;
        count++;
    }
    r->labels = flm_builder_label_set(b, labels, count);
}

static struct flm_node thread_node(struct reading *r)
{
    struct flm_builder *b = r->builder;
    struct flm_node root = flm_builder_root(b);
    if (!r->options->by_thread || !r->thread)
        return root;
    struct flm_text name = {0};
    flm_text_puts(&name, "thread ");
    flm_text_add(&name, flm_interner_text(&b->interner, r->thread));
    struct flm_frame_record frame = {.kind = FLM_KIND_LABEL,
                                     .function = flm_builder_string(b, name.at, name.size).index};
    if (name.failed)
        flm_builder_fail_memory(b);
    flm_text_clear(&name);
    return flm_builder_child(b, root, flm_builder_frame(b, &frame));
}

/* valgrind ends each part with its totals. */
static void check_end(struct reading *r)
{
    if (r->is_callgrind && !r->has_totals) {
        bool is_less = r->has_summary && r->summary > r->sum;
        flm_builder_lost(r->builder,
                         is_less ? "costs that are in the summary of a file that is cut off"
                                 : "end of the file",
                         "line", r->lines.number, is_less ? (double)(r->summary - r->sum) : 1);
    }
    /* cachegrind's files, which say nothing of who wrote them, end with a summary. */
    if (r->has_command && !r->has_others && !r->has_summary && r->has_costs)
        flm_builder_lost(r->builder, "costs of a file that was cut off", "line", r->lines.number,
                         1);
    r->has_totals = r->has_summary = false;
    r->sum = 0;
}

static int order_functions(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return (a > b) - (a < b);
}

static bool use_function(struct reading *r, uint32_t function)
{
    if (r->local.at[function] != UINT32_MAX)
        return true;
    r->local.at[function] = 0;
    return FLM_ARRAY_ADD(&r->used, function);
}

/* Numbers the functions of this part anew, in order: of a file with many parts each has only few of
 * them, and stacks take a step for each function. */
static bool number_functions(struct reading *r)
{
    struct flm_call_graph *g = &r->graph;
    while (r->local.count < r->functions.count)
        if (!FLM_ARRAY_ADD(&r->local, UINT32_MAX))
            return false;
    r->used.count = r->used_frames.count = 0;
    bool good = true;
    for (size_t i = 0; good && i < g->items.count; i++)
        good = use_function(r, g->items.at[i].function);
    for (size_t i = 0; good && i < g->edges.count; i++)
        good = use_function(r, g->edges.at[i].from) && use_function(r, g->edges.at[i].to);
    size_t count = r->used.count;
    good = good && FLM_ARRAY_RESERVE(&r->used, count) && FLM_ARRAY_RESERVE(&r->used_frames, count);
    if (!good)
        return false;
    flm_sort(r->used.at, count, r->used.at + count, order_functions, NULL);
    for (size_t i = 0; i < count; i++) {
        r->local.at[r->used.at[i]] = (uint32_t)i;
        r->used_frames.at[r->used_frames.count++] = r->frames.at[r->used.at[i]];
    }
    for (size_t i = 0; i < g->items.count; i++)
        g->items.at[i].function = r->local.at[g->items.at[i].function];
    for (size_t i = 0; i < g->edges.count; i++) {
        g->edges.at[i].from = r->local.at[g->edges.at[i].from];
        g->edges.at[i].to = r->local.at[g->edges.at[i].to];
    }
    for (size_t i = 0; i < count; i++)
        r->local.at[r->used.at[i]] = UINT32_MAX;
    return true;
}

/* Makes stacks of what was read since the last time. */
static bool finish_part(struct reading *r, bool is_several)
{
    check_end(r);
    r->function = r->callee = r->item = UINT32_MAX;
    r->is_call = r->is_jump = r->has_called_file = r->has_called_object = false;
    if (r->graph.items.count + r->graph.edges.count == 0)
        return true;
    choose_labels(r, is_several);
    if (!number_functions(r))
        return flm_error_memory(r->why);
    struct flm_call_stacks stacks = {.builder = r->builder,
                                     .frames = r->used_frames.at,
                                     .function_count = (uint32_t)r->used.count,
                                     .base = thread_node(r),
                                     .lines = r->options->lines,
                                     .context = r,
                                     .add = add_values};
    bool good = flm_call_graph_stacks(&r->graph, &stacks) || flm_builder_failed(r->builder);
    flm_call_graph_clear(&r->graph);
    return good || flm_error_memory(r->why);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* "Time_(10ns)", "Memory_(bytes)", "cpu(nanoseconds)": a name with its unit. */
static void split_event(struct flm_bytes name, struct flm_bytes *rest, struct flm_bytes *unit,
                        double *factor)
{
    *rest = name;
    *unit = (struct flm_bytes){0};
    *factor = 1;
    const char *end = name.at + name.size, *open = flm_find(name.at, end, '(');
    if (end - open < 3 || end[-1] != ')' || open == name.at)
        return;
    uint64_t number;
    const char *at = open + 1;
    if (read_number(&at, end - 1, &number) == NUMBER_GOOD && number > 0 && number < 1u << 30)
        *factor = (double)number;
    *unit = flm_unit_named((struct flm_bytes){at, (size_t)(end - 1 - at)});
    *rest = (struct flm_bytes){name.at, (size_t)(open - name.at)};
    if (rest->size > 1 && rest->at[rest->size - 1] == '_')
        rest->size--;
}

/* "Name [= formula] [: long name]" */
static void split_description(struct flm_bytes text, struct flm_bytes *name,
                              struct flm_bytes *formula, struct flm_bytes *title)
{
    const char *end = text.at + text.size, *colon = flm_find(text.at, end, ':');
    const char *equals = flm_find(text.at, colon, '=');
    *name = flm_bytes_trimmed((struct flm_bytes){text.at, (size_t)(equals - text.at)});
    *formula = equals < colon
                   ? flm_bytes_trimmed((struct flm_bytes){equals + 1, (size_t)(colon - equals - 1)})
                   : (struct flm_bytes){0};
    *title = colon < end
                 ? flm_bytes_trimmed((struct flm_bytes){colon + 1, (size_t)(end - colon - 1)})
                 : (struct flm_bytes){0};
}

static struct flm_bytes title_of(const struct reading *r, struct flm_bytes event)
{
    struct flm_bytes title = {0};
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        struct flm_bytes name, formula, text;
        split_description((struct flm_bytes){rest.at, size}, &name, &formula, &text);
        if (flm_bytes_equal(name, event))
            title = text;
        rest = flm_bytes_from(rest, size + 1);
    }
    return title;
}

/* "cpu time (ns)", of files of callgrind_write.c: the name and the unit as they were. */
static bool split_title(struct flm_bytes title, struct flm_bytes *name, struct flm_bytes *unit)
{
    size_t open = title.size;
    while (open > 0 && title.at[open - 1] != '(')
        open--;
    if (open == 0 || title.at[title.size - 1] != ')')
        return false;
    *name = flm_bytes_trimmed((struct flm_bytes){title.at, open - 1});
    *unit = (struct flm_bytes){title.at + open, title.size - 1 - open};
    return true;
}

/* The unit of an event whose name has none: its own name, or its long one, may be a unit ("ns :
 * Nanoseconds", "Microseconds"); valgrind writes "sysTime : sysTime (elapsed us)". */
static struct flm_bytes unit_of(const struct reading *r, struct flm_bytes event)
{
    static const char *const units[] = {"Nanoseconds",  "ns",   "Microseconds", "us",
                                        "Milliseconds", "ms",   "Seconds",      "s",
                                        "Bytes",        "bytes"};
    struct flm_bytes title = title_of(r, event);
    size_t open = title.size;
    while (open > 0 && title.at[open - 1] != ' ')
        open--;
    struct flm_bytes last = flm_bytes_from(title, open);
    if (last.size > 1 && last.at[last.size - 1] == ')')
        last.size--;
    const struct flm_bytes candidates[] = {event, title, last};
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < sizeof units / sizeof *units; i += 2)
            if (flm_bytes_are(candidates[c], units[i]) ||
                flm_bytes_are(candidates[c], units[i + 1]))
                return flm_bytes_of(units[i + 1]);
    return flm_bytes_of("count");
}

static struct flm_metric add_metric(struct reading *r, struct flm_bytes name, struct flm_bytes unit)
{
    struct flm_builder *b = r->builder;
    return (struct flm_metric){
        flm_builder_metric_of(b, flm_builder_string(b, name.at, name.size).index,
                              flm_builder_string(b, unit.at, unit.size).index)};
}

/* The event of that name; UINT32_MAX: there is none. */
static uint32_t event_named(const struct reading *r, struct flm_bytes wanted)
{
    const char *at = r->event_names.at, *end = at + r->event_names.size;
    for (uint32_t i = 0; i < r->events.count; i++) {
        at = skip_blanks(at, end);
        struct flm_bytes name = word_at(at, end);
        if (flm_bytes_equal(name, wanted))
            return i;
        at += name.size;
    }
    return UINT32_MAX;
}

/* "Ir + 10 Bm - 2 * L1m". False where it has an event that is not in the file, or is no sum. */
static bool read_terms(struct reading *r, struct flm_bytes text, bool *is_known)
{
    const char *at = text.at, *end = at + text.size;
    double sign = 1;
    *is_known = false;
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        struct term term = {.factor = sign};
        const char *start = at;
        while (at < end && (is_digit(*at) || *at == '.'))
            at++;
        double factor;
        if (at > start && flm_number_parse((struct flm_bytes){start, (size_t)(at - start)},
                                           &factor) != FLM_NUMBER_NONE)
            term.factor *= factor;
        at = skip_blanks(at, end);
        if (at < end && *at == '*')
            at = skip_blanks(at + 1, end);
        start = at;
        while (at < end && !flm_is_one_of(*at, " \t+-*"))
            at++;
        term.event = event_named(r, (struct flm_bytes){start, (size_t)(at - start)});
        *is_known = term.event != UINT32_MAX;
        if (!*is_known)
            return true;
        if (r->terms.count == MOST_TERMS) {
            lose(r, "derived events with more terms than 1024");
            *is_known = false;
            return true;
        }
        if (!FLM_ARRAY_ADD(&r->terms, term))
            return flm_error_memory(r->why);
        at = skip_blanks(at, end);
        if (at < end && *at != '+' && *at != '-') {
            *is_known = false;
            return true;
        }
        sign = at < end && *at == '-' ? -1 : 1;
        at += at < end;
    }
    return true;
}

static bool read_formulas(struct reading *r)
{
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        struct flm_bytes name, text, title;
        split_description((struct flm_bytes){rest.at, size}, &name, &text, &title);
        rest = flm_bytes_from(rest, size + 1);
        if (text.size == 0 || event_named(r, name) != UINT32_MAX)
            continue;
        struct formula formula = {.first = r->terms.count};
        bool is_known;
        if (!read_terms(r, text, &is_known))
            return false;
        formula.end = r->terms.count;
        if (!is_known) {
            lose(r, "derived events of events that the file does not have");
            continue;
        }
        formula.metric = add_metric(r, name, flm_bytes_of("count"));
        if (!FLM_ARRAY_ADD(&r->formulas, formula))
            return flm_error_memory(r->why);
    }
    return true;
}

static bool read_events(struct reading *r, const char *at, const char *end)
{
    const char *start = at;
    struct flm_bytes names = {r->event_names.at, r->event_names.size};
    if (r->events.count > 0 && r->described_size == r->described.size &&
        flm_bytes_equal((struct flm_bytes){at, (size_t)(end - at)}, names)) {
        memset(r->cost, 0, sizeof r->cost);
        r->given = 0;
        return true; /* the next part, which has the same */
    }
    if (r->event_lines++ == MOST_EVENT_LINES)
        return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number,
                              "more than %d different lines 'events:': this is not a profile",
                              MOST_EVENT_LINES);
    r->described_size = r->described.size;
    r->events.count = r->formulas.count = r->terms.count = 0;
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        struct flm_bytes word = word_at(at, end), name, unit;
        struct event event;
        at += word.size;
        split_event(word, &name, &unit, &event.factor);
        if ((!r->is_flamels || !split_title(title_of(r, word), &name, &unit)) && unit.size == 0)
            unit = unit_of(r, word);
        if (r->events.count == MOST_EVENTS)
            return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number,
                                  "more than %d events: this is not a profile", MOST_EVENTS);
        event.metric = add_metric(r, name, unit);
        if (!FLM_ARRAY_ADD(&r->events, event))
            return flm_error_memory(r->why);
    }
    if (r->events.count == 0)
        return refuse(r, "the line 'events:' names no event");
    r->graph.cost_count = r->events.count;
    memset(r->cost, 0, sizeof r->cost);
    r->given = 0;
    r->event_names.size = 0;
    flm_text_add(&r->event_names, (struct flm_bytes){start, (size_t)(end - start)});
    return r->event_names.failed || r->described.failed ? flm_error_memory(r->why)
                                                        : read_formulas(r);
}

/* ---- Costs ----------------------------------------------------------------------------------- */

static bool refuse_large(struct reading *r, const char *what)
{
    return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number, "%s is 2^64 or more", what);
}

enum verdict { COSTS_GOOD, COSTS_MALFORMED, COSTS_REFUSED };

/* A cost of Xdebug's: a '-' is a sign. */
static enum number read_signed(struct reading *r, const char **at, const char *end, uint64_t *value)
{
    if (*at < end && **at == '-') {
        const char *digits = *at + 1;
        enum number kind = read_number(&digits, end, value);
        if (kind == NUMBER_NONE)
            return kind;
        *at = digits;
        *value = 0;
        lose(r, "negative costs, which count as 0");
        return NUMBER_GOOD;
    }
    return read_number(at, end, value);
}

/* "+3 12 100 20": into r->line and r->cost. */
static enum verdict read_costs(struct reading *r, const char *at, const char *end)
{
    for (size_t i = 0; i < r->position_count && at < end; i++) {
        if (i == r->line_column && r->options->lines) {
            enum number kind = read_relative(&at, end, &r->line);
            if (kind != NUMBER_GOOD)
                return COSTS_MALFORMED;
        }
        while (at < end && *at != ' ' && *at != '\t')
            at++;
        at = skip_blanks(at, end);
    }
    size_t count = r->events.count, i = 0;
    for (; at < end && i < count; i++) {
        enum number kind = NUMBER_GOOD;
        const char *p = at;
        uint64_t value = 0;
        for (; p < end && is_digit(*p); p++)
            value = value * 10 + (uint64_t)(*p - '0');
        size_t size = (size_t)(p - at);
        if (size - 1 < 19 && (p == end || *p == ' ')) { /* 1 to 19 digits: nothing overflows */
            r->cost[i] = value;
            at = p;
        } else {
            kind = r->is_signed ? read_signed(r, &at, end, &r->cost[i])
                                : read_relative(&at, end, &r->cost[i]);
        }
        if (kind == NUMBER_LARGE) {
            refuse_large(r, "a cost");
            return COSTS_REFUSED;
        }
        if (kind == NUMBER_NONE || (at < end && *at != ' ' && *at != '\t'))
            return COSTS_MALFORMED;
        at = skip_blanks(at, end);
    }
    for (size_t c = i; c < r->given; c++)
        r->cost[c] = 0;
    r->given = i;
    return at < end ? COSTS_MALFORMED : COSTS_GOOD;
}

static bool add_costs(struct reading *r, uint64_t *sums)
{
    for (size_t i = 0; i < r->given; i++) {
        sums[i] += r->cost[i];
        if (sums[i] < r->cost[i])
            return refuse_large(r, "a sum of costs");
    }
    return true;
}

static uint32_t line_of(const struct reading *r)
{
    return r->options->lines && r->line <= UINT32_MAX ? (uint32_t)r->line : 0;
}

static bool need_function(struct reading *r)
{
    if (r->function == UINT32_MAX) {
        struct function unknown = {flm_builder_string(r->builder, "???", 3).index, r->file,
                                   r->object};
        r->function = find_function(r, unknown);
    }
    return r->function != UINT32_MAX;
}

/* The caller of functions that begin stacks, in files of callgrind_write.c. */
static bool is_our_root(const struct reading *r)
{
    const struct function *function = &r->functions.at[r->function];
    const struct flm_interner *names = &r->builder->interner;
    return r->is_flamels && function->name == function->file &&
           flm_bytes_are(flm_interner_text(names, function->name), FLM_CALLGRIND_ROOT);
}

static bool add_call(struct reading *r)
{
    r->is_call = r->has_called_file = r->has_called_object = false;
    uint32_t callee = r->callee;
    r->callee = UINT32_MAX;
    if (callee == UINT32_MAX) {
        lose(r, "calls without a callee");
        return true;
    }
    if (!need_function(r))
        return false;
    if (is_our_root(r))
        return true;
    struct flm_call_edge edge = {r->function, callee, line_of(r), 0};
    uint32_t index = flm_call_graph_edge(&r->graph, edge);
    if (index == UINT32_MAX)
        return flm_error_memory(r->why);
    uint64_t *calls = &r->graph.edges.at[index].calls;
    if (!r->counts_no_calls)
        *calls = *calls > UINT64_MAX - r->call_count ? UINT64_MAX : *calls + r->call_count;
    if (!r->has_calls && !r->counts_no_calls) {
        bool is_taken = event_named(r, flm_bytes_of("calls")) != UINT32_MAX;
        r->calls = add_metric(r, flm_bytes_of(is_taken ? "number of calls" : "calls"),
                              flm_bytes_of("count"));
    }
    r->has_calls = true;
    return add_costs(r, r->graph.edge_costs.at + (size_t)index * r->events.count);
}

static bool add_self(struct reading *r)
{
    if (r->item == UINT32_MAX || r->options->lines) {
        if (!need_function(r))
            return false;
        struct flm_call_item item = {r->function, r->options->lines ? r->file : 0, line_of(r)};
        r->item = flm_call_graph_item(&r->graph, item);
        if (r->item == UINT32_MAX)
            return flm_error_memory(r->why);
    }
    r->has_costs = true;
    r->sum += r->cost[0];
    return add_costs(r, r->graph.item_costs.at + (size_t)r->item * r->events.count);
}

static bool read_cost_line(struct reading *r, struct flm_bytes line)
{
    if (r->events.count == 0)
        return refuse(r, "a cost before the line 'events:', which would say what it is: is the "
                         "beginning missing?");
    bool is_call = r->is_call, is_jump = r->is_jump;
    r->is_call = r->is_jump = false;
    switch (read_costs(r, line.at, line.at + line.size)) {
    case COSTS_REFUSED:
        return false;
    case COSTS_MALFORMED:
        lose(r, "malformed lines");
        return true;
    case COSTS_GOOD:
        break;
    }
    return is_jump || (is_call ? add_call(r) : add_self(r));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool enter_function(struct reading *r, const char *at, const char *end)
{
    struct function function = {0, r->file, r->object};
    if (!read_name(r, NAME_FUNCTION, at, end, &function.name))
        return false;
    r->function = find_function(r, function);
    r->item = UINT32_MAX;
    return r->function != UINT32_MAX;
}

static bool name_callee(struct reading *r, const char *at, const char *end)
{
    struct function function = {0, r->has_called_file ? r->called_file : r->file,
                                r->has_called_object ? r->called_object : r->object};
    if (!read_name(r, NAME_FUNCTION, at, end, &function.name))
        return false;
    r->callee = find_function(r, function);
    return r->callee != UINT32_MAX;
}

static bool begin_call(struct reading *r, const char *at, const char *end)
{
    at = skip_blanks(at, end);
    enum number kind = read_number(&at, end, &r->call_count);
    if (kind == NUMBER_LARGE)
        return refuse_large(r, "the number of calls");
    if (kind == NUMBER_NONE) {
        lose(r, "malformed lines");
        r->call_count = 0;
    }
    r->is_call = true;
    return true;
}

/* "KEY=VALUE": of the body. */
static bool read_assignment(struct reading *r, struct flm_bytes key, const char *at,
                            const char *end)
{
    uint32_t ignored;
    if (flm_bytes_are(key, "fn"))
        return enter_function(r, at, end);
    if (key.size == 2 && key.at[0] == 'f') /* fl, fi, fe */
        return read_name(r, NAME_FILE, at, end, &r->file);
    if (flm_bytes_are(key, "cfn"))
        return name_callee(r, at, end);
    if (flm_bytes_are(key, "calls") || flm_bytes_are(key, "rcalls"))
        return begin_call(r, at, end);
    if (flm_bytes_are(key, "cfi") || flm_bytes_are(key, "cfl")) {
        r->has_called_file = true;
        return read_name(r, NAME_FILE, at, end, &r->called_file);
    }
    if (flm_bytes_are(key, "cob")) {
        r->has_called_object = true;
        return read_name(r, NAME_OBJECT, at, end, &r->called_object);
    }
    if (flm_bytes_are(key, "ob"))
        return read_name(r, NAME_OBJECT, at, end, &r->object);
    if (flm_bytes_are(key, "jump") || flm_bytes_are(key, "jcnd")) {
        r->is_jump = true;
        return true;
    }
    if (flm_bytes_are(key, "jfi"))
        return read_name(r, NAME_FILE, at, end, &ignored);
    if (flm_bytes_are(key, "jfn"))
        return read_name(r, NAME_FUNCTION, at, end, &ignored);
    if (flm_bytes_are(key, "job"))
        return read_name(r, NAME_OBJECT, at, end, &ignored);
    lose(r, "malformed lines");
    return true;
}

static bool read_positions(struct reading *r, const char *at, const char *end)
{
    r->position_count = 0;
    r->line_column = MOST_POSITIONS;
    for (at = skip_blanks(at, end); at < end; at = skip_blanks(at, end)) {
        struct flm_bytes word = word_at(at, end);
        at += word.size;
        if (r->position_count == MOST_POSITIONS)
            return refuse(r, "more columns of positions than there are kinds of them");
        if (flm_bytes_are(word, "line"))
            r->line_column = r->position_count;
        r->position_count++;
    }
    return r->position_count > 0 || refuse(r, "the line 'positions:' names no position");
}

static void note(struct reading *r, const char *key, const char *at, const char *end)
{
    struct flm_bytes value = flm_bytes_trimmed((struct flm_bytes){at, (size_t)(end - at)});
    if (value.size)
        flm_builder_note(r->builder, key, value.at, value.size);
}

/* What valgrind and Xdebug write there. */
static bool is_own_key(struct flm_bytes key)
{
    static const char *const keys[] = {"I1 cache", "D1 cache",  "LL cache",
                                       "L2 cache", "Timerange", "Trigger"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (flm_bytes_are(key, keys[i]))
            return true;
    return false;
}

/* "KEY: VALUE" of a line `desc:` becomes a note; one without a value none. Other keys than those
 * of valgrind are "callgrind: KEY": a file must not set the notes that flamel itself goes by. */
static void note_description(struct reading *r, struct flm_bytes text)
{
    const char *end = text.at + text.size, *colon = flm_find(text.at, end, ':');
    if (colon == end)
        return;
    struct flm_bytes name = {text.at, (size_t)(colon - text.at)};
    struct flm_bytes value =
        flm_bytes_trimmed((struct flm_bytes){colon + 1, (size_t)(end - colon - 1)});
    if (name.size == 0 || value.size == 0 || memchr(name.at, 0, name.size))
        return;
    bool is_own = is_own_key(name);
    if (!is_own && r->note_count == MOST_NOTES) {
        lose(r, "descriptions, of which there are too many");
        return;
    }
    r->note_count += !is_own;
    struct flm_text key = {0};
    flm_text_puts(&key, is_own ? "" : "callgrind: ");
    flm_text_add(&key, name);
    flm_text_putc(&key, 0);
    if (!key.failed)
        flm_builder_note(r->builder, key.at, value.at, value.size);
    flm_text_clear(&key);
}

/* A line `event:`. A file of several parts has the same ones in each. */
static void add_description(struct reading *r, struct flm_bytes value)
{
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        if (flm_bytes_equal((struct flm_bytes){rest.at, size}, value))
            return;
        rest = flm_bytes_from(rest, size + 1);
    }
    if (r->described_count == MOST_DESCRIBED ||
        r->described.size + value.size >= MOST_DESCRIBED_SIZE) {
        lose(r, "descriptions of events, of which there are too many");
        return;
    }
    r->described_count++;
    flm_text_add(&r->described, value);
    flm_text_putc(&r->described, '\n');
}

/* The first number of "summary: 123 45". */
static bool first_number(const char *at, const char *end, uint64_t *value)
{
    at = skip_blanks(at, end);
    return read_number(&at, end, value) == NUMBER_GOOD;
}

/* "KEY: VALUE". One that begins a part ends the part before it. */
static bool read_header(struct reading *r, struct flm_bytes key, const char *at, const char *end)
{
    static const char *const begins[] = {"version", "creator", "cmd",       "pid",
                                         "part",    "thread",  "positions", "events"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (flm_bytes_are(key, begins[i]) && r->graph.items.count + r->graph.edges.count > 0) {
            if (!finish_part(r, true))
                return false;
            r->is_several = true;
        }
    struct flm_bytes value = flm_bytes_trimmed((struct flm_bytes){at, (size_t)(end - at)});
    r->has_command = r->has_command || flm_bytes_are(key, "cmd");
    r->has_others = r->has_others || flm_bytes_are(key, "version") ||
                    flm_bytes_are(key, "creator") || flm_bytes_are(key, "pid") ||
                    flm_bytes_are(key, "part") || flm_bytes_are(key, "positions") ||
                    flm_bytes_are(key, "event");
    if (flm_bytes_are(key, "events"))
        return read_events(r, at, end);
    if (flm_bytes_are(key, "positions"))
        return read_positions(r, at, end);
    if (flm_bytes_are(key, "event")) {
        add_description(r, value);
    } else if (flm_bytes_are(key, "creator")) {
        r->is_signed = flm_bytes_start_with(value, "xdebug");
        r->is_callgrind = flm_bytes_start_with(value, "callgrind-");
        r->is_flamels = flm_bytes_are(value, FLM_CALLGRIND_CREATOR);
        note(r, "producer", at, end);
    } else if (flm_bytes_are(key, "cmd")) {
        note(r, "command", at, end);
    } else if (flm_bytes_are(key, "desc") && r->is_flamels &&
               flm_bytes_are(value, FLM_CALLGRIND_CALLS)) {
        r->counts_no_calls = true;
    } else if (flm_bytes_are(key, "desc")) {
        note_description(r, value);
    } else if (flm_bytes_are(key, "pid")) {
        r->process = intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "thread")) {
        r->thread = intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "part")) {
        r->part = intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "totals")) {
        r->has_totals = true;
    } else if (flm_bytes_are(key, "summary")) {
        r->has_summary = first_number(at, end, &r->summary);
    }
    return true;
}

static bool read_line(struct reading *r, struct flm_bytes line)
{
    const char *at = line.at, *end = at + line.size;
    if (at < end && (is_digit(*at) || flm_is_one_of(*at, "+-*")))
        return read_cost_line(r, line);
    at = skip_blanks(at, end);
    if (at == end || *at == '#')
        return true;
    if (is_digit(*at) || flm_is_one_of(*at, "+-*"))
        return read_cost_line(r, (struct flm_bytes){at, (size_t)(end - at)});
    const char *key = at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
        at++;
    struct flm_bytes word = {key, (size_t)(at - key)};
    at = skip_blanks(at, end);
    if (at < end && word.size > 0 && *at == '=')
        return read_assignment(r, word, at + 1, end);
    if (at < end && word.size > 0 && *at == ':')
        return read_header(r, word, at + 1, end);
    lose(r, "malformed lines");
    return true;
}

static const char approximated[] =
    "the file says which functions call which, not from where these were called: costs below a "
    "function with several callers are divided among them in proportion. Sums of functions are "
    "exact, stacks are approximated";

static bool read_callgrind(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder,
                        .options = options,
                        .why = why,
                        .lines = {.source = source, .why = why},
                        .position_count = 1,
                        .function = UINT32_MAX,
                        .callee = UINT32_MAX,
                        .item = UINT32_MAX};
    bool good = true;
    struct flm_bytes line;
    while (good && flm_line_next(&r.lines, &line))
        good = read_line(&r, line) && (r.lines.number % 1024 || !flm_builder_failed(builder));
    good = (good || flm_builder_failed(builder)) && !r.lines.failed;
    if (good && !flm_builder_failed(builder) && !r.has_costs && !r.has_calls && r.events.count == 0)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "no line 'events:': this is no callgrind file");
    good = good && finish_part(&r, r.is_several);
    if (good && r.has_calls)
        flm_builder_note(builder, FLM_NOTE_NOT_SHOWN "exact stacks", approximated,
                         sizeof approximated - 1);
    for (size_t i = 0; i < NAME_KINDS; i++) {
        flm_index_clear(&r.names[i].index);
        FLM_ARRAY_CLEAR(&r.names[i].ids);
        FLM_ARRAY_CLEAR(&r.names[i].strings);
    }
    FLM_ARRAY_CLEAR(&r.events);
    FLM_ARRAY_CLEAR(&r.formulas);
    FLM_ARRAY_CLEAR(&r.terms);
    FLM_ARRAY_CLEAR(&r.functions);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.used);
    FLM_ARRAY_CLEAR(&r.local);
    FLM_ARRAY_CLEAR(&r.used_frames);
    flm_index_clear(&r.function_index);
    flm_call_graph_clear(&r.graph);
    flm_text_clear(&r.described);
    flm_text_clear(&r.event_names);
    return good;
}

/* ---- Recognizing ----------------------------------------------------------------------------- */

/* Lines of a header, one of them `events:`, and behind it the first name. */
static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (flm_bytes_start_with(head, "# callgrind format"))
        return FLM_SNIFF_MAGIC;
    static const char *const names[] = {"fn=", "fl=", "ob=", "fi=", "fe="};
    bool has_events = false;
    for (struct flm_bytes rest = head; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        struct flm_bytes line = flm_bytes_trimmed((struct flm_bytes){rest.at, size});
        rest = flm_bytes_from(rest, size + (size < rest.size));
        if (line.size == 0 || *line.at == '#' || *line.at == '\r')
            continue;
        if (flm_bytes_start_with(line, "events:"))
            has_events = true;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (flm_bytes_start_with(line, names[i]))
                return has_events ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
        const char *colon = flm_find(line.at, line.at + line.size, ':');
        size_t letters = 0;
        while (line.at + letters < colon && line.at[letters] >= 'a' && line.at[letters] <= 'z')
            letters++;
        if (letters == 0 || line.at + letters != colon || colon == line.at + line.size)
            return FLM_SNIFF_NO;
    }
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_callgrind = {
    .name = "callgrind",
    .title = "Callgrind and Cachegrind",
    .extensions = ".callgrind",
    .description = "callgrind.out and cachegrind.out of valgrind, Xdebug and others: stacks are "
                   "approximated",
    .loses = "stacks, but for which function calls which; numbers of calls that are not a metric; "
             "fractions of values",
    .metrics = FLM_METRICS_ALL,
    .holds = FLM_HOLDS_MODULES | FLM_HOLDS_FILES,
    .sniff = sniff,
    .read = read_callgrind,
    .write = flm_callgrind_write,
};
