/* expression.h - operations as text: "focus:parse | hide:module=libc.so.6 | by:function".
 *
 *     expression   operation { '|' operation }
 *     operation    name [ ':' argument { ',' argument } ]
 *     argument     text up to the next '|', or to the next ',' where another argument follows
 *
 * Blanks around operations and arguments do not count. A '|' in quotes, in a regular expression or
 * in a substitution divides nothing, where these begin the argument or are after its '=':
 *
 *     keep:"a|b"    keep:/a|b/    keep:module="a|b"    rename:s/a|b/c/
 *
 * Names and arguments are those of the table (operation_table.h). flm_apply (flamel/algebra.h)
 * carries out what is here only taken apart. */
#ifndef FLAMEL_ALGEBRA_EXPRESSION_EXPRESSION_H
#define FLAMEL_ALGEBRA_EXPRESSION_EXPRESSION_H

#include "algebra/expression/operation_table.h"

/* The size of the first operation of an expression: up to the '|' that ends it, or to the end. */
size_t flm_expression_first(struct flm_bytes expression);

/* What stands at the end of an expression that is being typed: the name of an operation, or one of
 * its arguments. */
struct flm_expression_end {
    size_t start;          /* where the name or the argument begins */
    struct flm_bytes name; /* of the operation, as it is written; "" while it is being typed */
    bool has_name;         /* it is an argument: the name stands in front of it, and a ':' */
    const struct flm_operation_entry *operation; /* NULL: there is none of that name */
    const struct flm_argument *argument;         /* NULL: the operation does not take so many */
};
struct flm_expression_end flm_expression_end(struct flm_bytes expression);

/* One operation of an expression, which may be of a table of its own: parses `text`, which is what
 * is after the ':' ("" where there is none), and carries it out. Offsets in `why` are in
 * `text`. */
struct flm_profile *flm_operation_apply(const struct flm_operation_entry *operation,
                                        const struct flm_profile *p, struct flm_bytes text,
                                        struct flm_text *note, struct flm_error *why);

#endif
