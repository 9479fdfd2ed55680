/* legend.c - "legend": what the colors of the picture mean, and how much has each. */
#include <math.h>

#include "draw/color/color_mode.h"
#include "draw/color/state_tones.h"
#include "viewer/paint/box_style.h"
#include "viewer/query/internal.h"

static const char *texture_name(enum flm_texture texture)
{
    static const char *const textures[FLM_TEXTURE_COUNT] = {NULL,   "rising", "falling",
                                                            "dots", "lines",  "grid"};
    return textures[texture];
}

static const char *texture_of(const struct flm_legend_item *item)
{
    return item->mark != FLM_MARK_NONE ? flm_mark_name(item->mark) : texture_name(item->texture);
}

/* The note of a color that several groups share: "node, longest_match and 3 more". */
static struct flm_bytes names_of(struct flm_query *q, const struct flm_legend_item *item)
{
    struct flm_text *out = flm_query_scratch(q);
    uint32_t named = item->second.size ? 2 : 1;
    if (item->count <= named || item->group == FLM_NONE)
        return (struct flm_bytes){NULL, 0};
    flm_text_add(out, item->title);
    if (item->second.size) {
        flm_text_puts(out, ", ");
        flm_text_add(out, item->second);
    }
    flm_text_puts(out, " and ");
    flm_count_add(out, item->count - named);
    flm_text_puts(out, " more with smaller areas");
    return flm_query_scratch_copy(q);
}

static struct flm_bytes item_title(struct flm_query *q, const struct flm_legend_item *item)
{
    flm_legend_add_title(flm_query_scratch(q), item);
    return flm_query_scratch_copy(q);
}

static void add_item(struct flm_query *q, const struct flm_legend *legend,
                     const struct flm_legend_item *item, struct flm_response_legend_item *to)
{
    *to = (struct flm_response_legend_item){
        .color = flm_query_color(q, item->tone.light),
        .dark = flm_query_color(q, item->tone.dark),
        .texture = flm_query_text(q, texture_of(item)),
        .title = item_title(q, item),
        .note = names_of(q, item),
        .count = item->count,
        .light_rgb = item->tone.light,
        .dark_rgb = item->tone.dark,
        .fill = item->texture,
        .mark = item->mark,
        .share = flm_query_share(q, item->total, item->total != 0 ? legend->total : 0),
    };
}

/* What threads do, in a flame chart: of the states that the profile has. */
static size_t add_states(struct flm_query *q, uint32_t seen, struct flm_response_legend_item *to)
{
    size_t count = 0;
    for (int i = 0; i < FLM_THREAD_STATES; i++) {
        const struct flm_state_tone *tone = &flm_state_tones[i];
        if (!(seen >> i & 1))
            continue;
        to[count] = (struct flm_response_legend_item){
            .color = flm_query_color(q, tone->light),
            .dark = flm_query_color(q, tone->dark),
            .texture = flm_query_text(q, texture_name(tone->texture)),
            .title = flm_query_text(q, flm_thread_state_title((enum flm_thread_state)i)),
            .count = NAN,
            .light_rgb = tone->light,
            .dark_rgb = tone->dark,
            .state = tone,
        };
        count++;
    }
    return count;
}

/* "Module or package", and what the largest one is split by. */
static struct flm_bytes title_of(struct flm_query *q)
{
    static const char *const splits[] = {"", ", the main one by source file",
                                         ", the main one by package", ", the main one by class",
                                         ", the main one by function"};
    const struct flm_viewer *v = q->viewer;
    struct flm_text *out = flm_query_scratch(q);
    flm_text_puts(out, flm_color_mode_title(v->model.color_mode));
    flm_text_puts(out, splits[v->paint.coloring.split]);
    return flm_query_scratch_copy(q);
}

bool flm_query_legend(struct flm_viewer *v, struct flm_bytes argument,
                      struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    bool compares = q.profile && flm_scene_compares(&v->scene);
    bool has_picture = q.profile && v->scene.pane_count > 0 && !compares;
    if (has_picture && !flm_box_styles_legend(v, why))
        return flm_query_fail(&q);
    const struct flm_legend *legend = &v->paint.legend;
    size_t count = has_picture ? legend->count : 0;
    struct flm_response_legend *made = flm_query_take(&q, 1, sizeof *made);
    struct flm_response_legend_item *item =
        flm_query_take(&q, count + FLM_THREAD_STATES, sizeof *item);
    response->legend = made;
    if (!made || !item)
        return flm_query_end(&q, why);
    made->title = compares ? flm_query_text(&q, "Change") : title_of(&q);
    made->items.at = item;
    if (has_picture && flm_scene_is_over_time(&v->scene))
        made->items.count = add_states(&q, v->scene.threads.states.seen, item);
    for (size_t i = 0; i < count; i++)
        add_item(&q, legend, &legend->items[i], &item[made->items.count++]);
    if (compares)
        flm_query_compared_legend(&q, made);
    return flm_query_end(&q, why);
}
