#include "load/pictures.h"

#include "base/core/bytes.h"
#include "load/png.h"

static const struct flm_picture_format formats[] = {
    {"svg", ".svg", "a flame graph for the browser", flm_svg_write, true},
    {"png", ".png", "a flame graph as pixels", flm_png_write, FLM_PNG_IS_BUILT},
    {"pdf", ".pdf", "a flame graph to print, as vectors", flm_pdf_write, true},
};

enum { COUNT = sizeof formats / sizeof formats[0] };

const struct flm_picture_format *flm_picture_formats(size_t *count)
{
    *count = COUNT;
    return formats;
}

const struct flm_picture_format *flm_picture_format_named(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const struct flm_picture_format *flm_picture_format_for_file(const char *file_name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (flm_bytes_end_with(flm_bytes_of(file_name), formats[i].extensions))
            return &formats[i];
    return NULL;
}
