/* query_labels.c - which types, labels and series there are. */
#include <stdlib.h>

#include "base/core/sort.h"
#include "store/embedded/wanted.h"

/* ---- Types and labels ------------------------------------------------------------------------ */

struct texts {
    struct flm_interner interner; /* each once */
    bool failed;
};

static void keep_text(struct texts *t, struct flm_bytes text)
{
    t->failed |= flm_interner_string(&t->interner, text) == FLM_NONE;
}

static int by_bytes(const void *context, uint32_t a, uint32_t b)
{
    const struct texts *t = context;
    return flm_bytes_compare(flm_interner_text(&t->interner, a),
                             flm_interner_text(&t->interner, b));
}

/* Hands them over, ascending, and forgets them. */
static bool hand_over(struct texts *t, bool good, flm_store_text each, void *context,
                      struct flm_error *why)
{
    size_t count = t->interner.string_count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    if (good && (t->failed || !order))
        good = flm_error_memory(why);
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good)
        flm_sort(order, count, order + count, by_bytes, t);
    bool goes_on = good;
    for (size_t i = 0; goes_on && i < count; i++) {
        struct flm_bytes text = flm_interner_text(&t->interner, order[i]);
        goes_on = order[i] == 0 || each(context, (struct flm_name){text.at, text.size});
    }
    free(order);
    flm_interner_clear(&t->interner);
    return good;
}

static bool keep_type(void *context, struct flm_segment *segment, uint32_t group,
                      const unsigned char *wanted, struct flm_error *why)
{
    (void)wanted, (void)why;
    keep_text(context, flm_segment_group(segment, group)->type);
    return true;
}

static bool keep_batch_type(void *context, struct flm_head *head,
                            const struct flm_head_batch *batch, struct flm_error *why)
{
    (void)why;
    keep_text(context, flm_head_type(head, batch->type));
    return true;
}

bool flm_store_types(struct flm_store *store, const struct flm_store_query *query,
                     flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    const struct flm_segment_visitor visitor = {.context = &t, .group = keep_type};
    bool good = flm_interner_init(&t.interner, why) &&
                flm_wanted_all(store, &q, &visitor, keep_batch_type, &t, why);
    flm_wanted_end(&q);
    return hand_over(&t, good, each, context, why);
}

static bool keep_any(void *context, struct flm_bytes text)
{
    struct texts *t = context;
    keep_text(t, text);
    return !t->failed;
}

/* What labels of the series that the selector matches have: the values of `key`, or the keys. */
struct label_keeping {
    const struct flm_wanted *query;
    struct texts *texts;
    struct flm_bytes key;
};

static bool keep_labels(void *context, struct flm_bytes series)
{
    const struct label_keeping *k = context;
    struct flm_store_label label;
    if (!flm_wanted_series(k->query, series))
        return true;
    for (size_t at = 0; flm_series_next(series, &at, &label);)
        if (!k->key.at)
            keep_text(k->texts, label.key);
        else if (flm_bytes_equal(label.key, k->key))
            keep_text(k->texts, label.value);
    return !k->texts->failed;
}

/* Calls `keep` for each series of the catalog that may be wanted. */
static bool each_known(struct flm_store *store, const struct flm_wanted *q, flm_text_each keep,
                       void *context, struct flm_error *why)
{
    struct flm_store_label label;
    bool narrow = flm_selector_equal(q->selector, &label);
    pthread_mutex_lock(&store->catalog_lock);
    bool good = flm_catalog_series(store->catalog, q->tenant,
                                   narrow ? label.key : (struct flm_bytes){NULL, 0}, label.value,
                                   keep, context, why);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}

static bool labels(struct flm_store *store, const struct flm_store_query *query,
                   struct flm_bytes key, flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct label_keeping k = {&q, &t, key};
    bool good = flm_interner_init(&t.interner, why);
    if (!flm_selector_is_empty(q.selector)) {
        good = good && each_known(store, &q, keep_labels, &k, why);
    } else {
        pthread_mutex_lock(&store->catalog_lock);
        good = good && flm_catalog_labels(store->catalog, q.tenant, key, keep_any, &t, why);
        pthread_mutex_unlock(&store->catalog_lock);
    }
    flm_wanted_end(&q);
    return hand_over(&t, good, each, context, why);
}

bool flm_store_label_names(struct flm_store *store, const struct flm_store_query *query,
                           flm_store_text each, void *context, struct flm_error *why)
{
    return labels(store, query, (struct flm_bytes){NULL, 0}, each, context, why);
}

bool flm_store_label_values(struct flm_store *store, const struct flm_store_query *query,
                            const char *label, flm_store_text each, void *context,
                            struct flm_error *why)
{
    if (strcmp(label, "service") == 0)
        label = FLM_STORE_SERVICE;
    return labels(store, query, flm_bytes_of(label), each, context, why);
}

struct series_keeping {
    const struct flm_wanted *query;
    struct texts *texts;
    struct flm_text line;
};

static bool keep_series(void *context, struct flm_bytes series)
{
    struct series_keeping *k = context;
    if (!flm_wanted_series(k->query, series))
        return true;
    struct flm_store_label label;
    k->line.size = 0;
    for (size_t at = 0; flm_series_next(series, &at, &label);) {
        if (k->line.size > 0)
            flm_text_putc(&k->line, ' ');
        flm_text_add(&k->line, label.key);
        flm_text_putc(&k->line, '=');
        flm_text_add(&k->line, label.value);
    }
    k->texts->failed |= k->line.failed;
    return keep_any(k->texts, (struct flm_bytes){k->line.at, k->line.size});
}

bool flm_store_series(struct flm_store *store, const struct flm_store_query *query,
                      flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct series_keeping k = {.query = &q, .texts = &t};
    bool good = flm_interner_init(&t.interner, why) && each_known(store, &q, keep_series, &k, why);
    flm_text_clear(&k.line);
    flm_wanted_end(&q);
    return hand_over(&t, good, each, context, why);
}

/* ---- Series with their types ----------------------------------------------------------------- */

/* A text is that of a series, which ends in a NUL, and the type behind it. */
struct typed_keeping {
    const struct flm_wanted *query;
    struct texts *texts;
    struct flm_text text;
};

static bool keep_typed(struct typed_keeping *k, struct flm_bytes series, struct flm_bytes type,
                       struct flm_error *why)
{
    k->text.size = 0;
    flm_text_add(&k->text, series);
    flm_text_add(&k->text, type);
    k->texts->failed |= k->text.failed;
    keep_text(k->texts, (struct flm_bytes){k->text.at, k->text.size});
    return !k->texts->failed || flm_error_memory(why);
}

static bool keep_group(void *context, struct flm_segment *segment, uint32_t number,
                       const unsigned char *wanted, struct flm_error *why)
{
    const struct flm_segment_group *group = flm_segment_group(segment, number);
    bool good = true;
    for (uint32_t i = 0; good && i < group->series_count; i++)
        if (!wanted || wanted[i])
            good = keep_typed(context, flm_segment_series(segment, group->first_series + i),
                              group->type, why);
    return good;
}

static bool keep_batch(void *context, struct flm_head *head, const struct flm_head_batch *batch,
                       struct flm_error *why)
{
    return keep_typed(context, flm_head_series(head, batch->series),
                      flm_head_type(head, batch->type), why);
}

struct typed_sink {
    flm_store_typed each;
    void *context;
};

static bool hand_typed(void *context, struct flm_name text)
{
    const struct typed_sink *sink = context;
    struct flm_store_label_text labels[FLM_STORE_MOST_LABELS + 1];
    const char *end = memrchr(text.at, 0, text.size);
    struct flm_bytes series = {text.at, end ? (size_t)(end + 1 - text.at) : 0};
    struct flm_store_label label;
    size_t count = 0;
    for (size_t at = 0; count <= FLM_STORE_MOST_LABELS && flm_series_next(series, &at, &label);)
        labels[count++] = (struct flm_store_label_text){label.key.at, label.value.at};
    return sink->each(sink->context, labels, count,
                      (struct flm_name){text.at + series.size, text.size - series.size});
}

bool flm_store_typed_series(struct flm_store *store, const struct flm_store_query *query,
                            flm_store_typed each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct typed_keeping k = {.query = &q, .texts = &t};
    const struct flm_segment_visitor visitor = {.context = &k, .group = keep_group};
    struct typed_sink sink = {each, context};
    bool good = flm_interner_init(&t.interner, why) &&
                flm_wanted_all(store, &q, &visitor, keep_batch, &k, why);
    flm_text_clear(&k.text);
    flm_wanted_end(&q);
    return hand_over(&t, good, hand_typed, &sink, why);
}
