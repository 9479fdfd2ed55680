#include "support/profile/painted.h"

static struct flm_font font_of(void *context, double size_px, bool bold)
{
    (void)context, (void)bold;
    return (struct flm_font){.size_px = size_px, .letter = 0.6};
}

/* A line more, and the NUL behind it again. */
static void add_line(struct flm_text *text, struct flm_bytes line)
{
    text->size -= text->size > 0;
    flm_text_add(text, line);
    flm_text_putc(text, '\n');
    flm_text_putc(text, 0);
}

static void text(void *context, double x, double base_line, struct flm_bytes plain, double size_px,
                 bool bold, uint32_t rgb)
{
    struct painted *p = context;
    struct flm_font font = font_of(NULL, size_px, bold);
    struct flm_text where = {0};
    (void)rgb;
    add_line(&p->text, plain);
    flm_text_format(&where, "%d %d ", (int)x, (int)base_line);
    flm_text_add(&where, plain);
    add_line(&p->where, (struct flm_bytes){where.at, where.size});
    flm_text_clear(&where);
    double right = x + flm_label_width(plain, &font);
    p->rightmost = right > p->rightmost ? right : p->rightmost;
    p->lowest = base_line > p->lowest ? base_line : p->lowest;
}

static void fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct painted *p = context;
    (void)x, (void)y, (void)width, (void)height;
    if (p->fills++ == 0)
        p->first_fill = rgb;
    p->last_fill = rgb;
}

static void mark(void *context, double x, double y, double width, double height, enum flm_mark m,
                 uint32_t rgb, unsigned strength)
{
    struct painted *p = context;
    (void)x, (void)y, (void)width, (void)height, (void)rgb, (void)strength;
    p->marks |= 1u << m;
}

static void texture(void *context, double x, double y, double width, double height,
                    enum flm_texture t, uint32_t rgb, unsigned alpha)
{
    (void)context, (void)x, (void)y, (void)width, (void)height, (void)t, (void)rgb, (void)alpha;
}

static void outline(void *context, double x, double y, double width, double height,
                    double thickness, uint32_t rgb)
{
    (void)context, (void)x, (void)y, (void)width, (void)height, (void)thickness, (void)rgb;
}

static void boxes(void *context, const struct flm_boxes *boxes, const struct flm_rectangles *list)
{
    (void)context, (void)boxes, (void)list;
}

static uint64_t unknown_letters(void *context)
{
    return ((const struct painted *)context)->unknown_letters;
}

struct flm_surface painted_surface(struct painted *painted)
{
    return (struct flm_surface){
        .context = painted,
        .font = font_of,
        .text = text,
        .fill = fill,
        .mark = mark,
        .fill_round = fill,
        .texture = texture,
        .outline = outline,
        .boxes = boxes,
        .unknown_letters = painted->unknown_letters == FLM_NO_UNKNOWN ? NULL : unknown_letters};
}

void painted_clear(struct painted *painted)
{
    flm_text_clear(&painted->text);
    flm_text_clear(&painted->where);
    *painted = (struct painted){.unknown_letters = painted->unknown_letters};
}
