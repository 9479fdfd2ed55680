/* allocation.h - makes the 1st, 2nd, 3rd ... allocation fail.
 *
 * Test programs are linked so that malloc, calloc and realloc go through allocation.c, in the
 * library too. A test runs the same work again and again, one failure later each time, until
 * nothing fails any more:
 *
 *     for (size_t nth = 1;; nth++) {
 *         allocation_fail_from(nth);
 *         struct flm_profile *p = work(&why);
 *         bool failed = allocation_has_failed();
 *         allocation_fail_from(0);
 *         ... p is NULL and why.kind is FLM_ERROR_MEMORY, or all is well ...
 *         if (!failed)
 *             break;
 *     } */
#ifndef FLAMEL_TESTS_SUPPORT_CORE_ALLOCATION_H
#define FLAMEL_TESTS_SUPPORT_CORE_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

/* The allocation number `nth` from now on fails, and all that follow it; 1 is the next one. 0: none
 * fails. Counting starts again. */
void allocation_fail_from(size_t nth);

/* The same, but only that one fails: what follows may go on with the memory there is. */
void allocation_fail_once(size_t nth);

/* Whether one has failed since. */
bool allocation_has_failed(void);

/* How many there were since, failed ones included. */
size_t allocation_count(void);

#endif
