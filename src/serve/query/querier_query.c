#include "serve/query/querier_query.h"

#include "format/core/units.h"
#include "serve/core/arrival.h"
#include "store/labels/time_text.h"

/* The conditions of a selector, "{a=\"b\"}" or without braces. */
static void add_conditions(struct flm_text *out, const char *selector)
{
    struct flm_bytes text = flm_bytes_trimmed(flm_bytes_of(selector ? selector : ""));
    if (text.size >= 2 && text.at[0] == '{' && text.at[text.size - 1] == '}')
        text = flm_bytes_trimmed((struct flm_bytes){text.at + 1, text.size - 2});
    if (text.size > 0 && text.at[text.size - 1] == ',')
        text.size--;
    if (text.size == 0)
        return;
    if (out->size > 1)
        flm_text_putc(out, ',');
    flm_text_add(out, text);
}

/* Adds name="value" to a selector that begins with "{"; or, with `or_none`, a pattern for that
 * value or none. */
static void add_condition(struct flm_text *out, const char *name, struct flm_bytes value,
                          bool or_none)
{
    if (out->size > 1)
        flm_text_putc(out, ',');
    flm_text_format(out, "%s%s\"", name, or_none ? "=~" : "=");
    for (size_t i = 0; i < value.size; i++) {
        char c = value.at[i];
        if (or_none && flm_is_one_of(c, ".*+?()[]{}|^$\\"))
            flm_text_puts(out, "\\\\");
        if (flm_is_one_of(c, "\"\\"))
            flm_text_putc(out, '\\');
        flm_text_putc(out, c);
    }
    flm_text_puts(out, or_none ? "|\"" : "\"");
}

/* The parts of a type: all five, or false. */
struct type_parts {
    struct flm_bytes name, type, unit, period_type, period_unit, period;
};

static bool split_type(const char *text, struct type_parts *parts, struct flm_error *why)
{
    struct flm_bytes found[5] = {{"", 0}}, rest = flm_bytes_of(text ? text : "");
    size_t count = 0;
    while (count < 5) {
        const char *colon = rest.size > 0 ? memchr(rest.at, ':', rest.size) : NULL;
        found[count] = (struct flm_bytes){rest.at, colon ? (size_t)(colon - rest.at) : rest.size};
        rest = flm_bytes_from(rest, found[count++].size + (colon != NULL));
        if (!colon)
            break;
    }
    if (count != 5 || rest.size > 0 || found[1].size == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "profileTypeID is NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT, not '%s'",
                             text ? text : "");
    *parts = (struct type_parts){
        found[0], found[1], found[2],
        found[3], found[4], {found[3].at, (size_t)(found[4].at + found[4].size - found[3].at)}};
    return true;
}

void flm_querier_clear(struct flm_querier_query *a)
{
    flm_text_clear(&a->selector);
    flm_text_clear(&a->type);
}

bool flm_querier_range(const struct flm_http_fields *fields, struct flm_store_query *query,
                       struct flm_error *why)
{
    int64_t from_ms = flm_connect_integer(fields, "start"),
            until_ms = flm_connect_integer(fields, "end");
    query->from_ms = until_ms == 0 || from_ms < 0 ? 0 : from_ms;
    query->until_ms = until_ms == 0 || until_ms == INT64_MAX
                          ? INT64_MAX
                          : until_ms + 1; /* the end is a part of the range here */
    return flm_times_check((struct flm_times){query->from_ms, query->until_ms}, why);
}

bool flm_querier_read(const struct flm_http_request *request, const struct flm_http_fields *fields,
                      struct flm_querier_query *a, struct flm_error *why)
{
    struct type_parts parts = {.name = {"", 0}};
    *a = (struct flm_querier_query){.query = {.size = sizeof a->query, .tenant = request->tenant}};
    if (!split_type(flm_connect_text(fields, "profileTypeID"), &parts, why) ||
        !flm_querier_range(fields, &a->query, why))
        return false;
    const char *selector = flm_connect_text(fields, "labelSelector");
    if (selector && strstr(selector, FLM_QUERIER_TYPE_LABEL))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the type is profileTypeID: " FLM_QUERIER_TYPE_LABEL
                             " is no label of a selector here");
    flm_text_putc(&a->selector, '{');
    add_conditions(&a->selector, selector);
    add_condition(&a->selector, FLM_LABEL_NAME, parts.name,
                  flm_bytes_are(parts.name, flm_profile_kind(parts.type)));
    bool is_own = flm_bytes_equal(parts.type, parts.period_type) &&
                  flm_bytes_equal(parts.unit, parts.period_unit);
    add_condition(&a->selector, FLM_LABEL_PERIOD, parts.period, is_own);
    flm_text_puts(&a->selector, "}");
    flm_text_putc(&a->selector, 0);
    flm_text_add(&a->type, parts.type);
    flm_text_putc(&a->type, ':');
    flm_text_add(&a->type, flm_unit_named(parts.unit));
    flm_text_putc(&a->type, 0);
    a->query.selector = a->selector.at;
    a->query.type = a->type.at;
    return (!a->selector.failed && !a->type.failed) || flm_error_memory(why);
}

void flm_querier_type_write(struct flm_bytes metric, const char *name, const char *period,
                            struct flm_text *out)
{
    const char *colon = memchr(metric.at, ':', metric.size);
    struct flm_bytes type = {metric.at, colon ? (size_t)(colon - metric.at) : metric.size};
    struct flm_bytes unit = flm_unit_long(flm_bytes_from(metric, type.size + (colon != NULL)));
    flm_text_puts(out, *name ? name : flm_profile_kind(type));
    flm_text_putc(out, ':');
    flm_text_add(out, type);
    flm_text_putc(out, ':');
    flm_text_add(out, unit);
    flm_text_putc(out, ':');
    if (*period) {
        flm_text_puts(out, period);
        return;
    }
    flm_text_add(out, type);
    flm_text_putc(out, ':');
    flm_text_add(out, unit);
}
