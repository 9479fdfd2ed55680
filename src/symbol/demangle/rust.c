#include "symbol/demangle/demangle.h"
#include "symbol/demangle/internal.h"

enum { MOST_BOUND = 200 }; /* lifetimes of one `for<...>` */

static void read_type(struct flm_rust_reader *r);

static void print_lifetime(struct flm_rust_reader *r, uint64_t index)
{
    if (r->is_silent) /* bindings outside of a reference are not known inside */
        return;
    flm_rust_prints(r, "'");
    if (index == 0) {
        flm_rust_prints(r, "_");
        return;
    }
    if (index > r->lifetimes) {
        flm_rust_fail(r);
        return;
    }
    uint64_t depth = r->lifetimes - index;
    if (depth < 26) {
        char letter = (char)('a' + depth);
        flm_rust_print(r, (struct flm_bytes){&letter, 1});
    } else {
        flm_rust_prints(r, "_");
        flm_rust_print_number(r, depth);
    }
}

/* Prints for<'a, 'b>, and returns how many lifetimes it binds. */
static uint64_t read_binder(struct flm_rust_reader *r)
{
    uint64_t bound = flm_rust_take_tagged(r, 'G');
    if (bound > MOST_BOUND)
        flm_rust_fail(r);
    if (bound == 0 || r->failed)
        return 0;
    flm_rust_prints(r, "for<");
    for (uint64_t i = 0; i < bound; i++) {
        r->lifetimes++;
        flm_rust_prints(r, i > 0 ? ", " : "");
        print_lifetime(r, 1);
    }
    flm_rust_prints(r, "> ");
    return bound;
}

static void read_generic(struct flm_rust_reader *r)
{
    if (flm_rust_eat(r, 'L'))
        print_lifetime(r, flm_rust_take_base62(r));
    else if (flm_rust_eat(r, 'K'))
        flm_rust_read_constant(r, false);
    else
        read_type(r);
}

/* "::name", "::{closure#0}" */
static void read_nested(struct flm_rust_reader *r, bool in_value)
{
    char space = flm_rust_take(r);
    bool is_special = space >= 'A' && space <= 'Z';
    if (!is_special && !(space >= 'a' && space <= 'z'))
        flm_rust_fail(r);
    flm_rust_read_path(r, in_value);
    uint64_t which = flm_rust_take_tagged(r, 's');
    struct flm_rust_identifier name = flm_rust_take_identifier(r);
    if (is_special) {
        char letter[2] = {space, 0};
        flm_rust_prints(r, "::{");
        flm_rust_prints(r, space == 'C' ? "closure" : space == 'S' ? "shim" : letter);
        flm_rust_prints(r, name.text.size ? ":" : "");
        flm_rust_print_identifier(r, name);
        flm_rust_prints(r, "#");
        flm_rust_print_number(r, which);
        flm_rust_prints(r, "}");
    } else if (name.text.size) {
        flm_rust_prints(r, "::");
        flm_rust_print_identifier(r, name);
    }
}

/* <T>, <T as Trait> */
static void read_implementation(struct flm_rust_reader *r, char tag)
{
    if (tag != 'Y') { /* the location of the impl block, which is not printed */
        bool was_silent = r->is_silent;
        flm_rust_take_tagged(r, 's');
        r->is_silent = true;
        flm_rust_read_path(r, false);
        r->is_silent = was_silent;
    }
    flm_rust_prints(r, "<");
    read_type(r);
    if (tag != 'M') {
        flm_rust_prints(r, " as ");
        flm_rust_read_path(r, false);
    }
    flm_rust_prints(r, ">");
}

void flm_rust_read_path(struct flm_rust_reader *r, bool in_value)
{
    size_t back;
    if (!flm_rust_enter(r))
        return;
    char tag = flm_rust_take(r);
    switch (tag) {
    case 'C':
        flm_rust_take_tagged(r, 's');
        flm_rust_print_identifier(r, flm_rust_take_identifier(r));
        break;
    case 'N':
        read_nested(r, in_value);
        break;
    case 'M':
    case 'X':
    case 'Y':
        read_implementation(r, tag);
        break;
    case 'I':
        flm_rust_read_path(r, in_value);
        flm_rust_prints(r, in_value ? "::<" : "<");
        flm_rust_read_list(r, read_generic);
        flm_rust_prints(r, ">");
        break;
    case 'B':
        if (flm_rust_follow(r, &back)) {
            flm_rust_read_path(r, in_value);
            r->next = back;
        }
        break;
    default:
        flm_rust_fail(r);
    }
    flm_rust_leave(r);
}

static const char *basic_type(char tag)
{
    static const char *const names[] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                        "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                        "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                        "...",  NULL,    "i64",   "u64", "!"};
    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void read_function(struct flm_rust_reader *r)
{
    uint64_t bound = read_binder(r);
    flm_rust_prints(r, flm_rust_eat(r, 'U') ? "unsafe " : "");
    if (flm_rust_eat(r, 'K')) {
        flm_rust_prints(r, "extern \"");
        if (flm_rust_eat(r, 'C')) {
            flm_rust_prints(r, "C");
        } else {
            struct flm_rust_identifier abi = flm_rust_take_identifier(r);
            if (abi.is_encoded || abi.text.size == 0)
                flm_rust_fail(r);
            for (size_t i = 0; i < abi.text.size; i++)
                flm_rust_print(r, abi.text.at[i] == '_' ? flm_bytes_of("-")
                                                        : (struct flm_bytes){abi.text.at + i, 1});
        }
        flm_rust_prints(r, "\" ");
    }
    flm_rust_prints(r, "fn(");
    flm_rust_read_list(r, read_type);
    flm_rust_prints(r, ")");
    if (!flm_rust_eat(r, 'u')) {
        flm_rust_prints(r, " -> ");
        read_type(r);
    }
    r->lifetimes -= bound;
}

/* The path of a trait. True when its list of generic arguments is left open, for bindings. */
static bool read_open_path(struct flm_rust_reader *r)
{
    size_t back;
    bool is_open = false;
    if (!flm_rust_enter(r))
        return false;
    if (flm_rust_eat(r, 'B')) {
        if (flm_rust_follow(r, &back)) {
            is_open = read_open_path(r);
            r->next = back;
        }
    } else if (flm_rust_eat(r, 'I')) {
        flm_rust_read_path(r, false);
        flm_rust_prints(r, "<");
        flm_rust_read_list(r, read_generic);
        is_open = true;
    } else {
        flm_rust_read_path(r, false);
    }
    flm_rust_leave(r);
    return is_open;
}

static void read_dynamic(struct flm_rust_reader *r)
{
    flm_rust_prints(r, "dyn ");
    uint64_t bound = read_binder(r);
    for (size_t i = 0; !r->failed && !flm_rust_eat(r, 'E'); i++) {
        flm_rust_prints(r, i > 0 ? " + " : "");
        bool is_open = read_open_path(r);
        while (flm_rust_eat(r, 'p')) {
            flm_rust_prints(r, is_open ? ", " : "<");
            is_open = true;
            flm_rust_print_identifier(r, flm_rust_take_identifier(r));
            flm_rust_prints(r, " = ");
            read_type(r);
        }
        flm_rust_prints(r, is_open ? ">" : "");
    }
    r->lifetimes -= bound;
    if (!flm_rust_eat(r, 'L'))
        flm_rust_fail(r);
    uint64_t lifetime = flm_rust_take_base62(r);
    if (lifetime) {
        flm_rust_prints(r, " + ");
        print_lifetime(r, lifetime);
    }
}

static void read_type(struct flm_rust_reader *r)
{
    size_t back;
    if (!flm_rust_enter(r))
        return;
    char tag = flm_rust_take(r);
    const char *basic = basic_type(tag);
    if (basic) {
        flm_rust_prints(r, basic);
        flm_rust_leave(r);
        return;
    }
    switch (tag) {
    case 'R':
    case 'Q':
        flm_rust_prints(r, "&");
        if (flm_rust_eat(r, 'L')) {
            uint64_t lifetime = flm_rust_take_base62(r);
            if (lifetime) {
                print_lifetime(r, lifetime);
                flm_rust_prints(r, " ");
            }
        }
        flm_rust_prints(r, tag == 'Q' ? "mut " : "");
        read_type(r);
        break;
    case 'P':
    case 'O':
        flm_rust_prints(r, tag == 'P' ? "*const " : "*mut ");
        read_type(r);
        break;
    case 'A':
    case 'S':
        flm_rust_prints(r, "[");
        read_type(r);
        if (tag == 'A') {
            flm_rust_prints(r, "; ");
            flm_rust_read_constant(r, true);
        }
        flm_rust_prints(r, "]");
        break;
    case 'T':
        flm_rust_prints(r, "(");
        flm_rust_prints(r, flm_rust_read_list(r, read_type) == 1 ? ",)" : ")");
        break;
    case 'F':
        read_function(r);
        break;
    case 'D':
        read_dynamic(r);
        break;
    case 'B':
        if (flm_rust_follow(r, &back)) {
            read_type(r);
            r->next = back;
        }
        break;
    default:
        if (r->failed)
            break;
        r->next--;
        flm_rust_read_path(r, false);
    }
    flm_rust_leave(r);
}

bool flm_demangle_rust(struct flm_bytes symbol, struct flm_text *out)
{
    if (!flm_bytes_start_with(symbol, "_R") || symbol.size > FLM_DEMANGLED_MOST)
        return false;
    struct flm_rust_reader r = {
        .at = symbol.at + 2, .size = symbol.size - 2, .out = out, .start = out->size};
    if (flm_rust_peek(&r) < 'A' || flm_rust_peek(&r) > 'Z') /* a digit: an unknown version */
        return false;
    flm_rust_read_path(&r, true);
    if (!r.failed && flm_rust_peek(&r) >= 'A' &&
        flm_rust_peek(&r) <= 'Z') { /* the crate that instantiated it */
        r.is_silent = true;
        flm_rust_read_path(&r, false);
    }
    bool done = !r.failed && r.next == r.size;
    if (!done && !out->failed)
        out->size = r.start;
    return done;
}
