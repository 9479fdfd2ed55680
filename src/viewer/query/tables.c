/* tables.c - rows: of functions ("top"), of the call tree ("tree"), and what a screen reader says
 * of the picture ("aria"). Only those that are queried are made. */
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "draw/text/label.h"
#include "viewer/query/internal.h"
#include "viewer/scene/siblings.h"

/* The mark before a name of the call tree, which opens it. */
static double twig_width(const struct flm_query_room *room)
{
    return room->in_cells ? 2 : 1.85;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* The rows of the table: all functions with a value, or the matches of a search. */
struct listing {
    const uint32_t *function;
    uint32_t *filtered; /* owned; NULL: all */
    uint32_t count;
};

static bool is_match(const struct flm_viewer *v, const struct flm_function *f)
{
    for (uint32_t i = 0; i < f->frame_count; i++)
        if (v->model.searches.frame_color[f->first_frame + i])
            return true;
    return false;
}

/* Names that are sorted: those of the functions of a ranking, in `text`. */
struct shown_names {
    struct flm_text text;
    struct flm_span_of_text {
        size_t from, size;
    } * name;
};

static struct flm_bytes shown_name(const struct shown_names *names, uint32_t i)
{
    return (struct flm_bytes){names->text.at + names->name[i].from, names->name[i].size};
}

static int by_shown_name(const void *context, uint32_t a, uint32_t b)
{
    int order = flm_bytes_compare(shown_name(context, a), shown_name(context, b));
    return order ? order : (a > b) - (a < b);
}

/* A name without what its column has no room for: "run" of "app::Job::run(int)" stands among those
 * with an r. */
static void add_shown(struct flm_query *q, uint32_t function, const struct flm_query_room *room,
                      const struct flm_font *font, struct shown_names *names, uint32_t i)
{
    uint32_t frame = q->viewer->scene.tables.functions.function[function].first_frame;
    struct flm_bytes name = flm_frame_title(q->profile, frame);
    struct flm_name_parts parts = flm_name_parts(name);
    names->name[i].from = names->text.size;
    parts.is_cut = false;
    flm_label_add(&names->text, name, parts, room->width, font);
    if (names->text.size == names->name[i].from)
        flm_text_add(&names->text,
                     (struct flm_bytes){name.at + parts.bare, name.size - parts.bare});
    names->name[i].size = names->text.size - names->name[i].from;
}

/* Sorts a ranking by name again, as the names read in their column. NULL if memory ran out. */
static const uint32_t *sort_by_shown(struct flm_query *q, const uint32_t *ranking, uint32_t count,
                                     bool down, const struct flm_query_room *room)
{
    struct flm_cached_tables *tables = &q->viewer->scene.tables;
    struct flm_ranked *made = &tables->shown_names;
    if (made->function && tables->shown_of == ranking && made->count == count &&
        tables->shown_room == room->width && tables->shown_down == down)
        return made->function;
    struct flm_font font = flm_query_font(q, room, FLM_WEIGHT_REGULAR);
    struct shown_names names = {.name = malloc((size_t)count * sizeof *names.name + 1)};
    uint32_t *order = malloc(2 * (size_t)count * sizeof *order + 1);
    uint32_t *function = malloc((size_t)count * sizeof *function + 1);
    for (uint32_t i = 0; names.name && order && i < count; i++) {
        add_shown(q, ranking[i], room, &font, &names, i);
        order[i] = i;
    }
    bool good = names.name && order && function && !names.text.failed;
    if (good) {
        flm_sort(order, count, order + count, by_shown_name, &names);
        for (uint32_t i = 0; i < count; i++)
            function[i] = ranking[order[down ? count - 1 - i : i]];
        free(made->function);
        *made = (struct flm_ranked){function, count};
        tables->shown_of = ranking;
        tables->shown_room = room->width;
        tables->shown_down = down;
        function = NULL;
    }
    free(function);
    free(order);
    free(names.name);
    flm_text_clear(&names.text);
    return good ? made->function : NULL;
}

static bool list_functions(struct flm_query *q, struct flm_ranking_order order, bool matches_only,
                           const struct flm_query_room *room, struct listing *listing,
                           struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    *listing = (struct listing){0};
    listing->function = flm_cached_tables_ranking(&v->scene.tables, q->profile, q->metric, order,
                                                  &listing->count, why);
    if (listing->function && v->scene.compared)
        listing->function = flm_compared_ranking(&v->model, &v->scene, listing->function, order,
                                                 &listing->count, why);
    if (listing->function && order.key == FLM_RANK_NAME && room->width > 0) {
        listing->function = sort_by_shown(q, listing->function, listing->count, order.down, room);
        if (!listing->function)
            flm_error_memory(why);
    }
    if (!listing->function || !matches_only || !v->model.searches.frame_color)
        return listing->function != NULL;
    uint32_t *filtered = malloc((size_t)listing->count * sizeof *filtered + 1), kept = 0;
    if (!filtered)
        return flm_error_memory(why);
    for (uint32_t i = 0; i < listing->count; i++)
        if (is_match(v, &v->scene.tables.functions.function[listing->function[i]]))
            filtered[kept++] = listing->function[i];
    *listing = (struct listing){filtered, filtered, kept};
    return true;
}

static bool same_function(const struct flm_query *q, struct flm_node_ref ref, uint32_t function)
{
    uint32_t frame = flm_scene_frame(&q->viewer->scene, ref);
    return frame != FLM_NONE && frame != 0 &&
           q->viewer->scene.tables.functions.of_frame[frame] == function;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The end of a path is what tells files and modules apart. */
static struct flm_bytes path_end(struct flm_query *q, uint32_t path)
{
    return path ? flm_query_copy(q, flm_path_end(flm_string_bytes(q->profile, path)))
                : (struct flm_bytes){NULL, 0};
}

static struct flm_bytes share_of(struct flm_query *q, double value, double whole)
{
    if (whole == 0)
        return (struct flm_bytes){NULL, 0};
    flm_scale_add_percent(flm_query_scratch(q), value, whole);
    return flm_query_scratch_copy(q);
}

/* Before and after are as recorded, and their difference is of what is compared: normalized. */
static void add_change(struct flm_query *q, const struct flm_change *change,
                       const struct flm_scale *scale, struct flm_response_row *row)
{
    double factor = q->viewer->scene.compared->comparison.how.scale;
    double difference = change->after - change->before;
    row->before = flm_query_number(q, scale, change->before / factor);
    row->after = flm_query_number(q, scale, change->after);
    struct flm_text *out = flm_query_scratch(q);
    flm_text_puts(out, difference > 0 ? "+" : "");
    flm_scale_add_number(scale, difference, out);
    row->change = flm_query_scratch_copy(q);
    row->change_share = flm_query_change(q, change, factor).change;
}

/* The values of a row of functions. */
static void add_function(struct flm_query *q, bool of_self, uint32_t function,
                         struct flm_response_row *row)
{
    const struct flm_viewer *v = q->viewer;
    const struct flm_cached_tables *tables = &v->scene.tables;
    const struct flm_function *f = &tables->functions.function[function];
    *row = (struct flm_response_row){
        .frame = f->first_frame,
        .node = NAN,
        .indent = NAN,
        .title = flm_query_title(q, f->first_frame),
        .module = flm_query_string(q, f->module),
        .module_name = path_end(q, f->module),
        .file = flm_query_string(q, q->profile->frames[f->first_frame].file),
        .file_name = path_end(q, q->profile->frames[f->first_frame].file),
        .self = flm_query_number(q, &tables->scale, f->self),
        .self_share = share_of(q, f->self, q->all),
        .total = flm_query_number(q, &tables->scale, f->total),
        .total_share = share_of(q, f->total, q->all),
        .on = same_function(q, v->model.selected, function),
        .hovered = same_function(q, v->input.hovered, function),
        .match = flm_query_match(q, f->first_frame),
    };
    if (tables->samples)
        row->samples = flm_query_count(q, (uint64_t)fabs(tables->samples[function]));
    if (!v->scene.compared)
        return;
    struct flm_change change = flm_compared_function(&v->scene, function, of_self);
    add_change(q, &change, &tables->scale, row);
}

/* Room for rows; NULL if memory ran out. */
static struct flm_response_table *begin_table(struct flm_query *q, size_t rows)
{
    struct flm_response_table *table = flm_query_take(q, 1, sizeof *table);
    if (!table)
        return NULL;
    table->selected = NAN;
    table->rows.at = flm_query_take(q, rows, sizeof *table->rows.at);
    return table->rows.at ? table : NULL;
}

static void add_units(struct flm_query *q, bool of_self, struct flm_response_table *table)
{
    flm_scale_add_unit(&q->viewer->scene.tables.scale, NAN, flm_query_scratch(q));
    table->unit = flm_query_scratch_copy(q);
    enum { MOST_LETTERS = 3 };
    size_t size = 0;
    while (size < table->unit.size && table->unit.at[size] != ' ')
        size++;
    if (size > 0 && size <= MOST_LETTERS)
        table->heading_unit = flm_query_copy(q, (struct flm_bytes){table->unit.at, size});
    if (q->viewer->scene.compared)
        table->changes = flm_query_text(q, of_self ? "self" : "total");
}

/* Names as wide as the column, which a level leaves less of. Matches are bold. */
static void shorten_names(struct flm_query *q, const uint32_t *frames,
                          const struct flm_query_room *room, struct flm_response_table *table)
{
    size_t count = table->rows.count;
    struct flm_query_name *names = room->width > 0 ? flm_query_take(q, count, sizeof *names) : NULL;
    for (size_t i = 0; names && i < count; i++) {
        struct flm_response_row *row = &table->rows.at[i];
        double indent = row->indent >= 0 ? row->indent + twig_width(room) : 0;
        names[i] =
            (struct flm_query_name){frames[i], room->width - indent, row->match >= 0, &row->shown};
    }
    if (names)
        flm_query_shorten(q, *room, names, count);
}

/* A table of functions. */
static bool make_functions(struct flm_query *q, struct flm_ranking_order order, bool matches_only,
                           struct flm_row_range range, struct flm_error *why)
{
    bool of_self = flm_ranking_is_of_self(order);
    struct listing listing;
    if (!list_functions(q, order, matches_only, &range.room, &listing, why))
        return false;
    uint32_t end = listing.count;
    if (range.from < end && range.count < end - range.from)
        end = range.from + range.count;
    uint32_t count = range.from < end ? end - range.from : 0;
    struct flm_response_table *table = begin_table(q, count);
    uint32_t *frames = flm_query_take(q, count, sizeof *frames);
    for (uint32_t i = 0; table && frames && i < count; i++) {
        uint32_t function = listing.function[range.from + i];
        frames[i] = q->viewer->scene.tables.functions.function[function].first_frame;
        add_function(q, of_self, function, &table->rows.at[i]);
    }
    if (table && frames) {
        table->rows.count = count;
        shorten_names(q, frames, &range.room, table);
        table->count = listing.count;
        add_units(q, of_self, table);
    }
    free(listing.filtered);
    q->response->table = table;
    return true;
}

bool flm_query_top(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                   struct flm_error *why)
{
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!q.profile) {
        response->table = begin_table(&q, 0);
        return flm_query_end(&q, why);
    }
    struct flm_ranking_order order =
        flm_ranking_order_of((struct flm_bytes){v->model.sort.at, v->model.sort.size});
    bool is_filtered = flm_searches_any(&v->model.searches);
    if (!make_functions(&q, order, is_filtered, flm_row_range_of(argument), why))
        return flm_query_fail(&q);
    if (response->table) {
        response->table->sort = flm_query_text(&q, flm_ranking_key_name(order.key));
        response->table->down = order.down;
        response->table->filtered = is_filtered;
        response->table->sum = flm_query_quantity(&q, q.all);
    }
    return flm_query_end(&q, why);
}

/* The matches of the active searches, the largest total first. */
bool flm_query_list(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                    struct flm_error *why)
{
    static const struct flm_ranking_order by_total = {FLM_RANK_TOTAL, true};
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!q.profile || !flm_searches_any(&v->model.searches))
        response->table = begin_table(&q, 0);
    else if (!make_functions(&q, by_total, true, flm_row_range_of(argument), why))
        return flm_query_fail(&q);
    return flm_query_end(&q, why);
}

/* ---- The call tree --------------------------------------------------------------------------- */

static enum flm_tristate tristate_of(bool applies, bool yes)
{
    return !applies ? FLM_TRISTATE_NONE : yes ? FLM_TRISTATE_TRUE : FLM_TRISTATE_FALSE;
}

/* For a screen reader, which reads a row alone, totals have their own unit. */
static void add_row(struct flm_query *q, const struct flm_pane *pane, bool is_spoken,
                    const struct flm_call_row *from, struct flm_response_row *row)
{
    const struct flm_viewer *v = q->viewer;
    uint32_t index = (uint32_t)(pane - v->scene.panes);
    uint32_t frame = pane->tree.frame[from->node.index];
    struct flm_value value = flm_value_of(&v->scene, pane, from->node, q->metric.index);
    struct flm_node parent = flm_layout_parent(pane->layout, from->node);
    struct flm_node_ref ref = {index, flm_pane_number(pane, from->node)};
    double whole = 0; /* a parent has room for all of its children, whatever their signs */
    if (parent.index != FLM_NONE)
        whole = flm_scene_compares(&v->scene)
                    ? flm_value_of(&v->scene, pane, parent, q->metric.index).total
                    : flm_layout_total(pane->layout, parent);
    *row = (struct flm_response_row){
        .frame = NAN,
        .node = flm_node_ref_number(ref),
        .level = from->level,
        .indent = NAN,
        .open = tristate_of(from->has_children, from->is_open),
        .title = flm_query_node_title(q, pane, from->node),
        .module = flm_query_string(q, q->profile->frames[frame].module),
        .module_name = path_end(q, q->profile->frames[frame].module),
        .file = flm_query_string(q, q->profile->frames[frame].file),
        .total = is_spoken ? flm_query_quantity(q, value.total)
                           : flm_query_number(q, &v->scene.tables.scale, value.total),
        .total_share =
            is_spoken ? flm_query_share(q, value.total, q->all) : share_of(q, value.total, q->all),
        .of_parent = flm_query_share(q, value.total, whole),
        .set_size = from->set_size,
        .position = from->position,
        .on = flm_node_refs_equal(v->model.selected, ref),
        .hovered = flm_node_refs_equal(v->input.hovered, ref),
        .match = flm_query_match(q, frame),
    };
    if (value.has_self) {
        row->self = flm_query_number(q, &v->scene.tables.scale, value.self);
        row->self_share = share_of(q, value.self, q->all);
    }
    if (pane->compared) {
        struct flm_change change = flm_compared_change(pane, from->node, FLM_CHANGE_OF_SUBTREE);
        add_change(q, &change, &v->scene.tables.scale, row);
    }
}

/* The selected frame, with the way to it open; {FLM_NONE} where it is in no row. */
static struct flm_node follow_selected(const struct flm_viewer *v, struct flm_call_tree *tree,
                                       const struct flm_pane *pane)
{
    struct flm_node node = {FLM_NONE};
    if (flm_node_ref_valid(v->model.selected) && v->model.selected.pane == 0)
        node = flm_pane_node(pane, v->model.selected.number);
    if (node.index != FLM_NONE)
        flm_call_tree_follow(tree, node);
    return node;
}

/* A step a level while that leaves room for names, and then a small one: names are read at any
 * depth. */
static double indent_of(uint32_t level, const struct flm_query_room *room)
{
    static const double step = 0.92, small_step = 0.15;
    if (room->in_cells)
        return fmin(level, floor(room->width / 2));
    return fmin(level * step, fmin(room->width * 0.2 + level * small_step, room->width * 0.4));
}

static bool make_tree(struct flm_query *q, struct flm_row_range range, struct flm_error *why)
{
    struct flm_viewer *v = q->viewer;
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_call_tree *tree = flm_cached_tables_call_tree(&v->scene.tables, pane, why);
    if (!tree || !flm_cached_tables_measured(&v->scene.tables, q->profile, q->metric, why))
        return false;
    struct flm_node selected = follow_selected(v, tree, pane);
    uint32_t count = flm_call_tree_count(tree), got = 0;
    if (range.count > count)
        range.count = count;
    struct flm_call_row *rows = flm_query_take(q, range.count, sizeof *rows);
    struct flm_response_table *table = begin_table(q, range.count);
    q->response->table = table;
    if (!rows || !table)
        return true; /* flm_query_end says it */
    if (!flm_call_tree_rows(tree, range.from, range.count, rows, &got, why))
        return false;
    uint32_t at = selected.index == FLM_NONE ? FLM_NONE : flm_call_tree_row_of(tree, selected);
    add_units(q, false, table);
    table->count = count;
    table->selected = at == FLM_NONE ? NAN : at;
    table->rows.count = got;
    uint32_t *frames = flm_query_take(q, got, sizeof *frames);
    for (uint32_t i = 0; frames && i < got; i++) {
        frames[i] = pane->tree.frame[rows[i].node.index];
        add_row(q, pane, false, &rows[i], &table->rows.at[i]);
        if (range.room.width > 0)
            table->rows.at[i].indent = indent_of(rows[i].level, &range.room);
    }
    if (frames)
        shorten_names(q, frames, &range.room, table);
    return true;
}

bool flm_query_tree(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                    struct flm_error *why)
{
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!q.profile || v->scene.pane_count == 0)
        response->table = begin_table(&q, 0);
    else if (!make_tree(&q, flm_row_range_of(argument), why))
        return flm_query_fail(&q);
    return flm_query_end(&q, why);
}

/* ---- For the screen reader ------------------------------------------------------------------- */

enum { MOST_SIBLINGS = 50 };

/* A row for a node with so many siblings. */
static struct flm_call_row row_for(const struct flm_pane *pane, struct flm_node node,
                                   uint32_t level, uint32_t set_size, uint32_t position,
                                   bool is_open)
{
    bool has_children = node.index + 1 < pane->tree.end[node.index] ||
                        (pane->lazy && !pane->lazy_columns.is_open[node.index]);
    return (struct flm_call_row){node, level, set_size, position, has_children, is_open};
}

static uint32_t position_of(const struct flm_sorted_children *siblings, struct flm_node node)
{
    for (uint32_t i = 0; i < siblings->count; i++)
        if (siblings->child[i] == node.index)
            return i;
    return 0;
}

struct around {
    struct flm_query *q;
    const struct flm_pane *pane;
    struct flm_response_table *table;
    size_t capacity; /* of its rows */
    struct flm_siblings siblings;
    struct flm_error *why;
};

static const struct flm_sorted_children *below(struct around *a, struct flm_node node)
{
    return flm_siblings_below(&a->siblings, a->pane->layout, node.index, a->why);
}

static void add_around(struct around *a, const struct flm_call_row *row)
{
    if (a->table->rows.count < a->capacity)
        add_row(a->q, a->pane, true, row, &a->table->rows.at[a->table->rows.count++]);
}

/* The children of `parent`, or those near the selected one, and what that one calls. */
static bool add_children(struct around *a, struct flm_node parent, uint32_t level,
                         struct flm_node selected)
{
    const struct flm_sorted_children *siblings = below(a, parent);
    if (!siblings)
        return false;
    uint32_t count = siblings->count, at = position_of(siblings, selected);
    uint32_t from = at > MOST_SIBLINGS / 2 ? at - MOST_SIBLINGS / 2 : 0;
    uint32_t shown[MOST_SIBLINGS], shown_count = 0;
    while (shown_count < MOST_SIBLINGS && from + shown_count < count) {
        shown[shown_count] = siblings->child[from + shown_count];
        shown_count++;
    }
    for (uint32_t i = 0; i < shown_count; i++) {
        struct flm_node node = {shown[i]};
        bool is_selected = node.index == selected.index;
        struct flm_call_row row = row_for(a->pane, node, level, count, from + i + 1, is_selected);
        add_around(a, &row);
        if (is_selected && !add_children(a, node, level + 1, (struct flm_node){FLM_NONE}))
            return false;
    }
    return true;
}

static bool add_ancestor(struct around *a, struct flm_node node, uint32_t level)
{
    struct flm_call_row row = row_for(a->pane, node, level, 1, 1, true);
    if (level > 0) {
        const struct flm_sorted_children *siblings =
            below(a, flm_layout_parent(a->pane->layout, node));
        if (!siblings)
            return false;
        row.set_size = siblings->count;
        row.position = position_of(siblings, node) + 1;
    }
    add_around(a, &row);
    return true;
}

/* The way to the selected frame, its siblings, and what it calls. */
static bool make_around(struct around *a, struct flm_node selected)
{
    const struct flm_layout *layout = a->pane->layout;
    struct flm_node parent = flm_layout_parent(layout, selected);
    if (parent.index == FLM_NONE)
        parent = selected = (struct flm_node){0};
    uint32_t levels = flm_layout_level(layout, parent);
    uint32_t *path = flm_query_take(a->q, (size_t)levels + 1, sizeof *path);
    a->capacity = (size_t)levels + 1 + 2 * MOST_SIBLINGS;
    a->table = begin_table(a->q, a->capacity);
    a->q->response->table = a->table;
    if (!path || !a->table)
        return true; /* flm_query_end says it */
    struct flm_node node = parent;
    for (uint32_t i = levels + 1; i-- > 0; node = flm_layout_parent(layout, node))
        path[i] = node.index;
    bool ok = true;
    for (uint32_t i = 0; ok && i <= levels; i++)
        ok = add_ancestor(a, (struct flm_node){path[i]}, i);
    ok = ok && add_children(a, parent, levels + 1, selected);
    a->table->count = (double)a->table->rows.count;
    return ok;
}

/* In the pane of the selected frame; without one, in the first, around the zoomed node. */
bool flm_query_aria(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                    struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!q.profile || v->scene.pane_count == 0) {
        response->table = begin_table(&q, 0);
        return flm_query_end(&q, why);
    }
    bool has_selected =
        flm_node_ref_valid(v->model.selected) && v->model.selected.pane < v->scene.pane_count;
    const struct flm_pane *pane = &v->scene.panes[has_selected ? v->model.selected.pane : 0];
    struct flm_node node = has_selected ? flm_pane_node(pane, v->model.selected.number)
                                        : flm_viewer_goal_node(v, pane);
    struct around around = {.q = &q, .pane = pane, .why = why};
    if (!flm_cached_tables_measured(&v->scene.tables, q.profile, q.metric, why))
        return flm_query_fail(&q);
    bool ok = make_around(&around, node);
    flm_siblings_clear(&around.siblings);
    return ok ? flm_query_end(&q, why) : flm_query_fail(&q);
}
