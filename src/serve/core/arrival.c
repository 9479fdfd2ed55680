#include "serve/core/arrival.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "flamel/file.h"
#include "format/core/units.h"
#include "load/unordered.h"
#include "os/clock.h"
#include "store/labels/series_labels.h"

enum { MOST_PROFILES = 1024 };
static const int64_t MOST_AHEAD_MS = 10 * 60 * 1000;
static const int64_t YEAR_2000_MS = 946684800000;

void flm_arrivals_init(struct flm_arrivals *arrivals, struct flm_serving *serving,
                       const struct flm_http_request *request)
{
    *arrivals = (struct flm_arrivals){.serving = serving, .tenant = request->tenant};
}

void flm_arrivals_clear(struct flm_arrivals *arrivals)
{
    size_t count = arrivals->items.count;
    if (!arrivals->is_durable) /* none: the first one could not be read */
        atomic_fetch_add(&arrivals->serving->count.refused_profiles, count > 0 ? count : 1);
    for (size_t i = 0; i < count; i++) {
        flm_profile_free(arrivals->items.at[i].profile);
        flm_http_fields_clear(&arrivals->items.at[i].labels);
        flm_text_clear(&arrivals->items.at[i].id);
    }
    FLM_ARRAY_CLEAR(&arrivals->items);
}

bool flm_arrivals_add(struct flm_arrivals *arrivals, struct flm_profile *profile, int64_t time_ms,
                      struct flm_error *why)
{
    struct flm_arrival arrival = {.profile = profile, .time_ms = time_ms};
    if (time_ms == FLM_ARRIVAL_NO_TIME) {
        int64_t recorded_ms = flm_recorded_time(profile) / 1000000;
        arrival.time_ms = recorded_ms ? recorded_ms : flm_wall_ms();
    }
    if (arrivals->items.count >= MOST_PROFILES)
        flm_error_set(why, FLM_ERROR_RANGE, "there are more than %d profiles in a request",
                      MOST_PROFILES);
    else if (FLM_ARRAY_ADD(&arrivals->items, arrival))
        return true;
    else
        flm_error_memory(why);
    flm_profile_free(profile);
    return false;
}

static struct flm_arrival *last(const struct flm_arrivals *arrivals)
{
    return arrivals->items.count > 0 ? &arrivals->items.at[arrivals->items.count - 1] : NULL;
}

static struct flm_bytes cut(struct flm_bytes text, size_t most)
{
    return (struct flm_bytes){text.at, text.size < most ? text.size : most};
}

/* A sum, since a client may have its labels in another order when it sends them again. */
static uint64_t checksum_of_labels(const struct flm_http_fields *labels, bool *failed)
{
    struct flm_text text = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < labels->count; i++) {
        text.size = 0;
        flm_text_puts(&text, labels->at[i].name);
        flm_text_putc(&text, 0);
        flm_text_puts(&text, labels->at[i].value);
        sum += flm_checksum(text.at, text.size);
    }
    *failed |= text.failed;
    flm_text_clear(&text);
    return sum;
}

void flm_arrival_id(struct flm_arrivals *arrivals, struct flm_bytes id, struct flm_bytes time,
                    struct flm_bytes bytes)
{
    enum { CHECKSUM = 17 };
    struct flm_arrival *arrival = last(arrivals);
    if (!arrival || id.size == 0)
        return;
    uint64_t parts[] = {flm_checksum(id.at, id.size), flm_checksum(time.at, time.size),
                        flm_checksum(bytes.at, bytes.size),
                        checksum_of_labels(&arrival->labels, &arrivals->failed)};
    flm_text_add(&arrival->id, cut(id, FLM_STORE_LONGEST_ID - CHECKSUM));
    flm_text_format(&arrival->id, " %llx", (unsigned long long)flm_checksum(parts, sizeof parts));
    flm_text_putc(&arrival->id, 0);
    arrivals->failed |= arrival->id.failed;
}

bool flm_arrival_has(const struct flm_arrivals *arrivals, const char *name)
{
    const struct flm_arrival *arrival = last(arrivals);
    return arrival && flm_http_fields_have(&arrival->labels, flm_bytes_of(name));
}

void flm_arrival_label(struct flm_arrivals *arrivals, struct flm_bytes name, struct flm_bytes value)
{
    struct flm_arrival *arrival = last(arrivals);
    /* What is beyond a limit is not kept, but for so much that the store sees it and refuses. */
    if (!arrival || arrivals->failed || arrival->labels.count > FLM_STORE_MOST_LABELS)
        return;
    name = cut(name, FLM_STORE_LONGEST_KEY + 1);
    value = cut(value, FLM_STORE_LONGEST_VALUE + 1);
    if (!flm_http_fields_have(&arrival->labels, name))
        arrivals->failed |= !flm_http_field_add(&arrival->labels, name, value);
}

/* ---- Into the store -------------------------------------------------------------------------- */

/* A clock that is wrong would put samples where nobody looks for them, or where they are removed at
 * once: its owner is told instead. */
static bool check_time(const struct flm_serving *s, int64_t time_ms, struct flm_error *why)
{
    int64_t now_ms = flm_wall_ms();
    if (time_ms > now_ms + MOST_AHEAD_MS)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "the profile's time is %lld s in the future: check both clocks",
                             (long long)((time_ms - now_ms) / 1000));
    /* A clock that has not been set since the machine started counts from 1970. */
    if (time_ms < YEAR_2000_MS)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "the profile's time is before the year 2000: check the clock of the "
                             "machine that sent it");
    return s->keep_ms == 0 || time_ms >= now_ms - s->keep_ms ||
           flm_error_set(why, FLM_ERROR_RANGE,
                         "the profile is %lld hours old, and %lld hours are kept (--keep)",
                         (long long)((now_ms - time_ms) / 3600000),
                         (long long)(s->keep_ms / 3600000));
}

static bool make_batch(const struct flm_arrivals *a, const struct flm_arrival *arrival,
                       struct flm_store_batch *batch)
{
    size_t count = arrival->labels.count;
    struct flm_store_label_text *labels = malloc((count + 1) * sizeof *labels);
    if (!labels)
        return false;
    for (size_t i = 0; i < count; i++)
        labels[i] =
            (struct flm_store_label_text){arrival->labels.at[i].name, arrival->labels.at[i].value};
    *batch = (struct flm_store_batch){arrival->profile, a->tenant,     labels, count,
                                      arrival->time_ms, arrival->id.at};
    return true;
}

static unsigned append(struct flm_arrivals *a, struct flm_store_batch *batches,
                       struct flm_error *why)
{
    struct flm_serving *s = a->serving;
    struct flm_series_claim claim = {.is_open = false};
    size_t count = 0;
    unsigned status = 200;
    for (; status == 200 && count < a->items.count; count++) {
        if (!make_batch(a, &a->items.at[count], &batches[count])) {
            flm_error_memory(why);
            status = 503;
            break;
        }
        status = check_time(s, batches[count].time_ms, why) ? 200 : 422;
    }
    if (status == 200 && !flm_series_limit_claim(&s->series, s->store, batches, count, &claim, why))
        status = why->kind == FLM_ERROR_RANGE ? 429 : flm_status_of(why, 400);
    if (status == 200 && !flm_store_append(s->store, batches, count, why))
        status = flm_status_of(why, 400);
    flm_series_limit_settle(&s->series, a->tenant, &claim, status == 200);
    for (size_t i = 0; i < count; i++)
        free((void *)(uintptr_t)batches[i].labels);
    return status;
}

unsigned flm_arrivals_append(struct flm_arrivals *a, struct flm_error *why)
{
    struct flm_store_batch *batches = NULL;
    unsigned status = 503;
    if (a->failed || !(batches = malloc((a->items.count + 1) * sizeof *batches)))
        flm_error_memory(why);
    else
        status = a->items.count > 0 ? append(a, batches, why) : 200;
    free(batches);
    a->is_durable = status == 200;
    if (a->is_durable && a->items.count > 0) {
        atomic_fetch_add(&a->serving->count.profiles, a->items.count);
        a->serving->appended(a->serving->appended_context);
    }
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static struct flm_profile *read_plain(struct flm_bytes bytes, const char *formats, int columns,
                                      bool ordered, struct flm_error *why)
{
    struct flm_load_options options = {.size = sizeof options,
                                       .columns = columns,
                                       .drop_times = true,
                                       .no_locations = true,
                                       .threads = 1};
    struct flm_profile *profile = NULL;
    struct flm_error first = {0};
    for (const char *at = formats; !profile && *at;) {
        char name[32];
        size_t size = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        options.format = name;
        profile =
            (ordered ? flm_load_memory : flm_load_unordered)(bytes.at, bytes.size, &options, why);
        if (!profile && flm_status_of(why, 400) != 400)
            return NULL; /* it says nothing about the format */
        if (!profile && at == formats)
            first = *why;
        at += size + (at[size] == ' ');
    }
    if (!profile)
        *why = first;
    return profile ? flm_addresses_keep(profile, why) : NULL;
}

static struct flm_profile *read_any(struct flm_serving *s, struct flm_bytes bytes,
                                    const char *formats, int columns, bool ordered,
                                    struct flm_error *why)
{
    struct flm_body body = {.budget = &s->decompressed};
    struct flm_profile *profile = NULL;
    if (bytes.size == 0)
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "there is no profile: the body, or the part, is empty");
    else if (flm_body_read(&body, bytes, s->most_plain, why))
        profile = read_plain(body.plain, formats, columns, ordered, why);
    flm_body_clear(&body);
    return profile;
}

struct flm_profile *flm_arrival_read(struct flm_serving *s, struct flm_bytes bytes,
                                     const char *formats, struct flm_error *why)
{
    return read_any(s, bytes, formats, 0, false, why);
}

struct flm_profile *flm_arrival_read_ordered(struct flm_serving *s, struct flm_bytes bytes,
                                             const char *formats, struct flm_error *why)
{
    return read_any(s, bytes, formats, 0, true, why);
}

struct flm_profile *flm_arrival_read_folded(struct flm_serving *s, struct flm_bytes bytes,
                                            struct flm_error *why)
{
    return read_any(s, bytes, "folded", 1, false, why);
}

/* ---- Names of Pyroscope ---------------------------------------------------------------------- */

const char *flm_profile_kind(struct flm_bytes metric)
{
    if (flm_bytes_are(metric, "wall"))
        return "wall";
    if (flm_bytes_contain(metric, "cpu") || flm_bytes_are(metric, "samples"))
        return "process_cpu";
    if (flm_bytes_contain(metric, "alloc") || flm_bytes_contain(metric, "inuse") ||
        flm_bytes_are(metric, "space") || flm_bytes_are(metric, "objects"))
        return "memory";
    if (flm_bytes_are(metric, "contentions") || flm_bytes_are(metric, "delay") ||
        flm_bytes_contain(metric, "mutex"))
        return "mutex";
    if (flm_bytes_contain(metric, "block"))
        return "block";
    return flm_bytes_contain(metric, "goroutine") ? "goroutines" : "custom";
}

static struct flm_bytes string_of(const struct flm_profile *p, uint32_t index)
{
    struct flm_name name = flm_profile_string(p, (struct flm_string){index});
    return (struct flm_bytes){name.at, name.size};
}

/* "wall" wins, then what tells most: a profile of the CPU has samples too. */
static const char *kind_of(const struct flm_profile *p)
{
    static const char *const order[] = {"wall",  "process_cpu", "memory", "mutex",
                                        "block", "goroutines",  "custom"};
    size_t best = sizeof order / sizeof order[0] - 1;
    for (uint32_t m = 0; m < flm_profile_metric_count(p); m++) {
        const char *kind =
            flm_profile_kind(string_of(p, flm_profile_metric(p, (struct flm_metric){m})->name));
        for (size_t i = 0; i < best; i++)
            if (strcmp(order[i], kind) == 0)
                best = i;
    }
    return order[best];
}

void flm_arrival_name(struct flm_arrivals *arrivals)
{
    struct flm_arrival *arrival = last(arrivals);
    if (!arrival || flm_profile_metric_count(arrival->profile) == 0)
        return;
    const struct flm_profile *p = arrival->profile;
    struct flm_name type = flm_profile_note_named(p, "period type");
    struct flm_name period = flm_profile_note_named(p, "period");
    struct flm_name period_unit = flm_profile_note_named(p, "period unit");
    struct flm_bytes unit = {period_unit.at, period_unit.size};
    int64_t number;
    if (period.size > 0)
        flm_unit_parse((struct flm_bytes){period.at, period.size}, &number, &unit);
    struct flm_text text = {0};
    flm_text_add(&text, (struct flm_bytes){type.at, type.size});
    flm_text_putc(&text, ':');
    flm_text_add(&text, flm_unit_long(unit));
    arrivals->failed |= text.failed;
    flm_arrival_label(arrivals, flm_bytes_of(FLM_LABEL_NAME), flm_bytes_of(kind_of(p)));
    if (type.size > 0 && !text.failed)
        flm_arrival_label(arrivals, flm_bytes_of(FLM_LABEL_PERIOD),
                          (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
}
