/* hover.c - "hover": the frame under the pointer, in a few lines. */
#include "draw/text/quantity.h"
#include "viewer/query/internal.h"
#include "viewer/query/subject.h"

static struct flm_response_hover_line line_of(struct flm_query *q, const struct flm_subject *s,
                                              const char *name, double value, bool of_view)
{
    uint32_t metric = q->metric.index;
    return (struct flm_response_hover_line){
        .name = flm_query_text(q, name),
        .value = flm_query_quantity(q, value),
        .exact = flm_query_exact(q, value),
        .share_total = flm_query_share(q, value, q->all),
        .share_view =
            flm_query_share(q, value, of_view ? flm_subject_whole(q, s, s->top, metric) : 0),
        .share_parent =
            flm_query_share(q, value, of_view ? flm_subject_whole(q, s, s->parent, metric) : 0),
    };
}

/* "all 12 occurrences": of the function, in all stacks. */
static void add_occurrences(struct flm_query *q, const struct flm_subject *s,
                            struct flm_response_hover *hover)
{
    const struct flm_cached_tables *tables = &q->viewer->scene.tables;
    uint32_t function = tables->functions.of_frame[s->frame];
    if (s->frame == 0 || tables->occurrences[function] < 2)
        return;
    struct flm_text *name = flm_query_scratch(q);
    flm_text_puts(name, "all ");
    flm_count_add(name, tables->occurrences[function]);
    flm_text_puts(name, " occurrences");
    struct flm_bytes title = flm_query_scratch_copy(q);
    struct flm_response_hover_line *line = &hover->lines.at[hover->lines.count++];
    *line = line_of(q, s, NULL, tables->functions.function[function].total, false);
    line->name = title;
}

static void add_lines(struct flm_query *q, const struct flm_subject *s,
                      struct flm_response_hover *hover)
{
    struct flm_value value = flm_subject_value(q, s, q->metric.index);
    bool compared = s->pane->compared != NULL && !s->merged;
    const char *total = s->pane->kind == FLM_PANE_CHART ? "duration"
                        : compared                      ? "total after"
                                                        : "total";
    hover->lines.at = flm_query_take(q, 3, sizeof *hover->lines.at);
    if (!hover->lines.at)
        return;
    flm_subject_use_width(q, s);
    hover->lines.at[hover->lines.count++] = line_of(q, s, total, value.total, true);
    flm_query_use_metric(q, q->metric.index);
    if (value.has_self && s->frame != 0)
        hover->lines.at[hover->lines.count++] =
            line_of(q, s, compared ? "self after" : "self", value.self, true);
    if (!s->merged)
        add_occurrences(q, s, hover);
}

/* "note: slow since 2.1; note: twice a second" */
static struct flm_bytes written_on(struct flm_query *q, const struct flm_subject *s)
{
    const struct flm_kept_notes *notes = &q->viewer->model.notes;
    struct flm_text *out = flm_query_scratch(q);
    for (size_t i = 0; i < flm_kept_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_kept_notes_at(notes, i);
        if (!flm_query_is_noted(s, note))
            continue;
        flm_text_puts(out, out->size > 0 ? "; note: " : "note: ");
        flm_text_add(out, (struct flm_bytes){note->text.at, note->text.size});
    }
    return out->size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

bool flm_query_hover(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    struct flm_query q;
    struct flm_subject s;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    bool is_pointed_at = v->input.hover_x >= 0; /* and not at a row of a table */
    if (!is_pointed_at || !flm_subject_find(&q, v->input.hovered, &v->input.hovered_box, &s)) {
        response->hover = is_pointed_at ? flm_query_hovered_event(&q) : NULL;
        if (is_pointed_at && !response->hover)
            response->hover = flm_query_hovered_cell(&q);
        return flm_query_end(&q, why);
    }
    if (!flm_cached_tables_measured(&v->scene.tables, q.profile, q.metric, why))
        return flm_query_fail(&q);
    struct flm_response_hover *hover = flm_query_take(&q, 1, sizeof *hover);
    response->hover = hover;
    if (!hover)
        return flm_query_end(&q, why);
    hover->x = v->input.hover_x;
    hover->y = v->input.hover_y;
    hover->title =
        s.merged ? flm_query_merged_title(&q, s.merged->count) : flm_query_title(&q, s.frame);
    if (!s.merged)
        flm_query_shorten_heading(&q, flm_query_take_room(&argument), s.frame, &hover->shown);
    hover->where = flm_query_where(&q, &s);
    hover->moment.at =
        flm_query_moment(&q, s.pane, s.node, s.merged != NULL, s.total, &hover->moment.count);
    add_lines(&q, &s, hover);
    if (s.pane->compared && !s.merged)
        hover->note = flm_subject_change(&q, &s);
    else if (s.merged)
        hover->note = flm_query_text(&q, "too narrow to be drawn apart; zoom in, or select");
    else
        hover->note = written_on(&q, &s);
    return flm_query_end(&q, why);
}
