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

/* What is shown until another metric is chosen: the first with values in the file, also where an
 * operation has left none. */
static uint32_t first_metric(const struct flm_model *model, const struct flm_profile *shown)
{
    const struct flm_profile *file = model->opened[FLM_VIEWER_AFTER];
    struct flm_metric metric;
    bool is_same = file && file->sizes.metric_count == shown->sizes.metric_count;
    return flm_metric_find(is_same ? file : shown, NULL, &metric, NULL) ? metric.index : 0;
}

uint32_t flm_comparing_metric(const struct flm_model *model, uint32_t metric)
{
    const struct flm_profile *p = flm_model_shown(model);
    if (!p || metric >= p->sizes.metric_count)
        metric = p ? first_metric(model, p) : 0;
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

static const char *const width_names[] = {[FLM_WIDTHS_MAX] = "max",
                                          [FLM_WIDTHS_AFTER] = "after",
                                          [FLM_WIDTHS_BEFORE] = "before",
                                          [FLM_WIDTHS_SUM] = "sum"};
enum { WIDTHS = sizeof width_names / sizeof width_names[0] };

static const char *const normalize_names[] = {[FLM_NORMALIZE_NONE] = "none",
                                              [FLM_NORMALIZE_TOTAL] = "total",
                                              [FLM_NORMALIZE_DURATION] = "duration",
                                              [FLM_NORMALIZE_FUNCTION] = "function"};

const char *flm_comparison_width_name(enum flm_comparison_widths widths)
{
    return width_names[widths];
}

bool flm_comparison_width_named(struct flm_bytes name, enum flm_comparison_widths *widths)
{
    for (int i = 0; i < WIDTHS; i++)
        if (flm_bytes_are(name, width_names[i])) {
            *widths = (enum flm_comparison_widths)i;
            return true;
        }
    return false;
}

const char *flm_normalize_name(enum flm_normalize by)
{
    return normalize_names[by];
}

bool flm_normalize_named(struct flm_bytes name, enum flm_normalize *by)
{
    for (int i = FLM_NORMALIZE_NONE; i < FLM_NORMALIZE_FUNCTION; i++)
        if (flm_bytes_are(name, normalize_names[i])) {
            *by = (enum flm_normalize)i;
            return true;
        }
    return false;
}

static void add_name(struct flm_text *out, const char *name)
{
    flm_text_puts(out, out->size ? "," : "");
    flm_text_puts(out, name);
}

void flm_comparing_write(const struct flm_comparing *c, struct flm_text *out)
{
    if (c->widths != FLM_WIDTHS_MAX)
        add_name(out, width_names[c->widths]);
    if (c->palette != FLM_CHANGE_RED_BLUE)
        add_name(out, flm_change_palette_name(c->palette));
    if (c->scope == FLM_CHANGE_OF_SELF)
        add_name(out, "self");
    if (c->absolute)
        add_name(out, "absolute");
    if (c->normalize == FLM_NORMALIZE_TOTAL || c->normalize == FLM_NORMALIZE_DURATION)
        add_name(out, normalize_names[c->normalize]);
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
        if (c->kinds >> kind & 1)
            add_name(out, flm_change_kind_name((enum flm_change_kind)kind));
    if (c->shows_noise)
        add_name(out, "noise");
    if (c->side_by_side)
        add_name(out, "side-by-side");
}

static void read_name(struct flm_comparing *c, struct flm_bytes name)
{
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
        if (flm_bytes_are(name, flm_change_kind_name((enum flm_change_kind)kind)))
            c->kinds |= 1u << kind;
    if (flm_comparison_width_named(name, &c->widths) ||
        flm_change_palette_named(name, &c->palette) || flm_normalize_named(name, &c->normalize))
        return;
    c->absolute |= flm_bytes_are(name, "absolute");
    c->shows_noise |= flm_bytes_are(name, "noise");
    c->side_by_side |= flm_bytes_are(name, "side-by-side");
    if (flm_bytes_are(name, "self"))
        c->scope = FLM_CHANGE_OF_SELF;
}

void flm_comparing_read(struct flm_comparing *c, struct flm_bytes names)
{
    c->widths = FLM_WIDTHS_MAX;
    c->palette = FLM_CHANGE_RED_BLUE;
    c->scope = FLM_CHANGE_OF_SUBTREE;
    c->normalize = c->function.size > 0 ? FLM_NORMALIZE_FUNCTION : FLM_NORMALIZE_NONE;
    c->absolute = c->shows_noise = c->side_by_side = false;
    c->kinds = 0;
    while (names.size > 0) {
        size_t size = 0;
        while (size < names.size && names.at[size] != ',')
            size++;
        read_name(c, (struct flm_bytes){names.at, size});
        size += size < names.size;
        names = (struct flm_bytes){names.at + size, names.size - size};
    }
}
