#include "format/perf/header.h"

#include "base/core/scan.h"
#include "format/perf/internal.h"

/* ---- Left of the time ------------------------------------------------------------------------ */

/* The last word of [start, *end); *end moves before it. Empty when there is none. */
static struct flm_bytes take_last_word(const char *start, const char **end)
{
    const char *to = *end;
    while (to > start && flm_is_blank(to[-1]))
        to--;
    const char *from = to;
    while (from > start && !flm_is_blank(from[-1]))
        from--;
    *end = from;
    return flm_between(from, to);
}

static bool are_digits(struct flm_bytes word)
{
    for (size_t i = 0; i < word.size; i++)
        if (!flm_is_digit(word.at[i]))
            return false;
    return word.size > 0;
}

/* 12, or -1 where perf did not know. */
static bool is_id(struct flm_bytes word)
{
    if (word.size > 1 && *word.at == '-')
        word = flm_between(word.at + 1, word.at + word.size);
    return are_digits(word);
}

/* TID or PID/TID */
static bool take_ids(struct flm_bytes word, struct flm_perf_header *header)
{
    const char *end = word.at + word.size, *slash = flm_find(word.at, end, '/');
    struct flm_bytes first = flm_between(word.at, slash);
    struct flm_bytes second = slash < end ? flm_between(slash + 1, end) : first;
    if (!is_id(first) || !is_id(second))
        return false;
    if (slash < end)
        header->process = first;
    header->thread = second;
    return true;
}

/* [012] */
static bool take_cpu(struct flm_bytes word, struct flm_perf_header *header)
{
    if (word.size < 3 || word.at[0] != '[' || word.at[word.size - 1] != ']')
        return false;
    struct flm_bytes digits = flm_between(word.at + 1, word.at + word.size - 1);
    if (!are_digits(digits))
        return false;
    header->cpu = digits;
    return true;
}

/* What -F +misc prints before the time: letters for the mode of the processor. */
static bool is_misc(struct flm_bytes word)
{
    static const char letters[] = "UKHGgMESp";
    for (size_t i = 0; i < word.size; i++)
        if (!memchr(letters, word.at[i], sizeof letters - 1))
            return false;
    return word.size > 0 && word.size <= 4;
}

/* command PID/TID [CPU] MISC, any of which may be missing. False where only a command remains. */
static bool take_origin(const char *start, const char *end, struct flm_perf_header *header)
{
    const char *at = end, *before = end;
    struct flm_bytes word = take_last_word(start, &before);
    if (is_misc(word)) {
        at = before;
        word = take_last_word(start, &before);
    }
    bool has_cpu = take_cpu(word, header);
    if (has_cpu) {
        at = before;
        word = take_last_word(start, &before);
    }
    bool has_ids = take_ids(word, header);
    if (has_ids)
        at = before;
    header->origin = flm_trimmed(start, end);
    header->command = flm_trimmed(start, has_cpu || has_ids ? at : end);
    return has_cpu || has_ids;
}

/* ---- Right of it ----------------------------------------------------------------------------- */

/* The end of an event's name: the ':' before a blank or the end. */
static const char *find_event_end(const char *start, const char *end)
{
    for (const char *at = start; (at = flm_find(at, end, ':')) < end; at++)
        if (at + 1 == end || flm_is_blank(at[1]))
            return at;
    return end;
}

/* The beginning of the frame of a sample on one line. Its address has 16 columns, after a blank:
 * other words of the same letters have not. */
static const char *find_frame(const char *start, const char *end)
{
    enum { ADDRESS_COLUMNS = 16 };
    for (const char *at = start; at < end;) {
        const char *gap = at;
        while (at < end && flm_is_blank(*at))
            at++;
        const char *word = at;
        bool hexadecimal = true;
        for (; at < end && !flm_is_blank(*at); at++)
            hexadecimal &= flm_is_hex(*at);
        if (hexadecimal && word > start && at - gap > ADDRESS_COLUMNS)
            return word;
    }
    return end;
}

/* PERIOD EVENT: rest. A number that is not followed by an event is an address: the rest is a
 * frame. */
static void take_event(const char *start, const char *end, struct flm_perf_header *header)
{
    struct flm_bytes text = flm_trimmed(start, end);
    const char *at = text.at;
    end = text.at + text.size;
    header->rest = text;
    if (flm_bytes_start_with(text, "PERF_RECORD_")) {
        while (at < end && !flm_is_blank(*at) && *at != ':')
            at++;
        header->event = flm_between(text.at, at);
        header->rest = flm_trimmed(at + (at < end && *at == ':'), end);
        return;
    }
    while (at < end && flm_is_digit(*at))
        at++;
    if (at > text.at && (at == end || flm_is_blank(*at))) {
        header->period = flm_between(text.at, at);
        while (at < end && flm_is_blank(*at))
            at++;
    } else {
        at = text.at;
    }
    const char *event_end = find_event_end(at, end);
    const char *blank = flm_find(at, event_end, ' ');
    bool is_raw = event_end - at > 4 && memcmp(at, "raw ", 4) == 0 &&
                  flm_find(at + 4, event_end, ' ') == event_end;
    if (event_end < end && event_end > at && (blank == event_end || is_raw)) {
        header->event = flm_between(at, event_end);
        header->rest = flm_trimmed(event_end + 1, end);
        header->frame = flm_between(find_frame(event_end + 1, end), end);
    } else if (at == end) {
        header->rest = flm_between(end, end);
    } else {
        header->period = flm_between(end, end);
        header->frame = flm_between(find_frame(start, end), end);
    }
}

/* ---- The time -------------------------------------------------------------------------------- */

/* SECONDS.FRACTION before `colon`, exactly; returns its beginning, or NULL. simpleperf's
 * report_sample.py prints microseconds without their leading zeros, and a tab behind the command:
 * 540.48084 is 48,084 us after 540 s there. */
static const char *read_time(const char *start, const char *colon, int64_t *time_ns)
{
    enum { MOST_SECOND_DIGITS = 9, FRACTION_DIGITS = 9, MICROSECOND_DIGITS = 6 };
    const char *point = colon;
    while (point > start && flm_is_digit(point[-1]))
        point--;
    if (point == colon || colon - point > FRACTION_DIGITS || point == start || point[-1] != '.')
        return NULL;
    const char *from = point - 1;
    while (from > start && flm_is_digit(from[-1]))
        from--;
    if (from == point - 1 || point - 1 - from > MOST_SECOND_DIGITS + 1 ||
        (from > start && !flm_is_blank(from[-1])))
        return NULL;
    int64_t seconds = 0, fraction = 0;
    for (const char *at = from; at < point - 1; at++)
        seconds = seconds * 10 + (*at - '0');
    bool has_tab = flm_find(start, from, '\t') < from;
    int zeros = has_tab && colon - point < MICROSECOND_DIGITS
                    ? MICROSECOND_DIGITS - (int)(colon - point)
                    : 0;
    for (int i = 0; i < FRACTION_DIGITS - zeros; i++)
        fraction = fraction * 10 + (point + i < colon ? point[i] - '0' : 0);
    if (seconds > INT64_MAX / 1000000000 - 1)
        return NULL;
    *time_ns = seconds * 1000000000 + fraction;
    return from;
}

bool flm_perf_header_parse(struct flm_bytes line, struct flm_perf_header *header)
{
    const char *end = line.at + line.size;
    *header = (struct flm_perf_header){.time_ns = FLM_NO_TIME};
    for (const char *colon = line.at; (colon = flm_find(colon, end, ':')) < end; colon++) {
        if (colon == line.at || !flm_is_digit(colon[-1]) ||
            (colon + 1 < end && !flm_is_blank(colon[1])))
            continue;
        const char *time = read_time(line.at, colon, &header->time_ns);
        if (!time)
            continue;
        take_origin(line.at, time, header);
        take_event(colon + 1, end, header);
        return true;
    }
    return false;
}

/* ---- Without a time -------------------------------------------------------------------------- */

/* Whether a number at the end of a line without an event is a period: those have ten columns. */
static bool is_period(struct flm_bytes word, const char *start)
{
    enum { PERIOD_COLUMNS = 10 };
    const char *gap = word.at;
    while (gap > start && flm_is_blank(gap[-1]))
        gap--;
    return are_digits(word) && word.at + word.size - gap > PERIOD_COLUMNS;
}

enum flm_perf_guess flm_perf_header_guess(struct flm_bytes line, struct flm_perf_header *header)
{
    *header = (struct flm_perf_header){.time_ns = FLM_NO_TIME};
    struct flm_bytes text = flm_trimmed(line.at, line.at + line.size);
    const char *end = text.at + text.size;
    if (text.size == 0)
        return FLM_PERF_NONE;

    const char *event_end = find_event_end(text.at, end);
    if (event_end < end) {
        const char *left = event_end;
        struct flm_bytes event = take_last_word(text.at, &left);
        const char *before = left;
        struct flm_bytes word = take_last_word(text.at, &before);
        if (flm_bytes_are(word, "raw")) {
            event = flm_between(word.at, event_end);
            left = before;
            word = take_last_word(text.at, &before);
        }
        struct flm_perf_header other; /* of two numbers the second is the period */
        if (are_digits(word) && take_origin(text.at, before, &other)) {
            header->period = word;
            left = before;
        }
        bool found = take_origin(text.at, left, header);
        header->event = event;
        header->rest = flm_trimmed(event_end + 1, end);
        header->frame = flm_between(find_frame(event_end + 1, end), end);
        return found ? FLM_PERF_EVENT : FLM_PERF_WORDS;
    }
    const char *frame = find_frame(text.at, end);
    if (frame < end && take_origin(text.at, frame, header)) {
        header->rest = header->frame = flm_between(frame, end);
        return FLM_PERF_EVENT;
    }
    const char *left = end;
    struct flm_perf_header other;
    struct flm_bytes word = take_last_word(text.at, &left);
    if (is_period(word, text.at) && take_origin(text.at, left, &other)) {
        header->period = word;
        end = left;
    }
    return take_origin(text.at, end, header) ? FLM_PERF_NUMBER : FLM_PERF_WORDS;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

struct flm_label_set flm_perf_header_labels(struct flm_builder *builder,
                                            const struct flm_perf_header *header)
{
    const struct {
        const char *key;
        struct flm_bytes value;
    } labels[] = {{"command", header->command},
                  {"process", header->process},
                  {"thread", header->thread},
                  {"cpu", header->cpu}};
    enum { COUNT = sizeof labels / sizeof labels[0] };
    struct flm_string pairs[2 * COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++) {
        struct flm_bytes value = labels[i].value;
        if (value.size == 0)
            continue;
        pairs[2 * count] = flm_builder_string(builder, labels[i].key, strlen(labels[i].key));
        pairs[2 * count + 1] = flm_builder_string(builder, value.at, value.size);
        count++;
    }
    return flm_builder_label_set(builder, pairs, count);
}
