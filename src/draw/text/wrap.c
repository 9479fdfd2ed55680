#include "draw/text/wrap.h"

#include "base/text/utf.h"

/* The size of the tone at `at`, "ESC [ ... m"; 0: there is none. */
static size_t tone_size(struct flm_bytes text, size_t at)
{
    size_t end = at;
    if (at + 1 >= text.size || text.at[at] != 27 || text.at[at + 1] != '[')
        return 0;
    while (end < text.size && text.at[end] != 'm')
        end++;
    return end < text.size ? end + 1 - at : 0;
}

/* The end of a word with the tones in it and the blanks before it, and its cells without those
 * blanks. */
static size_t word_end(struct flm_bytes text, size_t at, size_t *blanks, size_t *cells)
{
    bool inside = false;
    *blanks = *cells = 0;
    while (at < text.size && text.at[at] != '\n' && !(inside && text.at[at] == ' ')) {
        size_t size = tone_size(text, at);
        if (size == 0 && text.at[at] == ' ') {
            ++*blanks;
            size = 1;
        } else if (size == 0) {
            uint32_t code = 0xFFFD;
            struct flm_bytes rest = {text.at + at, text.size - at};
            size = flm_utf8_sequence(rest, &code);
            size = size > 0 ? size : 1;
            inside = true;
            *cells += (size_t)flm_character_cells(code);
        }
        at += size;
    }
    return at;
}

void flm_lines_add(struct flm_text *out, struct flm_bytes lines,
                   const struct flm_table_style *style, size_t indent)
{
    size_t column = 0;
    for (size_t at = 0; at < lines.size;) {
        if (lines.at[at] == '\n') {
            flm_text_putc(out, '\n');
            column = 0;
            at++;
            continue;
        }
        size_t blanks, cells, end = word_end(lines, at, &blanks, &cells);
        if (style->width > 0 && column > indent && column + blanks + cells > style->width) {
            flm_text_putc(out, '\n');
            flm_text_repeat(out, ' ', indent);
            column = indent;
            while (blanks > 0) {
                size_t size = tone_size(lines, at);
                flm_text_add(out, (struct flm_bytes){lines.at + at, size});
                blanks -= size == 0;
                at += size > 0 ? size : 1;
            }
        }
        flm_text_add(out, (struct flm_bytes){lines.at + at, end - at});
        column += blanks + cells;
        at = end;
    }
}
