/* internal.h - the reader of Rust's names (v0), and what its parts share.
 *
 * A recursive reader over the name that prints as it goes, as the RFC suggests: rust.c
 * reads paths and types, rust_constants.c constants, rust_reader.c what they
 * consist of. Names refer back to their own parts, so both depth and steps are bounded. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_INTERNAL_H
#define FLAMEL_SYMBOL_DEMANGLE_INTERNAL_H

#include "base/number/number.h"
#include "base/text/text.h"

struct flm_rust_reader {
    const char *at; /* behind "_R": what references count from */
    size_t next, size;
    struct flm_text *out;
    size_t start; /* of the name in `out` */
    unsigned depth, steps;
    uint64_t lifetimes; /* bound by the `for<...>` we are in */
    bool is_silent;     /* read, but not printed */
    bool failed;        /* then nothing is read or printed any more */
};

void flm_rust_fail(struct flm_rust_reader *r);

/* The next byte; 0 at the end. `eat` goes past it if it is that one, `take` whatever it is. */
char flm_rust_peek(const struct flm_rust_reader *r);
bool flm_rust_eat(struct flm_rust_reader *r, char byte);
char flm_rust_take(struct flm_rust_reader *r);

void flm_rust_print(struct flm_rust_reader *r, struct flm_bytes text);
void flm_rust_prints(struct flm_rust_reader *r, const char *text);
void flm_rust_print_number(struct flm_rust_reader *r, uint64_t number);

/* A step down, and back up. False when it is too deep, or was too much. */
bool flm_rust_enter(struct flm_rust_reader *r);
void flm_rust_leave(struct flm_rust_reader *r);

/* "_" is 0, "0_" 1 ... in digits 0-9 a-z A-Z; with a letter before it, 0 where that is not there.
 */
uint64_t flm_rust_take_base62(struct flm_rust_reader *r);
uint64_t flm_rust_take_tagged(struct flm_rust_reader *r, char tag);

/* Of a digit of a number in hexadecimal: those of names are in small letters. */
static inline int flm_rust_hex_value(char digit)
{
    return digit >= 'A' && digit <= 'F' ? -1 : flm_hex_value(digit);
}

struct flm_rust_identifier {
    struct flm_bytes text;
    bool is_encoded; /* by Punycode, with _ where that has - */
};

struct flm_rust_identifier flm_rust_take_identifier(struct flm_rust_reader *r);
void flm_rust_print_identifier(struct flm_rust_reader *r, struct flm_rust_identifier name);

/* Behind a 'B': goes to what it refers to; false when that need not, or cannot be read. `back` is
 * where to go on. */
bool flm_rust_follow(struct flm_rust_reader *r, size_t *back);

/* Up to an E, with commas between them; how many. */
size_t flm_rust_read_list(struct flm_rust_reader *r, void (*read_one)(struct flm_rust_reader *r));

/* `in_value`: where an expression stands, not a type. */
void flm_rust_read_path(struct flm_rust_reader *r, bool in_value);
void flm_rust_read_constant(struct flm_rust_reader *r, bool in_value);

#endif
