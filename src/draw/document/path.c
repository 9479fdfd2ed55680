#include "draw/document/path.h"

void flm_path_number(struct flm_text *out, int value)
{
    char *to = flm_text_reserve(out, 16);
    if (!to)
        return;
    char digits[12];
    size_t count = 0, size = 0;
    unsigned left = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    unsigned fraction = left % 10;
    left /= 10;
    do
        digits[count++] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (value < 0)
        to[size++] = '-';
    while (count > 0)
        to[size++] = digits[--count];
    if (fraction) {
        to[size++] = '.';
        to[size++] = (char)('0' + fraction);
    }
    out->size += size;
}

static void move_to(struct flm_text *out, struct flm_pen *pen, int x, int y)
{
    flm_text_putc(out, pen->is_down ? 'm' : 'M');
    flm_path_number(out, x - pen->x);
    if (y >= pen->y)
        flm_text_putc(out, ' ');
    flm_path_number(out, y - pen->y);
    *pen = (struct flm_pen){x, y, true};
}

void flm_path_line(struct flm_text *out, struct flm_pen *pen, int x, int y, int width)
{
    move_to(out, pen, x, y);
    flm_text_putc(out, 'h');
    flm_path_number(out, width);
    pen->x += width;
}

void flm_path_rectangle(struct flm_text *out, struct flm_pen *pen, struct flm_path_box box,
                        int inset)
{
    move_to(out, pen, box.x + inset, box.y + inset);
    flm_text_putc(out, 'h');
    flm_path_number(out, box.width - 2 * inset);
    flm_text_putc(out, 'v');
    flm_path_number(out, box.height - 2 * inset);
    flm_text_putc(out, 'h');
    flm_path_number(out, 2 * inset - box.width);
    flm_text_putc(out, 'z');
}
