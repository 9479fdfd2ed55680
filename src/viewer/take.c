#include <assert.h>
#include <stdlib.h>

#include "viewer/internal.h"
#include "viewer/state.h"
#include "viewer/viewer.h"
#include "viewer/views/views.h"

/* By side; NULL: the one that is open stays. */
struct taken {
    struct flm_profile *profile[2];
    char *name[2];
    bool is_alone;   /* what was compared before has gone */
    bool is_whole;   /* no labels or times of it are compared any more */
    bool is_renewed; /* the same name is open again: a running program; or a baseline comes */
};

static char *copy_name(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, name, size);
    return copy;
}

static void free_taken(struct taken *taken)
{
    for (int side = 0; side < 2; side++) {
        flm_profile_free(taken->profile[side]);
        free(taken->name[side]);
    }
}

/* What is opened cannot be compared as it was: without the labels or times that were compared,
 * since it may lack them; and if that is not it, without the baseline that was there. */
static bool open_without(struct flm_model *model, struct taken *taken, struct flm_error *why)
{
    struct flm_profile *before = model->opened[FLM_VIEWER_BEFORE];
    struct flm_comparing *c = &model->comparing;
    size_t sizes[2] = {c->expression[0].size, c->expression[1].size};
    c->expression[0].size = c->expression[1].size = 0;
    taken->is_whole = true;
    if (sizes[0] + sizes[1] > 0 && before && flm_comparing_open(model, why))
        return true;
    taken->is_alone = true;
    if (!taken->profile[FLM_VIEWER_BEFORE])
        model->opened[FLM_VIEWER_BEFORE] = NULL;
    if (flm_comparing_open(model, why))
        return true;
    model->opened[FLM_VIEWER_BEFORE] = before;
    for (int side = 0; side < 2; side++)
        c->expression[side].size = sizes[side];
    return false;
}

/* False, and `why`: everything is as it was. *reason: why nothing is compared any more. */
static bool open_taken(struct flm_model *model, struct taken *taken, struct flm_error *reason,
                       struct flm_error *why)
{
    struct flm_profile *earlier[2] = {model->opened[0], model->opened[1]};
    for (int side = 0; side < 2; side++)
        if (taken->profile[side])
            model->opened[side] = taken->profile[side];
    bool good = flm_comparing_open(model, reason);
    if (!good && taken->profile[FLM_VIEWER_AFTER] && reason->kind != FLM_ERROR_MEMORY)
        good = open_without(model, taken, why);
    else if (!good && why)
        *why = *reason;
    for (int side = 0; side < 2; side++) {
        if (!good)
            model->opened[side] = earlier[side];
        else if (earlier[side] != model->opened[side])
            flm_profile_free(earlier[side]);
        if (!good || (!taken->profile[side] && model->opened[side]))
            continue;
        free(model->name[side]);
        model->name[side] = taken->name[side];
        model->known_as[side] = 0;
    }
    return good;
}

/* Two at once are compared, whatever was shown; a baseline alone changes only the view that would
 * hide it. Of a key that is there twice the last value is in force. */
static void change_state(const struct flm_viewer *v, const struct taken *taken,
                         struct flm_text *state)
{
    const struct flm_view *alone = flm_view_default(false), *compared = flm_view_default(true);
    const struct flm_view *view = NULL;
    bool are_two = taken->profile[FLM_VIEWER_BEFORE] && taken->profile[FLM_VIEWER_AFTER];
    if (are_two || (taken->profile[FLM_VIEWER_BEFORE] && v->model.view == alone))
        view = compared;
    else if (taken->is_alone && !taken->profile[FLM_VIEWER_BEFORE] && v->model.view == compared)
        view = alone;
    if (view)
        flm_text_format(state, "%sview=%s", state->size ? "&" : "", view->name);
    if (taken->is_whole)
        flm_text_puts(state, state->size ? "&after=&before=" : "after=&before=");
}

static bool stays_open(const struct flm_model *model, const struct taken *taken)
{
    const char *before = model->name[FLM_VIEWER_AFTER], *now = taken->name[FLM_VIEWER_AFTER];
    return model->opened[FLM_VIEWER_AFTER] && (!now || (before && strcmp(before, now) == 0));
}

static bool take(struct flm_viewer *v, struct taken *taken, struct flm_error *why)
{
    struct flm_text state = {0};
    struct flm_error reason = {0};
    flm_state_write(v, &state);
    bool good = !state.failed;
    for (int side = 0; side < 2; side++)
        good = good && (taken->name[side] || !taken->profile[side]);
    taken->is_renewed = good && stays_open(&v->model, taken);
    flm_viewer_leave(v);
    if (!good)
        flm_error_memory(why);
    if (!good || !open_taken(&v->model, taken, &reason, why)) {
        flm_text_clear(&state);
        free_taken(taken);
        return false;
    }
    flm_code_rows_clear(&v->scene.code);
    change_state(v, taken, &state);
    good = !state.failed || flm_error_memory(why);
    good = good && flm_kept_notes_open(&v->model.notes, v->model.opened[FLM_VIEWER_AFTER],
                                       v->model.opened[FLM_VIEWER_BEFORE], taken->is_renewed, why);
    flm_changed(&v->model, FLM_ASPECT_NOTES);
    good = good && flm_state_read(v, (struct flm_bytes){state.at, state.size}, why);
    flm_text_clear(&state);
    flm_viewer_history_push(v);
    if (good && taken->is_alone && !taken->profile[FLM_VIEWER_BEFORE]) {
        flm_error_within(&reason, "nothing is compared any more");
        flm_viewer_notify_error(v, &reason);
    }
    return good;
}

bool flm_viewer_take(struct flm_viewer *v, enum flm_viewer_side side, struct flm_profile *profile,
                     const char *name, struct flm_error *why)
{
    assert(v && profile && name && (side == FLM_VIEWER_AFTER || side == FLM_VIEWER_BEFORE));
    struct taken taken = {0};
    taken.profile[side] = profile;
    taken.name[side] = copy_name(name);
    return take(v, &taken, why);
}

bool flm_viewer_take_both(struct flm_viewer *v, struct flm_profile *const profiles[2],
                          const char *const names[2], struct flm_error *why)
{
    assert(v && profiles[0] && profiles[1] && names[0] && names[1]);
    struct taken taken = {
        {profiles[0], profiles[1]}, {copy_name(names[0]), copy_name(names[1])}, 0};
    return take(v, &taken, why);
}
