/* haskell.c - names of GHC: "base_GHCziList_zdwlenAcc_info" is GHC.List.$wlenAcc.
 *
 *     package_Module_name_info     the package is left out; that of the program itself has none
 *
 * Characters that symbols may not have are written as z or Z and a letter ("zi" is a dot, "zd" a
 * dollar), or as z, their code in hexadecimal digits, and U. The end of the name says which part of
 * a closure it is: code is "info". "Image_resize_info" may be a function in C, so a name is taken
 * for Haskell's only if its module has several parts ("GHCziList") or is "Main", or if GHC has made
 * it up ("zdw...": $w). */
#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

#include "base/core/bytes.h"
#include "base/text/utf.h"

static const struct {
    char escape[3];
    char character;
} escapes[] = {
    {"ZL", '('}, {"ZR", ')'}, {"ZM", '['}, {"ZN", ']'}, {"ZC", ':'}, {"ZZ", 'Z'},  {"zz", 'z'},
    {"za", '&'}, {"zb", '|'}, {"zc", '^'}, {"zd", '$'}, {"ze", '='}, {"zg", '>'},  {"zh", '#'},
    {"zi", '.'}, {"zl", '<'}, {"zm", '-'}, {"zn", '!'}, {"zp", '+'}, {"zq", '\''}, {"zr", '\\'},
    {"zs", '/'}, {"zt", '*'}, {"zu", '_'}, {"zv", '%'},
};

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "z3bbU". Returns its size in bytes; 0: it is none. */
static size_t add_code(struct flm_bytes left, struct flm_text *out)
{
    uint32_t code = 0;
    size_t at = 1;
    char utf[4];
    for (; at < left.size && at < 8 && hex_digit(left.at[at]) >= 0; at++)
        code = 16 * code + (uint32_t)hex_digit(left.at[at]);
    if (at == 1 || at >= left.size || left.at[at] != 'U' || left.at[1] < '0' || left.at[1] > '9' ||
        code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    size_t size = flm_utf8_put(code, utf);
    flm_text_add(out, (struct flm_bytes){utf, size});
    return at + 1;
}

/* A tuple: "Z2T" is (,). */
static size_t add_tuple(struct flm_bytes left, struct flm_text *out)
{
    if (left.size < 3 || left.at[1] < '0' || left.at[1] > '9' || left.at[2] != 'T')
        return 0;
    flm_text_putc(out, '(');
    flm_text_repeat(out, ',', left.at[1] > '0' ? (size_t)(left.at[1] - '1') : 0);
    flm_text_putc(out, ')');
    return 3;
}

static size_t add_escape(struct flm_bytes left, struct flm_text *out)
{
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        if (left.size > 1 && memcmp(left.at, escapes[i].escape, 2) == 0) {
            flm_text_putc(out, escapes[i].character);
            return 2;
        }
    return left.at[0] == 'z' ? add_code(left, out) : add_tuple(left, out);
}

/* False when it has a wrong escape. */
static bool add_decoded(struct flm_bytes part, struct flm_text *out)
{
    for (size_t at = 0; at < part.size;) {
        if (part.at[at] != 'z' && part.at[at] != 'Z') {
            flm_text_putc(out, part.at[at++]);
            continue;
        }
        size_t size = add_escape(flm_bytes_from(part, at), out);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* "GHCziList": parts with capitals, and dots in between. */
static bool has_parts(struct flm_bytes module)
{
    size_t parts = 1;
    for (size_t at = 0; at + 2 < module.size; at++)
        if (module.at[at] == 'z' && module.at[at + 1] == 'i') {
            if (!is_upper(module.at[at + 2]))
                return false;
            parts++;
        }
    return parts > 1;
}

/* The end of the part that begins at `at`: an underscore, which names have only as "zu". */
static size_t end_of_part(struct flm_bytes name, size_t at)
{
    while (at < name.size && name.at[at] != '_')
        at++;
    return at;
}

bool flm_demangle_haskell(struct flm_bytes name, struct flm_text *out)
{
    static const char *const ends[] = {"_con_info", "_info"};
    size_t module = 0;
    bool has_end = false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && !has_end; i++)
        if ((has_end = flm_bytes_end_with(name, ends[i])))
            name.size -= strlen(ends[i]);
    if (!has_end || name.size > FLM_DEMANGLED_MOST)
        return false;
    size_t end = end_of_part(name, 0);
    if (end > 0 && end < name.size && !is_upper(name.at[0])) { /* the package */
        module = end + 1;
        end = end_of_part(name, module);
    }
    if (module >= name.size || !is_upper(name.at[module]) || end + 1 >= name.size ||
        end_of_part(name, end + 1) != name.size)
        return false;
    struct flm_bytes of_module = {name.at + module, end - module},
                     own = flm_bytes_from(name, end + 1);
    bool is_known =
        has_parts(of_module) || flm_bytes_are(of_module, "Main") || flm_bytes_start_with(own, "zd");
    if (!is_known || !add_decoded(of_module, out))
        return false;
    flm_text_putc(out, '.');
    return add_decoded(own, out) && !out->failed;
}
