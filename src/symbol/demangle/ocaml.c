/* ocaml.c - names of OCaml's native compiler: "camlStdlib__List__map_245" is Stdlib.List.map.
 *
 * A module's name follows "caml"; "__" is a dot, "$5e" the character with that code. Each function
 * has a number behind it, which tells functions of one name in a module apart. It is kept for those
 * without a name ("fun_245"), which would be one function otherwise. */
#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

#include "base/core/bytes.h"

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Where the number behind the name begins: the size, if there is none. */
static size_t find_number(struct flm_bytes name)
{
    size_t at = name.size;
    while (at > 0 && name.at[at - 1] >= '0' && name.at[at - 1] <= '9')
        at--;
    bool has_one = at < name.size && at > 1 && name.at[at - 1] == '_';
    bool is_anonymous =
        has_one && at > 5 && memcmp(name.at + at - 4, "fun", 3) == 0 && name.at[at - 5] == '_';
    return has_one && !is_anonymous ? at - 1 : name.size;
}

bool flm_demangle_ocaml(struct flm_bytes name, struct flm_text *out)
{
    enum { PREFIX = 4 };
    if (name.size <= PREFIX || name.at[PREFIX] < 'A' || name.at[PREFIX] > 'Z' ||
        name.size > FLM_DEMANGLED_MOST)
        return false;
    name.size = find_number(name);
    for (size_t at = PREFIX; at < name.size; at++) {
        const char *c = name.at + at;
        size_t left = name.size - at;
        if (left > 2 && c[0] == '_' && c[1] == '_' && at > PREFIX) {
            flm_text_putc(out, '.');
            at++;
        } else if (left > 2 && c[0] == '$' && hex_digit(c[1]) >= 2 && hex_digit(c[2]) >= 0) {
            flm_text_putc(out, (char)(16 * hex_digit(c[1]) + hex_digit(c[2])));
            at += 2;
        } else {
            flm_text_putc(out, c[0]);
        }
    }
    return !out->failed;
}
