/* rust_constants.c - constants in Rust's names: numbers, characters, strings, structures. */
#include "base/text/utf.h"
#include "symbol/demangle/internal.h"

/* The digits up to a '_'. */
static struct flm_bytes take_hex(struct flm_rust_reader *r)
{
    size_t start = r->next;
    while (flm_rust_hex_value(flm_rust_peek(r)) >= 0)
        r->next++;
    struct flm_bytes digits = {r->at + start, r->next - start};
    if (!flm_rust_eat(r, '_'))
        flm_rust_fail(r);
    while (digits.size > 0 && digits.at[0] == '0')
        digits = (struct flm_bytes){digits.at + 1, digits.size - 1};
    return digits;
}

static uint64_t hex_number(struct flm_bytes digits)
{
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size; i++)
        value = value << 4 | (uint64_t)flm_rust_hex_value(digits.at[i]);
    return value;
}

static void read_integer(struct flm_rust_reader *r)
{
    struct flm_bytes digits = take_hex(r);
    if (digits.size > 16) {
        flm_rust_prints(r, "0x");
        flm_rust_print(r, digits);
    } else if (!r->failed) {
        flm_rust_print_number(r, hex_number(digits));
    }
}

static void print_character(struct flm_rust_reader *r, uint32_t code, char quote)
{
    char text[4];
    if (code == '\n' || code == '\r' || code == '\t' || code == 0) {
        flm_rust_prints(r, code == '\n'   ? "\\n"
                           : code == '\r' ? "\\r"
                           : code == '\t' ? "\\t"
                                          : "\\0");
    } else if (code < 32 || (code >= 127 && code < 160)) {
        struct flm_text number = {0};
        flm_text_format(&number, "\\u{%x}", code);
        flm_rust_print(r, (struct flm_bytes){number.at, number.size});
        flm_text_clear(&number);
    } else {
        flm_rust_prints(r, code == (uint32_t)quote || code == '\\' ? "\\" : "");
        flm_rust_print(r, (struct flm_bytes){text, flm_utf8_put(code, text)});
    }
}

static void read_string(struct flm_rust_reader *r)
{
    size_t start = r->next;
    take_hex(r);
    if (r->failed || (r->next - 1 - start) % 2) {
        flm_rust_fail(r);
        return;
    }
    flm_rust_prints(r, "\"");
    for (size_t at = start; at + 1 < r->next && !r->failed;) {
        char bytes[4];
        size_t count = 0;
        for (; count < 4 && at + 2 * count + 1 < r->next; count++)
            bytes[count] = (char)(flm_rust_hex_value(r->at[at + 2 * count]) << 4 |
                                  flm_rust_hex_value(r->at[at + 2 * count + 1]));
        uint32_t code;
        size_t size = flm_utf8_sequence((struct flm_bytes){bytes, count}, &code);
        if (size == 0)
            flm_rust_fail(r);
        else
            print_character(r, code, '"');
        at += 2 * size;
    }
    flm_rust_prints(r, "\"");
}

static void read_value(struct flm_rust_reader *r)
{
    flm_rust_read_constant(r, true);
}

static void read_field(struct flm_rust_reader *r)
{
    flm_rust_take_tagged(r, 's');
    flm_rust_print_identifier(r, flm_rust_take_identifier(r));
    flm_rust_prints(r, ": ");
    flm_rust_read_constant(r, true);
}

static void read_structure(struct flm_rust_reader *r)
{
    flm_rust_read_path(r, true);
    char tag = flm_rust_take(r);
    if (tag == 'T') {
        flm_rust_prints(r, "(");
        flm_rust_read_list(r, read_value);
        flm_rust_prints(r, ")");
    } else if (tag == 'S') {
        flm_rust_prints(r, " { ");
        flm_rust_read_list(r, read_field);
        flm_rust_prints(r, " }");
    } else if (tag != 'U') {
        flm_rust_fail(r);
    }
}

/* In a list of types, a constant other than a number is in braces. */
static void read_compound(struct flm_rust_reader *r, char tag)
{
    switch (tag) {
    case 'e':
        flm_rust_prints(r, "*");
        read_string(r);
        break;
    case 'R':
    case 'Q':
        flm_rust_prints(r, tag == 'R' ? "&" : "&mut ");
        flm_rust_read_constant(r, true);
        break;
    case 'A':
        flm_rust_prints(r, "[");
        flm_rust_read_list(r, read_value);
        flm_rust_prints(r, "]");
        break;
    case 'T':
        flm_rust_prints(r, "(");
        flm_rust_prints(r, flm_rust_read_list(r, read_value) == 1 ? ",)" : ")");
        break;
    case 'V':
        read_structure(r);
        break;
    default:
        flm_rust_fail(r);
    }
}

void flm_rust_read_constant(struct flm_rust_reader *r, bool in_value)
{
    size_t back;
    struct flm_bytes digits;
    if (!flm_rust_enter(r))
        return;
    char tag = flm_rust_take(r);
    if (tag && flm_is_one_of(tag, "htmyojaslxni")) {
        if (flm_is_one_of(tag, "aslxni"))
            flm_rust_prints(r, flm_rust_eat(r, 'n') ? "-" : "");
        read_integer(r);
    } else if (tag == 'b') {
        digits = take_hex(r);
        if (digits.size > 1 || (digits.size && digits.at[0] != '1'))
            flm_rust_fail(r);
        flm_rust_prints(r, digits.size ? "true" : "false");
    } else if (tag == 'c') {
        digits = take_hex(r);
        uint64_t code = digits.size < 7 && !r->failed ? hex_number(digits) : UINT64_MAX;
        if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
            flm_rust_fail(r);
        } else {
            flm_rust_prints(r, "'");
            print_character(r, (uint32_t)code, '\'');
            flm_rust_prints(r, "'");
        }
    } else if (tag == 'p') {
        flm_rust_prints(r, "_");
    } else if (tag == 'B') {
        if (flm_rust_follow(r, &back)) {
            flm_rust_read_constant(r, in_value);
            r->next = back;
        }
    } else if (tag == 'R' && flm_rust_eat(r, 'e')) { /* "..." rather than &*"..." */
        read_string(r);
    } else {
        flm_rust_prints(r, in_value ? "" : "{");
        read_compound(r, tag);
        flm_rust_prints(r, in_value ? "" : "}");
    }
    flm_rust_leave(r);
}
