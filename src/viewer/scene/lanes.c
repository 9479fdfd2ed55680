#include "viewer/scene/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/sort.h"

/* Between two threads of a lane at least: a part of the axis. */
#define APART 0.002

/* All panes of a scene; the arrays are by pane as it was before. */
struct lanes {
    const struct flm_scene *scene;
    uint32_t count;
    struct flm_span *time;
    uint32_t *group;   /* the first short pane of its group; of a long one itself */
    uint32_t *lane;    /* of the group */
    uint32_t *heading; /* the pane with the heading of its process; FLM_NONE: it has none */
    uint32_t *order, *scratch;
    uint32_t *size;   /* by group: how many panes it has */
    double *lane_end; /* by lane of one group */
    struct flm_pane *sorted;
};

static bool is_short(const struct flm_scene *scene, const struct flm_pane *pane)
{
    return !pane->is_collapsed && flm_threads_width(scene, pane) < FLM_SHORT_SHARE;
}

/* Short threads of a process with a heading are a group, and those alone in their processes. */
static void find_groups(struct lanes *l)
{
    uint32_t alone = FLM_NONE, within = FLM_NONE, heading = FLM_NONE, left = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct flm_pane *pane = &l->scene->panes[i];
        if (pane->process_threads > 0 && !pane->is_collapsed) {
            left = pane->process_threads;
            within = FLM_NONE;
            heading = i;
        }
        uint32_t *group = left > 0 ? &within : &alone;
        bool joins = is_short(l->scene, pane);
        l->size[i] = 0;
        if (joins && *group == FLM_NONE)
            *group = i;
        l->group[i] = joins ? *group : i;
        l->size[l->group[i]]++;
        l->heading[i] = left > 0 ? heading : FLM_NONE;
        l->time[i] = flm_threads_extent(l->scene, pane);
        left -= left > 0;
    }
}

/* Those that are few stay where they are. Returns how many share lanes. */
static uint32_t keep_large_groups(struct lanes *l)
{
    uint32_t count = 0;
    for (uint32_t i = l->count; i-- > 0;)
        if (l->size[l->group[i]] >= FLM_SHORT_LEAST)
            count++;
        else
            l->group[i] = i;
    return count;
}

static int by_begin(const void *context, uint32_t a, uint32_t b)
{
    const struct lanes *l = context;
    if (l->group[a] != l->group[b])
        return l->group[a] < l->group[b] ? -1 : 1;
    if (l->time[a].left != l->time[b].left)
        return l->time[a].left < l->time[b].left ? -1 : 1;
    return (a > b) - (a < b);
}

static int by_lane(const void *context, uint32_t a, uint32_t b)
{
    const struct lanes *l = context;
    bool is_other = l->group[a] == l->group[b] && l->lane[a] != l->lane[b];
    return is_other ? (l->lane[a] < l->lane[b] ? -1 : 1) : by_begin(context, a, b);
}

/* Each thread in the first lane that is free. */
static void choose_lanes(struct lanes *l)
{
    double apart = l->scene->total * APART;
    uint32_t lanes = 0, group = FLM_NONE;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t pane = l->order[i], lane = 0;
        lanes = l->group[pane] == group ? lanes : 0;
        group = l->group[pane];
        while (lane < lanes && l->lane_end[lane] > l->time[pane].left)
            lane++;
        lanes += lane == lanes;
        l->lane_end[lane] = l->time[pane].right + apart;
        l->lane[pane] = lane;
    }
}

/* The panes in their new order. The heading of a process is that of its first pane. */
static void order_panes(struct lanes *l, struct flm_pane *panes)
{
    memcpy(l->sorted, panes, l->count * sizeof *panes);
    for (uint32_t i = 0, end; i < l->count; i = end) {
        uint32_t pane = l->order[i], group = l->group[pane], lane = l->lane[pane];
        for (end = i + 1;
             end < l->count && l->group[l->order[end]] == group && l->lane[l->order[end]] == lane;)
            end++;
        for (uint32_t k = i; k < end; k++) {
            uint32_t heading = l->heading[l->order[k]];
            bool begins = k == 0 || l->heading[l->order[k - 1]] != heading;
            panes[k] = l->sorted[l->order[k]];
            panes[k].lane_first = i;
            panes[k].lane_count = end - i;
            if (heading != FLM_NONE)
                panes[k].process_threads = begins ? l->sorted[heading].process_threads : 0;
        }
    }
}

bool flm_lanes_find(struct flm_scene *scene, bool apart, struct flm_error *why)
{
    size_t most = (size_t)scene->pane_count + 1;
    uint32_t *numbers = malloc(6 * most * sizeof *numbers);
    struct lanes l = {
        .scene = scene,
        .count = scene->pane_count,
        .time = malloc(most * sizeof *l.time),
        .lane_end = malloc(most * sizeof *l.lane_end),
        .sorted = malloc(most * sizeof *l.sorted),
    };
    bool good = numbers && l.time && l.lane_end && l.sorted;
    if (good) {
        l.group = numbers;
        l.lane = numbers + most;
        l.heading = numbers + 2 * most;
        l.order = numbers + 3 * most;
        l.scratch = numbers + 4 * most;
        l.size = numbers + 5 * most;
        find_groups(&l);
        scene->threads.short_count = keep_large_groups(&l);
        for (uint32_t i = 0; i < l.count; i++) {
            l.order[i] = i;
            l.group[i] = apart ? i : l.group[i];
        }
        flm_sort(l.order, l.count, l.scratch, by_begin, &l);
        choose_lanes(&l);
        flm_sort(l.order, l.count, l.scratch, by_lane, &l);
        order_panes(&l, scene->panes);
    }
    free(l.sorted);
    free(l.lane_end);
    free(l.time);
    free(numbers);
    return good || flm_error_memory(why);
}

const struct flm_pane *flm_lane_first(const struct flm_scene *scene, const struct flm_pane *pane)
{
    return scene->panes + pane->lane_first;
}

const struct flm_pane *flm_lane_end(const struct flm_scene *scene, const struct flm_pane *pane)
{
    return pane->lane_count > 1 ? flm_lane_first(scene, pane) + pane->lane_count : pane + 1;
}

bool flm_lane_is_open(const struct flm_scene *scene, const struct flm_pane *pane)
{
    const struct flm_pane *first = flm_lane_first(scene, pane);
    bool any = false;
    for (uint32_t i = 0; i < pane->lane_count; i++)
        any = any || first[i].is_expanded;
    return any;
}
