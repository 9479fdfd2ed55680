/* notes.c - actions for notes: write, change and remove them, keep a view, and show the function,
 * stack or time of a note. */
#include <string.h>

#include "algebra/notes/noted.h"
#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"
#include "viewer/state.h"

static struct flm_name name_of(struct flm_bytes text)
{
    return (struct flm_name){text.at, text.size};
}

static struct flm_name name_of_text(const struct flm_text *text)
{
    return (struct flm_name){text->at, text->size};
}

static bool changed(struct flm_viewer *v)
{
    flm_changed(&v->model, FLM_ASPECT_NOTES);
    return true;
}

/* An action without a text asks the user to type one. */
static bool ask(struct flm_viewer *v, const char *action, struct flm_error *why)
{
    return flm_viewer_prompt(v, action) || flm_error_memory(why);
}

static bool add(struct flm_viewer *v, const struct flm_written_note *note, struct flm_error *why)
{
    return flm_kept_notes_add(&v->model.notes, note, why) && changed(v);
}

static bool act_function(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (text.size == 0)
        return ask(v, "note", why);
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    struct flm_written_note note = {
        .about = FLM_NOTE_ABOUT_FUNCTION,
        .text = name_of(text),
        .function = name_of(flm_frame_function(p, frame)),
        .module = name_of(flm_string_bytes(p, p->frames[frame].module)),
    };
    return add(v, &note, why);
}

static bool act_stack(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    if (text.size == 0)
        return ask(v, "note-stack", why);
    struct flm_text path = {0};
    bool good = flm_copy_path(v, &path) && !path.failed;
    struct flm_written_note note = {
        .about = FLM_NOTE_ABOUT_STACK, .text = name_of(text), .stack = name_of_text(&path)};
    good = good ? add(v, &note, why) : flm_error_memory(why);
    flm_text_clear(&path);
    return good;
}

/* On the clock of the samples. */
static int64_t moment_of(const struct flm_viewer *v, double ns)
{
    return flm_note_first_ns(v->model.operations.opened) + (int64_t)ns;
}

static bool act_time(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    struct flm_span ns;
    if (text.size == 0)
        return ask(v, "note-time", why);
    flm_timeline_selected(&v->model, &v->scene, &ns);
    struct flm_written_note note = {.about = FLM_NOTE_ABOUT_TIME,
                                    .text = name_of(text),
                                    .from_ns = moment_of(v, ns.left),
                                    .to_ns = moment_of(v, ns.right)};
    return add(v, &note, why);
}

static bool act_profile(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    if (text.size == 0)
        return ask(v, "note-profile", why);
    struct flm_written_note note = {.about = FLM_NOTE_ABOUT_PROFILE, .text = name_of(text)};
    return add(v, &note, why);
}

static bool act_view(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    if (text.size == 0)
        return ask(v, "note-view", why);
    struct flm_text state = {0};
    flm_state_write(v, &state);
    struct flm_written_note note = {
        .about = FLM_NOTE_ABOUT_VIEW, .text = name_of(text), .state = name_of_text(&state)};
    bool good = state.failed ? flm_error_memory(why) : add(v, &note, why);
    flm_text_clear(&state);
    return good;
}

/* ---- Notes that there are -------------------------------------------------------------------- */

/* "3f2a91c0 its new text" */
static bool take_id(struct flm_bytes *argument, char *id, struct flm_error *why)
{
    size_t size = 0;
    while (size < argument->size && argument->at[size] != ' ')
        size++;
    if (size != FLM_NOTE_ID_SIZE - 1)
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is not the id of a note", (int)size,
                             argument->at);
    memcpy(id, argument->at, size);
    id[size] = 0;
    *argument = flm_bytes_from(*argument, size + (size < argument->size));
    return true;
}

static bool act_edit(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    char id[FLM_NOTE_ID_SIZE];
    return take_id(&text, id, why) &&
           flm_kept_notes_edit(&v->model.notes, id, name_of(text), why) && changed(v);
}

static bool act_remove(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    char id[FLM_NOTE_ID_SIZE];
    return take_id(&text, id, why) && flm_kept_notes_remove(&v->model.notes, id, why) && changed(v);
}

static bool do_numbered(struct flm_viewer *v, const char *action, double number,
                        struct flm_error *why)
{
    char text[64];
    struct flm_text out;
    flm_text_init_fixed(&out, text, sizeof text);
    flm_text_format(&out, "%s ", action);
    char digits[FLM_NUMBER_SIZE];
    flm_text_add(&out, (struct flm_bytes){digits, flm_number_print(number, digits)});
    return flm_viewer_do(v, (struct flm_bytes){out.at, out.size}, why);
}

static bool show_function(struct flm_viewer *v, const struct flm_written_note *note,
                          struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (flm_note_is_on_function(p, i, note))
            return do_numbered(v, "select-frame", i, why);
    return flm_viewer_notify(v, "the function is not in what is shown");
}

/* Only the flame graph has stacks as they are. */
static bool show_stack(struct flm_viewer *v, const struct flm_written_note *note,
                       struct flm_error *why)
{
    uint32_t node = flm_note_find_stack(flm_model_shown(&v->model), note->stack, 0);
    if (node == FLM_NONE)
        return flm_viewer_notify(v, "the stack is not in what is shown");
    if (v->scene.pane_count != 1 || v->scene.panes[0].kind != FLM_PANE_STACKS) {
        v->model.inverted = false;
        if (!flm_viewer_do(v, flm_bytes_of("view flame"), why))
            return false;
    }
    struct flm_node_ref ref = {0, flm_pane_number(&v->scene.panes[0], (struct flm_node){node})};
    return do_numbered(v, "select", flm_node_ref_number(ref), why);
}

static bool show_time(struct flm_viewer *v, const struct flm_written_note *note,
                      struct flm_error *why)
{
    double first = (double)flm_note_first_ns(v->model.operations.opened);
    if (flm_note_first_ns(v->model.operations.opened) == FLM_NO_TIME)
        return flm_error_set(why, FLM_ERROR_USAGE, "the samples of this profile have no times");
    struct flm_span ns = {(double)note->from_ns - first, (double)note->to_ns - first};
    return flm_viewer_select_time(v, ns, why);
}

static bool show_view(struct flm_viewer *v, const struct flm_written_note *note,
                      struct flm_error *why)
{
    struct flm_text state = {0}; /* of its own: what is restored may replace the notes */
    flm_text_add(&state, (struct flm_bytes){note->state.at, note->state.size});
    bool good = (!state.failed || flm_error_memory(why)) &&
                flm_state_read(v, (struct flm_bytes){state.at ? state.at : "", state.size}, why);
    flm_text_clear(&state);
    if (good)
        flm_viewer_history_push(v);
    return good;
}

static bool act_show(struct flm_viewer *v, struct flm_bytes id, struct flm_error *why)
{
    const struct flm_written_note *note = flm_kept_notes_named(&v->model.notes, id, why);
    if (!note)
        return false;
    switch (note->about) {
    case FLM_NOTE_ABOUT_FUNCTION:
        return show_function(v, note, why);
    case FLM_NOTE_ABOUT_STACK:
        return show_stack(v, note, why);
    case FLM_NOTE_ABOUT_TIME:
        return show_time(v, note, why);
    case FLM_NOTE_ABOUT_VIEW:
        return show_view(v, note, why);
    default:
        return true;
    }
}

static bool act_notes(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return ask(v, "notes", why);
}

static bool has_range(const struct flm_viewer *v)
{
    struct flm_span ns;
    return flm_timeline_selected(&v->model, &v->scene, &ns);
}

static const struct flm_condition of_range = {has_range, "no time range is selected"};
static const struct flm_action_argument a_text = {"TEXT", FLM_GIVEN_TYPED, NULL};
static const struct flm_action_argument a_note = {"ID", FLM_GIVEN_NOTE, NULL},
                                        an_id = {"ID", FLM_GIVEN_POINTED, NULL};
static const struct flm_action_argument an_id_and_text = {"ID TEXT", FLM_GIVEN_POINTED, NULL};

static const struct flm_action actions[] = {
    {"notes", "Notes", NULL, ",", act_notes, NULL, "list comments annotations views"},
    {"note", "Note on the function", &a_text, "W", act_function, &flm_on_frame,
     "write comment annotate"},
    {"note-stack", "Note on the stack", &a_text, NULL, act_stack, &flm_on_frame,
     "write comment annotate"},
    {"note-time", "Note on the time range", &a_text, NULL, act_time, &of_range,
     "write comment annotate"},
    {"note-profile", "Note on the profile", &a_text, NULL, act_profile, NULL,
     "write comment annotate"},
    {"note-view", "Keep this view, under a title", &a_text, NULL, act_view, NULL,
     "bookmark save name note"},
    {"note-show", "Go to the note", &a_note, NULL, act_show, NULL, "open view show bookmark"},
    {"note-edit", "Change a note", &an_id_and_text, NULL, act_edit, NULL, NULL},
    {"note-remove", "Remove a note", &an_id, NULL, act_remove, NULL, NULL},
};
const struct flm_action_group flm_note_actions = {"Notes", actions,
                                                  sizeof actions / sizeof actions[0]};
