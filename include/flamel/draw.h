/* draw.h - pictures of a profile.
 *
 *     struct flm_svg_options options = {.size = sizeof options, .title = "app at 99 Hz"};
 *     flm_svg_write(profile, &options, sink, context, &why);
 *
 * An SVG is one file that opens anywhere: in a browser it fills the window, zooms, searches and can
 * be used with the keyboard; as an image, or where scripts are off (a server may forbid them: the
 * script is inside the file, and needs neither eval nor the network), it is a complete still
 * picture.
 *
 * The options are those that users of flamegraph.pl know, by the same names. All of them may be
 * 0 but the size. */
#ifndef FLAMEL_DRAW_H
#define FLAMEL_DRAW_H

#include "flamel/algebra.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How frames are colored. MODULE is ours: one of 12 hues by library, package or namespace, frames
 * of a runtime nearly gray, in light and dark. The others are flamegraph.pl's. */
enum flm_colors {
    FLM_COLORS_MODULE,
    FLM_COLORS_HOT,
    FLM_COLORS_MEM,
    FLM_COLORS_IO,
    FLM_COLORS_WAKEUP,
    FLM_COLORS_CHAIN,
    FLM_COLORS_JAVA,
    FLM_COLORS_JS,
    FLM_COLORS_PERL,
    FLM_COLORS_RED,
    FLM_COLORS_GREEN,
    FLM_COLORS_BLUE,
    FLM_COLORS_AQUA,
    FLM_COLORS_YELLOW,
    FLM_COLORS_PURPLE,
    FLM_COLORS_ORANGE,
    FLM_COLORS_COUNT
};

/* How a name becomes a shade of one of flamegraph.pl's palettes. */
enum flm_shades {
    FLM_SHADES_NAME,  /* by the name, with colors of their own for names that differ little */
    FLM_SHADES_HASH,  /* by how the name begins and ends: like names, like colors */
    FLM_SHADES_RANDOM /* any, but the same every time */
};

/* The order of siblings, from the left. */
enum flm_draw_order {
    FLM_DRAW_BY_NAME,
    FLM_DRAW_BY_TOTAL, /* the widest first */
    FLM_DRAW_BY_TIME   /* by the earliest sample, where samples have times */
};

/* The colors of a comparison: red (a warm orange) is grown, blue shrunk, which any color vision
 * distinguishes; or green for shrunk, and red. */
enum flm_change_palette { FLM_CHANGE_RED_BLUE, FLM_CHANGE_GREEN_RED, FLM_CHANGE_PALETTES };

/* Texts are UTF-8 (other bytes are replaced), borrowed until the call returns; NULL: the default.
 * Numbers that are 0 are the default too. */
struct flm_svg_options {
    size_t size; /* sizeof(struct flm_svg_options): later versions have more members at the end */

    struct flm_metric metric; /* whose values are the widths; 0: the profile's first metric */

    /* A comparison: colors show how `metric` differs from `before`. A profile with negative values
     * is one by itself. */
    bool difference;
    struct flm_metric before;
    enum flm_comparison_widths widths;
    enum flm_change_palette change_palette;
    bool change_of_self;  /* colors show the change of a frame alone, not of its subtree */
    bool change_absolute; /* in relation to the total, not to the frame */
    bool negate;          /* grown blue, shrunk red: for when before and after are swapped */

    /* Before is made comparable first: by FUNCTION with the pattern `normalize_function`, by
     * DURATION with how long both were recorded. */
    enum flm_normalize normalize;
    const char *normalize_function;
    double before_ns, after_ns;

    /* Only stacks that did one of these: "appeared", "grown", "disappeared", "shrunk", "same" with
     * commas between them; NULL: all. */
    const char *changes;

    /* Changes as small as the noise of counting samples are gray, where it is known how much of the
     * metric one sample stands for. That is an estimate, from one run of each. */
    bool without_noise_test;

    const char *title;      /* "Flame graph", or what fits the other options */
    const char *subtitle;   /* none */
    const char *notes;      /* a comment in the file */
    double width_px;        /* of the still picture: 1200; in a browser the window's is taken */
    double frame_height_px; /* from one level to the next: 19 */

    /* Frames narrower than this, in the still picture, are one gray box with their neighbors. 0:
     * the file has all frames, or, of many, the widest: 50,000 boxes, the gray ones counted. */
    double min_width;
    bool min_width_percent; /* min_width is in % of the total */

    const char *font_type; /* "system-ui, ..." */
    double font_size_px;   /* 12 */
    double font_width;     /* of a letter, in font sizes; 0: as wide as letters are */

    const char *count_name; /* what values are called: the metric's unit, or its name */
    const char *name_type;  /* put before a frame's name when it is pointed at */
    double factor;          /* values are shown multiplied by it: 1 */

    enum flm_colors colors;
    enum flm_shades shades;
    const char *background; /* "yellow", "blue", "green", "gray" or "#rrggbb": no dark mode then */

    /* Colors of some names: lines "name->rgb(r,g,b)" or "name->#rrggbb". Other names get theirs as
     * usual. flm_svg_palette_write makes such lines. */
    struct flm_name palette;

    enum flm_draw_order order;
    bool reverse;        /* leaf first: callers above callees */
    bool inverted;       /* an icicle graph: the root at the top */
    bool without_script; /* a still picture only */
    const char *search;  /* a regular expression that is searched for when the picture opens */

    /* PNG and PDF, which do not know the page that they are shown on. */
    bool dark;    /* for a dark page */
    double scale; /* PNG: pixels for each pixel of the other options: 1 */

    /* A heatmap instead of a flame graph: a column is a second, a row an offset in it (see
     * flamel-convert(1)). It needs samples with times, and has no script. */
    bool heatmap;
    double heatmap_column_ns; /* time of a column; 0: a second, less in a short recording. Columns
                                 are longer if there are too many to fit */
};

/* Hands the picture to `sink` in chunks. A profile without any value is a picture that says so.
 * False, and `why`, for options that make no sense, if memory ran out, or if the sink says so.
 *
 * 1,000 levels are drawn at most, and names above 4,000 bytes are cut in their middle: the picture
 * states both. */
bool flm_svg_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why);

/* The same still picture as a PDF: one page of vectors and Helvetica. Letters that Helvetica lacks
 * (it has those of Western Europe) are shown as "?", and the picture states how many. */
bool flm_pdf_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why);

/* And as a PNG, with letters of a font of the system. False, and `why`, where the library was built
 * without cairo, and for a picture of too many pixels. */
bool flm_png_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why);

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* A letter: how much of each pixel its ink covers. It is rasterized FLM_GLYPH_COLUMNS times as wide
 * as it is, so that it can be placed between pixels, and text looks even. */
enum { FLM_GLYPH_COLUMNS = 4 };
struct flm_glyph {
    double advance_px;             /* to the next letter */
    int left, top;                 /* from the pen on the base line to the upper left corner; down
                                      is + */
    int width, height;             /* of the coverage */
    const unsigned char *coverage; /* width x height bytes, row by row; 255 is all ink */
    int columns;                   /* FLM_GLYPH_COLUMNS: left and width are in quarters of a pixel;
                                      1 or 0: in pixels */
};

/* Rasterizes a letter of `size_px` pixels; its coverage is borrowed until the next call. False, and
 * `why`, if that fails. Called once for each letter in each size and weight. */
typedef bool (*flm_glyph_source)(void *context, uint32_t code_point, double size_px, bool bold,
                                 struct flm_glyph *glyph, struct flm_error *why);

/* A buffer to draw into. */
struct flm_rgba {
    size_t size;           /* sizeof(struct flm_rgba) */
    unsigned char *pixels; /* width * height * 4 bytes, row by row: red, green, blue, and 255; NULL:
                               only full_height is found */
    uint32_t width, height;  /* options->width_px is ignored; options->scale pixels are a pixel of
                               the other options. Of a width of 0 nothing is drawn */
    flm_glyph_source glyphs; /* NULL: nothing is written, there are only boxes */
    void *context;           /* of glyphs */
    uint32_t full_height;    /* set: of the whole picture. A taller picture is cut off at the lower
                                edge; below a smaller one is the color of the page */
};

/* The same still picture as pixels, for a window or a texture of the caller's. False, and `why`, as
 * above, and if the source of letters fails. */
bool flm_rgba_draw(const struct flm_profile *profile, const struct flm_svg_options *options,
                   struct flm_rgba *to, struct flm_error *why);

/* ---- Palettes and options -------------------------------------------------------------------- */

/* The colors of all functions under these options, as `palette` takes them, sorted by name: so
 * that the next picture, of another profile, has the same. */
bool flm_svg_palette_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                           flm_profile_sink sink, void *context, struct flm_error *why);

/* The options by name, for a command line or a query: "minwidth", "0.5%". */
struct flm_svg_option {
    const char *name;
    const char *argument; /* "PIXELS"; NULL: an option without a value */
    const char *description;
};
const struct flm_svg_option *flm_svg_option_list(size_t *count);

/* Sets one of them; `value` is ignored for an option without a value, and borrowed otherwise.
 * False, and `why` with the values that are possible, for an unknown name or a value that is not.
 */
bool flm_svg_option_set(struct flm_svg_options *options, const char *name, const char *value,
                        struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
