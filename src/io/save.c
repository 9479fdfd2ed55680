/* save.c - flm_save: a profile to a file, which appears only when it is whole. */
#include "flamel/file.h"

#include <string.h>

#include "format/format.h"
#include "format/folded.h"
#include "io/output.h"
#include "profile/columns.h"

static bool find_metric(const struct flm_profile *p, const char *name, struct flm_metric *metric,
                        struct flm_error *why)
{
    *metric = (struct flm_metric){0};
    if (!name)
        return true;
    *metric = flm_profile_metric_named(p, name);
    if (metric->index != FLM_NONE)
        return true;
    struct flm_text names = {0};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        flm_text_puts(&names, m ? ", " : "");
        flm_text_add(&names, flm_string_bytes(p, p->metrics[m].name));
    }
    flm_error_set(why, FLM_ERROR_USAGE, "there is no metric '%s'; there is %.*s", name,
                  (int)names.size, names.at ? names.at : "");
    flm_text_clear(&names);
    return false;
}

static bool was_annotated(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.note_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->notes[i].key), FLM_NOTE_ANNOTATED))
            return true;
    return false;
}

static bool write_svg(const struct flm_profile *p, const struct flm_svg_options *given,
                      struct flm_metric metric, struct flm_text *out, struct flm_error *why)
{
    struct flm_svg_options options = given ? *given : (struct flm_svg_options){0};
    options.metric = metric;
    struct flm_metric before = flm_profile_metric_named(p, "before");
    struct flm_metric after = flm_profile_metric_named(p, "after");
    /* Two columns of these names are a comparison: what 'merge --side-by-side' and two-column folded
     * files make. */
    if (before.index != FLM_NONE && after.index == metric.index) {
        options.difference = true;
        options.before = before;
    }
    return flm_svg_write(p, &options, out->sink, out->sink_context, why);
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
    const struct flm_format *format = svg                          ? NULL
                                      : options && options->format ? flm_format_named(options->format)
                                                                   : flm_format_for_file(path);
    if (!svg && (!format || !format->write))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "'%s' is no format that can be written ('flamel formats' lists those)",
                             options && options->format ? options->format : path);
    struct flm_write_options write = {.annotate = (options && options->annotate) ||
                                                  was_annotated(profile)};
    if (!find_metric(profile, options ? options->metric : NULL, &write.metric, why))
        return false;
    if (svg && profile->sizes.metric_count > 0 && !(options && options->metric)) {
        struct flm_metric after = flm_profile_metric_named(profile, "after");
        if (after.index != FLM_NONE)
            write.metric = after; /* a comparison is as wide as what is */
    }
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    bool good = svg ? write_svg(profile, options ? options->picture : NULL, write.metric,
                                &output.text, why)
                    : format->write(profile, &write, &output.text, why);
    return flm_output_close(&output, good, why) && good;
}
