/* cpp_print_types.c - types of C++ as text.
 *
 * A declaration is written around its name: `int (*f(char))[3]` is a function, of a char, that
 * returns a pointer to an array. The parts that wait for what they stand around are a list of
 * modifiers; functions and arrays print those that are still waiting before their parameters and
 * dimensions. Blanks are where libstdc++ has them. */
#include "symbol/demangle/cpp.h"

static void print_modifiers(struct flm_cpp_printer *p, struct flm_cpp_modifier *m, bool behind);

static bool is_cv_qualifier(const struct flm_cpp_node *node)
{
    return node->kind >= FLM_CPP_CONST && node->kind <= FLM_CPP_RESTRICT;
}

/* The next that waits. */
static struct flm_cpp_modifier *waiting(struct flm_cpp_printer *p, struct flm_cpp_modifier *m)
{
    while (m && m->is_printed && flm_cpp_step(p))
        m = m->outer;
    return m;
}

/* ---- Functions and arrays -------------------------------------------------------------------- */

/* "(" in front of the modifiers of a function, if one of them binds less than the parameters. */
static bool open_function(struct flm_cpp_printer *p, struct flm_cpp_modifier *m)
{
    for (; m && !m->is_printed && flm_cpp_step(p); m = m->outer) {
        enum flm_cpp_kind kind = (enum flm_cpp_kind)m->node->kind;
        if (kind < FLM_CPP_POINTER || kind > FLM_CPP_MEMBER_POINTER || kind == FLM_CPP_VECTOR)
            continue;
        bool is_tight = kind <= FLM_CPP_RVALUE_REFERENCE && (p->last == '(' || p->last == '*');
        flm_cpp_prints(p, is_tight || p->last == ' ' ? "(" : " (");
        return true;
    }
    return false;
}

/* The modifiers in front, the parameters, and the qualifiers behind them. */
static void print_function(struct flm_cpp_printer *p, const struct flm_cpp_node *node,
                           struct flm_cpp_modifier *m)
{
    bool is_open = open_function(p, m);
    struct flm_cpp_modifier *modifiers = p->modifiers;
    p->modifiers = NULL;
    print_modifiers(p, m, false);
    flm_cpp_prints(p, is_open ? ")(" : "(");
    flm_cpp_print(p, node->right);
    flm_cpp_print_byte(p, ')');
    print_modifiers(p, m, true);
    p->modifiers = modifiers;
}

static void print_array(struct flm_cpp_printer *p, const struct flm_cpp_node *node,
                        struct flm_cpp_modifier *m)
{
    struct flm_cpp_modifier *next = waiting(p, m);
    bool is_dimension = next && next->node->kind == FLM_CPP_ARRAY;
    if (next) {
        flm_cpp_prints(p, is_dimension ? "" : " (");
        print_modifiers(p, m, false);
        flm_cpp_prints(p, is_dimension ? "" : ")");
    }
    flm_cpp_prints(p, is_dimension ? "[" : " [");
    if (node->left)
        flm_cpp_print(p, node->left);
    flm_cpp_print_byte(p, ']');
}

/* A name of which the function qualifiers were taken to stand behind its parameters. */
static void print_local(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    struct flm_cpp_modifier *modifiers = p->modifiers;
    p->modifiers = NULL;
    flm_cpp_print(p, node->left);
    p->modifiers = modifiers;
    flm_cpp_prints(p, "::");
    struct flm_cpp_node *name = flm_cpp_print_default_argument(p, node->right);
    while (flm_cpp_is_function_qualifier(name))
        name = name->left;
    flm_cpp_print(p, name);
}

/* ---- Modifiers ------------------------------------------------------------------------------- */

static void print_in_parentheses(struct flm_cpp_printer *p, const char *before,
                                 struct flm_cpp_node *inside)
{
    flm_cpp_prints(p, before);
    if (inside) {
        flm_cpp_print_byte(p, '(');
        flm_cpp_print(p, inside);
        flm_cpp_print_byte(p, ')');
    }
}

static void print_modifier(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    switch ((enum flm_cpp_kind)node->kind) {
    case FLM_CPP_POINTER:
        flm_cpp_print_byte(p, '*');
        break;
    case FLM_CPP_REFERENCE:
        flm_cpp_print_byte(p, '&');
        break;
    case FLM_CPP_RVALUE_REFERENCE:
        flm_cpp_prints(p, "&&");
        break;
    case FLM_CPP_REFERENCE_THIS:
        flm_cpp_prints(p, " &");
        break;
    case FLM_CPP_RVALUE_THIS:
        flm_cpp_prints(p, " &&");
        break;
    case FLM_CPP_CONST:
    case FLM_CPP_CONST_THIS:
        flm_cpp_prints(p, " const");
        break;
    case FLM_CPP_VOLATILE:
    case FLM_CPP_VOLATILE_THIS:
        flm_cpp_prints(p, " volatile");
        break;
    case FLM_CPP_RESTRICT:
    case FLM_CPP_RESTRICT_THIS:
        flm_cpp_prints(p, " restrict");
        break;
    case FLM_CPP_COMPLEX:
        flm_cpp_prints(p, " _Complex");
        break;
    case FLM_CPP_IMAGINARY:
        flm_cpp_prints(p, " _Imaginary");
        break;
    case FLM_CPP_TRANSACTION_SAFE:
        flm_cpp_prints(p, " transaction_safe");
        break;
    case FLM_CPP_NOEXCEPT:
        print_in_parentheses(p, " noexcept", node->right);
        break;
    case FLM_CPP_THROW:
        print_in_parentheses(p, " throw", node->right);
        break;
    case FLM_CPP_VENDOR_QUALIFIED:
        flm_cpp_print_byte(p, ' ');
        flm_cpp_print(p, node->right);
        break;
    case FLM_CPP_VECTOR:
        print_in_parentheses(p, " __vector", node->left);
        break;
    case FLM_CPP_MEMBER_POINTER:
        flm_cpp_prints(p, p->last == '(' ? "" : " ");
        flm_cpp_print(p, node->left);
        flm_cpp_prints(p, "::*");
        break;
    default: /* a name, of a function */
        flm_cpp_print(p, node);
    }
}

/* Those that wait; `behind` the parameters of a function its qualifiers too. */
static void print_modifiers(struct flm_cpp_printer *p, struct flm_cpp_modifier *m, bool behind)
{
    const struct flm_cpp_scope *scope = p->scope;
    bool is_last = false;
    for (; m && !is_last && flm_cpp_step(p); m = m->outer) {
        if (m->is_printed || (!behind && flm_cpp_is_function_qualifier(m->node)))
            continue;
        m->is_printed = true;
        p->scope = m->scope;
        is_last = true; /* these print what is further out themselves */
        if (m->node->kind == FLM_CPP_FUNCTION) {
            print_function(p, m->node, m->outer);
        } else if (m->node->kind == FLM_CPP_ARRAY) {
            print_array(p, m->node, m->outer);
        } else if (m->node->kind == FLM_CPP_LOCAL) {
            print_local(p, m->node);
        } else {
            print_modifier(p, m->node);
            is_last = false;
        }
        p->scope = scope;
    }
}

static void push(struct flm_cpp_printer *p, struct flm_cpp_modifier *m, struct flm_cpp_node *node)
{
    *m = (struct flm_cpp_modifier){node, p->scope, p->modifiers, false};
    p->modifiers = m;
}

static void print_around(struct flm_cpp_printer *p, struct flm_cpp_node *node,
                         struct flm_cpp_node *inside)
{
    struct flm_cpp_modifier m;
    push(p, &m, node);
    flm_cpp_print(p, inside);
    if (!m.is_printed)
        print_modifier(p, node);
    p->modifiers = m.outer;
}

/* ---- Types ----------------------------------------------------------------------------------- */

static void print_function_type(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    if (node->left) { /* what it returns is written around it */
        struct flm_cpp_modifier m;
        push(p, &m, node);
        flm_cpp_print(p, node->left);
        p->modifiers = m.outer;
        if (m.is_printed)
            return;
        flm_cpp_print_byte(p, ' ');
    }
    print_function(p, node, p->modifiers);
}

/* Qualifiers of an array are those of its elements: int const [3]. */
static void print_array_type(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    enum { QUALIFIERS = 3 };
    struct flm_cpp_modifier array, qualifiers[QUALIFIERS], *before = p->modifiers;
    size_t count = 0;
    push(p, &array, node);
    for (struct flm_cpp_modifier *m = before; m && is_cv_qualifier(m->node) && flm_cpp_step(p);
         m = m->outer) {
        if (m->is_printed)
            continue;
        if (count == QUALIFIERS) {
            p->failed = true;
            return;
        }
        push(p, &qualifiers[count], m->node);
        qualifiers[count++].scope = m->scope;
        m->is_printed = true;
    }
    flm_cpp_print(p, node->right);
    p->modifiers = before;
    if (array.is_printed)
        return;
    while (count > 0)
        print_modifier(p, qualifiers[--count].node);
    print_array(p, node, p->modifiers);
}

/* Whether the same qualifier waits already: of an array and of its elements. */
static bool is_repeated(struct flm_cpp_printer *p, const struct flm_cpp_node *node)
{
    for (struct flm_cpp_modifier *m = waiting(p, p->modifiers); m && is_cv_qualifier(m->node);
         m = waiting(p, m->outer))
        if (m->node->kind == node->kind)
            return true;
    return false;
}

/* Where T is U&, T& and T&& are U& too. A T in a part that is substituted is the T of the place
 * where that part was printed first, not of the template that is printed now. */
static void print_reference(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    const struct flm_cpp_scope *scope = p->scope;
    struct flm_cpp_node *target = node->left, *inside = node->left;
    if (target->kind == FLM_CPP_PARAMETER && !p->lambda_depth) {
        if (target->is_scoped && target->nesting == 0 && node->nesting < 2)
            p->scope = target->scope;
        else if (!target->is_scoped)
            target->scope = p->scope;
        target->is_scoped = true;
        target = flm_cpp_look_up(p, target);
        if (!target) {
            p->scope = scope;
            p->failed = true;
            return;
        }
    }
    if (target->kind == FLM_CPP_REFERENCE || target->kind == node->kind) {
        node = target;
        inside = target->left;
    } else if (target->kind == FLM_CPP_RVALUE_REFERENCE) {
        inside = target->left;
    }
    print_around(p, node, inside);
    p->scope = scope;
}

void flm_cpp_print_type(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    switch ((enum flm_cpp_kind)node->kind) {
    case FLM_CPP_REFERENCE:
    case FLM_CPP_RVALUE_REFERENCE:
        print_reference(p, node);
        break;
    case FLM_CPP_CONST:
    case FLM_CPP_VOLATILE:
    case FLM_CPP_RESTRICT:
        if (is_repeated(p, node))
            flm_cpp_print(p, node->left);
        else
            print_around(p, node, node->left);
        break;
    case FLM_CPP_VECTOR:
    case FLM_CPP_MEMBER_POINTER:
        print_around(p, node, node->right);
        break;
    case FLM_CPP_FUNCTION:
        print_function_type(p, node);
        break;
    case FLM_CPP_ARRAY:
        print_array_type(p, node);
        break;
    default:
        print_around(p, node, node->left);
    }
}

/* A function: its name is what the type is written around, and qualifiers of the name stand behind
 * its parameters. */
void flm_cpp_print_typed(struct flm_cpp_printer *p, struct flm_cpp_node *node)
{
    enum { MOST = 4 }; /* the name, and its qualifiers */
    struct flm_cpp_modifier waiting_parts[MOST], *before = p->modifiers;
    const struct flm_cpp_scope *scope = p->scope;
    struct flm_cpp_node *name = node->left, *parts[MOST];
    size_t count = 0;
    for (; flm_cpp_is_function_qualifier(name) && count < MOST; name = name->left)
        parts[count++] = name;
    if (name->kind == FLM_CPP_LOCAL) {
        struct flm_cpp_node *local = name->right;
        local = local->kind == FLM_CPP_DEFAULT_ARGUMENT ? local->left : local;
        for (; flm_cpp_is_function_qualifier(local) && count < MOST; local = local->left)
            parts[count++] = local;
        if (local->kind == FLM_CPP_TEMPLATE && count < MOST)
            flm_cpp_enter_scope(p, local);
    } else if (name->kind == FLM_CPP_TEMPLATE) {
        flm_cpp_enter_scope(p, name);
    }
    if (count >= MOST) {
        p->failed = true;
        return;
    }
    parts[count++] = name;
    p->modifiers = NULL;
    for (size_t i = 0; i < count; i++) {
        push(p, &waiting_parts[i], parts[i]);
        waiting_parts[i].scope = scope;
    }
    flm_cpp_print(p, node->right);
    p->scope = scope;
    while (count-- > 0)
        if (!waiting_parts[count].is_printed) {
            flm_cpp_print_byte(p, ' ');
            print_modifier(p, waiting_parts[count].node);
        }
    p->modifiers = before;
}
