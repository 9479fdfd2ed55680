#include "draw/text/visible.h"

#include "base/text/utf.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

static bool is_plain_byte(char byte)
{
    return byte >= ' ' && byte < 0x7F;
}

/* The number of bytes at the beginning that are plain already. */
static size_t plain_size(struct flm_bytes text)
{
    size_t i = 0;
    while (i < text.size) {
        if (is_plain_byte(text.at[i])) {
            i++;
            continue;
        }
        uint32_t code;
        size_t size = flm_utf8_sequence((struct flm_bytes){text.at + i, text.size - i}, &code);
        if (size < 2 || flm_is_hidden(code))
            break;
        i += size;
    }
    return i;
}

void flm_plain_add(struct flm_text *out, struct flm_bytes text)
{
    while (text.size > 0) {
        size_t good = plain_size(text);
        flm_text_add(out, (struct flm_bytes){text.at, good});
        text.at += good;
        text.size -= good;
        if (text.size == 0)
            break;
        uint32_t code;
        size_t size = flm_utf8_sequence(text, &code);
        if (size == 1) { /* a control character: U+2400 + code, U+2421 for DEL */
            char picture[] = {(char)0xE2, (char)0x90, (char)(0x80 + (code == 0x7F ? 0x21 : code))};
            flm_text_add(out, (struct flm_bytes){picture, sizeof picture});
        } else {
            flm_text_puts(out, REPLACEMENT);
            size = size ? size : 1;
        }
        text.at += size;
        text.size -= size;
    }
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The size of the bracketed part at the beginning of `text`, as text/function_name.c finds it; 0:
 * there is no bracket, or it is not closed. */
static size_t bracketed(struct flm_bytes text)
{
    char open = text.at[0], close = open == '(' ? ')' : open == '<' ? '>' : 0;
    size_t depth = 0;
    for (size_t i = 0; close && i < text.size; i++)
        if (text.at[i] == open)
            depth++;
        else if (text.at[i] == close && (close != '>' || text.at[i - 1] != '-') && --depth == 0)
            return i + 1;
    return 0;
}

/* Adds the name without the contents of long brackets. */
static void add_hollow(struct flm_text *out, struct flm_bytes name)
{
    enum { LONG = 256 };
    size_t from = 0;
    for (size_t i = 0; i < name.size;) {
        size_t size = bracketed((struct flm_bytes){name.at + i, name.size - i});
        if (size == 0 && (name.at[i] == '<' || name.at[i] == '('))
            break; /* it is never closed: searching further would take the square of the size */
        if (size > LONG) {
            flm_plain_add(out, (struct flm_bytes){name.at + from, i + 1 - from});
            flm_text_format(out, "[... %zu bytes ...]", size - 2);
            from = i + size - 1;
        }
        i += size > 0 ? size : 1;
    }
    size_t rest = name.size - from;
    flm_plain_add(out, (struct flm_bytes){name.at + from,
                                          rest <= FLM_PLAIN_LIMIT ? rest : FLM_PLAIN_LIMIT + 1});
}

struct flm_bytes flm_plain(struct flm_bytes name, struct flm_text *scratch)
{
    if (name.size <= FLM_PLAIN_LIMIT && plain_size(name) == name.size)
        return name;
    scratch->size = 0;
    if (name.size <= FLM_PLAIN_LIMIT) {
        flm_plain_add(scratch, name);
        return (struct flm_bytes){scratch->at, scratch->size};
    }
    add_hollow(scratch, name);
    if (scratch->size > FLM_PLAIN_LIMIT) {
        scratch->size = 0;
        size_t head = FLM_PLAIN_LIMIT * 3 / 4, tail = name.size - FLM_PLAIN_LIMIT / 4;
        while (head > 0 && continues(name.at[head]))
            head--;
        while (tail < name.size && continues(name.at[tail]))
            tail++;
        flm_plain_add(scratch, (struct flm_bytes){name.at, head});
        flm_text_format(scratch, "[... %zu bytes ...]", tail - head);
        flm_plain_add(scratch, (struct flm_bytes){name.at + tail, name.size - tail});
    }
    return (struct flm_bytes){scratch->at, scratch->size};
}

void flm_xml_add(struct flm_text *out, struct flm_bytes plain)
{
    size_t from = 0;
    for (size_t i = 0; i < plain.size; i++) {
        char byte = plain.at[i];
        const char *entity = byte == '&'   ? "&amp;"
                             : byte == '<' ? "&lt;"
                             : byte == '>' ? "&gt;"
                             : byte == '"' ? "&quot;"
                                           : NULL;
        if (!entity)
            continue;
        flm_text_add(out, (struct flm_bytes){plain.at + from, i - from});
        flm_text_puts(out, entity);
        from = i + 1;
    }
    flm_text_add(out, (struct flm_bytes){plain.at + from, plain.size - from});
}
