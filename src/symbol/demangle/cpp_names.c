/* cpp_names.c - names of C++: encodings, special names, nested names, local names. */
#include "symbol/demangle/cpp.h"

/* ---- Nested names ---------------------------------------------------------------------------- */

/* The next part of a prefix; `*kind` receives how it is joined to what is before it. */
static struct flm_cpp_node *read_part(struct flm_cpp_reader *r, enum flm_cpp_kind *kind)
{
    char next = flm_cpp_peek(r), second = flm_cpp_peek_second(r);
    *kind = FLM_CPP_QUALIFIED;
    if (next == 'S')
        return flm_cpp_read_substitution(r, true);
    if (next == 'T')
        return flm_cpp_read_parameter(r);
    if (next == 'D' && (second == 'T' || second == 't'))
        return flm_cpp_read_type(r);
    if (next == 'I') {
        *kind = FLM_CPP_TEMPLATE;
        return flm_cpp_read_arguments(r);
    }
    return flm_cpp_read_unqualified_name(r);
}

struct flm_cpp_node *flm_cpp_read_prefix(struct flm_cpp_reader *r, bool remembers)
{
    struct flm_cpp_node *prefix = NULL;
    while (!r->failed && flm_cpp_peek(r) != 'E') {
        enum flm_cpp_kind kind;
        char next = flm_cpp_peek(r);
        if (prefix && flm_cpp_eat(r, 'M')) /* the variable whose initializer a lambda is in */
            continue;
        if (!prefix && next == 'I')
            return flm_cpp_fail(r);
        struct flm_cpp_node *part = read_part(r, &kind);
        prefix = prefix && part ? flm_cpp_make(r, kind, prefix, part) : part;
        if (remembers && next != 'S' && flm_cpp_peek(r) != 'E')
            flm_cpp_remember(r, prefix);
    }
    return prefix;
}

/* N [qualifiers] prefix E */
static struct flm_cpp_node *read_nested_name(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name = NULL;
    flm_cpp_expect(r, 'N');
    struct flm_cpp_node **inside = flm_cpp_read_qualifiers(r, &name, true);
    char reference = flm_cpp_peek(r);
    if (!r->failed && (reference == 'R' || reference == 'O'))
        r->at++;
    struct flm_cpp_node *prefix = r->failed ? NULL : flm_cpp_read_prefix(r, true);
    if (!prefix || !flm_cpp_expect(r, 'E'))
        return flm_cpp_fail(r);
    *inside = prefix;
    if (reference == 'R' || reference == 'O')
        name = flm_cpp_make(r, reference == 'R' ? FLM_CPP_REFERENCE_THIS : FLM_CPP_RVALUE_THIS,
                            name, NULL);
    return name;
}

/* ---- Other names ----------------------------------------------------------------------------- */

/* Z function E name. Which of several equal names it is, is not printed. */
static struct flm_cpp_node *read_local_name(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name, *function;
    r->at++;
    function = flm_cpp_read_encoding(r, false);
    if (!flm_cpp_expect(r, 'E'))
        return NULL;
    if (flm_cpp_eat(r, 's')) {
        name = flm_cpp_make_text(r, FLM_CPP_TEXT, flm_bytes_of("string literal"));
        flm_cpp_skip_discriminator(r, name);
    } else {
        bool is_argument = flm_cpp_eat(r, 'd');
        int32_t number = is_argument ? flm_cpp_read_sequence_number(r) : 0;
        name = flm_cpp_read_name(r);
        if (name && name->kind != FLM_CPP_LAMBDA && name->kind != FLM_CPP_UNNAMED)
            flm_cpp_skip_discriminator(r, name);
        if (is_argument && (name = flm_cpp_make(r, FLM_CPP_DEFAULT_ARGUMENT, name, NULL)) != NULL)
            name->number = number;
    }
    /* What the function returns would read as if the local name returned it. */
    if (function && function->kind == FLM_CPP_TYPED && function->right->kind == FLM_CPP_FUNCTION)
        function->right->left = NULL;
    return name ? flm_cpp_make(r, FLM_CPP_LOCAL, function, name) : NULL;
}

struct flm_cpp_node *flm_cpp_read_name(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name = NULL;
    char next = flm_cpp_peek(r);
    bool is_known = false;
    if (!flm_cpp_enter(r)) {
        name = NULL;
    } else if (next == 'N') {
        name = read_nested_name(r);
    } else if (next == 'Z') {
        name = read_local_name(r);
    } else {
        if (flm_cpp_eat_both(r, "St")) {
            struct flm_cpp_node *space = flm_cpp_make_text(r, FLM_CPP_TEXT, flm_bytes_of("std"));
            name = flm_cpp_read_unqualified_name(r);
            name = name ? flm_cpp_make(r, FLM_CPP_QUALIFIED, space, name) : NULL;
        } else if (next == 'S') {
            name = flm_cpp_read_substitution(r, false);
            is_known = true;
        } else {
            name = flm_cpp_read_unqualified_name(r);
        }
        if (!r->failed && flm_cpp_peek(r) == 'I') {
            if (!is_known)
                flm_cpp_remember(r, name);
            struct flm_cpp_node *arguments = flm_cpp_read_arguments(r);
            name = arguments ? flm_cpp_make(r, FLM_CPP_TEMPLATE, name, arguments) : NULL;
        }
    }
    flm_cpp_leave(r);
    return r->failed ? NULL : name;
}

/* ---- Encodings ------------------------------------------------------------------------------- */

/* h number _ or v number _ number _: how a thunk changes `this`. */
static void skip_offset(struct flm_cpp_reader *r, char kind)
{
    if (kind == 0) {
        kind = flm_cpp_peek(r);
        r->at += kind != 0;
    }
    if (kind != 'h' && kind != 'v')
        r->failed = true;
    flm_cpp_read_number(r);
    flm_cpp_expect(r, '_');
    if (kind == 'v') {
        flm_cpp_read_number(r);
        flm_cpp_expect(r, '_');
    }
}

/* What T and `letter` are about. */
static struct flm_cpp_node *read_subject(struct flm_cpp_reader *r, char letter)
{
    switch (letter) {
    case 'h':
    case 'v':
        skip_offset(r, letter);
        return flm_cpp_read_encoding(r, false);
    case 'c':
        skip_offset(r, 0);
        skip_offset(r, 0);
        return flm_cpp_read_encoding(r, false);
    case 'H':
    case 'W':
        return flm_cpp_read_name(r);
    case 'A':
        return flm_cpp_read_argument(r);
    default:
        return flm_cpp_read_type(r);
    }
}

/* TC class number _ base */
static struct flm_cpp_node *read_construction_vtable(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *derived = flm_cpp_read_type(r);
    if (flm_cpp_read_number(r) < 0)
        r->failed = true;
    flm_cpp_expect(r, '_');
    struct flm_cpp_node *base = r->failed ? NULL : flm_cpp_read_type(r);
    return flm_cpp_make(r, FLM_CPP_CONSTRUCTION_VTABLE, base, derived);
}

/* GR name [digits] _ */
static struct flm_cpp_node *read_reference_temporary(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name = flm_cpp_read_name(r);
    struct flm_cpp_node *number =
        flm_cpp_make_leaf(r, FLM_CPP_FUNCTION_PARAMETER, flm_cpp_read_number(r));
    flm_cpp_eat(r, '_');
    return number ? flm_cpp_make(r, FLM_CPP_REFERENCE_TEMPORARY, name, number) : NULL;
}

static struct flm_cpp_node *read_special(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *subject;
    if (flm_cpp_eat_both(r, "TC"))
        return read_construction_vtable(r);
    if (flm_cpp_eat_both(r, "GR"))
        return read_reference_temporary(r);
    char first = flm_cpp_peek(r), second = flm_cpp_peek_second(r);
    int number = second == 'n' ? -1 : flm_cpp_find_special(first, second);
    if (number < 0)
        return flm_cpp_fail(r);
    r->at += 2;
    if (first == 'T') {
        subject = read_subject(r, second);
    } else if (second == 'V') {
        subject = flm_cpp_read_name(r);
    } else {
        if (second == 'T') { /* GTt and GTn */
            number = flm_cpp_find_special('G', flm_cpp_peek(r) == 'n' ? 'n' : 'T');
            r->at += flm_cpp_peek(r) != 0;
        }
        subject = flm_cpp_read_encoding(r, false);
    }
    struct flm_cpp_node *node = flm_cpp_make(r, FLM_CPP_SPECIAL, subject, NULL);
    if (node)
        node->number = number;
    return node;
}

/* Only templates say what they return, except for constructors, destructors and conversions. */
static bool has_return_type(struct flm_cpp_reader *r, const struct flm_cpp_node *name)
{
    while ((flm_cpp_is_function_qualifier(name) || name->kind == FLM_CPP_LOCAL) &&
           flm_cpp_count(r, 1))
        name = name->kind == FLM_CPP_LOCAL ? name->right : name->left;
    if (name->kind != FLM_CPP_TEMPLATE)
        return false;
    name = name->left;
    while ((name->kind == FLM_CPP_QUALIFIED || name->kind == FLM_CPP_LOCAL) && flm_cpp_count(r, 1))
        name = name->right;
    return name->kind != FLM_CPP_CONSTRUCTOR && name->kind != FLM_CPP_DESTRUCTOR &&
           name->kind != FLM_CPP_CONVERSION;
}

struct flm_cpp_node *flm_cpp_read_encoding(struct flm_cpp_reader *r, bool is_outermost)
{
    char next = flm_cpp_peek(r);
    struct flm_cpp_node *name = NULL;
    if (!flm_cpp_enter(r)) {
        name = NULL;
    } else if (next == 'T' || next == 'G') {
        name = read_special(r);
    } else {
        name = flm_cpp_read_name(r);
        next = flm_cpp_peek(r);
        if (name && next != 0 && next != 'E') { /* else it is a variable */
            struct flm_cpp_node *function = flm_cpp_read_function(r, has_return_type(r, name));
            if (function && !is_outermost && name->kind == FLM_CPP_LOCAL)
                function->left = NULL;
            name = function ? flm_cpp_make(r, FLM_CPP_TYPED, name, function) : NULL;
        }
    }
    flm_cpp_leave(r);
    return r->failed ? NULL : name;
}
