#include "viewer/views/views.h"

#include <assert.h>

/* In the order of menus. */
static const struct flm_view *const views[] = {
    &flm_view_flame, &flm_view_chart, &flm_view_heatmap,    &flm_view_sandwich,
    &flm_view_tree,  &flm_view_top,   &flm_view_comparison, &flm_view_code,
};

const struct flm_view *flm_view_at(size_t i)
{
    return i < sizeof views / sizeof views[0] ? views[i] : NULL;
}

struct flm_choice flm_view_choice(size_t i)
{
    const struct flm_view *view = flm_view_at(i);
    return view ? (struct flm_choice){view->name, view->title, view->key} : (struct flm_choice){0};
}

const struct flm_view *flm_view_named(struct flm_bytes name)
{
    int i = flm_choice_named(flm_view_choice, name);
    return i < 0 ? NULL : views[i];
}

const struct flm_view *flm_view_default(bool compares)
{
    return compares ? &flm_view_comparison : &flm_view_flame;
}

bool flm_view_is_available(const struct flm_view *view, const struct flm_model *model,
                           const struct flm_scene *scene)
{
    assert(view && model && scene);
    return !view->is_available || view->is_available(model, scene);
}
