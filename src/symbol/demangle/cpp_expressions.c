/* cpp_expressions.c - template arguments, literals and expressions in names of C++. */
#include "symbol/demangle/cpp.h"

static struct flm_cpp_node *read_operand(struct flm_cpp_reader *r);

/* ---- Template arguments ---------------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_read_arguments_inside(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *last_name = r->last_name, *first = NULL, **end = &first;
    if (flm_cpp_eat(r, 'E')) /* a pack of none */
        return flm_cpp_make_leaf(r, FLM_CPP_LIST, 0);
    do {
        *end = flm_cpp_make(r, FLM_CPP_LIST, flm_cpp_read_argument(r), NULL);
        if (!*end)
            return NULL;
        end = &(*end)->right;
    } while (!flm_cpp_eat(r, 'E'));
    r->last_name = last_name; /* a constructor is not called as an argument is */
    return first;
}

struct flm_cpp_node *flm_cpp_read_arguments(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *arguments = NULL;
    if (!flm_cpp_eat(r, 'I') && !flm_cpp_eat(r, 'J'))
        return flm_cpp_fail(r);
    if (flm_cpp_enter(r))
        arguments = flm_cpp_read_arguments_inside(r);
    flm_cpp_leave(r);
    return arguments;
}

/* Ty typename, Tn type, Tt declarations E, each behind Tp in a pack. */
static struct flm_cpp_node *read_declaration(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *node = NULL;
    bool is_pack = flm_cpp_eat_both(r, "Tp");
    char letter = flm_cpp_peek_second(r);
    if (!flm_cpp_enter(r) || !flm_cpp_expect(r, 'T')) {
        node = NULL;
    } else if (flm_cpp_eat(r, 'y')) {
        node = flm_cpp_make_leaf(r, FLM_CPP_DECLARATION, letter);
    } else if (flm_cpp_eat(r, 'n')) {
        node = flm_cpp_make(r, FLM_CPP_DECLARATION, flm_cpp_read_type(r), NULL);
    } else if (flm_cpp_eat(r, 't')) {
        node = flm_cpp_make(r, FLM_CPP_DECLARATION, flm_cpp_read_declarations(r), NULL);
        flm_cpp_expect(r, 'E');
    } else {
        flm_cpp_fail(r);
    }
    flm_cpp_leave(r);
    if (node) {
        node->number = letter;
        node->is_pack = is_pack;
    }
    return r->failed ? NULL : node;
}

static bool is_at_declaration(const struct flm_cpp_reader *r)
{
    char second = flm_cpp_peek_second(r);
    return flm_cpp_peek(r) == 'T' &&
           (second == 'y' || second == 'n' || second == 't' || second == 'p');
}

struct flm_cpp_node *flm_cpp_read_declarations(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *first = NULL, **end = &first;
    while (!r->failed && is_at_declaration(r)) {
        *end = flm_cpp_make(r, FLM_CPP_LIST, read_declaration(r), NULL);
        end = *end ? &(*end)->right : end;
    }
    return first;
}

/* After L: _Z encoding (gcc has left out the _), or a type and its value; then E. */
static struct flm_cpp_node *read_literal(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *literal;
    if (flm_cpp_eat_both(r, "_Z") || flm_cpp_eat(r, 'Z')) {
        literal = flm_cpp_read_encoding(r, false);
        return flm_cpp_expect(r, 'E') ? literal : NULL;
    }
    struct flm_cpp_node *type = flm_cpp_read_type(r);
    if (type && type->kind == FLM_CPP_BUILTIN && type->builtin == flm_cpp_find_builtin_d('n') &&
        flm_cpp_eat(r, 'E'))
        return type; /* nullptr */
    bool is_negative = !r->failed && flm_cpp_eat(r, 'n');
    const char *start = r->at;
    while (flm_cpp_peek(r) != 'E' && flm_cpp_peek(r) != 0)
        r->at++;
    struct flm_bytes value = {start, (size_t)(r->at - start)};
    if (!type || value.size == 0 || !flm_cpp_expect(r, 'E'))
        return flm_cpp_fail(r);
    return flm_cpp_make(r, is_negative ? FLM_CPP_NEGATIVE_LITERAL : FLM_CPP_LITERAL, type,
                        flm_cpp_make_text(r, FLM_CPP_TEXT, value));
}

struct flm_cpp_node *flm_cpp_read_argument(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *argument;
    if (is_at_declaration(r)) /* of which it is the argument: not printed */
        read_declaration(r);
    switch (flm_cpp_peek(r)) {
    case 'X':
        r->at++;
        argument = flm_cpp_read_expression(r);
        return flm_cpp_expect(r, 'E') ? argument : NULL;
    case 'L':
        r->at++;
        return read_literal(r);
    case 'I':
    case 'J':
        return flm_cpp_read_arguments(r);
    default:
        return flm_cpp_read_type(r);
    }
}

/* ---- Operators ------------------------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_read_operator(struct flm_cpp_reader *r)
{
    char first = flm_cpp_peek(r), second = flm_cpp_peek_second(r);
    if (first == 'v' && flm_cpp_is_digit(second)) {
        r->at += 2;
        struct flm_cpp_node *node =
            flm_cpp_make(r, FLM_CPP_VENDOR_OPERATOR, flm_cpp_read_source_name(r), NULL);
        if (node)
            node->number = second - '0';
        return node;
    }
    if (flm_cpp_eat_both(r, "cv")) {
        bool was_conversion = r->is_conversion;
        r->is_conversion = !r->is_expression;
        enum flm_cpp_kind kind = r->is_expression ? FLM_CPP_CAST : FLM_CPP_CONVERSION;
        struct flm_cpp_node *node = flm_cpp_make(r, kind, flm_cpp_read_type(r), NULL);
        r->is_conversion = was_conversion;
        return node;
    }
    const struct flm_cpp_operator *operator= flm_cpp_find_operator(first, second);
    if (!operator)
        return flm_cpp_fail(r);
    r->at += 2;
    struct flm_cpp_node *node = flm_cpp_make_leaf(r, FLM_CPP_OPERATOR, 0);
    if (node)
        node->operator= operator;
    return node;
}

/* Expressions up to `end`, as a list, which may be empty. */
static struct flm_cpp_node *read_operands(struct flm_cpp_reader *r, char end)
{
    struct flm_cpp_node *first = NULL, **next = &first;
    if (flm_cpp_eat(r, end))
        return flm_cpp_make_leaf(r, FLM_CPP_LIST, 0);
    do {
        *next = flm_cpp_make(r, FLM_CPP_LIST, read_operand(r), NULL);
        if (!*next)
            return NULL;
        next = &(*next)->right;
    } while (!flm_cpp_eat(r, end));
    return first;
}

/* A name, and arguments if there are any. */
static struct flm_cpp_node *read_template_id(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *name = flm_cpp_read_unqualified_name(r);
    if (!name || flm_cpp_peek(r) != 'I')
        return name;
    struct flm_cpp_node *arguments = flm_cpp_read_arguments(r);
    return arguments ? flm_cpp_make(r, FLM_CPP_TEMPLATE, name, arguments) : NULL;
}

static struct flm_cpp_node *make_pair(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                      struct flm_cpp_node *left, struct flm_cpp_node *right)
{
    return left && right ? flm_cpp_make(r, kind, left, right) : flm_cpp_fail(r);
}

static struct flm_cpp_node *read_unary(struct flm_cpp_reader *r, struct flm_cpp_node *operator)
{
    struct flm_cpp_node *operand;
    bool is_step = flm_cpp_is(operator, "pp") || flm_cpp_is(operator, "mm");
    bool is_postfix = is_step && !flm_cpp_eat(r, '_');
    if (operator->kind == FLM_CPP_CAST && flm_cpp_eat(r, '_'))
        operand = read_operands(r, 'E');
    else if (flm_cpp_is(operator, "sP"))
        operand = flm_cpp_read_arguments_inside(r);
    else if (flm_cpp_is(operator, "st"))
        operand = flm_cpp_read_type(r);
    else
        operand = read_operand(r);
    return make_pair(r, is_postfix ? FLM_CPP_POSTFIX : FLM_CPP_UNARY, operator, operand);
}

/* What is behind a dot: older compilers leave out the "on" before operators. */
static struct flm_cpp_node *read_member(struct flm_cpp_reader *r)
{
    char next = flm_cpp_peek(r), second = flm_cpp_peek_second(r);
    if ((next == 'g' && second == 's') || (next == 's' && second == 'r'))
        return read_operand(r);
    return read_template_id(r);
}

static bool is_fold(const struct flm_cpp_node *operator)
{
    return operator->kind == FLM_CPP_OPERATOR && operator->operator->code[0] == 'f';
}

static struct flm_cpp_node *read_binary(struct flm_cpp_reader *r, struct flm_cpp_node *operator)
{
    struct flm_cpp_node *left, *right;
    if (operator->kind != FLM_CPP_OPERATOR)
        return flm_cpp_fail(r);
    left = flm_cpp_is_cast(operator)    ? flm_cpp_read_type(r)
           : is_fold(operator)          ? flm_cpp_read_operator(r)
           : flm_cpp_is(operator, "di") ? flm_cpp_read_unqualified_name(r)
                                        : read_operand(r);
    if (!left)
        return NULL;
    right = flm_cpp_is(operator, "cl")                                 ? read_operands(r, 'E')
            : flm_cpp_is(operator, "dt") || flm_cpp_is(operator, "pt") ? read_member(r)
                                                                       : read_operand(r);
    return make_pair(r, FLM_CPP_BINARY, operator, make_pair(r, FLM_CPP_OPERANDS, left, right));
}

/* nw or na: placement _ type, and E, or pi values E, or il values E */
static struct flm_cpp_node *read_new(struct flm_cpp_reader *r, struct flm_cpp_node *operator)
{
    struct flm_cpp_node *placement = read_operands(r, '_'), *values = NULL;
    struct flm_cpp_node *type = placement ? flm_cpp_read_type(r) : NULL;
    if (flm_cpp_eat_both(r, "pi"))
        values = read_operands(r, 'E');
    else if (flm_cpp_peek(r) == 'i' && flm_cpp_peek_second(r) == 'l')
        values = read_operand(r);
    else
        flm_cpp_expect(r, 'E');
    struct flm_cpp_node *rest = flm_cpp_make(r, FLM_CPP_OPERANDS, type, values);
    return make_pair(r, FLM_CPP_TERNARY, operator, make_pair(r, FLM_CPP_OPERANDS, placement, rest));
}

static struct flm_cpp_node *read_ternary(struct flm_cpp_reader *r, struct flm_cpp_node *operator)
{
    if (operator->kind != FLM_CPP_OPERATOR)
        return flm_cpp_fail(r);
    if (flm_cpp_is(operator, "nw") || flm_cpp_is(operator, "na"))
        return read_new(r, operator);
    struct flm_cpp_node *first = is_fold(operator) ? flm_cpp_read_operator(r) : read_operand(r);
    struct flm_cpp_node *second = first ? read_operand(r) : NULL;
    struct flm_cpp_node *third = second ? read_operand(r) : NULL;
    struct flm_cpp_node *rest = make_pair(r, FLM_CPP_OPERANDS, second, third);
    return make_pair(r, FLM_CPP_TERNARY, operator, make_pair(r, FLM_CPP_OPERANDS, first, rest));
}

static struct flm_cpp_node *read_operation(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *operator= flm_cpp_read_operator(r);
    if (!operator)
        return NULL;
    int operands = operator->kind == FLM_CPP_OPERATOR
        ?
        operator->operator->operands : operator->kind == FLM_CPP_CAST ? 1 :
                                                                      operator->kind ==
                                                                      FLM_CPP_VENDOR_OPERATOR
            ?
            operator->number : - 1;
    switch (operands) {
    case 0:
        return flm_cpp_make(r, FLM_CPP_NULLARY, operator, NULL);
    case 1:
        return read_unary(r, operator);
    case 2:
        return read_binary(r, operator);
    case 3:
        return read_ternary(r, operator);
    default:
        return flm_cpp_fail(r);
    }
}

/* ---- Expressions ----------------------------------------------------------------------------- */

/* sr type name, or sr parts E name, where the parts begin with a name, and are no substitutions. Up
 * to version 10 gcc wrote a type there too; what may be read both ways is read as parts first. */
static struct flm_cpp_node *read_unresolved(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *scope;
    if (!r->is_old && flm_cpp_is_digit(flm_cpp_peek(r))) {
        r->may_be_old = true;
        scope = flm_cpp_read_prefix(r, false);
        flm_cpp_expect(r, 'E');
    } else {
        scope = flm_cpp_read_type(r);
    }
    return make_pair(r, FLM_CPP_QUALIFIED, scope, scope ? read_template_id(r) : NULL);
}

/* fp [qualifiers] [number] _, or fL level p ... of a function further out; fpT is `this` */
static struct flm_cpp_node *read_function_parameter(struct flm_cpp_reader *r)
{
    int32_t number = 0;
    if (!flm_cpp_eat(r, 'T')) {
        while (flm_cpp_eat(r, 'r') || flm_cpp_eat(r, 'V') || flm_cpp_eat(r, 'K'))
            continue;
        number = flm_cpp_read_sequence_number(r);
        if (number == INT32_MAX)
            return flm_cpp_fail(r);
        number++;
    }
    return flm_cpp_make_leaf(r, FLM_CPP_FUNCTION_PARAMETER, number);
}

/* il values E, or tl type values E */
static struct flm_cpp_node *read_initializer(struct flm_cpp_reader *r, bool is_typed)
{
    struct flm_cpp_node *type = is_typed ? flm_cpp_read_type(r) : NULL;
    struct flm_cpp_node *list = r->failed ? NULL : read_operands(r, 'E');
    struct flm_cpp_node *node = flm_cpp_make(r, FLM_CPP_INITIALIZER, list, list);
    if (node)
        node->left = type;
    return node;
}

static struct flm_cpp_node *read_kind_of_operand(struct flm_cpp_reader *r)
{
    char next = flm_cpp_peek(r), second = flm_cpp_peek_second(r);
    if (flm_cpp_eat(r, 'L'))
        return read_literal(r);
    if (next == 'T')
        return flm_cpp_read_parameter(r);
    if (flm_cpp_eat_both(r, "sr"))
        return read_unresolved(r);
    if (flm_cpp_eat_both(r, "sp"))
        return flm_cpp_make(r, FLM_CPP_PACK, read_operand(r), NULL);
    if (flm_cpp_eat_both(r, "fp"))
        return read_function_parameter(r);
    if (next == 'f' && second == 'L' && r->end - r->at > 2 && flm_cpp_is_digit(r->at[2])) {
        r->at += 2;
        flm_cpp_read_number(r);
        return flm_cpp_expect(r, 'p') ? read_function_parameter(r) : NULL;
    }
    if (flm_cpp_is_digit(next))
        return read_template_id(r);
    if (next == 'o' && second == 'n')
        return read_template_id(r);
    if (flm_cpp_eat_both(r, "il") || flm_cpp_eat_both(r, "tl"))
        return read_initializer(r, next == 't');
    if (flm_cpp_eat(r, 'u')) {
        struct flm_cpp_node *name = flm_cpp_read_source_name(r);
        return make_pair(r, FLM_CPP_VENDOR_EXPRESSION, name,
                         name ? flm_cpp_read_arguments_inside(r) : NULL);
    }
    return read_operation(r);
}

static struct flm_cpp_node *read_operand(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *operand = flm_cpp_enter(r) ? read_kind_of_operand(r) : NULL;
    flm_cpp_leave(r);
    return operand;
}

struct flm_cpp_node *flm_cpp_read_expression(struct flm_cpp_reader *r)
{
    bool was_expression = r->is_expression;
    r->is_expression = true;
    struct flm_cpp_node *expression = read_operand(r);
    r->is_expression = was_expression;
    return expression;
}
