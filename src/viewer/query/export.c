/* export.c - "export": files. Profiles are written by any format of the table that
 * can write; pictures and the selected stack are the viewer's own. */
#include "algebra/notes/noted.h"
#include "base/number/number.h"
#include "format/folded/folded.h"
#include "format/formats.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"
#include "viewer/paint/picture.h"
#include "viewer/query/internal.h"

static bool write_svg(struct flm_viewer *v, uint64_t width_px, struct flm_text *out,
                      struct flm_error *why)
{
    return flm_picture_write(v, FLM_PICTURE_SVG, (double)width_px, out, why);
}

static bool write_pdf(struct flm_viewer *v, uint64_t width_px, struct flm_text *out,
                      struct flm_error *why)
{
    return flm_picture_write(v, FLM_PICTURE_PDF, (double)width_px, out, why);
}

static bool write_stack(struct flm_viewer *v, uint64_t none, struct flm_text *out,
                        struct flm_error *why)
{
    (void)none;
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    if (frame == FLM_NONE || frame == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "no frame is selected");
    return flm_copy_stack(v, out) || flm_error_memory(why);
}

static bool write_code(struct flm_viewer *v, uint64_t none, struct flm_text *out,
                       struct flm_error *why)
{
    (void)none;
    return flm_query_code_text(v, false, out, why);
}

/* With the notes as they are now, if `replaces` those that it has. */
static bool write_noted(struct flm_viewer *v, const struct flm_profile *p,
                        const struct flm_format *format, bool replaces, struct flm_text *out,
                        struct flm_error *why)
{
    const struct flm_write_options options = {
        .metric = {flm_comparing_metric(&v->model, v->model.metric)},
        .annotate = flm_folded_is_annotated(p)};
    struct flm_profile *noted = replaces ? flm_notes_replace(p, v->model.notes.profile, why) : NULL;
    if (replaces && !noted)
        return false;
    bool good = format->write(noted ? noted : p, &options, out, why) &&
                (!out->failed || flm_error_memory(why));
    flm_profile_free(noted);
    return good;
}

/* A side of a comparison as a .flm file: the page that is saved has both. */
static bool write_side(struct flm_viewer *v, bool before, struct flm_text *out,
                       struct flm_error *why)
{
    struct flm_profile *side = flm_operations_side(&v->model.operations, before, why);
    bool good = side && write_noted(v, side, &flm_format_flm, !before && v->model.notes.is_changed,
                                    out, why);
    flm_profile_free(side);
    return good;
}

static bool write_after(struct flm_viewer *v, uint64_t none, struct flm_text *out,
                        struct flm_error *why)
{
    (void)none;
    return write_side(v, false, out, why);
}

static bool write_before(struct flm_viewer *v, uint64_t none, struct flm_text *out,
                         struct flm_error *why)
{
    (void)none;
    return write_side(v, true, out, why);
}

static const struct {
    const char *name;
    bool is_picture; /* a width in pixels may follow */
    bool (*write)(struct flm_viewer *v, uint64_t width_px, struct flm_text *out,
                  struct flm_error *why);
} own[] = {{"svg", true, write_svg},      {"pdf", true, write_pdf},
           {"stack", false, write_stack}, {"code", false, write_code},
           {"after", false, write_after}, {"before", false, write_before}};

/* The format of that name. Of a comparison both sides are wanted, which a format of one metric does
 * not hold: the one that holds a pair then. */
static const struct flm_format *find_format(const struct flm_model *model, struct flm_bytes name)
{
    const struct flm_format *format, *pair = NULL, *named = NULL;
    for (size_t i = 0; (format = flm_formats_at(&flm_formats_pure, i)); i++) {
        if (format->write && format->metrics == FLM_METRICS_PAIR)
            pair = format;
        if (format->write && flm_bytes_are(name, format->name))
            named = format;
    }
    bool loses_a_side =
        named && named->metrics == FLM_METRICS_ONE && flm_model_compares(model) && pair;
    return loses_a_side ? pair : named;
}

/* The shown profile: after the operations, of a comparison with the values of both sides. */
static bool write_profile(struct flm_viewer *v, const struct flm_format *format,
                          struct flm_text *out, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!p)
        return flm_error_set(why, FLM_ERROR_USAGE, "no profile is open");
    return write_noted(v, p, format, v->model.notes.is_changed, out, why);
}

static bool refuse(struct flm_bytes kind, struct flm_error *why)
{
    char buffer[300];
    struct flm_text kinds;
    const struct flm_format *format;
    flm_text_init_fixed(&kinds, buffer, sizeof buffer - 1);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        flm_text_format(&kinds, "%s%s", i ? ", " : "", own[i].name);
    for (size_t i = 0; (format = flm_formats_at(&flm_formats_pure, i)); i++)
        if (format->write)
            flm_text_format(&kinds, ", %s", format->name);
    flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' cannot be exported: it is none of ", (int)kind.size,
                  kind.at);
    buffer[kinds.size] = 0;
    return flm_error_add(why, buffer);
}

/* The width behind the name of a picture, "svg 1040". False for text that is none. */
static bool parse_width(struct flm_bytes text, uint64_t *width_px)
{
    *width_px = 0;
    return text.size == 0 ||
           (text.at[0] == ' ' && flm_number_parse_uint(flm_bytes_from(text, 1), width_px) &&
            *width_px > 0);
}

bool flm_query_export(struct flm_viewer *v, struct flm_bytes kind, struct flm_text *out,
                      struct flm_error *why)
{
    uint64_t width_px = 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (flm_bytes_are(kind, own[i].name) ||
            (own[i].is_picture && flm_bytes_start_with(kind, own[i].name) &&
             parse_width(flm_bytes_from(kind, strlen(own[i].name)), &width_px)))
            return own[i].write(v, width_px, out, why);
    const struct flm_format *format = find_format(&v->model, kind);
    return format ? write_profile(v, format, out, why) : refuse(kind, why);
}
