#include "draw/document/surface.h"

double flm_surface_write(const struct flm_surface *surface, double x, double base_line,
                         double right, struct flm_bytes plain, double size_px, bool bold,
                         uint32_t rgb)
{
    struct flm_font font = surface->font(surface->context, size_px, bold);
    struct flm_name_parts whole = {.end = plain.size};
    struct flm_label_cut cut = flm_label_fit(plain, whole, right - x, &font);
    const struct flm_bytes parts[] = {cut.head, flm_bytes_of(cut.tail.size > 0 ? FLM_ELLIPSIS : ""),
                                      cut.tail};
    for (int i = 0; i < 3; i++) {
        if (parts[i].size == 0)
            continue;
        surface->text(surface->context, x, base_line, parts[i], size_px, bold, rgb);
        x += flm_label_width(parts[i], &font);
    }
    return x;
}
