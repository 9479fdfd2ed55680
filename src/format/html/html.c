#include "format/html/html.h"

#include <assert.h>

#include "base/number/number.h"
#include "format/core/format.h"

void flm_html_escape(struct flm_text *out, struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        switch (text.at[i]) {
        case '&':
            flm_text_puts(out, "&amp;");
            break;
        case '<':
            flm_text_puts(out, "&lt;");
            break;
        case '>':
            flm_text_puts(out, "&gt;");
            break;
        case '"':
            flm_text_puts(out, "&quot;");
            break;
        case 0:
            flm_text_puts(out, "\xEF\xBF\xBD"); /* HTML has no NUL */
            break;
        default:
            flm_text_putc(out, text.at[i]);
        }
    }
}

static void add_tag(struct flm_text *out, const char *id)
{
    flm_text_format(out, "<script type=\"text/plain\" id=\"flamel-%s\" data-size=\"", id);
}

void flm_html_part_add(struct flm_text *out, const char *id, const char *name,
                       const struct flm_html_part *part)
{
    assert(id);
    add_tag(out, id);
    flm_text_uint(out, part->size);
    if (name) {
        flm_text_puts(out, "\" data-name=\"");
        flm_html_escape(out, flm_bytes_of(name));
    }
    flm_text_puts(out, "\">");
    flm_text_add(out, part->base91);
    flm_text_puts(out, "</script>\n");
}

/* The index of `wanted` in `text`; the text's size if it is not there. */
static size_t find(struct flm_bytes text, struct flm_bytes wanted)
{
    for (size_t at = 0; at + wanted.size <= text.size; at++) {
        const char *first = memchr(text.at + at, wanted.at[0], text.size - wanted.size - at + 1);
        if (!first)
            break;
        at = (size_t)(first - text.at);
        if (memcmp(first, wanted.at, wanted.size) == 0)
            return at;
    }
    return text.size;
}

static struct flm_bytes behind(struct flm_bytes text, size_t at)
{
    at = at < text.size ? at : text.size;
    return (struct flm_bytes){text.at + at, text.size - at};
}

bool flm_html_part_find(struct flm_bytes page, const char *id, struct flm_html_part *part)
{
    assert(id && part);
    char buffer[128];
    struct flm_text tag;
    flm_text_init_fixed(&tag, buffer, sizeof buffer);
    add_tag(&tag, id);
    size_t at = find(page, (struct flm_bytes){tag.at, tag.size});
    if (at == page.size)
        return false;
    struct flm_bytes rest = behind(page, at + tag.size);
    struct flm_bytes number = {rest.at, find(rest, flm_bytes_of("\""))};
    if (!flm_number_parse_uint(number, &part->size))
        return false;
    rest = behind(rest, find(rest, flm_bytes_of(">")) + 1);
    size_t end = find(rest, flm_bytes_of("</script>"));
    part->base91 = (struct flm_bytes){rest.at, end};
    return end < rest.size;
}

int flm_html_sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_bytes front = {head.at, head.size < 1024 ? head.size : 1024};
    return flm_bytes_start_with(head, FLM_HTML_BEGINS) &&
                   find(front, flm_bytes_of(FLM_HTML_GENERATOR)) < front.size
               ? FLM_SNIFF_MAGIC
               : FLM_SNIFF_NO;
}
