/* export.c - "export": what is seen as a file. */
#include "format/folded/folded.h"
#include "format/formats.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"
#include "viewer/paint/picture.h"
#include "viewer/query/internal.h"

static bool write_picture(struct flm_viewer *v, const char *name, struct flm_text *out,
                          struct flm_error *why)
{
    bool is_pdf = name[0] == 'p';
    return flm_picture_write(v, is_pdf ? FLM_PICTURE_PDF : FLM_PICTURE_SVG, out, why);
}

/* The shown profile: after the operations, of a comparison with the values of both sides. */
static bool write_profile(struct flm_viewer *v, const char *name, struct flm_text *out,
                          struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!p)
        return flm_error_set(why, FLM_ERROR_USAGE, "no profile is open");
    const struct flm_format *format = name[1] == 'l'                  ? &flm_format_flm
                                      : flm_model_compares(&v->model) ? &flm_format_difffolded
                                                                      : &flm_format_folded;
    const struct flm_write_options options = {
        .metric = {flm_comparing_metric(&v->model, v->model.metric)},
        .annotate = flm_folded_is_annotated(p)};
    return format->write(p, &options, out, why) && (!out->failed || flm_error_memory(why));
}

static bool write_stack(struct flm_viewer *v, const char *name, struct flm_text *out,
                        struct flm_error *why)
{
    (void)name;
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    if (frame == FLM_NONE || frame == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "no frame is selected");
    return flm_copy_stack(v, out) || flm_error_memory(why);
}

bool flm_query_export(struct flm_viewer *v, struct flm_bytes kind, struct flm_text *out,
                      struct flm_error *why)
{
    static const struct {
        const char *name;
        bool (*write)(struct flm_viewer *v, const char *name, struct flm_text *out,
                      struct flm_error *why);
    } kinds[] = {{"svg", write_picture},
                 {"pdf", write_picture},
                 {"flm", write_profile},
                 {"folded", write_profile},
                 {"stack", write_stack}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (flm_bytes_are(kind, kinds[i].name))
            return kinds[i].write(v, kinds[i].name, out, why);
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "'%.*s' cannot be exported: svg, pdf, flm, folded or stack",
                         (int)kind.size, kind.at);
}
