#include "viewer/scene/thread_panes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "flamel/builder.h"
#include "viewer/model/name_list.h"
#include "viewer/scene/lanes.h"
#include "viewer/scene/scene.h"

void flm_threads_clear(struct flm_threads *threads)
{
    flm_tracks_clear(&threads->tracks);
    flm_thread_states_clear(&threads->states);
    free(threads->parent);
    *threads = (struct flm_threads){.tracks = {.key = FLM_NONE}};
}

const struct flm_track *flm_threads_track(const struct flm_scene *scene,
                                          const struct flm_pane *pane)
{
    return &scene->threads.tracks.track[pane->track];
}

const struct flm_pane *flm_threads_process_of(const struct flm_scene *scene, uint32_t pane)
{
    if (pane >= scene->pane_count || scene->panes[pane].kind != FLM_PANE_CHART)
        return NULL;
    uint32_t process = flm_threads_track(scene, &scene->panes[pane])->process;
    for (uint32_t i = 0; process != FLM_NONE && i < scene->pane_count; i++)
        if (scene->panes[i].process_threads > 0 &&
            flm_threads_track(scene, &scene->panes[i])->process == process)
            return &scene->panes[i];
    return NULL;
}

const struct flm_pane *flm_threads_process_at(const struct flm_scene *scene, double y_px)
{
    for (uint32_t i = 0; flm_scene_is_over_time(scene) && i < scene->pane_count; i++) {
        const struct flm_pane *pane = &scene->panes[i];
        double top = pane->top_px - pane->header_px;
        double height = pane->is_collapsed ? pane->header_px : flm_scene_process_px(scene);
        if (pane->process_threads > 0 && y_px >= top && y_px < top + height)
            return pane;
    }
    return NULL;
}

struct flm_pane *flm_threads_deep_at(const struct flm_scene *scene, double x_px, double y_px)
{
    double gutter = flm_scene_gutter_px(scene), row = flm_scene_row_px(scene);
    for (uint32_t i = 0; flm_scene_is_over_time(scene) && i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        double foot = pane->top_px + pane->height_px, end = foot + pane->foot_px;
        double begin = pane->top_px - pane->header_px +
                       (pane->process_threads > 0 ? flm_scene_process_px(scene) : 0);
        bool is_name =
            y_px >= begin && (gutter > 0 ? x_px < gutter && y_px < end : y_px < begin + row);
        if (pane->is_deep && (is_name || (y_px >= foot && y_px < end)))
            return pane;
    }
    return NULL;
}

double flm_threads_ns(const struct flm_threads *threads, int64_t time_ns)
{
    uint64_t time = (uint64_t)time_ns, start = (uint64_t)threads->start_ns;
    double since = time_ns < threads->start_ns ? -(double)(start - time) : (double)(time - start);
    return since + threads->offset_ns;
}

struct flm_span flm_threads_extent(const struct flm_scene *scene, const struct flm_pane *pane)
{
    const struct flm_profile *p = pane->profile;
    const struct flm_track *track = flm_threads_track(scene, pane);
    if (track->sample_count == 0)
        return (struct flm_span){0, 0};
    uint32_t last = track->sample[track->sample_count - 1];
    return (struct flm_span){flm_threads_ns(&scene->threads, p->sample_time[track->sample[0]]),
                             flm_threads_ns(&scene->threads, p->sample_time[last]) +
                                 (double)flm_sample_duration(p, last)};
}

double flm_threads_width(const struct flm_scene *scene, const struct flm_pane *pane)
{
    struct flm_span extent = flm_threads_extent(scene, pane);
    return scene->total > 0 ? fmin(1, fmax(0, extent.right - extent.left) / scene->total) : 0;
}

/* ---- The axis -------------------------------------------------------------------------------- */

/* The selected time, or all of it; of a profile whose times the timeline does not know (another
 * side of a comparison), from its own first sample on. */
static void find_axis(const struct flm_model *model, struct flm_scene *scene)
{
    struct flm_threads *threads = &scene->threads;
    const struct flm_tracks *shown = &threads->tracks, *opened = &scene->timeline.tracks;
    struct flm_span ns = {0, opened->length_ns};
    threads->start_ns = shown->first_ns;
    scene->total = shown->length_ns;
    if (opened->length_ns <= 0 || shown->first_ns < opened->first_ns)
        return;
    bool is_selected = flm_timeline_selected(model, scene, &ns);
    double first = (double)((uint64_t)shown->first_ns - (uint64_t)opened->first_ns);
    if (first < ns.left || !(ns.right > ns.left))
        return;
    threads->offset_ns = floor(ns.left);
    threads->start_ns = flm_time_after(opened->first_ns, threads->offset_ns);
    /* The last sample of a selected time stands for more than its rest. */
    scene->total = is_selected ? ns.right - ns.left : fmax(ns.right, first + shown->length_ns);
}

bool flm_threads_find(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    struct flm_threads *threads = &scene->threads;
    struct flm_metric metric = {model->metric};
    flm_threads_clear(threads);
    if (!flm_tracks_init(&threads->tracks, p, metric, NULL, why) ||
        !flm_thread_states_init(&threads->states, p, why) || threads->tracks.length_ns <= 0)
        return false;
    find_axis(model, scene);
    flm_event_tracks_find(p, &threads->events);
    return scene->total > 0;
}

/* ---- The order of threads -------------------------------------------------------------------- */

/* What threads are ordered by, of the tracks of one profile. */
struct ordering {
    const struct flm_profile *profile;
    const struct flm_track *track;
    int64_t *process_begin; /* by track: when the first thread of its process began */
};

static int by_name(const void *context, uint32_t a, uint32_t b)
{
    const struct ordering *o = context;
    return flm_bytes_compare(flm_track_name(o->profile, &o->track[a]),
                             flm_track_name(o->profile, &o->track[b]));
}

static int by_process(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_track *track = ((const struct ordering *)context)->track;
    return (track[a].process > track[b].process) - (track[a].process < track[b].process);
}

static int by_begin(const void *context, uint32_t a, uint32_t b)
{
    const struct ordering *o = context;
    const struct flm_track *track = o->track;
    if (o->process_begin[a] != o->process_begin[b])
        return o->process_begin[a] < o->process_begin[b] ? -1 : 1;
    int process = by_process(context, a, b);
    if (process != 0)
        return process;
    if (track[a].begin_ns != track[b].begin_ns)
        return track[a].begin_ns < track[b].begin_ns ? -1 : 1;
    return by_name(context, a, b);
}

/* The tracks of a profile by process and begin; tracks are by cost already. `scratch`: as many. */
static void order_by_begin(struct ordering *o, uint32_t count, uint32_t *order, uint32_t *scratch)
{
    flm_sort(order, count, scratch, by_process, o);
    for (uint32_t i = 0, end; i < count; i = end) {
        int64_t begin = INT64_MAX;
        for (end = i; end < count && o->track[order[end]].process == o->track[order[i]].process;
             end++)
            if (o->track[order[end]].begin_ns < begin)
                begin = o->track[order[end]].begin_ns;
        for (uint32_t k = i; k < end; k++)
            o->process_begin[order[k]] = begin;
    }
    flm_sort(order, count, scratch, by_begin, o);
}

/* The rank that each track of the opened profile has: by[] are its tracks by name. */
struct ranks {
    struct ordering opened;
    uint32_t count, *rank, *by;
};

static uint32_t rank_of(const struct ranks *ranks, struct flm_bytes name)
{
    uint32_t low = 0, high = ranks->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct flm_track *track = &ranks->opened.track[ranks->by[middle]];
        int order = flm_bytes_compare(flm_track_name(ranks->opened.profile, track), name);
        if (order == 0)
            return ranks->rank[ranks->by[middle]];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ranks->count;
}

struct wanted {
    const uint32_t *rank;
};

static int by_rank(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *rank = ((const struct wanted *)context)->rank;
    return rank[a] != rank[b] ? (rank[a] > rank[b]) - (rank[a] < rank[b]) : (a > b) - (a < b);
}

/* Fills `order` with the tracks of the shown profile. */
static bool order_threads(const struct flm_model *model, const struct flm_scene *scene,
                          uint32_t *order)
{
    const struct flm_tracks *opened = &scene->timeline.tracks, *shown = &scene->threads.tracks;
    size_t most = (size_t)(opened->count > shown->count ? opened->count : shown->count) + 1;
    uint32_t *block = malloc(5 * most * sizeof *block);
    int64_t *begin = malloc(most * sizeof *begin);
    if (block && begin) {
        uint32_t *scratch = block + 3 * most, *rank_shown = block + 2 * most,
                 *places = block + 4 * most;
        struct ranks ranks = {.opened = {model->operations.opened, opened->track, begin},
                              .count = opened->count,
                              .rank = block,
                              .by = block + most};
        for (uint32_t i = 0; i < opened->count; i++)
            places[i] = ranks.by[i] = i;
        if (!model->threads_by_cost)
            order_by_begin(&ranks.opened, opened->count, places, scratch);
        for (uint32_t i = 0; i < opened->count; i++)
            ranks.rank[places[i]] = i;
        flm_sort(ranks.by, opened->count, scratch, by_name, &ranks.opened);
        for (uint32_t i = 0; i < shown->count; i++) {
            order[i] = i;
            rank_shown[i] =
                rank_of(&ranks, flm_track_name(flm_model_shown(model), &shown->track[i]));
        }
        struct wanted wanted = {rank_shown};
        flm_sort(order, shown->count, scratch, by_rank, &wanted);
    }
    bool good = block && begin;
    free(block);
    free(begin);
    return good;
}

/* ---- Panes ----------------------------------------------------------------------------------- */

/* The chart of some samples of a track. */
static bool make_chart(const struct flm_threads *threads, struct flm_pane *pane,
                       const struct flm_track *track, uint32_t sample_count, struct flm_error *why)
{
    struct flm_flame_chart_options options = {
        .sample = track->sample,
        .sample_count = sample_count,
        .metric = {FLM_NONE},
        .start_ns = threads->start_ns,
        .kind_of_set = threads->states.of_set,
        .parent = threads->parent,
    };
    struct flm_flame_chart *chart = flm_flame_chart_new(pane->profile, &options, why), *before;
    if (!chart)
        return false;
    struct flm_tree tree = pane->tree;
    before = pane->chart;
    pane->chart = chart;
    pane->tree = chart->tree;
    if (flm_pane_lay_out(pane, why)) {
        flm_flame_chart_free(before);
        return true;
    }
    flm_flame_chart_free(chart);
    pane->chart = before;
    pane->tree = tree;
    return false;
}

bool flm_threads_open(struct flm_scene *scene, struct flm_pane *pane, struct flm_error *why)
{
    if (!pane->is_pending)
        return true;
    const struct flm_track *track = flm_threads_track(scene, pane);
    if (pane->is_collapsed) {
        pane->is_pending =
            scene->threads.states.of_set &&
            !flm_occupancy_init(&pane->occupancy, &scene->threads.states, pane->profile,
                                &scene->threads.tracks, track->process, why);
        return !pane->is_pending;
    }
    if (!make_chart(&scene->threads, pane, track, track->sample_count, why))
        return false;
    pane->is_pending = false;
    return true;
}

bool flm_threads_open_all(struct flm_scene *scene, struct flm_error *why)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        if (!flm_threads_open(scene, &scene->panes[i], why))
            return false;
    return true;
}

static bool is_collapsed(const struct flm_model *model, const struct flm_profile *p,
                         const struct flm_track *track)
{
    return track->process != FLM_NONE &&
           flm_name_list_has(&model->collapsed, flm_string_bytes(p, track->process));
}

static bool is_expanded(const struct flm_model *model, const struct flm_profile *p,
                        const struct flm_track *track)
{
    return model->expands_all || flm_name_list_has(&model->expanded, flm_track_name(p, track));
}

void flm_threads_expand(const struct flm_model *model, struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        if (scene->panes[i].kind == FLM_PANE_CHART)
            scene->panes[i].is_expanded = is_expanded(model, scene->panes[i].profile,
                                                      flm_threads_track(scene, &scene->panes[i]));
}

/* A thread of a process that is one row: it is counted there. */
static bool is_in_collapsed(const struct flm_model *model, struct flm_scene *scene, uint32_t track)
{
    const struct flm_track *t = &scene->threads.tracks.track[track];
    if (!is_collapsed(model, flm_model_shown(model), t))
        return false;
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        if (pane->is_collapsed && flm_threads_track(scene, pane)->process == t->process) {
            pane->process_threads++;
            return true;
        }
    }
    return false;
}

static bool add_pane(const struct flm_model *model, struct flm_scene *scene, uint32_t track,
                     const uint32_t *depth, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    const struct flm_track *t = &scene->threads.tracks.track[track];
    struct flm_pane *pane = flm_scene_add_pane(scene, why);
    if (!pane)
        return false;
    pane->profile = p;
    pane->metric = (struct flm_metric){model->metric};
    pane->kind = FLM_PANE_CHART;
    pane->order = FLM_ORDER_NAME; /* the tree's own: of time */
    pane->first_level = 1;
    pane->track = track;
    pane->is_pending = true;
    pane->is_collapsed = is_collapsed(model, p, t);
    pane->is_expanded = is_expanded(model, p, t);
    for (uint32_t i = 0; i < t->sample_count && !pane->is_collapsed; i++) {
        uint32_t levels = depth[p->sample_node[t->sample[i]]];
        pane->chart_rows = levels > pane->chart_rows ? levels : pane->chart_rows;
        pane->has_stacks |= p->sample_node[t->sample[i]] != p->sample_node[t->sample[0]];
    }
    pane->process_threads = pane->is_collapsed ? 1 : 0;
    return make_chart(&scene->threads, pane, t, 0, why);
}

/* Whether a pane begins a process, and has others of it behind it. */
static void mark_processes(struct flm_scene *scene)
{
    uint32_t several = 0;
    for (uint32_t i = 1; i < scene->pane_count; i++)
        several += flm_threads_track(scene, &scene->panes[i])->process !=
                   flm_threads_track(scene, &scene->panes[i - 1])->process;
    for (uint32_t i = 0; several > 0 && i < scene->pane_count; i++) {
        uint32_t process = flm_threads_track(scene, &scene->panes[i])->process;
        uint32_t before =
            i > 0 ? flm_threads_track(scene, &scene->panes[i - 1])->process : FLM_NONE;
        uint32_t behind = i;
        while (behind < scene->pane_count &&
               flm_threads_track(scene, &scene->panes[behind])->process == process)
            behind++;
        if (process != FLM_NONE && process != before && !scene->panes[i].is_collapsed)
            scene->panes[i].process_threads = behind - i > 1 ? behind - i : 0;
    }
}

bool flm_threads_add_panes(const struct flm_model *model, struct flm_scene *scene,
                           struct flm_error *why)
{
    struct flm_threads *threads = &scene->threads;
    const struct flm_profile *p = flm_model_shown(model);
    uint32_t nodes = p->sizes.node_count, *order, *depth;
    threads->parent = malloc(nodes * sizeof *threads->parent);
    depth = malloc(nodes * sizeof *depth);
    order = malloc(((size_t)threads->tracks.count + 1) * sizeof *order);
    bool good = threads->parent && depth && order && order_threads(model, scene, order);
    if (good) {
        flm_profile_parents(p, threads->parent);
        depth[0] = 0;
        for (uint32_t i = 1; i < nodes; i++)
            depth[i] = depth[threads->parent[i]] + 1;
    } else {
        flm_error_memory(why);
    }
    for (uint32_t i = 0; good && i < threads->tracks.count; i++)
        if (threads->tracks.track[order[i]].sample_count == 0 ||
            is_in_collapsed(model, scene, order[i]))
            continue;
        else if (scene->pane_count < FLM_MOST_THREADS)
            good = add_pane(model, scene, order[i], depth, why);
        else
            threads->hidden_count++;
    if (good) {
        mark_processes(scene);
        good = flm_lanes_find(scene, model->short_apart, why);
    }
    free(depth);
    free(order);
    return good;
}
