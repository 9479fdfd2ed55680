/* export.c - actions for help, copying, export and the theme. */
#include "viewer/input/actions.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"

typedef bool (*copier)(struct flm_viewer *v, struct flm_text *out);

bool flm_viewer_take_copied(struct flm_viewer *v, struct flm_text *text, struct flm_error *why)
{
    if (text->failed) {
        flm_text_clear(text);
        return flm_error_memory(why);
    }
    flm_text_clear(&v->query.copied);
    v->query.copied = *text;
    flm_changed(&v->model, FLM_ASPECT_COPIED);
    return true;
}

static bool copy(struct flm_viewer *v, copier write, struct flm_error *why)
{
    struct flm_text text = {0};
    text.failed |= !write(v, &text);
    return flm_viewer_take_copied(v, &text, why);
}

static bool act_copy_name(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return copy(v, flm_copy_name, why);
}

static bool act_copy_stack(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return copy(v, flm_copy_stack, why);
}

static bool act_copy_folded(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return copy(v, flm_copy_folded, why);
}

bool flm_viewer_prompt(struct flm_viewer *v, const char *what)
{
    if (!flm_model_set_text(&v->query.prompt, flm_bytes_of(what)))
        return false;
    flm_changed(&v->model, FLM_ASPECT_PROMPT);
    return true;
}

static bool act_copy_link(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "copy-link") || flm_error_memory(why);
}

static bool act_open_source(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "source") || flm_error_memory(why);
}

static bool has_file(const struct flm_viewer *v)
{
    return flm_viewer_has_frame(v) &&
           flm_model_shown(&v->model)->frames[flm_scene_frame(&v->scene, v->model.selected)].file !=
               0;
}

static const struct flm_condition in_file = {
    has_file, "no function is selected of which the profile says in which file it is"};

static bool act_sanitize(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "sanitize") || flm_error_memory(why);
}

static bool act_help(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "help") || flm_error_memory(why);
}

static bool act_palette(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return flm_viewer_prompt(v, "palette") || flm_error_memory(why);
}

/* Whoever shows the viewer does it: "export svg", "theme dark". */
static bool prompt_with(struct flm_viewer *v, const char *what, struct flm_bytes argument,
                        struct flm_error *why)
{
    struct flm_text text = {0};
    flm_text_format(&text, "%s ", what);
    flm_text_add(&text, argument);
    bool good = !text.failed &&
                flm_model_set_text(&v->query.prompt, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    if (good)
        flm_changed(&v->model, FLM_ASPECT_PROMPT);
    return good || flm_error_memory(why);
}

static bool act_export(struct flm_viewer *v, struct flm_bytes format, struct flm_error *why)
{
    return prompt_with(v, "export", format, why);
}

/* The page and the terminal know what the system's is, and remember which was chosen. */
static struct flm_choice theme_choice(size_t i)
{
    static const struct flm_choice themes[] = {
        {"light", "light", NULL}, {"dark", "dark", NULL}, {"system", "system", NULL}};
    return i < sizeof themes / sizeof themes[0] ? themes[i] : (struct flm_choice){0};
}

static bool act_theme(struct flm_viewer *v, struct flm_bytes name, struct flm_error *why)
{
    char names[64];
    struct flm_text list;
    flm_text_init_fixed(&list, names, sizeof names);
    flm_choices_add_names(theme_choice, ", ", &list);
    if (flm_choice_named(theme_choice, name) < 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no theme '%.*s': %.*s", (int)name.size,
                             name.at, (int)list.size, list.at);
    return prompt_with(v, "theme", name, why);
}

static bool act_overlay(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.shows_overlay = !v->model.shows_overlay;
    flm_changed(&v->model, FLM_ASPECT_OVERLAY);
    return true;
}

static bool act_data_quality(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return flm_viewer_prompt(v, "data-quality");
}

static bool act_panel(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.hides_panel = !v->model.hides_panel;
    flm_changed(&v->model, FLM_ASPECT_PANEL);
    return true;
}

static const struct flm_action_argument a_format = {"svg|png|pdf|html|flm|folded|stack",
                                                    FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_theme = {"THEME", FLM_GIVEN_CHOICE, theme_choice};

static const struct flm_action actions[] = {
    {"help", "Keys", NULL, "?", act_help, NULL, "help shortcuts manual glossary"},
    {"palette", "All actions", NULL, ": C-k C-P", act_palette, NULL, "commands"},
    {"copy-name", "Copy the name", NULL, "C-c y", act_copy_name, &flm_on_frame, "clipboard"},
    {"copy-stack", "Copy the stack", NULL, "Y", act_copy_stack, &flm_on_frame,
     "clipboard trace path"},
    {"copy-folded", "Copy the stack as a folded line", NULL, NULL, act_copy_folded, &flm_on_frame,
     "clipboard collapsed"},
    {"copy-link", "Copy a link to this view", NULL, "L", act_copy_link, NULL,
     "share url permalink clipboard"},
    {"open-source", "Open the source", NULL, "E", act_open_source, &in_file,
     "code file line editor"},
    {"export", "Save as", &a_format, NULL, act_export, NULL,
     "export download share picture image screenshot file"},
    {"sanitize", "Save without what need not be told", NULL, NULL, act_sanitize, NULL,
     "sanitize anonymize share redact private export names paths"},
    {"panel", "Panel on or off", NULL, "b", act_panel, NULL, "details sidebar hide"},
    {"theme", "Theme", &a_theme, NULL, act_theme, NULL, "colors mode night black white appearance"},
    {"data-quality", "Data quality: drawn, merged, lost", NULL, "H", act_data_quality, NULL,
     "info about notes unsymbolized"},
    {"overlay", "Statistics of the viewer", NULL, "`", act_overlay, NULL, "debug performance"},
};
const struct flm_action_group flm_general_actions = {"General", actions,
                                                     sizeof actions / sizeof actions[0]};
