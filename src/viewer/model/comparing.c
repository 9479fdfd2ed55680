#include "viewer/model/comparing.h"

#include <stdlib.h>

#include "viewer/model/model.h"

void flm_comparing_clear(struct flm_comparing *c)
{
    for (int side = 0; side < 2; side++) {
        flm_text_clear(&c->expression[side]);
        flm_profile_free(c->side[side]);
    }
    flm_text_clear(&c->function);
    *c = (struct flm_comparing){0};
}

bool flm_model_compares(const struct flm_model *model)
{
    return model->operations.before != NULL;
}

/* ---- Sides ----------------------------------------------------------------------------------- */

/* A side with its expression applied; NULL, and *good, if it has none. */
static struct flm_profile *derive(const struct flm_profile *p, const struct flm_text *expression,
                                  bool *good, struct flm_error *why)
{
    char note[200];
    struct flm_text text = {0};
    if (!*good || expression->size == 0 || !p)
        return NULL;
    flm_text_add(&text, (struct flm_bytes){expression->at, expression->size});
    flm_text_putc(&text, 0);
    struct flm_profile *result = NULL;
    if (text.failed)
        flm_error_memory(why);
    else
        result = flm_apply(p, text.at, note, why);
    flm_text_clear(&text);
    *good = result != NULL;
    return result;
}

bool flm_comparing_open(struct flm_model *model, struct flm_error *why)
{
    struct flm_comparing *c = &model->comparing;
    const struct flm_profile *file[2];
    struct flm_profile *side[2];
    file[FLM_VIEWER_AFTER] = model->opened[FLM_VIEWER_AFTER];
    file[FLM_VIEWER_BEFORE] = model->opened[FLM_VIEWER_BEFORE];
    bool compares = file[FLM_VIEWER_AFTER] &&
                    (file[FLM_VIEWER_BEFORE] || c->expression[FLM_VIEWER_BEFORE].size > 0);
    if (!file[FLM_VIEWER_BEFORE])
        file[FLM_VIEWER_BEFORE] = file[FLM_VIEWER_AFTER];
    bool good = true;
    for (int i = 0; i < 2; i++) {
        side[i] = compares ? derive(file[i], &c->expression[i], &good, why) : NULL;
        if (side[i])
            file[i] = side[i];
    }
    good = good && flm_operations_open(&model->operations, file[FLM_VIEWER_AFTER],
                                       compares ? file[FLM_VIEWER_BEFORE] : NULL, why);
    if (good)
        flm_changed(model, FLM_ASPECT_OPENED);
    for (int i = 0; i < 2; i++) {
        flm_profile_free(good ? c->side[i] : side[i]);
        if (!good)
            continue;
        c->side[i] = side[i];
        c->duration_ns[i] = compares ? flm_profile_duration_ns(file[i]) : 0;
    }
    return good;
}

uint32_t flm_comparing_metric(const struct flm_model *model, uint32_t metric)
{
    const struct flm_profile *p = flm_model_shown(model);
    if (!p || metric >= p->sizes.metric_count)
        metric = 0;
    struct flm_metric_pair *pairs =
        p && flm_model_compares(model) ? malloc((p->sizes.metric_count + (size_t)1) * sizeof *pairs)
                                       : NULL;
    uint32_t count = pairs ? flm_metric_pairs(p, pairs) : 0, found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].after.index == metric || pairs[i].before.index == metric)
            found = i;
    if (count > 0)
        metric = pairs[found].after.index;
    free(pairs);
    return metric;
}

/* Of an only pair, whose metrics have no names of their own: what the two sides call it. */
static struct flm_bytes only_name(const struct flm_model *model)
{
    const struct flm_profile *after = model->operations.opened, *before = model->operations.before;
    for (uint32_t a = 0; a < after->sizes.metric_count; a++)
        for (uint32_t b = 0; b < before->sizes.metric_count; b++) {
            struct flm_bytes name = flm_string_bytes(after, after->metrics[a].name);
            if (flm_bytes_equal(name, flm_string_bytes(before, before->metrics[b].name)))
                return name;
        }
    return flm_string_bytes(after, after->metrics[0].name);
}

struct flm_bytes flm_comparing_metric_name(const struct flm_model *model, uint32_t metric)
{
    const struct flm_profile *p = flm_model_shown(model);
    struct flm_bytes name = flm_string_bytes(p, p->metrics[metric].name);
    if (!flm_model_compares(model))
        return name;
    const char *colon = memchr(name.at, ':', name.size);
    if (!colon)
        return only_name(model);
    size_t size = (size_t)(colon - name.at) + 1;
    return (struct flm_bytes){name.at + size, name.size - size};
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *const width_words[] = {[FLM_WIDTHS_MAX] = "max",
                                          [FLM_WIDTHS_AFTER] = "after",
                                          [FLM_WIDTHS_BEFORE] = "before",
                                          [FLM_WIDTHS_SUM] = "sum"};
enum { WIDTH_WORDS = sizeof width_words / sizeof width_words[0] };

static const char *const normal_words[] = {[FLM_NORMALIZE_NONE] = "none",
                                           [FLM_NORMALIZE_TOTAL] = "total",
                                           [FLM_NORMALIZE_DURATION] = "duration",
                                           [FLM_NORMALIZE_FUNCTION] = "function"};

const char *flm_comparison_width_word(enum flm_comparison_widths widths)
{
    return width_words[widths];
}

bool flm_comparison_width_named(struct flm_bytes word, enum flm_comparison_widths *widths)
{
    for (int i = 0; i < WIDTH_WORDS; i++)
        if (flm_bytes_are(word, width_words[i])) {
            *widths = (enum flm_comparison_widths)i;
            return true;
        }
    return false;
}

const char *flm_normalize_word(enum flm_normalize by)
{
    return normal_words[by];
}

bool flm_normalize_named(struct flm_bytes word, enum flm_normalize *by)
{
    for (int i = FLM_NORMALIZE_NONE; i < FLM_NORMALIZE_FUNCTION; i++)
        if (flm_bytes_are(word, normal_words[i])) {
            *by = (enum flm_normalize)i;
            return true;
        }
    return false;
}

static void add_word(struct flm_text *out, const char *word)
{
    flm_text_puts(out, out->size ? "," : "");
    flm_text_puts(out, word);
}

void flm_comparing_write(const struct flm_comparing *c, struct flm_text *out)
{
    if (c->widths != FLM_WIDTHS_MAX)
        add_word(out, width_words[c->widths]);
    if (c->palette != FLM_CHANGE_RED_BLUE)
        add_word(out, flm_change_palette_name(c->palette));
    if (c->scope == FLM_CHANGE_OF_SELF)
        add_word(out, "self");
    if (c->absolute)
        add_word(out, "absolute");
    if (c->normalize == FLM_NORMALIZE_TOTAL || c->normalize == FLM_NORMALIZE_DURATION)
        add_word(out, normal_words[c->normalize]);
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
        if (c->kinds >> kind & 1)
            add_word(out, flm_change_kind_name((enum flm_change_kind)kind));
    if (c->shows_noise)
        add_word(out, "noise");
    if (c->side_by_side)
        add_word(out, "side-by-side");
}

static void read_word(struct flm_comparing *c, struct flm_bytes word)
{
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
        if (flm_bytes_are(word, flm_change_kind_name((enum flm_change_kind)kind)))
            c->kinds |= 1u << kind;
    if (flm_comparison_width_named(word, &c->widths) ||
        flm_change_palette_named(word, &c->palette) || flm_normalize_named(word, &c->normalize))
        return;
    c->absolute |= flm_bytes_are(word, "absolute");
    c->shows_noise |= flm_bytes_are(word, "noise");
    c->side_by_side |= flm_bytes_are(word, "side-by-side");
    if (flm_bytes_are(word, "self"))
        c->scope = FLM_CHANGE_OF_SELF;
}

void flm_comparing_read(struct flm_comparing *c, struct flm_bytes words)
{
    c->widths = FLM_WIDTHS_MAX;
    c->palette = FLM_CHANGE_RED_BLUE;
    c->scope = FLM_CHANGE_OF_SUBTREE;
    c->normalize = c->function.size > 0 ? FLM_NORMALIZE_FUNCTION : FLM_NORMALIZE_NONE;
    c->absolute = c->shows_noise = c->side_by_side = false;
    c->kinds = 0;
    while (words.size > 0) {
        size_t size = 0;
        while (size < words.size && words.at[size] != ',')
            size++;
        read_word(c, (struct flm_bytes){words.at, size});
        size += size < words.size;
        words = (struct flm_bytes){words.at + size, words.size - size};
    }
}
