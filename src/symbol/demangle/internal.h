/* internal.h - the demanglers of OCaml's and Haskell's names; and of Rust's: v0 (RFC 2603), and the
 * legacy form that resembles C++.
 *
 * The v0 demangler is a recursive reader that prints as it reads, as the RFC suggests: rust.c reads
 * paths and types, rust_constants.c constants, and rust_reader.c their parts. A name refers back to
 * its own parts, so both the depth and the number of steps are bounded. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_INTERNAL_H
#define FLAMEL_SYMBOL_DEMANGLE_INTERNAL_H

#include "base/number/number.h"
#include "base/text/text.h"

/* Appends the name of a function of OCaml, which begins with "caml". False when it is none: then
 * what was appended has to be taken back. */
bool flm_demangle_ocaml(struct flm_bytes name, struct flm_text *out);

/* The same of a function of GHC: code that it has compiled. */
bool flm_demangle_haskell(struct flm_bytes name, struct flm_text *out);

/* `symbol` has no version and no suffix. Appends the name, or nothing: then false. */
bool flm_demangle_rust(struct flm_bytes symbol, struct flm_text *out);
bool flm_demangle_rust_legacy(struct flm_bytes symbol, struct flm_text *out);

struct flm_rust_reader {
    const char *at; /* after "_R": references are relative to it */
    size_t next, size;
    struct flm_text *out;
    size_t start; /* the size of `out` before the name */
    unsigned depth, steps;
    uint64_t lifetimes; /* bound by the `for<...>` we are in */
    bool is_silent;     /* read, but not printed */
    bool failed;        /* nothing more is read or printed */
};

void flm_rust_fail(struct flm_rust_reader *r);

/* The next byte; 0 at the end. `take` consumes it, `eat` only if it is that one. */
char flm_rust_peek(const struct flm_rust_reader *r);
bool flm_rust_eat(struct flm_rust_reader *r, char byte);
char flm_rust_take(struct flm_rust_reader *r);

void flm_rust_print(struct flm_rust_reader *r, struct flm_bytes text);
void flm_rust_prints(struct flm_rust_reader *r, const char *text);
void flm_rust_print_number(struct flm_rust_reader *r, uint64_t number);

/* One level deeper, and back. False when there are too many levels or steps. */
bool flm_rust_enter(struct flm_rust_reader *r);
void flm_rust_leave(struct flm_rust_reader *r);

/* A number in base 62, digits 0-9 a-z A-Z: "_" is 0, "0_" is 1. With a tag: 0 when the tag is not
 * there, else one more than the number after it. */
uint64_t flm_rust_take_base62(struct flm_rust_reader *r);
uint64_t flm_rust_take_tagged(struct flm_rust_reader *r, char tag);

/* The value of a hexadecimal digit, which is in lower case in names; else -1. */
static inline int flm_rust_hex_value(char digit)
{
    return digit >= 'A' && digit <= 'F' ? -1 : flm_hex_value(digit);
}

struct flm_rust_identifier {
    struct flm_bytes text;
    bool is_encoded; /* Punycode, with _ instead of - */
};

struct flm_rust_identifier flm_rust_take_identifier(struct flm_rust_reader *r);
void flm_rust_print_identifier(struct flm_rust_reader *r, struct flm_rust_identifier name);

/* After a 'B': continues at the part it refers to, and `*back` receives the position to return to.
 * False when that part need not, or cannot, be read. */
bool flm_rust_follow(struct flm_rust_reader *r, size_t *back);

/* Reads items up to an E and prints commas between them. Returns how many. */
size_t flm_rust_read_list(struct flm_rust_reader *r, void (*read_one)(struct flm_rust_reader *r));

/* `in_value`: inside an expression, not a type. */
void flm_rust_read_path(struct flm_rust_reader *r, bool in_value);
void flm_rust_read_constant(struct flm_rust_reader *r, bool in_value);

#endif
