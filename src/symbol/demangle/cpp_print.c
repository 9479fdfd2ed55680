/* cpp_print.c - names of C++ as text: what all parts need, and names. */
#include "symbol/demangle/cpp.h"

void flm_cpp_print_slowly(struct flm_cpp_printer *p, struct flm_bytes bytes)
{
    if (p->failed || bytes.size == 0)
        return;
    flm_text_add(p->out, bytes);
    p->last = bytes.at[bytes.size - 1];
    if (p->out->failed || p->out->size > p->end)
        p->failed = true;
}

void flm_cpp_print_number(struct flm_cpp_printer *p, int64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    flm_cpp_print_bytes(p, (struct flm_bytes){digits + at, sizeof digits - at});
}

bool flm_cpp_step(struct flm_cpp_printer *p)
{
    if (p->failed || p->steps >= FLM_CPP_STEPS)
        p->failed = true;
    else
        p->steps++;
    return !p->failed;
}

/* ---- Templates ------------------------------------------------------------------------------- */

void flm_cpp_enter_scope(struct flm_cpp_printer *p, struct flm_cpp_node *template)
{
    if (template->number) {
        const struct flm_cpp_scope *last = &p->scopes[template->number - 1];
        if (last->outer == p->scope) {
            p->scope = last;
            return;
        }
    }
    if (p->scope_count == p->scope_capacity) {
        p->failed = true;
        return;
    }
    p->scopes[p->scope_count] = (struct flm_cpp_scope){template, p->scope};
    p->scope = &p->scopes[p->scope_count++];
    template->number = (int32_t)p->scope_count;
}

static struct flm_cpp_node *item(struct flm_cpp_printer *p, const struct flm_cpp_node *list,
                                 int32_t index)
{
    for (; list && index > 0; index--)
        list = flm_cpp_step(p) ? list->right : NULL;
    return list ? list->left : NULL;
}

/* The argument, which is a LIST if it is a pack. */
static struct flm_cpp_node *argument(struct flm_cpp_printer *p,
                                     const struct flm_cpp_node *parameter)
{
    if (!p->scope) {
        p->failed = true;
        return NULL;
    }
    return item(p, p->scope->template->right, parameter->number);
}

struct flm_cpp_node *flm_cpp_look_up(struct flm_cpp_printer *p,
                                     const struct flm_cpp_node *parameter)
{
    struct flm_cpp_node *found = argument(p, parameter);
    if (found && found->kind == FLM_CPP_LIST && p->pack_index >= 0)
        found = item(p, found, p->pack_index);
    return found;
}

struct flm_cpp_node *flm_cpp_find_pack(struct flm_cpp_printer *p, struct flm_cpp_node *pattern)
{
    struct flm_cpp_node *found = NULL;
    while (pattern && !found && flm_cpp_step(p)) {
        switch ((enum flm_cpp_kind)pattern->kind) {
        case FLM_CPP_PARAMETER:
            found = argument(p, pattern);
            return found && found->kind == FLM_CPP_LIST ? found : NULL;
        case FLM_CPP_PACK:
        case FLM_CPP_LAMBDA:
        case FLM_CPP_TEXT:
        case FLM_CPP_STANDARD:
        case FLM_CPP_BUILTIN:
        case FLM_CPP_TAGGED:
        case FLM_CPP_OPERATOR:
        case FLM_CPP_UNNAMED:
        case FLM_CPP_DEFAULT_ARGUMENT:
        case FLM_CPP_FIXED_POINT:
        case FLM_CPP_FUNCTION_PARAMETER:
            return NULL;
        default:
            if (++p->depth > FLM_CPP_DEPTH)
                p->failed = true;
            else if (pattern->left)
                found = flm_cpp_find_pack(p, pattern->left);
            p->depth--;
            pattern = pattern->right;
        }
    }
    return found;
}

int32_t flm_cpp_count_items(struct flm_cpp_printer *p, const struct flm_cpp_node *list)
{
    int32_t count = 0;
    for (; list && list->kind == FLM_CPP_LIST && list->left && flm_cpp_step(p); list = list->right)
        count++;
    return count;
}

/* Commas stand between items also where one is empty, but not behind the last that is none. */
void flm_cpp_print_list(struct flm_cpp_printer *p, struct flm_cpp_node *list)
{
    size_t end = p->out->size;
    for (bool is_first = true; list && flm_cpp_step(p); list = list->right, is_first = false) {
        if (!is_first)
            flm_cpp_prints(p, ", ");
        size_t start = p->out->size;
        if (list->left)
            flm_cpp_print(p, list->left);
        if (p->out->size > start)
            end = p->out->size;
    }
    if (!p->out->failed)
        p->out->size = end;
}

void flm_cpp_print_arguments(struct flm_cpp_printer *p, struct flm_cpp_node *list)
{
    flm_cpp_prints(p, p->last == '<' ? " <" : "<");
    flm_cpp_print(p, list);
    flm_cpp_prints(p, p->last == '>' ? " >" : ">");
}

/* A parameter of the lambda that is being printed. */
static void print_lambda_parameter(struct flm_cpp_printer *p, int32_t number)
{
    const struct flm_cpp_node *declared = item(p, p->declarations, number);
    if (declared)
        flm_cpp_prints(p, declared->number == 'y' ? "$T" : declared->number == 'n' ? "$N" : "$TT");
    else
        flm_cpp_prints(p, "auto:");
    flm_cpp_print_number(p, (int64_t)number + (declared ? 0 : 1));
}

/* What it stands for belongs to a scope further out: it may be a parameter of that one. */
static void print_parameter(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    if (p->lambda_depth) {
        print_lambda_parameter(p, node->number);
        return;
    }
    struct flm_cpp_node *found = flm_cpp_look_up(p, node);
    const struct flm_cpp_scope *scope = p->scope;
    if (!found) {
        p->failed = true;
        return;
    }
    p->scope = scope->outer;
    flm_cpp_print(p, found);
    p->scope = scope;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void print_template(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    struct flm_cpp_node *template = p->template;
    struct flm_cpp_modifier *modifiers = p->modifiers;
    p->template = node;
    p->modifiers = NULL;
    flm_cpp_print(p, node->left);
    flm_cpp_print_arguments(p, node->right);
    p->modifiers = modifiers;
    p->template = template;
}

/* The parameters in the type are those of the template that is being printed: operator T<T>(). */
static void print_conversion(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    const struct flm_cpp_scope *scope = p->scope;
    struct flm_cpp_node *type = node->left;
    flm_cpp_prints(p, "operator ");
    if (p->template)
        flm_cpp_enter_scope(p, p->template);
    flm_cpp_print(p, type->kind == FLM_CPP_TEMPLATE ? type->left : type);
    if (scope) /* else they must be those as well: operator pair<T, U><T, U>() */
        p->scope = scope;
    if (type->kind == FLM_CPP_TEMPLATE)
        flm_cpp_print_arguments(p, type->right);
    p->scope = scope;
}

static void print_operator(struct flm_cpp_printer *p, const struct flm_cpp_operator *operator)
{
    struct flm_bytes text = flm_bytes_of(operator->text);
    flm_cpp_prints(p, text.at[0] >= 'a' && text.at[0] <= 'z' ? "operator " : "operator");
    text.size -= text.at[text.size - 1] == ' ';
    flm_cpp_print_bytes(p, text);
}

/* <typename $T0, int... $N1, template<typename> class $TT2>; those of a template have no names. */
static void print_declarations(struct flm_cpp_printer *p, struct flm_cpp_node *list, bool is_named)
{
    flm_cpp_prints(p, "<");
    for (int32_t number = 0; list && flm_cpp_step(p); list = list->right, number++) {
        const struct flm_cpp_node *declared = list->left;
        flm_cpp_prints(p, number > 0 ? ", " : "");
        if (declared->number == 'y') {
            flm_cpp_prints(p, "typename");
        } else if (declared->number == 'n') {
            flm_cpp_print(p, declared->left);
        } else if (p->depth < FLM_CPP_DEPTH) {
            p->depth++;
            flm_cpp_prints(p, "template");
            print_declarations(p, declared->left, false);
            flm_cpp_prints(p, " class");
            p->depth--;
        }
        flm_cpp_prints(p, declared->is_pack ? "..." : "");
        if (is_named) {
            flm_cpp_prints(p, " ");
            print_lambda_parameter(p, number);
        }
    }
    flm_cpp_prints(p, ">");
}

static void print_lambda(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_node *declarations = p->declarations;
    p->declarations = node->right;
    p->lambda_depth++;
    flm_cpp_prints(p, "{lambda");
    if (node->right)
        print_declarations(p, node->right, true);
    flm_cpp_prints(p, "(");
    flm_cpp_print(p, node->left);
    p->lambda_depth--;
    p->declarations = declarations;
    flm_cpp_prints(p, ")#");
    flm_cpp_print_number(p, (int64_t)node->number + 1);
    flm_cpp_prints(p, "}");
}

struct flm_cpp_node *flm_cpp_print_default_argument(struct flm_cpp_printer *p,
                                                    struct flm_cpp_node *name)
{
    if (name->kind != FLM_CPP_DEFAULT_ARGUMENT)
        return name;
    flm_cpp_prints(p, "{default arg#");
    flm_cpp_print_number(p, (int64_t)name->number + 1);
    flm_cpp_prints(p, "}::");
    return name->left;
}

static void print_scoped(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    flm_cpp_print(p, node->left);
    flm_cpp_prints(p, "::");
    flm_cpp_print(p, flm_cpp_print_default_argument(p, node->right));
}

static void print_joined(struct flm_cpp_printer *p, const char *before, struct flm_cpp_node *left,
                         const char *between, struct flm_cpp_node *right, const char *after)
{
    flm_cpp_prints(p, before);
    flm_cpp_print(p, left);
    flm_cpp_prints(p, between);
    if (right)
        flm_cpp_print(p, right);
    flm_cpp_prints(p, after);
}

static void print_name(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    switch ((enum flm_cpp_kind)node->kind) {
    case FLM_CPP_BUILTIN:
        flm_cpp_prints(p, node->builtin->text);
        break;
    case FLM_CPP_QUALIFIED:
    case FLM_CPP_LOCAL:
        print_scoped(p, node);
        break;
    case FLM_CPP_TEMPLATE:
        print_template(p, node);
        break;
    case FLM_CPP_LIST:
        flm_cpp_print_list(p, node);
        break;
    case FLM_CPP_TAGGED:
        print_joined(p, "", node->left, "[abi:", node->right, "]");
        break;
    case FLM_CPP_CONSTRUCTOR:
        flm_cpp_print(p, node->left);
        break;
    case FLM_CPP_DESTRUCTOR:
        print_joined(p, "~", node->left, "", NULL, "");
        break;
    case FLM_CPP_OPERATOR:
        print_operator(p, node->operator);
        break;
    case FLM_CPP_VENDOR_OPERATOR:
    case FLM_CPP_CAST:
        print_joined(p, "operator ", node->left, "", NULL, "");
        break;
    case FLM_CPP_CONVERSION:
        print_conversion(p, node);
        break;
    case FLM_CPP_LITERAL_OPERATOR:
        print_joined(p, "operator\"\" ", node->left, "", NULL, "");
        break;
    case FLM_CPP_LAMBDA:
        print_lambda(p, node);
        break;
    case FLM_CPP_UNNAMED:
        flm_cpp_prints(p, "{unnamed type#");
        flm_cpp_print_number(p, (int64_t)node->number + 1);
        flm_cpp_prints(p, "}");
        break;
    case FLM_CPP_BINDINGS:
        print_joined(p, "[", node->left, "", NULL, "]");
        break;
    case FLM_CPP_SPECIAL:
        print_joined(p, flm_cpp_special_text(node->number), node->left, "", NULL, "");
        break;
    case FLM_CPP_CONSTRUCTION_VTABLE:
        print_joined(p, "construction vtable for ", node->left, "-in-", node->right, "");
        break;
    case FLM_CPP_REFERENCE_TEMPORARY:
        flm_cpp_prints(p, "reference temporary #");
        flm_cpp_print_number(p, node->right->number);
        print_joined(p, " for ", node->left, "", NULL, "");
        break;
    default: /* a DEFAULT_ARGUMENT, which is printed with its LOCAL */
        p->failed = true;
    }
}

void flm_cpp_print(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    if (!flm_cpp_step(p))
        return;
    if (node->kind <= FLM_CPP_STANDARD) {
        flm_cpp_print_bytes(p, node->text);
        return;
    }
    /* A type may be inside of itself by a substitution, once; more is a circle. */
    if (node->nesting > 1 || p->depth >= FLM_CPP_DEPTH) {
        p->failed = true;
        return;
    }
    node->nesting++;
    p->depth++;
    if (node->kind == FLM_CPP_PARAMETER)
        print_parameter(p, node);
    else if (node->kind == FLM_CPP_TYPED)
        flm_cpp_print_typed(p, node);
    else if (node->kind < FLM_CPP_POINTER)
        print_name(p, node);
    else if (node->kind < FLM_CPP_PARAMETER)
        flm_cpp_print_type(p, node);
    else
        flm_cpp_print_expression(p, node);
    p->depth--;
    node->nesting--;
}
