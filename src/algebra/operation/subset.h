/* subset.h - the same tree with other columns: stacks whose values are all 0 fall away.
 *
 * What restricting and combining have in common. The order of siblings stays, so nothing is hashed
 * or sorted: the nodes that stay are counted, and moved down. */
#ifndef FLAMEL_ALGEBRA_OPERATION_SUBSET_H
#define FLAMEL_ALGEBRA_OPERATION_SUBSET_H

#include "profile/columns.h"

/* A column of the result. */
struct flm_column {
    struct flm_bytes name, unit;
    double *self;   /* node_count values, 0 where a stack is not to be kept */
    double *sample; /* sample_count values; NULL when the result has no samples */
};

/* `keep_sample` has a byte for each sample of `p`, or is NULL: then all stay whose column says so,
 * which is when `sample` is given. */
struct flm_profile *flm_subset(const struct flm_profile *p, const struct flm_column *columns,
                               size_t count, const unsigned char *keep_sample,
                               struct flm_error *why);

/* The same; `rounded` values of the columns, of 2^53 or more, are not exactly the sums that they
 * stand for, and are noted. */
struct flm_profile *flm_subset_rounded(const struct flm_profile *p,
                                       const struct flm_column *columns, size_t count,
                                       const unsigned char *keep_sample, uint64_t rounded,
                                       struct flm_error *why);

/* The columns of `p` itself, in copies that may be changed; `sample` is set too where there are
 * samples. NULL when memory ran out. */
struct flm_column *flm_columns_copy(const struct flm_profile *p);
void flm_columns_free(struct flm_column *columns, size_t count);

#endif
