/* cpp_types.c - types in names of C++. */
#include "symbol/demangle/cpp.h"

/* ---- Qualifiers ------------------------------------------------------------------------------ */

static bool is_exception_specification(char letter)
{
    return letter == 'x' || letter == 'o' || letter == 'O' || letter == 'w';
}

static bool is_at_qualifier(const struct flm_cpp_reader *r)
{
    char next = flm_cpp_peek(r);
    return next == 'r' || next == 'V' || next == 'K' ||
           (next == 'D' && is_exception_specification(flm_cpp_peek_second(r)));
}

/* Dx, Do, DO expression E, Dw types E */
static struct flm_cpp_node *read_exception_specification(struct flm_cpp_reader *r)
{
    char letter = flm_cpp_peek_second(r);
    r->at += 2;
    struct flm_cpp_node *node = flm_cpp_make_leaf(r,
                                                  letter == 'x'   ? FLM_CPP_TRANSACTION_SAFE
                                                  : letter == 'w' ? FLM_CPP_THROW
                                                                  : FLM_CPP_NOEXCEPT,
                                                  0);
    if (node && letter == 'O')
        node->right = flm_cpp_read_expression(r);
    else if (node && letter == 'w')
        node->right = flm_cpp_read_parameters(r);
    if (letter == 'O' || letter == 'w')
        flm_cpp_expect(r, 'E');
    return r->failed ? NULL : node;
}

struct flm_cpp_node **flm_cpp_read_qualifiers(struct flm_cpp_reader *r,
                                              struct flm_cpp_node **outermost, bool of_member)
{
    struct flm_cpp_node **inside = outermost;
    while (!r->failed && is_at_qualifier(r)) {
        char next = flm_cpp_peek(r);
        if (next == 'D') {
            *inside = read_exception_specification(r);
        } else {
            *inside = flm_cpp_make_leaf(r,
                                        next == 'r'   ? FLM_CPP_RESTRICT
                                        : next == 'V' ? FLM_CPP_VOLATILE
                                                      : FLM_CPP_CONST,
                                        0);
            r->at++;
        }
        if (!r->failed)
            inside = &(*inside)->left;
    }
    if (r->failed || !(of_member || flm_cpp_peek(r) == 'F'))
        return inside;
    /* They are those of `this`. */
    for (struct flm_cpp_node *node = *outermost; inside != outermost && node; node = node->left) {
        if (node->kind >= FLM_CPP_CONST && node->kind <= FLM_CPP_RESTRICT)
            node->kind = (uint8_t)(node->kind - FLM_CPP_CONST + FLM_CPP_CONST_THIS);
        if (inside == &node->left)
            break;
    }
    return inside;
}

struct flm_cpp_node *flm_cpp_read_reference_qualifier(struct flm_cpp_reader *r,
                                                      struct flm_cpp_node *inside)
{
    if (flm_cpp_eat(r, 'R'))
        return flm_cpp_make(r, FLM_CPP_REFERENCE_THIS, inside, NULL);
    if (flm_cpp_eat(r, 'O'))
        return flm_cpp_make(r, FLM_CPP_RVALUE_THIS, inside, NULL);
    return inside;
}

/* ---- Functions, arrays, vectors -------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_read_parameters(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *first = NULL, **end = &first;
    for (;;) {
        char next = flm_cpp_peek(r);
        if (next == 0 || next == 'E' ||
            ((next == 'R' || next == 'O') && flm_cpp_peek_second(r) == 'E'))
            break;
        *end = flm_cpp_make(r, FLM_CPP_LIST, flm_cpp_read_type(r), NULL);
        if (!*end)
            return NULL;
        end = &(*end)->right;
    }
    if (!first)
        return flm_cpp_fail(r);
    if (!first->right && first->left->kind == FLM_CPP_BUILTIN &&
        first->left->builtin->literal == FLM_CPP_NOTHING)
        first->left = NULL; /* (void) */
    return first;
}

struct flm_cpp_node *flm_cpp_read_function(struct flm_cpp_reader *r, bool returns)
{
    struct flm_cpp_node *result = NULL;
    returns = flm_cpp_eat(r, 'J') || returns;
    if (returns && !(result = flm_cpp_read_type(r)))
        return NULL;
    struct flm_cpp_node *function =
        flm_cpp_make(r, FLM_CPP_FUNCTION, flm_cpp_read_parameters(r), NULL);
    if (function) {
        function->right = function->left;
        function->left = result;
    }
    return function;
}

/* F [Y] types [R or O] E; Y, of C, is not printed. */
static struct flm_cpp_node *read_function_type(struct flm_cpp_reader *r)
{
    flm_cpp_expect(r, 'F');
    flm_cpp_eat(r, 'Y');
    struct flm_cpp_node *function = flm_cpp_read_function(r, true);
    function = function ? flm_cpp_read_reference_qualifier(r, function) : NULL;
    return flm_cpp_expect(r, 'E') ? function : NULL;
}

static struct flm_cpp_node *read_digits(struct flm_cpp_reader *r)
{
    const char *start = r->at;
    while (flm_cpp_is_digit(flm_cpp_peek(r)))
        r->at++;
    return flm_cpp_make_text(r, FLM_CPP_TEXT, (struct flm_bytes){start, (size_t)(r->at - start)});
}

/* A [dimension] _ type; Dv dimension _ type, where an expression stands behind another _. */
static struct flm_cpp_node *read_array(struct flm_cpp_reader *r, bool is_vector)
{
    struct flm_cpp_node *dimension = NULL;
    if (flm_cpp_is_digit(flm_cpp_peek(r)))
        dimension = read_digits(r);
    else if (is_vector ? flm_cpp_expect(r, '_') : flm_cpp_peek(r) != '_')
        dimension = flm_cpp_read_expression(r);
    struct flm_cpp_node *type = flm_cpp_expect(r, '_') ? flm_cpp_read_type(r) : NULL;
    struct flm_cpp_node *array =
        flm_cpp_make(r, is_vector ? FLM_CPP_VECTOR : FLM_CPP_ARRAY, type, NULL);
    if (array) {
        array->left = dimension;
        array->right = type;
    }
    return array;
}

/* ---- Types ----------------------------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_read_parameter(struct flm_cpp_reader *r)
{
    flm_cpp_expect(r, 'T');
    struct flm_cpp_node *parameter =
        flm_cpp_make_leaf(r, FLM_CPP_PARAMETER, flm_cpp_read_sequence_number(r));
    if (parameter)
        parameter->scope = NULL;
    return parameter;
}

static struct flm_cpp_node *read_qualified(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *type = NULL;
    struct flm_cpp_node **inside = flm_cpp_read_qualifiers(r, &type, false);
    if (r->failed)
        return NULL;
    struct flm_cpp_node *of = flm_cpp_peek(r) == 'F' ? read_function_type(r) : flm_cpp_read_type(r);
    if (!of)
        return NULL;
    *inside = of;
    if (of->kind == FLM_CPP_REFERENCE_THIS || of->kind == FLM_CPP_RVALUE_THIS) {
        *inside = of->left; /* () const &, not () & const */
        of->left = type;
        type = of;
    }
    return type;
}

static struct flm_cpp_node *read_builtin(struct flm_cpp_reader *r,
                                         const struct flm_cpp_builtin *builtin)
{
    struct flm_cpp_node *node = flm_cpp_make_leaf(r, FLM_CPP_BUILTIN, 0);
    if (node)
        node->builtin = builtin;
    return node;
}

/* DF, of bits: 16_ is _Float16, 32x is _Float32x, 16b is std::bfloat16_t. Otherwise a fixed-point
 * type of the C extension: DF [bits] type bits n, or s if it saturates. */
static struct flm_cpp_node *read_float_or_fixed(struct flm_cpp_reader *r)
{
    const char *digits = r->at;
    while (flm_cpp_is_digit(flm_cpp_peek(r)))
        r->at++;
    struct flm_bytes bits = {digits, (size_t)(r->at - digits)};
    if (bits.size && (flm_cpp_peek(r) == '_' || flm_cpp_peek(r) == 'x')) {
        bits.size += *r->at == 'x';
        r->at++;
        return flm_cpp_make(r, FLM_CPP_FLOAT, flm_cpp_make_text(r, FLM_CPP_TEXT, bits), NULL);
    }
    if (flm_bytes_are(bits, "16") && flm_cpp_eat(r, 'b'))
        return flm_cpp_make_text(r, FLM_CPP_TEXT, flm_bytes_of("std::bfloat16_t"));
    struct flm_cpp_node *fixed = flm_cpp_make(r, FLM_CPP_FIXED_POINT, flm_cpp_read_type(r), NULL);
    flm_cpp_read_number(r);
    char last = flm_cpp_peek(r);
    if (!fixed || (last != 's' && last != 'n'))
        return flm_cpp_fail(r);
    r->at++;
    fixed->number = (bits.size > 0) + (last == 's' ? 2 : 0);
    return fixed;
}

/* After D. `*remembers`: it may be substituted. */
static struct flm_cpp_node *read_d(struct flm_cpp_reader *r, bool *remembers)
{
    struct flm_cpp_node *type;
    char letter = flm_cpp_peek(r);
    r->at += letter != 0;
    *remembers = letter == 'T' || letter == 't' || letter == 'p' || letter == 'v';
    switch (letter) {
    case 'T':
    case 't':
        type = flm_cpp_make(r, FLM_CPP_DECLTYPE, flm_cpp_read_expression(r), NULL);
        return flm_cpp_expect(r, 'E') ? type : NULL;
    case 'p':
        return flm_cpp_make(r, FLM_CPP_PACK, flm_cpp_read_type(r), NULL);
    case 'v':
        return read_array(r, true);
    case 'a':
        return flm_cpp_make_text(r, FLM_CPP_TEXT, flm_bytes_of("auto"));
    case 'c':
        return flm_cpp_make_text(r, FLM_CPP_TEXT, flm_bytes_of("decltype(auto)"));
    case 'F':
        return read_float_or_fixed(r);
    default:
        return flm_cpp_find_builtin_d(letter) ? read_builtin(r, flm_cpp_find_builtin_d(letter))
                                              : flm_cpp_fail(r);
    }
}

/* T_, which may be a template itself. After it the arguments of a conversion function may stand:
 * then they are no part of the type, unless others follow them. */
static struct flm_cpp_node *read_parameter_type(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *type = flm_cpp_read_parameter(r);
    if (!type || flm_cpp_peek(r) != 'I')
        return type;
    struct flm_cpp_reader before = *r;
    if (!r->is_conversion)
        flm_cpp_remember(r, type);
    struct flm_cpp_node *arguments = flm_cpp_read_arguments(r);
    if (r->is_conversion) {
        if (flm_cpp_peek(r) != 'I') {
            flm_cpp_count(r, (size_t)(r->at - before.at)); /* they are read again */
            before.steps = r->steps;
            before.failed = r->failed;
            *r = before;
            return r->failed ? NULL : type;
        }
        flm_cpp_remember(r, type);
    }
    return arguments ? flm_cpp_make(r, FLM_CPP_TEMPLATE, type, arguments) : NULL;
}

static struct flm_cpp_node *read_around(struct flm_cpp_reader *r, enum flm_cpp_kind kind)
{
    r->at++;
    return flm_cpp_make(r, kind, flm_cpp_read_type(r), NULL);
}

/* S: a type that is known, or a name in std, or a template with arguments. */
static struct flm_cpp_node *read_substituted(struct flm_cpp_reader *r, bool *remembers)
{
    struct flm_cpp_node *type;
    char second = flm_cpp_peek_second(r);
    if (second == '_' || flm_cpp_is_digit(second) || (second >= 'A' && second <= 'Z')) {
        type = flm_cpp_read_substitution(r, false);
        *remembers = type && flm_cpp_peek(r) == 'I';
        if (!*remembers)
            return type;
        struct flm_cpp_node *arguments = flm_cpp_read_arguments(r);
        return arguments ? flm_cpp_make(r, FLM_CPP_TEMPLATE, type, arguments) : NULL;
    }
    type = flm_cpp_read_name(r);
    *remembers = type && type->kind != FLM_CPP_STANDARD;
    return type;
}

/* U name [arguments] type */
static struct flm_cpp_node *read_vendor_qualified(struct flm_cpp_reader *r)
{
    r->at++;
    struct flm_cpp_node *qualifier = flm_cpp_read_source_name(r);
    if (qualifier && flm_cpp_peek(r) == 'I') {
        struct flm_cpp_node *arguments = flm_cpp_read_arguments(r);
        qualifier = arguments ? flm_cpp_make(r, FLM_CPP_TEMPLATE, qualifier, arguments) : NULL;
    }
    return qualifier ? flm_cpp_make(r, FLM_CPP_VENDOR_QUALIFIED, flm_cpp_read_type(r), qualifier)
                     : NULL;
}

static struct flm_cpp_node *read_member_pointer(struct flm_cpp_reader *r)
{
    r->at++;
    struct flm_cpp_node *class = flm_cpp_read_type(r);
    struct flm_cpp_node *member = class ? flm_cpp_read_type(r) : NULL;
    return member ? flm_cpp_make(r, FLM_CPP_MEMBER_POINTER, class, member) : NULL;
}

static struct flm_cpp_node *read_kind_of_type(struct flm_cpp_reader *r, bool *remembers)
{
    char next = flm_cpp_peek(r);
    if (is_at_qualifier(r))
        return read_qualified(r);
    switch (next) {
    case 'P':
        return read_around(r, FLM_CPP_POINTER);
    case 'R':
        return read_around(r, FLM_CPP_REFERENCE);
    case 'O':
        return read_around(r, FLM_CPP_RVALUE_REFERENCE);
    case 'C':
        return read_around(r, FLM_CPP_COMPLEX);
    case 'G':
        return read_around(r, FLM_CPP_IMAGINARY);
    case 'F':
        return read_function_type(r);
    case 'A':
        r->at++;
        return read_array(r, false);
    case 'M':
        return read_member_pointer(r);
    case 'U':
        return read_vendor_qualified(r);
    case 'T':
        return read_parameter_type(r);
    case 'S':
        return read_substituted(r, remembers);
    case 'D':
        r->at++;
        return read_d(r, remembers);
    case 'u':
        r->at++;
        return flm_cpp_read_source_name(r);
    case 'N':
    case 'Z':
        return flm_cpp_read_name(r);
    default:
        if (flm_cpp_is_digit(next))
            return flm_cpp_read_name(r);
        *remembers = false;
        if (!flm_cpp_find_builtin(next))
            return flm_cpp_fail(r);
        r->at++;
        return read_builtin(r, flm_cpp_find_builtin(next));
    }
}

struct flm_cpp_node *flm_cpp_read_type(struct flm_cpp_reader *r)
{
    bool remembers = true;
    struct flm_cpp_node *type = NULL;
    if (flm_cpp_enter(r))
        type = read_kind_of_type(r, &remembers);
    flm_cpp_leave(r);
    return type && remembers ? flm_cpp_remember(r, type) : type;
}
