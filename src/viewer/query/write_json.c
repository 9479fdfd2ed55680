#include "viewer/query/write_json.h"

#include "base/number/number.h"
#include "draw/text/quantity.h"

bool flm_tell_begin(struct flm_telling *t, struct flm_viewer *v, struct flm_text *out,
                    struct flm_error *why)
{
    *t = (struct flm_telling){.viewer = v, .json = {.out = out}};
    if (!flm_viewer_update(v, why))
        return false;
    t->profile = flm_model_shown(&v->model);
    if (!t->profile || v->model.metric >= t->profile->sizes.metric_count)
        return true;
    const struct flm_summary *summary =
        flm_cached_tables_summary(&v->scene.tables, t->profile, why);
    if (!summary)
        return false;
    t->metric = (struct flm_metric){flm_comparing_metric(&v->model, v->model.metric)};
    t->unit = flm_string_bytes(t->profile, t->profile->metrics[t->metric.index].unit);
    t->all = summary->metric[t->metric.index].size;
    return true;
}

bool flm_tell_end(struct flm_telling *t, struct flm_error *why)
{
    bool failed = t->words.failed || t->json.out->failed;
    flm_text_clear(&t->words);
    return !failed || flm_error_memory(why);
}

struct flm_text *flm_tell_words_begin(struct flm_telling *t)
{
    t->words.size = 0;
    return &t->words;
}

void flm_tell_words(struct flm_telling *t, const char *key)
{
    flm_json_add_text(&t->json, key, (struct flm_bytes){t->words.at, t->words.size});
}

void flm_tell_text(struct flm_telling *t, const char *key, const char *text)
{
    if (text)
        flm_json_add_text(&t->json, key, flm_bytes_of(text));
    else
        flm_json_add_null(&t->json, key);
}

void flm_tell_quantity(struct flm_telling *t, const char *key, double value)
{
    flm_quantity_add(flm_tell_words_begin(t), value, t->unit);
    flm_tell_words(t, key);
}

void flm_tell_exact(struct flm_telling *t, const char *key, double value)
{
    flm_quantity_add_exact(flm_tell_words_begin(t), value, t->unit);
    flm_tell_words(t, key);
}

void flm_tell_count(struct flm_telling *t, const char *key, uint64_t count)
{
    flm_count_add(flm_tell_words_begin(t), count);
    flm_tell_words(t, key);
}

void flm_tell_string(struct flm_telling *t, const char *key, uint32_t string)
{
    if (string == 0)
        flm_json_add_null(&t->json, key);
    else
        flm_json_add_text(&t->json, key, flm_string_bytes(t->profile, string));
}

void flm_tell_color(struct flm_telling *t, const char *key, uint32_t rgb)
{
    char text[7] = "#";
    for (int i = 0; i < 6; i++)
        text[1 + i] = "0123456789abcdef"[rgb >> (20 - 4 * i) & 15];
    flm_json_add_text(&t->json, key, (struct flm_bytes){text, sizeof text});
}

void flm_tell_ref(struct flm_telling *t, uint32_t pane, struct flm_node node)
{
    const struct flm_pane *s = &t->viewer->scene.panes[pane];
    struct flm_node_ref ref = {pane, flm_pane_number(s, node)};
    flm_json_add_number(&t->json, "node", flm_node_ref_number(ref));
}

void flm_tell_share(struct flm_telling *t, const char *key, double value, double whole)
{
    if (whole == 0) {
        flm_json_add_null(&t->json, key);
        return;
    }
    flm_percent_add(flm_tell_words_begin(t), value, whole);
    flm_tell_words(t, key);
}

void flm_tell_title(struct flm_telling *t, const char *key, uint32_t frame)
{
    flm_json_add_text(&t->json, key, flm_frame_title(t->profile, frame));
}

void flm_tell_found(struct flm_telling *t, uint32_t frame)
{
    const struct flm_searches *searches = &t->viewer->model.searches;
    unsigned color = searches->frame_color ? searches->frame_color[frame] : 0;
    flm_json_add_number(&t->json, "found", (double)color - 1);
}

static bool take_number(struct flm_bytes *text, uint32_t *number)
{
    size_t size = 0;
    uint64_t value;
    while (size < text->size && text->at[size] != ' ')
        size++;
    bool good = flm_number_parse_uint((struct flm_bytes){text->at, size}, &value);
    if (good)
        *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    size += size < text->size;
    *text = (struct flm_bytes){text->at + size, text->size - size};
    return good;
}

struct flm_row_range flm_row_range_of(struct flm_bytes argument)
{
    enum { MOST_ROWS = 10000 };
    struct flm_row_range range = {0, 100};
    if (take_number(&argument, &range.from))
        take_number(&argument, &range.count);
    if (range.count > MOST_ROWS)
        range.count = MOST_ROWS;
    return range;
}
