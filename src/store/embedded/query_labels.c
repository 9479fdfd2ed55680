/* query_labels.c - which types, labels and series there are. */
#include "store/core/ordered_texts.h"
#include "store/embedded/visit.h"

/* ---- Types and labels ------------------------------------------------------------------------ */

struct type_keeping {
    const struct flm_wanted *query;
    struct flm_texts *texts;
    const unsigned char *wanted;
    bool any;                                 /* series has a value in the range */
    struct FLM_ARRAY(unsigned char) in_range; /* by series of the group */
};

static void see_time(void *context, uint32_t series, int64_t time_ms, double value)
{
    struct type_keeping *k = context;
    (void)value;
    if ((k->wanted && !k->wanted[series]) || time_ms < k->query->own.from_ms ||
        time_ms >= k->query->own.until_ms)
        return;
    k->any = true;
    k->in_range.at[series] = 1;
}

/* Which series of a group have a value in the range. */
static bool find_in_range(struct type_keeping *k, struct flm_segment *segment, uint32_t number,
                          const unsigned char *wanted, struct flm_error *why)
{
    uint32_t count = flm_segment_group(segment, number)->series_count;
    k->wanted = wanted;
    k->any = false;
    k->in_range.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!FLM_ARRAY_ADD(&k->in_range, 0))
            return flm_error_memory(why);
    return flm_segment_times(segment, number, see_time, k, why);
}

static bool keep_type(void *context, struct flm_segment *segment, uint32_t group,
                      const unsigned char *wanted, struct flm_error *why)
{
    struct type_keeping *k = context;
    const struct flm_store_query *q = &k->query->own;
    /* Of a segment that is in the range as a whole every type is, but of some of the series. */
    k->any = !wanted && flm_segment_from_ms(segment) >= q->from_ms &&
             flm_segment_until_ms(segment) <= q->until_ms;
    if (!k->any && !find_in_range(k, segment, group, wanted, why))
        return false;
    if (k->any)
        flm_texts_add(k->texts, flm_segment_group(segment, group)->type);
    return true;
}

static bool keep_batch_type(void *context, struct flm_head *head,
                            const struct flm_head_batch *batch, struct flm_error *why)
{
    struct type_keeping *k = context;
    (void)why;
    flm_texts_add(k->texts, flm_head_type(head, batch->type));
    return true;
}

bool flm_embedded_types(struct flm_store *base, const struct flm_store_query *query,
                        flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct type_keeping k = {.query = &q, .texts = &t};
    const struct flm_segment_visitor visitor = {.context = &k, .group = keep_type};
    bool good = flm_texts_init(&t, why) &&
                flm_wanted_all(flm_embedded_of(base), &q, &visitor, keep_batch_type, &k, why);
    FLM_ARRAY_CLEAR(&k.in_range);
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

static bool keep_any(void *context, struct flm_bytes text)
{
    struct flm_texts *t = context;
    flm_texts_add(t, text);
    return !t->failed;
}

/* What labels of the series that the selector matches have: the values of `key`, or the keys. */
struct label_keeping {
    const struct flm_wanted *query;
    struct flm_texts *texts;
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
            flm_texts_add(k->texts, label.key);
        else if (flm_bytes_equal(label.key, k->key))
            flm_texts_add(k->texts, label.value);
    return !k->texts->failed;
}

/* The values of a label that the selector accepts, of at most `most` with the prefix. */
struct pattern_values {
    const struct flm_wanted *query;
    struct flm_store_label label; /* its value: the literal prefix of the pattern */
    struct flm_texts taken;
    size_t seen, most;
};

static bool take_value(void *context, struct flm_bytes value)
{
    struct pattern_values *v = context;
    const struct flm_bytes begin = v->label.value;
    if (value.size < begin.size ||
        (begin.size > 0 && memcmp(value.at, begin.at, begin.size) != 0) || v->seen++ == v->most)
        return false;
    if (flm_selector_takes(v->query->selector, v->label.key, value))
        flm_texts_add(&v->taken, value);
    return !v->taken.failed;
}

struct value_series {
    struct flm_embedded *store;
    struct flm_bytes tenant, key;
    flm_text_each keep;
    void *context;
    struct flm_error *why;
    bool failed;
};

static bool keep_of_value(void *context, struct flm_name value)
{
    struct value_series *v = context;
    v->failed =
        !flm_catalog_series(v->store->catalog, v->tenant, v->key,
                            (struct flm_bytes){value.at, value.size}, v->keep, v->context, v->why);
    return !v->failed;
}

/* Calls `keep` for the series that have a value which a pattern of the selector accepts. *found is
 * false, and nothing was called, where there is no such pattern or too many values: looking a value
 * up takes about 2 us, reading the text of a series 0.2. */
static bool each_of_pattern(struct flm_embedded *store, const struct flm_wanted *q,
                            flm_text_each keep, void *context, bool *found, struct flm_error *why)
{
    enum { MOST_VALUES = 20000 };
    struct pattern_values v = {.query = q, .most = MOST_VALUES};
    *found = flm_selector_pattern(q->selector, &v.label);
    if (!*found)
        return true;
    bool good =
        flm_texts_init(&v.taken, why) && flm_catalog_values(store->catalog, q->tenant, v.label.key,
                                                            v.label.value, take_value, &v, why);
    *found = v.seen <= v.most;
    struct value_series series = {store, q->tenant, v.label.key, keep, context, why, false};
    bool handed = flm_texts_hand_over(&v.taken, good && *found, keep_of_value, &series, why);
    return good && (!*found || (handed && !series.failed));
}

/* Calls `keep` for each series of the catalog that may match, by an index where one helps. */
static bool each_known(struct flm_embedded *store, const struct flm_wanted *q, flm_text_each keep,
                       void *context, struct flm_error *why)
{
    struct flm_store_label label;
    bool narrow = flm_selector_equal(q->selector, &label), found = false;
    pthread_mutex_lock(&store->catalog_lock);
    bool good = narrow || each_of_pattern(store, q, keep, context, &found, why);
    if (good && !found)
        good = flm_catalog_series(store->catalog, q->tenant,
                                  narrow ? label.key : (struct flm_bytes){NULL, 0}, label.value,
                                  keep, context, why);
    pthread_mutex_unlock(&store->catalog_lock);
    return good;
}

bool flm_embedded_labels(struct flm_store *base, const struct flm_store_query *query,
                         struct flm_bytes key, flm_store_text each, void *context,
                         struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct label_keeping k = {&q, &t, key};
    bool good = flm_texts_init(&t, why);
    if (!flm_selector_is_empty(q.selector)) {
        good = good && each_known(store, &q, keep_labels, &k, why);
    } else {
        pthread_mutex_lock(&store->catalog_lock);
        good = good && flm_catalog_labels(store->catalog, q.tenant, key, keep_any, &t, why);
        pthread_mutex_unlock(&store->catalog_lock);
    }
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

struct series_keeping {
    const struct flm_wanted *query;
    struct flm_texts *texts;
    struct flm_text line;
};

static bool keep_series(void *context, struct flm_bytes series)
{
    struct series_keeping *k = context;
    if (!flm_wanted_series(k->query, series))
        return true;
    k->line.size = 0;
    flm_series_line(series, &k->line);
    k->texts->failed |= k->line.failed;
    return keep_any(k->texts, (struct flm_bytes){k->line.at, k->line.size});
}

bool flm_embedded_series(struct flm_store *base, const struct flm_store_query *query,
                         flm_store_text each, void *context, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct series_keeping k = {.query = &q, .texts = &t};
    bool good = flm_texts_init(&t, why) && each_known(store, &q, keep_series, &k, why);
    flm_text_clear(&k.line);
    flm_wanted_end(&q);
    return flm_texts_hand_over(&t, good, each, context, why);
}

/* ---- Series with their types ----------------------------------------------------------------- */

static bool keep_typed(struct flm_texts *texts, struct flm_bytes series, struct flm_bytes type,
                       struct flm_error *why)
{
    flm_texts_add_typed(texts, series, type);
    return !texts->failed || flm_error_memory(why);
}

static bool keep_group(void *context, struct flm_segment *segment, uint32_t number,
                       const unsigned char *wanted, struct flm_error *why)
{
    struct type_keeping *k = context;
    const struct flm_segment_group *group = flm_segment_group(segment, number);
    bool good = find_in_range(k, segment, number, wanted, why);
    for (uint32_t i = 0; good && i < group->series_count; i++)
        if (k->in_range.at[i])
            good = keep_typed(k->texts, flm_segment_series(segment, group->first_series + i),
                              group->type, why);
    return good;
}

static bool keep_batch(void *context, struct flm_head *head, const struct flm_head_batch *batch,
                       struct flm_error *why)
{
    struct type_keeping *k = context;
    return keep_typed(k->texts, flm_head_series(head, batch->series),
                      flm_head_type(head, batch->type), why);
}

bool flm_embedded_typed_series(struct flm_store *base, const struct flm_store_query *query,
                               flm_store_typed each, void *context, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct flm_wanted q;
    struct flm_texts t = {0};
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct type_keeping k = {.query = &q, .texts = &t};
    const struct flm_segment_visitor visitor = {.context = &k, .group = keep_group};
    bool good = flm_texts_init(&t, why) && flm_wanted_all(store, &q, &visitor, keep_batch, &k, why);
    FLM_ARRAY_CLEAR(&k.in_range);
    flm_wanted_end(&q);
    return flm_texts_hand_typed(&t, good, each, context, why);
}
