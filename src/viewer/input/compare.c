/* compare.c - which two profiles are compared, and how that is shown. */
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/views/views.h"

static bool compares(const struct flm_viewer *v)
{
    return flm_model_compares(&v->model);
}

static const struct flm_condition comparing = {
    compares,
    "nothing is compared: open a second profile, or say which part of this one is before"};

/* Another way to show the same two. */
static bool chosen(struct flm_viewer *v)
{
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_changed(&v->model, FLM_ASPECT_COMPARING);
    flm_viewer_history_push(v);
    return true;
}

/* ---- How they are compared ------------------------------------------------------------------- */

static bool act_width(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    if (!flm_comparison_width_named(word, &v->model.comparing.widths))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of max, after, before, sum",
                             (int)word.size, word.at);
    return chosen(v);
}

static bool act_delta(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    bool self = flm_bytes_are(word, "self");
    if (!self && !flm_bytes_are(word, "subtree"))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of subtree, self",
                             (int)word.size, word.at);
    v->model.comparing.scope = self ? FLM_CHANGE_OF_SELF : FLM_CHANGE_OF_SUBTREE;
    return chosen(v);
}

static bool act_relative(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.comparing.absolute = !v->model.comparing.absolute;
    return chosen(v);
}

/* Refuses what cannot be made equal, with the reason. */
static bool normalize(struct flm_viewer *v, enum flm_normalize by, struct flm_error *why)
{
    struct flm_comparing *c = &v->model.comparing;
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_normal normal = {.by = by,
                                .before_ns = c->duration_ns[FLM_VIEWER_BEFORE],
                                .after_ns = c->duration_ns[FLM_VIEWER_AFTER],
                                .function = {c->function.at, c->function.size}};
    double scale;
    if (!flm_comparison_scale(p, &v->scene.compared->pair, &normal, &scale, why))
        return false;
    c->normalize = by;
    return chosen(v);
}

/* Without a word: by the totals, or no more. */
static bool act_normalize(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    enum flm_normalize by = v->model.comparing.normalize == FLM_NORMALIZE_NONE ? FLM_NORMALIZE_TOTAL
                                                                               : FLM_NORMALIZE_NONE;
    if (word.size > 0 && !flm_normalize_named(word, &by))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of none, total, duration",
                             (int)word.size, word.at);
    return normalize(v, by, why);
}

static bool act_normalize_by(struct flm_viewer *v, struct flm_bytes pattern, struct flm_error *why)
{
    struct flm_text *function = &v->model.comparing.function, earlier = *function;
    *function = (struct flm_text){0};
    flm_text_add(function, pattern);
    bool good =
        (!function->failed || flm_error_memory(why)) && normalize(v, FLM_NORMALIZE_FUNCTION, why);
    if (!good) {
        struct flm_text tried = *function;
        *function = earlier;
        earlier = tried;
    }
    flm_text_clear(&earlier);
    return good;
}

static bool act_parts(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    unsigned *kinds = &v->model.comparing.kinds;
    for (int kind = 0; kind < FLM_CHANGE_KINDS; kind++)
        if (flm_bytes_are(word, flm_change_kind_name((enum flm_change_kind)kind))) {
            *kinds ^= 1u << kind;
            return chosen(v);
        }
    if (!flm_bytes_are(word, "all"))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "'%.*s' is none of appeared, grown, disappeared, shrunk, same, all",
                             (int)word.size, word.at);
    *kinds = 0;
    return chosen(v);
}

static bool act_noise(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.comparing.shows_noise = !v->model.comparing.shows_noise;
    return chosen(v);
}

static bool act_colors(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    if (!flm_change_palette_named(word, &v->model.comparing.palette))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of red-blue, green-red",
                             (int)word.size, word.at);
    return chosen(v);
}

/* ---- How that is shown ----------------------------------------------------------------------- */

/* Alternates between before and after, with the same zoom. */
static bool act_blink(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    struct flm_comparing *c = &v->model.comparing;
    c->side_by_side = false;
    c->widths = c->widths == FLM_WIDTHS_AFTER ? FLM_WIDTHS_BEFORE : FLM_WIDTHS_AFTER;
    v->model.view = flm_view_default(true);
    return chosen(v);
}

static bool act_side_by_side(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.comparing.side_by_side = !v->model.comparing.side_by_side;
    if (v->model.inverted && v->model.comparing.side_by_side)
        v->model.inverted = !flm_viewer_notify(v, "side by side, stacks are not inverted");
    v->model.view = flm_view_default(true);
    return chosen(v);
}

/* ---- Which two ------------------------------------------------------------------------------- */

/* After the files or the expressions have changed. What cannot be compared leaves all as it was:
 * `undo` turns the change back. */
static bool reopen(struct flm_viewer *v, void (*undo)(struct flm_viewer *v), struct flm_error *why)
{
    flm_viewer_leave(v);
    bool good = flm_comparing_open(&v->model, why);
    if (!good)
        undo(v);
    bool now = flm_model_compares(&v->model);
    if (good && v->model.view == flm_view_default(!now))
        v->model.view = flm_view_default(now);
    flm_viewer_update(v, NULL); /* the caller updates again, and reports errors */
    if (good)
        flm_viewer_history_push(v);
    return good;
}

/* Swaps both files, if there are two, else both expressions. */
static void swap_sides(struct flm_viewer *v)
{
    if (v->model.opened[FLM_VIEWER_BEFORE]) {
        struct flm_profile *profile = v->model.opened[0];
        char *name = v->model.name[0];
        v->model.opened[0] = v->model.opened[1];
        v->model.opened[1] = profile;
        v->model.name[0] = v->model.name[1];
        v->model.name[1] = name;
        unsigned char known = v->model.known_as[0];
        v->model.known_as[0] = v->model.known_as[1];
        v->model.known_as[1] = known;
        flm_code_rows_clear(&v->scene.code);
    }
    struct flm_text text = v->model.comparing.expression[0];
    v->model.comparing.expression[0] = v->model.comparing.expression[1];
    v->model.comparing.expression[1] = text;
}

/* Of one file the new "before" needs an expression: all of it is "depth" without end. */
static bool can_swap(const struct flm_viewer *v)
{
    return compares(v) && (v->model.opened[FLM_VIEWER_BEFORE] ||
                           v->model.comparing.expression[FLM_VIEWER_AFTER].size > 0);
}

static const struct flm_condition swappable = {
    can_swap, "of one profile, both sides need an expression to be swapped"};

static bool act_swap(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    swap_sides(v);
    return reopen(v, swap_sides, why);
}

static void keep_both(struct flm_viewer *v)
{
    (void)v;
}

static bool set_side(struct flm_viewer *v, enum flm_viewer_side side, struct flm_bytes expression,
                     struct flm_error *why)
{
    struct flm_text *text = &v->model.comparing.expression[side], earlier = *text;
    *text = (struct flm_text){0};
    flm_text_add(text, expression);
    bool good = (!text->failed || flm_error_memory(why)) && reopen(v, keep_both, why);
    if (!good) {
        struct flm_text tried = *text;
        *text = earlier;
        earlier = tried;
        flm_changed(&v->model, FLM_ASPECT_SCENE);
    }
    flm_text_clear(&earlier);
    return good;
}

static bool act_before(struct flm_viewer *v, struct flm_bytes expression, struct flm_error *why)
{
    return set_side(v, FLM_VIEWER_BEFORE, expression, why);
}

static bool act_after(struct flm_viewer *v, struct flm_bytes expression, struct flm_error *why)
{
    return set_side(v, FLM_VIEWER_AFTER, expression, why);
}

/* The chips become a side, and go: choose one part of the profile, make it "before", choose another
 * one. */
static bool act_shown(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    bool before = flm_bytes_are(word, "before");
    if (!before && !flm_bytes_are(word, "after"))
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of before, after",
                             (int)word.size, word.at);
    struct flm_text text = {0}, earlier = {0};
    flm_operations_write(&v->model.operations, &earlier);
    for (size_t i = 0; i < v->model.operations.count; i++)
        if (v->model.operations.at[i].on)
            flm_text_format(&text, "%s%s", text.size ? " | " : "", v->model.operations.at[i].text);
    bool good = (!text.failed && !earlier.failed) || flm_error_memory(why);
    if (good && text.size == 0)
        good = flm_error_set(why, FLM_ERROR_USAGE,
                             "all of the profile is shown: choose a part of it first");
    flm_viewer_leave(v);
    good = good && flm_operations_set(&v->model.operations, (struct flm_bytes){"", 0}, why);
    if (good && !set_side(v, before ? FLM_VIEWER_BEFORE : FLM_VIEWER_AFTER,
                          (struct flm_bytes){text.at, text.size}, why)) {
        good = false;
        flm_operations_set(&v->model.operations, (struct flm_bytes){earlier.at, earlier.size},
                           NULL);
    }
    flm_text_clear(&text);
    flm_text_clear(&earlier);
    return good;
}

static bool has_chips(const struct flm_viewer *v)
{
    return v->model.operations.count > 0;
}

static const struct flm_condition with_chips = {
    has_chips, "all of the profile is shown: choose a part of it first"};

static bool act_stop(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    flm_viewer_leave(v);
    for (int side = 0; side < 2; side++)
        v->model.comparing.expression[side].size = 0;
    struct flm_profile *before = v->model.opened[FLM_VIEWER_BEFORE];
    v->model.opened[FLM_VIEWER_BEFORE] = NULL;
    if (!reopen(v, keep_both, why)) {
        v->model.opened[FLM_VIEWER_BEFORE] = before;
        return false;
    }
    flm_profile_free(before);
    v->model.known_as[FLM_VIEWER_BEFORE] = 0;
    return true;
}

static const struct flm_action_argument a_width = {"max|after|before|sum", FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_scope = {"subtree|self", FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_normalization = {"none|total|duration", FLM_GIVEN_WORD,
                                                           NULL};
static const struct flm_action_argument a_part = {"appeared|grown|disappeared|shrunk|same|all",
                                                  FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_palette = {"red-blue|green-red", FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_side = {"before|after", FLM_GIVEN_POINTED, NULL};

static const struct flm_action actions[] = {
    {"width", "As wide as", &a_width, NULL, act_width, &comparing},
    {"delta", "Color by the change of", &a_scope, NULL, act_delta, &comparing},
    {"relative", "Changes relative to the frame, or to the total", NULL, NULL, act_relative,
     &comparing},
    {"normalize", "Normalize", &a_normalization, NULL, act_normalize, &comparing},
    {"normalize-by", "Normalize by a function", &flm_a_pattern, NULL, act_normalize_by, &comparing},
    {"parts", "Only stacks that are", &a_part, NULL, act_parts, &comparing},
    {"noise", "Color changes within the noise", NULL, NULL, act_noise, &comparing},
    {"change-colors", "Colors of changes", &a_palette, NULL, act_colors, &comparing},
    {"blink", "Alternate between before and after", NULL, "v", act_blink, &comparing},
    {"side-by-side", "Before and after side by side", NULL, "V", act_side_by_side, &comparing},
    {"swap", "Swap before and after", NULL, "X", act_swap, &swappable},
    {"compare-before", "Compare: before is", &flm_an_expression, NULL, act_before, NULL,
     "diff difference baseline"},
    {"compare-after", "Compare: after is", &flm_an_expression, NULL, act_after, &comparing},
    {"compare-shown", "Compare: what is shown becomes", &a_side, NULL, act_shown, &with_chips},
    {"compare-stop", "Stop comparing", NULL, NULL, act_stop, &comparing},
};
const struct flm_action_group flm_compare_actions = {"Compare", actions,
                                                     sizeof actions / sizeof actions[0]};
