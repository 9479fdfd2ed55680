/* options.c - the options of an SVG: by name, checked, and with every default filled in. */
#include <math.h>

#include <stdlib.h>

#include "algebra/compare/comparable.h"
#include "algebra/expression/argument.h"
#include "base/number/number.h"
#include "base/text/versioned.h"
#include "draw/svg/internal.h"
#include "profile/columns.h"

static const char *const color_names[FLM_COLORS_COUNT] = {
    "module", "hot", "mem",   "io",   "wakeup", "chain",  "java",   "js",
    "perl",   "red", "green", "blue", "aqua",   "yellow", "purple", "orange"};

static const struct flm_svg_option list[] = {
    {"title", "TEXT", "the picture's title"},
    {"subtitle", "TEXT", "a second title next to it"},
    {"width", "PIXELS", "of the still picture (1200); a browser shows it as wide as its window"},
    {"height", "PIXELS", "of a frame, from one level to the next (19)"},
    {"minwidth", "PIXELS|PERCENT%",
     "narrower frames are merged with their neighbors; without it the file has all frames, "
     "or the widest 50,000"},
    {"fonttype", "FONT", "the font's name (system-ui)"},
    {"fontsize", "PIXELS", "the size of labels (12)"},
    {"fontwidth", "NUMBER", "the width of a letter in font sizes, for still pictures"},
    {"countname", "TEXT", "the name of values (the metric's unit)"},
    {"nametype", "TEXT", "precedes a frame's name when it is pointed at"},
    {"factor", "NUMBER", "values are multiplied by it"},
    {"colors", "PALETTE",
     "module (default), hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, "
     "yellow, purple, orange"},
    {"bgcolors", "COLOR", "yellow, blue, green, gray, or #rrggbb; then there is no dark mode"},
    {"hash", NULL, "shades by how names begin and end (not with --colors module)"},
    {"random", NULL, "shades without order (not with --colors module)"},
    {"order", "ORDER", "of siblings: name (default), total (widest first), time (first seen)"},
    {"reverse", NULL, "bottom-up, leaf first: callers above callees"},
    {"inverted", NULL, "an icicle graph: the root at the top"},
    {"diff-width", "SIDE",
     "of a comparison: max (default: the larger of both, for each stack), after, before, sum"},
    {"diff-color", "MODE",
     "what colors show: subtree (default) or self; relative (default: to the frame) or absolute "
     "(to the total); \"self,absolute\""},
    {"diff-palette", "NAME", "red-blue (default: for every color vision) or green-red"},
    {"diff-only", "KINDS",
     "only stacks that appeared, have grown, disappeared, shrunk or are the same; with commas"},
    {"diff-noise", NULL, "color also changes within the noise of sampling"},
    {"normalize", "BY",
     "multiply before, so that both are equal in total, duration, or function:PATTERN; none "
     "(default)"},
    {"negate", NULL, "a comparison with its colors swapped"},
    {"heatmap", NULL,
     "a heatmap: columns are seconds, rows are offsets in them; needs samples with times"},
    {"heatmap-column", "DURATION",
     "of a heatmap: the length of a column (1s, or what fits): 100ms, 10s"},
    {"search", "REGEX", "a search that the picture opens with"},
    {"notes", "TEXT", "a comment in the file"},
    {"dark", NULL, "PNG and PDF: the dark theme (an SVG follows its reader's)"},
    {"scale", "NUMBER", "PNG: pixels for each pixel of the other options (1); 2 for fine screens"},
    {"static", NULL, "a still picture without a script"},
    {"encoding", "NAME", "utf-8 is the only one"},
};

const struct flm_svg_option *flm_svg_option_list(size_t *count)
{
    *count = sizeof list / sizeof list[0];
    return list;
}

/* Which of `count` names it is; -1: none. */
static int choice(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    return -1;
}

static bool positive(const char *value, double *number)
{
    struct flm_bytes text = flm_bytes_of(value);
    enum flm_number_kind kind = flm_number_parse(text, number);
    return (kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL) && *number > 0 &&
           *number <= 1e15;
}

static bool refuse(struct flm_error *why, const char *name, const char *value, const char *wanted)
{
    return flm_error_set(why, FLM_ERROR_USAGE, "%s cannot be '%s': %s", name, value, wanted);
}

static bool set_number(double *number, const char *name, const char *value, struct flm_error *why)
{
    if (!positive(value, number))
        return refuse(why, name, value, "a number above 0 is needed");
    return true;
}

static bool set_min_width(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    struct flm_bytes text = flm_bytes_of(value);
    bool percent = flm_bytes_end_with(text, "%");
    text.size -= percent;
    double number;
    enum flm_number_kind kind = flm_number_parse(text, &number);
    if ((kind != FLM_NUMBER_INTEGER && kind != FLM_NUMBER_DECIMAL) || !(number >= 0) ||
        number > 1e6)
        return refuse(why, "minwidth", value, "pixels (0.5), or a part of the total (0.1%)");
    /* 0 is the default of the struct; as an explicit value it stands for all frames. */
    o->min_width = number > 0 ? number : 1e-300;
    o->min_width_percent = percent;
    return true;
}

static bool set_colors(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    int colors = choice(value, color_names, FLM_COLORS_COUNT);
    if (colors < 0)
        return refuse(why, "colors", value,
                      "module, hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, "
                      "aqua, yellow, purple or orange");
    o->colors = (enum flm_colors)colors;
    return true;
}

static bool set_order(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    static const char *const names[] = {"name", "total", "time"};
    int order = choice(value, names, 3);
    if (order < 0)
        return refuse(why, "order", value, "name, total or time");
    o->order = (enum flm_draw_order)order;
    return true;
}

static bool set_widths(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    static const char *const names[] = {[FLM_WIDTHS_MAX] = "max",
                                        [FLM_WIDTHS_AFTER] = "after",
                                        [FLM_WIDTHS_BEFORE] = "before",
                                        [FLM_WIDTHS_SUM] = "sum"};
    int widths = choice(value, names, 4);
    if (widths < 0)
        return refuse(why, "diff-width", value, "max, after, before or sum");
    o->widths = (enum flm_comparison_widths)widths;
    return true;
}

static bool set_change_colors(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    struct flm_bytes words = flm_bytes_of(value);
    while (words.size > 0) {
        struct flm_bytes word = flm_svg_next_word(&words);
        if (flm_bytes_are(word, "self") || flm_bytes_are(word, "subtree"))
            o->change_of_self = flm_bytes_are(word, "self");
        else if (flm_bytes_are(word, "absolute") || flm_bytes_are(word, "relative"))
            o->change_absolute = flm_bytes_are(word, "absolute");
        else
            return refuse(why, "diff-color", value,
                          "subtree or self, relative or absolute, with a comma between them");
    }
    return true;
}

static bool set_normalize(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    static const char *const names[] = {[FLM_NORMALIZE_NONE] = "none",
                                        [FLM_NORMALIZE_TOTAL] = "total",
                                        [FLM_NORMALIZE_DURATION] = "duration"};
    static const char function[] = "function:";
    int by = choice(value, names, 3);
    if (by >= 0) {
        o->normalize = (enum flm_normalize)by;
        return true;
    }
    if (!flm_bytes_start_with(flm_bytes_of(value), function) || !value[sizeof function - 1])
        return refuse(why, "normalize", value, "none, total, duration or function:PATTERN");
    o->normalize = FLM_NORMALIZE_FUNCTION;
    o->normalize_function = value + sizeof function - 1;
    return true;
}

static bool set_column(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    return (flm_duration_parse(flm_bytes_of(value), &o->heatmap_column_ns) &&
            o->heatmap_column_ns >= 1000 && o->heatmap_column_ns < 1e18) ||
           refuse(why, "heatmap-column", value, "a time from 1us on is needed: 100ms, 1s");
}

static bool set_changes(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    unsigned kinds;
    o->changes = value;
    return flm_svg_changes_parse(value, &kinds, why) || flm_error_within(why, "diff-only");
}

static bool set_change_palette(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    return flm_change_palette_named(flm_bytes_of(value), &o->change_palette) ||
           refuse(why, "diff-palette", value, "red-blue or green-red");
}

static bool is_background(const char *value)
{
    static const char *const names[] = {"yellow", "blue", "green", "gray", "grey"};
    uint32_t color;
    return choice(value, names, 5) >= 0 ||
           (value[0] == '#' && flm_color_parse(flm_bytes_of(value), &color));
}

static bool set_background(struct flm_svg_options *o, const char *value, struct flm_error *why)
{
    if (!is_background(value))
        return refuse(why, "bgcolors", value, "yellow, blue, green, gray or #rrggbb");
    /* flamegraph.pl's name for it. */
    o->background = flm_bytes_are(flm_bytes_of(value), "grey") ? "gray" : value;
    return true;
}

/* Options that are a text, a number or a flag of the structure. */
static bool set_plain(struct flm_svg_options *o, struct flm_bytes name, const char *value,
                      bool *is_known, struct flm_error *why)
{
    const struct {
        const char *name;
        const char **text;
        double *number;
        bool *flag;
    } fields[] = {
        {"title", &o->title, NULL, NULL},
        {"subtitle", &o->subtitle, NULL, NULL},
        {"notes", &o->notes, NULL, NULL},
        {"fonttype", &o->font_type, NULL, NULL},
        {"countname", &o->count_name, NULL, NULL},
        {"nametype", &o->name_type, NULL, NULL},
        {"search", &o->search, NULL, NULL},
        {"width", NULL, &o->width_px, NULL},
        {"height", NULL, &o->frame_height_px, NULL},
        {"fontsize", NULL, &o->font_size_px, NULL},
        {"fontwidth", NULL, &o->font_width, NULL},
        {"factor", NULL, &o->factor, NULL},
        {"scale", NULL, &o->scale, NULL},
        {"reverse", NULL, NULL, &o->reverse},
        {"inverted", NULL, NULL, &o->inverted},
        {"negate", NULL, NULL, &o->negate},
        {"static", NULL, NULL, &o->without_script},
        {"dark", NULL, NULL, &o->dark},
        {"heatmap", NULL, NULL, &o->heatmap},
        {"diff-noise", NULL, NULL, &o->without_noise_test},
    };
    *is_known = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!flm_bytes_are(name, fields[i].name))
            continue;
        if (fields[i].number)
            return set_number(fields[i].number, fields[i].name, value, why);
        if (fields[i].text)
            *fields[i].text = value;
        else
            *fields[i].flag = true;
        return true;
    }
    *is_known = false;
    return false;
}

static bool set_option(struct flm_svg_options *o, const char *name, const char *value,
                       struct flm_error *why)
{
    struct flm_bytes n = flm_bytes_of(name);
    const struct flm_svg_option *option = NULL;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (flm_bytes_are(n, list[i].name))
            option = &list[i];
    if (!option)
        return flm_error_set(why, FLM_ERROR_USAGE, "an SVG has no option '%s'", name);
    if (option->argument && !value)
        return flm_error_set(why, FLM_ERROR_USAGE, "%s needs a value: %s", name, option->argument);

    bool is_known;
    bool done = set_plain(o, n, value, &is_known, why);
    if (is_known)
        return done;
    static const struct {
        const char *name;
        bool (*set)(struct flm_svg_options *o, const char *value, struct flm_error *why);
    } setters[] = {{"minwidth", set_min_width},          {"colors", set_colors},
                   {"bgcolors", set_background},         {"order", set_order},
                   {"diff-width", set_widths},           {"diff-color", set_change_colors},
                   {"diff-palette", set_change_palette}, {"diff-only", set_changes},
                   {"normalize", set_normalize},         {"heatmap-column", set_column}};
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
        if (flm_bytes_are(n, setters[i].name))
            return setters[i].set(o, value, why);
    if (flm_bytes_are(n, "hash") || flm_bytes_are(n, "random")) {
        o->shades = flm_bytes_are(n, "hash") ? FLM_SHADES_HASH : FLM_SHADES_RANDOM;
        return true;
    }
    if (flm_bytes_are(n, "encoding"))
        return strcmp(value, "utf-8") == 0 || strcmp(value, "UTF-8") == 0 ||
               refuse(why, "encoding", value, "pictures are always UTF-8");
    return flm_error_set(why, FLM_ERROR_USAGE,
                         "a flame chart is not possible yet: stacks are merged, not placed in "
                         "time (order=time puts first what was seen first)");
}

/* ---- Defaults and checks --------------------------------------------------------------------- */

static bool check_range(double *value, double usual, double least, double most, const char *name,
                        struct flm_error *why)
{
    if (*value == 0)
        *value = usual;
    if (*value >= least && *value <= most)
        return true;
    return flm_error_set(why, FLM_ERROR_USAGE, "%s is out of range: %d to %d will do", name,
                         (int)least, (int)most);
}

/* ---- Options of other versions --------------------------------------------------------------- */

bool flm_svg_options_copy(struct flm_svg_options *copy, const struct flm_svg_options *options,
                          struct flm_error *why)
{
    return flm_versioned_copy(copy, sizeof *copy, options, "flm_svg_options", why);
}

bool flm_svg_option_set(struct flm_svg_options *options, const char *name, const char *value,
                        struct flm_error *why)
{
    struct flm_svg_options all;
    size_t size = options->size;
    if (!flm_svg_options_copy(&all, options, why) || !set_option(&all, name, value, why))
        return false;
    const unsigned char *bytes = (const unsigned char *)&all;
    for (size_t i = size; i < sizeof all; i++)
        if (bytes[i] != 0)
            return flm_error_set(why, FLM_ERROR_USAGE,
                                 "the program was compiled for a flamel without the option %s",
                                 name);
    all.size = size;
    memcpy(options, &all, size);
    return true;
}

/* ---- Defaults -------------------------------------------------------------------------------- */

static bool same_unit(const struct flm_profile *p, struct flm_metric a, struct flm_metric b)
{
    return flm_profile_metric(p, a)->unit == flm_profile_metric(p, b)->unit;
}

/* A profile of two columns, as folded text with two values gives it, is compared by default. */
static bool find_comparison(struct flm_svg_options *o, const struct flm_profile *p,
                            struct flm_error *why)
{
    struct flm_metric_pair *pairs = malloc((p->sizes.metric_count + (size_t)1) * sizeof *pairs);
    if (!pairs)
        return flm_error_memory(why);
    uint32_t count = flm_metric_pairs(p, pairs);
    for (uint32_t i = 0; !o->difference && i < count; i++)
        if (pairs[i].after.index == o->metric.index) {
            o->difference = true;
            o->before = pairs[i].before;
        }
    free(pairs);
    return true;
}

static const char *default_title(const struct flm_svg_options *o)
{
    if (o->heatmap)
        return "Heatmap";
    if (o->difference)
        return "Flame graph of a difference";
    return o->inverted ? "Icicle graph" : "Flame graph";
}

bool flm_svg_options_resolve(struct flm_svg_options *o, const struct flm_profile *p,
                             struct flm_error *why)
{
    uint32_t metric_count = flm_profile_metric_count(p);
    if (o->metric.index >= metric_count && (metric_count > 0 || o->metric.index > 0))
        return flm_error_set(why, FLM_ERROR_USAGE, "the profile has no metric number %u",
                             o->metric.index);
    if (metric_count > 0 && !find_comparison(o, p, why))
        return false;
    if (o->difference && o->before.index >= metric_count)
        return flm_error_set(why, FLM_ERROR_USAGE, "the profile has no metric number %u",
                             o->before.index);
    if (o->difference && !same_unit(p, o->metric, o->before))
        return flm_error_set(why, FLM_ERROR_UNIT, "metrics of different units cannot be compared");
    if ((unsigned)o->colors >= FLM_COLORS_COUNT)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no palette number %u",
                             (unsigned)o->colors);
    if ((unsigned)o->order > FLM_DRAW_BY_TIME)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no order number %u",
                             (unsigned)o->order);
    if (o->background && !is_background(o->background))
        return set_background(o, o->background, why);
    if (o->factor == 0)
        o->factor = 1;
    if (!isfinite(o->factor) || !isfinite(o->font_width) || !(o->min_width >= 0) ||
        !(o->heatmap_column_ns >= 0 && o->heatmap_column_ns < 1e18))
        return flm_error_set(why, FLM_ERROR_USAGE, "options must be finite numbers above 0");
    if ((unsigned)o->widths > FLM_WIDTHS_SUM || (unsigned)o->normalize > FLM_NORMALIZE_FUNCTION ||
        (unsigned)o->change_palette >= FLM_CHANGE_PALETTES)
        return flm_error_set(why, FLM_ERROR_USAGE, "an option of the comparison is out of range");
    if (!o->title)
        o->title = default_title(o);
    if (!o->font_type)
        o->font_type = FLM_DOCUMENT_FONTS;
    return check_range(&o->scale, 1, 1, 8, "scale", why) &&
           check_range(&o->width_px, 1200, 100, 100000, "width", why) &&
           check_range(&o->font_size_px, 12, 4, 100, "fontsize", why) &&
           check_range(&o->frame_height_px, o->font_size_px > 12 ? o->font_size_px + 7 : 19, 3, 200,
                       "height", why);
}
