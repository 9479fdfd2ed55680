/* rust_legacy.c - Rust's legacy names: _ZN, then parts with their lengths, the last one a hash,
 * then E. Characters that are not allowed in C are encoded with $ and dots. */
#include "base/text/utf.h"
#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_hash(struct flm_bytes part)
{
    if (part.size != 17 || part.at[0] != 'h')
        return false;
    for (size_t i = 1; i < part.size; i++)
        if (flm_rust_hex_value(part.at[i]) < 0)
            return false;
    return true;
}

/* The character for an escape such as "$LT$" at the start of `part`, and the size of the escape. */
static size_t read_escape(struct flm_bytes part, char *to, size_t *size)
{
    static const struct {
        const char *name;
        char means;
    } escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
                   {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (flm_bytes_start_with(part, escapes[i].name)) {
            *to = escapes[i].means;
            *size = 1;
            return strlen(escapes[i].name);
        }
    }
    if (!flm_bytes_start_with(part, "$u"))
        return 0;
    uint32_t code = 0;
    size_t at = 2;
    for (; at < part.size && flm_rust_hex_value(part.at[at]) >= 0 && at < 8; at++)
        code = code << 4 | (uint32_t)flm_rust_hex_value(part.at[at]);
    if (at == 2 || at >= part.size || part.at[at] != '$' || code < 32 || code > 0x10FFFF ||
        (code >= 0x7F && code < 0xA0) || (code >= 0xD800 && code < 0xE000))
        return 0;
    *size = flm_utf8_put(code, to);
    return at + 1;
}

static void add_part(struct flm_bytes part, struct flm_text *out)
{
    if (flm_bytes_start_with(part, "_$")) /* a part must not start with $ */
        part = (struct flm_bytes){part.at + 1, part.size - 1};
    for (size_t at = 0; at < part.size;) {
        struct flm_bytes rest = {part.at + at, part.size - at};
        char text[4];
        size_t size = 0, taken = rest.at[0] == '$' ? read_escape(rest, text, &size) : 0;
        if (taken) {
            flm_text_add(out, (struct flm_bytes){text, size});
            at += taken;
        } else if (flm_bytes_start_with(rest, "..")) {
            flm_text_puts(out, "::");
            at += 2;
        } else {
            flm_text_putc(out, rest.at[0]);
            at++;
        }
    }
}

/* The next part. False when there is none. */
static bool take_part(struct flm_bytes *rest, struct flm_bytes *part)
{
    size_t size = 0, at = 0;
    for (; at < rest->size && is_digit(rest->at[at]) && size < rest->size; at++)
        size = size * 10 + (size_t)(rest->at[at] - '0');
    if (at == 0 || size == 0 || size > rest->size - at)
        return false;
    *part = (struct flm_bytes){rest->at + at, size};
    *rest = (struct flm_bytes){rest->at + at + size, rest->size - at - size};
    return true;
}

bool flm_demangle_rust_legacy(struct flm_bytes symbol, struct flm_text *out)
{
    if (!flm_bytes_start_with(symbol, "_ZN") || symbol.size > FLM_DEMANGLED_MOST)
        return false;
    struct flm_bytes parts = {symbol.at + 3, symbol.size - 3}, rest = parts, part = {"", 0};
    size_t count = 0;
    while (take_part(&rest, &part))
        count++;
    if (count < 2 || !is_hash(part) || !flm_bytes_are(rest, "E"))
        return false;
    rest = parts;
    for (size_t i = 0; i + 1 < count && take_part(&rest, &part); i++) {
        if (i > 0)
            flm_text_puts(out, "::");
        add_part(part, out);
    }
    return true;
}
