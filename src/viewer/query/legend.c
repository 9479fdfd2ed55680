/* legend.c - "legend": what the colors of the picture mean, and how much has each. */
#include "draw/color/color_mode.h"
#include "viewer/paint/box_style.h"
#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"

static const char *texture_of(const struct flm_legend_item *item)
{
    static const char *const textures[FLM_TEXTURE_COUNT] = {NULL,   "rising", "falling",
                                                            "dots", "lines",  "grid"};
    if (item->mark != FLM_MARK_NONE)
        return flm_mark_name(item->mark);
    return textures[item->texture];
}

static void tell_item(struct flm_telling *t, const struct flm_legend *legend,
                      const struct flm_legend_item *item)
{
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_color(t, "color", item->tone.light);
    flm_tell_color(t, "dark", item->tone.dark);
    flm_tell_text(t, "texture", texture_of(item));
    flm_json_add_text(&t->json, "title", item->title);
    flm_json_add_number(&t->json, "count", item->count);
    flm_tell_share(t, "share", item->total, item->total != 0 ? legend->total : 0);
    flm_json_end(&t->json);
}

bool flm_answer_legend(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                       struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    if (t.profile && flm_scene_compares(&v->model, &v->scene)) {
        flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
        flm_tell_text(&t, "title", "Change");
        flm_compared_add_legend(v, &t.json);
        flm_json_end(&t.json);
        return flm_tell_end(&t, why);
    }
    bool has_picture = t.profile && v->scene.pane_count > 0;
    if (has_picture && !flm_box_styles_legend(v, why)) {
        flm_tell_end(&t, NULL);
        return false;
    }
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_tell_text(&t, "title", flm_color_mode_title(v->model.color_mode));
    flm_json_begin(&t.json, "items", FLM_JSON_ARRAY);
    for (size_t i = 0; has_picture && i < v->paint.legend.count; i++)
        tell_item(&t, &v->paint.legend, &v->paint.legend.items[i]);
    flm_json_end(&t.json);
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}
