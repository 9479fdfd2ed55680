#include "viewer/model/model.h"

#include <stdlib.h>

void flm_model_init(struct flm_model *model)
{
    *model = (struct flm_model){
        .metric = FLM_NONE, .selected = flm_node_ref_none(), .zoomed = flm_node_ref_none()};
}

void flm_model_clear(struct flm_model *model)
{
    struct flm_text *texts[] = {&model->color_with,  &model->focus,     &model->sort,
                                &model->source_link, &model->collapsed, &model->expanded,
                                &model->code.of,     &model->code.at,   &model->code.open};
    flm_searches_clear(&model->searches);
    flm_operations_clear(&model->operations);
    flm_comparing_clear(&model->comparing);
    flm_history_clear(&model->history);
    flm_kept_notes_clear(&model->notes);
    for (int side = 0; side < 2; side++) {
        flm_profile_free(model->opened[side]);
        free(model->name[side]);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        flm_text_clear(texts[i]);
    flm_model_init(model);
}

bool flm_model_set_text(struct flm_text *text, struct flm_bytes value)
{
    struct flm_text made = {0};
    flm_text_add(&made, value);
    if (made.failed) {
        flm_text_clear(&made);
        return false;
    }
    flm_text_clear(text);
    *text = made;
    return true;
}
