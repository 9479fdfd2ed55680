#include "store/labels/series_labels.h"

#include <stdlib.h>

static bool is_service(struct flm_bytes key)
{
    return flm_bytes_are(key, FLM_STORE_SERVICE) || flm_bytes_are(key, "service") ||
           flm_bytes_are(key, "service.name");
}

static bool has_zero(struct flm_bytes text)
{
    return text.size > 0 && memchr(text.at, 0, text.size) != NULL;
}

static bool refuse(const struct flm_store_label *label, struct flm_error *why)
{
    int shown = label->key.size < 60 ? (int)label->key.size : 60;
    if (label->key.size == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "a label has no name");
    if (has_zero(label->key) || has_zero(label->value))
        return flm_error_set(why, FLM_ERROR_FORMAT, "the label '%.*s' has a NUL in it", shown,
                             label->key.at);
    if (label->key.size > FLM_STORE_LONGEST_KEY)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "the name of the label '%.*s...' is longer than %d bytes", shown,
                             label->key.at, FLM_STORE_LONGEST_KEY);
    if (label->value.size > FLM_STORE_LONGEST_VALUE)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "the value of the label '%.*s' is longer than %d bytes", shown,
                             label->key.at, FLM_STORE_LONGEST_VALUE);
    return true;
}

/* Keeps labels[0..count) sorted by key; the same key gets the new value. Returns the new count. */
static size_t insert(struct flm_store_label *labels, size_t count, struct flm_store_label label)
{
    size_t at = count;
    while (at > 0 && flm_bytes_compare(labels[at - 1].key, label.key) > 0)
        at--;
    if (at > 0 && flm_bytes_equal(labels[at - 1].key, label.key)) {
        labels[at - 1].value = label.value;
        return count;
    }
    for (size_t i = count; i > at; i--)
        labels[i] = labels[i - 1];
    labels[at] = label;
    return count + 1;
}

static void add_text(struct flm_text *out, struct flm_bytes text)
{
    flm_text_add(out, text);
    flm_text_putc(out, 0);
}

bool flm_series_write(struct flm_bytes tenant, const struct flm_store_label *labels, size_t count,
                      struct flm_text *out, struct flm_error *why)
{
    struct flm_store_label sorted[FLM_STORE_MOST_LABELS];
    struct flm_bytes service = flm_bytes_of("unknown_service");
    size_t kept = 0;
    const struct flm_store_label owner = {flm_bytes_of("tenant"), tenant};
    if (!refuse(&owner, why))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!refuse(&labels[i], why))
            return false;
        if (is_service(labels[i].key)) {
            if (labels[i].value.size > 0)
                service = labels[i].value;
            continue;
        }
        if (kept == FLM_STORE_MOST_LABELS)
            return flm_error_set(why, FLM_ERROR_RANGE, "there are more than %d labels",
                                 FLM_STORE_MOST_LABELS);
        kept = insert(sorted, kept, labels[i]);
    }
    add_text(out, tenant);
    add_text(out, service);
    for (size_t i = 0; i < kept; i++)
        if (sorted[i].value.size > 0) {
            add_text(out, sorted[i].key);
            add_text(out, sorted[i].value);
        }
    return !out->failed || flm_error_memory(why);
}

/* The text that begins at *at, which moves behind its NUL. */
static bool next_text(struct flm_bytes series, size_t *at, struct flm_bytes *text)
{
    if (*at >= series.size)
        return false;
    const char *start = series.at + *at, *end = memchr(start, 0, series.size - *at);
    text->at = start;
    text->size = end ? (size_t)(end - start) : series.size - *at;
    *at += text->size + 1;
    return true;
}

bool flm_series_next(struct flm_bytes series, size_t *at, struct flm_store_label *label)
{
    if (*at == 0) {
        struct flm_bytes tenant;
        label->key = flm_bytes_of(FLM_STORE_SERVICE);
        return next_text(series, at, &tenant) && next_text(series, at, &label->value);
    }
    return next_text(series, at, &label->key) && next_text(series, at, &label->value);
}

struct flm_bytes flm_series_tenant(struct flm_bytes series)
{
    size_t at = 0;
    struct flm_bytes tenant = {"", 0};
    next_text(series, &at, &tenant);
    return tenant;
}

bool flm_series_tenant_range(struct flm_bytes tenant, struct flm_text *from, struct flm_text *until)
{
    /* A NUL follows the tenant in the text of each of its series. */
    flm_text_add(from, tenant);
    flm_text_putc(from, 0);
    flm_text_add(until, tenant);
    flm_text_putc(until, 1);
    return !from->failed && !until->failed;
}

struct flm_bytes flm_series_value(struct flm_bytes series, struct flm_bytes key)
{
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(series, &at, &label);)
        if (flm_bytes_equal(label.key, key))
            return label.value;
    return (struct flm_bytes){"", 0};
}

struct flm_bytes flm_series_service_prefix(struct flm_bytes series)
{
    size_t at = 0;
    struct flm_store_label service;
    flm_series_next(series, &at, &service);
    return (struct flm_bytes){series.at, at < series.size ? at : series.size};
}
