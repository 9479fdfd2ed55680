/* search.c - "searches": what is searched for and how much was found. */
#include "viewer/paint/box_style.h"
#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"

static uint32_t count_functions(const struct flm_functions *functions,
                                const struct flm_search *search)
{
    uint32_t count = 0, last = FLM_NONE;
    uint32_t frames = functions->function[functions->count - 1].first_frame +
                      functions->function[functions->count - 1].frame_count;
    for (uint32_t i = 1; search->frame_count > 0 && i < frames; i++)
        if (search->frame_found[i] && functions->of_frame[i] != last) {
            last = functions->of_frame[i];
            count++;
        }
    return count;
}

/* Which of the frames found the selected one is, and how many there are in the picture. */
static struct flm_search_step where(const struct flm_viewer *v, const struct flm_search *search)
{
    struct flm_search_step step = {{FLM_NONE}, 0, 0};
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    if (frame == FLM_NONE || search->frame_count == 0 || !search->frame_found[frame])
        return step;
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    return flm_search_step(search->frame_found, pane->layout,
                           flm_pane_node(pane, v->model.selected.number), FLM_SEARCH_STAY);
}

static bool tell_found(struct flm_telling *t, struct flm_search *search, bool is_current,
                       struct flm_error *why)
{
    struct flm_viewer *v = t->viewer;
    const struct flm_functions *functions =
        flm_cached_tables_functions(&v->scene.tables, t->profile, why);
    if (!functions)
        return false;
    const struct flm_pane *pane = &v->scene.panes[0];
    const struct flm_search_sums *sums =
        flm_search_sum(search, t->profile, t->metric, pane->layout, flm_viewer_goal_node(v, pane));
    /* Callers that are not opened yet may hold more: only trees that are all there can say. */
    bool is_whole = pane->kind != FLM_PANE_LAZY;
    struct flm_search_step step = {{FLM_NONE}, 0, 0};
    if (is_current)
        step = where(v, search);
    flm_tell_quantity(t, "total", sums->all.total);
    flm_tell_share(t, "total_share", sums->all.total, sums->all.of);
    flm_tell_quantity(t, "self", sums->all.self);
    flm_tell_share(t, "self_share", sums->all.self, sums->all.of);
    flm_tell_share(t, "view_share", sums->seen.total, is_whole ? sums->seen.of : 0);
    flm_json_add_number(&t->json, "functions", count_functions(functions, search));
    flm_json_add_number(&t->json, "frames", step.at ? step.count : sums->all.nodes);
    if (step.at)
        flm_json_add_number(&t->json, "at", step.at);
    else
        flm_json_add_null(&t->json, "at");
    return true;
}

static bool tell_search(struct flm_telling *t, struct flm_search *search, bool is_current,
                        struct flm_error *why)
{
    bool ok = true;
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&t->json, "text", (struct flm_bytes){search->text.at, search->text.size});
    flm_tell_text(t, "kind", flm_search_kind_name(search->kind));
    flm_tell_text(t, "scope", flm_search_scope_name(search->scope));
    flm_json_add_bool(&t->json, "case", search->exact_case);
    flm_tell_color(t, "color", flm_search_color(&t->viewer->paint.theme, search->color));
    flm_json_add_number(&t->json, "number", search->color);
    flm_json_add_bool(&t->json, "on", search->on);
    flm_tell_text(t, "error", search->malformed ? search->error.text : NULL);
    if (t->profile && t->viewer->scene.pane_count > 0)
        ok = tell_found(t, search, is_current, why);
    flm_json_end(&t->json);
    return ok;
}

bool flm_answer_searches(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                         struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    struct flm_searches *searches = &v->model.searches;
    bool ok = true;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&t.json, "current", searches->current);
    flm_json_begin(&t.json, "searches", FLM_JSON_ARRAY);
    for (unsigned i = 0; ok && i < searches->count; i++)
        ok = tell_search(&t, &searches->at[i], i == searches->current, why);
    flm_json_end(&t.json);
    flm_json_end(&t.json);
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}
