#include "viewer/query/values.h"

#include "base/number/number.h"
#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "draw/text/short_names.h"

bool flm_query_begin(struct flm_query *q, struct flm_viewer *v, struct flm_response *response,
                     struct flm_error *why)
{
    *q = (struct flm_query){.viewer = v, .response = response};
    flm_arena_reset(&response->arena);
    response->any = NULL;
    if (!flm_viewer_update(v, why))
        return false;
    q->profile = flm_model_shown(&v->model);
    if (!q->profile || v->model.metric >= q->profile->sizes.metric_count)
        return true;
    const struct flm_summary *summary =
        flm_cached_tables_summary(&v->scene.tables, q->profile, why);
    if (!summary)
        return false;
    q->metric = (struct flm_metric){flm_comparing_metric(&v->model, v->model.metric)};
    q->unit = flm_string_bytes(q->profile, q->profile->metrics[q->metric.index].unit);
    q->all = summary->metric[q->metric.index].size;
    return true;
}

bool flm_query_fail(struct flm_query *q)
{
    flm_text_clear(&q->scratch);
    q->response->any = NULL;
    return false;
}

bool flm_query_end(struct flm_query *q, struct flm_error *why)
{
    if (q->scratch.failed || q->response->arena.failed) {
        flm_error_memory(why);
        return flm_query_fail(q);
    }
    flm_text_clear(&q->scratch);
    return true;
}

void *flm_query_take(struct flm_query *q, size_t count, size_t size)
{
    return flm_arena_take(&q->response->arena, count * size);
}

struct flm_text *flm_query_scratch(struct flm_query *q)
{
    q->scratch.size = 0;
    return &q->scratch;
}

struct flm_bytes flm_query_scratch_copy(struct flm_query *q)
{
    return flm_query_copy(q, (struct flm_bytes){q->scratch.at, q->scratch.size});
}

struct flm_bytes flm_query_copy(struct flm_query *q, struct flm_bytes text)
{
    return flm_arena_text(&q->response->arena, text);
}

struct flm_bytes flm_query_text(struct flm_query *q, const char *text)
{
    return text ? flm_query_copy(q, flm_bytes_of(text)) : (struct flm_bytes){NULL, 0};
}

struct flm_bytes flm_query_quantity(struct flm_query *q, double value)
{
    flm_quantity_add(flm_query_scratch(q), value, q->unit);
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_query_number(struct flm_query *q, const struct flm_scale *scale, double value)
{
    flm_scale_add_number(scale, value, flm_query_scratch(q));
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_query_exact(struct flm_query *q, double value)
{
    flm_quantity_add_exact(flm_query_scratch(q), value, q->unit);
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_query_count(struct flm_query *q, uint64_t count)
{
    flm_count_add(flm_query_scratch(q), count);
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_query_string(struct flm_query *q, uint32_t string)
{
    return string ? flm_query_copy(q, flm_string_bytes(q->profile, string))
                  : (struct flm_bytes){NULL, 0};
}

struct flm_bytes flm_query_color(struct flm_query *q, uint32_t rgb)
{
    char text[7] = "#";
    for (int i = 0; i < 6; i++)
        text[1 + i] = "0123456789abcdef"[rgb >> (20 - 4 * i) & 15];
    return flm_query_copy(q, (struct flm_bytes){text, sizeof text});
}

struct flm_bytes flm_query_share(struct flm_query *q, double value, double whole)
{
    if (whole == 0)
        return (struct flm_bytes){NULL, 0};
    flm_percent_add(flm_query_scratch(q), value, whole);
    return flm_query_scratch_copy(q);
}

struct flm_bytes flm_query_title(struct flm_query *q, uint32_t frame)
{
    return flm_query_copy(q, flm_frame_title(q->profile, frame));
}

struct flm_bytes flm_query_node_title(struct flm_query *q, const struct flm_pane *pane,
                                      struct flm_node node)
{
    struct flm_text *out = flm_query_scratch(q);
    flm_text_add(out, flm_frame_title(q->profile, pane->tree.frame[node.index]));
    flm_label_add_depth(out, flm_pane_depths(pane, node).most);
    return flm_query_scratch_copy(q);
}

/* Made showable, in the arena. */
static struct flm_bytes showable(struct flm_query *q, enum flm_charset charset,
                                 struct flm_bytes text)
{
    struct flm_text scratch = {0};
    struct flm_bytes plain = flm_showable(text, charset, &scratch);
    if (plain.size > 0 && plain.at == scratch.at)
        plain = flm_query_copy(q, plain);
    q->scratch.failed = q->scratch.failed || scratch.failed;
    flm_text_clear(&scratch);
    return plain;
}

double flm_query_ref(const struct flm_query *q, uint32_t pane, struct flm_node node)
{
    const struct flm_pane *in = &q->viewer->scene.panes[pane];
    return flm_node_ref_number((struct flm_node_ref){pane, flm_pane_number(in, node)});
}

double flm_query_match(const struct flm_query *q, uint32_t frame)
{
    const struct flm_searches *searches = &q->viewer->model.searches;
    unsigned color = searches->frame_color ? searches->frame_color[frame] : 0;
    return (double)color - 1;
}

struct flm_font flm_query_font(const struct flm_query *q, const struct flm_query_room *room,
                               enum flm_weight weight)
{
    struct flm_font font = room->in_cells ? flm_cells_font(room->charset)
                                          : flm_atlas_font(q->viewer->paint.atlas, weight);
    font.size_px = 1;
    return font;
}

void flm_query_shorten(struct flm_query *q, struct flm_query_room room,
                       const struct flm_query_name *names, size_t count)
{
    const uint32_t *of_frame = q->viewer->scene.tables.functions.of_frame;
    struct flm_font fonts[FLM_WEIGHT_COUNT];
    struct flm_short_name *list = flm_query_take(q, count, sizeof *list);
    for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++)
        fonts[weight] = flm_query_font(q, &room, (enum flm_weight)weight);
    for (size_t i = 0; list && i < count; i++) {
        const struct flm_frame_record *frame = &q->profile->frames[names[i].frame];
        struct flm_bytes path =
            flm_string_bytes(q->profile, frame->module ? frame->module : frame->file);
        list[i] = (struct flm_short_name){
            .plain = showable(q, room.charset, flm_frame_title(q->profile, names[i].frame)),
            .where = showable(q, room.charset, flm_path_end(path)),
            .function = of_frame[names[i].frame],
            .room = names[i].width,
            .font = &fonts[names[i].is_bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR],
        };
    }
    if (!list || q->response->arena.failed)
        return; /* flm_query_end says it */
    struct flm_text *out = flm_query_scratch(q);
    if (!flm_short_names(list, count, flm_cells_ellipsis(room.charset), out))
        out->failed = true;
    for (size_t i = 0; !out->failed && i < count; i++) {
        struct flm_bytes shown = {out->at + list[i].from, list[i].size};
        if (!flm_bytes_equal(shown, flm_frame_title(q->profile, names[i].frame)))
            *names[i].shown = flm_query_copy(q, shown);
    }
}

/* Three lines, less half a line that is lost where lines break between words. */
void flm_query_shorten_heading(struct flm_query *q, struct flm_query_room room, uint32_t frame,
                               struct flm_bytes *shown)
{
    const double lines = 2.5;
    struct flm_query_name name = {frame, lines * room.width, true, shown};
    if (room.width > 0)
        flm_query_shorten(q, room, &name, 1);
}

static struct flm_bytes take_word(struct flm_bytes *text)
{
    size_t size = 0;
    while (size < text->size && text->at[size] != ' ')
        size++;
    struct flm_bytes word = {text->at, size};
    size += size < text->size;
    *text = (struct flm_bytes){text->at + size, text->size - size};
    return word;
}

static bool take_number(struct flm_bytes *text, uint32_t *number)
{
    uint64_t value;
    bool good = flm_number_parse_uint(take_word(text), &value);
    if (good)
        *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return good;
}

struct flm_query_room flm_query_take_room(struct flm_bytes *argument)
{
    struct flm_query_room room = {.charset = FLM_CHARSET_UTF8};
    struct flm_bytes word = take_word(argument);
    uint32_t number = 0;
    char unit = word.size > 0 ? word.at[word.size - 1] : 0;
    room.in_cells = unit == 'c' || unit == 'a';
    if (unit == 'a')
        room.charset = FLM_CHARSET_ASCII;
    word.size -= room.in_cells;
    take_number(&word, &number);
    room.width = room.in_cells ? number : number / 100.0;
    return room;
}

struct flm_row_range flm_row_range_of(struct flm_bytes argument)
{
    enum { MOST_ROWS = 10000 };
    struct flm_row_range range = {.count = 100};
    if (take_number(&argument, &range.from) && take_number(&argument, &range.count))
        range.room = flm_query_take_room(&argument);
    if (range.count > MOST_ROWS)
        range.count = MOST_ROWS;
    return range;
}
