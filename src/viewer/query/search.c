/* search.c - "searches": the searches, and the sums of their matches. */
#include <math.h>

#include "viewer/paint/box_style.h"
#include "viewer/query/internal.h"

static uint32_t count_functions(const struct flm_functions *functions,
                                const struct flm_search *search)
{
    uint32_t count = 0, last = FLM_NONE;
    uint32_t frames = functions->function[functions->count - 1].first_frame +
                      functions->function[functions->count - 1].frame_count;
    for (uint32_t i = 1; search->frame_count > 0 && i < frames; i++)
        if (search->frame_matches[i] && functions->of_frame[i] != last) {
            last = functions->of_frame[i];
            count++;
        }
    return count;
}

/* Which of the matching frames the selected one is, and how many there are in the picture. */
static struct flm_search_step where(const struct flm_viewer *v, const struct flm_search *search)
{
    struct flm_search_step step = {{FLM_NONE}, 0, 0};
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    if (frame == FLM_NONE || search->frame_count == 0 || !search->frame_matches[frame])
        return step;
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    return flm_search_step(search->frame_matches, pane->layout,
                           flm_pane_node(pane, v->model.selected.number), FLM_SEARCH_STAY);
}

static bool add_matches(struct flm_query *q, struct flm_search *search, bool is_current,
                        struct flm_response_search *to, struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    const struct flm_functions *functions =
        flm_cached_tables_functions(&v->scene.tables, q->profile, why);
    if (!functions)
        return false;
    const struct flm_pane *pane = &v->scene.panes[0];
    const struct flm_search_sums *sums =
        flm_search_sum(search, q->profile, q->metric, pane->layout, flm_viewer_goal_node(v, pane));
    /* Callers that are not opened yet may hold more: only trees that are all there can say. */
    bool is_whole = pane->kind != FLM_PANE_LAZY;
    struct flm_search_step step = {{FLM_NONE}, 0, 0};
    if (is_current)
        step = where(v, search);
    to->total = flm_query_quantity(q, sums->all.total);
    to->total_share = flm_query_share(q, sums->all.total, sums->all.of);
    to->self = flm_query_quantity(q, sums->all.self);
    to->self_share = flm_query_share(q, sums->all.self, sums->all.of);
    to->view_share = flm_query_share(q, sums->seen.total, is_whole ? sums->seen.of : 0);
    to->functions = count_functions(functions, search);
    to->frames = step.at ? step.count : sums->all.nodes;
    to->at = step.at ? step.at : NAN;
    return true;
}

static bool add_search(struct flm_query *q, struct flm_search *search, bool is_current,
                       struct flm_response_search *to, struct flm_error *why)
{
    *to = (struct flm_response_search){
        .text = flm_query_copy(q, (struct flm_bytes){search->text.at, search->text.size}),
        .kind = flm_query_text(q, flm_search_kind_name(flm_search_kind(search))),
        .scope = flm_query_text(q, flm_search_scope_name(search->scope)),
        .color = flm_query_color(q, flm_search_color(&q->viewer->paint.theme, search->color)),
        .error = flm_query_text(q, search->malformed ? search->error.text : NULL),
        .exact_case = search->exact_case,
        .on = search->on,
        .number = search->color,
        .functions = NAN,
        .frames = NAN,
        .at = NAN,
    };
    return !q->profile || q->viewer->scene.pane_count == 0 ||
           add_matches(q, search, is_current, to, why);
}

bool flm_query_searches(struct flm_viewer *v, struct flm_bytes argument,
                        struct flm_response *response, struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    struct flm_searches *searches = &v->model.searches;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_searches *made = flm_query_take(&q, 1, sizeof *made);
    struct flm_response_search *search = flm_query_take(&q, searches->count, sizeof *search);
    response->searches = made;
    if (!made || !search)
        return flm_query_end(&q, why);
    made->current = searches->current;
    made->searches.at = search;
    made->searches.count = searches->count;
    for (unsigned i = 0; i < searches->count; i++)
        if (!add_search(&q, &searches->at[i], i == searches->current, &search[i], why))
            return flm_query_fail(&q);
    return flm_query_end(&q, why);
}
