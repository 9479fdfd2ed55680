/* callgrind.c - callgrind.out and cachegrind.out, as written by valgrind, Xdebug, pprof,
 * pyprof2calltree, and other programs that write files for KCachegrind.
 *
 *     # callgrind format                     optional
 *     creator: callgrind-3.19.0
 *     positions: instr line                  columns before the costs; "line" by default
 *     events: Ir Dr                          the costs: metrics
 *     ob=(1) /usr/bin/app                    object, file and function of the costs that follow
 *     fl=(1) ./app
 *     fn=(1) main
 *     0x1000 12 100 20                       self cost; the last costs may be left out
 *     +4 +1 3                                positions relative to the line before; * is the same
 *     fi=(2) <vector>                        inlined code: another file, the same function
 *     +8 50 7 1
 *     cfn=(2) parse                          a call: the callee (cob=, cfi=: its object and file),
 *     calls=3 0x2000 5                       how often it was called, and the callee's position;
 *     +3 14 900 80                           the caller's position, and the inclusive cost
 *     jcnd=2/3 +8 +1                         a jump: a line with a position follows
 *     totals: 1010 101
 *
 * A name gets a number where it occurs first, "(1) main"; later only that number is written. Files,
 * functions and objects have numbers of their own. `cfi=` and `cob=` are for one call only.
 *
 * Costs and calls become stacks in call_graph.h. A file of several parts or threads (`part:`,
 * `thread:`) has a graph for each. The number of calls is a metric of its own, "calls". Negative
 * costs, which Xdebug writes for memory that was freed, count as 0 and as a loss. */
#include "base/core/scan.h"
#include "format/valgrind/callgrind_write.h"
#include "format/valgrind/internal.h"
#include "profile/internal.h"

enum { MOST_POSITIONS = 4, MOST_NOTES = 64 }; /* notes beyond these are counted as losses */

static bool read_positions(struct flm_callgrind *r, const char *at, const char *end)
{
    r->position_count = 0;
    r->line_column = MOST_POSITIONS;
    for (at = flm_callgrind_skip_blanks(at, end); at < end;
         at = flm_callgrind_skip_blanks(at, end)) {
        struct flm_bytes word = flm_callgrind_word(at, end);
        at += word.size;
        if (r->position_count == MOST_POSITIONS)
            return flm_callgrind_refuse(r,
                                        "more columns of positions than there are kinds of them");
        if (flm_bytes_are(word, "line"))
            r->line_column = r->position_count;
        r->position_count++;
    }
    return r->position_count > 0 ||
           flm_callgrind_refuse(r, "the line 'positions:' names no position");
}

static void note(struct flm_callgrind *r, const char *key, const char *at, const char *end)
{
    struct flm_bytes value = flm_bytes_trimmed((struct flm_bytes){at, (size_t)(end - at)});
    if (value.size)
        flm_builder_note(r->builder, key, value.at, value.size);
}

/* The keys that valgrind and Xdebug write in lines `desc:`. */
static bool is_own_key(struct flm_bytes key)
{
    static const char *const keys[] = {"I1 cache", "D1 cache",  "LL cache",
                                       "L2 cache", "Timerange", "Trigger"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (flm_bytes_are(key, keys[i]))
            return true;
    return false;
}

/* Makes a note of "KEY: VALUE" in a line `desc:`, if there is a value. A key that is not valgrind's
 * becomes "callgrind: KEY", because a file must not set the notes that flamel itself reads. */
static void note_description(struct flm_callgrind *r, struct flm_bytes text)
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
        flm_callgrind_lose(r, "descriptions, of which there are too many");
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

/* The first number of "summary: 123 45". */
static bool first_number(const char *at, const char *end, uint64_t *value)
{
    at = flm_callgrind_skip_blanks(at, end);
    return flm_callgrind_number(&at, end, value) == FLM_CALLGRIND_NUMBER_GOOD;
}

/* Reads a line "KEY: VALUE". A key that begins a part ends the part before it. */
static bool read_header(struct flm_callgrind *r, struct flm_bytes key, const char *at,
                        const char *end)
{
    static const char *const begins[] = {"version", "creator", "cmd",       "pid",
                                         "part",    "thread",  "positions", "events"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (flm_bytes_are(key, begins[i]) &&
            r->graph.items.count + r->graph.edges.count + r->own.block.count > 0) {
            if (!flm_callgrind_finish_part(r, true))
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
        return flm_callgrind_read_events(r, at, end);
    if (flm_bytes_are(key, "positions"))
        return read_positions(r, at, end);
    if (flm_bytes_are(key, "event")) {
        flm_callgrind_describe(r, value);
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
        r->process = flm_callgrind_intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "thread")) {
        r->thread = flm_callgrind_intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "part")) {
        r->part = flm_callgrind_intern(r, value.at, value.at + value.size);
    } else if (flm_bytes_are(key, "totals")) {
        r->has_totals = true;
    } else if (flm_bytes_are(key, "summary")) {
        r->has_summary = first_number(at, end, &r->summary);
    }
    return true;
}

static bool read_line(struct flm_callgrind *r, struct flm_bytes line)
{
    const char *at = line.at, *end = at + line.size;
    if (at < end && (flm_callgrind_is_digit(*at) || flm_is_one_of(*at, "+-*")))
        return flm_callgrind_read_costs(r, line);
    at = flm_callgrind_skip_blanks(at, end);
    if (at == end || *at == '#')
        return true;
    if (flm_callgrind_is_digit(*at) || flm_is_one_of(*at, "+-*"))
        return flm_callgrind_read_costs(r, (struct flm_bytes){at, (size_t)(end - at)});
    const char *key = at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')))
        at++;
    struct flm_bytes word = {key, (size_t)(at - key)};
    at = flm_callgrind_skip_blanks(at, end);
    if (at < end && word.size > 0 && *at == '=')
        return flm_callgrind_read_assignment(r, word, at + 1, end);
    if (at < end && word.size > 0 && *at == ':')
        return read_header(r, word, at + 1, end);
    flm_callgrind_lose(r, "malformed lines");
    return true;
}

static bool read_callgrind(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    struct flm_callgrind r = {.builder = builder,
                              .options = options,
                              .why = why,
                              .lines = {.source = source, .why = why},
                              .position_count = 1,
                              .function = UINT32_MAX,
                              .callee = UINT32_MAX,
                              .item = UINT32_MAX,
                              .own = {.graph = &r.graph}};
    bool good = true;
    struct flm_bytes line;
    while (good && flm_line_next(&r.lines, &line)) {
        good = read_line(&r, line) && (r.lines.number % 1024 || !flm_builder_failed(builder)) &&
               flm_callgrind_read_plain_costs(&r);
    }
    good = (good || flm_builder_failed(builder)) && !r.lines.failed;
    if (good && !flm_builder_failed(builder) && !r.has_costs && !r.has_calls && r.events.count == 0)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "no line 'events:': this is no callgrind file");
    good = good && flm_callgrind_finish_part(&r, r.is_several);
    if (good && r.has_calls)
        flm_call_graph_note(builder);
    for (size_t i = 0; i < FLM_CALLGRIND_KINDS; i++) {
        FLM_ARRAY_CLEAR(&r.names[i].near);
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
    FLM_ARRAY_CLEAR(&r.latest);
    flm_callgrind_lines_clear(&r.own);
    flm_call_graph_clear(&r.graph);
    flm_text_clear(&r.described);
    flm_text_clear(&r.event_names);
    return good;
}

/* ---- Recognizing ----------------------------------------------------------------------------- */

/* Recognized by lines of a header, one of which is `events:`, and a line of the body after them. */
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
    .also_loses = "numbers of calls that are not a metric, notes but the command",
    .metrics = FLM_METRICS_ALL,
    .whole_values = true,
    .holds =
        FLM_HOLDS_VALUES | FLM_HOLDS_SUMS | FLM_HOLDS_MODULES | FLM_HOLDS_FILES | FLM_HOLDS_LINES,
    .sniff = sniff,
    .read = read_callgrind,
    .write = flm_callgrind_write,
};
