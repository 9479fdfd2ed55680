#include "net/url.h"

#include <string.h>

bool flm_is_url(const char *path)
{
    return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

void flm_url_begin(struct flm_text *out, const char *url, const char *path)
{
    struct flm_bytes base = flm_bytes_of(url);
    while (base.size > 0 && base.at[base.size - 1] == '/')
        base.size--;
    flm_text_add(out, base);
    flm_text_puts(out, path);
}

void flm_url_parameter(struct flm_text *out, const char *name, struct flm_bytes value)
{
    bool is_first = out->size > 0 && !memchr(out->at, '?', out->size);
    flm_text_format(out, "%c%s=", is_first ? '?' : '&', name);
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.at[i], lower = c | 0x20;
        if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') ||
            flm_is_one_of((char)c, "-._~"))
            flm_text_putc(out, (char)c);
        else
            flm_text_format(out, "%%%x%x", c >> 4, c & 15);
    }
}
