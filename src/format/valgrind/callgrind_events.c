/* callgrind_events.c - the events of a callgrind file as metrics: their names, units and formulas.
 *
 *     event: sysTime : sysTime (elapsed us)         a long name, which may have a unit
 *     event: Total = Ir + 10 Bm : cycles            a derived event: a sum of others
 *     events: Ir sysTime Time_(10ns)                the costs, in the order of their columns
 *
 * Descriptions may stand before or between the parts of a file, so they are kept as text, and are
 * looked up when a line `events:` is read. */
#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/core/units.h"
#include "format/valgrind/internal.h"
#include "profile/internal.h"

/* Descriptions of events, their bytes, and terms of all formulas: more are counted as losses.
 * Each line `events:` that differs from the one before is looked up in all descriptions, so a file
 * with more of them than this is refused. */
enum {
    MOST_DESCRIBED = 256,
    MOST_DESCRIBED_SIZE = 16 << 10,
    MOST_TERMS = 1024,
    MOST_EVENT_LINES = 256
};

void flm_callgrind_describe(struct flm_callgrind *r, struct flm_bytes value)
{
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        if (flm_bytes_equal((struct flm_bytes){rest.at, size}, value))
            return;
        rest = flm_bytes_from(rest, size + 1);
    }
    if (r->described_count == MOST_DESCRIBED ||
        r->described.size + value.size >= MOST_DESCRIBED_SIZE) {
        flm_callgrind_lose(r, "descriptions of events, of which there are too many");
        return;
    }
    r->described_count++;
    flm_text_add(&r->described, value);
    flm_text_putc(&r->described, '\n');
}

/* Splits a name with a unit: "Time_(10ns)", "Memory_(bytes)", "cpu(nanoseconds)". */
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
    if (flm_callgrind_number(&at, end - 1, &number) == FLM_CALLGRIND_NUMBER_GOOD && number > 0 &&
        number < 1u << 30)
        *factor = (double)number;
    *unit = flm_unit_named((struct flm_bytes){at, (size_t)(end - 1 - at)});
    *rest = (struct flm_bytes){name.at, (size_t)(open - name.at)};
    if (rest->size > 1 && rest->at[rest->size - 1] == '_')
        rest->size--;
}

/* Splits "Name [= formula] [: long name]". */
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

static struct flm_bytes title_of(const struct flm_callgrind *r, struct flm_bytes event)
{
    struct flm_bytes title = {"", 0};
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        struct flm_bytes name, formula, text;
        split_description((struct flm_bytes){rest.at, size}, &name, &formula, &text);
        if (text.size > 0 && flm_bytes_equal(name, event))
            title = text;
        rest = flm_bytes_from(rest, size + 1);
    }
    return title;
}

/* Splits "cpu time (ns)", a long name of callgrind_write.c: the original name and unit. */
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

/* The unit of an event whose name does not end with one. Its name or its long name may be a unit
 * ("ns : Nanoseconds", "Microseconds"); valgrind writes "sysTime : sysTime (elapsed us)". */
static struct flm_bytes unit_of(const struct flm_callgrind *r, struct flm_bytes event)
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

struct flm_metric flm_callgrind_add_metric(struct flm_callgrind *r, struct flm_bytes name,
                                           struct flm_bytes unit)
{
    struct flm_builder *b = r->builder;
    return (struct flm_metric){
        flm_builder_metric_of(b, flm_builder_string(b, name.at, name.size).index,
                              flm_builder_string(b, unit.at, unit.size).index)};
}

uint32_t flm_callgrind_event_named(const struct flm_callgrind *r, struct flm_bytes wanted)
{
    const char *at = r->event_names.at, *end = at + r->event_names.size;
    for (uint32_t i = 0; i < r->events.count; i++) {
        at = flm_callgrind_skip_blanks(at, end);
        struct flm_bytes name = flm_callgrind_word(at, end);
        if (flm_bytes_equal(name, wanted))
            return i;
        at += name.size;
    }
    return UINT32_MAX;
}

/* Reads "Ir + 10 Bm - 2 * L1m". *is_known: it is a sum, and the file has all its events. False, and
 * `why`, when memory ran out. */
static bool read_terms(struct flm_callgrind *r, struct flm_bytes text, bool *is_known)
{
    const char *at = text.at, *end = at + text.size;
    double sign = 1;
    *is_known = false;
    for (at = flm_callgrind_skip_blanks(at, end); at < end;
         at = flm_callgrind_skip_blanks(at, end)) {
        struct flm_callgrind_term term = {.factor = sign};
        const char *start = at;
        while (at < end && (flm_callgrind_is_digit(*at) || *at == '.'))
            at++;
        double factor;
        if (at > start && flm_number_parse((struct flm_bytes){start, (size_t)(at - start)},
                                           &factor) != FLM_NUMBER_NONE)
            term.factor *= factor;
        at = flm_callgrind_skip_blanks(at, end);
        if (at < end && *at == '*')
            at = flm_callgrind_skip_blanks(at + 1, end);
        start = at;
        while (at < end && !flm_is_one_of(*at, " \t+-*"))
            at++;
        term.event = flm_callgrind_event_named(r, (struct flm_bytes){start, (size_t)(at - start)});
        *is_known = term.event != UINT32_MAX;
        if (!*is_known)
            return true;
        if (r->terms.count == MOST_TERMS) {
            flm_callgrind_lose(r, "derived events with more terms than 1024");
            *is_known = false;
            return true;
        }
        if (!FLM_ARRAY_ADD(&r->terms, term))
            return flm_error_memory(r->why);
        at = flm_callgrind_skip_blanks(at, end);
        if (at < end && *at != '+' && *at != '-') {
            *is_known = false;
            return true;
        }
        sign = at < end && *at == '-' ? -1 : 1;
        at += at < end;
    }
    return true;
}

static bool read_formulas(struct flm_callgrind *r)
{
    for (struct flm_bytes rest = {r->described.at, r->described.size}; rest.size > 0;) {
        size_t size = (size_t)(flm_find(rest.at, rest.at + rest.size, '\n') - rest.at);
        struct flm_bytes name, text, title;
        split_description((struct flm_bytes){rest.at, size}, &name, &text, &title);
        rest = flm_bytes_from(rest, size + 1);
        if (text.size == 0 || flm_callgrind_event_named(r, name) != UINT32_MAX)
            continue;
        struct flm_callgrind_formula formula = {.first = r->terms.count};
        bool is_known;
        if (!read_terms(r, text, &is_known))
            return false;
        formula.end = r->terms.count;
        if (!is_known) {
            flm_callgrind_lose(r, "derived events of events that the file does not have");
            continue;
        }
        formula.metric = flm_callgrind_add_metric(r, name, flm_bytes_of("count"));
        if (!FLM_ARRAY_ADD(&r->formulas, formula))
            return flm_error_memory(r->why);
    }
    return true;
}

bool flm_callgrind_read_events(struct flm_callgrind *r, const char *at, const char *end)
{
    const char *start = at;
    struct flm_bytes names = {r->event_names.at, r->event_names.size};
    if (r->events.count > 0 && r->described_size == r->described.size &&
        flm_bytes_equal((struct flm_bytes){at, (size_t)(end - at)}, names)) {
        memset(r->cost, 0, sizeof r->cost);
        r->given = 0;
        return true; /* the next part has the same events */
    }
    if (r->event_lines++ == MOST_EVENT_LINES)
        return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number,
                              "more than %d different lines 'events:': this is not a profile",
                              MOST_EVENT_LINES);
    r->described_size = r->described.size;
    r->events.count = r->formulas.count = r->terms.count = 0;
    for (at = flm_callgrind_skip_blanks(at, end); at < end;
         at = flm_callgrind_skip_blanks(at, end)) {
        struct flm_bytes word = flm_callgrind_word(at, end), name, unit;
        struct flm_callgrind_event event;
        at += word.size;
        split_event(word, &name, &unit, &event.factor);
        if ((!r->is_flamels || !split_title(title_of(r, word), &name, &unit)) && unit.size == 0)
            unit = unit_of(r, word);
        if (r->events.count == FLM_CALLGRIND_EVENTS)
            return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number,
                                  "more than %d events: this is not a profile",
                                  FLM_CALLGRIND_EVENTS);
        event.metric = flm_callgrind_add_metric(r, name, unit);
        if (!FLM_ARRAY_ADD(&r->events, event))
            return flm_error_memory(r->why);
    }
    if (r->events.count == 0)
        return flm_callgrind_refuse(r, "the line 'events:' names no event");
    r->graph.cost_count = r->events.count;
    r->own.most_lines = flm_callgrind_most_lines(r->events.count + r->described_count + 1);
    memset(r->cost, 0, sizeof r->cost);
    r->given = 0;
    r->event_names.size = 0;
    flm_text_add(&r->event_names, (struct flm_bytes){start, (size_t)(end - start)});
    return r->event_names.failed || r->described.failed ? flm_error_memory(r->why)
                                                        : read_formulas(r);
}
