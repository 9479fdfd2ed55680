/* cpp.h - names of C++, as the Itanium C++ ABI mangles them.
 *
 *     https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
 *
 * A name is read into a tree, and the tree is printed, with the text that libstdc++'s
 * __cxa_demangle has, quirks included: people know names by it, and so do other tools.
 *
 *     _ZN3app3runIiEEvT_            TYPED                        void app::run<int>(int)
 *                               TEMPLATE ------- FUNCTION
 *                          QUALIFIED --- LIST    BUILTIN --- LIST
 *                        app --- run     int     void        PARAMETER 0
 *
 * Substitutions (S_, S0_ ...) make the tree a graph, and template parameters are looked up while
 * it is printed, so a short name can stand for a text without end, or for an endless search: in
 * libstdc++ 80 bytes can take forever. Here every part that is read or printed is a step, and what
 * goes round a loop is one each time. A name stays mangled when it has more than FLM_CPP_STEPS of
 * them, is longer than FLM_DEMANGLED_MOST in either form, or has more than FLM_CPP_DEPTH levels.
 * The nodes are in one block, FLM_CPP_NODES for each byte of the name. Of 593,000 names, in all
 * programs and libraries of a system with LLVM, gcc, Chromium and Node, none has more than 7,600
 * steps or 64 levels; the slowest that was made to be slow takes 1.6 ms. */
#ifndef FLAMEL_SYMBOL_DEMANGLE_CPP_H
#define FLAMEL_SYMBOL_DEMANGLE_CPP_H

#include "base/text/text.h"

enum { FLM_CPP_STEPS = 1 << 16, FLM_CPP_DEPTH = 200, FLM_CPP_NODES = 2 };

/* Appends the name that `symbol` begins with, after "_Z". Returns how many bytes that were: what
 * follows is nothing, or begins with '.' or '@'. 0 if the name cannot be read; then nothing is
 * appended. `steps`, which may be NULL, receives the number of steps: at most FLM_CPP_STEPS. */
size_t flm_demangle_cpp(struct flm_bytes symbol, struct flm_text *out, unsigned *steps);

/* ---- The tree -------------------------------------------------------------------------------- */

/* With the children in brackets: those in parentheses may be missing. */
enum flm_cpp_kind {
    FLM_CPP_TEXT,     /* a name, or digits */
    FLM_CPP_STANDARD, /* std::string, as a substitution of its own */
    FLM_CPP_BUILTIN,
    FLM_CPP_QUALIFIED,           /* [scope, name] */
    FLM_CPP_LOCAL,               /* [function, name] */
    FLM_CPP_DEFAULT_ARGUMENT,    /* [name]; number: of the argument whose default value it is in */
    FLM_CPP_TEMPLATE,            /* [name, LIST] */
    FLM_CPP_LIST,                /* [(item), (LIST)] */
    FLM_CPP_TAGGED,              /* [name, tag] */
    FLM_CPP_CONSTRUCTOR,         /* [name] */
    FLM_CPP_DESTRUCTOR,          /* [name] */
    FLM_CPP_OPERATOR,            /* operator */
    FLM_CPP_VENDOR_OPERATOR,     /* [name]; number: of operands */
    FLM_CPP_CONVERSION,          /* [type] */
    FLM_CPP_CAST,                /* [type] */
    FLM_CPP_LITERAL_OPERATOR,    /* [name] */
    FLM_CPP_LAMBDA,              /* [LIST, (LIST of DECLARATION)]; number */
    FLM_CPP_DECLARATION,         /* [(type, or LIST of DECLARATION)]; number: its letter */
    FLM_CPP_UNNAMED,             /* number */
    FLM_CPP_BINDINGS,            /* [LIST] */
    FLM_CPP_TYPED,               /* [name, FUNCTION] */
    FLM_CPP_SPECIAL,             /* [what]; number: of its prefix */
    FLM_CPP_CONSTRUCTION_VTABLE, /* [base, class] */
    FLM_CPP_REFERENCE_TEMPORARY, /* [name, number] */
    /* Types. First those that are written around the type below. */
    FLM_CPP_POINTER,            /* [type] */
    FLM_CPP_REFERENCE,          /* [type] */
    FLM_CPP_RVALUE_REFERENCE,   /* [type] */
    FLM_CPP_COMPLEX,            /* [type] */
    FLM_CPP_IMAGINARY,          /* [type] */
    FLM_CPP_CONST,              /* [type] */
    FLM_CPP_VOLATILE,           /* [type] */
    FLM_CPP_RESTRICT,           /* [type] */
    FLM_CPP_VENDOR_QUALIFIED,   /* [type, qualifier] */
    FLM_CPP_VECTOR,             /* [dimension, type] */
    FLM_CPP_MEMBER_POINTER,     /* [class, type] */
    FLM_CPP_FUNCTION,           /* [(return type), LIST] */
    FLM_CPP_ARRAY,              /* [(dimension), type] */
    FLM_CPP_CONST_THIS,         /* [function or name] */
    FLM_CPP_VOLATILE_THIS,      /* [function or name] */
    FLM_CPP_RESTRICT_THIS,      /* [function or name] */
    FLM_CPP_REFERENCE_THIS,     /* [function or name] */
    FLM_CPP_RVALUE_THIS,        /* [function or name] */
    FLM_CPP_TRANSACTION_SAFE,   /* [function] */
    FLM_CPP_NOEXCEPT,           /* [function, (expression)] */
    FLM_CPP_THROW,              /* [function, (LIST)] */
    FLM_CPP_PARAMETER,          /* number; scope: that it was first printed in, behind a & */
    FLM_CPP_PACK,               /* [pattern] */
    FLM_CPP_DECLTYPE,           /* [expression] */
    FLM_CPP_FLOAT,              /* [digits] */
    FLM_CPP_FIXED_POINT,        /* [type]; number: 0 _Fract, 1 _Accum, 2 and 3 saturating */
    FLM_CPP_NULLARY,            /* [operator] */
    FLM_CPP_UNARY,              /* [operator, operand] */
    FLM_CPP_POSTFIX,            /* [operator, operand] */
    FLM_CPP_BINARY,             /* [operator, OPERANDS] */
    FLM_CPP_TERNARY,            /* [operator, OPERANDS of one and OPERANDS] */
    FLM_CPP_OPERANDS,           /* [first, second] */
    FLM_CPP_LITERAL,            /* [type, value] */
    FLM_CPP_NEGATIVE_LITERAL,   /* [type, value] */
    FLM_CPP_INITIALIZER,        /* [(type), LIST] */
    FLM_CPP_FUNCTION_PARAMETER, /* number: 0 is `this` */
    FLM_CPP_VENDOR_EXPRESSION,  /* [name, LIST] */
};

struct flm_cpp_operator {
    char code[3];
    unsigned char operands;
    const char *text; /* ends with a blank if one stands before the operand */
};

/* How a literal of a type is written: 5, 5u, (char)5, true, (float)[3f800000] */
enum flm_cpp_literal {
    FLM_CPP_CASTED,
    FLM_CPP_INTEGER,
    FLM_CPP_BOOLEAN,
    FLM_CPP_FLOATING,
    FLM_CPP_NOTHING
};

struct flm_cpp_builtin {
    const char *text;
    enum flm_cpp_literal literal;
    const char *suffix;
};

/* The templates whose arguments T_, T0_ ... stand for, the innermost first. */
struct flm_cpp_scope {
    struct flm_cpp_node *template;
    const struct flm_cpp_scope *outer;
};

struct flm_cpp_node {
    uint8_t kind;
    uint8_t nesting; /* the printer is inside of it: so many times */
    bool is_scoped;  /* of a PARAMETER: `scope` is known */
    bool is_pack;    /* of a DECLARATION */
    int32_t number; /* of a TEMPLATE: 1 more than the index of the last scope that was made of it */
    union {
        struct {
            struct flm_cpp_node *left, *right;
        };
        struct flm_bytes text;
        const struct flm_cpp_operator *operator;
        const struct flm_cpp_builtin *builtin;
        const struct flm_cpp_scope *scope;
    };
};

/* By their letters. NULL if there is none. A builtin's first letter may be 'D': Di is char32_t. */
const struct flm_cpp_operator *flm_cpp_find_operator(char first, char second);
const struct flm_cpp_builtin *flm_cpp_find_builtin(char letter);
const struct flm_cpp_builtin *flm_cpp_find_builtin_d(char letter);

/* std::string and the like. `full` is used in front of constructors; `last` is their name. */
struct flm_cpp_standard {
    char letter;
    const char *text, *full, *last;
};
const struct flm_cpp_standard *flm_cpp_find_standard(char letter);

/* "vtable for ": by the number of a SPECIAL. -1 if the letters are none. */
int flm_cpp_find_special(char first, char second);
const char *flm_cpp_special_text(int number);

/* Whether the operator has these two letters. */
static inline bool flm_cpp_is(const struct flm_cpp_node *operator, const char * code)
{
    return operator->kind == FLM_CPP_OPERATOR && operator->operator->code[0] == code[0] &&
    operator->
    operator->code[1] == code[1];
}

static inline bool flm_cpp_is_cast(const struct flm_cpp_node *operator)
{
    return flm_cpp_is(operator, "sc") || flm_cpp_is(operator, "dc") || flm_cpp_is(operator, "cc") ||
           flm_cpp_is(operator, "rc");
}

/* Qualifiers behind the parameters of a function. */
static inline bool flm_cpp_is_function_qualifier(const struct flm_cpp_node *node)
{
    return node->kind >= FLM_CPP_CONST_THIS && node->kind <= FLM_CPP_THROW;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct flm_cpp_reader {
    const char *at, *end;
    struct flm_cpp_node *nodes;
    size_t node_count, node_capacity;
    struct flm_cpp_node **substitutions;
    size_t substitution_count, substitution_capacity;
    struct flm_cpp_node *last_name; /* what a constructor that follows is called */
    unsigned depth, steps;
    bool is_expression; /* "cv" is a cast, not a conversion function */
    bool is_conversion; /* arguments behind T_ may be those of the conversion function */
    bool may_be_old;    /* it could be another name by the grammar of gcc 10 */
    bool is_old;        /* it is read so */
    bool failed;        /* nothing more is read; all return NULL */
};

/* The next byte. 0 at the end, which '.' and '@' are too: a suffix or a version follows. */
static inline char flm_cpp_peek(const struct flm_cpp_reader *r)
{
    char byte = r->at < r->end ? *r->at : 0;
    return byte == '.' || byte == '@' ? 0 : byte;
}

/* The one behind it. */
static inline char flm_cpp_peek_second(const struct flm_cpp_reader *r)
{
    return r->end - r->at > 1 ? r->at[1] : 0;
}

static inline bool flm_cpp_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Consumes the next byte if it is that one; both, if they are those. */
static inline bool flm_cpp_eat(struct flm_cpp_reader *r, char byte)
{
    bool found = flm_cpp_peek(r) == byte;
    r->at += found;
    return found;
}

static inline bool flm_cpp_eat_both(struct flm_cpp_reader *r, const char *both)
{
    bool found = flm_cpp_peek(r) == both[0] && flm_cpp_peek_second(r) == both[1];
    r->at += found ? 2 : 0;
    return found;
}

/* NULL, and the reader has failed. */
void *flm_cpp_fail(struct flm_cpp_reader *r);

/* Fails if the next byte is another. */
bool flm_cpp_expect(struct flm_cpp_reader *r, char byte);

/* Steps of what costs time and is no level: bytes that are read again, say. */
bool flm_cpp_count(struct flm_cpp_reader *r, size_t steps);

/* One level deeper, and back. False when there are too many levels or steps. */
bool flm_cpp_enter(struct flm_cpp_reader *r);
static inline void flm_cpp_leave(struct flm_cpp_reader *r)
{
    r->depth--;
}

/* A new node; NULL when the reader has failed. `make` fails if `left` is NULL. */
struct flm_cpp_node *flm_cpp_make(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                  struct flm_cpp_node *left, struct flm_cpp_node *right);
struct flm_cpp_node *flm_cpp_make_leaf(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                       int32_t number);
struct flm_cpp_node *flm_cpp_make_text(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                       struct flm_bytes text);

/* Remembers the node as the next S_. Returns it. */
struct flm_cpp_node *flm_cpp_remember(struct flm_cpp_reader *r, struct flm_cpp_node *node);

/* [n] digits. Fails above 2^31 - 1; without a digit it is 0. */
int32_t flm_cpp_read_number(struct flm_cpp_reader *r);
/* "_" is 0, "0_" is 1. */
int32_t flm_cpp_read_sequence_number(struct flm_cpp_reader *r);

struct flm_cpp_node *flm_cpp_read_encoding(struct flm_cpp_reader *r, bool is_outermost);
struct flm_cpp_node *flm_cpp_read_name(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_source_name(struct flm_cpp_reader *r);
/* "_1" or "__12_" behind a name, which says which of several equal names it is: not printed. */
struct flm_cpp_node *flm_cpp_skip_discriminator(struct flm_cpp_reader *r,
                                                struct flm_cpp_node *name);
struct flm_cpp_node *flm_cpp_read_unqualified_name(struct flm_cpp_reader *r);
/* The parts of a nested name up to its E, which it leaves. `remembers`: they are substitutions. */
struct flm_cpp_node *flm_cpp_read_prefix(struct flm_cpp_reader *r, bool remembers);
/* `is_prefix`: what it is may be the class of a constructor that follows. */
struct flm_cpp_node *flm_cpp_read_substitution(struct flm_cpp_reader *r, bool is_prefix);

struct flm_cpp_node *flm_cpp_read_type(struct flm_cpp_reader *r);
/* The qualifiers in front of a type or, `of_member`, a nested name: `*outermost` receives the first
 * of them. Returns where what they qualify belongs, which is `outermost` if there are none. */
struct flm_cpp_node **flm_cpp_read_qualifiers(struct flm_cpp_reader *r,
                                              struct flm_cpp_node **outermost, bool of_member);
/* R or O behind the parameters of a function, which is `inside`; else returns that. */
struct flm_cpp_node *flm_cpp_read_reference_qualifier(struct flm_cpp_reader *r,
                                                      struct flm_cpp_node *inside);
struct flm_cpp_node *flm_cpp_read_function(struct flm_cpp_reader *r, bool returns);
struct flm_cpp_node *flm_cpp_read_parameters(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_parameter(struct flm_cpp_reader *r); /* T_ */

/* `I` or `J`, arguments, E; and the arguments after that letter. */
struct flm_cpp_node *flm_cpp_read_arguments(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_arguments_inside(struct flm_cpp_reader *r);
/* Of template parameters, as many as there are: Ty is typename, Tni an int. NULL if none is. */
struct flm_cpp_node *flm_cpp_read_declarations(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_argument(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_expression(struct flm_cpp_reader *r);
struct flm_cpp_node *flm_cpp_read_operator(struct flm_cpp_reader *r);

/* ---- Printing -------------------------------------------------------------------------------- */

/* A part of a declaration that is written around what is being printed, the innermost first:
 *
 *     int (*)[3]      the array's element is printed; the pointer waits for the array, and the
 *                     array for the int
 *     void f(int)     the name f waits until the return type is printed */
struct flm_cpp_modifier {
    struct flm_cpp_node *node;
    const struct flm_cpp_scope *scope;
    struct flm_cpp_modifier *outer;
    bool is_printed;
};

struct flm_cpp_printer {
    struct flm_text *out;
    size_t end; /* the size that `out` must not exceed */
    char last;  /* the byte that was printed last; not changed when a comma is taken back */
    const struct flm_cpp_scope *scope;
    struct flm_cpp_scope *scopes; /* all there are; they stay */
    size_t scope_count, scope_capacity;
    struct flm_cpp_node *template; /* that is being printed */
    struct flm_cpp_modifier *modifiers;
    int32_t pack_index;                /* of the element that is printed; -1: the pack as a list */
    unsigned lambda_depth;             /* in parameters of lambdas, where T_ is auto:1 */
    struct flm_cpp_node *declarations; /* of the innermost lambda: or $T0 */
    unsigned depth, steps;
    bool failed;
};

void flm_cpp_print(struct flm_cpp_printer *p, struct flm_cpp_node *node);

/* Where there is no room left, or too much was printed: then the printer fails. */
void flm_cpp_print_slowly(struct flm_cpp_printer *p, struct flm_bytes bytes);

/* Half of the time goes into short texts, so these are here. */
static inline void flm_cpp_print_bytes(struct flm_cpp_printer *p, struct flm_bytes bytes)
{
    struct flm_text *out = p->out;
    size_t room = out->capacity < p->end ? out->capacity : p->end;
    if (p->failed || bytes.size == 0 || out->size > room || bytes.size > room - out->size) {
        flm_cpp_print_slowly(p, bytes);
        return;
    }
    memcpy(out->at + out->size, bytes.at, bytes.size);
    out->size += bytes.size;
    p->last = bytes.at[bytes.size - 1];
}

static inline void flm_cpp_prints(struct flm_cpp_printer *p, const char *text)
{
    flm_cpp_print_bytes(p, flm_bytes_of(text));
}

static inline void flm_cpp_print_byte(struct flm_cpp_printer *p, char byte)
{
    flm_cpp_print_bytes(p, (struct flm_bytes){&byte, 1});
}

void flm_cpp_print_number(struct flm_cpp_printer *p, int64_t number);
void flm_cpp_print_list(struct flm_cpp_printer *p, struct flm_cpp_node *list);
/* <...>, with blanks where two < or > would meet. */
void flm_cpp_print_arguments(struct flm_cpp_printer *p, struct flm_cpp_node *list);

/* A step; false, and the printer has failed, when there were too many. */
bool flm_cpp_step(struct flm_cpp_printer *p);

/* From now on, T_ is an argument of `template`. */
void flm_cpp_enter_scope(struct flm_cpp_printer *p, struct flm_cpp_node *template);

/* What a PARAMETER stands for; in a pack that is being expanded its element. NULL if nothing. */
struct flm_cpp_node *flm_cpp_look_up(struct flm_cpp_printer *p,
                                     const struct flm_cpp_node *parameter);
/* The first pack in a pattern. NULL if there is none. */
struct flm_cpp_node *flm_cpp_find_pack(struct flm_cpp_printer *p, struct flm_cpp_node *pattern);
int32_t flm_cpp_count_items(struct flm_cpp_printer *p, const struct flm_cpp_node *list);

/* If the name is a DEFAULT_ARGUMENT, prints which, and returns the name in it; else the name. */
struct flm_cpp_node *flm_cpp_print_default_argument(struct flm_cpp_printer *p,
                                                    struct flm_cpp_node *name);

/* The kinds from POINTER to THROW; and a TYPED. */
void flm_cpp_print_type(struct flm_cpp_printer *p, struct flm_cpp_node *node);
void flm_cpp_print_typed(struct flm_cpp_printer *p, struct flm_cpp_node *node);
/* The kinds from PACK on. */
void flm_cpp_print_expression(struct flm_cpp_printer *p, struct flm_cpp_node *node);

#endif
