#include "viewer/input/clipboard.h"

#include <stdlib.h>

#include "base/number/number.h"
#include "viewer/internal.h"

bool flm_copy_name(struct flm_viewer *v, struct flm_text *out)
{
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    flm_text_add(out, flm_frame_function(flm_model_shown(&v->model), frame));
    return true;
}

/* The frames from the selected one to the root; where the tree has callers below, they are the
 * stack already. */
static uint32_t *stack_of(struct flm_viewer *v, uint32_t *count)
{
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    struct flm_node node = flm_pane_node(pane, v->model.selected.number);
    uint32_t level = flm_layout_level(pane->layout, node);
    uint32_t *frames = malloc((level + 1) * sizeof *frames);
    *count = 0;
    for (; frames && node.index != 0 && node.index != FLM_NONE;
         node = flm_layout_parent(pane->layout, node))
        frames[(*count)++] = pane->tree.frame[node.index];
    return frames;
}

static void add_name(struct flm_viewer *v, struct flm_text *out, uint32_t frame)
{
    flm_text_add(out, flm_frame_function(flm_model_shown(&v->model), frame));
}

bool flm_copy_stack(struct flm_viewer *v, struct flm_text *out)
{
    uint32_t count;
    uint32_t *frames = stack_of(v, &count);
    bool below = v->scene.panes[v->model.selected.pane].has_callers_below;
    for (uint32_t i = 0; frames && i < count; i++) {
        add_name(v, out, frames[below ? count - 1 - i : i]);
        flm_text_putc(out, '\n');
    }
    free(frames);
    return frames != NULL;
}

bool flm_copy_path(struct flm_viewer *v, struct flm_text *out)
{
    uint32_t count;
    uint32_t *frames = stack_of(v, &count);
    bool below = v->scene.panes[v->model.selected.pane].has_callers_below;
    for (uint32_t i = 0; frames && i < count; i++) {
        flm_text_puts(out, i ? ";" : "");
        add_name(v, out, frames[below ? i : count - 1 - i]);
    }
    free(frames);
    return frames != NULL;
}

bool flm_copy_folded(struct flm_viewer *v, struct flm_text *out)
{
    char number[FLM_NUMBER_SIZE];
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    struct flm_node node = flm_pane_node(pane, v->model.selected.number);
    double total = flm_layout_total(pane->layout, node);
    const double *self =
        pane->kind == FLM_PANE_STACKS ? flm_self_column(pane->profile, pane->metric.index) : NULL;
    if (self && pane->tree.width == self) {
        total = 0; /* negative values are as wide as others, but not the same */
        for (uint32_t i = node.index; i < pane->tree.end[node.index]; i++)
            total += self[i];
    }
    bool good = flm_copy_path(v, out);
    flm_text_putc(out, ' ');
    flm_text_add(out, (struct flm_bytes){number, flm_number_print(total, number)});
    return good;
}
