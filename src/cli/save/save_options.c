#include "cli/save/save_options.h"

#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/common/messages.h"
#include "os/file_bytes.h"

static const struct flm_more_option *list(size_t *count)
{
    return (const struct flm_more_option *)(const void *)flm_svg_option_list(count);
}

static bool set(void *fields, const char *name, const char *value, struct flm_error *why)
{
    ((struct flm_svg_options *)fields)->size = sizeof(struct flm_svg_options);
    return flm_svg_option_set(fields, name, value, why);
}

const struct flm_option_group flm_picture_options = {"options of pictures:", list, set};

const char *flm_save_missing(const struct flm_save_fields *fields)
{
    return fields->output || fields->to ? NULL : "say what to write: -o FILE, or -t FORMAT";
}

int flm_save_operands(const char *command, int count, char **words,
                      const struct flm_save_fields *fields)
{
    struct flm_format_info info = {.size = sizeof info};
    const char *last = count > 0 ? words[count - 1] : "";
    if (count == 0)
        return flm_message_usage("%s takes a file to read ('-' is standard input)", command);
    if (count == 2 && !fields->output && flm_format_to_save(NULL, last, &info, NULL))
        return flm_message_usage("%s takes one file: did you mean -o %s?", command, last);
    return flm_message_usage("%s takes one file, not %d (merge takes several; -o names the one to "
                             "write)",
                             command, count);
}

struct flm_format_info flm_save_format(const struct flm_save_fields *fields)
{
    struct flm_format_info info = {.size = sizeof info};
    return flm_format_to_save(fields->to, fields->output, &info, NULL)
               ? info
               : (struct flm_format_info){.size = sizeof info};
}

bool flm_save_shows_samples(const struct flm_save_fields *fields)
{
    if (fields->picture.order == FLM_DRAW_BY_TIME || fields->picture.heatmap)
        return true;
    struct flm_format_info format = flm_save_format(fields);
    return format.has_times || format.keeps_labels;
}

uint64_t flm_save_counted_size(const struct flm_save_fields *fields, bool quiet, size_t inputs)
{
    enum { COUNTED_BYTES = 4 << 20 };
    return quiet || flm_save_format(fields).is_picture || inputs == 0 ? 0 : COUNTED_BYTES / inputs;
}

static bool collect(void *context, const void *bytes, size_t size)
{
    struct flm_text *text = context;
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return !text->failed;
}

/* Colors stay the same from picture to picture: those in the file are used, and those of names that
 * it did not have are added to it. */
static bool use_palette(const struct flm_save_fields *f, const struct flm_profile *profile,
                        struct flm_svg_options *picture, struct flm_text *palette,
                        struct flm_error *why)
{
    if (access(f->palette_file, F_OK) == 0 && !flm_file_read(f->palette_file, palette, why))
        return false;
    picture->palette = (struct flm_name){palette->at, palette->size};
    struct flm_text all = {0};
    bool good = flm_svg_palette_write(profile, picture, collect, &all, why) &&
                flm_file_write(f->palette_file, (struct flm_bytes){all.at, all.size}, why);
    flm_text_clear(&all);
    return good;
}

const char *flm_save_output_name(const struct flm_save_fields *f)
{
    return f->output && strcmp(f->output, "-") != 0 ? f->output : "standard output";
}

static void report_losses(const struct flm_save_fields *f, const struct flm_profile *profile,
                          const struct flm_save_options *save)
{
    char losses[FLM_SAVE_LOSSES_SIZE];
    const char *path = f->output ? f->output : "-";
    size_t size = flm_save_losses(profile, path, save, losses);
    bool is_picture = flm_save_format(f).is_picture; /* it shows what it shows */
    bool summed = !is_picture && f->has_no_samples;
    bool no_lines = !is_picture && f->has_no_lines;
    const char *unread =
        summed && no_lines
            ? "single samples (times, labels), lines and addresses of frames (not counted)"
        : summed   ? "single samples (times, labels: not counted)"
        : no_lines ? "lines and addresses of frames (not counted)"
                   : "";
    if (size > 0 || *unread)
        flm_message("%s: not in it: %s%s%s", flm_save_output_name(f), unread,
                    size > 0 && *unread ? ", " : "", losses);
}

/* `set` gives the options their size. How a comparison is normalized is in its values too. */
static void report_unused(const struct flm_save_fields *f)
{
    if (f->picture.size > 0 && f->picture.normalize == FLM_NORMALIZE_NONE &&
        !flm_save_format(f).is_picture)
        flm_message("%s: options of pictures, as --width and --heatmap, change nothing here: write "
                    "SVG, PDF or PNG",
                    flm_save_output_name(f));
}

int flm_save_with(const struct flm_save_fields *f, struct flm_profile *profile)
{
    struct flm_error why;
    struct flm_svg_options picture = f->picture;
    picture.size = sizeof picture;
    struct flm_text palette = {0};
    struct flm_save_options save = {.size = sizeof save,
                                    .format = f->to,
                                    .metric = f->metric,
                                    .annotate = f->annotate,
                                    .picture = &picture,
                                    .name = f->name,
                                    .base = f->base,
                                    .base_name = f->base_name,
                                    .code = f->code,
                                    .code_size = f->code_size};
    bool good = !f->palette_file || use_palette(f, profile, &picture, &palette, &why);
    good = good && flm_save(profile, f->output ? f->output : "-", &save, &why);
    if (good && !f->quiet) {
        report_losses(f, profile, &save);
        report_unused(f);
    }
    flm_text_clear(&palette);
    flm_profile_free(profile);
    return good ? FLM_EXIT_DONE : flm_message_error(&why);
}
