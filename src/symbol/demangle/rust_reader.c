/* rust_reader.c - the parts of Rust's names: numbers, identifiers, references. */
#include "base/text/utf.h"
#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

enum { MOST_DEPTH = 200, MOST_STEPS = 100000 };

void flm_rust_fail(struct flm_rust_reader *r)
{
    r->failed = true;
}

char flm_rust_peek(const struct flm_rust_reader *r)
{
    return r->next < r->size ? r->at[r->next] : 0;
}

bool flm_rust_eat(struct flm_rust_reader *r, char byte)
{
    if (r->failed || flm_rust_peek(r) != byte || r->next >= r->size)
        return false;
    r->next++;
    return true;
}

char flm_rust_take(struct flm_rust_reader *r)
{
    if (r->next >= r->size)
        flm_rust_fail(r);
    return r->failed ? 0 : r->at[r->next++];
}

void flm_rust_print(struct flm_rust_reader *r, struct flm_bytes text)
{
    if (r->is_silent || r->failed)
        return;
    flm_text_add(r->out, text);
    if (r->out->failed || r->out->size - r->start > FLM_DEMANGLED_MOST)
        flm_rust_fail(r);
}

void flm_rust_prints(struct flm_rust_reader *r, const char *text)
{
    flm_rust_print(r, flm_bytes_of(text));
}

void flm_rust_print_number(struct flm_rust_reader *r, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    flm_rust_print(r, (struct flm_bytes){digits + at, sizeof digits - at});
}

bool flm_rust_enter(struct flm_rust_reader *r)
{
    if (++r->depth > MOST_DEPTH || ++r->steps > MOST_STEPS)
        flm_rust_fail(r);
    return !r->failed;
}

void flm_rust_leave(struct flm_rust_reader *r)
{
    r->depth--;
}

uint64_t flm_rust_take_base62(struct flm_rust_reader *r)
{
    uint64_t value = 0;
    if (flm_rust_eat(r, '_'))
        return 0;
    while (!r->failed && !flm_rust_eat(r, '_')) {
        char byte = flm_rust_take(r);
        unsigned digit = byte >= '0' && byte <= '9'   ? (unsigned)(byte - '0')
                         : byte >= 'a' && byte <= 'z' ? (unsigned)(byte - 'a' + 10)
                         : byte >= 'A' && byte <= 'Z' ? (unsigned)(byte - 'A' + 36)
                                                      : 62;
        if (digit > 61 || value > (UINT64_MAX - digit) / 62) {
            flm_rust_fail(r);
            return 0;
        }
        value = value * 62 + digit;
    }
    if (value == UINT64_MAX)
        flm_rust_fail(r);
    return value + 1;
}

uint64_t flm_rust_take_tagged(struct flm_rust_reader *r, char tag)
{
    if (!flm_rust_eat(r, tag))
        return 0;
    uint64_t value = flm_rust_take_base62(r);
    if (value == UINT64_MAX)
        flm_rust_fail(r);
    return value + 1;
}

/* ---- Identifiers ----------------------------------------------------------------------------- */

struct flm_rust_identifier flm_rust_take_identifier(struct flm_rust_reader *r)
{
    struct flm_rust_identifier name = {.text = {"", 0}};
    name.is_encoded = flm_rust_eat(r, 'u');
    char byte = flm_rust_take(r);
    if (byte < '0' || byte > '9')
        flm_rust_fail(r);
    size_t size = (size_t)(byte - '0');
    while (!r->failed && size > 0 && size < r->size && flm_rust_peek(r) >= '0' &&
           flm_rust_peek(r) <= '9')
        size = size * 10 + (size_t)(flm_rust_take(r) - '0');
    flm_rust_eat(r, '_');
    if (r->failed || size > r->size - r->next) {
        flm_rust_fail(r);
        return name;
    }
    name.text = (struct flm_bytes){r->at + r->next, size};
    r->next += size;
    return name;
}

enum { MOST_CHARACTERS = 256 };

/* Decodes Punycode (RFC 3492). The number of characters; 0 when it is damaged or too long. */
static size_t decode_punycode(struct flm_bytes text, uint32_t *to)
{
    size_t count = 0, at = 0, plain = 0;
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] == '_')
            plain = i;
    if (plain > MOST_CHARACTERS)
        return 0;
    for (; at < plain; at++)
        to[count++] = (unsigned char)text.at[at];
    if (at < text.size && text.at[at] == '_')
        at++;
    uint64_t code = 128, index = 0, bias = 72;
    bool is_first = true;
    while (at < text.size) {
        uint64_t before = index, weight = 1;
        for (uint64_t k = 36;; k += 36) {
            if (at >= text.size)
                return 0;
            char byte = text.at[at++];
            uint64_t digit = byte >= 'a' && byte <= 'z'   ? (uint64_t)(byte - 'a')
                             : byte >= '0' && byte <= '9' ? (uint64_t)(byte - '0' + 26)
                                                          : 36;
            uint64_t threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
            if (digit > 35)
                return 0;
            index += digit * weight;
            if (index > UINT32_MAX)
                return 0;
            if (digit < threshold)
                break;
            weight *= 36 - threshold;
            if (weight > UINT32_MAX)
                return 0;
        }
        if (count == MOST_CHARACTERS)
            return 0;
        uint64_t delta = (index - before) / (is_first ? 700 : 2), k = 0;
        is_first = false;
        delta += delta / (count + 1);
        for (; delta > 35 * 26 / 2; k += 36)
            delta /= 35;
        bias = k + 36 * delta / (delta + 38);
        code += index / (count + 1);
        index %= count + 1;
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
            return 0;
        memmove(to + index + 1, to + index, (count - index) * sizeof *to);
        to[index++] = (uint32_t)code;
        count++;
    }
    return count;
}

void flm_rust_print_identifier(struct flm_rust_reader *r, struct flm_rust_identifier name)
{
    uint32_t characters[MOST_CHARACTERS];
    if (!name.is_encoded) {
        flm_rust_print(r, name.text);
        return;
    }
    size_t count = decode_punycode(name.text, characters);
    if (count == 0) {
        flm_rust_prints(r, "punycode{");
        flm_rust_print(r, name.text);
        flm_rust_prints(r, "}");
    }
    for (size_t i = 0; i < count; i++) {
        char text[4];
        flm_rust_print(r, (struct flm_bytes){text, flm_utf8_put(characters[i], text)});
    }
}

bool flm_rust_follow(struct flm_rust_reader *r, size_t *back)
{
    size_t here = r->next - 1;
    uint64_t to = flm_rust_take_base62(r);
    if (to >= here)
        flm_rust_fail(r);
    if (r->failed || r->is_silent)
        return false;
    *back = r->next;
    r->next = (size_t)to;
    return true;
}

size_t flm_rust_read_list(struct flm_rust_reader *r, void (*read_one)(struct flm_rust_reader *r))
{
    size_t count = 0;
    for (; !r->failed && !flm_rust_eat(r, 'E'); count++) {
        flm_rust_prints(r, count > 0 ? ", " : "");
        read_one(r);
    }
    return count;
}
