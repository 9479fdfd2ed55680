/* operation_table.h - the operations that expressions may name, one entry each.
 *
 *     name    arguments                   function       summary and example
 *     focus   pattern (FLM_ARGUMENT_...)  apply_focus    for help, completion and manual
 *
 * Parsing, refusals, completion (viewer/query/complete.c), help and flamel-expressions(7), which a
 * test compares with the table, come from the entry. A new operation is a function that takes
 * parsed arguments and a line of the table in operation_table.c. */
#ifndef FLAMEL_ALGEBRA_EXPRESSION_OPERATION_TABLE_H
#define FLAMEL_ALGEBRA_EXPRESSION_OPERATION_TABLE_H

#include "algebra/expression/argument.h"

enum { FLM_MOST_ARGUMENTS = 3 };

/* An operation that is being carried out. */
struct flm_operation_call {
    const struct flm_profile *profile;
    const struct flm_argument_value *argument; /* as many as the entry has */
    struct flm_text *note; /* a sentence for an operation that changes nothing; the first stays */
    struct flm_error *why;
};

struct flm_operation_entry {
    const char *name;
    const char *summary; /* a line without a period */
    const char *example; /* an operation with its arguments */

    /* A new profile; NULL, and `why`, when it fails. Offsets in `why` are from the first argument
     * on. */
    struct flm_profile *(*apply)(struct flm_operation_call *call);
    struct flm_argument arguments[FLM_MOST_ARGUMENTS]; /* the first without a name ends them */
};

/* One after the other; NULL after the last. */
const struct flm_operation_entry *flm_operation_at(size_t index);

/* NULL where there is none of that name. tid, pid and comm are thread, process and command. */
const struct flm_operation_entry *flm_operation_named(struct flm_bytes name);

size_t flm_operation_argument_count(const struct flm_operation_entry *operation);

#endif
