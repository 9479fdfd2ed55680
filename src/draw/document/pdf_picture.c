/* pdf_picture.c - flm_pdf_write: the still picture of a profile as a PDF. */
#include "base/text/buffered_sink.h"
#include "draw/document/pdf.h"
#include "draw/document/still.h"
#include "draw/document/vector.h"
#include "draw/text/visible.h"
#include "flamel/draw.h"

static bool draw(struct flm_svg *svg, struct flm_text *out)
{
    struct flm_pdf pdf;
    struct flm_still still = flm_still_of(svg);
    struct flm_surface surface = flm_pdf_surface(&pdf);
    flm_pdf_begin(&pdf, out, still.width_px, still.height_px);
    flm_still_draw_background(&still, &surface);
    struct flm_boxes boxes = flm_still_boxes(&still, 1);
    struct flm_window window = {0, 0, still.width_px, still.height_px};
    flm_vector_boxes(&surface, &boxes, &svg->seen, svg->options.font_size_px, window);
    still.unknown_letters = pdf.unknown_letters;
    flm_still_draw_words(&still, &surface);
    flm_pdf_end(&pdf, flm_plain(flm_bytes_of(svg->options.title), &svg->name));
    return !svg->name.failed && !svg->label.failed;
}

bool flm_pdf_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why)
{
    struct flm_svg svg;
    struct flm_buffered_sink buffered;
    flm_buffered_sink_init(&buffered, sink, context);
    bool drawn = flm_svg_open(&svg, profile, options, why) &&
                 (draw(&svg, &buffered.text) || flm_error_memory(why));
    flm_svg_close(&svg);
    return flm_buffered_sink_close(&buffered, drawn, why);
}
