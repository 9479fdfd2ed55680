/* compared.c - the comparison of a picture: of two metrics of the profile, or of one with negative
 * values; and its normalization. */
#include "algebra/compare/comparable.h"
#include "draw/svg/internal.h"
#include "profile/columns.h"

static bool has_negative(const struct flm_profile *p, struct flm_metric metric)
{
    const double *self = flm_profile_self(p, metric);
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (self[i] < 0)
            return true;
    return false;
}

struct flm_bytes flm_svg_next_word(struct flm_bytes *list)
{
    const char *comma = memchr(list->at, ',', list->size);
    struct flm_bytes word = {list->at, comma ? (size_t)(comma - list->at) : list->size};
    size_t used = word.size + (comma != NULL);
    *list = (struct flm_bytes){list->at + used, list->size - used};
    return word;
}

bool flm_svg_changes_parse(const char *changes, unsigned *kinds, struct flm_error *why)
{
    struct flm_bytes list = flm_bytes_of(changes ? changes : "");
    *kinds = 0;
    while (list.size > 0) {
        struct flm_bytes word = flm_svg_next_word(&list);
        int kind = 0;
        while (kind < FLM_CHANGE_KINDS &&
               !flm_bytes_are(word, flm_change_kind_name((enum flm_change_kind)kind)))
            kind++;
        if (kind == FLM_CHANGE_KINDS)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "no stack is '%.*s': appeared, grown, disappeared, shrunk or same",
                                 (int)word.size, word.at);
        *kinds |= 1u << kind;
    }
    return true;
}

static struct flm_normal normal_of(const struct flm_svg_options *o)
{
    return (struct flm_normal){
        .by = o->normalize,
        .before_ns = o->before_ns,
        .after_ns = o->after_ns,
        .function = flm_bytes_of(o->normalize_function ? o->normalize_function : "")};
}

/* Two columns: `pair` and its scale and noise. */
static bool prepare_columns(struct flm_svg *svg, struct flm_comparison_options *how,
                            struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    struct flm_metric_pair pair = {o->before, o->metric, {"", 0}};
    struct flm_normal normal = normal_of(o);
    if (!flm_comparison_scale(svg->profile, &pair, &normal, &how->scale, why))
        return false;
    how->widths = o->widths;
    if (!o->without_noise_test)
        flm_comparison_find_noise(svg->profile, &pair, how);
    return true;
}

bool flm_svg_compare(struct flm_svg *svg, struct flm_error *why)
{
    const struct flm_svg_options *o = &svg->options;
    const struct flm_profile *p = svg->profile;
    svg->comparison = o->difference                ? FLM_SVG_COLUMNS
                      : has_negative(p, o->metric) ? FLM_SVG_SIGNED
                                                   : FLM_SVG_PLAIN;
    if (svg->comparison == FLM_SVG_PLAIN)
        return true;
    struct flm_comparison_options how = {.widths = FLM_WIDTHS_SUM};
    if (!flm_svg_changes_parse(o->changes, &how.kinds, why) ||
        (svg->comparison == FLM_SVG_COLUMNS && !prepare_columns(svg, &how, why)))
        return false;
    const double *before =
        svg->comparison == FLM_SVG_COLUMNS ? flm_profile_self(p, o->before) : NULL;
    if (!flm_comparison_init(&svg->compared, p->sizes.node_count, p->node_end, before,
                             flm_profile_self(p, o->metric), &how, why))
        return false;
    svg->change_colors = (struct flm_change_colors){
        .palette = o->change_palette,
        .scope = o->change_of_self ? FLM_CHANGE_OF_SELF : FLM_CHANGE_OF_SUBTREE,
        .absolute = o->change_absolute,
        .negate = o->negate};
    svg->change_whole = flm_change_whole(&svg->compared);
    return true;
}

struct flm_change flm_svg_change(const struct flm_svg *svg, uint32_t node)
{
    return flm_comparison_change(&svg->compared, node, svg->change_colors.scope);
}

struct flm_comparison_terms flm_svg_terms(const struct flm_svg *svg)
{
    const struct flm_svg_options *o = &svg->options;
    return (struct flm_comparison_terms){
        .unit = svg->unit,
        .factor = o->factor,
        .by = o->normalize,
        .function = flm_bytes_of(o->normalize_function ? o->normalize_function : "")};
}
