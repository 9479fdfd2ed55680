#include "viewer/input/actions.h"

#include <assert.h>
#include <string.h>

#include "viewer/internal.h"

/* As help and palette have them. */
static const struct flm_action_group *const groups[] = {
    &flm_display_actions,   &flm_moving_actions, &flm_frame_actions, &flm_search_actions,
    &flm_transform_actions, &flm_table_actions,  &flm_time_actions,  &flm_heatmap_actions,
    &flm_compare_actions,   &flm_code_actions,   &flm_note_actions,  &flm_general_actions,
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

const struct flm_action_group *const *flm_action_groups(size_t *count)
{
    *count = GROUPS;
    return groups;
}

const struct flm_action *flm_action_named(struct flm_bytes name)
{
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            if (flm_bytes_are(name, groups[g]->at[i].name))
                return &groups[g]->at[i];
    return NULL;
}

/* ---- Arguments and keys ---------------------------------------------------------------------- */

const struct flm_action_argument flm_a_node = {"NODE", FLM_GIVEN_POINTED, NULL};
const struct flm_action_argument flm_a_frame = {"FRAME", FLM_GIVEN_POINTED, NULL};
const struct flm_action_argument flm_a_number = {"N", FLM_GIVEN_POINTED, NULL};
const struct flm_action_argument flm_a_pattern = {"PATTERN", FLM_GIVEN_TYPED, NULL};
const struct flm_action_argument flm_an_expression = {"EXPRESSION", FLM_GIVEN_TYPED, NULL};

flm_choices flm_action_choices(const struct flm_action *action)
{
    return action->argument ? action->argument->choices : NULL;
}

void flm_action_add_argument(const struct flm_action *action, struct flm_text *out)
{
    flm_choices choices = flm_action_choices(action);
    if (choices)
        flm_choices_add_names(choices, "|", out);
    else if (action->argument)
        flm_text_puts(out, action->argument->name);
}

void flm_action_add_keys(const struct flm_action *action, struct flm_text *out)
{
    flm_choices choices = flm_action_choices(action);
    struct flm_choice choice;
    size_t start = out->size;
    flm_text_puts(out, action->keys ? action->keys : "");
    for (size_t i = 0; choices && (choice = choices(i)).name; i++)
        if (choice.key)
            flm_text_format(out, "%s%s=%s", out->size > start ? " " : "", choice.key, choice.name);
}

/* One binding: "C-z", "F", "3=sandwich". The shift key is part of letters and signs, so it counts
 * for keys with names only. */
static bool is_bound(struct flm_bytes binding, struct flm_bytes key, unsigned held,
                     struct flm_bytes *argument)
{
    unsigned wanted = 0;
    while (binding.size > 2 && binding.at[1] == '-' && flm_is_one_of(binding.at[0], "CAS")) {
        wanted |= binding.at[0] == 'C'   ? FLM_HELD_CONTROL
                  : binding.at[0] == 'A' ? FLM_HELD_ALT
                                         : FLM_HELD_SHIFT;
        binding = (struct flm_bytes){binding.at + 2, binding.size - 2};
    }
    if (held & FLM_HELD_COMMAND)
        held = (held & ~(unsigned)FLM_HELD_COMMAND) | FLM_HELD_CONTROL;
    if (key.size <= 1 && !(wanted & FLM_HELD_SHIFT))
        held &= ~(unsigned)FLM_HELD_SHIFT;
    size_t size = 1; /* '=' itself is a key */
    while (size < binding.size && binding.at[size] != '=')
        size++;
    *argument = (struct flm_bytes){"", 0};
    if (size + 1 < binding.size)
        *argument = (struct flm_bytes){binding.at + size + 1, binding.size - size - 1};
    else
        size = binding.size;
    return held == wanted && flm_bytes_equal((struct flm_bytes){binding.at, size}, key);
}

static bool has_binding(const char *keys, struct flm_bytes key, unsigned held,
                        struct flm_bytes *argument)
{
    while (keys && *keys) {
        size_t size = 0;
        while (keys[size] && keys[size] != ' ')
            size++;
        if (is_bound((struct flm_bytes){keys, size}, key, held, argument))
            return true;
        keys += size;
        keys += *keys == ' ';
    }
    return false;
}

/* The choice that a key stands for. */
static bool has_choice(const struct flm_action *action, struct flm_bytes key, unsigned held,
                       struct flm_bytes *argument)
{
    flm_choices choices = flm_action_choices(action);
    struct flm_choice choice;
    struct flm_bytes none;
    for (size_t i = 0; choices && (choice = choices(i)).name; i++)
        if (has_binding(choice.key, key, held, &none)) {
            *argument = flm_bytes_of(choice.name);
            return true;
        }
    return false;
}

/* Actions with a condition take precedence: 'd' drops the selected function, as in the Firefox
 * Profiler, and moves to the right if none is selected, as in speedscope. */
const struct flm_action *flm_action_for_key(const struct flm_viewer *v, struct flm_bytes key,
                                            unsigned held, struct flm_bytes *argument)
{
    const struct flm_action *always = NULL, *senseless = NULL;
    struct flm_bytes found;
    *argument = (struct flm_bytes){"", 0};
    for (size_t g = 0; g <= GROUPS; g++) {
        /* Where code is shown its keys are the first. */
        const struct flm_action_group *group = g == 0 ? &flm_code_actions : groups[g - 1];
        for (size_t i = 0; i < group->count; i++) {
            const struct flm_action *action = &group->at[i];
            if ((always && !action->only) || (!has_binding(action->keys, key, held, &found) &&
                                              !has_choice(action, key, held, &found)))
                continue;
            if (!flm_action_makes_sense(action, v)) {
                if (!senseless || senseless->only->is_of_view)
                    senseless = action;
                continue;
            }
            *argument = found;
            if (action->only)
                return action;
            always = action;
        }
    }
    return always ? always : senseless;
}

bool flm_action_makes_sense(const struct flm_action *action, const struct flm_viewer *v)
{
    return !action->only || action->only->holds(v);
}

bool flm_viewer_has_frame(const struct flm_viewer *v)
{
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    return frame != FLM_NONE && frame != 0 && v->model.selected_merged.count == 0;
}

const struct flm_condition flm_on_frame = {flm_viewer_has_frame, "no function is selected"};

static bool run(struct flm_viewer *v, const struct flm_action *action, struct flm_bytes argument,
                struct flm_error *why)
{
    if (!action->argument && argument.size > 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "'%s' takes no argument", action->name);
    if (!flm_model_shown(&v->model))
        return flm_error_set(why, FLM_ERROR_USAGE, "no profile is open");
    if (!flm_action_makes_sense(action, v))
        return flm_error_set(why, FLM_ERROR_USAGE, "%s", action->only->otherwise);
    /* The tooltip is of what was under the pointer before; it is back when the pointer moves. */
    if (v->input.hover_x >= 0)
        flm_viewer_hover(v, -1, -1);
    if (!flm_viewer_update(v, why) || !action->run(v, argument, why) || !flm_viewer_update(v, why))
        return false;
    flm_viewer_history_replace(v);
    return true;
}

bool flm_viewer_do(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    assert(v && (text.at || text.size == 0));
    size_t size = 0;
    while (size < text.size && text.at[size] != ' ')
        size++;
    struct flm_bytes name = {text.at, size};
    const struct flm_action *action = flm_action_named(name);
    size += size < text.size;
    if (!action)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no action '%.*s'", (int)name.size,
                             name.at);
    return run(v, action, (struct flm_bytes){text.at + size, text.size - size}, why);
}

bool flm_viewer_key(struct flm_viewer *v, struct flm_bytes key, unsigned held, double now_ms)
{
    assert(v && key.at);
    struct flm_bytes argument;
    struct flm_error why = {0};
    v->input.now_ms = now_ms;
    const struct flm_action *action = flm_action_for_key(v, key, held, &argument);
    if (action && !run(v, action, argument, &why))
        flm_viewer_notify_error(v, &why);
    return action != NULL;
}
