#include "viewer/state.h"

#include <assert.h>
#include <math.h>

#include "algebra/expression/argument.h"
#include "algebra/operation/pattern.h"
#include "base/number/number.h"
#include "viewer/internal.h"
#include "viewer/views/views.h"

/* ---- Writing --------------------------------------------------------------------------------- */

/* Everything that a URL may have as it is, and that the state does not use itself. */
static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || flm_is_one_of(byte, "-._~:*/,|!()$;@'");
}

static void add_escaped(struct flm_text *out, struct flm_bytes value)
{
    for (size_t i = 0; i < value.size; i++) {
        unsigned char byte = (unsigned char)value.at[i];
        if (is_plain(value.at[i])) {
            flm_text_putc(out, value.at[i]);
        } else {
            flm_text_putc(out, '%');
            flm_text_putc(out, "0123456789ABCDEF"[byte >> 4]);
            flm_text_putc(out, "0123456789ABCDEF"[byte & 15]);
        }
    }
}

static void add(struct flm_text *out, const char *key, struct flm_bytes value)
{
    flm_text_puts(out, out->size ? "&" : "");
    flm_text_puts(out, key);
    flm_text_putc(out, '=');
    add_escaped(out, value);
}

/* 16 digits, and two for each step of the way, where it has to be opened. */
enum { HASH_DIGITS = 16 };

static void add_path(struct flm_text *out, const char *key, const struct flm_viewer *v,
                     struct flm_node_ref ref)
{
    static const char hex[] = "0123456789abcdef";
    char digits[HASH_DIGITS + 2 * FLM_MOST_STEPS_OF_PATH];
    struct flm_path path;
    flm_scene_path(&v->scene, ref, &path);
    for (int i = 0; i < HASH_DIGITS; i++)
        digits[i] = hex[path.hash >> (60 - 4 * i) & 15];
    for (uint32_t i = 0; i < path.count; i++) {
        digits[HASH_DIGITS + 2 * i] = hex[path.step[i] >> 4];
        digits[HASH_DIGITS + 2 * i + 1] = hex[path.step[i] & 15];
    }
    if (path.hash)
        add(out, key, (struct flm_bytes){digits, HASH_DIGITS + 2 * path.count});
}

/* Two shares, with as many digits as a double is sure to have: fewer do not distinguish pixels at a
 * large zoom; with more a state would differ after reading and writing. */
#define SHARE_DIGITS 15

static void add_share(struct flm_text *out, const char *key, const struct flm_camera *camera)
{
    char text[2 * FLM_NUMBER_SIZE + 1];
    struct flm_span share = flm_camera_share(camera);
    if (share.left <= 0 && share.right >= 1)
        return;
    size_t size = flm_number_print_rounded(share.left, SHARE_DIGITS, text);
    text[size++] = ',';
    size += flm_number_print_rounded(share.right, SHARE_DIGITS, text + size);
    add(out, key, (struct flm_bytes){text, size});
}

/* How far it is scrolled. A row has some tens of pixels. */
static void add_rows(struct flm_text *out, double rows)
{
    char text[FLM_NUMBER_SIZE];
    if (rows != 0)
        add(out, "y", (struct flm_bytes){text, flm_number_print_rounded(rows, 6, text)});
}

/* The length of a column of the heatmap. */
static void add_column(struct flm_text *out, double column_ns)
{
    char text[FLM_NUMBER_SIZE + 2];
    size_t size = flm_number_print(column_ns, text);
    text[size++] = 'n';
    text[size++] = 's';
    add(out, "column", (struct flm_bytes){text, size});
}

/* The keys of the expressions of both sides. */
static const char *const side_keys[] = {
    [FLM_VIEWER_AFTER] = "after", [FLM_VIEWER_BEFORE] = "before"};

static void write_comparing(const struct flm_viewer *v, struct flm_text *text, struct flm_text *out)
{
    const struct flm_comparing *c = &v->model.comparing;
    for (int side = 0; side < 2; side++)
        if (c->expression[side].size > 0)
            add(out, side_keys[side],
                (struct flm_bytes){c->expression[side].at, c->expression[side].size});
    flm_comparing_write(c, text);
    if (text->size > 0)
        add(out, "compare", (struct flm_bytes){text->at, text->size});
    text->size = 0;
    if (c->normalize == FLM_NORMALIZE_FUNCTION && c->function.size > 0)
        add(out, "normalize", (struct flm_bytes){c->function.at, c->function.size});
}

/* A letter for each flag. */
static const char code_flags[FLM_CODE_FLAGS + 1] = "mfwi";

static void write_code(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_code_shown *code = &v->model.code;
    char flags[FLM_CODE_FLAGS];
    size_t count = 0;
    if (code->of.size == 0)
        return;
    for (int i = 0; i < FLM_CODE_FLAGS; i++)
        if (code->flags >> i & 1)
            flags[count++] = code_flags[i];
    add(out, "code", (struct flm_bytes){code->of.at, code->of.size});
    if (count > 0)
        add(out, "code-show", (struct flm_bytes){flags, count});
    if (code->at.size > 0)
        add(out, "line", (struct flm_bytes){code->at.at, code->at.size});
    if (code->open.size > 0)
        add(out, "code-open", (struct flm_bytes){code->open.at, code->open.size});
}

void flm_state_write(struct flm_viewer *v, struct flm_text *out)
{
    assert(v && out);
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_text text = {0};
    if (v->model.view != flm_view_default(false))
        add(out, "view", flm_bytes_of(v->model.view->name));
    if (v->model.focus.size > 0)
        add(out, "of", (struct flm_bytes){v->model.focus.at, v->model.focus.size});
    if (p && v->model.metric < p->sizes.metric_count &&
        v->model.metric != flm_comparing_metric(&v->model, FLM_NONE))
        add(out, "metric", flm_comparing_metric_name(&v->model, v->model.metric));
    if (v->model.order != FLM_ORDER_NAME)
        add(out, "order", flm_bytes_of(flm_order_choice(v->model.order).name));
    if (v->model.flame)
        add(out, "flame", flm_bytes_of("1"));
    if (v->model.inverted)
        add(out, "invert", flm_bytes_of("1"));
    if (v->model.color_mode != FLM_COLOR_MODULE)
        add(out, "color", flm_bytes_of(flm_color_mode_name(v->model.color_mode)));
    if (v->model.color_with.size > 0)
        add(out, "with", (struct flm_bytes){v->model.color_with.at, v->model.color_with.size});
    flm_operations_write(&v->model.operations, &text);
    if (text.size > 0)
        add(out, "apply", (struct flm_bytes){text.at, text.size});
    text.size = 0;
    write_comparing(v, &text, out);
    flm_searches_write(&v->model.searches, &text);
    if (text.size > 0)
        add(out, "search", (struct flm_bytes){text.at, text.size});
    if (v->model.sort.size > 0)
        add(out, "sort", (struct flm_bytes){v->model.sort.at, v->model.sort.size});
    if (v->model.heat_column_ns > 0)
        add_column(out, v->model.heat_column_ns);
    if (v->model.shows_tracks)
        add(out, "tracks", flm_bytes_of("1"));
    if (v->model.threads_by_cost)
        add(out, "threads", flm_bytes_of("cost"));
    if (v->model.short_apart)
        add(out, "short", flm_bytes_of("apart"));
    if (v->model.collapsed.size > 0)
        add(out, "collapsed", (struct flm_bytes){v->model.collapsed.at, v->model.collapsed.size});
    if (v->model.expands_all)
        add(out, "rows", flm_bytes_of("all"));
    if (v->model.expanded.size > 0)
        add(out, "expanded", (struct flm_bytes){v->model.expanded.at, v->model.expanded.size});
    write_code(v, out);
    add_path(out, "select", v, v->model.selected);
    add_path(out, "zoom", v, v->model.zoomed);
    if (!flm_node_ref_valid(v->model.zoomed) && v->scene.total > 0)
        add_share(out, "x", &v->model.camera);
    if (flm_scene_has_halves(&v->scene))
        add_share(out, "other-x", &v->model.other_camera);
    if (v->model.half)
        add(out, "half", flm_bytes_of("1"));
    add_rows(out, flm_viewer_rows(v));
    out->failed = out->failed || text.failed;
    flm_text_clear(&text);
}

/* Longer columns are ignored: 30 years. */
#define MOST_COLUMN_NS 1e18

/* ---- Reading --------------------------------------------------------------------------------- */

static int hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if ((byte | 32) >= 'a' && (byte | 32) <= 'f')
        return (byte | 32) - 'a' + 10;
    return -1;
}

static void unescape(struct flm_bytes value, struct flm_text *out)
{
    out->size = 0;
    for (size_t i = 0; i < value.size; i++) {
        int high = -1, low = -1;
        if (value.at[i] == '%' && i + 2 < value.size) {
            high = hex_digit(value.at[i + 1]);
            low = hex_digit(value.at[i + 2]);
        }
        if (high >= 0 && low >= 0) {
            flm_text_putc(out, (char)(high << 4 | low));
            i += 2;
        } else {
            flm_text_putc(out, value.at[i]);
        }
    }
}

/* The value of `key` in the state, unescaped; "" where it is not there. */
static struct flm_bytes value_of(struct flm_bytes state, const char *key, struct flm_text *scratch)
{
    size_t size = strlen(key);
    scratch->size = 0;
    for (size_t at = 0; at < state.size;) {
        size_t end = at;
        while (end < state.size && state.at[end] != '&')
            end++;
        if (end - at > size && memcmp(state.at + at, key, size) == 0 && state.at[at + size] == '=')
            unescape((struct flm_bytes){state.at + at + size + 1, end - at - size - 1}, scratch);
        at = end + 1;
    }
    return (struct flm_bytes){scratch->at, scratch->size};
}

static struct flm_path path_of(struct flm_bytes state, const char *key, struct flm_text *scratch)
{
    struct flm_path path = {0};
    struct flm_bytes value = value_of(state, key, scratch);
    size_t size = value.size < HASH_DIGITS ? value.size : HASH_DIGITS;
    if (size == 0 || !flm_number_parse_hex((struct flm_bytes){value.at, size}, &path.hash))
        return path;
    for (size_t i = size; i + 1 < value.size && path.count < FLM_MOST_STEPS_OF_PATH; i += 2) {
        int high = hex_digit(value.at[i]), low = hex_digit(value.at[i + 1]);
        if (high < 0 || low < 0)
            break;
        path.step[path.count++] = (unsigned char)(high << 4 | low);
    }
    return path;
}

static bool read_span(struct flm_bytes value, struct flm_span *span)
{
    size_t comma = 0;
    while (comma < value.size && value.at[comma] != ',')
        comma++;
    if (comma == value.size)
        return false;
    struct flm_bytes right = {value.at + comma + 1, value.size - comma - 1};
    return flm_number_parse((struct flm_bytes){value.at, comma}, &span->left) &&
           flm_number_parse(right, &span->right) && span->left >= 0 && span->right <= 1 &&
           span->left < span->right;
}

static void read_metric(struct flm_viewer *v, struct flm_bytes name)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    uint32_t metric = flm_comparing_metric(&v->model, FLM_NONE);
    for (uint32_t m = 0; p && name.size > 0 && m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_comparing_metric_name(&v->model, m), name))
            metric = m;
    if (metric != v->model.metric)
        flm_changed(&v->model, FLM_ASPECT_METRIC);
    v->model.metric = metric;
}

/* Sides that cannot be made are left out: a link must show what it can. */
static bool read_comparing(struct flm_viewer *v, struct flm_bytes state, struct flm_text *scratch,
                           struct flm_error *why)
{
    struct flm_comparing *c = &v->model.comparing;
    bool same = true,
         kept = flm_model_set_text(&c->function, value_of(state, "normalize", scratch));
    flm_comparing_read(c, value_of(state, "compare", scratch));
    for (int side = 0; side < 2; side++) {
        struct flm_bytes value = value_of(state, side_keys[side], scratch);
        struct flm_text *text = &c->expression[side];
        same = same && flm_bytes_equal((struct flm_bytes){text->at, text->size}, value);
        kept = kept && flm_model_set_text(text, value);
    }
    struct flm_error error = {0};
    if (!kept)
        return flm_error_memory(why);
    if (same)
        return true;
    flm_viewer_leave(v);
    if (flm_comparing_open(&v->model, &error))
        return true;
    if (error.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    for (int side = 0; side < 2; side++)
        c->expression[side].size = 0;
    return flm_comparing_open(&v->model, why);
}

/* Rules that cannot be read are no rules. */
static bool read_colors(struct flm_viewer *v, struct flm_bytes state, struct flm_text *scratch)
{
    enum flm_color_mode before = v->model.color_mode;
    v->model.color_mode = flm_color_mode_named(value_of(state, "color", scratch));
    if (v->model.color_mode == FLM_COLOR_MODE_COUNT)
        v->model.color_mode = FLM_COLOR_MODULE;
    struct flm_bytes with = value_of(state, "with", scratch);
    bool same =
        before == v->model.color_mode &&
        flm_bytes_equal(with, (struct flm_bytes){v->model.color_with.at, v->model.color_with.size});
    if (same)
        return true;
    if (!flm_model_set_text(&v->model.color_with, with))
        return false;
    flm_changed(&v->model, FLM_ASPECT_COLORS);
    if (flm_model_shown(&v->model) && !flm_viewer_color(v, NULL))
        v->model.color_mode = FLM_COLOR_MODULE;
    return true;
}

/* Searches that cannot be read are none. */
static bool read_searches(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    struct flm_error error = {0};
    if (flm_searches_set(&v->model.searches, text, &error))
        return true;
    if (error.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    return flm_searches_set(&v->model.searches, (struct flm_bytes){"", 0}, why);
}

static bool read_profile_state(struct flm_viewer *v, struct flm_bytes state,
                               struct flm_text *scratch, struct flm_error *why)
{
    struct flm_text now = {0};
    flm_operations_write(&v->model.operations, &now);
    struct flm_bytes apply = value_of(state, "apply", scratch);
    bool same = flm_bytes_equal((struct flm_bytes){now.at, now.size}, apply);
    flm_text_clear(&now);
    if (!same) {
        flm_viewer_leave(v);
        if (!flm_operations_set(&v->model.operations, apply, why))
            return false;
    }
    /* They look into the profile, which may be another one now. */
    const struct flm_profile *p = flm_model_shown(&v->model);
    return (!p || flm_searches_open(&v->model.searches, p, why)) &&
           read_searches(v, value_of(state, "search", scratch), why);
}

static bool read_viewpoint(struct flm_viewer *v, struct flm_bytes state, struct flm_text *scratch,
                           struct flm_error *why)
{
    struct flm_span span;
    struct flm_node_ref selected, zoomed;
    double rows = 0;
    struct flm_path select = path_of(state, "select", scratch),
                    zoom = path_of(state, "zoom", scratch);
    if (!flm_scene_find(&v->scene, &select, &selected, why) ||
        !flm_scene_find(&v->scene, &zoom, &zoomed, why)) {
        flm_viewer_drop_scene(v);
        return false;
    }
    flm_viewer_arrange(v);
    flm_viewer_select(v, selected);
    flm_viewer_turn_to(v, value_of(state, "half", scratch).size > 0);
    if (!read_span(value_of(state, "other-x", scratch), &span) &&
        !read_span(value_of(state, "beside", scratch), &span)) /* its earlier name */
        span = (struct flm_span){0, 1};
    flm_camera_go_share(&v->model.other_camera, span, v->input.now_ms, flm_viewer_glide_ms(v));
    if (flm_node_ref_valid(zoomed)) {
        flm_viewer_zoom_to(v, zoomed);
    } else if (read_span(value_of(state, "x", scratch), &span)) {
        v->model.zoomed = (struct flm_node_ref){0, FLM_NONE};
        flm_camera_go_share(&v->model.camera, span, v->input.now_ms, flm_viewer_glide_ms(v));
    } else {
        flm_viewer_zoom_to(v, (struct flm_node_ref){v->model.half, 0});
    }
    flm_number_parse(value_of(state, "y", scratch), &rows);
    flm_viewer_scroll_rows(v, rows);
    return true;
}

/* A pattern that cannot be read is none. */
static bool read_focus(struct flm_viewer *v, struct flm_bytes pattern)
{
    struct flm_error why = {0};
    if (pattern.size > 0 && !flm_pattern_check(pattern, &why) && why.kind != FLM_ERROR_MEMORY)
        pattern.size = 0;
    return flm_model_set_text(&v->model.focus, pattern);
}

static bool read_code(struct flm_viewer *v, struct flm_bytes state, struct flm_text *scratch)
{
    struct flm_code_shown *code = &v->model.code;
    struct flm_bytes flags = value_of(state, "code-show", scratch);
    code->flags = 0;
    for (int i = 0; i < FLM_CODE_FLAGS; i++)
        for (size_t k = 0; k < flags.size; k++)
            code->flags |= flags.at[k] == code_flags[i] ? 1u << i : 0;
    flm_changed(&v->model, FLM_ASPECT_CODE);
    return flm_model_set_text(&code->of, value_of(state, "code", scratch)) &&
           flm_model_set_text(&code->at, value_of(state, "line", scratch)) &&
           flm_model_set_text(&code->open, value_of(state, "code-open", scratch));
}

bool flm_state_read(struct flm_viewer *v, struct flm_bytes state, struct flm_error *why)
{
    assert(v && (state.at || state.size == 0));
    struct flm_text scratch = {0};
    bool good =
        read_comparing(v, state, &scratch, why) && read_profile_state(v, state, &scratch, why);
    const struct flm_view *view = flm_view_named(value_of(state, "view", &scratch));
    v->model.view = view ? view : flm_view_default(false);
    read_metric(v, value_of(state, "metric", &scratch));
    int order = flm_choice_named(flm_order_choice, value_of(state, "order", &scratch));
    v->model.order = order < 0 ? FLM_ORDER_NAME : (enum flm_sibling_order)order;
    v->model.flame = value_of(state, "flame", &scratch).size > 0;
    v->model.inverted = value_of(state, "invert", &scratch).size > 0;
    v->model.comparing.side_by_side &= !v->model.inverted; /* scene.h */
    if (!flm_duration_parse(value_of(state, "column", &scratch), &v->model.heat_column_ns) ||
        !(v->model.heat_column_ns < MOST_COLUMN_NS))
        v->model.heat_column_ns = 0;
    v->model.shows_tracks = value_of(state, "tracks", &scratch).size > 0;
    v->model.expands_all = flm_bytes_are(value_of(state, "rows", &scratch), "all");
    v->model.threads_by_cost = flm_bytes_are(value_of(state, "threads", &scratch), "cost");
    v->model.short_apart = flm_bytes_are(value_of(state, "short", &scratch), "apart");
    bool kept = read_focus(v, value_of(state, "of", &scratch)) &&
                flm_model_set_text(&v->model.sort, value_of(state, "sort", &scratch)) &&
                flm_model_set_text(&v->model.collapsed, value_of(state, "collapsed", &scratch)) &&
                flm_model_set_text(&v->model.expanded, value_of(state, "expanded", &scratch)) &&
                read_code(v, state, &scratch) && read_colors(v, state, &scratch) && !scratch.failed;
    if (good && !kept)
        good = flm_error_memory(why);
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    good = good && flm_viewer_update(v, why) && read_viewpoint(v, state, &scratch, why);
    flm_text_clear(&scratch);
    flm_changed(&v->model, FLM_ASPECT_RESTORED);
    return good;
}

/* ---- What the history keeps ------------------------------------------------------------------ */

/* As another step or instead of the current one; false where the state is what it was. */
static bool keep_state(struct flm_viewer *v, bool is_step)
{
    struct flm_text text = {0};
    flm_state_write(v, &text);
    struct flm_bytes state = {text.at, text.size};
    bool changes = !text.failed && !flm_history_is_at(&v->model.history, state);
    if (changes && is_step)
        flm_history_add(&v->model.history, state);
    else if (changes)
        flm_history_amend(&v->model.history, state);
    flm_text_clear(&text);
    if (changes)
        flm_changed(&v->model, FLM_ASPECT_STATE);
    if (changes && is_step)
        flm_changed(&v->model, FLM_ASPECT_STEP);
    return changes;
}

void flm_viewer_history_push(struct flm_viewer *v)
{
    v->input.wheel_ms = FLM_LONG_AGO_MS;
    keep_state(v, true);
}

/* A pause of half a second begins a new step. */
#define SAME_MOVE_MS 500

void flm_viewer_history_coalesce(struct flm_viewer *v)
{
    bool goes_on = v->input.now_ms - v->input.wheel_ms < SAME_MOVE_MS;
    if (keep_state(v, !goes_on))
        v->input.wheel_ms = v->input.now_ms;
}

void flm_viewer_history_replace(struct flm_viewer *v)
{
    keep_state(v, false);
}
