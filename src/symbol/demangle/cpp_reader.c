/* cpp_reader.c - the parts that every reader of C++ names needs: nodes, numbers, substitutions. */
#include "symbol/demangle/cpp.h"

void *flm_cpp_fail(struct flm_cpp_reader *r)
{
    r->failed = true;
    return NULL;
}

bool flm_cpp_expect(struct flm_cpp_reader *r, char byte)
{
    if (!flm_cpp_eat(r, byte))
        r->failed = true;
    return !r->failed;
}

bool flm_cpp_count(struct flm_cpp_reader *r, size_t steps)
{
    if (r->failed || steps > FLM_CPP_STEPS - r->steps) {
        r->failed = true;
        return false;
    }
    r->steps += (unsigned)steps;
    return true;
}

bool flm_cpp_enter(struct flm_cpp_reader *r)
{
    if (++r->depth > FLM_CPP_DEPTH)
        r->failed = true;
    return flm_cpp_count(r, 1);
}

static struct flm_cpp_node *make(struct flm_cpp_reader *r, enum flm_cpp_kind kind)
{
    if (r->failed || r->node_count == r->node_capacity)
        return flm_cpp_fail(r);
    struct flm_cpp_node *node = &r->nodes[r->node_count++];
    node->kind = (uint8_t)kind;
    node->nesting = 0;
    node->is_scoped = false;
    node->is_pack = false;
    node->number = 0;
    return node;
}

struct flm_cpp_node *flm_cpp_make(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                  struct flm_cpp_node *left, struct flm_cpp_node *right)
{
    struct flm_cpp_node *node = left ? make(r, kind) : flm_cpp_fail(r);
    if (node) {
        node->left = left;
        node->right = right;
    }
    return node;
}

struct flm_cpp_node *flm_cpp_make_leaf(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                       int32_t number)
{
    struct flm_cpp_node *node = make(r, kind);
    if (node) {
        node->left = node->right = NULL;
        node->number = number;
    }
    return node;
}

struct flm_cpp_node *flm_cpp_make_text(struct flm_cpp_reader *r, enum flm_cpp_kind kind,
                                       struct flm_bytes text)
{
    struct flm_cpp_node *node = make(r, kind);
    if (node)
        node->text = text;
    return node;
}

int32_t flm_cpp_read_number(struct flm_cpp_reader *r)
{
    int64_t number = 0;
    bool is_negative = flm_cpp_eat(r, 'n');
    for (; flm_cpp_is_digit(flm_cpp_peek(r)); r->at++) {
        number = number * 10 + (*r->at - '0');
        if (number > INT32_MAX) {
            r->failed = true;
            return 0;
        }
    }
    return (int32_t)(is_negative ? -number : number);
}

int32_t flm_cpp_read_sequence_number(struct flm_cpp_reader *r)
{
    int32_t number = 0;
    if (flm_cpp_peek(r) == 'n') {
        r->failed = true;
    } else if (flm_cpp_peek(r) != '_') {
        number = flm_cpp_read_number(r);
        if (number == INT32_MAX)
            r->failed = true;
        else
            number++;
    }
    flm_cpp_expect(r, '_');
    return r->failed ? 0 : number;
}

/* ---- Substitutions --------------------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_remember(struct flm_cpp_reader *r, struct flm_cpp_node *node)
{
    if (!node || r->failed || r->substitution_count == r->substitution_capacity)
        return flm_cpp_fail(r);
    return r->substitutions[r->substitution_count++] = node;
}

/* After S: "_" is the first, "0_" the second. The digits are 0-9 and A-Z. */
static struct flm_cpp_node *read_index(struct flm_cpp_reader *r)
{
    size_t index = 0, offset = 0;
    while (!flm_cpp_eat(r, '_')) {
        char digit = flm_cpp_peek(r);
        if (flm_cpp_is_digit(digit))
            index = index * 36 + (size_t)(digit - '0');
        else if (digit >= 'A' && digit <= 'Z')
            index = index * 36 + (size_t)(digit - 'A' + 10);
        else
            return flm_cpp_fail(r);
        if (index >= r->substitution_count)
            return flm_cpp_fail(r);
        offset = 1;
        r->at++;
    }
    index += offset;
    return index < r->substitution_count ? r->substitutions[index] : flm_cpp_fail(r);
}

static struct flm_cpp_node *read_tags(struct flm_cpp_reader *r, struct flm_cpp_node *name)
{
    struct flm_cpp_node *last_name = r->last_name;
    while (!r->failed && flm_cpp_eat(r, 'B'))
        name = flm_cpp_make(r, FLM_CPP_TAGGED, name, flm_cpp_read_source_name(r));
    r->last_name = last_name; /* a constructor is not called as a tag is */
    return r->failed ? NULL : name;
}

struct flm_cpp_node *flm_cpp_read_substitution(struct flm_cpp_reader *r, bool is_prefix)
{
    if (!flm_cpp_expect(r, 'S'))
        return NULL;
    char next = flm_cpp_peek(r);
    if (next == '_' || flm_cpp_is_digit(next) || (next >= 'A' && next <= 'Z'))
        return read_index(r);
    const struct flm_cpp_standard *standard = flm_cpp_find_standard(next);
    if (!standard)
        return flm_cpp_fail(r);
    r->at++;
    if (standard->last)
        r->last_name = flm_cpp_make_text(r, FLM_CPP_STANDARD, flm_bytes_of(standard->last));
    next = flm_cpp_peek(r);
    bool is_full = is_prefix && (next == 'C' || next == 'D');
    struct flm_cpp_node *node = flm_cpp_make_text(
        r, FLM_CPP_STANDARD, flm_bytes_of(is_full ? standard->full : standard->text));
    return next == 'B' ? flm_cpp_remember(r, read_tags(r, node)) : node;
}

/* ---- Names ----------------------------------------------------------------------------------- */

struct flm_cpp_node *flm_cpp_read_source_name(struct flm_cpp_reader *r)
{
    int32_t size = flm_cpp_is_digit(flm_cpp_peek(r)) ? flm_cpp_read_number(r) : 0;
    if (r->failed || size <= 0 || size > r->end - r->at)
        return flm_cpp_fail(r);
    struct flm_bytes name = {r->at, (size_t)size};
    r->at += size;
    /* gcc numbers these by the file: _GLOBAL__N__Z4main */
    if (name.size >= 10 && flm_bytes_start_with(name, "_GLOBAL_") &&
        (name.at[8] == '_' || name.at[8] == '.' || name.at[8] == '$') && name.at[9] == 'N')
        name = flm_bytes_of("(anonymous namespace)");
    return r->last_name = flm_cpp_make_text(r, FLM_CPP_TEXT, name);
}

struct flm_cpp_node *flm_cpp_skip_discriminator(struct flm_cpp_reader *r, struct flm_cpp_node *name)
{
    if (name && flm_cpp_eat(r, '_')) {
        bool is_long = flm_cpp_eat(r, '_');
        int32_t number = flm_cpp_read_number(r);
        if (number < 0 || (is_long && number >= 10 && !flm_cpp_eat(r, '_')))
            r->failed = true;
    }
    return r->failed ? NULL : name;
}

static struct flm_cpp_node *read_constructor_or_destructor(struct flm_cpp_reader *r)
{
    bool is_constructor = *r->at++ == 'C';
    bool is_inherited = is_constructor && flm_cpp_eat(r, 'I');
    char which = flm_cpp_peek(r);
    if (which < (is_constructor ? '1' : '0') || which > '5' || (!is_constructor && which == '3'))
        return flm_cpp_fail(r);
    r->at++;
    if (is_inherited)
        flm_cpp_read_type(r); /* whose it was: its name is the last now */
    return flm_cpp_make(r, is_constructor ? FLM_CPP_CONSTRUCTOR : FLM_CPP_DESTRUCTOR, r->last_name,
                        NULL);
}

/* Ul [declarations] parameters E [number] _ */
static struct flm_cpp_node *read_lambda(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *declarations = flm_cpp_read_declarations(r);
    struct flm_cpp_node *parameters = r->failed ? NULL : flm_cpp_read_parameters(r);
    flm_cpp_expect(r, 'E');
    struct flm_cpp_node *lambda = flm_cpp_make(r, FLM_CPP_LAMBDA, parameters, declarations);
    int32_t number = flm_cpp_read_sequence_number(r);
    if (lambda)
        lambda->number = number;
    return lambda;
}

/* DC names E: auto [a, b] = ... */
static struct flm_cpp_node *read_bindings(struct flm_cpp_reader *r)
{
    struct flm_cpp_node *first = NULL, **end = &first;
    do {
        *end = flm_cpp_make(r, FLM_CPP_LIST, flm_cpp_read_source_name(r), NULL);
        end = *end ? &(*end)->right : end;
    } while (!r->failed && !flm_cpp_eat(r, 'E'));
    return flm_cpp_make(r, FLM_CPP_BINDINGS, first, NULL);
}

/* The name of an operator. "on" stands before it in expressions. */
static struct flm_cpp_node *read_operator_name(struct flm_cpp_reader *r)
{
    bool was_expression = r->is_expression;
    if (flm_cpp_eat_both(r, "on"))
        r->is_expression = false;
    struct flm_cpp_node *name = flm_cpp_read_operator(r);
    r->is_expression = was_expression;
    if (name && flm_cpp_is(name, "li"))
        name = flm_cpp_make(r, FLM_CPP_LITERAL_OPERATOR, flm_cpp_read_source_name(r), NULL);
    return name;
}

struct flm_cpp_node *flm_cpp_read_unqualified_name(struct flm_cpp_reader *r)
{
    char next = flm_cpp_peek(r);
    struct flm_cpp_node *name;
    if (flm_cpp_is_digit(next))
        name = flm_cpp_read_source_name(r);
    else if (flm_cpp_eat(r, 'L'))
        name = flm_cpp_skip_discriminator(r, flm_cpp_read_source_name(r));
    else if (next >= 'a' && next <= 'z')
        name = read_operator_name(r);
    else if (flm_cpp_eat_both(r, "DC"))
        name = read_bindings(r);
    else if (next == 'C' || next == 'D')
        name = read_constructor_or_destructor(r);
    else if (flm_cpp_eat_both(r, "Ul"))
        name = read_lambda(r);
    else if (flm_cpp_eat_both(r, "Ut"))
        name = flm_cpp_remember(
            r, flm_cpp_make_leaf(r, FLM_CPP_UNNAMED, flm_cpp_read_sequence_number(r)));
    else
        return flm_cpp_fail(r);
    return flm_cpp_peek(r) == 'B' ? read_tags(r, name) : name;
}
