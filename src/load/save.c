/* save.c - flm_save: a profile to a file, which appears only when it is whole. */
#include "flamel/file.h"

#include <string.h>

#include "algebra/compare/comparable.h"
#include "format/core/format.h"
#include "format/folded/folded.h"
#include "load/page.h"
#include "load/pictures.h"
#include "os/output.h"
#include "os/zstd.h"
#include "profile/columns.h"

static bool write_picture(const struct flm_profile *p, const struct flm_save_options *options,
                          const struct flm_picture_format *format, struct flm_metric metric,
                          struct flm_text *out, struct flm_error *why)
{
    struct flm_svg_options picture = {0};
    if (options && options->picture)
        picture = *options->picture;
    picture.metric = metric;
    return format->write(p, &picture, out->sink, out->sink_context, why);
}

static bool write_html(const struct flm_profile *p, const char *path,
                       const struct flm_save_options *options, struct flm_text *out,
                       struct flm_error *why)
{
    struct flm_page page = {.name = {path}, .profile = {p}};
    if (options && options->name)
        page.name[FLM_PAGE_AFTER] = options->name;
    if (options && options->base) {
        page.profile[FLM_PAGE_BEFORE] = options->base;
        page.name[FLM_PAGE_BEFORE] = options->base_name ? options->base_name : "before";
    }
    return flm_page_write(&page, out, why);
}

static bool write_format(const struct flm_profile *p, const struct flm_format *format,
                         const struct flm_write_options *write, bool compress, struct flm_text *out,
                         struct flm_error *why)
{
    if (!compress || format != &flm_format_flm)
        return format->write(p, write, out, why);
    struct flm_zstd zstd;
    if (!flm_zstd_open(&zstd, out, why))
        return false;
    bool good = format->write(p, write, &zstd.text, why);
    return flm_zstd_close(&zstd, why) && good;
}

/* The metric of that name. What compares two columns is told "after", and finds the other by its
 * name; "cpu" is before:cpu and after:cpu there. */
static bool find_metric(const struct flm_profile *p, const char *name, bool compares,
                        struct flm_metric *metric, struct flm_error *why)
{
    struct flm_metric_pair pair;
    bool is_own = name && flm_profile_metric_named(p, name).index != FLM_NONE;
    if (!compares || is_own || !flm_metric_pair_find(p, name, &pair, NULL))
        return flm_metric_find(p, name, metric, why);
    *metric = pair.after;
    return true;
}

bool flm_save(const struct flm_profile *profile, const char *path,
              const struct flm_save_options *options, struct flm_error *why)
{
    const char *asked = options ? options->format : NULL;
    const struct flm_picture_format *picture =
        asked ? flm_picture_format_named(asked) : flm_picture_format_for_file(path);
    const struct flm_format *format = picture ? NULL
                                      : asked ? flm_format_named(asked)
                                              : flm_format_for_file(path);
    if (!picture && (!format || !flm_format_can_be_written(format)))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "'%s' is no format that can be written ('flamel formats' lists those)",
                             asked ? asked : path);
    struct flm_write_options write = {.annotate = (options && options->annotate) ||
                                                  flm_folded_is_annotated(profile)};
    const char *name = options ? options->metric : NULL;
    bool compares = picture || format->write == flm_folded_write_difference;
    if ((name || profile->sizes.metric_count > 0) &&
        !find_metric(profile, name, compares, &write.metric, why))
        return false;
    if (format == &flm_format_html && !flm_page_is_built(why))
        return false;
    struct flm_output output;
    if (!flm_output_open(&output, path, why))
        return false;
    bool good = picture ? write_picture(profile, options, picture, write.metric, &output.text, why)
                : format == &flm_format_html
                    ? write_html(profile, path, options, &output.text, why)
                    : write_format(profile, format, &write, options && options->compress,
                                   &output.text, why);
    return flm_output_close(&output, good, why) && good;
}
