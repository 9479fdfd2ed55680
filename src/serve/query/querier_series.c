/* querier_series.c - querier.v1: values over time, summed by labels. */
#include <stdio.h>
#include <stdlib.h>

#include "base/text/json_write.h"
#include "format/protobuf/wire_write.h"
#include "serve/query/querier.h"
#include "serve/query/steps.h"

/* So many values of groups are in memory at once, and no more. */
enum { MOST_GROUPS = 1000, MOST_VALUES = 4000000, MOST_LABELS = 16 };

struct group {
    double *values; /* behind it the texts of the labels, as `labels` */
    const char *labels;
    double total;
};

struct points {
    struct flm_text *out;
    struct flm_json_writer *json;
    const char *labels[MOST_LABELS];
    size_t label_count;
    int64_t from_ms;
    struct flm_steps steps;
    struct FLM_ARRAY(struct group) groups;
    bool failed;
};

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Those without a value are none. */
static bool take_group(void *context, const char *const *labels, const double *values)
{
    struct points *p = context;
    struct group group = {.total = 0};
    size_t count = p->steps.count, size = count * sizeof *values;
    bool is_there = false;
    for (size_t i = 0; i < count; i++) {
        is_there |= values[i] != 0;
        group.total += values[i];
    }
    if (!is_there)
        return true;
    size_t room = size;
    for (size_t i = 0; i < p->label_count; i++)
        room += strlen(labels[i]) + 1;
    group.values = malloc(room);
    if (!group.values || !FLM_ARRAY_ADD(&p->groups, group)) {
        free(group.values);
        p->failed = true;
        return false;
    }
    memcpy(group.values, values, size);
    char *at = (char *)group.values + size;
    p->groups.at[p->groups.count - 1].labels = at;
    for (size_t i = 0; i < p->label_count; i++) {
        size_t length = strlen(labels[i]) + 1;
        memcpy(at, labels[i], length);
        at += length;
    }
    /* cppcheck-suppress memleak ; the array has it */
    return true;
}

static int by_total(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return (x->total < y->total) - (x->total > y->total);
}

static void keep_largest(struct points *p, int64_t limit)
{
    if (limit <= 0 || (uint64_t)limit >= p->groups.count)
        return;
    qsort(p->groups.at, p->groups.count, sizeof *p->groups.at, by_total);
    while (p->groups.count > (uint64_t)limit)
        free(p->groups.at[--p->groups.count].values);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_label(const struct points *p, const char *label, const char *value,
                        struct flm_text *series)
{
    struct flm_text pair = {0};
    if (p->json) {
        flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(p->json, "name", flm_bytes_of(label));
        flm_json_add_text(p->json, "value", flm_bytes_of(value));
        flm_json_end(p->json);
    } else {
        flm_wire_put_bytes(&pair, 1, flm_bytes_of(label));
        flm_wire_put_bytes(&pair, 2, flm_bytes_of(value));
        flm_wire_put_message(series, 1, &pair);
    }
    flm_text_clear(&pair);
}

static void write_point(const struct points *p, int64_t at_ms, double value,
                        struct flm_text *series)
{
    struct flm_text message = {0};
    char time[32];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    snprintf(time, sizeof time, "%lld", (long long)at_ms);
    if (p->json) {
        flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_number(p->json, "value", value);
        flm_json_add_text(p->json, "timestamp", flm_bytes_of(time));
        flm_json_end(p->json);
    } else {
        flm_wire_put_fixed64(&message, 1, bits);
        flm_wire_put_number(&message, 2, (uint64_t)at_ms);
        flm_wire_put_message(series, 2, &message);
    }
    flm_text_clear(&message);
}

static void write_series(const struct points *p, const struct group *group)
{
    struct flm_text series = {0};
    const char *value = group->labels;
    if (p->json) {
        flm_json_begin(p->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(p->json, "labels", FLM_JSON_ARRAY_LINE);
    }
    for (size_t i = 0; i < p->label_count; i++, value += strlen(value) + 1)
        if (*value)
            write_label(p, p->labels[i], value, &series);
    if (p->json) {
        flm_json_end(p->json);
        flm_json_begin(p->json, "points", FLM_JSON_ARRAY_LINE);
    }
    for (size_t i = 0; i < p->steps.count; i++)
        if (group->values[i] != 0)
            write_point(p, p->from_ms + (int64_t)i * p->steps.step_ms, group->values[i], &series);
    if (p->json) {
        flm_json_end(p->json);
        flm_json_end(p->json);
    } else {
        flm_wire_put_message(p->out, 1, &series);
    }
    flm_text_clear(&series);
}

/* ---- The method ------------------------------------------------------------------------------ */

static bool read_labels(const struct flm_http_fields *fields, struct points *p,
                        struct flm_error *why)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->at[i].name, "groupBy") != 0)
            continue;
        if (p->label_count == MOST_LABELS)
            return flm_error_set(why, FLM_ERROR_USAGE, "groupBy takes %d labels at most",
                                 MOST_LABELS);
        p->labels[p->label_count++] = fields->at[i].value;
    }
    return true;
}

static bool find_groups(struct flm_serving *s, const struct flm_http_request *request,
                        const struct flm_http_fields *fields, struct points *p,
                        struct flm_error *why)
{
    struct flm_querier_query a;
    bool good = flm_querier_read(request, fields, &a, why) &&
                flm_steps_make(&a.query, flm_connect_double(fields, "step"), &p->steps, why) &&
                read_labels(fields, p, why);
    p->from_ms = a.query.from_ms;
    size_t most = MOST_VALUES / (p->steps.count + 1);
    good = good &&
           flm_store_timelines(s->store, &a.query, p->labels, p->label_count, p->steps.step_ms,
                               p->steps.count, most < MOST_GROUPS ? most : MOST_GROUPS, take_group,
                               p, why) &&
           (!p->failed || flm_error_memory(why));
    keep_largest(p, flm_connect_integer(fields, "limit"));
    flm_querier_clear(&a);
    return good;
}

FLM_QUERIER_ANSWER(flm_querier_select_series)
{
    static const struct flm_connect_field fields[] = {
        {1, "profileTypeID", FLM_CONNECT_TEXT, NULL, NULL},
        {2, "labelSelector", FLM_CONNECT_TEXT, NULL, NULL},
        {3, "start", FLM_CONNECT_INTEGER, NULL, NULL},
        {4, "end", FLM_CONNECT_INTEGER, NULL, NULL},
        {5, "groupBy", FLM_CONNECT_TEXT, NULL, NULL},
        {6, "step", FLM_CONNECT_DOUBLE, NULL, NULL},
        {7, "aggregation", FLM_CONNECT_ENUM, "SUM", NULL},
        {8, "stackTraceSelector", FLM_CONNECT_REFUSED, NULL, NULL},
        {9, "limit", FLM_CONNECT_INTEGER, NULL, NULL},
        {10, "exemplarType", FLM_CONNECT_ENUM, "UNSPECIFIED, NONE", NULL},
        {0, NULL, 0, NULL, NULL}};
    struct flm_connect_request r;
    struct flm_error why;
    if (flm_connect_read(serving, request, fields, &r, response)) {
        struct flm_json_writer json = {.out = &response->body};
        struct points p = {.out = &response->body, .json = r.is_json ? &json : NULL};
        bool good = find_groups(serving, request, &r.fields, &p, &why);
        if (r.is_json) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_begin(&json, "series", FLM_JSON_ARRAY_LINE);
        }
        for (size_t i = 0; good && i < p.groups.count; i++)
            write_series(&p, &p.groups.at[i]);
        if (r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        if (!good)
            flm_querier_fail(request, response, &why);
        for (size_t i = 0; i < p.groups.count; i++)
            free(p.groups.at[i].values);
        FLM_ARRAY_CLEAR(&p.groups);
    }
    flm_connect_clear(&r);
}
