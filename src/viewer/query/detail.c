/* detail.c - what is known about one frame: under the pointer, in a few lines ("hover"),
 * and about the selected one, everything ("detail"). */
#include <math.h>
#include <stdlib.h>

#include "draw/text/quantity.h"
#include "viewer/input/clipboard.h"
#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"
#include "viewer/scene/node_values.h"
#include "viewer/scene/relations.h"

enum { MOST_RELATIONS = 12, MOST_RUN_ITEMS = 12, MOST_STACK = 500 };

/* A frame, or several narrow ones, that is told about. */
struct subject {
    uint32_t pane_index;
    const struct flm_pane *pane;
    struct flm_node node; /* of a run: its first */
    uint32_t frame;
    const struct flm_rectangle *run; /* NULL: it is one frame */
    double total;                    /* its width */
    struct flm_node parent;
    struct flm_node top; /* what everything seen is in; {FLM_NONE}: it is outside of that */
    double whole;        /* the width of everything: of a chart, all of the time */
};

/* Whether a node is in what everything seen is in, or stands above it and is no wider. */
static bool is_in_view(const struct flm_pane *pane, struct flm_node node, struct flm_node top)
{
    if (node.index >= top.index)
        return node.index < pane->tree.end[top.index];
    return top.index < pane->tree.end[node.index] &&
           flm_layout_total(pane->layout, node) == flm_layout_total(pane->layout, top);
}

static bool find_subject(struct flm_telling *t, struct flm_node_ref ref,
                         const struct flm_rectangle *run, struct subject *subject)
{
    const struct flm_scene *scene = &t->viewer->scene;
    if (!t->profile || !flm_node_ref_is(ref) || ref.pane >= scene->pane_count)
        return false;
    const struct flm_pane *pane = &scene->panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    if (node.index == FLM_NONE)
        return false;
    bool is_run = run && run->flags & FLM_RECTANGLE_MERGED && run->count > 0;
    struct flm_node parent = flm_layout_parent(pane->layout, node);
    struct flm_node top = flm_viewer_goal_node(t->viewer, pane);
    *subject = (struct subject){
        .pane_index = ref.pane,
        .pane = pane,
        .node = node,
        .frame = pane->tree.frame[node.index],
        .run = is_run ? run : NULL,
        .total = is_run ? run->total : flm_layout_total(pane->layout, node),
        .parent = parent,
        .top = {is_in_view(pane, node, top) ? top.index : FLM_NONE},
        .whole = pane->kind == FLM_PANE_CHART
                     ? scene->total
                     : flm_layout_total(pane->layout, (struct flm_node){0}),
    };
    return true;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static struct flm_value value_of(const struct flm_telling *t, const struct subject *s,
                                 uint32_t metric)
{
    if (s->run)
        return (struct flm_value){.total = s->total};
    return flm_value_of(&t->viewer->scene, s->pane, s->node, metric);
}

/* What shares of a node are of: 0 where there is none. Its width, unless the metric, or what widths
 * are, is another one. */
static double whole_of(const struct flm_telling *t, const struct subject *s, struct flm_node node,
                       uint32_t metric)
{
    const struct flm_pane *pane = s->pane;
    if (node.index == FLM_NONE)
        return 0;
    bool is_width = pane->kind != FLM_PANE_STACKS
                        ? !flm_scene_compares(&t->viewer->model, &t->viewer->scene)
                        : pane->tree.width == flm_self_column(pane->profile, metric);
    if (is_width)
        return node.index == 0 ? s->whole : flm_layout_total(pane->layout, node);
    return fabs(flm_value_of(&t->viewer->scene, pane, node, metric).total);
}

/* The metrics that can be told about a subject: the shown one first. */
static uint32_t metric_count(const struct flm_telling *t, const struct subject *s)
{
    return s->pane->kind == FLM_PANE_STACKS && !s->run ? t->profile->sizes.metric_count : 1;
}

static uint32_t metric_at(const struct flm_telling *t, uint32_t i)
{
    if (i == 0)
        return t->metric.index;
    return i <= t->metric.index ? i - 1 : i;
}

/* What shares of a metric are of. */
static double size_of(const struct flm_telling *t, uint32_t metric)
{
    return t->viewer->scene.tables.summary.metric[metric].size;
}

static void use_metric(struct flm_telling *t, uint32_t metric)
{
    t->unit = flm_string_bytes(t->profile, t->profile->metrics[metric].unit);
    t->all = size_of(t, metric);
}

/* What the widths of a pane are: of a chart they are time, whatever the metric. */
static void use_width(struct flm_telling *t, const struct subject *s)
{
    if (s->pane->kind != FLM_PANE_CHART)
        return;
    t->unit = flm_bytes_of("ns");
    t->all = s->whole;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static struct flm_bytes last_part(struct flm_bytes path)
{
    size_t at = path.size;
    while (at > 0 && !flm_is_one_of(path.at[at - 1], "/\\"))
        at--;
    return at < path.size ? (struct flm_bytes){path.at + at, path.size - at} : path;
}

static const char *kind_of(const struct flm_frame_record *frame)
{
    if (frame->flags & FLM_FRAME_UNSYMBOLIZED)
        return "no symbol";
    return frame->kind == FLM_KIND_PLAIN ? NULL : flm_kind_name(frame->kind);
}

static void add_part(struct flm_text *out, struct flm_bytes part)
{
    if (part.size == 0)
        return;
    flm_text_puts(out, out->size > 0 ? " \xC2\xB7 " : "");
    flm_text_add(out, part);
}

/* "libc.so.6 · malloc.c:812 · inlined". */
static void tell_where(struct flm_telling *t, const struct flm_frame_record *frame)
{
    struct flm_text *out = flm_tell_words_begin(t);
    add_part(out, last_part(flm_string_bytes(t->profile, frame->module)));
    add_part(out, last_part(flm_string_bytes(t->profile, frame->file)));
    if (frame->file && frame->line)
        flm_text_format(out, ":%u", frame->line);
    if (kind_of(frame))
        add_part(out, flm_bytes_of(kind_of(frame)));
    if (out->size > 0)
        flm_tell_words(t, "where");
    else
        flm_json_add_null(&t->json, "where");
}

static void tell_run_title(struct flm_telling *t, const char *key, uint32_t count)
{
    struct flm_text *out = flm_tell_words_begin(t);
    flm_count_add(out, count);
    flm_text_puts(out, count == 1 ? " narrow frame" : " narrow frames");
    flm_tell_words(t, key);
}

/* ---- Under the pointer ----------------------------------------------------------------------- */

static void tell_line(struct flm_telling *t, const struct subject *s, const char *name,
                      double value, bool of_view)
{
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_text(t, "name", name);
    flm_tell_quantity(t, "value", value);
    flm_tell_exact(t, "exact", value);
    flm_tell_share(t, "share_all", value, t->all);
    uint32_t metric = t->metric.index;
    flm_tell_share(t, "share_view", value, of_view ? whole_of(t, s, s->top, metric) : 0);
    flm_tell_share(t, "share_parent", value, of_view ? whole_of(t, s, s->parent, metric) : 0);
    flm_json_end(&t->json);
}

/* "all 12 places": the function wherever it is. */
static void tell_places(struct flm_telling *t, const struct subject *s)
{
    const struct flm_cached_tables *tables = &t->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    if (s->frame == 0 || tables->places[function] < 2)
        return;
    struct flm_text name = {0};
    flm_text_puts(&name, "all ");
    flm_count_add(&name, tables->places[function]);
    flm_text_puts(&name, " places");
    flm_text_putc(&name, 0);
    tell_line(t, s, name.failed ? "all places" : name.at,
              tables->functions.function[function].total, false);
    flm_text_clear(&name);
}

static void tell_hover_lines(struct flm_telling *t, const struct subject *s)
{
    struct flm_value value = value_of(t, s, t->metric.index);
    flm_json_begin(&t->json, "lines", FLM_JSON_ARRAY);
    use_width(t, s);
    bool compared = s->pane->compared != NULL && !s->run;
    tell_line(t, s,
              s->pane->kind == FLM_PANE_CHART ? "time"
              : compared                      ? "total after"
                                              : "total",
              value.total, true);
    use_metric(t, t->metric.index);
    if (value.has_self && s->frame != 0)
        tell_line(t, s, compared ? "self after" : "self", value.self, true);
    if (!s->run)
        tell_places(t, s);
    flm_json_end(&t->json);
}

static void tell_change(struct flm_telling *t, const struct subject *s)
{
    struct flm_change change = flm_compared_change(s->pane, s->node, FLM_CHANGE_OF_SUBTREE);
    flm_compared_add_sentence(t->viewer, flm_tell_words_begin(t), &change);
    flm_tell_words(t, "note");
}

bool flm_answer_hover(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                      struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    struct subject s;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    bool is_pointed_at = v->input.hover_x >= 0; /* and not at a row of a table */
    if (!is_pointed_at || !find_subject(&t, v->input.hovered, &v->input.hovered_box, &s)) {
        flm_text_puts(out, "null\n");
        return flm_tell_end(&t, why);
    }
    if (!flm_cached_tables_measured(&v->scene.tables, t.profile, t.metric, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_json_add_number(&t.json, "x", v->input.hover_x);
    flm_json_add_number(&t.json, "y", v->input.hover_y);
    if (s.run)
        tell_run_title(&t, "title", s.run->count);
    else
        flm_tell_title(&t, "title", s.frame);
    tell_where(&t, &t.profile->frames[s.run ? 0 : s.frame]);
    tell_hover_lines(&t, &s);
    if (s.pane->compared && !s.run)
        tell_change(&t, &s);
    else
        flm_tell_text(&t, "note",
                      s.run ? "too narrow to be drawn apart; zoom in, or select" : NULL);
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}

/* ---- The selected frame ---------------------------------------------------------------------- */

/* Before, after and change, where two are compared. */
static void tell_changes(struct flm_telling *t, const struct subject *s, uint32_t metric)
{
    struct flm_change change;
    double scale;
    if (flm_compared_change_in(t->viewer, s->pane, metric, s->node, FLM_CHANGE_OF_SUBTREE, &change,
                               &scale))
        flm_compared_add_change(&t->json, "total_", &change, scale, t->unit);
    if (flm_compared_change_in(t->viewer, s->pane, metric, s->node, FLM_CHANGE_OF_SELF, &change,
                               &scale))
        flm_compared_add_change(&t->json, "self_", &change, scale, t->unit);
}

static void tell_values(struct flm_telling *t, const struct subject *s)
{
    flm_json_begin(&t->json, "values", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < metric_count(t, s); i++) {
        uint32_t metric = metric_at(t, i);
        struct flm_value value = value_of(t, s, metric);
        if (flm_compared_is_aside(t->viewer, metric))
            continue;
        double view = whole_of(t, s, s->top, metric), parent = whole_of(t, s, s->parent, metric);
        use_metric(t, metric);
        use_width(t, s);
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT);
        if (s->pane->kind == FLM_PANE_CHART)
            flm_tell_text(t, "name", "time");
        else
            flm_json_add_text(&t->json, "name",
                              flm_comparing_metric_name(&t->viewer->model, metric));
        flm_json_add_text(&t->json, "unit", t->unit);
        flm_tell_quantity(t, "total", value.total);
        flm_tell_exact(t, "total_exact", value.total);
        flm_tell_share(t, "of_all", value.total, t->all);
        flm_tell_share(t, "of_view", value.total, view);
        flm_tell_share(t, "of_parent", value.total, parent);
        if (value.has_self) {
            flm_tell_quantity(t, "self", value.self);
            flm_tell_exact(t, "self_exact", value.self);
            flm_tell_share(t, "self_of_all", value.self, t->all);
            flm_tell_share(t, "self_of_view", value.self, view);
            tell_changes(t, s, metric);
        }
        flm_json_end(&t->json);
    }
    use_metric(t, t->metric.index);
    flm_json_end(&t->json);
}

static void tell_instances(struct flm_telling *t, const struct subject *s)
{
    const struct flm_cached_tables *tables = &t->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    const struct flm_function *f = &tables->functions.function[function];
    flm_json_begin(&t->json, "instances", FLM_JSON_OBJECT_LINE);
    flm_json_add_number(&t->json, "count", tables->places[function]);
    flm_tell_quantity(t, "total", f->total);
    flm_tell_share(t, "of_all", f->total, t->all);
    flm_tell_share(t, "of_view", f->total,
                   s->top.index == 0 ? whole_of(t, s, s->top, t->metric.index) : 0);
    flm_tell_quantity(t, "self", f->self);
    flm_tell_share(t, "self_of_all", f->self, t->all);
    flm_json_end(&t->json);
}

static void tell_relation(struct flm_telling *t, const struct subject *s,
                          const struct flm_relation *relation, double whole)
{
    const struct flm_functions *functions = &t->viewer->scene.tables.functions;
    uint32_t frame = functions->function[relation->function].first_frame;
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_ref(t, s->pane_index, relation->node);
    flm_json_add_number(&t->json, "frame", frame);
    flm_tell_title(t, "title", frame);
    flm_tell_quantity(t, "value", relation->total);
    flm_tell_share(t, "share", relation->total, whole);
    flm_json_end(&t->json);
}

static void tell_relations(struct flm_telling *t, const struct subject *s, const char *key,
                           const struct flm_relation *relations, uint32_t count, double whole)
{
    flm_json_begin(&t->json, key, FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < count && i < MOST_RELATIONS; i++)
        tell_relation(t, s, &relations[i], whole);
    flm_json_end(&t->json);
}

/* Only of stacks: in other trees the picture itself is who calls whom. */
static bool tell_neighbors(struct flm_telling *t, const struct subject *s, struct flm_error *why)
{
    struct flm_relations relations = {0};
    uint32_t function = t->viewer->scene.tables.functions.of_frame[s->frame];
    double whole = 0;
    if (s->pane->kind == FLM_PANE_STACKS && s->frame != 0 &&
        !flm_relations_init(&relations, &t->viewer->scene.tables.functions, s->pane->layout,
                            function, why))
        return false;
    for (uint32_t i = 0; i < relations.caller_count; i++)
        whole += relations.caller[i].total;
    tell_relations(t, s, "calls", relations.callee, relations.callee_count, whole);
    tell_relations(t, s, "callers", relations.caller, relations.caller_count, whole);
    flm_json_add_number(&t->json, "calls_count", relations.callee_count);
    flm_json_add_number(&t->json, "callers_count", relations.caller_count);
    flm_relations_clear(&relations);
    return true;
}

/* The frames of the stack, the outermost caller first. Of a very long one the ends: what is left
 * out is counted. */
static bool tell_stack(struct flm_telling *t, const struct subject *s, struct flm_error *why)
{
    const struct flm_layout *layout = s->pane->layout;
    uint32_t level = flm_layout_level(layout, s->node), count = 0;
    uint32_t *path = malloc((size_t)level * sizeof *path + 1);
    if (!path)
        return flm_error_memory(why);
    for (struct flm_node node = s->node; node.index != 0 && node.index != FLM_NONE;
         node = flm_layout_parent(layout, node))
        path[count++] = node.index;
    bool is_turned = flm_callers_are_below(t->viewer, s->pane_index);
    uint32_t hidden = count > MOST_STACK ? count - MOST_STACK : 0;
    flm_json_begin(&t->json, "stack", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = path[is_turned ? i : count - 1 - i];
        if (hidden > 0 && i >= MOST_STACK / 2 && i < MOST_STACK / 2 + hidden)
            continue;
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_ref(t, s->pane_index, (struct flm_node){node});
        flm_tell_title(t, "title", s->pane->tree.frame[node]);
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
    flm_json_add_number(&t->json, "stack_hidden", hidden);
    free(path);
    return true;
}

/* The largest of a run's frames, the largest first: at most MOST_RUN_ITEMS of perhaps a million, so
 * not all are sorted. */
static uint32_t largest_of(const struct subject *s, struct flm_node *largest)
{
    const struct flm_layout *layout = s->pane->layout;
    uint32_t count = 0, seen = 0;
    for (uint32_t slot = s->run->slot; seen < s->run->count; slot++) {
        struct flm_node node = flm_layout_node_at(layout, slot);
        if (node.index == FLM_NONE)
            break;
        if (flm_tree_is_gap(&s->pane->tree, node.index))
            continue;
        seen++;
        double total = flm_layout_total(layout, node);
        uint32_t place = count;
        while (place > 0 && total > flm_layout_total(layout, largest[place - 1]))
            place--;
        if (place == MOST_RUN_ITEMS)
            continue;
        count += count < MOST_RUN_ITEMS;
        for (uint32_t i = count - 1; i > place; i--)
            largest[i] = largest[i - 1];
        largest[place] = node;
    }
    return count;
}

static void tell_run(struct flm_telling *t, const struct subject *s)
{
    const struct flm_rectangle *run = s->run;
    const struct flm_layout *layout = s->pane->layout;
    struct flm_node largest[MOST_RUN_ITEMS];
    if (!run) {
        flm_json_add_null(&t->json, "run");
        return;
    }
    uint32_t count = largest_of(s, largest);
    use_width(t, s);
    flm_json_begin(&t->json, "run", FLM_JSON_OBJECT);
    flm_tell_count(t, "count", run->count);
    flm_tell_quantity(t, "value", run->total);
    flm_tell_share(t, "share", run->total, t->all);
    flm_json_begin(&t->json, "items", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) {
        double total = flm_layout_total(layout, largest[i]);
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_ref(t, s->pane_index, largest[i]);
        flm_tell_title(t, "title", s->pane->tree.frame[largest[i].index]);
        flm_tell_quantity(t, "value", total);
        flm_tell_share(t, "share", total, t->all);
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
    flm_json_end(&t->json);
}

/* A file as part of a URL: its slashes stay. */
static void add_escaped(struct flm_text *out, struct flm_bytes file)
{
    static const char plain[] = "-._~/:@!$&'()*+,;=";
    for (size_t i = 0; i < file.size; i++) {
        unsigned char byte = (unsigned char)file.at[i];
        bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                        (byte >= '0' && byte <= '9') || flm_is_one_of(file.at[i], plain);
        if (is_plain)
            flm_text_putc(out, file.at[i]);
        else
            flm_text_format(out, "%%%c%c", "0123456789ABCDEF"[byte >> 4],
                            "0123456789ABCDEF"[byte & 15]);
    }
}

static bool is_address(struct flm_bytes file)
{
    return flm_bytes_start_with(file, "https://") || flm_bytes_start_with(file, "http://");
}

static void tell_link(struct flm_telling *t, const struct flm_frame_record *frame)
{
    struct flm_bytes file = flm_string_bytes(t->profile, frame->file);
    struct flm_bytes template = {t->viewer->model.source_link.at,
                                 t->viewer->model.source_link.size};
    struct flm_text *out = flm_tell_words_begin(t);
    if (is_address(file))
        flm_text_add(out, file);
    for (size_t i = 0; file.size > 0 && !is_address(file) && i < template.size;) {
        struct flm_bytes rest = {template.at + i, template.size - i};
        if (flm_bytes_start_with(rest, "{file}")) {
            add_escaped(out, file);
            i += 6;
        } else if (flm_bytes_start_with(rest, "{line}")) {
            flm_text_uint(out, frame->line ? frame->line : 1);
            i += 6;
        } else {
            flm_text_putc(out, template.at[i++]);
        }
    }
    if (out->size > 0)
        flm_tell_words(t, "link");
    else
        flm_json_add_null(&t->json, "link");
}

static void tell_address(struct flm_telling *t, uint64_t address)
{
    struct flm_text *out = flm_tell_words_begin(t);
    bool begun = false;
    if (address == 0) {
        flm_json_add_null(&t->json, "address");
        return;
    }
    flm_text_puts(out, "0x");
    for (int shift = 60; shift >= 0; shift -= 4) {
        begun = begun || address >> shift & 15;
        if (begun)
            flm_text_putc(out, "0123456789abcdef"[address >> shift & 15]);
    }
    flm_tell_words(t, "address");
}

static void tell_frame(struct flm_telling *t, uint32_t frame)
{
    const struct flm_frame_record *record = &t->profile->frames[frame];
    flm_json_add_number(&t->json, "frame", frame);
    flm_tell_title(t, "title", frame);
    flm_json_add_text(&t->json, "name", flm_frame_function(t->profile, frame));
    flm_tell_string(t, "module", record->module);
    flm_tell_string(t, "file", record->file);
    if (record->line)
        flm_json_add_number(&t->json, "line", record->line);
    else
        flm_json_add_null(&t->json, "line");
    flm_tell_text(t, "kind", kind_of(record));
    tell_address(t, record->address);
    tell_link(t, record);
}

static bool tell_detail(struct flm_telling *t, const struct subject *s, struct flm_error *why)
{
    bool ok = true;
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT);
    flm_tell_ref(t, s->pane_index, s->node);
    flm_tell_string(t, "metric", t->profile->metrics[t->metric.index].name);
    if (s->run) {
        tell_run_title(t, "title", s->run->count);
        tell_run_title(t, "name", s->run->count);
    } else {
        tell_frame(t, s->frame);
    }
    bool compared = s->pane->compared && !s->run;
    flm_json_add_bool(&t->json, "compared", compared);
    if (compared)
        tell_change(t, s);
    tell_values(t, s);
    if (s->run || s->frame == 0)
        flm_json_add_null(&t->json, "instances");
    else
        tell_instances(t, s);
    if (!s->run)
        ok = tell_neighbors(t, s, why) && tell_stack(t, s, why);
    tell_run(t, s);
    flm_json_end(&t->json);
    return ok;
}

bool flm_answer_detail(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                       struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    struct subject s;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    bool ok = true;
    if (!find_subject(&t, v->model.selected, &v->model.selected_run, &s))
        flm_text_puts(out, "null\n");
    else
        ok = flm_cached_tables_measured(&v->scene.tables, t.profile, t.metric, why) &&
             tell_detail(&t, &s, why);
    return flm_tell_end(&t, ok ? why : NULL) && ok;
}
