/* xctrace.c - tables of Instruments as XML: xctrace export --xpath '...table[@schema="..."]'.
 *
 *     <trace-query-result><node><schema name="time-profile">...</schema>
 *     <row><sample-time id="1">57246708</sample-time>
 *          <thread id="2" fmt="main  0x8480c1 (app, pid: 49374)"><tid id="3">8683713</tid>
 *              <process id="4" fmt="app (49374)"><pid id="5">49374</pid></process></thread>
 *          <core id="7" fmt="CPU 3">3</core> <thread-state id="8">Running</thread-state>
 *          <weight id="9" fmt="1.00 ms">1000000</weight>
 *          <backtrace id="10">
 *              <frame id="11" name="f" addr="0x18d3df0f1"><binary id="12" path="/usr/lib/dyld"/>
 *                  <source line="7"><path id="13">...</path></source></frame>
 *              <frame ref="14"/>
 *          </backtrace></row>
 *     <row>... <weight ref="9"/><backtrace ref="10"/></row></node></trace-query-result>
 *
 * Each value is written once, with an id, and is a reference from then on: so all values are kept,
 * 48 bytes each. The leaf is first. A backtrace may be in a <tagged-backtrace>; a <kperf-bt> has
 * addresses alone, the leaf's apart from those of its callers. A <sentinel/> stands for no value.
 *
 * A row with a stack or a weight is a sample. What is measured is the weight: nanoseconds, cycles,
 * or, where there is none, samples. A second table that measures the same is a metric of its own.
 * Rows of other tables (signposts, thread states) are counted as lost, as are the counters of
 * <pmc-events>, whose names are not in the file. */
#include <assert.h>

#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/xml/xml.h"
#include "format/core/mapped.h"
#include "format/text/internal.h"
#include "profile/internal.h"

enum tag {
    /* Values of a row: each has a place in struct reading. */
    SAMPLE_TIME,
    EVENT_TIME,
    THREAD,
    PROCESS,
    CORE,
    STATE,
    WEIGHT,
    CYCLE_WEIGHT,
    COUNTERS,
    BACKTRACE,
    TAGGED_BACKTRACE,
    KPERF_BACKTRACE,
    ROW_VALUES,
    /* Parts of them. */
    FRAME = ROW_VALUES,
    BINARY,
    SOURCE,
    PATH,
    THREAD_ID,
    PROCESS_ID,
    ADDRESS,
    ADDRESSES,
    /* Around them. */
    ROW,
    SCHEMA,
    OTHER
};

static const char *const tags[] = {
    [SAMPLE_TIME] = "sample-time",
    [EVENT_TIME] = "event-time",
    [THREAD] = "thread",
    [PROCESS] = "process",
    [CORE] = "core",
    [STATE] = "thread-state",
    [WEIGHT] = "weight",
    [CYCLE_WEIGHT] = "cycle-weight",
    [COUNTERS] = "pmc-events",
    [BACKTRACE] = "backtrace",
    [TAGGED_BACKTRACE] = "tagged-backtrace",
    [KPERF_BACKTRACE] = "kperf-bt",
    [FRAME] = "frame",
    [BINARY] = "binary",
    [SOURCE] = "source",
    [PATH] = "path",
    [THREAD_ID] = "tid",
    [PROCESS_ID] = "pid",
    [ADDRESS] = "text-address",
    [ADDRESSES] = "text-addresses",
    [ROW] = "row",
    [SCHEMA] = "schema",
};

struct value {
    uint64_t id;
    uint64_t number; /* its text; of a frame the address */
    uint32_t tag;
    uint32_t shown;        /* a string: the attribute "fmt" or "name", or else its text */
    uint32_t part, other;  /* strings. thread: its id, its process; process: its id; binary: its
                              module; frame: module, file; source: file */
    uint32_t first, count; /* of backtraces: frames. frame: itself, its line; source: -, line */
};

struct metric_of {
    uint32_t schema;
    enum tag tag;
    struct flm_metric metric;
};

struct reading {
    struct flm_xml xml;
    struct flm_stack_buffer stack;
    struct FLM_ARRAY(struct value) values; /* those with an id */
    struct flm_index index;
    struct FLM_ARRAY(struct value) open;
    struct FLM_ARRAY(struct flm_frame) frames; /* of all backtraces, the leaf first */
    struct FLM_ARRAY(struct metric_of) metrics;
    struct flm_text text; /* of the innermost element */
    struct value row[ROW_VALUES];
    bool has[ROW_VALUES]; /* which of them this row has */
    uint32_t schema;
    bool has_samples;
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->stack.builder;
}

static uint32_t string_of(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(builder_of(r), text.at ? text.at : "", text.size).index;
}

static struct flm_bytes bytes_of(struct reading *r, uint32_t string)
{
    return flm_interner_text(&builder_of(r)->interner, string);
}

static bool going_on(struct reading *r)
{
    return !r->xml.failed && !flm_builder_failed(builder_of(r));
}

static void lose(struct reading *r, const char *what)
{
    flm_builder_lost(builder_of(r), what, "line", r->xml.line, 1);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static enum tag tag_of(struct flm_bytes name)
{
    size_t tag = 0;
    while (tag < OTHER && !flm_bytes_are(name, tags[tag]))
        tag++;
    return (enum tag)tag;
}

static const struct value *find_value(const struct reading *r, uint64_t id)
{
    struct flm_probe at = flm_index_probe(&r->index, flm_hash_numbers(id, 0));
    while (flm_index_next(&r->index, &at))
        if (r->values.at[at.found].id == id)
            return &r->values.at[at.found];
    return NULL;
}

static void keep_value(struct reading *r, const struct value *value)
{
    if (value->id == 0 || value->tag >= ROW)
        return;
    if (find_value(r, value->id)) {
        flm_xml_fail(&r->xml, "an element has the \"id\" of another one");
    } else if (r->values.count >= UINT32_MAX - 1 || !FLM_ARRAY_ADD(&r->values, *value) ||
               !flm_index_add(&r->index, flm_hash_numbers(value->id, 0),
                              (uint32_t)r->values.count - 1)) {
        flm_builder_fail_memory(builder_of(r));
    }
}

static bool number_of(struct flm_bytes text, uint64_t *number)
{
    text = flm_bytes_trimmed(text);
    return flm_text_skip(&text, "0x") ? flm_number_parse_hex(text, number)
                                      : flm_number_parse_uint(text, number);
}

static void add_frame(struct reading *r, struct value *stack, struct flm_frame frame)
{
    if (stack->count == 0)
        stack->first = (uint32_t)r->frames.count;
    if (r->frames.count >= UINT32_MAX - 1 || !FLM_ARRAY_ADD(&r->frames, frame))
        flm_builder_fail_memory(builder_of(r));
    else
        stack->count++;
}

/* A frame without a name has that of its address: it is its name where nothing is known. */
static struct flm_frame frame_of(struct reading *r, const struct value *value)
{
    struct flm_frame_record record = {
        .function = value->shown, .module = value->part, .file = value->other};
    const struct flm_location where = {.line = value->count};
    struct flm_bytes name = bytes_of(r, value->shown);
    uint64_t address;
    if (name.size == 0) {
        char storage[24];
        struct flm_text text;
        flm_text_init_fixed(&text, storage, sizeof storage);
        flm_mapped_frame_name(&text, value->number, bytes_of(r, value->part));
        record.function = string_of(r, (struct flm_bytes){text.at, text.size});
    }
    if (name.size == 0 || (flm_bytes_start_with(name, "0x") && number_of(name, &address))) {
        record.flags = FLM_FRAME_UNSYMBOLIZED;
        record.address = value->number;
    }
    return flm_builder_located(builder_of(r), &record, where);
}

static void add_address(struct reading *r, struct value *stack, uint64_t address)
{
    add_frame(r, stack, frame_of(r, &(struct value){.number = address}));
}

/* "4377765984 4375091312 0": the callers; 0 is where the stack ends. */
static void read_addresses(struct reading *r, struct value *value)
{
    struct flm_bytes rest = {r->text.at, r->text.size}, word;
    uint64_t address;
    while (rest.size > 0 && going_on(r)) {
        rest = flm_bytes_trimmed(rest);
        word = rest;
        if (!flm_text_take_until(&rest, " ", &word))
            rest.size = 0;
        if (number_of(word, &address) && address != 0)
            add_address(r, value, address);
    }
}

/* The callers of a leaf, which may be the first of them as well. */
static void join_addresses(struct reading *r, struct value *stack, const struct value *callers)
{
    enum { MOST = 1024 }; /* a long list may be referred to by every backtrace, and is copied */
    uint32_t leaf = stack->count > 0 ? r->frames.at[stack->first].index : FLM_NONE;
    if (callers->count > MOST)
        lose(r, "outer frames of backtraces with more than 1,024 addresses");
    for (uint32_t i = 0; i < callers->count && i < MOST; i++) {
        struct flm_frame frame = r->frames.at[callers->first + i];
        if (i > 0 || frame.index != leaf)
            add_frame(r, stack, frame);
    }
}

/* A part of a value, which is complete, or a reference. */
static void take_part(struct reading *r, struct value *to, const struct value *part)
{
    if (part->tag == FRAME && (to->tag == BACKTRACE || to->tag == TAGGED_BACKTRACE)) {
        add_frame(r, to, (struct flm_frame){part->first});
    } else if (part->tag == BACKTRACE && to->tag == TAGGED_BACKTRACE) {
        to->first = part->first;
        to->count = part->count;
    } else if (part->tag == PROCESS && to->tag == THREAD) {
        to->other = part->shown;
        to->first = part->part;
    } else if ((part->tag == THREAD_ID && to->tag == THREAD) ||
               (part->tag == PROCESS_ID && to->tag == PROCESS)) {
        to->part = part->shown;
    } else if (part->tag == BINARY && to->tag == FRAME) {
        to->part = part->part;
    } else if (part->tag == SOURCE && to->tag == FRAME) {
        to->other = part->part;
        to->count = part->count;
    } else if (part->tag == PATH && to->tag == SOURCE) {
        to->part = part->shown;
    } else if (part->tag == ADDRESS && to->tag == KPERF_BACKTRACE) {
        to->number = part->number; /* the callers may be before it */
        to->part = 1;
    } else if (part->tag == ADDRESSES && to->tag == KPERF_BACKTRACE) {
        to->first = part->first;
        to->count = part->count;
    } else if (part->tag < ROW_VALUES && to->tag == ROW) {
        r->row[part->tag] = *part;
        r->has[part->tag] = true;
    }
}

static void open_value(struct reading *r)
{
    struct value value = {.tag = tag_of(r->xml.name)};
    struct flm_bytes id = flm_xml_attribute(&r->xml, "id");
    struct flm_bytes ref = flm_xml_attribute(&r->xml, "ref");
    uint64_t number;
    r->text.size = 0;
    if (value.tag < ROW && ref.size > 0) {
        const struct value *found =
            flm_number_parse_uint(ref, &number) ? find_value(r, number) : NULL;
        if (!found || found->tag != value.tag)
            flm_xml_fail(&r->xml, "the \"ref\" of this element is the \"id\" of none before it");
        else
            value = *found;
        value.id = 0;
        value.tag |= 1u << 31; /* complete: what is in the element adds nothing */
    } else if (id.size > 0 && value.tag < ROW) {
        if (!flm_number_parse_uint(id, &value.id) || value.id == 0)
            flm_xml_fail(&r->xml, "the \"id\" of this element is not a number");
    }
    if (value.tag == SCHEMA)
        r->schema = string_of(r, flm_xml_attribute(&r->xml, "name"));
    else if (value.tag == ROW)
        memset(r->has, 0, sizeof r->has);
    else if (value.tag == BINARY) {
        struct flm_bytes path = flm_xml_attribute(&r->xml, "path");
        value.part = string_of(r, path.size > 0 ? path : flm_xml_attribute(&r->xml, "name"));
    } else if (value.tag == FRAME) {
        value.shown = string_of(r, flm_xml_attribute(&r->xml, "name"));
        number_of(flm_xml_attribute(&r->xml, "addr"), &value.number);
    } else if (value.tag == SOURCE) {
        if (number_of(flm_xml_attribute(&r->xml, "line"), &number) && number <= UINT32_MAX)
            value.count = (uint32_t)number;
    } else if (value.tag < ROW) {
        value.shown = string_of(r, flm_xml_attribute(&r->xml, "fmt"));
    }
    if (going_on(r) && !FLM_ARRAY_ADD(&r->open, value))
        flm_builder_fail_memory(builder_of(r));
}

/* ---- Samples --------------------------------------------------------------------------------- */

static struct flm_metric metric_for(struct reading *r, enum tag tag)
{
    bool is_taken = false;
    for (size_t i = 0; i < r->metrics.count; i++) {
        if (r->metrics.at[i].tag == tag && r->metrics.at[i].schema == r->schema)
            return r->metrics.at[i].metric;
        is_taken |= r->metrics.at[i].tag == tag;
    }
    static const char samples[] = "samples", cycles[] = "cycles";
    char storage[80];
    struct flm_text name;
    flm_text_init_fixed(&name, storage, sizeof storage - 1);
    flm_text_puts(&name, tag == WEIGHT ? "time" : tag == CYCLE_WEIGHT ? cycles : samples);
    if (is_taken) {
        struct flm_bytes schema = bytes_of(r, r->schema);
        flm_text_format(&name, " (%.*s)", (int)schema.size, schema.at);
    }
    storage[name.size] = 0;
    struct metric_of added = {r->schema, tag,
                              flm_builder_metric(builder_of(r), storage,
                                                 tag == WEIGHT         ? "ns"
                                                 : tag == CYCLE_WEIGHT ? cycles
                                                                       : samples)};
    if (!FLM_ARRAY_ADD(&r->metrics, added))
        flm_builder_fail_memory(builder_of(r));
    return added.metric;
}

/* "main  0x8480c1 (app (x), pid: 49374)" without its last brackets. */
static struct flm_bytes before_brackets(struct flm_bytes text)
{
    size_t depth = 0, size = text.size;
    while (size > 0) {
        char byte = text.at[--size];
        depth += byte == ')';
        if (depth == 0)
            return text;
        if (byte == '(' && --depth == 0)
            break;
    }
    return flm_bytes_trimmed((struct flm_bytes){text.at, size});
}

/* "main  0x8480c1": the name alone. */
static struct flm_bytes before_number(struct flm_bytes text)
{
    struct flm_bytes before, rest;
    uint64_t number;
    if (flm_text_split_last(text, " 0x", &before, &rest) && flm_number_parse_hex(rest, &number))
        return flm_bytes_trimmed(before);
    return text;
}

/* A copy: adding strings moves those that there are. */
static struct flm_bytes copy_of(struct reading *r, uint32_t string)
{
    r->text.size = 0;
    flm_text_add(&r->text, bytes_of(r, string));
    if (r->text.failed)
        flm_builder_fail_memory(builder_of(r));
    return (struct flm_bytes){r->text.at, r->text.size};
}

static void add_thread(struct reading *r)
{
    struct value none = {0}, thread = r->has[THREAD] ? r->row[THREAD] : none;
    struct value process = {.shown = thread.other, .part = thread.first};
    if (r->has[PROCESS])
        process = r->row[PROCESS];
    if (process.shown)
        flm_stack_thread(&r->stack, copy_of(r, process.shown));
    if (thread.shown)
        flm_stack_thread(&r->stack, before_brackets(copy_of(r, thread.shown)));
    flm_stack_label(&r->stack, "thread name",
                    before_number(before_brackets(copy_of(r, thread.shown))));
    flm_stack_label(&r->stack, "thread", copy_of(r, thread.part));
    flm_stack_label(&r->stack, "process name", before_brackets(copy_of(r, process.shown)));
    flm_stack_label(&r->stack, "process", copy_of(r, process.part));
}

static void add_sample(struct reading *r, enum tag stack)
{
    enum tag weight = r->has[WEIGHT] ? WEIGHT : r->has[CYCLE_WEIGHT] ? CYCLE_WEIGHT : OTHER;
    enum tag clock = r->has[SAMPLE_TIME] ? SAMPLE_TIME : EVENT_TIME;
    int64_t time_ns = FLM_NO_TIME;
    uint64_t value = weight == OTHER ? 1 : r->row[weight].number;
    if (r->has[clock] && r->row[clock].number <= INT64_MAX)
        time_ns = (int64_t)r->row[clock].number;
    flm_stack_begin(&r->stack);
    add_thread(r);
    if (r->has[STATE])
        flm_stack_label(&r->stack, "state", copy_of(r, r->row[STATE].shown));
    if (r->has[CORE]) {
        char storage[24];
        struct flm_text text;
        flm_text_init_fixed(&text, storage, sizeof storage);
        flm_text_uint(&text, r->row[CORE].number);
        flm_stack_label(&r->stack, "cpu", (struct flm_bytes){text.at, text.size});
    }
    if (stack != OTHER) {
        const struct value *s = &r->row[stack];
        assert((size_t)s->first + s->count <= r->frames.count);
        if (!FLM_ARRAY_RESERVE(&r->stack.frames, s->count)) {
            flm_builder_fail_memory(builder_of(r));
            return;
        }
        for (uint32_t i = 0; i < s->count; i++)
            r->stack.frames.at[r->stack.frames.count++] = r->frames.at[s->first + i];
    }
    flm_builder_rounded(builder_of(r), flm_uint_is_rounded(value));
    flm_stack_add(&r->stack, FLM_LEAF_FIRST, time_ns, metric_for(r, weight), (double)value);
    r->has_samples = true;
}

static void end_row(struct reading *r)
{
    enum tag stack = r->has[BACKTRACE]          ? BACKTRACE
                     : r->has[TAGGED_BACKTRACE] ? TAGGED_BACKTRACE
                     : r->has[KPERF_BACKTRACE]  ? KPERF_BACKTRACE
                                                : OTHER;
    if (stack != OTHER || r->has[WEIGHT] || r->has[CYCLE_WEIGHT])
        add_sample(r, stack);
    else
        lose(r, "rows without a stack or a weight");
    if (r->has[COUNTERS])
        lose(r, "rows with counters (pmc-events), whose names are not in the file");
}

static void close_value(struct reading *r)
{
    assert(r->open.count > 0);
    struct value value = r->open.at[--r->open.count];
    uint32_t complete = value.tag & 1u << 31;
    value.tag &= ~(1u << 31);
    struct flm_bytes text = flm_bytes_trimmed((struct flm_bytes){r->text.at, r->text.size});
    if (!complete && value.tag < ROW) {
        if (value.tag == FRAME) {
            value.first = frame_of(r, &value).index;
        } else if (value.tag == ADDRESSES) {
            read_addresses(r, &value);
        } else if (value.tag == KPERF_BACKTRACE && value.part == 1) {
            struct value callers = value;
            value.first = value.count = value.part = 0;
            add_address(r, &value, value.number);
            join_addresses(r, &value, &callers);
        } else if (value.tag != BINARY && value.tag != SOURCE) {
            bool is_id = value.tag == THREAD_ID || value.tag == PROCESS_ID;
            if ((value.tag == WEIGHT || value.tag == CYCLE_WEIGHT) &&
                !number_of(text, &value.number))
                flm_xml_fail(&r->xml, "a weight that is not a number");
            number_of(text, &value.number);
            if (text.size > 0 && (is_id || bytes_of(r, value.shown).size == 0))
                value.shown = string_of(r, text);
        }
        if (going_on(r))
            keep_value(r, &value);
    }
    r->text.size = 0;
    if (!going_on(r))
        return;
    if (r->open.count > 0 && r->open.at[r->open.count - 1].tag < OTHER)
        take_part(r, &r->open.at[r->open.count - 1], &value);
    if (value.tag == ROW)
        end_row(r);
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool read_xctrace(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.stack = {.builder = builder, .options = options}};
    enum flm_xml_event event;
    flm_xml_init(&r.xml, source, why);
    while (going_on(&r) && (event = flm_xml_next(&r.xml)) != FLM_XML_END) {
        if (event == FLM_XML_OPEN) {
            open_value(&r);
        } else if (event == FLM_XML_CLOSE) {
            close_value(&r);
        } else {
            flm_text_add(&r.text, r.xml.text);
            if (r.text.failed)
                flm_builder_fail_memory(builder);
        }
    }
    bool good = flm_xml_finish(&r.xml);
    if (good && !r.has_samples && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no rows with a stack or a weight");
    flm_stack_clear(&r.stack);
    flm_index_clear(&r.index);
    flm_text_clear(&r.text);
    FLM_ARRAY_CLEAR(&r.values);
    FLM_ARRAY_CLEAR(&r.open);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.metrics);
    return good;
}

static int sniff_xctrace(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    return flm_bytes_start_with(head, "<") && flm_bytes_contain(head, "<trace-query-result")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_xctrace = {
    .name = "xctrace",
    .title = "xctrace",
    .extensions = "",
    .description = "tables of Instruments of Xcode as XML: xctrace export --xpath",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_xctrace,
    .read = read_xctrace,
};
