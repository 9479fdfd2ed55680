#include "load/all_formats.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/versioned.h"
#include "flamel/file.h"
#include "format/html/html.h"
#include "load/page.h"
#include "load/png.h"

static const struct flm_format *const formats[] = {FLM_FORMATS_SYSTEM(FLM_FORMAT_ADDRESS)};

const struct flm_formats flm_formats_all = {&flm_formats_pure, formats,
                                            sizeof formats / sizeof formats[0]};

/* ---- Pages ----------------------------------------------------------------------------------- */

static struct flm_profile *load_html(const struct flm_load_request *request, struct flm_error *why)
{
    struct flm_source *source = request->source;
    if (!flm_source_all(source, why))
        return NULL;
    return flm_page_open((struct flm_bytes){source->at, (size_t)(source->end - source->at)}, why);
}

static bool write_html(const struct flm_profile *profile, const struct flm_write_options *options,
                       struct flm_text *out, struct flm_error *why)
{
    struct flm_page_content page = {
        .name = {options->name}, .profile = {profile}, .code = options->code};
    if (options->baseline) {
        page.profile[FLM_PAGE_BEFORE] = options->baseline;
        page.name[FLM_PAGE_BEFORE] = options->baseline_name ? options->baseline_name : "before";
    }
    return flm_page_write(&page, out, why);
}

const struct flm_format flm_format_html = {
    .name = "html",
    .title = "Page",
    .extensions = ".html .htm",
    .description = "the viewer with the profile in it, as one page",
    .display = FLM_FORMAT_PAGE,
    .holds = FLM_HOLDS_ALL | FLM_HOLDS_LOCATIONS | FLM_HOLDS_NOTES,
    .has_times = true,
    .keeps_labels = true,
    .needs_system = true,
    .takes_baseline = true,
    .sniff = flm_html_sniff,
    .load = load_html,
    .write = write_html,
    .can_write = flm_page_is_built,
};

/* ---- Pictures -------------------------------------------------------------------------------- */

typedef bool draw(const struct flm_profile *profile, const struct flm_svg_options *options,
                  flm_profile_sink sink, void *context, struct flm_error *why);

static bool write_picture(draw *picture_of, const struct flm_profile *profile,
                          const struct flm_write_options *options, struct flm_text *out,
                          struct flm_error *why)
{
    struct flm_svg_options picture;
    if (!flm_versioned_copy(&picture, sizeof picture, options->picture, "flm_svg_options", why))
        return false;
    picture.metric = options->metric;
    return picture_of(profile, &picture, flm_text_sink, out, why) || out->failed;
}

static bool write_svg(const struct flm_profile *profile, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    return write_picture(flm_svg_write, profile, options, out, why);
}

static bool write_png(const struct flm_profile *profile, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    return write_picture(flm_png_write, profile, options, out, why);
}

static bool write_pdf(const struct flm_profile *profile, const struct flm_write_options *options,
                      struct flm_text *out, struct flm_error *why)
{
    return write_picture(flm_pdf_write, profile, options, out, why);
}

#define DRAWN "everything but the shown metric, or pair of metrics, summed over all samples"

const struct flm_format flm_format_svg = {
    .name = "svg",
    .title = "SVG picture",
    .extensions = ".svg",
    .description = "a flame graph for the browser",
    .also_loses = DRAWN,
    .metrics = FLM_METRICS_PAIR,
    .display = FLM_FORMAT_VECTORS,
    .write = write_svg,
};

const struct flm_format flm_format_png = {
    .name = "png",
    .title = "PNG picture",
    .extensions = ".png",
    .description = "a flame graph as pixels",
    .also_loses = DRAWN,
    .metrics = FLM_METRICS_PAIR,
    .display = FLM_FORMAT_PIXELS,
    .needs_system = true,
    .write = write_png,
    .can_write = flm_png_is_built,
};

const struct flm_format flm_format_pdf = {
    .name = "pdf",
    .title = "PDF picture",
    .extensions = ".pdf",
    .description = "a flame graph to print, as vectors",
    .also_loses = DRAWN,
    .metrics = FLM_METRICS_PAIR,
    .display = FLM_FORMAT_VECTORS,
    .write = write_pdf,
};

/* ---- The table for other programs ------------------------------------------------------------ */

static bool describe(const struct flm_format *format, struct flm_format_info *info,
                     struct flm_error *why)
{
    struct flm_format_info all = {
        .size = info->size,
        .name = format->name,
        .title = format->title,
        .extensions = format->extensions,
        .description = format->description,
        .reads = flm_format_can_be_read(format),
        .writes = flm_format_can_be_written(format, NULL),
        .is_picture = flm_format_is_picture(format),
        .has_times = format->has_times,
        .keeps_labels = format->keeps_labels,
        .metrics = format->metrics,
        .needs_symbols = format->needs_symbols,
        .takes_baseline = format->takes_baseline,
        .keeps_lines = flm_format_keeps_lines(format),
    };
    struct flm_format_info checked;
    struct flm_text loses;
    flm_text_init_fixed(&loses, all.loses, sizeof all.loses - 1);
    flm_format_add_loses(format, &loses);
    if (!flm_versioned_copy(&checked, sizeof checked, info, "flm_format_info", why))
        return false;
    memcpy(info, &all, info->size);
    return true;
}

bool flm_format_at(size_t index, struct flm_format_info *info)
{
    assert(info);
    const struct flm_format *format = flm_formats_at(&flm_formats_all, index);
    return format && describe(format, info, NULL);
}

bool flm_format_to_save(const char *name, const char *path, struct flm_format_info *info,
                        struct flm_error *why)
{
    assert(info && (name || path));
    const struct flm_format *format = flm_format_find_writer(name, path, why);
    return format && describe(format, info, why);
}

/* With what can be written. */
static void refuse(const char *name, const char *path, struct flm_error *why)
{
    char advice[600];
    struct flm_text text;
    struct stat file;
    flm_text_init_fixed(&text, advice, sizeof advice - 1);
    if (!name && stat(path, &file) == 0 && S_ISDIR(file.st_mode)) {
        flm_error_set(why, FLM_ERROR_USAGE,
                      "%s: this is a folder: name a file in it, such as %s%sprofile.svg", path,
                      path, flm_bytes_end_with(flm_bytes_of(path), "/") ? "" : "/");
    } else if (name) {
        flm_formats_suggest(&flm_formats_all, name, true, &text);
        flm_error_set(why, FLM_ERROR_USAGE, "'%s' is not a format that can be written", name);
        advice[text.size] = 0;
        flm_error_add(why, advice); /* as an argument it would be shortened */
    } else {
        const struct flm_format *format;
        flm_error_set(why, FLM_ERROR_USAGE,
                      "%s: its extension is not a format that can be written:", path);
        for (size_t i = 0; (format = flm_formats_at(&flm_formats_all, i)) != NULL; i++)
            if (flm_format_can_be_written(format, NULL) && *format->extensions) {
                flm_error_add(why, " ");
                flm_error_add(why, format->extensions);
            }
        flm_error_add(why, " (or name the format: -t)");
    }
}

const struct flm_format *flm_format_find_writer(const char *name, const char *path,
                                                struct flm_error *why)
{
    const struct flm_format *format = name ? flm_format_named(&flm_formats_all, name)
                                           : flm_format_for_file(&flm_formats_all, path);
    if (!format || !format->write) {
        refuse(name, path, why);
        return NULL;
    }
    return flm_format_can_be_written(format, why) ? format : NULL;
}
