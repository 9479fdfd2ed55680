/* heatmap.c - keys and actions of the heatmap: the current cell, ranges, the length of a column. */
#include <math.h>

#include "algebra/expression/argument.h"
#include "viewer/heatmap_cursor.h"
#include "viewer/input/actions.h"

static bool has_heatmap(const struct flm_viewer *v)
{
    return flm_heat_is_shown(&v->model, &v->scene);
}

static const struct flm_condition mapped = {has_heatmap, "only the heatmap has cells", true};

static bool is_begun(const struct flm_viewer *v)
{
    return has_heatmap(v) && v->input.heat.is_begun;
}

static const struct flm_condition begun = {is_begun, "no range was begun", true};

/* The cell with the largest value, which is the first one that keys select. */
static uint32_t fullest(const struct flm_heatmap *map)
{
    uint32_t best = 0, count = map->shape.column_count * map->shape.row_count;
    for (uint32_t i = 1; i < count; i++)
        if (map->cell[i] > map->cell[best])
            best = i;
    return best;
}

/* Its time and value are a notice, which screen readers read aloud. */
static bool take_cell(struct flm_viewer *v, uint32_t cell)
{
    const struct flm_heatmap *map = &v->scene.heat.map;
    struct flm_heatmap_time time = flm_heatmap_time_of(&map->shape, cell, cell);
    char buffer[160];
    struct flm_text text;
    flm_text_init_fixed(&text, buffer, sizeof buffer - 1);
    v->input.heat.has_cursor = true;
    v->input.heat.cursor_ns = time.from_ns;
    flm_changed(&v->model, FLM_ASPECT_DRAG);
    flm_heat_add_time(&map->shape, time, &text);
    flm_text_puts(&text, ": ");
    flm_heat_add_value(v, map->cell[cell], &text);
    buffer[text.size] = 0;
    return flm_viewer_notify(v, buffer);
}

/* Up is later; above the last row is the first of the next column. */
static bool move(struct flm_viewer *v, int columns, int rows, struct flm_error *why)
{
    if (!flm_heat_make(&v->model, &v->scene, why))
        return false;
    const struct flm_heatmap *map = &v->scene.heat.map;
    uint32_t cell = flm_heat_current_cell(v);
    if (cell == FLM_NONE)
        return take_cell(v, fullest(map));
    double count = (double)map->shape.column_count * map->shape.row_count;
    double to = cell + (double)columns * map->shape.row_count + rows;
    return take_cell(v, to >= 0 && to < count ? (uint32_t)to : cell);
}

static bool act_left(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return move(v, -1, 0, why);
}

static bool act_right(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return move(v, 1, 0, why);
}

static bool act_up(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return move(v, 0, 1, why);
}

static bool act_down(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return move(v, 0, -1, why);
}

/* Makes the map, and finds the current cell: the fullest if there is none. */
static bool find_cell(struct flm_viewer *v, uint32_t *cell, struct flm_error *why)
{
    *cell = flm_heat_current_cell(v);
    if (!flm_heat_make(&v->model, &v->scene, why))
        return false;
    if (*cell == FLM_NONE) {
        *cell = fullest(&v->scene.heat.map);
        take_cell(v, *cell);
    }
    return true;
}

static bool act_mark(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    uint32_t cell;
    (void)none;
    return find_cell(v, &cell, why) && flm_heat_mark(v, cell, why);
}

static bool act_column(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    uint32_t cell;
    (void)none;
    if (!find_cell(v, &cell, why))
        return false;
    uint32_t rows = v->scene.heat.map.shape.row_count, first = cell / rows * rows;
    v->input.heat.is_begun = false;
    return flm_heat_mark(v, first, why) && flm_heat_mark(v, first + rows - 1, why);
}

static bool act_cancel(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->input.heat.is_begun = v->input.heat.has_cursor = false;
    flm_changed(&v->model, FLM_ASPECT_DRAG);
    return true;
}

/* ---- The length of a column ------------------------------------------------------------------ */

static bool set_column(struct flm_viewer *v, double column_ns)
{
    v->model.heat_column_ns = column_ns;
    flm_viewer_arrange(v);
    flm_changed(&v->model, FLM_ASPECT_WINDOW);
    flm_viewer_history_push(v);
    return true;
}

static bool act_columns(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    double ns;
    if (!flm_duration_parse(text, &ns) || !(ns >= 1000 && ns < 1e18))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the length of a column is 1us or more, for example 100ms, not '%.*s'",
                             (int)text.size, text.at);
    return set_column(v, ns);
}

static double column_now(const struct flm_viewer *v)
{
    return flm_heat_cells_of(&v->model, &v->scene).shape.column_ns;
}

static bool act_longer(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    double longer = flm_heatmap_longer(column_now(v));
    return longer >= 2 * flm_timeline_duration(&v->scene)
               ? flm_viewer_notify(v, "one column shows all of the time")
               : set_column(v, longer);
}

/* Where there is no room for more columns, nothing changes. */
static bool act_shorter(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    double before = v->model.heat_column_ns, was = column_now(v);
    (void)none, (void)why;
    v->model.heat_column_ns = flm_heatmap_shorter(was);
    if (column_now(v) < was)
        return set_column(v, v->model.heat_column_ns);
    v->model.heat_column_ns = before;
    return flm_viewer_notify(v, "there is no room for more columns");
}

static const struct flm_action_argument a_duration = {"DURATION", FLM_GIVEN_TYPED, NULL};

static const struct flm_action actions[] = {
    {"heatmap-left", "Cell in the previous column", NULL, "S-ArrowLeft", act_left, &mapped},
    {"heatmap-right", "Cell in the next column", NULL, "S-ArrowRight", act_right, &mapped},
    {"heatmap-up", "Cell above: later", NULL, "S-ArrowUp", act_up, &mapped},
    {"heatmap-down", "Cell below: earlier", NULL, "S-ArrowDown", act_down, &mapped},
    {"heatmap-mark", "Begin a time range at the cell, or end it", NULL, "g", act_mark, &mapped,
     "select flamescope"},
    {"heatmap-cancel", "Cancel the time range", NULL, "Escape", act_cancel, &begun},
    {"heatmap-one", "Only the time of the column", NULL, "G", act_column, &mapped,
     "select second flamescope"},
    {"heatmap-longer", "Longer columns", NULL, "}", act_longer, &mapped, "coarser seconds"},
    {"heatmap-shorter", "Shorter columns", NULL, "{", act_shorter, &mapped, "finer seconds"},
    {"heatmap-column", "Length of a column", &a_duration, NULL, act_columns, &mapped,
     "seconds period length"},
};
const struct flm_action_group flm_heatmap_actions = {"Heatmap", actions,
                                                     sizeof actions / sizeof actions[0]};
