/* querier_labels.c - querier.v1: which types, labels and series there are.
 *
 * A request has any number of selectors, `matchers`, and wants what any of them matches; none is
 * all. A type is a metric of a profile, and no label, but clients select and list it as one
 * (FLM_QUERIER_TYPE_LABEL): only then, and for series, all series in the range are looked at with
 * their types. Otherwise labels are those of all times. */
#include <stdlib.h>

#include "base/text/json_write.h"
#include "format/protobuf/wire_write.h"
#include "serve/core/arrival.h"
#include "serve/query/querier.h"
#include "store/labels/series_labels.h"

/* ---- Texts, each once ------------------------------------------------------------------------ */

/* With a NUL behind it, and maybe others in it. */
struct text {
    char *at;
    size_t size;
};
struct texts FLM_ARRAY(struct text);

static void clear_texts(struct texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->at[i].at);
    FLM_ARRAY_CLEAR(t);
}

static bool add_text(struct texts *t, struct flm_bytes from)
{
    struct text text = {malloc(from.size + 1), from.size};
    if (!text.at)
        return false;
    if (from.size > 0)
        memcpy(text.at, from.at, from.size);
    text.at[from.size] = 0;
    if (FLM_ARRAY_ADD(t, text))
        /* cppcheck-suppress memleak ; the array has it */
        return true;
    free(text.at);
    return false;
}

static struct flm_bytes bytes_of(const struct text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static int ascending(const void *a, const void *b)
{
    return flm_bytes_compare(bytes_of(a), bytes_of(b));
}

static void sort_texts(struct texts *t)
{
    size_t kept = 0;
    if (t->count > 0)
        qsort(t->at, t->count, sizeof *t->at, ascending);
    for (size_t i = 0; i < t->count; i++)
        if (kept > 0 && ascending(&t->at[kept - 1], &t->at[i]) == 0)
            free(t->at[i].at);
        else
            t->at[kept++] = t->at[i];
    t->count = kept;
}

/* ---- What is asked for ----------------------------------------------------------------------- */

struct asking {
    struct flm_serving *serving;
    struct flm_connect_request r;
    struct flm_store_query query; /* tenant and range */
    struct FLM_ARRAY(struct flm_selector *) matchers;
    const char *name; /* of the label whose values are wanted; NULL: names */
    struct texts found;
    bool failed;
};

static void end(struct asking *a)
{
    for (size_t i = 0; i < a->matchers.count; i++)
        flm_selector_free(a->matchers.at[i]);
    FLM_ARRAY_CLEAR(&a->matchers);
    clear_texts(&a->found);
    flm_connect_clear(&a->r);
}

static bool is_matcher(const struct flm_http_field *field)
{
    return strcmp(field->name, "matchers") == 0 && *field->value;
}

static bool parse_matchers(struct asking *a, struct flm_error *why)
{
    for (size_t i = 0; i < a->r.fields.count; i++) {
        if (!is_matcher(&a->r.fields.at[i]))
            continue;
        struct flm_selector *selector =
            flm_selector_parse(flm_bytes_of(a->r.fields.at[i].value), why);
        if (!selector)
            return flm_error_within(why, "matchers");
        if (!FLM_ARRAY_ADD(&a->matchers, selector)) {
            flm_selector_free(selector);
            return flm_error_memory(why);
        }
    }
    return true;
}

static bool begin(struct asking *a, struct flm_serving *s, const struct flm_http_request *request,
                  const struct flm_connect_field *fields, struct flm_http_response *response)
{
    struct flm_error why;
    *a = (struct asking){.serving = s,
                         .query = {.size = sizeof a->query, .tenant = request->tenant}};
    if (!flm_connect_read(s, request, fields, &a->r, response))
        return false;
    if (flm_querier_range(&a->r.fields, &a->query, &why) && parse_matchers(a, &why))
        return true;
    flm_querier_fail(request, response, &why);
    return false;
}

/* The labels of a series, and its type, as the text of a series: its selectors see both. */
static bool write_series(const struct flm_store_label_text *labels, size_t count,
                         struct flm_name type, struct flm_text *out)
{
    const char *name = "", *period = "";
    out->size = 0;
    flm_text_putc(out, 0); /* the tenant */
    flm_text_puts(out, labels[0].value);
    flm_text_putc(out, 0);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(labels[i].key, FLM_LABEL_NAME) == 0)
            name = labels[i].value;
        if (strcmp(labels[i].key, FLM_LABEL_PERIOD) == 0)
            period = labels[i].value;
        flm_text_puts(out, labels[i].key);
        flm_text_putc(out, 0);
        flm_text_puts(out, labels[i].value);
        flm_text_putc(out, 0);
    }
    flm_text_puts(out, FLM_QUERIER_TYPE_LABEL);
    flm_text_putc(out, 0);
    flm_querier_type_write((struct flm_bytes){type.at, type.size}, name, period, out);
    flm_text_putc(out, 0);
    return !out->failed;
}

/* Calls `take` for each series with a type that is wanted. */
struct series_walk {
    struct asking *asking;
    bool (*take)(struct asking *a, struct flm_bytes series);
    struct flm_text series;
};

static bool walk(void *context, const struct flm_store_label_text *labels, size_t count,
                 struct flm_name type)
{
    struct series_walk *w = context;
    struct asking *a = w->asking;
    if (count == 0)
        return true;
    if (!write_series(labels, count, type, &w->series)) {
        a->failed = true;
        return false;
    }
    struct flm_bytes series = {w->series.at, w->series.size};
    bool wanted = a->matchers.count == 0;
    for (size_t i = 0; !wanted && i < a->matchers.count; i++)
        wanted = flm_selector_matches(a->matchers.at[i], series);
    a->failed |= wanted && !w->take(a, series);
    return !a->failed;
}

static bool walk_series(struct asking *a, bool (*take)(struct asking *, struct flm_bytes),
                        struct flm_error *why)
{
    struct series_walk w = {.asking = a, .take = take};
    bool good = flm_store_typed_series(a->serving->store, &a->query, walk, &w, why);
    flm_text_clear(&w.series);
    return good && (!a->failed || flm_error_memory(why));
}

/* ---- Names and values ------------------------------------------------------------------------ */

static bool keep(void *context, struct flm_name text)
{
    struct asking *a = context;
    a->failed |= !add_text(&a->found, (struct flm_bytes){text.at, text.size});
    return !a->failed;
}

static bool find_known(struct asking *a, const char *selector, struct flm_error *why)
{
    struct flm_store *store = a->serving->store;
    a->query.selector = selector;
    return a->name ? flm_store_label_values(store, &a->query, a->name, keep, a, why)
                   : flm_store_label_names(store, &a->query, keep, a, why);
}

static bool take_labels(struct asking *a, struct flm_bytes series)
{
    struct flm_store_label label;
    bool good = true;
    for (size_t at = 0; good && flm_series_next(series, &at, &label);)
        if (!a->name)
            good = add_text(&a->found, label.key);
        else if (flm_bytes_are(label.key, a->name))
            good = add_text(&a->found, label.value);
    return good;
}

static bool asks_for_types(const struct asking *a)
{
    bool asks = a->name && strcmp(a->name, FLM_QUERIER_TYPE_LABEL) == 0;
    for (size_t i = 0; i < a->r.fields.count; i++)
        asks |= is_matcher(&a->r.fields.at[i]) &&
                strstr(a->r.fields.at[i].value, FLM_QUERIER_TYPE_LABEL) != NULL;
    return asks;
}

static bool find(struct asking *a, struct flm_error *why)
{
    bool good = true;
    if (asks_for_types(a)) {
        good = walk_series(a, take_labels, why);
    } else if (a->matchers.count == 0) {
        good = find_known(a, NULL, why);
    } else {
        for (size_t i = 0; good && i < a->r.fields.count; i++)
            if (is_matcher(&a->r.fields.at[i]))
                good = find_known(a, a->r.fields.at[i].value, why);
    }
    if (good && a->failed)
        good = flm_error_memory(why);
    sort_texts(&a->found);
    return good;
}

static void write_names(const struct asking *a, struct flm_text *out)
{
    struct flm_json_writer json = {.out = out};
    if (a->r.is_json) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(&json, "names", FLM_JSON_ARRAY_LINE);
    }
    for (size_t i = 0; i < a->found.count; i++) {
        struct flm_bytes name = bytes_of(&a->found.at[i]);
        if (a->r.is_json)
            flm_json_add_text(&json, NULL, name);
        else
            flm_wire_put_bytes(out, 1, name);
    }
    if (a->r.is_json) {
        flm_json_end(&json);
        flm_json_end(&json);
    }
}

static void answer_names(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response, const struct flm_connect_field *fields,
                         bool values)
{
    struct asking a;
    struct flm_error why;
    if (begin(&a, s, request, fields, response)) {
        a.name = flm_connect_text(&a.r.fields, "name");
        bool good = !values || (a.name && *a.name) ||
                    flm_error_set(&why, FLM_ERROR_USAGE, "the name of the label is missing");
        if (good && find(&a, &why))
            write_names(&a, &response->body);
        else
            flm_querier_fail(request, response, &why);
    }
    end(&a);
}

FLM_QUERIER_ANSWER(flm_querier_label_names)
{
    static const struct flm_connect_field fields[] = {{1, "matchers", FLM_CONNECT_TEXT, NULL, NULL},
                                                      {2, "start", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {3, "end", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {0, NULL, 0, NULL, NULL}};
    answer_names(serving, request, response, fields, false);
}

FLM_QUERIER_ANSWER(flm_querier_label_values)
{
    static const struct flm_connect_field fields[] = {{1, "name", FLM_CONNECT_TEXT, NULL, NULL},
                                                      {2, "matchers", FLM_CONNECT_TEXT, NULL, NULL},
                                                      {3, "start", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {4, "end", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {0, NULL, 0, NULL, NULL}};
    answer_names(serving, request, response, fields, true);
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* What is listed: `name` in JSON, found in each series, and written one by one. */
struct items {
    const char *name;
    bool (*take)(struct asking *a, struct flm_bytes series);
    void (*write)(const struct text *item, struct flm_json_writer *json, struct flm_text *out);
};

static void answer_items(struct flm_serving *serving, const struct flm_http_request *request,
                         const struct flm_connect_field *fields, const struct items *items,
                         struct flm_http_response *response)
{
    struct asking a;
    struct flm_error why;
    if (begin(&a, serving, request, fields, response)) {
        struct flm_json_writer json = {.out = &response->body};
        bool good = walk_series(&a, items->take, &why);
        sort_texts(&a.found);
        if (a.r.is_json) {
            flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_begin(&json, items->name, FLM_JSON_ARRAY_LINE);
        }
        for (size_t i = 0; i < a.found.count; i++)
            items->write(&a.found.at[i], a.r.is_json ? &json : NULL, &response->body);
        if (a.r.is_json) {
            flm_json_end(&json);
            flm_json_end(&json);
        }
        if (!good)
            flm_querier_fail(request, response, &why);
    }
    end(&a);
}

static bool take_type(struct asking *a, struct flm_bytes series)
{
    return add_text(&a->found, flm_series_value(series, flm_bytes_of(FLM_QUERIER_TYPE_LABEL)));
}

/* The parts of a type are those of its ID, which has 4 colons, and the whole is the first one. */
static void write_type(const struct text *type, struct flm_json_writer *json, struct flm_text *out)
{
    const char *id = type->at;
    static const char *const keys[] = {"ID",         "name",       "sampleType",
                                       "sampleUnit", "periodType", "periodUnit"};
    static const uint32_t numbers[] = {1, 2, 4, 5, 6, 7};
    struct flm_text message = {0};
    struct flm_bytes rest = flm_bytes_of(id);
    if (json)
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
    for (int i = 0; i < 6; i++) {
        const char *colon = i > 0 && i < 5 ? memchr(rest.at, ':', rest.size) : NULL;
        struct flm_bytes value = {rest.at, colon ? (size_t)(colon - rest.at) : rest.size};
        if (i > 0)
            rest = flm_bytes_from(rest, value.size + (colon != NULL));
        if (json)
            flm_json_add_text(json, keys[i], value);
        else
            flm_wire_put_bytes(&message, numbers[i], value);
    }
    if (json)
        flm_json_end(json);
    else
        flm_wire_put_message(out, 1, &message);
    flm_text_clear(&message);
}

FLM_QUERIER_ANSWER(flm_querier_types)
{
    static const struct flm_connect_field fields[] = {{1, "start", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {2, "end", FLM_CONNECT_INTEGER, NULL, NULL},
                                                      {0, NULL, 0, NULL, NULL}};
    static const struct items types = {"profileTypes", take_type, write_type};
    answer_items(serving, request, fields, &types, response);
}

/* ---- Series ---------------------------------------------------------------------------------- */

static bool is_wanted_label(const struct asking *a, struct flm_bytes key)
{
    bool any = false;
    for (size_t i = 0; i < a->r.fields.count; i++) {
        if (strcmp(a->r.fields.at[i].name, "labelNames") != 0)
            continue;
        any = true;
        if (flm_bytes_are(key, a->r.fields.at[i].value))
            return true;
    }
    return !any;
}

/* The text of a series, without the labels that are not wanted: two may be the same then, and with
 * none there is no series. */
static bool take_series(struct asking *a, struct flm_bytes series)
{
    struct flm_text text = {0};
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(series, &at, &label);)
        if (is_wanted_label(a, label.key)) {
            flm_text_add(&text, label.key);
            flm_text_putc(&text, 0);
            flm_text_add(&text, label.value);
            flm_text_putc(&text, 0);
        }
    bool good = !text.failed &&
                (text.size == 0 || add_text(&a->found, (struct flm_bytes){text.at, text.size}));
    flm_text_clear(&text);
    return good;
}

static void write_labels(const struct text *labels, struct flm_json_writer *json,
                         struct flm_text *out)
{
    struct flm_text message = {0}, pair = {0};
    if (json) {
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_begin(json, "labels", FLM_JSON_ARRAY_LINE);
    }
    for (const char *key = labels->at; key < labels->at + labels->size;) {
        const char *value = key + strlen(key) + 1;
        if (json) {
            flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
            flm_json_add_text(json, "name", flm_bytes_of(key));
            flm_json_add_text(json, "value", flm_bytes_of(value));
            flm_json_end(json);
        } else {
            flm_wire_put_bytes(&pair, 1, flm_bytes_of(key));
            flm_wire_put_bytes(&pair, 2, flm_bytes_of(value));
            flm_wire_put_message(&message, 1, &pair);
        }
        key = value + strlen(value) + 1;
    }
    if (json) {
        flm_json_end(json);
        flm_json_end(json);
    } else {
        flm_wire_put_message(out, 2, &message);
    }
    flm_text_clear(&message);
    flm_text_clear(&pair);
}

FLM_QUERIER_ANSWER(flm_querier_series)
{
    static const struct flm_connect_field fields[] = {
        {1, "matchers", FLM_CONNECT_TEXT, NULL, NULL},
        {2, "labelNames", FLM_CONNECT_TEXT, NULL, NULL},
        {3, "start", FLM_CONNECT_INTEGER, NULL, NULL},
        {4, "end", FLM_CONNECT_INTEGER, NULL, NULL},
        {0, NULL, 0, NULL, NULL}};
    static const struct items series = {"labelsSet", take_series, write_labels};
    answer_items(serving, request, fields, &series, response);
}
