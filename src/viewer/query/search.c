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

/* Which of the matching frames the selected one is, and how many there are in the picture: in all
 * of its panes, as they are stepped through. */
struct match_position {
    uint32_t at, count; /* at 0: it is none of them */
};
static struct match_position position_of(const struct flm_viewer *v,
                                         const struct flm_search *search)
{
    struct match_position position = {0, 0};
    const struct flm_node_ref selected = v->model.selected;
    for (uint32_t i = 0; search->frame_count > 0 && i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        bool is_here = flm_node_ref_valid(selected) && selected.pane == i;
        struct flm_node from = {FLM_NONE};
        if (is_here)
            from = flm_pane_node(pane, selected.number);
        struct flm_search_step step =
            flm_search_step(search->frame_matches, pane->layout, from, FLM_SEARCH_STAY);
        if (is_here && step.at > 0)
            position.at = position.count + step.at;
        position.count += step.count;
    }
    return position;
}

static double overlap(double from, double to, struct flm_span span)
{
    double left = fmax(from, span.left), right = fmin(to, span.right);
    return right > left ? right - left : 0;
}

/* Of a flame chart: what of the visible time of its threads has a match, each moment of a thread
 * once. */
struct shown_time {
    double matching, all;
};
static void add_shown(const struct flm_pane *pane, const struct flm_search *search,
                      struct flm_span span, struct shown_time *sum)
{
    const struct flm_tree *tree = &pane->tree;
    double offset, total;
    for (uint32_t i = 1; i < tree->node_count; i = tree->end[i])
        if (!flm_tree_is_gap(tree, i) &&
            flm_layout_extent(pane->layout, (struct flm_node){i}, &offset, &total))
            sum->all += overlap(offset, offset + total, span);
    for (uint32_t i = 1; search->frame_count > 0 && i < tree->node_count;) {
        bool is_match = search->frame_matches[tree->frame[i]] && !flm_tree_is_gap(tree, i) &&
                        flm_layout_extent(pane->layout, (struct flm_node){i}, &offset, &total);
        if (is_match)
            sum->matching += overlap(offset, offset + total, span);
        i = is_match ? tree->end[i] : i + 1;
    }
}

static bool add_chart(struct flm_query *q, const struct flm_search *search,
                      struct flm_response_search *to, struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    struct shown_time sum = {0, 0};
    if (!flm_threads_open_all(&v->scene, why))
        return false;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        if (v->scene.panes[i].kind == FLM_PANE_CHART)
            add_shown(&v->scene.panes[i], search, v->model.camera.to, &sum);
    to->view_share = flm_query_share(q, sum.matching, sum.all);
    return true;
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
    bool is_chart = flm_scene_is_over_time(&v->scene);
    to->total = flm_query_quantity(q, sums->all.total);
    to->total_share = flm_query_share(q, sums->all.total, sums->all.of);
    to->self = flm_query_quantity(q, sums->all.self);
    to->self_share = flm_query_share(q, sums->all.self, sums->all.of);
    to->view_share = flm_query_share(q, sums->seen.total, is_whole ? sums->seen.of : 0);
    to->functions = count_functions(functions, search);
    if (is_chart && search->on && search->frame_count > 0 && !add_chart(q, search, to, why))
        return false;
    struct match_position position = {0, 0};
    if (is_current)
        position = position_of(v, search);
    to->frames = position.at ? position.count : sums->all.nodes;
    to->at = position.at ? position.at : NAN;
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
