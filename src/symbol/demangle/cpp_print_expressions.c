/* cpp_print_expressions.c - expressions in names of C++ as text. */
#include "symbol/demangle/cpp.h"

static void print_in_parentheses(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    flm_cpp_print_byte(p, '(');
    flm_cpp_print(p, node);
    flm_cpp_print_byte(p, ')');
}

static void print_operand(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    if (node->kind == FLM_CPP_TEXT || node->kind == FLM_CPP_QUALIFIED ||
        node->kind == FLM_CPP_INITIALIZER || node->kind == FLM_CPP_FUNCTION_PARAMETER)
        flm_cpp_print(p, node);
    else
        print_in_parentheses(p, node);
}

static void print_operator(struct flm_cpp_printer *p, struct flm_cpp_node *operator)
{
    if (operator->kind == FLM_CPP_OPERATOR)
        flm_cpp_prints(p, operator->operator->text);
    else
        flm_cpp_print(p, operator);
}

/* ---- Packs ----------------------------------------------------------------------------------- */

static void print_pack(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *pack = p->lambda_depth ? NULL : flm_cpp_find_pack(p, node->left);
    if (!pack) { /* one of function parameters */
        print_operand(p, node->left);
        flm_cpp_prints(p, "...");
        return;
    }
    int32_t count = flm_cpp_count_items(p, pack);
    for (int32_t i = 0; i < count && !p->failed; i++) {
        flm_cpp_prints(p, i > 0 ? ", " : "");
        p->pack_index = i;
        flm_cpp_print(p, node->left);
    }
}

/* How many arguments there are when the packs among them are expanded. */
static int32_t count_arguments(struct flm_cpp_printer *p, const struct flm_cpp_node *list)
{
    int32_t count = 0;
    for (; list && list->left && flm_cpp_step(p); list = list->right)
        count += list->left->kind == FLM_CPP_PACK
                     ? flm_cpp_count_items(p, flm_cpp_find_pack(p, list->left->left))
                     : 1;
    return count;
}

/* (... + T), (T + ...), (0 + ... + T), (T + ... + 0); T is the pack. */
static void print_fold(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    char which = node->left->operator->code[1];
    struct flm_cpp_node *operator= node->right->left, *first = node->right->right, *second = NULL;
    int32_t pack_index = p->pack_index;
    if (node->kind == FLM_CPP_TERNARY) {
        second = first->right;
        first = first->left;
    }
    p->pack_index = -1;
    flm_cpp_print_byte(p, '(');
    if (which != 'l') {
        print_operand(p, first);
        print_operator(p, operator);
    }
    flm_cpp_prints(p, "...");
    if (which != 'r') {
        print_operator(p, operator);
        print_operand(p, second ? second : first);
    }
    flm_cpp_print_byte(p, ')');
    p->pack_index = pack_index;
}

/* ---- Operators ------------------------------------------------------------------------------- */

static bool is_designated(const struct flm_cpp_node *node)
{
    return (node->kind == FLM_CPP_BINARY || node->kind == FLM_CPP_TERNARY) &&
           (flm_cpp_is(node->left, "di") || flm_cpp_is(node->left, "dx") ||
            flm_cpp_is(node->left, "dX"));
}

/* .name=value, [index]=value, [first ... last]=value; the value may be designated as well. */
static void print_designated(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *value = node->right->right;
    bool is_name = flm_cpp_is(node->left, "di");
    flm_cpp_print_byte(p, is_name ? '.' : '[');
    flm_cpp_print(p, node->right->left);
    if (flm_cpp_is(node->left, "dX")) {
        flm_cpp_prints(p, " ... ");
        flm_cpp_print(p, value->left);
        value = value->right;
    }
    flm_cpp_prints(p, is_name ? "" : "]");
    if (is_designated(value)) {
        flm_cpp_print(p, value);
    } else {
        flm_cpp_print_byte(p, '=');
        print_operand(p, value);
    }
}

static void print_unary(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *operator= node->left, *operand = node->right;
    if (flm_cpp_is(operator, "sZ")) {
        flm_cpp_print_number(p, flm_cpp_count_items(p, flm_cpp_find_pack(p, operand)));
        return;
    }
    if (flm_cpp_is(operator, "sP")) {
        flm_cpp_print_number(p, count_arguments(p, operand));
        return;
    }
    if (flm_cpp_is(operator, "ad") && operand->kind == FLM_CPP_TYPED &&
        operand->left->kind == FLM_CPP_QUALIFIED && operand->right->kind == FLM_CPP_FUNCTION)
        operand = operand->left; /* the address of a function needs no parameters */
    if (operator->kind == FLM_CPP_CAST)
        print_in_parentheses(p, operator->left);
    else
        print_operator(p, operator);
    if (flm_cpp_is(operator, "gs"))
        flm_cpp_print(p, operand);
    else if (flm_cpp_is(operator, "st") || flm_cpp_is(operator, "nx"))
        print_in_parentheses(p, operand);
    else
        print_operand(p, operand);
}

static void print_binary(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *operator= node->left;
    struct flm_cpp_node *left = node->right->left, *right = node->right->right;
    if (flm_cpp_is_cast(operator)) {
        print_operator(p, operator);
        flm_cpp_print_byte(p, '<');
        flm_cpp_print(p, left);
        flm_cpp_prints(p, ">(");
        flm_cpp_print(p, right);
        flm_cpp_print_byte(p, ')');
        return;
    }
    bool is_greater = flm_cpp_is(operator, "gt"); /* it is not the end of the arguments */
    bool is_call = flm_cpp_is(operator, "cl");
    flm_cpp_prints(p, is_greater ? "(" : "");
    /* In a call, a function needs no types of parameters. */
    print_operand(p, is_call && left->kind == FLM_CPP_TYPED ? left->left : left);
    if (flm_cpp_is(operator, "ix")) {
        flm_cpp_print_byte(p, '[');
        flm_cpp_print(p, right);
        flm_cpp_print_byte(p, ']');
    } else {
        if (!is_call)
            print_operator(p, operator);
        print_operand(p, right);
    }
    flm_cpp_prints(p, is_greater ? ")" : "");
}

static void print_ternary(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *first = node->right->left, *second = node->right->right->left,
                        *third = node->right->right->right;
    if (flm_cpp_is(node->left, "qu")) {
        print_operand(p, first);
        print_operator(p, node->left);
        print_operand(p, second);
        flm_cpp_prints(p, " : ");
        print_operand(p, third);
        return;
    }
    flm_cpp_prints(p, "new ");
    if (first->left) { /* placement */
        print_operand(p, first);
        flm_cpp_print_byte(p, ' ');
    }
    flm_cpp_print(p, second);
    if (third)
        print_operand(p, third);
}

/* ---- Values ---------------------------------------------------------------------------------- */

static void print_literal(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    bool is_negative = node->kind == FLM_CPP_NEGATIVE_LITERAL;
    const struct flm_cpp_node *type = node->left;
    struct flm_bytes value = node->right->text;
    enum flm_cpp_literal literal =
        type->kind == FLM_CPP_BUILTIN ? type->builtin->literal : FLM_CPP_CASTED;
    if (literal == FLM_CPP_INTEGER) {
        flm_cpp_prints(p, is_negative ? "-" : "");
        flm_cpp_print_bytes(p, value);
        flm_cpp_prints(p, type->builtin->suffix);
    } else if (literal == FLM_CPP_BOOLEAN && !is_negative && flm_bytes_are(value, "0")) {
        flm_cpp_prints(p, "false");
    } else if (literal == FLM_CPP_BOOLEAN && !is_negative && flm_bytes_are(value, "1")) {
        flm_cpp_prints(p, "true");
    } else {
        print_in_parentheses(p, node->left);
        flm_cpp_prints(p, is_negative ? "-" : "");
        flm_cpp_prints(p, literal == FLM_CPP_FLOATING ? "[" : "");
        flm_cpp_print_bytes(p, value);
        flm_cpp_prints(p, literal == FLM_CPP_FLOATING ? "]" : "");
    }
}

static void print_fixed_point(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    flm_cpp_prints(p, node->number & 2 ? "_Sat " : "");
    if (node->left->kind != FLM_CPP_BUILTIN || node->left->builtin != flm_cpp_find_builtin('i')) {
        flm_cpp_print(p, node->left);
        flm_cpp_print_byte(p, ' ');
    }
    flm_cpp_prints(p, node->number & 1 ? "_Accum" : "_Fract");
}

static void print_function_parameter(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    if (node->number == 0) {
        flm_cpp_prints(p, "this");
        return;
    }
    flm_cpp_prints(p, "{parm#");
    flm_cpp_print_number(p, node->number);
    flm_cpp_print_byte(p, '}');
}

void flm_cpp_print_expression(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    switch ((enum flm_cpp_kind)node->kind) {
    case FLM_CPP_PACK:
        print_pack(p, node);
        break;
    case FLM_CPP_DECLTYPE:
        flm_cpp_prints(p, "decltype ");
        print_in_parentheses(p, node->left);
        break;
    case FLM_CPP_FLOAT:
        flm_cpp_prints(p, "_Float");
        flm_cpp_print(p, node->left);
        break;
    case FLM_CPP_FIXED_POINT:
        print_fixed_point(p, node);
        break;
    case FLM_CPP_NULLARY:
        print_operator(p, node->left);
        break;
    case FLM_CPP_UNARY:
        print_unary(p, node);
        break;
    case FLM_CPP_POSTFIX:
        print_operand(p, node->right);
        print_operator(p, node->left);
        break;
    case FLM_CPP_BINARY:
    case FLM_CPP_TERNARY:
        if (node->left->operator->code[0] == 'f')
            print_fold(p, node);
        else if (is_designated(node))
            print_designated(p, node);
        else if (node->kind == FLM_CPP_BINARY)
            print_binary(p, node);
        else
            print_ternary(p, node);
        break;
    case FLM_CPP_LITERAL:
    case FLM_CPP_NEGATIVE_LITERAL:
        print_literal(p, node);
        break;
    case FLM_CPP_INITIALIZER:
        if (node->left)
            flm_cpp_print(p, node->left);
        flm_cpp_print_byte(p, '{');
        flm_cpp_print(p, node->right);
        flm_cpp_print_byte(p, '}');
        break;
    case FLM_CPP_FUNCTION_PARAMETER:
        print_function_parameter(p, node);
        break;
    case FLM_CPP_VENDOR_EXPRESSION:
        flm_cpp_print(p, node->left);
        print_in_parentheses(p, node->right);
        break;
    default: /* operands by themselves */
        p->failed = true;
    }
}
