/* save.c - flm_save: a profile to a file, which appears only when it is whole. */
#include "flamel/file.h"

#include <string.h>

#include "format/format.h"
#include "format/folded.h"
#include "io/output.h"
#include "profile/columns.h"

static bool was_annotated(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_ANNOTATED))
            return true;
    return false;
}

/* A comparison of two columns is as wide as what is, unless something else was asked for; the
 * painter knows it by its names. */
static bool write_svg(const struct flm_profile *p, const struct flm_save_options *options,
                      struct flm_metric metric, struct flm_text *out, struct flm_error *why)
{
    struct flm_svg_options svg = {0};
    if (options && options->picture)
        svg = *options->picture;
    svg.metric = metric;
    if (!(options && options->metric) && flm_profile_metric_named(p, "before").index != FLM_NONE) {
        struct flm_metric after = flm_profile_metric_named(p, "after");
        svg.metric = after.index == FLM_NONE ? metric : after;
    }
    return flm_svg_write(p, &svg, out->sink, out->sink_context, why);
}

static bool is_svg(const char *path, const struct flm_save_options *options)
{
    return options && options->format ? strcmp(options->format, "svg") == 0
                                      : flm_bytes_end_with(flm_bytes_of(path), ".svg");
}

bool flm_save(const struct flm_profile *profile, const char *path,
              const struct flm_save_options *options, struct flm_error *why)
{
    bool svg = is_svg(path, options);
    const struct flm_format *format = svg ? NULL
                                      : options && options->format
                                          ? flm_format_named(options->format)
                                          : flm_format_for_file(path);
    if (!svg && (!format || !format->write))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "'%s' is no format that can be written ('flamel formats' lists those)",
                             options && options->format ? options->format : path);
    struct flm_write_options write = {.annotate =
                                          (options && options->annotate) || was_annotated(profile)};
    const char *name = options ? options->metric : NULL;
    if ((name || profile->sizes.metric_count > 0) &&
        !flm_metric_find(profile, name, &write.metric, why))
        return false;
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    bool good = svg ? write_svg(profile, options, write.metric, &output.text, why)
                    : format->write(profile, &write, &output.text, why);
    return flm_output_close(&output, good, why) && good;
}
