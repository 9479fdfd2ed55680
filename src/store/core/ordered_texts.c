#include "store/core/ordered_texts.h"

#include <stdlib.h>

#include "base/core/sort.h"
#include "store/labels/series_labels.h"

bool flm_texts_init(struct flm_texts *t, struct flm_error *why)
{
    t->failed = false;
    return flm_interner_init(&t->interner, why);
}

void flm_texts_add(struct flm_texts *t, struct flm_bytes text)
{
    t->failed |= flm_interner_string(&t->interner, text) == FLM_NONE;
}

static int by_bytes(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_texts *t = context;
    return flm_bytes_compare(flm_interner_text(&t->interner, a),
                             flm_interner_text(&t->interner, b));
}

bool flm_texts_hand_over(struct flm_texts *t, bool good, flm_store_text each, void *context,
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

void flm_series_line(struct flm_bytes series, struct flm_text *line)
{
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(series, &at, &label);) {
        if (line->size > 0)
            flm_text_putc(line, ' ');
        flm_text_add(line, label.key);
        flm_text_putc(line, '=');
        flm_text_add(line, label.value);
    }
}

void flm_texts_add_typed(struct flm_texts *t, struct flm_bytes series, struct flm_bytes type)
{
    struct flm_text text = {0};
    flm_text_add(&text, series);
    flm_text_add(&text, type);
    if (text.failed)
        t->failed = true;
    else
        flm_texts_add(t, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
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

bool flm_texts_hand_typed(struct flm_texts *t, bool good, flm_store_typed each, void *context,
                          struct flm_error *why)
{
    struct typed_sink sink = {each, context};
    return flm_texts_hand_over(t, good, hand_typed, &sink, why);
}
